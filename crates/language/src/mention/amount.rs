//! Numbers, ordinals, sizes and lengths of time.

use super::atom::{Atoms, Found, Piece};
use super::number::Number;
use super::{Mention, Reading, What};
use crate::sense::{Compare, Cue, Hour, Math, Operator, Relation, Sense, TimeUnit};

/// What a less likely reading costs.
pub(super) const LESS_LIKELY: u8 = 2;
pub(super) const UNLIKELY: u8 = 4;
/// The ordinal that stands for the ending that makes one of a number: "nd", "°".
const ENDING: i64 = 0;

/// Adds what is said.
pub(super) fn read(reading: Reading<'_>, all: &mut Vec<Mention>) {
    let mut amounts = Amounts { atoms: Atoms::new(reading), compared: None, counted: None };
    let mut at = 0;
    while at < amounts.atoms.len() {
        at = amounts.step(at, all).max(at + 1);
    }
}

pub(super) struct Amounts<'r> {
    pub(super) atoms: Atoms<'r>,
    /// The comparison of the last size: a correction keeps it.
    pub(super) compared: Option<Compare>,
    /// The last number that may be a count, and where it ends.
    pub(super) counted: Option<(f64, usize)>,
}

impl Amounts<'_> {
    /// Reads what begins at a piece; gives where to go on.
    fn step(&mut self, at: usize, all: &mut Vec<Mention>) -> usize {
        let next = self.between(at, all);
        let next = next.or_else(|| self.comparison(at, all));
        let next = next.or_else(|| self.bare_size(at, all));
        let next = next.or_else(|| self.length(at, all));
        let next = next.or_else(|| self.cued(at, all));
        let next = next.or_else(|| self.ordinal(at, all));
        next.or_else(|| self.plain(at, all)).unwrap_or(at + 1)
    }

    /// A length of time; a bare hour may be one.
    fn length(&mut self, at: usize, all: &mut Vec<Mention>) -> Option<usize> {
        if let Some(length) = self.atoms.length(at) {
            // "1200 d ancho": what may be a unit may also be a small word.
            let small = |number: &Number| {
                let tied = |sense: Sense| matches!(sense, Sense::Relation(_));
                number.digits && self.atoms.is(number.end, tied).is_some()
            };
            if let Some(number) = self.atoms.number(at).filter(small) {
                self.atoms.say(at, number.end, What::Number(number.value), LESS_LIKELY - 1, all);
            }
            self.say_length(at, length, length.cost, all);
            return Some(length.end);
        }
        let hour = self.atoms.time_unit(at).filter(|unit| unit.is == TimeUnit::Hour)?;
        self.atoms.say(at, hour.end, What::Length(60), hour.cost + LESS_LIKELY, all);
        Some(hour.end)
    }

    pub(super) fn say_length(&self, from: usize, length: Found<f64>, cost: u8, all: &mut Vec<Mention>) {
        // Days and weeks are dates first.
        let cost = if length.is >= 1440.0 { cost + LESS_LIKELY } else { cost };
        if let Some(minutes) = whole(length.is) {
            self.atoms.say(from, length.end, What::Length(minutes), cost, all);
        }
    }

    /// "top 10", "the first three"; "number three".
    fn cued(&mut self, at: usize, all: &mut Vec<Mention>) -> Option<usize> {
        let cue = self.atoms.find(at, |sense| match sense {
            Sense::Cue(cue @ (Cue::Count | Cue::Index)) => Some(cue),
            _ => None,
        });
        let hash =
            (self.atoms.sign(at) == Some('#')).then_some(Found { is: Cue::Index, end: at + 1, cost: 0 });
        let cue = cue.or(hash)?;
        let dot = self.atoms.sign(cue.end) == Some('.') && cue.is == Cue::Index;
        // "no 5" takes five back; "no. 5" is the fifth.
        if cue.is == Cue::Index && !dot && self.atoms.operator(at, Operator::Not).is_some() {
            return None;
        }
        let at_number = cue.end + usize::from(dot);
        let number = self.atoms.number(at_number).filter(|n| !n.article)?;
        let cost = cue.cost.max(number.cost);
        match cue.is {
            // "the first 10 minutes" is a length.
            Cue::Count if self.counts(&number) && !self.is_one(at_number) => {
                self.atoms.say(at, number.end, What::Number(number.value), cost, all);
            }
            Cue::Index => {
                // A long number is a name for something.
                let long = number.value >= 1000.0;
                self.atoms.say(at, number.end, What::Number(number.value), cost + u8::from(!long), all);
                let cost = if long { cost + LESS_LIKELY } else { cost };
                self.atoms.say(at, number.end, What::Ordinal(whole(number.value)?), cost, all);
            }
            _ => return None,
        }
        Some(number.end)
    }

    /// "the second", "2nd", "3°", "the last".
    fn ordinal(&mut self, at: usize, all: &mut Vec<Mention>) -> Option<usize> {
        let atoms = &self.atoms;
        let ordinal = |at: usize| {
            atoms.find(at, |sense| match sense {
                Sense::Ordinal(n) => Some(n),
                _ => None,
            })
        };
        let (n, end, cost) = match (atoms.number(at), ordinal(at)) {
            (Some(number), _) if !number.article => match ordinal(number.end)? {
                Found { is: ENDING, end, .. } => (whole(number.value)?, end, number.cost),
                // "twenty-first"
                Found { is: n @ 1..=9, end, cost }
                    if !number.digits && number.value % 10.0 == 0.0 && number.value >= 20.0 =>
                {
                    (whole(number.value)? + n, end, cost.max(number.cost))
                }
                _ => return None,
            },
            (_, Some(found)) if found.is != ENDING => (found.is, found.end, found.cost),
            _ => return None,
        };
        let time = |sense: Sense| {
            matches!(sense, Sense::TimeUnit(_) | Sense::Weekday(_) | Sense::Month(_) | Sense::DayPart(_))
        };
        let of_time = |at: usize| {
            let at = atoms.relation(at, &[Relation::Of]).unwrap_or(at);
            atoms.is(at, time).is_some()
        };
        // "the last 5", "last week" is no last one; "the first of May" is a day first.
        let followed = of_time(end) || atoms.number(end).is_some_and(|n| !n.article && !self.is_one(end));
        if n < 0 && followed {
            return None;
        }
        // "before the …", "a second": another reading of the same words is likelier.
        let longer = |sense: Sense| matches!(sense, Sense::Relation(_) | Sense::Operator(_));
        let other = atoms.is(at, longer).is_some_and(|other| other >= end);
        let digits = at > 0 && matches!(atoms.piece(at - 1), Piece::Number(_));
        let fraction = digits || atoms.back(at, |sense| matches!(sense, Sense::Number(_))).is_some();
        // "newest first"
        let order = atoms.back(at, |sense| matches!(sense, Sense::Order(_))).is_some();
        let extra = if followed || other || fraction || order { LESS_LIKELY } else { 0 };
        atoms.say(at, end, What::Ordinal(n), cost + extra, all);
        Some(end)
    }

    /// A number alone: how many, or, after an article, which one.
    fn plain(&mut self, at: usize, all: &mut Vec<Mention>) -> Option<usize> {
        let number = self.atoms.number(at)?;
        if number.article {
            return Some(number.end);
        }
        let year = number.digits && number.value.fract() == 0.0 && (1900.0..2100.0).contains(&number.value);
        let vague = |sense: Sense| matches!(sense, Sense::Quantity(_) | Sense::Pronoun(_));
        let cost = match () {
            () if !self.counts(&number) => UNLIKELY,
            () if year || self.atoms.back(at, |sense| sense == Sense::Relation(Relation::At)).is_some() => {
                LESS_LIKELY - 1
            }
            () if self.atoms.is(at, vague) == Some(number.end) => LESS_LIKELY,
            () => 0,
        };
        self.atoms.say(at, number.end, What::Number(number.value), number.cost + cost, all);
        self.counted = Some((number.value, number.end));
        let thing = |sense: Sense| {
            matches!(
                sense,
                Sense::Thing(_)
                    | Sense::Kind(_)
                    | Sense::Order(_)
                    | Sense::Field(_)
                    | Sense::Quality(_)
                    | Sense::Group(_)
            )
        };
        let which = (1.0..100.0).contains(&number.value) && number.digits;
        if which && self.counts(&number) && self.atoms.is(number.end, thing).is_none() {
            let article = self.atoms.back(at, |sense| sense == Sense::Idle).is_some();
            let cost = if article { LESS_LIKELY } else { UNLIKELY };
            if let Some(n) = whole(number.value) {
                self.atoms.say(at, number.end, What::Ordinal(n), cost, all);
            }
        }
        Some(number.end)
    }

    /// "one" in place of a thing.
    fn is_one(&self, at: usize) -> bool {
        self.atoms.is(at, |sense| matches!(sense, Sense::Pronoun(_))).is_some()
    }

    /// Whether a number counts things: no unit, month, hour or percent sign follows.
    pub(super) fn counts(&self, number: &Number) -> bool {
        let measured = |sense: Sense| {
            matches!(
                sense,
                Sense::Bytes(_)
                    | Sense::TimeUnit(_)
                    | Sense::Month(_)
                    | Sense::Measure(_)
                    | Sense::Hour(Hour::Am | Hour::Pm | Hour::OClock)
            ) || sense == Sense::Math(Math::Percent)
        };
        // "in" and other small words are no units here.
        let small = |sense: Sense| matches!(sense, Sense::Relation(_)) || sense == Sense::Idle;
        let unit = self.atoms.find(number.end, |sense| measured(sense).then_some(()));
        let unit = unit.filter(|_| {
            self.atoms.time_unit(number.end).is_some() || self.atoms.is(number.end, small).is_none()
        });
        unit.is_none_or(|unit| unit.cost > 0) && self.atoms.sign(number.end) != Some('%')
    }
}

/// The number, if it is whole.
#[allow(clippy::cast_possible_truncation, reason = "checked: whole and small")]
fn whole(n: f64) -> Option<i64> {
    let near = n.round();
    ((n - near).abs() < 1e-9 && near.abs() < 9e15).then_some(near as i64)
}
