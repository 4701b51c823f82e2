//! Where a thing went: what an operation put somewhere may have been moved on, written over or taken
//! away by later operations of the same call. The disk shows only the end of such a chain.

use crate::key::{key, upwards};
use crate::observe::{Planned, Trust};
use metnos_executor::Op;
use metnos_hands::{APPEND_BY_COPY, Eyes, Fact, Kind, made};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

/// How far a trail is followed. Calls that move one thing to and fro more often than that are told
/// from the first place where it stands.
const FAR: u32 = 512;

/// A thing as far as it is known.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Thing {
    /// What it is; `None` for a folder that came and went.
    pub(crate) fact: Option<Fact>,
    /// The operation that made it, if one did.
    pub(crate) made: Option<usize>,
}

/// Operations by the key of a path.
type By<'a> = HashMap<Cow<'a, OsStr>, Vec<usize>>;

/// The operations of a call by what they act on.
pub(crate) struct Trail<'a> {
    all: &'a [Planned],
    trust: Trust,
    moves: By<'a>,
    takes: By<'a>,
    removes: By<'a>,
    /// The operations that put something at a path.
    puts: By<'a>,
    /// What stood somewhere when an intent was told, by number, and in which intent first.
    known: HashMap<u64, Vec<(u32, Fact)>>,
    /// What the hands made, by number, and by which operation.
    made: HashMap<u64, Vec<(usize, Fact)>>,
    /// Operations that told what they made.
    told: HashSet<usize>,
    /// What an earlier reversal put back, by number.
    put_back: HashMap<u64, Vec<Fact>>,
    eyes: RefCell<Eyes>,
}

impl<'a> Trail<'a> {
    pub(crate) fn new(all: &'a [Planned], trust: Trust) -> io::Result<Self> {
        let mut trail = Self {
            all,
            trust,
            moves: HashMap::new(),
            takes: HashMap::new(),
            removes: HashMap::new(),
            puts: HashMap::new(),
            known: HashMap::new(),
            made: HashMap::new(),
            told: HashSet::new(),
            put_back: HashMap::new(),
            eyes: RefCell::default(),
        };
        for (i, planned) in all.iter().enumerate() {
            match &planned.step.op {
                Op::Move { src, .. } => trail.moves.entry(key(&src.0)).or_default().push(i),
                Op::Delete { path } | Op::Write { dst: path, .. } => {
                    trail.takes.entry(key(&path.0)).or_default().push(i);
                }
                Op::RemoveDir { path } => trail.removes.entry(key(&path.0)).or_default().push(i),
                Op::MakeDir { .. } | Op::Copy { .. } | Op::Link { .. } => {}
            }
            if let Op::MakeDir { path: to }
            | Op::Copy { dst: to, .. }
            | Op::Link { dst: to, .. }
            | Op::Write { dst: to, .. }
            | Op::Move { dst: to, .. } = &planned.step.op
            {
                trail.puts.entry(key(&to.0)).or_default().push(i);
            }
            for fact in [planned.step.before, planned.step.there].into_iter().flatten() {
                trail.known.entry(fact.ino).or_default().push((planned.intent, fact));
            }
        }
        let names: HashMap<&Path, usize> =
            all.iter().enumerate().map(|(i, planned)| (planned.kept.as_path(), i)).collect();
        for dir in all.iter().filter_map(|planned| planned.kept.parent()).collect::<BTreeSet<_>>() {
            for (operation, fact) in made::told(dir)? {
                match names.get(dir.join(operation).as_path()) {
                    Some(i) => {
                        trail.told.insert(*i);
                        trail.made.entry(fact.ino).or_default().push((*i, fact));
                    }
                    // What was put back is told there as well, and is not made by an operation.
                    None => trail.put_back.entry(fact.ino).or_default().push(fact),
                }
            }
        }
        Ok(trail)
    }

    /// What stands at `path` by now. Nothing is changed while a trail is followed.
    pub(crate) fn at(&self, path: &Path) -> io::Result<Option<Fact>> {
        self.eyes.borrow_mut().at(path)
    }

    /// True when operation `i` told that it was about to give something its name.
    pub(crate) fn has_told(&self, i: usize) -> bool {
        self.told.contains(&i)
    }

    /// Where `thing` stands that was at `at` after operation `i`, as it is by now.
    pub(crate) fn fate(&self, i: usize, at: &Path, thing: Thing) -> io::Result<Option<Fact>> {
        let found = self.follow(i, at, thing, &mut FAR.clone())?;
        let Some((fact, false)) = found else { return Ok(found.map(|(fact, _)| fact)) };
        // As the hands left it: what somebody did to it before the call ended is no part of the call.
        let left = self.made.get(&fact.ino).and_then(|all| all.iter().rev().find(|(_, made)| made.is(&fact)));
        let left = left.map(|(_, left)| *left).filter(|left| left.size <= APPEND_BY_COPY);
        Ok(Some(left.unwrap_or(fact)))
    }

    /// True when `thing`, a folder, may have been removed after operation `i` put it at `at`.
    pub(crate) fn may_have_gone(&self, i: usize, at: &Path) -> bool {
        let (mut i, mut at, mut left) = (i, at.to_owned(), FAR);
        loop {
            if self.removes.get(&*key(&at)).and_then(|list| list.last()).is_some_and(|j| *j > i) {
                return true;
            }
            match self.next(i, &at).map(|j| (j, &self.all[j].step.op)) {
                Some((j, Op::Move { src, dst })) if left > 0 => {
                    at = below(&src.0, &dst.0, &at);
                    i = j;
                    left -= 1;
                }
                _ => return false,
            }
        }
    }

    fn follow(
        &self,
        mut i: usize,
        at: &Path,
        thing: Thing,
        left: &mut u32,
    ) -> io::Result<Option<(Fact, bool)>> {
        while let Some(j) = self.next(i, at) {
            if *left == 0 {
                break;
            }
            *left -= 1;
            let later = &self.all[j];
            match &later.step.op {
                Op::Move { .. } if self.stays(j, at, thing)? => break,
                Op::Move { src, dst } => {
                    let found = self.follow(j, &below(&src.0, &dst.0, at), thing, left)?;
                    if found.is_some() {
                        return Ok(found);
                    }
                }
                Op::Delete { .. } => {
                    if let Some(kept) = self.at(&later.kept)?.filter(|kept| self.accepts(thing, kept, true))
                        && !self.is_copy_beside(thing, at, &kept)?
                    {
                        return Ok(Some((kept, true)));
                    }
                }
                Op::Write { .. } => {
                    let written = Thing { fact: None, made: Some(j) };
                    if let Some(kept) = self.at(&later.kept)?.filter(|kept| self.accepts(thing, kept, true))
                        && !self.is_copy_beside(thing, at, &kept)?
                        && self.follow(j, at, written, left)?.is_some()
                    {
                        return Ok(Some((kept, true)));
                    }
                }
                Op::MakeDir { .. } | Op::Copy { .. } | Op::Link { .. } | Op::RemoveDir { .. } => {}
            }
            i = j;
        }
        Ok(self.at(at)?.filter(|here| self.accepts(thing, here, false)).map(|here| (here, false)))
    }

    /// True when `thing`, of which nothing was told, still is at `at`, from where operation `j` was to move
    /// it: whatever stands at its destination then is another one.
    fn stays(&self, j: usize, at: &Path, thing: Thing) -> io::Result<bool> {
        let untold = thing.made.is_some_and(|op| !self.has_told(op));
        if self.trust != Trust::Disk || !untold {
            return Ok(false);
        }
        let later = |key: &OsStr| self.puts.get(key).and_then(|list| list.last()).is_some_and(|k| *k > j);
        Ok(!upwards(&key(at)).any(later)
            && self.at(at)?.is_some_and(|here| self.accepts(thing, &here, false)))
    }

    /// True when `kept` is a copy of what still stands at `at`.
    pub(crate) fn is_copy_beside(&self, thing: Thing, at: &Path, kept: &Fact) -> io::Result<bool> {
        let here = self.at(at)?.filter(|here| self.accepts(thing, here, false));
        Ok(here.is_some_and(|here| !here.is(kept) && here.looks_like(kept)))
    }

    /// True when `fact`, found on the way of `thing`, is it.
    fn accepts(&self, thing: Thing, fact: &Fact, is_kept: bool) -> bool {
        // By the one that made it, or by one that moved it to another file system.
        let by = |k: usize| thing.made == Some(k) || matches!(self.all[k].step.op, Op::Move { .. });
        let made = self.made.get(&fact.ino);
        let is_made = made.is_some_and(|all| all.iter().any(|(k, made)| by(*k) && made.is(fact)));
        match thing {
            Thing { made: Some(op), .. } => {
                let Some(maker) = self.all.get(op) else { return false };
                let kind = match maker.step.op {
                    Op::MakeDir { .. } => Kind::Dir,
                    Op::Link { .. } => Kind::Link,
                    // A copy is what its source was.
                    Op::Copy { .. } => maker.step.before.map_or(Kind::File, |source| source.kind),
                    _ => Kind::File,
                };
                let is_dir = kind == Kind::Dir;
                // Folders on the way to a destination are made before the hands are, and told by nobody.
                let others = made.is_some_and(|all| all.iter().any(|(_, made)| made.is(fact)));
                let untold = !self.has_told(op) && (self.trust == Trust::Disk || (is_dir && !others));
                let ours = is_kept || is_made || untold;
                let put_back = self.put_back.get(&fact.ino).filter(|_| is_dir);
                fact.kind == kind
                    && ours
                    && !put_back.is_some_and(|all| all.iter().any(|back| back.is(fact)))
                    && !self.stood(fact, maker.intent)
            }
            Thing { fact: Some(was), .. } => {
                let ours = is_kept || is_made || self.trust == Trust::Disk;
                fact.is(&was) || (fact.looks_like(&was) && ours && !self.stood(fact, u32::MAX))
            }
            Thing { fact: None, made: None } => false,
        }
    }

    /// True when this very thing stood somewhere when that intent or an earlier one was told.
    fn stood(&self, fact: &Fact, intent: u32) -> bool {
        let all = self.known.get(&fact.ino);
        all.is_some_and(|all| all.iter().any(|(n, known)| *n <= intent && known.is(fact)))
    }

    /// The next operation after `i` that takes away what is at `at`.
    fn next(&self, i: usize, at: &Path) -> Option<usize> {
        let after = |list: &Vec<usize>| list.get(list.partition_point(|j| *j <= i)).copied();
        let at = key(at);
        let moved = upwards(&at).filter_map(|above| self.moves.get(above).and_then(after)).min();
        let taken = self.takes.get(&*at).and_then(after);
        moved.into_iter().chain(taken).min()
    }
}

/// Where `path` is once `src`, it or a folder above it, is at `dst`.
pub(crate) fn below(src: &Path, dst: &Path, path: &Path) -> PathBuf {
    match path.strip_prefix(src) {
        Ok(rest) if !rest.as_os_str().is_empty() => dst.join(rest),
        _ => dst.to_owned(),
    }
}
