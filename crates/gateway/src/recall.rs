//! What memory has for a request, and what it learns from one.

use crate::conduct::{Asked, Gateway};
use crate::phases::Phases;
use metnos_engine::shortcut::{Shape, normal};
use metnos_engine::{Answer, Clock, Lexicons, Plan, Planner, Reading, Request};
use metnos_executor::Failure;
use metnos_memory::db::{KeptPlan, Lesson, PlanKind};
use metnos_runtime::guards::Principal;
use metnos_turn::{Bound, Event, Kept, Machine, Recalled, Stage, State};
use serde_json::{Map, Value};

/// Clean uses after which a request needs no star.
pub(crate) const PROVED: u32 = 3;
/// Why a plan was retired that a person rejected.
pub(crate) const REJECTED: &str = "rejected";
/// Who made a plan that the embedded planner made.
const PLANNER: &str = "planner";
/// Who made a plan that a person chose among several readings.
const CHOSEN: &str = "person";
/// Opens what stands in the place of a secret.
pub(crate) const SECRET: char = '‹';

/// A request as it goes into a turn: the event, and what was read of it on the way.
pub(crate) struct Opening {
    pub(crate) event: Event,
    pub(crate) reading: Option<Reading>,
}

/// What a kept plan is worth now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// `active`, `learning` or `retired`.
    pub state: &'static str,
    /// Why.
    pub why: String,
}

/// Decides what a kept plan is worth on this day of use, for this machine, and says why in the words of a language.
pub(crate) fn standing(kept: &KeptPlan, machine: &Machine, language: &str, day: u32) -> Standing {
    let planner = machine.planner();
    let is = |state, key: &str, values: &[(&str, &str)]| Standing {
        state,
        why: machine.say(language, key, values),
    };
    if let Some((since, why)) = &kept.retired {
        let known = machine.say(language, if why == REJECTED { "plan_rejected" } else { "plan_failed" }, &[]);
        let left = since.saturating_add(metnos_memory::db::RETIRED_DAYS).saturating_sub(day).to_string();
        let values = [("why", known.as_str()), ("days", &left)];
        return match kept.is_retired(day) {
            true => is("retired", "plan_retired", &values),
            false => is("learning", "plan_again", &values),
        };
    }
    if kept.tools != tools(planner, &plan_of(kept).unwrap_or_default()) {
        return is("retired", "plan_tools", &[]);
    }
    let chosen = kept.source == CHOSEN;
    // What a person chose is theirs, whatever the planner would make of the words now.
    if !chosen && kept.made != planner.digest() {
        return is("retired", "plan_made", &[]);
    }
    let values = [("uses", &*kept.uses.to_string()), ("all", &*PROVED.to_string())];
    match (kept.starred, kept.kind.as_str()) {
        (true, _) => is("active", "plan_starred", &[]),
        (_, _) if chosen && kept.uses > 0 => is("active", "plan_chosen", &[]),
        (_, "exact") if kept.uses < PROVED => is("learning", "plan_learning", &values),
        // A shape serves from its first clean use; what was undone has none.
        (_, _) if kept.uses == 0 => is("learning", "plan_undone", &[]),
        _ => is("active", "plan_active", &values),
    }
}

/// The plan that is kept, with its holes if it has any.
pub(crate) fn plan_of(kept: &KeptPlan) -> Option<Plan> {
    match kept.kind.as_str() {
        "shape" => serde_json::from_str::<Shape>(&kept.body).ok().map(|shape| shape.plan),
        _ => serde_json::from_str(&kept.body).ok(),
    }
}

/// The digests of the executors of a plan.
fn tools(planner: &Planner, plan: &Plan) -> String {
    let digest =
        |name: &str| planner.catalog().get(name).map_or(Value::Null, |tool| tool.digest.clone().into());
    Value::Object(
        plan.steps.iter().map(|step| (step.tool.clone(), digest(&step.tool))).collect::<Map<_, _>>(),
    )
    .to_string()
}

/// Whose memory it is: a person has one, over all channels.
pub(crate) fn person(caller: &str) -> &str {
    caller.split_once('/').map_or(caller, |(person, _)| person)
}

/// A request under its language: the same words in two languages are two requests.
fn exact_key(text: &str, language: Option<&str>) -> String {
    format!("{}:{}", language.unwrap_or_default(), normal(text))
}

impl Gateway {
    /// The language of a request where its words do not tell: the one the person chose.
    fn spoken(&self, asked: &Asked, lexicons: &Lexicons) -> Result<Option<String>, Failure> {
        if asked.language.is_some() {
            return Ok(asked.language.clone());
        }
        let person = self.runtime.person(&Principal::parse(&asked.caller).user)?;
        let chosen = person.and_then(|person| person.language);
        // Words that only look like those of another language do not tell where the chosen one is not read.
        let read = |code: &String| lexicons.get(code).is_some();
        Ok(chosen.filter(|code| !read(code) || !lexicons.is_told(&asked.text)))
    }

    /// The request with what memory has for it. Looked up from the shortest way to the longest, and no further than needed.
    pub(crate) fn opening(
        &self,
        asked: &Asked,
        context: Vec<String>,
        phases: &mut Phases,
    ) -> Result<Opening, Failure> {
        let machine = self.machine();
        let planner = machine.planner();
        let spoken = self.spoken(asked, planner.lexicons())?;
        let language = spoken.as_deref();
        let literal = phases.time("literal_us", || planner.literal(&asked.text, language).is_some());
        let mut reading = None;
        let mut recalled = None;
        if !literal {
            recalled = phases.time("memory_us", || self.recall_exact(asked))?;
        }
        if !literal && recalled.is_none() {
            let request = Request { text: &asked.text, language, context: &context };
            let clock = Clock::at(asked.now.clone());
            let read = phases.time("intent_us", || planner.read(&request, &clock));
            recalled = phases.time("memory_us", || self.recall_shape(asked, &read))?;
            reading = Some(read);
        }
        let bound = self.bound(asked, &context)?;
        let event = Event::Asked {
            text: asked.text.clone(),
            language: spoken.clone(),
            now: asked.now.timestamp().to_string(),
            zone: asked.now.time_zone().iana_name().unwrap_or("UTC").to_owned(),
            context,
            recalled: recalled.map(Box::new),
            models: self.runtime.tiers().bound(),
            bound,
            base: asked.base.to_str().map(str::to_owned),
            advise: self.advises(asked)?,
        };
        Ok(Opening { event, reading })
    }

    /// What the handles of a request, and of those it may point back to, stand for.
    fn bound(&self, asked: &Asked, context: &[String]) -> Result<Bound, Failure> {
        let texts = context.iter().map(String::as_str).chain([asked.text.as_str()]);
        let mut bound = Bound::new();
        for handle in texts.flat_map(metnos_vocab::handles) {
            if !bound.contains_key(handle)
                && let Some(path) = self.runtime.sent(&asked.caller, handle)?
            {
                bound.insert(handle.to_owned(), path);
            }
        }
        Ok(bound)
    }

    fn recall_exact(&self, asked: &Asked) -> Result<Option<Recalled>, Failure> {
        let key = exact_key(&asked.text, asked.language.as_deref());
        let kept = self.db(|db| db.recall_plan(person(&asked.caller), PlanKind::Exact, [&key, &key]))?;
        self.recalled(kept, |kept| {
            Some(Kept::Exact(normal(&asked.text), serde_json::from_str(&kept.body).ok()?))
        })
    }

    fn recall_shape(&self, asked: &Asked, reading: &Reading) -> Result<Option<Recalled>, Failure> {
        let Some(skeleton) = self.machine().planner().skeleton(reading) else { return Ok(None) };
        let kept = self.db(|db| db.recall_plan(person(&asked.caller), PlanKind::Shape, skeleton.keys()))?;
        self.recalled(kept, |kept| serde_json::from_str(&kept.body).ok().map(Kept::Shape))
    }

    fn recalled(
        &self,
        kept: Option<KeptPlan>,
        read: impl FnOnce(&KeptPlan) -> Option<Kept>,
    ) -> Result<Option<Recalled>, Failure> {
        let Some(kept) = kept else { return Ok(None) };
        let day = self.db(metnos_memory::db::Db::use_days)?;
        if standing(&kept, &self.machine(), &kept.language, day).state != "active" {
            return Ok(None);
        }
        let (what, chosen) = (read(&kept), kept.source == CHOSEN);
        let KeptPlan { id, made, language, .. } = kept;
        Ok(what.map(|kept| Recalled { id, made, language, kept, chosen }))
    }

    /// Learns from a turn that is over: what did what was asked is kept, what failed is counted against it. To be called
    /// once, after the answer was given.
    pub fn learn(&self, turn: &str) -> Result<(), Failure> {
        let now = jiff::Timestamp::now();
        let day = self.db(|db| db.use_day(&now.to_string()[..10]))?;
        let Some(known) = self.turn(turn)? else { return Ok(()) };
        let clean = match known.status.as_deref() {
            Some("done") => true,
            Some("failed" | "partly") => false,
            _ => return Ok(()),
        };
        let log = self.told_entries(turn)?;
        let state = log
            .iter()
            .fold(State::default(), |state, entry| self.machine().step(state, entry.event.clone()).0);
        // What an answer to a question added is not in the words.
        if state.supplied {
            return Ok(());
        }
        let (Some(stage), Some(plan), Some(entry)) = (state.stage, &state.plan, log.first()) else {
            return Ok(());
        };
        let Event::Asked { text, language, now: at, zone, context, recalled, .. } = &entry.event else {
            return Ok(());
        };
        // A file that was sent is sent once.
        if stage == Stage::Literal || text.contains(SECRET) || metnos_vocab::handles(text).next().is_some() {
            return Ok(());
        }
        if let Some(recalled) =
            recalled.as_ref().filter(|_| matches!(stage, Stage::Fastpath | Stage::Autopath))
        {
            match clean {
                true => self.db(|db| db.plan_used(recalled.id, turn, day, now))?,
                false => return self.db(|db| db.plan_failed(recalled.id, day)),
            }
        }
        let Ok(clock) = Clock::parse(at, zone) else { return Ok(()) };
        let request = Request { text, language: language.as_deref(), context };
        let lessons = match stage {
            _ if state.chosen => self.chosen_lesson(&request, &clock, plan)?.into_iter().collect(),
            Stage::Embedded | Stage::Autopath => self.lessons(&request, &clock, plan)?,
            _ => return Ok(()),
        };
        for (kind, key, body) in lessons {
            let person = person(&known.caller).to_owned();
            if !clean {
                let kept = self.db(|db| db.recall_plan(&person, kind, [&key, &key]))?;
                kept.map(|kept| self.db(|db| db.plan_failed(kept.id, day))).transpose()?;
            } else if (kind, stage) != (PlanKind::Shape, Stage::Autopath) {
                let machine = self.machine();
                let planner = machine.planner();
                let lesson = Lesson {
                    person,
                    kind,
                    key,
                    request: text.clone(),
                    language: state.language.clone(),
                    source: if state.chosen { CHOSEN } else { PLANNER }.to_owned(),
                    made: planner.digest().to_owned(),
                    tools: tools(planner, plan),
                    body,
                    turn: turn.to_owned(),
                };
                self.db(|db| db.learn_plan(&lesson, day, now))?;
            }
        }
        Ok(())
    }

    /// A plan that a person chose, for these very words, if they mean the same at any moment and in any conversation.
    fn chosen_lesson(
        &self,
        request: &Request<'_>,
        clock: &Clock,
        plan: &Plan,
    ) -> Result<Option<(PlanKind, String, String)>, Failure> {
        let machine = self.machine();
        let planner = machine.planner();
        let leans = planner.plan(request, clock).1.leans;
        // What was said before plays no part where nothing was, or where the same is offered without it.
        let alone = || match planner.plan(&Request { context: &[], ..request.clone() }, clock).0 {
            Answer::Offer(offer) => offer.offers.iter().any(|choice| choice.plan.steps == plan.steps),
            _ => false,
        };
        let free = request.context.is_empty() || !leans.conversation() || alone();
        if leans.clock || !free || stands_somewhere(plan) || holds_a_moment(plan, request.text) {
            return Ok(None);
        }
        let body = serde_json::to_string(plan).map_err(|e| Failure::internal(e.to_string()))?;
        Ok(Some((PlanKind::Exact, exact_key(request.text, request.language), body)))
    }

    /// What of a plan may be kept: for this request if it holds at any moment, and its shape if it has one.
    fn lessons(
        &self,
        request: &Request<'_>,
        clock: &Clock,
        plan: &Plan,
    ) -> Result<Vec<(PlanKind, String, String)>, Failure> {
        let machine = self.machine();
        let planner = machine.planner();
        let reading = planner.read(request, clock);
        let (Answer::Plan(again), _) = planner.answer(request, &reading) else { return Ok(Vec::new()) };
        let broken = |e: serde_json::Error| Failure::internal(e.to_string());
        let mut lessons = Vec::new();
        if again == *plan && !stands_somewhere(plan) && planner.holds(request, clock) {
            let key = exact_key(request.text, request.language);
            lessons.push((PlanKind::Exact, key, serde_json::to_string(plan).map_err(broken)?));
        }
        if let Some(shape) = planner.shape(&reading) {
            let body = serde_json::to_string(&shape).map_err(broken)?;
            lessons.push((PlanKind::Shape, shape.key, body));
        }
        Ok(lessons)
    }
}

/// Whether a plan depends on the folder it is asked in, or on an earlier list.
fn stands_somewhere(plan: &Plan) -> bool {
    fn relative(value: &Value) -> bool {
        match value {
            Value::String(text) => text == "." || text.starts_with("./") || text.starts_with(".."),
            Value::Array(items) => items.iter().any(relative),
            Value::Object(map) => map.values().any(relative),
            _ => false,
        }
    }
    plan.steps.iter().any(|step| step.args.contains_key("from_turn") || step.args.values().any(relative))
}

/// Whether a plan names a day that the words do not: it was another one yesterday.
fn holds_a_moment(plan: &Plan, words: &str) -> bool {
    fn moment(value: &Value, words: &str) -> bool {
        match value {
            Value::String(text) => text
                .get(..10)
                .is_some_and(|day| day.parse::<jiff::civil::Date>().is_ok() && !words.contains(day)),
            Value::Array(items) => items.iter().any(|item| moment(item, words)),
            Value::Object(map) => map.values().any(|item| moment(item, words)),
            _ => false,
        }
    }
    plan.steps.iter().any(|step| step.args.values().any(|value| moment(value, words)))
}
