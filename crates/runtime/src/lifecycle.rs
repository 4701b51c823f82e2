//! Moves of executors between states, each with a written reason and an audit line, and the
//! territory, whose changes are just as much an act.

use crate::birth::BirthReport;
use crate::install::{Built, embedded, refused};
use crate::news::Topic;
use crate::runtime::Runtime;
use metnos_executor::catalog::CatalogError;
use metnos_executor::home::Root;
use metnos_executor::lifecycle::{State, Why};
use metnos_executor::manifest::{Manifest, Version};
use metnos_executor::{ErrorClass, Failure};
use metnos_executor::{Part, Refusal};
use metnos_guard::core::Act;
use metnos_memory::audit::Kind;
use metnos_tongue::FALLBACK;
use metnos_vocab::ExecutorName;
use serde::Serialize;
use serde_json::{Value, json};
use std::path::Path;

/// One executor as the commands show it.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// Its current version.
    pub version: String,
    /// `seed`, `synt`, `skills` or `builtin`.
    pub root: String,
    /// `active`, `quarantined`, `archived`, …
    pub state: String,
    /// True when every check passed just now.
    pub verified: bool,
    /// Why not, or why it is where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A version that was signed and installed.
#[derive(Clone, Debug, Serialize)]
pub struct Signed {
    /// The executor.
    pub name: String,
    /// Its version.
    pub version: String,
    /// True when it is the one in use.
    pub in_use: bool,
}

/// An executor that is not in use.
#[derive(Clone, Debug)]
pub struct Unused {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub state: State,
    /// The command that lets it be called again.
    pub hint: String,
    /// Its manifest and schema, if its signature holds.
    pub parts: Option<(String, String)>,
}

fn parse(name: &str) -> Result<ExecutorName, Failure> {
    ExecutorName::parse(name)
        .map_err(|e| Failure::wrong_args(e.to_string()).with_hint("metnos executors list"))
}

/// What an executor says of itself. It is signed: what it does not say in a language, the folder of that language does.
fn told(name: &ExecutorName, manifest: &Manifest) -> Value {
    let mut told = json!(manifest.description);
    let english = told.get(FALLBACK).cloned().unwrap_or_default();
    for tongue in metnos_tongue::all() {
        let said = metnos_tongue::executor(tongue, name.as_str()).filter(|_| told.get(tongue.code).is_none());
        if let Some(said) = said {
            let mut own = english.clone();
            (own["scope"], own["not"]) = (said.scope.as_str().into(), said.not.as_str().into());
            told[tongue.code] = own;
        }
    }
    told
}

pub(crate) fn failed(error: CatalogError) -> Failure {
    let failure = match &error {
        CatalogError::Absent { .. } => Failure::new(ErrorClass::NotFound, error.to_string()),
        CatalogError::Taken { .. } => Failure::new(ErrorClass::Conflict, error.to_string()),
        CatalogError::Io { .. } => Failure::internal(error.to_string()),
        _ => Failure::new(ErrorClass::PolicyViolation, error.to_string()),
    };
    match error.hint() {
        Some(hint) => failure.with_hint(hint),
        None => failure,
    }
}

/// How many executors there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExecutorCounts {
    /// Those that can be called now: active and verified.
    pub in_use: usize,
    /// All others.
    pub out_of_use: usize,
    /// Those of them in quarantine.
    pub quarantined: usize,
    /// Those of them that were archived.
    pub archived: usize,
}

impl Runtime {
    /// Every executor, checked now; builtins too.
    pub fn executors(&self) -> Vec<Row> {
        let mut rows: Vec<Row> = self
            .catalog
            .list()
            .unwrap_or_default()
            .into_iter()
            .map(|l| Row {
                name: l.name,
                version: l.version.map(|v| v.to_string()).unwrap_or_default(),
                root: l.root.to_string(),
                state: l.state.as_str().to_owned(),
                verified: l.verified,
                reason: l.reason,
            })
            .collect();
        rows.extend(crate::BUILTINS.map(|name| Row {
            name: name.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            root: "builtin".to_owned(),
            state: "active".to_owned(),
            verified: true,
            reason: None,
        }));
        rows.retain(|row| !self.config.is_off(&row.name));
        rows.sort_by(|a, b| a.name.cmp(&b.name));
        rows
    }

    /// How many executors there are, seeds, builtins and what was put in together: the one count that is told anywhere.
    pub fn executor_counts(&self) -> ExecutorCounts {
        let rows = self.executors();
        let usable = |row: &&Row| row.verified && row.state == "active";
        let in_use = rows.iter().filter(usable).count();
        let of = |state: &str| rows.iter().filter(|row| row.state == state).count();
        ExecutorCounts {
            in_use,
            out_of_use: rows.len() - in_use,
            quarantined: of("quarantined"),
            archived: of("archived"),
        }
    }

    /// Manifest and schema of the executors that a person has put in beside the seeds, as far as they verify now.
    pub fn put_in(&self) -> Vec<(String, String)> {
        let mut texts = Vec::new();
        for root in [Root::Synt, Root::Skills] {
            let folder = self.home.executors_dir().join(root.as_str());
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                let name =
                    entry.file_name().into_string().ok().and_then(|name| ExecutorName::parse(&name).ok());
                let Some(name) = name.filter(|name| !self.config.is_off(name.as_str())) else { continue };
                let Ok(found) = self.catalog.resolve(&name, None) else { continue };
                let version = entry.path().join(found.manifest.executor.version.to_string());
                let read = |part: &str| std::fs::read_to_string(version.join(part));
                if let (Ok(manifest), Ok(schema)) = (read("manifest.toml"), read("schema.json")) {
                    texts.push((manifest, schema));
                }
            }
        }
        texts.sort();
        texts
    }

    /// What one executor does, takes and may touch.
    pub fn card(&self, name: &str) -> Result<Value, Failure> {
        let name = parse(name)?;
        self.config.check(name.as_str(), &self.home)?;
        if let Some(input) = crate::builtin::schema(&name) {
            return Ok(
                json!({ "name": name.as_str(), "version": env!("CARGO_PKG_VERSION"), "root": "builtin",
                "description": crate::builtin::description(&name), "input": input, "sandbox": {} }),
            );
        }
        let found = self.resolve(&name, None)?;
        let manifest = &found.manifest;
        Ok(json!({
            "name": name.as_str(),
            "version": manifest.executor.version.to_string(),
            "root": self.root_of(&name),
            "description": told(&name, manifest),
            "input": found.schemas.input.source(),
            "output": found.schemas.output.source(),
            "side_effects": manifest.contract.side_effects,
            "reverse": manifest.contract.reverse,
            "error_classes": manifest.contract.error_classes,
            "runtime": manifest.code.runtime,
            "plan": manifest.plan, "sandbox": manifest.sandbox,
            "digest": found.digest,
            "born": self.born(&found),
        }))
    }

    fn root_of(&self, name: &ExecutorName) -> String {
        let rows = self.catalog.list().unwrap_or_default();
        rows.iter().find(|l| l.name == name.as_str()).map(|l| l.root.to_string()).unwrap_or_default()
    }

    /// What to try when there is no executor called `name`.
    pub(crate) fn near(&self, name: &str) -> String {
        let rows = self.catalog.list().unwrap_or_default();
        let names = rows
            .iter()
            .map(|l| l.name.as_str())
            .chain(crate::BUILTINS)
            .filter(|known| !self.config.is_off(known));
        match metnos_vocab::nearest(name, names.filter(|known| *known != name)) {
            Some(near) => format!("nearest: {near}; metnos executors list shows all"),
            None => "metnos executors list".to_owned(),
        }
    }

    /// A check refused an installed executor, or one version of it that was asked for: out of use it goes, with the
    /// reason.
    pub(crate) fn refuse(&self, name: &ExecutorName, version: Option<&Version>, refusal: Refusal) -> Failure {
        if refusal.part == Part::Absent {
            return Failure::new(ErrorClass::NotFound, refusal.reason).with_hint(self.near(name.as_str()));
        }
        if matches!(refusal.part, Part::Lifecycle | Part::Root) {
            return refused(name.as_str(), &refusal).with_hint(self.way_back(name));
        }
        // A disk that failed for a moment is no finding: what is really wrong is wrong again.
        if self.catalog.resolve(name, version).is_ok() && self.host.check(&self.catalog).is_ok() {
            return Failure::internal(format!("{name} could not be checked just now: {refusal}"))
                .with_hint("try again; metnos doctor if it happens often");
        }
        self.put_out_of_use(name, version, &refusal)
    }

    /// A version that was read whole did not keep its promises: reading it again would not tell. The others stay.
    pub(crate) fn put_out_of_use(
        &self,
        name: &ExecutorName,
        version: Option<&Version>,
        refusal: &Refusal,
    ) -> Failure {
        let failure = refused(name.as_str(), refusal);
        let Ok(moved) = self.catalog.quarantine(name, version, refusal) else {
            // Already there, or it cannot be moved: either way it does not run.
            return failure.with_hint(approve_hint(name));
        };
        let version = moved.version.map(|version| version.to_string());
        let detail = json!({ "act": "quarantine", "name": name.as_str(), "version": version, "part": refusal.part, "reason": refusal.reason });
        match self.note(Kind::Lifecycle, detail) {
            Ok(()) => {
                // It does not run either way: what is called is checked anew.
                let _ = self.moved_executors();
                // What is wrong with a candidate is mended in its folder; what is in use stays in use.
                match self.catalog.resolve(name, None) {
                    Ok(used) => failure.with_hint(format!(
                        "{name} {} stays in use; metnos executors approve {name} --reason \"…\" tries this one again",
                        used.manifest.executor.version
                    )),
                    Err(_) => failure.with_hint(self.way_back(name)),
                }
            }
            Err(unrecorded) => unrecorded,
        }
    }

    /// The command that lets an executor be called again.
    pub(crate) fn way_back(&self, name: &ExecutorName) -> String {
        let Some(out) = self.catalog.out_of_use(name) else { return approve_hint(name) };
        let promote =
            out.spare.map(|version| format!("metnos executors promote {name} {version} --reason \"…\""));
        match (out.state, promote) {
            (State::Archived, _) => format!("metnos executors restore {name} --reason \"…\""),
            (State::Synthesised, Some(promote)) => promote,
            (_, Some(promote)) => format!("{}  ·  {promote}", approve_hint(name)),
            (_, None) => approve_hint(name),
        }
    }

    /// The executors that a person, or a check, took out of use: what the planner does not plan, and why.
    pub fn out_of_use(&self) -> Vec<Unused> {
        let rows = self.catalog.list().unwrap_or_default();
        let mut unused: Vec<Unused> = Vec::new();
        for row in rows.into_iter().filter(|row| !row.verified) {
            let Ok(name) = ExecutorName::parse(&row.name) else { continue };
            let Some(out) = self.catalog.out_of_use(&name) else { continue };
            if unused.iter().any(|known| known.name == row.name) {
                continue;
            }
            let parts = self.catalog.parts_out_of_use(&out);
            let hint = self.way_back(&name);
            unused.push(Unused { name: row.name, state: out.state, hint, parts });
        }
        unused
    }

    /// Tells every process of this home that the executors in use are others now.
    pub(crate) fn moved_executors(&self) -> Result<(), Failure> {
        self.news.tell(&self.db, Topic::Executors)
    }

    /// Takes an executor out of use because a person says so.
    pub fn quarantine(&self, name: &str, reason: &str) -> Result<(), Failure> {
        let name = parse(name)?;
        let refusal = Refusal::new(Part::Lifecycle, format!("by hand: {reason}"));
        self.catalog.quarantine(&name, None, &refusal).map_err(failed)?;
        self.noted("quarantine", &name, reason)
    }

    /// Takes an executor out of use, in order.
    pub fn archive(&self, name: &str, reason: &str) -> Result<(), Failure> {
        let name = parse(name)?;
        self.catalog.archive(&name, &why(reason), &self.key).map_err(failed)?;
        self.noted("archive", &name, reason)
    }

    /// Brings an archived executor back.
    pub fn restore(&self, name: &str, reason: &str) -> Result<(), Failure> {
        let name = parse(name)?;
        self.catalog.restore(&name, &why(reason), &self.key).map_err(failed)?;
        self.noted("restore", &name, reason)
    }

    /// Makes an installed version the current one. It must keep its promises here.
    pub fn promote(&self, name: &str, version: &str, reason: &str) -> Result<(), Failure> {
        let name = parse(name)?;
        let version: Version = version.parse().map_err(|e| Failure::wrong_args(format!("version: {e}")))?;
        let found = self.resolve(&name, Some(&version.to_string()))?;
        if !self.born(&found) {
            self.must_be_born(&name, &version)?;
        }
        self.catalog.promote(&name, &version, &self.key).map_err(failed)?;
        self.noted_of("promote", &name, Some(&version), reason)
    }

    /// Brings an executor back from quarantine. A seed comes back as it was built, together with
    /// its host; anything else is signed again as it lies there, and must pass its birth tests.
    pub fn approve(&self, name: &str, reason: &str, built: Option<&Built>) -> Result<(), Failure> {
        let name = parse(name)?;
        let moved = match embedded(name.as_str()) {
            Some(parts) => {
                if let Some(built) = built {
                    self.repair_host(built)?;
                }
                self.catalog.renew(&name, parts, &why(reason), &self.key).map_err(failed)?
            }
            None => self.catalog.approve(&name, &why(reason), &self.key).map_err(failed)?,
        };
        if let Some(version) = &moved.version {
            self.must_be_born(&name, version)?;
        }
        self.noted_of("approve", &name, moved.version.as_ref(), reason)
    }

    /// Signs a folder of a person's own and installs it under `synt` or `skills`, as its manifest
    /// says. It must pass the static rule and its birth tests. What is in use stays so until this is promoted.
    pub fn sign(&self, folder: &Path, reason: &str) -> Result<Signed, Failure> {
        let mut parts: Vec<(&str, Vec<u8>)> = Vec::new();
        for part in ["manifest.toml", "schema.json", "tests/birth.toml", "main.py"] {
            match read_bounded(&folder.join(part)) {
                Ok(bytes) => parts.push((part, bytes)),
                Err(e) if part == "main.py" && e.kind() == std::io::ErrorKind::NotFound => {}
                Err(e) => return Err(Failure::io(folder.join(part).display(), &e)),
            }
        }
        let text = |part: &str| parts.iter().find(|(p, _)| *p == part).map(|(_, bytes)| bytes.as_slice());
        let label = folder.join("manifest.toml").display().to_string();
        let manifest = Manifest::from_bytes(text("manifest.toml").unwrap_or_default(), &label)
            .map_err(|e| Failure::wrong_args(e.to_string()))?;
        let root = match manifest.executor.created_by {
            metnos_executor::manifest::CreatedBy::Seed => {
                return Err(Failure::new(ErrorClass::Forbidden, "seeds come only with the binary")
                    .with_hint("created_by = \"skill:<name>@<version>\" or \"synt:<run>\""));
            }
            metnos_executor::manifest::CreatedBy::Synt { .. } => Root::Synt,
            metnos_executor::manifest::CreatedBy::Skill { .. } => Root::Skills,
        };
        let (name, version) = (manifest.executor.name.clone(), manifest.executor.version);
        let borrowed: Vec<(&str, &[u8])> = parts.iter().map(|(p, b)| (*p, b.as_slice())).collect();
        self.catalog.install(root, &name, &version, &borrowed, &self.key).map_err(failed)?;
        self.must_be_born(&name, &version)?;
        self.noted_of("sign", &name, Some(&version), reason)?;
        let used = self.catalog.resolve(&name, None).ok().map(|used| used.manifest.executor.version);
        Ok(Signed { name: name.to_string(), version: version.to_string(), in_use: used == Some(version) })
    }

    /// Birth tests decide: a failure quarantines this version and says which promise was broken.
    fn must_be_born(&self, name: &ExecutorName, version: &Version) -> Result<(), Failure> {
        let found = self.resolve(name, Some(&version.to_string()))?;
        let report = self.birth(&found)?;
        match report.failed.first() {
            None => Ok(()),
            Some((promise, why)) => {
                let refusal = Refusal::new(Part::BirthTests, format!("{promise}: {why}"));
                Err(self.put_out_of_use(name, Some(version), &refusal))
            }
        }
    }

    /// Runs birth tests of the named executors, or of all that are in use. A name may be `name@version`, for one that
    /// is installed and not in use. Whatever comes of it, nothing is moved.
    pub fn birth_all(
        &self,
        names: &[String],
        progress: &mut dyn FnMut(&str),
    ) -> Result<Vec<BirthReport>, Failure> {
        let named: Vec<(&str, Option<&str>)> = names
            .iter()
            .map(|name| name.split_once('@').map_or((name.as_str(), None), |(name, v)| (name, Some(v))))
            .collect();
        for (name, _) in &named {
            parse(name)?;
        }
        let rows = self.catalog.list().map_err(failed)?;
        if let Some((unknown, _)) = named.iter().find(|(n, _)| rows.iter().all(|r| r.name != *n)) {
            return Err(Failure::new(ErrorClass::NotFound, format!("no executor called {unknown}")));
        }
        let versions = named.iter().filter_map(|(name, version)| Some((*name, Some((*version)?))));
        let chosen = rows
            .iter()
            .filter(|r| r.state.is_usable() && (names.is_empty() || names.contains(&r.name)))
            .map(|row| (row.name.as_str(), None))
            .chain(versions);
        let mut reports = Vec::new();
        for (name, version) in chosen {
            progress(name);
            let found = self.resolve(&parse(name)?, version)?;
            reports.push(self.birth(&found)?);
        }
        Ok(reports)
    }

    /// The blake3 of the approved host.
    pub fn approved_host(&self) -> Option<String> {
        self.catalog.host().ok().map(|h| h.blake3.trim_start_matches("blake3:").to_owned())
    }

    fn noted(&self, act: &str, name: &ExecutorName, reason: &str) -> Result<(), Failure> {
        self.noted_of(act, name, None, reason)
    }

    fn noted_of(
        &self,
        act: &str,
        name: &ExecutorName,
        version: Option<&Version>,
        reason: &str,
    ) -> Result<(), Failure> {
        let mut detail = json!({ "act": act, "name": name.as_str(), "reason": reason });
        if let Some(version) = version {
            detail["version"] = version.to_string().into();
        }
        self.note(Kind::Lifecycle, detail)?;
        self.moved_executors()
    }

    /// Opens a folder to Metnos.
    pub fn open_root(&self, path: &Path) -> Result<(), Failure> {
        let found = metnos_guard::resolve::resolve(path, &self.home.user_home())
            .map_err(|e| Failure::wrong_args(e.to_string()))?;
        if !found.exists || !found.is_dir {
            return Err(Failure::new(ErrorClass::NotFound, format!("{} is not a folder", path.display())));
        }
        if let metnos_guard::core::Verdict::Core { reason, .. } =
            self.land().core.verdict(&found.path, Act::Write)
        {
            return Err(Failure::new(ErrorClass::Forbidden, format!("{}: {reason}", found.path.display())));
        }
        let added = self.db.add_root(&found.path, "host/cli", jiff::Timestamp::now());
        added.map_err(|e| Failure::internal(e.to_string()))?;
        self.note(Kind::Territory, json!({ "act": "add", "path": found.path }))?;
        self.moved_territory()
    }

    /// Closes a folder again.
    pub fn close_root(&self, path: &Path) -> Result<(), Failure> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        if !self.db.remove_root(&path).map_err(|e| Failure::internal(e.to_string()))? {
            return Err(Failure::new(ErrorClass::NotFound, format!("{} was not opened", path.display()))
                .with_hint("the workspace and the home directory are always open"));
        }
        self.note(Kind::Territory, json!({ "act": "remove", "path": path }))?;
        self.moved_territory()
    }

    /// Looks at the territory anew, here and in every other process of this home.
    fn moved_territory(&self) -> Result<(), Failure> {
        self.news.tell(&self.db, Topic::Territory)?;
        self.reload_territory()
    }
}

fn why(reason: &str) -> Why<'_> {
    Why { reason, by: "host/cli", at: jiff::Timestamp::now() }
}

/// A part of a folder to sign; nothing in it is larger.
fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read;
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take((4 << 20) + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The command that brings an executor back from quarantine.
fn approve_hint(name: &ExecutorName) -> String {
    format!("metnos executors approve {name} --reason \"…\"")
}
