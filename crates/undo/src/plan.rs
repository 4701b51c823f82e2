//! How one operation is reversed, decided from what stands there now. What changed since is refused.

use crate::observe::PASSING;
use crate::overlay::{Found, Overlay};
use crate::record::{Seen, Step};
use metnos_executor::Op;
use metnos_hands::{Fact, Kind, back, made};
use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::{Path, PathBuf};

/// The way back of one operation.
#[derive(Debug)]
pub(crate) enum Way<'a> {
    /// It already is.
    Nothing,
    Move {
        from: &'a Path,
        to: &'a Path,
    },
    Swap {
        kept: &'a Path,
        path: &'a Path,
    },
    Remove {
        path: &'a Path,
    },
    RemoveDir {
        path: &'a Path,
    },
    MakeDir {
        path: &'a Path,
        was: &'a Fact,
    },
    CutBack {
        path: &'a Path,
        was: &'a Fact,
        grown: &'a Fact,
    },
}

/// Why an operation is not reversed.
#[derive(Debug)]
pub(crate) enum No {
    /// Something changed since; asking again would not help.
    Conflict(String),
    /// It cannot be told now: the disk said no.
    Untold(io::Error),
}

impl From<&str> for No {
    fn from(why: &str) -> Self {
        Self::Conflict(why.to_owned())
    }
}

impl From<io::Error> for No {
    fn from(error: io::Error) -> Self {
        Self::Untold(error)
    }
}

/// What stands where, in the course of reversing.
#[derive(Default)]
pub(crate) struct Sight {
    /// What was put somewhere on the way back, by number: by the reversal of which operation, and where.
    /// Between file systems that is a copy, another thing than the one that was seen there.
    put: HashMap<u64, Vec<(usize, PathBuf, Fact)>>,
    /// When nothing is performed: where the things are that would stand somewhere.
    foreseen: Overlay<Foreseen>,
}

#[derive(Clone, Debug)]
enum Foreseen {
    From(PathBuf),
    Is(Fact),
}

impl Sight {
    /// What stands at `path`.
    pub(crate) fn at(&self, path: &Path) -> io::Result<Option<Fact>> {
        match self.whence(path) {
            None => Ok(None),
            Some(Foreseen::Is(fact)) => Ok(Some(fact)),
            Some(Foreseen::From(now)) => Fact::at(&now),
        }
    }

    fn whence(&self, path: &Path) -> Option<Foreseen> {
        match self.foreseen.find(path) {
            Found::Here(thing) => thing.cloned(),
            Found::Below(Some(Foreseen::From(above)), rest) => Some(Foreseen::From(above.join(rest))),
            Found::Below(..) => None,
            Found::Untouched => Some(Foreseen::From(path.to_owned())),
        }
    }

    /// Nothing is done yet. What an earlier reversal copied back, before it was cut, it told.
    pub(crate) fn new<'a>(done: &'a [(Step, Seen, PathBuf)]) -> io::Result<Self> {
        let mut sight = Self::default();
        let told = |(i, (step, _, kept)): (usize, &'a (Step, Seen, PathBuf))| (back::told(kept), (i, step));
        let operations: HashMap<PathBuf, (usize, &Step)> = done.iter().enumerate().map(told).collect();
        for dir in done.iter().filter_map(|(.., kept)| kept.parent()).collect::<BTreeSet<_>>() {
            for (operation, fact) in made::told(dir)? {
                if let Some((i, step)) = operations.get(&dir.join(operation)) {
                    sight.put(*i, acts_on(step), fact);
                }
            }
        }
        Ok(sight)
    }

    fn put(&mut self, i: usize, path: &Path, fact: Fact) {
        self.put.entry(fact.ino).or_default().push((i, path.to_owned(), fact));
    }

    /// True when `here` is the thing that operation `i` left there, or what the reversal of a later one
    /// put there. What that of an earlier one put there is the end of the way, and stays.
    fn knows(&self, i: usize, path: &Path, here: &Fact, known: &Fact) -> bool {
        let put = |(k, at, put): &(usize, PathBuf, Fact)| {
            *k > i
                && here.is_unchanged(put)
                && if here.kind == Kind::Dir { at == path } else { here.looks_like(known) }
        };
        here.is_unchanged(known) || self.put.get(&here.ino).is_some_and(|all| all.iter().any(put))
    }

    /// Notes what a step on the way back put where.
    pub(crate) fn remember(&mut self, i: usize, way: &Way<'_>) {
        if let Way::Move { to: path, .. } | Way::Swap { path, .. } | Way::MakeDir { path, .. } = way
            && let Ok(Some(fact)) = Fact::at(path)
        {
            self.put(i, path, fact);
        }
    }

    /// Notes what a step on the way back would do.
    pub(crate) fn foresee(&mut self, i: usize, way: &Way<'_>) {
        match way {
            Way::Nothing => {}
            Way::Move { from, to } => {
                if let Some(thing) = self.whence(from) {
                    self.foreseen.carry(from, to, thing);
                }
            }
            Way::Swap { kept, path } => {
                let (older, newer) = (self.whence(kept), self.whence(path));
                self.foreseen.set(path, older);
                self.foreseen.set(kept, newer);
            }
            Way::Remove { path } | Way::RemoveDir { path } => self.foreseen.set(path, None),
            Way::MakeDir { path, was } => {
                self.foreseen.set(path, Some(Foreseen::Is(**was)));
                self.put(i, path, **was);
            }
            Way::CutBack { path, was, .. } => self.foreseen.set(path, Some(Foreseen::Is(**was))),
        }
    }
}

/// The path that is given back to, and that a conflict is told for.
pub(crate) fn acts_on(step: &Step) -> &Path {
    match &step.op {
        Op::MakeDir { path } | Op::Delete { path } | Op::RemoveDir { path } => &path.0,
        Op::Write { dst, .. } | Op::Copy { dst, .. } | Op::Link { dst, .. } => &dst.0,
        Op::Move { src, .. } => &src.0,
    }
}

/// How `step` is reversed, or why it is not.
pub(crate) fn plan<'a>(
    i: usize,
    step: &'a Step,
    seen: &'a Seen,
    kept: &'a Path,
    sight: &Sight,
) -> Result<Way<'a>, No> {
    let now = |path: &Path| sight.at(path);
    match &step.op {
        Op::MakeDir { path } => match (now(&path.0)?, seen.after) {
            (None, _) => Ok(Way::Nothing),
            (Some(here), made) if sight.knows(i, &path.0, &here, &made.unwrap_or(PASSING)) => {
                Ok(Way::RemoveDir { path: &path.0 })
            }
            // It was made again before this reversal was cut; it goes only if it is empty.
            (Some(here), None) if here.kind == Kind::Dir && here.mode == PASSING.mode => {
                Ok(Way::RemoveDir { path: &path.0 })
            }
            _ => Err("another folder stands there now".into()),
        },
        Op::Move { src, dst } => moved(i, &src.0, &dst.0, step, seen, sight),
        Op::Copy { dst, .. } | Op::Link { dst, .. } => created(i, &dst.0, seen, sight),
        Op::Write { dst, .. } => match step.before.as_ref() {
            None => created(i, &dst.0, seen, sight),
            Some(was) => overwritten(i, &dst.0, was, seen, kept, sight),
        },
        Op::Delete { path } => {
            let was = seen.kept.ok_or("nothing of it was kept")?;
            let (here, there) = (now(&path.0)?, now(kept)?);
            let twice = matches!((here, there), (Some(here), Some(there)) if here.looks_like(&there))
                && back::is_equal(&path.0, kept)?;
            match (here, there) {
                (Some(here), None) if here.is(&was) || here.looks_like(&was) => Ok(Way::Nothing),
                // It was copied back from another file system; the copy that was kept had not gone yet.
                (Some(_), Some(_)) if twice => Ok(Way::Nothing),
                (Some(_), _) => Err("something stands at its place".into()),
                (None, None) => Err("what was kept of it is gone".into()),
                (None, Some(there)) if there.is_unchanged(&was) => Ok(Way::Move { from: kept, to: &path.0 }),
                // Out of a backup it is another file with the same content and date; nobody but us writes there.
                (None, Some(there)) if there.looks_like(&was) => Ok(Way::Move { from: kept, to: &path.0 }),
                (None, Some(_)) => Err("what was kept of it is damaged".into()),
            }
        }
        Op::RemoveDir { path } => match (now(&path.0)?, step.before.as_ref()) {
            (Some(here), _) if here.kind == Kind::Dir => Ok(Way::Nothing),
            (Some(_), _) => Err("something stands at its place".into()),
            // A folder that came and went, in one that is already gone again.
            (None, Some(was)) if *was == PASSING && is_nowhere(&path.0, sight) => Ok(Way::Nothing),
            (None, Some(was)) => Ok(Way::MakeDir { path: &path.0, was }),
            (None, None) => Err("nothing is known of it".into()),
        },
    }
}

fn moved<'a>(
    i: usize,
    src: &'a Path,
    dst: &'a Path,
    step: &Step,
    seen: &Seen,
    sight: &Sight,
) -> Result<Way<'a>, No> {
    let now = |path: &Path| sight.at(path);
    let (here, there) = (now(src)?, now(dst)?);
    let Some(moved) = seen.after else {
        // A folder that was removed later: it is another one, made again, that goes back.
        return match (here, there) {
            (Some(here), None) if here.kind == Kind::Dir => Ok(Way::Nothing),
            (Some(here), Some(there)) if here.kind == Kind::Dir && !sight.knows(i, dst, &there, &PASSING) => {
                Ok(Way::Nothing)
            }
            (None, Some(there)) if there.kind == Kind::Dir => Ok(Way::Move { from: dst, to: src }),
            _ => Err("it changed since".into()),
        };
    };
    let twice = matches!((here, there), (Some(here), Some(there)) if is_twice(&here, &there, &moved, step))
        && back::is_equal(src, dst)?;
    match (here, there) {
        // The copy on another file system was made, on the way there or back, and the other had not
        // gone yet; or both are names of one file.
        (Some(_), Some(_)) if twice => Ok(Way::Remove { path: dst }),
        (Some(here), Some(there)) if here.is(&moved) && !there.is(&moved) => Ok(Way::Nothing),
        (Some(here), None) if here.is(&moved) || here.looks_like(&moved) => Ok(Way::Nothing),
        (Some(_), _) => Err("something stands at its old place".into()),
        (None, None) => Err("it is no longer where it was moved to".into()),
        (None, Some(there)) if sight.knows(i, dst, &there, &moved) => Ok(Way::Move { from: dst, to: src }),
        (None, Some(_)) => Err("it changed since".into()),
    }
}

fn is_nowhere(path: &Path, sight: &Sight) -> bool {
    path.parent().is_some_and(|parent| {
        sight.at(parent).is_ok_and(|above| above.is_none_or(|above| above.kind != Kind::Dir))
    })
}

fn is_twice(here: &Fact, there: &Fact, moved: &Fact, step: &Step) -> bool {
    let source = step.before.is_some_and(|was| here.is(&was));
    there.is_unchanged(moved) && here.looks_like(there) && (source || !here.is(there))
}

fn created<'a>(i: usize, path: &'a Path, seen: &Seen, sight: &Sight) -> Result<Way<'a>, No> {
    let made = seen.after.ok_or("nothing is known of it")?;
    match sight.at(path)? {
        None => Ok(Way::Nothing),
        Some(here) if sight.knows(i, path, &here, &made) => Ok(Way::Remove { path }),
        Some(_) => Err("it changed since".into()),
    }
}

fn overwritten<'a>(
    i: usize,
    path: &'a Path,
    was: &'a Fact,
    seen: &'a Seen,
    kept: &'a Path,
    sight: &Sight,
) -> Result<Way<'a>, No> {
    let written = seen.after.as_ref().ok_or("it is no longer there")?;
    let here = sight.at(path)?;
    if seen.kept.is_none() && written.is(was) {
        return match here {
            Some(here) if here.is(was) && here.size == was.size => Ok(Way::Nothing),
            Some(here) if sight.knows(i, path, &here, written) => {
                Ok(Way::CutBack { path, was, grown: written })
            }
            _ => Err("it changed since".into()),
        };
    }
    let there = sight.at(kept)?;
    let is_written = here.is_some_and(|here| sight.knows(i, path, &here, written));
    let is_back = here.is_some_and(|here| here.is(was) || here.could_be(was));
    match there {
        _ if is_back && !is_written => Ok(Way::Nothing),
        Some(there) if is_written && there.could_be(was) => Ok(Way::Swap { kept, path }),
        Some(_) if is_written => Err("what was kept of it is damaged".into()),
        None => Err("what was kept of it is gone".into()),
        _ => Err("it changed since".into()),
    }
}
