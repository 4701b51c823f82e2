//! One program, watched: its output bounded, its time bounded, ended for certain. The same inside a
//! cell and outside of one, so that an answer means the same in both places.

use crate::failure::ErrorClass;
use crate::outcome::{Outcome, Truncation};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process, kill_process_group};
use serde_json::{Map, Value, json};
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, ExitStatus};
use std::time::{Duration, Instant};

/// Between being asked to end and being ended.
pub const GRACE: Duration = Duration::from_secs(2);
/// How often somebody is asked whether it should stop.
const LOOK: Duration = Duration::from_millis(50);
/// What a program left behind may still write after its end.
const LINGER: Duration = Duration::from_millis(200);
/// Who writes more than this writes without end.
const FLOOD: u64 = 256 << 20;

/// How much a program may use.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Wall time.
    pub timeout: Duration,
    /// How much of each output is kept; the rest is counted.
    pub output: usize,
    /// It leads a process group, which is ended as a whole.
    pub group: bool,
}

/// Why it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// By itself.
    ByItself,
    /// Its time was over.
    TimedOut,
    /// Somebody asked.
    Cancelled,
    /// It wrote without end.
    Flooded,
}

impl Ended {
    /// The word in an answer.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ByItself => "by_itself",
            Self::TimedOut => "timed_out",
            Self::Cancelled => "cancelled",
            Self::Flooded => "flooded",
        }
    }
}

/// One output: its beginning, and how much there was.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    /// The first bytes.
    pub bytes: Vec<u8>,
    /// All that was written.
    pub total: u64,
}

/// What came of a program.
#[derive(Clone, Debug)]
pub struct Ran {
    /// How it ended.
    pub status: ExitStatus,
    /// Why.
    pub ended: Ended,
    /// Its standard output.
    pub stdout: Kept,
    /// Its standard error.
    pub stderr: Kept,
    /// How long it took.
    pub took: Duration,
}

impl Ran {
    /// The item of an answer; what did not go well and what was cut goes into `outcome`.
    pub fn report(&self, told: &Told, outcome: &mut Outcome) -> Map<String, Value> {
        let last = String::from_utf8_lossy(&self.stderr.bytes);
        let last = last.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        let last: String = last.chars().take(200).collect();
        let problem = match (self.ended, self.status.code(), self.status.signal()) {
            (Ended::TimedOut, ..) => {
                Some((ErrorClass::Timeout, "it did not end in time and was ended".into()))
            }
            (Ended::Cancelled, ..) => Some((ErrorClass::Cancelled, "it was stopped".into())),
            (Ended::Flooded, ..) => Some((ErrorClass::TooLarge, "it wrote without end and was ended".into())),
            (Ended::ByItself, Some(0), _) => None,
            (Ended::ByItself, Some(code), _) => {
                Some((ErrorClass::Internal, format!("it ended with exit code {code}: {last}")))
            }
            (Ended::ByItself, None, signal) => {
                Some((ErrorClass::Internal, format!("signal {} ended it", signal.unwrap_or_default())))
            }
        };
        match problem {
            None => outcome.ok_count += 1,
            Some((class, why)) => outcome.fail(0, told.command.clone(), class, why),
        }
        for (name, kept) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if kept.total > kept.bytes.len() as u64 {
                outcome.truncation = Some(Truncation {
                    truncated: true,
                    truncated_what: name.into(),
                    used: kept.bytes.len() as u64,
                    available_total: Some(kept.total),
                    cap_field: "max_bytes".into(),
                    cap_value: told.max_bytes,
                });
            }
        }
        let mut fields = self.fields();
        for (key, value) in [("command", &told.command), ("cwd", &told.cwd), ("ran", &told.place)] {
            fields.insert(key.into(), value.clone().into());
        }
        fields
    }

    fn fields(&self) -> Map<String, Value> {
        let fields = json!({
            "exit": self.status.code(), "signal": self.status.signal(), "ended": self.ended.as_str(),
            "stdout": String::from_utf8_lossy(&self.stdout.bytes), "stdout_bytes": self.stdout.total,
            "stderr": String::from_utf8_lossy(&self.stderr.bytes), "stderr_bytes": self.stderr.total,
            "duration_ms": u64::try_from(self.took.as_millis()).unwrap_or(u64::MAX),
        });
        match fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        }
    }
}

/// What a person should be told of it, whatever came of it.
#[derive(Clone, Debug, serde::Serialize, serde::Deserialize)]
pub struct Told {
    /// The command.
    pub command: String,
    /// In which folder it ran.
    pub cwd: String,
    /// `in the sandbox` or `outside the sandbox`.
    pub place: String,
    /// How much of each output was kept.
    pub max_bytes: u64,
}

/// Watches a child whose two outputs are pipes until it is gone. `stop` is asked again and again.
pub fn watch(child: &mut Child, bounds: &Bounds, stop: &mut dyn FnMut() -> bool) -> io::Result<Ran> {
    let started = Instant::now();
    let mut out = Pipe::new(child.stdout.take())?;
    let mut err = Pipe::new(child.stderr.take())?;
    let mut ended = Ended::ByItself;
    let mut told: Option<Instant> = None;
    let mut gone: Option<(ExitStatus, Instant)> = None;
    loop {
        wait(&out, &err, gone.is_some());
        out.drain(bounds.output)?;
        err.drain(bounds.output)?;
        if gone.is_none() {
            gone = child.try_wait()?.map(|status| (status, Instant::now()));
        }
        if let Some((status, at)) = gone {
            if (out.source.is_none() && err.source.is_none()) || at.elapsed() > LINGER {
                let (stdout, stderr) = (out.kept, err.kept);
                return Ok(Ran { status, ended, stdout, stderr, took: started.elapsed() });
            }
            continue;
        }
        if told.is_none() {
            ended = match () {
                () if started.elapsed() >= bounds.timeout => Ended::TimedOut,
                () if out.kept.total.saturating_add(err.kept.total) > FLOOD => Ended::Flooded,
                () if stop() => Ended::Cancelled,
                () => continue,
            };
            told = Some(Instant::now());
            end(child, bounds.group, Signal::TERM);
        } else if told.is_some_and(|at| at.elapsed() >= GRACE) {
            end(child, bounds.group, Signal::KILL);
        }
    }
}

/// Sends a signal to a child that was not waited for yet, so its number is still its own.
fn end(child: &Child, group: bool, signal: Signal) {
    let pid = Pid::from_child(child);
    // Gone already is what was wanted.
    let _ = if group { kill_process_group(pid, signal) } else { kill_process(pid, signal) };
}

struct Pipe {
    source: Option<Box<dyn Source>>,
    kept: Kept,
}

trait Source: Read + AsFd {}
impl<T: Read + AsFd> Source for T {}

impl Pipe {
    fn new(source: Option<impl Source + 'static>) -> io::Result<Self> {
        if let Some(source) = &source {
            let flags = rustix::fs::fcntl_getfl(source)?;
            rustix::fs::fcntl_setfl(source, flags | rustix::fs::OFlags::NONBLOCK)?;
        }
        let source = source.map(|source| Box::new(source) as Box<dyn Source>);
        Ok(Self { source, kept: Kept::default() })
    }

    /// Takes what is there, but not for ever: the clock is looked at in between.
    fn drain(&mut self, most: usize) -> io::Result<()> {
        let mut block = [0u8; 64 << 10];
        for _ in 0..16 {
            let Some(source) = &mut self.source else { return Ok(()) };
            match source.read(&mut block) {
                Ok(0) => self.source = None,
                Ok(n) => {
                    let room = most.saturating_sub(self.kept.bytes.len()).min(n);
                    self.kept.bytes.extend_from_slice(&block[..room]);
                    self.kept.total += n as u64;
                }
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) if e.kind() == io::ErrorKind::WouldBlock => return Ok(()),
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }
}

/// Until there is something to read, or it is time to look.
fn wait(out: &Pipe, err: &Pipe, soon: bool) {
    let open = [&out.source, &err.source];
    let mut fds: Vec<PollFd<'_>> =
        open.into_iter().flatten().map(|source| PollFd::new(source, PollFlags::IN)).collect();
    // A program that closed its outputs is only seen to end by asking.
    let soon = soon || fds.is_empty();
    let slice = if soon { Duration::from_millis(5) } else { LOOK };
    let slice = Timespec { tv_sec: 0, tv_nsec: i64::from(slice.subsec_nanos()) };
    // Interrupted or not, the caller looks at everything.
    let _ = poll(&mut fds, Some(&slice));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::process::{Command, Stdio};

    fn run(script: &str, seconds: u64, output: usize, mut stop: impl FnMut() -> bool) -> Ran {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.process_group(0).spawn().unwrap();
        let bounds = Bounds { timeout: Duration::from_secs(seconds), output, group: true };
        watch(&mut child, &bounds, &mut stop).unwrap()
    }

    #[test]
    fn both_outputs_are_kept_to_their_bound_and_counted_to_their_end() {
        let ran = run("head -c 200000 /dev/zero; echo no >&2; exit 3", 20, 1000, || false);
        assert_eq!((ran.status.code(), ran.ended), (Some(3), Ended::ByItself));
        assert_eq!((ran.stdout.bytes.len(), ran.stdout.total), (1000, 200_000));
        assert_eq!(ran.stderr.bytes, b"no\n");
    }

    #[test]
    fn who_ignores_a_request_to_end_is_ended_with_everything_it_started() {
        let ran = run("trap '' TERM; sleep 60 & echo $!; wait; sleep 60", 1, 100, || false);
        assert_eq!(ran.ended, Ended::TimedOut);
        assert_eq!(ran.status.signal(), Some(9));
        let other = String::from_utf8(ran.stdout.bytes).unwrap();
        let gone = || match std::fs::read_to_string(format!("/proc/{}/stat", other.trim())) {
            Ok(stat) => stat.contains(") Z"),
            Err(_) => true,
        };
        assert!((0..100).any(|_| {
            std::thread::sleep(Duration::from_millis(10));
            gone()
        }));
    }

    #[test]
    fn a_stop_ends_it_and_what_stays_behind_does_not_hold_the_answer_up() {
        let ran = run("echo begun; sleep 60", 60, 100, || true);
        assert_eq!(ran.ended, Ended::Cancelled);
        let ran = run("sleep 60 & echo done", 60, 100, || false);
        assert_eq!((ran.ended, ran.stdout.bytes), (Ended::ByItself, b"done\n".to_vec()));
        assert!(ran.took < Duration::from_secs(30));
    }
}
