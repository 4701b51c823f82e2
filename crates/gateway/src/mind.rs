//! What plans, over the executors that are in use at this moment.

use crate::conduct::Gateway;
use metnos_engine::propose::Proposer;
use metnos_engine::{Catalog, Lexicons};
use metnos_executor::Failure;
use metnos_runtime::Runtime;
use metnos_turn::{Machine, Messages};
use std::sync::{Arc, PoisonError, RwLock};

/// A machine, and the moment whose executors it plans over.
pub(crate) struct Mind(RwLock<(u64, Arc<Machine>)>);

impl Mind {
    /// The machine of now.
    pub(crate) fn new(runtime: &Runtime) -> Result<Self, Failure> {
        // The number first: what changes while it is made is seen at the next look.
        let generation = runtime.executors_generation()?;
        Ok(Self(RwLock::new((generation, Arc::new(machine(runtime)?)))))
    }

    fn known(&self) -> (u64, Arc<Machine>) {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Gateway {
    /// What decides, as it was made last.
    pub(crate) fn machine(&self) -> Arc<Machine> {
        self.mind.known().1
    }

    /// Takes over what changed in any process: what is signed, promoted, archived, restored, opened or kept now.
    pub fn catch_up(&self) -> Result<(), Failure> {
        self.runtime.catch_up()?;
        let generation = self.runtime.executors_generation()?;
        if self.mind.known().0 != generation {
            let fresh = Arc::new(machine(&self.runtime)?);
            *self.mind.0.write().unwrap_or_else(PoisonError::into_inner) = (generation, fresh);
        }
        Ok(())
    }
}

/// The machine this binary was built with, over the executors of `runtime`.
fn machine(runtime: &Runtime) -> Result<Machine, Failure> {
    let broken = |e: String| Failure::internal(e);
    let catalog = Catalog::shipped().map_err(|e| broken(e.to_string()))?;
    let mut catalog = catalog.awaken(&runtime.awake()).joined(&runtime.put_in());
    let out_of_use = runtime.out_of_use();
    for unused in &out_of_use {
        catalog = catalog.asleep(&unused.name, unused.state.as_str(), &unused.hint);
    }
    let lexicons = Lexicons::shipped().map_err(|e| broken(e.to_string()))?;
    let messages = Messages::shipped().map_err(|e| broken(e.to_string()))?;
    let proposer = Proposer::new(catalog.clone(), lexicons.clone()).map_err(|e| broken(e.to_string()))?;
    let machine = Machine::new(catalog.clone(), lexicons.clone(), proposer, messages);
    // What a person put in and took out again is not among what ships: it is known only where nothing else serves.
    let mut known = catalog.clone();
    for unused in out_of_use.iter().filter(|unused| catalog.get(&unused.name).is_none()) {
        if let Some(parts) = &unused.parts {
            let state = unused.state.as_str();
            known = known.joined(std::slice::from_ref(parts)).asleep(&unused.name, state, &unused.hint);
        }
    }
    Ok(match known.tools().count() == catalog.tools().count() {
        true => machine,
        false => machine.knowing(known, lexicons),
    })
}
