//! Turns are let go by age, and their lists by age and by size, the oldest first, after an answer was given.

use crate::conduct::Gateway;
use metnos_executor::Failure;
use metnos_turn::Status;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// How long a look at everything serves.
const LOOK: Duration = Duration::from_secs(3600);

/// How many turns go in one step, and in one look: nobody waits long for a writer.
const BATCH: u32 = 200;
const BATCHES: usize = 10;

/// The lists of one turn.
struct Held {
    path: PathBuf,
    turn: String,
    age: Duration,
    bytes: u64,
}

impl Gateway {
    /// Lets go of what is due, at most once an hour. What fails is tried again at the next look.
    pub fn tidy(&self) -> Result<(), Failure> {
        let dir = self.scratch().dir();
        let io = |e: std::io::Error| Failure::io(dir.display(), &e);
        let marker = dir.join(".looked");
        let looked = marker.metadata().and_then(|meta| meta.modified()).ok();
        if !dir.exists() || looked.and_then(|at| at.elapsed().ok()).is_some_and(|since| since < LOOK) {
            return Ok(());
        }
        std::fs::write(&marker, b"").map_err(io)?;
        let rule = self.runtime().config.turns;
        self.forget_old(rule.keep_days.get())?;
        let oldest = Duration::from_secs(u64::from(rule.keep_days.get()) * 86_400);
        let mut held = look(dir).map_err(io)?;
        held.sort_by(|a, b| a.turn.cmp(&b.turn));
        // What was answered last is what "them" means; it stays.
        let latest = held.pop().map_or(0, |last| last.bytes);
        let mut bytes = latest + held.iter().map(|one| one.bytes).sum::<u64>();
        for one in held {
            let known = self.turn(&one.turn)?;
            let running = known.as_ref().is_some_and(|turn| turn.ended_at.is_none());
            // A yes may still be a yes to this list, and a choice one from it.
            let open = [Status::Waits.word(), Status::Asks.word()];
            let waits =
                known.and_then(|turn| turn.status).is_some_and(|status| open.contains(&status.as_str()));
            if (one.age > oldest || (bytes > rule.budget() && !waits)) && !running {
                std::fs::remove_dir_all(&one.path).map_err(io)?;
                bytes = bytes.saturating_sub(one.bytes);
            }
        }
        Ok(())
    }

    /// Lets go of turns that are too old, with their logs. What is more than one look takes goes at the next.
    fn forget_old(&self, keep_days: u32) -> Result<(), Failure> {
        let age = jiff::SignedDuration::from_hours(24 * i64::from(keep_days));
        let Ok(before) = jiff::Timestamp::now().checked_sub(age) else { return Ok(()) };
        for _ in 0..BATCHES {
            if self.db(|db| db.forget_turns(before, BATCH))? < BATCH as usize {
                break;
            }
        }
        Ok(())
    }
}

fn look(dir: &Path) -> std::io::Result<Vec<Held>> {
    let mut held = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let turn = entry.file_name().to_string_lossy().into_owned();
        let Ok(id) = metnos_executor::Ulid::from_string(&turn) else { continue };
        let made = SystemTime::UNIX_EPOCH + Duration::from_millis(id.timestamp_ms());
        let mut bytes = 0;
        for file in std::fs::read_dir(entry.path())? {
            bytes += file?.metadata()?.len();
        }
        held.push(Held { path: entry.path(), turn, age: made.elapsed().unwrap_or_default(), bytes });
    }
    Ok(held)
}
