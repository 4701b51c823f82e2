//! Where plans are lost whose shape is known.

use crate::learn::Teacher;
use crate::measure::{answer, show_pairs};
use crate::rows::Row;
use crate::score::judge;
use metnos_engine::Step;
use metnos_engine::catalog::Role;
use metnos_engine::evidence::{Candidate, Given, Layout, Packed, Reader, flag, given, is_given};
use serde_json::json;
use std::fmt;

/// Where the plans of a set are lost: values that no mention gives, steps that are not built from the right values, and
/// values that go elsewhere; each with the shape that is expected.
pub(crate) fn losses(teacher: &Teacher<'_>, model: &Packed, rows: &[&Row], verbose: bool) -> Losses {
    let reader = Reader::new(model, teacher.catalog);
    let mut losses = Losses::default();
    for row in rows.iter().filter(|row| row.expect["kind"] == "plan") {
        let last = teacher.last(row, &reader);
        let Some(said) = teacher.said(row, last.as_ref()) else { continue };
        let acts =
            said.mentions.iter().any(|m| matches!(m.what, metnos_language::What::Act(_)) && m.cost == 0);
        let Some(shape) = row.shape(teacher.catalog, acts) else { continue };
        let Some(layout) = Layout::new(&shape, teacher.catalog) else { continue };
        losses.rows += 1;
        let steps = row.steps();
        let gold = given(&steps, teacher.catalog);
        let pairs = said.pairs(&layout, &teacher.clock());
        let slots = layout.slots();
        let missing: Vec<String> = gold
            .iter()
            .filter(|given| slots.contains(&given.slot) && wants_value(teacher, &steps, given))
            .filter(|given| {
                !pairs.iter().any(|(filled, _)| {
                    filled.slot == given.slot
                        && is_given(filled.slot, &filled.values, std::slice::from_ref(given))
                })
            })
            .map(|given| format!("{:?}={}", given.role, given.value))
            .collect();
        let (from_gold, assigned) = reader.with_shape(&shape, &said, last.as_ref(), &teacher.clock(), &gold);
        let right = |candidate: &Candidate| judge(&row.expect, &answer(candidate));
        let built = from_gold.as_ref().map_or_else(|| Some("nothing built".to_owned()), right);
        let kind = match assigned.iter().position(|candidate| right(candidate).is_none()) {
            Some(0) => {
                losses.right += 1;
                continue;
            }
            _ if !missing.is_empty() => {
                losses.mentions += 1;
                format!("MENTION {}", missing.join(" "))
            }
            _ if built.is_some() => {
                losses.building += 1;
                format!("BUILD {}", built.unwrap_or_default())
            }
            Some(_) => {
                losses.second += 1;
                "SECOND".to_owned()
            }
            None => {
                losses.assigning += 1;
                "ASSIGN".to_owned()
            }
        };
        if verbose {
            println!("  {kind}\n      {} {:?} {:?} {shape}", row.id, row.context, row.query);
            if let Some(best) = assigned.first() {
                println!("      got {}", answer(best));
            }
            println!("      want {}", json!(steps));
            if let Some(made) = from_gold.as_ref().filter(|_| kind.starts_with("BUILD")) {
                println!("      made {}", answer(made));
            }
            if !kind.starts_with("MENTION")
                && let Some(best) = assigned.first()
            {
                show_pairs(best, &said, model, teacher);
            }
        }
    }
    losses
}

/// Whether a value has to be said: no default, no decision of a word, no part of the shape.
fn wants_value(teacher: &Teacher<'_>, steps: &[Step], given: &Given) -> bool {
    // What is asked is in the shape; what follows from it is built.
    const NOT_SAID: [Role; 15] = [
        Role::Stat,
        Role::SetOp,
        Role::Aggregate,
        Role::Health,
        Role::Dimension,
        Role::TextOp,
        Role::LoadBy,
        Role::SpaceBy,
        Role::Order,
        Role::Key,
        Role::Task,
        Role::Times,
        Role::WriteFormat,
        Role::ArchiveFormat,
        Role::Negate,
    ];
    let fields = [
        "size", "mtime", "name", "date", "count", "kind", "ext", "month", "year", "sender", "from", "copy",
        "label",
    ];
    let follows = given.value == "~" || NOT_SAID.contains(&given.role);
    if follows || given.value.as_str().is_some_and(|text| fields.contains(&text)) {
        return false;
    }
    !steps.iter().any(|step| {
        teacher.catalog.get(&step.tool).is_some_and(|tool| {
            tool.args
                .iter()
                .flat_map(|arg| std::iter::once(arg).chain(&arg.inside))
                .any(|arg| arg.role == Some(given.role) && flag(tool, arg, &given.value).is_some())
        })
    })
}

/// How many plans are lost where.
#[derive(Default)]
pub(crate) struct Losses {
    pub(crate) rows: usize,
    pub(crate) right: usize,
    pub(crate) mentions: usize,
    pub(crate) building: usize,
    pub(crate) second: usize,
    pub(crate) assigning: usize,
}

impl fmt::Display for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { rows, right, mentions, building, second, assigning } = self;
        write!(
            f,
            "with the right shape: {right} of {rows} right; lost: {mentions} no mention, {building} built wrong, {second} second choice, {assigning} assigned wrong"
        )
    }
}
