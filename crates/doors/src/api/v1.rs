//! The door for programs that speak to models the way OpenAI's clients do. Behind it is no model but the whole
//! house: the same guards, the same questions.

use super::turns::blocking;
use super::{Refusal, Said};
use crate::house::House;
use crate::talk::{self, Meant, Seen};
use crate::who::Who;
use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use jiff::{SignedDuration, Timestamp};
use metnos_executor::Failure;
use serde::Deserialize;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::sync::Arc;
use utoipa::ToSchema;

/// The one model there is.
const MODEL: &str = "metnos";

/// The header in which OpenAI's clients count how often they send the same.
const RETRY: &str = "x-stainless-retry-count";
/// How long such a repetition is the same request.
const LATELY: SignedDuration = SignedDuration::from_mins(10);

/// A chat completion. What Metnos has no use for (temperature, tools …) is accepted and has no effect.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Chat {
    /// `metnos`; another name is answered all the same.
    #[allow(dead_code, reason = "part of the protocol")]
    #[serde(default)]
    model: Value,
    /// The last message is the request, and is the person's. Earlier ones are not orders again: Metnos remembers its
    /// own. A yes counts for the card that the message before it shows.
    messages: Vec<Message>,
    /// As events.
    #[serde(default)]
    stream: Option<bool>,
    /// Names the conversation.
    #[serde(default)]
    user: Option<String>,
}

/// A message.
#[derive(Debug, Deserialize, ToSchema)]
pub(crate) struct Message {
    /// `user` gives orders; what others say is data.
    role: String,
    /// Text, or parts of which the texts count.
    #[serde(default)]
    content: Value,
}

impl Chat {
    /// What the person says now: a history that ends in anything else says nothing new.
    fn text(&self) -> Result<String, Failure> {
        let last = self.messages.last().filter(|message| message.role == "user").map(Message::text);
        last.filter(|text| !text.trim().is_empty()).ok_or_else(|| {
            Failure::wrong_args("the last message is not one in which the person says something")
                .with_hint("the last message has the role user and is the request")
        })
    }

    /// What Metnos said last, as the program has it.
    fn seen(&self) -> Seen {
        let before = self.messages.iter().rev().skip(1);
        let told =
            before.take_while(|message| message.role != "user").find(|message| message.role == "assistant");
        Seen::Told(told.map(Message::text).unwrap_or_default())
    }
}

impl Message {
    fn text(&self) -> String {
        match &self.content {
            Value::String(text) => text.clone(),
            Value::Array(parts) => {
                let texts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
                texts.collect::<Vec<_>>().join("\n")
            }
            _ => String::new(),
        }
    }
}

/// The models there are: one, Metnos itself.
#[utoipa::path(get, path = "/v1/models", tag = "openai",
    responses((status = 200, body = Value), (status = "4XX", body = super::refusal::Problem)), security(("token" = [])))]
pub(crate) async fn models(_who: Who) -> Json<Value> {
    Json(
        json!({ "object": "list", "data": [{ "id": MODEL, "object": "model", "created": 0, "owned_by": "metnos" }] }),
    )
}

/// Whether the client sends once more what it got no answer to.
fn is_retry(headers: &HeaderMap) -> bool {
    let count = headers.get(RETRY).and_then(|value| value.to_str().ok());
    count.and_then(|count| count.trim().parse::<u32>().ok()).is_some_and(|count| count > 0)
}

/// What came of a message.
struct Heard {
    /// The turn that is told.
    turn: String,
    /// With the details of its card.
    details: bool,
}

impl House {
    /// Acts on a message, whether or not whoever sent it waits for the answer.
    async fn heard(
        self: &Arc<Self>,
        who: &Who,
        conversation: &str,
        text: String,
        seen: Seen,
    ) -> Result<Heard, Failure> {
        let (house, who, place) = (Arc::clone(self), who.clone(), conversation.to_owned());
        let heard = tokio::spawn(async move {
            let started = match house.say(&who, &place, text.clone(), seen).await? {
                talk::Said::Started(started) => started,
                talk::Said::Before(turn) => return Ok(Heard { turn, details: false }),
                talk::Said::Details(turn) => return Ok(Heard { turn, details: true }),
            };
            let turn = started.turn().to_owned();
            house.said.note(&place, &text, &turn);
            started.ended().await?;
            Ok(Heard { turn, details: false })
        });
        heard.await.unwrap_or_else(|_| Err(Failure::internal("the message was lost")))
    }

    /// The turn that a repeated message led to. One that would answer a question, and that nobody remembers, answers
    /// nothing: it may have answered the question before. Whoever sent it is shown what waits.
    async fn said_before(
        self: &Arc<Self>,
        who: &Who,
        conversation: &str,
        text: &str,
        seen: Seen,
    ) -> Result<Option<String>, Failure> {
        if let Some(turn) = self.said.turn_of(conversation, text) {
            return Ok(Some(turn));
        }
        if let Some(turn) = self.begun_with(conversation, text)? {
            return Ok(Some(turn));
        }
        Ok(match self.understand(who, conversation, text, seen).await? {
            Meant::Request => None,
            _ => self.gateway.turns_in(conversation, 1)?.pop().map(|turn| turn.id),
        })
    }

    /// The newest turn of a conversation, if these words began it and it runs, or began lately.
    fn begun_with(&self, conversation: &str, text: &str) -> Result<Option<String>, Failure> {
        let newest = self.gateway.turns_in(conversation, 1)?.pop();
        let words = self.runtime().told(text);
        let lately = |at: &str| {
            let at = at.parse::<Timestamp>();
            at.is_ok_and(|at| Timestamp::now().duration_since(at) < LATELY)
        };
        let same =
            newest.filter(|turn| turn.request == words && (turn.status.is_none() || lately(&turn.began_at)));
        Ok(same.map(|turn| turn.id))
    }

    /// Waits until a turn that was begun before has something to tell.
    async fn until_told(&self, turn: String) -> Result<String, Failure> {
        let live = self.hub.live(&turn);
        let mut bell = live.watch();
        loop {
            let failed = bell.borrow_and_update().failed.clone();
            if let Some(failure) = failed {
                return Err(failure);
            }
            if self.gateway.turn(&turn)?.is_none_or(|known| known.status.is_some()) {
                return Ok(turn);
            }
            bell.changed().await.map_err(|_| Failure::internal("the turn was lost"))?;
        }
    }
}

/// Speak to Metnos with any chat client.
#[utoipa::path(post, path = "/v1/chat/completions", tag = "openai", request_body = Chat,
    responses((status = 200, body = Value), (status = "4XX", body = super::refusal::Problem), (status = "5XX", body = super::refusal::Problem)),
    security(("token" = [])))]
pub(crate) async fn chat(
    State(house): State<Arc<House>>,
    who: Who,
    headers: HeaderMap,
    Said(chat): Said<Chat>,
) -> Result<Response, Refusal> {
    let text = chat.text()?;
    let seen = chat.seen();
    let name = chat.user.map(|user| blake3::hash(user.as_bytes()).to_hex()[..16].to_owned());
    let conversation = who.conversation(Some(name.as_deref().unwrap_or("api")))?;
    let known = match is_retry(&headers) {
        true => house.said_before(&who, &conversation, &text, seen.clone()).await?,
        false => None,
    };
    let Heard { turn, details } = match known {
        Some(turn) => Heard { turn: house.until_told(turn).await?, details: false },
        None => house.heard(&who, &conversation, text, seen).await?,
    };
    let (shared, reader, id) = (Arc::clone(&house), who.clone(), turn.clone());
    let answer = blocking(move || shared.answer(&reader, &id)).await?;
    let speech = house.words.speak(who.person.language.as_deref());
    let said = house.as_text(&answer, &speech, details);
    let created = jiff::Timestamp::now().as_second();
    let id = format!("chatcmpl-{turn}");
    if chat.stream == Some(true) {
        let chunk = |delta: Value, finish: Value| {
            let value = json!({ "id": id, "object": "chat.completion.chunk", "created": created, "model": MODEL,
                "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] });
            Ok::<_, Infallible>(Event::default().data(value.to_string()))
        };
        let mut events = vec![chunk(json!({ "role": "assistant", "content": "" }), Value::Null)];
        events.extend(said.split_inclusive('\n').map(|line| chunk(json!({ "content": line }), Value::Null)));
        events.push(chunk(json!({}), "stop".into()));
        events.push(Ok(Event::default().data("[DONE]")));
        return Ok(Sse::new(stream::iter(events)).into_response());
    }
    // Nothing is counted in tokens where no model spoke.
    let value = json!({ "id": id, "object": "chat.completion", "created": created, "model": MODEL,
        "choices": [{ "index": 0, "message": { "role": "assistant", "content": said }, "finish_reason": "stop" }],
        "usage": { "prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0 } });
    Ok(Json(value).into_response())
}
