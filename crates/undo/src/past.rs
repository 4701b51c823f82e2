//! What stood where before the operations of a call. After a reversal that was cut, asking again must
//! know what is already back, also where one thing passed through several places.

use crate::observe::PASSING;
use crate::plan::Sight;
use crate::record::{Seen, Step};
use crate::trail::below;
use metnos_executor::Op;
use metnos_hands::{Fact, Kind};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// The places of things, before each operation.
#[derive(Default)]
pub(crate) struct Past<'a> {
    /// By where they went: the moves, and whence.
    moves: HashMap<&'a Path, Vec<(usize, &'a Path)>>,
    /// By number: what is known to stand somewhere after an operation.
    known: HashMap<u64, Vec<Fact>>,
    /// By path: before which operation, and what.
    stood: HashMap<&'a Path, Vec<(usize, Fact)>>,
    /// By number: what was made, and by which operation.
    made: HashMap<u64, Vec<(usize, Fact)>>,
}

impl<'a> Past<'a> {
    pub(crate) fn new(done: &'a [(Step, Seen, PathBuf)]) -> Self {
        let mut past = Self::default();
        for (i, (step, seen, _)) in done.iter().enumerate().filter(|(_, (_, seen, _))| seen.performed) {
            let place = match &step.op {
                Op::Move { src, .. } => Some(&src.0),
                Op::Delete { path } | Op::RemoveDir { path } | Op::Write { dst: path, .. } => Some(&path.0),
                Op::MakeDir { .. } | Op::Copy { .. } => None,
            };
            if let Op::Move { src, dst } = &step.op {
                past.moves.entry(&dst.0).or_default().push((i, &src.0));
            }
            if let Some(after) = seen.after {
                past.known.entry(after.ino).or_default().push(after);
            }
            let thing = acted_on(step, seen);
            if let (Some(place), Some(thing)) = (place, thing) {
                past.stood.entry(place).or_default().push((i, thing));
            }
            let makes = matches!(step.op, Op::MakeDir { .. } | Op::Copy { .. } | Op::Write { .. });
            // One that grew in place was not made.
            if let Some(made) = seen.after.filter(|after| makes && !thing.is_some_and(|was| was.is(after))) {
                past.made.entry(made.ino).or_default().push((i, made));
            }
        }
        past
    }

    /// True when what operation `i` did, and maybe more before it, is already taken back.
    pub(crate) fn is_reversed(&self, i: usize, step: &Step, seen: &Seen, sight: &Sight) -> bool {
        let at = |path: &Path| sight.at(path).ok().flatten();
        // A folder that came and went is as good as made.
        let Some(thing) = acted_on(step, seen).filter(|thing| *thing != PASSING) else {
            let (Op::MakeDir { path }
            | Op::RemoveDir { path }
            | Op::Copy { dst: path, .. }
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
            return at(&path.0).is_some_and(|here| earlier.any(|(_, was)| is_back(&here, was)));
        };
        // What was made by this call and is nowhere on its way is gone, as it should be.
        let mut made = self.made.get(&thing.ino).into_iter().flatten();
        let was_made = made.any(|(k, made)| *k < i && made.is(&thing));
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
        let is_back = |here: &Fact| here.is(&thing) || here.looks_like(&thing);
        self.earlier(i, &place.0).any(|place| at(&place).is_some_and(|here| is_back(&here)))
            || (was_made && !stays)
            || (seen.after.is_none() && thing.kind == Kind::Dir && self.is_folder_back(i, &place.0, sight))
    }

    /// True when a folder that operation `i` removed at `path` is back where it was before it was moved
    /// there. It was made again, so it is another folder, but none that the call knows of.
    pub(crate) fn is_folder_back(&self, i: usize, path: &Path, sight: &Sight) -> bool {
        let stranger = |here: &Fact| {
            let known = self.known.get(&here.ino);
            here.kind == Kind::Dir && !known.is_some_and(|all| all.iter().any(|known| known.is(here)))
        };
        let mut earlier = self.earlier(i, path).skip(1);
        earlier.any(|place| sight.at(&place).ok().flatten().is_some_and(|here| stranger(&here)))
    }

    /// Where the thing was that is at `path` before operation `i`: there, and before each move of it or
    /// of a folder above it.
    fn earlier(&self, i: usize, path: &Path) -> impl Iterator<Item = PathBuf> {
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
        .map(|(_, path)| path)
    }
}

/// The thing an operation moved or took away; `None` when it made one.
fn acted_on(step: &Step, seen: &Seen) -> Option<Fact> {
    match &step.op {
        Op::Move { .. } => seen.after.or(step.before),
        Op::Delete { .. } => seen.kept,
        Op::Write { .. } | Op::RemoveDir { .. } => step.before,
        Op::MakeDir { .. } | Op::Copy { .. } => None,
    }
}
