//! The Telegram door against a Bot API server: who is let in, who may answer, and that a line that fails and a
//! daemon that dies repeat no effect and lose no answer.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::support::House;
use crate::support::daemon::Daemon;
use crate::support::skill::Skill;
use crate::support::telegram::{
    ANNA, BRUNO, Bot, Fault, GROUP, HOST, NAME, Sent, TOKEN, house, is_card, member, private, run,
};
use metnos_memory::db::TelegramUpdate;
use std::time::{Duration, Instant};

fn toast(bot: &Bot, text: &str) -> Sent {
    bot.wait(text, |sent| sent.method == "answerCallbackQuery" && sent.text().contains(text))
}

fn nothing_says_the_token(house: &House) {
    let logs = house.metnos().join("state/logs/metnos.log");
    let text = std::fs::read_to_string(logs).unwrap();
    assert!(text.contains("telegram: polling as"), "{text}");
    assert!(!text.contains(TOKEN) && !text.contains("AAfakeToken"), "{text}");
}

#[test]
fn a_stranger_gets_a_code_and_nothing_else_and_a_guest_only_looks() {
    let bot = Bot::start();
    let house = house(&bot);
    let key = house.metnos().join("config/keys/instance.key");
    let _daemon = Daemon::start(&house);
    bot.says(ANNA, "what time is it");
    let told = bot.wait_count(ANNA, 1).text();
    let code = told.split_whitespace().find(|word| word.len() >= 9 && word.contains('-')).unwrap();
    let code = code.trim_end_matches('.').to_owned();
    // In a group a stranger is not spoken to at all.
    bot.says_in(GROUP, ANNA, &format!("@{NAME} what time is it"));
    run(&house, &["pairing", "approve", "telegram", &code, "--as", "guest", "--name", "Anna"]);
    bot.says(ANNA, "what time is it");
    let time = bot.wait_count(ANNA, 2).text();
    assert!(time.contains(':') && !time.contains(&code), "{time}");
    let keys = std::fs::read_dir(key.parent().unwrap()).unwrap().count();
    bot.says(ANNA, &format!("delete the file {}", key.display()));
    let refused = bot.wait_count(ANNA, 3);
    assert!(!is_card(&refused), "refused at once: {refused:?}");
    assert_eq!(std::fs::read_dir(key.parent().unwrap()).unwrap().count(), keys);
    assert!(bot.sent_to(GROUP).is_empty());
    // Who was revoked hears nothing, not even a code.
    run(&house, &["users", "revoke", "anna"]);
    let before = bot.sent_to(ANNA).len();
    bot.says(ANNA, "what time is it");
    bot.says(HOST, "what time is it");
    bot.wait_count(HOST, 1);
    bot.wait_confirmed();
    assert_eq!(bot.sent_to(ANNA).len(), before);
    nothing_says_the_token(&house);
    house.chain_holds();
}

#[test]
fn a_card_is_answered_by_whom_it_was_asked_and_by_nobody_else() {
    let bot = Bot::start();
    let house = house(&bot);
    member(&house, BRUNO, "Bruno", "member");
    house.write("Documents/a.txt", "a");
    let daemon = Daemon::start(&house);
    bot.says_in(GROUP, HOST, &format!("@{NAME} move a.txt from Documents to Archive"));
    let card = bot.wait("card", |sent| is_card(sent) && sent.chat() == GROUP);
    let waiting = daemon.get("/agent/approvals").json();
    let until: jiff::Timestamp = waiting[0]["expires_at"].as_str().unwrap().parse().unwrap();
    assert!(until.duration_since(jiff::Timestamp::now()).as_hours() >= 23, "it waits a day: {waiting}");
    assert!(card.button(":o").len() <= 64);
    bot.press(BRUNO, &card, &card.button(":o"));
    toast(&bot, "not for you");
    bot.press(999, &card, &card.button(":o"));
    bot.wait("second refusal", |sent| {
        sent.method == "answerCallbackQuery"
            && sent.body["callback_query_id"].as_str().unwrap().contains("999")
    });
    assert!(house.home().join("Documents/a.txt").exists() && !house.home().join("Archive/a.txt").exists());
    bot.press(HOST, &card, &card.button(":o"));
    let edited = bot.wait("edit", |sent| sent.method == "editMessageText");
    assert_eq!(edited.body["message_id"], card.message_id);
    assert!(edited.text().contains("said yes") && edited.body["reply_markup"].is_null(), "{edited:?}");
    bot.wait("the answer", |sent| {
        sent.chat() == GROUP && sent.message_id > card.message_id && sent.method == "sendMessage"
    });
    assert!(house.home().join("Archive/a.txt").exists());
    bot.press(HOST, &card, &card.button(":o"));
    toast(&bot, "over");
    // A plain message in the group is not for the bot.
    let messages = || bot.sent_to(GROUP).into_iter().filter(|sent| sent.method == "sendMessage").count();
    let before = messages();
    bot.says_in(GROUP, HOST, "what time is it");
    bot.says_in(GROUP, HOST, "/undo");
    let until = Instant::now() + Duration::from_secs(60);
    while messages() <= before && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(messages(), before + 1, "{:?}", bot.sent_to(GROUP));
    assert!(house.home().join("Documents/a.txt").exists());
    house.chain_holds();
}

#[test]
fn a_guests_question_goes_to_the_host_and_its_answer_back() {
    let bot = Bot::start();
    let house = house(&bot);
    member(&house, ANNA, "Anna", "guest");
    let _daemon = Daemon::start(&house);
    let note = house.metnos().join("workspace/people/anna/note.txt");
    bot.says(ANNA, "write \"hello\" to note.txt");
    let card = bot.wait("card", is_card);
    assert_eq!(card.chat(), HOST, "{card:?}");
    assert!(card.text().contains("Anna"), "{card:?}");
    let asked = bot.wait_count(ANNA, 1);
    assert!(!is_card(&asked) && asked.text().contains("host"), "{asked:?}");
    // The guest cannot answer, not even by forging the button.
    bot.press(ANNA, &card, &card.button(":o"));
    toast(&bot, "Only the host");
    assert!(!note.exists());
    bot.press(HOST, &card, &card.button(":o"));
    bot.wait_count(ANNA, 2);
    assert!(note.exists());
}

#[test]
fn an_answer_given_elsewhere_is_told_here() {
    let bot = Bot::start();
    let house = house(&bot);
    house.write("a.txt", "a");
    let daemon = Daemon::start(&house);
    bot.says(HOST, "delete the file a.txt");
    let card = bot.wait("card", is_card);
    let id = card.button(":n").split(':').nth(1).unwrap().to_owned();
    let ended =
        daemon.post(&format!("/agent/approvals/{id}"), &serde_json::json!({ "answer": "once" })).json();
    assert_eq!(ended["status"], "done", "{ended}");
    bot.wait_count(HOST, 2);
    assert!(!house.home().join("a.txt").exists());
    // A yes in words, and a word that was missing.
    house.write("b.txt", "b");
    bot.says(HOST, "move b.txt");
    bot.wait_count(HOST, 3);
    bot.says(HOST, "Archive");
    let card = bot.wait_count(HOST, 4);
    assert!(is_card(&card), "{card:?}");
    bot.says(HOST, "yes");
    bot.wait_count(HOST, 5);
    assert!(house.home().join("Archive/b.txt").exists());
}

#[test]
fn what_is_said_twice_is_answered_twice() {
    let bot = Bot::start();
    let house = house(&bot);
    house.write("Documents/a.txt", "a");
    let daemon = Daemon::start(&house);
    for n in 1..=2 {
        bot.says(HOST, "move a.txt from Documents to Archive");
        assert!(is_card(&bot.wait_count(HOST, n)));
    }
    let cards = bot.sent_to(HOST);
    assert_ne!(cards[0].button(":o"), cards[1].button(":o"), "each has its own");
    bot.press(HOST, &cards[1], &cards[1].button(":o"));
    // The card, edited, and the answer.
    bot.wait_count(HOST, 4);
    assert!(house.home().join("Archive/a.txt").exists());
    bot.press(HOST, &cards[0], &cards[0].button(":n"));
    let until = Instant::now() + Duration::from_secs(60);
    loop {
        let turns = daemon.get("/agent/turns").json();
        let ends: Vec<&str> =
            turns.as_array().unwrap().iter().filter_map(|turn| turn["status"].as_str()).collect();
        if ends == ["done", "cancelled"] {
            break;
        }
        assert!(Instant::now() < until, "both have an end: {turns}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_bad_line_delays_answers_and_loses_none() {
    let bot = Bot::start();
    let house = house(&bot);
    house.write("a.txt", "a");
    bot.fail("getMe", &[Fault::Status(502), Fault::CutBefore]);
    bot.fail("getUpdates", &[Fault::Status(500), Fault::CutAfter, Fault::Busy(1)]);
    bot.fail("sendMessage", &[Fault::Busy(1), Fault::Status(503), Fault::CutBefore, Fault::CutAfter]);
    let daemon = Daemon::start(&house);
    let first = bot.says(HOST, "what time is it");
    bot.wait_count(HOST, 1);
    bot.says(HOST, "/help");
    bot.wait("help", |sent| sent.text().contains("/undo"));
    let sent = bot.sent_to(HOST);
    assert!(sent.len() <= 3, "at most one duplicate: {sent:#?}");
    assert_eq!(
        sent.iter().filter(|sent| !sent.told).count(),
        1,
        "and only where the line dropped: {sent:#?}"
    );
    // The same update again, after it was confirmed: nothing happens.
    bot.wait_confirmed();
    bot.push_again(&private(HOST, "what time is it"), first);
    bot.says(HOST, "/lang it");
    bot.wait("language", |sent| sent.text().contains("italiano"));
    assert_eq!(bot.sent_to(HOST).len(), sent.len() + 1, "{:#?}", bot.sent_to(HOST));
    // A message that is refused is given up and holds nothing up.
    bot.fail("sendMessage", &[Fault::Refused]);
    let before = bot.sent_to(HOST).len();
    // What stops is answered beside what waits: which of two answers is refused is said by their order here.
    bot.says(HOST, "/stop");
    bot.wait_failed("sendMessage");
    bot.says(HOST, "/lang en");
    bot.wait("language", |sent| sent.text().contains("English"));
    assert_eq!(bot.sent_to(HOST).len(), before + 1, "{:#?}", bot.sent_to(HOST));
    let health = daemon.get("/healthz").json();
    assert!(health["telegram"]["poll_age_seconds"].as_u64().unwrap() < 30, "{health}");
    // What was taken in is struck off a moment after it was sent.
    let empty = || daemon.get("/metrics").body.contains("metnos_telegram_outbox 0");
    assert!((0..100).any(|_| empty() || {
        std::thread::sleep(Duration::from_millis(50));
        false
    }));
    nothing_says_the_token(&house);
    assert!(daemon.stop(), "it ends well");
}

#[test]
fn files_are_kept_where_they_belong_and_never_replaced() {
    let bot = Bot::start();
    let house = house(&bot);
    member(&house, ANNA, "Anna", "guest");
    let _daemon = Daemon::start(&house);
    let inbox = house.metnos().join("workspace/inbox/telegram");
    bot.sends_file(HOST, "../../notes.txt", b"one\ntwo\n", "");
    let told = bot.wait_count(HOST, 1).text();
    assert!(told.contains("inbox/telegram/notes.txt"), "{told}");
    bot.sends_file(HOST, "notes.txt", b"another", "");
    bot.wait_count(HOST, 2);
    assert_eq!(std::fs::read(inbox.join("notes.txt")).unwrap(), b"one\ntwo\n");
    assert_eq!(std::fs::read(inbox.join("notes (2).txt")).unwrap(), b"another");
    bot.sends_file(ANNA, "mine.txt", b"mine", "");
    let told = bot.wait_count(ANNA, 1).text();
    assert!(told.ends_with("inbox/mine.txt"), "{told}");
    assert!(house.metnos().join("workspace/people/anna/inbox/mine.txt").exists());
    bot.sends_file(HOST, "words.txt", b"alpha beta", "read the file");
    let read = bot.wait_count(HOST, 4).text();
    assert!(read.contains("alpha beta"), "the caption is a request about it: {read}");
}

/// Waits until nothing of a daemon that was killed is left: what it had just started dies a moment later.
fn let_go(house: &House) -> &House {
    let lock = std::fs::File::open(house.metnos().join("state/serve.lock")).unwrap();
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).unwrap();
    house
}

#[test]
fn a_daemon_that_dies_answers_everything_and_does_everything_once() {
    let bot = Bot::start();
    let house = house(&bot);
    member(&house, BRUNO, "Bruno", "member");
    let count = 12;
    let mut daemon = Daemon::start(&house);
    for n in 0..count {
        bot.says(BRUNO, &format!("write \"text {n}\" to f{n}.txt"));
        if n % 3 == 2 {
            // Not for luck: another moment each time, and every one of them must do.
            std::thread::sleep(Duration::from_millis(37 * (n as u64 + 1)));
            daemon.kill();
            daemon = Daemon::start(let_go(&house));
            // By name: a reply that came again after a cut is not the reply to the next request.
            let file = format!("/f{n}.txt");
            bot.wait("the reply to the last request", |sent| {
                sent.method == "sendMessage" && sent.chat() == BRUNO && sent.text().contains(&file)
            });
        }
    }
    bot.wait_confirmed();
    assert!(daemon.stop());
    let sent = bot.sent_to(BRUNO);
    let kills = count / 3;
    assert!(sent.len() <= count + kills, "one reply each, and one again for each cut: {sent:#?}");
    for n in 0..count {
        let written = house.metnos().join(format!("workspace/people/bruno/f{n}.txt"));
        let written =
            std::fs::read_to_string(&written).unwrap_or_else(|e| panic!("f{n}.txt: {e}: {sent:#?}"));
        assert_eq!(written.trim(), format!("text {n}"));
    }
    let acts = house.run(&["--json", "undo", "--list"]).json();
    let stands = acts.as_array().unwrap().iter().filter(|act| act["state"] == "done").count();
    assert_eq!(stands, count, "each was written once, and what was cut was taken back: {acts:#}");
    house.chain_holds();
}

#[test]
fn an_invitation_lets_in_once_and_never_the_host() {
    let bot = Bot::start();
    let house = house(&bot);
    run(&house, &["users", "add", "Anna", "--as", "guest"]);
    let _daemon = Daemon::start(&house);
    let token = |person: &str| {
        let link = house.run(&["--json", "login-link", "--person", person]).json();
        link["login"].as_str().unwrap().split_once('#').unwrap().1.to_owned()
    };
    let (anna, host) = (token("anna"), token("host"));
    bot.says(BRUNO, &format!("/start {host}"));
    let refused = bot.wait_count(BRUNO, 1).text();
    assert!(refused.contains("invitation"), "{refused}");
    bot.says(ANNA, &format!("/start {anna}"));
    assert!(bot.wait_count(ANNA, 1).text().contains("Anna"));
    bot.says(ANNA, "what time is it");
    assert!(bot.wait_count(ANNA, 2).text().contains(':'));
    bot.says(BRUNO, &format!("/start {anna}"));
    assert_eq!(bot.wait_count(BRUNO, 2).text(), refused, "an invitation is used once");
}

#[test]
fn a_reply_follows_a_group_that_got_another_number() {
    const LARGER: i64 = -1_000_888;
    let bot = Bot::start();
    let house = house(&bot);
    house.write("Documents/a.txt", "a");
    let _daemon = Daemon::start(&house);
    bot.fail("sendMessage", &[Fault::Moved(LARGER)]);
    bot.says_in(GROUP, HOST, &format!("@{NAME} move a.txt from Documents to Archive"));
    let card = bot.wait("card", is_card);
    assert_eq!(card.chat(), LARGER, "{card:?}");
    assert!(bot.sent_to(GROUP).is_empty(), "{:?}", bot.sent_to(GROUP));
    // What comes of it is told there too: the turn that waits went along.
    bot.press(HOST, &card, &card.button(":o"));
    bot.wait("the answer", |sent| {
        sent.method == "sendMessage" && sent.chat() == LARGER && sent.message_id > card.message_id
    });
    assert!(house.home().join("Archive/a.txt").exists());
}

#[test]
fn a_yes_in_words_that_a_kill_cut_is_no_request_of_its_own() {
    let bot = Bot::start();
    let house = house(&bot);
    let mut daemon = Daemon::start(&house);
    for n in 0..6_u64 {
        let name = format!("cut{n}.bin");
        house.write(&name, vec![7; 4 << 20]);
        bot.says(HOST, &format!("delete the file {name}"));
        let card = bot.wait("card", |sent| is_card(sent) && sent.text().contains(&name));
        bot.says(HOST, "yes");
        // Not for luck: another moment each time, and every one of them must do.
        std::thread::sleep(Duration::from_millis(23 * n));
        daemon.kill();
        daemon = Daemon::start(let_go(&house));
        // Whoever asked is told where it stands.
        bot.wait("what came of it", |sent| {
            !is_card(sent) && sent.method == "sendMessage" && sent.message_id > card.message_id
        });
        bot.wait_confirmed();
    }
    no_turn_was_a_yes(&daemon, 6);
    house.chain_holds();
}

/// A yes is an answer: no turn and no gap comes of it.
fn no_turn_was_a_yes(daemon: &Daemon, count: usize) {
    let turns = daemon.get("/agent/turns").json();
    let asked: Vec<&str> =
        turns.as_array().unwrap().iter().map(|turn| turn["request"].as_str().unwrap()).collect();
    assert!(asked.len() == count && !asked.contains(&"yes"), "{asked:?}");
    let auth = format!("Authorization: Bearer {}", daemon.key);
    let gaps = daemon.request("GET", "/admin/gaps", &[&auth, "Accept: application/json"], "").json();
    assert_eq!(gaps["gaps"].as_array().unwrap().len(), 0, "{gaps}");
}

#[test]
fn a_yes_that_was_written_down_before_a_kill_counts_once() {
    let bot = Bot::start();
    let house = house(&bot);
    house.write("a.txt", "a");
    let daemon = Daemon::start(&house);
    bot.says(HOST, "delete the file a.txt");
    let card = bot.wait("card", is_card);
    bot.wait_confirmed();
    let question = card.button(":o").split(':').nth(1).unwrap().to_owned();
    let turn = daemon.get("/agent/turns").json()[0]["turn"].as_str().unwrap().to_owned();
    daemon.kill();
    // As the kill leaves it: the yes came, what it answers is written down, and nothing was decided yet; then again,
    // as if the kill had come after the decision.
    let yes = |update_id: i64| {
        let db = metnos_memory::db::Db::open(&let_go(&house).metnos().join("state/metnos.sqlite")).unwrap();
        let mut body = private(HOST, "yes");
        body["update_id"] = update_id.into();
        let row = TelegramUpdate {
            update_id,
            turn: "01ARZ3NDEKTSV4RRFFQ69G5FAV".into(),
            chat: HOST,
            sender: HOST,
            body: body.to_string(),
            shown: None,
            again: false,
        };
        db.telegram_take(&[row], jiff::Timestamp::now()).unwrap();
        db.telegram_decides(update_id, &turn, &question).unwrap();
    };
    yes(900);
    let daemon = Daemon::start(&house);
    // Not by the number of messages: the card may have been said twice, for the kill.
    bot.wait("answer", |sent| sent.text().contains("1 file deleted"));
    assert!(!house.home().join("a.txt").exists(), "the yes counted");
    house.write("a.txt", "again");
    daemon.kill();
    yes(901);
    let daemon = Daemon::start(&house);
    bot.says(HOST, "/help");
    bot.wait("help", |sent| sent.text().contains("/undo"));
    assert!(house.home().join("a.txt").exists(), "and only once");
    no_turn_was_a_yes(&daemon, 1);
}

#[test]
fn the_host_lets_a_stranger_in_by_their_code_and_nobody_else_does() {
    let bot = Bot::start();
    let house = house(&bot);
    member(&house, BRUNO, "Bruno", "member");
    let _daemon = Daemon::start(&house);
    bot.says(ANNA, "hello");
    let told = bot.wait_count(ANNA, 1).text();
    let code = told.split_whitespace().find(|word| word.len() >= 9 && word.contains('-')).unwrap();
    let code = code.trim_end_matches('.').to_owned();
    bot.says(BRUNO, &format!("/pair {code}"));
    assert!(bot.wait_count(BRUNO, 1).text().contains("/undo"), "a member is told what there is for them");
    bot.says_in(GROUP, HOST, &format!("/pair@{NAME} {code}"));
    assert!(bot.wait_count(GROUP, 1).text().contains("/undo"), "not where others read it");
    bot.says(HOST, "/pair AAAA-BBBB");
    assert!(bot.wait_count(HOST, 1).text().contains("code"));
    bot.says(HOST, &format!("/pair {code}"));
    assert!(bot.wait_count(HOST, 2).text().contains("guest"));
    bot.says(ANNA, "what time is it");
    assert!(bot.wait_count(ANNA, 2).text().contains(':'));
    house.chain_holds();
}

#[test]
fn a_credential_is_not_asked_for_in_a_chat_and_a_word_lets_it_go_on() {
    let bot = Bot::start();
    let house = house(&bot);
    Skill::mailbox().signed_without_credential(&house);
    let _daemon = Daemon::start(&house);
    bot.says(HOST, "find my messages");
    let told = bot.wait_count(HOST, 1).text();
    assert!(told.contains("metnos credentials set mail username password"), "it says where: {told}");
    bot.says(HOST, "go on");
    let again = bot.wait_count(HOST, 2).text();
    assert!(again.contains("metnos credentials set mail"), "it is not kept yet: {again}");
    let set = house.run_with(&["credentials", "set", "mail", "username", "password"], b"anna\nsecret\n");
    assert_eq!(set.code, Some(0), "{set:?}");
    bot.says(HOST, "continua");
    let done = bot.wait_count(HOST, 3).text();
    assert!(done.contains("for anna, 6"), "{done}");
    assert_eq!(
        house.run(&["--json", "turns"]).json().as_array().unwrap().len(),
        1,
        "one request, gone on with"
    );
    house.chain_holds();
}
