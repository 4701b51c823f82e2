//! Asking what happened, for as long as the house is open.

use super::update::Update;
use super::wire::{Trouble, Wire};
use super::{Telegram, pause, unread};
use jiff::{SignedDuration, Timestamp};
use metnos_executor::Failure;
use metnos_memory::db::TelegramUpdate;
use metnos_runtime::house::logbook::Level;
use serde_json::Value;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// After a week without any, numbers begin anew somewhere: an old offset would then hide what is new.
const STALE: SignedDuration = SignedDuration::from_hours(6 * 24);
/// How often it is written down that a poll was answered.
const NOTED: Duration = Duration::from_secs(60);

impl Telegram {
    /// Polls until the house closes.
    pub(super) fn poll(self: &Arc<Self>) {
        let mut tries = 0;
        while !self.is_closing() {
            let ended = self.connect().and_then(|wire| self.recover().map(|()| wire));
            let failure = match ended {
                Ok(wire) => self.poll_with(&wire, &mut tries),
                Err(failure) => failure,
            };
            if self.is_closing() {
                return;
            }
            let hint = failure.hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
            self.note(Level::Warn, &format!("{}{hint}", failure.message));
            self.rest(pause(tries));
            tries += 1;
        }
    }

    /// Finds out who the bot is.
    fn connect(&self) -> Result<Arc<Wire>, Failure> {
        let runtime = self.house.runtime();
        let wire = Arc::new(Wire::new(&runtime.config.telegram.api.0, runtime.bot_token()?));
        let bot = wire.me().map_err(|trouble| told(&trouble))?;
        self.db().telegram_bot(bot.0).map_err(unread)?;
        self.note(Level::Info, &format!("polling as @{}", bot.1));
        *self.line.write().unwrap_or_else(PoisonError::into_inner) = Some((Arc::clone(&wire), bot));
        self.ring();
        Ok(wire)
    }

    /// Takes up what a cut left behind, once.
    fn recover(self: &Arc<Self>) -> Result<(), Failure> {
        if self.recovered.load(Ordering::Relaxed) {
            return Ok(());
        }
        self.settle_waiting(None, true)?;
        for row in self.db().telegram_open("new").map_err(unread)? {
            self.dispatch(&row, true);
        }
        self.recovered.store(true, Ordering::Relaxed);
        Ok(())
    }

    /// Polls as long as it goes well or may go well again by itself; gives why it does not.
    fn poll_with(self: &Arc<Self>, wire: &Wire, tries: &mut u32) -> Failure {
        let wait = Duration::from_secs(u64::from(self.house.runtime().config.telegram.poll_seconds.get()));
        let mut noted = None::<Instant>;
        while !self.is_closing() {
            let offset = match self.db().telegram_offset() {
                Ok(known) => known.filter(|(_, at)| Timestamp::now().duration_since(*at) < STALE),
                Err(error) => return unread(error),
            };
            let trouble = match wire.updates(offset.map(|(offset, _)| offset), wait) {
                Ok(updates) => {
                    self.house.telegram.beat(self.house.since);
                    if noted.is_none_or(|at| at.elapsed() >= NOTED) {
                        noted = Some(Instant::now());
                        // For `metnos doctor`; of no consequence when it fails.
                        let _ = self.db().telegram_polled(Timestamp::now());
                    }
                    *tries = 0;
                    // What comes while the house closes is not acknowledged, and comes again.
                    if self.is_closing() {
                        break;
                    }
                    match self.take(updates) {
                        Ok(()) => continue,
                        Err(failure) => return failure,
                    }
                }
                Err(trouble) => trouble,
            };
            match trouble {
                Trouble::Busy(time) => self.rest(time),
                trouble => return told(&trouble),
            }
        }
        Failure::internal("the house closes")
    }

    /// Writes down what came, and only then begins with it.
    fn take(self: &Arc<Self>, updates: Vec<Value>) -> Result<(), Failure> {
        let rows: Vec<TelegramUpdate> = updates.into_iter().filter_map(row).collect();
        if rows.is_empty() {
            return Ok(());
        }
        let fresh = self.db().telegram_take(&rows, Timestamp::now()).map_err(unread)?;
        for (row, _) in rows.into_iter().zip(fresh).filter(|(_, fresh)| *fresh) {
            self.dispatch(&row, false);
        }
        Ok(())
    }
}

fn row(value: Value) -> Option<TelegramUpdate> {
    let update_id = value.get("update_id")?.as_i64()?;
    // What has another shape than is known is written down too, and then left alone.
    let body = value.to_string();
    let (chat, sender) = serde_json::from_value::<Update>(value).map_or((0, 0), |update| update.place());
    Some(TelegramUpdate {
        update_id,
        turn: metnos_executor::Ulid::new().to_string(),
        chat,
        sender,
        body,
        shown: None,
        again: false,
    })
}

/// Trouble as it is written into the log, with what to do.
fn told(trouble: &Trouble) -> Failure {
    let failure = Failure::internal(trouble.to_string());
    match trouble {
        Trouble::Refused { code: 401 | 404, .. } => {
            failure.with_hint("the token is not one of a bot: metnos credentials set telegram token")
        }
        Trouble::Refused { code: 409, .. } => {
            failure.with_hint("another program asks with the same token; a bot belongs to one")
        }
        _ => failure,
    }
}
