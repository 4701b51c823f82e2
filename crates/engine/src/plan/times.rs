//! Words about when among those that say what is to be done: what no reader of times took would be lost.

use crate::parse::Item;
use crate::text::Lit;

/// Senses of what repeats.
const REPEATS: [&str; 10] =
    ["daily", "weekdays", "weekend", "hourly", "weekly", "monthly", "yearly", "other", "half", "quarter"];

/// What a number before them counts.
const COUNTED: [&str; 4] = ["unit", "size_unit", "noun", "measure"];

/// Words for a time among those that are to be done at another: "except on Sundays", "and at 9", "until Friday".
pub(super) fn more_time(rest: &[&Item]) -> Vec<String> {
    let rest = Rest(rest);
    (0..rest.0.len()).filter(|at| rest.times(*at)).map(|at| rest.0[at].text.clone()).collect()
}

/// What is left of a request without the words that were read as its time.
struct Rest<'a>(&'a [&'a Item]);

impl Rest<'_> {
    fn item(&self, at: usize) -> Option<&Item> {
        self.0.get(at).copied()
    }

    fn has(&self, at: usize, cat: &str) -> bool {
        self.item(at).is_some_and(|item| item.sense(cat).is_some())
    }

    fn is(&self, at: usize, cat: &str, id: &str) -> bool {
        self.item(at).is_some_and(|item| item.is(cat, id))
    }

    fn counts(&self, at: usize) -> bool {
        self.item(at).is_some_and(|item| item.number().is_some())
    }

    /// Whether something stands at `at` that a number before it counts.
    fn counted(&self, at: usize) -> bool {
        let unknown = |item: &Item| item.is_unknown() && matches!(item.lit, Lit::Word);
        COUNTED.iter().any(|cat| self.has(at, cat)) || self.item(at).is_some_and(unknown)
    }

    /// Whether a word says when.
    fn times(&self, at: usize) -> bool {
        let Some(item) = self.item(at) else { return false };
        let span = item.is("cue", "duration") && self.counts(at + 1) && self.has(at + 2, "unit");
        let day = item.sense("day").is_some_and(|day| !day.starts_with('-') && day != "0");
        let date = item.sense("month").is_some() && (self.counts(at + 1) || at > 0 && self.counts(at - 1));
        let named = item.sense("weekday").is_some() && (item.capital || item.norm.chars().count() > 3);
        matches!(item.lit, Lit::Clock(..) | Lit::Date(..))
            || REPEATS.iter().any(|id| item.is("every", id))
            || ["noon", "midnight"].iter().any(|id| item.is("clock", id))
            || ["day_part", "correction"].iter().any(|cat| item.sense(cat).is_some())
            || self.hour(at)
            || self.again(at)
            || self.numbered(at)
            || self.earlier(at)
            || span
            || day
            || date
            || named
    }

    /// "at 9", "from 9 to 17", "and 20".
    fn hour(&self, at: usize) -> bool {
        let other = |i: usize| ["unit", "size_unit", "noun"].iter().any(|cat| self.has(i, cat));
        let single = self.is(at, "clock", "at") && self.counts(at + 1) && !other(at + 2);
        let joined = self.is(at + 2, "clock", "to") || self.is(at + 2, "bound", "and");
        let both = self.counts(at + 1) && joined && self.counts(at + 3) && !self.counted(at + 4);
        let another = self.is(at, "then", "and") || self.is(at, "then", "or");
        let more = another && matches!(self.item(at + 1).map(|item| &item.lit), Some(Lit::Number(_)));
        single || self.is(at, "clock", "from") && both || more && !self.counted(at + 2)
    }

    /// "every Monday", "every two weeks", "every 5th".
    fn again(&self, at: usize) -> bool {
        let next = at + 1 + usize::from(self.counts(at + 1));
        let repeats = ["unit", "weekday", "day_part"].iter().any(|cat| self.has(next, cat));
        let nth = self.has(at + 1, "ordinal") && !self.counted(at + 2);
        self.is(at, "every", "every") && (repeats || nth)
    }

    /// "on the 20th", "on 5/6", "il 20.11": a day by its number.
    fn numbered(&self, at: usize) -> bool {
        let Some(item) = self.item(at) else { return false };
        let led = |on: usize| {
            self.is(on, "every", "on") || self.is(on, "prep", "of") || self.is(on, "bound", "since")
        };
        let before = at.checked_sub(1).is_some_and(led);
        let digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit() || b == b'/');
        let slashed = matches!(&item.lit, Lit::Slashed(text) if digits(text));
        let ordinal = item.sense("ordinal").is_some() && item.text.starts_with(|c: char| c.is_ascii_digit());
        let number = matches!(item.lit, Lit::Number(_)) || ordinal;
        let over = at.checked_sub(2).is_some_and(|on| led(on) && self.has(on + 1, "stop"));
        slashed && before || number && (before || over) && !self.counted(at + 1)
    }

    /// "30 minutes before the meeting", "un'ora prima": a time that is counted back from another.
    fn earlier(&self, at: usize) -> bool {
        let back = self.is(at + 2, "bound", "before")
            || self.has(at + 2, "ordinal")
            || self.is(at + 2, "age", "ago");
        self.counts(at) && self.has(at + 1, "unit") && back
    }
}
