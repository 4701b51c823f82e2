//! Cells kept ready. A call that finds one waits for nothing; a call that does not builds its own.
//!
//! One thread starts and ends all warm cells: bubblewrap dies with the thread that started it, so
//! that thread lives as long as the pool.

use crate::argv;
use crate::cell::Cell;
use crate::group::{Group, Groups};
use crate::image::HostImage;
use crate::mounts::Mounts;
use crate::spawn::spawn;
use metnos_executor::wire::Start;
use metnos_executor::{ErrorClass, Failure};
use rustix::pipe::PipeFlags;
use std::collections::HashMap;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The most warm cells of one kind, and of all kinds together.
const SHELF_MAX: usize = 4;
const TOTAL_MAX: usize = 12;
/// How long a refill lets a call and its answer pass first: starting a cell competes with them for
/// the processor.
const PATIENCE: Duration = Duration::from_millis(5);
/// A kind nobody asked for in this long is let go.
const IDLE: Duration = Duration::from_secs(600);

/// Builds cells.
#[derive(Clone)]
pub struct Launcher {
    /// The bubblewrap binary.
    pub bwrap: PathBuf,
    /// The verified host.
    pub image: Arc<HostImage>,
}

impl Launcher {
    /// Builds one cell and waits until it is ready.
    pub fn start(&self, mounts: &Arc<Mounts>, core: [u8; 32], start: Start) -> Result<Cell, Failure> {
        let failed = |e: std::io::Error| match e.kind() {
            std::io::ErrorKind::NotFound => {
                Failure::new(ErrorClass::SandboxUnavailable, "bubblewrap is not installed")
                    .with_hint("sudo apt-get install -y bubblewrap")
            }
            _ => Failure::new(ErrorClass::SandboxUnavailable, format!("a cell could not be started: {e}"))
                .with_hint("metnos doctor"),
        };
        let (ours, theirs) = UnixStream::pair().map_err(failed)?;
        let (read, write) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC | PipeFlags::NONBLOCK)
            .map_err(|e| failed(e.into()))?;
        let argv = argv::cell(mounts, start);
        let group = Groups::find().and_then(Groups::cell);
        let doors = group.as_ref().map(Group::doors).unwrap_or_default();
        let child = spawn(&self.bwrap, &argv, theirs.as_fd(), self.image.as_fd(), Stdio::from(write), doors)
            .map_err(failed)?;
        drop(theirs);
        let mut cell = Cell::new(child, ours, read, Arc::clone(mounts), core, group);
        match cell.wait_ready() {
            Ok(()) => Ok(cell),
            Err(failure) => {
                cell.discard();
                Err(failure)
            }
        }
    }
}

/// How the pool has served so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Served {
    /// Calls that found a warm cell.
    pub hits: u64,
    /// Calls that had to build one.
    pub misses: u64,
    /// Warm cells thrown away because a core path changed while they waited.
    pub stale: u64,
}

struct Shelf {
    ready: Vec<Cell>,
    want: usize,
    core: [u8; 32],
    asked: Instant,
}

#[derive(Default)]
struct State {
    shelves: HashMap<Arc<Mounts>, Shelf>,
    spent: Vec<Cell>,
    served: Served,
    /// When a cell was last taken or given back.
    stirred: Option<Instant>,
    /// The last call found no cell: refill at once.
    behind: bool,
    /// The thread sleeps until it is woken; else it looks by itself within [`PATIENCE`].
    resting: bool,
    closing: bool,
}

struct Shared {
    state: Mutex<State>,
    wake: Condvar,
    launcher: Launcher,
}

/// Whether cells are kept ready for the next call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// Each kind that was asked for.
    Ready,
    /// None: each call builds its own, and only the ending happens in the background.
    Nothing,
}

/// The cells of one process: those that wait, and those that are to be ended.
pub struct Pool {
    shared: Arc<Shared>,
    keeping: Keeping,
    thread: Option<std::thread::JoinHandle<()>>,
}

impl Pool {
    /// An empty pool; it learns what to keep from what is asked.
    pub fn new(launcher: Launcher, keeping: Keeping) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { state: Mutex::default(), wake: Condvar::new(), launcher });
        let theirs = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("cells".into()).spawn(move || tend(&theirs))?;
        Ok(Self { shared, keeping, thread: Some(thread) })
    }

    /// A cell with these mounts, warm if one waits. `core` is the identity of the core paths now:
    /// a cell built under another one is thrown away.
    pub fn take(&self, mounts: &Arc<Mounts>, core: [u8; 32]) -> Result<(Cell, bool), Failure> {
        if self.keeping == Keeping::Ready {
            let mut state = lock(&self.shared.state);
            let shelf = state.shelves.entry(Arc::clone(mounts)).or_insert_with(|| Shelf {
                ready: Vec::new(),
                want: 1,
                core,
                asked: Instant::now(),
            });
            shelf.asked = Instant::now();
            shelf.core = core;
            let mut stale = Vec::new();
            let mut found = None;
            while let Some(mut cell) = shelf.ready.pop() {
                if cell.core == core && cell.alive() {
                    found = Some(cell);
                    break;
                }
                stale.push(cell);
            }
            if found.is_none() {
                shelf.want = (shelf.want + 1).min(SHELF_MAX);
            }
            state.served.stale += stale.len() as u64;
            state.spent.append(&mut stale);
            match found {
                Some(_) => state.served.hits += 1,
                None => state.served.misses += 1,
            }
            state.behind = found.is_none();
            state.stirred = Some(Instant::now());
            // Whoever found a cell wakes the thread once the cell is at work, see `refill`.
            if let Some(cell) = found {
                return Ok((cell, true));
            }
            self.shared.wake.notify_one();
        }
        self.shared.launcher.start(mounts, core, Start::Now).map(|cell| (cell, false))
    }

    /// Lets the place of a taken cell be filled again. Waking a thread takes a while, so this is said
    /// when the taken cell already works.
    pub fn refill(&self) {
        self.stir(&mut lock(&self.shared.state));
    }

    fn stir(&self, state: &mut State) {
        state.stirred = Some(Instant::now());
        if state.resting {
            self.shared.wake.notify_one();
        }
    }

    /// True when its cells run the very host of `launcher`.
    pub fn runs(&self, launcher: &Launcher) -> bool {
        self.shared.launcher.image.digest() == launcher.image.digest()
    }

    /// Hands back a spent cell; it is ended in the background.
    pub fn give_back(&self, cell: Cell) {
        let mut state = lock(&self.shared.state);
        state.spent.push(cell);
        self.stir(&mut state);
    }

    /// Asks for a warm cell of this kind before anyone needs it.
    pub fn expect(&self, mounts: &Arc<Mounts>, core: [u8; 32]) {
        if self.keeping == Keeping::Nothing {
            return;
        }
        let mut state = lock(&self.shared.state);
        state.shelves.entry(Arc::clone(mounts)).or_insert_with(|| Shelf {
            ready: Vec::new(),
            want: 1,
            core,
            asked: Instant::now(),
        });
        self.shared.wake.notify_one();
    }

    /// Waits until every kind has its warm cells, or `within` has passed.
    pub fn settle(&self, within: Duration) {
        let until = Instant::now() + within;
        while Instant::now() < until {
            if lock(&self.shared.state).shelves.values().all(|s| s.ready.len() >= s.want) {
                return;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// How it has served so far.
    pub fn served(&self) -> Served {
        lock(&self.shared.state).served
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        lock(&self.shared.state).closing = true;
        self.shared.wake.notify_all();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A poisoned lock only means that a thread died while counting; the cells are still good.
fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

/// When the pool is full and a kind has fewer cells than it is asked for, the kind that was asked for
/// longest ago, and before that one: without it the first kinds of a day would keep all others out.
fn makes_room(state: &State) -> Option<Arc<Mounts>> {
    let total: usize = state.shelves.values().map(|s| s.ready.len()).sum();
    if total < TOTAL_MAX {
        return None;
    }
    let newest = state.shelves.values().filter(|s| s.ready.len() < s.want).map(|s| s.asked).max()?;
    let full = state.shelves.iter().filter(|(_, s)| !s.ready.is_empty() && s.asked < newest);
    full.min_by_key(|(_, s)| s.asked).map(|(mounts, _)| Arc::clone(mounts))
}

/// Starts what is wanted and ends what is spent, one at a time.
fn tend(shared: &Shared) {
    loop {
        let mut state = lock(&shared.state);
        let (spent, wanted) = loop {
            if state.closing {
                let State { shelves, spent, .. } = std::mem::take(&mut *state);
                drop(state);
                spent.into_iter().chain(shelves.into_values().flat_map(|s| s.ready)).for_each(Cell::discard);
                return;
            }
            let waited = state.stirred.map_or(PATIENCE, |stirred| stirred.elapsed());
            if !state.behind && waited < PATIENCE {
                let left = PATIENCE.saturating_sub(waited);
                state = shared.wake.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0;
                continue;
            }
            let idle: Vec<Arc<Mounts>> = state
                .shelves
                .iter()
                .filter(|(_, s)| s.asked.elapsed() > IDLE)
                .map(|(m, _)| Arc::clone(m))
                .collect();
            for mounts in idle {
                if let Some(shelf) = state.shelves.remove(&mounts) {
                    state.spent.extend(shelf.ready);
                }
            }
            if let Some(mounts) = makes_room(&state)
                && let Some(shelf) = state.shelves.remove(&mounts)
            {
                state.spent.extend(shelf.ready);
            }
            let total: usize = state.shelves.values().map(|s| s.ready.len()).sum();
            let wanted = state
                .shelves
                .iter()
                .filter(|(_, shelf)| total < TOTAL_MAX && shelf.ready.len() < shelf.want)
                .min_by_key(|(_, shelf)| shelf.ready.len())
                .map(|(mounts, shelf)| (Arc::clone(mounts), shelf.core));
            let spent = std::mem::take(&mut state.spent);
            if wanted.is_some() || !spent.is_empty() {
                break (spent, wanted);
            }
            state.resting = true;
            state = shared.wake.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner).0;
            state.resting = false;
        };
        drop(state);
        if let Some((mounts, core)) = wanted {
            match shared.launcher.start(&mounts, core, Start::Ahead) {
                Ok(cell) => match lock(&shared.state).shelves.get_mut(&mounts) {
                    Some(shelf) => shelf.ready.push(cell),
                    None => cell.discard(),
                },
                // The next call builds its own cell and reports why it cannot.
                Err(_) => {
                    lock(&shared.state).shelves.remove(&mounts);
                }
            }
        }
        spent.into_iter().for_each(Cell::discard);
    }
}
