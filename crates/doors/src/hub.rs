//! The turns at work: each on a thread of its own, watched by any number of streams, stopped by a word.

mod ongoing;

use crate::house::House;
use crate::watched::{Party, Watched};
use crate::who::{Came, Who, person_of, zone_named};
use metnos_executor::wire::Progress;
use metnos_executor::{ErrorClass, Failure};
use metnos_gateway::{Asked, Told};
use metnos_memory::db::Turn;
use metnos_runtime::call::turn_of;
use metnos_runtime::guards::Answer;
use metnos_runtime::house::logbook::Level;
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot, watch};

/// Turns that run at once.
const ROOM: usize = 16;
/// Turns that one person runs at once who is not the host: nobody fills the room alone.
const PART: usize = 4;
/// Turns that wait for room; more are turned away.
const QUEUE: u32 = 512;

/// The turns at work.
pub(crate) struct Hub {
    live: Mutex<HashMap<String, Weak<Live>>>,
    room: Arc<Semaphore>,
    /// The part of the room that each person has who is not the host.
    parts: Mutex<HashMap<String, Arc<Semaphore>>>,
    queue: AtomicU32,
}

impl Default for Hub {
    fn default() -> Self {
        Self {
            live: Mutex::default(),
            room: Arc::new(Semaphore::new(ROOM)),
            parts: Mutex::default(),
            queue: AtomicU32::new(0),
        }
    }
}

/// A place in the room, and in one's own part of it.
struct Place {
    _room: OwnedSemaphorePermit,
    _part: Option<OwnedSemaphorePermit>,
}

/// What a step at work does.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Now {
    /// How far it is.
    Progress(Progress),
    /// In words, where nothing can be counted.
    Says(String),
}

/// What the watchers of a turn are told.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tick {
    /// How long the log is.
    pub(crate) n: u32,
    /// What the step at work does.
    pub(crate) now: Option<Now>,
    /// How many runs of it have ended: the request itself, then each time it went on.
    pub(crate) ended: u32,
    /// Why the last one that had begun could not be carried to its end.
    pub(crate) failed: Option<Failure>,
}

/// A turn somebody runs or watches.
pub(crate) struct Live {
    pub(crate) turn: String,
    pub(crate) bell: watch::Sender<Tick>,
    /// Whether somebody wants no more of it, for each run at work: what is allowed later is not meant.
    runs: Mutex<Vec<Weak<Stop>>>,
}

/// Whether somebody wants no more of a run.
pub(crate) struct Stop {
    asked: watch::Sender<bool>,
    /// Whose it is.
    person: String,
    /// Whether it is for a request that is still being read.
    expected: AtomicBool,
}

impl Stop {
    fn new(who: &Who, expected: bool) -> Arc<Self> {
        let (person, expected) = (who.person.id.clone(), AtomicBool::new(expected));
        Arc::new(Self { asked: watch::channel(false).0, person, expected })
    }

    pub(crate) fn is_asked(&self) -> bool {
        *self.asked.borrow()
    }

    /// Waits until somebody wants no more of it.
    async fn called(&self) {
        // The other end is this one: it cannot be gone.
        let _ = self.asked.subscribe().wait_for(|asked| *asked).await;
    }
}

/// A request that arrived and is being read: it can be stopped from now on.
pub(crate) struct Expected {
    _lives: Vec<Arc<Live>>,
    _stop: Arc<Stop>,
}

impl Live {
    /// Wants no more of what runs; false when nothing does.
    pub(crate) fn cancel(&self) -> bool {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let at_work: Vec<Arc<Stop>> = runs.iter().filter_map(Weak::upgrade).collect();
        at_work.iter().for_each(|stop| {
            let _ = stop.asked.send_replace(true);
        });
        !at_work.is_empty()
    }

    /// The same, for a request of this person that is still being read.
    fn cancel_expected(&self, who: &Who) -> bool {
        let runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        let own = |stop: &Arc<Stop>| who.is_host() || stop.person == who.person.id;
        let at_work: Vec<Arc<Stop>> = runs.iter().filter_map(Weak::upgrade).filter(own).collect();
        at_work.iter().for_each(|stop| {
            let _ = stop.asked.send_replace(true);
        });
        !at_work.is_empty()
    }

    /// Counts one more run as at work, for as long as what is given is held. One that was expected is that one.
    fn begin(&self, who: &Who) -> Arc<Stop> {
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        runs.retain(|run| run.strong_count() > 0);
        let own =
            |stop: &Arc<Stop>| stop.person == who.person.id && stop.expected.swap(false, Ordering::Relaxed);
        if let Some(expected) = runs.iter().filter_map(Weak::upgrade).find(own) {
            return expected;
        }
        let stop = Stop::new(who, false);
        runs.push(Arc::downgrade(&stop));
        stop
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Tick> {
        self.bell.subscribe()
    }

    /// Says that a run has ended.
    fn ring(&self, failed: Option<&Failure>) {
        self.bell.send_modify(|tick| {
            tick.ended += 1;
            tick.now = None;
            tick.failed = failed.cloned();
        });
    }
}

/// A request from a door.
#[derive(Clone)]
pub(crate) struct Wanted {
    pub(crate) text: String,
    pub(crate) conversation: String,
    pub(crate) language: Option<String>,
    pub(crate) zone: Option<String>,
    /// The id it shall have, where the door must be able to find it again.
    pub(crate) turn: Option<String>,
    /// What relative paths are relative to; only a terminal of this machine has such a folder.
    pub(crate) base: Option<PathBuf>,
}

/// One run of a turn: the request itself, or a time it went on; and how that ended, once it has.
pub(crate) struct Started {
    pub(crate) live: Arc<Live>,
    over: oneshot::Receiver<Result<(), Failure>>,
}

impl Started {
    pub(crate) fn turn(&self) -> &str {
        &self.live.turn
    }

    /// Waits until it has ended or waits for somebody.
    pub(crate) async fn ended(self) -> Result<(), Failure> {
        self.over.await.unwrap_or_else(|_| Err(lost()))
    }
}

/// Somebody who waits for room, until they have it or went away.
struct Waits<'a>(&'a AtomicU32);

impl<'a> Waits<'a> {
    fn begin(queue: &'a AtomicU32) -> Result<Self, Failure> {
        let waits = Self(queue);
        match queue.fetch_add(1, Ordering::Relaxed) {
            before if before < QUEUE => Ok(waits),
            _ => Err(Failure::new(ErrorClass::LimitExceeded, "too many requests wait already")
                .with_hint("try again in a moment")),
        }
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What a thread does for a turn.
type Work = Box<dyn FnOnce(&House, &mut Watched) -> Result<Option<Told>, Failure> + Send>;

impl Hub {
    /// The turn as something to watch, whether it runs or not.
    pub(crate) fn live(&self, turn: &str) -> Arc<Live> {
        let mut all = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(live) = all.get(turn).and_then(Weak::upgrade) {
            return live;
        }
        if all.len() >= 64 && all.len().is_power_of_two() {
            all.retain(|_, live| live.strong_count() > 0);
        }
        let (bell, _) = watch::channel(Tick::default());
        let live = Arc::new(Live { turn: turn.to_owned(), bell, runs: Mutex::default() });
        all.insert(turn.to_owned(), Arc::downgrade(&live));
        live
    }

    /// From now on a request that arrived under one of these ids can be stopped, also before it is a turn.
    pub(crate) fn expect(&self, ids: &[&str], who: &Who) -> Expected {
        let stop = Stop::new(who, true);
        let lives: Vec<Arc<Live>> = ids.iter().map(|id| self.live(id)).collect();
        for live in &lives {
            live.runs.lock().unwrap_or_else(PoisonError::into_inner).push(Arc::downgrade(&stop));
        }
        Expected { _lives: lives, _stop: stop }
    }

    /// Wants no more of a request of this person that is still being read; false when there is none.
    pub(crate) fn cancel_expected(&self, turn: &str, who: &Who) -> bool {
        let known =
            self.live.lock().unwrap_or_else(PoisonError::into_inner).get(turn).and_then(Weak::upgrade);
        known.is_some_and(|live| live.cancel_expected(who))
    }

    /// How many turns run, and how many wait for room.
    pub(crate) fn load(&self) -> (usize, u32) {
        (ROOM - self.room.available_permits(), self.queue.load(Ordering::Relaxed))
    }

    async fn enter(&self, who: &Who) -> Result<Place, Failure> {
        let part = (!who.is_host()).then(|| {
            let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(parts.entry(who.person.id.clone()).or_insert_with(|| Arc::new(Semaphore::new(PART))))
        });
        let _part = match part {
            Some(part) => Some(self.place(part).await?),
            None => None,
        };
        Ok(Place { _room: self.place(Arc::clone(&self.room)).await?, _part })
    }

    async fn place(&self, room: Arc<Semaphore>) -> Result<OwnedSemaphorePermit, Failure> {
        if let Ok(permit) = Arc::clone(&room).try_acquire_owned() {
            return Ok(permit);
        }
        let _waits = Waits::begin(&self.queue)?;
        room.acquire_owned().await.map_err(|_| Failure::internal("the hub is closed"))
    }

    /// Waits until nothing runs, or until `patience` is over; true when nothing runs.
    pub(crate) async fn still(&self, patience: Duration) -> bool {
        let all = self.room.acquire_many(u32::try_from(ROOM).unwrap_or(u32::MAX));
        tokio::time::timeout(patience, all).await.is_ok()
    }

    /// Stops every turn that runs, at its next safe point.
    pub(crate) fn stop_all(&self) {
        let all = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        for live in all.values().filter_map(Weak::upgrade) {
            live.cancel();
        }
    }
}

impl House {
    /// Begins a turn. When this returns, the turn is written down.
    pub(crate) async fn start(self: &Arc<Self>, who: &Who, wanted: Wanted) -> Result<Started, Failure> {
        self.begins_turn(who)?;
        let turn = wanted.turn.clone().unwrap_or_else(|| metnos_executor::Ulid::new().to_string());
        let asked = self.asked(who, wanted)?;
        let (begun, known) = oneshot::channel();
        let (id, by) = (turn.clone(), who.token.clone());
        let work: Work =
            Box::new(move |house, door| match house.gateway.begin(Some(id), &asked, Some(&by)) {
                Ok(ready) => {
                    let _ = begun.send(Ok(()));
                    house.gateway.carry(ready, &asked, door).map(Some)
                }
                Err(failure) => {
                    let _ = begun.send(Err(failure.clone()));
                    Err(failure)
                }
            });
        let started = self.run(&turn, who, None, work).await?;
        known.await.map_err(|_| Failure::internal("the turn was lost"))??;
        Ok(started)
    }

    /// Decides a question; after a yes the step runs and the turn it belongs to goes on.
    pub(crate) async fn decide(
        self: &Arc<Self>,
        who: &Who,
        id: &str,
        answer: Answer,
    ) -> Result<Started, Failure> {
        let question = self.question(who, id)?;
        let turn = question.call_id.as_deref().and_then(turn_of).unwrap_or(id).to_owned();
        let (by, id, language) = (who.caller(), id.to_owned(), question.lang.clone());
        let zone = who.zone();
        let known = self.gateway.turn(&turn)?;
        let asker = match &known {
            Some(known) => Some(asker(known)),
            // A call from a terminal may be in the name of somebody nobody knows.
            None => {
                let person = self.runtime().person(person_of(&question.caller))?;
                person.map(|_| Came { caller: question.caller.clone(), by: None })
            }
        };
        let work: Work = Box::new(move |house, door| {
            let now = jiff::Zoned::now().with_time_zone(zone);
            // A no is always heard.
            if !matches!(answer, Answer::No | Answer::Never) {
                door.all_welcome()?;
            }
            let decide = |door: &mut Watched<'_>| {
                let lists =
                    || known.as_ref().map_or(Ok(None), |known| house.gateway.waiting_lists(&known.id));
                house.runtime().decide_question(&id, answer, &by, now.clone(), lists, door)
            };
            let Some(known) = &known else { return decide(door).map(|_| None) };
            let (done, at_work) = house.gateway.at_work(&known.id, answer, || decide(door))?;
            let asked = Asked {
                text: known.request.clone(),
                language: Some(language),
                now,
                caller: known.caller.clone(),
                conversation: known.conversation.clone(),
                session: question.session,
                base: question.base,
            };
            match (done, answer) {
                (Some(done), _) => house.gateway.resume(at_work, done, &asked, door).map(Some),
                (None, Answer::No | Answer::Never) => house.gateway.refused(at_work, &asked, door).map(Some),
                (None, _) => house.gateway.leave(at_work).map(|()| None),
            }
        });
        self.run(&turn, who, asker, work).await
    }

    /// A turn of this person as it was asked for, and by whom.
    fn asked_before(&self, who: &Who, turn: &str) -> Result<(Asked, Came), Failure> {
        let known = self.own_turn(who, turn)?;
        let asker = asker(&known);
        let (conversation, caller) = (known.conversation.clone(), known.caller);
        let wanted =
            Wanted { text: known.request, conversation, language: None, zone: None, turn: None, base: None };
        Ok((Asked { caller, ..self.asked(who, wanted)? }, asker))
    }

    fn asked(&self, who: &Who, wanted: Wanted) -> Result<Asked, Failure> {
        let zone = match &wanted.zone {
            Some(name) => zone_named(name)?,
            None => who.zone(),
        };
        Ok(Asked {
            text: wanted.text,
            // Read from the words when it is not said; the person's own is for what Metnos says by itself.
            language: wanted.language,
            session: self.session_in(who, &wanted.conversation),
            now: jiff::Zoned::now().with_time_zone(zone),
            caller: who.caller(),
            conversation: wanted.conversation,
            base: wanted.base.unwrap_or_else(|| self.runtime().home.user_home()),
        })
    }

    /// Runs `work` on a thread of its own and rings for it. `asker`: who asked for the turn, if that was before.
    async fn run(
        self: &Arc<Self>,
        turn: &str,
        who: &Who,
        asker: Option<Came>,
        work: Work,
    ) -> Result<Started, Failure> {
        if self.is_closing() {
            return Err(
                Failure::new(ErrorClass::Interrupted, "Metnos is stopping").with_hint("try again later")
            );
        }
        let party = Party::new(who.came(), asker);
        let live = self.hub.live(turn);
        // From before anybody can see that it runs.
        let stop = live.begin(who);
        let place = tokio::select! {
            biased;
            place = self.hub.enter(who) => Some(place?),
            // It ends without having begun anything, and needs no room for that.
            () = stop.called() => None,
        };
        let (over, ended) = oneshot::channel();
        let (house, running) = (Arc::clone(self), Arc::clone(&live));
        tokio::task::spawn_blocking(move || {
            house.perform(&running, stop, party, work, over);
            drop(place);
        });
        Ok(Started { live, over: ended })
    }

    /// One run of a turn, on this thread.
    fn perform(
        &self,
        live: &Live,
        stop: Arc<Stop>,
        party: Party,
        work: Work,
        over: oneshot::Sender<Result<(), Failure>>,
    ) {
        let began = Instant::now();
        let mut door = Watched::new(self, live, stop, party);
        let mut broken = Broken { house: self, live, armed: true };
        let ended = work(self, &mut door);
        broken.armed = false;
        if let Err(failure) = &ended {
            self.log(Level::Error, &format!("turn {}: {failure}", live.turn));
        }
        let told = ended.as_ref().ok().and_then(|told| told.as_ref());
        self.counts.turn(told.map(|told| told.ending.status), began.elapsed());
        // One that came too late to begin is its caller's alone: whoever watches the turn is told nothing of it.
        if ended.is_ok() || door.has_begun() {
            live.ring(ended.as_ref().err());
        }
        let turn = told.map(|told| told.turn.clone());
        // Whoever asked may have gone.
        let _ = over.send(ended.map(|_| ()));
        // After the answer: what fails here loses a lesson or a little room, and nothing else.
        if let Some(turn) = turn {
            let _ = self.gateway.learn(&turn);
            let _ = self.gateway.tidy();
        }
        if self.runtime().has_changed() {
            let _ = self.runtime().tidy();
        }
    }
}

/// Who asked for a turn, and what they came in by.
fn asker(turn: &Turn) -> Came {
    Came { caller: turn.caller.clone(), by: turn.came_by.clone() }
}

fn lost() -> Failure {
    Failure::internal("the turn was lost").with_hint("metnos logs tells more")
}

/// Tells the watchers of a run that broke, which nothing else would.
struct Broken<'a> {
    house: &'a House,
    live: &'a Live,
    armed: bool,
}

impl Drop for Broken<'_> {
    fn drop(&mut self) {
        if self.armed {
            self.house.log(Level::Error, &format!("turn {} broke", self.live.turn));
            let _ = self.house.gateway.cut_off(None);
            self.live.ring(Some(&lost()));
        }
    }
}
