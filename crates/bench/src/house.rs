//! A fresh Metnos for each group of figures, driven through the real binary.
//!
//! It lies below the home directory, as it does for a person, on the disk that holds the data:
//! what is durable here is durable there.

use crate::Result;
use serde_json::Value;
use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// One instance, removed at the end.
pub(crate) struct House {
    metnos: PathBuf,
    home: PathBuf,
    base: tempfile::TempDir,
}

impl House {
    /// Sets one up below `data`.
    pub(crate) fn new(metnos: &Path, data: &Path) -> Result<Self> {
        let home = data.join("home");
        std::fs::create_dir_all(&home)?;
        let home = home.canonicalize()?;
        let base = tempfile::Builder::new().prefix(".metnos-").tempdir_in(&home)?;
        let house = Self { metnos: metnos.canonicalize()?, home, base };
        let made = house.command(&["init"]).stdout(Stdio::null()).status()?;
        if !made.success() {
            return Err("metnos init failed".into());
        }
        // A thousand calls an hour are for persons.
        let limits = "[limits]\ncalls_per_hour = 1000000000\nchanges_per_hour = 1000000000\n";
        std::fs::write(house.base.path().join("config/metnos.toml"), limits)?;
        // What is measured is the work, not the questions.
        let level = house.command(&["policy", "level", "full"]).stdout(Stdio::null()).status()?;
        if !level.success() {
            return Err("metnos policy level failed".into());
        }
        Ok(house)
    }

    /// The home directory, where generated files live too.
    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    /// Where this instance keeps its things; also for scratch.
    pub(crate) fn base(&self) -> &Path {
        self.base.path()
    }

    /// The binary.
    pub(crate) fn metnos(&self) -> &Path {
        &self.metnos
    }

    /// `metnos ARGS…` in this house.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(&self.metnos);
        command
            .args(args)
            .env_clear()
            .env("HOME", &self.home)
            .env("METNOS_HOME", self.base.path())
            .env("PATH", "/usr/bin:/bin")
            .current_dir(&self.home)
            .stdin(Stdio::null());
        command
    }

    /// How long one whole `metnos --json exec NAME ARGS` takes, its answer written to `out`.
    pub(crate) fn exec(&self, name: &str, args: &Value, out: &Path) -> Result<Duration> {
        let mut command = self.command(&["--json", "exec", name, &args.to_string()]);
        command.stdout(File::create(out)?);
        run(&mut command)
    }

    /// `metnos exec --stdin`, ready for calls.
    pub(crate) fn session(&self) -> Result<Session> {
        self.open(&["exec", "--stdin"])
    }

    /// The same without cells kept ready.
    pub(crate) fn cold_session(&self) -> Result<Session> {
        self.open(&["exec", "--stdin", "--cold"])
    }

    fn open(&self, words: &[&str]) -> Result<Session> {
        let mut child = self.command(words).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("no pipes".into());
        };
        let stdout = BufReader::with_capacity(1 << 20, stdout);
        Ok(Session { child, stdin: Some(stdin), stdout, answer: Vec::new() })
    }

    /// The last `n` audit lines, oldest first.
    pub(crate) fn audit(&self, n: usize) -> Result<Vec<Value>> {
        let said = self.command(&["--json", "audit", "tail", "-n", &n.to_string()]).output()?;
        let text = String::from_utf8(said.stdout)?;
        if let Ok(Value::Array(lines)) = serde_json::from_str(&text) {
            return Ok(lines);
        }
        text.lines().map(|line| Ok(serde_json::from_str(line)?)).collect()
    }
}

/// Runs a command to its end; anything but success is an error.
pub(crate) fn run(command: &mut Command) -> Result<Duration> {
    let started = Instant::now();
    let status = command.status()?;
    let took = started.elapsed();
    if status.success() { Ok(took) } else { Err(format!("{command:?}: {status}").into()) }
}

/// A running `exec --stdin`.
pub(crate) struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    answer: Vec<u8>,
}

impl Session {
    /// One call, from the first byte of the question to the last of the answer.
    pub(crate) fn call(&mut self, line: &str) -> Result<Duration> {
        let stdin = self.stdin.as_mut().ok_or("the session is over")?;
        self.answer.clear();
        let started = Instant::now();
        stdin.write_all(line.as_bytes())?;
        self.stdout.read_until(b'\n', &mut self.answer)?;
        let took = started.elapsed();
        if self.answer.starts_with(b"{\"ok\":true") {
            return Ok(took);
        }
        let start = self.answer.get(..self.answer.len().min(400)).unwrap_or_default();
        Err(format!("{line}: {}", String::from_utf8_lossy(start)).into())
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // End of input is how a session ends.
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}

/// One line of `exec --stdin`.
pub(crate) fn ask(executor: &str, args: &Value) -> String {
    format!("{}\n", serde_json::json!({ "executor": executor, "args": args }))
}
