//! Two orders in one clause: two places things go to, two things that each have their own, a deed before or after
//! another one. Read as one order, a destination would become an origin and a new name a thing; nothing is done then.

use super::clause::only_stop;
use super::places::Mention;
use super::{Clause, Item};
use crate::catalog::Role;

/// What took the words that say which of the things are meant.
const CONDITIONS: [&str; 2] = ["size", "date"];

impl Clause<'_> {
    /// The places beside the goal that things would go to as well.
    pub(crate) fn other_goals(&self, goal: &Mention, others: &[Mention]) -> Vec<String> {
        let also = |m: &&Mention| m.prep == "to" || m.file == goal.file && self.beside(goal, m);
        let mut lost: Vec<String> = others.iter().filter(also).map(said).collect();
        // "to Documents, Pictures or Music": a name that elsewhere says what the things are.
        let next = (goal.at + 1..self.len()).find(|at| !self.binds(*at));
        let named = next.filter(|at| {
            let noun = self.items[*at].is_name() && self.items[*at].taken == "noun";
            noun && self.conjoined(goal.at, *at)
        });
        lost.extend(named.map(|at| self.items[at].text.clone()));
        lost
    }

    /// Whether nothing but a conjunction stands between the goal and another place.
    fn beside(&self, goal: &Mention, other: &Mention) -> bool {
        let (from, to) = (goal.at.min(other.at), goal.at.max(other.at));
        let alike = other.prep == goal.prep || other.prep.is_empty() && other.at > goal.at;
        alike && self.conjoined(from, to) && (from + 1..to).all(|at| self.binds(at))
    }

    /// Whether a conjunction or a comma stands between these two.
    pub(super) fn conjoined(&self, from: usize, to: usize) -> bool {
        self.items[from + 1..to].iter().any(conjunction)
    }

    /// A word between two places that names nothing itself.
    fn binds(&self, at: usize) -> bool {
        let item = &self.items[at];
        only_stop(item)
            || conjunction(item)
            || item.taken == "place" && !self.names_file(at) && item.sense("place").is_none() && !item.capital
    }

    /// The places of an order that are things of their own: a folder beside files, a file that others are taken out of,
    /// a new name, what something else belongs to.
    pub(crate) fn mixed_places(&self, mentions: &[Mention]) -> Vec<String> {
        if !self.changes() {
            return Vec::new();
        }
        let files = || mentions.iter().filter(|m| m.file);
        let things = (0..self.len()).any(|at| self.kind_word(at));
        let mixed = |m: &&Mention| {
            let folder = !m.file && m.called && m.prep.is_empty() && !self.frame.has(Role::NameTemplate);
            folder
                && (self.named_beside(m)
                    || files().any(|file| self.meets(m, file))
                    || things && self.conjoined_thing(m))
        };
        let within = |m: &&Mention| m.file && files().count() > 1 && self.taken_out_of(m);
        let renamed = |m: &&Mention| m.file && self.said_as(m);
        let owner = |m: &&Mention| !m.file && m.prep == "of" && self.of_unknown(m);
        let inside = |m: &&Mention| {
            !m.file
                && matches!(m.prep.as_str(), "in" | "inor" | "from")
                && mentions.len() == 1
                && self.nothing_in()
        };
        let lost = |m: &&Mention| mixed(m) || within(m) || renamed(m) || owner(m) || inside(m);
        mentions.iter().filter(lost).map(said).collect()
    }

    /// "the folders 'A' and 'B'": a name that goes on from that of a folder and is taken for something else.
    fn named_beside(&self, folder: &Mention) -> bool {
        let quoted = |at: usize| self.free(at) && matches!(self.items[at].lit, crate::text::Lit::Quoted(_));
        let next = (folder.at + 1..self.len()).find(|at| !self.binds(*at));
        next.is_some_and(|at| quoted(at) && self.conjoined(folder.at, at))
    }

    /// Whether a conjunction joins a folder and a file.
    fn meets(&self, folder: &Mention, file: &Mention) -> bool {
        let (from, to) = (folder.at.min(file.at), folder.at.max(file.at));
        matches!(file.prep.as_str(), "") && self.conjoined(from, to)
    }

    /// Whether a conjunction joins a folder and things of some kind.
    fn conjoined_thing(&self, folder: &Mention) -> bool {
        (0..self.len()).filter(|at| self.kind_word(*at)).any(|at| {
            let (from, to) = (folder.at.min(at), folder.at.max(at));
            self.conjoined(from, to)
        })
    }

    /// A word that says of which kind the things are.
    fn kind_word(&self, at: usize) -> bool {
        let item = &self.items[at];
        let noun = item.sense("noun").and_then(|id| self.senses.noun.get(id));
        let kind = noun.is_some_and(|noun| {
            noun.object.as_deref() == Some("files") && noun.set.contains_key(&Role::Kind)
        });
        item.taken == "extension" || item.taken == "noun" && kind
    }

    /// "from the zip x.zip": a noun stands between the preposition and the file.
    fn taken_out_of(&self, mention: &Mention) -> bool {
        let noun = self.back_over(mention.at).filter(|at| self.sense(*at, "noun").is_some());
        let before = noun.and_then(|at| self.back_over(at));
        before.is_some_and(|at| matches!(self.sense(at, "prep"), Some("from" | "in" | "inor" | "of")))
    }

    /// "as x.pdf": the name something gets, not a thing.
    fn said_as(&self, mention: &Mention) -> bool {
        let before = self.back_over(mention.at);
        before.is_some_and(|at| {
            let item = &self.items[at];
            let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
            let led = verb.is_some_and(|verb| verb.goals.contains(&Role::DstDir));
            let packed = self.senses.ending("archive_format", &mention.path).is_some();
            // "save a list of them as ~/x.csv": what is written is the list.
            let listed = self.items.iter().any(|item| item.sense("list_word").is_some());
            led && !packed && !listed && item.is("cue", "as_column") && item.is("cue", "as_format")
        })
    }

    /// "the x of Pictures": where nothing says what is meant of a folder, it is not the folder.
    fn of_unknown(&self, mention: &Mention) -> bool {
        let frame = &self.frame;
        let things = !frame.nouns.is_empty() || !frame.kinds.is_empty() || frame.has(Role::Patterns);
        let pointed = frame.anaphor.is_some() || frame.only || frame.these;
        let of = (0..mention.at).rev().find(|at| self.is(*at, "prep", "of"));
        let word = of.and_then(|of| self.back_over(of)).filter(|at| Some(*at) != self.verb_at);
        !things && !pointed && word.is_some_and(|at| self.free(at))
    }

    /// "delete a thing in Documents": what is in a folder is not the folder, also where nothing says what it is.
    fn nothing_in(&self) -> bool {
        const SAID: [Role; 4] = [Role::Paths, Role::Patterns, Role::Names, Role::Contains];
        let frame = &self.frame;
        let verb = frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let stays =
            verb.is_some_and(|verb| !verb.inside && !verb.contents && verb.verb.as_deref() == Some("delete"));
        let things = !frame.nouns.is_empty() || !frame.kinds.is_empty() || !frame.excluded.is_empty();
        let pointed = frame.anaphor.is_some() || frame.only || frame.these || frame.order.is_some();
        let named = (0..self.len()).any(|at| self.names_file(at));
        let dated = self.items.iter().any(|item| CONDITIONS.contains(&item.taken));
        stays && !things && !pointed && !named && !dated && !SAID.iter().any(|role| frame.has(*role))
    }

    /// "rename a and b to c": several things do not get one name, and none gets the one it has.
    pub(crate) fn one_name(&self) -> Option<String> {
        let name = self.frame.text(Role::NameTemplate).filter(|name| !name.contains(['{', '*']))?;
        let paths = self.frame.list(Role::Paths);
        let own = |path: &String| path.rsplit('/').next() == Some(name) && !self.frame.has(Role::DstDir);
        // "rename the photos to x.jpg": many things, and one name.
        let several = paths.is_empty() && (0..self.len()).any(|at| self.kind_word(at) && self.several_at(at));
        let limited = self.frame.order.as_ref().is_some_and(|order| order.limit == Some(1));
        let many = several && !limited && crate::parse::has_ending(name);
        (self.changes() && (many || paths.len() > 1 || paths.iter().any(own))).then(|| name.to_owned())
    }

    /// The word before `at`, over words that only bind.
    fn back_over(&self, at: usize) -> Option<usize> {
        (0..at).rev().find(|i| !only_stop(&self.items[*i]) || self.sense(*i, "prep").is_some())
    }

    /// "before deleting them", "after moving them": a deed beside the one that was read.
    pub(crate) fn other_deed(&self, at: usize) -> bool {
        let item = &self.items[at];
        let deed = item.senses.iter().filter(|sense| sense.cat == "verb");
        let mut deed = deed.filter_map(|sense| self.senses.verb.get(sense.id.as_str()));
        let pure = item.words == 1 && item.senses.iter().all(|sense| sense.cat == "verb");
        // "bringing them to 1024 pixels": how far, not what else.
        let next = (at + 1..self.len()).find(|i| {
            let item = &self.items[*i];
            item.words > 0 && !only_stop(item) && item.sense("prep").is_none()
        });
        let measured = next.is_some_and(|next| self.items[next].number().is_some());
        let deed = pure && deed.any(|verb| verb.changes());
        let bound = at.checked_sub(1).is_some_and(|before| {
            let before = &self.items[before];
            before.free() && matches!(before.sense("bound"), Some("before" | "since" | "beyond"))
        });
        let beside = item.free() && Some(at) != self.verb_at && self.changes() && item.command().is_some();
        deed && (bound || beside && !measured)
    }

    /// "a.txt after b.txt": a file that says when something is done, not what to.
    pub(crate) fn bound_to_file(&self, at: usize) -> bool {
        let bound = matches!(self.sense(at, "bound"), Some("before" | "since" | "beyond"));
        let next = (at + 1..self.len()).find(|i| !only_stop(&self.items[*i]));
        self.changes() && self.free(at) && bound && next.is_some_and(|next| self.names_file(next))
    }

    /// "one of the photos", "the second newest": one of several, which no reader chose.
    pub(crate) fn one_of(&self, at: usize) -> bool {
        let item = &self.items[at];
        let ordinal = item.sense("ordinal").is_some();
        let of = self.is(at + 1, "prep", "of") && (ordinal || item.number() == Some(1.0));
        let nth = ordinal && !item.is("ordinal", "1") && self.sense(at + 1, "super").is_some();
        let single = item.number() == Some(1.0)
            && at.checked_sub(1).is_some_and(|before| self.is(before, "pron", "only"));
        self.changes() && item.words == 1 && (of && item.free() || nth || single)
    }

    /// "not the pdfs but the photos", "but only the png": a word that takes up what is meant after what is not.
    pub(crate) fn after_all(&self, at: usize) -> bool {
        let item = &self.items[at];
        let first = item.norm.split(' ').next().and_then(|word| self.lexicon.single(word));
        let but = first.is_some_and(|word| {
            let is = |cat: &str| word.senses.iter().any(|sense| sense.cat == cat);
            is("but") && !is("then")
        });
        let left_out = |i: &usize| self.items[*i].taken == "except" && self.sense(*i, "neg").is_some();
        let before = (0..at).any(|i| left_out(&i)) && item.sense("spare").is_none();
        let only =
            self.items.get(at + 1).is_some_and(|next| next.is("pron", "only") || next.is("then", "then"));
        self.changes() && but && (before || only)
    }

    /// "except the pdfs from 2025": a condition of what is left out is none of what is meant.
    pub(crate) fn condition_left_out(&self, at: usize) -> bool {
        let condition = CONDITIONS.contains(&self.items[at].taken);
        let cut = |i: &usize| self.items[*i].is_comma() || Some(*i) == self.verb_at;
        let from = (0..at).rev().find(cut).unwrap_or(0);
        let left_out = |i: usize| self.items[i].taken == "except" && self.sense(i, "neg").is_some();
        self.changes() && condition && (from..at).any(left_out)
    }

    /// "extract the zip files": a verb that ends in a word for a kind of things, before the word for them.
    pub(crate) fn kind_in_verb(&mut self) {
        let Some(verb) =
            self.verb_at.filter(|at| self.items[*at].words > 1 && self.is(at + 1, "noun", "file"))
        else {
            return;
        };
        let last = self.items[verb].norm.rsplit(' ').next().and_then(|word| self.lexicon.single(word));
        let nouns = last.into_iter().flat_map(|word| &word.senses).filter(|sense| sense.cat == "noun");
        let kind = nouns
            .filter_map(|sense| self.senses.noun.get(sense.id.as_str())?.set.get(&Role::Kind)?.as_str())
            .next();
        if let Some(kind) = kind.filter(|_| self.frame.kinds.is_empty()) {
            self.frame.kinds.push(kind.to_owned());
        }
    }

    /// A word that says when, which one or what else, and that one order does not hold.
    pub(crate) fn unread_part(&self, at: usize) -> bool {
        let alike = self.changes() && self.free(at) && self.is(at, "alike", "compare");
        self.bound_to_file(at)
            || self.one_of(at)
            || self.after_all(at)
            || self.condition_left_out(at)
            || self.denied(at)
            || self.excepted_twice(at)
            || self.written_to_nobody(at)
            || self.clock_changed(at)
            || self.unclear_date(at)
            || self.one_too_many(at)
            || self.unable(at)
            || self.told_apart(at)
            || self.name_goes_on(at)
            || self.unheld(at)
            || self.unmet(at)
            || alike
    }

    /// "… and write …", where records are changed and nothing is sent: what is to be written is no part of them.
    fn written_to_nobody(&self, at: usize) -> bool {
        let item = &self.items[at];
        let records = matches!(self.frame.object.as_str(), "events" | "contacts");
        records && self.changes() && item.free() && item.words > 1 && item.is("cue", "body")
    }

    /// "change the time", "save today's date in x.txt": the clock is only looked at, and nothing is done with it.
    fn clock_changed(&self, at: usize) -> bool {
        let other = self.items[at].senses.iter().any(|sense| sense.cat == "noun" && sense.id != "now");
        let clock = Some(at) != self.verb_at && self.is(at, "noun", "now") && !other;
        // "… and tell me the time": who asks for it has it told.
        let before = (0..at).rev().find(|i| !only_stop(&self.items[*i])).map(|i| &self.items[i]);
        let told = before.and_then(Item::command).is_some_and(|verb| self.senses.asks(verb));
        self.changes() && clock && !told && !self.items[at].asks
    }

    /// "…, the videos not": what is said of things at the end of a clause that changes something.
    fn denied(&self, at: usize) -> bool {
        let ends = self.items.get(at + 1).is_none_or(Item::is_symbol);
        let after = at.checked_sub(1).is_some_and(|before| self.thing(before));
        self.changes() && ends && after && self.sense(at, "denied").is_some()
    }

    /// "except pdfs, and on the Desktop except photos": two exceptions, of which one has a place of its own.
    fn excepted_twice(&self, at: usize) -> bool {
        let opens = |i: usize| self.items[i].taken == "except" && self.sense(i, "neg").is_some();
        let placed = self.frame.excluded.iter().any(|(role, _)| *role == Role::Place);
        self.changes() && opens(at) && placed && (0..at).any(opens)
    }

    /// Whether folders and files are both named, and joined: what is done to the ones is not done to the others.
    fn files_and_folders(&self) -> bool {
        let noun = |at: usize, object: &str| {
            let noun = self.items[at].sense("noun").and_then(|id| self.senses.noun.get(id));
            let own = noun.is_some_and(|n| n.object.as_deref() == Some(object) && n.acting.is_none());
            own && self.items[at].taken == "noun"
        };
        let small = |i: usize| {
            only_stop(&self.items[i]) || conjunction(&self.items[i]) || self.sense(i, "flag").is_some()
        };
        let pair = |from: usize| {
            let next = (from + 1..self.len()).find(|i| !small(*i));
            next.is_some_and(|to| {
                let mixed =
                    noun(from, "files") && noun(to, "dirs") || noun(from, "dirs") && noun(to, "files");
                mixed && self.conjoined(from, to)
            })
        };
        (0..self.len()).any(pair)
    }

    /// "a.txt or b.txt": of files that are named, one is meant, and which is not said.
    pub(crate) fn either_file(&self, at: usize) -> bool {
        let near = |mut places: Box<dyn Iterator<Item = usize>>| {
            places.find(|i| !only_stop(&self.items[*i])).is_some_and(|i| self.names_file(i))
        };
        self.changes()
            && self.is(at, "then", "or")
            && near(Box::new((0..at).rev()))
            && near(Box::new(at + 1..self.len()))
    }

    /// "photos larger than 5 MB and videos", "a.txt to A and b.txt to B": things with their own place, name or condition
    /// on both sides of a conjunction, where something is changed.
    pub(crate) fn two_orders(&self) -> bool {
        let both = |at: usize| {
            let item = &self.items[at];
            // "… and those of 2025 to B": words that elsewhere ask about others.
            let others = item.words > 1 && item.sense("what_about").is_some();
            if others || item.is_comma() {
                let named = others || self.next_thing(at + 1);
                return named && self.own_side(0, at) && (at + 1..self.len()).any(|i| self.owned(i));
            }
            conjunction(item)
                && (self.own_side(0, at) && self.own_side(at + 1, self.len())
                    || self.conditioned(0, at) && self.next_thing(at + 1)
                    || (0..at).any(|i| self.thing(i)) && self.place_first(at + 1))
        };
        self.changes() && self.frame.sets.is_none() && ((0..self.len()).any(both) || self.files_and_folders())
    }

    /// Whether things and a place, a format or a name of their own are named between these words.
    fn own_side(&self, from: usize, to: usize) -> bool {
        let thing = (from..to).find(|at| self.thing(*at));
        thing.is_some_and(|thing| (thing + 1..to).any(|at| self.owned(at)))
    }

    /// A place, a format or a name that was read for the things before it.
    fn owned(&self, at: usize) -> bool {
        let item = &self.items[at];
        let placed = item.taken == "place" && item.sense("prep").is_some();
        placed || matches!(item.taken, "format" | "new name")
    }

    /// Whether things are named between these words and after them a condition.
    fn conditioned(&self, from: usize, to: usize) -> bool {
        let condition = |at: usize| CONDITIONS.contains(&self.items[at].taken);
        let thing = (from..to).find(|at| self.thing(*at));
        thing.is_some_and(|thing| (thing + 1..to).any(condition))
    }

    /// "… and on the Desktop the videos": a place, and things after it.
    fn place_first(&self, from: usize) -> bool {
        let placed = |at: usize| self.items[at].taken == "place";
        let end = (from..self.len()).find(|at| !placed(*at)).unwrap_or(self.len());
        let led = self.sense(from, "prep").is_some();
        led && end > from && self.next_thing(end)
    }

    /// Whether the next word that says something names things.
    fn next_thing(&self, from: usize) -> bool {
        (from..self.len()).find(|at| !only_stop(&self.items[*at])).is_some_and(|at| self.thing(at))
    }

    /// A file, a pattern, a kind of things, or a word that points to some of them.
    fn thing(&self, at: usize) -> bool {
        let item = &self.items[at];
        let noun = item.sense("noun").and_then(|id| self.senses.noun.get(id));
        let plain = noun.is_some_and(|noun| noun.object.as_deref() == Some("files") && noun.verb.is_none());
        let glob = matches!(item.lit, crate::text::Lit::Glob(_)) || item.taken == "pattern";
        // "those of 2025": also where the words go together.
        let first = item.norm.split(' ').next().and_then(|word| self.lexicon.single(word));
        let those = first.is_some_and(|word| word.senses.iter().any(|s| s.cat == "pron" && s.id == "them"));
        let pointed = (item.is("pron", "them") || those) && item.words > 0;
        self.kind_word(at) || item.taken == "noun" && plain || self.names_file(at) || glob || pointed
    }
}

/// A word or sign that joins two of a kind.
pub(super) fn conjunction(item: &Item) -> bool {
    item.is_comma() || item.is("then", "and") || item.is("then", "or")
}

/// A place in the words it was said in.
fn said(mention: &Mention) -> String {
    mention.name.clone().unwrap_or_else(|| mention.path.clone())
}
