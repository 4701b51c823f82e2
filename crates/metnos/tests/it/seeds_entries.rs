//! Lists of entries through the real sandbox: small, empty, long, crooked and tainted.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::calls::{all_ok, batch, column, cut, items, lines, long, partly, refused, tainted};
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Every processor of entries with arguments that suit `sample`.
fn processors() -> Vec<(&'static str, Value)> {
    vec![
        ("sort_entries", json!({ "by": "size" })),
        ("filter_entries", json!({ "where_field": "size", "where_min": 0 })),
        ("group_entries", json!({ "by": "ext", "aggregate": "sum", "field": "size" })),
        ("compute_entries", json!({ "op": "sum", "field": "size" })),
        ("compute_entries", json!({ "op": "count" })),
        ("render_entries", json!({ "format": "table" })),
        ("render_entries", json!({ "format": "html" })),
        ("render_entries", json!({ "format": "chart" })),
        ("describe_entries", json!({})),
        ("describe_numbers", json!({ "field": "size" })),
        ("classify_entries", json!({ "dimension": "language" })),
        ("extract_entries", json!({ "fields": ["date", "amount", "email"] })),
        ("compare_entries", json!({ "with": [] })),
        ("filter_lists", json!({ "op": "union", "with": [] })),
        ("filter_lists", json!({ "op": "difference", "with": [] })),
    ]
}

fn sample(n: u64, origin: &str) -> Value {
    json!({
        "path": format!("/x/f{n}.txt"), "name": format!("f{n}.txt"), "size": n * 10,
        "mtime": "2026-01-02T03:04:05Z", "text": "Please pay 12.50 EUR by 2026-03-04, write to me@example.org",
        "_origin": origin,
    })
}

fn with_entries(calls: Vec<(&'static str, Value)>, entries: &Value) -> Vec<(&'static str, Value)> {
    let fill = |(name, mut args): (&'static str, Value)| {
        args["entries"] = entries.clone();
        (name, args)
    };
    calls.into_iter().map(fill).collect()
}

#[test]
fn each_processor_gives_what_it_promises() {
    let house = House::new();
    let entries = json!([sample(3, "local"), sample(1, "local"), sample(2, "local")]);
    let answers = batch(&house, &with_entries(processors(), &entries));
    for answer in &answers {
        assert_eq!(answer["ok"], true, "{answer}");
    }
    assert_eq!(column(&answers[0], "size"), [&json!(10), &json!(20), &json!(30)]);
    assert_eq!(items(&answers[1]).len(), 3);
    assert_eq!((&items(&answers[2])[0]["key"], &items(&answers[2])[0]["value"]), (&json!("txt"), &json!(60)));
    assert_eq!((&answers[3]["value"], &answers[4]["value"]), (&json!(60), &json!(3)));
    assert!(answers[5]["text"].as_str().unwrap().contains("f1.txt"));
    assert!(answers[6]["text"].as_str().unwrap().starts_with("<table>"));
    assert_eq!(answers[9]["mean"], 20);
    assert_eq!(items(&answers[10])[0]["language"], "en");
    let found = &items(&answers[11])[0];
    assert_eq!(
        (&found["date"], &found["amount"], &found["email"]),
        (&json!("2026-03-04"), &json!("12.50"), &json!("me@example.org"))
    );
    assert_eq!(answers[12]["metadata"]["added"], 3);
}

#[test]
fn an_empty_list_is_an_answer_not_an_error() {
    let house = House::new();
    for answer in batch(&house, &with_entries(processors(), &json!([]))) {
        assert_eq!(
            (answer["ok"].as_bool(), answer["fail_count"].as_u64()),
            (Some(true), Some(0)),
            "{answer}"
        );
    }
    for op in ["intersect", "symdiff", "overlap"] {
        all_ok(&house.exec("filter_lists", json!({ "op": op, "entries": [], "with": [] })), 0);
    }
}

#[test]
fn two_hundred_thousand_entries_fit_the_limits_of_every_manifest() {
    let house = House::new();
    let entry = |i: u64| {
        json!({ "path": format!("/a/f{i}.txt"), "name": format!("f{i}.txt"), "size": (i * 7919) % 1_000_003,
                "mtime": format!("2026-{:02}-01T00:00:00Z", i % 12 + 1), "_origin": "local" })
    };
    let all = lines(&house, "all.jsonl", (0..200_000).map(entry));
    let fewer = lines(&house, "fewer.jsonl", (1_000..200_000).map(entry));
    let run = |name: &str, args: Value| long(&house, name, &args, &all, None);

    let sorted = run("sort_entries", json!({ "by": "size", "order": "desc" }));
    all_ok(&sorted.head, 200_000);
    assert!(sorted.items.windows(2).all(|w| w[0]["size"].as_u64() >= w[1]["size"].as_u64()));
    let three = run("sort_entries", json!({ "by": "size", "limit": 3 }));
    cut(&three.head, "limit", 3, 3);
    assert_eq!(three.head["available_total"], 200_000);
    all_ok(&run("filter_entries", json!({ "where_field": "name", "where_glob": "*9.txt" })).head, 20_000);
    assert_eq!(run("group_entries", json!({ "by": "month" })).items.len(), 12);
    assert_eq!(run("group_entries", json!({ "by": "name" })).items.len(), 200_000);
    assert_eq!(
        run("compute_entries", json!({ "op": "count_distinct", "field": "name" })).head["value"],
        200_000
    );
    assert_eq!(run("describe_numbers", json!({ "field": "size" })).head["count"], 200_000);
    all_ok(&run("describe_entries", json!({})).head, 200_000);
    all_ok(&run("extract_entries", json!({ "fields": ["date"] })).head, 200_000);
    cut(&run("render_entries", json!({})).head, "max_rows", 1_000, 1_000);
    all_ok(&run("write_files", json!({ "path": "~/all.csv" })).head, 1);
    all_ok(&run("write_files", json!({ "path": "~/all.xlsx" })).head, 1);
    let csv = std::fs::read_to_string(house.home().join("all.csv")).unwrap();
    assert_eq!(csv.lines().count(), 200_001);

    let both = |name: &str, args: Value| long(&house, name, &args, &all, Some(&fewer));
    let compared = both("compare_entries", json!({ "key": "path" }));
    assert_eq!(
        (&compared.head["metadata"]["added"], &compared.head["metadata"]["equal"]),
        (&json!(1_000), &json!(199_000))
    );
    all_ok(&both("filter_lists", json!({ "op": "intersect", "key": "path" })).head, 199_000);
    all_ok(&both("filter_lists", json!({ "op": "union", "key": "path" })).head, 200_000);
    all_ok(&both("filter_lists", json!({ "op": "symdiff", "key": "path" })).head, 1_000);
}

#[test]
fn crooked_entries_and_patterns_are_refused_or_counted() {
    let house = House::new();
    let nested = |levels: usize| -> Value {
        serde_json::from_str(&format!("{}1{}", "[".repeat(levels), "]".repeat(levels))).unwrap()
    };
    let entries = json!([
        { "size": 1, "name": "a\n=cmd()", "x": nested(50) },
        { "size": "huge", "name": "<script>" },
        { "other": true },
        { "size": 1e308, "name": "\u{202e}gpj.exe" },
    ]);
    for answer in batch(&house, &with_entries(processors(), &entries)) {
        assert!(answer.get("error").is_none_or(|e| e["class"] == "wrong_args"), "{answer}");
    }
    let answers = batch(
        &house,
        &[
            ("filter_entries", json!({ "entries": entries, "where_field": "name", "where_regex": "(a+)+$" })),
            (
                "filter_entries",
                json!({ "entries": entries, "where_field": "name", "where_regex": "(x{1000}){1000}" }),
            ),
            ("filter_entries", json!({ "entries": entries, "where_field": "name", "where_regex": "(" })),
            ("sort_entries", json!({ "entries": entries, "by": "nothing" })),
            ("sort_entries", json!({ "entries": "no list", "by": "size" })),
            ("sort_entries", json!({ "entries": [1, 2], "by": "size" })),
            ("sort_entries", json!({ "entries": [{ "size": nested(100) }], "by": "size" })),
            ("render_entries", json!({ "entries": entries, "format": "html" })),
            (
                "render_entries",
                json!({ "entries": [{ "c": "=1+1" }, { "c": " @x" }, { "c": "-5" }], "format": "csv" }),
            ),
            (
                "filter_lists",
                json!({ "op": "intersect", "key": "id", "entries": [{ "id": 1 }, { "no": 1 }], "with": [{ "id": 1 }, {}] }),
            ),
        ],
    );
    assert_eq!(answers[0]["ok"], true, "{}", answers[0]);
    for answer in &answers[1..=6] {
        refused(answer, "wrong_args");
    }
    assert!(!answers[7]["text"].as_str().unwrap().contains("<script>"));
    assert_eq!(answers[8]["text"], "c\n'=1+1\n' @x\n-5\n");
    partly(&answers[9], 1, &[("entry 1", "wrong_args"), ("entry 1", "wrong_args")]);

    let broken = house.metnos().with_file_name("broken.jsonl");
    std::fs::write(&broken, "{\"size\":1}\n{\"size\":\n").unwrap();
    let ran = house.run(&[
        "--json",
        "exec",
        "sort_entries",
        r#"{"by":"size"}"#,
        "--entries",
        broken.to_str().unwrap(),
    ]);
    assert_eq!((ran.code, ran.json()["error"]["class"].as_str()), (Some(2), Some("wrong_args")), "{ran:?}");
}

#[test]
fn caps_are_declared_and_zero_lifts_them() {
    let house = House::new();
    let entries: Vec<Value> = (0..1_500).map(|n| sample(n, "local")).collect();
    let answers = batch(
        &house,
        &[
            ("sort_entries", json!({ "entries": entries, "by": "size", "limit": 7 })),
            ("sort_entries", json!({ "entries": entries, "by": "size", "limit": 0 })),
            ("render_entries", json!({ "entries": entries, "max_rows": 5 })),
            ("render_entries", json!({ "entries": entries, "max_rows": 0 })),
        ],
    );
    cut(&answers[0], "limit", 7, 7);
    all_ok(&answers[1], 1_500);
    cut(&answers[2], "max_rows", 5, 5);
    assert!(answers[3]["text"].as_str().unwrap().contains("f1499.txt"));
    assert!(answers[1].get("truncated").is_none() && answers[3].get("truncated").is_none());
}

#[test]
fn every_seed_that_takes_a_list_is_tried_with_a_tainted_entry() {
    let house = House::new();
    let mut tried: BTreeSet<&str> = processors().into_iter().map(|(name, _)| name).collect();
    tried.extend(["filter_lists", "compare_entries"]);
    tried.extend(crate::support::TAINTED_BY_PATH);
    let seeds = std::fs::read_dir(house.metnos().join("executors/seed")).unwrap().flatten();
    for seed in seeds.filter(|entry| entry.path().is_dir()) {
        let version = std::fs::read_dir(seed.path()).unwrap().flatten().find(|entry| entry.path().is_dir());
        let schema = std::fs::read_to_string(version.unwrap().path().join("schema.json")).unwrap();
        let schema: Value = serde_json::from_str(&schema).unwrap();
        let takes = !schema["definitions"]["Input"]["properties"]["entries"].is_null();
        let name = seed.file_name().into_string().unwrap();
        assert!(!takes || tried.contains(name.as_str()), "{name} takes a list and no test taints it");
    }
}

#[test]
fn nothing_derived_is_more_trusted_than_what_it_came_from() {
    let house = House::new();
    for origin in ["content", "mail", "web", "no such origin"] {
        let floor = if origin.contains(' ') { "web" } else { origin };
        for answer in batch(&house, &with_entries(processors(), &json!([sample(1, origin)]))) {
            tainted(&answer, floor);
        }
        // One tainted entry among clean ones taints whatever is made of all of them.
        let mixed = json!([sample(1, "local"), sample(2, origin)]);
        for (answer, (name, _)) in batch(&house, &with_entries(processors(), &mixed)).iter().zip(processors())
        {
            if ["group_entries", "compute_entries", "render_entries", "describe_entries", "describe_numbers"]
                .contains(&name)
            {
                tainted(answer, floor);
            } else {
                assert_eq!(
                    column(answer, "_origin").iter().filter(|o| **o == "local").count(),
                    1,
                    "{answer}"
                );
            }
        }
        for (name, args) in [
            ("filter_lists", json!({ "op": "intersect" })),
            ("filter_lists", json!({ "op": "overlap", "key": "mtime" })),
            ("compare_entries", json!({ "key": "path" })),
        ] {
            let mut args = args;
            args["entries"] = json!([sample(1, "local")]);
            args["with"] = json!([sample(1, origin)]);
            tainted(&house.exec(name, args), floor);
        }
    }
}
