//! One question to one tier.

use crate::config::Grammar;
use crate::http::Wire;
use crate::{Constraint, Kind, LlmError, Tier, anthropic, openai};
use serde_json::Value;
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// Letters of a prompt for one token, at least: prompts are counted before they are sent.
const LETTERS: u64 = 3;
/// Bytes of one token of an answer, at most.
const WIDEST: u64 = 16;
/// The shortest answer worth asking for.
const LEAST: u64 = 32;

/// The key of a server. It cannot be printed, and is wiped when it is dropped.
pub struct Key(Zeroizing<String>);

impl Key {
    /// Takes a key.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(‹key›)")
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// What the model is and must obey. Nothing that came from data.
    pub system: &'a str,
    /// What is wanted.
    pub user: &'a str,
    /// What an answer may look like.
    pub constraint: Option<&'a Constraint>,
    /// The longest answer, in tokens.
    pub most_tokens: u64,
}

impl Question<'_> {
    /// About how many tokens it has.
    pub(crate) fn size(&self) -> u64 {
        estimate(self.system) + estimate(self.user)
    }
}

pub(crate) fn estimate(text: &str) -> u64 {
    (text.len() as u64).div_ceil(LETTERS)
}

/// What a question used, also one without an answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of prompts.
    pub tokens_in: u64,
    /// Tokens of answers.
    pub tokens_out: u64,
    /// How long it took.
    pub ms: u64,
    /// In millionths.
    pub cost: u64,
}

/// What came of a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The text, or why there is none. Whoever asked checks it.
    pub text: Result<String, LlmError>,
    /// What it used.
    pub usage: Usage,
}

/// A tier, ready to be asked.
pub struct Client {
    tier: Tier,
    key: Option<Key>,
    wire: Wire,
}

impl Client {
    /// A client of `tier` with its key.
    pub fn new(tier: Tier, key: Option<Key>) -> Self {
        Self { wire: Wire::new(tier.url.is_here()), tier, key }
    }

    /// Asks, within `wall` and within the tier's own timeout for every single answer.
    pub fn ask(&self, question: &Question<'_>, wall: Duration) -> Answer {
        let began = Instant::now();
        let mut usage = Usage::default();
        let text = self.within(question, began + wall, &mut usage);
        usage.ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        usage.cost =
            self.tier.price_in.of(usage.tokens_in).saturating_add(self.tier.price_out.of(usage.tokens_out));
        Answer { text, usage }
    }

    fn within(&self, question: &Question<'_>, until: Instant, usage: &mut Usage) -> Result<String, LlmError> {
        if let Some(flaw) = self.tier.flaw() {
            return Err(LlmError::Unready(flaw.to_owned()));
        }
        let holds = self.tier.holds(None);
        let room = holds.saturating_sub(question.size());
        let most = room.min(question.most_tokens);
        if most < LEAST {
            return Err(LlmError::Unready(format!("the question has no room in context = {holds}")));
        }
        let (first, second) = self.ways();
        let told = self.one(question, first, most, until, usage);
        let refused = match (&told, question.constraint) {
            (Err(LlmError::Refused { status: 400 | 422 | 501, .. }), Some(_)) => true,
            // A grammar that was ignored shows in an answer that it cannot derive.
            (Ok(text), Some(constraint)) => constraint.read(text).is_err(),
            _ => false,
        };
        match second.filter(|_| refused) {
            Some(second) => self.one(question, second, most, until, usage),
            None => told,
        }
    }

    /// How the server is told what an answer may look like, and how when it does not understand that.
    fn ways(&self) -> (Grammar, Option<Grammar>) {
        match (self.tier.grammar, self.tier.kind) {
            (Some(grammar), _) => (grammar, None),
            (None, Kind::Openai) => (Grammar::Gbnf, Some(Grammar::JsonSchema)),
            (None, Kind::Anthropic) => (Grammar::JsonSchema, None),
        }
    }

    fn one(
        &self,
        question: &Question<'_>,
        grammar: Grammar,
        most: u64,
        until: Instant,
        usage: &mut Usage,
    ) -> Result<String, LlmError> {
        let timeout = Duration::from_secs(self.tier.timeout_seconds.get().into());
        let until = until.min(Instant::now() + timeout);
        let key = self.key.as_ref();
        let bearer = key.map(|key| Zeroizing::new(format!("Bearer {}", key.expose())));
        let (door, mut headers): (_, Vec<(&str, &str)>) = match self.tier.kind {
            Kind::Openai => (openai::DOOR, Vec::new()),
            Kind::Anthropic => (anthropic::DOOR, vec![("anthropic-version", anthropic::VERSION)]),
        };
        match (self.tier.kind, key, &bearer) {
            (Kind::Openai, _, Some(bearer)) => headers.push(("authorization", bearer)),
            (Kind::Anthropic, Some(key), _) => headers.push(("x-api-key", key.expose())),
            _ => {}
        }
        let body = match self.tier.kind {
            Kind::Openai => openai::body(&self.tier, question, grammar, most),
            Kind::Anthropic => anthropic::body(&self.tier, question, grammar, most),
        };
        let value: Value = self.wire.post(&self.tier.url.door(door), &headers, key, &body, until)?;
        let text = match self.tier.kind {
            Kind::Openai => openai::read(&value, question, most, usage),
            Kind::Anthropic => anthropic::read(&value, question, most, usage),
        }?;
        // No token is that long: who sends more did not keep to the limit it was given.
        let bytes = most.saturating_mul(WIDEST);
        if text.len() as u64 > bytes { Err(LlmError::TooLarge(bytes)) } else { Ok(text) }
    }
}
