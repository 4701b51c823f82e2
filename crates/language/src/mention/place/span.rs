//! What a token is to the readers of names and texts, and how far a name goes.

use crate::lattice::Edge;
use crate::mention::Reading;
use crate::sense::{Cue, Relation, Sense};
use crate::token::{Lit, Token};

/// What a word is, as far as names go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// It only binds others: an article, a relation, a conjunction, a pronoun.
    Binds,
    /// It is part of a date, a number or an amount.
    Dated,
    /// A word the lexicon has a meaning for.
    Known,
    /// Any other word.
    Open,
    /// No word: a sign or a literal.
    Other,
}

/// A relation with the token it begins at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tie {
    pub(super) relation: Relation,
    pub(super) from: usize,
}

/// The tokens of a request with what they are.
pub(super) struct Words<'r> {
    pub(super) reading: Reading<'r>,
    parts: Vec<Part>,
    ties: Vec<Option<Tie>>,
    /// Nothing is written small, so that a capital says nothing.
    loud: bool,
}

/// A name, a run of articles or of glued signs is no longer than this; so every step looks at few tokens.
pub(super) const RUN: usize = 8;

/// How much a relation says of a place; of several the first is taken.
const ORDER: [Relation; 6] =
    [Relation::To, Relation::From, Relation::In, Relation::Of, Relation::With, Relation::By];

impl<'r> Words<'r> {
    pub(super) fn new(reading: Reading<'r>) -> Self {
        let loud = !reading.request.chars().any(char::is_lowercase);
        let mut words = Self { reading, parts: Vec::new(), ties: Vec::new(), loud };
        words.parts = (0..words.len()).map(|at| words.part_of(at)).collect();
        for at in 0..words.len() {
            let tie = words.tie_of(at);
            words.ties.push(tie);
        }
        words
    }

    pub(super) fn len(&self) -> usize {
        self.reading.lattice.tokens.len()
    }

    pub(super) fn token(&self, at: usize) -> Option<&'r Token> {
        self.reading.lattice.tokens.get(at)
    }

    pub(super) fn lit(&self, at: usize) -> Option<&'r Lit> {
        self.token(at).map(|token| &token.lit)
    }

    pub(super) fn part(&self, at: usize) -> Part {
        self.parts.get(at).copied().unwrap_or(Part::Other)
    }

    pub(super) fn edges(&self, at: usize) -> &'r [Edge] {
        self.reading.lattice.at(at)
    }

    /// The text of some tokens, as written; a text in quotes without them.
    pub(super) fn text(&self, from: usize, to: usize) -> String {
        match self.lit(from) {
            Some(Lit::Quoted(text)) if to == from + 1 => text.clone(),
            _ => self.reading.lattice.text(self.reading.request, from, to).to_owned(),
        }
    }

    pub(super) fn symbol(&self, at: usize) -> Option<char> {
        match self.lit(at) {
            Some(Lit::Symbol(sign)) => Some(*sign),
            _ => None,
        }
    }

    pub(super) fn is_quoted(&self, at: usize) -> bool {
        matches!(self.lit(at), Some(Lit::Quoted(_)))
    }

    /// A word that begins with a capital, where that says something; one letter says nothing.
    pub(super) fn capital(&self, at: usize) -> bool {
        let Some(token) = self.token(at) else { return false };
        let mut letters = token.text.chars();
        let large = letters.next().is_some_and(char::is_uppercase) && letters.next().is_some();
        matches!(token.lit, Lit::Word) && large && !self.loud
    }

    /// A capital that no beginning of a sentence explains.
    pub(super) fn is_name(&self, at: usize) -> bool {
        self.capital(at) && self.reading.lattice.is_name(at)
    }

    /// Written as only names are: `node_modules`, `tesi2`, `BabyClothes`.
    pub(super) fn is_identifier(&self, at: usize) -> bool {
        let Some(token) = self.token(at).filter(|token| matches!(token.lit, Lit::Word)) else { return false };
        let inner = |c: char| c == '_' || c.is_ascii_digit() || c.is_uppercase();
        let letters = token.text.chars().any(char::is_alphabetic);
        let hyphen = token.text.contains('-') && token.text.chars().count() > 2;
        letters && !self.loud && (hyphen || token.text.chars().skip(1).any(inner))
    }

    /// Where a cue of this kind ends, and what reading it so costs.
    pub(super) fn cue(&self, at: usize, cue: Cue) -> Option<(usize, u8)> {
        let edge = self.edges(at).iter().find(|edge| edge.sense == Sense::Cue(cue))?;
        (edge.cost == 0 || !self.is_name(at)).then_some((edge.end, edge.cost))
    }

    /// Where a cue of this kind begins that ends before `at`; articles may stand between.
    pub(super) fn cue_before(&self, at: usize, cue: Cue) -> Option<usize> {
        let mut before = at;
        for _ in 0..4 {
            let from = (before.saturating_sub(4)..before)
                .rev()
                .find(|from| self.cue(*from, cue).is_some_and(|(end, _)| end == before));
            if from.is_some() {
                return from;
            }
            before = before.checked_sub(1).filter(|b| self.is_idle(*b))?;
        }
        None
    }

    /// Whether a misspelled word may be one that only binds.
    pub(super) fn may_bind(&self, at: usize) -> bool {
        let binds = |sense: Sense| matches!(sense, Sense::Idle | Sense::Relation(_) | Sense::Operator(_));
        !self.is_name(at) && self.edges(at).iter().any(|edge| edge.cost > 0 && binds(edge.sense))
    }

    /// One past the last of the tokens that no space parts from the one before `end`: `key=value`.
    pub(super) fn glued(&self, end: usize) -> usize {
        let (mut end, most) = (end, end + RUN);
        while end < most
            && let (Some(last), Some(next)) =
                (end.checked_sub(1).and_then(|last| self.token(last)), self.token(end))
            && last.end == next.start
            && (!matches!(next.lit, Lit::Symbol(',' | ':' | ';' | '.' | '!' | '?' | ')' | '…'))
                || self.is_glued(end + 1))
        {
            end += 1;
        }
        end
    }

    /// Whether no space stands before a token.
    pub(super) fn is_glued(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.token(before));
        matches!((before, self.token(at)), (Some(before), Some(this)) if before.end == this.start)
    }

    /// Past articles and a word such as "called"; whether there was such a word.
    pub(super) fn skip_named(&self, at: usize) -> (usize, bool) {
        let mut next = at;
        for _ in 0..RUN {
            if let Some((end, _)) = self.cue(next, Cue::Named) {
                return (self.skip_idle(end), true);
            }
            let idle = |edge: &&Edge| edge.sense == Sense::Idle && edge.cost == 0;
            match self.edges(next).iter().rev().find(idle).filter(|_| !self.is_name(next)) {
                Some(edge) => next = edge.end,
                None => break,
            }
        }
        (next, false)
    }

    /// The first token after articles and the like.
    pub(super) fn skip_idle(&self, at: usize) -> usize {
        let (mut at, most) = (at, at + RUN);
        while at < most
            && !self.is_name(at)
            && let Some(edge) = self.edges(at).iter().find(|edge| edge.sense == Sense::Idle && edge.cost == 0)
        {
            at = edge.end;
        }
        at
    }

    pub(super) fn is_idle(&self, at: usize) -> bool {
        !self.is_name(at) && self.edges(at).iter().any(|edge| edge.sense == Sense::Idle && edge.cost == 0)
    }

    /// What ties `at` to what stands before it, over articles.
    pub(super) fn relation(&self, at: usize) -> Option<Tie> {
        self.ties.get(at).copied().flatten()
    }

    /// Whether a relation begins here.
    pub(super) fn relates(&self, at: usize, wanted: Relation) -> Option<usize> {
        let edge = self.edges(at).iter().find(|edge| edge.sense == Sense::Relation(wanted))?;
        (!self.is_name(at) && edge.cost < 4).then_some(edge.end)
    }

    pub(super) fn ends_sentence(&self, at: usize) -> bool {
        matches!(self.symbol(at), Some('.' | '!' | '?' | ';' | '…'))
    }

    /// A comma, a colon, a bracket: the phrase ends.
    pub(super) fn ends_phrase(&self, at: usize) -> bool {
        at >= self.len() || matches!(self.symbol(at), Some(sign) if !matches!(sign, '&' | '\'' | '-' | '+'))
    }

    /// A run of words with capitals, with the numbers among them.
    pub(super) fn capitals(&self, at: usize) -> usize {
        let mut end = at;
        while end < at + RUN && self.capital(end) && (end == at || self.part(end) != Part::Dated)
            || end > at
                && end < at + RUN
                && matches!(self.lit(end), Some(Lit::Number(_)))
                && self.part(end + 1) != Part::Dated
                && !self.measured(end + 1)
        {
            end += 1;
        }
        end
    }

    fn measured(&self, at: usize) -> bool {
        self.edges(at).iter().any(|edge| matches!(edge.sense, Sense::Bytes(_) | Sense::Measure(_)))
    }

    fn part_of(&self, at: usize) -> Part {
        let Some(token) = self.token(at) else { return Part::Other };
        if !matches!(token.lit, Lit::Word) {
            let dated = matches!(token.lit, Lit::Number(_) | Lit::Date(..) | Lit::Clock(..));
            return if dated { Part::Dated } else { Part::Other };
        }
        let mut part = Part::Open;
        for edge in self.edges(at).iter().filter(|edge| edge.cost == 0) {
            let this = match edge.sense {
                Sense::Idle
                | Sense::Relation(_)
                | Sense::Operator(_)
                | Sense::Pronoun(_)
                | Sense::Quantity(_)
                | Sense::Compare(_)
                | Sense::Period(_) => Part::Binds,
                Sense::Number(_)
                | Sense::Scale(_)
                | Sense::Half
                | Sense::Ordinal(_)
                | Sense::Bytes(_)
                | Sense::Measure(_)
                | Sense::TimeUnit(_)
                | Sense::Month(_)
                | Sense::Weekday(_)
                | Sense::Day(_)
                | Sense::DayPart(_)
                | Sense::Hour(_)
                | Sense::Every(_) => Part::Dated,
                _ => Part::Known,
            };
            part = match (part, this) {
                (Part::Binds, _) | (_, Part::Binds) => Part::Binds,
                (Part::Dated, _) | (_, Part::Dated) => Part::Dated,
                _ => Part::Known,
            };
        }
        // A small word written as a name is one: "the folder Da vedere".
        if part == Part::Binds && self.is_name(at) { Part::Known } else { part }
    }

    fn tie_of(&self, at: usize) -> Option<Tie> {
        let mut before = at;
        for _ in 0..4 {
            let mut best: Option<(usize, Tie)> = None;
            for from in (before.saturating_sub(3)..before).rev() {
                for edge in self.edges(from).iter().filter(|edge| edge.end == before) {
                    let Sense::Relation(relation) = edge.sense else { continue };
                    let rank = ORDER.iter().position(|known| *known == relation).unwrap_or(ORDER.len());
                    // A longer phrase says more than its last word.
                    if best.is_none_or(|(known, tie)| tie.from > from || tie.from == from && rank < known) {
                        best = Some((rank, Tie { relation, from }));
                    }
                }
            }
            if let Some((_, tie)) = best.filter(|(_, tie)| !self.is_name(tie.from)) {
                return Some(tie);
            }
            before = before.checked_sub(1).filter(|b| self.is_idle(*b))?;
        }
        None
    }
}
