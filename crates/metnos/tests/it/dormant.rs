//! What cannot run says why, in the person's language, and whatever it tells them to do can be done today.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The sentences of a language by the key of the reason.
fn reasons(language: &str) -> BTreeMap<String, String> {
    let path = root().join(format!("crates/language/data/{language}/texts/messages.toml"));
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().skip_while(|line| *line != "[dormant]").skip(1);
    let lines = lines.take_while(|line| !line.starts_with('[')).filter_map(|line| line.split_once(" = "));
    let said: BTreeMap<String, String> =
        lines.map(|(key, text)| (key.to_owned(), text.trim_matches('"').to_owned())).collect();
    assert!(said.len() > 3, "{said:?}");
    said
}

#[test]
fn every_reason_of_the_catalog_is_a_sentence_in_both_languages() {
    let (english, italian) = (reasons("en"), reasons("it"));
    assert_eq!(english.keys().collect::<Vec<_>>(), italian.keys().collect::<Vec<_>>());
    let mut used = BTreeSet::new();
    for folder in std::fs::read_dir(root().join("executors/dormant")).unwrap().flatten() {
        let text = std::fs::read_to_string(folder.path().join("manifest.toml")).unwrap();
        let why = text.lines().find_map(|line| line.strip_prefix("dormant = ")).unwrap();
        let why = why.trim_matches('"').to_owned();
        assert!(english.contains_key(&why), "{}: {why}", folder.path().display());
        used.insert(why);
    }
    assert!(used.contains("not_built") && used.len() > 1, "{used:?}");
    assert!(
        english["not_built"].contains("not built yet")
            && italian["not_built"].contains("non è ancora costruito")
    );
}

#[test]
fn every_command_and_key_that_a_reason_names_exists() {
    let house = House::new();
    // As one of them says.
    assert_eq!(house.run_with(&["credentials", "set", "telegram"], b"123:abc\n").code, Some(0));
    let mut named = 0;
    for text in reasons("en").values().chain(reasons("it").values()) {
        // Commands: `metnos word word`.
        for (at, _) in text.match_indices("metnos ") {
            let words: Vec<&str> = text[at..].split(' ').skip(1).take(2).collect();
            let words: Vec<&str> =
                words.iter().map(|word| word.trim_end_matches([')', ';', ',', '.'])).collect();
            let ran = house.run(&[&words[..], &["--help"]].concat());
            assert_eq!(ran.code, Some(0), "{text}: {words:?} {ran:?}");
            named += 1;
        }
        // Keys: `[table] key = value`, or a table that is filled in as the documentation shows it.
        for (at, _) in text.match_indices('[') {
            let rest = &text[at..];
            let end = rest.find(" in metnos.toml").expect("a key stands before the file it is in");
            let (table, key) = rest[..end].split_at(rest.find(']').unwrap() + 1);
            let key = match key.trim() {
                "" => "kind = \"openai\"\nurl = \"http://127.0.0.1:8080\"\nmodel = \"m\"",
                key => key,
            };
            let path = house.metnos().join("config/metnos.toml");
            std::fs::write(&path, format!("{table}\n{key}\n")).unwrap();
            let ran = house.run(&["config", "check"]);
            std::fs::remove_file(path).unwrap();
            assert_eq!(ran.code, Some(0), "{text}: {table} {key}: {ran:?}");
            named += 1;
        }
    }
    assert!(named >= 6, "{named}");
}

#[test]
fn what_is_not_built_says_so_in_the_words_of_whoever_asks() {
    let house = House::new();
    for (request, said) in [
        ("find the unread mails of this week", "not built yet"),
        ("what is on my calendar tomorrow?", "not built yet"),
        ("trova le mail non lette di questa settimana", "non è ancora costruito"),
    ] {
        let answer = house.run(&["--json", "ask", request]).json();
        assert_eq!(answer["status"], "dormant", "{answer}");
        assert!(answer["text"].as_str().unwrap().contains(said), "{answer}");
    }
    // What can be switched on says how.
    let answer = house.run(&["--json", "ask", "send a message to Anna saying \"hello\""]).json();
    assert!(answer["text"].as_str().unwrap().contains("[telegram] enabled = true"), "{answer}");
}
