//! What became of the operations of a call, told from the disk: after an ordinary end as after a
//! crash. They are gone through in order over the tree as it was, so that each is judged by what it
//! found when its turn came.

use crate::overlay::{Found, Overlay};
use crate::record::{Seen, Step};
use crate::trail::{Thing, Trail};
use crate::{Error, Result};
use metnos_executor::{Op, WriteMode};
use metnos_hands::{Fact, Kind};
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};

/// An operation of a call.
pub(crate) struct Planned {
    pub(crate) step: Step,
    /// Where what it takes away is kept.
    pub(crate) kept: PathBuf,
    /// The intent it belongs to.
    pub(crate) intent: u32,
}

/// What shows that a file was made by the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trust {
    /// The hands told so.
    Told,
    /// It stands where it should: a power loss may have swallowed what the hands told.
    Disk,
}

/// Looks at the disk.
pub(crate) fn observe(all: &[Planned], trust: Trust) -> Result<Vec<Seen>> {
    let Some(first) = all.first() else { return Ok(Vec::new()) };
    let trail = Trail::new(all, trust).map_err(Error::io("look at", &first.kept))?;
    let mut world = World { trail, tree: Overlay::default(), unmoved: HashSet::new() };
    let mut seen = Vec::with_capacity(all.len());
    let mut intent = first.intent;
    for (i, planned) in all.iter().enumerate() {
        if planned.intent != intent {
            // Each intent was told over the tree that the one before left.
            intent = planned.intent;
            world.tree = Overlay::default();
            world.unmoved.clear();
        }
        seen.push(world.judge(i, planned).map_err(Error::io("look at", &planned.kept))?);
    }
    Ok(seen)
}

struct World<'a> {
    trail: Trail<'a>,
    tree: Overlay<Thing>,
    /// Where nothing came that was to come: what was foreseen below it is not there.
    unmoved: HashSet<PathBuf>,
}

/// A folder that came and went, as it is made again to be taken away.
pub(crate) const PASSING: Fact =
    Fact { kind: Kind::Dir, ino: 0, mode: 0o700, size: 0, mtime: (0, 0), born: None, target: None };

fn done(after: Option<Fact>) -> Seen {
    Seen { performed: true, after, ..Seen::default() }
}

impl World<'_> {
    fn judge(&mut self, i: usize, planned: &Planned) -> io::Result<Seen> {
        let Planned { step, kept, .. } = planned;
        match &step.op {
            Op::MakeDir { path } => self.creates(i, &path.0, step.before, true),
            Op::Write { dst, mode } => match self.found(&dst.0, step.before) {
                None => self.creates(i, &dst.0, None, false),
                Some(old) => self.replaces(i, step, &dst.0, *mode, old, kept),
            },
            Op::Link { dst, .. } => self.creates(i, &dst.0, step.before, false),
            Op::Copy { src, dst } => match self.found(&src.0, step.before) {
                None => Ok(Seen::default()),
                Some(_) => self.creates(i, &dst.0, step.there, false),
            },
            Op::Move { src, dst } => {
                let (thing, there) = (self.found(&src.0, step.before), self.found(&dst.0, step.there));
                match (thing, there) {
                    (Some(thing), None) => self.moves(i, &src.0, &dst.0, thing),
                    // A move never replaces, and moves nothing but what is there.
                    _ => Ok(Seen::default()),
                }
                .inspect(|seen| {
                    if !seen.performed {
                        self.unmoved.insert(dst.0.clone());
                    }
                })
            }
            Op::Delete { path } => {
                let thing = self.found(&path.0, step.before);
                self.deletes(step, &path.0, thing, kept)
            }
            Op::RemoveDir { path } => match self.found(&path.0, step.before) {
                None => Ok(Seen::default()),
                Some(thing) => self.removes(i, step, &path.0, thing),
            },
        }
    }

    /// What the operation found at `path`, where `foreseen` was to be.
    fn found(&mut self, path: &Path, foreseen: Option<Fact>) -> Option<Thing> {
        let thing = match self.tree.find(path) {
            Found::Here(thing) => return thing.copied(),
            _ if self.is_below_unmoved(path) => None,
            // A folder that was made holds nothing but what was put into it.
            Found::Below(None | Some(Thing { made: Some(_), .. }), _) => None,
            Found::Below(..) | Found::Untouched => {
                foreseen.map(|fact| Thing { fact: Some(fact), made: None })
            }
        };
        self.tree.set(path, thing);
        thing
    }

    fn is_below_unmoved(&self, path: &Path) -> bool {
        !self.unmoved.is_empty() && path.ancestors().skip(1).any(|above| self.unmoved.contains(above))
    }

    fn creates(&mut self, i: usize, path: &Path, foreseen: Option<Fact>, is_dir: bool) -> io::Result<Seen> {
        if self.found(path, foreseen).is_some() || self.is_nowhere(path) {
            return Ok(Seen::default());
        }
        let made = self.trail.fate(i, path, Thing { fact: None, made: Some(i) })?;
        // A folder may have come and gone and leaves no trace. Taking both back is as good as none.
        if made.is_none() && !(is_dir && self.trail.may_have_gone(i, path)) {
            return Ok(Seen::default());
        }
        self.tree.set(path, Some(Thing { fact: made, made: Some(i) }));
        Ok(done(made))
    }

    fn replaces(
        &mut self,
        i: usize,
        step: &Step,
        path: &Path,
        mode: WriteMode,
        old: Thing,
        kept: &Path,
    ) -> io::Result<Seen> {
        if old.fact.is_some_and(|was| was.kind != Kind::File) {
            // Only a file is ever written over.
            return Ok(Seen::default());
        }
        let stands = self.trail.fate(i, path, old)?;
        let Some(kept) = self.trail.at(kept)? else {
            // Too large to be copied, it grew where it is. One that was made goes as a whole anyway.
            return Ok(match (old, stands) {
                (Thing { fact: Some(was), made: None }, Some(now))
                    if mode == WriteMode::Append && now.is(&was) && now.size > was.size =>
                {
                    done(Some(now))
                }
                _ => Seen::default(),
            });
        };
        let after = self.trail.fate(i, path, Thing { fact: None, made: Some(i) })?;
        let happened = match old {
            // Both are ours, so it does not matter which of the two is which.
            Thing { made: Some(_), .. } => after.is_some() && !self.trail.is_copy_beside(old, path, &kept)?,
            Thing { fact: Some(was), .. } if kept.is(&was) => true,
            // What is kept is a copy of it so far, or the new content, still being written.
            Thing { fact: Some(was), .. } if stands.is_some_and(|now| now.is(&was)) => {
                return Ok(Seen::default());
            }
            Thing { fact: Some(was), .. } => {
                kept.could_be(&was) || (after.is_some() && self.trail.has_told(i))
            }
            Thing { fact: None, .. } => false,
        };
        if !happened {
            // It cannot be told what this is, so nobody may throw it away.
            return Ok(Seen { kept: Some(kept), ..Seen::default() });
        }
        self.tree.set(path, Some(Thing { fact: after, made: Some(i) }));
        let found = Some(kept).filter(|kept| step.before != Some(*kept));
        Ok(Seen { kept: Some(kept), found, ..done(after) })
    }

    /// True when the folder of `path` is not there.
    fn is_nowhere(&self, path: &Path) -> bool {
        let above = path.parent().map(|parent| self.tree.find(parent));
        matches!(above, Some(Found::Here(None) | Found::Below(None, _)))
    }

    fn moves(&mut self, i: usize, src: &Path, dst: &Path, thing: Thing) -> io::Result<Seen> {
        if self.is_nowhere(dst) {
            return Ok(Seen::default());
        }
        let after = self.trail.fate(i, dst, thing)?;
        if after.is_none() {
            // A folder that was removed after its move leaves no trace, except that it is not here.
            let is_dir = thing.fact.is_none_or(|was| was.kind == Kind::Dir);
            let here = self.trail.at(src)?;
            let stayed = here.is_some_and(|here| thing.fact.is_some_and(|was| here.is(&was)));
            if stayed || !is_dir || !self.trail.may_have_gone(i, dst) {
                return Ok(Seen::default());
            }
        }
        self.tree.carry(src, dst, Thing { fact: after.or(thing.fact), ..thing });
        Ok(done(after))
    }

    fn deletes(&mut self, step: &Step, path: &Path, thing: Option<Thing>, kept: &Path) -> io::Result<Seen> {
        let Some(kept) = self.trail.at(kept)? else { return Ok(Seen::default()) };
        let only_copied = match thing {
            Some(Thing { fact: Some(was), made: None }) => {
                !kept.is(&was) && self.trail.at(path)?.is_some_and(|here| here.is(&was))
            }
            Some(thing) => self.trail.is_copy_beside(thing, path, &kept)?,
            None => false,
        };
        if only_copied {
            return Ok(Seen::default());
        }
        self.tree.set(path, None);
        let found = Some(kept).filter(|kept| step.before != Some(*kept));
        Ok(Seen { kept: Some(kept), found, ..done(None) })
    }

    fn removes(&mut self, i: usize, step: &Step, path: &Path, thing: Thing) -> io::Result<Seen> {
        let stands = self.trail.fate(i, path, thing)?;
        if stands.is_some() {
            return Ok(Seen::default());
        }
        self.tree.set(path, None);
        let found = thing.fact.or(Some(PASSING)).filter(|_| step.before.is_none());
        Ok(Seen { found, ..done(None) })
    }
}
