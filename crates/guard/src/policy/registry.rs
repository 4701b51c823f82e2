//! The registry: the data file, checked.

use super::{Class, Decision, Level, Place, TargetKind};
use crate::text::line_of;
use metnos_executor::manifest::CAPABILITIES;
use serde::{Deserialize, Serialize};
use toml::Spanned;

const TABLE: &str = include_str!("../../data/policy.toml");
/// The row of core paths, which are denied before they get here.
const CORE: &str = "core";
/// The row of every capability that has none.
pub(super) const UNKNOWN: &str = "unknown";

/// Why the registry cannot be used. Without it nothing may run.
#[derive(Debug, thiserror::Error)]
pub enum PolicyError {
    /// The data file does not parse, lacks a field or holds an unknown word.
    #[error("the policy table: {0}")]
    File(#[from] toml::de::Error),
    /// A row that contradicts another, or itself.
    #[error("the policy table, line {line}, {row}: {problem}")]
    Row {
        /// Where it begins.
        line: usize,
        /// Its name.
        row: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A row that is not there.
    #[error("the policy table has no row for {0}")]
    Missing(String),
}

impl PolicyError {
    /// What to do next.
    pub fn hint(&self) -> &'static str {
        "the table is part of the program: install it again"
    }
}

/// One line of the policy table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Which capability.
    pub capability: String,
    /// For the capabilities on files: where.
    pub place: Option<Place>,
    /// True for what reaches only the person who asked.
    pub to_self: bool,
    /// What it means, after "Metnos wants".
    pub does: String,
    /// True when it can do harm.
    pub critical: bool,
    /// How often it asks.
    pub class: Class,
    /// What a grant of it is bound to.
    pub target: TargetKind,
    /// The decision at the level `read-only`.
    pub read_only: Decision,
    /// The decision at the level `supervised`.
    pub supervised: Decision,
    /// The decision at the level `full`.
    pub full: Decision,
}

impl Row {
    /// The titles of [`Row::cells`].
    pub const TITLES: [&'static str; 7] =
        ["capability", "critical", "class", "target", "ReadOnly", "Supervised", "Full"];

    /// Its readable name, such as `fs:write in the territory`.
    pub fn name(&self) -> String {
        match (self.place, self.to_self) {
            (Some(place), _) => format!("{} {}", self.capability, place.as_str()),
            (None, true) => format!("{} to oneself", self.capability),
            (None, false) => self.capability.clone(),
        }
    }

    /// The decision at `level`, before grants and rules.
    pub fn at(&self, level: Level) -> Decision {
        match level {
            Level::ReadOnly => self.read_only,
            Level::Supervised => self.supervised,
            Level::Full => self.full,
        }
    }

    /// Its columns, as people read them.
    pub fn cells(&self) -> [String; 7] {
        let critical = if self.critical { "yes" } else { "no" };
        [
            self.name(),
            critical.to_owned(),
            self.class.as_str().to_owned(),
            self.target.as_str().to_owned(),
            self.read_only.to_string(),
            self.supervised.to_string(),
            self.full.to_string(),
        ]
    }

    fn problem(&self) -> Option<&'static str> {
        let name = self.capability.as_str();
        let denies = self.full == Decision::Deny;
        let reserved = name == CORE || name == UNKNOWN;
        if !reserved && !CAPABILITIES.contains(&name) {
            Some("no such capability")
        } else if reserved && !denies {
            Some("nothing may allow it")
        } else if name.starts_with("fs:") != self.place.is_some() {
            Some("a place is for the capabilities on files, and they need one")
        } else if self.to_self && self.place.is_some() {
            Some("a file is not sent to anybody")
        } else if self.read_only < self.supervised || self.supervised < self.full {
            Some("a narrower level may not allow more than a wider one")
        } else if self.class == Class::Always && self.full == Decision::Allow {
            Some("what always asks may not be allowed")
        } else if self.does.trim().is_empty() {
            Some("it does not say what it does")
        } else {
            None
        }
    }
}

/// What a ruling says, by outcome.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Texts {
    pub(super) allow: String,
    pub(super) ask: String,
    pub(super) deny: String,
    pub(super) granted: String,
    pub(super) lasting: String,
    pub(super) never: String,
    pub(super) above: String,
    pub(super) unknown: String,
    pub(super) no_target: String,
}

/// The policy table.
#[derive(Debug)]
pub struct Registry {
    rows: Vec<Row>,
    unknown: Row,
    pub(super) texts: Texts,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    row: Vec<Spanned<Line>>,
    text: Texts,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    capability: Vec<String>,
    place: Option<Place>,
    #[serde(default)]
    to_self: bool,
    does: String,
    critical: bool,
    class: Class,
    target: TargetKind,
    read_only: Decision,
    supervised: Decision,
    full: Decision,
}

impl Registry {
    /// The table this program was built with.
    pub fn load() -> Result<Self, PolicyError> {
        Self::parse(TABLE)
    }

    /// Reads and checks the text of a table.
    pub fn parse(text: &str) -> Result<Self, PolicyError> {
        let file: File = toml::from_str(text)?;
        let mut rows: Vec<Row> = Vec::new();
        for spanned in file.row {
            let line = line_of(text, spanned.span().start);
            for row in spanned.into_inner().rows() {
                let twin = |other: &Row| key(other) == key(&row);
                let twice = rows.iter().any(twin).then_some("there is another row for it");
                if let Some(problem) = row.problem().or(twice) {
                    return Err(PolicyError::Row { line, row: row.name(), problem: problem.to_owned() });
                }
                rows.push(row);
            }
        }
        complete(&rows)?;
        let unknown = rows.iter().find(|row| row.capability == UNKNOWN).cloned();
        let unknown = unknown.ok_or_else(|| PolicyError::Missing(UNKNOWN.to_owned()))?;
        Ok(Self { rows, unknown, texts: file.text })
    }

    /// Every row, in the order of the data file.
    pub fn table(&self) -> &[Row] {
        &self.rows
    }

    /// The row that speaks of this, or the one that denies what nobody knows.
    pub fn row(&self, capability: &str, place: Option<Place>, to_self: bool) -> &Row {
        // A path nobody placed is ruled as the farthest.
        let place = capability.starts_with("fs:").then(|| place.unwrap_or(Place::Outside));
        let find = |to_self: bool| self.rows.iter().find(|row| key(row) == (capability, place, to_self));
        // What has no row of its own for oneself is ruled as if it went to anybody.
        let own = if to_self { find(true) } else { None };
        own.or_else(|| find(false)).unwrap_or(&self.unknown)
    }
}

impl Line {
    fn rows(self) -> impl Iterator<Item = Row> {
        let Self { capability, place, to_self, does, critical, class, target, read_only, supervised, full } =
            self;
        capability.into_iter().map(move |capability| Row {
            capability,
            place,
            to_self,
            does: does.clone(),
            critical,
            class,
            target,
            read_only,
            supervised,
            full,
        })
    }
}

fn key(row: &Row) -> (&str, Option<Place>, bool) {
    (&row.capability, row.place, row.to_self)
}

/// Every capability a manifest may declare has its rows.
fn complete(rows: &[Row]) -> Result<(), PolicyError> {
    for name in CAPABILITIES.into_iter().chain([CORE, UNKNOWN]) {
        let places = if name.starts_with("fs:") { Place::ALL.map(Some).to_vec() } else { vec![None] };
        for place in places {
            if !rows.iter().any(|row| key(row) == (name, place, false)) {
                let at = place.map_or(String::new(), |p| format!(" {}", p.as_str()));
                return Err(PolicyError::Missing(format!("{name}{at}")));
            }
        }
    }
    Ok(())
}
