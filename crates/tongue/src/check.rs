//! What a language lacks against English, what it has that English does not, and what does not fit.

use crate::folder::{self, Folder};
use crate::lines::{listed, pairs, sentences};
use crate::overlay::{Unfit, fits, slots};
use crate::{COMMON, FALLBACK, SHIPPED, TEXTS, Tongue};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use toml::{Table, Value};

/// The phrases: in English a list, elsewhere pairs.
const PHRASES: &str = "texts/phrases.txt";
/// What the system says is known by a number, which only the other side may say.
const NUMBER: &str = "errno ";

/// What is wrong with a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Wrong {
    /// It is not said: the English one is.
    Missing,
    /// English has no such line: nobody will ever say it.
    Stale,
    /// Its values are others than in English.
    Slots,
    /// It is no text, no list or no table as in English.
    Shape,
    /// The file cannot be read.
    Broken,
}

impl Wrong {
    /// Whether a folder with it is refused: with the others the house does well.
    pub fn is_error(self) -> bool {
        matches!(self, Self::Slots | Self::Shape | Self::Broken)
    }
}

/// One line that is not as it should be.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// The file.
    pub file: String,
    /// The line; empty for all of the file.
    pub key: String,
    /// What is wrong.
    pub wrong: Wrong,
    /// Why, in words.
    pub why: String,
}

/// What was found in a language.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Check {
    /// Lines of English.
    pub lines: usize,
    /// Those of them that the language says.
    pub said: usize,
    /// What is not as it should be.
    pub findings: Vec<Finding>,
}

impl Check {
    /// How much of it is said, in whole hundredths; all of it only when nothing is missing.
    pub fn percent(&self) -> usize {
        (self.said * 100).checked_div(self.lines).unwrap_or(0)
    }

    fn note(&mut self, file: &str, key: &str, wrong: Wrong, why: impl Into<String>) {
        self.findings.push(Finding { file: file.into(), key: key.into(), wrong, why: why.into() });
    }

    fn text(&mut self, file: &str, key: &str, english: &BTreeSet<String>, own: Option<&BTreeSet<String>>) {
        self.lines += 1;
        match own {
            None => self.note(file, key, Wrong::Missing, "not said"),
            Some(own) if own != english => {
                self.note(file, key, Wrong::Slots, differ(english, own));
            }
            Some(_) => self.said += 1,
        }
    }
}

impl Folder {
    /// What is wrong with it.
    pub fn check(&self) -> Check {
        let mut checked = check_files(&self.code, &|name| self.files.get(name).map(String::as_str));
        for name in folder::strange(&self.path) {
            checked.note(&name, "", Wrong::Stale, "no language has such a file");
        }
        checked
    }
}

/// What is wrong with a language that is in use: both its folders together.
pub fn check(tongue: &Tongue) -> Check {
    let mut checked = check_files(tongue.code, &|name| match name {
        // Its words are an automaton by now.
        COMMON if tongue.shipped => Some(""),
        _ => tongue.file(name),
    });
    for name in tongue.folder.as_deref().map(folder::strange).unwrap_or_default() {
        checked.note(&name, "", Wrong::Stale, "no language has such a file");
    }
    checked
}

fn check_files<'f>(code: &str, own: &dyn Fn(&str) -> Option<&'f str>) -> Check {
    let mut found = Check::default();
    let english = SHIPPED.iter().filter(|(code, _)| *code == FALLBACK).flat_map(|(_, files)| files.iter());
    for (name, english) in english {
        let text = own(name);
        match Path::new(name).extension().and_then(|ending| ending.to_str()) {
            _ if !name.starts_with(TEXTS) => words(&mut found, name, text),
            Some("toml") => tables(&mut found, name, english, text),
            Some("ftl") => {
                let own = text.map(sentences).unwrap_or_default();
                keyed(&mut found, name, &sentences(english), &own);
            }
            // English says these where they happen.
            _ if *name == PHRASES && code == FALLBACK => {}
            _ if *name == PHRASES => phrases(&mut found, english, text.unwrap_or_default()),
            _ => found.text(name, "", &slots(english), text.map(slots).as_ref()),
        }
    }
    if own(COMMON).is_none() {
        found.lines += 1;
        found.note(COMMON, "", Wrong::Missing, "no words that are right as they stand");
    }
    found.findings.sort();
    found
}

/// The words that are read are each language's own: that they are there is all that can be compared.
fn words(found: &mut Check, name: &str, text: Option<&str>) {
    found.lines += 1;
    match text.map(str::parse::<Table>) {
        None => found.note(name, "", Wrong::Missing, "not there: such requests are not read"),
        Some(Err(error)) => found.note(name, "", Wrong::Broken, place(&error)),
        Some(Ok(_)) => found.said += 1,
    }
}

fn tables(found: &mut Check, name: &str, english: &str, own: Option<&str>) {
    let english: Table = english.parse().unwrap_or_default();
    let own = match own.map(str::parse::<Table>) {
        Some(Ok(own)) => own,
        Some(Err(error)) => {
            found.note(name, "", Wrong::Broken, place(&error));
            Table::new()
        }
        None => Table::new(),
    };
    table(found, name, "", &english, &own);
}

fn table(found: &mut Check, name: &str, section: &str, english: &Table, own: &Table) {
    let path = |key: &str| if section.is_empty() { key.to_owned() } else { format!("{section}.{key}") };
    let last = section.rsplit('.').next().unwrap_or_default();
    for (key, value) in english {
        let (path, own) = (path(key), own.get(key));
        match (value, own) {
            (Value::Table(value), Some(Value::Table(own))) => table(found, name, &path, value, own),
            (Value::Table(value), None) => table(found, name, &path, value, &Table::new()),
            (value, own) => {
                found.lines += 1;
                match own.map(|own| (own, fits(value, own, last, key))) {
                    None => found.note(name, &path, Wrong::Missing, "not said"),
                    Some((_, Ok(()))) => found.said += 1,
                    Some((Value::String(own), Err(Unfit::Slots))) => {
                        let why = differ(&slots(value.as_str().unwrap_or_default()), &slots(own));
                        found.note(name, &path, Wrong::Slots, why);
                    }
                    Some((_, Err(Unfit::Slots))) => {
                        found.note(
                            name,
                            &path,
                            Wrong::Slots,
                            "a text in it has other values than in English",
                        );
                    }
                    Some((_, Err(Unfit::Length))) => {
                        found.note(name, &path, Wrong::Shape, "the list must be as long as the English one");
                    }
                    Some((_, Err(Unfit::Kind))) => {
                        found.note(name, &path, Wrong::Shape, "not of the form it has in English");
                    }
                }
            }
        }
    }
    for key in own.keys().filter(|key| !english.contains_key(*key)) {
        found.note(name, &path(key), Wrong::Stale, "English has no such line");
    }
}

type Lines = BTreeMap<String, BTreeSet<String>>;

fn keyed(found: &mut Check, name: &str, english: &Lines, own: &Lines) {
    for (key, values) in english {
        found.text(name, key, values, own.get(key));
    }
    for key in own.keys().filter(|key| !english.contains_key(*key)) {
        found.note(name, key, Wrong::Stale, "English has no such line");
    }
}

fn phrases(found: &mut Check, english: &str, own: &str) {
    let listed = listed(english);
    if own == english {
        found.lines += listed.len();
        found.note(
            PHRASES,
            "",
            Wrong::Missing,
            "still the English list: below each line goes the same in this language",
        );
        return;
    }
    let mut said = BTreeSet::new();
    for (phrase, says) in pairs(own) {
        said.insert(phrase);
        let Some(says) = says else {
            found.note(PHRASES, phrase, Wrong::Broken, "the line below it is missing");
            continue;
        };
        if !listed.contains(phrase) {
            found.note(PHRASES, phrase, Wrong::Stale, "nothing says this in English");
        } else if !phrase.starts_with(NUMBER) && slots(phrase).len() != slots(says).len() {
            found.note(PHRASES, phrase, Wrong::Slots, format!("its values are lost in “{says}”"));
        }
    }
    for phrase in &listed {
        found.lines += 1;
        match said.contains(phrase) {
            true => found.said += 1,
            false => found.note(PHRASES, phrase, Wrong::Missing, "not said"),
        }
    }
}

fn differ(english: &BTreeSet<String>, own: &BTreeSet<String>) -> String {
    let list = |of: &BTreeSet<String>, without: &BTreeSet<String>| {
        of.difference(without).map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(", ")
    };
    match (list(english, own), list(own, english)) {
        (lacks, unknown) if unknown.is_empty() => format!("lacks {lacks}"),
        (lacks, unknown) if lacks.is_empty() => format!("knows no {unknown}"),
        (lacks, unknown) => format!("lacks {lacks}, knows no {unknown}"),
    }
}

fn place(error: &toml::de::Error) -> String {
    error.to_string().lines().filter(|line| !line.trim().is_empty()).collect::<Vec<_>>().join(" ")
}
