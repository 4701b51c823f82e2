//! The data of the judge: its weights and thresholds, and its words in each language.

use metnos_executor::Origin;
use serde::Deserialize;

const FILE: &str = include_str!("../../data/vaglio.toml");
/// What it says, in each language.
const WORDS: &str = "judge.toml";

/// Why the judge cannot be used. Without it every step with an effect asks.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The data file does not parse.
    #[error("the weights of the judge: {0}")]
    File(#[from] toml::de::Error),
    /// Its words do not parse.
    #[error(transparent)]
    Words(#[from] metnos_tongue::TextError),
    /// A number that makes no sense where it stands.
    #[error("the weights of the judge: {name} is {value}, expected {expected}")]
    Range {
        /// Which one.
        name: &'static str,
        /// What it is.
        value: f64,
        /// What it should be.
        expected: &'static str,
    },
}

/// The rule-based judge.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Judge {
    threshold: f64,
    items: usize,
    night: [u8; 2],
    fresh_days: u32,
    fading_days: u32,
    weight: Weights,
    #[serde(skip)]
    words: Words,
}

/// The words of the judge in one language.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    text: Texts,
    origin: Origins,
}

/// The same judge in every language it speaks.
#[derive(Clone, Debug)]
pub struct Judges {
    first: Judge,
    others: Vec<(&'static str, Judge)>,
}

impl Judges {
    /// The judge this program was built with.
    pub fn load() -> Result<Self, JudgeError> {
        let first = Judge::load()?;
        let all: Vec<(&'static str, Words)> = metnos_tongue::tables(WORDS)?;
        let others = all.into_iter().map(|(code, words)| (code, Judge { words, ..first.clone() })).collect();
        Ok(Self { first, others })
    }

    /// The one that speaks `language`, or English.
    pub fn of(&self, language: &str) -> &Judge {
        let code = metnos_tongue::of(language).code;
        self.others.iter().find(|(name, _)| *name == code).map_or(&self.first, |(_, judge)| judge)
    }
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Weights {
    pub(super) path_shape: f64,
    pub(super) mass_effect: f64,
    pub(super) tainted: f64,
    pub(super) unusual_hour: f64,
    pub(super) never_used: f64,
    pub(super) never_used_reading: f64,
    pub(super) untraceable: f64,
    pub(super) untraceable_reading: f64,
    pub(super) irreversible: f64,
    pub(super) not_approved: f64,
    pub(super) fading_approval: f64,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Texts {
    pub(super) path_shape: String,
    pub(super) path_shape_fine: String,
    pub(super) mass_effect: String,
    pub(super) mass_effect_some: String,
    pub(super) mass_effect_fine: String,
    pub(super) tainted: String,
    pub(super) tainted_fine: String,
    pub(super) unusual_hour: String,
    pub(super) unusual_hour_fine: String,
    pub(super) never_used: String,
    pub(super) never_used_fine: String,
    pub(super) untraceable: String,
    pub(super) untraceable_fine: String,
    pub(super) untraceable_none: String,
    pub(super) irreversible: String,
    pub(super) irreversible_fine: String,
    pub(super) not_approved: String,
    pub(super) fading_approval: String,
    pub(super) not_approved_fine: String,
    pub(super) model: String,
    pub(super) model_fine: String,
    pub(super) model_failed: String,
    pub(super) broken: String,
    pub(super) ask: String,
    pub(super) pass: String,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Origins {
    content: String,
    skill: String,
    mail: String,
    web: String,
}

impl Judge {
    /// The judge this program was built with.
    pub fn load() -> Result<Self, JudgeError> {
        Self::parse(FILE)
    }

    /// Reads and checks the text of a data file.
    pub fn parse(text: &str) -> Result<Self, JudgeError> {
        let mut judge: Self = toml::from_str(text)?;
        judge.words = metnos_tongue::table(metnos_tongue::FALLBACK, WORDS)?;
        let w = &judge.weight;
        let weights = [
            ("path_shape", w.path_shape),
            ("mass_effect", w.mass_effect),
            ("tainted", w.tainted),
            ("unusual_hour", w.unusual_hour),
            ("never_used", w.never_used),
            ("never_used_reading", w.never_used_reading),
            ("untraceable", w.untraceable),
            ("untraceable_reading", w.untraceable_reading),
            ("irreversible", w.irreversible),
            ("not_approved", w.not_approved),
            ("fading_approval", w.fading_approval),
            ("threshold", judge.threshold),
        ];
        if let Some((name, value)) = weights.into_iter().find(|(_, value)| !super::usable(*value)) {
            return Err(JudgeError::Range { name, value, expected: "0 to 1" });
        }
        if let Some(hour) = judge.night.into_iter().find(|hour| *hour > 24) {
            return Err(JudgeError::Range { name: "night", value: hour.into(), expected: "an hour" });
        }
        Ok(judge)
    }

    /// The same with another threshold, as configured. One out of range asks about everything.
    pub fn with_threshold(mut self, threshold: f64) -> Self {
        self.threshold = threshold;
        self
    }

    /// The same with another number of items that may be deleted or moved in one step.
    pub fn with_items(mut self, items: usize) -> Self {
        self.items = items;
        self
    }

    pub(super) fn threshold(&self) -> f64 {
        self.threshold
    }

    pub(super) fn items(&self) -> usize {
        self.items
    }

    pub(super) fn weight(&self) -> &Weights {
        &self.weight
    }

    pub(super) fn texts(&self) -> &Texts {
        &self.words.text
    }

    /// Whether `hour` is at night; a night may pass midnight.
    pub(super) fn is_night(&self, hour: u8) -> bool {
        let [from, to] = self.night;
        if from <= to { (from..to).contains(&hour) } else { hour >= from || hour < to }
    }

    pub(super) fn approval_days(&self) -> (u32, u32) {
        (self.fresh_days, self.fading_days)
    }

    /// The words for where a tainted value came from.
    pub(super) fn origin(&self, origin: Origin) -> &str {
        match origin {
            Origin::Skill => &self.words.origin.skill,
            Origin::Mail => &self.words.origin.mail,
            Origin::Web => &self.words.origin.web,
            Origin::User | Origin::Local | Origin::Content => &self.words.origin.content,
        }
    }
}
