//! Questions that look like a search for files and are none: about days, about what was done, about two things at once.

use super::Clause;
use super::clause::only_stop;
use crate::catalog::Role;

impl Clause<'_> {
    /// The word that says that nothing here answers the question, if one does.
    pub(crate) fn unanswered(&self) -> Option<String> {
        let at = self.counted_units().or_else(|| self.asked_day()).or_else(|| self.other_day());
        at.or_else(|| self.acted()).map(|at| self.items[at].text.clone())
    }

    /// "how many days between …": what is counted is time, not things.
    fn counted_units(&self) -> Option<usize> {
        let stat = (0..self.len()).find(|at| self.is(*at, "stat", "count"))?;
        let next = (stat + 1..self.len()).find(|at| !only_stop(&self.items[*at]))?;
        let unit = self.sense(next, "unit").is_some() && self.items[next].sense("noun").is_none();
        (unit && !self.frame.has(Role::Expression)).then_some(next)
    }

    /// "what day was …", "what is tomorrow's date": a day is named and asked for, and no things.
    fn asked_day(&self) -> Option<usize> {
        let dated = self.frame.has(Role::After) || self.frame.has(Role::Before);
        let day = |at: &usize| {
            let word = self.is(*at, "unit", "day") || self.is(*at, "field", "mtime");
            word && self.free(*at) && self.sense(*at, "by").is_none()
        };
        (dated && self.speaks_of_nothing()).then(|| (0..self.len()).find(day)).flatten()
    }

    /// "what date is it tomorrow": what tells the time tells that of now.
    fn other_day(&self) -> Option<usize> {
        let alone = self.frame.tool.is_some() && self.frame.has(Role::Before);
        alone.then(|| (0..self.len()).find(|at| self.items[*at].taken == "date")).flatten()
    }

    /// "what did you do today", "what have you changed": asked of who answers, and no list of files.
    fn acted(&self) -> Option<usize> {
        let deed = |at: usize| {
            let next = self.items.get(at + 1);
            self.is(at, "acted", "done")
                || next.is_some_and(|next| next.sense("touch").is_some() || next.participle().is_some())
        };
        let you = (0..self.len()).find(|at| self.sense(*at, "acted").is_some() && deed(*at));
        let files = matches!(self.frame.object.as_str(), "files" | "dirs" | "");
        you.filter(|_| files && !self.changes() && self.frame.anaphor.is_none())
    }

    /// Whether no things are named: no noun, no name, no place, nothing pointed to.
    fn speaks_of_nothing(&self) -> bool {
        const THINGS: [Role; 6] =
            [Role::Patterns, Role::Paths, Role::Place, Role::Contains, Role::Urls, Role::Kind];
        let frame = &self.frame;
        let pointed = frame.anaphor.is_some() || frame.only || frame.there;
        frame.nouns.is_empty()
            && frame.kinds.is_empty()
            && !pointed
            && !self.changes()
            && !THINGS.iter().any(|role| frame.has(*role))
    }

    /// "the pdfs in A and the photos in B", "how many in A and how many in B": two questions, which one list does not
    /// answer.
    pub(crate) fn two_at_once(&self) -> bool {
        let both = |at: usize| {
            self.is(at, "then", "and") && self.whole_side(0, at) && self.whole_side(at + 1, self.len())
        };
        self.frame.sets.is_none() && (0..self.len()).any(both)
    }

    /// Whether things, or how many of them, and after that a place are named between these words.
    fn whole_side(&self, from: usize, to: usize) -> bool {
        let thing = |at: &usize| {
            let item = &self.items[*at];
            let noun = item.sense("noun").and_then(|id| self.senses.noun.get(id));
            let file =
                noun.is_some_and(|noun| noun.object.as_deref() == Some("files") && noun.verb.is_none());
            item.taken == "extension" || item.taken == "noun" && file || item.is("stat", "count")
        };
        let placed = |at: usize| {
            let item = &self.items[at];
            item.taken == "place" && item.sense("prep").is_some()
        };
        (from..to).find(thing).is_some_and(|thing| (thing + 1..to).any(placed))
    }
}
