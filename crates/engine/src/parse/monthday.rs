//! Days by their number in a month: "on the 20th", "il 20", "20/11", "Friday the 20th".

use super::Clause;
use super::dates::{Days, shift, small};
use crate::text::Lit;
use jiff::ToSpan;
use jiff::civil::Date;

/// A year with a 29 February, to tell whether a day can be in its month.
const LEAP: i16 = 2024;

impl Clause<'_> {
    /// A month, or a day of it, in the year that was said or in those around today.
    pub(super) fn of_year(&self, month: i8, day: Option<i8>, said: Option<i16>) -> Option<Days> {
        let make = |year: i16| -> Option<(Date, Date)> {
            let first = Date::new(year, month, day.unwrap_or(1)).ok()?;
            Some((first, shift(first, if day.is_some() { "day" } else { "month" }, 1.0)?))
        };
        if let Some(year) = said {
            let (from, to) = make(year)?;
            return Some(Days { from: Some(from), to: Some(to), ..Days::default() });
        }
        let today = self.clock.today();
        let (mut from, mut to) = make(today.year())?;
        let mut ahead = (to <= today).then(|| make(today.year() + 1)).flatten();
        if from > today {
            ahead = Some((from, to));
            (from, to) = make(today.year() - 1)?;
        }
        Some(Days { from: Some(from), to: Some(to), ahead, ..Days::default() })
    }

    /// Day and month written with a slash, whatever they are said of. Where both orders are in use, one must be impossible.
    pub(super) fn day_slash_month(&self, at: usize) -> Option<(i8, i8)> {
        let Some(Lit::Slashed(text)) = self.lit(at) else { return None };
        let (first, second) = text.split_once('/').filter(|(a, b)| a.len() <= 2 && b.len() <= 2)?;
        let (first, second): (i8, i8) = (first.parse().ok()?, second.parse().ok()?);
        let valid = |(day, month): &(i8, i8)| Date::new(LEAP, *month, *day).is_ok();
        let mut orders = vec![(first, second)];
        if !self.lexicon.day_first && first != second {
            orders.push((second, first));
        }
        orders.retain(valid);
        (orders.len() == 1).then(|| orders[0])
    }

    /// "on 20/12", "of 10/10", "Friday 20/11": such a date, where the word before it or an hour after it says that it is one.
    pub(super) fn slashed_day(&self, at: usize) -> Option<(Days, usize)> {
        let (day, month) = self.day_slash_month(at)?;
        let leads = |before: usize| {
            let item = &self.items[before];
            item.is("every", "on")
                || matches!(item.sense("prep"), Some("of" | "from"))
                || ["bound", "weekday"].iter().any(|cat| item.sense(cat).is_some())
                || item.command().is_some()
        };
        let led = at.checked_sub(1).is_some_and(leads) || self.hour_next(at + 1);
        led.then(|| self.of_year(month, Some(day), None)).flatten().map(|days| (days, at + 1))
    }

    /// "on the 20th", "il 20": the next day of that number. It stands after the verb, at the beginning or beside an hour;
    /// elsewhere a number may be that of anything.
    pub(super) fn numbered_day(&self, at: usize) -> Option<(Days, usize)> {
        let day = self.day_number(at).filter(|_| self.free(at))?;
        let end = at + 1;
        let digits = self.items[at].text.starts_with(|c: char| c.is_ascii_digit());
        let on = self.led_by_on(at);
        let opens = on.is_some_and(|on| {
            let before = on.checked_sub(1).map(|before| &self.items[before]);
            before.is_none_or(|before| self.plans(before) || before.is_symbol()) || self.hour_before(on)
        });
        let beside = self.hour_next(end);
        let every = at.checked_sub(1).is_some_and(|before| self.is(before, "every", "every"));
        let read = on.is_some() && (digits && opens || beside) || self.counted_day(at) && beside && !every;
        if !read || self.counts_things(end) {
            return None;
        }
        Some((self.only_ahead(self.next_numbered(day, None)?)?, end))
    }

    /// "the events of the 20th", "gli eventi del 20": the next day of that number, right after the word for events.
    pub(super) fn event_day(&self, at: usize) -> Option<(Days, usize)> {
        let day = self.day_number(at).filter(|_| self.free(at) && !self.counts_things(at + 1))?;
        let digits = self.items[at].text.starts_with(|c: char| c.is_ascii_digit());
        let leads = |at: usize| self.is(at, "every", "on") || self.is(at, "prep", "of");
        let before = at.checked_sub(1)?;
        let lead = if self.is_article(before) && !leads(before) { before.checked_sub(1)? } else { before };
        let led = leads(lead);
        let of = |id: &String| self.senses.noun.get(id).and_then(|noun| noun.object.as_deref());
        let event = lead.checked_sub(1).is_some_and(|noun| {
            self.noun_ids(noun).iter().any(|id| of(id) == Some("events")) && !self.is(noun, "cue", "calendar")
        });
        if !digits || !led || !event {
            return None;
        }
        Some((self.only_ahead(self.next_numbered(day, None)?)?, at + 1))
    }

    /// "from 5/6", where both orders are in use: a day that cannot be told, and no folder.
    pub(super) fn unclear_date(&self, at: usize) -> bool {
        let Some(Lit::Slashed(text)) = self.lit(at) else { return false };
        let number = |part: &str| part.len() <= 2 && part.parse::<i8>().is_ok_and(|n| (1..=31).contains(&n));
        let date = text.split_once('/').is_some_and(|(first, second)| number(first) && number(second));
        let led = at.checked_sub(1).is_some_and(|before| {
            let item = &self.items[before];
            matches!(item.sense("prep"), Some("of" | "from"))
                || item.sense("bound").is_some()
                || item.is("every", "on")
        });
        date && led && self.changes() && self.day_slash_month(at).is_none()
    }

    /// "Friday 20 November", "Friday the 20th", "venerdì 20": what follows the name of a day, where it is that day.
    pub(super) fn dated_weekday(&self, weekday: i8, at: usize) -> Option<(Days, usize)> {
        let at = at + usize::from(self.items.get(at).is_some_and(super::Item::is_comma));
        let at = self.skip_stops(at);
        let fits = |date: &Date| date.weekday().to_monday_one_offset() == weekday;
        if let Some((days, end)) = self.month(at).or_else(|| self.slashed_day(at)) {
            let ahead = days.ahead.filter(|(from, _)| fits(from));
            let from = days.from.filter(|from| fits(from));
            let day = ahead.map(|(from, _)| from).or(from)?;
            let one = days.from?.tomorrow().ok() == days.to;
            return Some((self.only_ahead(day).filter(|_| one)?, end));
        }
        let day = self.day_number(at).filter(|_| !self.counts_things(at + 1) && self.free(at))?;
        let day = self.next_numbered(day, Some(weekday))?;
        Some((self.only_ahead(day)?, at + 1))
    }

    /// Whether more is said about a day than was read: a number, a month, which week of the month.
    pub(super) fn day_goes_on(&self, end: usize) -> bool {
        let next = self.skip_stops(end);
        let number = (self.day_number(next).is_some() || matches!(self.lit(next), Some(Lit::Slashed(_))))
            && self.free(next)
            && !self.counts_things(next + 1);
        let of = self.is(end, "prep", "of").then(|| self.skip_stops(end + 1));
        let month = of.is_some_and(|of| {
            self.is(of, "unit", "month")
                || self.sense(of, "rel").is_some() && self.is(of + 1, "unit", "month")
                || self.sense(of, "month").is_some()
        });
        number || month || self.is(end, "every", "of_month")
    }

    /// A day of a month by its number, in digits or in a word.
    pub(super) fn day_number(&self, at: usize) -> Option<i8> {
        let n = self.number(at).or_else(|| self.sense(at, "ordinal").and_then(|id| id.parse().ok()))?;
        small(n).filter(|n| (1..=31).contains(n))
    }

    /// Where what leads to a day begins: an "on", or the article of "the 20th".
    pub(super) fn day_begins(&self, at: usize) -> usize {
        let article = |before: &usize| self.counted_day(at) && self.is_article(*before);
        self.led_by_on(at).or_else(|| at.checked_sub(1).filter(article)).unwrap_or(at)
    }

    /// Where the "on" before a day stands, over an article or the word for day.
    pub(super) fn led_by_on(&self, at: usize) -> Option<usize> {
        let before = at.checked_sub(1)?;
        if self.is(before, "every", "on") {
            return Some(before);
        }
        if self.is(before, "unit", "day") && self.items[at].number().is_some() {
            return self.led_by_on(before);
        }
        before.checked_sub(1).filter(|on| self.is_article(before) && self.is(*on, "every", "on"))
    }

    /// An article, and no "every".
    fn is_article(&self, at: usize) -> bool {
        self.lexicon.articles.contains(&self.items[at].norm) && !self.is(at, "every", "every")
    }

    /// Whether a verb says that something is to be on a calendar or remembered.
    fn plans(&self, item: &super::Item) -> bool {
        let verb = item.command().and_then(|id| self.senses.verb.get(id));
        verb.is_some_and(|verb| matches!(verb.object.as_deref(), Some("tasks" | "events")))
    }

    /// "20th": a number that counts, in digits.
    fn counted_day(&self, at: usize) -> bool {
        let digits = self.items[at].text.starts_with(|c: char| c.is_ascii_digit());
        digits && self.sense(at, "ordinal").is_some()
    }

    /// Whether the word at `at` is one for what a number before it counts.
    pub(super) fn counts_things(&self, at: usize) -> bool {
        let Some(item) = self.items.get(at).filter(|item| !item.is_symbol()) else { return false };
        let counted = ["unit", "size_unit", "noun", "measure", "month", "ordinal"];
        let unknown = item.is_unknown() && matches!(item.lit, Lit::Word);
        let more = self.is(at, "prep", "of") && self.day_goes_on(at);
        more || item.free() && (unknown || counted.iter().any(|cat| item.sense(cat).is_some()))
    }

    /// Whether an hour stands at `at`, over a part of the day.
    fn hour_next(&self, at: usize) -> bool {
        let at = at + usize::from(self.items.get(at).is_some_and(super::Item::is_comma));
        let at = at + usize::from(self.sense(at, "day_part").is_some());
        self.clock_at(at, None).is_some() || self.items.get(at).is_some_and(|item| item.taken == "time")
    }

    /// Whether an hour ends right before `at`.
    fn hour_before(&self, at: usize) -> bool {
        let ends = |from: usize| self.clock_at(from, None).is_some_and(|(_, _, range)| range.end == at);
        (0..at).any(ends)
            || at.checked_sub(1).is_some_and(|before| {
                self.items[before].taken == "time" || self.sense(before, "day_part").is_some()
            })
    }

    /// The next day of this number, and with this name where one was said.
    fn next_numbered(&self, day: i8, weekday: Option<i8>) -> Option<Date> {
        let today = self.clock.today();
        let fits = |date: &Date| {
            *date >= today && weekday.is_none_or(|name| date.weekday().to_monday_one_offset() == name)
        };
        let months = 0..if weekday.is_some() { 2 } else { 3 };
        months
            .filter_map(|later: i64| today.first_of_month().checked_add(later.months()).ok())
            .filter_map(|first| Date::new(first.year(), first.month(), day).ok())
            .find(fits)
    }

    /// One day, which is meant also by what lies ahead.
    fn only_ahead(&self, day: Date) -> Option<Days> {
        let next = day.tomorrow().ok()?;
        Some(Days { from: Some(day), to: Some(next), ahead: Some((day, next)), ..Days::default() })
    }
}
