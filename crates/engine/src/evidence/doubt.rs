//! What makes a reading that changes something doubtful. Each rule is about how a request is built; none is about what
//! a word means. A reading with any doubt is no plan.

use super::cover::word;
use super::noted::kind;
use super::{Candidate, Last, Packed, Said, Words};
use crate::catalog::{Catalog, Role, Tool};
use crate::shape::Shape;
use metnos_language::{Edge, Form, Lit, Mention, Operator, Relation, Sense, What};
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
        }
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
const EARLY: i8 = 6;

/// What is known of a reading.
pub(crate) struct Doubts<'d> {
    pub(crate) said: &'d Said,
    pub(crate) candidate: &'d Candidate,
    pub(crate) last: Option<&'d Last>,
    pub(crate) catalog: &'d Catalog,
    pub(crate) weights: &'d Packed,
    /// The words around what it does.
    pub(crate) words: &'d Words<'d>,
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
        let rules: [fn(&Self) -> Option<Doubt>; 9] = [
            Self::order,
            Self::bound,
            Self::misfit,
            Self::unheard,
            Self::joined,
            Self::longer_name,
            Self::inside,
            Self::whole,
            Self::when,
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
            return None;
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
                What::Moment(at, true) => (*at < now, Some(at.hour())),
                What::Schedule(text) => (
                    text.strip_prefix("at:")
                        .and_then(|at| at.parse::<jiff::civil::DateTime>().ok())
                        .is_some_and(|at| at < now),
                    None,
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
}
