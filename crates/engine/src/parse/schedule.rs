//! When something is to happen: clock times, durations, recurrences.

use super::dates::small;
use super::{Clause, Item};
use crate::catalog::Role;
use crate::clock::Clock;
use crate::lexicon::{Lexicon, Senses};
use crate::text::Lit;
use jiff::ToSpan;
use jiff::civil::Date;
use std::ops::Range;

/// A point in time or a recurrence, and the items that said so.
#[derive(Clone, Debug)]
pub(crate) struct Timing {
    /// Cron, or `at:` and an instant; `None` when a part is missing.
    pub(crate) schedule: Option<String>,
    /// Repeats.
    pub(crate) recurs: bool,
    /// An hour from one to five, which may be of the night or of the afternoon.
    pub(crate) small_hour: bool,
    /// The items.
    pub(crate) at: Vec<Range<usize>>,
}

/// The timing a whole request carries, if any.
pub(crate) fn timing(items: &[Item], lexicon: &Lexicon, senses: &Senses, clock: &Clock) -> Option<Timing> {
    let mut clause = Clause::new(items.to_vec(), lexicon, senses, clock);
    clause.recurrence().or_else(|| clause.once())
}

impl Clause<'_> {
    /// One moment ahead: "in 20 minutes", "tomorrow at 7", "at 18:30".
    pub(crate) fn once(&mut self) -> Option<Timing> {
        // Days from one to another tell which things are meant, not when something is to be done.
        let range = |days: super::dates::Days| days.from.is_some() && days.to.is_some();
        let ranged = |at: usize| self.days(at).is_some_and(|(days, _)| range(days));
        if (0..self.len()).any(|at| self.sense(at, "bound").is_some() && ranged(at)) {
            return None;
        }
        if let Some(timing) = (0..self.len()).find_map(|at| self.hence(at)) {
            return Some(timing);
        }
        let mut several = false;
        let day = (0..self.len()).find_map(|at| {
            let (days, end) = self.span(at).or_else(|| self.numbered_day(at))?;
            let span = days.ahead.or(days.from.zip(days.to));
            several = span.is_some_and(|(from, to)| from.tomorrow().is_ok_and(|next| next < to));
            let day = days.ahead.map(|(from, _)| from).or(days.from)?;
            (day >= self.clock.today()).then_some((day, at..end))
        });
        if let Some((_, range)) = &day {
            self.take(range.start, range.end, "date");
        }
        let hour = (0..self.len()).find_map(|at| self.clock_at(at, None)).map(|(_, _, range)| range);
        let beside = |at: &usize| {
            let spans = day.iter().map(|(_, range)| range).chain(&hour);
            day.is_none() || spans.into_iter().any(|range| self.touches(*at, range))
        };
        let part = (0..self.len()).find(|at| self.sense(*at, "day_part").is_some() && beside(at));
        let part_id = part.and_then(|at| self.sense(at, "day_part")).map(str::to_owned);
        let clock = (0..self.len()).find_map(|at| self.clock_at(at, part_id.as_deref()));
        let mut said = clock.iter().map(|(_, _, range)| range).chain(day.iter().map(|(_, range)| range));
        let of = |at: usize| matches!(self.sense(at, "prep"), Some("from" | "of"));
        let belongs = day.as_ref().is_some_and(|(_, range)| range.start.checked_sub(1).is_some_and(of));
        if clock.is_some() && (belongs || said.any(|range| self.is_past(range))) {
            return None;
        }
        let mut at: Vec<Range<usize>> = Vec::new();
        let Some((hour, minute, range)) = clock else {
            let (_, range) = day?;
            at.push(self.with_preposition(range));
            return Some(Timing { schedule: None, recurs: false, small_hour: false, at });
        };
        let now = part.is_some_and(|at| self.sense(at, "part_of_today").is_some() && hour > 4);
        let date = match &day {
            Some((date, _)) => *date,
            None if now => self.clock.today(),
            None => self.next_at(hour, minute)?,
        };
        // More is said about the day, it is one of several, it is left out, or the night of a day that is named goes on into the next one.
        let late = part_id.as_deref() == Some("evening") && hour < 5;
        let unclear = day.as_ref().is_some_and(|(_, range)| {
            late || several
                || self.day_goes_on(range.end)
                || self.left_out(range.start)
                || self.each_week(range)
        });
        if let Some((_, range)) = day {
            at.push(self.with_preposition(range));
        }
        if let Some(part) = part {
            at.push(part..part + 1);
        }
        let small_hour = self.small_hour(hour, &range, part_id.as_deref());
        at.push(range);
        let instant = self.clock.instant(date, hour, minute)?;
        let ahead = !unclear && self.is_to_come(date, hour, minute);
        Some(Timing { schedule: ahead.then(|| format!("at:{instant}")), recurs: false, small_hour, at })
    }

    /// "in 20 minutes", "two hours and a quarter from now": so long after this moment.
    fn hence(&self, at: usize) -> Option<Timing> {
        let in_at = self.is(at, "every", "in");
        let (minutes, mut end) = self.time_span(at + usize::from(in_at))?;
        let hence = self.is(end, "every", "hence");
        end += usize::from(hence);
        if !(in_at || hence) {
            return None;
        }
        let schedule = (minutes < 6_000_000).then(|| self.clock.later(minutes.minutes())).flatten()?;
        let at = std::iter::once(at..end).collect();
        Some(Timing { schedule: Some(format!("at:{schedule}")), recurs: false, small_hour: false, at })
    }

    /// "two hours", "an hour and a half", "2 hours and 15 minutes": minutes, and where it ends.
    fn time_span(&self, from: usize) -> Option<(i64, usize)> {
        let (mut total, mut unit) = (0, i64::MAX);
        let (mut at, mut end) = (from, from);
        while let Some((minutes, size, next)) = self.amount_of_time(at).filter(|(_, size, _)| *size < unit) {
            (total, unit, end) = (total + minutes, size, next);
            let joined = self.is(end, "then", "and") || self.is(end, "clock", "plus");
            at = end + usize::from(joined || self.items.get(end).is_some_and(Item::is_comma));
        }
        (end > from).then_some((total, end))
    }

    /// A number of minutes, hours, days or weeks: as minutes, with the minutes of one and where it ends.
    fn amount_of_time(&self, at: usize) -> Option<(i64, i64, usize)> {
        let n = self.number(at)?;
        let size: i64 = match self.sense(at + 1, "unit")? {
            "minute" => 1,
            "hour" => 60,
            "day" => 1440,
            "week" => 10080,
            _ => return None,
        };
        let parts = [("half_after", 0.5), ("quarter_after", 0.25), ("three_quarters_after", 0.75)];
        let part = parts.into_iter().find(|(id, _)| self.is(at + 2, "clock", id));
        let n = n + part.map_or(0.0, |(_, part)| part);
        #[allow(clippy::cast_precision_loss, reason = "at most 10080")]
        let minutes = small(n * size as f64)?;
        Some((minutes, size, at + 2 + usize::from(part.is_some())))
    }

    /// Whether a word stands right before or after others, over a preposition.
    fn touches(&self, at: usize, range: &Range<usize>) -> bool {
        let small = |i: usize| super::clause::only_stop(&self.items[i]) || self.sense(i, "prep").is_some();
        let (from, to) = if at < range.start { (at + 1, range.start) } else { (range.end, at) };
        range.contains(&at) || (from..to).all(small)
    }

    /// "at 4": an hour that is said without its half of the day, and may be in the afternoon.
    pub(super) fn small_hour(&self, hour: i8, range: &Range<usize>, part: Option<&str>) -> bool {
        let told = |at: usize| {
            let half = ["am", "pm", "noon", "midnight"].iter().any(|id| self.is(at, "clock", id));
            half || self.items[at].text.starts_with('0')
        };
        (1..6).contains(&hour) && part.is_none() && !range.clone().any(told)
    }

    /// "il lunedì": with an article a day of the week may be that of every week.
    fn each_week(&self, day: &Range<usize>) -> bool {
        let article = |at: usize| self.lexicon.articles.contains(&self.items[at].norm);
        let alone = day.len() == 1 && self.sense(day.start, "weekday").is_some();
        alone && day.start.checked_sub(1).is_some_and(article)
    }

    /// "except on Sunday": a day on which something is not to be done.
    fn left_out(&self, at: usize) -> bool {
        let small = |i: usize| super::clause::only_stop(&self.items[i]) || self.is(i, "every", "on");
        (0..at).rev().find(|i| !small(*i)).is_some_and(|before| self.sense(before, "neg").is_some())
    }

    /// "pause task 3 until Monday": a task rests or runs from now on, so that such a time is left over.
    pub(super) fn paused_for_a_time(&mut self) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let rests = verb.is_some_and(|verb| verb.set.contains_key(&Role::Paused));
        let times = |at: &usize| {
            let moment = self.days(*at).is_some() || self.clock_at(*at, None).is_some();
            self.free(*at) && (moment || self.sense(*at, "day_part").is_some())
        };
        let when = (0..self.len()).find(times).filter(|_| rests);
        if let Some(at) = when {
            self.frame.leftover.push(self.items[at].text.clone());
        }
        when.is_some()
    }

    /// Whether that moment is still to come.
    pub(super) fn is_to_come(&self, date: Date, hour: i8, minute: i8) -> bool {
        let now = self.clock.now();
        (date, hour, minute) > (now.date(), now.hour(), now.minute())
    }

    pub(super) fn with_preposition(&self, range: Range<usize>) -> Range<usize> {
        self.day_begins(range.start)..range.end
    }

    /// Today when the hour is still to come, else tomorrow.
    fn next_at(&self, hour: i8, minute: i8) -> Option<Date> {
        let now = self.clock.now();
        let later = (hour, minute) > (now.hour(), now.minute());
        if later { Some(now.date()) } else { now.date().tomorrow().ok() }
    }

    /// A clock time with its preposition, and the items it takes.
    pub(crate) fn clock_at(&self, at: usize, part: Option<&str>) -> Option<(i8, i8, Range<usize>)> {
        if !self.free(at) {
            return None;
        }
        let start = at;
        let introduced =
            self.is(at, "clock", "at") || self.is(at, "clock", "from") || self.is(at, "clock", "to");
        let mut at = at + usize::from(introduced);
        let before =
            ["half_past", "quarter_past", "quarter_to"].into_iter().find(|id| self.is(at, "clock", id));
        at += usize::from(before.is_some());
        let away = before.is_none().then(|| self.minutes_from(at, self.is(start, "clock", "at"))).flatten();
        at = away.map_or(at, |(_, hour)| hour);
        let named = self.named_hour(at);
        let (mut hour, mut minute) = match self.items.get(at).filter(|i| i.free())?.lit {
            _ if named.is_some() => (named?, 0),
            Lit::Clock(h, m) => (h, m),
            _ => match dotted(&self.items[at].text).filter(|_| introduced) {
                Some(clock) => clock,
                None => (small::<i8>(self.number(at)?)?, 0),
            },
        };
        let exact = matches!(self.lit(at), Some(Lit::Clock(..)));
        let mut end = at + 1;
        let mut marked = exact || before.is_some() || away.is_some() || named.is_some();
        let joined = ["plus", "less", "quarter_less"].iter().any(|id| self.is(end, "clock", id));
        let counts = named.map_or(introduced && !exact, |_| joined);
        if let Some((minutes, after)) = counts.then(|| self.minutes_after(end)).flatten() {
            (hour, minute) = shifted(hour, minutes);
            end = after;
        }
        loop {
            if self.is(end, "clock", "half_after") {
                minute = 30;
            } else if self.is(end, "clock", "quarter_after") {
                minute = 15;
            } else if self.is(end, "clock", "three_quarters_after") {
                minute = 45;
            } else if self.is(end, "clock", "pm") && !(self.is(end, "clock", "am")) {
                if hour < 12 {
                    hour += 12;
                }
            } else if self.is(end, "clock", "am") {
                if hour == 12 {
                    hour = 0;
                }
            } else if !self.is(end, "clock", "oclock") {
                break;
            }
            marked = true;
            end += 1;
        }
        match before {
            Some("half_past") => minute = 30,
            Some("quarter_past") => minute = 15,
            Some("quarter_to") => (hour, minute) = shifted(hour, -15),
            _ => {}
        }
        if let Some((minutes, _)) = away {
            (hour, minute) = shifted(hour, minutes);
        }
        // A bare number is an hour only after "at"; "at 5 MB" is not.
        let unit = self.sense(end, "unit").is_some()
            || self.sense(end, "size_unit").is_some()
            || self.sense(end, "month").is_some()
            || self.sense(end, "measure").is_some_and(|m| m.len() > 1);
        if !(0..24).contains(&hour) || (!marked && (!introduced || unit)) {
            return None;
        }
        // "every night at 3" is before dawn.
        if part == Some("evening") && (5..12).contains(&hour)
            || part == Some("afternoon") && (1..8).contains(&hour)
        {
            hour += 12;
        } else if part == Some("evening") && hour == 12 && named.is_none() {
            hour = 0;
        }
        Some((hour, minute, start..end))
    }

    /// Noon or midnight, by its name.
    fn named_hour(&self, at: usize) -> Option<i8> {
        [("noon", 12), ("midnight", 0)].into_iter().find(|(id, _)| self.is(at, "clock", id)).map(|(_, h)| h)
    }

    /// "ten past six", "twenty minutes to four": how far from the hour, and where that stands.
    fn minutes_from(&self, at: usize, introduced: bool) -> Option<(i8, usize)> {
        let minutes = self.minutes(at)?;
        let counted = self.sense(at + 1, "unit") == Some("minute");
        let way = at + 1 + usize::from(counted);
        let sign = match (self.is(way, "clock", "past"), self.is(way, "clock", "before")) {
            (true, _) => 1,
            (_, true) => -1,
            _ => return None,
        };
        let hour = self.items.get(way + 1).and_then(|item| small::<i8>(item.number()?));
        let hour = hour.or_else(|| self.named_hour(way + 1));
        hour.filter(|hour| (0..=12).contains(hour) && (introduced || counted))?;
        Some((sign * minutes, way + 1))
    }

    /// "e dieci", "meno venti", "thirty": minutes said after the hour.
    fn minutes_after(&self, at: usize) -> Option<(i8, usize)> {
        if self.is(at, "clock", "quarter_less") {
            return Some((-15, at + 1));
        }
        let (sign, from) = match (self.is(at, "clock", "plus"), self.is(at, "clock", "less")) {
            (true, _) => (1, at + 1),
            (_, true) => (-1, at + 1),
            _ => (1, at),
        };
        let minutes = self.minutes(from)?;
        let end = from + 1 + usize::from(self.sense(from + 1, "unit") == Some("minute"));
        // "at seven thirty" is a time; "at seven five files" is none.
        let bare = from == at && minutes < 10;
        let counts = ["noun", "unit", "size_unit", "measure", "month"]
            .iter()
            .any(|cat| self.sense(end, cat).is_some());
        (!bare && !counts).then_some((sign * minutes, end))
    }

    /// A number of minutes within an hour.
    fn minutes(&self, at: usize) -> Option<i8> {
        let item = self.items.get(at).filter(|item| item.free() && !matches!(item.lit, Lit::Clock(..)))?;
        small::<i8>(item.number()?).filter(|minutes| (1..60).contains(minutes))
    }

    /// "for an hour", "half an hour", "an hour and a half", "90 minutes": minutes.
    pub(crate) fn duration(&self, at: usize) -> Option<(u64, usize)> {
        let n = self.number(at)?;
        // "two free hours": what is free stands between.
        let unit =
            at + 1 + usize::from(self.sense(at + 1, "unit").is_none() && self.is(at + 1, "noun", "free"));
        let mut minutes = match self.sense(unit, "unit")? {
            "minute" => n,
            "hour" => n * 60.0,
            _ => return None,
        };
        let mut end = unit + 1;
        if self.is(end, "clock", "half_after") {
            minutes += 30.0;
            end += 1;
        }
        Some((small(minutes)?, end))
    }
}

/// The clock so many minutes after the full hour, or before it.
fn shifted(hour: i8, minutes: i8) -> (i8, i8) {
    let hour = if minutes < 0 { (hour + 23) % 24 } else { hour };
    (hour, minutes.rem_euclid(60))
}

/// "19.30", as a clock is written in many places.
fn dotted(text: &str) -> Option<(i8, i8)> {
    let (hour, minute) = text.split_once('.').filter(|(_, minute)| minute.len() == 2)?;
    let (hour, minute) = (hour.parse().ok()?, minute.parse().ok()?);
    ((0..24).contains(&hour) && (0..60).contains(&minute)).then_some((hour, minute))
}
