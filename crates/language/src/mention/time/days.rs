//! Spans of days by their names: "yesterday", "last week", "Friday", "three days ago". See `months` for dates.

use super::cursor::{Cursor, Length, day, midnight, month, part, period, shift, unit, weekday};
use crate::sense::{DayPart, Operator, Period, Relation, Sense, TimeUnit, TimeWord};
use crate::token::Lit;
use jiff::ToSpan;
use jiff::civil::{Date, DateTime};

/// From, and to, which is outside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Span {
    pub(crate) from: Option<DateTime>,
    pub(crate) to: Option<DateTime>,
}

impl Span {
    /// `n` units from a moment on.
    pub(crate) fn units(from: DateTime, unit: TimeUnit, n: f64) -> Option<Self> {
        Some(Self { from: Some(from), to: Some(shift(from, unit, n)?) })
    }

    pub(crate) fn day(day: Date) -> Option<Self> {
        Self::units(midnight(day), TimeUnit::Day, 1.0)
    }

    pub(crate) fn year(year: i16) -> Option<Self> {
        Self::units(midnight(Date::new(year, 1, 1).ok()?), TimeUnit::Year, 1.0)
    }

    /// The day, where it is one.
    pub(crate) fn one_day(&self) -> Option<Date> {
        let day = self.from?.date();
        (Self::day(day)? == *self).then_some(day)
    }

    /// The hours of a part of a day.
    pub(crate) fn part(day: Date, part: DayPart) -> Option<Self> {
        let (from, hours) = match part {
            DayPart::Morning => (0.0, 12.0),
            DayPart::Afternoon => (12.0, 6.0),
            _ => (18.0, 6.0),
        };
        Self::units(shift(midnight(day), TimeUnit::Hour, from)?, TimeUnit::Hour, hours)
    }
}

/// A span as things that are there have it, and as things to come have it, where that is another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Spans {
    pub(crate) past: Span,
    pub(crate) ahead: Option<Span>,
}

impl From<Span> for Spans {
    fn from(past: Span) -> Self {
        Self { past, ahead: None }
    }
}

impl Spans {
    /// The same of both.
    pub(crate) fn map(self, read: impl Fn(Span) -> Option<Span>) -> Option<Self> {
        Some(Self { past: read(self.past)?, ahead: self.ahead.and_then(read) })
    }

    /// The day it is of an appointment.
    pub(crate) fn next_day(&self) -> Option<Date> {
        self.ahead.unwrap_or(self.past).one_day()
    }
}

/// A named span on its tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Days {
    pub(crate) from: usize,
    pub(crate) end: usize,
    pub(crate) spans: Spans,
    pub(crate) cost: u8,
    pub(crate) kind: Kind,
}

/// How a span was said, where that matters to what stands before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// By a name.
    Named,
    /// "5/6", where either may be the month.
    Doubtful,
    /// "3 days ago", "in 3 days": the words "more than" can stand before it.
    Away,
    /// "3 to 7 March": both its ends are said.
    Range,
}

type Read<'r> = fn(&mut Cursor<'r>) -> Option<Spans>;

impl<'r> Cursor<'r> {
    /// The span that is named here.
    pub(crate) fn days(&mut self) -> Option<Days> {
        let from = self.at;
        let kind = match () {
            () if self.peek(Self::day_pair).is_some() => Kind::Range,
            () if self.day_first().is_some() => Kind::Doubtful,
            () => Kind::Named,
        };
        let all: [(Read<'r>, Kind); 10] = [
            (Self::written_day, kind),
            (Self::named_day, Kind::Named),
            (Self::of_month, kind),
            (Self::of_period, Kind::Named),
            (Self::weekday, Kind::Named),
            (Self::period, Kind::Named),
            (Self::quarter, Kind::Named),
            (Self::edge, Kind::Named),
            (Self::distance, Kind::Away),
            (Self::alone, Kind::Named),
        ];
        let (spans, kind) = all.into_iter().find_map(|(read, kind)| Some((self.all(read)?, kind)))?;
        Some(Days { from, end: self.at, spans, cost: self.cost, kind })
    }

    /// "today", "tomorrow".
    fn named_day(&mut self) -> Option<Spans> {
        let days = self.take(day)?;
        let date = self.reading.today().checked_add(i64::from(days).days()).ok()?;
        Span::day(date).map(Spans::from)
    }

    /// What it costs to take a short word for a month or a day of the week where nothing says that it is one.
    pub(crate) fn doubt(&self) -> u8 {
        let is_date = |sense| month(sense).is_some() || weekday(sense).is_some();
        let long = self.token().is_some_and(|token| token.text.chars().count() > 4);
        let alone = long && !self.is(|sense| !is_date(sense));
        let leads = |sense| matches!(sense, Sense::Relation(_) | Sense::Period(_) | Sense::Every(_));
        let mut next = self.reading.cursor(self.at + 1);
        let goes_on = next.is_sign(&[',']) || next.is(|sense| part(sense).is_some());
        let digits = matches!(next.lit(), Some(Lit::Number(_) | Lit::Clock(..)));
        next.at += 1;
        let led = self.reading.follows(self.at, leads) || digits && !next.is_counted() || goes_on;
        if alone || led || self.reading.lattice.is_name(self.at) { 0 } else { 3 }
    }

    /// "Friday", "last Friday", "Friday the 20th", "Monday next week".
    fn weekday(&mut self) -> Option<Spans> {
        self.cost += self.doubt();
        let name = self.take(weekday)?;
        let fits =
            |span: &Span| span.one_day().is_some_and(|day| day.weekday().to_monday_one_offset() == name);
        let date = self.all(|here| {
            here.sign(&[',']);
            here.idle();
            let date = here.all(Self::written_day).or_else(|| here.all(Self::of_month));
            let date = date.or_else(|| here.all(Self::numbered).filter(|_| !here.is_counted()))?;
            date.ahead.filter(fits).or(Some(date.past).filter(fits))
        });
        let in_week = |here: &mut Self| {
            here.small();
            let monday = here.period_of(TimeUnit::Week)?.past.from?.date();
            Span::day(monday.checked_add(i64::from(name - 1).days()).ok()?)
        };
        if let Some(span) = date.or_else(|| self.all(in_week)) {
            return Some(span.into());
        }
        let which =
            self.all(|here| here.take(period).filter(|which| matches!(which, Period::Last | Period::Next)));
        self.weekday_by(name, which)
    }

    /// The last day of that name and the next one. The name of today means a week away: today has a name of its own.
    fn weekday_by(&self, name: i8, which: Option<Period>) -> Option<Spans> {
        let today = self.reading.today();
        let days = i64::from((name - today.weekday().to_monday_one_offset()).rem_euclid(7));
        let next = Span::day(today.checked_add((if days == 0 { 7 } else { days }).days()).ok()?)?;
        let last = Span::day(today.checked_add((days - 7).days()).ok()?)?;
        Some(match which {
            Some(Period::Next) => next.into(),
            Some(Period::Last) => last.into(),
            _ => Spans { past: last, ahead: Some(next) },
        })
    }

    /// "this", "last" or "next".
    fn which(&mut self) -> Option<Period> {
        self.all(|here| here.take(period).filter(|p| matches!(p, Period::This | Period::Last | Period::Next)))
    }

    /// "last week", "la settimana scorsa", "the last three days", "this morning", "next Monday", "last October".
    pub(crate) fn period(&mut self) -> Option<Spans> {
        // What stands after "last" is what it says, not what stands before it.
        let names = |sense| matches!(sense, Sense::TimeUnit(_) | Sense::Weekday(_) | Sense::Month(_));
        if let Some(unit) = self.take(unit) {
            let which = self.which().filter(|_| !self.is(names))?;
            return self.whole_period(which, unit);
        }
        if let Some(length) = self.all(Self::counted_length) {
            let which = self.which().filter(|_| !self.is(names))?;
            return self.counted(which, length);
        }
        let which = self.which()?;
        if let Some(length) = self.all(Self::counted_length) {
            return self.counted(which, length);
        }
        if let Some(unit) = self.take(unit) {
            return self.whole_period(which, unit);
        }
        if let Some(name) = self.take(weekday) {
            return self.weekday_by(name, Some(which));
        }
        if let Some(Spans { past, ahead }) = self.all(Self::of_month) {
            return Some(if which == Period::Next { ahead.unwrap_or(past) } else { past }.into());
        }
        // "this morning": the part itself is read with the day, as after any other.
        self.is(|sense| part(sense).is_some()).then_some(())?;
        let day = self.reading.today().checked_sub(i64::from(which == Period::Last).days()).ok()?;
        Span::day(day).filter(|_| which != Period::Next).map(Spans::from)
    }

    /// A unit with "this", "last" or "next", where it is that unit.
    pub(crate) fn period_of(&mut self, wanted: TimeUnit) -> Option<Spans> {
        let mut here = *self;
        let unit = here.take(unit).or_else(|| here.which().and_then(|_| here.take(unit)));
        (unit == Some(wanted)).then(|| self.all(Self::period)).flatten()
    }

    /// "the last 3 days" up to now; "the next 3 days" with today.
    fn counted(&self, which: Period, length: Length) -> Option<Spans> {
        let span = match which {
            Period::Last => Span { from: Some(self.reading.back(length)?), to: None },
            Period::Next if length.is_short() => Span::units(self.reading.now, length.unit, length.n)?,
            Period::Next => {
                let span = Span::units(midnight(self.reading.today()), length.unit, length.n)?;
                Span { to: shift(span.to?, TimeUnit::Day, 1.0), ..span }
            }
            _ => return None,
        };
        Some(span.into())
    }

    /// A whole week, month, quarter, year or weekend: this one, or the one before or after.
    pub(crate) fn whole_period(&self, which: Period, unit: TimeUnit) -> Option<Spans> {
        let today = self.reading.today();
        let weekday = i64::from(today.weekday().to_monday_zero_offset());
        let start = match unit {
            TimeUnit::Day => today,
            TimeUnit::Week => today.checked_sub(weekday.days()).ok()?,
            TimeUnit::Weekend => today.checked_add((5 - weekday).days()).ok()?,
            TimeUnit::Month => today.first_of_month(),
            TimeUnit::Quarter => Date::new(today.year(), (today.month() - 1) / 3 * 3 + 1, 1).ok()?,
            TimeUnit::Year => today.first_of_year(),
            _ => return self.counted(which, Length { n: 1.0, unit }),
        };
        let step = match which {
            Period::Last => -1.0,
            Period::Next => 1.0,
            _ => 0.0,
        };
        let from = shift(midnight(start), unit, step)?;
        let weekend = unit == TimeUnit::Weekend;
        let span = if weekend { Span::units(from, TimeUnit::Day, 2.0) } else { Span::units(from, unit, 1.0) };
        span.map(Spans::from)
    }

    /// "the start of the year", "fine ottobre": the first or the last day.
    fn edge(&mut self) -> Option<Spans> {
        let first = self.word(TimeWord::Start);
        if !first && !self.word(TimeWord::End) {
            return None;
        }
        self.small();
        let unit = |here: &mut Self| here.take(unit).and_then(|unit| here.whole_period(Period::This, unit));
        let year = |here: &mut Self| here.year().and_then(Span::year).map(Spans::from);
        let whole = self.all(Self::of_month).or_else(|| self.all(Self::period));
        let whole = whole.or_else(|| self.all(unit)).or_else(|| self.all(year))?;
        whole.map(|span| {
            Span::day(if first { span.from?.date() } else { span.to?.date().yesterday().ok()? })
        })
    }

    /// "three days ago", "in three days", "3 days from now": a day.
    fn distance(&mut self) -> Option<Spans> {
        let from = self.at;
        let (length, ahead) = self.away()?;
        if ahead && (length.is_short() || self.reading.untouched(from).is_some()) {
            return None;
        }
        let today = midnight(self.reading.today());
        let from = if ahead { shift(today, length.unit, length.n)? } else { self.reading.back(length)? };
        let step = if length.is_short() { TimeUnit::Hour } else { TimeUnit::Day };
        Span::units(from, step, 1.0).map(Spans::from)
    }

    /// A length that lies between now and what is meant, and whether that lies ahead.
    fn away(&mut self) -> Option<(Length, bool)> {
        let way = |ways: [Period; 2]| move |sense| period(sense).filter(|way| ways.contains(way));
        let lead = self.all(|here| {
            let lead = here.take(way([Period::Ago, Period::Hence]))?;
            Some((lead, here.length()?))
        });
        let (way, length) = match lead {
            Some(found) => found,
            None => {
                let length = self.length()?;
                (self.take(way([Period::Ago, Period::Later]))?, length)
            }
        };
        Some((length, way != Period::Ago))
    }

    /// What is a time only by itself: a weekend, a year, "on the 5th".
    fn alone(&mut self) -> Option<Spans> {
        let from = self.at;
        if let Some(unit) = self.take(|sense| unit(sense).filter(|unit| *unit == TimeUnit::Weekend)) {
            return self.whole_period(Period::This, unit);
        }
        if let Some(year) = self.year().filter(|_| !self.is_counted()) {
            let leads = |sense| match sense {
                Sense::Relation(relation) => !matches!(relation, Relation::By | Relation::As),
                Sense::Operator(Operator::And | Operator::Or) | Sense::TimeWord(_) | Sense::Compare(_) => {
                    true
                }
                _ => false,
            };
            let signs = from > 0 && self.reading.cursor(from - 1).is_sign(&['<', '>', '=', '-', '–', ':']);
            self.cost += if signs || self.reading.follows(from, leads) { 0 } else { 2 };
            return Span::year(year).map(Spans::from);
        }
        let digits = self.token()?.norm.starts_with(|c: char| c.is_ascii_digit());
        let (_, counts) = self.peek(Self::day_number)?;
        let on = self.reading.follows(from, |sense| sense == Sense::TimeWord(TimeWord::On));
        let day = self.numbered().filter(|_| digits && (counts || on) && !self.is_counted())?;
        self.cost += u8::from(!counts);
        Some(day)
    }

    /// The last and the next day of this number; today is both.
    fn numbered(&mut self) -> Option<Spans> {
        let (day, _) = self.day_number()?;
        let today = self.reading.today();
        let of = |months: i64| {
            let month = today.first_of_month().checked_add(months.months()).ok()?;
            Date::new(month.year(), month.month(), day).ok()
        };
        let next = (0..3).filter_map(of).find(|date| *date >= today);
        let last = (-3..=0).rev().filter_map(of).find(|date| *date <= today);
        Some(Spans { past: Span::day(last?)?, ahead: next.and_then(Span::day) })
    }
}
