//! One call, end to end: name → verify → arguments → fence → audit → cell → check → audit.
//!
//! Every call of every door passes here, in this order. What cannot be recorded does not happen:
//! a changer acts only after its intent and its `open` line are on disk, and the answer of a
//! read-only call is released only after its line is.

use crate::builtin;
use crate::change::Change;
use crate::digest::request_hash;
pub(crate) use crate::digest::{output_digest, whose};
pub use crate::done::Done;
use crate::guards::Step;
use crate::input::List;
use crate::land::Land;
use crate::rehearsal::Rehearsal;
use crate::runtime::Runtime;
pub use crate::spec::{Door, Lists, Places, Provenance, Silent, Spec};
use metnos_executor::lab::{self, Layer};
use metnos_executor::signature::Verified;
use metnos_executor::wire::{FdRole, Request};
use metnos_executor::{ErrorClass, Failure, ListName, Outcome, Permit};
use metnos_memory::audit::{self, Counts, Exit, Kind, Line};
use metnos_sandbox::cell::{Dialogue, IntentLines, Items};
use metnos_sandbox::fence::{self, Ground};
use metnos_sandbox::proxy::{Out, Proxy, System};
use metnos_vocab::ExecutorName;
use serde_json::{Map, Value, json};
use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// From so many things on it is said what is done with them.
const MANY: u64 = 1_000;

/// Lets nothing begin that nobody wants any more.
pub(crate) fn unless_stopped(door: &dyn Door) -> Result<(), Failure> {
    match door.cancelled() {
        true => Err(Failure::new(ErrorClass::Cancelled, "stopped before anything was done")),
        false => Ok(()),
    }
}

impl Runtime {
    /// Performs one call. Never panics, never returns an unaudited effect.
    pub fn call(&self, spec: Spec, door: &mut dyn Door) -> Done {
        let lang = spec.lang.clone();
        // What is recorded is recorded in one language; what a person reads is in theirs.
        self.call_in(spec, door, None).in_language(&lang)
    }

    /// The same, with the world of a birth test in place of the real one.
    pub(crate) fn call_in(&self, spec: Spec, door: &mut dyn Door, birth: Option<&Rehearsal>) -> Done {
        let given = spec.call_id.clone().filter(|id| is_call_id(id));
        let wrong_id = spec.call_id.is_some() && given.is_none();
        let call_id = given.unwrap_or_else(|| metnos_executor::Ulid::new().to_string());
        let started = Instant::now();
        crate::reserve::make_room(&self.home.state_dir());
        let mut line = Line::new(Kind::Call);
        line.turn = turn_of(&call_id).map(str::to_owned);
        line.call_id = Some(call_id.clone());
        line.caller = Some(spec.caller.clone());
        let attempted = if wrong_id {
            Err(Failure::wrong_args("a call id is 1 to 64 letters, digits, - or _"))
        } else {
            self.attempt(&call_id, spec, door, birth, &mut line, started)
        };
        match attempted.map_err(|failure| self.discreet_failure(failure)) {
            Ok(done) => done,
            Err(failure) => {
                line.kind = if line.kind == Kind::Open { Kind::Close } else { Kind::Refused };
                line.exit = Some(Exit::Failed(failure.class));
                line.duration_us = Some(micros(started));
                line.detail = self.redactor().redact(&json!({ "message": failure.message }), &[]);
                match self.audit.append(line) {
                    Ok(_) => Done::failed(call_id, failure),
                    Err(e) => Done::failed(call_id, unrecorded(&e)),
                }
            }
        }
    }

    /// A name that is no executor's may be anything, also a secret pasted in the wrong place.
    fn name_as_typed(&self, name: &str) -> String {
        match self.redactor().redact(&Value::String(name.to_owned()), &[]) {
            Value::String(text) => crate::text::bounded(&text, 80),
            _ => String::new(),
        }
    }

    fn attempt(
        &self,
        call_id: &str,
        mut spec: Spec,
        door: &mut dyn Door,
        birth: Option<&Rehearsal>,
        line: &mut Line,
        started: Instant,
    ) -> Result<Done, Failure> {
        let name = ExecutorName::parse(&spec.executor).map_err(|e| {
            line.executor = Some(self.name_as_typed(&spec.executor));
            Failure::wrong_args(e.to_string()).with_hint(self.near(&spec.executor))
        })?;
        line.executor = Some(name.to_string());
        self.catch_up()?;
        // Who asks comes first: each step of a turn asks again.
        self.admitted(&spec.caller)?;
        let land = self.land_of(&spec.caller)?;
        spec.base = land.base(spec.base);
        self.config.check(name.as_str(), &self.home)?;
        // What was done before a stop can still be taken back.
        if name.as_str() != crate::undo::NAME {
            self.gate.check()?;
        }
        if let Some(builtin) = builtin::find(&name) {
            return self.builtin(builtin, call_id, spec, door, line, started);
        }
        let found = self.resolve(&name, spec.version.as_deref())?;
        if birth.is_none() {
            self.ensure_born(&name, &found)?;
        }
        let manifest = &found.manifest;
        line.version = Some(manifest.executor.version.to_string());
        line.digest = Some(found.digest.clone());
        line.trace = Some(manifest.audit.trace_topic.clone());

        let given = std::mem::take(&mut spec.args);
        let mut input = self.input(&found, given.clone(), spec.entries.take(), spec.with.take())?;
        let secrets = secret_pointers(&found);
        line.input = self.redactor().redact(&Value::Object(input.args.clone()), &secrets);
        line.counts = Some(Counts { input: input.entries.as_ref().map_or(0, |l| l.count), ok: 0, failed: 0 });
        let places = &spec.provenance.places;
        let lists = [("entries", &input.entries, &places.entries), ("with", &input.with, &places.with)];
        line.lists =
            lists.into_iter().filter_map(|(name, list, from)| list_in(name, list.as_ref()?, from)).collect();

        let effectful = manifest.contract.side_effects;
        let hash = whose(&spec.caller, request_hash(&found.digest, &input));
        if (effectful || spec.call_id.is_some())
            && let Some(done) = self.begin(call_id, &hash, &name)?
        {
            return Ok(done);
        }

        let claimed = effectful || spec.call_id.is_some();
        let zone = spec.now.time_zone();
        let admitted = self.reserve(&spec.caller, name.as_str(), call_id, effectful, zone).and_then(|()| {
            let admitted = self.admit(call_id, &found, &mut input, &given, &spec, &land, door, birth, line);
            let (fence, change) = admitted?;
            unless_stopped(door)?;
            let credentials = match birth {
                Some(birth) => birth.credentials(&found.manifest.sandbox.credentials)?,
                None => self.credentials_for(&found, &spec.caller, door)?,
            };
            Ok((fence, change, credentials, self.gate.enter()?))
        });
        let (fence, change, credentials, at_work) = match admitted {
            Ok(admitted) => admitted,
            Err(failure) => {
                // Nothing ran, so it is not counted and the id is free for when it may.
                self.unreserve(&spec.caller, call_id);
                if claimed {
                    self.db.release_call(call_id).map_err(|e| unrecorded(&e))?;
                }
                return Err(failure);
            }
        };
        let request = Request {
            call_id: call_id.to_owned(),
            executor: name.to_string(),
            version: manifest.executor.version.to_string(),
            runtime: manifest.code.runtime,
            args: input.args,
            fence: fence.wire,
            limits: manifest.sandbox.limits,
            error_classes: manifest.contract.error_classes.clone(),
            side_effects: effectful,
            now: spec.now.to_string(),
            lang: spec.lang,
            fds: Vec::new(),
        };
        let done = self.perform(
            call_id,
            request,
            &found,
            input.entries,
            input.with,
            (fence.mounts, fence.core),
            credentials,
            change,
            door,
            birth,
            line,
            started,
        );
        drop(at_work);
        if claimed {
            self.remember(call_id, &done)?;
        }
        done
    }

    /// What a call may see and touch: its paths resolved, nothing of the core among them.
    pub(crate) fn fence(
        &self,
        found: &Verified,
        input: &mut crate::input::Prepared,
        spec: &Spec,
        land: &Land,
    ) -> Result<fence::Fence, Failure> {
        let manifest = &found.manifest;
        let entries = input.entries.as_ref();
        let paths = |field: &str| entries.map_or(Ok(Vec::new()), |list| list.paths(field));
        let ground = Ground {
            core: &land.core,
            territory: &land.territory,
            keeps: &land.keeps,
            workspace: &land.workspace,
            user_home: &land.home,
            folders: &land.folders,
            base: &spec.base,
            beyond: land.lets_beyond() && spec.caller != crate::birth::CALLER,
        };
        let native = manifest.code.runtime == metnos_executor::wire::Runtime::Native;
        fence::mint(&manifest.sandbox, native, manifest.code.runtime, &mut input.args, &paths, &ground)
            .map_err(|failure| land.told(failure))
    }

    /// Through the guards: paths resolved and fenced in, policy, judge and person asked, and for a
    /// changer its turn on the paths.
    #[allow(clippy::too_many_arguments, reason = "one call's parts, used once, here")]
    fn admit(
        &self,
        call_id: &str,
        found: &Verified,
        input: &mut crate::input::Prepared,
        given: &Map<String, Value>,
        spec: &Spec,
        land: &Land,
        door: &mut dyn Door,
        birth: Option<&Rehearsal>,
        line: &mut Line,
    ) -> Result<(fence::Fence, Option<Change<'_>>), Failure> {
        let (manifest, began) = (&found.manifest, Instant::now());
        let many = input.entries.as_ref().map_or(0, |list| list.count);
        self.tell(door, &spec.lang, "looks_at", many);
        let mut fence = self.fence(found, input, spec, land)?;
        let bound = request_hash(&found.digest, input);
        let mut step = Step {
            found,
            caller: &spec.caller,
            session: &spec.session,
            lang: &spec.lang,
            now: &spec.now,
            base: &spec.base,
            input,
            given,
            provenance: &spec.provenance,
            fence: &fence,
            request: &bound,
            call_id: spec.call_id.as_deref(),
            territory: &land.territory,
            workspace: &land.workspace,
            home: &land.home,
            undo: self.config.undo,
            permanent: None,
            runs: Vec::new(),
            birth: birth.is_some(),
            cost: self.half_costs(found, input.entries.as_ref()),
            lends: Vec::new(),
            door: &mut *door,
        };
        // A yes to what can be undone is none to what cannot.
        let for_good = format!("{bound}-permanent");
        step.permanent = step.beyond_the_budget();
        if step.permanent.is_some() {
            step.request = &for_good;
        }
        let permanent = step.permanent.is_some();
        let watch = self.watch(&mut step)?;
        self.still_asked(spec, step.request)?;
        let passed = self.guard(&mut step, line);
        line.guard_us = Some(micros(began));
        let shown = passed?;
        #[cfg(feature = "lab")]
        crate::lab::pause();
        if !manifest.contract.side_effects {
            return Ok((fence, None));
        }
        // Whoever changes something waits until nobody else changes the same paths, and only then
        // looks at them: what was shown must be there still.
        let turn = self.turn_on(call_id, &fence, step.door)?;
        self.still_the_same(&step, shown.as_ref())?;
        let mut change = self.change(call_id, &spec.caller, land, found, &mut fence, permanent, turn)?;
        change.watch = Some(watch);
        Ok((fence, Some(change)))
    }

    /// Says what is done with many things where that takes a while and nothing can be counted.
    fn tell(&self, door: &mut dyn Door, lang: &str, key: &str, many: u64) {
        if many >= MANY {
            door.says(&self.say(lang, key, &[("count", &many.to_string())]));
        }
    }

    /// Runs the cell and writes the closing line.
    #[allow(clippy::too_many_arguments, reason = "one call's parts, used once, here")]
    fn perform(
        &self,
        call_id: &str,
        mut request: Request,
        found: &Verified,
        mut entries: Option<List>,
        mut with: Option<List>,
        (mounts, core): (metnos_sandbox::Mounts, [u8; 32]),
        credentials: Option<File>,
        mut change: Option<Change<'_>>,
        door: &mut dyn Door,
        birth: Option<&Rehearsal>,
        line: &mut Line,
        started: Instant,
    ) -> Result<Done, Failure> {
        let many = entries.as_ref().map_or(0, |list| list.count);
        let mut fds: Vec<BorrowedFd<'_>> = Vec::new();
        for (role, list) in [(FdRole::Entries, &mut entries), (FdRole::With, &mut with)] {
            if let Some(list) = list {
                fds.push(list.file()?.as_fd());
                request.fds.push(role);
            }
        }
        let code = found.code.as_deref().map(crate::code::sealed).transpose()?;
        if let Some(code) = &code {
            fds.push(code.as_fd());
            request.fds.push(FdRole::Code);
        }

        if let Some(credentials) = &credentials {
            fds.push(credentials.as_fd());
            request.fds.push(FdRole::Credentials);
        }

        let mut proxy = self.way_out(found, birth)?;
        let cell_end = proxy.as_mut().and_then(Proxy::cell_end);
        if let Some(end) = &cell_end {
            fds.push(end.as_fd());
            request.fds.push(FdRole::Proxy);
        }

        let mounts = Arc::new(mounts);
        let (mut cell, warm) = self.cell(&mounts, core).map_err(|failure| self.in_step(failure))?;
        line.layers = ["mount", "landlock", "seccomp"].map(String::from).to_vec();
        line.limits = Some(cell.limits().into());
        line.cell = Some(audit::Cell { warm, mounts: mounts.class().into() });

        let cancelled = std::cell::Cell::new(false);
        let door = std::cell::RefCell::new(door);
        let lang = request.lang.clone();
        let reply = {
            let line = &mut *line;
            let mut dialogue = Dialogue {
                intent: &mut |ops| match &mut change {
                    Some(change) => {
                        self.tell(&mut **door.borrow_mut(), &lang, "writes_down", many);
                        self.make_durable(change, ops, line)
                    }
                    None => Err(Failure::internal("a call that changes nothing announced a change")),
                },
                progress: &mut |progress| door.borrow_mut().progress(progress),
                cancelled: &|| {
                    cancelled.set(door.borrow().cancelled() || self.gate.is_shut());
                    cancelled.get()
                },
                at_work: &mut || self.refill(),
            };
            cell.call(&request, &fds, &found.schemas.output, &mut dialogue)
        };
        line.limits = Some(cell.limits().into());
        let spent = match &reply {
            Ok(_) => Some(self.spent(cell)),
            // What did not answer in order may still be at work: it ends before anything is said.
            Err(_) => {
                cell.discard();
                None
            }
        };
        drop(cell_end);
        line.net = proxy.map(|proxy| {
            let traffic = proxy.finish();
            let (sent, received) = (traffic.sent, traffic.received);
            audit::Net { allowed: traffic.allowed, refused: traffic.refused, sent, received }
        });
        let acted = change.as_ref().is_some_and(Change::acted);
        if acted {
            self.tell(&mut **door.borrow_mut(), &lang, "looks_back", many);
        }
        let (outcome, list, items) = match reply {
            Ok(reply) => (self.discreet(reply.answer.outcome), reply.answer.list, reply.items),
            Err(failure) => {
                (self.discreet(Outcome::failure(failure)), ListName::Entries, Items::Inline(Vec::new()))
            }
        };
        let given = (found.manifest.executor.name.as_str(), &request.args, request.lang.as_str());
        let answer = crate::assist::Answer { outcome, list, items };
        let stopped = || door.borrow().cancelled() || self.gate.is_shut();
        let answer = self.assisted(given, entries.as_ref(), answer, &stopped, line)?;
        let crate::assist::Answer { outcome, list, items } = answer;
        let mut done = Done { call_id: call_id.to_owned(), outcome, list, items, replayed: false, spent };
        let digest = output_digest(&mut done)?;
        if let Some(change) = change {
            change.close(&digest)?;
        }
        let mut close = line.clone();
        close.kind = if acted { Kind::Close } else { Kind::Call };
        close.output_digest = Some(digest);
        let input = close.counts.map_or(0, |c| c.input);
        close.counts = Some(Counts { input, ok: done.outcome.ok_count, failed: done.outcome.fail_count });
        close.duration_us = Some(micros(started));
        close.exit = Some(done.outcome.error.as_ref().map_or(Exit::Ok, |e| Exit::Failed(e.class)));
        if let Some(error) = &done.outcome.error {
            close.detail = self.redactor().redact(&json!({ "message": error.message }), &[]);
        }
        if let Some(claimed) = done.outcome.claimed {
            match &mut close.detail {
                Value::Object(detail) => drop(detail.insert("claimed".into(), claimed.into())),
                detail => *detail = json!({ "claimed": claimed }),
            }
        }
        match self.audit.append(close) {
            Err(e) if !lab::without(Layer::Recording) => Err(unrecorded(&e)),
            _ => Ok(done),
        }
    }

    /// The egress proxy of a call whose profile names hosts.
    fn way_out(&self, found: &Verified, birth: Option<&Rehearsal>) -> Result<Option<Proxy>, Failure> {
        let profile = &found.manifest.sandbox;
        if profile.net.is_empty() {
            return Ok(None);
        }
        let deadline = Instant::now() + Duration::from_millis(profile.limits.wall_ms);
        let out = birth.map_or_else(|| Out::World(Arc::new(System)), |birth| Out::Stage(birth.stage()));
        Proxy::start(profile.net.clone(), deadline, out)
            .map(Some)
            .map_err(|e| Failure::io("the egress proxy", &e))
    }

    /// The intent on disk, then the `open` line on disk; only then may the cell act.
    fn make_durable(
        &self,
        change: &mut Change<'_>,
        mut ops: IntentLines,
        line: &mut Line,
    ) -> Result<(Permit, Vec<std::fs::File>), Failure> {
        self.room_for_intent(change.user(), &mut ops)?;
        let (digest, permit) = change.intend(ops)?;
        let mut open = line.clone();
        open.kind = Kind::Open;
        open.detail = json!({ "intent": digest, "n": permit.number });
        if change.is_permanent() {
            open.detail["permanent"] = true.into();
        }
        self.audit.append(open).map_err(|e| unrecorded(&e))?;
        line.kind = Kind::Open;
        // Once is enough: it keeps them.
        let locks = if permit.number == 1 { change.locks()? } else { Vec::new() };
        Ok((permit, locks))
    }
}

/// A list as the audit tells of it. One that stood among the arguments has no other place.
fn list_in(name: &str, list: &List, from: &Option<String>) -> Option<audit::ListIn> {
    let digest = format!("blake3:{}", list.digest.to_hex());
    Some(audit::ListIn { name: name.to_owned(), from: from.clone(), count: list.count, digest })
}

/// The turn a call belongs to: its steps are called `<turn>-<n>`.
pub fn turn_of(call_id: &str) -> Option<&str> {
    let (turn, step) = call_id.split_once('-')?;
    (metnos_executor::Ulid::from_string(turn).is_ok() && step.parse::<u32>().is_ok()).then_some(turn)
}

/// An id that can name files and audit lines.
fn is_call_id(text: &str) -> bool {
    (1..=64).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_')
}

pub(crate) fn micros(started: Instant) -> u64 {
    started.elapsed().as_micros().try_into().unwrap_or(u64::MAX)
}

pub(crate) fn unrecorded(error: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        ErrorClass::Internal,
        format!("the audit could not be written, so nothing is released: {error}"),
    )
    .with_hint("metnos audit verify, metnos doctor")
}

fn secret_pointers(found: &Verified) -> Vec<String> {
    let input = &found.schemas.input;
    input.properties().filter(|(_, s)| s.is_secret()).map(|(name, _)| format!("/{name}")).collect()
}
