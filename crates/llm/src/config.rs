//! `[tiers.<role>]` of the configuration: which server and model stand behind a role.

use crate::Role;
use serde::{Deserialize, Deserializer};
use std::num::{NonZeroU32, NonZeroU64};

/// What is bound to each role.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Tiers {
    /// Small answers, often.
    pub fast: Option<Tier>,
    /// Judging.
    pub middle: Option<Tier>,
    /// Whole plans.
    pub wise: Option<Tier>,
    /// The best there is.
    pub frontier: Option<Tier>,
}

impl Tiers {
    /// The tier of a role. An unbound role has none: no other one stands in for it.
    pub fn of(&self, role: Role) -> Option<&Tier> {
        match role {
            Role::Fast => self.fast.as_ref(),
            Role::Middle => self.middle.as_ref(),
            Role::Wise => self.wise.as_ref(),
            Role::Frontier => self.frontier.as_ref(),
        }
    }

    /// Binds a role.
    pub fn bind(&mut self, role: Role, tier: Tier) {
        let place = match role {
            Role::Fast => &mut self.fast,
            Role::Middle => &mut self.middle,
            Role::Wise => &mut self.wise,
            Role::Frontier => &mut self.frontier,
        };
        *place = Some(tier);
    }

    /// The roles that are bound, in order.
    pub fn bound(&self) -> Vec<Role> {
        Role::ALL.into_iter().filter(|role| self.of(*role).is_some()).collect()
    }
}

/// One bound role.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tier {
    /// How the server is spoken to.
    pub kind: Kind,
    /// Where it is, with or without `/v1`.
    pub url: Url,
    /// Which of its models.
    pub model: String,
    /// The name of its key in the vault. Never the key itself.
    pub credential: Option<String>,
    /// How long one answer may take, from the first byte sent to the last one read.
    #[serde(default = "a_minute")]
    pub timeout_seconds: NonZeroU32,
    /// How many tokens the model is taken to hold at most, prompt and answer together; absent: what its server tells.
    pub context: Option<NonZeroU64>,
    /// What a million tokens of prompt cost.
    #[serde(default)]
    pub price_in: Price,
    /// What a million tokens of answer cost.
    #[serde(default)]
    pub price_out: Price,
    /// How the server is told what an answer may look like; absent: whatever it understands.
    pub grammar: Option<Grammar>,
}

/// How a server is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// `/v1/chat/completions`, as llama-server, Ollama, vLLM and many others have it.
    Openai,
    /// `/v1/messages`.
    Anthropic,
}

/// How a server is told what an answer may look like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grammar {
    /// llama-server's `grammar`.
    Gbnf,
    /// A JSON schema.
    JsonSchema,
    /// Not at all: only the answer is checked.
    None,
}

/// How many tokens a model is taken to hold where nobody tells.
const UNTOLD: u64 = 8192;

/// A price for a million tokens, in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Price(u64);

impl Price {
    /// What so many tokens cost, in millionths, rounded up: a cost is never told as nothing.
    pub fn of(self, tokens: u64) -> u64 {
        tokens.saturating_mul(self.0).div_ceil(1_000_000)
    }
}

impl<'de> Deserialize<'de> for Price {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let price = f64::deserialize(source)?;
        if !(0.0..1e9).contains(&price) {
            return Err(serde::de::Error::custom("a price is a number from 0"));
        }
        Ok(Self((price * 1e6).round() as u64))
    }
}

/// Where a server is: `http` or `https`, a host, nothing of a person in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url(String);

impl Url {
    /// A port of this machine.
    pub fn here(port: u16) -> Self {
        Self(format!("http://127.0.0.1:{port}"))
    }

    /// An address as a person writes it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = |why: &str| Err(format!("a url {why}"));
        let plain = text.trim_end_matches('/');
        let plain = plain.strip_suffix("/v1").unwrap_or(plain);
        let known = plain.starts_with("http://") || plain.starts_with("https://");
        match host(plain) {
            _ if !known => wrong("begins with http:// or https://"),
            "" => wrong("names a host"),
            _ if plain.contains('@') => wrong("holds no name and no password: use credential"),
            _ if plain.contains(['?', '#', ' ']) => wrong("ends with its path"),
            _ if plain.contains(|c: char| c.is_control() || c == '"' || c == '\\') => {
                wrong("has no such sign")
            }
            _ => Ok(Self(plain.to_owned())),
        }
    }

    /// The address of one of its doors.
    pub(crate) fn door(&self, path: &str) -> String {
        self.path(&format!("v1/{path}"))
    }

    pub(crate) fn path(&self, path: &str) -> String {
        format!("{}/{path}", self.0)
    }

    /// True when it is this machine.
    pub fn is_here(&self) -> bool {
        let host = host(&self.0);
        let four = host.parse::<std::net::Ipv4Addr>().is_ok_and(|address| address.is_loopback());
        four || host == "localhost" || host == "[::1]"
    }

    /// True when what is sent can be read on its way.
    pub fn is_open(&self) -> bool {
        self.0.starts_with("http://")
    }
}

impl std::fmt::Display for Url {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

fn host(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split('/').next().unwrap_or_default();
    match authority.strip_prefix('[').and_then(|inner| inner.find(']')) {
        Some(end) => &authority[..end + 2],
        None => authority.split(':').next().unwrap_or_default(),
    }
}

impl<'de> Deserialize<'de> for Url {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(source)?).map_err(serde::de::Error::custom)
    }
}

fn a_minute() -> NonZeroU32 {
    NonZeroU32::MIN.saturating_add(59)
}

impl Tier {
    /// How many tokens the model holds, where its server told `told`: never more than the configuration says.
    pub fn holds(&self, told: Option<u64>) -> u64 {
        match (self.context.map(NonZeroU64::get), told) {
            (Some(own), Some(told)) => own.min(told),
            (own, told) => own.or(told).unwrap_or(UNTOLD),
        }
    }

    /// Why this must not be used as it is.
    pub fn flaw(&self) -> Option<&'static str> {
        let told = self.credential.is_some() && self.url.is_open() && !self.url.is_here();
        told.then_some("a key is not sent over http to another machine: use https")
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn tier(extra: &str) -> Result<Tier, serde_json::Error> {
        serde_json::from_str(&format!(r#"{{"kind":"openai","model":"m",{extra}}}"#))
    }

    #[test]
    fn a_url_is_taken_with_and_without_its_version_and_holds_no_person() {
        for url in ["http://127.0.0.1:8080", "http://127.0.0.1:8080/v1/", "http://127.0.0.1:8080/"] {
            let tier = tier(&format!(r#""url":"{url}""#)).unwrap();
            assert_eq!(tier.url.door("chat/completions"), "http://127.0.0.1:8080/v1/chat/completions");
            assert!(tier.url.is_here());
        }
        assert!(!tier(r#""url":"https://127.example.org""#).unwrap().url.is_here());
        for wrong in ["ftp://x", "127.0.0.1:80", "http://", "http://me:secret@host", "http://h/?key=1"] {
            assert!(tier(&format!(r#""url":"{wrong}""#)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_key_does_not_travel_in_the_open() {
        let flaw = |url: &str| tier(&format!(r#""credential":"k","url":"{url}""#)).unwrap().flaw();
        assert!(flaw("http://models.example.org").is_some());
        assert!(flaw("https://models.example.org").is_none());
        assert!(flaw("http://localhost:1234").is_none());
    }

    #[test]
    fn a_cost_is_counted_in_millionths_and_rounded_up() {
        let price: Price = serde_json::from_str("0.15").unwrap();
        assert_eq!(price.of(1_000_000), 150_000);
        assert_eq!(price.of(1), 1);
        assert_eq!(price.of(0), 0);
        assert!(serde_json::from_str::<Price>("-1").is_err());
    }

    #[test]
    fn a_model_holds_what_its_server_tells_and_never_more_than_the_person_says() {
        let plain = tier(r#""url":"http://localhost""#).unwrap();
        assert_eq!((plain.holds(None), plain.holds(Some(32_768))), (8192, 32_768));
        let bounded = tier(r#""url":"http://localhost","context":4096"#).unwrap();
        assert_eq!((bounded.holds(None), bounded.holds(Some(32_768))), (4096, 4096));
        assert_eq!(bounded.holds(Some(2048)), 2048);
    }

    #[test]
    fn nothing_stands_in_for_an_unbound_role() {
        let tiers: Tiers =
            serde_json::from_str(r#"{"wise":{"kind":"openai","url":"http://localhost","model":"m"}}"#)
                .unwrap();
        assert_eq!(tiers.bound(), [Role::Wise]);
        assert!(tiers.of(Role::Frontier).is_none());
    }
}
