//! `get_now`: the date and time of the call, here or in another zone.
//!
//! Zones come from the database compiled into the host: a cell has no zone files.

use super::words::{Words, data, say};
use crate::call::Call;
use jiff::tz::{TimeZone, TimeZoneDatabase};
use jiff::{SignedDuration, Zoned};
use metnos_executor::{Failure, Origin};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Args {
    timezone: Option<String>,
}

#[derive(Deserialize)]
struct Places {
    place: BTreeMap<String, String>,
}

/// Answers the moment of the call in the zone that was asked for.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let now = match args.timezone.as_deref().map(str::trim) {
        None | Some("") => call.now.clone(),
        Some(name) => call.now.with_time_zone(zone(name, &call.now)?),
    };
    let words = Words::of(&call.lang)?;
    let moment = json!({
        "timezone": zone_name(&now),
        "iso8601": now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string(),
        "epoch": now.timestamp().as_second(),
        "weekday": weekday(&words, &now),
    });
    call.set("content", content(&words, &now));
    call.set("metadata", moment.clone());
    call.emit(&moment, Origin::Local)?;
    call.outcome.ok_count = 1;
    Ok(())
}

fn content(words: &Words, now: &Zoned) -> String {
    let month = words.months.get(usize::from(now.month().unsigned_abs()).saturating_sub(1));
    say(
        &words.now,
        "content",
        &[
            ("weekday", weekday(words, now)),
            ("day", &now.day().to_string()),
            ("month", month.map_or("", String::as_str)),
            ("year", &now.year().to_string()),
            ("time", &now.strftime("%H:%M").to_string()),
            ("timezone", &zone_name(now)),
        ],
    )
}

fn weekday<'w>(words: &'w Words, now: &Zoned) -> &'w str {
    let index = usize::from(now.weekday().to_monday_zero_offset().unsigned_abs());
    words.weekdays.get(index).map_or("", String::as_str)
}

fn zone_name(now: &Zoned) -> String {
    now.time_zone().iana_name().map_or_else(|| now.offset().to_string(), str::to_owned)
}

/// The zone called `name`: its own name in any case, then a place people call otherwise, then the
/// last part of exactly one zone name.
fn zone(name: &str, now: &Zoned) -> Result<TimeZone, Failure> {
    let db = TimeZoneDatabase::bundled();
    if let Ok(zone) = db.get(&name.replace(' ', "_")) {
        return Ok(zone);
    }
    let city = name.to_lowercase().replace('_', " ");
    let places: Places = data(include_str!("../../data/zones.toml"), "the table of places")?;
    if let Some(zone) = places.place.get(&city).and_then(|place| db.get(place).ok()) {
        return Ok(zone);
    }
    let mut found: Vec<(String, TimeZone)> = db
        .available()
        .map(|zone| zone.to_string())
        .filter(|zone| {
            zone.rsplit('/').next().is_some_and(|last| last.to_lowercase().replace('_', " ") == city)
        })
        .filter_map(|zone| db.get(&zone).ok().map(|tz| (zone, tz)))
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    match found.as_slice() {
        [] => Err(Failure::wrong_args(format!("there is no time zone called {name:?}"))
            .with_hint("use an IANA name such as Europe/Rome, or the name of its city")),
        // The same zone is often listed under an old and a new name; the longer is the current one.
        [first, rest @ ..] if rest.iter().all(|other| same_clock(&first.1, &other.1, now)) => Ok(found
            .iter()
            .max_by_key(|(name, _)| name.len())
            .map_or_else(|| first.1.clone(), |(_, tz)| tz.clone())),
        _ => {
            let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
            Err(Failure::wrong_args(format!("{name:?} may be several time zones: {}", names.join(", ")))
                .with_hint("give the full name of one of them"))
        }
    }
}

/// True when both zones show the same time in every quarter of the year around `now`.
fn same_clock(a: &TimeZone, b: &TimeZone, now: &Zoned) -> bool {
    (0..4).all(|quarter| {
        let later = SignedDuration::from_hours(24 * 91 * quarter);
        let moment = now.timestamp().checked_add(later).unwrap_or(now.timestamp());
        a.to_offset(moment) == b.to_offset(moment)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use crate::testing::run as seed;
    use metnos_executor::ErrorClass;

    fn in_zone(name: &str) -> String {
        let ran = seed("get_now", json!({ "timezone": name }));
        assert!(ran.outcome.ok, "{name}: {:?}", ran.outcome.error);
        ran.items[0]["timezone"].as_str().unwrap().to_owned()
    }

    #[test]
    fn answers_in_the_persons_own_zone() {
        let ran = seed("get_now", json!({}));
        assert!(ran.outcome.ok);
        assert_eq!(ran.outcome.ok_count, 1);
        assert_eq!(
            ran.items,
            [json!({"timezone": "Europe/Rome", "iso8601": "2026-11-15T10:00:00+01:00",
                "epoch": 1_794_733_200, "weekday": "Sunday", "_origin": "local"})]
        );
        assert_eq!(ran.outcome.fields["content"], json!("Sunday, November 15, 2026, 10:00 (Europe/Rome)"));
        assert_eq!(ran.outcome.fields["metadata"]["weekday"], "Sunday");
    }

    #[test]
    fn speaks_italian() {
        let now: Zoned = "2026-03-03T09:05:00+01:00[Europe/Rome]".parse().unwrap();
        let text = content(&Words::of("it").unwrap(), &now);
        assert_eq!(text, "martedì 3 marzo 2026, ore 09:05 (Europe/Rome)");
    }

    #[test]
    fn converts_and_forgives_how_a_zone_is_written() {
        assert_eq!(in_zone("Asia/Tokyo"), "Asia/Tokyo");
        assert_eq!(in_zone("europe/rome"), "Europe/Rome");
        assert_eq!(in_zone("rome"), "Europe/Rome");
        assert_eq!(in_zone("New York"), "America/New_York");
        assert_eq!(in_zone("america/new york"), "America/New_York");
        assert_eq!(in_zone("Pechino"), "Asia/Shanghai");
        assert_eq!(in_zone("buenos aires"), "America/Argentina/Buenos_Aires");
        assert_eq!(in_zone("  "), "Europe/Rome");
        let ran = seed("get_now", json!({"timezone": "Asia/Kolkata"}));
        assert_eq!(ran.items[0]["iso8601"], "2026-11-15T14:30:00+05:30");
    }

    #[test]
    fn refuses_what_is_not_a_zone() {
        for name in ["Mars/Olympus", "../../etc/passwd", "\0", "ro\nme", &"x".repeat(5000)] {
            let error = seed("get_now", json!({ "timezone": name })).outcome.error.unwrap();
            assert_eq!(error.class, ErrorClass::WrongArgs, "{name}");
        }
    }

    #[test]
    fn every_place_has_a_zone() {
        let places: Places = data(include_str!("../../data/zones.toml"), "places").unwrap();
        for (place, zone) in places.place {
            assert!(TimeZoneDatabase::bundled().get(&zone).is_ok(), "{place}: {zone}");
            assert_eq!(place, place.to_lowercase());
        }
    }
}
