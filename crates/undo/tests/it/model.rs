//! Whatever a call does, undo gives the tree back: over random trees and random operations.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::{Bench, back, cp, ln, mkdir, mv, perform, put, rm, rmdir};
use metnos_executor::{Op, WriteMode};
use metnos_hands::Kind;
use metnos_undo::Purpose;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

const NAMES: [&[u8]; 7] = [b"a", b"b", b"c d", b"new\nline", b"\xff\xfe", b"e", b"f"];

/// Random numbers that a failing case prints as one list.
pub(crate) struct Dice<'a> {
    left: std::slice::Iter<'a, u32>,
}

impl<'a> Dice<'a> {
    pub(crate) fn new(numbers: &'a [u32]) -> Self {
        Self { left: numbers.iter() }
    }

    pub(crate) fn roll(&mut self, sides: usize) -> usize {
        self.left.next().map_or(0, |n| *n as usize % sides.max(1))
    }

    fn of<'p>(&mut self, paths: &[&'p PathBuf]) -> Option<&'p PathBuf> {
        (!paths.is_empty()).then(|| paths[self.roll(paths.len())])
    }

    fn name(&mut self) -> &'static OsStr {
        OsStr::from_bytes(NAMES[self.roll(NAMES.len())])
    }
}

pub(crate) type Model = BTreeMap<PathBuf, Kind>;

pub(crate) fn grow(roots: &[&Path], dice: &mut Dice<'_>) -> Model {
    let mut model: Model = roots.iter().map(|root| (root.to_path_buf(), Kind::Dir)).collect();
    for _ in 0..3 + dice.roll(9) {
        let dirs: Vec<PathBuf> = of_kind(&model, Kind::Dir).into_iter().cloned().collect();
        let path = dirs[dice.roll(dirs.len())].join(dice.name());
        if model.contains_key(&path) {
            continue;
        }
        let kind = match dice.roll(5) {
            0 | 1 => {
                fs::create_dir(&path).unwrap();
                let mode = [0o755, 0o700, 0o2775][dice.roll(3)];
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
                Kind::Dir
            }
            2 => {
                symlink(dice.name(), &path).unwrap();
                Kind::Link
            }
            _ => {
                // Short and few: files that look alike are the ones to be mistaken for each other.
                fs::write(&path, vec![b'x'; dice.roll(3)]).unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode([0o644, 0o600][dice.roll(2)])).unwrap();
                let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000 + dice.roll(2) as u64);
                fs::File::open(&path).unwrap().set_modified(time).unwrap();
                Kind::File
            }
        };
        model.insert(path, kind);
    }
    model
}

fn of_kind(model: &Model, kind: Kind) -> Vec<&PathBuf> {
    model.iter().filter(|(_, is)| **is == kind).map(|(path, _)| path).collect()
}

/// An intent that works on this tree, in any order that does.
pub(crate) fn intent(model: &mut Model, roots: &[&Path], dice: &mut Dice<'_>) -> Vec<Op> {
    let mut ops = Vec::new();
    for _ in 0..1 + dice.roll(10) {
        let dirs = of_kind(model, Kind::Dir);
        let inner: Vec<&PathBuf> =
            dirs.iter().filter(|dir| !roots.contains(&dir.as_path())).copied().collect();
        let files = of_kind(model, Kind::File);
        let loose: Vec<&PathBuf> = files.iter().copied().chain(of_kind(model, Kind::Link)).collect();
        let free = dirs[dice.roll(dirs.len())].join(dice.name());
        let is_free = !model.contains_key(&free);
        let op = match dice.roll(13) {
            12 if is_free => ln(free, dice.name()),
            0 if is_free => mkdir(free),
            1 if is_free => {
                put(free, [WriteMode::Create, WriteMode::Overwrite, WriteMode::Append][dice.roll(3)])
            }
            2 if is_free => match dice.of(&files) {
                Some(src) => cp(src.clone(), free),
                None => continue,
            },
            3..=5 if is_free => match dice.of(&loose) {
                Some(src) => mv(src.clone(), free),
                None => continue,
            },
            6 if is_free && roots.len() == 1 => match dice.of(&inner) {
                Some(src) if !free.starts_with(src) => mv(src.clone(), free),
                _ => continue,
            },
            7 | 8 => match dice.of(&files) {
                Some(path) => put(path.clone(), [WriteMode::Overwrite, WriteMode::Append][dice.roll(2)]),
                None => continue,
            },
            9 => match dice.of(&loose) {
                Some(path) => rm(path.clone()),
                None => continue,
            },
            10 => match dice.of(&inner) {
                Some(path) if is_empty(model, path) => rmdir(path.clone()),
                _ => continue,
            },
            11 => match dice.of(&inner) {
                // A whole tree, from the bottom.
                Some(top) => {
                    let below: Vec<(PathBuf, Kind)> = model
                        .iter()
                        .rev()
                        .filter(|(path, _)| path.starts_with(top))
                        .map(|(path, kind)| (path.clone(), *kind))
                        .collect();
                    for (path, kind) in below {
                        model.remove(&path);
                        ops.push(if kind == Kind::Dir { rmdir(path) } else { rm(path) });
                    }
                    continue;
                }
                None => continue,
            },
            _ => continue,
        };
        apply(model, &op);
        ops.push(op);
    }
    ops
}

fn is_empty(model: &Model, dir: &Path) -> bool {
    !model.keys().any(|path| path != dir && path.starts_with(dir))
}

fn apply(model: &mut Model, op: &Op) {
    match op {
        Op::MakeDir { path } => drop(model.insert(path.0.clone(), Kind::Dir)),
        Op::Write { dst, .. } | Op::Copy { dst, .. } => drop(model.insert(dst.0.clone(), Kind::File)),
        Op::Link { dst, .. } => drop(model.insert(dst.0.clone(), Kind::Link)),
        Op::Delete { path } | Op::RemoveDir { path } => drop(model.remove(&path.0)),
        Op::Move { src, dst } => {
            let inside: Vec<PathBuf> =
                model.keys().filter(|path| path.starts_with(&src.0)).cloned().collect();
            for path in inside {
                let kind = model.remove(&path).unwrap();
                let rest = path.strip_prefix(&src.0).unwrap();
                let to = if rest.as_os_str().is_empty() { dst.0.clone() } else { dst.0.join(rest) };
                model.insert(to, kind);
            }
        }
    }
}

/// One bench with a random tree on it, a random intent, and what was there before.
fn set(bench: &Bench, numbers: &[u32]) -> (Vec<Op>, crate::common::Tree) {
    let mut dice = Dice::new(numbers);
    let roots: Vec<&Path> = bench.roots.iter().map(|root| root.path()).collect();
    let mut model = grow(&roots, &mut dice);
    (intent(&mut model, &roots, &mut dice), bench.tree())
}

fn undone_is_as_before(bench: &Bench, numbers: &[u32], stop: usize) {
    let (ops, before) = set(bench, numbers);
    let mut open = bench.begin("c");
    let mut hands = bench.intend(&mut open, "c", &ops);
    for i in 0..ops.len() {
        perform(&mut hands, i).unwrap_or_else(|e| panic!("{i} of {ops:#?}: {e:?}"));
    }
    hands.finish().unwrap();
    open.close("ok").unwrap();
    let done = bench.journal.read("c").unwrap();
    let tried = back(&done, Purpose::Try);
    assert!(tried.conflicts.is_empty(), "tried: {tried:#?}\n{done:#?}");
    // Cut after some operations, and asked again.
    back(&done[stop % (done.len() + 1)..], Purpose::Undo);
    let report = back(&done, Purpose::Undo);
    assert!(report.conflicts.is_empty(), "{report:#?}\n{done:#?}");
    assert_eq!(bench.tree(), before, "{done:#?}");
    let again = back(&done, Purpose::Undo);
    assert_eq!(bench.tree(), before, "again: {again:#?}\n{done:#?}");
    assert!(again.conflicts.is_empty(), "again: {again:#?}\n{done:#?}");
}

fn cut_is_as_before(bench: &Bench, numbers: &[u32], stop: usize, swallowed: bool) {
    let (ops, before) = set(bench, numbers);
    let mut open = bench.begin("c");
    let mut hands = bench.intend(&mut open, "c", &ops);
    for i in 0..stop % (ops.len() + 1) {
        perform(&mut hands, i).unwrap();
    }
    drop(hands);
    drop(open);
    if swallowed {
        for i in 0..bench.roots.len() {
            metnos_hands::made::forget(&bench.keep(i, "c")).unwrap();
        }
    }
    let (_, mut open) = bench.journal.cut().unwrap().pop().unwrap();
    let so_far = open.so_far().unwrap();
    let report = back(&so_far, Purpose::Recover);
    assert!(report.conflicts.is_empty(), "{report:#?}\n{so_far:#?}");
    assert_eq!(bench.tree(), before, "{so_far:#?}");
    let left = open.so_far().unwrap();
    let report = back(&left, Purpose::Recover);
    assert_eq!(bench.tree(), before, "again: {left:#?}");
    assert!(report.conflicts.is_empty(), "again: {report:#?}\n{left:#?}");
    open.rolled_back(&left.iter().map(|(_, seen, _)| *seen).collect::<Vec<_>>()).unwrap();
}

pub(crate) fn numbers() -> impl Strategy<Value = Vec<u32>> {
    proptest::collection::vec(any::<u32>(), 0..160)
}

/// The same cases every time; as many others as `UNDO_CASES` says, if it says.
pub(crate) fn cases(n: u32) -> ProptestConfig {
    let asked = std::env::var("UNDO_CASES").ok().and_then(|n| n.parse().ok());
    ProptestConfig {
        cases: asked.unwrap_or(n),
        failure_persistence: None,
        max_shrink_iters: 600,
        rng_seed: if asked.is_some() { RngSeed::Random } else { RngSeed::Fixed(7) },
        ..ProptestConfig::default()
    }
}

/// Two places on different file systems, if there are.
pub(crate) fn apart() -> Option<(PathBuf, PathBuf)> {
    use std::os::unix::fs::MetadataExt;
    let (a, b) = (std::env::temp_dir(), PathBuf::from("/dev/shm"));
    let dev = |path: &Path| fs::metadata(path).ok().map(|meta| meta.dev());
    let found = (dev(&b).is_some() && dev(&a) != dev(&b)).then_some((a, b));
    if found.is_none() {
        metnos_testkit::skipped("there is only one file system", metnos_testkit::Fix::None);
    }
    found
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn what_was_done_is_undone(numbers in numbers(), stop in any::<usize>()) {
        undone_is_as_before(&Bench::plain(), &numbers, stop);
    }

    #[test]
    fn what_was_cut_is_taken_back(numbers in numbers(), stop in any::<usize>(), swallowed in any::<bool>()) {
        cut_is_as_before(&Bench::plain(), &numbers, stop, swallowed);
    }

    #[test]
    fn the_same_with_what_is_kept_on_another_file_system(numbers in numbers(), stop in any::<usize>()) {
        if let Some((a, b)) = apart() {
            undone_is_as_before(&Bench::new(&[(&a, &b)]), &numbers, stop);
            cut_is_as_before(&Bench::new(&[(&a, &b)]), &numbers, stop, false);
        }
    }

    #[test]
    fn the_same_over_two_file_systems(numbers in numbers(), stop in any::<usize>()) {
        if let Some((a, b)) = apart() {
            undone_is_as_before(&Bench::new(&[(&a, &a), (&b, &b)]), &numbers, stop);
            cut_is_as_before(&Bench::new(&[(&a, &a), (&b, &b)]), &numbers, stop, false);
        }
    }
}
