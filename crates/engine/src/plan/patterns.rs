//! Patterns of names as conditions on records that are there already.

use crate::catalog::Role;
use crate::parse::ending;
use serde_json::Value;

/// A field, the comparison and its value.
pub(super) type Part = (&'static str, Role, Value);

/// The conditions that records of such names meet; nothing where a filter cannot say it.
pub(super) fn conditions(patterns: &[String]) -> Option<Vec<Part>> {
    let parts: Vec<(&str, Option<&str>)> = patterns.iter().map(|pattern| split(pattern)).collect();
    let mut names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
    let mut endings: Vec<Option<&str>> = parts.iter().map(|(_, ext)| *ext).collect();
    names.sort_unstable();
    names.dedup();
    endings.sort_unstable();
    endings.dedup();
    // Alternatives of two fields are no conjunction of two conditions.
    if names.len() * endings.len() != parts.len() || endings.len() > 1 && endings.contains(&None) {
        return None;
    }
    let mut out = Vec::new();
    let endings: Vec<Value> = endings.into_iter().flatten().map(Value::from).collect();
    match <[Value; 1]>::try_from(endings) {
        Ok([one]) => out.push(("ext", Role::WhereValue, one)),
        Err(several) if !several.is_empty() => out.push(("ext", Role::WhereIn, several.into())),
        Err(_) => {}
    }
    if names.iter().all(|name| !name.contains('*')) && names.len() > 1 {
        out.push(("name", Role::WhereIn, names.into()));
    } else if names.len() > 1 {
        return None;
    } else if let Some(name) = names.first().filter(|name| **name != "*") {
        let (role, bare) = shape(name)?;
        out.push(("name", role, bare.into()));
    }
    Some(out)
}

/// The name and the ending a pattern asks for; a whole name keeps its ending.
fn split(pattern: &str) -> (&str, Option<&str>) {
    if let Some(ext) = ending(pattern) {
        return ("*", Some(ext));
    }
    let parts = pattern.rsplit_once('.').filter(|(name, ext)| name.contains('*') && !ext.contains('*'));
    parts.map_or((pattern, None), |(name, ext)| (name, Some(ext)))
}

/// How a filter compares with a name of this shape; none compares the end of a name.
fn shape(name: &str) -> Option<(Role, String)> {
    let bare = name.trim_matches('*');
    let role = match (name.starts_with('*'), name.ends_with('*')) {
        (true, true) => Role::WhereContains,
        (false, true) => Role::WhereStartsWith,
        (false, false) => Role::WhereValue,
        (true, false) => return None,
    };
    (!bare.contains('*')).then(|| (role, bare.to_owned()))
}
