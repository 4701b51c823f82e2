//! Folders of the configuration.

use metnos_tongue::{Check, FolderError, Wrong, read};
use std::path::{Path, PathBuf};

const ENGLISH: &str = "../language/data/en";

/// A copy of English under another code.
fn copy(to: &Path, code: &str) -> PathBuf {
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
    let folder = to.join(code);
    tree(&Path::new(env!("CARGO_MANIFEST_DIR")).join(ENGLISH), &folder);
    // Phrases are pairs elsewhere.
    let path = folder.join("texts/phrases.txt");
    let text = std::fs::read_to_string(&path).unwrap();
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let pairs: String = lines.map(|line| format!("{line}\n{line}\n")).collect();
    std::fs::write(path, pairs).unwrap();
    folder
}

fn change(folder: &Path, file: &str, from: &str, to: &str) {
    let path = folder.join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file}: {from}");
    std::fs::write(path, text.replacen(from, to, 1)).unwrap();
}

fn found(check: &Check) -> Vec<(&str, &str, Wrong)> {
    check.findings.iter().map(|one| (one.file.as_str(), one.key.as_str(), one.wrong)).collect()
}

#[test]
fn what_a_folder_lacks_has_too_much_and_says_wrongly_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let folder = copy(dir.path(), "xx");
    let whole = read(&folder).unwrap().check();
    assert_eq!((found(&whole), whole.percent()), (vec![], 100));
    change(&folder, "texts/messages.toml", "thanks = \"You are welcome.\"\n", "");
    change(
        &folder,
        "texts/messages.toml",
        "missing = \"One thing is missing: {missing}.\"",
        "missing = \"One thing.\"",
    );
    change(&folder, "texts/says.toml", "months = [\"Jan\", ", "months = [");
    change(&folder, "texts/doors.ftl", "tg-kept = Kept as { $path }", "tg-kept = Kept as { $folder }");
    change(&folder, "texts/doors.ftl", "skip = Skip to the content\n", "skipped = Skip\n");
    change(&folder, "texts/card.toml", "[verb]", "[verb");
    change(&folder, "texts/phrases.txt", "{} is not there\n{} is not there", "{} is not there\nnot there");
    std::fs::write(folder.join("texts/more.toml"), "").unwrap();
    std::fs::remove_file(folder.join("texts/help.txt")).unwrap();
    let check = read(&folder).unwrap().check();
    let told = found(&check);
    for one in [
        ("texts/messages.toml", "say.thanks", Wrong::Missing),
        ("texts/messages.toml", "say.missing", Wrong::Slots),
        ("texts/says.toml", "months", Wrong::Shape),
        ("texts/doors.ftl", "tg-kept", Wrong::Slots),
        ("texts/doors.ftl", "skip", Wrong::Missing),
        ("texts/doors.ftl", "skipped", Wrong::Stale),
        ("texts/card.toml", "", Wrong::Broken),
        ("texts/phrases.txt", "{} is not there", Wrong::Slots),
        ("texts/more.toml", "", Wrong::Stale),
        ("texts/help.txt", "", Wrong::Missing),
    ] {
        assert!(told.contains(&one), "{one:?} is not in {told:?}");
    }
    assert!(check.said < check.lines);
}

#[test]
fn a_folder_that_is_no_language_says_why() {
    let dir = tempfile::tempdir().unwrap();
    let folder = copy(dir.path(), "Klingon");
    assert!(matches!(read(&folder), Err(FolderError::Code { .. })));
    let folder = copy(dir.path(), "xx");
    std::fs::write(folder.join("texts/help.txt"), [0xff, 0xfe]).unwrap();
    assert!(matches!(read(&folder), Err(FolderError::Io { .. })));
}

#[test]
fn a_folder_is_laid_over_english_line_by_line_and_a_broken_one_stops_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let folder = copy(dir.path(), "xx");
    change(&folder, "texts/language.toml", "\"English\"", "\"Xish\"");
    change(&folder, "texts/messages.toml", "thanks = \"You are welcome.\"", "thanks = \"Xank x.\"");
    change(
        &folder,
        "texts/messages.toml",
        "missing = \"One thing is missing: {missing}.\"",
        "missing = \"Lost.\"",
    );
    change(&folder, "texts/messages.toml", "greet = ", "greeting = ");
    change(&folder, "texts/judge.toml", "[text]", "[text");
    let broken = copy(dir.path(), "yy");
    change(&broken, "texts/language.toml", "name = ", "name ");
    // Other words for a language that comes along.
    let italian = dir.path().join("it/texts");
    std::fs::create_dir_all(&italian).unwrap();
    std::fs::write(italian.join("messages.toml"), "[say]\nthanks = \"Figurati.\"\n").unwrap();

    metnos_tongue::open(dir.path());
    let codes = metnos_tongue::codes();
    assert!(codes.contains(&"xx") && !codes.contains(&"yy") && codes[0] == "en", "{codes:?}");
    assert!(matches!(metnos_tongue::broken(), [FolderError::About { .. }]));
    let say = |code: &str, key: &str| {
        let table: toml::Table = metnos_tongue::table(code, "messages.toml").unwrap();
        table["say"][key].as_str().unwrap().to_owned()
    };
    assert_eq!(say("xx", "thanks"), "Xank x.");
    assert_eq!(say("xx", "missing"), say("en", "missing"), "it has lost its value");
    assert_eq!(say("xx", "greet"), say("en", "greet"), "it has another name there");
    assert_eq!((say("it", "thanks"), say("en", "thanks")), ("Figurati.".into(), "You are welcome.".into()));
    assert_ne!(say("it", "greet"), say("en", "greet"), "what the folder does not say is said as before");
    let judge: toml::Table = metnos_tongue::table("xx", "judge.toml").unwrap();
    assert_eq!(judge, metnos_tongue::table("en", "judge.toml").unwrap());
    assert_eq!(metnos_tongue::called("xish").map(|tongue| tongue.code), Some("xx"));
}
