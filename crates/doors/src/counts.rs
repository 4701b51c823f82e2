//! Numbers about the house, for a plot: what was asked, how it ended, how long it took.

use axum::http::StatusCode;
use metnos_gateway::Status;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Upper ends of the buckets, in seconds.
const BUCKETS: [f64; 10] = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 2.5, 10.0, 60.0];

/// How often something took how long.
#[derive(Clone, Debug, Default)]
struct Histogram {
    buckets: [u64; BUCKETS.len()],
    count: u64,
    seconds: f64,
}

impl Histogram {
    fn add(&mut self, took: Duration) {
        let seconds = took.as_secs_f64();
        for (count, _) in self.buckets.iter_mut().zip(BUCKETS).filter(|(_, most)| seconds <= *most) {
            *count += 1;
        }
        self.count += 1;
        self.seconds += seconds;
    }

    fn write(&self, out: &mut String, name: &str, labels: &str) {
        let comma = if labels.is_empty() { "" } else { "," };
        for (most, count) in BUCKETS.iter().zip(self.buckets) {
            let _ = writeln!(out, "{name}_bucket{{{labels}{comma}le=\"{most}\"}} {count}");
        }
        let _ = writeln!(out, "{name}_bucket{{{labels}{comma}le=\"+Inf\"}} {}", self.count);
        let _ = writeln!(out, "{name}_sum{{{labels}}} {}", self.seconds);
        let _ = writeln!(out, "{name}_count{{{labels}}} {}", self.count);
    }
}

/// The answers of one route: how many with which status, and how long they took.
type Route = (BTreeMap<u16, u64>, Histogram);

/// Everything that is counted since the start.
#[derive(Default)]
pub(crate) struct Counts {
    turns: Mutex<BTreeMap<&'static str, Histogram>>,
    requests: Mutex<BTreeMap<String, Route>>,
    pub(crate) streams: AtomicI64,
    pub(crate) refused: AtomicU64,
}

impl Counts {
    /// A turn, or a part of one, has ended; without a status it failed before its end.
    pub(crate) fn turn(&self, status: Option<Status>, took: Duration) {
        let word = status.map_or("error", Status::word);
        self.turns.lock().unwrap_or_else(PoisonError::into_inner).entry(word).or_default().add(took);
    }

    /// A request was answered.
    pub(crate) fn request(&self, route: &str, status: StatusCode, took: Duration) {
        if status == StatusCode::FORBIDDEN || status == StatusCode::UNAUTHORIZED {
            self.refused.fetch_add(1, Ordering::Relaxed);
        }
        let mut requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        if !requests.contains_key(route) {
            requests.insert(route.to_owned(), Default::default());
        }
        if let Some((codes, times)) = requests.get_mut(route) {
            *codes.entry(status.as_u16()).or_default() += 1;
            times.add(took);
        }
    }

    /// All of it, in the text form of Prometheus.
    pub(crate) fn text(&self, gauges: &[(&str, &str, f64)]) -> String {
        let mut out = String::new();
        for (name, help, value) in gauges {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
        }
        let _ = writeln!(
            out,
            "# HELP metnos_refused_total Requests refused.\n# TYPE metnos_refused_total counter"
        );
        let _ = writeln!(out, "metnos_refused_total {}", self.refused.load(Ordering::Relaxed));
        let _ = writeln!(
            out,
            "# HELP metnos_turn_seconds How long turns took.\n# TYPE metnos_turn_seconds histogram"
        );
        for (status, times) in self.turns.lock().unwrap_or_else(PoisonError::into_inner).iter() {
            times.write(&mut out, "metnos_turn_seconds", &format!("status=\"{status}\""));
        }
        let requests = self.requests.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(
            out,
            "# HELP metnos_http_requests_total Requests answered.\n# TYPE metnos_http_requests_total counter"
        );
        for (route, (codes, _)) in requests.iter() {
            for (code, count) in codes {
                let _ =
                    writeln!(out, "metnos_http_requests_total{{route=\"{route}\",code=\"{code}\"}} {count}");
            }
        }
        let _ = writeln!(
            out,
            "# HELP metnos_http_seconds How long they took.\n# TYPE metnos_http_seconds histogram"
        );
        for (route, (_, times)) in requests.iter() {
            times.write(&mut out, "metnos_http_seconds", &format!("route=\"{route}\""));
        }
        out
    }
}
