//! What a person does with decisions: look, answer, take back, explain.

use crate::call::{Done, Door, Lists, Provenance, Spec};
use crate::guards::records::Kind;
use crate::guards::{Answer, Approval, CommandRule, Principal, Standing, Void};
use crate::runtime::Runtime;
use metnos_executor::lab::{self, Layer};
use metnos_executor::{ErrorClass, Failure};
use metnos_guard::policy::{Ask, Grant, GrantScope, Level, Place, Rule, Ruling, Target};
use metnos_memory::audit::{self, Key, Line};
use serde_json::{Value, json};
use std::path::Path;

/// Grants and rules, and what of them cannot be read.
#[derive(Debug, Default)]
pub struct Held {
    /// Every grant, also those no longer in force.
    pub grants: Vec<Grant>,
    /// Every rule.
    pub rules: Vec<Rule>,
    /// What was decided about commands.
    pub commands: Vec<CommandRule>,
    /// Rows that the instance did not sign.
    pub damaged: Vec<String>,
}

impl Runtime {
    /// The whole policy, as rows to read.
    pub fn policy_table(&self) -> Vec<Value> {
        let rows = self.guards.registry.table().iter();
        let titles = metnos_guard::policy::Row::TITLES;
        rows.map(|row| {
            titles
                .iter()
                .zip(row.cells())
                .map(|(title, cell)| ((*title).to_owned(), Value::from(cell)))
                .collect()
        })
        .collect()
    }

    /// Decides at which level a principal acts.
    pub fn set_level(&self, caller: &str, level: Level, by: &str) -> Result<(), Failure> {
        if !Principal::parse(by).is_host() {
            return Err(Failure::new(ErrorClass::PolicyViolation, "only the host decides about levels"));
        }
        let mut line = Line::new(audit::Kind::Config);
        line.caller = Some(by.to_owned());
        line.detail = json!({ "what": "level", "of": caller, "level": level });
        self.audit.append(line).map_err(|e| crate::call::unrecorded(&e))?;
        self.decide(Kind::Level, caller, &level)
    }

    /// The levels that were decided: for whom on which channel, and which.
    pub fn levels(&self) -> Result<Vec<(String, Level)>, Failure> {
        let mut levels: Vec<(String, Level)> =
            self.known()?.levels.iter().map(|(caller, level)| (caller.clone(), *level)).collect();
        levels.sort_by(|a, b| a.0.cmp(&b.0));
        Ok(levels)
    }

    /// Grants and rules.
    pub fn held(&self) -> Result<Held, Failure> {
        let mut held = Held::default();
        held.grants = self.read(Kind::Grant, &mut held.damaged)?.into_iter().map(|(_, g)| g).collect();
        held.rules = self.read(Kind::Rule, &mut held.damaged)?.into_iter().map(|(_, r)| r).collect();
        let _: Vec<(String, Level)> = self.read(Kind::Level, &mut held.damaged)?;
        held.commands = self.command_rules(&mut held.damaged)?;
        for kind in [Kind::Person, Kind::Sender, Kind::Token, Kind::Code] {
            let _: Vec<(String, Value)> = self.read(kind, &mut held.damaged)?;
        }
        Ok(held)
    }

    /// Takes a grant or a rule back; it no longer counts from this moment on.
    pub fn revoke(&self, id: &str, by: &str) -> Result<&'static str, Failure> {
        let now = super::now();
        let held = self.held()?;
        if let Some(mut grant) = held.grants.into_iter().find(|grant| grant.id == id) {
            grant.revoked_at.get_or_insert(now);
            self.note_grant("revoked", &grant, by)?;
            self.decide(Kind::Grant, id, &grant)?;
            return Ok("grant");
        }
        let mut line = Line::new(audit::Kind::Grant);
        line.caller = Some(by.to_owned());
        if let Some(mut rule) = held.rules.into_iter().find(|rule| rule.id == id) {
            rule.revoked_at.get_or_insert(now);
            line.detail = json!({ "what": "rule revoked", "rule": rule });
            self.audit.append(line).map_err(|e| crate::call::unrecorded(&e))?;
            self.decide(Kind::Rule, id, &rule)?;
            return Ok("rule");
        }
        if let Some(rule) = held.commands.into_iter().find(|rule| rule.signature.to_string() == id) {
            self.set_command_rule(&CommandRule { by: by.to_owned(), ..rule }, true)?;
            return Ok("signature");
        }
        let damaged = |row: &&String| row.split_once(' ').is_some_and(|(_, known)| known == id);
        let Some(row) = held.damaged.iter().find(damaged) else {
            return Err(Failure::new(ErrorClass::NotFound, format!("no grant and no rule is called {id}"))
                .with_hint("metnos policy grants"));
        };
        line.detail = json!({ "what": "damaged decision removed", "row": row });
        self.audit.append(line).map_err(|e| crate::call::unrecorded(&e))?;
        self.db.undecide(id).map_err(|e| Failure::internal(e.to_string()))?;
        Ok("damaged record")
    }

    /// Takes back every grant of the sessions whose name begins so: they have ended.
    pub fn end_session_grants(&self, sessions: &str) -> Result<(), Failure> {
        let now = super::now();
        let ends = |grant: &Grant| {
            grant.revoked_at.is_none()
                && matches!(&grant.scope, GrantScope::Session(id) if id.starts_with(sessions))
        };
        for mut grant in self.held()?.grants.into_iter().filter(ends) {
            grant.revoked_at = Some(now);
            self.note_grant("ended with its session", &grant, &grant.by)?;
            self.decide(Kind::Grant, &grant.id, &grant)?;
        }
        Ok(())
    }

    /// What the policy would say about one capability on one target.
    pub fn policy_check(
        &self,
        caller: &str,
        session: &str,
        capability: &str,
        target: &str,
    ) -> Result<Ruling, Failure> {
        let known = self.known()?;
        let who = Principal::parse(caller);
        let land = self.land_of(caller)?;
        let mut ask = Ask::new(capability, "", &who.user, &who.channel);
        let path = Path::new(target);
        if capability.starts_with("fs:") {
            ask.place = Some(match path {
                path if path.starts_with(&land.workspace) => Place::Workspace,
                path if land.territory.contains(path) => Place::Territory,
                _ => Place::Outside,
            });
            ask.target = Target::Path(path);
            ask.reversible = true;
        } else if capability == "network:http" {
            ask.target = Target::Host(target);
        } else if !target.is_empty() {
            ask.target = Target::Exact(target);
        }
        ask.side_effects = capability.ends_with(":write") || capability.ends_with(":send");
        let level = self.level(caller)?;
        Ok(self.guards.registry.decide(level, &ask, &known.grants, &known.rules, super::now(), session))
    }

    /// All questions that were ever asked, the newest first.
    pub fn questions(&self) -> Result<Vec<Approval>, Failure> {
        let mut all = self.approvals()?;
        all.sort_by(|a, b| b.asked_at.cmp(&a.asked_at));
        Ok(all)
    }

    /// The questions that wait for an answer, the newest first.
    pub fn open_questions(&self) -> Result<Vec<Approval>, Failure> {
        let now = super::now();
        let recent = self.recent_approvals(|_| true)?.into_iter().map(|(_, approval)| approval);
        let waits = |approval: &Approval| approval.standing == Standing::Pending && approval.is_live(now);
        let mut open: Vec<Approval> = recent.filter(waits).collect();
        open.sort_by(|a, b| b.asked_at.cmp(&a.asked_at));
        Ok(open)
    }

    /// Answers a question. After a yes the step that waited runs now, as the one who asked for it. `lists` gives what
    /// was too long to be kept with the question; a yes that lacks it waits to be used by the same call.
    pub fn decide_question(
        &self,
        id: &str,
        answer: Answer,
        by: &str,
        now: jiff::Zoned,
        lists: impl FnOnce() -> Result<Option<Lists>, Failure>,
        door: &mut dyn Door,
    ) -> Result<Option<Done>, Failure> {
        let Some((row, approval)) = self.approval_row(id)? else {
            return Err(Failure::new(ErrorClass::NotFound, format!("no question is called {id}"))
                .with_hint("metnos approvals"));
        };
        let yes = matches!(answer, Answer::Once | Answer::Session | Answer::Always);
        if yes {
            // What waits goes on waiting: a yes now would be used up by a refusal, or forgotten.
            self.gate.check()?;
        }
        // Before the yes is taken: one that nothing can come of is not.
        let long = if yes && approval.too_long { lists()? } else { None };
        let (_, approval) = self.answer(&row, approval, answer, by)?;
        if approval.standing != Standing::Approved {
            return Ok(None);
        }
        let (lists, bound) = match (approval.too_long, long) {
            (true, None) => return Ok(None),
            (true, Some(lists)) => (lists, Some(approval.request)),
            (false, _) => (Lists { entries: approval.entries.map(reader), with: None }, None),
        };
        let spec = Spec {
            executor: approval.executor,
            version: None,
            args: approval.args,
            base: approval.base,
            entries: lists.entries,
            with: lists.with,
            caller: approval.caller,
            session: approval.session,
            call_id: approval.call_id,
            lang: approval.lang,
            now,
            provenance: Provenance { places: approval.places, ..Provenance::default() },
            bound,
        };
        let done = self.call(spec, door);
        // A step that lacks a credential has not begun: it goes on, with this yes, once it is kept.
        if done.outcome.error.as_ref().is_none_or(|error| error.lacks.is_empty()) {
            self.void_unused(id)?;
        }
        Ok(Some(done))
    }

    /// Makes a yes void that the call it was for did not use: the target had changed, or something came before it. It
    /// is no yes to the next request that looks the same.
    fn void_unused(&self, id: &str) -> Result<(), Failure> {
        match self.approval_row(id)? {
            Some((row, mut approval))
                if approval.standing == Standing::Approved && !lab::without(Layer::Unused) =>
            {
                approval.void(Void::Unused);
                self.exchange(&row, &approval).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    /// Refuses what is no longer what was said yes to.
    pub(crate) fn still_asked(&self, spec: &Spec, request: &str) -> Result<(), Failure> {
        match spec.bound.as_deref() {
            Some(asked) if asked != request => {
                Err(Failure::new(ErrorClass::Conflict, self.say(&spec.lang, "list_changed", &[]))
                    .with_hint(self.say(&spec.lang, "ask_again", &[])))
            }
            _ => Ok(()),
        }
    }

    /// How many steps of a turn were called; nothing when there is no such turn.
    pub fn steps_of(&self, turn: &str) -> Result<Option<u32>, Failure> {
        let known = self.db.turn(turn).map_err(|e| Failure::internal(e.to_string()))?;
        let called = |step: &u32| {
            let key = Key::Call(format!("{turn}-{step}"));
            self.audit.show(&key).is_ok_and(|lines| !lines.is_empty())
        };
        Ok(known.map(|_| u32::try_from((1_u32..).take_while(called).count()).unwrap_or(u32::MAX)))
    }

    /// What the guards said about a call.
    pub fn why(&self, call_id: &str) -> Result<Vec<Value>, Failure> {
        let lines =
            self.audit.show(&Key::Call(call_id.to_owned())).map_err(|e| Failure::internal(e.to_string()))?;
        let line = lines.iter().rev().find(|line| !line.line.verdicts.is_empty()).or(lines.last());
        let Some(line) = line else {
            return Err(Failure::new(ErrorClass::NotFound, format!("no call is known as {call_id}"))
                .with_hint("metnos audit tail"));
        };
        Ok(line.line.verdicts.iter().filter_map(|verdict| serde_json::to_value(verdict).ok()).collect())
    }
}

fn reader(text: String) -> Box<dyn std::io::Read> {
    Box::new(std::io::Cursor::new(text))
}
