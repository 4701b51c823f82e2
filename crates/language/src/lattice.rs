//! Every way the words of a request can be read: tokens, and over them edges with a sense and a cost.

use crate::lexicon::{Form, LONGEST, Lexicon, Meaning, fold};
use crate::sense::{Pronoun, Sense};
use crate::shipped::is_common;
use crate::token::{Lit, Token, tokens};

/// A word or phrase read as something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// One past its last token.
    pub end: usize,
    /// What it means.
    pub sense: Sense,
    /// The form of the word.
    pub form: Form,
    /// 0 as it is written, more for a correction.
    pub cost: u8,
}

/// A request with all its readings.
#[derive(Debug)]
pub struct Lattice {
    /// The pieces, in order.
    pub tokens: Vec<Token>,
    edges: Vec<Vec<Edge>>,
    /// For each token the word it was taken for, where that is another.
    corrected: Vec<Option<String>>,
    /// The end of a verb that is a pronoun, by token.
    attached: Vec<Option<Pronoun>>,
}

impl Lattice {
    /// Reads `text` with the words of one language.
    pub fn new(text: &str, lexicon: &Lexicon) -> Self {
        let tokens = tokens(text, &lexicon.grammar.tails);
        let folded: Vec<String> = tokens.iter().map(|token| fold(&token.norm)).collect();
        let mut lattice = Self {
            edges: vec![Vec::new(); tokens.len()],
            corrected: vec![None; tokens.len()],
            attached: vec![None; tokens.len()],
            tokens,
        };
        for at in 0..lattice.tokens.len() {
            lattice.phrases_at(at, &folded, lexicon);
        }
        for (at, word) in folded.iter().enumerate() {
            lattice.pronoun_at(at, word, lexicon);
            if lattice.edges[at].is_empty() && !lattice.is_inside_phrase(at) {
                lattice.unknown_at(at, word, lexicon);
            }
        }
        lattice.corrected_phrases(folded, lexicon);
        lattice
    }

    /// The readings that begin at a token, longest first.
    pub fn at(&self, at: usize) -> &[Edge] {
        self.edges.get(at).map(Vec::as_slice).unwrap_or_default()
    }

    /// What the token was taken for, where it is misspelled.
    pub fn corrected(&self, at: usize) -> Option<&str> {
        self.corrected.get(at)?.as_deref()
    }

    /// The pronoun written at the end of a token.
    pub fn attached(&self, at: usize) -> Option<Pronoun> {
        *self.attached.get(at)?
    }

    /// The first reading at a token that `wanted` takes, with where it ends.
    pub fn find<T>(&self, at: usize, wanted: impl Fn(Sense) -> Option<T>) -> Option<(T, usize)> {
        self.at(at).iter().find_map(|edge| Some((wanted(edge.sense)?, edge.end)))
    }

    /// The text between two tokens, as written.
    pub fn text<'t>(&self, request: &'t str, from: usize, to: usize) -> &'t str {
        let start = self.tokens.get(from).map_or(0, |token| token.start);
        let end = to.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(start, |token| token.end);
        request.get(start..end).unwrap_or_default()
    }

    fn phrases_at(&mut self, at: usize, folded: &[String], lexicon: &Lexicon) {
        let mut phrase = String::new();
        let mut found = Vec::new();
        for end in at + 1..=(at + LONGEST).min(folded.len()) {
            if !is_word(&self.tokens[end - 1]) {
                break;
            }
            if end > at + 1 {
                phrase.push(' ');
            }
            phrase.push_str(&folded[end - 1]);
            found.extend(lexicon.meanings(&phrase).iter().map(|meaning| edge(end, meaning, 0)));
        }
        found.reverse();
        self.edges[at] = found;
    }

    fn is_inside_phrase(&self, at: usize) -> bool {
        let from = at.saturating_sub(LONGEST - 1);
        (from..at).any(|before| self.edges[before].iter().any(|edge| edge.end > at))
    }

    /// A verb with a pronoun at its end; also where the whole is a word of its own, but no verb.
    fn pronoun_at(&mut self, at: usize, word: &str, lexicon: &Lexicon) {
        let is_act = self.edges[at].iter().any(|edge| matches!(edge.sense, Sense::Act(_)));
        if is_act || !matches!(self.tokens[at].lit, Lit::Word) {
            return;
        }
        if let Some((meanings, pronoun)) = lexicon.with_pronoun(word) {
            self.edges[at].extend(meanings.iter().map(|meaning| edge(at + 1, meaning, 0)));
            self.attached[at] = attached(pronoun);
        }
    }

    fn unknown_at(&mut self, at: usize, word: &str, lexicon: &Lexicon) {
        // A capital inside a sentence is a name first, and a common word is no misspelling.
        let token = &self.tokens[at];
        if !matches!(token.lit, Lit::Word) || self.is_name(at) || is_common(&lexicon.language, &token.norm) {
            return;
        }
        let near = lexicon.near(word);
        let best = near.first().map(|(_, cost)| *cost);
        if let Some((verb, pronoun, cost)) = lexicon.near_with_pronoun(word)
            && best.is_none_or(|best| cost < best)
        {
            self.edges[at] =
                lexicon.meanings(&verb).iter().map(|meaning| edge(at + 1, meaning, cost)).collect();
            self.corrected[at] = Some(verb);
            self.attached[at] = attached(pronoun);
            return;
        }
        let Some(best) = best else { return };
        self.corrected[at] = near.first().map(|(word, _)| word.clone());
        let taken = near.iter().filter(|(_, cost)| *cost <= best + 1);
        let edges = taken.flat_map(|(word, cost)| {
            lexicon.meanings(word).iter().map(move |meaning| edge(at + 1, meaning, *cost))
        });
        self.edges[at] = edges.collect();
    }

    /// Phrases with a misspelled word in them.
    fn corrected_phrases(&mut self, mut words: Vec<String>, lexicon: &Lexicon) {
        let mut costs = vec![0; words.len()];
        for (at, word) in words.iter_mut().enumerate() {
            if let Some(meant) = &self.corrected[at] {
                meant.clone_into(word);
                costs[at] = self.edges[at].iter().map(|edge| edge.cost).min().unwrap_or(0);
            }
        }
        for at in 0..words.len() {
            for end in (at + 2..=(at + LONGEST).min(words.len())).rev() {
                let cost = costs[at..end].iter().fold(0u8, |sum, cost| sum.saturating_add(*cost));
                if cost == 0 || !self.tokens[at..end].iter().all(is_word) {
                    continue;
                }
                let meanings = lexicon.meanings(&words[at..end].join(" "));
                let edges = meanings.iter().map(|meaning| edge(end, meaning, cost));
                self.edges[at].extend(edges);
                self.edges[at].sort_by_key(|edge| std::cmp::Reverse(edge.end));
            }
        }
    }

    /// Whether a token is written as a name is, inside a sentence.
    pub fn is_name(&self, at: usize) -> bool {
        let Some(token) = self.tokens.get(at) else { return false };
        let begins = at == 0 || matches!(self.tokens[at - 1].lit, Lit::Symbol('.' | '!' | '?' | ':'));
        !begins && token.text.chars().next().is_some_and(char::is_uppercase)
    }
}

fn is_word(token: &Token) -> bool {
    matches!(token.lit, Lit::Word | Lit::Symbol(_) | Lit::Number(_))
}

fn edge(end: usize, meaning: &Meaning, cost: u8) -> Edge {
    Edge { end, sense: meaning.sense, form: meaning.form, cost }
}

fn attached(pronoun: &str) -> Option<Pronoun> {
    match Sense::parse("pronoun", pronoun)? {
        Sense::Pronoun(pronoun) => Some(pronoun),
        _ => None,
    }
}
