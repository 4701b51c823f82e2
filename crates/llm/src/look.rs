//! What answers on this machine, which models it has, and how much they hold. Nothing but loopback is looked at without
//! being named, and all of it is bounded in time.

use crate::client::Key;
use crate::config::Url;
use crate::http::Wire;
use crate::{Kind, LlmError, Tier};
use serde::Serialize;
use serde_json::Value;
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Where servers of models usually listen on their own machine, and which.
pub const USUAL_PORTS: [(u16, &str); 8] = [
    (8080, "llama-server"),
    (11434, "Ollama"),
    (1234, "LM Studio"),
    (8000, "vLLM"),
    (8081, "llama-server"),
    (1337, "Jan"),
    (4891, "GPT4All"),
    (5001, "KoboldCpp"),
];
/// Most ports that are looked at together.
pub const MOST_PORTS: usize = 16;
/// How long all of it may take.
const WITHIN: Duration = Duration::from_millis(2500);
/// How long a port of this machine may take to say that it is there.
const KNOCK: Duration = Duration::from_millis(400);
/// Most models that are listed of one server.
const MODELS: usize = 50;
/// The longest name of a model.
const NAME: usize = 200;
/// What a model may hold.
const ROOMS: std::ops::RangeInclusive<u64> = 256..=100_000_000;

/// A model of a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Listed {
    /// Its name.
    pub id: String,
    /// How many tokens it holds, where the server tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u64>,
}

/// What a server answered to who asked for its models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Answers {
    /// These; it may have none.
    Models {
        /// In its own order.
        models: Vec<Listed>,
    },
    /// It wants a key.
    Key,
    /// It did not answer in time.
    Slow,
    /// Something else listens there.
    Other {
        /// What came back, in words.
        said: String,
    },
}

/// Something that listens.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    /// Where.
    pub url: String,
    /// What usually listens there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usually: Option<&'static str>,
    /// What it said.
    #[serde(flatten)]
    pub answers: Answers,
}

/// Looks at these ports of this machine, all at once; what is closed is left out. The order is that of the ports.
pub fn look_around(ports: &[u16]) -> Vec<Found> {
    let until = Instant::now() + WITHIN;
    let (sender, receiver) = channel();
    for (n, port) in ports.iter().copied().take(MOST_PORTS).enumerate() {
        let sender = sender.clone();
        // Whoever cannot be started looks at nothing; whoever is late is not waited for.
        let _ = std::thread::Builder::new().name("look".into()).spawn(move || {
            if is_open(port) {
                let _ = sender.send((n, None));
                let url = Url::here(port);
                let _ = sender.send((n, Some(look_at(&url, None, until))));
            }
        });
    }
    drop(sender);
    let mut found: Vec<(usize, Option<Answers>)> = Vec::new();
    while let Ok((n, answers)) = receiver.recv_timeout(until.saturating_duration_since(Instant::now())) {
        found.retain(|(known, _)| *known != n);
        found.push((n, answers));
    }
    found.sort_by_key(|(n, _)| *n);
    let told = |(n, answers): (usize, Option<Answers>)| {
        let port = ports.get(n).copied()?;
        let usually = USUAL_PORTS.iter().find(|(usual, _)| *usual == port).map(|(_, name)| *name);
        Some(Found { url: Url::here(port).to_string(), usually, answers: answers.unwrap_or(Answers::Slow) })
    };
    found.into_iter().filter_map(told).collect()
}

/// The same at one address.
pub fn look_at_url(url: &Url, key: Option<&Key>) -> Found {
    let answers = look_at(url, key, Instant::now() + WITHIN);
    Found { url: url.to_string(), usually: None, answers }
}

fn is_open(port: u16) -> bool {
    TcpStream::connect_timeout(&SocketAddr::from((Ipv4Addr::LOCALHOST, port)), KNOCK).is_ok()
}

fn look_at(url: &Url, key: Option<&Key>, until: Instant) -> Answers {
    match get(url, "v1/models", key, until) {
        Ok(value) => match listed(&value) {
            Some(models) => Answers::Models { models },
            None => Answers::Other { said: "it lists no models".to_owned() },
        },
        Err(LlmError::Refused { status: 401 | 403, .. }) => Answers::Key,
        Err(LlmError::Slow(_)) => Answers::Slow,
        Err(other) => Answers::Other { said: other.to_string() },
    }
}

/// How many tokens the model of a tier holds, where its server tells.
pub fn context(tier: &Tier, key: Option<&Key>, within: Duration) -> Result<Option<u64>, LlmError> {
    if tier.kind != Kind::Openai || tier.flaw().is_some() {
        return Ok(None);
    }
    let until = Instant::now() + within;
    let models = get(&tier.url, "v1/models", key, until);
    let told = models.as_ref().ok().and_then(listed).and_then(|models| {
        let alone = models.len() == 1;
        models.into_iter().find(|model| alone || model.id == tier.model)?.context
    });
    if told.is_some() {
        return Ok(told);
    }
    let props = get(&tier.url, "props", key, until);
    if let Ok(props) = &props {
        let settings = &props["default_generation_settings"]["n_ctx"];
        return Ok(room(settings).or_else(|| room(&props["n_ctx"])));
    }
    // Who answers and does not tell is not asked again.
    let silent = |error: LlmError| match error {
        LlmError::Refused { .. } | LlmError::Garbled(_) | LlmError::TooLarge(_) => Ok(None),
        other => Err(other),
    };
    match (models, props) {
        (Ok(_), Err(error)) | (Err(_), Err(error)) => silent(error),
        (_, Ok(_)) => Ok(None),
    }
}

fn get(url: &Url, path: &str, key: Option<&Key>, until: Instant) -> Result<Value, LlmError> {
    Wire::new(url.is_here()).get(&url.path(path), key, until)
}

fn listed(value: &Value) -> Option<Vec<Listed>> {
    let rows = value["data"].as_array()?;
    let one = |row: &Value| {
        let id = row["id"].as_str()?;
        let plain = !id.is_empty() && id.len() <= NAME && !id.contains(char::is_control);
        plain.then(|| Listed { id: id.to_owned(), context: told(row) })
    };
    Some(rows.iter().filter_map(one).take(MODELS).collect())
}

/// What a row of the list says about the room of its model. What it was trained with is not what it is run with.
fn told(row: &Value) -> Option<u64> {
    let keys = ["loaded_context_length", "max_model_len", "context_length", "n_ctx"];
    room(&row["meta"]["n_ctx"]).or_else(|| keys.iter().find_map(|key| room(&row[*key])))
}

fn room(value: &Value) -> Option<u64> {
    value.as_u64().filter(|tokens| ROOMS.contains(tokens))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_list_of_models_is_read_as_several_servers_write_it() {
        let list = json!({ "object": "list", "data": [
            { "id": "a.gguf", "meta": { "n_ctx_train": 131_072 } },
            { "id": "b", "max_model_len": 32_768 },
            { "id": "c", "meta": { "n_ctx": 16_384 } },
            { "id": "" }, { "id": "bad\u{1b}[2J" }, { "id": "d", "context_length": 1 },
        ] });
        let found = listed(&list).unwrap();
        let rooms: Vec<(&str, Option<u64>)> = found.iter().map(|m| (m.id.as_str(), m.context)).collect();
        assert_eq!(rooms, [("a.gguf", None), ("b", Some(32_768)), ("c", Some(16_384)), ("d", None)]);
        assert_eq!(listed(&json!({ "data": [] })), Some(Vec::new()));
        assert_eq!(listed(&json!({ "ok": true })), None);
    }

    #[test]
    fn nothing_is_found_where_nothing_listens_and_soon() {
        let began = Instant::now();
        // Bound and let go of at once, so that nobody is there.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        assert_eq!(look_around(&[port]), []);
        assert!(began.elapsed() < Duration::from_secs(3));
    }
}
