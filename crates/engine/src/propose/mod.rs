//! The Proposer: one question to a model for a whole plan, when the planner has none.
//!
//! Pure. It writes the question and reads the answer; whoever drives it asks. The pool is the whole
//! catalog where the model has room for it, else what the prefilter gives; the constraint comes from the
//! schemas of the pool, the words from `data/prompts`. An answer is checked here whatever the server
//! promised: what does not fit the pool is no plan.

mod constrain;
mod plain;
mod pool;
mod prompt;
mod read;

pub use plain::Rewritten;
pub use prompt::PromptError;
pub use read::{Proposed, made_up};

use crate::catalog::Tool;
use crate::{Catalog, Clock, Lexicons, Request};
use metnos_shape::{Constraint, Field, Shape};
use prompt::{Form, Prompt, Prompts};

/// The longest request a model is asked about.
const LONGEST: usize = 4000;
/// The longest answer to a question for plainer words, in tokens.
pub const PLAIN_TOKENS: u64 = 160;
/// The longest answer, in tokens.
pub const ANSWER_TOKENS: u64 = 1200;

/// Bytes of a prompt for one token, at least: prompts are counted before they are sent.
const LETTERS: u64 = 3;

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

    /// The question about a request, for a model that holds `room` tokens; `None` when there is nothing to choose from.
    pub fn draft(
        &self,
        request: &Request<'_>,
        language: &str,
        clock: &Clock,
        room: Option<u64>,
        again: Option<Again<'_>>,
    ) -> Option<Draft> {
        if request.text.trim().is_empty() || request.text.len() > LONGEST {
            return None;
        }
        let prompt = self.prompts.of(language)?;
        let write = |form: Form, pool: &[&Tool]| prompt.user(request, clock, (form, pool), language, again);
        let (user, pool) = self.choose(prompt, request, room, &write)?;
        let earlier = !request.context.is_empty();
        Some(Draft {
            system: prompt.system(),
            user,
            constraint: Constraint::new(constrain::plans(&pool, earlier)),
            pool: pool.iter().map(|tool| tool.name.as_str().to_owned()).collect(),
        })
    }

    /// The executors a model may choose from, and the question with them: all there are where it has room for them, else
    /// what the request speaks for; where it speaks for none, as many as there is room for.
    fn choose<'a>(
        &'a self,
        prompt: &Prompt,
        request: &Request<'_>,
        room: Option<u64>,
        write: &dyn Fn(Form, &[&Tool]) -> String,
    ) -> Option<(String, Vec<&'a Tool>)> {
        let system = prompt.system().len() as u64;
        let fits = |user: &str| {
            let tokens = (system + user.len() as u64).div_ceil(LETTERS) + ANSWER_TOKENS;
            room.is_some_and(|room| tokens <= room)
        };
        let spoken_for = pool::pool(&self.catalog, &self.lexicons, request);
        let mut all = pool::whole(&self.catalog, &spoken_for);
        let user = write(Form::Short, &all);
        if fits(&user) {
            return Some((user, all));
        }
        if !spoken_for.is_empty() {
            return Some((write(Form::Long, &spoken_for), spoken_for));
        }
        while all.pop().is_some() && !all.is_empty() {
            let user = write(Form::Short, &all);
            if fits(&user) {
                return Some((user, all));
            }
        }
        None
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
