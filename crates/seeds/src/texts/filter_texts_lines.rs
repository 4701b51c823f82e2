//! `filter_texts_lines`: the lines of files or texts that match a pattern.

use super::lines::{self, LINE_MAX};
use super::source::{self, Next, Source};
use crate::call::Call;
use crate::documents::source::Named;
use metnos_executor::{ErrorClass, Failure};
use regex::{Regex, RegexBuilder};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// How much of a line is shown.
const SHOWN_MAX: usize = 4096;
/// How much of it stands before the match when it has to be cut.
const LEAD: usize = 200;
/// What a compiled pattern may cost.
const PATTERN_MAX: usize = 8 << 20;

#[derive(Deserialize)]
struct Args {
    pattern: String,
    #[serde(default)]
    regex: bool,
    #[serde(default)]
    context: usize,
    #[serde(default)]
    max_results: u64,
}

#[derive(Serialize)]
struct Match {
    #[serde(flatten)]
    named: Option<Named>,
    line: u64,
    text: String,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    cut: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Vec<String>>,
}

#[derive(Default)]
struct Counts {
    binary: u64,
    long: u64,
    unfolded: bool,
    full: bool,
}

/// Answers every line that matches.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let pattern = compile(&args)?;
    let mut counts = Counts::default();
    source::each(call, |call, next| {
        match next {
            Next::Text(mut text) => {
                search(call, &args, &pattern, &mut text, &mut counts)?;
                Ok(!counts.full)
            }
            // A folder of files has pictures in it; they have no lines and are no failure.
            Next::Unreadable(_, failure) if failure.class == ErrorClass::UnsupportedFormat => {
                counts.binary = counts.binary.saturating_add(1);
                Ok(true)
            }
            Next::Unreadable(input, failure) => source::failed(call, &input, failure),
        }
    })?;
    call.set("skipped_binary", counts.binary);
    if counts.full {
        call.truncated("lines", call.items(), None, "max_results", args.max_results);
    } else if counts.long > 0 || counts.unfolded {
        call.truncated("bytes of long lines", call.items(), None, "line_bytes", LINE_MAX as u64);
    }
    Ok(())
}

/// Case never matters. Without `regex`, `*` and `?` are globs and all else is literal.
fn compile(args: &Args) -> Result<Regex, Failure> {
    let source = if args.regex { args.pattern.clone() } else { glob(&args.pattern) };
    RegexBuilder::new(&source)
        .case_insensitive(true)
        .size_limit(PATTERN_MAX)
        .dfa_size_limit(PATTERN_MAX)
        .build()
        .map_err(|e| Failure::wrong_args(format!("pattern: {e}")))
}

fn glob(pattern: &str) -> String {
    let mut out = String::new();
    for c in pattern.chars() {
        match c {
            '*' => out.push_str(".*?"),
            '?' => out.push('.'),
            c => out.push_str(&regex::escape(c.encode_utf8(&mut [0; 4]))),
        }
    }
    out
}

fn search(
    call: &mut Call<'_>,
    args: &Args,
    pattern: &Regex,
    text: &mut Source,
    counts: &mut Counts,
) -> Result<(), Failure> {
    counts.unfolded |= text.cut;
    let mut number = 0u64;
    let mut before: VecDeque<String> = VecDeque::new();
    // Matches that still wait for the lines after them, in order.
    let mut waiting: VecDeque<Match> = VecDeque::new();
    while let Some(line) = lines::next(text.reader.as_mut(), &text.what)? {
        number = number.saturating_add(1);
        counts.long = counts.long.saturating_add(u64::from(line.long));
        if number.is_multiple_of(4096) {
            call.progress(number, None, "lines")?;
        }
        if args.context > 0 {
            for earlier in &mut waiting {
                if let Some(after) = &mut earlier.after {
                    after.push(window(&line.text, 0).0);
                }
            }
            while waiting
                .front()
                .is_some_and(|m| m.after.as_ref().is_some_and(|after| after.len() >= args.context))
            {
                if let Some(done) = waiting.pop_front() {
                    answer(call, &done, text)?;
                }
            }
        }
        let found = if counts.full { None } else { pattern.find(&line.text) };
        if let Some(found) = found {
            let taken = call.items().saturating_add(waiting.len() as u64);
            if args.max_results > 0 && taken >= args.max_results {
                counts.full = true;
            } else {
                let (shown, cut) = window(&line.text, found.start());
                let context = (args.context > 0).then(|| before.iter().cloned().collect());
                let hit = Match {
                    named: text.named.clone(),
                    line: number,
                    text: shown,
                    cut: cut || line.long,
                    before: context,
                    after: (args.context > 0).then(Vec::new),
                };
                if args.context > 0 {
                    waiting.push_back(hit);
                } else {
                    answer(call, &hit, text)?;
                }
            }
        }
        if counts.full && waiting.is_empty() {
            break;
        }
        if args.context > 0 {
            if before.len() >= args.context {
                before.pop_front();
            }
            before.push_back(window(&line.text, 0).0);
        }
    }
    for left in waiting {
        answer(call, &left, text)?;
    }
    Ok(())
}

fn answer(call: &mut Call<'_>, hit: &Match, text: &Source) -> Result<(), Failure> {
    call.emit(hit, text.origin)?;
    call.outcome.ok_count += 1;
    Ok(())
}

/// The part of a long line around `at`, and whether it is only a part.
fn window(line: &str, at: usize) -> (String, bool) {
    if line.len() <= SHOWN_MAX {
        return (line.to_string(), false);
    }
    let boundary = |mut i: usize| {
        i = i.min(line.len());
        while !line.is_char_boundary(i) {
            i = i.saturating_sub(1);
        }
        i
    };
    let from = boundary(at.saturating_sub(LEAD).min(line.len().saturating_sub(SHOWN_MAX)));
    let to = boundary(from.saturating_add(SHOWN_MAX));
    (line.get(from..to).unwrap_or_default().to_string(), true)
}
