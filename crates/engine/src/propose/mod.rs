//! The Proposer: one question to a model for a whole plan, when the planner has none.
//!
//! Pure. It writes the question and reads the answer; whoever drives it asks. The pool comes from the
//! prefilter, the constraint from the schemas of the pool, the words from `data/prompts`. An answer is
//! checked here whatever the server promised: what does not fit the pool is no plan.

mod constrain;
mod pool;
mod prompt;
mod read;

pub use prompt::PromptError;
pub use read::Proposed;

use crate::{Catalog, Clock, Lexicons, Request};
use metnos_llm::Constraint;
use prompt::Prompts;

/// The longest request a model is asked about.
const LONGEST: usize = 4000;
/// The longest answer, in tokens.
pub const ANSWER_TOKENS: u64 = 1200;

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

    /// The plan in an answer to `draft`, or why there is none.
    pub fn read(&self, draft: &Draft, request: &str, answer: &str) -> Result<Proposed, String> {
        read::read(&self.catalog, draft, request, answer)
    }
}
