//! One program outside every cell: the second rung of `admin`, after a yes that says so. What can be
//! taken away from it without a cell is taken away: environment, descriptors, terminal, time.
#![allow(unsafe_code, reason = "limits and descriptors between fork and exec; states why it is sound")]

use metnos_executor::program::{Bounds, Ran, watch};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// The most descriptors it may open.
const FILES: u64 = 1024;

/// Runs `program` as `argv` in `cwd` with exactly these variables, until it ends or is ended.
pub fn run(
    program: &Path,
    argv: &[String],
    cwd: &Path,
    env: &[(String, String)],
    bounds: &Bounds,
    stop: &mut dyn FnMut() -> bool,
) -> io::Result<Ran> {
    let mut command = Command::new(program);
    if let Some((name, args)) = argv.split_first() {
        command.arg0(name).args(args);
    }
    command.env_clear().envs(env.iter().cloned()).current_dir(cwd);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Not more processor time than two cores can use up in its wall time.
    let seconds = bounds.timeout.as_secs().saturating_add(1).saturating_mul(2);
    // SAFETY: between fork and exec only async-signal-safe system calls are made, on integers and on a
    // local that outlives them.
    unsafe {
        command.pre_exec(move || {
            // A group and a session of its own: it can be ended as a whole and has no terminal.
            if libc::setsid() < 0 {
                return Err(io::Error::last_os_error());
            }
            // It does not go on when nobody is there to end it.
            libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
            for (resource, most) in
                [(libc::RLIMIT_CORE, 0), (libc::RLIMIT_CPU, seconds), (libc::RLIMIT_NOFILE, FILES)]
            {
                let bound = libc::rlimit { rlim_cur: most, rlim_max: most };
                if libc::setrlimit(resource, &raw const bound) != 0 {
                    return Err(io::Error::last_os_error());
                }
            }
            // The first three are its own; the rest closes with exec, whoever left it open.
            if libc::syscall(libc::SYS_close_range, 3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC) != 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(())
        });
    }
    watch(&mut command.spawn()?, bounds, stop)
}
