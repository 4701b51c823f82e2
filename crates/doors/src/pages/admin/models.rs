//! Which models are bound, what they may use, and what they used today.

use super::{AdminPage, Before, For, ROWS, broken};
use crate::house::House;
use crate::pages::Shell;
use crate::who::Who;
use askama::Template;
use axum::extract::Query;
use metnos_executor::Failure;
use serde::Serialize;

#[derive(Clone, Serialize)]
struct Tier {
    role: &'static str,
    model: String,
    url: String,
    context: u64,
    timeout_seconds: u32,
    keyed: bool,
}

#[derive(Clone, Serialize)]
struct Call {
    at: String,
    turn: Option<String>,
    role: String,
    model: String,
    tokens_in: u64,
    tokens_out: u64,
    ms: f64,
    /// In millionths.
    cost: u64,
    outcome: String,
}

#[derive(Serialize)]
pub(super) struct View {
    tiers: Vec<Tier>,
    tokens_today: u64,
    tokens_per_day: u64,
    cost_today: u64,
    cost_per_day: u64,
    tokens_per_turn: u64,
    seconds_per_turn: u64,
    calls: Vec<Call>,
    next: Option<i64>,
}

impl View {
    /// Millionths as an amount.
    fn amount(&self, millionths: &u64) -> String {
        format!("{:.4}", *millionths as f64 / 1e6)
    }
}

#[derive(Template)]
#[template(path = "admin/models.html")]
pub(super) struct Page {
    shell: Shell,
    view: View,
}

impl AdminPage for Page {
    const NAME: &'static str = "models";
    const FOR: For = For::Host;
    type Asked = Query<Before<i64>>;
    type View = View;

    fn look(house: &House, who: &Who, Query(wanted): Self::Asked) -> Result<View, Failure> {
        look(house, who, wanted.before)
    }

    fn draw(shell: Shell, view: View) -> Self {
        Self { shell, view }
    }
}

fn look(house: &House, who: &Who, before: Option<i64>) -> Result<View, Failure> {
    let runtime = house.runtime();
    let now = jiff::Timestamp::now();
    let midnight = now.to_zoned(who.zone()).start_of_day().map_or(now, |day| day.timestamp());
    let used = runtime.db().model_use(None, midnight).map_err(broken)?;
    let found = runtime.db().model_calls_since(midnight, before, ROWS + 1).map_err(broken)?;
    let more = found.len() > ROWS as usize;
    let next = found.get(ROWS as usize - 1).filter(|_| more).map(|call| call.id);
    let call = |found: metnos_memory::db::ModelCallAt| Call {
        at: jiff::Timestamp::from_millisecond(found.at).map(|at| at.to_string()).unwrap_or_default(),
        turn: found.call.turn,
        role: found.call.role,
        model: found.call.model,
        tokens_in: found.call.tokens_in,
        tokens_out: found.call.tokens_out,
        ms: found.call.ms as f64,
        cost: found.call.cost,
        outcome: found.call.outcome,
    };
    let bound = runtime.tiers();
    let tiers = bound.bound().into_iter().filter_map(|role| {
        let tier = bound.of(role)?;
        Some(Tier {
            role: role.word(),
            model: tier.model.clone(),
            url: tier.url.to_string(),
            context: tier.holds(None),
            timeout_seconds: tier.timeout_seconds.get(),
            keyed: tier.credential.is_some(),
        })
    });
    let budget = &runtime.config.budget;
    Ok(View {
        tiers: tiers.collect(),
        tokens_today: used.tokens,
        tokens_per_day: budget.tokens_per_day,
        cost_today: used.cost,
        cost_per_day: budget.cost_per_day,
        tokens_per_turn: budget.tokens_per_turn,
        seconds_per_turn: budget.seconds_per_turn,
        calls: found.into_iter().take(ROWS as usize).map(call).collect(),
        next,
    })
}
