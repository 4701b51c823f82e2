//! Runs one executor in its runtime, with every layer closed.

use crate::cell::Brought;
use crate::port::WirePort;
use crate::python;
use metnos_executor::wire::{self, Request, Runtime, SPACE};
use metnos_executor::{Failure, ListName, Outcome};
use metnos_seeds::Call;
use std::fs::File;
use std::io::{BufRead, BufReader};

/// Runs the executor and returns its outcome; items went through the port.
pub(crate) fn run(
    request: &Request,
    mut brought: Brought,
    prepared: python::Prepared,
    port: &mut WirePort,
    list: ListName,
) -> Outcome {
    let now = match request.now.parse() {
        Ok(now) => now,
        Err(e) => return Outcome::failure(Failure::internal(format!("the moment of the call: {e}"))),
    };
    let native = request.runtime == Runtime::Native;
    let reader = |file: &mut Option<File>| -> Option<Box<dyn BufRead>> {
        let file = native.then(|| file.take()).flatten()?;
        Some(Box::new(BufReader::with_capacity(256 << 10, file)))
    };
    let (entries, with) = (reader(&mut brought.entries), reader(&mut brought.with));
    let mut call = Call::new(request.args.clone(), now, request.lang.clone(), entries, with, port);
    call.list = list;
    // A defect in one executor must not look like a dead cell.
    let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        if request.executor == wire::PROGRAM {
            crate::program::run(&mut call)
        } else if native {
            seed(&request.executor, &mut call)
        } else {
            python::run(request, &mut brought, prepared, &mut call)
        }
    }));
    let mut outcome = call.outcome;
    match ran {
        Ok(Ok(())) => {}
        // Without a layer the private folder is the only place where it can write.
        Ok(Err(error)) if error.limit.as_deref() == Some(SPACE) && !request.calls().layer => {
            outcome.error = Some(crate::layer::over_tmp(request.limits.tmp_mb));
        }
        Ok(Err(error)) => outcome.error = Some(error),
        Err(_) => outcome.error = Some(Failure::internal("the executor stopped on a defect of its own")),
    }
    outcome
}

fn seed(name: &str, call: &mut Call<'_>) -> Result<(), Failure> {
    let probe = (name == wire::PROBE).then_some(crate::probe::run as metnos_seeds::Seed);
    match probe.or_else(|| metnos_seeds::find(name)) {
        Some(seed) => seed(call),
        None => Err(Failure::internal(format!("this host has no seed called {name}"))),
    }
}
