//! Which mention fills which slot: each pair has features and a weight, and the best ones that stand beside each other
//! are taken.

use super::model::hash;
use super::packed::Packed;
use super::slot::{Layout, Slot};
use super::value::values;
use crate::catalog::{Role, Tool};
use crate::clock::Clock;
use metnos_language::{Lattice, Lit, Mention, Operator, What};
use serde_json::Value;

/// A mention in a slot.
#[derive(Clone, Debug)]
pub struct Filled {
    /// Where it goes.
    pub slot: Slot,
    /// The values it gives, by role.
    pub values: Vec<(Role, Value)>,
    /// Which of the mentions it is.
    pub mention: usize,
    /// How well it fits.
    pub score: f32,
}

/// What is known of a request while its mentions are put into slots.
pub(crate) struct Scene<'r> {
    lattice: &'r Lattice,
    mentions: &'r [Mention],
    /// For each mention what is said around it, whatever the slot.
    around: Vec<Vec<String>>,
    /// For each token whether no word of the lexicon explains it.
    open: Vec<bool>,
}

/// Features of a pair of a mention and a slot, each with how strongly it shows.
pub type Features = Vec<(u64, f32)>;

/// How strongly the type of a mention shows, and what stands around it.
const ITSELF: f32 = 0.5;
const AROUND: f32 = 0.25;
/// What speaks for a mention where nothing else explains a word of it.
const EXPLAINS: f32 = 0.25;
/// A mention that fits less does not fill a slot.
const FITS: f32 = -0.35;
/// What was said plainly and is left over fills the slot it fits best, unless it fits less than this.
const LEFT_OVER: f32 = -3.0;
/// And a place, which a remark may name too.
const LEFT_PLACE: f32 = -1.75;
/// So near to that a mention may fill a slot or not.
const DOUBT: f32 = 2.6;
/// What another choice costs at least.
const ANOTHER: f32 = 0.15;
/// So many other choices are kept.
const OTHERS: usize = 8;
/// Mentions that cost more are no reading at all.
const DEAREST: u8 = 9;

impl<'r> Scene<'r> {
    pub(crate) fn new(lattice: &'r Lattice, mentions: &'r [Mention]) -> Self {
        let around = mentions.iter().map(|mention| around(mention, lattice, mentions)).collect();
        let open = (0..lattice.tokens.len()).map(|at| is_open(lattice, at)).collect();
        Self { lattice, mentions, around, open }
    }

    /// Every mention that could fill a slot, with the features of the pair.
    pub(crate) fn pairs(&self, layout: &Layout<'_>, clock: &Clock) -> Vec<(Filled, Features)> {
        let main = layout.main().map_or("", |tool| tool.name.as_str());
        let slots = layout.slots();
        let mut pairs = Vec::new();
        for (at, mention) in self.mentions.iter().enumerate().filter(|(_, m)| m.cost <= DEAREST) {
            for slot in &slots {
                let mut values = values(&mention.what, slot.role, clock);
                // A number that is called is written as it was: zeros before it count.
                if slot.role == Role::Phones
                    && matches!(mention.what, What::Number(_))
                    && let Some((_, value)) = values.first_mut()
                {
                    let tokens = &self.lattice.tokens[mention.from..mention.to];
                    *value = tokens.iter().map(|token| token.text.as_str()).collect::<String>().into();
                }
                if values.is_empty() || !values.iter().all(|(role, value)| is_taken(layout, *role, value)) {
                    continue;
                }
                let features = self.features(at, *slot, main, layout.back);
                pairs.push((Filled { slot: *slot, values, mention: at, score: 0.0 }, features));
            }
        }
        pairs
    }

    /// Whether a mention that fits badly fills a slot all the same: what was said plainly, where something is asked.
    fn is_left(&self, filled: &Filled) -> bool {
        let mention = &self.mentions[filled.mention];
        let least = if matches!(mention.what, What::Place(_)) { LEFT_PLACE } else { LEFT_OVER };
        let asked = || asks(mention, self.lattice, self.mentions) != Asks::Nothing;
        filled.score > least && !filled.slot.not && is_plain(mention) && asked()
    }

    /// How many words a mention explains that nothing else does.
    fn explains(&self, filled: &Filled) -> f32 {
        let mention = &self.mentions[filled.mention];
        let open = (mention.from..mention.to).filter(|at| self.open[*at]).count();
        if filled.slot.not { 0.0 } else { EXPLAINS * open.min(4) as f32 }
    }

    fn features(&self, at: usize, slot: Slot, main: &str, back: bool) -> Features {
        let key = slot.key();
        let mention = &self.mentions[at];
        let kind = kind(mention);
        let relation = mention.relation.map_or("-", |relation| relation.name());
        let around = self.around[at].iter();
        let mut features: Features =
            around.clone().map(|around| (hash(&format!("{key}|{kind}|{around}")), AROUND)).collect();
        let dear = mention.cost / 3;
        features.extend(
            [
                key.clone(),
                format!("{key}|{kind}"),
                format!("{key}|{kind}|d{dear}"),
                format!("{key}|{kind}|{relation}"),
                format!("{key}|{kind}|{main}"),
                format!("{key}|{kind}|{main}|{relation}"),
                format!("{key}|{kind}|{relation}|{back}"),
            ]
            .map(|name| (hash(&name), ITSELF)),
        );
        features.push((hash(&format!("{key}|{kind}|{main}|c{}", mention.cost)), AROUND));
        features.extend(around.take(4).map(|around| (hash(&format!("{key}|{around}")), AROUND)));
        features
    }

    /// The mentions for the slots of a layout: the best first, then what differs from it in one thing, each with what it
    /// costs.
    pub(crate) fn assign(
        &self,
        layout: &Layout<'_>,
        model: &Packed,
        clock: &Clock,
    ) -> Vec<(Vec<Filled>, f32)> {
        let mut pairs: Vec<Filled> = self
            .pairs(layout, clock)
            .into_iter()
            .map(|(filled, features)| {
                let score = model.fit(&features) + self.explains(&filled);
                Filled { score, ..filled }
            })
            .filter(|filled| filled.score > LEFT_OVER)
            .collect();
        narrow(&mut pairs, self.mentions);
        let length = |filled: &Filled| self.span(filled).1 - self.span(filled).0;
        pairs.sort_by(|a, b| {
            let score = b.score.total_cmp(&a.score);
            score
                .then_with(|| length(a).cmp(&length(b)))
                .then_with(|| self.span(a).cmp(&self.span(b)))
                .then_with(|| a.slot.cmp(&b.slot))
        });
        let best = self.chosen(&pairs, layout, None, None);
        let has =
            |all: &[Filled], one: &Filled| all.iter().any(|f| f.slot == one.slot && f.values == one.values);
        let mut others: Vec<(Vec<Filled>, f32)> = Vec::new();
        for pair in pairs.iter().filter(|pair| pair.score > FITS - DOUBT && !has(&best, pair)) {
            let with = self.chosen(&pairs, layout, Some(pair), None);
            let lost: f32 = best.iter().filter(|f| !has(&with, f)).map(|f| f.score - FITS).sum();
            others.push((with, (lost - (pair.score - FITS)).max(0.0) + ANOTHER));
        }
        for doubtful in best.iter().filter(|filled| filled.score < FITS + DOUBT) {
            let without = self.chosen(&pairs, layout, None, Some(doubtful));
            others.push((without, (doubtful.score - FITS).max(0.0) + ANOTHER));
        }
        others.retain(|(_, cost)| *cost < DOUBT);
        others.sort_by(|a, b| a.1.total_cmp(&b.1));
        others.truncate(OTHERS);
        let mut all = vec![(best, 0.0)];
        all.extend(others);
        all
    }

    fn span(&self, filled: &Filled) -> (usize, usize) {
        (self.mentions[filled.mention].from, self.mentions[filled.mention].to)
    }

    /// Pairs one after the other, with `first` before all others and nothing like `never`: no token is used twice, no
    /// slot holds two values unless it is a list.
    fn chosen(
        &self,
        pairs: &[Filled],
        layout: &Layout<'_>,
        first: Option<&Filled>,
        never: Option<&Filled>,
    ) -> Vec<Filled> {
        let (fits, left): (Vec<&Filled>, Vec<&Filled>) = pairs.iter().partition(|f| f.score > FITS);
        let left = left.into_iter().filter(|f| self.is_left(f));
        let fits = fits.into_iter().map(|f| (f, true));
        let mut taken: Vec<Filled> = Vec::new();
        for (filled, fits) in first.map(|f| (f, true)).into_iter().chain(fits).chain(left.map(|f| (f, false)))
        {
            if never.is_some_and(|never| never.slot == filled.slot && never.values == filled.values) {
                continue;
            }
            let (from, to) = self.span(filled);
            let free = taken.iter().all(|other| {
                let (a, b) = self.span(other);
                to <= a || b <= from
            });
            let same = |other: &&Filled| other.slot == filled.slot;
            let parts = is_template(filled) || taken.iter().filter(same).all(is_template);
            let open =
                fits && is_list(filled.slot, layout) || parts || !taken.iter().any(|other| same(&other));
            // What is said already needs no other word.
            let said = taken.iter().any(|other| other.slot == filled.slot && other.values == filled.values);
            if free && open && !said {
                taken.push(filled.clone());
            }
        }
        taken.sort_by_key(|filled| self.span(filled));
        taken
    }
}

/// What is said once, with and without the words that announce it, stands on the fewest words and fits as well as it
/// does with them.
fn narrow(pairs: &mut [Filled], mentions: &[Mention]) {
    let (starts, ends) = (|f: &Filled| mentions[f.mention].from, |f: &Filled| mentions[f.mention].to);
    for at in 0..pairs.len() {
        let inside = pairs
            .iter()
            .filter(|other| other.slot == pairs[at].slot && other.values == pairs[at].values)
            .filter(|other| starts(other) <= starts(&pairs[at]) && ends(&pairs[at]) <= ends(other));
        let best = inside.map(|other| other.score).fold(f32::MIN, f32::max);
        pairs[at].score = best;
    }
}

/// Whether it is a folder made by what things are: there may be one in another.
fn is_template(filled: &Filled) -> bool {
    filled.slot.role == Role::DstDir
        && filled.values.iter().all(|(_, value)| value.as_str().is_some_and(|text| text.starts_with('{')))
}

/// Whether a word has no sense of its own.
pub(super) fn is_open(lattice: &Lattice, at: usize) -> bool {
    let word = lattice.tokens[at].text.chars().any(char::is_alphanumeric);
    let known = |from: usize| lattice.at(from).iter().any(|edge| edge.end > at && edge.cost < 4);
    word && !(at.saturating_sub(3)..=at).any(known)
}

/// Whether a mention says a value and nothing else: it is never dropped.
fn is_plain(mention: &Mention) -> bool {
    match mention.what {
        What::Path(_) | What::Name(_) | What::Size(..) | What::Url(_) | What::Email(_) => mention.cost < 3,
        What::Quoted(_) | What::Window(..) | What::Command(_) | What::Schedule(_) => mention.cost < 3,
        What::Moment(..) | What::Expression(_) | What::Kind(_) => mention.cost < 3,
        What::Place(_) => mention.cost < 6,
        What::Extension(_) => mention.cost < 4,
        _ => false,
    }
}

/// Whether a slot holds several values.
fn is_list(slot: Slot, layout: &Layout<'_>) -> bool {
    const SEVERAL: [Role; 5] = [Role::Kind, Role::Patterns, Role::Paths, Role::Attachments, Role::Fields];
    let compared = layout.tools().any(|tool| tool.takes(Role::SetOp));
    SEVERAL.contains(&slot.role)
        || slot.role == Role::Place && compared
        || layout
            .tools()
            .flat_map(|tool| tool.args.iter().chain(tool.args.iter().flat_map(|a| &a.inside)))
            .any(|arg| arg.role == Some(slot.role) && arg.ty == crate::catalog::Type::List)
}

/// Whether an executor of the layout takes this value: one that is limited to choices takes only those.
fn is_taken(layout: &Layout<'_>, role: Role, value: &Value) -> bool {
    let args = layout
        .tools()
        .flat_map(|tool: &Tool| tool.args.iter().flat_map(|arg| std::iter::once(arg).chain(&arg.inside)));
    let mut limited = args.filter(|arg| arg.role == Some(role) && !arg.choices.is_empty()).peekable();
    let Some(text) = value.as_str().filter(|_| limited.peek().is_some()) else { return true };
    limited.any(|arg| arg.choices.iter().any(|choice| choice == text))
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

/// Whether a folder is one that everybody has, or was written as a path: no guess from a bare word.
pub(crate) fn is_known(path: &str, mention: &Mention, lattice: &Lattice) -> bool {
    let named = |edge: &metnos_language::Edge| matches!(edge.sense, metnos_language::Sense::Place(id) if path.starts_with(id.name()) && (id.name() != "~" || path == "~"));
    (mention.from..mention.to)
        .any(|at| matches!(lattice.tokens[at].lit, Lit::Path(_)) || lattice.at(at).iter().any(named))
}

/// What is said around a mention.
fn around(mention: &Mention, lattice: &Lattice, mentions: &[Mention]) -> Vec<String> {
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
    let own = kind(mention);
    let same = |m: &&Mention| kind(m) == own && m.cost <= mention.cost;
    let earlier = mentions.iter().filter(same).any(|m| m.to <= from);
    let later = mentions.iter().filter(same).any(|m| m.from >= to);
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
    let rival = |m: &&Mention| kind(m) == own && m.from < to && from < m.to && m.what != mention.what;
    let asks = asks(mention, lattice, mentions);
    let best = !mentions.iter().filter(rival).any(|m| m.cost < mention.cost);
    let longest = !mentions.iter().filter(rival).any(|m| m.to - m.from > to - from);
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
    if let What::Place(path) = &mention.what {
        let known = is_known(path, mention, lattice);
        out.push(format!("known:{known}"));
        out.push(format!("known:{known}:{relation}"));
    }
    out.extend(inside.into_iter().map(|kind| format!("is:{kind}")));
    out
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
pub(crate) fn asks(mention: &Mention, lattice: &Lattice, mentions: &[Mention]) -> Asks {
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
