//! What the senses of the lexicons mean in the catalog (`data/senses.toml`), the same for every language.

use super::LexiconError;
use crate::catalog::Role;
use metnos_vocab::{Class, Object, Verb};
use serde::Deserialize;
use std::collections::BTreeMap;
use toml::Value;

const SOURCE: &str = include_str!("../../data/senses.toml");

/// The meaning of a verb.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct VerbSense {
    /// Any producer of the object will do.
    #[serde(default)]
    pub query: bool,
    /// The verb of the executor.
    pub verb: Option<String>,
    /// The object, when the verb implies one.
    pub object: Option<String>,
    /// The qualifier, when the verb implies one.
    pub qualifier: Option<String>,
    /// One executor outside the pattern.
    pub tool: Option<String>,
    /// The argument without which the request is incomplete.
    pub wants: Option<Role>,
    /// Where a place it moves toward goes, in order of preference.
    #[serde(default)]
    pub goals: Vec<Role>,
    /// "In a place" can be the place it moves toward.
    #[serde(default)]
    pub in_goal: bool,
    /// The computation it asks for.
    pub stat: Option<String>,
    /// The field of that computation.
    pub field: Option<String>,
    /// Arguments it implies.
    #[serde(default)]
    pub set: BTreeMap<Role, Value>,
    /// The sense it has when it is about a file and a text.
    pub on_file: Option<String>,
    /// The sense it has when it is about all the text of a file that is named.
    pub on_text: Option<String>,
    /// The sense it has when what it leads to is an archive.
    pub on_archive: Option<String>,
    /// The sense it has when a list of things, not the things, is put into a file.
    pub on_list: Option<String>,
    /// The sense it has when an address is named.
    pub on_url: Option<String>,
    /// The sense it has on things that are no files.
    pub on_record: Option<String>,
    /// What it is about where nothing says what, and something is called by its name.
    pub about: Option<String>,
    /// Works over a whole folder: a list that was looked at before stands for the folder it is in.
    #[serde(default)]
    pub over: bool,
    /// The sense it has when what it works by is a field that records have.
    pub on_group: Option<String>,
    /// The sense it has when what it takes out are things, not values of their texts.
    pub on_things: Option<String>,
    /// Puts records in order.
    #[serde(default)]
    pub orders: bool,
    /// Says what is to stay: where something else is changed, it leaves that out.
    #[serde(default)]
    pub stays: bool,
    /// Works on records as they are: nothing is read first.
    #[serde(default)]
    pub as_is: bool,
    /// Everything said after it is the value of this argument, word by word.
    pub rest: Option<Role>,
    /// What it makes is new: a word such as "new" describes it and leaves nothing out.
    #[serde(default)]
    pub makes: bool,
    /// The folder it names stays: what of it is meant has to be said.
    #[serde(default)]
    pub inside: bool,
    /// The folder it names stays, and all that is in it is meant.
    #[serde(default)]
    pub contents: bool,
    /// What is said to a request that asks more of its executor than that does.
    pub beyond: Option<String>,
    /// What to take when the object has no such verb.
    pub fallback: Option<Box<VerbSense>>,
}

/// The meaning of a noun.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct NounSense {
    /// The object it names.
    pub object: Option<String>,
    /// The qualifier it asks for.
    pub qualifier: Option<String>,
    /// The verb it asks for.
    pub verb: Option<String>,
    /// One executor outside the pattern.
    pub tool: Option<String>,
    /// Values it carries.
    #[serde(default)]
    pub set: BTreeMap<Role, Value>,
    /// Patterns of the names such things have.
    #[serde(default)]
    pub names: Vec<String>,
    /// The argument that a name beside it fills.
    pub named: Option<Role>,
    /// Counts only when such a value is there too.
    pub beside: Option<Role>,
    /// The noun it stands for where this is asked: what is free of a size is room on a disk.
    #[serde(default)]
    pub asked: BTreeMap<String, String>,
    /// The noun it stands for where it is told or asked what became of it: a task that ran has a history.
    pub past: Option<String>,
    /// The noun it stands for where things of another are counted with it: lines of code.
    #[serde(default)]
    pub counted_with: BTreeMap<String, String>,
    /// The noun it stands for where a text in quotes and a file are named.
    pub searched: Option<String>,
    /// Is of no folder: where one is named, the word has its other sense.
    #[serde(default)]
    pub nowhere: bool,
    /// The noun it stands for where a length of time is said: room for half an hour is free time.
    pub timed: Option<String>,
    /// Verbs mean another beside it only where a telephone number or an address is given.
    #[serde(default)]
    pub with_value: bool,
    /// Counts only right before a name.
    #[serde(default)]
    pub before_name: bool,
    /// Counts only where no files are spoken of.
    #[serde(default)]
    pub alone: bool,
    /// Counts only right before a text in quotes.
    #[serde(default)]
    pub before_quoted: bool,
    /// The field of the records that is meant, not the records.
    pub content: Option<String>,
    /// Verbs that mean another beside it.
    #[serde(default)]
    pub turns: BTreeMap<String, String>,
    /// It turns them only beside a file whose ending asks for this.
    pub ending: Option<String>,
    /// The object instead, when the clause does more than look.
    pub acting: Option<String>,
    /// Counting them counts the different values of this field.
    pub distinct: Option<String>,
    /// A part of a file: what is done to it is not done to the file.
    #[serde(default)]
    pub part: bool,
    /// All that is written in a file that is named.
    #[serde(default)]
    pub text: bool,
    /// Names the object only when nothing else does.
    #[serde(default)]
    pub weak: bool,
    /// Which of several nouns is the object.
    #[serde(default)]
    pub rank: i32,
}

/// A field and a direction.
#[derive(Clone, Debug, Deserialize)]
pub struct OrderSense {
    /// The field, as files have it.
    pub field: String,
    /// `asc` or `desc`.
    pub order: String,
}

/// An argument and the value a word gives it.
#[derive(Clone, Debug, Deserialize)]
pub struct FlagSense {
    /// The argument.
    pub role: Role,
    /// The value.
    pub value: Value,
    /// Counts only where something is changed.
    #[serde(default)]
    pub acting: bool,
    /// Only what is named so is meant: the beginning of the name.
    pub begins: Option<String>,
    /// Verbs that mean another beside it.
    #[serde(default)]
    pub turns: BTreeMap<String, String>,
}

/// What a verb means beside a label.
#[derive(Clone, Debug, Deserialize)]
pub struct LabelSense {
    /// The verb it stands for.
    pub verb: String,
    /// Takes the label away.
    #[serde(default)]
    pub takes: bool,
}

/// The kind of file an extension is.
#[derive(Clone, Debug)]
pub struct ExtensionOf<'a> {
    /// The kind.
    pub kind: &'a str,
}

impl VerbSense {
    /// Whether its executors change something, as the vocabulary has it.
    pub(crate) fn changes(&self) -> bool {
        let object = Object::parse(self.object.as_deref().unwrap_or("files"));
        let verb = self.verb.as_deref().and_then(Verb::parse);
        verb.zip(object).is_some_and(|(verb, object)| verb.class(object) == Class::Changer)
    }
}

/// What senses mean.
#[derive(Clone, Debug, Deserialize)]
pub struct Senses {
    /// Endings of host names.
    pub tlds: Vec<String>,
    /// Verbs that mean another when folders are to be made.
    pub folders: BTreeMap<String, String>,
    /// Verbs that mean another when things are put into a way of showing them.
    pub shown: BTreeMap<String, String>,
    /// Verbs that mean another when something is put before names.
    pub fronted: BTreeMap<String, String>,
    /// What a verb means together with a phrase that turns it: "put … on hold".
    #[serde(default)]
    pub turning: BTreeMap<String, BTreeMap<String, String>>,
    /// Verbs that mean another when what they make goes to an address.
    #[serde(default)]
    pub addressed: BTreeMap<String, String>,
    /// What verbs mean when they are about a command; the empty name stands for no verb.
    #[serde(default)]
    pub commanded: BTreeMap<String, String>,
    /// Verbs that only put things in order where an order is what they put them in.
    pub ordered: BTreeMap<String, String>,
    /// What giving something means, by what is given.
    pub gives: BTreeMap<String, String>,
    /// Verbs that give or take a label where one is named.
    pub labels: BTreeMap<String, LabelSense>,
    /// Kinds and their extensions.
    pub extensions: BTreeMap<String, Vec<String>>,
    /// What the ending of a file asks for.
    pub endings: BTreeMap<String, BTreeMap<String, String>>,
    /// The qualifier an object has when nothing says another.
    pub defaults: BTreeMap<String, String>,
    /// Verbs.
    pub verb: BTreeMap<String, VerbSense>,
    /// Nouns.
    pub noun: BTreeMap<String, NounSense>,
    /// Orders.
    pub order: BTreeMap<String, OrderSense>,
    /// Fields that mean the same.
    pub same: BTreeMap<String, Vec<String>>,
    /// Flags.
    pub flag: BTreeMap<String, FlagSense>,
}

impl Senses {
    /// The senses that ship.
    pub fn shipped() -> Result<Self, LexiconError> {
        Ok(toml::from_str(SOURCE)?)
    }

    /// Their file.
    pub(crate) fn source() -> &'static str {
        SOURCE
    }

    /// Whether a verb only asks.
    pub(crate) fn asks(&self, verb: &str) -> bool {
        self.verb.get(verb).is_some_and(|verb| verb.query)
    }

    /// The kind of file that has this extension.
    pub fn extension(&self, ext: &str) -> Option<ExtensionOf<'_>> {
        self.extensions
            .iter()
            .find(|(_, list)| list.iter().any(|e| e == ext))
            .map(|(kind, _)| ExtensionOf { kind })
    }

    /// What the ending of `path` asks for, longest ending first.
    pub fn ending(&self, what: &str, path: &str) -> Option<&str> {
        let lower = path.to_lowercase();
        let endings = self.endings.get(what)?;
        let mut found: Vec<_> =
            endings.iter().filter(|(end, _)| lower.ends_with(&format!(".{end}"))).collect();
        found.sort_by_key(|(end, _)| std::cmp::Reverse(end.len()));
        found.first().map(|(_, value)| value.as_str())
    }
}
