//! What every page has around it, and how it writes moments, numbers and sizes.

use crate::house::House;
use crate::who::Who;
use crate::words::Speech;
use askama::Template;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use metnos_executor::shown;

/// The sentences that scripts say. They come with the page: a script knows no language.
pub(crate) const SCRIPT_WORDS: &[&str] = &[
    "act-cancel",
    "act-go-on",
    "act-details",
    "act-repeat",
    "act-retry",
    "act-star",
    "act-star-why",
    "act-undo",
    "arg-base_path",
    "arg-by",
    "arg-contains",
    "arg-content",
    "arg-dst",
    "arg-dst_dir",
    "arg-expression",
    "arg-field",
    "arg-format",
    "arg-hidden",
    "arg-kind",
    "arg-limit",
    "arg-max_results",
    "arg-mode",
    "arg-modified_after",
    "arg-modified_before",
    "arg-name_template",
    "arg-order",
    "arg-path",
    "arg-paths",
    "arg-patterns",
    "arg-query",
    "arg-recursive",
    "arg-size_max",
    "arg-size_min",
    "arg-to",
    "arg-top",
    "arg-value",
    "arg-where",
    "by-model",
    "cancelling",
    "card-always",
    "card-by",
    "card-details",
    "card-expired",
    "card-never",
    "card-no",
    "card-once",
    "card-session",
    "card-until",
    "column-content",
    "column-copy",
    "column-count",
    "column-cpu",
    "column-dst",
    "column-ext",
    "column-files",
    "column-free",
    "column-group",
    "column-key",
    "column-kind",
    "column-line",
    "column-memory",
    "column-mtime",
    "column-name",
    "column-ok",
    "column-pages",
    "column-path",
    "column-size",
    "column-src",
    "column-text",
    "column-title",
    "column-to",
    "column-type",
    "column-user",
    "column-value",
    "file-take",
    "form-send",
    "offer-none",
    "form-credential",
    "form-credential-field",
    "form-keep",
    "lost",
    "lost-now",
    "picture-alt",
    "progress",
    "progress-looks",
    "progress-of",
    "starred",
    "starred-none",
    "status-asks",
    "status-cancelled",
    "status-done",
    "status-dormant",
    "status-failed",
    "status-gap",
    "status-interrupted",
    "status-partly",
    "status-running",
    "status-unclear",
    "status-waits",
    "step-begins",
    "step-done",
    "step-failed",
    "step-failed-count",
    "step-ok",
    "step-partly",
    "step-planned",
    "step-waits",
    "steps",
    "steps-show",
    "table-label",
    "table-more",
    "table-rows",
    "taken-partly",
    "taken-wholly",
    "thinking",
    "turn-steps",
    "undone",
    "words-details",
    "working",
];

/// How many characters of a request a list shows.
const REQUEST: usize = 300;

/// The values that scripts fill in, as they find them.
const HOLES: &[(&str, &str)] = &[
    ("n", "{n}"),
    ("m", "{m}"),
    ("when", "{when}"),
    ("who", "{who}"),
    ("text", "{text}"),
    ("name", "{name}"),
    ("field", "{field}"),
];

/// The pages about the house: name, address, whether only the host may look at it.
const MENU: &[(&str, &str, bool)] = &[
    ("overview", "/admin/", true),
    ("approvals", "/admin/approvals", false),
    ("turns", "/admin/turns", false),
    ("undo", "/admin/undo", false),
    ("plans", "/admin/plans", false),
    ("executors", "/admin/executors", true),
    ("gaps", "/admin/gaps", true),
    ("safety", "/admin/safety", true),
    ("people", "/admin/people", false),
    ("models", "/admin/models", true),
    ("system", "/admin/system", true),
];

/// Who looks at a page, in which language.
pub(crate) struct Shell {
    pub(crate) speech: Speech,
    pub(crate) name: String,
    pub(crate) csrf: String,
    pub(crate) host: bool,
    /// The key of the title, and of the entry in the menu.
    pub(crate) page: &'static str,
    zone: jiff::tz::TimeZone,
}

impl Shell {
    pub(crate) fn new(house: &House, who: &Who, page: &'static str) -> Self {
        Self {
            speech: house.words.speak(who.person.language.as_deref()),
            name: who.person.name.clone(),
            csrf: who.csrf.clone().unwrap_or_default(),
            host: who.is_host(),
            page,
            zone: who.zone(),
        }
    }

    /// A sentence.
    pub(crate) fn t(&self, key: &str) -> String {
        self.speech.t(key)
    }

    /// A sentence with one value.
    pub(crate) fn say(&self, key: &str, name: &str, value: impl ToString) -> String {
        self.speech.say(key, &[(name, &value.to_string())])
    }

    /// A word of a family, such as the name of a status; the word itself where there is none.
    pub(crate) fn one_of(&self, family: &str, word: &str) -> String {
        let key = format!("{family}-{word}");
        let said = self.t(&key);
        if said == key { word.to_owned() } else { said }
    }

    /// The title of this page.
    pub(crate) fn title(&self) -> String {
        self.one_of("title", self.page)
    }

    /// The pages this person may look at: title, address, whether it is this one.
    pub(crate) fn menu(&self) -> Vec<(String, &'static str, bool)> {
        let open = MENU.iter().filter(|(.., host)| self.host || !host);
        open.map(|(page, path, _)| (self.one_of("title", page), *path, *page == self.page)).collect()
    }

    /// What scripts say, as JSON.
    pub(crate) fn script_words(&self) -> String {
        let words: serde_json::Map<String, serde_json::Value> =
            SCRIPT_WORDS.iter().map(|key| ((*key).to_owned(), self.speech.say(key, HOLES).into())).collect();
        serde_json::Value::Object(words).to_string()
    }

    /// A request as a list shows it.
    pub(crate) fn request(&self, text: &str) -> String {
        clipped(text, REQUEST, &self.t("empty-request"))
    }

    /// A moment in this person's zone; what is none as it is.
    pub(crate) fn when(&self, text: &str) -> String {
        match text.parse::<jiff::Timestamp>() {
            Ok(at) => at.to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M").to_string(),
            Err(_) => text.to_owned(),
        }
    }

    /// A moment that may not have been.
    pub(crate) fn when_any(&self, text: &Option<String>) -> String {
        text.as_deref().map(|text| self.when(text)).unwrap_or_default()
    }

    /// A number with its thousands apart.
    pub(crate) fn number(&self, value: &u64) -> String {
        let digits = value.to_string();
        let mut out = String::new();
        for (n, digit) in digits.chars().enumerate() {
            if n > 0 && (digits.len() - n).is_multiple_of(3) {
                out.push('\u{202f}');
            }
            out.push(digit);
        }
        out
    }

    /// The name of a language.
    pub(crate) fn language(&self, code: &str) -> String {
        self.speech.language_named(code)
    }

    /// Bytes as people read them.
    pub(crate) fn size(&self, bytes: &u64) -> String {
        let mut value = *bytes as f64;
        let mut units = ["B", "kB", "MB", "GB", "TB"].into_iter();
        let mut unit = units.next().unwrap_or_default();
        for larger in units {
            if value < 1000.0 {
                break;
            }
            value /= 1000.0;
            unit = larger;
        }
        let text = if unit == "B" || value >= 100.0 { format!("{value:.0}") } else { format!("{value:.1}") };
        format!("{} {unit}", self.speech.number(&text))
    }

    /// How long something has lasted, in its two largest units.
    pub(crate) fn lasted(&self, seconds: &u64) -> String {
        match *seconds {
            s if s < 60 => format!("{s} s"),
            s if s < 3600 => format!("{} min", s / 60),
            s if s < 86_400 => format!("{} h {} min", s / 3600, s % 3600 / 60),
            s => self.say("days", "n", s / 86_400),
        }
    }

    /// How long something took, from milliseconds.
    pub(crate) fn took(&self, ms: &f64) -> String {
        let text = match ms {
            ms if *ms < 10.0 => format!("{ms:.1} ms"),
            ms if *ms < 1000.0 => format!("{ms:.0} ms"),
            ms => format!("{:.1} s", ms / 1000.0),
        };
        self.speech.number(&text)
    }
}

/// What was asked, short enough for a list; an empty one is said to be so.
fn clipped(text: &str, most: usize, empty: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(most) {
        _ if text.is_empty() => empty.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}

/// The first line of a text, and the rest.
pub(crate) fn headed(text: &str) -> (&str, &str) {
    let text = text.trim();
    text.split_once('\n').map_or((text, ""), |(first, rest)| (first, rest.trim()))
}

/// JSON for the eye.
pub(crate) fn pretty(value: &serde_json::Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// A text as JSON, for what a button sends.
pub(crate) fn quoted(text: &str) -> String {
    // What is unseen is written by its number: on a page it would be replaced, and what is sent is the text itself.
    let written = |sign: char| match shown::is_unseen(sign) {
        true => sign.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect(),
        false => sign.to_string(),
    };
    serde_json::Value::from(text).to_string().chars().map(written).collect()
}

/// A page, rendered: nothing of the world in it hides, turns or moves what stands beside it.
pub(crate) fn html(page: &impl Template) -> Response {
    match page.render() {
        Ok(text) => ([(CONTENT_TYPE, "text/html; charset=utf-8")], shown::text(&text)).into_response(),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "this page could not be drawn").into_response(),
    }
}

/// Whether a program asks, and not a browser.
pub(crate) fn wants_json(headers: &HeaderMap) -> bool {
    let accepted = headers.get(ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    accepted.contains("application/json") && !accepted.contains("text/html")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::words::Words;

    #[test]
    fn a_list_shows_enough_of_a_request_and_an_empty_one_can_be_pressed() {
        assert_eq!(clipped("what time is it", 300, "-"), "what time is it");
        assert_eq!(clipped(" \n ", 300, "(empty)"), "(empty)");
        let long = clipped(&"è".repeat(120_000), 300, "-");
        assert_eq!((long.chars().count(), long.ends_with('…')), (301, true));
    }

    #[test]
    fn the_heading_of_a_card_is_its_first_line() {
        assert_eq!(headed("Delete a.txt?\n  /home/a.txt\n"), ("Delete a.txt?", "/home/a.txt"));
        assert_eq!(headed("Delete a.txt?\n"), ("Delete a.txt?", ""));
    }

    #[test]
    fn the_name_of_a_state_has_no_value_to_fill_in() {
        for language in metnos_tongue::codes() {
            let speech = Words::shipped().unwrap().speak(Some(language));
            for state in ["planned", "begins", "done", "partly", "waits", "failed"] {
                let said = speech.say(&format!("step-{state}"), HOLES);
                assert!(!said.contains('{') && !said.starts_with("step-"), "{language}: {said}");
            }
            assert!(speech.say("step-failed-count", HOLES).contains("{n}"));
        }
    }
}
