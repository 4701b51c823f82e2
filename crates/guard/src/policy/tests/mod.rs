#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
mod file;
mod properties;
mod ruling;
mod table;

use super::*;
use jiff::Timestamp;

const SESSION: &str = "s1";

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn now() -> Timestamp {
    at(1_000_000)
}

fn registry() -> Registry {
    Registry::load().unwrap()
}

/// A grant to anna, on the terminal, given before and good until after [`now`].
fn grant(capability: &str, target: &str) -> Grant {
    Grant {
        id: "g1".into(),
        user: "anna".into(),
        channel: "terminal".into(),
        capability: capability.into(),
        executor: None,
        target: target.into(),
        scope: GrantScope::Always,
        created_at: at(900_000),
        expires_at: Some(at(1_100_000)),
        revoked_at: None,
        by: "anna".into(),
    }
}

fn rule(on: RuleOn, target: Option<&str>) -> Rule {
    Rule {
        id: "r1".into(),
        user: "anna".into(),
        on,
        target: target.map(str::to_owned),
        created_at: at(900_000),
        revoked_at: None,
        text: "never touch my photos.".into(),
    }
}

fn ask<'a>(capability: &'a str, place: Option<Place>, target: Target<'a>) -> Ask<'a> {
    Ask { place, target, ..Ask::new(capability, "move_files", "anna", "terminal") }
}

fn path(text: &str) -> Target<'_> {
    Target::Path(std::path::Path::new(text))
}
