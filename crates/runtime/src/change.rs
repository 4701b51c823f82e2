//! A call that changes something: its turn on the paths, its folders for what it takes away, its
//! journal.

use crate::call::{Door, unrecorded};
use crate::guards::code::Watch;
use crate::land::Land;
use crate::runtime::Runtime;
use metnos_executor::signature::Verified;
use metnos_executor::wire::{Grant, Reach, Runtime as Language};
use metnos_executor::{BytePath, ErrorClass, Failure, Keep, Permit};
use metnos_guard::territory::Territory;
use metnos_sandbox::Bind;
use metnos_sandbox::cell::IntentLines;
use metnos_sandbox::fence::Fence;
use metnos_undo::{Head, Open, Turn};
use std::fs::DirBuilder;
use std::io::{BufRead, BufReader, Seek};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a call waits for another that changes the same paths.
const PATIENCE: Duration = Duration::from_secs(60);

/// A change in the making.
pub(crate) struct Change<'r> {
    runtime: &'r Runtime,
    head: Head,
    allowed: Vec<PathBuf>,
    open: Option<Open>,
    turn: Turn,
    /// What must not be changed without having been asked about.
    pub(crate) watch: Option<Watch<'r>>,
}

impl Runtime {
    /// Waits until nobody else changes the paths of this call.
    pub(crate) fn turn_on(&self, call_id: &str, fence: &Fence, door: &dyn Door) -> Result<Turn, Failure> {
        let until = Instant::now() + PATIENCE;
        let give_up = || door.cancelled() || self.gate.is_shut() || Instant::now() > until;
        let mut repaired = false;
        loop {
            let turn = self.locks.take(call_id, &allowed(fence), &give_up);
            let turn = turn.map_err(|e| crate::undo::failed(&e))?;
            self.gate.check()?;
            let turn = turn.ok_or_else(|| {
                let why = "another call is changing the same files";
                Failure::new(ErrorClass::Conflict, why).with_hint("try again when it has ended")
            })?;
            // A process that died gave its locks back in the middle of a change: that is taken back first.
            if repaired || self.journal.cut().map_err(|e| crate::undo::failed(&e))?.is_empty() {
                return Ok(turn);
            }
            drop(turn);
            self.recover_changes()?;
            repaired = true;
        }
    }

    /// Makes the folders for what is taken away, and lets the cell reach them.
    #[allow(clippy::too_many_arguments, reason = "one change's parts, used once, here")]
    pub(crate) fn change(
        &self,
        call_id: &str,
        user: &str,
        land: &Land,
        found: &Verified,
        fence: &mut Fence,
        permanent: bool,
        turn: Turn,
    ) -> Result<Change<'_>, Failure> {
        let allowed = allowed(fence);
        let keeps = keeps(land, call_id, &allowed)?;
        let native = found.manifest.code.runtime == Language::Native;
        for keep in &keeps {
            let id = std::fs::symlink_metadata(&keep.dir.0)
                .map(|meta| (meta.dev(), meta.ino()))
                .map_err(|e| Failure::io(keep.dir.0.display(), &e))?;
            let grant = Grant { path: keep.dir.clone(), id, reach: Reach::Tree };
            if native {
                fence.wire.write.push(grant);
            } else {
                // Least view: the cell sees its own folder and nothing around it, and only the process that
                // changes files may enter it.
                fence.wire.keep.push(grant);
                fence.mounts.binds.push(Bind { path: keep.dir.0.clone(), write: true });
            }
        }
        if !native {
            fence.mounts = std::mem::take(&mut fence.mounts).tidy();
        }
        let identity = &found.manifest.executor;
        let head = Head {
            call_id: call_id.to_owned(),
            turn: call_id.to_owned(),
            number: 0,
            at: jiff::Timestamp::now(),
            user: user.to_owned(),
            executor: identity.name.to_string(),
            version: identity.version.to_string(),
            keeps,
            permanent,
        };
        Ok(Change { runtime: self, head, allowed, open: None, turn, watch: None })
    }
}

/// The paths that a call may change.
fn allowed(fence: &Fence) -> Vec<PathBuf> {
    let grants = fence.wire.write.iter().map(|grant| grant.path.0.clone());
    grants.chain(fence.wire.make_dirs.iter().map(|dir| dir.0.clone())).collect()
}

/// The call's own folder for each root it may change.
fn keeps(land: &Land, call_id: &str, allowed: &[PathBuf]) -> Result<Vec<Keep>, Failure> {
    let mut keeps = Vec::new();
    let inside = land.keeps.iter().filter(|keep| allowed.iter().any(|path| path.starts_with(&keep.root.0)));
    let inside = inside.map(|keep| (&keep.root.0, keep.dir.0.as_path()));
    // Of what lies in one another, the outermost.
    let outside = Territory::new(allowed.iter().filter(|path| !land.territory.contains(path)).cloned());
    let kept_at = land.keeps_for_outside();
    let outside = outside.roots().iter().filter_map(|path| Some((path, kept_at?)));
    for (root, dir) in inside.chain(outside) {
        let dir = dir.join(call_id);
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(&dir)
            .map_err(|e| Failure::io(dir.display(), &e))?;
        keeps.push(Keep { root: BytePath(root.clone()), dir: BytePath(dir) });
    }
    Ok(keeps)
}

impl Change<'_> {
    /// Makes an intent durable; gives its digest and the permit to act.
    pub(crate) fn intend(&mut self, ops: IntentLines) -> Result<(String, Permit), Failure> {
        let mut lines: Box<dyn BufRead> = match ops {
            IntentLines::Inline(bytes) => Box::new(std::io::Cursor::new(bytes)),
            IntentLines::File(mut file) => {
                // The cell that wrote it left it at its end.
                file.rewind().map_err(|e| Failure::io("the intent", &e))?;
                Box::new(BufReader::with_capacity(256 << 10, file))
            }
        };
        if lines.fill_buf().map_err(|e| Failure::io("the intent", &e))?.is_empty() {
            return Err(Failure::internal("the cell announced a change without saying which"));
        }
        if self.open.is_none() {
            let mut open = self.runtime.journal.begin(&self.head.call_id).map_err(|e| unrecorded(&e))?;
            if !self.head.permanent && self.head.user != crate::birth::CALLER {
                open.at_most(self.runtime.config.undo.budget());
            }
            self.open = Some(open);
            for keep in &self.head.keeps {
                sync_parents(&keep.dir.0)?;
            }
        }
        let Some(open) = &mut self.open else { return Err(Failure::internal("no journal")) };
        self.head.number = open.next();
        let watched = |path: &Path| self.watch.as_ref().is_none_or(|watch| watch.allows(self.runtime, path));
        let allowed = |path: &Path| self.allowed.iter().any(|grant| path.starts_with(grant)) && watched(path);
        let digest = open.intent(&self.head, lines, &allowed).map_err(|e| {
            let refused = self.watch.as_ref().and_then(Watch::refusal);
            refused.unwrap_or_else(|| crate::undo::failed(&e))
        })?;
        Ok((digest, Permit { number: self.head.number, keeps: self.head.keeps.clone() }))
    }

    /// What the cell holds as long as it lives: a killed process does not end its turn before its cell.
    pub(crate) fn locks(&self) -> Result<Vec<std::fs::File>, Failure> {
        let mut locks = vec![self.turn.lock().map_err(|e| crate::undo::failed(&e))?];
        if let Some(open) = &self.open {
            locks.push(open.lock().map_err(|e| crate::undo::failed(&e))?);
        }
        Ok(locks)
    }

    /// On whose behalf.
    pub(crate) fn user(&self) -> &str {
        &self.head.user
    }

    /// True when nothing of it is kept once it is over.
    pub(crate) fn is_permanent(&self) -> bool {
        self.head.permanent
    }

    /// True once something may have been done.
    pub(crate) fn acted(&self) -> bool {
        self.open.is_some()
    }

    /// Records what came of it.
    pub(crate) fn close(mut self, outcome: &str) -> Result<(), Failure> {
        if let Some(mut open) = self.open.take() {
            let closed = open.close(outcome).map_err(|e| unrecorded(&e))?;
            let mut bytes = closed.kept_bytes;
            if self.head.permanent {
                // All is recorded; what fails now the next look does.
                let _ = self.runtime.journal.free(&self.head.call_id, jiff::Timestamp::now());
                bytes = 0;
            }
            self.runtime.kept.note(&self.head.call_id, bytes);
        }
        Ok(())
    }
}

impl Drop for Change<'_> {
    fn drop(&mut self) {
        for keep in &self.head.keeps {
            // Empty ones go; the others are what undo lives on.
            let _ = std::fs::remove_dir(&keep.dir.0);
        }
    }
}

/// The folder and the one it is in survive a power loss.
fn sync_parents(dir: &Path) -> Result<(), Failure> {
    for at in dir.ancestors().skip(1).take(2) {
        std::fs::File::open(at).and_then(|d| d.sync_all()).map_err(|e| Failure::io(at.display(), &e))?;
    }
    Ok(())
}
