//! Whether the house stands, in numbers, and what it can be asked.

use crate::house::House;
use axum::Json;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use utoipa::ToSchema;

/// A sign of life.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// True while requests are taken.
    ok: bool,
    /// The version.
    version: &'static str,
    /// Seconds since the start.
    up_seconds: u64,
    /// True while everything is stopped by `metnos stop`.
    stopped: bool,
    /// The Telegram door, where it is open.
    #[serde(skip_serializing_if = "Option::is_none")]
    telegram: Option<TelegramHealth>,
}

/// Whether the Telegram door is alive.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TelegramHealth {
    /// Seconds since the last poll that was answered; absent before the first.
    #[serde(skip_serializing_if = "Option::is_none")]
    poll_age_seconds: Option<u64>,
    /// Replies that wait to be sent.
    outbox: u64,
}

impl TelegramHealth {
    fn of(house: &House) -> Option<Self> {
        house.telegram.is_open().then(|| Self {
            poll_age_seconds: house.telegram.age(house.since).map(|age| age.as_secs()),
            outbox: house.runtime().db().telegram_waiting().unwrap_or_default(),
        })
    }
}

/// Whether it is alive. Says nothing about anybody, so everybody may ask.
#[utoipa::path(get, path = "/healthz", tag = "house", responses((status = 200, body = Health)))]
pub(crate) async fn healthz(State(house): State<Arc<House>>) -> Json<Health> {
    Json(Health {
        ok: !house.is_closing(),
        version: env!("CARGO_PKG_VERSION"),
        up_seconds: house.since.elapsed().as_secs(),
        stopped: metnos_runtime::halt::stopped(&house.runtime().home).is_some(),
        telegram: TelegramHealth::of(&house),
    })
}

/// Numbers for Prometheus.
#[utoipa::path(get, path = "/metrics", tag = "house",
    responses((status = 200, description = "Prometheus text", content_type = "text/plain", body = String), (status = "4XX", body = super::refusal::Problem)),
    security(("token" = []), ("session" = [])))]
pub(crate) async fn metrics(State(house): State<Arc<House>>, _admin: crate::who::Admin) -> Response {
    let (running, waiting) = house.hub.load();
    let mut gauges = vec![
        ("metnos_up_seconds", "Seconds since the start.", house.since.elapsed().as_secs_f64()),
        ("metnos_turns_running", "Turns at work.", running as f64),
        ("metnos_turns_waiting", "Turns that wait for room.", f64::from(waiting)),
        ("metnos_streams_open", "Open event streams.", house.counts.streams.load(Ordering::Relaxed) as f64),
        ("metnos_resident_bytes", "Resident memory of the daemon.", resident() as f64),
    ];
    if let Some(telegram) = TelegramHealth::of(&house) {
        // Before the first poll it is as old as the house.
        let age = telegram.poll_age_seconds.unwrap_or_else(|| house.since.elapsed().as_secs());
        gauges.push((
            "metnos_telegram_poll_age_seconds",
            "Seconds since the last answered poll.",
            age as f64,
        ));
        gauges.push(("metnos_telegram_outbox", "Replies that wait to be sent.", telegram.outbox as f64));
    }
    ([(CONTENT_TYPE, "text/plain; version=0.0.4")], house.counts.text(&gauges)).into_response()
}

/// Resident memory of this process, in bytes.
pub(crate) fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split_whitespace().nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}

/// The API, described.
pub(crate) async fn openapi(text: Arc<String>) -> Response {
    ([(CONTENT_TYPE, "application/json")], text.as_str().to_owned()).into_response()
}
