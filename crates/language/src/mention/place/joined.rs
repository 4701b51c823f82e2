//! A folder in a folder, a file in a folder: "the Invoices folder in Documents", "cv.pdf in Documents".

use super::folders::conjunction;
use super::span::Words;
use super::{Called, Found, What};
use crate::sense::Relation;
use crate::token::Lit;

/// Further apart than this two names have nothing to do with each other.
const APART: usize = 10;
/// Readings of places on one side of a name that are looked at.
const NEAR: usize = 12;
/// So far from the end of a name the next one of a list begins.
const LISTED: usize = 3;
/// Readings of one place that are joined with a name.
const READINGS: usize = 3;

/// Joins the names that are there with the places beside them.
pub(super) fn read(words: &Words<'_>, found: &mut Found) {
    let mut places: Vec<Place> = Vec::new();
    for mention in &found.mentions {
        let What::Place(path) = &mention.what else { continue };
        let Some(relation @ (Relation::In | Relation::From | Relation::To)) = mention.relation else {
            continue;
        };
        if mention.cost <= 4 {
            let place = Place {
                from: mention.from,
                to: mention.to,
                path: path.clone(),
                relation,
                cost: mention.cost,
            };
            places.push(place);
        }
    }
    places.sort_by_key(|place| (place.from, place.cost));
    let files: Vec<Called> = found
        .mentions
        .iter()
        .filter_map(|mention| match &mention.what {
            What::Name(name) if mention.cost <= 4 && !name.contains('*') && name.contains('.') => {
                Some(Called { from: mention.from, to: mention.to, name: name.clone(), cost: mention.cost })
            }
            _ => None,
        })
        .collect();
    for file in &files {
        for (place, from, to, cost) in beside(words, file, &places, Relation::To) {
            found.add(words, from, to, What::Path(format!("{}/{}", place.path, file.name)), cost);
        }
    }
    let mut called = std::mem::take(&mut found.called);
    called.sort_by_key(|folder| std::cmp::Reverse(folder.from));
    // Where the last of a list is, all of it is.
    let mut shared: Vec<(usize, String, u8)> = Vec::new();
    for folder in called {
        let next = folder.to..folder.to + LISTED;
        let listed = |at: &usize| next.contains(at) && is_list(words, folder.to, *at);
        let inherited: Vec<(usize, String, u8)> = shared
            .iter()
            .rev()
            .take(READINGS * 4)
            .filter(|(at, ..)| listed(at))
            .map(|(_, path, cost)| (folder.from, path.clone(), *cost))
            .collect();
        for (_, path, cost) in &inherited {
            found.add(words, folder.from, folder.to, What::Place(format!("{path}/{}", folder.name)), *cost);
        }
        shared.extend(inherited);
        for (place, from, to, cost) in beside(words, &folder, &places, Relation::Of) {
            // What is on a path as typed would be typed with it.
            let typed = matches!(words.lit(place.from), Some(Lit::Path(_)));
            let into = u8::from(place.relation == Relation::To) + if typed { 3 } else { 1 };
            found.add(words, from, to, What::Place(format!("{}/{}", place.path, folder.name)), cost + into);
            shared.push((folder.from, place.path.clone(), cost + into));
        }
    }
}

/// Whether nothing but what joins a list stands between two tokens.
fn is_list(words: &Words<'_>, from: usize, to: usize) -> bool {
    from < to
        && (from..to)
            .all(|at| words.symbol(at) == Some(',') || words.reading.lattice.find(at, conjunction).is_some())
}

struct Place {
    from: usize,
    to: usize,
    path: String,
    relation: Relation,
    cost: u8,
}

/// The places next to a name, after it and before it, with the tokens both cover and the cost.
fn beside<'p>(
    words: &Words<'_>,
    name: &Called,
    places: &'p [Place],
    never: Relation,
) -> Vec<(&'p Place, usize, usize, u8)> {
    let mut joined = Vec::new();
    let first = places.partition_point(|place| place.from < name.to);
    let after = places[first..].iter().take(NEAR).find(|place| place.relation != never);
    let next = after.filter(|place| place.from - name.to <= APART && !parted(words, name.to, place.from));
    if let Some(next) = next {
        let same = |place: &&Place| place.from == next.from;
        for place in
            places[first..].iter().take_while(|place| place.from <= next.from).filter(same).take(READINGS)
        {
            let gap = place.from - name.to;
            let touching = words.relation(place.from).is_some_and(|tie| tie.from <= name.to);
            let cost = name.cost + place.cost + if touching { 0 } else { 1 + u8::from(gap > 4) };
            // What stands between is another's.
            let (from, to) = if touching { (name.from, place.to) } else { (name.from, name.to) };
            joined.push((place, from, to, cost));
        }
    }
    let last = places.partition_point(|place| place.from < name.from);
    let mut near = places[..last].iter().rev().take(NEAR);
    let before = near.find(|place| place.relation != never && place.to <= name.from);
    if let Some(previous) =
        before.filter(|place| name.from - place.to <= APART && !parted(words, place.to, name.from))
    {
        let same = |place: &&Place| place.from == previous.from && place.to <= name.from;
        for place in places[..last].iter().rev().take(READINGS * 2).filter(same).take(READINGS) {
            joined.push((place, name.from, name.to, name.cost + place.cost + 3));
        }
    }
    joined
}

/// Whether a sentence ends between two tokens.
fn parted(words: &Words<'_>, from: usize, to: usize) -> bool {
    (from..to).any(|at| words.ends_sentence(at) && words.symbol(at) != Some('?'))
}
