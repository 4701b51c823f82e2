//! Spans of days by their names: "yesterday", "last week", "October 2024", "Friday", "three days ago".

use super::words::{Found, Length, as_year, midnight, shift};
use crate::mention::Reading;
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
    pub(crate) fn days(from: Date, to: Date) -> Self {
        Self { from: Some(midnight(from)), to: Some(midnight(to)) }
    }

    fn day(day: Date) -> Option<Self> {
        Some(Self::days(day, day.tomorrow().ok()?))
    }

    /// The day, where it is one.
    pub(crate) fn one_day(&self) -> Option<Date> {
        let from = self.from?.date();
        (Some(midnight(from)) == self.from && Some(midnight(from.tomorrow().ok()?)) == self.to)
            .then_some(from)
    }
}

/// A named span on its tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Days {
    pub(crate) from: usize,
    pub(crate) end: usize,
    /// What is meant of things that are there.
    pub(crate) past: Span,
    /// What is meant of things to come, where it is another span.
    pub(crate) ahead: Option<Span>,
    pub(crate) cost: u8,
    pub(crate) kind: Kind,
}

/// How a span was said, where that matters to what stands before it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Kind {
    /// By a name.
    Named,
    /// "3 days ago", "in 3 days": the words "more than" can stand before it.
    Away,
    /// "3 to 7 March": both its ends are said.
    Range,
}

impl Days {
    /// Whether it is written so that the month may be the day.
    pub(crate) fn is_doubtful(&self) -> bool {
        self.cost == DOUBTFUL && self.end == self.from + 1
    }

    /// Whether it is said as so long from now.
    pub(crate) fn is_away(&self) -> bool {
        self.kind == Kind::Away
    }

    /// The day it is of an appointment.
    pub(crate) fn next_day(&self) -> Option<Date> {
        self.ahead.unwrap_or(self.past).one_day()
    }
}

/// What a day costs whose month may be the day.
const DOUBTFUL: u8 = 2;

/// What is read of the words, without where they begin.
type Read = Option<Found<(Span, Option<Span>)>>;

fn found(end: usize, past: Span, ahead: Option<Span>) -> Read {
    Some(Found { value: (past, ahead.filter(|span| *span != past)), end, cost: 0 })
}

fn plus(read: Read, cost: u8) -> Read {
    read.map(|read| Found { cost: read.cost + cost, ..read })
}

impl Reading<'_> {
    /// The span that is named at a token.
    pub(crate) fn days_at(&self, at: usize) -> Option<Days> {
        let make = |kind| {
            move |read: Found<(Span, Option<Span>)>| {
                let (past, ahead) = read.value;
                Days { from: at, end: read.end, past, ahead, cost: read.cost, kind }
            }
        };
        let read = self
            .written_day(at)
            .or_else(|| self.named_day(at))
            .or_else(|| self.of_month(at).or_else(|| self.of_period(at)));
        let read = read.or_else(|| self.weekday(at)).or_else(|| self.period(at)).or_else(|| self.quarter(at));
        let kind = if self.day_pair(at).is_some() { Kind::Range } else { Kind::Named };
        let read = read.or_else(|| self.edge(at)).map(make(kind));
        let read = read.or_else(|| self.distance(at).map(make(Kind::Away)));
        read.or_else(|| self.alone(at).map(make(Kind::Named)))
    }

    /// A date in digits.
    fn written_day(&self, at: usize) -> Read {
        let token = self.lattice.tokens.get(at)?;
        if let Lit::Date(year, month, day) = token.lit {
            return found(at + 1, Span::day(Date::new(year, month, day).ok()?)?, None);
        }
        let number = |text: &str| text.parse::<i8>().ok().filter(|_| text.len() <= 2);
        let of = |text: &str, sign| {
            let (first, second) = text.split_once(sign)?;
            // "10/2024", "2024-10"
            let year = as_year(first).zip(number(second)).or_else(|| as_year(second).zip(number(first)));
            if let Some((year, month)) = year {
                return found(at + 1, self.month_of(month, None, Some(year))?.0, None);
            }
            // "2019-2021"
            if let Some((first, last)) = as_year(first).zip(as_year(second)) {
                let from = Date::new(first, 1, 1).ok()?;
                return found(at + 1, Span::days(from, Date::new(last + 1, 1, 1).ok()?), None);
            }
            let (first, second) = (number(first)?, number(second)?);
            let day_first = self.month_of(second, Some(first), None);
            let month_first =
                self.month_of(first, Some(second), None).filter(|_| !self.lexicon.grammar.day_first);
            let doubtful = day_first.is_some() && month_first.is_some() && first != second;
            let (past, ahead) = month_first.or(day_first).filter(|_| sign == '/')?;
            plus(found(at + 1, past, ahead), if doubtful { DOUBTFUL } else { 0 })
        };
        match &token.lit {
            Lit::Slashed(text) => of(text, '/'),
            Lit::Word if token.text.len() <= 9 => of(&token.text, '-').or_else(|| of(&token.text, '–')),
            _ => None,
        }
    }

    /// Where 5/6 is written and either may be the month: the other reading.
    pub(crate) fn day_first(&self, at: usize) -> Option<(Span, Option<Span>)> {
        let Some(Lit::Slashed(text)) = self.lit(at) else { return None };
        let (day, month) = text.split_once('/').filter(|(a, b)| a.len() <= 2 && b.len() <= 2)?;
        self.month_of(month.parse().ok()?, Some(day.parse().ok()?), None)
    }

    /// "today", "tomorrow".
    fn named_day(&self, at: usize) -> Read {
        let day = self.take(at, |sense| if let Sense::Day(n) = sense { Some(n) } else { None })?;
        let date = self.today().checked_add(i64::from(day.value).days()).ok()?;
        plus(found(day.end, Span::day(date)?, None), day.cost)
    }

    /// "October", "3 October", "October 3rd, 2024", "3-7 October".
    fn of_month(&self, at: usize) -> Read {
        let (first, mut day, next) = self
            .day_pair(at)
            .or_else(|| {
                let day = self.day_number(at)?;
                Some((None, Some(day.value.0), self.skip(day.end, Sense::Relation(Relation::Of))))
            })
            .unwrap_or((None, None, at));
        let month = self.take(next, |sense| if let Sense::Month(n) = sense { Some(n) } else { None })?;
        let mut end = month.end;
        let cost = if day.is_some() { month.cost } else { month.cost + self.doubt(at) };
        if day.is_none()
            && let Some(said) = self.day_number(end).filter(|_| self.year(end).is_none())
            && !self.is_counted(said.end)
        {
            (day, end) = (Some(said.value.0), said.end);
        }
        let year = self.year_after(end);
        end = year.map_or(end, |(_, end)| end);
        let (mut past, mut ahead) = self.month_of(month.value, day, year.map(|(year, _)| year))?;
        if let Some(first) = first {
            let from = |span: Span| {
                let day = span.from?.date();
                let from = Date::new(day.year(), day.month(), first).ok()?;
                Some(Span { from: Some(midnight(from)), ..span })
            };
            (past, ahead) = (from(past)?, ahead.and_then(from));
        }
        plus(found(end, past, ahead), cost)
    }

    /// "the 3rd of next month".
    fn of_period(&self, at: usize) -> Read {
        let day = self.day_number(at)?;
        let of = self.skip_small(day.end);
        let month = self.period_of(of, TimeUnit::Month).filter(|_| of > day.end)?;
        let first = month.value.0.from?.date();
        let date = Date::new(first.year(), first.month(), day.value.0).ok()?;
        plus(found(month.end, Span::day(date)?, None), day.cost + month.cost)
    }

    /// "3-7", "3 to 7" before a month: the first day, and the last.
    fn day_pair(&self, at: usize) -> Option<(Option<i8>, Option<i8>, usize)> {
        let token = self.lattice.tokens.get(at)?;
        let day = |text: &str| text.parse::<i8>().ok().filter(|n| (1..=31).contains(n));
        let dashed = token.text.split_once(['-', '–']).filter(|_| token.lit == Lit::Word);
        let (first, last, end) = match dashed {
            Some((first, last)) => (day(first)?, day(last)?, at + 1),
            None => {
                let first = self.day_number(at)?;
                let (joint, leads) = self.joint(first.end)?;
                let opens = |sense| {
                    matches!(sense, Sense::Relation(Relation::Between | Relation::From)).then_some(())
                };
                let open = self.before(at, opens).is_some() || at > 0 && self.before(at - 1, opens).is_some();
                let last = self.day_number(self.skip_small(joint))?;
                // "10 and 11 October" are two days in a row.
                if !leads && !open && first.value.0 + 1 != last.value.0 {
                    return None;
                }
                (first.value.0, last.value.0, last.end)
            }
        };
        let next = self.skip(end, Sense::Relation(Relation::Of));
        self.take(next, |sense| matches!(sense, Sense::Month(_)).then_some(()))?;
        Some((Some(first), Some(last), next))
    }

    /// "2024", "of 2024", "of last year", after a month.
    pub(crate) fn year_after(&self, at: usize) -> Option<(i16, usize)> {
        let next = self.skip(at, Sense::Relation(Relation::Of)) + usize::from(self.sign(at, &[',']));
        if let Some(year) = self.year(next) {
            return Some((year, next + 1));
        }
        let next = self.skip(next, Sense::Idle);
        let period = self.period_of(next, TimeUnit::Year)?;
        Some((period.value.0.from?.year(), period.end))
    }

    /// A month or a day of it: in that year, or the latest behind, with the next one ahead.
    fn month_of(&self, month: i8, day: Option<i8>, year: Option<i16>) -> Option<(Span, Option<Span>)> {
        let unit = if day.is_some() { TimeUnit::Day } else { TimeUnit::Month };
        let make = |year| {
            let from = midnight(Date::new(year, month, day.unwrap_or(1)).ok()?);
            Some(Span { from: Some(from), to: Some(shift(from, unit, 1.0)?) })
        };
        if let Some(year) = year {
            return Some((make(year)?, None));
        }
        let (today, this) = (midnight(self.today()), self.today().year());
        let span = make(this)?;
        if span.from > Some(today) {
            return Some((make(this - 1)?, Some(span)));
        }
        Some((span, (span.to <= Some(today)).then(|| make(this + 1)).flatten()))
    }

    /// What it costs to take a short word for a month or a day of the week where nothing says that it is one.
    fn doubt(&self, at: usize) -> u8 {
        let Some(token) = self.lattice.tokens.get(at) else { return 0 };
        let other = |sense: Sense| !matches!(sense, Sense::Month(_) | Sense::Weekday(_));
        let alone =
            token.text.chars().count() > 4 && !self.lattice.at(at).iter().any(|edge| other(edge.sense));
        let leads = |sense: Sense| {
            matches!(sense, Sense::Relation(_) | Sense::Period(_) | Sense::Every(_)).then_some(())
        };
        let digits =
            matches!(self.lit(at + 1), Some(Lit::Number(_) | Lit::Clock(..))) && !self.is_counted(at + 2);
        let led = self.before(at, leads).is_some() || digits || self.part(at + 1).is_some();
        if alone || led || self.lattice.is_name(at) || self.sign(at + 1, &[',']) { 0 } else { 3 }
    }

    /// "Friday", "last Friday", "Friday the 20th", "Monday next week".
    fn weekday(&self, at: usize) -> Read {
        let name = self.take(at, |sense| if let Sense::Weekday(n) = sense { Some(n) } else { None })?;
        let cost = name.cost + self.doubt(at);
        let after = self.skip(name.end + usize::from(self.sign(name.end, &[','])), Sense::Idle);
        let date = self.written_day(after).or_else(|| self.of_month(after));
        let fits = |span: &Span| {
            span.one_day().is_some_and(|day| day.weekday().to_monday_one_offset() == name.value)
        };
        if let Some(date) = date {
            let (past, ahead) = date.value;
            if let Some(span) = ahead.filter(fits).or(Some(past).filter(fits)) {
                return plus(found(date.end, span, None), cost);
            }
        }
        if let Some(day) = self.day_number(after).filter(|day| !self.is_counted(day.end))
            && let Some(span) = self.numbered(day.value.0).1.filter(fits)
        {
            return plus(found(day.end, span, None), cost);
        }
        // "Monday next week"
        if let Some(week) = self.period_of(self.skip_small(name.end), TimeUnit::Week)
            && let Some(monday) = week.value.0.from
        {
            let day = monday.date().checked_add(i64::from(name.value - 1).days()).ok()?;
            return plus(found(week.end, Span::day(day)?, None), cost);
        }
        let period = self.take(name.end, |sense| if let Sense::Period(p) = sense { Some(p) } else { None });
        let period = period.filter(|period| matches!(period.value, Period::Last | Period::Next));
        let end = period.map_or(name.end, |period| period.end);
        plus(self.weekday_by(name.value, period.map(|period| period.value), end), cost)
    }

    /// The last day of that name and the next one. The name of today means a week away: today has a name of its own.
    fn weekday_by(&self, name: i8, period: Option<Period>, end: usize) -> Read {
        let today = self.today();
        let days = i64::from((name - today.weekday().to_monday_one_offset()).rem_euclid(7));
        let next = Span::day(today.checked_add((if days == 0 { 7 } else { days }).days()).ok()?)?;
        let last = Span::day(today.checked_add((days - 7).days()).ok()?)?;
        match period {
            Some(Period::Next) => found(end, next, None),
            Some(Period::Last) => found(end, last, None),
            _ => found(end, last, Some(next)),
        }
    }

    /// "last week", "la settimana scorsa", "the last three days", "this morning", "next Monday", "last October".
    fn period(&self, at: usize) -> Read {
        let period_at = |at| self.take(at, |sense| if let Sense::Period(p) = sense { Some(p) } else { None });
        let relative = |p: &Found<Period>| matches!(p.value, Period::This | Period::Last | Period::Next);
        if let Some(unit) = self.unit(at) {
            let period = period_at(unit.end).filter(relative)?;
            // "this month's last week" is not read from "month's".
            let other = self.take(period.end, names_days).is_some();
            let whole = self.whole_period(period.value, unit.value).filter(|_| !other)?;
            return plus(found(period.end, whole.0, whole.1), unit.cost + period.cost);
        }
        if let Some(length) = self.length(at)
            && let Some(period) = period_at(length.end).filter(relative)
            && self.number(at).is_some()
            && self.take(period.end, names_days).is_none()
        {
            return plus(found(period.end, self.counted(period.value, length.value)?, None), length.cost);
        }
        let period = period_at(at).filter(relative)?;
        let next = period.end;
        if let Some(length) = self.length(next).filter(|_| self.number(next).is_some()) {
            let span = self.counted(period.value, length.value)?;
            return plus(found(length.end, span, None), period.cost + length.cost);
        }
        if let Some(unit) = self.unit(next) {
            let (past, ahead) = self.whole_period(period.value, unit.value)?;
            return plus(found(unit.end, past, ahead), period.cost + unit.cost);
        }
        if let Some(name) = self.take(next, |s| if let Sense::Weekday(n) = s { Some(n) } else { None }) {
            let cost = period.cost + name.cost;
            return plus(self.weekday_by(name.value, Some(period.value), name.end), cost);
        }
        if let Some(month) = self.of_month(next) {
            let (past, ahead) = month.value;
            let span = if period.value == Period::Next { ahead.unwrap_or(past) } else { past };
            return plus(found(month.end, span, None), period.cost + month.cost);
        }
        let part = self.part(next)?;
        let back = i64::from(period.value == Period::Last);
        let day = self.today().checked_sub(back.days()).ok().filter(|_| period.value != Period::Next)?;
        // The part itself is read with the day, as after any other.
        plus(found(next, Span::day(day)?, None), period.cost + part.cost)
    }

    /// A unit with "this", "last" or "next", where it is that unit.
    fn period_of(&self, at: usize, unit: TimeUnit) -> Read {
        let is_unit = |at| self.unit(at).is_some_and(|found| found.value == unit);
        let period = |sense| matches!(sense, Sense::Period(_)).then_some(());
        let next = self.take(at, period).map_or(at, |period| period.end);
        self.period(at).filter(|_| is_unit(at) || is_unit(next))
    }

    /// "the last 3 days" up to now; "the next 3 days" with today.
    fn counted(&self, period: Period, length: Length) -> Option<Span> {
        let today = midnight(self.today());
        match period {
            Period::Last => Some(Span { from: Some(self.back(length)?), to: None }),
            Period::Next => {
                let short = matches!(length.unit, TimeUnit::Minute | TimeUnit::Hour);
                let start = if short { self.now } else { today };
                let end = shift(start, length.unit, length.n)?;
                let to = if short { Some(end) } else { shift(end, TimeUnit::Day, 1.0) };
                Some(Span { from: Some(start), to })
            }
            _ => None,
        }
    }

    /// A whole week, month, quarter, year or weekend: this one, or the one before or after.
    fn whole_period(&self, period: Period, unit: TimeUnit) -> Option<(Span, Option<Span>)> {
        let today = self.today();
        let weekday = i64::from(today.weekday().to_monday_zero_offset());
        let start = match unit {
            TimeUnit::Day => today,
            TimeUnit::Week => today.checked_sub(weekday.days()).ok()?,
            TimeUnit::Weekend => today.checked_add((5 - weekday).days()).ok()?,
            TimeUnit::Month => today.first_of_month(),
            TimeUnit::Quarter => Date::new(today.year(), (today.month() - 1) / 3 * 3 + 1, 1).ok()?,
            TimeUnit::Year => today.first_of_year(),
            _ => return self.counted(period, Length { n: 1.0, unit }).map(|span| (span, None)),
        };
        let step = match period {
            Period::Last => -1.0,
            Period::Next => 1.0,
            _ => 0.0,
        };
        let from = shift(midnight(start), unit, step)?;
        let to = if unit == TimeUnit::Weekend {
            shift(from, TimeUnit::Day, 2.0)?
        } else {
            shift(from, unit, 1.0)?
        };
        Some((Span { from: Some(from), to: Some(to) }, None))
    }

    /// "Q3", "Q3 2025", "the third quarter of 2025".
    fn quarter(&self, at: usize) -> Read {
        let norm = &self.lattice.tokens.get(at)?.norm;
        let (word, digit) = norm.split_at_checked(norm.len().checked_sub(1)?)?;
        let quarter = Sense::TimeUnit(TimeUnit::Quarter);
        let short = self.lexicon.meanings(word).iter().any(|meaning| meaning.sense == quarter);
        let (n, end) = match digit.parse::<i8>().ok().filter(|_| short && !word.is_empty()) {
            Some(n) => (n, at + 1),
            None => {
                let day = self.day_number(at).filter(|day| day.value.1)?;
                (day.value.0, self.word(day.end, quarter)?)
            }
        };
        let year = self.year_after(end);
        let this = year.map_or(self.today().year(), |(year, _)| year);
        let from = |year| Date::new(year, n.checked_mul(3)?.checked_sub(2)?, 1).ok().map(midnight);
        let span = |from| Some(Span { from: Some(from), to: Some(shift(from, TimeUnit::Quarter, 1.0)?) });
        let mut first = from(this)?;
        if year.is_none() && first > self.now {
            first = from(this - 1)?;
        }
        found(year.map_or(end, |(_, end)| end), span(first)?, None)
    }

    /// "the start of the year", "fine ottobre": the first or the last day.
    fn edge(&self, at: usize) -> Read {
        let edge = |sense| match sense {
            Sense::TimeWord(word @ (TimeWord::Start | TimeWord::End)) => Some(word),
            _ => None,
        };
        let edge = self.take(at, edge)?;
        let next = self.skip_small(edge.end);
        let unit = || {
            let unit = self.unit(next)?;
            let (span, ahead) = self.whole_period(Period::This, unit.value)?;
            found(unit.end, span, ahead)
        };
        let year = || Some(self.year(next)?).and_then(|year| found(next + 1, self.year_span(year)?, None));
        let whole = self.of_month(next).or_else(|| self.period(next)).or_else(unit).or_else(year)?;
        let one = |span: Span| match edge.value {
            TimeWord::Start => Span::day(span.from?.date()),
            _ => Span::day(span.to?.date().yesterday().ok()?),
        };
        let (past, ahead) = whole.value;
        plus(found(whole.end, one(past)?, ahead.and_then(one)), whole.cost)
    }

    /// "three days ago", "in three days", "3 days from now": a day.
    fn distance(&self, at: usize) -> Read {
        let (length, forward, end) = self.away(at)?;
        let Length { n, unit } = length.value;
        let short = matches!(unit, TimeUnit::Second | TimeUnit::Minute | TimeUnit::Hour);
        if forward && (short || self.untouched(at).is_some()) {
            return None;
        }
        let from = if forward { shift(midnight(self.today()), unit, n)? } else { self.back(length.value)? };
        let step = if short { TimeUnit::Hour } else { TimeUnit::Day };
        let span = Span { from: Some(from), to: Some(shift(from, step, 1.0)?) };
        plus(found(end, span, None), length.cost)
    }

    /// A length that lies between now and what is meant, whether that lies ahead, and where all of it ends.
    pub(crate) fn away(&self, at: usize) -> Option<(Found<Length>, bool, usize)> {
        let way = |at, ways: [Period; 2]| {
            let way = |sense| match sense {
                Sense::Period(way) if ways.contains(&way) => Some(way),
                _ => None,
            };
            self.take(at, way)
        };
        let lead = way(at, [Period::Ago, Period::Hence]).filter(|way| self.length(way.end).is_some());
        let length = self.length(lead.map_or(at, |way| way.end))?;
        let word = lead.or_else(|| way(length.end, [Period::Ago, Period::Later]))?;
        let length = Found { cost: length.cost + word.cost, ..length };
        Some((length, word.value != Period::Ago, length.end.max(word.end)))
    }

    /// What is a time only by itself: a weekend, a year, "on the 5th".
    fn alone(&self, at: usize) -> Read {
        if let Some(unit) = self.unit(at).filter(|unit| unit.value == TimeUnit::Weekend) {
            let (span, ahead) = self.whole_period(Period::This, unit.value)?;
            return plus(found(unit.end, span, ahead), unit.cost);
        }
        let leads = |sense: Sense| match sense {
            Sense::Relation(relation) => (!matches!(relation, Relation::By | Relation::As)).then_some(()),
            Sense::Operator(Operator::And | Operator::Or) | Sense::TimeWord(_) | Sense::Compare(_) => {
                Some(())
            }
            _ => None,
        };
        let led =
            self.before(at, leads).is_some() || at > 0 && self.sign(at - 1, &['<', '>', '=', '-', '–', ':']);
        if let Some(year) = self.year(at).filter(|_| !self.is_counted(at + 1)) {
            return plus(found(at + 1, self.year_span(year)?, None), if led { 0 } else { 2 });
        }
        let day = self.day_number(at).filter(|day| !self.is_counted(day.end))?;
        let on = |sense| (sense == Sense::TimeWord(TimeWord::On)).then_some(());
        let counts = day.value.1
            && self.lattice.tokens.get(at).is_some_and(|t| t.norm.starts_with(|c: char| c.is_ascii_digit()));
        let digits = matches!(self.lit(at), Some(Lit::Number(_))) && self.before(at, on).is_some();
        let (past, ahead) = self.numbered(day.value.0);
        plus(found(day.end, past?, ahead), if counts { 0 } else { 1 }).filter(|_| counts || digits)
    }

    fn year_span(&self, year: i16) -> Option<Span> {
        Some(Span::days(Date::new(year, 1, 1).ok()?, Date::new(year + 1, 1, 1).ok()?))
    }

    /// The last and the next day of this number; today is both.
    fn numbered(&self, day: i8) -> (Option<Span>, Option<Span>) {
        let today = self.today();
        let of = |months: i64| {
            let month = today.first_of_month().checked_add(months.months()).ok()?;
            Date::new(month.year(), month.month(), day).ok()
        };
        let next = (0..3).filter_map(of).find(|date| *date >= today);
        let last = (-3..=0).rev().filter_map(of).find(|date| *date <= today);
        (last.and_then(Span::day), next.and_then(Span::day))
    }

    /// A part of the day.
    pub(crate) fn part(&self, at: usize) -> Option<Found<DayPart>> {
        let part = |sense| match sense {
            Sense::DayPart(DayPart::Noon | DayPart::Midnight) => None,
            Sense::DayPart(part) => Some(part),
            _ => None,
        };
        self.take(at, part)
    }
}

/// Whether a word can stand after "last" or "next".
fn names_days(sense: Sense) -> Option<()> {
    matches!(sense, Sense::TimeUnit(_) | Sense::Weekday(_) | Sense::Month(_)).then_some(())
}

/// The hours of a part of a day.
pub(crate) fn hours_of(day: Date, part: DayPart) -> Option<Span> {
    let (from, to) = match part {
        DayPart::Morning => (0, 12),
        DayPart::Afternoon => (12, 18),
        _ => (18, 24),
    };
    let start = midnight(day);
    Some(Span {
        from: shift(start, TimeUnit::Hour, f64::from(from)),
        to: shift(start, TimeUnit::Hour, f64::from(to)),
    })
}
