//! The two rungs: in a cell, and outside of one.

use super::Ready;
use crate::builtin::{Report, Work};
use crate::install::refused;
use metnos_executor::profile::{Profile, Scope};
use metnos_executor::program::{Bounds, GRACE};
use metnos_executor::schema::Schema;
use metnos_executor::wire::{self, Limits, Request, Runtime as Language, Start};
use metnos_executor::{ErrorClass, Failure, ListName, Origin, Outcome};
use metnos_memory::audit;
use metnos_sandbox::cell::Dialogue;
use metnos_sandbox::fence::{self, Ground};
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What is said when a command did not go well in the cell.
const HINT: &str = "it ran in the sandbox: nothing to write, no network, no other processes; outside=true asks \
to run it outside";
/// Beyond the time of the command, for the cell itself.
const ROOM: Duration = Duration::from_secs(5);

/// The first rung: the command sees the system's programs and the territory, and can change nothing.
pub(super) fn cell(work: &mut Work<'_>, ready: Ready) -> Result<Report, Failure> {
    let runtime = work.runtime;
    runtime.host.check(&runtime.catalog).map_err(|e| refused("metnos-host", &e))?;
    let land = &ready.land;
    let limits = Limits {
        wall_ms: millis(ready.timeout + GRACE + ROOM),
        cpu_ms: millis(ready.timeout + GRACE),
        memory_mb: 1024,
        output_kb: 16 << 10,
        processes: 64,
        ..Limits::default()
    };
    let profile = Profile {
        profile: "admin".into(),
        read: land.territory.roots().iter().cloned().map(Scope::Literal).collect(),
        exec: vec![ready.program.clone()],
        limits,
        ..Profile::default()
    };
    let ground = Ground {
        core: &land.core,
        territory: &land.territory,
        keeps: &land.keeps,
        workspace: &land.workspace,
        user_home: &land.home,
        folders: &land.folders,
        base: &ready.cwd,
        beyond: false,
    };
    let nothing = |_: &str| Ok(Vec::<PathBuf>::new());
    let mut cut = fence::mint(&profile, false, Language::Native, &mut Map::new(), &nothing, &ground)?;
    cut.mounts.system = true;
    cut.wire.system = true;
    let env: BTreeMap<String, String> = ready.env.into_iter().collect();
    let args = json!({
        "program": ready.program, "argv": ready.argv, "cwd": ready.cwd, "env": env,
        "timeout_ms": millis(ready.timeout), "told": ready.told,
    });
    let request = Request {
        call_id: work.call_id.to_owned(),
        executor: wire::PROGRAM.into(),
        version: "0.0.0".into(),
        runtime: Language::Native,
        args: args.as_object().cloned().unwrap_or_default(),
        fence: cut.wire,
        limits,
        error_classes: vec![
            ErrorClass::NotFound,
            ErrorClass::PermissionDenied,
            ErrorClass::DependencyMissing,
        ],
        side_effects: false,
        now: jiff::Zoned::now().to_string(),
        lang: metnos_tongue::FALLBACK.into(),
        fds: Vec::new(),
    };
    let schema = Schema::parse(&json!({ "type": "object" })).map_err(|e| Failure::internal(e.to_string()))?;
    let mut cell = runtime.launcher()?.start(&Arc::new(cut.mounts), cut.core, Start::Now)?;
    work.line.layers = ["mount", "landlock", "seccomp"].map(String::from).to_vec();
    work.line.limits = Some(cell.limits().into());
    work.line.cell = Some(audit::Cell { warm: false, mounts: "program".into() });
    let door = RefCell::new(&mut *work.door);
    let mut dialogue = Dialogue {
        intent: &mut |_| Err(Failure::internal("a command in a cell announced a change")),
        progress: &mut |_| {},
        cancelled: &|| door.borrow().cancelled() || runtime.gate.is_shut(),
        at_work: &mut || {},
    };
    let reply = cell.call(&request, &[], &schema, &mut dialogue);
    cell.discard();
    let reply = reply?;
    let mut outcome = reply.answer.outcome;
    if outcome.fail_count > 0 || outcome.error.is_some() {
        outcome.fields.insert("hint".into(), HINT.into());
    }
    Ok(Report { outcome, list: ListName::Results, items: reply.items })
}

/// The second rung: directly, as the account Metnos runs as.
pub(super) fn outside(work: &mut Work<'_>, ready: &Ready) -> Result<Report, Failure> {
    work.line.limits = Some("rlimit".into());
    let bounds = Bounds {
        timeout: ready.timeout,
        output: usize::try_from(ready.told.max_bytes).unwrap_or(usize::MAX),
        group: true,
    };
    let (door, gate) = (&mut *work.door, &work.runtime.gate);
    let ran = metnos_sandbox::outside::run(
        &ready.program,
        &ready.argv,
        &ready.cwd,
        &ready.env,
        &bounds,
        &mut || door.cancelled() || gate.is_shut(),
    )
    .map_err(|e| Failure::io(ready.program.display(), &e))?;
    let mut outcome = Outcome::default();
    let mut item = ran.report(&ready.told, &mut outcome);
    item.insert("_origin".into(), Origin::Content.as_str().into());
    Report::of(outcome, ListName::Results, &[Value::Object(item)])
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
