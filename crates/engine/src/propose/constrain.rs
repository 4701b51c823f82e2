//! The pool's schemas as one shape: up to a few plans of up to so many steps, each with the typed
//! arguments of its own executor.

use super::read::PICK;
use crate::catalog::{Arg, Role, Tool, Type};
use metnos_shape::{Field, Shape};
use metnos_vocab::Class;
use serde_json::Value;

/// Most steps of a plan.
const STEPS: usize = 12;
/// Most plans in one answer.
const CANDIDATES: usize = 2;
/// The longest text where the schema names no bound.
const TEXT: usize = 4096;
/// The longest list where the schema names no bound.
const ITEMS: usize = 100;
/// The largest number that survives every reader of JSON.
const LARGEST: i64 = 1_000_000_000_000_000;

/// What an answer may look like. `earlier`: there is an earlier result to refer to.
pub(super) fn plans(pool: &[&Tool], earlier: bool) -> Shape {
    let fields = fields(pool);
    let steps = pool.iter().map(|tool| step(tool, earlier, &fields)).collect();
    let plan = Shape::Record(vec![must("steps", Shape::List(Box::new(Shape::OneOf(steps)), 1, STEPS))]);
    Shape::Record(vec![must("plans", Shape::List(Box::new(plan), 0, CANDIDATES))])
}

/// Every field that a list of these executors may have; none when one of them may give any.
fn fields(pool: &[&Tool]) -> Vec<String> {
    let bringing = || pool.iter().filter(|tool| tool.pipes && !tool.keeps);
    if bringing().any(|tool| tool.open) {
        return Vec::new();
    }
    let mut names: Vec<String> = bringing().flat_map(|tool| tool.fields()).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
}

fn step(tool: &Tool, earlier: bool, fields: &[String]) -> Shape {
    let name = Shape::Choice(vec![tool.name.as_str().to_owned()]);
    Shape::Record(vec![must("tool", name), must("args", Shape::Record(args(tool, earlier, fields)))])
}

/// References first: where a list comes from decides what can be said about it.
fn args(tool: &Tool, earlier: bool, known: &[String]) -> Vec<Field> {
    let mut fields = Vec::new();
    let number = || Shape::Integer(1, STEPS as i64 - 1);
    let list = tool.arg(Role::List);
    if let Some(list) = list {
        fields.push(Field { name: "from_step".into(), shape: number(), required: list.required && !earlier });
        if tool.class == Class::Changer {
            fields.push(may(PICK, Shape::Choice(vec!["one".into()])));
        }
        if earlier {
            fields.push(may("from_turn", Shape::Integer(-1, -1)));
            fields.push(may("index", Shape::Integer(1, 100)));
        }
    }
    if let Some(with) = tool.arg(Role::With) {
        fields.push(Field { name: "with_step".into(), shape: number(), required: with.required });
    }
    let own = tool.args.iter().filter_map(|arg| {
        Some(Field { name: arg.name.clone(), shape: shape(arg, known)?, required: arg.required })
    });
    fields.extend(own);
    fields
}

/// The shape of one argument; none where only another step can give the value.
fn shape(arg: &Arg, known: &[String]) -> Option<Shape> {
    if matches!(arg.role, Some(Role::List | Role::With)) {
        return None;
    }
    let moment = matches!(
        arg.role,
        Some(Role::After | Role::Before | Role::Start | Role::End | Role::WhereAfter | Role::WhereBefore)
    );
    if moment && arg.ty == Type::Text {
        return Some(Shape::Moment);
    }
    if !arg.inside.is_empty() {
        let inside = arg.inside.iter().filter_map(|inner| {
            Some(Field { name: inner.name.clone(), shape: shape(inner, known)?, required: inner.required })
        });
        return Some(Shape::List(
            Box::new(Shape::Record(inside.collect())),
            1,
            bound(&arg.schema, "maxItems", ITEMS),
        ));
    }
    let names_a_field = matches!(arg.role, Some(Role::SortBy | Role::WhereField | Role::Field));
    if names_a_field && arg.choices.is_empty() && !known.is_empty() {
        return Some(Shape::Choice(known.to_vec()));
    }
    of_schema(&arg.schema)
}

fn of_schema(schema: &Value) -> Option<Shape> {
    if let Some(words) = schema["enum"].as_array() {
        return Some(Shape::Choice(words.iter().filter_map(Value::as_str).map(str::to_owned).collect()));
    }
    match &schema["type"] {
        Value::String(kind) => of_type(kind, schema),
        Value::Array(kinds) => {
            let shapes: Vec<Shape> =
                kinds.iter().filter_map(Value::as_str).filter_map(|kind| of_type(kind, schema)).collect();
            (!shapes.is_empty()).then_some(Shape::OneOf(shapes))
        }
        _ => None,
    }
}

fn of_type(kind: &str, schema: &Value) -> Option<Shape> {
    Some(match kind {
        "string" => Shape::Text(bound(schema, "maxLength", TEXT)),
        "boolean" => Shape::Bool,
        "number" => Shape::Number,
        "integer" => Shape::Integer(
            schema["minimum"].as_i64().unwrap_or(-LARGEST),
            schema["maximum"].as_i64().unwrap_or(LARGEST),
        ),
        "array" => Shape::List(Box::new(of_schema(&schema["items"])?), 1, bound(schema, "maxItems", ITEMS)),
        _ => return None,
    })
}

fn bound(schema: &Value, key: &str, otherwise: usize) -> usize {
    schema[key].as_u64().and_then(|n| usize::try_from(n).ok()).unwrap_or(otherwise)
}

fn must(name: &str, shape: Shape) -> Field {
    Field { name: name.to_owned(), shape, required: true }
}

fn may(name: &str, shape: Shape) -> Field {
    Field { name: name.to_owned(), shape, required: false }
}
