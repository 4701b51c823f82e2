//! `metnos uninstall`: shows what would go, asks, and removes that.

use super::{agree, size};
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::house::leave;
use serde_json::json;
use std::process::ExitCode;

/// Leaves this machine.
pub(crate) fn run(
    printer: Printer,
    keep_data: bool,
    forget_undo: bool,
    yes: bool,
) -> Result<ExitCode, Failure> {
    let (home, unit) = (crate::cmd::home()?, super::service::unit()?);
    let leaving = leave::look(&home, &unit, keep_data, forget_undo)?;
    let undo_goes = forget_undo && !leaving.undo.is_empty();
    if leaving.remove.is_empty() && !undo_goes {
        printer.value(&json!({ "removed": [], "kept": leaving.keep }));
        printer.say("nothing of Metnos is here");
        return Ok(ExitCode::SUCCESS);
    }
    for (path, bytes) in &leaving.remove {
        printer.say(format!("remove  {} ({})", path.display(), size(*bytes)));
    }
    for path in &leaving.keep {
        printer.say(format!("keep    {}", path.display()));
    }
    for (path, bytes) in &leaving.undo {
        let word = if forget_undo { "remove" } else { "keep  " };
        printer.say(format!("{word}  {} ({}, kept for undo)", path.display(), size(*bytes)));
    }
    if !keep_data {
        printer.say("        metnos backup FILE keeps a copy of all of it");
    }
    agree("remove this?", yes, "metnos uninstall")?;
    leave::leave(&home, &unit, &leaving)?;
    let paths =
        |list: &[(std::path::PathBuf, u64)]| list.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
    let mut removed = paths(&leaving.remove);
    if forget_undo {
        removed.extend(paths(&leaving.undo));
    }
    printer.value(&json!({ "removed": removed, "kept": leaving.keep }));
    printer.say("gone");
    if !forget_undo && !leaving.undo.is_empty() {
        printer.say("what is kept for undo is still in your folders, as listed above");
    }
    Ok(ExitCode::SUCCESS)
}
