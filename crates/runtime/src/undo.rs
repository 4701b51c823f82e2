//! The way back, for a person who asks and for a start after a crash.

use crate::call::unrecorded;
pub use crate::changes::Turn;
use crate::changes::{is_back, is_permanent, is_told, turn};
use crate::guards::Principal;
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure};
use metnos_guard::core::{Act as Deed, Verdict};
use metnos_memory::audit::{Counts, Exit, Kind, Line};
use metnos_memory::db::CallState;
use metnos_undo::{Act, Conflict, Purpose, Report, Seen, State, Step, Undone};
use metnos_vocab::ExecutorName;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The name under which undo appears in the audit.
pub const NAME: &str = "undo_last_turn";
/// How long undo waits for a call that changes the same paths.
const PATIENCE: Duration = Duration::from_secs(60);
/// How long a repair waits for others; it is tried again at the next start and before the next change.
const REPAIR_WAITS: Duration = Duration::from_secs(20);
/// How long it may take until nothing of a process that ended is left.
const LAST_BREATH: Duration = Duration::from_secs(2);
/// How many records are read for one part of a list.
const LOOKED_AT: usize = 2_000;

/// How often it is looked whether a change is over.
const LOOK: Duration = Duration::from_millis(50);
/// What the turn of an undo on its paths is called, after the call it is about.
const UNDO: &str = "-undo";
/// Letters of a request that are told.
const WHAT: usize = 120;

/// A change that is still at work.
#[derive(Clone, Debug)]
pub struct Waits {
    /// Its turn, or its call.
    pub turn: String,
    /// What was asked for.
    pub what: String,
}

/// What undoing came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The act.
    pub turn: Turn,
    /// Operations reversed.
    pub reversed: u64,
    /// What was left as it is.
    pub conflicts: Vec<Conflict>,
    /// Questions of the same turn that are void now.
    pub voided: u64,
}

/// A failure of the journal, with what to do.
pub(crate) fn failed(error: &metnos_undo::Error) -> Failure {
    let failure = match error {
        metnos_undo::Error::Outside { .. } | metnos_undo::Error::BadOperation { .. } => {
            Failure::new(ErrorClass::PolicyViolation, error.to_string())
        }
        metnos_undo::Error::TooMuch { .. } => Failure::limit("undo_budget", error.to_string()),
        _ => Failure::internal(error.to_string()),
    };
    match error.hint() {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}

impl Runtime {
    /// Everything that was changed, the newest first.
    pub fn turns(&self) -> Result<Vec<Turn>, Failure> {
        let acts = self.journal.acts().map_err(|e| failed(&e))?;
        Ok(acts.iter().filter(|act| is_told(act)).map(turn).collect())
    }

    /// What of it `user` may see.
    pub fn turns_of(&self, user: &str) -> Result<Vec<Turn>, Failure> {
        let acts = self.journal.acts().map_err(|e| failed(&e))?;
        Ok(acts.iter().filter(|act| reaches(user, act) && is_told(act)).map(turn).collect())
    }

    /// A part of what `user` may see of it, by name, the latest first: what is before `before`, and from where
    /// to go on if there is more. It reads a bounded number of records, however many there are.
    pub fn turns_before(
        &self,
        user: &str,
        before: Option<&str>,
        most: usize,
    ) -> Result<(Vec<Turn>, Option<String>), Failure> {
        let mut found = Vec::new();
        for (n, id) in self.journal.ids_before(before).map_err(|e| failed(&e))?.into_iter().enumerate() {
            if found.len() >= most || n >= LOOKED_AT {
                return Ok((found, Some(format!("{id}~"))));
            }
            let act = self.journal.look(&id).map_err(|e| failed(&e))?;
            let shown = |act: &Act| reaches(user, act) && is_told(act);
            found.extend(act.filter(shown).map(|act| turn(&act)));
        }
        Ok((found, None))
    }

    /// Whether something of a call can still be taken back. What cannot be read cannot.
    pub fn can_undo(&self, call_id: &str) -> bool {
        let found = self.journal.look(call_id).ok().flatten();
        found.is_some_and(|act| is_undoable(&act))
    }

    /// The words that were asked, where a call belongs to a turn.
    pub fn request_of(&self, call_id: &str) -> Result<Option<String>, Failure> {
        let Some(turn) = crate::call::turn_of(call_id) else { return Ok(None) };
        let known = self.db.turn(turn).map_err(|e| Failure::internal(e.to_string()))?;
        Ok(known.map(|known| known.request))
    }

    /// What the journal knows of one call, if it changed anything.
    pub fn changed_by(&self, call_id: &str) -> Option<Turn> {
        let act = self.journal.look(call_id).ok().flatten()?;
        Some(turn(&act)).filter(|change| change.operations > 0)
    }

    /// Whether a call of this executor that no longer runs left nothing behind: it only looks, was never begun, or was taken
    /// back as a whole. What cannot be known left something.
    pub fn left_nothing(&self, executor: &str, call_id: &str) -> bool {
        let Ok(name) = ExecutorName::parse(executor) else { return false };
        if let Some(builtin) = crate::builtin::find(&name) {
            return !builtin.changes;
        }
        let Ok(found) = self.resolve(&name, None) else { return false };
        let contract = &found.manifest.contract;
        if !contract.side_effects {
            return true;
        }
        match (self.settled(call_id), self.db.call(call_id)) {
            (Ok(Some(act)), _) => act.state == State::RolledBack,
            (Ok(None), Ok(None)) => true,
            // Whoever has a way back writes into the journal first.
            (Ok(None), Ok(Some(call))) => call.state != CallState::Done && !contract.reverse.is_empty(),
            _ => false,
        }
    }

    /// What the journal knows of a call whose process is gone. What that process had started may hold its record for
    /// a moment longer.
    fn settled(&self, call_id: &str) -> Result<Option<Act>, Failure> {
        let until = Instant::now() + LAST_BREATH;
        loop {
            let act = self.journal.look(call_id).map_err(|e| failed(&e))?;
            if act.as_ref().is_none_or(|act| act.state != State::Open) || Instant::now() > until {
                return Ok(act);
            }
            std::thread::sleep(Duration::from_millis(20));
            self.recover_changes()?;
        }
    }

    /// What undoing would take back that names nothing else: the latest change of `user` of which something stands.
    pub(crate) fn last_change(&self, user: &str) -> Result<Option<Turn>, Failure> {
        Ok(latest(&self.journal.acts().map_err(|e| failed(&e))?, user).map(turn))
    }

    /// Waits until no change of `user` is at work, or none of the one that is named: each time it is not over yet `go_on`
    /// is told what is waited for, and says whether to wait on.
    pub fn wait_for_changes(
        &self,
        user: &str,
        which: Option<&str>,
        go_on: &mut dyn FnMut(&Waits) -> bool,
    ) -> Result<(), Failure> {
        while let Some(waits) = self.at_work(user, which)? {
            if !go_on(&waits) {
                return Err(self.not_yet(user, &waits));
            }
            std::thread::sleep(LOOK);
        }
        Ok(())
    }

    /// A change at work: one of `user`, or the one that is named.
    fn at_work(&self, user: &str, which: Option<&str>) -> Result<Option<Waits>, Failure> {
        let who = Principal::parse(user);
        for name in self.locks.held(None).into_iter().filter(|name| !name.ends_with(UNDO)) {
            let of_turn = crate::call::turn_of(&name);
            let turn = of_turn.map(|turn| self.db.turn(turn)).transpose();
            let caller = match turn.map_err(|e| Failure::internal(e.to_string()))?.flatten() {
                Some(turn) => Some(turn.caller),
                None => self.journal.look(&name).ok().flatten().and_then(|act| Some(act.head?.user)),
            };
            let own = caller.is_some_and(|caller| Principal::parse(&caller).user == who.user);
            let meant = match which {
                None => own,
                Some(id) => (own || who.is_host()) && (name == id || of_turn == Some(id)),
            };
            if meant {
                return Ok(Some(self.waits(&name)));
            }
        }
        Ok(None)
    }

    fn waits(&self, name: &str) -> Waits {
        let name = name.strip_suffix(UNDO).unwrap_or(name);
        let turn = crate::call::turn_of(name).and_then(|turn| self.db.turn(turn).ok().flatten());
        let what = turn.as_ref().map(|turn| turn.request.clone());
        let executor = || self.journal.look(name).ok().flatten().and_then(|act| Some(act.head?.executor));
        Waits {
            turn: turn.map_or_else(|| name.to_owned(), |turn| turn.id),
            what: what.or_else(executor).unwrap_or_else(|| name.to_owned()),
        }
    }

    /// What is waited for, in words.
    pub fn waits_for(&self, lang: &str, waits: &Waits) -> String {
        let what = crate::text::bounded(&waits.what, WHAT);
        self.say(lang, "undo_waits", &[("what", &what), ("turn", &waits.turn)])
    }

    fn not_yet(&self, user: &str, waits: &Waits) -> Failure {
        let lang = self.language(user);
        let what = crate::text::bounded(&waits.what, WHAT);
        let why = self.say(&lang, "undo_not_yet", &[("what", &what), ("turn", &waits.turn)]);
        Failure::new(ErrorClass::Conflict, why).with_hint(format!("metnos turns {}", waits.turn))
    }

    /// Undoes one act, a turn as a whole, or the latest of `user` that can be. `None` when there is nothing to undo.
    /// What is still at work comes first: while that lasts `go_on` is told of it.
    pub fn undo(
        &self,
        user: &str,
        which: Option<&str>,
        purpose: Purpose,
        go_on: &mut dyn FnMut(&Waits) -> bool,
    ) -> Result<Option<Outcome>, Failure> {
        self.wait_for_changes(user, which, go_on)?;
        let acts = self.journal.acts().map_err(|e| failed(&e))?;
        let undoable = |act: &&Act| is_undoable(act);
        let act = match which {
            None => latest(&acts, user),
            Some(id) => {
                let mine = |act: &&Act| reaches(user, act);
                let of_turn = |act: &&Act| crate::call::turn_of(&act.call_id) == Some(id);
                // A turn is named by what of it can still be undone, else by whatever it changed.
                let found = (acts.iter().filter(mine).find(|act| act.call_id == id))
                    .or_else(|| acts.iter().filter(mine).filter(of_turn).find(undoable))
                    .or_else(|| acts.iter().filter(mine).find(of_turn));
                Some(found.ok_or_else(|| {
                    Failure::new(ErrorClass::NotFound, format!("no change is known as {id}"))
                        .with_hint("metnos undo --list")
                })?)
            }
        };
        let Some(act) = act else { return Ok(None) };
        match &act.state {
            _ if is_undoable(act) => {}
            State::Damaged(why) => {
                return Err(Failure::new(
                    ErrorClass::Conflict,
                    format!("{} cannot be undone: {why}", act.call_id),
                )
                .with_hint(format!("metnos undo --forget {} lets go of it", act.call_id)));
            }
            State::Freed(_) if is_permanent(act) => {
                let why =
                    format!("{} cannot be undone: it was deleted permanently, after a yes", act.call_id);
                return Err(Failure::new(ErrorClass::Conflict, why).with_hint("metnos undo --list"));
            }
            State::Freed(at) if !is_back(act) => {
                let why = format!("{} cannot be undone: what it kept was freed on {at}", act.call_id);
                return Err(Failure::new(ErrorClass::Conflict, why).with_hint("metnos undo --list"));
            }
            _ => return Ok(None),
        }
        let as_a_whole = |turn: &&str| which.is_none_or(|id| id == *turn);
        let Some(whole) = crate::call::turn_of(&act.call_id).filter(as_a_whole) else {
            let undone = self.undo_act(act, user, purpose, go_on)?;
            return self.after_undo(undone, user, purpose);
        };
        // A turn is taken back as a whole, its last step first.
        let mut all: Option<Outcome> = None;
        for act in acts
            .iter()
            .filter(undoable)
            .filter(|act| crate::call::turn_of(&act.call_id) == Some(whole) && reaches(user, act))
        {
            let Some(one) = self.undo_act(act, user, purpose, go_on)? else { continue };
            all = Some(match all {
                None => one,
                Some(mut all) => {
                    all.reversed += one.reversed;
                    all.conflicts.extend(one.conflicts);
                    all
                }
            });
        }
        self.after_undo(all, user, purpose)
    }

    /// What was taken back ends the rest of its turn.
    fn after_undo(
        &self,
        undone: Option<Outcome>,
        user: &str,
        purpose: Purpose,
    ) -> Result<Option<Outcome>, Failure> {
        let Some(mut undone) = undone else { return Ok(None) };
        if let Some(turn) = crate::call::turn_of(&undone.turn.id).filter(|_| purpose != Purpose::Try) {
            undone.voided = self.disown(turn, user)?;
        }
        Ok(Some(undone))
    }

    fn undo_act(
        &self,
        act: &Act,
        user: &str,
        purpose: Purpose,
        go_on: &mut dyn FnMut(&Waits) -> bool,
    ) -> Result<Option<Outcome>, Failure> {
        let id = &act.call_id;
        let done = self.journal.read(id).map_err(|e| failed(&e))?;
        let paths: Vec<PathBuf> = done.iter().flat_map(|(step, ..)| paths(&step.op)).collect();
        // What caps a channel is not put back from it either.
        if let Some(path) = paths.iter().find(|path| self.caps_its_channel(user, path)) {
            return Err(self.capped(&self.language(user), path));
        }
        let (go_on, waited) = (std::cell::RefCell::new(go_on), std::cell::RefCell::new(None));
        let give_up = || {
            let Some(name) = self.locks.held(Some(&paths)).into_iter().next() else { return false };
            let waits = waited.replace(None).unwrap_or_else(|| self.waits(&name));
            let stops = !(go_on.borrow_mut())(&waits);
            waited.replace(Some(waits));
            stops
        };
        let lock = self.locks.take(&format!("{id}{UNDO}"), &paths, &give_up);
        let Some(_lock) = lock.map_err(|e| failed(&e))? else {
            let waits = waited.take().unwrap_or_else(|| self.waits(id));
            return Err(self.not_yet(user, &waits));
        };
        // Whoever had the lock before may have done it.
        let now = self.journal.act(id).map_err(|e| failed(&e))?;
        if !is_undoable(&now) {
            return Ok(None);
        }
        let started = Instant::now();
        let mut line = Line::new(Kind::Open);
        line.call_id = Some(format!("{id}-undo-{}", metnos_executor::Ulid::new()));
        line.executor = Some(NAME.into());
        line.version = Some("builtin".into());
        line.caller = Some(user.to_owned());
        line.input = json!({ "turn": id });
        if purpose != Purpose::Try {
            self.audit.append(line.clone()).map_err(|e| unrecorded(&e))?;
            self.journal.undoing(id).map_err(|e| failed(&e))?;
        }
        let report = match self.reverse(&now, &done, purpose) {
            Ok(report) => report,
            Err(failure) => {
                // It stays begun: the next start, or asking again, goes on where the disk said no.
                line.kind = Kind::Close;
                line.exit = Some(Exit::Failed(failure.class));
                if purpose != Purpose::Try {
                    self.audit.append(line).map_err(|e| unrecorded(&e))?;
                }
                return Err(failure.with_hint("metnos undo goes on where it stopped"));
            }
        };
        if purpose != Purpose::Try {
            let undone = Undone {
                at: jiff::Timestamp::now(),
                reversed: report.reversed,
                conflicts: report.conflicts.clone(),
                left: report.left,
            };
            let undone = undone.after(now.undone.as_ref());
            self.journal.gave(id, &report.given).map_err(|e| failed(&e))?;
            self.journal.undone(id, &undone).map_err(|e| failed(&e))?;
            self.let_go(id, report.conflicts.is_empty())?;
            line.kind = Kind::Close;
            let failed = report.conflicts.len() as u64;
            line.counts = Some(Counts { input: done.len() as u64, ok: report.reversed, failed });
            line.duration_us = Some(started.elapsed().as_micros().try_into().unwrap_or(u64::MAX));
            line.exit = Some(if failed == 0 { Exit::Ok } else { Exit::Failed(ErrorClass::Conflict) });
            self.audit.append(line).map_err(|e| unrecorded(&e))?;
        }
        Ok(Some(Outcome {
            turn: turn(act),
            reversed: report.reversed,
            conflicts: report.conflicts,
            voided: 0,
        }))
    }

    /// Lets go of one act, or of all that happened: nothing of them can be undone afterwards.
    pub fn forget(&self, which: Option<&str>, user: &str) -> Result<(u64, u64), Failure> {
        let acts = self.journal.acts().map_err(|e| failed(&e))?;
        let (mut count, mut bytes) = (0, 0);
        for act in acts.iter().filter(|act| which.is_none_or(|id| act.call_id == id) && reaches(user, act)) {
            if matches!(act.state, State::Open | State::Undoing | State::Freed(_)) {
                continue;
            }
            let patience = if which.is_some() { PATIENCE } else { Duration::ZERO };
            if !self.free(act, user, "somebody let go of it", patience)? {
                if which.is_none() {
                    // It is in use, and stays.
                    continue;
                }
                return Err(Failure::new(
                    ErrorClass::Conflict,
                    format!("{} is being changed by somebody else", act.call_id),
                )
                .with_hint("try again when that has ended"));
            }
            count += 1;
            bytes += act.closed.as_ref().map_or(0, |closed| closed.kept_bytes);
        }
        match (count, which) {
            (0, Some(id)) => Err(Failure::new(ErrorClass::NotFound, format!("no change is known as {id}"))
                .with_hint("metnos undo --list")),
            _ => Ok((count, bytes)),
        }
    }

    /// After a crash: what was cut is taken back, what was being undone is undone to its end. What
    /// cannot be done now, because the disk says no, is tried again at the next start.
    pub(crate) fn recover_changes(&self) -> Result<(), Failure> {
        for (id, mut open) in self.journal.cut().map_err(|e| failed(&e))? {
            // Records that cannot be read leave everything where it is; `undo --list` tells.
            let Ok(so_far) = open.so_far() else { continue };
            // Somebody else may be changing the same paths by now; what they look at must not move under their hands.
            let touched: Vec<PathBuf> = so_far.iter().flat_map(|(step, ..)| paths(&step.op)).collect();
            let until = Instant::now() + REPAIR_WAITS;
            let turn = self.locks.take(&format!("{id}-repair"), &touched, &|| Instant::now() > until);
            let Some(_turn) = turn.map_err(|e| failed(&e))? else { continue };
            let keeps = self.journal.kept_in(&id).unwrap_or_default();
            for dir in &keeps {
                // What the call created is moved there.
                std::fs::create_dir_all(dir).map_err(|e| Failure::io(dir.display(), &e))?;
            }
            let Ok(act) = self.journal.act(&id) else { continue };
            let Ok(report) = self.reverse(&act, &so_far, Purpose::Recover) else { continue };
            sweep(&so_far);
            self.journal.gave(&id, &report.given).map_err(|e| failed(&e))?;
            match report.conflicts.is_empty() {
                true => open.rolled_back(&vec![Seen::default(); so_far.len()]),
                // Something of it stands: it happened, as far as it did, and can be undone.
                false => open.close("interrupted"),
            }
            .map_err(|e| failed(&e))?;
            let mut line = Line::new(Kind::Recovery);
            line.call_id = Some(id.clone());
            line.detail = json!({
                "what": "a change that was cut is taken back", "reversed": report.reversed,
                "left": report.conflicts.iter().take(20).collect::<Vec<_>>(),
            });
            self.audit.append(line).map_err(|e| unrecorded(&e))?;
            for dir in keeps {
                let _ = std::fs::remove_dir(dir);
            }
        }
        for id in self.journal.unfinished().map_err(|e| failed(&e))? {
            let act = self.journal.act(&id).map_err(|e| failed(&e))?;
            if act.state == State::Undoing {
                let user = act.head.as_ref().map_or_else(String::new, |head| head.user.clone());
                // It stays begun, and `undo --list` says so.
                let until = Instant::now() + PATIENCE;
                let _ = self.undo_act(&act, &user, Purpose::Undo, &mut |_| Instant::now() < until);
            }
        }
        Ok(())
    }

    /// After undoing: the folders go if nothing in them is needed any more.
    fn let_go(&self, id: &str, whole: bool) -> Result<(), Failure> {
        for dir in self.journal.kept_in(id).map_err(|e| failed(&e))? {
            // With conflicts, what was kept stays until it is forgotten: nobody loses a byte.
            let _ = if whole { std::fs::remove_dir_all(&dir) } else { std::fs::remove_dir(&dir) };
        }
        Ok(())
    }

    /// Reverses what may still be touched. One look at core serves all of it; if that cannot be had,
    /// nothing is reversed now, and it is no conflict.
    fn reverse(
        &self,
        act: &Act,
        done: &[(Step, Seen, PathBuf)],
        purpose: Purpose,
    ) -> Result<Report, Failure> {
        // What a person did is taken back inside their own folder and nowhere else.
        let land = match &act.head {
            Some(head) => self.land_of_act(&head.user)?,
            None => self.land(),
        };
        let look = land.core.look().map_err(|e| Failure::internal(e.to_string()))?;
        let forbidden = |path: &Path| match look.verdict(path, Deed::Write) {
            Verdict::Free if land.territory.contains(path) => None,
            // Somebody said yes to that place, and to no more than it.
            Verdict::Free if was_outside(act, path) => None,
            Verdict::Free => Some("it is outside the territory now".into()),
            Verdict::Core { reason, .. } => Some(reason),
        };
        metnos_undo::reverse_left(done, act.undone.as_ref(), purpose, &forbidden)
    }
}

/// Whether a path was outside the territory already when the act was allowed: what is taken from a root is kept in it.
fn was_outside(act: &Act, path: &Path) -> bool {
    let keeps = act.head.iter().flat_map(|head| &head.keeps);
    let mut over = keeps.filter(|keep| path.starts_with(&keep.root.0));
    over.any(|keep| !keep.dir.0.starts_with(&keep.root.0))
}

/// Staging files that were never given a name.
fn sweep(so_far: &[(metnos_undo::Step, Seen, PathBuf)]) {
    use metnos_executor::Op;
    for (step, seen, kept) in so_far {
        let (Op::Write { dst: path, .. } | Op::Delete { path }) = &step.op else { continue };
        // Where the original still stands, what lies in the place for it is a file that was being written,
        // or a copy.
        let stands =
            |was| metnos_hands::Fact::at(&path.0).is_ok_and(|here| here.is_some_and(|here| here.is(&was)));
        if !seen.performed && step.before.is_some_and(stands) {
            let _ = std::fs::remove_file(kept);
        }
    }
}

/// Who did it.
fn actor(act: &Act) -> Option<Principal> {
    act.head.as_ref().map(|head| Principal::parse(&head.user))
}

/// The latest act of a person of which something can be taken back. They come with the newest first.
fn latest<'a>(acts: &'a [Act], user: &str) -> Option<&'a Act> {
    let who = Principal::parse(user).user;
    acts.iter().find(|act| actor(act).is_some_and(|actor| actor.user == who) && is_undoable(act))
}

/// The host reaches everything; anybody else what they did themselves.
fn reaches(user: &str, act: &Act) -> bool {
    let who = Principal::parse(user);
    who.is_host() || actor(act).is_some_and(|actor| actor.user == who.user)
}

/// Whether something of it can be taken back, maybe after an attempt at which something stood in the way.
fn is_undoable(act: &Act) -> bool {
    let did_something = act.closed.as_ref().is_some_and(|closed| closed.performed > 0);
    did_something && matches!(act.state, State::Done | State::Undoing | State::Partly)
}

pub(crate) fn paths(op: &metnos_executor::Op) -> Vec<PathBuf> {
    use metnos_executor::Op;
    match op {
        Op::MakeDir { path } | Op::Delete { path } | Op::RemoveDir { path } => vec![path.0.clone()],
        Op::Write { dst, .. } | Op::Copy { dst, .. } | Op::Link { dst, .. } => vec![dst.0.clone()],
        Op::Move { src, dst } => vec![src.0.clone(), dst.0.clone()],
    }
}
