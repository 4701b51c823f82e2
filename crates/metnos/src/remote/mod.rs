//! A Metnos that runs elsewhere: as the daemon of this home, or on another machine.

mod ask;
mod commands;
mod events;

pub(crate) use ask::ask;
pub(crate) use commands::run;

use metnos_doors::Serving;
use metnos_executor::home::Home;
use metnos_executor::{ErrorClass, Failure};
use serde_json::Value;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use ureq::tls::{Certificate, RootCerts, TlsConfig, TlsProvider};

/// The file with the token of this device, beside the configuration.
const TOKEN: &str = "device.token";
/// The certificate of a house that vouches for itself, copied from its `config/keys/tls.crt`; then it alone is trusted.
const CERTIFICATE: &str = "server.crt";
/// Where the token may come from instead.
const TOKEN_VAR: &str = "METNOS_TOKEN";
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// A daemon to speak to.
#[derive(Clone)]
pub(crate) struct Remote {
    url: String,
    token: String,
    agent: ureq::Agent,
}

impl Remote {
    /// The daemon of this home, if one runs and answers.
    pub(crate) fn local(home: &Home) -> Option<Self> {
        let serving = Serving::find(home)?;
        let key = std::fs::read_to_string(home.keys_dir().join("admin.key")).ok()?;
        // The first line says what the file is.
        let own = home.keys_dir().join("tls.crt");
        let remote = Self::new(&serving.url, key.lines().last()?.trim(), &own).ok()?;
        // One that is starting or stopping is none yet.
        remote.get("/healthz").ok()?.get("ok")?.as_bool()?.then_some(remote)
    }

    /// The one a person named, with the token of this device.
    pub(crate) fn named(url: &str, config: &Path) -> Result<Self, Failure> {
        let file = config.join(TOKEN);
        let token = match std::env::var(TOKEN_VAR) {
            Ok(token) => token,
            Err(_) => std::fs::read_to_string(&file).map_err(|_| {
                Failure::new(ErrorClass::Unauthorized, "this device has no token")
                    .with_hint(format!("metnos devices add LABEL on the machine at home makes one; put it into {} or {TOKEN_VAR}", file.display()))
            })?,
        };
        Self::new(url, token.trim(), &config.join(CERTIFICATE))
    }

    fn new(url: &str, token: &str, certificate: &Path) -> Result<Self, Failure> {
        let url = url.trim_end_matches('/').to_owned();
        let local = ["http://127.0.0.1", "http://localhost", "http://[::1]"]
            .iter()
            .any(|start| url.starts_with(start));
        if !url.starts_with("https://") && !local {
            return Err(Failure::wrong_args(format!("{url} is not encrypted"))
                .with_hint("https://…, or an address of this machine"));
        }
        let roots = match std::fs::read(certificate) {
            Ok(pem) => {
                let wrong = |e: ureq::Error| Failure::wrong_args(format!("{}: {e}", certificate.display()));
                RootCerts::new_with_certs(&[Certificate::from_pem(&pem).map_err(wrong)?])
            }
            Err(_) => RootCerts::PlatformVerifier,
        };
        let tls = TlsConfig::builder()
            .provider(TlsProvider::Rustls)
            .root_certs(roots)
            .unversioned_rustls_crypto_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .build();
        let agent = ureq::Agent::config_builder()
            .tls_config(tls)
            .timeout_connect(Some(CONNECT))
            .http_status_as_error(false)
            .build()
            .new_agent();
        Ok(Self { url, token: token.to_owned(), agent })
    }

    pub(crate) fn get(&self, path: &str) -> Result<Value, Failure> {
        let sent = self.agent.get(format!("{}{path}", self.url)).header("Authorization", &self.auth()).call();
        self.read(sent)
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value, Failure> {
        let sent = self.send(path, body, "application/json");
        self.read(sent)
    }

    /// Posts, and gives what comes back as it comes.
    pub(crate) fn stream(&self, path: &str, body: &Value) -> Result<impl Read + use<>, Failure> {
        let sent = self.send(path, body, "text/event-stream");
        let response = sent.map_err(|e| self.lost(&e))?;
        if response.status().as_u16() >= 400 {
            return Err(self.read(Ok(response)).err().unwrap_or_else(|| Failure::internal("refused")));
        }
        Ok(response.into_body().into_reader())
    }

    fn send(
        &self,
        path: &str,
        body: &Value,
        accept: &str,
    ) -> Result<ureq::http::Response<ureq::Body>, ureq::Error> {
        self.agent
            .post(format!("{}{path}", self.url))
            .header("Authorization", &self.auth())
            .header("Content-Type", "application/json")
            .header("Accept", accept)
            .send(body.to_string())
    }

    fn auth(&self) -> String {
        format!("Bearer {}", self.token)
    }

    fn lost(&self, error: &ureq::Error) -> Failure {
        Failure::new(ErrorClass::Network, format!("{}: {error}", self.url))
            .with_hint("is Metnos running there? metnos status")
    }

    fn read(&self, sent: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value, Failure> {
        let mut response = sent.map_err(|e| self.lost(&e))?;
        let text = response.body_mut().read_to_string().map_err(|e| self.lost(&e))?;
        let value: Value = serde_json::from_str(&text).unwrap_or(Value::Null);
        match response.status().as_u16() {
            200..=299 => Ok(value),
            status => {
                let told = value
                    .get("error")
                    .and_then(|error| serde_json::from_value::<Failure>(error.clone()).ok());
                Err(told.unwrap_or_else(|| Failure::internal(format!("{} answered {status}", self.url))))
            }
        }
    }
}
