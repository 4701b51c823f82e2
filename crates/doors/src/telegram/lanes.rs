//! Who waits for whom: what one person says in one chat is handled in order, everything else beside it. An update
//! is in one pair of hands at a time, and what fails for a while is tried again in its place.

use super::hear::told;
use super::update::Update;
use super::{Telegram, pause, render, unread};
use metnos_executor::Failure;
use metnos_memory::db::TelegramUpdate;
use metnos_runtime::house::logbook::Level;
use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a lane stays open with nothing in it.
const IDLE: Duration = Duration::from_secs(30);

/// How often what fails is tried again before whoever wrote is told so.
const TRIES: u32 = 5;

/// The numbers of the updates that are in somebody's hands.
type Held = Arc<Mutex<HashSet<i64>>>;

/// The lanes there are.
#[derive(Default)]
pub(super) struct Lanes {
    open: Mutex<HashMap<String, Sender<Job>>>,
    held: Held,
}

/// An update in somebody's hands, until this is dropped, however that happens.
struct Job {
    update: i64,
    /// It may have been begun before.
    again: bool,
    held: Held,
}

impl Job {
    /// Takes an update up, unless somebody has it.
    fn take(held: &Held, update: i64, again: bool) -> Option<Self> {
        let free = held.lock().unwrap_or_else(PoisonError::into_inner).insert(update);
        free.then(|| Self { update, again, held: Arc::clone(held) })
    }
}

impl Drop for Job {
    fn drop(&mut self) {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.update);
    }
}

impl Telegram {
    /// Puts an update into its lane, unless it is in one.
    pub(super) fn dispatch(self: &Arc<Self>, row: &TelegramUpdate, again: bool) {
        let Some(mut job) = Job::take(&self.lanes.held, row.update_id, again) else { return };
        let name = self.lane(row);
        let mut lanes = self.lanes.open.lock().unwrap_or_else(PoisonError::into_inner);
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
            Err(e) => self.note(Level::Error, &format!("no thread for a message: {e}; it waits")),
        }
    }

    /// Takes up what is new and in nobody's hands: a thread that died let go of it, or there was none to be had.
    pub(super) fn sweep(self: &Arc<Self>) -> Result<(), Failure> {
        // What was there before is taken up by the start itself.
        if !self.recovered.load(Ordering::Relaxed) || self.is_closing() {
            return Ok(());
        }
        for row in self.db().telegram_open("new").map_err(unread)? {
            self.dispatch(&row, true);
        }
        Ok(())
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
                let mut lanes = self.lanes.open.lock().unwrap_or_else(PoisonError::into_inner);
                let late = jobs.try_recv().ok();
                if late.is_none() {
                    lanes.remove(name);
                }
                late
            });
            let Some(job) = job else { return };
            self.see_through(&job);
        }
    }

    /// Handles an update in its place, however often it takes. What does not pass is told; only where that cannot
    /// be written down either, it is tried on.
    fn see_through(self: &Arc<Self>, job: &Job) {
        let mut tries = 0;
        // What is not handled now is begun at the next start.
        while !self.is_closing() {
            let Err(failure) = self.attempt(job.update, job.again || tries > 0) else { return };
            if self.is_closing() {
                return;
            }
            self.note(Level::Error, &format!("update {}: {}", job.update, failure.message));
            if tries >= TRIES && self.excuse(job.update, &failure).is_ok() {
                return;
            }
            self.rest(pause(tries));
            tries += 1;
        }
    }

    /// Handles an update as it is written down now: an earlier try may have got somewhere.
    fn attempt(self: &Arc<Self>, update: i64, again: bool) -> Result<(), Failure> {
        let _busy = Busy::begin(self);
        match self.db().telegram_new(update).map_err(unread)? {
            Some(row) => self.handle_update(&row, again),
            None => Ok(()),
        }
    }

    /// Tells whoever wrote why nothing comes of it.
    fn excuse(&self, update: i64, failure: &Failure) -> Result<(), Failure> {
        let Some(row) = self.db().telegram_new(update).map_err(unread)? else { return Ok(()) };
        let ours = serde_json::from_str::<Update>(&row.body).is_ok_and(|update| update.is_for(&self.bot()));
        let out = ours.then(|| render::message(row.chat, &told(failure)));
        self.done(&row, out.into_iter().collect())
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
