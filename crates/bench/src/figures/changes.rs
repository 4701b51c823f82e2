//! Ten thousand files moved, moved back and deleted: durable, with all that undo needs.

use crate::Result;
use crate::figure::{Figure, Unit};
use crate::house::{House, run};
use crate::sample::Sample;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

const FILES: usize = 10_000;
const BYTES: usize = 200;
const ROUNDS: usize = 3;

pub(super) fn measure(house: &House) -> Result<()> {
    let work = house.home().join("changes");
    let _ = std::fs::remove_dir_all(&work);
    // A folder that is opened apart from the home directory, on the same disk.
    let other = tempfile::Builder::new()
        .prefix("metnos-bench-")
        .tempdir_in(house.home().parent().and_then(Path::parent).ok_or("no folder above the data")?)?;
    let other_root = other.path().canonicalize()?;
    let opened = house
        .command(&["territory", "add", &other_root.display().to_string()])
        .stdout(Stdio::null())
        .status()?;
    if !opened.success() {
        return Err("metnos territory add failed".into());
    }
    both_ways(house, &work, "move_10000_inside_a_root", &work.join("there"), Some(3.0))?;
    both_ways(house, &work, "move_10000_across_roots", &other_root.join("there"), None)?;
    kept(house, &work)?;
    std::fs::remove_dir_all(&work)?;
    Ok(())
}

/// Moves, undoes, and lets `mv` do the same with the same files.
fn both_ways(house: &House, work: &Path, name: &str, there: &Path, bar: Option<f64>) -> Result<()> {
    let (mut ours, mut back, mut theirs) = (Sample::default(), Sample::default(), Sample::default());
    for _ in 0..ROUNDS {
        let files = fill(&work.join("here"))?;
        ours.push(approved(house, "move_files", &json!({ "paths": files, "dst_dir": there }))?);
        back.push(run(house.command(&["--json", "undo"]).stdout(Stdio::null()))?);
        std::fs::create_dir_all(there)?;
        theirs.push(run(Command::new("mv").arg("-t").arg(there).args(&files))?);
        std::fs::remove_dir_all(there)?;
    }
    let peer = "mv of the same files, nothing synced and nothing kept";
    let figure = Figure::timing(name, Unit::Ms, &ours)
        .with("measures", "metnos approve of move_files: the whole process, durable, undo recorded")
        .against(peer, &theirs);
    match bar {
        Some(bar) => figure.ratio_at_most(bar),
        None => figure,
    }
    .print();
    Figure::timing(&format!("undo_{name}"), Unit::Ms, &back).against(peer, &theirs).print();
    Ok(())
}

/// How much is kept of what was deleted.
fn kept(house: &House, work: &Path) -> Result<()> {
    let files = fill(&work.join("gone"))?;
    let took = approved(house, "delete_files", &json!({ "paths": files }))?;
    let said = house.command(&["--json", "undo", "--list"]).output()?;
    let list: Value = serde_json::from_slice(&said.stdout)?;
    let kept = list.pointer("/0/kept_bytes").and_then(Value::as_u64).ok_or("no kept_bytes in undo --list")?;
    let touched = (FILES * BYTES) as u64;
    Figure::value("kept_bytes_of_deleted", "bytes", kept as f64)
        .with("bytes_deleted", touched)
        .with("ratio", kept as f64 / touched as f64)
        .with("deleted_in_ms", took.as_millis() as u64)
        .print();
    run(house.command(&["undo"]).stdout(Stdio::null()))?;
    Ok(())
}

/// So many files, asked about once: how long the yes takes, from start to end of its process.
fn approved(house: &House, name: &str, args: &Value) -> Result<Duration> {
    let file = house.base().join("args.json");
    std::fs::write(&file, args.to_string())?;
    let asked = house.command(&["--json", "exec", name, &format!("@{}", file.display())]).output()?;
    let answer: Value = serde_json::from_slice(&asked.stdout)?;
    let id =
        answer["error"]["approval"].as_str().ok_or_else(|| format!("no question: {}", short(&answer)))?;
    run(house.command(&["--json", "approve", id]).stdout(Stdio::null()))
}

fn short(answer: &Value) -> String {
    answer.to_string().chars().take(300).collect()
}

fn fill(dir: &Path) -> Result<Vec<PathBuf>> {
    std::fs::create_dir_all(dir)?;
    let make = |n: usize| {
        let path = dir.join(format!("{n}.txt"));
        if !path.exists() {
            std::fs::write(&path, [b'x'; BYTES])?;
        }
        Ok(path)
    };
    (0..FILES).map(make).collect()
}
