//! Text on its way to a model: only what is needed, bounded, and framed as data.

use serde_json::{Map, Value};

/// Fields that hold text for people, the telling ones first.
const FIELDS: [&str; 8] = ["subject", "title", "name", "body", "content", "text", "snippet", "description"];
/// Bytes of one entry that are sent.
const BYTES: usize = 12 << 10;

const FRAME: &str = "prompts/frame.txt";

/// The text of an entry and nothing else of it.
pub(crate) fn text_of(entry: &Map<String, Value>) -> String {
    let mut text = String::new();
    for part in FIELDS.iter().filter_map(|field| entry.get(*field)?.as_str()) {
        if text.len() >= BYTES {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(part.get(..part.floor_char_boundary(BYTES - text.len())).unwrap_or_default());
    }
    text
}

/// The text between two marks that depend on it, so that it cannot hold them and close its own frame.
pub(crate) fn framed(text: &str, lang: &str) -> String {
    let mark = blake3::hash(text.as_bytes()).to_hex();
    let mark = mark.get(..16).unwrap_or_default();
    let said = metnos_tongue::text(lang, FRAME).trim_end();
    format!("{}\n[data {mark}]\n{text}\n[end {mark}]\n", said.replace("{mark}", mark))
}
