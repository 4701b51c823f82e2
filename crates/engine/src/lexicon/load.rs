//! A lexicon file read: stems take their endings, phrases become tokens.

use super::name::{Name, Names};
use super::{Broken, Lexicon, Phrase, Sense};
use std::collections::BTreeMap;
use toml::{Table, Value};

pub(super) const SHIPPED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/lexicons.rs"));

/// Why a lexicon could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LexiconError {
    /// Not TOML, or not of the expected shape.
    #[error("lexicon: {0}")]
    Toml(#[from] toml::de::Error),
    /// Phrases that cannot be read.
    #[error(transparent)]
    Literal(#[from] crate::shortcut::LiteralError),
    /// Reading it ended before it was read.
    #[error("a lexicon could not be read")]
    Lost,
    /// A stem names endings that are not there.
    #[error("lexicon {language}: {word:?} names no paradigm of this file")]
    Paradigm {
        /// The file.
        language: String,
        /// The word.
        word: String,
    },
}

/// Where a phrase lets something in between.
const GAP: &str = " … ";

/// Sections that are not categories.
const HEAD: [&str; 2] = ["paradigms", "enclitics"];

impl Lexicon {
    /// The lexicon in `text`.
    pub fn read(language: &str, text: &str) -> Result<Self, LexiconError> {
        let file: Table = toml::from_str(text)?;
        let words = |key: &str| file.get(key).map(list).unwrap_or_default();
        let mut enclitics: Vec<(String, String)> = section(&file, "enclitics")
            .map(|(tail, meaning)| (tail.clone(), meaning.as_str().unwrap_or_default().to_owned()))
            .collect();
        enclitics.sort_by(|a, b| b.0.chars().count().cmp(&a.0.chars().count()).then(a.0.cmp(&b.0)));
        let mut lexicon = Self {
            language: language.to_owned(),
            tails: words("tails"),
            plural_words: words("plural_words"),
            all_words: words("all_words"),
            idle_words: words("idle_words"),
            articles: words("articles"),
            deed_words: words("deed_words"),
            fact_words: words("fact_words"),
            binding_words: words("binding_words"),
            time_words: words("time_words"),
            ceasing_words: words("ceasing_words"),
            lacking_words: words("lacking_words"),
            relative_words: words("relative_words"),
            erasing_words: words("erasing_words"),
            title_words: words("title_words"),
            articled_dates: file.get("articled_dates").and_then(Value::as_bool).unwrap_or(true),
            day_first: file.get("day_first").and_then(Value::as_bool).unwrap_or(true),
            deed_endings: words("deed_endings"),
            singular_words: words("singular_words"),
            pointing: words("pointing"),
            mass_words: words("mass_words"),
            plural_endings: words("plural_endings"),
            enclitics,
            folds: words("folds").iter().filter_map(|pair| pair.split_once('=')).map(pair).collect(),
            phrases: BTreeMap::new(),
            broken: BTreeMap::new(),
            speller: std::sync::OnceLock::new(),
        };
        let paradigms = section(&file, "paradigms").map(|(name, endings)| (name.clone(), list(endings)));
        let mut names = Names::default();
        let mut reader = Reader { paradigms: paradigms.collect(), names: &mut names, lexicon: &mut lexicon };
        for (cat, senses) in &file {
            let Some(senses) = senses.as_table().filter(|_| !HEAD.contains(&cat.as_str())) else { continue };
            for (id, words) in senses {
                let sense = Sense::of(reader.names.get(cat), reader.names.get(id));
                for word in list(words) {
                    reader.add(&sense, &word)?;
                }
            }
        }
        lexicon.settle();
        lexicon.fold(&mut names);
        lexicon.settle();
        for phrases in lexicon.broken.values_mut() {
            phrases.sort_by_key(|phrase| std::cmp::Reverse(phrase.head.len() + phrase.tail.len()));
        }
        Ok(lexicon)
    }

    /// Puts the longest phrases first, each once with all its senses.
    fn settle(&mut self) {
        for phrases in self.phrases.values_mut() {
            phrases.sort_by(|a, b| b.words.len().cmp(&a.words.len()).then_with(|| a.words.cmp(&b.words)));
            phrases.dedup_by(|again, first| {
                let same = again.words == first.words;
                if same {
                    again.senses.drain(..).for_each(|sense| first.means(sense));
                }
                same
            });
        }
    }

    /// Adds every phrase with marked letters as it is written without marks, and with an apostrophe in their place.
    fn fold(&mut self, names: &mut Names) {
        let mut folded: Vec<Phrase> = Vec::new();
        for phrase in self.phrases.values().flatten() {
            if !phrase.words.iter().any(|word| self.is_marked(word)) {
                continue;
            }
            let plain: Vec<Name> = phrase.words.iter().map(|word| names.get(&self.plain(word))).collect();
            // A word that is another one without its marks stays what it is, unless it is bound to the one before: "c'e".
            let other = (0..plain.len()).any(|at| {
                let bound = at.checked_sub(1).is_some_and(|before| plain[before].ends_with('\''));
                plain[at] != phrase.words[at] && self.single(&plain[at]).is_some() && !bound
            });
            let ticked = phrase.words.iter().map(|word| names.get(&self.ticked(word))).collect();
            let forms = [(!other).then_some(plain), Some(ticked)];
            folded.extend(
                forms.into_iter().flatten().map(|words| Phrase { words, senses: phrase.senses.clone() }),
            );
        }
        for phrase in folded {
            self.phrases.entry(phrase.words[0].clone()).or_default().push(phrase);
        }
    }

    fn is_marked(&self, word: &str) -> bool {
        !word.is_ascii() && word.chars().any(|c| self.folds.contains_key(&c))
    }

    /// A word without the marks of its letters.
    pub(crate) fn plain(&self, word: &str) -> String {
        word.chars().map(|c| self.folds.get(&c).copied().unwrap_or(c)).collect()
    }

    /// A word whose last letter has an apostrophe instead of its mark.
    fn ticked(&self, word: &str) -> String {
        let tick =
            if word.chars().next_back().is_some_and(|c| self.folds.contains_key(&c)) { "'" } else { "" };
        format!("{}{tick}", self.plain(word))
    }
}

impl Phrase {
    /// Adds a sense, or to the same sense what this form can do besides.
    fn means(&mut self, sense: Sense) {
        match self.senses.iter_mut().find(|known| known.cat == sense.cat && known.id == sense.id) {
            Some(known) => {
                known.command |= sense.command;
                known.participle |= sense.participle;
                known.opens |= sense.opens;
            }
            None => self.senses.push(sense),
        }
    }
}

/// One form of a phrase, while it is put together.
#[derive(Clone)]
struct Form {
    text: String,
    command: bool,
    participle: bool,
    opens: bool,
}

/// A lexicon that is being read.
struct Reader<'l> {
    paradigms: BTreeMap<String, Vec<String>>,
    names: &'l mut Names,
    lexicon: &'l mut Lexicon,
}

impl Reader<'_> {
    /// Adds every form of a phrase.
    fn add(&mut self, sense: &Sense, phrase: &str) -> Result<(), LexiconError> {
        let (phrase, tail) =
            phrase.split_once(GAP).map_or((phrase, None), |(head, tail)| (head.trim(), Some(tail.trim())));
        // A phrase that begins with ^ is the participle of a verb; so is an ending that does.
        let (phrase, whole) = phrase.strip_prefix('^').map_or((phrase, false), |rest| (rest, true));
        // A verb in several words is known in the forms that order; the others are written out where they matter.
        let idle = sense.cat == "verb" && phrase.contains(' ') && !whole;
        for form in self.forms(phrase, whole)?.into_iter().filter(|form| !idle || form.command) {
            let words = self.words(&form.text);
            let Some(first) = words.first().cloned() else { continue };
            let Form { command, participle, opens, .. } = form;
            let sense = Sense { command, participle, opens, ..sense.clone() };
            if let Some(tail) = tail {
                let speaks = tail.starts_with('(');
                let tail = self.words(tail.trim_matches(['(', ')']));
                let known = self.lexicon.broken.entry(first).or_default();
                known.push(Broken { head: words, tail, speaks, sense });
            } else {
                let known = self.lexicon.phrases.entry(first).or_default();
                known.push(Phrase { words, senses: vec![sense] });
            }
        }
        Ok(())
    }

    /// Every form of a phrase: each stem with each of its endings.
    fn forms(&self, phrase: &str, whole: bool) -> Result<Vec<Form>, LexiconError> {
        let start = Form { text: String::new(), command: !whole, participle: whole, opens: false };
        // Most phrases have one form, which needs no putting together.
        if !phrase.contains('@') {
            return Ok(vec![Form { text: phrase.to_owned(), ..start }]);
        }
        let mut forms = vec![start];
        for word in phrase.split_whitespace() {
            let (stem, endings) = match word.split_once('@').filter(|(stem, _)| !stem.is_empty()) {
                None => (word, None),
                Some((stem, paradigm)) => (stem, Some(self.endings(word, paradigm)?)),
            };
            forms = match endings {
                None => forms.into_iter().map(|form| form.and(stem, "+")).collect(),
                Some(endings) => forms
                    .iter()
                    .flat_map(|form| endings.iter().map(move |ending| form.clone().and(stem, ending)))
                    .collect(),
            };
        }
        Ok(forms)
    }

    /// The endings of a paradigm, which `word` names.
    fn endings(&self, word: &str, paradigm: &str) -> Result<&[String], LexiconError> {
        self.paradigms.get(paradigm).map(Vec::as_slice).ok_or_else(|| LexiconError::Paradigm {
            language: self.lexicon.language.clone(),
            word: word.to_owned(),
        })
    }

    /// The words of a phrase. Small letters and spaces need no tokenizer.
    fn words(&mut self, phrase: &str) -> Vec<Name> {
        if phrase.chars().all(|c| c.is_lowercase() || c == ' ') {
            return phrase
                .split(' ')
                .filter(|word| !word.is_empty())
                .map(|word| self.names.get(word))
                .collect();
        }
        let tokens = crate::text::tokens(phrase, &self.lexicon.tails);
        tokens.iter().map(|token| self.names.get(&token.norm)).collect()
    }
}

impl Form {
    /// This form with one more word: a stem and its ending, which may begin with what the form is then.
    fn and(mut self, stem: &str, ending: &str) -> Self {
        if !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(stem);
        self.text.push_str(ending.trim_start_matches(['+', '^']));
        self.command &= ending.starts_with('+');
        self.participle |= ending.starts_with('^');
        self.opens |= ending.starts_with("^+");
        self
    }
}

/// The texts of a list.
fn list(value: &Value) -> Vec<String> {
    let all = value.as_array().into_iter().flatten();
    all.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// A letter with its mark, and without.
fn pair((marked, plain): (&str, &str)) -> (char, char) {
    (marked.chars().next().unwrap_or_default(), plain.chars().next().unwrap_or_default())
}

fn section<'a>(file: &'a Table, name: &str) -> impl Iterator<Item = (&'a String, &'a Value)> {
    file.get(name).and_then(Value::as_table).into_iter().flatten()
}
