//! Deciding: from the table, the level, the grants and the rules to one ruling.

use super::registry::UNKNOWN;
use super::rule::Reach;
use super::{Ask, Class, Decision, Grant, Level, Registry, Row, Rule, Target, TargetKind};
use crate::text::{fill, one_line, one_part};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// Nothing that came from outside takes more of a sentence than this.
const SHOWN_MAX: usize = 80;

/// A decision and everything that explains it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ruling {
    /// What was decided.
    pub decision: Decision,
    /// The row of the table that spoke.
    pub row: String,
    /// The level of the session.
    pub level: Level,
    /// How often that row asks.
    pub class: Class,
    /// Whether that row can do harm.
    pub critical: bool,
    /// The grant that lifted a question.
    pub grant: Option<String>,
    /// The rule that forbade it, or that made it a question.
    pub rule: Option<String>,
    /// Which sentence says why.
    #[serde(default)]
    pub saying: String,
    /// What that sentence is about, besides the row: the target of a grant, the text of a rule, a capability.
    #[serde(default)]
    pub about: String,
    /// Why, in one sentence for the person.
    pub text: String,
}

impl Registry {
    /// Decides about `ask`. In this order: a capability nobody knows or a target that is missing is
    /// denied; a rule in force denies; the table answers; a grant lifts a question of the class
    /// `target`; in `full` what lasts still asks; and so does what can reach into a rule.
    pub fn decide(
        &self,
        level: Level,
        ask: &Ask<'_>,
        grants: &[Grant],
        rules: &[Rule],
        now: Timestamp,
        session: &str,
    ) -> Ruling {
        let row = self.row(ask.capability, ask.place, ask.to_self);
        let (cell, texts) = (row.at(level), &self.texts);
        let rule = |reach: Reach| rules.iter().find(|rule| rule.reach(ask, now) == Some(reach));
        let say = |decision: Decision, saying: (&str, &str), by: By<'_>| {
            by.ruling(decision, row, level, ask, saying)
        };

        if row.capability == UNKNOWN {
            return say(Decision::Deny, ("unknown", &texts.unknown), By::Table);
        }
        if !fits(row, ask) {
            return say(Decision::Deny, ("no_target", &texts.no_target), By::Table);
        }
        if let Some(rule) = rule(Reach::Hit) {
            return say(Decision::Deny, ("never", &texts.never), By::Rule(rule));
        }
        if cell == Decision::Deny {
            return say(Decision::Deny, ("deny", &texts.deny), By::Table);
        }
        if let Some(rule) = rule(Reach::Above) {
            return say(Decision::Ask, ("above", &texts.above), By::Rule(rule));
        }
        // What reaches only the person who asked leaves nothing with anybody else.
        if level == Level::Full && ask.is_lasting() && !row.to_self {
            return say(Decision::Ask, ("lasting", &texts.lasting), By::Table);
        }
        if cell == Decision::Allow {
            return say(Decision::Allow, ("allow", &texts.allow), By::Table);
        }
        let lifted =
            grants.iter().find(|grant| row.class == Class::Target && grant.covers(ask, now, session));
        match lifted {
            Some(grant) => say(Decision::Allow, ("granted", &texts.granted), By::Grant(grant)),
            None => say(Decision::Ask, ("ask", &texts.ask), By::Table),
        }
    }
}

/// Who had the last word.
enum By<'a> {
    Table,
    Grant(&'a Grant),
    Rule(&'a Rule),
}

impl By<'_> {
    fn ruling(
        self,
        decision: Decision,
        row: &Row,
        level: Level,
        ask: &Ask<'_>,
        (saying, template): (&str, &str),
    ) -> Ruling {
        let shown = |text: &str| one_line(text, SHOWN_MAX);
        let (grant, rule) = match self {
            Self::Table => (None, None),
            Self::Grant(grant) => (Some(grant), None),
            Self::Rule(rule) => (None, Some(rule)),
        };
        let target = grant.map_or(String::new(), |grant| one_part(&grant.target, SHOWN_MAX));
        let forbidden = rule.map_or(String::new(), |rule| shown(&rule.text));
        let capability = shown(ask.capability);
        let forbidden = forbidden.trim_end_matches('.');
        let about = [target.as_str(), forbidden, &capability].into_iter().find(|text| !text.is_empty());
        let values = [
            ("does", row.does.as_str()),
            ("level", level.as_str()),
            ("capability", &capability),
            ("target", &target),
            ("rule", forbidden),
        ];
        Ruling {
            decision,
            row: row.name(),
            level,
            class: row.class,
            critical: row.critical,
            grant: grant.map(|grant| grant.id.clone()),
            rule: rule.map(|rule| rule.id.clone()),
            saying: saying.to_owned(),
            about: about.unwrap_or_default().to_owned(),
            text: fill(template, &values),
        }
    }
}

/// Whether the ask says on what. A path, where it lies and a host must be named; an exact text may
/// be absent, and then no grant covers it.
fn fits(row: &Row, ask: &Ask<'_>) -> bool {
    match row.target {
        TargetKind::Path => matches!(ask.target, Target::Path(_)) && ask.place.is_some(),
        TargetKind::Host => matches!(ask.target, Target::Host(host) if !host.is_empty()),
        TargetKind::Exact => matches!(ask.target, Target::Exact(_) | Target::None),
        TargetKind::None => true,
    }
}

/// The ruling of a step that needs several: the strictest. Of equally strict ones the more critical,
/// then the one that comes first by name, so that their order does not matter. None of none: a step
/// nobody ruled about has no permission.
pub fn strictest(rulings: impl IntoIterator<Item = Ruling>) -> Option<Ruling> {
    rulings.into_iter().reduce(|a, b| if weight(&b) > weight(&a) { b } else { a })
}

type Weight<'a> =
    (Decision, Option<&'a str>, bool, Class, (std::cmp::Reverse<&'a str>, Level, Option<&'a str>, &'a str));

fn weight(ruling: &Ruling) -> Weight<'_> {
    let Ruling { decision, row, level, class, critical, grant, rule, text, .. } = ruling;
    let rest = (std::cmp::Reverse(row.as_str()), *level, grant.as_deref(), text.as_str());
    (*decision, rule.as_deref(), *critical, *class, rest)
}
