//! What stands where each operation of an intent will act, when its turn comes: an operation may act
//! on what an earlier one moves there, makes or takes away.

use crate::overlay::{Found, Overlay};
use crate::record::Step;
use crate::{Error, Result};
use metnos_executor::Op;
use metnos_hands::{Eyes, Fact};
use std::path::{Path, PathBuf};

/// Where the thing is that will stand at some path.
#[derive(Clone, Debug)]
enum Whence {
    /// At this path, now.
    From(PathBuf),
    /// Nowhere yet.
    Made,
}

/// The operations of one intent, in order.
#[derive(Default)]
pub(crate) struct Notes {
    tree: Overlay<Whence>,
    eyes: Eyes,
}

impl Notes {
    /// The operation with what it will find, and the tree as it leaves it.
    pub(crate) fn note(&mut self, op: Op, at: usize, allowed: &dyn Fn(&Path) -> bool) -> Result<Step> {
        let may = |path: &Path| match allowed(path) {
            true => Ok(()),
            false => Err(Error::Outside { at, path: path.to_owned() }),
        };
        let (before, there) = match &op {
            Op::MakeDir { path } | Op::Write { dst: path, .. } | Op::Link { dst: path, .. } => {
                may(&path.0)?;
                let before = self.look(&path.0)?;
                if before.is_none() {
                    self.tree.set(&path.0, Some(Whence::Made));
                }
                (before, None)
            }
            Op::Delete { path } | Op::RemoveDir { path } => {
                may(&path.0)?;
                let before = self.look(&path.0)?;
                self.tree.set(&path.0, None);
                (before, None)
            }
            Op::Move { src, dst } => {
                may(&src.0)?;
                may(&dst.0)?;
                let (before, there) = (self.look(&src.0)?, self.look(&dst.0)?);
                if let (None, Some(thing)) = (there, self.whence(&src.0)) {
                    self.tree.carry(&src.0, &dst.0, thing);
                }
                (before, there)
            }
            // A copy only reads its source.
            Op::Copy { src, dst } => {
                may(&dst.0)?;
                let (before, there) = (self.look(&src.0)?, self.look(&dst.0)?);
                if there.is_none() {
                    self.tree.set(&dst.0, Some(Whence::Made));
                }
                (before, there)
            }
        };
        Ok(Step { op, before, there, foreseen: None })
    }

    fn whence(&self, path: &Path) -> Option<Whence> {
        match self.tree.find(path) {
            Found::Here(thing) => thing.cloned(),
            Found::Below(Some(Whence::From(above)), rest) => Some(Whence::From(above.join(rest))),
            Found::Below(..) => None,
            Found::Untouched => Some(Whence::From(path.to_owned())),
        }
    }

    fn look(&mut self, path: &Path) -> Result<Option<Fact>> {
        match self.whence(path) {
            Some(Whence::From(now)) => self.eyes.at(&now).map_err(Error::io("look at", &now)),
            Some(Whence::Made) | None => Ok(None),
        }
    }
}
