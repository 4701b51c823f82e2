//! The lists of signatures that say what may run, what asks, and what does not.

use super::signature::Signature;
use super::table::fits;
use serde::{Deserialize, Serialize};
use std::fmt;

const SHIPPED: &str = include_str!("../../data/signatures.toml");

/// Where a signature stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Never runs, whatever anybody's list says.
    Forbidden,
    /// Does not run unless the person edits the list.
    Deny,
    /// Runs after a yes.
    Grey,
    /// Runs.
    Allow,
    /// On no list: runs after a yes.
    Unknown,
}

impl Standing {
    /// The stricter of two standings. What is not known is stricter than what is known to ask.
    pub fn stricter(self, other: Self) -> Self {
        let rank = |standing| match standing {
            Self::Allow => 0,
            Self::Grey => 1,
            Self::Unknown => 2,
            Self::Deny => 3,
            Self::Forbidden => 4,
        };
        if rank(other) > rank(self) { other } else { self }
    }
}

/// A signature in which `*` stands for any text within a field.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern {
    fields: [String; 3],
}

impl Pattern {
    /// Whether a signature fits, field by field.
    pub fn matches(&self, signature: &Signature) -> bool {
        let fields = [&signature.binary, &signature.subcommand, &signature.target];
        self.fields.iter().zip(fields).all(|(pattern, field)| fits(pattern, field))
    }
}

impl TryFrom<String> for Pattern {
    type Error = ListsError;

    fn try_from(text: String) -> Result<Self, ListsError> {
        // A stray `?` or blank would match more, or less, than the person who wrote it thinks.
        let plain = |c: char| c.is_ascii_alphanumeric() || "._+/@-%*".contains(c);
        let fields: Vec<String> = text.split(':').map(str::to_owned).collect();
        match <[String; 3]>::try_from(fields) {
            Ok(fields) if !fields[0].is_empty() && fields.iter().all(|f| f.chars().all(plain)) => {
                Ok(Self { fields })
            }
            _ => Err(ListsError::Signature { text }),
        }
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.to_string()
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.fields.join(":"))
    }
}

/// Why a list cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ListsError {
    /// A signature that is none.
    #[error("{text:?} is no signature; it reads `binary:subcommand:target`, with `*` for anything")]
    Signature {
        /// What was written.
        text: String,
    },
    /// The file does not parse.
    #[error("the list of command signatures: {0}")]
    File(#[from] toml::de::Error),
}

/// What may run, what asks, what does not, and what never will.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Lists {
    /// Runs.
    pub allow: Vec<Pattern>,
    /// Runs after a yes.
    pub grey: Vec<Pattern>,
    /// Does not run.
    pub deny: Vec<Pattern>,
    /// Never runs.
    pub forbidden: Vec<Pattern>,
    /// The lists these were laid over.
    #[serde(skip)]
    under: Option<Box<Lists>>,
}

impl Lists {
    /// The lists Metnos comes with.
    pub fn shipped() -> Result<Self, ListsError> {
        Self::parse(SHIPPED)
    }

    /// Lists from the text of a file.
    pub fn parse(text: &str) -> Result<Self, ListsError> {
        Ok(toml::from_str(text)?)
    }

    /// These lists with the person's own over them: theirs decide, except what is forbidden.
    #[must_use]
    pub fn merge(self, user: Lists) -> Self {
        Self { under: Some(Box::new(self.merge_under(user.under))), ..user }
    }

    fn merge_under(self, between: Option<Box<Lists>>) -> Self {
        match between {
            Some(between) => self.merge(*between),
            None => self,
        }
    }

    /// Where a signature stands: forbidden before deny before grey before allow.
    pub fn classify(&self, signature: &Signature) -> Standing {
        if self.forbids(signature) {
            return Standing::Forbidden;
        }
        let on = |list: &[Pattern]| list.iter().any(|pattern| pattern.matches(signature));
        match () {
            () if on(&self.deny) => Standing::Deny,
            () if on(&self.grey) => Standing::Grey,
            () if on(&self.allow) => Standing::Allow,
            () => self.under.as_ref().map_or(Standing::Unknown, |under| under.classify(signature)),
        }
    }

    fn forbids(&self, signature: &Signature) -> bool {
        self.forbidden.iter().any(|pattern| pattern.matches(signature))
            || self.under.as_ref().is_some_and(|under| under.forbids(signature))
    }
}
