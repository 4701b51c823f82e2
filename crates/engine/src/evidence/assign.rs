//! Which mention fills which slot: each pair has features and a weight, and the best ones that stand beside each other
//! are taken.

use super::model::{both, hash};
pub(crate) use super::noted::sense;
use super::noted::{Asks, Noted, noted};
use super::packed::Packed;
use super::slot::{Layout, Slot};
use super::value::values;
use crate::catalog::{Role, Tool};
use crate::clock::Clock;
use metnos_language::{Lattice, Mention, What};
use serde_json::Value;
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

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
    clock: &'r Clock,
    noted: Vec<Noted>,
    /// What each slot could hold, of those that were looked at.
    offers: RefCell<HashMap<Slot, Rc<[Offered]>>>,
    /// How well that fits, whatever else the layout has.
    fits: RefCell<HashMap<(Slot, usize), f32>>,
    /// For each executor that was looked at, and each mention, whether people use the word for the executor.
    spoken: RefCell<HashMap<String, Rc<[bool]>>>,
}

/// What a slot could hold: a mention, and the values it gives.
struct Offered {
    mention: usize,
    values: Vec<(Role, Value)>,
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

/// What tells features of the same two things apart.
const DEAR: u64 = 0x100;
const COST: u64 = 0x200;
const BACK: u64 = 0x300;

impl<'r> Scene<'r> {
    pub(crate) fn new(lattice: &'r Lattice, mentions: &'r [Mention], clock: &'r Clock) -> Self {
        let (offers, fits, spoken) = Default::default();
        Self { lattice, mentions, clock, noted: noted(lattice, mentions), offers, fits, spoken }
    }

    /// What is known of each mention.
    pub(crate) fn noted(&self) -> &[Noted] {
        &self.noted
    }

    /// For each mention whether it is a word that people use for an executor.
    pub(crate) fn spoken(&self, tool: &str, model: &Packed) -> Rc<[bool]> {
        if let Some(known) = self.spoken.borrow().get(tool) {
            return Rc::clone(known);
        }
        let speaks = |noted: &Noted| noted.word.as_ref().is_some_and(|word| model.is_spoken(tool, word));
        let spoken: Rc<[bool]> = self.noted.iter().map(speaks).collect();
        self.spoken.borrow_mut().insert(tool.to_owned(), Rc::clone(&spoken));
        spoken
    }

    /// What a slot could hold, whatever else the layout has.
    fn offers(&self, slot: Slot) -> Rc<[Offered]> {
        if let Some(known) = self.offers.borrow().get(&slot) {
            return Rc::clone(known);
        }
        let offer = |(at, mention): (usize, &Mention)| {
            let mut values = values(&mention.what, slot.role, self.clock);
            // A number that is called is written as it was: zeros before it count.
            if slot.role == Role::Phones
                && matches!(mention.what, What::Number(_))
                && let Some((_, value)) = values.first_mut()
            {
                let tokens = &self.lattice.tokens[mention.from..mention.to];
                let digits = |text: &&str| text.contains(|c: char| c.is_ascii_digit());
                *value =
                    tokens.iter().map(|token| token.text.as_str()).filter(digits).collect::<String>().into();
            }
            (!values.is_empty()).then_some(Offered { mention: at, values })
        };
        let mentions = self.mentions.iter().enumerate().filter(|(_, m)| m.cost <= DEAREST);
        let offers: Rc<[Offered]> = mentions.filter_map(offer).collect();
        self.offers.borrow_mut().insert(slot, Rc::clone(&offers));
        offers
    }

    /// Every mention that could fill a slot, and what is made of the pair.
    fn paired<T>(&self, layout: &Layout<'_>, make: impl Fn(Filled, u64) -> T) -> Vec<T> {
        let mut pairs = Vec::new();
        for slot in layout.slots() {
            let key = hash(&slot.key());
            for offered in self.offers(slot).iter() {
                if offered.values.iter().all(|(role, value)| is_taken(layout, *role, value)) {
                    let (values, mention) = (offered.values.clone(), offered.mention);
                    pairs.push((mention, make(Filled { slot, values, mention, score: 0.0 }, key)));
                }
            }
        }
        pairs.sort_by_key(|(mention, _)| *mention);
        pairs.into_iter().map(|(_, made)| made).collect()
    }

    /// Every mention that could fill a slot, with the features of the pair.
    pub(crate) fn pairs(&self, layout: &Layout<'_>) -> Vec<(Filled, Features)> {
        let main = layout.main().map_or(0, |tool| hash(tool.name.as_str()));
        self.paired(layout, |filled, key| {
            let mut features = self.shared(filled.mention, key);
            features.extend(self.own(filled.mention, key, main, layout.back));
            (filled, features)
        })
    }

    /// How well a mention fits a slot of a layout.
    fn fit(&self, filled: &Filled, key: u64, main: u64, back: bool, model: &Packed) -> f32 {
        let at = (filled.slot, filled.mention);
        let known = self.fits.borrow().get(&at).copied();
        let shared = known.unwrap_or_else(|| {
            let shared = model.fit(&self.shared(filled.mention, key));
            self.fits.borrow_mut().insert(at, shared);
            shared
        });
        shared + model.fit_in_part(&self.own(filled.mention, key, main, back)) + self.explains(filled)
    }

    /// Whether a mention that fits badly fills a slot all the same: what was said plainly, where something is asked.
    fn is_left(&self, filled: &Filled) -> bool {
        let mention = &self.mentions[filled.mention];
        let least = if matches!(mention.what, What::Place(_)) { LEFT_PLACE } else { LEFT_OVER };
        let asked = self.noted[filled.mention].asks != Asks::Nothing;
        filled.score > least && !filled.slot.not && is_plain(mention) && asked
    }

    /// How many words a mention explains that nothing else does.
    fn explains(&self, filled: &Filled) -> f32 {
        let open = self.noted[filled.mention].explains;
        if filled.slot.not { 0.0 } else { EXPLAINS * open.min(4) as f32 }
    }

    /// The features of a mention and a slot, whatever else the layout has.
    fn shared(&self, at: usize, key: u64) -> Features {
        let Noted { kind, relation, around, .. } = &self.noted[at];
        let pair = both(key, *kind);
        let dear = DEAR + u64::from(self.mentions[at].cost / 3);
        let itself = [key, pair, both(pair, dear), both(pair, *relation)];
        let mut features: Features = Vec::with_capacity(2 * around.len() + 8);
        features.extend(itself.map(|name| (name, ITSELF)));
        features.extend(around.iter().map(|around| (both(pair, *around), AROUND)));
        features.extend(around.iter().take(4).map(|around| (both(key, *around), AROUND)));
        features
    }

    /// Their features with what else the layout has.
    fn own(&self, at: usize, key: u64, main: u64, back: bool) -> [(u64, f32); 4] {
        let Noted { kind, relation, .. } = &self.noted[at];
        let pair = both(key, *kind);
        let main = both(pair, main);
        let cost = COST + u64::from(self.mentions[at].cost);
        let back = both(both(pair, *relation), BACK + u64::from(back));
        [(main, ITSELF), (both(main, *relation), ITSELF), (back, ITSELF), (both(main, cost), AROUND)]
    }

    /// The mentions for the slots of a layout: the best first, then, where `varied`, what differs from it in one thing,
    /// each with what it costs.
    pub(crate) fn assign(
        &self,
        layout: &Layout<'_>,
        model: &Packed,
        varied: bool,
    ) -> Vec<(Vec<Filled>, f32)> {
        let main = layout.main().map_or(0, |tool| hash(tool.name.as_str()));
        let mut pairs: Vec<Filled> = self.paired(layout, |filled, key| {
            let score = self.fit(&filled, key, main, layout.back, model);
            Filled { score, ..filled }
        });
        pairs.retain(|filled| filled.score > LEFT_OVER);
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
        if !varied {
            return vec![(best, 0.0)];
        }
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
