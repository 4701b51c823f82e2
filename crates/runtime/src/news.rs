//! What one process of a home changes, the others see at their next call: executors, territory and models.
//!
//! Each topic has a number in the database that only grows. Who changes something raises it afterwards; who has looked
//! at an older number looks again.

use crate::runtime::Runtime;
use metnos_executor::Failure;
use metnos_memory::db::Db;
use std::sync::atomic::{AtomicU64, Ordering};

/// What may have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Topic {
    /// Which executors are in use.
    Executors,
    /// Which folders are open.
    Territory,
    /// Which models are bound.
    Models,
}

impl Topic {
    fn key(self) -> &'static str {
        match self {
            Self::Executors => "news/executors",
            Self::Territory => "news/territory",
            Self::Models => "news/models",
        }
    }
}

/// The numbers this process has looked at.
pub(crate) struct News {
    territory: AtomicU64,
    models: AtomicU64,
}

fn unread(error: metnos_memory::Error) -> Failure {
    Failure::internal(format!("what other processes changed cannot be read: {error}"))
}

impl News {
    /// The numbers of now; to be taken before what they stand for is read.
    pub(crate) fn of(db: &Db) -> Result<Self, Failure> {
        let now = |topic: Topic| db.counter(topic.key()).map(AtomicU64::new).map_err(unread);
        Ok(Self { territory: now(Topic::Territory)?, models: now(Topic::Models)? })
    }

    /// Tells every process that this changed.
    pub(crate) fn tell(&self, db: &Db, topic: Topic) -> Result<(), Failure> {
        let known = db.counter(topic.key()).map_err(unread)?;
        // Two that tell at once tell different numbers, so that none of them is taken for the other.
        let moment = u64::try_from(jiff::Timestamp::now().as_microsecond()).unwrap_or(0);
        let untold = |e| Failure::internal(format!("other processes cannot be told: {e}"));
        db.raise(topic.key(), moment.max(known.saturating_add(1))).map(|_| ()).map_err(untold)
    }
}

impl Runtime {
    /// Grows with every change of the executors in use, in any process.
    pub fn executors_generation(&self) -> Result<u64, Failure> {
        self.db.counter(Topic::Executors.key()).map_err(unread)
    }

    /// Takes over what other processes changed: folders that were opened or closed, models that were bound.
    pub fn catch_up(&self) -> Result<(), Failure> {
        let territory = self.db.counter(Topic::Territory.key()).map_err(unread)?;
        if self.news.territory.load(Ordering::Acquire) != territory {
            self.reload_territory()?;
            self.news.territory.store(territory, Ordering::Release);
        }
        let models = self.db.counter(Topic::Models.key()).map_err(unread)?;
        if self.news.models.load(Ordering::Acquire) != models {
            self.reload_tiers();
            self.news.models.store(models, Ordering::Release);
        }
        Ok(())
    }
}
