//! The house itself: signed parts changed, old records put back, good signatures in wrong places.

use crate::attack::Attack;
use crate::house::{Done, House, write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

const VICTIM: &str = "get_packages_candidates";
const OTHER: &str = "get_urls_graylist";

fn part(house: &House, name: &str) -> PathBuf {
    house.executors("synt").join(VICTIM).join("1.1.0").join(name)
}

fn current(house: &House) -> PathBuf {
    house.executors("synt").join(VICTIM).join("CURRENT")
}

/// Replaces text in a file, and insists that it was there.
fn edit(path: PathBuf, from: &str, to: &str) -> Done {
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    if !text.contains(from) {
        return Err(format!("{} does not contain {from:?}", path.display()));
    }
    write(&path, text.replacen(from, to, 1))
}

fn append(path: PathBuf, bytes: &[u8]) -> Done {
    let mut all = std::fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    all.extend_from_slice(bytes);
    write(&path, all)
}

/// The one host program that is approved.
fn host_program(house: &House) -> Done<PathBuf> {
    let dir = house.executors(".host");
    let mut all = std::fs::read_dir(&dir).map_err(|e| e.to_string())?.flatten();
    all.next().map(|entry| entry.path()).ok_or_else(|| "no approved host".to_owned())
}

pub(super) fn attacks() -> Vec<Attack> {
    let row = |name, layer| Attack::new(name, "python", layer, VICTIM).damaging();
    let signed = |name, tamper: fn(&House) -> Done| row(name, "signature").between(tamper);
    vec![
        signed("tampered-code", |house| {
            edit(part(house, "main.py"), "of the new version", "of the attacker")
        })
        .won(|_, answer| answer.to_string().contains("of the attacker")),
        signed("tampered-manifest", |house| {
            edit(part(house, "manifest.toml"), "wall_ms = 60000", "wall_ms = 90000")
        }),
        signed("tampered-schema", |house| {
            edit(part(house, "schema.json"), "\"required\":[\"attack\"]", "\"required\":[]")
        }),
        signed("tampered-tests", |house| append(part(house, "tests/birth.toml"), b"\n# changed\n")),
        signed("tampered-lock", |house| write(&part(house, "profile.lock"), "blake3:00\n")),
        signed("tampered-signature", |house| {
            let path = part(house, "manifest.sig");
            let text = std::fs::read_to_string(&path).map_err(|e| e.to_string())?;
            let digit = text.trim_end().chars().last().unwrap_or('0');
            let other = if digit == '0' { '1' } else { '0' };
            write(&path, format!("{}{other}\n", &text.trim_end()[..text.trim_end().len() - 1]))
        }),
        signed("replayed-signature", |house| {
            let theirs = house.executors("synt").join(OTHER).join("1.0.0");
            for name in ["manifest.sig", "profile.lock"] {
                std::fs::copy(theirs.join(name), part(house, name)).map_err(|e| e.to_string())?;
            }
            Ok(())
        }),
        signed("tampered-current", |house| edit(current(house), "1.1.0", "1.0.0"))
            .won(|_, answer| answer.to_string().contains("of the old version")),
        signed("tampered-host-record", |house| {
            // A changed host under its own, right digest: only the record's signature stands against it.
            let old = host_program(house)?;
            let name = old.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            let fake = old.with_file_name("fake");
            std::fs::copy(&old, &fake).map_err(|e| e.to_string())?;
            append(fake.clone(), b"\0")?;
            let run = std::fs::Permissions::from_mode(0o700);
            std::fs::set_permissions(&fake, run).map_err(|e| e.to_string())?;
            let said =
                std::process::Command::new(&fake).arg("--digest").output().map_err(|e| e.to_string())?;
            let digest = String::from_utf8_lossy(&said.stdout).trim().to_owned();
            std::fs::rename(&fake, old.with_file_name(&digest)).map_err(|e| e.to_string())?;
            edit(house.executors("seed").join("HOST"), &name, &digest)
        }),
        row("tampered-host-program", "host-digest").between(|house| append(host_program(house)?, b"\0")),
        row("downgraded-version", "counter")
            .between(|house| {
                let old = std::fs::read(house.at("CURRENT.old")).map_err(|e| e.to_string())?;
                write(&current(house), old)
            })
            .won(|_, answer| answer.to_string().contains("of the old version")),
        row("good-folder-under-another-version", "belongs")
            .between(|house| {
                let dir = house.executors("synt").join(VICTIM);
                let io = |e: std::io::Error| e.to_string();
                std::fs::rename(dir.join("1.1.0"), dir.join("1.1.0.away")).map_err(io)?;
                std::fs::rename(dir.join("1.0.0"), dir.join("1.1.0")).map_err(io)
            })
            .won(|_, answer| answer.to_string().contains("of the old version")),
    ]
}
