//! Files that run code by themselves, outside a cell: start files of shells, what a desktop starts, hooks of
//! repositories. The list is one data file. To change one is to decide what will run, so a person is asked each time.

use crate::core::inside;
use metnos_executor::lab::{self, Layer};
use serde::Deserialize;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

const LIST: &str = include_str!("../data/runs.toml");

/// Why the list cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the list of files that run code: {0}")]
pub struct RunsError(#[from] toml::de::Error);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    home: Vec<PathBuf>,
    anywhere: Vec<PathBuf>,
}

/// The list, by the first part of each path in it: most files share none with any.
#[derive(Debug)]
pub struct Runs {
    root: PathBuf,
    home: HashMap<String, Vec<PathBuf>>,
    anywhere: HashMap<String, Vec<PathBuf>>,
}

impl Runs {
    /// The list this binary was built with, for the account with this home.
    pub fn load(home: &Path) -> Result<Self, RunsError> {
        let list: List = toml::from_str(LIST)?;
        Ok(Self { root: home.to_owned(), home: by_first(list.home), anywhere: by_first(list.anywhere) })
    }

    /// Whether what stands at `path` runs by itself.
    pub fn holds(&self, path: &Path) -> bool {
        let among = |listed: &HashMap<String, Vec<PathBuf>>, rest: &Path| {
            let found = rest.iter().next().and_then(|first| listed.get(&folded(first)));
            found.is_some_and(|listed| listed.iter().any(|one| inside(rest, one)))
        };
        let below = self.below(path);
        if below.is_some_and(|rest| among(&self.home, &rest)) {
            return true;
        }
        // Anywhere in the path: a folder of the list stands for what is in it.
        let mut rest = path.components();
        while rest.next().is_some() {
            if among(&self.anywhere, rest.as_path()) {
                return true;
            }
        }
        false
    }

    /// Where links at listed places lead now: what stands there runs too.
    pub fn linked(&self) -> Vec<PathBuf> {
        let listed = self.home.values().flatten().map(|name| self.root.join(name));
        let led = listed.filter_map(|listed| listed.canonicalize().ok().filter(|real| *real != listed));
        // A home that is itself reached by a link leads every name elsewhere, and nowhere new.
        let home = self.root.canonicalize().unwrap_or_else(|_| self.root.clone());
        led.filter(|real| !self.holds(&self.root.join(real.strip_prefix(&home).unwrap_or(real)))).collect()
    }

    /// What would run by itself once `path` has gone, has come, or is what now stands at `from`: itself, or what a
    /// folder brings or takes along.
    pub fn touched(&self, path: &Path, from: Option<&Path>, linked: &[PathBuf]) -> Option<PathBuf> {
        if lab::without(Layer::RunsCode) {
            return None;
        }
        if self.holds(path) || linked.iter().any(|one| inside(path, one) || inside(one, path)) {
            return Some(path.to_owned());
        }
        // Only the home, those above it, and the first folders in it hold anything of the list.
        if !inside(&self.root, path) && self.below(path).is_none_or(|rest| rest.iter().count() > 4) {
            return None;
        }
        let listed = self.home.values().flatten().map(|name| self.root.join(name));
        listed.filter(|listed| inside(listed, path)).find(|listed| {
            let rest: PathBuf = listed.iter().skip(path.iter().count()).collect();
            let there = |root: &Path| root.join(&rest).symlink_metadata().is_ok();
            there(path) || from.is_some_and(there)
        })
    }

    /// Where in the home it lies.
    fn below(&self, path: &Path) -> Option<PathBuf> {
        inside(path, &self.root).then(|| path.iter().skip(self.root.iter().count()).collect())
    }
}

fn by_first(list: Vec<PathBuf>) -> HashMap<String, Vec<PathBuf>> {
    let mut all: HashMap<String, Vec<PathBuf>> = HashMap::new();
    for path in list {
        let first = path.iter().next().map(folded).unwrap_or_default();
        all.entry(first).or_default().push(path);
    }
    all
}

fn folded(name: &OsStr) -> String {
    name.to_string_lossy().to_lowercase()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn start_files_and_hooks_are_known_and_their_neighbours_are_not() {
        let runs = Runs::load(Path::new("/home/u")).unwrap();
        for path in [
            "/home/u/.bashrc",
            "/home/u/.BASHRC",
            "/home/u/.config/autostart/x.desktop",
            "/home/u/.config/systemd/user/x.service",
            "/home/u/code/x/.git/hooks/pre-commit",
            "/srv/x/.git/config",
            "/home/u/x/.envrc",
        ] {
            assert!(runs.holds(Path::new(path)), "{path}");
        }
        for path in [
            "/home/u/bashrc",
            "/home/v/.bashrc",
            "/home/u/x/hooks/a",
            "/home/u/.config",
            "/home/u/git/config",
        ] {
            assert!(!runs.holds(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn a_folder_brings_and_takes_along_what_runs() {
        let home = tempfile::tempdir().unwrap();
        let runs = Runs::load(home.path()).unwrap();
        let (config, other) = (home.path().join(".config"), home.path().join("other"));
        assert_eq!(runs.touched(&config, None, &[]), None);
        std::fs::create_dir_all(other.join("autostart")).unwrap();
        assert_eq!(runs.touched(&config, Some(&other), &[]), Some(config.join("autostart")));
        std::fs::create_dir_all(config.join("autostart")).unwrap();
        assert_eq!(runs.touched(&config, None, &[]), Some(config.join("autostart")));
    }
}
