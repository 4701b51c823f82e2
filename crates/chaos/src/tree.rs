//! Every byte below a folder, to be compared with what it should be.

use crate::Done;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::{File, FileTimes, Metadata};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Where Metnos keeps what it took away; its content is not part of the person's tree.
const KEPT: &str = ".metnos-undo";

/// One thing in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Thing {
    Dir { mode: u32 },
    File { mode: u32, bytes: Vec<u8>, mtime: (i64, i64) },
    Link { to: PathBuf },
    Other,
}

/// A tree as it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    /// Below `home` and `second`, by path.
    pub(crate) things: BTreeMap<PathBuf, Thing>,
    /// Contents of what is kept for undo.
    pub(crate) kept: BTreeSet<Vec<u8>>,
}

impl Tree {
    /// Looks at both roots.
    pub(crate) fn of(home: &Path, second: &Path) -> Done<Self> {
        let mut tree = Self::default();
        for (name, root) in [("home", home), ("second", second)] {
            tree.walk(root, Path::new(name), false).map_err(|e| format!("{}: {e}", root.display()))?;
        }
        Ok(tree)
    }

    fn walk(&mut self, dir: &Path, name: &Path, kept: bool) -> std::io::Result<()> {
        for item in std::fs::read_dir(dir)? {
            let item = item?;
            let (path, name) = (item.path(), name.join(item.file_name()));
            let meta = path.symlink_metadata()?;
            let inside = kept || item.file_name() == KEPT;
            let thing = thing(&path, &meta)?;
            let is_dir = matches!(thing, Thing::Dir { .. });
            match thing {
                Thing::File { bytes, .. } if inside => drop(self.kept.insert(bytes)),
                Thing::Link { to } if inside => drop(self.kept.insert(link_content(&to))),
                _ if inside => {}
                thing => drop(self.things.insert(name.clone(), thing)),
            }
            if is_dir {
                self.walk(&path, &name, inside)?;
            }
        }
        Ok(())
    }

    /// Every content in the tree.
    pub(crate) fn contents(&self) -> BTreeMap<Vec<u8>, &Path> {
        let mut contents = BTreeMap::new();
        for (path, thing) in &self.things {
            match thing {
                Thing::File { bytes, .. } => drop(contents.insert(bytes.clone(), path.as_path())),
                Thing::Link { to } => drop(contents.insert(link_content(to), path.as_path())),
                _ => {}
            }
        }
        contents
    }

    /// Names that only a staging file has.
    pub(crate) fn strangers(&self) -> Vec<String> {
        let odd = |path: &&PathBuf| {
            path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with(".metnos-"))
        };
        self.things.keys().filter(odd).map(|path| path.display().to_string()).collect()
    }

    /// What differs, path by path; file dates count only when `dated`.
    pub(crate) fn differs(&self, should: &Self, dated: bool) -> Vec<String> {
        let mut found = Vec::new();
        for path in self.things.keys().chain(should.things.keys()).collect::<BTreeSet<_>>() {
            let (is, was) = (self.things.get(path), should.things.get(path));
            if !same(is, was, dated) {
                found.push(format!("{}: {} instead of {}", path.display(), told(is), told(was)));
            }
        }
        found
    }
}

/// A link has no bytes; its target stands for them.
fn link_content(to: &Path) -> Vec<u8> {
    [b"link to ", to.as_os_str().as_encoded_bytes()].concat()
}

fn same(a: Option<&Thing>, b: Option<&Thing>, dated: bool) -> bool {
    match (a, b) {
        (
            Some(Thing::File { mode: a, bytes: of_a, mtime: at_a }),
            Some(Thing::File { mode: b, bytes: of_b, mtime: at_b }),
        ) => a == b && of_a == of_b && (!dated || at_a == at_b),
        (a, b) => a == b,
    }
}

fn told(thing: Option<&Thing>) -> String {
    match thing {
        None => "nothing".into(),
        Some(Thing::Dir { mode }) => format!("a folder {mode:o}"),
        Some(Thing::File { mode, bytes, mtime }) => {
            format!("a file of {} bytes, {mode:o}, {}.{:09}", bytes.len(), mtime.0, mtime.1)
        }
        Some(Thing::Link { to }) => format!("a link to {}", to.display()),
        Some(Thing::Other) => "something else".into(),
    }
}

fn thing(path: &Path, meta: &Metadata) -> std::io::Result<Thing> {
    let mode = meta.mode() & 0o7777;
    Ok(match meta.file_type() {
        kind if kind.is_dir() => Thing::Dir { mode },
        kind if kind.is_symlink() => Thing::Link { to: std::fs::read_link(path)? },
        kind if kind.is_file() => {
            Thing::File { mode, bytes: std::fs::read(path)?, mtime: (meta.mtime(), meta.mtime_nsec()) }
        }
        _ => Thing::Other,
    })
}

/// Larger files are programs, which nothing writes to: one of them serves all copies.
const LARGE: u64 = 500_000;

/// Makes `to` equal to `from`: names, bytes, modes and dates.
pub(crate) fn copy(from: &Path, to: &Path) -> Done {
    copy_inner(from, to).map_err(|e| format!("copy {} to {}: {e}", from.display(), to.display()))
}

fn copy_inner(from: &Path, to: &Path) -> std::io::Result<()> {
    let meta = from.symlink_metadata()?;
    if meta.is_symlink() {
        return symlink(std::fs::read_link(from)?, to);
    }
    if meta.is_dir() {
        std::fs::create_dir_all(to)?;
        for item in std::fs::read_dir(from)? {
            let item = item?;
            copy_inner(&item.path(), &to.join(item.file_name()))?;
        }
    } else if meta.len() > LARGE && std::fs::hard_link(from, to).is_ok() {
        return Ok(());
    } else {
        std::fs::copy(from, to)?;
    }
    std::fs::set_permissions(to, std::fs::Permissions::from_mode(meta.mode() & 0o7777))?;
    let times = FileTimes::new().set_modified(meta.modified()?).set_accessed(meta.accessed()?);
    File::open(to)?.set_times(times)
}

/// Empties a folder that may be a mount, and may hold one, which stays.
pub(crate) fn empty(dir: &Path) -> Done {
    let inner = || -> std::io::Result<()> {
        for item in std::fs::read_dir(dir)? {
            let item = item?;
            match item.file_type()?.is_dir() {
                true => match std::fs::remove_dir_all(item.path()) {
                    Err(e) if e.kind() == std::io::ErrorKind::ResourceBusy => {}
                    removed => removed?,
                },
                false => std::fs::remove_file(item.path())?,
            }
        }
        Ok(())
    };
    inner().map_err(|e| format!("empty {}: {e}", dir.display()))
}
