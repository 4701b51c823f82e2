//! The arguments and lists of a call, before it is one: parsed, bounded, checked against the
//! schema, and put where a cell can stream them.

use metnos_executor::schema::Schema;
use metnos_executor::{ErrorClass, Failure, Origin, wire};
use serde_json::{Map, Value};
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Read, Seek, Write};
use std::path::PathBuf;

/// The longest arguments of one call, lists apart.
pub const ARGS_MAX: usize = 3 << 20;
/// The longest list of one call.
pub const LIST_MAX: u64 = 1 << 30;
/// The longest single entry.
pub const ENTRY_MAX: u64 = 16 << 20;

/// A list in a sealed memory file, one JSON object a line.
#[derive(Debug)]
pub struct List {
    file: File,
    /// How many lines.
    pub count: u64,
    /// blake3 of its bytes.
    pub digest: blake3::Hash,
}

impl List {
    /// Reads newline JSON, checks every line against `schema`, and seals the result.
    pub fn read(source: impl Read, name: &str, schema: Option<&Schema>) -> Result<Self, Failure> {
        let io = |e: std::io::Error| Failure::io(name, &e);
        let mut source = BufReader::with_capacity(256 << 10, source);
        let mut file = BufWriter::with_capacity(256 << 10, wire::memory_file("metnos-list").map_err(io)?);
        let (mut line, mut count, mut bytes) = (Vec::new(), 0u64, 0u64);
        let mut hasher = blake3::Hasher::new();
        loop {
            line.clear();
            let n = (&mut source).take(ENTRY_MAX + 1).read_until(b'\n', &mut line).map_err(io)?;
            if n == 0 {
                break;
            }
            if n as u64 > ENTRY_MAX {
                return Err(too_large(name, format!("entry {count} is longer than {} MiB", ENTRY_MAX >> 20)));
            }
            while matches!(line.last(), Some(b'\n' | b'\r')) {
                line.pop();
            }
            if line.is_empty() {
                continue;
            }
            check_line(&line, schema)
                .map_err(|e| Failure::wrong_args(format!("{name}, line {}: {e}", count + 1)))?;
            line.push(b'\n');
            bytes += line.len() as u64;
            if bytes > LIST_MAX {
                return Err(too_large(name, format!("more than {} GiB", LIST_MAX >> 30)));
            }
            hasher.update(&line);
            file.write_all(&line).map_err(io)?;
            count += 1;
        }
        let file = file.into_inner().map_err(|e| Failure::internal(e.to_string()))?;
        wire::seal(&file).map_err(io)?;
        Ok(Self { file, count, digest: hasher.finalize() })
    }

    /// The same from JSON values given inline.
    pub fn from_values(values: &[Value], name: &str, schema: Option<&Schema>) -> Result<Self, Failure> {
        let mut text = Vec::new();
        for value in values {
            serde_json::to_writer(&mut text, value).map_err(|e| Failure::wrong_args(e.to_string()))?;
            text.push(b'\n');
        }
        Self::read(&text[..], name, schema)
    }

    /// The sealed file, from its start.
    pub fn file(&mut self) -> Result<&File, Failure> {
        self.file.rewind().map_err(|e| Failure::io("a list", &e))?;
        Ok(&self.file)
    }

    /// The least trusted origin among the entries, and what the first entry with it is called.
    pub fn worst_origin(&self) -> Result<(Origin, String), Failure> {
        let mut worst = (Origin::User, String::new());
        let file = self.file.try_clone().map_err(|e| Failure::io("a list", &e))?;
        let mut reader = BufReader::with_capacity(256 << 10, file);
        reader.rewind().map_err(|e| Failure::io("a list", &e))?;
        for line in reader.split(b'\n') {
            let line = line.map_err(|e| Failure::io("a list", &e))?;
            let entry: Value = serde_json::from_slice(&line).map_err(|e| Failure::internal(e.to_string()))?;
            let origin = Origin::of(&entry);
            if origin > worst.0 {
                let name = ["path", "name", "text"].into_iter().find_map(|key| entry.get(key)?.as_str());
                worst = (origin, name.unwrap_or("an entry").to_owned());
            }
        }
        Ok(worst)
    }

    /// Its bytes, if they are at most `max`.
    pub fn text(&self, max: u64) -> Result<Option<String>, Failure> {
        let failed = |e: std::io::Error| Failure::io("a list", &e);
        let mut file = self.file.try_clone().map_err(failed)?;
        file.rewind().map_err(failed)?;
        let mut text = String::new();
        let read = (&mut file).take(max + 1).read_to_string(&mut text).map_err(failed)?;
        Ok((read as u64 <= max).then_some(text))
    }

    /// The paths in `field` of every entry.
    pub fn paths(&self, field: &str) -> Result<Vec<PathBuf>, Failure> {
        let mut paths = Vec::new();
        // Both handles share one offset; `file` rewinds before a cell gets it.
        let file = self.file.try_clone().map_err(|e| Failure::io("a list", &e))?;
        let mut reader = BufReader::with_capacity(256 << 10, file);
        reader.rewind().map_err(|e| Failure::io("a list", &e))?;
        for line in reader.split(b'\n') {
            let line = line.map_err(|e| Failure::io("a list", &e))?;
            let entry: Value = serde_json::from_slice(&line).map_err(|e| Failure::internal(e.to_string()))?;
            paths.extend(metnos_executor::path::of_entry(&entry, field));
        }
        Ok(paths)
    }
}

fn check_line(line: &[u8], schema: Option<&Schema>) -> Result<(), String> {
    match schema {
        Some(schema) => schema.check_slice(line).map_err(|e| e.to_string()),
        None => serde_json::from_slice::<Map<String, Value>>(line).map(|_| ()).map_err(|e| e.to_string()),
    }
}

fn too_large(name: &str, what: String) -> Failure {
    Failure::new(ErrorClass::TooLarge, format!("{name}: {what}"))
}

/// Arguments from text: an object, or a clear failure with line and column.
pub fn parse_args(text: &[u8]) -> Result<Map<String, Value>, Failure> {
    if text.len() > ARGS_MAX {
        return Err(too_large("arguments", format!("{} bytes; lists go to --entries", text.len())));
    }
    let text = std::str::from_utf8(text).map_err(|e| {
        Failure::wrong_args(format!("arguments are not UTF-8: byte {} is not text", e.valid_up_to() + 1))
    })?;
    if text.trim().is_empty() {
        return Err(
            Failure::wrong_args("arguments are empty").with_hint("an executor without arguments takes {}")
        );
    }
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Object(map)) => Ok(map),
        Ok(other) => Err(Failure::wrong_args(format!("arguments are {}, expected an object", kind(&other)))),
        Err(e) => {
            Err(Failure::wrong_args(format!("arguments, line {} column {}: {e}", e.line(), e.column())))
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// A call's arguments and lists, checked.
#[derive(Debug)]
pub struct Prepared {
    /// Without the lists.
    pub args: Map<String, Value>,
    /// The input list.
    pub entries: Option<List>,
    /// The second list.
    pub with: Option<List>,
}
