//! A place to stand between check and use, for attacks that swap files there.

use metnos_executor::lab;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// How long the attacker may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Waits after the fence is cut, if the test armed the folder `PAUSE`: says `at`, goes on at `go`.
pub(crate) fn pause() {
    let Some(dir) = lab::var("PAUSE").map(PathBuf::from) else { return };
    if !dir.join("armed").exists() || std::fs::write(dir.join("at"), "").is_err() {
        return;
    }
    let until = Instant::now() + PATIENCE;
    while Instant::now() < until && !dir.join("go").exists() {
        std::thread::sleep(Duration::from_millis(1));
    }
}
