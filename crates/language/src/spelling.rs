//! Words that one typing error away. The words of a language are one automaton; a misspelled word is looked up by
//! walking it with another that accepts everything near.

use fst::{IntoStreamer, Set, Streamer};
use levenshtein_automata::{DFA, Distance, LevenshteinAutomatonBuilder};
use std::sync::LazyLock;

/// Shorter words are too near to each other to be corrected.
const SHORTEST: usize = 4;
/// From this length on two errors are allowed.
const LONG: usize = 9;
/// More candidates than this are no help.
const MOST: usize = 12;

/// The most that one error costs.
pub const ONE_ERROR: u8 = ERROR + FIRST;

/// What an error costs where it is the likelier kind, and elsewhere.
const LIKELY: u8 = 3;
const ERROR: u8 = 4;
/// What a wrong first letter costs more.
const FIRST: u8 = 1;

static ONE: LazyLock<LevenshteinAutomatonBuilder> =
    LazyLock::new(|| LevenshteinAutomatonBuilder::new(1, true));
static TWO: LazyLock<LevenshteinAutomatonBuilder> =
    LazyLock::new(|| LevenshteinAutomatonBuilder::new(2, true));

/// The words of one language, to be searched by nearness.
#[derive(Clone)]
pub struct Speller(Set<Vec<u8>>);

impl std::fmt::Debug for Speller {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} words", self.0.len())
    }
}

impl Speller {
    /// A speller of these words.
    pub fn new(words: impl Iterator<Item = String>) -> Result<Self, fst::Error> {
        let mut words: Vec<String> = words.filter(|word| word.chars().count() >= SHORTEST).collect();
        words.sort_unstable();
        words.dedup();
        Set::from_iter(words).map(Self)
    }

    /// Whether this is one of the words.
    pub fn knows(&self, word: &str) -> bool {
        self.0.contains(word)
    }

    /// The nearest first, each with its cost.
    pub fn near(&self, word: &str) -> Vec<(String, u8)> {
        let letters = word.chars().count();
        if letters < SHORTEST || !word.chars().all(char::is_alphabetic) {
            return Vec::new();
        }
        let found = self.within(word, &ONE.build_dfa(word));
        let found =
            if found.is_empty() && letters >= LONG { self.within(word, &TWO.build_dfa(word)) } else { found };
        let mut found: Vec<(String, u8)> = found
            .into_iter()
            .map(|(near, errors)| {
                let cost = cost(word, &near, errors);
                (near, cost)
            })
            .collect();
        found.sort_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
        found.truncate(MOST);
        found
    }

    fn within(&self, word: &str, dfa: &DFA) -> Vec<(String, u8)> {
        let mut found = Vec::new();
        let mut stream = self.0.search(Near(dfa)).into_stream();
        while let Some(near) = stream.next() {
            if let (Ok(near), Distance::Exact(errors @ 1..)) = (std::str::from_utf8(near), dfa.eval(near))
                && near != word
            {
                found.push((near.to_owned(), errors));
            }
        }
        found
    }
}

/// The automaton of one library as the other wants it.
struct Near<'d>(&'d DFA);

impl fst::Automaton for Near<'_> {
    type State = u32;

    fn start(&self) -> u32 {
        self.0.initial_state()
    }

    fn is_match(&self, state: &u32) -> bool {
        matches!(self.0.distance(*state), Distance::Exact(_))
    }

    fn can_match(&self, state: &u32) -> bool {
        *state != levenshtein_automata::SINK_STATE
    }

    fn accept(&self, state: &u32, byte: u8) -> u32 {
        self.0.transition(*state, byte)
    }
}

/// What it costs to take `word` for `meant`.
fn cost(word: &str, meant: &str, errors: u8) -> u8 {
    let (a, b): (Vec<char>, Vec<char>) = (word.chars().collect(), meant.chars().collect());
    let same = a.iter().zip(&b).take_while(|(x, y)| x == y).count();
    let likely = match a.len().cmp(&b.len()) {
        // A letter too many, or too few: likeliest where it is doubled.
        std::cmp::Ordering::Greater => same > 0 && a.get(same) == a.get(same - 1),
        std::cmp::Ordering::Less => true,
        // Two letters swapped, or a neighbour on the keyboard.
        std::cmp::Ordering::Equal => {
            a.get(same + 1) == b.get(same)
                || matches!((a.get(same), b.get(same)), (Some(x), Some(y)) if beside(*x, *y))
        }
    };
    let each = if likely { LIKELY } else { ERROR };
    let first = if same == 0 { FIRST } else { 0 };
    each * errors + first
}

/// Whether two letters lie beside each other on a keyboard.
fn beside(a: char, b: char) -> bool {
    const ROWS: [&str; 3] = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
    let place =
        |c: char| ROWS.iter().enumerate().find_map(|(row, keys)| Some((row as i32, keys.find(c)? as i32)));
    matches!((place(a), place(b)), (Some((ra, ca)), Some((rb, cb)))
        if (ra - rb).abs() <= 1 && (ca - cb).abs() <= 1)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn near(word: &str) -> Vec<String> {
        let words =
            ["downloads", "documents", "photos", "delete", "videos", "folder", "cancella", "scaricati"];
        let speller = Speller::new(words.into_iter().map(str::to_owned)).unwrap();
        speller.near(word).into_iter().map(|(word, _)| word).collect()
    }

    #[test]
    fn one_error_of_any_kind_is_found() {
        for (wrong, right) in [
            ("downlods", "downloads"),
            ("docuemnts", "documents"),
            ("photps", "photos"),
            ("deelete", "delete"),
            ("vdieos", "videos"),
            ("cancela", "cancella"),
            ("scaricatti", "scaricati"),
        ] {
            assert_eq!(near(wrong), [right], "{wrong}");
        }
    }

    #[test]
    fn short_words_and_far_ones_are_left_alone() {
        for word in ["phot", "del", "fold", "xyz", "something", "12345678"] {
            assert!(near(word).is_empty(), "{word}: {:?}", near(word));
        }
    }

    #[test]
    fn two_errors_only_in_long_words() {
        assert_eq!(near("donwlaods"), ["downloads"]);
        assert!(near("vdioes").is_empty());
    }
}
