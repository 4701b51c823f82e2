//! Texts that a cue introduces. Where one ends is rarely said: the likeliest end first, others at a cost.

use super::span::{Part, Words};
use super::{Found, What};
use crate::lexicon::Form;
use crate::sense::{Cue, Operator, Relation, Sense};
use crate::token::Lit;

/// How far a text goes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Extent {
    /// A word or two: "containing X".
    Short,
    /// A phrase: "search the web for X".
    Phrase,
    /// All that is left: "saying X".
    Long,
}

/// The cues of texts, how far each goes, and what it costs to take the words after it for a text.
const CUES: &[(Cue, Extent, u8)] = &[
    (Cue::Contains, Extent::Short, 0),
    (Cue::Word, Extent::Short, 0),
    (Cue::Subject, Extent::Short, 0),
    (Cue::Titled, Extent::Short, 0),
    (Cue::Named, Extent::Short, 2),
    (Cue::Event, Extent::Short, 1),
    (Cue::Label, Extent::Short, 0),
    (Cue::Prefix, Extent::Short, 0),
    (Cue::Sheet, Extent::Short, 0),
    (Cue::Secret, Extent::Short, 1),
    (Cue::Shows, Extent::Phrase, 0),
    (Cue::Search, Extent::Phrase, 0),
    (Cue::Saying, Extent::Long, 0),
];

/// The longest text of one cue that is not to the end.
const LONGEST: usize = 12;
/// So many texts go to the end of a request, and no more.
const LONG: usize = 4;

/// Adds texts.
pub(super) fn read(words: &Words<'_>, found: &mut Found) {
    let mut long = 0;
    for at in 0..words.len() {
        for (cue, extent, base) in CUES {
            let Some((end, cost)) = words.cue(at, *cue) else { continue };
            let Some(start) = begin(words, end, *extent) else { continue };
            if *extent == Extent::Long {
                long += 1;
            }
            // "find the photos": what is looked for by what it is, and not by its words.
            let known = *cue == Cue::Search && words.part(start) == Part::Known;
            let base = base + if known { 3 } else { 0 };
            if long > LONG && *extent == Extent::Long {
                continue;
            }
            for (to, more) in ends(words, start, *extent) {
                found.add(words, at, to, What::Text(words.text(start, to)), cost + base + more);
            }
        }
        in_subject(words, at, found);
        before_search(words, at, found);
        tied(words, at, found);
        run(words, at, found);
        phrase(words, at, found);
        told(words, at, &mut long, found);
    }
}

/// The first token of the text after a cue that ends at `at`.
fn begin(words: &Words<'_>, at: usize, extent: Extent) -> Option<usize> {
    // What is told begins as it is: "saying we are late".
    let mut start = if extent == Extent::Long { at } else { words.skip_idle(at) };
    if extent == Extent::Phrase {
        // "search the web for X", "search on site.org X"
        let place = |at: usize| {
            matches!(words.lit(at), Some(Lit::File(_) | Lit::Url(_) | Lit::Path(_) | Lit::Slashed(_)))
        };
        for _ in 0..3 {
            let leads = |sense: Sense| {
                matches!(
                    sense,
                    Sense::Relation(Relation::In | Relation::For | Relation::About | Relation::At)
                )
            };
            let to = words.edges(start).iter().find(|edge| edge.cost == 0 && leads(edge.sense));
            let past_site = words.cue(start, Cue::Site).map(|(end, _)| end);
            let next = to.map(|edge| edge.end).filter(|_| !words.is_name(start)).or(past_site);
            let next = next.or_else(|| place(start).then_some(start + 1));
            match next {
                Some(next) => start = words.skip_idle(next),
                None => break,
            }
        }
    }
    if matches!(words.symbol(start), Some(':' | '=')) {
        start += 1;
    }
    // "a message to Luca": who it goes to, and no text.
    let led = [Relation::To, Relation::From, Relation::Of, Relation::In, Relation::With, Relation::By];
    if extent == Extent::Long && led.iter().any(|relation| words.relates(start, *relation).is_some()) {
        return None;
    }
    // "containing the word X": the second cue is the one.
    let again =
        words.edges(start).iter().any(|edge| edge.cost == 0 && matches!(edge.sense, Sense::Cue(Cue::Word)));
    let sign = words.ends_phrase(start) && extent != Extent::Long && !words.is_glued(start + 1);
    (start < words.len() && !again && !sign && !words.ends_sentence(start)).then_some(start)
}

/// Where a text that begins at `start` can end, each once, the likeliest first.
fn ends(words: &Words<'_>, start: usize, extent: Extent) -> Vec<(usize, u8)> {
    if words.is_quoted(start) {
        return vec![(start + 1, 0)];
    }
    let first = words.glued(start + 1);
    let stop = |wanted: &dyn Fn(usize) -> bool| {
        (first..words.len().min(start + LONGEST)).find(|at| wanted(*at) || words.ends_sentence(*at))
    };
    let limit = words.len().min(start + LONGEST);
    let sentence = stop(&|_| false).unwrap_or(limit);
    let comma = stop(&|at| words.ends_phrase(at)).unwrap_or(limit);
    let soft = stop(&|at| words.ends_phrase(at) || words.part(at) == Part::Binds || clause_begins(words, at))
        .unwrap_or(limit);
    let clause = stop(&|at| words.ends_phrase(at) || clause_begins(words, at)).unwrap_or(limit);
    let run = words.capitals(start).max(first);
    let all = match extent {
        Extent::Short => vec![(soft, 0), (run, 1), (first, 2), (clause, 2), (comma, 3), (sentence, 4)],
        Extent::Phrase => vec![(clause, 0), (soft, 1), (first, 2), (comma, 2), ((first + 1).min(clause), 3)],
        Extent::Long => {
            let full = (start..words.len()).find(|at| words.ends_sentence(*at)).unwrap_or(words.len());
            let last = words.len() - usize::from(words.symbol(words.len() - 1) == Some('.'));
            vec![(last, 0), (full, 1), (comma, 3)]
        }
    };
    let mut kept: Vec<(usize, u8)> = Vec::new();
    for (end, cost) in all {
        if end > start && end <= words.len() && !kept.iter().any(|(known, _)| *known == end) {
            kept.push((end, cost));
        }
    }
    kept
}

/// Whether something new begins: what leads to a literal, what joins clauses, or a word for somebody who does something.
fn clause_begins(words: &Words<'_>, at: usize) -> bool {
    let lit = |at: usize| {
        matches!(
            words.lit(at),
            Some(Lit::Path(_) | Lit::Slashed(_) | Lit::File(_) | Lit::Url(_) | Lit::Email(_) | Lit::Date(..))
        )
    };
    if lit(at) {
        return true;
    }
    let edges = || words.edges(at).iter().filter(|edge| edge.cost == 0);
    // "… on site.org", "… in Work", "… in the folder X"
    let tie =
        edges().find(|edge| matches!(edge.sense, Sense::Relation(_))).map(|edge| words.skip_idle(edge.end));
    if let Some(next) = tie {
        let place = words.edges(next).iter().any(|edge| matches!(edge.sense, Sense::Place(_)));
        let cue = [Cue::Folder, Cue::File, Cue::Site].iter().any(|cue| words.cue(next, *cue).is_some());
        return lit(next) || place || cue || words.part(next) == Part::Dated;
    }
    let after_tie = words.part(at - 1) == Part::Binds;
    let after_act =
        words.edges(at - 1).iter().any(|edge| edge.cost == 0 && matches!(edge.sense, Sense::Act(_)));
    edges().any(|edge| match edge.sense {
        // "instructions its raining", but "how to clean a pan"
        Sense::Idle | Sense::Pronoun(_) => !after_tie && !after_act,
        Sense::Cue(cue) => {
            matches!(cue, Cue::Named | Cue::Contains | Cue::Subject | Cue::Saying | Cue::NameStarts)
        }
        Sense::Operator(operator) => !matches!(operator, Operator::And | Operator::Or),
        // "a castle taken in July": what is done to something is said of it, not part of it.
        Sense::Act(_) | Sense::Quality(_) => edge.form != Form::Plain && !after_tie,
        _ => false,
    })
}

/// A short text after `at`: first token, one past the last, cost.
pub(super) fn short(words: &Words<'_>, at: usize) -> Vec<(usize, usize, u8)> {
    let Some(start) = begin(words, at, Extent::Short) else { return Vec::new() };
    ends(words, start, Extent::Short).into_iter().map(|(end, cost)| (start, end, cost)).collect()
}

/// A short text after `at`, where one or two small words may stand between: "in the name they have X".
pub(super) fn after(words: &Words<'_>, at: usize) -> Vec<(usize, usize, u8)> {
    let mut start = at;
    while start < at + 4 && (words.part(start) == Part::Binds || words.cue(start, Cue::Contains).is_some()) {
        start += 1;
    }
    if !words.is_quoted(start) && !words.capital(start) && words.cue(start, Cue::Contains).is_none() {
        // One word that is no name, then the name: a verb.
        let verb = matches!(words.part(start), Part::Open | Part::Known);
        start += usize::from(verb && (words.is_quoted(start + 1) || words.is_name(start + 1)));
    }
    if words.ends_phrase(start) && !words.is_quoted(start) {
        return Vec::new();
    }
    let spans = short(words, start);
    spans.into_iter().filter(|(from, to, _)| to > from).take(2).collect()
}

/// A short text before `at`: "with X in the name". First token of the cue, first and last of the text, cost.
pub(super) fn before(words: &Words<'_>, at: usize) -> Vec<(usize, usize, usize, u8)> {
    let Some(last) = at.checked_sub(1) else { return Vec::new() };
    let led = |from: usize| {
        let start = words.cue_before(from, Cue::Word).unwrap_or(from);
        let with = words.relation(start).filter(|tie| matches!(tie.relation, Relation::With));
        (with.map_or(start, |tie| tie.from), start < from || with.is_some())
    };
    if words.is_quoted(last) {
        return vec![(led(last).0, last, at, 0)];
    }
    let word = |at: usize| matches!(words.lit(at), Some(Lit::Word | Lit::Number(_) | Lit::File(_)));
    if !word(last) || words.part(last) == Part::Binds && !led(last).1 {
        return Vec::new();
    }
    let mut spans = vec![(led(last).0, last, at, u8::from(!led(last).1))];
    let mut from = last;
    while from > 0 && last - from < 3 && word(from - 1) && words.part(from - 1) != Part::Binds && !led(from).1
    {
        from -= 1;
        let capitals = words.is_name(from) && words.is_name(last);
        let cost = if led(from).1 || capitals { 0 } else { 3 };
        spans.insert(if cost == 0 { 0 } else { spans.len() }, (led(from).0, from, at, cost));
    }
    spans
}

/// "with X in the subject", "in the subject 'X'".
fn in_subject(words: &Words<'_>, at: usize, found: &mut Found) {
    let Some((end, cost)) = words.cue(at, Cue::Subject) else { return };
    let Some(tie) = words.relation(at).filter(|tie| tie.relation == Relation::In) else { return };
    for (from, start, to, more) in before(words, tie.from) {
        found.add(words, from, end, What::Text(words.text(start, to)), cost + more);
    }
    for (start, to, more) in after(words, end) {
        found.add(words, tie.from, to, What::Text(words.text(start, to)), cost + more + 1);
    }
}

/// "X, search on site.org": what is searched for may come first.
fn before_search(words: &Words<'_>, at: usize, found: &mut Found) {
    let Some((end, cost)) = words.cue(at, Cue::Search) else { return };
    let Some(comma) = at.checked_sub(1).filter(|b| words.symbol(*b) == Some(',')) else { return };
    let first =
        (comma.saturating_sub(LONGEST)..comma).rev().find(|b| words.ends_phrase(*b)).map_or(0, |b| b + 1);
    let start = words.skip_idle(first);
    if start < comma {
        found.add(words, start, end, What::Text(words.text(start, comma)), cost + 2);
    }
}

/// "about X", "with X": a relation that a text may follow.
fn tied(words: &Words<'_>, at: usize, found: &mut Found) {
    let about = words.relates(at, Relation::About).map(|end| (end, Extent::Phrase, 1));
    let with = || words.relates(at, Relation::With).map(|end| (end, Extent::Short, 4));
    let role = || words.relates(at, Relation::As).map(|end| (end, Extent::Short, 4));
    room(words, at, found);
    let Some((end, extent, base)) = about.or_else(with).or_else(role) else { return };
    let Some(start) = begin(words, end, extent).filter(|start| words.part(*start) != Part::Binds) else {
        return;
    };
    for (to, more) in ends(words, start, extent).into_iter().take(3) {
        found.add(words, at, to, What::Text(words.text(start, to)), base + more);
    }
}

/// "in room 2": a word with a number.
fn room(words: &Words<'_>, at: usize, found: &mut Found) {
    let Some(end) = words.relates(at, Relation::In).or_else(|| words.relates(at, Relation::At)) else {
        return;
    };
    let start = words.skip_idle(end);
    let number = matches!(words.lit(start + 1), Some(Lit::Number(n)) if *n < 1000.0 && n.fract() == 0.0);
    let last =
        words.part(start + 2) != Part::Dated && !matches!(words.part(start + 2), Part::Open | Part::Known);
    if number && last && matches!(words.part(start), Part::Open | Part::Known) {
        found.add(words, start, start + 2, What::Text(words.text(start, start + 2)), 3);
    }
}

/// "run ls -la /mnt": what is to be run, as it stands.
fn run(words: &Words<'_>, at: usize, found: &mut Found) {
    let runs = |edge: &&crate::lattice::Edge| {
        edge.cost == 0 && matches!(edge.sense, Sense::Act(id) if id.name() == "run")
    };
    let Some(start) = words.edges(at).iter().find(runs).map(|edge| edge.end) else { return };
    let start = start + usize::from(words.symbol(start) == Some(':'));
    let plain = matches!(words.lit(start), Some(Lit::Word | Lit::Path(_)));
    if !plain || words.part(start) == Part::Binds || words.part(start) == Part::Dated {
        return;
    }
    let end = (start..words.len().min(start + LONGEST))
        .find(|at| words.ends_sentence(*at) || words.symbol(*at) == Some(','))
        .unwrap_or(words.len().min(start + LONGEST));
    // Words that only machines write make a command of it.
    let machine = |at: usize| {
        matches!(words.lit(at), Some(Lit::Path(_) | Lit::File(_)))
            || words.token(at).is_some_and(|token| token.text.starts_with('-'))
    };
    let cost = if (start..end).any(machine) { 1 } else { 4 };
    found.add(words, at, end, What::Command(words.text(start, end)), cost);
}

/// "take the ballet rehearsal out of the calendar": a phrase of words nobody knows, after an article or first of all.
fn phrase(words: &Words<'_>, at: usize, found: &mut Found) {
    let opens =
        at == 0 || words.is_idle(at - 1) || words.ends_phrase(at - 1) || words.part(at - 1) == Part::Known;
    let names = |at: usize| matches!(words.part(at), Part::Open | Part::Known);
    if !opens || words.part(at) != Part::Open && !names(at) {
        return;
    }
    let mut end = at;
    let mut open = false;
    while end < at + 4 && (names(end) || end > at && words.part(end) == Part::Dated) {
        open |= words.part(end) == Part::Open;
        end += 1;
    }
    // "lesson of English"
    let of = words.relates(end, Relation::Of).filter(|next| names(*next));
    if !open {
        return;
    }
    found.add(words, at, end, What::Text(words.text(at, end)), 5);
    // "my cv"
    if at > 0
        && words.is_idle(at - 1)
        && words.part(at) == Part::Open
        && words.relation(at).is_none()
        && end <= at + 2
    {
        found.add(words, at, end, What::Name(format!("*{}*", words.text(at, end))), 4);
    }
    if end > at + 2 {
        found.add(words, at, at + 2, What::Text(words.text(at, at + 2)), 6);
    }
    if let Some(next) = of {
        found.add(words, at, next + 1, What::Text(words.text(at, next + 1)), 5);
    }
    // "visit from the Fabbris", "dinner with the parents"
    let tie = [Relation::Of, Relation::With, Relation::From, Relation::For, Relation::At, Relation::In]
        .iter()
        .find_map(|relation| words.relates(end, *relation))
        .map(|next| words.skip_idle(next))
        .filter(|next| names(*next));
    if let Some(next) = tie {
        let to = words.capitals(next).max(next + 1);
        found.add(words, at, to, What::Text(words.text(at, to)), 6);
    }
}

/// "tell Sam: X", "append to notes.md: X", "tell Sam that X": after a colon, or a name and a small word, all may be the
/// text.
fn told(words: &Words<'_>, at: usize, long: &mut usize, found: &mut Found) {
    let colon = words.symbol(at) == Some(':');
    let that = || {
        let person = at.checked_sub(1).filter(|name| words.is_name(*name));
        let led = person.is_some_and(|name| {
            let to = words.relation(name).is_some_and(|tie| tie.relation == Relation::To);
            to || words.cue_before(name, Cue::Contact).is_some()
        });
        led && words.is_idle(at)
    };
    if at == 0 || at + 1 >= words.len() || *long >= LONG || !(colon || that()) {
        return;
    }
    *long += 1;
    for (to, more) in ends(words, at + 1, Extent::Long).into_iter().take(2) {
        found.add(words, at, to, What::Text(words.text(at + 1, to)), 2 + more);
    }
}
