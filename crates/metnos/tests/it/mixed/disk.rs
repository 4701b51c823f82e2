//! The files: made for the requests, looked at, and worked out from the journal.

use super::rows::{Random, Row};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// What stands at a path.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Thing {
    Dir,
    /// Size and time of modification.
    File(u64, (i64, u32)),
}

pub(super) type Tree = BTreeMap<PathBuf, Thing>;

/// Makes below `home` what the plans speak of: each folder with files of many kinds, each named file.
pub(super) fn furnish(home: &Path, rows: &[Row]) {
    let mut random = Random(11);
    let mut said = BTreeSet::new();
    for step in rows.iter().flat_map(|row| &row.steps) {
        for key in ["base_path", "paths", "path"] {
            match &step["args"][key] {
                Value::String(one) => said.extend([one.clone()]),
                Value::Array(many) => said.extend(many.iter().filter_map(Value::as_str).map(str::to_owned)),
                _ => {}
            }
        }
    }
    // A destination of `write_files` is not there yet; what is read is.
    for path in
        said.iter().filter_map(|path| path.strip_prefix("~/")).filter(|path| !path.contains(['*', '{']))
    {
        let path = home.join(path);
        match path.extension() {
            Some(_) => file(&path, &mut random),
            None => {
                for name in ["report.pdf", "notes.txt", "photo.jpg", "song.mp3", "table.csv", "setup.exe"] {
                    file(&path.join(name), &mut random);
                }
            }
        }
    }
}

fn file(path: &Path, random: &mut Random) {
    if std::fs::create_dir_all(path.parent().unwrap()).is_err() || path.is_dir() {
        return;
    }
    let text = match path.extension().and_then(|ext| ext.to_str()) {
        Some("csv") => "name,category,amount\nrent,home,700\nbread,food,3\nmilk,food,2\n".to_owned(),
        _ => format!("{} {}\n", path.display(), "word ".repeat(random.below(400))),
    };
    std::fs::write(path, text).unwrap();
    let age = Duration::from_secs(random.below(700 * 86_400) as u64);
    let now = std::time::SystemTime::now();
    std::fs::File::options().write(true).open(path).unwrap().set_modified(now - age).unwrap();
}

/// What is below `root`, without what is kept for undo.
pub(super) fn tree(root: &Path) -> Tree {
    let mut found = Tree::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let (path, about) = (entry.path(), entry.metadata().unwrap());
            if entry.file_name() == ".metnos-undo" {
                continue;
            }
            if about.is_dir() {
                found.insert(path.clone(), Thing::Dir);
                folders.push(path);
            } else {
                let since = about.modified().unwrap().duration_since(UNIX_EPOCH).unwrap();
                found.insert(path, Thing::File(about.len(), (since.as_secs() as i64, since.subsec_nanos())));
            }
        }
    }
    found
}

/// A call of the journal: its operations and what became of each.
pub(super) struct Record {
    pub(super) call: String,
    /// `done`, `undone`, …
    pub(super) shelf: String,
    pub(super) intents: Vec<String>,
    pub(super) ops: Vec<(Value, Value)>,
    pub(super) rolled_back: bool,
    /// The operations that an undo left, if there was one.
    left: Option<Vec<usize>>,
}

/// All records of the journal.
pub(super) fn journal(state: &Path) -> Vec<Record> {
    let mut records = Vec::new();
    for shelf in ["open", "done", "undoing", "undone", "freed"] {
        for entry in std::fs::read_dir(state.join("journal").join(shelf)).unwrap() {
            let folder = entry.unwrap().path();
            records.extend(record(shelf, &folder));
        }
    }
    records
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn record(shelf: &str, folder: &Path) -> Option<Record> {
    let mut steps = Vec::new();
    let mut head = Value::Null;
    for number in 1.. {
        let intent = lines(&folder.join(format!("{number}.jsonl")));
        let [first, middle @ .., _end] = intent.as_slice() else { break };
        head = first.clone();
        steps.extend(middle.iter().cloned());
    }
    let closed = lines(&folder.join("closed.jsonl"));
    let first = closed.first()?;
    let seen = closed[1..closed.len() - 1].iter().cloned();
    let left = undone(folder);
    Some(Record {
        call: head["call_id"].as_str()?.to_owned(),
        shelf: shelf.to_owned(),
        intents: first["intents"].as_array()?.iter().map(|d| d.as_str().unwrap().to_owned()).collect(),
        rolled_back: first["rolled_back"] == true,
        ops: steps.into_iter().zip(seen).collect(),
        left,
    })
}

fn undone(folder: &Path) -> Option<Vec<usize>> {
    let said = lines(&folder.join("undone.json"));
    let said = said.first()?;
    let left = said["left"].as_array().cloned().unwrap_or_default();
    Some(left.iter().map(|n| n.as_u64().unwrap() as usize).collect())
}

impl Record {
    /// The operations that still hold.
    pub(super) fn standing(&self) -> impl Iterator<Item = (&Value, &Value)> {
        let holds = move |i: usize| match &self.left {
            Some(left) => left.contains(&i),
            None => !self.rolled_back,
        };
        let performed =
            self.ops.iter().enumerate().filter(move |(i, (_, seen))| holds(*i) && seen["performed"] == true);
        performed.map(|(_, (op, seen))| (op, seen))
    }

    /// The paths that were moved, copied or deleted: what the card counts.
    pub(super) fn sources(&self) -> Vec<PathBuf> {
        let of = |op: &Value| match op["op"].as_str().unwrap() {
            "move" | "copy" => Some(PathBuf::from(op["src"].as_str()?)),
            "delete" => Some(PathBuf::from(op["path"].as_str()?)),
            _ => None,
        };
        self.ops.iter().filter_map(|(op, _)| of(op)).collect()
    }

    /// What a tree is after it.
    pub(super) fn apply(&self, tree: &mut Tree) {
        for (op, seen) in self.standing() {
            let path = |key: &str| PathBuf::from(op[key].as_str().unwrap());
            match op["op"].as_str().unwrap() {
                "make_dir" => drop(tree.insert(path("path"), Thing::Dir)),
                "move" => rename(tree, &path("src"), &path("dst")),
                "copy" | "write" => drop(tree.insert(path("dst"), thing(&seen["after"]))),
                "delete" | "remove_dir" => drop(tree.remove(&path("path"))),
                other => panic!("an operation this check does not know: {other}"),
            }
        }
    }
}

fn thing(fact: &Value) -> Thing {
    match fact["kind"].as_str().unwrap() {
        "dir" => Thing::Dir,
        _ => Thing::File(
            fact["size"].as_u64().unwrap(),
            (fact["mtime"][0].as_i64().unwrap(), fact["mtime"][1].as_u64().unwrap() as u32),
        ),
    }
}

/// A folder takes everything below it along.
fn rename(tree: &mut Tree, src: &Path, dst: &Path) {
    let moved: Vec<PathBuf> = tree.keys().filter(|path| path.starts_with(src)).cloned().collect();
    for path in moved {
        let what = tree.remove(&path).unwrap();
        let rest = path.strip_prefix(src).unwrap();
        let to = if rest.as_os_str().is_empty() { dst.to_path_buf() } else { dst.join(rest) };
        tree.insert(to, what);
    }
}
