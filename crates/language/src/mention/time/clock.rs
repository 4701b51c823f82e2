//! Hours: "at 5pm", "half past six", "le sei e un quarto", "dalle 15 alle 16:30".

use super::words::Found;
use crate::mention::Reading;
use crate::sense::{DayPart, Hour, Operator, Relation, Sense, TimeUnit, TimeWord};
use crate::token::Lit;

/// A time of the day on its tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    /// Where it begins, with the word that leads to it.
    pub(crate) from: usize,
    /// Where the time itself begins.
    pub(crate) core: usize,
    pub(crate) end: usize,
    pub(crate) hour: i8,
    pub(crate) minute: i8,
    /// Whether it can be only one hour of the day.
    pub(crate) sure: bool,
    pub(crate) cost: u8,
    /// Whether its form says that it is an hour.
    pub(crate) marked: bool,
}

impl Clock {
    /// Hour and minute, in that part of the day where one is said.
    pub(crate) fn within(&self, part: Option<DayPart>) -> (i8, i8) {
        let hour =
            if self.sure { self.hour } else { part.map_or(self.hour, |part| hour_in(self.hour, part)) };
        (hour, self.minute)
    }
}

/// A time of the day, and another where it ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hours {
    pub(crate) first: Clock,
    pub(crate) last: Option<Clock>,
}

impl Hours {
    pub(crate) fn end(&self) -> usize {
        self.last.unwrap_or(self.first).end
    }
}

/// "8" in the evening is 20; "3" at night is 3.
fn hour_in(hour: i8, part: DayPart) -> i8 {
    match (part, hour) {
        (DayPart::Afternoon, 1..=7) | (DayPart::Evening | DayPart::Night, 5..=11) => hour + 12,
        (DayPart::Evening | DayPart::Night, 12) => 0,
        _ => hour,
    }
}

impl Reading<'_> {
    /// The hours that are said from a token on.
    pub(crate) fn hours_at(&self, at: usize) -> Option<Hours> {
        if let Some(hours) = self.dashed(at) {
            return Some(hours);
        }
        // "at", "alle" lead to an hour; "from", "after" lead to other things too.
        let strong = self.word(at, Sense::Hour(Hour::At));
        let bound =
            self.take(at, |sense| if let Sense::Relation(relation) = sense { Some(relation) } else { None });
        let opens = bound.is_some_and(|bound| matches!(bound.value, Relation::From | Relation::Between));
        let limits =
            bound.filter(|b| matches!(b.value, Relation::After | Relation::Before | Relation::Until));
        let core = match strong {
            Some(core) => self.skip(self.skip(core, Sense::Idle), Sense::Hour(Hour::OClock)),
            None if opens || limits.is_some() => bound?.end,
            None => at,
        };
        let mut first = self.core(core, strong.is_some())?;
        let last = self.last(&first).filter(|(_, leads)| *leads || opens);
        if let Some((last, _)) = last.filter(|_| strong.is_some() || opens || first.marked) {
            // "from 3 to 4pm": both are in the afternoon.
            let later = (first.hour + 12, first.minute) < (last.hour, last.minute);
            if last.sure && !first.sure && later {
                (first.hour, first.sure) = (first.hour + 12, true);
            }
            first.from = at;
            let cost = u8::from(!first.marked && !last.marked && strong.is_none());
            first.cost += cost;
            return Some(Hours { first, last: Some(Clock { cost: last.cost + cost, ..last }) });
        }
        let counts = self.is_counted(first.end);
        if !first.marked && counts {
            return None;
        }
        if !first.marked && strong.is_none() {
            first.cost += 1;
            limits.filter(|_| self.closes_hour(first.end))?;
        }
        if strong.is_some() || limits.is_some() {
            first.from = at;
        }
        Some(Hours { first, last: None })
    }

    /// Whether what follows a bare number leaves it an hour.
    fn closes_hour(&self, at: usize) -> bool {
        use Sense::{Day, Idle, Operator, Relation, Weekday};
        let small =
            |sense| matches!(sense, Relation(_) | Operator(_) | Idle | Day(_) | Weekday(_)).then_some(());
        matches!(self.lit(at), None | Some(Lit::Symbol(_))) || self.take(at, small).is_some()
    }

    /// The hour that another leads to, and whether "to" stands between them.
    fn last(&self, first: &Clock) -> Option<(Clock, bool)> {
        let (joint, leads) = self.joint(first.end)?;
        let at = self.word(first.end, Sense::Hour(Hour::At)).unwrap_or(joint);
        let at = self.skip(self.skip(at, Sense::Hour(Hour::At)), Sense::Idle);
        let last = self.core(at, true)?;
        (last.marked || !self.is_counted(last.end)).then_some((last, leads))
    }

    /// "22:00-23:30", "9-17" beside a day, "3-5pm".
    fn dashed(&self, at: usize) -> Option<Hours> {
        let lead = self.word(at, Sense::Hour(Hour::At));
        let core = lead.unwrap_or(at);
        let token = self.lattice.tokens.get(core).filter(|token| token.lit == Lit::Word)?;
        let digits = token.norm.trim_end_matches(char::is_alphabetic);
        let (first, last) = digits.split_once(['-', '–'])?;
        let read = |text: &str| {
            let (hour, minute) = text.split_once([':', '.']).unwrap_or((text, "0"));
            let (hour, minute) = (hour.parse().ok()?, minute.parse().ok()?);
            let sure = !(1..=12).contains(&hour) || text.starts_with('0');
            let clock = Clock { from: at, core, end: core + 1, hour, minute, sure, cost: 0, marked: true };
            ((0..24).contains(&hour) && (0..60).contains(&minute)).then_some(clock)
        };
        let (mut first, mut last) = (read(first)?, read(last)?);
        let suffix = self.lexicon.meanings(&token.norm[digits.len()..]).iter().find_map(|m| half(m.sense));
        let half =
            suffix.map(|half| (half, core + 1)).or_else(|| self.half(core + 1).map(|f| (f.value, f.end)));
        let day = |sense| matches!(sense, Sense::Weekday(_) | Sense::Day(_) | Sense::Month(_)).then_some(());
        let beside = self.before(core, day).is_some() || self.take(core + 1, day).is_some();
        if digits.len() < token.norm.len() && suffix.is_none()
            || !digits.contains(':') && lead.is_none() && half.is_none() && !beside
        {
            return None;
        }
        if let Some((half, end)) = half {
            let both = if last.hour > first.hour || half == Hour::Am { half } else { Hour::Am };
            first = Clock { hour: twelve(first.hour, both), sure: true, ..first };
            last = Clock { hour: twelve(last.hour, half), end, sure: true, ..last };
        }
        Some(Hours { first, last: Some(last) })
    }

    fn half(&self, at: usize) -> Option<Found<Hour>> {
        self.take(at, half)
    }

    /// The time itself, with what is said after it. A bare number only where a word led to it.
    fn core(&self, at: usize, led: bool) -> Option<Clock> {
        let clock = |hour: i8, minute: i8, end: usize, marked: bool, cost: u8| Clock {
            from: at,
            core: at,
            end,
            hour,
            minute,
            sure: !(1..=12).contains(&hour),
            cost,
            marked,
        };
        if let Some((minutes, next)) = self.minutes_from(at, led) {
            let hour = self.named_hour(next).or_else(|| self.whole(next, 0, 12))?;
            let (hour, minute) = moved(hour.value, minutes);
            return Some(self.after(clock(hour, minute, self.hour_end(next)?, true, 0)));
        }
        if let Some(named) = self.named_hour(at) {
            let mut found = clock(named.value, 0, named.end, true, named.cost);
            if let Some((minutes, end)) = self.minutes_after(named.end) {
                ((found.hour, found.minute), found.end) = (moved(named.value, minutes), end);
            }
            return Some(Clock { sure: true, ..found });
        }
        if let Some(Lit::Clock(hour, minute)) = self.lit(at) {
            let written = self.lattice.tokens.get(at).is_some_and(|token| token.text.starts_with('0'));
            let found = self.after(clock(*hour, *minute, at + 1, true, 0));
            return Some(Clock { sure: found.sure || written, ..found });
        }
        let text = self.lattice.tokens.get(at).map_or("", |token| &token.text);
        if let Some((hour, minute)) = dotted(text).filter(|_| led || self.half(at + 1).is_some()) {
            return Some(self.after(clock(hour, minute, at + 1, true, 0)));
        }
        let number = self.whole(at, 0, 24)?;
        let mut found = clock(number.value % 24, 0, number.end, false, number.cost);
        if let Some((minutes, end)) = self.minutes_after(number.end) {
            ((found.hour, found.minute), found.end, found.marked) = (moved(found.hour, minutes), end, true);
        } else if let Some(minutes) = self.whole(number.end, 10, 59).filter(|minutes| {
            // "at seven thirty"
            let words = self.lit(at) == Some(&Lit::Word) && self.lit(number.end) == Some(&Lit::Word);
            led && words && !self.is_counted(minutes.end)
        }) {
            (found.minute, found.end, found.marked) = (minutes.value, minutes.end, true);
        }
        Some(self.after(found))
    }

    fn hour_end(&self, at: usize) -> Option<usize> {
        self.named_hour(at).map(|hour| hour.end).or_else(|| self.whole(at, 0, 12).map(|hour| hour.end))
    }

    /// What follows an hour: "o'clock", "pm", "in the morning".
    fn after(&self, mut clock: Clock) -> Clock {
        if let Some(end) = self.word(clock.end, Sense::Hour(Hour::OClock)) {
            (clock.end, clock.marked) = (end, true);
        }
        if let Some(half) = self.half(clock.end) {
            clock.hour = twelve(clock.hour, half.value);
            // "7 a.m. tomorrow": the last point is cut off.
            let point = self.lattice.tokens.get(clock.end).is_some_and(|token| token.text.contains('.'));
            let end = half.end + usize::from(point && self.sign(half.end, &['.']));
            (clock.end, clock.sure, clock.marked) = (end, true, true);
            return clock;
        }
        let mut next = clock.end;
        for _ in 0..2 {
            let tie = |sense| {
                matches!(sense, Sense::Relation(Relation::In | Relation::Of) | Sense::Idle).then_some(())
            };
            next = self.take(next, tie).map_or(next, |tie| tie.end);
        }
        if let Some(part) = self.part(next).filter(|_| {
            next > clock.end && self.take(next, |s| matches!(s, Sense::Every(_)).then_some(())).is_none()
        }) {
            clock.hour = if clock.sure { clock.hour } else { hour_in(clock.hour, part.value) };
            (clock.end, clock.sure, clock.marked) = (part.end, true, true);
        }
        clock
    }

    /// Noon or midnight.
    fn named_hour(&self, at: usize) -> Option<Found<i8>> {
        let named = |sense| match sense {
            Sense::DayPart(DayPart::Noon) => Some(12),
            Sense::DayPart(DayPart::Midnight) => Some(0),
            _ => None,
        };
        self.take(at, named)
    }

    /// "half past", "a quarter to", "ten minutes past": minutes, and where the hour stands.
    fn minutes_from(&self, at: usize, led: bool) -> Option<(i8, usize)> {
        let start = self.skip(at, Sense::TimeWord(TimeWord::An));
        let part = self.part_of_hour(start);
        let (minutes, mut next) = match part {
            Some(part) => (part.value, part.end),
            None => self.whole(at, 1, 59).map(|minutes| (minutes.value, minutes.end))?,
        };
        let unit = self.word(next, Sense::TimeUnit(TimeUnit::Minute));
        next = unit.unwrap_or(next);
        let past = self.word(next, Sense::Hour(Hour::Past));
        let to = self.word(next, Sense::Hour(Hour::To));
        let hour = past.or(to)?;
        // "5 to 8" alone is a range.
        let words = self.lit(at) == Some(&Lit::Word) && self.lit(hour) == Some(&Lit::Word);
        let sure = part.is_some() || unit.is_some() || words && (led || past.is_some());
        (sure && self.hour_end(hour).is_some())
            .then_some((if past.is_some() { minutes } else { -minutes }, hour))
    }

    /// "e dieci", "e un quarto", "e mezza", "meno venti": minutes said after the hour, and where they end.
    fn minutes_after(&self, at: usize) -> Option<(i8, usize)> {
        let (sign, next) = match self.word(at, Sense::Hour(Hour::Plus)) {
            Some(next) => (1, next),
            None => (-1, self.word(at, Sense::Hour(Hour::Less))?),
        };
        let an = self.skip(next, Sense::TimeWord(TimeWord::An));
        if let Some(part) = self.part_of_hour(an) {
            return Some((sign * part.value, part.end));
        }
        let minutes = self.whole(next, 1, 59)?;
        // "tre quarti"
        if let Some(part) =
            self.part_of_hour(minutes.end).filter(|part| part.value == 15 && minutes.value == 3)
        {
            return Some((sign * 45, part.end));
        }
        let end = self.skip(minutes.end, Sense::TimeUnit(TimeUnit::Minute));
        (end > minutes.end || !self.is_counted(end)).then_some((sign * minutes.value, end))
    }

    fn part_of_hour(&self, at: usize) -> Option<Found<i8>> {
        let part = |sense| match sense {
            Sense::Hour(Hour::Quarter) => Some(15),
            Sense::Hour(Hour::Half) => Some(30),
            _ => None,
        };
        self.take(at, part)
    }

    /// "at 8 and 20": another hour of the same day.
    pub(crate) fn also_at(&self, at: usize) -> Option<Clock> {
        let joined = self.sign(at, &[',']).then_some(at + 1);
        let next = joined.or_else(|| self.word(at, Sense::Operator(Operator::And)))?;
        let core = self.skip(next, Sense::Hour(Hour::At));
        self.core(core, true).filter(|clock| clock.marked || !self.is_counted(clock.end))
    }
}

/// Before or after noon.
fn half(sense: Sense) -> Option<Hour> {
    match sense {
        Sense::Hour(half @ (Hour::Am | Hour::Pm)) => Some(half),
        _ => None,
    }
}

/// The hour of the day that is 7 pm.
fn twelve(hour: i8, half: Hour) -> i8 {
    match half {
        Hour::Pm if hour < 12 => hour + 12,
        Hour::Am if hour == 12 => 0,
        _ => hour,
    }
}

/// So many minutes after the full hour, or before it.
fn moved(hour: i8, minutes: i8) -> (i8, i8) {
    let hour = if minutes < 0 { (hour + 23) % 24 } else { hour };
    (hour, minutes.rem_euclid(60))
}

/// "19.30", as a clock is written in many places.
fn dotted(text: &str) -> Option<(i8, i8)> {
    let (hour, minute) = text.split_once(['.', ',']).filter(|(_, minute)| minute.len() == 2)?;
    let (hour, minute) = (hour.parse().ok()?, minute.parse().ok()?);
    ((0..24).contains(&hour) && (0..60).contains(&minute)).then_some((hour, minute))
}
