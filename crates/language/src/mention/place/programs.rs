//! Names of what runs or is installed, of credentials and calendars: words beside the word for what they are.

use super::folders::conjunction;
use super::span::{Part, Words};
use super::{Found, What};
use crate::lattice::Edge;
use crate::sense::{Cue, Sense};
use crate::token::Lit;

/// Names of one list, at most.
const LISTED: usize = 6;

/// Adds names of programs and the like.
pub(super) fn read(words: &Words<'_>, found: &mut Found) {
    for at in 0..words.len() {
        let Some(edge) = words.edges(at).iter().find(|edge| is_said_of(edge)) else { continue };
        let is_cue = matches!(edge.sense, Sense::Cue(_));
        let is_thing = is_cue || matches!(edge.sense, Sense::Thing(_));
        let is_calendar = matches!(edge.sense, Sense::Thing(id) if id.name() == "calendar");
        let cost = edge.cost.min(2) + u8::from(is_thing);
        // What follows a cue is read with all texts that cues have.
        if !is_cue && (!is_thing || clear(words, edge.end)) {
            after(words, edge.end, cost, is_calendar, found);
        }
        if !is_thing || at.checked_sub(1).is_some_and(|last| clear(words, last) || is_beside(words, last)) {
            before(words, at, cost, is_calendar, found);
        }
    }
}

/// Whether a word is written as names are.
fn clear(words: &Words<'_>, at: usize) -> bool {
    words.is_name(at) || words.is_quoted(at) || words.is_identifier(at)
}

/// "the nas credential": an unknown word after an article.
fn is_beside(words: &Words<'_>, at: usize) -> bool {
    words.part(at) == Part::Open && at > 0 && words.is_idle(at - 1)
}

/// "installed", "running", "stuck"; "the process", "the package", "the calendar", "the credential".
fn is_said_of(edge: &Edge) -> bool {
    match edge.sense {
        Sense::Quality(id) => ["installed", "running", "stuck"].contains(&id.name()),
        Sense::Thing(id) => {
            ["process", "program", "package", "calendar", "credential"].contains(&id.name()) && edge.cost == 0
        }
        Sense::Cue(cue) => cue == Cue::Secret && edge.cost == 0,
        _ => false,
    }
}

/// "installed vlc and git?", "is running postgres"
fn after(words: &Words<'_>, at: usize, cost: u8, is_calendar: bool, found: &mut Found) {
    let mut next = words.skip_idle(at);
    let thing = |edge: &&Edge| edge.cost == 0 && (matches!(edge.sense, Sense::Thing(_)) || is_said_of(edge));
    if let Some(edge) = words.edges(next).iter().find(thing) {
        next = words.skip_idle(edge.end);
    }
    next += usize::from(words.symbol(next) == Some(':'));
    for _ in 0..LISTED {
        next = words.skip_idle(next);
        let Some(more) = name(words, next) else { return };
        found.add(words, next, next + 1, called(words, next, is_calendar), cost + more);
        match joined(words, next + 1) {
            Some(end) => next = end,
            None => return,
        }
    }
}

/// "is scratch installed", "git and curl running?"
fn before(words: &Words<'_>, at: usize, cost: u8, is_calendar: bool, found: &mut Found) {
    let mut end = at;
    while end > 0 && (words.is_idle(end - 1) || words.symbol(end - 1) == Some(':')) {
        end -= 1;
    }
    for _ in 0..LISTED {
        let Some(last) = end.checked_sub(1) else { return };
        let Some(more) = name(words, last) else { return };
        // "is scratch installed", but "check installed packages"
        let acts = words.edges(last).iter().any(|edge| matches!(edge.sense, Sense::Act(_)));
        let asked = last > 0 && words.part(last - 1) == Part::Binds;
        if acts && !words.is_name(last) && !asked {
            return;
        }
        found.add(words, last, last + 1, called(words, last, is_calendar), cost + more);
        let before = (last.saturating_sub(2)..last).find(|from| joined(words, *from) == Some(last));
        match before {
            Some(from) => end = from,
            None => return,
        }
    }
}

fn called(words: &Words<'_>, at: usize, is_calendar: bool) -> What {
    let text = words.text(at, at + 1);
    if is_calendar { What::Text(text) } else { What::Code(text) }
}

/// What taking a word for a name costs.
fn name(words: &Words<'_>, at: usize) -> Option<u8> {
    if !matches!(words.lit(at), Some(Lit::Word | Lit::Quoted(_))) {
        return None;
    }
    match words.part(at) {
        _ if words.is_quoted(at) || words.is_identifier(at) => Some(0),
        Part::Open => Some(u8::from(!words.edges(at).is_empty())),
        Part::Known => Some(if words.is_name(at) { 1 } else { 4 }),
        _ => None,
    }
}

/// Where the next name of a list begins: after a comma, "and", or both.
fn joined(words: &Words<'_>, at: usize) -> Option<usize> {
    let comma = at + usize::from(words.symbol(at) == Some(','));
    let end = words.reading.lattice.find(comma, conjunction).map_or(comma, |((), end)| end);
    (end > at).then_some(end)
}
