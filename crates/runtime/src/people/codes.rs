//! The codes strangers are told, and what the host makes of them.
//!
//! A code is kept nowhere: it is computed from its signed row with the key of the instance. It is good
//! for five minutes, once.

use super::words::{
    channel as is_channel, host_only, is_past, name as is_name, sender as is_sender, unrecorded,
};
use super::{Knock, Person, Role};
use crate::guards;
use crate::guards::Level;
use crate::guards::records::{Kind, One};
use crate::runtime::Runtime;
use jiff::{SignedDuration, Timestamp};
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::db::Decision;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// How long a code is good.
const LASTS: SignedDuration = SignedDuration::from_mins(5);
const HOUR: SignedDuration = SignedDuration::from_hours(1);
/// Codes that may wait on one channel.
const OPEN_MAX: usize = 5;
/// Codes that one sender is given in an hour.
const SENDER_MAX: usize = 4;
/// Codes that one channel gives out in an hour.
const CHANNEL_MAX: usize = 20;
/// Wrong codes that are looked at in an hour, for one channel.
const WRONG_MAX: usize = 10;
/// Letters and digits that are not taken for one another.
const ALPHABET: &[u8; 32] = b"23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
/// Again, when another process was faster.
const TRIES: usize = 5;

/// One sender who asked to be let in.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Asked {
    channel: String,
    sender: String,
    name: String,
    /// What makes this code another than the last one.
    nonce: String,
    expires_at: String,
    used_at: Option<String>,
    /// When codes were given to this sender, in the last hour.
    given: Vec<String>,
}

impl Asked {
    fn is_open(&self, now: Timestamp) -> bool {
        self.used_at.is_none() && !is_past(&self.expires_at, now)
    }
}

/// Wrong codes of the last hour.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Wrong {
    at: Vec<String>,
}

impl Runtime {
    /// What a stranger is told. Asking again within five minutes gives the same code.
    pub fn knock(&self, channel: &str, sender: &str, name: &str) -> Result<Knock, Failure> {
        let (channel, sender) = (is_channel(channel)?, is_sender(sender)?);
        if self.sender(channel, sender)?.is_some() {
            let why = format!("{sender} on {channel} is already known");
            return Err(Failure::new(ErrorClass::Conflict, why));
        }
        let id = format!("{channel}/{sender}");
        for _ in 0..TRIES {
            let now = guards::now();
            let before = self.one::<Asked>(Kind::Code, &id)?.good();
            if let Some((_, asked)) = before.as_ref().filter(|(_, asked)| asked.is_open(now)) {
                return Ok(Knock { code: self.code(asked), expires_at: asked.expires_at.clone() });
            }
            let given = before.as_ref().map_or(Vec::new(), |(_, asked)| within_hour(&asked.given, now));
            self.room_for_code(channel, &given, now)?;
            let expires_at = now.saturating_add(LASTS).unwrap_or(now).to_string();
            let asked = Asked {
                channel: channel.to_owned(),
                sender: sender.to_owned(),
                name: readable(name, sender),
                nonce: metnos_executor::Ulid::new().to_string(),
                expires_at: expires_at.clone(),
                used_at: None,
                given: given.into_iter().chain([now.to_string()]).collect(),
            };
            self.note_people(
                None,
                json!({ "what": "knock", "channel": channel, "sender": sender, "name": asked.name }),
            )?;
            if self.put_code(before.as_ref().map(|(row, _)| row), &id, &asked, now)? {
                return Ok(Knock { code: self.code(&asked), expires_at });
            }
        }
        Err(super::words::outrun())
    }

    /// Who waits to be let in: channel, sender, name, until when. The code is theirs to tell.
    pub fn knocks(&self) -> Result<Vec<(String, String, String, String)>, Failure> {
        let now = guards::now();
        let open = self.asked(None)?.into_iter().map(|(_, asked)| asked).filter(|asked| asked.is_open(now));
        Ok(open.map(|asked| (asked.channel, asked.sender, asked.name, asked.expires_at)).collect())
    }

    /// Lets in whoever was told this code, as somebody new.
    pub fn admit_sender(
        &self,
        channel: &str,
        code: &str,
        role: Role,
        name: Option<&str>,
        level: Option<Level>,
        by: &str,
    ) -> Result<Person, Failure> {
        host_only(by, "lets people in")?;
        let channel = is_channel(channel)?;
        if role == Role::Host {
            return Err(Failure::wrong_args("nobody becomes the host by a code")
                .with_hint("your own account: metnos pairing pair CHANNEL SENDER host"));
        }
        let name = name.map(|name| is_name("name", name)).transpose()?;
        let now = guards::now();
        self.room_for_guess(channel, now)?;
        let code = spelled(code);
        let found =
            self.asked(Some(channel))?.into_iter().find(|(_, asked)| spelled(&self.code(asked)) == code);
        let Some((row, mut asked)) = found else {
            self.note_wrong(channel, now, by)?;
            return Err(Failure::new(
                ErrorClass::NotFound,
                format!("nobody on {channel} was told this code"),
            )
            .with_hint("whoever writes there is told another; metnos pairing list shows who waits"));
        };
        if !asked.is_open(now) {
            let why = if asked.used_at.is_some() { "was used already" } else { "is too old" };
            return Err(Failure::new(ErrorClass::Conflict, format!("this code {why}"))
                .with_hint("whoever writes there again is told another"));
        }
        self.note_people(
            Some(by),
            json!({ "what": "code used", "channel": channel, "sender": asked.sender }),
        )?;
        asked.used_at = Some(now.to_string());
        // Used up before anybody is let in: whoever comes second finds it used.
        if !self.put_code(Some(&row), &row.id, &asked, now)? {
            return Err(super::words::outrun());
        }
        let person = self.make_person(name.as_deref().unwrap_or(&asked.name), role, by)?;
        if let Some(level) = level {
            self.set_level(&format!("{}/{channel}", person.id), level, by)?;
        }
        self.pair(channel, &asked.sender, &person.id, by)?;
        Ok(person)
    }

    /// Uses up every code that somebody was told; who writes again is told another.
    pub(crate) fn end_codes(&self) -> Result<(), Failure> {
        let now = guards::now();
        for (row, mut asked) in self.asked(None)? {
            if asked.is_open(now) {
                asked.used_at = Some(now.to_string());
                self.put_code(Some(&row), &row.id, &asked, now)?;
            }
        }
        Ok(())
    }

    /// Every row of a channel, or of all, that says what its id says.
    fn asked(&self, channel: Option<&str>) -> Result<Vec<(Decision, Asked)>, Failure> {
        let rows = self.db.decisions(Kind::Code.as_str()).map_err(unrecorded)?;
        let read = |row: Decision| {
            let asked: Asked = self.verified(Kind::Code, &row)?;
            let own = row.id == format!("{}/{}", asked.channel, asked.sender);
            (own && channel.is_none_or(|channel| asked.channel == channel)).then_some((row, asked))
        };
        Ok(rows.into_iter().filter_map(read).collect())
    }

    fn put_code(
        &self,
        old: Option<&Decision>,
        id: &str,
        asked: &Asked,
        now: Timestamp,
    ) -> Result<bool, Failure> {
        let (kind, new) = (Kind::Code.as_str(), self.signed(Kind::Code, id, asked)?);
        match old {
            Some(old) => self.db.redecide(kind, old, &new, now).map_err(unrecorded),
            None if self.db.decide_new(kind, &new, now).map_err(unrecorded)? => Ok(true),
            // What stands there and does not verify gives way; what verifies was faster.
            None => match self.one::<Asked>(Kind::Code, id)? {
                One::Damaged => self.db.decide(kind, &new, now).map(|()| true).map_err(unrecorded),
                One::None | One::Good(..) => Ok(false),
            },
        }
    }

    /// Whether another code may be given out; lets go of rows that no longer count.
    fn room_for_code(&self, channel: &str, given: &[String], now: Timestamp) -> Result<(), Failure> {
        let (mut open, mut all) = (0, Vec::new());
        for (row, asked) in self.asked(Some(channel))? {
            let recent = within_hour(&asked.given, now);
            open += usize::from(asked.is_open(now));
            if recent.is_empty() && !asked.is_open(now) {
                self.db.drop_decision(Kind::Code.as_str(), &row).map_err(unrecorded)?;
            }
            all.extend(recent);
        }
        if open >= OPEN_MAX {
            let why = format!("{open} others wait on {channel} already");
            return Err(Failure::limit("open_codes", why).with_hint("try again in 5 minutes"));
        }
        if given.len() >= SENDER_MAX {
            return Err(full("codes_per_sender", "this sender was told enough codes", given, now));
        }
        if all.len() >= CHANNEL_MAX {
            return Err(full("codes_per_channel", "enough codes were given out on this channel", &all, now));
        }
        Ok(())
    }

    /// Whether another code may be tried.
    fn room_for_guess(&self, channel: &str, now: Timestamp) -> Result<(), Failure> {
        match self.one::<Wrong>(Kind::Code, &wrong_id(channel))? {
            One::None => Ok(()),
            // It may have said that there is none.
            One::Damaged => Err(Failure::limit("wrong_codes", "the count of wrong codes is damaged")
                .with_hint(format!("metnos policy revoke {} removes it", wrong_id(channel)))),
            One::Good(_, wrong) => {
                let recent = within_hour(&wrong.at, now);
                match recent.len() >= WRONG_MAX {
                    true => Err(full("wrong_codes", "too many wrong codes", &recent, now)),
                    false => Ok(()),
                }
            }
        }
    }

    fn note_wrong(&self, channel: &str, now: Timestamp, by: &str) -> Result<(), Failure> {
        self.note_people(Some(by), json!({ "what": "wrong code", "channel": channel }))?;
        let (kind, id) = (Kind::Code, wrong_id(channel));
        for _ in 0..TRIES {
            let before = self.one::<Wrong>(kind, &id)?.good();
            let mut wrong = before.as_ref().map_or_else(Wrong::default, |(_, wrong)| wrong.clone());
            wrong.at = within_hour(&wrong.at, now);
            wrong.at.push(now.to_string());
            let new = self.signed(kind, &id, &wrong)?;
            let put = match &before {
                Some((row, _)) => self.db.redecide(kind.as_str(), row, &new, now),
                None => self.db.decide_new(kind.as_str(), &new, now),
            };
            if put.map_err(unrecorded)? {
                return Ok(());
            }
        }
        Err(super::words::outrun())
    }

    /// The code of a row: nobody without the key can tell it, and nobody has to keep it.
    fn code(&self, asked: &Asked) -> String {
        let Asked { channel, sender, nonce, .. } = asked;
        let signature = self.key.sign(format!("metnos code 1\n{channel}\n{sender}\n{nonce}").as_bytes());
        let digest = blake3::hash(&signature);
        let letters: Vec<u8> =
            digest.as_bytes().iter().take(8).map(|byte| ALPHABET[usize::from(byte % 32)]).collect();
        let (first, last) = letters.split_at(4);
        format!("{}-{}", String::from_utf8_lossy(first), String::from_utf8_lossy(last))
    }
}

fn wrong_id(channel: &str) -> String {
    // No row of a sender has such an id: a channel has no colon.
    format!("wrong:{channel}")
}

/// A code as it is compared: without the dash, blanks and small letters people type.
fn spelled(code: &str) -> String {
    let kept = code.chars().filter(|c| !c.is_whitespace() && *c != '-');
    kept.map(|c| c.to_ascii_uppercase()).take(32).collect()
}

/// A stranger's own name is shown to the host: one short line, or else what the channel calls them.
fn readable(name: &str, sender: &str) -> String {
    let line: String = name.chars().filter(|c| !c.is_control()).take(40).collect();
    let line = line.trim();
    if line.is_empty() { sender.chars().take(40).collect() } else { line.to_owned() }
}

fn within_hour(moments: &[String], now: Timestamp) -> Vec<String> {
    let recent = |at: &&String| {
        at.parse::<Timestamp>().is_ok_and(|at| at.saturating_add(HOUR).is_ok_and(|until| now < until))
    };
    moments.iter().filter(recent).cloned().collect()
}

fn full(limit: &str, why: &str, moments: &[String], now: Timestamp) -> Failure {
    let first = moments.iter().filter_map(|at| at.parse::<Timestamp>().ok()).min();
    let until = first.and_then(|at| at.saturating_add(HOUR).ok()).unwrap_or(now);
    let minutes = until.duration_since(now).as_secs().max(0) / 60 + 1;
    Failure::limit(limit, why).with_hint(format!("there is room again in {minutes} minutes"))
}
