//! The sections about doors and people: where the daemon listens, Telegram, the person, the log.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::net::{IpAddr, SocketAddr};
use std::num::NonZeroU32;

/// Where the daemon listens, and for whom.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Serve {
    /// Address and port.
    pub listen: SocketAddr,
    /// Whether it speaks TLS itself.
    pub tls: Tls,
    /// Whether a proxy in front of it speaks TLS.
    pub behind_proxy: bool,
    /// Host names it answers to, besides localhost and its address.
    pub names: Vec<HostName>,
    /// How it is reached from outside, for links.
    pub public_url: Option<WebUrl>,
}

impl Default for Serve {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8770)),
            tls: Tls::Off,
            behind_proxy: false,
            names: Vec::new(),
            public_url: None,
        }
    }
}

impl Serve {
    /// Why this must not be used as it is.
    pub fn flaw(&self) -> Option<String> {
        let open = !self.listen.ip().is_loopback() && self.tls == Tls::Off && !self.behind_proxy;
        open.then(|| {
            format!(
                "{} can be reached by other machines, and what they send could be read on its way: \
                 tls = \"own\" or behind_proxy = true is needed beside it",
                self.listen
            )
        })
    }
}

/// Whether the daemon speaks TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Tls {
    /// No.
    Off,
    /// With a certificate of its own.
    Own,
}

/// The name of a host, without a port.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostName(pub String);

impl<'de> Deserialize<'de> for HostName {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let text = String::deserialize(source)?;
        host_name(&text).map(|()| Self(text)).map_err(D::Error::custom)
    }
}

/// Why a text is not the name of a host.
pub(super) fn host_name(text: &str) -> Result<(), String> {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    match text.len() <= 253 && text.split('.').all(label) {
        true => Ok(()),
        false => Err(format!("{text:?} is not the name of a host, as in \"butler.example.org\"")),
    }
}

/// An address of the web, without a name or password in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebUrl(pub String);

impl<'de> Deserialize<'de> for WebUrl {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let text = String::deserialize(source)?;
        web_url(&text).map_err(D::Error::custom)?;
        Ok(Self(text.trim_end_matches('/').to_owned()))
    }
}

impl WebUrl {
    /// Whether it is this machine.
    fn is_here(&self) -> bool {
        let rest = self.0.split_once("://").map_or("", |(_, rest)| rest);
        let host = rest.split('/').next().unwrap_or_default();
        let port = |(_, port): &(&str, &str)| port.bytes().all(|b| b.is_ascii_digit());
        let host = host.rsplit_once(':').filter(port).map_or(host, |(host, _)| host);
        let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        host == "localhost" || address.is_ok_and(|address| address.is_loopback())
    }
}

/// Why a text is not such an address.
pub(super) fn web_url(text: &str) -> Result<(), String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let Some(rest) = rest else {
        return Err("a url begins with http:// or https://, as in \"https://butler.example.org\"".into());
    };
    if rest.contains('@') {
        return Err("a url holds no name and no password".into());
    }
    if rest.contains(['?', '#', ' ', '"']) || rest.split('/').next().unwrap_or_default().is_empty() {
        return Err("a url names a host and ends with its path, as in \"https://butler.example.org\"".into());
    }
    Ok(())
}

/// The Telegram door.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Telegram {
    /// Whether it is open.
    pub enabled: bool,
    /// The name of the bot's token in the vault. Never the token itself.
    pub credential: String,
    /// Where the Bot API is.
    pub api: WebUrl,
    /// How long one poll waits for something new.
    pub poll_seconds: NonZeroU32,
}

impl Default for Telegram {
    fn default() -> Self {
        Self {
            enabled: false,
            credential: "telegram".into(),
            api: WebUrl("https://api.telegram.org".into()),
            poll_seconds: NonZeroU32::MIN.saturating_add(49),
        }
    }
}

impl Telegram {
    /// Why this must not be used as it is: the token is part of every address.
    pub fn flaw(&self) -> Option<String> {
        let open = self.api.0.starts_with("http://") && !self.api.is_here();
        open.then(|| {
            "would send the token of the bot in clear text: https is needed, as in \"https://api.telegram.org\""
                .into()
        })
    }
}

/// The host of this house.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Person {
    /// Their language, where a request does not show it.
    pub language: Language,
    /// Their time zone; the machine's when absent.
    pub zone: Option<Zone>,
}

/// A language Metnos speaks, by its code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Language(String);

impl Default for Language {
    fn default() -> Self {
        Self(metnos_tongue::FALLBACK.to_owned())
    }
}

impl Language {
    /// The one that is written so, where there is one.
    pub fn known(code: &str) -> Option<Self> {
        language(code).is_ok().then(|| Self(code.to_owned()))
    }

    /// As it is written.
    pub fn word(&self) -> &str {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Language {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let text = String::deserialize(source)?;
        language(&text).map(|()| Self(text)).map_err(D::Error::custom)
    }
}

/// Why a text is no language; names the nearest. A folder that is broken is one all the same: it speaks English.
pub(super) fn language(text: &str) -> Result<(), String> {
    let codes = metnos_tongue::codes();
    let named = |path: &std::path::Path| path.iter().any(|part| part == text);
    if codes.contains(&text) || metnos_tongue::broken().iter().any(|folder| named(folder.path())) {
        return Ok(());
    }
    let near = metnos_tongue::called(text).map(|tongue| tongue.code);
    let near = near.or_else(|| metnos_vocab::nearest(text, codes.iter().copied()));
    let near = near.map(|near| format!("; is \"{near}\" meant?")).unwrap_or_default();
    Err(format!("takes one of {}{near}", codes.join(", ")))
}

/// The name of a time zone that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Zone(pub String);

impl<'de> Deserialize<'de> for Zone {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        let text = String::deserialize(source)?;
        zone(&text).map(|()| Self(text)).map_err(D::Error::custom)
    }
}

/// Why a text is not the name of a time zone; names the nearest.
pub(super) fn zone(text: &str) -> Result<(), String> {
    if jiff::tz::TimeZone::get(text).is_ok() {
        return Ok(());
    }
    let known: Vec<String> = jiff::tz::db().available().map(|name| name.to_string()).collect();
    let near = metnos_vocab::nearest(text, known.iter().map(String::as_str));
    Err(match near {
        Some(near) => format!("no time zone is called {text:?}; is {near} meant?"),
        None => format!("no time zone is called {text:?}; for example Europe/Rome"),
    })
}

/// What is kept of the daemon's log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Logs {
    /// What is older is let go.
    pub keep_days: NonZeroU32,
    /// In millions of bytes: while more is kept, the oldest is let go.
    pub budget_mb: u64,
}

impl Logs {
    /// The budget in bytes.
    pub fn budget(&self) -> u64 {
        self.budget_mb.saturating_mul(1_000_000)
    }
}

impl Default for Logs {
    fn default() -> Self {
        Self { keep_days: NonZeroU32::MIN.saturating_add(13), budget_mb: 50 }
    }
}
