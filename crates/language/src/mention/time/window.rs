//! Spans with their bounds: "since Monday", "older than three months", "between March and May".

use super::cursor::{Before, midnight, shift};
use super::days::{Days, Kind, Span, Spans};
use crate::mention::{Mention, Reading, What};
use crate::sense::{Compare, Operator, Quantity, Relation, Sense, TimeUnit, TimeWord};
use crate::token::Lit;

/// How many words may stand between a negation and what was not done for so long.
const FAR: usize = 8;

/// Words before a time that say how it bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cue {
    /// since: from its first moment
    Since,
    /// after: it may begin where the span ends
    After,
    Before,
    Until,
    /// between: a second time follows
    Between,
    /// from: where things are from, or where a span begins
    From,
    Older,
    Newer,
    More,
    Less,
}

fn cue(sense: Sense) -> Option<Cue> {
    Some(match sense {
        Sense::TimeWord(TimeWord::Since) => Cue::Since,
        Sense::Relation(Relation::After) => Cue::After,
        Sense::Relation(Relation::Before) => Cue::Before,
        Sense::Relation(Relation::Until) => Cue::Until,
        Sense::Relation(Relation::Between) => Cue::Between,
        Sense::Relation(Relation::From) => Cue::From,
        Sense::Compare(Compare::Older) => Cue::Older,
        Sense::Compare(Compare::Newer) => Cue::Newer,
        Sense::Compare(Compare::More | Compare::Least) => Cue::More,
        Sense::Compare(Compare::Less | Compare::Most) => Cue::Less,
        _ => return None,
    })
}

/// The bounds that stand before a time, and where they begin.
struct Lead {
    cues: Vec<Cue>,
    from: usize,
    cost: u8,
    /// Whether they are signs, as commands write them.
    signs: bool,
}

impl Lead {
    fn has(&self, cue: Cue) -> bool {
        self.cues.contains(&cue)
    }
}

/// What is left of a span by a bound.
#[derive(Clone, Copy)]
enum Bound {
    Whole,
    From,
    After,
    Before,
    Until,
}

fn bounded(span: Span, bound: Bound) -> Span {
    match bound {
        Bound::Whole => span,
        Bound::From => Span { from: span.from, to: None },
        Bound::After => Span { from: span.to.or(span.from), to: None },
        Bound::Before => Span { from: None, to: span.from },
        Bound::Until => Span { from: None, to: span.to },
    }
}

impl Reading<'_> {
    /// What bounds the time that begins at `start`.
    fn lead(&self, start: usize) -> Lead {
        use Relation::{For, In, Of, Than};
        let mut at = start;
        for _ in 0..4 {
            if let Some(Before { all, from, cost }) = self.before(at, cue) {
                return Lead { cues: all, from, cost, signs: false };
            }
            let Some(last) = at.checked_sub(1) else { break };
            let sign = match self.lit(last) {
                Some(Lit::Symbol('<')) => Some(Cue::Before),
                Some(Lit::Symbol('>')) => Some(Cue::After),
                _ => None,
            };
            if let Some(sign) = sign {
                let age = |sense| (sense == Sense::TimeWord(TimeWord::Age)).then_some(());
                let from = self.before(last, age).map_or(last, |age| age.from);
                return Lead { cues: vec![sign], from, cost: 0, signs: true };
            }
            let small = |sense| matches!(sense, Sense::Idle | Sense::Relation(Than | Of | In | For));
            let between = self.before(at, |sense| small(sense).then_some(()));
            at = match between {
                Some(between) => between.from,
                None if matches!(self.lit(last), Some(Lit::Symbol(':' | '='))) => last,
                None => break,
            };
        }
        Lead { cues: Vec::new(), from: start, cost: 0, signs: false }
    }

    /// "not opened in", "che nessuno tocca da": where that begins, right before a time.
    pub(crate) fn untouched(&self, start: usize) -> Option<usize> {
        let not = |sense| matches!(sense, Sense::Operator(Operator::Not) | Sense::Quantity(Quantity::None));
        let ties = |sense| {
            matches!(sense, Sense::Relation(_) | Sense::Compare(_) | Sense::Idle)
                || matches!(sense, Sense::TimeWord(_) | Sense::Period(_))
        };
        let mut touched = false;
        for at in (start.saturating_sub(FAR)..start).rev() {
            if self.lit(at) != Some(&Lit::Word) {
                return None;
            }
            let has =
                |wanted: &dyn Fn(Sense) -> bool| self.lattice.at(at).iter().any(|edge| wanted(edge.sense));
            let phrase = || {
                (at.saturating_sub(2)..at).any(|from| {
                    self.lattice.at(from).iter().any(|edge| edge.end > at && cue(edge.sense).is_some())
                })
            };
            if has(&|sense| sense == Sense::TimeWord(TimeWord::Touch)) {
                touched = true;
            } else if touched && has(&not) {
                return Some(at);
            } else if !touched && !has(&ties) && !phrase() {
                return None;
            }
        }
        None
    }

    /// Adds the window that a length of time bounds: "older than three months", "not touched for a year".
    pub(crate) fn age(&self, at: usize, all: &mut Vec<Mention>) -> Option<usize> {
        if let Some(end) = self.flag(at, all) {
            return Some(end);
        }
        let mut here = self.cursor(at);
        let length = here.length()?;
        let moment = Some(self.back(length)?);
        let lead = self.lead(at);
        let untouched = || self.untouched(at);
        // ">30d" is an age, and greater is older.
        let (older, from, cost) = match () {
            () if lead.has(Cue::Older) => (true, lead.from, 0),
            () if lead.has(Cue::Newer) => (false, lead.from, 0),
            () if untouched().is_some() => (true, untouched()?, 0),
            () if lead.has(Cue::More) => (true, lead.from, 2),
            () if lead.has(Cue::Less) => (false, lead.from, 2),
            () if lead.has(Cue::After) && lead.signs => (true, lead.from, 1),
            () if lead.has(Cue::Before) && lead.signs => (false, lead.from, 1),
            () if lead.has(Cue::Since) || lead.has(Cue::After) => (false, lead.from, 1),
            () => return None,
        };
        let (start, end) = if older { (None, moment) } else { (moment, None) };
        let cost = cost + here.cost + lead.cost;
        all.push(Mention { cost, ..Mention::new(from, here.at, What::Window(start, end)) });
        Some(here.at)
    }

    /// "-mtime +30": days, as commands write an age.
    fn flag(&self, at: usize, all: &mut Vec<Mention>) -> Option<usize> {
        let mut here = self.cursor(at);
        here.word(TimeWord::Age).then_some(())?;
        let older = here.sign(&['+']);
        let text = &here.token()?.text;
        let days = if older { text } else { text.strip_prefix('-')? };
        let days = f64::from(days.parse::<u16>().ok()?);
        let moment = shift(midnight(self.today()), TimeUnit::Day, -days);
        let what = if older { What::Window(None, moment) } else { What::Window(moment, None) };
        all.push(Mention::new(at, here.at + 1, what));
        Some(here.at + 1)
    }

    /// Adds the windows of the first span with what bounds it; how many of the spans it took.
    pub(crate) fn windows(&self, days: &[Days], all: &mut Vec<Mention>) -> usize {
        let Some(first) = days.first() else { return 1 };
        let lead = self.lead(first.from);
        if let Some(taken) = days.get(1).and_then(|next| self.range(&lead, first, next, all)) {
            return taken;
        }
        let mut add = |from: usize, end: usize, cost: u8, bound: Bound| {
            let cost = first.cost + cost + if from < first.from { lead.cost } else { 0 };
            let Spans { past, ahead } = first.spans;
            push(all, (from, end), cost, bounded(past, bound), ahead.map(|span| bounded(span, bound)));
        };
        let (from, end) = (first.from, first.end);
        let away = first.kind == Kind::Away;
        let follows = |word| {
            let mut here = self.cursor(end);
            here.word(word).then_some(here.at)
        };
        // "from next week on": such an "on" ends what is said.
        let closes = |at: &usize| {
            let joins = |sense| matches!(sense, Sense::Operator(_));
            matches!(self.lit(*at), None | Some(Lit::Symbol(_))) || self.cursor(*at).is(joins)
        };
        let onward = follows(TimeWord::Onward).filter(|end| lead.from < from && closes(end));
        if first.kind == Kind::Range {
            let opens = lead.has(Cue::Between) || lead.has(Cue::From) || lead.has(Cue::Since);
            add(if opens { lead.from } else { from }, end, 0, Bound::Whole);
        } else if let Some(to) = onward.or_else(|| follows(TimeWord::OrLater)) {
            add(lead.from, to, 0, Bound::From);
        } else if let Some(to) = follows(TimeWord::OrEarlier) {
            add(lead.from, to, 0, if away { Bound::Before } else { Bound::Until });
        } else if lead.has(Cue::Until) {
            add(lead.from, end, 0, Bound::Until);
        } else if lead.has(Cue::Before) || lead.has(Cue::Older) || away && lead.has(Cue::More) {
            add(lead.from, end, 0, Bound::Before);
        } else if lead.has(Cue::Newer) || away && lead.has(Cue::Less) {
            add(lead.from, end, 0, Bound::From);
        } else if lead.has(Cue::Since) || lead.has(Cue::After) {
            if let Some(not) = self.untouched(lead.from) {
                add(not, end, 0, Bound::Before);
                return 1;
            }
            add(lead.from, end, 0, Bound::From);
            if !lead.has(Cue::Since) {
                add(lead.from, end, 1, Bound::After);
            } else if lead.has(Cue::From) {
                add(from, end, 2, Bound::Whole);
            }
        } else if !self.only_says_part(first) {
            // "tonight" is a part of today first.
            let part = self.part_at(from).is_some_and(|(_, part)| part.at == end);
            add(from, end, u8::from(part), Bound::Whole);
            if lead.has(Cue::From) {
                add(lead.from, end, 2, Bound::From);
            }
        }
        1
    }

    /// "from March to May", "Saturday and Sunday": adds one window for both; how many of the spans are told.
    fn range(&self, lead: &Lead, first: &Days, next: &Days, all: &mut Vec<Mention>) -> Option<usize> {
        let mut here = self.cursor(first.end);
        let leads = here.joint()?;
        if !self.only_small(here.at, next.from) {
            return None;
        }
        let opens = lead.has(Cue::Between) || lead.has(Cue::From);
        let at = (if opens { lead.from } else { first.from }, next.end);
        let cost = first.cost + next.cost;
        let (a, b) = (first.spans, next.spans);
        if !opens && !leads {
            // "Saturday and Sunday": one span where they touch.
            let touch =
                |a: Span, b: Span| (a.to.is_some() && a.to == b.from).then_some(Span { to: b.to, ..a });
            let ahead = a.ahead.zip(b.ahead).and_then(|(a, b)| touch(a, b));
            let past = touch(a.past, b.past).or_else(|| touch(b.past, a.past)).or(ahead)?;
            push(all, at, cost, past, ahead);
            return Some(2);
        }
        let join = |a: Span, b: Span| {
            let (from, to) = (a.from?, b.to?);
            // "between March and May 2024": the year comes once; "from Friday to Monday": the week before.
            let year = |year| from.with().year(year).build().ok();
            let all = [Some(from), shift(from, TimeUnit::Week, -1.0), year(to.year()), year(to.year() - 1)];
            Some(Span { from: Some(all.into_iter().flatten().find(|from| *from < to)?), to: Some(to) })
        };
        let past = join(a.past, b.past)?;
        let ahead = join(a.ahead.unwrap_or(a.past), b.ahead.unwrap_or(b.past));
        // "move what is tomorrow to Friday": without "from" they may be two.
        push(all, at, cost + u8::from(!opens), past, ahead);
        opens.then_some(2)
    }
}

/// Adds a window, and the one of things to come where that is another.
pub(crate) fn push(all: &mut Vec<Mention>, at: (usize, usize), cost: u8, past: Span, ahead: Option<Span>) {
    let ahead = ahead.filter(|ahead| *ahead != past).map(|ahead| (ahead, cost + 1));
    for (span, cost) in [Some((past, cost)), ahead].into_iter().flatten() {
        if span.from.is_some() || span.to.is_some() {
            all.push(Mention { cost, ..Mention::new(at.0, at.1, What::Window(span.from, span.to)) });
        }
    }
}
