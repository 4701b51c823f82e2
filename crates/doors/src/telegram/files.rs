//! Files sent to the bot: into the inbox of whoever sent them, and what is said with them is a request about them.

use super::hear::{Heard, told};
use super::update::Sent;
use super::wire::Trouble;
use super::{CHANNEL, Telegram, pause};
use metnos_executor::Failure;
use metnos_runtime::house::logbook::Level;
use std::sync::Arc;

/// The largest file a bot is given.
const MOST: u64 = 20 << 20;
/// How often it is tried to get one.
const TRIES: u32 = 4;

impl Telegram {
    pub(super) fn receive(
        self: &Arc<Self>,
        heard: &Heard<'_>,
        sent: &Sent,
        name: &str,
        said: &str,
    ) -> Result<(), Failure> {
        let (row, speech) = (heard.row, &heard.speech);
        if sent.file_size.is_some_and(|size| size > MOST) {
            return self.done(row, heard.reply(&speech.t("tg-too-large")));
        }
        let bytes = match self.fetch(sent) {
            Ok(bytes) => bytes,
            Err(trouble) => {
                self.note(Level::Warn, &format!("a file: {trouble}"));
                return self.done(row, heard.reply(&speech.t("tg-file-lost")));
            }
        };
        let runtime = self.house.runtime();
        let path = match runtime.keep_sent(&heard.who.caller(), CHANNEL, name, &bytes) {
            Ok(path) => path,
            Err(failure) => return self.done(row, heard.reply(&told(&failure))),
        };
        let caller = heard.who.caller();
        let (place, handle) = (runtime.place_of(&caller, &path), runtime.handle(&caller, &path)?);
        let kept = heard.reply(&speech.say("tg-kept", &[("path", &place)]));
        let conversation = heard.conversation()?;
        for text in [format!("{said} {handle}"), said.to_owned()] {
            if !said.is_empty() && self.house.is_whole(&heard.who, &conversation, &text).unwrap_or(false) {
                return self.request(heard, text, kept);
            }
        }
        self.done(row, kept)
    }

    fn fetch(&self, sent: &Sent) -> Result<Vec<u8>, Trouble> {
        let mut tries = 0;
        loop {
            let Some(wire) = self.wire() else { return Err(Trouble::Unreachable("not yet".into())) };
            let trouble = match wire.download(&sent.file_id, MOST) {
                Err(trouble @ Trouble::Refused { .. }) => return Err(trouble),
                Err(trouble) if tries >= TRIES || self.is_closing() => return Err(trouble),
                Err(trouble) => trouble,
                Ok(bytes) => return Ok(bytes),
            };
            self.rest(if let Trouble::Busy(time) = trouble { time } else { pause(tries) });
            tries += 1;
        }
    }
}
