//! A fresh Metnos in a folder of its own, driven through the real binary.
#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "test support"
)]

pub mod browser;
pub mod calls;
pub mod daemon;
pub mod draft;
pub mod model;
pub mod pty;
pub mod session;
pub mod skill;
pub mod telegram;

use metnos_testkit::Level;
use serde_json::Value;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The binary that `make build` made, bound to its host.
pub fn binary() -> PathBuf {
    let path = metnos_testkit::product();
    assert!(path.exists(), "{} is missing: run `make build` first", path.display());
    path
}

/// The seeds that work on the paths of a list: `seeds_documents.rs` gives each a tainted one.
pub const TAINTED_BY_PATH: [&str; 16] = [
    "change_files_format",
    "compare_files",
    "compress_files",
    "compute_texts",
    "create_dirs",
    "delete_dirs",
    "delete_files",
    "extract_files",
    "filter_texts_lines",
    "get_files",
    "list_dirs",
    "move_files",
    "read_files",
    "read_files_csv",
    "read_files_xlsx",
    "write_files",
];

/// Runs a command with this standard input.
pub fn ran_with(mut command: Command, stdin: &[u8]) -> Ran {
    let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = piped.spawn().unwrap();
    let mut pipe = child.stdin.take().unwrap();
    let bytes = stdin.to_vec();
    let writer = std::thread::spawn(move || {
        // A command that refuses early closes its end; that is its right.
        let _ = pipe.write_all(&bytes);
    });
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    ran(output)
}

/// One instance: its own home directory, its own `METNOS_HOME`.
pub struct House {
    dir: tempfile::TempDir,
}

/// What a command printed and how it ended.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    /// The JSON it printed.
    pub fn json(&self) -> Value {
        serde_json::from_str(self.stdout.trim())
            .unwrap_or_else(|e| panic!("{e} in {:?}; stderr {:?}", self.stdout, self.stderr))
    }
}

impl House {
    /// Set up, for an administrator's session: questions are the subject of `guards.rs`.
    pub fn new() -> Self {
        Self::copied(Level::Full).unwrap_or_else(|| {
            let house = Self::initialised();
            let ran = house.run(&["policy", "level", "full"]);
            assert_eq!(ran.code, Some(0), "{ran:?}");
            house
        })
    }

    /// Set up, as a new person has it.
    pub fn supervised() -> Self {
        Self::copied(Level::Supervised).unwrap_or_else(Self::initialised)
    }

    /// Set up here and now with `metnos init`, for tests that are about it.
    pub fn initialised() -> Self {
        let house = Self::bare();
        let ran = house.run(&["init"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        house
    }

    /// A copy of the house that was made for this run of the tests, if one was.
    fn copied(level: Level) -> Option<Self> {
        let template = metnos_testkit::template(level)?;
        let house = Self::bare();
        metnos_testkit::copy_tree(&template, &house.metnos()).unwrap();
        Some(house)
    }

    /// Nothing set up yet.
    pub fn bare() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("home")).unwrap();
        Self { dir }
    }

    /// The person's home directory: part of the territory.
    pub fn home(&self) -> PathBuf {
        self.dir.path().join("home").canonicalize().unwrap()
    }

    /// `METNOS_HOME`.
    pub fn metnos(&self) -> PathBuf {
        self.dir.path().join("metnos")
    }

    /// A command in this house, standing in the home directory.
    pub fn command(&self) -> Command {
        self.command_of(&binary())
    }

    /// The same with another `metnos`.
    pub fn command_of(&self, metnos: &Path) -> Command {
        let mut command = Command::new(metnos);
        command
            .env_clear()
            .env("HOME", self.home())
            .env("METNOS_HOME", self.metnos())
            .env("PATH", "/usr/bin:/bin")
            .current_dir(self.home());
        command
    }

    /// Runs `metnos ARGS…`.
    pub fn run(&self, args: &[&str]) -> Ran {
        ran(self.command().args(args).stdin(Stdio::null()).output().unwrap())
    }

    /// Runs `metnos ARGS…` with this standard input.
    pub fn run_with(&self, args: &[&str], stdin: &[u8]) -> Ran {
        let mut command = self.command();
        command.args(args);
        ran_with(command, stdin)
    }

    /// `metnos exec NAME ARGS --json`, and the answer.
    pub fn exec(&self, name: &str, args: Value) -> Value {
        self.exec_ran(name, args).json()
    }

    /// The same with exit code and stderr. A question is answered with yes.
    pub fn exec_ran(&self, name: &str, args: Value) -> Ran {
        let ran = self.run_with(&["--json", "exec", name, "-"], args.to_string().as_bytes());
        match (ran.code, ran.code == Some(4) && ran.json()["error"]["approval"].is_string()) {
            (Some(4), true) => {
                self.run(&["--json", "approve", ran.json()["error"]["approval"].as_str().unwrap()])
            }
            _ => ran,
        }
    }

    /// `metnos exec --as WHO NAME ARGS --json`; a question stays a question.
    pub fn exec_as(&self, who: &str, name: &str, args: Value) -> Ran {
        self.run_with(&["--json", "exec", "--as", who, name, "-"], args.to_string().as_bytes())
    }

    /// The same, and a question stays a question.
    pub fn exec_asking(&self, name: &str, args: Value) -> Ran {
        self.run_with(&["--json", "exec", name, "-"], args.to_string().as_bytes())
    }

    /// The card of the question a call ended with, and all that is behind it.
    pub fn whole_card(&self, asked: &Ran) -> String {
        let told = asked.json();
        let id = told["error"]["approval"].as_str().or(told["approval"].as_str()).unwrap().to_owned();
        let shown = self.run(&["--json", "approvals", &id]).json()[0].clone();
        let details = shown["details"].as_array().unwrap().iter().map(|one| one.as_str().unwrap());
        std::iter::once(shown["text"].as_str().unwrap()).chain(details).collect::<Vec<_>>().join("\n")
    }

    /// Where the day files of the audit lie.
    pub fn audit_dir(&self) -> PathBuf {
        self.metnos().join("workspace/.audit/executors")
    }

    /// The day files of the audit, oldest first.
    pub fn day_files(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.audit_dir()).unwrap().map(|e| e.unwrap().path());
        let mut files: Vec<PathBuf> =
            entries.filter(|p| p.extension().is_some_and(|e| e == "jsonl")).collect();
        files.sort();
        files
    }

    /// Every audit line, in order.
    pub fn audit_lines(&self) -> Vec<Value> {
        let texts = self.day_files().into_iter().map(|f| std::fs::read_to_string(f).unwrap());
        texts.flat_map(|t| t.lines().map(|l| serde_json::from_str(l).unwrap()).collect::<Vec<_>>()).collect()
    }

    /// `metnos executors list --json`, the row of one executor.
    pub fn row(&self, name: &str) -> Value {
        let listed = self.run(&["executors", "list", "--json"]).json();
        let found = listed.as_array().unwrap().iter().find(|row| row["name"] == name).cloned();
        found.unwrap_or_else(|| panic!("{name} is not listed"))
    }

    /// Asserts that the audit chain holds.
    pub fn chain_holds(&self) {
        let ran = self.run(&["audit", "verify", "--json"]);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert_eq!(ran.json()["damage"], serde_json::json!([]), "{ran:?}");
    }

    /// Writes a file below the home directory, with its folders.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.home().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn ran(output: Output) -> Ran {
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
