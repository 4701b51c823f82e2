//! What a call answers beside its list: the counts, the failures and the caps that bit.

use crate::failure::{ErrorClass, Failure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// How the list of an outcome is called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListName {
    /// Records that a pipe can go on with.
    #[default]
    Entries,
    /// Outcomes of a change.
    Results,
}

impl ListName {
    /// The key in the JSON object.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Entries => "entries",
            Self::Results => "results",
        }
    }
}

/// One item that could not be handled while others could.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failed {
    /// Position in the input list, or in the walk.
    pub index: u64,
    /// The thing, as a person would name it.
    pub what: String,
    /// Which kind of failure.
    pub error_class: ErrorClass,
    /// What happened to it.
    pub message: String,
}

/// A cap that bit, declared so that the reply can say so and offer to widen it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Truncation {
    /// Always true when present.
    pub truncated: bool,
    /// What was cut (`entries`, `bytes`, …).
    pub truncated_what: String,
    /// How much is in the answer.
    pub used: u64,
    /// How much there was, when it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub available_total: Option<u64>,
    /// The argument or limit that cut it.
    pub cap_field: String,
    /// Its value.
    pub cap_value: u64,
}

/// Everything an executor answers except the items of its list, which travel apart.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// True when nothing failed.
    pub ok: bool,
    /// True when some items succeeded and some failed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// Items that really were handled, verified after the act.
    pub ok_count: u64,
    /// Items that were not.
    pub fail_count: u64,
    /// What a Python changer said it had done, where that is not what was seen on disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub claimed: Option<u64>,
    /// The first failures; `fail_count` counts them all.
    #[serde(default)]
    pub failed: Vec<Failed>,
    /// The cap that bit, if one did.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub truncation: Option<Truncation>,
    /// Why the whole call failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// Scalars beside the list: `value`, `text`, `content`, `metadata`.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}

impl Outcome {
    /// The most failures spelled out; the rest are only counted.
    pub const FAILED_SHOWN: usize = 200;

    /// A call that failed as a whole.
    pub fn failure(error: Failure) -> Self {
        Self { error: Some(error), ..Self::default() }
    }

    /// Notes one failed item.
    pub fn fail(
        &mut self,
        index: u64,
        what: impl Into<String>,
        class: ErrorClass,
        message: impl Into<String>,
    ) {
        self.fail_count += 1;
        if self.failed.len() < Self::FAILED_SHOWN {
            self.failed.push(Failed {
                index,
                what: what.into(),
                error_class: class,
                message: message.into(),
            });
        }
    }

    /// Settles `ok` and `partial` from the counts.
    pub fn settle(mut self) -> Self {
        self.ok = self.error.is_none() && self.fail_count == 0;
        self.partial = self.fail_count > 0 && self.ok_count > 0;
        self
    }
}
