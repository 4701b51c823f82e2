//! Constructions that mean another verb than the one they are said with: "put the photos in order of size" sorts,
//! "are a.txt and b.txt the same" compares, "I need a.png as a jpg" converts, "which links are in x.txt" takes out.

use super::clause::only_stop;
use super::places::has_ending;
use super::{Clause, Item};
use crate::catalog::Role;
use crate::lexicon::VerbSense;
use crate::text::Lit;

impl Clause<'_> {
    /// Gives the clause the verb that its construction means.
    pub(crate) fn meant(&mut self) {
        self.put_in_order();
        self.alike();
        self.reformatted();
        self.picked();
    }

    /// The sense of the main verb.
    fn verb_sense(&self) -> Option<&VerbSense> {
        self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id))
    }

    /// The verb whose sense is this.
    fn verb_like(&self, test: impl Fn(&VerbSense) -> bool) -> Option<String> {
        self.senses.verb.iter().find(|(_, verb)| test(verb)).map(|(id, _)| id.clone())
    }

    /// Whether the verb, if there is one, only looks.
    fn only_looks(&self) -> bool {
        self.verb_sense().is_none_or(|verb| verb.query)
    }

    /// Whether the verb puts things where "in" leads.
    fn puts(&self) -> bool {
        self.verb_sense().is_some_and(|verb| verb.in_goal && verb.goals == [Role::DstDir])
    }

    /// "put the photos in order of size": they are sorted, and stay where they are.
    fn put_in_order(&mut self) {
        let order = |at: usize| {
            let item = &self.items[at];
            Some(at) != self.verb_at
                && item.words > 1
                && item.sense("order").is_some()
                && item.sense("cue").is_none()
        };
        let leads = (0..self.len()).any(|at| self.is(at, "prep", "to") && self.sense(at, "self").is_none());
        // "put them in X in order of size": what is pointed to goes there.
        let points = self.items.iter().any(|item| item.is("pron", "them") || item.is("pron", "it"));
        let place = self.items.iter().any(|item| {
            matches!(item.lit, Lit::Path(_) | Lit::Slashed(_)) || item.capital && !item.is_symbol()
        });
        if self.puts() && !leads && !(points && place) && (0..self.len()).any(order) {
            self.frame.verb = self.verb_like(|verb| verb.orders);
        }
    }

    /// "are a.txt and b.txt the same": two files, and a word for how alike they are.
    fn alike(&mut self) {
        let found = (0..self.len()).find(|at| self.free(*at) && self.sense(*at, "alike").is_some());
        let Some(at) = found.filter(|_| self.only_looks() || self.puts()) else { return };
        if self.named_files().len() == 2 {
            self.frame.verb = self.sense(at, "alike").map(str::to_owned);
            for at in at..self.len() {
                if self.sense(at, "alike").is_some() {
                    self.take(at, at + 1, "verb");
                }
            }
        }
    }

    /// Where files with an ending are named.
    pub(crate) fn named_files(&self) -> Vec<usize> {
        let file = |item: &Item| match &item.lit {
            Lit::Path(path) | Lit::Slashed(path) | Lit::File(path) => has_ending(path),
            _ => false,
        };
        (0..self.len()).filter(|at| file(&self.items[*at])).collect()
    }

    /// "I need a.png as a jpg", "make mp3s out of the wavs": the things in another format are asked for.
    fn reformatted(&mut self) {
        let makes = self.verb_sense().is_some_and(|verb| verb.verb.as_deref() == Some("create"));
        let saves = self.verb_sense().is_some_and(|verb| verb.goals.contains(&Role::OutPath) && !verb.makes);
        if self.asks || !(self.only_looks() || makes || saves) {
            return;
        }
        for at in 0..self.len() {
            let Some(format) = self.format_word(at).filter(|_| self.free(at)) else { continue };
            let made = || self.made_of(at, &format, makes).filter(|_| !saves);
            let Some((from, to)) = self.as_format(at, &format).or_else(made) else { continue };
            self.frame.verb = self.verb_like(|verb| verb.qualifier.as_deref() == Some("format"));
            self.frame.set(Role::ToFormat, format);
            self.take(from, to, "format");
            return;
        }
    }

    /// The format that a word names, in the singular or in the plural.
    pub(crate) fn format_word(&self, at: usize) -> Option<String> {
        let item = self.items.get(at)?;
        match &item.lit {
            Lit::Ext(ext) => Some(ext.clone()),
            Lit::Word if item.is("noun", "pdf") && item.words == 1 => Some("pdf".to_owned()),
            Lit::Word => self
                .extension_word(item)
                .or_else(|| self.senses.extension(&item.norm).map(|_| item.norm.clone())),
            _ => None,
        }
    }

    /// "as a jpg", of one file that is no jpg, or of what somebody wants so: where that begins and ends.
    fn as_format(&self, at: usize, format: &str) -> Option<(usize, usize)> {
        let cue = (0..at).rev().find(|i| self.is(*i, "cue", "as_format"))?;
        let beside = self.free(cue) && self.skip_stops(cue + 1) == at;
        let over = |item: &Item| item.is_symbol() || item.sense("polite").is_some() || only_stop(item);
        let last = self.items[at + 1..].iter().all(over);
        let other = matches!(&self.named_files()[..], [file] if self.ends_otherwise(*file, format));
        let wanted = (0..cue).find(|i| self.is(*i, "wish", "want"));
        let so = wanted.is_some_and(|want| self.sense(cue, "prep").is_none() || want + 1 == cue);
        let things = (0..cue).any(|i| self.is_files(i));
        (beside && last && (other || so && things && self.named_files().is_empty())).then_some((cue, at + 1))
    }

    /// Whether the file named at `at` has an ending, and another one than this.
    fn ends_otherwise(&self, at: usize, format: &str) -> bool {
        let ending = self.items[at].text.rsplit('.').next().unwrap_or_default().to_lowercase();
        let packed = self.senses.ending("archive_format", &self.items[at].text).is_some();
        ending != format && !packed
    }

    /// Whether a word names files of a kind.
    fn is_files(&self, at: usize) -> bool {
        let noun = self.sense(at, "noun").and_then(|id| self.senses.noun.get(id));
        noun.is_some_and(|noun| noun.object.as_deref() == Some("files") && noun.verb.is_none())
    }

    /// "make mp3s out of the wav files", "a pdf version of a.docx": what is made, right after the verb, and of what.
    fn made_of(&self, at: usize, format: &str, makes: bool) -> Option<(usize, usize)> {
        let small =
            |i: &usize| only_stop(&self.items[*i]) || self.lexicon.articles.contains(&self.items[*i].norm);
        let verb = (0..at).rev().find(|i| !small(i))?;
        let ordered = self.items[verb].command().is_some();
        let version = [at + 1, at - 1].into_iter().find(|i| self.sense(*i, "version").is_some());
        let source = |i: usize| {
            let prep = self.is(i, "prep", "from") || makes && self.is(i, "prep", "of");
            let mut next = self.skip_stops(i + 1);
            next += usize::from(self.is(next, "noun", "file"));
            let folder = self.sense(next + 1, "folder_word").is_some();
            let other = self.format_word(next).is_some_and(|other| other != format) && next != at && !folder;
            prep && (other || self.named_files().contains(&next) && self.ends_otherwise(next, format))
        };
        let one =
            matches!(&self.named_files()[..], [file] if *file > at && self.ends_otherwise(*file, format));
        if let Some(version) = version.filter(|_| one) {
            let file = self.named_files()[0];
            return Some((at.min(version), file));
        }
        let found = (0..self.len()).find(|i| source(*i)).filter(|_| ordered && version.is_none())?;
        let file = self.skip_stops(found + 1);
        let named = found == at + 1 && self.named_files().contains(&file);
        Some((at, if named { file } else { at + 1 }))
    }

    /// "pull out the lines with 'x'", "pick out the invoices": things are looked for, no values in their texts.
    fn picked(&mut self) {
        let Some(other) = self.verb_sense().and_then(|verb| verb.on_things.clone()) else { return };
        let field = |item: &Item| item.sense("extract_field").is_some();
        let packed = !self.named_files().is_empty();
        let archive = |item: &Item| item.is("noun", "archive");
        let packed = packed || self.items.iter().any(archive);
        let thing = |at: usize| {
            let noun = self.sense(at, "noun").and_then(|id| self.senses.noun.get(id));
            Some(at) != self.verb_at
                && noun.is_some_and(|noun| match noun.object.as_deref() {
                    Some("messages") => noun.set.contains_key(&Role::Dimension),
                    Some("texts") => noun.qualifier.is_some(),
                    Some("files") => noun.set.contains_key(&Role::Kind) && !packed,
                    _ => false,
                })
        };
        let thing = !self.items.iter().any(field) && (0..self.len()).any(thing);
        if thing {
            self.frame.verb = Some(other);
        }
    }

    /// "which links are in x.txt", "give me the amounts in them": values that stand in texts are asked for.
    pub(crate) fn asked_fields(&mut self, hint: &str) {
        let found = (0..self.len()).find(|at| self.asked_field(*at));
        let Some(first) = found.filter(|_| self.only_looks() && !self.tabular()) else { return };
        if !(self.in_named_file(first) || self.in_what_was_said(first, hint) || self.out_of_things(first)) {
            return;
        }
        self.frame.verb = self.verb_like(|verb| verb.on_things.is_some());
        for at in first..self.len() {
            if let Some(field) =
                self.sense(at, "extract_field").filter(|_| self.asked_field(at)).map(str::to_owned)
            {
                if !self.frame.extract.contains(&field) {
                    self.frame.extract.push(field);
                }
                self.take(at, at + 1, "field");
            }
        }
    }

    /// A value that texts hold, and no word for messages.
    fn asked_field(&self, at: usize) -> bool {
        let noun = self.sense(at, "noun").and_then(|id| self.senses.noun.get(id));
        let mail = noun.is_some_and(|noun| noun.object.as_deref() == Some("messages"));
        self.free(at) && Some(at) != self.verb_at && self.sense(at, "extract_field").is_some() && !mail
    }

    /// Whether a file is named after a value, as what it stands in.
    fn in_named_file(&self, field: usize) -> bool {
        let address = |at: &usize| matches!(self.lit(*at), Some(Lit::Url(_)));
        let named: Vec<usize> =
            self.named_files().into_iter().chain((0..self.len()).filter(address)).collect();
        let [file] = named[..] else { return false };
        let prep = self.back_over_stops(file).and_then(|before| self.sense(before, "prep"));
        let only =
            (0..self.len()).all(|at| at == field || self.sense(at, "noun").is_none() || self.is_files(at));
        matches!(prep, Some("in" | "inor" | "from")) && only
    }

    /// Whether the values are those of the texts that were spoken of before.
    fn in_what_was_said(&self, field: usize, hint: &str) -> bool {
        let ordered = self.back_over_stops(field).is_some_and(|before| {
            let item = &self.items[before];
            item.command().is_some() || item.sense("self").is_some() || item.taken == "polite"
        });
        let rest = &self.items[field + 1..];
        let points = rest.iter().any(|item| {
            item.is("pron", "them")
                || item.is("pron", "it")
                || item.is("pron", "there")
                || item.is("cue", "contains")
        });
        const SMALL: [&str; 10] =
            ["stop", "prep", "pron", "cue", "then", "ask", "wish", "subject", "extract_field", "polite"];
        let small = |item: &Item| {
            let looks = item.command().is_some_and(|id| self.senses.asks(id));
            let word =
                item.is("noun", "contents") || looks || SMALL.iter().any(|cat| item.sense(cat).is_some());
            item.is_symbol() || word && (item.sense("noun").is_none() || item.is("noun", "contents"))
        };
        let measure = self.sense(field, "field").is_some();
        let bare = !measure;
        let literal = |item: &Item| !matches!(item.lit, Lit::Word | Lit::Symbol(_)) || item.capital;
        matches!(hint, "messages" | "files")
            && ordered
            && (points || bare)
            && rest.iter().all(|item| small(item) && !literal(item))
    }

    /// "from the messages … dig out the links": out of what they are to be taken.
    fn out_of_things(&self, field: usize) -> bool {
        let ordered =
            self.back_over_stops(field).is_some_and(|before| self.items[before].command().is_some());
        let things = |at: usize| {
            let noun = self.sense(at, "noun").and_then(|id| self.senses.noun.get(id));
            let object = noun.and_then(|noun| noun.object.as_deref());
            let prep = self.back_over_stops(at).and_then(|before| self.sense(before, "prep"));
            matches!(object, Some("messages" | "files")) && matches!(prep, Some("from" | "in" | "inor"))
        };
        ordered && (0..self.len()).any(|at| at != field && things(at))
    }
}
