//! Plain words, from the sentence to the files and back.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::{House, Ran};
use serde_json::{Value, json};
use std::process::Command;

const LAST_MONTH: &str = "2026-10-12";

/// A home with three big PDFs of last month and things that are none.
fn prepared(house: &House) {
    let dated = |path: &str, bytes: usize, date: &str| {
        let file = house.write(path, vec![b'x'; bytes]);
        let touched = Command::new("touch").args(["-d", date]).arg(file).status().unwrap();
        assert!(touched.success());
    };
    for n in 1..=3 {
        dated(&format!("Documents/invoice {n}.pdf"), 1_500_000, LAST_MONTH);
    }
    dated("Documents/small.pdf", 10, LAST_MONTH);
    dated("Documents/old.pdf", 1_500_000, "2025-01-01");
    dated("Documents/notes.txt", 1_500_000, LAST_MONTH);
    house.write("Archive/here.txt", "here");
}

fn ask(house: &House, text: &str) -> Ran {
    let now = ["--now", "2026-11-15T10:00:00+01:00", "--zone", "Europe/Rome", "--conversation", "test"];
    house.run(&[&["--json", "ask"][..], &now, &[text]].concat())
}

fn names(house: &House, dir: &str) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(house.home().join(dir))
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn a_sentence_becomes_a_plan_a_card_an_act_and_an_answer_and_undo_takes_it_back() {
    let house = House::supervised();
    prepared(&house);
    let before = names(&house, "Documents");
    let asked = ask(
        &house,
        "find the PDFs from last month in Documents bigger than 1 MB and put them in Archive/2026",
    );
    assert_eq!(asked.code, Some(4), "{asked:?}");
    let answer = asked.json();
    assert_eq!(answer["status"], "waits");
    assert_eq!(names(&house, "Documents"), before, "nothing happens before the yes");
    let done = house.run(&["--json", "approve", answer["approval"].as_str().unwrap()]).json();
    assert_eq!((&done["status"], done["entries"].as_array().unwrap().len()), (&json!("done"), 3), "{done}");
    assert!(done["text"].as_str().unwrap().starts_with("3 files"), "{done}");
    assert_eq!(names(&house, "Archive/2026"), ["invoice 1.pdf", "invoice 2.pdf", "invoice 3.pdf"]);
    let undone = ask(&house, "undo").json();
    assert_eq!(undone["status"], "done", "{undone}");
    assert_eq!(names(&house, "Documents"), before);
    assert_eq!(names(&house, "Archive"), ["here.txt"]);
    for turn in house.run(&["--json", "turns"]).json().as_array().unwrap() {
        let replayed = house.run(&["--json", "replay", turn["turn"].as_str().unwrap()]);
        assert_eq!((replayed.code, &replayed.json()["differences"]), (Some(0), &json!([])), "{turn}");
    }
    house.chain_holds();
}

#[test]
fn answers_are_said_from_what_is_there_in_the_language_that_was_spoken() {
    let house = House::supervised();
    prepared(&house);
    let text = |request: &str| ask(&house, request).json()["text"].as_str().unwrap().to_owned();
    assert_eq!(text("how many files are in Documents?"), "6");
    assert!(text("quali file in Documenti pesano più di un mega?").starts_with("Trovati: 5 file"));
    let listed = ask(&house, "show the two largest files in Documents").json();
    assert_eq!(listed["entries"].as_array().unwrap().len(), 2, "{listed}");
    // The list of the answer before is what "them" means.
    assert_eq!(text("how many are they?"), "2");
}

#[test]
fn what_nothing_can_do_is_said_and_noted_and_what_is_missing_is_asked_once() {
    let house = House::supervised();
    let gap = ask(&house, "order me a pizza");
    assert_eq!((gap.code, &gap.json()["status"]), (Some(1), &json!("gap")));
    assert!(gap.json()["text"].as_str().unwrap().contains("pizza"), "{gap:?}");
    for (request, word) in [("what can you do?", "find_files"), ("cosa sai fare?", "Trova")] {
        let help = ask(&house, request);
        assert_eq!(help.code, Some(0), "{help:?}");
        assert!(help.json()["text"].as_str().unwrap().contains(word), "{help:?}");
    }
    house.write("Documents/a.pdf", "a");
    let missing = ask(&house, "rename ~/Documents/a.pdf");
    assert_eq!((missing.code, &missing.json()["status"]), (Some(4), &json!("asks")), "{missing:?}");
    let dormant = ask(&house, "find the unread mails of this week").json();
    assert_eq!(dormant["status"], "dormant", "{dormant}");
    for odd in ["", " ", "🦀🦀🦀", "σήμερα", &"find ".repeat(10_000), &"and then ".repeat(40)] {
        let ran = ask(&house, odd);
        assert!(matches!(ran.code, Some(1 | 2 | 4)), "{odd:.20}: {ran:?}");
    }
}

#[test]
fn a_plan_is_the_same_bytes_every_time_and_runs_nothing() {
    let house = House::bare();
    let plan = |lang: &str| {
        let mut command = house.command();
        command.args(["--json", "plan", "--now", "2026-11-15T10:00:00+01:00", "--zone", "Europe/Rome"]);
        command.env("LANG", lang).arg("delete the videos older than two years in Movies");
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let first = plan("C");
    let value: Value = serde_json::from_str(&first).unwrap();
    assert_eq!(value["plan"]["steps"][1]["tool"], "delete_files", "{value}");
    for lang in ["C", "it_IT.UTF-8", "tr_TR.UTF-8"] {
        assert_eq!(plan(lang), first);
    }
    // Every request of the yardstick, in processes of their own, in other places of the world.
    let requests = concat!(env!("CARGO_MANIFEST_DIR"), "/../engine/tests/data/requests.jsonl");
    let all = |lang: &str, zone: &str| {
        let mut command = house.command();
        command.args([
            "plan",
            "--now",
            "2026-11-15T10:00:00+01:00",
            "--zone",
            "Europe/Rome",
            "--batch",
            requests,
        ]);
        command.env("LC_ALL", lang).env("TZ", zone);
        String::from_utf8(command.output().unwrap().stdout).unwrap()
    };
    let first = all("C", "UTC");
    assert_eq!(first.lines().count(), 240);
    assert_eq!(all("tr_TR.UTF-8", "Asia/Tokyo"), first);
    assert!(!house.metnos().exists(), "planning needs nothing that is set up");
}

/// Everything below a folder: names, contents, kinds.
fn tree(dir: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut left = vec![dir.to_path_buf()];
    while let Some(at) = left.pop() {
        for entry in std::fs::read_dir(&at).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path.clone());
            }
            found.push((path.display().to_string(), std::fs::read(&path).unwrap_or_default()));
        }
    }
    found.sort();
    found
}

#[test]
fn a_dry_run_shows_the_cards_and_files_of_the_whole_plan_and_changes_nothing() {
    let house = House::supervised();
    prepared(&house);
    let now = ["--now", "2026-11-15T10:00:00+01:00", "--zone", "Europe/Rome", "--conversation", "test"];
    let dry = |json: bool, text: &str| {
        let head: &[&str] = if json { &["--json", "ask", "--dry-run"] } else { &["ask", "--dry-run"] };
        house.run(&[head, &now, &[text]].concat())
    };
    let state = house.metnos().join("state");
    let kept = || (tree(&house.home()), tree(&state.join("journal")), tree(&state.join("turns")));
    let rows = || {
        let shown = |args: &[&str]| house.run(&[&["--json"][..], args].concat()).stdout;
        [&["approvals", "--all"][..], &["policy", "grants"], &["undo", "--list"], &["turns"], &["forms"]]
            .map(shown)
    };
    let (before, rows_before) = (kept(), rows());
    let request = "find the PDFs from last month in Documents bigger than 1 MB and put them in Archive/2026";
    let told = dry(true, request);
    assert_eq!(told.code, Some(0), "{told:?}");
    let told = told.json();
    let steps = told["steps"].as_array().unwrap();
    assert_eq!((&steps[0]["state"], &steps[0]["count"]), (&json!("looked"), &json!(3)), "{told}");
    let last = steps.last().unwrap();
    assert_eq!((&last["state"], &last["count"]), (&json!("asks"), &json!(3)), "{told}");
    assert!(last["card"].as_str().unwrap().contains("Archive/2026"), "{told}");
    assert!(last["destination"].as_str().unwrap().ends_with("Archive/2026"), "{told}");
    assert_eq!(last["files"].as_array().unwrap().len(), 3, "{told}");
    // A step behind a change says what it needs.
    let told = dry(true, "compress the PDFs in Documents into all.zip and then move it to Archive").json();
    let states: Vec<&Value> = told["steps"].as_array().unwrap().iter().map(|step| &step["state"]).collect();
    assert_eq!(states, ["looked", "asks", "depends"], "{told}");
    assert_eq!(told["steps"][2]["needs"], json!([2]), "{told}");
    // What would be refused says so, and what only looks is answered.
    let refused = dry(true, "delete ~/.ssh/id_rsa");
    assert_eq!(refused.code, Some(1), "{refused:?}");
    assert_eq!(refused.json()["steps"][0]["state"], "refused", "{refused:?}");
    let counted = dry(true, "how many files are in Documents?").json();
    assert_eq!(counted["text"], "6", "{counted}");
    let shown = dry(false, "elimina i PDF in Documents").stdout;
    assert!(shown.contains("Prova a vuoto") && shown.contains("invoice 1.pdf"), "{shown}");
    let call =
        house.run(&["--json", "exec", "delete_files", r#"{"paths":["~/Documents/small.pdf"]}"#, "--dry-run"]);
    assert_eq!(call.code, Some(0), "{call:?}");
    assert!(call.json()["steps"][0]["card"].as_str().unwrap().contains("small.pdf"), "{call:?}");
    assert_eq!(kept(), before, "not a file, not a record");
    assert_eq!(rows(), rows_before, "no question, no grant, nothing kept, no turn");
    let calls = house.audit_lines();
    let acts = |line: &&Value| line["kind"] == "open" && line["caller"] == "host/cli";
    assert_eq!(calls.iter().find(acts), None, "nothing was about to act");
    house.chain_holds();
}

#[test]
fn a_text_that_was_read_is_shown_whole_and_line_by_line() {
    let house = House::supervised();
    let note = "a first line that is quite long, longer than the sixty characters of a cell\n\n  the third\n";
    house.write("notes.txt", note);
    let read = house.run(&["ask", "read notes.txt"]);
    assert_eq!(read.code, Some(0), "{read:?}");
    assert!(read.stdout.contains(note), "{read:?}");
}

#[test]
fn room_is_said_in_units_that_people_use() {
    let house = House::supervised();
    for (request, free, of) in [
        ("how much disk space is left?", "free of", "B."),
        ("quanto spazio libero c'è sul disco?", "liberi su", "B."),
    ] {
        let answer = ask(&house, request).json();
        let text = answer["text"].as_str().unwrap();
        assert!(text.contains(free) && text.contains(of) && !text.contains("process"), "{answer}");
    }
    let shown = house.run(&["ask", "how much disk space is left?"]).stdout;
    let disk = shown.lines().find(|line| line.starts_with("disk ")).unwrap_or_else(|| panic!("{shown}"));
    assert!(["kB", "MB", "GB", "TB"].iter().any(|unit| disk.contains(unit)), "{shown}");
}

#[test]
fn a_request_can_come_from_standard_input() {
    let house = House::supervised();
    prepared(&house);
    let ran = house.run_with(&["--json", "ask", "-"], b"how many files are in Documents?\n");
    assert_eq!((ran.code, &ran.json()["text"]), (Some(0), &json!("6")), "{ran:?}");
    let empty = house.run_with(&["--json", "ask", "-"], b" \n");
    assert_eq!(empty.code, Some(2), "{empty:?}");
    let unknown = house.run(&["--json", "replay", "x"]);
    assert_eq!(
        (unknown.code, &unknown.json()["error"]["class"]),
        (Some(2), &json!("wrong_args")),
        "{unknown:?}"
    );
}
