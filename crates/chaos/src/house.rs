//! One instance of Metnos on two file systems, driven through the real binary.

use crate::python::DRAFTS;
use crate::{Done, cases, tree};
use serde_json::Value;
use std::io::Read;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// No call on this tree needs longer; one that does hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(40);

/// How often the end of a command is looked for.
const LOOK: Duration = Duration::from_micros(300);

/// Where things are.
#[derive(Clone, Debug)]
pub(crate) struct House {
    binary: PathBuf,
    /// `home` and `metnos` lie here.
    pub(crate) base: PathBuf,
    /// A root on another file system.
    pub(crate) second: PathBuf,
}

/// How a command ended.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ran {
    /// `None` when a signal ended it.
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// It did not end by itself.
    pub(crate) hung: bool,
}

impl Ran {
    /// The JSON it printed, whole.
    pub(crate) fn json(&self) -> Option<Value> {
        serde_json::from_str(self.stdout.trim()).ok()
    }

    /// One line about it.
    pub(crate) fn told(&self) -> String {
        let out: String = self.stdout.chars().take(300).collect();
        let err: String = self.stderr.chars().take(300).collect();
        format!("exit {:?}, hung {}, stdout {out:?}, stderr {err:?}", self.code, self.hung)
    }
}

impl House {
    /// The house at these places, which exist.
    pub(crate) fn at(binary: &Path, base: &Path, second: &Path) -> Self {
        Self { binary: binary.to_owned(), base: base.to_owned(), second: second.to_owned() }
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.base.join("home")
    }

    /// A folder in the home directory that is a mount of its own: what is taken away there cannot be
    /// renamed to where it is kept.
    pub(crate) fn mount(&self) -> PathBuf {
        self.home().join("mnt")
    }

    pub(crate) fn metnos(&self) -> PathBuf {
        self.base.join("metnos")
    }

    /// Sets it up: keys, seeds, both roots, and the planted tree. Nothing of it can be undone.
    pub(crate) fn set_up(&self, seed: u64) -> Done {
        std::fs::create_dir_all(self.mount()).map_err(|e| e.to_string())?;
        self.must(&["init"])?;
        // A thousand calls an hour are for persons.
        let limits = "[limits]\ncalls_per_hour = 1000000000\nchanges_per_hour = 1000000000\n";
        std::fs::write(self.metnos().join("config/metnos.toml"), limits).map_err(|e| e.to_string())?;
        // A version without levels needs none.
        let _ = self.run(&["policy", "level", "full"]);
        self.open_second()?;
        self.sign()?;
        cases::plant(&self.home(), &self.second, seed)?;
        let packing = cases::packing();
        self.must(&["--json", "exec", packing.executor, &packing.args(&self.home(), &self.second)])?;
        self.must(&["undo", "--forget"])?;
        Ok(())
    }

    /// The executors in Python.
    fn sign(&self) -> Done {
        let drafts = self.base.join("drafts");
        for draft in &DRAFTS {
            let folder = draft.write(&drafts)?.display().to_string();
            self.must(&["executors", "sign", &folder, "--reason", "chaos"])?;
            self.must(&["executors", "promote", draft.name, "1.0.0", "--reason", "chaos"])?;
        }
        std::fs::remove_dir_all(&drafts).map_err(|e| e.to_string())
    }

    /// Makes the second root a part of the territory.
    pub(crate) fn open_second(&self) -> Done {
        self.must(&["territory", "add", &self.second.display().to_string()]).map(drop)
    }

    /// The same house elsewhere, as it stands.
    pub(crate) fn copy_to(&self, other: &House) -> Done {
        tree::empty(&other.second)?;
        for part in ["home", "metnos"] {
            let to = other.base.join(part);
            std::fs::create_dir_all(&to).map_err(|e| format!("{}: {e}", to.display()))?;
            tree::empty(&to)?;
            tree::copy(&self.base.join(part), &to)?;
        }
        tree::copy(&self.second, &other.second)
    }

    /// `metnos ARGS…`, below `wrapper` if there is one.
    pub(crate) fn command(&self, wrapper: &[String], args: &[&str]) -> Command {
        let mut command = match wrapper.split_first() {
            Some((first, rest)) => {
                let mut command = Command::new(first);
                command.args(rest).arg(&self.binary);
                command
            }
            None => Command::new(&self.binary),
        };
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home())
            .env("METNOS_HOME", self.metnos())
            .env("PATH", "/usr/bin:/bin")
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        command
    }

    /// Runs it to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        finish(self.command(&[], args).spawn(), &|| false)
    }

    fn must(&self, args: &[&str]) -> Done<Ran> {
        let ran = self.run(args);
        match ran.code {
            Some(0) => Ok(ran),
            _ => Err(format!("metnos {}: {}", args.join(" "), ran.told())),
        }
    }

    /// Every audit line, in order.
    pub(crate) fn audit(&self) -> Done<Vec<Value>> {
        let dir = self.metnos().join("workspace/.audit/executors");
        let items = std::fs::read_dir(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let mut files: Vec<PathBuf> = items.flatten().map(|item| item.path()).collect();
        files.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
        files.sort();
        let mut lines = Vec::new();
        for path in files {
            let text = std::fs::read_to_string(&path).map_err(|e| e.to_string())?;
            for line in text.lines() {
                lines.push(serde_json::from_str(line).map_err(|e| format!("an audit line: {e}"))?);
            }
        }
        Ok(lines)
    }
}

/// Waits for the end, or kills the whole group when `cut` says so or patience is over.
pub(crate) fn finish(child: std::io::Result<Child>, cut: &dyn Fn() -> bool) -> Ran {
    let mut child = match child {
        Ok(child) => child,
        Err(e) => return Ran { stderr: e.to_string(), ..Ran::default() },
    };
    let out = drain(child.stdout.take());
    let err = drain(child.stderr.take());
    let (mut waited, mut last) = (Duration::ZERO, Instant::now());
    let mut hung = false;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break Some(status),
            Err(_) => break None,
            Ok(None) => {}
        }
        // A pause of this whole program is no hang of the other.
        waited += last.elapsed().min(LOOK * 100);
        last = Instant::now();
        hung = waited > PATIENCE;
        if hung || cut() {
            kill_group(child.id());
            break child.wait().ok();
        }
        std::thread::sleep(LOOK);
    };
    // What it started holds the pipes until it is gone too, which is what is waited for here.
    let (stdout, stderr) = (join(out), join(err));
    Ran { code: status.and_then(|s: ExitStatus| s.code()), stdout, stderr, hung }
}

/// The process and everything of its group.
pub(crate) fn kill_group(pid: u32) {
    if let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) {
        let _ = rustix::process::kill_process_group(pid, rustix::process::Signal::KILL);
    }
}

type Drained = std::thread::JoinHandle<Vec<u8>>;

fn drain(pipe: Option<impl Read + Send + 'static>) -> Option<Drained> {
    let mut pipe = pipe?;
    Some(std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _ = pipe.read_to_end(&mut bytes);
        bytes
    }))
}

fn join(drained: Option<Drained>) -> String {
    let bytes = drained.and_then(|drained| drained.join().ok()).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
