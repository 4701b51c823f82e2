//! Acts on a part of a file: "the rows of x.csv", "the photos in x.zip". The file itself is not what is meant.

use super::places::Mention;
use super::{Anaphor, Clause, Item};
use crate::catalog::Role;
use crate::lexicon::{Lexicon, VerbSense};
use crate::text::Lit;

impl Clause<'_> {
    /// The files of which only a part was named, where the verb would change the whole file.
    pub(crate) fn parts_of_files(&self, verb: &VerbSense, mentions: &[Mention]) -> Vec<String> {
        let alters = verb.changes() && !verb.query && !verb.makes && !verb.goals.contains(&Role::OutPath);
        if !alters || matches!(verb.verb.as_deref(), Some("send" | "extract")) {
            return Vec::new();
        }
        let goal = self.goal(&verb.goals, verb.in_goal, mentions);
        let content = |item: &&Item| {
            item.free()
                && item.words > 1
                && item.sense("verb").is_some()
                && ends_in_prep(&item.norm, self.lexicon)
        };
        if let Some(phrase) = self.items.iter().find(content) {
            return vec![phrase.text.clone()];
        }
        let empties = self.verb_at.is_some_and(|verb| self.is(verb, "empties", "empties"));
        let part = |(at, m): (usize, &Mention)| {
            let within = matches!(m.prep.as_str(), "of" | "from" | "in" | "inor");
            let whole = self.after_verb(m.at) || self.is_there(m);
            let named = m.file && Some(at) != goal && (within && !whole || empties);
            named.then(|| m.name.clone().unwrap_or_else(|| m.path.clone()))
        };
        mentions.iter().enumerate().filter_map(part).collect()
    }

    /// "the file in ~/x.pdf", "the second file in a.txt": one file, and where it is.
    fn is_there(&self, mention: &Mention) -> bool {
        let one = self.frame.singular && matches!(mention.prep.as_str(), "in" | "inor");
        let file = |id: &str| {
            let noun = self.senses.noun.get(id);
            noun.is_some_and(|noun| noun.object.as_deref() == Some("files") && noun.qualifier.is_none())
        };
        let thing = self.frame.nouns.iter().all(|noun| file(&noun.id)) && !self.frame.nouns.is_empty();
        let holds = self.senses.ending("archive_format", &mention.path).is_some()
            || self.senses.ending("qualifier", &mention.path).is_some();
        one && thing && !holds && !matches!(self.frame.anaphor, Some(Anaphor::Index(_)))
    }

    /// "clear Downloads": what is in a folder is meant, not the folder. Who only cleans has not said what goes.
    pub(crate) fn emptied(&mut self) {
        let Some(verb) = self.verb_at.filter(|verb| self.sense(*verb, "empties").is_some()) else { return };
        let folder = |id: &str| self.senses.noun.get(id).is_some_and(|n| n.object.as_deref() == Some("dirs"));
        let only = self.frame.nouns.iter().all(|noun| folder(&noun.id)) && self.frame.kinds.is_empty();
        let chosen =
            self.frame.has(Role::Empty) || self.frame.has(Role::Patterns) || self.frame.anaphor.is_some();
        if !only || chosen || !self.changes() || !self.frame.has(Role::Place) {
            return;
        }
        if self.is(verb, "empties", "cleans") {
            let word = self.items[verb].text.clone();
            self.frame.leftover.push(word);
        }
        "files".clone_into(&mut self.frame.object);
    }

    /// "the videos of Rome in Movies": a name that is no known place, after "of", where another place is named.
    pub(crate) fn of_somebody(&self, mentions: &[Mention]) -> Vec<String> {
        let folder = |m: &&Mention| !m.file && matches!(m.prep.as_str(), "in" | "inor" | "from");
        let placed = mentions.iter().any(|m| folder(&m));
        let named = |m: &&Mention| {
            let word = matches!(self.lit(m.at), Some(Lit::Word)) && self.sense(m.at, "place").is_none();
            m.prep == "of" && !m.file && word
        };
        // "delete the songs of Vasco": by him or in a folder; what goes away is not guessed at.
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let goes = verb.is_some_and(|verb| matches!(verb.verb.as_deref(), Some("delete" | "move")));
        let works = self.frame.kinds.iter().any(|kind| matches!(kind.as_str(), "audio" | "video"));
        let owned = |m: &&Mention| goes && works && named(m) && !m.called;
        let lost = |m: &&Mention| {
            placed && named(m) || owned(m) || self.changes() && self.done_there(m, mentions.len() > 1)
        };
        mentions.iter().filter(lost).filter_map(|m| m.name.clone()).collect()
    }

    /// "taken in Rome", "made by Marco": where or by whom something was done, and no folder.
    fn done_there(&self, mention: &Mention, several: bool) -> bool {
        let word =
            matches!(self.lit(mention.at), Some(Lit::Word)) && self.sense(mention.at, "place").is_none();
        let prep = (0..mention.at).rev().find(|i| self.sense(*i, "prep").is_some());
        let deed = prep.and_then(|prep| prep.checked_sub(1)).filter(|before| Some(*before) != self.verb_at);
        let deed = deed.filter(|before| !self.items[*before].capital).and_then(|b| self.sense(b, "touch"));
        let deed = match deed {
            Some("taken") => true,
            Some(_) => mention.prep == "from" || mention.prep == "to" && several,
            None => false,
        };
        word && deed && !self.items[..mention.at].iter().any(|item| item.sense("folder_word").is_some())
    }

    /// Whether nothing but small words stands between the verb and `at`.
    pub(crate) fn after_verb(&self, at: usize) -> bool {
        let small = |i: usize| {
            let item = &self.items[i];
            let leads = item.sense("prep").is_some() || item.sense("folder_word").is_some();
            (super::clause::only_stop(item) || leads) && item.sense("vague").is_none()
        };
        self.verb_at.is_some_and(|verb| verb < at && (verb + 1..at).all(small))
    }

    /// Whether an archive is where things go: after "to", or after "in" where nothing else says where they go.
    pub(crate) fn packs(&self, mentions: &[Mention]) -> bool {
        let archive = |m: &Mention| self.senses.ending("archive_format", &m.path).is_some();
        let leads = mentions.iter().any(|m| m.prep == "to" && !archive(m));
        mentions.iter().enumerate().any(|(at, m)| {
            let last = mentions[at + 1..].iter().all(|other| !matches!(other.prep.as_str(), "in" | "inor"));
            let inside =
                matches!(m.prep.as_str(), "in" | "inor") && !leads && (last || self.after_verb(m.at));
            archive(m) && (m.prep == "to" || inside)
        })
    }

    /// Whether something is pointed back to before `at`.
    pub(crate) fn pointed_before(&self, at: usize) -> bool {
        let back = |i: usize| self.is(i, "pron", "them") || self.is(i, "pron", "it");
        (0..at).any(|i| self.items[i].words == 0 && back(i))
    }
}

/// Whether the last word of a phrase leads to something: "the content of".
pub(crate) fn ends_in_prep(phrase: &str, lexicon: &Lexicon) -> bool {
    let last = phrase.rsplit(' ').next().and_then(|word| lexicon.single(word));
    last.is_some_and(|word| word.senses.iter().any(|sense| sense.cat == "prep"))
}
