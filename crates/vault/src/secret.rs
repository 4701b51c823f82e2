//! A text that cannot be shown by accident.

use std::fmt;
use zeroize::Zeroizing;

/// A secret text: never printed, never serialised, never copied, wiped when dropped.
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes the text over, so that no other copy of it stays behind.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// The text itself. The only way to it.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("‹secret›")
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("‹secret›")
    }
}
