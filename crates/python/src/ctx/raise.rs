//! How a failure of the host looks in Python, and how an exception of Python looks to the host.

use metnos_executor::{ErrorClass, Failure};

/// A failure on its way into Python, kept so that one nobody catches comes back with its own class.
#[derive(Clone, Debug)]
pub(crate) struct Raised {
    /// The name of the exception.
    pub(crate) kind: &'static str,
    /// What it stands for.
    pub(crate) failure: Failure,
}

impl Raised {
    /// The exception `failure` becomes.
    pub(crate) fn new(failure: Failure) -> Self {
        let kind = match failure.class {
            ErrorClass::NotFound => "FileNotFoundError",
            ErrorClass::DstExists => "FileExistsError",
            ErrorClass::PermissionDenied
            | ErrorClass::PolicyViolation
            | ErrorClass::Forbidden
            | ErrorClass::Unauthorized => "PermissionError",
            ErrorClass::Timeout => "TimeoutError",
            ErrorClass::WrongArgs | ErrorClass::UnsupportedFormat => "ValueError",
            _ => "OSError",
        };
        Self { kind, failure }
    }

    /// True when an uncaught exception is this one.
    pub(crate) fn is(&self, kind: &str, message: &str) -> bool {
        self.kind == kind && self.failure.message == message
    }
}

/// True when Python must not be able to catch it: the person or a limit ended the call.
pub(crate) fn final_for_python(class: ErrorClass) -> bool {
    matches!(
        class,
        ErrorClass::Cancelled
            | ErrorClass::Interrupted
            | ErrorClass::LimitExceeded
            | ErrorClass::SandboxUnavailable
    )
}

/// The class of an exception that Python itself raised and nobody caught. Only the ones whose name says
/// what happened outside have a class; everything else is a defect of the executor.
pub(crate) fn class_of_exception(kind: &str) -> ErrorClass {
    match kind {
        "FileNotFoundError" => ErrorClass::NotFound,
        "FileExistsError" => ErrorClass::DstExists,
        "PermissionError" => ErrorClass::PermissionDenied,
        "TimeoutError" => ErrorClass::Timeout,
        "ConnectionError" | "ConnectionRefusedError" | "ConnectionResetError" | "BrokenPipeError" => {
            ErrorClass::Network
        }
        "UnicodeDecodeError" => ErrorClass::UnsupportedFormat,
        _ => ErrorClass::Internal,
    }
}
