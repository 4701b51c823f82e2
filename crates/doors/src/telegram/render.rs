//! Answers as messages: plain text, so that nothing needs escaping, cut where Telegram cuts.

use crate::answer::{Card, OfferCard, TurnAnswer};
use crate::words::Speech;
use metnos_executor::shown;
use metnos_memory::db::TelegramOut;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// The longest message, in the units Telegram counts.
const UNITS: usize = 4096;
/// What takes more messages than this is sent as a file.
const PARTS: usize = 3;
/// The longest label of a button.
const LABEL: usize = 60;
/// How many rows of a list are written out.
const ROWS: usize = 40;
/// How much of a row.
const CELLS: usize = 4;
const CELL: usize = 60;
/// The button that shows what is behind a card.
pub(super) const DETAILS: char = 'd';

/// A message.
pub(super) fn message(chat: i64, text: &str) -> TelegramOut {
    out(chat, "message", &json!({ "chat_id": chat, "text": shown::text(text) }))
}

/// A message to somebody nobody knows.
pub(super) fn to_stranger(chat: i64, text: &str) -> TelegramOut {
    TelegramOut { reader: None, ..message(chat, text) }
}

/// The number of a person is the number of the chat with them; who reads in a group is whoever wrote there.
fn out(chat: i64, kind: &'static str, body: &Value) -> TelegramOut {
    TelegramOut { chat, kind, body: body.to_string(), reader: (chat > 0).then_some(chat) }
}

/// A message with the buttons of a question.
pub(super) fn asking(chat: i64, text: &str, card: &Card, speech: &Speech) -> TelegramOut {
    let button =
        |key: &str, letter: char| json!({ "text": speech.t(key), "callback_data": data(&card.id, letter) });
    let mut rows = vec![json!([button("tg-yes", 'o'), button("tg-no", 'n')])];
    if card.can_last {
        rows.push(json!([button("tg-session", 's'), button("tg-always", 'a')]));
    }
    rows.push(json!([button("tg-details", DETAILS)]));
    let text = cut(text, UNITS);
    let body =
        json!({ "chat_id": chat, "text": shown::text(&text), "reply_markup": { "inline_keyboard": rows } });
    out(chat, "message", &body)
}

/// A message with a button for each choice.
pub(super) fn offering(chat: i64, turn: &str, text: &str, offer: &OfferCard) -> TelegramOut {
    let button = |number: u32, says: &str| {
        let label = cut(&shown::part(&format!("{number}. {says}")), LABEL);
        json!([{ "text": label, "callback_data": choice(turn, offer.offer, number) }])
    };
    let rows: Vec<Value> = offer.choices.iter().map(|one| button(one.number, &one.says)).collect();
    let text = cut(text, UNITS);
    let body =
        json!({ "chat_id": chat, "text": shown::text(&text), "reply_markup": { "inline_keyboard": rows } });
    out(chat, "message", &body)
}

/// What the button of a choice says.
pub(super) fn choice(turn: &str, offer: u32, number: u32) -> String {
    format!("o:{turn}:{offer}:{number}")
}

/// The turn, the offer and the choice of a button.
pub(super) fn chosen(data: &str) -> Option<(&str, u32, u32)> {
    let mut parts = data.strip_prefix("o:")?.split(':');
    let turn = parts.next().filter(|turn| metnos_executor::Ulid::from_string(turn).is_ok())?;
    let (offer, number) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.next().is_none().then_some((turn, offer, number))
}

/// Replaces a message; its buttons go.
pub(super) fn edit(chat: i64, message: i64, text: &str) -> TelegramOut {
    let body = json!({ "chat_id": chat, "message_id": message, "text": shown::text(&cut(text, UNITS)) });
    out(chat, "edit", &body)
}

/// A text as a file.
pub(super) fn document(chat: i64, name: &str, text: &str, caption: &str) -> TelegramOut {
    let body = json!({ "name": name, "text": shown::text(text), "caption": shown::text(caption) });
    out(chat, "document", &body)
}

/// What a button says: 30 bytes of the 64 there may be.
pub(super) fn data(question: &str, letter: char) -> String {
    format!("a:{question}:{letter}")
}

/// The question and the letter of a button.
pub(super) fn pressed(data: &str) -> Option<(&str, char)> {
    let (question, letter) = data.strip_prefix("a:")?.split_once(':')?;
    let mut letters = letter.chars();
    let letter = letters.next().filter(|letter| "osan".contains(*letter) || *letter == DETAILS)?;
    (letters.next().is_none() && metnos_executor::Ulid::from_string(question).is_ok())
        .then_some((question, letter))
}

/// An answer: its rows, what is said, a picture beside it.
pub(super) fn answer(chat: i64, answer: &TurnAnswer, speech: &Speech) -> Vec<TelegramOut> {
    let mut text = lines(&answer.entries);
    if answer.count > ROWS as u64 && !text.is_empty() {
        let (shown, count) = (ROWS.to_string(), answer.count.to_string());
        let _ = writeln!(text, "{}", speech.say("rows-more", &[("shown", &shown), ("count", &count)]));
    }
    if !text.is_empty() && !answer.text.is_empty() {
        text.push('\n');
    }
    text.push_str(&answer.text);
    if let Some(next) = &answer.next {
        let _ = write!(text, "\n→ {next}");
    }
    if let Some(note) = &answer.note {
        let _ = write!(text, "\n({note})");
    }
    if let Some(offer) = &answer.offer {
        return vec![offering(chat, &answer.turn, &text, offer)];
    }
    let mut out = long(chat, &text, speech);
    if let Some(picture) = &answer.picture {
        out.push(document(chat, "chart.svg", picture, ""));
    }
    out
}

/// A text of any length, as few messages or as a file.
pub(super) fn long(chat: i64, text: &str, speech: &Speech) -> Vec<TelegramOut> {
    let text = text.trim();
    let text = if text.is_empty() { speech.t("tg-empty") } else { text.to_owned() };
    let parts = split(&text, UNITS);
    match parts.len() > PARTS {
        true => vec![document(chat, "answer.txt", &text, &speech.t("tg-as-file"))],
        false => parts.into_iter().map(|part| message(chat, part)).collect(),
    }
}

/// Rows as lines: `path — size — date`.
fn lines(rows: &[Map<String, Value>]) -> String {
    let mut out = String::new();
    let columns = metnos_gateway::columns(rows);
    for row in rows.iter().take(ROWS) {
        let cells: Vec<String> = columns
            .iter()
            .filter_map(|column| Some(cell(column, row.get(column)?)))
            .filter(|text| !text.is_empty())
            .take(CELLS)
            .collect();
        if !cells.is_empty() {
            let _ = writeln!(out, "{}", cells.join(" — "));
        }
    }
    out
}

fn cell(key: &str, value: &Value) -> String {
    let text = match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Number(number) if matches!(key, "size" | "bytes" | "total_size") => {
            number.as_u64().map_or_else(|| number.to_string(), bytes)
        }
        other => other.to_string(),
    };
    let clean = shown::part(&text);
    // The end of a path says which one it is.
    if metnos_gateway::is_place(key) {
        let long = clean.chars().count().saturating_sub(CELL);
        let kept: String = clean.chars().skip(long).collect();
        return if long > 0 { format!("…{kept}") } else { kept };
    }
    match clean.char_indices().nth(CELL) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None => clean,
    }
}

fn bytes(count: u64) -> String {
    let (mut size, mut unit) = (count as f64, 0);
    while size >= 999.5 && unit < 4 {
        size /= 1000.0;
        unit += 1;
    }
    let name = ["B", "kB", "MB", "GB", "TB"][unit];
    if unit == 0 || size >= 99.95 { format!("{size:.0} {name}") } else { format!("{size:.1} {name}") }
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// As much of a text as has room.
fn cut(text: &str, most: usize) -> String {
    if units(text) <= most {
        return text.to_owned();
    }
    format!("{}…", head(text, most - 1))
}

/// The longest beginning of at most `most` units.
fn head(text: &str, most: usize) -> &str {
    let mut room = most;
    for (at, c) in text.char_indices() {
        match room.checked_sub(c.len_utf16()) {
            Some(left) => room = left,
            None => return &text[..at],
        }
    }
    text
}

/// A text in parts of at most `most` units, ended at line ends where there are any.
fn split(text: &str, most: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while units(rest) > most {
        let whole = head(rest, most);
        let fits = rest[whole.len()..].starts_with('\n').then_some(whole.len());
        let end = fits.or_else(|| whole.rfind('\n').filter(|at| *at > 0)).unwrap_or(whole.len());
        let (part, after) = rest.split_at(end);
        if !part.trim().is_empty() {
            parts.push(part);
        }
        rest = after.strip_prefix('\n').unwrap_or(after);
    }
    if !rest.trim().is_empty() {
        parts.push(rest);
    }
    parts
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_at_line_ends_and_lose_nothing() {
        assert_eq!(split("ab\ncd\nef", 5), ["ab\ncd", "ef"]);
        assert_eq!(split("abcdefg", 3), ["abc", "def", "g"]);
        assert_eq!(split("😀😀😀", 4), ["😀😀", "😀"], "each takes two units");
        let text: String = (0..3000).map(|n| format!("line {n} 😀\n")).collect();
        let parts = split(&text, UNITS);
        assert!(parts.iter().all(|part| units(part) <= UNITS));
        assert_eq!(parts.join("\n"), text);
        let speech = crate::words::Words::shipped().unwrap().speak(None);
        assert_eq!(long(1, &text, &speech)[0].kind, "document");
        assert_eq!(long(1, "", &speech).len(), 1, "nothing to say is said");
    }

    #[test]
    fn a_button_is_bound_to_its_question() {
        let id = metnos_executor::Ulid::new().to_string();
        let text = data(&id, 'o');
        assert!(text.len() <= 64);
        assert_eq!(pressed(&text), Some((id.as_str(), 'o')));
        for bad in ["", "a:x:o", &data(&id, 'q'), &format!("{text}o"), &format!("b:{id}:o")] {
            assert_eq!(pressed(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_choice_is_bound_to_its_offer() {
        let id = metnos_executor::Ulid::new().to_string();
        let text = choice(&id, 12, 3);
        assert!(text.len() <= 64);
        assert_eq!(chosen(&text), Some((id.as_str(), 12, 3)));
        for bad in ["", "o:x:1:1", &data(&id, 'o'), &format!("{text}:1"), &format!("o:{id}:1")] {
            assert_eq!(chosen(bad), None, "{bad}");
        }
    }

    #[test]
    fn rows_are_lines_that_a_phone_shows() {
        let row = json!({ "name": "a.txt", "path": "/x/a.txt", "size": 12_345, "_kind": "file" });
        let Value::Object(row) = row else { unreachable!() };
        assert_eq!(lines(&[row]), "/x/a.txt — 12.3 kB\n");
        assert_eq!([bytes(7), bytes(999_600), bytes(2_500_000_000)], ["7 B", "1.0 MB", "2.5 GB"]);
    }
}
