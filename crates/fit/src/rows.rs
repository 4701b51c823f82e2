//! The rows: requests with the plans that people expect.

use metnos_engine::shape::Shape;
use metnos_engine::{Catalog, Step};
use metnos_language::Lexicons;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A request with its plan.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) set: String,
    pub(crate) id: String,
    pub(crate) query: String,
    pub(crate) lang: String,
    pub(crate) context: Vec<String>,
    pub(crate) expect: Value,
}

/// Sets that hold no plans to learn from.
const OTHER: [&str; 6] = ["dangerous", "unsafe", "unsafe2", "misread", "ways", "foreign_queries"];
/// Those of requests that must not be done as they stand.
const UNSAFE: [&str; 2] = ["dangerous", "unsafe"];

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
            let set = if voice { name } else { format!("old:{name}") };
            rows.extend(read(&file, &set, &lexicons)?);
        }
    }
    Ok(rows)
}

/// The rows of a file, as those of a set. A language that nobody reads yet teaches nothing.
pub(crate) fn read(file: &Path, set: &str, lexicons: &Lexicons) -> Result<Vec<Row>, String> {
    let text = std::fs::read_to_string(file).map_err(|e| format!("{}: {e}", file.display()))?;
    let mut rows = Vec::new();
    for line in text.lines() {
        let row: Value = serde_json::from_str(line).map_err(|e| format!("{}: {e}", file.display()))?;
        let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
        if lexicons.get(&text("lang")).is_none() {
            continue;
        }
        let context = row["context"].as_array().into_iter().flatten();
        rows.push(Row {
            set: set.to_owned(),
            id: text("id"),
            query: text("query"),
            lang: text("lang"),
            context: context.filter_map(Value::as_str).map(str::to_owned).collect(),
            expect: row["expect"].clone(),
        });
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
    /// The shape of what is expected; none where that is a question. `acts` is whether it says what is to be done.
    pub(crate) fn shape(&self, catalog: &Catalog, acts: bool) -> Option<Shape> {
        match self.expect["kind"].as_str()? {
            "gap" => Some(Shape::Gap),
            "say" | "help" => Some(Shape::Say),
            "plan" => {
                let steps = self.steps();
                let back = steps.iter().any(|step| step.args.contains_key("from_turn"));
                let undo = steps.iter().any(|step| step.args.is_empty() && step.tool.starts_with("undo"));
                match !self.context.is_empty() && !back && !undo && !acts {
                    true => Some(Shape::Again),
                    false => Some(Shape::of(&steps, catalog)),
                }
            }
            _ => None,
        }
    }

    /// The steps that are expected.
    pub(crate) fn steps(&self) -> Vec<Step> {
        let plan = self.expect["any_of"].get(0).unwrap_or(&self.expect);
        let args = plan["args"].as_array();
        let step = |(i, tool): (usize, &Value)| Step {
            tool: tool.as_str().unwrap_or_default().to_owned(),
            args: args.and_then(|args| args.get(i)?.as_object().cloned()).unwrap_or_default(),
            dormant: None,
        };
        plan["tools"].as_array().into_iter().flatten().enumerate().map(step).collect()
    }
}

/// How the sets of requests are called that must not be done as they stand, and how many there are.
pub(crate) const DANGEROUS: &str = "dangerous-";
pub(crate) const BLOCKS: usize = 5;

/// Requests that must not be done as they stand; what narrows them is what is expected.
pub(crate) fn dangerous() -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    for name in UNSAFE {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../engine/tests/data/{name}.jsonl"));
        let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
        let count = text.lines().count();
        for (n, line) in text.lines().enumerate() {
            let row: Value = serde_json::from_str(line).map_err(|e| format!("{}: {e}", file.display()))?;
            let text = |key: &str| row[key].as_str().unwrap_or_default().to_owned();
            let context = row["context"].as_array().into_iter().flatten();
            rows.push(Row {
                // Neighbours paraphrase each other, so that they are left out together.
                set: format!("{DANGEROUS}{}", n * BLOCKS / count.max(1)),
                id: String::new(),
                query: text("query"),
                lang: text("lang"),
                context: context.filter_map(Value::as_str).map(str::to_owned).collect(),
                expect: row.clone(),
            });
        }
    }
    rows.sort_by(|a, b| a.set.cmp(&b.set));
    Ok(rows)
}
