//! No source names a language, a file of one, or its name: only English stands in one place.

use std::path::{Path, PathBuf};

/// Where a word only looks like the code of a language: a pronoun, endings of host names, tests of another crate; and
/// where English stands.
const ALIKE: [&str; 7] = [
    "crates/tongue/src/lib.rs",
    "crates/engine/src/parse",
    "crates/fit/src/main.rs",
    "crates/language/src/sense.rs",
    "crates/language/src/mention/place/endings.rs",
    "crates/seeds/src/numbers/describe_numbers.rs",
    "crates/vocab/src/phrases.rs",
];

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for path in std::fs::read_dir(folder).unwrap().map(|item| item.unwrap().path()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if name != "tests" {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") && !name.ends_with("tests.rs") && name != "testing.rs" {
            found.push(path);
        }
    }
}

#[test]
fn no_source_names_a_language() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut all = Vec::new();
    for item in std::fs::read_dir(root.join("crates")).unwrap().map(|item| item.unwrap().path()) {
        if item.join("src").is_dir() {
            sources(&item.join("src"), &mut all);
        }
    }
    assert!(all.len() > 300);
    let mut marks: Vec<String> = Vec::new();
    for tongue in metnos_tongue::all() {
        let code = tongue.code;
        marks.extend([
            format!("\"{code}\""),
            format!("{code}.toml"),
            format!("{code}.ftl"),
            format!("{code}.txt"),
        ]);
        marks.extend([format!("/{code}/"), format!("\\\"{code}\\\"")]);
        if code != metnos_tongue::FALLBACK {
            marks.extend(tongue.about.called.iter().map(|name| format!("\"{name}\"")));
        }
    }
    let mut named = Vec::new();
    for path in all {
        let at = path.strip_prefix(&root).unwrap().display().to_string();
        if ALIKE.iter().any(|known| at.starts_with(known)) {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        // What follows is tests.
        let tests = text.match_indices("\n#[cfg(test)]\n").map(|(at, _)| at);
        let tests =
            tests.filter(|at| text[*at..].lines().skip(2).take(3).any(|line| line.starts_with("mod ")));
        let code = &text[..tests.min().unwrap_or(text.len())];
        for (n, line) in code.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//")) {
            for mark in marks.iter().filter(|mark| holds(line, mark)) {
                named.push(format!("{at}:{}: {mark}", n + 1));
            }
        }
    }
    assert!(named.is_empty(), "{}", named.join("\n"));
}

/// Whether a mark stands there, not as the end of another word: `open.txt` is no text of English.
fn holds(line: &str, mark: &str) -> bool {
    line.match_indices(mark).any(|(at, _)| {
        !mark.starts_with(|c: char| c.is_alphanumeric())
            || !line[..at].chars().next_back().is_some_and(char::is_alphanumeric)
    })
}
