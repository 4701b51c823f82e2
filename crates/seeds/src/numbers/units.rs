//! Units of measure: the table, and products of their powers such as `km/h`.

use super::exact::{Number, NumberError};
use super::words::data;
use metnos_executor::Failure;
use serde::Deserialize;
use std::collections::HashMap;

/// The highest power of a unit: nothing people measure needs more.
const POWER: u32 = 20;

/// What can be measured. The order is that of [`Unit`]'s parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Dimension {
    /// Metres.
    Length,
    /// Kilograms.
    Mass,
    /// Bytes.
    Data,
    /// Kelvin.
    Temperature,
    /// Seconds; last, so that it closes `km/h`.
    Time,
}

#[derive(Deserialize)]
struct Row {
    symbol: String,
    dimension: Dimension,
    factor: String,
    offset: Option<String>,
    names: Vec<String>,
}

#[derive(Deserialize)]
struct Rows {
    unit: Vec<Row>,
}

struct Known {
    symbol: String,
    dimension: Dimension,
    factor: Number,
    offset: Number,
}

/// The table of units.
pub(crate) struct Units {
    known: Vec<Known>,
    by_name: HashMap<String, usize>,
    /// By lower-case name; `None` when several units answer to it.
    by_any_case: HashMap<String, Option<usize>>,
}

/// A product of powers, at most one unit of each dimension. Empty for a pure number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Unit {
    parts: [Option<Part>; 5],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Part {
    unit: usize,
    power: i32,
}

impl Units {
    /// The table that ships.
    pub(crate) fn load() -> Result<Self, Failure> {
        let rows: Rows = data(include_str!("../../data/units.toml"), "the table of units")?;
        let number = |text: &str| {
            Number::plain(text).map_err(|e| Failure::internal(format!("the table of units: {text}: {e}")))
        };
        let mut units = Self { known: Vec::new(), by_name: HashMap::new(), by_any_case: HashMap::new() };
        for row in rows.unit {
            let index = units.known.len();
            for name in row.names.iter().chain([&row.symbol]) {
                units.by_name.insert(name.clone(), index);
                units
                    .by_any_case
                    .entry(name.to_lowercase())
                    .and_modify(|known| {
                        if *known != Some(index) {
                            *known = None;
                        }
                    })
                    .or_insert(Some(index));
            }
            units.known.push(Known {
                factor: number(&row.factor)?,
                offset: row.offset.as_deref().map_or(Ok(Number::ZERO), number)?,
                symbol: row.symbol,
                dimension: row.dimension,
            });
        }
        Ok(units)
    }

    /// The unit called `name`.
    pub(crate) fn find(&self, name: &str) -> Option<Unit> {
        let index = match self.by_name.get(name) {
            Some(index) => *index,
            None => (*self.by_any_case.get(&name.to_lowercase())?)?,
        };
        let mut unit = Unit::default();
        *unit.parts.get_mut(self.known.get(index)?.dimension as usize)? =
            Some(Part { unit: index, power: 1 });
        Some(unit)
    }

    /// How many base units one `unit` is, offsets aside.
    fn factor(&self, unit: Unit) -> Result<Number, NumberError> {
        let mut factor = Number::ONE;
        for part in unit.parts.into_iter().flatten() {
            let Some(known) = self.known.get(part.unit) else { continue };
            factor = factor.mul(known.factor.pow(Number::whole(part.power.into()))?)?;
        }
        Ok(factor)
    }

    /// Where the scale of `unit` starts, in base units.
    fn offset(&self, unit: Unit) -> Number {
        let mut parts = unit.parts.iter().flatten();
        match (parts.next(), parts.next()) {
            (Some(Part { unit, power: 1 }), None) => {
                self.known.get(*unit).map_or(Number::ZERO, |known| known.offset)
            }
            _ => Number::ZERO,
        }
    }

    /// True for degrees: scales that do not start at nought.
    pub(crate) fn has_offset(&self, unit: Unit) -> bool {
        !self.offset(unit).is_zero()
    }

    /// `n` of `from` as a position on the scale of `to`.
    pub(crate) fn convert(&self, n: Number, from: Unit, to: Unit) -> Result<Number, NumberError> {
        let base = n.mul(self.factor(from)?)?.add(self.offset(from))?;
        base.sub(self.offset(to))?.div(self.factor(to)?)
    }

    /// `n` of `from` as a length on the scale of `to`: offsets do not count.
    pub(crate) fn stretch(&self, n: Number, from: Unit, to: Unit) -> Result<Number, NumberError> {
        if from == to {
            return Ok(n);
        }
        n.mul(self.factor(from)?)?.div(self.factor(to)?)
    }

    /// The product of `a` and `b` to the power `sign`, with the factor that brings `b`'s units to
    /// those `a` already has: metres times centimetres are square metres.
    pub(crate) fn product(&self, a: Unit, b: Unit, sign: i32) -> Result<(Unit, Number), NumberError> {
        let (mut unit, mut factor) = (a, Number::ONE);
        for (mine, theirs) in unit.parts.iter_mut().zip(b.parts) {
            let Some(theirs) = theirs else { continue };
            let power = theirs.power.checked_mul(sign).ok_or(NumberError::Range)?;
            *mine = match *mine {
                None => Some(Part { unit: theirs.unit, power }),
                Some(part) => {
                    let ratio = match (self.known.get(theirs.unit), self.known.get(part.unit)) {
                        (Some(from), Some(to)) => from.factor.div(to.factor)?,
                        _ => Number::ONE,
                    };
                    factor = factor.mul(ratio.pow(Number::whole(power.into()))?)?;
                    let power = part.power.checked_add(power).filter(|p| p.unsigned_abs() <= POWER);
                    let power = power.ok_or(NumberError::Range)?;
                    (power != 0).then_some(Part { power, ..part })
                }
            };
        }
        Ok((unit, factor))
    }

    /// As people write it: `km/h`, `m²`.
    pub(crate) fn symbol(&self, unit: Unit) -> String {
        let (mut above, mut below) = (String::new(), String::new());
        for part in unit.parts.into_iter().flatten() {
            let Some(known) = self.known.get(part.unit) else { continue };
            let side = if part.power > 0 { &mut above } else { &mut below };
            if !side.is_empty() {
                side.push('·');
            }
            side.push_str(&known.symbol);
            match part.power.unsigned_abs() {
                1 => {}
                2 => side.push('²'),
                3 => side.push('³'),
                n => side.push_str(&format!("^{n}")),
            }
        }
        match (above.is_empty(), below.is_empty()) {
            (_, true) => above,
            (true, false) => format!("1/{below}"),
            (false, false) => format!("{above}/{below}"),
        }
    }

    /// True when both measure the same thing.
    pub(crate) fn comparable(&self, a: Unit, b: Unit) -> bool {
        a.parts.iter().zip(&b.parts).all(|(a, b)| a.map(|p| p.power) == b.map(|p| p.power))
    }
}

impl Unit {
    /// True for a pure number.
    pub(crate) fn is_none(self) -> bool {
        self.parts.iter().all(Option::is_none)
    }

    /// Every power times `n`.
    pub(crate) fn power(self, n: i64) -> Option<Self> {
        let n = i32::try_from(n).ok().filter(|n| n.unsigned_abs() <= POWER)?;
        let mut unit = self;
        for part in &mut unit.parts {
            *part = match *part {
                Some(p) => {
                    let power = p.power.checked_mul(n).filter(|p| p.unsigned_abs() <= POWER)?;
                    (power != 0).then_some(Part { power, ..p })
                }
                None => None,
            };
        }
        Some(unit)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn the_table_loads_and_every_symbol_is_its_own() {
        let units = Units::load().unwrap();
        for (index, known) in units.known.iter().enumerate() {
            assert_eq!(units.by_name.get(&known.symbol), Some(&index), "{}", known.symbol);
            assert!(!known.factor.is_zero());
        }
    }

    #[test]
    fn case_matters_only_where_it_must() {
        let units = Units::load().unwrap();
        assert_eq!(units.find("KM"), units.find("km"));
        assert_eq!(units.find("Miles"), units.find("mi"));
        assert_ne!(units.find("MB"), units.find("Mb"));
        assert_eq!(units.find("mb"), units.find("MB"));
        assert_eq!(units.find("parsecs"), None);
    }
}
