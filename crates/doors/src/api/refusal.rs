//! A failure as an answer: the status for programs, the words and the next step for people.

use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use metnos_executor::{ErrorClass, Failure};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

/// In how many seconds to try again where nobody knows better.
const WAIT: u16 = 60;

/// What did not go well.
#[derive(Debug)]
pub(crate) struct Refusal(pub(crate) Failure);

/// Its form.
#[derive(Serialize, ToSchema)]
#[allow(dead_code, reason = "described, and written by serde_json")]
pub(crate) struct Problem {
    /// Always false.
    ok: bool,
    /// Why.
    error: ProblemError,
}

/// Why something did not go well.
#[derive(Serialize, ToSchema)]
#[allow(dead_code, reason = "described, and written by serde_json")]
pub(crate) struct ProblemError {
    /// Which kind of failure.
    class: String,
    /// What happened.
    message: String,
    /// What to do next.
    hint: Option<String>,
    /// In how many seconds there is room again, where a limit was reached.
    retry_after: Option<u16>,
}

impl From<Failure> for Refusal {
    fn from(failure: Failure) -> Self {
        Self(failure)
    }
}

impl Refusal {
    pub(crate) fn status(&self) -> StatusCode {
        use ErrorClass as C;
        match self.0.class {
            C::WrongArgs | C::UnsupportedFormat => StatusCode::BAD_REQUEST,
            C::Unauthorized => StatusCode::UNAUTHORIZED,
            C::Forbidden | C::PolicyViolation | C::PermissionDenied => StatusCode::FORBIDDEN,
            C::NotFound => StatusCode::NOT_FOUND,
            C::Conflict | C::DstExists | C::NeedsApproval | C::Cancelled => StatusCode::CONFLICT,
            C::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            C::Timeout => StatusCode::REQUEST_TIMEOUT,
            C::LimitExceeded | C::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            C::Interrupted | C::SandboxUnavailable | C::DependencyMissing => StatusCode::SERVICE_UNAVAILABLE,
            C::Network | C::DnsError => StatusCode::BAD_GATEWAY,
            C::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let status = self.status();
        let wait = self.0.retry_after.unwrap_or(WAIT);
        let body = json!({ "ok": false, "error": self.0 }).to_string();
        let mut response = (status, [(CONTENT_TYPE, "application/json")], body).into_response();
        if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            response.headers_mut().insert(RETRY_AFTER, wait.into());
        }
        response
    }
}
