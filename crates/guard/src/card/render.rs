//! From a card to the lines people read.

use super::{Card, Effect, Lang, Offer, Size, Tainted};
use crate::text::{fill, one_line};
use metnos_executor::ExecutorName;

/// No single value takes more of a card than this.
const SHOWN_MAX: usize = 80;
/// Nor a name among several more than this.
const NAME_MAX: usize = 40;
/// What is shown in full.
const WHOLE: [&str; 4] = ["admin", "send_messages", "set_processes", "set_signatures"];
/// As long as a command of `admin` may be.
const COMMAND_MAX: usize = 1000;
/// Nor do the reasons.
const REASON_MAX: usize = 240;
/// More tainted values than this are counted, not shown.
const TAINTED_MAX: usize = 3;
const BETWEEN: &str = " · ";

impl Card {
    /// The card as text, one to three lines by how often the same was approved before.
    pub fn render(&self, times_approved_before: u64, lang: &Lang) -> String {
        self.lines(Size::after(times_approved_before), lang).join("\n")
    }

    /// Its lines at one size.
    pub fn lines(&self, size: Size, lang: &Lang) -> Vec<String> {
        let (what, place) = (self.what(lang), self.place(lang));
        let grave = self.grave(lang);
        let head = match place.is_empty() {
            true => what.clone(),
            false => format!("{what}: {place}"),
        };
        match size {
            Size::Full => {
                let place = if place.is_empty() { lang.text.nowhere.clone() } else { place };
                let all = [grave, self.remarks(lang)].concat();
                vec![what, place, capital(&all.join(BETWEEN))]
            }
            Size::Medium => {
                let short = [grave, self.capability(lang)].concat();
                vec![head, capital(&short.join(BETWEEN))]
            }
            Size::Line => vec![[vec![head], grave].concat().join(BETWEEN)],
        }
    }

    /// What it does whatever it is about: `Delete files`.
    fn kind(&self, lang: &Lang) -> String {
        Self { count: None, manner: None, things: None, ..self.clone() }.what(lang)
    }

    /// What it does, as an order: `Delete 12 files`.
    fn what(&self, lang: &Lang) -> String {
        let name = ExecutorName::parse(&self.executor).ok();
        if let Some(text) = lang.fixed.get(&self.executor) {
            return text.clone();
        }
        let verb = name.as_ref().and_then(ExecutorName::verb).and_then(|v| lang.verb.get(v.as_str()));
        let verb = self.manner.as_ref().and_then(|manner| lang.verb.get(manner)).or(verb);
        let object = name.as_ref().and_then(ExecutorName::object).and_then(|o| lang.object.get(o.as_str()));
        let object = self.things.as_ref().and_then(|things| lang.object.get(things)).or(object);
        let (Some(verb), Some([one, several])) = (verb, object) else {
            return fill(&lang.text.what_other, &[("executor", &shown(&self.executor))]);
        };
        let object = if self.count == Some(1) { one } else { several };
        let count = self.count.unwrap_or_default().to_string();
        let template = if self.count.is_some() { &lang.text.what_counted } else { &lang.text.what };
        fill(template, &[("verb", verb), ("object", object), ("count", &count)])
    }

    /// On what, from where to where, how large.
    fn place(&self, lang: &Lang) -> String {
        let text = &lang.text;
        // Whoever says yes to a command, a message or the end of a process has read all of it.
        let most = if WHOLE.contains(&self.executor.as_str()) { COMMAND_MAX } else { SHOWN_MAX };
        let object = self.object.as_ref().map(|o| fill(&text.quoted, &[("object", &one_line(o, most))]));
        let route = match (self.source.as_deref().map(shown), self.destination.as_deref().map(shown)) {
            (Some(source), Some(destination)) => {
                Some(fill(&text.route, &[("source", &source), ("destination", &destination)]))
            }
            (None, Some(destination)) => Some(fill(&text.to, &[("destination", &destination)])),
            (source, None) => source,
        };
        let size = self.bytes.map(|bytes| self.size(bytes, lang));
        [object, self.named(lang), route, size].into_iter().flatten().collect::<Vec<_>>().join(BETWEEN)
    }

    /// Which ones: the first of them, and how many more there are.
    fn named(&self, lang: &Lang) -> Option<String> {
        let named = self.names.iter().take(Self::NAMES_MAX);
        let quoted: Vec<String> =
            named.map(|name| fill(&lang.text.quoted, &[("object", &one_line(name, NAME_MAX))])).collect();
        let more = self.count.unwrap_or_default().saturating_sub(quoted.len() as u64);
        let rest = (more > 0).then(|| fill(&lang.text.and_more, &[("count", &more.to_string())]));
        (!quoted.is_empty())
            .then(|| [quoted.join(", ")].into_iter().chain(rest).collect::<Vec<_>>().join(" "))
    }

    fn size(&self, bytes: u64, lang: &Lang) -> String {
        match self.at_least {
            true => fill(&lang.text.at_least, &[("size", &lang.size(bytes))]),
            false => lang.size(bytes),
        }
    }

    /// What no size of card leaves out.
    fn grave(&self, lang: &Lang) -> Vec<String> {
        let text = &lang.text;
        let effect = match self.effect {
            Effect::NoChange => &text.no_change,
            Effect::Reversible => &text.reversible,
            Effect::Irreversible => &text.irreversible,
        };
        let mut parts = vec![effect.clone()];
        parts.extend(self.outside_sandbox.then(|| text.outside_sandbox.clone()));
        parts.extend(self.tainted.iter().take(TAINTED_MAX).map(|tainted| tainted.says(lang)));
        let more = self.tainted.len().saturating_sub(TAINTED_MAX);
        parts.extend((more > 0).then(|| format!("+{more}")));
        if let Some(Offer::Schedule { schedule, item_cap }) = &self.grant {
            let values = [("schedule", &*shown(schedule)), ("cap", &item_cap.to_string())];
            parts.push(fill(&text.grant_schedule, &values));
        }
        parts
    }

    /// What only the full card says.
    fn remarks(&self, lang: &Lang) -> Vec<String> {
        let text = &lang.text;
        let frees = self.frees.map(|frees| {
            let (size, days) =
                (self.size(frees.bytes, lang), frees.after_days.unwrap_or_default().to_string());
            let template = if frees.after_days.is_some() { &text.frees_later } else { &text.frees_now };
            fill(template, &[("size", &size), ("days", &days)])
        });
        let grant = match &self.grant {
            Some(Offer::Here { target }) => {
                let template = if target.starts_with('/') { &text.grant_below } else { &text.grant_here };
                Some(fill(template, &[("what", &self.kind(lang)), ("target", &shown(target))]))
            }
            _ => None,
        };
        let reason = self.reason.as_ref().map(|reason| one_line(reason, REASON_MAX));
        let mut parts: Vec<String> = frees.into_iter().collect();
        parts.extend(self.capability(lang));
        parts.extend(grant);
        parts.extend(reason);
        parts
    }

    fn capability(&self, lang: &Lang) -> Vec<String> {
        vec![fill(&lang.text.capability, &[("capability", &shown(&lang.row(&self.capability)))])]
    }
}

impl Tainted {
    fn says(&self, lang: &Lang) -> String {
        let from = self.from.as_deref().map(shown);
        let template = if from.is_some() { &lang.text.tainted_from } else { &lang.text.tainted };
        let values = [
            ("value", &*shown(&self.value)),
            ("origin", lang.origin(self.origin)),
            ("from", from.as_deref().unwrap_or_default()),
        ];
        fill(template, &values)
    }
}

fn shown(value: &str) -> String {
    one_line(value, SHOWN_MAX)
}

fn capital(line: &str) -> String {
    let mut chars = line.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
