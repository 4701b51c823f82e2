//! What Metnos can do: every executor with its state, and one of them in full.

use super::{For, Visit};
use crate::api::Refusal;
use crate::house::House;
use crate::pages::Shell;
use crate::who::Who;
use askama::Template;
use axum::extract::{Path, State};
use axum::http::HeaderMap;
use axum::response::Response;
use metnos_executor::{ErrorClass, Failure};
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;

#[derive(Clone, Serialize)]
struct Row {
    name: String,
    version: String,
    root: String,
    state: String,
    verified: bool,
    reason: Option<String>,
}

#[derive(Clone, Serialize)]
struct View {
    executors: Vec<Row>,
}

#[derive(Template)]
#[template(path = "admin/executors.html")]
struct Page {
    shell: Shell,
    view: View,
}

#[derive(Clone, Serialize)]
struct OneView {
    executor: Row,
    versions: Vec<String>,
    description: String,
    digest: Option<String>,
    born: Option<bool>,
    side_effects: String,
    /// The parts of its manifest and schema, as JSON.
    parts: Vec<(&'static str, Value)>,
    /// Why it cannot be shown in full.
    trouble: Option<String>,
}

#[derive(Template)]
#[template(path = "admin/executor.html")]
struct OnePage {
    shell: Shell,
    view: OneView,
}

pub(super) async fn page(
    State(house): State<Arc<House>>,
    who: Result<Who, Refusal>,
    headers: HeaderMap,
) -> Response {
    let visit = Visit { house, who, headers, page: "executors", open: For::Host };
    visit.show(|house, _| Ok(View { executors: rows(house) }), |shell, view| Page { shell, view }).await
}

pub(super) async fn one(
    State(house): State<Arc<House>>,
    who: Result<Who, Refusal>,
    headers: HeaderMap,
    Path(name): Path<String>,
) -> Response {
    let visit = Visit { house, who, headers, page: "executor", open: For::Host };
    visit.show(move |house, who| look(house, who, &name), |shell, view| OnePage { shell, view }).await
}

fn rows(house: &House) -> Vec<Row> {
    let row = |row: metnos_runtime::Executor| Row {
        name: row.name,
        version: row.version,
        root: row.root,
        state: row.state,
        verified: row.verified,
        reason: row.reason,
    };
    house.runtime().executors().into_iter().map(row).collect()
}

fn look(house: &House, who: &Who, name: &str) -> Result<OneView, Failure> {
    let executor = rows(house).into_iter().find(|row| row.name == name);
    let executor = executor.ok_or_else(|| Failure::new(ErrorClass::NotFound, "no executor is called so"))?;
    // One that is out of use has no card; what is known of it is shown.
    let (card, trouble) = match house.runtime().card(name) {
        Ok(card) => (card, None),
        Err(failure) => (Value::Null, Some(failure.message)),
    };
    let language = house.words.speak(who.person.language.as_deref());
    let described = card.get("description");
    let description = described
        .and_then(|told| told.get(language.language()).or_else(|| told.get("en")).or(Some(told)))
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned();
    let parts = ["input", "output", "sandbox", "reverse", "error_classes", "runtime"];
    let part = |key: &'static str| Some((key, card.get(key).filter(|value| !value.is_null())?.clone()));
    let side_effects = match card.get("side_effects") {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(all)) => all
            .iter()
            .map(|one| one.as_str().map_or_else(|| one.to_string(), str::to_owned))
            .collect::<Vec<_>>()
            .join(", "),
        Some(other) => other.to_string(),
    };
    Ok(OneView {
        versions: versions(house, &executor),
        description,
        digest: card.get("digest").and_then(Value::as_str).map(str::to_owned),
        born: card.get("born").and_then(Value::as_bool),
        side_effects,
        parts: parts.into_iter().filter_map(part).collect(),
        executor,
        trouble,
    })
}

/// The versions that are installed. A name that the catalog lists is a plain word, so it names one folder.
fn versions(house: &House, executor: &Row) -> Vec<String> {
    let folder = house.runtime().home.executors_dir().join(&executor.root).join(&executor.name);
    let items = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut found: Vec<String> = items
        .filter(|item| item.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|item| item.file_name().into_string().ok())
        .filter(|name| name.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    if found.is_empty() {
        found.push(executor.version.clone());
    }
    found.sort();
    found
}
