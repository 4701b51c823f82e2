//! `metnos backup` and `metnos restore`.

use super::size;
use crate::cmd::exec::here;
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::house::restore::{self, Restored};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Makes a backup and says so once it was read back.
pub(crate) fn backup(printer: Printer, file: Option<PathBuf>, force: bool) -> Result<ExitCode, Failure> {
    let runtime = crate::cmd::runtime(false)?;
    let name = || PathBuf::from(format!("metnos-{}.tar.zst", jiff::Zoned::now().strftime("%Y-%m-%d-%H%M%S")));
    let file = here()?.join(file.unwrap_or_else(name));
    printer.progress("packing, then reading it back…");
    let made = runtime.backup(&file, force);
    printer.progress_end();
    let made = made?;
    printer.value(&serde_json::to_value(&made).unwrap_or_default());
    printer.say(format!("{}: {} files, {}, verified", made.file.display(), made.files, size(made.bytes)));
    for left in &made.left_out {
        printer.say(format!("  left out: {} ({})", left.path, left.why));
    }
    printer.say("it holds the keys of this Metnos: keep it where only you can read it");
    Ok(ExitCode::SUCCESS)
}

/// Restores one, after all of it was verified.
pub(crate) fn restore(printer: Printer, file: &Path) -> Result<ExitCode, Failure> {
    let home = crate::cmd::home()?;
    printer.progress("verifying, then writing…");
    let restored = restore::restore(&home, &here()?.join(file));
    printer.progress_end();
    let restored = restored?;
    printer.value(&serde_json::to_value(&restored).unwrap_or_default());
    printer.say(format!(
        "{} files, {}, as they were at {}",
        restored.files,
        size(restored.bytes),
        restored.made_at
    ));
    told_who_is_live(printer, &restored);
    printer.say("next        metnos doctor    ·    metnos audit verify");
    Ok(ExitCode::SUCCESS)
}

/// What a restore ended, and what it let in again: whoever was revoked since the backup is not any more.
fn told_who_is_live(printer: Printer, restored: &Restored) {
    if let Some(why) = &restored.unopened {
        printer.say(format!("it cannot be opened: {why}"));
        printer.say("sessions, login links and open questions end when it first can be");
        return;
    }
    if let Some(ended) = restored.ended {
        printer.say(format!(
            "ended: {} sessions, {} login links, {} open questions, {} open messages of Telegram",
            ended.sessions, ended.links, ended.questions, ended.messages
        ));
    }
    if !restored.live.is_empty() {
        printer.say("let in again, as they were then; revoke whom you had revoked since:");
    }
    for live in &restored.live {
        printer.say(format!("  {:<7} {}    {}", live.what, live.who, live.revoke));
    }
    printer
        .say("grants, rules and hooks are as they were then: metnos policy grants    ·    metnos hooks list");
}
