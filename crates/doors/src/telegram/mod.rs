//! The Telegram door: asks outwards for what happened, so no port is open. Everything that comes is written down
//! with the id its turn will have before it is handled or acknowledged, and every reply before it is sent: a cut
//! at any moment repeats no effect and loses no answer.

mod far;
mod files;
mod hear;
mod lanes;
mod outbox;
mod poll;
mod press;
mod render;
mod tell;
mod update;
mod wire;

use crate::house::House;
use lanes::Lanes;
use metnos_executor::Failure;
use metnos_memory::db::Db;
use metnos_runtime::house::logbook::Level;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};
use tokio::runtime::Handle;
use wire::Wire;

/// The name of this channel in records.
const CHANNEL: &str = "telegram";
/// How long what is in work may take to end when the house closes.
const GOODBYE: Duration = Duration::from_secs(5);

/// Whether the door is alive, judged by the polling itself.
#[derive(Default)]
pub(crate) struct Pulse {
    open: AtomicBool,
    /// Milliseconds from the start of the house to the last poll that was answered, plus one.
    polled: AtomicU64,
}

impl Pulse {
    /// Whether there is such a door.
    pub(crate) fn is_open(&self) -> bool {
        self.open.load(Ordering::Relaxed)
    }

    /// How long ago the last poll was answered.
    pub(crate) fn age(&self, since: Instant) -> Option<Duration> {
        let at = self.polled.load(Ordering::Relaxed).checked_sub(1)?;
        Some(since.elapsed().saturating_sub(Duration::from_millis(at)))
    }

    fn beat(&self, since: Instant) {
        let now = u64::try_from(since.elapsed().as_millis()).unwrap_or(u64::MAX - 1);
        self.polled.store(now + 1, Ordering::Relaxed);
    }
}

/// The way to the bot, with its number and name.
type Line = (Arc<Wire>, (i64, String));

/// The open door.
pub(crate) struct Telegram {
    house: Arc<House>,
    /// Where turns run.
    handle: Handle,
    /// The way to the bot, once it has answered, with its number and name.
    line: RwLock<Option<Line>>,
    lanes: Lanes,
    /// What is being handled.
    busy: AtomicUsize,
    /// The turns at work: whose, in which chat.
    running: Mutex<Vec<(String, i64, String)>>,
    /// Rings when something was put into the outbox.
    bell: (Mutex<bool>, Condvar),
    /// True once what a cut left behind was taken up again.
    recovered: AtomicBool,
    closing: AtomicBool,
    /// True once the outbox was emptied as far as it can be.
    quiet: AtomicBool,
}

/// Opens the door, if it is wanted. Must be called inside the runtime of the daemon.
pub(crate) fn start(house: &Arc<House>) -> Option<Arc<Telegram>> {
    let config = &house.runtime().config;
    if !config.telegram.enabled {
        return None;
    }
    let door = Arc::new(Telegram {
        house: Arc::clone(house),
        handle: Handle::current(),
        line: RwLock::default(),
        lanes: Lanes::default(),
        busy: AtomicUsize::new(0),
        running: Mutex::default(),
        bell: (Mutex::new(false), Condvar::new()),
        recovered: AtomicBool::new(false),
        closing: AtomicBool::new(false),
        quiet: AtomicBool::new(false),
    });
    house.telegram.open.store(true, Ordering::Relaxed);
    keep_alive(&door, "telegram poll", Telegram::poll);
    keep_alive(&door, "telegram outbox", Telegram::deliver_all);
    Some(door)
}

/// Runs `work` on a thread of its own, again when it died of something nobody thought of.
fn keep_alive(door: &Arc<Telegram>, name: &'static str, work: fn(&Arc<Telegram>)) {
    let door = Arc::clone(door);
    std::thread::spawn(move || {
        while !door.is_closing() {
            let own = Arc::clone(&door);
            let ended = std::thread::Builder::new().name(name.into()).spawn(move || work(&own));
            let died = ended.map_or(true, |thread| thread.join().is_err());
            if died {
                door.note(Level::Error, &format!("{name} died and is started again"));
                door.rest(Duration::from_secs(1));
            }
        }
        if name.ends_with("outbox") {
            door.quiet.store(true, Ordering::Relaxed);
        }
    });
}

impl Telegram {
    /// Nothing more is taken. The long poll is left alone: what it brings is not acknowledged, so it comes again.
    pub(crate) fn close(&self) {
        // What is in work has its answer written down first.
        let until = Instant::now() + GOODBYE;
        self.closing.store(true, Ordering::Relaxed);
        while self.busy.load(Ordering::Relaxed) > 0 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        self.ring();
        while !self.quiet.load(Ordering::Relaxed) && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Relaxed) || self.house.is_closing()
    }

    fn db(&self) -> &Db {
        self.house.runtime().db()
    }

    fn wire(&self) -> Option<Arc<Wire>> {
        let line = self.line.read().unwrap_or_else(PoisonError::into_inner);
        line.as_ref().map(|(wire, _)| Arc::clone(wire))
    }

    fn bot(&self) -> (i64, String) {
        let line = self.line.read().unwrap_or_else(PoisonError::into_inner);
        line.as_ref().map_or_else(Default::default, |(_, bot)| bot.clone())
    }

    /// Something was put into the outbox.
    fn ring(&self) {
        *self.bell.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.bell.1.notify_all();
    }

    /// Waits until somebody rings.
    fn wait_for_bell(&self, most: Duration) {
        let rung = self.bell.0.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.bell.1.wait_timeout_while(rung, most, |rung| !*rung);
        *waited.unwrap_or_else(PoisonError::into_inner).0 = false;
    }

    /// Does nothing for a while, or until the house closes.
    fn rest(&self, time: Duration) {
        let until = Instant::now() + time;
        while Instant::now() < until && !self.is_closing() {
            std::thread::sleep(Duration::from_millis(50).min(time));
        }
    }

    /// Writes a line into the daemon's log, without secrets.
    fn note(&self, level: Level, text: &str) {
        self.house.log(level, &format!("telegram: {text}"));
    }
}

/// How long to wait before the next try, after so many.
fn pause(tries: u32) -> Duration {
    Duration::from_secs((1u64 << tries.min(6)).min(60))
}

fn unread(error: metnos_memory::Error) -> Failure {
    Failure::internal(error.to_string())
}
