//! From frames to a plan: executors chosen by what they take and give, values put where their roles say.
//!
//! Nothing here names an executor. A step is there because a manifest offers a verb on an object, an argument of a
//! role, or a field that another step needs; take the manifest away and the plan changes or becomes a gap.

mod answer;
mod choose;
mod compose;
mod context;
mod fill;
mod input;
mod refine;
mod source;

pub use answer::{Answer, Ask, Explain, Gap, Maker, Plan, Step};

use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::lexicon::{Lexicon, Lexicons};
use crate::prefilter::{Candidate, Prefilter};
use context::Memory;

/// Longest request that is read; a person who writes more has pasted something.
const LONGEST: usize = 20_000;

/// Most executors that are named as near.
const NEAR: usize = 3;

/// The planner: a catalog, lexicons, no state.
#[derive(Clone, Debug)]
pub struct Planner {
    pub(crate) catalog: Catalog,
    pub(crate) lexicons: Lexicons,
}

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Request<'a> {
    /// The words.
    pub text: &'a str,
    /// The language of the words; found out when absent.
    pub language: Option<&'a str>,
    /// Earlier requests of the same conversation, oldest first.
    pub context: &'a [String],
}

impl Planner {
    /// A planner over this catalog.
    pub fn new(catalog: Catalog, lexicons: Lexicons) -> Self {
        Self { catalog, lexicons }
    }

    /// The answer to a request, and why. Same request, catalog and clock: the same bytes.
    pub fn plan(&self, request: &Request<'_>, clock: &Clock) -> (Answer, Explain) {
        let mut memory = Memory::default();
        for earlier in request.context.iter().rev().take(20).rev() {
            self.one(earlier, request.language, clock, &mut memory);
        }
        let (mut answer, explain) = self.one(request.text, request.language, clock, &mut memory);
        if let Answer::Gap(gap) = &mut answer
            && request.text.len() <= LONGEST
        {
            gap.near = self.near(request.text);
        }
        (answer, explain)
    }

    /// What comes nearest to a request that nothing fits.
    fn near(&self, text: &str) -> Vec<String> {
        let rows: Vec<Candidate> = self.catalog.tools().map(Candidate::from).collect();
        let prefilter = Prefilter::new(&rows, &self.lexicons);
        prefilter.near(text, NEAR).into_iter().map(str::to_owned).collect()
    }

    fn one(
        &self,
        text: &str,
        language: Option<&str>,
        clock: &Clock,
        memory: &mut Memory,
    ) -> (Answer, Explain) {
        let mut explain = Explain::default();
        if text.len() > LONGEST {
            explain.notes.push(format!("longer than {LONGEST} bytes"));
            return (Answer::Gap(Gap::new("the request is too long to be one", Vec::new())), explain);
        }
        let Some(lexicon) = self.lexicon(text, language) else {
            return (Answer::Gap(Gap::new("no lexicon", Vec::new())), explain);
        };
        explain.language = lexicon.language.clone();
        let answer = context::answer(self, lexicon, text, clock, memory, &mut explain);
        (answer, explain)
    }

    fn lexicon(&self, text: &str, language: Option<&str>) -> Option<&Lexicon> {
        language.and_then(|language| self.lexicons.get(language)).or_else(|| self.lexicons.detect(text))
    }
}
