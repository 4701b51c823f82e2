//! The pieces that amounts are made of. A token is one piece, or several where numbers, signs and units are written
//! together: "2-hour", "twenty-five", "12x450", "duecento".

use super::{Mention, Reading, What};
use crate::lexicon::{Form, Meaning, fold};
use crate::sense::{Cue, Operator, Relation, Sense, TimeUnit};
use crate::token::{Lit, Token};

/// The longest word that is looked at for numbers inside it.
const LONGEST: usize = 40;
/// Signs that may stand beside digits.
const SIGNS: &str = "+-−–*/×÷^()=<>≥≤≈€$£%#√~²³";

/// What a piece is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    /// A whole token: its senses are those of the lattice.
    Token,
    /// Digits.
    Number(f64),
    /// A sign.
    Sign(char),
    /// A part of a token, with what it means.
    Part(Vec<Meaning>),
    /// Hours and minutes.
    Clock(i8, i8),
    /// Nothing is read inside it.
    Closed,
}

/// A piece with its token.
#[derive(Clone, Debug)]
pub(super) struct Atom {
    pub(super) token: usize,
    pub(super) piece: Piece,
}

/// A request as pieces.
pub(super) struct Atoms<'r> {
    pub(super) reading: Reading<'r>,
    all: Vec<Atom>,
    /// The first piece of each token, and the end.
    starts: Vec<usize>,
}

/// A sense that was looked for: what it gives, the piece after it, and its cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found<T> {
    pub(super) is: T,
    pub(super) end: usize,
    pub(super) cost: u8,
}

impl<'r> Atoms<'r> {
    pub(super) fn new(reading: Reading<'r>) -> Self {
        let mut all = Vec::new();
        let mut starts = Vec::with_capacity(reading.lattice.tokens.len() + 1);
        for (at, token) in reading.lattice.tokens.iter().enumerate() {
            starts.push(all.len());
            all.extend(pieces(reading, at, token).into_iter().map(|piece| Atom { token: at, piece }));
        }
        starts.push(all.len());
        Self { reading, all, starts }
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn piece(&self, at: usize) -> &Piece {
        self.all.get(at).map_or(&Piece::Closed, |atom| &atom.piece)
    }

    pub(super) fn sign(&self, at: usize) -> Option<char> {
        match self.piece(at) {
            Piece::Sign(sign) => Some(*sign),
            _ => None,
        }
    }

    /// The first reading at a piece that `wanted` takes, the longest first.
    pub(super) fn find<T>(&self, at: usize, wanted: impl Fn(Sense) -> Option<T>) -> Option<Found<T>> {
        let atom = self.all.get(at)?;
        match &atom.piece {
            Piece::Token => self.reading.lattice.at(atom.token).iter().find_map(|edge| {
                let end = *self.starts.get(edge.end)?;
                Some(Found { is: wanted(edge.sense)?, end, cost: edge.cost })
            }),
            Piece::Part(meanings) => meanings
                .iter()
                .find_map(|meaning| Some(Found { is: wanted(meaning.sense)?, end: at + 1, cost: 0 })),
            _ => None,
        }
    }

    /// Every reading at a piece: sense, end, cost.
    pub(super) fn each(&self, at: usize, mut take: impl FnMut(Sense, usize, u8)) {
        let Some(atom) = self.all.get(at) else { return };
        match &atom.piece {
            Piece::Token => {
                for edge in self.reading.lattice.at(atom.token) {
                    take(edge.sense, self.starts.get(edge.end).copied().unwrap_or(at + 1), edge.cost);
                }
            }
            Piece::Part(meanings) => meanings.iter().for_each(|meaning| take(meaning.sense, at + 1, 0)),
            _ => {}
        }
    }

    /// The end of the reading at a piece that is `wanted`.
    pub(super) fn is(&self, at: usize, wanted: impl Fn(Sense) -> bool) -> Option<usize> {
        self.find(at, |sense| wanted(sense).then_some(())).map(|found| found.end)
    }

    pub(super) fn relation(&self, at: usize, wanted: &[Relation]) -> Option<usize> {
        self.is(at, |sense| matches!(sense, Sense::Relation(relation) if wanted.contains(&relation)))
    }

    pub(super) fn operator(&self, at: usize, wanted: Operator) -> Option<usize> {
        self.is(at, |sense| sense == Sense::Operator(wanted))
    }

    /// After the words at `at` that say nothing. A unit is none of them, whatever else it means.
    pub(super) fn after_idle(&self, mut at: usize) -> usize {
        while self.time_unit(at).is_none()
            && let Some(end) = self.is(at, |sense| sense == Sense::Idle)
        {
            at = end;
        }
        at
    }

    /// Where a reading that is `wanted` begins, if it ends right before `at`.
    pub(super) fn back(&self, at: usize, wanted: impl Fn(Sense) -> bool) -> Option<usize> {
        let end = self.all.get(at).map_or(self.reading.lattice.tokens.len(), |atom| atom.token);
        let from = (0..end).rev().take(3).find(|from| {
            self.reading.lattice.at(*from).iter().any(|edge| edge.end == end && wanted(edge.sense))
        })?;
        self.starts.get(from).copied()
    }

    /// Whether two pieces are written together.
    pub(super) fn same_token(&self, a: usize, b: usize) -> bool {
        matches!((self.all.get(a), self.all.get(b)), (Some(a), Some(b)) if a.token == b.token)
    }

    /// Whether nothing stands between a piece and the next.
    pub(super) fn touches(&self, at: usize) -> bool {
        let token = |at: usize| self.reading.lattice.tokens.get(self.all.get(at)?.token);
        matches!((token(at), token(at + 1)), (Some(a), Some(b)) if a.start == b.start || a.end == b.start)
    }

    /// Whether the piece is known to mean nothing here: a plain word without a sense.
    pub(super) fn is_unknown(&self, at: usize) -> bool {
        let Some(atom) = self.all.get(at) else { return false };
        let word = matches!(self.reading.lattice.tokens.get(atom.token), Some(Token { lit: Lit::Word, .. }));
        atom.piece == Piece::Token && word && self.reading.lattice.at(atom.token).iter().all(|e| e.cost > 0)
    }

    /// Adds what is said from one piece to another, if these are whole tokens.
    pub(super) fn say(&self, from: usize, to: usize, what: What, cost: u8, all: &mut Vec<Mention>) {
        let Some((first, last)) = self.all.get(from).zip(to.checked_sub(1).and_then(|i| self.all.get(i)))
        else {
            return;
        };
        let end = last.token + 1;
        if self.starts.get(first.token) == Some(&from) && self.starts.get(end) == Some(&to) {
            all.push(Mention { cost, ..Mention::new(first.token, end, what) });
        }
    }
}

fn pieces(reading: Reading<'_>, at: usize, token: &Token) -> Vec<Piece> {
    let part = |sense: Sense| Piece::Part(vec![Meaning { sense, form: Form::Plain }]);
    match &token.lit {
        Lit::Number(value) => {
            vec![Piece::Number(digits(&token.text, reading.lexicon.grammar.decimal_comma).unwrap_or(*value))]
        }
        Lit::Symbol(sign) => vec![Piece::Sign(*sign)],
        Lit::Clock(hours, minutes) if !token.text.contains(':') => vec![
            Piece::Number(f64::from(*hours)),
            part(Sense::TimeUnit(TimeUnit::Hour)),
            Piece::Number(f64::from(*minutes)),
            part(Sense::TimeUnit(TimeUnit::Minute)),
        ],
        Lit::Clock(hours, minutes) => vec![Piece::Clock(*hours, *minutes)],
        Lit::Word if alone(&token.text).is_some() => {
            alone(&token.text).into_iter().map(Piece::Sign).collect()
        }
        Lit::Word => {
            let known = reading.lattice.at(at).iter().any(|edge| edge.end == at + 1 && edge.cost == 0);
            let split = || mixed(reading, &token.text).or_else(|| glued(reading, &fold(&token.norm)));
            (!known).then(split).flatten().unwrap_or_else(|| vec![Piece::Token])
        }
        // "12 /4"
        Lit::Path(text) => {
            let value = text.strip_prefix('/').and_then(|rest| rest.parse().ok());
            value.map_or(vec![Piece::Closed], |value| vec![Piece::Sign('/'), Piece::Number(value)])
        }
        Lit::Slashed(text) => {
            let whole = amounts(reading, &fold(text));
            let split = || mixed(reading, text).unwrap_or_else(|| vec![Piece::Closed]);
            if whole.is_empty() { split() } else { vec![Piece::Part(whole)] }
        }
        _ => vec![Piece::Closed],
    }
}

/// A word that is a single sign.
fn alone(text: &str) -> Option<char> {
    let mut chars = text.chars();
    chars.next().filter(|c| SIGNS.contains(*c) && chars.next().is_none())
}

/// What a word means as a part of an amount.
fn amounts(reading: Reading<'_>, word: &str) -> Vec<Meaning> {
    let counts = |meaning: &&Meaning| {
        matches!(
            meaning.sense,
            Sense::Number(_)
                | Sense::Scale(_)
                | Sense::Half
                | Sense::Ordinal(_)
                | Sense::Bytes(_)
                | Sense::TimeUnit(_)
                | Sense::Measure(_)
                | Sense::Math(_)
                | Sense::Hour(_)
                | Sense::Cue(Cue::Index | Cue::Count)
        )
    };
    reading.lexicon.meanings(word).iter().filter(counts).copied().collect()
}

/// "12-5", "2x3", "€340", "2-hour", "twenty-five": all parts must be known.
fn mixed(reading: Reading<'_>, text: &str) -> Option<Vec<Piece>> {
    if text.len() > LONGEST || !text.contains(|c: char| c.is_ascii_digit() || c == '-') {
        return None;
    }
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let end = if c.is_ascii_digit() {
            digits_end(rest)
        } else if c.is_alphabetic() || c == '°' {
            rest.find(|c: char| !c.is_alphabetic() && c != '°').unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        let (part, after) = rest.split_at(end);
        out.push(if c.is_ascii_digit() {
            Piece::Number(digits(part, reading.lexicon.grammar.decimal_comma)?)
        } else if c.is_alphabetic() || c == '°' {
            Some(amounts(reading, &fold(part))).filter(|known| !known.is_empty()).map(Piece::Part)?
        } else {
            SIGNS.contains(c).then_some(Piece::Sign(c))?
        });
        rest = after;
    }
    // A name such as s3 or k2 is none; a word that says "number" may come first.
    let index = |piece: &Piece| matches!(piece, Piece::Part(known) if known.iter().any(|m| matches!(m.sense, Sense::Cue(_))));
    let digits = text.contains(|c: char| c.is_ascii_digit());
    if digits && !text.starts_with(|c: char| !c.is_alphabetic()) && !out.first().is_some_and(index) {
        return None;
    }
    // A hyphen joins words: "two-hour"; between numbers it is a sign.
    let joins = |i: usize| {
        let number =
            |i: Option<usize>| i.and_then(|i| out.get(i)).is_some_and(|p| matches!(p, Piece::Number(_)));
        out[i] == Piece::Sign('-') && i > 0 && !(number(i.checked_sub(1)) && number(Some(i + 1)))
    };
    let kept: Vec<Piece> = (0..out.len()).filter(|i| !joins(*i)).map(|i| out[i].clone()).collect();
    (digits || kept.len() > 1).then_some(kept)
}

/// Words written together: "duecento", "mezzora". Each is known; one may lose its last letter before the next.
fn glued(reading: Reading<'_>, word: &str) -> Option<Vec<Piece>> {
    if word.len() > LONGEST || word.chars().count() < 5 || !word.bytes().all(|b| b.is_ascii_lowercase()) {
        return None;
    }
    let mut out = Vec::new();
    split(reading, word, &mut out, 0).then_some(out).filter(|out| out.len() > 1)
}

fn split(reading: Reading<'_>, rest: &str, out: &mut Vec<Piece>, depth: usize) -> bool {
    const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
    if rest.is_empty() {
        return true;
    }
    if depth > 7 {
        return false;
    }
    let known = |word: &str| {
        let mut all = amounts(reading, word);
        all.retain(|meaning| {
            matches!(meaning.sense, Sense::Number(_) | Sense::Scale(_) | Sense::Half)
                || depth > 0 && matches!(meaning.sense, Sense::TimeUnit(_))
        });
        all
    };
    for end in (2..=rest.len()).rev() {
        let (part, after) = rest.split_at(end);
        let elided = after.starts_with(VOWELS) && !part.ends_with(VOWELS);
        let endings = if elided { "aeio".chars().map(|c| format!("{part}{c}")).collect() } else { vec![] };
        for word in std::iter::once(part.to_owned()).chain(endings) {
            let meanings = known(&word);
            if meanings.is_empty() {
                continue;
            }
            out.push(Piece::Part(meanings));
            if split(reading, after, out, depth + 1) {
                return true;
            }
            out.pop();
        }
    }
    false
}

fn digits_end(text: &str) -> usize {
    let mut end = 0;
    for (i, c) in text.char_indices() {
        let mark = matches!(c, '.' | ',') && text[i + 1..].starts_with(|d: char| d.is_ascii_digit());
        if !c.is_ascii_digit() && !mark {
            break;
        }
        end = i + c.len_utf8();
    }
    end
}

/// The value of digits with their marks. Of two different marks the last is the decimal one; a mark that comes twice
/// groups; one alone groups where the language groups with it and three digits follow.
fn digits(text: &str, decimal_comma: bool) -> Option<f64> {
    let (decimal, group) = if decimal_comma { (',', '.') } else { ('.', ',') };
    let last = text.rfind(['.', ',']);
    let marks = |mark: char| text.matches(mark).count();
    let thousands = |mark: char| {
        let mut parts = text.split(mark);
        let first = parts.next().unwrap_or_default();
        (1..=3).contains(&first.len()) && first != "0" && parts.all(|part| part.len() == 3)
    };
    let sign = match (last.and_then(|at| text[at..].chars().next()), marks(decimal), marks(group)) {
        (None, ..) => None,
        (Some(last), 1.., 1..) => Some(last),
        (Some(last), ..) if marks(last) > 1 => None,
        (Some(last), ..) if last == group && thousands(last) => None,
        (Some(last), ..) => Some(last),
    };
    let plain: String = text
        .char_indices()
        .filter(|(i, c)| c.is_ascii_digit() || sign == Some(*c) && last == Some(*i))
        .map(|(_, c)| if c.is_ascii_digit() { c } else { '.' })
        .collect();
    plain.parse().ok()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn marks_group_or_divide() {
        for (text, comma, value) in [
            ("1,500", false, 1500.0),
            ("1,500", true, 1.5),
            ("1.500", true, 1500.0),
            ("2.5", true, 2.5),
            ("2,5", false, 2.5),
            ("1.234.567", false, 1_234_567.0),
            ("1,234.56", true, 1234.56),
            ("1.234,56", false, 1234.56),
            ("0.125", true, 0.125),
        ] {
            assert_eq!(digits(text, comma), Some(value), "{text}");
        }
    }
}
