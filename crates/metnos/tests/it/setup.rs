//! A machine that lacks something: the set-up goes on without it, or says the one command that helps.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;
use std::process::Command;

/// A machine with these programs and no others, for an account that is not root.
struct Machine {
    bin: tempfile::TempDir,
}

impl Machine {
    fn with(programs: &[&str]) -> Self {
        let machine = Self { bin: tempfile::tempdir().unwrap() };
        for real in ["bash", "dirname", "uname"] {
            let found =
                ["/usr/bin", "/bin"].iter().map(|dir| PathBuf::from(dir).join(real)).find(|p| p.exists());
            symlink(found.unwrap(), machine.bin.path().join(real)).unwrap();
        }
        machine.script("id", "echo 1000");
        // It is named in what is said, and never run without root.
        machine.script("apt-get", "echo apt-get ran; exit 9");
        for program in programs {
            machine.script(program, "exit 0");
        }
        machine
    }

    fn script(&self, name: &str, body: &str) {
        let path = self.bin.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// What `scripts/setup.sh ARGS` ends with and says.
    fn set_up(&self, args: &[&str]) -> (i32, String) {
        let mut command = Command::new(self.bin.path().join("bash"));
        command.arg(metnos_testkit::repository().join("scripts/setup.sh")).args(args);
        let ran = command.env_clear().env("PATH", self.bin.path()).env("HOME", "/nowhere").output().unwrap();
        let said = [ran.stdout, ran.stderr].concat();
        let said = String::from_utf8(said).unwrap();
        assert!(!said.contains("apt-get ran"), "nothing is installed without root: {said}");
        (ran.status.code().unwrap(), said)
    }
}

const BASE: [&str; 5] = ["bwrap", "cc", "make", "python3", "cargo"];

#[test]
fn what_building_needs_is_named_with_the_one_command() {
    let (code, said) = Machine::with(&["cc", "make", "python3", "cargo"]).set_up(&[]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("sudo apt-get update && sudo apt-get install -y bubblewrap"), "{said}");
    let (code, said) = Machine::with(&["bwrap", "cc", "make", "python3"]).set_up(&[]);
    assert!(code == 2 && said.contains("https://rustup.rs"), "{said}");
    let (code, said) = Machine::with(&BASE).set_up(&[]);
    assert_eq!((code, said.as_str()), (0, ""), "nothing is missing, nothing is said");
}

#[test]
fn a_tool_that_cannot_be_compiled_is_named_with_its_command() {
    let machine = Machine::with(&BASE);
    machine.script("cargo", "exit 1");
    let (code, said) = machine.set_up(&["check"]);
    assert!(code == 2 && said.contains("cargo install --locked cargo-nextest"), "{said}");
}

#[test]
fn what_only_some_tests_need_stops_nothing_without_root() {
    let tools =
        ["cargo-nextest", "cargo-deny", "cargo-deb", "strace", "script", "systemd-analyze", "timeout"];
    let machine = Machine::with(&[&BASE[..], &tools[..]].concat());
    let (code, said) = machine.set_up(&["tests"]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("sudo apt-get install -y chromium chromium-driver fuse3"), "{said}");
    assert!(said.contains("are skipped"), "{said}");
}
