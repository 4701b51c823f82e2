//! Clauses that belong together: one says how, where or of what the other speaks.

use crate::catalog::Role;
use crate::lexicon::Senses;
use crate::parse::{Anaphor, Frame};

/// The clauses of a request after each has been given what another one says of it.
pub(super) fn joined(frames: &mut Vec<Frame>, senses: &Senses) {
    name(frames, senses);
    told_again(frames, senses);
    over(frames, senses);
    limit(frames, senses);
    merge(frames, senses);
    places(frames, senses);
    kept(frames, senses);
}

/// "list.xlsx, which is in X, copy it to Y": a clause that only names files, before one that points to them.
fn name(frames: &mut Vec<Frame>, senses: &Senses) {
    let sources = [Role::Paths, Role::Place, Role::Patterns, Role::Urls];
    let mut at = 1;
    while at < frames.len() {
        let (before, next) = (&frames[at - 1], &frames[at]);
        let thing = before.has(Role::Paths) || before.has(Role::Urls);
        let names = before.verb.is_none() && thing && before.stats.is_empty();
        let verb = next.verb.as_ref().and_then(|id| senses.verb.get(id));
        let points = next.anaphor == Some(Anaphor::List) && next.object.is_empty() && next.kinds.is_empty();
        let acts = verb.is_some_and(|verb| !verb.query) && !sources.iter().any(|role| next.has(*role));
        if !(names && points && acts) {
            at += 1;
            continue;
        }
        let before = frames.remove(at - 1);
        let next = &mut frames[at - 1];
        for (role, value) in before.slots {
            next.slots.entry(role).or_insert(value);
        }
        (next.object, next.nouns, next.kinds) = (before.object, before.nouns, before.kinds);
        (next.loose, next.excluded, next.anaphor) = (before.loose, before.excluded, None);
        next.leftover.extend(before.leftover);
        next.used.extend(before.used);
    }
}

/// "open https://x and show me the text", "who is called X? check the contacts": the second only says again what is
/// to be seen of the first.
fn told_again(frames: &mut Vec<Frame>, senses: &Senses) {
    let mut at = 1;
    while at < frames.len() {
        let (before, next) = (&frames[at - 1], &frames[at]);
        let asks = |frame: &Frame| frame.verb.as_ref().is_none_or(|id| senses.asks(id));
        let reads = before.verb.as_ref().and_then(|id| senses.verb.get(id));
        let reads = reads.is_some_and(|verb| verb.verb.as_deref() == Some("read"));
        let noun = |frame: &Frame| {
            frame.nouns.iter().filter_map(|noun| senses.noun.get(&noun.id)).collect::<Vec<_>>()
        };
        let text = noun(next).iter().all(|noun| match noun.object.as_deref() {
            Some("texts") => noun.set.is_empty(),
            Some("dirs") => noun.verb.is_some(),
            _ => false,
        });
        let named = before.has(Role::Urls) || before.has(Role::Paths);
        let seen = named && (asks(before) || reads) && text && !next.nouns.is_empty();
        let record = matches!(next.object.as_str(), "contacts" | "events" | "credentials");
        let same = record && next.object == before.object && asks(before) && !before.slots.is_empty();
        let bare = next.slots.is_empty()
            && next.kinds.is_empty()
            && next.stats.is_empty()
            && next.order.is_none()
            && next.group.is_empty()
            && next.excluded.is_empty()
            && next.extract.is_empty()
            && next.leftover.is_empty();
        if asks(next) && bare && (seen || same) {
            let next = frames.remove(at);
            frames[at - 1].used.extend(next.used);
        } else {
            at += 1;
        }
    }
}

/// "go through the photos in X and index them": what works over a folder is given the folder of what was looked at.
fn over(frames: &mut Vec<Frame>, senses: &Senses) {
    let mut at = 1;
    while at < frames.len() {
        let (before, next) = (&frames[at - 1], &frames[at]);
        let verb = next.verb.as_ref().and_then(|id| senses.verb.get(id));
        let over = verb.is_some_and(|verb| verb.over) && next.anaphor == Some(Anaphor::List);
        let asks = before.verb.as_ref().is_none_or(|id| senses.asks(id));
        let whole = before.slots.keys().all(|role| matches!(role, Role::Place | Role::Recursive))
            && before.has(Role::Place)
            && before.also.is_empty()
            && before.kinds.iter().all(|kind| kind == "image")
            && before.stats.is_empty()
            && before.order.is_none()
            && before.excluded.is_empty();
        if !(over && asks && whole && !next.has(Role::Place)) {
            at += 1;
            continue;
        }
        let before = frames.remove(at - 1);
        let next = &mut frames[at - 1];
        for (role, value) in before.slots {
            next.slots.entry(role).or_insert(value);
        }
        next.anaphor = None;
        (next.nouns, next.kinds) = (before.nouns, before.kinds);
        next.leftover.extend(before.leftover);
        next.used.extend(before.used);
    }
}

/// "sort them by size and give me the first five": how many of the order that was said.
fn limit(frames: &mut Vec<Frame>, senses: &Senses) {
    for at in (0..frames.len()).rev() {
        let Some(n) = frames[at].first else { continue };
        let next = &frames[at];
        let asks = next.verb.as_ref().is_none_or(|id| senses.asks(id));
        let bare = asks && next.slots.is_empty() && next.kinds.is_empty() && next.stats.is_empty();
        let order = at.checked_sub(1).and_then(|before| frames[before].order.as_mut());
        match order.filter(|order| bare && order.limit.is_none()) {
            Some(order) => {
                order.limit = Some(n);
                let next = frames.remove(at);
                frames[at - 1].leftover.extend(next.leftover);
                frames[at - 1].used.extend(next.used);
            }
            // Of what order they are the first was not said.
            None => frames[at].leftover.push(n.to_string()),
        }
    }
}

/// A clause that only says how the one before is to end belongs to it: "… and save them as jpg in x".
fn merge(frames: &mut Vec<Frame>, senses: &Senses) {
    let mut at = 1;
    while at < frames.len() {
        let converts = frames[at - 1]
            .verb
            .as_ref()
            .and_then(|id| senses.verb.get(id))
            .is_some_and(|v| v.qualifier.as_deref() == Some("format"));
        let saves = frames[at]
            .verb
            .as_ref()
            .and_then(|id| senses.verb.get(id))
            .is_some_and(|v| v.goals.contains(&Role::DstDir) && v.in_goal)
            && frames[at].anaphor.is_some();
        let again = frames[at].anaphor.is_some()
            && frames[at].object.is_empty()
            && frames[at]
                .verb
                .as_ref()
                .and_then(|id| senses.verb.get(id))
                .is_some_and(|v| v.qualifier.as_deref() == Some("format"));
        // "write an email to …, and send it": that is one message.
        let sends = |frame: &Frame| {
            let verb = frame.verb.as_ref().and_then(|id| senses.verb.get(id));
            verb.is_some_and(|verb| verb.verb.as_deref() == Some("send"))
        };
        let nothing = |frame: &Frame| frame.anaphor.is_some() && frame.leftover.is_empty();
        let same = frames[at].verb.is_some() && frames[at].verb == frames[at - 1].verb;
        // "open them and read them": said twice, done once.
        let bare = nothing(&frames[at])
            || frames[at].nouns.is_empty() && frames[at].leftover.is_empty() && !frames[at].there;
        let twice = same && bare && frames[at].slots.is_empty();
        // "clean X out: delete every file there but …": the second says what the first one means.
        // "in short, what does … say": the verb alone, before the clause that says of what.
        let opening = same && empty(&frames[at - 1]) && !frames[at - 1].there;
        let told = (same && frames[at].there || cleans(&frames[at - 1], &frames[at], senses))
            && !frames[at].has(Role::Place);
        let packs = frames[at - 1].verb.as_ref().and_then(|id| senses.verb.get(id));
        let packs =
            packs.is_some_and(|verb| verb.goals.contains(&Role::Dst)) && !frames[at - 1].has(Role::Dst);
        let named = frames[at].text(Role::OutPath).or(frames[at].text(Role::Dst)).map(str::to_owned);
        // "… and give me three lines of context": one more value of what is already looked for.
        let adds = frames[at].has(Role::Context)
            && frames[at].slots.len() == 1
            && !frames[at - 1].has(Role::Context);
        if adds {
            let next = frames.remove(at);
            frames[at - 1].slots.extend(next.slots);
            frames[at - 1].leftover.extend(next.leftover);
            frames[at - 1].used.extend(next.used);
        } else if opening {
            let before = frames.remove(at - 1);
            frames[at - 1].used.extend(before.used);
        } else if twice {
            let next = frames.remove(at);
            frames[at - 1].used.extend(next.used);
        } else if let (true, true, Some(path)) = (packs, nothing(&frames[at]), named) {
            // "make a zip of X and save it as Y".
            let next = frames.remove(at);
            frames[at - 1].set(Role::Dst, path);
            frames[at - 1].used.extend(next.used);
        } else if told {
            let before = frames.remove(at - 1);
            let place = before.slots.get(&Role::Place).cloned();
            let place = place.or_else(|| before.list(Role::Paths).first().map(|path| path.clone().into()));
            if let Some(place) = place {
                frames[at - 1].slots.insert(Role::Place, place);
            }
            frames[at - 1].there = false;
            frames[at - 1].leftover.extend(before.leftover);
            frames[at - 1].used.extend(before.used);
        } else if sends(&frames[at - 1])
            && sends(&frames[at])
            && nothing(&frames[at])
            && !frames[at].has(Role::To)
        {
            let next = frames.remove(at);
            frames[at - 1].used.extend(next.used);
        } else if converts && (saves || again) {
            let next = frames.remove(at);
            let before = &mut frames[at - 1];
            for (role, value) in next.slots {
                let role = if role == Role::RenderFormat { Role::ToFormat } else { role };
                before.slots.entry(role).or_insert(value);
            }
            if !before.has(Role::ToFormat)
                && let Some(ext) =
                    before.list(Role::Patterns).first().and_then(|p| p.strip_prefix("*.")).map(str::to_owned)
            {
                before.slots.remove(&Role::Patterns);
                before.set(Role::ToFormat, ext);
            }
            before.leftover.extend(next.leftover);
            before.used.extend(next.used);
        } else {
            at += 1;
        }
    }
}

/// Whether a clause says nothing but its verb.
fn empty(frame: &Frame) -> bool {
    frame.slots.is_empty()
        && frame.nouns.is_empty()
        && frame.kinds.is_empty()
        && frame.excluded.is_empty()
        && frame.stats.is_empty()
        && frame.order.is_none()
        && frame.anaphor.is_none()
        && frame.leftover.is_empty()
}

/// "find … in X and delete every file there": the place of the clause before.
fn places(frames: &mut [Frame], senses: &Senses) {
    for at in 0..frames.len() {
        let verb = frames[at].verb.as_ref().and_then(|id| senses.verb.get(id));
        let goal =
            verb.is_some_and(|verb| verb.goals.contains(&Role::DstDir)) && !frames[at].has(Role::DstDir);
        if !frames[at].there || frames[at].has(Role::Place) || goal {
            continue;
        }
        let place = at.checked_sub(1).and_then(|before| frames[before].slots.get(&Role::Place).cloned());
        match place {
            Some(place) => {
                frames[at].slots.insert(Role::Place, place);
            }
            // Nothing is done "there" while nobody knows where that is.
            None if frames[at].anaphor.is_none() => frames[at].leftover.push("there".to_owned()),
            None => {}
        }
    }
}

/// "I only want to keep X, delete the photos": what is said to be wanted would leave something out of what is changed,
/// and is not read so; nothing is done then. Who points back has taken it up.
fn kept(frames: &mut [Frame], senses: &Senses) {
    let acts = |frame: &Frame| {
        let verb = frame.verb.as_ref().and_then(|id| senses.verb.get(id));
        verb.is_some_and(|verb| verb.changes() && !verb.makes)
    };
    let first = frames.iter().position(acts);
    let whole = frames.iter().rposition(|frame| acts(frame) && frame.anaphor.is_none());
    for (at, frame) in frames.iter_mut().enumerate() {
        if first.is_some_and(|first| first < at) || whole.is_some_and(|whole| whole > at) {
            frame.leftover.extend(frame.stays.take());
        }
    }
}

/// "clean X up: delete the archives": one clause says where, the next what of it.
fn cleans(place: &Frame, what: &Frame, senses: &Senses) -> bool {
    let verb = |frame: &Frame| frame.verb.as_ref().and_then(|id| senses.verb.get(id));
    let inside = verb(place).is_some_and(|verb| verb.inside || verb.contents) && place.has(Role::Place);
    let bare = place.slots.len() == 1 && place.kinds.is_empty() && place.excluded.is_empty();
    let acts = verb(what).zip(verb(place)).is_some_and(|(verb, other)| verb.verb == other.verb);
    inside && bare && acts && !what.has(Role::Paths) && what.anaphor.is_none()
}
