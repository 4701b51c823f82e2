//! Requests in plain words: from the text to the plan by each stage, whole turns beside the commands they stand for,
//! and turns decided again.

use super::ranking;
use crate::figure::{Figure, Unit};
use crate::house::{House, run};
use crate::sample::{Sample, alternate, timed};
use crate::{Result, data, memory};
use metnos_executor::home::Home;
use metnos_gateway::{Asked, Gateway};
use metnos_runtime::{Options, Runtime};
use serde_json::Value;
use std::ffi::OsString;
use std::process::{Command, Stdio};

const PLANS: usize = 500;
const TURNS: usize = 15;

/// A request for each stage; what the second and third need is learned first.
const STAGES: [(&str, &str); 4] = [
    ("literal", "what time is it"),
    ("fastpath", "find the PDFs in Documents"),
    ("autopath", "find the PDFs in Music"),
    ("embedded", "find the videos in Music"),
];

pub(super) fn measure(house: &House) -> Result<()> {
    for folder in ["Documents", "Music"] {
        std::fs::create_dir_all(house.home().join(folder))?;
        std::fs::write(house.home().join(folder).join("one.pdf"), "x")?;
    }
    let answer = house.command(&["--json", "ask", STAGES[1].1]).output()?;
    let answer: Value = serde_json::from_slice(&answer.stdout)?;
    let turn = answer["turn"].as_str().ok_or("no turn")?.to_owned();
    let kept: Value =
        serde_json::from_slice(&house.command(&["--json", "memory", "plans"]).output()?.stdout)?;
    let exact = kept
        .as_array()
        .into_iter()
        .flatten()
        .find(|plan| plan["kind"] == "exact")
        .ok_or("nothing is kept")?;
    run(house.command(&["memory", "plans", "star", &exact["id"].to_string()]).stdout(Stdio::null()))?;
    {
        let gateway = gateway(house)?;
        for (stage, request) in STAGES {
            plans(house, &gateway, stage, request)?;
        }
        replays(&gateway, &turn)?;
    }
    ranking::measure()?;
    whole(house)
}

/// The mind of this house, in this process.
fn gateway(house: &House) -> Result<Gateway> {
    let locate = |key: &str| -> Option<OsString> {
        match key {
            "METNOS_HOME" => Some(house.base().into()),
            "HOME" => Some(house.home().into()),
            _ => None,
        }
    };
    let home = Home::locate(locate)?;
    let broken = |e: metnos_executor::Failure| e.message;
    Ok(Gateway::new(Runtime::open(home, Options::default()).map_err(broken)?).map_err(broken)?)
}

fn plans(house: &House, gateway: &Gateway, stage: &str, request: &str) -> Result<()> {
    let asked = Asked {
        text: request.to_owned(),
        language: None,
        now: jiff::Zoned::now(),
        caller: "host/cli".into(),
        conversation: "bench".into(),
        session: "bench".into(),
        base: house.home().to_owned(),
    };
    let mut sample = Sample::default();
    for n in 0..PLANS + 20 {
        let (took, (by, plan)) = timed(|| gateway.foresee(&asked, Vec::new()).map_err(|e| e.message.into()))?;
        if by.map(metnos_gateway::Stage::word) != Some(stage) || plan.is_none() {
            return Err(format!("{request}: {by:?} and not {stage}").into());
        }
        // The first ones fill caches.
        if n >= 20 {
            sample.push(took);
        }
    }
    Figure::timing(&format!("plan_{stage}"), Unit::Us, &sample)
        .with("measures", "text to checked plan in a running metnos, memory looked up on the way")
        .with("request", request)
        .print();
    Ok(())
}

fn replays(gateway: &Gateway, turn: &str) -> Result<()> {
    let mut sample = Sample::default();
    let mut events = 0;
    for _ in 0..PLANS {
        let (took, replayed) = timed(|| gateway.replay(turn).map_err(|e| e.message.into()))?;
        if !replayed.differences.is_empty() {
            return Err("a replay differs".into());
        }
        events = replayed.events;
        sample.push(took);
    }
    Figure::timing("replay_turn", Unit::Us, &sample).with("events", events).print();
    Ok(())
}

/// Both sides must name the same sizes; hidden files, which a person does not mean, are in neither.
fn same(house: &House, request: &str, pipe: &str) -> Result<()> {
    let answer = house.command(&["--json", "ask", request]).output()?;
    let answer: Value = serde_json::from_slice(&answer.stdout)?;
    let ours: Vec<u64> =
        answer["entries"].as_array().into_iter().flatten().filter_map(|row| row["size"].as_u64()).collect();
    let said = Command::new("sh").args(["-c", pipe]).stdin(Stdio::null()).output()?;
    let lines = String::from_utf8(said.stdout)?;
    let theirs: Vec<u64> = lines.lines().filter_map(|line| line.split(' ').next()?.parse().ok()).collect();
    if ours == theirs { Ok(()) } else { Err(format!("{ours:?} and not {theirs:?}").into()) }
}

/// Whole processes, from the start to the last byte of the answer.
fn whole(house: &House) -> Result<()> {
    let ask = |request: &str| run(house.command(&["--json", "ask", request]).stdout(Stdio::null()));
    let (ours, theirs) = alternate(
        TURNS,
        || ask("what time is it"),
        || run(Command::new("date").stdin(Stdio::null()).stdout(Stdio::null())),
    )?;
    Figure::timing("turn_what_time_is_it", Unit::Ms, &ours).against("date", &theirs).print();

    let many = data::many_files(house.home())?;
    let request = format!("list the ten largest files in {}", many.display());
    let pipe =
        format!("find '{}' -type f -not -name '.*' -printf '%s %p\\n' | sort -rn | head -10", many.display());
    same(house, &request, &pipe)?;
    let (ours, theirs) = alternate(
        5,
        || ask(&request),
        || run(Command::new("sh").args(["-c", &pipe]).stdin(Stdio::null()).stdout(Stdio::null())),
    )?;
    Figure::timing("turn_ten_largest", Unit::Ms, &ours)
        .with("files", data::MANY)
        .against("find -printf | sort -rn | head -10", &theirs)
        .print();

    for (figure, request) in
        [("turn_memory_time", "what time is it"), ("turn_memory_largest", request.as_str())]
    {
        let mut child = house.command(&["--json", "ask", request]).stdout(Stdio::null()).spawn()?;
        let peak = memory::peak(&mut child)?;
        Figure::value(figure, "MB", peak as f64 / 1e6).print();
    }
    Ok(())
}
