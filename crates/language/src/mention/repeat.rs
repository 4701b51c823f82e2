//! When something comes again, as cron. What cron cannot say exactly is a time without value.

use super::cron::Cron;
use super::time::{Cursor, Hours, Times, every, month, part, unit, weekday, weekdays};
use super::{Mention, Reading, What};
use crate::sense::{DayPart, Every, Hour, Operator, Period, Relation, Sense, TimeUnit, TimeWord};

/// What a default costs that nobody said: an hour, or a day.
const DEFAULT: u8 = 2;

/// The tokens of a recurrence, without its hours.
#[derive(Clone, Copy, Debug)]
struct Again {
    from: usize,
    end: usize,
    cost: u8,
}

/// Adds what is said, and gives back the tokens that can be nothing else.
pub(super) fn read(reading: Reading<'_>, times: &Times, all: &mut Vec<Mention>) -> Vec<(usize, usize)> {
    let mut taken = Vec::new();
    let mut at = 0;
    while at < reading.lattice.tokens.len() {
        let mut here = reading.cursor(at);
        let Some((cron, sure)) = here.again(times) else {
            at += 1;
            continue;
        };
        let cron = cron.and_then(|cron| here.complete(cron));
        let again = Again { from: at, end: here.at, cost: here.cost };
        let place = reading.add_again(cron, &again, times, all);
        taken.extend(sure.then_some(place));
        at = here.at.max(at + 1);
    }
    taken
}

impl Cursor<'_> {
    /// A recurrence without its hours, and whether it can be nothing else. Without a line where cron has none.
    fn again(&mut self, times: &Times) -> Option<(Option<Cron>, bool)> {
        let from = self.at;
        let sure = |cron: Option<Cron>| (cron, true);
        // "for each year" groups things.
        let by = |start: usize| {
            let mut edges = self.reading.lattice.at(start).iter();
            edges.any(|edge| edge.sense == Sense::Relation(Relation::By) && edge.end >= from)
        };
        if from > 0 && by(from - 1) {
            return None;
        }
        if let Some(word) = self.take(every) {
            return Some(sure(match word {
                Every::Each => self.each()?,
                Every::Daily => {
                    Some(Cron { part: self.reading.cursor(from).day_part(), ..Cron::days("*", "*") })
                }
                Every::Weekdays => Some(Cron::days("*", "1-5")),
                Every::Weekends => Some(Cron::days("*", "6,0")),
                Every::Hourly => Some(Cron::step("0", "*")),
                Every::Weekly => Some(Cron::once_a(TimeUnit::Week)),
                Every::Monthly => Some(Cron::once_a(TimeUnit::Month)),
                Every::Yearly => Some(Cron::once_a(TimeUnit::Year)),
                Every::Other | Every::Twice => {
                    self.take(unit);
                    self.weekdays();
                    None
                }
                Every::Once => return None,
            }));
        }
        // "un giorno sì e uno no", "three times a day"
        let unclear =
            |here: &mut Self| here.length().filter(|_| here.eat(|sense| sense == Sense::Every(Every::Other)));
        let several =
            |here: &mut Self| here.number().filter(|_| here.eat(|sense| sense == Sense::Every(Every::Twice)));
        if self.all(unclear).is_some() || self.all(several).is_some() {
            return Some(sure(None));
        }
        if let Some(cron) = self.all(Self::of_every_month) {
            return Some(sure(cron));
        }
        // "Mondays"; "il lunedì" may also be one Monday.
        if self.peek(|here| here.take(weekdays)).is_some() {
            let plural = self.peek(|here| here.take(weekdays).map(|_| here.at == from + 1))?;
            self.cost += u8::from(!plural);
            return self.weekdays().map(|days| (Some(Cron::days("*", &days)), plural));
        }
        self.all(|here| here.day_to_day(times)).map(|cron| sure(Some(cron)))
    }

    /// "from Monday to Friday at 9": every week, where an hour stands beside it.
    fn day_to_day(&mut self, times: &Times) -> Option<Cron> {
        let from = self.at;
        if self.eat(|sense| matches!(sense, Sense::Relation(Relation::From | Relation::Between))) {
            self.idle();
        }
        let first = self.take(weekday)?;
        self.joint().filter(|leads| *leads)?;
        self.idle();
        let last = self.take(weekday)?;
        self.reading.hours_beside(from, self.at, times).filter(|_| first < last)?;
        Some(Cron::days("*", &format!("{first}-{last}")))
    }

    /// What stands after "every".
    fn each(&mut self) -> Option<Option<Cron>> {
        let days = |days: &str| Some(Some(Cron::days("*", days)));
        if let Some(names) = self.weekdays() {
            return days(&names);
        }
        if self.eat(|sense| sense == Sense::Every(Every::Weekdays)) {
            return days("1-5");
        }
        if self.eat(is_weekend) {
            return days("6,0");
        }
        if let Some(part) = self.take(part) {
            return Some(Some(Cron { part: Some(part), ..Cron::days("*", "*") }));
        }
        // "every half hour", "ogni quarto d'ora"
        let piece = |here: &mut Self| {
            let half = here.hour(Hour::Half);
            (half || here.hour(Hour::Quarter)).then_some(())?;
            here.tie(Relation::Of);
            here.word(TimeWord::An);
            let step = Cron::step(if half { "*/30" } else { "*/15" }, "*");
            here.eat(|sense| sense == Sense::TimeUnit(TimeUnit::Hour)).then_some(step)
        };
        if let Some(cron) = self.all(piece).or_else(|| self.all(Self::day_of_year)) {
            return Some(Some(cron));
        }
        if let Some(cron) = self.all(Self::edge_of_month) {
            return Some(cron);
        }
        let step = |here: &mut Self| {
            let n = if here.peek(Self::number).is_some() { here.number() } else { Some(1.0) }?;
            let unit = here.take(unit)?;
            #[allow(clippy::cast_possible_truncation, reason = "checked: whole and small")]
            let n = (n.fract() == 0.0 && (1.0..=60.0).contains(&n)).then_some(n as i8);
            Some(n.and_then(|n| Cron::every(n, unit)))
        };
        if let Some(cron) = self.all(step) {
            return Some(cron);
        }
        let (day, _) = self.day_number()?;
        // "every 5th of the month"; "every third Monday" and "every second week" have no line.
        let of_month = |here: &mut Self| here.small().then(|| here.eat(is_month)).filter(|found| *found);
        if self.all(of_month).is_some() {
            return Some(Some(Cron::days(&day.to_string(), "*")));
        }
        (self.take(unit).is_some() || self.weekdays().is_some()).then_some(None)
    }

    /// "the first of every month", "il 16 di ogni mese", "the last Monday of each month".
    fn of_every_month(&mut self) -> Option<Option<Cron>> {
        if let Some(cron) = self.all(Self::edge_of_month) {
            return Some(cron);
        }
        let last = |sense| sense == Sense::Ordinal(-1) || sense == Sense::Period(Period::Last);
        let day = self.all(Self::day_number).map(|(day, _)| day);
        (day.is_some() || self.eat(last)).then_some(())?;
        let named = self.weekdays().is_some();
        self.eat(|sense| !named && sense == Sense::TimeUnit(TimeUnit::Day));
        self.tie(Relation::Of).then_some(())?;
        self.idle();
        let monthly = self.eat(|sense| sense == Sense::Every(Every::Monthly));
        let each = monthly || self.eat(|sense| sense == Sense::Every(Every::Each)) && self.eat(is_month);
        each.then(|| day.filter(|_| !named).map(|day| Cron::days(&day.to_string(), "*")))
    }

    /// "the last day of every month", "ogni fine mese", "the start of each month".
    fn edge_of_month(&mut self) -> Option<Option<Cron>> {
        let each = |sense| sense == Sense::Every(Every::Each);
        let led = self.reading.follows(self.at, each);
        let first = self.word(TimeWord::Start);
        (first || self.word(TimeWord::End)).then_some(())?;
        let again = self.eat(each) || led;
        (again && self.eat(is_month)).then(|| first.then(|| Cron::days("1", "*")))
    }

    /// "25 December", "December 25th".
    fn day_of_year(&mut self) -> Option<Cron> {
        let first = self.take(month);
        let (day, _) = self.day_number()?;
        let month = first.or_else(|| {
            self.tie(Relation::Of);
            self.take(month)
        })?;
        Some(Cron { month: month.to_string(), ..Cron::days(&day.to_string(), "*") })
    }

    /// "Monday", "Tuesdays and Thursdays".
    fn weekdays(&mut self) -> Option<String> {
        let day = |sense| weekday(sense).or_else(|| weekdays(sense)).map(|day| day % 7);
        let mut days = self.take(day)?.to_string();
        let next = |here: &mut Self| {
            here.and().then_some(())?;
            here.take(day).or_else(|| here.idle().then(|| here.take(day)).flatten())
        };
        while let Some(day) = self.all(next) {
            days = format!("{days},{day}");
        }
        Some(days)
    }

    /// The part of the day in "mornings", "la sera".
    fn day_part(&mut self) -> Option<DayPart> {
        self.take(part).or_else(|| self.idle().then(|| self.take(part)).flatten())
    }

    /// Reads the day, the exceptions and the part of the day that are said after a recurrence.
    fn complete(&mut self, mut cron: Cron) -> Option<Cron> {
        // Over "on the", not over "at".
        let on = |sense| {
            matches!(sense, Sense::Idle | Sense::Relation(Relation::In) | Sense::TimeWord(TimeWord::On))
        };
        let mut next = *self;
        next.sign(&[',']);
        let led = next.eat(on);
        next.eat(on);
        match cron.open {
            Some(TimeUnit::Week) => match next.weekdays().or_else(|| {
                next = *self;
                next.weekdays()
            }) {
                Some(days) => (cron.weekday, *self) = (days, next),
                None => self.cost += DEFAULT,
            },
            Some(TimeUnit::Month) => match next.day_number().filter(|_| led && !next.is_counted()) {
                Some((day, _)) => (cron.day, *self) = (day.to_string(), next),
                None => self.cost += DEFAULT,
            },
            Some(_) => {
                self.cost += DEFAULT;
                let dated = next.day_of_year()?;
                (cron.day, cron.month, *self) = (dated.day, dated.month, next);
            }
            None => {}
        }
        if let Some(days) = self.all(|here| here.except(&cron)) {
            cron.weekday = days;
        }
        let said = |here: &mut Self| {
            here.small();
            here.take(part)
        };
        cron.part = self.all(said).or(cron.part);
        Some(cron)
    }

    /// "except on Sundays": the days of the week that are left.
    fn except(&mut self, cron: &Cron) -> Option<String> {
        let all = match cron.weekday.as_str() {
            "*" if cron.day == "*" => "1234560",
            "1-5" => "12345",
            _ => return None,
        };
        self.eat(|sense| sense == Sense::Operator(Operator::Except)).then_some(())?;
        self.small();
        let out = if self.eat(is_weekend) { "6,0".to_owned() } else { self.weekdays()? };
        let left: Vec<String> = all.chars().filter(|day| !out.contains(*day)).map(String::from).collect();
        Some(left.join(",")).map(|left| if left == "1,2,3,4,5" { "1-5".to_owned() } else { left })
    }
}

fn is_month(sense: Sense) -> bool {
    sense == Sense::TimeUnit(TimeUnit::Month)
}

fn is_weekend(sense: Sense) -> bool {
    matches!(sense, Sense::TimeUnit(TimeUnit::Weekend) | Sense::Every(Every::Weekends))
}

impl Reading<'_> {
    /// The hours right after some tokens, or right before them.
    fn hours_beside<'t>(&self, from: usize, end: usize, times: &'t Times) -> Option<&'t Hours> {
        let next = times.hours.partition_point(|hours| hours.first.from < end);
        let after = times.hours.get(next).filter(|hours| self.only_small(end, hours.first.from));
        let before = next.checked_sub(1).and_then(|last| times.hours.get(last));
        after.or_else(|| before.filter(|h| h.end() <= from && self.only_small(h.end(), from)))
    }

    /// Adds a recurrence with the hours beside it, with those said elsewhere, or with a default; its tokens.
    fn add_again(
        &self,
        cron: Option<Cron>,
        again: &Again,
        times: &Times,
        all: &mut Vec<Mention>,
    ) -> (usize, usize) {
        let beside = self.hours_beside(again.from, again.end, times);
        let around = |end: usize| match beside {
            Some(hours) => (again.from.min(hours.first.from), again.end.max(end)),
            None => (again.from, again.end),
        };
        let mut add = |(from, end): (usize, usize), what: What, cost: u8| {
            all.push(Mention { cost: again.cost + cost, ..Mention::new(from, end, what) });
        };
        let whole = around(beside.map_or(again.end, Hours::end));
        let Some(mut cron) = cron else {
            add(whole, What::UnclearTime, 0);
            return whole;
        };
        if cron.timed {
            // "every hour from 9 to 17"
            let range = beside.and_then(|hours| Some((hours.first.hour, hours.last?.hour)));
            let range = range.filter(|(first, last)| first < last && cron.hour.starts_with('*'));
            let at = if let Some((first, last)) = range {
                cron.hour = format!("{first}-{last}{}", &cron.hour[1..]);
                whole
            } else {
                (again.from, again.end)
            };
            add(at, What::Schedule(cron.line()), 0);
            return at;
        }
        let next = times.hours.partition_point(|hours| hours.first.from <= again.end);
        let elsewhere = || times.hours.get(next).filter(|hours| hours.last.is_none());
        let Some(hours) = beside.or_else(elsewhere) else {
            let hour = match cron.part {
                Some(DayPart::Morning) => "8",
                Some(DayPart::Afternoon) => "15",
                Some(DayPart::Evening) => "20",
                Some(DayPart::Night) => "22",
                _ => "9",
            };
            add(whole, What::Schedule(Cron { hour: hour.to_owned(), ..cron }.line()), DEFAULT);
            return whole;
        };
        // Several hours of a day have the same minutes.
        let (hour, minute) = hours.first.within(cron.part);
        (cron.minute, cron.hour) = (minute.to_string(), hour.to_string());
        let mut here = self.cursor(hours.first.end);
        let also =
            |here: &mut Cursor<'_>| Some(here.also_at()?.within(cron.part)).filter(|also| also.1 == minute);
        while let Some((also, _)) = here.all(also) {
            cron.hour = format!("{},{also}", cron.hour);
        }
        let at = around(here.at);
        let cost = hours.first.cost + u8::from(beside.is_none());
        add(at, What::Schedule(cron.line()), cost);
        if beside.is_none() {
            // The hour stands elsewhere: both places carry the same value.
            add((hours.first.from, here.at), What::Schedule(cron.line()), cost);
        } else if let Some(other) =
            hours.first.other_half().filter(|_| cron.part.is_none() && here.at == hours.first.end)
        {
            let other = Cron { hour: other.hour.to_string(), ..cron };
            add(at, What::Schedule(other.line()), cost + DEFAULT);
        }
        at
    }
}
