//! `metnos service`: started by the system, within limits.

use crate::cli::Service;
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::house::service;
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// The variables that tell where an instance lives: the daemon must find the same one.
const TOLD: [&str; 4] = ["METNOS_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"];

/// Where the unit of this instance belongs.
pub(crate) fn unit() -> Result<PathBuf, Failure> {
    Ok(service::unit_path(&crate::cmd::home()?, |name| std::env::var_os(name)))
}

fn text() -> Result<(PathBuf, String), Failure> {
    let binary = std::env::current_exe().map_err(|e| Failure::io("this program", &e))?;
    let told = TOLD.iter().filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    let told: Vec<(String, String)> = told.filter(|(_, value)| !value.is_empty()).collect();
    let text = service::unit(&binary, &told, rustix::process::geteuid().is_root())?;
    Ok((binary, text))
}

/// Installs, tells how it stands, uninstalls.
pub(crate) fn run(printer: Printer, command: Service) -> Result<ExitCode, Failure> {
    let unit = unit()?;
    match command {
        Service::Install => install(printer, &unit),
        Service::Status => {
            let standing = service::status(&crate::cmd::home()?, &unit, &text()?.1);
            printer.value(&serde_json::to_value(&standing).unwrap_or_default());
            printer.say(match (standing.installed, standing.current) {
                (false, _) => "unit        not installed: metnos service install".to_owned(),
                (true, true) => format!("unit        {}", unit.display()),
                (true, false) => format!(
                    "unit        {} is not the one this metnos writes: metnos service install",
                    unit.display()
                ),
            });
            printer.say(match (&standing.state, standing.manager) {
                (Some(state), _) => format!("service     {state}"),
                (None, true) => "service     unknown to the manager".to_owned(),
                (None, false) => "service     no user manager can be reached here".to_owned(),
            });
            printer.say(if standing.serving { "daemon      runs" } else { "daemon      does not run" });
            Ok(if standing.installed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
        Service::Unit { program } => {
            // A package is for every account: it names no folder of this one.
            let text = match program {
                Some(program) => service::unit(&program, &[], false)?,
                None => text()?.1,
            };
            printer.value(&json!({ "unit": text }));
            printer.say(text.trim_end());
            Ok(ExitCode::SUCCESS)
        }
        Service::Uninstall => {
            let removed = service::uninstall(&unit)?;
            printer.value(&json!({ "removed": removed, "unit": unit }));
            printer.say(match removed {
                true => format!("{} is gone", unit.display()),
                false => "no unit is installed".to_owned(),
            });
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn install(printer: Printer, unit: &std::path::Path) -> Result<ExitCode, Failure> {
    if !metnos_runtime::install::is_set_up(&crate::cmd::home()?) {
        return Err(Failure::wrong_args("Metnos is not set up here").with_hint("metnos init"));
    }
    let (binary, text) = text()?;
    let done = service::install(unit, &text, &binary)?;
    printer.value(&serde_json::to_value(&done).unwrap_or_default());
    printer.say(format!("written     {}", done.unit.display()));
    match &done.doctor {
        Some(doctor) if doctor.ok => {
            printer.say("doctor      everything holds under the restrictions of the unit")
        }
        Some(doctor) => {
            printer.say(
                "doctor      not everything holds under the restrictions of the unit; it was not started:",
            );
            printer.say(&doctor.said);
        }
        None if done.enabled => {
            printer.say("doctor      could not be tried under the unit: systemd-run is missing")
        }
        None => {}
    }
    if done.enabled {
        printer.say("service     enabled and started; loginctl enable-linger lets it run while you are away");
        return Ok(ExitCode::SUCCESS);
    }
    if done.doctor.is_none() {
        printer.say("no user manager can be reached here. Where there is one, type:");
    } else {
        printer.say("to start it nevertheless:");
    }
    for command in &done.left {
        printer.say(format!("  {command}"));
    }
    let failed = done.doctor.as_ref().is_some_and(|doctor| !doctor.ok);
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
