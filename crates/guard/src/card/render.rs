//! From a card to the lines people read.

use super::{Card, Effect, Lang, Offer, Shown, Size, Tainted, Warning};
use crate::text::{fill, one_line, one_part};
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
/// More names that are taken than this are counted, not shown.
const TAKEN_MAX: usize = 3;
const BETWEEN: &str = " · ";

impl Card {
    /// The card as text, and what is behind *details*: two lines, or one where the same was approved often before.
    pub fn shown(&self, times_approved_before: u64, lang: &Lang) -> Shown {
        let text = self.lines(Size::after(times_approved_before), lang).join("\n");
        Shown { text, details: self.details(lang) }
    }

    /// Its lines at one size.
    fn lines(&self, size: Size, lang: &Lang) -> Vec<String> {
        let (what, place) = (self.what(lang), self.place(lang));
        let head = match place.is_empty() {
            true => what,
            false => format!("{what}: {place}"),
        };
        let back = self.way_back(lang).join(BETWEEN);
        match size {
            Size::Full => vec![head, capital(&back)],
            Size::Line => vec![[head, back].join(BETWEEN)],
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
        let object = self.object.as_ref().map(|o| fill(&text.quoted, &[("object", &one_part(o, most))]));
        let route = match (self.source.as_deref().map(shown), self.destination.as_deref().map(shown)) {
            (Some(source), Some(destination)) => {
                Some(fill(&text.route, &[("source", &source), ("destination", &destination)]))
            }
            (None, Some(destination)) => Some(fill(&text.to, &[("destination", &destination)])),
            (source, None) => source,
        };
        let size = self.bytes.map(|bytes| self.size(bytes, lang));
        // What cannot be taken back is named before it is done.
        let named = self.named(lang).filter(|_| self.effect == Effect::Irreversible);
        let within = self.folders.iter().map(|folder| shown(folder)).collect::<Vec<_>>().join(", ");
        let within = (!within.is_empty()).then(|| fill(&text.within, &[("folders", &within)]));
        [object, named, within, route, size].into_iter().flatten().collect::<Vec<_>>().join(BETWEEN)
    }

    /// Which ones: the first of them, and how many more there are.
    fn named(&self, lang: &Lang) -> Option<String> {
        let named = self.names.iter().take(Self::NAMES_MAX);
        let quoted: Vec<String> =
            named.map(|name| fill(&lang.text.quoted, &[("object", &one_part(name, NAME_MAX))])).collect();
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

    /// How it is taken back, and what no size of card leaves out.
    fn way_back(&self, lang: &Lang) -> Vec<String> {
        let text = &lang.text;
        let kept = self.frees.and_then(|frees| frees.after_days);
        let effect = match (self.effect, kept) {
            (Effect::NoChange, _) => text.no_change.clone(),
            (Effect::Contained, _) => text.contained.clone(),
            (Effect::Reversible, None) => text.reversible.clone(),
            (Effect::Reversible, Some(days)) => fill(&text.reversible_for, &[("days", &days.to_string())]),
            (Effect::Irreversible, _) if self.frees.is_some() => text.permanent.clone(),
            (Effect::Irreversible, _) => text.irreversible.clone(),
        };
        let mut parts = vec![effect];
        parts.extend(self.outside_sandbox.then(|| text.outside_sandbox.clone()));
        parts.extend(self.warnings.iter().map(|warning| warning.says(lang)));
        parts.extend(self.tainted.iter().take(TAINTED_MAX).map(|tainted| tainted.says(lang)));
        let more = self.tainted.len().saturating_sub(TAINTED_MAX);
        parts.extend((more > 0).then(|| format!("+{more}")));
        if let Some(Offer::Schedule { schedule, item_cap }) = &self.grant {
            let values = [("schedule", &*shown(schedule)), ("cap", &item_cap.to_string())];
            parts.push(fill(&text.grant_schedule, &values));
        }
        parts
    }

    /// What is behind *details*: names, what is freed, the reason, the capability, the grant.
    fn details(&self, lang: &Lang) -> Vec<String> {
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
        let named = self.named(lang).filter(|_| self.effect != Effect::Irreversible);
        let tainted = self.tainted.iter().skip(TAINTED_MAX).map(|tainted| tainted.says(lang));
        let reason = self.reason.as_ref().map(|reason| one_line(reason, REASON_MAX));
        let reason = reason.filter(|reason| !reason.is_empty());
        let parts = named.into_iter().chain(tainted).chain(frees).chain(reason);
        parts.chain(self.capability(lang)).chain(grant).map(|part| capital(&part)).collect()
    }

    fn capability(&self, lang: &Lang) -> Vec<String> {
        vec![fill(&lang.text.capability, &[("capability", &shown(&lang.row(&self.capability)))])]
    }
}

impl Warning {
    fn says(&self, lang: &Lang) -> String {
        match self {
            Self::Forced => lang.text.forced.clone(),
            Self::RunsCode(path) => fill(&lang.text.runs_code, &[("path", &shown(path))]),
            Self::Costs(cost) => fill(&lang.text.costs, &[("cost", &money(*cost))]),
            Self::Taken { count, names } => {
                let template = if *count == 1 { &lang.text.taken_one } else { &lang.text.taken };
                fill(template, &[("count", &count.to_string()), ("names", &quoted(names, *count, lang))])
            }
            Self::NotThere { count, names } => {
                let template = if *count == 1 { &lang.text.not_there_one } else { &lang.text.not_there };
                fill(template, &[("count", &count.to_string()), ("names", &quoted(names, *count, lang))])
            }
            Self::Stay(count) => {
                let template = if *count == 1 { &lang.text.stay_one } else { &lang.text.stay };
                fill(template, &[("count", &count.to_string())])
            }
            Self::Lends { credential, person, executor } => {
                let values = [("credential", credential), ("person", person), ("executor", executor)];
                let values = values.map(|(name, value)| (name, shown(value)));
                fill(&lang.text.lends, &values.each_ref().map(|(name, value)| (*name, value.as_str())))
            }
        }
    }
}

/// The first of these names, and how many of `count` are not named.
fn quoted(names: &[String], count: u64, lang: &Lang) -> String {
    let quote = |name: &String| fill(&lang.text.quoted, &[("object", &one_part(name, NAME_MAX))]);
    let first = names.iter().take(TAKEN_MAX).map(quote).collect::<Vec<_>>().join(", ");
    match count.saturating_sub(names.len().min(TAKEN_MAX) as u64) {
        0 => first,
        more => format!("{first} {}", fill(&lang.text.and_more, &[("count", &more.to_string())])),
    }
}

/// Millionths as a person reads them, to four places, rounded up.
fn money(cost: u64) -> String {
    let places = cost.div_ceil(100);
    format!("{}.{:04}", places / 10_000, places % 10_000)
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
    one_part(value, SHOWN_MAX)
}

fn capital(line: &str) -> String {
    let mut chars = line.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}
