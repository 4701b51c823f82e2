//! The durable audit line apart: the part of every call that waits for the disk.

use crate::Result;
use crate::figure::{Figure, Unit};
use crate::house::House;
use crate::sample::{Sample, alternate, timed};
use ed25519_dalek::SigningKey;
use metnos_memory::audit::{Audit, Cell, Counts, Exit, Kind, Line};
use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Arc;
use std::time::Instant;

const TIMES: usize = 400;

pub(super) fn measure(house: &House) -> Result<()> {
    let scratch = house.base().join("append");
    let signer = Arc::new(SigningKey::from_bytes(&[7; 32]));
    let audit = Audit::open(&scratch.join("audit"), &scratch.join("state"), signer, jiff::Timestamp::now)?;
    let mut plain = OpenOptions::new().append(true).create(true).open(scratch.join("plain"))?;
    let text = format!("{}\n", "x".repeat(700));

    let (ours, theirs) = alternate(
        TIMES,
        || timed(|| Ok(audit.append(line())?)).map(|(took, _)| took),
        || {
            timed(|| Ok(plain.write_all(text.as_bytes()).and_then(|()| plain.sync_data())?))
                .map(|(took, ())| took)
        },
    )?;
    Figure::timing("audit_append", Unit::Us, &ours)
        .against("write and fdatasync of as many bytes", &theirs)
        .print();

    for threads in [1, 8] {
        let mut rates: Vec<f64> = (0..3).map(|_| rate(&audit, threads)).collect::<Result<_>>()?;
        rates.sort_by(f64::total_cmp);
        Figure::value(&format!("audit_appends_per_second_{threads}"), "1/s", rates[1])
            .with("threads", threads)
            .with("runs", rates.len())
            .print();
    }
    Ok(())
}

/// Durable lines per second when `threads` append at once.
fn rate(audit: &Audit, threads: usize) -> Result<f64> {
    let each = TIMES / threads.min(4);
    let started = Instant::now();
    let all: Vec<Result<Sample>> = std::thread::scope(|scope| {
        let work = || -> std::result::Result<Sample, metnos_memory::Error> {
            let mut sample = Sample::default();
            for _ in 0..each {
                let started = Instant::now();
                audit.append(line())?;
                sample.push(started.elapsed());
            }
            Ok(sample)
        };
        let running: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        running
            .into_iter()
            .map(|thread| match thread.join() {
                Ok(sample) => Ok(sample?),
                Err(_) => Err("a thread died".into()),
            })
            .collect()
    });
    let took = started.elapsed();
    let lines: usize = all.into_iter().collect::<Result<Vec<_>>>()?.iter().map(Sample::len).sum();
    Ok(lines as f64 / took.as_secs_f64())
}

/// The line of an ordinary call.
fn line() -> Line {
    let mut line = Line::new(Kind::Call);
    line.call_id = Some("01JCQ8Z8Q4M5YB2V0S1XH3K7TD".into());
    line.executor = Some("get_now".into());
    line.version = Some("1.0.0".into());
    line.caller = Some("host/cli".into());
    line.trace = Some("executor.get_now".into());
    line.digest = Some(format!("blake3:{}", "0".repeat(64)));
    line.input = serde_json::json!({});
    line.output_digest = Some(format!("blake3:{}", "0".repeat(64)));
    line.counts = Some(Counts { input: 0, ok: 1, failed: 0 });
    line.duration_us = Some(1000);
    line.exit = Some(Exit::Ok);
    line.layers = ["mount", "landlock", "seccomp"].map(String::from).to_vec();
    line.limits = Some("rlimit+watchdog".into());
    line.cell = Some(Cell { warm: true, mounts: "pure".into() });
    line
}
