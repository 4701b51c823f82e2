//! Paths as the bytes they are. JSON cannot carry a name that is not UTF-8, so such a name
//! travels as base64 beside a lossy form for the eye.

use base64::{Engine, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use std::ffi::OsString;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

/// A path that survives JSON byte for byte: a string when it is UTF-8, else `{"path_b64": …}`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BytePath(pub PathBuf);

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Wire {
    Text(String),
    Bytes { path_b64: String },
}

impl Serialize for BytePath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => serializer.serialize_str(text),
            None => Wire::Bytes { path_b64: encode(&self.0) }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for BytePath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Wire::deserialize(deserializer)? {
            Wire::Text(text) => Ok(Self(PathBuf::from(text))),
            Wire::Bytes { path_b64 } => {
                decode(&path_b64).map(Self).ok_or_else(|| D::Error::custom("path_b64 is not base64"))
            }
        }
    }
}

impl AsRef<Path> for BytePath {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl From<PathBuf> for BytePath {
    fn from(path: PathBuf) -> Self {
        Self(path)
    }
}

/// The base64 of a path's bytes, for `path_b64`.
pub fn encode(path: &Path) -> String {
    STANDARD.encode(path.as_os_str().as_bytes())
}

/// The path whose bytes `text` encodes.
pub fn decode(text: &str) -> Option<PathBuf> {
    STANDARD.decode(text).ok().map(|bytes| PathBuf::from(OsString::from_vec(bytes)))
}

/// The path an entry names: `path_b64` when it is there, else `path`.
pub fn of_entry(entry: &serde_json::Value, field: &str) -> Option<PathBuf> {
    let text = |key: &str| entry.get(key).and_then(|v| v.as_str());
    match text(&format!("{field}_b64")) {
        Some(b64) => decode(b64),
        None => text(field).map(PathBuf::from),
    }
}
