//! What stood where before the operations of a call. After a reversal that was cut, asking again must
//! know what is already back, also where one thing passed through several places.

use crate::observe::PASSING;
use crate::plan::Sight;
use crate::record::{Seen, Step};
use crate::trail::below;
use metnos_executor::Op;
use metnos_hands::{Fact, Kind};
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

/// How many earlier places of one thing are looked at.
const FAR: usize = 64;

/// The places of things, before each operation.
#[derive(Default)]
pub(crate) struct Past<'a> {
    /// By where they went: the moves, and whence.
    moves: HashMap<&'a Path, Vec<(usize, &'a Path)>>,
    /// By number: what is known to stand somewhere after an operation.
    known: HashMap<u64, Vec<Fact>>,
    /// By path: before which operation, and what.
    stood: HashMap<PathBuf, Vec<(usize, Fact)>>,
    /// By path: what an operation put there.
    put: HashMap<&'a Path, Vec<(usize, Option<Fact>)>>,
    /// By number: what was made, and by which operation.
    made: HashMap<u64, Vec<(usize, Fact)>>,
    /// By operation: what it moved, and whence.
    moved: HashMap<usize, (&'a Path, Fact)>,
    /// By number: where the last move put it.
    last: HashMap<u64, &'a Path>,
    /// The first operation that is seen to be reversed, once it was looked for.
    floor: OnceCell<Option<usize>>,
}

impl<'a> Past<'a> {
    pub(crate) fn new(done: &'a [(Step, Seen, PathBuf)]) -> Self {
        let mut past = Self::default();
        for (i, (step, seen, _)) in done.iter().enumerate().filter(|(_, (_, seen, _))| seen.performed) {
            let place = match &step.op {
                Op::Move { src, .. } => Some(&src.0),
                Op::Delete { path } | Op::RemoveDir { path } | Op::Write { dst: path, .. } => Some(&path.0),
                Op::MakeDir { .. } | Op::Copy { .. } | Op::Link { .. } => None,
            };
            if let Op::Move { src, dst } = &step.op {
                past.moves.entry(&dst.0).or_default().push((i, &src.0));
                past.moved.extend(seen.after.map(|moved| (i, (src.0.as_path(), moved))));
                past.last.extend(seen.after.map(|moved| (moved.ino, dst.0.as_path())));
            }
            if let Some(after) = seen.after {
                past.known.entry(after.ino).or_default().push(after);
            }
            let thing = acted_on(step, seen);
            if let (Some(place), Some(thing)) = (place, thing) {
                // Also where it was before a folder took it along.
                let places: Vec<(usize, PathBuf)> = past.earlier(i, place).take(FAR).collect();
                for (k, place) in places {
                    past.stood.entry(place).or_default().push((k, thing));
                }
            }
            if let Op::MakeDir { path: to }
            | Op::Copy { dst: to, .. }
            | Op::Link { dst: to, .. }
            | Op::Write { dst: to, .. }
            | Op::Move { dst: to, .. } = &step.op
            {
                past.put.entry(&to.0).or_default().push((i, seen.after));
            }
            let makes =
                matches!(step.op, Op::MakeDir { .. } | Op::Copy { .. } | Op::Link { .. } | Op::Write { .. });
            // One that grew in place was not made.
            if let Some(made) = seen.after.filter(|after| makes && !thing.is_some_and(|was| was.is(after))) {
                past.made.entry(made.ino).or_default().push((i, made));
            }
        }
        past
    }

    /// What the operations that `counts` names found and took away or elsewhere: by which operation first, where it
    /// had stood, and what it was. What the call itself made is none of it, nor what only later came to the same place.
    pub(crate) fn first_taken(
        &self,
        done: &[(Step, Seen, PathBuf)],
        counts: impl Fn(&Seen) -> bool,
    ) -> impl Iterator<Item = (usize, PathBuf, Fact)> {
        let mut claimed = HashSet::new();
        done.iter().enumerate().filter(move |(_, (_, seen, _))| counts(seen)).filter_map(
            move |(i, (step, ..))| {
                let (place, was) = match &step.op {
                    Op::MakeDir { path } | Op::Copy { dst: path, .. } | Op::Link { dst: path, .. } => {
                        (path, None)
                    }
                    Op::Move { src: path, .. }
                    | Op::Delete { path }
                    | Op::RemoveDir { path }
                    | Op::Write { dst: path, .. } => (path, step.foreseen),
                };
                let (_, place) = self.earlier(i, &place.0).take(FAR).last()?;
                let is_first = claimed.insert(place.clone());
                let was = was.filter(|was| is_first && !self.was_made(i, was))?;
                Some((i, place, was))
            },
        )
    }

    /// True when an operation before `i` made it.
    fn was_made(&self, i: usize, thing: &Fact) -> bool {
        let mut made = self.made.get(&thing.ino).into_iter().flatten();
        made.any(|(k, made)| *k < i && made.is(thing))
    }

    /// True when what operation `i` did, and maybe more before it, is already taken back.
    pub(crate) fn is_reversed(&self, i: usize, step: &Step, seen: &Seen, sight: &Sight) -> bool {
        let at = |path: &Path| sight.at(path).ok().flatten();
        // A folder that came and went is as good as made.
        let Some(thing) = acted_on(step, seen).filter(|thing| *thing != PASSING) else {
            let (Op::MakeDir { path }
            | Op::RemoveDir { path }
            | Op::Copy { dst: path, .. }
            | Op::Link { dst: path, .. }
            | Op::Write { dst: path, .. }) = &step.op
            else {
                return false;
            };
            // It made something, and what stood there earlier stands there again.
            let earlier = self.stood.get(path.0.as_path()).into_iter().flatten().filter(|(k, _)| *k < i);
            // A folder that was removed comes back as another.
            let is_back = |here: &Fact, was: &Fact| {
                here.is(was) || here.looks_like(was) || (here.kind == Kind::Dir && was.kind == Kind::Dir)
            };
            let mut earlier = earlier.into_iter();
            return at(&path.0).is_some_and(|here| earlier.any(|(_, was)| is_back(&here, was)))
                || self.is_elsewhere(i, &path.0, sight);
        };
        // What was made by this call and is nowhere on its way is gone, as it should be.
        let was_made = self.was_made(i, &thing);
        let is_here = |path: &Path| at(path).is_some_and(|here| here.is(&thing));
        let stays = match &step.op {
            Op::Move { src, dst } => is_here(&src.0) || is_here(&dst.0),
            Op::Delete { path } | Op::Write { dst: path, .. } => is_here(&path.0),
            _ => true,
        };
        let (Op::Move { src: place, .. }
        | Op::Delete { path: place }
        | Op::RemoveDir { path: place }
        | Op::Write { dst: place, .. }) = &step.op
        else {
            return false;
        };
        // A write may have changed nothing but the rights.
        let is_write = matches!(step.op, Op::Write { .. });
        let alike = |here: &Fact| if is_write { here.could_be(&thing) } else { here.looks_like(&thing) };
        let is_back = |here: &Fact| here.is(&thing) || alike(here);
        self.earlier(i, &place.0).any(|(_, place)| at(&place).is_some_and(|here| is_back(&here)))
            || (was_made && !stays)
            || (seen.after.is_none() && thing.kind == Kind::Dir && self.is_folder_back(i, &place.0, sight))
    }

    /// True when operation `i` moved its thing to where it had been before, and all of it is reversed: where
    /// the thing stands does not tell that, but an earlier operation does, for the last is reversed first.
    pub(crate) fn is_round(
        &self,
        i: usize,
        step: &Step,
        done: &[(Step, Seen, PathBuf)],
        sight: &Sight,
    ) -> bool {
        let Op::Move { src, dst } = &step.op else { return false };
        if !self.earlier(i, &src.0).take(FAR).any(|(_, place)| place == dst.0) {
            return false;
        }
        let is_back = |(step, seen, kept): &(Step, Seen, PathBuf)| {
            let at = |path: &Path| sight.at(path).ok().flatten();
            match (&step.op, seen.after, seen.kept) {
                (Op::Delete { path }, _, Some(thing)) => {
                    at(kept).is_none() && at(&path.0).is_some_and(|here| here.is(&thing))
                }
                (Op::Move { src, .. }, Some(thing), _) => {
                    self.last.get(&thing.ino) != Some(&src.0.as_path())
                        && at(&src.0).is_some_and(|here| here.is(&thing))
                }
                _ => false,
            }
        };
        let look = || done.iter().take(i).position(|act| act.1.performed && is_back(act));
        self.floor.get_or_init(look).is_some_and(|floor| floor < i)
    }

    /// True when a folder above `path` is one that stood there before another took its place, in which
    /// operation `i` acted: what it did went with that other one.
    fn is_elsewhere(&self, i: usize, path: &Path, sight: &Sight) -> bool {
        path.ancestors().skip(1).any(|above| {
            let put = self.put.get(above).and_then(|list| {
                let last = list.partition_point(|(k, _)| *k < i).checked_sub(1)?;
                list.get(last)
            });
            let Some((k, after)) = put else { return false };
            let Some(here) = sight.at(above).ok().flatten() else { return false };
            let mut stood = self.stood.get(above).into_iter().flatten();
            !after.is_some_and(|after| after.is(&here)) && stood.any(|(t, was)| t < k && was.is(&here))
        })
    }

    /// True when a folder that operation `i` removed at `path` is back where it was before it was moved
    /// there. It was made again, so it is another folder, but none that the call knows of.
    pub(crate) fn is_folder_back(&self, i: usize, path: &Path, sight: &Sight) -> bool {
        let stranger = |here: &Fact| {
            let known = self.known.get(&here.ino);
            here.kind == Kind::Dir && !known.is_some_and(|all| all.iter().any(|known| known.is(here)))
        };
        // A place means what it meant only once the move away from it is reversed.
        let is_there = |k: &usize| match self.moved.get(k) {
            Some((src, moved)) => sight.at(src).ok().flatten().is_some_and(|here| here.is(moved)),
            None => true,
        };
        let mut earlier = self.earlier(i, path).skip(1).filter(|(k, _)| is_there(k));
        earlier.any(|(_, place)| sight.at(&place).ok().flatten().is_some_and(|here| stranger(&here)))
    }

    /// Where the thing was that is at `path` before operation `i`: there, and before each move of it or
    /// of a folder above it, with the operation before which it was there.
    fn earlier(&self, i: usize, path: &Path) -> impl Iterator<Item = (usize, PathBuf)> {
        std::iter::successors(Some((i, path.to_owned())), |(i, path)| {
            let before = |above: &'a Path, list: &Vec<(usize, &'a Path)>| {
                let last = list.partition_point(|(k, _)| k < i).checked_sub(1)?;
                list.get(last).map(|(k, src)| (*k, above, *src))
            };
            let moves = path.ancestors().filter_map(|above| {
                let (above, list) = self.moves.get_key_value(above)?;
                before(above, list)
            });
            let (k, dst, src) = moves.max_by_key(|(k, ..)| *k)?;
            Some((k, below(dst, src, path)))
        })
    }
}

/// The thing an operation moved or took away; `None` when it made one.
fn acted_on(step: &Step, seen: &Seen) -> Option<Fact> {
    match &step.op {
        Op::Move { .. } => seen.after.or(step.before),
        Op::Delete { .. } => seen.kept,
        Op::Write { .. } | Op::RemoveDir { .. } => step.before,
        Op::MakeDir { .. } | Op::Copy { .. } | Op::Link { .. } => None,
    }
}
