//! `metnos prefilter`: the ranking of executors, on a catalog and queries from outside.

use super::plan::text_of;
use crate::print;
use metnos_engine::Lexicons;
use metnos_engine::prefilter::{Candidate, Prefilter, Ranked};
use metnos_executor::Failure;
use serde::Deserialize;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// How many names are given for a query.
const MOST: usize = 100;

/// One line of the queries; other keys are ignored.
#[derive(Deserialize)]
struct Query {
    query: String,
}

/// Ranks every query; one JSON line each.
pub(crate) fn run(catalog: &Path, queries: &Path) -> Result<ExitCode, Failure> {
    let text = text_of(catalog)?;
    let candidates: Vec<Candidate> = serde_json::from_str(&text).map_err(|e| {
        Failure::wrong_args(format!("{}: line {}, column {}: {e}", catalog.display(), e.line(), e.column()))
            .with_hint("an array of {name, description, affinity[], args{}}")
    })?;
    let text = text_of(queries)?;
    let mut asked = Vec::new();
    for (n, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let query: Query = serde_json::from_str(line).map_err(|e| {
            Failure::wrong_args(format!("{}: line {}, column {}: {e}", queries.display(), n + 1, e.column()))
                .with_hint(r#"one {"query": …} a line"#)
        })?;
        asked.push(query.query);
    }
    let lexicons = Lexicons::shipped().map_err(|e| Failure::internal(e.to_string()))?;
    let prefilter = Prefilter::new(&candidates, &lexicons);
    let lost = |e: std::io::Error| Failure::io("standard output", &e);
    let mut out = print::stream();
    for query in &asked {
        let started = Instant::now();
        let ranked = prefilter.best(query, MOST);
        let micros = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        serde_json::to_writer(&mut out, &Ranked { query, ranked, micros }).map_err(|e| lost(e.into()))?;
        out.write_all(b"\n").map_err(lost)?;
    }
    out.flush().map_err(lost)?;
    Ok(ExitCode::SUCCESS)
}
