//! What an executor declares it needs: paths, programs, hosts, credentials, limits.
//!
//! The profile is static and signed. What one call really gets, the fence, is cut from it later
//! and is never wider.

use crate::wire::Limits;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::path::{Component, Path, PathBuf};

/// A symbolic place that a call turns into real paths.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Metnos's own workspace.
    Workspace,
    /// The path, or list of paths, in the argument of this name.
    Arg(String),
    /// The path in this field of every input entry.
    Entries(String),
    /// Exactly this absolute path.
    Literal(PathBuf),
}

impl std::str::FromStr for Scope {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let name = |name: &str| is_identifier(name).then(|| name.to_owned());
        let scope = match text.split_once(':') {
            _ if text == "workspace" => Some(Self::Workspace),
            _ if text.starts_with('/') => Some(Self::Literal(literal(text)?)),
            Some(("arg", rest)) => name(rest).map(Self::Arg),
            Some(("entries", rest)) => name(rest).map(Self::Entries),
            _ => None,
        };
        scope.ok_or_else(|| "expected workspace, arg:<name>, entries:<field> or an absolute path".to_owned())
    }
}

impl std::fmt::Display for Scope {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Workspace => f.write_str("workspace"),
            Self::Arg(name) => write!(f, "arg:{name}"),
            Self::Entries(field) => write!(f, "entries:{field}"),
            Self::Literal(path) => f.write_str(&exact(path)),
        }
    }
}

/// A host, or the hosts below a domain, at one port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NetPattern {
    /// A lower-case name, `*.example.org` for everything below it, an address, or `*`.
    pub host: String,
    /// Never 0.
    pub port: u16,
}

impl NetPattern {
    /// True when any host at all is meant. Only seeds may ask for it.
    pub fn is_free(&self) -> bool {
        self.host == "*"
    }

    /// The address this pattern names explicitly, if it names one.
    pub fn address(&self) -> Option<IpAddr> {
        self.host.parse().ok()
    }

    /// True when `host` at `port` is meant. A wildcard never covers an address or its own domain.
    pub fn matches(&self, host: &str, port: u16) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        if port != self.port || host.is_empty() {
            return false;
        }
        match (self.host.strip_prefix('*'), host.parse::<IpAddr>()) {
            (None, Ok(address)) => self.address() == Some(address),
            (None, Err(_)) => self.host == host,
            (Some(_), Ok(_)) => false,
            (Some(tail), Err(_)) => host.len() > tail.len() && host.ends_with(tail),
        }
    }
}

impl std::str::FromStr for NetPattern {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (host, port) = text.rsplit_once(':').ok_or("expected host:port")?;
        let port = port.parse().ok().filter(|p| *p != 0 && !port.starts_with('+'));
        let port: u16 = port.ok_or("expected a port from 1 to 65535 after the last `:`")?;
        let bare = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
        let host = match bare {
            Some(inner) => match inner.parse::<std::net::Ipv6Addr>() {
                Ok(address) => address.to_string(),
                Err(_) => return Err("expected an IPv6 address between the brackets".to_owned()),
            },
            None if host == "*" || host.parse::<std::net::Ipv4Addr>().is_ok() => host.to_owned(),
            None => {
                let name = host.strip_prefix("*.");
                // `*.org` would be half the world: a wildcard stands on a real domain.
                let labels = if name.is_some() { 2 } else { 1 };
                if !is_hostname(name.unwrap_or(host), labels) {
                    return Err("expected a lower-case host name, *.domain.tld, or an address".to_owned());
                }
                host.to_owned()
            }
        };
        Ok(Self { host, port })
    }
}

impl std::fmt::Display for NetPattern {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

macro_rules! as_text {
    ($type:ty) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
            }
        }
    };
}
as_text!(Scope);
as_text!(NetPattern);

/// The versions of the tables a profile is applied with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TableVersions {
    /// The system call filter.
    pub seccomp: u32,
    /// The core paths.
    pub core: u32,
}

/// The `[sandbox]` of a manifest.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Profile {
    /// Its name, such as `pure` or `fs-read`.
    pub profile: String,
    /// What may be read.
    pub read: Vec<Scope>,
    /// What may be changed.
    pub write: Vec<Scope>,
    /// Programs, by absolute path.
    pub exec: Vec<PathBuf>,
    /// Hosts; empty means no network at all.
    pub net: Vec<NetPattern>,
    /// Vault bindings handed to the call.
    pub credentials: Vec<String>,
    /// Bounds.
    pub limits: Limits,
}

impl Profile {
    /// The one text that stands for this profile: keys sorted, scopes symbolic, no spaces.
    pub fn canonical_json(&self) -> String {
        let words = |all: Vec<String>| Value::from(all);
        let scopes = |all: &[Scope]| words(all.iter().map(Scope::to_string).collect());
        let limits = &self.limits;
        // Written in sorted order, which the map keeps.
        let mut all = json!({
            "credentials": words(self.credentials.clone()),
            "exec": words(self.exec.iter().map(|p| exact(p)).collect()),
            "limits": {
                "cpu_ms": limits.cpu_ms,
                "files": limits.files,
                "memory_mb": limits.memory_mb,
                "output_kb": limits.output_kb,
                "processes": limits.processes,
                "tmp_mb": limits.tmp_mb,
                "wall_ms": limits.wall_ms,
            },
            "net": words(self.net.iter().map(NetPattern::to_string).collect()),
            "profile": self.profile,
            "read": scopes(&self.read),
            "write": scopes(&self.write),
        });
        // The bounds of the layer are named only where a manifest names them, so that what was signed
        // before there was one means what it meant.
        let usual = Limits::default();
        for (key, value, default) in [
            ("layer_files", limits.layer_files, usual.layer_files),
            ("layer_mb", limits.layer_mb, usual.layer_mb),
        ] {
            if value != default {
                all["limits"][key] = value.into();
            }
        }
        all.to_string()
    }

    /// The digest of the canonical text: the manifest's `hash`.
    pub fn hash(&self) -> String {
        digest("metnos profile v1", &[self.canonical_json().as_bytes()])
    }

    /// The digest of the profile together with the tables it will be applied with: `profile.lock`.
    pub fn lock(&self, tables: &TableVersions) -> String {
        let versions = format!("seccomp={} core={}", tables.seccomp, tables.core);
        digest("metnos profile.lock v1", &[self.canonical_json().as_bytes(), versions.as_bytes()])
    }
}

/// A digest of parts that cannot be confused with other parts or with another purpose.
pub(crate) fn digest(purpose: &str, parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in std::iter::once(purpose.as_bytes()).chain(parts.iter().copied()) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    format!("blake3:{}", hasher.finalize().to_hex())
}

/// What is absurd about limits, if anything: the key, what it is, and what it may be.
pub(crate) fn absurd(limits: &Limits) -> Option<(&'static str, u64, u64)> {
    const DAY_MS: u64 = 86_400_000;
    let rows = [
        ("wall_ms", limits.wall_ms, DAY_MS),
        ("cpu_ms", limits.cpu_ms, DAY_MS),
        ("memory_mb", limits.memory_mb, 64 << 10),
        ("output_kb", limits.output_kb, 4 << 20),
        ("processes", u64::from(limits.processes), 512),
        ("files", u64::from(limits.files), 1 << 16),
        ("tmp_mb", limits.tmp_mb, 64 << 10),
        ("layer_mb", limits.layer_mb, 4 << 10),
        ("layer_files", limits.layer_files, 200_000),
    ];
    rows.into_iter().find(|(_, value, most)| *value == 0 || value > most)
}

/// An absolute path that means the same however it is read.
pub(crate) fn literal(text: &str) -> Result<PathBuf, String> {
    let path = Path::new(text);
    let plain = path.components().all(|c| matches!(c, Component::RootDir | Component::Normal(_)));
    let rebuilt: PathBuf = path.components().collect();
    if !path.is_absolute() || !plain || rebuilt.as_os_str() != path.as_os_str() || text.contains('\0') {
        return Err("expected an absolute path without `.`, `..` or doubled `/`".to_owned());
    }
    Ok(rebuilt)
}

/// A path as text that no other path shares.
fn exact(path: &Path) -> String {
    match path.to_str() {
        Some(text) => text.to_owned(),
        None => format!("b64:{}", crate::path::encode(path)),
    }
}

fn is_identifier(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|c: char| c.is_ascii_lowercase() || c == '_')
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}

fn is_hostname(name: &str, least_labels: usize) -> bool {
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && !label.starts_with('-')
            && !label.ends_with('-')
            && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
    };
    // A last label of digits would be an address in disguise.
    let last = name.rsplit('.').next().unwrap_or("");
    name.len() <= 253
        && name.split('.').count() >= least_labels
        && name.split('.').all(label)
        && !last.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn scopes_read_as_they_are_written_and_nothing_else_does() {
        for text in ["workspace", "arg:base_path", "entries:path", "/var/lib/x", "/"] {
            assert_eq!(text.parse::<Scope>().unwrap().to_string(), text);
        }
        for text in [
            "",
            "arg:",
            "arg:a b",
            "home",
            "relative/x",
            "/a/../b",
            "/a//b",
            "/a/",
            "/a/./b",
            "env:HOME",
            "/a\0",
        ] {
            assert!(text.parse::<Scope>().is_err(), "{text}");
        }
    }

    #[test]
    fn net_patterns_cover_what_they_say() {
        let pattern = |text: &str| text.parse::<NetPattern>();
        assert!(pattern("*.example.org:443").unwrap().matches("A.Example.org.", 443));
        assert!(!pattern("*.example.org:443").unwrap().matches("example.org", 443));
        assert!(!pattern("*.example.org:443").unwrap().matches("badexample.org", 443));
        assert!(!pattern("example.org:443").unwrap().matches("example.org", 80));
        assert!(pattern("[::1]:80").unwrap().matches("::1", 80));
        assert!(!pattern("*:443").unwrap().matches("127.0.0.1", 443));
        assert!(pattern("*:443").unwrap().matches("example.org", 443));
        for text in [
            "",
            "x",
            "x:0",
            "x:70000",
            "x:+80",
            "*.org:1",
            "a..b:1",
            "1.2.3.400:1",
            "http://x:1",
            "X.org:1",
            "::1:80",
        ] {
            assert!(pattern(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_lock_changes_with_every_field_and_with_the_tables() {
        let tables = TableVersions { seccomp: 1, core: 1 };
        let base = Profile { profile: "pure".into(), ..Profile::default() };
        let mut others = vec![base.clone(); 9];
        others[0].read = vec![Scope::Workspace];
        others[1].write = vec![Scope::Workspace];
        others[2].exec = vec!["/bin/x".into()];
        others[3].net = vec!["x.org:1".parse().unwrap()];
        others[4].credentials = vec!["mail".into()];
        others[5].limits.files += 1;
        others[6].profile = "fs-read".into();
        others[7].limits.layer_mb += 1;
        others[8].limits.layer_files += 1;
        let mut locks: Vec<String> = others.iter().map(|p| p.lock(&tables)).collect();
        locks.push(base.lock(&tables));
        locks.push(base.lock(&TableVersions { seccomp: 2, core: 1 }));
        locks.push(base.lock(&TableVersions { seccomp: 1, core: 2 }));
        let count = locks.len();
        locks.sort();
        locks.dedup();
        assert_eq!(locks.len(), count);
    }

    #[test]
    fn canonical_keys_are_sorted() {
        let value: Value = serde_json::from_str(&Profile::default().canonical_json()).unwrap();
        let sorted = |v: &Value| v.as_object().unwrap().keys().is_sorted();
        assert!(sorted(&value) && sorted(&value["limits"]));
    }
}
