//! The Proposer: one question to a model for a whole plan, when the planner has none.
//!
//! Pure. It writes the question and reads the answer; whoever drives it asks. The pool comes from the
//! prefilter, the constraint from the schemas of the pool, the words from `data/prompts`. An answer is
//! checked here whatever the server promised: what does not fit the pool is no plan.

mod constrain;
mod plain;
mod pool;
mod prompt;
mod read;

pub use plain::Rewritten;
pub use prompt::PromptError;
pub use read::{Proposed, made_up};

use crate::{Catalog, Clock, Lexicons, Request};
use metnos_shape::{Constraint, Field, Shape};
use prompt::Prompts;

/// The longest request a model is asked about.
const LONGEST: usize = 4000;
/// The longest answer to a question for plainer words, in tokens.
pub const PLAIN_TOKENS: u64 = 160;
/// The longest answer, in tokens.
pub const ANSWER_TOKENS: u64 = 1200;

/// The longest text that is composed, in letters.
const COMPOSED: usize = 4000;

fn text_only() -> Shape {
    Shape::Record(vec![Field { name: "text".into(), shape: Shape::Text(COMPOSED), required: true }])
}

/// A question to a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// What the model is and must obey.
    pub system: String,
    /// What is wanted.
    pub user: String,
    /// What an answer may look like.
    pub constraint: Constraint,
    /// The executors it may use, best first.
    pub pool: Vec<String>,
}

/// What went wrong before, for a second question about the same request.
#[derive(Clone, Copy, Debug)]
pub enum Again<'a> {
    /// The plan was none that may run.
    Invalid(&'a str),
    /// The plan ran and failed at a step.
    Failed(&'a str),
}

/// Writes questions and reads answers.
#[derive(Clone, Debug)]
pub struct Proposer {
    catalog: Catalog,
    lexicons: Lexicons,
    prompts: Prompts,
}

impl Proposer {
    /// A proposer over this catalog, with the prompts this binary was built with.
    pub fn new(catalog: Catalog, lexicons: Lexicons) -> Result<Self, PromptError> {
        Ok(Self { catalog, lexicons, prompts: Prompts::shipped()? })
    }

    /// The question about a request; `None` when there is nothing to choose from.
    pub fn draft(
        &self,
        request: &Request<'_>,
        language: &str,
        clock: &Clock,
        again: Option<Again<'_>>,
    ) -> Option<Draft> {
        if request.text.trim().is_empty() || request.text.len() > LONGEST {
            return None;
        }
        let pool = pool::pool(&self.catalog, &self.lexicons, request);
        if pool.is_empty() {
            return None;
        }
        let earlier = !request.context.is_empty();
        let prompt = self.prompts.of(language)?;
        Some(Draft {
            system: prompt.system(),
            user: prompt.user(request, clock, &pool, language, again),
            constraint: Constraint::new(constrain::plans(&pool, earlier)),
            pool: pool.iter().map(|tool| tool.name.as_str().to_owned()).collect(),
        })
    }

    /// The question for the same request in plainer words, for a small model.
    pub fn rewrite(&self, request: &str, language: &str) -> Option<Draft> {
        if request.trim().is_empty() || request.len() > plain::LONGEST {
            return None;
        }
        let (system, user) = self.prompts.of(language)?.plainer(request);
        Some(Draft { system, user, constraint: Constraint::new(plain::shape()), pool: Vec::new() })
    }

    /// What an answer to [`Proposer::rewrite`] makes of the request, if it can be used.
    pub fn rewritten(&self, draft: &Draft, request: &str, language: &str, answer: &str) -> Option<Rewritten> {
        plain::accept(&draft.constraint.read(answer).ok()?, request, self.lexicons.get(language)?)
    }

    /// The question for a text that a step needs.
    pub fn compose(&self, request: &str, what: &str, language: &str) -> Option<Draft> {
        let (system, user) = self.prompts.of(language)?.compose(request, what);
        Some(Draft { system, user, constraint: Constraint::new(text_only()), pool: Vec::new() })
    }

    /// The text in an answer to [`Proposer::compose`].
    pub fn composed(&self, answer: &str) -> Option<String> {
        let value = Constraint::new(text_only()).read(answer).ok()?;
        value["text"].as_str().map(str::to_owned).filter(|text| !text.trim().is_empty())
    }

    /// The plan in an answer to `draft`, or why there is none.
    pub fn read(&self, draft: &Draft, request: &str, answer: &str) -> Result<Proposed, String> {
        read::read(&self.catalog, draft, request, answer)
    }
}
