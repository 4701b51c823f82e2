//! A plan in one short sentence, made from its steps: what is done to what, where, which and how many. The words are
//! data, by executor, verb and role; what they do not know is said by what the manifest says of itself.

use crate::ending::MessagesError;
use crate::machine::Machine;
use crate::offer::PICK;
use crate::things::manner;
use crate::value::put;
use metnos_engine::catalog::{Arg, Role, Tool};
use metnos_engine::{Catalog, Plan, Step};
use metnos_tongue::FALLBACK;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

/// The longest value and the longest sentence, in letters.
const VALUE: usize = 60;
const SENTENCE: usize = 240;
/// How many values of a list are said.
const VALUES: usize = 3;
/// Roles whose values are words of a closed list or names of fields.
const WORDS: [Role; 22] = [
    Role::SortBy,
    Role::GroupBy,
    Role::SpaceBy,
    Role::LoadBy,
    Role::Order,
    Role::WhereField,
    Role::Field,
    Role::Fields,
    Role::Stat,
    Role::Aggregate,
    Role::Key,
    Role::Dimension,
    Role::Classes,
    Role::TextOp,
    Role::SetOp,
    Role::Mode,
    Role::State,
    Role::TaskState,
    Role::ProposalState,
    Role::Policy,
    Role::Action,
    Role::Window,
];

/// The sentences of every language.
#[derive(Clone, Debug)]
pub(crate) struct Sayings(BTreeMap<&'static str, Saying>);

/// Those of one language, from its file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Saying {
    /// Two steps.
    then: String,
    or: String,
    and: String,
    /// A list of which a part is said.
    more: String,
    /// The folder of the person.
    home: String,
    day: String,
    date: String,
    time: String,
    /// What an earlier step found: all of it, or the one that is meant.
    found: String,
    one: String,
    /// What was shown before: all of it, or one.
    before: String,
    nth: String,
    /// Files by their ending.
    ending: String,
    of_step: String,
    /// An argument that no phrase is known for.
    other: String,
    months: [String; 12],
    /// Each argument by its role, in the order it is said.
    role: Vec<(Role, String)>,
    /// What is done, by executor.
    tool: BTreeMap<String, String>,
    /// The same by verb.
    verb: BTreeMap<String, String>,
    /// By object.
    things: BTreeMap<String, String>,
    /// By kind of file.
    kind: BTreeMap<String, String>,
    /// By role: what a yes and a no say.
    yes: BTreeMap<Role, String>,
    no: BTreeMap<Role, String>,
    /// By executor and role, where it is said otherwise.
    said: BTreeMap<String, BTreeMap<Role, String>>,
    /// Words of closed lists.
    word: BTreeMap<String, String>,
}

const FILE: &str = "says.toml";

impl Sayings {
    /// Those that ship with this binary.
    pub(crate) fn shipped() -> Result<Self, MessagesError> {
        metnos_tongue::tables(FILE).map(|all| Self(all.into_iter().collect()))
    }

    /// The sentences of a language, or the English ones where it has none.
    fn of(&self, language: &str) -> Option<&Saying> {
        self.0.get(metnos_tongue::of(language).code)
    }

    /// A plan in one sentence; days of `year` are said without it.
    pub(crate) fn plan(&self, catalog: &Catalog, language: &str, plan: &Plan, year: Option<&str>) -> String {
        let Some(saying) = self.of(language) else { return String::new() };
        let english = self.0.get(FALLBACK);
        let sentence = |step: &Step| {
            let own = Sentence { saying, catalog, language, plan, year };
            // What a language has no words for is said in English.
            match english.filter(|_| !own.knows(step)).map(|saying| Sentence {
                saying,
                language: FALLBACK,
                ..own
            }) {
                Some(other) if other.knows(step) => other.step(step),
                _ => own.step(step),
            }
        };
        let steps: Vec<String> = plan.steps.iter().map(sentence).collect();
        let joined = steps.into_iter().reduce(|first, second| {
            put(&saying.then, &[("first", first.as_str()), ("second", second.as_str())])
        });
        upper(&cut(&joined.unwrap_or_default(), SENTENCE))
    }
}

impl Machine {
    /// A plan in one short sentence of a language, with what it leaves out after it; days of `year` are said without it.
    pub fn says(&self, language: &str, plan: &Plan, year: Option<&str>) -> String {
        let says = self.messages.sayings().plan(&self.catalog, language, plan, year);
        if plan.unused.is_empty() {
            return says;
        }
        let unused: Vec<String> = plan.unused.iter().map(|part| format!("“{}”", part.trim())).collect();
        self.messages.say(language, "offer_without", &[("words", &unused.join(", ")), ("says", &says)])
    }
}

/// What a step is said with.
#[derive(Clone, Copy)]
struct Sentence<'a> {
    saying: &'a Saying,
    catalog: &'a Catalog,
    language: &'a str,
    plan: &'a Plan,
    year: Option<&'a str>,
}

impl Sentence<'_> {
    fn step(&self, step: &Step) -> String {
        let Some(tool) = self.catalog.get(&step.tool) else { return step.tool.replace('_', " ") };
        let mut told: Vec<&str> = Vec::new();
        let what = self.what(tool, step, &mut told);
        let mut out = self.head(tool, step, &what);
        let known = |role: Role| self.saying.role.iter().position(|(known, _)| *known == role);
        let mut args: Vec<(usize, String)> = Vec::new();
        for (name, value) in &step.args {
            let arg = tool.args.iter().find(|arg| arg.name == *name);
            let Some(arg) = arg.filter(|_| !told.contains(&name.as_str()) && name != PICK) else { continue };
            let at = arg.role.and_then(known).unwrap_or(usize::MAX);
            args.extend(self.argument(tool, step, arg, value).map(|said| (at, said)));
        }
        args.sort_by_key(|(at, _)| *at);
        for (_, said) in args {
            out.push(' ');
            out.push_str(&said);
        }
        out
    }

    /// The words for what a step does: those of its executor, or of its verb.
    fn template(&self, tool: &Tool, step: &Step) -> Option<&String> {
        let name = &tool.name;
        let plain = (name.qualifier().is_none() && name.descriptor().is_none())
            .then(|| manner(step).or_else(|| name.verb().map(|verb| verb.as_str())))
            .flatten()
            .filter(|_| name.object().is_some_and(|object| self.saying.things.contains_key(object.as_str())));
        self.saying.tool.get(name.as_str()).or_else(|| self.saying.verb.get(plain?))
    }

    /// Whether there are words for what a step does.
    fn knows(&self, step: &Step) -> bool {
        self.catalog.get(&step.tool).is_some_and(|tool| self.template(tool, step).is_some())
    }

    /// What is done, by the executor, by its verb, or by what it says of itself.
    fn head(&self, tool: &Tool, step: &Step, what: &What) -> String {
        let Some(template) = self.template(tool, step) else {
            let scope = tool.scope.get(self.language).or_else(|| tool.scope.values().next());
            let first =
                scope.map_or("", String::as_str).split(['.', ':', ';']).next().unwrap_or_default().trim();
            return if first.is_empty() { tool.name.as_str().replace('_', " ") } else { lower(first) };
        };
        let of = if what.given { format!(": {}", what.text) } else { String::new() };
        put(template, &[("what", &what.text), ("of", &of)])
    }

    /// What a step works on, and the arguments that said it.
    fn what<'s>(&self, tool: &Tool, step: &'s Step, told: &mut Vec<&'s str>) -> What {
        let of_role = |role: Role| {
            let arg = tool.arg(role)?;
            step.args.get_key_value(&arg.name)
        };
        if let Some((name, value)) = of_role(Role::Paths) {
            told.push(name);
            return What { text: self.value(value, &self.saying.and, false), given: true };
        }
        let piped =
            |key: &str| step.args.get(key).and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        if let Some(from) = piped("from_step") {
            let template = if step.args.contains_key(PICK) { &self.saying.one } else { &self.saying.found };
            return What { text: put(template, &[("things", &self.things_of(from))]), given: true };
        }
        if step.args.contains_key("from_turn") {
            let index = step.args.get("index").and_then(Value::as_i64);
            let template = if index.is_some() { &self.saying.nth } else { &self.saying.before };
            let n = index.unwrap_or_default().to_string();
            let things = self.things(tool);
            return What { text: put(template, &[("things", &things), ("n", &n)]), given: true };
        }
        let (text, args) = self.looked_for(tool, step);
        told.extend(args);
        What { text, given: false }
    }

    /// What a step looks for, by its kind or by the ending it names, and the arguments that said it.
    fn looked_for<'s>(&self, tool: &Tool, step: &'s Step) -> (String, Vec<&'s str>) {
        let of_role = |role: Role| {
            let arg = tool.arg(role)?;
            step.args.get_key_value(&arg.name)
        };
        if let Some((name, value)) = of_role(Role::Kind)
            && let Some(things) = value.as_str().and_then(|kind| self.saying.kind.get(kind))
        {
            return (things.clone(), vec![name]);
        }
        if let Some((name, value)) = of_role(Role::Patterns)
            && let Some([Value::String(one)]) = value.as_array().map(Vec::as_slice)
            && let Some(ext) = one.strip_prefix("*.").filter(|ext| ext.chars().all(char::is_alphanumeric))
        {
            return (put(&self.saying.ending, &[("ext", &ext.to_uppercase())]), vec![name]);
        }
        (self.things(tool), Vec::new())
    }

    /// What the list of a step holds.
    fn things_of(&self, step: usize) -> String {
        let Some(known) = step.checked_sub(1).and_then(|at| self.plan.steps.get(at)) else {
            return self.noun("entries");
        };
        let from = known.args.get("from_step").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
        let Some(tool) = self.catalog.get(&known.tool) else { return self.noun("entries") };
        match from {
            Some(from) if from < step && tool.keeps => self.things_of(from),
            _ => self.looked_for(tool, known).0,
        }
    }

    fn things(&self, tool: &Tool) -> String {
        self.noun(tool.name.object().map_or("entries", |object| object.as_str()))
    }

    fn noun(&self, object: &str) -> String {
        self.saying.things.get(object).cloned().unwrap_or_else(|| object.replace('_', " "))
    }

    /// One argument, in words; nothing where it says nothing.
    fn argument(&self, tool: &Tool, step: &Step, arg: &Arg, value: &Value) -> Option<String> {
        if value.is_null() || arg.default.as_ref() == Some(value) && arg.role != Some(Role::Place) {
            return None;
        }
        let words = arg.role.is_some_and(|role| WORDS.contains(&role)) || !arg.choices.is_empty();
        let name = arg.name.replace('_', " ");
        let Some(role) = arg.role else {
            let value = self.value(value, &self.saying.or, words);
            return Some(put(&self.saying.other, &[("name", &name), ("value", &value)]));
        };
        if let Value::Bool(yes) = value {
            let table = if *yes { &self.saying.yes } else { &self.saying.no };
            return table.get(&role).cloned().or_else(|| yes.then_some(name));
        }
        let of_size = matches!(role, Role::SizeMin | Role::SizeMax)
            || matches!(role, Role::WhereMin | Role::WhereMax | Role::WhereValue) && is_of_size(step);
        let value = match value.as_u64().filter(|_| of_size) {
            Some(bytes) => size(bytes),
            None => self.value(value, &self.saying.or, words),
        };
        let own = self.saying.said.get(tool.name.as_str()).and_then(|own| own.get(&role));
        let known = self.saying.role.iter().find(|(known, _)| *known == role).map(|(_, template)| template);
        Some(match own.or(known) {
            Some(template) => put(template, &[("value", &value)]),
            None => put(&self.saying.other, &[("name", &name), ("value", &value)]),
        })
    }

    /// A value, as it is read.
    fn value(&self, value: &Value, between: &str, words: bool) -> String {
        match value {
            Value::String(text) if words => {
                self.saying.word.get(text).cloned().unwrap_or_else(|| cut(&text.replace('_', " "), VALUE))
            }
            Value::String(text) if text == "~" => self.saying.home.clone(),
            Value::String(text) => {
                let text = text.strip_prefix("~/").unwrap_or(text);
                self.moment(text).unwrap_or_else(|| cut(&self.without_references(text), VALUE))
            }
            Value::Array(items) => {
                let said: Vec<String> =
                    items.iter().take(VALUES).map(|item| self.value(item, between, words)).collect();
                let list = match said.split_last() {
                    Some((last, [])) => last.clone(),
                    Some((last, rest)) if items.len() <= VALUES => {
                        format!("{}{between}{last}", rest.join(", "))
                    }
                    _ => said.join(", "),
                };
                match items.len().saturating_sub(VALUES) {
                    0 => list,
                    more => put(&self.saying.more, &[("list", &list), ("count", &more.to_string())]),
                }
            }
            Value::Object(map) => {
                let said = map.iter().map(|(name, value)| {
                    let (name, value) = (name.replace('_', " "), self.value(value, between, words));
                    put(&self.saying.other, &[("name", &name), ("value", &value)])
                });
                said.collect::<Vec<_>>().join(", ")
            }
            other => other.to_string(),
        }
    }

    /// `${step1.value}` and `${FILLER:a note}`, in words.
    fn without_references(&self, text: &str) -> String {
        let (mut out, mut rest) = (String::new(), text);
        while let Some((before, after)) = rest.split_once("${") {
            let Some((path, after)) = after.split_once('}') else { break };
            out.push_str(before);
            let step = path.strip_prefix("step").and_then(|rest| rest.split('.').next());
            match (path.split_once(':'), step) {
                (Some((_, what)), _) => out.push_str(what),
                (None, Some(n)) => out.push_str(&put(&self.saying.of_step, &[("n", n)])),
                (None, None) => out.push_str(&path.replace(['_', '.'], " ")),
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }

    /// `2026-11-01T14:30:00+01:00` as people say it; nothing for any other text.
    fn moment(&self, text: &str) -> Option<String> {
        let number = |range: std::ops::Range<usize>| text.get(range)?.parse::<usize>().ok();
        let (Some("-"), Some("-")) = (text.get(4..5), text.get(7..8)) else { return None };
        let (year, month, day) = (number(0..4)?, number(5..7)?, number(8..10)?);
        let month = self.saying.months.get(month.checked_sub(1)?)?;
        let (day, written) = (day.to_string(), year.to_string());
        let template = if self.year == Some(&written) { &self.saying.day } else { &self.saying.date };
        let date = put(template, &[("day", &day), ("month", month), ("year", &written)]);
        match text.get(10..16) {
            None => text.get(10..).filter(|rest| rest.is_empty()).map(|_| date),
            Some("T00:00") => Some(date),
            Some(time) if time.starts_with('T') => {
                Some(put(&self.saying.time, &[("date", &date), ("time", &time[1..])]))
            }
            Some(_) => None,
        }
    }
}

/// What a step works on.
struct What {
    text: String,
    /// Said by the step, not only by its executor.
    given: bool,
}

/// Whether a condition is one on sizes.
fn is_of_size(step: &Step) -> bool {
    step.args.get("where_field").and_then(Value::as_str).is_some_and(|field| field == "size")
}

/// `10 MB`.
fn size(bytes: u64) -> String {
    let (mut size, mut at) = (bytes as f64, 0);
    let units = ["B", "kB", "MB", "GB", "TB"];
    while size >= 999.95 && at + 1 < units.len() {
        (size, at) = (size / 1000.0, at + 1);
    }
    let figure = if size.fract().abs() < 0.05 { format!("{size:.0}") } else { format!("{size:.1}") };
    format!("{figure} {}", units[at])
}

fn upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

fn lower(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_lowercase().chain(letters).collect())
}

fn cut(text: &str, most: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
#[path = "says_tests.rs"]
mod tests;
