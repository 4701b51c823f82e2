//! A backup holds everything, proves it, and becomes the same house again; anything less is refused before a byte is written.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::{Ran, binary};
use metnos_archive::{Frame, Packer};
use serde_json::json;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A key that `age-keygen` made for these tests.
const PUBLIC: &str = "age1q28j4hnt3m2npzzttrsnc79f2qyjktn26jgaaqvu3frysqm0x93qh5vhzm";
const PRIVATE: &str = "AGE-SECRET-KEY-15SUUDJNXXWKNLDJY0ZS3T9FTKZAQVN329HSK7ZL4R6E8W24F7K3Q95AAYC";

/// A house whose Metnos lies in the home directory, so that what is kept for undo is part of it.
struct Place {
    dir: tempfile::TempDir,
}

impl Place {
    fn bare() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("home")).unwrap();
        Self { dir }
    }

    fn set_up() -> Self {
        let place = Self::bare();
        place.ok(&["init"]);
        place.ok(&["policy", "level", "full"]);
        place
    }

    fn home(&self) -> PathBuf {
        self.dir.path().join("home").canonicalize().unwrap()
    }

    fn metnos(&self) -> PathBuf {
        self.home().join(".metnos")
    }

    fn archive(&self) -> PathBuf {
        self.dir.path().join("b.tar.zst")
    }

    fn command(&self) -> Command {
        let mut command = Command::new(binary());
        command.env_clear().env("HOME", self.home()).env("METNOS_HOME", self.metnos());
        // At night the judge asks sooner.
        let hour = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).hour();
        command.env("TZ", format!("Etc/GMT{:+}", hour - 12));
        command.env("PATH", "/usr/bin:/bin").current_dir(self.home());
        command
    }

    fn run(&self, args: &[&str]) -> Ran {
        let output = self.command().args(args).stdin(Stdio::null()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Ran { code: output.status.code(), stdout: text(&output.stdout), stderr: text(&output.stderr) }
    }

    #[track_caller]
    fn ok(&self, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {ran:?}");
        ran
    }

    fn backup(&self) -> PathBuf {
        self.ok(&["backup", self.archive().to_str().unwrap(), "--recipient", PUBLIC]);
        self.archive()
    }

    fn restore(&self, archive: &Path) -> Ran {
        let identity = self.dir.path().join("identity.txt");
        std::fs::write(&identity, format!("# a key\n{PRIVATE}\n")).unwrap();
        let (archive, identity) = (archive.to_str().unwrap(), identity.to_str().unwrap());
        self.run(&["--json", "restore", archive, "--identity-file", identity])
    }

    /// A file with a passphrase.
    fn passphrase(&self, text: &str) -> String {
        let path = self.dir.path().join("passphrase.txt");
        std::fs::write(&path, format!("{text}\n")).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// Takes the house away, as a dead disk does, and leaves the person's files.
    fn lose(&self) {
        std::fs::remove_dir_all(self.metnos()).unwrap();
    }
}

/// Nothing of a house was written.
#[track_caller]
fn untouched(place: &Place, ran: &Ran, class: &str) {
    assert_eq!(ran.json()["error"]["class"], class, "{ran:?}");
    assert!(!place.metnos().exists(), "nothing may be written before all of it was verified");
}

#[test]
fn a_restored_house_holds_and_what_was_done_before_can_be_undone() {
    let place = Place::set_up();
    std::fs::write(place.home().join("letter.txt"), "dear all").unwrap();
    std::fs::write(place.home().join("table.txt"), "old").unwrap();
    place.ok(&["exec", "write_files", r#"{"path":"table.txt","content":"new","mode":"overwrite"}"#]);
    let deleted = place.ok(&["--json", "exec", "delete_files", r#"{"paths":["letter.txt"]}"#]).json();
    let id = deleted["call_id"].as_str().unwrap();
    let odd = place.metnos().join("workspace").join(OsStr::from_bytes(b"od\xffd\nname"));
    std::fs::write(&odd, "odd").unwrap();
    std::fs::write(place.metnos().join("workspace/script"), "x").unwrap();
    std::fs::set_permissions(place.metnos().join("workspace/script"), PermissionsExt::from_mode(0o750))
        .unwrap();
    symlink("script", place.metnos().join("workspace/inside")).unwrap();
    symlink("/etc/hostname", place.metnos().join("workspace/outside")).unwrap();
    let made =
        place.ok(&["--json", "backup", place.archive().to_str().unwrap(), "--recipient", PUBLIC]).json();
    assert_eq!(made["left_out"].as_array().unwrap().len(), 1, "{made}");
    assert!(made["left_out"][0]["path"].as_str().unwrap().ends_with("outside"), "{made}");
    assert_eq!(place.archive().metadata().unwrap().mode() & 0o777, 0o600);
    let key = std::fs::read(place.metnos().join("config/keys/instance.key")).unwrap();

    place.lose();
    let restored = place.restore(&place.archive());
    assert_eq!(restored.code, Some(0), "{restored:?}");
    assert_eq!(std::fs::read(place.metnos().join("config/keys/instance.key")).unwrap(), key);
    assert_eq!(place.metnos().join("config/keys/instance.key").metadata().unwrap().mode() & 0o777, 0o600);
    assert_eq!(place.metnos().join("workspace/script").metadata().unwrap().mode() & 0o777, 0o750);
    assert_eq!(std::fs::read(&odd).unwrap(), b"odd");
    assert_eq!(std::fs::read_link(place.metnos().join("workspace/inside")).unwrap(), Path::new("script"));
    assert!(place.metnos().join("workspace/outside").symlink_metadata().is_err());
    let report = place.ok(&["--json", "doctor"]).json();
    assert_eq!(report["ok"], true, "{report}");
    place.ok(&["audit", "verify"]);
    let undone = place.ok(&["--json", "undo", id]).json();
    assert_eq!((&undone["reversed"], &undone["conflicts"]), (&json!(1), &json!([])), "{undone}");
    assert_eq!(std::fs::read_to_string(place.home().join("letter.txt")).unwrap(), "dear all");
    place.ok(&["undo"]);
    assert_eq!(std::fs::read_to_string(place.home().join("table.txt")).unwrap(), "old");
    place.ok(&["audit", "verify"]);
}

#[test]
fn a_backup_made_while_others_write_is_whole() {
    let place = Place::set_up();
    let mut busy = place.command();
    busy.args(["exec", "--stdin"]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut busy = busy.spawn().unwrap();
    let mut pipe = busy.stdin.take().unwrap();
    let writer = std::thread::spawn(move || {
        for n in 0..400 {
            let call = match n % 4 {
                0 => json!({ "executor": "create_dirs", "args": { "paths": [format!("d{n}")] } }),
                _ => json!({ "executor": "get_now", "args": { "unknown": n } }),
            };
            std::io::Write::write_all(&mut pipe, format!("{call}\n").as_bytes()).unwrap();
        }
    });
    let archives: Vec<PathBuf> = (0..3).map(|n| place.dir.path().join(format!("{n}.tar.zst"))).collect();
    for archive in &archives {
        place.ok(&["backup", archive.to_str().unwrap(), "--recipient", PUBLIC]);
    }
    writer.join().unwrap();
    assert!(busy.wait().unwrap().success());
    for archive in &archives {
        place.lose();
        let restored = place.restore(archive);
        assert_eq!(restored.code, Some(0), "{restored:?}");
        place.ok(&["audit", "verify"]);
        let list = place.ok(&["--json", "undo", "--list"]).json();
        let open = |turn: &&serde_json::Value| {
            ["open", "damaged", "undoing"].contains(&turn["state"].as_str().unwrap())
        };
        assert_eq!(list.as_array().unwrap().iter().filter(open).count(), 0, "{list}");
        assert_eq!(place.ok(&["--json", "doctor"]).json()["ok"], true);
    }
}

#[test]
fn a_changed_or_missing_byte_is_refused_before_anything_is_written() {
    let place = Place::set_up();
    let bytes = std::fs::read(place.backup()).unwrap();
    place.lose();
    let bad = place.dir.path().join("bad");
    // The first bytes (the frame's header has bits that change nothing), the last (the seal), and some between.
    let spread = (0..40).map(|n| n * (bytes.len() / 40));
    for at in (0..20).chain(bytes.len() - 48..bytes.len()).chain(spread) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        std::fs::write(&bad, &changed).unwrap();
        untouched(&place, &place.restore(&bad), "unsupported_format");
    }
    for length in [0, 1, 39, 40, bytes.len() / 2, bytes.len() - 1] {
        std::fs::write(&bad, &bytes[..length]).unwrap();
        untouched(&place, &place.restore(&bad), "unsupported_format");
    }
    std::fs::write(&bad, [&bytes[..], b"x"].concat()).unwrap();
    untouched(&place, &place.restore(&bad), "unsupported_format");
    std::fs::write(&bad, &bytes).unwrap();
    assert_eq!(place.restore(&bad).code, Some(0));
}

/// An archive with a sound seal and a sound manifest, made by somebody who means harm.
fn forged(path: &Path, fill: impl FnOnce(&mut Packer<&mut Frame<std::fs::File>>)) {
    let mut frame = Frame::begin(std::fs::File::create(path).unwrap()).unwrap();
    let mut packer = Packer::new(&mut frame);
    fill(&mut packer);
    packer.finish("0.1.0", "2026-01-01T00:00:00Z", metnos_archive::Said::default()).unwrap();
    frame.finish().unwrap();
}

#[test]
fn names_and_links_that_lead_out_are_refused() {
    let place = Place::bare();
    let bad = place.dir.path().join("bad");
    let dir = place.dir.path().metadata().unwrap();
    type Fill<'a> = Box<dyn FnOnce(&mut Packer<&mut Frame<std::fs::File>>) + 'a>;
    let cases: Vec<(&str, Fill<'_>)> = vec![
        ("another folder", Box::new(|out| out.text(Path::new("etc/x"), b"x").unwrap())),
        ("no folder", Box::new(|out| out.text(Path::new("config/x"), b"x").unwrap())),
        ("a file for a folder", Box::new(|out| out.text(Path::new("config"), b"x").unwrap())),
        (
            "twice",
            Box::new(|out| {
                out.dir(Path::new("config"), &dir).unwrap();
                out.text(Path::new("config/x"), b"x").unwrap();
                out.text(Path::new("config/x"), b"y").unwrap();
            }),
        ),
        (
            "a link out",
            Box::new(|out| {
                out.dir(Path::new("workspace"), &dir).unwrap();
                out.link(Path::new("workspace/l"), Path::new("../config"), &dir).unwrap();
            }),
        ),
        (
            "through a link",
            Box::new(|out| {
                out.dir(Path::new("undo"), &dir).unwrap();
                out.link(Path::new("undo/l"), Path::new("/tmp"), &dir).unwrap();
                out.text(Path::new("undo/l/x"), b"x").unwrap();
            }),
        ),
    ];
    for (what, fill) in cases {
        forged(&bad, fill);
        let ran = place.restore(&bad);
        assert_eq!(ran.json()["error"]["class"], "unsupported_format", "{what}: {ran:?}");
        assert!(!place.metnos().exists(), "{what}");
    }
    // What the tar library would not write for us is written into its headers by hand.
    for name in ["../../out", "/tmp/out", "config/../../out", "config/./out"] {
        let mut frame = Frame::begin(std::fs::File::create(&bad).unwrap()).unwrap();
        let mut tar = tar::Builder::new(&mut frame);
        let mut header = tar::Header::new_gnu();
        header.as_gnu_mut().unwrap().name[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(1);
        header.set_mode(0o600);
        header.set_cksum();
        tar.append(&header, &b"x"[..]).unwrap();
        tar.finish().unwrap();
        drop(tar);
        frame.finish().unwrap();
        untouched(&place, &place.restore(&bad), "unsupported_format");
    }
}

#[test]
fn only_an_empty_home_is_restored_into_and_a_cut_restore_is_cleared() {
    let place = Place::set_up();
    let archive = place.backup();
    let before = std::fs::read(place.metnos().join("config/keys/instance.key")).unwrap();
    let ran = place.restore(&archive);
    assert_eq!(ran.json()["error"]["class"], "dst_exists", "{ran:?}");
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("config/keys"), "{ran:?}");
    assert_eq!(std::fs::read(place.metnos().join("config/keys/instance.key")).unwrap(), before);

    // As a power loss leaves it: the mark stands, and half of it is there.
    place.lose();
    for dir in ["state", "config/keys", "workspace"] {
        std::fs::create_dir_all(place.metnos().join(dir)).unwrap();
    }
    std::fs::write(place.metnos().join("state/RESTORING"), "").unwrap();
    std::fs::write(place.metnos().join("config/keys/instance.key"), "half").unwrap();
    let ran = place.run(&["--json", "status"]);
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("half a house"), "{ran:?}");
    let ran = place.restore(&archive);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(std::fs::read(place.metnos().join("config/keys/instance.key")).unwrap(), before);
    assert!(!place.metnos().join("state/RESTORING").exists());
    place.ok(&["audit", "verify"]);

    place.lose();
    std::fs::create_dir_all(place.metnos().join("state")).unwrap();
    std::fs::write(place.metnos().join("state/RESTORING"), "").unwrap();
    std::fs::create_dir_all(place.metnos().join("executors/seed/half")).unwrap();
    place.ok(&["init", "--if-needed"]);
    assert!(!place.metnos().join("executors/seed/half").exists());
    assert_eq!(place.ok(&["--json", "doctor"]).json()["ok"], true);
}

#[test]
fn a_backup_replaces_nothing_unasked_and_does_not_swallow_itself() {
    let place = Place::set_up();
    let archive = place.backup();
    let again = place.run(&["--json", "backup", archive.to_str().unwrap()]);
    assert_eq!(again.json()["error"]["class"], "dst_exists", "{again:?}");
    place.ok(&["backup", "--force", archive.to_str().unwrap()]);
    let inside = place.metnos().join("workspace/b.tar.zst");
    let ran = place.run(&["--json", "backup", inside.to_str().unwrap()]);
    assert_eq!(ran.json()["error"]["class"], "wrong_args", "{ran:?}");
    let ran = place.run(&["--json", "backup", "/nowhere/at/all"]);
    assert_eq!(ran.json()["error"]["class"], "not_found", "{ran:?}");
    let left: Vec<_> = std::fs::read_dir(place.dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().ends_with(".part")), "{left:?}");
    if !rustix::process::geteuid().is_root() {
        let closed = place.metnos().join("workspace/closed");
        std::fs::write(&closed, "x").unwrap();
        std::fs::set_permissions(&closed, PermissionsExt::from_mode(0o000)).unwrap();
        let ran = place.run(&["--json", "backup", "--force", archive.to_str().unwrap()]);
        assert_eq!(ran.json()["error"]["class"], "permission_denied", "{ran:?}");
        assert_eq!(place.run(&["backup", "--force", archive.to_str().unwrap()]).code, Some(1));
    }
}

/// Whether a file holds these bytes.
fn holds(path: &Path, part: &[u8]) -> bool {
    std::fs::read(path).unwrap().windows(part.len()).any(|window| window == part)
}

/// What is in an archive that everybody can read.
fn names(archive: &Path) -> Vec<String> {
    let decoder = zstd::Decoder::new(std::fs::File::open(archive).unwrap()).unwrap();
    let mut archive = tar::Archive::new(decoder);
    let entries = archive.entries().unwrap();
    entries.map(|entry| entry.unwrap().path().unwrap().display().to_string()).collect()
}

#[test]
fn a_backup_that_everybody_can_read_holds_no_key_and_comes_back_beside_the_keys_it_was_made_with() {
    let place = Place::set_up();
    let secret = place.passphrase("corretto 4471");
    let mut set = place.command();
    set.args(["credentials", "set", "weather", "token"]).stdin(std::fs::File::open(secret).unwrap());
    assert!(set.stdout(Stdio::null()).status().unwrap().success());
    place.ok(&["exec", "write_files", r#"{"path":"a.txt","content":"a"}"#]);
    let ran = place.ok(&["backup", place.archive().to_str().unwrap()]);
    assert!(ran.stdout.contains("keys and vault are not in it"), "{ran:?}");
    let names = names(&place.archive());
    assert!(names.iter().any(|name| name.contains("workspace/.audit")), "{names:?}");
    assert!(
        !names.iter().any(|name| name.contains("config/keys") || name.contains("state/vault")),
        "{names:?}"
    );

    // A house that is there says what would go.
    place.ok(&["exec", "write_files", r#"{"path":"b.txt","content":"b"}"#]);
    place.ok(&["ask", "what time is it"]);
    let refused = place.restore(&place.archive());
    let why = refused.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        why.contains("roll this house back") && why.contains("1 turns") && why.contains("lines of the audit"),
        "{why}"
    );

    // Beside its keys and its vault it is a house again; those stay as they are.
    let key = std::fs::read(place.metnos().join("config/keys/instance.key")).unwrap();
    for gone in ["workspace", "executors", "undo"] {
        let _ = std::fs::remove_dir_all(place.metnos().join(gone));
    }
    for entry in std::fs::read_dir(place.metnos().join("state")).unwrap().flatten() {
        if entry.file_name() != "vault" {
            let path = entry.path();
            if path.is_dir() {
                std::fs::remove_dir_all(path).unwrap()
            } else {
                std::fs::remove_file(path).unwrap()
            }
        }
    }
    let restored = place.restore(&place.archive());
    assert_eq!(restored.code, Some(0), "{restored:?}");
    assert_eq!((&restored.json()["keyless"], &restored.json()["credentials"]), (&json!(true), &json!(1)));
    assert_eq!(std::fs::read(place.metnos().join("config/keys/instance.key")).unwrap(), key);
    assert!(place.ok(&["credentials", "list"]).stdout.contains("weather"));
    place.ok(&["audit", "verify"]);
    assert_eq!(place.ok(&["--json", "doctor"]).json()["ok"], true);

    // Without them it is refused before a byte is written; so it is beside those of another house.
    place.lose();
    untouched(&place, &place.restore(&place.archive()), "wrong_args");
    let other = Place::set_up();
    let refused = other.restore(&place.archive());
    assert!(refused.json()["error"]["message"].as_str().unwrap().contains("another Metnos"), "{refused:?}");
}

#[test]
fn an_encrypted_backup_holds_everything_and_opens_only_for_whom_it_is() {
    let place = Place::set_up();
    std::fs::write(place.metnos().join("workspace/letter.txt"), "dear all, nobody else").unwrap();
    let right = place.passphrase("four words and more");
    let archive = place.archive();
    let ran = place.ok(&["backup", archive.to_str().unwrap(), "--passphrase-file", &right]);
    assert!(ran.stdout.contains("encrypted"), "{ran:?}");
    assert!(holds(&archive, b"age-encryption.org/v1") && !holds(&archive, b"dear all"));
    let key = std::fs::read(place.metnos().join("config/keys/instance.key")).unwrap();
    place.lose();
    let restore = |more: &[&str]| {
        let args = [&["--json", "restore", archive.to_str().unwrap()], more].concat();
        place.run(&args)
    };
    untouched(&place, &restore(&[]), "wrong_args");
    untouched(&place, &place.restore(&archive), "wrong_args");
    let wrong = place.passphrase("four words");
    untouched(&place, &restore(&["--passphrase-file", &wrong]), "unauthorized");
    let empty = place.passphrase("");
    untouched(&place, &restore(&["--passphrase-file", &empty]), "wrong_args");
    let right = place.passphrase("four words and more");
    let restored = restore(&["--passphrase-file", &right]);
    assert_eq!(restored.code, Some(0), "{restored:?}");
    assert_eq!(std::fs::read(place.metnos().join("config/keys/instance.key")).unwrap(), key);
    place.ok(&["audit", "verify"]);
    let line = place.ok(&["--json", "audit", "tail"]).stdout;
    assert!(
        line.contains("\"restored\"") && line.contains("\"backup\""),
        "that it was restored is written down: {line}"
    );

    // What a restore let go of, and says so, is no damage, whoever remembers more.
    let checkpoint = place.dir.path().join("checkpoint.json");
    let (checkpoint, again) = (checkpoint.to_str().unwrap(), place.dir.path().join("again.age"));
    place.ok(&["backup", again.to_str().unwrap(), "--recipient", PUBLIC]);
    place.ok(&["exec", "get_now", "{}"]);
    place.ok(&["audit", "checkpoint", checkpoint]);
    place.lose();
    assert_eq!(place.restore(&again).code, Some(0));
    let verified = place.ok(&["--json", "audit", "verify", "--checkpoint", checkpoint]).json();
    assert_eq!(verified["restored"].as_array().unwrap().len(), 1, "{verified}");

    // For the holder of another key.
    let other = "age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p";
    place.ok(&["backup", "--force", archive.to_str().unwrap(), "--recipient", other]);
    place.lose();
    untouched(&place, &place.restore(&archive), "unauthorized");
    let bad = Place::set_up();
    let ran = bad.run(&["--json", "backup", bad.archive().to_str().unwrap(), "--recipient", "age1nobody"]);
    assert_eq!(ran.json()["error"]["class"], "wrong_args", "{ran:?}");
    assert!(!bad.archive().exists());
    // The usual tool opens what we write, where it is installed.
    if let Ok(out) = Command::new("age").args(["--version"]).output()
        && out.status.success()
    {
        let archive = bad.backup();
        let identity = bad.dir.path().join("key");
        std::fs::write(&identity, PRIVATE).unwrap();
        let plain = bad.dir.path().join("plain.tar.zst");
        let mut age = Command::new("age");
        age.args(["-d", "-i"]).arg(&identity).arg("-o").arg(&plain).arg(&archive);
        assert!(age.status().unwrap().success());
        assert!(names(&plain).iter().any(|name| name == "config/keys/instance.key"));
    }
}
