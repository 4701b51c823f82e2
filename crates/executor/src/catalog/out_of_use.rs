//! Executors that are not called: archived, in quarantine, or installed and not promoted.

use super::{Catalog, moves, newest_version, subject};
use crate::files;
use crate::home::Root;
use crate::lifecycle::{self, State};
use crate::manifest::Version;
use crate::record::Current;
use crate::refusal::{Part, Refusal};
use crate::signature::verify_stamped;
use metnos_vocab::ExecutorName;
use std::path::{Path, PathBuf};

/// An executor that is not called, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfUse {
    /// Archived, quarantined, or synthesised: installed and not promoted.
    pub state: State,
    /// Why, as it was written down.
    pub reason: Option<String>,
    /// The newest version that is installed and could be promoted.
    pub spare: Option<Version>,
    folder: PathBuf,
}

impl Catalog {
    /// Why nothing of this name is called by default, where that is in order: its default version is in quarantine, or
    /// none was promoted yet. A record that vanished is neither.
    pub(super) fn without_default(
        &self,
        root: Root,
        name: &ExecutorName,
    ) -> Result<Option<Refusal>, Refusal> {
        if files::exists(&self.dir(root, name).join("CURRENT")) {
            return Ok(None);
        }
        let away = self.home.quarantine_dir().join(root.as_str()).join(name.as_str());
        let promoted = self.counters.get(&Current::key_of(root, name));
        let promoted = promoted.map_err(|e| Refusal::new(Part::Counter, e))?.is_some();
        Ok(match (promoted, files::exists(&away.join("CURRENT")) || self.is_bare(root, name)) {
            (false, _) => {
                Some(Refusal::new(Part::Lifecycle, format!("{name} is installed and was not promoted yet")))
            }
            (true, true) => {
                let why = moves::reason(&away).map(|why| format!(": {why}")).unwrap_or_default();
                Some(Refusal::new(Part::Lifecycle, format!("{name} is quarantined{why}")))
            }
            (true, false) => None,
        })
    }

    /// True when only the history of an executor is left in its root, and the rest was put away.
    fn is_bare(&self, root: Root, name: &ExecutorName) -> bool {
        let none = newest_version(&self.dir(root, name)).is_ok_and(|newest| newest.is_none());
        let places = [self.home.quarantine_dir(), self.home.archive_dir()];
        none && places.iter().any(|p| files::exists(&p.join(root.as_str()).join(name.as_str())))
    }

    /// What keeps an executor from being called by default, if something does that a person can take back.
    pub fn out_of_use(&self, name: &ExecutorName) -> Option<OutOfUse> {
        let root = Root::ALL.into_iter().find(|root| {
            let places = [self.home.executors_dir(), self.home.quarantine_dir(), self.home.archive_dir()];
            places.iter().any(|p| files::exists(&p.join(root.as_str()).join(name.as_str())))
        })?;
        let below = |base: PathBuf| base.join(root.as_str()).join(name.as_str());
        let (dir, archive, quarantine) =
            (self.dir(root, name), below(self.home.archive_dir()), below(self.home.quarantine_dir()));
        let spare = newest_version(&dir).ok().flatten();
        let (state, folder) = match files::exists(&dir.join("CURRENT")) {
            true => match lifecycle::state(&dir, &subject(root, name), &self.public, &*self.counters) {
                Ok(state) if state.is_usable() => return None,
                Ok(state) => (state, dir),
                Err(_) => (State::Quarantined, dir),
            },
            false if files::exists(&quarantine) => (State::Quarantined, quarantine),
            false if files::exists(&archive) => (State::Archived, archive),
            false => (State::Synthesised, dir),
        };
        let reason = match state {
            State::Archived => self.last_reason(root, name, &folder),
            _ => moves::reason(&folder),
        };
        Some(OutOfUse { state, reason, spare, folder })
    }

    /// The reason written down with the last move of what lies in `dir`.
    fn last_reason(&self, root: Root, name: &ExecutorName, dir: &Path) -> Option<String> {
        let history = lifecycle::history(dir, &subject(root, name), &self.public, &*self.counters).ok()?;
        history.last().map(|record| record.reason.clone())
    }

    /// Manifest and schema of the newest version of what is put away, if its signature still holds.
    pub fn parts_out_of_use(&self, away: &OutOfUse) -> Option<(String, String)> {
        let version = newest_version(&away.folder).ok().flatten()?;
        let folder = away.folder.join(version.to_string());
        verify_stamped(&folder, &self.public, &self.tables).ok()?;
        let read = |part: &str| std::fs::read_to_string(folder.join(part)).ok();
        Some((read("manifest.toml")?, read("schema.json")?))
    }
}
