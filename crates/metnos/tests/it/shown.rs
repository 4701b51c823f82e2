//! A name, a column or a value from the world hides nothing, turns nothing and looks like no line of ours, at any door.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::daemon::Daemon;
use crate::support::telegram::{Bot, HOST, house as with_telegram, is_card};
use serde_json::json;

/// Turned, tagged, zero-width, with an escape, and with the signs that stand between the parts of a card.
const NAME: &str = "a\u{202e}b\u{e0041}\u{200b}\u{1b}[2Jc · “d” → e.txt";
/// A column of a table.
const COLUMN: &str = "co\u{2066}l\u{e0042} · x";

/// Nothing in a text that people read is unseen, and the name does not show the signs of ours.
#[track_caller]
fn is_clean(text: &str) {
    let odd =
        text.chars().find(|c| metnos_executor::shown::is_unseen(*c) && !matches!(c, '\n' | '\t' | '\r'));
    assert!(odd.is_none(), "{odd:?} in {text:?}");
    assert!(!text.contains("c · “d”") && !text.contains("” → e"), "{text}");
}

#[test]
fn a_hostile_name_is_clean_at_every_door() {
    let bot = Bot::start();
    let house = with_telegram(&bot);
    house.write(&format!("Documents/{NAME}"), "x");
    house.write("Documents/table.csv", format!("{COLUMN},n\nv\u{202e}w\u{e0043},1\n"));
    let daemon = Daemon::start(&house);

    // The terminal: tables, one record, a card, and every list of what happened.
    let listed = house.run(&["ask", "list the files in Documents"]);
    assert!(listed.stdout.contains("[2Jc"), "{listed:?}");
    is_clean(&listed.stdout);
    is_clean(&house.run(&["ask", "read Documents/table.csv"]).stdout);
    let read = house.run(&["exec", "read_files_csv", r#"{"paths":["~/Documents/table.csv"]}"#]);
    assert!(read.stdout.contains("∙ x"), "{read:?}");
    is_clean(&read.stdout);
    let card = house.run(&[
        "exec",
        "delete_files",
        &json!({ "paths": [format!("~/Documents/{NAME}")] }).to_string(),
    ]);
    is_clean(&(card.stdout + &card.stderr));
    is_clean(
        &house.run(&["exec", "read_files", &json!({ "paths": [format!("~/{NAME}")] }).to_string()]).stdout,
    );
    for args in [&["approvals"][..], &["turns"], &["audit", "tail"], &["undo", "--list"], &["status"]] {
        is_clean(&house.run(args).stdout);
    }
    let last = house.audit_lines().last().unwrap()["seq"].to_string();
    is_clean(&house.run(&["audit", "show", &last]).stdout);

    // A program that speaks as to a model.
    let token =
        house.run(&["--json", "devices", "add", "client"]).json()["token"].as_str().unwrap().to_owned();
    let body = json!({ "model": "metnos", "messages": [{ "role": "user", "content": "list the files in Documents" }] });
    let answer = daemon.post_as(&token, "/v1/chat/completions", &body).json();
    let text = answer["choices"][0]["message"]["content"].as_str().unwrap_or_else(|| panic!("{answer}"));
    assert!(text.contains("[2Jc"), "{text}");
    is_clean(text);

    // A chat: an answer, and a card.
    bot.says(HOST, "list the files in Documents");
    let told = bot.wait("the list", |sent| sent.text().contains("[2Jc"));
    is_clean(&told.text());
    bot.says(HOST, "move all txt files from Documents to Archive");
    is_clean(&bot.wait("card", is_card).text());
}
