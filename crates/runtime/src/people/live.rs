//! Who and what may come in as things stand, each with the command that takes it back.

use super::{Role, TokenKind};
use crate::runtime::Runtime;
use metnos_executor::Failure;
use serde::Serialize;

/// One way in that is open.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Live {
    /// `person`, `device` or `sender`.
    pub what: &'static str,
    /// Who it is, to be read.
    pub who: String,
    /// The command that takes it back.
    pub revoke: String,
}

impl Runtime {
    /// The people besides the host, the devices and the senders that are let in now.
    pub fn live(&self) -> Result<Vec<Live>, Failure> {
        let mut live = Vec::new();
        for person in self.people()? {
            if person.role != Role::Host && person.revoked_at.is_none() {
                let who = format!("{} ({})", person.name, person.role);
                live.push(Live { what: "person", who, revoke: format!("metnos users revoke {}", person.id) });
            }
        }
        for token in self.tokens(None)? {
            if token.kind == TokenKind::Device && self.is_live(&token.id)? {
                let id: String = token.id.chars().take(12).collect();
                let who = format!("{} (of {})", token.label, token.person);
                live.push(Live { what: "device", who, revoke: format!("metnos devices revoke {id}") });
            }
        }
        for paired in self.pairings()? {
            if let Some(person) = self.sender(&paired.channel, &paired.sender)?
                && paired.revoked_at.is_none()
            {
                let who = format!("{} {} ({})", paired.channel, paired.sender, person.name);
                let revoke = format!("metnos pairing remove {} {}", paired.channel, paired.sender);
                live.push(Live { what: "sender", who, revoke });
            }
        }
        Ok(live)
    }
}
