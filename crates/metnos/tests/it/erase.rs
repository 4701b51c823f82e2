//! Somebody is let go of: what is left of them is what the command says is left, and an erasure that was cut is finished.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::daemon::Daemon;
use crate::support::telegram::{ANNA, Bot, Fault, house, run};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// In everything the person says, and in nothing else.
const WORD: &str = "zanzibar";

fn database(house: &House) -> PathBuf {
    house.metnos().join("state/metnos.sqlite")
}

fn count(house: &House, sql: &str) -> i64 {
    let db = rusqlite::Connection::open(database(house)).unwrap();
    db.query_row(sql, [], |row| row.get(0)).unwrap()
}

fn holds(path: &Path) -> bool {
    let bytes = std::fs::read(path).unwrap_or_default().to_ascii_lowercase();
    bytes.windows(WORD.len()).any(|part| part == WORD.as_bytes())
}

/// Every file below `dir` that holds the word, in its bytes or in its name.
fn holding(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            holding(&path, found);
        }
        if holds(&path) || path.file_name().unwrap().to_string_lossy().contains(WORD) {
            found.push(path);
        }
    }
}

fn left(house: &House) -> Vec<PathBuf> {
    let mut found = Vec::new();
    holding(&house.metnos(), &mut found);
    found.retain(|path| !path.starts_with(house.audit_dir()));
    found
}

/// The text of one file of an export.
fn exported(tar: &Path, wanted: &str) -> String {
    for entry in tar::Archive::new(std::fs::File::open(tar).unwrap()).entries().unwrap() {
        let mut entry = entry.unwrap();
        if entry.path().unwrap().to_str() == Some(wanted) {
            let mut text = String::new();
            std::io::Read::read_to_string(&mut entry, &mut text).unwrap();
            return text;
        }
    }
    panic!("{wanted} is not in it");
}

/// Somebody who was let in over Telegram, asked for things, has a hook, and waits for an answer.
fn lived_in(bot: &Bot) -> House {
    let house = house(bot);
    let daemon = Daemon::start(&house);
    bot.says(ANNA, "hello");
    let told = bot.wait_count(ANNA, 1).text();
    let code = told.split_whitespace().find(|word| word.len() >= 9 && word.contains('-')).unwrap();
    let code = code.trim_end_matches('.');
    run(&house, &["pairing", "approve", "telegram", code, "--as", "member", "--name", "Zanzibarname"]);
    run(&house, &["hooks", "add", "bell", "find files named zanzibarhook", "--person", "zanzibarname"]);
    let added = house.run(&["--json", "devices", "add", "phone", "--person", "zanzibarname"]).json();
    let token = added["token"].as_str().unwrap();
    for words in ["find files named zanzibarquux", "zanzibargap frobnicate the glorp"] {
        let answer = daemon.post_as(token, "/agent/turn", &json!({ "text": words }));
        assert_eq!(answer.status, 200, "{answer:?}");
    }
    bot.fail("sendMessage", &[Fault::Busy(3600)]);
    bot.says(ANNA, "find files named zanzibaroutbox");
    let until = Instant::now() + Duration::from_secs(60);
    while count(&house, "SELECT count(*) FROM telegram_outbox WHERE state = 'waiting' AND tries > 0") == 0 {
        assert!(Instant::now() < until, "the answer was not put off");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(daemon.stop());
    for text in ["zanzibar", "zanzibar again"] {
        let args = json!({ "path": "zanzibar.txt", "content": text, "mode": "overwrite" }).to_string();
        let ran =
            house.run_with(&["--json", "exec", "--as", "zanzibarname", "write_files", "-"], args.as_bytes());
        assert_eq!(ran.json()["ok"], true, "{ran:?}");
    }
    house
}

#[test]
fn nothing_of_somebody_erased_is_left_but_what_the_command_says() {
    let bot = Bot::start();
    let house = lived_in(&bot);
    assert!(!left(&house).is_empty());
    let tar = house.metnos().with_file_name("zanzibar.tar");
    run(&house, &["people", "export", "zanzibarname", tar.to_str().unwrap()]);
    let messages: Vec<Value> =
        exported(&tar, "telegram.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(messages.iter().any(|one| one["kind"] == "update"), "{messages:?}");
    assert!(messages.iter().any(|one| one["kind"] == "message" && one["state"] == "waiting"), "{messages:?}");
    assert!(exported(&tar, "decisions.jsonl").contains(&format!("telegram/{ANNA}")));

    let ran = house.run(&["--json", "people", "erase", "zanzibarname", "--yes"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.json()["stays"][0].as_str().unwrap().contains("with which arguments"), "{ran:?}");
    assert_eq!(left(&house), Vec::<PathBuf>::new(), "not one byte, in no file but the audit");
    for (what, sql) in [
        ("codes and pairings", format!("SELECT count(*) FROM decisions WHERE id = 'telegram/{ANNA}'")),
        ("what came", format!("SELECT count(*) FROM telegram_updates WHERE sender = {ANNA}")),
        ("what waits to be sent", format!("SELECT count(*) FROM telegram_outbox WHERE chat = {ANNA}")),
    ] {
        assert_eq!(count(&house, &sql), 0, "{what}");
    }
    let kept = house.run(&["--json", "credentials", "list"]).stdout;
    assert!(kept.contains("telegram") && !kept.contains("hook-bell"), "{kept}");
    // What is said to stay does: it is a chain.
    assert!(house.day_files().iter().any(|day| holds(day)));
    house.chain_holds();
    let help = house.run(&["people", "--help"]).stdout;
    assert!(help.contains("arguments") && !help.contains("digests"), "{help}");

    // It is done, so once more finds nothing and says the same.
    let again = house.run(&["people", "erase", "zanzibarname", "--yes"]);
    assert!(again.code == Some(0) && again.stdout.contains("with which arguments"), "{again:?}");
    let other = house.run(&["--json", "users", "add", "Zanzibarname", "--as", "member"]).json();
    assert_eq!(other["id"], "zanzibarname-2", "an id is never given twice");
    assert_eq!(house.run(&["people", "erase", "nobody", "--yes"]).code, Some(1), "of whom nothing is kept");
}

#[test]
fn an_erasure_that_was_cut_says_so_and_the_next_finishes_it() {
    let house = House::supervised();
    run(&house, &["users", "add", "Zanzibarname", "--as", "member"]);
    house.run(&["--json", "ask", "--as", "zanzibarname", "find files named zanzibarquux"]).json();
    // As if it were cut between the rows and the file: whoever reads what was there keeps it there.
    let reader = rusqlite::Connection::open(database(&house)).unwrap();
    reader.execute_batch("BEGIN").unwrap();
    reader.query_row("SELECT count(*) FROM turns", [], |row| row.get::<_, i64>(0)).unwrap();
    let cut = house.run(&["--json", "people", "erase", "zanzibarname", "--yes"]);
    assert_eq!(cut.code, Some(1), "{cut:?}");
    let error = cut.json()["error"].clone();
    assert!(error["message"].as_str().unwrap().contains("not wholly let go of"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("goes on from here"), "{error}");
    let other = house.run(&["--json", "users", "add", "Zanzibarname", "--as", "member"]).json();
    assert_eq!(other["id"], "zanzibarname-2", "also half gone it is nobody else's id");
    reader.execute_batch("ROLLBACK").unwrap();
    drop(reader);
    run(&house, &["people", "erase", "zanzibarname-2", "--yes"]);
    run(&house, &["people", "erase", "zanzibarname", "--yes"]);
    assert_eq!(left(&house), Vec::<PathBuf>::new());
    house.chain_holds();
}
