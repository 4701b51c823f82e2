//! The territory: the roots the person opened to Metnos.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Opened roots, canonical; none lies inside another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Territory {
    roots: Vec<PathBuf>,
}

/// Roots on one file system. They can share a mount, so that renames between them stay renames.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The file system.
    pub dev: u64,
    /// Its roots, in order.
    pub roots: Vec<PathBuf>,
}

impl Territory {
    /// The territory with these roots. Relative ones are dropped, nested ones merged.
    pub fn new(roots: impl IntoIterator<Item = PathBuf>) -> Self {
        let mut sorted: Vec<PathBuf> = roots.into_iter().filter(|r| r.is_absolute()).collect();
        sorted.sort();
        let mut merged: Vec<PathBuf> = Vec::with_capacity(sorted.len());
        for root in sorted {
            if !merged.iter().any(|outer| root.starts_with(outer)) {
                merged.push(root);
            }
        }
        Self { roots: merged }
    }

    /// What is open before anybody opened anything: the workspace and the home.
    pub fn default_for(workspace: &Path, home: &Path) -> Self {
        Self::new([workspace.to_owned(), home.to_owned()])
    }

    /// Whether `path`, canonical, lies in the territory.
    pub fn contains(&self, path: &Path) -> bool {
        self.root_of(path).is_some()
    }

    /// The root `path` lies in.
    pub fn root_of(&self, path: &Path) -> Option<&Path> {
        self.roots.iter().find(|root| path.starts_with(root)).map(PathBuf::as_path)
    }

    /// The roots, in order.
    pub fn roots(&self) -> &[PathBuf] {
        &self.roots
    }

    /// The roots that exist, by file system.
    pub fn by_filesystem(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        for root in &self.roots {
            let Ok(meta) = std::fs::metadata(root) else { continue };
            match groups.iter_mut().find(|g| g.dev == meta.dev()) {
                Some(group) => group.roots.push(root.clone()),
                None => groups.push(Group { dev: meta.dev(), roots: vec![root.clone()] }),
            }
        }
        groups
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    fn territory(roots: &[&str]) -> Territory {
        Territory::new(roots.iter().map(PathBuf::from))
    }

    #[test]
    fn nested_roots_are_merged() {
        let merged = territory(&["/home/u/work", "/home/u", "/data", "/home/u", "/home/u2", "relative"]);
        assert_eq!(merged.roots(), ["/data", "/home/u", "/home/u2"].map(PathBuf::from));
    }

    #[test]
    fn a_name_that_only_begins_alike_is_outside() {
        let home = territory(&["/home/u"]);
        assert!(home.contains(Path::new("/home/u")));
        assert!(home.contains(Path::new("/home/u/a/b")));
        assert!(!home.contains(Path::new("/home/u2")));
        assert!(!home.contains(Path::new("/home")));
        assert!(!Territory::default().contains(Path::new("/")));
    }

    #[test]
    fn roots_of_one_file_system_are_grouped() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        std::fs::create_dir_all(&a).unwrap();
        std::fs::create_dir_all(&b).unwrap();
        let groups =
            Territory::new([a.clone(), b.clone(), dir.path().join("gone"), "/proc".into()]).by_filesystem();
        assert_eq!(groups.len(), 2);
        assert!(groups.iter().any(|g| g.roots == [a.clone(), b.clone()]));
    }
}
