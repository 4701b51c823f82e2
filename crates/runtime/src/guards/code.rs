//! What a step may change only after a question of its own, and what it may not change at all from where it was asked:
//! files that run code by themselves, and the file that says how much a channel may.

use crate::guards::{Level, Step};
use crate::runtime::Runtime;
use metnos_executor::lab::{self, Layer};
use metnos_executor::profile::Scope;
use metnos_executor::wire::Reach;
use metnos_executor::{BytePath, ErrorClass, Failure};
use metnos_guard::runs::Runs;
use serde_json::Value;
use std::cell::RefCell;
use std::path::{Path, PathBuf};

/// No more than this many are named on a card.
const NAMED_MAX: usize = 3;

/// What a call announces is held against this, operation by operation.
pub(crate) struct Watch<'r> {
    runs: &'r Runs,
    /// The file that caps the channel, when it does.
    agents: Option<PathBuf>,
    /// Where links at places of the list lead.
    linked: Vec<PathBuf>,
    /// What a person said yes to.
    asked: Vec<PathBuf>,
    /// The path that was looked at last: of a move, where it comes from.
    before: RefCell<Option<PathBuf>>,
    lang: String,
    caller: String,
    refusal: RefCell<Option<Failure>>,
}

impl Step<'_, '_> {
    /// The paths it says it will change: what it takes, and where it puts it.
    fn changed(&self) -> Vec<(PathBuf, Option<PathBuf>)> {
        if !self.found.manifest.contract.side_effects {
            return Vec::new();
        }
        let arg = |name: &str| {
            let value: &Value = self.input.args.get(name)?;
            serde_json::from_value::<BytePath>(value.clone()).ok().map(|path| path.0)
        };
        let operands = self.operands();
        let mut all: Vec<(PathBuf, Option<PathBuf>)> = Vec::new();
        for name in ["path", "dst", "dst_path", "dst_dir"] {
            all.extend(arg(name).map(|path| (path, None)));
        }
        if let Some(dir) = arg("dst_dir") {
            let into = |path: &PathBuf| Some((dir.join(path.file_name()?), Some(path.clone())));
            all.extend(operands.iter().filter_map(into));
        }
        // What it only reads stays as it is.
        let takes = |scope: &Scope| matches!(scope, Scope::Arg(name) | Scope::Entries(name) if name.starts_with("path"));
        if self.found.manifest.sandbox.write.iter().any(takes) {
            all.extend(operands.into_iter().map(|path| (path, None)));
        }
        // One opened for writing as it is, whatever the argument is called.
        let files = self.fence.wire.write.iter().filter(|grant| grant.reach == Reach::File);
        all.extend(files.map(|grant| (grant.path.0.clone(), None)));
        all
    }

    /// What of that runs code by itself.
    fn runs_among(&self, runs: &Runs, linked: &[PathBuf]) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for (path, from) in self.changed() {
            if let Some(path) = runs.touched(&path, from.as_deref(), linked)
                && !found.contains(&path)
            {
                found.push(path);
            }
        }
        found
    }
}

impl Runtime {
    /// Refuses what no question can allow, and finds what needs one of its own.
    pub(crate) fn watch(&self, step: &mut Step<'_, '_>) -> Result<Watch<'_>, Failure> {
        let of_birth = step.caller == crate::birth::CALLER;
        let agents = (self.channel_cap(step.caller) < Level::Full).then(|| real(&self.agents_file()));
        let mut watch = Watch {
            runs: &self.guards.runs,
            agents,
            linked: self.guards.runs.linked(),
            asked: Vec::new(),
            before: RefCell::default(),
            lang: step.lang.to_owned(),
            caller: step.caller.to_owned(),
            refusal: RefCell::default(),
        };
        for (path, _) in step.changed() {
            if watch.caps(&path) {
                return Err(self.capped(step.lang, &path));
            }
        }
        if !of_birth {
            watch.asked = step.runs_among(watch.runs, &watch.linked);
            step.runs = watch.asked.iter().take(NAMED_MAX).cloned().collect();
        }
        Ok(watch)
    }

    /// Whether an act of `caller` on `path` would change what caps their channel.
    pub(crate) fn caps_its_channel(&self, caller: &str, path: &Path) -> bool {
        self.channel_cap(caller) < Level::Full && is_or_holds(&real(path), &real(&self.agents_file()))
    }

    pub(crate) fn capped(&self, lang: &str, path: &Path) -> Failure {
        let text = self.say(lang, "agents_capped", &[("path", &path.display().to_string())]);
        Failure::new(ErrorClass::PolicyViolation, text).with_hint("change it on the machine itself")
    }
}

impl Watch<'_> {
    fn caps(&self, path: &Path) -> bool {
        self.agents.as_ref().is_some_and(|agents| is_or_holds(&real(path), agents))
    }

    /// Whether a call may announce a change of `path`.
    pub(crate) fn allows(&self, runtime: &Runtime, path: &Path) -> bool {
        if self.caller == crate::birth::CALLER {
            return true;
        }
        let from = self.before.replace(Some(path.to_owned()));
        if self.caps(path) {
            *self.refusal.borrow_mut() = Some(runtime.capped(&self.lang, path));
            return false;
        }
        let asked = |found: &PathBuf| self.asked.iter().any(|one| found.starts_with(one));
        match self.runs.touched(path, from.as_deref(), &self.linked).filter(|found| !asked(found)) {
            None => true,
            Some(found) => {
                let found = found.display().to_string();
                let text = runtime.say(&self.lang, "runs_code_unasked", &[("path", &found)]);
                let failure = Failure::new(ErrorClass::PolicyViolation, text);
                *self.refusal.borrow_mut() = Some(failure.with_hint("ask for that file by its name"));
                false
            }
        }
    }

    /// Why it said no.
    pub(crate) fn refusal(&self) -> Option<Failure> {
        self.refusal.borrow_mut().take()
    }
}

fn is_or_holds(path: &Path, file: &Path) -> bool {
    file.starts_with(path) && !lab::without(Layer::ChannelCap)
}

/// A path with its folder resolved, and itself if it is there.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| {
        let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
        parent.zip(path.file_name()).map_or_else(|| path.to_owned(), |(parent, name)| parent.join(name))
    })
}
