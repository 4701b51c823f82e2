//! Every promise of the README is in `docs/promises.md`, word for word, with tests that exist.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The rows of the first table below a heading: the cells of each.
fn table(text: &str, heading: &str) -> Vec<Vec<String>> {
    let (_, below) = text.split_once(heading).unwrap_or_else(|| panic!("no heading {heading:?}"));
    let lines =
        below.lines().skip_while(|line| !line.starts_with('|')).take_while(|line| line.starts_with('|'));
    let cells = |line: &str| line.trim_matches('|').split(" | ").map(|cell| cell.trim().to_owned()).collect();
    lines.skip(2).map(cells).collect()
}

/// Whether a test `crate::module::name` is in the sources.
fn exists(test: &str) -> bool {
    let parts: Vec<&str> = test.split("::").collect();
    let [krate, modules @ .., name] = parts.as_slice() else { return false };
    let folder = root().join("crates").join(krate.trim_start_matches("metnos-"));
    let path = modules.join("/");
    let places = [
        folder.join("tests/it").join(format!("{path}.rs")),
        folder.join("tests/it").join(&path).join("mod.rs"),
        folder.join("src").join(format!("{path}.rs")),
        folder.join("src").join(&path).join("tests.rs"),
    ];
    let texts = places.iter().filter_map(|place| std::fs::read_to_string(place).ok());
    texts.into_iter().any(|text| text.contains(&format!("fn {name}(")))
}

#[test]
fn every_promise_has_tests_and_every_test_named_exists() {
    let read = |path: &str| std::fs::read_to_string(root().join(path)).unwrap();
    let promised: BTreeSet<String> = table(&read("README.md"), "## What it promises")
        .into_iter()
        .map(|mut row| row.swap_remove(0))
        .collect();
    let listed = table(&read("docs/promises.md"), "# Promises");
    assert!(promised.len() >= 30 && listed.len() >= 30, "{} and {}", promised.len(), listed.len());
    let mut wrong = Vec::new();
    let mut kept = BTreeSet::new();
    for row in &listed {
        let [promise, tests] = row.as_slice() else { panic!("two cells: {row:?}") };
        kept.insert(promise.clone());
        let named: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        if named.is_empty() && tests != "measured, not tested: make bench" {
            wrong.push(format!("no test: {promise}"));
        }
        wrong.extend(named.iter().filter(|test| !exists(test)).map(|test| format!("no such test: {test}")));
    }
    wrong.extend(promised.difference(&kept).map(|promise| format!("not in docs/promises.md: {promise}")));
    wrong.extend(kept.difference(&promised).map(|promise| format!("not in README.md: {promise}")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
