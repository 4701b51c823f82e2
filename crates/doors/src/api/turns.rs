//! Asking, watching, looking back.

use super::refusal::Problem;
use super::{Refusal, Said};
use crate::answer::{Stands, TurnAnswer};
use crate::house::House;
use crate::hub::{Started, Wanted};
use crate::steps::TurnSteps;
use crate::talk::{Meant, Seen};
use crate::who::{Who, conversation_name, zone_named};
use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::header::ACCEPT;
use axum::http::{HeaderMap, StatusCode};
use axum::response::sse::{KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::db::Turn;
use metnos_runtime::guards::Answer;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use utoipa::{IntoParams, ToSchema};

/// The longest request.
const TEXT_MAX: usize = 1 << 20;
/// How far the clock of a program may be off before the ids it makes are set to the time here.
const SKEW_MS: u64 = 2_000;
/// Among so many turns of a conversation what was sent twice is looked for.
const LATELY: u32 = 50;
/// Where is said which turn events are about.
const TURN: &str = "x-metnos-turn";
/// How often a quiet stream says that it is there.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// A request in plain words.
#[derive(Clone, Debug, Default, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnRequest {
    /// The words.
    #[schema(example = "what time is it")]
    pub text: String,
    /// In which conversation: "them" and "there" mean what was said in it. `main` if it is not named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The language of the words, such as `it`, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The zone in which times are meant, such as `Europe/Rome`; else the person's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<String>,
    /// The id the turn shall have: a ULID. With the same id it is never run twice. One whose time is not the time
    /// here is set to it: the turn has the id of the answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<String>,
    /// What relative paths are relative to. Only the terminal of the machine itself has a say in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// The card on the screen. A plain yes or no answers the card that waits; with this, only if it is this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<String>,
}

/// A turn that was accepted.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Accepted {
    /// Its id.
    turn: String,
    /// Where it can be watched.
    stream: String,
}

impl Accepted {
    pub(crate) fn new(turn: String) -> Self {
        Self { stream: format!("/agent/turns/{turn}/stream"), turn }
    }
}

/// Which part of a list.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Part {
    /// From which row on.
    from: Option<usize>,
    /// How many at most, up to 1000.
    most: Option<usize>,
}

/// Which turns.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Older {
    /// Older than this one.
    before: Option<String>,
    /// How many at most, up to 200.
    most: Option<u32>,
    /// Only those of this conversation of theirs, on this channel.
    conversation: Option<String>,
}

/// A turn in a list.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
pub struct TurnListed {
    /// Its id.
    pub turn: String,
    /// Who asked, over which channel.
    pub caller: String,
    /// What was asked.
    pub request: String,
    /// When, in UTC.
    pub began_at: String,
    /// When it ended, or began to wait.
    pub ended_at: Option<String>,
    /// As of a turn by itself; `running` while it does.
    pub status: String,
    /// The stage that gave the plan.
    pub stage: Option<String>,
}

impl From<Turn> for TurnListed {
    fn from(turn: Turn) -> Self {
        Self {
            turn: turn.id,
            caller: turn.caller,
            request: turn.request,
            began_at: turn.began_at,
            ended_at: turn.ended_at,
            status: turn.status.unwrap_or_else(|| "running".into()),
            stage: turn.stage,
        }
    }
}

/// Rows of a list.
#[derive(Debug, Deserialize, Serialize, ToSchema)]
pub struct Rows {
    /// The rows.
    pub entries: Vec<Map<String, Value>>,
    /// How long the whole list is.
    pub count: u64,
}

impl TurnRequest {
    /// Refuses what no request can be. The terminal asks this before it asks anybody else, so that it says the same
    /// with a daemon and without one.
    pub fn check(&self) -> Result<(), Failure> {
        if self.text.trim().is_empty() {
            return Err(
                Failure::wrong_args("nothing was said").with_hint("for example: metnos ask what time is it")
            );
        }
        if self.text.len() > TEXT_MAX {
            return Err(Failure::wrong_args(format!("a request has at most {TEXT_MAX} bytes")));
        }
        if let Some(turn) = &self.turn
            && metnos_executor::Ulid::from_string(turn).map(|id| id.to_string()).as_deref() != Ok(turn)
        {
            return Err(Failure::wrong_args("the id of a turn is a ULID"));
        }
        if let Some(language) = &self.language
            && (language.is_empty()
                || language.len() > 35
                || !language.chars().all(|c| c.is_ascii_alphanumeric() || c == '-'))
        {
            return Err(Failure::wrong_args("a language is a tag such as it or en-GB"));
        }
        if let Some(zone) = &self.zone {
            zone_named(zone)?;
        }
        self.conversation.as_deref().map_or(Ok(()), conversation_name)
    }

    fn wanted(self, who: &Who) -> Result<Wanted, Failure> {
        self.check()?;
        let base = self.base.map(PathBuf::from);
        if base.as_ref().is_some_and(|base| who.channel != "cli" || !base.is_absolute()) {
            return Err(Failure::wrong_args(
                "base is an absolute path, and only for the terminal of the machine itself",
            ));
        }
        let conversation = who.conversation(self.conversation.as_deref())?;
        let Self { text, language, zone, turn, .. } = self;
        Ok(Wanted { text, conversation, language, zone, turn, base })
    }
}

impl House {
    /// The id a program gave, at the time of the clock here: other clocks do not say what came first. What was sent
    /// before keeps the id it got then.
    fn in_time(&self, mut wanted: Wanted) -> Result<Wanted, Failure> {
        let given = wanted.turn.as_deref().and_then(|turn| metnos_executor::Ulid::from_string(turn).ok());
        let now = metnos_executor::Ulid::new().timestamp_ms();
        let Some(given) = given.filter(|given| given.timestamp_ms().abs_diff(now) > SKEW_MS) else {
            return Ok(wanted);
        };
        let same = |turn: &Turn| {
            metnos_executor::Ulid::from_string(&turn.id).is_ok_and(|id| id.random() == given.random())
        };
        let before = self.gateway.turns_in(&wanted.conversation, LATELY)?.into_iter().find(same);
        let fresh = || metnos_executor::Ulid::from_parts(now, given.random()).to_string();
        wanted.turn = Some(before.map_or_else(fresh, |turn| turn.id));
        Ok(wanted)
    }
}

impl House {
    /// Begins a request, or takes it for the answer to the card that waits, where it is a plain yes or no, or for a
    /// choice from what is offered.
    async fn begun(
        self: &Arc<Self>,
        who: &Who,
        wanted: Wanted,
        card: Option<String>,
    ) -> Result<Started, Failure> {
        let sent = wanted.turn.as_deref().and_then(|turn| metnos_executor::Ulid::from_string(turn).ok());
        let seen = match (card, sent) {
            (Some(card), _) => Seen::Card(card),
            (None, Some(sent)) => Seen::Until(sent.timestamp_ms()),
            (None, None) => Seen::Conversation,
        };
        match self.understand(who, &wanted.conversation, &wanted.text, seen).await? {
            meant @ (Meant::Decision(..) | Meant::Shown(_) | Meant::Choice { .. }) => {
                let Wanted { text, conversation, .. } = wanted;
                self.act(who, &conversation, text, meant, None).await
            }
            // A question of a turn is answered at its own address.
            _ => self.start(who, wanted).await,
        }
    }
}

pub(crate) fn wants_events(headers: &HeaderMap) -> bool {
    headers
        .get(ACCEPT)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|kinds| kinds.contains("text/event-stream"))
}

/// The answer of a turn that was started: when it has ended, or as events.
pub(crate) async fn told(
    house: &Arc<House>,
    who: &Who,
    started: Started,
    events: bool,
) -> Result<Response, Refusal> {
    let turn = started.turn().to_owned();
    if events {
        return watched(house, who, &turn, 0);
    }
    started.ended().await?;
    let (house, who) = (Arc::clone(house), who.clone());
    let answer = blocking(move || house.answer(&who, &turn)).await?;
    Ok(Json(answer).into_response())
}

pub(crate) fn watched(house: &Arc<House>, who: &Who, turn: &str, after: u32) -> Result<Response, Refusal> {
    let events = Sse::new(house.events(who, turn, after)?);
    let events = events.keep_alive(KeepAlive::new().interval(HEARTBEAT));
    Ok(([(TURN, turn.to_owned())], events).into_response())
}

/// Runs what looks at the disk where it does not keep others waiting.
pub(crate) async fn blocking<T: Send + 'static>(
    look: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Refusal> {
    let looked = tokio::task::spawn_blocking(look).await;
    Ok(looked.unwrap_or_else(|_| Err(Failure::internal("this could not be looked up")))?)
}

/// Ask for something and get its answer; as events with `Accept: text/event-stream`.
///
/// The events are `phase`, `step`, `approval`, `form`, `offer`, `delta`, `final` and `error`.
#[utoipa::path(post, path = "/agent/turn", tag = "turns", request_body = TurnRequest,
    responses((status = 200, body = TurnAnswer), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn ask(
    State(house): State<Arc<House>>,
    who: Who,
    headers: HeaderMap,
    Said(request): Said<TurnRequest>,
) -> Result<Response, Refusal> {
    let (card, given) = (request.card.clone(), request.turn.clone());
    let (shared, wanted) = (Arc::clone(&house), request.wanted(&who)?);
    let wanted = blocking(move || shared.in_time(wanted)).await?;
    // It can be stopped while it is being read, under the id its sender gave it and the one it gets.
    let ids: Vec<&str> = given.iter().chain(&wanted.turn).map(String::as_str).collect();
    let expected = house.hub.expect(&ids, &who);
    let started = house.begun(&who, wanted.clone(), card).await?;
    drop(expected);
    told(&house, &who, started, wants_events(&headers)).await
}

/// Ask for something and get its id at once.
#[utoipa::path(post, path = "/agent/turn/submit", tag = "turns", request_body = TurnRequest,
    responses((status = 202, body = Accepted), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn submit(
    State(house): State<Arc<House>>,
    who: Who,
    Said(request): Said<TurnRequest>,
) -> Result<Response, Refusal> {
    let (card, given) = (request.card.clone(), request.turn.clone());
    let (shared, wanted) = (Arc::clone(&house), request.wanted(&who)?);
    let wanted = blocking(move || shared.in_time(wanted)).await?;
    // It can be stopped while it is being read, under the id its sender gave it and the one it gets.
    let ids: Vec<&str> = given.iter().chain(&wanted.turn).map(String::as_str).collect();
    let expected = house.hub.expect(&ids, &who);
    let started = house.begun(&who, wanted.clone(), card).await?;
    drop(expected);
    let turn = started.turn().to_owned();
    Ok((StatusCode::ACCEPTED, Json(Accepted::new(turn))).into_response())
}

/// The latest turns of this person; of everybody for the host.
#[utoipa::path(get, path = "/agent/turns", tag = "turns", params(Older),
    responses((status = 200, body = Vec<TurnListed>), (status = "4XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn list(
    State(house): State<Arc<House>>,
    who: Who,
    Query(older): Query<Older>,
) -> Result<Json<Vec<TurnListed>>, Refusal> {
    let most = older.most.unwrap_or(50).clamp(1, 200);
    let turns = blocking(move || {
        let Some(name) = older.conversation.as_deref() else {
            return house.turns_of(&who, older.before.as_deref(), most);
        };
        let conversation = who.conversation(Some(name))?;
        match older.before.as_deref() {
            Some(before) => house.gateway.turns_before(&conversation, before, most),
            None => house.gateway.turns_in(&conversation, most),
        }
    })
    .await?;
    Ok(Json(turns.into_iter().map(TurnListed::from).collect()))
}

/// Where a turn stands.
#[utoipa::path(get, path = "/agent/turns/{id}", tag = "turns", params(("id" = String, Path, description = "The turn")),
    responses((status = 200, body = TurnAnswer), (status = "4XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn one(
    State(house): State<Arc<House>>,
    who: Who,
    Path(id): Path<String>,
) -> Result<Json<TurnAnswer>, Refusal> {
    blocking(move || house.answer(&who, &id)).await.map(Json)
}

/// How a turn came about: its steps, what came of each, what it took and cost.
#[utoipa::path(get, path = "/agent/turns/{id}/steps", tag = "turns", params(("id" = String, Path, description = "The turn")),
    responses((status = 200, body = TurnSteps), (status = "4XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn steps(
    State(house): State<Arc<House>>,
    who: Who,
    Path(id): Path<String>,
) -> Result<Json<TurnSteps>, Refusal> {
    let looked = blocking(move || {
        house.own_turn(&who, &id)?;
        TurnSteps::of(&house.gateway, &id)?
            .ok_or_else(|| Failure::new(ErrorClass::NotFound, "no turn has this id"))
    });
    looked.await.map(Json)
}

/// Rows of the list that is the answer of a turn.
#[utoipa::path(get, path = "/agent/turns/{id}/entries", tag = "turns", params(("id" = String, Path, description = "The turn"), Part),
    responses((status = 200, body = Rows), (status = "4XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn entries(
    State(house): State<Arc<House>>,
    who: Who,
    Path(id): Path<String>,
    Query(part): Query<Part>,
) -> Result<Json<Rows>, Refusal> {
    let (from, most) = (part.from.unwrap_or(0), part.most.unwrap_or(100).clamp(1, 1000));
    let (entries, count) = blocking(move || {
        house.own_turn(&who, &id)?;
        house.gateway.shown(&id, from, most)
    })
    .await?;
    Ok(Json(Rows { entries, count }))
}

/// Watch a turn; goes on after `Last-Event-ID`.
#[utoipa::path(get, path = "/agent/turns/{id}/stream", tag = "turns", params(("id" = String, Path, description = "The turn")),
    responses((status = 200, description = "Events", content_type = "text/event-stream"), (status = "4XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn stream(
    State(house): State<Arc<House>>,
    who: Who,
    Path(id): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (shared, reader, turn) = (Arc::clone(&house), who.clone(), id.clone());
    blocking(move || shared.own_turn(&reader, &turn)).await?;
    let after = headers.get("last-event-id").and_then(|value| value.to_str().ok()?.trim().parse().ok());
    watched(&house, &who, &id, after.unwrap_or(0))
}

/// Want no more of a turn: one at work stops at its next safe point, one that waits ends, and its question with it.
#[utoipa::path(post, path = "/agent/turns/{id}/cancel", tag = "turns", params(("id" = String, Path, description = "The turn")),
    responses((status = 202, description = "It stops"), (status = "4XX", body = Problem), (status = "5XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn cancel(
    State(house): State<Arc<House>>,
    who: Who,
    Path(id): Path<String>,
) -> Result<StatusCode, Refusal> {
    let look = || {
        let (shared, reader, turn) = (Arc::clone(&house), who.clone(), id.clone());
        blocking(move || shared.answer(&reader, &turn))
    };
    let mut known = match look().await {
        // It is still being read: it will end before it begins anything.
        Err(refusal) if refusal.0.class == ErrorClass::NotFound && house.hub.cancel_expected(&id, &who) => {
            return Ok(StatusCode::ACCEPTED);
        }
        looked => looked?,
    };
    if known.status == "running" {
        if house.hub.live(&id).cancel() {
            return Ok(StatusCode::ACCEPTED);
        }
        // It came to its end, or to a question, since it was looked at.
        known = look().await?;
    }
    match (known.status.as_str(), known.approval) {
        ("running", _) => {
            let elsewhere = Failure::new(ErrorClass::Conflict, "this turn runs in another process");
            return Err(elsewhere.with_hint("stop it where it was begun").into());
        }
        ("waits", Some(card)) if card.standing == Stands::Pending => {
            house.decide(&who, &card.id, Answer::No).await?.ended().await?;
        }
        ("asks", _) => house.give_up(&who, &id).await?.ended().await?,
        _ => return Err(Failure::new(ErrorClass::Conflict, "this turn has ended").into()),
    }
    Ok(StatusCode::ACCEPTED)
}
