//! What came over Telegram and what goes back. An update and the answer to it change together, so that a cut
//! leaves both or neither.

use super::{Db, sql};
use crate::Result;
use jiff::Timestamp;
use rusqlite::{OptionalExtension, Row};

/// Something that happened, as it was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TelegramUpdate {
    /// Its number: the same number is the same update.
    pub update_id: i64,
    /// The turn it belongs to; its own has this id before it begins.
    pub turn: String,
    /// In which chat.
    pub chat: i64,
    /// By whom.
    pub sender: i64,
    /// All of it, as JSON; empty once it was handled.
    pub body: String,
    /// The question that was shown for it last; of one that is new, the question it answers.
    pub shown: Option<String>,
    /// True when it was begun anew after a cut.
    pub again: bool,
}

/// Something to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TelegramOut {
    /// To which chat.
    pub chat: i64,
    /// `message`, `document` or `edit`.
    pub kind: &'static str,
    /// All of it, as JSON.
    pub body: String,
    /// The sender who reads it, as long as they are somebody of the house; nobody, in what a stranger is told.
    pub reader: Option<i64>,
}

/// Something that waits to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TelegramWaiting {
    /// Its number.
    pub id: i64,
    /// To which chat.
    pub chat: i64,
    /// `message`, `document` or `edit`.
    pub kind: String,
    /// All of it, as JSON.
    pub body: String,
    /// How often it was tried.
    pub tries: u32,
    /// Since when it waits.
    pub at: String,
    /// The sender who reads it, as long as they are somebody of the house; nobody, in what a stranger is told.
    pub reader: Option<i64>,
    /// How often it may have arrived without a word of it.
    pub doubts: u32,
}

/// What became of something that was to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TelegramFate {
    /// It was.
    Sent,
    /// Not yet.
    Waits,
    /// It will not be, and this is why.
    GivenUp(String),
}

impl Db {
    /// Says which bot this is. What is known of another one is of no use: its numbers are others.
    pub fn telegram_bot(&self, bot: i64) -> Result<()> {
        self.write("name the bot", |tx| {
            let known: Option<String> =
                tx.query_row(sql::TELEGRAM_GET, ["bot"], |row| row.get(0)).optional()?;
            if known.as_deref() == Some(bot.to_string().as_str()) {
                return Ok(());
            }
            if known.is_some() {
                tx.execute(sql::TELEGRAM_RESET, [])?;
                tx.execute(sql::TELEGRAM_UPDATES_RESET, [])?;
                tx.execute(sql::TELEGRAM_OUTBOX_RESET, [])?;
            }
            tx.execute(sql::TELEGRAM_SET, ("bot", bot.to_string())).map(|_| ())
        })
    }

    /// From which update on is asked, and when the last one came.
    pub fn telegram_offset(&self) -> Result<Option<(i64, Timestamp)>> {
        let read = |key: &str| {
            self.with("read the offset", |c| {
                c.query_row(sql::TELEGRAM_GET, [key], |row| row.get::<_, String>(0)).optional()
            })
        };
        let (offset, at) = (read("offset")?, read("offset_at")?);
        Ok(offset.and_then(|text| text.parse().ok()).zip(at.and_then(|text| text.parse().ok())))
    }

    /// Says that a poll was answered now.
    pub fn telegram_polled(&self, now: Timestamp) -> Result<()> {
        self.write("note a poll", |tx| {
            tx.execute(sql::TELEGRAM_SET, ("polled_at", now.to_string())).map(|_| ())
        })
    }

    /// When a poll was answered last, to the minute.
    pub fn telegram_last_poll(&self) -> Result<Option<Timestamp>> {
        let at: Option<String> = self.with("read the last poll", |c| {
            c.query_row(sql::TELEGRAM_GET, ["polled_at"], |row| row.get(0)).optional()
        })?;
        Ok(at.and_then(|at| at.parse().ok()))
    }

    /// Writes updates down and moves the offset behind them, in one; tells which of them are new.
    pub fn telegram_take(&self, updates: &[TelegramUpdate], now: Timestamp) -> Result<Vec<bool>> {
        let bodies: Vec<String> =
            updates.iter().map(|update| self.sealed(&update.body)).collect::<Result<_>>()?;
        self.write("take updates", |tx| {
            let mut fresh = Vec::new();
            for (update, body) in updates.iter().zip(&bodies) {
                let TelegramUpdate { update_id, turn, chat, sender, .. } = update;
                let row = (update_id, turn, chat, sender, body, now.to_string());
                fresh.push(tx.execute(sql::TELEGRAM_TAKE, row)? == 1);
            }
            if let Some(last) = updates.iter().map(|update| update.update_id).max() {
                tx.execute(sql::TELEGRAM_SET, ("offset", last.saturating_add(1).to_string()))?;
                tx.execute(sql::TELEGRAM_SET, ("offset_at", now.to_string()))?;
            }
            Ok(fresh)
        })
    }

    /// The updates in this state, `new` or `waits`, the oldest first.
    pub fn telegram_open(&self, state: &str) -> Result<Vec<TelegramUpdate>> {
        let found: Vec<TelegramUpdate> = self.with("read updates", |c| {
            c.prepare_cached(sql::TELEGRAM_OPEN)?.query_map([state], update)?.collect()
        })?;
        Ok(found.into_iter().map(|one| TelegramUpdate { body: self.opened(one.body), ..one }).collect())
    }

    /// This update as it stands, if it is still to be handled.
    pub fn telegram_new(&self, update_id: i64) -> Result<Option<TelegramUpdate>> {
        let found = self.with("read an update", |c| {
            c.prepare_cached(sql::TELEGRAM_NEW)?.query_row([update_id], update).optional()
        })?;
        Ok(found.map(|one| TelegramUpdate { body: self.opened(one.body), ..one }))
    }

    /// Where something is open: each chat with whoever spoke there.
    pub fn telegram_open_places(&self) -> Result<Vec<(i64, i64)>> {
        self.with("read updates", |c| {
            let place = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?));
            c.prepare_cached(sql::TELEGRAM_OPEN_PLACES)?.query_map([], place)?.collect()
        })
    }

    /// Closes everything that is open without doing it: what came is not handled, what waits is not sent, for this
    /// reason, which `out` tells. Gives how many there were.
    pub fn telegram_close_all(&self, why: &str, out: &[TelegramOut], now: Timestamp) -> Result<usize> {
        let (why, out) = (self.sealed(why)?, &self.sealed_out(out)?);
        self.write("close what is open", |tx| {
            let came = tx.execute(sql::TELEGRAM_UPDATES_CLOSE, [])?;
            let goes = tx.execute(sql::TELEGRAM_OUTBOX_CLOSE, [why])?;
            post(tx, out, now).map(|_| came + goes)
        })
    }

    /// Says that an update belongs to this turn.
    pub fn telegram_turn(&self, update_id: i64, turn: &str) -> Result<()> {
        self.write("name a turn", |tx| tx.execute(sql::TELEGRAM_TURN, (update_id, turn)).map(|_| ()))
    }

    /// Says that an update answers this question of this turn.
    pub fn telegram_decides(&self, update_id: i64, turn: &str, question: &str) -> Result<()> {
        self.write("name a decision", |tx| {
            tx.execute(sql::TELEGRAM_DECIDES, (update_id, turn, question)).map(|_| ())
        })
    }

    /// A chat has another number from now on: what came from it and what waits for it goes along.
    pub fn telegram_move(&self, from: i64, to: i64) -> Result<()> {
        self.write("move a chat", |tx| {
            tx.execute(sql::TELEGRAM_UPDATES_MOVE, (from, to))?;
            tx.execute(sql::TELEGRAM_OUTBOX_MOVE, (from, to)).map(|_| ())
        })
    }

    /// Lets an update begin anew as this turn; false when it was before.
    pub fn telegram_again(&self, update_id: i64, turn: &str) -> Result<bool> {
        self.write("begin an update anew", |tx| {
            tx.execute(sql::TELEGRAM_AGAIN, (update_id, turn)).map(|changed| changed == 1)
        })
    }

    /// Moves an update on, from one state and question to another, with what is sent because of it. False, and
    /// nothing is sent, when somebody else moved it first.
    pub fn telegram_settle(
        &self,
        update_id: i64,
        from: (&str, Option<&str>),
        to: (&str, Option<&str>),
        out: &[TelegramOut],
        now: Timestamp,
    ) -> Result<bool> {
        let out = &self.sealed_out(out)?;
        self.write("settle an update", |tx| {
            if tx.execute(sql::TELEGRAM_SETTLE, (update_id, from.0, from.1, to.0, to.1))? != 1 {
                return Ok(false);
            }
            post(tx, out, now).map(|_| true)
        })
    }

    /// Puts something into the outbox by itself; gives their numbers.
    pub fn telegram_post(&self, out: &[TelegramOut], now: Timestamp) -> Result<Vec<i64>> {
        let out = &self.sealed_out(out)?;
        self.write("post", |tx| post(tx, out, now))
    }

    /// What became of it.
    pub fn telegram_fate(&self, id: i64) -> Result<TelegramFate> {
        self.with("look into the outbox", |c| {
            let found: Option<(String, String)> = c
                .prepare_cached(sql::TELEGRAM_FATE)?
                .query_row([id], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            Ok(match found {
                Some((state, _)) if state == "waiting" => TelegramFate::Waits,
                Some((state, why)) if state == "given_up" => TelegramFate::GivenUp(self.opened(why)),
                // What was sent is let go of after a while.
                _ => TelegramFate::Sent,
            })
        })
    }

    /// What may be sent now: of each chat the first that waits, so that order holds.
    pub fn telegram_due(&self, now: Timestamp, most: u32) -> Result<Vec<TelegramWaiting>> {
        let found: Vec<TelegramWaiting> = self.with("read the outbox", |c| {
            c.prepare_cached(sql::TELEGRAM_DUE)?.query_map((now.as_millisecond(), most), waiting)?.collect()
        })?;
        Ok(found.into_iter().map(|one| TelegramWaiting { body: self.opened(one.body), ..one }).collect())
    }

    /// It is being sent: until it is known what came of it, it may have arrived.
    pub fn telegram_sending(&self, id: i64) -> Result<()> {
        self.write("begin to send", |tx| tx.execute(sql::TELEGRAM_SENDING, [id]).map(|_| ()))
    }

    /// It was sent, as this message.
    pub fn telegram_sent(&self, id: i64, message: Option<i64>) -> Result<()> {
        self.write("mark as sent", |tx| tx.execute(sql::TELEGRAM_SENT, (id, message)).map(|_| ()))
    }

    /// It will not be sent, which `out` tells.
    pub fn telegram_given_up(&self, id: i64, why: &str, out: &[TelegramOut], now: Timestamp) -> Result<()> {
        let (why, out) = (self.sealed(why)?, &self.sealed_out(out)?);
        self.write("give a message up", |tx| {
            tx.execute(sql::TELEGRAM_GIVEN_UP, (id, why))?;
            post(tx, out, now).map(|_| ())
        })
    }

    /// It is tried again, not before then; so often it may have arrived by now.
    pub fn telegram_later(&self, id: i64, not_before: Timestamp, doubts: u32) -> Result<()> {
        self.write("put a message off", |tx| {
            tx.execute(sql::TELEGRAM_LATER, (id, not_before.as_millisecond(), doubts)).map(|_| ())
        })
    }

    /// How much waits to be sent.
    pub fn telegram_waiting(&self) -> Result<u64> {
        let count: i64 =
            self.with("count the outbox", |c| c.query_row(sql::TELEGRAM_WAITING, [], |row| row.get(0)))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }

    /// Lets go of what was done before then.
    pub fn telegram_forget(&self, before: Timestamp) -> Result<()> {
        self.write("let go of updates", |tx| {
            tx.execute(sql::TELEGRAM_UPDATES_FORGET, [before.to_string()])?;
            tx.execute(sql::TELEGRAM_OUTBOX_FORGET, [before.to_string()]).map(|_| ())
        })
    }
}

fn post(tx: &rusqlite::Transaction<'_>, out: &[TelegramOut], now: Timestamp) -> rusqlite::Result<Vec<i64>> {
    let one = |TelegramOut { chat, kind, body, reader }: &TelegramOut| {
        tx.execute(sql::TELEGRAM_POST, (chat, kind, body, now.to_string(), reader))?;
        Ok(tx.last_insert_rowid())
    };
    out.iter().map(one).collect()
}

fn update(row: &Row<'_>) -> rusqlite::Result<TelegramUpdate> {
    Ok(TelegramUpdate {
        update_id: row.get(0)?,
        turn: row.get(1)?,
        chat: row.get(2)?,
        sender: row.get(3)?,
        body: row.get(4)?,
        shown: row.get(5)?,
        again: row.get(6)?,
    })
}

fn waiting(row: &Row<'_>) -> rusqlite::Result<TelegramWaiting> {
    Ok(TelegramWaiting {
        id: row.get(0)?,
        chat: row.get(1)?,
        kind: row.get(2)?,
        body: row.get(3)?,
        tries: row.get(4)?,
        at: row.get(5)?,
        reader: row.get(6)?,
        doubts: row.get(7)?,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn out(chat: i64, body: &str) -> TelegramOut {
        TelegramOut { chat, kind: "message", body: body.to_owned(), reader: Some(chat) }
    }

    #[test]
    fn an_update_is_taken_once_and_settled_once_with_its_answer() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("x.sqlite")).unwrap();
        let now = Timestamp::now();
        let update = TelegramUpdate {
            update_id: 7,
            turn: "T".into(),
            chat: 1,
            sender: 2,
            body: "{}".into(),
            shown: None,
            again: false,
        };
        assert_eq!(db.telegram_take(&[update.clone(), update.clone()], now).unwrap(), [true, false]);
        assert_eq!(db.telegram_take(std::slice::from_ref(&update), now).unwrap(), [false]);
        assert_eq!(db.telegram_offset().unwrap().unwrap().0, 8);
        assert_eq!(db.telegram_new(7).unwrap().as_ref(), Some(&update));
        assert_eq!(db.telegram_open("new").unwrap(), [update]);
        let answer = [out(1, "a"), out(1, "b"), out(3, "c")];
        assert!(db.telegram_settle(7, ("new", None), ("waits", Some("Q")), &answer, now).unwrap());
        assert!(!db.telegram_settle(7, ("new", None), ("done", None), &answer, now).unwrap());
        assert_eq!(db.telegram_new(7).unwrap(), None, "it is not new any more");
        assert_eq!(db.telegram_waiting().unwrap(), 3);
        assert_eq!(db.telegram_open("waits").unwrap()[0].shown.as_deref(), Some("Q"));
        assert!(db.telegram_settle(7, ("waits", Some("Q")), ("done", None), &[], now).unwrap());
        assert!(db.telegram_open("waits").unwrap().is_empty());
    }

    #[test]
    fn a_message_in_doubt_stays_so_until_it_is_known_what_came_of_it() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.sqlite");
        let db = Db::open(&path).unwrap();
        let now = Timestamp::now();
        let id = db.telegram_post(&[out(1, "a")], now).unwrap()[0];
        db.telegram_sending(id).unwrap();
        drop(db);
        let db = Db::open(&path).unwrap();
        let doubts = || db.telegram_due(now, 9).unwrap()[0].doubts;
        assert_eq!(doubts(), 1, "also after a cut");
        db.telegram_sending(id).unwrap();
        assert_eq!(doubts(), 2);
        db.telegram_later(id, now, 1).unwrap();
        assert_eq!(doubts(), 1, "this time it was not taken");
    }

    #[test]
    fn what_is_open_is_closed_without_being_done() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("x.sqlite")).unwrap();
        let now = Timestamp::now();
        let update = TelegramUpdate {
            update_id: 7,
            turn: "T".into(),
            chat: 1,
            sender: 2,
            body: "{}".into(),
            shown: None,
            again: false,
        };
        db.telegram_take(&[update.clone(), TelegramUpdate { update_id: 8, ..update }], now).unwrap();
        let old = db.telegram_post(&[out(1, "old")], now).unwrap();
        db.telegram_settle(8, ("new", None), ("waits", Some("Q")), &[], now).unwrap();
        assert_eq!(db.telegram_open_places().unwrap(), [(1, 2)]);
        assert_eq!(db.telegram_close_all("why", &[out(1, "told")], now).unwrap(), 3);
        assert!(db.telegram_open("new").unwrap().is_empty() && db.telegram_open("waits").unwrap().is_empty());
        assert_eq!(db.telegram_fate(old[0]).unwrap(), TelegramFate::GivenUp("why".into()));
        let due: Vec<String> = db.telegram_due(now, 9).unwrap().into_iter().map(|one| one.body).collect();
        assert_eq!(due, ["told"]);
    }

    #[test]
    fn a_chat_keeps_its_order_and_does_not_hold_others_up() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("x.sqlite")).unwrap();
        let now = Timestamp::now();
        db.telegram_post(&[out(1, "a"), out(1, "b"), out(3, "c")], now).unwrap();
        let due = |at| -> Vec<String> {
            db.telegram_due(at, 9).unwrap().into_iter().map(|waiting| waiting.body).collect()
        };
        assert_eq!(due(now), ["a", "c"]);
        let later = now + jiff::SignedDuration::from_secs(5);
        db.telegram_later(1, later, 0).unwrap();
        assert_eq!(due(now), ["c"], "what comes after it waits too");
        assert_eq!(due(later), ["a", "c"]);
        db.telegram_sent(1, Some(4)).unwrap();
        assert_eq!(due(now), ["b", "c"]);
        db.telegram_move(1, 3).unwrap();
        assert_eq!(due(now), ["b"], "a chat that moved keeps its order");
        db.telegram_sent(2, None).unwrap();
        assert_eq!(due(now), ["c"]);
        db.telegram_post(&[out(1, "b")], now).unwrap();
        db.telegram_bot(1).unwrap();
        assert_eq!(db.telegram_last_poll().unwrap(), None);
        db.telegram_polled(now).unwrap();
        assert_eq!(db.telegram_last_poll().unwrap(), Some(now));
        assert_eq!(due(now), ["c", "b"]);
        db.telegram_bot(2).unwrap();
        assert!(due(now).is_empty(), "another bot does not know these chats");
    }
}
