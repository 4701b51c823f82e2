//! What a door asks for, and what it may see and do meanwhile.

use crate::guards::{Answer, Question};
use metnos_executor::Origin;
use metnos_executor::wire::Progress;
use metnos_vault::Form;
use serde_json::{Map, Value};

/// What a door asks for.
pub struct Spec {
    /// `verb_object…`, as typed.
    pub executor: String,
    /// A version other than the current one.
    pub version: Option<String>,
    /// Arguments; the keys `entries` and `with` may hold short lists.
    pub args: Map<String, Value>,
    /// What relative paths are relative to.
    pub base: std::path::PathBuf,
    /// A long input list.
    pub entries: Option<Box<dyn std::io::Read>>,
    /// A long second list.
    pub with: Option<Box<dyn std::io::Read>>,
    /// On whose behalf, over which channel.
    pub caller: String,
    /// In which session: a grant may hold for one.
    pub session: String,
    /// The idempotency key; a fresh one when absent.
    pub call_id: Option<String>,
    /// The person's language.
    pub lang: String,
    /// The moment of the call in the person's zone.
    pub now: jiff::Zoned,
    /// Arguments that are not simply the person's own words.
    pub provenance: Provenance,
    /// The request that was said yes to, where its lists come from elsewhere: nothing else runs for that yes.
    pub bound: Option<String>,
}

/// The lists of a step that were too long to be kept with its question.
pub struct Lists {
    /// The input list.
    pub entries: Option<Box<dyn std::io::Read>>,
    /// The second list.
    pub with: Option<Box<dyn std::io::Read>>,
}

/// What is known of arguments beyond their values, by name. One that is not named is what the person
/// said, or what the rules made of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Taken from what an earlier step answered.
    pub derived: Vec<String>,
    /// Made up by a model: nothing of it was said.
    pub unsaid: Vec<String>,
    /// Where the lists lie that came along, for the audit.
    pub places: Places,
}

/// Where the two lists of a call lie.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Places {
    /// The input list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entries: Option<String>,
    /// The second one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
}

impl Places {
    /// True when no place is known.
    pub(crate) fn are_unknown(&self) -> bool {
        *self == Self::default()
    }
}

impl Provenance {
    /// Where the value of this argument comes from.
    pub(crate) fn origin(&self, argument: &str) -> Origin {
        match self.derived.iter().any(|name| name == argument) {
            true => Origin::Content,
            false => Origin::User,
        }
    }

    /// Whether the request explains it.
    pub(crate) fn traceable(&self, argument: &str) -> bool {
        !self.unsaid.iter().any(|name| name == argument)
    }
}

/// What a door may see and do while a call runs.
pub trait Door {
    /// How far it is.
    fn progress(&mut self, _progress: &Progress) {}
    /// What it does or waits for where nothing can be counted, in the person's words.
    fn says(&mut self, _text: &str) {}
    /// True once the person asked to stop.
    fn cancelled(&self) -> bool {
        false
    }
    /// Asks for the values of a credential that is missing, in the order of its fields.
    fn fill(&mut self, _form: &Form) -> Option<Vec<(String, String)>> {
        None
    }
    /// Asks the person; a door without one lets the question wait.
    fn ask(&mut self, _question: &Question) -> Answer {
        Answer::Later
    }
}

/// A door that shows nothing and never stops a call.
pub struct Silent;
impl Door for Silent {}
