//! A Metnos that runs elsewhere: as the daemon of this home, or on another machine.

mod ask;
mod commands;
mod events;

pub(crate) use ask::{approve, ask};
pub(crate) use commands::run;

use metnos_doors::Serving;
use metnos_executor::home::Home;
use metnos_executor::{ErrorClass, Failure};
use serde_json::Value;
use std::io::Read;
use std::net::IpAddr;
use std::os::unix::fs::PermissionsExt;
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
/// Where the daemon says which turn its events are about.
const TURN: &str = "x-metnos-turn";
/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(10);

/// How it is reached.
#[derive(Clone, Copy)]
enum Way {
    /// As the machine reaches others: through a proxy, where one is named.
    Any,
    /// With nothing in between.
    Straight,
}

/// The token of this device, from a file that nobody else can read.
fn kept_token(file: &Path) -> Result<String, Failure> {
    let token = std::fs::read_to_string(file).map_err(|_| {
        Failure::new(ErrorClass::Unauthorized, "this device has no token").with_hint(format!(
            "metnos devices add LABEL on the machine at home makes one; put it into {} or {TOKEN_VAR}",
            file.display()
        ))
    })?;
    let mode = std::fs::metadata(file).map_err(|e| Failure::io(file.display(), &e))?.permissions().mode();
    if mode & 0o077 != 0 {
        let open = format!("{} can be read by others", file.display());
        return Err(
            Failure::new(ErrorClass::Forbidden, open).with_hint(format!("chmod 600 {}", file.display()))
        );
    }
    Ok(token)
}

/// Whether an address is one of this machine. A token travels encrypted, or not beyond the machine.
fn encrypted_or_local(url: &str) -> Result<bool, Failure> {
    let wrong = |why: &str| {
        Failure::wrong_args(format!("{url} {why}")).with_hint("https://HOST, or an address of this machine")
    };
    let uri: ureq::http::Uri = url.parse().map_err(|_| wrong("is no address"))?;
    let authority = uri.authority().ok_or_else(|| wrong("is no address"))?;
    if authority.as_str().contains('@') {
        return Err(wrong("names somebody before the host"));
    }
    let host = authority.host().trim_matches(['[', ']']);
    let local = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
    match uri.scheme_str() {
        Some("https") => Ok(local),
        Some("http") if local => Ok(true),
        _ => Err(wrong("is not encrypted")),
    }
}

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
        let remote = Self::new(&serving.listens, key.lines().last()?.trim(), &own, Way::Straight).ok()?;
        // One that is starting or stopping is none yet. Who it is comes first, then the key.
        remote.is_well().then_some(remote)
    }

    /// Whether something answers there as a daemon does; nobody's token is sent.
    fn is_well(&self) -> bool {
        let asked = self.agent.get(format!("{}/healthz", self.url)).call();
        let well = self.read(asked).ok().and_then(|health| health.get("ok")?.as_bool());
        well == Some(true)
    }

    /// The one a person named, with the token of this device.
    pub(crate) fn named(url: &str, config: &Path) -> Result<Self, Failure> {
        let file = config.join(TOKEN);
        let token = match std::env::var(TOKEN_VAR) {
            Ok(token) => token,
            Err(_) => kept_token(&file)?,
        };
        Self::new(url, token.trim(), &config.join(CERTIFICATE), Way::Any)
    }

    fn new(url: &str, token: &str, certificate: &Path, way: Way) -> Result<Self, Failure> {
        let url = url.trim_end_matches('/').to_owned();
        let local = encrypted_or_local(&url)?;
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
        // What stays on this machine goes through nobody.
        let proxy = match (way, local) {
            (Way::Any, false) => ureq::Proxy::try_from_env(),
            _ => None,
        };
        let agent = ureq::Agent::config_builder()
            .proxy(proxy)
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

    /// Posts, and gives what comes back as it comes, with the turn it is about.
    pub(crate) fn stream(
        &self,
        path: &str,
        body: &Value,
    ) -> Result<(Option<String>, impl Read + use<>), Failure> {
        let sent = self.send(path, body, "text/event-stream");
        let response = sent.map_err(|e| self.lost(&e))?;
        if response.status().as_u16() >= 400 {
            return Err(self.read(Ok(response)).err().unwrap_or_else(|| Failure::internal("refused")));
        }
        let turn = response.headers().get(TURN).and_then(|value| value.to_str().ok()).map(str::to_owned);
        Ok((turn, response.into_body().into_reader()))
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

#[cfg(test)]
mod tests {
    use super::encrypted_or_local;

    #[test]
    fn only_this_machine_is_spoken_to_without_encryption() {
        for local in ["http://127.0.0.1:8770", "http://localhost", "http://[::1]:1", "https://localhost:2"] {
            assert_eq!(encrypted_or_local(local).ok(), Some(true), "{local}");
        }
        assert_eq!(encrypted_or_local("https://house.example").ok(), Some(false));
        for open in [
            "http://house.example",
            "http://localhost@house.example",
            "http://localhost.house.example",
            "http://127.0.0.1.house.example",
            "https://me@house.example",
            "ftp://127.0.0.1",
            "house",
            "",
        ] {
            assert!(encrypted_or_local(open).is_err(), "{open}");
        }
    }
}
