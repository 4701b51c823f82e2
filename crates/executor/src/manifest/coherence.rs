//! Whether manifest and schema tell the same story.

use super::Manifest;
use crate::profile::Scope;
use crate::schema::{Schema, Schemas};

/// Why they do not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("manifest.toml: {place}: {message}")]
pub struct Incoherence {
    /// The part of the manifest.
    pub place: String,
    /// What the schema says instead.
    pub message: String,
}

/// Checks the manifest against the schema beside it.
pub fn coherent(manifest: &Manifest, schemas: &Schemas) -> Result<(), Incoherence> {
    let sandbox = &manifest.sandbox;
    for (key, scopes) in [("read", &sandbox.read), ("write", &sandbox.write)] {
        for scope in scopes {
            check_scope(scope, &schemas.input)
                .map_err(|message| Incoherence { place: format!("[sandbox] {key}: {scope}"), message })?;
        }
    }
    for (i, capability) in manifest.capability.iter().enumerate() {
        let Some(target) = &capability.target else { continue };
        let place = || format!("[[capability]] {i}: {target}");
        check_target(target, &schemas.input).map_err(|message| Incoherence { place: place(), message })?;
    }
    super::plan::coherent(&manifest.plan, &schemas.input)?;
    let declares = |names: &[&str]| manifest.capability.iter().any(|c| names.contains(&c.name.as_str()));
    let needs = |place: &str, what: &str| {
        Err(Incoherence { place: place.to_owned(), message: format!("needs the capability {what}") })
    };
    // A path the policy is not asked about would be a path nobody was asked about.
    if !sandbox.write.is_empty() && !declares(&["fs:write"]) {
        return needs("[sandbox] write", "fs:write");
    }
    if !sandbox.read.is_empty() && !declares(&["fs:read", "fs:write"]) {
        return needs("[sandbox] read", "fs:read");
    }
    Ok(())
}

fn check_scope(scope: &Scope, input: &Schema) -> Result<(), String> {
    match scope {
        Scope::Workspace | Scope::Literal(_) => Ok(()),
        Scope::Arg(name) => match input.property(name) {
            None => Err(missing(name, input)),
            Some(schema) if !schema.holds_paths() => {
                Err(format!("the argument {name:?} is not a path: it lacks \"format\": \"path\""))
            }
            Some(_) => Ok(()),
        },
        Scope::Entries(_) => entries(input),
    }
}

fn check_target(target: &str, input: &Schema) -> Result<(), String> {
    match target.split_once(':') {
        Some(("arg", name)) if input.property(name).is_none() => Err(missing(name, input)),
        Some(("entries", _)) => entries(input),
        _ => Ok(()),
    }
}

fn entries(input: &Schema) -> Result<(), String> {
    match input.property("entries") {
        Some(schema) if schema.is_list() => Ok(()),
        Some(_) => Err("the argument \"entries\" is not a list".to_owned()),
        None => Err("Input has no \"entries\"".to_owned()),
    }
}

pub(super) fn missing(name: &str, input: &Schema) -> String {
    let near = metnos_vocab::nearest(name, input.properties().map(|(name, _)| name));
    let hint = near.map(|near| format!("; nearest: {near:?}")).unwrap_or_default();
    format!("Input has no argument {name:?}{hint}")
}
