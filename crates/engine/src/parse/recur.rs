//! What is to happen again and again: days, hours and steps of a recurrence.

use super::dates::small;
use super::schedule::Timing;
use super::{Clause, Item};
use std::ops::Range;

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
        if let Some((hours, span)) = (0..self.len()).find_map(|i| self.hours_of(&cron, i)) {
            cron.hour = hours;
            at.push(span);
        }
        if let Some((days, span)) = (0..self.len()).find_map(|i| self.days_without(&cron, i)) {
            cron.weekday = days;
            at.push(span);
        }
        // The hours after midnight of a night that is named are those of the next day.
        let late = part.as_deref() == Some("evening") && (cron.weekday != "*" || cron.day != "*");
        let clock = clock.filter(|(hour, _, _)| cron.needs_clock && !(late && *hour < 5));
        let small_hour = clock.as_ref().is_some_and(|(hour, _, span)| {
            let part = (0..self.len()).find_map(|at| self.sense(at, "day_part"));
            self.small_hour(*hour, span, part)
        });
        if let Some((hour, minute, span)) = clock {
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
        Some(Timing { schedule, recurs: true, small_hour, at })
    }

    /// "at 8 and at 20", "at 8 and 20": another hour of the same day.
    fn also_at(&self, at: usize, minute: i8, part: Option<&str>) -> Option<(i8, Range<usize>)> {
        let joined = self.items.get(at).is_some_and(Item::is_comma) || self.is(at, "then", "and");
        let bare = || {
            let hour = small(self.number(at + 1)?).filter(|hour| (0..24).contains(hour))?;
            (!self.counts_things(at + 2)).then_some((hour, 0, at + 1..at + 2))
        };
        let (hour, other, span) = joined.then(|| self.clock_at(at + 1, part).or_else(bare)).flatten()?;
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
                let numbered = self.skip_stops(on);
                if id == "monthly"
                    && let Some(day) =
                        self.day_number(numbered).filter(|_| self.led_by_on(numbered).is_some())
                {
                    (cron.day, end) = (day.to_string(), numbered + 1);
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
        // "on the 5th of every month", "il 15 di ogni mese", "on the 5th every month"
        let monthly = |next: &Item| next.is("every", "of_month") || next.is("every", "monthly");
        let day = self.day_number(at).filter(|_| self.items.get(at + 1).is_some_and(monthly))?;
        let span = self.with_preposition(at..at + 2);
        let led = self.is(at + 1, "every", "of_month") || span.start < at;
        led.then(|| (Cron::new(&day.to_string(), "*"), span))
    }

    /// "from 9 to 17": the hours within which something happens every hour, or every few.
    fn hours_of(&self, cron: &Cron, at: usize) -> Option<(String, Range<usize>)> {
        let step = cron.hour.strip_prefix('*').filter(|_| !cron.needs_clock && cron.minute == "0")?;
        let (from, 0, first) = self.clock_at(at, None).filter(|_| self.is(at, "clock", "from"))? else {
            return None;
        };
        let (to, 0, last) = self.clock_at(first.end, None)? else { return None };
        let ends = self.is(first.end, "clock", "to");
        (ends && from < to).then(|| (format!("{from}-{to}{step}"), at..last.end))
    }

    /// "except at weekends", "tranne la domenica": the days of the week that are left.
    fn days_without(&self, cron: &Cron, at: usize) -> Option<(String, Range<usize>)> {
        let all = match cron.weekday.as_str() {
            "*" => "0123456",
            "1-5" => "12345",
            _ => return None,
        };
        let named = self.skip_stops(at + 1);
        let named = named + usize::from(self.is(named, "every", "on"));
        let except = self.is(at, "neg", "except") && self.free(at) && cron.day == "*";
        let weekend = self.is(named, "unit", "weekend") || self.is(named, "every", "weekend");
        let (out, end) =
            if weekend { ("0,6".to_owned(), named + 1) } else { self.weekdays(named).filter(|_| except)? };
        let left: Vec<String> = all.chars().filter(|day| !out.contains(*day)).map(String::from).collect();
        let left = if left.join("") == "12345" { "1-5".to_owned() } else { left.join(",") };
        (except && !left.is_empty()).then_some((left, at..end))
    }

    fn every_what(&self, at: usize) -> Option<(Cron, usize)> {
        if let Some((days, end)) = self.weekdays(at) {
            return Some((Cron::new("*", &days), end));
        }
        if self.sense(at, "day_part").is_some() {
            return Some((Cron::new("*", "*"), at + 1));
        }
        // "every 5th of the month", "ogni 3 del mese"
        let month = self.skip_stops(at + 1 + usize::from(self.is(at + 1, "prep", "of")));
        let of = (at + 1..month).any(|i| self.is(i, "prep", "of")) && self.is(month, "unit", "month");
        if let Some(day) = self.day_number(at).filter(|_| of) {
            return Some((Cron::new(&day.to_string(), "*"), month + 1));
        }
        let (n, unit_at) = match self.number(at) {
            Some(n) => (small::<u32>(n).filter(|n| *n > 0)?, at + 1),
            None => (1, at),
        };
        let step = |n: u32| if n == 1 { "*".to_owned() } else { format!("*/{n}") };
        let cron = match self.sense(unit_at, "unit")? {
            "minute" if 60 % n == 0 && n < 60 => Cron::every(step(n), "*".into(), "*"),
            "hour" if 24 % n == 0 && n < 24 => Cron::every("0".into(), step(n), "*"),
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
}
