//! What the planner knows about tools and languages is data: its code names neither.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use metnos_engine::{Catalog, Lexicons};
use std::path::Path;

fn sources(folder: &Path, out: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, out);
        } else {
            out.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
        }
    }
}

#[test]
fn no_tool_and_no_language_is_named_in_code() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    let catalog = Catalog::shipped().unwrap();
    let languages: Vec<&str> = Lexicons::sources().iter().map(|(language, _)| *language).collect();
    for (file, text) in files {
        for tool in catalog.tools() {
            assert!(!text.contains(&format!("\"{}\"", tool.name)), "{file} names {}", tool.name);
        }
        for language in &languages {
            // `it` is also the sense of a pronoun: only comparisons with a language would be wrong.
            assert!(!text.contains(&format!("language == \"{language}\"")), "{file} names a language");
        }
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            assert!(
                line.chars().all(|c| c.is_ascii() || !c.is_alphabetic()),
                "{file}: words of a language belong into a lexicon: {line}"
            );
        }
    }
}

#[test]
fn both_lexicons_have_the_same_senses() {
    let mut all: Vec<(String, Vec<String>)> = Vec::new();
    for (language, text) in Lexicons::sources() {
        let mut section = String::new();
        let mut senses = Vec::new();
        for line in text.lines() {
            if let Some(name) = line.strip_prefix('[') {
                section = name.trim_end_matches(']').to_owned();
            } else if let Some((sense, _)) = line.split_once(" = [")
                && ["verb", "noun", "flag"].contains(&section.as_str())
            {
                senses.push(format!("{section}.{sense}"));
            }
        }
        senses.sort();
        all.push(((*language).to_owned(), senses));
    }
    for pair in all.windows(2) {
        assert_eq!(pair[0].1, pair[1].1, "{} and {}", pair[0].0, pair[1].0);
    }
}
