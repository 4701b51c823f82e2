//! What is made of the words of a request and of the one before it.

use crate::catalog::Role;
use crate::parse::{Frame, Item, Timing};

/// The request without the words that say when.
pub(super) fn without(text: &str, items: &[Item], timing: &Timing) -> String {
    let mut cut: Vec<(usize, usize)> = timing
        .at
        .iter()
        .filter_map(|r| Some((items.get(r.start)?.start, items.get(r.end.checked_sub(1)?)?.end)))
        .collect();
    cut.sort_unstable();
    let mut out = String::new();
    let mut at = 0;
    for (from, to) in cut {
        if from >= at {
            out.push_str(&text[at..from]);
            out.push(' ');
            at = to;
        }
    }
    out.push_str(&text[at..]);
    let words: Vec<&str> = out.split_whitespace().filter(|w| !matches!(*w, "," | ";" | ":")).collect();
    let joined = words.join(" ");
    joined.trim_matches(|c: char| c.is_whitespace() || ",;:.!?".contains(c)).to_owned()
}

/// The earlier request with the values of this one in place of its own.
pub(super) fn again(frame: &Frame, before: &[Frame]) -> Option<Vec<Frame>> {
    let mut frames = before.to_vec();
    let first = frames.first_mut()?;
    if frame.slots.is_empty() && frame.kinds.is_empty() || frame.verb.is_some() && !frame.bare {
        return None;
    }
    if !frame.stats.is_empty() || frame.anaphor.is_some() || frame.order.is_some() || frame.only {
        return None;
    }
    if !frame.object.is_empty() && frame.object != first.object {
        return None;
    }
    // "and the photos to X", after a move: a place alone does not say whether they come from there or go there.
    let goes = [Role::DstDir, Role::DstFolder, Role::Dst, Role::OutPath].iter().any(|role| first.has(*role));
    let place = |(word, by): &(String, &str)| (*by == "place").then(|| word.clone());
    let unsure: Vec<String> = frame.used.iter().filter_map(place).filter(|_| goes).collect();
    let dated = |f: &Frame| f.has(Role::After) || f.has(Role::Before);
    if dated(frame) {
        first.slots.remove(&Role::After);
        first.slots.remove(&Role::Before);
    }
    if !frame.kinds.is_empty() || frame.has(Role::Patterns) {
        first.kinds.clone_from(&frame.kinds);
        first.slots.remove(&Role::Patterns);
        first.slots.remove(&Role::Kind);
    }
    for (role, value) in &frame.slots {
        first.slots.insert(*role, value.clone());
    }
    if frame.column.is_some() {
        first.column.clone_from(&frame.column);
    }
    first.leftover.clone_from(&frame.leftover);
    first.leftover.extend(unsure);
    first.used.extend(frame.used.clone());
    Some(frames)
}
