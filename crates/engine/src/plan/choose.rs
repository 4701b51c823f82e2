//! Which executor: by verb, object and qualifier, then by how many of the values at hand it takes.

use crate::catalog::{Catalog, Role, Tool};
use metnos_vocab::Class;
use std::collections::BTreeSet;

/// What is looked for.
#[derive(Clone, Debug, Default)]
pub(super) struct Want<'a> {
    /// The verb; any producer (or what else makes records of nothing) when absent.
    pub(super) verb: Option<&'a str>,
    /// The object.
    pub(super) object: &'a str,
    /// Qualifiers there is evidence for.
    pub(super) qualifiers: &'a [String],
    /// Verbs there is evidence for.
    pub(super) verbs: &'a [String],
    /// The roles of the values at hand.
    pub(super) roles: BTreeSet<Role>,
    /// Values that narrow: an executor that cannot take them is a worse fit.
    pub(super) narrowing: BTreeSet<Role>,
    /// Whether a list can be piped in.
    pub(super) piped: bool,
}

/// Verbs of producers, nearest to "show me" first.
const SHOWING: [&str; 4] = ["find", "list", "get", "read"];

pub(super) fn choose<'c>(catalog: &'c Catalog, want: &Want<'_>) -> Option<&'c Tool> {
    let mut best: Option<((i64, i64), &Tool)> = None;
    for tool in catalog.tools().filter(|_| !want.object.is_empty()) {
        if tool.object() != want.object {
            continue;
        }
        let asked = want.verbs.iter().any(|verb| verb == tool.verb());
        match want.verb {
            Some(verb) if verb != tool.verb() => continue,
            None if tool.class == Class::Changer => continue,
            None if tool.class == Class::Processor && !asked && has_producer(catalog, want.object, want) => {
                continue;
            }
            _ => {}
        }
        let qualifier = tool.qualifier();
        let qualified = want.qualifiers.iter().any(|q| q == qualifier);
        if !qualifier.is_empty() && !qualified {
            continue;
        }
        if !satisfied(tool, want) {
            continue;
        }
        let taken = want.roles.iter().filter(|role| accepts(tool, **role)).count();
        let refused = want.narrowing.iter().filter(|role| !accepts(tool, **role)).count();
        let score = 6 * i64::from(qualified) + 8 * i64::from(asked) + 3 * taken as i64 - 4 * refused as i64;
        let rank = -(SHOWING.iter().position(|verb| *verb == tool.verb()).unwrap_or(SHOWING.len()) as i64);
        if best.as_ref().is_none_or(|(top, _)| (score, rank) > *top) {
            best = Some(((score, rank), tool));
        }
    }
    best.map(|(_, tool)| tool)
}

fn has_producer(catalog: &Catalog, object: &str, want: &Want<'_>) -> bool {
    catalog.tools().any(|tool| {
        tool.object() == object
            && tool.class == Class::Producer
            && (tool.qualifier().is_empty() || want.qualifiers.iter().any(|q| q == tool.qualifier()))
    })
}

/// Whether what it cannot do without is at hand.
fn satisfied(tool: &Tool, want: &Want<'_>) -> bool {
    // A changer that lacks something is asked about, not passed over.
    if tool.class == Class::Changer {
        return true;
    }
    tool.requires.iter().all(|group| {
        group.iter().any(|name| {
            let role = tool.args.iter().find(|arg| arg.name == *name).and_then(|arg| arg.role);
            match role {
                Some(Role::List) => want.piped,
                Some(role) => has(tool, want, role),
                None => false,
            }
        })
    })
}

fn has(tool: &Tool, want: &Want<'_>, role: Role) -> bool {
    want.roles.contains(&role) || stand_in(tool, role).iter().any(|other| want.roles.contains(other))
}

/// Whether a value of this role has a place in the executor.
pub(super) fn accepts(tool: &Tool, role: Role) -> bool {
    tool.takes(role)
        || role == Role::Before && tool.takes(Role::Window)
        || tool.args.iter().any(|arg| arg.role.is_some_and(|own| stand_in(tool, own).contains(&role)))
}

/// The roles whose values an argument takes when none of its own is there.
pub(super) fn stand_in(tool: &Tool, role: Role) -> &'static [Role] {
    match role {
        // A folder is a path where folders are meant; elsewhere it is where the things are.
        Role::Paths if tool.class == metnos_vocab::Class::Producer && tool.object() == "dirs" => {
            &[Role::Place]
        }
        Role::Pattern => &[Role::Contains],
        Role::Query => &[Role::Contains],
        Role::Window => &[Role::After],
        _ => &[],
    }
}
