//! Executors in Python: signed, born in the real sandbox, run in both runtimes, held by the fence.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::calls::{all_ok, items, refused, tainted};
use crate::support::draft::Draft;
use serde_json::json;

const INVOICES: &str = include_str!("../../../python/tests/data/invoices.py");
const RUNTIMES: [&str; 2] = ["python", "cpython"];

const LIMITS: &str = "{ wall_ms = 20000, cpu_ms = 10000, memory_mb = 128, output_kb = 1024, processes = 1 }";

#[test]
fn sixty_lines_with_classes_regexes_and_dates_run_alike_in_both_runtimes() {
    let birth = r#"
[[case]]
name = "invoices after a date, with totals"
files = [{ path = "in/a.txt", text = "Invoice 2026-03-01 Anna 10.50 EUR\nnoise\n" }]
input = { folder = "${dir}/in", after = "2026-01-01" }
expect = { ok = true, ok_count = 1 }
items = [{ customer = "Anna", cents = 1050, due = "2026-03-31" }]
[[case]]
name = "an empty folder has none"
files = [{ path = "in", dir = true }]
input = { folder = "${dir}/in", after = "2026-01-01" }
expect = { ok = true, ok_count = 0 }
[[case]]
name = "a date that is none fails"
files = [{ path = "in", dir = true }]
input = { folder = "${dir}/in", after = "yesterday" }
expect = { ok = false }
"#;
    let mut answers = Vec::new();
    for runtime in RUNTIMES {
        let house = House::new();
        let draft = Draft {
            name: "find_files_text",
            runtime,
            code: INVOICES,
            read: r#"["arg:folder"]"#,
            write: "[]",
            limits: LIMITS,
            birth,
        };
        let signed = draft.sign(&house);
        assert_eq!(signed.code, Some(0), "{signed:?}");
        assert_eq!(house.run(&["executors", "test", "find_files_text"]).code, Some(0));
        house.write("bills/1.txt", "Invoice 2026-02-03 Anna 10 EUR\nInvoice 2026-01-05 Bo 99.99 EUR\n");
        house.write("bills/2.txt", "Invoice 2025-02-03 Old 1 EUR\n");
        let mut answer = house.exec("find_files_text", json!({ "folder": "~/bills", "after": "2026-01-01" }));
        all_ok(&answer, 2);
        tainted(&answer, if runtime == "cpython" { "skill" } else { "content" });
        for item in answer["entries"].as_array_mut().unwrap() {
            item.as_object_mut().unwrap().remove("_origin");
        }
        answers.push((answer["entries"].clone(), answer["totals"].clone()));
    }
    assert_eq!(answers[0], answers[1]);
    assert_eq!(answers[0].1, json!({ "Anna": 1000, "Bo": 9999 }));
}

/// Does what it is told to, to show where the fence stands.
const PROBE: &str = r#"
def run(args: dict, ctx) -> dict:
    what = args.get("do", "nothing")
    folder = args.get("folder", "")
    if what == "fail":
        raise ValueError("as asked")
    if what == "read":
        return {"entries": [{"text": ctx.read_text(args["to"])}]}
    if what == "write":
        ctx.write_text(args["to"], "written")
        return {"entries": [{"path": args["to"]}]}
    if what == "list":
        return {"entries": ctx.list_dir(folder)}
    if what == "memory":
        held = []
        while True:
            held.append("x" * 1000000 + str(len(held)))
    if what == "steps":
        n = 0
        while True:
            n = n + 1
    if what == "recursion":
        def down(n):
            return down(n + 1) + 1
        return {"entries": [{"n": down(0)}]}
    if what == "output":
        return {"entries": [{"text": "x" * 4000000}]}
    if what == "launder":
        return {"entries": [{"text": e["text"], "_origin": "user"} for e in args["entries"]]}
    return {"entries": []}
"#;

fn probe(runtime: &str, write: &str) -> House {
    let house = House::new();
    let limits = "{ wall_ms = 20000, cpu_ms = 1000, memory_mb = 64, output_kb = 512, processes = 1 }";
    let draft = Draft {
        name: "filter_files",
        runtime,
        code: PROBE,
        read: r#"["arg:folder"]"#,
        write,
        limits,
        birth: Draft::BIRTH,
    };
    let signed = draft.sign(&house);
    assert_eq!(signed.code, Some(0), "{signed:?}");
    house
}

#[test]
fn ctx_reads_writes_and_lists_inside_the_fence_and_nowhere_else() {
    for runtime in RUNTIMES {
        let house = probe(runtime, r#"["arg:folder"]"#);
        let home = house.home();
        house.write("open/a.txt", "inside");
        house.write("shut/b.txt", "outside");
        std::os::unix::fs::symlink(home.join("shut/b.txt"), home.join("open/way-out")).unwrap();
        let ask = |what: &str, to: &str| {
            let to = to.replace('~', home.to_str().unwrap());
            house.exec("filter_files", json!({ "folder": "~/open", "do": what, "to": to }))
        };
        assert_eq!(items(&ask("read", "~/open/a.txt"))[0]["text"], "inside");
        assert_eq!(items(&ask("list", "")).len(), 2);
        all_ok(&ask("write", "~/open/new.txt"), 1);
        assert_eq!(std::fs::read_to_string(home.join("open/new.txt")).unwrap(), "written");
        for (what, to) in [
            ("read", "~/shut/b.txt"),
            ("read", "~/open/../shut/b.txt"),
            ("read", "~/open/way-out"),
            ("read", "/etc/passwd"),
            ("read", "/proc/self/environ"),
            ("write", "~/shut/new.txt"),
            ("write", "~/open/way-out"),
        ] {
            let answer = ask(what, to);
            let class = answer["error"]["class"].as_str().unwrap_or("none").to_owned();
            assert!(
                ["permission_denied", "not_found", "dst_exists", "policy_violation", "conflict"]
                    .contains(&class.as_str()),
                "{runtime} {what} {to}: {answer}"
            );
            assert!(items(&answer).is_empty(), "{answer}");
        }
        assert_eq!(std::fs::read_to_string(home.join("shut/b.txt")).unwrap(), "outside");
        assert!(!home.join("shut/new.txt").exists());
        let outside = house.exec_asking("filter_files", json!({ "folder": "/var/tmp", "do": "list" }));
        refused(&outside.json(), "needs_approval");
    }
}

#[test]
fn every_bound_ends_the_call_and_names_itself() {
    for runtime in RUNTIMES {
        let house = probe(runtime, "[]");
        for what in ["memory", "steps", "recursion", "output"] {
            let answer = house.exec("filter_files", json!({ "do": what }));
            assert_eq!(answer["error"]["class"], "limit_exceeded", "{runtime} {what}: {answer}");
            assert!(answer["error"]["limit"].is_string(), "{runtime} {what}: {answer}");
        }
        all_ok(&house.exec("filter_files", json!({ "do": "nothing" })), 0);
    }
}

#[test]
fn an_executor_cannot_declare_its_answer_more_trusted_than_its_input() {
    for runtime in RUNTIMES {
        let house = probe(runtime, "[]");
        for origin in ["content", "mail", "web"] {
            let entries = json!([{ "text": "t", "_origin": origin }]);
            tainted(&house.exec("filter_files", json!({ "do": "launder", "entries": entries })), origin);
        }
    }
}
