#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
//! What the changers promise, driven through their entry points on real files.

mod hostile_archives;
mod moving;
mod packing;
mod removing;
mod writing;

use crate::testing::Ran;
use metnos_executor::ErrorClass;
use serde_json::{Value, json};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A scratch folder.
struct Dir(tempfile::TempDir);

impl Dir {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn odd(&self, name: &[u8]) -> PathBuf {
        self.0.path().join(OsStr::from_bytes(name))
    }

    /// Makes a file with the folders it needs.
    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    fn dir(&self, name: &str) -> PathBuf {
        let path = self.at(name);
        fs::create_dir_all(&path).unwrap();
        path
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap()
    }

    fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.at(name)).is_ok()
    }

    fn names(&self, name: &str) -> Vec<String> {
        let list = fs::read_dir(self.at(name)).unwrap();
        let mut names: Vec<_> = list.map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

/// A path as an argument carries it.
fn arg(path: &Path) -> Value {
    serde_json::to_value(metnos_executor::BytePath(path.to_path_buf())).unwrap()
}

/// A path as an entry carries it.
fn entry(path: &Path, origin: &str) -> Value {
    let mut entry = json!({ "path": path.to_string_lossy(), "_origin": origin });
    if path.to_str().is_none() {
        entry["path_b64"] = json!(metnos_executor::path::encode(path));
    }
    entry
}

fn run(name: &str, args: Value) -> Ran {
    let ran = crate::testing::run(name, args);
    assert_eq!(ran.outcome.ok_count, ran.items.len() as u64, "every success is a result, and no more");
    assert!(ran.items.iter().all(|item| item["ok"] == true));
    ran
}

fn classes(ran: &Ran) -> Vec<ErrorClass> {
    ran.outcome.failed.iter().map(|f| f.error_class).collect()
}

fn whole(ran: &Ran) -> Option<ErrorClass> {
    ran.outcome.error.as_ref().map(|e| e.class)
}

#[test]
fn a_call_without_anything_to_work_on_is_refused_and_an_empty_list_is_not() {
    let dir = Dir::new();
    let (dst, to) = (arg(&dir.at("a.zip")), arg(dir.0.path()));
    for name in
        ["move_files", "delete_files", "create_dirs", "delete_dirs", "compress_files", "extract_files"]
    {
        let mut args = json!({});
        if name == "compress_files" {
            args["dst"] = dst.clone();
        }
        if name == "move_files" {
            args["dst_dir"] = to.clone();
        }
        assert_eq!(whole(&run(name, args.clone())), Some(ErrorClass::WrongArgs), "{name}");
        for list in ["paths", "entries"] {
            args[list] = json!([]);
            let ran = run(name, args.clone());
            assert!(ran.outcome.ok && ran.items.is_empty() && ran.intents.is_empty(), "{name} {list}");
            args.as_object_mut().unwrap().remove(list);
        }
        args["entries"] = json!([{ "name": "no path" }]);
        assert_eq!(classes(&run(name, args)), [ErrorClass::WrongArgs], "{name}");
    }
    assert!(dir.names("").is_empty());
}

#[test]
fn paths_that_wander_are_refused_by_every_changer() {
    let dir = Dir::new();
    dir.file("a/x", "x");
    let sly = format!("{}/b/../a/x", dir.0.path().display());
    dir.dir("b");
    assert_eq!(classes(&run("delete_files", json!({ "paths": [sly] }))), [ErrorClass::WrongArgs]);
    let moved = run("move_files", json!({ "paths": [sly], "dst_dir": arg(&dir.at("b")) }));
    assert_eq!(classes(&moved), [ErrorClass::WrongArgs]);
    assert_eq!(dir.text("a/x"), "x");
}
