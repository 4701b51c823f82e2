//! The only code of the seeds that changes the world. Hands exist only for an approved intent,
//! and perform its operations and no others.

use metnos_executor::Intent;

/// The right to perform the operations of one intent.
pub struct Hands {
    intent: Intent,
}

impl Hands {
    /// Called once the daemon answered *go*.
    pub(crate) fn approved(intent: Intent) -> Self {
        Self { intent }
    }

    /// What may be performed, in order.
    pub fn intent(&self) -> &Intent {
        &self.intent
    }
}
