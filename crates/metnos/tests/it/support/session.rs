//! A running `metnos exec --stdin`: one question, one answer, as long as the test wants.

use super::House;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

/// The process and both ends of it. Ends with the test, whatever happens.
pub struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
}

impl Session {
    /// Starts one in this house.
    pub fn start(house: &House) -> Self {
        let mut command = house.command();
        command.args(["exec", "--stdin"]);
        Self::of(command)
    }

    /// The same from a shell that lets every process leave a core dump where it stands.
    pub fn start_with_core(house: &House) -> Self {
        let metnos = super::binary();
        let mut command = house.command_of(std::path::Path::new("/bin/sh"));
        command.args(["-c", "ulimit -c unlimited; exec \"$0\" exec --stdin"]).arg(metnos);
        Self::of(command)
    }

    fn of(mut command: std::process::Command) -> Self {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let stdin = child.stdin.take();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        Self { child, stdin, stdout }
    }

    /// Its process.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Sends a call without waiting for its answer.
    pub fn say(&mut self, call: &Value) {
        let mut line = call.to_string();
        line.push('\n');
        self.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap();
    }

    /// The next answer.
    pub fn hear(&mut self) -> Value {
        let mut line = String::new();
        self.stdout.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e} in {line:?}"))
    }

    /// One call and its answer.
    pub fn call(&mut self, executor: &str, args: Value) -> Value {
        self.say(&json!({ "executor": executor, "args": args }));
        self.hear()
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends it a signal and gives how it ended.
    pub fn signal(mut self, name: &str) -> std::process::ExitStatus {
        let sent =
            std::process::Command::new("/bin/kill").args(["-s", name, &self.id().to_string()]).status();
        assert!(sent.unwrap().success());
        self.child.wait().unwrap()
    }

    /// Every process below it, cells included.
    pub fn children(&self) -> Vec<u32> {
        let mut found = vec![self.id()];
        let mut at = 0;
        while let Some(pid) = found.get(at).copied() {
            at += 1;
            let tasks = std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
            for task in tasks {
                let text = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
                found.extend(text.split_whitespace().filter_map(|word| word.parse::<u32>().ok()));
            }
        }
        found.split_off(1)
    }

    /// Ends it at once, as a crash would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Closes its input and gives its exit code.
    pub fn end(mut self) -> Option<i32> {
        drop(self.stdin.take());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // Already over in the good case.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
