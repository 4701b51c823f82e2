//! The names of credentials and of their fields.

use crate::VaultError;
use std::borrow::Borrow;
use std::fmt;

/// The longest name.
pub const NAME_MAX: usize = 64;

/// The name of a credential or of one of its fields: 1 to 64 of `a-z 0-9 _ -`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Name(String);

impl Name {
    /// The name, if it is one.
    pub fn parse(text: &str) -> Result<Self, VaultError> {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_' || b == b'-';
        match (1..=NAME_MAX).contains(&text.len()) && text.bytes().all(plain) {
            true => Ok(Self(text.to_owned())),
            false => Err(VaultError::BadName),
        }
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl Borrow<str> for Name {
    fn borrow(&self) -> &str {
        &self.0
    }
}
