//! Buttons: the answer to a question, taken from whom it was asked and from nobody else.

use super::hear::{Heard, told};
use super::render::{self, DETAILS};
use super::update::Press;
use super::{Telegram, unread};
use crate::answer::Stands;
use crate::who::Who;
use crate::words::Speech;
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::db::{TelegramOut, TelegramUpdate};
use metnos_runtime::guards::{Answer, Approval, Standing};
use std::sync::Arc;

impl Telegram {
    /// Somebody pressed a button. `again`: it may have been begun before.
    pub(super) fn press(
        self: &Arc<Self>,
        row: &TelegramUpdate,
        press: &Press,
        again: bool,
    ) -> Result<(), Failure> {
        let stranger = self.house.words.speak(press.from.language_code.as_deref());
        let over = |key: &str, speech: &Speech| {
            self.toast(press, &speech.t(key));
            self.done(row, Vec::new())
        };
        let Some(who) = self.who(&press.from)? else { return over("tg-not-yours", &stranger) };
        let speech = self.speech(&who, &press.from);
        if let Some((turn, offer, number)) = press.data.as_deref().and_then(render::chosen) {
            return self.choose(Heard { row, who, speech }, press, (turn, offer, number), again);
        }
        let Some((id, letter)) = press.data.as_deref().and_then(render::pressed) else {
            return over("tg-over", &speech);
        };
        let Some(approval) = self.house.runtime().approval(id)? else { return over("tg-over", &speech) };
        if self.house.question(&who, id).is_err() {
            return over("tg-not-yours", &speech);
        }
        if letter == DETAILS {
            self.toast(press, "");
            return self.done(row, render::long(row.chat, &self.details(&approval), &speech));
        }
        if approval.host_only && !who.is_host() {
            return over("tg-host-only", &speech);
        }
        if self.house.card(&approval).standing != Stands::Pending {
            if !again {
                self.toast(press, &speech.t("tg-over"));
            }
            let out = self.decided(press, &approval, None, &speech)?;
            return self.done(row, out);
        }
        let answer = match letter {
            'o' => Answer::Once,
            's' => Answer::Session,
            'a' => Answer::Always,
            _ => Answer::No,
        };
        self.toast(press, &speech.t(if answer == Answer::No { "tg-said-no" } else { "tg-said-yes" }));
        self.decide(row, press, &who, (&approval, answer), &speech)
    }

    /// Somebody chose from an offer: that turn goes on with it, once. `again`: it may have been begun before.
    fn choose(
        self: &Arc<Self>,
        heard: Heard<'_>,
        press: &Press,
        (turn, offer, number): (&str, u32, u32),
        again: bool,
    ) -> Result<(), Failure> {
        let over = |key: &str, heard: &Heard<'_>, out: Vec<TelegramOut>| {
            self.toast(press, &heard.speech.t(key));
            self.done(heard.row, out)
        };
        if self.house.own_turn(&heard.who, turn).is_err() {
            return over("tg-not-yours", &heard, Vec::new());
        }
        let open = self.house.gateway.open_offer(turn)?.filter(|open| open.number == offer);
        let says = usize::try_from(number).ok().and_then(|n| n.checked_sub(1));
        let says = open.as_ref().and_then(|open| open.choices.get(says?).cloned());
        let mut row = heard.row.clone();
        let Some(says) = says else {
            // One that a cut caught was written down before it began: where it stands is told.
            if again && row.turn == turn {
                return self.tell(&row, &heard.speech, Vec::new(), true);
            }
            // The buttons of one that was withdrawn go; the others are gone.
            let withdrawn = self.house.gateway.turn(turn)?.and_then(|known| known.status);
            let message = press.message.as_ref().filter(|_| withdrawn.as_deref() == Some("cancelled"));
            let gone = message
                .map(|known| render::edit(known.chat.id, known.message_id, &heard.speech.t("tg-over")));
            return over("tg-over", &heard, gone.into_iter().collect());
        };
        self.toast(press, &says);
        row.turn = turn.to_owned();
        self.db().telegram_turn(row.update_id, turn).map_err(unread)?;
        let ended = self.handle.block_on(async {
            let started = self.house.choose(&heard.who, turn, offer, number.to_string()).await?;
            self.watched(&heard.who, row.chat, started).await
        });
        let told = press.message.as_ref().map(|message| {
            let text = heard.speech.say("tg-chosen", &[("says", &format!("{number}. {says}"))]);
            render::edit(message.chat.id, message.message_id, &text)
        });
        self.close_with(&heard, &row, ended, told.into_iter().collect())
    }

    fn decide(
        self: &Arc<Self>,
        row: &TelegramUpdate,
        press: &Press,
        who: &Who,
        (approval, answer): (&Approval, Answer),
        speech: &Speech,
    ) -> Result<(), Failure> {
        let ended = self.handle.block_on(async {
            let started = self.house.decide(who, &approval.id, answer).await?;
            let turn = started.turn().to_owned();
            self.watched(who, row.chat, started).await.map(|()| turn)
        });
        if let Err(failure) = &ended
            && failure.class == ErrorClass::Interrupted
            && self.is_closing()
        {
            return Err(failure.clone());
        }
        let now = self.house.runtime().approval(&approval.id)?.unwrap_or_else(|| approval.clone());
        let mut out = self.decided(press, &now, Some((who, answer)), speech)?;
        if let Err(failure) = &ended {
            out.push(render::message(row.chat, &told(failure)));
        }
        self.done(row, out)?;
        // Whoever asked is told, where they asked.
        ended.map_or(Ok(()), |turn| self.settle_waiting(Some(&turn), false))
    }

    /// The card as it is read from now on: what was decided, and by whom.
    fn decided(
        &self,
        press: &Press,
        approval: &Approval,
        own: Option<(&Who, Answer)>,
        speech: &Speech,
    ) -> Result<Vec<TelegramOut>, Failure> {
        let Some(message) = &press.message else { return Ok(Vec::new()) };
        let by = approval.by.as_deref().unwrap_or_default();
        let name = self.person(by)?.map_or_else(|| by.to_owned(), |person| person.name);
        let ours = own.filter(|(who, _)| who.caller() == by).map(|(_, answer)| answer);
        let key = match (approval.standing, ours) {
            (Standing::Pending, _) if approval.is_live(jiff::Timestamp::now()) => return Ok(Vec::new()),
            (Standing::Pending, _) => "tg-expired",
            // Nobody said no.
            (Standing::Rejected, _) if approval.void.is_some() => "tg-over",
            (Standing::Rejected, _) => "tg-decided-no",
            (_, Some(Answer::Session)) => "tg-decided-session",
            (_, Some(Answer::Always)) => "tg-decided-always",
            _ => "tg-decided-yes",
        };
        let text = format!(
            "{}\n\n{}",
            self.house.runtime().question_card(approval).text,
            speech.say(key, &[("name", &name)])
        );
        Ok(vec![render::edit(message.chat.id, message.message_id, &text)])
    }

    /// What is shown of a card to whoever wants to know more.
    pub(super) fn details(&self, approval: &Approval) -> String {
        let details = self.house.runtime().question_card(approval).details;
        details.iter().map(|detail| format!("• {detail}")).collect::<Vec<_>>().join("\n")
    }

    /// A word to whoever pressed. It is of use for a few seconds only, so it is not tried again.
    fn toast(&self, press: &Press, text: &str) {
        if let Some(wire) = self.wire()
            && let Err(trouble) = wire.toast(&press.id, text)
        {
            self.note(metnos_runtime::house::logbook::Level::Info, &format!("a press: {trouble}"));
        }
    }
}
