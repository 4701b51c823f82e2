//! A Bot API server on a port of its own: keeps updates until they are confirmed, holds a poll until something
//! happens, and fails in the ways a line fails when a test says so.

use super::House;
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

/// The token it knows.
pub const TOKEN: &str = "4242:AAfakeTokenOfATestBot_x9";
/// The number and the name of the bot.
pub const BOT: i64 = 4242;
pub const NAME: &str = "house_test_bot";

/// The host's own account, and others.
pub const HOST: i64 = 100;
pub const ANNA: i64 = 200;
pub const BRUNO: i64 = 300;
pub const GROUP: i64 = -1_000_777;

/// How one call goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// 429 with so many seconds to wait.
    Busy(u64),
    /// This status and no more.
    Status(u16),
    /// It says no, as it does when a person blocked the bot.
    Refused,
    /// It does not take what was sent.
    Bad,
    /// The group has another number since.
    Moved(i64),
    /// The line is cut before anything was done.
    CutBefore,
    /// It was done, and the line is cut before the answer.
    CutAfter,
}

/// Something that was sent to somebody.
#[derive(Clone, Debug)]
pub struct Sent {
    pub method: String,
    pub body: Value,
    pub message_id: i64,
    /// True when the caller was told.
    pub told: bool,
}

impl Sent {
    pub fn chat(&self) -> i64 {
        self.body["chat_id"].as_i64().unwrap_or_default()
    }

    pub fn text(&self) -> String {
        self.body["text"].as_str().unwrap_or_default().to_owned()
    }

    /// What a button of it sends: the first whose data ends so.
    pub fn button(&self, letter: &str) -> String {
        self.has_button(letter).unwrap()
    }

    /// The same, where it has one: readings to choose from have others.
    pub fn has_button(&self, letter: &str) -> Option<String> {
        let rows = self.body["reply_markup"]["inline_keyboard"].as_array()?.clone();
        let all = rows.iter().flat_map(|row| row.as_array().cloned().unwrap_or_default());
        let mut data = all.filter_map(|button| button["callback_data"].as_str().map(str::to_owned));
        data.find(|data| data.ends_with(letter))
    }
}

#[derive(Default)]
struct State {
    updates: VecDeque<Value>,
    last: i64,
    sent: Vec<Sent>,
    calls: Vec<String>,
    faults: HashMap<String, VecDeque<Fault>>,
    files: HashMap<String, Vec<u8>>,
    polls: u64,
}

/// The server.
#[derive(Clone)]
pub struct Bot {
    pub port: u16,
    state: Arc<(Mutex<State>, Condvar)>,
}

impl Bot {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let bot = Self { port: listener.local_addr().unwrap().port(), state: Arc::default() };
        bot.lock().last = 1000;
        let own = bot.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = own.clone();
                std::thread::spawn(move || {
                    // Whoever asked may be gone by now.
                    let _ = own.serve(stream);
                });
            }
        });
        bot
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.0.lock().unwrap()
    }

    /// The lines that bind a house to it.
    pub fn config(&self) -> String {
        format!("[telegram]\nenabled = true\napi = \"http://127.0.0.1:{}\"\npoll_seconds = 5\n", self.port)
    }

    /// The next call of `method` goes wrong so, then the one after it …
    pub fn fail(&self, method: &str, faults: &[Fault]) {
        self.lock().faults.entry(method.into()).or_default().extend(faults.iter().copied());
    }

    /// Something happens; gives its number.
    pub fn push(&self, mut update: Value) -> i64 {
        let mut state = self.lock();
        state.last += 1;
        update["update_id"] = state.last.into();
        state.updates.push_back(update);
        self.state.1.notify_all();
        state.last
    }

    /// The same thing is told again.
    pub fn push_again(&self, update: &Value, id: i64) {
        let mut update = update.clone();
        update["update_id"] = id.into();
        self.lock().updates.push_back(update);
        self.state.1.notify_all();
    }

    /// Somebody writes to the bot alone.
    pub fn says(&self, who: i64, text: &str) -> i64 {
        self.push(private(who, text))
    }

    /// Somebody writes in a group.
    pub fn says_in(&self, chat: i64, who: i64, text: &str) -> i64 {
        let mut update = private(who, text);
        update["message"]["chat"] = json!({ "id": chat, "type": "supergroup", "title": "Home" });
        self.push(update)
    }

    /// Somebody presses a button of a message.
    pub fn press(&self, who: i64, message: &Sent, data: &str) -> i64 {
        self.push(json!({ "callback_query": {
            "id": format!("cb{who}-{}", message.message_id), "from": from(who), "chat_instance": "1", "data": data,
            "message": { "message_id": message.message_id, "date": 1, "chat": { "id": message.chat(), "type": "private" }, "text": message.text() },
        }}))
    }

    /// Somebody sends a file.
    pub fn sends_file(&self, who: i64, name: &str, bytes: &[u8], caption: &str) -> i64 {
        self.push(self.file(who, name, bytes, caption))
    }

    /// Somebody passes on what a stranger wrote.
    pub fn forwards(&self, mut update: Value) -> i64 {
        update["message"]["forward_origin"] = json!({ "type": "user", "date": 1, "sender_user": { "id": 999, "is_bot": false, "first_name": "M" } });
        self.push(update)
    }

    /// A message with a file.
    pub fn file(&self, who: i64, name: &str, bytes: &[u8], caption: &str) -> Value {
        let id = format!("file{}", self.lock().files.len());
        self.lock().files.insert(id.clone(), bytes.to_vec());
        let mut update = private(who, "");
        update["message"]["document"] =
            json!({ "file_id": id, "file_unique_id": id, "file_name": name, "file_size": bytes.len() });
        let message = update["message"].as_object_mut().unwrap();
        message.remove("text");
        message.insert("caption".into(), caption.into());
        update
    }

    pub fn sent(&self) -> Vec<Sent> {
        self.lock().sent.clone()
    }

    pub fn calls(&self, method: &str) -> usize {
        self.lock().calls.iter().filter(|call| *call == method).count()
    }

    /// What was sent to a chat, in order.
    pub fn sent_to(&self, chat: i64) -> Vec<Sent> {
        self.sent()
            .into_iter()
            .filter(|sent| sent.chat() == chat && sent.method != "sendChatAction")
            .collect()
    }

    /// Waits for the first thing sent that fits.
    pub fn wait(&self, what: &str, fits: impl Fn(&Sent) -> bool) -> Sent {
        let until = Instant::now() + Duration::from_secs(60);
        let mut state = self.lock();
        loop {
            if let Some(found) = state.sent.iter().find(|sent| fits(sent)) {
                return found.clone();
            }
            assert!(Instant::now() < until, "no {what}; sent: {:#?}", state.sent);
            state = self.state.1.wait_timeout(state, Duration::from_millis(200)).unwrap().0;
        }
    }

    /// Waits until so many messages went to a chat; gives the last of them.
    pub fn wait_count(&self, chat: i64, count: usize) -> Sent {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let sent = self.sent_to(chat);
            if sent.len() >= count {
                return sent[count - 1].clone();
            }
            assert!(Instant::now() < until, "{count} messages to {chat}: {sent:#?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until everything that happened was asked for and confirmed.
    pub fn wait_confirmed(&self) {
        let until = Instant::now() + Duration::from_secs(60);
        while !self.lock().updates.is_empty() {
            assert!(Instant::now() < until, "unconfirmed: {:?}", self.lock().updates);
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits until every call of `method` that was to go wrong did.
    pub fn wait_failed(&self, method: &str) {
        let until = Instant::now() + Duration::from_secs(60);
        while self.lock().faults.get(method).is_some_and(|faults| !faults.is_empty()) {
            assert!(Instant::now() < until, "{method} was not called as often as it should fail");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn serve(&self, mut stream: TcpStream) -> std::io::Result<()> {
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let (mut bytes, mut chunk) = (Vec::new(), [0; 8192]);
        let end = loop {
            if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
                break at + 4;
            }
            match stream.read(&mut chunk)? {
                0 => return Ok(()),
                n => bytes.extend_from_slice(&chunk[..n]),
            }
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let length = head
            .to_lowercase()
            .lines()
            .find_map(|line| line.strip_prefix("content-length:").map(|n| n.trim().parse::<usize>().unwrap()))
            .unwrap_or(0);
        while bytes.len() < end + length {
            match stream.read(&mut chunk)? {
                0 => return Ok(()),
                n => bytes.extend_from_slice(&chunk[..n]),
            }
        }
        let path = head.split_whitespace().nth(1).unwrap_or_default().to_owned();
        if let Some(file) = path.strip_prefix(&format!("/file/bot{TOKEN}/")) {
            let found = self.lock().files.get(file).cloned();
            return match found {
                Some(bytes) => answer(&mut stream, 200, &bytes),
                None => answer(&mut stream, 404, b"{}"),
            };
        }
        let Some(method) = path.strip_prefix(&format!("/bot{TOKEN}/")) else {
            return answer(
                &mut stream,
                401,
                br#"{"ok":false,"error_code":401,"description":"Unauthorized"}"#,
            );
        };
        let body = &bytes[end..];
        let body: Value = match head.to_lowercase().contains("multipart/form-data") {
            true => form(body),
            false => serde_json::from_slice(body).unwrap_or(Value::Null),
        };
        let fault = {
            let mut state = self.lock();
            state.calls.push(method.to_owned());
            state.faults.get_mut(method).and_then(VecDeque::pop_front)
        };
        match fault {
            Some(Fault::Busy(wait)) => {
                let told = json!({ "ok": false, "error_code": 429, "description": format!("Too Many Requests: retry after {wait}"), "parameters": { "retry_after": wait } });
                answer(&mut stream, 429, told.to_string().as_bytes())
            }
            Some(Fault::Status(status)) => answer(&mut stream, status, b"<html>Bad Gateway</html>"),
            Some(Fault::Refused) => {
                let told = json!({ "ok": false, "error_code": 403, "description": "Forbidden: bot was blocked by the user" });
                answer(&mut stream, 403, told.to_string().as_bytes())
            }
            Some(Fault::Bad) => {
                let told = json!({ "ok": false, "error_code": 400, "description": "Bad Request: PHOTO_INVALID_DIMENSIONS" });
                answer(&mut stream, 400, told.to_string().as_bytes())
            }
            Some(Fault::Moved(to)) => {
                let told = json!({ "ok": false, "error_code": 400, "description": "Bad Request: group chat was upgraded to a supergroup chat", "parameters": { "migrate_to_chat_id": to } });
                answer(&mut stream, 400, told.to_string().as_bytes())
            }
            Some(Fault::CutBefore) => stream.shutdown(std::net::Shutdown::Both),
            Some(Fault::CutAfter) => {
                let _ = self.act(method, &body, false);
                stream.shutdown(std::net::Shutdown::Both)
            }
            None => {
                let (status, told) = match self.act(method, &body, true) {
                    Ok(result) => (200, json!({ "ok": true, "result": result })),
                    Err((code, why)) => {
                        (code, json!({ "ok": false, "error_code": code, "description": why }))
                    }
                };
                answer(&mut stream, status, told.to_string().as_bytes())
            }
        }
    }

    fn act(&self, method: &str, body: &Value, told: bool) -> Result<Value, (u16, &'static str)> {
        match method {
            "getMe" => Ok(json!({ "id": BOT, "is_bot": true, "first_name": "House", "username": NAME })),
            "getUpdates" => self.updates(body),
            "getFile" => match self.lock().files.contains_key(body["file_id"].as_str().unwrap_or_default()) {
                true => Ok(json!({ "file_id": body["file_id"], "file_path": body["file_id"] })),
                false => Err((400, "Bad Request: invalid file_id")),
            },
            "sendMessage"
            | "editMessageText"
            | "sendDocument"
            | "sendPhoto"
            | "sendChatAction"
            | "answerCallbackQuery" => {
                let text = body["text"].as_str().unwrap_or_default();
                let needs = matches!(method, "sendMessage" | "editMessageText");
                if needs && text.trim().is_empty() {
                    return Err((400, "Bad Request: message text is empty"));
                }
                if text.encode_utf16().count() > 4096 {
                    return Err((400, "Bad Request: message is too long"));
                }
                let mut state = self.lock();
                let message_id = 500 + state.sent.len() as i64;
                state.sent.push(Sent { method: method.into(), body: body.clone(), message_id, told });
                self.state.1.notify_all();
                Ok(match method {
                    "sendMessage" | "sendDocument" | "sendPhoto" => {
                        json!({ "message_id": message_id, "chat": { "id": body["chat_id"] } })
                    }
                    _ => json!(true),
                })
            }
            _ => Err((404, "Not Found")),
        }
    }

    /// An offset confirms what is older; then it is waited until something is there or the time is over.
    fn updates(&self, body: &Value) -> Result<Value, (u16, &'static str)> {
        let until = Instant::now() + Duration::from_secs(body["timeout"].as_u64().unwrap_or(0));
        let allowed: Vec<String> =
            serde_json::from_value(body["allowed_updates"].clone()).unwrap_or_default();
        let mut state = self.lock();
        state.polls += 1;
        let own = state.polls;
        self.state.1.notify_all();
        if let Some(offset) = body["offset"].as_i64() {
            state.updates.retain(|update| update["update_id"].as_i64().unwrap() >= offset);
        }
        loop {
            if state.polls != own {
                return Err((409, "Conflict: terminated by other getUpdates request"));
            }
            let fits = |update: &&Value| {
                allowed.is_empty() || allowed.iter().any(|kind| update.get(kind.as_str()).is_some())
            };
            let limit = body["limit"].as_u64().unwrap_or(100) as usize;
            let ready: Vec<Value> = state.updates.iter().filter(fits).take(limit).cloned().collect();
            let left = until.saturating_duration_since(Instant::now());
            if !ready.is_empty() || left.is_zero() {
                return Ok(Value::Array(ready));
            }
            state = self.state.1.wait_timeout(state, left).unwrap().0;
        }
    }
}

fn from(who: i64) -> Value {
    json!({ "id": who, "is_bot": false, "first_name": format!("Person {who}"), "language_code": "en" })
}

/// A message to the bot alone.
pub fn private(who: i64, text: &str) -> Value {
    json!({ "message": { "message_id": 1, "date": 1_790_000_000, "from": from(who), "chat": { "id": who, "type": "private" }, "text": text } })
}

/// The fields of a form; the bytes of its file as text.
fn form(body: &[u8]) -> Value {
    let text = String::from_utf8_lossy(body);
    let mark = text.lines().next().unwrap_or_default().to_owned();
    let mut fields = json!({});
    for part in text.split(&mark).filter(|part| part.contains("name=\"")) {
        let (head, value) = part.split_once("\r\n\r\n").unwrap();
        let named = |key: &str| {
            head.split_once(&format!("{key}=\""))
                .and_then(|(_, rest)| Some(rest.split_once('"')?.0.to_owned()))
        };
        let value = value.strip_suffix("\r\n").unwrap_or(value);
        match (named("; name").unwrap(), named("filename")) {
            (_, Some(file)) => fields["file"] = json!({ "name": file, "text": value }),
            (name, None) if name == "chat_id" => fields["chat_id"] = value.parse::<i64>().unwrap().into(),
            (name, None) => fields[name] = value.into(),
        }
    }
    fields
}

fn answer(stream: &mut TcpStream, status: u16, body: &[u8]) -> std::io::Result<()> {
    let head = format!(
        "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes())?;
    stream.write_all(body)
}

/// A house with the door open and the host paired.
pub fn house(bot: &Bot) -> House {
    let house = House::supervised();
    std::fs::write(house.metnos().join("config/metnos.toml"), bot.config()).unwrap();
    let set = house.run_with(&["credentials", "set", "telegram", "token"], format!("{TOKEN}\n").as_bytes());
    assert_eq!(set.code, Some(0), "{set:?}");
    run(&house, &["pairing", "pair", "telegram", &HOST.to_string(), "host"]);
    house
}

/// A command that succeeds.
pub fn run(house: &House, args: &[&str]) {
    let ran = house.run(args);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

/// Somebody of this house, who writes from there.
pub fn member(house: &House, sender: i64, name: &str, role: &str) {
    run(house, &["users", "add", name, "--as", role]);
    run(house, &["pairing", "pair", "telegram", &sender.to_string(), &name.to_lowercase()]);
}

/// Whether it asks something.
pub fn is_card(sent: &Sent) -> bool {
    sent.body["reply_markup"].is_object()
}
