//! Dates: a month, a day of it, a quarter, in words or in digits.

use super::cursor::{Cursor, as_year, midnight, month};
use super::days::{Span, Spans};
use crate::sense::{Relation, Sense, TimeUnit};
use crate::token::Lit;
use jiff::civil::Date;

impl Cursor<'_> {
    /// A date in digits.
    pub(crate) fn written_day(&mut self) -> Option<Spans> {
        let token = self.token()?;
        self.at += 1;
        let text = match &token.lit {
            Lit::Date(year, month, day) => {
                return Span::day(Date::new(*year, *month, *day).ok()?).map(Spans::from);
            }
            Lit::Slashed(text) => text,
            Lit::Word if token.text.len() <= 9 => &token.text,
            _ => return None,
        };
        let (first, second) = text.split_once(['/', '-', '–'])?;
        // "2019-2021"
        if let (Some(first), Some(last)) = (as_year(first), as_year(second)) {
            return Some(Span { to: Span::year(last)?.to, ..Span::year(first)? }.into());
        }
        // "10/2024", "2024-10"
        let year = as_year(first).zip(small(second)).or_else(|| as_year(second).zip(small(first)));
        if let Some((year, month)) = year {
            return self.month_of(month, None, Some(year));
        }
        if self.doubtful(text) {
            self.cost += 2;
        }
        let (first, second) = (small(first)?, small(second).filter(|_| text.contains('/'))?);
        let day_first = || self.month_of(second, Some(first), None);
        if self.reading.lexicon.grammar.day_first {
            return day_first();
        }
        self.month_of(first, Some(second), None).or_else(day_first)
    }

    /// Whether in "5/6" either may be the month.
    fn doubtful(&self, text: &str) -> bool {
        let month = |text: &str| small(text).is_some_and(|n| (1..=12).contains(&n));
        let both = |(a, b): (&str, &str)| a != b && month(a) && month(b);
        !self.reading.lexicon.grammar.day_first && text.split_once('/').is_some_and(both)
    }

    /// Where 5/6 is written and either may be the month: the less usual reading.
    pub(crate) fn day_first(&self) -> Option<Spans> {
        let Some(Lit::Slashed(text)) = self.lit() else { return None };
        let (day, month) = text.split_once('/').filter(|_| self.doubtful(text))?;
        self.month_of(small(month)?, small(day), None)
    }

    /// "October", "3 October", "October 3rd, 2024", "3-7 October".
    pub(crate) fn of_month(&mut self) -> Option<Spans> {
        let doubt = self.doubt();
        let (mut first, mut day) = (None, None);
        if let Some((from, to)) = self.all(Self::day_pair) {
            (first, day) = (Some(from), Some(to));
        } else if let Some((number, _)) = self.day_number() {
            day = Some(number);
            self.tie(Relation::Of);
        }
        let month = self.take(month)?;
        if day.is_none() {
            self.cost += doubt;
            let number = |here: &mut Self| here.day_number().filter(|_| !here.is_counted());
            day = self.all(number).map(|(day, _)| day);
        }
        let year = self.all(Self::year_after);
        let spans = self.month_of(month, day, year)?;
        let Some(first) = first else { return Some(spans) };
        spans.map(|span| {
            let day = span.from?.date();
            Some(Span { from: Some(midnight(Date::new(day.year(), day.month(), first).ok()?)), ..span })
        })
    }

    /// "the 3rd of next month".
    pub(crate) fn of_period(&mut self) -> Option<Spans> {
        let (day, _) = self.day_number()?;
        self.small().then_some(())?;
        let first = self.period_of(TimeUnit::Month)?.past.from?.date();
        Span::day(Date::new(first.year(), first.month(), day).ok()?).map(Spans::from)
    }

    /// "3-7", "3 to 7" before a month: the first day, and the last.
    pub(crate) fn day_pair(&mut self) -> Option<(i8, i8)> {
        let token = self.token()?;
        let opens = |sense| matches!(sense, Sense::Relation(Relation::Between | Relation::From));
        let open = |at: usize| self.reading.follows(at, opens);
        let open = open(self.at) || self.at > 0 && open(self.at - 1);
        let pair = match token.text.split_once(['-', '–']).filter(|_| token.lit == Lit::Word) {
            Some((first, last)) => {
                self.at += 1;
                (small(first)?, small(last)?)
            }
            None => {
                let (first, _) = self.day_number()?;
                let leads = self.joint()?;
                self.small();
                let (last, _) = self.day_number()?;
                // "10 and 11 October" are two days in a row.
                (leads || open || first + 1 == last).then_some((first, last))?
            }
        };
        self.tie(Relation::Of);
        self.is(|sense| month(sense).is_some()).then_some(pair)
    }

    /// "2024", "of 2024", "of last year", after a month.
    pub(crate) fn year_after(&mut self) -> Option<i16> {
        let tied = self.tie(Relation::Of) || self.sign(&[',']);
        if let Some(year) = self.year() {
            return Some(year);
        }
        self.eat(|sense| sense == Sense::Idle && tied);
        Some(self.period_of(TimeUnit::Year)?.past.from?.year())
    }

    /// A month or a day of it: in that year, or the latest behind, with the next one ahead.
    fn month_of(&self, month: i8, day: Option<i8>, year: Option<i16>) -> Option<Spans> {
        let unit = if day.is_some() { TimeUnit::Day } else { TimeUnit::Month };
        let make = |year| Span::units(midnight(Date::new(year, month, day.unwrap_or(1)).ok()?), unit, 1.0);
        if let Some(year) = year {
            return make(year).map(Spans::from);
        }
        let (today, this) = (midnight(self.reading.today()), self.reading.today().year());
        let span = make(this)?;
        if span.from > Some(today) {
            return Some(Spans { past: make(this - 1)?, ahead: Some(span) });
        }
        Some(Spans { past: span, ahead: (span.to <= Some(today)).then(|| make(this + 1)).flatten() })
    }

    /// "Q3", "Q3 2025", "the third quarter of 2025".
    pub(crate) fn quarter(&mut self) -> Option<Spans> {
        let quarter = |sense| sense == Sense::TimeUnit(TimeUnit::Quarter);
        let norm = &self.token()?.norm;
        let (word, digit) = norm.split_at_checked(norm.len().checked_sub(1)?)?;
        let n = if self.reading.lexicon.meanings(word).iter().any(|meaning| quarter(meaning.sense)) {
            self.at += 1;
            digit.parse::<i8>().ok()?
        } else {
            let (n, counts) = self.day_number()?;
            (counts && self.eat(quarter)).then_some(n)?
        };
        let said = self.all(Self::year_after);
        let of = |year| {
            Span::units(midnight(Date::new(year, n.checked_mul(3)? - 2, 1).ok()?), TimeUnit::Quarter, 1.0)
        };
        let year = said.unwrap_or(self.reading.today().year());
        let span = of(year)?;
        let later = said.is_none() && span.from > Some(self.reading.now);
        if later { of(year - 1) } else { Some(span) }.map(Spans::from)
    }
}

/// One or two digits.
fn small(text: &str) -> Option<i8> {
    text.parse().ok().filter(|_| text.len() <= 2)
}
