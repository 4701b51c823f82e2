//! Several readings, or several things that one may be: the person chooses, at every door, and the choice passes the
//! same guards as any plan.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use crate::support::browser::{Browser, is_there};
use crate::support::daemon::Daemon;
use crate::support::model::{Model, Say};
use crate::support::pty::Pty;
use crate::support::telegram::{Bot, HOST, house as telegram_house, is_card};
use crate::support::{House, Ran};
use serde_json::{Value, json};

/// Nothing explains the first word; a model reads it in two ways.
const LOOSE: &str = "frobnicate zzyzx plugh of hw3.docx grault Attic Cellar";
const CHOICES: [&str; 2] = [
    "Find files named hw3.docx in Attic, then delete the one of the files found",
    "Find files named hw3.docx in Cellar, then delete the one of the files found",
];

fn find(folder: &str) -> Value {
    json!({ "tool": "find_files", "args": { "base_path": folder, "patterns": ["hw3.docx"] } })
}

fn delete() -> Value {
    json!({ "tool": "delete_files", "args": { "from_step": 1, "pick": "one" } })
}

/// Says that it is one of these plans.
fn reading(plans: &[&[Value]]) -> Model {
    let plans: Vec<Value> = plans.iter().map(|steps| json!({ "steps": steps })).collect();
    Model::saying(vec![Say::Text(json!({ "plans": plans }).to_string())])
}

fn in_two_ways() -> Model {
    reading(&[&[find("~/Attic"), delete()], &[find("~/Cellar"), delete()]])
}

fn fill(house: &House, config: &str) {
    let path = house.metnos().join("config/metnos.toml");
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    std::fs::write(path, format!("{config}\n{known}")).unwrap();
    house.write("Attic/hw3.docx", "attic");
    house.write("Cellar/hw3.docx", "cellar");
}

fn house(model: &Model) -> House {
    let house = House::supervised();
    fill(&house, &model.bound("wise", "timeout_seconds = 5"));
    house
}

fn there(house: &House, path: &str) -> bool {
    house.home().join(path).exists()
}

fn says(answer: &Value) -> Vec<&str> {
    let choices = answer["offer"]["choices"].as_array().unwrap_or_else(|| panic!("{answer}"));
    choices.iter().map(|choice| choice["says"].as_str().unwrap()).collect()
}

fn turn(answer: &Value) -> String {
    answer["turn"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn status(house: &House, turn: &str) -> Value {
    house.run(&["--json", "turns", turn]).json()["status"].clone()
}

/// The card of what was chosen, let through.
fn allow(house: &House, answer: &Value) {
    assert_eq!(answer["status"], "waits", "behind its card: {answer}");
    let card = answer["approval"]["id"].as_str().or(answer["approval"].as_str()).unwrap();
    let ran = house.run(&["approve", card]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

#[test]
fn over_http_an_offer_is_typed_outlives_the_daemon_and_is_chosen_from_once() {
    let model = in_two_ways();
    let house = house(&model);
    let daemon = Daemon::start(&house);
    let offered = daemon.ask(LOOSE);
    assert_eq!((&offered["status"], says(&offered)), (&json!("asks"), CHOICES.to_vec()), "{offered}");
    assert_eq!(offered["offer"]["choices"][1]["number"], 2);
    assert!(offered["text"].as_str().unwrap().contains(&format!("\n2. {}", CHOICES[1])), "{offered}");
    let turn = turn(&offered);
    let number = offered["offer"]["offer"].clone();
    let mut told = daemon.events(&format!("/agent/turns/{turn}/stream"), None);
    let event = told.find(|event| event.name == "offer").unwrap_or_else(|| panic!("no offer"));
    assert_eq!((&event.data["offer"], &event.data["choices"]), (&number, &offered["offer"]["choices"]));
    daemon.kill();

    let daemon = Daemon::start(&house);
    assert_eq!(daemon.get("/agent/forms").json()[0]["choices"], json!(CHOICES));
    let pick = |offer: &Value, choice: u32| {
        daemon.post(&format!("/agent/offers/{turn}"), &json!({ "offer": offer, "choice": choice }))
    };
    assert_eq!(pick(&json!(99), 2).status, 409, "another offer");
    let chosen = pick(&number, 2).json();
    assert_eq!(chosen["turn"], json!(turn));
    assert!(there(&house, "Cellar/hw3.docx"), "a choice is no yes");
    assert_eq!(pick(&number, 1).status, 409, "a second tap changes nothing");
    let card = chosen["approval"]["id"].as_str().unwrap_or_else(|| panic!("{chosen}")).to_owned();
    let done = daemon.post(&format!("/agent/approvals/{card}"), &json!({ "answer": "once" })).json();
    assert_eq!(done["status"], "done", "{done}");
    assert!(there(&house, "Attic/hw3.docx") && !there(&house, "Cellar/hw3.docx"));
    drop(daemon);
    assert_eq!(model.seen().len(), 1);
    assert_eq!(house.run(&["replay", &turn]).code, Some(0));
}

#[test]
fn other_words_withdraw_an_offer_and_a_number_or_a_no_answers_it() {
    let model = in_two_ways();
    let house = house(&model);
    let daemon = Daemon::start(&house);
    let offered = daemon.ask(LOOSE);
    let other = daemon.ask("what time is it");
    assert_eq!(other["status"], "done", "{other}");
    assert_ne!(other["turn"], offered["turn"]);
    assert_eq!(daemon.get(&format!("/agent/turns/{}", turn(&offered))).json()["status"], "cancelled");
    let late = json!({ "offer": offered["offer"]["offer"], "choice": 1 });
    assert_eq!(daemon.post(&format!("/agent/offers/{}", turn(&offered)), &late).status, 409);

    let offered = daemon.ask(LOOSE);
    let again = daemon.ask("7");
    assert_eq!((&again["turn"], says(&again)), (&offered["turn"], CHOICES.to_vec()), "{again}");
    let none = daemon.ask("none of them");
    assert_eq!((&none["turn"], &none["status"]), (&offered["turn"], &json!("cancelled")), "{none}");

    let offered = daemon.ask(LOOSE);
    let chosen = daemon.ask("1");
    assert_eq!((&chosen["turn"], &chosen["status"]), (&offered["turn"], &json!("waits")), "{chosen}");
    assert!(there(&house, "Attic/hw3.docx") && there(&house, "Cellar/hw3.docx"));
}

#[test]
fn at_the_command_line_the_list_names_the_command_that_picks() {
    let model = in_two_ways();
    let house = house(&model);
    let ran: Ran = house.run(&["ask", LOOSE]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.stdout.contains(&format!("1. {}\n2. {}", CHOICES[0], CHOICES[1])), "{ran:?}");
    let command = ran.stdout.lines().find_map(|line| line.strip_prefix("→ metnos ")).unwrap();
    let words: Vec<&str> = ["--json"].into_iter().chain(command.split(' ')).collect();
    allow(&house, &house.run(&words).json());
    assert!(!there(&house, "Attic/hw3.docx") && there(&house, "Cellar/hw3.docx"));
    let again = house.run(&words);
    assert_eq!(again.json()["error"]["class"], "conflict", "{again:?}");
    // The number alone is the next request of the same conversation.
    let ask = |text: &str| house.run(&["--json", "ask", "--conversation", "one", text]).json();
    let offered = ask("frobnicate zzyzx plugh of hw3.docx corge Attic Cellar");
    let chosen = ask("2");
    assert_eq!(chosen["turn"], offered["turn"], "{chosen}");
    allow(&house, &chosen);
    assert!(!there(&house, "Cellar/hw3.docx"));
}

#[test]
fn at_a_terminal_a_digit_picks_and_other_words_are_another_request() {
    for daemon in [false, true] {
        let model = in_two_ways();
        let house = house(&model);
        let _daemon = daemon.then(|| Daemon::start(&house));
        let mut terminal = Pty::start(&house, &format!("ask '{LOOSE}'"));
        terminal.shows(&format!("2. {}", CHOICES[1]));
        terminal.keys("2\n");
        // The card of what was chosen.
        terminal.shows("Cellar");
        terminal.keys("y\n");
        assert_eq!(terminal.ends(), Some(0));
        assert!(there(&house, "Attic/hw3.docx") && !there(&house, "Cellar/hw3.docx"), "daemon: {daemon}");
        let mut terminal = Pty::start(&house, "ask 'frobnicate zzyzx plugh of hw3.docx fred Attic Cellar'");
        terminal.shows(&format!("2. {}", CHOICES[1]));
        terminal.keys("find the files in Attic\n");
        terminal.shows("Attic/hw3.docx");
        assert_eq!(terminal.ends(), Some(0));
        let turns = house.run(&["--json", "turns"]).json();
        assert_eq!(
            (&turns[0]["status"], &turns[1]["status"]),
            (&json!("done"), &json!("cancelled")),
            "{turns}"
        );
    }
}

#[test]
fn a_chat_client_reads_a_numbered_list_and_the_next_message_picks() {
    let model = in_two_ways();
    let house = house(&model);
    let daemon = Daemon::start(&house);
    let made = house.run(&["--json", "devices", "add", "laptop"]).json();
    let auth = format!("Authorization: Bearer {}", made["token"].as_str().unwrap());
    let post = |history: &Value| {
        let body = json!({ "model": "metnos", "messages": history }).to_string();
        let headers = [auth.as_str(), "Content-Type: application/json"];
        let answer = daemon.request("POST", "/v1/chat/completions", &headers, &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        answer.json()["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
    };
    let asked = json!({ "role": "user", "content": LOOSE });
    let offered = post(&json!([asked]));
    assert!(offered.contains(&format!("1. {}\n2. {}", CHOICES[0], CHOICES[1])), "{offered}");
    let two = json!({ "role": "user", "content": "2" });
    let chosen = post(&json!([asked, { "role": "assistant", "content": offered }, two]));
    assert!(chosen.contains("hw3.docx") && chosen.contains("/admin/approvals"), "its card: {chosen}");
    let yes = json!({ "role": "user", "content": "yes" });
    post(
        &json!([asked, { "role": "assistant", "content": offered }, two, { "role": "assistant", "content": chosen }, yes]),
    );
    assert!(there(&house, "Attic/hw3.docx") && !there(&house, "Cellar/hw3.docx"));
}

#[test]
fn over_telegram_each_choice_is_a_button() {
    let (bot, model) = (Bot::start(), in_two_ways());
    let house = telegram_house(&bot);
    fill(&house, &model.bound("wise", "timeout_seconds = 5"));
    let _daemon = Daemon::start(&house);
    bot.says(HOST, LOOSE);
    let offer = bot.wait("offer", |sent| sent.text().contains(CHOICES[1]));
    assert!(offer.text().contains(&format!("2. {}", CHOICES[1])), "{offer:?}");
    let rows = offer.body["reply_markup"]["inline_keyboard"].as_array().unwrap();
    assert_eq!(rows.len(), 2, "{offer:?}");
    assert!(rows[1][0]["text"].as_str().unwrap().starts_with("2. Find files"), "{offer:?}");
    bot.press(999, &offer, &offer.button(":2"));
    bot.press(HOST, &offer, &offer.button(":2"));
    let card = bot.wait("card", |sent| is_card(sent) && sent.message_id != offer.message_id);
    let edited = bot.wait("edit", |sent| sent.method == "editMessageText");
    assert!(edited.text().contains("2. Find files named hw3.docx in Cellar"), "{edited:?}");
    // The same button once more, and the other one.
    let cards = || bot.sent().into_iter().filter(is_card).count();
    let before = cards();
    bot.press(HOST, &offer, &offer.button(":2"));
    bot.press(HOST, &offer, &offer.button(":1"));
    bot.wait_confirmed();
    assert!(there(&house, "Cellar/hw3.docx"));
    bot.press(HOST, &card, &card.button(":o"));
    bot.wait("end", |sent| sent.method == "sendMessage" && sent.message_id > card.message_id);
    assert!(there(&house, "Attic/hw3.docx") && !there(&house, "Cellar/hw3.docx"));
    assert_eq!(cards(), before, "one card came of it");
    // A number in words, and something else.
    bot.says(HOST, "frobnicate zzyzx plugh of hw3.docx thud Attic Cellar");
    let second = bot
        .wait("second offer", |sent| sent.text().contains(CHOICES[1]) && sent.message_id > card.message_id);
    bot.says(HOST, "1");
    let card = bot.wait("second card", |sent| is_card(sent) && sent.message_id > second.message_id);
    assert!(card.text().contains("hw3.docx") && there(&house, "Attic/hw3.docx"), "{card:?}");
}

#[test]
fn in_the_browser_each_choice_is_a_button() {
    if !is_there() {
        return;
    }
    let model = in_two_ways();
    let house = house(&model);
    let daemon = Daemon::start(&house);
    let browser = Browser::start();
    browser.go(&daemon.login);
    browser.until("location.pathname === '/'");
    let say = |text: &str| browser.type_into("#text", &format!("{text}\u{E007}"));
    say(LOOSE);
    browser.until("document.querySelectorAll('.turn:last-child .offer button').length === 3");
    let words = browser.eval("return document.querySelector('.turn:last-child .offer').innerText;");
    assert!(words.as_str().unwrap().contains(&format!("2. {}", CHOICES[1])), "{words}");
    browser.click(".turn:last-child .offer [data-choice='2']");
    browser.until("document.querySelector('.turn:last-child .card:not(.offer)') !== null");
    assert!(there(&house, "Cellar/hw3.docx"), "a choice is no yes");
    browser.click(".turn:last-child .card [data-answer=once]");
    browser.until("document.querySelector('.turn:last-child .said')?.innerText.includes('deleted')");
    assert!(there(&house, "Attic/hw3.docx") && !there(&house, "Cellar/hw3.docx"));
    // Other words withdraw it: its buttons go.
    say("frobnicate zzyzx plugh of hw3.docx thud Attic Cellar");
    browser.until("document.querySelectorAll('.turn:last-child .offer button').length === 3");
    say("what time is it");
    browser.until("document.querySelectorAll('.offer button').length === 0");
}

#[test]
fn a_choice_that_went_well_is_kept_for_those_words() {
    let model = reading(&[&[find("~/Attic")], &[find("~/Cellar")]]);
    let house = house(&model);
    let ask = |text: &str| house.run(&["--json", "ask", text]);
    let offered = ask(LOOSE).json();
    let done = house.run(&["--json", "answer", &turn(&offered), "2"]).json();
    assert_eq!((&done["status"], &done["count"]), (&json!("done"), &json!(1)), "{done}");
    let next = ask(LOOSE).json();
    assert_eq!((&next["status"], &next["stage"]), (&json!("done"), &json!("fastpath")), "{next}");
    assert!(next["entries"][0]["path"].as_str().unwrap().ends_with("Cellar/hw3.docx"), "{next}");
    assert_eq!(model.seen().len(), 1, "nobody was asked again");
    let kept = house.run(&["memory", "plans"]);
    assert!(kept.stdout.contains("a choice of yours for these words"), "{kept:?}");
    // Other words are another request.
    let other = ask("frobnicate zzyzx plugh of hw3.docx thud Attic Cellar").json();
    assert_eq!(other["status"], "asks", "{other}");
    assert_eq!(house.run(&["replay", &turn(&next)]).code, Some(0));
}

#[test]
fn one_thing_is_found_offered_or_named_by_what_is_near() {
    let model = reading(&[&[find("~"), delete()]]);
    let house = house(&model);
    let ask = || house.run(&["--json", "ask", LOOSE]).json();
    let offered = ask();
    let mut names = says(&offered);
    names.sort_unstable();
    assert_eq!(names, ["~/Attic/hw3.docx", "~/Cellar/hw3.docx"], "{offered}");
    let cellar = says(&offered).iter().position(|name| name.contains("Cellar")).unwrap() + 1;
    allow(&house, &house.run(&["--json", "answer", &turn(&offered), &cellar.to_string()]).json());
    assert!(there(&house, "Attic/hw3.docx") && !there(&house, "Cellar/hw3.docx"));
    // The only one there is goes behind its card at once.
    allow(&house, &ask());
    assert!(!there(&house, "Attic/hw3.docx"));
    house.write("Papers/hw2.docx", "2");
    house.write("Papers/holiday.jpg", "3");
    let none = ask();
    assert_eq!(none["status"], "failed", "{none}");
    let text = none["text"].as_str().unwrap();
    assert!(
        text.contains("“hw3.docx”") && text.contains("“hw2.docx”") && !text.contains("holiday"),
        "{text}"
    );
    assert_eq!(status(&house, &turn(&offered)), "done");
    for known in house.run(&["--json", "turns"]).json().as_array().unwrap() {
        assert_eq!(house.run(&["replay", known["turn"].as_str().unwrap()]).code, Some(0), "{known}");
    }
}

#[test]
fn a_dry_run_shows_what_would_be_offered_and_leaves_nothing_open() {
    let model = in_two_ways();
    let house = house(&model);
    let dry = house.run(&["--json", "ask", "--dry-run", LOOSE]).json();
    assert!(dry["text"].as_str().unwrap().contains(&format!("2. {}", CHOICES[1])), "{dry}");
    assert_eq!(house.run(&["--json", "forms"]).json(), json!([]));
}
