//! The texts a call is about: files, or texts already in the entries.

use crate::call::{Call, next_line, parse};
use crate::documents::source::{Input, Named, note};
use crate::documents::text;
use metnos_executor::{BytePath, ErrorClass, Failure, Origin, path};
use serde_json::Value;
use std::io::{BufRead, Cursor};

/// The fields of an entry that hold its text, in the order they are looked for.
const FIELDS: &[&str] = &["content", "text", "body"];

/// One text, ready to be read.
pub(crate) struct Source {
    /// The file it came from, if any.
    pub(crate) named: Option<Named>,
    /// For messages.
    pub(crate) what: String,
    /// Its text as UTF-8.
    pub(crate) reader: Box<dyn BufRead>,
    /// Where it came from.
    pub(crate) origin: Origin,
    /// True when a document was unfolded only in part.
    pub(crate) cut: bool,
}

/// What may happen to one text of the call.
pub(crate) enum Next {
    /// It can be read.
    Text(Source),
    /// It cannot; the place and name it has.
    Unreadable(Input, Failure),
}

/// Gives every text of the call to `each`: `text`, then `paths`, then the entries, of which a
/// text in hand is preferred to the file it came from. Ends when `each` answers false.
pub(crate) fn each(
    call: &mut Call<'_>,
    mut each: impl FnMut(&mut Call<'_>, Next) -> Result<bool, Failure>,
) -> Result<(), Failure> {
    let mut index = 0u64;
    let mut named = false;
    if let Some(given) = call.args.get("text").and_then(Value::as_str) {
        let reader = Box::new(Cursor::new(given.as_bytes().to_vec()));
        let origin = Origin::Content;
        let source = Source { named: None, what: "the text".into(), reader, origin, cut: false };
        if !each(call, Next::Text(source))? {
            return Ok(());
        }
        (index, named) = (1, true);
    }
    let listed: Option<Vec<Value>> = call.args.get("paths").and_then(Value::as_array).cloned();
    named |= listed.is_some();
    let total = listed.as_ref().map(|l| l.len() as u64);
    for item in listed.into_iter().flatten() {
        let path: BytePath =
            serde_json::from_value(item).map_err(|e| Failure::wrong_args(format!("paths: {e}")))?;
        call.progress(index, total, "files")?;
        let next = open(Input { index, path: path.0, origin: Origin::User });
        if !each(call, next)? {
            return Ok(());
        }
        index = index.saturating_add(1);
    }
    let Some(mut entries) = call.take_entries() else {
        return if named { Ok(()) } else { Err(Failure::wrong_args("no text, paths or list to work on")) };
    };
    let mut buffer = Vec::new();
    while let Some(line) = next_line(&mut entries, &mut buffer)? {
        let entry = parse(line, index)?;
        if index.is_multiple_of(64) {
            call.progress(index, None, "entries")?;
        }
        match of_entry(entry, index) {
            Some(next) => {
                if !each(call, next)? {
                    return Ok(());
                }
            }
            None => call.outcome.fail(
                index,
                format!("entry {index}"),
                ErrorClass::WrongArgs,
                "the entry has no `content`, `text`, `body` or `path`",
            ),
        }
        index = index.saturating_add(1);
    }
    Ok(())
}

fn of_entry(mut entry: Value, index: u64) -> Option<Next> {
    let origin = Origin::of(&entry);
    let path = path::of_entry(&entry, "path");
    let fields = entry.as_object_mut()?;
    for field in FIELDS {
        if let Some(Value::String(text)) = fields.get_mut(*field).map(Value::take) {
            let reader = Box::new(Cursor::new(text.into_bytes()));
            let named = path.as_deref().map(Named::of);
            let what = named.as_ref().map_or_else(|| format!("entry {index}"), |n| n.path.clone());
            let origin = Origin::Content.join(origin);
            return Some(Next::Text(Source { named, what, reader, origin, cut: false }));
        }
    }
    path.map(|path| open(Input { index, path, origin }))
}

fn open(input: Input) -> Next {
    match text::stream(&input.path) {
        Ok((reader, cut)) => {
            let named = Named::of(&input.path);
            let origin = Origin::Content.join(input.origin);
            Next::Text(Source { what: named.path.clone(), named: Some(named), reader, origin, cut })
        }
        Err(failure) => Next::Unreadable(input, failure),
    }
}

/// Notes an unreadable text as a failed item, and goes on.
pub(crate) fn failed(call: &mut Call<'_>, input: &Input, failure: Failure) -> Result<bool, Failure> {
    note(call, input, failure).map(|()| true)
}
