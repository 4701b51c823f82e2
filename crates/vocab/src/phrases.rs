//! What this program says in English where it happens, said in another language where a person reads it.
//!
//! The phrases are data (`texts/phrases.txt` of a language): an English line with `{}` for each value, and below it the
//! same in the other language. Values stay as they are, unless they are phrases themselves. What the system says is
//! recognised by its number, not by its words.

use metnos_tongue::{FALLBACK, Tongue};
use std::collections::BTreeMap;
use std::sync::OnceLock;

const FILE: &str = "phrases.txt";
/// The number that stands for all that no line names.
const OTHERS: &str = "errno other";
/// How the standard library ends what the system said.
const SYSTEM: &str = " (os error ";
/// Values of values are looked at so deep.
const DEEP: u8 = 4;

/// One phrase: its fixed parts, and what it becomes.
struct Phrase {
    parts: Vec<&'static str>,
    says: &'static str,
    /// Letters that are fixed: the most telling phrase is taken.
    weight: usize,
}

struct Phrases {
    all: Vec<Phrase>,
    /// What a number of the system means.
    system: Vec<(u32, &'static str)>,
    /// What all others mean, with `{}` for the number.
    others: Option<&'static str>,
    /// What a class of failures is called.
    classes: Vec<(&'static str, &'static str)>,
}

fn of(language: &str) -> Option<&'static Phrases> {
    static READ: OnceLock<BTreeMap<&str, OnceLock<Option<Phrases>>>> = OnceLock::new();
    let all =
        READ.get_or_init(|| metnos_tongue::codes().into_iter().map(|code| (code, OnceLock::new())).collect());
    let tongue = metnos_tongue::known_as(language)?;
    all.get(tongue.code)?.get_or_init(|| of_tongue(tongue)).as_ref()
}

/// What is English already needs no phrases.
fn of_tongue(tongue: &Tongue) -> Option<Phrases> {
    let english = metnos_tongue::own(FALLBACK, FILE)?;
    metnos_tongue::own(tongue.code, FILE).filter(|text| *text != english).map(read)
}

fn read(text: &'static str) -> Phrases {
    let mut phrases = Phrases { all: Vec::new(), system: Vec::new(), others: None, classes: Vec::new() };
    let mut lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    while let (Some(known), Some(says)) = (lines.next(), lines.next()) {
        if known == OTHERS {
            phrases.others = Some(says);
        } else if let Some(number) = known.strip_prefix("errno ") {
            phrases.system.extend(number.split(' ').filter_map(|n| Some((n.parse().ok()?, says))));
        } else if let Some(class) = known.strip_prefix("class ") {
            phrases.classes.push((class, says));
        } else {
            let parts: Vec<&str> = known.split("{}").collect();
            let weight = parts.iter().map(|part| part.len()).sum();
            phrases.all.push(Phrase { parts, says, weight });
        }
    }
    phrases.all.sort_by_key(|phrase| std::cmp::Reverse(phrase.weight));
    phrases
}

/// A message in this language, if it is known how that is said there.
pub fn phrase(language: &str, message: &str) -> Option<String> {
    of(language)?.say(message, DEEP)
}

/// A message in this language; what nothing is known of stays as it is.
pub fn said_in(language: &str, message: &str) -> String {
    phrase(language, message).unwrap_or_else(|| message.to_owned())
}

/// The same for what failed with this class. What cannot be said otherwise is quoted after what it amounts to.
pub fn failed_in(language: &str, class: &str, message: &str) -> String {
    let Some(known) = of(language) else { return message.to_owned() };
    if let Some(said) = known.say(message, DEEP) {
        return said;
    }
    let found = known
        .classes
        .iter()
        .find(|(name, _)| *name == class)
        .filter(|_| reads_as_english_in(language, message));
    found.map_or_else(|| message.to_owned(), |(_, says)| format!("{says} («{message}»)"))
}

impl Phrases {
    fn say(&self, message: &str, deep: u8) -> Option<String> {
        if let Some((before, number)) = message.rsplit_once(SYSTEM)
            && let Ok(number) = number.trim_end_matches(')').parse::<u32>()
        {
            let says = self.system.iter().find(|(known, _)| *known == number).map(|(_, says)| *says);
            let says = match (says, self.others) {
                (Some(says), _) => says.to_owned(),
                (None, Some(others)) => put(others, &[number.to_string()]),
                (None, None) => return None,
            };
            let what = [": ", " → "].into_iter().find_map(|sign| Some((before.rsplit_once(sign)?.0, sign)));
            return Some(match what {
                Some((what, sign)) => format!("{}{sign}{says}", self.value(what, deep)),
                None => says,
            });
        }
        if message.contains('\n') {
            let lines: Vec<Option<String>> = message.lines().map(|line| self.say(line, deep)).collect();
            let said: Option<Vec<String>> = lines.into_iter().collect();
            return said.map(|lines| lines.join("\n"));
        }
        let found = self.all.iter().find_map(|phrase| Some((phrase, matched(&phrase.parts, message)?)));
        let Some((phrase, values)) = found else { return self.after_what(message, deep) };
        let values: Vec<String> = values.into_iter().map(|value| self.value(value, deep)).collect();
        Some(put(phrase.says, &values))
    }

    /// What is said of a thing that is named before it.
    fn after_what(&self, message: &str, deep: u8) -> Option<String> {
        let deeper = deep.checked_sub(1)?;
        let apart =
            message.match_indices(": ").map(|(at, sign)| (&message[..at], &message[at + sign.len()..]));
        let mut told = apart.filter_map(|(what, said)| Some((what, self.say(said, deeper)?)));
        told.next().map(|(what, said)| format!("{}: {said}", self.value(what, deeper)))
    }

    fn value(&self, value: &str, deep: u8) -> String {
        let said = if deep > 0 && value.contains(' ') { self.say(value, deep - 1) } else { None };
        said.unwrap_or_else(|| value.to_owned())
    }
}

/// The values between the fixed parts, if all of the text is made of them.
fn matched<'t>(parts: &[&str], text: &'t str) -> Option<Vec<&'t str>> {
    let (first, rest) = parts.split_first()?;
    let mut left = text.strip_prefix(first)?;
    let Some((last, middle)) = rest.split_last() else { return left.is_empty().then(Vec::new) };
    let mut values = Vec::new();
    for part in middle {
        let at = left.find(part)?;
        values.push(&left[..at]);
        left = &left[at + part.len()..];
    }
    values.push(left.strip_suffix(last)?);
    values.iter().all(|value| !value.is_empty()).then_some(values)
}

/// Puts values in order into `{}`, or where `{1}`, `{2}` … say.
fn put(template: &str, values: &[String]) -> String {
    let (mut out, mut rest, mut next) = (String::new(), template, 0);
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let Some((slot, after)) = after.split_once('}') else { break };
        let at = slot.parse::<usize>().map_or(next, |n| n.saturating_sub(1));
        next += usize::from(slot.is_empty());
        out.push_str(values.get(at).map_or("", String::as_str));
        rest = after;
    }
    out.push_str(rest);
    out
}

/// Words that only English sentences are made of.
const ENGLISH: [&str; 52] = [
    "the", "is", "are", "was", "were", "not", "of", "to", "with", "has", "have", "and", "cannot", "this",
    "that", "it", "its", "for", "from", "than", "more", "what", "which", "there", "nothing", "only", "here",
    "be", "been", "by", "or", "an", "at", "on", "does", "did", "could", "would", "must", "already", "these",
    "those", "they", "them", "your", "you", "when", "where", "but", "into", "out", "will",
];

/// Whether a text holds words that only English sentences have. What stands in quotes, and what is a name, a path or a
/// command, says nothing about the language.
pub fn reads_as_english(text: &str) -> bool {
    holds_english(text, &[])
}

/// The same among texts of a language that has some of these words too.
pub fn reads_as_english_in(language: &str, text: &str) -> bool {
    holds_english(text, &metnos_tongue::of(language).about.also_english)
}

fn holds_english(text: &str, besides: &[String]) -> bool {
    let mut quoted = false;
    let bare: String = text
        .chars()
        .filter_map(|c| match c {
            '“' | '«' => {
                quoted = true;
                None
            }
            '”' | '»' => {
                quoted = false;
                Some(' ')
            }
            c if quoted => {
                let _ = c;
                None
            }
            c => Some(c),
        })
        .collect();
    bare.split_whitespace().filter(|word| !word.contains(['/', '_', '=', '~', '`', '<', '[', '"'])).any(
        |word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            let small = word.to_lowercase();
            ENGLISH.contains(&small.as_str())
                && word.chars().any(char::is_lowercase)
                && !besides.contains(&small)
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phrase_is_said_with_its_values_and_in_no_english() {
        for tongue in metnos_tongue::all() {
            let Some(phrases) = of(tongue.code) else { continue };
            assert!(phrases.all.len() > 300, "{}", phrases.all.len());
            for phrase in &phrases.all {
                let text = phrase.parts.join("X9");
                let said = phrases.say(&text, 0).unwrap_or_default();
                let (wanted, got) = (phrase.parts.len() - 1, said.matches("X9").count());
                assert!(got == wanted || phrase.says.contains("{1}"), "{text}: {said}");
                assert!(!reads_as_english_in(tongue.code, &said), "{text}: {said}");
            }
        }
    }

    #[test]
    fn what_the_system_says_is_known_by_its_number() {
        let said = said_in("it", "/a b/c.txt: No such file or directory (os error 2)");
        assert_eq!(said, "/a b/c.txt: non esiste");
        assert_eq!(said_in("it", "x: anything at all (os error 28)"), "x: il disco è pieno");
        assert_eq!(said_in("en", "x: anything at all (os error 28)"), "x: anything at all (os error 28)");
    }

    #[test]
    fn values_stay_and_phrases_in_them_are_said_too() {
        assert_eq!(said_in("it", "/srv/the file is here is not there"), "/srv/the file is here non c'è");
        let unknown = "the quux of the frobnicator is bent";
        assert_eq!(failed_in("it", "internal", "tutto bene"), "tutto bene");
        assert!(failed_in("it", "internal", unknown).contains(&format!("«{unknown}»")));
        assert_eq!(failed_in("fr", "internal", unknown), unknown, "a language nobody taught it");
    }

    #[test]
    fn names_paths_and_quotes_are_of_no_language() {
        for text in [
            "/the/file of",
            "“this is it”",
            "metnos undo --list",
            "Trovati 3 file in Documents.",
            "«the end»",
        ] {
            assert!(!reads_as_english(&text.replace("file of", "file")), "{text}");
        }
        assert!(reads_as_english("Nothing was done.") && reads_as_english("x: it is not there"));
    }
}
