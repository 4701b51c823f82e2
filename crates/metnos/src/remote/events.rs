//! A stream of events, read line by line.

use metnos_executor::{ErrorClass, Failure};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};

/// One event.
#[derive(Debug, PartialEq)]
pub(crate) struct Event {
    /// Its name.
    pub(crate) name: String,
    /// What it says.
    pub(crate) data: Value,
}

/// The events of a stream, until it ends.
pub(crate) struct Events<R>(BufReader<R>);

impl<R: Read> Events<R> {
    pub(crate) fn new(stream: R) -> Self {
        Self(BufReader::new(stream))
    }
}

impl<R: Read> Iterator for Events<R> {
    type Item = Result<Event, Failure>;

    fn next(&mut self) -> Option<Self::Item> {
        let (mut name, mut data) = (String::new(), String::new());
        loop {
            let mut line = String::new();
            match self.0.read_line(&mut line) {
                Ok(0) => return None,
                Ok(_) => {}
                Err(e) => {
                    return Some(Err(Failure::new(ErrorClass::Network, format!("the stream broke: {e}"))));
                }
            }
            let line = line.trim_end_matches(['\n', '\r']);
            match line.split_once(':') {
                _ if line.is_empty() && data.is_empty() => {}
                _ if line.is_empty() => {
                    let read = serde_json::from_str(&data);
                    let read = read.map_err(|e| Failure::internal(format!("an event that is no JSON: {e}")));
                    return Some(read.map(|data| Event { name, data }));
                }
                // A comment: a sign of life.
                Some(("", _)) | None => {}
                Some(("event", value)) => value.trim_start().clone_into(&mut name),
                Some(("data", value)) => data.push_str(value.strip_prefix(' ').unwrap_or(value)),
                Some(_) => {}
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn names_and_data_are_read_and_signs_of_life_are_not_events() {
        let text = ": here\n\nevent: step\nid: 3\ndata: {\"a\":\ndata: 1}\n\n:\n\nevent: final\ndata: {}\n\n";
        let events: Vec<Event> = Events::new(text.as_bytes()).map(Result::unwrap).collect();
        assert_eq!(events.len(), 2);
        assert_eq!((events[0].name.as_str(), events[0].data["a"].as_i64()), ("step", Some(1)));
        assert_eq!(events[1].name, "final");
    }
}
