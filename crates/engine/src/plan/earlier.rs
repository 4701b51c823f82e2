//! What an earlier clause or turn spoke of: who changes such records next means those, not all there are.

use super::compose::{Build, List, Stop, UNCLEAR};
use crate::catalog::{Role, Tool};
use crate::parse::Frame;
use metnos_vocab::Class;
use std::collections::BTreeSet;

/// Values that say which records are meant.
const CHOOSING: [Role; 19] = [
    Role::Place,
    Role::Paths,
    Role::Patterns,
    Role::SizeMin,
    Role::SizeMax,
    Role::After,
    Role::Before,
    Role::Contains,
    Role::Empty,
    Role::Hidden,
    Role::Unread,
    Role::HasAttachment,
    Role::From,
    Role::SubjectContains,
    Role::Query,
    Role::Folder,
    Role::Name,
    Role::Urls,
    Role::Dimension,
];

/// A clause that was planned before this one.
#[derive(Clone, Debug)]
pub(super) struct Earlier {
    pub(super) frame: Frame,
    /// What it was about.
    pub(super) object: String,
    /// Whether it only looked.
    pub(super) looked: bool,
    /// The list it ended with.
    pub(super) list: Option<List>,
}

/// Where the records of a clause come from after what went before.
pub(super) enum Source {
    /// The list that was shown.
    List(List),
    /// A search, for this clause with what was said before.
    Search(Box<Frame>),
}

impl Build<'_> {
    /// Remembers a clause that was planned.
    pub(super) fn remember(&mut self, frame: &Frame, object: &str) {
        let sense = self.sense(frame);
        let looked = sense.query || !sense.changes();
        if sense.makes {
            return;
        }
        let (frame, object, list) = (frame.clone(), object.to_owned(), self.list.clone());
        self.earlier.push(Earlier { frame, object, looked, list });
    }

    /// Remembers the clauses of the last request of the conversation.
    pub(super) fn went_before(&mut self, frames: &[Frame]) {
        let list = self.turn.clone();
        let last = list.as_ref().map(|list| list.object.clone()).unwrap_or_default();
        for frame in frames {
            let sense = self.sense(frame);
            let looked = sense.query || !sense.changes();
            let object = if frame.object.is_empty() { last.clone() } else { frame.object.clone() };
            if !sense.makes {
                self.turns.push(Earlier { frame: frame.clone(), object, looked, list: list.clone() });
            }
        }
    }

    /// "show the mails from Luca and delete those of a year ago": the records a clause changes are among those that were
    /// spoken of before, unless it says anew all that was said of them. Where that does not go together nothing is done.
    pub(super) fn among(
        &self,
        frame: &Frame,
        rest: &Frame,
        tool: &Tool,
        object: &str,
    ) -> Result<Source, Stop> {
        let fresh = || Ok(Source::Search(Box::new(rest.clone())));
        let unclear = || Err(Stop::Gap(UNCLEAR.to_owned()));
        let written = frame.has(Role::OutPath);
        let exact = [Role::Paths, Role::Urls, Role::Ids].iter().any(|role| rest.has(*role));
        let placed = rest.has(Role::Place) && sort(object) == "files";
        if tool.class != Class::Changer || written || exact || placed || rest.there || rest.sets.is_some() {
            return fresh();
        }
        // "the empty ones" of what was shown: what is not named is narrowed where it is looked for.
        if rest.object.is_empty() && rest.nouns.is_empty() && self.last().is_some() {
            return if self.speaks_of_others(rest, object) { unclear() } else { fresh() };
        }
        let Some((before, looked)) = self.spoken_of(object) else { return fresh() };
        let said = choosing(&before.frame);
        // "find the duplicates and delete the photos": what only a search of another kind tells apart.
        let alike = before.frame.qualifiers.iter().all(|qualifier| rest.qualifiers.contains(qualifier));
        let bound = !plain(&before.frame) || !alike;
        let named = said.contains(&Role::Paths) || said.contains(&Role::Urls);
        let now = choosing(rest);
        let kinds = |one: &Frame, other: &Frame| one.kinds.iter().all(|kind| other.kinds.contains(kind));
        if now.is_empty()
            && plain(rest)
            && kinds(rest, &before.frame)
            && before.object == object
            && !(object == "dirs" && self.is_listing())
        {
            let one = single(&before.frame);
            return match &before.list {
                Some(_) if self.names_part(frame, &before.frame, tool) => unclear(),
                Some(list) if list.object == object && (!rest.singular || one && looked && !named) => {
                    Ok(Source::List(list.clone()))
                }
                _ if rest.singular && sort(object) == "files" => fresh(),
                _ => unclear(),
            };
        }
        let told = said.is_subset(&now) && (before.frame.kinds.is_empty() || !rest.kinds.is_empty());
        if told && !bound {
            return fresh();
        }
        let other = !rest.kinds.is_empty() && !before.frame.kinds.is_empty() && !kinds(rest, &before.frame);
        if !looked || bound || named || other || !said.is_disjoint(&now) {
            return unclear();
        }
        let mut both = rest.clone();
        for role in said {
            both.slots.extend(before.frame.slots.get(&role).map(|value| (role, value.clone())));
        }
        if both.kinds.is_empty() {
            both.kinds.clone_from(&before.frame.kinds);
        }
        Ok(Source::Search(Box::new(both)))
    }

    /// The last clause of this request, else of the last one, that chose among records of this sort; and whether they
    /// were only looked at since.
    fn spoken_of(&self, object: &str) -> Option<(&Earlier, bool)> {
        let chose = |earlier: &&Earlier| {
            sort(&earlier.object) == sort(object)
                && (!choosing(&earlier.frame).is_empty()
                    || !earlier.frame.kinds.is_empty()
                    || !plain(&earlier.frame))
        };
        let last = |all: &'_ [Earlier]| {
            let at = all.iter().rposition(|earlier| chose(&earlier))?;
            Some((
                at,
                all[at..].iter().all(|earlier| earlier.looked || sort(&earlier.object) != sort(object)),
            ))
        };
        if let Some((at, looked)) = last(&self.earlier) {
            return Some((&self.earlier[at], looked));
        }
        self.leans.set(true);
        last(&self.turns).map(|(at, looked)| (&self.turns[at], looked))
    }

    /// "archive the mails from Anna and delete those from Luca": those are no longer some of the list, as the same is said
    /// of both; nor are rows that were counted for each group.
    pub(super) fn speaks_of_others(&self, frame: &Frame, object: &str) -> bool {
        let back = self.turns.last().filter(|_| self.earlier.is_empty());
        let grouped = back.is_some_and(|turn| !turn.frame.group.is_empty());
        let before = self.spoken_of(object).map(|(before, _)| choosing(&before.frame));
        // A name may hold one thing and end with another.
        let mut now = choosing(frame);
        now.remove(&Role::Patterns);
        grouped || before.is_some_and(|said| !said.is_disjoint(&now))
    }

    /// "delete it", after several were shown: one of them, and nothing says which.
    pub(super) fn one_of_shown(&self, frame: &Frame, list: &List) -> bool {
        let one = frame.one || frame.these && frame.singular;
        let several = |earlier: &Earlier| {
            earlier.looked && !single(&earlier.frame) && earlier.frame.list(Role::Paths).len() != 1
        };
        one && list.step.is_none() && list.index.is_none() && self.turns.last().is_some_and(several)
    }

    /// "find the contact Anna and delete the number": of the record that was named a part, where no value is given.
    fn names_part(&self, frame: &Frame, before: &Frame, tool: &Tool) -> bool {
        let nouns = &self.planner.lexicons.senses.noun;
        let rank = |frame: &Frame| frame.nouns.iter().filter_map(|n| nouns.get(&n.id)).map(|n| n.rank).max();
        let sets = frame.slots.keys().any(|role| tool.takes(*role));
        !sets && frame.content.is_none() && !frame.nouns.is_empty() && rank(frame) < rank(before)
    }

    /// "move all of X except a.txt, and delete a.txt": the folder in which a file was left out.
    fn left_out_of(&self, frame: &Frame) -> Option<&str> {
        let before = &self.earlier.last()?.frame;
        let out = |name: &String| before.excluded.iter().any(|(_, left)| left.as_str() == Some(name));
        before.text(Role::Place).filter(|_| frame.loose.iter().all(out))
    }

    /// "open X and delete a.txt": a file named without a place is in the folder that was looked into.
    pub(super) fn in_shown_place(&self, frame: &Frame) -> Frame {
        let mut frame = frame.clone();
        if frame.loose.is_empty() || frame.has(Role::Place) {
            return frame;
        }
        let shown = || match self.spoken_of("files") {
            Some((before, true)) if plain(&before.frame) => before.frame.text(Role::Place),
            _ => None,
        };
        let Some(place) = self.left_out_of(&frame).or_else(shown) else { return frame };
        let inside = |path: String| match path.strip_prefix("~/") {
            Some(name) if frame.loose.iter().any(|loose| loose == name) => format!("{place}/{name}"),
            _ => path,
        };
        let mut slots = frame.slots.clone();
        for role in [Role::Paths, Role::Attachments].into_iter().filter(|role| frame.has(*role)) {
            let paths: Vec<String> = frame.list(role).into_iter().map(inside).collect();
            slots.insert(role, paths.into());
        }
        frame.slots = slots;
        frame
    }

    /// Whether the last list holds all that is in a folder, files and folders.
    pub(super) fn is_listing(&self) -> bool {
        let last = self.earlier.last().or(self.turns.last().filter(|_| self.list.is_none()));
        let nouns = &self.planner.lexicons.senses.noun;
        let folders = |frame: &Frame| {
            let mut nouns = frame.nouns.iter().filter_map(|noun| nouns.get(&noun.id));
            nouns.any(|noun| noun.object.as_deref() == Some("dirs") && noun.acting.is_none())
        };
        last.is_some_and(|last| last.looked && last.object == "dirs" && !folders(&last.frame))
    }
}

/// Things on a disk are one sort of records, whatever the word for them.
fn sort(object: &str) -> &str {
    match object {
        "files" | "dirs" | "images" | "entries" | "" => "files",
        other => other,
    }
}

/// The values of a clause that say which records are meant.
fn choosing(frame: &Frame) -> BTreeSet<Role> {
    CHOOSING.into_iter().filter(|role| frame.has(*role)).collect()
}

/// Whether a clause chooses among records by its values and kinds alone.
fn plain(frame: &Frame) -> bool {
    frame.excluded.is_empty()
        && frame.order.as_ref().is_none_or(|order| order.limit.is_none())
        && frame.begins.is_none()
        && frame.sets.is_none()
        && frame.column.is_none()
        && frame.beside.is_empty()
        && frame.also.is_empty()
        && frame.anaphor.is_none()
        && !frame.only
}

/// Whether a clause is about one record.
fn single(frame: &Frame) -> bool {
    let limit = frame.order.as_ref().and_then(|order| order.limit);
    frame.singular || frame.lone || limit == Some(1) || frame.one
}
