//! The attack table. Every row is an attack through `metnos exec` with a hostile executor, refused
//! in the whole build; its control is the same attack with one layer removed, and must succeed.
//!
//! `metnos-lab` prints one JSON row each and a summary, and fails unless every row is refused and
//! every control succeeds. `--fast` tries the first row of each layer, in its first cell; words select rows
//! by name or layer.
//! `--guards` is the same for what stands before the cell: one row for each guard.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the table is what this program is for")]

mod attack;
mod guards;
mod hostile;
mod house;
mod net;
mod table;

use attack::{Attack, Cell};
use house::{Done, House};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match run(&words) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(why) => {
            eprintln!("metnos-lab: {why}");
            ExitCode::from(2)
        }
    }
}

/// The test build: `METNOS_LAB` names it, else it lies beside this program.
fn binary() -> Done<PathBuf> {
    let beside = || Some(std::env::current_exe().ok()?.parent()?.join("metnos"));
    let path = std::env::var_os("METNOS_LAB").map(PathBuf::from).or_else(beside);
    path.filter(|path| path.exists()).ok_or_else(|| "no test build here: run `make lab` first".to_owned())
}

fn run(words: &[String]) -> Done<bool> {
    let wanted: Vec<&String> = words.iter().filter(|word| !word.starts_with("--")).collect();
    if words.iter().any(|word| word == "--guards") {
        return guards::run(&binary()?, &wanted);
    }
    let fast = words.iter().any(|word| word == "--fast");
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let mut house = House::new(dir.path(), &binary()?)?;
    let mut attacks = table::all();
    attacks
        .retain(|attack| wanted.is_empty() || wanted.iter().any(|w| *w == attack.name || *w == attack.layer));
    if !is_root() {
        // Whoever is not root has no capabilities to drop: without that layer nothing changes.
        let all = attacks.len();
        attacks.retain(|attack| attack.layer != "capabilities");
        eprintln!("metnos-lab: {} rows need root for their control and are left out", all - attacks.len());
    }
    // One process without each layer serves all its rows.
    attacks.sort_by_key(|attack| attack.layer);
    if fast {
        attacks.dedup_by_key(|attack| attack.layer);
    }
    let (mut rows, mut refused, mut controls) = (0, 0, 0);
    for attack in &attacks {
        for cell in attack.cells.iter().take(if fast { 1 } else { usize::MAX }) {
            let row = row(attack, &mut house, *cell)?;
            println!("{row}");
            rows += 1;
            refused += u32::from(row["refused"] == true);
            controls += u32::from(row["control"] == true);
        }
    }
    println!("{}", json!({ "attacks": rows, "refused": refused, "controls": controls }));
    Ok(rows > 0 && refused == rows && controls == rows)
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

fn row(attack: &Attack, house: &mut House, cell: Cell) -> Done<serde_json::Value> {
    let (won, errno) = once(attack, house, cell, "")?;
    let (control, answered) = once(attack, house, cell, attack.layer)?;
    let mut row = json!({
        "attack": attack.name, "runtime": attack.runtime, "cell": cell.as_str(), "layer": attack.layer,
        "errno": errno, "refused": !won, "control": control,
    });
    if won || !control {
        row["control_errno"] = answered.into();
    }
    Ok(row)
}

/// One try, in this house or, when it does damage, in a copy.
fn once(attack: &Attack, house: &mut House, cell: Cell, without: &str) -> Done<(bool, String)> {
    let told = |why: String| format!("{} ({}, {}): {why}", attack.name, attack.runtime, cell.as_str());
    if attack.damaging {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        return attack.attempt(&mut house.copy(dir.path())?, cell, without).map_err(told);
    }
    house.restore()?;
    attack.attempt(house, cell, without).map_err(told)
}
