//! Inbound webhooks: a program that knows a secret says that something happened; a person said long before what
//! shall be done then. What it sends along is data.

use super::Refusal;
use super::arriving::Arriving;
use super::refusal::Problem;
use super::turns::{Accepted, blocking};
use crate::house::House;
use crate::hub::Wanted;
use crate::who::Who;
use axum::Json;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, StatusCode};
use metnos_executor::{ErrorClass, Failure};
use ring::hmac;
use std::collections::{HashSet, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The header with the moment and the signature: `t=SECONDS,v1=HEX`.
const SIGNATURE: &str = "x-metnos-signature";
/// How far the moment may be from now, in seconds.
const WINDOW: i64 = 300;
/// The largest body.
const MOST: usize = 256 << 10;
/// How long it may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often hooks may fire in a minute, all together.
const A_MINUTE: usize = 60;

/// When hooks fired lately, and which events are being taken in.
#[derive(Default)]
pub(crate) struct Fired {
    lately: Mutex<VecDeque<Instant>>,
    claimed: Mutex<HashSet<String>>,
    arriving: Arriving,
}

impl Fired {
    fn again(&self) -> Result<(), Failure> {
        let mut fired = self.lately.lock().unwrap_or_else(PoisonError::into_inner);
        while fired.front().is_some_and(|at| at.elapsed() > Duration::from_secs(60)) {
            fired.pop_front();
        }
        if fired.len() >= A_MINUTE {
            return Err(Failure::limit(
                "hooks_a_minute",
                format!("hooks may fire {A_MINUTE} times a minute"),
            ));
        }
        fired.push_back(Instant::now());
        Ok(())
    }

    fn claimed(&self) -> std::sync::MutexGuard<'_, HashSet<String>> {
        self.claimed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An event that nobody else takes in meanwhile. Let go of when its turn is written down, or when it came to nothing
/// and may be sent again.
struct Claim {
    house: Arc<House>,
    event: String,
}

impl Drop for Claim {
    fn drop(&mut self) {
        self.house.fires.claimed().remove(&self.event);
    }
}

/// An event with who wants what because of it.
struct Taken {
    who: Who,
    wanted: Wanted,
    claim: Claim,
}

/// Fire the request that a person stored under this name.
///
/// `X-Metnos-Signature: t=SECONDS,v1=HEX`, where HEX is the HMAC-SHA256 of `SECONDS.BODY` with the secret of the hook.
/// The same signature never fires twice. Each body is kept as a file of its own in the inbox of that person; `{body}`
/// in the request stands for that file.
#[utoipa::path(post, path = "/hooks/{name}", tag = "hooks", params(("name" = String, Path, description = "The hook")),
    request_body(content = String, content_type = "application/json", description = "Anything"),
    responses((status = 202, body = Accepted), (status = "4XX", body = Problem), (status = "5XX", body = Problem)))]
pub(crate) async fn fire(
    State(house): State<Arc<House>>,
    Path(name): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<(StatusCode, Json<Accepted>), Refusal> {
    let bytes = house.fires.arriving.whole(body, MOST, PATIENCE).await?;
    let sent = headers.get(SIGNATURE).and_then(|value| value.to_str().ok()).unwrap_or_default().to_owned();
    let shared = Arc::clone(&house);
    let Taken { who, wanted, claim } = blocking(move || shared.fired(&name, &sent, &bytes)).await?;
    let started = house.start(&who, wanted).await?;
    drop(claim);
    let turn = started.turn().to_owned();
    Ok((StatusCode::ACCEPTED, Json(Accepted::new(turn))))
}

impl House {
    /// Who wants what, when a hook fires; nobody learns whether a name exists.
    fn fired(self: &Arc<Self>, name: &str, sent: &str, body: &[u8]) -> Result<Taken, Failure> {
        let stranger = || Failure::new(ErrorClass::Unauthorized, "the signature is wrong or too old");
        let known = self.runtime().hook(name)?;
        let found = self.tries.listen(|| {
            Ok(known.and_then(|(hook, secret)| {
                let (at, signed) = signature(sent)?;
                let now = jiff::Timestamp::now().as_second();
                let mut said = at.to_string().into_bytes();
                said.push(b'.');
                said.extend_from_slice(body);
                let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
                let right = hmac::verify(&key, &said, &signed).is_ok() && (now - at).abs() <= WINDOW;
                right.then_some((hook, at, signed))
            }))
        })?;
        let (hook, at, signed) = found.ok_or_else(stranger)?;
        let person = self.runtime().person(&hook.person)?.filter(|person| person.revoked_at.is_none());
        let person = person.ok_or_else(stranger)?;
        let who = Who { person, channel: "hook", token: format!("hook:{}", hook.name), csrf: None };
        self.sends(&who, body.len())?;
        // The same message gives the same id, and an id is used once.
        let claim = self.claim(turn_of(at, &signed))?;
        self.fires.again()?;
        let text = self.runtime().hook_event(&hook, &claim.event, body)?;
        let conversation = who.conversation(Some(&hook.name))?;
        let turn = Some(claim.event.clone());
        let wanted = Wanted { text, conversation, language: None, zone: None, turn, base: None };
        Ok(Taken { who, wanted, claim })
    }

    /// Takes an event for oneself, before anything of it is kept.
    fn claim(self: &Arc<Self>, event: String) -> Result<Claim, Failure> {
        let twice = || Failure::new(ErrorClass::Conflict, "this event was sent before");
        if !self.fires.claimed().insert(event.clone()) {
            return Err(twice());
        }
        let claim = Claim { house: Arc::clone(self), event };
        match self.gateway.turn(&claim.event)? {
            Some(_) => Err(twice()),
            None => Ok(claim),
        }
    }
}

/// `t=SECONDS,v1=HEX`.
fn signature(text: &str) -> Option<(i64, Vec<u8>)> {
    let mut parts = text.split(',').map(str::trim);
    let at = parts.next()?.strip_prefix("t=")?.parse().ok()?;
    let hex = parts.next()?.strip_prefix("v1=")?;
    if hex.len() != 64 || !hex.is_ascii() {
        return None;
    }
    let bytes = (0..32).map(|n| u8::from_str_radix(&hex[2 * n..2 * n + 2], 16).ok());
    Some((at, bytes.collect::<Option<_>>()?))
}

fn turn_of(at: i64, signed: &[u8]) -> String {
    let digest = blake3::hash(signed);
    let random = digest.as_bytes().iter().take(10).fold(0u128, |all, byte| all << 8 | u128::from(*byte));
    metnos_executor::Ulid::from_parts(u64::try_from(at).unwrap_or(0) * 1000, random).to_string()
}
