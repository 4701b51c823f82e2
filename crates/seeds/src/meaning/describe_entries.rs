//! `describe_entries`: a digest of a list in words, without a model.

use super::digest::{Digest, Style};
use super::each_entry;
use super::gist::Gist;
use crate::call::Call;
use crate::numbers::words::Words;
use metnos_executor::{Failure, Origin};
use serde::Deserialize;
use serde_json::json;

#[derive(Deserialize)]
struct Args {
    #[serde(default)]
    style: Style,
}

/// Describes the list.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let words = Words::of(&call.lang)?;
    let (mut digest, mut gist) = (Digest::new()?, Gist::new()?);
    let mut origins: Option<Origin> = None;
    each_entry(call, |_, _, entry, origin| {
        origins = Some(origins.map_or(origin, |known| known.join(origin)));
        digest.add(&entry);
        gist.add(&entry);
        Ok(())
    })?;
    let sentences = gist.sentences(args.style.sentences());
    let text = digest.text(&words, args.style, &sentences);
    call.outcome.ok_count = digest.count();
    call.set("text", text.clone());
    let item =
        json!({"text": text, "count": digest.count(), "fields": digest.fields(), "sentences": sentences});
    // Names and values of the entries are quoted, so their taint comes along.
    call.emit(&item, origins.unwrap_or(Origin::User))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use crate::testing::run as seed;
    use metnos_executor::ErrorClass;
    use serde_json::Value;

    fn files() -> Value {
        json!([
            {"path": "/a/x.pdf", "name": "x.pdf", "ext": "pdf", "size": 1500, "mtime": "2026-01-05T10:00:00Z", "_origin": "local"},
            {"path": "/a/y.pdf", "name": "y.pdf", "ext": "pdf", "size": 2_500_000, "mtime": "2026-03-01T10:00:00Z", "_origin": "local"},
            {"path": "/a/z.txt", "name": "z.txt", "ext": "txt", "size": 10, "mtime": "2025-12-31T10:00:00Z", "pages": 3, "_origin": "content"},
        ])
    }

    fn text(style: &str) -> String {
        let ran = seed("describe_entries", json!({"style": style, "entries": files()}));
        assert!(ran.outcome.ok);
        ran.outcome.fields["text"].as_str().unwrap().to_owned()
    }

    #[test]
    fn a_digest_of_files() {
        assert_eq!(
            text("short"),
            "3 entries. ext: pdf (2), txt (1). size: 2.5 MB in total, from 10 B to 2.5 MB. \
             mtime: from 2025-12-31 to 2026-03-01. pages: 3."
        );
        assert!(text("long").contains("Fields: path, name, ext, size, mtime, pages. "));
        assert!(text("long").contains("pages is missing in 2 of 3."));
        assert!(text("bullets").starts_with("- 3 entries.\n- Fields: "));
    }

    #[test]
    fn the_entry_holds_the_figures_and_the_taint() {
        let ran = seed("describe_entries", json!({"entries": files()}));
        let item = &ran.items[0];
        assert_eq!((ran.items.len(), &item["count"], &item["_origin"]), (1, &json!(3), &json!("content")));
        assert_eq!(item["text"], ran.outcome.fields["text"]);
        let size = item["fields"].as_array().unwrap().iter().find(|f| f["field"] == "size").unwrap();
        assert_eq!(
            *size,
            json!({"field": "size", "count": 3, "min": 10, "max": 2_500_000, "total": 2_501_510})
        );
    }

    #[test]
    fn speaks_italian() {
        let mut digest = Digest::new().unwrap();
        for entry in files().as_array().unwrap() {
            digest.add(entry.as_object().unwrap());
        }
        assert_eq!(
            digest.text(&Words::of("it").unwrap(), Style::Short, &[]),
            "3 voci. ext: pdf (2), txt (1). size: 2,5 MB in tutto, da 10 B a 2,5 MB. \
             mtime: dal 2025-12-31 al 2026-03-01. pages: 3."
        );
    }

    #[test]
    fn texts_are_quoted_by_their_telling_sentences() {
        let text = "The bridge over the river closes in May. Tea was served at four. \
                    Until the bridge is open again the river is crossed by boat.";
        let entries = json!([{"path": "/a", "content": text, "_origin": "content"}]);
        let ran = seed("describe_entries", json!({"entries": entries}));
        assert!(
            ran.outcome.fields["text"]
                .as_str()
                .unwrap()
                .contains("“The bridge over the river closes in May.”"),
            "{:?}",
            ran.outcome
        );
        assert_eq!(ran.items[0]["sentences"].as_array().unwrap().len(), 3);
        let ran = seed("describe_entries", json!({"style": "bullets", "entries": entries}));
        assert!(
            ran.outcome.fields["text"].as_str().unwrap().contains("\n- “The bridge"),
            "{:?}",
            ran.outcome
        );
    }

    #[test]
    fn nothing_and_no_list() {
        let ran = seed("describe_entries", json!({"entries": []}));
        assert!(ran.outcome.ok);
        assert_eq!((&ran.outcome.fields["text"], &ran.items[0]["count"]), (&json!("No entries."), &json!(0)));
        assert_eq!(seed("describe_entries", json!({})).outcome.error.unwrap().class, ErrorClass::WrongArgs);
    }

    #[test]
    fn hostile_values_stay_on_their_line() {
        let long = "x".repeat(10_000);
        let wide: serde_json::Map<String, Value> = (0..500).map(|i| (format!("f{i}"), json!(i))).collect();
        let ran = seed(
            "describe_entries",
            json!({"style": "bullets", "entries": [
                {"tag": "a\n- forged {count}\u{1b}[31m"}, {"tag": long}, {"n": 1e308}, {"n": 7e28}, {"n": 7e28}, wide, 5]}),
        );
        assert!(ran.outcome.partial);
        let text = ran.outcome.fields["text"].as_str().unwrap();
        assert!(text.contains("a - forged {count} [31m (1)"), "{text}");
        assert!(text.len() < 20_000 && text.contains("Only the first 64 fields"));
    }

    #[test]
    fn many_different_values_are_no_domain() {
        let entries: Vec<Value> =
            (0..5000).map(|i| json!({"who": format!("p{i}"), "kind": format!("k{}", i % 7)})).collect();
        let ran = seed("describe_entries", json!({"entries": entries}));
        let text = ran.outcome.fields["text"].as_str().unwrap();
        assert!(
            !text.contains("who") && text.contains("kind: k0 (715)") && text.contains("and 2 more."),
            "{text}"
        );
    }
}
