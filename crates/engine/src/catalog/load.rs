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
    /// A manifest is not what it should be.
    #[error("manifest: {0}")]
    Manifest(#[from] toml::de::Error),
    /// A schema is not JSON.
    #[error("schema: {0}")]
    Schema(#[from] serde_json::Error),
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

#[derive(Deserialize)]
struct Roles {
    args: BTreeMap<String, Role>,
    #[serde(default)]
    tool: BTreeMap<String, ToolRoles>,
}

#[derive(Default, Deserialize)]
struct ToolRoles {
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
        let manifest: Manifest = toml::from_str(source)?;
        if tools.contains_key(&manifest.executor.name) {
            continue;
        }
        let schema: Value = serde_json::from_str(schema)?;
        let mut tool = Tool { digest, ..tool(manifest, &schema, &roles)? };
        speak(&mut tool);
        tools.insert(tool.name.as_str().to_owned(), tool);
    }
    Ok(Catalog { tools: tools.into_values().collect() })
}

/// A manifest is signed: what it does not say in a language, the folder of that language says.
fn speak(tool: &mut Tool) {
    for tongue in metnos_tongue::all().iter().filter(|tongue| tongue.code != FALLBACK) {
        let said = metnos_tongue::executor(tongue, tool.name.as_str());
        if let Some(said) = said.filter(|_| !tool.scope.contains_key(tongue.code)) {
            tool.scope.insert(tongue.code.to_owned(), said.scope.clone());
            tool.affinity.extend(said.affinity.iter().cloned());
        }
    }
}

fn tool(manifest: Manifest, schema: &Value, roles: &Roles) -> Result<Tool, CatalogError> {
    let name = ExecutorName::parse(&manifest.executor.name)?;
    let none = ToolRoles::default();
    let own = roles.tool.get(name.as_str()).unwrap_or(&none);
    let input = &schema["definitions"]["Input"];
    let output = &schema["definitions"]["Output"]["properties"];
    let list = if output["entries"].is_object() { "entries" } else { "results" };
    let gives = output[list]["items"]["properties"]
        .as_object()
        .map(|fields| fields.iter().map(|(name, field)| (name.clone(), type_of(field))).collect())
        .unwrap_or_default();
    let args = args(input, &|arg| own.args.get(arg).or_else(|| roles.args.get(arg)).copied());
    // A list that must be piped in is asked for by the name of the argument that a person could give instead.
    let mut requires = own.requires.clone();
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
        along: own.along.clone(),
        bounded: own.bounded,
        needs: own.needs.clone(),
        requires,
        args,
        gives,
        dormant: manifest.executor.dormant,
        way: None,
        scope: manifest.description.into_iter().map(|(lang, text)| (lang, text.scope)).collect(),
        affinity: manifest.routing.affinity.into_values().flatten().collect(),
        companions: manifest.routing.companions,
        digest: String::new(),
        name,
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
