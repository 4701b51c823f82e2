//! What one call of a builtin would do, before it does it, and how the guards see it.

use crate::call::Door;
use crate::guards::{Asked, Known, Principal, Subject, is_own};
use crate::runtime::Runtime;
use metnos_executor::{Failure, ListName, Origin, Outcome};
use metnos_guard::card::{Card, Effect, Lang, Tainted, Warning};
use metnos_guard::command::Pattern;
use metnos_guard::policy::{Ask, Level, Place, Registry, Ruling, Target, strictest};
use metnos_guard::vaglio::{Arg, Facts};
use metnos_memory::audit::{Line, Verdict};
use metnos_sandbox::cell::Items;
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// What was asked of a builtin.
pub(crate) struct Wish<'a> {
    /// Checked, defaults filled in.
    pub(crate) args: &'a Map<String, Value>,
    /// What relative paths are relative to.
    pub(crate) base: &'a Path,
    /// On whose behalf.
    pub(crate) caller: &'a str,
    /// The moment in the person's zone.
    pub(crate) now: &'a jiff::Zoned,
    /// Their language.
    pub(crate) lang: &'a str,
    /// The list that came along, as JSON lines.
    pub(crate) entries: Option<&'a str>,
    /// The id of the call, if the caller gave one: it names the turn.
    pub(crate) call_id: Option<&'a str>,
}

impl Wish<'_> {
    /// A text argument; empty when it was not given.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.args.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    /// A number; zero when it was not given.
    pub(crate) fn number(&self, name: &str) -> u64 {
        self.args.get(name).and_then(Value::as_u64).unwrap_or_default()
    }
}

/// What the act may use while it is performed.
pub(crate) struct Work<'a> {
    pub(crate) runtime: &'a Runtime,
    pub(crate) door: &'a mut dyn Door,
    pub(crate) line: &'a mut Line,
    pub(crate) call_id: &'a str,
}

/// What came of it.
pub(crate) struct Report {
    pub(crate) outcome: Outcome,
    pub(crate) list: ListName,
    pub(crate) items: Items,
}

impl Report {
    /// From records.
    pub(crate) fn of(outcome: Outcome, list: ListName, records: &[Value]) -> Result<Self, Failure> {
        let mut text = Vec::new();
        for record in records {
            serde_json::to_writer(&mut text, record).map_err(|e| Failure::internal(e.to_string()))?;
            text.push(b'\n');
        }
        Ok(Self { outcome, list, items: Items::Inline(text) })
    }
}

/// One thing a plan needs: a capability on a target.
pub(crate) struct Want {
    capability: &'static str,
    target: Aim,
    /// True when it touches nothing of the machine or of somebody else.
    own: bool,
}

enum Aim {
    Person(String),
    File(PathBuf, Place),
}

impl Want {
    /// To write to somebody; `own` when that is whoever asks.
    pub(crate) fn to(person: &str, own: bool) -> Self {
        Self { capability: "channel:out", target: Aim::Person(person.to_owned()), own }
    }

    /// To read a file that lies there.
    pub(crate) fn file(path: PathBuf, place: Place) -> Self {
        Self { capability: "fs:read", target: Aim::File(path, place), own: place == Place::Workspace }
    }

    fn to_self(&self) -> bool {
        self.own && matches!(self.target, Aim::Person(_))
    }
}

type Act = Box<dyn FnOnce(&mut Work<'_>) -> Result<Report, Failure>>;

/// What one call would do.
pub(crate) struct Plan {
    /// What it needs.
    pub(crate) capability: &'static str,
    /// What remains of it.
    pub(crate) effect: Effect,
    /// True when doing it twice is doing it once.
    pub(crate) idempotent: bool,
    /// True when the judge has a say beside the policy.
    pub(crate) judged: bool,
    /// What it needs in particular, where that is more than `capability` on nothing.
    pub(crate) wants: Vec<Want>,
    /// The one thing it is about.
    pub(crate) object: Option<String>,
    /// The first of several things.
    pub(crate) names: Vec<String>,
    /// How large they are.
    pub(crate) bytes: Option<u64>,
    /// Where.
    pub(crate) source: Option<String>,
    /// To whom.
    pub(crate) destination: Option<String>,
    /// How many things.
    pub(crate) count: Option<u64>,
    /// True when it would run outside the sandbox.
    pub(crate) outside: bool,
    /// What it may cost, in millionths.
    pub(crate) cost: Option<u64>,
    /// What must be known to say yes to it.
    pub(crate) warnings: Vec<Warning>,
    /// What the person may read besides.
    pub(crate) note: Option<String>,
    /// Why it is asked about at every level, each time.
    pub(crate) always: Option<String>,
    /// What else a yes is bound to: another state of the world is another question.
    pub(crate) bound: String,
    /// What "never this" is about, where that is less than the whole builtin.
    pub(crate) never: Option<Pattern>,
    /// What was decided about it on the way here.
    pub(crate) verdicts: Vec<Verdict>,
    /// The act.
    pub(crate) act: Act,
}

impl Plan {
    /// A plan that only looks.
    pub(crate) fn look(
        capability: &'static str,
        act: impl FnOnce(&mut Work<'_>) -> Result<Report, Failure> + 'static,
    ) -> Self {
        Self {
            capability,
            effect: Effect::NoChange,
            idempotent: true,
            judged: true,
            wants: Vec::new(),
            object: None,
            names: Vec::new(),
            bytes: None,
            source: None,
            destination: None,
            count: None,
            outside: false,
            warnings: Vec::new(),
            cost: None,
            note: None,
            always: None,
            bound: String::new(),
            never: None,
            verdicts: Vec::new(),
            act: Box::new(act),
        }
    }

    /// True when something is different afterwards.
    pub(crate) fn effectful(&self) -> bool {
        matches!(self.effect, Effect::Reversible | Effect::Irreversible)
    }
}

/// A plan on its way through the guards.
pub(crate) struct Deed<'a, 'd> {
    pub(crate) plan: &'a Plan,
    pub(crate) asked: Asked<'a>,
    pub(crate) now: &'a jiff::Zoned,
    pub(crate) entries: Option<&'a str>,
    pub(crate) door: &'d mut dyn Door,
}

impl Subject for Deed<'_, '_> {
    fn asked(&self) -> Asked<'_> {
        self.asked
    }

    fn effectful(&self) -> bool {
        self.plan.effectful()
    }

    fn own(&self) -> bool {
        match self.plan.wants.is_empty() {
            true => is_own(self.plan.capability),
            false => self.plan.wants.iter().all(|want| want.own),
        }
    }

    fn judged(&self) -> bool {
        self.plan.judged
    }

    fn permanent(&self, _lang: &Lang) -> Option<String> {
        self.plan.always.clone()
    }

    fn cost(&self) -> Option<u64> {
        self.plan.cost
    }

    fn policy(&self, registry: &Registry, level: Level, known: &Known, now: jiff::Timestamp) -> Ruling {
        let who = Principal::parse(self.asked.caller);
        let decide = |capability: &str, want: Option<&Want>| {
            let mut ask = Ask::new(capability, self.asked.executor, &who.user, &who.channel);
            (ask.target, ask.place) = match want.map(|want| &want.target) {
                Some(Aim::Person(id)) => (Target::Exact(id), None),
                Some(Aim::File(path, place)) => (Target::Path(path), Some(*place)),
                None => (Target::None, None),
            };
            ask.to_self = want.is_some_and(Want::to_self);
            ask.reversible = self.plan.effect == Effect::Reversible;
            ask.idempotent = self.plan.idempotent;
            // Reading is not what lasts of it.
            ask.side_effects = self.effectful() && capability != "fs:read";
            registry.decide(level, &ask, &known.grants, &known.rules, now, self.asked.session)
        };
        let wants = self.plan.wants.iter().map(|want| decide(want.capability, Some(want)));
        strictest(wants).unwrap_or_else(|| decide(self.plan.capability, None))
    }

    fn facts(&self, used_before: u64, approved_days_ago: Option<u32>) -> Result<Facts, Failure> {
        let mut args = self.asked.args();
        if self.effectful()
            && let Some((origin, value)) = self.entries.map(worst)
        {
            args.push(Arg { name: "entries".into(), value, origin, traceable: true });
        }
        let people = || self.plan.wants.iter().filter(|want| matches!(want.target, Aim::Person(_)));
        Ok(Facts {
            executor: self.asked.executor.to_owned(),
            args,
            items: usize::try_from(self.plan.count.unwrap_or_default()).unwrap_or(usize::MAX),
            deletes: false,
            moves: false,
            side_effects: self.effectful(),
            reversible: self.plan.effect == Effect::Reversible,
            outbound: people().next().is_some(),
            to_self: people().next().is_some() && people().all(Want::to_self),
            hour: self.now.hour().unsigned_abs(),
            used_before,
            request: Some(Vec::new()),
            approved_days_ago,
        })
    }

    fn card(&self, ruling: &Ruling, reason: String) -> Card {
        let note = self.plan.note.as_ref().map(|note| format!("{note} "));
        Card {
            manner: None,
            things: None,
            executor: self.asked.executor.to_owned(),
            count: self.plan.count,
            object: self.plan.object.clone(),
            names: self.plan.names.clone(),
            source: self.plan.source.clone(),
            destination: self.plan.destination.clone(),
            at_least: false,
            bytes: self.plan.bytes,
            effect: self.plan.effect,
            frees: None,
            capability: ruling.row.clone(),
            grant: None,
            tainted: self.tainted(),
            folders: Vec::new(),
            outside_sandbox: self.plan.outside,
            warnings: self.plan.warnings.iter().cloned().chain(self.plan.cost.map(Warning::Costs)).collect(),
            reason: Some(format!("{}{reason}", note.unwrap_or_default())),
        }
    }

    fn never(&self) -> Option<Pattern> {
        self.plan.never.clone()
    }

    /// What a builtin does is decided each time, or not asked about at all.
    fn grantable(&self, _ruling: &Ruling) -> Option<(String, String)> {
        None
    }

    fn lists(&self, most: u64) -> Result<(Option<String>, bool), Failure> {
        let short = self.entries.filter(|text| text.len() as u64 <= most);
        Ok((short.map(str::to_owned), self.entries.is_some() && short.is_none()))
    }

    fn cancelled(&self) -> bool {
        self.door.cancelled()
    }

    fn door(&mut self) -> &mut dyn Door {
        &mut *self.door
    }
}

impl Deed<'_, '_> {
    /// What goes to somebody and was written by neither the person nor this machine.
    fn tainted(&self) -> Vec<Tainted> {
        let foreign = |arg: &Arg| arg.origin > Origin::Local;
        let args = self.asked.args().into_iter().filter(|_| !self.plan.wants.is_empty());
        args.filter(foreign).map(|arg| Tainted { value: arg.value, origin: arg.origin, from: None }).collect()
    }
}

/// The least trusted origin in a list, and what the first entry with it is called.
fn worst(entries: &str) -> (Origin, String) {
    let parse = |line: &str| serde_json::from_str::<Value>(line).unwrap_or_default();
    let all = entries.lines().map(parse).map(|entry| (Origin::of(&entry), entry));
    let worst = all.reduce(|worst, next| if next.0 > worst.0 { next } else { worst });
    let name = |entry: &Value| {
        ["path", "name", "text"].into_iter().find_map(|key| entry.get(key)?.as_str().map(str::to_owned))
    };
    worst.map_or((Origin::User, String::new()), |(origin, entry)| (origin, name(&entry).unwrap_or_default()))
}
