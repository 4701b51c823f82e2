//! What records are labelled by, and what is taken out of their text.

use super::Clause;
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// "by language", "by mood", "as work, private or other".
    pub(crate) fn label_cues(&mut self, classifies: bool) {
        if !classifies {
            return;
        }
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            if self.is(at, "by", "by") {
                self.dimension(at);
            } else if self.is(at, "cue", "classes") {
                self.classes(at);
            }
        }
    }

    /// The quality after "by". One that records have already is a way to group them, not a judgement.
    fn dimension(&mut self, at: usize) {
        let next = self.skip_stops(at + 1);
        let Some(item) = self.items.get(next).filter(|item| item.free()) else { return };
        if item.sense("dimension").is_none() && item.sense("group").is_some() {
            let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
            if let Some(other) = verb.and_then(|verb| verb.on_group.clone()) {
                self.frame.verb = Some(other);
            }
            return;
        }
        let known = item.sense("dimension").map(str::to_owned);
        let said = matches!(item.lit, Lit::Word | Lit::Quoted(_)).then(|| item.norm.clone());
        if let Some(dimension) = known.or(said) {
            self.frame.set(Role::Dimension, dimension);
            self.take(at, next + 1, "dimension");
        }
    }

    /// Two labels or more, between commas and conjunctions.
    fn classes(&mut self, at: usize) {
        let (mut classes, mut next) = (Vec::new(), at + 1);
        // After a comma or "or" any word is a class, also one that elsewhere only binds.
        let word = |clause: &Self, at: usize, any: bool| {
            let item = clause.items.get(at).filter(|item| item.free() && any && item.words == 1);
            let raw = item.filter(|item| matches!(item.lit, Lit::Word)).map(|i| (i.text.clone(), at + 1));
            raw.or_else(|| clause.name(clause.skip_stops(at), true))
        };
        while let Some((class, end)) = word(self, next, !classes.is_empty()) {
            classes.push(class);
            next = end;
            let joined = |clause: &Self, i: usize| {
                clause.items.get(i).is_some_and(|i| i.is_comma() || i.is("then", "or") || i.is("then", "and"))
            };
            if !joined(self, next) {
                break;
            }
            while joined(self, next) {
                next += 1;
            }
        }
        if classes.len() > 1 {
            self.frame.set(Role::Classes, classes);
            self.take(at, next, "classes");
        }
    }

    /// The fields to take out of texts, before it is known what the texts are: what stands before "from" is
    /// taken out, so it is not what they are.
    pub(crate) fn known_fields(&mut self, extracts: bool) {
        let from = (0..self.len()).find(|at| self.free(*at) && self.is(*at, "prep", "from"));
        if let Some(from) = from.filter(|_| extracts) {
            self.fields_before(from, false);
        }
    }

    /// The fields to take out of texts. A word that means nothing else, before what they come from, is
    /// one too.
    pub(crate) fn extract_fields(&mut self, extracts: bool) {
        if !extracts {
            return;
        }
        let from = (0..self.len()).find(|at| self.free(*at) && self.is(*at, "prep", "from"));
        match from {
            Some(from) => self.fields_before(from, true),
            None => self.fields_before(self.len(), false),
        }
        // "from the messages … take out the links": out of what, before what.
        if self.frame.extract.is_empty() {
            self.fields_before(self.len(), false);
        }
    }

    fn fields_before(&mut self, end: usize, any: bool) {
        for at in 0..end {
            let item = &self.items[at];
            let open = any && item.senses.is_empty() && matches!(item.lit, Lit::Word) && !item.capital;
            let field = item.sense("extract_field").map(str::to_owned);
            if let Some(field) = field.or_else(|| open.then(|| item.norm.clone())).filter(|_| item.free()) {
                if !self.frame.extract.contains(&field) {
                    self.frame.extract.push(field);
                }
                self.take(at, at + 1, "field");
            }
        }
    }
}
