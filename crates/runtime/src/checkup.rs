//! What Metnos lives on, for `doctor`: its databases, the models it asks, the clock and the disk.

use crate::doctor::Finding;
use crate::runtime::Runtime;
use jiff::{SignedDuration, Timestamp};
use metnos_executor::home::Home;
use metnos_executor::{ErrorClass, Failure};
use metnos_llm::{Client, LlmError, Question, Tier};
use metnos_memory::audit::Filter;
use metnos_memory::db::{self, Health, ModelCall};
use rustix::fs::statvfs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The newest line of the audit may be so far ahead of the clock.
const AHEAD: SignedDuration = SignedDuration::from_mins(2);
/// Lines of the audit that are compared with the clock.
const LOOKED_AT: usize = 500;
/// With less than this free, records and answers are soon lost.
const LOW_BYTES: u64 = 64 << 20;
/// The same for files that can still be made.
const LOW_FILES: u64 = 1_000;
/// How long a model may take to say one word.
const PATIENCE: Duration = Duration::from_secs(15);
/// Tokens of that word.
const WORD: u64 = 64;

/// Every database of the house: sound, of a version this binary knows, and open for writing.
pub(crate) fn databases(home: &Home) -> Vec<Finding> {
    let state = home.state_dir();
    let found = std::fs::read_dir(&state).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut all: Vec<PathBuf> =
        found.filter(|path| path.extension().is_some_and(|e| e == "sqlite")).collect();
    all.sort();
    all.iter().map(|path| database(path)).collect()
}

fn database(path: &Path) -> Finding {
    let check = "database";
    let name = path.display();
    match db::examine(path) {
        Ok(Health { version, known }) if version > known => Finding::bad(
            check,
            format!("{name}: version {version}, and this metnos knows {known}"),
            "run the newer metnos again",
        ),
        Ok(Health { version, .. }) => {
            Finding::good(check, format!("{name}: sound, version {version}, can be written"))
        }
        Err(e) => {
            let fix = e
                .hint()
                .unwrap_or_else(|| format!("look at who may write {name}, and whether the disk is full"));
            Finding::bad(check, e.to_string(), fix)
        }
    }
}

/// Whether every folder of a language can be used. What cannot is said in English.
pub(crate) fn languages() -> Finding {
    let check = "languages";
    if let Some(folder) = metnos_tongue::broken().first() {
        let fix = format!("repair or remove {}", folder.path().display());
        return Finding::bad(check, format!("{folder}; it is left out"), fix);
    }
    for tongue in metnos_tongue::all().iter().filter(|tongue| tongue.folder.is_some()) {
        let found = metnos_tongue::check(tongue).findings;
        let errors = found.iter().filter(|one| one.wrong.is_error());
        if let Some(first) = errors.clone().next() {
            let told = format!(
                "{}: {} lines do not fit and are said in English; the first: {} {}",
                tongue.code,
                errors.count(),
                first.file,
                first.key
            );
            return Finding::bad(check, told, format!("metnos lang check {}", tongue.code));
        }
    }
    Finding::good(check, metnos_tongue::names().join(", "))
}

/// Room on every file system that Metnos writes to.
pub(crate) fn disk(home: &Home) -> Vec<Finding> {
    let mut seen = Vec::new();
    let mut findings = Vec::new();
    for dir in [home.state_dir(), home.workspace(), home.undo_dir()] {
        let Some(at) = dir.ancestors().find(|dir| dir.exists()) else { continue };
        let Ok(stat) = statvfs(at) else { continue };
        if seen.contains(&stat.f_fsid) {
            continue;
        }
        seen.push(stat.f_fsid);
        let free = stat.f_bavail.saturating_mul(stat.f_frsize);
        // Some file systems count no files.
        let files = (stat.f_files > 0).then_some(stat.f_favail);
        let told = match files {
            Some(files) => format!("{}: {} free, room for {files} files", at.display(), mb(free)),
            None => format!("{}: {} free", at.display(), mb(free)),
        };
        let low = free < LOW_BYTES || files.is_some_and(|files| files < LOW_FILES);
        findings.push(match low {
            true => Finding::bad("disk", told, "make room: metnos undo --forget frees what is kept for undo"),
            false => Finding::good("disk", told),
        });
    }
    findings
}

fn mb(bytes: u64) -> String {
    format!("{} MB", bytes / 1_000_000)
}

/// What the newest line of the audit says about the clock.
fn clock_at(now: Timestamp, newest: Option<Timestamp>, zone: Option<&str>) -> Finding {
    if let Some(ahead) = newest.map(|newest| newest.duration_since(now)).filter(|ahead| *ahead > AHEAD) {
        let told = format!("the newest audit line is {} minutes ahead of the clock", ahead.as_mins());
        return Finding::bad("clock", told, "set the clock: sudo timedatectl set-ntp true");
    }
    match zone {
        Some(zone) => Finding::good("clock", format!("{now:.0}, zone {zone}")),
        None => Finding::bad(
            "clock",
            format!("{now:.0}, and the machine names no time zone"),
            "sudo timedatectl set-timezone Europe/Rome, or zone under [person] in metnos.toml",
        ),
    }
}

impl Runtime {
    /// What depends on an open house: clock, models, what is kept.
    pub(crate) fn checkup(&self) -> Vec<Finding> {
        let mut findings = vec![self.clock(), self.kept_for_undo()];
        findings.extend(metnos_llm::Role::ALL.into_iter().filter_map(|role| self.endpoint(role)));
        findings
    }

    fn clock(&self) -> Finding {
        // After a jump back the last line is not the newest.
        let lines = self.audit.tail(LOOKED_AT, &Filter::default()).unwrap_or_default();
        let newest = lines.iter().filter_map(|line| line.time.parse().ok()).max();
        let own = self.config.person.zone.as_ref().map(|zone| zone.0.clone());
        let system = jiff::tz::TimeZone::try_system().ok();
        let zone = own.or_else(|| system.map(|zone| zone.iana_name().unwrap_or("of the machine").to_owned()));
        clock_at(Timestamp::now(), newest, zone.as_deref())
    }

    fn kept_for_undo(&self) -> Finding {
        let (budget, check) = (self.config.undo.budget(), "kept for undo");
        match self.turns() {
            Ok(turns) => {
                let kept = turns.iter().map(|turn| turn.kept_bytes).sum::<u64>();
                let told = format!("{} of {}", mb(kept), mb(budget));
                match kept > budget {
                    true => Finding::bad(
                        check,
                        told,
                        "metnos undo --forget, or budget_mb under [undo] in metnos.toml",
                    ),
                    false => Finding::good(check, told),
                }
            }
            Err(e) => Finding::bad(check, e.message, "metnos undo --list"),
        }
    }

    /// Whether a model answers, by one word, and in how many milliseconds; if not, why.
    pub fn try_tier(&self, role: metnos_llm::Role, tier: &Tier, patience: Duration) -> Result<u64, Failure> {
        let hidden = |e: LlmError| {
            let slow = matches!(e, LlmError::Slow(_));
            let class = if slow { ErrorClass::Timeout } else { ErrorClass::DependencyMissing };
            Failure::new(class, self.told(&e.to_string()))
        };
        let room = self.model_room(None, &jiff::tz::TimeZone::system(), tier).map_err(hidden)?;
        let question = Question {
            system: "Answer with one word.",
            user: "Say: here",
            constraint: None,
            most_tokens: WORD,
        };
        let answer = Client::new(tier.clone(), room.key).ask(&question, patience.min(room.wall));
        // One that thinks aloud has answered, also where it was cut.
        let text = match answer.text {
            Err(LlmError::Cut(_)) => Ok(String::new()),
            other => other,
        };
        let outcome = text.as_ref().map_or_else(LlmError::word, |_| "answered");
        let call = ModelCall {
            turn: None,
            role: role.word().to_owned(),
            model: tier.model.clone(),
            tokens_in: answer.usage.tokens_in,
            tokens_out: answer.usage.tokens_out,
            ms: answer.usage.ms,
            cost: answer.usage.cost,
            outcome: outcome.to_owned(),
        };
        // What is not written down is not believed either.
        let noted = self.db.note_model(&call, Timestamp::now());
        text.map_err(hidden)?;
        noted
            .map(|()| answer.usage.ms)
            .map_err(|e| Failure::new(ErrorClass::DependencyMissing, e.to_string()))
    }

    /// Whether the model behind a role answers, by one word.
    fn endpoint(&self, role: metnos_llm::Role) -> Option<Finding> {
        let tier: Tier = self.tiers().of(role)?.clone();
        let check = format!("model {}", role.word());
        let told = format!("{} at {}", tier.model, tier.url);
        let fix =
            format!("is the server running? url and model under [tiers.{}] in metnos.toml", role.word());
        Some(match self.try_tier(role, &tier, PATIENCE) {
            Ok(_) => Finding::good(&check, format!("{told}: answers")),
            Err(why) => Finding::bad(&check, format!("{told}: {}", why.message), fix),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_behind_the_audit_is_told_and_a_second_is_not() {
        let now = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(9);
        let line = |minutes: i64| Some(now + SignedDuration::from_mins(minutes));
        assert!(clock_at(now, line(-60), Some("UTC")).ok && clock_at(now, line(1), Some("UTC")).ok);
        assert!(clock_at(now, None, Some("UTC")).ok);
        assert!(!clock_at(now, line(180), Some("UTC")).ok && !clock_at(now, None, None).ok);
    }
}
