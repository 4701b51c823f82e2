//! A card is two lines at every door: what, how many, where; how it is taken back. The rest is behind *details*, which
//! decides nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use crate::support::House;
use crate::support::browser::{Browser, is_there};
use crate::support::daemon::Daemon;
use crate::support::pty::Pty;
use crate::support::telegram::{Bot, HOST, house as telegram_house, is_card};
use serde_json::{Value, json};

const REQUEST: &str = "delete the txt files in Documents";
const NAMES: [&str; 2] = ["one.txt", "two.txt"];

fn filled(house: &House) {
    for name in NAMES {
        house.write(&format!("Documents/{name}"), name);
    }
}

fn files(house: &House) -> usize {
    std::fs::read_dir(house.home().join("Documents")).unwrap().count()
}

/// Two lines, the count, the place and the way back on them, and no name.
fn is_short(text: &str) {
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.contains("2 files") && text.contains("/Documents") && text.contains("undo"), "{text}");
    assert!(NAMES.iter().all(|name| !text.contains(name)), "{text}");
}

fn is_whole(text: &str) {
    assert!(NAMES.iter().all(|name| text.contains(name)) && text.contains("fs:write"), "{text}");
}

#[test]
fn at_the_terminal_details_are_a_letter_and_the_question_stays() {
    for (language, request, details, after, yes) in [
        ("en", REQUEST, "d", "[l]ater > ", "y"),
        ("it", "elimina i file txt in Documenti", "dettagli", "d[o]po > ", "s"),
    ] {
        let house = House::supervised();
        filled(&house);
        let mut pty = Pty::start(&house, &format!("ask {request}"));
        let before = pty.until(after);
        assert!(NAMES.iter().all(|name| !before.contains(name)), "{language}: {before}");
        pty.keys(&format!("{details}\n"));
        is_whole(&pty.until(after));
        assert_eq!(files(&house), 2, "{language}");
        pty.keys(&format!("{yes}\n"));
        assert_eq!(pty.ends(), Some(0));
        assert_eq!(files(&house), 0, "{language}");
    }
}

#[test]
fn a_program_reads_both_as_fields() {
    let house = House::supervised();
    filled(&house);
    let daemon = Daemon::start(&house);
    let waits = daemon.ask(REQUEST);
    let card = &waits["approval"];
    is_short(card["text"].as_str().unwrap());
    is_whole(&card["details"].to_string());
    assert_eq!(card["lang"], "en");
    let listed = house.run(&["--json", "approvals"]).json();
    assert_eq!((&listed[0]["text"], &listed[0]["details"]), (&card["text"], &card["details"]));
    let shown = house.run(&["approvals", card["id"].as_str().unwrap()]);
    is_whole(&shown.stdout);
}

#[test]
fn over_telegram_details_are_a_button_or_a_word() {
    let bot = Bot::start();
    let house = telegram_house(&bot);
    filled(&house);
    let _daemon = Daemon::start(&house);
    bot.says(HOST, REQUEST);
    let card = bot.wait("card", is_card);
    is_short(&card.text());
    bot.press(HOST, &card, &card.button(":d"));
    is_whole(&bot.wait_count(HOST, 2).text());
    bot.says(HOST, "dettagli");
    is_whole(&bot.wait_count(HOST, 3).text());
    assert_eq!(files(&house), 2, "nothing was decided");
    bot.press(HOST, &card, &card.button(":o"));
    bot.wait("the answer", |sent| sent.text().contains("2 files deleted"));
    assert_eq!(files(&house), 0);
}

#[test]
fn a_chat_client_says_details_and_can_still_say_yes() {
    let house = House::supervised();
    filled(&house);
    let token = house.run(&["--json", "devices", "add", "laptop"]).json()["token"].clone();
    let daemon = Daemon::start(&house);
    let auth = format!("Authorization: Bearer {}", token.as_str().unwrap());
    let mut history: Vec<Value> = Vec::new();
    let mut say = |text: &str| {
        history.push(json!({ "role": "user", "content": text }));
        let body = json!({ "model": "metnos", "messages": history }).to_string();
        let headers = [auth.as_str(), "Content-Type: application/json"];
        let answer = daemon.request("POST", "/v1/chat/completions", &headers, &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        let told = answer.json()["choices"][0]["message"].clone();
        history.push(told.clone());
        told["content"].as_str().unwrap().to_owned()
    };
    let card = say(REQUEST);
    assert!(NAMES.iter().all(|name| !card.contains(name)), "{card}");
    is_whole(&say("details"));
    assert_eq!(files(&house), 2);
    assert!(say("yes").contains("2 files deleted"));
    assert_eq!(files(&house), 0);
}

#[test]
fn on_the_page_details_are_folded_and_a_word_opens_them() {
    if !is_there() {
        return;
    }
    let house = House::supervised();
    filled(&house);
    let daemon = Daemon::start(&house);
    let browser = Browser::start();
    browser.go(&daemon.login);
    browser.until("location.pathname === '/'");
    browser.type_into("#text", &format!("{REQUEST}\u{E007}"));
    browser.until("!!document.querySelector('.turn:last-child .card details')");
    let seen = "return document.querySelector('.turn:last-child .card').innerText;";
    let before = browser.eval(seen);
    assert!(!before.as_str().unwrap().contains(NAMES[0]), "{before}");
    browser.type_into("#text", "details\u{E007}");
    browser.until("document.querySelector('.turn:last-child .card details').open");
    is_whole(browser.eval(seen).as_str().unwrap());
    assert_eq!(browser.eval("return document.querySelectorAll('.turn').length;"), 1, "no request of its own");
    browser.go(&format!("http://{}/admin/approvals", daemon.address));
    browser.click("section.card details summary");
    is_whole(browser.eval("return document.querySelector('section.card').innerText;").as_str().unwrap());
    assert_eq!(files(&house), 2);
}

#[test]
fn after_a_no_only_what_comes_after_it_was_not_begun() {
    for (request, told) in [
        ("delete the txt files in Documents", None),
        (
            "delete one.txt in Documents and then delete two.txt in Documents",
            Some("The step after that was not begun."),
        ),
        ("elimina i file txt in Documenti", None),
    ] {
        let house = House::supervised();
        filled(&house);
        let asked = house.run(&["--json", "ask", request]).json();
        assert_eq!(asked["status"], "waits", "{asked}");
        let ended = house.run(&["--json", "ask", "no"]).json();
        let text = ended["text"].as_str().unwrap();
        assert_eq!(ended["status"], "cancelled", "{ended}");
        let left: Vec<&str> = text.lines().filter(|l| l.contains("begun") || l.contains("iniziat")).collect();
        assert_eq!(left, told.into_iter().collect::<Vec<_>>(), "{request}: {text}");
    }
}
