//! Files, folders and what else lies outside the fence of a call.

use crate::attack::{Attack, reported};
use crate::house::{ENVIRONMENT, House, INHERITED, SECRET, make_dir, write};
use serde_json::{Value, json};
use std::os::unix::fs::{MetadataExt, PermissionsExt};

const PURE: &str = "get_signatures_candidates";
const READ: &str = "read_signatures_candidates";
const WRITE: &str = "write_signatures_candidates";
const SKILL_READ: &str = "read_contacts_candidates";
const SKILL_WRITE: &str = "write_contacts_candidates";

/// A reader of `docs`, told to try `attack` on `target`.
fn reading(attack: &'static str, target: &'static str) -> impl Fn(&House) -> Value + Clone + 'static {
    move |house| json!({ "attack": attack, "paths": [house.text("home/docs")], "target": place(house, target) })
}

/// A changer of `out` that reads `docs`.
fn writing(attack: &'static str, target: &'static str) -> impl Fn(&House) -> Value + Clone + 'static {
    move |house| {
        json!({ "attack": attack, "paths": [house.text("home/docs")], "dst_dir": house.text("home/out"),
            "target": place(house, target) })
    }
}

/// A skill that changes `out` only.
fn skill_writing(attack: &'static str, target: &'static str) -> impl Fn(&House) -> Value + Clone + 'static {
    move |house| json!({ "attack": attack, "dst_dir": house.text("home/out"), "target": place(house, target) })
}

/// A target below the house, two joined by `>`, or an absolute path.
fn place(house: &House, target: &str) -> String {
    let one = |part: &str| if part.starts_with('/') { part.to_owned() } else { house.text(part) };
    target.split('>').map(one).collect::<Vec<_>>().join(">")
}

pub(super) fn attacks() -> Vec<Attack> {
    [fenced(), outside(), under_a_layer(), of_the_process()].into_iter().flatten().collect()
}

/// Mounted, but not in the fence of this call: Landlock answers.
fn fenced() -> Vec<Attack> {
    let holds = |path: &'static str, text: &'static str| {
        move |house: &House, _: &Value| {
            std::fs::read_to_string(house.at(path)).is_ok_and(|t| t.contains(text))
        }
    };
    vec![
        Attack::new("read-sibling", "native", "landlock", READ)
            .with(reading("read", "home/other/secret.txt"))
            .steals(),
        Attack::new("read-by-dotdot", "native", "landlock", READ)
            .with(reading("read", "home/docs/../other/secret.txt"))
            .steals(),
        Attack::new("read-by-proc-root", "native", "landlock", READ)
            .with(|house| {
                let target = format!("/proc/self/root{}", house.text("home/other/secret.txt"));
                json!({ "attack": "read", "paths": [house.text("home/docs")], "target": target })
            })
            .steals(),
        Attack::new("read-by-proc-cwd", "native", "landlock", READ)
            .with(|house| {
                let target = format!("/proc/self/cwd/../..{}", house.text("home/other/secret.txt"));
                json!({ "attack": "read", "paths": [house.text("home/docs")], "target": target })
            })
            .steals(),
        Attack::new("list-sibling", "native", "landlock", READ)
            .with(reading("list", "home/other"))
            .won(|_, answer| answer.to_string().contains("secret.txt")),
        Attack::new("read-by-link-inside", "native", "landlock", READ)
            .before(|house| {
                let link = house.at("home/docs/link");
                let _ = std::fs::remove_file(&link);
                std::os::unix::fs::symlink(house.at("home/other/secret.txt"), link).map_err(|e| e.to_string())
            })
            .with(reading("read", "home/docs/link"))
            .steals(),
        Attack::new("read-proc-environ", "native", "landlock", PURE)
            .with(|_| json!({ "attack": "read", "target": "/proc/self/environ" })),
        Attack::new("read-proc-mounts", "native", "landlock", PURE)
            .with(|_| json!({ "attack": "read", "target": "/proc/self/mountinfo" })),
        Attack::new("read-proc-of-init", "native", "landlock", PURE)
            .with(|_| json!({ "attack": "read", "target": "/proc/1/cmdline" })),
        Attack::new("read-proc-sys", "native", "landlock", PURE)
            .with(|_| json!({ "attack": "read", "target": "/proc/sys/kernel/random/boot_id" })),
        Attack::new("list-proc", "native", "landlock", PURE)
            .with(|_| json!({ "attack": "list", "target": "/proc" })),
        Attack::new("write-shared-memory", "native", "landlock", PURE)
            .with(|_| json!({ "attack": "create", "target": "/dev/shm/left" })),
        Attack::new("write-beside-scratch", "native", "landlock", PURE)
            .with(|_| json!({ "attack": "create", "target": "/tmp/left" })),
        Attack::new("write-read-only", "native", "landlock", WRITE)
            .with(writing("write", "home/docs/open.txt"))
            .won(holds("home/docs/open.txt", "overwritten")),
        Attack::new("truncate-read-only", "native", "landlock", WRITE)
            .with(writing("truncate", "home/docs/open.txt"))
            .won(|house, _| std::fs::metadata(house.at("home/docs/open.txt")).is_ok_and(|m| m.len() == 0)),
        Attack::new("create-outside", "native", "landlock", WRITE)
            .before(gone("home/other/new"))
            .with(writing("create", "home/other/new"))
            .won(|house, _| house.at("home/other/new").exists()),
        Attack::new("make-dir-outside", "native", "landlock", WRITE)
            .before(|house| {
                let _ = std::fs::remove_dir(house.at("home/other/dir"));
                Ok(())
            })
            .with(writing("make-dir", "home/other/dir"))
            .won(|house, _| house.at("home/other/dir").exists()),
        Attack::new("remove-outside", "native", "landlock", WRITE)
            .with(writing("remove", "home/other/secret.txt"))
            .won(|house, _| !house.at("home/other/secret.txt").exists()),
        Attack::new("read-sibling-file", "native", "landlock", READ)
            .before(|house| write(&house.at("home/docs/beside.txt"), SECRET))
            .with(|house| {
                json!({ "attack": "read", "paths": [house.text("home/docs/open.txt")],
                    "target": house.text("home/docs/beside.txt") })
            })
            .steals(),
        Attack::new("remove-sibling", "native", "landlock", WRITE)
            .before(|house| {
                make_dir(&house.at("home/out/mine"))?;
                write(&house.at("home/out/theirs.txt"), SECRET)
            })
            .with(|house| {
                json!({ "attack": "remove", "paths": [house.text("home/docs")],
                    "dst_dir": house.text("home/out/mine"), "target": house.text("home/out/theirs.txt") })
            })
            .won(|house, _| !house.at("home/out/theirs.txt").exists()),
        Attack::new("rename-into-fence", "native", "landlock", WRITE)
            .before(gone("home/out/taken"))
            .with(writing("rename", "home/other/secret.txt>home/out/taken"))
            .won(|house, _| house.at("home/out/taken").exists()),
        Attack::new("hard-link-into-fence", "native", "landlock", WRITE)
            .before(gone("home/out/linked"))
            .with(writing("hard-link", "home/other/secret.txt>home/out/linked"))
            .won(holds("home/out/linked", SECRET)),
        Attack::new("symlink-outside", "native", "landlock", WRITE)
            .before(gone("home/other/symlink"))
            .with(writing("symlink", "/etc>home/other/symlink"))
            .won(|house, _| house.at("home/other/symlink").is_symlink()),
        Attack::new("read-proc-environ", "cpython", "landlock", SKILL_READ)
            .with(reading("read", "/proc/self/environ")),
        Attack::new("read-memory-of-host", "cpython", "landlock", SKILL_READ)
            .with(reading("read", "/proc/2/maps")),
        Attack::new("list-proc", "cpython", "landlock", SKILL_READ).with(reading("list", "/proc")),
        Attack::new("write-shared-memory", "cpython", "landlock", SKILL_READ)
            .with(reading("create", "/dev/shm/left")),
        Attack::new("write-beside-scratch", "cpython", "landlock", SKILL_READ)
            .with(reading("create", "/tmp/left")),
        Attack::new("child-reads-proc", "cpython", "landlock", SKILL_READ)
            .with(reading("child-reads", "/proc/self/environ")),
        Attack::new("signal-init", "cpython", "landlock", SKILL_READ).with(reading("signal-init", "")),
        Attack::new("execute-a-document", "cpython", "landlock", SKILL_READ)
            .before(|house| {
                let path = house.at("home/docs/program");
                write(&path, "#!/bin/sh\nexit 0\n")?;
                let all = std::fs::Permissions::from_mode(0o755);
                std::fs::set_permissions(path, all).map_err(|e| e.to_string())
            })
            .with(reading("execute", "home/docs/program")),
    ]
}

/// Not mounted, or mounted read-only, in ways that Landlock does not look at.
fn outside() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for (runtime, executor) in [("native", READ), ("cpython", SKILL_READ)] {
        attacks.extend([
            Attack::new("stat-outside", runtime, "mount", executor)
                .with(reading("stat", "outside/secret.txt"))
                .won(|house, answer| {
                    let inode =
                        std::fs::metadata(house.at("outside/secret.txt")).map(|m| m.ino().to_string());
                    reported(answer).is_some_and(|item| inode.is_ok_and(|inode| item["got"] == inode))
                }),
            Attack::new("readlink-outside", runtime, "mount", executor)
                .before(|house| {
                    let link = house.at("outside/link");
                    let _ = std::fs::remove_file(&link);
                    std::os::unix::fs::symlink(SECRET, link).map_err(|e| e.to_string())
                })
                .with(reading("readlink", "outside/link"))
                .steals(),
            Attack::new("chdir-outside", runtime, "mount", executor).with(reading("chdir", "outside")),
            Attack::new("chmod-read-only", runtime, "mount", executor)
                .before(|house| {
                    let all = std::fs::Permissions::from_mode(0o600);
                    std::fs::set_permissions(house.at("home/docs/open.txt"), all).map_err(|e| e.to_string())
                })
                .with(reading("chmod", "home/docs/open.txt"))
                .won(|house, _| {
                    std::fs::metadata(house.at("home/docs/open.txt")).is_ok_and(|m| m.mode() & 0o777 == 0o777)
                }),
        ]);
    }
    attacks.push(
        Attack::new("touch-read-only", "native", "mount", READ)
            .with(reading("touch", "home/docs/open.txt"))
            .won(|house, _| std::fs::metadata(house.at("home/docs/open.txt")).is_ok_and(|m| m.mtime() == 1)),
    );
    attacks.push(
        Attack::new("stat-sibling", "cpython", "mount", SKILL_WRITE)
            .with(skill_writing("stat", "home/other/secret.txt")),
    );
    attacks
}

/// Its own folder, changed by code that then fails: without the layer nothing of it is announced, counted or kept.
fn under_a_layer() -> Vec<Attack> {
    let lies = |path: &'static str, text: &'static str| move |house: &House| write(&house.at(path), text);
    vec![
        Attack::new("remove-past-the-journal", "cpython", "private-layer", SKILL_WRITE)
            .before(lies("home/out/mine.txt", "mine"))
            .with(skill_writing("remove-and-fail", "home/out/mine.txt"))
            .won(|house, _| !house.at("home/out/mine.txt").exists()),
        Attack::new("rename-past-the-journal", "cpython", "private-layer", SKILL_WRITE)
            .before(lies("home/out/mine.txt", "mine"))
            .with(skill_writing("rename-and-fail", "home/out/mine.txt>home/out/elsewhere.txt"))
            .won(|house, _| !house.at("home/out/mine.txt").exists()),
        Attack::new("write-past-the-journal", "python", "private-layer", "write_urls_candidates")
            .before(lies("home/out/mine.txt", "mine"))
            .with(skill_writing("write-and-fail", "home/out/mine.txt"))
            .won(|house, _| {
                std::fs::read_to_string(house.at("home/out/mine.txt")).is_ok_and(|t| t == "overwritten")
            }),
    ]
}

/// What a process has without opening anything, and what it leaves behind.
fn of_the_process() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for (runtime, executor) in [("native", PURE), ("cpython", SKILL_READ)] {
        attacks.extend([
            Attack::new("environment", runtime, "env-clear", executor)
                .won(|_, answer| answer.to_string().contains(ENVIRONMENT)),
            Attack::new("left-behind", runtime, "private-tmp", executor)
                .before(|house| {
                    let _ = std::fs::remove_file(house.at("shared-tmp/.cell/left"));
                    make_dir(&house.at("shared-tmp/.cell"))
                })
                .with(|_| json!({ "attack": "find-left" }))
                .harmless(|_| json!({ "attack": "leave" }))
                .rehearsed()
                .won(|_, answer| answer.to_string().contains("left behind")),
        ]);
    }
    attacks.push(
        Attack::new("inherited-descriptor", "native", "fd-close", PURE)
            .with(|_| json!({ "attack": "descriptor", "n": 9 }))
            .won(|_, answer| answer.to_string().contains(INHERITED)),
    );
    attacks.push(
        Attack::new("speak-for-the-host", "cpython", "fd-close", SKILL_READ)
            .with(reading("speak-for-the-host", "")),
    );
    attacks.push(
        Attack::new("early-thread", "native", "single-thread", READ)
            .between(|house| write(&house.at("home/thread.txt"), SECRET))
            .with(reading("early-thread", ""))
            .steals()
            .cold_only(),
    );
    attacks
}

fn gone(path: &'static str) -> impl Fn(&House) -> Result<(), String> + 'static {
    move |house| {
        let _ = std::fs::remove_file(house.at(path));
        Ok(())
    }
}
