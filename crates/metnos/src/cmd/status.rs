//! `metnos status`: the house at a glance.

use super::init::HOST_DIGEST;
use crate::print::Printer;
use metnos_executor::Failure;
use serde_json::json;
use std::process::ExitCode;

/// Counts what is installed and what needs attention.
pub(crate) fn run(printer: Printer) -> Result<ExitCode, Failure> {
    let runtime = super::runtime(false)?;
    let listed = runtime.executors();
    let count = runtime.executor_counts();
    let host = runtime.approved_host();
    let upgrade = HOST_DIGEST.is_some_and(|built| host.as_deref().is_some_and(|h| h != built));
    let stopped = metnos_runtime::halt::stopped(&runtime.home);
    let kept = runtime.kept_sizes();
    let status = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "home": runtime.home.executors_dir().parent(),
        "executors": { "active": count.in_use, "quarantined": count.quarantined, "archived": count.archived },
        "host": host,
        "upgrade_available": upgrade,
        "territory": runtime.roots(),
        "stopped": stopped,
        "skills": { "system": runtime.config.skills.system },
        "audit": { "lines": runtime.audit_lines()? },
        "kept_bytes": kept,
        "serving": metnos_runtime::house::is_serving(&runtime.home),
    });
    printer.value(&status);
    printer.say(format!("metnos {}", env!("CARGO_PKG_VERSION")));
    printer.say(format!(
        "executors   {} in use, {} in quarantine, {} archived",
        count.in_use, count.quarantined, count.archived
    ));
    for listed in listed.iter().filter(|l| l.state == "quarantined") {
        printer.say(format!(
            "  ✗ {}: {}",
            listed.name,
            listed.reason.as_deref().unwrap_or("no reason recorded")
        ));
    }
    let roots: Vec<String> = runtime.roots().iter().map(|r| r.display().to_string()).collect();
    printer.say(format!("territory   {}", roots.join(", ")));
    printer.say(format!("audit       {} lines", runtime.audit_lines()?));
    let size = super::ops::size;
    printer.say(format!(
        "kept        {} of turn lists, {} for undo, {} of logs, {} of database, {} of audit",
        size(kept.turns),
        size(kept.undo),
        size(kept.logs),
        size(kept.database),
        size(kept.audit)
    ));
    if !runtime.config.skills.system {
        printer.say("skills      commands, processes and packages are switched off in metnos.toml");
    }
    if let Some(stopped) = &stopped {
        printer.say(format!("stopped     {stopped}; metnos resume"));
    }
    if upgrade {
        printer.say("upgrade     this binary brings another host: metnos upgrade");
    }
    Ok(ExitCode::SUCCESS)
}
