//! Limits per person and hour, over what was used in the last hour.

use crate::moment;
use jiff::{SignedDuration, Timestamp, tz::TimeZone};
use serde::{Deserialize, Serialize};

const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// How much one person may use in any hour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Calls of executors.
    pub calls_per_hour: u64,
    /// Calls that change the world.
    pub changes_per_hour: u64,
    /// What calls cost, in millionths of the currency.
    pub cost_per_hour: u64,
    /// A step that may cost more than this asks first, in millionths of the currency.
    pub ask_above_cost: u64,
    /// Turns that are begun over the doors of the daemon, in any minute.
    pub turns_per_minute: u64,
    /// Requests that are sent to them, in millions of bytes, in any minute.
    pub request_mb_per_minute: u64,
    /// What a guest may have here, in millions of bytes: their folder, their lists, what is kept for undo.
    pub guest_state_mb: u64,
}

impl Default for Limits {
    /// Far above what a person or a long script needs: they end what runs away, not what is busy.
    fn default() -> Self {
        Self {
            calls_per_hour: 100_000,
            changes_per_hour: 5_000,
            cost_per_hour: 1_000_000,
            ask_above_cost: 50_000,
            turns_per_minute: 60,
            request_mb_per_minute: 8,
            guest_state_mb: 500,
        }
    }
}

/// One call, as far as limits are concerned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Use {
    /// When it began.
    #[serde(with = "moment")]
    pub at: Timestamp,
    /// True when it changes the world.
    pub change: bool,
    /// Its cost, in millionths of the currency.
    pub cost: u64,
}

/// What ran out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Limit {
    /// Calls.
    Calls,
    /// Changes.
    Changes,
    /// Cost.
    Cost,
}

impl Limit {
    fn amount(self, used: &Use) -> u64 {
        match self {
            Self::Calls => 1,
            Self::Changes => used.change.into(),
            Self::Cost => used.cost,
        }
    }

    fn shown(self, amount: u64) -> String {
        match self {
            Self::Calls => format!("{amount} call{}", if amount == 1 { "" } else { "s" }),
            Self::Changes => format!("{amount} change{}", if amount == 1 { "" } else { "s" }),
            Self::Cost => format!("{}.{:02} of cost", amount / 1_000_000, amount % 1_000_000 / 10_000),
        }
    }
}

/// A limit that was reached.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{text}")]
pub struct OverLimit {
    /// Which one.
    pub limit: Limit,
    /// How much was used in the last hour.
    pub used: u64,
    /// How much may be.
    pub allowed: u64,
    /// When there is room again; none when there never is.
    #[serde(default, with = "moment::optional")]
    pub frees_at: Option<Timestamp>,
    /// The refusal, for the person.
    pub text: String,
}

impl OverLimit {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        "wait, or raise it under [limits] in the configuration"
    }
}

impl Limits {
    /// Whether `next` may begin, after what the same person used before; `zone` is theirs. Uses an
    /// hour old or older do not count; later ones do, also those a clock set back left in the future.
    pub fn check(&self, past: &[Use], next: &Use, zone: &TimeZone) -> Result<(), OverLimit> {
        let recent: Vec<&Use> = past.iter().filter(|used| next.at < until(used)).collect();
        let limits = [
            (Limit::Calls, self.calls_per_hour),
            (Limit::Changes, self.changes_per_hour),
            (Limit::Cost, self.cost_per_hour),
        ];
        limits.into_iter().try_for_each(|(limit, allowed)| room(limit, allowed, &recent, next, zone))
    }
}

/// Until when a use counts.
fn until(used: &Use) -> Timestamp {
    used.at.checked_add(HOUR).unwrap_or(Timestamp::MAX)
}

fn room(limit: Limit, allowed: u64, recent: &[&Use], next: &Use, zone: &TimeZone) -> Result<(), OverLimit> {
    let wanted = limit.amount(next);
    let used = recent.iter().fold(0u64, |sum, used| sum.saturating_add(limit.amount(used)));
    if wanted == 0 || used.saturating_add(wanted) <= allowed {
        return Ok(());
    }
    let frees_at = frees_at(limit, allowed, recent, wanted);
    let most = limit.shown(allowed);
    let text = match frees_at {
        Some(at) => {
            let clock = at.to_zoned(zone.clone()).strftime("%H:%M").to_string();
            format!("The limit of {most} in one hour is reached; there is room again at {clock}.")
        }
        None => format!("The limit is {most} in one hour, and this alone needs more."),
    };
    Err(OverLimit { limit, used, allowed, frees_at, text })
}

/// When enough of the oldest uses no longer count.
fn frees_at(limit: Limit, allowed: u64, recent: &[&Use], wanted: u64) -> Option<Timestamp> {
    let spare = allowed.checked_sub(wanted)?;
    let mut ends: Vec<(Timestamp, u64)> =
        recent.iter().map(|used| (until(used), limit.amount(used))).collect();
    ends.sort_unstable();
    let mut left = ends.iter().fold(0u64, |sum, (_, amount)| sum.saturating_add(*amount));
    ends.into_iter().find_map(|(end, amount)| {
        left = left.saturating_sub(amount);
        (left <= spare).then_some(end)
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use proptest::prelude::*;

    const LIMITS: Limits = Limits {
        calls_per_hour: 3,
        changes_per_hour: 1,
        cost_per_hour: 500_000,
        ask_above_cost: 0,
        turns_per_minute: 0,
        request_mb_per_minute: 0,
        guest_state_mb: 0,
    };

    fn used(minute: i64, change: bool, cost: u64) -> Use {
        Use { at: Timestamp::from_second(minute * 60).unwrap(), change, cost }
    }

    fn refusal(past: &[Use], next: &Use) -> String {
        LIMITS.check(past, next, &TimeZone::UTC).unwrap_err().text
    }

    #[test]
    fn a_refusal_says_what_and_until_when() {
        let calls = [used(10, false, 0), used(5, false, 0), used(20, false, 0)];
        let text = "The limit of 3 calls in one hour is reached; there is room again at 01:05.";
        assert_eq!(refusal(&calls, &used(30, false, 0)), text);
        let text = "The limit of 1 change in one hour is reached; there is room again at 01:10.";
        assert_eq!(refusal(&[used(10, true, 0)], &used(30, true, 0)), text);
        let costs = [used(1, false, 200_000), used(2, false, 300_000)];
        let text = "The limit of 0.50 of cost in one hour is reached; there is room again at 01:02.";
        assert_eq!(refusal(&costs, &used(30, false, 400_000)), text);
        let text = "The limit is 0.50 of cost in one hour, and this alone needs more.";
        assert_eq!(refusal(&[], &used(30, false, 500_001)), text);
    }

    #[test]
    fn what_is_an_hour_old_no_longer_counts() {
        let calls = [used(0, true, 0), used(1, false, 0), used(2, false, 0)];
        assert!(LIMITS.check(&calls, &used(59, false, 0), &TimeZone::UTC).is_err());
        assert!(LIMITS.check(&calls, &used(60, true, 0), &TimeZone::UTC).is_ok());
        assert!(LIMITS.check(&[], &used(0, true, 500_000), &TimeZone::UTC).is_ok());
    }

    #[test]
    fn reading_goes_on_when_changes_and_money_ran_out() {
        let past = [used(1, true, 500_000)];
        assert!(LIMITS.check(&past, &used(2, false, 0), &TimeZone::UTC).is_ok());
        assert!(LIMITS.check(&past, &used(2, true, 0), &TimeZone::UTC).is_err());
        assert!(LIMITS.check(&past, &used(2, false, 1), &TimeZone::UTC).is_err());
    }

    #[test]
    fn a_clock_set_back_frees_nothing() {
        let past = [used(500, true, 0)];
        let over = LIMITS.check(&past, &used(1, true, 0), &TimeZone::UTC).unwrap_err();
        assert_eq!(over.frees_at, Some(used(560, true, 0).at));
    }

    proptest! {
        #[test]
        fn at_the_moment_it_names_there_is_room(
            past in prop::collection::vec((0..60i64, any::<bool>(), 0..400_000u64), 0..8), change: bool, cost in 0..500_000u64,
        ) {
            let past: Vec<Use> = past.into_iter().map(|(minute, change, cost)| used(minute, change, cost)).collect();
            let mut next = used(59, change, cost);
            // Each limit names its own moment; after three every one has passed.
            for _ in 0..3 {
                if let Err(over) = LIMITS.check(&past, &next, &TimeZone::UTC) {
                    let at = over.frees_at.unwrap();
                    prop_assert!(at > next.at);
                    next.at = at;
                }
            }
            prop_assert!(LIMITS.check(&past, &next, &TimeZone::UTC).is_ok());
        }
    }
}
