//! Every sentence of the doors is in every language, is used, and exists where it is used.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Words that complete a key: the family as code names it, and everything it can be completed with.
const FAMILIES: &[(&str, &[&str])] = &[
    (
        "change",
        &[
            "open",
            "done",
            "undoing",
            "undone",
            "partly_undone",
            "rolled_back",
            "freed",
            "permanent",
            "damaged",
        ],
    ),
    (
        "column",
        &[
            "content", "copy", "count", "cpu", "dst", "ext", "files", "free", "group", "key", "kind", "line",
            "memory", "mtime", "name", "ok", "pages", "path", "size", "src", "text", "title", "to", "type",
            "user", "value",
        ],
    ),
    ("decision", &["allow", "ask", "deny", "yes"]),
    ("kept", &["turns", "undo", "logs", "database", "audit"]),
    ("list", &["allow", "grey", "deny"]),
    ("part", &["input", "output", "sandbox", "reverse", "error_classes", "runtime"]),
    ("phase", &["literal", "memory", "intent", "exec", "model"]),
    ("plankind", &["exact", "shape"]),
    ("role", &["host", "member", "guest"]),
    ("root", &["seed", "synt", "skills", "builtin"]),
    ("scope", &["always", "session", "schedule"]),
    ("stage", &["literal", "fastpath", "autopath", "embedded", "model"]),
    (
        "state",
        &[
            "proposed",
            "synthesised",
            "active",
            "below_threshold",
            "fused",
            "archived",
            "quarantined",
            "disabled",
            "learning",
            "retired",
        ],
    ),
    (
        "status",
        &[
            "running",
            "done",
            "partly",
            "failed",
            "waits",
            "asks",
            "cancelled",
            "unclear",
            "gap",
            "dormant",
            "interrupted",
        ],
    ),
    (
        "arg",
        &[
            "base_path",
            "by",
            "contains",
            "content",
            "dst",
            "dst_dir",
            "expression",
            "field",
            "format",
            "hidden",
            "kind",
            "limit",
            "max_results",
            "mode",
            "modified_after",
            "modified_before",
            "name_template",
            "order",
            "path",
            "paths",
            "patterns",
            "query",
            "recursive",
            "size_max",
            "size_min",
            "to",
            "top",
            "value",
            "where",
        ],
    ),
    ("step", &["planned", "begins", "waits", "done", "partly", "failed"]),
    (
        "title",
        &[
            "chat",
            "overview",
            "approvals",
            "turns",
            "turn",
            "undo",
            "plans",
            "executors",
            "executor",
            "gaps",
            "safety",
            "people",
            "models",
            "system",
        ],
    ),
    ("taken", &["wholly", "partly"]),
    ("tokenkind", &["login", "session", "device"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

/// Every file below a folder, with one of these endings.
fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for item in std::fs::read_dir(folder).unwrap() {
        let path = item.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, endings));
        } else if path.extension().is_some_and(|end| endings.iter().any(|known| end == *known)) {
            found.push(path);
        }
    }
    found
}

/// The keys of a language, and what it fills into each.
fn keys(language: &str) -> BTreeMap<String, BTreeSet<String>> {
    let text =
        std::fs::read_to_string(root().join(format!("../language/data/{language}/texts/doors.ftl"))).unwrap();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut at = String::new();
    for line in text.lines() {
        let head = line.split_once(" =").map(|(key, _)| key).filter(|key| is_key(key));
        if let Some(key) = head {
            key.clone_into(&mut at);
            assert!(found.insert(key.to_owned(), BTreeSet::new()).is_none(), "{language} has {key} twice");
        }
        for hole in line.split('$').skip(1) {
            let name = hole.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap();
            found.get_mut(&at).unwrap().insert(name.to_owned());
        }
    }
    found
}

fn is_key(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_')
}

/// The first text of every call of one of these functions.
fn named(text: &str, functions: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for function in functions {
        for (at, _) in text.match_indices(&format!("{function}(")) {
            let whole = text[..at].chars().next_back().is_none_or(|c| !c.is_alphanumeric() && c != '_');
            let rest = text[at + function.len() + 1..].trim_start();
            if let Some(key) = rest.strip_prefix('"').and_then(|rest| rest.split('"').next())
                && whole
                && is_key(key)
            {
                found.insert(key.to_owned());
            }
        }
    }
    found
}

/// Every text in quotes that could be a key.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('"').skip(1).step_by(2).filter(|text| is_key(text)).map(str::to_owned).collect()
}

/// The keys and the families that are used, and those keys of them that scripts use.
fn used() -> (BTreeSet<String>, BTreeSet<String>, BTreeSet<String>, BTreeSet<String>) {
    let (mut keys, mut families) = (BTreeSet::new(), BTreeSet::new());
    let sources = [("src", "rs"), ("templates", "html")];
    for path in sources.iter().flat_map(|(folder, end)| files(&root().join(folder), &[end])) {
        let text = std::fs::read_to_string(path).unwrap();
        keys.extend(named(&text, &["t", "say", "is"]));
        families.extend(named(&text, &["one_of"]));
        // What Telegram says is chosen where it is said: any text in quotes that looks like one of its keys.
        keys.extend(quoted(&text).into_iter().filter(|key| key.starts_with("tg-")));
    }
    // The command line has sentences of its own beside these; the first screens are said from here.
    for path in files(&root().join("../metnos/src"), &["rs"]) {
        let text = std::fs::read_to_string(path).unwrap();
        let first = |key: &String| {
            ["cli-", "init-", "setup-"].iter().any(|start| key.len() > start.len() && key.starts_with(start))
        };
        keys.extend(quoted(&text).into_iter().filter(first));
    }
    let (mut scripted, mut families_scripted) = (BTreeSet::new(), BTreeSet::new());
    for path in files(&root().join("assets"), &["js"]) {
        let text = std::fs::read_to_string(path).unwrap();
        scripted.extend(named(&text, &["say"]));
        families_scripted.extend(named(&text, &["oneOf"]));
        // Buttons are given the key of what they say.
        scripted.extend(
            quoted(&text)
                .into_iter()
                .filter(|key| ["act-", "card-", "progress-"].iter().any(|start| key.starts_with(start))),
        );
    }
    keys.extend(scripted.iter().cloned());
    families.extend(families_scripted.iter().cloned());
    (keys, families, scripted, families_scripted)
}

fn members(family: &str) -> Vec<String> {
    let words = FAMILIES.iter().find(|(known, _)| *known == family);
    let words = words.unwrap_or_else(|| panic!("{family} is no family this test knows")).1;
    words.iter().map(|word| format!("{family}-{word}")).collect()
}

#[test]
fn every_language_has_the_same_sentences_with_the_same_values() {
    let english = keys("en");
    for language in metnos_tongue::codes().into_iter().filter(|code| *code != metnos_tongue::FALLBACK) {
        let other = keys(language);
        let names = |all: &BTreeMap<String, BTreeSet<String>>| all.keys().cloned().collect::<BTreeSet<_>>();
        let missing: Vec<String> = names(&english).difference(&names(&other)).cloned().collect();
        let extra: Vec<String> = names(&other).difference(&names(&english)).cloned().collect();
        assert!(missing.is_empty() && extra.is_empty(), "{language} lacks {missing:?}, en lacks {extra:?}");
        for (key, holes) in &english {
            assert_eq!(Some(holes), other.get(key), "{key} fills in other values in {language}");
        }
    }
}

#[test]
fn every_sentence_that_is_used_exists_and_every_one_that_exists_is_used() {
    let (mut wanted, families, ..) = used();
    for family in &families {
        wanted.extend(members(family));
    }
    let known: BTreeSet<String> = keys("en").into_keys().collect();
    let missing: Vec<&String> = wanted.difference(&known).collect();
    assert!(missing.is_empty(), "used and not defined: {missing:?}");
    let idle: Vec<&String> = known.difference(&wanted).collect();
    assert!(idle.is_empty(), "defined and not used: {idle:?}");
}

#[test]
fn pages_bring_the_words_of_their_scripts_and_no_others() {
    let shell = std::fs::read_to_string(root().join("src/pages/shell.rs")).unwrap();
    let list = shell.split("SCRIPT_WORDS: &[&str] = &[").nth(1).unwrap().split("];").next().unwrap();
    let brought = quoted(list);
    let (_, _, mut scripted, families) = used();
    for family in &families {
        scripted.extend(members(family));
    }
    assert_eq!(brought, scripted, "left: what pages bring, right: what scripts say");
}
