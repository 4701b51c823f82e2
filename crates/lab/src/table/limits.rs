//! More time, memory, processes, descriptors, space and answer than the profile allows.

use crate::attack::{Attack, reported};
use crate::house::House;
use serde_json::{Value, json};

const NATIVE: &str = "get_signatures_candidates";
const CPYTHON: &str = "get_contacts_blacklist";

/// Milliseconds, four times what may be used: the limit counts ticks and the attacker a finer clock, and where the
/// machine is itself a guest whose host is busy, ticks fall behind.
const BURN: u64 = 4000;

fn with_n(attack: &'static str, n: u64) -> impl Fn(&House) -> Value + Clone + 'static {
    move |_| json!({ "attack": attack, "n": n })
}

pub(super) fn attacks() -> Vec<Attack> {
    let bomb = |_: &House, answer: &Value| {
        let items = answer["entries"].as_array().map_or(0, Vec::len);
        items > 65
            || reported(answer).is_some_and(|item| item["got"].as_str().is_some_and(|t| t.len() > 65 << 10))
    };
    vec![
        Attack::new("hang", "native", "wall", "get_signatures_graylist").with(with_n("hang", 900)),
        Attack::new("hang", "cpython", "wall", "get_contacts_graylist").with(with_n("hang", 1500)),
        Attack::new("burn-processor", "native", "rlimits", NATIVE).with(with_n("burn", BURN)),
        Attack::new("burn-processor", "cpython", "rlimits", CPYTHON).with(with_n("burn", BURN)),
        Attack::new("raise-limits", "native", "rlimits", NATIVE).with(with_n("raise-limits", 0)),
        Attack::new("reserve-memory", "native", "rlimits", NATIVE).with(with_n("reserve", 1024)),
        Attack::new("open-many", "native", "rlimits", NATIVE).with(with_n("open-many", 300)),
        Attack::new("open-many", "cpython", "rlimits", CPYTHON).with(with_n("open-many", 300)),
        Attack::new("memory-bomb", "native", "watchdog", NATIVE).with(with_n("fill-memory", 120)),
        Attack::new("shared-memory-bomb", "native", "watchdog", NATIVE)
            .with(with_n("fill-shared-memory", 120)),
        Attack::new("memory-bomb", "cpython", "watchdog", CPYTHON).with(with_n("fill-memory", 160)),
        Attack::new("fork-bomb", "cpython", "watchdog", CPYTHON).with(with_n("fork-bomb", 20)),
        Attack::new("fill-tmp", "native", "tmp-size", NATIVE).with(with_n("fill-tmp", 8)),
        Attack::new("fill-tmp", "cpython", "tmp-size", CPYTHON).with(with_n("fill-tmp", 8)),
        Attack::new("memory-bomb", "python", "bounds", "get_urls_graylist").with(with_n("fill-memory", 45)),
        Attack::new("output-bomb", "native", "output-bound", NATIVE)
            .with(with_n("output-bomb", 100))
            .won(bomb),
        Attack::new("output-bomb", "python", "output-bound", "read_urls_candidates")
            .with(with_n("output-bomb", 100))
            .won(bomb),
    ]
}
