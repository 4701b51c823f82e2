//! Which sender of a channel is which person.

use super::words::{channel as is_channel, host_only, no_person, sender as is_sender, unrecorded};
use super::{Paired, Person, persons};
use crate::guards;
use crate::guards::records::Kind;
use crate::runtime::Runtime;
use metnos_executor::{ErrorClass, Failure};
use serde_json::json;

impl Runtime {
    /// Who this sender is; `None` for a stranger and for anybody revoked.
    pub fn sender(&self, channel: &str, sender: &str) -> Result<Option<Person>, Failure> {
        let Some((_, paired)) = self.one::<Paired>(Kind::Sender, &row_id(channel, sender))?.good() else {
            return Ok(None);
        };
        let same = paired.channel == channel && paired.sender == sender;
        if !same || paired.revoked_at.is_some() {
            return Ok(None);
        }
        Ok(self.person(&paired.person)?.filter(|person| person.revoked_at.is_none()))
    }

    /// Says that this sender is somebody who is already here.
    pub fn pair_sender(&self, channel: &str, sender: &str, person: &str, by: &str) -> Result<(), Failure> {
        host_only(by, "pairs senders")?;
        let (channel, sender) = (is_channel(channel)?, is_sender(sender)?);
        let Some(found) = self.person(person)? else { return Err(no_person(person)) };
        if found.revoked_at.is_some() {
            return Err(persons::revoked(person));
        }
        self.pair(channel, sender, person, by)
    }

    pub(super) fn pair(&self, channel: &str, sender: &str, person: &str, by: &str) -> Result<(), Failure> {
        let paired = Paired {
            channel: channel.to_owned(),
            sender: sender.to_owned(),
            person: person.to_owned(),
            at: guards::now().to_string(),
            revoked_at: None,
        };
        self.note_people(Some(by), json!({ "what": "sender paired", "sender": paired }))?;
        self.decide(Kind::Sender, &row_id(channel, sender), &paired)
    }

    /// Makes a sender a stranger again.
    pub fn unpair_sender(&self, channel: &str, sender: &str, by: &str) -> Result<(), Failure> {
        host_only(by, "removes pairings")?;
        let id = row_id(channel, sender);
        let unknown = || {
            Failure::new(ErrorClass::NotFound, format!("no sender {sender} is paired on {channel}"))
                .with_hint("metnos pairing list")
        };
        let (_, mut paired) = self.one::<Paired>(Kind::Sender, &id)?.good().ok_or_else(unknown)?;
        if paired.revoked_at.is_some() {
            return Err(unknown());
        }
        paired.revoked_at = Some(guards::now().to_string());
        self.note_people(Some(by), json!({ "what": "sender removed", "sender": paired }))?;
        self.decide(Kind::Sender, &id, &paired)
    }

    /// Every pairing, also those no longer in force.
    pub fn pairings(&self) -> Result<Vec<Paired>, Failure> {
        let rows = self.read::<Paired>(Kind::Sender, &mut Vec::new())?;
        let own = |(id, paired): &(String, Paired)| *id == row_id(&paired.channel, &paired.sender);
        Ok(rows.into_iter().filter(own).map(|(_, paired)| paired).collect())
    }

    pub(super) fn revoke_senders_of(&self, person: &str, now: &str) -> Result<(), Failure> {
        for row in self.db.decisions(Kind::Sender.as_str()).map_err(unrecorded)? {
            let Some(mut paired) = self.verified::<Paired>(Kind::Sender, &row) else { continue };
            if paired.person == person && paired.revoked_at.is_none() {
                paired.revoked_at = Some(now.to_owned());
                self.decide(Kind::Sender, &row.id, &paired)?;
            }
        }
        Ok(())
    }
}

fn row_id(channel: &str, sender: &str) -> String {
    format!("{channel}/{sender}")
}
