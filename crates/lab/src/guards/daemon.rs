//! A running `metnos serve` of the house, for guards of the doors.

use crate::house::{Done, House};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Ended with the row.
pub(super) struct Daemon {
    child: Child,
    address: String,
}

impl Daemon {
    /// Starts one on a free port and waits until it says which.
    pub(super) fn start(house: &House, without: &str) -> Done<Self> {
        let child = house
            .command(without, &["--json", "serve", "--listen", "127.0.0.1:0"])
            .env("METNOS_LAB_GUARDS", "1")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|e| e.to_string())?;
        let mut daemon = Self { child, address: String::new() };
        let mut line = String::new();
        let said = daemon.child.stdout.as_mut().ok_or("a daemon without a pipe")?;
        BufReader::new(said).read_line(&mut line).map_err(|e| e.to_string())?;
        let told: Value = serde_json::from_str(&line).map_err(|e| format!("{e} in {line:?}"))?;
        let address = told["url"].as_str().and_then(|url| url.split_once("://"));
        address.ok_or("a daemon without an address")?.1.clone_into(&mut daemon.address);
        Ok(daemon)
    }

    /// Asks in plain words with the token of a device; gives the number of the answer.
    pub(super) fn ask(&self, token: &str, text: &str) -> Done<u16> {
        let body = json!({ "text": text }).to_string();
        let request = format!(
            "POST /agent/turn HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nAuthorization: Bearer {token}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        let mut stream = TcpStream::connect(&self.address).map_err(|e| e.to_string())?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).map_err(|e| e.to_string())?;
        stream.write_all(request.as_bytes()).map_err(|e| e.to_string())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).map_err(|e| e.to_string())?;
        let number = answer.split_whitespace().nth(1).and_then(|number| number.parse().ok());
        number.ok_or_else(|| format!("no answer of a door: {answer:?}"))
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // Told to end, so that it ends its cells; one that does not listen is ended.
        let _ = Command::new("kill").arg(self.child.id().to_string()).status();
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
