//! Who may talk to Metnos; and for everybody, what is known about themselves.

use super::{AdminPage, Done, For, acted};
use crate::api::{Refusal, Said};
use crate::house::House;
use crate::pages::Shell;
use crate::who::{Admin, Who};
use askama::Template;
use axum::Json;
use axum::extract::State;
use metnos_executor::Failure;
use metnos_runtime::people::{Paired, Person, PersonChange, Role, TokenListed};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How many rows of a kind are shown, the newest.
const MOST: usize = 200;

/// Somebody who waits to be let in.
#[derive(Clone, Serialize)]
struct Knock {
    channel: String,
    sender: String,
    name: String,
    expires_at: String,
}

#[derive(Serialize)]
pub(super) struct View {
    me: Person,
    people: Vec<Person>,
    pairings: Vec<Paired>,
    knocks: Vec<Knock>,
    tokens: Vec<TokenListed>,
    /// Which of them is in use right now.
    token: String,
    #[serde(skip)]
    languages: Vec<String>,
}

impl View {
    fn chose(&self, language: &str) -> bool {
        self.me.language.as_deref() == Some(language)
    }
}

#[derive(Template)]
#[template(path = "admin/people.html")]
pub(super) struct Page {
    shell: Shell,
    view: View,
}

impl AdminPage for Page {
    const NAME: &'static str = "people";
    const FOR: For = For::Everybody;
    type Asked = ();
    type View = View;

    fn look(house: &House, who: &Who, (): Self::Asked) -> Result<View, Failure> {
        look(house, who)
    }

    fn draw(shell: Shell, view: View) -> Self {
        Self { shell, view }
    }
}

fn look(house: &House, who: &Who) -> Result<View, Failure> {
    let runtime = house.runtime();
    let host = who.is_host();
    let (mut people, mut pairings, mut knocks) = (Vec::new(), Vec::new(), Vec::new());
    if host {
        people = runtime.people()?;
        pairings = runtime.pairings()?.into_iter().filter(|paired| paired.revoked_at.is_none()).collect();
        let knock = |(channel, sender, name, expires_at)| Knock { channel, sender, name, expires_at };
        knocks = runtime.knocks()?.into_iter().map(knock).collect();
    }
    let now = jiff::Timestamp::now();
    let live = |token: &TokenListed| {
        token.revoked_at.is_none()
            && token.expires_at.parse::<jiff::Timestamp>().is_ok_and(|until| now < until)
    };
    let mut tokens = runtime.tokens((!host).then_some(who.person.id.as_str()))?;
    tokens.retain(live);
    tokens.sort_by(|a, b| b.made_at.cmp(&a.made_at));
    tokens.truncate(MOST);
    people.truncate(MOST);
    pairings.truncate(MOST);
    Ok(View {
        me: who.person.clone(),
        people,
        pairings,
        knocks,
        tokens,
        token: who.token.clone(),
        languages: house.words.languages().map(str::to_owned).collect(),
    })
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mine {
    language: String,
    zone: String,
}

/// One's own language and zone; empty forgets it.
pub(super) async fn me(
    State(house): State<Arc<House>>,
    who: Who,
    Said(mine): Said<Mine>,
) -> Result<Json<Done>, Refusal> {
    let some = |text: String| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
    let change =
        PersonChange { name: None, language: Some(some(mine.language)), zone: Some(some(mine.zone)) };
    acted(move || house.runtime().change_person(&who.person.id, change, &who.caller())).await
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Admitted {
    channel: String,
    code: String,
    role: Role,
}

/// Lets in whoever was told this code.
pub(super) async fn admit(
    State(house): State<Arc<House>>,
    Admin(who): Admin,
    Said(admitted): Said<Admitted>,
) -> Result<Json<Done>, Refusal> {
    acted(move || {
        let Admitted { channel, code, role } = admitted;
        house.runtime().admit_sender(&channel, &code, role, None, None, &who.caller())
    })
    .await
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Which {
    id: String,
}

/// Somebody is nobody here from now on.
pub(super) async fn revoke(
    State(house): State<Arc<House>>,
    Admin(who): Admin,
    Said(which): Said<Which>,
) -> Result<Json<Done>, Refusal> {
    acted(move || house.runtime().revoke_person(&which.id, &who.caller())).await
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Sender {
    channel: String,
    sender: String,
}

/// A sender is a stranger again.
pub(super) async fn unpair(
    State(house): State<Arc<House>>,
    Admin(who): Admin,
    Said(which): Said<Sender>,
) -> Result<Json<Done>, Refusal> {
    acted(move || house.runtime().unpair_sender(&which.channel, &which.sender, &who.caller())).await
}

/// A token opens nothing any more; one's own, or anybody's for the host.
pub(super) async fn token(
    State(house): State<Arc<House>>,
    who: Who,
    Said(which): Said<Which>,
) -> Result<Json<Done>, Refusal> {
    acted(move || house.runtime().revoke_token(&which.id, &who.caller())).await
}
