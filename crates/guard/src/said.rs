//! What is said beside the name of a credential: its value, which nobody should have to read again.

use crate::redact::RedactError;
use regex::{Regex, RegexSet};
use serde::Deserialize;
use std::ops::Range;
use std::sync::OnceLock;

const FILE: &str = "secrets.toml";
/// What a value is made of. A mark of what was replaced before is none.
const CHAR: &str = r#"[^\s"'“”«»\\,;(){}<>‹›]"#;
/// The same in a value that nothing announces: a name of a file is none.
const BARE: &str = r#"[^\s"'“”«»\\,;(){}<>‹›./:=]"#;
/// What no plain word has.
const SIGN: &str = "[0-9@#$%^&*+~_]";
/// Quotes, and how they are written inside JSON.
const OPENS: &str = r#"\\?["'“«]"#;
const CLOSES: &str = r#"\\?["'”»]"#;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Language {
    names: Vec<String>,
    numbers: Vec<String>,
    of: Vec<String>,
    is: Vec<String>,
}

/// Finds values that are said.
pub(crate) struct Said {
    /// The name of any credential: what holds none is not looked at further.
    named: Regex,
    languages: Vec<Language>,
}

/// How values are said, read when the first text names a credential: most processes never meet one.
static WAYS: OnceLock<Option<Ways>> = OnceLock::new();

struct Ways {
    /// Group 1 of each is the value.
    each: Vec<Regex>,
    any: RegexSet,
}

impl Said {
    pub(crate) fn load() -> Result<Self, RedactError> {
        let languages: Vec<Language> =
            metnos_tongue::tables(FILE)?.into_iter().map(|(_, said)| said).collect();
        let names: Vec<String> = languages.iter().flat_map(|language| language.names.clone()).collect();
        let wrong =
            |e: regex::Error| RedactError::Shape { name: "what is said".into(), reason: e.to_string() };
        let named = Regex::new(&format!("(?i){}", one_of(&names))).map_err(wrong)?;
        Ok(Self { named, languages })
    }

    /// Where values stand in `text`.
    pub(crate) fn in_text(&self, text: &str) -> Vec<Range<usize>> {
        if !self.named.is_match(text) {
            return Vec::new();
        }
        // Without them it cannot be told what is secret: then all of it is.
        let Some(ways) = WAYS.get_or_init(|| self.ways().ok()) else {
            return std::iter::once(0..text.len()).collect();
        };
        let found = ways.any.matches(text).into_iter().filter_map(|at| ways.each.get(at));
        let values = found.flat_map(|way| way.captures_iter(text).filter_map(|c| c.get(1)));
        values.map(|value| value.range()).collect()
    }

    fn ways(&self) -> Result<Ways, regex::Error> {
        let each: Vec<Regex> =
            self.languages.iter().flat_map(patterns).map(|way| Regex::new(&way)).collect::<Result<_, _>>()?;
        let any = RegexSet::new(each.iter().map(Regex::as_str))?;
        Ok(Ways { each, any })
    }
}

/// The ways in which a language says a value.
fn patterns(language: &Language) -> [String; 5] {
    let (names, numbers) = (one_of(&language.names), one_of(&language.numbers));
    let (of, is) = (one_of(&language.of), one_of(&language.is));
    let of = format!(r"(?:\s+{of}\s*(?:[^\s:=]+\s+){{0,3}}?[^\s:=]+)?");
    let says = format!(r"(?:\s+{is}(?:\s*:\s*|\s+)|\s*[:=]\s*)");
    // At least four, one of them no letter.
    let value = format!(
        "{CHAR}{{3,}}{SIGN}{CHAR}*|{CHAR}{{2}}{SIGN}{CHAR}+|{CHAR}{SIGN}{CHAR}{{2,}}|{SIGN}{CHAR}{{3,}}"
    );
    let mixed = format!("{BARE}*(?:[A-Za-z]{BARE}*[0-9]|[0-9]{BARE}*[A-Za-z]){BARE}*");
    let ends = r#"[.!?]?(?:[\s"\\,;]|$)"#;
    [
        format!("(?i){names}{of}{says}(?:{OPENS})?({value})"),
        format!("(?i){names}{of}{says}{OPENS}([^\"'“”«»\\\\]{{4,}}){CLOSES}"),
        format!(r"(?i){names}{of}\s*[:=]\s*({CHAR}{{6,}})"),
        format!(r"(?i){names}\s+({mixed}){ends}"),
        format!(r"(?i){numbers}\s+([0-9]{{4,}}){ends}"),
    ]
}

/// Any of these words, as words of their own; a blank may be a hyphen, and an apostrophe is written in two ways.
fn one_of(words: &[String]) -> String {
    let mut words: Vec<&String> = words.iter().collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let word = |word: &&String| {
        let plain = regex::escape(word).replace(' ', "[ -]").replace('\'', "['’]");
        if word.ends_with('\'') { format!(r"\b{plain}") } else { format!(r"\b{plain}\b") }
    };
    format!("(?:{})", words.iter().map(word).collect::<Vec<_>>().join("|"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn said(text: &str) -> Vec<&str> {
        let mut found: Vec<&str> =
            Said::load().unwrap().in_text(text).into_iter().map(|at| &text[at]).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn a_value_beside_the_name_of_a_credential_is_found() {
        for (text, value) in [
            ("my imap password is hunter2-xyz remember it", "hunter2-xyz"),
            ("the password for my mail account is: S3cret!", "S3cret!"),
            ("remember my PIN 4471", "4471"),
            ("password: correcthorse", "correcthorse"),
            ("use token abc123def please", "abc123def"),
            ("the passphrase is \"correct horse\"", "correct horse"),
            ("{\"text\":\"the passphrase is \\\"correct horse\\\"\"}", "correct horse"),
            ("la password di imap è hunter9-abc ricordala", "hunter9-abc"),
            ("la parola d’ordine del wifi di casa è Luna_piena", "Luna_piena"),
            ("la chiave dell'allarme e' 882211", "882211"),
            ("il PIN del bancomat è 4471", "4471"),
        ] {
            assert_eq!(said(text), [value], "{text}");
        }
    }

    #[test]
    fn ordinary_sentences_hold_none() {
        for text in [
            "find files that contain the word password in Documents",
            "the password file",
            "open the password file notes2024.txt",
            "the password is wrong",
            "what is the password of the router?",
            "rename password1.txt to a.txt",
            "move password 2024.pdf to Archive",
            "delete token-2024.txt",
            "find files named password in Documents",
            "find the 3 newest files that contain the word token",
            "my password is ‹secret:12345678›",
            "trova i file che contengono la parola chiave in Documenti",
            "la chiave è persa",
            "sposta i file con la parola password nel nome in Archivio2",
            "cerca pin nella cartella Foto",
        ] {
            assert!(said(text).is_empty(), "{text}: {:?}", said(text));
        }
    }
}
