//! Two people, three doors: one request after the other on each, through kills of the daemon.

use super::rows::{Random, Row};
use crate::support::House;
use crate::support::daemon::Daemon;
use crate::support::telegram::Bot;
use metnos_executor::Ulid;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, RwLock};
use std::time::{Duration, Instant};

/// So long a lane waits for an answer, restarts of the daemon included.
const PATIENCE: Duration = Duration::from_secs(90);

/// A person at a door.
#[derive(Clone, Debug)]
pub(super) enum Lane {
    /// `metnos ask --as PERSON`.
    Terminal(&'static str),
    /// The HTTP API, with this token; `None` is the key of the machine.
    Program(Option<String>),
    /// The Telegram account.
    Telegram(i64),
}

/// What the lanes share.
pub(super) struct Street<'a> {
    pub(super) house: &'a House,
    pub(super) bot: &'a Bot,
    pub(super) rows: &'a [Row],
    pub(super) next: AtomicUsize,
    /// The address and the key of the daemon; it keeps both through its restarts.
    pub(super) door: (String, String),
    pub(super) over: AtomicBool,
    /// Requests for which no answer came.
    pub(super) unanswered: Mutex<Vec<String>>,
    /// Held by whoever starts something that must not meet a start of the daemon.
    pub(super) starting: RwLock<()>,
}

/// Yes to most cards, no to some; a few are left to wait.
#[derive(Clone, Copy, PartialEq)]
enum Said {
    Yes,
    No,
    Nothing,
}

impl Street<'_> {
    /// Asks until the requests are used up.
    pub(super) fn walk(&self, lane: &Lane, seed: u64) {
        let mut random = Random(seed);
        while let Some(row) = self.rows.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let said = match random.below(10) {
                0..7 => Said::Yes,
                7..9 => Said::No,
                _ => Said::Nothing,
            };
            let answered = match lane {
                Lane::Terminal(who) => self.at_the_terminal(who, row, said),
                Lane::Program(token) => self.by_program(token.as_deref(), row, said),
                Lane::Telegram(who) => self.by_telegram(*who, row, said),
            };
            if !answered {
                self.unanswered.lock().unwrap().push(format!("{lane:?}: {:?}", row.query));
            }
        }
    }

    /// A command that loses its daemon says so and ends; that is an answer.
    fn at_the_terminal(&self, who: &str, row: &Row, said: Said) -> bool {
        let _apart = self.starting.read().unwrap();
        let ran = self.house.run(&["--json", "ask", "--as", who, &row.query]);
        let Ok(told) = serde_json::from_str::<Value>(ran.stdout.trim()) else { return false };
        let card = told["approval"].as_str().or_else(|| told["approval"]["id"].as_str());
        let command = match said {
            Said::Yes => "approve",
            Said::No => "reject",
            Said::Nothing => return true,
        };
        if let Some(card) = card {
            let answered = self.house.run(&["--json", command, card]);
            return answered.code.is_some();
        }
        true
    }

    /// The same turn is sent again until it is answered: it must not run twice.
    fn by_program(&self, token: Option<&str>, row: &Row, said: Said) -> bool {
        let turn = Ulid::new().to_string();
        let body = json!({ "text": row.query, "turn": turn, "conversation": format!("c{turn}") });
        let Some(told) = self.post(token, "/agent/turn", &body) else { return false };
        let Some(card) = told["approval"]["id"].as_str() else { return true };
        let answer = match said {
            Said::Yes => "once",
            Said::No => "no",
            Said::Nothing => return true,
        };
        self.post(token, &format!("/agent/approvals/{card}"), &json!({ "answer": answer })).is_some()
    }

    /// A message is answered by another one; a card by a tap.
    fn by_telegram(&self, who: i64, row: &Row, said: Said) -> bool {
        let before = self.bot.sent_to(who).len();
        self.bot.says(who, &row.query);
        let Some(sent) = self.heard(who, before) else { return false };
        let letter = match said {
            Said::Yes => ":o",
            Said::No => ":n",
            Said::Nothing => return true,
        };
        // Which of several files is meant is left open: nothing happens then.
        let button = |sent: &crate::support::telegram::Sent| Some((sent.clone(), sent.has_button(letter)?));
        let Some((card, button)) = sent.iter().find_map(button) else { return true };
        let before = self.bot.sent_to(who).len();
        self.bot.press(who, &card, &button);
        self.heard(who, before).is_some()
    }

    /// What came since, once something did and nothing more does for a moment.
    fn heard(&self, who: i64, before: usize) -> Option<Vec<crate::support::telegram::Sent>> {
        let until = Instant::now() + PATIENCE;
        let mut known = before;
        loop {
            std::thread::sleep(Duration::from_millis(60));
            let sent = self.bot.sent_to(who);
            if sent.len() > before && sent.len() == known {
                return Some(sent[before..].to_vec());
            }
            known = sent.len();
            if Instant::now() > until {
                return None;
            }
        }
    }

    fn post(&self, token: Option<&str>, path: &str, body: &Value) -> Option<Value> {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(told) = self.posted(token.unwrap_or(&self.door.1), path, &body.to_string()) {
                return Some(told);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        None
    }

    fn posted(&self, token: &str, path: &str, body: &str) -> Option<Value> {
        let mut stream = TcpStream::connect(&self.door.0).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.door.0,
            body.len()
        );
        stream.write_all(head.as_bytes()).ok()?;
        let mut all = String::new();
        stream.read_to_string(&mut all).ok()?;
        let (_, body) = all.split_once("\r\n\r\n")?;
        serde_json::from_str(body).ok()
    }

    /// Kills the daemon again and again, at moments that differ; gives the last one.
    pub(super) fn killed(&self, mut daemon: Daemon, times: usize) -> Daemon {
        let mut random = Random(99);
        for nth in 1..=times {
            let at = nth * self.rows.len() / (times + 1);
            while self.next.load(Ordering::Relaxed) < at && !self.over.load(Ordering::Relaxed) {
                std::thread::sleep(Duration::from_millis(5));
            }
            std::thread::sleep(Duration::from_millis(random.below(200) as u64));
            daemon.kill();
            let _alone = self.starting.write().unwrap();
            daemon = Daemon::start_with(self.house, &self.door.0);
        }
        daemon
    }
}
