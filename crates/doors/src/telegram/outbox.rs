//! Replies: written down, then sent, then marked. What fails for a while is tried again; what is refused is not.

use super::wire::{Attached, Trouble, Wire};
use super::{CHANNEL, Telegram, pause, render, unread};
use jiff::{SignedDuration, Timestamp};
use metnos_executor::Failure;
use metnos_memory::db::{TelegramOut, TelegramWaiting};
use metnos_runtime::house::logbook::Level;
use metnos_runtime::outgoing::{SENDER, WATCHED};
use serde::Deserialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often the outbox is looked at without a bell.
const LOOK: Duration = Duration::from_millis(500);
/// How often is looked for questions that were answered elsewhere.
const WAITING: Duration = Duration::from_secs(1);
/// How often is looked for messages that nobody handles.
const SWEEP: Duration = Duration::from_secs(30);
/// How often what was done is let go of, and after how long.
const TIDY: Duration = Duration::from_secs(3600);
const KEPT: SignedDuration = SignedDuration::from_hours(72);
/// What could not be sent for so long is of no use any more.
const OLD: SignedDuration = SignedDuration::from_hours(24);
/// What may have arrived so often is not sent again: a reply comes twice at most.
const DOUBTS: u32 = 2;
const LOST: &str = "the line was cut twice while it was sent; it may have arrived";
/// The kind that may be sent any number of times: the text of a message is replaced by the same text.
const REPEATABLE: &str = "edit";

impl Telegram {
    /// Sends what waits until the house closes, and then once more.
    pub(super) fn deliver_all(self: &Arc<Self>) {
        let (mut looked, mut swept, mut tidied) = (Instant::now(), Instant::now(), None::<Instant>);
        loop {
            self.wait_for_bell(LOOK);
            // After the house closes, what is in work is still answered.
            let last = self.closing.load(std::sync::atomic::Ordering::Relaxed);
            if looked.elapsed() >= WAITING || last {
                looked = Instant::now();
                self.noted(self.settle_waiting(None, false));
            }
            if let Some(wire) = self.wire() {
                self.noted(self.deliver(&wire));
            }
            if swept.elapsed() >= SWEEP {
                swept = Instant::now();
                self.noted(self.sweep());
            }
            if tidied.is_none_or(|at| at.elapsed() >= TIDY) {
                tidied = Some(Instant::now());
                let before = Timestamp::now() - KEPT;
                self.noted(self.db().telegram_forget(before).map_err(unread));
                self.house.runtime().tidy_outgoing();
            }
            if last {
                return;
            }
        }
    }

    fn noted(&self, done: Result<(), Failure>) {
        if let Err(failure) = done {
            self.note(Level::Error, &failure.message);
        }
    }

    /// Sends until nothing is due.
    fn deliver(&self, wire: &Wire) -> Result<(), Failure> {
        loop {
            let due = self.db().telegram_due(Timestamp::now(), 16).map_err(unread)?;
            if due.is_empty() {
                return Ok(());
            }
            for waiting in due {
                self.send(wire, &waiting)?;
            }
        }
    }

    fn send(&self, wire: &Wire, waiting: &TelegramWaiting) -> Result<(), Failure> {
        let age = waiting.at.parse::<Timestamp>().map(|at| Timestamp::now().duration_since(at));
        if age.is_ok_and(|age| age > OLD) {
            return self.given_up(waiting, "no line for a day");
        }
        if !self.has_reader(waiting)? {
            return self.given_up(waiting, "whoever it is for is nobody here any more");
        }
        if waiting.doubts > 0 && waiting.kind != REPEATABLE {
            if waiting.doubts >= DOUBTS {
                return self.given_up(waiting, LOST);
            }
            // What may have arrived is only sent again over a line that is seen to work.
            if let Err(trouble) = wire.me() {
                return self.put_off(waiting, waiting.doubts, self.wait_after(waiting, &trouble)?);
            }
            self.note(Level::Warn, &format!("message {} is sent again and may arrive twice", waiting.id));
        }
        // Written down first: whatever cuts it off, what is under way may have arrived.
        self.db().telegram_sending(waiting.id).map_err(unread)?;
        match self.carry(wire, waiting) {
            Ok(message) => {
                self.db().telegram_sent(waiting.id, message).map_err(unread)?;
                self.let_go(waiting);
                Ok(())
            }
            Err(trouble) => self.not_sent(waiting, &trouble),
        }
    }

    /// What is not known to have been sent: refused for good, in doubt, or to be tried again.
    fn not_sent(&self, waiting: &TelegramWaiting, trouble: &Trouble) -> Result<(), Failure> {
        match trouble {
            // The token is wrong, not the message.
            Trouble::Refused { code, .. } if !matches!(code, 401 | 404) => {
                self.given_up(waiting, &trouble.to_string())
            }
            Trouble::Cut(_) if waiting.kind != REPEATABLE => {
                let doubts = waiting.doubts + 1;
                self.note(Level::Warn, &format!("message {} may have arrived: {trouble}", waiting.id));
                if doubts >= DOUBTS {
                    return self.given_up(waiting, LOST);
                }
                self.put_off(waiting, doubts, pause(waiting.tries))
            }
            // It was not accepted.
            _ => self.put_off(waiting, waiting.doubts, self.wait_after(waiting, trouble)?),
        }
    }

    /// How long is waited after trouble that passes.
    fn wait_after(&self, waiting: &TelegramWaiting, trouble: &Trouble) -> Result<Duration, Failure> {
        Ok(match trouble {
            Trouble::Busy(time) => *time,
            Trouble::Moved(to) => {
                self.note(Level::Info, &format!("chat {} is now {to}", waiting.chat));
                self.db().telegram_move(waiting.chat, *to).map_err(unread)?;
                // At once, unless it is sent from one to the next.
                if waiting.tries == 0 { Duration::ZERO } else { pause(waiting.tries) }
            }
            _ => pause(waiting.tries),
        })
    }

    fn put_off(&self, waiting: &TelegramWaiting, doubts: u32, time: Duration) -> Result<(), Failure> {
        let time = SignedDuration::try_from(time).unwrap_or(SignedDuration::from_secs(60));
        self.db().telegram_later(waiting.id, Timestamp::now() + time, doubts).map_err(unread)
    }

    /// Whether whoever it is for is still somebody of the house, which is asked each time: who was revoked gets
    /// nothing more, not even what waited already.
    fn has_reader(&self, waiting: &TelegramWaiting) -> Result<bool, Failure> {
        let Some(reader) = waiting.reader else { return Ok(true) };
        Ok(self.house.runtime().sender(CHANNEL, &reader.to_string())?.is_some())
    }

    fn given_up(&self, waiting: &TelegramWaiting, why: &str) -> Result<(), Failure> {
        self.note(Level::Error, &format!("message {} was given up: {why}", waiting.id));
        let told = self.told_sender(waiting, why)?;
        self.db().telegram_given_up(waiting.id, why, &told, Timestamp::now()).map_err(unread)?;
        self.let_go(waiting);
        Ok(())
    }

    /// Whoever sent something to somebody hears that it did not arrive, or that nobody knows, unless the turn still tells them.
    fn told_sender(&self, waiting: &TelegramWaiting, why: &str) -> Result<Vec<TelegramOut>, Failure> {
        let sent = serde_json::from_str::<Value>(&waiting.body).unwrap_or_default();
        let Ok(Sender { from, to }) = Sender::deserialize(&sent[SENDER]) else { return Ok(Vec::new()) };
        let age = waiting.at.parse::<Timestamp>().map(|at| Timestamp::now().duration_since(at));
        if age.is_ok_and(|age| age.unsigned_abs() <= WATCHED) {
            return Ok(Vec::new());
        }
        let language = self.person(&from)?.and_then(|person| person.language);
        let speech = self.house.words.speak(language.as_deref());
        let key = if why == LOST { "tg-perhaps-sent" } else { "tg-not-sent" };
        let text = speech.say(key, &[("name", &to), ("why", why)]);
        let chats = self.chats(&from)?.into_iter().filter(|chat| *chat != waiting.chat);
        Ok(chats.map(|chat| render::message(chat, &text)).collect())
    }

    /// The copy of a file that was sent, or will not be.
    fn let_go(&self, waiting: &TelegramWaiting) {
        if let Ok(file) = serde_json::from_str::<Outgoing>(&waiting.body) {
            self.house.runtime().outgoing_done(&file.copy);
        }
    }

    /// One message over the line; gives its number.
    fn carry(&self, wire: &Wire, waiting: &TelegramWaiting) -> Result<Option<i64>, Trouble> {
        let damaged = |_| Trouble::Refused { code: 400, said: "what was written down is damaged".into() };
        if let Ok(file) = serde_json::from_str::<Outgoing>(&waiting.body) {
            return self.file(wire, waiting.chat, &file);
        }
        let mut body: Value = serde_json::from_str(&waiting.body).map_err(damaged)?;
        if let Some(fields) = body.as_object_mut() {
            fields.remove(SENDER);
        }
        // The chat may have another number by now than when this was written down.
        if body.get("chat_id").is_some() {
            body["chat_id"] = waiting.chat.into();
        }
        match waiting.kind.as_str() {
            "document" => {
                let text = |key: &str| body[key].as_str().unwrap_or_default();
                let chat = waiting.chat.to_string();
                let mut fields = vec![("chat_id", chat.as_str())];
                fields.extend(Some(("caption", text("caption"))).filter(|(_, text)| !text.is_empty()));
                let file = Attached { field: "document", name: text("name"), bytes: text("text").as_bytes() };
                wire.file(&fields, &file)
            }
            "edit" => wire.edit(&body).map(|()| None),
            _ => wire.message(&body),
        }
    }

    /// A file that somebody sends; a picture as one, if Telegram takes it so.
    fn file(&self, wire: &Wire, chat: i64, file: &Outgoing) -> Result<Option<i64>, Trouble> {
        let Some(bytes) = self.house.runtime().outgoing(&file.copy) else {
            return Err(Trouble::Refused { code: 400, said: "the copy of the file is gone".into() });
        };
        let chat = chat.to_string();
        let send =
            |field| wire.file(&[("chat_id", &chat)], &Attached { field, name: &file.name, bytes: &bytes });
        match file.photo {
            true => match send("photo") {
                // Too wide, or no picture after all.
                Err(Trouble::Refused { code: 400, .. }) => send("document"),
                sent => sent,
            },
            false => send("document"),
        }
    }
}

/// Who sends something, to whom.
#[derive(Deserialize)]
struct Sender {
    from: String,
    to: String,
}

/// A document that is a file.
#[derive(Deserialize)]
struct Outgoing {
    /// Its copy.
    copy: String,
    name: String,
    photo: bool,
}
