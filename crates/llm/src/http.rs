//! One request over the wire: bounded in time and bytes, tried twice when a second try may help.

use crate::LlmError;
use crate::client::Key;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};
use ureq::tls::{RootCerts, TlsConfig, TlsProvider};
use zeroize::Zeroizing;

/// The most that is read of an answer.
pub(crate) const BYTES: u64 = 1 << 20;
/// The most that is told of a refusal.
const SAID: usize = 200;
/// The longest wait before the second try.
const PAUSE: Duration = Duration::from_secs(2);
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// A way to one server.
pub(crate) struct Wire {
    agent: ureq::Agent,
}

/// How one try ended that gave no answer, and how long the server asks to wait.
struct Failed {
    error: LlmError,
    wait: Option<Duration>,
}

impl From<LlmError> for Failed {
    fn from(error: LlmError) -> Self {
        Self { error, wait: None }
    }
}

impl Wire {
    /// `here`: the server is on this machine, and no proxy stands between.
    pub(crate) fn new(here: bool) -> Self {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .root_certs(RootCerts::PlatformVerifier)
            .unversioned_rustls_crypto_provider(provider)
            .build();
        let mut config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_connect(Some(CONNECT))
            .user_agent("metnos")
            .tls_config(tls);
        if here {
            config = config.proxy(None);
        }
        Self { agent: config.build().into() }
    }

    /// Sends `body`; a failure that passes is tried once more while there is time.
    pub(crate) fn post(
        &self,
        url: &str,
        headers: &[(&str, &str)],
        key: Option<&Key>,
        body: &Value,
        until: Instant,
    ) -> Result<Value, LlmError> {
        let once = || self.once(url, headers, body, until).map_err(|failed| (failed.error, failed.wait));
        match once() {
            Err((error, wait)) if error.passes() => {
                let wait = wait.unwrap_or(PAUSE / 8).min(PAUSE);
                if until.saturating_duration_since(Instant::now()) <= wait {
                    return Err(discreet(error, key));
                }
                std::thread::sleep(wait);
                once().map_err(|(error, _)| discreet(error, key))
            }
            other => other.map_err(|(error, _)| discreet(error, key)),
        }
    }

    /// Reads what lies there, once.
    pub(crate) fn get(&self, url: &str, key: Option<&Key>, until: Instant) -> Result<Value, LlmError> {
        let left = until.saturating_duration_since(Instant::now());
        let bearer = key.map(|key| Zeroizing::new(format!("Bearer {}", key.expose())));
        let read = || -> Result<Value, Failed> {
            if left.is_zero() {
                return Err(LlmError::Slow(0).into());
            }
            let mut request = self.agent.get(url).config().timeout_global(Some(left)).build();
            if let Some(bearer) = &bearer {
                request = request.header("authorization", bearer.as_str());
            }
            answered(request.call().map_err(|e| trouble(e, left))?, left)
        };
        read().map_err(|failed| discreet(failed.error, key))
    }

    fn once(
        &self,
        url: &str,
        headers: &[(&str, &str)],
        body: &Value,
        until: Instant,
    ) -> Result<Value, Failed> {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(LlmError::Slow(0).into());
        }
        let mut request = self.agent.post(url).config().timeout_global(Some(left)).build();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.header("content-type", "application/json");
        answered(request.send(body.to_string().as_bytes()).map_err(|e| trouble(e, left))?, left)
    }
}

/// The value in an answer, or why there is none.
fn answered(mut response: ureq::http::Response<ureq::Body>, left: Duration) -> Result<Value, Failed> {
    let slow = |e: ureq::Error| Failed::from(trouble(e, left));
    let status = response.status().as_u16();
    let wait = response
        .headers()
        .get("retry-after")
        .and_then(|value| value.to_str().ok()?.parse().ok())
        .map(Duration::from_secs);
    if status == 429 {
        return Err(Failed { error: LlmError::Busy, wait });
    }
    if status >= 500 {
        return Err(Failed { error: LlmError::Broken(status), wait });
    }
    let bytes = response.body_mut().with_config().limit(BYTES).read_to_vec().map_err(slow)?;
    if !(200..300).contains(&status) {
        return Err(LlmError::Refused { status, said: said(&bytes) }.into());
    }
    let garbled = |e: serde_json::Error| LlmError::Garbled(format!("the answer is not JSON: {e}"));
    Ok(serde_json::from_slice(&bytes).map_err(garbled)?)
}

fn trouble(error: ureq::Error, left: Duration) -> LlmError {
    let slow = || LlmError::Slow(left.as_secs_f64().ceil() as u64);
    match error {
        ureq::Error::Timeout(ureq::Timeout::Connect | ureq::Timeout::Resolve) => {
            LlmError::Unreachable("no connection".to_owned())
        }
        ureq::Error::Timeout(_) => slow(),
        ureq::Error::Io(e) if e.kind() == std::io::ErrorKind::TimedOut => slow(),
        ureq::Error::BodyExceedsLimit(most) => LlmError::TooLarge(most),
        other => LlmError::Unreachable(other.to_string()),
    }
}

/// What a server says about a refusal, in one bounded line.
fn said(bytes: &[u8]) -> String {
    let parsed: Option<Value> = serde_json::from_slice(bytes).ok();
    let message = parsed.as_ref().and_then(|value| {
        let error = value.get("error").unwrap_or(value);
        error.get("message").unwrap_or(error).as_str().map(str::to_owned)
    });
    let text = message.unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned());
    text.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(SAID).collect()
}

/// The same error without the key: a server may repeat what it was sent.
fn discreet(error: LlmError, key: Option<&Key>) -> LlmError {
    let Some(key) = key else { return error };
    let hide = |text: String| text.replace(key.expose(), "‹key›");
    match error {
        LlmError::Refused { status, said } => LlmError::Refused { status, said: hide(said) },
        LlmError::Unreachable(text) => LlmError::Unreachable(hide(text)),
        LlmError::Garbled(text) => LlmError::Garbled(hide(text)),
        other => other,
    }
}
