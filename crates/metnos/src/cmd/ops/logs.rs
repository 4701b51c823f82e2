//! `metnos logs`: what the daemon wrote down.

use crate::cmd::stop::Stop;
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::house::logbook::{self, Follow};
use serde_json::json;
use std::process::ExitCode;
use std::time::Duration;

/// How often it is looked for more.
const LOOK: Duration = Duration::from_millis(250);

/// The last lines, and with `follow` those that come.
pub(crate) fn run(printer: Printer, n: usize, follow: bool) -> Result<ExitCode, Failure> {
    let dir = crate::cmd::home()?.state_dir().join("logs");
    // First where to go on from, then what was before: a line may be shown twice, never lost.
    let mut more = Follow::from_end(&dir);
    let lines = logbook::last(&dir, n)?;
    if !follow {
        printer.value(&json!({ "lines": lines }));
    }
    for line in &lines {
        printer.say(line);
    }
    if lines.is_empty() && !follow {
        printer.say("the daemon has written nothing yet");
    }
    let stop = Stop::listen()?;
    while follow && !stop.asked() {
        for line in more.more()? {
            printer.value(&json!(line));
            printer.say(line);
        }
        std::thread::sleep(LOOK);
    }
    Ok(ExitCode::SUCCESS)
}
