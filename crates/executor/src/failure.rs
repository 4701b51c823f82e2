//! The closed list of ways a call can fail, and the record that says which one and why.

use serde::{Deserialize, Serialize};

/// Every failure of every executor belongs to one of these; a manifest lists the ones it may return.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// The arguments do not satisfy the schema or contradict each other.
    WrongArgs,
    /// The named thing does not exist.
    NotFound,
    /// The destination is already there and nobody asked to replace it.
    DstExists,
    /// The kernel or the file's owner said no.
    PermissionDenied,
    /// More bytes or items than this call may handle.
    TooLarge,
    /// The content is not of a kind this executor reads or writes.
    UnsupportedFormat,
    /// The wall clock ran out.
    Timeout,
    /// The network failed after a name was resolved.
    Network,
    /// A name could not be resolved.
    DnsError,
    /// The other side asked us to slow down.
    RateLimited,
    /// The other side did not accept our credentials.
    Unauthorized,
    /// Something changed between looking and acting.
    Conflict,
    /// A program or library this executor needs is not installed.
    DependencyMissing,
    /// Policy refused the call.
    PolicyViolation,
    /// A person has to say yes first.
    NeedsApproval,
    /// A Law refused the call: nothing can allow it.
    Forbidden,
    /// A kernel layer is missing on this machine, so nothing runs.
    SandboxUnavailable,
    /// A limit of the profile was reached; `limit` names it.
    LimitExceeded,
    /// The person stopped it.
    Cancelled,
    /// A crash stopped it.
    Interrupted,
    /// A defect of ours, or an executor that broke its contract.
    Internal,
}

impl ErrorClass {
    /// All classes, in the order of the design.
    pub const ALL: [ErrorClass; 21] = [
        Self::WrongArgs,
        Self::NotFound,
        Self::DstExists,
        Self::PermissionDenied,
        Self::TooLarge,
        Self::UnsupportedFormat,
        Self::Timeout,
        Self::Network,
        Self::DnsError,
        Self::RateLimited,
        Self::Unauthorized,
        Self::Conflict,
        Self::DependencyMissing,
        Self::PolicyViolation,
        Self::NeedsApproval,
        Self::Forbidden,
        Self::SandboxUnavailable,
        Self::LimitExceeded,
        Self::Cancelled,
        Self::Interrupted,
        Self::Internal,
    ];

    /// The name used in manifests, audit lines and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::WrongArgs => "wrong_args",
            Self::NotFound => "not_found",
            Self::DstExists => "dst_exists",
            Self::PermissionDenied => "permission_denied",
            Self::TooLarge => "too_large",
            Self::UnsupportedFormat => "unsupported_format",
            Self::Timeout => "timeout",
            Self::Network => "network",
            Self::DnsError => "dns_error",
            Self::RateLimited => "rate_limited",
            Self::Unauthorized => "unauthorized",
            Self::Conflict => "conflict",
            Self::DependencyMissing => "dependency_missing",
            Self::PolicyViolation => "policy_violation",
            Self::NeedsApproval => "needs_approval",
            Self::Forbidden => "forbidden",
            Self::SandboxUnavailable => "sandbox_unavailable",
            Self::LimitExceeded => "limit_exceeded",
            Self::Cancelled => "cancelled",
            Self::Interrupted => "interrupted",
            Self::Internal => "internal",
        }
    }
}

impl std::fmt::Display for ErrorClass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a whole call failed, in words a person can act on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{class}: {message}")]
pub struct Failure {
    /// Which kind of failure.
    pub class: ErrorClass,
    /// What happened, naming the thing it happened to.
    pub message: String,
    /// The limit that was reached, for `limit_exceeded`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<String>,
    /// The question that waits for an answer, for `needs_approval`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<String>,
    /// What to do next, when there is something to do.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
    /// In how many seconds there is room again, for `limit_exceeded`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u16>,
    /// The credentials that must be kept first; nothing of the call ran. Only who looks after them says so: it
    /// comes over no wire, so that no cell can claim it.
    #[serde(skip)]
    pub lacks: Box<[Lacked]>,
}

/// A credential that a call needs and nobody kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lacked {
    /// Its name.
    pub name: String,
    /// Its fields.
    pub fields: Vec<String>,
}

impl Failure {
    /// A failure of `class` described by `message`.
    pub fn new(class: ErrorClass, message: impl Into<String>) -> Self {
        Self {
            class,
            message: message.into(),
            limit: None,
            approval: None,
            hint: None,
            retry_after: None,
            lacks: Box::default(),
        }
    }

    /// The arguments are wrong.
    pub fn wrong_args(message: impl Into<String>) -> Self {
        Self::new(ErrorClass::WrongArgs, message)
    }

    /// A defect of ours or a broken contract.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(ErrorClass::Internal, message)
    }

    /// The limit called `limit` was reached.
    pub fn limit(limit: impl Into<String>, message: impl Into<String>) -> Self {
        Self { limit: Some(limit.into()), ..Self::new(ErrorClass::LimitExceeded, message) }
    }

    /// A person has to answer the question `approval` first.
    pub fn needs_approval(approval: impl Into<String>, card: impl Into<String>) -> Self {
        Self { approval: Some(approval.into()), ..Self::new(ErrorClass::NeedsApproval, card) }
    }

    /// The same failure in the words of another language. A question is in its person's already.
    pub fn in_language(mut self, language: &str) -> Self {
        if self.class != ErrorClass::NeedsApproval {
            self.message = metnos_vocab::failed_in(language, self.class.as_str(), &self.message);
        }
        self.hint = self.hint.map(|hint| metnos_vocab::said_in(language, &hint));
        self
    }

    /// The same failure with the next step to take.
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The failure that an I/O error on `what` amounts to.
    pub fn io(what: impl std::fmt::Display, error: &std::io::Error) -> Self {
        Self::new(class_of(error), format!("{what}: {error}"))
    }
}

/// The class an I/O error belongs to.
pub fn class_of(error: &std::io::Error) -> ErrorClass {
    use std::io::ErrorKind as K;
    match error.kind() {
        K::NotFound => ErrorClass::NotFound,
        K::PermissionDenied | K::ReadOnlyFilesystem => ErrorClass::PermissionDenied,
        K::AlreadyExists | K::DirectoryNotEmpty => ErrorClass::DstExists,
        K::NotADirectory | K::IsADirectory | K::InvalidInput | K::InvalidFilename => ErrorClass::WrongArgs,
        K::InvalidData | K::UnexpectedEof => ErrorClass::UnsupportedFormat,
        K::StorageFull | K::FileTooLarge | K::QuotaExceeded => ErrorClass::TooLarge,
        K::TimedOut => ErrorClass::Timeout,
        // Somebody else has the address.
        K::AddrInUse => ErrorClass::Conflict,
        // Links in a circle lead to nothing.
        _ if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) => ErrorClass::NotFound,
        _ => ErrorClass::Internal,
    }
}
