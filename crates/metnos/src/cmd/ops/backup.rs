//! `metnos backup` and `metnos restore`.

use super::size;
use crate::cmd::exec::here;
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::house::restore;
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
    printer.say("next        metnos doctor    ·    metnos audit verify");
    Ok(ExitCode::SUCCESS)
}
