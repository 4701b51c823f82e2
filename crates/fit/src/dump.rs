//! What is known of every reading of every row, for people who look for better weights.

use crate::learn::Teacher;
use crate::measure::answer;
use crate::rows::Row;
use crate::score::judge;
use metnos_engine::evidence::{Packed, Reader, Readings, Words, unheld};
use metnos_engine::{Answer, Planner, Request, Step};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Writes the readings of each row, with what speaks for and against them: what ranks and thresholds are looked for in.
pub(crate) fn dump(teacher: &Teacher<'_>, rows: &[Row], file: &str) -> Result<(), String> {
    let mut out = std::fs::File::create(file).map_err(|e| e.to_string())?;
    let mut sets: Vec<&str> = rows.iter().map(|row| row.set.as_str()).filter(|s| !s.contains(':')).collect();
    sets.dedup();
    let library = teacher.library(rows);
    for set in sets {
        let model = teacher.fit(&library, |row| row.set != set)?;
        for row in rows.iter().filter(|row| row.set == set) {
            dump_row(teacher, &model, row, &mut out)?;
        }
    }
    let model = teacher.fit(&library, |_| true)?;
    for row in crate::rows::dangerous()? {
        dump_row(teacher, &model, &row, &mut out)?;
    }
    Ok(())
}

fn dump_row(
    teacher: &Teacher<'_>,
    model: &Packed,
    row: &Row,
    out: &mut impl std::io::Write,
) -> Result<(), String> {
    let lexicons = metnos_engine::Lexicons::shipped().map_err(|e| e.to_string())?;
    let planner = Planner::new(teacher.catalog.clone(), lexicons).weighing(None);
    let reader = Reader::new(model, teacher.catalog);
    let last = teacher.last(row, &reader);
    let Some(said) = teacher.said(row, last.as_ref()) else { return Ok(()) };
    let candidates = reader.read(&said, last.as_ref(), &teacher.clock());
    let request = Request { text: &row.query, language: Some(&row.lang), context: &row.context };
    let (old, _) = planner.plan(&request, &teacher.clock());
    let doubted = match &old {
        Answer::Gap(gap) => gap.words.clone(),
        _ => Vec::new(),
    };
    let readings = Readings {
        said: &said,
        last: last.as_ref(),
        candidates: &candidates,
        weights: model,
        catalog: teacher.catalog,
        doubted: Some(&doubted),
    };
    let changes = |steps: &[Step]| steps.iter().any(|step| readings.is_changer(&step.tool));
    let old_answer = match &old {
        Answer::Plan(plan) => json!({"kind": "plan", "plan": {"steps": plan.steps}}),
        Answer::Ask(ask) => json!({"kind": "ask", "missing": ask.missing}),
        Answer::Help => json!({"kind": "say"}),
        other => json!({"kind": other.kind()}),
    };
    let old_steps = old_answer["plan"]["steps"].clone();
    let narrow = row.expect["narrow"].as_array().cloned().unwrap_or_default();
    let dangerous = row.set == "dangerous";
    let list: Vec<Value> = candidates
        .iter()
        .map(|c| {
            let steps = &c.built.steps;
            let lost = unheld(&said, c, &Words::of(c, model, |tool| readings.is_changer(tool)));
            let mut marks: BTreeMap<u32, u32> = BTreeMap::new();
            c.marks.iter().for_each(|mark| *marks.entry(*mark).or_default() += 1);
            let marks: Vec<Value> =
                marks.iter().map(|(mark, times)| json!([format!("{mark:x}"), times])).collect();
            let lost: Vec<Value> =
                lost.iter().map(|u| json!([u.word, u.narrows, u.open, u.beside])).collect();
            let plan = readings.plan(c).map(|(_, left_out)| format!("{left_out:?}"));
            let has = |pair: &Value| {
                steps.iter().any(|s| pair[0].as_str().is_some_and(|name| s.args.get(name) == Some(&pair[1])))
            };
            let right = if dangerous {
                !changes(steps) || !narrow.is_empty() && narrow.iter().all(has)
            } else {
                judge(&row.expect, &answer(c)).is_none()
            };
            json!({"t": c.traits.as_slice(), "m": marks, "r": right, "chance": c.chance,
                "s": c.shape.to_string(), "p": steps, "ask": c.built.ask.is_some(), "lost": lost,
                "plan": plan, "ch": changes(steps), "same": json!(steps) == old_steps})
        })
        .collect();
    let old_changes = matches!(&old, Answer::Plan(plan) if changes(&plan.steps));
    let line = json!({"set": row.set, "id": row.id, "q": row.query, "ctx": row.context,
        "kind": row.expect["kind"], "asked_change": changes(&row.steps()), "old": old_answer["kind"],
        "old_right": !dangerous && judge(&row.expect, &old_answer).is_none(), "old_ch": old_changes,
        "doubted": doubted, "c": list});
    writeln!(out, "{line}").map_err(|e| e.to_string())
}
