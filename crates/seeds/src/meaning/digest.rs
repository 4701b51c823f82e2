//! What can be said about a list without understanding it: counts, ranges, totals, frequent values.
//! One pass, bounded memory.

use super::text::head;
use crate::numbers::digits::{json as number_json, round_digits};
use crate::numbers::words::{Words, data, say};
use metnos_executor::Failure;
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::str::FromStr;

/// Fields described; entries may have any number.
const FIELDS: usize = 64;
/// Different values remembered of a field; beyond it the field has no small domain.
const DOMAIN: usize = 1000;
/// Values named in a sentence.
const TOP: usize = 5;
/// Bytes of a value that is named.
const VALUE_BYTES: usize = 40;

#[derive(Deserialize)]
struct Roles {
    sizes: Vec<String>,
    names: Vec<String>,
    texts: Vec<String>,
}

/// How much is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Style {
    /// One paragraph with what matters.
    #[default]
    Short,
    /// One paragraph with everything.
    Long,
    /// Everything, one thing a line.
    Bullets,
}

/// A list being looked at.
pub(crate) struct Digest {
    roles: Roles,
    count: u64,
    fields: Vec<(String, Field)>,
    index: HashMap<String, usize>,
    more_fields: bool,
}

#[derive(Default)]
struct Field {
    present: u64,
    numbers: Numbers,
    dates: Option<(String, String)>,
    dated: u64,
    /// How often each value came; `None` once there were too many.
    values: Option<HashMap<String, u64>>,
}

#[derive(Default)]
struct Numbers {
    count: u64,
    /// `None` once the sum did not fit.
    sum: Option<Decimal>,
    range: Option<(Decimal, Decimal)>,
}

impl Digest {
    /// An empty list.
    pub(crate) fn new() -> Result<Self, Failure> {
        let roles = data(include_str!("../../data/digest.toml"), "the roles of fields")?;
        Ok(Self { roles, count: 0, fields: Vec::new(), index: HashMap::new(), more_fields: false })
    }

    /// Looks at one entry.
    pub(crate) fn add(&mut self, entry: &Map<String, Value>) {
        self.count += 1;
        for (name, value) in entry {
            if name.starts_with('_') || value.is_null() {
                continue;
            }
            let at = match self.index.get(name) {
                Some(at) => *at,
                None if self.fields.len() >= FIELDS => {
                    self.more_fields = true;
                    continue;
                }
                None => {
                    self.index.insert(name.clone(), self.fields.len());
                    self.fields
                        .push((name.clone(), Field { values: Some(HashMap::new()), ..Field::default() }));
                    self.fields.len() - 1
                }
            };
            let is_text = self.roles.texts.contains(name);
            if let Some((_, field)) = self.fields.get_mut(at) {
                field.add(value, is_text);
            }
        }
    }

    /// How many entries there were.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// What was seen of each field, for programs.
    pub(crate) fn fields(&self) -> Vec<Value> {
        let describe = |(name, field): &(String, Field)| {
            let mut out = Map::new();
            out.insert("field".into(), line(name).into());
            out.insert("count".into(), field.present.into());
            if let Some((min, max)) = &field.dates_range() {
                out.insert("min".into(), (*min).into());
                out.insert("max".into(), (*max).into());
            } else if let Some((min, max)) = field.numbers_range() {
                out.insert("min".into(), number_json(&plain(min)));
                out.insert("max".into(), number_json(&plain(max)));
                if let Some(sum) = field.numbers.sum.filter(|_| !self.roles.names.contains(name)) {
                    out.insert("total".into(), number_json(&plain(sum)));
                }
            }
            if let Some((top, distinct)) = field.top() {
                let top: Vec<Value> =
                    top.into_iter().map(|(value, count)| json!({"value": value, "count": count})).collect();
                out.insert("distinct".into(), distinct.into());
                out.insert("top".into(), top.into());
            }
            Value::Object(out)
        };
        self.fields.iter().map(describe).collect()
    }

    /// What was seen, for people, with sentences out of the texts.
    pub(crate) fn text(&self, words: &Words, style: Style, sentences: &[String]) -> String {
        let tell = |key: &str, blanks: &[(&str, &str)]| say(&words.digest, key, blanks);
        let count = words.number(&self.count.to_string());
        if self.count == 0 {
            return tell("none", &[]);
        }
        let mut lines = vec![tell(if self.count == 1 { "one" } else { "count" }, &[("count", &count)])];
        if style != Style::Short {
            let names: Vec<String> = self.fields.iter().map(|(name, _)| line(name)).collect();
            if !names.is_empty() {
                lines.push(tell("fields", &[("fields", &names.join(", "))]));
            }
        }
        for (name, field) in &self.fields {
            let shown = line(name);
            lines.extend(self.sentence(words, name, &shown, field));
            if style != Style::Short && field.present < self.count {
                let missing = words.number(&(self.count - field.present).to_string());
                lines.push(tell("missing", &[("field", &shown), ("missing", &missing), ("count", &count)]));
            }
        }
        if self.more_fields {
            lines.push(tell("truncated_fields", &[("shown", &FIELDS.to_string())]));
        }
        let quoted: Vec<String> = sentences.iter().map(|s| tell("sentence", &[("text", s)])).collect();
        match style {
            Style::Bullets => lines.extend(quoted),
            Style::Short | Style::Long if quoted.is_empty() => {}
            Style::Short | Style::Long => lines.push(tell("gist", &[("sentences", &quoted.join(" "))])),
        }
        match style {
            Style::Bullets => lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n"),
            Style::Short | Style::Long => lines.join(" "),
        }
    }

    fn sentence(&self, words: &Words, name: &str, shown: &str, field: &Field) -> Option<String> {
        let is = |roles: &[String]| roles.iter().any(|role| role == name);
        if let Some((min, max)) = field.dates_range() {
            let (min, max) = (day(min), day(max));
            let key = if min == max { "date" } else { "dates" };
            return Some(say(&words.digest, key, &[("field", shown), ("min", min), ("max", max)]));
        }
        if let Some((min, max)) = field.numbers_range() {
            if is(&self.roles.names) {
                return None;
            }
            let sum = field.numbers.sum?;
            let bytes = is(&self.roles.sizes);
            let show =
                |n: Decimal| if bytes { size(n, words) } else { words.number(&round_digits(&plain(n), 15)) };
            let mean = sum.checked_div(Decimal::from(field.numbers.count))?;
            let mean = words.number(&round_digits(&plain(mean), 6));
            let key = match (bytes, field.numbers.count) {
                (true, 1) => "size",
                (true, _) => "sizes",
                (false, 1) => "number",
                (false, _) => "numbers",
            };
            return Some(say(
                &words.digest,
                key,
                &[
                    ("field", shown),
                    ("total", &show(sum)),
                    ("min", &show(min)),
                    ("max", &show(max)),
                    ("mean", &mean),
                ],
            ));
        }
        let (top, distinct) = field.top()?;
        let value = |(value, count): (String, u64)| {
            let count = words.number(&count.to_string());
            say(&words.digest, "value", &[("value", &value), ("count", &count)])
        };
        let more = words.number(&distinct.saturating_sub(top.len()).to_string());
        let key = if distinct > top.len() { "top_more" } else { "top" };
        let values = top.into_iter().map(value).collect::<Vec<_>>().join(", ");
        Some(say(&words.digest, key, &[("field", shown), ("values", &values), ("more", &more)]))
    }
}

impl Style {
    /// How many sentences of a text are shown.
    pub(crate) fn sentences(self) -> usize {
        match self {
            Self::Short => 3,
            Self::Long | Self::Bullets => 6,
        }
    }
}

impl Field {
    fn add(&mut self, value: &Value, is_text: bool) {
        self.present += 1;
        let value = match value {
            Value::Number(n) => {
                let text = n.to_string();
                if let Ok(d) = Decimal::from_str(&text).or_else(|_| Decimal::from_scientific(&text)) {
                    self.numbers.add(d);
                }
                return;
            }
            Value::Bool(yes) => yes.to_string(),
            Value::String(text) => {
                if is_date(text) {
                    self.dated += 1;
                    match &mut self.dates {
                        Some((min, _)) if *text < *min => min.clone_from(text),
                        Some((_, max)) if *text > *max => max.clone_from(text),
                        Some(_) => {}
                        None => self.dates = Some((text.clone(), text.clone())),
                    }
                }
                line(text)
            }
            Value::Null | Value::Array(_) | Value::Object(_) => {
                self.values = None;
                return;
            }
        };
        if is_text {
            self.values = None;
        }
        if let Some(values) = &mut self.values {
            *values.entry(value).or_insert(0) += 1;
            if values.len() > DOMAIN {
                self.values = None;
            }
        }
    }

    /// Only when every value is a date.
    fn dates_range(&self) -> Option<(&str, &str)> {
        let (min, max) = self.dates.as_ref()?;
        (self.dated == self.present).then_some((min.as_str(), max.as_str()))
    }

    /// Only when every value is a number.
    fn numbers_range(&self) -> Option<(Decimal, Decimal)> {
        self.numbers.range.filter(|_| self.numbers.count == self.present)
    }

    /// The most frequent values and how many there are, when values repeat enough to be a domain.
    fn top(&self) -> Option<(Vec<(String, u64)>, usize)> {
        let values = self.values.as_ref().filter(|values| !values.is_empty() && self.dated < self.present)?;
        let distinct = values.len();
        if distinct > TOP && (distinct as u64).saturating_mul(2) > self.present {
            return None;
        }
        let mut top: Vec<(String, u64)> =
            values.iter().map(|(value, count)| (value.clone(), *count)).collect();
        top.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        top.truncate(TOP);
        Some((top, distinct))
    }
}

impl Numbers {
    fn add(&mut self, n: Decimal) {
        self.sum = if self.count == 0 { Some(n) } else { self.sum.and_then(|sum| sum.checked_add(n)) };
        self.count += 1;
        self.range = Some(self.range.map_or((n, n), |(min, max)| (min.min(n), max.max(n))));
    }
}

/// `2026-03-12`, with or without a time behind it.
fn is_date(text: &str) -> bool {
    text.len() <= 40
        && text.get(..10).is_some_and(|day| jiff::civil::Date::from_str(day).is_ok())
        && text.as_bytes().get(10).is_none_or(|b| matches!(b, b'T' | b't' | b' '))
}

fn day(text: &str) -> &str {
    head(text, 10)
}

fn plain(n: Decimal) -> String {
    n.normalize().to_string()
}

/// Text from an entry as one short line: it cannot break the sentence it stands in.
fn line(text: &str) -> String {
    let cut = head(text, VALUE_BYTES);
    let clean: String = cut.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let clean = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    if cut.len() < text.len() { format!("{clean}…") } else { clean }
}

fn size(bytes: Decimal, words: &Words) -> String {
    let (mut n, mut unit) = (bytes, "B");
    for next in ["kB", "MB", "GB", "TB", "PB"] {
        if n.abs() < Decimal::ONE_THOUSAND {
            break;
        }
        (n, unit) = (n / Decimal::ONE_THOUSAND, next);
    }
    let places = u32::from(unit != "B");
    format!("{} {unit}", words.number(&plain(n.round_dp(places))))
}
