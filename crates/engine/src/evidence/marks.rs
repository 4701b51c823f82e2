//! What is particular about a reading: which kind of mention fills which slot, which is left out, what is asked.

use super::assign::{asks, is_known, kind};
use super::cover::{Unheld, word};
use super::{Candidate, Packed, Said};
use crate::catalog::Catalog;
use crate::shape::Shape;
use metnos_language::{Mention, What};
use metnos_vocab::Class;

/// The marks of a reading, each with how strongly it shows. `lost` is what it makes no use of.
pub fn marks(
    said: &Said,
    candidate: &Candidate,
    lost: &[Unheld],
    catalog: &Catalog,
    weights: &Packed,
) -> Vec<(String, f32)> {
    let mut out: Vec<(String, f32)> = Vec::new();
    let mut add = |name: String| match out.iter_mut().find(|(known, _)| *known == name) {
        Some((_, times)) => *times += 1.0,
        None => out.push((name, 1.0)),
    };
    let Candidate { shape, filled, built, .. } = candidate;
    if matches!(shape, Shape::Say | Shape::Gap) {
        return out;
    }
    let changes = built
        .steps
        .iter()
        .any(|step| catalog.get(&step.tool).is_none_or(|tool| tool.class == Class::Changer));
    let known = |m: &Mention| match &m.what {
        What::Place(path) => is_known(path, m, &said.lattice).to_string(),
        _ => String::new(),
    };
    let relation = |m: &Mention| m.relation.map_or("-", |relation| relation.name());
    for f in filled {
        let m = &said.mentions[f.mention];
        let (key, kind) = (f.slot.key(), kind(m));
        add(format!("fill {key} {kind}{}", known(m)));
        add(format!("fill {key} {kind}{} c{}", known(m), m.cost / 2));
        add(format!("fill {key} {kind} {}", relation(m)));
        add(format!("fill {key} {kind} {:?}", asks(m, &said.lattice, &said.mentions)));
        let level = if f.score > 0.5 {
            "sure"
        } else if f.score > -0.35 {
            "fits"
        } else {
            "left"
        };
        add(format!("fill {key} {level}"));
    }
    let overlaps = |a: &Mention, b: &Mention| a.from < b.to && b.from < a.to;
    let used = |m: &Mention| filled.iter().any(|f| overlaps(&said.mentions[f.mention], m));
    let mut dropped: Vec<(usize, String)> = Vec::new();
    for m in said.mentions.iter().filter(|m| !used(m) && m.cost < 8) {
        let better = said.mentions.iter().any(|o| overlaps(o, m) && o.cost < m.cost && word(o).is_none());
        if better
            || word(m).is_some() && !matches!(m.what, What::Operator(_) | What::Quantity(_) | What::Order(_))
        {
            continue;
        }
        let kind = match word(m) {
            Some(sense) => sense,
            None => format!("{}{}", kind(m), known(m)),
        };
        if dropped.iter().any(|(from, known)| *from == m.from && *known == kind) {
            continue;
        }
        dropped.push((m.from, kind.clone()));
        let asks = asks(m, &said.lattice, &said.mentions);
        add(format!("drop {kind} c{}", m.cost / 2));
        add(format!("drop {kind} {}", relation(m)));
        add(format!("drop {kind} {asks:?}"));
        add(format!("drop {kind} {changes}"));
    }
    for unheld in lost {
        let says = if unheld.key.contains(' ')
            && said.mentions.iter().any(|m| word(m).as_ref() == Some(&unheld.key))
        {
            unheld.key.as_str()
        } else {
            "word"
        };
        add(format!("lost {says} {} {} {}", unheld.narrows, unheld.open, unheld.beside));
        add(format!("lost {changes} {} {}", unheld.narrows, unheld.beside));
    }
    for part in shape.parts() {
        add(format!("part {}", part.tool));
        for (name, value) in &part.fixed {
            add(format!("part {name}={value}"));
        }
    }
    for step in &built.steps {
        let Some(tool) = catalog.get(&step.tool) else { continue };
        let said = said
            .mentions
            .iter()
            .filter(|m| m.cost < 4)
            .any(|m| word(m).is_some_and(|word| weights.is_spoken(tool.name.as_str(), &word)));
        add(format!("step {} {said}", step.tool));
        for (name, value) in &step.args {
            if value.is_boolean() || name.starts_with("where") {
                add(format!("arg {name} {}", value.is_boolean()));
            }
        }
    }
    add(format!("steps {}", built.steps.len()));
    if let Some(ask) = &built.ask {
        add(format!("ask {} {}", ask.tool, ask.missing.join(" ")));
        add(format!("ask {}", ask.missing.join(" ")));
    }
    out
}
