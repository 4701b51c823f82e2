//! Fields that a step needs from the person: asked one after the other, each answer checked, a bad one asked again.
//!
//! A secret is never asked for here: an answer is written into the log of the turn.

use crate::ending::{Messages, Status};
use crate::event::{Effect, Got};
use crate::machine::{Machine, State};
use metnos_engine::Clock;
use metnos_tongue::FALLBACK;
use serde::Deserialize;
use serde_json::Value;

/// The executor that asks.
pub(crate) const ASKS: &str = "get_inputs";
/// The argument that holds the answers; no plan can fill it.
const VALUES: &str = "values";
/// The longest answer.
const LONGEST: usize = 4000;

/// What a field takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// Any words.
    #[default]
    Text,
    /// What is given by a form of its own.
    Secret,
    /// A number.
    Number,
    /// One of the options.
    Choice,
    /// A day.
    Date,
    /// A file or folder.
    Path,
    /// Yes or no.
    YesNo,
}

impl Kind {
    /// The key of the sentence that says what is expected.
    fn expected(self) -> &'static str {
        match self {
            Self::Text | Self::Secret => "input_text",
            Self::Number => "input_number",
            Self::Choice => "input_choice",
            Self::Date => "input_date",
            Self::Path => "input_path",
            Self::YesNo => "input_yes_no",
        }
    }
}

/// One field.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(crate) struct Field {
    #[serde(default)]
    name: String,
    #[serde(default)]
    kind: Kind,
    #[serde(default)]
    prompt: String,
    #[serde(default)]
    options: Vec<String>,
}

/// The fields of the step that asks, and what was answered so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Inputs {
    fields: Vec<Field>,
    values: Vec<String>,
}

impl Inputs {
    fn next(&self) -> Option<&Field> {
        self.fields.get(self.values.len())
    }
}

impl Machine {
    /// The step, once everything it asks for was answered; until then the next question.
    pub(crate) fn asked_first(&self, state: &mut State, mut effect: Effect) -> Effect {
        let Effect::Invoke { tool, args, .. } = &mut effect else { return effect };
        if tool != ASKS {
            return effect;
        }
        let fields = args.get("fields").cloned().unwrap_or(Value::Array(Vec::new()));
        let fields: Vec<Field> = match serde_json::from_value(fields) {
            Ok(fields) => fields,
            Err(error) => return self.finish(state, Status::Failed, Some(format!("{ASKS}: {error}"))),
        };
        if let Some(why) = self.unaskable(&state.language, &fields) {
            // It is told of itself, not as what was left over.
            state.waiting = true;
            return self.finish(state, Status::Failed, Some(why));
        }
        let inputs = state.inputs.get_or_insert_with(Inputs::default);
        if inputs.fields != fields {
            *inputs = Inputs { fields, values: Vec::new() };
        }
        match inputs.next() {
            Some(field) => self.question_for(&state.language, field, None),
            None => {
                args.insert(VALUES.to_owned(), inputs.values.clone().into());
                effect
            }
        }
    }

    /// An answer to the field that was asked for.
    pub(crate) fn field_answered(&self, state: &mut State, text: &str) -> Effect {
        let Some((inputs, words)) = state.inputs.as_ref().zip(state.asked.as_ref()) else {
            return self.finish(state, Status::Failed, Some("an answer came to no question".into()));
        };
        let Some(field) = inputs.next() else {
            return self.finish(state, Status::Failed, Some("an answer came to no question".into()));
        };
        if self.messages.is_word("stop", text) {
            return self.finish(state, Status::Cancelled, None);
        }
        let clock = Clock::parse(&words.now, &words.zone).ok();
        match self.value(&state.language, field, text.trim(), clock.as_ref()) {
            None => self.question_for(&state.language, field, Some(text.trim())),
            Some(value) => {
                state.inputs.iter_mut().for_each(|inputs| inputs.values.push(value.clone()));
                self.invoke(state)
            }
        }
    }

    /// What was answered does not serve, which only the step itself could see: a path is asked for again.
    pub(crate) fn asked_again(&self, state: &mut State, got: &Got) -> Option<Effect> {
        let unfit = ["not_found", "wrong_args", "forbidden", "policy_violation"];
        let trouble = got.error.as_ref().filter(|e| unfit.contains(&e.class.as_str()))?;
        let inputs = state.inputs.as_mut()?;
        let at = inputs.fields.iter().position(|field| field.kind == Kind::Path)?;
        inputs.values.truncate(at);
        state.results.pop();
        let field = state.inputs.as_ref()?.next()?;
        let Effect::Ask { missing, text, choices } = self.question_for(&state.language, field, None) else {
            return None;
        };
        Some(Effect::Ask { missing, text: format!("{}\n{text}", trouble.message), choices })
    }

    /// Why these fields cannot be asked for.
    fn unaskable(&self, language: &str, fields: &[Field]) -> Option<String> {
        let named = |found: Option<&Field>, key: &str| {
            let name = found?.name.replace('_', " ");
            Some(self.messages.say(language, key, &[("name", &name)]))
        };
        let secret = fields.iter().find(|field| field.kind == Kind::Secret);
        let bare = fields.iter().find(|field| field.kind == Kind::Choice && field.options.is_empty());
        let nameless = fields.iter().find(|field| field.name.trim().is_empty());
        named(secret, "input_secret")
            .or_else(|| named(bare, "input_no_options"))
            .or_else(|| named(nameless, "input_no_name"))
    }

    fn question_for(&self, language: &str, field: &Field, wrong: Option<&str>) -> Effect {
        let name = field.name.replace('_', " ");
        let prompt = if field.prompt.trim().is_empty() { &name } else { field.prompt.trim() };
        let options = field.options.join(", ");
        let expected = self.messages.say(language, field.kind.expected(), &[("options", &options)]);
        let mut text = prompt.trim_end_matches(['?', ':', ' ']).to_owned();
        if let Some(first) = text.chars().next() {
            text.replace_range(..first.len_utf8(), &first.to_uppercase().to_string());
        }
        text.push('?');
        if !expected.is_empty() {
            text = format!("{text} ({expected})");
        }
        if wrong.is_some() {
            text = format!("{} {text}", self.messages.say(language, "input_wrong", &[]));
        }
        Effect::Ask { missing: vec![field.name.clone()], text, choices: Vec::new() }
    }

    /// The value of an answer, as it is handed on; nothing where it is none.
    fn value(&self, language: &str, field: &Field, text: &str, clock: Option<&Clock>) -> Option<String> {
        if text.is_empty() || text.len() > LONGEST || text.contains('\0') {
            return None;
        }
        match field.kind {
            Kind::Text | Kind::Path => Some(text.to_owned()),
            Kind::Secret => None,
            Kind::Number => number(text, language),
            Kind::Choice => {
                let same = |option: &&String| option.to_lowercase() == text.to_lowercase();
                let nth = || text.parse::<usize>().ok()?.checked_sub(1).and_then(|n| field.options.get(n));
                field.options.iter().find(same).or_else(nth).cloned()
            }
            // A language whose days are not read has those with figures.
            Kind::Date => {
                let day = |language: &str| self.planner().day(text, language, clock?);
                day(language).or_else(|| day(FALLBACK))
            }
            Kind::YesNo => match (self.messages.is_word("yes", text), self.messages.is_word("no", text)) {
                (true, false) => Some("true".to_owned()),
                (false, true) => Some("false".to_owned()),
                _ => None,
            },
        }
    }
}

/// A number with at most one mark in it. What another language reads as thousands is not guessed at.
fn number(text: &str, language: &str) -> Option<String> {
    let own = metnos_tongue::of(language).about.decimal.as_str();
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let sign = if text.starts_with('-') { "-" } else { "" };
    let all = |part: &str| !part.is_empty() && part.len() <= 15 && part.bytes().all(|b| b.is_ascii_digit());
    match digits.find(['.', ',']) {
        None => all(digits).then(|| format!("{sign}{digits}")),
        Some(at) => {
            let (whole, part) = (&digits[..at], &digits[at + 1..]);
            let thousands = !digits[at..].starts_with(own) && part.len() == 3;
            (all(whole) && all(part) && !thousands).then(|| format!("{sign}{whole}.{part}"))
        }
    }
}

impl Messages {
    /// Whether an answer is one of these words, in any language.
    fn is_word(&self, which: &str, text: &str) -> bool {
        let text = text.trim().trim_end_matches(['.', '!', ' ']).to_lowercase();
        self.words(which).any(|word| word == text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_read_only_where_it_can_mean_one_thing() {
        let read = |text: &str, language: &str| number(text, language);
        assert_eq!(read("42", "en").as_deref(), Some("42"));
        assert_eq!(read("-3,5", "it").as_deref(), Some("-3.5"));
        assert_eq!(read("3.5", "it").as_deref(), Some("3.5"));
        assert_eq!(read("1,234", "it").as_deref(), Some("1.234"));
        for (unclear, language) in
            [("1,234", "en"), ("1.234", "it"), ("1.2.3", "en"), ("x", "en"), (".", "en")]
        {
            assert_eq!(read(unclear, language), None, "{unclear}");
        }
    }
}
