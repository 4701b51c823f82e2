//! Many requests at once: one JSON object a line in, one a line out. What `metnos plan --batch` prints.

use crate::{Answer, Clock, Explain, Planner, Request};
use serde::Deserialize;
use serde_json::{Value, json};

/// A line of a batch; other keys are ignored.
#[derive(Clone, Debug, Deserialize)]
pub struct Line {
    /// Whose answer it is.
    #[serde(default)]
    pub id: String,
    /// The request.
    pub query: String,
    /// Its language.
    #[serde(default)]
    pub lang: Option<String>,
    /// Earlier requests of the same conversation.
    #[serde(default)]
    pub context: Vec<String>,
}

/// The answer to one line, as it is printed.
pub fn line(planner: &Planner, line: &Line, clock: &Clock, explain: bool) -> Value {
    let request = Request { text: &line.query, language: line.lang.as_deref(), context: &line.context };
    let (answer, why) = planner.plan(&request, clock);
    let mut out = record(&line.id, &answer);
    if explain {
        out["explain"] = explained(&why);
    }
    out
}

/// `{"id","kind","plan","missing"}`; a gap says why.
pub fn record(id: &str, answer: &Answer) -> Value {
    match answer {
        Answer::Plan(plan) => json!({"id": id, "kind": "plan", "plan": plan, "missing": []}),
        Answer::Ask(ask) => {
            json!({"id": id, "kind": "ask", "plan": null, "missing": ask.missing, "tool": ask.tool})
        }
        Answer::Offer(offer) => {
            json!({"id": id, "kind": "offer", "plan": null, "missing": [], "offers": offer.offers})
        }
        Answer::Help => json!({"id": id, "kind": "help", "plan": null, "missing": []}),
        Answer::Say(what) => json!({"id": id, "kind": "say", "plan": null, "missing": [], "say": what}),
        Answer::Gap(gap) => json!({
            "id": id, "kind": "gap", "plan": null, "missing": [],
            "reason": gap.reason, "words": gap.words, "near": gap.near,
        }),
    }
}

fn explained(why: &Explain) -> Value {
    serde_json::to_value(why).unwrap_or(Value::Null)
}

/// Answers every line of `input`; a line that is not a request is an error with its number.
pub fn run(
    planner: &Planner,
    input: &str,
    clock: &Clock,
    language: Option<&str>,
    explain: bool,
) -> Result<Vec<Value>, String> {
    let mut out = Vec::new();
    for (n, text) in input.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
        let mut request: Line =
            serde_json::from_str(text).map_err(|error| format!("line {}: {error}", n + 1))?;
        if request.lang.is_none() {
            request.lang = language.map(str::to_owned);
        }
        out.push(line(planner, &request, clock, explain));
    }
    Ok(out)
}
