//! The parts of the judge. Each looks at one thing.

use super::{Arg, Facts, Judge, Part, thousandths};
use crate::text::{fill, one_part};

/// No value takes more of a sentence than this.
const SHOWN_MAX: usize = 60;

fn part(name: &str, score: f64, why: &str, values: &[(&str, &str)]) -> Part {
    Part { name: name.to_owned(), score: thousandths(score), why: fill(why, values) }
}

fn shown(arg: &Arg) -> String {
    one_part(&arg.value, SHOWN_MAX)
}

/// Path traversal shapes in any argument.
pub(super) fn path_shape(judge: &Judge, facts: &Facts) -> Part {
    let texts = judge.texts();
    match facts.args.iter().find(|arg| climbs(&arg.value)) {
        Some(arg) => {
            part("path_shape", judge.weight().path_shape, &texts.path_shape, &[("argument", &shown(arg))])
        }
        None => part("path_shape", 1.0, &texts.path_shape_fine, &[]),
    }
}

/// Whether a text holds a step up, also one written to slip past a reader: encoded, with the other
/// slash, with dots that only look like dots, or behind a byte that ends a name.
fn climbs(value: &str) -> bool {
    let mut plain = value.to_ascii_lowercase();
    // Twice, because what decodes once may be decoded again further on.
    for _ in 0..2 {
        plain = plain.replace("%25", "%").replace("%2e", ".").replace("%2f", "/").replace("%5c", "\\");
    }
    let plain =
        plain.replace(['\u{ff0e}', '\u{2024}'], ".").replace(['\u{ff0f}', '\u{2044}', '\u{2215}'], "/");
    let mut steps = plain.split(['/', '\\', '\n', '\r']).map(str::trim);
    plain.contains('\0') || plain.contains("%00") || steps.any(|step| step == "..")
}

/// How many items are deleted or moved. Above the cap there is always a question.
pub(super) fn mass_effect(judge: &Judge, facts: &Facts, cap: usize) -> Part {
    let texts = judge.texts();
    if (!facts.deletes && !facts.moves) || facts.items <= 1.min(cap) {
        return part("mass_effect", 1.0, &texts.mass_effect_fine, &[]);
    }
    let values = [("items", facts.items.to_string()), ("cap", cap.to_string())];
    let values = values.each_ref().map(|(name, value)| (*name, value.as_str()));
    if facts.items > cap {
        return part("mass_effect", 0.0, &texts.mass_effect, &values);
    }
    // One item is no mass.
    let share = facts.items.saturating_sub(1) as f64 / cap.max(1) as f64;
    part("mass_effect", 1.0 - (1.0 - judge.weight().mass_effect) * share, &texts.mass_effect_some, &values)
}

/// Somebody else's words in what leaves the house or is destroyed.
pub(super) fn tainted(judge: &Judge, facts: &Facts) -> Part {
    let texts = judge.texts();
    let sink = (facts.outbound && !facts.to_self) || facts.deletes;
    match facts.args.iter().find(|arg| sink && arg.is_tainted()) {
        Some(arg) => {
            let values = [("argument", &*shown(arg)), ("origin", judge.origin(arg.origin))];
            part("tainted", judge.weight().tainted, &texts.tainted, &values)
        }
        None => part("tainted", 1.0, &texts.tainted_fine, &[]),
    }
}

/// Acting at night. An hour no clock shows is all doubt.
pub(super) fn unusual_hour(judge: &Judge, facts: &Facts) -> Part {
    let texts = judge.texts();
    let hour = facts.hour.to_string();
    let score = match facts.hour {
        24.. => 0.0,
        hour if facts.acts() && judge.is_night(hour) => judge.weight().unusual_hour,
        _ => return part("unusual_hour", 1.0, &texts.unusual_hour_fine, &[]),
    };
    part("unusual_hour", score, &texts.unusual_hour, &[("hour", &hour)])
}

/// An executor that was never used before.
pub(super) fn never_used(judge: &Judge, facts: &Facts) -> Part {
    let (texts, weight) = (judge.texts(), judge.weight());
    let executor = one_part(&facts.executor, SHOWN_MAX);
    let values = [("executor", executor.as_str())];
    let doubt = if facts.acts() { weight.never_used } else { weight.never_used_reading };
    match facts.used_before {
        0 => part("never_used", doubt, &texts.never_used, &values),
        _ => part("never_used", 1.0, &texts.never_used_fine, &values),
    }
}

/// Arguments that the request does not explain.
pub(super) fn untraceable(judge: &Judge, facts: &Facts) -> Part {
    let (texts, weight) = (judge.texts(), judge.weight());
    if facts.request.is_none() {
        return part("untraceable", 1.0, &texts.untraceable_none, &[]);
    }
    let stray: Vec<&Arg> = facts.args.iter().filter(|arg| !arg.traceable).collect();
    match stray.first() {
        Some(arg) => {
            let floor = if facts.acts() { weight.untraceable } else { weight.untraceable_reading };
            let share = stray.len() as f64 / facts.args.len().max(1) as f64;
            let values = [("argument", &*shown(arg))];
            part("untraceable", 1.0 - (1.0 - floor) * share, &texts.untraceable, &values)
        }
        None => part("untraceable", 1.0, &texts.untraceable_fine, &[]),
    }
}

/// What cannot be undone.
pub(super) fn reversibility(judge: &Judge, facts: &Facts) -> Part {
    let texts = judge.texts();
    match facts.side_effects && !facts.reversible && !facts.to_self {
        true => part("reversibility", judge.weight().irreversible, &texts.irreversible, &[]),
        false => part("reversibility", 1.0, &texts.irreversible_fine, &[]),
    }
}

/// How lately the same act was approved.
pub(super) fn recency(judge: &Judge, facts: &Facts) -> Part {
    let (texts, weight) = (judge.texts(), judge.weight());
    let (fresh, fading) = judge.approval_days();
    let (score, why) = match facts.approved_days_ago {
        _ if !facts.acts() => (1.0, &texts.not_approved_fine),
        Some(days) if days <= fresh => (1.0, &texts.not_approved_fine),
        Some(days) if days <= fading => (weight.fading_approval, &texts.fading_approval),
        _ => (weight.not_approved, &texts.not_approved),
    };
    part("recency", score, why, &[])
}
