//! Where a value came from. Guards read it; every seed keeps it.

use serde::{Deserialize, Serialize};

/// The taint of an entry, from most to least trusted. `Ord` follows trust, so the origin of
/// something derived from several entries is their `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// Typed by the person.
    User,
    /// Names, sizes and dates seen on this machine.
    Local,
    /// The content of a file.
    Content,
    /// Returned by an imported skill.
    Skill,
    /// The content of a mail.
    Mail,
    /// The content of a page.
    Web,
}

impl Origin {
    /// The name used in `_origin`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Local => "local",
            Self::Content => "content",
            Self::Skill => "skill",
            Self::Mail => "mail",
            Self::Web => "web",
        }
    }

    /// The origin of something made from both.
    pub fn join(self, other: Self) -> Self {
        self.max(other)
    }

    /// The origin an entry declares. An entry without one was written by the caller; a word
    /// outside the list is treated as the least trusted origin.
    pub fn of(entry: &serde_json::Value) -> Self {
        match entry.get("_origin") {
            None => Self::User,
            Some(value) => Self::deserialize(value).unwrap_or(Self::Web),
        }
    }
}
