//! What happened, as Telegram tells it: only what is needed of it.

use serde::Deserialize;
use serde::de::IgnoredAny;

/// One thing that happened.
#[derive(Debug, Deserialize)]
pub(super) struct Update {
    pub(super) message: Option<Message>,
    pub(super) edited_message: Option<Message>,
    pub(super) callback_query: Option<Press>,
}

/// A message.
#[derive(Debug, Deserialize)]
pub(super) struct Message {
    pub(super) message_id: i64,
    #[serde(default)]
    pub(super) date: i64,
    pub(super) from: Option<Sender>,
    pub(super) chat: Chat,
    pub(super) text: Option<String>,
    pub(super) caption: Option<String>,
    pub(super) reply_to_message: Option<Box<Replied>>,
    pub(super) document: Option<Sent>,
    #[serde(default)]
    pub(super) photo: Vec<Sent>,
    pub(super) audio: Option<Sent>,
    pub(super) video: Option<Sent>,
    pub(super) voice: Option<Sent>,
    // Each of these says that somebody else wrote it; the later ones are how it used to be told.
    forward_origin: Option<IgnoredAny>,
    forward_date: Option<IgnoredAny>,
    via_bot: Option<IgnoredAny>,
    is_automatic_forward: Option<IgnoredAny>,
    forward_from: Option<IgnoredAny>,
    forward_from_chat: Option<IgnoredAny>,
    forward_sender_name: Option<IgnoredAny>,
}

/// The message that another one is a reply to.
#[derive(Debug, Deserialize)]
pub(super) struct Replied {
    pub(super) from: Option<Sender>,
}

/// Who wrote or pressed.
#[derive(Debug, Deserialize)]
pub(super) struct Sender {
    pub(super) id: i64,
    #[serde(default)]
    pub(super) is_bot: bool,
    #[serde(default)]
    pub(super) first_name: String,
    pub(super) language_code: Option<String>,
}

/// Where.
#[derive(Debug, Deserialize)]
pub(super) struct Chat {
    pub(super) id: i64,
    #[serde(rename = "type", default)]
    pub(super) kind: String,
}

impl Chat {
    pub(super) fn is_private(&self) -> bool {
        self.kind == "private"
    }
}

/// A file that was sent along.
#[derive(Debug, Deserialize)]
pub(super) struct Sent {
    pub(super) file_id: String,
    pub(super) file_size: Option<u64>,
    pub(super) file_name: Option<String>,
}

/// A button that was pressed.
#[derive(Debug, Deserialize)]
pub(super) struct Press {
    pub(super) id: String,
    pub(super) from: Sender,
    pub(super) message: Option<Message>,
    pub(super) data: Option<String>,
}

impl Update {
    /// Whether it is meant for this bot.
    pub(super) fn is_for(&self, bot: &(i64, String)) -> bool {
        let message = self.message.as_ref().or(self.edited_message.as_ref());
        self.callback_query.is_some() || message.is_some_and(|message| message.said(bot).is_some())
    }

    /// Chat and sender, as far as there are any.
    pub(super) fn place(&self) -> (i64, i64) {
        let message = self.message.as_ref().or(self.edited_message.as_ref());
        match (message, &self.callback_query) {
            (Some(message), _) => (message.chat.id, message.from.as_ref().map_or(0, |from| from.id)),
            (None, Some(press)) => {
                (press.message.as_ref().map_or(press.from.id, |message| message.chat.id), press.from.id)
            }
            (None, None) => (0, 0),
        }
    }
}

impl Message {
    /// Whether somebody else, or another bot, wrote what whoever sends it passes on: that is data, and no order.
    pub(super) fn is_passed_on(&self) -> bool {
        let marks = [
            &self.forward_origin,
            &self.forward_date,
            &self.via_bot,
            &self.is_automatic_forward,
            &self.forward_from,
            &self.forward_from_chat,
            &self.forward_sender_name,
        ];
        marks.into_iter().any(Option::is_some)
    }

    /// The file it brings, with a name for it.
    pub(super) fn file(&self) -> Option<(&Sent, String)> {
        let named = |sent: &Sent, kind: &str, end: &str| {
            let made = || format!("{kind}-{}-{}.{end}", self.date, self.message_id);
            sent.file_name.clone().filter(|name| !name.trim().is_empty()).unwrap_or_else(made)
        };
        let files = [
            (self.document.as_ref(), "document", "bin"),
            // The largest comes last.
            (self.photo.last(), "photo", "jpg"),
            (self.audio.as_ref(), "audio", "mp3"),
            (self.video.as_ref(), "video", "mp4"),
            (self.voice.as_ref(), "voice", "ogg"),
        ];
        files.into_iter().find_map(|(sent, kind, end)| sent.map(|sent| (sent, named(sent, kind, end))))
    }

    /// What the person says to this bot in it; in a group only what is meant for the bot.
    pub(super) fn said(&self, bot: &(i64, String)) -> Option<String> {
        let text = self.text.as_deref().filter(|text| !text.is_empty()).or(self.caption.as_deref());
        let text = text.unwrap_or_default();
        if self.chat.is_private() {
            return Some(text.trim().to_owned());
        }
        let mention = format!("@{}", bot.1).to_lowercase();
        let first = text.split_whitespace().next().unwrap_or_default();
        if first.starts_with('/') {
            // A command for another bot is none of ours.
            let ours = first.split_once('@').is_none_or(|(_, name)| name.eq_ignore_ascii_case(&bot.1));
            return ours.then(|| text.trim().to_owned());
        }
        let replied = self.reply_to_message.as_ref().and_then(|replied| replied.from.as_ref());
        let to_bot = replied.is_some_and(|from| from.id == bot.0);
        let named = |word: &&str| {
            let word = word.trim_end_matches([',', ':', '.', '!', '?']).to_lowercase();
            !bot.1.is_empty() && word == mention
        };
        let mentioned = text.split_whitespace().any(|word| named(&word));
        (to_bot || mentioned).then(|| {
            text.lines()
                .map(|line| line.split(' ').filter(|word| !named(word)).collect::<Vec<_>>().join(" "))
                .collect::<Vec<_>>()
                .join("\n")
                .trim()
                .to_owned()
        })
    }
}

/// A command and what follows it: `/lang it` is `("lang", "it")`.
pub(super) fn command(text: &str) -> Option<(String, &str)> {
    let rest = text.strip_prefix('/')?;
    let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    let word = word.split('@').next().unwrap_or_default();
    let plain = !word.is_empty() && word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    plain.then(|| (word.to_ascii_lowercase(), after.trim()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use serde_json::json;

    fn in_group(text: &str) -> Option<String> {
        let message: Message = serde_json::from_value(
            json!({ "message_id": 1, "chat": { "id": -5, "type": "group" }, "text": text }),
        )
        .unwrap();
        message.said(&(9, "my_bot".into()))
    }

    #[test]
    fn in_a_group_only_what_is_meant_for_the_bot_is_heard() {
        assert_eq!(in_group("what time is it"), None);
        assert_eq!(in_group("@my_bot, what time is it").as_deref(), Some("what time is it"));
        assert_eq!(in_group("what time is it @My_Bot?").as_deref(), Some("what time is it"));
        assert_eq!(in_group("/undo@other_bot"), None);
        assert_eq!(in_group("/undo@my_bot").as_deref(), Some("/undo@my_bot"));
        assert_eq!(in_group("mail me@my_bot.example"), None);
    }

    #[test]
    fn what_is_passed_on_is_known_by_any_of_its_marks() {
        let passed_on = |mark: Option<(&str, serde_json::Value)>| {
            let mut message =
                json!({ "message_id": 1, "chat": { "id": 5, "type": "private" }, "text": "yes" });
            if let Some((key, value)) = mark {
                message[key] = value;
            }
            serde_json::from_value::<Message>(message).unwrap().is_passed_on()
        };
        assert!(!passed_on(None));
        for (key, value) in [
            ("forward_origin", json!({ "type": "hidden_user", "sender_user_name": "M", "date": 1 })),
            ("forward_origin", json!("a shape nobody knows yet")),
            ("forward_date", json!(1)),
            ("via_bot", json!({ "id": 7, "is_bot": true })),
            ("is_automatic_forward", json!(true)),
            ("forward_from", json!({ "id": 7 })),
            ("forward_from_chat", json!({ "id": -7 })),
            ("forward_sender_name", json!("M")),
        ] {
            assert!(passed_on(Some((key, value))), "{key}");
        }
    }

    #[test]
    fn a_command_is_a_word_and_a_path_is_none() {
        assert_eq!(command("/lang  it "), Some(("lang".into(), "it")));
        assert_eq!(command("/Undo@my_bot"), Some(("undo".into(), "")));
        assert_eq!(command("/etc/passwd"), None);
        assert_eq!(command("undo"), None);
    }
}
