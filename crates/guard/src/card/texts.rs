//! The words of the cards, one data file a language.

use crate::policy::Ruling;
use crate::text::fill;
use metnos_executor::Origin;
use serde::Deserialize;
use std::collections::BTreeMap;

const FILE: &str = "card.toml";

/// Why the cards have no words. Without them nobody can be asked.
#[derive(Debug, thiserror::Error)]
pub enum CardError {
    /// A data file does not parse.
    #[error(transparent)]
    File(#[from] metnos_tongue::TextError),
    /// There is no language to fall back on.
    #[error("the card texts hold no language")]
    Empty,
}

/// The words of every language.
#[derive(Clone, Debug)]
pub struct Texts {
    fallback: Lang,
    others: Vec<(&'static str, Lang)>,
}

impl Texts {
    /// The words this program was built with.
    pub fn load() -> Result<Self, CardError> {
        let mut langs: Vec<(&'static str, Lang)> = metnos_tongue::tables(FILE)?;
        for (language, lang) in &mut langs {
            lang.decimal.clone_from(&metnos_tongue::of(language).about.decimal);
        }
        let fallback = langs.first().map(|(_, lang)| lang.clone()).ok_or(CardError::Empty)?;
        Ok(Self { fallback, others: langs })
    }

    /// The words of `language`, such as `it` or `it-CH`; of English when there are none.
    pub fn lang(&self, language: &str) -> &Lang {
        let code = metnos_tongue::of(language).code;
        self.others.iter().find(|(name, _)| *name == code).map_or(&self.fallback, |(_, lang)| lang)
    }
}

/// The words of one language.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lang {
    /// What the language itself says, not the file.
    #[serde(skip)]
    decimal: String,
    pub(super) verb: BTreeMap<String, String>,
    pub(super) object: BTreeMap<String, [String; 2]>,
    pub(super) fixed: BTreeMap<String, String>,
    origin: Origins,
    /// By how the name of a capability goes on: where its files lie.
    #[serde(default)]
    place: BTreeMap<String, String>,
    /// By row of the policy: what it does. Where there is nothing, the policy's own words are said.
    #[serde(default)]
    pub(super) does: BTreeMap<String, String>,
    /// What a ruling says, by its sentence.
    #[serde(default)]
    ruling: BTreeMap<String, String>,
    /// By answer: the words for it, the shortest first.
    answer: BTreeMap<String, Vec<String>>,
    /// Sentences of their own, by what they are for.
    say: BTreeMap<String, String>,
    pub(super) text: Phrases,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Origins {
    user: String,
    local: String,
    content: String,
    skill: String,
    mail: String,
    web: String,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Phrases {
    pub(super) what: String,
    pub(super) what_counted: String,
    pub(super) what_other: String,
    pub(super) route: String,
    pub(super) to: String,
    pub(super) within: String,
    pub(super) quoted: String,
    pub(super) no_change: String,
    pub(super) contained: String,
    pub(super) reversible: String,
    pub(super) reversible_for: String,
    pub(super) irreversible: String,
    pub(super) permanent: String,
    pub(super) forced: String,
    pub(super) runs_code: String,
    pub(super) costs: String,
    pub(super) taken: String,
    pub(super) taken_one: String,
    pub(super) stay: String,
    pub(super) stay_one: String,
    pub(super) not_there: String,
    pub(super) not_there_one: String,
    pub(super) outside_sandbox: String,
    pub(super) lends: String,
    pub(super) frees_now: String,
    pub(super) frees_later: String,
    pub(super) capability: String,
    pub(super) and_more: String,
    pub(super) at_least: String,
    pub(super) grant_here: String,
    pub(super) grant_below: String,
    pub(super) grant_schedule: String,
    pub(super) tainted: String,
    pub(super) tainted_from: String,
}

impl Lang {
    /// A sentence, with its values put in.
    pub fn say(&self, key: &str, values: &[(&str, &str)]) -> String {
        fill(self.say.get(key).map_or(key, String::as_str), values)
    }

    /// Why the policy rules so, in these words.
    pub fn ruling(&self, ruling: &Ruling) -> String {
        let (Some(does), Some(template)) = (self.does.get(&ruling.row), self.ruling.get(&ruling.saying))
        else {
            return ruling.text.clone();
        };
        let about = ruling.about.as_str();
        let values = [("does", does.as_str()), ("level", ruling.level.as_str())];
        fill(template, &[&values[..], &["target", "rule", "capability"].map(|name| (name, about))].concat())
    }

    /// The name of a row of the policy: the capability, and where.
    pub(super) fn row(&self, row: &str) -> String {
        let placed =
            self.place.iter().find_map(|(place, said)| Some((row.strip_suffix(place.as_str())?, said)));
        placed.map_or_else(|| row.to_owned(), |(capability, said)| format!("{capability}{said}"))
    }

    /// The answer that a word stands for, by its name: `once`, `session`, `always`, `no`, `never`, `later`, `details`.
    pub fn answer(&self, word: &str) -> Option<&str> {
        let word = word.trim().to_lowercase();
        self.answer.iter().find(|(_, words)| words.contains(&word)).map(|(answer, _)| answer.as_str())
    }

    /// The words for where a value came from.
    pub(super) fn origin(&self, origin: Origin) -> &str {
        match origin {
            Origin::User => &self.origin.user,
            Origin::Local => &self.origin.local,
            Origin::Content => &self.origin.content,
            Origin::Skill => &self.origin.skill,
            Origin::Mail => &self.origin.mail,
            Origin::Web => &self.origin.web,
        }
    }

    /// A size as people write it, to one decimal.
    pub fn size(&self, bytes: u64) -> String {
        const UNITS: [(&str, u64); 4] =
            [("kB", 1_000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000)];
        if bytes < 1_000 {
            return format!("{bytes} B");
        }
        // To the nearest tenth; what would read as 1000 kB is 1 MB.
        let tenths = |scale: u64| bytes / (scale / 10) + u64::from(bytes % (scale / 10) >= scale / 20);
        let fits = UNITS.into_iter().find(|(_, scale)| tenths(*scale) < 10_000);
        let (unit, scale) = fits.unwrap_or(UNITS[UNITS.len() - 1]);
        let tenths = tenths(scale);
        match tenths % 10 {
            0 => format!("{} {unit}", tenths / 10),
            rest => format!("{}{}{rest} {unit}", tenths / 10, self.decimal),
        }
    }
}
