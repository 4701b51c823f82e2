//! Texts, numbers, the clock, packages and processes, through the real sandbox.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::calls::{all_ok, batch, column, cut, items, partly, refused, tainted};
use serde_json::{Value, json};

#[test]
fn texts_are_counted_searched_and_compared() {
    let house = House::new();
    house.write("a.txt", "one two\nthree INVOICE four\n\nlast");
    house.write("bin", [0u8; 4096]);
    house.write("empty.txt", "");
    let answers = batch(
        &house,
        &[
            ("compute_texts", json!({ "text": "two words" })),
            ("compute_texts", json!({ "paths": ["~/a.txt", "~/empty.txt"], "op": "lines" })),
            ("compute_texts", json!({ "text": "" })),
            ("filter_texts_lines", json!({ "paths": ["~/a.txt"], "pattern": "invoice", "context": 1 })),
            ("filter_texts_lines", json!({ "paths": ["~/a.txt"], "pattern": "^[a-z]+$", "regex": true })),
            ("filter_texts_lines", json!({ "paths": ["~/a.txt", "~/bin"], "pattern": "one" })),
            ("filter_texts_lines", json!({ "paths": [], "pattern": "x" })),
            ("compare_texts", json!({ "a": "the black cat", "b": "the white cat" })),
            ("compare_texts", json!({ "a": "", "b": "" })),
        ],
    );
    assert_eq!(
        (&answers[0]["value"], &answers[1]["value"], &answers[2]["value"]),
        (&json!(2), &json!(4), &json!(0))
    );
    let hit = &items(&answers[3])[0];
    assert_eq!((&hit["line"], &hit["before"], &hit["after"]), (&json!(2), &json!(["one two"]), &json!([""])));
    assert_eq!(column(&answers[4], "text"), [&json!("last")]);
    assert_eq!(
        (&answers[5]["skipped_binary"], &answers[5]["ok_count"]),
        (&json!(1), &json!(1)),
        "{}",
        answers[5]
    );
    all_ok(&answers[6], 0);
    assert_eq!(
        (&items(&answers[7])[0]["before"], &items(&answers[7])[0]["after"]),
        (&json!("black"), &json!("white"))
    );
    assert_eq!((&answers[8]["equal"], items(&answers[8]).len()), (&json!(true), 0));
}

#[test]
fn long_and_hostile_texts_end_in_time() {
    let house = House::new();
    house.write("long.txt", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!\n".repeat(200_000));
    house.write("one-line.txt", "a".repeat(20 << 20));
    let many = |word: &str| (0..3_000).map(|i| format!("{word}{i} ")).collect::<String>();
    let answers = batch(
        &house,
        &[
            ("filter_texts_lines", json!({ "paths": ["~/long.txt"], "pattern": "(a+)+$", "regex": true })),
            ("filter_texts_lines", json!({ "paths": ["~/long.txt"], "pattern": "a", "max_results": 10 })),
            ("filter_texts_lines", json!({ "paths": ["~/long.txt"], "pattern": "!" })),
            ("filter_texts_lines", json!({ "paths": ["~/one-line.txt"], "pattern": "a" })),
            (
                "filter_texts_lines",
                json!({ "paths": ["~/long.txt"], "pattern": "(x{1000}){1000}", "regex": true }),
            ),
            ("filter_texts_lines", json!({ "paths": ["~/long.txt"], "pattern": "(", "regex": true })),
            ("compute_texts", json!({ "paths": ["~/one-line.txt"], "op": "chars" })),
            ("compute_texts", json!({ "paths": ["~/long.txt"], "op": "lines" })),
            ("compare_texts", json!({ "a": many("x"), "b": many("y") })),
        ],
    );
    all_ok(&answers[0], 0);
    cut(&answers[1], "max_results", 10, 10);
    all_ok(&answers[2], 200_000);
    all_ok(&answers[3], 1);
    assert_eq!(items(&answers[3])[0]["cut"], true);
    refused(&answers[4], "wrong_args");
    refused(&answers[5], "wrong_args");
    assert_eq!((&answers[6]["value"], &answers[7]["value"]), (&json!(20 << 20), &json!(200_000)));
    assert_eq!((&answers[8]["ok"], &answers[8]["equal"]), (&json!(true), &json!(false)));
}

#[test]
fn numbers_are_exact_and_nonsense_is_refused_with_its_place() {
    let house = House::new();
    for (expression, value) in [
        ("2+2", json!(4)),
        ("0.1+0.2", json!(0.3)),
        ("10%3", json!(1)),
        ("2^10", json!(1024)),
        ("-(3-5)*4", json!(8)),
    ] {
        let answer = house.exec("compute_numbers", json!({ "expression": expression }));
        assert_eq!(answer["value"], value, "{answer}");
        tainted(&answer, "user");
    }
    let deep = "(".repeat(9_000);
    let wide = "9".repeat(9_999);
    let bad = ["", "1/0", "2+", "9^9^9^9", &deep, "os.system(1)", "\u{0}", "1..2"];
    for (expression, answer) in
        bad.iter().zip(batch(&house, &bad.map(|e| ("compute_numbers", json!({ "expression": e })))))
    {
        refused(&answer, "wrong_args");
        assert!(answer["error"]["message"].is_string(), "{expression}");
    }
    let huge = house.exec("compute_numbers", json!({ "expression": wide }));
    assert_ne!(huge["error"]["class"], "internal", "{huge}");
    refused(&house.exec("compute_numbers", json!({ "expression": "1".repeat(10_001) })), "wrong_args");

    let numbers = batch(
        &house,
        &[
            ("describe_numbers", json!({ "values": [1, 2, "3"] })),
            ("describe_numbers", json!({ "values": [] })),
            ("describe_numbers", json!({ "values": [1, null, "x", 5] })),
            ("describe_numbers", json!({ "values": (0..100_000).collect::<Vec<u32>>() })),
            ("describe_numbers", json!({})),
        ],
    );
    assert_eq!((&numbers[0]["sum"], &numbers[0]["median"]), (&json!(6), &json!(2)));
    assert_eq!((&numbers[1]["count"], &numbers[1]["mean"]), (&json!(0), &Value::Null));
    partly(&numbers[2], 2, &[("item 1", "wrong_args"), ("item 2", "wrong_args")]);
    assert_eq!(numbers[3]["mean"], 49_999.5);
    refused(&numbers[4], "wrong_args");
}

#[test]
fn the_clock_knows_zones_and_nothing_else() {
    let house = House::new();
    let rome = house.exec("get_now", json!({ "timezone": "Europe/Rome" }));
    all_ok(&rome, 1);
    assert_eq!(rome["metadata"]["timezone"], "Europe/Rome");
    let tokyo = house.exec("get_now", json!({ "timezone": "Asia/Tokyo" }));
    assert!(tokyo["metadata"]["iso8601"].as_str().unwrap().ends_with("+09:00"));
    for zone in ["Nowhere/None", "../../etc/passwd", "\u{0}"] {
        refused(&house.exec("get_now", json!({ "timezone": zone })), "wrong_args");
    }
    refused(&house.exec("get_now", json!({ "timezone": "x".repeat(65) })), "wrong_args");
    all_ok(&house.exec("get_now", json!({})), 1);
}

#[test]
fn packages_and_processes_are_shown_as_they_are() {
    let house = House::new();
    let answers = batch(
        &house,
        &[
            ("find_packages", json!({ "names": ["no-such-package-anywhere"] })),
            ("find_packages", json!({ "pattern": "(((*" })),
            ("find_packages", json!({})),
            ("get_processes", json!({ "top": 0 })),
            ("get_processes", json!({ "top": 1 })),
            ("get_processes", json!({ "top": -1 })),
            ("get_processes", json!({ "pid": 1 })),
        ],
    );
    if std::path::Path::new("/var/lib/dpkg/status").exists() {
        all_ok(&answers[0], 1);
        assert_eq!(items(&answers[0])[0]["installed"], false);
        all_ok(&answers[1], 0);
        let dpkg = house.exec("find_packages", json!({ "names": ["dpkg"] }));
        assert_eq!(items(&dpkg)[0]["installed"], true, "{dpkg}");
        tainted(&dpkg, "content");
    } else {
        refused(&answers[0], "dependency_missing");
    }
    refused(&answers[2], "wrong_args");
    let me = std::process::id();
    assert!(column(&answers[3], "pid").contains(&&json!(me)), "this very process is among them");
    cut(&answers[4], "top", 1, 1);
    refused(&answers[5], "wrong_args");
    refused(&answers[6], "wrong_args");
}

#[test]
fn meaning_is_found_in_texts_and_never_made_up() {
    let house = House::new();
    let mails = json!([
        { "subject": "You WON a FREE prize!!!", "headers": { "X-Spam-Flag": "YES" }, "text": "Click here http://x.example/win to claim $1,000,000 now" },
        { "subject": "Riunione", "text": "Ci vediamo domani in ufficio per il progetto, porta i documenti" },
        { "text": "" },
        { "n": 5 },
    ]);
    let answers = batch(
        &house,
        &[
            ("classify_entries", json!({ "entries": mails, "dimension": "spam" })),
            ("classify_entries", json!({ "entries": mails, "dimension": "language" })),
            ("classify_entries", json!({ "entries": mails })),
            (
                "extract_entries",
                json!({ "entries": [{ "text": "Due 4 March 2026: € 1.234,50, IBAN DE89 3704 0044 0532 0130 00, call +39 06 1234567" }], "fields": ["date", "amount", "iban", "phone"] }),
            ),
            (
                "extract_entries",
                json!({ "entries": [{ "text": "nothing here" }], "fields": ["date", "amount", "iban"] }),
            ),
            (
                "extract_entries",
                json!({ "entries": [{ "text": "9".repeat(1 << 20) }], "fields": ["amount", "phone", "date", "iban", "email", "url"] }),
            ),
            ("describe_entries", json!({ "entries": mails, "style": "bullets" })),
        ],
    );
    for answer in &answers {
        assert_ne!(answer["error"]["class"], "internal", "{answer}");
    }
    let labels = column(&answers[0], "label");
    assert_ne!(labels[0], labels[1], "{}", answers[0]);
    assert_eq!(items(&answers[1])[1]["language"], "it");
    refused(&answers[2], "wrong_args");
    let found = &items(&answers[3])[0];
    assert_eq!(
        (&found["date"], &found["amount"], &found["currency"]),
        (&json!("2026-03-04"), &json!("1234.50"), &json!("EUR")),
        "{found}"
    );
    assert_eq!(found["iban"], "DE89370400440532013000", "{found}");
    let nothing = &items(&answers[4])[0];
    assert!(["date", "amount", "iban"].iter().all(|f| nothing[*f].is_null()), "{nothing}");
    assert_eq!(answers[5]["ok"], true, "{}", answers[5]["error"]);
    assert!(answers[6]["text"].is_string());
}
