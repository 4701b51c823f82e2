//! A server of a model that says what it is told to say, also when that is wrong.

use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the server does with a request.
#[derive(Clone, Debug)]
pub enum Say {
    /// Answers with this text as the model's message.
    Text(String),
    /// The same, cut at the limit of its length.
    Cut(String),
    /// Answers with this body, whatever it is.
    Body(String),
    /// Answers with this status.
    Status(u16, &'static str),
    /// Closes the connection after half an answer.
    HangUp,
    /// Answers after a while.
    Late(Duration),
    /// Sends so many bytes.
    Bytes(usize),
    /// Refuses a grammar, and answers with this text where there is none.
    NoGrammar(String),
    /// Talks when given a grammar, and answers with this text when given a schema.
    IgnoresGrammar(String),
}

/// A request as it came in.
#[derive(Clone, Debug)]
pub struct Seen {
    pub head: String,
    pub body: Value,
}

/// What the server answers to who only looks: its models, and how much they hold.
#[derive(Clone, Debug)]
pub enum Lists {
    /// Nothing of the kind.
    Nothing,
    /// Models of these names, the first of which holds so many tokens.
    Models(Vec<&'static str>, Option<u64>),
    /// What the model holds stands in its settings, as llama-server has it.
    Settings(&'static str, u64),
    /// The same models, to who has this key.
    Keyed(&'static str),
    /// This body, with this status.
    Body(u16, &'static str),
    /// After a while.
    Late(Duration),
}

/// The server, on a port of its own.
pub struct Model {
    pub port: u16,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Model {
    /// A server that does each of these in turn, and the last one from then on.
    pub fn saying(script: Vec<Say>) -> Self {
        Self::listing(Lists::Nothing, script)
    }

    /// The same, which also tells of its models; that is not part of the script.
    pub fn listing(lists: Lists, script: Vec<Say>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let kept = Arc::clone(&seen);
        std::thread::spawn(move || {
            let script = Arc::new(script);
            for stream in listener.incoming().flatten() {
                let (kept, script, lists) = (Arc::clone(&kept), Arc::clone(&script), lists.clone());
                std::thread::spawn(move || {
                    // Whoever asked may be gone by now.
                    let _ = serve(stream, &script, &lists, &kept);
                });
            }
        });
        Self { port, seen }
    }

    /// A server that gives this plan.
    pub fn planning(steps: Value) -> Self {
        Self::saying(vec![Say::Text(plan(steps))])
    }

    /// What it was asked.
    pub fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    /// The lines that bind it to `role`.
    pub fn bound(&self, role: &str, extra: &str) -> String {
        let url = format!("http://127.0.0.1:{}", self.port);
        format!("[tiers.{role}]\nkind = \"openai\"\nurl = \"{url}\"\nmodel = \"scripted\"\n{extra}\n")
    }
}

/// One plan, as a model would write it.
pub fn plan(steps: Value) -> String {
    json!({ "plans": [{ "steps": steps }] }).to_string()
}

fn look(stream: &mut TcpStream, head: &str, lists: &Lists) -> std::io::Result<()> {
    let models = |ids: &[&str], room: Option<u64>| {
        let one = |(n, id): (usize, &&str)| match room.filter(|_| n == 0) {
            Some(room) => json!({ "id": id, "max_model_len": room }),
            None => json!({ "id": id }),
        };
        json!({ "object": "list", "data": ids.iter().enumerate().map(one).collect::<Vec<_>>() }).to_string()
    };
    let list = head.starts_with("get /v1/models ");
    let (status, body) = match lists {
        Lists::Models(ids, room) if list => (200, models(ids, *room)),
        Lists::Settings(id, _) if list => (200, models(&[*id], None)),
        Lists::Settings(_, room) if head.starts_with("get /props ") => {
            (200, json!({ "default_generation_settings": { "n_ctx": room } }).to_string())
        }
        Lists::Keyed(key) if list && head.contains(&format!("authorization: bearer {key}")) => {
            (200, models(&["keyed"], None))
        }
        Lists::Keyed(_) => (401, "{}".to_owned()),
        Lists::Body(status, body) => (*status, (*body).to_owned()),
        Lists::Late(wait) => {
            std::thread::sleep(*wait);
            (200, models(&["late"], None))
        }
        _ => (404, "{}".to_owned()),
    };
    answer(stream, status, &body)
}

fn serve(
    mut stream: TcpStream,
    script: &[Say],
    lists: &Lists,
    seen: &Mutex<Vec<Seen>>,
) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    let (mut bytes, mut chunk) = (Vec::new(), [0; 4096]);
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break at + 4;
        }
        match stream.read(&mut chunk)? {
            0 => return Ok(()),
            n => bytes.extend_from_slice(&chunk[..n]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).to_lowercase();
    let length: usize = head
        .lines()
        .find_map(|line| line.strip_prefix("content-length:"))
        .and_then(|n| n.trim().parse().ok())
        .unwrap_or(0);
    while bytes.len() < end + length {
        match stream.read(&mut chunk)? {
            0 => return Ok(()),
            n => bytes.extend_from_slice(&chunk[..n]),
        }
    }
    let body: Value = serde_json::from_slice(&bytes[end..]).unwrap_or(Value::Null);
    if head.starts_with("get ") {
        return look(&mut stream, &head, lists);
    }
    let grammar = body["grammar"].is_string();
    let n = {
        let mut seen = seen.lock().unwrap();
        seen.push(Seen { head, body });
        seen.len() - 1
    };
    let say = script.get(n).or(script.last()).cloned().unwrap();
    let talk = || message("Sure, I can help you with that!", "stop");
    match say {
        Say::Text(text) => answer(&mut stream, 200, &message(&text, "stop")),
        Say::Cut(text) => answer(&mut stream, 200, &message(&text, "length")),
        Say::Body(body) => answer(&mut stream, 200, &body),
        Say::Status(status, body) => answer(&mut stream, status, body),
        Say::HangUp => stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{\"choi"),
        Say::Late(wait) => {
            std::thread::sleep(wait);
            answer(&mut stream, 200, &talk())
        }
        Say::Bytes(count) => answer(&mut stream, 200, &"x".repeat(count)),
        Say::NoGrammar(_) if grammar => {
            answer(&mut stream, 400, r#"{"error":{"message":"unknown field grammar"}}"#)
        }
        Say::IgnoresGrammar(_) if grammar => answer(&mut stream, 200, &talk()),
        Say::NoGrammar(text) | Say::IgnoresGrammar(text) => answer(&mut stream, 200, &message(&text, "stop")),
    }
}

fn message(text: &str, finish: &str) -> String {
    json!({
        "choices": [{ "message": { "role": "assistant", "content": text }, "finish_reason": finish }],
        "usage": { "prompt_tokens": 100, "completion_tokens": 20 },
    })
    .to_string()
}

fn answer(stream: &mut TcpStream, status: u16, body: &str) -> std::io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}
