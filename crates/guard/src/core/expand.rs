//! Landlock cannot subtract: a grant above a core path becomes grants of what lies beside it.

use super::{Act, Look, Verdict};
use std::path::{Path, PathBuf};

/// What a grant comes to once the core is taken out of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expansion {
    /// Files and folders that may be granted with everything below them.
    pub trees: Vec<PathBuf>,
    /// Folders on the way to a core path: their names may be listed, nothing more.
    pub names_only: Vec<PathBuf>,
}

/// Splits `grant` along the way to core paths, as the folders are now. Symbolic links are not
/// followed: what they lead to is granted only under its own name.
pub(super) fn expand(look: &Look<'_>, grant: &Path) -> Expansion {
    let mut expansion = Expansion::default();
    let mut left = vec![grant.to_owned()];
    while let Some(path) = left.pop() {
        let core = look.verdict(&path, Act::Read) != Verdict::Free;
        if core && !look.holds_exception(&path) {
            continue;
        }
        let Ok(meta) = std::fs::symlink_metadata(&path) else {
            // What does not exist can be granted only where nothing core can appear below it.
            if !core && !look.holds_core(&path) {
                expansion.trees.push(path);
            }
            continue;
        };
        if meta.is_symlink() {
            continue;
        }
        let whole = !meta.is_dir() || !look.holds_core(&path);
        if !core && whole {
            expansion.trees.push(path);
            continue;
        }
        // A folder that cannot be read grants nothing: its children are unknown.
        let Ok(children) = std::fs::read_dir(&path) else { continue };
        left.extend(children.flatten().map(|child| child.path()));
        if !core {
            expansion.names_only.push(path);
        }
    }
    expansion.trees.sort();
    expansion.names_only.sort();
    expansion
}
