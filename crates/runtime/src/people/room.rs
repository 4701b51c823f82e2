//! How much of this machine a guest may take: their folder with what is kept in it for undo, and the lists of their turns.

use crate::guards::Principal;
use crate::people::Role;
use crate::runtime::Runtime;
use metnos_executor::lab::{self, Layer};
use metnos_executor::{Failure, Op};
use metnos_sandbox::cell::IntentLines;
use std::io::{BufRead, BufReader, Seek};

impl Runtime {
    /// Lets a guest add `bytes` to what they have here, or says why there is no room. Others have no such bound.
    pub(crate) fn room_for(&self, caller: &str, bytes: u64) -> Result<(), Failure> {
        let who = Principal::parse(caller).user;
        if self.person(&who)?.is_none_or(|person| person.role != Role::Guest) {
            return Ok(());
        }
        let most = self.config.limits.guest_state_mb.saturating_mul(1_000_000);
        let used = self.holdings(&who)?.bytes;
        if used.saturating_add(bytes) <= most || lab::without(Layer::Room) {
            return Ok(());
        }
        let lang = self.language(caller);
        let (used, most) = (self.size(&lang, used), self.size(&lang, most));
        let why = self.say(&lang, "state_full", &[("used", &used), ("most", &most)]);
        Err(Failure::limit("guest_state_mb", why).with_hint(self.say(&lang, "state_room", &[])))
    }

    /// The same for what a call is about to do. What only takes away, or moves, adds nothing.
    pub(crate) fn room_for_intent(&self, caller: &str, ops: &mut IntentLines) -> Result<(), Failure> {
        if Principal::parse(caller).is_host() {
            return Ok(());
        }
        match growth(ops)? {
            Some(bytes) => self.room_for(caller, bytes),
            None => Ok(()),
        }
    }
}

/// What the operations add, as far as that is known before: what is copied. Nothing when they add nothing; what is
/// written anew counts once it stands, and one byte before.
fn growth(ops: &mut IntentLines) -> Result<Option<u64>, Failure> {
    let unread = |e: std::io::Error| Failure::io("the intent", &e);
    let lines: Box<dyn BufRead> = match ops {
        IntentLines::Inline(bytes) => Box::new(&bytes[..]),
        IntentLines::File(file) => {
            file.rewind().map_err(unread)?;
            Box::new(BufReader::with_capacity(256 << 10, &*file))
        }
    };
    let mut all: Option<u64> = None;
    for line in lines.split(b'\n') {
        let added = match serde_json::from_slice::<Op>(&line.map_err(unread)?) {
            Ok(Op::Copy { src, .. }) => std::fs::symlink_metadata(&src.0).map_or(1, |meta| meta.len().max(1)),
            Ok(Op::Write { .. }) => 1,
            _ => continue,
        };
        all = Some(all.unwrap_or_default().saturating_add(added));
    }
    Ok(all)
}
