//! A record that is not what was written is damage, to the byte, and never another operation.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod common;

use common::{Bench, mv, perform, put, rm};
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
        if name != "undone.json" {
            fs::remove_file(&path).unwrap();
            is_damaged(&bench, &format!("{name}, removed"), name);
        }
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
