//! The rows: requests with the plans that people expect.

use metnos_engine::shape::Shape;
use metnos_engine::{Catalog, Step};
use metnos_language::{Feature, Lattice, Lexicons, Reading, features, mentions};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A request with its plan.
pub(crate) struct Row {
    pub(crate) set: String,
    pub(crate) id: String,
    pub(crate) query: String,
    lang: String,
    context: Vec<String>,
    expect: Value,
}

/// Sets that hold no plans to learn from.
const OTHER: [&str; 4] = ["dangerous", "misread", "ways", "foreign_queries"];

/// All rows, in a fixed order.
pub(crate) fn all() -> Result<Vec<Row>, String> {
    let engine = Path::new(env!("CARGO_MANIFEST_DIR")).join("../engine");
    let lexicons = Lexicons::shipped().map_err(|e| e.to_string())?;
    let mut rows = Vec::new();
    for (folder, voice) in [("data/rows", true), ("tests/data", false)] {
        for file in files(&engine.join(folder))? {
            let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if OTHER.contains(&name.as_str()) {
                continue;
            }
            let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            for line in text.lines() {
                let row: Value =
                    serde_json::from_str(line).map_err(|e| format!("{}: {e}", file.display()))?;
                let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
                // A language that nobody reads yet teaches nothing.
                if lexicons.get(&text("lang")).is_none() {
                    continue;
                }
                let context = row["context"].as_array().into_iter().flatten();
                rows.push(Row {
                    set: if voice { name.clone() } else { format!("old:{name}") },
                    id: text("id"),
                    query: text("query"),
                    lang: text("lang"),
                    context: context.filter_map(Value::as_str).map(str::to_owned).collect(),
                    expect: row["expect"].clone(),
                });
            }
        }
    }
    Ok(rows)
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let items = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<PathBuf> = items.flatten().map(|item| item.path()).collect();
    files.retain(|path| path.extension().is_some_and(|ext| ext == "jsonl"));
    files.sort();
    Ok(files)
}

impl Row {
    /// The shape of what is expected; none where that is a question.
    pub(crate) fn shape(&self, catalog: &Catalog) -> Option<Shape> {
        match self.expect["kind"].as_str()? {
            "gap" => Some(Shape::Gap),
            "say" | "help" => Some(Shape::Say),
            "plan" => {
                let plan = self.expect["any_of"].get(0).unwrap_or(&self.expect);
                let args = plan["args"].as_array();
                let step = |(i, tool): (usize, &Value)| Step {
                    tool: tool.as_str().unwrap_or_default().to_owned(),
                    args: args.and_then(|args| args.get(i)?.as_object().cloned()).unwrap_or_default(),
                    dormant: None,
                };
                let steps: Vec<Step> = plan["tools"].as_array()?.iter().enumerate().map(step).collect();
                Some(Shape::of(&steps, catalog))
            }
            _ => None,
        }
    }

    /// Its sentences, where it has several.
    pub(crate) fn sentences(&self) -> Vec<Row> {
        let ends = |c: char| matches!(c, '.' | '!' | '?' | ';' | '\n' | ':');
        let mut out = Vec::new();
        let (mut from, mut chars) = (0, self.query.char_indices().peekable());
        while let Some((at, c)) = chars.next() {
            let next = chars.peek().map(|(_, c)| *c);
            if ends(c) && next.is_none_or(char::is_whitespace) {
                out.push(&self.query[from..at + c.len_utf8()]);
                from = at + c.len_utf8();
            }
        }
        out.push(&self.query[from..]);
        out.retain(|part| part.split_whitespace().count() > 1);
        if out.len() < 2 {
            return Vec::new();
        }
        out.into_iter()
            .map(|part| Row {
                query: part.trim().to_owned(),
                set: self.set.clone(),
                id: self.id.clone(),
                lang: self.lang.clone(),
                context: self.context.clone(),
                expect: self.expect.clone(),
            })
            .collect()
    }

    /// What its words show.
    pub(crate) fn features(&self) -> Result<Vec<Feature>, String> {
        let lexicons = Lexicons::shipped().map_err(|e| e.to_string())?;
        let lexicon = lexicons.get(&self.lang).or_else(|| lexicons.iter().next()).ok_or("no lexicon")?;
        let read = |text: &str| {
            let lattice = Lattice::new(text, lexicon);
            let now = jiff::civil::datetime(2026, 11, 15, 10, 0, 0, 0);
            let found = mentions(Reading { request: text, lattice: &lattice, lexicon, now });
            features(&lattice, &found)
        };
        let mut all = read(&self.query);
        all.push((format!("after:{}", !self.context.is_empty()), 0.3));
        if let Some(before) = self.context.last() {
            all.extend(
                read(before).into_iter().map(|(name, strength)| (format!("before {name}"), strength * 0.5)),
            );
        }
        Ok(all)
    }
}
