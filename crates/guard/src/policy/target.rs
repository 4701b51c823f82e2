//! What a capability is used on, and when one target lies within another.

use serde::Serialize;
use std::net::IpAddr;
use std::path::{Component, Path};

/// What a capability is used on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind", content = "value")]
pub enum Target<'a> {
    /// A canonical path.
    Path(&'a Path),
    /// A host name or address, without a port.
    Host(&'a str),
    /// A recipient, an account, a command: compared as it is.
    Exact(&'a str),
    /// Nothing in particular.
    None,
}

impl Target<'_> {
    /// Whether a grant for `granted` holds here. What is empty, relative or goes up holds nowhere.
    pub(super) fn is_within(self, granted: &str) -> bool {
        match self {
            Self::Path(path) => {
                let prefix = Path::new(granted);
                plain(prefix) && plain(path) && path.starts_with(prefix)
            }
            Self::Host(host) => match granted.strip_prefix("*.") {
                Some(domain) => covers_domain(domain) && is_below(host, domain),
                None => !granted.is_empty() && bare(host) == bare(granted),
            },
            Self::Exact(text) => !granted.is_empty() && text == granted,
            Self::None => false,
        }
    }

    /// Whether a rule about `forbidden` speaks of this. Where it cannot be told, it does.
    pub(super) fn is_hit_by(self, forbidden: &str) -> bool {
        match self {
            Self::Path(path) => {
                let prefix = Path::new(forbidden);
                !plain(path) || !plain(prefix) || path.starts_with(prefix)
            }
            Self::Host(host) => match forbidden.strip_prefix("*.") {
                Some(domain) => bare(host) == bare(domain) || is_below(host, domain),
                None => bare(host) == bare(forbidden),
            },
            Self::Exact(text) => text == forbidden,
            Self::None => true,
        }
    }

    /// Whether what a rule forbids lies below this, so that acting here can reach it.
    pub(super) fn is_above(self, forbidden: &str) -> bool {
        match self {
            Self::Path(path) => Path::new(forbidden).starts_with(path),
            _ => false,
        }
    }
}

/// Absolute and without steps up, so that a prefix says what it seems to say.
fn plain(path: &Path) -> bool {
    path.is_absolute() && !path.components().any(|c| c == Component::ParentDir)
}

/// A host as it is compared: case and the final dot mean nothing.
fn bare(host: &str) -> String {
    host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase()
}

/// A whole domain has at least two labels: nobody means every site of a country.
fn covers_domain(domain: &str) -> bool {
    let domain = bare(domain);
    domain.contains('.') && domain.split('.').all(|label| !label.is_empty() && label != "*")
}

fn is_below(host: &str, domain: &str) -> bool {
    let (host, domain) = (bare(host), bare(domain));
    // An address has no domain, though its text ends like one.
    if host.parse::<IpAddr>().is_ok() || domain.is_empty() {
        return false;
    }
    host.strip_suffix(&domain)
        .and_then(|rest| rest.strip_suffix('.'))
        .is_some_and(|labels| labels.split('.').all(|label| !label.is_empty()))
}
