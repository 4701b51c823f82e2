//! Dates in arguments: RFC 3339, a civil date-time, or a day, which starts where the person is.

use jiff::{Timestamp, Zoned, civil};
use metnos_executor::Failure;

/// The second at which `text` starts; `None` for no text.
pub(crate) fn second(text: Option<&str>, field: &str, now: &Zoned) -> Result<Option<i64>, Failure> {
    let Some(text) = text.map(str::trim).filter(|t| !t.is_empty()) else { return Ok(None) };
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(Some(moment.as_second()));
    }
    let day = text.parse::<civil::Date>().map(|d| d.at(0, 0, 0, 0));
    let civil = if text.len() > 10 { text.parse::<civil::DateTime>() } else { day };
    civil
        .and_then(|civil| civil.to_zoned(now.time_zone().clone()))
        .map(|zoned| Some(zoned.timestamp().as_second()))
        .map_err(|_| {
            Failure::wrong_args(format!("{field}: `{text}` is not a date such as 2026-11-15 or a date-time"))
        })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn a_day_starts_at_midnight_where_the_person_is() {
        let now: Zoned = "2026-11-15T10:00:00+01:00[Europe/Rome]".parse().unwrap();
        let at = |text: &str| second(Some(text), "modified_after", &now);
        let second_of = |text: &str| text.parse::<Timestamp>().unwrap().as_second();
        assert_eq!(at("2026-11-15").unwrap(), Some(second_of("2026-11-14T23:00:00Z")));
        assert_eq!(at("2026-11-15T08:00:00Z").unwrap(), Some(second_of("2026-11-15T08:00:00Z")));
        assert_eq!(at("2026-07-15T08:00:00").unwrap(), Some(second_of("2026-07-15T06:00:00Z")));
        assert_eq!(at("").unwrap(), None);
        assert!(at("yesterday").is_err());
        assert!(at("2026-02-30").is_err());
    }
}
