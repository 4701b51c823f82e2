//! `find_files` on 200,000 files, from the start of the process to the last byte of JSON.

use crate::figure::{Figure, Unit, skipped};
use crate::house::{House, ask, run};
use crate::sample::{Sample, alternate};
use crate::{Result, data, peer};
use serde_json::{Value, json};
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};

const TIMES: usize = 9;
const PATTERN: &str = "needle-*.pdf";

pub(super) fn measure(house: &House) -> Result<()> {
    let many = data::many_files(house.home())?;
    let few = json!({ "base_path": many, "patterns": [PATTERN], "hidden": true });
    let all = json!({ "base_path": many, "hidden": true, "max_results": 0 });

    match peer::program("fdfind").or_else(|| peer::program("fd")) {
        Some(fd) => {
            let theirs = |out: &Path| {
                let mut command = Command::new(&fd);
                command.args(["-u", "-g", PATTERN]).arg(&many);
                run(command.stdin(Stdio::null()).stdout(File::create(out)?))
            };
            compare(house, "find_pattern", &few, 80, 1.3, &format!("fdfind -u -g '{PATTERN}'"), theirs)?;
        }
        None => ["find_pattern", "find_pattern_warm"]
            .iter()
            .for_each(|figure| skipped(figure, "fdfind is missing: apt-get install fd-find")),
    }
    let theirs = |out: &Path| {
        let mut command = Command::new("find");
        command.arg(&many).args(["-type", "f", "-printf", "%p %s %T@\\n"]);
        run(command.stdin(Stdio::null()).stdout(File::create(out)?))
    };
    compare(house, "find_everything", &all, data::MANY, 2.0, "find -type f -printf '%p %s %T@\\n'", theirs)
}

/// Cold and warm against the same peer; both sides must find `hits` files.
fn compare(
    house: &House,
    name: &str,
    args: &Value,
    hits: u64,
    bar: f64,
    what: &str,
    theirs: impl Fn(&Path) -> Result<std::time::Duration>,
) -> Result<()> {
    let (out, peers) = (house.base().join("ours.json"), house.base().join("peer.txt"));
    // Both once beforehand, so that neither pays for a disk that has not been read yet.
    house.exec("find_files", args, &out)?;
    theirs(&peers)?;
    let ours: Value = serde_json::from_slice(&std::fs::read(&out)?)?;
    let found = ours["entries"].as_array().map_or(0, Vec::len) as u64;
    let lines = std::fs::read(&peers)?.iter().filter(|b| **b == b'\n').count() as u64;
    if (found, lines) != (hits, hits) {
        return Err(format!("{name}: {found} found, {lines} by the peer, {hits} are there").into());
    }

    let (cold, peer) = alternate(TIMES, || house.exec("find_files", args, &out), || theirs(&peers))?;
    show(name, &cold, &peer, hits, bar, what);
    let mut session = house.session()?;
    let call = ask("find_files", args);
    session.call(&call)?;
    let (warm, peer) = alternate(TIMES, || session.call(&call), || theirs(&peers))?;
    show(&format!("{name}_warm"), &warm, &peer, hits, bar, what);
    Ok(())
}

fn show(name: &str, ours: &Sample, theirs: &Sample, hits: u64, bar: f64, what: &str) {
    Figure::timing(name, Unit::Ms, ours)
        .with("files", data::MANY)
        .with("hits", hits)
        .against(what, theirs)
        .ratio_at_most(bar)
        .print();
}
