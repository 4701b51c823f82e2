//! How much a model can hold: what its server tells, asked when it is first needed and again after a while. And where
//! none is bound, how one could be, said once.

use crate::conduct::{Asked, Gateway};
use metnos_executor::Failure;
use metnos_llm::{Role, Tier, Tiers};
use metnos_runtime::guards::Principal;
use metnos_turn::{Ending, Event};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a server may take to tell.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long what it told is taken to hold: it may be started anew with another size.
const HOLDS: Duration = Duration::from_secs(300);

/// Who may bind a model.
const HOST: &str = "host";
/// The counter that says that it was said how.
const ADVISED: &str = "told/models";

/// What servers told, by address and model; nothing for one that does not tell.
#[derive(Debug, Default)]
pub(crate) struct Rooms(Mutex<BTreeMap<Which, Told>>);

/// A server and its model.
type Which = (String, String);
/// When it was asked, and what it told.
type Told = (Instant, Option<u64>);

impl Rooms {
    /// What is known of a model.
    pub(crate) fn known(&self, tier: &Tier) -> Option<u64> {
        self.fresh(tier).flatten()
    }

    fn fresh(&self, tier: &Tier) -> Option<Option<u64>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (at, told) = known.get(&key(tier))?;
        (at.elapsed() < HOLDS).then_some(*told)
    }

    fn keep(&self, tier: &Tier, told: Option<u64>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(key(tier), (Instant::now(), told));
    }
}

fn key(tier: &Tier) -> Which {
    (tier.url.to_string(), tier.model.clone())
}

impl Gateway {
    /// How much the model of a role holds, as the next event of the turn. A server that does not answer now is asked
    /// again the next time.
    pub(crate) fn measure(&self, role: Role, tiers: &Tiers) -> Event {
        let tokens = tiers.of(role).map_or(0, |tier| tier.holds(self.told_of(tier)));
        Event::Measured { tokens }
    }

    /// Whether who asks is told how a model can be bound, if this is not understood: once in a house, and only who can
    /// bind one.
    pub(crate) fn advises(&self, asked: &Asked) -> Result<bool, Failure> {
        let host = Principal::parse(&asked.caller).user == HOST;
        Ok(host && self.runtime.tiers().bound().is_empty() && self.db(|db| db.counter(ADVISED))? == 0)
    }

    /// Remembers that it was told.
    pub(crate) fn advised(&self, asked: &Asked, ending: &Ending) -> Result<(), Failure> {
        if ending.status.is_unread() && self.advises(asked)? {
            self.db(|db| db.raise(ADVISED, 1))?;
        }
        Ok(())
    }

    fn told_of(&self, tier: &Tier) -> Option<u64> {
        if let Some(known) = self.rooms.fresh(tier) {
            return known;
        }
        let key = match &tier.credential {
            // Without its key nobody is asked; that is said where the question itself is refused.
            Some(name) => Some(self.runtime.model_key(name).ok()?),
            None => None,
        };
        let told = metnos_llm::context(tier, key.as_ref(), PATIENCE).ok()?;
        self.rooms.keep(tier, told);
        told
    }
}
