//! What a card says of a step beyond its executor: what an executor does by its arguments, and what it is about.

use crate::guards::Step;
use crate::text::bounded;
use metnos_guard::card::Card;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Things whose kind is looked at, at most.
const LOOKED_AT: usize = 64;
/// Letters of a text that are shown, and kept with the question.
const CONTENT_SHOWN: usize = 80;

impl Step<'_, '_> {
    /// The verb for it, where the executor does more than one thing.
    pub(super) fn manner(&self) -> Option<&'static str> {
        let has = |name: &str| self.input.args.contains_key(name);
        match self.found.manifest.executor.name.as_str() {
            "write_files" if self.text_of("mode") == Some("append") => Some("append"),
            "write_files" if has("dst_dir") && !has("content") && !has("format") => Some("copy"),
            "move_files" if has("name_template") && !has("dst_dir") => Some("rename"),
            _ => None,
        }
    }

    /// The word for the things, where they are folders and the name of the executor says files.
    pub(super) fn things(&self, operands: &[PathBuf]) -> Option<&'static str> {
        let all_folders = !operands.is_empty() && operands.len() <= LOOKED_AT;
        (all_folders && operands.iter().all(|path| path.is_dir() && !path.is_symlink())).then_some("dirs")
    }

    /// How many things: a text goes into one file.
    pub(super) fn counted(&self) -> Option<u64> {
        let into_one = self.input.args.contains_key("content") && self.input.args.contains_key("path");
        if into_one { Some(1) } else { Some(self.items()).filter(|n| *n > 0) }
    }

    /// The one thing it is about: a name, or the text that is written.
    pub(super) fn subject(&self, operands: &[PathBuf]) -> Option<String> {
        match operands {
            [one] => one.file_name().map(|name| name.to_string_lossy().into_owned()),
            _ => self.text_of("content").map(|text| bounded(text, CONTENT_SHOWN)),
        }
    }

    /// Where it goes: a folder, a file, a new name.
    pub(super) fn destination(&self) -> Option<String> {
        let place = ["dst_dir", "dst", "path"].into_iter().find_map(|key| self.text_of(key));
        match (place, self.text_of("name_template")) {
            (Some(place), Some(name)) => Some(format!("{place}/{name}")),
            (place, name) => place.or(name).map(str::to_owned),
        }
    }

    fn text_of(&self, key: &str) -> Option<&str> {
        self.input.args.get(key).and_then(Value::as_str)
    }
}

/// The first of several, as people call them; from where all of them lie when they lie in several folders.
pub(super) fn names(operands: &[PathBuf], common: Option<&Path>) -> Vec<String> {
    let several = operands.iter().any(|path| path.parent() != common);
    let name = |path: &PathBuf| {
        let below =
            common.filter(|_| several).and_then(|dir| path.strip_prefix(dir).ok()).map(Path::as_os_str);
        below.or_else(|| path.file_name()).map(|name| name.to_string_lossy().into_owned())
    };
    match operands {
        [] | [_] => Vec::new(),
        several => several.iter().filter_map(name).take(Card::NAMES_MAX).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_in_several_folders_is_named_with_its_folder() {
        let paths = ["/home/u/A/x.pdf", "/home/u/B/x.pdf"].map(PathBuf::from);
        assert_eq!(names(&paths, Some(Path::new("/home/u"))), ["A/x.pdf", "B/x.pdf"]);
        let paths = ["/home/u/x.pdf", "/home/u/y.pdf"].map(PathBuf::from);
        assert_eq!(names(&paths, Some(Path::new("/home/u"))), ["x.pdf", "y.pdf"]);
        assert_eq!(names(&paths[..1], None), Vec::<String>::new());
    }
}
