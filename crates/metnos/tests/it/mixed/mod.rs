//! A thousand requests by two people over three doors at once, with kills of the daemon: for every one of them
//! plan, card, audit and disk agree, and everything that was changed can be taken back.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

mod check;
mod disk;
mod lanes;
mod rows;

use crate::support::daemon::Daemon;
use crate::support::telegram::{BRUNO, Bot, HOST, house, member};
use lanes::{Lane, Street};
use serde_json::json;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};

const REQUESTS: usize = 1000;
/// So many requests between two kills, about.
const BETWEEN_KILLS: usize = 80;

#[test]
fn a_thousand_requests_agree_with_their_cards_the_audit_and_the_disk() {
    let bot = Bot::start();
    let house = house(&bot);
    let config = format!("{}[limits]\nturns_per_minute = 100000\n", bot.config());
    std::fs::write(house.metnos().join("config/metnos.toml"), config).unwrap();
    member(&house, BRUNO, "Bruno", "member");
    let token = house.run(&["--json", "devices", "add", "phone", "--person", "bruno"]).json();
    let token = token["token"].as_str().unwrap().to_owned();
    let many = std::env::var("METNOS_MIXED").ok().and_then(|n| n.parse().ok()).unwrap_or(REQUESTS);
    let rows = rows::drawn(&house, many);
    // The first request makes the folder of a person.
    assert_eq!(house.run(&["ask", "--as", "bruno", "what time is it"]).code, Some(0));
    let roots = [house.home(), house.metnos().canonicalize().unwrap().join("workspace/people/bruno")];
    let roots = roots.map(|root| {
        disk::furnish(&root, &rows);
        let tree = disk::tree(&root);
        (root, tree)
    });

    let daemon = Daemon::start(&house);
    let street = Street {
        house: &house,
        bot: &bot,
        rows: &rows,
        next: AtomicUsize::new(0),
        door: (daemon.address.clone(), daemon.key.clone()),
        over: AtomicBool::new(false),
        unanswered: Mutex::default(),
        starting: RwLock::default(),
    };
    let lanes = [
        Lane::Terminal("host"),
        Lane::Terminal("bruno"),
        Lane::Program(None),
        Lane::Program(Some(token)),
        Lane::Telegram(HOST),
        Lane::Telegram(BRUNO),
    ];
    let daemon = std::thread::scope(|scope| {
        let walking: Vec<_> = lanes
            .iter()
            .zip(1..)
            .map(|(lane, seed)| {
                let street = &street;
                scope.spawn(move || street.walk(lane, seed))
            })
            .collect();
        let killer = scope.spawn(|| street.killed(daemon, many / BETWEEN_KILLS));
        walking.into_iter().for_each(|lane| lane.join().unwrap());
        street.over.store(true, Ordering::Relaxed);
        killer.join().unwrap()
    });
    assert!(daemon.stop());

    let (compared, mut wrong) = check::agree(&house, &rows, &roots);
    wrong
        .extend(street.unanswered.into_inner().unwrap().into_iter().map(|what| format!("no answer: {what}")));
    assert!(wrong.is_empty(), "{compared:?}\n{} disagree:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared.turns >= many && compared.steps > many, "{compared:?}");
    assert!(compared.cards_used > many / 50 && compared.cards_refused > many / 200, "{compared:?}");
    assert!(compared.changes > many / 50, "{compared:?}");
    house.chain_holds();

    // Everything is taken back, newest first.
    while house.run(&["--json", "undo"]).json()["undone"].is_string() {}
    while house.exec_as("bruno", "undo_last_turn", json!({})).json()["ok_count"]
        .as_u64()
        .is_some_and(|n| n > 0)
    {}
    for (root, before) in &roots {
        let left = check::differences("the beginning", before, &disk::tree(root));
        assert!(left.is_empty(), "{}", left.join("\n"));
    }
    house.chain_holds();
}
