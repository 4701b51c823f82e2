//! Between a plan and its effect, in this order: who asks, the Laws, policy, vaglio, approval. Each
//! leaves its verdict in the audit line; one that errs denies.

mod approval;
pub(crate) mod channels;
mod choices;
pub(crate) mod code;
pub(crate) mod commands;
mod desk;
mod hopeless;
mod lend;
mod meter;
mod opinion;
pub(crate) mod records;
pub(crate) mod rehearse;
mod shown;
mod size;
mod step;
mod subject;
mod wording;

pub use approval::{Answer, Approval, Question, Standing, Void};
pub use choices::Choices;
pub use commands::{CommandList, CommandRule};
pub use desk::Held;
pub(crate) use meter::Meter;
pub use metnos_guard::policy::{Grant, GrantScope, Level, NotALevel};
pub use rehearse::Rehearsal;
pub(crate) use step::Step;
pub(crate) use subject::{Asked, Subject, is_own};

use crate::people::Standing as Caller;
use crate::runtime::Runtime;
use lend::borrowed as not_lent;
use metnos_executor::lab::{self, Layer};
use metnos_executor::{ErrorClass, Failure};
use metnos_guard::card::{Card, Texts};
use metnos_guard::policy::{Decision, Registry, Ruling};
use metnos_guard::runs::Runs;
use metnos_guard::vaglio::Judges;
use metnos_memory::audit::{Line, Verdict};
pub(crate) use records::Known;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the guards are made from, loaded once.
pub(crate) struct Guards {
    pub(crate) registry: Registry,
    pub(crate) runs: Runs,
    judges: Judges,
    texts: Texts,
    known: Mutex<Option<Arc<Known>>>,
}

impl Guards {
    /// Reads the tables this binary was built with.
    pub(crate) fn load(home: &Path) -> Result<Self, Failure> {
        let broken = |e: String| Failure::new(ErrorClass::SandboxUnavailable, e);
        Ok(Self {
            registry: Registry::load().map_err(|e| broken(e.to_string()))?,
            runs: Runs::load(home).map_err(|e| broken(e.to_string()))?,
            judges: Judges::load().map_err(|e| broken(e.to_string()))?,
            texts: Texts::load().map_err(|e| broken(e.to_string()))?,
            known: Mutex::new(None),
        })
    }
}

/// Who asks, over which channel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Principal {
    /// The person.
    pub user: String,
    /// The channel.
    pub channel: String,
}

impl Principal {
    /// From `user/channel`.
    pub fn parse(caller: &str) -> Self {
        let (user, channel) = caller.split_once('/').unwrap_or((caller, "none"));
        Self { user: user.to_owned(), channel: channel.to_owned() }
    }

    /// The administrator of this machine.
    pub fn is_host(&self) -> bool {
        self.user == "host"
    }
}

/// The moment at which what was decided is weighed.
pub(crate) fn now() -> jiff::Timestamp {
    let now = jiff::Timestamp::now();
    #[cfg(feature = "lab")]
    if let Some(later) = lab::var("LATER").and_then(|seconds| seconds.parse().ok()) {
        return now.saturating_add(jiff::SignedDuration::from_secs(later)).unwrap_or(now);
    }
    #[cfg(test)]
    let now = now.saturating_add(jiff::SignedDuration::from_secs(LATER.get())).unwrap_or(now);
    now
}

#[cfg(test)]
std::thread_local! {
    /// By how many seconds a test is ahead.
    pub(crate) static LATER: std::cell::Cell<i64> = const { std::cell::Cell::new(0) };
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Why a person is asked about a step.
pub(crate) struct Doubt {
    pub(crate) ruling: Ruling,
    pub(crate) reason: String,
    pub(crate) host_only: bool,
    /// The credentials of the host that a yes lends.
    pub(crate) lends: Vec<String>,
}

/// What somebody said yes to.
pub(crate) struct Shown {
    ruling: Ruling,
    card: Card,
}

impl Runtime {
    /// The level at which `caller` acts.
    pub fn level(&self, caller: &str) -> Result<Level, Failure> {
        let own = match self.known()?.levels.get(caller).copied() {
            Some(level) => level,
            None => self.standing(caller)?.usual(),
        };
        Ok(own.min(self.channel_cap(caller)))
    }

    /// The language of a person, where their words do not show it.
    pub fn language(&self, caller: &str) -> String {
        let person = self.person(&Principal::parse(caller).user).ok().flatten();
        person.and_then(|person| person.language).unwrap_or_else(|| metnos_tongue::FALLBACK.to_owned())
    }

    /// A sentence in the language of a person.
    pub fn say(&self, lang: &str, key: &str, values: &[(&str, &str)]) -> String {
        self.guards.texts.lang(lang).say(key, values)
    }

    /// A size as a person reads it.
    pub fn size(&self, lang: &str, bytes: u64) -> String {
        self.guards.texts.lang(lang).size(bytes)
    }

    /// Lets one step through, or says why not. Where somebody said yes, gives what they said it to.
    pub(crate) fn guard(&self, step: &mut dyn Subject, line: &mut Line) -> Result<Option<Shown>, Failure> {
        let Some(doubt) = self.weigh(step, line)? else { return Ok(None) };
        let (id, card) = self.ask(step, &doubt.ruling, doubt.reason, doubt.host_only)?;
        // The answer may have taken its time.
        self.stands(&step.asked())?;
        self.lend(&step.asked(), doubt.lends, &id)?;
        line.verdicts.push(Verdict::new("approval", "yes", id));
        Ok(Some(Shown { ruling: doubt.ruling, card }))
    }

    /// Refuses a step that became something else since somebody said yes to it.
    pub(crate) fn still_the_same(&self, step: &dyn Subject, shown: Option<&Shown>) -> Result<(), Failure> {
        let same = |shown: &Shown| shown.card.shows_the_same(&step.card(&shown.ruling, String::new()));
        if lab::without(Layer::Binding) || shown.is_none_or(same) {
            return Ok(());
        }
        Err(self.voided(Void::Unused, step.asked().lang))
    }

    /// What a person must be asked before this step; nothing when it may simply be done.
    pub(crate) fn weigh(&self, step: &mut dyn Subject, line: &mut Line) -> Result<Option<Doubt>, Failure> {
        // The attack table is about the cell: its attacker has already been let through.
        #[cfg(feature = "lab")]
        if lab::var("GUARDS").is_none() {
            return Ok(None);
        }
        let known = self.known()?;
        if !known.damaged.is_empty() && step.effectful() && !lab::without(Layer::Damage) {
            return Err(Failure::new(
                ErrorClass::PolicyViolation,
                format!("the record of a decision is damaged: {}", known.damaged.join(", ")),
            )
            .with_hint("metnos policy grants shows it, metnos policy revoke <id> removes it"));
        }
        if step.effectful() {
            self.stands(&step.asked())?;
        }
        let level = self.level(step.asked().caller)?;
        let ruling = step.policy(&self.guards.registry, level, &known, now());
        line.verdicts.push(Verdict::new("policy", word(ruling.decision), ruling.text.clone()));
        let denied = ruling.decision == Decision::Deny && !lab::without(Layer::Policy);
        if denied {
            let text = self.guards.texts.lang(step.asked().lang).ruling(&ruling);
            return Err(Failure::new(ErrorClass::PolicyViolation, text)
                .with_hint(format!("metnos policy check explains it; this session's level is {level}")));
        }
        // A birth test acts in a folder made for it and reaches its own servers, when somebody approves the executor
        // itself: what the manifest declares is what is judged then, and nobody is asked.
        if let Some(inside) = step.born() {
            let word = if inside { "allow" } else { "deny" };
            line.verdicts.push(Verdict::new("birth", word, "declared by the manifest"));
            return match inside {
                true => Ok(None),
                false => Err(Failure::new(
                    ErrorClass::PolicyViolation,
                    "a birth test changes nothing outside the folder of its case",
                )),
            };
        }
        // Looking leaves nothing to judge.
        let harmless = !step.effectful() || !step.judged();
        let lang = self.guards.texts.lang(step.asked().lang);
        let permanent = step.permanent(lang);
        // What belongs to the machine or to the host is the host's to allow, whoever uses it.
        let standing = self.standing(step.asked().caller)?;
        let foreign = !matches!(standing, Caller::House) && !step.own();
        // So are their credentials, at every level, until they said so once.
        let borrowed = match standing {
            Caller::House => Vec::new(),
            _ => not_lent(&step.asked(), step.credentials(), &known, now()),
        };
        step.borrows(borrowed.clone());
        let lent = foreign && level < Level::Full && ruling.grant.is_none();
        let runs = step.runs_code();
        let dear = step.cost().is_some_and(|cost| cost > self.config.limits.ask_above_cost);
        let special = permanent.is_some() || runs || lent || dear || !borrowed.is_empty();
        let asks = ruling.decision == Decision::Ask || special;
        if harmless && !asks {
            return Ok(None);
        }
        let verdict = self.judge(step, asks)?;
        let why = if verdict.ask { verdict.why.as_str() } else { "" };
        let parts = verdict.parts.iter().map(|part| part.told()).collect();
        line.verdicts.push(Verdict { parts, ..Verdict::new("vaglio", format!("{:.2}", verdict.score), why) });
        let doubts = verdict.ask && !lab::without(Layer::Vaglio);
        if (!asks && !doubts) || lab::without(Layer::Approval) {
            return Ok(None);
        }
        // Nobody is asked about what cannot be done.
        if let Some(path) = step.missing() {
            let near = hopeless::nearest(&path).map(|near| near.display().to_string());
            let path = path.display().to_string();
            let text = match near {
                Some(near) => lang.say("not_there_near", &[("path", &path), ("near", &near)]),
                None => lang.say("not_there", &[("path", &path)]),
            };
            return Err(Failure::new(ErrorClass::NotFound, text));
        }
        if let Some(failure) = step.hopeless(lang) {
            return Err(failure);
        }
        // Nor is a yes used up by what lacks a credential.
        step.ready(self)?;
        let reason = match permanent {
            Some(why) => why,
            None if runs => lang.say("runs_code", &[]),
            None if verdict.ask => verdict.why,
            None if !borrowed.is_empty() => lang.say("lent_by_the_host", &[]),
            None if dear && ruling.decision == Decision::Allow => String::new(),
            None if ruling.decision == Decision::Allow => lang.say("for_the_host", &[("row", &ruling.row)]),
            None => lang.ruling(&ruling),
        };
        let host_only = foreign || !standing.answers() || !borrowed.is_empty();
        Ok(Some(Doubt { ruling, reason, host_only, lends: borrowed }))
    }

    /// The judge's verdict; `asks` when a person is asked whatever it says.
    fn judge(&self, step: &dyn Subject, asks: bool) -> Result<metnos_guard::vaglio::Verdict, Failure> {
        let executor = step.asked().executor;
        // Looking has no habit worth counting.
        let used = match step.effectful() {
            true => self.db.times_used(executor).map_err(|e| {
                Failure::new(ErrorClass::PolicyViolation, format!("the judge cannot look back: {e}"))
            })?,
            false => 1,
        };
        let approved = self.habit(step)?.and_then(|habit| habit.days_ago(jiff::Timestamp::now()));
        let facts = step.facts(used, approved)?;
        let judge = self.guards.judges.of(step.asked().lang);
        let verdict = judge.verdict(&facts, None);
        let stopped = || step.cancelled() || self.gate.is_shut();
        let opinion = if asks || verdict.ask { None } else { self.opinion(&step.asked(), &facts, &stopped) };
        // Nobody is asked instead of a judge that nobody waits for.
        if let Some(Err(failure)) = &opinion
            && failure.class == ErrorClass::Cancelled
        {
            return Err(failure.clone());
        }
        Ok(judge.combine_with_model(verdict, opinion))
    }
}

fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allow",
        Decision::Ask => "ask",
        Decision::Deny => "deny",
    }
}
