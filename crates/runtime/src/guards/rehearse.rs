//! A call that is looked at and not made: what it would ask, what it would touch, and why it would be refused.
//! Nothing is written down, and no question is left behind.

use super::Step;
use crate::builtin;
use crate::call::{Silent, Spec};
use crate::digest::request_hash;
use crate::runtime::Runtime;
use metnos_executor::{BytePath, Failure};
use metnos_memory::audit::{Kind, Line};
use metnos_vocab::ExecutorName;
use serde::Serialize;
use std::path::PathBuf;

/// So many things are named; the rest is counted.
const NAMED: usize = 1_000;

/// What a call would do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Rehearsal {
    /// True when it would change something, or let something out of the house.
    pub changes: bool,
    /// The card it would raise; none when it would simply be done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub card: Option<String>,
    /// The things it would work on.
    pub files: Vec<String>,
    /// How many there are.
    pub count: u64,
    /// Where they would go.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination: Option<String>,
}

impl Rehearsal {
    /// The first of these things, and how many there are.
    pub(crate) fn of(mut self, files: Vec<String>) -> Self {
        self.count = files.len() as u64;
        self.files = files;
        self.files.truncate(NAMED);
        self
    }
}

impl Runtime {
    /// Looks at a call as it would be made now. A refusal is the one the call would get.
    pub fn rehearse(&self, spec: Spec) -> Result<Rehearsal, Failure> {
        let lang = spec.lang.clone();
        self.rehearsed(spec).map_err(|failure| self.discreet_failure(failure).in_language(&lang))
    }

    fn rehearsed(&self, mut spec: Spec) -> Result<Rehearsal, Failure> {
        let name = ExecutorName::parse(&spec.executor)
            .map_err(|e| Failure::wrong_args(e.to_string()).with_hint(self.near(&spec.executor)))?;
        self.admitted(&spec.caller)?;
        let land = self.land_of(&spec.caller)?;
        spec.base = land.base(spec.base);
        self.config.check(name.as_str(), &self.home)?;
        self.gate.check()?;
        spec.call_id = None;
        let mut line = Line::new(Kind::Call);
        if let Some(builtin) = builtin::find(&name) {
            return self.rehearse_builtin(builtin, spec, &mut line);
        }
        let found = self.resolve(&name, spec.version.as_deref())?;
        let given = std::mem::take(&mut spec.args);
        let mut input = self.input(&found, given.clone(), spec.entries.take(), spec.with.take())?;
        let fence = self.fence(&found, &mut input, &spec, &land)?;
        let request = request_hash(&found.digest, &input);
        let mut step = Step {
            found: &found,
            caller: &spec.caller,
            session: &spec.session,
            lang: &spec.lang,
            now: &spec.now,
            base: &spec.base,
            input: &input,
            given: &given,
            provenance: &spec.provenance,
            fence: &fence,
            request: &request,
            call_id: None,
            territory: &land.territory,
            workspace: &land.workspace,
            home: &land.home,
            undo: self.config.undo,
            permanent: None,
            runs: Vec::new(),
            birth: false,
            cost: self.half_costs(&found, input.entries.as_ref()),
            lends: Vec::new(),
            door: &mut Silent,
        };
        step.permanent = step.beyond_the_budget();
        self.watch(&mut step)?;
        let doubt = self.weigh(&mut step, &mut line)?;
        let card = doubt.map(|doubt| self.would_show(&step, doubt));
        let mut files: Vec<PathBuf> = step.operands();
        if files.is_empty() {
            files = fence.wire.make_dirs.iter().map(|BytePath(dir)| dir.clone()).collect();
        }
        let changes = found.manifest.contract.side_effects || !found.manifest.sandbox.net.is_empty();
        let destination = step.destination().filter(|_| changes);
        let files = files.iter().map(|path| path.display().to_string()).collect();
        Ok(Rehearsal { changes, card, destination, ..Rehearsal::default() }.of(files))
    }

    /// The card that a doubt would raise.
    pub(crate) fn would_show(&self, step: &dyn super::Subject, doubt: super::Doubt) -> String {
        let lang = self.guards.texts.lang(step.asked().lang);
        let shown = step.card(&doubt.ruling, doubt.reason).shown(0, lang);
        [vec![shown.text], shown.details].concat().join("\n")
    }
}
