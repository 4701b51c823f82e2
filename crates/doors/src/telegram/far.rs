//! How far a long turn is, in one message of its chat that is changed as it goes on.

use super::Telegram;
use crate::hub::Now;
use crate::who::Who;
use crate::words::Speech;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;

/// How long one try to say it may take. It is of no consequence when it fails.
const TRY: Duration = Duration::from_secs(5);

/// What is shown of one turn.
pub(super) struct Shown {
    door: Arc<Telegram>,
    speech: Speech,
    chat: i64,
    message: Option<i64>,
    text: String,
}

impl Shown {
    pub(super) fn new(door: &Arc<Telegram>, who: &Who, chat: i64) -> Self {
        let speech = door.house.words.speak(who.person.language.as_deref());
        Self { door: Arc::clone(door), speech, chat, message: None, text: String::new() }
    }

    /// Says what the turn does now.
    pub(super) async fn tell(&mut self, now: &Now) {
        let text = match now {
            Now::Says(text) => text.clone(),
            Now::Progress(far) => {
                let (n, m) = (far.done.to_string(), far.total.map(|total| total.to_string()));
                match m {
                    Some(m) if far.unit.ends_with("looked at") => {
                        self.speech.say("progress-looks", &[("n", &n), ("m", &m)])
                    }
                    Some(m) => self.speech.say("progress-of", &[("n", &n), ("m", &m)]),
                    None => self.speech.say("progress", &[("n", &n)]),
                }
            }
        };
        self.put(text).await;
    }

    /// Says that it has ended, where something was said before.
    pub(super) async fn over(&mut self) {
        if self.message.is_some() {
            let text = self.speech.t("tg-progress-over");
            self.put(text).await;
        }
    }

    async fn put(&mut self, text: String) {
        if text == self.text {
            return;
        }
        self.text.clone_from(&text);
        let Some(wire) = self.door.wire() else { return };
        let (chat, message) = (self.chat, self.message);
        let sent = tokio::task::spawn_blocking(move || {
            let mut body: Value = json!({ "chat_id": chat, "text": text });
            match message {
                Some(id) => {
                    body["message_id"] = id.into();
                    wire.edit(&body).map(|()| Some(id))
                }
                None => wire.message(&body),
            }
        });
        if let Ok(Ok(Ok(Some(id)))) = tokio::time::timeout(TRY, sent).await {
            self.message = Some(id);
        }
    }
}
