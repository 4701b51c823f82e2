//! The daemon: how soon it answers, what it holds, how many it serves at once, and what a long history costs.

use crate::figure::{Figure, Unit};
use crate::house::House;
use crate::sample::Sample;
use crate::{Result, memory};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// How long each load lasts.
const LOAD: Duration = Duration::from_secs(4);
/// Clients at once.
const CLIENTS: [usize; 3] = [1, 16, 128];
/// Streams at once.
const STREAMS: usize = 1000;
/// Turns of a long history; a part of them is asked for at the door, and their records are multiplied.
const TURNS: usize = 100_000;
const ASKED: usize = 1_000;
/// The pages, each looked at this often.
const PAGES: [&str; 12] = [
    "/",
    "/admin/",
    "/admin/turns",
    "/admin/executors",
    "/admin/plans",
    "/admin/safety",
    "/admin/approvals",
    "/admin/people",
    "/admin/models",
    "/admin/gaps",
    "/admin/undo",
    "/admin/system",
];
const LOOKS: usize = 10;

/// A daemon of the house, ended with the figure.
struct Daemon {
    child: Child,
    address: String,
    key: String,
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Daemon {
    fn start(house: &House) -> Result<Self> {
        let mut command = house.command(&["--json", "serve", "--listen", "127.0.0.1:0"]);
        let mut child = command.stdout(Stdio::piped()).spawn()?;
        let mut line = String::new();
        BufReader::new(child.stdout.take().ok_or("no pipe")?).read_line(&mut line)?;
        let told: Value = serde_json::from_str(&line)?;
        let address = told["url"].as_str().ok_or("no address")?.replace("http://", "");
        let file = std::fs::read_to_string(house.base().join("config/keys/admin.key"))?;
        let key = file.lines().last().ok_or("no key")?.to_owned();
        Ok(Self { child, address, key })
    }

    fn client(&self) -> Result<Client> {
        let stream = TcpStream::connect(&self.address)?;
        stream.set_nodelay(true)?;
        let head = format!("Host: {}\r\nAuthorization: Bearer {}\r\n", self.address, self.key);
        Ok(Client { stream: BufReader::new(stream), head })
    }
}

/// One connection that stays open.
struct Client {
    stream: BufReader<TcpStream>,
    head: String,
}

impl Client {
    fn get(&mut self, path: &str) -> Result<Vec<u8>> {
        let request = format!("GET {path} HTTP/1.1\r\n{}\r\n", self.head);
        self.send(&request)
    }

    fn post(&mut self, path: &str, body: &Value) -> Result<Vec<u8>> {
        let body = body.to_string();
        let length = body.len();
        let request = format!(
            "POST {path} HTTP/1.1\r\n{}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}",
            self.head
        );
        self.send(&request)
    }

    fn send(&mut self, request: &str) -> Result<Vec<u8>> {
        self.stream.get_mut().write_all(request.as_bytes())?;
        let (mut length, mut first) = (0, String::new());
        self.stream.read_line(&mut first)?;
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line)?;
            match line.trim_end().to_ascii_lowercase().split_once(": ") {
                Some(("content-length", value)) => length = value.parse()?,
                None => break,
                _ => {}
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        if first.contains(" 20") {
            Ok(body)
        } else {
            Err(format!("{first}{}", String::from_utf8_lossy(&body)).into())
        }
    }
}

fn ask(client: &mut Client) -> Result<()> {
    let answer = client.post("/agent/turn", &json!({ "text": "what time is it" }))?;
    let answer: Value = serde_json::from_slice(&answer)?;
    if answer["status"] == "done" { Ok(()) } else { Err(answer.to_string().into()) }
}

pub(super) fn measure(house: &House) -> Result<()> {
    let mut starts = Sample::default();
    for _ in 0..5 {
        let began = Instant::now();
        let daemon = Daemon::start(house)?;
        ask(&mut daemon.client()?)?;
        starts.push(began.elapsed());
    }
    Figure::timing("doors_start_to_first_answer", Unit::Ms, &starts).print();
    let daemon = Daemon::start(house)?;
    ask(&mut daemon.client()?)?;
    std::thread::sleep(Duration::from_secs(2));
    let pid = daemon.child.id();
    Figure::value("doors_idle_daemon", "MB", memory::own(pid) as f64 / 1e6).print();
    Figure::value("doors_idle_with_warm_cells", "MB", memory::tree(pid) as f64 / 1e6).print();
    for clients in CLIENTS {
        load(&daemon, "doors_healthz", clients, |client| client.get("/healthz").map(|_| ()))?;
        load(&daemon, "doors_turn", clients, ask)?;
    }
    streams(&daemon, house)?;
    history(daemon, house)
}

/// Many clients at once, each asking again as soon as it was answered.
fn load(daemon: &Daemon, name: &str, clients: usize, act: fn(&mut Client) -> Result<()>) -> Result<()> {
    let began = Instant::now();
    let one = |_| -> std::result::Result<Vec<Duration>, String> {
        let mut client = daemon.client().map_err(|e| e.to_string())?;
        let mut took = Vec::new();
        while began.elapsed() < LOAD {
            let asked = Instant::now();
            act(&mut client).map_err(|e| e.to_string())?;
            took.push(asked.elapsed());
        }
        Ok(took)
    };
    let missed = misses(daemon)?;
    let all: std::result::Result<Vec<_>, String> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..clients).map(|n| scope.spawn(move || one(n))).collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or_else(|_| Err("a client broke".into())))
            .collect()
    });
    let (mut sample, lasted) = (Sample::default(), began.elapsed());
    all?.into_iter().flatten().for_each(|took| sample.push(took));
    let ms = |took: Duration| took.as_secs_f64() * 1e3;
    Figure::value(&format!("{name}_{clients}_clients"), "1/s", sample.len() as f64 / lasted.as_secs_f64())
        .with("p50_ms", ms(sample.median()))
        .with("p99_ms", ms(sample.percentile(99)))
        .with("requests", sample.len())
        .with("pool_misses", misses(daemon)? - missed)
        .print();
    Ok(())
}

/// How many calls found no warm cell so far.
fn misses(daemon: &Daemon) -> Result<u64> {
    let mut client = daemon.client()?;
    client.head.push_str("Accept: application/json\r\n");
    let told: Value = serde_json::from_slice(&client.get("/admin/system")?)?;
    Ok(told["warm_misses"].as_u64().unwrap_or(0))
}

/// A thousand who watch one turn: what they cost, and how soon the last of them knows.
fn streams(daemon: &Daemon, house: &House) -> Result<()> {
    std::fs::write(house.home().join("watched.txt"), "x")?;
    let level =
        |level: &str| crate::house::run(house.command(&["policy", "level", level]).stdout(Stdio::null()));
    level("supervised")?;
    let mut client = daemon.client()?;
    let waits: Value = serde_json::from_slice(
        &client.post("/agent/turn", &json!({ "text": "delete the file watched.txt" }))?,
    )?;
    let (turn, card) =
        (waits["turn"].as_str().ok_or("no turn")?, waits["approval"]["id"].as_str().ok_or("no card")?);
    let before = memory::own(daemon.child.id());
    let mut open = Vec::new();
    for _ in 0..STREAMS {
        let mut one = daemon.client()?;
        let request = format!("GET /agent/turns/{turn}/stream HTTP/1.1\r\n{}\r\n", one.head);
        one.stream.get_mut().write_all(request.as_bytes())?;
        open.push(one);
    }
    for one in &mut open {
        until(one, "event: approval")?;
    }
    let after = memory::own(daemon.child.id());
    Figure::value(
        "doors_1000_streams",
        "kB each",
        after.saturating_sub(before) as f64 / 1e3 / STREAMS as f64,
    )
    .print();
    let mut asked = Sample::default();
    for _ in 0..50 {
        let began = Instant::now();
        client.get("/healthz")?;
        asked.push(began.elapsed());
    }
    Figure::timing("doors_healthz_beside_1000_streams", Unit::Us, &asked).print();
    let decided = Instant::now();
    client.post(&format!("/agent/approvals/{card}"), &json!({ "answer": "once", "wait": false }))?;
    let mut heard = Sample::default();
    for one in &mut open {
        until(one, "event: final")?;
        heard.push(decided.elapsed());
    }
    Figure::timing("doors_yes_to_1000_streams", Unit::Ms, &heard)
        .with("last_ms", heard.percentile(100).as_secs_f64() * 1e3)
        .print();
    level("full")?;
    Ok(())
}

fn until(client: &mut Client, start: &str) -> Result<()> {
    loop {
        let mut line = String::new();
        if client.stream.read_line(&mut line)? == 0 {
            return Err(format!("the stream ended before {start}").into());
        }
        if line.starts_with(start) {
            return Ok(());
        }
    }
}

/// A day of turns, then every page.
fn history(daemon: Daemon, house: &House) -> Result<()> {
    let mut client = daemon.client()?;
    for _ in 0..ASKED {
        ask(&mut client)?;
    }
    drop(daemon);
    let base = house.base().join("state/metnos.sqlite");
    let db = metnos_memory::db::Db::open(&base)?;
    db.multiply_turns(TURNS)?;
    drop(db);
    let daemon = Daemon::start(house)?;
    let mut client = daemon.client()?;
    for page in PAGES {
        let mut sample = Sample::default();
        let mut bytes = 0;
        for _ in 0..LOOKS {
            let began = Instant::now();
            bytes = client.get(page)?.len();
            sample.push(began.elapsed());
        }
        Figure::timing(&format!("doors_page_100000_turns {page}"), Unit::Ms, &sample)
            .with("bytes", bytes)
            .print();
    }
    let mut sample = Sample::default();
    for _ in 0..50 {
        let began = Instant::now();
        ask(&mut client)?;
        sample.push(began.elapsed());
    }
    Figure::timing("doors_turn_after_100000_turns", Unit::Ms, &sample).print();
    Ok(())
}
