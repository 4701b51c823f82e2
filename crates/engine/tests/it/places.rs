//! Where things are: a folder in a folder is one, a place that nothing joins to another is not meant beside it, and one
//! thing is not all that is there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use metnos_engine::{Answer, Catalog, Clock, Lexicons, Planner, Request};
use serde_json::{Value, json};

fn planner() -> Planner {
    Planner::new(Catalog::shipped().unwrap(), Lexicons::shipped().unwrap())
}

fn answer(planner: &Planner, lang: &str, text: &str) -> Answer {
    let clock = Clock::parse("2026-11-15T10:00:00+01:00", "Europe/Rome").unwrap();
    planner.plan(&Request { text, language: Some(lang), context: &[] }, &clock).0
}

/// The steps of a plan as pairs of executor and arguments.
fn steps(planner: &Planner, lang: &str, text: &str) -> Value {
    let answer = answer(planner, lang, text);
    let plan = answer.as_plan().unwrap_or_else(|| panic!("{text}: {answer:?}"));
    plan.steps.iter().map(|step| json!([step.tool, step.args])).collect()
}

#[test]
fn a_folder_in_a_folder_is_one() {
    let planner = planner();
    for (lang, text, path) in [
        ("en", "delete the 'Trip' folder in Documents", "~/Documents/Trip"),
        ("en", "delete the Trip folder on the Desktop", "~/Desktop/Trip"),
        ("en", "delete the folder build in ~/code", "~/code/build"),
        ("en", "delete the folder build from ~/code", "~/code/build"),
        ("it", "elimina la cartella 'Viaggio' in Documenti", "~/Documents/Viaggio"),
        ("it", "cancella la cartella temp di ~/Work", "~/Work/temp"),
        ("it", "elimina la directory node_modules dentro ~/sviluppo", "~/sviluppo/node_modules"),
    ] {
        assert_eq!(steps(&planner, lang, text), json!([["delete_dirs", { "paths": [path] }]]), "{text}");
    }
}

#[test]
fn folders_of_a_name_are_looked_for() {
    let planner = planner();
    for (lang, text, base) in [
        ("en", "zap all the node_modules folders under ~/dev", "~/dev"),
        ("it", "sbarazzati di tutte le cartelle node_modules sotto ~/sviluppo", "~/sviluppo"),
    ] {
        let expected = json!([
            ["find_dirs", { "base_path": base, "patterns": ["node_modules"] }],
            ["delete_dirs", { "from_step": 1 }]
        ]);
        assert_eq!(steps(&planner, lang, text), expected, "{text}");
    }
}

#[test]
fn places_that_nothing_joins_are_not_both_meant() {
    let planner = planner();
    for (lang, text) in [
        ("en", "drop the photos in ~/Share"),
        ("en", "drop the pdfs from Downloads in ~/Share"),
        ("en", "find the pdfs in Downloads in ~/Old"),
        ("it", "butta le foto di Immagini in ~/Condivisi"),
    ] {
        assert!(answer(&planner, lang, text).as_plan().is_none(), "{text}");
    }
}

#[test]
fn one_thing_is_not_all_there_is() {
    let planner = planner();
    for (lang, text) in [
        ("en", "delete the folder in ~/Work"),
        ("en", "delete the photo in Downloads"),
        ("en", "move the pdf in Downloads to ~/X"),
        ("it", "cancella la cartella in ~/Lavoro"),
        ("it", "cancella il file in ~/Lavoro"),
    ] {
        assert!(matches!(answer(&planner, lang, text), Answer::Ask(_)), "{text}");
    }
    let every = steps(&planner, "en", "delete every photo in Downloads");
    assert_eq!(every[1][0], "delete_files");
}

#[test]
fn what_is_put_elsewhere_is_not_thrown_away() {
    let planner = planner();
    let expected = json!([
        ["find_files", { "base_path": "~/Desktop", "kind": "pdf" }],
        ["move_files", { "dst_dir": "~/Documents", "from_step": 1 }]
    ]);
    for (lang, text) in [
        ("en", "remove the pdfs from the Desktop and put them in Documents"),
        ("it", "levami i pdf dalla Scrivania e mettili in Documenti"),
    ] {
        assert_eq!(steps(&planner, lang, text), expected, "{text}");
    }
    let copy = steps(&planner, "en", "find the PDFs in Downloads and drop a copy in ~/Share");
    assert_eq!(copy[1], json!(["write_files", { "dst_dir": "~/Share", "from_step": 1 }]));
}

#[test]
fn the_folder_that_was_just_named_is_the_one() {
    let planner = planner();
    for (lang, text) in [
        ("en", "I'm done with ~/Work/2019, bin the whole folder"),
        ("it", "~/Work/2019 non mi serve più, cancella la cartella"),
        ("it", "ho finito con ~/Work/2019, cancella la cartella"),
    ] {
        let expected = json!([["delete_dirs", { "paths": ["~/Work/2019"] }]]);
        assert_eq!(steps(&planner, lang, text), expected, "{text}");
    }
}

#[test]
fn a_condition_on_rows_holds_whatever_the_verb() {
    let planner = planner();
    for (text, negate) in [
        ("open the rows of ~/x.csv where city is Rome", None),
        ("show the rows of ~/x.csv where city is not Rome", Some(true)),
    ] {
        let found = steps(&planner, "en", text);
        let filter = &found[1][1];
        assert_eq!(
            (&filter["where_field"], &filter["where_value"]),
            (&json!("city"), &json!("Rome")),
            "{text}"
        );
        assert_eq!(filter["negate"].as_bool(), negate, "{text}");
    }
}
