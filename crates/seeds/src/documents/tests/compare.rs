use super::*;

#[test]
fn texts_differ_by_lines() {
    let d = dir();
    let a = put(&d, "a.txt", "uno\ndue\ntre\n");
    let b = put(&d, "b.txt", "uno\nDUE\ntre\nquattro\n");
    let ran = run("compare_files", json!({ "paths": [a, b] }));
    assert_eq!(ran.outcome.fields["equal"], false);
    let got: Vec<_> =
        ran.items.iter().map(|i| (i["op"].as_str().unwrap(), i["text"].as_str().unwrap())).collect();
    assert_eq!(got, [("replace", "-due\n+DUE"), ("insert", "+quattro")]);
    assert_eq!((&ran.items[1]["line_a"], &ran.items[1]["line_b"]), (&json!(3), &json!(4)));
    assert_eq!(ran.items[0]["_origin"], "content");
}

#[test]
fn bytes_differ_at_an_offset() {
    let d = dir();
    let (a, b) = (put(&d, "a", b"\0abc"), put(&d, "b", b"\0abX"));
    let ran = run("compare_files", json!({ "paths": [a, b] }));
    assert_eq!((&ran.items[0]["op"], &ran.items[0]["offset"]), (&json!("different"), &json!(3)));
    let ran = run("compare_files", json!({ "paths": [a, a] }));
    assert_eq!((&ran.items[0]["op"], &ran.outcome.fields["equal"]), (&json!("equal"), &json!(true)));
    assert_eq!(ran.items[0]["hash_a"], ran.items[0]["hash_b"]);
}

#[test]
fn line_ends_alone_are_told_and_emptiness_is_equal() {
    let d = dir();
    let (a, b) = (put(&d, "a.txt", "x\n"), put(&d, "b.txt", "x\r\n"));
    let ran = run(
        "compare_files",
        json!({ "entries": [{ "path": a, "_origin": "local" }, { "path": b, "_origin": "mail" }] }),
    );
    assert_eq!((&ran.items[0]["op"], &ran.items[0]["_origin"]), (&json!("different"), &json!("mail")));
    let (a, b) = (put(&d, "c", ""), put(&d, "d", ""));
    assert_eq!(run("compare_files", json!({ "paths": [a, b] })).outcome.fields["equal"], true);
}

#[test]
fn what_makes_no_sense_or_is_missing_is_said() {
    let d = dir();
    let a = put(&d, "a.txt", "x");
    assert_eq!(
        run("compare_files", json!({ "paths": [a] })).outcome.error.unwrap().class,
        ErrorClass::WrongArgs
    );
    let ran = run("compare_files", json!({ "paths": [a, d.path().join("gone")] }));
    assert_eq!((class(&ran), ran.outcome.failed[0].index), (ErrorClass::NotFound, 1));
}

#[test]
fn huge_texts_are_compared_as_bytes_and_say_so() {
    let d = dir();
    let big = "riga\n".repeat(4 << 20);
    let (a, b) = (put(&d, "a.txt", &big), put(&d, "b.txt", big + "x"));
    let ran = run("compare_files", json!({ "paths": [a, b] }));
    assert_eq!(ran.items[0]["offset"], 20 << 20);
    assert!(ran.outcome.truncation.is_some());
}

#[test]
fn entirely_different_texts_end_in_time() {
    let d = dir();
    let text = |salt: u64| -> String {
        (0..200_000u64).map(|i| format!("{}\n", (i * 7919 + salt) % 1_000_003)).collect()
    };
    let (a, b) = (put(&d, "a.txt", text(1)), put(&d, "b.txt", text(500_000)));
    assert!(!run("compare_files", json!({ "paths": [a, b] })).items.is_empty());
}
