//! What is certain to fail is said before anybody is asked: a yes to it would come to nothing.

use crate::guards::Step;
use metnos_executor::formats;
use metnos_executor::naming::{Facts, Naming, Template};
use metnos_executor::{ErrorClass, Failure};
use metnos_guard::card::{Card, Lang, Warning};
use serde_json::Value;
use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// More things than this are not looked at.
const LOOKED_AT: usize = 1000;
/// What reads fields in the folder that things go to.
const SORTS: [&str; 2] = ["move_files", "write_files"];
/// Of no more than this many is it told where each of them goes.
const NAMED_MAX: usize = 50_000;

impl Step<'_, '_> {
    /// Why nothing at all could come of it, as far as a look at the disk tells.
    pub(super) fn hopeless_now(&self, lang: &Lang) -> Option<Failure> {
        let operands = self.operands();
        if operands.len() > LOOKED_AT {
            return None;
        }
        if self.found.manifest.executor.name.as_str() == "delete_dirs" && !self.descends() {
            let first = all(&operands, |path| !is_empty_dir(path))?;
            let name = first.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let path = first.display().to_string();
            let text = lang.say("not_empty", &[("path", &path), ("name", &name)]);
            return Some(Failure::new(ErrorClass::Conflict, text));
        }
        if let Some(failure) = self.nowhere(lang) {
            return Some(failure);
        }
        let naming = match self.naming()? {
            Ok(naming) => naming,
            Err(failure) => return Some(failure),
        };
        let targets = self.targets(&naming, &operands);
        if let Some((from, _)) = all(&targets, |(from, to)| to != from && to.starts_with(from)) {
            let text = lang.say("into_itself", &[("path", &from.display().to_string())]);
            return Some(Failure::wrong_args(text));
        }
        let first = all(&targets, |(from, to)| from != to && to.symlink_metadata().is_ok())?;
        let text = lang.say("already_there", &[("path", &first.1.display().to_string())]);
        (!naming.gives_numbers()).then(|| Failure::new(ErrorClass::DstExists, text))
    }

    /// Why nothing can be put where it is to go: a file where a folder must be, a field where none is read; or a file
    /// that is to be made and is there.
    fn nowhere(&self, lang: &Lang) -> Option<Failure> {
        let text = |key: &str| self.input.args.get(key).and_then(Value::as_str);
        let say = |what: &str, path: &Path| lang.say(what, &[("path", &path.display().to_string())]);
        let dir = text("dst_dir").map(Path::new);
        let file = ["path", "dst"].into_iter().find_map(text).map(Path::new).filter(|_| self.changes());
        let folder = dir.or_else(|| file.and_then(Path::parent));
        // A field may stand in the way of any name: only what comes before it is known.
        let fixed = folder.map(|dir| dir.ancestors().filter(|at| !at.to_string_lossy().contains('{')));
        let blocked = fixed.and_then(|mut dirs| dirs.find(|at| at.symlink_metadata().is_ok()));
        if let Some(at) = blocked.filter(|at| self.changes() && !at.is_dir()) {
            return Some(Failure::wrong_args(say("not_a_folder", at)));
        }
        let executor = self.found.manifest.executor.name.as_str();
        if let Some(failure) = file.and_then(|file| self.unmade(executor, file)) {
            return Some(failure);
        }
        // What reads no fields would make a folder that is called like one.
        if let Some(dir) = dir.filter(|dir| !SORTS.contains(&executor) && self.changes() && !dir.is_dir())
            && Template::parse(dir.as_os_str().as_bytes()).is_ok_and(|template| template.has_fields())
        {
            return Some(Failure::wrong_args(say("no_template", dir)));
        }
        let creates = text("mode").is_none_or(|mode| mode == "create");
        let made = file.filter(|_| executor == "write_files" && creates && self.manner().is_none());
        let made = made.filter(|file| file.symlink_metadata().is_ok())?;
        Some(Failure::new(ErrorClass::DstExists, say("already_there", made)))
    }

    /// Why no file of that format is made.
    fn unmade(&self, executor: &str, file: &Path) -> Option<Failure> {
        let said = self.input.args.get("format");
        match executor {
            "write_files" => {
                let said = said.and_then(|format| serde_json::from_value(format.clone()).ok());
                match self.input.args.contains_key("content") {
                    true => formats::for_content(file, said).err(),
                    false => formats::for_list(file, said).err(),
                }
            }
            "compress_files" => {
                let said = said.and_then(|format| serde_json::from_value(format.clone()).ok());
                formats::for_archive(file, said).err()
            }
            _ => None,
        }
    }

    fn changes(&self) -> bool {
        self.found.manifest.contract.side_effects
    }

    /// Where things go, by the very rules of the executor; none where nothing is moved or copied.
    fn naming(&self) -> Option<Result<Naming, Failure>> {
        let text = |key: &str| self.input.args.get(key).and_then(Value::as_str);
        let (dir, name) = (text("dst_dir").map(Path::new), text("name_template"));
        let creates = text("mode").is_none_or(|mode| mode == "create");
        match self.found.manifest.executor.name.as_str() {
            "move_files" => Some(Naming::parse(dir, name)),
            "write_files" if creates && self.manner() == Some("copy") => {
                dir.map(|dir| Naming::parse(Some(dir), None))
            }
            _ => None,
        }
    }

    /// What goes where; none where a look at the disk does not tell.
    fn targets(&self, naming: &Naming, operands: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
        if !naming.is_told_by_the_disk() {
            return Vec::new();
        }
        let zone = self.now.time_zone();
        let target = |from: &PathBuf| {
            let meta = from.symlink_metadata().ok()?;
            let nanos = i32::try_from(meta.mtime_nsec()).unwrap_or(0);
            let modified = jiff::Timestamp::new(meta.mtime(), nanos).unwrap_or_default();
            let modified = modified.to_zoned(zone.clone()).datetime();
            let facts = Facts { name: from.file_name()?.as_bytes(), modified, taken: modified, counter: 1 };
            Some((from.clone(), naming.place(from, &facts).ok()?))
        };
        operands.iter().filter_map(target).collect()
    }

    /// Of things that are to be moved, those that lie where they are to go. None where that is all of them.
    pub(super) fn in_place(&self, operands: &[PathBuf]) -> HashSet<PathBuf> {
        let moves = self.found.manifest.executor.name.as_str() == "move_files";
        let Some(Ok(naming)) = self.naming().filter(|_| moves && operands.len() <= NAMED_MAX) else {
            return HashSet::new();
        };
        let targets = self.targets(&naming, operands).into_iter();
        let stay: HashSet<PathBuf> = targets.filter(|(from, to)| from == to).map(|(from, _)| from).collect();
        if stay.len() == operands.len() { HashSet::new() } else { stay }
    }

    /// The names that are taken where things go: there already, or by another of them.
    pub(super) fn taken_names(&self, operands: &[PathBuf]) -> Vec<Warning> {
        let Some(Ok(naming)) = self.naming().filter(|_| operands.len() <= NAMED_MAX) else {
            return Vec::new();
        };
        if !naming.gives_numbers() {
            return Vec::new();
        }
        let mut gone = HashSet::new();
        let taken = |(from, to): &(PathBuf, PathBuf)| {
            let is_first = gone.insert(to.clone());
            from != to && (!is_first || to.symlink_metadata().is_ok())
        };
        let targets = self.targets(&naming, operands);
        let taken: Vec<_> = targets.into_iter().filter(taken).collect();
        let name = |(_, to): &(PathBuf, PathBuf)| Some(to.file_name()?.to_string_lossy().into_owned());
        let names = taken.iter().filter_map(name).take(Card::NAMES_MAX).collect();
        let count = taken.len() as u64;
        (count > 0).then_some(Warning::Taken { count, names }).into_iter().collect()
    }
}

/// A thing in the same folder whose name is much like the one that is not there.
pub(super) fn nearest(missing: &Path) -> Option<PathBuf> {
    let wanted = missing.file_name()?.to_string_lossy().to_lowercase();
    let items = std::fs::read_dir(missing.parent()?).ok()?.take(LOOKED_AT).flatten();
    let near = items.filter_map(|item| {
        let name = item.file_name().to_string_lossy().to_lowercase();
        let far = distance(&wanted, &name);
        let close = far <= wanted.chars().count() / 3;
        let part = wanted.len() >= 3 && (name.contains(&wanted) || wanted.contains(&name) && name.len() >= 3);
        (!name.starts_with('.') && (close || part)).then(|| (far, item.path()))
    });
    near.min().map(|(_, path)| path)
}

/// Letters to change, add or leave out to make one of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(256).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, one) in a.chars().take(256).enumerate() {
        let mut before = std::mem::replace(&mut row[0], i + 1);
        for (j, other) in b.iter().enumerate() {
            let swapped = before + usize::from(one != *other);
            before = row[j + 1];
            row[j + 1] = swapped.min(before + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// The first of them, if there is one and this holds for all.
fn all<T>(things: &[T], holds: impl Fn(&T) -> bool) -> Option<&T> {
    things.first().filter(|_| things.iter().all(holds))
}

/// Whether a folder holds nothing; also what cannot be told counts so.
fn is_empty_dir(path: &Path) -> bool {
    std::fs::read_dir(path).map_or(true, |mut items| items.next().is_none())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn letters_are_counted() {
        assert_eq!((distance("invoces", "invoices"), distance("", "ab"), distance("abc", "abc")), (1, 2, 0));
    }

    #[test]
    fn what_is_called_much_like_it_is_named() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["Invoices", "Music", ".invoces"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        assert_eq!(nearest(&dir.path().join("Invoces")), Some(dir.path().join("Invoices")));
        assert_eq!(nearest(&dir.path().join("Zebra")), None);
    }
}
