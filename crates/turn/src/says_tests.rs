//! Every executor of the catalog, in every language.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use super::*;
use metnos_engine::catalog::Type;
use serde_json::json;

fn step(tool: &str, args: Value) -> Step {
    Step { tool: tool.to_owned(), args: args.as_object().cloned().unwrap(), dormant: None }
}

fn says(language: &str, steps: Vec<Step>) -> String {
    let catalog = Catalog::shipped().unwrap();
    let plan = Plan { steps, ..Plan::default() };
    Sayings::shipped().unwrap().plan(&catalog, language, &plan, Some("2026"))
}

/// A value that an argument may have.
fn sample(arg: &Arg) -> Value {
    let text = || arg.choices.first().map_or_else(|| json!("alpha"), |first| json!(first));
    match arg.ty {
        Type::Text | Type::Mixed => text(),
        Type::Integer | Type::Number => json!(7),
        Type::Bool => json!(true),
        Type::List if !arg.inside.is_empty() => {
            let inside = arg.inside.iter().map(|arg| (arg.name.clone(), sample(arg)));
            json!([Value::Object(inside.collect())])
        }
        Type::List => json!([text()]),
        Type::Record => json!({}),
    }
}

/// A name as programs write it.
fn snake(text: &str) -> bool {
    let letters: Vec<char> = text.chars().collect();
    letters.windows(3).any(|w| w[0].is_alphanumeric() && w[1] == '_' && w[2].is_alphanumeric())
}

#[test]
fn every_executor_gives_a_readable_sentence_in_every_language() {
    let catalog = Catalog::shipped().unwrap();
    for tool in catalog.tools() {
        let name = tool.name.as_str();
        let full = tool.args.iter().map(|arg| (arg.name.clone(), sample(arg))).collect();
        let bare = step(name, json!({}));
        let full = Step { tool: name.to_owned(), args: full, dormant: None };
        let piped = [step("find_files", json!({ "kind": "pdf" })), step(name, json!({ "from_step": 1 }))];
        let mut told = Vec::new();
        for language in ["en", "it"] {
            for steps in [vec![bare.clone()], vec![full.clone()], piped.to_vec()] {
                let said = says(language, steps);
                assert!(said.chars().filter(|c| c.is_alphabetic()).count() > 5, "{name}: {said}");
                assert!(!snake(&said) && !said.contains(['{', '}', '$']), "{name}: {said}");
                assert!(!said.contains("  ") && !said.starts_with(char::is_lowercase), "{name}: {said}");
                told.push(said);
            }
        }
        assert_ne!(told[0], told[3], "{name} says the same in both languages");
    }
}

#[test]
fn what_is_said_is_what_where_which_and_how_many() {
    let find = || {
        let args = json!({ "base_path": "~/Downloads", "kind": "pdf", "modified_after": "2026-11-01" });
        step("find_files", args)
    };
    let plan = || vec![find(), step("move_files", json!({ "from_step": 1, "dst_dir": "~/Work" }))];
    assert_eq!(
        says("en", plan()),
        "Find PDF files in Downloads changed since 1 Nov, then move the PDF files found to Work"
    );
    assert_eq!(
        says("it", plan()),
        "Trova file PDF in Downloads modificati dal 1 nov, poi sposta file PDF trovati in Work"
    );
    let one = step("delete_files", json!({ "from_step": 1, "pick": "one" }));
    assert_eq!(
        says("en", vec![step("find_files", json!({ "base_path": "~", "patterns": ["*report*"] })), one]),
        "Find files named *report* in your home folder, then delete the one of the files found"
    );
    let big = json!({ "base_path": "~/my_files", "patterns": ["*.md"], "size_min": 10_000_000 });
    let sorted = json!({ "from_step": 1, "by": "mtime", "order": "desc", "limit": 3 });
    assert_eq!(
        says("en", vec![step("find_files", big), step("sort_entries", sorted)]),
        "Find MD files in my_files of at least 10 MB, then put the MD files found in order by date the greatest first and keep 3"
    );
    let write = json!({ "path": "~/thanks.txt", "content": "${FILLER:a note to Anna}" });
    assert_eq!(
        says("en", vec![step("write_files", write)]),
        "Write files to thanks.txt with “a note to Anna”"
    );
}

#[test]
fn the_sentence_of_one_file_is_short() {
    let find = step("find_files", json!({ "base_path": "~/Downloads", "kind": "pdf" }));
    assert_eq!(says("en", vec![find]), "Find PDF files in Downloads");
    let moved = || step("move_files", json!({ "paths": ["~/invoice.pdf"], "dst_dir": "~/Documents" }));
    assert_eq!(says("en", vec![moved()]), "Move invoice.pdf to Documents");
    assert_eq!(says("it", vec![moved()]), "Sposta invoice.pdf in Documents");
}

#[test]
fn every_executor_has_words_of_its_own_in_every_language() {
    let (catalog, sayings) = (Catalog::shipped().unwrap(), Sayings::shipped().unwrap());
    let plan = Plan::default();
    for (language, saying) in &sayings.0 {
        let sentence = Sentence { saying, catalog: &catalog, language, plan: &plan, year: None };
        let silent = catalog.tools().filter(|tool| !sentence.knows(&step(tool.name.as_str(), json!({}))));
        assert_eq!(
            silent.map(|tool| tool.name.as_str()).collect::<Vec<_>>(),
            Vec::<&str>::new(),
            "{language}"
        );
    }
}

#[test]
fn what_a_language_has_no_words_for_is_said_in_english() {
    let (catalog, mut sayings) = (Catalog::shipped().unwrap(), Sayings::shipped().unwrap());
    let find = step("find_files", json!({ "base_path": "~/Downloads", "kind": "pdf" }));
    let plan = Plan { steps: vec![find, step("get_now", json!({}))], ..Plan::default() };
    let whole = "Find PDF files in Downloads, then tell the date and time";
    assert_eq!(sayings.plan(&catalog, "xx", &plan, None), whole);
    sayings.0.get_mut("it").unwrap().tool.remove("get_now");
    sayings.0.get_mut("it").unwrap().verb.remove("get");
    let mixed = "Trova file PDF in Downloads, poi tell the date and time";
    assert_eq!(sayings.plan(&catalog, "it", &plan, None), mixed);
}

#[test]
fn an_executor_that_nobody_wrote_a_phrase_for_speaks_for_itself() {
    let (manifest, schema) = (
        include_str!("../../../executors/seed/find_files_hash/manifest.toml"),
        include_str!("../../../executors/seed/find_files_hash/schema.json"),
    );
    let catalog = Catalog::from_sources(&[(manifest, schema)]).unwrap();
    let mut sayings = Sayings::shipped().unwrap();
    sayings.0.values_mut().for_each(|saying| drop(saying.tool.remove("find_files_hash")));
    let plan =
        Plan { steps: vec![step("find_files_hash", json!({ "base_path": "~/a" }))], ..Plan::default() };
    assert_eq!(sayings.plan(&catalog, "en", &plan, None), "Find exact duplicates in a");
    assert_eq!(sayings.plan(&catalog, "it", &plan, None), "Trova i doppioni esatti in a");
}
