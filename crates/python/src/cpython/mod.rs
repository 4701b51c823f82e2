//! Runtime `cpython`: the system's Python, a child of the host in the same cell.
//!
//! The wall is the cell; what is here is the dialogue. The child is not trusted: its lines are bounded,
//! what it says outside the dialogue is noise, and how it ended decides what the call reports.

mod line;

use crate::ctx::{self, CallError, Raised, class_of_exception, final_for_python};
use crate::{Bounds, Ctx, Runtime};
use line::{Lines, NoLine};
use metnos_executor::wire::SPACE;
use metnos_executor::{ErrorClass, Failure};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};

/// The interpreter.
pub const PYTHON: &str = "/usr/bin/python3";

/// What the interpreter runs: reads one call, serves it, answers.
pub const RUNNER: &str = include_str!("../cpython_runner.py");

/// How much of what the child wrote to its standard error is kept.
const STDERR_KEPT: usize = 16 << 10;

/// How Python begins what it says of a full disk.
const NO_SPACE: &str = "[Errno 28]";

/// Room in a line for what is around the answer: its frame, and what was printed.
const FRAME: usize = 256 << 10;

/// The command line: isolated, without site packages, without bytecode files, in UTF-8. The child needs
/// pipes for its three standard streams and no environment at all.
pub fn command() -> Vec<&'static str> {
    vec![PYTHON, "-I", "-S", "-B", "-E", "-X", "utf8", "-c", RUNNER]
}

/// The two ends of the dialogue.
pub struct ChildIo<R, W> {
    /// The child's standard output.
    pub from_child: R,
    /// The child's standard input.
    pub to_child: W,
}

/// How a dialogue ended without an answer.
enum End {
    /// It says itself why.
    Failed(Failure),
    /// The child went away; how it died says why.
    Gone,
}

impl From<Failure> for End {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Runs `run(args, ctx)` of `code` in the child behind `io`. Whoever holds the process itself uses
/// [`run_child`], which also knows how the child died.
pub fn run<R: Read, W: Write>(
    io: ChildIo<R, W>,
    code: &str,
    args: &Value,
    ctx: &mut dyn Ctx,
    bounds: Bounds,
) -> Result<Value, Failure> {
    Session::new(io, ctx, bounds).run(code, args).map_err(|end| match end {
        End::Failed(failure) => failure,
        End::Gone => Failure::internal("python ended without an answer"),
    })
}

/// Runs `run(args, ctx)` of `code` in `child`, started with [`command`] and three pipes. The child is
/// gone when this returns.
pub fn run_child(
    child: &mut Child,
    code: &str,
    args: &Value,
    ctx: &mut dyn Ctx,
    bounds: Bounds,
) -> Result<Value, Failure> {
    let (Some(to_child), Some(from_child)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(Failure::internal("python was started without pipes"));
    };
    let outcome = Session::new(ChildIo { from_child, to_child }, ctx, bounds).run(code, args);
    if !matches!(outcome, Err(End::Gone)) {
        // It has nothing more to say; an error here means it is already dead.
        let _ = child.kill();
    }
    let (stderr, status) = last_words(child).map_err(|e| Failure::io("waiting for python", &e))?;
    outcome.map_err(|end| match end {
        End::Failed(failure) => failure,
        End::Gone => explain(status, &stderr),
    })
}

/// What the end of the child means when it gave no answer.
pub fn explain(status: ExitStatus, stderr: &str) -> Failure {
    let last = stderr.lines().rev().find(|line| !line.trim().is_empty());
    let said = last.map(|line| format!(": {}", line.trim())).unwrap_or_default();
    match (status.signal(), status.code()) {
        (Some(libc::SIGKILL), _) => {
            Failure::limit("memory", "the kernel ended python: out of memory or time")
        }
        (Some(libc::SIGXCPU), _) => Failure::limit("cpu", "python used up its processor time"),
        (Some(libc::SIGXFSZ), _) => Failure::limit("tmp", "python wrote a file larger than it may"),
        (Some(libc::SIGSYS), _) => {
            Failure::new(ErrorClass::PolicyViolation, "python made a system call the cell does not allow")
        }
        (Some(signal), _) => Failure::internal(format!("python died of signal {signal}{said}")),
        (None, Some(127)) => {
            Failure::new(ErrorClass::DependencyMissing, format!("{PYTHON} could not be run{said}"))
        }
        (None, code) => {
            let code = code.unwrap_or_default();
            Failure::internal(format!("python ended with status {code} and no answer{said}"))
        }
    }
}

/// Waits for the child and keeps the end of what it said meanwhile. What it left running may hold its standard
/// error open and is not waited for.
fn last_words(child: &mut Child) -> std::io::Result<(String, ExitStatus)> {
    let Some(mut stderr) = child.stderr.take() else { return Ok((String::new(), child.wait()?)) };
    rustix::io::ioctl_fionbio(&stderr, true)?;
    let mut kept = Vec::new();
    let status = loop {
        let status = child.try_wait()?;
        // Once more after its end: it may have said something in between.
        drain(&mut stderr, &mut kept);
        if let Some(status) = status {
            break status;
        }
        let mut fds = [PollFd::new(&stderr, PollFlags::IN)];
        let _ = poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 5_000_000 }));
        if fds.iter().all(|fd| fd.revents().contains(PollFlags::HUP)) {
            break child.wait()?;
        }
    };
    drain(&mut stderr, &mut kept);
    Ok((String::from_utf8_lossy(&kept).into_owned(), status))
}

/// Reads what is there, and keeps its end.
fn drain(reader: &mut impl Read, kept: &mut Vec<u8>) {
    let mut chunk = [0_u8; 4096];
    loop {
        match reader.read(&mut chunk) {
            Ok(0) => return,
            Ok(n) => {
                kept.extend_from_slice(chunk.get(..n).unwrap_or_default());
                let over = kept.len().saturating_sub(STDERR_KEPT);
                kept.drain(..over);
            }
            Err(e) if e.kind() == std::io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
    }
}

/// One dialogue.
struct Session<'a, R, W> {
    lines: Lines<R, W>,
    ctx: &'a mut dyn Ctx,
    bounds: Bounds,
    calls: usize,
    raised: Option<Raised>,
}

/// What the child says.
#[derive(Deserialize)]
#[serde(untagged)]
enum Said {
    Call {
        call: String,
        args: Vec<Value>,
        kwargs: Map<String, Value>,
    },
    Answer {
        answer: Map<String, Value>,
        said: String,
    },
    Exception {
        exception: Vec<String>,
        message: String,
        line: Option<u64>,
        said: String,
    },
    Wrong {
        wrong: String,
        said: String,
    },
    Over {
        #[serde(rename = "over")]
        _over: bool,
        said: String,
    },
}

impl<'a, R: Read, W: Write> Session<'a, R, W> {
    fn new(io: ChildIo<R, W>, ctx: &'a mut dyn Ctx, bounds: Bounds) -> Self {
        let lines = Lines::new(io.from_child, io.to_child, bounds.output_bytes.saturating_add(FRAME));
        Self { lines, ctx, bounds, calls: 0, raised: None }
    }

    fn run(mut self, code: &str, args: &Value) -> Result<Value, End> {
        crate::check::enforce(code, Runtime::Cpython)?;
        let seconds = self.bounds.duration.as_millis().div_ceil(1000).max(1);
        self.send(&json!({
            "code": code,
            "args": args,
            "most": self.bounds.output_bytes,
            "memory": self.bounds.memory_bytes,
            "seconds": u64::try_from(seconds).unwrap_or(u64::MAX).min(1 << 30),
            "depth": self.bounds.depth(),
        }))?;
        loop {
            match self.receive()? {
                Said::Call { call, args, kwargs } => {
                    let reply = self.serve(&call, args, kwargs)?;
                    self.send(&reply)?;
                }
                Said::Answer { answer, said } => {
                    self.keep(&said);
                    return self.answer(Value::Object(answer));
                }
                Said::Exception { exception, message, line, said } => {
                    self.keep(&said);
                    return Err(self.uncaught(&exception, &message, line).into());
                }
                Said::Wrong { wrong, said } => {
                    self.keep(&said);
                    return Err(Failure::internal(wrong).into());
                }
                Said::Over { said, .. } => {
                    self.keep(&said);
                    return Err(self.over().into());
                }
            }
        }
    }

    fn serve(&mut self, name: &str, args: Vec<Value>, kwargs: Map<String, Value>) -> Result<Value, Failure> {
        self.calls = self.calls.saturating_add(1);
        if self.calls > self.bounds.calls {
            return Err(Failure::limit("calls", format!("more than {} ctx calls", self.bounds.calls)));
        }
        match ctx::call(self.ctx, name, args, kwargs) {
            Ok(reply) => Ok(reply.into_line()),
            Err(CallError::Usage(text)) => Ok(json!({"raise": "TypeError", "message": text})),
            Err(CallError::Ended(failure)) => Err(failure),
            Err(CallError::Failed(failure)) if final_for_python(failure.class) => Err(failure),
            Err(CallError::Failed(failure)) => {
                let raised = Raised::new(failure);
                let reply = json!({"raise": raised.kind, "message": raised.failure.message});
                self.raised = Some(raised);
                Ok(reply)
            }
        }
    }

    fn answer(&self, answer: Value) -> Result<Value, End> {
        let size = serde_json::to_vec(&answer).map_or(usize::MAX, |bytes| bytes.len());
        if size > self.bounds.output_bytes { Err(self.over().into()) } else { Ok(answer) }
    }

    fn over(&self) -> Failure {
        Failure::limit("output", format!("the answer has more than {} bytes", self.bounds.output_bytes))
    }

    fn uncaught(&self, kinds: &[String], message: &str, line: Option<u64>) -> Failure {
        let kind = kinds.first().map_or("an exception", String::as_str);
        let mut text = if message.is_empty() { kind.to_owned() } else { format!("{kind}: {message}") };
        if let Some(line) = line {
            text.push_str(&format!(" (line {line})"));
        }
        match kind {
            "MemoryError" => return Failure::limit("memory", text),
            "RecursionError" => return Failure::limit("recursion", text),
            _ => {}
        }
        if kinds.iter().any(|kind| kind == "OSError") && message.starts_with(NO_SPACE) {
            return Failure::limit(SPACE, text);
        }
        if let Some(raised) = self.raised.as_ref().filter(|raised| raised.is(kind, message)) {
            return Failure { message: text, ..raised.failure.clone() };
        }
        let classes = kinds.iter().map(|kind| class_of_exception(kind));
        let class = classes.into_iter().find(|class| *class != ErrorClass::Internal);
        Failure::new(class.unwrap_or(ErrorClass::Internal), text)
    }

    /// What the executor printed, for the log.
    fn keep(&mut self, said: &str) {
        said.lines().for_each(|line| self.ctx.log(line));
    }

    fn send(&mut self, value: &Value) -> Result<(), End> {
        self.lines.send(value).map_err(|_| End::Gone)
    }

    fn receive(&mut self) -> Result<Said, End> {
        let value = self.lines.receive().map_err(|no| match no {
            NoLine::Closed => End::Gone,
            NoLine::TooLong => End::Failed(self.over()),
            NoLine::Garbage(why) => {
                End::Failed(Failure::internal(format!("python does not speak JSON: {why}")))
            }
        })?;
        Said::deserialize(value)
            .map_err(|_| Failure::internal("python said something outside the dialogue").into())
    }
}

#[cfg(test)]
mod tests;
