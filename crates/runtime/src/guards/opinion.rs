//! What an independent model thinks of a step that the rules and the policy would let through.
//!
//! It is asked only when one is bound to judge, only about a step of a turn (a direct call is its own
//! intent), and only when nobody is going to be asked anyway. It sees the request, the executor and its
//! arguments with every secret taken out; never what the one who planned was shown.

use crate::assist::frame;
use crate::call::turn_of;
use crate::guards::Asked;
use crate::minds::{Prompt, Role};
use crate::runtime::Runtime;
use crate::text::bounded;
use metnos_executor::Failure;
use metnos_guard::vaglio::Facts;
use serde_json::json;
use std::fmt::Write as _;

const TASK: &str = "prompts/judge.txt";
/// What each answer is worth.
const WORTH: [(&str, f64); 3] = [("asked", 1.0), ("unsure", 0.3), ("other", 0.0)];
/// The longest value that is shown.
const VALUE: usize = 200;

impl Runtime {
    /// A score between 0 and 1, why there is none, or nothing when nobody is bound to judge.
    pub(super) fn opinion(
        &self,
        asked: &Asked<'_>,
        facts: &Facts,
        stopped: &dyn Fn() -> bool,
    ) -> Option<Result<f64, Failure>> {
        let minds = self.minds().filter(|minds| minds.has(Role::Middle))?;
        let turn = asked.call_id.and_then(turn_of)?;
        let known = self.db.turn(turn).map_err(|e| Failure::internal(e.to_string())).transpose()?;
        Some(known.and_then(|turn| {
            let user = frame::framed(&told(&turn.request, facts), asked.lang);
            let shape = json!({
                "type": "object", "additionalProperties": false, "required": ["step"],
                "properties": { "step": { "type": "string", "enum": WORTH.map(|(word, _)| word) } },
            });
            let prompt = Prompt { system: metnos_tongue::text(asked.lang, TASK), user: &user };
            let answer = minds.ask(Role::Middle, &prompt, &shape, stopped).answer?;
            WORTH
                .into_iter()
                .find_map(|(word, worth)| (answer["step"] == word).then_some(worth))
                .ok_or_else(|| Failure::internal("the judge answered with something else"))
        }))
    }
}

fn told(request: &str, facts: &Facts) -> String {
    let mut text = format!("request: {request}\nstep: {}\n", facts.executor);
    for arg in &facts.args {
        // Writing to a text cannot fail.
        let _ = writeln!(text, "  {}: {}", arg.name, bounded(&arg.value, VALUE));
    }
    let undo = if facts.reversible { "yes" } else { "no" };
    let _ = writeln!(text, "items: {}\ncan be undone: {undo}", facts.items);
    text
}
