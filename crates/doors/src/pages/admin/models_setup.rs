//! A model looked for on this machine, tried and bound, from the page. Only the host does; only loopback is looked at.

use crate::api::{Refusal, Said, blocking};
use crate::house::House;
use crate::modelling::shown_enough;
use crate::who::{Admin, Who};
use crate::words::Speech;
use axum::Json;
use axum::extract::State;
use metnos_executor::{ErrorClass, Failure};
use metnos_gateway::{Asked, TurnDoor, patient};
use metnos_llm::{Answers, MOST_PORTS, Role, USUAL_PORTS, Url, look_around};
use metnos_runtime::call::Door;
use metnos_runtime::config::Binding;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;

/// The longest name that is taken.
const NAME: usize = 200;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Where {
    /// Ports of this machine; the usual ones without any.
    #[serde(default)]
    ports: Vec<u16>,
}

/// A model that can be tried.
#[derive(Debug, Serialize)]
struct Offered {
    url: String,
    model: String,
}

/// What was found.
#[derive(Debug, Serialize)]
pub(super) struct Looked {
    lines: Vec<String>,
    models: Vec<Offered>,
}

/// Which model.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    url: String,
    model: String,
    #[serde(default)]
    credential: Option<String>,
}

/// What came of it, in sentences.
#[derive(Debug, Serialize)]
pub(super) struct Told {
    lines: Vec<String>,
    /// True where binding it changes something.
    changes: bool,
}

/// When a model is asked one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    First,
    /// After it was seen to answer.
    Again,
}

/// Nobody sits there.
struct Nobody;
impl Door for Nobody {}
impl TurnDoor for Nobody {
    fn as_door(&mut self) -> &mut dyn Door {
        self
    }
}

/// Looks for servers.
pub(super) async fn look(
    State(house): State<Arc<House>>,
    Admin(who): Admin,
    Said(wanted): Said<Where>,
) -> Result<Json<Looked>, Refusal> {
    let speech = speech(&house, &who);
    let looked = blocking(move || {
        let mut ports = wanted.ports;
        if ports.is_empty() {
            ports = USUAL_PORTS.iter().map(|(port, _)| *port).collect();
        }
        ports.truncate(MOST_PORTS);
        let found = look_around(&ports);
        let mut lines: Vec<String> = found.iter().map(|one| speech.found(one)).collect();
        let mut models = Vec::new();
        for one in &found {
            if let Answers::Models { models: listed } = &one.answers {
                let of = |id: &str| Offered { url: one.url.clone(), model: id.to_owned() };
                models.extend(listed.iter().map(|model| of(&model.id)));
            }
        }
        if found.is_empty() {
            lines.push(speech.found_nothing(&ports));
        }
        Ok(Looked { lines, models })
    })
    .await?;
    Ok(Json(looked))
}

/// Asks a model, and shows what it adds and what would be written; nothing is.
pub(super) async fn attempt(
    State(house): State<Arc<House>>,
    Admin(who): Admin,
    Said(which): Said<Which>,
) -> Result<Json<Told>, Refusal> {
    let speech = speech(&house, &who);
    Ok(Json(blocking(move || tried(&house, &who, &speech, &which)).await?))
}

fn tried(house: &House, who: &Who, speech: &Speech, which: &Which) -> Result<Told, Failure> {
    let binding = binding(which, speech)?;
    let model = binding.model.clone();
    let answered = house.gateway.try_model(&binding).map_err(|e| silent(speech, When::First, &model, e))?;
    let mut lines = vec![speech.answered(&model, &answered), speech.t("model-shows")];
    let (mut shown, mut slowest, mut unhelped) = (0, answered.ms, false);
    let since = Instant::now();
    for text in speech.model_examples() {
        if shown_enough(shown, since) {
            break;
        }
        let asked = Asked {
            text,
            language: Some(speech.language().to_owned()),
            now: jiff::Timestamp::now().to_zoned(who.zone()),
            caller: who.caller(),
            conversation: String::new(),
            session: String::new(),
            base: house.runtime().home.user_home().to_path_buf(),
        };
        let began = Instant::now();
        if let Some(example) = house.gateway.example(&binding, &asked, &mut Nobody)? {
            slowest = slowest.max(u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX));
            unhelped |= example.unhelped.is_some();
            shown += 1;
            lines.extend(speech.example(&example));
        }
    }
    // Who gave no answer may be gone.
    if unhelped {
        house.gateway.still_there(&binding).map_err(|e| silent(speech, When::Again, &model, e))?;
    }
    let would = house.runtime().would_bind(&patient(binding, slowest))?;
    let file = would.file.display().to_string();
    lines.push(match would.diff.is_empty() {
        true => speech.say("model-same", &[("file", &file)]),
        false => speech.say("model-diff", &[("file", &file)]),
    });
    lines.extend(would.diff.iter().cloned());
    Ok(Told { lines, changes: !would.diff.is_empty() })
}

/// Binds a model that answers.
pub(super) async fn bind(
    State(house): State<Arc<House>>,
    Admin(who): Admin,
    Said(which): Said<Which>,
) -> Result<Json<Told>, Refusal> {
    let speech = speech(&house, &who);
    let told = blocking(move || {
        let binding = binding(&which, &speech)?;
        let model = binding.model.clone();
        let answered =
            house.gateway.try_model(&binding).map_err(|e| silent(&speech, When::Again, &model, e))?;
        let bound = house.runtime().bind_model(&patient(binding, answered.ms))?;
        let file = bound.file.display().to_string();
        if bound.diff.is_empty() {
            return Ok(Told { lines: vec![speech.say("model-same", &[("file", &file)])], changes: false });
        }
        let mut lines = vec![speech.say("model-diff", &[("file", &file)])];
        lines.extend(bound.diff.iter().cloned());
        lines.push(speech.t("model-written"));
        let backup = bound.backup.map(|path| path.display().to_string());
        lines.extend(backup.map(|file| speech.say("model-backup", &[("file", &file)])));
        Ok(Told { lines, changes: true })
    })
    .await?;
    Ok(Json(told))
}

fn speech(house: &House, who: &Who) -> Speech {
    house.words.speak(who.person.language.as_deref())
}

fn binding(which: &Which, speech: &Speech) -> Result<Binding, Failure> {
    let url = Url::parse(which.url.trim()).map_err(Failure::wrong_args)?;
    if !url.is_here() {
        return Err(Failure::new(ErrorClass::Forbidden, speech.t("model-here-only"))
            .with_hint(speech.t("model-here-only-how")));
    }
    let model = which.model.trim().to_owned();
    if model.is_empty() || model.len() > NAME || model.contains(char::is_control) {
        return Err(Failure::wrong_args("the name of a model is a short line"));
    }
    let credential = which.credential.clone().filter(|name| !name.trim().is_empty());
    Ok(Binding { role: Role::Wise, url, model, credential, timeout_seconds: None })
}

/// That a model does not answer, in the words of whoever asked.
fn silent(speech: &Speech, when: When, model: &str, failure: Failure) -> Failure {
    let values = [("model", model), ("why", failure.message.as_str())];
    let message = match when {
        When::First => speech.say("model-no-answer", &values),
        When::Again => speech.say("model-gone", &values),
    };
    Failure { message, ..failure }
}
