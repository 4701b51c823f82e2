//! `metnos` at a terminal of its own, as a person has it: typed into, read from, interrupted.

use super::House;
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// The longest anything takes that is going to happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// The terminal and whoever sits there. Ends with the test, whatever happens.
pub struct Pty {
    child: Child,
    keys: ChildStdin,
    screen: Receiver<Vec<u8>>,
    seen: String,
}

impl Pty {
    /// Starts `metnos ARGS` at a new terminal.
    pub fn start(house: &House, args: &str) -> Self {
        Self::start_as(house, args, &[])
    }

    /// The same, where the terminal says so of itself.
    pub fn start_as(house: &House, args: &str, variables: &[(&str, &str)]) -> Self {
        Self::start_line(house, &format!("exec '{{metnos}}' {args}"), variables)
    }

    /// Starts a shell at a new terminal that runs a line, in which `{metnos}` is the program.
    pub fn start_shell(house: &House, line: &str) -> Self {
        Self::start_line(house, line, &[])
    }

    fn start_line(house: &House, line: &str, variables: &[(&str, &str)]) -> Self {
        let mut command = house.command_of(Path::new("/usr/bin/script"));
        command.envs(variables.iter().copied());
        let metnos = super::binary();
        // At night more is asked; whenever the test runs, it is about noon here.
        let seconds = std::time::UNIX_EPOCH.elapsed().unwrap().as_secs();
        let west = i64::try_from(seconds / 3600 % 24).unwrap() - 12;
        command.env("TZ", format!("NOON{west}"));
        command.args(["-qfec", &line.replace("{metnos}", &metnos.display().to_string()), "/dev/null"]);
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let keys = child.stdin.take().unwrap();
        let mut out = child.stdout.take().unwrap();
        let (shown, screen) = channel();
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while let Ok(n @ 1..) = out.read(&mut bytes) {
                // The test may be over.
                let _ = shown.send(bytes[..n].to_vec());
            }
        });
        Self { child, keys, screen, seen: String::new() }
    }

    /// Types something.
    pub fn keys(&mut self, text: &str) {
        self.keys.write_all(text.as_bytes()).unwrap();
    }

    /// Waits until the screen shows `text`, and forgets what came up to there.
    pub fn shows(&mut self, text: &str) {
        self.until(text);
    }

    /// The same; gives what came up to there.
    pub fn until(&mut self, text: &str) -> String {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.seen.find(text) {
                return self.seen.drain(..at + text.len()).collect();
            }
            let left = until.saturating_duration_since(Instant::now());
            let bytes = self.screen.recv_timeout(left);
            let bytes = bytes.unwrap_or_else(|e| panic!("{e}, waiting for {text:?} after {:?}", self.seen));
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
        }
    }

    /// Waits for its end and gives its exit code.
    pub fn ends(mut self) -> Option<i32> {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("it does not end; last seen {:?}", self.seen)
    }
}

impl Drop for Pty {
    fn drop(&mut self) {
        // Already over in the good case.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
