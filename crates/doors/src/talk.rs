//! A conversation in texts alone: the next message may be a request, a yes, or the answer to a question.

use crate::answer::TurnAnswer;
use crate::house::House;
use crate::hub::{Started, Wanted};
use crate::who::Who;
use crate::words::Speech;
use metnos_executor::Failure;
use metnos_gateway::{Asked, Stage};
use metnos_runtime::guards::Answer;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::sync::Arc;

/// How many rows of a list are written out.
const ROWS: usize = 20;
/// How wide a cell is.
const CELL: usize = 60;

/// What a message means.
pub(crate) enum Meant {
    /// An answer to this question.
    Decision(String, Answer),
    /// What this turn asked for.
    Reply(String),
    /// What this turn lacked is kept now.
    Supplied(String),
    /// Something new.
    Request,
}

impl House {
    /// Takes a message of a conversation for what it means and acts on it.
    pub(crate) async fn say(
        self: &Arc<Self>,
        who: &Who,
        conversation: &str,
        text: String,
    ) -> Result<Started, Failure> {
        let meant = self.understand(who, conversation, &text).await?;
        self.act(who, conversation, text, meant, None).await
    }

    /// What a message of a conversation means.
    pub(crate) async fn understand(
        self: &Arc<Self>,
        who: &Who,
        conversation: &str,
        text: &str,
    ) -> Result<Meant, Failure> {
        let (house, reader, place, said) =
            (Arc::clone(self), who.clone(), conversation.to_owned(), text.to_owned());
        let meant = tokio::task::spawn_blocking(move || house.meant(&reader, &place, &said)).await;
        meant.unwrap_or_else(|_| Err(Failure::internal("the message could not be read")))
    }

    /// Acts on a message that was understood. What is new gets the id `turn`, if one is given.
    pub(crate) async fn act(
        self: &Arc<Self>,
        who: &Who,
        conversation: &str,
        text: String,
        meant: Meant,
        turn: Option<String>,
    ) -> Result<Started, Failure> {
        match meant {
            Meant::Decision(id, answer) => self.decide(who, &id, answer).await,
            Meant::Reply(turn) => self.reply(who, &turn, text).await,
            Meant::Supplied(turn) => self.go_on(who, &turn).await,
            Meant::Request => {
                let conversation = conversation.to_owned();
                let wanted = Wanted { text, conversation, language: None, zone: None, turn, base: None };
                self.start(who, wanted).await
            }
        }
    }

    fn meant(&self, who: &Who, conversation: &str, text: &str) -> Result<Meant, Failure> {
        let Some(last) = self.gateway.turns_in(conversation, 1)?.pop() else { return Ok(Meant::Request) };
        match last.status.as_deref() {
            Some("waits") => {
                let card = self.answer_of(last)?.approval.filter(|card| card.standing == "pending");
                Ok(match (card, self.words.yes_or_no(text)) {
                    (Some(card), Some(true)) => Meant::Decision(card.id, Answer::Once),
                    (Some(card), Some(false)) => Meant::Decision(card.id, Answer::No),
                    _ => Meant::Request,
                })
            }
            // A credential is given elsewhere; here it is only said that it was. Nothing else is taken for one.
            Some("asks") if self.answer_of(last.clone())?.question.is_none() => {
                Ok(match self.words.go_on(text) {
                    true => Meant::Supplied(last.id),
                    false => Meant::Request,
                })
            }
            // What can be planned by itself is a request; anything else is the answer that was asked for.
            Some("asks") if self.is_whole(who, conversation, text)? => Ok(Meant::Request),
            Some("asks") => Ok(Meant::Reply(last.id)),
            _ => Ok(Meant::Request),
        }
    }

    /// Whether a message can be planned by itself.
    pub(crate) fn is_whole(&self, who: &Who, conversation: &str, text: &str) -> Result<bool, Failure> {
        let asked = Asked {
            text: text.to_owned(),
            language: None,
            now: jiff::Zoned::now().with_time_zone(who.zone()),
            caller: who.caller(),
            conversation: conversation.to_owned(),
            base: self.runtime().home.user_home(),
        };
        let (stage, plan) = self.gateway.foresee(&asked, Vec::new())?;
        Ok(plan.is_some() || stage == Some(Stage::Literal))
    }

    /// An answer in letters: its rows as a table, then what is said, then what can be done.
    pub(crate) fn as_text(&self, answer: &TurnAnswer, speech: &Speech) -> String {
        let mut out = table(&answer.entries);
        if answer.count > ROWS as u64 && !out.is_empty() {
            let count = answer.count.to_string();
            let _ = writeln!(
                out,
                "{}",
                speech.say("rows-more", &[("shown", &ROWS.to_string()), ("count", &count)])
            );
        }
        let said = answer.approval.as_ref().map_or(&answer.text, |card| &card.text);
        if !out.is_empty() && !said.is_empty() {
            out.push('\n');
        }
        out.push_str(said);
        match (&answer.approval, &answer.next) {
            (Some(card), _) if card.standing == "pending" => {
                let link = format!("{}/admin/approvals", self.url);
                let _ = write!(out, "\n\n{}", speech.say("answer-here", &[("link", &link)]));
            }
            (_, Some(next)) => {
                let _ = write!(out, "\n→ {next}");
            }
            _ => {}
        }
        out
    }
}

/// Rows as a table that a person and a Markdown reader can read.
pub(crate) fn table(rows: &[Map<String, Value>]) -> String {
    let mut columns: Vec<&str> = Vec::new();
    for row in rows.iter().take(ROWS) {
        for key in row.keys().filter(|key| !key.starts_with('_')) {
            if !columns.contains(&key.as_str()) {
                columns.push(key);
            }
        }
    }
    columns.truncate(6);
    if columns.is_empty() {
        return String::new();
    }
    let mut out = format!("| {} |\n|{}\n", columns.join(" | "), "---|".repeat(columns.len()));
    for row in rows.iter().take(ROWS) {
        let cells: Vec<String> = columns.iter().map(|column| cell(row.get(*column))).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}

fn cell(value: Option<&Value>) -> String {
    let text = match value {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    };
    let clean: String =
        text.chars().map(|c| if c.is_control() || c == '|' { ' ' } else { c }).take(CELL + 1).collect();
    match clean.char_indices().nth(CELL) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None => clean,
    }
}
