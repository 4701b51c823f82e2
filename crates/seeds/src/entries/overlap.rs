//! Which stretches of time meet others. Stretches are half open, so that a meeting that ends at
//! ten does not meet one that starts at ten.

use super::field::{self, Cell, FieldName};
use super::moment::{Clock, Moment, Stretch};

const STARTS: [&str; 11] = [
    "start",
    "begin",
    "start_at",
    "starts_at",
    "from_date",
    "date",
    "taken_at",
    "exif.taken_at",
    "published",
    "mtime",
    "time",
];
const ENDS: [&str; 6] = ["end", "finish", "end_at", "ends_at", "to_date", "until"];

/// Finds the time of entries.
pub(super) struct Times {
    wanted: Vec<FieldName>,
    starts: usize,
}

impl Times {
    /// In the usual fields, or with the start in the field `key`.
    pub(super) fn new(key: Option<&str>) -> Self {
        let mut wanted: Vec<FieldName> = match key {
            Some(key) => vec![FieldName::new(key)],
            None => STARTS.iter().map(|name| FieldName::new(name)).collect(),
        };
        let starts = wanted.len();
        wanted.extend(ENDS.iter().map(|name| FieldName::new(name)));
        Self { wanted, starts }
    }

    /// The time of the entry on `line`. Without an end, a date is its whole day and a moment
    /// itself; a day that is given as an end is not part of the stretch, as in calendars.
    pub(super) fn of(&self, line: &[u8], clock: &Clock) -> Result<Stretch, String> {
        let found = field::pick(line, &self.wanted).map_err(|e| e.to_string())?;
        let (starts, ends) = found.split_at(self.starts.min(found.len()));
        let start = starts
            .iter()
            .find_map(|raw| clock.stretch(&Cell::of(*raw)))
            .ok_or("the entry has no time that can be read")?;
        let end = ends.iter().find_map(|raw| clock.read(&Cell::of(*raw)));
        Ok(match end {
            Some(end) if end > start.start => Stretch { start: start.start, end },
            _ => start,
        })
    }
}

/// A set of stretches that answers quickly whether one meets any of them.
pub(super) struct Timeline {
    starts: Vec<Moment>,
    latest_end: Vec<Moment>,
}

impl Timeline {
    /// Of these stretches.
    pub(super) fn new(mut stretches: Vec<Stretch>) -> Self {
        stretches.sort_unstable_by_key(|s| s.start);
        let starts = stretches.iter().map(|s| s.start).collect();
        let latest_end = stretches
            .iter()
            .scan(Moment::MIN, |latest, s| {
                *latest = s.end.max(*latest);
                Some(*latest)
            })
            .collect();
        Self { starts, latest_end }
    }

    /// True when `stretch` shares a moment with one of the set.
    pub(super) fn meets(&self, stretch: Stretch) -> bool {
        let before_its_end = self.starts.partition_point(|start| *start < stretch.end);
        let last = before_its_end.checked_sub(1).and_then(|at| self.latest_end.get(at));
        last.is_some_and(|end| *end > stretch.start)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;

    fn stretches() -> impl Strategy<Value = Vec<Stretch>> {
        let one = (0i128..50, 1i128..9).prop_map(|(start, len)| Stretch { start, end: start + len });
        prop::collection::vec(one, 0..12)
    }

    proptest! {
        #[test]
        fn the_timeline_finds_what_looking_at_each_finds(set in stretches(), asked in stretches()) {
            let line = Timeline::new(set.clone());
            for one in asked {
                let any = set.iter().any(|s| s.start < one.end && one.start < s.end);
                prop_assert_eq!(line.meets(one), any);
            }
        }
    }
}
