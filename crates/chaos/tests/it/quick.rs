//! A short run of the whole tool: nothing is lost, nothing half, nothing broken.
#![allow(clippy::unwrap_used, reason = "a test")]

use metnos_testkit::{Fix, skipped};
use std::path::Path;
use std::process::{Command, Stdio};

#[test]
fn after_a_fault_at_any_point_all_is_whole() {
    let metnos = metnos_testkit::product();
    if !metnos.exists() {
        return skipped("no build of Metnos", Fix::Run("make build"));
    }
    if Command::new("strace").arg("-V").stdout(Stdio::null()).status().is_err() {
        return skipped("no strace", Fix::Run("sudo apt-get install -y strace"));
    }
    if !Path::new("/dev/fuse").exists() {
        return skipped("no /dev/fuse", Fix::None);
    }
    let ran = Command::new(env!("CARGO_BIN_EXE_metnos-chaos")).arg(metnos).arg("--quick").output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    let last = out.lines().last().unwrap_or_default();
    // A hundred points; `make chaos` tries thousands.
    assert!(last.ends_with(" points, 0 lost, 0 half, 0 broken"), "{last}\n{err}");
}
