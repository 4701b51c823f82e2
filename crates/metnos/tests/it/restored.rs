//! A restored house does not take up again what was open in its backup, and says who is let in again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::daemon::Daemon;
use crate::support::telegram::{Bot, Fault, HOST, house, is_card, private, run};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::{Duration, Instant};

fn archive(house: &House) -> PathBuf {
    house.metnos().with_file_name("b.tar.zst")
}

fn back_up(house: &House) {
    let secret = house.write("../passphrase", "four words and more\n");
    run(house, &["backup", archive(house).to_str().unwrap(), "--passphrase-file", secret.to_str().unwrap()]);
}

/// Takes the house away, as a dead disk does.
fn lose(house: &House) {
    std::fs::remove_dir_all(house.metnos()).unwrap();
}

fn device(house: &House, label: &str, person: &str) -> String {
    let added = house.run(&["--json", "devices", "add", label, "--person", person]).json();
    added["token"].as_str().unwrap().to_owned()
}

/// The command that revokes this, as the restore named it.
fn revoking(restored: &Value, what: &str, who: &str) -> Vec<String> {
    let live = restored["live"].as_array().unwrap();
    let found = live
        .iter()
        .find(|one| one["what"] == what && one["who"].as_str().unwrap().contains(who))
        .unwrap_or_else(|| panic!("{what} {who} is not named in {restored}"));
    let words = found["revoke"].as_str().unwrap().split_whitespace().skip(1);
    words.map(str::to_owned).collect()
}

fn status(daemon: &Daemon, token: &str) -> u16 {
    daemon.get_as(token, "/agent/turns").status
}

fn cookie_status(daemon: &Daemon, cookie: &str) -> u16 {
    daemon.request("GET", "/agent/turns", &[&format!("Cookie: metnos={cookie}")], "").status
}

#[test]
fn a_restore_ends_what_was_open_and_names_whom_it_lets_in_again() {
    let house = House::supervised();
    let file = house.write("Documents/a.txt", "old");
    let daemon = Daemon::start(&house);
    let phone = device(&house, "stolen phone", "host");
    assert_eq!(house.run(&["--json", "users", "add", "Eve", "--as", "member"]).json()["id"], "eve");
    let eves = device(&house, "tablet", "eve");
    let (cookie, _) = daemon.browser(&daemon.login);
    assert_eq!(cookie_status(&daemon, &cookie), 200);
    let link = house.run(&["--json", "login-link"]).stdout;
    let asked =
        daemon.post_as(&phone, "/agent/turn", &json!({ "text": "delete the file a.txt in Documents" }));
    let asked = asked.json();
    let (turn, card) = (asked["turn"].as_str().unwrap(), asked["approval"]["id"].as_str().unwrap());
    back_up(&house);

    // After the backup: the question is answered, and two are revoked.
    let yes = json!({ "answer": "once" });
    assert_eq!(daemon.post(&format!("/agent/approvals/{card}"), &yes).json()["status"], "done");
    assert!(!file.exists());
    let listed = house.run(&["--json", "devices", "list"]).json();
    let stolen = listed.as_array().unwrap().iter().find(|row| row["label"] == "stolen phone").unwrap();
    run(&house, &["devices", "revoke", stolen["id"].as_str().unwrap()]);
    run(&house, &["users", "revoke", "eve"]);
    assert_eq!((status(&daemon, &phone), status(&daemon, &eves)), (401, 401));
    assert!(daemon.stop());

    lose(&house);
    let restored = house.run(&[
        "--json",
        "restore",
        archive(&house).to_str().unwrap(),
        "--passphrase-file",
        "../passphrase",
    ]);
    assert_eq!(restored.code, Some(0), "{restored:?}");
    let restored = restored.json();
    assert_eq!(restored["ended"]["questions"], 1, "{restored}");
    assert!(restored["ended"]["sessions"].as_u64().unwrap() >= 1, "{restored}");
    assert!(restored["ended"]["links"].as_u64().unwrap() >= 1, "{restored}");
    assert_eq!(restored["unopened"], Value::Null, "{restored}");
    std::fs::write(&file, "new").unwrap();

    let daemon = Daemon::start(&house);
    // What was answered is not asked again, by whomever.
    let late = daemon.post_as(&phone, &format!("/agent/approvals/{card}"), &yes);
    assert_eq!(late.status, 409, "{late:?}");
    assert!(late.body.contains("restored from a backup"), "{late:?}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
    assert_eq!(daemon.get("/agent/approvals").json(), json!([]));
    let told = daemon.get(&format!("/agent/turns/{turn}")).json();
    assert_eq!(told["status"], "cancelled", "{told}");
    assert!(told["text"].as_str().unwrap().contains("restored from a backup"), "{told}");
    let told = house.run(&["turns", turn]);
    assert!(told.stdout.contains("restored from a backup"), "{told:?}");
    assert_eq!(cookie_status(&daemon, &cookie), 401, "a session does not come back");
    let token = link.split_once('#').unwrap().1;
    let token: String =
        token.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).collect();
    let origin = format!("Origin: http://{}", daemon.address);
    let body = json!({ "token": token }).to_string();
    let login = daemon.request("POST", "/login", &[&origin, "Content-Type: application/json"], &body);
    assert_ne!(login.status, 200, "nor does a link: {login:?}");

    // Devices do, and each is named with the command that ends it.
    assert_eq!((status(&daemon, &phone), status(&daemon, &eves)), (200, 200));
    for (what, who) in [("device", "stolen phone"), ("person", "Eve")] {
        let words = revoking(&restored, what, who);
        run(&house, &words.iter().map(String::as_str).collect::<Vec<_>>());
    }
    assert_eq!((status(&daemon, &phone), status(&daemon, &eves)), (401, 401));
    house.chain_holds();
}

#[test]
fn what_was_open_over_telegram_is_neither_run_nor_sent_after_a_restore() {
    let bot = Bot::start();
    let house = house(&bot);
    let file = house.write("a.txt", "a");
    let daemon = Daemon::start(&house);
    bot.says(HOST, "delete the file a.txt");
    let card = bot.wait("card", is_card);
    bot.fail("sendMessage", &[Fault::Busy(3600)]);
    bot.says(HOST, "what time is it");
    let database = house.metnos().join("state/metnos.sqlite");
    let put_off = || {
        let db = rusqlite::Connection::open(&database).unwrap();
        let sql = "SELECT count(*) FROM telegram_outbox WHERE state = 'waiting' AND tries > 0";
        db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap()
    };
    let until = Instant::now() + Duration::from_secs(60);
    while put_off() == 0 {
        assert!(Instant::now() < until, "the answer was not put off");
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(daemon.stop());
    // One that was written down and not begun yet, and an answer that is due.
    let db = rusqlite::Connection::open(&database).unwrap();
    db.execute(
        "INSERT INTO telegram_updates (update_id, turn, state, chat, sender, body, at)
         VALUES (900, '01M7HK1MRW60BFR8B0W1K8RRJD', 'new', ?1, ?1, ?2, '2026-01-01T00:00:00Z')",
        (HOST, private(HOST, "what time is it").to_string()),
    )
    .unwrap();
    db.execute("UPDATE telegram_outbox SET not_before = 0", []).unwrap();
    drop(db);
    back_up(&house);
    lose(&house);
    let restored =
        house.run(&["restore", archive(&house).to_str().unwrap(), "--passphrase-file", "../passphrase"]);
    assert_eq!(restored.code, Some(0), "{restored:?}");
    assert!(restored.stdout.contains(&format!("metnos pairing remove telegram {HOST}")), "{restored:?}");
    assert!(restored.stdout.contains("1 open questions"), "{restored:?}");

    let before = bot.sent_to(HOST).len();
    let _daemon = Daemon::start(&house);
    bot.wait("word of it", |sent| sent.chat() == HOST && sent.text().contains("restored from a backup"));
    bot.press(HOST, &card, &card.button(":o"));
    bot.wait("toast", |sent| sent.method == "answerCallbackQuery" && sent.text().contains("over"));
    bot.says(HOST, "/help");
    bot.wait("help", |sent| sent.text().contains("/undo"));
    let since: Vec<_> = bot.sent_to(HOST).into_iter().skip(before).collect();
    let messages = since.iter().filter(|sent| sent.method == "sendMessage").count();
    assert_eq!(messages, 2, "that it was restored, and the help: {since:#?}");
    assert!(file.exists(), "a card of before does nothing");
}

#[test]
fn a_restore_that_was_cut_before_its_end_is_ended_by_whoever_opens_the_house() {
    let house = House::supervised();
    let daemon = Daemon::start(&house);
    let (cookie, _) = daemon.browser(&daemon.login);
    assert_eq!(cookie_status(&daemon, &cookie), 200);
    assert!(daemon.stop());
    let mark = house.metnos().join("state/RESTORED");
    std::fs::write(&mark, "").unwrap();
    let daemon = Daemon::start(&house);
    assert_eq!(cookie_status(&daemon, &cookie), 401);
    assert!(!mark.exists(), "it is done once");
    let (cookie, _) = daemon.browser(&daemon.login);
    assert_eq!(cookie_status(&daemon, &cookie), 200);
    assert!(house.audit_lines().iter().any(|line| line["detail"]["what"] == "restored"));
}
