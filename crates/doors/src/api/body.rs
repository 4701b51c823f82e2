//! What a program sends: JSON of a bounded size that arrives in a bounded time.

use super::Refusal;
use crate::house::House;
use crate::who::Who;
use axum::extract::{FromRequest, Request};
use axum::http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use metnos_executor::{ErrorClass, Failure};
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::Duration;

/// The largest body.
const MOST: usize = 2 << 20;
/// How long one may take to arrive.
const PATIENCE: Duration = Duration::from_secs(10);

/// A body, read.
pub(crate) struct Said<T>(pub(crate) T);

/// A body of somebody who is not known yet: it holds a token and no more.
pub(crate) struct Knock<T>(pub(crate) T);

/// The largest body of somebody who is not known.
const KNOCK: usize = 4 << 10;

impl<T: DeserializeOwned> FromRequest<Arc<House>> for Said<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, house: &Arc<House>) -> Result<Self, Refusal> {
        // Whoever sends it was let in before it is read.
        let who = Who::of(house, request.headers(), request.method())?;
        let told =
            request.headers().get(CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        house.sends(&who, told.unwrap_or(MOST).min(MOST))?;
        read(request, MOST).await.map(Self)
    }
}

impl<T: DeserializeOwned> FromRequest<Arc<House>> for Knock<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, _house: &Arc<House>) -> Result<Self, Refusal> {
        read(request, KNOCK).await.map(Self)
    }
}

async fn read<T: DeserializeOwned>(request: Request, most: usize) -> Result<T, Refusal> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).map(str::trim);
    // A form on another site can send texts and forms, never this.
    if kind != Some("application/json") {
        return Err(Failure::wrong_args("the body must be JSON")
            .with_hint("Content-Type: application/json")
            .into());
    }
    let read = tokio::time::timeout(PATIENCE, axum::body::to_bytes(request.into_body(), most)).await;
    let Ok(read) = read else {
        return Err(Failure::new(ErrorClass::Timeout, "the body took too long to arrive").into());
    };
    let bytes = read.map_err(|_| {
        Failure::new(ErrorClass::TooLarge, format!("the body is longer than {most} bytes, or was cut"))
    })?;
    let wrong = |e: serde_json::Error| {
        Failure::wrong_args(format!("the body: {e}")).with_hint("/openapi.json describes it")
    };
    Ok(serde_json::from_slice(&bytes).map_err(wrong)?)
}
