//! The verb of a clause: which word it is, and what the words around it make of it.

use super::{Clause, Item};
use crate::catalog::Role;
use crate::lexicon::{NounSense, VerbSense};
use crate::text::Lit;

impl Clause<'_> {
    /// Whose words were taken as what is looked for is only looking, whatever the verb before them.
    pub(super) fn only_looks_up(&mut self) {
        let other =
            self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id)).is_some_and(|v| !v.query);
        if self.frame.has(Role::Query) && other {
            self.frame.verb = Some("find".to_owned());
        }
    }

    /// "what is https://x about?": a question that ends with such a word asks for what the word says.
    pub(super) fn ends_as(&mut self) {
        let last = (0..self.len()).rev().find(|at| !self.items[*at].is_symbol());
        let Some(at) = last.filter(|at| self.asks && self.free(*at) && Some(*at) != self.verb_at) else {
            return;
        };
        let told = self.frame.verb.as_ref().is_none_or(|id| self.senses.asks(id));
        let thing = self.items.iter().any(|item| {
            let noun = item.sense("noun").and_then(|id| self.senses.noun.get(id));
            noun.is_some_and(|noun| noun.object.as_deref() == Some("messages"))
                || matches!(item.lit, Lit::Url(_) | Lit::Path(_) | Lit::Slashed(_) | Lit::File(_))
        });
        if let Some(id) = self.sense(at, "ends").map(str::to_owned).filter(|_| told && thing) {
            self.frame.verb = Some(id);
            self.take(at, at + 1, "verb");
        }
    }

    /// The verb that says what to do: the first that does more than ask, else the first that asks.
    pub(super) fn main_verb(&mut self) {
        let mut asks = None;
        let mut start = true;
        for at in 0..self.len() {
            let item = &self.items[at];
            if !item.free() || item.is_symbol() {
                continue;
            }
            let described = at > 0
                && self.items[at - 1].sense("subject").is_some()
                && self.items[at - 1].command().is_none();
            if let Some(id) = item.command().filter(|_| !described && !item.capital && !self.named_thing(at))
            {
                let query = self.senses.verb.get(id).is_some_and(|v| v.query);
                let other = item.senses.iter().any(|s| {
                    matches!(
                        s.cat.as_str(),
                        "noun" | "flag" | "cue" | "touch" | "stop" | "field" | "after" | "super" | "status"
                    )
                });
                let bound = self
                    .items
                    .get(at + 1)
                    .is_some_and(|next| next.sense("pron").is_some() && next.words == 0);
                // A phrase of several words says what it says.
                let phrase = item.words > 2
                    || item.words > 1 && item.senses.iter().all(|s| matches!(s.cat.as_str(), "verb" | "cue"));
                let phrase = phrase || self.named_new(at);
                if !query && (start || bound || !other || phrase) && !self.only_asked(id) {
                    self.frame.verb = Some(id.to_owned());
                    self.verb_at = Some(at);
                    break;
                }
                if query && asks.is_none() && (start || !other) {
                    asks = Some((at, id.to_owned()));
                }
            }
            start &= super::clause::only_stop(item)
                || item.sense("polite").is_some()
                || item.sense("pron").is_some();
        }
        if self.verb_at.is_none()
            && let Some((at, id)) = asks
        {
            self.frame.verb = Some(id);
            self.verb_at = Some(at);
        }
        self.alone();
        self.said_closer();
        self.takes_fields();
        // A question word can be the word that groups: "in which month".
        if let Some(at) = self.verb_at
            && !self.is(at, "by", "which")
            && self.sense(at, "noun").is_none()
            && self.sense(at, "cue").is_none()
            && self.sense(at, "which_group").is_none()
            && self.sense(at, "output").is_none()
        {
            self.take(at, at + 1, "verb");
        }
    }

    /// "make a folder …", where the words for it are one phrase with the verb.
    pub(crate) fn makes_folder(&self) -> bool {
        let folder = |word: &str| {
            let known = self.lexicon.single(word);
            known.is_some_and(|word| word.senses.iter().any(|s| s.cat == "noun" && s.id == "folder"))
        };
        self.verb_at.is_some_and(|verb| self.items[verb].norm.split(' ').any(folder))
    }

    /// "three new folders: A, B and C": a word for what is new, beside folders that get names.
    pub(super) fn named_new(&self, at: usize) -> bool {
        let makes = self.items[at].command().and_then(|id| self.senses.verb.get(id)).is_some_and(|v| v.makes);
        let beside = [at.wrapping_sub(1), at + 1].into_iter().any(|i| self.is(i, "noun", "folder"));
        let names = |item: &Item| matches!(item.lit, Lit::Symbol(':')) || item.is("cue", "named");
        makes && beside && self.items[at..].iter().any(names)
    }

    /// "write 'x' at the end of": a phrase further on that does the same in a way of its own.
    pub(super) fn said_closer(&mut self) {
        let sense = |id: &String| self.senses.verb.get(id);
        let quoted = self.items.iter().any(|item| matches!(item.lit, Lit::Quoted(_)));
        let lays = |verb: &&VerbSense| quoted && verb.in_goal && verb.on_list.is_some();
        let verb = self.frame.verb.as_ref().and_then(sense).filter(|verb| verb.makes || lays(verb));
        let Some(verb) = verb else { return };
        let closer =
            (0..self.len()).filter(|at| self.free(*at) && Some(*at) != self.verb_at).find_map(|at| {
                let item = Some(&self.items[at]).filter(|item| item.words > 1)?;
                let id = item.command()?;
                let other = self.senses.verb.get(id)?;
                let same =
                    other.verb == verb.verb && other.object == verb.object && other.goals == verb.goals;
                let laid = lays(&verb) && other.makes;
                ((same || laid) && !other.set.is_empty()).then(|| (at, id.to_owned()))
            });
        if let Some((at, id)) = closer {
            self.frame.verb = Some(id);
            self.take(at, at + 1, "verb");
        }
    }

    /// "pull out the dates", "pull out the lines": a word that takes out as well as looks for takes out what can only be
    /// taken out, and what is in an archive.
    pub(super) fn takes_fields(&mut self) {
        let Some(at) = self.verb_at else { return };
        let verbs = || self.items[at].senses.iter().filter(|s| s.cat == "verb" && s.command);
        let takes = verbs().find(|s| self.is_verb(&s.id, "extract"));
        let looks = verbs().find(|s| self.senses.verb.get(s.id.as_str()).is_some_and(|verb| verb.query));
        let (Some(takes), Some(looks)) = (takes, looks) else { return };
        let packed = |path: &str| self.senses.ending("archive_format", path).is_some();
        let inner = |i: &Item| match &i.lit {
            Lit::Path(path) | Lit::File(path) | Lit::Slashed(path) => packed(path),
            _ => i.is("noun", "archive") || i.sense("extract_field").is_some() && i.sense("noun").is_none(),
        };
        let points = |at: usize| self.is(at, "pron", "them") || self.is(at, "pron", "it");
        let pointed = (0..self.len()).any(|at| points(at) && self.sense(at + 1, "noun").is_none());
        let inside = pointed || self.items[at + 1..].iter().any(|i| i.free() && inner(i));
        self.frame.verb = Some(if inside { takes.id.to_string() } else { looks.id.to_string() });
    }

    /// Whether a sense is this verb of the executors.
    pub(super) fn is_verb(&self, id: &str, verb: &str) -> bool {
        self.senses.verb.get(id).is_some_and(|sense| sense.verb.as_deref() == Some(verb))
    }

    /// A verb with nothing beside it means what needs nothing: to undo, not to cancel what is not named.
    pub(super) fn alone(&mut self) {
        let said = |item: &Item| item.free() && !item.is_symbol() && !super::clause::only_stop(item);
        let Some(at) = self.verb_at.filter(|_| self.items.iter().filter(|item| said(item)).count() == 1)
        else {
            return;
        };
        let verbs = self.items[at].senses.iter().filter(|s| s.cat == "verb" && s.command);
        let mut whole =
            verbs.filter(|s| self.senses.verb.get(s.id.as_str()).is_some_and(|v| v.tool.is_some()));
        if let Some(sense) = whole.next() {
            self.frame.verb = Some(sense.id.to_string());
        }
    }

    /// "every file", "email from Karen", "archives older than": a noun that looks like a verb, since an article comes
    /// before it or what follows describes it.
    pub(super) fn named_thing(&self, at: usize) -> bool {
        let article = |item: &Item| self.lexicon.articles.contains(&item.norm);
        if self.sense(at, "noun").is_some() && at > 0 && article(&self.items[at - 1]) {
            return true;
        }
        if self.thing_of(at) || self.is_for(at) {
            return true;
        }
        let next = |cat: &str| self.sense(at + 1, cat).is_some();
        self.sense(at, "noun").is_some()
            && self.items[at].words == 1
            && !self.items.get(at + 1).is_some_and(super::clause::only_stop)
            && (matches!(self.sense(at + 1, "prep"), Some("from"))
                || next("bound")
                || next("age")
                || next("super")
                || next("compare"))
    }

    /// "time for a 20 minute call": what free time is looked for, after how long it takes.
    pub(super) fn is_for(&self, at: usize) -> bool {
        let long = at > 1 && self.sense(at - 1, "unit").is_some() && self.items[at - 2].number().is_some();
        long && self.items.iter().any(|item| item.is("noun", "free"))
    }

    /// A noun or a flag can say what a general verb means: what is put on a calendar is booked.
    pub(super) fn turned(&mut self) {
        let Some(verb) = self.frame.verb.clone() else {
            self.dictated();
            return self.commanded("");
        };
        for at in 0..self.len() {
            let item = &self.items[at];
            if !item.free() || Some(at) == self.verb_at {
                continue;
            }
            let value = self.items.iter().any(|item| {
                let long = item.text.chars().filter(char::is_ascii_digit).count() > 4;
                matches!(item.lit, Lit::Email(_)) || matches!(item.lit, Lit::Number(_)) && long
            });
            let nouns = item.senses.iter().filter(|s| s.cat == "noun");
            let nouns = nouns.filter_map(|s| self.senses.noun.get(s.id.as_str()));
            let mut nouns = nouns.filter(|n| self.beside_ending(n) && (value || !n.with_value));
            let noun = nouns.find_map(|n| n.turns.get(&verb));
            // "into folders by" says it whole; "by" alone says nothing.
            let folders = item
                .sense("into_folders")
                .filter(|_| item.words > 2 && item.sense("by").is_none())
                .and_then(|_| self.senses.folders.get(&verb));
            let flag =
                item.sense("flag").and_then(|id| self.senses.flag.get(id)).and_then(|f| f.turns.get(&verb));
            let flag = flag.or_else(|| item.sense("output").and_then(|_| self.senses.shown.get(&verb)));
            // "put 'x_' in front of the names": what is put before names renames.
            let quoted = self.items.iter().any(|item| matches!(item.lit, Lit::Quoted(_)));
            let front = item.is("after", "prefix") && quoted;
            let flag = flag.or_else(|| self.senses.fronted.get(&verb).filter(|_| front));
            // "put the rows in order of date": they stay where they are.
            let order = item.sense("order").is_some() && item.words > 2 || self.in_order(at);
            let order = order && !(at..self.len()).any(|i| self.is(i, "prep", "to"));
            let flag = flag.or_else(|| self.senses.ordered.get(&verb).filter(|_| order));
            if let Some(other) = folders.or(noun).or(flag).filter(|other| !self.only_asked(other)) {
                self.frame.verb = Some(other.clone());
                return;
            }
            if let Some(other) = self.turning(at, &verb) {
                self.frame.verb = Some(other);
                self.take(at, at + 1, "verb");
                return;
            }
        }
        self.addressed(&verb);
        self.commanded(&verb);
    }

    /// "telegram message for Ben: 'x'": what has its text after a colon, and no verb, is written.
    fn dictated(&mut self) {
        let text = self.items.windows(2).any(|pair| {
            matches!((&pair[0].lit, &pair[1].lit), (Lit::Symbol(':'), Lit::Quoted(_))) && pair[1].free()
        });
        let text = text && !self.asks && self.items.iter().any(|item| item.is("cue", "to"));
        let nouns = self.items.iter().flat_map(|item| &item.senses).filter(|sense| sense.cat == "noun");
        let mut turns = nouns.filter_map(|sense| self.senses.noun.get(sense.id.as_str())?.turns.get("write"));
        if let Some(other) = turns.next().filter(|_| text) {
            self.frame.verb = Some(other.clone());
        }
    }

    /// "try `x`", "the output of `x`": what a verb means when what it is about is a command.
    pub(super) fn commanded(&mut self, verb: &str) {
        let literal = |item: &Item| !matches!(item.lit, Lit::Word | Lit::Symbol(_) | Lit::Command(_));
        let command = self.items.iter().any(|item| matches!(item.lit, Lit::Command(_)));
        let command = command && !self.items.iter().any(literal);
        let said = self.items.iter().position(|item| item.sense("runs").is_some());
        let Some(other) = self.senses.commanded.get(verb).filter(|_| command && !self.asks) else { return };
        if let Some(at) = said {
            self.frame.verb = Some(other.clone());
            self.take(at, at + 1, "verb");
        }
    }

    /// "put it on hold": what a verb means together with what is said at `at`, which then says nothing more.
    pub(super) fn turning(&self, at: usize, verb: &str) -> Option<String> {
        let other = self.senses.turning.get(self.sense(at, "turning")?)?.get(verb)?;
        let object = self.senses.verb.get(other).and_then(|verb| verb.object.clone());
        let about = |id: &str| self.senses.noun.get(id).is_some_and(|noun| noun.object == object);
        let named =
            self.items.iter().any(|i| i.sense("noun").is_some_and(about) || i.sense("pron").is_some());
        (named && !self.only_asked(other) && !self.items[at].capital).then(|| other.clone())
    }

    /// "write to ann@example.org": what goes to an address is sent.
    pub(super) fn addressed(&mut self, verb: &str) {
        let to = |at: &usize| matches!(self.lit(*at), Some(Lit::Email(_))) && self.is(at - 1, "cue", "to");
        let Some(other) = self.senses.addressed.get(verb).filter(|_| (1..self.len()).any(|at| to(&at)))
        else {
            return;
        };
        if !self.only_asked(other) {
            self.frame.verb = Some(other.clone());
        }
    }

    /// Whether a noun that needs a file of some ending beside it has one.
    pub(super) fn beside_ending(&self, noun: &NounSense) -> bool {
        let Some(what) = &noun.ending else { return true };
        self.items.iter().any(|item| match &item.lit {
            Lit::Path(path) | Lit::Slashed(path) | Lit::File(path) => {
                self.senses.ending(what, path).is_some()
            }
            _ => false,
        })
    }

    /// "in order of": words that lead to what things are put in order by.
    pub(super) fn in_order(&self, at: usize) -> bool {
        self.items[at].words > 2 && self.is(at, "by", "order")
    }
}
