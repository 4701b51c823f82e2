//! The files that an answer names, taken away one by one. Whoever may read a file there may have it here.

use super::refusal::Problem;
use super::{Refusal, blocking};
use crate::house::House;
use crate::who::Who;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::Handed;
use serde_json::Value;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{Error, Read, Take};
use std::sync::Arc;

/// How much is read at once.
const PART: usize = 256 << 10;

/// Take away the file that a row of the answer of a turn names.
///
/// Pictures are shown, everything else is saved. Only what this person may read, and nothing that would need a yes.
#[utoipa::path(get, path = "/agent/turns/{id}/files/{row}", tag = "turns",
    params(("id" = String, Path, description = "The turn"), ("row" = u32, Path, description = "The row of its list, from 0")),
    responses((status = 200, description = "The file", content_type = "application/octet-stream"), (status = "4XX", body = Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn file(
    State(house): State<Arc<House>>,
    who: Who,
    Path((id, row)): Path<(String, String)>,
) -> Result<Response, Refusal> {
    let row: u32 = row.parse().map_err(|_| Failure::wrong_args("a row is a number, from 0"))?;
    let handed = blocking(move || {
        house.own_turn(&who, &id)?;
        let row = house.gateway.shown(&id, row as usize, 1)?.0.pop();
        let path = row.and_then(|row| metnos_executor::path::of_entry(&Value::Object(row), "path"));
        let none = || Failure::new(ErrorClass::NotFound, "this row of the answer names no file");
        house.runtime().hand_out(&who.caller(), &who.token, &path.ok_or_else(none)?)
    })
    .await?;
    Ok(sent(handed))
}

fn sent(handed: Handed) -> Response {
    let kind = handed.picture();
    let how = if kind.is_some() { "inline" } else { "attachment" };
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind.unwrap_or("application/octet-stream")));
    headers.insert(CONTENT_LENGTH, handed.bytes.into());
    let named = format!("{how}; filename*=UTF-8''{}", escaped(&handed.name()));
    headers.extend(HeaderValue::from_str(&named).ok().map(|value| (CONTENT_DISPOSITION, value)));
    (headers, body(handed.file.take(handed.bytes))).into_response()
}

/// A name in which nothing means anything to a header.
fn escaped(name: &str) -> String {
    name.bytes().fold(String::new(), |mut out, byte| {
        match byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            true => out.push(char::from(byte)),
            false => drop(write!(out, "%{byte:02X}")),
        }
        out
    })
}

fn body(file: Take<File>) -> Body {
    Body::from_stream(stream::try_unfold(file, |mut file| async move {
        let read = tokio::task::spawn_blocking(move || {
            let mut part = vec![0; PART];
            let length = file.read(&mut part)?;
            part.truncate(length);
            Ok::<_, Error>((part, file))
        });
        let (part, file) = read.await.map_err(Error::other)??;
        Ok::<_, Error>((!part.is_empty()).then_some((part, file)))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_cannot_add_to_a_header() {
        assert_eq!(escaped("a b\r\nX: \"é\".txt"), "a%20b%0D%0AX%3A%20%22%C3%A9%22.txt");
    }
}
