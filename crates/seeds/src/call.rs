//! What a seed sees of the world: its arguments, its input list, the list it answers, and the
//! three ways it may speak to the daemon (intent, progress, cancel).

use metnos_executor::{ErrorClass, Failure, Intent, ListName, Origin, Outcome, Permit, Truncation};
use metnos_hands::Hands;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value};
use std::io::BufRead;
use std::path::PathBuf;

/// The daemon as a seed sees it. The host implements it over the wire, tests in memory.
pub trait Port {
    /// Makes the intent durable; returns only when the seed may act.
    fn intent(&mut self, intent: &Intent) -> Result<Permit, Failure>;
    /// Tells how far the call is. Cheap: the host drops reports that come too often.
    fn progress(&mut self, done: u64, total: Option<u64>, unit: &str);
    /// True once the person asked to stop.
    fn cancelled(&mut self) -> bool;
    /// Takes one item of the answer: one JSON object on one line, without the newline.
    fn item(&mut self, line: &[u8]) -> Result<(), Failure>;
}

/// One call of one seed.
pub struct Call<'a> {
    /// Arguments, already checked against the schema, with defaults and resolved paths.
    pub args: Map<String, Value>,
    /// The moment the call was made: the only clock a seed has.
    pub now: jiff::Zoned,
    /// The language of the person: `en`, `it`.
    pub lang: String,
    /// Counts, failures, scalars. `ok` and `partial` are settled by the host.
    pub outcome: Outcome,
    /// How the answer's list is called; changers set `Results`.
    pub list: ListName,
    entries: Option<Box<dyn BufRead + 'a>>,
    with: Option<Box<dyn BufRead + 'a>>,
    port: &'a mut dyn Port,
    items: u64,
    line: Vec<u8>,
}

impl<'a> Call<'a> {
    /// A call with its arguments and up to two input lists of newline JSON.
    pub fn new(
        args: Map<String, Value>,
        now: jiff::Zoned,
        lang: impl Into<String>,
        entries: Option<Box<dyn BufRead + 'a>>,
        with: Option<Box<dyn BufRead + 'a>>,
        port: &'a mut dyn Port,
    ) -> Self {
        Self {
            args,
            now,
            lang: lang.into(),
            outcome: Outcome::default(),
            list: ListName::Entries,
            entries,
            with,
            port,
            items: 0,
            line: Vec::new(),
        }
    }

    /// The arguments as a typed record. Unknown keys were refused by the schema before.
    pub fn args<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_value(Value::Object(self.args.clone()))
            .map_err(|e| Failure::wrong_args(e.to_string()))
    }

    /// The input list as raw lines, streamed. `None` when the call has no `entries`.
    pub fn take_entries(&mut self) -> Option<Box<dyn BufRead + 'a>> {
        self.entries.take()
    }

    /// The second input list (`with`), streamed.
    pub fn take_with(&mut self) -> Option<Box<dyn BufRead + 'a>> {
        self.with.take()
    }

    /// The paths to work on with the origin of each: the argument `paths` first, then the `path`
    /// field of every entry. Names that are not UTF-8 come back byte for byte.
    pub fn paths(&mut self) -> Result<Vec<(PathBuf, Origin)>, Failure> {
        let mut paths = Vec::new();
        if let Some(list) = self.args.get("paths").and_then(Value::as_array) {
            for item in list {
                let path: metnos_executor::BytePath = serde_json::from_value(item.clone())
                    .map_err(|e| Failure::wrong_args(format!("paths: {e}")))?;
                paths.push((path.0, Origin::User));
            }
        }
        if let Some(mut source) = self.take_entries() {
            let mut index = 0u64;
            while let Some(line) = next_line(&mut source, &mut self.line)? {
                let entry: Value = parse(line, index)?;
                match metnos_executor::path::of_entry(&entry, "path") {
                    Some(path) => paths.push((path, Origin::of(&entry))),
                    None => self.outcome.fail(
                        index,
                        format!("entry {index}"),
                        ErrorClass::WrongArgs,
                        "the entry has no `path`",
                    ),
                }
                index += 1;
            }
        }
        Ok(paths)
    }

    /// Answers one item. `origin` becomes its `_origin`.
    pub fn emit<T: Serialize>(&mut self, item: &T, origin: Origin) -> Result<(), Failure> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, item).map_err(|e| Failure::internal(e.to_string()))?;
        match (self.line.first().copied(), self.line.pop()) {
            (Some(b'{'), Some(b'}')) => {}
            _ => return Err(Failure::internal("an item is not a JSON object")),
        }
        if self.line.len() > 1 {
            self.line.push(b',');
        }
        self.line.extend_from_slice(b"\"_origin\":\"");
        self.line.extend_from_slice(origin.as_str().as_bytes());
        self.line.extend_from_slice(b"\"}");
        self.items += 1;
        self.port.item(&self.line)
    }

    /// Passes an input line on unchanged, its `_origin` included.
    pub fn pass(&mut self, line: &[u8]) -> Result<(), Failure> {
        self.items += 1;
        self.port.item(line)
    }

    /// How many items were answered so far.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// Declares that `cap_field = cap_value` cut the answer.
    pub fn truncated(&mut self, what: &str, used: u64, total: Option<u64>, cap_field: &str, cap_value: u64) {
        self.outcome.truncation = Some(Truncation {
            truncated: true,
            truncated_what: what.into(),
            used,
            available_total: total,
            cap_field: cap_field.into(),
            cap_value,
        });
    }

    /// Sets a scalar beside the list.
    pub fn set(&mut self, key: &str, value: impl Into<Value>) {
        self.outcome.fields.insert(key.into(), value.into());
    }

    /// Tells how far the call is, and stops it if the person asked to.
    pub fn progress(&mut self, done: u64, total: Option<u64>, unit: &str) -> Result<(), Failure> {
        self.port.progress(done, total, unit);
        if self.port.cancelled() {
            return Err(Failure::new(ErrorClass::Cancelled, format!("stopped after {done} {unit}")));
        }
        Ok(())
    }

    /// Says exactly what is about to happen and waits until it may. The hands that come back
    /// perform those operations and no others.
    pub fn intent(&mut self, intent: Intent) -> Result<Hands, Failure> {
        let permit = self.port.intent(&intent)?;
        Ok(Hands::approved(intent, permit))
    }
}

/// The next line of `source` without its newline, empty lines skipped; `None` at the end.
pub fn next_line<'b>(source: &mut dyn BufRead, buffer: &'b mut Vec<u8>) -> Result<Option<&'b [u8]>, Failure> {
    loop {
        buffer.clear();
        let n = source.read_until(b'\n', buffer).map_err(|e| Failure::io("the input list", &e))?;
        if n == 0 {
            return Ok(None);
        }
        if buffer.last() == Some(&b'\n') {
            buffer.pop();
        }
        if !buffer.is_empty() {
            return Ok(Some(buffer));
        }
    }
}

/// An input line as JSON, or a failure that names its place.
pub fn parse(line: &[u8], index: u64) -> Result<Value, Failure> {
    serde_json::from_slice(line).map_err(|e| Failure::wrong_args(format!("entry {index}: {e}")))
}
