//! What `print` wrote, kept until the run ends and never more than a screenful of screens.

use monty_types::{MontyException, PrintWriter, PrintWriterCallback};
use std::borrow::Cow;

/// The most that is kept; the rest is dropped, because printing is not answering.
const KEPT: usize = 64 << 10;

#[derive(Default)]
pub(super) struct Prints {
    text: String,
}

impl Prints {
    pub(super) fn writer(&mut self) -> PrintWriter<'_> {
        PrintWriter::Callback(self)
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.text.lines()
    }
}

impl PrintWriterCallback for Prints {
    fn stdout_write(&mut self, output: Cow<'_, str>) -> Result<(), MontyException> {
        for c in output.chars() {
            if self.text.len() >= KEPT {
                break;
            }
            self.text.push(c);
        }
        Ok(())
    }

    fn stdout_push(&mut self, end: char) -> Result<(), MontyException> {
        if self.text.len() < KEPT {
            self.text.push(end);
        }
        Ok(())
    }
}
