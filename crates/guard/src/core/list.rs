//! The data file, and what its patterns stand for on this machine.

use super::alias::Aliases;
use super::links::Links;
use super::{CoreError, CorePaths, CoreVars, Entry};
use metnos_executor::lab::{self, Layer};
use serde::Deserialize;
use std::path::{Component, Path, PathBuf};

const LIST: &str = include_str!("../../data/core.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    version: u32,
    path: Vec<Pattern>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Pattern {
    at: String,
    reason: String,
    #[serde(default)]
    unless_home: bool,
    #[serde(default)]
    others_only: bool,
    #[serde(default)]
    by_name_only: bool,
}

pub(super) fn load(vars: &CoreVars) -> Result<CorePaths, CoreError> {
    let list: List = toml::from_str(LIST)?;
    let mut entries = Vec::with_capacity(list.path.len());
    // Even a test build keeps what would only break its own cell.
    let kept = |at: &str| !lab::without(Layer::CoreGuard) || ["/proc", "/sys", "/dev"].contains(&at);
    for pattern in list.path.into_iter().filter(|pattern| kept(&pattern.at)) {
        for literal in stands_for(&pattern.at, vars) {
            if !literal.is_absolute() || literal.components().any(|c| c == Component::ParentDir) {
                return Err(CoreError::NotAbsolute { at: pattern.at });
            }
            if pattern.unless_home && vars.user_home.starts_with(&literal) {
                continue;
            }
            let except = if pattern.others_only { own_trees(&literal, vars) } else { Vec::new() };
            let mut paths = vec![literal];
            add_resolved(&mut paths);
            let by_identity = !pattern.by_name_only;
            entries.push(Entry { paths, reason: pattern.reason.clone(), except, by_identity });
        }
    }
    Ok(CorePaths { version: list.version, entries, aliases: Aliases::default(), links: Links::default() })
}

fn stands_for(at: &str, vars: &CoreVars) -> Vec<PathBuf> {
    if let Some(rest) = at.strip_prefix("$ROOTS/") {
        return vars.roots.iter().map(|root| root.join(rest)).collect();
    }
    vec![match at {
        "$METNOS_CONFIG" => vars.metnos_config.clone(),
        "$METNOS_STATE" => vars.metnos_state.clone(),
        "$METNOS_EXECUTORS" => vars.metnos_executors.clone(),
        "$METNOS_AUDIT" => vars.metnos_audit.clone(),
        "$METNOS_UNDO" => vars.metnos_undo.clone(),
        // Another name that begins so is not absolute, and refused for it.
        _ => match at.strip_prefix("~/") {
            Some(rest) => vars.user_home.join(rest),
            None => PathBuf::from(at),
        },
    }]
}

/// The trees directly below `literal` that hold Metnos's own folders.
fn own_trees(literal: &Path, vars: &CoreVars) -> Vec<PathBuf> {
    let own = [
        &vars.metnos_config,
        &vars.metnos_state,
        &vars.metnos_executors,
        &vars.metnos_audit,
        &vars.metnos_undo,
    ];
    let mut trees: Vec<PathBuf> = own
        .into_iter()
        .filter_map(|path| Some(literal.join(path.strip_prefix(literal).ok()?.components().next()?)))
        .collect();
    trees.sort();
    trees.dedup();
    trees
}

/// Adds where the links on the way to the path, or at its end, lead. Of a path that does not
/// exist yet, the part that does is resolved.
fn add_resolved(paths: &mut Vec<PathBuf>) {
    let Some(literal) = paths.first().cloned() else { return };
    let resolved = crate::resolve::resolve_in(&literal, Path::new("/"), Path::new("/")).map(|r| r.path);
    if let Ok(resolved) = resolved
        && resolved != literal
    {
        paths.push(resolved);
    }
}
