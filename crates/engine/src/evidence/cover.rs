//! Whether everything that was said is held by a reading: by a value, by what is done, or by a word that says nothing.

use super::assign::{Filled, sense};
use super::{Candidate, Said};
use crate::catalog::Role;
use crate::plan::Step;
use metnos_language::{
    Edge, Form, Lit, Mention, Operator, Pronoun, Quantity, Relation, Sense, What, is_common,
};
use serde_json::Value;
use std::ops::Range;

/// A word that a reading makes no use of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unheld {
    /// Which token it is.
    pub at: usize,
    /// As it was written.
    pub word: String,
    /// What it is known by.
    pub key: String,
    /// Whether leaving it out means more than was said, or something else.
    pub narrows: bool,
    /// Whether it is no common word: it may be anything.
    pub open: bool,
    /// Whether things are said to be of it.
    pub of: bool,
    /// Whether it stands in a remark beside what is asked, which may be skipped.
    pub beside: bool,
}

/// How far from a word that leaves something out its value may stand.
const REACH: usize = 4;

/// Which words say nothing that has to be held: those that say what is asked, and those people put around it.
pub trait Spoken {
    /// Whether people say this for what is asked.
    fn asks(&self, word: &str) -> bool;
    /// Whether people say this around what is asked, and mean nothing by it.
    fn idles(&self, word: &str) -> bool;
    /// Whether something is changed: then remarks have no value in them.
    fn changes(&self) -> bool;
}

/// A remark has at least so many words.
const REMARK: usize = 3;

/// The words that a reading makes no use of, in order.
pub fn unheld(said: &Said, candidate: &Candidate, spoken: &dyn Spoken) -> Vec<Unheld> {
    // What is to be done later is said in its own words.
    if candidate.filled.iter().any(|filled| filled.slot.role == Role::Schedule) && is_task(candidate) {
        return Vec::new();
    }
    let cover = Cover::new(said, candidate, spoken);
    let remarks = cover.remarks(spoken.changes());
    let count = said.lattice.tokens.len();
    let unheld = |at: usize| {
        let token = &said.lattice.tokens[at];
        let common = matches!(token.lit, Lit::Word) && is_common(&said.language, &token.norm);
        let senses = said.mentions.iter().filter(|m| (m.from..m.to).contains(&at) && m.cost < 2);
        let key = senses.filter(|_| cover.narrows[at]).find_map(|m| sense_of(&m.what));
        Unheld {
            at,
            word: token.text.clone(),
            key: key.unwrap_or_else(|| plain(said, at)),
            narrows: cover.narrows[at] || is_of(said, at) || is_thing(said, at),
            of: is_of(said, at),
            open: !common,
            beside: remarks.iter().any(|remark| remark.contains(&at)),
        }
    };
    (0..count).filter(|at| !cover.held[*at]).map(unheld).collect()
}

/// Whether things are said to be of what stands here.
fn is_of(said: &Said, at: usize) -> bool {
    let has = |at: usize, wanted: &dyn Fn(Sense) -> bool| {
        said.lattice.at(at).iter().any(|edge| edge.end == at + 1 && wanted(edge.sense))
    };
    let mut before = at;
    while before > 0 && has(before - 1, &|sense| sense == Sense::Idle) && !has(before - 1, &is_relation_of) {
        before -= 1;
    }
    before > 0 && has(before - 1, &is_relation_of)
}

/// Whether a word says of what something is asked.
fn is_thing(said: &Said, at: usize) -> bool {
    said.mentions
        .iter()
        .any(|m| (m.from..m.to).contains(&at) && m.cost == 0 && matches!(m.what, What::Thing(_)))
}

fn is_relation_of(sense: Sense) -> bool {
    sense == Sense::Relation(Relation::Of)
}

/// Whether a reading does what its words say at another time.
fn is_task(candidate: &Candidate) -> bool {
    candidate
        .built
        .steps
        .iter()
        .any(|step| step.args.contains_key("query") && step.args.contains_key("schedule"))
}

/// What of a request a reading makes use of.
struct Cover<'c> {
    said: &'c Said,
    candidate: &'c Candidate,
    held: Vec<bool>,
    /// Words that leave something out, or have to be a value.
    narrows: Vec<bool>,
}

impl<'c> Cover<'c> {
    fn new(said: &'c Said, candidate: &'c Candidate, spoken: &dyn Spoken) -> Self {
        let count = said.lattice.tokens.len();
        let mut cover = Self { said, candidate, held: vec![false; count], narrows: vec![false; count] };
        // What says nothing by itself.
        for at in 0..count {
            let token = &said.lattice.tokens[at];
            let plain = || plain(said, at);
            if !token.text.chars().any(char::is_alphanumeric)
                || spoken.idles(&plain())
                || spoken.changes() && spoken.asks(&plain())
            {
                cover.held[at] = true;
            }
            for edge in said.lattice.at(at).iter().filter(|edge| edge.cost < 4) {
                let idle = match edge.sense {
                    Sense::Idle | Sense::Relation(_) | Sense::Cue(_) | Sense::Operator(Operator::Ask) => true,
                    Sense::Pronoun(pronoun) => pronoun != Pronoun::Same,
                    _ => false,
                };
                if idle {
                    cover.hold(at, edge.end);
                }
            }
        }
        // What says what is done, and to what.
        for mention in said.mentions.iter().filter(|mention| mention.cost < 4) {
            let of = matches!(mention.what, What::Act(_)) && is_of(said, mention.from);
            if !of && word(mention).is_some_and(|word| spoken.asks(&word)) {
                cover.hold(mention.from, mention.to);
            }
        }
        let idle = cover.held.clone();
        let changes = spoken.changes();
        for mention in said.mentions.iter().filter(|mention| mention.cost < 2) {
            let spoken = || sense_of(&mention.what).is_some_and(|word| spoken.idles(&word));
            if !cover.weighs(mention, changes) || spoken() || !changes && cover.is_said_again(mention) {
                continue;
            }
            // Of what is used in part, the words that say nothing need not be.
            let used = cover.uses(mention);
            for (at, idle) in idle.iter().enumerate().take(mention.to).skip(mention.from) {
                cover.held[at] = used && *idle;
                cover.narrows[at] = true;
            }
        }
        // What the reading makes use of, with the words of time and measure beside it.
        for filled in candidate.filled.iter().filter(|filled| is_made_use_of(filled, &candidate.built.steps))
        {
            let mention = &said.mentions[filled.mention];
            // A number right after a folder may be part of its name.
            if matches!(mention.what, What::Window(..)) && cover.follows_name(mention) {
                cover.narrows[mention.from] = true;
                cover.held[mention.from] = false;
                continue;
            }
            cover.hold(mention.from, mention.to);
            for at in [mention.from.checked_sub(1), Some(mention.to)].into_iter().flatten() {
                let measures = |edge: &Edge| {
                    matches!(
                        edge.sense,
                        Sense::TimeWord(_) | Sense::Compare(_) | Sense::TimeUnit(_) | Sense::Hour(_)
                    )
                };
                let cue = |edge: &Edge| matches!(edge.sense, Sense::Cue(_)) && edge.cost == 0;
                let announces = !changes && at < mention.from && said.lattice.at(at).iter().any(cue);
                if said.lattice.at(at).iter().any(measures) && !cover.narrows[at] || announces {
                    cover.hold(at, at + 1);
                }
            }
        }
        for mention in said.mentions.iter().filter(|mention| mention.what == What::TakenBack) {
            cover.hold(mention.from, mention.to);
        }
        // A word that leads to an executor says what is asked.
        for at in &candidate.called {
            cover.hold(*at, at + 1);
            cover.narrows[*at] = false;
        }
        cover
    }

    /// Whether a bare number stands right after a folder or file that the reading uses.
    fn follows_name(&self, mention: &Mention) -> bool {
        let number = matches!(self.said.lattice.tokens[mention.from].lit, Lit::Number(_));
        let named = |filled: &Filled| {
            let other = &self.said.mentions[filled.mention];
            other.to == mention.from && matches!(other.what, What::Place(_) | What::Path(_) | What::Name(_))
        };
        number && mention.relation.is_none() && self.candidate.filled.iter().any(named)
    }

    fn hold(&mut self, from: usize, to: usize) {
        self.held.iter_mut().take(to).skip(from).for_each(|held| *held = true);
    }

    /// Whether the reading makes use of some words of a mention.
    fn uses(&self, mention: &Mention) -> bool {
        self.candidate.filled.iter().any(|filled| {
            let other = &self.said.mentions[filled.mention];
            other.from < mention.to && mention.from < other.to
        })
    }

    /// Whether a mention has to be a value of the reading, or narrow one.
    fn weighs(&self, mention: &Mention, changes: bool) -> bool {
        match &mention.what {
            What::Operator(operator) => {
                let asked = !changes && is_asked(*operator, self.candidate);
                !is_joining(*operator) && !asked && !denies(*operator, mention, self.said, self.candidate)
            }
            What::Quantity(Quantity::Some | Quantity::Any | Quantity::Few) if !changes => false,
            What::Quantity(quantity) => !matches!(quantity, Quantity::All) || !is_bounded(self.candidate),
            What::Quality(_) if !changes && (self.is_act(mention) || self.is_touch(mention)) => false,
            What::Quality(quality) => !is_decided(quality.name(), self.candidate),
            What::Place(_) => matches!(mention.relation, Some(Relation::In | Relation::From | Relation::To)),
            What::Kind(_) | What::Size(..) | What::Window(..) | What::Moment(..) => true,
            What::Number(_) | What::Ordinal(_) | What::Path(_) | What::Email(_) | What::Url(_) => true,
            What::Quoted(_) | What::Schedule(_) | What::UnclearTime | What::Range(..) => true,
            What::Order(_) => !is_ordered(self.candidate),
            _ => false,
        }
    }

    /// Whether the same words say what is done.
    fn is_act(&self, mention: &Mention) -> bool {
        let act = |m: &&Mention| (m.from, m.to) == (mention.from, mention.to) && m.cost == mention.cost;
        self.said.mentions.iter().filter(act).any(|m| matches!(m.what, What::Act(_)))
    }

    /// Whether a word only says what happened at a time that the reading has.
    fn is_touch(&self, mention: &Mention) -> bool {
        let touch = |edge: &Edge| matches!(edge.sense, Sense::TimeWord(metnos_language::TimeWord::Touch));
        let timed = self.candidate.filled.iter().any(|filled| filled.slot.role == Role::After);
        timed && self.said.lattice.at(mention.from).iter().any(touch)
    }

    /// Whether a mention gives only values that the reading has anyway.
    fn is_said_again(&self, mention: &Mention) -> bool {
        let same = |filled: &Filled| {
            let other = &self.said.mentions[filled.mention];
            !filled.slot.not && other.what == mention.what
        };
        self.candidate.filled.iter().any(same)
    }

    /// The parts of the request that only tell something: nothing of them is used, and no order is in them. Where something
    /// is changed no value, name or reference may be in them either.
    fn remarks(&self, changes: bool) -> Vec<Range<usize>> {
        let tokens = &self.said.lattice.tokens;
        let sign = |at: usize, signs: &[char]| matches!(tokens[at].lit, Lit::Symbol(c) if signs.contains(&c));
        let ends = |at: &usize| sign(*at, &['.', '!', '?', ';', ':', ',', '(', ')']);
        let used = |at: usize| {
            self.candidate.filled.iter().any(|filled| {
                let mention = &self.said.mentions[filled.mention];
                (mention.from..mention.to).contains(&at)
            })
        };
        let Some(first) = (0..tokens.len()).find(|at| used(*at)) else { return Vec::new() };
        let mut remarks = Vec::new();
        let mut from = 0;
        for to in (0..tokens.len()).filter(ends).chain([tokens.len()]) {
            let tells = (from..to).all(|at| self.tells(at, changes));
            // A clause before the order may say what it is about.
            let topic = changes && to < first && sign(to, &[',', ':']);
            if to >= from + REMARK && tells && !topic && (changes || !self.begins_with_order(from, to)) {
                remarks.push(from..to);
            }
            from = to + 1;
        }
        remarks
    }

    /// Whether a part of the request begins with an order, whatever says nothing before it.
    fn begins_with_order(&self, from: usize, to: usize) -> bool {
        let small = |at: &usize| {
            self.said.lattice.at(*at).iter().any(|edge| {
                matches!(
                    edge.sense,
                    Sense::Idle
                        | Sense::Pronoun(_)
                        | Sense::Operator(_)
                        | Sense::Relation(_)
                        | Sense::Talk(_)
                )
            })
        };
        let first = (from..to).find(|at| !small(at));
        let orders = |edge: &Edge| matches!(edge.sense, Sense::Act(_)) && edge.form == Form::Order;
        first.is_some_and(|at| self.said.lattice.at(at).iter().any(orders))
    }

    /// Whether a word only tells something.
    fn tells(&self, at: usize, changes: bool) -> bool {
        let used = self.candidate.filled.iter().any(|filled| {
            let mention = &self.said.mentions[filled.mention];
            (mention.from..mention.to).contains(&at)
        });
        let points = |edge: &Edge| match edge.sense {
            _ if !changes => false,
            Sense::Act(_) => edge.form == Form::Order,
            Sense::Thing(_) | Sense::Kind(_) | Sense::Place(_) => true,
            Sense::Pronoun(pronoun) => matches!(pronoun, Pronoun::Ones | Pronoun::These | Pronoun::Same),
            _ => false,
        };
        let name = self.said.lattice.is_name(at) || !matches!(self.said.lattice.tokens[at].lit, Lit::Word);
        let free = !changes || !self.narrows[at] && !name;
        !used && free && !self.said.lattice.at(at).iter().any(|e| e.cost < 4 && points(e))
    }
}

/// Whether it was said of which things all are meant.
fn is_bounded(candidate: &Candidate) -> bool {
    candidate.shape.is_back() || candidate.filled.iter().any(|filled| !filled.slot.not)
}

/// Whether what fills a slot is in the steps: a plan may have no place for it.
fn is_made_use_of(filled: &Filled, steps: &[Step]) -> bool {
    // How long something lasts becomes the moment of its end.
    filled.slot.role == Role::End
        || filled.values.iter().all(|(_, value)| {
            steps.iter().any(|step| step.args.values().any(|arg| holds(arg, value, filled.slot.not)))
        })
}

/// Whether an argument has a value in it.
fn holds(arg: &Value, value: &Value, not: bool) -> bool {
    match (arg, value) {
        (Value::Array(items), _) => items.iter().any(|item| holds(item, value, not)),
        (Value::Object(fields), _) => fields.values().any(|field| holds(field, value, not)),
        (Value::String(arg), Value::String(value)) => {
            let bare = value.trim_matches(['*', '.', '/']);
            let name = bare.rsplit('/').next().unwrap_or(bare);
            arg.contains(if not { name } else { bare })
        }
        (Value::String(arg), Value::Number(value)) => arg.contains(&value.to_string()),
        (Value::Number(arg), Value::Number(value)) => arg.as_f64() == value.as_f64(),
        (arg, value) => arg == value,
    }
}

/// Whether an argument that words decide has this name: "empty", "unread".
fn is_decided(quality: &str, candidate: &Candidate) -> bool {
    let decided = |(name, value): (&String, &Value)| {
        name == quality && *value == Value::Bool(true) || value.as_str() == Some(quality)
    };
    candidate.built.steps.iter().any(|step| step.args.iter().any(decided))
}

/// A word as it was meant, in the form that words around a request are known by.
fn plain(said: &Said, at: usize) -> String {
    let token = &said.lattice.tokens[at];
    format!("{} {}", said.language, said.lattice.corrected(at).unwrap_or(&token.norm))
}

/// The word with which a mention says what is asked; none where it is a value.
pub fn word(mention: &Mention) -> Option<String> {
    let asks = matches!(
        mention.what,
        What::Act(_)
            | What::Thing(_)
            | What::Field(_)
            | What::Stat(_)
            | What::Group(_)
            | What::Format(_)
            | What::Channel(_)
            | What::Talk(_)
            | What::Order(_)
            | What::Quantity(_)
            | What::Operator(_)
    );
    if asks { sense_of(&mention.what) } else { None }
}

/// The sense of a word; none where it is a value.
fn sense_of(what: &What) -> Option<String> {
    match what {
        What::Group(_) | What::Channel(_) | What::Talk(_) => Some(format!("{what:?}")),
        What::Number(_) => None,
        what => sense(what),
    }
}

/// Words that only join what stands beside them, or ask.
fn is_joining(operator: Operator) -> bool {
    matches!(operator, Operator::And | Operator::Then | Operator::Ask)
}

/// Whether an operator is what a step does: two lists are compared, of what was answered only some are meant.
fn is_asked(operator: Operator, candidate: &Candidate) -> bool {
    let step = |name: &str| candidate.built.steps.iter().any(|step| step.args.contains_key(name));
    match operator {
        Operator::Both | Operator::Except | Operator::Not | Operator::Also if step("with_step") => true,
        Operator::Only => candidate.shape.is_back() && step("where_field"),
        Operator::Because => true,
        _ => false,
    }
}

/// Whether a word that leaves something out has its value in the reading.
fn denies(operator: Operator, mention: &Mention, said: &Said, candidate: &Candidate) -> bool {
    let leaves_out =
        matches!(operator, Operator::Except | Operator::Not | Operator::Without | Operator::Spare);
    leaves_out
        && candidate.filled.iter().filter(|filled| filled.slot.not).any(|filled| {
            let value = &said.mentions[filled.mention];
            value.from.abs_diff(mention.to) <= REACH || mention.from.abs_diff(value.to) <= REACH
        })
}

fn is_ordered(candidate: &Candidate) -> bool {
    let mut fixed = candidate.shape.parts().iter().flat_map(|part| &part.fixed);
    fixed.any(|(name, _)| name == "by" || name == "order")
}
