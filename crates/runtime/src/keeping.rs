//! What is kept for undo is let go by age, in days on which Metnos was used, and by size: the oldest first, never what is at work or is
//! being undone, never the latest for its size. It is done after an answer was given. A ledger of one line
//! says whether a look at everything that is kept is worth it: each hour, and when more is kept than may be.

use crate::call::unrecorded;
use crate::config::Undo as Rule;
use crate::runtime::Runtime;
use crate::undo::{failed, paths};
use jiff::{SignedDuration, Timestamp};
use metnos_executor::Failure;
use metnos_memory::audit::{Kind, Line};
use metnos_undo::{Act, State};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeSet;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a look serves.
const LOOK: SignedDuration = SignedDuration::from_hours(1);
/// A ledger is one short line.
const LEDGER_MAX: u64 = 4096;
/// Who lets go, in the audit.
const CALLER: &str = "metnos/keeping";

/// What this process kept since it last told the ledger.
#[derive(Default)]
pub(crate) struct Fresh(Mutex<Option<(String, u64)>>);

impl Fresh {
    /// A change ended that keeps so many bytes.
    pub(crate) fn note(&self, call_id: &str, bytes: u64) {
        let mut fresh = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let before = fresh.as_ref().map_or(0, |(_, bytes)| *bytes);
        *fresh = Some((call_id.to_owned(), before.saturating_add(bytes)));
    }

    fn is_some(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn take(&self) -> Option<(String, u64)> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// What is known without looking. It may be wrong or absent: the next look puts it right.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Ledger {
    /// When somebody looked, in text.
    looked_at: String,
    /// The bytes that are kept.
    bytes: u64,
    /// The latest change. The order of events and not the clock tells which it is.
    latest: String,
}

impl Ledger {
    /// Locked; `None` when another process has it, which then does what is to be done.
    fn open(state: &Path) -> Result<Option<(File, Self)>, Failure> {
        let path = state.join("kept.json");
        let io = |e: std::io::Error| Failure::io(path.display(), &e);
        let open =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o600).open(&path);
        let file = open.map_err(io)?;
        if flock(&file, FlockOperation::NonBlockingLockExclusive).is_err() {
            return Ok(None);
        }
        let mut text = Vec::new();
        (&file).take(LEDGER_MAX).read_to_end(&mut text).map_err(io)?;
        Ok(Some((file, serde_json::from_slice(&text).unwrap_or_default())))
    }

    /// Not durable: after a power loss it is read as nothing, and somebody looks.
    fn save(&self, file: &mut File) -> std::io::Result<()> {
        let text = serde_json::to_vec(self)?;
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(&text)
    }

    fn is_due(&self, added: u64, rule: Rule, now: Timestamp) -> bool {
        let Ok(looked) = self.looked_at.parse::<Timestamp>() else { return true };
        let since = now.duration_since(looked);
        // A clock that went back makes a look of the future, which serves for nothing.
        since.is_negative() || since >= LOOK || (added > 0 && self.bytes > rule.budget())
    }
}

/// An act with what it really holds.
struct Held {
    act: Act,
    bytes: u64,
}

/// Why something is let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Why {
    Age,
    Budget,
}

impl Why {
    fn text(self) -> &'static str {
        match self {
            Self::Age => "it is older than [undo] keep_days, counted in days of use",
            Self::Budget => "more is kept than [undo] budget_mb",
        }
    }
}

impl Runtime {
    /// True when this process changed something since it last tidied up.
    pub fn has_changed(&self) -> bool {
        self.kept.is_some()
    }

    /// Lets go of what is due. Nobody waits for it; what fails is tried again at the next look.
    pub fn tidy(&self) -> Result<(), Failure> {
        let Some((mut file, mut ledger)) = Ledger::open(&self.home.state_dir())? else { return Ok(()) };
        let fresh = self.kept.take();
        let added = fresh.as_ref().map_or(0, |(_, bytes)| *bytes);
        ledger.bytes = ledger.bytes.saturating_add(added);
        if let Some((latest, _)) = fresh {
            ledger.latest = latest;
        }
        let now = Timestamp::now();
        let looked = if ledger.is_due(added, self.config.undo, now) {
            let left = self.look(&ledger.latest, now);
            // A look that was cut short is none.
            if let Ok(Some(left)) = left {
                ledger.bytes = left;
                ledger.looked_at = now.to_string();
            }
            left.map(|_| ())
        } else {
            Ok(())
        };
        crate::reserve::hold_back(&self.home.state_dir());
        ledger.save(&mut file).map_err(|e| Failure::io("the ledger of what is kept", &e))?;
        looked
    }

    /// Looks at everything that is kept and gives how many bytes stay; `None` when everything was stopped.
    fn look(&self, latest: &str, now: Timestamp) -> Result<Option<u64>, Failure> {
        let _at_work = self.gate.enter()?;
        for id in self.journal.half_freed().map_err(|e| failed(&e))? {
            self.journal.free(&id, now).map_err(|e| failed(&e))?;
        }
        let acts = self.journal.held().map_err(|e| failed(&e))?;
        // Somebody agreed to that before it was done, and it was cut.
        for act in acts.iter().filter(|act| matches!(act.state, State::Freed(_))) {
            self.journal.free(&act.call_id, now).map_err(|e| failed(&e))?;
        }
        let held: Vec<Held> = acts.into_iter().filter_map(Held::of).collect();
        let mut total: u64 = held.iter().map(|held| held.bytes).sum();
        let days = self.days_of_use(now)?;
        for (held, why) in due(&held, self.config.undo, latest, &days) {
            if self.gate.is_shut() {
                return Ok(None);
            }
            if self.free(&held.act, CALLER, why.text(), Duration::ZERO)? {
                total -= held.bytes;
            }
        }
        Ok(Some(total))
    }

    /// The days of use, this one among them.
    fn days_of_use(&self, now: Timestamp) -> Result<Vec<String>, Failure> {
        let unread = |e: metnos_memory::Error| Failure::internal(e.to_string());
        self.db.use_day(&date(now)).map_err(unread)?;
        self.db.days_of_use().map_err(unread)
    }

    /// Lets go of one act, recorded first; false when it is in use or no longer what it was.
    pub(crate) fn free(&self, act: &Act, by: &str, why: &str, patience: Duration) -> Result<bool, Failure> {
        let id = &act.call_id;
        // Who undoes it has its paths. Records that are damaged name none, and cannot be undone either.
        let done = match act.state {
            State::Damaged(_) => Vec::new(),
            _ => self.journal.read(id).map_err(|e| failed(&e))?,
        };
        let paths: Vec<PathBuf> = done.iter().flat_map(|(step, ..)| paths(&step.op)).collect();
        let until = Instant::now() + patience;
        let give_up = || Instant::now() >= until;
        let lock = self.locks.take(&format!("{id}-free"), &paths, &give_up).map_err(|e| failed(&e))?;
        if lock.is_none() || self.journal.act(id).map_err(|e| failed(&e))?.state != act.state {
            return Ok(false);
        }
        let bytes = act.closed.as_ref().map_or(0, |closed| closed.kept_bytes);
        let mut line = Line::new(Kind::Config);
        line.caller = Some(by.to_owned());
        line.detail = json!({ "what": "undo forgotten", "turn": id, "why": why, "bytes": bytes });
        self.audit.append(line).map_err(|e| unrecorded(&e))?;
        self.journal.free(id, Timestamp::now()).map_err(|e| failed(&e))?;
        Ok(true)
    }
}

impl Held {
    /// `None` for what is left alone: damaged, which a person decides about, or on a disk that is away.
    fn of(act: Act) -> Option<Self> {
        let keeps = &act.head.as_ref()?.keeps;
        let recorded = act.closed.as_ref().map_or(0, |closed| closed.kept_bytes);
        let bytes = match &act.state {
            State::Done if keeps.iter().any(|keep| keep.dir.0.is_dir()) => recorded,
            State::Done if recorded > 0 => return None,
            State::Done => 0,
            // What could not be given back stays there.
            State::Undone | State::Partly | State::RolledBack => {
                let dirs: BTreeSet<&PathBuf> = keeps.iter().map(|keep| &keep.dir.0).collect();
                dirs.into_iter().map(|dir| size(dir)).sum()
            }
            _ => return None,
        };
        Some(Self { act, bytes })
    }

    /// From when its age counts.
    fn at(&self) -> Option<Timestamp> {
        let undone = self.act.undone.as_ref().map(|undone| undone.at);
        undone.or_else(|| self.act.head.as_ref().map(|head| head.at))
    }
}

/// The bytes in a folder of things that are kept.
fn size(dir: &Path) -> u64 {
    let items = std::fs::read_dir(dir).into_iter().flatten().flatten();
    items.filter_map(|item| item.metadata().ok()).filter(|meta| meta.is_file()).map(|meta| meta.len()).sum()
}

/// The day of a moment, as it is written down.
fn date(at: Timestamp) -> String {
    at.to_string().chars().take(10).collect()
}

/// What has to go, the oldest first. `held` comes with the newest first, `days` are the days of use, oldest first. The
/// age of something is the number of days of use since: a clock that jumps, or weeks in which nothing ran, add one.
fn due<'h>(held: &'h [Held], rule: Rule, latest: &str, days: &[String]) -> Vec<(&'h Held, Why)> {
    let age = |at: Timestamp| days.len() - days.partition_point(|day| *day <= date(at));
    let most = usize::try_from(rule.keep_days.get()).unwrap_or(usize::MAX);
    let is_old = |held: &&Held| held.at().is_some_and(|at| age(at) > most);
    let (old, young): (Vec<&Held>, Vec<&Held>) = held.iter().rev().partition(is_old);
    let mut total: u64 = young.iter().map(|held| held.bytes).sum();
    let mut due: Vec<(&Held, Why)> = old.into_iter().map(|held| (held, Why::Age)).collect();
    for held in young {
        if total > rule.budget() && held.bytes > 0 && held.act.call_id != latest {
            total -= held.bytes;
            due.push((held, Why::Budget));
        }
    }
    due
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use metnos_undo::{Head, Undone};

    fn held(id: &str, day: u32, bytes: u64) -> Held {
        let head = Head {
            call_id: id.into(),
            turn: id.into(),
            number: 1,
            at: format!("2026-03-{day:02}T00:00:00Z").parse().unwrap(),
            user: "u".into(),
            executor: "delete_files".into(),
            version: "1".into(),
            keeps: Vec::new(),
            permanent: false,
        };
        let act =
            Act { call_id: id.into(), head: Some(head), state: State::Done, closed: None, undone: None };
        Held { act, bytes }
    }

    fn rule(keep_days: u32, budget_mb: u64) -> Rule {
        Rule { keep_days: keep_days.try_into().unwrap(), budget_mb }
    }

    /// Every day of the month until the 21st.
    fn month() -> Vec<String> {
        (1..=21).map(|day| format!("2026-03-{day:02}")).collect()
    }

    fn ids(all: &[Held], rule: Rule, latest: &str) -> Vec<(String, Why)> {
        due(all, rule, latest, &month())
            .into_iter()
            .map(|(held, why)| (held.act.call_id.clone(), why))
            .collect()
    }

    const MB: u64 = 1_000_000;

    #[test]
    fn the_oldest_goes_first_and_the_latest_never_for_its_size() {
        let all = [
            held("new", 20, 50 * MB),
            held("moved", 19, 0),
            held("mid", 18, 60 * MB),
            held("old", 1, 40 * MB),
        ];
        let go = |why: Why, ids: &[&str]| ids.iter().map(|id| ((*id).to_owned(), why)).collect::<Vec<_>>();
        assert_eq!(ids(&all, rule(30, 150), "new"), []);
        assert_eq!(ids(&all, rule(10, 150), "new"), go(Why::Age, &["old"]));
        assert_eq!(ids(&all, rule(30, 149), "new"), go(Why::Budget, &["old"]));
        assert_eq!(ids(&all, rule(30, 60), "new"), go(Why::Budget, &["old", "mid"]));
        assert_eq!(ids(&all, rule(30, 0), "new"), go(Why::Budget, &["old", "mid"]));
        // A clock that went back: what was done just now seems the oldest.
        assert_eq!(ids(&all, rule(30, 60), "old"), go(Why::Budget, &["mid", "new"]));
        assert_eq!(
            ids(&all, rule(1, 0), "x"),
            [go(Why::Age, &["old", "mid", "moved"]), go(Why::Budget, &["new"])].concat()
        );
    }

    #[test]
    fn a_clock_that_jumps_and_weeks_of_sleep_count_as_one_day() {
        let all = [held("yesterday", 20, MB), held("old", 1, MB)];
        let ages = |days: &[&str], keep: u32| -> usize {
            let days: Vec<String> = days.iter().map(|day| (*day).to_owned()).collect();
            due(&all, rule(keep, 10), "", &days).len()
        };
        // Ten years ahead, and once more, and back again.
        assert_eq!(ages(&["2026-03-01", "2026-03-20", "2036-01-01", "2036-05-01"], 3), 0);
        assert_eq!(
            ages(&["2026-03-01", "2026-03-20", "2036-01-01", "2036-05-01"], 2),
            1,
            "three days of use"
        );
        assert_eq!(ages(&["1970-01-01", "2026-03-20"], 1), 0, "a clock that went back makes nothing older");
    }

    #[test]
    fn the_age_of_what_could_not_be_given_back_counts_from_its_undoing() {
        let mut undone = held("undone", 1, MB);
        let at = "2026-03-20T00:00:00Z".parse().unwrap();
        undone.act.undone = Some(Undone { at, ..Undone::default() });
        assert_eq!(ids(&[undone], rule(10, 10), ""), []);
    }

    #[test]
    fn a_look_serves_for_an_hour_unless_more_is_kept_or_the_clock_went_back() {
        let now: Timestamp = "2026-03-21T12:00:00Z".parse().unwrap();
        let ledger = |looked_at: &str, mb: u64| Ledger {
            looked_at: looked_at.into(),
            bytes: mb * MB,
            latest: String::new(),
        };
        let rule = rule(30, 10);
        assert!(!ledger("2026-03-21T11:30:00Z", 10).is_due(5, rule, now));
        assert!(ledger("2026-03-21T11:30:00Z", 11).is_due(5, rule, now));
        assert!(!ledger("2026-03-21T11:30:00Z", 11).is_due(0, rule, now));
        assert!(ledger("2026-03-21T11:00:00Z", 0).is_due(0, rule, now));
        assert!(ledger("2026-03-21T12:00:01Z", 0).is_due(0, rule, now));
        assert!(Ledger::default().is_due(0, rule, now));
    }
}
