//! What a list of values amounts to: shared by `compute_entries` and `group_entries`.

use super::exact::{Number, Sum};
use super::field::Cell;
use super::moment::{Clock, Moment};
use serde::Deserialize;
use serde_json::Value;

/// How values become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Measure {
    /// How many.
    Count,
    /// Added up.
    Sum,
    /// The mean.
    Avg,
    /// The least number, or the earliest date.
    Min,
    /// The greatest number, or the latest date.
    Max,
}

/// The least or greatest value so far. The first value decides whether numbers or dates count.
#[derive(Clone, Debug)]
pub(super) enum Extreme {
    /// Nothing came yet.
    Empty,
    /// Numbers.
    Number(Number),
    /// Dates, with the text of the one that holds.
    Moment(Moment, Box<str>),
}

/// A measure being taken.
#[derive(Clone, Debug)]
pub(super) enum Tally {
    /// Of how many.
    Count(u64),
    /// Of a sum.
    Sum(Sum),
    /// Of a mean.
    Avg(Sum),
    /// Of the least.
    Min(Extreme),
    /// Of the greatest.
    Max(Extreme),
}

impl Tally {
    /// A measure before its first value.
    pub(super) fn new(measure: Measure) -> Self {
        match measure {
            Measure::Count => Self::Count(0),
            Measure::Sum => Self::Sum(Sum::default()),
            Measure::Avg => Self::Avg(Sum::default()),
            Measure::Min => Self::Min(Extreme::Empty),
            Measure::Max => Self::Max(Extreme::Empty),
        }
    }

    /// Takes one value in, or says why it cannot.
    pub(super) fn add(&mut self, cell: &Cell<'_>, clock: &Clock) -> Result<(), String> {
        match self {
            Self::Count(count) => *count = count.saturating_add(1),
            Self::Sum(sum) | Self::Avg(sum) => sum.add(number(cell)?),
            Self::Min(best) => best.add(cell, clock, false)?,
            Self::Max(best) => best.add(cell, clock, true)?,
        }
        Ok(())
    }

    /// The result so far.
    pub(super) fn value(&self) -> Value {
        match self {
            Self::Count(count) => (*count).into(),
            Self::Sum(sum) => sum.total(),
            Self::Avg(sum) => sum.mean(),
            Self::Min(best) | Self::Max(best) => match best {
                Extreme::Empty => Value::Null,
                Extreme::Number(number) => number.to_json(),
                Extreme::Moment(_, text) => Value::from(text.as_ref()),
            },
        }
    }

    /// False when a sum or a mean left the exact range and is a float.
    pub(super) fn is_exact(&self) -> bool {
        !matches!(self, Self::Sum(sum) | Self::Avg(sum) if !sum.is_exact())
    }
}

impl Extreme {
    fn add(&mut self, cell: &Cell<'_>, clock: &Clock, greatest: bool) -> Result<(), String> {
        let beats = |order: std::cmp::Ordering| if greatest { order.is_gt() } else { order.is_lt() };
        let date = |cell: &Cell<'_>| match cell {
            Cell::Text(text) => clock.parse(text).map(|moment| Self::Moment(moment, text.as_ref().into())),
            _ => None,
        };
        match self {
            Self::Empty => {
                *self = match (number(cell), date(cell)) {
                    (Ok(number), _) => Self::Number(number),
                    (_, Some(moment)) => moment,
                    (Err(why), None) => return Err(why),
                }
            }
            Self::Number(best) => {
                let number = number(cell)?;
                if beats(number.cmp(best)) {
                    *best = number;
                }
            }
            Self::Moment(best, _) => match date(cell) {
                Some(Self::Moment(moment, text)) => {
                    if beats(moment.cmp(best)) {
                        *self = Self::Moment(moment, text);
                    }
                }
                _ => return Err(format!("{} is not a date, as the others are", shown(cell))),
            },
        }
        Ok(())
    }
}

/// The number in a value: a JSON number, or a text that spells one.
pub(super) fn number(cell: &Cell<'_>) -> Result<Number, String> {
    let parsed = match cell {
        Cell::Number(raw) => Number::parse(raw),
        Cell::Text(text) => Number::parse(text),
        _ => None,
    };
    parsed.ok_or_else(|| match cell {
        Cell::Missing => "the entry has no such field".to_owned(),
        cell => format!("{} is not a number", shown(cell)),
    })
}

/// A value short enough for a message.
fn shown(cell: &Cell<'_>) -> String {
    let text = cell.text();
    let short: String = text.chars().take(40).collect();
    if short.len() < text.len() { format!("{short:?}…") } else { format!("{short:?}") }
}
