//! Why a model gave no answer. No message ever holds a key.

/// Why a model gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LlmError {
    /// Nobody is there, or the line broke.
    #[error("{0}")]
    Unreachable(String),
    /// No answer in time.
    #[error("no answer within {0} s")]
    Slow(u64),
    /// Too many requests, also after waiting.
    #[error("the server takes no more requests now (429)")]
    Busy,
    /// The server failed, also the second time.
    #[error("the server failed ({0})")]
    Broken(u16),
    /// The server does not take this request.
    #[error("the server refused the request ({status}): {said}")]
    Refused {
        /// The status of HTTP.
        status: u16,
        /// What it said, bounded.
        said: String,
    },
    /// What came back is not an answer.
    #[error("{0}")]
    Garbled(String),
    /// The answer was cut at the limit of its length.
    #[error("the answer was longer than {0} tokens and was cut")]
    Cut(u64),
    /// The answer is larger than anything that is read.
    #[error("the answer was larger than {0} bytes")]
    TooLarge(u64),
    /// The tier names a credential that is not kept, or must not be used as it is.
    #[error("{0}")]
    Unready(String),
    /// A limit is used up.
    #[error("{0} in [budget] is used up")]
    OverBudget(&'static str),
    /// The person wants no more of it.
    #[error("stopped")]
    Stopped,
}

impl LlmError {
    /// The word for it in logs, records and sentences.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Unreachable(_) => "unreachable",
            Self::Slow(_) => "slow",
            Self::Busy => "busy",
            Self::Broken(_) => "broken",
            Self::Refused { .. } => "refused",
            Self::Garbled(_) => "garbled",
            Self::Cut(_) => "cut",
            Self::TooLarge(_) => "too_large",
            Self::Unready(_) => "unready",
            Self::OverBudget(_) => "over_budget",
            Self::Stopped => "stopped",
        }
    }

    /// Whether a second try may go better.
    pub(crate) fn passes(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::Busy | Self::Broken(_))
    }
}
