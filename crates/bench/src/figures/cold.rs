//! A call that starts its own cell.

use crate::Result;
use crate::figure::{Figure, Unit};
use crate::house::{House, ask};
use crate::peer::Bubblewrap;
use crate::sample::alternate;
use serde_json::json;

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
        .print();

    // The same call where Metnos runs already, as it does behind every door but the one-shot command.
    let mut session = house.cold_session()?;
    let call = ask("get_now", &json!({}));
    session.call(&call)?;
    let (ours, theirs) = alternate(TIMES, || session.call(&call), || bubblewrap.run())?;
    Figure::timing("cold_call", Unit::Ms, &ours)
        .with("measures", "one call in a running metnos that keeps no cells: verify, start a cell, run, check, durable audit")
        .against(Bubblewrap::WHAT, &theirs)
        .ratio_at_most(2.0)
        .print();
    Ok(())
}
