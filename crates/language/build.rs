//! Which languages come along is which folders there are. The words of each that are right as they stand become one
//! automaton here, so that opening it costs nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a build that cannot read its data must stop")]

use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The file with the common words of a language.
const COMMON: &str = "common.txt";

fn main() {
    let data = Path::new(&std::env::var("CARGO_MANIFEST_DIR").unwrap()).join("data");
    let out = PathBuf::from(std::env::var("OUT_DIR").unwrap());
    println!("cargo::rerun-if-changed={}", data.display());
    let mut lexicons = String::from(
        "/// Name and files of each language that comes along.\npub const LANGUAGES: &[(&str, &[&str])] = &[\n",
    );
    let mut words = String::from("const COMMON: &[(&str, &[u8])] = &[\n");
    for folder in sorted(&data) {
        let name = folder.file_name().unwrap().to_string_lossy().into_owned();
        writeln!(lexicons, "    ({name:?}, &[").unwrap();
        // What is said, not read, lies in a folder of its own.
        for file in sorted(&folder).into_iter().filter(|path| path.is_file()) {
            println!("cargo::rerun-if-changed={}", file.display());
            if file.ends_with(COMMON) {
                let automaton = out.join(format!("{name}.fst"));
                std::fs::write(&automaton, common(&file)).unwrap();
                writeln!(words, "    ({name:?}, include_bytes!({:?})),", automaton.display().to_string())
                    .unwrap();
            } else {
                writeln!(lexicons, "        include_str!({:?}),", file.display().to_string()).unwrap();
            }
        }
        lexicons.push_str("    ]),\n");
    }
    std::fs::write(out.join("languages.rs"), format!("{lexicons}];\n{words}];\n")).unwrap();
}

fn common(file: &Path) -> Vec<u8> {
    let text = std::fs::read_to_string(file).unwrap();
    let mut words: Vec<&str> = text.lines().map(str::trim).filter(|word| !word.is_empty()).collect();
    words.sort_unstable();
    words.dedup();
    fst::Set::from_iter(words).unwrap().into_fst().into_inner()
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut items: Vec<_> = std::fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()).collect();
    items.sort();
    items
}
