//! A call that finds its cell waiting: verify, fence, run, check, durable audit line.

use crate::figure::{Figure, Unit};
use crate::house::{House, Session, ask};
use crate::peer::Bubblewrap;
use crate::sample::{Sample, timed};
use crate::{Result, data};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// One call every so often: as a person or a plan would.
const PACE: Duration = Duration::from_millis(30);
const PACED: usize = 200;
const BACK_TO_BACK: usize = 1000;

pub(super) fn measure(house: &House) -> Result<()> {
    let ten = data::ten_files(house.home())?;
    paced(house, "warm_call_get_now", &ask("get_now", &json!({})), Some(0.1))?;
    paced(house, "warm_call_find_files_10", &ask("find_files", &json!({ "base_path": ten })), Some(0.1))?;
    let note = json!({ "path": house.home().join("note.txt"), "content": "x", "mode": "overwrite" });
    paced(house, "warm_call_write_files", &ask("write_files", &note), None)?;
    back_to_back(house)
}

fn paced(house: &House, name: &str, call: &str, bar: Option<f64>) -> Result<()> {
    let mut session = house.session()?;
    warm_up(&mut session, call)?;
    let bubblewrap = Bubblewrap::of(&session)?;
    let (mut ours, mut theirs) = (Sample::default(), Sample::default());
    for _ in 0..PACED {
        ours.push(beat(|| session.call(call))?);
        theirs.push(beat(|| bubblewrap.run())?);
    }
    drop(session);
    let lines = house.audit(PACED)?;
    let inside = inside(&lines);
    let figure = Figure::timing(name, Unit::Us, &ours)
        .with("every_ms", PACE.as_millis() as u64)
        .with("inside_us", inside)
        .with("misses", misses(&lines))
        .against(Bubblewrap::WHAT, &theirs);
    match bar {
        Some(bar) => figure.ratio_at_most(bar),
        None => figure,
    }
    .print();
    guards(&format!("guards_{name}"), &lines, &ours);
    Ok(())
}

/// Lets the pool learn what is asked of it.
fn warm_up(session: &mut Session, call: &str) -> Result<()> {
    (0..10).try_for_each(|_| beat(|| session.call(call)).map(|_| ()))
}

/// Does one thing, then waits until the next beat.
fn beat(work: impl FnOnce() -> Result<Duration>) -> Result<Duration> {
    let started = Instant::now();
    let took = work()?;
    std::thread::sleep(PACE.saturating_sub(started.elapsed()));
    Ok(took)
}

fn back_to_back(house: &House) -> Result<()> {
    let call = ask("get_now", &json!({}));
    let mut session = house.session()?;
    warm_up(&mut session, &call)?;
    let mut sample = Sample::default();
    let (all, ()) = timed(|| {
        for _ in 0..BACK_TO_BACK {
            sample.push(session.call(&call)?);
        }
        Ok(())
    })?;
    drop(session);
    let lines = house.audit(BACK_TO_BACK)?;
    Figure::timing("warm_call_back_to_back", Unit::Us, &sample)
        .with("calls_per_second", (BACK_TO_BACK as f64 / all.as_secs_f64()).round())
        .with("misses", misses(&lines))
        .print();
    Ok(())
}

/// How many of these calls had to start their own cell.
fn misses(lines: &[Value]) -> usize {
    lines.iter().filter(|line| line["cell"]["warm"] == false).count()
}

/// What stands before the cell (core paths and fence, policy, judge), held against the whole call it
/// protects, when nobody has to be asked.
fn guards(name: &str, lines: &[Value], whole: &Sample) {
    let mut sample = Sample::default();
    let micros = lines.iter().filter_map(|line| line["guard_us"].as_u64());
    micros.map(Duration::from_micros).for_each(|took| sample.push(took));
    Figure::timing(name, Unit::Us, &sample)
        .against("the warm call it protects", whole)
        .ratio_at_most(0.1)
        .print();
}

/// The middle duration as the audit has it: without the pipe, and without the line itself.
fn inside(lines: &[Value]) -> u64 {
    let mut all: Vec<u64> = lines.iter().filter_map(|line| line["duration_us"].as_u64()).collect();
    all.sort_unstable();
    all.get(all.len() / 2).copied().unwrap_or(0)
}
