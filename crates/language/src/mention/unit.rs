//! Units of measure as symbols, and amounts of them.

use super::atom::{Atoms, Piece};
use crate::sense::{Relation, Sense, TimeUnit};

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dimension {
    Length,
    Mass,
    Temperature,
    Data,
    Time,
    Speed,
    Rate,
    Money,
}

/// A unit that was said.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Unit {
    pub(super) symbol: String,
    pub(super) dimension: Dimension,
    /// The piece after it.
    pub(super) end: usize,
    pub(super) cost: u8,
}

/// An amount: "5 ft 3 in".
#[derive(Clone, Debug)]
pub(super) struct Quantity {
    pub(super) from: usize,
    pub(super) end: usize,
    /// The number of the last unit is the text's end but for the unit.
    pub(super) text: String,
    pub(super) unit: Unit,
    pub(super) cost: u8,
}

/// A degree of which it is not said on which scale.
const DEGREE: &str = "°";

impl Atoms<'_> {
    /// Every unit that the words at a piece may mean.
    pub(super) fn units(&self, at: usize) -> Vec<Unit> {
        let mut all: Vec<Unit> = Vec::new();
        self.each(at, |sense, end, cost| {
            let symbol = match sense {
                Sense::Measure(id) => Some(id.name()),
                Sense::Bytes(bytes) => data(bytes),
                Sense::TimeUnit(unit) => time(unit),
                _ => None,
            };
            let unit = symbol.and_then(|symbol| Some((symbol, dimension(symbol)?)));
            all.extend(unit.map(|(symbol, dimension)| Unit {
                symbol: symbol.to_owned(),
                dimension,
                end,
                cost,
            }));
        });
        let per: Vec<Unit> = all.iter().filter_map(|unit| self.per(unit)).collect();
        per.into_iter().chain(all).collect()
    }

    /// "km/h" in pieces.
    fn per(&self, above: &Unit) -> Option<Unit> {
        let dimension = match above.dimension {
            Dimension::Length => Dimension::Speed,
            Dimension::Data => Dimension::Rate,
            _ => return None,
        };
        self.sign(above.end).filter(|sign| *sign == '/')?;
        let below = self.units(above.end + 1).into_iter().find(|unit| unit.dimension == Dimension::Time)?;
        let symbol = format!("{}/{}", above.symbol, below.symbol);
        Some(Unit { symbol, dimension, end: below.end, cost: above.cost.max(below.cost) })
    }

    /// Every amount that begins at a piece, one for each unit its words may mean; `one` allows an article for its number.
    pub(super) fn quantities(&self, at: usize, one: bool) -> Vec<Quantity> {
        let minus = self.sign(at).is_some_and(|sign| matches!(sign, '-' | '−'));
        let Some(number) = self.number_and_part(at + usize::from(minus)) else { return Vec::new() };
        if number.article && !one {
            return Vec::new();
        }
        let sign = if minus { -1.0 } else { 1.0 };
        let units = self.units(number.end).into_iter().filter(|unit| !self.is_link(number.end, unit));
        let whole = |unit: Unit| {
            // "5 chili e mezzo"
            let (part, end) = self.and_part(unit.end).unwrap_or((0.0, unit.end));
            let text = (sign * (number.value + part)).to_string();
            self.and_smaller(at, &text, number.cost, Unit { end, ..unit })
        };
        units.map(whole).collect()
    }

    /// "in" before a unit is no inch.
    fn is_link(&self, at: usize, unit: &Unit) -> bool {
        let link = self.relation(at, &[Relation::In, Relation::To]) == Some(unit.end);
        link && !self
            .units(unit.end)
            .iter()
            .all(|next| self.relation(unit.end, &[Relation::In, Relation::To]) == Some(next.end))
    }

    /// The rest of an amount in smaller units.
    fn and_smaller(&self, from: usize, text: &str, cost: u8, unit: Unit) -> Quantity {
        let mut all = Quantity {
            from,
            end: unit.end,
            text: format!("{text} {}", unit.symbol),
            cost: cost.max(unit.cost),
            unit,
        };
        while let Piece::Number(value) = *self.piece(all.end) {
            let next = self.units(all.end + 1).into_iter().find(|unit| {
                unit.dimension == all.unit.dimension
                    && unit.symbol != all.unit.symbol
                    && !self.is_link(all.end + 1, unit)
            });
            let Some(next) = next else { break };
            all.text = format!("{} {value} {}", all.text, next.symbol);
            all.end = next.end;
            all.unit = next;
        }
        all
    }
}

impl Quantity {
    /// The expression that makes `to` of it, where both measure the same.
    pub(super) fn converted_to(&self, to: &Unit) -> Option<String> {
        let same = self.unit.dimension == to.dimension && self.unit.symbol != to.symbol;
        if !same || to.dimension == Dimension::Money || to.symbol == DEGREE {
            return None;
        }
        // "37 degrees in Fahrenheit": of the other scale.
        let text = match (self.text.strip_suffix(DEGREE), to.symbol.as_str()) {
            (Some(number), "°F") => format!("{number}°C"),
            (Some(number), "°C") => format!("{number}°F"),
            (Some(_), _) => return None,
            (None, _) => self.text.clone(),
        };
        Some(format!("{text} to {}", to.symbol))
    }
}

fn dimension(symbol: &str) -> Option<Dimension> {
    Some(match symbol {
        "m" | "km" | "dm" | "cm" | "mm" | "µm" | "nm" | "mi" | "yd" | "ft" | "in" | "nmi" => {
            Dimension::Length
        }
        "kg" | "g" | "hg" | "mg" | "µg" | "t" | "q" | "lb" | "oz" | "st" => Dimension::Mass,
        "°" | "°C" | "°F" | "K" => Dimension::Temperature,
        "s" | "ms" | "min" | "h" | "d" | "week" | "month" | "year" => Dimension::Time,
        "km/h" | "mi/h" | "m/s" | "ft/s" | "nmi/h" => Dimension::Speed,
        "bit" | "kbit" | "Mbit" | "Gbit" => Dimension::Data,
        "B" | "kB" | "MB" | "GB" | "TB" | "PB" | "KiB" | "MiB" | "GiB" | "TiB" | "PiB" => Dimension::Data,
        "€" | "$" | "£" => Dimension::Money,
        _ => return None,
    })
}

fn data(bytes: u64) -> Option<&'static str> {
    const UNITS: [(u64, &str); 11] = [
        (1, "B"),
        (1_000, "kB"),
        (1_000_000, "MB"),
        (1_000_000_000, "GB"),
        (1_000_000_000_000, "TB"),
        (1_000_000_000_000_000, "PB"),
        (1 << 10, "KiB"),
        (1 << 20, "MiB"),
        (1 << 30, "GiB"),
        (1 << 40, "TiB"),
        (1 << 50, "PiB"),
    ];
    UNITS.iter().find(|(size, _)| *size == bytes).map(|(_, symbol)| *symbol)
}

fn time(unit: TimeUnit) -> Option<&'static str> {
    Some(match unit {
        TimeUnit::Second => "s",
        TimeUnit::Minute => "min",
        TimeUnit::Hour => "h",
        TimeUnit::Day => "d",
        TimeUnit::Week => "week",
        TimeUnit::Month => "month",
        TimeUnit::Year => "year",
        _ => return None,
    })
}
