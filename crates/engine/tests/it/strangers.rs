//! Executors that no row speaks of: what their manifests say is enough.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use metnos_engine::{Answer, Catalog, Clock, Lexicons, Plan, Planner, Request};
use serde_json::json;

/// A manifest, with what it tells the planner.
fn manifest(name: &str, affinity: &str, plan: &str) -> String {
    format!(
        r#"[executor]
name = "{name}"
version = "1.0.0"
[description.en]
scope = "Something new."
[routing]
affinity = {{ {affinity} }}
companions = []
[plan]
{plan}
"#
    )
}

/// A schema that takes these properties and gives records with a value.
fn schema(input: &str) -> String {
    format!(
        r#"{{"definitions": {{"Input": {{"type": "object", "additionalProperties": false, "properties": {{{input}}}}},
          "Output": {{"type": "object", "properties": {{"entries": {{"type": "array", "items": {{"type": "object",
            "properties": {{"word": {{"type": "string"}}}}}}}}}}}}}}}}"#
    )
}

const TIDES: &str =
    r#"en = ["tide", "tides", "high water"], it = ["marea", "maree"], es = ["marea", "mareas"]"#;
const PIRATE: &str = r#"en = ["pirate", "piratise"], it = ["pirata", "piratesco"], es = ["pirata"]"#;

fn planner(sources: &[(String, String)]) -> Planner {
    Planner::new(Catalog::shipped().unwrap().joined(sources), Lexicons::shipped().unwrap())
}

/// The plan as one line; what is offered, each after a question mark.
fn said(planner: &Planner, text: &str) -> String {
    let line = |plan: &Plan| {
        let steps = plan.steps.iter().map(|step| format!("{}{}", step.tool, json!(step.args)));
        steps.collect::<Vec<_>>().join(" | ")
    };
    let clock = Clock::parse("2026-11-16T10:00:00Z", "Europe/Rome").unwrap();
    match planner.plan(&Request { text, language: None, context: &[] }, &clock).0 {
        Answer::Plan(plan) => line(&plan),
        Answer::Offer(offer) => {
            offer.offers.iter().map(|choice| format!("? {}", line(&choice.plan))).collect()
        }
        Answer::Gap(_) => "gap".to_owned(),
        other => format!("{other:?}"),
    }
}

/// Speaks like a pirate.
fn pirate(affinity: &str) -> (String, String) {
    let plan = "args = { phrase = \"text\" }\nrequires = [[\"phrase\"]]";
    (manifest("compute_texts_segments", affinity, plan), schema(r#""phrase": {"type": "string"}"#))
}

#[test]
fn the_words_of_a_manifest_lead_to_a_new_executor_in_every_language_it_speaks() {
    let own = planner(&[pirate(PIRATE)]);
    let answer = |words: &str| format!("compute_texts_segments{{\"phrase\":\"{words}\"}}");
    for (text, words) in [
        ("say 'hello my friend' like a pirate", "hello my friend"),
        ("turn 'good morning' into pirate speech", "good morning"),
        ("piratise \"good morning\"", "good morning"),
        ("traduci 'ciao amico' in pirata", "ciao amico"),
        ("scrivi \"buongiorno\" in piratesco", "buongiorno"),
        ("di 'hola amigo' como un pirata", "hola amigo"),
    ] {
        assert_eq!(said(&own, text), answer(words), "{text}");
    }
    let mute = planner(&[pirate("")]);
    for text in
        ["say 'hello my friend' like a pirate", "piratise \"good morning\"", "traduci 'ciao amico' in pirata"]
    {
        let said = said(&mute, text);
        assert!(said == "gap" || said.starts_with("? "), "{text}: {said}");
        assert!(!said.contains("compute_texts_segments"), "{text}: {said}");
    }
}

#[test]
fn what_the_section_tells_of_arguments_is_believed_before_their_names() {
    // Without the section nobody knows what the argument is for.
    let bare = manifest("compute_texts_segments", PIRATE, "");
    let deaf = planner(&[(bare, pirate("").1)]);
    assert_ne!(
        said(&deaf, "piratise \"good morning\""),
        "compute_texts_segments{\"phrase\":\"good morning\"}"
    );
    // `text` is what its name says, unless the manifest says that it is what is looked for.
    let looks = manifest("get_places_web", TIDES, "args = { text = \"place\" }");
    let own = planner(&[(looks, schema(r#""text": {"type": "string", "format": "path"}"#))]);
    assert_eq!(said(&own, "show me the tides in ~/Documents"), "get_places_web{\"text\":\"~/Documents\"}");
}

#[test]
fn one_of_its_words_is_enough_and_other_requests_do_not_change() {
    let own = planner(&[(manifest("get_places_web", TIDES, ""), schema("")), pirate(PIRATE)]);
    for text in ["show me the tides", "dimmi la marea", "tide please"] {
        assert_eq!(said(&own, text), "get_places_web{}", "{text}");
    }
    let shipped = planner(&[]);
    for text in [
        "find the pdfs in Downloads",
        "what time is it",
        "count the words in 'a b c'",
        "what is the weather",
        "order a pizza",
        "delete ~/a.txt",
        "trova le foto in Immagini",
    ] {
        assert_eq!(said(&own, text), said(&shipped, text), "{text}");
    }
}

#[test]
fn what_changes_something_is_ordered_by_its_word_as_it_is_written_and_works_on_what_is_named() {
    let files = r#""paths": {"type": "array", "items": {"type": "string", "format": "path"}},
        "entries": {"type": "array", "items": {"type": "object"}}"#;
    let plan = "requires = [[\"paths\", \"entries\"]]\nbounded = true";
    let words = r#"en = ["scramble"], it = ["strapazza"]"#;
    let own = planner(&[(manifest("change_files_lines", words, plan), schema(files))]);
    let done = "change_files_lines{\"paths\":[\"~/a.txt\"]}";
    assert_eq!(said(&own, "scramble ~/a.txt"), done);
    assert_eq!(said(&own, "strapazza ~/a.txt"), done);
    // What it works on is looked up as for any other.
    let found =
        "find_files{\"base_path\":\"~/Downloads\",\"kind\":\"pdf\"} | change_files_lines{\"from_step\":1}";
    assert_eq!(said(&own, "scramble the PDFs in Downloads"), found);
    for text in [
        "should I scramble ~/a.txt?",
        "scrambled ~/a.txt",
        "don't scramble ~/a.txt",
        "scramble everything",
        "scramble ~/a.txt unless it is new",
        "I like eggs scramble",
    ] {
        assert!(!said(&own, text).contains("change_files_lines"), "{text}: {}", said(&own, text));
    }
}

#[test]
fn a_section_that_is_wrong_names_the_executor_the_key_and_what_is_known() {
    let (_, schema) = pirate("");
    let error = |plan: &str| {
        let manifest = manifest("compute_texts_segments", PIRATE, plan);
        Catalog::from_sources(&[(&manifest, &schema)]).unwrap_err().to_string()
    };
    let wrong = error("args = { phrase = \"txt\" }");
    assert!(wrong.contains("compute_texts_segments/manifest.toml") && wrong.contains("`txt`"), "{wrong}");
    assert!(wrong.contains("`text`") && wrong.contains("`write_format`"), "{wrong}");
    assert!(error("arg = {}").contains("unknown field `arg`, expected one of `args`, `needs`"));
    assert_eq!(
        error("args = { words = \"text\" }"),
        "compute_texts_segments/manifest.toml: [plan] args: there is no argument \"words\"; known: phrase"
    );
    assert!(
        error("requires = [[\"phrases\"]]").contains("[plan] requires: there is no argument \"phrases\"")
    );
    assert!(error("bounded = 3").contains("compute_texts_segments/manifest.toml"));
}
