//! Runs birth tests inside the real sandbox, through the same path as any call.

use crate::call::{Provenance, Silent, Spec};
use crate::rehearsal::Rehearsal;
use crate::runtime::Runtime;
use metnos_executor::birth::{self, Birth, Case, Made};
use metnos_executor::lab::{self, Layer};
use metnos_executor::signature::Verified;
use metnos_executor::{ErrorClass, Failure, Part, Refusal};
use metnos_memory::db;
use metnos_vocab::ExecutorName;
use serde_json::Value;
use std::io::BufRead;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Who calls an executor to see whether it keeps its promises.
pub(crate) const CALLER: &str = "metnos/birth";

/// How often a case is tried before it counts as broken, and how long is waited in between.
const TRIES: usize = 3;
const PAUSE: Duration = Duration::from_millis(150);

/// A promise that was kept, or how it was not.
type Kept = Result<(), String>;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// How the birth tests of one executor went.
#[derive(Clone, Debug, serde::Serialize)]
pub struct BirthReport {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Cases that kept their promise.
    pub passed: u64,
    /// Cases that did not: the promise and what happened instead.
    pub failed: Vec<(String, String)>,
}

impl Runtime {
    /// Runs all birth cases of a verified executor and records whether they passed here.
    pub fn birth(&self, verified: &Verified) -> Result<BirthReport, Failure> {
        let identity = &verified.manifest.executor;
        let (name, version) = (identity.name.to_string(), identity.version.to_string());
        let birth = Birth::parse(&verified.birth, "tests/birth.toml")
            .map_err(|e| Failure::internal(e.to_string()))?;
        let mut report =
            BirthReport { name: name.clone(), version: version.clone(), passed: 0, failed: Vec::new() };
        for case in &birth.cases {
            match self.tried(&name, &version, case)? {
                Ok(()) => report.passed += 1,
                Err(_) if lab::without(Layer::BirthTests) => report.passed += 1,
                Err(why) => report.failed.push((case.name.clone(), why)),
            }
        }
        let record = db::Birth { executor: name, version, digest: verified.digest.clone() };
        self.db
            .record_birth(&record, &self.environment(), report.failed.is_empty(), jiff::Timestamp::now())
            .map_err(|e| Failure::internal(e.to_string()))?;
        Ok(report)
    }

    /// An executor that has not yet kept its promises under this host, kernel and bubblewrap keeps
    /// them now, before it is used; one that cannot goes to quarantine.
    pub(crate) fn ensure_born(&self, name: &ExecutorName, verified: &Verified) -> Result<(), Failure> {
        if lock(&self.alive).contains(&verified.digest) {
            return Ok(());
        }
        if !self.born(verified) {
            let report = self.birth(verified)?;
            if let Some((promise, why)) = report.failed.first() {
                let refusal = Refusal::new(Part::BirthTests, format!("{promise}: {why}"));
                let version = &verified.manifest.executor.version;
                return Err(self.put_out_of_use(name, Some(version), &refusal));
            }
        }
        lock(&self.alive).insert(verified.digest.clone());
        Ok(())
    }

    /// Runs every birth test again, for doors that stay open; a failure quarantines. Returns the
    /// names of the executors that failed.
    pub fn rebirth(&self) -> Vec<String> {
        let usable = |row: &&crate::lifecycle::Row| row.state == "active" && row.root != "builtin";
        let mut failed = Vec::new();
        for row in self.executors().iter().filter(usable) {
            let Ok(name) = ExecutorName::parse(&row.name) else { continue };
            let Ok(verified) = self.resolve(&name, None) else { continue };
            match self.birth(&verified) {
                Ok(report) if report.failed.is_empty() => {}
                Ok(report) => {
                    let (promise, why) = &report.failed[0];
                    let refusal = Refusal::new(Part::BirthTests, format!("{promise}: {why}"));
                    self.put_out_of_use(&name, Some(&verified.manifest.executor.version), &refusal);
                    failed.push(row.name.clone());
                }
                Err(_) => failed.push(row.name.clone()),
            }
        }
        failed
    }

    /// True when these very bytes passed their birth tests under this host, kernel and bubblewrap.
    pub fn born(&self, verified: &Verified) -> bool {
        let identity = &verified.manifest.executor;
        let record = db::Birth {
            executor: identity.name.to_string(),
            version: identity.version.to_string(),
            digest: verified.digest.clone(),
        };
        matches!(self.db.birth(&record, &self.environment()), Ok(Some(true)))
    }

    fn environment(&self) -> db::Environment {
        db::Environment {
            host: self.host.digest().unwrap_or_default(),
            kernel: rustix::system::uname().release().to_string_lossy().into_owned(),
            bwrap: crate::host::bwrap_identity(),
        }
    }

    /// Tries one case, and again if it fails: what the house lacks for a moment is no broken promise.
    fn tried(&self, name: &str, version: &str, case: &Case) -> Result<Kept, Failure> {
        let mut last = self.case(name, version, case);
        for _ in 1..TRIES {
            if matches!(last, Ok(Ok(()))) {
                break;
            }
            std::thread::sleep(PAUSE);
            last = self.case(name, version, case);
        }
        last
    }

    fn case(&self, name: &str, version: &str, case: &Case) -> Result<Kept, Failure> {
        let dir = self.home.workspace().join(".birth").join(metnos_executor::Ulid::new().to_string());
        std::fs::create_dir_all(&dir).map_err(|e| Failure::io(dir.display(), &e))?;
        let outcome = self.case_in(name, version, case, &dir);
        // Left-overs are harmless, but they are ours to clear.
        let _ = std::fs::remove_dir_all(&dir);
        outcome
    }

    fn case_in(&self, name: &str, version: &str, case: &Case, dir: &Path) -> Result<Kept, Failure> {
        let io = |e: std::io::Error| Failure::io(dir.display(), &e);
        let real = dir.canonicalize().map_err(io)?;
        let text = real.to_str().ok_or_else(|| Failure::internal("the workspace's path is not UTF-8"))?;
        let (placed, dir) = (case.in_dir(text), &real);
        for file in &placed.files {
            let path = dir.join(&file.path);
            if let Some(parent) = path.parent() {
                std::fs::create_dir_all(parent).map_err(io)?;
            }
            match &file.what {
                Made::File(bytes) => std::fs::write(&path, bytes).map_err(io)?,
                Made::Dir => std::fs::create_dir_all(&path).map_err(io)?,
                Made::Link(to) => std::os::unix::fs::symlink(to, &path).map_err(io)?,
            }
            if let Some(mtime) = file.mtime {
                let times = std::fs::FileTimes::new().set_modified(mtime.into());
                std::fs::File::open(&path).and_then(|f| f.set_times(times)).map_err(io)?;
            }
        }
        let spec = Spec {
            executor: name.to_owned(),
            version: Some(version.to_owned()),
            args: placed.input.clone(),
            base: dir.clone(),
            entries: None,
            with: None,
            caller: CALLER.into(),
            session: "birth".into(),
            call_id: None,
            lang: metnos_tongue::FALLBACK.into(),
            now: jiff::Zoned::now(),
            provenance: Provenance::default(),
            bound: None,
        };
        let rehearsal = Rehearsal::begin(&placed)?;
        let mut done = self.call_in(spec, &mut Silent, Some(&rehearsal));
        // What a birth test changed is nobody's to undo.
        let _ = self.journal.forget(&done.call_id);
        let broken = |e: serde_json::Error| Failure::internal(e.to_string());
        let outcome = serde_json::to_value(&done.outcome).map_err(broken)?;
        let items = done
            .items
            .reader()
            .map_err(io)?
            .split(b'\n')
            .map(|line| serde_json::from_slice::<Value>(&line.map_err(io)?).map_err(broken))
            .collect::<Result<Vec<Value>, Failure>>()?;
        // What a server saw tells more than what came of it.
        let asked = |why: String| rehearsal.broken().map_or(why.clone(), |broken| format!("{why}; {broken}"));
        match (birth::matches(&placed, &outcome, &items).map_err(asked), done.outcome.error) {
            (Ok(()), _) => {}
            (Err(_), Some(error)) if is_of_the_house(error.class) => return Err(error),
            (Err(why), Some(error)) => return Ok(Err(format!("{why} ({error})"))),
            (Err(why), None) => return Ok(Err(why)),
        }
        if let Some(broken) = rehearsal.broken() {
            return Ok(Err(broken));
        }
        for after in &placed.after {
            let path = dir.join(&after.path);
            let there = path.symlink_metadata();
            let kept = match (&after.what, there) {
                (None, Err(_)) => true,
                (Some(Made::File(expected)), Ok(_)) => {
                    std::fs::read(&path).is_ok_and(|found| found == *expected)
                }
                (Some(Made::Dir), Ok(meta)) => meta.is_dir(),
                (Some(Made::Link(to)), Ok(_)) => {
                    std::fs::read_link(&path).is_ok_and(|found| found == Path::new(to))
                }
                _ => false,
            };
            if !kept {
                return Ok(Err(format!("{} is not as it should be afterwards", after.path)));
            }
        }
        Ok(Ok(()))
    }
}

/// Whether such a failure says nothing about the executor that was called.
fn is_of_the_house(class: ErrorClass) -> bool {
    matches!(class, ErrorClass::SandboxUnavailable | ErrorClass::Interrupted | ErrorClass::Cancelled)
}
