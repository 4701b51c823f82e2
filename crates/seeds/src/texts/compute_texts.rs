//! `compute_texts`: how many words, lines or characters.

use super::source::{self, Next, Source};
use crate::call::Call;
use crate::documents::source::Named;
use metnos_executor::Failure;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Default, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
enum Op {
    #[default]
    Words,
    Lines,
    Chars,
}

#[derive(Deserialize)]
struct Args {
    #[serde(default)]
    op: Op,
}

#[derive(Serialize)]
struct Counted {
    #[serde(flatten)]
    named: Option<Named>,
    op: Op,
    value: u64,
}

/// Answers the count of each text, and their sum as `value`.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let (mut sum, mut cut) = (0u64, false);
    source::each(call, |call, next| {
        let mut text = match next {
            Next::Text(text) => text,
            Next::Unreadable(input, failure) => return source::failed(call, &input, failure),
        };
        let value = count(call, args.op, &mut text)?;
        sum = sum.saturating_add(value);
        cut |= text.cut;
        call.emit(&Counted { named: text.named.take(), op: args.op, value }, text.origin)?;
        call.outcome.ok_count += 1;
        Ok(true)
    })?;
    call.set("value", sum);
    if cut {
        call.truncated("bytes", sum, None, "document_bytes", 64 << 20);
    }
    Ok(())
}

fn count(call: &mut Call<'_>, op: Op, text: &mut Source) -> Result<u64, Failure> {
    let (mut value, mut read) = (0u64, 0u64);
    // Whether the text so far ends inside a word, or inside a line.
    let mut inside = false;
    loop {
        let piece = text.reader.fill_buf().map_err(|e| Failure::io(&text.what, &e))?;
        if piece.is_empty() {
            break;
        }
        let n = piece.len();
        // Sources give whole characters, so a piece is text by itself.
        let piece = String::from_utf8_lossy(piece);
        for c in piece.chars() {
            let counts = match op {
                Op::Chars => true,
                Op::Lines => !std::mem::replace(&mut inside, c != '\n'),
                Op::Words => {
                    let word = !c.is_whitespace();
                    !std::mem::replace(&mut inside, word) && word
                }
            };
            value = value.saturating_add(u64::from(counts));
        }
        text.reader.consume(n);
        read = read.saturating_add(n as u64);
        call.progress(read, None, "bytes")?;
    }
    Ok(value)
}
