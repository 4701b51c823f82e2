//! Filter, sort and group of a million entries: seconds, and the memory of the whole tree.

use crate::figure::{Figure, Unit};
use crate::house::House;
use crate::sample::{Sample, timed};
use crate::{Result, data, memory};
use serde_json::{Value, json};
use std::process::Stdio;

const TIMES: usize = 3;
/// Megabytes.
const MEMORY_BAR: f64 = 1000.0;

pub(super) fn measure(house: &House) -> Result<()> {
    let entries = data::entries(house.home())?;
    let entries = entries.to_str().ok_or("a path that is not text")?;
    let out = house.base().join("out.jsonl");
    let out = out.to_str().ok_or("a path that is not text")?;
    let calls: [(&str, &str, Value); 4] = [
        ("filter_million", "filter_entries", json!({ "where_field": "size", "where_min": 25_000_000 })),
        ("sort_million_numbers", "sort_entries", json!({ "by": "size" })),
        ("sort_million_texts", "sort_entries", json!({ "by": "name", "order": "desc" })),
        ("group_million", "group_entries", json!({ "by": "kind", "aggregate": "sum", "field": "size" })),
    ];
    for (name, executor, args) in calls {
        let args = args.to_string();
        let (mut sample, mut most) = (Sample::default(), 0);
        for _ in 0..TIMES {
            let words = ["--json", "exec", executor, &args, "--entries", entries, "--out", out];
            let mut command = house.command(&words);
            let (took, peak) = timed(|| memory::peak(&mut command.stdout(Stdio::null()).spawn()?))?;
            sample.push(took);
            most = most.max(peak);
        }
        Figure::timing(name, Unit::S, &sample).with("entries", data::ENTRIES).print();
        Figure::value(&format!("{name}_memory"), "MB", most as f64 / 1e6)
            .with("measures", "peak of metnos and its cell: resident pages, and each memory file once")
            .at_most(MEMORY_BAR)
            .print();
    }
    Ok(())
}
