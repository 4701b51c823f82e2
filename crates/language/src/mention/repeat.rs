//! When something comes again, as cron. What cron cannot say exactly is a time without value.

use super::time::{Clock, Found, Times};
use super::{Mention, Reading, What};
use crate::sense::{DayPart, Every, Hour, Operator, Period, Relation, Sense, TimeUnit, TimeWord};

/// What a default costs that nobody said: an hour, or a day.
const DEFAULT: u8 = 2;

/// The fields of a cron line.
#[derive(Clone, Debug)]
struct Cron {
    minute: String,
    hour: String,
    day: String,
    month: String,
    weekday: String,
    /// Which day is still to be said.
    open: Option<TimeUnit>,
    /// Whether the hours are part of the step.
    timed: bool,
    part: Option<DayPart>,
}

impl Cron {
    fn days(day: &str, weekday: &str) -> Self {
        let text = |text: &str| text.to_owned();
        Self {
            minute: text("0"),
            hour: text("*"),
            day: text(day),
            month: text("*"),
            weekday: text(weekday),
            open: None,
            timed: false,
            part: None,
        }
    }

    fn step(minute: String, hour: String) -> Self {
        Self { minute, hour, timed: true, ..Self::days("*", "*") }
    }

    fn open(unit: TimeUnit, day: &str, weekday: &str) -> Self {
        Self { open: Some(unit), ..Self::days(day, weekday) }
    }

    fn line(&self) -> String {
        format!("{} {} {} {} {}", self.minute, self.hour, self.day, self.month, self.weekday)
    }
}

/// A recurrence on its tokens; without a line where cron cannot say it.
#[derive(Clone, Debug)]
struct Again {
    from: usize,
    end: usize,
    cron: Option<Cron>,
    cost: u8,
    /// Whether it can be nothing else.
    sure: bool,
}

/// Adds what is said, and gives back the tokens that can be nothing else.
pub(super) fn read(reading: Reading<'_>, times: &Times, all: &mut Vec<Mention>) -> Vec<(usize, usize)> {
    let mut taken = Vec::new();
    let mut at = 0;
    while at < reading.lattice.tokens.len() {
        let Some(again) = reading.again_at(at, times) else {
            at += 1;
            continue;
        };
        at = again.end.max(at + 1);
        taken.extend(reading.finish(again, times, all));
    }
    taken
}

impl Reading<'_> {
    /// The recurrence that begins at a token, without its hours.
    fn again_at(&self, at: usize, times: &Times) -> Option<Again> {
        let word = self.take(at, |sense| if let Sense::Every(every) = sense { Some(every) } else { None });
        let made =
            |cron: Option<Cron>, end: usize, cost: u8| Some(Again { from: at, end, cron, cost, sure: true });
        if let Some(word) = word {
            let known = match word.value {
                Every::Each => {
                    let what = self.each(word.end)?;
                    return made(what.value, what.end, word.cost + what.cost);
                }
                Every::Daily => Some(Cron { part: self.day_part(at), ..Cron::days("*", "*") }),
                Every::Weekdays => Some(Cron::days("*", "1-5")),
                Every::Weekends => Some(Cron::days("*", "6,0")),
                Every::Hourly => Some(Cron::step("0".into(), "*".into())),
                Every::Weekly => Some(Cron::open(TimeUnit::Week, "*", "1")),
                Every::Monthly => Some(Cron::open(TimeUnit::Month, "1", "*")),
                Every::Yearly => Some(Cron::open(TimeUnit::Year, "*", "*")),
                Every::Other | Every::Twice => {
                    let end = self.unit(word.end).map_or(word.end, |unit| unit.end);
                    let end = self.weekdays(end).map_or(end, |days| days.end);
                    return made(None, end, word.cost);
                }
                Every::Once => return None,
            };
            return made(known, word.end, word.cost);
        }
        // "un giorno sì e uno no"
        if let Some(length) = self.length(at)
            && let Some(end) = self.word(length.end, Sense::Every(Every::Other))
        {
            return made(None, end, length.cost);
        }
        // "three times a day"
        if let Some(number) = self.number(at)
            && let Some(end) = self.word(number.end, Sense::Every(Every::Twice))
        {
            return made(None, end, number.cost);
        }
        if let Some(found) = self.of_every_month(at) {
            return made(found.value, found.end, found.cost);
        }
        // "Mondays"; "il lunedì" may also be one Monday.
        if let Some(plural) = self.take(at, |s| if let Sense::Weekdays(n) = s { Some(n) } else { None }) {
            let days = self.weekdays(at)?;
            let single = plural.end == at + 1;
            let cron = Some(Cron::days("*", &days.value));
            return Some(Again { sure: single, ..made(cron, days.end, days.cost + u8::from(!single))? });
        }
        self.day_to_day(at, times)
    }

    /// "from Monday to Friday at 9": every week, where an hour stands beside it.
    fn day_to_day(&self, at: usize, times: &Times) -> Option<Again> {
        let day = |at| self.take(at, |sense| if let Sense::Weekday(n) = sense { Some(n % 7) } else { None });
        let opens =
            |sense| matches!(sense, Sense::Relation(Relation::From | Relation::Between)).then_some(());
        let first = day(self.take(at, opens).map_or(at, |lead| self.skip(lead.end, Sense::Idle)))?;
        let (joint, true) = self.joint(first.end)? else { return None };
        let last = day(self.skip(joint, Sense::Idle))?;
        let end = last.end;
        self.hours_beside(at, end, times).filter(|_| first.value < last.value || last.value == 0)?;
        let last_day = if last.value == 0 { 7 } else { last.value };
        let cron = Some(Cron::days("*", &format!("{}-{last_day}", first.value)));
        Some(Again { from: at, end, cron, cost: first.cost + last.cost, sure: true })
    }

    /// What stands after "every".
    fn each(&self, at: usize) -> Option<Found<Option<Cron>>> {
        let made = |cron: Option<Cron>, end: usize, cost: u8| Some(Found { value: cron, end, cost });
        if let Some(days) = self.weekdays(at) {
            return made(Some(Cron::days("*", &days.value)), days.end, days.cost);
        }
        let known = |sense| match sense {
            Sense::Every(Every::Weekdays) => Some("1-5"),
            Sense::Every(Every::Weekends) | Sense::TimeUnit(TimeUnit::Weekend) => Some("6,0"),
            _ => None,
        };
        if let Some(days) = self.take(at, known) {
            return made(Some(Cron::days("*", days.value)), days.end, days.cost);
        }
        if let Some(part) = self.part(at) {
            let cron = Cron { part: Some(part.value), ..Cron::days("*", "*") };
            return made(Some(cron), part.end, part.cost);
        }
        // "every half hour", "ogni quarto d'ora"
        let piece = |sense| match sense {
            Sense::Hour(Hour::Half) => Some("*/30"),
            Sense::Hour(Hour::Quarter) => Some("*/15"),
            _ => None,
        };
        if let Some(piece) = self.take(at, piece) {
            let of = self.skip(piece.end, Sense::Relation(Relation::Of));
            let an = self.skip(of, Sense::TimeWord(TimeWord::An));
            if let Some(end) = self.word(an, Sense::TimeUnit(TimeUnit::Hour)) {
                return made(Some(Cron::step(piece.value.into(), "*".into())), end, piece.cost);
            }
        }
        if let Some((day, end)) = self.edge_of_month(at) {
            return made(day.map(|day| Cron::days(day, "*")), end, 0);
        }
        if let Some(dated) = self.day_of_year(at) {
            return made(Some(dated.value), dated.end, dated.cost);
        }
        let number = self.number(at);
        let (n, unit_at) = number.map_or((Some(1), at), |n| (self.whole(at, 1, 60).map(|n| n.value), n.end));
        if let Some(unit) = self.unit(unit_at) {
            return made(n.and_then(|n| every_unit(n, unit.value)), unit.end, unit.cost);
        }
        let day = self.day_number(at)?;
        // "every 5th of the month"; "every third Monday" and "every second week" have no line.
        let of = self.skip_small(day.end);
        if let Some(end) = self.word(of, Sense::TimeUnit(TimeUnit::Month)).filter(|_| of > day.end) {
            return made(Some(Cron::days(&day.value.0.to_string(), "*")), end, day.cost);
        }
        let unclear =
            self.unit(day.end).map(|unit| unit.end).or_else(|| Some(self.weekdays(day.end)?.end))?;
        made(None, unclear, day.cost)
    }

    /// "the first of every month", "il 16 di ogni mese", "the first Monday of each month".
    fn of_every_month(&self, at: usize) -> Option<Found<Option<Cron>>> {
        if let Some((day, end)) = self.edge_of_month(at) {
            return Some(Found { value: day.map(|day| Cron::days(day, "*")), end, cost: 0 });
        }
        let last =
            |sense| matches!(sense, Sense::Ordinal(-1) | Sense::Period(Period::Last)).then_some((0, true));
        let day = self.day_number(at).or_else(|| self.take(at, last))?;
        let named = self.weekdays(day.end);
        let plain = self.word(day.end, Sense::TimeUnit(TimeUnit::Day)).unwrap_or(day.end);
        let of = self.word(named.as_ref().map_or(plain, |named| named.end), Sense::Relation(Relation::Of))?;
        let each = self.word(self.skip(of, Sense::Idle), Sense::Every(Every::Each));
        let monthly = self.word(of, Sense::Every(Every::Monthly));
        let month = |at| self.word(at, Sense::TimeUnit(TimeUnit::Month));
        let end = monthly.or_else(|| month(each?))?;
        let cron = (named.is_none() && day.value.0 > 0).then(|| Cron::days(&day.value.0.to_string(), "*"));
        Some(Found { value: cron, end, cost: day.cost })
    }

    /// "the last day of every month", "ogni fine mese", "the start of each month": its day, where it has one.
    fn edge_of_month(&self, at: usize) -> Option<(Option<&'static str>, usize)> {
        let edge = |sense| match sense {
            Sense::TimeWord(TimeWord::Start) => Some(Some("1")),
            Sense::TimeWord(TimeWord::End) => Some(None),
            _ => None,
        };
        let edge = self.take(at, edge)?;
        let each = self.word(edge.end, Sense::Every(Every::Each));
        let led = |sense| (sense == Sense::Every(Every::Each)).then_some(());
        let repeated = each.is_some() || self.before(at, led).is_some();
        let month = self.word(each.unwrap_or(edge.end), Sense::TimeUnit(TimeUnit::Month));
        Some((edge.value, month.filter(|_| repeated)?))
    }

    /// "every 25 December".
    fn day_of_year(&self, at: usize) -> Option<Found<Cron>> {
        let month = |at| self.take(at, |sense| if let Sense::Month(n) = sense { Some(n) } else { None });
        let (day, month, end) = match month(at) {
            Some(month) => {
                let day = self.day_number(month.end)?;
                (day, month, day.end)
            }
            None => {
                let day = self.day_number(at)?;
                let month = month(self.skip(day.end, Sense::Relation(Relation::Of)))?;
                (day, month, month.end)
            }
        };
        let cron = Cron { month: month.value.to_string(), ..Cron::days(&day.value.0.to_string(), "*") };
        Some(Found { value: cron, end, cost: day.cost + month.cost })
    }

    /// "Monday", "Tuesdays and Thursdays".
    fn weekdays(&self, at: usize) -> Option<Found<String>> {
        let day = |at| {
            let day = |sense| match sense {
                Sense::Weekday(n) | Sense::Weekdays(n) => Some(n % 7),
                _ => None,
            };
            self.take(at, day)
        };
        let first = day(at)?;
        let mut found = Found { value: first.value.to_string(), end: first.end, cost: first.cost };
        loop {
            let comma = self.sign(found.end, &[',']).then_some(found.end + 1);
            let joint = comma.or_else(|| self.word(found.end, Sense::Operator(Operator::And)));
            let joint = joint.map(|joint| self.skip(joint, Sense::Operator(Operator::And)));
            let Some(next) =
                joint.and_then(|joint| day(joint).or_else(|| day(self.skip(joint, Sense::Idle))))
            else {
                return Some(found);
            };
            found.value = format!("{},{}", found.value, next.value);
            (found.end, found.cost) = (next.end, found.cost + next.cost);
        }
    }

    /// Over "on the", not over "at".
    fn skip_to_day(&self, at: usize) -> usize {
        let on = |sense| {
            matches!(sense, Sense::Idle | Sense::Relation(Relation::In) | Sense::TimeWord(TimeWord::On))
                .then_some(())
        };
        let at = at + usize::from(self.sign(at, &[',']));
        let next = self.take(at, on).map_or(at, |on| on.end);
        self.take(next, on).map_or(next, |on| on.end)
    }

    fn day_part(&self, at: usize) -> Option<DayPart> {
        let whole = self.part(at).map(|part| part.value);
        whole.or_else(|| self.part(self.skip(at, Sense::Idle)).map(|part| part.value))
    }

    /// The hours right after some tokens, or right before them.
    fn hours_beside<'t>(&self, from: usize, end: usize, times: &'t Times) -> Option<&'t super::time::Hours> {
        let next = times.hours.partition_point(|hours| hours.first.from < end);
        let after = times.hours.get(next).filter(|hours| self.only_small(end, hours.first.from));
        let before = times.hours[..next].iter().rev().find(|hours| hours.end() <= from);
        after.or_else(|| before.filter(|hours| self.only_small(hours.end(), from)))
    }

    /// Adds a recurrence with the days and hours that are said beside it.
    fn finish(&self, mut again: Again, times: &Times, all: &mut Vec<Mention>) -> Option<(usize, usize)> {
        let Some(mut cron) = again.cron.take() else { return self.unclear_again(&again, times, all) };
        let next = self.skip_to_day(again.end);
        match cron.open {
            Some(TimeUnit::Week) => match self.weekdays(next).or_else(|| self.weekdays(again.end)) {
                Some(days) => (cron.weekday, again.end) = (days.value, days.end),
                None => again.cost += DEFAULT,
            },
            Some(TimeUnit::Month) => {
                match self.day_number(next).filter(|day| next > again.end && !self.is_counted(day.end)) {
                    Some(day) => (cron.day, again.end) = (day.value.0.to_string(), day.end),
                    None => again.cost += DEFAULT,
                }
            }
            Some(_) => {
                let Some(dated) = self.day_of_year(next) else {
                    return self.unclear_again(&again, times, all);
                };
                (cron.day, cron.month, again.end) = (dated.value.day, dated.value.month, dated.end);
            }
            None => {}
        }
        self.except(&mut cron, &mut again);
        if let Some(part) = self.part(self.skip_small(again.end)) {
            (cron.part, again.end) = (Some(part.value), part.end);
        }
        self.add_hours(cron, &again, times, all)
    }

    /// Adds a recurrence that has no line, with the hours beside it.
    fn unclear_again(&self, again: &Again, times: &Times, all: &mut Vec<Mention>) -> Option<(usize, usize)> {
        let hours = self.hours_beside(again.from, again.end, times);
        let from = hours.map_or(again.from, |hours| hours.first.from.min(again.from));
        let end = hours.map_or(again.end, |hours| hours.end().max(again.end));
        all.push(Mention { cost: again.cost, ..Mention::new(from, end, What::UnclearTime) });
        Some((from, end))
    }

    /// "except on Sundays": the days of the week that are left.
    fn except(&self, cron: &mut Cron, again: &mut Again) {
        let all = match cron.weekday.as_str() {
            "*" if cron.day == "*" => "1234560",
            "1-5" => "12345",
            _ => return,
        };
        let Some(named) = self.word(again.end, Sense::Operator(Operator::Except)) else { return };
        let named = self.skip_small(named);
        let weekend =
            |sense| matches!(sense, Sense::TimeUnit(TimeUnit::Weekend) | Sense::Every(Every::Weekends));
        let out = self.take(named, |sense| weekend(sense).then(|| "6,0".to_owned()));
        let Some(out) = out.or_else(|| self.weekdays(named)) else { return };
        let left: Vec<String> =
            all.chars().filter(|day| !out.value.contains(*day)).map(String::from).collect();
        let left = left.join(",");
        cron.weekday = if left == "1,2,3,4,5" { "1-5".to_owned() } else { left };
        again.end = out.end;
    }

    /// Adds the line with the hours beside it, with those said elsewhere, or with a default.
    fn add_hours(
        &self,
        mut cron: Cron,
        again: &Again,
        times: &Times,
        all: &mut Vec<Mention>,
    ) -> Option<(usize, usize)> {
        let (mut from, mut end) = (again.from, again.end);
        let beside = self.hours_beside(from, end, times);
        let elsewhere = || times.hours.iter().find(|hours| hours.last.is_none() && hours.first.from > end);
        let hours = beside.or_else(|| elsewhere().filter(|_| !cron.timed));
        let mut add = |from, end, line: String, cost| {
            all.push(Mention { cost, ..Mention::new(from, end, What::Schedule(line)) });
        };
        if cron.timed {
            // "every hour from 9 to 17"
            if let Some((first, last)) = beside.and_then(|hours| Some((hours.first, hours.last?)))
                && let Some(step) = cron.hour.strip_prefix('*')
                && first.hour < last.hour
            {
                cron.hour = format!("{}-{}{step}", first.hour, last.hour);
                (from, end) = (from.min(first.from), end.max(last.end));
            }
            add(from, end, cron.line(), again.cost);
            return again.sure.then_some((from, end));
        }
        let Some(hours) = hours else {
            cron.hour = match cron.part {
                Some(DayPart::Morning) => "8",
                Some(DayPart::Afternoon) => "15",
                Some(DayPart::Evening) => "20",
                Some(DayPart::Night) => "22",
                _ => "9",
            }
            .to_owned();
            add(from, end, cron.line(), again.cost + DEFAULT);
            return again.sure.then_some((from, end));
        };
        let (hour, minute) = hours.first.within(cron.part);
        let mut said = vec![hour];
        let mut last = hours.first.end;
        while let Some(clock) = self.also_at(last) {
            let (hour, other) = clock.within(cron.part);
            if other != minute {
                break;
            }
            said.push(hour);
            last = clock.end;
        }
        let text: Vec<String> = said.iter().map(i8::to_string).collect();
        (cron.minute, cron.hour) = (minute.to_string(), text.join(","));
        let cost = again.cost + hours.first.cost;
        if beside.is_some() {
            (from, end) = (from.min(hours.first.from), end.max(last));
            add(from, end, cron.line(), cost);
            self.other_half(&cron, &hours.first, (from, end), cost, &mut add);
            return again.sure.then_some((from, end));
        }
        // The hour stands elsewhere: both places carry the same value.
        add(from, end, cron.line(), cost + 1);
        add(hours.first.from, last, cron.line(), cost + 1);
        again.sure.then_some((from, end))
    }

    /// "every day at 7": in the evening, at a cost.
    fn other_half(
        &self,
        cron: &Cron,
        clock: &Clock,
        at: (usize, usize),
        cost: u8,
        add: &mut impl FnMut(usize, usize, String, u8),
    ) {
        if !clock.sure && clock.hour < 12 && cron.part.is_none() && !cron.hour.contains(',') {
            let cron = Cron { hour: ((clock.hour + 12) % 24).to_string(), ..cron.clone() };
            add(at.0, at.1, cron.line(), cost + DEFAULT);
        }
    }
}

/// Every `n` units, where that is a line of cron.
fn every_unit(n: i8, unit: TimeUnit) -> Option<Cron> {
    let step = || if n == 1 { "*".to_owned() } else { format!("*/{n}") };
    match unit {
        TimeUnit::Minute if n < 60 && 60 % n == 0 => Some(Cron::step(step(), "*".into())),
        TimeUnit::Hour if n < 24 && 24 % n == 0 => Some(Cron::step("0".into(), step())),
        TimeUnit::Day if n == 1 => Some(Cron::days("*", "*")),
        TimeUnit::Week if n == 1 => Some(Cron::open(TimeUnit::Week, "*", "1")),
        TimeUnit::Month if n == 1 => Some(Cron::open(TimeUnit::Month, "1", "*")),
        TimeUnit::Year if n == 1 => Some(Cron::open(TimeUnit::Year, "*", "*")),
        _ => None,
    }
}
