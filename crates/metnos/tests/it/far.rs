//! How far something long is: told from its beginning to its end, at every door, wherever it was allowed.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::support::House;
use crate::support::daemon::{Daemon, Event};
use crate::support::telegram::{self, Bot, HOST};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use std::io::Read;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// As many as make a move last.
const MANY: usize = 20_000;
/// As many as make it last until it is held.
const FEWER: usize = 6_000;

fn pile(house: &House, many: usize) {
    for n in 0..many {
        let path = format!("Pile/{n}.txt");
        match n {
            0 => drop(house.write(&path, "x")),
            _ => std::fs::write(house.home().join(path), "x").unwrap(),
        }
    }
}

fn until(mut is_so: impl FnMut() -> bool) {
    let given_up = Instant::now() + Duration::from_secs(120);
    while !is_so() {
        assert!(Instant::now() < given_up, "it never was so");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The card of a turn that asks to move the pile.
fn asked(daemon: &Daemon) -> (String, String) {
    let waits = daemon.ask("move the txt files in Pile to Archive");
    assert_eq!(waits["status"], "waits", "{waits}");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    (text(&waits["turn"]), text(&waits["approval"]["id"]))
}

/// A cell at work, held until this is dropped.
struct Held(Pid);

impl Held {
    /// Holds the cell of a daemon once one is at work on the pile: it has moved something.
    fn at_work(house: &House, daemon: &Daemon) -> Self {
        let archive = house.home().join("Archive");
        until(|| std::fs::read_dir(&archive).is_ok_and(|items| items.count() > 10));
        let worked = |pid: &u32| stat(*pid).map(|(_, ticks)| ticks);
        let cell = descendants(daemon.pid()).into_iter().max_by_key(worked).unwrap();
        let pid = Pid::from_raw(i32::try_from(cell).unwrap()).unwrap();
        kill_process(pid, Signal::STOP).unwrap();
        Self(pid)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let _ = kill_process(self.0, Signal::CONT);
    }
}

fn stat(pid: u32) -> Option<(u32, u64)> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let fields: Vec<&str> = text.rsplit_once(')')?.1.split_whitespace().collect();
    Some((
        fields.get(1)?.parse().ok()?,
        fields.get(11)?.parse::<u64>().ok()? + fields.get(12)?.parse::<u64>().ok()?,
    ))
}

fn descendants(of: u32) -> Vec<u32> {
    let all = std::fs::read_dir("/proc").unwrap().flatten();
    let pids: Vec<u32> = all.filter_map(|entry| entry.file_name().to_str()?.parse().ok()).collect();
    let parent = |pid: u32| stat(pid).map(|(parent, _)| parent);
    let below = |pid: &u32| std::iter::successors(parent(*pid), |pid| parent(*pid)).any(|pid| pid == of);
    pids.into_iter().filter(below).collect()
}

/// What is told while the pile is moved: words first, then counts that only grow to the end, then words again.
fn honest(events: &[Event]) {
    let moved = events.iter().skip_while(|event| event.data["tool"] != "move_files");
    let phases: Vec<&Event> = moved.filter(|event| event.name == "phase").collect();
    // It looks at all of them before it moves the first.
    let mut last = (0, 0);
    for far in phases.iter().filter(|event| event.data["phase"] == "progress") {
        let (done, total) = (far.data["done"].as_u64().unwrap(), far.data["total"].as_u64().unwrap());
        let now = (u8::from(far.data["unit"] == "files"), done);
        assert!(now >= last && done <= total && total == MANY as u64, "{far:?}");
        last = now;
    }
    assert!(last > (1, 0), "{phases:?}");
    let says = |word: &str| phases.iter().any(|event| event.data["text"].to_string().contains(word));
    assert!(says("Writes down") && says("Checks what was done"), "{phases:?}");
    for pair in phases.windows(2) {
        assert_ne!(pair[0].data, pair[1].data, "the same is not told again and again");
    }
}

#[test]
fn a_long_move_is_told_to_its_end_wherever_it_was_allowed() {
    let house = House::supervised();
    pile(&house, MANY);
    let daemon = Daemon::start(&house);
    let (turn, card) = asked(&daemon);
    // Whoever asked watches; the yes comes from the terminal of the machine.
    let events = daemon.events(&format!("/agent/turns/{turn}/stream"), None);
    let (said, told) = std::thread::scope(|scope| {
        let watching = scope.spawn(move || events.collect::<Vec<Event>>());
        let said = house.run(&["--json", "approve", &card]);
        (said, watching.join().unwrap())
    });
    assert_eq!((said.code, &said.json()["status"]), (Some(0), &json!("done")), "{said:?}");
    assert_eq!(told.last().unwrap().name, "final");
    honest(&told);
    assert_eq!(std::fs::read_dir(house.home().join("Archive")).unwrap().count(), MANY);
}

#[test]
fn while_it_runs_turns_says_so_and_undo_says_what_it_waits_for() {
    let house = House::supervised();
    pile(&house, FEWER);
    let daemon = Daemon::start(&house);
    let (turn, card) = asked(&daemon);
    let yes = json!({ "answer": "once", "wait": false });
    assert_eq!(daemon.post(&format!("/agent/approvals/{card}"), &yes).status, 202);
    let held = Held::at_work(&house, &daemon);
    let listed = house.run(&["--json", "turns"]).json();
    assert_eq!(listed[0]["status"], "running", "{listed}");
    assert_eq!(house.run(&["--json", "turns", &turn]).json()["status"], "running");
    assert_eq!(daemon.get("/agent/turns").json()[0]["status"], "running");
    // Somebody who does not wait is told what stands in the way.
    let refused = daemon.post(&format!("/agent/turns/{turn}/undo"), &json!({}));
    assert_eq!(refused.status, 409, "{refused:?}");
    assert!(refused.body.contains("still running") && refused.body.contains(&turn), "{refused:?}");
    // Somebody who waits is told for what, and it is taken back when it has ended.
    let mut undo = house.command();
    let undo =
        undo.args(["--json", "undo"]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut undo = undo.spawn().unwrap();
    let mut line = Vec::new();
    let mut stderr = undo.stderr.take().unwrap();
    while !line.ends_with(b"\n") {
        let mut byte = [0];
        assert_eq!(stderr.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&line));
        line.push(byte[0]);
    }
    let line = String::from_utf8(line).unwrap();
    assert!(
        line.contains("Waits for “move the txt files in Pile to Archive”") && line.contains(&turn),
        "{line}"
    );
    drop(held);
    let undone = undo.wait_with_output().unwrap();
    assert_eq!(undone.status.code(), Some(0), "{undone:?}");
    let told: Value = serde_json::from_slice(&undone.stdout).unwrap();
    assert!(told["reversed"].as_u64().unwrap() >= FEWER as u64, "{told}");
    assert_eq!(std::fs::read_dir(house.home().join("Pile")).unwrap().count(), FEWER);
    assert_eq!(house.run(&["--json", "turns", &turn]).json()["status"], "done");
}

#[test]
fn a_chat_is_told_how_far_what_was_allowed_there_is() {
    let bot = Bot::start();
    let house = telegram::house(&bot);
    pile(&house, FEWER);
    let daemon = Daemon::start(&house);
    bot.says(HOST, "move the txt files in Pile to Archive");
    let card = bot.wait("a card", |sent| sent.chat() == HOST && telegram::is_card(sent));
    bot.press(HOST, &card, &card.button(":o"));
    let held = Held::at_work(&house, &daemon);
    let is_far = |text: &str| text.contains(&format!("of {FEWER}")) || text.contains("things…");
    let far = bot.wait("how far it is", |sent| sent.method == "sendMessage" && is_far(&sent.text()));
    drop(held);
    let over = bot.wait("its end", |sent| sent.method == "editMessageText" && sent.text() == "It has ended.");
    assert_eq!(over.body["message_id"].as_i64(), Some(far.message_id));
    until(|| std::fs::read_dir(house.home().join("Archive")).is_ok_and(|items| items.count() == FEWER));
}
