//! One person is let go of: nothing of them is left in the files of this house but the audit, whose lines are a chain
//! that cannot be rewritten.
//!
//! It is begun with a mark that stays for good: it keeps the id from being given to somebody else, and without its end
//! the next erasure goes on from wherever this one was cut. What names other things goes after them.

use super::person::{Holdings, broken, is_by};
use crate::people::gone_mark;
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::audit::Filter;
use metnos_memory::db::{Named, StoredMessage, Turn};
use metnos_undo::State;
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

/// What an erasure leaves, as it is told to whoever asked for it.
pub const STAYS: [&str; 2] = [
    "the audit, which cannot be rewritten: their id, name, channels and senders; when something was asked for; which \
     executor ran, with which arguments (paths, patterns and texts among them, secrets taken out); requests of hooks, \
     messages of failures; of what came out only counts and digests",
    "backups made before: they hold all of it",
];

/// How long a change may stay in use.
const PATIENCE: Duration = Duration::from_secs(5);

impl Runtime {
    /// Lets go of everything of a person. Recorded first; begun again after a cut, it goes on.
    pub fn erase_person(&self, person: &str, by: &str) -> Result<Holdings, Failure> {
        let holdings = self.holdings(person)?;
        if ["host", "metnos"].contains(&person) {
            return Err(Failure::new(ErrorClass::PolicyViolation, format!("{person} is the house itself"))
                .with_hint("metnos uninstall removes all of it"));
        }
        let mark = gone_mark(person);
        if holdings.is_empty() && self.db.erasure(&mark).map_err(broken)?.is_none() {
            return Err(Failure::new(ErrorClass::NotFound, format!("nothing is kept of {person}"))
                .with_hint("metnos users list"));
        }
        self.at_rest(person)?;
        self.note_person("person erased", person, by, &holdings)?;
        self.db.begin_erasure(&mark, jiff::Timestamp::now()).map_err(broken)?;
        self.erase_begun(person, by)
            .and_then(|()| self.db.scour().map_err(broken))
            .and_then(|()| self.db.end_erasure(&mark, jiff::Timestamp::now()).map_err(broken))
            .map_err(|failure| {
                let why = format!("{person} is not wholly let go of: {}", failure.message);
                Failure::new(failure.class, why)
                    .with_hint(format!("metnos people erase {person} goes on from here"))
            })?;
        Ok(holdings)
    }

    fn erase_begun(&self, person: &str, by: &str) -> Result<(), Failure> {
        // Nothing new of theirs begins while the old goes.
        if self.person(person)?.is_some_and(|known| known.revoked_at.is_none()) {
            self.revoke_person(person, by)?;
        }
        self.at_rest(person)?;
        self.erase_changes(person, by)?;
        for turn in self.db.whole_turns(person).map_err(broken)? {
            remove(&self.lists_of(&turn.id))?;
            remove(&self.lists_of(&format!("{}.lock", turn.id)))?;
        }
        remove(&self.folder_of(person))?;
        super::backup::sweep(&self.home.state_dir());
        for message in self.messages_of(person)? {
            self.erase_copy(&message);
        }
        // The rows go last: they name what else has to go.
        self.erase_rows(person, by)
    }

    /// Refuses while a turn of theirs is at work.
    fn at_rest(&self, person: &str) -> Result<(), Failure> {
        let turns = self.db.whole_turns(person).map_err(broken)?;
        let at_work = |turn: &&Turn| turn.ended_at.is_none() && self.is_running(&turn.id);
        match turns.iter().find(at_work) {
            None => Ok(()),
            Some(turn) => Err(Failure::new(ErrorClass::Conflict, format!("turn {} is at work", turn.id))
                .with_hint("wait for its end, or metnos stop")),
        }
    }

    /// Whether the process of a turn still lives: it holds its lock.
    fn is_running(&self, turn: &str) -> bool {
        let lock = std::fs::File::open(self.lists_of(&format!("{turn}.lock")));
        lock.is_ok_and(|file| {
            rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockShared).is_err()
        })
    }

    /// What is kept for undo goes, and then the records that said so.
    fn erase_changes(&self, person: &str, by: &str) -> Result<(), Failure> {
        for act in self.changes_of(person)? {
            if !self.free(&act, by, "the person was erased", PATIENCE)? {
                return Err(Failure::new(ErrorClass::Conflict, format!("change {} is in use", act.call_id)));
            }
        }
        let undo = |e: metnos_undo::Error| crate::undo::failed(&e);
        for act in self.journal.acts().map_err(undo)? {
            if is_by(&act, person) && matches!(act.state, State::Freed(_)) {
                self.journal.forget(&act.call_id).map_err(undo)?;
            }
        }
        Ok(())
    }

    /// The file that waited to be sent with a message.
    fn erase_copy(&self, message: &StoredMessage) {
        let body: serde_json::Value = serde_json::from_str(&message.body).unwrap_or_default();
        if let Some(copy) = body.get("copy").and_then(serde_json::Value::as_str) {
            self.outgoing_done(copy);
        }
    }

    fn erase_rows(&self, person: &str, by: &str) -> Result<(), Failure> {
        let decisions: Vec<(String, String)> =
            self.decisions_of(person)?.into_iter().map(|row| (row.kind, row.id)).collect();
        for (_, name) in decisions.iter().filter(|(kind, _)| kind == "hook") {
            self.forget_hook_secret(name, by)?;
        }
        let (calls, senders) = (self.calls_by(person)?, self.numbers_of(person)?);
        let named = Named { calls: &calls, decisions: &decisions, senders: &senders };
        self.db.forget_person(person, &named).map(|_| ()).map_err(broken)
    }

    /// The calls of a person that belong to no turn; only the audit knows whose they were.
    fn calls_by(&self, person: &str) -> Result<Vec<String>, Failure> {
        let filter = Filter { person: Some(person.to_owned()), ..Filter::default() };
        let lines = self.audit.tail(usize::MAX, &filter).map_err(broken)?;
        let ids: BTreeSet<String> = lines.into_iter().filter_map(|sealed| sealed.line.call_id).collect();
        Ok(ids.into_iter().collect())
    }
}

fn remove(path: &Path) -> Result<(), Failure> {
    super::restore::remove(path).map_err(|e| Failure::io(path.display(), &e))
}
