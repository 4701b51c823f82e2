//! Spans of days: relative days, weeks, months and years, weekdays, ages, bounds.

use super::Clause;
use crate::text::Lit;
use jiff::ToSpan;
use jiff::civil::Date;

/// A span of days that a phrase names.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Days {
    /// First day.
    pub(crate) from: Option<Date>,
    /// The day after the last.
    pub(crate) to: Option<Date>,
    /// The span that is meant when what is asked lies ahead.
    pub(crate) ahead: Option<(Date, Date)>,
    /// Where it begins when what is asked lies ahead, and has no end.
    pub(crate) later: Option<Date>,
    /// Reaches the present: the end is not a limit for what lies behind.
    pub(crate) open: bool,
}

impl Days {
    fn closed(from: Date, to: Date) -> Self {
        Self { from: Some(from), to: Some(to), ..Self::default() }
    }
    fn since(from: Date) -> Self {
        Self { from: Some(from), ..Self::default() }
    }
    fn until(to: Date) -> Self {
        Self { to: Some(to), ..Self::default() }
    }
}

impl Clause<'_> {
    /// The span named at `at`, and where the phrase ends.
    pub(crate) fn days(&self, at: usize) -> Option<(Days, usize)> {
        if !self.free(at) {
            return None;
        }
        self.age(at).or_else(|| self.bounded(at)).or_else(|| self.span(at))
    }

    /// "older than three months", "not touched for a year", "two weeks ago".
    fn age(&self, at: usize) -> Option<(Days, usize)> {
        let age = self.items[at].senses.iter().find(|s| s.cat == "age").map(|s| s.id.as_str());
        let (age, from) = match self.left_alone(at) {
            Some(from) => (Some("untouched"), from),
            None if age.is_some() => (age, self.skip_to_number(at + 1)),
            None => (None, at),
        };
        let n = self.number(from)?;
        let unit = self.sense(from + 1, "unit")?;
        let mut end = from + 2;
        let back = shift(self.clock.today(), unit, -n)?;
        let ago = self.is(end, "age", "ago");
        if ago {
            end += 1;
            // "two weeks ago or earlier"
            if self.is(end, "or_age", "or_older") {
                return Some((Days::until(back), end + 1));
            }
            if self.is(end, "or_age", "or_newer") {
                return Some((Days::since(back), end + 1));
            }
        }
        match age {
            Some("older" | "untouched") => Some((Days::until(back), end)),
            Some("newer") => Some((Days::since(back), end)),
            // "two years ago" is no day by which things that are changed are told.
            _ if ago && self.changes() && unit != "day" => None,
            _ if ago => Some((Days::closed(back, back.tomorrow().ok()?), end)),
            _ => None,
        }
    }

    /// "haven't been opened or changed for": a negation, what was not done, and where the number of units stands.
    fn left_alone(&self, at: usize) -> Option<usize> {
        self.sense(at, "not")?;
        let mut touched = false;
        for i in at + 1..(at + 9).min(self.len()) {
            let item = self.items.get(i).filter(|item| item.free())?;
            if item.number().is_some() && self.sense(i + 1, "unit").is_some() {
                return touched.then_some(i);
            }
            touched |= item.sense("touch").is_some();
            let links = ["touch", "stop", "subject", "then", "pron", "not", "age", "compare", "bound"];
            if !links.iter().any(|cat| item.sense(cat).is_some()) {
                return None;
            }
        }
        None
    }

    fn skip_to_number(&self, at: usize) -> usize {
        // "for more than three years": how much more is not said.
        let at = at + usize::from(self.is(at, "age", "older") && self.number(at).is_none());
        if self.number(at).is_none() && self.items.get(at).is_some_and(super::clause::only_stop) {
            at + 1
        } else {
            at
        }
    }

    /// "since Monday", "before 2024", "between March and May".
    fn bounded(&self, at: usize) -> Option<(Days, usize)> {
        let bounds: Vec<&str> =
            self.items[at].senses.iter().filter(|s| s.cat == "bound").map(|s| s.id.as_str()).collect();
        if bounds.is_empty() {
            return None;
        }
        let inner = self.skip_articles(at + 1);
        if bounds.contains(&"between")
            && let Some((first, next)) = self.day_or_span(inner)
            && self.is(next, "bound", "and")
            && !(self.sense(at, "prep").is_some() && self.only_joins(next))
            && let Some((second, end)) = self.span(self.skip_articles(next + 1))
        {
            // "from 3 to 7 March": the month comes once.
            let day = |last: Date| {
                let day = self.number(inner).and_then(small)?;
                Date::new(last.year(), last.month(), day).ok()
            };
            let from = first.from.or_else(|| second.from.and_then(day));
            let ahead = second.ahead.and_then(|(last, to)| {
                let from = first.ahead.map(|(from, _)| from).or(first.from);
                Some((from.or_else(|| day(last))?, to))
            });
            let ahead = ahead.filter(|(from, to)| from < to);
            return Some((Days { from, to: second.to, ahead, ..Days::default() }, end));
        }
        // "from next week on"
        if bounds.contains(&"between")
            && let Some((span, end)) = self.span(inner)
            && let Some(from) = span.from.filter(|_| self.goes_on_from(end))
        {
            let later = span.ahead.map(|(from, _)| from);
            return Some((Days { later, ..Days::since(from) }, end + 1));
        }
        if bounds.contains(&"since") {
            if let Some((span, end)) = self.span(inner) {
                // "after the 10th": the day itself is not meant.
                let strict = bounds.contains(&"beyond") && self.changes();
                let later = span.ahead.map(|(from, to)| if strict { to } else { from });
                let from = if strict { span.to.or(span.from) } else { span.from };
                return from.map(|from| (Days { later, ..Days::since(from) }, end));
            }
            let n = self.number(inner)?;
            let unit = self.sense(inner + 1, "unit")?;
            return Some((Days::since(shift(self.clock.today(), unit, -n)?), inner + 2));
        }
        if bounds.contains(&"before") {
            let (span, end) = self.span(inner)?;
            // "until Friday": that day is meant too.
            let one = |from: Option<Date>, to: Option<Date>| from.and_then(|from| from.tomorrow().ok()) == to;
            let whole = bounds.contains(&"until") && one(span.from, span.to);
            let ahead = span.ahead.map(|(from, to)| (self.clock.today(), if whole { to } else { from }));
            let to = if whole { span.to } else { span.from };
            return to.map(|to| (Days { ahead, ..Days::until(to) }, end));
        }
        None
    }

    /// "… on", "… onwards": what began then has no end.
    fn goes_on_from(&self, at: usize) -> bool {
        let last = self.items.get(at + 1).is_none_or(super::Item::is_symbol);
        self.is(at, "or_age", "or_newer") || self.is(at, "every", "on") && last
    }

    /// "from March and May": such an "and" names a second span, and no end of the first.
    fn only_joins(&self, at: usize) -> bool {
        let first = self.items[at].norm.split(' ').next().and_then(|word| self.lexicon.single(word));
        first.is_some_and(|word| word.senses.iter().any(|sense| sense.cat == "then" && sense.id == "and"))
    }

    fn day_or_span(&self, at: usize) -> Option<(Days, usize)> {
        self.span(at).or_else(|| {
            let day = self.number(at)?;
            ((1.0..=31.0).contains(&day) && self.is(at + 1, "bound", "and"))
                .then(|| (Days::default(), at + 1))
        })
    }

    fn skip_articles(&self, mut at: usize) -> usize {
        while self.items.get(at).is_some_and(|item| {
            item.free()
                && item.sense("stop").is_some()
                && item.number().is_none()
                && item.sense("noun").is_none()
                && item
                    .senses
                    .iter()
                    .all(|s| !matches!(s.cat.as_str(), "day" | "rel" | "month" | "weekday" | "unit"))
        }) {
            at += 1;
        }
        at
    }

    /// A day, week, month or year by its name.
    pub(crate) fn span(&self, at: usize) -> Option<(Days, usize)> {
        let item = self.items.get(at).filter(|item| item.free())?;
        if let Lit::Date(y, m, d) = item.lit {
            let day = Date::new(y, m, d).ok()?;
            return Some((Days::closed(day, day.tomorrow().ok()?), at + 1));
        }
        if let Some(offset) = item.sense("day").and_then(|id| id.parse::<i64>().ok()) {
            let day = self.clock.today().checked_add(offset.days()).ok()?;
            let mut days = Days::closed(day, day.tomorrow().ok()?);
            days.open = offset == 0;
            return Some((days, at + 1));
        }
        if let Some(rel) = item.sense("rel")
            && let Some(found) = self.relative(rel, at + 1)
        {
            return Some(found);
        }
        if let Some(found) = self.month(at).or_else(|| self.slashed_day(at)) {
            return Some(found);
        }
        if let Some(weekday) =
            item.sense("weekday").filter(|_| self.date_word(at)).and_then(|id| id.parse::<i8>().ok())
        {
            if let Some(found) = self.dated_weekday(weekday, at + 1) {
                return Some(found);
            }
            let after = self.sense(at + 1, "rel");
            return self.weekday(weekday, after).map(|days| (days, at + 1 + usize::from(after.is_some())));
        }
        if item.is("unit", "weekend") && self.sense(at + 1, "rel").is_none() {
            let (from, to) = self.weekend(0)?;
            let ahead = Some((from, to));
            return Some((Days { from: Some(from), to: Some(to), ahead, ..Days::default() }, at + 1));
        }
        // "la settimana scorsa", "il mese prossimo": the unit comes first.
        if item.sense("unit").is_some()
            && let Some(rel) = self.sense(at + 1, "rel")
            && self.sense(at + 2, "unit").is_none()
        {
            return self.relative(rel, at).map(|(days, _)| (days, at + 2));
        }
        if let Lit::Number(year) = item.lit
            && item.text.len() == 4
            && (1950.0..2100.0).contains(&year)
            && self.sense(at + 1, "unit").is_none()
            && self.sense(at + 1, "size_unit").is_none()
            && !at.checked_sub(1).is_some_and(|before| self.is(before, "cue", "pid"))
        {
            return self.year(small(year)?).map(|days| (days, at + 1));
        }
        None
    }

    /// Short names of months and days are words of their own; only a capital makes them dates.
    fn date_word(&self, at: usize) -> bool {
        let item = &self.items[at];
        let article = at.checked_sub(1).is_some_and(|b| self.lexicon.articles.contains(&self.items[b].norm));
        let long = item.text.chars().count() > 4;
        // "the sun", "the march": what has an article is a thing, where days and months have none.
        if article && !item.capital && !self.lexicon.articled_dates {
            return long && self.sense(at + 1, "noun").is_some();
        }
        item.capital || long || item.senses.len() == 1
    }

    fn relative(&self, rel: &str, at: usize) -> Option<(Days, usize)> {
        if let Some(n) = self.number(at).filter(|n| *n >= 1.0)
            && let Some(unit) = self.sense(at + 1, "unit")
        {
            let today = self.clock.today();
            let days = match rel {
                "last" => Days { from: Some(shift(today, unit, -n)?), open: true, ..Days::default() },
                "next" => Days::closed(today, shift(today, unit, n)?.tomorrow().ok()?),
                _ => return None,
            };
            return Some((days, at + 2));
        }
        if let Some(weekday) = self.sense(at, "weekday").and_then(|id| id.parse().ok()) {
            return self.weekday(weekday, Some(rel)).map(|days| (days, at + 1));
        }
        if let Some(found) = self.month(at)
            && rel == "last"
        {
            return Some(found);
        }
        let unit = self.sense(at, "unit")?;
        if unit == "weekend" {
            let (from, to) = self.weekend(match rel {
                "last" => -1,
                "next" => 1,
                _ => 0,
            })?;
            return Some((Days::closed(from, to), at + 1));
        }
        let today = self.clock.today();
        let step = match rel {
            "last" => -1.0,
            "next" => 1.0,
            _ => 0.0,
        };
        let start = match unit {
            "week" => today.checked_sub(i64::from(today.weekday().to_monday_zero_offset()).days()).ok()?,
            "month" => today.first_of_month(),
            "year" => today.first_of_year(),
            "quarter" => Date::new(today.year(), (today.month() - 1) / 3 * 3 + 1, 1).ok()?,
            "day" => today,
            _ => return None,
        };
        let from = shift(start, unit, step)?;
        let mut days = Days::closed(from, shift(from, unit, 1.0)?);
        days.open = step == 0.0;
        Some((days, at + 1))
    }

    /// Saturday and Sunday of this week, or so many weeks later.
    fn weekend(&self, weeks: i64) -> Option<(Date, Date)> {
        let today = self.clock.today();
        let days = 5 - i64::from(today.weekday().to_monday_zero_offset()) + 7 * weeks;
        let from = today.checked_add(days.days()).ok()?;
        Some((from, from.checked_add(2.days()).ok()?))
    }

    pub(crate) fn weekday(&self, weekday: i8, rel: Option<&str>) -> Option<Days> {
        let today = self.clock.today();
        let now = today.weekday().to_monday_one_offset();
        let back = (now - weekday).rem_euclid(7);
        let ahead = (weekday - now).rem_euclid(7);
        // The weekday it is today means the one a week away: today would have been called today.
        let before = today.checked_sub(i64::from(if back == 0 { 7 } else { back }).days()).ok()?;
        let after = today.checked_add(i64::from(if ahead == 0 { 7 } else { ahead }).days()).ok()?;
        let day = |d: Date| d.tomorrow().ok().map(|next| (d, next));
        let (from, to) = day(if rel == Some("next") { after } else { before })?;
        let mut days = Days::closed(from, to);
        if rel != Some("last") {
            days.ahead = day(after);
        }
        Some(days)
    }

    /// "October", "October 2025", "3 March", "March 3rd 2026".
    pub(super) fn month(&self, at: usize) -> Option<(Days, usize)> {
        let (day, month_at) = match self.number(at) {
            Some(n) if (1.0..=31.0).contains(&n) => {
                let next = if self.is(at + 1, "prep", "of") { at + 2 } else { at + 1 };
                (small(n), next)
            }
            _ => match self.ordinal_day(at) {
                Some(day) => (Some(day), at + 1 + usize::from(self.is(at + 1, "prep", "of"))),
                None => (None, at),
            },
        };
        let month: i8 = self.sense(month_at, "month")?.parse().ok()?;
        if !self.date_word(month_at) && day.is_none() {
            return None;
        }
        let mut end = month_at + 1;
        let mut day = day;
        if day.is_none()
            && let Some(said) = self.day_after_month(end)
        {
            day = Some(said);
            end += 1;
        }
        let year_at = if self.is(end, "prep", "of") || self.items.get(end).is_some_and(|i| i.is_comma()) {
            end + 1
        } else {
            end
        };
        let year = self.number(year_at).filter(|y| (1950.0..2100.0).contains(y)).and_then(small::<i16>);
        if year.is_some() {
            end = year_at + 1;
        }
        Some((self.of_year(month, day, year)?, end))
    }

    /// "October 3", "October 3rd": the day that follows its month, in digits.
    fn day_after_month(&self, at: usize) -> Option<i8> {
        let item = self.items.get(at).filter(|item| item.free())?;
        let counted = item.sense("ordinal").filter(|_| item.text.starts_with(|c: char| c.is_ascii_digit()));
        let day = match item.lit {
            Lit::Number(n) => small(n),
            _ => counted.and_then(|id| id.parse().ok()),
        };
        day.filter(|day| (1..=31).contains(day))
    }

    fn ordinal_day(&self, at: usize) -> Option<i8> {
        let id = self.sense(at, "ordinal")?;
        let next = if self.is(at + 1, "prep", "of") { at + 2 } else { at + 1 };
        self.sense(next, "month")?;
        id.parse().ok().filter(|n| *n > 0)
    }

    fn year(&self, year: i16) -> Option<Days> {
        let from = Date::new(year, 1, 1).ok()?;
        Some(Days::closed(from, Date::new(year + 1, 1, 1).ok()?))
    }
}

/// A whole number of a small type.
pub(crate) fn small<T: TryFrom<i64>>(n: f64) -> Option<T> {
    if n.fract() != 0.0 || n.abs() > 1e9 {
        return None;
    }
    #[allow(clippy::cast_possible_truncation, reason = "checked above: whole and below a billion")]
    T::try_from(n as i64).ok()
}

/// `n` units later; half units in smaller ones.
pub(crate) fn shift(day: Date, unit: &str, n: f64) -> Option<Date> {
    let whole: i64 = small(n * if unit == "year" { 12.0 } else { 2.0 })?;
    if whole.abs() > 40_000 {
        return None;
    }
    let span = match unit {
        "year" => whole.months(),
        "month" if whole % 2 == 0 => (whole / 2).months(),
        "quarter" if whole % 2 == 0 => (whole / 2 * 3).months(),
        "week" => (whole * 7 / 2).days(),
        "day" if whole % 2 == 0 => (whole / 2).days(),
        "month" => (whole * 15).days(),
        _ => return None,
    };
    day.checked_add(span).ok()
}
