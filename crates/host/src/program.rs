//! Runs one program of the system inside the cell, for `admin`. Every layer is closed by then, and the
//! program keeps them all.

use metnos_executor::program::{Bounds, Told, watch};
use metnos_executor::wire::PRIVATE_TMP;
use metnos_executor::{ErrorClass, Failure, Origin};
use metnos_seeds::Call;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What the daemon wants to have run.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    program: PathBuf,
    argv: Vec<String>,
    cwd: PathBuf,
    env: BTreeMap<String, String>,
    timeout_ms: u64,
    told: Told,
}

/// Runs it and answers with what came of it.
pub(crate) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let mut wanted: Program = call.args()?;
    // A folder of which nothing may be seen, or in which there is nothing, is not there at all.
    if !wanted.cwd.is_dir() {
        wanted.cwd = PathBuf::from(PRIVATE_TMP);
        wanted.told.cwd = PRIVATE_TMP.to_owned();
    }
    let mut command = Command::new(&wanted.program);
    if let Some((name, args)) = wanted.argv.split_first() {
        command.arg0(name).args(args);
    }
    command.env_clear().envs(&wanted.env).env("TMPDIR", PRIVATE_TMP).current_dir(&wanted.cwd);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => Failure::new(
            ErrorClass::NotFound,
            format!("{} is not there inside the sandbox", wanted.program.display()),
        ),
        _ => Failure::io(wanted.program.display(), &e),
    })?;
    // A process group of its own would need a system call that no cell has; whatever the program leaves
    // behind ends with the cell.
    let bounds = Bounds {
        timeout: Duration::from_millis(wanted.timeout_ms),
        output: usize::try_from(wanted.told.max_bytes).unwrap_or(usize::MAX),
        group: false,
    };
    let ran = watch(&mut child, &bounds, &mut || call.progress(0, None, "seconds").is_err())
        .map_err(|e| Failure::io(wanted.program.display(), &e))?;
    let item = ran.report(&wanted.told, &mut call.outcome);
    call.emit(&item, Origin::Content)
}
