//! What Metnos can do: every executor with its state, and one of them in full.

use super::{AdminPage, For};
use crate::house::House;
use crate::pages::Shell;
use crate::who::Who;
use askama::Template;
use axum::extract::Path;
use metnos_executor::{ErrorClass, Failure};
use serde::Serialize;
use serde_json::Value;

#[derive(Clone, Serialize)]
struct Row {
    name: String,
    version: String,
    root: String,
    state: String,
    verified: bool,
    reason: Option<String>,
    /// What it is for, in the language of whoever looks.
    scope: String,
}

#[derive(Serialize)]
pub(super) struct View {
    executors: Vec<Row>,
}

#[derive(Template)]
#[template(path = "admin/executors.html")]
pub(super) struct Page {
    shell: Shell,
    view: View,
}

#[derive(Serialize)]
pub(super) struct OneView {
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
pub(super) struct OnePage {
    shell: Shell,
    view: OneView,
}

impl AdminPage for Page {
    const NAME: &'static str = "executors";
    const FOR: For = For::Host;
    type Asked = ();
    type View = View;

    fn look(house: &House, who: &Who, (): Self::Asked) -> Result<View, Failure> {
        let mut executors = rows(house);
        let speech = house.words.speak(who.person.language.as_deref());
        for row in &mut executors {
            // One that is out of use has no card.
            let card = house.runtime().card(&row.name).unwrap_or_default();
            row.scope = scope(&card, speech.language());
        }
        Ok(View { executors })
    }

    fn draw(shell: Shell, view: View) -> Self {
        Self { shell, view }
    }
}

impl AdminPage for OnePage {
    const NAME: &'static str = "executor";
    const FOR: For = For::Host;
    type Asked = Path<String>;
    type View = OneView;

    fn look(house: &House, who: &Who, Path(name): Self::Asked) -> Result<OneView, Failure> {
        look(house, who, &name)
    }

    fn draw(shell: Shell, view: OneView) -> Self {
        Self { shell, view }
    }
}

fn rows(house: &House) -> Vec<Row> {
    let row = |row: metnos_runtime::Executor| Row {
        name: row.name,
        version: row.version,
        root: row.root,
        state: row.state,
        verified: row.verified,
        reason: row.reason,
        scope: String::new(),
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
    let description = scope(&card, language.language());
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

/// What the card of an executor says it is for.
fn scope(card: &Value, language: &str) -> String {
    let told = card.get("description").unwrap_or(&Value::Null);
    let told = told.get(language).or_else(|| told.get(metnos_tongue::FALLBACK)).unwrap_or(told);
    told.get("scope").unwrap_or(told).as_str().unwrap_or_default().to_owned()
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_an_executor_is_for_is_said_in_the_language_of_whoever_looks() {
        let card =
            json!({ "description": { "en": { "scope": "Move files." }, "it": { "scope": "Sposta file." } } });
        assert_eq!(scope(&card, "it"), "Sposta file.");
        assert_eq!(scope(&card, "de"), "Move files.");
        assert_eq!(scope(&json!({ "description": { "en": "Plain." } }), "it"), "Plain.");
        assert_eq!(scope(&Value::Null, "it"), "");
    }
}
