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
    /// It is asked about, not ordered.
    Asked(String),
    /// Something else is ordered, and this is not.
    Instead(String),
    /// What narrows stands in an exception or a condition.
    Conditional(String),
    /// A second thing is to be done, for which there is no step.
    AnotherDeed(String),
    /// It goes on with what was answered, and no word points back.
    Unpointed,
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
            Self::Asked(_) => 20,
            Self::Instead(_) => 21,
            Self::Conditional(_) => 22,
            Self::AnotherDeed(_) => 23,
            Self::Unpointed => 24,
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
                | Self::Inside(_)
                | Self::Unpointed
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
/// An event of more hours goes on into the next day.
const LONG: f64 = 12.0;

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
        let behind = self.last.is_some_and(|last| !last.unclear);
        if (shape.is_back() || *shape == Shape::Again) && !behind {
            return vec![Doubt::NothingBefore];
        }
        let rules: [fn(&Self) -> Option<Doubt>; 22] = [
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
            Self::asked,
            Self::conditional,
            Self::not_denied,
            Self::second_order,
            Self::two_ways,
            Self::two_things,
            Self::unpointed,
        ];
        let mut out: Vec<Doubt> = rules.iter().filter_map(|rule| rule(self)).collect();
        if let Some(Doubt::NotOrdered(tool)) = out.first()
            && let Some((m, _)) = self.orders().into_iter().find(|(_, said)| self.is_deed(said))
        {
            let instead = format!("{}, not {tool}", self.text(m));
            out.push(Doubt::Instead(instead));
        }
        out
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
        let later =
            later && self.tools().any(|tool| ["mtime", "date"].iter().any(|f| tool.gives.contains_key(*f)));
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
            let timed = matches!(m.what, What::Moment(..) | What::Schedule(_) | What::Window(..));
            if timed && (self.is_of_a_thing(m) || self.is_vague(filled, m) || self.is_two_days(m)) {
                return Some(Doubt::When(self.text(m)));
            }
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
            // "at 12 in the evening": noon or midnight.
            let twelve = (m.from..m.to).any(|at| self.said.lattice.tokens[at].text == "12");
            if hour == Some(0) && twelve {
                return Some(Doubt::When(self.text(m)));
            }
            if past || hour.is_some_and(|hour| (1..=EARLY).contains(&hour)) && !written {
                return Some(Doubt::When(self.text(m)));
            }
        }
        if let Some(long) = self.is_overnight() {
            return Some(Doubt::When(long));
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
                        What::Operator(
                            Operator::Except | Operator::Not | Operator::Correction | Operator::Only
                        )
                    );
            time && m.cost < 3 && !used(m)
        };
        if let Some(left) = self.said.mentions.iter().find(timed) {
            return Some(Doubt::When(self.text(left)));
        }
        // A word for a day or a month that is no part of the time: "on February 30".
        let tokens = &self.said.lattice.tokens;
        let dated = |at: &usize| {
            let free = !self.candidate.filled.iter().any(|f| {
                let m = &self.said.mentions[f.mention];
                f.slot.role != Role::Task && (m.from..m.to).contains(at)
            });
            let month = |edge: &Edge| edge.cost == 0 && matches!(edge.sense, Sense::Month(_));
            let slash = tokens[*at].text.contains('/')
                && tokens[*at].text.chars().all(|c| c.is_ascii_digit() || c == '/');
            free && (slash
                || matches!(tokens[*at].lit, Lit::Date(..))
                || self.said.lattice.at(*at).iter().any(month))
        };
        let left = (0..tokens.len()).find(dated)?;
        Some(Doubt::When(tokens[left].text.clone()))
    }

    /// An order right before what the task is called takes it back: "stop reminding me".
    fn stopped(&self, orders: &[(&Mention, String)]) -> Option<Doubt> {
        let task = self.tools().find(|tool| tool.takes(Role::Task))?;
        let speaks = |said: &str| self.weights.is_spoken(task.name.as_str(), said);
        let form = |at: usize| {
            let ordered = |e: &Edge| e.form == Form::Order && matches!(e.sense, Sense::Act(_));
            self.said.lattice.at(at).iter().any(ordered)
        };
        let called = |at: usize| {
            let acts = self.said.mentions.iter().filter(|m| m.from == at && matches!(m.what, What::Act(_)));
            !form(at) && acts.filter_map(word).any(|said| speaks(&said))
        };
        let ties = |at: usize| {
            self.is_small(at)
                || self.said.lattice.at(at).iter().any(|e| matches!(e.sense, Sense::Relation(_)))
        };
        let stops =
            |(m, _): &&(&Mention, String)| (m.to..m.to + 3).any(|at| called(at) && (m.to..at).all(ties));
        orders.iter().find(stops).map(|(m, _)| Doubt::Instead(self.text(m)))
    }

    /// Whether a word that is left out says which things are meant: another value, a choice, or what stands right beside
    /// the word for them.
    pub(crate) fn limits(&self, lost: &Unheld) -> bool {
        let at = lost.at;
        // Where nothing is looked up, there are no things to choose from.
        let looks = self.tools().any(|tool| tool.class == Class::Producer);
        if !looks && !self.candidate.shape.is_back() && self.candidate.filled.is_empty() {
            return false;
        }
        // What another sentence tells does not limit what this one orders.
        let orders = self.orders();
        let spoken =
            |said: &str| self.changers().any(|tool| self.weights.is_spoken(tool.name.as_str(), said));
        let mut ordered = orders.iter().filter(|(_, said)| spoken(said)).peekable();
        if ordered.peek().is_some() && !ordered.any(|(m, _)| self.is_one_sentence(m.from, at)) {
            return false;
        }
        if self.is_joined_to_value(at) {
            return true;
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
            What::Operator(Operator::Not) => {
                let next =
                    |o: &&Mention| o.from == m.to && matches!(o.what, What::Quality(_) | What::Thing(_));
                self.said.mentions.iter().any(|o| next(&o))
            }
            // "unless they are new"
            What::Operator(Operator::If) => {
                let (_, end) = self.clause(m.to);
                let says = |o: &Mention| matches!(o.what, What::Quality(_) | What::Order(_)) && o.cost < 2;
                self.said.mentions.iter().any(|o| o.from >= m.to && o.to <= end && says(o))
            }
            What::Operator(operator) => matches!(operator, Operator::Or | Operator::Other),
            What::Quantity(quantity) => {
                !matches!(quantity, metnos_language::Quantity::All) && beside(m.from, m.to)
            }
            What::Quality(_) => {
                let shape = self.candidate.shape.to_string();
                let said = |said: String| self.weights.is_spoken(&shape, &said);
                !quality(m).is_some_and(said) && beside(m.from, m.to)
            }
            What::Order(_) | What::Ordinal(_) => beside(m.from, m.to),
            What::Name(_) | What::Path(_) | What::Email(_) | What::Url(_) | What::Size(..) => true,
            What::Quoted(_) | What::Schedule(_) | What::UnclearTime => true,
            What::Place(_) => m.known && m.cost == 0,
            What::Kind(_) => self.candidate.shape.is_back() && m.cost == 0,
            _ => false,
        })
    }

    /// "the 9:15 train": a time that belongs to a thing.
    fn is_of_a_thing(&self, m: &Mention) -> bool {
        let article = m.from.checked_sub(1).is_some_and(|at| self.is_small(at));
        let next = self.said.lattice.tokens.get(m.to).is_some_and(|token| token.lit == Lit::Word);
        let small = |edge: &Edge| {
            matches!(edge.sense, Sense::Idle | Sense::Relation(_) | Sense::Operator(_) | Sense::Pronoun(_))
        };
        let clock = (m.from..m.to).any(|at| self.said.lattice.tokens[at].text.contains(':'));
        clock && article && next && !self.said.lattice.at(m.to).iter().any(small)
    }

    /// An hour without a day for what has a day already, or one day for what was years ago.
    fn is_vague(&self, filled: &super::Filled, m: &Mention) -> bool {
        let edges = || (m.from..m.to).flat_map(|at| self.said.lattice.at(at));
        let dated = edges().any(|edge| {
            matches!(edge.sense, Sense::Month(_) | Sense::Weekday(_) | Sense::Day(_) | Sense::TimeUnit(_))
        }) || (m.from..m.to).any(|at| matches!(self.said.lattice.tokens[at].lit, Lit::Date(..)));
        let moved = filled.slot.role == Role::Start && self.changers().any(|tool| tool.takes(Role::List));
        let years = |edge: &Edge| {
            use metnos_language::TimeUnit;
            matches!(edge.sense, Sense::TimeUnit(TimeUnit::Year | TimeUnit::Month))
        };
        let day = match m.what {
            What::Window(Some(from), Some(to)) => from.tomorrow().is_ok_and(|next| next == to),
            _ => false,
        };
        moved && !dated && matches!(m.what, What::Moment(..)) || day && edges().any(years)
    }

    /// A second order with things of its own has a step of its own: "archive x and delete the old mails".
    fn second_order(&self) -> Option<Doubt> {
        let own = |m: &Mention| {
            let next = (m.to..m.to + 3).find(|at| !self.is_small(*at))?;
            let mut at = self.said.mentions.iter().filter(|o| o.from == next && o.cost < 2);
            at.any(|o| matches!(o.what, What::Thing(_) | What::Kind(_))).then_some(())
        };
        let orders: Vec<&Mention> =
            self.orders().into_iter().filter(|(_, said)| self.is_deed(said)).map(|(m, _)| m).collect();
        let later = orders.iter().skip(1).filter(|m| own(m).is_some()).count();
        let steps = self.changers().count();
        let second = orders.get(1)?;
        (!self.is_task() && later >= steps && steps > 0).then(|| Doubt::AnotherDeed(self.text(second)))
    }

    /// "5/6": two days may be meant.
    fn is_two_days(&self, m: &Mention) -> bool {
        let inside = |o: &&Mention| m.from <= o.from && o.to <= m.to && matches!(o.what, What::Window(..));
        let days: Vec<&Mention> = self.said.mentions.iter().filter(inside).collect();
        let year = |what: &What| match what {
            What::Window(Some(from), _) => Some(from.year()),
            _ => None,
        };
        let rival = |a: &Mention, b: &Mention| {
            (a.from, a.to, a.cost) == (b.from, b.to, b.cost)
                && a.what != b.what
                && year(&a.what) == year(&b.what)
        };
        let written = |o: &Mention| (o.from..o.to).any(|at| self.said.lattice.tokens[at].text.contains('/'));
        days.iter().any(|a| written(a) && days.iter().any(|b| rival(a, b)))
    }

    /// Something that lasts from the evening into the next day, or is paused at a time.
    fn is_overnight(&self) -> Option<String> {
        let at = |step: &crate::plan::Step, name: &str| {
            let text = step.args.get(name)?.as_str()?.get(..19)?.to_owned();
            text.parse::<jiff::civil::DateTime>().ok()
        };
        let long = |step: &&crate::plan::Step| {
            let hours = |(from, to): (jiff::civil::DateTime, jiff::civil::DateTime)| {
                from.until(to).ok().and_then(|span| span.total(jiff::Unit::Hour).ok())
            };
            let paused = step.args.get("paused").is_some_and(|paused| *paused == true);
            at(step, "start").zip(at(step, "end")).and_then(hours).is_some_and(|hours| hours > LONG)
                || paused && step.args.contains_key("schedule")
        };
        let changes = |step: &&crate::plan::Step| {
            self.catalog.get(&step.tool).is_some_and(|tool| tool.class == Class::Changer)
        };
        self.candidate.built.steps.iter().filter(changes).find(long).map(|step| step.tool.clone())
    }

    /// Two kinds of things are joined, and only one of them is looked up; or a folder in a folder that may be where
    /// things go.
    fn two_things(&self) -> Option<Doubt> {
        let mentions = &self.said.mentions;
        let thing = |m: &&Mention| m.cost == 0 && matches!(m.what, What::Thing(_) | What::Kind(_));
        let kinds = self.candidate.filled.iter().filter(|f| f.slot.role == Role::Kind && !f.slot.not).count();
        let quality = |at: usize| {
            self.is_small(at)
                || mentions.iter().any(|m| m.from == at && m.cost == 0 && matches!(m.what, What::Quality(_)))
        };
        let joins = |m: &&Mention| m.cost == 0 && m.what == What::Operator(Operator::And);
        for join in mentions.iter().filter(joins).filter(|_| kinds == 1) {
            let before =
                mentions.iter().filter(thing).find(|m| m.to <= join.from && (m.to..join.from).all(quality));
            let after =
                mentions.iter().filter(thing).find(|m| m.from >= join.to && (join.to..m.from).all(quality));
            if let (Some(before), Some(after)) = (before, after)
                && self.text(before) != self.text(after)
            {
                return Some(Doubt::Limit(self.text(after)));
            }
        }
        let filled = &self.candidate.filled;
        let inside = |role: Role| {
            let of = filled.iter().filter(move |f| f.slot.role == role && !f.slot.not);
            of.map(|f| &mentions[f.mention]).find(|m| m.relation == Some(Relation::In))
        };
        let (from, to) = (inside(Role::Place)?, inside(Role::DstDir)?);
        (from.to < to.from && to.from - from.to <= 2).then(|| Doubt::Limit(self.text(to)))
    }

    /// Two ways to send, or a value that another one takes the place of.
    fn two_ways(&self) -> Option<Doubt> {
        let mentions = &self.said.mentions;
        let channels = mentions.iter().filter(|m| matches!(m.what, What::Channel(_)) && m.cost == 0);
        let mut ways: Vec<&What> = channels.map(|m| &m.what).collect();
        ways.dedup();
        let filled = &self.candidate.filled;
        let of = |f: &super::Filled| mentions[f.mention].relation;
        let replaced = filled.iter().find(|f| {
            of(f) == Some(Relation::From)
                && filled.iter().any(|o| o.slot == f.slot && of(o) == Some(Relation::To))
        });
        match replaced {
            Some(f) => Some(Doubt::Contrary(self.text(&mentions[f.mention]))),
            None => (ways.len() > 1).then(|| Doubt::Contrary(format!("{:?}", ways[1]))),
        }
    }

    /// Whether the word for what would be done stands after a question word, and nothing orders it.
    fn asked(&self) -> Option<Doubt> {
        if let Some(at) = self.candidate.called.iter().find(|at| self.is_asked(**at)) {
            return Some(Doubt::Asked(self.said.lattice.tokens[*at].text.clone()));
        }
        let orders = self.orders();
        for tool in self.changers() {
            let speaks = |said: &str| self.weights.is_spoken(tool.name.as_str(), said);
            if orders.iter().any(|(_, said)| speaks(said)) {
                continue;
            }
            let acts = self.said.mentions.iter().filter(|m| matches!(m.what, What::Act(_)) && m.cost < 4);
            let mut named = acts.filter(|m| word(m).is_some_and(|said| speaks(&said))).peekable();
            if let Some(first) = named.peek().copied()
                && named.all(|m| self.is_asked(m.from))
            {
                return Some(Doubt::Asked(self.text(first)));
            }
        }
        None
    }

    /// Whether two words stand in one sentence.
    fn is_one_sentence(&self, a: usize, b: usize) -> bool {
        let (from, to) = (a.min(b), a.max(b));
        let tokens = &self.said.lattice.tokens;
        !(from..to).any(|at| matches!(tokens[at].lit, Lit::Symbol('.' | '!' | '?' | ';')))
    }

    /// Whether people say this for something that is done, whatever it is.
    fn is_deed(&self, said: &str) -> bool {
        let mut changers = self.catalog.tools().filter(|tool| tool.class == Class::Changer);
        changers.any(|tool| self.weights.is_spoken(tool.name.as_str(), said))
    }

    /// Whether a word is joined to a value of the reading, and is one of its type: "Lucia and Marco".
    fn is_joined_to_value(&self, at: usize) -> bool {
        let mentions = &self.said.mentions;
        let joins = |from: usize, to: usize| {
            from < to
                && (from..to).all(|at| {
                    self.is_small(at)
                        || matches!(self.said.lattice.tokens[at].lit, Lit::Symbol(',' | '&'))
                        || mentions.iter().any(|m| {
                            (m.from..m.to).contains(&at)
                                && m.cost == 0
                                && matches!(
                                    m.what,
                                    What::Operator(Operator::And | Operator::Or) | What::Pronoun(_)
                                )
                        })
                })
        };
        let own = mentions.iter().filter(|m| m.from <= at && at < m.to && m.cost < 7);
        let values = self.candidate.filled.iter().filter(|f| !f.slot.not).map(|f| &mentions[f.mention]);
        let values: Vec<&Mention> = values.collect();
        own.into_iter().any(|m| {
            let same = |v: &&&Mention| std::mem::discriminant(&v.what) == std::mem::discriminant(&m.what);
            let value = matches!(
                m.what,
                What::Person(_)
                    | What::Name(_)
                    | What::Kind(_)
                    | What::Number(_)
                    | What::Window(..)
                    | What::Path(_)
                    | What::Email(_)
                    | What::Url(_)
            );
            value && values.iter().filter(same).any(|v| joins(v.to, m.from) || joins(m.to, v.from))
        })
    }

    /// What narrows stands after what is left out, or after "if": it narrows that, and not the things.
    fn conditional(&self) -> Option<Doubt> {
        let filled = &self.candidate.filled;
        let narrows = |role: Role| {
            matches!(role, Role::SizeMin | Role::After | Role::Kind | Role::Patterns | Role::Contains)
        };
        let denied: Vec<&Mention> =
            filled.iter().filter(|f| f.slot.not).map(|f| &self.said.mentions[f.mention]).collect();
        let ifs = |m: &&Mention| m.what == What::Operator(Operator::If) && m.cost < 2;
        let ifs: Vec<&Mention> = self.said.mentions.iter().filter(ifs).collect();
        let inside = filled.iter().filter(|f| !f.slot.not && narrows(f.slot.role)).find(|f| {
            let m = &self.said.mentions[f.mention];
            let (from, _) = self.clause(m.from);
            denied.iter().chain(&ifs).any(|other| other.to <= m.from && other.from >= from)
        })?;
        Some(Doubt::Conditional(self.text(&self.said.mentions[inside.mention])))
    }

    /// Something is left out, and no word says so.
    fn not_denied(&self) -> Option<Doubt> {
        let denies = |m: &&Mention| {
            m.cost < 4
                && matches!(
                    m.what,
                    What::Operator(
                        Operator::Except
                            | Operator::Not
                            | Operator::Without
                            | Operator::Spare
                            | Operator::Other
                    )
                )
        };
        let any = self.said.mentions.iter().any(|m| denies(&m));
        let filled = self.candidate.filled.iter().find(|f| f.slot.not && !any)?;
        Some(Doubt::Contrary(self.text(&self.said.mentions[filled.mention])))
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
        let pronoun = |wanted: &[Pronoun]| {
            let points = |m: &&Mention| {
                m.cost < 2 && matches!(m.what, What::Pronoun(pronoun) if wanted.contains(&pronoun))
            };
            self.said.mentions.iter().find(points)
        };
        // After things were copied or packed, both they and what was made of them are there.
        let made = last.steps.last().and_then(|step| self.catalog.get(&step.tool));
        let made = made.filter(|tool| tool.class == Class::Changer).is_some_and(|tool| {
            tool.takes(Role::Dst) || tool.takes(Role::DstDir) && !tool.takes(Role::Paths)
        });
        if let Some(them) = pronoun(&[Pronoun::Them, Pronoun::These, Pronoun::Ones]).filter(|_| made) {
            return Some(Doubt::Which(self.text(them)));
        }
        let it = pronoun(&[Pronoun::It])?;
        (!is_one(&last.steps, self.catalog) && !named).then(|| Doubt::Which(self.text(it)))
    }

    fn unpointed(&self) -> Option<Doubt> {
        let points = |m: &Mention| {
            m.cost < 4
                && matches!(
                    m.what,
                    What::Pronoun(_)
                        | What::Ordinal(_)
                        | What::Operator(Operator::Only | Operator::Other)
                        | What::Quantity(_)
                        | What::Order(_)
                )
        };
        let back = self.candidate.shape.is_back();
        (back && !self.said.mentions.iter().any(points)).then_some(Doubt::Unpointed)
    }

    /// What would be changed is of the same things that were answered, and nothing of its own says which.
    fn continues(&self) -> Option<Doubt> {
        let last = self.last.filter(|_| !self.candidate.shape.is_back())?;
        let main = self.changers().last().filter(|_| !self.is_task())?;
        let own = |filled: &super::Filled| {
            !filled.slot.not
                && !matches!(filled.slot.role, Role::After | Role::Kind | Role::SizeMin | Role::DstFolder)
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
