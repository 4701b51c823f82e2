//! Hours: "at 5pm", "half past six", "le sei e un quarto", "dalle 15 alle 16:30".

use super::cursor::{Cursor, part, relation};
use crate::sense::{DayPart, Hour, Relation, Sense, TimeUnit, TimeWord};
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
        let part = part.filter(|_| !self.sure);
        (part.map_or(self.hour, |part| hour_in(self.hour, part)), self.minute)
    }

    /// Twelve hours later, where that may be meant.
    pub(crate) fn other_half(&self) -> Option<Self> {
        (!self.sure && self.hour < 12).then_some(Self { hour: self.hour + 12, sure: true, ..*self })
    }

    fn twelve(&mut self, half: Hour) {
        self.hour = match half {
            Hour::Pm if self.hour < 12 => self.hour + 12,
            Hour::Am if self.hour == 12 => 0,
            _ => self.hour,
        };
        (self.sure, self.marked) = (true, true);
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

/// Before or after noon.
fn half(sense: Sense) -> Option<Hour> {
    match sense {
        Sense::Hour(half @ (Hour::Am | Hour::Pm)) => Some(half),
        _ => None,
    }
}

impl Cursor<'_> {
    /// The hours that are said from here on.
    pub(crate) fn hours(&mut self) -> Option<Hours> {
        let from = self.at;
        if let Some(hours) = self.all(Self::dashed) {
            return Some(hours);
        }
        // "at", "alle" lead to an hour; "from", "after" lead to other things too.
        let bound = self.peek(|here| here.take(relation));
        let strong = self.hour(Hour::At);
        let opens = matches!(bound, Some(Relation::From | Relation::Between));
        let limits = matches!(bound, Some(Relation::After | Relation::Before | Relation::Until));
        if strong {
            self.idle();
            self.hour(Hour::OClock);
        } else if opens || limits {
            self.take(relation);
        }
        let mut first = self.clock(strong)?;
        let last = self.all(|here| {
            let leads = here.joint()?;
            let said = here.hour(Hour::At);
            here.idle();
            let last = here.clock(true)?;
            let counted = !last.marked && here.is_counted();
            let sure = strong || said || first.marked || last.marked;
            ((leads || opens) && (strong || opens || first.marked) && !counted)
                .then_some((last, u8::from(!sure)))
        });
        if let Some((mut last, cost)) = last {
            // "from 3 to 4pm": both are in the afternoon.
            let later = (first.hour + 12, first.minute) < (last.hour, last.minute);
            if last.sure && !first.sure && later {
                (first.hour, first.sure) = (first.hour + 12, true);
            }
            (first.from, first.cost, last.cost) = (from, first.cost + cost, last.cost + cost);
            return Some(Hours { first, last: Some(last) });
        }
        let led = strong || limits && self.closes_hour();
        if !first.marked && (!led || self.is_counted()) {
            return None;
        }
        first.cost += u8::from(!first.marked && !strong);
        if strong || limits {
            first.from = from;
        }
        Some(Hours { first, last: None })
    }

    /// Whether what follows a bare number leaves it an hour.
    fn closes_hour(&self) -> bool {
        use Sense::{Day, Idle, Operator, Relation, Weekday};
        matches!(self.lit(), None | Some(Lit::Symbol(_)))
            || self.is(|sense| matches!(sense, Relation(_) | Operator(_) | Idle | Day(_) | Weekday(_)))
    }

    /// "22:00-23:30", "9-17" beside a day, "3-5pm".
    fn dashed(&mut self) -> Option<Hours> {
        let from = self.at;
        let led = self.hour(Hour::At);
        let (core, token) = (self.at, self.token().filter(|token| token.lit == Lit::Word)?);
        let digits = token.norm.trim_end_matches(char::is_alphabetic);
        let (first, last) = digits.split_once(['-', '–'])?;
        let read = |text: &str| {
            let (hour, minute) = text.split_once([':', '.']).unwrap_or((text, "0"));
            let (hour, minute) = (hour.parse().ok()?, minute.parse().ok()?);
            let sure = !(1..=12).contains(&hour) || text.starts_with('0');
            let clock = Clock { from, core, end: core + 1, hour, minute, sure, cost: 0, marked: true };
            ((0..24).contains(&hour) && (0..60).contains(&minute)).then_some(clock)
        };
        let (mut first, mut last) = (read(first)?, read(last)?);
        let day = |sense| matches!(sense, Sense::Weekday(_) | Sense::Day(_) | Sense::Month(_));
        self.at += 1;
        let beside = self.reading.follows(core, day) || self.is(day);
        let suffix = &token.norm[digits.len()..];
        let joined = self.reading.lexicon.meanings(suffix).iter().find_map(|meaning| half(meaning.sense));
        let noon = joined.or_else(|| self.take(half));
        let clear = digits.contains(':') || led || noon.is_some() || beside;
        if !clear || !suffix.is_empty() && joined.is_none() {
            return None;
        }
        if let Some(noon) = noon {
            first.twelve(if last.hour > first.hour { noon } else { Hour::Am });
            last.twelve(noon);
            last.end = self.at;
        }
        Some(Hours { first, last: Some(last) })
    }

    /// The time itself, with what is said after it. A bare number only where a word led to it.
    pub(crate) fn clock(&mut self, led: bool) -> Option<Clock> {
        let core = self.at;
        let words = self.lit() == Some(&Lit::Word);
        let (hour, minute, marked) = self
            .all(|here| here.minutes_from(led))
            .or_else(|| self.all(Self::named_hour))
            .or_else(|| self.all(|here| here.digits(led)))
            .or_else(|| self.all(|here| here.counted_hour(led && words)))?;
        let named = self.reading.cursor(core).peek(Self::noon).is_some();
        let zero = self.reading.cursor(core).token().is_some_and(|token| token.text.starts_with('0'));
        let sure = named || zero || !(1..=12).contains(&hour);
        let mut clock = Clock { from: core, core, end: 0, hour, minute, sure, cost: self.cost, marked };
        self.after_hour(&mut clock);
        clock.end = self.at;
        Some(clock)
    }

    /// "10:30", "18.30" after a word that leads to it.
    fn digits(&mut self, led: bool) -> Option<(i8, i8, bool)> {
        let token = self.token()?;
        self.at += 1;
        if let Lit::Clock(hour, minute) = token.lit {
            return Some((hour, minute, true));
        }
        let (hour, minute) = token.text.split_once(['.', ',']).filter(|(_, minute)| minute.len() == 2)?;
        let (hour, minute) = (hour.parse().ok()?, minute.parse().ok()?);
        let clear = led || self.is(|sense| half(sense).is_some());
        (clear && (0..24).contains(&hour) && (0..60).contains(&minute)).then_some((hour, minute, true))
    }

    /// Noon or midnight.
    fn noon(&mut self) -> Option<i8> {
        self.take(|sense| match sense {
            Sense::DayPart(DayPart::Noon) => Some(12),
            Sense::DayPart(DayPart::Midnight) => Some(0),
            _ => None,
        })
    }

    fn named_hour(&mut self) -> Option<(i8, i8, bool)> {
        let hour = self.noon()?;
        let (hour, minute) = moved(hour, self.all(Self::minutes_after).unwrap_or(0));
        Some((hour, minute, true))
    }

    /// "7", "sette e dieci", "seven thirty".
    fn counted_hour(&mut self, led_word: bool) -> Option<(i8, i8, bool)> {
        let hour = self.whole(0, 24)? % 24;
        if let Some(minutes) = self.all(Self::minutes_after) {
            let (hour, minute) = moved(hour, minutes);
            return Some((hour, minute, true));
        }
        let word = led_word && self.lit() == Some(&Lit::Word);
        let minutes = self.all(|here| here.whole(10, 59).filter(|_| word && !here.is_counted()));
        Some((hour, minutes.unwrap_or(0), minutes.is_some()))
    }

    /// What follows an hour: "o'clock", "pm", "in the morning".
    fn after_hour(&mut self, clock: &mut Clock) {
        clock.marked |= self.hour(Hour::OClock);
        let point = self.token().is_some_and(|token| token.text.contains('.'));
        if let Some(noon) = self.take(half) {
            clock.twelve(noon);
            // "7 a.m. tomorrow": the last point is cut off.
            self.at += usize::from(point && self.is_sign(&['.']));
            return;
        }
        let said = self.all(|here| {
            let tie = |sense| matches!(sense, Sense::Relation(Relation::In | Relation::Of) | Sense::Idle);
            here.eat(tie).then_some(())?;
            here.eat(tie);
            here.take(part).filter(|_| !here.is(|sense| matches!(sense, Sense::Every(_))))
        });
        if let Some(part) = said {
            (clock.hour, clock.minute) = clock.within(Some(part));
            (clock.sure, clock.marked) = (true, true);
        }
    }

    /// "half past six", "a quarter to eight", "ten minutes past six".
    fn minutes_from(&mut self, led: bool) -> Option<(i8, i8, bool)> {
        let mut clear = led;
        let words = self.lit() == Some(&Lit::Word);
        let minutes = match self.all(Self::piece_of_hour) {
            Some(minutes) => {
                clear = true;
                minutes
            }
            None => self.whole(1, 59).filter(|_| words || { *self }.eat(is_minute))?,
        };
        clear |= self.eat(is_minute);
        let past = self.hour(Hour::Past);
        (past || self.hour(Hour::To)).then_some(())?;
        // "5 to 8" alone is a range.
        let hour_word = self.lit() == Some(&Lit::Word);
        let hour = self.noon().or_else(|| self.whole(0, 12))?;
        let (hour, minute) = moved(hour, if past { minutes } else { -minutes });
        (clear || past && hour_word).then_some((hour, minute, true))
    }

    /// "e dieci", "e un quarto", "e mezza", "meno venti": minutes said after the hour.
    fn minutes_after(&mut self) -> Option<i8> {
        let plus = self.hour(Hour::Plus);
        (plus || self.hour(Hour::Less)).then_some(())?;
        let minutes = match self.all(Self::piece_of_hour) {
            Some(minutes) => minutes,
            None => {
                let n = self.whole(1, 59)?;
                // "tre quarti"
                let quarters = self.all(Self::piece_of_hour).filter(|piece| *piece == 15 && n == 3);
                if quarters.is_none() && !self.eat(is_minute) && self.is_counted() {
                    return None;
                }
                if quarters.is_some() { 45 } else { n }
            }
        };
        Some(if plus { minutes } else { -minutes })
    }

    /// "a quarter", "half".
    fn piece_of_hour(&mut self) -> Option<i8> {
        self.word(TimeWord::An);
        self.take(|sense| match sense {
            Sense::Hour(Hour::Quarter) => Some(15),
            Sense::Hour(Hour::Half) => Some(30),
            _ => None,
        })
    }

    /// "at 8 and 20": another hour of the same day.
    pub(crate) fn also_at(&mut self) -> Option<Clock> {
        self.and().then_some(())?;
        self.hour(Hour::At);
        self.clock(true).filter(|clock| clock.marked || !self.is_counted())
    }
}

fn is_minute(sense: Sense) -> bool {
    sense == Sense::TimeUnit(TimeUnit::Minute)
}

/// So many minutes after the full hour, or before it.
fn moved(hour: i8, minutes: i8) -> (i8, i8) {
    (if minutes < 0 { (hour + 23) % 24 } else { hour }, minutes.rem_euclid(60))
}
