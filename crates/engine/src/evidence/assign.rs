//! Which mention fills which slot: each pair has features and a weight, and the best ones that stand beside each other
//! are taken.

use super::model::{Model, hash};
use super::slot::{Layout, Slot};
use super::value::values;
use crate::catalog::{Role, Tool};
use crate::clock::Clock;
use metnos_language::{Lattice, Mention, Operator, What};
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
}

/// A mention that fits less does not fill a slot.
const FITS: f32 = -0.35;
/// What was said plainly and is left over fills the slot it fits best, unless it fits less than this.
const LEFT_OVER: f32 = -1.75;
/// Mentions that cost more are no reading at all.
const DEAREST: u8 = 9;

impl<'r> Scene<'r> {
    pub(crate) fn new(lattice: &'r Lattice, mentions: &'r [Mention]) -> Self {
        let around = mentions.iter().map(|mention| around(mention, lattice, mentions)).collect();
        Self { lattice, mentions, around }
    }

    /// Every mention that could fill a slot, with the features of the pair.
    pub(crate) fn pairs(&self, layout: &Layout<'_>, clock: &Clock) -> Vec<(Filled, Vec<u64>)> {
        let main = layout.main().map_or("", |tool| tool.name.as_str());
        let slots = layout.slots();
        let mut pairs = Vec::new();
        for (at, mention) in self.mentions.iter().enumerate().filter(|(_, m)| m.cost <= DEAREST) {
            for slot in &slots {
                let mut values = values(&mention.what, slot.role, clock);
                // A number that is called is written as it was: zeros before it count.
                if slot.role == Role::Phones
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

    fn features(&self, at: usize, slot: Slot, main: &str, back: bool) -> Vec<u64> {
        let key = slot.key();
        let mention = &self.mentions[at];
        let kind = kind(&mention.what);
        let relation = mention.relation.map_or("-", |relation| relation.name());
        let mut features: Vec<u64> =
            self.around[at].iter().map(|around| hash(&format!("{key}|{kind}|{around}"))).collect();
        features.extend([
            hash(&key),
            hash(&format!("{key}|{kind}|{main}|c{}", mention.cost)),
            hash(&format!("{key}|{kind}|{main}")),
            hash(&format!("{key}|{kind}|{main}|{relation}")),
            hash(&format!("{key}|{kind}|{relation}|{back}")),
        ]);
        features.extend(self.around[at].iter().take(4).map(|around| hash(&format!("{key}|{around}"))));
        features
    }

    /// The best mentions for the slots of a layout: no token is used twice, no slot holds two values unless it is a list.
    pub(crate) fn assign(&self, layout: &Layout<'_>, model: &Model, clock: &Clock) -> Vec<Filled> {
        let mut pairs: Vec<Filled> = self
            .pairs(layout, clock)
            .into_iter()
            .map(|(filled, features)| Filled { score: model.fit(&features), ..filled })
            .filter(|filled| filled.score > LEFT_OVER)
            .collect();
        let span = |filled: &Filled| (self.mentions[filled.mention].from, self.mentions[filled.mention].to);
        pairs.sort_by(|a, b| {
            b.score.total_cmp(&a.score).then_with(|| span(a).cmp(&span(b))).then_with(|| a.slot.cmp(&b.slot))
        });
        let (fits, left): (Vec<Filled>, Vec<Filled>) = pairs.into_iter().partition(|f| f.score > FITS);
        let left = left.into_iter().filter(|f| !f.slot.not && is_plain(&self.mentions[f.mention]));
        let mut taken: Vec<Filled> = Vec::new();
        for filled in fits.into_iter().chain(left) {
            let (from, to) = span(&filled);
            let free = taken.iter().all(|other| {
                let (a, b) = span(other);
                to <= a || b <= from
            });
            let open = is_list(filled.slot, layout) || !taken.iter().any(|other| other.slot == filled.slot);
            if free && open {
                taken.push(filled);
            }
        }
        taken.sort_by_key(span);
        taken
    }
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
fn kind(what: &What) -> String {
    let debug = format!("{what:?}");
    let name = debug.split('(').next().unwrap_or_default();
    match what {
        What::Name(name) if name.starts_with("*.") => "Name.ending".to_owned(),
        What::Name(name) if name.starts_with('*') => "Name.part".to_owned(),
        What::Name(name) if name.contains('*') => "Name.glob".to_owned(),
        What::Window(from, to) => format!("Window.{}{}", u8::from(from.is_some()), u8::from(to.is_some())),
        _ => name.to_owned(),
    }
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
    let same = |m: &&Mention| kind(&m.what) == kind(&mention.what) && m.cost <= mention.cost;
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
    let rival = |m: &&Mention| {
        kind(&m.what) == kind(&mention.what) && m.from < to && from < m.to && m.what != mention.what
    };
    let best = !mentions.iter().filter(rival).any(|m| m.cost < mention.cost);
    let longest = !mentions.iter().filter(rival).any(|m| m.to - m.from > to - from);
    let inside: Vec<String> = mentions
        .iter()
        .filter(|m| m.from == from && m.to == to && m.cost < 3 && m.what != mention.what)
        .map(|m| sense(&m.what).unwrap_or_else(|| kind(&m.what)))
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
        format!("r:{relation}:ab:{}", name(act_before)),
    ];
    out.extend(inside.into_iter().map(|kind| format!("is:{kind}")));
    out
}

/// The sense of a word that is no value.
fn sense(what: &What) -> Option<String> {
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
