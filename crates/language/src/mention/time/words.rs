//! What dates, hours and recurrences share: numbers, lengths of time, and the words before and after them.

use crate::lexicon::LONGEST;
use crate::mention::Reading;
use crate::sense::{Hour, Operator, Quantity, Relation, Sense, TimeUnit, TimeWord};
use crate::token::Lit;
use jiff::ToSpan;
use jiff::civil::{Date, DateTime, Time};

/// A value, where it ends and what it costs to read it so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found<T> {
    pub(crate) value: T,
    pub(crate) end: usize,
    pub(crate) cost: u8,
}

/// What a phrase says that stands before something.
#[derive(Clone, Debug)]
pub(crate) struct Before<T> {
    pub(crate) all: Vec<T>,
    pub(crate) from: usize,
    pub(crate) cost: u8,
}

/// So many units of time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Length {
    pub(crate) n: f64,
    pub(crate) unit: TimeUnit,
}

impl Reading<'_> {
    /// The first reading at a token that `wanted` takes.
    pub(crate) fn take<T>(&self, at: usize, wanted: impl Fn(Sense) -> Option<T>) -> Option<Found<T>> {
        let edges = self.lattice.at(at).iter();
        edges.filter_map(|e| Some(Found { value: wanted(e.sense)?, end: e.end, cost: e.cost })).next()
    }

    /// Where the reading of a token as this sense ends.
    pub(crate) fn word(&self, at: usize, sense: Sense) -> Option<usize> {
        self.lattice.at(at).iter().find(|edge| edge.sense == sense).map(|edge| edge.end)
    }

    /// `at`, or where that sense at `at` ends.
    pub(crate) fn skip(&self, at: usize, sense: Sense) -> usize {
        self.word(at, sense).unwrap_or(at)
    }

    /// What is wanted of the longest phrase that ends before `end`, where it begins, and its cost.
    pub(crate) fn before<T>(&self, end: usize, wanted: impl Fn(Sense) -> Option<T>) -> Option<Before<T>> {
        (end.saturating_sub(LONGEST)..end).find_map(|from| {
            let edges = || self.lattice.at(from).iter().filter(|edge| edge.end == end);
            let all: Vec<T> = edges().filter_map(|edge| wanted(edge.sense)).collect();
            let cost = edges().filter(|edge| wanted(edge.sense).is_some()).map(|edge| edge.cost).min()?;
            Some(Before { all, from, cost })
        })
    }

    /// Whether a sign stands at a token.
    pub(crate) fn sign(&self, at: usize, signs: &[char]) -> bool {
        matches!(self.lit(at), Some(Lit::Symbol(c)) if signs.contains(c))
    }

    pub(crate) fn lit(&self, at: usize) -> Option<&Lit> {
        self.lattice.tokens.get(at).map(|token| &token.lit)
    }

    pub(crate) fn today(&self) -> Date {
        self.now.date()
    }

    /// Over articles and commas, and words that tie one part of a time to another.
    pub(crate) fn skip_small(&self, mut at: usize) -> usize {
        for _ in 0..3 {
            at = match self.small(at) {
                Some(end) => end,
                None => break,
            };
        }
        at
    }

    /// Where a word ends that only ties: an article, a comma, "on", "of", "for".
    fn small(&self, at: usize) -> Option<usize> {
        if self.sign(at, &[',']) {
            return Some(at + 1);
        }
        self.take(at, |sense| is_small(sense).then_some(())).map(|found| found.end)
    }

    /// Whether nothing but small words stands between two places.
    pub(crate) fn only_small(&self, from: usize, to: usize) -> bool {
        let mut at = from;
        while at < to {
            let shorter = |sense: Sense| (is_small(sense)).then_some(());
            let end = self.lattice.at(at).iter().find(|e| e.end <= to && shorter(e.sense).is_some());
            at = match end.map(|edge| edge.end).or_else(|| self.sign(at, &[',']).then_some(at + 1)) {
                Some(end) if at < from + 4 => end,
                _ => return false,
            };
        }
        at == to
    }

    /// A number, in digits or words.
    pub(crate) fn number(&self, at: usize) -> Option<Found<f64>> {
        if let Lit::Number(n) = self.lit(at)? {
            return Some(Found { value: *n, end: at + 1, cost: 0 });
        }
        let number = |at| self.take(at, |sense| if let Sense::Number(n) = sense { Some(n) } else { None });
        // An article counts one unit of time; it is no hour and no day.
        let article = self.word(at, Sense::TimeWord(TimeWord::An));
        let tens = number(at).filter(|number| article != Some(number.end))?;
        // "twenty five"
        let ones =
            number(tens.end).filter(|ones| tens.value % 10 == 0 && tens.value >= 20 && ones.value < 10);
        let (value, end) = ones.map_or((tens.value, tens.end), |ones| (tens.value + ones.value, ones.end));
        #[allow(clippy::cast_precision_loss, reason = "numbers that lexicons name are small")]
        Some(Found { value: value as f64, end, cost: tens.cost })
    }

    /// A whole number within limits.
    pub(crate) fn whole(&self, at: usize, least: i8, most: i8) -> Option<Found<i8>> {
        let found = self.number(at)?;
        let value = small_int(found.value).filter(|n| (least..=most).contains(n))?;
        Some(Found { value, end: found.end, cost: found.cost })
    }

    /// A counted day of a month, "5th", "first"; `true` where it counts by its form.
    pub(crate) fn day_number(&self, at: usize) -> Option<Found<(i8, bool)>> {
        let token = self.lattice.tokens.get(at)?;
        let digits = token.norm.find(|c: char| !c.is_ascii_digit()).unwrap_or(token.norm.len());
        let day = |n: &i64| i8::try_from(*n).ok().filter(|n| (1..=31).contains(n));
        // "5th" is one token: digits with the ending of a counting word.
        if matches!(token.lit, Lit::Word)
            && (1..=2).contains(&digits)
            && (1..=2).contains(&token.norm[digits..].chars().count())
            && token.norm[digits..].chars().all(|c| c.is_alphabetic() || c == 'º')
        {
            let value = token.norm[..digits].parse().ok().as_ref().and_then(day)?;
            return Some(Found { value: (value, true), end: at + 1, cost: 0 });
        }
        let ordinal = |sense| if let Sense::Ordinal(n) = sense { day(&n) } else { None };
        // "prima di marzo" is before it.
        let ties = |sense| matches!(sense, Sense::Relation(_)).then_some(());
        if let Some(found) = self.take(at, ordinal).filter(|_| self.take(at, ties).is_none()) {
            return Some(Found { value: (found.value, true), end: found.end, cost: found.cost });
        }
        let found = self.whole(at, 1, 31).filter(|_| token.text.len() <= 2 || digits == 0)?;
        // "1°"
        let degree = self
            .lattice
            .tokens
            .get(found.end)
            .is_some_and(|next| next.start == token.end && next.text == "°");
        Some(Found { value: (found.value, degree), end: found.end + usize::from(degree), cost: found.cost })
    }

    /// A year in four digits.
    pub(crate) fn year(&self, at: usize) -> Option<i16> {
        let token = self.lattice.tokens.get(at).filter(|token| matches!(token.lit, Lit::Number(_)))?;
        as_year(&token.text)
    }

    /// A unit of time.
    pub(crate) fn unit(&self, at: usize) -> Option<Found<TimeUnit>> {
        self.take(at, |sense| if let Sense::TimeUnit(unit) = sense { Some(unit) } else { None })
    }

    /// Whether what stands here is counted by a number before it, so that the number is no day and no hour.
    pub(crate) fn is_counted(&self, at: usize) -> bool {
        use Sense::{
            Act, Bytes, Idle, Kind, Measure, Month, Operator, Pronoun, Relation, Scale, Thing, TimeUnit,
        };
        let has = |wanted: fn(Sense) -> bool| self.lattice.at(at).iter().any(|edge| wanted(edge.sense));
        let unit = has(|sense| matches!(sense, Bytes(_) | TimeUnit(_) | Month(_) | Scale(_)));
        let thing = has(|sense| matches!(sense, Measure(_) | Thing(_) | Kind(_)));
        let other = has(|sense| matches!(sense, Act(_) | Idle | Operator(_) | Pronoun(_) | Relation(_)));
        self.sign(at, &['%', '°', '€', '$']) || unit || thing && !other
    }

    /// "three months", "an hour and a half", "half an hour".
    pub(crate) fn length(&self, at: usize) -> Option<Found<Length>> {
        let an = |at| self.word(at, Sense::TimeWord(TimeWord::An));
        let part = |at| {
            let half = |sense| match sense {
                Sense::Hour(Hour::Half) => Some(0.5),
                Sense::Hour(Hour::Quarter) => Some(0.25),
                _ => None,
            };
            self.take(at, half)
        };
        let (n, next, cost) = match (self.number(at), an(at), part(at)) {
            (Some(n), ..) => (n.value, n.end, n.cost),
            (_, Some(end), _) => (1.0, end, 0),
            (_, _, Some(part)) => {
                // "half an hour", "quarto d'ora"
                let of = self.skip(part.end, Sense::Relation(Relation::Of));
                (part.value, an(of).unwrap_or(of), part.cost)
            }
            _ => return None,
        };
        let Some(unit) = self.unit(next) else {
            // "a quarter of an hour", "tre quarti d'ora"
            let part = part(next)?;
            let of = self.skip(part.end, Sense::Relation(Relation::Of));
            let unit = self.unit(an(of).unwrap_or(of))?;
            let value = Length { n: n * part.value, unit: unit.value };
            return Some(Found { value, end: unit.end, cost: cost + unit.cost });
        };
        let mut found =
            Found { value: Length { n, unit: unit.value }, end: unit.end, cost: cost + unit.cost };
        // "and a half"
        if let Some(and) = self.word(unit.end, Sense::Operator(Operator::And))
            && let Some(half) = part(an(and).unwrap_or(and))
            && self.unit(half.end).is_none()
        {
            found.value.n += half.value;
            found.end = half.end;
        }
        Some(found)
    }

    /// "a few days": units without a number.
    pub(crate) fn some_units(&self, at: usize) -> Option<usize> {
        let few = |sense| matches!(sense, Sense::Quantity(Quantity::Few | Quantity::Some)).then_some(());
        let few = self.take(at, few).filter(|_| self.number(at).is_none())?;
        Some(self.unit(few.end)?.end)
    }

    /// `n` units before today, or before now where they are shorter than a day.
    pub(crate) fn back(&self, length: Length) -> Option<DateTime> {
        let short = matches!(length.unit, TimeUnit::Second | TimeUnit::Minute | TimeUnit::Hour);
        let start = if short { self.now } else { midnight(self.today()) };
        shift(start, length.unit, -length.n)
    }
}

/// Senses that only tie the parts of a time together.
fn is_small(sense: Sense) -> bool {
    use Relation::{At, For, In, Of, To};
    matches!(sense, Sense::Idle | Sense::TimeWord(TimeWord::On) | Sense::Hour(Hour::At))
        || matches!(sense, Sense::Relation(In | Of | For | At | To))
}

/// Four digits that are a year.
pub(crate) fn as_year(text: &str) -> Option<i16> {
    text.parse().ok().filter(|year| text.len() == 4 && (1950..2100).contains(year))
}

/// The start of a day.
pub(crate) fn midnight(day: Date) -> DateTime {
    day.to_datetime(Time::midnight())
}

/// A whole number of a small type.
pub(crate) fn small_int(n: f64) -> Option<i8> {
    #[allow(clippy::cast_possible_truncation, reason = "checked: whole and small")]
    (n.fract() == 0.0 && n.abs() < 100.0).then_some(n as i8)
}

/// So many units later; half units in smaller ones.
pub(crate) fn shift(start: DateTime, unit: TimeUnit, n: f64) -> Option<DateTime> {
    if n.abs() > 10_000.0 {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, reason = "checked above")]
    let times = |each: f64| (n * each).round() as i64;
    let span = match unit {
        TimeUnit::Second => times(1.0).seconds(),
        TimeUnit::Minute => times(60.0).seconds(),
        TimeUnit::Hour => times(60.0).minutes(),
        TimeUnit::Day => times(24.0).hours(),
        TimeUnit::Week | TimeUnit::Weekend => times(7.0).days(),
        TimeUnit::Month if n.fract() == 0.0 => times(1.0).months(),
        TimeUnit::Month => times(30.0).days(),
        TimeUnit::Quarter => times(3.0).months(),
        TimeUnit::Year => times(12.0).months(),
    };
    start.checked_add(span).ok()
}
