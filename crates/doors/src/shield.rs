//! What every request passes before anybody looks at it, and what every answer carries.

use crate::api::{Refusal, told_in};
use crate::house::House;
use crate::pages;
use crate::who::Who;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::header::{self, HeaderName, HeaderValue};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::house::logbook::Level;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Instant;

/// Nothing from elsewhere, nothing inline, in no frame.
const CSP: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

/// The names and addresses under which this house may be spoken to. A page of another site that resolves its
/// own name to this machine still sends its own name.
#[derive(Clone, Debug)]
pub struct Origins {
    hosts: Vec<String>,
}

impl Origins {
    /// For a listener at `address`, with further names, and the address by which a proxy is reached.
    pub fn new(address: SocketAddr, names: &[String], public: Option<&str>) -> Self {
        let port = address.port();
        let mut hosts = vec![address.to_string()];
        if address.ip().is_loopback() || address.ip().is_unspecified() {
            hosts.extend([format!("localhost:{port}"), format!("127.0.0.1:{port}"), format!("[::1]:{port}")]);
        }
        for name in names {
            hosts.push(name.to_ascii_lowercase());
            hosts.push(format!("{}:{port}", name.to_ascii_lowercase()));
        }
        let beyond =
            public.and_then(|url| url.split_once("://")).and_then(|(_, rest)| rest.split('/').next());
        hosts.extend(beyond.map(str::to_ascii_lowercase));
        Self { hosts }
    }

    fn has(&self, host: &str) -> bool {
        self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host))
    }

    /// Why a request may not come in, if so.
    fn refuse(&self, method: &Method, headers: &HeaderMap) -> Option<&'static str> {
        let text = |name: HeaderName| headers.get(name).map(|value| value.to_str().unwrap_or("?"));
        if headers.get_all(header::HOST).iter().count() != 1
            || !text(header::HOST).is_some_and(|host| self.has(host))
        {
            return Some("it was sent to another name than this house has");
        }
        if let Some(origin) = text(header::ORIGIN)
            && !origin.split_once("://").is_some_and(|(_, host)| self.has(host))
        {
            return Some("it comes from a page of another site");
        }
        let changes = !matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS);
        // Whoever follows a link from elsewhere may look at a page; nothing else comes from elsewhere.
        let navigates = headers.get("sec-fetch-mode").is_some_and(|mode| mode == "navigate") && !changes;
        match headers.get("sec-fetch-site").map(|site| site.as_bytes()) {
            None | Some(b"same-origin" | b"none") => None,
            Some(_) if navigates => None,
            Some(_) => Some("it comes from a page of another site"),
        }
    }
}

/// Checks a request, times it, and dresses its answer.
pub(crate) async fn shield(State(house): State<Arc<House>>, request: Request, next: Next) -> Response {
    let began = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<axum::extract::MatchedPath>().map(|path| path.as_str().to_owned());
    let sent = request.headers().clone();
    let response = match house.origins.refuse(&method, request.headers()) {
        Some(why) => {
            let refusal = Failure::new(ErrorClass::Forbidden, format!("refused: {why}"));
            let mut response = Refusal::from(refusal).into_response();
            *response.status_mut() = StatusCode::FORBIDDEN;
            response
        }
        None => next.run(request).await,
    };
    let mut response = told_in(response, || house.language_of(&sent)).await;
    dress(response.headers_mut());
    let status = response.status();
    // Refusals and defects are worth a line; what was asked is not for the log.
    if status.is_server_error() || matches!(status.as_u16(), 401 | 403 | 429) {
        let level = if status.is_server_error() { Level::Error } else { Level::Warn };
        house.log(level, &format!("{method} {}: {status}", route.as_deref().unwrap_or("elsewhere")));
    }
    house.counts.request(route.as_deref().unwrap_or("other"), response.status(), began.elapsed());
    response
}

fn dress(headers: &mut HeaderMap<HeaderValue>) {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, CSP),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// What nobody serves: told to a program as JSON, to a person as a page in their language.
pub(crate) async fn nowhere(
    State(house): State<Arc<House>>,
    who: Result<Who, Refusal>,
    headers: HeaderMap,
) -> Response<Body> {
    let accepted = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if accepted.contains("text/html") {
        let own = who.ok().and_then(|who| who.person.language);
        let asked = headers.get(header::ACCEPT_LANGUAGE).and_then(|value| value.to_str().ok());
        return pages::nowhere(house.words.speak(own.as_deref().or(asked)));
    }
    nothing()
}

/// The same for a program.
pub(crate) fn nothing() -> Response<Body> {
    Refusal::from(
        Failure::new(ErrorClass::NotFound, "there is nothing here")
            .with_hint("/ is the chat, /openapi.json the API"),
    )
    .into_response()
}

/// What is served, but not so.
pub(crate) async fn nowhere_so() -> Response<Body> {
    let mut response = Refusal::from(
        Failure::wrong_args("this address takes other methods").with_hint("/openapi.json describes it"),
    )
    .into_response();
    *response.status_mut() = StatusCode::METHOD_NOT_ALLOWED;
    response
}
