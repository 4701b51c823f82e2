//! A turn as a stream of events. The numbers of the events are the numbers of the entries of its log, so a stream
//! that broke goes on where it was, also after a restart.

use crate::answer::OfferCard;
use crate::house::House;
use crate::hub::{Live, Now, Tick};
use crate::who::Who;
use axum::response::sse::Event;
use futures_util::stream::{self, Stream};
use metnos_executor::Failure;
use metnos_gateway::{Beat, Moment};
use serde_json::{Value, json};
use std::collections::{HashMap, VecDeque};
use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::watch;

/// How often a turn that waits is looked at without having been rung for: another process may have answered.
const LOOK: Duration = Duration::from_secs(5);
/// Streams that one person has open at once who is not the host.
const MOST: u32 = 32;

/// Who watches how much.
#[derive(Default)]
pub(crate) struct Watchers(Mutex<HashMap<String, u32>>);

/// One stream of somebody, for as long as it is open.
struct Watching {
    house: Arc<House>,
    person: String,
}

impl Watching {
    fn begin(house: &Arc<House>, who: &Who) -> Result<Self, Failure> {
        let person = who.person.id.clone();
        let mut all = house.watchers.0.lock().unwrap_or_else(PoisonError::into_inner);
        let open = all.entry(person.clone()).or_default();
        if *open >= MOST && !who.is_host() {
            return Err(
                Failure::limit("streams", "too many streams are open already").with_hint("close some")
            );
        }
        *open += 1;
        house.counts.streams.fetch_add(1, Ordering::Relaxed);
        Ok(Self { house: Arc::clone(house), person })
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.house.counts.streams.fetch_sub(1, Ordering::Relaxed);
        let mut all = self.house.watchers.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = all.get_mut(&self.person) {
            *open = open.saturating_sub(1);
        }
    }
}

/// Where one stream is.
struct Cursor {
    house: Arc<House>,
    who: Who,
    _watching: Watching,
    /// Held, so that whoever runs the turn rings the same bell.
    live: Arc<Live>,
    bell: watch::Receiver<Tick>,
    closing: watch::Receiver<bool>,
    after: u32,
    ready: VecDeque<Event>,
    over: bool,
    /// What was told last of what the step at work does.
    now: Option<Now>,
}

impl House {
    /// What happens in a turn after the entry `after`, until it has ended.
    pub(crate) fn events(
        self: &Arc<Self>,
        who: &Who,
        turn: &str,
        after: u32,
    ) -> Result<impl Stream<Item = Result<Event, Infallible>> + use<>, Failure> {
        let _watching = Watching::begin(self, who)?;
        let live = self.hub.live(turn);
        let bell = live.watch();
        let cursor = Cursor {
            house: Arc::clone(self),
            who: who.clone(),
            _watching,
            bell,
            live,
            closing: self.closing_bell(),
            after,
            ready: VecDeque::new(),
            over: false,
            now: None,
        };
        Ok(stream::unfold(cursor, |mut cursor| async move {
            loop {
                if let Some(event) = cursor.ready.pop_front() {
                    return Some((Ok(event), cursor));
                }
                if cursor.over || *cursor.closing.borrow() {
                    return None;
                }
                let tick = cursor.bell.borrow_and_update().clone();
                cursor.look(&tick).await;
                if cursor.ready.is_empty() && !cursor.over {
                    let (bell, closing) = (&mut cursor.bell, &mut cursor.closing);
                    tokio::select! {
                        _ = bell.changed() => {}
                        _ = closing.changed() => {}
                        () = tokio::time::sleep(LOOK) => {}
                    }
                }
            }
        }))
    }
}

impl Cursor {
    /// Takes what is new.
    async fn look(&mut self, tick: &Tick) {
        let (house, who, turn, after) =
            (Arc::clone(&self.house), self.who.clone(), self.live.turn.clone(), self.after);
        let looked = tokio::task::spawn_blocking(move || {
            house.still_welcome(&who)?;
            let known = house.own_turn(&who, &turn)?;
            let mut moments = house.gateway.story(&turn, after)?;
            // An end that is in the log and not yet in the record of the turn is told when it is.
            let ends = |moment: &Moment| {
                moment
                    .beats
                    .iter()
                    .any(|beat| matches!(beat, Beat::Ends { .. } | Beat::Asks { .. } | Beat::Offers { .. }))
            };
            if known.status.is_none() && moments.last().is_some_and(ends) {
                moments.pop();
            }
            let ends = moments
                .iter()
                .any(|moment| moment.beats.iter().any(|beat| matches!(beat, Beat::Ends { .. })));
            let answer = (ends || known.status.as_deref() == Some("interrupted"))
                .then(|| house.answer_of(known.clone()))
                .transpose()?;
            Ok::<_, Failure>((known, moments, answer))
        });
        let language = self.who.person.language.clone().unwrap_or_default();
        let failed = |failure: &Failure| event("error", None, json!(failure.clone().in_language(&language)));
        match looked.await.unwrap_or_else(|_| Err(Failure::internal("the turn could not be read"))) {
            Ok((known, moments, answer)) => {
                let newest = moments.last().map_or(self.after, |moment| moment.n);
                for moment in moments {
                    self.after = moment.n;
                    // Only the newest end is where the turn stands now.
                    let now = answer.as_ref().filter(|_| moment.n == newest).map(|answer| json!(answer));
                    self.tell(moment, now);
                }
                let status = known.status.as_deref();
                // What waits for somebody goes on later, in this same stream.
                self.over = !matches!(status, None | Some("waits" | "asks"));
                if status == Some("interrupted") {
                    self.ready.push_back(event("final", None, json!(answer)));
                }
                if status.is_none()
                    && let Some(failure) = &tick.failed
                {
                    self.ready.push_back(failed(failure));
                    self.over = true;
                }
                // Told once: what is the same as before is no news.
                if self.now != tick.now {
                    self.now.clone_from(&tick.now);
                    let told = tick.now.as_ref().map(|now| match now {
                        Now::Progress(far) => {
                            json!({ "phase": "progress", "done": far.done, "total": far.total, "unit": far.unit })
                        }
                        Now::Says(text) => json!({ "phase": "says", "text": text }),
                    });
                    self.ready.extend(told.map(|told| event("phase", None, told)));
                }
            }
            Err(failure) => {
                self.ready.push_back(failed(&failure));
                self.over = true;
            }
        }
    }

    /// The events of one entry; the last of them carries its number.
    fn tell(&mut self, moment: Moment, answer: Option<Value>) {
        let mut told: Vec<(&'static str, Value)> = Vec::new();
        for beat in moment.beats {
            match beat {
                Beat::Plan { steps, stage } => {
                    told.push(("phase", json!({ "phase": "plan", "steps": steps, "stage": stage })));
                }
                Beat::Model { role } => told.push(("phase", json!({ "phase": "model", "role": role }))),
                Beat::Begins { step, tool } => {
                    told.push(("step", json!({ "step": step, "tool": tool, "state": "begins" })));
                }
                did @ Beat::Did { .. } => {
                    let mut value = json!(did);
                    value["state"] = "ended".into();
                    told.push(("step", value));
                }
                Beat::Asks { text } => told.push(("form", json!({ "turn": self.live.turn, "text": text }))),
                Beat::Offers { text, choices } => {
                    let mut offer = json!(OfferCard::new(moment.n, text, choices));
                    offer["turn"] = self.live.turn.clone().into();
                    told.push(("offer", offer));
                }
                Beat::Ends { ending } if ending.get("status") == Some(&json!("waits")) => {
                    // One that was answered meanwhile is no longer a question.
                    let waits = answer.as_ref().and_then(|answer| answer.get("approval")).cloned();
                    let id = json!({ "id": ending.get("approval"), "text": ending.get("text") });
                    let mut card = waits.unwrap_or(id);
                    if let Some(note) = ending.get("note") {
                        card["note"] = note.clone();
                    }
                    told.push(("approval", card));
                }
                Beat::Ends { ending } if ending.get("status") == Some(&json!("asks")) => {
                    // Given or given up meanwhile, it is no longer asked for.
                    if answer.is_some() {
                        let credentials = ending.get("credentials");
                        let form = json!({ "turn": self.live.turn, "text": ending.get("text"), "credentials": credentials });
                        told.push(("form", form));
                    }
                }
                Beat::Ends { ending } => {
                    told.push(("delta", json!({ "text": ending.get("text") })));
                    told.push(("final", answer.clone().unwrap_or(Value::Object(ending))));
                }
            }
        }
        let last = told.len().saturating_sub(1);
        for (n, (name, value)) in told.into_iter().enumerate() {
            self.ready.push_back(event(name, (n == last).then_some(moment.n), value));
        }
    }
}

fn event(name: &str, id: Option<u32>, value: Value) -> Event {
    let event = Event::default().event(name).data(value.to_string());
    match id {
        Some(id) => event.id(id.to_string()),
        None => event,
    }
}
