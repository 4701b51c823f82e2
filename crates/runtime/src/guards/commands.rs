//! Which commands run, ask or do not.

use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure};
use metnos_guard::Lists;

impl Runtime {
    /// The lists in force.
    pub(crate) fn command_lists(&self) -> Result<Lists, Failure> {
        // A guard that cannot look denies.
        Lists::shipped().map_err(|e| Failure::new(ErrorClass::PolicyViolation, e.to_string()))
    }
}
