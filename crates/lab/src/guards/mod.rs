//! What stands between a request and its cell: one row for each guard. The act must be stopped in
//! the whole build and must happen when that guard alone is removed, or the guard is not wired.

mod bounds;
mod daemon;
mod decisions;
mod programs;
mod traces;

use crate::house::{Done, House};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;
use std::process::{Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The act a guard must stop; gives whether it happened.
type Act = fn(&mut House, &str) -> Done<bool>;

/// The layer that is the guard, the act in words, and the act.
type Row = (&'static str, &'static str, Act);

/// How many acts are tried at once.
const AT_ONCE: usize = 4;

fn time_is_told(house: &House, without: &str) -> Done<bool> {
    Ok(metnos(house, without, &["exec", "get_now", "{}"])?.status.success())
}

/// Prints one row for each guard, or for those that are named; true when every one is wired.
pub(crate) fn run(binary: &Path, wanted: &[&String]) -> Done<bool> {
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let house = House::new(dir.path(), binary)?;
    let all = [decisions::ROWS, programs::ROWS, traces::ROWS, bounds::ROWS].concat();
    let chosen = |row: &Row| wanted.is_empty() || wanted.iter().any(|word| *word == row.0);
    let rows: Vec<Row> = all.into_iter().filter(chosen).collect();
    let (next, wired) = (AtomicUsize::new(0), AtomicUsize::new(0));
    // Each act has a house of its own, and mostly waits.
    let work = || {
        while let Some(row) = rows.get(next.fetch_add(1, Ordering::SeqCst)) {
            wired.fetch_add(usize::from(told_of(row, &house)?), Ordering::SeqCst);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        let ended = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Err("it died".into())));
        ended.collect::<Vec<Done>>().into_iter().collect::<Done>()
    })?;
    let wired = wired.into_inner();
    println!("{}", json!({ "guards": rows.len(), "wired": wired }));
    Ok(!rows.is_empty() && wired == rows.len())
}

/// Prints one row; true when the guard is wired.
fn told_of((guard, act, perform): &Row, house: &House) -> Done<bool> {
    let once = |without: &str| {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        perform(&mut house.copy(dir.path())?, without).map_err(|why| format!("{guard} ({without:?}): {why}"))
    };
    let (whole, control) = (once("")?, once(guard)?);
    println!("{}", json!({ "guard": guard, "act": act, "refused": !whole, "control": control }));
    Ok(!whole && control)
}

fn metnos(house: &House, without: &str, args: &[&str]) -> Done<Output> {
    house.command(without, args).env("METNOS_LAB_GUARDS", "1").output().map_err(|e| e.to_string())
}

/// The same as JSON.
fn told(house: &House, without: &str, args: &[&str]) -> Done<Value> {
    let ran = metnos(house, without, &[&["--json"], args].concat())?;
    serde_json::from_slice(&ran.stdout).map_err(|e| format!("{e}; stderr {:?}", lossy(&ran.stderr)))
}

/// What must work for the row to say anything.
fn works(house: &House, without: &str, args: &[&str]) -> Done {
    let ran = metnos(house, without, args)?;
    match ran.status.success() {
        true => Ok(()),
        false => Err(format!("{args:?}: {} {}", lossy(&ran.stdout), lossy(&ran.stderr))),
    }
}

fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Keeps a credential called `weather`.
fn keep_credential(house: &House, without: &str, value: &str) -> Done {
    let mut child = house
        .command(without, &["credentials", "set", "weather", "token"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .map_err(|e| e.to_string())?;
    if let Some(mut typed) = child.stdin.take() {
        writeln!(typed, "{value}").map_err(|e| e.to_string())?;
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(()),
        other => Err(format!("a credential is not kept: {other:?}")),
    }
}

fn delete(house: &House, without: &str, args: Value) -> Done<bool> {
    metnos(house, without, &["exec", "delete_files", &args.to_string()])?;
    Ok(!house.at("home/docs/open.txt").exists())
}

/// Asks for a file to be deleted; gives the id of the question.
fn asked(house: &House, without: &str, path: &str) -> Done<String> {
    let args = json!({ "paths": [house.text(path)] }).to_string();
    let asked = metnos(house, without, &["--json", "exec", "delete_files", &args])?;
    question(&asked)?.ok_or_else(|| "nothing was asked".to_owned())
}

/// The id of the question that was asked instead of an answer.
fn question(asked: &Output) -> Done<Option<String>> {
    let answer: Value = serde_json::from_slice(&asked.stdout).map_err(|e| e.to_string())?;
    Ok(answer["error"]["approval"].as_str().map(str::to_owned))
}

fn to_write(house: &House) -> String {
    json!({ "path": house.text("home/docs/new.txt"), "content": "x" }).to_string()
}

/// Whether any file below `dir` holds `what`.
fn found(dir: &Path, what: &[u8]) -> Done<bool> {
    for entry in std::fs::read_dir(dir).map_err(|e| e.to_string())?.flatten() {
        let path = entry.path();
        let here = match entry.file_type() {
            Ok(kind) if kind.is_dir() => found(&path, what)?,
            Ok(kind) if kind.is_file() => {
                std::fs::read(&path).is_ok_and(|bytes| bytes.windows(what.len()).any(|window| window == what))
            }
            _ => false,
        };
        if here {
            return Ok(true);
        }
    }
    Ok(false)
}
