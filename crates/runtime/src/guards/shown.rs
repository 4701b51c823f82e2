//! Questions, for a door that was not there when they were asked.

use crate::guards::{Approval, Void};
use crate::runtime::Runtime;
use metnos_executor::Failure;
use metnos_guard::card::Shown;

impl Runtime {
    /// One question, if there is one of this id.
    pub fn approval(&self, id: &str) -> Result<Option<Approval>, Failure> {
        Ok(self.approval_row(id)?.map(|(_, approval)| approval))
    }

    /// What became of a question that was open in a backup from which the house was restored; nothing of others.
    pub fn void_since_restore(&self, approval: &Approval) -> Option<String> {
        let restored = approval.void == Some(Void::Restored);
        restored.then(|| self.say(&approval.lang, "restored", &[]))
    }

    /// The card of a question in the language of whoever asked, at full length: who reads it here may see it
    /// for the first time.
    pub fn question_card(&self, approval: &Approval) -> Shown {
        approval.card.shown(0, self.guards.texts.lang(&approval.lang))
    }
}
