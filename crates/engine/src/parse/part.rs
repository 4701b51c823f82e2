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
        let empties = self.verb_at.is_some_and(|verb| self.sense(verb, "empties").is_some());
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

    /// "the videos of Rome in Movies": a name that is no known place, after "of", where another place is named.
    pub(crate) fn of_somebody(&self, mentions: &[Mention]) -> Vec<String> {
        let folder = |m: &&Mention| !m.file && matches!(m.prep.as_str(), "in" | "inor" | "from");
        let placed = mentions.iter().any(|m| folder(&m));
        let named = |m: &&Mention| {
            let word = matches!(self.lit(m.at), Some(Lit::Word)) && self.sense(m.at, "place").is_none();
            m.prep == "of" && !m.file && word
        };
        mentions.iter().filter(|m| placed && named(m)).filter_map(|m| m.name.clone()).collect()
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
