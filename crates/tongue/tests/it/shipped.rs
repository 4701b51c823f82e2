//! What comes along.

use metnos_tongue::{FALLBACK, Wrong, all, check, executor, of};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::Table;

#[test]
fn every_language_says_every_line_of_english_with_the_same_values() {
    assert_eq!(all()[0].code, FALLBACK);
    for tongue in all() {
        let checked = check(tongue);
        let found: Vec<String> =
            checked.findings.iter().map(|one| format!("{} {}: {}", one.file, one.key, one.why)).collect();
        assert!(found.is_empty(), "{}: {} findings:\n{}", tongue.code, found.len(), found.join("\n"));
        assert_eq!(checked.said, checked.lines, "{}", tongue.code);
        assert!(checked.lines > 1300, "{}", checked.lines);
    }
}

#[test]
fn a_language_is_found_by_its_tag_and_by_its_names() {
    for (tag, code) in [("it-CH", "it"), ("IT_it.UTF-8", "it"), ("en", "en"), ("tlh", "en"), ("", "en")] {
        assert_eq!(of(tag).code, code, "{tag}");
    }
    for tongue in all() {
        assert!(tongue.about.called.contains(&tongue.about.name.to_lowercase()), "{}", tongue.code);
        assert_eq!(metnos_tongue::called(&tongue.about.name).map(|found| found.code), Some(tongue.code));
    }
}

/// The manifests of the seeds, those in use first.
fn manifests() -> BTreeMap<String, Table> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../executors");
    let mut found = BTreeMap::new();
    for folder in ["seed", "dormant"] {
        let items = std::fs::read_dir(root.join(folder)).unwrap().map(|item| item.unwrap().path());
        let mut items: Vec<PathBuf> = items.collect();
        items.sort();
        for text in items.iter().filter_map(|path| std::fs::read_to_string(path.join("manifest.toml")).ok()) {
            let manifest: Table = text.parse().unwrap();
            let name = manifest["executor"]["name"].as_str().unwrap().to_owned();
            found.entry(name).or_insert(manifest);
        }
    }
    found
}

#[test]
fn the_texts_of_executors_are_those_of_their_manifests_where_a_manifest_speaks() {
    // What the daemon itself does is described there; its manifest is for planning only.
    let own =
        std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../runtime/src/builtin")).unwrap();
    let own: Vec<String> = own
        .map(|item| item.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| Some(name.strip_suffix(".json")?.to_owned()))
        .collect();
    let manifests = manifests();
    assert!(manifests.len() > 80);
    for (name, manifest) in &manifests {
        for tongue in all() {
            let said = executor(tongue, name).unwrap_or_else(|| panic!("{}: {name}", tongue.code));
            assert!(!said.scope.is_empty() && !said.affinity.is_empty(), "{}: {name}", tongue.code);
            let Some(told) = manifest["description"].get(tongue.code) else { continue };
            if !own.contains(name) && name != "delete_credentials" {
                assert_eq!(told["scope"].as_str(), Some(said.scope.as_str()), "{}: {name}", tongue.code);
                let not = told.get("not").and_then(toml::Value::as_str).unwrap_or_default();
                assert_eq!(not, said.not, "{}: {name}", tongue.code);
            }
            let words = manifest["routing"]["affinity"][tongue.code].as_array().unwrap();
            let words: Vec<&str> = words.iter().map(|word| word.as_str().unwrap()).collect();
            assert_eq!(words, said.affinity, "{}: {name}", tongue.code);
        }
    }
}

#[test]
fn what_is_wrong_is_an_error_only_where_a_sentence_would_be_wrong() {
    assert!(!Wrong::Missing.is_error() && !Wrong::Stale.is_error());
    assert!(Wrong::Slots.is_error() && Wrong::Shape.is_error() && Wrong::Broken.is_error());
}
