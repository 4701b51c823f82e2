//! What the page shows of an answer: what narrows a step, a chart once, no column twice, nothing done where nothing was,
//! and what was taken back. The same columns and the same counts at every door.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::support::House;
use crate::support::browser::{Browser, is_there};
use crate::support::daemon::Daemon;
use crate::support::pty::Pty;
use serde_json::{Value, json};

const LAST: &str = "document.querySelector('.turn:last-child')";

/// A page on which somebody is logged in.
fn open(daemon: &Daemon) -> Browser {
    let browser = Browser::start();
    browser.look(false, false);
    browser.go(&daemon.login);
    browser.until("location.pathname === '/'");
    browser
}

/// Says something and waits until the newest turn stands still.
fn say(browser: &Browser, text: &str) {
    let before = browser.eval("return document.querySelectorAll('.turn').length;").as_u64().unwrap();
    browser.type_into("#text", &format!("{text}\u{E007}"));
    browser.until(&format!("document.querySelectorAll('.turn').length > {before}"));
    browser.until(&format!(
        "{LAST}.querySelector('.state').textContent === '' && {LAST}.querySelector('.said').childElementCount > 0"
    ));
}

fn text(browser: &Browser, css: &str) -> String {
    browser
        .eval(&format!("return {LAST}.querySelector('{css}')?.textContent ?? '';"))
        .as_str()
        .unwrap()
        .to_owned()
}

fn heads(browser: &Browser) -> Vec<String> {
    let heads =
        format!("return [...{LAST}.querySelectorAll('thead th')].map(head => head.innerText.trim());");
    serde_json::from_value(browser.eval(&heads)).unwrap()
}

/// Pictures for whoever wants to look: at 1100 points and on a phone, by day and by night.
fn pictures(browser: &Browser, name: &str) {
    let Some(folder) = std::env::var_os("METNOS_SCREENSHOTS").map(std::path::PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    for (kind, dark, phone) in
        [("light", false, false), ("dark", true, false), ("phone", false, true), ("phone-dark", true, true)]
    {
        browser.look(dark, phone);
        if !phone {
            wide(browser, 1100);
        }
        browser
            .eval("if (document.querySelector('.chat')) scrollTo(0, document.documentElement.scrollHeight);");
        std::fs::write(folder.join(format!("{name}-{kind}.png")), browser.picture()).unwrap();
    }
    browser.look(false, false);
}

fn wide(browser: &Browser, width: u32) {
    let size = json!({ "width": width, "height": 860, "deviceScaleFactor": 1, "mobile": false });
    browser.devtools("Emulation.setDeviceMetricsOverride", size);
}

#[test]
fn an_answer_on_the_page_says_everything_once() {
    if !is_there() {
        return;
    }
    let house = House::supervised();
    house.write("Downloads/setup.exe", vec![0; 2_000_000]);
    house.write("Downloads/notes.txt", "notes");
    let daemon = Daemon::start(&house);
    let browser = open(&daemon);

    // What narrows a step stands in it, in words.
    say(&browser, "find the exe files in Downloads bigger than 1 MB");
    assert_eq!(
        heads(&browser),
        ["where", "size", "changed"],
        "path, name, extension and kind are one column"
    );
    browser.click(".turn:last-child .steps summary");
    browser.until(&format!("{LAST}.querySelector('.step .args') !== null"));
    let narrows = text(&browser, ".step .args");
    assert!(
        narrows.contains("*.exe") && narrows.contains("1 MB") && narrows.contains("Downloads"),
        "{narrows}"
    );
    pictures(&browser, "table");

    // A chart is drawn once.
    say(&browser, "count the files in Downloads by extension as a chart");
    assert_eq!(browser.eval(&format!("return {LAST}.querySelectorAll('img.picture').length;")), 1);
    assert!(!text(&browser, ".said").contains('█'), "{}", text(&browser, ".said"));
    pictures(&browser, "chart");

    // A no did nothing, so there is no way in which it was done.
    say(&browser, "delete notes.txt in Downloads");
    pictures(&browser, "card");
    browser.click(".turn:last-child .card [data-answer=no]");
    browser.until(&format!("{LAST}.querySelector('.badge.is-cancelled') !== null"));
    let hidden = format!("return {LAST}.querySelector('.steps').hidden;");
    assert_eq!(browser.eval(&hidden), true);
    browser.go(&format!("http://{}/", daemon.address));
    browser.until(&format!("{LAST}?.querySelector('.badge.is-cancelled')"));
    assert_eq!(browser.eval(&hidden), true, "nor after the page was loaded again");

    // A change shows no digest, and says that it was taken back also after a reload.
    say(&browser, "copy notes.txt from Downloads to Backup");
    browser.click(".turn:last-child .card [data-answer=once]");
    browser.until(&format!("{LAST}.querySelector('[data-act=undo]') !== null"));
    let columns = heads(&browser);
    assert!(columns.iter().all(|head| !["hash", "done", "ok"].contains(&head.as_str())), "{columns:?}");
    browser.click(".turn:last-child [data-act=undo]");
    browser.until(&format!("{LAST}.querySelector('.badge.is-undone') !== null"));
    assert!(!house.home().join("Backup/notes.txt").exists());
    browser.go(&format!("http://{}/", daemon.address));
    browser.until(&format!("{LAST}?.querySelector('.badge.is-undone')"));
    assert_eq!(text(&browser, ".badge.is-undone"), "Taken back");
    pictures(&browser, "undone");

    // On the page of plans every button can be reached without scrolling.
    browser.go(&format!("http://{}/admin/plans", daemon.address));
    browser.until("document.querySelectorAll('main tbody tr').length > 0");
    for width in [1100, 900] {
        wide(&browser, width);
        let out = "return [...document.querySelectorAll('main tbody button')].filter(button => button.getBoundingClientRect().right > document.querySelector('.scroll').getBoundingClientRect().right).length;";
        assert_eq!(browser.eval(out), 0, "at {width}");
    }
    pictures(&browser, "plans");
}

#[test]
fn the_terminal_and_programs_show_the_same_columns() {
    let house = House::supervised();
    house.write("Downloads/notes.txt", "notes");
    let told = house.run(&["ask", "find the files in Downloads"]);
    let head = told.stdout.lines().next().unwrap().split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(head, "path size mtime", "{told:?}");
    let daemon = Daemon::start(&house);
    let answer = daemon.ask("find the files in Downloads");
    assert_eq!(answer["columns"], json!(["path", "size", "mtime"]), "{answer}");
    assert!(answer["entries"][0]["ext"] == "txt", "programs have every field: {answer}");
}

#[test]
fn executors_are_counted_once() {
    let house = House::supervised();
    let status = house.run(&["--json", "status"]).json()["executors"]["active"].as_u64().unwrap();
    let listed = house.run(&["--json", "executors", "list"]).json();
    assert_eq!(listed.as_array().unwrap().len() as u64, status);
    let doctor = house.run(&["--json", "doctor"]).json();
    let told = doctor["findings"].as_array().unwrap().iter().find(|one| one["check"] == "executors").unwrap();
    assert!(told["detail"].as_str().unwrap().starts_with(&format!("{status} in use")), "{told}");
    let text = house.run(&["status"]).stdout;
    assert!(text.contains(&format!("{status} in use")), "{text}");
    let daemon = Daemon::start(&house);
    let auth = format!("Authorization: Bearer {}", daemon.key);
    let page = daemon.request("GET", "/admin/", &[&auth, "Accept: application/json"], "").json();
    assert_eq!(page["executors"], status, "{page}");
    drop(daemon);
    let mut pty = Pty::start(&house, "");
    pty.shows(&format!("{status} executors"));
    pty.shows("metnos> ");
    pty.keys("quit\n");
    assert_eq!(pty.ends(), Some(0));
}

#[test]
fn the_list_of_changes_names_what_was_asked() {
    let house = House::new();
    house.write("Documents/a.txt", "alpha");
    let requests = ["create the folder Documents/Casa", "move Documents/a.txt to Documents/Casa"];
    for request in requests {
        let done = house.run(&["--json", "ask", request]).json();
        assert_eq!(done["status"], "done", "{done}");
    }
    let listed = house.run(&["--json", "undo", "--list"]).json();
    let named: Vec<&Value> = listed.as_array().unwrap().iter().map(|row| &row["request"]).collect();
    assert_eq!(named, [requests[1], requests[0]], "the newest first: {listed}");
    assert_eq!(listed[0]["executor"], "move_files");
    let text = house.run(&["undo", "--list"]).stdout;
    assert!(requests.iter().all(|request| text.contains(request)), "{text}");
}

/// Turned, tagged and zero-width, with markup.
const HOSTILE: &str = "a\u{202e}b\u{e0041}\u{200b}<b id=owned>c.txt";

/// What a person reads of this page: its words, and what is said of its parts.
fn read(browser: &Browser) -> String {
    let words = "const said = [...document.querySelectorAll('*')].flatMap(one => ['title', 'aria-label', 'alt', 'placeholder', 'download'].map(name => one.getAttribute(name) ?? '')); return document.title + document.body.textContent + said.join('\\n');";
    browser.eval(words).as_str().unwrap().to_owned()
}

#[track_caller]
fn shows_it_clean(browser: &Browser, page: &str) {
    let text = read(browser);
    let odd =
        text.chars().find(|c| metnos_executor::shown::is_unseen(*c) && !matches!(c, '\n' | '\t' | '\r'));
    assert!(odd.is_none(), "{odd:?} on {page}: {text:?}");
    assert!(text.contains("<b id=owned>c.txt"), "{page} does not show it: {text}");
    assert_eq!(browser.eval("return document.getElementById('owned') === null;"), true, "markup on {page}");
}

#[test]
fn a_hostile_name_is_clean_on_the_chat_and_on_every_page_that_lists_it() {
    if !is_there() {
        return;
    }
    let house = House::supervised();
    house.write(&format!("Documents/{HOSTILE}"), "x");
    house.write(&format!("Documents/in {HOSTILE}/y.txt"), "y");
    let daemon = Daemon::start(&house);
    let browser = open(&daemon);

    // The chat: rows, a card with its details, and the words of a person.
    say(&browser, "list the files in Documents");
    shows_it_clean(&browser, "the chat");
    say(&browser, "delete all txt files in Documents");
    shows_it_clean(&browser, "a card");
    browser.go(&format!("http://{}/", daemon.address));
    // What was said comes back turn by turn.
    browser.until("document.body.textContent.includes('<b id=owned>c.txt')");
    shows_it_clean(&browser, "the chat after a reload");

    // A turn, a gap, a plan and a change that hold it.
    let asked = daemon.ask(&format!("find files named \"{HOSTILE}\" in Documents"));
    assert_eq!(asked["status"], "done", "{asked}");
    daemon.ask(&format!("transmogrify the flux of \"{HOSTILE}\" please"));
    let moved = daemon.ask(&format!("move \"Documents/in {HOSTILE}/y.txt\" to Archive"));
    let card = moved["approval"]["id"].as_str().unwrap_or_else(|| panic!("{moved}")).to_owned();
    // A grant and a rule are for the folder of that name.
    let inside = json!({ "paths": [format!("~/Documents/in {HOSTILE}/y.txt")] }).to_string();
    let other = house.run(&["--json", "exec", "delete_files", &inside]).json();
    let other = other["error"]["approval"].as_str().unwrap_or_else(|| panic!("{other}")).to_owned();

    let turn = asked["turn"].as_str().unwrap();
    let pages = |names: &[&str]| {
        for name in names {
            browser.go(&format!("http://{}/admin/{name}", daemon.address));
            browser.until("document.readyState === 'complete' && document.querySelector('main') !== null");
            shows_it_clean(&browser, name);
        }
    };
    pages(&["approvals", "turns", "gaps", "plans", &format!("turns/{turn}")]);
    let done = daemon.post(&format!("/agent/approvals/{card}"), &json!({ "answer": "once" }));
    assert!(done.status < 300, "{done:?}");
    let never = daemon.post(&format!("/agent/approvals/{other}"), &json!({ "answer": "never" }));
    assert!(never.status < 300, "{never:?}");
    pages(&["undo", "safety"]);
}
