//! `metnos backup` and `metnos restore`.

use super::size;
use crate::cmd::exec::here;
use crate::print::{Printer, own};
use metnos_executor::Failure;
use metnos_runtime::house::restore::{self, Restored};
use metnos_runtime::house::{Keys, Lock};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// The longest file with a passphrase or keys.
const SECRET_MAX: u64 = 64 << 10;

/// What a person keeps in a file.
fn secret(path: &Path) -> Result<String, Failure> {
    let io = |e: std::io::Error| Failure::io(path.display(), &e);
    let mut text = String::new();
    let file = std::fs::File::open(here()?.join(path)).map_err(io)?;
    file.take(SECRET_MAX).read_to_string(&mut text).map_err(io)?;
    Ok(text)
}

/// For whom a backup is written.
pub(crate) fn lock(passphrase: Option<&Path>, recipients: &[String]) -> Result<Lock, Failure> {
    match passphrase {
        Some(path) => Lock::passphrase(&secret(path)?),
        None if recipients.is_empty() => Ok(Lock::Open),
        None => Lock::recipients(recipients),
    }
}

/// What opens one.
pub(crate) fn keys(passphrase: Option<&Path>, identity: Option<&Path>) -> Result<Keys, Failure> {
    match (passphrase, identity) {
        (Some(path), _) => Keys::passphrase(&secret(path)?),
        (None, Some(path)) => Keys::identities(&secret(path)?),
        (None, None) => Ok(Keys::None),
    }
}

/// Makes a backup and says so once it was read back.
pub(crate) fn backup(
    printer: Printer,
    file: Option<PathBuf>,
    lock: &Lock,
    force: bool,
) -> Result<ExitCode, Failure> {
    let runtime = crate::cmd::runtime(false)?;
    let end = if lock.is_closed() { ".age" } else { "" };
    let now = jiff::Zoned::now().strftime("%Y-%m-%d-%H%M%S").to_string();
    let name = || PathBuf::from(format!("metnos-{now}.tar.zst{end}"));
    let file = here()?.join(file.unwrap_or_else(name));
    printer.progress(&own("packing, then reading it back…"));
    let made = runtime.backup(&file, lock, force);
    printer.progress_end();
    let made = made?;
    printer.value(&serde_json::to_value(&made).unwrap_or_default());
    printer.tell(format!("{}: {} files, {}, verified", made.file.display(), made.files, size(made.bytes)));
    for left in &made.left_out {
        printer.tell(format!("  left out: {} ({})", left.path, left.why));
    }
    match made.encrypted {
        true => printer.tell("it holds the keys and the vault of this Metnos, encrypted; without the passphrase or the key it is lost"),
        false => printer.tell("keys and vault are not in it: --passphrase-file or --recipient encrypts it with them"),
    }
    Ok(ExitCode::SUCCESS)
}

/// Restores one, after all of it was verified.
pub(crate) fn restore(printer: Printer, file: &Path, keys: &Keys) -> Result<ExitCode, Failure> {
    let home = crate::cmd::home()?;
    printer.progress(&own("verifying, then writing…"));
    let restored = restore::restore(&home, &here()?.join(file), keys);
    printer.progress_end();
    let restored = restored?;
    printer.value(&serde_json::to_value(&restored).unwrap_or_default());
    printer.tell(format!(
        "{} files, {}, as they were at {}",
        restored.files,
        size(restored.bytes),
        restored.made_at
    ));
    printer.tell(format!(
        "what was done since then is not in it: its audit ends with line {}",
        restored.audit_lines
    ));
    if restored.keyless {
        printer.tell(format!(
            "the keys and the vault that were here are as they were; {} credentials were kept then: metnos credentials list",
            restored.credentials
        ));
    }
    told_who_is_live(printer, &restored);
    printer.tell("next        metnos doctor    ·    metnos audit verify");
    Ok(ExitCode::SUCCESS)
}

/// What a restore ended, and what it let in again: whoever was revoked since the backup is not any more.
fn told_who_is_live(printer: Printer, restored: &Restored) {
    if let Some(why) = &restored.unopened {
        printer.tell(format!("it cannot be opened: {why}"));
        printer.tell("sessions, login links and open questions end when it first can be");
        return;
    }
    if let Some(ended) = restored.ended {
        printer.tell(format!(
            "ended: {} sessions, {} login links, {} open questions, {} open messages of Telegram",
            ended.sessions, ended.links, ended.questions, ended.messages
        ));
    }
    if !restored.live.is_empty() {
        printer.tell("let in again, as they were then; revoke whom you had revoked since:");
    }
    for live in &restored.live {
        printer.tell(format!("  {:<7} {}    {}", live.what, live.who, live.revoke));
    }
    printer.tell(
        "grants, rules and hooks are as they were then: metnos policy grants    ·    metnos hooks list",
    );
}
