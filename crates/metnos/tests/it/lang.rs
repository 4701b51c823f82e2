//! A language is a folder: listed, checked, added, spoken; a broken one is refused, and stops nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use crate::support::House;
use crate::support::daemon::Daemon;
use std::path::{Path, PathBuf};

const ENGLISH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../language/data/en");

fn tree(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for item in std::fs::read_dir(from).unwrap().map(|item| item.unwrap()) {
        let target = to.join(item.file_name());
        match item.path().is_dir() {
            true => tree(&item.path(), &target),
            false => drop(std::fs::copy(item.path(), target).unwrap()),
        }
    }
}

fn change(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file}: {from}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

/// A language that nobody speaks: English with some words of its own, no phrases yet, and one line that is missing.
fn pretended(dir: &Path) -> PathBuf {
    let folder = dir.join("xx");
    tree(Path::new(ENGLISH), &folder);
    change(&folder, "texts/language.toml", "\"English\"", "\"Xish\"");
    change(
        &folder,
        "texts/language.toml",
        "[\"english\", \"inglese\", \"inglés\", \"ingles\"]",
        "[\"xish\"]",
    );
    change(&folder, "texts/messages.toml", "\"You are welcome.\"", "\"Xank x.\"");
    change(&folder, "texts/messages.toml", "cancelled = \"Stopped.\"\n", "");
    change(&folder, "texts/card.toml", "delete = \"Delete\"", "delete = \"Xelete\"");
    change(&folder, "texts/help.txt", "plain words", "xlain xords");
    change(&folder, "texts/executors.toml", "Find files by name", "Xind xiles by name");
    change(&folder, "texts/doors.ftl", "title-chat = Chat", "title-chat = Xhat");
    std::fs::remove_file(folder.join("texts/phrases.txt")).unwrap();
    folder
}

#[test]
fn a_language_of_the_configuration_folder_is_listed_chosen_and_spoken() {
    let house = House::supervised();
    house.write("Documents/a.txt", "a");
    let dir = tempfile::tempdir().unwrap();
    let folder = pretended(dir.path());
    assert_eq!(
        house.run(&["users", "set", "host", "--language", "xx"]).code,
        Some(2),
        "nobody speaks it yet"
    );
    let added = house.run(&["lang", "add", folder.to_str().unwrap()]);
    assert_eq!(added.code, Some(0), "{added:?}");
    assert!(added.stdout.contains("metnos users set host --language xx"), "{added:?}");
    assert!(house.metnos().join("config/lang/xx/texts/messages.toml").is_file());

    let listed = house.run(&["--json", "lang", "list"]).json();
    let codes: Vec<&str> =
        listed["languages"].as_array().unwrap().iter().map(|l| l["code"].as_str().unwrap()).collect();
    assert_eq!(codes, ["en", "es", "it", "xx"]);
    let own = &listed["languages"][3];
    assert!(own["from"].as_str().unwrap().ends_with("config/lang/xx") && own["errors"] == 0, "{own}");
    assert_ne!(own["said"], "100%", "{own}");
    let checked = house.run(&["lang", "check", "xx"]);
    assert_eq!(checked.code, Some(0), "what is missing is said in English: {checked:?}");
    assert!(checked.stdout.contains("status.cancelled"), "{checked:?}");

    // Chosen for a person, and for the house.
    assert_eq!(house.run(&["users", "set", "host", "--language", "Xish"]).code, Some(0));
    let config = house.metnos().join("config/metnos.toml");
    std::fs::write(&config, "[person]\nlanguage = \"xx\"\n").unwrap();
    assert_eq!(house.run(&["config", "check"]).code, Some(0));
    let told = house.run(&["--json", "ask", "thanks"]).json();
    assert_eq!(told["text"], "Xank x.", "{told}");
    let asked = house.run(&["--json", "ask", "delete Documents/a.txt"]);
    assert_eq!(asked.code, Some(4), "{asked:?}");
    assert!(asked.stdout.contains("Xelete 1 file"), "{asked:?}");
    let shown = house.run(&["executors", "show", "find_files"]);
    assert!(shown.stdout.contains("Xind xiles by name"), "{shown:?}");
    let daemon = Daemon::start(&house);
    let auth = format!("Authorization: Bearer {}", daemon.key);
    let page = daemon.request("GET", "/", &[&auth, "Accept: text/html"], "");
    assert!(page.body.contains("Xhat") && page.body.contains("lang=\"xx\""), "{}", page.body);
    let doctor = house.run(&["--json", "doctor"]);
    assert!(doctor.stdout.contains("English, Español, Italiano, Xish"), "{doctor:?}");
}

#[test]
fn a_broken_folder_is_refused_with_the_next_step() {
    let house = House::supervised();
    let dir = tempfile::tempdir().unwrap();
    let folder = pretended(dir.path());
    let path = folder.to_str().unwrap();
    change(
        &folder,
        "texts/messages.toml",
        "missing = \"One thing is missing: {missing}.\"",
        "missing = \"Lost.\"",
    );
    let checked = house.run(&["lang", "check", path]);
    assert!(checked.code == Some(1) && checked.stdout.contains("lacks {missing}"), "{checked:?}");
    let refused = house.run(&["lang", "add", path]);
    assert_eq!(refused.code, Some(2), "{refused:?}");
    assert!(
        refused.stderr.contains("say.missing") && refused.stderr.contains("metnos lang check"),
        "{refused:?}"
    );
    change(&folder, "texts/messages.toml", "missing = \"Lost.\"", "missing = \"Lost: {missing}.\"");
    change(&folder, "texts/doors.ftl", "skip = Skip to the content", "skip = Skip { to");
    let refused = house.run(&["lang", "add", path]);
    assert!(refused.code == Some(2) && refused.stderr.contains("doors.ftl"), "{refused:?}");
    change(&folder, "texts/doors.ftl", "skip = Skip { to", "skip = Skip");
    change(&folder, "words.toml", "[words.act]", "[words.axt]");
    let refused = house.run(&["lang", "add", path]);
    assert!(refused.code == Some(2) && refused.stderr.contains("words.toml"), "{refused:?}");
    for (wrong, next) in
        [("nowhere", "metnos lang list"), (dir.path().to_str().unwrap(), "rename the folder")]
    {
        let refused = house.run(&["lang", "add", wrong]);
        assert!(refused.code != Some(0) && refused.stderr.contains(next), "{refused:?}");
    }
    assert!(!house.metnos().join("config/lang/xx").exists());
}

#[test]
fn a_folder_that_breaks_later_stops_nothing_and_is_told() {
    let house = House::supervised();
    let dir = tempfile::tempdir().unwrap();
    let folder = pretended(dir.path());
    assert_eq!(house.run(&["lang", "add", folder.to_str().unwrap()]).code, Some(0));
    assert_eq!(house.run(&["users", "set", "host", "--language", "xx"]).code, Some(0));
    std::fs::write(house.metnos().join("config/metnos.toml"), "[person]\nlanguage = \"xx\"\n").unwrap();
    let own = house.metnos().join("config/lang/xx");
    change(&own, "texts/messages.toml", "[say]", "[say");
    change(&own, "texts/doors.ftl", "skip = Skip to the content", "skip = Skip { to");
    change(&own, "words.toml", "[words.act]", "[words.axt]");
    let told = house.run(&["--json", "ask", "thanks"]).json();
    assert_eq!(told["text"], "You are welcome.", "{told}");
    let doctor = house.run(&["doctor"]);
    assert!(doctor.stdout.contains("metnos lang check xx"), "{doctor:?}");
    let listed = house.run(&["--json", "lang", "list"]).json();
    assert!(listed["languages"][3]["errors"].as_u64() >= Some(3), "{listed}");
    // Without saying what it is, it is no language any more: it is left out, and English is spoken.
    change(&own, "texts/language.toml", "name = ", "name ");
    let listed = house.run(&["--json", "lang", "list"]);
    assert!(
        listed.code == Some(1) && listed.json()["broken"][0].as_str().unwrap().contains("language.toml"),
        "{listed:?}"
    );
    let told = house.run(&["--json", "ask", "thanks"]).json();
    assert_eq!(told["text"], "You are welcome.", "{told}");
}
