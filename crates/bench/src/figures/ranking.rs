//! The prefilter on catalogs of three sizes that are made here.

use crate::Result;
use crate::figure::{Figure, Unit};
use crate::sample::{Sample, timed};
use metnos_engine::Lexicons;
use metnos_engine::prefilter::{Candidate, Prefilter};

const VERBS: [&str; 10] =
    ["find", "send", "create", "delete", "read", "list", "move", "convert", "share", "check"];
const OBJECTS: [&str; 10] = [
    "files", "messages", "events", "contacts", "invoices", "tickets", "photos", "orders", "reports",
    "devices",
];
const QUERIES: [&str; 8] = [
    "find the invoices of last month",
    "send a message to Anna about the report",
    "delete the photos older than two years",
    "elenca gli eventi della settimana",
    "sposta i documenti nella cartella archivio",
    "check the devices in the kitchen and share the list",
    "which tickets are still open?",
    "convert the orders of today to a spreadsheet and send it by mail to the office",
];
/// How many names a planner would look at.
const POOL: usize = 100;

pub(super) fn measure() -> Result<()> {
    let lexicons = Lexicons::shipped()?;
    for size in [100, 1_000, 10_000] {
        let catalog: Vec<Candidate> = (0..size).map(made).collect();
        let (built, prefilter) = timed(|| Ok(Prefilter::new(&catalog, &lexicons)))?;
        let mut sample = Sample::default();
        for query in QUERIES.iter().cycle().take(QUERIES.len() * 25) {
            let (took, ranked) = timed(|| Ok(prefilter.best(query, POOL).len()))?;
            if ranked == 0 {
                return Err(format!("{query}: nothing").into());
            }
            sample.push(took);
        }
        Figure::timing(&format!("prefilter_{size}"), Unit::Us, &sample)
            .with("tools", size)
            .with("index_ms", built.as_secs_f64() * 1e3)
            .print();
    }
    Ok(())
}

/// A tool of a made-up catalog: names and texts that overlap as those of real ones do.
fn made(n: usize) -> Candidate {
    let (verb, object) = (VERBS[n % 10], OBJECTS[n / 10 % 10]);
    let area = n / 100;
    let name = if area == 0 { format!("{verb}_{object}") } else { format!("{verb}_{object}_area{area}") };
    let other = OBJECTS[n / 7 % 10];
    Candidate {
        description: format!(
            "Use it to {verb} {object} of area {area}, with their {other}, by name, date or owner."
        ),
        affinity: vec![format!("area{area}"), object.to_owned()],
        args: ["name", "since", "owner", "limit"]
            .iter()
            .map(|arg| ((*arg).to_owned(), serde_json::Value::Null))
            .collect(),
        name,
    }
}
