//! What a hostile cell says to the daemon, what it does to what it was given, and what Python asks
//! of the host.

use crate::attack::{Attack, reported};
use crate::house::{House, SECRET};
use serde_json::{Value, json};

const NATIVE: &str = "get_signatures_candidates";
const PYTHON: &str = "read_urls_candidates";

/// A hostile cell that answers for itself wins when the daemon passes its answer on.
fn believed(_: &House, answer: &Value) -> bool {
    answer["ok"] == true && answer["error"].is_null()
}

pub(super) fn attacks() -> Vec<Attack> {
    let mut attacks = vec![
        Attack::new("unsealed-answer", "native", "seal", NATIVE).won(believed),
        Attack::new("truncate-entries", "native", "seal", NATIVE).with(listed("truncate-entries")),
        Attack::new("rewrite-entries", "native", "seal", NATIVE).with(listed("rewrite-entries")),
        Attack::new("oversized-answer", "native", "output-bound", NATIVE)
            .with(|_| json!({ "attack": "oversized-answer", "n": 200 }))
            .won(believed),
    ];
    for name in ["schema-answer", "miscounted-answer", "endless-item", "scalar-answer"] {
        attacks.push(Attack::new(name, "native", "schema", NATIVE).won(believed));
    }
    let asked = |name, attack: &'static str, target: &'static str| {
        Attack::new(name, "python", "host-check", PYTHON).with(move |house: &House| {
            json!({ "attack": attack, "target": target, "paths": [house.text("home/docs/open.txt")] })
        })
    };
    attacks.extend([
        asked("ctx-reads-device", "read", "/dev/null"),
        asked("ctx-reads-by-dotdot", "read", "/tmp/.cell/../../dev/null"),
        asked("ctx-stats-the-cell", "stat", "/proc/self"),
        asked("ctx-stats-by-dotdot", "stat", "/dev/../proc/1"),
        Attack::new("forged-origin", "python", "origin-floor", PYTHON)
            .with(|house| json!({ "attack": "forge-origin", "paths": [house.text("home/docs/open.txt")] }))
            .won(|_, answer| reported(answer).is_some_and(|item| item["_origin"] == "user")),
        Attack::new("forged-origin-of-content", "python", "origin-floor", PYTHON)
            .with(|house| json!({ "attack": "read-first", "paths": [house.text("home/other/secret.txt")] }))
            .won(|_, answer| {
                reported(answer).is_some_and(|item| item["_origin"] == "local" && item["got"] == SECRET)
            }),
    ]);
    for (name, executor) in [
        ("rule-eval", "get_persons_candidates"),
        ("rule-dunder-walk", "get_persons_graylist"),
        ("rule-import", "get_persons_blacklist"),
        ("rule-computed-attribute", "get_persons_whitelist"),
    ] {
        attacks.push(Attack::new(name, "cpython", "static-check", executor));
    }
    attacks
}

fn listed(attack: &'static str) -> impl Fn(&House) -> Value + Clone + 'static {
    move |_| json!({ "attack": attack, "entries": [{ "given": "by the daemon" }] })
}
