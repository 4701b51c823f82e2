//! The web pages in a real browser: the chat does what it says, every page opens, nothing is loaded from
//! elsewhere, and nothing in a name becomes markup. With `METNOS_SCREENSHOTS` set to a folder, pictures are
//! taken on the way.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::support::House;
use crate::support::browser::{Browser, is_there};
use crate::support::daemon::Daemon;
use crate::support::skill::Skill;
use serde_json::{Value, json};
use std::path::PathBuf;

const NASTY: &str = "<img src=x onerror=alert(1)>.txt";
const PAGES: [&str; 11] =
    ["", "approvals", "turns", "undo", "plans", "executors", "gaps", "safety", "people", "models", "system"];

/// Says something and waits until the newest turn stands still.
fn say(browser: &Browser, text: &str) {
    let before = browser.eval("return document.querySelectorAll('.turn').length;").as_u64().unwrap();
    browser.type_into("#text", &format!("{text}\u{E007}"));
    browser.until(&format!("document.querySelectorAll('.turn').length > {before}"));
    browser.until("document.querySelector('.turn:last-child .state').textContent === '' && document.querySelector('.turn:last-child .said').childElementCount > 0");
}

/// The words of the newest answer.
fn said(browser: &Browser) -> String {
    let text = browser.eval("return document.querySelector('.turn:last-child .said').innerText;");
    text.as_str().unwrap().to_owned()
}

/// A picture, two points wide.
const PICTURE: &[u8] =
    b"\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x02\x00\x00\
    \x00\x02\x08\x02\x00\x00\x00\xfd\xd4\x9a\x73\x00\x00\x00\x10\x49\x44\x41\x54\x78\x9c\x63\
    \x50\x68\x38\x00\x44\x0c\x10\x0a\x00\x24\x0e\x05\x81\x7c\x07\x47\x74\x00\x00\x00\x00\x49\
    \x45\x4e\x44\xae\x42\x60\x82";

/// Pictures by day, by night and on a phone.
fn pictures(browser: &Browser, name: &str) {
    let Some(folder) = std::env::var_os("METNOS_SCREENSHOTS").map(PathBuf::from) else { return };
    std::fs::create_dir_all(&folder).unwrap();
    for (kind, dark, phone) in [("light", false, false), ("dark", true, false), ("phone", false, true)] {
        browser.look(dark, phone);
        browser.eval("document.activeElement.blur(); if (document.querySelector('.chat')) scrollTo(0, document.documentElement.scrollHeight); else scrollTo(0, 0);");
        std::fs::write(folder.join(format!("{name}-{kind}.png")), browser.picture()).unwrap();
    }
    browser.look(false, false);
}

/// Nothing on this page is wider than a phone, except what scrolls by itself.
fn fits_a_phone(browser: &Browser, page: &str) {
    browser.look(false, true);
    let wide = browser.eval("return document.documentElement.scrollWidth;").as_u64().unwrap();
    assert!(wide <= 360, "{page} is {wide} wide on a phone");
    let cut = "return [...document.querySelectorAll('.stack')].filter(box => box.scrollWidth > box.clientWidth).length;";
    assert_eq!(browser.eval(cut), 0, "{page} has rows that are cut on a phone");
    browser.look(false, false);
}

/// The errors of the console since the last look.
fn errors(browser: &Browser) -> Vec<Value> {
    browser.log("browser").into_iter().filter(|line| line["level"] == "SEVERE").collect()
}

/// Every address that was loaded since the last look.
fn loaded(browser: &Browser) -> Vec<String> {
    let message = |line: &Value| serde_json::from_str::<Value>(line["message"].as_str()?).ok();
    let lines = browser.log("performance");
    let asked = lines
        .iter()
        .filter_map(message)
        .filter(|told| told["message"]["method"] == "Network.requestWillBeSent");
    asked.filter_map(|told| told["message"]["params"]["request"]["url"].as_str().map(str::to_owned)).collect()
}

#[test]
fn the_pages_do_in_a_browser_what_they_say() {
    if !is_there() {
        return;
    }
    let house = House::supervised();
    house.write("Documents/report.txt", "a");
    for n in 0..90 {
        house.write(&format!("Papers/letter number {n:02}.txt"), vec![b'x'; 10 + n * 37]);
    }
    house.write(&format!("Odd/{NASTY}"), "harmless");
    house.write("Album/sea.png", PICTURE);
    let daemon = Daemon::start(&house);
    let browser = Browser::start();
    browser.look(false, false);

    // The way in, also with a link pasted into the page that asks for one: the token leaves the address at once.
    browser.go(&format!("http://{}/login", daemon.address));
    browser.go(&daemon.login);
    browser.until("location.pathname === '/'");
    assert_eq!(browser.until("location.hash === '' ? 'clean' : 'token'"), "clean");
    browser.until("!document.getElementById('welcome').hidden");

    // A question, with its steps.
    say(&browser, "what time is it");
    assert!(said(&browser).contains(':'), "{}", said(&browser));
    browser.until("document.querySelectorAll('.turn:last-child .step.is-done').length > 0");

    // A table: sorted by a click, more rows on demand.
    say(&browser, "find the files in Papers");
    let rows = "document.querySelectorAll('.turn:last-child tbody tr').length";
    assert_eq!(browser.until(rows), 60);
    pictures(&browser, "chat-table");
    fits_a_phone(&browser, "the chat with a table");
    browser.click(".turn:last-child .table-foot button");
    browser.until(&format!("{rows} === 90"));
    browser.click(".turn:last-child thead th .sort");
    browser.until("document.querySelector('.turn:last-child th[aria-sort=ascending]') !== null");
    let column = "return [...document.querySelectorAll('.turn:last-child tbody tr')].map(r => r.cells[0].textContent);";
    let shown: Vec<String> = serde_json::from_value(browser.eval(column)).unwrap();
    assert_eq!(shown.len(), 90);
    assert!(shown.windows(2).all(|two| two[0] <= two[1]), "{shown:?}");

    browser.click(".turn:last-child [data-act=star]");
    browser.until("document.querySelector('.turn:last-child .note').textContent.startsWith('Kept')");

    // Files can be taken away, and pictures are seen.
    let href =
        browser.eval("return document.querySelector('.turn:last-child tbody a').getAttribute('href');");
    assert!(href.as_str().unwrap().contains("/files/"), "{href}");
    say(&browser, "find the photos in Album");
    browser.until("document.querySelector('.turn:last-child .thumbs img')?.naturalWidth === 2");

    // A name that looks like markup is a name.
    say(&browser, "find the files in Odd");
    assert!(said(&browser).contains(NASTY), "{}", said(&browser));
    assert_eq!(browser.eval("return document.querySelectorAll('.turn:last-child img').length;"), 0);

    // A change asks; the button says yes; the file moves; the other button takes it back.
    say(&browser, "move report.txt from Documents to Archive");
    browser.until("document.querySelector('.turn:last-child .card') !== null");
    assert!(!house.home().join("Archive/report.txt").exists(), "nothing happens before a yes");
    pictures(&browser, "chat-card");
    fits_a_phone(&browser, "the chat with a card");
    // The card is still there after the page was loaded again.
    browser.go(&format!("http://{}/", daemon.address));
    browser.click(".turn:last-child .card [data-answer=once]");
    browser.until("document.querySelector('.turn:last-child [data-act=undo]') !== null");
    assert!(house.home().join("Archive/report.txt").exists(), "the yes moved it");
    browser.click(".turn:last-child [data-act=undo]");
    browser.until("document.querySelector('.turn:last-child .note').textContent");
    assert!(house.home().join("Documents/report.txt").exists(), "undo moved it back");
    assert!(!house.home().join("Archive/report.txt").exists());

    // What is missing is asked for, and the answer goes on.
    say(&browser, "move Documents/report.txt");
    browser.type_into(".turn:last-child .form input", "Archive\u{E007}");
    browser.click(".turn:last-child .card [data-answer=no]");
    browser.until("document.querySelector('.turn:last-child .badge.is-cancelled') !== null");
    assert!(house.home().join("report.txt").exists() || house.home().join("Documents/report.txt").exists());
    // Everything said before is there again, in order.
    browser.go(&format!("http://{}/", daemon.address));
    browser.until("document.querySelectorAll('.turn').length === 6");
    let first = browser.eval("return document.querySelector('.turn .asked p').textContent;");
    assert_eq!(first, "what time is it");

    // Every page about the house opens, has its place in the menu, and fits a phone.
    for page in PAGES {
        browser.go(&format!("http://{}/admin/{page}", daemon.address));
        browser.until("document.querySelector('main h1') !== null");
        assert_eq!(browser.eval("return document.querySelectorAll('.side [aria-current=page]').length;"), 1);
        fits_a_phone(&browser, page);
        let name = if page.is_empty() { "overview" } else { page };
        if ["overview", "turns", "executors", "safety"].contains(&name) {
            pictures(&browser, name);
        }
        let told = daemon.request(
            "GET",
            &format!("/admin/{page}"),
            &[&format!("Authorization: Bearer {}", daemon.key), "Accept: application/json"],
            "",
        );
        assert!(told.status == 200 && told.json().is_object(), "{page}: {told:?}");
    }
    // The plan that got its star, one turn in full, one executor, a check of the whole audit.
    browser.go(&format!("http://{}/admin/plans", daemon.address));
    browser.until("document.body.innerText.includes('★ find the files in Papers')");
    browser.go(&format!("http://{}/admin/turns", daemon.address));
    browser.click("main tbody a");
    browser.until("location.pathname.startsWith('/admin/turns/')");
    browser.click("button[data-post$=replay]");
    browser.until("document.getElementById('told').textContent.includes('the same')");
    browser.go(&format!("http://{}/admin/executors/move_files", daemon.address));
    browser.until("document.querySelector('main h1').textContent === 'move_files'");
    browser.go(&format!("http://{}/admin/safety", daemon.address));
    browser.click("button[data-post$=verify]");
    browser.until("document.querySelector('main .good') !== null");

    assert_eq!(errors(&browser), Vec::<Value>::new(), "the console is clean");
    let own = format!("http://{}/", daemon.address);
    let foreign: Vec<String> = loaded(&browser)
        .into_iter()
        // The browser's own first page comes from the browser itself.
        .filter(|url| !["data:", "chrome:", "about:"].iter().any(|own| url.starts_with(own)))
        .filter(|url| !url.starts_with(&own))
        .collect();
    assert_eq!(foreign, Vec::<String>::new(), "nothing comes from elsewhere");
    house.chain_holds();
}

/// Every page opens in a browser, with its place in the menu and no error.
fn all_pages(browser: &Browser, daemon: &Daemon) {
    for page in PAGES {
        browser.go(&format!("http://{}/admin/{page}", daemon.address));
        browser.until("document.querySelector('main h1') !== null");
        assert_eq!(browser.eval("return document.querySelectorAll('.side [aria-current=page]').length;"), 1);
        fits_a_phone(browser, page);
    }
    assert_eq!(errors(browser), Vec::<Value>::new(), "the console is clean");
}

#[test]
fn every_page_holds_with_no_turn_one_turn_and_a_hundred_thousand() {
    if !is_there() {
        return;
    }
    let house = House::supervised();
    let browser = Browser::start();
    browser.look(false, false);
    let rows = "document.querySelectorAll('main tbody tr').length";
    {
        let daemon = Daemon::start(&house);
        browser.go(&daemon.login);
        browser.until("location.pathname === '/'");
        all_pages(&browser, &daemon);
        daemon.ask("what time is it");
        all_pages(&browser, &daemon);
        browser.go(&format!("http://{}/admin/turns", daemon.address));
        assert_eq!(browser.until(rows), 1);
        browser.go(&format!("http://{}/", daemon.address));
        (0..5).for_each(|_| say(&browser, "what time is it"));
        for n in 0..94 {
            daemon.ask(if n % 10 == 0 { "order me a pizza" } else { "what time is it" });
        }
        // An open page asks now and then; nobody answers it while the daemon is away.
        browser.go("about:blank");
    }
    let base = house.metnos().join("state/metnos.sqlite");
    metnos_memory::db::Db::open(&base).unwrap().multiply_turns(100_000).unwrap();

    let daemon = Daemon::start(&house);
    browser.go(&daemon.login);
    browser.until("location.pathname === '/'");
    browser.until("document.querySelectorAll('.turn').length >= 10");
    all_pages(&browser, &daemon);
    // The day of them is drawn; the list goes on from page to page, and finds those that went otherwise.
    browser.go(&format!("http://{}/admin/", daemon.address));
    let drawn = "return [...document.querySelector('figure.plot').querySelectorAll('title')].reduce((sum, bar) => sum + Number(bar.textContent.split(': ')[1]), 0);";
    assert_eq!(browser.eval(drawn).as_f64(), Some(100_000.0));
    browser.go(&format!("http://{}/admin/turns", daemon.address));
    assert_eq!(browser.until(rows), 50);
    let first = "document.querySelector('main tbody a').getAttribute('href')";
    let newest = browser.until(first);
    browser.click("a[rel=next]");
    browser.until(&format!("{first} !== {newest} && {rows} === 50"));
    browser.go(&format!("http://{}/admin/turns?status=gap", daemon.address));
    assert_eq!(browser.until(rows), 50);
    // And one can still ask.
    browser.go(&format!("http://{}/", daemon.address));
    browser.until("document.querySelectorAll('.turn').length >= 10");
    say(&browser, "what time is it");
    assert!(said(&browser).contains(':'), "{}", said(&browser));
    assert_eq!(errors(&browser), Vec::<Value>::new(), "the console is clean");
}

#[test]
fn a_credential_that_is_missing_is_asked_for_in_the_chat_and_kept_from_everybody() {
    if !is_there() {
        return;
    }
    const SECRET: &str = "corretto senza zucchero";
    let house = House::supervised();
    Skill::mailbox().signed_without_credential(&house);
    let daemon = Daemon::start(&house);
    let browser = Browser::start();
    browser.look(false, false);
    browser.go(&daemon.login);
    browser.until("location.pathname === '/'");
    say(&browser, "find my messages");
    browser.until("document.querySelectorAll('.turn:last-child .credential input').length === 2");
    assert_eq!(
        browser.eval("return document.querySelector('.credential input[name=password]').type;"),
        "password"
    );
    pictures(&browser, "chat-credential");
    fits_a_phone(&browser, "the chat with a form for a credential");
    browser.type_into(".turn:last-child .credential input[name=username]", "anna");
    browser.type_into(".turn:last-child .credential input[name=password]", SECRET);
    browser.click(".turn:last-child .credential button");
    // It goes on by itself, and now it can: the same request, not another one.
    browser.until(&format!(
        "document.querySelector('.turn:last-child .said').innerText.includes('for anna, {}')",
        SECRET.len()
    ));
    browser.go(&format!("http://{}/", daemon.address));
    browser.until("document.querySelectorAll('.turn').length === 1");
    assert_eq!(browser.eval("return document.querySelectorAll('.credential').length;"), 0, "asked for once");
    assert_eq!(errors(&browser), Vec::<Value>::new(), "the console is clean");
    let audit = house.audit_lines().iter().map(Value::to_string).collect::<String>();
    assert!(audit.contains("credential set") && !audit.contains(SECRET));
}

#[test]
fn somebody_who_is_not_the_host_sees_what_is_theirs_and_nothing_else() {
    let house = House::supervised();
    let made = house.run(&["--json", "users", "add", "Anna", "--as", "member"]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let token = house.run(&["--json", "devices", "add", "phone", "--person", "anna"]);
    assert_eq!(token.code, Some(0), "{token:?}");
    let token = token.json()["token"].as_str().unwrap().to_owned();
    let daemon = Daemon::start(&house);
    daemon.ask("what time is it");
    let get = |path: &str, kind: &str| {
        let auth = format!("Authorization: Bearer {token}");
        daemon.request("GET", path, &[&auth, &format!("Accept: {kind}")], "")
    };
    for page in ["executors", "gaps", "safety", "models", "system"] {
        let seen = get(&format!("/admin/{page}"), "text/html");
        assert_eq!(seen.status, 403, "{page}: {seen:?}");
        assert!(seen.body.contains("Only the host"), "{page}: {seen:?}");
        assert_eq!(get(&format!("/admin/{page}"), "application/json").status, 403);
    }
    let turns = get("/admin/turns", "application/json").json();
    assert_eq!(turns["turns"], json!([]), "the host's turns are not theirs");
    assert_eq!(get("/admin/turns?person=host", "application/json").json()["turns"], json!([]));
    let people = get("/admin/people", "application/json").json();
    assert_eq!(people["people"], json!([]));
    let theirs = people["tokens"].as_array().unwrap().iter().all(|token| token["person"] == "anna");
    assert!(theirs, "{people}");
    for path in ["safety/verify", "system/stop", "system/doctor", "people/admit"] {
        let body = json!({ "channel": "telegram", "code": "x", "role": "guest" });
        assert_eq!(daemon.post_as(&token, &format!("/admin/{path}"), &body).status, 403, "{path}");
    }
}

#[test]
fn an_address_that_leads_nowhere_is_a_page_for_a_person_and_json_for_a_program() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let page = daemon.request("GET", "/admin/nope", &["Accept: text/html", "Accept-Language: it-IT,it"], "");
    assert_eq!(page.status, 404);
    assert!(page.body.contains("Qui non c") && page.body.contains("href=\"/\""), "{page:?}");
    let program = daemon.request("GET", "/admin/nope", &[], "");
    assert_eq!((program.status, program.json()["error"]["class"].as_str().unwrap()), (404, "not_found"));
}

#[test]
fn the_list_of_changes_says_what_was_asked_and_keeps_nothing_of_what_was_taken_back() {
    let house = House::supervised();
    house.write("a.txt", "a");
    let daemon = Daemon::start(&house);
    let waits = daemon.ask("delete the file a.txt");
    let id = waits["approval"]["id"].as_str().unwrap().to_owned();
    let ended = daemon.post(&format!("/agent/approvals/{id}"), &json!({ "answer": "once" })).json();
    assert_eq!(ended["status"], "done", "{ended}");
    let auth = format!("Authorization: Bearer {}", daemon.key);
    let changes = || {
        let told = daemon.request("GET", "/admin/undo", &[&auth, "Accept: application/json"], "").json();
        told["changes"][0].clone()
    };
    assert_eq!(changes()["request"], "delete the file a.txt");
    assert!(changes()["kept_bytes"].is_number(), "{}", changes());
    let undone = daemon.post(&format!("/agent/turns/{}/undo", ended["turn"].as_str().unwrap()), &json!({}));
    assert_eq!(undone.status, 200, "{undone:?}");
    assert!(changes()["kept_bytes"].is_null(), "{}", changes());
    let listed = daemon.request("GET", "/admin/executors", &[&auth, "Accept: application/json"], "").json();
    let described = listed["executors"].as_array().unwrap().iter().all(|row| row["scope"] != "");
    assert!(described, "each says what it is for: {listed}");
}

#[test]
fn words_answer_the_card_on_the_page() {
    if !is_there() {
        return;
    }
    let house = House::supervised();
    house.write("Documents/a.txt", "a");
    house.write("Documents/b.txt", "b");
    let daemon = Daemon::start(&house);
    let browser = Browser::start();
    browser.go(&daemon.login);
    browser.until("location.pathname === '/'");
    let types = |text: &str| browser.type_into("#text", &format!("{text}\u{E007}"));
    for (request, word, done) in
        [("delete a.txt in Documents", "cancel that", false), ("delete b.txt in Documents", "sì", true)]
    {
        say(&browser, request);
        browser.until("document.querySelector('.turn:last-child .card') !== null");
        types(word);
        browser.until("document.querySelector('.card') === null");
        browser
            .until("![...document.querySelectorAll('.turn .state')].some(state => state.textContent !== '')");
        let answer = browser.eval("return [...document.querySelectorAll('.turn')].at(-2).innerText;");
        let answer = answer.as_str().unwrap();
        let expected = if done { "1 file deleted" } else { "Stopped" };
        assert!(answer.contains(expected), "the turn that waited tells how it ended: {answer}");
    }
    assert!(house.home().join("Documents/a.txt").exists() && !house.home().join("Documents/b.txt").exists());
    assert_eq!(errors(&browser), Vec::<Value>::new());
}
