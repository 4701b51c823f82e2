//! How the house stands, at a glance.

use super::{AdminPage, For, broken};
use crate::api::resident;
use crate::house::House;
use crate::pages::Shell;
use crate::pages::plot::Plot;
use crate::who::Who;
use askama::Template;
use metnos_executor::Failure;
use serde::Serialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

/// How many days are drawn.
const DAYS: i64 = 30;
/// How many turns are looked at for how long they took.
const TIMED: u32 = 5_000;

#[derive(Serialize)]
pub(super) struct View {
    version: &'static str,
    up_seconds: u64,
    stopped: Option<String>,
    running: usize,
    queued: u32,
    streams: i64,
    resident_bytes: u64,
    waiting: usize,
    knocking: usize,
    executors: usize,
    out_of_use: usize,
    turns: Plot,
    /// p50 drawn strong, p95 behind it; in milliseconds.
    latency: Plot,
    sizes: Vec<(&'static str, u64)>,
}

#[derive(Template)]
#[template(path = "admin/overview.html")]
pub(super) struct Page {
    shell: Shell,
    view: View,
}

impl AdminPage for Page {
    const NAME: &'static str = "overview";
    const FOR: For = For::HostOr("/admin/turns");
    type Asked = ();
    type View = View;

    fn look(house: &House, who: &Who, (): Self::Asked) -> Result<View, Failure> {
        look(house, who)
    }

    fn draw(shell: Shell, view: View) -> Self {
        Self { shell, view }
    }
}

fn look(house: &House, who: &Who) -> Result<View, Failure> {
    let runtime = house.runtime();
    let executors = runtime.executor_counts();
    let (running, queued) = house.hub.load();
    let now = jiff::Timestamp::now();
    let since = now.saturating_sub(jiff::SignedDuration::from_hours(24 * (DAYS - 1))).unwrap_or(now);
    let millis = u64::try_from(since.as_millisecond()).unwrap_or(0) / 86_400_000 * 86_400_000;
    let from = metnos_executor::Ulid::from_parts(millis, 0).to_string();
    let counted = runtime.db().turns_a_day(&from).map_err(broken)?;
    let mut times: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for (day, phases) in runtime.db().turn_phases(&from, TIMED).map_err(broken)? {
        times.entry(day).or_default().push(milliseconds(&phases));
    }
    let days: Vec<String> = (0..DAYS)
        .filter_map(|n| since.checked_add(jiff::SignedDuration::from_hours(24 * n)).ok())
        .map(|at| at.strftime("%Y-%m-%d").to_string())
        .collect();
    let turns = days.iter().map(|day| {
        let found = counted.iter().find(|counted| counted.day == *day);
        (day.clone(), found.map_or(0.0, |day| day.turns as f64), found.map_or(0.0, |day| day.good as f64))
    });
    let latency = days.iter().map(|day| {
        let mut taken = times.remove(day).unwrap_or_default();
        taken.sort_by(f64::total_cmp);
        (day.clone(), percentile(&taken, 95), percentile(&taken, 50))
    });
    Ok(View {
        version: env!("CARGO_PKG_VERSION"),
        up_seconds: house.since.elapsed().as_secs(),
        stopped: metnos_runtime::halt::stopped(&runtime.home).map(|stopped| stopped.to_string()),
        running,
        queued,
        streams: house.counts.streams.load(Ordering::Relaxed),
        resident_bytes: resident(),
        waiting: house.waiting(who)?.len(),
        knocking: runtime.knocks()?.len(),
        executors: executors.in_use,
        out_of_use: executors.out_of_use,
        turns: Plot::new(turns.collect()),
        latency: Plot::new(latency.collect()),
        sizes: super::sizes(house),
    })
}

/// How long the phases of a turn took together.
pub(super) fn milliseconds(phases: &str) -> f64 {
    let Ok(Value::Object(phases)) = serde_json::from_str(phases) else { return 0.0 };
    let one = |(name, value): (&String, &Value)| {
        let value = value.as_f64().unwrap_or(0.0);
        if name.ends_with("_ms") { value } else { value / 1000.0 }
    };
    phases.iter().map(one).sum()
}

/// The value that so many of a hundred do not pass, of values in order.
fn percentile(values: &[f64], of: usize) -> f64 {
    let at = (values.len() * of).div_ceil(100).saturating_sub(1);
    values.get(at).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_nothing_one_and_many() {
        assert_eq!(percentile(&[], 95), 0.0);
        assert_eq!(percentile(&[7.0], 50), 7.0);
        let many: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!((percentile(&many, 50), percentile(&many, 95)), (50.0, 95.0));
    }

    #[test]
    fn phases_are_summed_in_one_unit() {
        assert!((milliseconds(r#"{"intent_us":500,"exec_ms":2.5}"#) - 3.0).abs() < 1e-9);
        assert_eq!(milliseconds("damaged"), 0.0);
    }
}
