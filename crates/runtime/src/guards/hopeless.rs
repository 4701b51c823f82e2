//! What is certain to fail is said before anybody is asked: a yes to it would come to nothing.

use crate::guards::Step;
use metnos_executor::{ErrorClass, Failure};
use metnos_guard::card::Lang;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// More things than this are not looked at.
const LOOKED_AT: usize = 1000;

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
        let targets = self.targets(&operands);
        let first = all(&targets, |(from, to)| from.as_ref() != Some(to) && to.symlink_metadata().is_ok())?;
        let text = lang.say("already_there", &[("path", &first.1.display().to_string())]);
        Some(Failure::new(ErrorClass::DstExists, text))
    }

    /// What would be made anew, and from what; none where that is not known before or may be replaced.
    fn targets(&self, operands: &[PathBuf]) -> Vec<(Option<PathBuf>, PathBuf)> {
        let text = |key: &str| self.input.args.get(key).and_then(Value::as_str);
        // What holds a field has many names.
        let plain = |value: Option<&str>| value.is_none_or(|value| !value.contains('{'));
        let (dir, name) = (text("dst_dir"), text("name_template"));
        let creates = text("mode").is_none_or(|mode| mode == "create");
        let executor = self.found.manifest.executor.name.as_str();
        match executor {
            "write_files" if creates && self.manner().is_none() => {
                text("path").map(|path| (None, PathBuf::from(path))).into_iter().collect()
            }
            "write_files" | "move_files" if creates && plain(dir) && plain(name) => operands
                .iter()
                .filter_map(|from| Some((Some(from.clone()), goes(from, dir, name)?)))
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// Where one thing goes.
fn goes(from: &Path, dir: Option<&str>, name: Option<&str>) -> Option<PathBuf> {
    let dir = dir.map_or_else(|| from.parent().map(Path::to_path_buf), |dir| Some(PathBuf::from(dir)))?;
    Some(dir.join(name.map_or_else(|| from.file_name(), |name| Some(name.as_ref()))?))
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
    use super::*;

    #[test]
    fn a_thing_keeps_its_name_or_its_folder() {
        let from = Path::new("/home/u/a.pdf");
        assert_eq!(goes(from, Some("/home/u/Archive"), None), Some("/home/u/Archive/a.pdf".into()));
        assert_eq!(goes(from, None, Some("b.pdf")), Some("/home/u/b.pdf".into()));
    }
}
