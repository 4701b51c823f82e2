//! Classify, extract, describe, draw: sentences in both languages, down to what is really in the files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::model::{Model, Say, plan};
use serde_json::{Value, json};

const NOTE: &str = "The bridge over the river closes on 2026-03-12. Tea was served at four.\n\
    Until the bridge is open again the river is crossed by boat, for 3.50 EUR.\n\
    Questions go to ada@example.org.\n";
const NOTA: &str = "Il ponte sul fiume chiude il 12 marzo 2026 e la riunione è spostata. \
    Grazie a tutti per la pazienza che avete avuto.\n";
const INVOICE: &str = "INVOICE no. 2026/17\nDate: 3 March 2026\nVAT IT01234567890\nTotal due: 120.50 EUR\n\
    IBAN IT60 X054 2811 1010 0000 0123 456\nPayment within 30 days.\n";

fn prepared() -> House {
    let house = House::supervised();
    house.write("Documents/note.txt", NOTE);
    house.write("Documents/nota.txt", NOTA);
    house.write("Documents/bill.txt", INVOICE);
    house.write("Tables/rows.csv", "city,amount\nRome,120\nOslo,80\nBonn,300\n");
    house
}

fn ask(house: &House, text: &str) -> Value {
    let now = ["--now", "2026-11-15T10:00:00+01:00", "--zone", "Europe/Rome", "--conversation", "test"];
    house.run(&[&["--json", "ask"][..], &now, &[text]].concat()).json()
}

fn column(answer: &Value, field: &str) -> Vec<Value> {
    answer["entries"].as_array().unwrap().iter().map(|entry| entry[field].clone()).collect()
}

#[test]
fn a_text_is_described_by_its_own_sentences_in_the_language_that_was_spoken() {
    let house = prepared();
    for request in ["summarize Documents/note.txt", "describe Documents/note.txt"] {
        let told = ask(&house, request);
        let text = told["text"].as_str().unwrap();
        assert!(text.contains("“The bridge over the river closes on 2026-03-12.”"), "{request}: {told}");
    }
    let told = ask(&house, "riassumi Documents/nota.txt");
    assert!(told["text"].as_str().unwrap().contains("“Il ponte sul fiume chiude"), "{told}");
    assert!(told["text"].as_str().unwrap().starts_with("1 voce."), "{told}");
    // A list that is described is counted, not read.
    let told = ask(&house, "describe the files in Documents");
    assert!(told["text"].as_str().unwrap().contains("ext: txt (3)"), "{told}");
}

#[test]
fn files_are_labelled_by_what_is_in_them() {
    let house = prepared();
    let labelled = ask(&house, "classify the files in Documents by language");
    let mut found: Vec<(String, String)> = labelled["entries"]
        .as_array()
        .unwrap()
        .iter()
        .map(|e| {
            let name = e["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
            (name, e["language"].as_str().unwrap().to_owned())
        })
        .collect();
    found.sort();
    assert_eq!(
        found[1..],
        [("nota.txt".into(), "it".into()), ("note.txt".into(), "en".into())],
        "{labelled}"
    );
    let bills = ask(&house, "which files in Documents are invoices?");
    assert!(column(&bills, "path")[0].as_str().unwrap().ends_with("bill.txt"), "{bills}");
    assert_eq!(column(&bills, "path").len(), 1, "{bills}");
    // The same of a list that is already there.
    ask(&house, "show the files in Documents");
    let bills = ask(&house, "which of these are invoices?");
    assert_eq!(column(&bills, "label"), [json!("invoice")], "{bills}");
    // What has no rules needs a model, and says how to get one.
    let topic = ask(&house, "classifica i file in Documents per argomento");
    assert_eq!(topic["status"], "failed", "{topic}");
    assert!(topic["next"].as_str().unwrap().contains("[tiers.fast]"), "{topic}");
}

#[test]
fn values_are_extracted_with_the_place_where_they_stand() {
    let house = prepared();
    let found = ask(&house, "extract the dates and amounts from Documents/note.txt");
    let entry = &found["entries"][0];
    assert_eq!((&entry["date"], &entry["amount"]), (&json!("2026-03-12"), &json!("3.50")), "{found}");
    assert_eq!(entry["found"][0]["line"], 1, "{found}");
    assert_eq!(entry["found"][1]["line"], 2, "{found}");
    let found = ask(&house, "estrai gli indirizzi email da Documents/note.txt");
    assert_eq!(found["entries"][0]["email"], "ada@example.org", "{found}");
    let found = ask(&house, "estrai gli IBAN da Documents/bill.txt");
    assert_eq!(found["entries"][0]["iban"], "IT60X0542811101000000123456", "{found}");
}

#[test]
fn rows_of_a_table_are_sorted_kept_and_drawn_by_their_columns() {
    let house = prepared();
    let cities = |request: &str| column(&ask(&house, request), "city");
    assert_eq!(cities("sort the rows of Tables/rows.csv by amount"), ["Oslo", "Rome", "Bonn"]);
    assert_eq!(cities("sort the rows of Tables/rows.csv by amount, highest first"), ["Bonn", "Rome", "Oslo"]);
    assert_eq!(cities("ordina le righe di Tables/rows.csv per city"), ["Bonn", "Oslo", "Rome"]);
    assert_eq!(
        cities("read the rows of Tables/rows.csv and keep those where amount is over 100"),
        ["Rome", "Bonn"]
    );
    assert_eq!(
        cities("leggi le righe di Tables/rows.csv e tieni quelle dove amount è sopra 100"),
        ["Rome", "Bonn"]
    );
    for request in ["make a chart of Tables/rows.csv", "fammi un grafico di Tables/rows.csv"] {
        let drawn = ask(&house, request);
        let (text, picture) = (drawn["text"].as_str().unwrap(), drawn["picture"].as_str().unwrap());
        assert!(text.contains("Bonn  ███") && text.contains("300"), "{drawn}");
        assert!(
            picture.starts_with("<svg") && picture.contains("Bonn") && picture.contains("300"),
            "{drawn}"
        );
    }
}

#[test]
fn a_part_of_an_earlier_result_is_read_by_who_asked_for_it_alone() {
    let house = prepared();
    let turn = ask(&house, "show the rows of Tables/rows.csv")["turn"].as_str().unwrap().to_owned();
    let key = format!("{turn}-1");
    let read = |args: Value| house.exec("scratchpad_read", args);
    let tail = read(json!({"key": key, "part": "tail", "count": 1}));
    assert_eq!(
        (&tail["entries"][0]["city"], &tail["metadata"]["total"]),
        (&json!("Bonn"), &json!(3)),
        "{tail}"
    );
    // The taint of a row stays with it.
    assert_eq!(tail["entries"][0]["_origin"], "content", "{tail}");
    let range = read(json!({"key": key, "part": "range", "start": 2, "count": 1}));
    assert_eq!(column(&range, "city"), [json!("Oslo")], "{range}");
    for wrong in [format!("{turn}-9"), "../../etc-1".to_owned(), turn] {
        assert_eq!(read(json!({ "key": wrong }))["error"]["class"], "not_found", "{wrong}");
    }
    let other = house.run_with(
        &["--json", "exec", "--as", "guest/cli", "scratchpad_read", "-"],
        json!({ "key": key }).to_string().as_bytes(),
    );
    assert_ne!(other.code, Some(0), "{other:?}");
}

fn bind(house: &House, model: &Model) {
    let text = model.bound("fast", "timeout_seconds = 5");
    std::fs::write(house.metnos().join("config/metnos.toml"), text).unwrap();
}

#[test]
fn a_model_sums_up_and_labels_what_rules_cannot_and_is_recorded() {
    let house = prepared();
    let said = "A bridge is closed; boats go instead.";
    let model = Model::saying(vec![Say::Text(json!({ "text": said }).to_string())]);
    bind(&house, &model);
    let told = ask(&house, "summarize Documents/note.txt");
    assert!(told["text"].as_str().unwrap().contains(said), "{told}");
    let [seen] = &model.seen()[..] else { panic!("{told}") };
    assert!(seen.body["messages"][1]["content"].as_str().unwrap().contains("crossed by boat"));
    assert!(!seen.body["messages"][0]["content"].as_str().unwrap().contains("crossed by boat"));
    let line = house.audit_lines().into_iter().rev().find(|line| line["executor"] == "describe_entries");
    let line = line.unwrap();
    assert_eq!(line["model"]["asked"], 1, "{line}");
    assert!(line["model"]["tokens_in"].as_u64() > Some(0) && line["lists"][0]["count"] == 1, "{line}");
    // A label that no rule knows.
    let model = Model::saying(vec![Say::Text(json!({ "label": "travel" }).to_string())]);
    bind(&house, &model);
    let told = ask(&house, "classify the files in Documents by topic");
    assert_eq!(column(&told, "label"), vec![json!("travel"); 3], "{told}");
}

#[test]
fn a_step_that_may_cost_more_than_the_person_said_asks_first_with_the_estimate() {
    let house = prepared();
    let model = Model::saying(vec![Say::Text(json!({ "text": "A bridge is closed." }).to_string())]);
    let config = |limit: &str| {
        let priced = model.bound("fast", "timeout_seconds = 5\nprice_in = 10\nprice_out = 100");
        std::fs::write(house.metnos().join("config/metnos.toml"), format!("{priced}\n[limits]\n{limit}\n"))
            .unwrap();
    };
    let request = "summarize Documents/note.txt";
    config("ask_above_cost = 1000000");
    let told = house.run(&["--json", "ask", request]);
    assert_eq!(told.code, Some(0), "below it nobody is asked: {told:?}");
    let line = house.audit_lines().into_iter().rev().find(|line| line["executor"] == "describe_entries");
    assert!(line.unwrap()["model"]["cost"].as_u64() > Some(0), "what it cost is written down");
    let before = model.seen().len();
    config("ask_above_cost = 1000");
    let asked = house.run(&["--json", "ask", request]);
    assert_eq!(asked.code, Some(4), "{asked:?}");
    let card = asked.json()["text"].as_str().unwrap().to_owned();
    assert!(card.contains("osts at most 0.0"), "{card}");
    assert_eq!(model.seen().len(), before, "no model was asked before the yes");
    let done = house.run(&["--json", "approve", asked.json()["approval"].as_str().unwrap()]);
    assert_eq!((done.code, model.seen().len()), (Some(0), before + 1), "{done:?}");
    let italian = house.run(&["--json", "ask", "riassumi Documents/note.txt"]).json();
    assert!(italian["text"].as_str().unwrap().contains("osta al massimo 0.0"), "{italian}");
}

#[test]
fn a_model_that_obeys_a_text_gives_no_step_and_no_answer() {
    let house = prepared();
    let steps = json!([{ "tool": "delete_files", "args": { "paths": ["~/Documents/note.txt"] } }]);
    let model = Model::saying(vec![Say::Text(plan(steps))]);
    bind(&house, &model);
    let told = ask(&house, "summarize Documents/note.txt");
    assert!(
        told["text"].as_str().unwrap().contains("“The bridge over the river"),
        "the counted text stays: {told}"
    );
    assert!(!model.seen().is_empty() && house.home().join("Documents/note.txt").exists());
    let ran: Vec<Value> = house.audit_lines().iter().map(|line| line["executor"].clone()).collect();
    assert!(ran.ends_with(&[json!("read_files"), json!("describe_entries")]), "nothing came after: {ran:?}");
}
