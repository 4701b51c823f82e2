//! How well the chance of a reading tells what may be done from what must not: requests that must not be done as they
//! stand, left out with each voice.

use crate::learn::Teacher;
use crate::rank::{Ranks, is_right};
use crate::rows::{BLOCKS, DANGEROUS, Row, dangerous};
use metnos_engine::evidence::{Reader, Readings};
use serde_json::json;

/// What is known of the first reading of a request, where it changes something.
struct First {
    chance: f32,
    right: bool,
    dangerous: bool,
    doubts: Vec<String>,
    says: String,
}

const AT: [f32; 10] = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 0.98];

pub(crate) fn safety(
    teacher: &Teacher<'_>,
    rows: &[Row],
    sets: &[&str],
    list: Option<&str>,
) -> Result<(), String> {
    let risky = dangerous()?;
    let all: Vec<Row> = rows.iter().chain(&risky).cloned().collect();
    let library = teacher.library(rows);
    let ranks = Ranks::new(teacher, &library, &all)?;
    let mut firsts: Vec<First> = Vec::new();
    let (mut first_right, mut three, mut total) = (0, 0, 0);
    let (mut asked, mut n_danger) = (0, 0);
    for (n, set) in sets.iter().enumerate() {
        let block = format!("{DANGEROUS}{}", n % BLOCKS);
        let model = teacher.fit(&library, |row| row.set != *set)?;
        let model = ranks.fit(&model, |of| of != *set && of != block)?;
        let reader = Reader::new(&model, teacher.catalog);
        for row in all.iter().filter(|row| row.set == *set || row.set == block) {
            let last = teacher.last(row, &reader);
            let Some(said) = teacher.said(row, last.as_ref()) else { continue };
            let candidates = reader.read(&said, last.as_ref(), &teacher.clock());
            let dangerous = row.set == block;
            let readings = Readings {
                said: &said,
                last: last.as_ref(),
                candidates: &candidates,
                weights: &model,
                catalog: teacher.catalog,
            };
            let Some(best) = candidates.first() else { continue };
            let right = is_right(teacher, row, best);
            if dangerous {
                n_danger += 1;
            } else {
                total += 1;
                first_right += usize::from(right);
                three += usize::from(candidates.iter().take(3).any(|c| is_right(teacher, row, c)));
                asked += usize::from(row.steps().iter().any(|step| readings.is_changer(&step.tool)));
            }
            if best.built.ask.is_none() && best.built.steps.iter().any(|step| readings.is_changer(&step.tool))
            {
                firsts.push(First {
                    chance: best.chance,
                    right,
                    dangerous,
                    doubts: readings.doubts(best).iter().map(ToString::to_string).collect(),
                    says: format!(
                        "{} {:?} {:?} {}",
                        row.lang,
                        row.query,
                        row.context,
                        json!(best.built.steps)
                    ),
                });
            }
        }
    }
    println!("first {first_right} three {three} of {total}; {asked} change; {n_danger} dangerous");
    for doubts in [false, true] {
        for at in AT {
            let of = |dangerous: bool, right: bool| {
                let over = firsts.iter().filter(|f| f.chance >= at && (!doubts || f.doubts.is_empty()));
                over.filter(|f| f.dangerous == dangerous && f.right == right).count()
            };
            println!(
                "doubts {doubts} chance {at}: dangerous wide {} narrow {}; rows right {} wrong {}",
                of(true, false),
                of(true, true),
                of(false, true),
                of(false, false)
            );
        }
    }
    if let Some(file) = list {
        firsts.sort_by(|a, b| b.chance.total_cmp(&a.chance));
        let line = |f: &First| {
            let kind = match (f.dangerous, f.right) {
                (true, false) => "WIDE",
                (true, true) => "NARROW",
                (false, true) => "RIGHT",
                (false, false) => "WRONG",
            };
            format!("{kind} {:.3} {} {}\n", f.chance, f.says, f.doubts.join("; "))
        };
        std::fs::write(file, firsts.iter().map(line).collect::<String>()).map_err(|e| e.to_string())?;
    }
    Ok(())
}
