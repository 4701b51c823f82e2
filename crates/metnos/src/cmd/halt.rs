//! `metnos stop` and `metnos resume`.

use super::USER;
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::halt::{self, Stopped};
use serde_json::json;
use std::process::ExitCode;

/// Halts everything, then waits until it stands still. The flag comes first and needs nothing else: it
/// also works when the database, the audit or the configuration do not.
pub(crate) fn stop(printer: Printer, reason: Option<String>) -> Result<ExitCode, Failure> {
    let home = super::home()?;
    if !home.keys_dir().exists() {
        return Err(Failure::wrong_args("Metnos is not set up here").with_hint("metnos init"));
    }
    let before = halt::stopped(&home);
    if before.is_none() {
        let stopped = Stopped { by: USER.into(), at: jiff::Timestamp::now().to_string(), reason };
        halt::raise(&home, &stopped)?;
        // It stays stopped, whatever else goes wrong.
        super::runtime(false).and_then(|runtime| runtime.note_stop(&stopped)).map_err(|failure| {
            let message =
                format!("everything is stopped, but that could not be recorded: {}", failure.message);
            Failure { message, ..failure }
        })?;
    }
    let still = halt::wait_until_still(&home)?;
    printer.value(&json!({ "stopped": true, "already": before.is_some(), "still": still }));
    if let Some(before) = before {
        printer.say(format!("{before}, already"));
    }
    printer.say(match still {
        true => "nothing runs; metnos resume lets work go on",
        false => "nothing new begins, but something has not ended yet; metnos stop looks again",
    });
    Ok(if still { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Lets work go on.
pub(crate) fn resume(printer: Printer) -> Result<ExitCode, Failure> {
    let resumed = super::runtime(false)?.resume(USER)?;
    printer.value(&json!({ "resumed": resumed }));
    printer.say(if resumed { "work goes on" } else { "nothing was stopped" });
    Ok(ExitCode::SUCCESS)
}
