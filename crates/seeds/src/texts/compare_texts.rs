//! `compare_texts`: what separates two texts, by lines when there are several, else by words.

use super::diff::{self, Hunk};
use crate::call::Call;
use metnos_executor::{Failure, Origin};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct Args {
    a: String,
    b: String,
}

#[derive(Serialize)]
struct Difference {
    op: &'static str,
    unit: &'static str,
    /// Where in the first text, counted from one; for an insertion, after which.
    at_a: u64,
    at_b: u64,
    before: String,
    after: String,
}

/// Answers each difference in order; none when the texts say the same.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let by_line = args.a.trim_end().contains('\n') || args.b.trim_end().contains('\n');
    let (unit, joint) = if by_line { ("line", "\n") } else { ("word", " ") };
    let split = |text: &'_ str| -> Vec<String> {
        match by_line {
            true => text.lines().map(String::from).collect(),
            false => text.split_whitespace().map(String::from).collect(),
        }
    };
    let (a, b) = (split(&args.a), split(&args.b));
    let (a, b): (Vec<&str>, Vec<&str>) =
        (a.iter().map(String::as_str).collect(), b.iter().map(String::as_str).collect());
    let hunks = diff::hunks(&a, &b);
    call.set("equal", args.a == args.b);
    for (i, hunk) in hunks.iter().enumerate() {
        if i % 256 == 0 {
            call.progress(i as u64, Some(hunks.len() as u64), "differences")?;
        }
        let item = Difference {
            op: hunk.op,
            unit,
            at_a: Hunk::place(&hunk.a),
            at_b: Hunk::place(&hunk.b),
            before: a.get(hunk.a.clone()).unwrap_or_default().join(joint),
            after: b.get(hunk.b.clone()).unwrap_or_default().join(joint),
        };
        call.emit(&item, Origin::Content)?;
        call.outcome.ok_count += 1;
    }
    Ok(())
}
