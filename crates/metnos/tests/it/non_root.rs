//! Metnos is for ordinary accounts: what root can do here, an ordinary user can too.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::binary;
use crate::support::draft::Draft;
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

/// A home of that user with both programs beside it; nothing where such a user can make no sandbox.
fn ground(dir: &Path, folders: &[&str]) -> Option<()> {
    std::fs::set_permissions(dir, std::fs::Permissions::from_mode(0o755)).unwrap();
    for name in ["metnos", "metnos-host"] {
        std::fs::copy(binary().with_file_name(name), dir.join(name)).unwrap();
    }
    for folder in folders {
        std::fs::create_dir(dir.join(folder)).unwrap();
        chown(dir.join(folder), Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let possible = as_nobody(dir, &["/usr/bin/bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"]);
    if !possible.as_ref().is_some_and(|o| o.status.success()) {
        skipped(&format!("this machine lets no ordinary user make a sandbox: {possible:?}"), Fix::None);
        return None;
    }
    Some(())
}

fn run(dir: &Path, words: &[&str]) -> Value {
    let metnos = dir.join("metnos");
    let output = as_nobody(dir, &[&[metnos.to_str().unwrap(), "--json"], words].concat()).unwrap();
    assert_eq!(output.status.code(), Some(0), "{words:?}: {output:?}");
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn an_ordinary_user_sets_up_finds_and_moves() {
    if !rustix::process::geteuid().is_root() {
        // Every other test already runs as an ordinary user.
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let home = dir.join("home");
    let Some(()) = ground(dir, &["home", "home/in", "home/out"]) else { return };
    std::fs::write(home.join("in/note.txt"), "hello").unwrap();
    chown(home.join("in/note.txt"), Some(NOBODY), Some(NOBODY)).unwrap();

    let run = |words: &[&str]| run(dir, words);
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

#[test]
fn a_python_executor_of_an_ordinary_user_works_under_its_layer() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let Some(()) = ground(dir, &["home", "home/docs"]) else { return };
    let file = dir.join("home/docs/a.txt");
    std::fs::write(&file, "alpha").unwrap();
    chown(&file, Some(NOBODY), Some(NOBODY)).unwrap();
    let limits = "{ wall_ms = 30000, memory_mb = 128, processes = 4, layer_mb = 8, layer_files = 100 }";
    let folder = r#"["arg:folder"]"#;
    let draft = Draft {
        name: "change_files",
        runtime: "cpython",
        code: crate::python_layer::WORKER,
        read: folder,
        write: folder,
        limits,
        birth: Draft::BIRTH,
    };
    draft.write_to(&dir.join("draft"));
    run(dir, &["init"]);
    run(dir, &["policy", "level", "full"]);
    run(dir, &["executors", "sign", dir.join("draft").to_str().unwrap(), "--reason", "a test"]);
    run(dir, &["executors", "promote", "change_files", "1.0.0", "--reason", "a test"]);
    for (what, to) in
        [("remove", "a.txt"), ("overwrite", "a.txt"), ("rename", "a.txt"), ("symlink", "way"), ("tree", "")]
    {
        let args = json!({ "folder": dir.join("home/docs"), "do": what, "to": to }).to_string();
        let answer = run(dir, &["exec", "change_files", &args]);
        assert!(answer["ok_count"].as_u64().unwrap() > 0, "{what}: {answer}");
        assert!(answer["claimed"].is_null(), "{what}: {answer}");
        run(dir, &["undo"]);
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "alpha", "{what}");
        assert_eq!(std::fs::read_dir(dir.join("home/docs")).unwrap().count(), 1, "{what}");
    }
}
