//! Text collected up to a cap. Readers of documents push into it and stop when it is full.

/// Collected text that never grows beyond its cap.
pub(crate) struct Sink {
    text: String,
    cap: usize,
    full: bool,
}

impl Sink {
    /// Room for `cap` bytes of text.
    pub(crate) fn new(cap: usize) -> Self {
        Self { text: String::new(), cap, full: false }
    }

    /// Adds as much of `text` as fits, never half a character. Once something did not fit,
    /// nothing more is added, so that the text has no hole.
    pub(crate) fn push(&mut self, text: &str) {
        if self.full {
            return;
        }
        let room = self.cap.saturating_sub(self.text.len());
        if text.len() <= room {
            self.text.push_str(text);
            return;
        }
        self.full = true;
        let mut end = room;
        while !text.is_char_boundary(end) {
            end = end.saturating_sub(1);
        }
        self.text.push_str(text.get(..end).unwrap_or_default());
    }

    /// True when something did not fit.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    /// The last character so far.
    pub(crate) fn last(&self) -> Option<char> {
        self.text.chars().next_back()
    }

    /// The text.
    pub(crate) fn into_text(self) -> String {
        self.text
    }
}
