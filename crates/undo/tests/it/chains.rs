//! Several calls, undone one after the other: each gives back what it found, also where what is given back is a
//! copy, and what a person changed in between is left alone.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::{Bench, Tree, back, cp, mkdir, mv, perform, put, rm, rmdir};
use crate::model::{Dice, apart, cases, grow, intent, numbers};
use metnos_executor::{Op, WriteMode};
use metnos_undo::{Purpose, Report, Undone};
use proptest::prelude::*;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// A bench whose things are kept on another file system, if there is one.
fn kept_apart() -> Option<Bench> {
    apart().map(|(a, b)| Bench::new(&[(&a, &b)]))
}

/// Undoes a call as the product does.
fn undo(bench: &Bench, id: &str) -> Report {
    let done = bench.journal.read(id).unwrap();
    let tried = back(&done, Purpose::Try);
    bench.journal.undoing(id).unwrap();
    let report = back(&done, Purpose::Undo);
    assert_eq!(tried.conflicts, report.conflicts, "what is foreseen is what comes");
    bench.journal.gave(id, &report.given).unwrap();
    bench.journal.undone(id, &Undone::default()).unwrap();
    report
}

fn undone(bench: &Bench, id: &str, before: &Tree) {
    let report = undo(bench, id);
    assert!(report.conflicts.is_empty(), "{id}: {report:#?}\n{:#?}", bench.journal.read(id));
    assert_eq!(bench.tree(), *before, "{id}");
}

/// Performs each intent as a call of its own, then undoes all of them, the last first.
fn there_and_back(bench: &Bench, calls: &[Vec<Op>]) {
    let mut before = Vec::new();
    for (n, ops) in calls.iter().enumerate() {
        before.push((format!("c{n}"), bench.tree()));
        let done = bench.act(&format!("c{n}"), ops);
        assert!(done.iter().all(|(_, seen, _)| seen.performed), "{done:#?}");
    }
    for (id, before) in before.iter().rev() {
        undone(bench, id, before);
    }
}

fn overwrite(bench: &Bench, name: &str) -> Vec<Op> {
    vec![put(bench.at(name), WriteMode::Overwrite)]
}

#[test]
fn each_overwriting_is_taken_back_in_turn() {
    let Some(bench) = kept_apart() else { return };
    fs::write(bench.at("f"), "the first").unwrap();
    let calls: Vec<Vec<Op>> = (0..5).map(|_| overwrite(&bench, "f")).collect();
    there_and_back(&bench, &calls);
    assert_eq!(fs::read(bench.at("f")).unwrap(), b"the first");
}

#[test]
fn a_folder_that_was_made_again_is_known() {
    for bench in [Some(Bench::plain()), kept_apart()].into_iter().flatten() {
        let (d, e) = (bench.at("d"), bench.at("e"));
        there_and_back(
            &bench,
            &[
                vec![mkdir(&d)],
                vec![put(d.join("x"), WriteMode::Create)],
                vec![mv(&d, &e)],
                vec![rm(e.join("x")), rmdir(&e)],
            ],
        );
    }
}

#[test]
fn what_went_to_another_file_system_and_came_back_is_known() {
    let Some((a, b)) = apart() else { return };
    let bench = Bench::new(&[(&a, &a), (&b, &b)]);
    let (f, there) = (bench.at("f"), bench.roots[1].path().join("f"));
    fs::write(&f, "text").unwrap();
    there_and_back(
        &bench,
        &[
            overwrite(&bench, "f"),
            vec![mv(&f, &there)],
            vec![put(&there, WriteMode::Append)],
            vec![cp(&there, bench.at("copy"))],
            vec![rm(&there)],
        ],
    );
}

#[test]
fn an_undo_in_between_is_part_of_the_chain() {
    let Some(bench) = kept_apart() else { return };
    fs::write(bench.at("f"), "the first").unwrap();
    let first = bench.tree();
    bench.act("a", &overwrite(&bench, "f"));
    let second = bench.tree();
    for id in ["b", "c", "d"] {
        bench.act(id, &overwrite(&bench, "f"));
        undone(&bench, id, &second);
    }
    undone(&bench, "a", &first);
}

#[test]
fn a_call_that_was_cut_and_taken_back_is_part_of_the_chain() {
    let Some(bench) = kept_apart() else { return };
    fs::write(bench.at("f"), "the first").unwrap();
    let first = bench.tree();
    bench.act("a", &overwrite(&bench, "f"));
    let mut open = bench.begin("b");
    let mut hands = bench.intend(&mut open, "b", &overwrite(&bench, "f"));
    perform(&mut hands, 0).unwrap();
    drop((hands, open));
    let (_, mut open) = bench.journal.cut().unwrap().pop().unwrap();
    let so_far = open.so_far().unwrap();
    let report = back(&so_far, Purpose::Recover);
    assert!(report.conflicts.is_empty(), "{report:#?}");
    bench.journal.gave("b", &report.given).unwrap();
    open.rolled_back(&[Default::default()]).unwrap();
    undone(&bench, "a", &first);
}

#[test]
fn a_repair_that_was_cut_before_it_told_is_finished_by_the_next() {
    let Some(bench) = kept_apart() else { return };
    fs::write(bench.at("f"), "the first").unwrap();
    let first = bench.tree();
    bench.act("a", &overwrite(&bench, "f"));
    let mut open = bench.begin("b");
    let mut hands = bench.intend(&mut open, "b", &overwrite(&bench, "f"));
    perform(&mut hands, 0).unwrap();
    drop((hands, open));
    let (_, mut open) = bench.journal.cut().unwrap().pop().unwrap();
    // What the first repair gave back as a copy it could not record.
    drop(back(&open.so_far().unwrap(), Purpose::Recover));
    let report = back(&open.so_far().unwrap(), Purpose::Recover);
    assert!(report.conflicts.is_empty(), "{report:#?}");
    bench.journal.gave("b", &report.given).unwrap();
    open.rolled_back(&[Default::default()]).unwrap();
    undone(&bench, "a", &first);
}

#[test]
fn a_write_that_changed_only_rights_is_not_taken_back_twice() {
    let bench = Bench::plain();
    let file = bench.at("f");
    fs::write(&file, "the same").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    let was = fs::metadata(&file).unwrap();
    let mut open = bench.begin("a");
    let mut hands = bench.intend(&mut open, "a", &overwrite(&bench, "f"));
    let mtime = Some((was.mtime(), was.mtime_nsec() as u32));
    let attributes = metnos_hands::Attributes { mode: Some(0o604), mtime };
    hands.write_as(0, attributes, |out| write!(out, "the same")).unwrap();
    drop((hands, open));
    // Where a rename cannot go, what is kept is a copy.
    let kept = fs::read_dir(bench.keep(0, "a")).unwrap().map(|item| item.unwrap().path());
    let kept = kept.into_iter().find(|path| path.file_name().unwrap() != "made").unwrap();
    let copy = kept.with_extension("copy");
    fs::copy(&kept, &copy).unwrap();
    fs::File::options().write(true).open(&copy).unwrap().set_modified(was.modified().unwrap()).unwrap();
    fs::rename(&copy, &kept).unwrap();
    let (_, open) = bench.journal.cut().unwrap().pop().unwrap();
    // A power loss swallowed what was told of it.
    let _ = fs::remove_file(bench.keep(0, "a").join("made"));
    for _ in 0..3 {
        let report = back(&open.so_far().unwrap(), Purpose::Recover);
        assert!(report.conflicts.is_empty(), "{report:#?}");
        assert_eq!(fs::metadata(&file).unwrap().mode() & 0o777, 0o644);
    }
}

#[test]
fn what_a_person_wrote_in_between_is_a_conflict() {
    for (bench, mends) in [(kept_apart(), true), (kept_apart(), false)] {
        let Some(bench) = bench else { return };
        fs::write(bench.at("f"), "the first").unwrap();
        bench.act("a", &overwrite(&bench, "f"));
        bench.act("b", &overwrite(&bench, "f"));
        if mends {
            // After the undo of the later call.
            assert!(undo(&bench, "b").conflicts.is_empty());
            fs::write(bench.at("f"), "by a person").unwrap();
            assert_eq!(undo(&bench, "a").conflicts.len(), 1);
        } else {
            // Before it: then neither may touch the file.
            fs::write(bench.at("f"), "by a person").unwrap();
            assert_eq!(undo(&bench, "b").conflicts.len(), 1);
            assert_eq!(undo(&bench, "a").conflicts.len(), 1);
        }
        assert_eq!(fs::read(bench.at("f")).unwrap(), b"by a person");
    }
}

#[test]
fn a_file_that_a_person_changed_between_two_calls_is_a_conflict_for_the_first() {
    let Some(bench) = kept_apart() else { return };
    fs::write(bench.at("f"), "the first").unwrap();
    bench.act("a", &overwrite(&bench, "f"));
    fs::write(bench.at("f"), "by a person").unwrap();
    let theirs = bench.tree();
    bench.act("b", &overwrite(&bench, "f"));
    undone(&bench, "b", &theirs);
    assert_eq!(undo(&bench, "a").conflicts.len(), 1);
    assert_eq!(bench.tree(), theirs);
}

#[test]
fn a_spoilt_line_is_passed_over_and_the_next_one_counts() {
    let Some(bench) = kept_apart() else { return };
    let file = bench.state.path().join("journal/given.jsonl");
    fs::write(&file, "{\"call\":\"x\",\"was\":{\"ki").unwrap();
    fs::write(bench.at("f"), "the first").unwrap();
    there_and_back(&bench, &[overwrite(&bench, "f"), overwrite(&bench, "f")]);
}

#[test]
fn the_record_does_not_grow_with_what_was_let_go_of() {
    let Some(bench) = kept_apart() else { return };
    fs::write(bench.at("f"), "the first").unwrap();
    let file = bench.state.path().join("journal/given.jsonl");
    there_and_back(&bench, &[overwrite(&bench, "f")]);
    let line = fs::read(&file).unwrap();
    let many = line.repeat((2 << 20) / line.len());
    fs::write(&file, String::from_utf8(many).unwrap().replace("c0", "gone")).unwrap();
    bench.act("a", &overwrite(&bench, "f"));
    bench.act("b", &overwrite(&bench, "f"));
    let report = undo(&bench, "b");
    assert!(report.conflicts.is_empty(), "{report:#?}");
    assert!(fs::metadata(&file).unwrap().len() < 10_000);
    assert!(undo(&bench, "a").conflicts.is_empty());
    assert_eq!(fs::read(bench.at("f")).unwrap(), b"the first");
}

/// Calls as chance has it, some undone in between, and all of them in the end.
fn any_chain(bench: &Bench, lots: &[Vec<u32>]) {
    let roots: Vec<&Path> = bench.roots.iter().map(|root| root.path()).collect();
    let mut dice = Dice::new(lots.first().map_or(&[], Vec::as_slice));
    let mut model = grow(&roots, &mut dice);
    let mut done: Vec<(String, Tree, _)> = Vec::new();
    for (n, lot) in lots.iter().enumerate().skip(1) {
        let mut dice = Dice::new(lot);
        if dice.roll(3) == 0
            && let Some((id, before, earlier)) = done.pop()
        {
            undone(bench, &id, &before);
            model = earlier;
            continue;
        }
        let (id, before, earlier) = (format!("c{n}"), bench.tree(), model.clone());
        let ops = intent(&mut model, &roots, &mut dice);
        bench.act(&id, &ops);
        done.push((id, before, earlier));
    }
    for (id, before, _) in done.iter().rev() {
        undone(bench, id, before);
    }
}

fn lots() -> impl Strategy<Value = Vec<Vec<u32>>> {
    proptest::collection::vec(numbers(), 2..9)
}

proptest! {
    #![proptest_config(cases(128))]

    #[test]
    fn any_chain_is_undone(lots in lots()) {
        any_chain(&Bench::plain(), &lots);
    }

    #[test]
    fn any_chain_is_undone_with_what_is_kept_on_another_file_system(lots in lots()) {
        if let Some((a, b)) = apart() {
            any_chain(&Bench::new(&[(&a, &b)]), &lots);
        }
    }

    #[test]
    fn any_chain_is_undone_over_two_file_systems(lots in lots()) {
        if let Some((a, b)) = apart() {
            any_chain(&Bench::new(&[(&a, &a), (&b, &b)]), &lots);
        }
    }
}
