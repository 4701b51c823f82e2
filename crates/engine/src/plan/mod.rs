//! From frames to a plan: executors chosen by what they take and give, values put where their roles say.
//!
//! Nothing here names an executor. A step is there because a manifest offers a verb on an object, an argument of a
//! role, or a field that another step needs; take the manifest away and the plan changes or becomes a gap.

mod again;
mod answer;
mod around;
mod choose;
mod compose;
mod context;
mod deed;
mod earlier;
mod fill;
mod input;
mod inputs;
mod join;
mod made;
mod named;
mod patterns;
mod refine;
mod respell;
mod say;
mod shape;
mod source;
mod times;
mod trace;
mod unsure;

pub use answer::{Answer, Ask, Choice, Explain, Gap, Leans, Maker, Offer, Plan, Step};
pub use context::Reading;
pub(crate) use fill::lacking;
pub use respell::Correction;

use crate::catalog::{Catalog, Tool};
use crate::clock::Clock;
use crate::evidence::{self, Index, Last, Packed, Talk, Words};
use crate::lexicon::{Lexicon, Lexicons};
use crate::prefilter::{Candidate, Prefilter};
use crate::shortcut::beginnings;
use context::Memory;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

/// Longest request that is read; a person who writes more has pasted something.
const LONGEST: usize = 20_000;

/// Most words of a request, apart from what is in quotes: every one of them is looked at beside others.
const MOST_WORDS: usize = 1_200;

/// So much of a text tells its language.
const TELLING: usize = 2_000;

/// So many earlier requests are looked at where evidence is weighed.
const RECENT: usize = 2;

/// Most executors that are named as near.
const NEAR: usize = 3;

/// The planner: a catalog, lexicons, no state.
#[derive(Clone, Debug)]
pub struct Planner {
    pub(crate) catalog: Catalog,
    pub(crate) lexicons: Lexicons,
    /// What evidence is weighed with; none where nothing was learned.
    weights: Option<Arc<Packed>>,
    /// What speaks for what, over this catalog.
    index: OnceLock<Arc<Index>>,
    digest: OnceLock<String>,
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
        Self {
            catalog,
            lexicons,
            weights: evidence::shipped(),
            index: OnceLock::new(),
            digest: OnceLock::new(),
        }
    }

    /// The same planner with other weights, or none: how they are measured.
    #[must_use]
    pub fn weighing(self, weights: Option<Arc<Packed>>) -> Self {
        Self { weights, index: OnceLock::new(), ..self }
    }

    /// The answer to a request, and why. Same request, catalog and clock: the same bytes.
    pub fn plan(&self, request: &Request<'_>, clock: &Clock) -> (Answer, Explain) {
        self.decide(request, &self.read(request, clock), clock)
    }

    /// The answer to a request that was read: what its words say, or what evidence has against that.
    pub fn decide(&self, request: &Request<'_>, reading: &Reading, clock: &Clock) -> (Answer, Explain) {
        let (mut answer, mut explain) = self.answer(request, reading);
        let language = self.tongue(request).unwrap_or_else(|| explain.language.clone());
        // In a language that the words alone are not read in, evidence is all there is.
        if self.lexicons.get(&language).is_none() && matches!(answer, Answer::Plan(_) | Answer::Ask(_)) {
            answer = Answer::Gap(Gap { near: self.near(request.text), ..Gap::new("no lexicon", Vec::new()) });
        }
        explain.language.clone_from(&language);
        let whole = explain.confidence >= 1.0 && reading.corrected.is_empty();
        // What words explain without the conversation is weighed without it.
        let alone = whole && matches!(answer, Answer::Plan(_)) && !explain.leans.conversation();
        let text = spaced(request.text);
        let request = Request {
            text: &text,
            language: request.language,
            context: if alone { &[] } else { request.context },
        };
        self.weigh(&request, Words { answer: &answer, whole }, &language, clock).unwrap_or((answer, explain))
    }

    /// The language of a request: the one it is said to be in, or the one that knows most of its words.
    fn tongue(&self, request: &Request<'_>) -> Option<String> {
        let lexicons = metnos_language::Lexicons::shipped().ok()?;
        if let Some(given) = request.language.and_then(|language| lexicons.get(language)) {
            return Some(given.language.clone());
        }
        let mut end = request.text.len().min(TELLING);
        while !request.text.is_char_boundary(end) {
            end -= 1;
        }
        let text = &request.text[..end];
        let own = self.lexicons.detect(text)?.language.as_str();
        let others = lexicons.iter().map(|lexicon| lexicon.language.as_str());
        let others = others.filter(|language| self.lexicons.get(language).is_none());
        Some(lexicons.detect(text, std::iter::once(own).chain(others))?.language.clone())
    }

    /// What evidence makes of a request; none where what its words gave stays.
    fn weigh(
        &self,
        request: &Request<'_>,
        words: Words<'_>,
        language: &str,
        clock: &Clock,
    ) -> Option<(Answer, Explain)> {
        let lexicons = metnos_language::Lexicons::shipped().ok()?;
        let lexicon = lexicons.get(language)?;
        let mut last: Option<Last> = None;
        let recent = request.context.len().saturating_sub(RECENT);
        for at in recent..request.context.len() {
            let earlier = Request {
                text: &request.context[at],
                language: request.language,
                context: &request.context[recent..at],
            };
            last = match self.plan(&earlier, clock).0 {
                Answer::Plan(plan) => Some(Last::of(&plan.steps, &self.catalog, last)),
                // What was left unclear may have been about other things.
                Answer::Gap(_) | Answer::Offer(_) => last.map(Last::left_unclear),
                _ => last,
            };
        }
        let earlier = request.context.last().map(String::as_str);
        let talk = Talk { text: request.text, earlier, last: last.as_ref() };
        let weights = self.weights.as_deref()?;
        let index = self.index.get_or_init(|| Arc::new(Index::new(weights, &self.catalog)));
        evidence::answer(&talk, words, weights, &self.catalog, index, lexicon, clock)
    }

    /// What the words of a request say, inside its conversation.
    pub fn read(&self, request: &Request<'_>, clock: &Clock) -> Reading {
        let mut memory = Memory::default();
        for earlier in request.context.iter().rev().take(20).rev() {
            if let Ok(lexicon) = self.readable(earlier, request.language) {
                context::answer(self, lexicon, earlier, clock, &mut memory);
            }
        }
        match self.readable(request.text, request.language) {
            Ok(lexicon) => inputs::read(self, lexicon, request.text)
                .unwrap_or_else(|| context::read(self, lexicon, request.text, clock, &mut memory)),
            Err(unread) => *unread,
        }
    }

    /// The answer to a request that was read.
    pub fn answer(&self, request: &Request<'_>, reading: &Reading) -> (Answer, Explain) {
        let (mut answer, _, mut explain) = self.compose(reading);
        for Correction { wrote, read } in &reading.corrected {
            explain.notes.push(format!("{wrote} read as {read}"));
        }
        if let Answer::Plan(plan) = &mut answer {
            plan.corrected = reading.corrected.clone();
            *plan =
                named::looked_for(std::mem::replace(plan, Plan::of(Vec::new())), request.text, &self.catalog);
        }
        if let Answer::Gap(gap) = &mut answer
            && request.text.len() <= LONGEST
            && words(request.text) <= MOST_WORDS
        {
            gap.near = self.near(request.text);
        }
        (answer, explain)
    }

    /// The answer, the list it ends with, and why.
    pub(crate) fn compose(&self, reading: &Reading) -> (Answer, Option<compose::List>, Explain) {
        context::compose(self, reading)
    }

    /// What this planner is made of: rules, words, senses, catalog. What another one planned is not what this one plans.
    pub fn digest(&self) -> &str {
        self.digest.get_or_init(|| {
            let mut hash = blake3::Hasher::new();
            hash.update(env!("ENGINE_RULES").as_bytes()).update(self.lexicons.digest.as_bytes());
            hash.update(self.catalog.digest().as_bytes());
            hash.finalize().to_hex().chars().take(32).collect()
        })
    }

    /// The executors it plans over.
    pub fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Every language there is.
    pub fn lexicons(&self) -> &Lexicons {
        &self.lexicons
    }

    /// Whether the plan of a request is the same at any moment, in any conversation, and for every request of its normal
    /// form: a first word that is a name keeps its capital.
    ///
    /// What planning did not look at does not matter. What was spoken of before can only be one of the objects there
    /// are, so that it is tried with each.
    pub fn holds(&self, request: &Request<'_>, clock: &Clock) -> bool {
        let (answer, why) = self.plan(request, clock);
        if why.leans.clock || why.leans.request || why.leans.list {
            return false;
        }
        let alike = |text: &String| self.plan(&Request { text, ..request.clone() }, clock).0 == answer;
        if !beginnings(request.text).iter().all(alike) {
            return false;
        }
        let Some(lexicon) = self.lexicon(request.text, request.language).filter(|_| why.leans.topic) else {
            return true;
        };
        let senses = &self.lexicons.senses;
        let mut objects: BTreeSet<&str> = self.catalog.tools().map(Tool::object).collect();
        objects.extend(
            senses.noun.values().flat_map(|noun| [&noun.object, &noun.acting]).flatten().map(String::as_str),
        );
        objects.extend(senses.verb.values().filter_map(|verb| verb.object.as_deref()));
        objects.into_iter().all(|object| {
            let mut memory = Memory::about(object);
            let (other, why) = context::answer(self, lexicon, request.text, clock, &mut memory);
            other == answer && !why.leans.list && !why.leans.request
        })
    }

    /// What comes nearest to a request that nothing fits.
    fn near(&self, text: &str) -> Vec<String> {
        let rows: Vec<Candidate> = self.catalog.tools().map(Candidate::from).collect();
        let prefilter = Prefilter::new(&rows, &self.lexicons);
        prefilter.near(text, NEAR).into_iter().map(str::to_owned).collect()
    }

    /// The lexicon to read a text with, or why it is not read.
    fn readable(&self, text: &str, language: Option<&str>) -> Result<&Lexicon, Box<Reading>> {
        let unread = |why: &str, note: Option<String>| {
            let explain = Explain { notes: note.into_iter().collect(), ..Explain::default() };
            Box::new(Reading::said(Answer::Gap(Gap::new(why, Vec::new())), explain))
        };
        if text.len() > LONGEST || words(text) > MOST_WORDS {
            let note = format!("longer than {LONGEST} bytes");
            return Err(unread("the request is too long to be one", Some(note)));
        }
        self.lexicon(text, language).ok_or_else(|| unread("no lexicon", None))
    }

    fn lexicon(&self, text: &str, language: Option<&str>) -> Option<&Lexicon> {
        language.and_then(|language| self.lexicons.get(language)).or_else(|| self.lexicons.detect(text))
    }
}

/// How many words and signs a text has, apart from what is in double quotes.
fn words(text: &str) -> usize {
    let outside = text.split('"').step_by(2);
    outside
        .flat_map(|part| part.split(|c: char| !c.is_alphanumeric()))
        .filter(|word| !word.is_empty())
        .count()
}

/// A request with one space between words, and one sign at its end; texts in quotes stay as they are.
fn spaced(text: &str) -> Cow<'_, str> {
    if text.contains(['"', '\'', '`', '«', '“']) {
        return Cow::Borrowed(text);
    }
    let bare = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '?' | '!'));
    let sign = text[bare.len()..].trim_start().chars().next();
    let words = bare.split_whitespace().collect::<Vec<_>>().join(" ");
    Cow::Owned(sign.map_or(words.clone(), |sign| format!("{words}{sign}")))
}
