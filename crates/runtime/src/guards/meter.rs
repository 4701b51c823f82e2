//! How much each person used in the last hour, counted from the audit: it holds across processes and
//! starts, and nothing more has to be written for it.

use crate::guards::{Principal, lock};
use crate::runtime::Runtime;
use jiff::{SignedDuration, Timestamp};
use metnos_executor::lab::{self, Layer};
use metnos_executor::{ErrorClass, Failure};
use metnos_guard::limits::{Limit, Limits, Use};
use metnos_memory::audit::{Called, Kind, Recent};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Mutex;

const HOUR: SignedDuration = SignedDuration::from_hours(1);

/// Everybody's last hour.
pub(crate) struct Meter(Mutex<Window>);

struct Window {
    recent: Recent,
    persons: HashMap<String, Person>,
}

/// One person's last hour, by call. Older uses stay until somebody has to look closer, so the sums are
/// never too low.
#[derive(Default)]
struct Person {
    uses: HashMap<String, Use>,
    changes: u64,
    cost: u64,
}

impl Person {
    fn put(&mut self, call_id: String, used: Use) {
        if let Some(before) = self.uses.insert(call_id, used) {
            self.changes -= u64::from(before.change);
            self.cost = self.cost.saturating_sub(before.cost);
        }
        self.changes += u64::from(used.change);
        self.cost = self.cost.saturating_add(used.cost);
    }

    fn forget(&mut self, call_id: &str) {
        if let Some(used) = self.uses.remove(call_id) {
            self.changes -= u64::from(used.change);
            self.cost = self.cost.saturating_sub(used.cost);
        }
    }

    /// Lets go of what no longer counts.
    fn tidy(&mut self, now: Timestamp) {
        self.uses.retain(|_, used| used.at.saturating_add(HOUR).is_ok_and(|until| now < until));
        self.changes = self.uses.values().map(|used| u64::from(used.change)).sum();
        self.cost = self.uses.values().fold(0, |sum, used| sum.saturating_add(used.cost));
    }

    fn has_room(&self, limits: &Limits, next: &Use) -> bool {
        (self.uses.len() as u64) < limits.calls_per_hour
            && self.changes + u64::from(next.change) <= limits.changes_per_hour
            && self.cost.saturating_add(next.cost) <= limits.cost_per_hour
    }
}

impl Meter {
    pub(crate) fn new(audit: &Path) -> Self {
        Self(Mutex::new(Window { recent: Recent::new(audit), persons: HashMap::new() }))
    }
}

/// Whose use is counted: the instance itself is nobody, and the way back is never counted.
fn person(caller: &str, executor: &str) -> Option<String> {
    (caller != crate::birth::CALLER && executor != crate::undo::NAME).then(|| Principal::parse(caller).user)
}

impl Window {
    fn look(&mut self, now: Timestamp) -> Result<(), Failure> {
        let since = now.saturating_sub(HOUR).unwrap_or(Timestamp::MIN);
        let persons = &mut self.persons;
        let mut take = |called: Called| {
            let Some(user) = person(&called.caller, &called.executor) else { return };
            let change = matches!(called.kind, Kind::Open | Kind::Close);
            // What is written in parts of the currency is counted in millionths, up, never below none.
            let cost = (called.cost.max(0.0) * 1e6).ceil() as u64;
            persons.entry(user).or_default().put(called.call_id, Use { at: called.at, change, cost });
        };
        // A guard that cannot look denies.
        self.recent.look(now, since, &mut take).map_err(|e| {
            Failure::new(
                ErrorClass::PolicyViolation,
                format!("what was used in the last hour cannot be read: {e}"),
            )
        })
    }
}

impl Runtime {
    /// Counts a call that is about to begin, or says that there is no room for it.
    pub(crate) fn reserve(
        &self,
        caller: &str,
        executor: &str,
        call_id: &str,
        change: bool,
        zone: &jiff::tz::TimeZone,
    ) -> Result<(), Failure> {
        let Some(user) = person(caller, executor) else { return Ok(()) };
        let limits = &self.config.limits;
        let next = Use { at: Timestamp::now(), change, cost: 0 };
        let mut window = lock(&self.meter.0);
        window.look(next.at)?;
        let known = window.persons.entry(user).or_default();
        if !known.has_room(limits, &next) && !lab::without(Layer::Limits) {
            known.tidy(next.at);
            let past: Vec<Use> = known.uses.values().copied().collect();
            limits.check(&past, &next, zone).map_err(|over| {
                let name = match over.limit {
                    Limit::Calls => "calls_per_hour",
                    Limit::Changes => "changes_per_hour",
                    Limit::Cost => "cost_per_hour",
                };
                let hint = over.hint();
                Failure::limit(name, over.text).with_hint(hint)
            })?;
        }
        known.put(call_id.to_owned(), next);
        Ok(())
    }

    /// Takes back a count: nothing ran.
    pub(crate) fn unreserve(&self, caller: &str, call_id: &str) {
        if let Some(known) = lock(&self.meter.0).persons.get_mut(&Principal::parse(caller).user) {
            known.forget(call_id);
        }
    }
}
