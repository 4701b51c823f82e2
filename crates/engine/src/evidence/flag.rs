//! Arguments that no value in the request fills: a word decides them, as it decides what is asked.

use crate::catalog::{Arg, Role, Tool};
use serde_json::{Value, json};

/// Roles whose few values are decided by words.
const DECIDED: [Role; 19] = [
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
];
/// Folders of mail that every mailbox has; others are names.
const FOLDERS: [&str; 4] = ["INBOX", "Trash", "Archive", "Sent"];
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

/// The argument and value of a decision about this executor.
pub(crate) fn decided(label: &str, tool: &Tool) -> Option<(String, Value)> {
    let (arg, value) =
        label.strip_prefix("flag:")?.strip_prefix(tool.name.as_str())?.strip_prefix('.')?.split_once('=')?;
    let value =
        serde_json::from_str(value).ok().filter(|value: &Value| !value.is_string()).unwrap_or(json!(value));
    Some((arg.to_owned(), value))
}
