//! A value of a request, taken apart: what the planner looks at stays, the rest can be another one.

use super::shape::{END, NUMBER, TEXT};
use crate::lexicon::Senses;
use serde_json::Value;

/// Numbers no request contains stand for those it does.
const NUMBERS: u64 = 7_000_000_000_000;

/// What stands where in a text: the planner looks at stars, at slashes at the end and at known endings.
pub(super) struct Parts<'a> {
    pub(super) before: &'a str,
    pub(super) core: &'a str,
    pub(super) after: &'a str,
}

impl<'a> Parts<'a> {
    /// The parts of `text`; nothing when it is no value that another can stand for.
    pub(super) fn of(text: &'a str, senses: &Senses) -> Option<Self> {
        let lead = text.len() - text.trim_start_matches('*').len();
        let dot = usize::from(lead > 0 && text[lead..].starts_with('.'));
        let (before, rest) = text.split_at(lead + dot);
        let (rest, tail) = rest.split_at(rest.trim_end_matches(['*', '/']).len());
        let ends = senses.endings.values().flat_map(|table| table.keys());
        let ending = ends
            .filter(|end| {
                let at = rest.len().checked_sub(end.len() + 1);
                at.and_then(|at| rest.get(at..)).is_some_and(|found| {
                    found.strip_prefix('.').is_some_and(|found| found.eq_ignore_ascii_case(end))
                })
            })
            .map(|end| end.len() + 1)
            .max()
            .unwrap_or(0);
        let (core, ending) = rest.split_at(rest.len() - ending);
        let after = &text[text.len() - ending.len() - tail.len()..];
        let plain = !core.is_empty()
            && !core.contains(['*', TEXT, NUMBER, END])
            && (before.is_empty() || !core.contains('.'));
        plain.then_some(Self { before, core, after })
    }

    /// The same with a mark in the place of the core.
    pub(super) fn marked(&self, hole: usize) -> String {
        format!("{}{TEXT}{hole}{END}{}", self.before, self.after)
    }
}

/// The number that stands for the one in `hole`.
pub(super) fn number(hole: usize, whole: bool) -> Value {
    let n = NUMBERS + hole as u64;
    if whole { n.into() } else { (n as f64 + 0.5).into() }
}

/// The hole a number stands for.
pub(super) fn hole(value: &Value, holes: usize) -> Option<usize> {
    (0..holes).find(|hole| *value == number(*hole, true) || *value == number(*hole, false))
}
