//! The words of the question, from one file a language.

use super::Again;
use super::read::PICK;
use crate::catalog::{Arg, Role, Tool, Type};
use crate::{Clock, Request};
use metnos_vocab::Class;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt::Write as _;

const FILE: &str = "plans.toml";

/// Earlier requests that are shown.
const EARLIER: usize = 3;
/// The longest description of an argument's words.
const CHOICES: usize = 12;

/// A file of prompts that cannot be read.
pub type PromptError = metnos_tongue::TextError;

/// The prompts of every language.
#[derive(Clone, Debug)]
pub(super) struct Prompts(BTreeMap<&'static str, Prompt>);

/// The prompts of one language.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Prompt {
    /// What the model is and must obey.
    system: String,
    /// The question, with slots.
    user: String,
    /// Earlier requests, with `{requests}`.
    earlier: String,
    /// After a plan that may not run, with `{why}`.
    invalid: String,
    /// After a plan that failed, with `{why}`.
    failed: String,
    /// From Monday.
    weekdays: [String; 7],
    /// Requests with their plans.
    example: Vec<Example>,
    /// How a request is put in plainer words.
    plain: Plain,
    /// How a text is composed.
    compose: Compose,
}

/// How a text is composed that a step needs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Compose {
    /// What the model is and must obey.
    system: String,
    /// The question, with `{request}` and `{what}`.
    user: String,
}

/// How a request is put in plainer words.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Plain {
    /// What the model is and must obey.
    system: String,
    /// The question, with `{request}`.
    user: String,
    /// Requests with their plainer ones.
    example: Vec<Example>,
}

/// A request and its plan, as an example.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Example {
    pub(super) request: String,
    pub(super) answer: String,
}

impl Prompts {
    pub(super) fn shipped() -> Result<Self, PromptError> {
        metnos_tongue::tables(FILE).map(|all| Self(all.into_iter().collect()))
    }

    /// Those of a language, or the English ones.
    pub(super) fn of(&self, language: &str) -> Option<&Prompt> {
        self.0.get(metnos_tongue::of(language).code)
    }

    #[cfg(test)]
    pub(super) fn all(&self) -> impl Iterator<Item = (&&'static str, &Prompt)> {
        self.0.iter()
    }
}

/// Orders, then examples.
fn with_examples(system: &str, examples: &[Example]) -> String {
    let mut text = system.trim_end().to_owned();
    for example in examples {
        // Writing to a text cannot fail.
        let _ = write!(text, "\n\n{}\n{}", example.request, example.answer);
    }
    text
}

impl Prompt {
    pub(super) fn system(&self) -> String {
        with_examples(&self.system, &self.example)
    }

    /// The question for a text.
    pub(super) fn compose(&self, request: &str, what: &str) -> (String, String) {
        let slots = [("request", one_line(request)), ("what", one_line(what))];
        (self.compose.system.trim_end().to_owned(), put(&self.compose.user, &slots))
    }

    /// The question for plainer words.
    pub(super) fn plainer(&self, request: &str) -> (String, String) {
        let user = put(&self.plain.user, &[("request", one_line(request))]);
        (with_examples(&self.plain.system, &self.plain.example), user)
    }

    pub(super) fn user(
        &self,
        request: &Request<'_>,
        clock: &Clock,
        (form, pool): (Form, &[&Tool]),
        language: &str,
        again: Option<Again<'_>>,
    ) -> String {
        let tools: Vec<String> = pool.iter().map(|tool| described(tool, form, language)).collect();
        let mut slots = self.dates(clock);
        slots.push(("tools", tools.join("\n")));
        slots.push(("earlier", self.earlier(request)));
        slots.push(("request", one_line(request.text)));
        let mut text = put(&self.user, &slots);
        let again = again.map(|again| match again {
            Again::Invalid(why) => put(&self.invalid, &[("why", one_line(why))]),
            Again::Failed(why) => put(&self.failed, &[("why", one_line(why))]),
        });
        if let Some(again) = again {
            text.push('\n');
            text.push_str(&again);
        }
        text
    }

    fn earlier(&self, request: &Request<'_>) -> String {
        let last = request.context.iter().rev().take(EARLIER).rev();
        let lines: Vec<String> = last.map(|text| format!("- {}", one_line(text))).collect();
        if lines.is_empty() { String::new() } else { put(&self.earlier, &[("requests", lines.join("\n"))]) }
    }

    /// Dates that a small model gets wrong when it has to count.
    fn dates(&self, clock: &Clock) -> Vec<(&'static str, String)> {
        use jiff::ToSpan;
        let today = clock.today();
        let back = |days: i64| today.checked_sub(days.days()).unwrap_or(today);
        let weekday = today.weekday().to_monday_zero_offset();
        let monday = back(weekday.into());
        let month = today.first_of_month();
        let day = self.weekdays.get(usize::try_from(weekday).unwrap_or(0)).cloned().unwrap_or_default();
        vec![
            ("now", clock.now().strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()),
            ("weekday", day),
            ("today", today.to_string()),
            ("yesterday", back(1).to_string()),
            ("tomorrow", back(-1).to_string()),
            ("week", monday.to_string()),
            ("last_week", back(i64::from(weekday) + 7).to_string()),
            ("month", month.to_string()),
            ("last_month", month.checked_sub(1.month()).unwrap_or(month).to_string()),
            ("year", today.first_of_year().to_string()),
        ]
    }
}

/// How much is said of an executor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// With the fields it gives.
    Long,
    /// With those of a list only.
    Short,
}

/// `name(argument: type, …) → fields: what it is for`.
fn described(tool: &Tool, form: Form, language: &str) -> String {
    let mut args: Vec<String> = Vec::new();
    if let Some(list) = tool.arg(Role::List) {
        args.push(if list.required { "from_step!".to_owned() } else { "from_step".to_owned() });
        if tool.class == Class::Changer {
            args.push(format!("{PICK}: one"));
        }
    }
    if tool.takes(Role::With) {
        args.push("with_step".to_owned());
    }
    args.extend(tool.args.iter().filter_map(argument));
    let told = if form == Form::Long || tool.pipes && !tool.keeps { CHOICES } else { 0 };
    let fields: Vec<&str> = tool.fields().take(told).collect();
    let gives = if fields.is_empty() { String::new() } else { format!(" -> {}", fields.join(",")) };
    let scope = tool.scope.get(language).or_else(|| tool.scope.values().next()).map_or("", String::as_str);
    format!("{}({}){gives}: {scope}", tool.name.as_str(), args.join(", "))
}

fn argument(arg: &Arg) -> Option<String> {
    if matches!(arg.role, Some(Role::List | Role::With)) {
        return None;
    }
    let must = if arg.required && arg.default.is_none() { "!" } else { "" };
    let kind = match arg.ty {
        _ if !arg.choices.is_empty() => {
            format!(
                ": {}",
                arg.choices.iter().take(CHOICES).map(String::as_str).collect::<Vec<_>>().join("|")
            )
        }
        Type::Text | Type::Mixed | Type::Record => String::new(),
        Type::Integer | Type::Number => ": 0".to_owned(),
        Type::Bool => ": true".to_owned(),
        Type::List if !arg.inside.is_empty() => {
            let inside: Vec<&str> = arg.inside.iter().map(|inner| inner.name.as_str()).collect();
            format!(": [{{{}}}]", inside.join(","))
        }
        Type::List => ": []".to_owned(),
    };
    Some(format!("{}{must}{kind}", arg.name))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// One pass, so that a value that looks like a slot stays what it is.
fn put(template: &str, values: &[(&str, String)]) -> String {
    let (mut out, mut rest) = (String::with_capacity(template.len()), template);
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let known = after.split_once('}').and_then(|(key, after)| {
            let (_, value) = values.iter().find(|(name, _)| *name == key)?;
            Some((value, after))
        });
        match known {
            Some((value, after)) => {
                out.push_str(value);
                rest = after;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use crate::propose::constrain;
    use crate::{Catalog, Lexicons};
    use metnos_shape::Constraint;

    #[test]
    fn every_example_is_a_plan_of_the_catalog() {
        let catalog = Catalog::shipped().unwrap();
        let all: Vec<&Tool> = catalog.tools().collect();
        let constraint = Constraint::new(constrain::plans(&all, true));
        for (language, prompt) in Prompts::shipped().unwrap().all() {
            assert!(!prompt.example.is_empty());
            for example in &prompt.example {
                let read = constraint.read(&example.answer);
                assert!(read.is_ok(), "{language}: {} {read:?}", example.request);
            }
        }
    }

    #[test]
    fn a_language_that_has_a_lexicon_has_prompts() {
        let prompts = Prompts::shipped().unwrap();
        for (language, _) in Lexicons::sources() {
            assert!(prompts.0.contains_key(*language), "{language}");
        }
    }

    #[test]
    fn dates_are_counted_for_the_model() {
        let clock = Clock::parse("2026-11-15T10:00:00+01:00", "Europe/Rome").unwrap();
        let prompts = Prompts::shipped().unwrap();
        let dates = prompts.of("en").unwrap().dates(&clock);
        for (name, date) in [
            ("yesterday", "2026-11-14"),
            ("tomorrow", "2026-11-16"),
            ("week", "2026-11-09"),
            ("last_week", "2026-11-02"),
            ("last_month", "2026-10-01"),
            ("year", "2026-01-01"),
        ] {
            assert!(dates.contains(&(name, date.to_owned())), "{name} {dates:?}");
        }
    }

    #[test]
    fn words_of_a_request_are_never_a_slot() {
        let put = put("{a} {b} {\"x\":1}", &[("a", "{b}".to_owned()), ("b", "2".to_owned())]);
        assert_eq!(put, "{b} 2 {\"x\":1}");
    }
}
