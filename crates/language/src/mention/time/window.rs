//! Spans with their bounds: "since Monday", "older than three months", "between March and May".

use super::days::{Days, Kind, Span};
use super::words::{Before, shift};
use crate::mention::{Mention, Reading, What};
use crate::sense::{Compare, Operator, Quantity, Relation, Sense, TimeUnit, TimeWord};
use crate::token::Lit;
use jiff::civil::DateTime;

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
    /// between, or from: a second time may follow
    Opens,
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
        Sense::Relation(Relation::Between) => Cue::Opens,
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
}

impl Lead {
    fn has(&self, cue: Cue) -> bool {
        self.cues.contains(&cue)
    }
}

impl Reading<'_> {
    /// What bounds the time that begins at `start`.
    fn lead(&self, start: usize) -> Lead {
        let mut at = start;
        for _ in 0..4 {
            if let Some(Before { all, from, cost }) = self.before(at, cue) {
                return Lead { cues: all, from, cost };
            }
            let Some(last) = at.checked_sub(1) else { break };
            let sign = match self.lit(last) {
                Some(Lit::Symbol('<')) => Some(Cue::Before),
                Some(Lit::Symbol('>')) => Some(Cue::After),
                Some(Lit::Symbol(':' | '=' | '\u{2264}' | '\u{2265}')) => {
                    at = last;
                    continue;
                }
                _ => None,
            };
            if let Some(sign) = sign {
                let age = |sense| (sense == Sense::TimeWord(TimeWord::Age)).then_some(());
                let from = self.before(last, age).map_or(last, |age| age.from);
                return Lead { cues: vec![sign], from, cost: 0 };
            }
            use Relation::{For, In, Of, Than};
            let between = |sense: Sense| match sense {
                Sense::Idle | Sense::Relation(Than | Of | In | For) => Some(()),
                _ => None,
            };
            let Some(between) = self.before(at, between) else { break };
            at = between.from;
        }
        Lead { cues: Vec::new(), from: start, cost: 0 }
    }

    /// "not opened in", "che nessuno tocca da": where that begins, right before a time.
    pub(crate) fn untouched(&self, start: usize) -> Option<usize> {
        let mut touched = false;
        for at in (start.saturating_sub(FAR)..start).rev() {
            if self.lit(at) != Some(&Lit::Word) {
                return None;
            }
            let has = |wanted: fn(Sense) -> bool| self.lattice.at(at).iter().any(|edge| wanted(edge.sense));
            if has(|sense| sense == Sense::TimeWord(TimeWord::Touch)) {
                touched = true;
            } else if touched
                && has(|sense| {
                    matches!(sense, Sense::Operator(Operator::Not) | Sense::Quantity(Quantity::None))
                })
            {
                return Some(at);
            } else if !touched
                && !has(|sense| {
                    matches!(sense, Sense::Relation(_) | Sense::Compare(_) | Sense::Idle)
                        || matches!(sense, Sense::TimeWord(_) | Sense::Period(_))
                })
                && !self.inside(at)
            {
                return None;
            }
        }
        None
    }

    /// Whether a token is a later word of a phrase that compares.
    fn inside(&self, at: usize) -> bool {
        let compares = |from: usize| {
            let edges = self.lattice.at(from).iter();
            edges.clone().any(|edge| edge.end > at && matches!(edge.sense, Sense::Compare(_)))
        };
        (at.saturating_sub(2)..at).any(compares)
    }

    /// Adds the windows that a length of time bounds: "older than three months", "not touched for a year".
    pub(crate) fn age(&self, at: usize, all: &mut Vec<Mention>) -> Option<usize> {
        let mut add = |from, to, window: (Option<DateTime>, Option<DateTime>), cost| {
            let what = What::Window(window.0, window.1);
            all.push(Mention { cost, ..Mention::new(from, to, what) });
        };
        if let Some((from, back, end)) = self.flag(at) {
            add(at, end, if from { (Some(back), None) } else { (None, Some(back)) }, 0);
            return Some(end);
        }
        let length = self.length(at)?;
        let back = Some(self.back(length.value)?);
        let lead = self.lead(at);
        let (end, cost) = (length.end, length.cost + lead.cost);
        if lead.has(Cue::Older) {
            add(lead.from, end, (None, back), cost);
        } else if lead.has(Cue::Newer) {
            add(lead.from, end, (back, None), cost);
        } else if let Some(from) = self.untouched(at) {
            add(from, end, (None, back), cost);
        } else if lead.has(Cue::More) {
            add(lead.from, end, (None, back), cost + 2);
        } else if lead.has(Cue::Less) {
            add(lead.from, end, (back, None), cost + 2);
        } else if lead.has(Cue::Since) {
            add(lead.from, end, (back, None), cost + 1);
        } else if self.sign(lead.from.max(1) - 1, &['>']) || lead.from < at && lead.has(Cue::After) {
            // ">30d" is an age, and greater is older.
            let older = (lead.from..at).any(|at| self.sign(at, &['>']));
            add(lead.from, end, if older { (None, back) } else { (back, None) }, cost + 1);
        } else if lead.has(Cue::Before) && (lead.from..at).any(|at| self.sign(at, &['<'])) {
            add(lead.from, end, (back, None), cost + 1);
        } else {
            return None;
        }
        Some(end)
    }

    /// "-mtime +30": days, as commands write an age. Whether it is a beginning, which, and where it ends.
    fn flag(&self, at: usize) -> Option<(bool, DateTime, usize)> {
        let name = self.word(at, Sense::TimeWord(TimeWord::Age))?;
        let plus = self.sign(name, &['+']);
        let token = self.lattice.tokens.get(name + usize::from(plus))?;
        let days = if plus { token.text.as_str() } else { token.text.strip_prefix('-')? };
        let days = f64::from(days.parse::<u16>().ok()?);
        let back = shift(super::words::midnight(self.today()), TimeUnit::Day, -days)?;
        Some((!plus, back, name + 1 + usize::from(plus)))
    }

    /// Adds the windows of a span with what bounds it; how many of the spans it took.
    pub(crate) fn windows(&self, days: &[Days], all: &mut Vec<Mention>) -> usize {
        let Some(first) = days.first() else { return 1 };
        let lead = self.lead(first.from);
        if let Some(taken) = days.get(1).and_then(|next| self.range(&lead, first, next, all)) {
            return taken;
        }
        let (from, end) = (first.from, first.end);
        let mut add = |from: usize, end: usize, cost: u8, read: &dyn Fn(Span) -> Span| {
            let cost = first.cost + cost + if from < first.from { lead.cost } else { 0 };
            push(all, (from, end), cost, read(first.past), first.ahead.map(read));
        };
        let begins = |span: Span| Span { from: span.from, to: None };
        let after = |span: Span| Span { from: span.to.or(span.from), to: None };
        let before = |span: Span| Span { from: None, to: span.from };
        let until = |span: Span| Span { from: None, to: span.to };
        let on = |word| self.word(end, Sense::TimeWord(word));
        // "from next week on": such an "on" ends what is said.
        let onward = on(TimeWord::Onward).filter(|end| lead.from < from && self.closes(*end));
        if first.kind == Kind::Range {
            let opens = [Cue::Opens, Cue::From, Cue::Since].iter().any(|cue| lead.has(*cue));
            add(if opens { lead.from } else { from }, end, 0, &|span| span);
        } else if let Some(to) = onward.or_else(|| on(TimeWord::OrLater)) {
            add(lead.from, to, 0, &begins);
        } else if let Some(to) = on(TimeWord::OrEarlier) {
            add(lead.from, to, 0, if first.is_away() { &before } else { &until });
        } else if lead.has(Cue::Until) {
            add(lead.from, end, 0, &until);
        } else if lead.has(Cue::Before) || lead.has(Cue::Older) || first.is_away() && lead.has(Cue::More) {
            add(lead.from, end, 0, &before);
        } else if lead.has(Cue::Newer) || first.is_away() && lead.has(Cue::Less) {
            add(lead.from, end, 0, &begins);
        } else if lead.has(Cue::Since) || lead.has(Cue::After) {
            if let Some(from) = self.untouched(lead.from) {
                add(from, end, 0, &before);
                return 1;
            }
            add(lead.from, end, 0, &begins);
            if !lead.has(Cue::Since) {
                add(lead.from, end, 1, &after);
            } else if lead.has(Cue::From) {
                add(from, end, 2, &|span| span);
            }
        } else if !self.only_says_part(first) {
            // "tonight" is a part of today first.
            let part = self.part(from).is_some_and(|part| part.end == end);
            add(from, end, u8::from(part), &|span| span);
            if lead.has(Cue::From) {
                add(lead.from, end, 2, &begins);
            }
        }
        1
    }

    /// Whether nothing follows that could belong to a word before it.
    fn closes(&self, at: usize) -> bool {
        let joins = |sense| matches!(sense, Sense::Operator(_)).then_some(());
        matches!(self.lit(at), None | Some(Lit::Symbol(_))) || self.take(at, joins).is_some()
    }

    /// "from March to May", "3 to 7 March", "Saturday and Sunday".
    fn range(&self, lead: &Lead, first: &Days, next: &Days, all: &mut Vec<Mention>) -> Option<usize> {
        let (joint, dashed) = self.joint(first.end)?;
        if next.from != self.skip_small(joint) && next.from != joint {
            return None;
        }
        let opens = lead.has(Cue::Opens) || lead.has(Cue::From);
        let from = if opens { lead.from } else { first.from };
        let cost = first.cost + next.cost;
        let touch =
            |a: Span, b: Span| (a.to.is_some() && a.to == b.from).then_some(Span { from: a.from, to: b.to });
        if !opens && !dashed {
            // "Saturday and Sunday": one span where they touch.
            let ahead = first.ahead.zip(next.ahead).and_then(|(a, b)| touch(a, b));
            let past = touch(first.past, next.past).or_else(|| touch(next.past, first.past)).or(ahead)?;
            push(all, (from, next.end), cost, past, ahead);
            return Some(2);
        }
        let join = |a: Span, b: Span| {
            let (mut from, to) = (a.from?, b.to?);
            if from >= to {
                // "between March and May 2024": the year comes once; "from Friday to Monday": the week before.
                let week = shift(from, TimeUnit::Week, -1.0)?;
                let year = from.with().year(to.year()).build().ok()?;
                let before = year.with().year(to.year() - 1).build().ok()?;
                from = [week, year, before].into_iter().find(|from| *from < to)?;
            }
            Some(Span { from: Some(from), to: Some(to) })
        };
        let past = join(first.past, next.past)?;
        let ahead = join(first.ahead.unwrap_or(first.past), next.ahead.unwrap_or(next.past));
        push(all, (from, next.end), cost, past, ahead);
        Some(2)
    }

    /// Where a word or sign that joins two times ends; whether it leads from one to the other.
    pub(crate) fn joint(&self, at: usize) -> Option<(usize, bool)> {
        if self.sign(at, &['-', '\u{2013}', '\u{2014}']) {
            return Some((at + 1, true));
        }
        let to = |sense| matches!(sense, Sense::Relation(Relation::To | Relation::Until)).then_some(());
        let and = |sense| (sense == Sense::Operator(Operator::And)).then_some(());
        let to = self.take(at, to).map(|found| (found.end, true));
        to.or_else(|| self.take(at, and).map(|found| (found.end, false)))
    }
}

/// Adds a window, and the one of things to come where that is another.
pub(crate) fn push(all: &mut Vec<Mention>, at: (usize, usize), cost: u8, past: Span, ahead: Option<Span>) {
    let mut add = |span: Span, cost| {
        if span.from.is_some() || span.to.is_some() {
            let what = What::Window(span.from, span.to);
            all.push(Mention { cost, ..Mention::new(at.0, at.1, what) });
        }
    };
    add(past, cost);
    if let Some(ahead) = ahead.filter(|ahead| *ahead != past) {
        add(ahead, cost + 1);
    }
}
