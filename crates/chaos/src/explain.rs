//! The tree that the journal tells of: what stood there before, and every operation that happened.

use crate::Done;
use crate::house::House;
use crate::tree::{Thing, Tree};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Works it out for one call. Contents of written files are those of the complete call.
pub(crate) fn told_by_journal(house: &House, call: &str, before: &Tree, after: &Tree) -> Done<Tree> {
    // What is recorded as done stands with what is done.
    let dir = house.metnos().join("state/journal/done").join(call);
    let mut ops = Vec::new();
    for number in 1.. {
        let path = dir.join(format!("{number}.jsonl"));
        if !path.exists() {
            break;
        }
        ops.extend(records(&path)?);
    }
    let seen = records(&dir.join("closed.jsonl"))?;
    if seen.len() != ops.len() {
        return Err(format!("{} outcomes for {} operations", seen.len(), ops.len()));
    }
    let mut tree = before.clone();
    for (op, seen) in ops.iter().zip(seen) {
        if seen["performed"] == true {
            apply(&mut tree, op, after, house)?;
        }
    }
    Ok(tree)
}

/// The lines between the first and the last.
fn records(path: &Path) -> Done<Vec<Value>> {
    let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
    let lines: Vec<&str> = text.lines().collect();
    let middle = lines.get(1..lines.len().saturating_sub(1)).unwrap_or_default();
    middle.iter().map(|line| serde_json::from_str(line).map_err(|e| e.to_string())).collect()
}

fn apply(tree: &mut Tree, op: &Value, after: &Tree, house: &House) -> Done {
    let at = |field: &str| named(house, op[field].as_str().unwrap_or_default());
    match op["op"].as_str().unwrap_or_default() {
        "make_dir" => {
            let path = at("path")?;
            let made = after.things.get(&path).cloned().unwrap_or(Thing::Other);
            tree.things.insert(path, made);
        }
        "write" | "copy" | "link" => {
            let path = at("dst")?;
            let made = after.things.get(&path).cloned().unwrap_or(Thing::Other);
            tree.things.insert(path, made);
        }
        "delete" | "remove_dir" => drop(tree.things.remove(&at("path")?)),
        "move" => {
            let (src, dst) = (at("src")?, at("dst")?);
            let moved: Vec<PathBuf> = tree.things.keys().filter(|p| p.starts_with(&src)).cloned().collect();
            for path in moved {
                let below = path.strip_prefix(&src).map_err(|e| e.to_string())?;
                let to = if below.as_os_str().is_empty() { dst.clone() } else { dst.join(below) };
                if let Some(thing) = tree.things.remove(&path) {
                    tree.things.insert(to, thing);
                }
            }
        }
        other => return Err(format!("an operation {other:?}")),
    }
    Ok(())
}

fn named(house: &House, path: &str) -> Done<PathBuf> {
    let path = Path::new(path);
    for (name, root) in [("home", house.home()), ("second", house.second.clone())] {
        if let Ok(below) = path.strip_prefix(root) {
            return Ok(Path::new(name).join(below));
        }
    }
    Err(format!("{} is in no root", path.display()))
}
