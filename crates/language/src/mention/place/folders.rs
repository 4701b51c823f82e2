//! Folders: those everybody has, others by their names, and paths as typed.

use super::span::{Part, RUN, Words};
use super::{Called, Found, What, endings};
use crate::lexicon::fold;
use crate::sense::{Cue, Relation, Sense};
use crate::token::Lit;

/// What the less likely of two readings of a path costs: a folder with a dot, a file without.
const OTHER: u8 = 3;
/// More names in one list than this are no names.
const LISTED: usize = 6;

/// Adds folders and paths.
pub(super) fn read(words: &Words<'_>, found: &mut Found) {
    for at in 0..words.len() {
        literal(words, at, found);
        known(words, at, found);
        after_cue(words, at, found);
        before_cue(words, at, found);
        by_relation(words, at, found);
        alone(words, at, found);
    }
}

/// A path as typed, or a folder below one that everybody has.
fn literal(words: &Words<'_>, at: usize, found: &mut Found) {
    let (path, cost) = match words.lit(at) {
        Some(Lit::Path(path)) => (path.clone(), 0),
        Some(Lit::Quoted(text)) if text.starts_with("~/") || text.starts_with('/') => (text.clone(), 0),
        Some(Lit::Quoted(text)) if text.contains('/') && !text.contains("://") => {
            let (path, cost) = below_home(words, text);
            (path, cost + 2)
        }
        Some(Lit::Slashed(text)) => {
            let (path, cost) = below_home(words, text);
            let sure = cost > 0
                || text.chars().any(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_')
                || endings::of(text).is_some()
                || words.relation(at).is_some()
                || path.get(2..) != Some(text);
            (path, if sure { cost } else { 2 })
        }
        _ => return,
    };
    let cue = |cue: Cue| {
        let end = if words.symbol(at.wrapping_sub(1)) == Some('=') { at - 1 } else { at };
        words.cue_before(end, cue)
    };
    let from = cue(Cue::Folder).or_else(|| cue(Cue::File)).unwrap_or(at);
    // "the ~/docker folder"
    let to = words.cue(at + 1, Cue::Folder).map_or(at + 1, |(end, _)| end);
    let path = path.trim_end_matches('/').to_owned();
    let file = endings::of(&path).is_some();
    let (as_file, as_folder) = if file { (cost, cost + OTHER) } else { (cost + OTHER, cost) };
    found.add(words, from, to, What::Path(path.clone()), as_file);
    found.add(words, from, to, What::Place(path.clone()), as_folder);
    if to == at + 1 && !file && !words.is_quoted(at) {
        goes_on(words, (from, at), &path, cost, found);
    }
}

/// "Pictures/Shop Window", "Documents/packing list.txt": the last name of a path may go on.
fn goes_on(words: &Words<'_>, (from, at): (usize, usize), path: &str, cost: u8, found: &mut Found) {
    let capitals = (at + 1..at + 1 + FURTHER).take_while(|at| words.capital(*at)).last().map(|at| at + 1);
    let longer = further(words, at + 1);
    for (end, more) in capitals.map(|end| (end, 0)).into_iter().chain(longer) {
        let name = words.text(at + 1, end);
        let whole = format!("{path} {name}");
        let file = endings::of(&whole).is_some();
        let (as_file, as_folder) = if file { (0, OTHER) } else { (OTHER, 0) };
        found.add(words, from, end, What::Path(whole.clone()), cost + more + as_file);
        found.add(words, from, end, What::Place(whole), cost + more + as_folder);
    }
}

/// So many more words a name may have that is written small.
const FURTHER: usize = 3;

/// How far a name may go on from here, one word at a time, with what that costs: less where the phrase ends with it.
fn further(words: &Words<'_>, from: usize) -> Vec<(usize, u8)> {
    let mut spans = Vec::new();
    let mut cost = 1;
    for at in from..from + FURTHER {
        cost += match (words.lit(at), words.part(at)) {
            (Some(Lit::File(_)), _) if at > from => 0,
            (Some(Lit::Word), Part::Open) => 1,
            (Some(Lit::Word), Part::Known) if words.cue(at, Cue::Folder).is_none() => 2,
            _ => break,
        };
        let ends = words.ends_phrase(at + 1) || words.part(at + 1) == Part::Binds;
        spans.push((at + 1, if ends { cost - 1 } else { cost + 1 }));
    }
    spans
}

/// `Documents/x`: below the home, the first part as the folder is called; what taking it for that costs.
pub(super) fn below_home(words: &Words<'_>, text: &str) -> (String, u8) {
    let (first, rest) = text.split_once('/').unwrap_or((text, ""));
    let (folder, cost) = known_word(words, first).unwrap_or_else(|| (format!("~/{first}"), 0));
    (format!("{folder}/{rest}").trim_end_matches('/').to_owned(), cost)
}

/// The folder everybody has that a word means, or is one typing error away from.
fn known_word(words: &Words<'_>, word: &str) -> Option<(String, u8)> {
    let folded = fold(word);
    let lexicon = words.reading.lexicon;
    let place = |word: &str| {
        lexicon.meanings(word).iter().find_map(|meaning| match meaning.sense {
            Sense::Place(id) if id.name() != HOME => Some(id.name().to_owned()),
            _ => None,
        })
    };
    let near = || lexicon.near(&folded).iter().find_map(|(near, cost)| Some((place(near)?, *cost)));
    place(&folded).map(|path| (path, 0)).or_else(near)
}

const HOME: &str = "~";

/// A folder everybody has.
fn known(words: &Words<'_>, at: usize, found: &mut Found) {
    let mut places: Vec<(String, usize, u8)> = words
        .edges(at)
        .iter()
        .filter_map(|edge| match edge.sense {
            Sense::Place(id) => Some((id.name().to_owned(), edge.end, edge.cost)),
            _ => None,
        })
        .collect();
    // A capital is a name first, but a name that is nearly that of a known folder is that one.
    if places.is_empty()
        && words.is_name(at)
        && words.part(at) == Part::Open
        && let Some(token) = words.token(at)
        && let Some((path, cost)) = known_word(words, &token.text)
    {
        places.push((path, at + 1, cost));
    }
    for (path, end, cost) in places {
        // "our pictures folder", "the folder Pictures"
        let of = words.relation(at).filter(|tie| tie.relation == Relation::Of);
        let cue = words.cue_before(at, Cue::Folder).or_else(|| words.cue_before(of?.from, Cue::Folder));
        let after = words.cue(end, Cue::Folder);
        let (from, to) = (cue.unwrap_or(at), after.map_or(end, |(end, _)| end));
        let other = |sense: Sense| matches!(sense, Sense::Kind(_) | Sense::Thing(_) | Sense::Act(_));
        let doubtful = words.edges(at).iter().any(|edge| edge.end == end && other(edge.sense));
        let tied = words.relation(at).map(|tie| tie.relation);
        let extra = match tied {
            _ if cue.is_some() || after.is_some() || !doubtful => 0,
            Some(Relation::In | Relation::From | Relation::To) => u8::from(!words.is_name(at)),
            _ if words.is_name(at) => 1,
            Some(Relation::Of) => 2,
            _ => 5,
        };
        // "Old Photos": the last word of another name.
        let inside =
            at > 0 && words.is_name(at) && words.is_name(at - 1) && words.part(at - 1) != Part::Binds;
        let extra = extra + if inside { 3 } else { 0 };
        found.add(words, from, to, What::Place(path), cost + extra);
    }
}

/// "the folder X", "a folder called X", "two folders, X and Y".
fn after_cue(words: &Words<'_>, at: usize, found: &mut Found) {
    let Some((end, cost)) = words.cue(at, Cue::Folder) else { return };
    let (start, named) = words.skip_named(end);
    // "two folders: X and Y"
    let listed = matches!(words.symbol(start), Some(',' | ':')) && words.part(start + 1) == Part::Open;
    // "the folder the others use": an article or a quality says that no name follows.
    let small = !words.capital(start) && !words.is_quoted(start) && !words.is_identifier(start);
    let unlikely = !named && small && (start > end || words.part(start) == Part::Known);
    let mut from = if listed { start + 1 } else { at };
    let mut start = if listed { start + 1 } else { start };
    for item in 0..LISTED {
        let spans = names(words, start, true);
        let extra = cost
            + if listed || item > 0 {
                2
            } else if unlikely {
                3
            } else {
                0
            };
        for (end, cost) in &spans {
            called(
                words,
                found,
                Called { from, to: *end, name: words.text(start, *end), cost: cost + extra },
            );
        }
        let Some((end, _)) = spans.first() else { break };
        let joins = |at: usize| words.reading.lattice.find(at, conjunction).map(|((), end)| end);
        // "X, no wait, Y"
        let next = *end + usize::from(words.symbol(*end) == Some(','));
        let next = joins(next).map_or(next, |end| end + usize::from(words.symbol(end) == Some(',')));
        if next == *end {
            break;
        }
        start = next;
        from = start;
        let name = words.capital(start) || words.is_identifier(start) || listed;
        if !name || words.part(start) == Part::Binds {
            break;
        }
    }
}

pub(super) fn conjunction(sense: Sense) -> Option<()> {
    use crate::sense::Operator;
    matches!(sense, Sense::Operator(Operator::And | Operator::Or | Operator::Correction)).then_some(())
}

/// "the Work folder": the name right before the word for folder.
fn before_cue(words: &Words<'_>, at: usize, found: &mut Found) {
    let Some((end, cost)) = words.cue(at, Cue::Folder) else { return };
    let Some(last) = at.checked_sub(1) else { return };
    let mut from = last;
    if words.capital(last) && words.part(last) != Part::Binds {
        while from > 0 && last - from < RUN && words.is_name(from - 1) && words.part(from - 1) != Part::Binds
        {
            from -= 1;
        }
    } else if !words.is_quoted(last) && !matches!(words.part(last), Part::Open | Part::Known) {
        return;
    }
    let extra = match words.part(last) {
        _ if words.is_quoted(last) || words.is_name(last) || words.is_identifier(last) => 0,
        Part::Open if words.edges(last).is_empty() => 1,
        // A word that may be misspelled: no name where it says how many, or which.
        Part::Known if words.edges(last).iter().any(narrows) => 4,
        Part::Open if words.edges(last).iter().any(narrows) => 3,
        // "in the work folder"
        _ if words.relation(last).is_some_and(|tie| tie.relation != Relation::Of) => 2,
        Part::Open if !words.may_bind(last) => 2,
        _ => 4,
    };
    called(words, found, Called { from, to: end, name: words.text(from, last + 1), cost: cost + extra });
    if from < last {
        called(
            words,
            found,
            Called { from: last, to: end, name: words.text(last, last + 1), cost: cost + 3 },
        );
    }
}

fn narrows(edge: &crate::lattice::Edge) -> bool {
    matches!(edge.sense, Sense::Quality(_) | Sense::Quantity(_) | Sense::Order(_))
}

pub(super) fn called(words: &Words<'_>, found: &mut Found, folder: Called) {
    let path = format!("~/{}", folder.name.trim_matches('/'));
    found.add(words, folder.from, folder.to, What::Place(path), folder.cost);
    // "where is the navidad folder": its name is what is looked for.
    if folder.cost < 5 && !folder.name.contains('/') {
        let name = What::Name(format!("*{}*", folder.name));
        found.add(words, folder.from, folder.to, name, (folder.cost + 4).min(6));
    }
    found.called.push(folder);
}

/// "in Work", "from work to play": a name that a relation points to.
fn by_relation(words: &Words<'_>, at: usize, found: &mut Found) {
    let Some(tie) = words.relation(at) else { return };
    let extra = match tie.relation {
        Relation::In | Relation::From | Relation::To => 0,
        Relation::Of => 1,
        // "as well in A as in B", "between A and B"
        Relation::As | Relation::Between if words.capital(at) => 2,
        _ => return,
    };
    if words.cue(at, Cue::Folder).is_some() || words.lit(at).is_none_or(|lit| matches!(lit, Lit::Symbol(_))) {
        return;
    }
    for (end, cost) in names(words, at, false) {
        // "to check", "of cats": a small word is less likely a name.
        let plain = !words.capital(at) && !words.is_quoted(at) && !words.is_identifier(at);
        let small = u8::from(plain && tie.relation != Relation::In);
        // "the work folder" is read with its last word.
        let small = small + if words.cue(end, Cue::Folder).is_some() { 2 } else { 0 };
        let text = words.text(at, end);
        found.add(words, at, end, What::Place(format!("~/{text}")), cost + extra + small);
        and_another(words, end, cost + extra + small, found);
    }
}

/// "in both X and Y", "in X or Y": the second one of a pair.
fn and_another(words: &Words<'_>, at: usize, cost: u8, found: &mut Found) {
    let Some(((), next)) = words.reading.lattice.find(at, conjunction) else { return };
    if words.relation(next).is_some() || !(words.capital(next) || words.is_identifier(next)) {
        return;
    }
    for (end, more) in names(words, next, false) {
        let path = format!("~/{}", words.text(next, end));
        found.add(words, next, end, What::Place(path), cost + more + 1);
    }
}

/// "tidy up Scans": a name that nothing points to may be a folder too.
fn alone(words: &Words<'_>, at: usize, found: &mut Found) {
    let led = words.relation(at).is_some() || words.cue_before(at, Cue::Folder).is_some();
    let name = words.is_name(at) && !words.capital(at.wrapping_sub(1));
    let usable = matches!(words.part(at), Part::Open | Part::Known);
    let starts = words.capital(at) && !words.is_name(at) && words.part(at) == Part::Open;
    if led || !usable || !(name || starts || words.is_identifier(at)) {
        return;
    }
    let end = words.capitals(at).max(at + 1);
    let cost = if words.is_identifier(at) || name && words.part(at) == Part::Open { 3 } else { 5 };
    found.add(words, at, end, What::Place(format!("~/{}", words.text(at, end))), cost);
}

/// How far a name of a folder that begins at `at` can go, the likeliest first. `sure`: a word for folder stands before it.
pub(super) fn names(words: &Words<'_>, at: usize, sure: bool) -> Vec<(usize, u8)> {
    match words.lit(at) {
        Some(Lit::Quoted(text)) => {
            let name = !text.contains('/') && text.split_whitespace().count() <= LISTED;
            let plain = !text.contains([',', '.', ':', ';', '!', '?']);
            return if name && (sure || plain) {
                vec![(at + 1, if sure { 0 } else { 2 })]
            } else {
                Vec::new()
            };
        }
        Some(Lit::Number(_)) if sure => return vec![(at + 1, 1)],
        Some(Lit::File(_)) if sure => return vec![(at + 1, 2)],
        Some(Lit::Word) => {}
        _ => return Vec::new(),
    }
    let part = words.part(at);
    // A word for a folder that everybody has means that one.
    let place = |edge: &crate::lattice::Edge| matches!(edge.sense, Sense::Place(_));
    let taken = words.edges(at).iter().any(place)
        || part == Part::Open && words.is_name(at) && known_word(words, &words.text(at, at + 1)).is_some();
    let extra = if taken { 4 } else { 0 };
    if words.capital(at) && part != Part::Binds && (part != Part::Dated || sure) {
        let alone = words.capitals(at) == at + 1;
        let known = if part == Part::Known && alone && !sure && !taken { 2 } else { 0 };
        return capital_names(words, at, extra + known, sure);
    }
    let cost = match part {
        Part::Binds | Part::Other => return Vec::new(),
        _ if words.is_identifier(at) => u8::from(!sure),
        Part::Dated if sure => 2,
        Part::Dated => return Vec::new(),
        Part::Open if sure => 0,
        Part::Open => 2 + u8::from(!words.edges(at).is_empty()),
        Part::Known if sure => 1,
        Part::Known => 5,
    };
    let cost = cost + extra + if words.may_bind(at) { 2 } else { 0 };
    let mut spans = vec![(at + 1, cost)];
    if !words.is_identifier(at) {
        let less = u8::from(sure);
        spans.extend(further(words, at + 1).into_iter().map(|(end, more)| (end, cost + more - less)));
    }
    spans
}

/// "Bagno Ferrari", "Lavori finiti", "Gita a Ravenna".
fn capital_names(words: &Words<'_>, at: usize, cost: u8, sure: bool) -> Vec<(usize, u8)> {
    let end = words.capitals(at);
    // "Da vedere": a word that elsewhere only binds is no name alone.
    let binds = |edge: &crate::lattice::Edge| matches!(edge.sense, Sense::Relation(_) | Sense::Idle);
    let half = end == at + 1 && words.edges(at).iter().any(binds);
    let mut spans = vec![(end, cost + if half { 3 } else { 0 })];
    if end > at + 1 {
        spans.push((at + 1, cost + 3));
    }
    let small = |at: usize| matches!(words.part(at), Part::Open | Part::Known);
    if small(end) {
        // Likelier where the phrase ends with it.
        let last = words.ends_phrase(end + 1) || words.part(end + 1) == Part::Binds;
        let act = words.edges(end).iter().any(|edge| matches!(edge.sense, Sense::Act(_) | Sense::Cue(_)));
        let extra = match words.part(end) {
            _ if half => 0,
            _ if act => 5,
            Part::Open => 2 - u8::from(last),
            _ => 3,
        };
        spans.push((end + 1, cost + extra));
    }
    let tied = words.edges(end).iter().filter(|edge| edge.end == end + 1).find_map(|edge| match edge.sense {
        Sense::Relation(Relation::Of) => Some(2),
        Sense::Relation(Relation::To) => Some(3),
        Sense::Relation(Relation::In) => Some(4),
        _ => None,
    });
    let place = words.edges(end + 1).iter().any(|edge| matches!(edge.sense, Sense::Place(_)));
    let word = matches!(words.lit(end + 1), Some(Lit::Word)) && words.part(end + 1) != Part::Binds;
    if let Some(extra) =
        tied.filter(|_| word && !place && !words.is_identifier(at) && words.part(end) == Part::Binds)
    {
        let far = words.capitals(end + 1).max(end + 2);
        spans.push((far, cost + extra + if sure { 0 } else { 2 }));
    }
    spans
}
