//! Typed values that were said, each with the tokens it stands on. Every reading is kept; which of them are meant is
//! decided by whoever knows what is asked.

mod amount;
mod atom;
mod compare;
mod conversion;
mod cron;
mod expression;
mod named;
mod number;
mod place;
mod repeat;
mod taken_back;
mod time;
mod unit;
mod word;

use crate::lattice::Lattice;
use crate::lexicon::Lexicon;
use crate::sense::{DayPart, Id, Operator, Pronoun, Quantity, Relation, Sense};
use jiff::civil::DateTime;

/// A value that was said.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    /// Its first token.
    pub from: usize,
    /// One past its last.
    pub to: usize,
    /// What it is.
    pub what: What,
    /// The word that ties it to what stands before: "in", "to".
    pub relation: Option<Relation>,
    /// 0 as it is written, more for corrections and less likely readings.
    pub cost: u8,
    /// Of a place or path: whether it begins with a folder that everybody has, or stands there as a path. Others are
    /// guessed from a name.
    pub known: bool,
}

/// What a mention is.
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// A number: how many.
    Number(f64),
    /// The second; -1 is the last.
    Ordinal(i64),
    /// Limits of a number without a unit: at least, at most.
    Range(Option<f64>, Option<f64>),
    /// A limit of size, in bytes: at least, at most. Neither where it is not exact: "about 5 MB".
    Size(Option<u64>, Option<u64>),
    /// A span of time: from, and to, which is outside it. One may be open. Midnight is a whole day.
    Window(Option<DateTime>, Option<DateTime>),
    /// One moment; whether the hour was said.
    Moment(DateTime, bool),
    /// A part of the day, whichever day it is.
    DayPart(DayPart),
    /// A length of time, in minutes.
    Length(i64),
    /// When something comes again, as cron; `at:` and a moment for something that comes once.
    Schedule(String),
    /// Something about time that has no exact value here: "every two weeks".
    UnclearTime,
    /// A folder: `~/Downloads`.
    Place(String),
    /// A file or folder by its path: `~/a/b.txt`.
    Path(String),
    /// A name that is looked for, as a pattern: `cv.pdf`, `*cv*`, `*.mp3`.
    Name(String),
    /// A file ending, without the dot.
    Extension(String),
    /// A kind of file.
    Kind(Id),
    /// A quality that narrows: empty, hidden, unread.
    Quality(Id),
    /// What is done.
    Act(Id),
    /// What it is done to.
    Thing(Id),
    /// A field of records.
    Field(Id),
    /// An order.
    Order(Id),
    /// A computation.
    Stat(Id),
    /// What things are grouped by.
    Group(Id),
    /// A form of output.
    Format(Id),
    /// A way messages go.
    Channel(Id),
    /// Talk that asks for nothing.
    Talk(Id),
    /// A text in quotes.
    Quoted(String),
    /// A text that a cue names: "the word X", "saying X".
    Text(String),
    /// A number or sign by which something is called: a phone number, `t-14`, a program.
    Code(String),
    /// A command in backticks or after a cue.
    Command(String),
    /// An address of the web.
    Url(String),
    /// A mail address.
    Email(String),
    /// A person, as written.
    Person(String),
    /// A time zone.
    Zone(Id),
    /// Something to compute: `18*240/100`, `26 mi to km`.
    Expression(String),
    /// A column of a table, as written.
    Column(String),
    /// What points back.
    Pronoun(Pronoun),
    /// What changes how the rest is meant.
    Operator(Operator),
    /// How many of the things.
    Quantity(Quantity),
    /// Words that were taken back, with those that say so.
    TakenBack,
}

/// What is read: the request, its lattice, and the moment.
#[derive(Clone, Copy, Debug)]
pub struct Reading<'r> {
    /// The request as written.
    pub request: &'r str,
    /// Its readings.
    pub lattice: &'r Lattice,
    /// The words of its language.
    pub lexicon: &'r Lexicon,
    /// Now, on the person's clock.
    pub now: DateTime,
}

/// Everything that was said, in the order of the tokens.
pub fn mentions(reading: Reading<'_>) -> Vec<Mention> {
    let mut all = Vec::new();
    for read in [amount::read, expression::read, time::read, place::read, word::read] {
        read(reading, &mut all);
    }
    for mention in &mut all {
        mention.relation = mention.relation.or_else(|| reading.relation_before(mention.from));
        mention.known = reading.is_known(mention);
    }
    taken_back::read(&mut all);
    all.sort_by_key(|mention| (mention.from, std::cmp::Reverse(mention.to)));
    all
}

impl Mention {
    /// A mention of `what` on these tokens, as written.
    pub(crate) fn new(from: usize, to: usize, what: What) -> Self {
        Self { from, to, what, relation: None, cost: 0, known: false }
    }
}

impl Reading<'_> {
    /// Whether a place is one that everybody has, or lies below one, or is written as a path.
    fn is_known(&self, mention: &Mention) -> bool {
        let (What::Place(path) | What::Path(path)) = &mention.what else { return false };
        let tokens = self.lattice.tokens.get(mention.from..mention.to).unwrap_or_default();
        path == "~"
            || path.starts_with('/')
            || tokens.iter().any(|token| matches!(token.lit, crate::token::Lit::Path(_)))
            || self.lexicon.is_place(path)
    }

    /// The word that ties what begins at `at` to what stands before it; articles in between say nothing.
    fn relation_before(&self, at: usize) -> Option<Relation> {
        let mut before = at;
        while before > 0 {
            // A word may have other senses too; the one that ties is what counts here.
            let ends = |from: &usize| self.lattice.at(*from).iter().any(|edge| edge.end == before);
            let from = (0..before).rev().take(3).find(ends)?;
            let senses =
                || self.lattice.at(from).iter().filter(|edge| edge.end == before).map(|edge| edge.sense);
            let relation = senses().find_map(|sense| match sense {
                Sense::Relation(relation) => Some(relation),
                _ => None,
            });
            match relation {
                None if senses().any(|sense| sense == Sense::Idle) => before = from,
                found => return found,
            }
        }
        None
    }
}
