//! What was learned from requests: kept, used, shown, starred, rejected, forgotten, and never another plan.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::{House, Ran};
use serde_json::{Value, json};

const NOW: &str = "2026-11-15T10:00:00+01:00";

fn ask_at(house: &House, now: &str, conversation: &str, text: &str) -> Ran {
    let at = ["--now", now, "--zone", "Europe/Rome", "--conversation", conversation];
    house.run(&[&["--json", "ask"][..], &at, &[text]].concat())
}

/// One request of a conversation of its own: the answer.
fn ask(house: &House, text: &str) -> Value {
    static NEXT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let n = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    ask_at(house, NOW, &format!("c{n}"), text).json()
}

fn plans(house: &House) -> Vec<Value> {
    house.run(&["--json", "memory", "plans"]).json().as_array().unwrap().clone()
}

fn kept(house: &House, kind: &str) -> Value {
    let found = plans(house).into_iter().find(|plan| plan["kind"] == kind);
    found.unwrap_or_else(|| panic!("no {kind} is kept: {:?}", plans(house)))
}

fn sql(house: &House, statement: &str) {
    let db = rusqlite::Connection::open(house.metnos().join("state/metnos.sqlite")).unwrap();
    assert!(db.execute(statement, []).unwrap() > 0, "{statement}");
}

fn filled(house: &House) {
    for (folder, names) in [("Documents", &["a.pdf", "b.pdf", "c.txt"][..]), ("Music", &["d.pdf"][..])] {
        for name in names {
            house.write(&format!("{folder}/{name}"), "x");
        }
    }
}

fn names(answer: &Value) -> Vec<&str> {
    answer["entries"].as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[test]
fn a_phrase_needs_no_reading_and_the_turn_shows_its_phases() {
    let house = House::new();
    for (request, stage) in [
        ("What time is it?", "literal"),
        ("che ore sono", "literal"),
        ("what time is it in Tokyo", "embedded"),
    ] {
        let answer = ask(&house, request);
        assert_eq!((&answer["status"], &answer["stage"]), (&json!("done"), &json!(stage)), "{answer}");
        let turn = answer["turn"].as_str().unwrap();
        let seen = house.run(&["--json", "turns", turn]).json();
        assert_eq!(seen["stage"], stage, "{seen}");
        let phases = seen["phases"].as_object().unwrap();
        for phase in ["literal_us", "plan_us", "exec_ms"] {
            assert!(phases[phase].as_f64().is_some_and(|took| took > 0.0), "{phase} in {seen}");
        }
        assert_eq!(phases.contains_key("memory_us"), stage != "literal", "{seen}");
        assert!(house.run(&["turns", turn]).stdout.contains(&format!("planned by {stage}")));
        assert_eq!(house.run(&["replay", turn]).code, Some(0));
    }
    assert!(
        plans(&house).iter().all(|plan| plan["request"] != "What time is it?"),
        "a phrase is not learned"
    );
    assert_eq!(house.run(&["turns", "01ARZ3NDEKTSV4RRFFQ69G5FAV"]).code, Some(2));
}

#[test]
fn the_same_request_is_kept_after_three_clean_uses_or_a_star_and_says_the_same() {
    let house = House::new();
    filled(&house);
    let request = "find the PDFs in Documents";
    let first = ask(&house, request);
    assert_eq!((&first["stage"], names(&first)), (&json!("embedded"), vec!["a.pdf", "b.pdf"]));
    let second = ask(&house, request);
    assert_eq!(second["stage"], "autopath", "the shape serves at once: {second}");
    assert_eq!(kept(&house, "exact")["why"], "2 of 3 clean uses");
    ask(&house, request);
    let fast = ask(&house, "Find  the PDFs in Documents?");
    assert_eq!(fast["stage"], "fastpath", "{fast}");
    assert_eq!((names(&fast), &fast["text"]), (names(&first), &first["text"]));
    assert_eq!(kept(&house, "exact")["uses"], 4);

    let other = "how many files are in Music?";
    ask(&house, other);
    let found = plans(&house).into_iter().find(|p| p["request"] == other && p["kind"] == "exact").unwrap();
    assert_eq!(found["state"], "learning");
    let starred = house.run(&["--json", "memory", "plans", "star", &found["id"].to_string()]).json();
    assert_eq!((&starred["state"], &starred["why"]), (&json!("active"), &json!("starred")));
    let answer = ask(&house, other);
    assert_eq!((&answer["stage"], &answer["text"]), (&json!("fastpath"), &json!("1")));

    // Another person has a memory of their own.
    assert_eq!(house.run(&["--json", "memory", "plans", "--as", "guest"]).json(), json!([]));
    let id = found["id"].to_string();
    assert_eq!(house.run(&["memory", "plans", "star", &id, "--as", "guest"]).code, Some(2));
}

#[test]
fn a_request_with_other_values_takes_the_shape_and_reads_its_own_values() {
    let house = House::new();
    filled(&house);
    ask(&house, "find the PDFs in Documents");
    let shape = kept(&house, "shape");
    assert!(shape["plan"].as_str().unwrap().contains("⟨0⟩"), "a value is a slot: {shape}");
    let answer = ask(&house, "find the PDFs in Music");
    assert_eq!((&answer["stage"], names(&answer)), (&json!("autopath"), vec!["d.pdf"]), "{answer}");
    let italian = ask(&house, "trova i PDF nella cartella Music");
    assert_eq!(names(&italian), vec!["d.pdf"], "{italian}");
    // Another kind, another order, one word more: another skeleton.
    for other in
        ["find the videos in Music", "find the two largest PDFs in Music", "delete the PDFs in Music"]
    {
        assert_eq!(ask(&house, other)["stage"], "embedded", "{other}");
    }
}

#[test]
fn what_depends_on_the_moment_is_never_kept_as_a_value() {
    let house = House::new();
    for (name, date) in [("old.txt", "2026-11-10"), ("new.txt", "2026-11-20")] {
        let file = house.write(&format!("Documents/{name}"), "x");
        assert!(std::process::Command::new("touch").args(["-d", date]).arg(file).status().unwrap().success());
    }
    let request = "which files in Documents did I change in the last seven days?";
    for n in 0..4 {
        let answer = ask_at(&house, NOW, &format!("d{n}"), request).json();
        assert_eq!(names(&answer), ["new.txt", "old.txt"], "{answer}");
    }
    assert!(plans(&house).iter().all(|plan| plan["kind"] == "shape"), "{:?}", plans(&house));
    let later = ask_at(&house, "2026-11-25T10:00:00+01:00", "e", request).json();
    assert_eq!((&later["stage"], names(&later)), (&json!("autopath"), vec!["new.txt"]), "{later}");

    // So is what depends on the list before, and on the folder one stands in.
    ask_at(&house, NOW, "f", "find the files in Documents");
    ask_at(&house, NOW, "f", "how many are they?");
    house.write("here.txt", "x");
    ask(&house, "read ./here.txt");
    let exact: Vec<Value> = plans(&house).into_iter().filter(|plan| plan["kind"] == "exact").collect();
    assert!(exact.iter().all(|plan| plan["request"] == "find the files in Documents"), "{exact:?}");
}

#[test]
fn a_plan_from_memory_passes_every_guard_and_replays_byte_for_byte() {
    let house = House::supervised();
    house.write("Documents/a.pdf", "x");
    let move_it = |n: u32, dst: &str| {
        let text = format!("move the PDFs from Documents to {dst}");
        ask_at(&house, NOW, &format!("g{n}"), &text)
    };
    for (n, stage) in [(0, "embedded"), (1, "autopath")] {
        let asked = move_it(n, &format!("Attic{n}"));
        assert_eq!(asked.code, Some(4), "every time the card is asked: {asked:?}");
        let answer = asked.json();
        assert_eq!(answer["stage"], stage, "{answer}");
        assert!(house.home().join("Documents/a.pdf").exists());
        let done = house.run(&["--json", "approve", answer["approval"].as_str().unwrap()]).json();
        assert_eq!(done["status"], "done", "{done}");
        assert!(
            house.home().join(format!("Attic{n}/a.pdf")).exists(),
            "this request's value, not the kept one"
        );
        // By hand: an undo would count against the plan.
        std::fs::rename(house.home().join(format!("Attic{n}/a.pdf")), house.home().join("Documents/a.pdf"))
            .unwrap();
    }
    for turn in house.run(&["--json", "turns"]).json().as_array().unwrap() {
        let replayed = house.run(&["--json", "replay", turn["turn"].as_str().unwrap()]);
        assert_eq!((replayed.code, &replayed.json()["differences"]), (Some(0), &json!([])), "{turn}");
    }
    house.chain_holds();
}

#[test]
fn rejecting_three_failures_and_another_maker_retire_a_plan_and_all_can_be_forgotten() {
    let house = House::new();
    filled(&house);
    let request = "find the PDFs in Documents";
    ask(&house, request);
    let (exact, shape) = (kept(&house, "exact")["id"].to_string(), kept(&house, "shape")["id"].to_string());
    house.run(&["memory", "plans", "star", &exact]);
    assert_eq!(ask(&house, request)["stage"], "fastpath");
    let rejected = house.run(&["--json", "memory", "plans", "reject", &exact]).json();
    assert_eq!(rejected["state"], "retired");
    assert!(rejected["why"].as_str().unwrap().contains("30 more days"), "{rejected}");
    assert_eq!(ask(&house, request)["stage"], "autopath");
    house.run(&["memory", "plans", "reject", &shape]);
    assert_eq!(ask(&house, request)["stage"], "embedded");
    assert_eq!(kept(&house, "shape")["state"], "retired", "what is retired does not come back by use");

    // A star takes it back; days of use that go by end it too, and it has to prove itself again.
    house.run(&["memory", "plans", "star", &exact]);
    assert_eq!(ask(&house, request)["stage"], "fastpath");
    sql(
        &house,
        "INSERT INTO use_days WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 30)
         SELECT printf('1990-01-%02d', i) FROM n",
    );
    ask(&house, "find the PDFs in Music");
    assert_eq!(
        (&kept(&house, "shape")["state"], &kept(&house, "shape")["uses"]),
        (&json!("active"), &json!(1))
    );

    // What other words or another catalog made is planned again.
    sql(&house, "UPDATE plans SET made = 'another' WHERE kind = 'exact'");
    let stale = plans(&house).into_iter().find(|plan| plan["id"].as_i64() == exact.parse().ok()).unwrap();
    assert_eq!(stale["state"], "retired", "{stale}");
    assert!(stale["why"].as_str().unwrap().contains("have changed"), "{stale}");
    assert_ne!(ask(&house, request)["stage"], "fastpath");
    sql(&house, "UPDATE plans SET tools = '{\"find_files\":\"another\"}'");
    assert!(plans(&house).iter().all(|plan| plan["state"] == "retired"), "{:?}", plans(&house));

    let all = plans(&house).len();
    let forgotten = house.run(&["--json", "memory", "plans", "forget", "--all"]).json();
    assert_eq!((&forgotten["forgotten"], plans(&house).len()), (&json!(all), 0));
    assert_eq!(ask(&house, request)["stage"], "embedded");
    for wrong in [&["show", "999"][..], &["star", "999"], &["reject", "999"], &["forget", "999"], &["forget"]]
    {
        let ran = house.run(&[&["memory", "plans"][..], wrong].concat());
        assert_eq!(ran.code, Some(2), "{wrong:?}: {ran:?}");
    }
}

#[test]
fn three_failures_in_a_row_retire_what_failed() {
    let house = House::new();
    house.write("Documents/a.txt", "x");
    ask(&house, "read ~/Documents/a.txt");
    let exact = kept(&house, "exact")["id"].to_string();
    house.run(&["memory", "plans", "star", &exact]);
    std::fs::remove_file(house.home().join("Documents/a.txt")).unwrap();
    for n in 1..=3 {
        let answer = ask(&house, "read ~/Documents/a.txt");
        assert_eq!(
            (&answer["stage"], &answer["status"]),
            (&json!("fastpath"), &json!("failed")),
            "{n}: {answer}"
        );
    }
    let retired = kept(&house, "exact");
    assert_eq!((&retired["state"], &retired["failures"]), (&json!("retired"), &json!(3)), "{retired}");
    assert_ne!(ask(&house, "read ~/Documents/a.txt")["stage"], "fastpath");
}

#[test]
fn replay_shows_when_another_maker_would_have_decided_otherwise() {
    let house = House::new();
    filled(&house);
    ask(&house, "find the PDFs in Documents");
    house.run(&["memory", "plans", "star", &kept(&house, "exact")["id"].to_string()]);
    // A plan that the words do not say: as one made by something else than these words would be.
    sql(&house, "UPDATE plans SET body = replace(body, 'Documents', 'Music') WHERE kind = 'exact'");
    let answer = ask(&house, "find the PDFs in Documents");
    assert_eq!((&answer["stage"], names(&answer)), (&json!("fastpath"), vec!["d.pdf"]), "{answer}");
    let turn = answer["turn"].as_str().unwrap().to_owned();
    assert_eq!(house.run(&["replay", &turn]).code, Some(0), "what memory had is part of what happened");
    sql(
        &house,
        &format!(
            "UPDATE turn_entries SET entry = replace(entry, '\"made\":\"', '\"made\":\"x') WHERE turn = '{turn}' AND n = 1"
        ),
    );
    let replayed = house.run(&["replay", &turn, "--diff"]);
    assert_eq!(replayed.code, Some(1), "{replayed:?}");
    assert!(replayed.stdout.contains("Music") && replayed.stdout.contains("Documents"), "{replayed:?}");
}

#[test]
fn the_prompt_stars_the_last_answer_and_plan_says_which_stage() {
    let house = House::new();
    filled(&house);
    let lines = "find the PDFs in Documents\nstar\nfind the PDFs in Documents\nwhat time is it\n★\n";
    let said = house.run_with(&[], lines.as_bytes());
    assert!(said.stdout.contains("active, starred"), "{said:?}");
    assert!(said.stdout.contains("nothing was kept of the last answer"), "{said:?}");
    let turns = house.run(&["--json", "turns"]).json();
    let stages: Vec<&Value> = turns.as_array().unwrap().iter().map(|turn| &turn["stage"]).collect();
    assert_eq!(stages, ["literal", "fastpath", "embedded"]);
    for (request, stage) in [
        ("find the PDFs in Documents", "fastpath"),
        ("find the PDFs in Music", "autopath"),
        ("undo", "literal"),
        ("find the videos in Music", "embedded"),
    ] {
        let explained = house.run(&["--json", "plan", "--explain", request]).json();
        assert_eq!(explained["explain"]["stage"], stage, "{explained}");
        assert!(house.run(&["plan", "--explain", request]).stdout.contains(&format!("stage {stage}")));
    }
}

#[test]
fn a_batch_does_not_know_what_was_learned() {
    let house = House::new();
    filled(&house);
    let line = json!({ "id": "1", "query": "find the PDFs in Documents" }).to_string();
    let batch =
        || house.run_with(&["plan", "--batch", "-", "--now", NOW, "--explain"], line.as_bytes()).stdout;
    let before = batch();
    ask(&house, "find the PDFs in Documents");
    house.run(&["memory", "plans", "star", &kept(&house, "exact")["id"].to_string()]);
    sql(&house, "UPDATE plans SET body = replace(body, 'Documents', 'Music')");
    assert_eq!(batch(), before);
}

#[test]
fn a_secret_in_a_request_is_not_learned() {
    let house = House::new();
    assert_eq!(
        house.run_with(&["credentials", "set", "mail", "token"], b"hunter2-hunter2-hunter2\n").code,
        Some(0)
    );
    for _ in 0..3 {
        ask(&house, "write 'hunter2-hunter2-hunter2' to ~/note.txt");
    }
    let listed = house.run(&["--json", "memory", "plans"]).stdout;
    assert!(!listed.contains("hunter2") && !listed.contains("note.txt"), "{listed}");
}

#[test]
fn a_turn_that_was_undone_counts_against_the_plan_it_used() {
    let house = House::new();
    house.write("Documents/a.txt", "a");
    let request = "move Documents/a.txt to Archive";
    let first = ask(&house, request);
    assert_eq!(first["status"], "done", "{first}");
    let shape = kept(&house, "shape");
    assert_eq!((&shape["state"], &shape["uses"]), (&json!("active"), &json!(1)), "{shape}");
    assert_eq!(house.run(&["undo"]).code, Some(0));
    for plan in plans(&house) {
        assert_eq!((&plan["state"], &plan["uses"]), (&json!("learning"), &json!(0)), "{plan}");
    }
    let again = ask(&house, request);
    assert_eq!((&again["status"], &again["stage"]), (&json!("done"), &json!("embedded")), "{again}");
    assert_eq!(kept(&house, "shape")["state"], "active", "one clean use proves it anew");
}
