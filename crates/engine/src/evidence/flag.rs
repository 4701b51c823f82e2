//! Arguments that no value in the request fills: a word decides them, as it decides what is asked.

use crate::catalog::{Arg, Role, Tool, Type};
use metnos_language::{Mention, Operator, What};
use serde_json::{Value, json};

/// Roles whose few values are decided by words.
const DECIDED: [Role; 20] = [
    Role::Unread,
    Role::HasAttachment,
    Role::Hidden,
    Role::Recursive,
    Role::Empty,
    Role::Action,
    Role::Mode,
    Role::DstFolder,
    Role::Folder,
    Role::Remove,
    Role::Add,
    Role::Policy,
    Role::State,
    Role::TaskState,
    Role::ProposalState,
    Role::Style,
    Role::Paused,
    Role::RenderFormat,
    Role::Via,
    Role::Order,
];
/// Folders of mail that every mailbox has; others are names.
const FOLDERS: [&str; 4] = ["INBOX", "Trash", "Archive", "Sent"];
/// Readings that cost more decide nothing.
const LIKELY: u8 = 4;
/// Marks of messages that are no labels of a person.
const MARKS: [&str; 3] = ["unread", "starred", "important"];

/// The name of the decision that gives `value` to an argument; none where a value in the request gives it.
pub fn flag(tool: &Tool, arg: &Arg, value: &Value) -> Option<String> {
    let role = arg.role?;
    let text = match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let few = match role {
        Role::DstFolder | Role::Folder => FOLDERS.contains(&text.as_str()),
        Role::Remove | Role::Add => value
            .as_array()
            .is_some_and(|marks| marks.iter().all(|mark| MARKS.iter().any(|known| mark == known))),
        Role::Limit | Role::AtMost => *value == 1,
        Role::SizeMax => *value == 0,
        Role::ToUser => text == "me",
        Role::NameTemplate => {
            return Some(name(
                tool,
                arg,
                if text.contains("{counter}") { "counter" } else { template(&text) },
            ));
        }
        _ => DECIDED.contains(&role),
    };
    few.then(|| name(tool, arg, &text))
}

/// How a template is made of what was said.
fn template(text: &str) -> &'static str {
    match (text.starts_with("{name}"), text.contains("{name}")) {
        (true, _) => "suffix",
        (false, true) => "prefix",
        _ => "plain",
    }
}

fn name(tool: &Tool, arg: &Arg, value: &str) -> String {
    format!("flag:{}.{}={value}", tool.name, arg.name)
}

/// Roles that a quality of things decides by its own name.
const NAMED: [Role; 6] =
    [Role::Hidden, Role::Recursive, Role::Policy, Role::State, Role::TaskState, Role::ProposalState];

/// What a quality decides that is named like a choice of an argument, or like the argument.
pub(crate) fn stated(tool: &Tool, mentions: &[Mention]) -> Vec<(String, Value)> {
    let denied = |at: usize| {
        let not = |what: &What| matches!(what, What::Operator(Operator::Not | Operator::Without));
        mentions.iter().any(|m| not(&m.what) && m.to <= at && at - m.to < 3)
    };
    let likely = mentions.iter().filter(|m| m.cost < LIKELY && !denied(m.from));
    let qualities: Vec<&str> = likely
        .filter_map(|m| match m.what {
            What::Quality(quality) => Some(quality.name()),
            _ => None,
        })
        .collect();
    let value = |arg: &Arg| {
        let role = arg.role.filter(|role| NAMED.contains(role))?;
        let is_own = |quality: &&str| format!("{role:?}").to_lowercase() == **quality;
        if arg.ty == Type::Bool {
            return qualities.iter().any(is_own).then(|| json!(true));
        }
        let names = |choice: &&String| qualities.iter().any(|quality| quality.starts_with(choice.as_str()));
        arg.choices.iter().find(names).map(|choice| json!(choice))
    };
    tool.args.iter().filter_map(|arg| Some((arg.name.clone(), value(arg)?))).collect()
}

/// The argument and value of a decision about this executor.
pub(crate) fn decided(label: &str, tool: &Tool) -> Option<(String, Value)> {
    let (arg, value) =
        label.strip_prefix("flag:")?.strip_prefix(tool.name.as_str())?.strip_prefix('.')?.split_once('=')?;
    let value =
        serde_json::from_str(value).ok().filter(|value: &Value| !value.is_string()).unwrap_or(json!(value));
    Some((arg.to_owned(), value))
}
