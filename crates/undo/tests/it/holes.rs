//! What the end state alone does not tell, and what somebody else does meanwhile.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::{Bench, back, cp, mkdir, mv, perform, put, rm, rmdir};
use metnos_executor::Op;
use metnos_executor::WriteMode::{Append, Create, Overwrite};
use metnos_undo::{Purpose, reverse};
use std::fs;
use std::os::unix::fs::symlink;

fn with(names: &[&str]) -> Bench {
    let bench = Bench::plain();
    names.iter().for_each(|name| fs::write(bench.at(name), *name).unwrap());
    bench
}

#[test]
fn a_swap_by_three_moves_comes_back() {
    let b = with(&["a", "b"]);
    let before = b.tree();
    let done = b.act("c", &[mv(b.at("a"), b.at("t")), mv(b.at("b"), b.at("a")), mv(b.at("t"), b.at("b"))]);
    assert_eq!(fs::read(b.at("a")).unwrap(), b"b");
    assert!(done.iter().all(|(_, seen, _)| seen.performed));
    assert!(back(&done, Purpose::Undo).conflicts.is_empty());
    assert_eq!(b.tree(), before);
}

#[test]
fn what_comes_to_a_place_that_was_emptied_is_not_mistaken_for_what_went() {
    let b = with(&["a", "b"]);
    let before = b.tree();
    let done = b.act("c", &[rm(b.at("a")), mv(b.at("b"), b.at("a")), rm(b.at("a")), put(b.at("a"), Create)]);
    assert!(back(&done, Purpose::Undo).conflicts.is_empty());
    assert_eq!(b.tree(), before);
}

#[test]
fn a_file_somebody_else_put_there_first_is_not_ours_to_remove() {
    let b = with(&["a"]);
    let ops = [put(b.at("n"), Create), cp(b.at("a"), b.at("m")), mv(b.at("a"), b.at("z"))];
    let mut open = b.begin("c");
    let mut hands = b.intend(&mut open, "c", &ops);
    fs::write(b.at("n"), "theirs").unwrap();
    fs::write(b.at("m"), "theirs").unwrap();
    assert!(perform(&mut hands, 0).is_err() && perform(&mut hands, 1).is_err());
    perform(&mut hands, 2).unwrap();
    open.close("ok").unwrap();
    back(&b.journal.read("c").unwrap(), Purpose::Undo);
    assert_eq!(fs::read(b.at("n")).unwrap(), b"theirs");
    assert_eq!(fs::read(b.at("m")).unwrap(), b"theirs");
    assert_eq!(fs::read(b.at("a")).unwrap(), b"a");
}

#[test]
fn what_somebody_wrote_before_the_call_ended_is_a_conflict() {
    let b = with(&[]);
    let mut open = b.begin("c");
    let mut hands = b.intend(&mut open, "c", &[put(b.at("n"), Create)]);
    perform(&mut hands, 0).unwrap();
    fs::write(b.at("n"), "more than was written").unwrap();
    open.close("ok").unwrap();
    assert_eq!(back(&b.journal.read("c").unwrap(), Purpose::Undo).conflicts.len(), 1);
    assert_eq!(fs::read(b.at("n")).unwrap(), b"more than was written");
}

#[test]
fn a_file_changed_between_the_word_and_the_act_is_given_back_as_it_was_taken() {
    let b = with(&["a", "b"]);
    let mut open = b.begin("c");
    let mut hands = b.intend(&mut open, "c", &[rm(b.at("a")), put(b.at("b"), Overwrite)]);
    fs::write(b.at("a"), "newer a").unwrap();
    fs::write(b.at("b"), "newer b").unwrap();
    (0..2).for_each(|i| perform(&mut hands, i).unwrap());
    open.close("ok").unwrap();
    assert!(back(&b.journal.read("c").unwrap(), Purpose::Undo).conflicts.is_empty());
    assert_eq!(
        (fs::read(b.at("a")).unwrap(), fs::read(b.at("b")).unwrap()),
        (b"newer a".into(), b"newer b".into())
    );
}

#[test]
fn hard_links_among_the_operands_come_back() {
    let b = with(&["a", "c"]);
    fs::hard_link(b.at("a"), b.at("b")).unwrap();
    let before = b.tree();
    let done = b.act("c", &[rm(b.at("a")), mv(b.at("b"), b.at("a")), put(b.at("c"), Append), rm(b.at("a"))]);
    assert!(done.iter().all(|(_, seen, _)| seen.performed), "{done:#?}");
    assert!(back(&done, Purpose::Undo).conflicts.is_empty());
    assert_eq!(b.tree(), before);
}

#[test]
fn several_intents_of_one_call_are_one_chain() {
    let b = with(&["a"]);
    let before = b.tree();
    let mut open = b.begin("c");
    for ops in [
        vec![mkdir(b.at("d")), mv(b.at("a"), b.at("d/a")), put(b.at("n"), Create)],
        vec![put(b.at("d/a"), Append), rm(b.at("n")), mv(b.at("d"), b.at("e"))],
        vec![put(b.at("n"), Create), put(b.at("e/a"), Overwrite)],
    ] {
        let mut hands = b.intend(&mut open, "c", &ops);
        (0..ops.len()).for_each(|i| perform(&mut hands, i).unwrap());
    }
    open.close("ok").unwrap();
    let done = b.journal.read("c").unwrap();
    let report = back(&done, Purpose::Undo);
    assert!(report.conflicts.is_empty(), "{report:#?}");
    assert_eq!(b.tree(), before);
}

#[test]
fn an_operation_that_failed_does_not_confuse_the_next() {
    let b = with(&["a", "b"]);
    let before = b.tree();
    let ops = [rm(b.at("a")), put(b.at("a"), Overwrite), mv(b.at("b"), b.at("x")), mv(b.at("x"), b.at("y"))];
    let mut open = b.begin("c");
    let mut hands = b.intend(&mut open, "c", &ops);
    // The first and the last are left out, as if they had been refused.
    perform(&mut hands, 1).unwrap();
    perform(&mut hands, 2).unwrap();
    open.close("ok").unwrap();
    let done = b.journal.read("c").unwrap();
    assert!(back(&done, Purpose::Undo).conflicts.is_empty(), "{done:#?}");
    assert_eq!(b.tree(), before);
}

#[test]
fn a_folder_swapped_for_a_link_leads_nowhere() {
    let b = with(&[]);
    fs::create_dir(b.at("d")).unwrap();
    fs::create_dir(b.at("other")).unwrap();
    let done = b.act("c", &[put(b.at("d/n"), Create)]);
    fs::rename(b.at("d/n"), b.at("other/n")).unwrap();
    fs::remove_dir(b.at("d")).unwrap();
    symlink(b.at("other"), b.at("d")).unwrap();
    back(&done, Purpose::Undo);
    assert!(b.at("other/n").exists());
}

#[test]
fn what_changed_since_stays_and_the_rest_comes_back() {
    let b = with(&["a", "b", "c", "d", "e", "f"]);
    fs::create_dir(b.at("g")).unwrap();
    let mut before = b.tree();
    let ops = [
        mv(b.at("a"), b.at("a2")),
        put(b.at("b"), Overwrite),
        rm(b.at("c")),
        mv(b.at("d"), b.at("d2")),
        put(b.at("n"), Create),
        rm(b.at("e")),
        put(b.at("f"), Append),
        rmdir(b.at("g")),
    ];
    let done = b.act("c", &ops);
    fs::write(b.at("a2"), "changed since").unwrap();
    fs::remove_file(b.at("b")).unwrap();
    fs::write(b.at("b"), "replaced").unwrap();
    fs::write(b.at("c"), "came since").unwrap();
    fs::write(b.at("n"), "changed too").unwrap();
    let since = b.tree();
    let report = back(&done, Purpose::Undo);
    assert_eq!((report.reversed, report.conflicts.len()), (4, 4), "{report:#?}");
    for name in ["a2", "b", "c", "n"] {
        before.insert(b.at(name), since[&b.at(name)].clone());
    }
    before.remove(&b.at("a"));
    assert_eq!(b.tree(), before);
}

#[test]
fn a_place_that_became_forbidden_is_neither_given_to_nor_taken_from() {
    let b = with(&["a"]);
    let done = b.act("c", &[mv(b.at("a"), b.at("z"))]);
    let after = b.tree();
    let core = b.at("z");
    let report = reverse(&done, Purpose::Undo, &|path| (path == core).then(|| "core".into())).unwrap();
    assert_eq!(report.conflicts.len(), 1);
    assert_eq!(b.tree(), after);
}

/// Does it, takes it back, and asks twice more: nothing changes any more and nothing is in the way.
fn back_and_again(b: &Bench, ops: &[Op]) {
    let before = b.tree();
    let done = b.act("c", ops);
    assert!(done.iter().all(|(_, seen, _)| seen.performed), "{done:#?}");
    for time in 0..3 {
        let report = back(&done, Purpose::Undo);
        assert!(report.conflicts.is_empty(), "time {time}: {report:#?}");
        assert_eq!(b.tree(), before, "time {time}");
    }
}

#[test]
fn a_thing_that_ends_where_it_began_stays_there_when_asked_again() {
    let b = Bench::plain();
    fs::write(b.at("e"), "e").unwrap();
    fs::write(b.at("n"), "n").unwrap();
    let ops = [rm(b.at("n")), mv(b.at("e"), b.at("n")), mv(b.at("n"), b.at("b")), mv(b.at("b"), b.at("e"))];
    back_and_again(&b, &ops);
}

#[test]
fn what_a_folder_took_along_is_known_where_it_was() {
    let b = Bench::plain();
    fs::create_dir(b.at("d")).unwrap();
    fs::write(b.at("d/a"), "theirs").unwrap();
    let ops = [mv(b.at("d"), b.at("e")), mkdir(b.at("d")), put(b.at("d/a"), Create)];
    back_and_again(&b, &ops);
}

#[test]
fn a_folder_made_moved_removed_and_made_again_is_each_time_another() {
    let b = Bench::plain();
    fs::write(b.at("f"), "f").unwrap();
    let ops = [
        mkdir(b.at("e")),
        mv(b.at("f"), b.at("e/f")),
        mv(b.at("e"), b.at("b")),
        rm(b.at("b/f")),
        rmdir(b.at("b")),
        mkdir(b.at("e")),
    ];
    back_and_again(&b, &ops);
}

#[test]
fn a_link_is_known_by_where_it_leads() {
    let b = Bench::plain();
    symlink("there", b.at("l")).unwrap();
    let done = b.act("c", &[mv(b.at("l"), b.at("m"))]);
    // A power loss may take the date of a link, which cannot be synced.
    let at = rustix::fs::Timespec { tv_sec: 1, tv_nsec: 0 };
    let times = rustix::fs::Timestamps { last_access: at, last_modification: at };
    let flags = rustix::fs::AtFlags::SYMLINK_NOFOLLOW;
    rustix::fs::utimensat(rustix::fs::CWD, b.at("m"), &times, flags).unwrap();
    assert!(back(&done, Purpose::Undo).conflicts.is_empty());
    assert_eq!(fs::read_link(b.at("l")).unwrap(), std::path::PathBuf::from("there"));
}

#[test]
fn a_repair_that_was_cut_after_it_kept_a_copy_is_finished() {
    let b = with(&["a"]);
    let mut open = b.begin("c");
    let mut hands = b.intend(&mut open, "c", &[cp(b.at("a"), b.at("m"))]);
    perform(&mut hands, 0).unwrap();
    let so_far = open.so_far().unwrap();
    // As after a power loss: the copy at what is kept came through, the name it came from as well.
    fs::copy(b.at("m"), &so_far[0].2).unwrap();
    assert!(back(&so_far, Purpose::Recover).conflicts.is_empty());
    assert!(!b.at("m").exists());
    assert_eq!(fs::read(&so_far[0].2).unwrap(), b"a");
}

/// Whoever starts beside a call that begins or ends must not take it for one that a crash cut.
#[test]
fn a_call_at_work_is_nobodys_to_recover() {
    let bench = Bench::plain();
    let beside = || {
        let mut found = Vec::new();
        for _ in 0..20_000 {
            found.extend(bench.journal.cut().unwrap().into_iter().map(|(id, _)| id));
        }
        found
    };
    std::thread::scope(|scope| {
        let others = [scope.spawn(beside), scope.spawn(beside), scope.spawn(beside)];
        for n in 0.. {
            let mut open = bench.begin(&format!("c{n}"));
            drop(bench.intend(&mut open, &format!("c{n}"), &[mkdir(bench.at(&format!("d{n}")))]));
            open.close("ok").unwrap();
            if others.iter().all(|other| other.is_finished()) {
                break;
            }
        }
        for other in others {
            assert_eq!(other.join().unwrap(), Vec::<String>::new());
        }
    });
}
