//! "ask me for my name and birthday": what somebody wants to be asked for, with the kind of each.
//!
//! The words are in `data/inputs/<language>.toml`. A request that says anything besides is not read here.

use super::{Answer, Explain, Plan, Planner, Reading, Step};
use crate::clock::Clock;
use crate::lexicon::Lexicon;
use crate::parse::{Clause, items};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

const SHIPPED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/inputs.rs"));
/// The most words of one field, and of what is answered with yes or no.
const WORDS: usize = 4;
const SENTENCE: usize = 8;
/// The most fields of one request.
const FIELDS: usize = 8;
/// What stands in no name of a field: such a request says more than what to ask for.
const MORE: [&str; 7] = ["day", "every", "weekday", "then", "clock", "neg", "pron"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    tool: String,
    polite: Vec<String>,
    openings: Vec<String>,
    bare: Vec<String>,
    whether: Vec<String>,
    choose: Vec<String>,
    choice: String,
    articles: Vec<String>,
    elided: Vec<String>,
    joiners: Vec<String>,
    not: Vec<String>,
    kind: Vec<Kind>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Kind {
    kind: String,
    words: Vec<String>,
}

/// The words of a language. A file that cannot be read is as if it were not there; a test reads them all.
fn words(language: &str) -> Option<&'static Words> {
    static ALL: OnceLock<Vec<(&str, Words)>> = OnceLock::new();
    let read = || {
        let one = |(language, text): &(&'static str, &str)| Some((*language, toml::from_str(text).ok()?));
        SHIPPED.iter().filter_map(one).collect()
    };
    ALL.get_or_init(read).iter().find(|(name, _)| *name == language).map(|(_, words)| words)
}

/// What is left of `text` after the longest of these beginnings.
fn after<'t>(text: &'t str, beginnings: &[String]) -> Option<&'t str> {
    let rest = |begin: &String| {
        let rest = text.strip_prefix(begin.as_str())?;
        rest.is_empty().then_some(rest).or_else(|| rest.strip_prefix([' ', ':'])).map(str::trim_start)
    };
    beginnings.iter().filter_map(rest).min_by_key(|rest| rest.len())
}

impl Words {
    fn is_article(&self, word: &str) -> bool {
        self.articles.iter().any(|article| article == word)
            || self.elided.iter().any(|begin| word.starts_with(begin.as_str()))
    }

    /// The parts of an enumeration, each without its articles.
    fn parts(&self, text: &str) -> Vec<String> {
        let mut parts = vec![Vec::new()];
        let text = text.replace(',', " , ");
        for word in text.split_whitespace() {
            let article = parts.last().is_some_and(Vec::is_empty) && self.is_article(word);
            let elided = self.elided.iter().find_map(|begin| word.strip_prefix(begin.as_str()));
            match word {
                _ if word == "," || self.joiners.iter().any(|joiner| joiner == word) => {
                    parts.push(Vec::new())
                }
                _ if article && elided.is_none() => {}
                _ => parts.last_mut().into_iter().for_each(|part| part.push(elided.unwrap_or(word))),
            }
        }
        parts.iter().filter(|part| !part.is_empty()).map(|part| part.join(" ")).collect()
    }

    fn kind(&self, name: &str) -> &str {
        let has = |kind: &&Kind| name.split(' ').any(|word| kind.words.iter().any(|known| known == word));
        self.kind.iter().find(has).map_or("text", |kind| kind.kind.as_str())
    }

    /// Whether nothing in these words says more than what a field is called.
    fn is_name(&self, name: &str, most: usize, lexicon: &Lexicon) -> bool {
        let said: Vec<&str> = name.split(' ').collect();
        let known = |word: &str| self.kind.iter().any(|kind| kind.words.iter().any(|known| known == word));
        let plain = |item: &crate::parse::Item| {
            known(&item.norm)
                || item.command().is_none() && MORE.iter().all(|category| item.sense(category).is_none())
        };
        (1..=most).contains(&said.len())
            && !said.iter().any(|word| self.not.iter().any(|not| not == word))
            && name.chars().all(|c| c.is_alphanumeric() || " '’-".contains(c))
            && items(name, lexicon).iter().all(plain)
    }

    fn fields(&self, text: &str, lexicon: &Lexicon) -> Option<Vec<Value>> {
        let name = |said: &str| said.replace(' ', "_");
        if let Some(rest) = after(text, &self.choose) {
            let options = self.parts(rest);
            let fits = options.len() > 1 && options.iter().all(|option| self.is_name(option, WORDS, lexicon));
            return fits.then(|| vec![json!({ "name": self.choice, "kind": "choice", "options": options })]);
        }
        if let Some(rest) = after(text, &self.whether) {
            let single = self.parts(rest).len() == 1;
            let count = rest.split(' ').count();
            let plain = !rest.split(' ').any(|word| self.not.iter().any(|not| not == word));
            return (single && plain && (2..=SENTENCE).contains(&count))
                .then(|| vec![json!({ "name": name(rest), "kind": "yes_no" })]);
        }
        let articled = |rest: &&str| rest.split(' ').next().is_some_and(|word| self.is_article(word));
        let rest = after(text, &self.openings).or_else(|| after(text, &self.bare).filter(articled))?;
        let parts = self.parts(rest);
        let fits = (1..=FIELDS).contains(&parts.len())
            && parts.iter().all(|part| self.is_name(part, WORDS, lexicon))
            && parts.iter().enumerate().all(|(n, part)| !parts[..n].contains(part));
        fits.then(|| {
            parts.iter().map(|part| json!({ "name": name(part), "kind": self.kind(part) })).collect()
        })
    }
}

/// The reading of a request that asks for questions and nothing else.
pub(super) fn read(planner: &Planner, lexicon: &Lexicon, text: &str) -> Option<Reading> {
    let words = words(&lexicon.language)?;
    let text = text.trim().trim_end_matches(['.', '!', '?', ' ']).to_lowercase();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let polite = words.polite.iter().fold(text.as_str(), |text, polite| {
        let text = text.strip_prefix(polite.as_str()).unwrap_or(text);
        text.strip_suffix(polite.as_str()).unwrap_or(text).trim_matches([' ', ','])
    });
    let tool = planner.catalog.get(&words.tool)?;
    let mut args = Map::new();
    args.insert("fields".to_owned(), Value::Array(words.fields(polite, lexicon)?));
    let step = Step { tool: words.tool.clone(), args, dormant: tool.dormant.clone() };
    let explain = Explain { language: lexicon.language.clone(), confidence: 1.0, ..Explain::default() };
    Some(Reading::said(Answer::Plan(Plan::of(vec![step])), explain))
}

impl Planner {
    /// The one day that these words name, as `2026-11-18`; nothing where they could mean several.
    pub fn day(&self, text: &str, language: &str, clock: &Clock) -> Option<String> {
        let lexicon = self.lexicons.get(language)?;
        let clause = Clause::new(items(text.trim(), lexicon), lexicon, &self.lexicons.senses, clock);
        let first = usize::from(clause.items.first().is_some_and(|i| lexicon.articles.contains(&i.norm)));
        let (days, end) = clause.days(first)?;
        let (from, to) = (days.from?, days.to?);
        let ahead = days.ahead.is_none_or(|ahead| ahead == (from, to));
        (end == clause.len() && ahead && from.tomorrow().ok()? == to).then(|| from.to_string())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn every_file_is_read() {
        assert_eq!(SHIPPED.len(), 2);
        assert!(SHIPPED.iter().all(|(language, _)| words(language).is_some()));
    }
}
