//! The command line.

use crate::Done;
use std::path::PathBuf;

/// What was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The `metnos` to disturb; its host lies beside it.
    pub(crate) binary: PathBuf,
    /// Points of part one.
    pub(crate) kills: usize,
    /// Points of part two.
    pub(crate) forgetful: usize,
    /// Only this part or this case.
    pub(crate) only: Option<String>,
    pub(crate) seed: u64,
    /// What a disk keeps when any of it is synced.
    pub(crate) model: Model,
}

/// The two halves of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    /// Kills and failing system calls.
    Kills,
    /// Power losses.
    Forgetful,
}

impl Part {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Kills => "kills",
            Self::Forgetful => "forgetful",
        }
    }
}

/// How much a sync of one thing makes durable of others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Model {
    /// Nothing that was not asked for: names of that folder, content of that file.
    Strict,
    /// Every change of a name that came before, as ext4 and xfs commit their journals.
    Ordered,
}

impl Options {
    pub(crate) fn from_words(words: impl Iterator<Item = String>) -> Done<Self> {
        let mut options = Self {
            binary: "target/metnos/metnos".into(),
            kills: 2000,
            forgetful: 2000,
            only: None,
            seed: 1,
            model: Model::Strict,
        };
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or_else(|| format!("{word} wants a value"));
            let number = |text: String| text.parse().map_err(|e| format!("{text}: {e}"));
            match word.as_str() {
                "--kills" => options.kills = number(value()?)?,
                "--forgetful" => options.forgetful = number(value()?)?,
                "--seed" => options.seed = value()?.parse().map_err(|e| format!("--seed: {e}"))?,
                "--only" => options.only = Some(value()?),
                "--model" => {
                    options.model = match value()?.as_str() {
                        "strict" => Model::Strict,
                        "ordered" => Model::Ordered,
                        other => return Err(format!("--model {other}: strict or ordered")),
                    }
                }
                "--quick" => (options.kills, options.forgetful) = (60, 60),
                other if other.starts_with('-') => return Err(format!("{other} is not known")),
                path => options.binary = path.into(),
            }
        }
        Ok(options)
    }

    /// How many points of a part.
    pub(crate) fn points(&self, part: Part) -> usize {
        match part {
            Part::Kills => self.kills,
            Part::Forgetful => self.forgetful,
        }
    }

    /// True when `--only` names the other part.
    pub(crate) fn leaves_out(&self, part: Part) -> bool {
        let only = self.only.as_deref();
        [Part::Kills, Part::Forgetful].iter().any(|other| *other != part && only == Some(other.name()))
    }

    /// True when `--only` does not leave out this case.
    pub(crate) fn wants(&self, case: &str) -> bool {
        let part = |only: &str| [Part::Kills, Part::Forgetful].iter().any(|part| part.name() == only);
        self.only.as_deref().is_none_or(|only| only == case || part(only))
    }
}
