//! A call of a builtin, end to end: arguments, plan, guards, audit, act, audit.

use super::plan::{Deed, Wish, Work};
use super::{Builtin, Plan, Report, checked};
use crate::call::{Done, Door, Silent, Spec, micros, output_digest, unless_stopped, unrecorded, whose};
use crate::guards::Asked;
use crate::guards::rehearse::Rehearsal;
use crate::runtime::Runtime;
use metnos_executor::{Failure, ListName, Outcome};
use metnos_memory::audit::{Counts, Exit, Kind, Line, ListIn};
use metnos_sandbox::cell::Items;
use metnos_vocab::ExecutorName;
use serde_json::{Map, Value, json};
use std::io::Read;
use std::time::Instant;

/// The longest list a builtin takes.
const LIST_MAX: u64 = 4 << 20;

impl Runtime {
    pub(crate) fn builtin(
        &self,
        builtin: &Builtin,
        call_id: &str,
        mut spec: Spec,
        door: &mut dyn Door,
        line: &mut Line,
        started: Instant,
    ) -> Result<Done, Failure> {
        line.version = Some("builtin".into());
        // What a person answered is theirs, and may be what it should not.
        let answers = ["/values/*".to_owned()];
        line.input = self.redactor().redact(&Value::Object(spec.args.clone()), &answers);
        if (spec.entries.is_some() && !builtin.list) || spec.with.is_some() {
            return Err(Failure::wrong_args(format!("{} takes no list", builtin.name)));
        }
        let entries = spec.entries.take().map(whole).transpose()?;
        if let Some(entries) = &entries {
            line.lists.push(ListIn {
                name: "entries".into(),
                from: spec.provenance.places.entries.clone(),
                count: entries.lines().count() as u64,
                digest: format!("blake3:{}", blake3::hash(entries.as_bytes()).to_hex()),
            });
        }
        let args = checked(&spec.args, builtin.schema)?;
        let digest = format!("builtin:{}:{}", builtin.name, env!("CARGO_PKG_VERSION"));
        let claimed = builtin.changes || spec.call_id.is_some();
        if claimed {
            let name = ExecutorName::parse(builtin.name).map_err(|e| Failure::internal(e.to_string()))?;
            let request = hash(&digest, &args, entries.as_deref().unwrap_or_default());
            if let Some(done) = self.begin(call_id, &whose(&spec.caller, request), &name)? {
                return Ok(done);
            }
        }
        let zone = spec.now.time_zone();
        let planned =
            self.reserve(&spec.caller, builtin.name, call_id, builtin.changes, zone).and_then(|()| {
                let plan = self.consider(builtin, &spec, (&args, entries.as_deref()), &digest, door, line)?;
                unless_stopped(door)?;
                // Undo is not held up by a stop.
                let remedy = builtin.name == crate::undo::NAME;
                Ok((plan, if remedy { None } else { Some(self.gate.enter()?) }))
            });
        let (plan, at_work) = match planned {
            Ok(planned) => planned,
            Err(failure) => {
                // Nothing was done, so it is not counted and the id is free for when it may be.
                self.unreserve(&spec.caller, call_id);
                if claimed {
                    self.db.release_call(call_id).map_err(|e| unrecorded(&e))?;
                }
                return Err(failure);
            }
        };
        let done = self.act(plan, call_id, door, line, started);
        drop(at_work);
        if claimed {
            self.remember(call_id, &done)?;
        }
        done
    }

    /// What a call of a builtin would do.
    pub(crate) fn rehearse_builtin(
        &self,
        builtin: &Builtin,
        mut spec: Spec,
        line: &mut Line,
    ) -> Result<Rehearsal, Failure> {
        if (spec.entries.is_some() && !builtin.list) || spec.with.is_some() {
            return Err(Failure::wrong_args(format!("{} takes no list", builtin.name)));
        }
        let entries = spec.entries.take().map(whole).transpose()?;
        let args = checked(&spec.args, builtin.schema)?;
        let wish = Wish {
            args: &args,
            base: &spec.base,
            caller: &spec.caller,
            now: &spec.now,
            lang: &spec.lang,
            entries: entries.as_deref(),
            call_id: None,
        };
        let plan = (builtin.plan)(self, &wish)?;
        let digest = format!("builtin:{}:{}", builtin.name, env!("CARGO_PKG_VERSION"));
        let request = hash(&digest, &args, &plan.bound);
        let asked = Asked {
            executor: builtin.name,
            digest: &digest,
            caller: &spec.caller,
            session: &spec.session,
            lang: &spec.lang,
            base: &spec.base,
            given: &spec.args,
            provenance: &spec.provenance,
            request: &request,
            call_id: None,
        };
        let mut deed =
            Deed { plan: &plan, asked, now: &spec.now, entries: entries.as_deref(), door: &mut Silent };
        let card = self.weigh(&mut deed, line)?.map(|doubt| self.would_show(&deed, doubt));
        let changes = builtin.changes || plan.effectful();
        let destination = plan.destination.clone();
        Ok(Rehearsal { changes, card, destination, ..Rehearsal::default() }.of(plan.names.clone()))
    }

    /// The plan, once every guard let it through.
    fn consider(
        &self,
        builtin: &Builtin,
        spec: &Spec,
        (args, entries): (&Map<String, Value>, Option<&str>),
        digest: &str,
        door: &mut dyn Door,
        line: &mut Line,
    ) -> Result<Plan, Failure> {
        let wish = Wish {
            args,
            base: &spec.base,
            caller: &spec.caller,
            now: &spec.now,
            lang: &spec.lang,
            entries,
            call_id: spec.call_id.as_deref(),
        };
        let mut plan = match (builtin.plan)(self, &wish) {
            // Who sits at the door is asked for what is missing, and the call goes on with the answer.
            Err(failure) if !failure.lacks.is_empty() => {
                self.fill(failure, &spec.caller, door)?;
                (builtin.plan)(self, &wish)?
            }
            planned => planned?,
        };
        line.verdicts.append(&mut plan.verdicts);
        let request = hash(digest, args, &plan.bound);
        let asked = Asked {
            executor: builtin.name,
            digest,
            caller: &spec.caller,
            session: &spec.session,
            lang: &spec.lang,
            base: &spec.base,
            given: &spec.args,
            provenance: &spec.provenance,
            request: &request,
            call_id: spec.call_id.as_deref(),
        };
        self.still_asked(spec, &request)?;
        self.guard(&mut Deed { plan: &plan, asked, now: &spec.now, entries, door }, line)?;
        Ok(plan)
    }

    /// Performs a plan between its two lines; one that only looks has one.
    fn act(
        &self,
        plan: Plan,
        call_id: &str,
        door: &mut dyn Door,
        line: &mut Line,
        started: Instant,
    ) -> Result<Done, Failure> {
        let effectful = plan.effectful();
        if effectful {
            let mut open = line.clone();
            open.kind = Kind::Open;
            self.audit.append(open).map_err(|e| unrecorded(&e))?;
            line.kind = Kind::Open;
        }
        let acted = (plan.act)(&mut Work { runtime: self, door, line, call_id });
        let Report { outcome, list, items } = acted.unwrap_or_else(|failure| Report {
            outcome: Outcome::failure(failure),
            list: if effectful { ListName::Results } else { ListName::Entries },
            items: Items::Inline(Vec::new()),
        });
        let mut done = Done::new(call_id.to_owned(), outcome.settle(), list, items);
        let mut close = line.clone();
        close.kind = if effectful { Kind::Close } else { Kind::Call };
        close.output_digest = Some(output_digest(&mut done)?);
        close.counts = Some(Counts { input: 0, ok: done.outcome.ok_count, failed: done.outcome.fail_count });
        close.duration_us = Some(micros(started));
        let problem = done.outcome.error.as_ref().map(|error| (error.class, &error.message));
        let problem = problem.or(done.outcome.failed.first().map(|item| (item.error_class, &item.message)));
        close.exit = Some(problem.map_or(Exit::Ok, |(class, _)| Exit::Failed(class)));
        if let Some((_, message)) = problem {
            close.detail = self.redactor().redact(&json!({ "message": message }), &[]);
        }
        self.audit.append(close).map_err(|e| unrecorded(&e))?;
        Ok(done)
    }
}

/// A list for a builtin, which has it in memory.
fn whole(list: Box<dyn Read>) -> Result<String, Failure> {
    let mut text = String::new();
    list.take(LIST_MAX + 1).read_to_string(&mut text).map_err(|e| Failure::io("a list", &e))?;
    match text.len() as u64 > LIST_MAX {
        true => Err(Failure::wrong_args(format!("the list is longer than {LIST_MAX} bytes"))),
        false => Ok(text),
    }
}

fn hash(digest: &str, args: &Map<String, Value>, bound: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [digest, &Value::Object(args.clone()).to_string(), bound] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}
