//! Which language a text is in, by the small words and letters that give it away.

use crate::numbers::words::data;
use metnos_executor::Failure;
use serde::Deserialize;
use std::collections::HashMap;

/// Words looked at; more do not change the answer.
const WORDS: usize = 2000;
/// What a mark weighs beside a word.
const MARK: f64 = 0.25;
/// The least evidence worth an answer.
const LEAST: f64 = 1.0;

#[derive(Deserialize)]
struct Row {
    code: String,
    words: String,
    marks: String,
}

#[derive(Deserialize)]
struct File {
    language: Vec<Row>,
}

struct Profile {
    code: String,
    marks: Vec<String>,
}

/// The languages that can be told apart.
pub(crate) struct Languages {
    profiles: Vec<Profile>,
    /// Which languages use a word, as positions in `profiles`.
    words: HashMap<String, Vec<usize>>,
}

impl Languages {
    /// The profiles that ship.
    pub(crate) fn load() -> Result<Self, Failure> {
        let file: File = data(include_str!("../../data/classify/language.toml"), "the language profiles")?;
        let mut languages = Self { profiles: Vec::new(), words: HashMap::new() };
        for (index, row) in file.language.into_iter().enumerate() {
            for word in row.words.split_whitespace() {
                languages.words.entry(word.to_owned()).or_default().push(index);
            }
            let marks = row.marks.split_whitespace().map(str::to_owned).collect();
            languages.profiles.push(Profile { code: row.code, marks });
        }
        Ok(languages)
    }

    /// Is `code` one of them?
    pub(crate) fn knows(&self, code: &str) -> bool {
        self.profiles.iter().any(|profile| profile.code == code)
    }

    /// The language among `allowed` (all when empty), how sure, and the words that said so. `None`
    /// when the text says too little or speaks for two languages alike.
    pub(crate) fn detect(&self, text: &str, allowed: &[String]) -> Option<(&str, f64, Vec<String>)> {
        let mut scores = vec![0.0f64; self.profiles.len()];
        let mut seen: Vec<Vec<String>> = vec![Vec::new(); self.profiles.len()];
        let words = text.split(|c: char| !c.is_alphabetic() && c != '\'').filter(|word| !word.is_empty());
        for word in words.take(WORDS) {
            let word = super::text::head(word, 64).to_lowercase();
            let plain = word.trim_matches('\'');
            if let Some(users) = self.words.get(plain) {
                // A word of many languages says less about each.
                let weight = 1.0 / users.len() as f64;
                for user in users {
                    if let (Some(score), Some(seen)) = (scores.get_mut(*user), seen.get_mut(*user)) {
                        *score += weight;
                        if seen.len() < 5 && !seen.iter().any(|known| known == plain) {
                            seen.push(plain.to_owned());
                        }
                    }
                }
            }
            let edged = format!("_{word}_");
            for (profile, score) in self.profiles.iter().zip(&mut scores) {
                let marks = profile.marks.iter().filter(|mark| edged.contains(mark.as_str())).count();
                *score += MARK * marks as f64;
            }
        }
        let mut ranked: Vec<(usize, f64)> = scores
            .into_iter()
            .enumerate()
            .filter(|(index, _)| {
                allowed.is_empty() || self.profiles.get(*index).is_some_and(|p| allowed.contains(&p.code))
            })
            .collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1));
        let (best, score) = ranked.first().copied()?;
        let total: f64 = ranked.iter().map(|(_, score)| score).sum();
        let second = ranked.get(1).map_or(0.0, |(_, score)| *score);
        if score < LEAST || score <= second * 1.1 {
            return None;
        }
        let why = seen.get(best).cloned().unwrap_or_default();
        Some((self.profiles.get(best)?.code.as_str(), (score / total * 100.0).round() / 100.0, why))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn tells_five_languages_apart() {
        let languages = Languages::load().unwrap();
        for (code, text) in [
            ("en", "Please find attached the invoice for last month."),
            ("en", "Meeting moved to Thursday"),
            ("it", "In allegato trovi la fattura del mese scorso, grazie."),
            ("it", "Riunione spostata a giovedì"),
            ("fr", "Veuillez trouver ci-joint la facture du mois dernier."),
            ("de", "Anbei finden Sie die Rechnung für den letzten Monat."),
            ("es", "Adjunto encontrará la factura del mes pasado."),
        ] {
            assert_eq!(languages.detect(text, &[]).map(|found| found.0), Some(code), "{text}");
        }
    }

    #[test]
    fn says_nothing_about_what_is_no_language() {
        let languages = Languages::load().unwrap();
        for text in ["", "12345 67", "xkcd", "\u{0}\u{1}", "日本語のテキスト"] {
            assert!(languages.detect(text, &[]).is_none(), "{text}");
        }
    }
}
