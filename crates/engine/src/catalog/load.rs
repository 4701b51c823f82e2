//! Manifest, schema and roles, read into tools.

use super::{Arg, Catalog, Role, Tool, Type};
use metnos_tongue::FALLBACK;
use metnos_vocab::ExecutorName;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The shipped pairs of manifest and schema; seeds come first, so that a seed stands before its dormant twin.
pub(super) const SHIPPED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/shipped.rs"));
pub(super) const ROLES: &str = include_str!("../../data/roles.toml");

/// Why a catalog could not be read.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// The roles that names of arguments stand for are not what they should be.
    #[error("roles.toml: {0}")]
    Roles(#[from] toml::de::Error),
    /// A manifest is not what it should be.
    #[error("{name}/manifest.toml: {why}")]
    Manifest {
        /// The executor, as far as the manifest says it.
        name: String,
        /// Where and what.
        why: toml::de::Error,
    },
    /// What a manifest tells the planner is not what the schema says.
    #[error("{name}/manifest.toml: [plan] {key}: there is no argument {arg:?}; known: {known}")]
    Plan {
        /// The executor.
        name: String,
        /// The key.
        key: &'static str,
        /// What it names.
        arg: String,
        /// What it may name.
        known: String,
    },
    /// A schema is not JSON.
    #[error("{name}/schema.json: {why}")]
    Schema {
        /// The executor.
        name: String,
        /// Where and what.
        why: serde_json::Error,
    },
    /// A name is outside the vocabulary.
    #[error("name: {0}")]
    Name(#[from] metnos_vocab::NameError),
}

#[derive(Deserialize)]
struct Manifest {
    executor: Identity,
    #[serde(default)]
    description: BTreeMap<String, Description>,
    #[serde(default)]
    routing: Routing,
    #[serde(default)]
    plan: Plan,
}

#[derive(Deserialize)]
struct Identity {
    name: String,
    dormant: Option<String>,
}

#[derive(Deserialize)]
struct Description {
    #[serde(default)]
    scope: String,
}

#[derive(Default, Deserialize)]
struct Routing {
    #[serde(default)]
    affinity: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    companions: Vec<String>,
}

/// What the names of arguments stand for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Roles {
    args: BTreeMap<String, Role>,
}

/// `[plan]`: what neither the name nor the schema of an executor says.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Plan {
    #[serde(default)]
    args: BTreeMap<String, Role>,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    requires: Vec<Vec<String>>,
    #[serde(default)]
    keeps: bool,
    along: Option<String>,
    #[serde(default)]
    bounded: bool,
}

pub(super) fn read(sources: &[(&str, &str)]) -> Result<Catalog, CatalogError> {
    let roles: Roles = toml::from_str(ROLES)?;
    let mut tools: BTreeMap<String, Tool> = BTreeMap::new();
    for (source, schema) in sources {
        let digest = crate::lexicon::digest(&format!("{source}\0{schema}"));
        let manifest: Manifest =
            toml::from_str(source).map_err(|why| CatalogError::Manifest { name: named(source), why })?;
        if tools.contains_key(&manifest.executor.name) {
            continue;
        }
        let name = manifest.executor.name.clone();
        let schema: Value = serde_json::from_str(schema).map_err(|why| CatalogError::Schema { name, why })?;
        let mut tool = Tool { digest, ..tool(manifest, &schema, &roles)? };
        speak(&mut tool);
        tools.insert(tool.name.as_str().to_owned(), tool);
    }
    Ok(Catalog { tools: tools.into_values().collect() })
}

/// The name in a manifest that may be broken elsewhere.
fn named(manifest: &str) -> String {
    let table: Option<toml::Table> = toml::from_str(manifest).ok();
    let name = table.and_then(|table| Some(table.get("executor")?.get("name")?.as_str()?.to_owned()));
    name.unwrap_or_else(|| "?".to_owned())
}

/// A manifest is signed: what it does not say in a language, the folder of that language says.
fn speak(tool: &mut Tool) {
    for tongue in metnos_tongue::all().iter().filter(|tongue| tongue.code != FALLBACK) {
        let said = metnos_tongue::executor(tongue, tool.name.as_str());
        if let Some(said) = said.filter(|_| !tool.scope.contains_key(tongue.code)) {
            tool.scope.insert(tongue.code.to_owned(), said.scope.clone());
            tool.affinity.entry(tongue.code.to_owned()).or_default().extend(said.affinity.iter().cloned());
        }
    }
}

fn tool(manifest: Manifest, schema: &Value, roles: &Roles) -> Result<Tool, CatalogError> {
    let name = ExecutorName::parse(&manifest.executor.name)?;
    let own = manifest.plan;
    let input = &schema["definitions"]["Input"];
    let output = &schema["definitions"]["Output"]["properties"];
    let list = if output["entries"].is_object() { "entries" } else { "results" };
    let gives = output[list]["items"]["properties"]
        .as_object()
        .map(|fields| fields.iter().map(|(name, field)| (name.clone(), type_of(field))).collect())
        .unwrap_or_default();
    let args = args(input, &|arg| own.args.get(arg).or_else(|| roles.args.get(arg)).copied());
    check(&name, &own, &args)?;
    // A list that must be piped in is asked for by the name of the argument that a person could give instead.
    let mut requires = own.requires;
    for arg in args.iter().filter(|arg| arg.required && arg.default.is_none()) {
        if !requires.iter().any(|group| group.contains(&arg.name)) {
            requires.push(vec![arg.name.clone()]);
        }
    }
    Ok(Tool {
        class: name.class(),
        open: output[list]["items"]["additionalProperties"] == true,
        pipes: list == "entries",
        keeps: own.keeps,
        along: own.along,
        bounded: own.bounded,
        needs: own.needs,
        requires,
        args,
        gives,
        dormant: manifest.executor.dormant,
        way: None,
        scope: manifest.description.into_iter().map(|(lang, text)| (lang, text.scope)).collect(),
        affinity: manifest.routing.affinity,
        companions: manifest.routing.companions,
        digest: String::new(),
        name,
    })
}

/// Whether what a manifest tells of arguments is about arguments there are.
fn check(name: &ExecutorName, plan: &Plan, args: &[Arg]) -> Result<(), CatalogError> {
    let known = || args.iter().flat_map(|arg| std::iter::once(arg).chain(&arg.inside));
    let told = plan.args.keys().map(|arg| ("args", arg));
    let asked = plan.requires.iter().flatten().map(|arg| ("requires", arg));
    let wrong = told.chain(asked).find(|(_, arg)| known().all(|known| known.name != **arg));
    wrong.map_or(Ok(()), |(key, arg)| {
        let known = known().map(|arg| arg.name.as_str()).collect::<Vec<_>>().join(", ");
        Err(CatalogError::Plan { name: name.to_string(), key, arg: arg.clone(), known })
    })
}

fn args(object: &Value, role: &dyn Fn(&str) -> Option<Role>) -> Vec<Arg> {
    let required: Vec<&str> = object["required"]
        .as_array()
        .map(|r| r.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    let Some(properties) = object["properties"].as_object() else { return Vec::new() };
    let mut out = Vec::new();
    for (name, schema) in properties {
        let items = &schema["items"];
        let choices = |of: &Value| -> Vec<String> {
            of["enum"]
                .as_array()
                .map(|v| v.iter().filter_map(Value::as_str).map(str::to_owned).collect())
                .unwrap_or_default()
        };
        out.push(Arg {
            name: name.clone(),
            ty: type_of(schema),
            choices: choices(schema),
            required: required.contains(&name.as_str()),
            default: schema.get("default").cloned(),
            role: role(name),
            inside: if items["properties"].is_object() { args(items, role) } else { Vec::new() },
            schema: schema.clone(),
        });
    }
    out
}

fn type_of(schema: &Value) -> Type {
    match schema["type"].as_str() {
        Some("string") => Type::Text,
        Some("integer") => Type::Integer,
        Some("number") => Type::Number,
        Some("boolean") => Type::Bool,
        Some("array") => Type::List,
        Some("object") => Type::Record,
        _ => {
            let one = schema["type"]
                .as_array()
                .map(|types| types.iter().filter_map(Value::as_str).collect::<Vec<_>>());
            match one.as_deref() {
                Some(["string", "null"]) => Type::Text,
                _ => Type::Mixed,
            }
        }
    }
}
