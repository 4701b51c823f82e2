//! The door of a turn nobody sits at: what happens is in its log, and its watchers are told to look.

use crate::house::House;
use crate::hub::{Live, Now, Stop};
use crate::who::Came;
use metnos_executor::wire::Progress;
use metnos_executor::{ErrorClass, Failure};
use metnos_gateway::TurnDoor;
use metnos_runtime::call::Door;
use metnos_runtime::guards::{Answer, Question};
use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often progress is passed on.
const PACE: Duration = Duration::from_millis(100);
/// How often a run asks whether everybody it depends on is still let in.
const LOOK: Duration = Duration::from_millis(500);

/// Everybody a run depends on: it stops when one of them, or what they came in by, is sent away.
pub(crate) struct Party {
    /// Who set it off, and who asked for the turn.
    all: Vec<Came>,
    /// When it was last known that they are let in.
    looked: Cell<Option<Instant>>,
    gone: Cell<bool>,
}

impl Party {
    /// Who sets it off was let in just now. An `asker` of some time ago is looked for at once.
    pub(crate) fn new(by: Came, asker: Option<Came>) -> Self {
        let looked = asker.is_none().then(Instant::now);
        let all = std::iter::once(by).chain(asker).collect();
        Self { all, looked: Cell::new(looked), gone: Cell::new(false) }
    }

    /// Whether one of them is gone, as far as that was known a moment ago. What cannot be read lets nobody in.
    fn is_broken(&self, house: &House) -> bool {
        if !self.gone.get() && self.looked.get().is_none_or(|at| at.elapsed() >= LOOK) {
            self.gone.set(!self.all.iter().all(|came| house.lets_in(came).unwrap_or(false)));
            self.looked.set(Some(Instant::now()));
        }
        self.gone.get()
    }
}

/// The door of one run.
pub(crate) struct Watched<'a> {
    house: &'a House,
    live: &'a Live,
    /// Whether somebody wants no more of this run.
    stop: Arc<Stop>,
    party: Party,
    told: Instant,
    /// Something of this run has happened.
    began: bool,
}

impl<'a> Watched<'a> {
    pub(crate) fn new(house: &'a House, live: &'a Live, stop: Arc<Stop>, party: Party) -> Self {
        Self { house, live, stop, party, told: Instant::now(), began: false }
    }

    /// Whether something of this run has happened.
    pub(crate) fn has_begun(&self) -> bool {
        self.began
    }

    /// Refuses what was asked for by somebody, or over something, that was sent away since.
    pub(crate) fn all_welcome(&self) -> Result<(), Failure> {
        match self.party.is_broken(self.house) {
            true => {
                let why = "who asked for this, or what they came in by, was sent away since";
                Err(Failure::new(ErrorClass::PolicyViolation, why).with_hint("it can only be given up"))
            }
            false => Ok(()),
        }
    }
}

impl Door for Watched<'_> {
    fn progress(&mut self, progress: &Progress) {
        self.began = true;
        if self.told.elapsed() >= PACE {
            self.told = Instant::now();
            self.live.bell.send_modify(|tick| tick.now = Some(Now::Progress(progress.clone())));
        }
    }

    fn says(&mut self, text: &str) {
        self.began = true;
        self.live.bell.send_modify(|tick| tick.now = Some(Now::Says(text.to_owned())));
    }

    fn cancelled(&self) -> bool {
        self.stop.is_asked() || self.party.is_broken(self.house)
    }

    fn ask(&mut self, _question: &Question) -> Answer {
        // The question is kept; whoever may answer it does so by its id, on any door.
        Answer::Later
    }
}

impl TurnDoor for Watched<'_> {
    fn logged(&mut self, _turn: &str, n: u32) {
        self.began = true;
        self.live.bell.send_modify(|tick| {
            tick.n = n;
            tick.now = None;
        });
    }

    fn as_door(&mut self) -> &mut dyn Door {
        self
    }
}
