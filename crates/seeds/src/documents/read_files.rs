//! `read_files`: the text of files, by their content.

use super::source::{self, Named, note};
use super::text;
use crate::call::Call;
use metnos_executor::{Failure, Origin};
use serde::{Deserialize, Serialize};

/// Without a limit of the caller, one text still has to fit in memory with its JSON form.
const ONE_MAX: u64 = 64 << 20;
/// And all of them in the answer.
const ALL_MAX: u64 = 256 << 20;

#[derive(Deserialize)]
struct Args {
    #[serde(default = "mebibyte")]
    max_bytes: u64,
}

fn mebibyte() -> u64 {
    1 << 20
}

#[derive(Serialize)]
struct Entry<'a> {
    #[serde(flatten)]
    named: Named,
    content: &'a str,
    format: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pages: Option<u64>,
    #[serde(skip_serializing_if = "is_zero")]
    unread_pages: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    charset: Option<&'static str>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

fn is_zero(n: &u64) -> bool {
    *n == 0
}

/// Reads each file and answers its text.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let inputs = source::inputs(call)?;
    let asked = if args.max_bytes == 0 { u64::MAX } else { args.max_bytes };
    let (mut used, mut total, mut cut, mut ours) = (0u64, 0u64, false, false);
    for (done, input) in inputs.iter().enumerate() {
        call.progress(done as u64, Some(inputs.len() as u64), "files")?;
        let room = ONE_MAX.min(ALL_MAX.saturating_sub(used));
        let cap = asked.min(room);
        let text = match text::read(&input.path, usize::try_from(cap).unwrap_or(usize::MAX)) {
            Ok(text) => text,
            Err(failure) => {
                note(call, input, failure)?;
                continue;
            }
        };
        used = used.saturating_add(text.content.len() as u64);
        // Only of plain files the size on disk says how much text there was.
        total =
            total.saturating_add(if text.format.is_plain() { text.size } else { text.content.len() as u64 });
        cut |= text.cut;
        ours |= text.cut && room < asked;
        let entry = Entry {
            named: Named::of(&input.path),
            content: &text.content,
            format: text.format.as_str(),
            pages: text.pages,
            unread_pages: text.unread_pages,
            charset: text.charset.filter(|c| *c != "UTF-8"),
            truncated: text.cut,
        };
        call.emit(&entry, Origin::Content.join(input.origin))?;
        call.outcome.ok_count += 1;
    }
    if cut {
        let available = (total > used).then_some(total);
        match ours {
            true => call.truncated("bytes", used, available, "output_kb", ALL_MAX >> 10),
            false => call.truncated("bytes", used, available, "max_bytes", args.max_bytes),
        }
    }
    Ok(())
}
