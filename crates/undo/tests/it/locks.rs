//! Changes of the same paths wait for each other, and nobody waits for the dead.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use metnos_undo::Locks;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

const DIR: &str = "UNDO_TEST_LOCKS";

#[test]
fn one_at_a_time_on_the_same_paths_and_all_at_once_elsewhere() {
    let dir = tempfile::tempdir().unwrap();
    let (inside, worst, turns) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for n in 0..6 {
            let (dir, inside, worst, turns) = (dir.path(), &inside, &worst, &turns);
            scope.spawn(move || {
                let locks = Locks::open(dir).unwrap();
                for round in 0..10 {
                    let path = PathBuf::from(if n % 2 == 0 { "/a/b" } else { "/a" });
                    let turn = locks.take(&format!("{n}-{round}"), &[path], &|| false).unwrap();
                    worst.fetch_max(inside.fetch_add(1, Ordering::SeqCst), Ordering::SeqCst);
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    turns.fetch_add(1, Ordering::SeqCst);
                    drop(turn.unwrap());
                }
            });
        }
    });
    assert_eq!((worst.into_inner(), turns.into_inner()), (0, 60));
    let locks = Locks::open(dir.path()).unwrap();
    let held: Vec<_> = (0..6)
        .map(|n| locks.take(&format!("{n}"), &[PathBuf::from(format!("/a{n}"))], &|| true).unwrap())
        .collect();
    assert!(held.iter().all(Option::is_some));
}

/// The other process of the next test: holds its paths until it is killed.
#[test]
fn holder() {
    let Some(dir) = std::env::var_os(DIR) else { return };
    let locks = Locks::open(Path::new(&dir)).unwrap();
    let _turn = locks.take("other", &["/a".into()], &|| false).unwrap();
    std::fs::write(Path::new(&dir).join("ready"), "").unwrap();
    loop {
        std::thread::park();
    }
}

#[test]
fn another_process_is_waited_for_until_it_dies() {
    let dir = tempfile::tempdir().unwrap();
    let mut other = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "locks::holder"])
        .env(DIR, dir.path())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    while !dir.path().join("ready").exists() {
        assert!(other.try_wait().unwrap().is_none(), "it ended before it held anything");
        std::thread::yield_now();
    }
    let locks = Locks::open(dir.path()).unwrap();
    let at_once = |name: &str, path: &str| locks.take(name, &[path.into()], &|| true).unwrap().is_some();
    let (same, elsewhere) = (at_once("x", "/a/b"), at_once("y", "/b"));
    other.kill().unwrap();
    other.wait().unwrap();
    assert!(!same && elsewhere);
    assert!(at_once("z", "/a/b"), "the dead hold nothing");
}
