//! A hostile seed, in the test build of the attack table only: tries what it is told to try and
//! reports what the kernel answered. What it really achieved is judged from outside.
#![allow(unsafe_code, reason = "raw system calls are what an attacker uses; each states why it is sound")]

mod kernel;
mod limits;
mod places;
mod protocol;

use crate::call::Call;
use crate::registry::Seed;
use metnos_executor::{Failure, Origin};
use serde::Deserialize;
use serde_json::json;
use std::io;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The same program behind five profiles.
pub(crate) const SEEDS: &[(&str, Seed)] = &[
    ("get_signatures_candidates", run),
    ("get_signatures_graylist", run),
    ("read_signatures_candidates", run),
    ("write_signatures_candidates", run),
    ("set_signatures_candidates", run),
];

/// What to try.
#[derive(Deserialize)]
struct Args {
    attack: String,
    #[serde(default)]
    target: String,
    #[serde(default)]
    n: u64,
}

fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    if args.attack == "none" {
        return report(call, &args.attack, Ok("nothing was tried".into()));
    }
    let tried = kernel::attempt(&args)
        .or_else(|| places::attempt(&args))
        .or_else(|| limits::attempt(&args))
        .or_else(|| protocol::attempt(&args, call))
        .or_else(|| (args.attack == "early-thread").then(thread_found));
    match tried {
        Some(outcome) => report(call, &args.attack, outcome),
        None => Err(Failure::wrong_args(format!("no attack is called {}", args.attack))),
    }
}

fn report(call: &mut Call<'_>, attack: &str, outcome: io::Result<String>) -> Result<(), Failure> {
    let (errno, got) = match outcome {
        Ok(got) => (0, got),
        Err(e) => (e.raw_os_error().unwrap_or(-1), e.to_string()),
    };
    call.outcome.ok_count = 1;
    call.emit(&json!({ "attack": attack, "errno": errno, "got": got }), Origin::Local)
}

static GO: AtomicBool = AtomicBool::new(false);
static FOUND: Mutex<Option<Result<String, i32>>> = Mutex::new(None);

/// Starts a thread before the layers close, if the test asks for it: what it reads later, no layer
/// that binds a thread can refuse.
pub fn early_thread() {
    let Some(path) = metnos_executor::lab::var("THREAD").filter(|path| std::path::Path::new(path).exists())
    else {
        return;
    };
    // A thread that cannot be started is an attack that failed.
    let _ = std::thread::Builder::new().spawn(move || {
        while !GO.load(Ordering::Acquire) {
            std::hint::spin_loop();
        }
        let read = std::fs::read_to_string(path).map_err(|e| e.raw_os_error().unwrap_or(-1));
        if let Ok(mut found) = FOUND.lock() {
            *found = Some(read);
        }
    });
}

fn thread_found() -> io::Result<String> {
    GO.store(true, Ordering::Release);
    let until = Instant::now() + Duration::from_secs(2);
    while Instant::now() < until {
        if let Some(found) = FOUND.lock().ok().and_then(|mut found| found.take()) {
            return found.map_err(io::Error::from_raw_os_error);
        }
        std::hint::spin_loop();
    }
    Err(io::ErrorKind::TimedOut.into())
}

/// A raw system call.
fn raw(number: i64, args: [u64; 6]) -> io::Result<i64> {
    let [a, b, c, d, e, f] = args;
    // SAFETY: callers pass integers, or pointers to locals that outlive the call.
    let answer = unsafe { libc::syscall(number, a, b, c, d, e, f) };
    if answer < 0 { Err(io::Error::last_os_error()) } else { Ok(answer) }
}

/// For calls that cannot succeed here for want of privilege: the attack is to reach them at all.
/// An answer of the call's own code, on arguments that cannot be right, is success.
fn reached(answer: io::Result<i64>, own: &[i32]) -> io::Result<String> {
    match answer {
        Ok(n) => Ok(format!("answered {n}")),
        Err(e) if e.raw_os_error().is_some_and(|n| own.contains(&n)) => Ok(format!("reached: {e}")),
        Err(e) => Err(e),
    }
}
