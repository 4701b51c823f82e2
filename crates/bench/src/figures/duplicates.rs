//! `find_files_hash` on a tree with real duplicates.

use crate::figure::{Figure, Unit, skipped};
use crate::house::{House, run};
use crate::sample::alternate;
use crate::{Result, data, peer};
use serde_json::{Value, json};
use std::fs::File;
use std::process::{Command, Stdio};

const TIMES: usize = 5;

pub(super) fn measure(house: &House) -> Result<()> {
    let Some(jdupes) = peer::program("jdupes") else {
        skipped("duplicates", "jdupes is missing: apt-get install jdupes");
        return Ok(());
    };
    let tree = data::duplicates(house.home())?;
    let (out, peers) = (house.base().join("ours.json"), house.base().join("peer.txt"));
    let args = json!({ "base_path": tree });
    let theirs = || {
        let mut command = Command::new(&jdupes);
        command.args(["-r", "-q"]).arg(&tree);
        run(command.stdin(Stdio::null()).stdout(File::create(&peers)?))
    };
    house.exec("find_files_hash", &args, &out)?;
    theirs()?;
    let ours: Value = serde_json::from_slice(&std::fs::read(&out)?)?;
    let found = ours["entries"].as_array().map_or(0, Vec::len);
    let named = std::fs::read_to_string(&peers)?.lines().filter(|line| !line.is_empty()).count();
    if found != named {
        return Err(format!("{found} duplicates, {named} by jdupes").into());
    }
    let (ours, theirs) = alternate(TIMES, || house.exec("find_files_hash", &args, &out), theirs)?;
    Figure::timing("duplicates", Unit::Ms, &ours)
        .with("files", data::DUPLICATES)
        .with("duplicates", found)
        .against("jdupes -r -q", &theirs)
        .ratio_at_most(1.0)
        .print();
    Ok(())
}
