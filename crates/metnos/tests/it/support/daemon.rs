//! A daemon of a test house, spoken to over its own port with the bytes a test chooses.

use super::House;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

/// A running `metnos serve`; ended with the test.
pub struct Daemon {
    child: Child,
    /// `127.0.0.1:PORT`.
    pub address: String,
    /// The link that was printed.
    pub login: String,
    /// The key of the machine's own terminal.
    pub key: String,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|e| panic!("{e} in {self:?}"))
    }

    /// The value of the cookie it set.
    pub fn cookie(&self) -> String {
        let line = self.headers.lines().find(|line| line.to_ascii_lowercase().starts_with("set-cookie:"));
        line.unwrap().split(['=', ';']).nth(1).unwrap().to_owned()
    }
}

impl Daemon {
    /// Starts one and waits until it says where it listens.
    pub fn start(house: &House) -> Self {
        Self::start_with(house, "127.0.0.1:0")
    }

    /// Where the configuration says.
    pub fn start_as_configured(house: &House) -> Self {
        Self::spawn(house, &[])
    }

    /// The same at a given address.
    pub fn start_with(house: &House, listen: &str) -> Self {
        Self::spawn(house, &["--listen", listen])
    }

    fn spawn(house: &House, args: &[&str]) -> Self {
        let mut child = house
            .command()
            .args(["--json", "serve"])
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e} in {line:?}"));
        let address = told["url"].as_str().unwrap().split_once("://").unwrap().1.to_owned();
        let key = std::fs::read_to_string(house.metnos().join("config/keys/admin.key")).unwrap();
        let login = told["login"].as_str().unwrap().to_owned();
        Self { child, address, login, key: key.lines().last().unwrap().to_owned() }
    }

    /// Sends these bytes and reads until the other side closes.
    pub fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        // One that refuses early closes its end; that is its right.
        let _ = stream.write_all(bytes);
        let mut all = Vec::new();
        let _ = stream.read_to_end(&mut all);
        let text = String::from_utf8_lossy(&all).into_owned();
        let (headers, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let status = headers.split_whitespace().nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        let chunked = headers.to_ascii_lowercase().contains("transfer-encoding: chunked");
        let body = if chunked { unchunk(body) } else { body.to_owned() };
        Answer { status, headers: headers.to_owned(), body }
    }

    /// A request with these further header lines.
    pub fn request(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Answer {
        let mut text = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        if !headers.iter().any(|line| line.to_ascii_lowercase().starts_with("host:")) {
            text.push_str(&format!("Host: {}\r\n", self.address));
        }
        for line in headers {
            text.push_str(line);
            text.push_str("\r\n");
        }
        if !body.is_empty() || method == "POST" {
            text.push_str(&format!("Content-Length: {}\r\n", body.len()));
        }
        text.push_str("\r\n");
        text.push_str(body);
        self.raw(text.as_bytes())
    }

    /// As the machine's own terminal.
    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[&format!("Authorization: Bearer {}", self.key)], "")
    }

    /// As the machine's own terminal.
    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_as(&self.key, path, body)
    }

    /// With a token.
    pub fn post_as(&self, token: &str, path: &str, body: &Value) -> Answer {
        let auth = format!("Authorization: Bearer {token}");
        self.request("POST", path, &[&auth, "Content-Type: application/json"], &body.to_string())
    }

    /// With a token.
    pub fn get_as(&self, token: &str, path: &str) -> Answer {
        self.request("GET", path, &[&format!("Authorization: Bearer {token}")], "")
    }

    /// A request in plain words, and its answer.
    pub fn ask(&self, text: &str) -> Value {
        self.post("/agent/turn", &json!({ "text": text })).json()
    }

    /// A browser that followed the link: its cookie, and what its pages send along.
    pub fn browser(&self, link: &str) -> (String, String) {
        let token = link.split_once('#').unwrap().1;
        let origin = format!("Origin: http://{}", self.address);
        let body = json!({ "token": token }).to_string();
        let answer = self.request("POST", "/login", &[&origin, "Content-Type: application/json"], &body);
        assert_eq!(answer.status, 200, "{answer:?}");
        (answer.cookie(), answer.json()["csrf"].as_str().unwrap().to_owned())
    }

    /// Opens a stream of events.
    pub fn events(&self, path: &str, after: Option<u32>) -> Events {
        self.events_as(&self.key, path, after)
    }

    /// The same with a token.
    pub fn events_as(&self, token: &str, path: &str, after: Option<u32>) -> Events {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let after = after.map(|n| format!("Last-Event-ID: {n}\r\n")).unwrap_or_default();
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\n{after}\r\n",
            self.address, token
        );
        stream.write_all(head.as_bytes()).unwrap();
        Events(BufReader::new(stream))
    }

    /// Ends it at once, as a power cut would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to stop and waits until it has.
    pub fn stop(mut self) -> bool {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        self.child.wait().unwrap().success()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Events as they come.
pub struct Events(BufReader<TcpStream>);

/// One event.
#[derive(Debug)]
pub struct Event {
    pub name: String,
    pub id: Option<u32>,
    pub data: Value,
}

impl Events {
    /// The status it began with.
    pub fn status(&mut self) -> u16 {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}

impl Iterator for Events {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        let (mut name, mut id, mut data) = (String::new(), None, String::new());
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let line = line.trim_end();
            if line.is_empty() && !data.is_empty() {
                return Some(Event { name, id, data: serde_json::from_str(&data).unwrap() });
            }
            match line.split_once(": ") {
                Some(("event", value)) => value.clone_into(&mut name),
                Some(("id", value)) => id = value.parse().ok(),
                Some(("data", value)) => data.push_str(value),
                _ => {}
            }
        }
    }
}

fn unchunk(text: &str) -> String {
    let (mut rest, mut out) = (text, String::new());
    while let Some((size, after)) = rest.split_once("\r\n") {
        let Ok(size) = usize::from_str_radix(size.trim(), 16) else { break };
        let Some(part) = after.get(..size).filter(|_| size > 0) else { break };
        out.push_str(part);
        rest = after.get(size + 2..).unwrap_or("");
    }
    out
}
