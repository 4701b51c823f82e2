//! Messages: who wrote, whether it is meant for the bot, and what it asks for.

use super::far::Shown;
use super::update::{Message, Sender, Update, command};
use super::{CHANNEL, Telegram, render, unread};
use crate::answer::Stands;
use crate::hub::Started;
use crate::talk::{Meant, Seen};
use crate::who::Who;
use crate::words::Speech;
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::db::{TelegramOut, TelegramUpdate};
use metnos_runtime::call::turn_of;
use metnos_runtime::guards::Answer;
use metnos_runtime::people::{PersonChange, Role};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

/// How soon and how often somebody is shown that a turn runs.
const TYPING_FIRST: Duration = Duration::from_millis(400);
const TYPING: Duration = Duration::from_secs(4);

/// A message from somebody who is known.
pub(super) struct Heard<'a> {
    pub(super) row: &'a TelegramUpdate,
    pub(super) who: Who,
    pub(super) speech: Speech,
}

impl Heard<'_> {
    pub(super) fn reply(&self, text: &str) -> Vec<TelegramOut> {
        vec![render::message(self.row.chat, text)]
    }

    pub(super) fn conversation(&self) -> Result<String, Failure> {
        self.who.conversation(Some(&self.row.chat.to_string()))
    }
}

impl Telegram {
    /// Handles one update to its end. `again`: it may have been begun before.
    pub(super) fn handle_update(self: &Arc<Self>, row: &TelegramUpdate, again: bool) -> Result<(), Failure> {
        match serde_json::from_str::<Update>(&row.body) {
            Ok(Update { callback_query: Some(press), .. }) => self.press(row, &press, again),
            Ok(Update { message: Some(message), .. }) => self.hear(row, &message, again),
            Ok(Update { edited_message: Some(message), .. }) => self.edited(row, &message),
            _ => self.done(row, Vec::new()),
        }
    }

    fn hear(self: &Arc<Self>, row: &TelegramUpdate, message: &Message, again: bool) -> Result<(), Failure> {
        let Some(from) = message.from.as_ref().filter(|from| !from.is_bot) else {
            return self.done(row, Vec::new());
        };
        let Some(who) = self.who(from)? else { return self.stranger(row, message, from) };
        let Some(said) = message.said(&self.bot()) else { return self.done(row, Vec::new()) };
        let speech = self.speech(&who, from);
        if message.is_passed_on() {
            return self.passed_on(&Heard { row, who, speech }, message);
        }
        if let Some(question) = row.shown.clone() {
            let yes = self.house.words.yes_or_no(&said);
            let answer = yes.map(|yes| if yes { Answer::Once } else { Answer::No });
            return self.answered(&Heard { row, who, speech }, &question, answer);
        }
        // What was begun is not begun again, unless it left nothing behind: where it stands is told.
        let anew = if again { self.anew(row, &said)? } else { None };
        let row = anew.as_ref().unwrap_or(row);
        let heard = Heard { row, who, speech };
        if again && anew.is_none() && self.house.gateway.turn(&row.turn)?.is_some() {
            return self.tell(row, &heard.speech, Vec::new(), true);
        }
        if let Some((word, rest)) = command(&said) {
            return self.command(&heard, message, &word, rest);
        }
        if let Some((sent, name)) = message.file() {
            return self.receive(&heard, sent, &name, &said);
        }
        match said.is_empty() {
            true => self.done(row, heard.reply(&heard.speech.t("tg-only-text"))),
            false => self.request(&heard, said, Vec::new()),
        }
    }

    /// What somebody else wrote is no order, no answer and no code, whoever passes it on. A file is kept, as files
    /// are; what is said with it is somebody else's too.
    fn passed_on(self: &Arc<Self>, heard: &Heard<'_>, message: &Message) -> Result<(), Failure> {
        match message.file() {
            Some((sent, name)) => self.receive(heard, sent, &name, ""),
            None => self.done(heard.row, heard.reply(&heard.speech.t("tg-passed-on"))),
        }
    }

    /// The update once more, if its own request was cut and left nothing behind; once, so that a request which
    /// ends the daemon does not end it for ever.
    fn anew(&self, row: &TelegramUpdate, said: &str) -> Result<Option<TelegramUpdate>, Failure> {
        let Some(cut) = self.turn_of(row, true)? else { return Ok(None) };
        let its_own = cut.status.as_deref() == Some("interrupted") && cut.request == said;
        if !its_own || !self.house.gateway.left_nothing(&row.turn)? {
            return Ok(None);
        }
        let again =
            TelegramUpdate { turn: metnos_executor::Ulid::new().to_string(), again: true, ..row.clone() };
        let begun = self.db().telegram_again(row.update_id, &again.turn).map_err(unread)?;
        Ok(begun.then_some(again))
    }

    pub(super) fn who(&self, from: &Sender) -> Result<Option<Who>, Failure> {
        let found = self.house.runtime().sender(CHANNEL, &from.id.to_string())?;
        let token = format!("{CHANNEL}:{}", from.id);
        Ok(found.map(|person| Who { person, channel: CHANNEL, token, csrf: None }))
    }

    pub(super) fn speech(&self, who: &Who, from: &Sender) -> Speech {
        let own = who.person.language.as_deref().or(from.language_code.as_deref());
        self.house.words.speak(own)
    }

    /// Somebody nobody knows: a code, to be read to the host, and nothing else.
    fn stranger(&self, row: &TelegramUpdate, message: &Message, from: &Sender) -> Result<(), Failure> {
        let silence = || self.done(row, Vec::new());
        let (runtime, sender) = (self.house.runtime(), from.id.to_string());
        if !message.chat.is_private() || self.was_revoked(&sender)? {
            return silence();
        }
        let speech = self.house.words.speak(from.language_code.as_deref());
        // An invitation that is passed on is used by nobody.
        let text = message.text.as_deref().filter(|_| !message.is_passed_on()).unwrap_or_default();
        if let Some((_, token)) = command(text).filter(|(word, rest)| word == "start" && !rest.is_empty()) {
            let invited =
                self.house.tries.listen(|| match runtime.accept_invitation(CHANNEL, &sender, token) {
                    Ok(person) => Ok(Some(person)),
                    Err(failure) if failure.class == ErrorClass::Internal => Err(failure),
                    Err(_) => Ok(None),
                });
            let Ok(invited) = invited else { return silence() };
            let said = match invited {
                Some(person) => {
                    render::message(row.chat, &speech.say("tg-welcome", &[("name", &person.name)]))
                }
                None => render::to_stranger(row.chat, &speech.t("tg-no-invitation")),
            };
            return self.done(row, vec![said]);
        }
        match runtime.knock(CHANNEL, &sender, &from.first_name) {
            Ok(knock) => {
                let said = speech.say("tg-code", &[("code", &knock.code)]);
                self.done(row, vec![render::to_stranger(row.chat, &said)])
            }
            // Whoever asks too often is not told that either.
            Err(failure) if matches!(failure.class, ErrorClass::LimitExceeded | ErrorClass::Conflict) => {
                silence()
            }
            Err(failure) => Err(failure),
        }
    }

    /// Whether this sender was somebody who was sent away.
    fn was_revoked(&self, sender: &str) -> Result<bool, Failure> {
        let mut known = self.house.runtime().pairings()?.into_iter();
        let Some(paired) = known.find(|known| known.channel == CHANNEL && known.sender == sender) else {
            return Ok(false);
        };
        Ok(self.house.runtime().person(&paired.person)?.is_none_or(|person| person.revoked_at.is_some()))
    }

    /// What was changed after it was sent is not done a second time.
    fn edited(&self, row: &TelegramUpdate, message: &Message) -> Result<(), Failure> {
        let from = message.from.as_ref().filter(|from| !from.is_bot);
        let who = from.map(|from| self.who(from)).transpose()?.flatten();
        match (from, who) {
            (Some(from), Some(who)) if message.said(&self.bot()).is_some() => {
                let said = self.speech(&who, from).t("tg-edited");
                self.done(row, vec![render::message(row.chat, &said)])
            }
            _ => self.done(row, Vec::new()),
        }
    }

    fn command(
        self: &Arc<Self>,
        heard: &Heard<'_>,
        message: &Message,
        word: &str,
        rest: &str,
    ) -> Result<(), Failure> {
        let (row, speech) = (heard.row, &heard.speech);
        match word {
            "undo" => self.request(heard, speech.t("tg-undo-request"), Vec::new()),
            "stop" => {
                let key = if self.stop(&heard.who, row.chat) { "tg-stopping" } else { "tg-nothing-runs" };
                self.done(row, heard.reply(&speech.t(key)))
            }
            // In a group everybody would read who is let in.
            "pair" if heard.who.is_host() && message.chat.is_private() && !rest.is_empty() => {
                self.done(row, heard.reply(&self.admit(heard, rest)))
            }
            "lang" => {
                let change =
                    PersonChange { language: Some(Some(rest.to_owned())), ..PersonChange::default() };
                let (id, by) = (&heard.who.person.id, heard.who.caller());
                match self.house.runtime().change_person(id, change, &by) {
                    Ok(person) => {
                        let said = self.house.words.speak(person.language.as_deref()).t("tg-language");
                        self.done(row, heard.reply(&said))
                    }
                    Err(failure) => self.done(row, heard.reply(&told(&failure))),
                }
            }
            _ => {
                let codes = metnos_tongue::codes().join(", ");
                self.done(row, heard.reply(&speech.say("tg-help", &[("codes", &codes)])))
            }
        }
    }

    /// Lets a stranger in as a guest, by the code they were told.
    fn admit(&self, heard: &Heard<'_>, code: &str) -> String {
        let by = heard.who.caller();
        match self.house.runtime().admit_sender(CHANNEL, code, Role::Guest, None, None, &by) {
            Ok(person) => heard.speech.say("tg-admitted", &[("name", &person.name), ("id", &person.id)]),
            Err(failure) => told(&failure),
        }
    }

    /// Wants no more of what this person's turns in this chat do; false when none runs.
    fn stop(&self, who: &Who, chat: i64) -> bool {
        let running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        let own = running.iter().filter(|(person, at, _)| *person == who.person.id && *at == chat);
        let mut stopped = false;
        for (_, _, turn) in own {
            stopped |= self.house.hub.live(turn).cancel();
        }
        stopped
    }

    /// Takes a message for what it means, waits until that has ended, and tells what came of it.
    pub(super) fn request(
        self: &Arc<Self>,
        heard: &Heard<'_>,
        text: String,
        first: Vec<TelegramOut>,
    ) -> Result<(), Failure> {
        let mut row = heard.row.clone();
        let conversation = heard.conversation()?;
        // It can be stopped while it is being read.
        let _expected = self.house.hub.expect(&[&row.turn], &heard.who);
        let _running = self.mark(&heard.who, row.chat, &row.turn);
        let meant = self.house.sends(&heard.who, text.len()).and_then(|()| {
            self.handle.block_on(self.house.understand(&heard.who, &conversation, &text, Seen::Conversation))
        });
        if let Ok(Meant::Details { card, .. }) = &meant
            && let Some(approval) = self.house.runtime().approval(card)?
        {
            let told = render::long(row.chat, &self.details(&approval), &heard.speech);
            return self.done(&row, first.into_iter().chain(told).collect());
        }
        let ended = meant.and_then(|meant| {
            match &meant {
                Meant::Decision(id, answer) => return self.answers(heard, id, *answer, &mut row),
                Meant::Reply(turn) | Meant::Supplied(turn) | Meant::Choice { turn, .. } => {
                    row.turn.clone_from(turn);
                    // So that after a cut it is this turn of which is told.
                    self.db().telegram_turn(row.update_id, turn).map_err(unread)?;
                }
                Meant::Request | Meant::Shown(_) | Meant::Details { .. } => {}
            }
            self.handle.block_on(async {
                let turn = Some(row.turn.clone());
                let started = self.house.act(&heard.who, &conversation, text, meant, turn).await?;
                self.watched(&heard.who, row.chat, started).await
            })
        });
        self.close_with(heard, &row, ended, first)
    }

    /// Ends an update with what came of it.
    pub(super) fn close_with(
        &self,
        heard: &Heard<'_>,
        row: &TelegramUpdate,
        ended: Result<(), Failure>,
        first: Vec<TelegramOut>,
    ) -> Result<(), Failure> {
        match ended {
            // Whoever asked is told, and that is where the question was shown.
            Ok(()) if row.shown.is_some() => {
                self.settle_waiting(Some(&row.turn), false)?;
                self.done(row, first)
            }
            Ok(()) => self.tell(row, &heard.speech, first, false),
            // It is begun at the next start.
            Err(failure) if failure.class == ErrorClass::Interrupted && self.is_closing() => Err(failure),
            Err(failure) => {
                let out = first.into_iter().chain(heard.reply(&told(&failure))).collect();
                self.done(row, out)
            }
        }
    }

    /// A yes or no in words. What it answers is written down first: after a cut it is no request of its own.
    fn answers(
        self: &Arc<Self>,
        heard: &Heard<'_>,
        question: &str,
        answer: Answer,
        row: &mut TelegramUpdate,
    ) -> Result<(), Failure> {
        let asked = self.house.question(&heard.who, question)?;
        let turn = asked.call_id.as_deref().and_then(turn_of).unwrap_or(question);
        self.db().telegram_decides(row.update_id, turn, question).map_err(unread)?;
        turn.clone_into(&mut row.turn);
        row.shown = Some(question.to_owned());
        self.handle.block_on(async {
            let started = self.house.decide(&heard.who, question, answer).await?;
            self.watched(&heard.who, row.chat, started).await
        })
    }

    /// A yes or no that a cut may have caught: it counts while its question still waits, once. Else whoever asked
    /// is told where the turn stands.
    fn answered(
        self: &Arc<Self>,
        heard: &Heard<'_>,
        question: &str,
        answer: Option<Answer>,
    ) -> Result<(), Failure> {
        let mut row = heard.row.clone();
        let known = self.house.runtime().approval(question)?;
        let waits = known.is_some_and(|approval| self.house.card(&approval).standing == Stands::Pending);
        let ended = match answer.filter(|_| waits) {
            Some(answer) => self.answers(heard, question, answer, &mut row),
            None => Ok(()),
        };
        self.close_with(heard, &row, ended, Vec::new())
    }

    /// Waits until a turn has ended and shows meanwhile that it runs.
    pub(super) async fn watched(
        self: &Arc<Self>,
        who: &Who,
        chat: i64,
        started: Started,
    ) -> Result<(), Failure> {
        let _running = self.mark(who, chat, started.turn());
        let bell = started.live.watch();
        let ended = started.ended();
        tokio::pin!(ended);
        let mut shown = Shown::new(self, who, chat);
        let mut wait = TYPING_FIRST;
        loop {
            tokio::select! {
                ended = &mut ended => {
                    shown.over().await;
                    return ended;
                }
                () = tokio::time::sleep(wait) => {
                    let long = wait == TYPING;
                    wait = TYPING;
                    let wire = self.wire();
                    // Of no consequence when it fails.
                    tokio::task::spawn_blocking(move || wire.map(|wire| wire.typing(chat)));
                    let now = bell.borrow().now.clone().filter(|_| long);
                    if let Some(now) = now {
                        shown.tell(&now).await;
                    }
                }
            }
        }
    }

    /// Lets a turn be stopped from its chat for as long as what is given is held.
    fn mark(self: &Arc<Self>, who: &Who, chat: i64, turn: &str) -> Mark {
        let mark = (who.person.id.clone(), chat, turn.to_owned());
        self.running.lock().unwrap_or_else(PoisonError::into_inner).push(mark.clone());
        Mark { door: Arc::clone(self), mark }
    }
}

/// A turn that can be stopped from its chat.
struct Mark {
    door: Arc<Telegram>,
    mark: (String, i64, String),
}

impl Drop for Mark {
    fn drop(&mut self) {
        let mut running = self.door.running.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(at) = running.iter().position(|known| *known == self.mark) {
            running.remove(at);
        }
    }
}

/// A failure as a person reads it.
pub(super) fn told(failure: &Failure) -> String {
    match &failure.hint {
        Some(hint) => format!("{}\n→ {hint}", failure.message),
        None => failure.message.clone(),
    }
}
