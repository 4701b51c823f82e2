//! The sentences of the doors, one Fluent file a language. A language is a file, never a change of code.

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use metnos_executor::Failure;
use metnos_tongue::FALLBACK;
use std::sync::Arc;
use unic_langid::LanguageIdentifier;

const FILE: &str = "doors.ftl";

/// The sentences of every language.
#[derive(Clone)]
pub struct Words(Arc<Vec<(String, FluentBundle<FluentResource>)>>);

impl Words {
    /// Those of every language; the first is spoken to whoever has none.
    pub fn shipped() -> Result<Self, Failure> {
        let mut all = Vec::new();
        for tongue in metnos_tongue::all() {
            match bundle(tongue.code, metnos_tongue::own(tongue.code, FILE).unwrap_or_default()) {
                Ok(found) => all.push(found),
                // A broken folder says all in English; `metnos lang check` tells why.
                Err(_) if tongue.code != FALLBACK => all.push(bundle(tongue.code, "")?),
                Err(failure) => return Err(failure),
            }
        }
        Ok(Self(Arc::new(all)))
    }

    /// Why a text is no file of sentences.
    pub fn flaw(text: &str) -> Option<String> {
        bundle(FALLBACK, text).err().map(|failure| failure.message)
    }

    /// The languages there are.
    pub fn languages(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// Whether a message is a plain yes or a plain no, in any language.
    pub fn yes_or_no(&self, text: &str) -> Option<bool> {
        let is = |key: &str| self.means(text, key);
        match (is("words-yes"), is("words-no")) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// Whether a message says to go on, in any language; a plain yes does.
    pub(crate) fn go_on(&self, text: &str) -> bool {
        let is = |key: &str| self.means(text, key);
        is("words-on") || is("words-yes")
    }

    /// Whether a message asks for the details of a card, in any language.
    pub(crate) fn details(&self, text: &str) -> bool {
        self.means(text, "words-details")
    }

    /// Whether a message is one of the words that a sentence lists, in any language.
    fn means(&self, text: &str, key: &str) -> bool {
        let said = text.trim().trim_end_matches(['.', '!']).to_lowercase();
        (0..self.0.len())
            .map(|at| Speech { words: self.clone(), at }.t(key))
            .any(|list| list.split(',').any(|word| word.trim() == said))
    }

    /// Whether a line that was typed below a question is a yes or a no. A no may go on to say why, or what instead;
    /// a yes that goes on is none.
    pub fn answer(&self, text: &str) -> Option<bool> {
        let first = || text.split([',', ';', '.', '!', ' ']).next().and_then(|word| self.yes_or_no(word));
        self.yes_or_no(text).or_else(|| first().filter(|yes| !yes))
    }

    /// Somebody who speaks `language`, such as `it` or `it-CH`; else the first one there is.
    pub fn speak(&self, language: Option<&str>) -> Speech {
        let short = metnos_tongue::short(language.unwrap_or_default());
        let at = self.0.iter().position(|(name, _)| *name == short).unwrap_or(0);
        Speech { words: self.clone(), at }
    }
}

fn bundle(name: &str, text: &str) -> Result<(String, FluentBundle<FluentResource>), Failure> {
    let broken = |what: String| Failure::internal(format!("the sentences of {name}: {what}"));
    let resource =
        FluentResource::try_new(text.to_owned()).map_err(|(_, errors)| broken(format!("{errors:?}")))?;
    let language: LanguageIdentifier = name.parse().map_err(|e| broken(format!("{e:?}")))?;
    let mut bundle = FluentBundle::new_concurrent(vec![language]);
    // The marks around values are for texts of mixed direction; here they would end up in names that people copy.
    bundle.set_use_isolating(false);
    bundle.add_resource(resource).map_err(|errors| broken(format!("{errors:?}")))?;
    Ok((name.to_owned(), bundle))
}

/// Somebody who speaks one language.
#[derive(Clone)]
pub struct Speech {
    words: Words,
    at: usize,
}

impl Speech {
    /// Which one.
    pub fn language(&self) -> &str {
        self.words.0.get(self.at).map_or(FALLBACK, |(name, _)| name)
    }

    /// A number as it is written there, from one with a point.
    pub(crate) fn number(&self, plain: &str) -> String {
        plain.replace('.', &metnos_tongue::of(self.language()).about.decimal)
    }

    /// The name of a language; its code where it has none.
    pub(crate) fn language_named(&self, code: &str) -> String {
        metnos_tongue::known_as(code).map_or_else(|| code.to_owned(), |tongue| tongue.about.name.clone())
    }

    /// A sentence without values; its key where there is none.
    pub fn t(&self, key: &str) -> String {
        self.say(key, &[])
    }

    /// A sentence with values.
    pub fn say(&self, key: &str, values: &[(&str, &str)]) -> String {
        let mut args = FluentArgs::new();
        for (name, value) in values {
            let value = match value.parse::<i64>() {
                Ok(number) => FluentValue::from(number),
                Err(_) => FluentValue::from((*value).to_owned()),
            };
            args.set((*name).to_owned(), value);
        }
        // A language that lacks a sentence borrows it from the first.
        for at in [self.at, 0] {
            if let Some((_, bundle)) = self.words.0.get(at)
                && let Some(pattern) = bundle.get_message(key).and_then(|message| message.value())
            {
                return bundle.format_pattern(pattern, Some(&args), &mut Vec::new()).into_owned();
            }
        }
        key.to_owned()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_no_may_go_on_and_a_yes_may_not() {
        let words = Words::shipped().unwrap();
        for yes in ["ok", "Sure!", "go ahead", "va bene", "yes"] {
            assert_eq!(words.answer(yes), Some(true), "{yes}");
        }
        for no in ["cancel", "no, move it to Archive instead", "No grazie", "annulla", "no."] {
            assert_eq!(words.answer(no), Some(false), "{no}");
        }
        for unclear in ["yes, but not the first", "maybe", "", "ok?no"] {
            assert_eq!(words.answer(unclear), None, "{unclear}");
        }
    }
}
