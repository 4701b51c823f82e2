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
    /// The language it was read in.
    pub language: String,
    edges: Vec<Vec<Edge>>,
    /// For each token the word it was taken for, where that is another.
    corrected: Vec<Option<String>>,
    /// The word of a phrase that an unknown word is near, and what taking it for that costs.
    parts: Vec<Option<(String, u8)>>,
    /// The end of a verb that is a pronoun, by token.
    attached: Vec<Option<Pronoun>>,
}

impl Lattice {
    /// Reads `text` with the words of one language.
    pub fn new(text: &str, lexicon: &Lexicon) -> Self {
        let tokens = split(tokens(text, &lexicon.grammar.tails), lexicon);
        let folded: Vec<String> = tokens.iter().map(|token| fold(&token.norm)).collect();
        let mut lattice = Self {
            edges: vec![Vec::new(); tokens.len()],
            corrected: vec![None; tokens.len()],
            parts: vec![None; tokens.len()],
            attached: vec![None; tokens.len()],
            tokens,
            language: lexicon.language.clone(),
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
        let (mut phrase, mut full) = (String::new(), String::new());
        let mut found: Vec<Edge> = Vec::new();
        for end in at + 1..=(at + LONGEST).min(folded.len()) {
            if !is_word(&self.tokens[end - 1]) {
                break;
            }
            if end > at + 1 {
                phrase.push(' ');
                full.push(' ');
            }
            phrase.push_str(&folded[end - 1]);
            full.push_str(lexicon.unshortened(&folded[end - 1]));
            found.extend(lexicon.meanings(&phrase).iter().map(|meaning| edge(end, meaning, 0)));
            if full != phrase {
                let meant = lexicon.meanings(&full).iter().map(|meaning| edge(end, meaning, 0));
                let new: Vec<Edge> = meant.filter(|edge| !found.contains(edge)).collect();
                found.extend(new);
            }
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
        let mut near = lexicon.near_parts(word);
        self.parts[at] = near.first().cloned();
        near.retain(|(word, _)| !lexicon.meanings(word).is_empty());
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
    fn corrected_phrases(&mut self, words: Vec<String>, lexicon: &Lexicon) {
        let full = |words: &[String]| words.iter().map(|word| lexicon.unshortened(word).to_owned()).collect();
        let (mut meant, mut parts): (Vec<String>, Vec<String>) = (full(&words), full(&words));
        let (mut costs, mut part_costs) = (vec![0; words.len()], vec![0; words.len()]);
        let mut same = true;
        for at in 0..words.len() {
            let corrected = self.corrected[at].clone();
            if let Some(word) = &corrected {
                costs[at] = self.edges[at].iter().map(|edge| edge.cost).min().unwrap_or(0);
                meant[at].clone_from(word);
            }
            (parts[at], part_costs[at]) = (meant[at].clone(), costs[at]);
            if let Some((word, cost)) =
                self.parts[at].take().filter(|(word, _)| Some(word) != corrected.as_ref())
            {
                (parts[at], part_costs[at], same) = (word, cost, false);
            }
        }
        self.phrases_of(&meant, &costs, lexicon);
        if !same {
            self.phrases_of(&parts, &part_costs, lexicon);
        }
    }

    /// The phrases that these words make, where a correction is among them.
    fn phrases_of(&mut self, words: &[String], costs: &[u8], lexicon: &Lexicon) {
        for at in 0..words.len() {
            for end in (at + 2..=(at + LONGEST).min(words.len())).rev() {
                let cost = costs[at..end].iter().fold(0u8, |sum, cost| sum.saturating_add(*cost));
                if cost == 0 || !self.tokens[at..end].iter().all(is_word) {
                    continue;
                }
                let meanings = lexicon.meanings(&words[at..end].join(" "));
                let edges: Vec<Edge> = meanings.iter().map(|meaning| edge(end, meaning, cost)).collect();
                let edges: Vec<Edge> =
                    edges.into_iter().filter(|edge| !self.edges[at].contains(edge)).collect();
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

/// The pieces, with words parted that are written as one: a small word without its apostrophe, ways to group things.
fn split(tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let mut out = Vec::with_capacity(tokens.len());
    for token in tokens {
        match &token.lit {
            Lit::Word => match elided(&token, lexicon) {
                Some(cut) => {
                    let piece = |from: usize, to: usize, norm: String| Token {
                        text: token.text[from..to].to_owned(),
                        norm,
                        start: token.start + from,
                        end: token.start + to,
                        lit: Lit::Word,
                    };
                    out.push(piece(0, cut, format!("{}'", &token.norm[..cut])));
                    out.push(piece(cut, token.text.len(), token.norm[cut..].to_owned()));
                }
                None => out.push(token),
            },
            Lit::Slashed(text) if text.split('/').all(|part| groups(part, lexicon)) => {
                let mut from = token.start;
                for part in text.split('/') {
                    if from > token.start {
                        let sign = || "/".to_owned();
                        out.push(Token {
                            text: sign(),
                            norm: sign(),
                            start: from - 1,
                            end: from,
                            lit: Lit::Symbol('/'),
                        });
                    }
                    let end = from + part.len();
                    out.push(Token {
                        text: part.to_owned(),
                        norm: part.to_lowercase(),
                        start: from,
                        end,
                        lit: Lit::Word,
                    });
                    from = end + 1;
                }
            }
            _ => out.push(token),
        }
    }
    out
}

/// Whether this is a word for what things are grouped by, in small letters.
fn groups(word: &str, lexicon: &Lexicon) -> bool {
    let small = word.chars().all(char::is_lowercase);
    small && lexicon.meanings(&fold(word)).iter().any(|meaning| matches!(meaning.sense, Sense::Group(_)))
}

/// Where an unknown word is cut that begins with a small word whose apostrophe was left out.
fn elided(token: &Token, lexicon: &Lexicon) -> Option<usize> {
    let word = token.norm.as_str();
    if lexicon.grammar.elided.is_empty() || !word.is_ascii() || word != token.text {
        return None;
    }
    let knows = |word: &str| !lexicon.meanings(word).is_empty() || is_common(&lexicon.language, word);
    let rest = |small: &String| {
        let rest = word.strip_prefix(small.as_str())?;
        let vowel = rest.starts_with(|c: char| "aeiou".contains(c));
        (vowel && rest.len() >= REST && knows(rest)).then_some(small.len())
    };
    lexicon.grammar.elided.iter().filter_map(rest).max().filter(|_| !knows(word))
}

/// So many letters at least follow a small word without its apostrophe.
const REST: usize = 4;

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
