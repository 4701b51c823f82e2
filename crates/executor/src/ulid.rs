//! Ids that sort by time: 48 bits of milliseconds and 80 random bits in 26 letters (Crockford's base 32).

use std::fmt;
use std::str::FromStr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

const LETTERS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const LENGTH: usize = 26;
const RANDOM_BITS: u32 = 80;
const RANDOM: u128 = (1 << RANDOM_BITS) - 1;

/// An id of a call, a turn, a question. Unique, not secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ulid(u128);

/// A text that is no id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an id has 26 letters and digits")]
pub struct NotUlid;

impl Ulid {
    /// A new one, of this moment.
    #[expect(clippy::new_without_default, reason = "two new ids differ, a default does not")]
    pub fn new() -> Self {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self::from_parts(u64::try_from(since.as_millis()).unwrap_or(u64::MAX), random())
    }

    /// One of a moment; only the lowest 80 bits of `random` count.
    pub const fn from_parts(timestamp_ms: u64, random: u128) -> Self {
        Self((timestamp_ms as u128) << RANDOM_BITS | (random & RANDOM))
    }

    /// The id a text spells, in capitals or not.
    pub fn from_string(text: &str) -> Result<Self, NotUlid> {
        text.parse()
    }

    /// Milliseconds since 1970.
    pub const fn timestamp_ms(self) -> u64 {
        (self.0 >> RANDOM_BITS) as u64
    }

    /// The random part.
    pub const fn random(self) -> u128 {
        self.0 & RANDOM
    }
}

impl FromStr for Ulid {
    type Err = NotUlid;

    fn from_str(text: &str) -> Result<Self, NotUlid> {
        // 26 letters have 130 bits: the first may be at most 7.
        if text.len() != LENGTH || text.as_bytes().first().is_none_or(|first| *first > b'7') {
            return Err(NotUlid);
        }
        let mut value = 0_u128;
        for letter in text.bytes().map(|letter| letter.to_ascii_uppercase()) {
            let digit = LETTERS.iter().position(|known| *known == letter).ok_or(NotUlid)?;
            value = value << 5 | digit as u128;
        }
        Ok(Self(value))
    }
}

impl fmt::Display for Ulid {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for place in (0..LENGTH).rev() {
            let digit = (self.0 >> (5 * place)) as usize & 31;
            fmt::Write::write_char(out, char::from(LETTERS[digit]))?;
        }
        Ok(())
    }
}

/// Eighty random bits and more. A kernel that gives none leaves a count of this process, which is
/// enough to tell two ids apart.
fn random() -> u128 {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let mut bytes = [0; 16];
    match getrandom::fill(&mut bytes) {
        Ok(()) => u128::from_le_bytes(bytes),
        Err(_) => u128::from(std::process::id()) << 48 | u128::from(COUNT.fetch_add(1, Ordering::Relaxed)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn an_id_is_read_as_it_is_written() {
        // The example of the specification, and the ends of the range.
        let known = Ulid::from_string("01ARYZ6S41TSV4RRFFQ69G5FAV").unwrap();
        assert_eq!(known.timestamp_ms(), 1_469_918_176_385);
        assert_eq!(known.to_string(), "01ARYZ6S41TSV4RRFFQ69G5FAV");
        assert_eq!(Ulid::from_string("01aryz6s41tsv4rrffq69g5fav"), Ok(known));
        assert_eq!(Ulid::from_parts(0, 0).to_string(), "0".repeat(26));
        assert_eq!(Ulid::from_parts((1 << 48) - 1, u128::MAX).to_string(), "7ZZZZZZZZZZZZZZZZZZZZZZZZZ");
        let fresh = Ulid::new();
        assert_eq!(Ulid::from_string(&fresh.to_string()), Ok(fresh));
        assert_eq!(Ulid::from_parts(fresh.timestamp_ms(), fresh.random()), fresh);
    }

    #[test]
    fn what_is_no_id_is_refused() {
        let long = "0".repeat(1 << 20);
        let cases = [
            "",
            "01ARYZ6S41TSV4RRFFQ69G5FA",
            "8ZZZZZZZZZZZZZZZZZZZZZZZZZ",
            "01ARYZ6S41TSV4RRFFQ69G5FAU",
            "01ARYZ6S41TSV4RRFFQ69G5F/V",
            "é1ARYZ6S41TSV4RRFFQ69G5FV",
            &long,
        ];
        for text in cases {
            assert_eq!(Ulid::from_string(text), Err(NotUlid), "{}", text.len());
        }
    }

    #[test]
    fn ids_sort_by_time_and_never_meet() {
        assert!(Ulid::from_parts(1, u128::MAX) < Ulid::from_parts(2, 0));
        let many: std::collections::BTreeSet<Ulid> = (0..10_000).map(|_| Ulid::new()).collect();
        assert_eq!(many.len(), 10_000);
    }
}
