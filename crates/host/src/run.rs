//! Runs one executor in its runtime, with every layer closed.

use crate::cell::Brought;
use crate::port::WirePort;
use metnos_executor::schema::Schema;
use metnos_executor::wire::{self, Request, Runtime};
use metnos_executor::{Failure, ListName, Outcome};
use metnos_seeds::Call;
use std::fs::File;
use std::io::BufReader;

/// What must exist before the layers close.
pub(crate) struct Prepared;

/// Makes what the runtime needs while it still can.
pub(crate) fn prepare(_request: &Request, _brought: &Brought) -> Result<Prepared, Failure> {
    Ok(Prepared)
}

/// Runs the executor and returns its outcome; items went through the port.
pub(crate) fn run(
    request: Request,
    brought: Brought,
    _prepared: Prepared,
    port: &mut WirePort,
    output: &Schema,
    list: ListName,
) -> Outcome {
    let outcome = match request.runtime {
        Runtime::Native => native(request, brought, port, list),
        Runtime::Python | Runtime::Cpython => {
            Outcome::failure(Failure::internal("no Python in this build"))
        }
    };
    check_scalars(outcome, output)
}

fn native(request: Request, brought: Brought, port: &mut WirePort, list: ListName) -> Outcome {
    let probe = (request.executor == wire::PROBE).then_some(crate::probe::run as metnos_seeds::Seed);
    let Some(seed) = probe.or_else(|| metnos_seeds::find(&request.executor)) else {
        return Outcome::failure(Failure::internal(format!("this host has no seed called {}", request.executor)));
    };
    let now = match request.now.parse() {
        Ok(now) => now,
        Err(e) => return Outcome::failure(Failure::internal(format!("the moment of the call: {e}"))),
    };
    let reader = |file: Option<File>| -> Option<Box<dyn std::io::BufRead>> {
        file.map(|f| Box::new(BufReader::with_capacity(256 << 10, f)) as Box<dyn std::io::BufRead>)
    };
    let (entries, with) = (reader(brought.entries), reader(brought.with));
    let mut call = Call::new(request.args, now, request.lang, entries, with, port);
    call.list = list;
    // A defect in one seed must not look like a dead cell.
    let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| seed(&mut call)));
    let mut outcome = call.outcome;
    match ran {
        Ok(Ok(())) => {}
        Ok(Err(error)) => outcome.error = Some(error),
        Err(_) => outcome.error = Some(Failure::internal("the executor stopped on a defect of its own")),
    }
    outcome
}

/// Scalars beside the list must match the schema too; the list was checked item by item.
fn check_scalars(mut outcome: Outcome, output: &Schema) -> Outcome {
    let broken = outcome
        .fields
        .iter()
        .find_map(|(key, value)| output.property(key)?.check(value).err().map(|e| format!("{key}: {e}")));
    if let (Some(broken), None) = (broken, &outcome.error) {
        outcome.error = Some(Failure::internal(format!("the answer breaks its own schema: {broken}")));
    }
    outcome
}
