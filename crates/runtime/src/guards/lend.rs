//! Credentials of the host in somebody else's calls: only after the host said so once, for one person, one executor and
//! one credential. The yes is a grant that can be read and revoked.

use crate::guards::records::Kind;
use crate::guards::{Asked, Known, Principal};
use crate::runtime::Runtime;
use jiff::Timestamp;
use metnos_executor::Failure;
use metnos_executor::lab::{self, Layer};
use metnos_guard::policy::{Grant, GrantScope};

/// What such a grant is for.
const LEND: &str = "credential:lend";
/// It holds for a person, over whichever channel.
const EVERYWHERE: &str = "*";

/// The credentials of a call that the host has not lent to whoever asks.
pub(super) fn borrowed(asked: &Asked<'_>, named: &[String], known: &Known, now: Timestamp) -> Vec<String> {
    let user = Principal::parse(asked.caller).user;
    let lent = |credential: &String| {
        known.grants.iter().any(|grant| {
            grant.is_live(now)
                && grant.capability == LEND
                && grant.user == user
                && grant.executor.as_deref() == Some(asked.executor)
                && grant.target == *credential
        })
    };
    named.iter().filter(|credential| !lent(credential) && !lab::without(Layer::Lending)).cloned().collect()
}

impl Runtime {
    /// Keeps what the host said yes to.
    pub(super) fn lend(
        &self,
        asked: &Asked<'_>,
        credentials: Vec<String>,
        approval: &str,
    ) -> Result<(), Failure> {
        if credentials.is_empty() {
            return Ok(());
        }
        let by = self.approval(approval)?.and_then(|approval| approval.by).unwrap_or_default();
        for target in credentials {
            let grant = Grant {
                id: metnos_executor::Ulid::new().to_string(),
                user: Principal::parse(asked.caller).user,
                channel: EVERYWHERE.to_owned(),
                capability: LEND.to_owned(),
                executor: Some(asked.executor.to_owned()),
                target,
                scope: GrantScope::Always,
                created_at: super::now(),
                expires_at: None,
                revoked_at: None,
                by: by.clone(),
            };
            self.note_grant("given", &grant, &by)?;
            self.decide(Kind::Grant, &grant.id, &grant)?;
        }
        Ok(())
    }
}
