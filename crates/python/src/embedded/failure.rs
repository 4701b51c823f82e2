//! An exception nobody caught, as a failure of the call.

use super::SCRIPT;
use crate::ctx::{Raised, class_of_exception};
use metnos_executor::Failure;
use monty_types::{ExcType, MontyException};

/// The longest message of an exception that is passed on.
const MESSAGE_MAX: usize = 2000;

pub(super) struct Uncaught<'a> {
    pub(super) exc: &'a MontyException,
    /// Lines of the executor; frames below them are ours.
    pub(super) lines: usize,
    /// The last failure that was handed to Python.
    pub(super) raised: Option<&'a Raised>,
}

impl Uncaught<'_> {
    pub(super) fn failure(&self) -> Failure {
        let message = self.exc.message().unwrap_or_default();
        let text = self.text(message);
        match self.exc.exc_type() {
            // The interpreter's own limits carry these words; an executor that raises them itself only
            // reports itself as over a limit.
            ExcType::MemoryError => Failure::limit("memory", text),
            ExcType::TimeoutError if message.starts_with("time limit exceeded") => {
                Failure::limit("steps", text)
            }
            ExcType::RecursionError => Failure::limit("recursion", text),
            kind => {
                let name: &'static str = kind.into();
                match self.raised.filter(|raised| raised.is(name, message)) {
                    Some(raised) => Failure { message: text, ..raised.failure.clone() },
                    None => Failure::new(class_of_exception(name), text),
                }
            }
        }
    }

    fn text(&self, message: &str) -> String {
        let kind = self.exc.exc_type();
        let message: String = message.chars().take(MESSAGE_MAX).collect();
        let said = if message.is_empty() { kind.to_string() } else { format!("{kind}: {message}") };
        match self.line() {
            Some(line) => format!("{said} (line {line})"),
            None => said,
        }
    }

    /// The deepest line that belongs to the executor.
    fn line(&self) -> Option<u32> {
        let ours = |line: u32| usize::try_from(line).is_ok_and(|line| line <= self.lines);
        let frames = self.exc.traceback().iter().rev();
        frames.filter(|f| f.filename == SCRIPT).map(|f| f.start.line).find(|line| ours(*line))
    }
}
