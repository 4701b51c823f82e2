//! Executors that live in the daemon because a cell cannot see what they need. They share the
//! external contract (schema, counts, guards, audit) and never parse bytes that came from outside.
//!
//! Each first makes a [`Plan`]: what it needs, what a person should read about it, and the act itself,
//! which is performed only after every guard let the plan through.

mod admin;
mod consult_frontier;
mod credentials;
mod get_inputs;
mod get_processes;
mod perform;
mod plan;
mod scratchpad_read;
mod send_messages;
mod set_processes;
mod signatures;
mod undo_last_turn;

pub(crate) use plan::{Plan, Report, Want, Wish, Work};

use crate::minds::Role;
use crate::runtime::Runtime;
use metnos_executor::Failure;
use metnos_executor::schema::Schema;
use metnos_vocab::ExecutorName;
use serde_json::{Map, Value, json};

/// What a builtin may be unable to do without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A model in this role.
    Model(Role),
    /// The door of that name, open.
    Telegram,
}

/// One builtin.
pub(crate) struct Builtin {
    /// Its name.
    pub(crate) name: &'static str,
    /// What it takes.
    schema: &'static str,
    /// A call of it, as an example.
    pattern: &'static str,
    /// What it gives.
    out: &'static str,
    /// True when it can change something.
    pub(crate) changes: bool,
    /// What must be there for it to do anything.
    needs: Option<Need>,
    /// True when it takes a list.
    list: bool,
    /// What one call of it would do.
    plan: fn(&Runtime, &Wish<'_>) -> Result<Plan, Failure>,
}

const ALL: [&Builtin; 13] = [
    &admin::BUILTIN,
    &consult_frontier::BUILTIN,
    &credentials::DELETE,
    &credentials::FIND,
    &get_inputs::BUILTIN,
    &get_processes::BUILTIN,
    &scratchpad_read::BUILTIN,
    &send_messages::BUILTIN,
    &signatures::GET,
    &credentials::SET,
    &set_processes::BUILTIN,
    &signatures::SET,
    &undo_last_turn::BUILTIN,
];

/// The names of all builtins.
pub const NAMES: [&str; ALL.len()] = {
    let mut names = [""; ALL.len()];
    let mut at = 0;
    while at < ALL.len() {
        names[at] = ALL[at].name;
        at += 1;
    }
    names
};

/// The names of those that can act where this is there.
pub fn awake(has: &dyn Fn(Need) -> bool) -> Vec<&'static str> {
    ALL.iter().filter(|builtin| builtin.needs.is_none_or(has)).map(|builtin| builtin.name).collect()
}

/// The builtin called `name`.
pub(crate) fn find(name: &ExecutorName) -> Option<&'static Builtin> {
    ALL.into_iter().find(|builtin| builtin.name == name.as_str())
}

/// What a builtin takes.
pub(crate) fn schema(name: &ExecutorName) -> Option<Value> {
    serde_json::from_str(find(name)?.schema).ok()
}

/// What a builtin does, per language.
pub(crate) fn description(name: &ExecutorName) -> Value {
    let Some(builtin) = find(name) else { return Value::Null };
    let said = metnos_tongue::all().iter().filter_map(|tongue| {
        let said = metnos_tongue::executor(tongue, builtin.name)?;
        let told =
            json!({ "scope": said.scope, "pattern": builtin.pattern, "not": said.not, "out": builtin.out });
        Some((tongue.code.to_owned(), told))
    });
    Value::Object(said.collect())
}

/// Arguments checked against a builtin's own schema, defaults filled in.
fn checked(args: &Map<String, Value>, schema: &str) -> Result<Map<String, Value>, Failure> {
    let schema = serde_json::from_str::<Value>(schema).map_err(|e| Failure::internal(e.to_string()))?;
    let schema = Schema::parse(&schema).map_err(|e| Failure::internal(e.to_string()))?;
    let mut args = args.clone();
    schema.fill_defaults(&mut args);
    schema.check(&Value::Object(args.clone())).map_err(|e| Failure::wrong_args(e.to_string()))?;
    Ok(args)
}
