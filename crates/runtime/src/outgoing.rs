//! What leaves by a door later: copied into a folder of its own, then written into the outbox. A cut in between
//! leaves a copy that nothing names, and that is let go of.

use crate::hand_out::Handed;
use crate::runtime::Runtime;
use jiff::{SignedDuration, Timestamp};
use metnos_executor::Failure;
use metnos_memory::db::{TelegramFate, TelegramOut};
use serde_json::json;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Read;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Larger pictures go as files.
const PHOTO_MAX: u64 = 10 << 20;
/// The most of a file that is sent.
const BYTES_MAX: u64 = 50 << 20;
/// After so long nothing waits to be sent any more.
const KEPT: SignedDuration = SignedDuration::from_hours(25);

/// How long is waited until what was written into the outbox was sent, or refused.
pub const WATCHED: Duration = Duration::from_secs(4);
/// Under this name stands who sends it, which is not told to Telegram.
pub const SENDER: &str = "sender";
/// How often is looked.
const LOOK: Duration = Duration::from_millis(50);
/// Who sends is not there when nothing was heard of it for so long.
const ABSENT: SignedDuration = SignedDuration::from_mins(5);

/// One thing to send.
pub(crate) enum Parcel {
    /// A message.
    Text(String),
    /// A text that is too long for one.
    LongText(String),
    /// A file.
    File(Handed),
}

/// From whom it is, and to whom.
pub(crate) struct Address {
    /// The id of the person who sends.
    pub(crate) from: String,
    /// What whoever it is for is called.
    pub(crate) to: String,
    pub(crate) chat: i64,
}

/// Writes all of it into the outbox of Telegram, or none; gives their numbers there.
pub(crate) fn post(
    runtime: &Runtime,
    call_id: &str,
    parcels: Vec<(&Address, Parcel)>,
) -> Result<Vec<i64>, Failure> {
    let mut out = Vec::new();
    for (n, (Address { from, to, chat }, parcel)) in parcels.into_iter().enumerate() {
        let copy = format!("{call_id}-{n}");
        let (kind, mut body) = match parcel {
            Parcel::Text(text) => ("message", json!({ "chat_id": chat, "text": text })),
            Parcel::LongText(text) => {
                ("document", json!({ "name": "message.txt", "text": text, "caption": "" }))
            }
            Parcel::File(handed) => {
                let name = handed.name();
                // What moves is not a photo.
                let still = handed.picture().is_some_and(|kind| kind != "image/gif");
                let photo = still && handed.bytes <= PHOTO_MAX;
                runtime.keep_copy(&copy, handed)?;
                ("document", json!({ "copy": copy, "name": name, "photo": photo }))
            }
        };
        body[SENDER] = json!({ "from": from, "to": to });
        out.push(TelegramOut { chat: *chat, kind, body: body.to_string(), reader: Some(*chat) });
    }
    let posted = runtime.db().telegram_post(&out, Timestamp::now());
    posted.map_err(|e| Failure::internal(e.to_string()))
}

/// What became of each, after a while in which most of it is sent.
pub(crate) fn watch(runtime: &Runtime, ids: &[i64]) -> Result<Vec<TelegramFate>, Failure> {
    let failed = |e: metnos_memory::Error| Failure::internal(e.to_string());
    let heard = runtime.db().telegram_last_poll().map_err(failed)?;
    let there = heard.is_some_and(|at| Timestamp::now().duration_since(at) < ABSENT);
    let until = Instant::now() + if there { WATCHED } else { Duration::ZERO };
    loop {
        let fates = ids.iter().map(|id| runtime.db().telegram_fate(*id)).collect::<Result<Vec<_>, _>>();
        let fates = fates.map_err(failed)?;
        if !fates.contains(&TelegramFate::Waits) || Instant::now() >= until {
            return Ok(fates);
        }
        std::thread::sleep(LOOK);
    }
}

impl Runtime {
    fn outgoing_dir(&self) -> PathBuf {
        self.home.state_dir().join("outgoing")
    }

    /// Where the copy of this name lies; nothing for what is no name of one.
    fn copy_of(&self, name: &str) -> Option<PathBuf> {
        let plain = !name.is_empty() && !name.contains('/') && !name.starts_with('.');
        plain.then(|| self.outgoing_dir().join(name))
    }

    fn keep_copy(&self, name: &str, handed: Handed) -> Result<(), Failure> {
        let dir = self.outgoing_dir();
        let failed = |e: std::io::Error| Failure::io(dir.display(), &e);
        DirBuilder::new().recursive(true).mode(0o700).create(&dir).map_err(failed)?;
        let mut options = OpenOptions::new();
        let mut copy = options
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(dir.join(name))
            .map_err(failed)?;
        // It may grow while it is copied.
        std::io::copy(&mut handed.file.take(BYTES_MAX), &mut copy).map_err(failed)?;
        copy.sync_all().map_err(failed)
    }

    /// The bytes of a file that waits to be sent; nothing when they are gone.
    pub fn outgoing(&self, name: &str) -> Option<Vec<u8>> {
        std::fs::read(self.copy_of(name)?).ok()
    }

    /// It was sent, or will not be.
    pub fn outgoing_done(&self, name: &str) {
        if let Some(copy) = self.copy_of(name) {
            let _ = std::fs::remove_file(copy);
        }
    }

    /// Lets go of copies that nothing waits for any more.
    pub fn tidy_outgoing(&self) {
        let entries = std::fs::read_dir(self.outgoing_dir()).into_iter().flatten().flatten();
        for entry in entries {
            let made = entry.metadata().and_then(|meta| meta.modified()).ok();
            let age = made.and_then(|made| made.elapsed().ok());
            if age.is_some_and(|age| age > KEPT.unsigned_abs()) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}
