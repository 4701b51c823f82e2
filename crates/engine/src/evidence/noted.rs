//! What is known of each mention of a request, whatever reading it is part of.

use super::cover::word;
use super::model::{both, hash};
use metnos_language::{Lattice, Lit, Mention, Operator, What};

/// What is known of a mention.
pub(crate) struct Noted {
    /// Its type.
    pub(crate) kind: u64,
    pub(crate) relation: u64,
    /// Whether a folder is one that everybody has; one number for each answer, and one for what is no folder.
    pub(crate) known: u64,
    pub(crate) asks: Asks,
    /// What is said around it.
    pub(crate) around: Vec<u64>,
    /// The word with which it says what is asked.
    pub(crate) word: Option<String>,
    /// What it is called where no reading makes use of it; none where that tells nothing.
    pub(crate) dropped: Option<u64>,
    /// How many of its words nothing else explains.
    pub(crate) explains: usize,
}

/// A reading of some words that costs so much is not missed.
const MISSED: u8 = 8;

/// What is known of all mentions.
pub(crate) fn noted(lattice: &Lattice, mentions: &[Mention]) -> Vec<Noted> {
    let kinds: Vec<String> = mentions.iter().map(kind).collect();
    let words: Vec<Option<String>> = mentions.iter().map(word).collect();
    let open: Vec<bool> = (0..lattice.tokens.len()).map(|at| is_open(lattice, at)).collect();
    let overlaps = |a: &Mention, b: &Mention| a.from < b.to && b.from < a.to;
    let noted = |(at, m): (usize, &Mention)| {
        let known = match &m.what {
            What::Place(_) => Some(m.known),
            _ => None,
        };
        let asks = asks(m, lattice, mentions);
        let around = around(at, asks, known, lattice, mentions, &kinds);
        let known = known.map_or(0, |known| 1 + u64::from(known));
        let kind = hash(&kinds[at]);
        let better = || {
            mentions.iter().zip(&words).any(|(o, word)| overlaps(o, m) && o.cost < m.cost && word.is_none())
        };
        let narrows = matches!(m.what, What::Operator(_) | What::Quantity(_) | What::Order(_));
        let drops = m.cost < MISSED && (words[at].is_none() || narrows) && !better();
        Noted {
            kind,
            relation: hash(m.relation.map_or("-", |relation| relation.name())),
            known,
            asks,
            around: around.iter().map(|name| hash(name)).collect(),
            word: words[at].clone(),
            dropped: drops.then(|| words[at].as_deref().map_or_else(|| both(kind, known), hash)),
            explains: (m.from..m.to).filter(|at| open[*at]).count(),
        }
    };
    mentions.iter().enumerate().map(noted).collect()
}

/// Whether a word has no sense of its own.
pub(crate) fn is_open(lattice: &Lattice, at: usize) -> bool {
    let word = lattice.tokens[at].text.chars().any(char::is_alphanumeric);
    let known = |from: usize| lattice.at(from).iter().any(|edge| edge.end > at && edge.cost < 4);
    word && !(at.saturating_sub(3)..=at).any(known)
}

/// The type of a mention, as features name it.
pub(crate) fn kind(mention: &Mention) -> String {
    let debug = format!("{:?}", mention.what);
    let name = debug.split('(').next().unwrap_or_default();
    match &mention.what {
        What::Name(name) if name.starts_with("*.") => "Name.ending".to_owned(),
        What::Name(name) if name.starts_with('*') => "Name.part".to_owned(),
        What::Name(name) if name.contains('*') => "Name.glob".to_owned(),
        What::Window(from, to) => format!("Window.{}{}", u8::from(from.is_some()), u8::from(to.is_some())),
        _ => name.to_owned(),
    }
}

/// What is said around a mention.
fn around(
    own: usize,
    asks: Asks,
    known: Option<bool>,
    lattice: &Lattice,
    mentions: &[Mention],
    kinds: &[String],
) -> Vec<String> {
    let mention = &mentions[own];
    let word = |at: Option<usize>| match at.and_then(|at| lattice.tokens.get(at).zip(Some(at))) {
        Some((token, at)) => lattice.corrected(at).unwrap_or(&token.norm).to_owned(),
        None => "-".to_owned(),
    };
    let (from, to) = (mention.from, mention.to);
    let before = word(from.checked_sub(1));
    let before2 = word(from.checked_sub(2));
    let after = word(Some(to));
    let relation = mention.relation.map_or("-", |relation| relation.name());
    let sense_before = mentions
        .iter()
        .filter(|m| m.to == from && m.cost < 4)
        .filter_map(|m| sense(&m.what))
        .next()
        .unwrap_or_default();
    let sense_after = mentions
        .iter()
        .filter(|m| m.from == to && m.cost < 4)
        .find_map(|m| sense(&m.what))
        .unwrap_or_default();
    let act = |m: &&Mention| matches!(m.what, What::Act(_)) && m.cost < 4;
    let act_before = mentions.iter().filter(act).rfind(|m| m.to <= from);
    let act_after = mentions.iter().filter(act).find(|m| m.from >= to);
    let name = |m: Option<&Mention>| m.and_then(|m| sense(&m.what)).unwrap_or_default();
    let like = || mentions.iter().zip(kinds).filter(|(_, kind)| **kind == kinds[own]).map(|(m, _)| m);
    let same = |m: &&Mention| m.cost <= mention.cost;
    let earlier = like().filter(same).any(|m| m.to <= from);
    let later = like().filter(same).any(|m| m.from >= to);
    let denied = mentions.iter().any(|m| {
        let not = matches!(
            m.what,
            What::Operator(Operator::Except | Operator::Not | Operator::Without | Operator::Spare)
        );
        not && m.to <= from && from - m.to < 4
    });
    let denied_after = mentions.iter().any(|m| {
        let not = matches!(m.what, What::Operator(Operator::Except | Operator::Not | Operator::Spare));
        not && m.from >= to && m.from - to < 4
    });
    let rival = |m: &&Mention| m.from < to && from < m.to && m.what != mention.what;
    let best = !like().filter(rival).any(|m| m.cost < mention.cost);
    let longest = !like().filter(rival).any(|m| m.to - m.from > to - from);
    let inside: Vec<String> = mentions
        .iter()
        .filter(|m| m.from == from && m.to == to && m.cost < 3 && m.what != mention.what)
        .map(|m| sense(&m.what).unwrap_or_else(|| kind(m)))
        .collect();
    let capital =
        lattice.tokens.get(from).is_some_and(|token| token.text.starts_with(char::is_uppercase)) && from > 0;
    let mut out = vec![
        format!("b:{before}"),
        format!("sb:{sense_before}"),
        format!("ab:{}", name(act_before)),
        format!("a:{after}"),
        format!("r:{relation}"),
        format!("b2:{before2} {before}"),
        format!("sa:{sense_after}"),
        format!("aa:{}", name(act_after)),
        format!("c:{}", mention.cost),
        format!("o:{earlier}{later}"),
        format!("o:{earlier}{later}:{relation}"),
        format!("n:{denied}{denied_after}"),
        format!("l:{}", (to - from).min(4)),
        format!("C:{capital}"),
        format!("best:{best}"),
        format!("best:{best}:{relation}"),
        format!("long:{longest}"),
        format!("end:{}", to >= lattice.tokens.len()),
        format!("asks:{asks:?}"),
        format!("asks:{asks:?}:{relation}"),
        format!("r:{relation}:ab:{}", name(act_before)),
        format!("k:{}", (from..to).any(|at| lattice.corrected(at).is_some())),
    ];
    let (left, right) = (neighbour(lattice, from.checked_sub(1)), neighbour(lattice, Some(to)));
    out.push(format!("L:{left:?}"));
    out.push(format!("R:{right:?}"));
    out.push(format!("LR:{left:?}:{right:?}"));
    if let Some(known) = known {
        out.push(format!("known:{known}"));
        out.push(format!("known:{known}:{relation}"));
    }
    out.extend(inside.into_iter().map(|kind| format!("is:{kind}")));
    out
}

/// What a word beside a mention is: whether the mention may go on with it.
#[derive(Clone, Copy, Debug)]
enum Beside {
    /// The request begins or ends here.
    End,
    Sign,
    /// A word that ties or points.
    Small,
    /// A word with a sense of its own.
    Known,
    Number,
    /// A common word.
    Common,
    /// Any other word.
    Open,
}

fn neighbour(lattice: &Lattice, at: Option<usize>) -> Beside {
    let Some((at, token)) = at.and_then(|at| Some((at, lattice.tokens.get(at)?))) else { return Beside::End };
    let edges = || lattice.at(at).iter().filter(|edge| edge.cost < 4);
    match token.lit {
        Lit::Symbol(_) => return Beside::Sign,
        Lit::Number(_) => return Beside::Number,
        _ => {}
    }
    let small = |edge: &metnos_language::Edge| {
        use metnos_language::Sense;
        matches!(edge.sense, Sense::Idle | Sense::Relation(_) | Sense::Pronoun(_) | Sense::Operator(_))
    };
    match (edges().any(small), edges().next().is_some()) {
        (true, _) => Beside::Small,
        (false, true) => Beside::Known,
        _ if metnos_language::is_common(&lattice.language, &token.norm) => Beside::Common,
        _ => Beside::Open,
    }
}

/// What the sentence of a mention says of what is asked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asks {
    /// It is the only one.
    Alone,
    /// What is done, and to what.
    Both,
    Act,
    Thing,
    Nothing,
}

/// Whether the sentence of a mention says what is asked, where there are several.
fn asks(mention: &Mention, lattice: &Lattice, mentions: &[Mention]) -> Asks {
    let ends = |at: usize| matches!(lattice.tokens[at].lit, Lit::Symbol('.' | '!' | '?' | ';' | ':'));
    let from = (0..mention.from).rev().find(|at| ends(*at)).map_or(0, |at| at + 1);
    let to = (mention.to..lattice.tokens.len()).find(|at| ends(*at)).unwrap_or(lattice.tokens.len());
    if from == 0 && to + 1 >= lattice.tokens.len() {
        return Asks::Alone;
    }
    let says = |m: &&Mention| from <= m.from && m.to <= to && m.cost < 4 && matches!(m.what, What::Act(_));
    let thing = |m: &&Mention| {
        from <= m.from && m.to <= to && m.cost < 4 && matches!(m.what, What::Thing(_) | What::Kind(_))
    };
    match (mentions.iter().any(|m| says(&m)), mentions.iter().any(|m| thing(&m))) {
        (true, true) => Asks::Both,
        (true, false) => Asks::Act,
        (false, true) => Asks::Thing,
        (false, false) => Asks::Nothing,
    }
}

/// The sense of a word that is no value.
pub(crate) fn sense(what: &What) -> Option<String> {
    Some(match what {
        What::Act(id) => format!("act {}", id.name()),
        What::Thing(id) => format!("thing {}", id.name()),
        What::Kind(id) => format!("kind {}", id.name()),
        What::Field(id) => format!("field {}", id.name()),
        What::Quality(id) => format!("quality {}", id.name()),
        What::Order(id) => format!("order {}", id.name()),
        What::Stat(id) => format!("stat {}", id.name()),
        What::Format(id) => format!("format {}", id.name()),
        What::Operator(operator) => format!("operator {}", operator.name()),
        What::Quantity(_) | What::Pronoun(_) | What::Number(_) => format!("{what:?}"),
        _ => return None,
    })
}
