//! Metnos is for ordinary accounts: what root can do here, an ordinary user can too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::binary;
use metnos_testkit::{Fix, skipped};
use serde_json::{Value, json};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;
use std::process::{Command, Output};

/// An account that owns nothing.
const NOBODY: u32 = 65534;

/// A command as that user, who sees nothing of ours but `dir`.
fn as_nobody(dir: &Path, words: &[&str]) -> Option<Output> {
    let id = NOBODY.to_string();
    let mut command = Command::new("setpriv");
    command.args(["--reuid", &id, "--regid", &id, "--clear-groups", "--"]).args(words);
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", dir.join("home"));
    command.env("METNOS_HOME", dir.join("home/.metnos")).current_dir(dir.join("home")).output().ok()
}

#[test]
fn an_ordinary_user_sets_up_finds_and_moves() {
    if !rustix::process::geteuid().is_root() {
        // Every other test already runs as an ordinary user.
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o755)).unwrap();
    for name in ["metnos", "metnos-host"] {
        std::fs::copy(binary().with_file_name(name), dir.join(name)).unwrap();
    }
    let home = dir.join("home");
    for folder in ["home", "home/in", "home/out"] {
        std::fs::create_dir(dir.join(folder)).unwrap();
        chown(dir.join(folder), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    std::fs::write(home.join("in/note.txt"), "hello").unwrap();
    chown(home.join("in/note.txt"), Some(NOBODY), Some(NOBODY)).unwrap();

    let possible = as_nobody(dir, &["/usr/bin/bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"]);
    if !possible.as_ref().is_some_and(|o| o.status.success()) {
        skipped(&format!("this machine lets no ordinary user make a sandbox: {possible:?}"), Fix::None);
        return;
    }
    let metnos = dir.join("metnos");
    let metnos = metnos.to_str().unwrap();
    let run = |words: &[&str]| -> Value {
        let output = as_nobody(dir, &[&[metnos, "--json"], words].concat()).unwrap();
        assert_eq!(output.status.code(), Some(0), "{words:?}: {output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    run(&["init"]);
    let report = run(&["doctor"]);
    assert_eq!(report["ok"], true, "{report}");
    let found = run(&["exec", "find_files", &json!({ "base_path": home.join("in") }).to_string()]);
    assert_eq!(found["entries"][0]["name"], "note.txt", "{found}");
    let args = json!({ "paths": [home.join("in/note.txt")], "dst_dir": home.join("out") });
    run(&["policy", "level", "full"]);
    let moved = run(&["exec", "move_files", &args.to_string()]);
    assert_eq!(moved["ok_count"], 1, "{moved}");
    assert_eq!(std::fs::read_to_string(home.join("out/note.txt")).unwrap(), "hello");
    assert!(!home.join("in/note.txt").exists());
    run(&["audit", "verify"]);
}
