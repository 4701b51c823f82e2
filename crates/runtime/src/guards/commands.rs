//! Which commands run, ask or do not: the lists Metnos comes with, and over them the person's own, kept
//! as signed rows.

use crate::call::unrecorded;
use crate::guards::records::Kind;
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure};
use metnos_guard::command::Pattern;
use metnos_guard::{Lists, Signature, Standing};
use metnos_memory::audit::{self, Line};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// A list that a person can write on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandList {
    /// Runs.
    Allow,
    /// Runs after a yes.
    Grey,
    /// Does not run.
    Deny,
}

impl CommandList {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Grey => "grey",
            Self::Deny => "deny",
        }
    }

    /// From its word.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        [Self::Allow, Self::Grey, Self::Deny].into_iter().find(|list| list.as_str() == word)
    }
}

/// What a person decided about a kind of command.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRule {
    /// `binary:subcommand:target`.
    pub signature: Pattern,
    /// On which list.
    pub list: CommandList,
    /// Who put it there.
    pub by: String,
}

impl Runtime {
    /// The lists in force. A row that does not verify may have been a denial, so without a person's look
    /// nothing runs.
    pub(crate) fn command_lists(&self) -> Result<Lists, Failure> {
        let mut damaged = Vec::new();
        let own = self.command_rules(&mut damaged)?;
        if !damaged.is_empty() {
            return Err(Failure::new(
                ErrorClass::PolicyViolation,
                format!("the record of a command list is damaged: {}", damaged.join(", ")),
            )
            .with_hint("metnos policy grants shows it, metnos policy revoke <id> removes it"));
        }
        let mut lists = Lists::default();
        for rule in own {
            match rule.list {
                CommandList::Allow => lists.allow.push(rule.signature),
                CommandList::Grey => lists.grey.push(rule.signature),
                CommandList::Deny => lists.deny.push(rule.signature),
            }
        }
        Ok(shipped()?.merge(lists))
    }

    /// The person's own decisions; the ids of rows that do not verify go to `damaged`.
    pub(crate) fn command_rules(&self, damaged: &mut Vec<String>) -> Result<Vec<CommandRule>, Failure> {
        let rows = self.read::<CommandRule>(Kind::Signature, damaged)?;
        // A row that speaks of another signature than its id was put together from parts.
        let (good, odd): (Vec<_>, Vec<_>) =
            rows.into_iter().partition(|(id, rule)| *id == rule.signature.to_string());
        damaged.extend(odd.into_iter().map(|(id, _)| format!("{} {id}", Kind::Signature.as_str())));
        Ok(good.into_iter().map(|(_, rule)| rule).collect())
    }

    /// Puts a signature on a list, or takes it from the person's own. The audit line comes first.
    pub(crate) fn set_command_rule(&self, rule: &CommandRule, remove: bool) -> Result<(), Failure> {
        let mut line = Line::new(audit::Kind::Config);
        line.caller = Some(rule.by.clone());
        let what = if remove { "signature removed" } else { "signature" };
        line.detail = json!({ "what": what, "signature": rule.signature, "list": rule.list });
        self.audit.append(line).map_err(|e| unrecorded(&e))?;
        let id = rule.signature.to_string();
        match remove {
            true => self.db.undecide(&id).map_err(|e| Failure::internal(e.to_string())),
            false => self.decide(Kind::Signature, &id, rule),
        }
    }
}

/// The lists Metnos comes with.
pub(crate) fn shipped() -> Result<Lists, Failure> {
    // A guard that cannot look denies.
    Lists::shipped().map_err(|e| Failure::new(ErrorClass::PolicyViolation, e.to_string()))
}

/// True when nothing can lift it: it is forbidden itself, or written like something that is.
pub(crate) fn is_forbidden(pattern: &Pattern) -> Result<bool, Failure> {
    let lists = shipped()?;
    let text = pattern.to_string();
    let fields: Vec<&str> = text.split(':').collect();
    let exact = match fields.as_slice() {
        [binary, subcommand, target] => Signature {
            binary: (*binary).to_owned(),
            subcommand: (*subcommand).to_owned(),
            target: (*target).to_owned(),
        },
        _ => return Ok(true),
    };
    Ok(lists.forbidden.contains(pattern) || lists.classify(&exact) == Standing::Forbidden)
}
