//! A failure as an answer: the status for programs, the words and the next step for people.

use axum::http::StatusCode;
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE, RETRY_AFTER};
use axum::response::{IntoResponse, Response};
use metnos_executor::{ErrorClass, Failure};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

/// In how many seconds to try again where nobody knows better.
const WAIT: u16 = 60;
/// The most of what the framework says about a wrong address.
const SAID_MAX: usize = 4 << 10;

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
        let body = written(&self.0);
        let mut response = (status, [(CONTENT_TYPE, "application/json")], body).into_response();
        if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            response.headers_mut().insert(RETRY_AFTER, wait.into());
        }
        // Who reads it is known further out: there it is said in their language.
        response.extensions_mut().insert(self.0);
        response
    }
}

fn written(failure: &Failure) -> String {
    json!({ "ok": false, "error": failure }).to_string()
}

/// The same answer in the words of whoever reads it, if it is a refusal. What the framework refuses in its own words
/// takes the form that is described.
pub(crate) async fn told_in(response: Response, language: impl FnOnce() -> String) -> Response {
    let response = match response.extensions().get::<Failure>() {
        Some(_) => response,
        None if is_bare(&response) => {
            let (parts, body) = response.into_parts();
            let said = axum::body::to_bytes(body, SAID_MAX).await.unwrap_or_default();
            let failure =
                Failure::wrong_args(String::from_utf8_lossy(&said)).with_hint("/openapi.json describes it");
            let mut told = Refusal(failure).into_response();
            *told.status_mut() = parts.status;
            told
        }
        None => return response,
    };
    let (mut parts, body) = response.into_parts();
    let Some(failure) = parts.extensions.remove::<Failure>() else {
        return Response::from_parts(parts, body);
    };
    parts.headers.remove(CONTENT_LENGTH);
    Response::from_parts(parts, written(&failure.in_language(&language())).into())
}

/// Whether somebody other than this program refused, in plain words.
fn is_bare(response: &Response) -> bool {
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    response.status() == StatusCode::BAD_REQUEST && kind.is_some_and(|kind| kind.starts_with("text/plain"))
}
