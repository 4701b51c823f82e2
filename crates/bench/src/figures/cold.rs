//! A call that starts its own cell.

use crate::Result;
use crate::figure::{Figure, Unit};
use crate::house::{House, ask};
use crate::peer::Bubblewrap;
use crate::sample::{Sample, alternate};
use serde_json::json;
use std::time::Duration;

const TIMES: usize = 60;

pub(super) fn measure(house: &House) -> Result<()> {
    let bubblewrap = {
        let mut session = house.session()?;
        session.call(&ask("get_now", &json!({})))?;
        Bubblewrap::of(&session)?
    };
    let out = house.base().join("out.json");
    let (whole, theirs) = alternate(TIMES, || house.exec("get_now", &json!({}), &out), || bubblewrap.run())?;
    Figure::timing("cold_call_process", Unit::Ms, &whole)
        .with("measures", "metnos exec get_now, from start to end of the process")
        .against(Bubblewrap::WHAT, &theirs)
        .ratio_at_most(2.0)
        .print();

    // The same calls, as their audit lines have them: after the process was up, before the line.
    let mut inside = Sample::default();
    for line in house.audit(TIMES)? {
        let us = line["duration_us"].as_u64().ok_or("an audit line without a duration")?;
        inside.push(Duration::from_micros(us));
    }
    Figure::timing("cold_call_inside", Unit::Ms, &inside)
        .with("measures", "verify, start a cell, call; without process start and the closing audit line")
        .against(Bubblewrap::WHAT, &theirs)
        .ratio_at_most(2.0)
        .print();
    Ok(())
}
