//! What makes a reading that changes something doubtful. Each rule is about how a request is built; none is about what
//! a word means. A reading with any doubt is no plan.

use super::cover::word;
use super::noted::kind;
use super::{Around, Candidate, Last, Packed, Said, Unheld};
use crate::catalog::{Catalog, Role, Tool};
use crate::shape::Shape;
use metnos_language::{Edge, Form, Lit, Mention, Operator, Pronoun, Relation, Sense, What};
use metnos_vocab::Class;
use std::fmt;

/// Why a reading may not be what was meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It has no steps, or a slot is empty.
    Unfinished,
    /// It goes on from an answer that there is not.
    NothingBefore,
    /// Nothing in the request orders or wishes what it does.
    NotOrdered(String),
    /// Something else is ordered, too.
    AnotherOrder(String),
    /// Nothing says of what: it would be all there is.
    Unbounded,
    /// A word has no part in it.
    Word(String),
    /// A value does not fit where it stands.
    Misfit(String),
    /// Nobody said such a value in such a place.
    Unheard(String),
    /// Two values are joined, and only one of them has a place, or each of them another.
    Joined(String),
    /// A name may go on.
    LongerName(String),
    /// What is in something, or of it, is not the thing itself.
    Inside(String),
    /// A folder that everybody has is itself to be changed, not what is in it.
    Whole(String),
    /// The moment is past, or of the morning or the evening.
    When(String),
    /// Something was taken back in the same breath.
    TakenBack,
    /// A number says how many, not which.
    Counted(String),
    /// It changes nothing, or gives several things one name.
    OneName(String),
    /// One of several is meant, and nothing says which.
    Which(String),
    /// It may be about what was answered before, or about all there is.
    Continues,
    /// What is left out is what is asked for.
    Contrary(String),
    /// A word that narrows the things meant, or a value, is left out.
    Limit(String),
}

impl Doubt {
    /// Which rule it is of.
    pub(crate) const fn rule(&self) -> u64 {
        match self {
            Self::Unfinished => 0,
            Self::NothingBefore => 1,
            Self::NotOrdered(_) => 2,
            Self::AnotherOrder(_) => 3,
            Self::Unbounded => 4,
            Self::Word(_) => 5,
            Self::Misfit(_) => 6,
            Self::Unheard(_) => 7,
            Self::Joined(_) => 8,
            Self::LongerName(_) => 9,
            Self::Inside(_) => 10,
            Self::Whole(_) => 11,
            Self::When(_) => 12,
            Self::TakenBack => 13,
            Self::Counted(_) => 14,
            Self::OneName(_) => 15,
            Self::Which(_) => 16,
            Self::Continues => 17,
            Self::Contrary(_) => 18,
            Self::Limit(_) => 19,
        }
    }
}

impl Doubt {
    /// Whether it keeps a reading from being done or offered, however likely it is.
    pub(crate) const fn is_hard(&self) -> bool {
        !matches!(
            self,
            Self::NotOrdered(_)
                | Self::AnotherOrder(_)
                | Self::Word(_)
                | Self::Misfit(_)
                | Self::Unheard(_)
                | Self::Joined(_)
                | Self::LongerName(_)
                | Self::Inside(_)
        )
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self:?}")
    }
}

/// A value that fits less well is no value.
const FITS: f32 = -1.6;
/// Hours up to this are of the morning or of the evening, unless it is said.
const EARLY: i8 = 5;

/// What is known of a reading.
pub(crate) struct Doubts<'d> {
    pub(crate) said: &'d Said,
    pub(crate) candidate: &'d Candidate,
    pub(crate) last: Option<&'d Last>,
    pub(crate) catalog: &'d Catalog,
    pub(crate) weights: &'d Packed,
    /// The words around what it does.
    pub(crate) words: &'d Around<'d>,
}

/// How a value is said: what kind of value in which slot, with which word before it.
pub fn construction(slot: super::Slot, mention: &Mention) -> String {
    let relation = mention.relation.map_or("-", |relation| relation.name());
    let known = match &mention.what {
        What::Place(_) if mention.known => "+",
        _ => "",
    };
    format!("{} {}{known} {relation}", slot.key(), kind(mention))
}

/// A quality, as rows know it.
pub fn quality(mention: &Mention) -> Option<String> {
    matches!(mention.what, What::Quality(_)).then(|| super::assign::sense(&mention.what)).flatten()
}

/// Under what the constructions of an executor are known.
pub fn heard_under(tool: &str) -> String {
    format!("said {tool}")
}

impl Doubts<'_> {
    /// The first doubts, one of each rule at most.
    pub(crate) fn all(&self) -> Vec<Doubt> {
        let mut out = self.built();
        if !matches!(out.first(), Some(Doubt::Unfinished | Doubt::NothingBefore)) {
            let lost = super::unheld(self.said, self.candidate, self.words);
            let limit = lost.iter().find(|lost| !lost.beside && self.limits(lost));
            out.extend(limit.map(|lost| Doubt::Limit(lost.word.clone())));
            out.extend(lost.into_iter().find(|lost| !lost.beside).map(|lost| Doubt::Word(lost.word)));
        }
        out
    }

    /// The doubts about how the request is built, whichever words are left out.
    pub(crate) fn built(&self) -> Vec<Doubt> {
        let Candidate { built, shape, .. } = self.candidate;
        if built.steps.is_empty() || built.ask.is_some() {
            return vec![Doubt::Unfinished];
        }
        if (shape.is_back() || *shape == Shape::Again) && self.last.is_none() {
            return vec![Doubt::NothingBefore];
        }
        let rules: [fn(&Self) -> Option<Doubt>; 15] = [
            Self::order,
            Self::bound,
            Self::misfit,
            Self::unheard,
            Self::joined,
            Self::longer_name,
            Self::inside,
            Self::whole,
            Self::when,
            Self::taken_back,
            Self::counted,
            Self::one_name,
            Self::which,
            Self::continues,
            Self::contrary,
        ];
        rules.iter().filter_map(|rule| rule(self)).collect()
    }

    fn text(&self, mention: &Mention) -> String {
        let tokens = self.said.lattice.tokens.get(mention.from..mention.to).unwrap_or_default();
        tokens.iter().map(|token| token.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    fn tools(&self) -> impl Iterator<Item = &Tool> {
        self.candidate.built.steps.iter().filter_map(|step| self.catalog.get(&step.tool))
    }

    fn changers(&self) -> impl Iterator<Item = &Tool> {
        self.tools().filter(|tool| tool.class == Class::Changer)
    }

    fn is_task(&self) -> bool {
        self.tools().any(|tool| tool.takes(Role::Task))
    }

    /// The parts of the request between signs.
    fn clause(&self, at: usize) -> (usize, usize) {
        let tokens = &self.said.lattice.tokens;
        let ends = |at: &usize| matches!(tokens[*at].lit, Lit::Symbol('.' | '!' | '?' | ';' | ',' | ':'));
        let from = (0..at).rev().find(ends).map_or(0, |at| at + 1);
        let to = (at..tokens.len()).find(ends).unwrap_or(tokens.len());
        (from, to)
    }

    fn used(&self, mention: &Mention) -> bool {
        self.candidate.filled.iter().any(|filled| {
            let other = &self.said.mentions[filled.mention];
            other.from < mention.to && mention.from < other.to
        })
    }

    /// The words that order something, with what they are known as.
    fn orders(&self) -> Vec<(&Mention, String)> {
        let orders = |m: &&Mention| {
            let form = |edge: &Edge| {
                edge.form == Form::Order
                    && edge.end == m.to
                    && edge.cost < 4
                    && matches!(edge.sense, Sense::Act(_))
            };
            m.cost < 4
                && matches!(m.what, What::Act(_))
                && self.said.lattice.at(m.from).iter().any(form)
                && !self.used(m)
                && !self.is_asked(m.from)
        };
        self.said.mentions.iter().filter(orders).filter_map(|m| Some((m, word(m)?))).collect()
    }

    /// Whether a question word stands before a word, in its part of the request.
    fn is_asked(&self, at: usize) -> bool {
        let asks = |edge: &Edge| {
            edge.cost == 0
                && matches!(
                    edge.sense,
                    Sense::Operator(Operator::Ask | Operator::Wonder | Operator::If | Operator::Not)
                )
        };
        let (from, _) = self.clause(at);
        (from..at).any(|before| self.said.lattice.at(before).iter().any(asks))
    }

    /// Whether a part of the request begins with this word.
    fn begins(&self, at: usize) -> bool {
        self.clause(at).0 == at
    }

    /// Each thing it changes is ordered, and nothing else is.
    fn order(&self) -> Option<Doubt> {
        let orders = self.orders();
        let speaks = |tool: &Tool, said: &str| self.weights.is_spoken(tool.name.as_str(), said);
        for tool in self.changers() {
            let called = self.candidate.called.iter().any(|at| self.begins(*at));
            if !called && !orders.iter().any(|(_, said)| speaks(tool, said)) {
                return Some(Doubt::NotOrdered(tool.name.as_str().to_owned()));
            }
        }
        if self.is_task() {
            return self.stopped(&orders);
        }
        let others = || self.catalog.tools().filter(|tool| tool.class == Class::Changer);
        let another = orders.iter().find(|(_, said)| {
            !self.tools().any(|tool| speaks(tool, said)) && others().any(|tool| speaks(tool, said))
        });
        another.map(|(m, _)| Doubt::AnotherOrder(self.text(m)))
    }

    /// Whether what is changed was said: a place, a name, or what was answered before; never all there is.
    fn bound(&self) -> Option<Doubt> {
        let today = self.said.now.date().to_string();
        let later = self.candidate.filled.iter().any(|filled| {
            filled.slot.role == Role::After
                && filled.values.iter().any(|(role, value)| {
                    *role == Role::After && value.as_str().is_some_and(|day| day > today.as_str())
                })
        });
        // What is to come is looked up in a calendar, not among what was changed.
        let later = later && self.tools().any(|tool| ["mtime", "date"].iter().any(|f| tool.gives.contains_key(*f)));
        let fetches = |tool: &&Tool| {
            tool.class == Class::Producer
                && ![Role::List, Role::Ids, Role::Pids].iter().any(|role| tool.takes(*role))
        };
        let producers: Vec<&Tool> = self.tools().filter(fetches).collect();
        if producers.is_empty() {
            return None;
        }
        let bounds = |tool: &Tool| {
            self.candidate.filled.iter().any(|filled| {
                let role = filled.slot.role;
                let named = matches!(role, Role::Place | Role::Patterns | Role::Paths | Role::Contains);
                !filled.slot.not && tool.takes(role) && (named || !tool.takes(Role::Patterns))
            })
        };
        let bounded = producers.iter().all(|tool| bounds(tool));
        (!bounded || later && !self.is_task()).then_some(Doubt::Unbounded)
    }

    fn misfit(&self) -> Option<Doubt> {
        let misfit = self.candidate.filled.iter().find(|filled| filled.score < FITS);
        misfit.map(|filled| Doubt::Misfit(self.text(&self.said.mentions[filled.mention])))
    }

    /// Each value stands where people say such a value for what is done.
    fn unheard(&self) -> Option<Doubt> {
        let unheard = self.candidate.filled.iter().find(|filled| {
            let said = construction(filled.slot, &self.said.mentions[filled.mention]);
            !self.tools().any(|tool| {
                let under = heard_under(tool.name.as_str());
                // Of what no row uses only the manifest knows how it is asked for.
                !self.weights.knows(&under) && tool.takes(filled.slot.role)
                    || self.weights.is_spoken(&under, &said)
            })
        });
        unheard.map(|filled| {
            let mention = &self.said.mentions[filled.mention];
            Doubt::Unheard(format!("{}: {}", construction(filled.slot, mention), self.text(mention)))
        })
    }

    /// Values that are joined stand in one list; values of one slot stand beside each other.
    fn joined(&self) -> Option<Doubt> {
        if self.is_task() {
            return None;
        }
        let joins = |m: &&Mention| {
            matches!(m.what, What::Operator(Operator::And | Operator::Or | Operator::Then)) && m.cost == 0
        };
        let filled = &self.candidate.filled;
        let span =
            |n: usize| (self.said.mentions[filled[n].mention].from, self.said.mentions[filled[n].mention].to);
        for join in self.said.mentions.iter().filter(joins) {
            let order_after = self.orders().iter().any(|(m, _)| m.from >= join.to && m.from <= join.to + 2);
            if order_after || (0..filled.len()).any(|n| span(n).0 < join.to && join.from < span(n).1) {
                continue;
            }
            let before = (0..filled.len()).filter(|n| span(*n).1 <= join.from).max_by_key(|n| span(*n).1);
            let after = (0..filled.len()).filter(|n| span(*n).0 >= join.to).min_by_key(|n| span(*n).0);
            let (Some(before), Some(after)) = (before, after) else { continue };
            let text = || {
                let (a, b) =
                    (&self.said.mentions[filled[before].mention], &self.said.mentions[filled[after].mention]);
                format!("{} | {}", self.text(a), self.text(b))
            };
            let beside = (join.to..span(after).0).all(|at| self.is_small(at));
            if beside && filled[before].slot != filled[after].slot {
                return Some(Doubt::Joined(text()));
            }
            // What narrows the first half says nothing of the second.
            let slot = filled[after].slot;
            let first = (0..filled.len())
                .filter(|n| span(*n).1 <= join.from && filled[*n].slot == slot)
                .max_by_key(|n| span(*n).1);
            if first.is_some_and(|first| first != before && beside) {
                return Some(Doubt::Joined(text()));
            }
        }
        None
    }

    /// Whether a word says nothing by itself: an article.
    fn is_small(&self, at: usize) -> bool {
        self.said.lattice.at(at).iter().any(|edge| edge.cost == 0 && edge.sense == Sense::Idle)
    }

    /// A name that was no whole one may go on with the next word.
    fn longer_name(&self) -> Option<Doubt> {
        let goes_on = |filled: &&super::Filled| {
            let m = &self.said.mentions[filled.mention];
            let named = matches!(&m.what, What::Place(_) | What::Path(_) | What::Name(_) | What::Person(_));
            let Some(token) = self.said.lattice.tokens.get(m.to).filter(|_| named) else { return false };
            let ends = |edge: &Edge| {
                edge.cost == 0
                    && !matches!(
                        edge.sense,
                        Sense::Thing(_)
                            | Sense::Kind(_)
                            | Sense::Place(_)
                            | Sense::Field(_)
                            | Sense::Quality(_)
                    )
            };
            let word = matches!(token.lit, Lit::Word | Lit::Number(_));
            let beside = self.said.mentions.iter().any(|o| o.from == m.to && self.used(o));
            word && !beside && !self.said.lattice.at(m.to).iter().any(ends)
        };
        let filled = self.candidate.filled.iter().find(goes_on)?;
        let m = &self.said.mentions[filled.mention];
        Some(Doubt::LongerName(format!("{} {}", self.text(m), self.said.lattice.tokens.get(m.to)?.text)))
    }

    /// A file that things are said to be in, from or of is not what is changed.
    fn inside(&self) -> Option<Doubt> {
        let inside = |filled: &&super::Filled| {
            let m = &self.said.mentions[filled.mention];
            let file = match &m.what {
                What::Path(path) => path.rsplit('/').next().is_some_and(|name| name.contains('.')),
                What::Name(name) => !name.contains('*') && name.contains('.'),
                _ => false,
            };
            file && !filled.slot.not
                && matches!(filled.slot.role, Role::Paths | Role::Patterns)
                && matches!(m.relation, Some(Relation::In | Relation::From | Relation::Of | Relation::About))
        };
        let filled = self.candidate.filled.iter().find(inside)?;
        Some(Doubt::Inside(self.text(&self.said.mentions[filled.mention])))
    }

    /// A folder that everybody has stays.
    fn whole(&self) -> Option<Doubt> {
        let standard = |m: &Mention| {
            let place = |edge: &Edge| matches!((&m.what, edge.sense), (What::Place(path), Sense::Place(id)) if path == id.name());
            (m.from..m.to).any(|at| self.said.lattice.at(at).iter().any(place))
        };
        let takes_away = self.changers().any(|tool| tool.takes(Role::Paths) && !tool.takes(Role::Content));
        let filled = self.candidate.filled.iter().find(|filled| {
            filled.slot.role == Role::Paths
                && !filled.slot.not
                && standard(&self.said.mentions[filled.mention])
        })?;
        takes_away.then(|| Doubt::Whole(self.text(&self.said.mentions[filled.mention])))
    }

    /// A moment is to come, its hour is clear, and what is to be done then says nothing more about time.
    fn when(&self) -> Option<Doubt> {
        let now = self.said.now;
        for filled in &self.candidate.filled {
            let m = &self.said.mentions[filled.mention];
            let (past, hour) = match &m.what {
                What::Moment(at, true) => (*at <= now, Some(at.hour())),
                What::Schedule(text) => (
                    text.strip_prefix("at:")
                        .and_then(|at| at.parse::<jiff::civil::DateTime>().ok())
                        .is_some_and(|at| at <= now),
                    text.split(' ').nth(1).and_then(|hour| hour.parse().ok()),
                ),
                _ => continue,
            };
            let written = (m.from..m.to).any(|at| {
                matches!(self.said.lattice.tokens[at].lit, Lit::Number(_))
                    && self.said.lattice.tokens[at].text.starts_with('0')
                    || self.said.lattice.tokens[at].text.contains(':')
            });
            if past || hour.is_some_and(|hour| (1..=EARLY).contains(&hour)) && !written {
                return Some(Doubt::When(self.text(m)));
            }
        }
        if !self.is_task() {
            return None;
        }
        let used = |m: &Mention| {
            self.candidate.filled.iter().any(|f| {
                let other = &self.said.mentions[f.mention];
                f.slot.role != Role::Task && other.from < m.to && m.from < other.to
            })
        };
        let timed = |m: &&Mention| {
            let time =
                matches!(m.what, What::Window(..) | What::Moment(..) | What::Schedule(_) | What::UnclearTime)
                    || matches!(
                        m.what,
                        What::Operator(Operator::Except | Operator::Not | Operator::Correction)
                    );
            time && m.cost < 3 && !used(m)
        };
        let left = self.said.mentions.iter().find(timed)?;
        Some(Doubt::When(self.text(left)))
    }

    /// An order right before what the task is called takes it back: "stop reminding me".
    fn stopped(&self, orders: &[(&Mention, String)]) -> Option<Doubt> {
        let task = self.tools().find(|tool| tool.takes(Role::Task))?;
        let speaks = |said: &str| self.weights.is_spoken(task.name.as_str(), said);
        let called = |at: usize| {
            let acts = self.said.mentions.iter().filter(|m| m.from == at && matches!(m.what, What::Act(_)));
            acts.filter_map(word).any(|said| speaks(&said))
        };
        let stops = |(m, said): &&(&Mention, String)| {
            !speaks(said) && (m.to..m.to + 2).any(|at| called(at) && (m.to..at).all(|at| self.is_small(at)))
        };
        orders.iter().find(stops).map(|(m, _)| Doubt::AnotherOrder(self.text(m)))
    }

    /// Whether a word that is left out says which things are meant: another value, a choice, or what stands right beside
    /// the word for them.
    fn limits(&self, lost: &Unheld) -> bool {
        let at = lost.at;
        // Where nothing is looked up, there are no things to choose from.
        if !self.tools().any(|tool| tool.class == Class::Producer) && !self.candidate.shape.is_back() {
            return false;
        }
        let own = |m: &&Mention| m.from <= at && at < m.to && m.cost < 2;
        let beside = |from: usize, to: usize| {
            let thing = |m: &&Mention| {
                m.cost < 4
                    && match m.what {
                        What::Thing(_) | What::Kind(_) | What::Extension(_) => true,
                        What::Pronoun(pronoun) => matches!(pronoun, Pronoun::Ones | Pronoun::These),
                        _ => false,
                    }
            };
            self.said.mentions.iter().filter(thing).any(|m| m.to == from || m.from == to)
        };
        self.said.mentions.iter().filter(own).any(|m| match &m.what {
            What::Operator(operator) => matches!(operator, Operator::Or | Operator::Other),
            What::Quantity(quantity) => {
                !matches!(quantity, metnos_language::Quantity::All) && beside(m.from, m.to)
            }
            What::Quality(_) => {
                let said = |said: String| self.tools().any(|t| self.weights.is_spoken(t.name.as_str(), &said));
                !quality(m).is_some_and(said) && beside(m.from, m.to)
            }
            What::Order(_) | What::Ordinal(_) => beside(m.from, m.to),
            What::Name(_) | What::Path(_) | What::Email(_) | What::Url(_) | What::Size(..) => true,
            What::Quoted(_) | What::Schedule(_) | What::UnclearTime => true,
            What::Place(_) => m.known && m.cost == 0,
            _ => false,
        })
    }

    fn taken_back(&self) -> Option<Doubt> {
        self.said.mentions.iter().any(|m| m.what == What::TakenBack).then_some(Doubt::TakenBack)
    }

    /// "kill 3 processes": a number right before the word for many things is how many, where it is no list.
    fn counted(&self) -> Option<Doubt> {
        let counts = |filled: &&super::Filled| {
            let m = &self.said.mentions[filled.mention];
            let things = |o: &Mention| o.from == m.to && o.cost < 2 && matches!(o.what, What::Thing(_));
            matches!(filled.slot.role, Role::Ids | Role::Pids)
                && matches!(m.what, What::Number(_))
                && self.said.mentions.iter().any(things)
        };
        let filled = self.candidate.filled.iter().find(counts)?;
        Some(Doubt::Counted(self.text(&self.said.mentions[filled.mention])))
    }

    /// A new name that several things would get, or that the thing has.
    fn one_name(&self) -> Option<Doubt> {
        let steps = &self.candidate.built.steps;
        let step = steps.iter().find(|step| step.args.contains_key("name_template"))?;
        let name = step.args.get("name_template")?.as_str().filter(|name| !name.contains('{'))?;
        let names: Vec<&str> = steps
            .iter()
            .flat_map(|step| ["patterns", "paths"].map(|arg| step.args.get(arg)))
            .flatten()
            .filter_map(serde_json::Value::as_array)
            .flatten()
            .filter_map(serde_json::Value::as_str)
            .collect();
        let single = |name: &&str| !name.contains('*');
        let first = |step: &crate::plan::Step| {
            step.args.get("limit").is_some_and(|limit| *limit == 1) || step.args.contains_key("index")
        };
        let one = match names.as_slice() {
            [only] => single(only),
            _ => steps.iter().any(first) || self.last.is_some_and(|last| is_one(&last.steps, self.catalog)),
        };
        let same = names.iter().any(|old| old.rsplit('/').next() == Some(name));
        (!one || same).then(|| Doubt::OneName(name.to_owned()))
    }

    /// "it", where several things were answered.
    fn which(&self) -> Option<Doubt> {
        let last = self.last.filter(|_| self.candidate.shape.is_back())?;
        let named = self.candidate.built.steps.iter().any(|step| step.args.contains_key("index"));
        let it = |m: &&Mention| m.cost < 2 && m.what == What::Pronoun(Pronoun::It);
        let it = self.said.mentions.iter().find(it)?;
        (!is_one(&last.steps, self.catalog) && !named && self.candidate.filled.is_empty()).then(|| Doubt::Which(self.text(it)))
    }

    /// What would be changed is of the same things that were answered, and nothing of its own says which.
    fn continues(&self) -> Option<Doubt> {
        let last = self.last.filter(|_| !self.candidate.shape.is_back())?;
        let main = self.changers().last().filter(|_| !self.is_task())?;
        let own = |filled: &super::Filled| {
            !filled.slot.not && !matches!(filled.slot.role, Role::After | Role::Kind | Role::SizeMin | Role::DstFolder)
        };
        let all = |m: &Mention| m.what == What::Quantity(metnos_language::Quantity::All);
        let same = main.object() == last.object && self.tools().any(|tool| tool.class == Class::Producer);
        let named = self.candidate.filled.iter().any(own) || self.said.mentions.iter().any(all);
        (same && !named).then_some(Doubt::Continues)
    }

    /// The same kind is asked for and left out.
    fn contrary(&self) -> Option<Doubt> {
        let filled = &self.candidate.filled;
        let both = filled.iter().find(|one| {
            one.slot.not && filled.iter().any(|other| !other.slot.not && other.values == one.values)
        })?;
        Some(Doubt::Contrary(self.text(&self.said.mentions[both.mention])))
    }
}

/// Whether what was answered is one thing: the first, the one of a number, or one that was named.
fn is_one(steps: &[crate::plan::Step], catalog: &Catalog) -> bool {
    let one = |step: &crate::plan::Step| {
        let single = |arg: &str| {
            let names = step.args.get(arg).and_then(serde_json::Value::as_array);
            names.is_some_and(|names| {
                names.len() == 1 && names.iter().all(|n| n.as_str().is_some_and(|n| !n.contains('*')))
            })
        };
        step.args.get("limit").is_some_and(|limit| *limit == 1)
            || step.args.contains_key("index")
            || step.args.contains_key("pick")
            || ["patterns", "paths", "ids", "pids"].iter().any(|arg| single(arg))
            || ["dst", "path", "query"].iter().any(|arg| step.args.contains_key(*arg))
            || catalog.get(&step.tool).is_some_and(|tool| tool.verb() == "create")
    };
    steps.iter().any(one)
}
