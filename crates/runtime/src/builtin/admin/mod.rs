//! `admin`: one command of the system, without a shell.
//!
//! Two rungs. The first runs it inside a cell: the system's programs and the territory to read, nothing
//! to write, no network. The second (`outside = true`) runs it directly, after a card of its own that says
//! so. Harm is refused on both, and so is whatever the lists of signatures refuse.

mod command;
mod rungs;
mod sight;

use super::{Builtin, Plan, Wish};
use crate::land::Land;
use crate::runtime::Runtime;
use command::Command;
use metnos_executor::lab::{self, Layer};
use metnos_executor::program::Told;
use metnos_executor::{ErrorClass, Failure, shown};
use metnos_guard::card::Effect;
use metnos_guard::command::Pattern;
use metnos_guard::{CommandVerdict, Standing};
use metnos_memory::audit::Verdict;
use serde_json::Value;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// The most that is kept of an output.
const OUTPUT_MAX: u64 = 1 << 20;

pub(super) const BUILTIN: Builtin = Builtin {
    name: "admin",
    schema: include_str!("../admin.json"),
    pattern: "admin(command=\"uname -a\", reason=\"which kernel\")",
    out: "results=[{command,exit,stdout,stderr,duration_ms,ran}]",
    changes: true,
    needs: None,
    list: false,
    plan,
};

/// One command, ready to run.
struct Ready {
    argv: Vec<String>,
    program: PathBuf,
    cwd: PathBuf,
    /// What it may see in a cell.
    land: Arc<Land>,
    env: Vec<(String, String)>,
    timeout: Duration,
    told: Told,
}

fn plan(runtime: &Runtime, wish: &Wish<'_>) -> Result<Plan, Failure> {
    let outside = wish.args.get("outside") == Some(&Value::Bool(true));
    let ground = command::Ground::new(runtime, wish.caller, wish.base, outside)?;
    let command = Command::read(wish.text("command"), &ground)?;
    let verdict = command.judge(&runtime.command_lists()?, &ground);
    admissible(&verdict)?;
    command.outside_core(&ground)?;
    let program = command.program(&ground)?;

    let max_bytes = match wish.number("max_bytes") {
        0 => OUTPUT_MAX,
        most => most,
    };
    let place = if outside { "outside the sandbox" } else { "in the sandbox" };
    let text = command.argv.display();
    let ready = Ready {
        argv: command.argv.words().to_vec(),
        cwd: ground.cwd.clone(),
        land: Arc::clone(&ground.land),
        env: ground.environment(wish.now),
        timeout: Duration::from_secs(wish.number("timeout_s")),
        told: Told {
            command: text.clone(),
            cwd: ground.cwd.display().to_string(),
            place: place.to_owned(),
            max_bytes,
        },
        program: program.path,
    };
    // What is listed as harmless only looks when a cell holds it; everything else is an administrator's act.
    let looks = verdict.standing == Standing::Allow && !outside;
    let reason = Some(wish.text("reason")).filter(|reason| !reason.trim().is_empty());
    let cwd = ground.cwd.display().to_string();
    Ok(Plan {
        effect: match (outside, looks) {
            (true, _) => Effect::Irreversible,
            (false, true) => Effect::NoChange,
            (false, false) => Effect::Contained,
        },
        idempotent: !outside,
        object: Some(text),
        source: Some(cwd),
        outside,
        note: Some(match reason {
            Some(reason) => format!("“{}” {}", shown::part(reason.trim()), verdict.text),
            None => verdict.text.clone(),
        }),
        never: Pattern::try_from(verdict.signature.to_string()).ok(),
        bound: format!("{}\n{}", ready.cwd.display(), program.identity),
        verdicts: vec![Verdict::new("command", standing(verdict.standing), verdict.text)],
        ..Plan::look(if looks { "system:read" } else { "system:admin" }, move |work| match outside {
            true => rungs::outside(work, &ready),
            false => rungs::cell(work, ready),
        })
    })
}

/// What no yes can change: harm, what is forbidden, and what a person put on the list of denials.
fn admissible(verdict: &CommandVerdict) -> Result<(), Failure> {
    match verdict.standing {
        _ if lab::without(Layer::Commands) => Ok(()),
        Standing::Forbidden => Err(Failure::new(ErrorClass::Forbidden, verdict.text.clone())
            .with_hint("no level, list or approval allows this")),
        Standing::Deny => Err(Failure::new(ErrorClass::PolicyViolation, verdict.text.clone())
            .with_hint("get_signatures shows the lists, set_signatures changes them")),
        Standing::Grey | Standing::Allow | Standing::Unknown => Ok(()),
    }
}

fn standing(standing: Standing) -> &'static str {
    match standing {
        Standing::Forbidden => "forbidden",
        Standing::Deny => "deny",
        Standing::Grey => "grey",
        Standing::Allow => "allow",
        Standing::Unknown => "unknown",
    }
}
