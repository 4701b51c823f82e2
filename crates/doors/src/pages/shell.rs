//! What every page has around it.

use crate::house::House;
use crate::who::Who;
use crate::words::Speech;
use askama::Template;
use axum::http::StatusCode;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};

/// Who looks at a page, in which language.
pub(crate) struct Shell {
    pub(crate) speech: Speech,
    pub(crate) name: String,
    pub(crate) csrf: String,
    pub(crate) host: bool,
    /// The key of the title, and of the entry in the menu.
    pub(crate) page: &'static str,
}

impl Shell {
    pub(crate) fn new(house: &House, who: &Who, page: &'static str) -> Self {
        Self {
            speech: house.words.speak(who.person.language.as_deref()),
            name: who.person.name.clone(),
            csrf: who.csrf.clone().unwrap_or_default(),
            host: who.is_host(),
            page,
        }
    }

    /// A sentence.
    pub(crate) fn t(&self, key: &str) -> String {
        self.speech.t(key)
    }
}

/// A page, rendered.
pub(crate) fn html(page: &impl Template) -> Response {
    match page.render() {
        Ok(text) => ([(CONTENT_TYPE, "text/html; charset=utf-8")], text).into_response(),
        Err(_) => (StatusCode::INTERNAL_SERVER_ERROR, "this page could not be drawn").into_response(),
    }
}
