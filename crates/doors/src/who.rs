//! Who is at the door: a browser with a session, a program with a token, the person of this machine with its key.

use crate::api::Refusal;
use crate::house::House;
use axum::extract::FromRequestParts;
use axum::http::header::{ACCEPT_LANGUAGE, AUTHORIZATION, COOKIE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::guards::{Approval, Principal};
use metnos_runtime::people::{Person, Role, TokenKind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The name of the cookie of a session.
pub(crate) const COOKIE_NAME: &str = "metnos";
/// The same over TLS: browsers take one of this name only over TLS, for one host and all of its pages, so that no
/// neighbour can set it.
const COOKIE_OVER_TLS: &str = "__Host-metnos";

/// What the cookie of a session is called here.
pub(crate) fn cookie_name(house: &House) -> &'static str {
    if house.secure { COOKIE_OVER_TLS } else { COOKIE_NAME }
}
/// The header in which a page proves that it is ours.
pub(crate) const CSRF: &str = "x-csrf";
/// Wrong keys in [`TRIES_IN`] after which nobody without a right one is listened to.
const TRIES: usize = 20;
const TRIES_IN: Duration = Duration::from_secs(60);

/// An authenticated person at a door.
#[derive(Clone, Debug)]
pub(crate) struct Who {
    pub(crate) person: Person,
    /// Over which channel.
    pub(crate) channel: &'static str,
    /// The id of their token; never the token.
    pub(crate) token: String,
    /// What pages of this session send along; nothing for programs.
    pub(crate) csrf: Option<String>,
}

/// Who came in, as records name them, and what by.
#[derive(Clone, Debug)]
pub(crate) struct Came {
    pub(crate) caller: String,
    /// The id of their token, their sender or their hook, where it is known.
    pub(crate) by: Option<String>,
}

impl Who {
    /// Them, and what they came in by.
    pub(crate) fn came(&self) -> Came {
        Came { caller: self.caller(), by: Some(self.token.clone()) }
    }

    /// As guards and records name them.
    pub(crate) fn caller(&self) -> String {
        format!("{}/{}", self.person.id, self.channel)
    }

    pub(crate) fn is_host(&self) -> bool {
        self.person.role == Role::Host
    }

    pub(crate) fn zone(&self) -> jiff::tz::TimeZone {
        let named = self.person.zone.as_deref().and_then(|name| jiff::tz::TimeZone::get(name).ok());
        named.unwrap_or_else(jiff::tz::TimeZone::system)
    }

    /// A conversation of theirs: the same name is another conversation for another person or channel.
    pub(crate) fn conversation(&self, name: Option<&str>) -> Result<String, Failure> {
        let name = name.unwrap_or("main");
        conversation_name(name)?;
        Ok(format!("{}:{}:{name}", self.channel, self.person.id))
    }

    /// Who they are, from what they sent; a page must also prove that it is ours before it changes anything.
    pub(crate) fn of(house: &House, headers: &HeaderMap, method: &Method) -> Result<Self, Refusal> {
        let stranger = || {
            Refusal::from(Failure::new(ErrorClass::Unauthorized, "nobody is logged in").with_hint(
                "open the link that metnos login-link prints, or send a token of metnos devices add",
            ))
        };
        if let Some(secret) = bearer(headers) {
            let who = house.tries.listen(|| program(house, secret))?;
            return who.ok_or_else(stranger);
        }
        let Some(secret) = cookie(house, headers) else { return Err(stranger()) };
        let Some(who) = house.tries.listen(|| session(house, secret))? else { return Err(stranger()) };
        let safe = matches!(*method, Method::GET | Method::HEAD);
        let sent = headers.get(CSRF).and_then(|value| value.to_str().ok());
        if !safe && sent != who.csrf.as_deref() {
            return Err(Failure::new(ErrorClass::Forbidden, "this page is not one of ours, or it is old")
                .with_hint("load it again")
                .into());
        }
        Ok(who)
    }
}

/// Refuses what no conversation is called.
pub(crate) fn conversation_name(name: &str) -> Result<(), Failure> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    match name.is_empty() || name.len() > 64 || !name.chars().all(fits) {
        true => Err(Failure::wrong_args("the name of a conversation is 1 to 64 letters, digits, - or _")),
        false => Ok(()),
    }
}

/// The zone of this name.
pub(crate) fn zone_named(name: &str) -> Result<jiff::tz::TimeZone, Failure> {
    jiff::tz::TimeZone::get(name)
        .map_err(|_| Failure::wrong_args(format!("{name:?} is no zone")).with_hint("for example Europe/Rome"))
}

/// The person of a caller.
pub(crate) fn person_of(caller: &str) -> &str {
    caller.split('/').next().unwrap_or(caller)
}

fn program(house: &House, secret: &str) -> Result<Option<Who>, Failure> {
    let runtime = house.runtime();
    if same(secret, &runtime.admin_key()?) {
        let Some(person) = runtime.person("host")? else { return Ok(None) };
        return Ok(Some(Who { person, channel: "cli", token: "admin".into(), csrf: None }));
    }
    let found = runtime.bearer(secret)?.filter(|bearer| bearer.kind == TokenKind::Device);
    Ok(found.map(|bearer| Who { person: bearer.person, channel: "device", token: bearer.id, csrf: None }))
}

fn session(house: &House, secret: &str) -> Result<Option<Who>, Failure> {
    let found = house.runtime().bearer(secret)?.filter(|bearer| bearer.kind == TokenKind::Session);
    let csrf = csrf_of(secret);
    Ok(found.map(|bearer| Who { person: bearer.person, channel: "web", token: bearer.id, csrf: Some(csrf) }))
}

impl House {
    /// Who is logged in in the browser that sent these headers.
    pub(crate) fn logged_in(&self, headers: &HeaderMap) -> Result<Option<Who>, Failure> {
        cookie(self, headers).map_or(Ok(None), |secret| session(self, secret))
    }

    /// The language of whoever sent these headers; a stranger's is what their browser asks for, or the house's own.
    pub(crate) fn language_of(&self, headers: &HeaderMap) -> String {
        let known = match bearer(headers) {
            Some(secret) => program(self, secret),
            None => self.logged_in(headers),
        };
        let own = known.ok().flatten().and_then(|who| who.person.language);
        let asked = headers.get(ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        let asked = asked.and_then(|text| text.split([',', ';']).next()).map(|tag| tag.trim().to_owned());
        own.or(asked).unwrap_or_else(|| self.runtime().config.person.language.word().to_owned())
    }
}

/// What a page of a session sends along. It follows from the secret, which no other page can read.
pub(crate) fn csrf_of(secret: &str) -> String {
    let mut hex = blake3::Hasher::new_derive_key("metnos web page of a session")
        .update(secret.as_bytes())
        .finalize()
        .to_hex();
    hex.truncate(32);
    hex.to_string()
}

/// Whether two secrets are the same, in a time that does not tell how far they are.
fn same(a: &str, b: &str) -> bool {
    blake3::hash(a.as_bytes()) == blake3::hash(b.as_bytes())
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let text = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = text.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}

pub(crate) fn cookie<'a>(house: &House, headers: &'a HeaderMap) -> Option<&'a str> {
    let pairs = headers.get_all(COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    pairs.flat_map(|line| line.split(';')).find_map(|pair| {
        let (name, value) = pair.trim().split_once('=')?;
        (name == cookie_name(house)).then_some(value)
    })
}

/// Wrong keys of the last minute. A right one is always heard.
#[derive(Default)]
pub(crate) struct Tries(Mutex<Vec<Instant>>);

impl Tries {
    /// Looks for somebody, and counts when there is nobody.
    pub(crate) fn listen<T>(
        &self,
        look: impl FnOnce() -> Result<Option<T>, Failure>,
    ) -> Result<Option<T>, Failure> {
        let found = look()?;
        if found.is_some() {
            return Ok(found);
        }
        let mut tries = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        tries.retain(|at| at.elapsed() < TRIES_IN);
        if tries.len() >= TRIES {
            return Err(Failure::limit("wrong_keys", "too many wrong keys").with_hint("wait a minute"));
        }
        tries.push(Instant::now());
        Ok(None)
    }
}

impl FromRequestParts<Arc<House>> for Who {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, house: &Arc<House>) -> Result<Self, Refusal> {
        Self::of(house, &parts.headers, &parts.method)
    }
}

/// Somebody who administers this house.
pub(crate) struct Admin(pub(crate) Who);

impl FromRequestParts<Arc<House>> for Admin {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, house: &Arc<House>) -> Result<Self, Refusal> {
        let who = Who::of(house, &parts.headers, &parts.method)?;
        match who.is_host() {
            true => Ok(Self(who)),
            false => Err(Failure::new(ErrorClass::Forbidden, "only the host may look at this").into()),
        }
    }
}

impl House {
    /// Whoever was let in some time ago is still.
    pub(crate) fn still_welcome(&self, who: &Who) -> Result<(), Failure> {
        let gone = || Failure::new(ErrorClass::Unauthorized, "nobody is logged in any more");
        if self.lets_in(&who.came())? { Ok(()) } else { Err(gone().with_hint("log in again")) }
    }

    /// Whether who came in is still somebody, and what they came in by was not taken back.
    pub(crate) fn lets_in(&self, came: &Came) -> Result<bool, Failure> {
        let (runtime, Principal { user, channel }) = (self.runtime(), Principal::parse(&came.caller));
        let known = runtime.person(&user)?.is_some_and(|person| person.revoked_at.is_none());
        let Some(by) = came.by.as_deref().filter(|_| known) else { return Ok(known) };
        Ok(match (channel.as_str(), by.split_once(':')) {
            ("web" | "device", _) => runtime.is_live(by)?,
            ("telegram", Some((_, sender))) => {
                runtime.sender(&channel, sender)?.is_some_and(|person| person.id == user)
            }
            ("hook", Some((_, name))) => {
                runtime.hooks()?.iter().any(|hook| hook.name == name && hook.person == user)
            }
            ("telegram" | "hook", None) => false,
            _ => true,
        })
    }

    /// A turn of this person; to others it does not exist.
    pub(crate) fn own_turn(&self, who: &Who, turn: &str) -> Result<metnos_memory::db::Turn, Failure> {
        let owner = |caller: &str| person_of(caller) == who.person.id;
        let found = self.gateway.turn(turn)?.filter(|known| who.is_host() || owner(&known.caller));
        found.ok_or_else(|| Failure::new(ErrorClass::NotFound, "no turn has this id"))
    }

    /// A question this person may see: their own, or any for the host.
    pub(crate) fn question(&self, who: &Who, id: &str) -> Result<Approval, Failure> {
        let owner = |caller: &str| person_of(caller) == who.person.id;
        let found = self.runtime().approval(id)?.filter(|known| who.is_host() || owner(&known.caller));
        found.ok_or_else(|| Failure::new(ErrorClass::NotFound, "no question has this id"))
    }
}
