//! What a turn has come to, told to whoever asked; again when it went on, wherever it was answered.

use super::{CHANNEL, Telegram, render, unread};
use crate::answer::Stands;
use crate::words::Speech;
use jiff::Timestamp;
use metnos_executor::Failure;
use metnos_memory::db::{TelegramOut, TelegramUpdate, Turn};
use metnos_runtime::people::{HOST, Person};

/// Where an update goes from here, and what is sent because of it.
struct Told {
    out: Vec<TelegramOut>,
    /// The question it waits for from now on.
    waits: Option<String>,
}

impl Telegram {
    /// Tells what came of an update's turn, after `first`.
    pub(super) fn tell(
        &self,
        row: &TelegramUpdate,
        speech: &Speech,
        first: Vec<TelegramOut>,
        again: bool,
    ) -> Result<(), Failure> {
        let Some(known) = self.turn_of(row, again)? else { return self.done(row, first) };
        let told = self.told(row, known, speech, again)?;
        let (mut out, waits) = (first, told.as_ref().and_then(|told| told.waits.clone()));
        // What still runs somewhere is told when it has ended.
        let to = if told.is_none() || waits.is_some() { "waits" } else { "done" };
        out.extend(told.map(|told| told.out).unwrap_or_default());
        self.settle(row, ("new", row.shown.as_deref()), (to, waits.as_deref()), out).map(|_| ())
    }

    /// An update is handled with this answer.
    pub(super) fn done(&self, row: &TelegramUpdate, out: Vec<TelegramOut>) -> Result<(), Failure> {
        self.settle(row, ("new", row.shown.as_deref()), ("done", None), out).map(|_| ())
    }

    fn settle(
        &self,
        row: &TelegramUpdate,
        from: (&str, Option<&str>),
        to: (&str, Option<&str>),
        mut out: Vec<TelegramOut>,
    ) -> Result<bool, Failure> {
        // In a group it is read by whoever wrote there.
        out.iter_mut().filter(|out| out.chat < 0).for_each(|out| out.reader = Some(row.sender));
        let moved = self.db().telegram_settle(row.update_id, from, to, &out, Timestamp::now());
        self.ring();
        moved.map_err(unread)
    }

    /// Looks at what waits, or at what waits for this turn: what went on is told. `start`: whatever does not run
    /// now was cut off.
    pub(super) fn settle_waiting(&self, turn: Option<&str>, start: bool) -> Result<(), Failure> {
        for row in self.db().telegram_open("waits").map_err(unread)? {
            if turn.is_some_and(|turn| turn != row.turn) {
                continue;
            }
            let from = ("waits", row.shown.as_deref());
            let sender = self.house.runtime().sender(CHANNEL, &row.sender.to_string())?;
            // Who was revoked hears nothing more.
            let (Some(person), Some(known)) = (sender, self.turn_of(&row, start)?) else {
                self.settle(&row, from, ("done", None), Vec::new())?;
                continue;
            };
            let speech = self.house.words.speak(person.language.as_deref());
            let Some(Told { out, waits }) = self.told(&row, known, &speech, start)? else { continue };
            match waits {
                // It was shown already.
                Some(id) if row.shown.as_deref() == Some(id.as_str()) => {}
                Some(id) => drop(self.settle(&row, from, ("waits", Some(&id)), out)?),
                None => drop(self.settle(&row, from, ("done", None), out)?),
            }
        }
        Ok(())
    }

    /// The turn of an update; `closing`: one whose process died is closed first.
    pub(super) fn turn_of(&self, row: &TelegramUpdate, closing: bool) -> Result<Option<Turn>, Failure> {
        let known = self.house.gateway.turn(&row.turn)?;
        match known {
            Some(open) if closing && open.status.is_none() => {
                self.house.gateway.cut_off(Some(&open.caller))?;
                self.house.gateway.turn(&row.turn)
            }
            other => Ok(other),
        }
    }

    /// What there is to tell of a turn; nothing while it runs.
    fn told(
        &self,
        row: &TelegramUpdate,
        known: Turn,
        speech: &Speech,
        start: bool,
    ) -> Result<Option<Told>, Failure> {
        let over = |out| Ok(Some(Told { out, waits: None }));
        let cut = |request: &str| {
            vec![render::message(row.chat, &speech.say("tg-interrupted", &[("request", &short(request))]))]
        };
        let Some(status) = known.status.clone() else { return Ok(None) };
        if status == "interrupted" {
            return over(cut(&known.request));
        }
        let request = known.request.clone();
        let answer = self.house.answer_of(known)?;
        if status != "waits" {
            return over(render::answer(row.chat, &answer, speech));
        }
        let beside = answer.note.as_ref().map(|note| format!("\n({note})")).unwrap_or_default();
        let Some(card) = answer.approval else { return over(render::answer(row.chat, &answer, speech)) };
        match card.standing {
            Stands::Pending => {}
            // Its buttons say that it is over.
            Stands::Expired | Stands::Rejected => return over(Vec::new()),
            // A yes was given, and the step runs, or ran when everything was cut.
            _ if start => return over(cut(&request)),
            _ => return Ok(None),
        }
        let id = card.id.clone();
        let Some(approval) = self.house.runtime().approval(&id)? else { return over(Vec::new()) };
        let asker = self.person(&card.asked_by)?;
        let mine = asker.as_ref().is_some_and(|person| person.id == HOST);
        if !approval.host_only || mine {
            return Ok(Some(Told {
                out: vec![render::asking(row.chat, &format!("{}{beside}", card.text), &card, speech)],
                waits: Some(id),
            }));
        }
        // Only the host may answer: they are asked where they are.
        let mut out =
            vec![render::message(row.chat, &format!("{}\n\n{}", card.text, speech.t("tg-host-asked")))];
        let name = asker.map_or(card.asked_by.clone(), |person| person.name);
        let host = self.person(HOST)?;
        let to_host = self.house.words.speak(host.and_then(|host| host.language).as_deref());
        let text = format!("{}\n\n{}{beside}", to_host.say("tg-asks", &[("name", &name)]), card.text);
        for chat in self.chats(HOST)? {
            out.push(render::asking(chat, &text, &card, &to_host));
        }
        Ok(Some(Told { out, waits: Some(id) }))
    }

    /// Who a caller is.
    pub(super) fn person(&self, caller: &str) -> Result<Option<Person>, Failure> {
        self.house.runtime().person(caller.split('/').next().unwrap_or(caller))
    }

    /// The chats in which somebody can be spoken to alone.
    pub(super) fn chats(&self, person: &str) -> Result<Vec<i64>, Failure> {
        let pairings = self.house.runtime().pairings()?;
        let own = pairings
            .into_iter()
            .filter(|known| known.channel == CHANNEL && known.person == person && known.revoked_at.is_none());
        // The number of a person is the number of the chat with them.
        Ok(own.filter_map(|known| known.sender.parse().ok()).collect())
    }
}

/// Enough of a request to know which one it was.
fn short(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
