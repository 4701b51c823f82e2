//! What a birth case brings along so that an executor can be tried without the world: servers on the loopback that
//! stand for the hosts its manifest names, and credentials of its own.

use crate::document::{Field, ManifestError, Problem, Table};
use crate::profile::NetPattern;
use base64::{Engine, engine::general_purpose::STANDARD};
use std::collections::BTreeMap;

type Read<T> = Result<T, ManifestError>;

/// The credentials of one case: by binding, the fields.
pub type Lent = BTreeMap<String, BTreeMap<String, String>>;

/// A server that stands for one host.
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// `host:port`, one that the manifest names.
    pub host: NetPattern,
    /// What it answers. Anything else is answered with 404, and the promise is broken.
    pub routes: Vec<Route>,
}

/// One thing a server is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The method, in capitals.
    pub method: String,
    /// The path with its query, exactly as it is sent.
    pub path: String,
    /// The status of the answer.
    pub status: u16,
    /// Its headers.
    pub headers: BTreeMap<String, String>,
    /// Its body.
    pub body: Vec<u8>,
    /// How often it must be asked for; at least once when it is not said.
    pub times: Option<u64>,
    /// What must have been sent.
    pub sent: Sent,
}

/// What a request must hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sent {
    /// Headers, by name; the case of a name does not count.
    pub headers: BTreeMap<String, String>,
    /// The whole body.
    pub body: Option<Vec<u8>>,
}

/// `[[case.server]]`.
pub(crate) fn servers(case: &Table<'_>) -> Read<Vec<Server>> {
    let Some(field) = case.get("server") else { return Ok(Vec::new()) };
    field.list()?.iter().map(server).collect()
}

/// `[case.credentials]`.
pub(crate) fn credentials(case: &Table<'_>) -> Read<Lent> {
    let Some(field) = case.get("credentials") else { return Ok(Lent::new()) };
    field.table()?.fields().map(|binding| Ok((binding.key().to_owned(), texts(&binding)?))).collect()
}

fn server(field: &Field<'_>) -> Read<Server> {
    let table = field.table()?;
    table.only(&["host", "route"])?;
    let named = table.need("host")?;
    let host: NetPattern = named.parsed()?;
    if host.host.contains('*') {
        return Err(named.wrong("one host, not a pattern"));
    }
    let routes = table.need("route")?.list()?.iter().map(route).collect::<Read<Vec<_>>>()?;
    Ok(Server { host, routes })
}

fn route(field: &Field<'_>) -> Read<Route> {
    let table = field.table()?;
    table.only(&["method", "path", "status", "headers", "body", "b64", "times", "sent"])?;
    let method = table.get("method").map_or(Ok("GET"), |field| field.text())?;
    if method.is_empty() || !method.bytes().all(|b| b.is_ascii_uppercase()) {
        return Err(table.error("method", Problem::Incoherent("a method is in capitals".to_owned())));
    }
    let path = table.need("path")?;
    if !path.text()?.starts_with('/') || path.text()?.contains([' ', '\r', '\n']) {
        return Err(path.wrong("a path that begins with `/`, without spaces"));
    }
    let status = match table.get("status") {
        None => 200,
        Some(field) => {
            let whole = u16::try_from(field.whole()?).ok().filter(|code| (100..=599).contains(code));
            whole.ok_or_else(|| field.wrong("a status from 100 to 599"))?
        }
    };
    let sent = match table.get("sent") {
        None => Sent::default(),
        Some(field) => {
            let table = field.table()?;
            table.only(&["headers", "body", "b64"])?;
            Sent { headers: headers(&table)?, body: body(&table)? }
        }
    };
    Ok(Route {
        method: method.to_owned(),
        path: path.text()?.to_owned(),
        status,
        headers: headers(&table)?,
        body: body(&table)?.unwrap_or_default(),
        times: table.get("times").map(|field| field.whole()).transpose()?,
        sent,
    })
}

fn headers(table: &Table<'_>) -> Read<BTreeMap<String, String>> {
    let Some(field) = table.get("headers") else { return Ok(BTreeMap::new()) };
    let headers = texts(&field)?;
    let split = |text: &String| text.contains(['\r', '\n']);
    match headers.iter().any(|(name, value)| split(name) || split(value)) {
        true => Err(field.wrong("headers of one line")),
        false => Ok(headers),
    }
}

fn body(table: &Table<'_>) -> Read<Option<Vec<u8>>> {
    match (table.get("body"), table.get("b64")) {
        (Some(_), Some(both)) => {
            Err(both.error(Problem::Incoherent("body and b64 exclude each other".to_owned())))
        }
        (Some(text), None) => Ok(Some(text.text()?.as_bytes().to_vec())),
        (None, Some(field)) => Ok(Some(STANDARD.decode(field.text()?).map_err(|_| field.wrong("base64"))?)),
        (None, None) => Ok(None),
    }
}

fn texts(field: &Field<'_>) -> Read<BTreeMap<String, String>> {
    field.table()?.fields().map(|field| Ok((field.key().to_owned(), field.text()?.to_owned()))).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use crate::birth::Birth;

    const CASE: &str = r#"
[[case]]
name = "asks the weather"
input = { city = "Rome" }
expect = { ok = true }
[case.credentials]
weather = { token = "t-1" }
[[case.server]]
host = "api.example.org:80"
[[case.server.route]]
path = "/v1?city=Rome"
headers = { Content-Type = "application/json" }
body = '{"t": 21}'
sent = { headers = { authorization = "Bearer t-1" } }
[[case.server.route]]
method = "POST"
path = "/log"
status = 204
times = 2
"#;

    #[test]
    fn a_case_brings_servers_and_credentials_of_its_own() {
        let case = Birth::parse(CASE.as_bytes(), "birth.toml").unwrap().cases.remove(0);
        assert_eq!(case.credentials["weather"]["token"], "t-1");
        let server = &case.servers[0];
        assert_eq!(server.host.to_string(), "api.example.org:80");
        let [first, second] = &server.routes[..] else { panic!("{server:?}") };
        assert_eq!((first.method.as_str(), first.status, first.times), ("GET", 200, None));
        assert_eq!(first.sent.headers["authorization"], "Bearer t-1");
        assert_eq!((second.status, second.times, second.body.len()), (204, Some(2), 0));
    }

    #[test]
    fn what_is_wrong_with_a_server_has_a_place() {
        let said = |from: &str, to: &str| {
            let text = CASE.replace(from, to);
            assert_ne!(text, CASE, "{from}");
            Birth::parse(text.as_bytes(), "birth.toml").unwrap_err().to_string()
        };
        assert!(said("api.example.org:80", "*.example.org:80").contains("one host, not a pattern"));
        assert!(said("api.example.org:80", "api.example.org").contains("host:port"));
        assert!(said("path = \"/log\"", "path = \"log\"").contains("begins with `/`"));
        assert!(said("status = 204", "status = 999").contains("a status from 100 to 599"));
        assert!(said("times = 2", "time = 2").contains("nearest: \"times\""));
        assert!(said("\"Bearer t-1\"", "1").contains("a string"));
        assert!(said("\"POST\"", "\"post\"").contains("in capitals"));
    }
}
