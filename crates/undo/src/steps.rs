//! The intents in the folder of a call, read.

use crate::file::{digest, first_line, whole};
use crate::observe::Planned;
use crate::record::{Closed, Head, Seen, Step};
use crate::{Error, Result};
use metnos_executor::{Op, Permit};
use std::path::{Path, PathBuf};

/// The intents of a call, in order.
pub(crate) fn intents(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut found: Vec<PathBuf> =
        (1u32..).map(|n| dir.join(format!("{n}.jsonl"))).take_while(|p| p.exists()).collect();
    found.shrink_to_fit();
    Ok(found)
}

/// Every operation of a call, and where what it takes away is kept.
pub(crate) fn steps(dir: &Path) -> Result<Vec<Planned>> {
    let mut all = Vec::new();
    for path in intents(dir)? {
        let Some((head, steps)) = whole::<Head, Step>(&path)? else { continue };
        let permit = Permit { number: head.number, keeps: head.keeps };
        for (i, step) in steps.into_iter().enumerate() {
            let on = match &step.op {
                Op::MakeDir { path } | Op::Delete { path } | Op::RemoveDir { path } => path,
                Op::Write { dst, .. }
                | Op::Copy { dst, .. }
                | Op::Move { dst, .. }
                | Op::Link { dst, .. } => dst,
            };
            // Without a place to keep things nothing can have been taken away.
            let kept = permit.kept(&on.0, i).unwrap_or_else(|| dir.join("nowhere"));
            all.push(Planned { step, kept, intent: head.number });
        }
    }
    Ok(all)
}

/// An operation with what it really found when its turn came, and what became of it.
pub(crate) fn together((planned, seen): (Planned, Seen)) -> (Step, Seen, PathBuf) {
    let Planned { mut step, kept, .. } = planned;
    step.foreseen = step.before;
    if seen.found.is_some() {
        step.before = seen.found;
    }
    (step, seen, kept)
}

/// That the intents are those whose outcome was recorded.
pub(crate) fn vouch(dir: &Path, closed: &Closed) -> Result<()> {
    for (n, noted) in (1u32..).zip(&closed.intents) {
        let path = dir.join(format!("{n}.jsonl"));
        if digest(&path)? != *noted {
            return Err(Error::damaged(&path, "it is not the intent whose outcome was recorded"));
        }
    }
    Ok(())
}

/// The folders in which things of a call are kept.
pub(crate) fn kept_in(dir: &Path) -> Result<Vec<PathBuf>> {
    let mut dirs = Vec::new();
    for path in intents(dir)? {
        if let Some(head) = first_line::<Head>(&path)? {
            dirs.extend(head.keeps.into_iter().map(|keep| keep.dir.0));
        }
    }
    dirs.sort();
    dirs.dedup();
    Ok(dirs)
}
