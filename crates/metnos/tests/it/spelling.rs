//! A typing error is corrected where nothing else explains a word, the correction is told, and a change over it always
//! asks.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use serde_json::Value;

fn ask(house: &House, request: &str) -> Value {
    house.run(&["--json", "ask", request]).json()
}

fn note(answer: &Value) -> &str {
    answer["note"].as_str().unwrap_or_default()
}

#[test]
fn a_misspelled_word_is_read_as_it_was_meant_and_that_is_told() {
    let house = House::supervised();
    house.write("Downloads/a.pdf", "a");
    house.write("Downloads/b.txt", "b");
    for (request, told) in [
        ("find the pdfs in downlods", "`downlods` as `downloads`"),
        ("shwo me the pdfs in downloads", "`shwo` as `show`"),
        ("trova i pdf in scraicati", "`scraicati` come `scaricati`"),
    ] {
        let answer = ask(&house, request);
        assert_eq!(answer["status"], "done", "{answer}");
        assert!(note(&answer).contains(told), "{answer}");
        assert!(answer.to_string().contains("a.pdf") && !answer.to_string().contains("b.txt"), "{answer}");
    }
    // What is right as it stands is not touched.
    let answer = ask(&house, "find the pdfs in downloads");
    assert!(answer["note"].is_null(), "{answer}");
}

#[test]
fn a_change_over_a_misspelled_word_asks_at_every_level() {
    // The level at which a change in the home is not asked about.
    let house = House::new();
    for name in ["Downloads/a.txt", "Downloads/b.txt"] {
        house.write(name, name);
    }
    let done = ask(&house, "delete ~/Downloads/a.txt");
    assert_eq!(done["status"], "done", "{done}");
    let waits = ask(&house, "delte ~/Downloads/b.txt");
    assert_eq!(waits["status"], "waits", "{waits}");
    assert!(waits.to_string().contains("`delte` as `delete`"), "{waits}");
    assert!(house.home().join("Downloads/b.txt").exists());
}

#[test]
fn a_common_word_that_means_nothing_here_is_no_misspelling() {
    let house = House::supervised();
    for request in
        ["who is the president of France?", "play the songs in Music", "chi è il presidente della Francia?"]
    {
        let answer = ask(&house, request);
        assert!(
            answer["plan"].is_null() || answer["plan"]["steps"].as_array().is_none_or(Vec::is_empty),
            "{answer}"
        );
    }
}
