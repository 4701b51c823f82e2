//! A yes: bound to who asked, to the very request and to the bytes of the executor, for a while, once.

use crate::call::{Places, turn_of};
use crate::guards::commands::{CommandList, CommandRule};
use crate::guards::records::Kind;
use crate::guards::{Principal, Subject};
use crate::runtime::Runtime;
use jiff::{SignedDuration, Timestamp};
use metnos_executor::lab::{self, Layer};
use metnos_executor::{ErrorClass, Failure};
use metnos_guard::card::Card;
use metnos_guard::command::Pattern;
use metnos_guard::policy::{Grant, GrantScope, Rule, RuleOn, Ruling};
use metnos_memory::audit::{self, Line};
use metnos_memory::db::Decision as Row;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use std::path::PathBuf;

/// How long a question waits where somebody sits at the screen.
const WAITS: SignedDuration = SignedDuration::from_mins(10);
/// How long it waits on a channel that people look at when they have time.
const WAITS_LONG: SignedDuration = SignedDuration::from_hours(24);
/// Longer lists are not kept with a question: a turn still has them, and any other call is answered where it was asked.
const KEPT_MAX: u64 = 4 << 20;

/// Where a question stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Nobody has answered.
    Pending,
    /// Yes, not used yet.
    Approved,
    /// No.
    Rejected,
    /// Yes, and used: it cannot be used again.
    Consumed,
}

/// Why a question is void.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Void {
    /// Something that the same turn did before was taken back.
    Undone,
    /// The house was restored from a backup since: it may have been answered and done after that was made.
    Restored,
    /// It was answered with yes, and what it was asked for was no longer so.
    Unused,
}

/// What a person answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// This once.
    Once,
    /// Here, for this session.
    Session,
    /// Here, until revoked.
    Always,
    /// No.
    No,
    /// No, and never again.
    Never,
    /// Nobody is there to answer; the question waits.
    Later,
}

/// What a door shows.
#[derive(Clone, Debug)]
pub struct Question {
    /// Its id.
    pub id: String,
    /// The card, as long as this person still needs it.
    pub text: String,
    /// What is shown of it to whoever wants to know more.
    pub details: Vec<String>,
    /// Whether a yes can hold for more than once.
    pub can_last: bool,
    /// The language it is asked in.
    pub lang: String,
}

/// A question and its answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Approval {
    /// Its id.
    pub id: String,
    /// Who asked, over which channel.
    pub caller: String,
    /// In which session.
    pub session: String,
    /// What would run.
    pub executor: String,
    /// The digest of its signed parts.
    pub digest: String,
    /// The hash of the request: executor, resolved arguments, lists.
    pub request: String,
    /// The arguments as they were given.
    pub args: Map<String, Value>,
    /// What relative paths are relative to.
    pub base: PathBuf,
    /// The id under which it was asked for, so that it runs once under it.
    pub call_id: Option<String>,
    /// The language of the person.
    pub lang: String,
    /// The input list, if it came apart and is short.
    pub entries: Option<String>,
    /// True when a list came along that was too long to keep, or a second one.
    pub too_long: bool,
    /// Where the lists lie.
    #[serde(default, skip_serializing_if = "Places::are_unknown")]
    pub places: Places,
    /// What the person reads.
    pub card: Card,
    /// Capability and target that a lasting yes would cover.
    pub grantable: Option<(String, String)>,
    /// The kind of command that "never this" is about; else it is about the executor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub never: Option<Pattern>,
    /// True when only the host may answer, also if another asked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub host_only: bool,
    /// Why nobody needs to answer it any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub void: Option<Void>,
    /// Where it stands.
    pub standing: Standing,
    /// When it was asked, in text.
    pub asked_at: String,
    /// From when it is void.
    pub expires_at: String,
    /// Who answered.
    pub by: Option<String>,
}

impl Approval {
    /// Lets go of what was only needed to run it: the card still says what it was.
    fn strip(&mut self) {
        self.args.clear();
        self.entries = None;
    }

    /// Answers it with no, because what it was asked for is no longer so.
    pub(crate) fn void(&mut self, why: Void) {
        self.standing = Standing::Rejected;
        self.void = Some(why);
        self.strip();
    }

    /// True when a call of this id may wait for its answer and use it. A step of a turn has a question of its own: the
    /// answer to another's sets off that other, and would leave this one waiting.
    fn is_for(&self, call_id: Option<&str>) -> bool {
        let step = |id: Option<&str>| id.filter(|id| turn_of(id).is_some()).map(str::to_owned);
        step(self.call_id.as_deref()) == step(call_id)
    }

    /// The place it is about: what a lasting yes or no is about, beside the executor.
    fn place(&self) -> Option<&str> {
        let granted = self.grantable.as_ref().map(|(_, target)| target.as_str());
        let of_card = self.card.source.as_deref().or(self.card.destination.as_deref());
        granted.or_else(|| of_card.filter(|path| path.starts_with('/')))
    }

    /// True while it can be answered and used.
    pub fn is_live(&self, now: Timestamp) -> bool {
        lab::without(Layer::Expiry) || self.expires_at.parse::<Timestamp>().is_ok_and(|until| now < until)
    }
}

/// How often a person has approved an executor, and when last.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Habit {
    times: u64,
    last: String,
}

impl Habit {
    /// How many days ago the last was.
    pub(crate) fn days_ago(&self, now: Timestamp) -> Option<u32> {
        let last: Timestamp = self.last.parse().ok()?;
        u32::try_from(now.duration_since(last).as_hours() / 24).ok()
    }
}

impl Runtime {
    /// Asks, unless a yes for this very step waits; gives the approval that was used: its id and what it showed.
    pub(crate) fn ask(
        &self,
        step: &mut dyn Subject,
        ruling: &Ruling,
        reason: String,
        host_only: bool,
    ) -> Result<(String, Card), Failure> {
        let now = super::now();
        let asked = step.asked();
        let unbound = lab::without(Layer::Binding);
        let about = |row: &Row| unbound || row.body.contains(asked.request);
        let waiting = self.recent_approvals(about)?.into_iter().find(|(_, a)| {
            a.caller == asked.caller
                && ((a.request == asked.request && a.is_for(asked.call_id)) || unbound)
                && a.digest == asked.digest
                && a.is_live(now)
                && matches!(a.standing, Standing::Pending | Standing::Approved)
        });
        // What was shown is what a yes is for: names, counts, sizes. Where they changed, it is asked about anew.
        let waiting = match waiting {
            Some((row, mut approval))
                if !unbound && !approval.card.shows_the_same(&step.card(ruling, String::new())) =>
            {
                approval.void(Void::Unused);
                self.exchange(&row, &approval)?;
                None
            }
            waiting => waiting,
        };
        let (row, approval) = match waiting {
            Some((row, approval)) if approval.standing == Standing::Approved => {
                self.consume(&row, &approval)?;
                return Ok((approval.id, approval.card));
            }
            Some(found) => found,
            None => self.question(step, ruling, reason, host_only, now)?,
        };
        let times = self.habit(step)?.map_or(0, |habit| habit.times);
        let shown = approval.card.shown(times, self.guards.texts.lang(step.asked().lang));
        let question = Question {
            id: approval.id.clone(),
            text: shown.text,
            details: shown.details,
            can_last: approval.grantable.is_some(),
            lang: approval.lang.clone(),
        };
        // Who may not answer is not asked.
        let elsewhere = approval.host_only && !Principal::parse(step.asked().caller).is_host();
        let answer = if elsewhere { Answer::Later } else { step.door().ask(&question) };
        match answer {
            Answer::Later => {
                let how = format!("metnos approve {}  ·  metnos reject {}", approval.id, approval.id);
                let of_turn = approval.call_id.as_deref().is_some_and(|id| turn_of(id).is_some());
                let hint = match (approval.too_long && !of_turn, elsewhere) {
                    (true, _) => "run it in a terminal and answer there".to_owned(),
                    (_, true) => format!("only the host may answer: {how}"),
                    _ => how,
                };
                Err(Failure::needs_approval(approval.id, question.text).with_hint(hint))
            }
            answer => {
                let decided = self.answer(&row, approval, answer, step.asked().caller)?;
                match decided {
                    (row, mut approval) if approval.standing == Standing::Approved => {
                        // While somebody thought about it, it may have become something else.
                        if !unbound && !approval.card.shows_the_same(&step.card(ruling, String::new())) {
                            approval.void(Void::Unused);
                            self.exchange(&row, &approval)?;
                            return Err(self.voided(Void::Unused, step.asked().lang));
                        }
                        self.consume(&row, &approval)?;
                        Ok((approval.id, approval.card))
                    }
                    (_, approval) => {
                        let why = self.refusal(&approval, answer == Answer::Never, step.asked().lang);
                        Err(Failure::new(ErrorClass::Cancelled, why))
                    }
                }
            }
        }
    }

    /// What a no comes to; of "never", what it holds for and how to take it back.
    pub fn refusal(&self, approval: &Approval, never: bool, lang: &str) -> String {
        if !never {
            return self.say(lang, "refused", &[]);
        }
        let executor = approval.executor.as_str();
        let what = match (&approval.never, approval.place()) {
            (Some(signature), _) => format!("{executor} {signature}"),
            (None, Some(target)) => self.say(lang, "never_in", &[("executor", executor), ("target", target)]),
            (None, None) => executor.to_owned(),
        };
        self.say(lang, "refused_never", &[("what", &what)])
    }

    fn question(
        &self,
        step: &dyn Subject,
        ruling: &Ruling,
        reason: String,
        host_only: bool,
        now: Timestamp,
    ) -> Result<(Row, Approval), Failure> {
        let (entries, too_long) = step.lists(KEPT_MAX)?;
        let asked = step.asked();
        let approval = Approval {
            id: metnos_executor::Ulid::new().to_string(),
            caller: asked.caller.to_owned(),
            session: asked.session.to_owned(),
            executor: asked.executor.to_owned(),
            digest: asked.digest.to_owned(),
            request: asked.request.to_owned(),
            args: asked.given.clone(),
            base: asked.base.to_path_buf(),
            call_id: asked.call_id.map(str::to_owned),
            lang: asked.lang.to_owned(),
            entries,
            too_long,
            places: asked.provenance.places.clone(),
            card: step.card(ruling, reason),
            grantable: step.grantable(ruling),
            never: step.never(),
            host_only,
            void: None,
            standing: Standing::Pending,
            asked_at: now.to_string(),
            expires_at: now.saturating_add(waits(asked.caller)).unwrap_or(now).to_string(),
            by: None,
        };
        let row = self.signed(Kind::Approval, &approval.id, &approval)?;
        self.db.decide(Kind::Approval.as_str(), &row, now).map_err(unrecorded)?;
        Ok((row, approval))
    }

    /// Every question that verifies.
    pub(crate) fn approvals(&self) -> Result<Vec<Approval>, Failure> {
        let rows = self.db.decisions(Kind::Approval.as_str()).map_err(unrecorded)?;
        Ok(rows.iter().filter_map(|row| self.verified(Kind::Approval, row)).collect())
    }

    /// The questions that may still wait and verify, with their rows; only those of `wanted` are looked at closer.
    pub(crate) fn recent_approvals(
        &self,
        wanted: impl Fn(&Row) -> bool,
    ) -> Result<Vec<(Row, Approval)>, Failure> {
        let rows = self.db.decisions_from(Kind::Approval.as_str(), &oldest_waiting()).map_err(unrecorded)?;
        let rows = rows.into_iter().filter(|row| wanted(row));
        Ok(rows.filter_map(|row| Some((self.verified(Kind::Approval, &row)?, row))).map(swap).collect())
    }

    /// One question, if there is one of this id that verifies.
    pub(crate) fn approval_row(&self, id: &str) -> Result<Option<(Row, Approval)>, Failure> {
        let row = self.db.decision(Kind::Approval.as_str(), id).map_err(unrecorded)?;
        let verified = row.and_then(|row| Some((self.verified::<Approval>(Kind::Approval, &row)?, row)));
        Ok(verified.map(swap).filter(|(_, approval)| approval.id == id))
    }

    /// Records an answer, with what follows from it.
    pub(crate) fn answer(
        &self,
        row: &Row,
        mut approval: Approval,
        answer: Answer,
        by: &str,
    ) -> Result<(Row, Approval), Failure> {
        let now = super::now();
        if let Some(why) = approval.void {
            return Err(self.voided(why, &approval.lang));
        }
        if approval.standing != Standing::Pending {
            return Err(Failure::new(ErrorClass::Conflict, format!("{} was already answered", approval.id)));
        }
        if !approval.is_live(now) {
            return Err(Failure::new(
                ErrorClass::Conflict,
                format!("{} is too old to be answered", approval.id),
            )
            .with_hint("ask again"));
        }
        self.admitted(by)?;
        let asker = Principal::parse(&approval.caller);
        let decider = Principal::parse(by);
        if approval.host_only && !decider.is_host() {
            return Err(Failure::new(ErrorClass::PolicyViolation, "only the host may answer this")
                .with_hint(format!("the host: metnos approve {}", approval.id)));
        }
        if !decider.is_host() && decider.user != asker.user {
            let who = if asker.is_host() { "the host".into() } else { format!("{} or the host", asker.user) };
            return Err(Failure::new(ErrorClass::PolicyViolation, format!("only {who} may answer this")));
        }
        let yes = matches!(answer, Answer::Once | Answer::Session | Answer::Always);
        approval.standing = if yes { Standing::Approved } else { Standing::Rejected };
        if !yes {
            approval.strip();
        }
        approval.by = Some(by.to_owned());
        let mut line = Line::new(audit::Kind::Approval);
        line.caller = Some(by.to_owned());
        line.executor = Some(approval.executor.clone());
        line.detail = json!({ "approval": approval.id, "answer": format!("{answer:?}").to_lowercase(), "asked_by": approval.caller });
        self.audit.append(line).map_err(|e| crate::call::unrecorded(&e))?;
        let row = self.exchange(row, &approval)?;
        match answer {
            Answer::Session | Answer::Always => self.grant(&approval, answer, by, now)?,
            Answer::Never => self.forbid(&approval, now)?,
            _ => {}
        }
        Ok((row, approval))
    }

    /// Uses a yes up. Whoever comes second finds it used.
    fn consume(&self, row: &Row, approval: &Approval) -> Result<(), Failure> {
        let mut used = approval.clone();
        used.standing = Standing::Consumed;
        used.strip();
        self.exchange(row, &used)?;
        let id = format!("{}/{}", Principal::parse(&approval.caller).user, approval.executor);
        let times = self.habit_of(&id)?.map_or(0, |habit| habit.times);
        let habit = Habit { times: times.saturating_add(1), last: Timestamp::now().to_string() };
        self.decide(Kind::Habit, &id, &habit)
    }

    pub(crate) fn exchange(&self, row: &Row, approval: &Approval) -> Result<Row, Failure> {
        let new = self.signed(Kind::Approval, &approval.id, approval)?;
        let done =
            self.db.redecide(Kind::Approval.as_str(), row, &new, Timestamp::now()).map_err(unrecorded)?;
        match done {
            true => Ok(new),
            false => Err(Failure::new(
                ErrorClass::Conflict,
                format!("{} was answered or used by somebody else a moment ago", approval.id),
            )),
        }
    }

    fn grant(&self, approval: &Approval, answer: Answer, by: &str, now: Timestamp) -> Result<(), Failure> {
        let Some((capability, target)) = approval.grantable.clone() else { return Ok(()) };
        let asker = Principal::parse(&approval.caller);
        let grant = Grant {
            id: metnos_executor::Ulid::new().to_string(),
            user: asker.user,
            channel: asker.channel,
            capability,
            executor: Some(approval.executor.clone()),
            target,
            scope: match answer {
                Answer::Session => GrantScope::Session(approval.session.clone()),
                _ => GrantScope::Always,
            },
            created_at: now,
            expires_at: None,
            revoked_at: None,
            by: by.to_owned(),
        };
        self.note_grant("given", &grant, by)?;
        self.decide(Kind::Grant, &grant.id, &grant)
    }

    pub(crate) fn note_grant(&self, what: &str, grant: &Grant, by: &str) -> Result<(), Failure> {
        let mut line = Line::new(audit::Kind::Grant);
        line.caller = Some(by.to_owned());
        line.detail = json!({ "what": what, "grant": grant });
        self.audit.append(line).map(|_| ()).map_err(|e| crate::call::unrecorded(&e))
    }

    fn forbid(&self, approval: &Approval, now: Timestamp) -> Result<(), Failure> {
        if let Some(signature) = approval.never.clone() {
            let by = approval.by.clone().unwrap_or_default();
            return self.set_command_rule(&CommandRule { signature, list: CommandList::Deny, by }, false);
        }
        let target = approval.place().map(str::to_owned);
        let place = target.as_deref().map(|t| format!(" on {t}")).unwrap_or_default();
        let rule = Rule {
            id: metnos_executor::Ulid::new().to_string(),
            user: Principal::parse(&approval.caller).user,
            on: RuleOn::Executor(approval.executor.clone()),
            target,
            created_at: now,
            revoked_at: None,
            text: format!("never {}{place}", approval.executor),
        };
        let mut line = Line::new(audit::Kind::Grant);
        line.caller = approval.by.clone();
        line.detail = json!({ "what": "rule", "rule": rule });
        self.audit.append(line).map_err(|e| crate::call::unrecorded(&e))?;
        self.decide(Kind::Rule, &rule.id, &rule)
    }

    pub(crate) fn habit(&self, step: &dyn Subject) -> Result<Option<Habit>, Failure> {
        let asked = step.asked();
        match step.effectful() {
            true => self.habit_of(&format!("{}/{}", Principal::parse(asked.caller).user, asked.executor)),
            false => Ok(None),
        }
    }

    fn habit_of(&self, id: &str) -> Result<Option<Habit>, Failure> {
        let habits = self.read::<Habit>(Kind::Habit, &mut Vec::new())?;
        Ok(habits.into_iter().find(|(known, _)| known == id).map(|(_, habit)| habit))
    }
}

/// How long a question of this caller waits.
fn waits(caller: &str) -> SignedDuration {
    match Principal::parse(caller).channel.as_str() {
        "telegram" => WAITS_LONG,
        _ => WAITS,
    }
}

/// The id that no question which still waits is before: an id begins with the moment it was made at. Twice the
/// longest wait, for clocks that are set back.
fn oldest_waiting() -> String {
    if lab::without(Layer::Expiry) {
        return String::new();
    }
    let since = Timestamp::now().saturating_sub(WAITS_LONG * 2).unwrap_or(Timestamp::UNIX_EPOCH);
    metnos_executor::Ulid::from_parts(u64::try_from(since.as_millisecond()).unwrap_or(0), 0).to_string()
}

fn swap((approval, row): (Approval, Row)) -> (Row, Approval) {
    (row, approval)
}

fn unrecorded(error: metnos_memory::Error) -> Failure {
    // Without its record an approval does not exist.
    Failure::new(ErrorClass::PolicyViolation, format!("approvals cannot be recorded: {error}"))
}
