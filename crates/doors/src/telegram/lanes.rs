//! Who waits for whom: what one person says in one chat is handled in order, everything else beside it.

use super::Telegram;
use super::update::Update;
use metnos_memory::db::TelegramUpdate;
use metnos_runtime::house::logbook::Level;
use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a lane stays open with nothing in it.
const IDLE: Duration = Duration::from_secs(30);

/// An update to handle, and whether it may have been begun before.
pub(super) type Job = (TelegramUpdate, bool);

/// The lanes there are.
#[derive(Default)]
pub(super) struct Lanes(Mutex<HashMap<String, Sender<Job>>>);

impl Telegram {
    /// Puts an update into its lane.
    pub(super) fn dispatch(self: &Arc<Self>, row: TelegramUpdate, again: bool) {
        let name = self.lane(&row);
        let mut job = (row, again);
        let mut lanes = self.lanes.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(lane) = lanes.get(&name) {
            match lane.send(job) {
                Ok(()) => return,
                // Its thread died; another takes its place.
                Err(back) => job = back.0,
            }
        }
        let (lane, jobs) = channel();
        // The other end is held just below.
        let _ = lane.send(job);
        let (own, key) = (Arc::clone(self), name.clone());
        let begun =
            std::thread::Builder::new().name("telegram lane".into()).spawn(move || own.work(&key, &jobs));
        match begun {
            Ok(_) => drop(lanes.insert(name, lane)),
            Err(e) => {
                self.note(Level::Error, &format!("no thread for a message: {e}; it waits for the next start"))
            }
        }
    }

    /// Strangers share a lane; a press and a stop wait for nobody's turn.
    fn lane(&self, row: &TelegramUpdate) -> String {
        let (chat, sender) = (row.chat, row.sender);
        let known = self.house.runtime().sender(super::CHANNEL, &sender.to_string());
        if !known.is_ok_and(|found| found.is_some()) {
            return "strangers".into();
        }
        match serde_json::from_str::<Update>(&row.body) {
            Ok(update) if update.callback_query.is_some() => format!("press {sender}"),
            Ok(update) if update.message.as_ref().is_some_and(|message| is_stop(message.text.as_deref())) => {
                format!("stop {sender}")
            }
            _ => format!("chat {chat} {sender}"),
        }
    }

    fn work(self: &Arc<Self>, name: &str, jobs: &Receiver<Job>) {
        loop {
            let job = jobs.recv_timeout(IDLE).ok().or_else(|| {
                // Nobody can put anything in while this is held.
                let mut lanes = self.lanes.0.lock().unwrap_or_else(PoisonError::into_inner);
                let late = jobs.try_recv().ok();
                if late.is_none() {
                    lanes.remove(name);
                }
                late
            });
            let Some((row, again)) = job else { return };
            // What is not begun now is begun at the next start.
            if self.is_closing() {
                continue;
            }
            let _busy = Busy::begin(self);
            if let Err(failure) = self.handle_update(&row, again)
                && !self.is_closing()
            {
                self.note(Level::Error, &format!("update {}: {}", row.update_id, failure.message));
            }
        }
    }
}

fn is_stop(text: Option<&str>) -> bool {
    text.and_then(super::update::command).is_some_and(|(word, _)| word == "stop")
}

/// Counts what is in work, however it ends.
struct Busy<'a>(&'a Telegram);

impl<'a> Busy<'a> {
    fn begin(door: &'a Telegram) -> Self {
        door.busy.fetch_add(1, Ordering::Relaxed);
        Self(door)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.busy.fetch_sub(1, Ordering::Relaxed);
    }
}
