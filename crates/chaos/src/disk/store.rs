//! A file system in memory with two states: the one programs see, and the one a power loss leaves.
//!
//! The model. Content, size, mode and dates of a file become durable when that file is synced. A
//! change of a name is a record; the records of a folder become durable when that folder is synced,
//! and a rename between two folders is one record that either of them takes along, with every earlier
//! record on the same names. Under the ordered model a sync of anything takes all earlier records
//! along, as ext4 and xfs do. Nothing else is durable: a new folder that nobody synced takes
//! everything in it away.

use crate::options::Model;
use crate::random::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::sync::Arc;
use std::time::SystemTime;

/// The number of the root.
pub(crate) const ROOT: u64 = 1;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Dir,
    Link,
}

/// What a sync of a node makes durable.
#[derive(Clone, Debug)]
pub(crate) struct Body {
    /// Content, or the target of a link.
    pub(crate) data: Arc<Vec<u8>>,
    pub(crate) mode: u32,
    pub(crate) owner: (u32, u32),
    pub(crate) mtime: SystemTime,
    pub(crate) atime: SystemTime,
}

/// A file, folder or link.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) now: Body,
    durable: Body,
    pub(crate) names: BTreeMap<OsString, u64>,
    durable_names: BTreeMap<OsString, u64>,
}

/// A change of names that happens as one: in which folder, which name, what it then leads to.
#[derive(Clone, Debug)]
struct Record(Vec<(u64, OsString, Option<u64>)>);

/// What of the unsynced is left after a power loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Left {
    /// Nothing.
    Synced,
    /// The earliest changes of names and the content of some files, as chance has it.
    Some(u64),
    /// All of it, as if only the programs had died.
    All,
}

/// The whole disk.
#[derive(Clone, Debug)]
pub(crate) struct Store {
    model: Model,
    pub(crate) nodes: BTreeMap<u64, Node>,
    pending: Vec<Record>,
    next: u64,
}

impl Store {
    pub(crate) fn new(model: Model) -> Self {
        let mut store = Self { model, nodes: BTreeMap::new(), pending: Vec::new(), next: ROOT };
        store.make(Kind::Dir, 0o755, (0, 0), Vec::new());
        store
    }

    /// A node without a name.
    pub(crate) fn make(&mut self, kind: Kind, mode: u32, owner: (u32, u32), data: Vec<u8>) -> u64 {
        let now = SystemTime::now();
        // What is there before the first sync: an empty file, an empty folder; a link is its target.
        let data = Arc::new(data);
        let body = Body { data, mode, owner, mtime: now, atime: now };
        let node = Node {
            kind,
            durable: body.clone(),
            now: body,
            names: BTreeMap::new(),
            durable_names: BTreeMap::new(),
        };
        let ino = self.next;
        self.next += 1;
        self.nodes.insert(ino, node);
        ino
    }

    pub(crate) fn find(&self, dir: u64, name: &OsStr) -> Option<u64> {
        self.nodes.get(&dir)?.names.get(name).copied()
    }

    /// Changes names, all at once, for the programs now and for the disk when it is synced.
    pub(crate) fn rename(&mut self, changes: &[(u64, &OsStr, Option<u64>)]) {
        let now = SystemTime::now();
        for (dir, name, to) in changes {
            if let Some(node) = self.nodes.get_mut(dir) {
                set(&mut node.names, name, *to);
                node.now.mtime = now;
            }
        }
        self.pending.push(Record(changes.iter().map(|(d, n, to)| (*d, (*n).to_owned(), *to)).collect()));
    }

    /// Makes durable what a sync of this node makes durable.
    pub(crate) fn sync(&mut self, ino: u64) {
        if let Some(node) = self.nodes.get_mut(&ino) {
            node.durable = node.now.clone();
        }
        match self.model {
            Model::Ordered => self.commit(|_| true),
            Model::Strict => {
                // From the last to the first: what touches a name that is taken along comes along.
                let mut names: BTreeSet<(u64, OsString)> = BTreeSet::new();
                let mut taken = vec![false; self.pending.len()];
                for (at, Record(changes)) in self.pending.iter().enumerate().rev() {
                    let comes = changes
                        .iter()
                        .any(|(dir, name, _)| *dir == ino || names.contains(&(*dir, name.clone())));
                    if comes {
                        names.extend(changes.iter().map(|(dir, name, _)| (*dir, name.clone())));
                        if let Some(taken) = taken.get_mut(at) {
                            *taken = true;
                        }
                    }
                }
                self.commit(|at| taken.get(at).copied().unwrap_or(false));
            }
        }
    }

    fn commit(&mut self, takes: impl Fn(usize) -> bool) {
        let mut left = Vec::new();
        for (at, record) in std::mem::take(&mut self.pending).into_iter().enumerate() {
            if !takes(at) {
                left.push(record);
                continue;
            }
            for (dir, name, to) in &record.0 {
                if let Some(node) = self.nodes.get_mut(dir) {
                    set(&mut node.durable_names, name, *to);
                }
            }
        }
        self.pending = left;
    }

    /// The disk after a power loss.
    pub(crate) fn after_loss(&self, left: Left) -> Self {
        let mut store = self.clone();
        match left {
            Left::Synced => {}
            Left::All => store.settle(),
            Left::Some(seed) => {
                let mut random = Random::new(seed, 3);
                let first = random.below(store.pending.len() as u64 + 1) as usize;
                store.commit(|at| at < first);
                for node in store.nodes.values_mut() {
                    if random.below(2) == 0 {
                        node.durable = node.now.clone();
                    }
                }
            }
        }
        store.pending.clear();
        for node in store.nodes.values_mut() {
            node.now = node.durable.clone();
            node.names = node.durable_names.clone();
        }
        store.forget_unnamed();
        store
    }

    /// Everything reaches the disk, as after a long quiet time.
    pub(crate) fn settle(&mut self) {
        self.commit(|_| true);
        for node in self.nodes.values_mut() {
            node.durable = node.now.clone();
        }
    }

    /// Nodes that no name leads to are gone.
    fn forget_unnamed(&mut self) {
        let mut reached = BTreeSet::from([ROOT]);
        let mut open = vec![ROOT];
        while let Some(ino) = open.pop() {
            for to in self.nodes.get(&ino).into_iter().flat_map(|node| node.names.values()) {
                if reached.insert(*to) {
                    open.push(*to);
                }
            }
        }
        self.nodes.retain(|ino, _| reached.contains(ino));
    }

    /// How many names lead to a node.
    pub(crate) fn links(&self, ino: u64) -> u32 {
        match self.nodes.get(&ino).map(|node| node.kind) {
            Some(Kind::Dir) => 2,
            // Hard links are rare here, and nothing that is tested looks at their number.
            _ => 1,
        }
    }
}

fn set(names: &mut BTreeMap<OsString, u64>, name: &OsStr, to: Option<u64>) {
    match to {
        Some(ino) => drop(names.insert(name.to_owned(), ino)),
        None => drop(names.remove(name)),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn file(store: &mut Store, dir: u64, name: &str, text: &str) -> u64 {
        let ino = store.make(Kind::File, 0o644, (0, 0), Vec::new());
        store.rename(&[(dir, OsStr::new(name), Some(ino))]);
        store.nodes.get_mut(&ino).unwrap().now.data = Arc::new(text.into());
        ino
    }

    fn text(store: &Store, dir: u64, name: &str) -> Option<Vec<u8>> {
        store.find(dir, OsStr::new(name)).map(|ino| store.nodes[&ino].now.data.to_vec())
    }

    #[test]
    fn only_what_was_synced_is_left() {
        let mut store = Store::new(Model::Strict);
        let a = file(&mut store, ROOT, "a", "whole");
        assert_eq!(text(&store.after_loss(Left::Synced), ROOT, "a"), None);
        store.sync(a);
        assert_eq!(text(&store.after_loss(Left::Synced), ROOT, "a"), None, "its name was not synced");
        store.sync(ROOT);
        file(&mut store, ROOT, "b", "not synced");
        store.sync(ROOT);
        let lost = store.after_loss(Left::Synced);
        assert_eq!(text(&lost, ROOT, "a").as_deref(), Some(&b"whole"[..]));
        assert_eq!(text(&lost, ROOT, "b").as_deref(), Some(&b""[..]), "a name without its content");
        assert_eq!(text(&store.after_loss(Left::All), ROOT, "b").as_deref(), Some(&b"not synced"[..]));
    }

    #[test]
    fn a_rename_is_one_record_that_either_folder_takes_along() {
        let mut store = Store::new(Model::Strict);
        let dir = store.make(Kind::Dir, 0o755, (0, 0), Vec::new());
        store.rename(&[(ROOT, OsStr::new("d"), Some(dir))]);
        let a = file(&mut store, ROOT, "a", "x");
        store.settle();
        store.rename(&[(ROOT, OsStr::new("a"), None), (dir, OsStr::new("b"), Some(a))]);
        assert!(text(&store.after_loss(Left::Synced), ROOT, "a").is_some());
        for synced in [ROOT, dir] {
            let mut store = store.clone();
            store.sync(synced);
            let lost = store.after_loss(Left::Synced);
            assert_eq!((text(&lost, ROOT, "a"), text(&lost, dir, "b")), (None, Some(b"x".to_vec())));
        }
    }

    #[test]
    fn an_earlier_record_on_the_same_name_comes_along() {
        let mut store = Store::new(Model::Strict);
        let dir = store.make(Kind::Dir, 0o755, (0, 0), Vec::new());
        store.rename(&[(ROOT, OsStr::new("d"), Some(dir))]);
        store.settle();
        let a = file(&mut store, dir, "tmp", "x");
        store.rename(&[(dir, OsStr::new("tmp"), None), (ROOT, OsStr::new("a"), Some(a))]);
        store.sync(ROOT);
        store.sync(dir);
        let lost = store.after_loss(Left::Synced);
        assert!(text(&lost, dir, "tmp").is_none() && text(&lost, ROOT, "a").is_some());
    }
}
