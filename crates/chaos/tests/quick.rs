//! A short run of the whole tool: nothing is lost, nothing half, nothing broken.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test, which says when it is skipped")]

use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn after_a_fault_at_any_point_all_is_whole() {
    let Some(metnos) = std::env::var_os("METNOS_BIN") else {
        eprintln!("skipped: METNOS_BIN names no build of Metnos");
        return;
    };
    let strace = Command::new("strace").arg("-V").stdout(Stdio::null()).status();
    if strace.is_err() || !Path::new("/dev/fuse").exists() {
        eprintln!("skipped: strace or /dev/fuse is missing; `make chaos` says how to have them");
        return;
    }
    let ran = Command::new(env!("CARGO_BIN_EXE_metnos-chaos")).arg(metnos).arg("--quick").output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    let last = out.lines().last().unwrap_or_default();
    // A hundred points; `make chaos` tries thousands.
    assert!(last.ends_with(" points, 0 lost, 0 half, 0 broken"), "{last}\n{err}");
}
