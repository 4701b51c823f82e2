//! A conversation in texts alone: the next message may be a request, a yes, or the answer to a question.

use crate::answer::{Stands, TurnAnswer};
use crate::house::House;
use crate::hub::{Started, Wanted};
use crate::who::Who;
use crate::words::Speech;
use jiff::Timestamp;
use metnos_executor::{ErrorClass, Failure, Ulid, shown};
use metnos_gateway::{Asked, Reply, Stage, numbered};
use metnos_runtime::guards::Answer;
use serde_json::{Map, Value};
use std::fmt::Write as _;
use std::sync::Arc;

/// How many rows of a list are written out.
const ROWS: usize = 20;
/// How wide a cell is.
const CELL: usize = 60;
/// How many letters of its id tell a card apart in a text.
const CODE: usize = 6;
/// How far back a card of a conversation is looked for.
const LATELY: u32 = 20;
/// How somebody at a terminal answers one of several questions.
pub const ANSWER_EACH: &str = "metnos approvals lists them; metnos approve ID, metnos reject ID";

/// What whoever writes has before their eyes: an answer counts for a question that they see.
#[derive(Clone, Debug)]
pub(crate) enum Seen {
    /// All of the conversation, as it stands here.
    Conversation,
    /// This card.
    Card(String),
    /// What was asked until then, in milliseconds: a message that is sent twice is no answer to what came between.
    Until(u64),
    /// What Metnos said last, as a program has it that keeps the conversation itself; nothing, if it has nothing.
    Told(String),
}

impl Seen {
    fn card(&self, id: &str) -> bool {
        match self {
            Self::Conversation => true,
            Self::Card(seen) => seen == id,
            Self::Until(moment) => Ulid::from_string(id).is_ok_and(|id| id.timestamp_ms() <= *moment),
            Self::Told(text) => text.contains(code(id)),
        }
    }

    /// Whether an offer that was made then is before their eyes.
    fn offer(&self, asked: &str, made: Option<Timestamp>) -> bool {
        match self {
            Self::Until(moment) => {
                made.and_then(|at| u64::try_from(at.as_millisecond()).ok()).is_some_and(|at| at <= *moment)
            }
            _ => self.question(asked),
        }
    }

    fn question(&self, asked: &str) -> bool {
        match self {
            Self::Told(text) => text.contains(asked.trim()),
            _ => true,
        }
    }
}

/// The last letters of the id of a card, by which it is known again in a text.
fn code(id: &str) -> &str {
    id.get(id.len().saturating_sub(CODE)..).unwrap_or(id)
}

/// What came of a message.
pub(crate) enum Said {
    /// It began something, or went on with it.
    Started(Started),
    /// It changed nothing; this turn waits as before.
    Before(String),
    /// It asked for the details of the card at which this turn waits.
    Details(String),
}

/// What a message means.
pub(crate) enum Meant {
    /// An answer to this question.
    Decision(String, Answer),
    /// What this turn asked for.
    Reply(String),
    /// A choice from this offer of a turn.
    Choice {
        /// The turn.
        turn: String,
        /// The number of the offer.
        offer: u32,
    },
    /// What this turn lacked is kept now.
    Supplied(String),
    /// A yes or no to a card that is not the one that waits: what waits is shown, and nothing is decided.
    Shown(String),
    /// The details of the card with this id, at which this turn waits, are wanted; nothing is decided.
    Details {
        /// The turn.
        turn: String,
        /// The card.
        card: String,
    },
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
        seen: Seen,
    ) -> Result<Said, Failure> {
        match self.understand(who, conversation, &text, seen).await? {
            Meant::Shown(turn) => Ok(Said::Before(turn)),
            Meant::Details { turn, .. } => Ok(Said::Details(turn)),
            meant => self.act(who, conversation, text, meant, None).await.map(Said::Started),
        }
    }

    /// What a message of a conversation means.
    pub(crate) async fn understand(
        self: &Arc<Self>,
        who: &Who,
        conversation: &str,
        text: &str,
        seen: Seen,
    ) -> Result<Meant, Failure> {
        let (house, reader, place, said) =
            (Arc::clone(self), who.clone(), conversation.to_owned(), text.to_owned());
        let meant = tokio::task::spawn_blocking(move || house.meant(&reader, &place, &said, &seen)).await;
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
            Meant::Choice { turn, offer } => self.choose(who, &turn, offer, text).await,
            Meant::Supplied(turn) => self.go_on(who, &turn).await,
            Meant::Shown(turn) => Err(Failure::new(
                ErrorClass::Conflict,
                format!("that question was answered already; turn {turn} asks another one"),
            )),
            // Whoever has another way to show them does not come here.
            Meant::Request | Meant::Details { .. } => {
                let conversation = conversation.to_owned();
                let wanted = Wanted { text, conversation, language: None, zone: None, turn, base: None };
                self.start(who, wanted).await
            }
        }
    }

    fn meant(&self, who: &Who, conversation: &str, text: &str, seen: &Seen) -> Result<Meant, Failure> {
        let Some(last) = self.gateway.turns_in(conversation, 1)?.pop() else { return Ok(Meant::Request) };
        if last.status.as_deref() != Some("asks")
            && let Some(yes) = self.words.yes_or_no(text)
        {
            return self.decision(who, conversation, yes, seen);
        }
        if last.status.as_deref() != Some("asks")
            && self.words.details(text)
            && let Some((turn, card)) = self.card_waiting(conversation)?.0
        {
            return Ok(Meant::Details { turn, card });
        }
        if last.status.as_deref() == Some("asks")
            && let Some(offer) = self.gateway.open_offer(&last.id)?
        {
            let made = last.ended_at.as_deref().and_then(|at| at.parse::<Timestamp>().ok());
            let seen = seen.offer(&numbered(&offer.text, &offer.choices), made);
            return Ok(match self.gateway.reply_to(&offer, text) {
                // Whoever says something else wants that, and the offer is withdrawn.
                Reply::Else => Meant::Request,
                _ if seen => Meant::Choice { turn: last.id, offer: offer.number },
                _ => Meant::Shown(last.id),
            });
        }
        match last.status.as_deref() {
            // A credential is given elsewhere; here it is only said that it was. Nothing else is taken for one.
            Some("asks") => match self.answer_of(last.clone())?.question {
                None if self.words.go_on(text) => Ok(Meant::Supplied(last.id)),
                None => Ok(Meant::Request),
                // What can be planned by itself is a request; anything else is the answer that was asked for.
                Some(question) if !seen.question(&question) => Ok(Meant::Request),
                Some(_) if self.is_whole(who, conversation, text)? => Ok(Meant::Request),
                Some(_) => Ok(Meant::Reply(last.id)),
            },
            _ => Ok(Meant::Request),
        }
    }

    /// A plain yes or no: to the card of this conversation that waits.
    fn decision(&self, who: &Who, conversation: &str, yes: bool, seen: &Seen) -> Result<Meant, Failure> {
        let (meant, others) = self.card_waiting(conversation)?;
        let Some((turn, card)) = meant else {
            return match others {
                0 => Ok(Meant::Request),
                n => Err(Failure::new(
                    ErrorClass::Conflict,
                    format!("{n} questions wait; which one is meant?"),
                )
                .with_hint(match who.channel {
                    "cli" | "device" => ANSWER_EACH.to_owned(),
                    _ => format!("answer each one at {}/admin/approvals", self.url),
                })),
            };
        };
        Ok(match seen.card(&card) {
            true => Meant::Decision(card, if yes { Answer::Once } else { Answer::No }),
            false => Meant::Shown(turn),
        })
    }

    /// The card of a conversation that is meant by a word which names none, with its turn, and how many others wait.
    /// Where several do, only the newest turn's is meant.
    fn card_waiting(&self, conversation: &str) -> Result<(Option<(String, String)>, usize), Failure> {
        let turns = self.gateway.turns_in(conversation, LATELY)?;
        let newest = turns.first().map(|turn| turn.id.clone());
        let mut cards = Vec::new();
        for turn in turns.into_iter().filter(|turn| turn.status.as_deref() == Some("waits")) {
            let id = turn.id.clone();
            let card = self.answer_of(turn)?.approval.filter(|card| card.standing == Stands::Pending);
            cards.extend(card.map(|card| (id, card.id)));
        }
        let of_newest = cards.iter().position(|(turn, _)| Some(turn) == newest.as_ref());
        let one = (cards.len() == 1).then_some(0);
        let meant = of_newest.or(one).map(|at| cards.swap_remove(at));
        Ok((meant, cards.len()))
    }

    /// Whether a message can be planned by itself.
    pub(crate) fn is_whole(&self, who: &Who, conversation: &str, text: &str) -> Result<bool, Failure> {
        let asked = Asked {
            text: text.to_owned(),
            language: None,
            now: jiff::Zoned::now().with_time_zone(who.zone()),
            caller: who.caller(),
            conversation: conversation.to_owned(),
            session: self.session_of(who),
            base: self.runtime().home.user_home(),
        };
        let (stage, plan) = self.gateway.foresee(&asked, Vec::new())?;
        Ok(plan.is_some() || stage == Some(Stage::Literal))
    }

    /// An answer in letters: its rows as a table, then what is said, then what can be done. `details`: with those of
    /// the card.
    pub(crate) fn as_text(&self, answer: &TurnAnswer, speech: &Speech, details: bool) -> String {
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
        for detail in answer.approval.iter().filter(|_| details).flat_map(|card| &card.details) {
            let _ = write!(out, "\n- {detail}");
        }
        if let Some(note) = &answer.note {
            let _ = write!(out, "\n_{note}_");
        }
        match (&answer.approval, &answer.next) {
            (Some(card), _) if card.standing == Stands::Pending => {
                let link = format!("{}/admin/approvals", self.url);
                let _ = write!(
                    out,
                    "\n\n{}",
                    speech.say("answer-here", &[("code", code(&card.id)), ("link", &link)])
                );
            }
            (_, Some(next)) => {
                let _ = write!(out, "\n→ {next}");
            }
            _ => {}
        }
        shown::text(&out)
    }
}

/// Rows as a table that a person and a Markdown reader can read.
pub(crate) fn table(rows: &[Map<String, Value>]) -> String {
    let mut columns = metnos_gateway::columns(rows);
    columns.truncate(6);
    if columns.is_empty() {
        return String::new();
    }
    let names: Vec<String> = columns.iter().map(|column| shown::part(column)).collect();
    let mut out = format!("| {} |\n|{}\n", names.join(" | "), "---|".repeat(columns.len()));
    for row in rows.iter().take(ROWS) {
        let cells: Vec<String> = columns.iter().map(|column| cell(row.get(column))).collect();
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
    let clean: String = shown::part(&text).chars().take(CELL + 1).collect();
    match clean.char_indices().nth(CELL) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None => clean,
    }
}
