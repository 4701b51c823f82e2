//! A batch of many moves: told, closed and taken back as one.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::{Bench, back, mkdir, mv, perform};
use metnos_undo::Purpose;
use std::fs;
use std::io::Write;
use std::time::Instant;

#[test]
fn twenty_thousand_moves_are_taken_back() {
    const MANY: usize = 20_000;
    let bench = Bench::plain();
    let mut ops = vec![mkdir(bench.at("to"))];
    for n in 0..MANY {
        fs::write(bench.at(&format!("{n}")), "x").unwrap();
        ops.push(mv(bench.at(&format!("{n}")), bench.at(&format!("to/{n}"))));
    }
    let before = bench.tree();
    let mut lap = Instant::now();
    let mut say = |what: &str| {
        let _ = writeln!(std::io::stderr(), "{MANY} moves {what}: {:?}", lap.elapsed());
        lap = Instant::now();
    };
    let mut open = bench.begin("c");
    let mut hands = bench.intend(&mut open, "c", &ops);
    say("told");
    (0..ops.len()).for_each(|i| perform(&mut hands, i).unwrap());
    hands.finish().unwrap();
    say("performed");
    assert_eq!(open.close("ok").unwrap().performed, ops.len() as u64);
    say("closed");
    let done = bench.journal.read("c").unwrap();
    say("read");
    // Cut half way, and asked again: what is back must not be searched for at length.
    back(&done[MANY / 2..], Purpose::Undo);
    let report = back(&done, Purpose::Undo);
    say("taken back");
    assert_eq!((report.reversed, report.conflicts.len()), (ops.len() as u64, 0));
    assert!(bench.tree() == before);
}
