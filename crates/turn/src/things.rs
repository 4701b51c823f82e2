//! What a step was about, in words: by the kind of what was done, not by the name of what did it.

use crate::Got;
use crate::ending::Messages;
use metnos_engine::Step;
use metnos_vocab::ExecutorName;
use serde_json::Value;
use std::collections::BTreeMap;

/// The word for what is read from a table: its rows, not its files.
pub(crate) fn rows(name: &ExecutorName) -> Option<&'static str> {
    let reads = name.verb().is_some_and(|verb| verb.as_str() == "read");
    let table = name.qualifier().is_some_and(|kind| matches!(kind.as_str(), "csv" | "xlsx"));
    (reads && table).then_some("rows")
}

/// The verb for a step whose executor does more than one thing.
pub(crate) fn manner(step: &Step) -> Option<&'static str> {
    let has = |name: &str| step.args.contains_key(name);
    match step.tool.as_str() {
        "write_files" if step.args.get("mode") == Some(&"append".into()) => Some("append"),
        "write_files" if has("dst_dir") && !has("content") && !has("format") => Some("copy"),
        "move_files" if has("name_template") && !has("dst_dir") => Some("rename"),
        _ => None,
    }
}

/// Whether an executor is one of files.
pub(crate) fn is_of_files(name: &ExecutorName) -> bool {
    name.object().is_some_and(|object| object.as_str() == "files")
}

/// Folders among what an executor of files did.
#[derive(Clone, Copy)]
pub(crate) struct Folders {
    count: u64,
    /// How many files are in them, where that was counted.
    inside: Option<u64>,
}

impl Folders {
    /// Those that a step tells of.
    pub(crate) fn among(got: &Got) -> Option<Self> {
        let number = |key: &str| got.fields.get(key).and_then(Value::as_u64);
        number("folders")
            .filter(|count| *count > 0)
            .map(|count| Self { count, inside: number("files_inside") })
    }

    /// Of `all` things, how many are named first, and what they and the others are called.
    pub(crate) fn told(
        self,
        messages: &Messages,
        language: &str,
        nouns: &BTreeMap<String, [String; 2]>,
        all: u64,
    ) -> (u64, String) {
        let noun = |key: &str, count: u64| {
            nouns.get(key).map_or_else(String::new, |nouns| nouns[usize::from(count != 1)].clone())
        };
        let mut folders = noun("dirs", self.count);
        if let Some(inside) = self.inside {
            let files = noun("files", inside);
            let values = [("things", folders.as_str()), ("count", &inside.to_string()), ("files", &files)];
            folders = messages.say(language, "folders_hold", &values);
        }
        match all.saturating_sub(self.count) {
            0 => (self.count, folders),
            files => {
                let things = noun("files", files);
                let values =
                    [("things", things.as_str()), ("count", &self.count.to_string()), ("folders", &folders)];
                (files, messages.say(language, "and_folders", &values))
            }
        }
    }
}
