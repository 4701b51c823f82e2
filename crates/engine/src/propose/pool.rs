//! The executors a model may choose from.

use crate::catalog::Tool;
use crate::prefilter::{Candidate, Prefilter};
use crate::{Catalog, Lexicons, Request};
use metnos_vocab::Class;

/// How many the request itself speaks for.
const RANKED: usize = 9;
/// How many in all, with their companions.
const MOST: usize = 14;

/// The whole catalog: what the request speaks for first, then what can run, then the rest, by name.
pub(super) fn whole<'a>(catalog: &'a Catalog, first: &[&'a Tool]) -> Vec<&'a Tool> {
    let known = |tool: &Tool| first.iter().any(|other| other.name == tool.name);
    let mut rest: Vec<&Tool> = catalog.tools().filter(|tool| !known(tool)).collect();
    rest.sort_by(|a, b| (a.dormant.is_some(), a.name.as_str()).cmp(&(b.dormant.is_some(), b.name.as_str())));
    first.iter().copied().chain(rest).collect()
}

/// Best first: what the request speaks for, then what stands beside that in plans.
pub(super) fn pool<'a>(catalog: &'a Catalog, lexicons: &Lexicons, request: &Request<'_>) -> Vec<&'a Tool> {
    let rows: Vec<Candidate> = catalog.tools().map(Candidate::from).collect();
    let prefilter = Prefilter::new(&rows, lexicons);
    let mut pool: Vec<&Tool> = Vec::new();
    let add = |pool: &mut Vec<&'a Tool>, name: &str| {
        if let Some(tool) = catalog.get(name)
            && pool.len() < MOST
            && !pool.iter().any(|known| known.name == tool.name)
        {
            pool.push(tool);
        }
    };
    for name in prefilter.rank(request.text).into_iter().take(RANKED) {
        add(&mut pool, name);
    }
    // Who works on a list needs somebody who brings one.
    let mut makers: Vec<&Tool> = catalog
        .tools()
        .filter(|tool| {
            let wanted = pool.iter().any(|other| other.piped() && other.object() == tool.object());
            tool.class == Class::Producer
                && tool.pipes
                && !tool.piped()
                && tool.qualifier().is_empty()
                && wanted
        })
        .collect();
    makers.truncate(2);
    for maker in makers {
        add(&mut pool, maker.name.as_str());
    }
    for companion in pool.clone().iter().flat_map(|tool| &tool.companions) {
        add(&mut pool, companion);
    }
    pool
}
