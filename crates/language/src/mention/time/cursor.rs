//! A place in the request that moves on as words are read, and the small readings that all times share.

use crate::lexicon::LONGEST;
use crate::mention::Reading;
use crate::sense::{
    DayPart, Every, Hour, Math, Operator, Period, Quantity, Relation, Sense, TimeUnit, TimeWord,
};
use crate::token::{Lit, Token};
use jiff::ToSpan;
use jiff::civil::{Date, DateTime, Time};

/// Where reading goes on, and what it cost to come there. What fails leaves it where it was.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cursor<'r> {
    pub(crate) reading: Reading<'r>,
    pub(crate) at: usize,
    pub(crate) cost: u8,
}

/// So many units of time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Length {
    pub(crate) n: f64,
    pub(crate) unit: TimeUnit,
}

impl Length {
    /// Whether it is counted from now, and not in days.
    pub(crate) fn is_short(self) -> bool {
        matches!(self.unit, TimeUnit::Second | TimeUnit::Minute | TimeUnit::Hour)
    }
}

/// What a phrase says that stands before something.
#[derive(Clone, Debug)]
pub(crate) struct Before<T> {
    pub(crate) all: Vec<T>,
    pub(crate) from: usize,
    pub(crate) cost: u8,
}

/// The value of a sense, by its kind.
macro_rules! pick {
    ($($name:ident: $variant:ident($value:ty),)*) => {
        $(pub(crate) fn $name(sense: Sense) -> Option<$value> {
            if let Sense::$variant(value) = sense { Some(value) } else { None }
        })*
    };
}
pick! {
    month: Month(i8),
    weekday: Weekday(i8),
    weekdays: Weekdays(i8),
    day: Day(i32),
    period: Period(Period),
    unit: TimeUnit(TimeUnit),
    every: Every(Every),
    relation: Relation(Relation),
}

/// A part of the day that is no single hour.
pub(crate) fn part(sense: Sense) -> Option<DayPart> {
    match sense {
        Sense::DayPart(DayPart::Noon | DayPart::Midnight) => None,
        Sense::DayPart(part) => Some(part),
        _ => None,
    }
}

/// Senses that only tie the parts of a time together.
fn is_small(sense: Sense) -> bool {
    use Relation::{At, For, In, Of, To};
    matches!(sense, Sense::Idle | Sense::TimeWord(TimeWord::On) | Sense::Hour(Hour::At))
        || matches!(sense, Sense::Relation(In | Of | For | At | To))
}

impl<'r> Reading<'r> {
    pub(crate) fn cursor(self, at: usize) -> Cursor<'r> {
        Cursor { reading: self, at, cost: 0 }
    }

    /// What is wanted of the longest phrase that ends before `end`, where it begins, and its cost.
    pub(crate) fn before<T>(&self, end: usize, wanted: impl Fn(Sense) -> Option<T>) -> Option<Before<T>> {
        (end.saturating_sub(LONGEST)..end).find_map(|from| {
            let edges = self.lattice.at(from).iter().filter(|edge| edge.end == end);
            let found = edges.filter_map(|edge| Some((wanted(edge.sense)?, edge.cost)));
            let (all, costs): (Vec<T>, Vec<u8>) = found.unzip();
            Some(Before { all, from, cost: costs.into_iter().min()? })
        })
    }

    pub(crate) fn follows(&self, end: usize, wanted: impl Fn(Sense) -> bool) -> bool {
        self.before(end, |sense| wanted(sense).then_some(())).is_some()
    }

    pub(crate) fn lit(&self, at: usize) -> Option<&'r Lit> {
        self.lattice.tokens.get(at).map(|token| &token.lit)
    }

    pub(crate) fn today(&self) -> Date {
        self.now.date()
    }

    /// Whether nothing but a few small words stands between two places.
    pub(crate) fn only_small(self, from: usize, to: usize) -> bool {
        let mut here = self.cursor(from);
        while here.at < to && here.at < from + 4 {
            let edges = self.lattice.at(here.at).iter();
            let next = edges.filter(|edge| edge.end <= to && is_small(edge.sense)).map(|edge| edge.end).max();
            match next {
                Some(next) => here.at = next,
                None if here.sign(&[',']) => {}
                None => return false,
            }
        }
        here.at == to
    }

    /// So many units before today, or before now where they are shorter than a day.
    pub(crate) fn back(&self, length: Length) -> Option<DateTime> {
        let start = if length.is_short() { self.now } else { midnight(self.today()) };
        shift(start, length.unit, -length.n)
    }
}

impl<'r> Cursor<'r> {
    /// Reads something as a whole, or nothing.
    pub(crate) fn all<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let mut here = *self;
        let value = read(&mut here)?;
        *self = here;
        Some(value)
    }

    /// What would be read here, without going on.
    pub(crate) fn peek<T>(&self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        read(&mut { *self })
    }

    /// The first reading that `wanted` takes.
    pub(crate) fn take<T>(&mut self, wanted: impl Fn(Sense) -> Option<T>) -> Option<T> {
        let edges = self.reading.lattice.at(self.at).iter();
        let (value, edge) = edges.filter_map(|edge| Some((wanted(edge.sense)?, edge))).next()?;
        // Costs are added up further on; a long row of misspelled words must not run over.
        (self.at, self.cost) = (edge.end, self.cost.saturating_add(edge.cost).min(60));
        Some(value)
    }

    /// Goes over a word with such a sense.
    pub(crate) fn eat(&mut self, wanted: impl Fn(Sense) -> bool) -> bool {
        self.take(|sense| wanted(sense).then_some(())).is_some()
    }

    pub(crate) fn is(&self, wanted: impl Fn(Sense) -> bool) -> bool {
        { *self }.eat(wanted)
    }

    pub(crate) fn word(&mut self, word: TimeWord) -> bool {
        self.eat(|sense| sense == Sense::TimeWord(word))
    }

    pub(crate) fn hour(&mut self, word: Hour) -> bool {
        self.eat(|sense| sense == Sense::Hour(word))
    }

    pub(crate) fn tie(&mut self, relation: Relation) -> bool {
        self.eat(|sense| sense == Sense::Relation(relation))
    }

    pub(crate) fn idle(&mut self) -> bool {
        self.eat(|sense| sense == Sense::Idle)
    }

    /// Goes over "and" or a comma.
    pub(crate) fn and(&mut self) -> bool {
        let comma = self.sign(&[',']);
        self.eat(|sense| sense == Sense::Operator(Operator::And)) || comma
    }

    pub(crate) fn token(&self) -> Option<&'r Token> {
        self.reading.lattice.tokens.get(self.at)
    }

    pub(crate) fn lit(&self) -> Option<&'r Lit> {
        self.reading.lit(self.at)
    }

    pub(crate) fn is_sign(&self, signs: &[char]) -> bool {
        matches!(self.lit(), Some(Lit::Symbol(c)) if signs.contains(c))
    }

    /// Goes over a sign.
    pub(crate) fn sign(&mut self, signs: &[char]) -> bool {
        let found = self.is_sign(signs);
        self.at += usize::from(found);
        found
    }

    /// Over articles, commas, and words that tie one part of a time to another; whether there were any.
    pub(crate) fn small(&mut self) -> bool {
        let start = self.at;
        while self.at < start + 4 && (self.sign(&[',']) || self.eat(is_small)) {}
        self.at > start
    }

    /// Goes over a word that joins two times; whether it leads from one to the other.
    pub(crate) fn joint(&mut self) -> Option<bool> {
        let to = |sense| matches!(sense, Sense::Relation(Relation::To | Relation::Until));
        let leads = self.sign(&['-', '–', '—']) || self.eat(to);
        (leads || self.eat(|sense| sense == Sense::Operator(Operator::And))).then_some(leads)
    }

    /// A number, in digits or words. An article counts one unit of time; it is no hour and no day.
    pub(crate) fn number(&mut self) -> Option<f64> {
        if let Some(Lit::Number(n)) = self.lit() {
            self.at += 1;
            return Some(*n);
        }
        let number = |sense| if let Sense::Number(n) = sense { i32::try_from(n).ok() } else { None };
        let article = self.peek(|here| here.word(TimeWord::An).then_some(here.at));
        self.all(|here| {
            let tens = here.take(number).filter(|_| article != Some(here.at))?;
            // "twenty five"
            let ones =
                |here: &mut Self| here.take(number).filter(|ones| tens % 10 == 0 && tens >= 20 && *ones < 10);
            Some(f64::from(tens + here.all(ones).unwrap_or(0)))
        })
    }

    /// A whole number within limits.
    pub(crate) fn whole(&mut self, least: i8, most: i8) -> Option<i8> {
        self.all(|here| small_int(here.number()?).filter(|n| (least..=most).contains(n)))
    }

    /// A day of a month by its number; whether the form counts: "5th", "first".
    pub(crate) fn day_number(&mut self) -> Option<(i8, bool)> {
        let token = self.token()?;
        let digits = token.norm.find(|c: char| !c.is_ascii_digit()).unwrap_or(token.norm.len());
        let day = |n: i64| i8::try_from(n).ok().filter(|n| (1..=31).contains(n));
        // "5th" is one token: digits with the ending of a counting word.
        let (number, ending) = token.norm.split_at(digits);
        let counts = (1..=2).contains(&ending.chars().count()) && ending.chars().all(char::is_alphabetic);
        if matches!(token.lit, Lit::Word) && (1..=2).contains(&digits) && counts {
            self.at += 1;
            return Some((day(number.parse().ok()?)?, true));
        }
        let ordinal = |sense| if let Sense::Ordinal(n) = sense { day(n) } else { None };
        // "prima di marzo" is before it.
        if let Some(n) = (!self.is(|sense| relation(sense).is_some())).then(|| self.take(ordinal)).flatten() {
            return Some((n, true));
        }
        let n = self.whole(1, 31).filter(|_| token.text.len() <= 2 || digits == 0)?;
        // "1°"
        let degree = self.token().is_some_and(|next| next.start == token.end && next.text == "°");
        self.at += usize::from(degree);
        Some((n, degree))
    }

    /// A year in four digits.
    pub(crate) fn year(&mut self) -> Option<i16> {
        let year = as_year(&self.token().filter(|token| matches!(token.lit, Lit::Number(_)))?.text)?;
        self.at += 1;
        Some(year)
    }

    /// Whether what stands here is counted by a number before it, so that the number is no day and no hour.
    pub(crate) fn is_counted(&self) -> bool {
        use Sense::{
            Act, Bytes, Idle, Kind, Measure, Month, Operator, Pronoun, Relation, Scale, Thing, TimeUnit,
        };
        let percent = Sense::Math(Math::Percent);
        let unit = self
            .is(|sense| matches!(sense, Bytes(_) | TimeUnit(_) | Month(_) | Scale(_)) || sense == percent);
        let thing = self.is(|sense| matches!(sense, Measure(_) | Thing(_) | Kind(_)));
        let other = self.is(|sense| matches!(sense, Act(_) | Idle | Operator(_) | Pronoun(_) | Relation(_)));
        self.is_sign(&['%', '°', '€', '$']) || unit || thing && !other
    }

    /// "half", "quarter": of an hour or another unit.
    fn piece(&mut self) -> Option<f64> {
        self.take(|sense| match sense {
            Sense::Hour(Hour::Half) => Some(0.5),
            Sense::Hour(Hour::Quarter) => Some(0.25),
            _ => None,
        })
    }

    /// "three months", "an hour and a half", "half an hour", "tre quarti d'ora".
    pub(crate) fn length(&mut self) -> Option<Length> {
        self.all(|here| {
            let number = here.number();
            let mut n = number.unwrap_or(1.0);
            let said = number.is_some() || here.word(TimeWord::An);
            let whole = here.take(unit).filter(|_| said);
            let unit = match whole {
                Some(unit) => unit,
                None => {
                    n *= here.piece()?;
                    here.tie(Relation::Of);
                    here.word(TimeWord::An);
                    here.take(unit)?
                }
            };
            // "and a half"
            let more = here.all(|here| {
                here.eat(|sense| sense == Sense::Operator(Operator::And)).then_some(())?;
                here.word(TimeWord::An);
                here.piece().filter(|_| !here.is(|sense| matches!(sense, Sense::TimeUnit(_))))
            });
            Some(Length { n: n + more.unwrap_or(0.0), unit })
        })
    }

    /// "three months": a length with a number.
    pub(crate) fn counted_length(&mut self) -> Option<Length> {
        self.peek(Self::number)?;
        self.length()
    }

    /// "a few days": units without a number.
    pub(crate) fn some_units(&mut self) -> Option<()> {
        let few = |sense| matches!(sense, Sense::Quantity(Quantity::Few | Quantity::Some));
        let few = self.peek(Self::number).is_none() && self.eat(few);
        few.then(|| self.take(unit)).flatten().map(|_| ())
    }
}

/// Four digits that are a year.
pub(crate) fn as_year(text: &str) -> Option<i16> {
    text.parse().ok().filter(|year| text.len() == 4 && (1950..2100).contains(year))
}

/// The start of a day.
pub(crate) fn midnight(day: Date) -> DateTime {
    day.to_datetime(Time::midnight())
}

fn small_int(n: f64) -> Option<i8> {
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
