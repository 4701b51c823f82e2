//! When something is to happen: clock times, durations, recurrences.

use super::dates::small;
use super::{Clause, Item};
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
    /// The items.
    pub(crate) at: Vec<Range<usize>>,
}

/// The timing a whole request carries, if any.
pub(crate) fn timing(items: &[Item], lexicon: &Lexicon, senses: &Senses, clock: &Clock) -> Option<Timing> {
    let mut clause = Clause::new(items.to_vec(), lexicon, senses, clock);
    clause.recurrence().or_else(|| clause.once())
}

/// Minutes, hours, days of month, months, days of week of a cron line.
struct Cron {
    minute: String,
    hour: String,
    day: String,
    weekday: String,
    needs_clock: bool,
    /// Once a week, on a day that was not said beside it.
    weekly: bool,
}

impl Cron {
    fn new(day: &str, weekday: &str) -> Self {
        Self {
            minute: "0".into(),
            hour: "*".into(),
            day: day.into(),
            weekday: weekday.into(),
            needs_clock: true,
            weekly: false,
        }
    }
    fn every(minute: String, hour: String, day: &str) -> Self {
        Self { minute, hour, day: day.into(), weekday: "*".into(), needs_clock: false, weekly: false }
    }
}

impl Clause<'_> {
    pub(crate) fn recurrence(&mut self) -> Option<Timing> {
        let (cron, range) = (0..self.len()).find_map(|at| self.recurs_at(at))?;
        self.take(range.start, range.end, "schedule");
        let part = (range.start..range.end).find_map(|at| self.sense(at, "day_part").map(str::to_owned));
        let mut at = vec![range];
        let clock = (0..self.len()).find_map(|i| self.clock_at(i, part.as_deref()));
        let mut cron = cron;
        // "Friday at 5 of every week": the day stands elsewhere.
        if cron.weekly
            && let Some((days, span)) = (0..self.len()).find_map(|i| {
                let (days, end) = self.weekdays(i).filter(|_| self.free(i))?;
                Some((days, self.with_preposition(i..end)))
            })
        {
            cron.weekday = days;
            at.push(span);
        }
        if let Some((hour, minute, span)) = clock.filter(|_| cron.needs_clock) {
            cron.hour = hour.to_string();
            cron.minute = minute.to_string();
            cron.needs_clock = false;
            let mut end = span.end;
            at.push(span);
            while let Some((other, more)) = self.also_at(end, minute, part.as_deref()) {
                cron.hour.push_str(&format!(",{other}"));
                end = more.end;
                at.push(more);
            }
        }
        let schedule = (!cron.needs_clock)
            .then(|| format!("{} {} {} * {}", cron.minute, cron.hour, cron.day, cron.weekday));
        Some(Timing { schedule, recurs: true, at })
    }

    /// "at 8 and at 20": another hour of the same day.
    fn also_at(&self, at: usize, minute: i8, part: Option<&str>) -> Option<(i8, Range<usize>)> {
        let joined = self.items.get(at).is_some_and(Item::is_comma) || self.is(at, "then", "and");
        let (hour, other, span) = joined.then(|| self.clock_at(at + 1, part)).flatten()?;
        (other == minute).then_some((hour, at..span.end))
    }

    fn recurs_at(&self, at: usize) -> Option<(Cron, Range<usize>)> {
        let item = &self.items[at];
        let ids: Vec<&str> = item.senses.iter().filter(|s| s.cat == "every").map(|s| s.id.as_str()).collect();
        for id in ids {
            let fixed = match id {
                "daily" => Some(Cron::new("*", "*")),
                "weekdays" => Some(Cron::new("*", "1-5")),
                "weekend" => Some(Cron::new("*", "6,0")),
                "month_first" | "monthly" => Some(Cron::new("1", "*")),
                "hourly" => Some(Cron::every("0".into(), "*".into(), "*")),
                "half" => Some(Cron::every("*/30".into(), "*".into(), "*")),
                "quarter" => Some(Cron::every("*/15".into(), "*".into(), "*")),
                "weekly" => Some(Cron { weekly: true, ..Cron::new("*", "1") }),
                "other" => Some(Cron::new("*/2", "*")),
                _ => None,
            };
            if let Some(mut cron) = fixed {
                let mut end = at + 1;
                // "every week on Friday", "once a month on the 5th"
                let on = end + usize::from(self.is(end, "every", "on"));
                if id == "weekly"
                    && let Some((days, next)) = self.weekdays(self.skip_stops(on))
                {
                    (cron.weekday, end, cron.weekly) = (days, next, false);
                }
                if self.sense(end, "day_part").is_some() {
                    end += 1;
                }
                return Some((cron, at..end));
            }
            // "on Mondays", "on Mondays and Thursdays"
            if let Some((days, end)) = self.weekdays(at).filter(|_| id == "weekdays_of") {
                return Some((Cron::new("*", &days), self.with_preposition(at..end)));
            }
            if id == "every"
                && let Some(found) = self.every_what(at + 1)
            {
                return Some((found.0, at..found.1));
            }
        }
        // "on the 5th of every month", "il 15 di ogni mese"
        if let Some(day) = self.day_number(at)
            && self.items.get(at + 1).is_some_and(|next| next.is("every", "of_month"))
        {
            let start = self.back_over_stops(at).filter(|b| self.is(*b, "every", "on")).unwrap_or(at);
            return Some((Cron::new(&day.to_string(), "*"), start..at + 2));
        }
        None
    }

    fn every_what(&self, at: usize) -> Option<(Cron, usize)> {
        if let Some((days, end)) = self.weekdays(at) {
            return Some((Cron::new("*", &days), end));
        }
        if self.sense(at, "day_part").is_some() {
            return Some((Cron::new("*", "*"), at + 1));
        }
        let (n, unit_at) = match self.number(at) {
            Some(n) => (small::<u32>(n).filter(|n| *n > 0)?, at + 1),
            None => (1, at),
        };
        let step = |n: u32| if n == 1 { "*".to_owned() } else { format!("*/{n}") };
        let cron = match self.sense(unit_at, "unit")? {
            "minute" if n < 60 => Cron::every(step(n), "*".into(), "*"),
            "hour" if n < 24 => Cron::every("0".into(), step(n), "*"),
            "day" if n < 28 => Cron::new(&step(n), "*"),
            "week" if n == 1 => Cron::new("*", "1"),
            "month" if n == 1 => Cron::new("1", "*"),
            _ => return None,
        };
        Some((cron, unit_at + 1))
    }

    /// "Monday", "Tuesday and Thursday".
    fn weekdays(&self, at: usize) -> Option<(String, usize)> {
        let mut days = vec![self.sense(at, "weekday")?.parse::<u8>().ok()? % 7];
        let mut end = at + 1;
        while self.items.get(end).is_some_and(|i| i.is("then", "and") || i.is_comma())
            && let Some(day) = self.sense(end + 1, "weekday").and_then(|id| id.parse::<u8>().ok())
        {
            days.push(day % 7);
            end += 2;
        }
        let days: Vec<String> = days.iter().map(u8::to_string).collect();
        Some((days.join(","), end))
    }

    fn day_number(&self, at: usize) -> Option<i8> {
        let n = self.number(at).or_else(|| self.sense(at, "ordinal").and_then(|id| id.parse().ok()))?;
        small(n).filter(|n| (1..=31).contains(n))
    }

    /// One moment ahead: "in 20 minutes", "tomorrow at 7", "at 18:30".
    pub(crate) fn once(&mut self) -> Option<Timing> {
        // Days from one to another tell which things are meant, not when something is to be done.
        let range = |days: super::dates::Days| days.from.is_some() && days.to.is_some();
        let ranged = |at: usize| self.days(at).is_some_and(|(days, _)| range(days));
        if (0..self.len()).any(|at| self.sense(at, "bound").is_some() && ranged(at)) {
            return None;
        }
        for at in 0..self.len() {
            let in_at = self.is(at, "every", "in");
            let from = at + usize::from(in_at);
            let Some(n) = self.number(from) else { continue };
            let Some(unit) = self.sense(from + 1, "unit") else { continue };
            let mut end = from + 2;
            // "an hour and a half"
            let more = [("half_after", 0.5), ("quarter_after", 0.25), ("three_quarters_after", 0.75)];
            let more = more.into_iter().find(|(id, _)| self.is(end, "clock", id));
            let n = n + more.map_or(0.0, |(_, part)| part);
            end += usize::from(more.is_some());
            let hence = self.is(end, "every", "hence");
            if hence {
                end += 1;
            }
            if !(in_at || hence) {
                continue;
            }
            let minutes: i64 = match unit {
                "minute" => small(n)?,
                "hour" => small(n * 60.0)?,
                "day" => small(n * 1440.0)?,
                "week" => small(n * 10080.0)?,
                _ => continue,
            };
            let schedule = (minutes < 6_000_000).then(|| self.clock.later(minutes.minutes())).flatten()?;
            return Some(Timing {
                schedule: Some(format!("at:{schedule}")),
                recurs: false,
                at: std::iter::once(at..end).collect(),
            });
        }
        let day = (0..self.len()).find_map(|at| {
            let (days, end) = self.span(at)?;
            let day = days.ahead.map(|(from, _)| from).or(days.from)?;
            (day >= self.clock.today()).then_some((day, at..end))
        });
        if let Some((_, range)) = &day {
            self.take(range.start, range.end, "date");
        }
        let part = (0..self.len()).find(|at| self.sense(*at, "day_part").is_some());
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
            return Some(Timing { schedule: None, recurs: false, at });
        };
        let date = match &day {
            Some((date, _)) => *date,
            None => self.next_at(hour, minute)?,
        };
        if let Some((_, range)) = day {
            at.push(self.with_preposition(range));
        }
        if let Some(part) = part {
            at.push(part..part + 1);
        }
        at.push(range);
        let instant = self.clock.instant(date, hour, minute)?;
        Some(Timing { schedule: Some(format!("at:{instant}")), recurs: false, at })
    }

    fn with_preposition(&self, range: Range<usize>) -> Range<usize> {
        let start =
            range.start.checked_sub(1).filter(|at| self.is(*at, "every", "on")).unwrap_or(range.start);
        start..range.end
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
        if self.is(at, "clock", "noon") {
            return Some((12, 0, at..at + 1));
        }
        if self.is(at, "clock", "midnight") {
            return Some((0, 0, at..at + 1));
        }
        let start = at;
        let introduced =
            self.is(at, "clock", "at") || self.is(at, "clock", "from") || self.is(at, "clock", "to");
        let mut at = at + usize::from(introduced);
        if introduced && self.is(at, "clock", "noon") {
            return Some((12, 0, start..at + 1));
        }
        let before =
            ["half_past", "quarter_past", "quarter_to"].into_iter().find(|id| self.is(at, "clock", id));
        at += usize::from(before.is_some());
        let away = before.is_none().then(|| self.minutes_from(at, self.is(start, "clock", "at"))).flatten();
        at = away.map_or(at, |(_, hour)| hour);
        let (mut hour, mut minute) = match self.items.get(at).filter(|i| i.free())?.lit {
            Lit::Clock(h, m) => (h, m),
            _ => match dotted(&self.items[at].text).filter(|_| introduced) {
                Some(clock) => clock,
                None => (small::<i8>(self.number(at)?)?, 0),
            },
        };
        let exact = matches!(self.lit(at), Some(Lit::Clock(..)));
        let mut end = at + 1;
        let mut marked = exact || before.is_some() || away.is_some();
        if let Some((minutes, after)) = (introduced && !exact).then(|| self.minutes_after(end)).flatten() {
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
        }
        Some((hour, minute, start..end))
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
        hour.filter(|hour| (1..=12).contains(hour) && (introduced || counted))?;
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
