//! Tokens with their senses: the longest phrase of the lexicon at each place, left to right.

use crate::lexicon::{Broken, Lexicon, Name, Sense};
use crate::text::{Lit, Token, tokens};

/// Categories of words that mean something only together with others.
pub(crate) const TOGETHER: [&str; 9] =
    ["correction", "math_verb", "alike", "past", "turning", "numbers", "runs", "tells", "because"];

/// A word or phrase of the request.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) text: String,
    pub(crate) norm: String,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) lit: Lit,
    pub(crate) senses: Vec<Sense>,
    /// Starts with a capital letter, and not because a sentence does.
    pub(crate) capital: bool,
    /// Begins with a word that asks, and is no mere manner of speaking.
    pub(crate) asks: bool,
    /// How many tokens it spans.
    pub(crate) words: usize,
    /// What used it; empty while nothing did.
    pub(crate) taken: &'static str,
}

impl Item {
    /// The sense of this category.
    pub(crate) fn sense(&self, cat: &str) -> Option<&str> {
        self.senses.iter().find(|s| s.cat == cat).map(|s| s.id.as_str())
    }

    /// Whether it has this very sense.
    pub(crate) fn is(&self, cat: &str, id: &str) -> bool {
        self.senses.iter().any(|s| s.cat == cat && s.id == id)
    }

    /// Written as a name is: one capital, not the several of an abbreviation.
    pub(crate) fn is_name(&self) -> bool {
        self.capital && self.text.chars().filter(|c| c.is_uppercase()).count() < 2
    }

    /// A word that means nothing by itself: no sense, or one that counts only together with other words.
    pub(crate) fn is_unknown(&self) -> bool {
        self.senses.iter().all(|sense| TOGETHER.contains(&sense.cat.as_str()))
    }

    pub(crate) fn free(&self) -> bool {
        self.taken.is_empty()
    }

    /// Its value as a number: digits, or number words.
    pub(crate) fn number(&self) -> Option<f64> {
        match self.lit {
            Lit::Number(n) => Some(n),
            _ => self.sense("number").and_then(|id| id.parse().ok()),
        }
    }

    pub(crate) fn is_comma(&self) -> bool {
        matches!(self.lit, Lit::Symbol(',' | ';'))
    }

    pub(crate) fn is_symbol(&self) -> bool {
        matches!(self.lit, Lit::Symbol(_))
    }

    /// A verb in a form that can open a command.
    pub(crate) fn command(&self) -> Option<&str> {
        self.senses.iter().find(|s| s.cat == "verb" && s.command).map(|s| s.id.as_str())
    }
}

impl Item {
    /// A verb in the form that says what is done to something.
    pub(crate) fn participle(&self) -> Option<&str> {
        self.senses.iter().find(|s| s.cat == "verb" && s.participle).map(|s| s.id.as_str())
    }
}

impl Item {
    /// A verb nobody wrote, that says in one word what was said in many.
    pub(super) fn order(verb: &str, at: usize) -> Self {
        let mut item = Self::attached(&format!("verb:{verb}"), at);
        item.senses.retain(|sense| sense.cat == "verb");
        item.senses.iter_mut().for_each(|sense| sense.command = true);
        item
    }

    /// A pronoun written at the end of a verb: its sense, or `category:sense` where it is no mere pronoun.
    pub(super) fn attached(pronoun: &str, at: usize) -> Self {
        let (cat, id) = pronoun.split_once(':').unwrap_or(("pron", pronoun));
        let mut senses = vec![Sense::plain(cat, id)];
        if cat != "pron" {
            senses.push(Sense::binding());
        }
        Self {
            text: String::new(),
            norm: String::new(),
            start: at,
            end: at,
            lit: Lit::Word,
            senses,
            capital: false,
            asks: false,
            words: 0,
            taken: "",
        }
    }
}

/// The items of a request.
pub(crate) fn items(text: &str, lexicon: &Lexicon) -> Vec<Item> {
    let tokens = spelled(tokens(text, &lexicon.tails), lexicon);
    // Phrases that only arithmetic uses join words that mean more apart, unless there is something to compute.
    let numeric = tokens.iter().any(|token| matches!(token.lit, Lit::Number(_)));
    let asked = tokens.iter().any(|token| matches!(token.lit, Lit::Symbol('?')));
    let mut out: Vec<Item> = Vec::new();
    let mut at = 0;
    let mut fresh = true;
    let mut tails: Vec<(usize, usize)> = Vec::new();
    while at < tokens.len() {
        let token = &tokens[at];
        if names_what_follows(&tokens, at, out.last()) {
            at += 1;
            continue;
        }
        let passive = out.last().is_some_and(|item| item.is("wish", "passive"));
        let (senses, words, attached) = match done(&tokens[at], lexicon).filter(|_| passive) {
            Some(senses) => (senses, 1, None),
            None => matched(&tokens, at, lexicon, numeric),
        };
        let (mut senses, mut words) = (senses, words);
        let closes = tails.iter().find(|(from, _)| *from == at).map(|(_, long)| *long);
        if let Some(long) = closes {
            (senses, words) = (vec![Sense::binding()], long);
        } else if let Some((phrase, tail)) = broken(&tokens, at, words, lexicon) {
            (senses, words) = (vec![phrase.sense.clone()], phrase.head.len());
            tails.extend((!phrase.speaks).then_some((tail, phrase.tail.len())));
        }
        if fresh && !asked && articled(&tokens, at + words, lexicon) {
            senses.iter_mut().for_each(|sense| sense.command |= sense.opens);
        }
        let last = &tokens[at + words - 1];
        let capital =
            !fresh && tokens[at..at + words].iter().all(|token| token.text.starts_with(char::is_uppercase));
        fresh = matches!(last.lit, Lit::Symbol('.' | '!' | '?'));
        out.push(Item {
            text: if words == 1 { token.text.clone() } else { text[token.start..last.end].to_owned() },
            norm: if words == 1 { token.norm.clone() } else { text[token.start..last.end].to_lowercase() },
            start: token.start,
            end: last.end,
            lit: if words == 1 { token.lit.clone() } else { Lit::Word },
            asks: asking(&token.norm, &senses, lexicon),
            senses,
            capital,
            words,
            taken: "",
        });
        let pronouns = attached.unwrap_or_default().split_whitespace();
        out.extend(pronouns.map(|pronoun| Item::attached(pronoun, last.end)));
        at += words;
    }
    out
}

/// "the folder: ~/a", "two folders, ~/a and ~/b": the sign between a thing and the path that says which says nothing.
fn names_what_follows(tokens: &[Token], at: usize, before: Option<&Item>) -> bool {
    let thing = |item: &Item| item.is("noun", "folder") || item.is("noun", "file");
    matches!(tokens[at].lit, Lit::Symbol(':' | ','))
        && tokens.get(at + 1).is_some_and(|next| matches!(next.lit, Lit::Path(_) | Lit::Slashed(_)))
        && before.is_some_and(thing)
}

/// How many words a broken phrase lets in between.
const BETWEEN: usize = 6;

/// The phrase with something in between that begins at `at`, and where its tail stands: in the same clause, and longer
/// than what is read there without it.
fn broken<'a>(
    tokens: &[Token],
    at: usize,
    words: usize,
    lexicon: &'a Lexicon,
) -> Option<(&'a Broken, usize)> {
    let spells = |words: &[Name], at: usize| {
        tokens.get(at..at + words.len()).is_some_and(|own| {
            own.iter().zip(words).all(|(token, word)| matches!(token.lit, Lit::Word) && *word == token.norm)
        })
    };
    let ends = |token: &Token| {
        let joins = |sense: &Sense| sense.cat == "then";
        matches!(token.lit, Lit::Symbol(_))
            || lexicon.single(&token.norm).is_some_and(|phrase| phrase.senses.iter().any(joins))
    };
    lexicon.broken.get(tokens[at].norm.as_str())?.iter().filter(|phrase| words <= phrase.head.len()).find_map(
        |phrase| {
            let from = at + phrase.head.len();
            let inside = |tail: &usize| !tokens.get(from..*tail).unwrap_or_default().iter().any(ends);
            let mut tails = from + 1..=from + BETWEEN;
            let tail = tails.find(|tail| spells(&phrase.tail, *tail)).filter(inside)?;
            spells(&phrase.head, at).then_some((phrase, tail))
        },
    )
}

/// The tokens as the lexicon spells them: marks that it does not know are left away, "two-hour" is a number and its unit.
fn spelled(tokens: Vec<Token>, lexicon: &Lexicon) -> Vec<Token> {
    let mut out = Vec::with_capacity(tokens.len());
    for mut token in tokens {
        if !matches!(token.lit, Lit::Word) || lexicon.phrases.contains_key(token.norm.as_str()) {
            out.push(token);
            continue;
        }
        if let Some((number, unit)) = measured(&token, lexicon) {
            out.extend([number, unit]);
            continue;
        }
        let plain = lexicon.plain(&token.norm);
        if lexicon.phrases.contains_key(plain.as_str()) {
            token.norm = plain;
        }
        out.push(token);
    }
    out
}

/// "two-hour", "30-minute": a number and its unit, written as one.
fn measured(token: &Token, lexicon: &Lexicon) -> Option<(Token, Token)> {
    let dash = token.text.find('-')?;
    let part = |from: usize, to: usize, lit: Lit| Token {
        text: token.text[from..to].to_owned(),
        norm: token.text[from..to].to_lowercase(),
        start: token.start + from,
        end: token.start + to,
        lit,
    };
    let has = |token: &Token, cat: &str| {
        lexicon.single(&token.norm).is_some_and(|phrase| phrase.senses.iter().any(|s| s.cat == cat))
    };
    let digits = token.text[..dash].parse::<u32>().ok().map(f64::from);
    let number = part(0, dash, digits.map_or(Lit::Word, Lit::Number));
    let unit = part(dash + 1, token.text.len(), Lit::Word);
    let counts = digits.is_some() || has(&number, "number");
    (counts && (has(&unit, "unit") || has(&unit, "size_unit"))).then_some((number, unit))
}

/// Whether a small word, such as an article, stands at `at`.
fn articled(tokens: &[Token], at: usize, lexicon: &Lexicon) -> bool {
    let small =
        |token: &Token| lexicon.single(&token.norm).is_some_and(|p| p.senses.iter().any(|s| s.cat == "stop"));
    tokens.get(at).is_some_and(small)
}

/// Whether a phrase of these senses that begins with `word` asks something.
fn asking(word: &str, senses: &[Sense], lexicon: &Lexicon) -> bool {
    let asks = |senses: &[Sense]| senses.iter().any(|sense| sense.cat == "ask");
    let manner = |sense: &Sense| matches!(sense.cat.as_str(), "polite" | "then" | "what_about" | "wish");
    asks(senses)
        || lexicon.single(word).is_some_and(|first| asks(&first.senses)) && !senses.iter().any(manner)
}

/// The senses of a word that alone says what is done to something.
fn done(token: &Token, lexicon: &Lexicon) -> Option<Vec<Sense>> {
    let phrase = lexicon.single(&token.norm)?;
    let verb = |sense: &Sense| sense.cat == "verb" && sense.participle;
    (matches!(token.lit, Lit::Word) && phrase.senses.iter().any(verb)).then(|| phrase.senses.clone())
}

/// The senses of the longest phrase at `at`, how many tokens it has, and the pronoun attached to it.
fn matched<'a>(
    tokens: &[Token],
    at: usize,
    lexicon: &'a Lexicon,
    numeric: bool,
) -> (Vec<Sense>, usize, Option<&'a str>) {
    let plain =
        |token: &Token| matches!(token.lit, Lit::Word | Lit::Symbol(_) | Lit::Number(_) | Lit::File(_));
    if !plain(&tokens[at]) {
        return (Vec::new(), 1, None);
    }
    let fits = |first: &str, at: usize| {
        lexicon.phrases.get(first).into_iter().flatten().find(|phrase| {
            let reckons =
                |sense: &Sense| matches!(sense.cat.as_str(), "measure" | "measure_to" | "math" | "math_ask");
            // A comparison is one only before a number: "the smallest of X" is not smaller than X.
            let limit = |sense: &Sense| matches!(sense.cat.as_str(), "compare" | "age");
            let bound = |sense: &Sense| limit(sense) || sense.cat == "bound";
            // "and the 12" goes on from an hour; "and the photos" does not.
            let hours = phrase.senses.iter().all(|sense| sense.cat == "clock" && sense.id == "to");
            let compares = phrase.senses.iter().all(bound) && phrase.senses.iter().any(limit);
            let amount = |sense: &Sense| {
                sense.cat == "number"
                    || ["month", "weekday", "day", "rel", "unit"].contains(&sense.cat.as_str())
                        && !phrase.senses.iter().all(limit)
            };
            let number = |at: usize| {
                let token = &tokens[at];
                let has = |token: &Token, amount: &dyn Fn(&Sense) -> bool| {
                    lexicon.single(&token.norm).is_some_and(|p| p.senses.iter().any(amount))
                };
                // An article counts only before what is measured.
                let small = |sense: &Sense| sense.cat == "stop";
                let unit = |sense: &Sense| matches!(sense.cat.as_str(), "unit" | "size_unit" | "measure");
                let measured = || tokens.get(at + 1).is_some_and(|next| has(next, &unit));
                matches!(token.lit, Lit::Number(_) | Lit::Date(..))
                    || has(token, &amount) && (!has(token, &small) || measured())
            };
            // "move it to Archive": what is written as a name is one, also where a phrase has the same words.
            let verb = phrase.senses.iter().all(|sense| sense.cat == "verb");
            let last = at + phrase.words.len() - 1;
            let named = verb
                && phrase.words.len() > 1
                && tokens.get(last).is_some_and(|token| written_as_name(&token.text));
            let joins = |token: &Token| {
                matches!(token.lit, Lit::Symbol(_))
                    || lexicon
                        .single(&token.norm)
                        .is_some_and(|p| p.senses.iter().any(|s| s.cat == "then" && s.id == "and"))
            };
            let after = at + phrase.words.len();
            let near = || (after..tokens.len().min(after + 4)).take_while(|at| !joins(&tokens[*at]));
            let counted = || near().any(number);
            phrase.words.len() <= tokens.len() - at
                && !named
                && (phrase.words.len() == 1 || !compares || counted())
                && (phrase.words.len() == 1 || !hours || after < tokens.len() && number(after))
                && (numeric || phrase.words.len() == 1 || !phrase.senses.iter().all(reckons))
                && phrase
                    .words
                    .iter()
                    .zip(&tokens[at..])
                    .skip(1)
                    .all(|(word, token)| plain(token) && *word == token.norm)
        })
    };
    if let Some(phrase) = fits(&tokens[at].norm, at) {
        // An article gives way to a phrase after it that reaches further: "the most recent" is not "the most".
        let article = lexicon.single(&tokens[at].norm).filter(|_| phrase.words.len() > 1);
        let article = article
            .filter(|word| word.senses.iter().all(|sense| matches!(sense.cat.as_str(), "stop" | "number")));
        let further = || {
            let next = tokens.get(at + 1).filter(|next| plain(next))?;
            fits(&next.norm, at + 1).filter(|other| other.words.len() >= phrase.words.len())
        };
        return match article.filter(|_| further().is_some()) {
            Some(word) => (word.senses.clone(), 1, None),
            None => (phrase.senses.clone(), phrase.words.len(), None),
        };
    }
    if let Some((base, pronoun)) = lexicon.enclitic(&tokens[at].norm)
        && let Some(phrase) = fits(&base, at)
    {
        return (phrase.senses.clone(), phrase.words.len(), Some(pronoun));
    }
    (Vec::new(), 1, None)
}

/// One capital, not the several of an abbreviation.
fn written_as_name(text: &str) -> bool {
    text.starts_with(char::is_uppercase)
        && (text.chars().count() == 1 || text.chars().any(char::is_lowercase))
}
