//! Core paths and the territory: what the daemon refuses before a cell sees the call, and what a
//! cell still does not have when the profile names everything.

use crate::attack::{Attack, reported};
use crate::house::{House, SECRET, make_dir, write};
use serde_json::{Value, json};
use std::os::unix::fs::MetadataExt;

const PYTHON: &str = "read_urls_candidates";
const CPYTHON: &str = "read_contacts_candidates";
const WIDE: &str = "set_signatures_candidates";
const WIDE_SKILL: &str = "set_contacts_candidates";

/// A reader that is told to read the very path it was given.
fn given(path: &'static str) -> impl Fn(&House) -> Value + Clone + 'static {
    move |house| json!({ "attack": "read-first", "paths": [house.text(path)] })
}

fn harmless(house: &House) -> Value {
    json!({ "attack": "none", "paths": [house.text("home/docs")] })
}

fn target(attack: &'static str, path: &'static str) -> impl Fn(&House) -> Value + Clone + 'static {
    move |house| json!({ "attack": attack, "target": house.text(path) })
}

fn link(at: &'static str, to: &'static str) -> impl Fn(&House) -> Result<(), String> + 'static {
    move |house| {
        let _ = std::fs::remove_file(house.at(at));
        std::os::unix::fs::symlink(house.at(to), house.at(at)).map_err(|e| e.to_string())
    }
}

fn hard_link(at: &'static str, to: &'static str) -> impl Fn(&House) -> Result<(), String> + 'static {
    move |house| {
        let _ = std::fs::remove_file(house.at(at));
        std::fs::hard_link(house.at(to), house.at(at)).map_err(|e| e.to_string())
    }
}

pub(super) fn attacks() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for (runtime, executor) in [("python", PYTHON), ("cpython", CPYTHON)] {
        let row = |name, layer| Attack::new(name, runtime, layer, executor).steals().any_cell();
        attacks.extend([
            row("argument-outside", "territory").with(given("outside/secret.txt")).harmless(harmless),
            row("argument-by-dotdot", "territory")
                .with(given("home/docs/../../outside/secret.txt"))
                .harmless(harmless),
            row("argument-by-encoded-dots", "territory")
                .with(|house| {
                    let path = house.text("home/docs/../../outside/secret.txt");
                    json!({ "attack": "read-first", "paths": [{ "path_b64": base64(path.as_bytes()) }] })
                })
                .harmless(harmless),
            row("argument-by-symlink", "territory")
                .before(link("home/docs/way-out", "outside/secret.txt"))
                .with(given("home/docs/way-out"))
                .harmless(harmless),
            row("argument-core", "core-guard").with(given("home/.ssh/id")).harmless(harmless),
            row("argument-core-by-dotdot", "core-guard")
                .with(given("home/docs/../.ssh/id"))
                .harmless(harmless),
            row("argument-core-by-symlink", "core-guard")
                .before(link("home/docs/to-core", "home/.ssh/id"))
                .with(given("home/docs/to-core"))
                .harmless(harmless),
            row("argument-core-by-hard-link", "core-guard")
                .before(hard_link("home/docs/innocent", "home/.netrc"))
                .with(given("home/docs/innocent"))
                .harmless(harmless),
            row("argument-in-core-folder-by-hard-link", "core-guard")
                .before(hard_link("home/docs/harmless", "home/.ssh/id"))
                .with(given("home/docs/harmless"))
                .harmless(harmless),
            row("hard-link-below-a-given-folder", "core-guard")
                .before(hard_link("home/docs/harmless", "home/.ssh/id"))
                .with(|house| {
                    json!({ "attack": "read", "paths": [house.text("home/docs")], "target": house.text("home/docs/harmless") })
                })
                .harmless(harmless),
            row("core-below-a-given-folder", "core-guard")
                .with(|house| {
                    json!({ "attack": "read", "paths": [house.text("home")], "target": house.text("home/.ssh/id") })
                }),
            row("own-audit", "core-guard")
                .with(|house| {
                    let audit = std::fs::read_dir(house.at("metnos/workspace/.audit/executors"));
                    let file = audit.ok().and_then(|mut all| all.next()?.ok()).map(|file| file.path());
                    let file = file.unwrap_or_default();
                    json!({ "attack": "stat", "paths": [file], "target": file })
                })
                .harmless(harmless)
                .won(|_, answer| reported(answer).is_some_and(|item| item["errno"] == 0)),
        ]);
    }
    attacks.extend(wide());
    attacks.extend(seeds());
    attacks
}

/// Profiles that declare `/` read-write.
fn wide() -> Vec<Attack> {
    let mut attacks = Vec::new();
    for (runtime, executor) in [("native", WIDE), ("cpython", WIDE_SKILL)] {
        attacks.extend([
            Attack::new("wide-profile-reads-core", runtime, "core-guard", executor)
                .with(target("read", "home/.ssh/id"))
                .steals(),
            Attack::new("wide-profile-reads-etc", runtime, "core-guard", executor)
                .with(|_| json!({ "attack": "read", "target": "/etc/passwd" }))
                .won(|_, answer| answer.to_string().contains("root:")),
            Attack::new("wide-profile-writes-core", runtime, "core-guard", executor)
                .with(target("write", "home/.ssh/id"))
                .won(|house, _| {
                    std::fs::read_to_string(house.at("home/.ssh/id")).is_ok_and(|t| t.contains("overwritten"))
                }),
            Attack::new("wide-profile-stats-own-state", runtime, "core-guard", executor)
                .with(target("stat", "metnos/state/metnos.sqlite")),
            Attack::new("wide-profile-moves-core-parent", runtime, "core-guard", executor)
                .before(|house| {
                    let _ = std::fs::remove_dir_all(house.at("home/.config"));
                    let _ = std::fs::remove_dir_all(house.at("home/moved"));
                    make_dir(&house.at("home/.config/gh"))
                })
                .with(move |house| {
                    let both = format!("{}>{}", house.text("home/.config"), house.text("home/moved"));
                    // A layer moves no folder as one: it is copied and removed.
                    let how = if runtime == "cpython" { "carry" } else { "rename" };
                    json!({ "attack": how, "target": both })
                })
                .won(|house, _| house.at("home/moved").exists()),
            Attack::new("wide-profile-core-born-meanwhile", runtime, "core-guard", executor)
                .before(|house| {
                    let _ = std::fs::remove_dir_all(house.at("home/.gnupg"));
                    Ok(())
                })
                .between(|house| {
                    make_dir(&house.at("home/.gnupg"))?;
                    write(&house.at("home/.gnupg/key"), SECRET)
                })
                .with(target("read", "home/.gnupg/key"))
                .steals()
                .any_cell(),
        ]);
    }
    attacks
}

/// The product's own seeds, asked for what they must not do.
fn seeds() -> Vec<Attack> {
    let stolen = |name, executor| Attack::new(name, "native", "core-guard", executor).any_cell();
    vec![
        stolen("seed-moves-core-parent", "move_files")
            .before(|house| {
                let _ = std::fs::remove_dir_all(house.at("home/.config"));
                let _ = std::fs::remove_dir_all(house.at("home/out/.config"));
                make_dir(&house.at("home/.config/gh"))
            })
            .with(|house| json!({ "paths": [house.text("home/.config")], "dst_dir": house.text("home/out") }))
            .harmless(|house| {
                json!({ "paths": [house.text("home/none")], "dst_dir": house.text("home/out") })
            })
            .won(|house, _| house.at("home/out/.config").exists()),
        stolen("seed-deletes-core", "delete_files")
            .with(|house| json!({ "paths": [house.text("home/.ssh/id")] }))
            .harmless(|house| json!({ "paths": [house.text("home/none")] }))
            .won(|house, _| !house.at("home/.ssh/id").exists())
            .damaging(),
        Attack::new("stat-below-a-mask", "native", "masks", "read_signatures_candidates")
            .with(|house| {
                json!({ "attack": "stat", "paths": [house.text("home/docs")], "target": house.text("home/.ssh/id") })
            })
            .won(|house, answer| {
                let inode = std::fs::metadata(house.at("home/.ssh/id")).map(|m| m.ino().to_string());
                reported(answer).is_some_and(|item| inode.is_ok_and(|inode| item["got"] == inode))
            }),
    ]
}

/// Standard base64 of a path.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0u32, |word, i| (word << 8) | u32::from(chunk.get(i).copied().unwrap_or(0)));
        for i in 0..4usize {
            let letter = LETTERS[(word >> (18 - 6 * i)) as usize & 63] as char;
            text.push(if i <= chunk.len() { letter } else { '=' });
        }
    }
    text
}
