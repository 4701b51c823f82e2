//! Names that are looked for, as patterns: with an ending, by a part, by an ending alone.

use super::folders::below_home;
use super::span::{Part, Words};
use super::{Found, What, endings, folders, texts};
use crate::sense::{Cue, Operator, Relation, Sense};
use crate::token::Lit;

/// Words of a name with spaces, at most.
const LONGEST: usize = 5;

/// Adds names and endings.
pub(super) fn read(words: &Words<'_>, found: &mut Found) {
    for at in 0..words.len() {
        file(words, at, found);
        ending(words, at, found);
        named(words, at, found);
        part_of_name(words, at, found);
        wanted(words, at, found);
    }
}

/// `cv.pdf`, "lease agreement 2025.pdf", `*.tmp`.
fn file(words: &Words<'_>, at: usize, found: &mut Found) {
    let name = match words.lit(at) {
        Some(Lit::File(name)) => name.clone(),
        Some(Lit::Quoted(text)) if endings::of(text).is_some() && !text.contains('/') => {
            return found.add(words, at, at + 1, What::Name(text.clone()), 0);
        }
        Some(Lit::Glob(glob)) => return found.add(words, at, at + 1, What::Name(glob.clone()), 0),
        // `.DS_Store`
        Some(Lit::Word) => {
            let text = words.text(at, at + 1);
            let hidden = text.starts_with('.') && text.len() > 2;
            return if hidden {
                found.add(words, at, at + 1, What::Name(text), 0)
            };
        }
        _ => return,
    };
    if !name.chars().any(char::is_alphabetic) {
        return;
    }
    if endings::is_host(&name) {
        found.add(words, at, at + 1, What::Url(name.clone()), 0);
        return found.add(words, at, at + 1, What::Name(name), 4);
    }
    let cue = |from: usize| words.cue_before(from, Cue::File).unwrap_or(from);
    // A number alone is the end of a name; a word is one.
    let stem = name.split('.').next().unwrap_or_default();
    let partial = !stem.chars().any(char::is_alphabetic);
    let mut from = at;
    while from > 0 && at - from < LONGEST && belongs(words, from - 1) {
        from -= 1;
        let spaced = words.is_name(from) || partial;
        let far = u8::try_from(at - from).unwrap_or(8) - 1;
        let cost = 2 + far + u8::from(acts(words, from));
        // The longest is the likeliest where a word before it says that a name begins.
        let whole = from == 0 || !belongs(words, from - 1);
        found.add(
            words,
            cue(from),
            at + 1,
            What::Name(words.text(from, at + 1)),
            if whole && spaced { 0 } else { cost },
        );
    }
    longer(words, from, at, found);
    let extra = if partial && from < at { 2 } else { 0 };
    found.add(words, cue(at), at + 1, What::Name(name), extra);
}

/// Names that go on before a small word, and those that begin inside a path: "recetas de la abuela.docx",
/// "Documents/cover letter.docx". `from`: where the words begin that are read as one with the name.
fn longer(words: &Words<'_>, from: usize, at: usize, found: &mut Found) {
    let path = from.checked_sub(1).and_then(|before| match words.lit(before) {
        Some(Lit::Slashed(text)) if endings::of(text).is_none() => Some((before, below_home(words, text), 1)),
        Some(Lit::Path(text)) if endings::of(text).is_none() && !text.ends_with('/') => {
            Some((before, (text.clone(), 0), 3))
        }
        _ => None,
    });
    if let Some((before, (path, cost), extra)) = path {
        let path = format!("{path} {}", words.text(from, at + 1));
        return found.add(words, before, at + 1, What::Path(path), cost + extra);
    }
    let Some(tie) = words.relation(from) else { return };
    let tied = [(Relation::Of, 0), (Relation::For, 2), (Relation::With, 2)];
    let tied = tied.iter().find(|(relation, _)| words.relates(tie.from, *relation).is_some());
    let Some((_, rarer)) = tied else { return };
    let mut first = tie.from;
    while first > 0 && at - first < LONGEST + 2 && belongs(words, first - 1) {
        first -= 1;
    }
    if first < tie.from {
        let named = words.cue_before(first, Cue::File);
        let open = words.part(first) == Part::Open || words.is_name(first);
        let cost = if named.is_some() {
            0
        } else if open {
            2
        } else {
            4
        } + rarer;
        let name = What::Name(words.text(first, at + 1));
        found.add(words, named.unwrap_or(first), at + 1, name, cost);
    }
}

/// Whether a word before a name with an ending can be part of it.
fn belongs(words: &Words<'_>, at: usize) -> bool {
    // What is asked for comes first; further on the same word may be part of a name: "packing list.txt".
    let asks =
        || acts(words, at) && (at == 0 || words.ends_phrase(at - 1) || words.part(at - 1) == Part::Binds);
    match words.lit(at) {
        Some(Lit::Number(_)) => true,
        Some(Lit::Word) => {
            let open = matches!(words.part(at), Part::Open | Part::Known | Part::Dated);
            open && (words.is_name(at) || !asks() && words.cue(at, Cue::File).is_none())
        }
        _ => false,
    }
}

fn acts(words: &Words<'_>, at: usize) -> bool {
    !words.is_name(at) && words.edges(at).iter().any(|edge| matches!(edge.sense, Sense::Act(_)))
}

/// "mp3", ".md files", "the extension odt", `ext=mkv`.
fn ending(words: &Words<'_>, at: usize, found: &mut Found) {
    let mut add = |from: usize, to: usize, ext: &str, cost: u8| {
        found.add(words, from, to, What::Name(format!("*.{ext}")), cost);
        found.add(words, from, to, What::Extension(ext.to_ascii_lowercase()), cost);
    };
    if let Some((end, cost)) = words.cue(at, Cue::Extension) {
        let mut next = words.skip_idle(end);
        next += usize::from(matches!(words.symbol(next), Some('=' | ':')));
        if let (Some(Lit::Word), Some(token)) = (words.lit(next), words.token(next))
            && words.part(next) != Part::Binds
            && token.norm.chars().count() <= 5
            && token.norm.chars().all(|c| c.is_ascii_alphanumeric())
        {
            add(at, next + 1, &token.norm, cost + if endings::ending(&token.norm).is_some() { 0 } else { 3 });
        }
    }
    match (words.lit(at), words.token(at)) {
        (Some(Lit::Ext(ext)), _) => {
            let from = words.cue_before(at, Cue::Extension).unwrap_or(at);
            add(from, at + 1, ext, 0);
        }
        (Some(Lit::Word), Some(token)) => {
            if let Some((ext, word)) = endings::ending(&token.norm) {
                let known = matches!(words.part(at), Part::Known | Part::Binds | Part::Dated);
                add(at, at + 1, ext, if word { 3 } else { u8::from(known) });
            }
        }
        _ => {}
    }
}

/// "called X", "the file named X".
fn named(words: &Words<'_>, at: usize, found: &mut Found) {
    let Some((end, cost)) = words.cue(at, Cue::Named) else { return };
    let mut start = words.skip_idle(end + usize::from(words.symbol(end) == Some(':')));
    // "called something of X"
    let some = |sense: Sense| matches!(sense, Sense::Quantity(_)).then_some(());
    if let Some(((), vague)) = words.reading.lattice.find(start, some) {
        let tie =
            [Relation::Of, Relation::With, Relation::Like].iter().find_map(|r| words.relates(vague, *r));
        start = words.skip_idle(tie.unwrap_or(start));
    }
    for (end, more) in folders::names(words, start, true) {
        let name = words.text(start, end);
        let whole = endings::of(&name).is_some();
        let (part, exact) = if whole { (3, 0) } else { (0, 2) };
        found.add(words, at, end, What::Name(format!("*{name}*")), cost + more + part);
        found.add(words, at, end, What::Name(name), cost + more + exact);
    }
}

/// "starting with X", "whose name contains X", "with X in the name".
fn part_of_name(words: &Words<'_>, at: usize, found: &mut Found) {
    let shapes = [(Cue::NameStarts, "", "*"), (Cue::NameEnds, "*", ""), (Cue::NameContains, "*", "*")];
    for (cue, head, tail) in shapes {
        let Some((end, cost)) = words.cue(at, cue) else { continue };
        let from = words.cue_before(at, Cue::Name).unwrap_or(at);
        for (start, end, more) in texts::short(words, end) {
            let value = words.text(start, end);
            found.add(words, from, end, What::Name(format!("{head}{value}{tail}")), cost + more);
        }
    }
    let Some((end, cost)) = words.cue(at, Cue::Name) else { return };
    let mut add = |(from, to, text): (usize, usize, String), more: u8| {
        found.add(words, from, to, What::Name(format!("*{text}*")), cost + more);
    };
    // "whose name contains X"
    let next = words.skip_idle(end);
    if let Some((value, more)) = words.cue(next, Cue::Contains) {
        for (start, end, extra) in texts::short(words, value) {
            add((at, end, words.text(start, end)), more + extra);
        }
        return;
    }
    let Some(tie) = words.relation(at).filter(|tie| tie.relation == Relation::In) else { return };
    let before = texts::before(words, tie.from);
    let none = before.is_empty();
    for (from, start, to, more) in before {
        add((from, end, words.text(start, to)), more);
    }
    for (start, to, more) in texts::after(words, end) {
        add((tie.from, to, words.text(start, to)), more + if none { 1 } else { 4 });
    }
}

/// "where is my X", "find X": what is looked for by a word nobody knows.
fn wanted(words: &Words<'_>, at: usize, found: &mut Found) {
    let asks = |edge: &&crate::lattice::Edge| {
        matches!(edge.sense, Sense::Operator(Operator::Ask) | Sense::Cue(Cue::Search | Cue::File))
            && edge.cost < 4
    };
    let Some(edge) = words.edges(at).iter().find(asks) else { return };
    // "where is my X"
    let mut start = edge.end;
    while start < edge.end + 4 && words.part(start) == Part::Binds {
        start += 1;
    }
    if words.part(start) != Part::Open || words.cue_before(start, Cue::Named).is_some() {
        return;
    }
    let mut end = words.capitals(start).max(start + 1);
    found.add(words, start, end, What::Name(format!("*{}*", words.text(start, end))), edge.cost + 3);
    if words.part(end) == Part::Open {
        end += 1;
        found.add(words, start, end, What::Name(format!("*{}*", words.text(start, end))), edge.cost + 4);
    }
}
