//! Places: paths, folders by name, files by name; and which of them things come from or go to.

use super::Clause;
use crate::catalog::Role;
use crate::text::Lit;

/// A place a clause mentions.
#[derive(Clone, Debug)]
pub(crate) struct Mention {
    /// How it is introduced: `in`, `inor` (in or into), `from`, `to`, `of`, or nothing.
    pub(crate) prep: String,
    /// The path it means.
    pub(crate) path: String,
    /// The name as said, when it was a name.
    pub(crate) name: Option<String>,
    /// A file, not a folder.
    pub(crate) file: bool,
    /// A name without a place.
    pub(crate) loose: bool,
    /// Where it stands.
    pub(crate) at: usize,
    /// Said with the word for folder.
    pub(crate) called: bool,
    /// And with that word for several.
    pub(crate) plural: bool,
}

impl Clause<'_> {
    /// Every place of the clause, in order; their items are taken.
    pub(crate) fn mentions(&mut self) -> Vec<Mention> {
        let mut found = Vec::new();
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            let Some((mut mention, from, to)) = self.mention(at) else { continue };
            let folder = (from..to).find(|i| self.sense(*i, "folder_word").is_some());
            mention.called = folder.is_some();
            mention.plural = folder.is_some_and(|folder| self.several_at(folder));
            self.take(from, to, "place");
            self.described(&mention);
            found.push(mention);
        }
        found
    }

    /// "the lease ~/Documents/x.pdf": a word that only says what the file is, which its path tells from all others.
    fn described(&mut self, mention: &Mention) {
        let exact = (mention.file || !self.changes())
            && matches!(self.lit(mention.at), Some(Lit::Path(_) | Lit::Slashed(_)));
        // Where things are only looked at, a word such as "scanned" may stand there too.
        let looks = !self.changes();
        let describes = |at: usize| {
            let item = &self.items[at];
            let vague = looks && !item.senses.is_empty() && item.senses.iter().all(|s| s.cat == "vague");
            let plain = item.free() && !item.capital && matches!(item.lit, Lit::Word);
            plain && (item.senses.is_empty() || vague)
        };
        let mut word = mention.at;
        while word > 0 && mention.at - word < 2 && describes(word - 1) {
            word -= 1;
        }
        let article = word.checked_sub(1).is_some_and(|b| {
            self.sense(b, "stop").is_some() || self.sense(b, "prep").is_some() || Some(b) == self.verb_at
        });
        if exact && article {
            self.take(word, mention.at, "place");
        }
    }

    fn mention(&self, at: usize) -> Option<(Mention, usize, usize)> {
        let item = &self.items[at];
        let (from, prep) = self.introduced(at);
        let make = |path: String, name: Option<String>, file: bool, loose: bool| Mention {
            prep: prep.clone(),
            path,
            name,
            file,
            loose,
            at,
            called: false,
            plural: false,
        };
        match &item.lit {
            Lit::Path(path) => Some((make(path.clone(), None, has_ending(path), false), from, at + 1)),
            Lit::Quoted(text) if text.starts_with("~/") || text.starts_with('/') => {
                Some((make(text.clone(), None, has_ending(text), false), from, at + 1))
            }
            Lit::Quoted(text) if self.folder_word(from, at) || self.folder_after(at + 1) => Some((
                make(format!("~/{text}"), Some(text.clone()), false, false),
                from,
                at + 1 + usize::from(self.folder_after(at + 1)),
            )),
            Lit::Slashed(text) => {
                let path = self.below_home(text);
                Some((make(path, Some(text.clone()), has_ending(text), false), from, at + 1))
            }
            Lit::File(text) if !self.is_host(text) => {
                Some((make(format!("~/{text}"), Some(text.clone()), true, true), from, at + 1))
            }
            Lit::Word => self
                .folder_name(at, from, &prep)
                .map(|(path, name, end)| (make(path, Some(name), false, false), from, end)),
            _ => None,
        }
    }

    /// The preposition before `at`, over articles and the word for folder.
    fn introduced(&self, at: usize) -> (usize, String) {
        let mut from = at;
        while from > 0 {
            let before = &self.items[from - 1];
            if before.free()
                && before.sense("prep").is_none()
                && (super::clause::only_stop(before)
                    || before.sense("folder_word").is_some()
                    || from == at && before.is("noun", "archive") && self.packing(at)
                    || from > 1
                        && self.is_made_new(from - 1)
                        && self.sense(from - 2, "folder_word").is_some()
                    || before.is("cue", "named") && from > 1 && self.sense(from - 2, "folder_word").is_some()
                    || self.file_called(from - 1, at))
            {
                from -= 1;
            } else {
                break;
            }
        }
        if from > 0
            && self.free(from - 1)
            && let Some(prep) = self.sense(from - 1, "prep")
        {
            return (from - 1, prep.to_owned());
        }
        // Articles that lead to no preposition belong to nobody.
        let folder = (from..at).find(|i| self.sense(*i, "folder_word").is_some());
        (folder.unwrap_or(at), String::new())
    }

    /// "in a file called ~/x.csv": the words between the preposition and the name.
    fn file_called(&self, before: usize, at: usize) -> bool {
        let called = |i: usize| self.is(i, "cue", "named") && i + 1 == at;
        let file = |i: usize| self.is(i, "noun", "file") && self.is(i + 1, "cue", "named") && i + 2 == at;
        let literal = matches!(self.lit(at), Some(Lit::Path(_) | Lit::Slashed(_) | Lit::File(_)));
        let led = before.checked_sub(1).is_some_and(|i| self.is(i, "noun", "file"));
        literal && (called(before) && led || file(before))
    }

    /// "into an archive ~/x.zip": the noun before the name says what the name already does.
    fn packing(&self, at: usize) -> bool {
        let name = matches!(&self.items[at].lit, Lit::Path(p) | Lit::File(p) | Lit::Slashed(p)
            if self.senses.ending("archive_format", p).is_some());
        let before = self.back_over_stops(at.saturating_sub(1));
        name && before.is_some_and(|b| matches!(self.sense(b, "prep"), Some("in" | "inor" | "to")))
    }

    fn folder_word(&self, from: usize, at: usize) -> bool {
        (from..at).any(|i| self.sense(i, "folder_word").is_some())
    }

    /// "the Work folder": a name right before the word for folder.
    fn before_folder_word(&self, at: usize) -> bool {
        self.name(at, false).is_some_and(|(_, end)| self.folder_after(end))
    }

    fn folder_after(&self, at: usize) -> bool {
        self.free(at) && self.sense(at, "folder_word").is_some() && self.sense(at, "prep").is_none()
    }

    /// A folder by its name: a known one, or a word with a capital, or any word beside the word for folder.
    fn folder_name(&self, at: usize, from: usize, prep: &str) -> Option<(String, String, usize)> {
        let item = &self.items[at];
        let called = self.folder_word(from, at);
        let noun_before = (0..at).any(|i| {
            self.sense(i, "noun").is_some() && i != at && !self.items[i].is_name() || self.names_file(i)
        });
        if let Some(path) = item.sense("place") {
            let after = self.folder_after(at + 1);
            let phrase = item.words > 1 || (item.sense("noun").is_none() && item.sense("stop").is_none());
            let sure = called
                || after
                || phrase
                || item.capital && (!prep.is_empty() || self.owns(at + 1) || self.asks_about())
                || self.weighed(at)
                || item.capital && (self.renamed(at) || self.shown(at) || self.looked_into(at))
                || !prep.is_empty() && prep != "of" && noun_before && self.in_place(from, at);
            if sure && self.own_folder(at, prep) {
                let (name, end) = (item.text.clone(), at + 1 + usize::from(after));
                return Some((format!("~/{name}"), name, end));
            }
            if sure {
                return Some((path.to_owned(), item.text.clone(), at + 1 + usize::from(after)));
            }
        }
        if !item.capital && (super::clause::only_stop(item) || item.sense("polite").is_some()) {
            return None;
        }
        let dated = ["month", "weekday", "day", "rel", "unit", "number", "ordinal"]
            .iter()
            .any(|cat| item.sense(cat).is_some());
        let thing = item.sense("noun").is_some()
            && item.sense("place").is_none()
            && !self.folder_after(at + 1)
            && (prep != "to" || !item.is_name() && self.sense(at + 1, "prep").is_some())
            // "the files in Docs": what is wanted was said before, and a format ("in PDF") is not written so.
            && !((noun_before || self.pointed_before(at))
                && matches!(prep, "in" | "inor" | "from")
                && item.is_name());
        if item.capital
            && !dated
            && !thing
            && (matches!(prep, "in" | "inor" | "from" | "to")
                || prep == "of" && !self.items.iter().any(|i| i.is("noun", "image")))
            || item.capital && (called || self.before_folder_word(at))
            || item.is_name()
                && !dated
                && !thing
                && (self.packed(at) || self.looked_into(at) && self.sense(at - 1, "look_in").is_some())
        {
            let (name, end) = self.name(at, false)?;
            let after = usize::from(self.folder_after(end));
            return Some((format!("~/{name}"), name, end + after));
        }
        // Without a capital only the word for folder makes it a name.
        let plain = item.words == 1
            && !dated
            && item.sense("prep").is_none()
            && item.sense("folder_word").is_none()
            && item.sense("cue").is_none();
        if plain
            && item.sense("neg").is_none()
            && item.sense("verb").is_none()
            && item.sense("flag").is_none()
        {
            if called
                && item.sense("noun").is_none()
                && item.sense("super").is_none()
                && item.sense("ambient").is_none()
                && item.sense("vague").is_none()
            {
                return Some((format!("~/{}", item.text), item.text.clone(), at + 1));
            }
            // "the node_modules folders": no other word is written so.
            let written =
                item.text.contains(['_', '-', '.']) || item.text.ends_with(|c: char| c.is_ascii_digit());
            let led = !prep.is_empty() && prep != "of" || written;
            if led && self.folder_after(at + 1) && item.senses.is_empty() {
                return Some((format!("~/{}", item.text), item.text.clone(), at + 2));
            }
        }
        None
    }

    /// "move Photos to Backup": a word for things, written as a name, where the folder itself is meant: it is the one of that
    /// name and not the one where such things are usually kept.
    fn own_folder(&self, at: usize, prep: &str) -> bool {
        let item = &self.items[at];
        item.capital && item.sense("own_folder").is_some() && prep.is_empty() && self.changes()
    }

    /// "what's in Documents": right after a phrase that asks what is there, and nothing more.
    fn looked_into(&self, at: usize) -> bool {
        let asked = |before: usize| self.is(before, "noun", "contents") && self.items[before].words > 1;
        let end = self.name(at, false).map_or(at + 1, |(_, end)| end);
        let last = self.items[end..].iter().all(|item| item.is_symbol() || item.sense("polite").is_some());
        let led = self.items.get(end).is_some_and(|next| next.sense("prep").is_some());
        (last || led && self.changes()) && at.checked_sub(1).is_some_and(asked)
    }

    /// "zip Work into …": what is written as a name right after a verb that packs is the folder of that name.
    fn packed(&self, at: usize) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let packs = verb.is_some_and(|verb| verb.goals.contains(&Role::Dst));
        let beside = self.verb_at.is_some_and(|verb| verb + 1 == at);
        let end = self.name(at, false).map_or(at + 1, |(_, end)| end);
        packs
            && beside
            && self.items.get(end).is_none_or(|next| next.is_symbol() || next.sense("prep").is_some())
    }

    /// "rename X to Y", "move X to Y": what is written as a name right after the verb is what is meant, not what is in it.
    fn renamed(&self, at: usize) -> bool {
        self.changes() && self.verb_at.is_some_and(|verb| verb + 1 == at) && !self.owns(at + 1)
    }

    /// "list Pictures": a folder written as a name right after the verb, and nothing more.
    fn shown(&self, at: usize) -> bool {
        let last = self.items[at + 1..].iter().all(|item| item.is_symbol() || item.sense("polite").is_some());
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let own = |i: usize| self.sense(i, "self").is_some();
        let beside = self.verb_at.is_some_and(|verb| verb < at && (verb + 1..at).all(own));
        last && beside && verb.is_some_and(|verb| verb.query)
    }

    pub(crate) fn names_file(&self, at: usize) -> bool {
        matches!(&self.items[at].lit, Lit::Path(path) | Lit::Slashed(path) | Lit::File(path) if has_ending(path))
    }

    /// "what about Downloads?": the earlier request, elsewhere.
    fn asks_about(&self) -> bool {
        self.items.iter().any(|item| item.sense("what_about").is_some())
    }

    /// "my Downloads PDFs": a folder before the things that are in it.
    fn owns(&self, at: usize) -> bool {
        let noun = self.items.get(at).filter(|i| i.free() && !i.capital).and_then(|i| i.sense("noun"));
        noun.and_then(|id| self.senses.noun.get(id)).is_some_and(|n| n.object.as_deref() == Some("files"))
    }

    /// A folder whose space is asked for: with its capital, or bare after a verb that speaks of one thing.
    ///
    /// Where another place is named too, the word says what kind of things are weighed there.
    fn weighed(&self, at: usize) -> bool {
        let item = &self.items[at];
        let asked = self.items.iter().any(|i| {
            i.is("stat", "size") || i.is("noun", "space") || i.is("verb", "weigh") || i.sense("one").is_some()
        });
        let bare = at.checked_sub(1).is_some_and(|before| self.sense(before, "one").is_some());
        let elsewhere = self.items.iter().enumerate().any(|(i, other)| {
            i != at && (matches!(other.lit, Lit::Path(_) | Lit::Slashed(_)) || other.sense("place").is_some())
        });
        asked && !elsewhere && (item.capital || bare)
    }

    /// No article stands between the preposition and the name, as in "in documents".
    fn in_place(&self, from: usize, at: usize) -> bool {
        at - from == 1 || self.items[from].words > 1
    }

    /// `Documenti/Fatture`: the first part may be a folder known by another name.
    pub(crate) fn below_home(&self, text: &str) -> String {
        let (first, rest) = text.split_once('/').unwrap_or((text, ""));
        let known = self
            .lexicon
            .single(&first.to_lowercase())
            .filter(|p| {
                first.starts_with(char::is_lowercase) || p.senses.iter().all(|s| s.cat != "own_folder")
            })
            .and_then(|p| p.senses.iter().find(|s| s.cat == "place"));
        match known {
            Some(place) => format!("{}/{rest}", place.id),
            None => format!("~/{text}"),
        }
    }

    pub(crate) fn is_host(&self, text: &str) -> bool {
        let end = text.rsplit('.').next().unwrap_or_default().to_lowercase();
        self.senses.tlds.contains(&end) && self.senses.extension(&end).is_none()
    }
}

/// Files that are so called wherever there is Unix, and have no ending.
const BARE: &str = "hosts hostname fstab mtab passwd group shadow sudoers crontab syslog motd authorized_keys known_hosts \
    README LICENSE COPYING CHANGELOG Makefile Dockerfile .bashrc .profile .zshrc .vimrc .gitconfig";

/// Whether a path ends as one of a file does: with an ending, or with a name that only files have.
pub(crate) fn has_ending(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    let bare = last.len() < path.len() && BARE.split_whitespace().any(|name| name == last);
    bare || last.rfind('.').is_some_and(|dot| dot > 0 && dot + 1 < last.len() && last[dot + 1..].len() <= 5)
}
