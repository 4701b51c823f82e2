//! Folders held open through a batch: ten thousand files mostly lie in one.

use crate::place::{FOLDER, Place};
use metnos_executor::Failure;
use rustix::fs::Mode;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::rc::Rc;

/// How many are held: a move has two, and what it takes away a third.
const HELD: usize = 4;

/// Folders that stay where they are while files come and go in them.
#[derive(Debug, Default)]
pub(crate) struct Folders(Vec<(OsString, Rc<OwnedFd>)>);

impl Folders {
    /// The place `path` names, in a folder opened once.
    pub(crate) fn place<'p>(&mut self, path: &'p Path) -> Result<Place<'p>, Failure> {
        Place::opened(path, |parent| {
            if let Some((_, dir)) = self.0.iter().find(|(known, _)| known == parent.as_os_str()) {
                return Ok(Rc::clone(dir));
            }
            let dir = Rc::new(rustix::fs::open(parent, FOLDER, Mode::empty())?);
            if self.0.len() == HELD {
                self.0.remove(0);
            }
            self.0.push((parent.as_os_str().to_owned(), Rc::clone(&dir)));
            Ok(dir)
        })
    }

    /// A folder came, went or moved: what was known by its path may be elsewhere.
    pub(crate) fn forget(&mut self) {
        self.0.clear();
    }
}
