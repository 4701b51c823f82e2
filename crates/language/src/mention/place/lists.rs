//! Several folders at once: "three folders in Work: Drafts and Final", `~/a/{b,c}`, "jan feb and mar in ~/bills".

use super::folders::{called, conjunction};
use super::span::{Part, Words};
use super::{Called, Found, Mention, What};
use crate::sense::{Cue, Relation, Sense};
use crate::token::Lit;

/// Names of one list, at most.
const LISTED: usize = 12;
/// So far from the word for folders a list begins.
const APART: usize = 7;
/// Readings of the folder of a list that are looked at, and what one may cost.
const NEAR: usize = 6;
const DEAR: u8 = 4;

/// Adds the names of lists.
pub(super) fn read(words: &Words<'_>, found: &mut Found) {
    let places = places(found);
    for at in 0..words.len() {
        after_place(words, at, &places, found);
        before_place(words, at, &places, found);
        braces(words, at, found);
    }
}

/// "three folders in Work: Drafts, Final and Signed"
fn after_place(words: &Words<'_>, at: usize, places: &[Place], found: &mut Found) {
    let Some((end, _)) = words.cue(at, Cue::Folder).filter(|(_, cost)| *cost == 0) else { return };
    let tied = |at: usize| [Relation::In, Relation::To].iter().any(|r| words.relates(at, *r).is_some());
    if !tied(end) {
        return;
    }
    let sign = |at: &usize| matches!(words.symbol(*at), Some(':' | ','));
    let Some(sign) = (end..words.len().min(end + APART)).find(sign) else { return };
    let mut names: Vec<(usize, usize)> = Vec::new();
    let mut start = sign + 1;
    while names.len() < LISTED
        && let Some(to) = name(words, start)
    {
        names.push((start, to));
        match joined(words, to) {
            Some(next) => start = next,
            None => break,
        }
    }
    let colon = words.symbol(sign) == Some(':');
    if names.len() < 2 && !colon {
        return;
    }
    let places = within(places, end..sign, sign);
    for (from, to) in names {
        listed(words, (from, to), &places, u8::from(!colon), found);
    }
}

/// A folder with its first token, one past its last, and its cost.
type Place = (usize, usize, String, u8);

/// The folders that were found, by where they begin.
fn places(found: &Found) -> Vec<Place> {
    let of = |mention: &Mention| match &mention.what {
        What::Place(path) if mention.cost < DEAR => {
            Some((mention.from, mention.to, path.clone(), mention.cost))
        }
        _ => None,
    };
    let mut all: Vec<Place> = found.mentions.iter().filter_map(of).collect();
    all.sort_by_key(|place| place.0);
    all
}

/// Those that lie between two tokens, with what each costs.
fn within(places: &[Place], from: std::ops::Range<usize>, to: usize) -> Vec<(String, u8)> {
    let first = places.partition_point(|place| place.0 < from.start);
    let inside =
        places[first..].iter().take_while(|place| from.contains(&place.0)).filter(|place| place.1 <= to);
    inside.map(|(_, _, path, cost)| (path.clone(), *cost)).take(NEAR).collect()
}

/// A name of a list: below the folder that was said for all, or by itself.
fn listed(
    words: &Words<'_>,
    (from, to): (usize, usize),
    places: &[(String, u8)],
    cost: u8,
    found: &mut Found,
) {
    let name = words.text(from, to);
    for (place, more) in places {
        found.add(words, from, to, What::Place(format!("{place}/{name}")), cost + more);
    }
    called(words, found, Called { from, to, name, cost: cost + ALONE });
}

/// What it costs to take a name of such a list for a folder by itself.
const ALONE: u8 = 3;

/// "jan feb and mar in ~/bills": what is made, one word each, right before the folder they go to.
fn before_place(words: &Words<'_>, at: usize, places: &[Place], found: &mut Found) {
    let makes = |edge: &crate::lattice::Edge| match edge.sense {
        Sense::Act(id) => ["create", "make"].contains(&id.name()) && edge.cost == 0,
        Sense::Cue(Cue::Folder) => edge.cost == 0,
        _ => false,
    };
    let Some(edge) = words.edges(at).iter().find(|edge| makes(edge)) else { return };
    let mut names: Vec<usize> = Vec::new();
    let mut next = words.skip_idle(edge.end);
    while names.len() < LISTED {
        let one = matches!(words.lit(next), Some(Lit::Word | Lit::Number(_)))
            && matches!(words.part(next), Part::Open | Part::Known | Part::Dated);
        if !one || words.cue(next, Cue::Folder).is_some() {
            break;
        }
        names.push(next);
        next = joined(words, next + 1).unwrap_or(next + 1);
    }
    let Some(tie) = words.relates(next, Relation::In).or_else(|| words.relates(next, Relation::To)) else {
        return;
    };
    let goal = words.skip_idle(tie);
    if names.len() < 2 {
        return;
    }
    let places = within(places, goal..goal + 1, goal + APART);
    for from in names {
        listed(words, (from, from + 1), &places, 1, found);
    }
}

/// `~/proj/{docs,src,tests}`
fn braces(words: &Words<'_>, at: usize, found: &mut Found) {
    let Some(Lit::Path(base)) = words.lit(at) else { return };
    if words.symbol(at + 1) != Some('{') || !words.is_glued(at + 1) {
        return;
    }
    let mut next = at + 2;
    while next < at + 2 + 2 * LISTED
        && let Some(Lit::Word | Lit::Number(_) | Lit::File(_)) = words.lit(next)
    {
        let path = format!("{}/{}", base.trim_end_matches('/'), words.text(next, next + 1));
        found.add(words, next, next + 1, What::Path(path), 0);
        if words.symbol(next + 1) != Some(',') {
            break;
        }
        next += 2;
    }
}

/// Where a name of a list ends that begins here.
fn name(words: &Words<'_>, at: usize) -> Option<usize> {
    let usable = matches!(words.part(at), Part::Open | Part::Known) || words.is_quoted(at);
    if !usable || !matches!(words.lit(at), Some(Lit::Word | Lit::Quoted(_))) {
        return None;
    }
    Some(words.capitals(at).max(at + 1))
}

/// Where the next name begins: after a comma, "and", or both.
fn joined(words: &Words<'_>, at: usize) -> Option<usize> {
    let comma = at + usize::from(words.symbol(at) == Some(','));
    let end = words.reading.lattice.find(comma, conjunction).map_or(comma, |((), end)| end);
    (end > at).then_some(end)
}
