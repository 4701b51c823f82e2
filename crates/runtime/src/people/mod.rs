//! Who may talk to Metnos: the host, members and guests, the senders they are on each channel, the
//! tokens and codes that let them in.
//!
//! Every record is a decision signed by the instance. One that does not verify gives nothing: its person
//! is nobody, its sender a stranger, its token no key. Each look-up verifies one row. Every change has its
//! audit line first.

mod admin_key;
mod codes;
mod live;
mod persons;
mod room;
mod senders;
mod slug;
mod standing;
mod tokens;
mod words;

#[cfg(test)]
mod tests;

pub use live::Live;
pub(crate) use standing::Standing;

use serde::{Deserialize, Serialize};
use std::fmt::{Display, Formatter, Result as Written};

/// The id of the host: the administrator of this machine.
pub const HOST: &str = "host";
/// Ids that are nobody's name: the instance itself uses them.
pub(crate) const RESERVED: [&str; 4] = [HOST, "metnos", "none", "birth"];

/// Under this mark it is remembered that a person was erased. Their id cannot be read from it.
pub(crate) fn gone_mark(id: &str) -> String {
    let digest = blake3::derive_key("metnos erased person 1", id.as_bytes());
    blake3::Hash::from_bytes(digest).to_hex().to_string()
}

/// What somebody is in this house.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// The administrator; there is one.
    Host,
    /// Belongs to the house.
    Member,
    /// Visits: looks, and the host answers for them.
    Guest,
}

/// A word that names no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a role: expected host, member or guest")]
pub struct NotARole(pub String);

impl Role {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Member => "member",
            Self::Guest => "guest",
        }
    }
}

impl Display for Role {
    fn fmt(&self, f: &mut Formatter<'_>) -> Written {
        f.pad(self.as_str())
    }
}

impl std::str::FromStr for Role {
    type Err = NotARole;

    fn from_str(text: &str) -> Result<Self, NotARole> {
        let word = text.trim().to_ascii_lowercase();
        [Self::Host, Self::Member, Self::Guest]
            .into_iter()
            .find(|role| role.as_str() == word)
            .ok_or_else(|| NotARole(text.to_owned()))
    }
}

/// Somebody.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// A short word, never given twice: it names their folder, their turns and their undo.
    pub id: String,
    /// How they are called.
    pub name: String,
    /// What they are here.
    pub role: Role,
    /// Their language, if they said so.
    pub language: Option<String>,
    /// Their time zone, if they said so.
    pub zone: Option<String>,
    /// Since when, in text.
    pub made_at: String,
    /// From when they are nobody here.
    pub revoked_at: Option<String>,
}

/// What changes about somebody; `None` stays as it is.
#[derive(Clone, Debug, Default)]
pub struct PersonChange {
    /// The name.
    pub name: Option<String>,
    /// The language; `Some(None)` forgets it.
    pub language: Option<Option<String>>,
    /// The zone; `Some(None)` forgets it.
    pub zone: Option<Option<String>>,
}

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenKind {
    /// Exchanged once for a session, within 10 minutes.
    Login,
    /// A browser, for 7 days.
    Session,
    /// A device, until revoked, and for a year.
    Device,
}

impl TokenKind {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Login => "login",
            Self::Session => "session",
            Self::Device => "device",
        }
    }
}

/// Who a secret speaks for.
#[derive(Clone, Debug)]
pub struct Bearer {
    /// The id of the token, which is not the secret.
    pub id: String,
    /// The person.
    pub person: Person,
    /// What it is for.
    pub kind: TokenKind,
    /// What it was called.
    pub label: String,
    /// From when it is void.
    pub expires_at: String,
}

/// A token as it is listed.
#[derive(Clone, Debug, Serialize)]
pub struct TokenListed {
    /// Its id: the digest of a secret that is kept nowhere.
    pub id: String,
    /// Whose.
    pub person: String,
    /// What it is for.
    pub kind: TokenKind,
    /// What it was called.
    pub label: String,
    /// Since when.
    pub made_at: String,
    /// From when it is void.
    pub expires_at: String,
    /// From when it was taken back or used up.
    pub revoked_at: Option<String>,
}

/// What a stranger is told.
#[derive(Clone, Debug)]
pub struct Knock {
    /// To be read to the host.
    pub code: String,
    /// From when it is void.
    pub expires_at: String,
}

/// One sender of a channel and who they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paired {
    /// The channel.
    pub channel: String,
    /// The sender, as the channel calls them.
    pub sender: String,
    /// The person.
    pub person: String,
    /// Since when.
    pub at: String,
    /// From when they are a stranger again.
    pub revoked_at: Option<String>,
}
