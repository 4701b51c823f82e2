//! Texts of people, executors and models pass a seal before they are written, and again when they are read: the file
//! never holds a secret that is known, whatever it stood in.

use super::{Db, KeptPlan, TelegramOut, Turn, sql};
use crate::{Error, Result};
use metnos_executor::lab::{self, Layer};
use std::sync::Arc;

/// Takes secrets out of what is written and puts them back into what is read.
pub trait Seal: Send + Sync {
    /// The text as it is written; an error when it cannot be told what is secret.
    fn seal(&self, text: &str) -> std::result::Result<String, String>;
    /// What was sealed.
    fn open(&self, text: &str) -> String;
}

/// Where texts stand that hold what somebody said, gave or got.
const TEXTS: &[(&str, &str)] = &[
    ("turns", "request"),
    ("turn_entries", "entry"),
    ("gaps", "request"),
    ("gaps", "words"),
    ("decisions", "body"),
    ("calls", "outcome"),
    ("plans", "key"),
    ("plans", "request"),
    ("plans", "body"),
    ("telegram_updates", "body"),
    ("telegram_outbox", "body"),
];

impl Db {
    /// Says what texts pass. Said once, before anything else is written.
    pub fn seal_with(&self, seal: Arc<dyn Seal>) {
        let _ = self.seal.set(seal);
    }

    /// Seals what was written before one of `secrets` was known: the ways it is written.
    pub fn seal_again(&self, secrets: &[String]) -> Result<usize> {
        let mut changed = 0;
        for (table, column) in TEXTS {
            for secret in secrets {
                let found: Vec<String> = self.with("look for secrets", |c| {
                    let look = format!("SELECT DISTINCT {column} FROM {table} WHERE instr({column}, ?1) > 0");
                    c.prepare(&look)?.query_map([secret], |row| row.get(0))?.collect()
                })?;
                for old in found {
                    let new = self.sealed(&self.opened(old.clone()))?;
                    let put = format!("UPDATE OR IGNORE {table} SET {column} = ?2 WHERE {column} = ?1");
                    changed += self.write("seal what is kept", |tx| tx.execute(&put, (&old, &new)))?;
                }
            }
        }
        if changed > 0 {
            // The log beside the file still holds what was there. Who reads it keeps it until they are done.
            let _: i64 = self.with("empty the log", |c| c.query_row(sql::EMPTY_LOG, [], |row| row.get(0)))?;
        }
        Ok(changed)
    }

    /// A text as it is written.
    pub(super) fn sealed(&self, text: &str) -> Result<String> {
        match self.seal.get() {
            Some(seal) if !lab::without(Layer::VaultSeal) => {
                seal.seal(text).map_err(|reason| Error::Unsealed { reason })
            }
            _ => Ok(text.to_owned()),
        }
    }

    /// A text as it was given.
    pub(super) fn opened(&self, text: String) -> String {
        match self.seal.get() {
            Some(seal) => seal.open(&text),
            None => text,
        }
    }

    pub(super) fn open_turns_of(&self, turns: Vec<Turn>) -> Vec<Turn> {
        turns.into_iter().map(|turn| self.open_turn(turn)).collect()
    }

    pub(super) fn open_turn(&self, turn: Turn) -> Turn {
        Turn { request: self.opened(turn.request), ..turn }
    }

    pub(super) fn open_plans(&self, plans: Vec<KeptPlan>) -> Vec<KeptPlan> {
        plans.into_iter().map(|plan| self.open_plan(plan)).collect()
    }

    pub(super) fn open_plan(&self, plan: KeptPlan) -> KeptPlan {
        KeptPlan {
            key: self.opened(plan.key),
            request: self.opened(plan.request),
            body: self.opened(plan.body),
            ..plan
        }
    }

    pub(super) fn sealed_out(&self, out: &[TelegramOut]) -> Result<Vec<TelegramOut>> {
        let one = |out: &TelegramOut| Ok(TelegramOut { body: self.sealed(&out.body)?, ..out.clone() });
        out.iter().map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::db::{Decision, Lesson, PlanKind, Stored, TelegramUpdate};
    use jiff::Timestamp;

    /// Writes `sesame` as `#`.
    struct Backwards;

    impl Seal for Backwards {
        fn seal(&self, text: &str) -> std::result::Result<String, String> {
            Ok(text.replace("sesame", "#"))
        }

        fn open(&self, text: &str) -> String {
            text.replace('#', "sesame")
        }
    }

    fn holds(dir: &std::path::Path) -> bool {
        std::fs::read_dir(dir)
            .unwrap()
            .flatten()
            .any(|file| std::fs::read(file.path()).unwrap().windows(6).any(|part| part == b"sesame"))
    }

    #[test]
    fn no_table_holds_a_secret_and_every_reader_gets_it() {
        let dir = tempfile::tempdir().unwrap();
        let db = Db::open(&dir.path().join("x.sqlite")).unwrap();
        db.seal_with(Arc::new(Backwards));
        let (now, text) = (Timestamp::now(), "open sesame");
        db.begin_turn("T", "host/cli", None, "c", text, now).unwrap();
        db.log_turn("T", 1, text).unwrap();
        db.note_gap("T", text, text, now).unwrap();
        let row = |body: &str| Decision { id: "1".into(), body: body.into(), signature: vec![1] };
        db.decide("approval", &row(text), now).unwrap();
        db.begin_call("T-1", "h", "x", now).unwrap();
        db.finish_call("T-1", &Stored::Json(text.into()), now).unwrap();
        let lesson = Lesson {
            person: "host".into(),
            kind: PlanKind::Exact,
            key: text.into(),
            request: text.into(),
            language: "en".into(),
            source: "planner".into(),
            made: "m".into(),
            tools: "{}".into(),
            body: text.into(),
            turn: "T".into(),
        };
        let plan = db.learn_plan(&lesson, 1, now).unwrap();
        assert_eq!(db.learn_plan(&lesson, 1, now).unwrap(), plan, "the same one is known again");
        let update = TelegramUpdate {
            update_id: 7,
            turn: "U".into(),
            chat: 1,
            sender: 2,
            body: text.into(),
            shown: None,
            again: false,
        };
        db.telegram_take(&[update], now).unwrap();
        let out = TelegramOut { chat: 1, kind: "message", body: text.into(), reader: Some(1) };
        let id = db.telegram_post(&[out], now).unwrap()[0];

        assert!(!holds(dir.path()));
        assert_eq!(db.turn("T").unwrap().unwrap().request, text);
        assert_eq!(db.turns(Some("c"), 9).unwrap()[0].request, text);
        assert_eq!(db.turns_of(None, None, 9).unwrap()[0].request, text);
        assert_eq!(db.turns_like(None, None, None, 9).unwrap()[0].request, text);
        assert_eq!(db.turns_before("c", "Z", 9).unwrap()[0].request, text);
        assert_eq!(db.open_turns(None).unwrap()[0].request, text);
        assert_eq!(db.whole_turns("host").unwrap()[0].request, text);
        assert_eq!(db.turn_log("T").unwrap(), [text]);
        assert_eq!(db.gaps(9).unwrap()[0].1, text);
        assert_eq!(db.gaps_before(None, 9).unwrap()[0].words, text);
        assert_eq!(db.gaps_of("host").unwrap()[0].1, text);
        assert_eq!(db.decisions("approval").unwrap(), [row(text)]);
        assert_eq!(db.decisions_from("approval", "0").unwrap(), [row(text)]);
        assert_eq!(db.decision("approval", "1").unwrap(), Some(row(text)));
        assert_eq!(db.all_decisions().unwrap()[0].body, text);
        assert_eq!(db.call("T-1").unwrap().unwrap().outcome, Some(Stored::Json(text.into())));
        assert_eq!(db.calls_of("T").unwrap()[0].outcome.as_deref(), Some(text));
        let kept = db.recall_plan("host", PlanKind::Exact, [text, text]).unwrap().unwrap();
        assert_eq!((kept.key.as_str(), kept.request.as_str(), kept.body.as_str()), (text, text, text));
        assert_eq!(db.plans("host").unwrap()[0].body, text);
        assert_eq!(db.plan(plan).unwrap().unwrap().body, text);
        assert_eq!(db.plans_of_turn("T").unwrap()[0].body, text);
        assert_eq!(db.plans_before("host", None, 9).unwrap()[0].body, text);
        assert_eq!(db.telegram_new(7).unwrap().unwrap().body, text);
        assert_eq!(db.telegram_open("new").unwrap()[0].body, text);
        assert_eq!(db.telegram_due(now, 9).unwrap()[0].body, text);
        assert!(db.messages_of("host", &[1, 2]).unwrap().iter().all(|message| message.body == text));
        db.telegram_given_up(id, text, &[], now).unwrap();
        assert_eq!(db.telegram_fate(id).unwrap(), crate::db::TelegramFate::GivenUp(text.into()));
        assert!(db.redecide("approval", &row(text), &row("sesame!"), now).unwrap());
        assert!(!db.redecide("approval", &row(text), &row("other"), now).unwrap());
        db.drop_decision("approval", &row("sesame!")).unwrap();
        assert_eq!(db.decision("approval", "1").unwrap(), None);
        assert!(!holds(dir.path()));
    }

    #[test]
    fn what_was_written_before_is_sealed_once_it_is_known() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x.sqlite");
        let now = Timestamp::now();
        let db = Db::open(&path).unwrap();
        db.begin_turn("T", "host/cli", None, "c", "open sesame", now).unwrap();
        drop(db);
        let db = Db::open(&path).unwrap();
        db.seal_with(Arc::new(Backwards));
        assert_eq!(db.seal_again(&["sesame".into()]).unwrap(), 1);
        assert!(!holds(dir.path()));
        assert_eq!(db.turn("T").unwrap().unwrap().request, "open sesame");
    }
}
