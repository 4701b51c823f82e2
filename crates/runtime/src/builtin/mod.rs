//! Executors that live in the daemon because a cell cannot see what they need. They share the
//! external contract (schema, counts, audit) and never parse bytes that came from outside.

mod get_processes;

use metnos_executor::schema::Schema;
use metnos_executor::{Failure, Outcome};
use metnos_vocab::ExecutorName;
use serde_json::{Map, Value};

/// The entry point of a builtin: arguments in, outcome and entries out.
pub(crate) type Builtin = fn(&Map<String, Value>) -> Result<(Outcome, Vec<Value>), Failure>;

/// The builtin called `name`.
pub(crate) fn find(name: &ExecutorName) -> Option<Builtin> {
    (name.as_str() == "get_processes").then_some(get_processes::run as Builtin)
}

/// What a builtin takes.
pub(crate) fn schema(name: &ExecutorName) -> Option<Value> {
    find(name)?;
    serde_json::from_str(get_processes::SCHEMA).ok()
}

/// What a builtin does, per language.
pub(crate) fn description(name: &ExecutorName) -> Value {
    find(name).map_or(Value::Null, |_| get_processes::description())
}

/// The names of all builtins.
pub const NAMES: [&str; 1] = ["get_processes"];

/// Arguments checked against a builtin's own schema, defaults filled in.
fn checked(args: &Map<String, Value>, schema: &str) -> Result<Map<String, Value>, Failure> {
    let schema = serde_json::from_str::<Value>(schema).map_err(|e| Failure::internal(e.to_string()))?;
    let schema = Schema::parse(&schema).map_err(|e| Failure::internal(e.to_string()))?;
    let mut args = args.clone();
    schema.fill_defaults(&mut args);
    schema.check(&Value::Object(args.clone())).map_err(|e| Failure::wrong_args(e.to_string()))?;
    Ok(args)
}
