//! What a door gets back from a call.

use crate::runtime::Spent;
use metnos_executor::{Failure, ListName, Outcome};
use metnos_sandbox::cell::Items;

/// A finished call.
#[derive(Debug)]
pub struct Done {
    /// Its id.
    pub call_id: String,
    /// Everything but the list.
    pub outcome: Outcome,
    /// How the list is called.
    pub list: ListName,
    /// The list.
    pub items: Items,
    /// True when this id was already performed and nothing ran now.
    pub replayed: bool,
    /// The cell it ran in, ended when the answer was taken.
    #[allow(dead_code, reason = "held only to be dropped with the answer")]
    pub(crate) spent: Option<Spent>,
}

impl Done {
    /// The same with everything that failed told in this language.
    pub(crate) fn in_language(mut self, language: &str) -> Self {
        self.outcome.error = self.outcome.error.map(|failure| failure.in_language(language));
        for failed in &mut self.outcome.failed {
            failed.message = metnos_vocab::failed_in(language, failed.error_class.as_str(), &failed.message);
        }
        self
    }

    /// The whole answer as one JSON object, its list streamed.
    pub fn write_json(&mut self, out: &mut dyn std::io::Write, with_list: bool) -> std::io::Result<()> {
        #[derive(serde::Serialize)]
        struct Header<'a> {
            #[serde(flatten)]
            outcome: &'a Outcome,
            call_id: &'a str,
        }
        let text = serde_json::to_string(&Header { outcome: &self.outcome, call_id: &self.call_id })?;
        if !with_list {
            return out.write_all(text.as_bytes());
        }
        out.write_all(&text.as_bytes()[..text.len() - 1])?;
        write!(out, ",\"{}\":[", self.list.as_str())?;
        let mut reader = self.items.reader()?;
        let mut line = Vec::new();
        let mut first = true;
        while std::io::BufRead::read_until(&mut reader, b'\n', &mut line)? > 0 {
            if line.last() == Some(&b'\n') {
                line.pop();
            }
            if !first {
                out.write_all(b",")?;
            }
            first = false;
            out.write_all(&line)?;
            line.clear();
        }
        out.write_all(b"]}")
    }

    pub(crate) fn failed(call_id: String, failure: Failure) -> Self {
        Self::new(call_id, Outcome::failure(failure), ListName::Entries, Items::Inline(Vec::new()))
    }

    /// An answer that no cell has to be kept for.
    pub(crate) fn new(call_id: String, outcome: Outcome, list: ListName, items: Items) -> Self {
        Self { call_id, outcome, list, items, replayed: false, spent: None }
    }
}
