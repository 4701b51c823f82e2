//! Clauses that belong together: one says how, where or of what the other speaks.

use crate::catalog::Role;
use crate::lexicon::Senses;
use crate::parse::{Anaphor, Frame};

/// The clauses of a request after each has been given what another one says of it.
pub(super) fn joined(frames: &mut Vec<Frame>, senses: &Senses) {
    carried(frames, senses);
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
        let only = before.order.is_none() && before.verbs.is_empty();
        let thing = before.has(Role::Paths) || before.has(Role::Urls);
        let names = (before.verb.is_none() || before.fetches && only) && thing && before.stats.is_empty();
        let verb = next.verb.as_ref().and_then(|id| senses.verb.get(id));
        let points = next.anaphor == Some(Anaphor::List) && next.object.is_empty() && next.kinds.is_empty();
        // What is named outright is nowhere else: the place that is said is where it goes.
        let goes = before.loose.is_empty()
            && verb.is_some_and(|verb| verb.goals.contains(&Role::DstDir))
            && !next.has(Role::DstDir);
        let sourced = |role: &Role| next.has(*role) && !(goes && *role == Role::Place);
        let acts = verb.is_some_and(|verb| !verb.query) && !sources.iter().any(sourced);
        if !(names && points && acts) {
            at += 1;
            continue;
        }
        let before = frames.remove(at - 1);
        let next = &mut frames[at - 1];
        if let Some(place) = next.slots.remove(&Role::Place).filter(|_| goes) {
            next.slots.insert(Role::DstDir, place);
        }
        for (role, value) in before.slots {
            next.slots.entry(role).or_insert(value);
        }
        (next.object, next.nouns, next.kinds) = (before.object, before.nouns, before.kinds);
        (next.loose, next.excluded, next.anaphor) = (before.loose, before.excluded, None);
        next.leftover.extend(before.leftover);
        next.used.extend(before.used);
    }
}

/// "take the PDFs off X and put them in Y": what is put elsewhere is not thrown away first.
fn carried(frames: &mut Vec<Frame>, senses: &Senses) {
    let verb =
        |frame: &Frame| frame.verb.as_ref().and_then(|id| senses.verb.get(id)).cloned().unwrap_or_default();
    let mut at = 1;
    while at < frames.len() {
        let (before, next) = (&frames[at - 1], &frames[at]);
        let goes =
            verb(next).goals.contains(&Role::DstDir) && next.has(Role::DstDir) && next.slots.len() == 1;
        let points = next.anaphor == Some(Anaphor::List) && next.object.is_empty() && next.kinds.is_empty();
        if verb(before).verb.as_deref() == Some("delete") && goes && points && !next.these {
            let next = frames.remove(at);
            let before = &mut frames[at - 1];
            before.slots.extend(next.slots);
            before.verb = next.verb;
            before.leftover.extend(next.leftover);
            before.used.extend(next.used);
        } else {
            at += 1;
        }
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
        let alone = frames[at].slots.keys().eq([&Role::ToFormat]) && frames[at].nouns.is_empty();
        let again = (frames[at].anaphor.is_some() || alone)
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
        let orders =
            frames[at].order.is_some() || !frames[at].stats.is_empty() || !frames[at].group.is_empty();
        // "put them in X, moving them": the same deed in another word.
        let verb = |frame: &Frame| frame.verb.as_ref().and_then(|id| senses.verb.get(id)).cloned();
        let meaning =
            |frame: &Frame| verb(frame).filter(|v| !v.query).map(|v| (v.verb, v.object, v.goals, v.set));
        let alike = meaning(&frames[at]).is_some() && meaning(&frames[at]) == meaning(&frames[at - 1]);
        let again_said = alike && nothing(&frames[at]) && frames[at].object.is_empty();
        let twice = (same && bare || again_said)
            && frames[at].slots.is_empty()
            && frames[at].kinds.is_empty()
            && !orders;
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
        // "unpack X and put it in Y", "open the archive X and put what is inside into Y".
        let unpacks = frames[at - 1].verb.as_ref().and_then(|id| senses.verb.get(id));
        let archive = |path: &String| senses.ending("archive_format", path).is_some();
        let packed =
            frames[at - 1].list(Role::Paths).iter().all(archive) && frames[at - 1].extract.is_empty();
        let unpacks = unpacks
            .is_some_and(|v| v.verb.as_deref() == Some("extract") && (v.object.is_some() || packed))
            && frames[at - 1].has(Role::Paths)
            && !frames[at - 1].has(Role::DstDir);
        let contents = |frame: &Frame| {
            let inside = |id: &str| senses.noun.get(id).is_some_and(|noun| noun.acting.is_some());
            frame.anaphor.is_some() && frame.nouns.is_empty()
                || !frame.nouns.is_empty() && frame.nouns.iter().all(|noun| inside(&noun.id))
        };
        let puts = verb(&frames[at]).is_some_and(|v| v.goals.contains(&Role::DstDir));
        let goes = frames[at].slots.keys().eq([&Role::DstDir]) && frames[at].excluded.is_empty();
        if repeats(&frames[at - 1], &frames[at], senses) {
            let next = frames.remove(at);
            frames[at - 1].used.extend(next.used);
        } else if again_there(&frames[at - 1], &frames[at], senses) {
            let next = frames.remove(at);
            frames[at - 1].group = next.group;
            frames[at - 1].used.extend(next.used);
        } else if told_what(&frames[at - 1], &frames[at], senses) {
            let next = frames.remove(at);
            let before = &mut frames[at - 1];
            (before.object, before.qualifiers) = (next.object, next.qualifiers);
            before.nouns = next.nouns;
            before.used.extend(next.used);
        } else if unpacks && contents(&frames[at]) && puts && goes {
            let next = frames.remove(at);
            frames[at - 1].slots.extend(next.slots);
            frames[at - 1].leftover.extend(next.leftover);
            frames[at - 1].used.extend(next.used);
        } else if unpacks && contents(&frames[at]) && verb(&frames[at]).is_some_and(|v| v.changes() && !puts)
        {
            // What was inside is thrown somewhere: it is not said to be thrown away.
            frames[at].leftover.push("there".to_owned());
            at += 1;
        } else if adds {
            let next = frames.remove(at);
            frames[at - 1].slots.extend(next.slots);
            frames[at - 1].leftover.extend(next.leftover);
            frames[at - 1].used.extend(next.used);
        } else if opening || shown_again(&frames[at], &frames[at - 1], senses) {
            let before = frames.remove(at - 1);
            frames[at - 1].used.extend(before.used);
        } else if twice
            || shown_again(&frames[at - 1], &frames[at], senses)
            || shows_output(&frames[at - 1], &frames[at], senses)
        {
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

/// "have any tasks failed? show me their history": the second only asks to be shown what the first one asks.
fn shown_again(before: &Frame, next: &Frame, senses: &Senses) -> bool {
    let looks = |frame: &Frame| frame.verb.as_ref().is_none_or(|id| senses.asks(id));
    let plain = next.slots.is_empty()
        && next.kinds.is_empty()
        && next.stats.is_empty()
        && next.group.is_empty()
        && next.order.is_none()
        && next.leftover.is_empty();
    let same = !next.object.is_empty()
        && next.object == before.object
        && next.qualifiers.first() == before.qualifiers.first()
        && !next.qualifiers.is_empty();
    let alike = !next.object.is_empty() && next.object == before.object && before.slots.is_empty();
    let whole = before.kinds.is_empty() && before.stats.is_empty() && before.group.is_empty();
    looks(before) && looks(next) && plain && whole && (same || alike && next.qualifiers == before.qualifiers)
}

/// "run `x` and show me what it says": what a command says is shown anyway.
fn shows_output(before: &Frame, next: &Frame, senses: &Senses) -> bool {
    let runs =
        before.verb.as_ref().and_then(|id| senses.verb.get(id)).is_some_and(|verb| verb.tool.is_some());
    let looks = next.verb.as_ref().is_some_and(|id| senses.asks(id));
    let bare =
        next.slots.is_empty() && next.kinds.is_empty() && next.nouns.is_empty() && next.stats.is_empty();
    runs && before.has(Role::Command) && looks && bare && next.leftover.is_empty()
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
        let written = frames[at].has(Role::OutPath);
        if !frames[at].there || frames[at].has(Role::Place) || goal || written {
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

/// Whether a frame only looks.
fn looks(frame: &Frame, senses: &Senses) -> bool {
    frame.verb.as_ref().and_then(|id| senses.verb.get(id)).is_none_or(|verb| verb.query)
        && frame.tool.is_none()
}

/// Whether a clause has nothing of its own but a noun, a pronoun and what it computes.
fn says_little(frame: &Frame) -> bool {
    frame.slots.is_empty()
        && frame.kinds.is_empty()
        && frame.excluded.is_empty()
        && frame.group.is_empty()
        && frame.order.is_none()
        && frame.first.is_none()
        && frame.sets.is_none()
        && frame.extract.is_empty()
        && frame.content.is_none()
        && frame.column.is_none()
        && frame.begins.is_none()
        && frame.leftover.is_empty()
        && frame.loose.is_empty()
}

/// "…? tell me which files", "how many …? just the number": asked again, and nothing more.
fn repeats(before: &Frame, next: &Frame, senses: &Senses) -> bool {
    let plain = |id: &str| {
        senses.noun.get(id).is_some_and(|noun| {
            noun.set.is_empty() && noun.qualifier.is_none() && noun.verb.is_none() && noun.tool.is_none()
        })
    };
    let same = next.object.is_empty() || next.object == before.object || before.object.is_empty();
    let named = next.verb.is_some() && next.nouns.iter().all(|noun| plain(&noun.id)) && next.stats.is_empty();
    let counted = next.stats == ["count"] && before.stats == ["count"] && next.nouns.is_empty();
    looks(before, senses)
        && looks(next, senses)
        && says_little(next)
        && same
        && (named && !matches!(next.anaphor, Some(Anaphor::Index(_))) || counted)
}

/// "what fills X? split the space by type": the same thing of the same place, computed in another way.
fn again_there(before: &Frame, next: &Frame, senses: &Senses) -> bool {
    let ids = |frame: &Frame| frame.nouns.iter().map(|noun| noun.id.clone()).collect::<Vec<_>>();
    let computed =
        |noun: &String| senses.noun.get(noun).is_some_and(|n| n.verb.is_some() && n.qualifier.is_some());
    let same = ids(next).iter().any(|id| computed(id) && ids(before).contains(id));
    let placed = before.has(Role::Place) && before.also.is_empty() && before.stats.is_empty();
    let rest = Frame { group: Vec::new(), ..next.clone() };
    looks(before, senses)
        && looks(next, senses)
        && same
        && placed
        && before.group.is_empty()
        && says_little(&rest)
}

/// "where does 'x' show up in y.log? give me those lines": what is looked for, said after.
fn told_what(before: &Frame, next: &Frame, senses: &Senses) -> bool {
    let part = |id: &str| senses.noun.get(id).is_some_and(|noun| noun.part);
    let mut rest = next.clone();
    rest.slots.retain(|role, _| *role != Role::TextOp);
    let searched =
        before.has(Role::Contains) && before.has(Role::Paths) && before.nouns.iter().all(|n| part(&n.id));
    looks(before, senses)
        && looks(next, senses)
        && searched
        && next.these
        && next.stats.is_empty()
        && !next.nouns.is_empty()
        && next.nouns.iter().all(|noun| part(&noun.id))
        && says_little(&rest)
}

/// "clean X up: delete the archives": one clause says where, the next what of it.
fn cleans(place: &Frame, what: &Frame, senses: &Senses) -> bool {
    let verb = |frame: &Frame| frame.verb.as_ref().and_then(|id| senses.verb.get(id));
    let inside = verb(place).is_some_and(|verb| verb.inside || verb.contents) && place.has(Role::Place);
    let bare = place.slots.len() == 1 && place.kinds.is_empty() && place.excluded.is_empty();
    let acts = verb(what).zip(verb(place)).is_some_and(|(verb, other)| verb.verb == other.verb);
    inside && bare && acts && !what.has(Role::Paths) && what.anaphor.is_none()
}
