//! What is sent to people by Telegram: who may send what to whom, and what the sender hears of it.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::support::daemon::Daemon;
use crate::support::telegram::{ANNA, Bot, Fault, HOST, Sent, house, is_card, member};
use std::time::{Duration, Instant};

/// The smallest picture there is.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89";

fn is_file(sent: &Sent, name: &str) -> bool {
    sent.body["file"]["name"] == name
}

#[test]
fn files_and_photos_go_to_whoever_asked_for_them() {
    let bot = Bot::start();
    let house = house(&bot);
    member(&house, ANNA, "Anna", "member");
    house.write("Documents/cv.pdf", "%PDF my life");
    house.write("Documents/old/list.txt", "milk");
    std::fs::create_dir_all(house.home().join("Pictures")).unwrap();
    std::fs::write(house.home().join("Pictures/sea.png"), PNG).unwrap();
    let _daemon = Daemon::start(&house);
    bot.says(HOST, "send me ~/Documents/cv.pdf on Telegram");
    let sent = bot.wait("the file", |sent| is_file(sent, "cv.pdf"));
    assert_eq!((sent.method.as_str(), sent.chat()), ("sendDocument", HOST));
    assert_eq!(sent.body["file"]["text"], "%PDF my life");
    bot.wait("the answer", |sent| {
        sent.chat() == HOST && sent.text().contains("Sent to you by Telegram; files: 1")
    });
    bot.says(HOST, "mandami su Telegram ~/Pictures/sea.png");
    let photo = bot.wait("the photo", |sent| is_file(sent, "sea.png"));
    assert_eq!((photo.method.as_str(), photo.chat()), ("sendPhoto", HOST));
    // What Telegram does not take as a picture goes as a file.
    bot.fail("sendPhoto", &[Fault::Bad]);
    bot.says(HOST, "send me the photos in Pictures on Telegram");
    let file =
        bot.wait("the photo as a file", |sent| is_file(sent, "sea.png") && sent.method == "sendDocument");
    let answer = bot.wait("its answer", |sent| {
        sent.message_id > file.message_id && sent.text().contains("Sent to you by Telegram; files: 1")
    });
    assert!(!answer.text().contains('—'), "it is said, not shown in rows: {answer:?}");
    // Nobody but the host was asked anything, and nothing is left lying about.
    assert!(bot.sent().iter().all(|sent| !is_card(sent)), "{:#?}", bot.sent());
    let copies = || std::fs::read_dir(house.metnos().join("state/outgoing")).unwrap().count();
    let until = Instant::now() + Duration::from_secs(10);
    while copies() > 0 && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(copies(), 0);
    // What is core, and what is not theirs, goes to nobody.
    let key = house.metnos().join("config/keys/instance.key");
    let others = house.home().join("Documents/cv.pdf");
    for (who, path) in [(HOST, &key), (ANNA, &key), (ANNA, &others)] {
        let (before, files) = (bot.sent_to(who).len(), bot.calls("sendDocument"));
        bot.says(who, &format!("send me {} on Telegram", path.display()));
        let told = bot.wait_count(who, before + 1);
        assert!(!is_card(&told) && !told.text().contains("Sent to"), "{told:?}");
        assert_eq!(bot.calls("sendDocument"), files);
    }
    house.chain_holds();
}

#[test]
fn a_file_for_somebody_else_waits_for_a_yes_and_is_what_was_shown() {
    let bot = Bot::start();
    let house = house(&bot);
    member(&house, ANNA, "Anna", "member");
    house.write("Documents/cv.pdf", "first");
    let daemon = Daemon::start(&house);
    bot.says(HOST, "send Anna ~/Documents/cv.pdf on Telegram");
    let card = bot.wait("card", is_card);
    assert!(card.text().contains("Anna") && card.text().contains("cv.pdf"), "{}", card.text());
    assert!(card.text().contains("Cannot be undone"), "{}", card.text());
    assert!(bot.sent_to(ANNA).is_empty());
    // Another file under the same name is another question.
    house.write("Documents/cv.pdf", "something else altogether");
    bot.press(HOST, &card, &card.button(":o"));
    let again = bot.wait("another card", |sent| is_card(sent) && sent.message_id > card.message_id);
    assert!(bot.sent_to(ANNA).is_empty(), "{:#?}", bot.sent_to(ANNA));
    // What Telegram does not take now is told so, and a kill neither loses it nor sends it twice.
    bot.fail("sendDocument", &[Fault::Status(502); 3]);
    bot.press(HOST, &again, &again.button(":o"));
    bot.wait("the answer", |sent| sent.chat() == HOST && sent.text().contains("For Anna: written down"));
    daemon.kill();
    let _daemon = Daemon::start(&house);
    let sent = bot.wait("the file", |sent| is_file(sent, "cv.pdf"));
    assert_eq!(sent.chat(), ANNA);
    assert_eq!(sent.body["file"]["text"], "something else altogether");
    assert!(sent.body.get("sender").is_none(), "{sent:?}");
    bot.says(HOST, "send Zoe ~/Documents/cv.pdf on Telegram");
    bot.wait("a refusal", |sent| sent.text().contains("nobody here is called Zoe"));
    assert_eq!(bot.sent_to(ANNA).len(), 1, "{:#?}", bot.sent_to(ANNA));
}

#[test]
fn whoever_sent_something_hears_that_it_was_refused() {
    let bot = Bot::start();
    let house = house(&bot);
    member(&house, ANNA, "Anna", "member");
    let _daemon = Daemon::start(&house);
    let yes = |words: &str, faults: &[Fault]| {
        let before = bot.sent_to(HOST).len();
        bot.says(HOST, words);
        let card = bot.wait_count(HOST, before + 1);
        assert!(is_card(&card), "{card:?}");
        bot.fail("sendMessage", faults);
        bot.press(HOST, &card, &card.button(":o"));
    };
    // At once: the answer says it.
    yes("send Anna the message \"dinner is ready\" on Telegram", &[Fault::Refused]);
    bot.wait("the answer", |sent| sent.chat() == HOST && sent.text().contains("Telegram did not take it"));
    // Later: a message of its own does.
    yes("send Anna the message \"wash your hands\" on Telegram", &[Fault::Busy(8)]);
    bot.wait("the answer", |sent| sent.chat() == HOST && sent.text().contains("For Anna: written down"));
    bot.fail("sendMessage", &[Fault::Refused]);
    bot.wait("the news", |sent| sent.chat() == HOST && sent.text().contains("sent to Anna did not arrive"));
    assert!(bot.sent_to(ANNA).is_empty(), "{:#?}", bot.sent_to(ANNA));
}
