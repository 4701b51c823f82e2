//! What the guards must know of a step, whatever performs it: a cell or the daemon itself.

use crate::call::{Door, Provenance};
use crate::guards::records::Known;
use crate::runtime::Runtime;
use metnos_executor::Failure;
use metnos_guard::card::{Card, Lang};
use metnos_guard::command::Pattern;
use metnos_guard::policy::{Level, Registry, Ruling};
use metnos_guard::vaglio::{Arg, Facts};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};

/// What was asked for, by whom.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) executor: &'a str,
    /// The digest of the executor: an answer is for these very bytes.
    pub(crate) digest: &'a str,
    pub(crate) caller: &'a str,
    pub(crate) session: &'a str,
    pub(crate) lang: &'a str,
    pub(crate) base: &'a Path,
    /// The arguments before paths were resolved.
    pub(crate) given: &'a Map<String, Value>,
    /// Which of them are not simply the person's own words.
    pub(crate) provenance: &'a Provenance,
    /// The hash of the whole request.
    pub(crate) request: &'a str,
    /// The id the caller gave, if any.
    pub(crate) call_id: Option<&'a str>,
}

impl Asked<'_> {
    /// The arguments as the judge sees them.
    pub(crate) fn args(&self) -> Vec<Arg> {
        let arg = |(name, value): (&String, &Value)| Arg {
            name: name.clone(),
            value: value.as_str().map_or_else(|| value.to_string(), str::to_owned),
            origin: self.provenance.origin(name),
            traceable: self.provenance.traceable(name),
        };
        self.given.iter().map(arg).collect()
    }
}

/// Capabilities that touch nothing of the machine or of the host.
pub(crate) fn is_own(capability: &str) -> bool {
    const OWN: [&str; 9] = [
        "compute:pure",
        "parse:local",
        "time:read",
        "llm:local",
        "dialog:user",
        "channel:in",
        "network:http",
        "metnos:read",
        "system:undo",
    ];
    OWN.contains(&capability)
}

/// One step on its way through the guards.
pub(crate) trait Subject {
    /// What was asked for, by whom.
    fn asked(&self) -> Asked<'_>;
    /// True when it changes something or lets something out of the house.
    fn effectful(&self) -> bool;
    /// True when all it needs is the caller's own: their folder, the open web, nothing of the machine or of
    /// the host.
    fn own(&self) -> bool;
    /// False for what the policy alone decides about.
    fn judged(&self) -> bool {
        true
    }
    /// Why nothing of it could be kept for undo, which asks at every level.
    fn permanent(&self, _lang: &Lang) -> Option<String> {
        None
    }
    /// Whether it changes what runs code by itself, which asks at every level.
    fn runs_code(&self) -> bool {
        false
    }
    /// What it may cost, in millionths, where models that cost something are asked.
    fn cost(&self) -> Option<u64> {
        None
    }
    /// What the policy says about everything it needs.
    fn policy(&self, registry: &Registry, level: Level, known: &Known, now: jiff::Timestamp) -> Ruling;
    /// What the judge may look at.
    fn facts(&self, used_before: u64, approved_days_ago: Option<u32>) -> Result<Facts, Failure>;
    /// What a person reads before saying yes.
    fn card(&self, ruling: &Ruling, reason: String) -> Card;
    /// The capability and target that a lasting yes would cover.
    fn grantable(&self, ruling: &Ruling) -> Option<(String, String)>;
    /// The kind of command that "never this" is about; else it is about the executor.
    fn never(&self) -> Option<Pattern> {
        None
    }
    /// The first of the things it would work on, when none of them is there.
    fn missing(&self) -> Option<PathBuf> {
        None
    }
    /// The credentials it names.
    fn credentials(&self) -> &[String] {
        &[]
    }
    /// Is told which of them a yes would lend: the card says so.
    fn borrows(&mut self, _credentials: Vec<String>) {}
    /// Looks whether it has what it needs before a person is asked about it.
    fn ready(&mut self, _runtime: &Runtime) -> Result<(), Failure> {
        Ok(())
    }
    /// Of a birth test, whether it stays in the folder of its case.
    fn born(&self) -> Option<bool> {
        None
    }
    /// Why it is certain to come to nothing.
    fn hopeless(&self, _lang: &Lang) -> Option<Failure> {
        None
    }
    /// The input list as text, unless it is longer than `most`, and whether any was.
    fn lists(&self, most: u64) -> Result<(Option<String>, bool), Failure>;
    /// True once whoever asked wants no more of it.
    fn cancelled(&self) -> bool;
    /// Who can be asked.
    fn door(&mut self) -> &mut dyn Door;
}
