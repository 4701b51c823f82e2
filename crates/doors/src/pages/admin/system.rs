//! The machine below: what is in force, what is kept, whether it holds; and the one button that stops everything.

use super::{AdminPage, Done, For, acted};
use crate::api::{Refusal, blocking, resident};
use crate::house::House;
use crate::pages::Shell;
use crate::who::{Admin, Who};
use askama::Template;
use axum::Json;
use axum::extract::State;
use metnos_executor::Failure;
use metnos_runtime::config::{self, Config};
use metnos_runtime::halt::{self, Stopped};
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::Ordering;

#[derive(Clone, Serialize)]
struct Setting {
    key: String,
    value: String,
    default: String,
    from: String,
}

#[derive(Serialize)]
pub(super) struct View {
    version: &'static str,
    home: String,
    up_seconds: u64,
    resident_bytes: u64,
    streams: i64,
    running: usize,
    queued: u32,
    warm_hits: Option<u64>,
    warm_misses: Option<u64>,
    stopped: Option<String>,
    roots: Vec<String>,
    sizes: Vec<(&'static str, u64)>,
    settings: Vec<Setting>,
    config_path: String,
}

#[derive(Template)]
#[template(path = "admin/system.html")]
pub(super) struct Page {
    shell: Shell,
    view: View,
}

impl AdminPage for Page {
    const NAME: &'static str = "system";
    const FOR: For = For::Host;
    type Asked = ();
    type View = View;

    fn look(house: &House, _: &Who, (): Self::Asked) -> Result<View, Failure> {
        look(house)
    }

    fn draw(shell: Shell, view: View) -> Self {
        Self { shell, view }
    }
}

fn look(house: &House) -> Result<View, Failure> {
    let runtime = house.runtime();
    let path = Config::path(&runtime.home);
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    let setting = |row: config::InForce| Setting {
        key: row.key,
        value: row.value,
        default: row.default,
        from: row.from,
    };
    let (running, queued) = house.hub.load();
    let warm = runtime.warm_cells();
    Ok(View {
        version: env!("CARGO_PKG_VERSION"),
        home: runtime.home.state_dir().display().to_string(),
        up_seconds: house.since.elapsed().as_secs(),
        resident_bytes: resident(),
        streams: house.counts.streams.load(Ordering::Relaxed),
        running,
        queued,
        warm_hits: warm.map(|(hits, _)| hits),
        warm_misses: warm.map(|(_, misses)| misses),
        stopped: halt::stopped(&runtime.home).map(|stopped| stopped.to_string()),
        roots: runtime.roots().iter().map(|root| root.display().to_string()).collect(),
        sizes: super::sizes(house),
        settings: config::in_force(&text)?.into_iter().map(setting).collect(),
        config_path: path.display().to_string(),
    })
}

/// Tries whether everything holds, now.
pub(super) async fn doctor(State(house): State<Arc<House>>, Admin(_): Admin) -> Result<Json<Done>, Refusal> {
    let findings = blocking(move || Ok(house.runtime().examine())).await?;
    let line = |finding: &metnos_runtime::doctor::Finding| {
        let mark = if finding.ok { "✓" } else { "✗" };
        let fix = finding.fix.as_ref().map(|fix| format!(" → {fix}")).unwrap_or_default();
        format!("{mark} {}: {}{fix}", finding.check, finding.detail)
    };
    let text: Vec<String> = findings.iter().map(line).collect();
    Ok(Json(Done { text: text.join("\n"), stay: true }))
}

/// Stops everything. The flag comes first; that it could not be recorded is said, and it stays stopped.
pub(super) async fn stop(State(house): State<Arc<House>>, Admin(who): Admin) -> Result<Json<Done>, Refusal> {
    acted(move || {
        let home = &house.runtime().home;
        if halt::stopped(home).is_none() {
            let stopped = Stopped { by: who.caller(), at: jiff::Timestamp::now().to_string(), reason: None };
            halt::raise(home, &stopped)?;
            house.runtime().note_stop(&stopped)?;
        }
        Ok(())
    })
    .await
}

/// Lets work go on.
pub(super) async fn resume(
    State(house): State<Arc<House>>,
    Admin(who): Admin,
) -> Result<Json<Done>, Refusal> {
    acted(move || house.runtime().resume(&who.caller())).await
}
