//! Words that leave something out without saying what: "big", "some", "the new ones"; and an "or" that nobody read.
//!
//! A word that narrows must narrow. Where things are only looked at, one that speaks of an order puts them in it;
//! where they are changed, the words stay unexplained and nothing is done.

use super::frame::Order;
use super::{Clause, Item, json};
use crate::catalog::Role;

/// By what such a word is said to be explained, which it is not.
pub(crate) const VAGUE: &str = "vague";

impl Clause<'_> {
    /// Puts what is looked at in the order that a vague word speaks of: big ones first.
    pub(crate) fn vague_order(&mut self) {
        if self.changes() || self.frame.order.is_some() || self.computes() || self.frame.object != "files" {
            return;
        }
        for at in 0..self.len() {
            let order = self.sense(at, "vague").and_then(|id| self.senses.order.get(id)).cloned();
            if let Some(order) = order.filter(|_| self.free(at) && !self.explained(at)) {
                self.frame.order = Some(Order { field: order.field, order: order.order, limit: None });
                self.take(at, at + 1, "order");
                return;
            }
        }
    }

    /// Whether the word at `at` leaves out things that nothing else tells apart.
    pub(crate) fn vague(&self, at: usize) -> bool {
        let Some(id) = self.sense(at, "vague").filter(|_| Some(at) != self.verb_at) else { return false };
        if self.explained(at) {
            return false;
        }
        let known = self.sense(at, "stop").is_some();
        let orders = self.senses.order.contains_key(id);
        if !self.changes() {
            return !known || orders && self.computes() && self.frame.object == "files";
        }
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        !verb.is_some_and(|verb| verb.makes) && !self.new_place(at)
    }

    /// "the big ones, over 500 MB": how big is said.
    fn explained(&self, at: usize) -> bool {
        let order = self.sense(at, "vague").and_then(|id| self.senses.order.get(id));
        let roles: [Role; 2] = match order.map(|order| order.field.as_str()) {
            Some("size") => [Role::SizeMin, Role::SizeMax],
            Some("mtime") => [Role::After, Role::Before],
            _ => return false,
        };
        roles.iter().any(|role| self.frame.has(*role))
    }

    /// A word for what is new, where something is made.
    pub(crate) fn is_made_new(&self, at: usize) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        self.is(at, "vague", "newest") && verb.is_some_and(|verb| verb.makes)
    }

    /// A word that says of mail that nobody read it says nothing of that kind about other things.
    pub(crate) fn unread_things(&mut self) {
        let placed =
            self.frame.has(Role::Place) || self.frame.has(Role::Paths) || self.frame.has(Role::Names);
        let mail = self.frame.object == "messages" || self.frame.object.is_empty() && !placed;
        if mail || self.frame.slots.remove(&Role::Unread).is_none() {
            return;
        }
        let unread = |item: &&mut Item| item.taken == "flag" && item.is("flag", "unread");
        for item in self.items.iter_mut().filter(unread) {
            item.taken = "";
        }
    }

    /// What is said of proposals, that they are to be approved, says nothing that is known about files or mail.
    pub(crate) fn foreign_flags(&mut self) {
        let other = match self.frame.object.as_str() {
            "files" | "dirs" | "images" => true,
            // Mail that waits is only mail, where it is looked at.
            "messages" => self.changes(),
            _ => false,
        };
        if !other || self.frame.slots.remove(&Role::ProposalState).is_none() {
            return;
        }
        let senses = self.senses;
        let state = |item: &&mut Item| {
            let flag = item.sense("flag").and_then(|id| senses.flag.get(id));
            item.taken == "flag" && flag.is_some_and(|flag| flag.role == Role::ProposalState)
        };
        for item in self.items.iter_mut().filter(state) {
            item.taken = "";
        }
    }

    /// "the files I downloaded" are changed only where downloads are.
    pub(crate) fn acting_flags(&mut self) {
        let acting = if self.changes() { self.len() } else { 0 };
        for at in 0..acting {
            let flag =
                self.sense(at, "flag").and_then(|id| self.senses.flag.get(id)).filter(|flag| flag.acting);
            if let Some((role, value)) = flag.map(|flag| (flag.role, json(&flag.value))) {
                self.frame.slots.entry(role).or_insert(value);
            }
        }
    }

    /// "… into a new folder": it describes where things go, not which.
    fn new_place(&self, at: usize) -> bool {
        let folder = self.items.get(at + 1).is_some_and(|item| {
            item.sense("folder_word").is_some() || item.taken == "place" || item.taken == "new folder"
        });
        let single = at.checked_sub(1).and_then(|before| self.items[before].number()) == Some(1.0);
        folder && single
    }

    /// An "or" between conditions that no reader joined: taken for "and", it would mean something else.
    pub(crate) fn either(&self, at: usize) -> bool {
        if !self.is(at, "then", "or") {
            return false;
        }
        let side = |item: &&Item| !item.free() && item.words > 0;
        let before = self.items[..at].iter().rev().find(side).map(|item| item.taken);
        let after = self.items[at + 1..].iter().find(side).map(|item| item.taken);
        // Two sizes, days, columns, or a sender and a subject: each is a condition of its own.
        let limit =
            |by: Option<&str>| by.is_some_and(|by| matches!(by, "size" | "date" | "column" | "message"));
        let thing = |by: Option<&str>| by.is_some_and(|by| matches!(by, "noun" | "extension" | "pattern"));
        let alike = before == after || thing(before) && thing(after);
        limit(before) && limit(after) || self.changes() && !alike
    }

    /// Whether something is changed, not only looked at.
    pub(crate) fn changes(&self) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        verb.is_some_and(|verb| !verb.query && verb.changes())
    }

    /// Whether something is sent, or may be where nothing else fits the verb.
    pub(crate) fn sends(&self) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let send = |verb: &crate::lexicon::VerbSense| verb.verb.as_deref() == Some("send");
        verb.is_some_and(|verb| send(verb) || verb.fallback.as_ref().is_some_and(|next| send(next)))
    }

    fn computes(&self) -> bool {
        !self.frame.stats.is_empty() || !self.frame.group.is_empty()
    }
}
