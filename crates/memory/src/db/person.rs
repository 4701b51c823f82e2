//! Everything the database holds of one person: to be handed out, or to be let go of.

use super::turns::turn;
use super::{Db, Turn, sql};
use crate::Result;
use rusqlite::Row;

/// A call of a turn, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredCall {
    /// Its id.
    pub call_id: String,
    /// What ran.
    pub executor: String,
    /// When it began.
    pub started_at: String,
    /// When it ended.
    pub ended_at: Option<String>,
    /// How far it is.
    pub state: String,
    /// What came of it, as JSON, when that was small.
    pub outcome: Option<String>,
}

/// A decision with its kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruled {
    /// Which kind.
    pub kind: String,
    /// Its id.
    pub id: String,
    /// What was decided, as JSON.
    pub body: String,
}

/// A message of Telegram, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredMessage {
    /// Its number: of what came, or of what goes out.
    pub id: i64,
    /// In which chat.
    pub chat: i64,
    /// `update` for what came; `message`, `document` or `edit` for what goes out.
    pub kind: String,
    /// All of it, as JSON; empty once it was handled or sent.
    pub body: String,
    /// How far it is.
    pub state: String,
    /// Since when it is there.
    pub at: String,
}

/// What goes with a person and is not known by their name in its row.
#[derive(Clone, Copy, Debug, Default)]
pub struct Named<'a> {
    /// Calls that belong to no turn.
    pub calls: &'a [String],
    /// Decisions: kind and id.
    pub decisions: &'a [(String, String)],
    /// The numbers they write from on Telegram.
    pub senders: &'a [i64],
}

/// How much was let go of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Forgotten {
    /// Turns, with their logs and gaps.
    pub turns: usize,
    /// Outcomes of calls.
    pub calls: usize,
    /// Kept plans.
    pub plans: usize,
    /// Decisions.
    pub decisions: usize,
    /// Messages of Telegram, what came and what was to go out.
    pub messages: usize,
}

impl Db {
    /// Every turn of a person, the oldest first.
    pub fn whole_turns(&self, person: &str) -> Result<Vec<Turn>> {
        let found = self.with("read turns", |c| {
            c.prepare_cached(sql::PERSON_TURNS)?.query_map([person], turn)?.collect()
        });
        found.map(|turns| self.open_turns_of(turns))
    }

    /// What nothing could do for a person: turn, request, words, when.
    pub fn gaps_of(&self, person: &str) -> Result<Vec<(String, String, String, String)>> {
        let found: Vec<(String, String, String, String)> = self.with("read gaps", |c| {
            let row = |row: &Row<'_>| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?));
            c.prepare_cached(sql::PERSON_GAPS)?.query_map([person], row)?.collect()
        })?;
        let open = |(turn, request, words, at)| (turn, self.opened(request), self.opened(words), at);
        Ok(found.into_iter().map(open).collect())
    }

    /// The calls of a turn, in order.
    pub fn calls_of(&self, turn: &str) -> Result<Vec<StoredCall>> {
        self.with("read calls", |c| {
            let row = |row: &Row<'_>| {
                Ok(StoredCall {
                    call_id: row.get(0)?,
                    executor: row.get(1)?,
                    started_at: row.get(2)?,
                    ended_at: row.get(3)?,
                    state: row.get(4)?,
                    outcome: row.get::<_, Option<String>>(5)?.map(|outcome| self.opened(outcome)),
                })
            };
            c.prepare_cached(sql::CALLS_OF_TURN)?.query_map([turn], row)?.collect()
        })
    }

    /// Every decision of every kind.
    pub fn all_decisions(&self) -> Result<Vec<Ruled>> {
        self.with("read decisions", |c| {
            let row =
                |r: &Row<'_>| Ok(Ruled { kind: r.get(0)?, id: r.get(1)?, body: self.opened(r.get(2)?) });
            c.prepare_cached(sql::DECISIONS_ALL)?.query_map([], row)?.collect()
        })
    }

    /// What came over Telegram from a person, from these senders of theirs or for a turn of theirs, then what was
    /// to go out to them or from them.
    pub fn messages_of(&self, person: &str, senders: &[i64]) -> Result<Vec<StoredMessage>> {
        let senders = numbers(senders);
        self.with("read messages", |c| {
            let came = |row: &Row<'_>| {
                Ok(StoredMessage {
                    id: row.get(0)?,
                    chat: row.get(3)?,
                    kind: "update".to_owned(),
                    body: self.opened(row.get(5)?),
                    state: row.get(2)?,
                    at: row.get(6)?,
                })
            };
            let goes = |row: &Row<'_>| {
                Ok(StoredMessage {
                    id: row.get(0)?,
                    chat: row.get(1)?,
                    kind: row.get(2)?,
                    body: self.opened(row.get(3)?),
                    state: row.get(4)?,
                    at: row.get(5)?,
                })
            };
            let mut all = c
                .prepare_cached(sql::PERSON_UPDATES)?
                .query_map([person, &senders], came)?
                .collect::<rusqlite::Result<Vec<_>>>()?;
            for message in c.prepare_cached(sql::PERSON_OUTBOX)?.query_map([person, &senders], goes)? {
                all.push(message?);
            }
            Ok(all)
        })
    }

    /// Lets go of a person in one step: messages, turns with their logs, outcomes of calls (those of the turns and
    /// the ones named), kept plans and the decisions named. What models cost stays counted.
    pub fn forget_person(&self, person: &str, named: &Named<'_>) -> Result<Forgotten> {
        let turns: Vec<String> = self.whole_turns(person)?.into_iter().map(|turn| turn.id).collect();
        let senders = numbers(named.senders);
        self.write("let go of a person", |tx| {
            let mut gone = Forgotten::default();
            // Before the turns, which say whose some of them are.
            gone.messages += tx.execute(sql::PERSON_UPDATES_FORGET, [person, &senders])?;
            gone.messages += tx.execute(sql::PERSON_OUTBOX_FORGET, [person, &senders])?;
            for turn in &turns {
                gone.calls += tx.prepare_cached(sql::CALLS_OF_TURN_FORGET)?.execute([turn])?;
                tx.prepare_cached(sql::MODEL_UNLINK)?.execute([turn])?;
                gone.turns += tx.prepare_cached(sql::TURN_FORGET)?.execute([turn])?;
            }
            for call in named.calls {
                gone.calls += tx.prepare_cached(sql::CALL_FORGET)?.execute([call])?;
            }
            gone.plans = tx.execute(sql::PLANS_FORGET, [person])?;
            for (kind, id) in named.decisions {
                if kind == "approval" {
                    gone.messages += tx.prepare_cached(sql::OUTBOX_NAMING_FORGET)?.execute([id])?;
                }
                gone.decisions += tx.prepare_cached(sql::DECISION_FORGET)?.execute([kind, id])?;
            }
            Ok(gone)
        })
    }
}

/// Numbers as a statement takes them.
fn numbers(senders: &[i64]) -> String {
    let words: Vec<String> = senders.iter().map(i64::to_string).collect();
    format!("[{}]", words.join(","))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use jiff::Timestamp;

    #[test]
    fn one_person_goes_and_the_others_stay() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("x.sqlite")).unwrap();
        let now = Timestamp::now();
        for (id, caller) in [("A", "ada/cli"), ("B", "adam/cli"), ("C", "ada/telegram"), ("D", "a_a/cli")] {
            db.begin_turn(id, caller, None, "c", "r", now).unwrap();
            db.log_turn(id, 1, "e").unwrap();
            db.note_gap(id, "r", "w", now).unwrap();
        }
        assert_eq!(db.whole_turns("ada").unwrap().len(), 2);
        assert_eq!(db.gaps_of("ada").unwrap().len(), 2);
        assert_eq!(db.whole_turns("a_a").unwrap().len(), 1, "a name is no pattern");
        assert_eq!(db.forget_person("ada", &Named::default()).unwrap().turns, 2);
        assert!(db.whole_turns("ada").unwrap().is_empty() && db.gaps_of("ada").unwrap().is_empty());
        assert_eq!(db.whole_turns("adam").unwrap().len(), 1);
    }

    #[test]
    fn messages_of_a_person_are_found_by_sender_by_turn_and_by_who_sends() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("x.sqlite")).unwrap();
        let now = Timestamp::now();
        db.begin_turn("T", "ada/telegram", None, "c", "r", now).unwrap();
        let update = |update_id, turn: &str, chat, sender| crate::db::TelegramUpdate {
            update_id,
            turn: turn.into(),
            chat,
            sender,
            body: "{}".into(),
            shown: None,
            again: false,
        };
        let came = [update(1, "x", 7, 7), update(2, "T", -9, 8), update(3, "y", 5, 5)];
        db.telegram_take(&came, now).unwrap();
        let out = |chat, body: &str| crate::db::TelegramOut {
            chat,
            kind: "message",
            body: body.into(),
            reader: None,
        };
        let goes = [
            out(7, r#"{"text":"to ada"}"#),
            out(5, r#"{"text":"by ada","sender":{"from":"ada"}}"#),
            out(5, r#"{"text":"card","id":"QUESTION"}"#),
            out(5, r#"{"text":"ada"}"#),
            out(5, "no JSON"),
        ];
        db.telegram_post(&goes, now).unwrap();
        let found = db.messages_of("ada", &[7]).unwrap();
        let seen: Vec<(&str, i64)> = found.iter().map(|one| (one.kind.as_str(), one.id)).collect();
        assert_eq!(seen, [("update", 1), ("update", 2), ("message", 1), ("message", 2)]);
        let decisions = [("approval".to_owned(), "QUESTION".to_owned())];
        let named = Named { decisions: &decisions, senders: &[7], ..Named::default() };
        assert_eq!(db.forget_person("ada", &named).unwrap().messages, 5);
        assert!(db.messages_of("ada", &[7]).unwrap().is_empty());
        assert_eq!(db.messages_of("bruno", &[5]).unwrap().len(), 3, "what is another's stays");
    }
}
