//! A record that is not what was written is damage, to the byte, and never another operation.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::{Bench, mv, perform, put, rm};
use metnos_executor::WriteMode;
use metnos_undo::{Error, State, Undone};
use std::fs;
use std::path::PathBuf;

fn bench() -> (Bench, PathBuf) {
    let bench = Bench::plain();
    fs::write(bench.at("a"), "a").unwrap();
    fs::write(bench.at("b"), "b").unwrap();
    let mut open = bench.begin("c");
    for ops in [
        vec![mv(bench.at("a"), bench.at("x"))],
        vec![rm(bench.at("b")), put(bench.at("n"), WriteMode::Create)],
    ] {
        let mut hands = bench.intend(&mut open, "c", &ops);
        (0..ops.len()).for_each(|i| perform(&mut hands, i).unwrap());
    }
    open.close("ok").unwrap();
    let dir = open.dir().to_owned();
    (bench, dir)
}

/// Both ways in tell the damage and its file.
fn is_damaged(bench: &Bench, what: &str, name: &str) {
    let act = bench.journal.act("c").unwrap();
    assert!(matches!(&act.state, State::Damaged(why) if why.contains(name)), "{what}: {:?}", act.state);
    if name != "undone.json" {
        let read = bench.journal.read("c");
        assert!(
            matches!(&read, Err(Error::Damaged { path, .. }) if path.ends_with(name)),
            "{what}: {read:?}"
        );
    }
    assert!(bench.journal.cut().unwrap().is_empty(), "{what}: damage is no crash");
}

#[test]
fn every_changed_byte_and_every_cut_is_noticed() {
    let (bench, dir) = bench();
    let whole = bench.journal.read("c").unwrap();
    let undone = Undone { reversed: 3, ..Undone::default() };
    bench.journal.undone("c", &undone).unwrap();
    let dir = dir.parent().unwrap().with_file_name("undone").join("c");
    for name in ["1.jsonl", "2.jsonl", "closed.jsonl", "undone.json"] {
        let path = dir.join(name);
        let text = fs::read(&path).unwrap();
        for at in 0..text.len() {
            for bit in [0x01, 0x02, 0x03, 0x07, 0x20, 0x2a, 0x80] {
                let mut changed = text.clone();
                changed[at] ^= bit;
                fs::write(&path, &changed).unwrap();
                is_damaged(&bench, &format!("{name}, byte {at} by {bit:#x}"), name);
            }
            fs::write(&path, &text[..at]).unwrap();
            is_damaged(&bench, &format!("{name}, cut at {at}"), name);
        }
        fs::remove_file(&path).unwrap();
        is_damaged(&bench, &format!("{name}, removed"), name);
        fs::write(&path, &text).unwrap();
    }
    assert_eq!(bench.journal.read("c").unwrap(), whole);
}

#[test]
fn a_whole_record_of_another_call_is_not_taken_for_its_own() {
    let (bench, dir) = bench();
    fs::copy(dir.join("1.jsonl"), dir.join("2.jsonl")).unwrap();
    is_damaged(&bench, "another intent", "2.jsonl");
}

#[test]
fn a_close_that_went_missing_is_no_crash() {
    let (bench, dir) = bench();
    fs::remove_file(dir.join("closed.jsonl")).unwrap();
    is_damaged(&bench, "no close", "closed.jsonl");
    assert_eq!(fs::read(bench.at("x")).unwrap(), b"a");
}

#[test]
fn a_way_back_that_went_missing_is_never_gone_again() {
    let (bench, dir) = bench();
    let shelves = dir.parent().unwrap().parent().unwrap();
    bench.journal.undoing("c").unwrap();
    assert_eq!(bench.journal.unfinished().unwrap(), ["c"]);
    fs::remove_file(shelves.join("undoing/c/undoing")).unwrap();
    is_damaged_act(&bench, "undoing");
    fs::write(shelves.join("undoing/c/undoing"), "\n").unwrap();
    bench.journal.undone("c", &Undone::default()).unwrap();
    assert_eq!(bench.journal.act("c").unwrap().state, State::Undone);
    for name in ["undone.json", "undoing"] {
        let path = shelves.join("undone/c").join(name);
        let text = fs::read(&path).unwrap();
        fs::remove_file(&path).unwrap();
        is_damaged_act(&bench, name);
        assert!(bench.journal.unfinished().unwrap().is_empty(), "{name}");
        fs::write(&path, text).unwrap();
    }
    assert_eq!(bench.journal.act("c").unwrap().state, State::Undone);
}

fn is_damaged_act(bench: &Bench, name: &str) {
    let state = bench.journal.act("c").unwrap().state;
    assert!(matches!(&state, State::Damaged(why) if why.contains(name)), "{state:?}");
}

#[test]
fn folders_of_an_older_layout_find_their_shelf() {
    let (_bench, dir) = bench();
    let journal = dir.parent().unwrap().parent().unwrap().to_owned();
    // As it once was: all beside each other, and one with the name of a shelf.
    fs::rename(&dir, journal.join("c")).unwrap();
    for shelf in ["open", "done", "undoing", "undone", "freed"] {
        fs::remove_dir(journal.join(shelf)).unwrap();
    }
    fs::remove_file(journal.join("layout")).unwrap();
    let copy = |name: &str| {
        fs::create_dir(journal.join(name)).unwrap();
        for item in fs::read_dir(journal.join("c")).unwrap() {
            let path = item.unwrap().path();
            fs::copy(&path, journal.join(name).join(path.file_name().unwrap())).unwrap();
        }
    };
    copy("done");
    copy("cut");
    fs::remove_file(journal.join("cut/closed.jsonl")).unwrap();
    fs::write(journal.join("cut/lock"), "1 1\n").unwrap();
    copy("half");
    fs::write(journal.join("half/undoing"), "\n").unwrap();
    let again = metnos_undo::Journal::open(&journal).unwrap();
    let state = |id: &str| again.act(id).unwrap().state;
    assert_eq!((state("c"), state("done"), state("cut")), (State::Done, State::Done, State::Open));
    assert_eq!(again.unfinished().unwrap(), ["half"]);
    assert_eq!(again.acts().unwrap().len(), 4);
    assert!(journal.join("done/done/1.jsonl").exists());
}

#[test]
fn what_was_let_go_of_stays_in_the_list() {
    let (bench, dir) = bench();
    let at = "2026-02-01T00:00:00Z".parse().unwrap();
    let kept = bench.keep(0, "c");
    assert!(fs::read_dir(&kept).unwrap().count() > 0);
    bench.journal.free("c", at).unwrap();
    assert!(!kept.exists(), "what it kept is gone");
    fs::create_dir(&kept).unwrap();
    let act = bench.journal.act("c").unwrap();
    assert_eq!(act.state, State::Freed(at));
    assert_eq!(act.head.unwrap().executor, "move_files");
    let left = dir.parent().unwrap().with_file_name("freed").join("c");
    assert_eq!(fs::read_dir(left).unwrap().count(), 1);
    assert!(bench.journal.half_freed().unwrap().is_empty());
}
