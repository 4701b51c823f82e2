//! A house of its own for the attacks: keys, executors, files that must not be reached, listeners
//! that must not be called, and the two doors an attack comes through.

use crate::hostile;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// What no attack may bring home.
pub(crate) const SECRET: &str = "canary-of-the-house";
/// What the inherited descriptor leads to.
pub(crate) const INHERITED: &str = "canary-of-a-descriptor";
/// What the environment holds.
pub(crate) const ENVIRONMENT: &str = "canary-of-the-environment";

/// How a house is disturbed: an error ends the whole run, because a row that was not prepared
/// proves nothing.
pub(crate) type Done<T = ()> = Result<T, String>;

/// One instance and the world around it.
pub(crate) struct House {
    dir: PathBuf,
    metnos: PathBuf,
    /// Listeners that stand for the world outside.
    pub(crate) net: crate::net::Net,
    sessions: BTreeMap<String, Session>,
}

impl House {
    /// Sets up a house in `dir` with the test build `metnos`.
    pub(crate) fn new(dir: &Path, metnos: &Path) -> Done<Self> {
        let dir = dir.canonicalize().map_err(|e| e.to_string())?;
        let net = crate::net::Net::open()?;
        let house = Self { dir, metnos: metnos.to_owned(), net, sessions: BTreeMap::new() };
        for folder in [
            "home/docs",
            "home/other",
            "home/out",
            "home/.ssh",
            "outside",
            "pause",
            "shared-tmp/.cell",
            "skills",
        ] {
            make_dir(&house.at(folder))?;
        }
        house.restore()?;
        write(&house.at("inherited"), INHERITED)?;
        let set_up = house.command("", &["init"]).output().map_err(|e| e.to_string())?;
        if !set_up.status.success() {
            return Err(format!("init: {}", String::from_utf8_lossy(&set_up.stderr)));
        }
        // A thousand calls an hour are for persons.
        let limits = "[limits]\ncalls_per_hour = 1000000000\nchanges_per_hour = 1000000000\n";
        write(&house.at("metnos/config/metnos.toml"), limits)?;
        hostile::sign_all(&house)?;
        Ok(house)
    }

    /// The files an attack may have changed, as they were.
    pub(crate) fn restore(&self) -> Done {
        write(&self.at("home/docs/open.txt"), "open to this call")?;
        write(&self.at("home/other/secret.txt"), SECRET)?;
        write(&self.at("home/.ssh/id"), SECRET)?;
        write(&self.at("home/.netrc"), SECRET)?;
        write(&self.at("outside/secret.txt"), SECRET)?;
        let _ = std::fs::remove_file(self.at("home/thread.txt"));
        for link in ["innocent", "harmless"] {
            let _ = std::fs::remove_file(self.at("home/docs").join(link));
        }
        Ok(())
    }

    /// A second house, equal to this one at this moment, for attacks on the house itself.
    pub(crate) fn copy(&self, to: &Path) -> Done<Self> {
        let to = to.canonicalize().map_err(|e| e.to_string())?;
        let copied = Command::new("cp").arg("-a").arg(self.dir.join(".")).arg(&to).status();
        if !copied.is_ok_and(|s| s.success()) {
            return Err("the house could not be copied".into());
        }
        let net = self.net.another()?;
        Ok(Self { dir: to, metnos: self.metnos.clone(), net, sessions: BTreeMap::new() })
    }

    /// A path below this house.
    pub(crate) fn at(&self, path: &str) -> PathBuf {
        self.dir.join(path)
    }

    /// The same as text.
    pub(crate) fn text(&self, path: &str) -> String {
        self.at(path).display().to_string()
    }

    /// The folder of the installed executors of `root`.
    pub(crate) fn executors(&self, root: &str) -> PathBuf {
        self.at("metnos/executors").join(root)
    }

    /// `metnos ARGS…` in this house, without one layer if `without` names one.
    pub(crate) fn command(&self, without: &str, args: &[&str]) -> Command {
        // The shell opens the descriptor that no cell may inherit.
        let mut command = Command::new("/bin/sh");
        command
            .args(["-c", r#"exec 9<"$0"; exec "$@""#])
            .arg(self.at("inherited"))
            .arg(&self.metnos)
            .args(args)
            .env_clear()
            .env("HOME", self.at("home"))
            .env("METNOS_HOME", self.at("metnos"))
            .env("PATH", "/usr/bin:/bin")
            .env("LEAKED", ENVIRONMENT)
            .env("METNOS_LAB_WITHOUT", without)
            .env("METNOS_LAB_PAUSE", self.at("pause"))
            .env("METNOS_LAB_TMP", self.at("shared-tmp"))
            .env("METNOS_LAB_THREAD", self.at("home/thread.txt"))
            .env("METNOS_LAB_HOSTS", crate::net::HOSTS)
            .env("METNOS_LAB_ROUTES", crate::net::ROUTES)
            .current_dir(self.at("home"))
            .stdin(Stdio::null());
        command
    }

    /// One call in a process of its own: a cold cell.
    pub(crate) fn cold(&self, without: &str, executor: &str, args: &Value) -> Done<Value> {
        let args = args.to_string();
        let output = self
            .command(without, &["--json", "exec", executor, &args])
            .output()
            .map_err(|e| e.to_string())?;
        serde_json::from_slice(&output.stdout)
            .map_err(|e| format!("{executor}: {e}; stderr {:?}", String::from_utf8_lossy(&output.stderr)))
    }

    /// The process that keeps cells warm, without one layer if `without` names one.
    pub(crate) fn session(&mut self, without: &str) -> Done<&mut Session> {
        if !self.sessions.contains_key(without) {
            // Two at most: the whole product, and the one without the layer at hand.
            self.sessions.retain(|known, _| known.is_empty());
            let child = self
                .command(without, &["exec", "--stdin"])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .map_err(|e| e.to_string())?;
            self.sessions.insert(
                without.to_owned(),
                Session::new(child, self.at("metnos/workspace/.audit/executors"))?,
            );
        }
        self.sessions.get_mut(without).ok_or_else(|| "no session".to_owned())
    }
}

/// A running `metnos exec --stdin`.
pub(crate) struct Session {
    child: Child,
    ask: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    audit: PathBuf,
}

impl Session {
    fn new(mut child: Child, audit: PathBuf) -> Done<Self> {
        let (Some(ask), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("a session without pipes".into());
        };
        Ok(Self { child, ask: Some(ask), answers: BufReader::new(answers), audit })
    }

    /// One call.
    pub(crate) fn call(&mut self, executor: &str, args: &Value) -> Done<Value> {
        let Some(ask) = &mut self.ask else { return Err("the session is over".into()) };
        writeln!(ask, "{}", json!({ "executor": executor, "args": args })).map_err(|e| e.to_string())?;
        let mut line = String::new();
        self.answers.read_line(&mut line).map_err(|e| e.to_string())?;
        serde_json::from_str(&line).map_err(|e| format!("{executor}: {e} in {line:?}"))
    }

    /// Calls harmlessly until a warm cell with the same mounts serves; several then wait.
    pub(crate) fn warm_up(&mut self, executor: &str, args: &Value) -> Done {
        let until = Instant::now() + Duration::from_secs(60);
        while Instant::now() < until {
            let answer = self.call(executor, args)?;
            if self.was_warm(&answer) {
                return Ok(());
            }
            // A shelf fills in the background; asking again at once would empty it.
            std::thread::sleep(Duration::from_millis(20));
        }
        Err(format!("{executor}: no warm cell within a minute"))
    }

    /// Whether the audit says that a warm cell served this answer.
    pub(crate) fn was_warm(&self, answer: &Value) -> bool {
        let Some(id) = answer["call_id"].as_str() else { return false };
        let files = std::fs::read_dir(&self.audit).into_iter().flatten().flatten();
        files
            .filter_map(|file| std::fs::read_to_string(file.path()).ok())
            .flat_map(|text| text.lines().rev().map(str::to_owned).collect::<Vec<_>>())
            .filter(|line| line.contains(id))
            .filter_map(|line| serde_json::from_str::<Value>(&line).ok())
            .any(|line| line["cell"]["warm"] == true)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // The end of its input ends it; one that does not listen is ended.
        self.ask = None;
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes a file, or says which.
pub(crate) fn write(path: &Path, text: impl AsRef<[u8]>) -> Done {
    std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))
}

/// Makes a folder with its parents, or says which.
pub(crate) fn make_dir(path: &Path) -> Done {
    std::fs::create_dir_all(path).map_err(|e| format!("{}: {e}", path.display()))
}
