//! Where the folder of a call stands tells how far it is. A start looks at those that are not over and
//! at no others, so its cost does not grow with what was ever done; and a record that went missing is
//! noticed, because its folder stands where it must have been.

use crate::{Error, Result};
use metnos_memory::durable;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// How far a call is. A folder only ever goes on, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shelf {
    /// At work, or cut by a crash.
    Open,
    /// Over.
    Done,
    /// Being undone.
    Undoing,
    /// Undone.
    Undone,
    /// Let go of.
    Freed,
}

impl Shelf {
    /// In the order in which a folder goes through them: who looks in this order misses none.
    pub(crate) const ALL: [Self; 5] = [Self::Open, Self::Done, Self::Undoing, Self::Undone, Self::Freed];

    const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Done => "done",
            Self::Undoing => "undoing",
            Self::Undone => "undone",
            Self::Freed => "freed",
        }
    }
}

/// Says that everything stands on a shelf.
const LAYOUT: &str = "layout";

/// The folders of all calls.
#[derive(Clone, Debug)]
pub(crate) struct Shelves {
    dir: PathBuf,
}

impl Shelves {
    /// The shelves in `dir`, which are made. Folders that stand beside them, as they once did, are put
    /// where `belongs` says.
    pub(crate) fn open(dir: &Path, belongs: impl Fn(&Path) -> Shelf) -> Result<Self> {
        let shelves = Self { dir: dir.to_owned() };
        if !dir.join(LAYOUT).exists() {
            shelves.move_in(belongs)?;
        }
        Ok(shelves)
    }

    /// Repeats itself after a crash: the layout is said last.
    fn move_in(&self, belongs: impl Fn(&Path) -> Shelf) -> Result<()> {
        durable::create_dir(&self.dir)?;
        // A call may have had the name of a shelf.
        let is_call = |path: &Path| path.join("lock").is_file();
        for shelf in Shelf::ALL {
            let path = self.shelf(shelf);
            if is_call(&path) {
                rename(&path, &self.dir.join(format!(".{}", shelf.name())))?;
            }
            durable::create_dir(&path)?;
        }
        for item in std::fs::read_dir(&self.dir).map_err(Error::io("read", &self.dir))? {
            let item = item.map_err(Error::io("read", &self.dir))?;
            let name = item.file_name();
            let Some(id) = name.to_str().map(|name| name.trim_start_matches('.')) else { continue };
            if is_call_id(id) && is_call(&item.path()) {
                rename(&item.path(), &self.shelf(belongs(&item.path())).join(id))?;
            }
        }
        for shelf in Shelf::ALL {
            durable::sync_dir(&self.shelf(shelf))?;
        }
        durable::sync_dir(&self.dir)?;
        Ok(durable::write(&self.dir, LAYOUT, |out| out.write_all(b"2\n"))?)
    }

    /// Where all of them are.
    pub(crate) fn dir(&self) -> &Path {
        &self.dir
    }

    fn shelf(&self, shelf: Shelf) -> PathBuf {
        self.dir.join(shelf.name())
    }

    /// Where the folder of a call is on a shelf.
    pub(crate) fn place(&self, shelf: Shelf, call_id: &str) -> Result<PathBuf> {
        match is_call_id(call_id) {
            true => Ok(self.shelf(shelf).join(call_id)),
            false => Err(Error::BadCallId(call_id.chars().take(80).collect())),
        }
    }

    /// The folder of a call that there is, and its shelf.
    pub(crate) fn find(&self, call_id: &str) -> Result<Option<(Shelf, PathBuf)>> {
        for shelf in Shelf::ALL {
            let path = self.place(shelf, call_id)?;
            if path.is_dir() {
                return Ok(Some((shelf, path)));
            }
        }
        Ok(None)
    }

    /// The calls on a shelf.
    pub(crate) fn names(&self, shelf: Shelf) -> Result<Vec<String>> {
        let dir = self.shelf(shelf);
        let mut names = Vec::new();
        for item in std::fs::read_dir(&dir).map_err(Error::io("read", &dir))? {
            let name = item.map_err(Error::io("read", &dir))?.file_name();
            names.extend(name.to_str().filter(|name| is_call_id(name)).map(str::to_owned));
        }
        Ok(names)
    }

    /// Makes the folder of a call that begins. It is seen once `hold` has taken hold of it: whoever looks for calls
    /// that were cut finds none that has only begun.
    pub(crate) fn begin<T>(
        &self,
        call_id: &str,
        hold: impl FnOnce(&Path) -> Result<T>,
    ) -> Result<(PathBuf, T)> {
        let path = self.place(Shelf::Open, call_id)?;
        let unseen = self.shelf(Shelf::Open).join(format!("{UNSEEN}{call_id}"));
        durable::create_dir(&unseen)?;
        let held = hold(&unseen)?;
        rename(&unseen, &path)?;
        durable::sync_dir(&self.shelf(Shelf::Open))?;
        Ok((path, held))
    }

    /// Puts a folder where nobody sees it any more.
    pub(crate) fn hide(&self, call_id: &str, dir: &Path) -> Result<PathBuf> {
        let unseen = self.shelf(Shelf::Open).join(format!("{UNSEEN}{call_id}"));
        rename(dir, &unseen)?;
        Ok(unseen)
    }

    /// Folders of calls that may have died before they were seen, or after.
    pub(crate) fn unseen(&self) -> Result<Vec<PathBuf>> {
        let dir = self.shelf(Shelf::Open);
        let items = std::fs::read_dir(&dir).map_err(Error::io("read", &dir))?.flatten();
        let is_one = |name: &str| name.strip_prefix(UNSEEN).is_some_and(is_call_id);
        Ok(items
            .filter(|item| item.file_name().to_str().is_some_and(is_one))
            .map(|item| item.path())
            .collect())
    }

    /// Puts a folder further on. Whoever finds that somebody else did so already is content.
    pub(crate) fn put(&self, call_id: &str, from: Shelf, to: Shelf) -> Result<PathBuf> {
        let (old, new) = (self.place(from, call_id)?, self.place(to, call_id)?);
        match std::fs::rename(&old, &new) {
            Ok(()) => Ok(new),
            Err(e) if e.kind() == ErrorKind::NotFound && new.is_dir() => Ok(new),
            Err(e) => Err(Error::io("move", &old)(e)),
        }
    }

    /// Waits until it is on disk that a folder went from one shelf to another.
    pub(crate) fn sync(&self, from: Shelf, to: Shelf) -> Result<()> {
        // Where it appeared first.
        durable::sync_dir(&self.shelf(to))?;
        Ok(durable::sync_dir(&self.shelf(from))?)
    }
}

/// How the name of a folder begins that nobody holds yet.
const UNSEEN: &str = ".";

fn rename(from: &Path, to: &Path) -> Result<()> {
    std::fs::rename(from, to).map_err(Error::io("move", from))
}

/// A call id names a folder, so it holds nothing but letters, digits, `-` and `_`.
fn is_call_id(text: &str) -> bool {
    (1..=80).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}
