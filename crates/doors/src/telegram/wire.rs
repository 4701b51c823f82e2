//! The Bot API over the wire. The token is part of every address, so no error leaves here without having lost it.

use metnos_runtime::Secret;
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::time::Duration;
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};

/// The most that is read of an answer.
const BYTES: u64 = 8 << 20;
/// The most that is told of a refusal.
const SAID: usize = 200;
const CONNECT: Duration = Duration::from_secs(10);
/// How long an ordinary call may take.
const CALL: Duration = Duration::from_secs(30);
/// How long a file may take.
const FILE: Duration = Duration::from_secs(120);

/// Why a call gave no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum Trouble {
    #[error("Telegram asks to wait {} s", .0.as_secs())]
    Busy(Duration),
    #[error("Telegram says no ({code}): {said}")]
    Refused { code: u16, said: String },
    /// A group became a larger one, and has another number since.
    #[error("the chat is now {0}")]
    Moved(i64),
    #[error("Telegram has trouble ({0})")]
    Broken(u16),
    /// It was not accepted.
    #[error("Telegram cannot be reached: {0}")]
    Unreachable(String),
    /// It may have been accepted.
    #[error("the line was cut: {0}")]
    Cut(String),
}

/// A way to one bot.
pub(super) struct Wire {
    agent: ureq::Agent,
    base: String,
    token: Secret,
}

/// A file to send.
pub(super) struct Attached<'a> {
    /// `document` or `photo`.
    pub(super) field: &'a str,
    pub(super) name: &'a str,
    pub(super) bytes: &'a [u8],
}

impl Wire {
    pub(super) fn new(base: &str, token: Secret) -> Self {
        let provider = Arc::new(tokio_rustls::rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(provider)
            .build();
        let mut config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_connect(Some(CONNECT))
            // A connection that was idle may be dead: a message sent into it would be in doubt for nothing.
            .max_idle_connections(0)
            .user_agent("metnos")
            .tls_config(tls);
        if ["http://127.", "http://localhost", "http://[::1]"].iter().any(|here| base.starts_with(here)) {
            config = config.proxy(None);
        }
        Self { agent: config.build().into(), base: base.to_owned(), token }
    }

    /// Who the bot is: its number and its name.
    pub(super) fn me(&self) -> Result<(i64, String), Trouble> {
        let me = self.call("getMe", &json!({}), CALL)?;
        let id = me["id"].as_i64().ok_or_else(|| Trouble::Refused { code: 200, said: "no bot".into() })?;
        Ok((id, me["username"].as_str().unwrap_or_default().to_owned()))
    }

    /// What happened since `offset`; waits until something does.
    pub(super) fn updates(&self, offset: Option<i64>, wait: Duration) -> Result<Vec<Value>, Trouble> {
        let mut asked = json!({
            "timeout": wait.as_secs(),
            "limit": 50,
            "allowed_updates": ["message", "edited_message", "callback_query"],
        });
        if let Some(offset) = offset {
            asked["offset"] = offset.into();
        }
        match self.call("getUpdates", &asked, wait + Duration::from_secs(15))? {
            Value::Array(updates) => Ok(updates),
            _ => Err(Trouble::Cut("no list of updates".into())),
        }
    }

    /// Sends a message; gives its number.
    pub(super) fn message(&self, body: &Value) -> Result<Option<i64>, Trouble> {
        self.call("sendMessage", body, CALL).map(|sent| sent["message_id"].as_i64())
    }

    /// Replaces the text of a message. That it says so already is as good.
    pub(super) fn edit(&self, body: &Value) -> Result<(), Trouble> {
        match self.call("editMessageText", body, CALL) {
            Err(Trouble::Refused { said, .. }) if said.contains("not modified") => Ok(()),
            other => other.map(|_| ()),
        }
    }

    /// Tells whoever pressed a button.
    pub(super) fn toast(&self, callback: &str, text: &str) -> Result<(), Trouble> {
        self.call("answerCallbackQuery", &json!({ "callback_query_id": callback, "text": text }), CALL)
            .map(|_| ())
    }

    /// Shows that somebody is writing.
    pub(super) fn typing(&self, chat: i64) -> Result<(), Trouble> {
        self.call("sendChatAction", &json!({ "chat_id": chat, "action": "typing" }), CALL).map(|_| ())
    }

    /// Sends a file; gives the number of its message.
    pub(super) fn file(&self, fields: &[(&str, &str)], file: &Attached<'_>) -> Result<Option<i64>, Trouble> {
        let method = if file.field == "photo" { "sendPhoto" } else { "sendDocument" };
        let (kind, body) = form(fields, file);
        self.send(method, &kind, &body, FILE).map(|sent| sent["message_id"].as_i64())
    }

    /// The bytes of a file that was sent to the bot, `most` of them at most.
    pub(super) fn download(&self, file: &str, most: u64) -> Result<Vec<u8>, Trouble> {
        let found = self.call("getFile", &json!({ "file_id": file }), CALL)?;
        let path = found["file_path"].as_str().unwrap_or_default();
        let odd = |c: char| !(c.is_ascii_alphanumeric() || "/._-".contains(c));
        if path.is_empty() || path.contains("..") || path.contains(odd) {
            return Err(Trouble::Refused { code: 200, said: "no way to the file".into() });
        }
        let address = format!("{}/file/bot{}/{path}", self.base, self.token.expose());
        let request = self.agent.get(&address).config().timeout_global(Some(FILE)).build();
        let mut response = request.call().map_err(|e| self.trouble(&e))?;
        let status = response.status().as_u16();
        if status >= 500 {
            return Err(Trouble::Broken(status));
        }
        if status != 200 {
            return Err(Trouble::Refused { code: status, said: "the file is not there".into() });
        }
        response.body_mut().with_config().limit(most).read_to_vec().map_err(|e| self.trouble(&e))
    }

    fn call(&self, method: &str, body: &Value, most: Duration) -> Result<Value, Trouble> {
        self.send(method, "application/json", body.to_string().as_bytes(), most)
    }

    fn send(&self, method: &str, kind: &str, body: &[u8], most: Duration) -> Result<Value, Trouble> {
        let address = format!("{}/bot{}/{method}", self.base, self.token.expose());
        let request = self.agent.post(&address).config().timeout_global(Some(most)).build();
        let mut response = request.header("content-type", kind).send(body).map_err(|e| self.trouble(&e))?;
        let status = response.status().as_u16();
        let read = response.body_mut().with_config().limit(BYTES).read_to_vec();
        if status >= 500 {
            return Err(Trouble::Broken(status));
        }
        let bytes = read.map_err(|e| self.trouble(&e))?;
        let mut told: Map<String, Value> =
            serde_json::from_slice(&bytes).map_err(|_| Trouble::Cut("no answer of the Bot API".into()))?;
        if told.get("ok") == Some(&Value::Bool(true)) {
            return Ok(told.remove("result").unwrap_or_default());
        }
        let code = told.get("error_code").and_then(Value::as_u64).and_then(|code| u16::try_from(code).ok());
        let parameters = told.get("parameters").cloned().unwrap_or_default();
        if let Some(chat) = parameters["migrate_to_chat_id"].as_i64() {
            return Err(Trouble::Moved(chat));
        }
        let wait = parameters["retry_after"].as_u64();
        match code.unwrap_or(status) {
            429 => Err(Trouble::Busy(Duration::from_secs(wait.unwrap_or(1).min(3600)))),
            code if code >= 500 => Err(Trouble::Broken(code)),
            code => {
                let said = told.get("description").and_then(Value::as_str).unwrap_or("without a reason");
                Err(Trouble::Refused { code, said: self.discreet(said) })
            }
        }
    }

    fn trouble(&self, error: &ureq::Error) -> Trouble {
        use std::io::ErrorKind;
        let said = self.discreet(&error.to_string());
        let before = match error {
            ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve)
            | ureq::Error::HostNotFound
            | ureq::Error::ConnectionFailed
            | ureq::Error::Tls(_)
            | ureq::Error::BadUri(_) => true,
            ureq::Error::Io(e) => matches!(
                e.kind(),
                ErrorKind::ConnectionRefused | ErrorKind::HostUnreachable | ErrorKind::NetworkUnreachable
            ),
            _ => false,
        };
        if before { Trouble::Unreachable(said) } else { Trouble::Cut(said) }
    }

    /// A text without the token, on one bounded line.
    fn discreet(&self, text: &str) -> String {
        let clean = text.replace(self.token.expose(), "‹token›");
        clean.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SAID).collect()
    }
}

/// A form with a file, as browsers send it: its kind and its bytes.
fn form(fields: &[(&str, &str)], file: &Attached<'_>) -> (String, Vec<u8>) {
    // Nothing that is sent can hold it: it is made anew for each form.
    let mark = format!("metnos-{}", metnos_executor::Ulid::new());
    let mut body = Vec::with_capacity(file.bytes.len() + 512);
    for (name, value) in fields {
        let part = format!("--{mark}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n");
        body.extend_from_slice(part.as_bytes());
    }
    let safe: String = file.name.chars().filter(|c| !c.is_control() && *c != '"' && *c != '\\').collect();
    let head = format!(
        "--{mark}\r\nContent-Disposition: form-data; name=\"{}\"; filename=\"{safe}\"\r\nContent-Type: application/octet-stream\r\n\r\n",
        file.field
    );
    body.extend_from_slice(head.as_bytes());
    body.extend_from_slice(file.bytes);
    body.extend_from_slice(format!("\r\n--{mark}--\r\n").as_bytes());
    (format!("multipart/form-data; boundary={mark}"), body)
}
