//! A tree as it will be after some operations, over the tree as it is: only what differs is held.

use std::collections::{BTreeSet, HashMap};
use std::ops::Bound;
use std::path::{Path, PathBuf};

/// What the operations so far put at paths; `None` where they took something away.
#[derive(Debug)]
pub(crate) struct Overlay<T> {
    at: HashMap<PathBuf, Option<T>>,
    /// The same paths in order: what is below a folder is found at once. Looking up in it is dear.
    order: BTreeSet<PathBuf>,
}

/// What an overlay knows of a path.
#[derive(Debug)]
pub(crate) enum Found<'o, T> {
    /// This stands there, or nothing does.
    Here(Option<&'o T>),
    /// Nothing of the path itself, but this of a folder above it.
    Below(Option<&'o T>, PathBuf),
    /// It is as it was.
    Untouched,
}

impl<T> Default for Overlay<T> {
    fn default() -> Self {
        Self { at: HashMap::new(), order: BTreeSet::new() }
    }
}

impl<T> Overlay<T> {
    /// What is known of `path`.
    pub(crate) fn find(&self, path: &Path) -> Found<'_, T> {
        for above in path.ancestors() {
            if let Some(thing) = self.at.get(above) {
                return match path.strip_prefix(above) {
                    Ok(rest) if !rest.as_os_str().is_empty() => Found::Below(thing.as_ref(), rest.to_owned()),
                    _ => Found::Here(thing.as_ref()),
                };
            }
        }
        Found::Untouched
    }

    /// Something stands at `path`, or nothing does.
    pub(crate) fn set(&mut self, path: &Path, thing: Option<T>) {
        match self.at.get_mut(path) {
            Some(known) => *known = thing,
            None => {
                self.at.insert(path.to_owned(), thing);
                self.order.insert(path.to_owned());
            }
        }
    }

    /// `thing` goes from `src` to `dst`, with everything that is known below it.
    pub(crate) fn carry(&mut self, src: &Path, dst: &Path, thing: T) {
        let below = (Bound::Excluded(src), Bound::Unbounded);
        let inside: Vec<PathBuf> =
            self.order.range::<Path, _>(below).take_while(|path| path.starts_with(src)).cloned().collect();
        for path in inside {
            self.order.remove(&path);
            if let (Some(known), Ok(rest)) = (self.at.remove(&path), path.strip_prefix(src)) {
                self.set(&dst.join(rest), known);
            }
        }
        self.set(src, None);
        self.set(dst, Some(thing));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_takes_along_what_is_known_below_it() {
        let mut tree = Overlay::default();
        tree.set(Path::new("/d/x"), None);
        tree.set(Path::new("/d2"), Some(2));
        tree.carry(Path::new("/d"), Path::new("/e"), 1);
        assert!(matches!(tree.find(Path::new("/e/x")), Found::Here(None)));
        assert!(
            matches!(tree.find(Path::new("/e/y")), Found::Below(Some(1), rest) if rest == Path::new("y"))
        );
        assert!(matches!(tree.find(Path::new("/d/x")), Found::Below(None, _)));
        assert!(matches!(tree.find(Path::new("/d2")), Found::Here(Some(2))));
        assert!(matches!(tree.find(Path::new("/f")), Found::Untouched));
    }
}
