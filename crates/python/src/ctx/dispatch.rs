//! One `ctx` call: binds its arguments by name, performs it, and shapes the answer.

use super::{Ctx, Fetched, Named, Stat};
use base64::{Engine, engine::general_purpose::STANDARD};
use metnos_executor::path::{encode, of_entry};
use metnos_executor::{ErrorClass, Failure};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Every method of `ctx`, the names of its parameters, and how many of them it needs.
pub(crate) const METHODS: [(&str, &[&str], usize); 11] = [
    ("read_text", &["path"], 1),
    ("read_bytes", &["path"], 1),
    ("write_text", &["path", "text"], 2),
    ("list_dir", &["path"], 1),
    ("stat", &["path"], 1),
    ("now", &[], 0),
    ("progress", &["done", "total"], 1),
    ("fetch", &["url"], 1),
    ("credential", &["name"], 1),
    ("log", &["text"], 1),
    ("fail", &["error_class", "message"], 2),
];

/// The longest `ctx.log` line that is kept.
const LOG_LINE_MAX: usize = 8 << 10;

/// What a call answers.
#[derive(Debug, PartialEq)]
pub(crate) enum Reply {
    /// A value JSON can carry.
    Json(Value),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// Why a call did not answer.
#[derive(Debug)]
pub(crate) enum CallError {
    /// Called wrongly: a `TypeError` in Python.
    Usage(String),
    /// The host failed or refused.
    Failed(Failure),
    /// The executor ended itself with `ctx.fail`.
    Ended(Failure),
}

impl From<Failure> for CallError {
    fn from(failure: Failure) -> Self {
        Self::Failed(failure)
    }
}

/// Performs `ctx.<name>(*args, **kwargs)`.
pub(crate) fn call(
    ctx: &mut dyn Ctx,
    name: &str,
    args: Vec<Value>,
    kwargs: Map<String, Value>,
) -> Result<Reply, CallError> {
    let bound = Bound::new(name, args, kwargs)?;
    let json = match name {
        "read_text" => Value::String(ctx.read_text(&bound.path()?)?),
        "read_bytes" => return Ok(Reply::Bytes(ctx.read_bytes(&bound.path()?)?)),
        "write_text" => {
            ctx.write_text(&bound.path()?, bound.text("text")?)?;
            Value::Null
        }
        "list_dir" => {
            let dir = bound.path()?;
            let members = ctx.list_dir(&dir)?;
            Value::Array(members.into_iter().map(|m| member(&dir, m)).collect())
        }
        "stat" => {
            let Stat { kind, size, mtime } = ctx.stat(&bound.path()?)?;
            json!({"kind": kind.as_str(), "size": size, "mtime": mtime})
        }
        "now" => Value::String(ctx.now()?),
        "progress" => {
            let done = bound.count("done")?.ok_or_else(|| bound.usage("done must be a number"))?;
            ctx.progress(done, bound.count("total")?)?;
            Value::Null
        }
        "fetch" => {
            let Fetched { status, content_type, text } = ctx.fetch(bound.text("url")?)?;
            json!({"status": status, "content_type": content_type, "text": text})
        }
        "credential" => {
            let fields = ctx.credential(bound.text("name")?)?;
            Value::Object(fields.into_iter().map(|(name, value)| (name, Value::String(value))).collect())
        }
        "log" => {
            ctx.log(clip(bound.text("text")?, LOG_LINE_MAX));
            Value::Null
        }
        "fail" => {
            let word = Value::from(bound.text("error_class")?);
            let class = ErrorClass::deserialize(&word)
                .map_err(|_| bound.usage("error_class is not one of the classes a call may fail with"))?;
            return Err(CallError::Ended(Failure::new(class, bound.text("message")?)));
        }
        other => return Err(CallError::Usage(format!("ctx has no method {other}"))),
    };
    Ok(Reply::Json(json))
}

/// The arguments of one call by parameter name.
struct Bound {
    method: String,
    values: Map<String, Value>,
}

impl Bound {
    fn new(method: &str, args: Vec<Value>, kwargs: Map<String, Value>) -> Result<Self, CallError> {
        let (_, names, required) = METHODS
            .iter()
            .find(|(name, _, _)| *name == method)
            .ok_or_else(|| CallError::Usage(format!("ctx has no method {method}")))?;
        let mut bound = Self { method: method.to_owned(), values: Map::new() };
        if args.len() > names.len() {
            return Err(bound.usage(&format!(
                "takes at most {} arguments, {} given",
                names.len(),
                args.len()
            )));
        }
        for (name, value) in names.iter().zip(args) {
            bound.values.insert((*name).to_owned(), value);
        }
        for (key, value) in kwargs {
            if !names.contains(&key.as_str()) {
                return Err(bound.usage(&format!("has no parameter {key}")));
            }
            if bound.values.contains_key(&key) {
                return Err(bound.usage(&format!("got {key} twice")));
            }
            bound.values.insert(key, value);
        }
        match names.iter().take(*required).find(|name| !bound.values.contains_key(**name)) {
            Some(missing) => Err(bound.usage(&format!("needs {missing}"))),
            None => Ok(bound),
        }
    }

    fn usage(&self, what: &str) -> CallError {
        CallError::Usage(format!("ctx.{}: {what}", self.method))
    }

    fn text(&self, name: &str) -> Result<&str, CallError> {
        self.values
            .get(name)
            .and_then(Value::as_str)
            .ok_or_else(|| self.usage(&format!("{name} must be a str")))
    }

    fn count(&self, name: &str) -> Result<Option<u64>, CallError> {
        match self.values.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => value
                .as_u64()
                .map(Some)
                .ok_or_else(|| self.usage(&format!("{name} must be a whole number, zero or more"))),
        }
    }

    /// A path is a string or an entry that carries `path` or `path_b64`, so that names that are not
    /// UTF-8 survive the way through Python.
    fn path(&self) -> Result<PathBuf, CallError> {
        let path = match self.values.get("path") {
            Some(Value::String(text)) => Some(PathBuf::from(text)),
            Some(entry @ Value::Object(_)) => of_entry(entry, "path"),
            _ => None,
        };
        let path = path.ok_or_else(|| self.usage("path must be a str or an entry with a path"))?;
        if path.as_os_str().is_empty() {
            return Err(self.usage("path is empty"));
        }
        if path.as_os_str().as_bytes().contains(&0) {
            return Err(self.usage("path holds a zero byte"));
        }
        Ok(path)
    }
}

/// One member of a directory as an entry Python can hand back.
fn member(dir: &Path, Named { name, kind }: Named) -> Value {
    let path = dir.join(&name);
    let mut entry = json!({
        "name": name.to_string_lossy(),
        "path": path.to_string_lossy(),
        "kind": kind.as_str(),
    });
    if path.to_str().is_none() {
        entry["path_b64"] = encode(&path).into();
    }
    entry
}

/// The longest prefix of `text` that fits in `max` bytes.
fn clip(text: &str, max: usize) -> &str {
    let mut end = text.len().min(max);
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    text.get(..end).unwrap_or_default()
}

/// Bytes as the `cpython` dialogue carries them.
pub(super) fn b64(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

impl Reply {
    /// The line that answers a `cpython` call.
    pub(crate) fn into_line(self) -> Value {
        match self {
            Self::Json(value) => json!({"value": value}),
            Self::Bytes(bytes) => json!({"b64": b64(&bytes)}),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use crate::testing::World;

    fn ask(name: &str, args: Value, kwargs: Value) -> Result<Reply, String> {
        let Value::Array(args) = args else { panic!("a list") };
        let Value::Object(kwargs) = kwargs else { panic!("an object") };
        call(&mut World::with(&[("/w/a.txt", "hello")]), name, args, kwargs).map_err(|e| match e {
            CallError::Usage(text) => text,
            CallError::Failed(f) | CallError::Ended(f) => f.to_string(),
        })
    }

    #[test]
    fn arguments_bind_by_place_and_by_name() {
        let hello = Ok(Reply::Json("hello".into()));
        assert_eq!(ask("read_text", json!(["/w/a.txt"]), json!({})), hello);
        assert_eq!(ask("read_text", json!([]), json!({"path": "/w/a.txt"})), hello);
        assert_eq!(ask("read_text", json!([{"path": "/w/a.txt"}]), json!({})), hello);
        assert_eq!(ask("read_text", json!([{"path": "?", "path_b64": "L3cvYS50eHQ="}]), json!({})), hello);
    }

    #[test]
    fn wrong_calls_are_told_apart_from_refused_ones() {
        for (name, args, kwargs, said) in [
            ("read_text", json!([]), json!({}), "ctx.read_text: needs path"),
            ("read_text", json!([1]), json!({}), "ctx.read_text: path must be a str or an entry with a path"),
            ("read_text", json!([""]), json!({}), "ctx.read_text: path is empty"),
            ("read_text", json!(["/w/\u{0}"]), json!({}), "ctx.read_text: path holds a zero byte"),
            ("read_text", json!(["a", "b"]), json!({}), "ctx.read_text: takes at most 1 arguments, 2 given"),
            ("read_text", json!(["a"]), json!({"path": "b"}), "ctx.read_text: got path twice"),
            ("read_text", json!(["a"]), json!({"mode": "b"}), "ctx.read_text: has no parameter mode"),
            ("progress", json!([-1]), json!({}), "ctx.progress: done must be a whole number, zero or more"),
            ("read_text", json!(["/w/none"]), json!({}), "not_found: /w/none"),
            ("fail", json!(["wrong_args", "no"]), json!({}), "wrong_args: no"),
            ("system", json!([]), json!({}), "ctx has no method system"),
        ] {
            assert_eq!(ask(name, args, kwargs), Err(said.to_owned()));
        }
    }

    #[test]
    fn a_name_that_is_not_utf8_comes_with_its_bytes() {
        use std::os::unix::ffi::OsStringExt;
        let name = std::ffi::OsString::from_vec(b"caf\xe9".to_vec());
        let entry = member(Path::new("/w"), Named { name, kind: super::super::Kind::File });
        assert_eq!(entry["name"], "caf\u{fffd}");
        assert_eq!(of_entry(&entry, "path").unwrap().as_os_str().as_bytes(), b"/w/caf\xe9");
    }
}
