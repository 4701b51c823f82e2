//! Which fields of a list people read, the same at every door: nothing twice, and nothing that only programs need.

use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A row of a list.
pub type Row = Map<String, Value>;

/// Rows that are looked at.
const LOOKED_AT: usize = 200;
/// Fields that hold the digest of a content.
const DIGESTS: [&str; 4] = ["hash", "digest", "sha256", "blake3"];
/// Digits from which on a number is one.
const DIGEST_MIN: usize = 32;
/// What says beside a digest what it was made for: the row of a change, or of a group of equal files.
const TELLS: [&str; 2] = ["ok", "group"];

/// Whether a field is for people.
pub fn is_shown(name: &str) -> bool {
    !name.starts_with('_') && !name.ends_with("_b64")
}

/// Whether a column holds paths: of one that is too long the end says which one it is.
pub fn is_place(column: &str) -> bool {
    ["path", "src", "dst"].contains(&column)
}

/// The columns of these rows, in the order in which they first appear.
pub fn columns(rows: &[Row]) -> Vec<String> {
    let rows = &rows[..rows.len().min(LOOKED_AT)];
    let mut all: Vec<&str> = Vec::new();
    let mut known = BTreeSet::new();
    for key in rows.iter().flat_map(Map::keys).filter(|key| is_shown(key)) {
        if known.insert(key) {
            all.push(key);
        }
    }
    let told: Vec<&str> = all.iter().copied().filter(|column| !is_told_elsewhere(rows, column)).collect();
    // Where nothing else is left, it is the answer.
    let kept = if told.is_empty() { all } else { told };
    kept.into_iter().map(str::to_owned).collect()
}

/// Whether every row says this in another column as well, or would only say that nothing is odd.
fn is_told_elsewhere(rows: &[Row], column: &str) -> bool {
    let text = |row: &Row, key: &str| row.get(key).and_then(Value::as_str).map(str::to_owned);
    let all = |holds: &dyn Fn(&Row) -> bool| rows.iter().all(holds);
    let empty = |value: Option<&Value>| match value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        _ => false,
    };
    if all(&|row| empty(row.get(column))) {
        return true;
    }
    match column {
        // What went well everywhere is told by the sentence below the table.
        "ok" | "done" => all(&|row| row.get(column) == Some(&Value::Bool(true))),
        // Where something went is its new path.
        "path" => all(&|row| row.get("dst").is_some_and(|dst| row.get("path") == Some(dst))),
        "where" => all(&|row| row.get("to").is_some_and(|to| row.get("where") == Some(to))),
        "name" => all(&|row| match (text(row, "path"), text(row, "name")) {
            (Some(path), Some(name)) => {
                name == "." || path == name || path.ends_with(&format!("/{name}")) || path.is_empty()
            }
            _ => false,
        }),
        "ext" => all(&|row| match text(row, "path") {
            Some(path) => {
                let ext = text(row, "ext").unwrap_or_default();
                ext.is_empty() || path.to_lowercase().ends_with(&format!(".{}", ext.to_lowercase()))
            }
            None => false,
        }),
        // The kind of a file is read from its extension; what is no file has none.
        "kind" => all(&|row| row.contains_key("path") && row.contains_key("ext")),
        column if DIGESTS.contains(&column) => all(&|row| {
            let is_digest =
                |text: String| text.len() >= DIGEST_MIN && text.bytes().all(|byte| byte.is_ascii_hexdigit());
            TELLS.iter().any(|key| row.contains_key(*key)) && text(row, column).is_some_and(is_digest)
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    fn of(rows: &[Value]) -> Vec<String> {
        columns(&rows.iter().map(|row| row.as_object().unwrap().clone()).collect::<Vec<_>>())
    }

    #[test]
    fn a_file_is_told_once() {
        let row = json!({ "path": "/h/a.TXT", "name": "a.TXT", "ext": "txt", "kind": "text", "size": 3, "_origin": "local" });
        assert_eq!(of(std::slice::from_ref(&row)), ["path", "size"]);
        let other = json!({ "path": "/h/b", "name": "another name", "ext": "", "kind": "text", "size": 3 });
        assert_eq!(of(&[row, other]), ["path", "name", "size"], "what one row says otherwise stays");
    }

    #[test]
    fn where_something_went_is_told_once_and_that_it_went_well_not_at_all() {
        let digest = "a".repeat(64);
        let moved = json!({ "src": "/a", "dst": "/b", "path": "/b", "ok": true, "hash": digest });
        assert_eq!(of(std::slice::from_ref(&moved)), ["src", "dst"]);
        let failed = json!({ "src": "/c", "dst": "/d", "path": "/c", "ok": false });
        assert_eq!(of(&[moved, failed]), ["src", "dst", "path", "ok", "hash"]);
    }

    #[test]
    fn a_digest_that_is_the_answer_stays() {
        let digest = "0123456789abcdef".repeat(4);
        assert_eq!(of(&[json!({ "path": "/a", "hash": digest })]), ["path", "hash"]);
        assert_eq!(of(&[json!({ "path": "/a", "hash": digest, "group": 1 })]), ["path", "group"]);
        assert_eq!(of(&[json!({ "ok": true })]), ["ok"], "nothing else is left");
        assert_eq!(of(&[json!({ "note": null, "n": 1 })]), ["n"]);
        assert_eq!(of(&[]), Vec::<String>::new());
    }
}
