//! `metnos init`: keys, folders, audit, host and seeds.

use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::install;
use serde_json::json;
use std::process::ExitCode;

/// The blake3 of the host this binary was built with; absent in a build without `make`.
pub(crate) const HOST_DIGEST: Option<&str> = option_env!("METNOS_HOST_DIGEST");

/// Sets up this person's Metnos. Running it again repairs and changes nothing that is right.
pub(crate) fn run(printer: Printer, if_needed: bool, yes: bool) -> Result<ExitCode, Failure> {
    let home = super::home()?;
    if if_needed && install::is_set_up(&home) {
        printer.value(&json!({ "ok": true, "installed": [], "host_changed": false }));
        return Ok(ExitCode::SUCCESS);
    }
    let built = install::Built::beside(HOST_DIGEST)?;
    // Asked before anything is made: whoever stops here has nothing to clean up.
    let fresh = !install::is_set_up(&home);
    let wishes = if fresh && !yes { super::welcome::ask(printer, &home)? } else { None };
    let wishes = wishes.or_else(|| super::welcome::unasked(&home).filter(|_| fresh));
    let done = install::init(&home, &built)?;
    if let Some(wishes) = wishes {
        super::welcome::keep(printer, &home, &wishes)?;
    }
    printer.value(&serde_json::to_value(&done).unwrap_or_default());
    let runtime = super::runtime(false)?;
    let speech = super::speech(&runtime.language(super::USER))?;
    let say = |key: &str, value: &str| printer.say(speech.say(key, &[("value", value)]));
    say("init-keys", &home.keys_dir().display().to_string());
    say("init-workspace", &home.workspace().display().to_string());
    say("init-executors", &runtime.executor_counts().in_use.to_string());
    say("init-host", &done.host.chars().take(16).collect::<String>());
    for name in &done.failed {
        say("init-broken", name);
    }
    printer.say(speech.t("init-try"));
    Ok(ExitCode::SUCCESS)
}
