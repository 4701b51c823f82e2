//! Requests that ask for no step: greetings, thanks, a call to stop, a question whether to do something.

use crate::catalog::{Role, Tool};
use crate::lexicon::{Senses, VerbSense};
use crate::parse::{Frame, Item};
use crate::text::Lit;

/// What is said to a request of nothing but such words; one that is not mere politeness comes first.
pub(super) fn spoken(items: &[Item]) -> Option<String> {
    let light = |item: &Item| {
        item.is_symbol() || item.words == 0 || item.sense("say").is_some() || item.sense("polite").is_some()
    };
    if !items.iter().all(light) {
        return None;
    }
    let said = |item: &&Item| item.sense("say").is_some();
    let weighty = items.iter().filter(said).find(|item| item.sense("polite").is_none());
    weighty.or_else(|| items.iter().find(said)).and_then(|item| item.sense("say")).map(str::to_owned)
}

/// "Should I delete them?": who asks whether to do it has not said to.
pub(super) fn wonders(items: &[Item], senses: &Senses) -> Option<String> {
    let wonder = items.iter().position(|item| item.sense("wonder").is_some())?;
    let asked = items.iter().any(|item| matches!(item.lit, Lit::Symbol('?'))) || items[wonder].asks;
    let does = |item: &Item| item.command().is_some_and(|id| !senses.asks(id));
    let deed = items[wonder + 1..].iter().any(does);
    (asked && deed).then(|| items[wonder].sense("wonder").unwrap_or_default().to_owned())
}

/// What is said where more is asked than one executor that stands alone does.
pub(super) fn beyond(frame: &Frame, verb: &VerbSense, tool: &Tool, senses: &Senses) -> Option<String> {
    let object = |id: &str| senses.noun.get(id).is_some_and(|noun| noun.object.is_some());
    let other = frame.nouns.iter().any(|noun| object(&noun.id)) || !frame.kinds.is_empty();
    // "send her my location": what such an executor tells is neither sent nor written down.
    let goes = [Role::To, Role::ToUser, Role::OutPath, Role::DstDir]
        .iter()
        .any(|role| frame.has(*role) && !tool.takes(*role));
    if frame.tool.is_some() {
        let other = other || goes;
        return other.then(|| "one_by_one".to_owned());
    }
    let untaken = frame.slots.keys().any(|role| !tool.takes(*role));
    verb.beyond.clone().filter(|_| other || untaken || frame.order.is_some() || !frame.stats.is_empty())
}
