//! Between a plan and its effect: who may do what, what is asked, and what an answer is good for.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::skill::Skill;
use crate::support::{House, Ran};
use serde_json::{Value, json};

const BIRTH: &str = r#"[[case]]
name = "one folder is one"
input = { text = "." }
expect = { ok = true }

[[case]]
name = "what is refused says so"
input = { text = "boom" }
expect = { ok = false }

[[case]]
name = "a call without a text is refused"
input = { }
expect = { ok = false }
"#;

fn question(ran: &Ran) -> String {
    assert_eq!(ran.code, Some(4), "{ran:?}");
    let answer = ran.json();
    assert_eq!(answer["error"]["class"], "needs_approval");
    answer["error"]["approval"].as_str().unwrap().to_owned()
}

fn many(house: &House, n: usize) -> Value {
    let paths: Vec<String> = (0..n).map(|i| format!("docs/f{i}")).collect();
    for (i, path) in paths.iter().enumerate() {
        house.write(path, format!("content {i}"));
    }
    json!({ "paths": paths })
}

#[test]
fn five_hundred_files_are_deleted_after_a_yes_and_come_back() {
    let house = House::supervised();
    let args = many(&house, 500);
    let asked = house.exec_asking("delete_files", args);
    let id = question(&asked);
    let card = asked.json()["error"]["message"].as_str().unwrap().to_owned();
    assert_eq!(card.lines().count(), 2, "{card}");
    assert!(card.contains("500") && card.contains("undone"), "{card}");
    let whole = house.whole_card(&asked);
    for behind in ["“f0”", "fs:write", "“always here”"] {
        assert!(whole.contains(behind) && !card.contains(behind), "{behind}: {card}\n{whole}");
    }
    assert_eq!(std::fs::read_dir(house.home().join("docs")).unwrap().count(), 500);

    let done = house.run(&["--json", "approve", &id]);
    assert_eq!(done.json()["ok_count"], 500, "{done:?}");
    assert_eq!(std::fs::read_dir(house.home().join("docs")).unwrap().count(), 0);

    let undone = house.run(&["--json", "undo"]).json();
    assert_eq!((&undone["reversed"], &undone["conflicts"]), (&json!(500), &json!([])));
    for i in [0, 250, 499] {
        assert_eq!(
            std::fs::read_to_string(house.home().join(format!("docs/f{i}"))).unwrap(),
            format!("content {i}")
        );
    }
    let again = house.run(&["undo"]);
    assert_eq!((again.code, again.stdout.trim()), (Some(0), "there is nothing to undo"));
    house.chain_holds();
}

#[test]
fn a_question_is_answered_once_and_only_by_who_asked_or_the_host() {
    let house = House::supervised();
    house.write("docs/a", "a");
    let id = question(&house.exec_asking("delete_files", json!({ "paths": ["docs/a"] })));
    let other = house.run(&["approve", &id, "--as", "guest"]);
    assert_eq!(other.code, Some(3), "{other:?}");
    assert!(house.home().join("docs/a").exists());
    assert_eq!(house.run(&["approve", &id]).code, Some(0));
    assert!(!house.home().join("docs/a").exists());
    house.write("docs/a", "again");
    assert_eq!(house.run(&["approve", &id]).code, Some(1), "used up");
    assert_eq!(house.run(&["reject", &id]).code, Some(1));
    assert!(house.home().join("docs/a").exists());
    assert_eq!(house.run(&["approve", "01ARZ3NDEKTSV4RRFFQ69G5FAV"]).code, Some(1));
}

#[test]
fn a_guest_may_ask_and_the_host_may_answer() {
    let house = House::supervised();
    assert_eq!(house.run(&["users", "add", "Guest", "--as", "guest"]).code, Some(0));
    let write = json!({ "path": "b", "content": "x" }).to_string();
    let asked = house.run(&["--json", "exec", "--as", "guest", "write_files", &write]);
    let id = question(&asked);
    for other in ["another", "guest"] {
        assert_eq!(house.run(&["approve", &id, "--as", other]).code, Some(3), "{other}");
    }
    let done = house.run(&["--json", "approve", &id]);
    assert_eq!(done.json()["ok_count"], 1, "{done:?}");
    assert!(house.metnos().join("workspace/people/guest/b").exists());
    // The host's files are not for guests, whoever would say yes.
    let write = json!({ "path": house.home().join("b"), "content": "x" }).to_string();
    let denied = house.run(&["--json", "exec", "--as", "guest", "write_files", &write]);
    assert_eq!((denied.code, &denied.json()["error"]["class"]), (Some(3), &json!("policy_violation")));
}

#[test]
fn an_answer_is_for_the_request_that_was_asked() {
    let house = House::supervised();
    house.write("one/f", "one");
    house.write("two/f", "two");
    let link = house.home().join("link");
    std::os::unix::fs::symlink("one", &link).unwrap();
    let id = question(&house.exec_asking("delete_files", json!({ "paths": ["link/f"] })));
    std::fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("two", &link).unwrap();
    let ran = house.run(&["--json", "approve", &id]);
    assert_ne!(question(&ran), id, "it is another question now");
    assert!(house.home().join("one/f").exists() && house.home().join("two/f").exists());
}

#[test]
fn an_answer_is_for_the_executor_that_was_asked_about() {
    let house = House::supervised();
    std::fs::create_dir_all(house.home().join("docs")).unwrap();
    let mut skill = Skill::counter("1.0.0");
    skill.changer("write = [\"arg:text\"]");
    let code = |word: &str| {
        format!(
            "def run(args, ctx):\n    if args[\"text\"] == \"boom\":\n        ctx.fail(\"wrong_args\", \"no\")\n    return {{\"value\": {word}, \"entries\": []}}\n"
        )
    };
    skill.birth = BIRTH.into();
    skill.schema = skill.schema.replace("\"maxLength\": 4096", "\"maxLength\": 4096, \"format\": \"path\"");
    skill.code = code("1");
    let signed = skill.sign(&house);
    assert_eq!(signed.code, Some(0), "{signed:?}");
    let id = question(&house.exec_asking(&skill.name, json!({ "text": "docs" })));
    skill.version = "1.1.0".into();
    skill.code = code("2");
    let signed = skill.sign(&house);
    assert_eq!(signed.code, Some(0), "{signed:?}");
    let promoted = house.run(&["executors", "promote", &skill.name, "1.1.0", "--reason", "newer"]);
    assert!(house.row(&skill.name)["version"] == "1.1.0", "{promoted:?}");
    let ran = house.run(&["--json", "approve", &id]);
    assert_ne!(question(&ran), id, "another program is another question");
}

#[test]
fn a_yes_is_not_used_up_by_a_call_that_lacks_a_credential() {
    let house = House::supervised();
    std::fs::create_dir_all(house.home().join("docs")).unwrap();
    let keep = || {
        let kept = house.run_with(&["credentials", "set", "weather", "token"], b"sereno e mite\n");
        assert_eq!(kept.code, Some(0), "{kept:?}");
    };
    keep();
    let mut skill = Skill::counter("1.0.0");
    skill.sandbox = "credentials = [\"weather\"]".into();
    skill.changer("write = [\"arg:text\"]");
    skill.birth = BIRTH.into();
    skill.schema = skill.schema.replace("\"maxLength\": 4096", "\"maxLength\": 4096, \"format\": \"path\"");
    skill.code = "def run(args, ctx):\n    if args[\"text\"] == \"boom\":\n        ctx.fail(\"wrong_args\", \"no\")\n    return {\"value\": 1, \"entries\": []}\n".into();
    let signed = skill.sign(&house);
    assert_eq!(signed.code, Some(0), "{signed:?}");
    let call = || house.exec_asking(&skill.name, json!({ "text": "docs" }));
    let id = question(&call());
    assert_eq!(house.run(&["credentials", "remove", "weather"]).code, Some(0));
    let lacks = house.run(&["--json", "approve", &id]);
    assert_eq!(lacks.json()["error"]["class"], "unauthorized", "{lacks:?}");
    assert_eq!(call().json()["error"]["class"], "unauthorized", "nobody is asked about what cannot be done");
    keep();
    let ran = call();
    assert_eq!((ran.code, &ran.json()["ok"]), (Some(0), &json!(true)), "the yes still holds: {ran:?}");
    question(&call());
}

#[test]
fn a_grant_holds_where_it_was_given_until_it_is_revoked() {
    let house = House::supervised();
    let write = |path: &str| house.exec_asking("write_files", json!({ "path": path, "content": "x" }));
    std::fs::create_dir_all(house.home().join("docs")).unwrap();
    std::fs::create_dir_all(house.home().join("docs2")).unwrap();
    let id = question(&write("docs/a"));
    assert_eq!(house.run(&["approve", &id, "--always"]).code, Some(0));
    assert_eq!(write("docs/b").code, Some(0));
    question(&write("docs2/a"));
    let grants = house.run(&["--json", "policy", "grants"]).json();
    let grant = &grants[0];
    assert_eq!((&grant["in_force"], &grant["what"]), (&json!(true), &json!("write_files may fs:write")));
    assert_eq!(house.run(&["policy", "revoke", grant["id"].as_str().unwrap()]).code, Some(0));
    question(&write("docs/c"));
}

#[test]
fn always_is_for_what_the_card_says_and_for_no_other_act() {
    let house = House::supervised();
    house.write("docs/old", "old");
    let write = |path: &str| house.exec_asking("write_files", json!({ "path": path, "content": "x" }));
    let asked = write("docs/a");
    let card = house.whole_card(&asked);
    let docs = house.home().join("docs");
    assert!(card.contains(&format!("“Write files” in {}", docs.display())), "{card}");
    assert_eq!(house.run(&["approve", &question(&asked), "--always"]).code, Some(0));
    assert_eq!(write("docs/b").code, Some(0));
    question(&house.exec_asking("delete_files", json!({ "paths": ["docs/old"] })));
}

#[test]
fn always_is_not_offered_for_the_whole_home() {
    let house = House::supervised();
    for path in ["one/a", "two/b", "c"] {
        house.write(path, "x");
    }
    let delete = |paths: Value| house.exec_asking("delete_files", json!({ "paths": paths }));
    for paths in [json!(["one/a", "two/b"]), json!(["c"])] {
        let asked = delete(paths.clone());
        let card = house.whole_card(&asked);
        assert!(!card.contains("always here"), "{card}");
        assert_eq!(house.run(&["approve", &question(&asked), "--always"]).code, Some(0));
    }
    assert_eq!(house.run(&["--json", "policy", "grants"]).json(), json!([]));
    house.write("one/a", "again");
    question(&delete(json!(["one/a"])));
}

#[test]
fn a_card_names_the_files_and_measures_folders() {
    let house = House::supervised();
    let args = many(&house, 8);
    house.write("docs/deep/f", vec![b'x'; 7_699_000]);
    let text = |ran: &Ran| ran.json()["error"]["message"].as_str().unwrap().to_owned();
    let card = house.whole_card(&house.exec_asking("delete_files", args));
    assert!(card.contains("“f0”, “f1”, “f2”, “f3”, “f4” and 3 more"), "{card}");
    let card = text(&house.exec_asking("delete_dirs", json!({ "paths": ["docs/deep"], "recursive": true })));
    assert!(card.contains("“deep”") && card.contains("7.7 MB"), "{card}");
    let card =
        text(&house.exec_asking("move_files", json!({ "paths": ["docs/deep"], "dst_dir": "docs/other" })));
    assert!(card.contains("7.7 MB"), "{card}");
}

#[test]
fn nobody_is_asked_about_what_is_not_there() {
    let house = House::supervised();
    house.write("docs/a", "a");
    for (name, args) in [
        ("delete_files", json!({ "paths": ["docs/none"] })),
        ("move_files", json!({ "paths": ["docs/none"], "dst_dir": "docs/other" })),
    ] {
        let ran = house.exec_asking(name, args);
        assert_eq!((ran.code, &ran.json()["error"]["class"]), (Some(1), &json!("not_found")), "{ran:?}");
    }
    question(&house.exec_asking("delete_files", json!({ "paths": ["docs/none", "docs/a"] })));
    assert_eq!(house.run(&["--json", "approvals"]).json().as_array().unwrap().len(), 1);
}

#[test]
fn never_is_a_rule_that_can_be_read_and_taken_back() {
    let house = House::supervised();
    house.write("docs/a", "a");
    let delete = || house.exec_asking("delete_files", json!({ "paths": ["docs/a"] }));
    let id = question(&delete());
    assert_eq!(house.run(&["reject", &id, "--never"]).code, Some(0));
    let denied = delete();
    assert_eq!((denied.code, &denied.json()["error"]["class"]), (Some(3), &json!("policy_violation")));
    let rule = house.run(&["--json", "policy", "grants"]).json()[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(house.run(&["policy", "revoke", &rule]).code, Some(0));
    question(&delete());
}

#[test]
fn a_row_that_metnos_did_not_sign_gives_nothing_and_a_damaged_rule_stops_changes() {
    let house = House::supervised();
    house.write("docs/a", "a");
    let db = rusqlite::Connection::open(house.metnos().join("state/metnos.sqlite")).unwrap();
    let forged = json!({
        "id": "FORGED", "user": "host", "channel": "cli", "capability": "fs:write",
        "target": house.home(), "scope": "always", "created_at": "2020-01-01T00:00:00Z",
        "expires_at": null, "revoked_at": null, "by": "host/cli",
    });
    let put = "INSERT OR REPLACE INTO decisions VALUES (?1, ?2, ?3, ?4, '2020-01-01T00:00:00Z')";
    db.execute(put, ("grant", "FORGED", forged.to_string(), vec![0u8; 64])).unwrap();
    db.execute(put, ("level", "guest/cli", "\"full\"", vec![0u8; 64])).unwrap();
    let stopped = house.exec_asking("delete_files", json!({ "paths": ["docs/a"] }));
    assert_eq!(stopped.code, Some(3), "a level that cannot be read stops changes: {stopped:?}");
    assert!(stopped.stdout.contains("damaged"), "{stopped:?}");
    assert_eq!(house.run(&["policy", "revoke", "guest/cli"]).code, Some(0));
    question(&house.exec_asking("delete_files", json!({ "paths": ["docs/a"] })));
    // An approval nobody gave.
    let id = question(&house.exec_asking("delete_files", json!({ "paths": ["docs/a"] })));
    let change = "UPDATE decisions SET body = replace(body, 'pending', 'approved') WHERE id = ?1";
    assert_eq!(db.execute(change, [&id]).unwrap(), 1);
    let new = question(&house.exec_asking("delete_files", json!({ "paths": ["docs/a"] })));
    assert_ne!(new, id);
    assert!(house.home().join("docs/a").exists());
}

#[test]
fn levels_decide_and_the_reason_can_be_read() {
    let house = House::supervised();
    let write = json!({ "path": "docs/a", "content": "x" });
    std::fs::create_dir_all(house.home().join("docs")).unwrap();
    question(&house.exec_asking("write_files", write.clone()));
    assert_eq!(house.run(&["policy", "level", "full"]).code, Some(0));
    let done = house.exec_asking("write_files", write.clone());
    assert_eq!(done.code, Some(0), "{done:?}");
    let why = house.run(&["why", done.json()["call_id"].as_str().unwrap()]);
    assert!(why.stdout.contains("policy") && why.stdout.contains("full"), "{why:?}");
    assert_eq!(house.run(&["policy", "level", "read-only"]).code, Some(0));
    assert_eq!(house.exec_asking("write_files", write).code, Some(3));
    assert_eq!(house.run(&["policy", "level", "whatever"]).code, Some(2));
    let check = house.run(&["--json", "policy", "check", "fs:write", house.home().to_str().unwrap()]).json();
    assert_eq!((&check["decision"], &check["level"]), (&json!("deny"), &json!("read_only")));
    assert!(house.run(&["--json", "policy", "table"]).json().as_array().unwrap().len() >= 20);
}

#[test]
fn many_at_once_asks_even_an_administrator() {
    let house = House::new();
    // Where it is noon now: at night the same asks as well.
    let east = 12 - i32::from(jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).hour());
    let mut command = house.command();
    command.args(["--json", "exec", "delete_files", "-"]).env("TZ", format!("Etc/GMT{:+}", -east));
    let ran = crate::support::ran_with(command, many(&house, 20).to_string().as_bytes());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    question(&house.exec_asking("delete_files", many(&house, 21)));
}

#[test]
fn an_italian_is_asked_and_answered_in_italian() {
    let house = House::supervised();
    house.write("Documents/a.txt", "a");
    let asked = house.run(&["--json", "ask", "elimina Documenti/a.txt"]).json();
    let shown = house.run(&["--json", "approvals", asked["approval"].as_str().unwrap()]).json();
    let text = format!("{}\n{}", asked["text"].as_str().unwrap(), shown[0]["details"]);
    assert!(text.contains("Metnos vuole") || text.contains("Meglio chiedere"), "{text}");
    assert!(!text.contains("Metnos wants") && !text.contains("territory"), "{text}");
    // Below a question it is the answer to it; else it takes back what was done.
    let answered = house.run(&["--json", "ask", "annulla"]).json();
    assert_eq!((&answered["status"], &answered["turn"]), (&json!("cancelled"), &asked["turn"]), "{answered}");
    assert!(answered["text"].as_str().unwrap().starts_with("Fermato."), "{answered}");
    let nothing = house.run(&["--json", "ask", "--conversation", "other", "annulla"]).json();
    assert_eq!(nothing["text"], "non c'è nulla da annullare", "{nothing}");
}
