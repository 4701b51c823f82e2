//! Which languages come along is which folders there are: each with its files, by their path inside the folder.
#![allow(clippy::unwrap_used, reason = "a build that cannot read its data must stop")]

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Lists of words that become an automaton elsewhere.
const LISTS: &str = "common.txt";

fn main() {
    let data = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("../language/data");
    let data = data.canonicalize().unwrap();
    let mut source = String::from("&[\n");
    for folder in sorted(&data) {
        let code = folder.file_name().unwrap().to_string_lossy().into_owned();
        writeln!(source, "    ({code:?}, &[").unwrap();
        files(&folder, &folder, &mut source);
        source.push_str("    ]),\n");
    }
    source.push(']');
    let out = PathBuf::from(std::env::var("OUT_DIR").unwrap());
    std::fs::write(out.join("shipped.rs"), source).unwrap();
}

fn files(root: &Path, folder: &Path, source: &mut String) {
    println!("cargo::rerun-if-changed={}", folder.display());
    for path in sorted(folder) {
        if path.is_dir() {
            files(root, &path, source);
        } else if !path.ends_with(LISTS) {
            println!("cargo::rerun-if-changed={}", path.display());
            let name = path.strip_prefix(root).unwrap().display().to_string();
            writeln!(source, "        ({name:?}, include_str!({:?})),", path.display().to_string()).unwrap();
        }
    }
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut items: Vec<_> = std::fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect();
    items.sort();
    items
}
