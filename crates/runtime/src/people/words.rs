//! What is accepted as a name, a channel and a sender, and the failures all of this shares.

use crate::guards::Principal;
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::audit::{self, Line};
use serde_json::Value;

/// The longest name or label, in characters.
const NAME_MAX: usize = 64;
/// The longest name of a sender, in bytes.
const SENDER_MAX: usize = 128;

/// A name or a label: one line that can be read.
pub(super) fn name(what: &str, text: &str) -> Result<String, Failure> {
    let text = text.trim();
    let length = text.chars().count();
    if length == 0 || length > NAME_MAX || text.chars().any(char::is_control) {
        return Err(Failure::wrong_args(format!("{what}: 1 to {NAME_MAX} characters on one line")));
    }
    Ok(text.to_owned())
}

/// A channel: a short word.
pub(super) fn channel(text: &str) -> Result<&str, Failure> {
    let short = (1..=32).contains(&text.len());
    let plain = text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-');
    match short && plain {
        true => Ok(text),
        false => Err(Failure::wrong_args(format!("{text:?} is not the name of a channel"))
            .with_hint("for example telegram")),
    }
}

/// A sender, as the channel calls them.
pub(super) fn sender(text: &str) -> Result<&str, Failure> {
    let odd = |c: char| c.is_control() || c.is_whitespace();
    match (1..=SENDER_MAX).contains(&text.len()) && !text.contains(odd) {
        true => Ok(text),
        false => Err(Failure::wrong_args(format!("a sender is 1 to {SENDER_MAX} bytes without blanks"))),
    }
}

/// Refuses everybody but the host.
pub(super) fn host_only(by: &str, what: &str) -> Result<(), Failure> {
    match Principal::parse(by).is_host() {
        true => Ok(()),
        false => Err(Failure::new(ErrorClass::PolicyViolation, format!("only the host {what}"))),
    }
}

pub(super) fn no_person(id: &str) -> Failure {
    Failure::new(ErrorClass::NotFound, format!("nobody here is called {id}")).with_hint("metnos users list")
}

/// Somebody else changed the same record between our look and our change.
pub(super) fn outrun() -> Failure {
    Failure::new(ErrorClass::Conflict, "somebody else changed this a moment ago").with_hint("try again")
}

pub(super) fn unrecorded(error: metnos_memory::Error) -> Failure {
    Failure::internal(format!("the decision could not be recorded: {error}"))
}

/// True once `until`, a recorded moment, has come. One that cannot be read has.
pub(super) fn is_past(until: &str, now: jiff::Timestamp) -> bool {
    !until.parse::<jiff::Timestamp>().is_ok_and(|until| now < until)
}

impl Runtime {
    /// The audit line of a change to who may talk to Metnos. It comes before the change.
    pub(super) fn note_people(&self, by: Option<&str>, detail: Value) -> Result<(), Failure> {
        let mut line = Line::new(audit::Kind::Config);
        line.caller = by.map(str::to_owned);
        line.detail = self.redactor().redact(&detail, &[]);
        self.audit.append(line).map(|_| ()).map_err(|e| crate::call::unrecorded(&e))
    }
}
