//! What runs code by itself is changed only after a question of its own, at every level; what caps a channel is not
//! changed from it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::{House, Ran};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;

/// The question that was asked; the card names the file.
#[track_caller]
fn asks(house: &House, executor: &str, args: Value, name: &str) -> String {
    let ran = house.exec_asking(executor, args);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    let id = ran.json()["error"]["approval"].as_str().unwrap_or_else(|| panic!("{ran:?}")).to_owned();
    let shown = house.run(&["--json", "approvals"]).stdout + &ran.stdout;
    assert!(shown.contains("runs code by itself") && shown.contains(name), "{shown}");
    id
}

#[track_caller]
fn refused(ran: &Ran, why: &str) {
    assert_eq!(ran.json()["error"]["class"], "policy_violation", "{ran:?}");
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains(why), "{ran:?}");
}

#[test]
fn a_file_that_runs_code_by_itself_asks_at_every_level_and_every_time() {
    // The level at which everything else in the home is allowed.
    let house = House::new();
    let free = house.exec_asking("write_files", json!({ "path": "~/notes.txt", "content": "x" }));
    assert_eq!(free.code, Some(0), "{free:?}");
    let write = |path: &str, content: &str| json!({ "path": path, "content": content, "mode": "overwrite" });
    let id = asks(&house, "write_files", write("~/.bashrc", "a"), ".bashrc");
    assert!(!house.home().join(".bashrc").exists());
    let yes = house.run(&["--json", "approve", &id]);
    assert_eq!(yes.code, Some(0), "{yes:?}");
    assert!(house.home().join(".bashrc").exists());
    // A yes is for this once, however it is said.
    let id = asks(&house, "write_files", write("~/.bashrc", "b"), ".bashrc");
    let lasting = house.run(&["--json", "approve", &id, "--always"]);
    let _ = (lasting, asks(&house, "write_files", write("~/.bashrc", "c"), ".bashrc"));

    house.write("x.sh", "echo hi");
    house.write("repo/.git/hooks/sample", "");
    house.write("plain/autostart/evil.desktop", "[Desktop Entry]");
    asks(&house, "write_files", write("~/.config/systemd/user/a.service", "x"), "a.service");
    asks(&house, "move_files", json!({ "paths": ["~/x.sh"], "dst_dir": "~/repo/.git/hooks" }), ".git/hooks");
    asks(&house, "delete_files", json!({ "paths": ["~/.bashrc"] }), ".bashrc");
    asks(&house, "create_dirs", json!({ "paths": ["~/.config/autostart"] }), "autostart");
    // The file that a link at such a place leads to.
    house.write("dotfiles/zshrc", "a");
    symlink(house.home().join("dotfiles/zshrc"), house.home().join(".zshrc")).unwrap();
    asks(&house, "write_files", write("~/dotfiles/zshrc", "b"), "zshrc");

    // What only the list of what is about to happen shows is refused, with the way to ask for it.
    let packed = house.exec_asking("compress_files", json!({ "paths": ["~/.bashrc"], "dst": "~/p.zip" }));
    assert_eq!(packed.code, Some(0), "{packed:?}");
    let before = std::fs::read(house.home().join(".bashrc")).unwrap();
    std::fs::remove_file(house.home().join(".bashrc")).unwrap();
    let out = house.exec_asking("extract_files", json!({ "paths": ["~/p.zip"], "dst_dir": "~" }));
    assert_ne!(out.code, Some(0), "{out:?}");
    assert!(out.stdout.contains("runs code by itself"), "{out:?}");
    assert!(!house.home().join(".bashrc").exists() && !before.is_empty());
    // A folder that brings one along.
    std::fs::remove_dir_all(house.home().join(".config")).ok();
    let moved = house.exec_asking("move_dirs", json!({ "paths": ["~/plain"], "dst": "~/.config" }));
    assert_ne!(moved.code, Some(0), "{moved:?}");
    assert!(!house.home().join(".config/autostart/evil.desktop").exists());
    house.chain_holds();
}

#[test]
fn what_caps_a_channel_is_not_changed_from_it() {
    let house = House::new();
    let agents = house.metnos().join("workspace/AGENTS.md");
    let path = agents.to_str().unwrap();
    let write = |path: &str| json!({ "path": path, "content": "# Agents\n", "mode": "overwrite" });
    // Not capped, the host may.
    let ran = house.exec_asking("write_files", write(path));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let mine = "## Channels\n- cli: supervised\n";
    std::fs::write(&agents, mine).unwrap();
    let link = house.home().join("way");
    symlink(agents.parent().unwrap(), &link).unwrap();
    for way in [path, "~/way/AGENTS.md"] {
        refused(&house.exec_asking("write_files", write(way)), "cannot be changed from here");
        refused(&house.exec_asking("delete_files", json!({ "paths": [way] })), "cannot be changed from here");
    }
    let moved = house.exec_asking("move_files", json!({ "paths": [path], "dst_dir": "~/elsewhere" }));
    refused(&moved, "cannot be changed from here");
    // Nor by taking back what was done before it did.
    let undone = house.run(&["--json", "undo"]);
    refused(&undone, "cannot be changed from here");
    assert_eq!(std::fs::read_to_string(&agents).unwrap(), mine);
    // Other files of the workspace are as before.
    let other = agents.with_file_name("other.md");
    let ran = house.exec_asking("write_files", write(other.to_str().unwrap()));
    assert_eq!(ran.code, Some(0), "{ran:?}");
}
