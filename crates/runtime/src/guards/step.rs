//! One step as the guards see it: what it needs, on what, and what a person should read about it.

use crate::call::{Door, Provenance};
use crate::guards::records::Known;
use crate::guards::{Asked, Principal, Subject, is_own, size, wording};
use crate::input::Prepared;
use crate::runtime::Runtime;
use metnos_executor::lab::{self, Layer};
use metnos_executor::manifest::CreatedBy;
use metnos_executor::profile::Scope;
use metnos_executor::signature::Verified;
use metnos_executor::wire::{Reach, Runtime as Runtimes};
use metnos_executor::{BytePath, Failure, Origin};
use metnos_guard::card::{Card, Effect, Frees, Lang, Tainted, Warning};
use metnos_guard::policy::{Ask, Decision, Level, Place, Registry, Ruling, Target, strictest};
use metnos_guard::territory::Territory;
use metnos_guard::vaglio::{Arg, Facts};
use metnos_sandbox::fence::Fence;
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// More paths than this are weighed by their folders.
const PATHS_MAX: usize = 64;
/// No more than this many things are measured for a card.
const MEASURED_MAX: usize = 10_000;
/// More folders than this are told by the one above them.
const FOLDERS_SHOWN: usize = 3;
/// Nor this many to tell whether a deletion can be undone.
const DELETED_MAX: usize = 200_000;

/// One step on its way through the guards.
pub(crate) struct Step<'a, 'd> {
    pub(crate) found: &'a Verified,
    pub(crate) caller: &'a str,
    pub(crate) session: &'a str,
    pub(crate) lang: &'a str,
    pub(crate) now: &'a jiff::Zoned,
    pub(crate) base: &'a Path,
    pub(crate) input: &'a Prepared,
    /// The arguments before paths were resolved.
    pub(crate) given: &'a serde_json::Map<String, Value>,
    pub(crate) provenance: &'a Provenance,
    pub(crate) fence: &'a Fence,
    pub(crate) request: &'a str,
    /// The id the caller gave, if any.
    pub(crate) call_id: Option<&'a str>,
    pub(crate) territory: &'a Territory,
    pub(crate) workspace: &'a Path,
    /// The person's home.
    pub(crate) home: &'a Path,
    /// How long and how much is kept for undo.
    pub(crate) undo: crate::config::Undo,
    /// The bytes it deletes, when they are more than are kept: then it is for good.
    pub(crate) permanent: Option<u64>,
    /// What it changes that runs code by itself.
    pub(crate) runs: Vec<PathBuf>,
    /// True when it is a birth test.
    pub(crate) birth: bool,
    /// What it may cost, in millionths, where a model is asked that costs something.
    pub(crate) cost: Option<u64>,
    /// The credentials of the host that a yes would lend.
    pub(crate) lends: Vec<String>,
    pub(crate) door: &'d mut dyn Door,
}

/// One thing a step needs.
struct Need<'a> {
    capability: &'a str,
    place: Option<Place>,
    target: Wanted<'a>,
}

/// A target that lives as long as the step.
enum Wanted<'a> {
    Path(PathBuf),
    Text(&'a str),
    Host(String),
    None,
}

impl Subject for Step<'_, '_> {
    fn asked(&self) -> Asked<'_> {
        Asked {
            executor: self.found.manifest.executor.name.as_str(),
            digest: &self.found.digest,
            caller: self.caller,
            session: self.session,
            lang: self.lang,
            base: self.base,
            given: self.given,
            provenance: self.provenance,
            request: self.request,
            call_id: self.call_id,
        }
    }

    fn effectful(&self) -> bool {
        self.found.manifest.contract.side_effects || !self.found.manifest.sandbox.net.is_empty()
    }

    fn own(&self) -> bool {
        self.needs().iter().all(|need| match need.place {
            Some(place) => place == Place::Workspace,
            None => is_own(need.capability),
        })
    }

    fn permanent(&self, lang: &Lang) -> Option<String> {
        let most = self.undo.budget_mb.to_string();
        self.permanent.map(|_| lang.say("permanent", &[("most", &most)]))
    }

    fn runs_code(&self) -> bool {
        !self.runs.is_empty()
    }

    fn cost(&self) -> Option<u64> {
        self.cost
    }

    /// The strictest ruling over everything it needs. A step that needs nothing computes.
    fn policy(&self, registry: &Registry, level: Level, known: &Known, now: jiff::Timestamp) -> Ruling {
        let who = Principal::parse(self.caller);
        let contract = &self.found.manifest.contract;
        let executor = self.found.manifest.executor.name.as_str();
        let rule = |need: &Need<'_>| {
            let mut ask = Ask::new(need.capability, executor, &who.user, &who.channel);
            ask.place = need.place;
            ask.target = match &need.target {
                Wanted::Path(path) => Target::Path(path),
                Wanted::Text(text) => Target::Exact(text),
                Wanted::Host(host) => Target::Host(host),
                Wanted::None => Target::None,
            };
            ask.reversible = self.reversible();
            ask.idempotent = contract.idempotent;
            ask.side_effects = contract.side_effects;
            registry.decide(level, &ask, &known.grants, &known.rules, now, self.session)
        };
        let mut needs = self.needs();
        if needs.is_empty() {
            needs.push(Need { capability: "compute:pure", place: None, target: Wanted::None });
        }
        // Never empty, and `strictest` of something is something.
        strictest(needs.iter().map(&rule)).unwrap_or_else(|| rule(&needs[0]))
    }

    /// What the judge may look at.
    fn facts(&self, used_before: u64, approved_days_ago: Option<u32>) -> Result<Facts, Failure> {
        let manifest = &self.found.manifest;
        let name = manifest.executor.name.as_str();
        let verb = name.split('_').next().unwrap_or_default();
        let mut args: Vec<Arg> = self.asked().args();
        if let Some(list) = self.input.entries.as_ref().filter(|_| self.effectful()) {
            let (mut origin, value) = list.worst_origin()?;
            if lab::without(Layer::Taint) {
                origin = Origin::Local;
            }
            let traceable = self.provenance.traceable("entries");
            args.push(Arg { name: "entries".into(), value, origin, traceable });
        }
        Ok(Facts {
            executor: name.to_owned(),
            args,
            items: usize::try_from(self.items()).unwrap_or(usize::MAX),
            deletes: verb == "delete",
            moves: verb == "move",
            side_effects: manifest.contract.side_effects,
            reversible: self.reversible(),
            outbound: !manifest.sandbox.net.is_empty() && manifest.contract.side_effects,
            to_self: false,
            hour: self.now.hour().unsigned_abs(),
            used_before,
            request: Some(Vec::new()),
            approved_days_ago,
        })
    }

    /// What a person reads before saying yes.
    fn card(&self, ruling: &Ruling, reason: String) -> Card {
        let manifest = &self.found.manifest;
        let name = manifest.executor.name.as_str();
        let mut operands: Vec<PathBuf> = self.operands();
        let taken = self.taken_names(&operands);
        let stay = self.in_place(&operands);
        let gone = self.gone(&operands);
        let absent = Some(gone.len()).filter(|n| *n < operands.len()).unwrap_or(0);
        let not_there = (absent > 0).then(|| Warning::NotThere {
            count: absent as u64,
            names: gone
                .iter()
                .filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()))
                .collect(),
        });
        operands.retain(|path| !stay.contains(path) && (absent == 0 || !gone.contains(path)));
        let stay = stay.len() as u64;
        let common = common(&operands);
        let base = self.input.args.get("base_path").and_then(Value::as_str).map(str::to_owned);
        let source = common.as_ref().map(|dir| dir.display().to_string()).or(base);
        // What is not deleted is taken with everything in it.
        let whole = !self.deletes() || self.descends();
        let (bytes, at_least) = match self.permanent {
            Some(bytes) => (bytes, false),
            None => match size::bytes(&operands, whole, MEASURED_MAX) {
                Ok(bytes) => (bytes, false),
                Err(least) => (least, true),
            },
        };
        let runs = |path: &PathBuf| Warning::RunsCode(path.display().to_string());
        let lend = |credential: &String| Warning::Lends {
            credential: credential.clone(),
            person: Principal::parse(self.caller).user,
            executor: name.to_owned(),
        };
        let effect = match (manifest.contract.side_effects, self.reversible()) {
            (false, _) => Effect::NoChange,
            (true, true) => Effect::Reversible,
            (true, false) => Effect::Irreversible,
        };
        let folders = self.layered();
        let worst = self.input.entries.as_ref().and_then(|list| list.worst_origin().ok());
        let tainted = worst.filter(|(origin, _)| *origin > Origin::Local);
        Card {
            executor: name.to_owned(),
            manner: self.manner().map(str::to_owned),
            things: self.things(&operands).map(str::to_owned),
            count: self.counted().map(|count| count.saturating_sub(stay + absent as u64)),
            object: self.subject(&operands),
            names: wording::names(&operands, common.as_deref()),
            source,
            destination: self.destination().filter(|_| folders.is_empty()),
            folders,
            at_least,
            bytes: Some(bytes).filter(|_| !operands.is_empty()),
            effect,
            frees: self.frees(bytes),
            capability: ruling.row.clone(),
            grant: self.offer(ruling),
            tainted: tainted
                .map(|(origin, value)| vec![Tainted { value, origin, from: None }])
                .unwrap_or_default(),
            outside_sandbox: false,
            warnings: {
                let runs = self.runs.iter().map(runs).chain(self.cost.map(Warning::Costs));
                let runs =
                    runs.chain(taken).chain((stay > 0).then_some(Warning::Stay(stay))).chain(not_there);
                runs.chain(self.lends.iter().map(lend)).collect()
            },
            reason: Some(reason),
        }
    }

    /// The capability and target that a lasting yes would cover.
    fn grantable(&self, ruling: &Ruling) -> Option<(String, String)> {
        let asked = ruling.decision == Decision::Ask && ruling.class == metnos_guard::policy::Class::Target;
        let capability = ruling.row.split_whitespace().next()?.to_owned();
        if !asked || self.permanent.is_some() || self.runs_code() {
            return None;
        }
        let target = match capability.as_str() {
            "fs:read" | "fs:write" => {
                let paths = self.paths(capability == "fs:write");
                let dir = |path: &PathBuf| if path.is_dir() { path.clone() } else { above(path) };
                let here = common_dir(&paths.iter().map(dir).collect::<Vec<_>>())?;
                self.is_narrow(&here).then(|| here.display().to_string())?
            }
            "network:http" => self.found.manifest.sandbox.net.first()?.to_string(),
            _ => return None,
        };
        Some((capability, target))
    }

    fn missing(&self) -> Option<PathBuf> {
        let operands = self.operands();
        let all = !operands.is_empty() && self.gone(&operands).len() == operands.len();
        all.then(|| operands.into_iter().next()).flatten()
    }

    fn credentials(&self) -> &[String] {
        // A birth test brings its own.
        if self.birth { &[] } else { &self.found.manifest.sandbox.credentials }
    }

    fn borrows(&mut self, credentials: Vec<String>) {
        self.lends = credentials;
    }

    fn ready(&mut self, runtime: &Runtime) -> Result<(), Failure> {
        runtime.credentials_for(self.found, self.caller, self.door).map(|_| ())
    }

    fn hopeless(&self, lang: &Lang) -> Option<Failure> {
        self.hopeless_now(lang)
    }

    fn born(&self) -> Option<bool> {
        // What it writes is the folder of its own case, or nothing.
        let own = |path: &PathBuf| path.starts_with(self.base);
        self.birth.then(|| self.paths(true).iter().all(own))
    }

    fn lists(&self, most: u64) -> Result<(Option<String>, bool), Failure> {
        let entries = self.input.entries.as_ref().map(|list| list.text(most)).transpose()?;
        let too_long = entries.as_ref().is_some_and(Option::is_none) || self.input.with.is_some();
        Ok((entries.flatten(), too_long))
    }

    fn cancelled(&self) -> bool {
        self.door.cancelled()
    }

    fn door(&mut self) -> &mut dyn Door {
        &mut *self.door
    }
}

impl Step<'_, '_> {
    /// Whether a folder is small enough to be allowed for good: nobody means the whole home or the whole machine.
    fn is_narrow(&self, dir: &Path) -> bool {
        !self.home.starts_with(dir) && dir.components().count() > 2
    }

    /// What a Python executor changes goes through the hands, whatever its manifest says; what it sends out
    /// nobody takes back.
    fn reversible(&self) -> bool {
        let manifest = &self.found.manifest;
        let declared = match manifest.code.runtime {
            Runtimes::Native => !manifest.contract.reverse.is_empty(),
            Runtimes::Python | Runtimes::Cpython => {
                manifest.sandbox.net.is_empty() && !manifest.sandbox.write.is_empty()
            }
        };
        declared && self.permanent.is_none()
    }

    /// The folders in which a Python executor may change anything; the one above them where they are many.
    fn layered(&self) -> Vec<String> {
        if self.found.manifest.code.runtime == Runtimes::Native {
            return Vec::new();
        }
        let mut folders: Vec<PathBuf> =
            self.fence.wire.write.iter().map(|grant| grant.path.0.clone()).collect();
        folders.sort();
        folders.dedup();
        if folders.len() > FOLDERS_SHOWN {
            folders = common_dir(&folders).into_iter().collect();
        }
        folders.iter().map(|folder| folder.display().to_string()).collect()
    }

    fn deletes(&self) -> bool {
        self.found.manifest.executor.name.as_str().starts_with("delete_")
    }

    /// True when it takes folders with everything in them.
    pub(super) fn descends(&self) -> bool {
        self.deletes() && self.input.args.get("recursive").and_then(Value::as_bool) == Some(true)
    }

    /// The bytes of a deletion, when they are more than are kept. Of very many things nobody knows before;
    /// the journal knows, and refuses.
    pub(crate) fn beyond_the_budget(&self) -> Option<u64> {
        if !self.deletes() || self.birth {
            return None;
        }
        let measured = size::bytes(&self.operands(), self.descends(), DELETED_MAX);
        measured.ok().filter(|bytes| *bytes > self.undo.budget())
    }

    /// What a deletion makes room for once it can no longer be undone.
    fn frees(&self, bytes: u64) -> Option<Frees> {
        let later = self.permanent.is_none().then(|| self.undo.keep_days.get());
        let told = self.reversible() || self.permanent.is_some();
        (self.deletes() && told && bytes > 0).then_some(Frees { bytes, after_days: later })
    }

    /// What it can do, not only what it declares: a profile that opens something needs it.
    fn needs(&self) -> Vec<Need<'_>> {
        let mut needs = Vec::new();
        for (capability, write) in [("fs:read", false), ("fs:write", true)] {
            needs.extend(self.paths(write).into_iter().map(|path| Need {
                capability,
                place: Some(self.place(&path)),
                target: Wanted::Path(path),
            }));
        }
        let hosts = self.found.manifest.sandbox.net.iter();
        needs.extend(hosts.map(|host| Need {
            capability: "network:http",
            place: None,
            target: Wanted::Host(host.to_string()),
        }));
        if !self.found.manifest.sandbox.exec.is_empty() {
            needs.push(Need { capability: "code:exec", place: None, target: Wanted::None });
        }
        let own = ["fs:read", "fs:write", "network:http"];
        for capability in self.found.manifest.capability.iter().filter(|c| !own.contains(&c.name.as_str())) {
            let target = capability.target.as_deref().filter(|t| !t.starts_with("arg:"));
            let target = target.map_or(Wanted::None, Wanted::Text);
            needs.push(Need { capability: &capability.name, place: None, target });
        }
        needs
    }

    /// The paths it may read or write; of many files, their folders. What a seed's own profile names
    /// is what its other capabilities are about.
    fn paths(&self, write: bool) -> Vec<PathBuf> {
        let (wire, manifest) = (&self.fence.wire, &self.found.manifest);
        let grants = if write { &wire.write } else { &wire.read };
        let many = grants.len() > PATHS_MAX;
        let seed = manifest.executor.created_by == CreatedBy::Seed;
        let own = manifest.capability.iter().any(|c| c.name.starts_with("system:")) && seed;
        let literal = |path: &Path| {
            let named = manifest.sandbox.read.iter().chain(&manifest.sandbox.write);
            own && named.into_iter().any(|s| matches!(s, Scope::Literal(at) if path.starts_with(at)))
        };
        let mut paths: BTreeSet<PathBuf> = grants
            .iter()
            .filter(|grant| !literal(&grant.path.0))
            .map(|grant| match grant.reach {
                Reach::File if many => above(&grant.path.0),
                _ => grant.path.0.clone(),
            })
            .collect();
        if write {
            paths.extend(wire.make_dirs.iter().map(|BytePath(dir)| dir.clone()));
        }
        paths.into_iter().collect()
    }

    fn place(&self, path: &Path) -> Place {
        match path {
            path if path.starts_with(self.workspace) => Place::Workspace,
            path if self.territory.contains(path) => Place::Territory,
            _ if lab::without(Layer::Beyond) => Place::Territory,
            _ => Place::Outside,
        }
    }

    /// The things it works on, as they were named: paths first, then entries.
    pub(super) fn items(&self) -> u64 {
        let named = self.input.args.get("paths").and_then(Value::as_array).map_or(0, Vec::len) as u64;
        named + self.input.entries.as_ref().map_or(0, |list| list.count)
    }

    /// The grant that a yes could create: only where the policy itself asks, per target.
    fn offer(&self, ruling: &Ruling) -> Option<metnos_guard::card::Offer> {
        let (_, target) = self.grantable(ruling)?;
        Some(metnos_guard::card::Offer::Here { target })
    }

    /// Of the things it would take, those that are not there.
    fn gone(&self, operands: &[PathBuf]) -> Vec<PathBuf> {
        let gone = |path: &&PathBuf| {
            std::fs::symlink_metadata(path).is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound)
        };
        // Folders that are to be made are not there yet.
        let makes = self.found.manifest.executor.name.as_str().starts_with("create_");
        let takes = self.found.manifest.contract.side_effects && !makes;
        if !takes || operands.len() > MEASURED_MAX {
            return Vec::new();
        }
        operands.iter().filter(gone).cloned().collect()
    }

    pub(super) fn operands(&self) -> Vec<PathBuf> {
        let named = self.input.args.get("paths").and_then(Value::as_array);
        let mut paths: Vec<PathBuf> = named
            .into_iter()
            .flatten()
            .filter_map(|item| serde_json::from_value::<BytePath>(item.clone()).ok())
            .map(|path| path.0)
            .collect();
        if let Some(list) = &self.input.entries
            && self.found.manifest.contract.side_effects
        {
            paths.extend(list.paths("path").unwrap_or_default());
        }
        paths
    }
}

fn above(path: &Path) -> PathBuf {
    path.parent().unwrap_or(path).to_path_buf()
}

/// The nearest folder above all of them.
fn common(paths: &[PathBuf]) -> Option<PathBuf> {
    common_dir(&paths.iter().map(|path| above(path)).collect::<Vec<_>>())
}

fn common_dir(dirs: &[PathBuf]) -> Option<PathBuf> {
    let first = dirs.first()?;
    first.ancestors().find(|dir| dirs.iter().all(|other| other.starts_with(dir))).map(Path::to_path_buf)
}
