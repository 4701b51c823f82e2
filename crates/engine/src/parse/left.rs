//! What is left of a clause when all readers had their turn: words that nothing explained, and words that would
//! leave something out. A plan without them would do something else, or to more.

use super::item::TOGETHER;
use super::{Clause, Frame, Item, VAGUE};
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// What explained each word, and what nothing explained.
    pub(crate) fn finish(mut self) -> Frame {
        self.unread_things();
        self.foreign_flags();
        self.vague_order();
        let acts = self.changes();
        let told = self.frame.verb.is_none() && !self.asks && self.frame.stats.is_empty();
        let content = |item: &Item| told && !item.is_symbol() && !super::clause::only_stop(item);
        let says = |item: &&Item| content(item) || wanted(item) || conditional(item) || self.stays(item);
        self.frame.stays = self.items.iter().find(says).filter(|_| !acts).map(|item| item.text.clone());
        for (at, item) in self.items.iter().enumerate() {
            // "thirty days" that no reader took is a limit that would be lost; so is a number of things.
            let next = |cat: &str| self.sense(at + 1, cat).is_some();
            let amount = item.number().is_some_and(|n| n > 1.0)
                && ((next("unit") || next("size_unit")) && self.free(at + 1) || next("noun"));
            if item.is_symbol() || item.words == 0 {
                continue;
            }
            // "the mails with replies": a word for things that nobody took.
            let noun =
                |s: &crate::lexicon::Sense| s.cat == "noun" && self.senses.noun.contains_key(s.id.as_str());
            let thing = item.free() && !item.senses.is_empty() && item.senses.iter().all(noun);
            // "I'm not going to": who says that something is not has not said what to do.
            let off = item.free() && item.is("wish", "off");
            if off
                || self.said_of_what_is_sent(at)
                || self.other_deed(at)
                || self.unread_part(at)
                || acts && (self.leaves_out(at) || self.corrected(at) || thing && Some(at) != self.verb_at)
            {
                self.frame.leftover.push(item.text.clone());
            } else if !item.free() {
                self.frame.used.push((item.text.clone(), item.taken));
            } else if item.senses.iter().all(|s| s.cat == "help" || s.cat == "reason")
                || acts && item.sense("purpose").is_some()
                || self.part_of_day(at)
                || amount
                // "of the last hour": a time that no reader took.
                || item.sense("unit").is_some() && at > 0 && self.sense(at - 1, "rel").is_some()
                || self.vague(at)
                || self.either(at)
                || self.either_file(at)
                || acts && self.says_something(at)
                || narrows(item)
                || counts(item)
                || self.unread_deed(item)
                || self.told(at)
                || set_aside(item)
                || weighs(item)
                || values(item) && self.holds_values(at)
                || item.capital && item.senses.iter().all(|s| s.cat != "stop" && s.cat != "verb")
            {
                if self.vague(at) {
                    self.frame.used.push((item.text.clone(), VAGUE));
                }
                self.frame.leftover.push(item.text.clone());
            }
        }
        let unread = self.unread_complements().into_iter().chain(self.cut_off());
        let others = self.other_records().into_iter().chain(self.one_name());
        for word in unread.chain(self.path_as_sender()).chain(self.unanswered()).chain(others) {
            if !self.frame.leftover.contains(&word) {
                self.frame.leftover.push(word);
            }
        }
        self.frame.apart |=
            self.two_at_once() || self.two_orders() || self.joined_records() || self.two_sorts();
        self.frame.lone = self.lone();
        let all = |item: &Item| {
            item.norm.split(' ').any(|word| self.lexicon.all_words.iter().any(|all| all == word))
        };
        self.frame.every = self.items.iter().any(all);
        self.ask_which_event();
        self.frame.fetches = self.verb_at.is_some_and(|verb| self.sense(verb, "fetch").is_some());
        let frame = &self.frame;
        self.frame.bare = frame.nouns.is_empty()
            && frame.verb.is_none()
            && frame.stats.is_empty()
            && frame.anaphor.is_none()
            && !frame.only
            && frame.order.is_none()
            && frame.group.is_empty()
            && frame.column.is_none();
        self.frame
    }
}

impl Clause<'_> {
    /// Whether a word that only binds others elsewhere could choose things where something is changed: "her", "back", "just".
    fn says_something(&self, at: usize) -> bool {
        const SMALL: [&str; 7] = ["polite", "list_word", "wish", "every", "then", "prep", "vague"];
        let item = &self.items[at];
        // "the photos of me": whose or of whom they are.
        let whose = item.is("self", "me") && at > 0 && self.is(at - 1, "prep", "of");
        let same = |word: &String| word.split(' ').eq(item.norm.split_whitespace());
        let idle =
            self.lexicon.idle_words.iter().any(same) || SMALL.iter().any(|cat| item.sense(cat).is_some());
        // "change her phone": of the contact that was spoken of.
        let known = self.frame.object == "contacts";
        item.sense("stop").is_some() && !known && (whose || !idle)
    }

    /// "in Downloads, no wait, on the Desktop": what was said before it is not meant.
    fn corrected(&self, at: usize) -> bool {
        let item = &self.items[at];
        let comma = |at: usize| self.items.get(at).is_some_and(Item::is_comma);
        let begun =
            self.items[..at].iter().any(|before| !before.is_symbol() && before.sense("polite").is_none());
        let no = item.is("denied", "no") && at > 0 && comma(at - 1) && comma(at + 1);
        begun && (no || item.sense("correction").is_some())
    }

    /// Whether a word of a clause that changes something leaves out what no reader left out: what is to stay or is
    /// needed, a condition, the first of several, the good or the previous ones.
    fn leaves_out(&self, at: usize) -> bool {
        let item = &self.items[at];
        let after = self.verb_at.is_some_and(|verb| verb < at);
        let chosen = item.sense("ordinal").is_some()
            || item.sense("rel").is_some()
            || item.is("then", "now") && !item.is("then", "and");
        let next =
            |cat: &str| self.items.get(at + 1).is_some_and(|next| next.free() && next.sense(cat).is_some());
        let noun = self.items.get(at + 1).is_some_and(|next| next.sense("noun").is_some());
        let counted = item.free()
            && (chosen && noun
                || item.sense("rel").is_some() && next("unit")
                || item.sense("ordinal").is_some() && self.told_of(at));
        Some(at) != self.verb_at && self.stays(item)
            || after && (wanted(item) || counted)
            || item.is("stat", "count") && item.words > 2
            || item.free() && (conditional(item) || self.unread_condition(at))
    }

    /// "the attachments of the first": said of something, whose it is.
    fn told_of(&self, at: usize) -> bool {
        let small = |item: &Item| super::clause::only_stop(item) && item.sense("prep").is_none();
        let before = (0..at).rev().find(|i| !small(&self.items[*i]));
        before.is_some_and(|before| self.is(before, "prep", "of"))
    }

    /// "if they are …", before what no reader took: it says under which condition.
    fn unread_condition(&self, at: usize) -> bool {
        let item = &self.items[at];
        let first = item.norm.split(' ').next().and_then(|word| self.lexicon.single(word));
        let begins = first.is_some_and(|word| word.senses.iter().any(|sense| sense.cat == "condition"));
        let next = (at + 1..self.len()).find(|i| !super::clause::only_stop(&self.items[*i]));
        let alike = |i: &usize| self.sense(*i, "alike").is_some();
        let read = next.is_some_and(|i| !self.free(i)) && !(at + 1..next.unwrap_or(at)).any(|i| alike(&i));
        item.words > 1 && begins && item.sense("polite").is_none() && !read
    }

    /// "the files of this morning": a part of a day, which nothing is chosen by that has no reader for it.
    fn part_of_day(&self, at: usize) -> bool {
        let files = matches!(self.frame.object.as_str(), "files" | "dirs" | "") && self.frame.tool.is_none();
        let item = &self.items[at];
        let moment = item.is("clock", "noon") || item.is("clock", "midnight");
        at > 0 && (files || self.changes()) && (moment || item.sense("day_part").is_some())
    }

    /// A path is nobody who sends something.
    fn path_as_sender(&self) -> Option<String> {
        let from = self.frame.text(Role::From).filter(|from| from.contains('/'));
        from.filter(|_| self.changes()).map(str::to_owned)
    }

    /// "send her the size of x.pdf", "a summary of x.pdf": what is said of a thing is not the thing, and is not sent as it.
    fn said_of_what_is_sent(&self, at: usize) -> bool {
        let item = &self.items[at];
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let sends = verb.is_some_and(|verb| verb.verb.as_deref() == Some("send"));
        let tells = |verb: &str| matches!(verb, "describe" | "compare" | "compute" | "classify");
        let mut verbs = item
            .senses
            .iter()
            .filter(|s| s.cat == "verb")
            .filter_map(|s| self.senses.verb.get(s.id.as_str()));
        let told = ["field", "stat", "alike", "extract_field"].iter().any(|cat| item.sense(cat).is_some())
            || verbs.any(|verb| verb.verb.as_deref().is_some_and(tells));
        sends && told && Some(at) != self.verb_at && !item.capital && matches!(item.lit, Lit::Word)
    }

    /// "the email of Anna from my contacts": records of another sort, which those that are changed have to do with.
    fn other_records(&self) -> Option<String> {
        let object = self.frame.object.as_str();
        let record = |object: &str| matches!(object, "messages" | "events" | "contacts");
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let takes_away = verb.is_some_and(|verb| verb.verb.as_deref() == Some("delete"));
        if !record(object) || !takes_away || !self.changes() {
            return None;
        }
        let other = |at: &usize| {
            let ids = self.noun_ids(*at);
            let of = |id: &String| self.senses.noun.get(id).and_then(|noun| noun.object.clone());
            let objects: Vec<String> = ids.iter().filter_map(of).collect();
            let known = matches!(self.items[*at].taken, "" | "noun") && Some(*at) != self.verb_at;
            let of_another = |own: &String| record(own) || own == "places";
            known && objects.iter().any(of_another) && !objects.iter().any(|own| own == object)
        };
        (0..self.len()).find(other).map(|at| self.items[at].text.clone())
    }

    /// "I'm deleting the photos": what somebody does is no order.
    fn told(&self, at: usize) -> bool {
        let item = &self.items[at];
        let pure = item.senses.iter().all(|sense| sense.cat == "verb");
        let deed = item.command().and_then(|id| self.senses.verb.get(id)).is_some_and(|verb| verb.changes());
        let subject = at.checked_sub(1).is_some_and(|before| self.sense(before, "subject").is_some());
        pure && deed && subject && Some(at) != self.verb_at
    }

    /// Whether the clause is about texts that hold values: contacts, events and tables have their own, and "the link x"
    /// only names an address.
    fn holds_values(&self, at: usize) -> bool {
        let texts =
            matches!(self.frame.object.as_str(), "files" | "dirs" | "texts" | "messages" | "urls" | "");
        texts && !self.frame.table && !matches!(self.lit(at + 1), Some(Lit::Url(_)))
    }

    /// Something is said to be done to things, and nobody took it up: looking at them is not what was meant.
    fn unread_deed(&self, item: &Item) -> bool {
        let deed = item.participle().is_some_and(|id| !self.senses.asks(id));
        let asked = item.command().is_some_and(|id| self.only_asked(id));
        item.senses.iter().all(|sense| sense.cat == "verb" && (asked || deed && !sense.command))
    }

    /// Whether it says what is to stay: "keep only".
    fn stays(&self, item: &Item) -> bool {
        let verbs = item.senses.iter().filter(|sense| sense.cat == "verb" && sense.command);
        verbs.filter_map(|sense| self.senses.verb.get(sense.id.as_str())).any(|verb| verb.stays)
    }

    /// Whether this verb would do something where somebody only asks.
    pub(crate) fn only_asked(&self, verb: &str) -> bool {
        self.asks && self.senses.verb.get(verb).is_some_and(|verb| verb.changes() || verb.tool.is_some())
    }
}

/// A word that says how things are chosen, ordered, grouped or counted: a plan without it is another plan.
fn weighs(item: &Item) -> bool {
    const WEIGHTY: [&str; 11] = [
        "super",
        "order",
        "stat",
        "flag",
        "group",
        "into_folders",
        "first",
        "spare",
        "rest",
        "alike",
        "wrote",
    ];
    let weighty = |sense: &crate::lexicon::Sense| {
        WEIGHTY.contains(&sense.cat.as_str()) || TOGETHER.contains(&sense.cat.as_str())
    };
    !item.senses.is_empty() && item.senses.iter().all(weighty)
}

/// A value that stands in texts, and nothing else: nobody took it out of them.
fn values(item: &Item) -> bool {
    !item.senses.is_empty() && item.senses.iter().all(|sense| sense.cat == "extract_field")
}

/// Says under which condition something is to be done.
fn conditional(item: &Item) -> bool {
    item.sense("condition").is_some()
}

/// Says that somebody wants or needs something, or does not.
fn wanted(item: &Item) -> bool {
    matches!(item.sense("wish"), Some("want" | "need")) || set_aside(item)
}

/// Says of things that somebody is done with them, or that they do not answer: which ones, unless an order took it up.
fn set_aside(item: &Item) -> bool {
    const DONE: [&str; 6] = ["unwanted", "unneeded", "seen", "saw", "stuck", "some"];
    item.free() && item.sense("wish").is_some_and(|id| DONE.contains(&id))
}

/// A number in words, or a word that leaves something out: nobody says either for nothing.
fn counts(item: &Item) -> bool {
    item.number().is_some_and(|n| n > 1.0) || item.sense("neg").is_some() || item.is("set", "but_not")
}

/// A word that could only narrow what is meant: when no reader took it, acting would be acting on too much.
fn narrows(item: &Item) -> bool {
    const NARROWING: [&str; 11] = [
        "or_age",
        "age",
        "compare",
        "size_unit",
        "unit",
        "month",
        "weekday",
        "not",
        "direction",
        "dimension",
        "opened",
    ];
    let counted = item.sense("ordinal").is_some() && item.text.starts_with(|c: char| c.is_ascii_digit());
    let amount = counted || matches!(item.lit, Lit::Number(_) | Lit::Date(..) | Lit::Clock(..));
    amount
        || item.senses.iter().any(|s| NARROWING.contains(&s.cat.as_str()))
            && item.senses.iter().all(|s| {
                NARROWING.contains(&s.cat.as_str())
                    || matches!(s.cat.as_str(), "bound" | "measure" | "touch" | "neg" | "after")
            })
}
