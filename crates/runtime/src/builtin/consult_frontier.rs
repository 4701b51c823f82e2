//! `consult_frontier`: one question to the best model there is, with the text of a list if one is given.
//!
//! Only where somebody bound that role, and never without a card: it shows what leaves the house and
//! where it goes, at every level, each time. What comes back is somebody else's words.

use super::plan::Work;
use super::{Builtin, Need, Plan, Report, Wish};
use crate::assist::{Asked, frame};
use crate::minds::{Minds, Prompt, Role, how_to_bind};
use crate::runtime::Runtime;
use crate::text::bounded;
use metnos_executor::{ErrorClass, Failure, ListName, Origin, Outcome};
use metnos_guard::card::Effect;
use serde_json::{Map, Value, json};

const TASK: &str = "prompts/frontier.txt";
/// Bytes of text that may go along.
const BYTES: usize = 64 << 10;
/// Letters of the question on the card.
const SHOWN: usize = 300;

pub(super) const BUILTIN: Builtin = Builtin {
    name: "consult_frontier",
    schema: include_str!("consult_frontier.json"),
    pattern: "consult_frontier(question=\"…\")",
    out: "entries=[{text}]",
    changes: false,
    needs: Some(Need::Model(Role::Frontier)),
    list: true,
    plan,
};

fn plan(runtime: &Runtime, wish: &Wish<'_>) -> Result<Plan, Failure> {
    let tiers = runtime.tiers();
    let Some(tier) = tiers.of(metnos_llm::Role::Frontier) else {
        return Err(Failure::new(ErrorClass::DependencyMissing, "no frontier model is bound")
            .with_hint(how_to_bind(Role::Frontier)));
    };
    let (question, lang) = (wish.text("question").to_owned(), wish.lang.to_owned());
    let (attached, count) = texts(wish.entries.unwrap_or_default());
    if attached.len() > BYTES {
        return Err(Failure::wrong_args(format!(
            "the list holds {} bytes of text, and {BYTES} may leave the house at once",
            attached.len()
        )));
    }
    let leaves = match count {
        0 => String::new(),
        _ => format!(", with {} bytes of text of {count} entries,", attached.len()),
    };
    let shown = bounded(&runtime.told(&question), SHOWN);
    let quoted = metnos_executor::shown::part(&shown);
    let always = format!("this leaves the house: “{quoted}”{leaves} goes to {}", tier.url);
    Ok(Plan {
        effect: Effect::NoChange,
        object: Some(bounded(&shown, 60)),
        count: Some(count).filter(|n| *n > 0),
        bound: blake3::hash(attached.as_bytes()).to_hex().to_string(),
        always: Some(always),
        cost: Some(crate::tiers::costs(tier, question.len() + attached.len(), 1)).filter(|cost| *cost > 0),
        ..Plan::look("llm:online", move |work| ask(work, &question, &attached, &lang))
    })
}

/// The text of every entry, one after the other.
fn texts(entries: &str) -> (String, u64) {
    let parse = |line: &str| serde_json::from_str::<Map<String, Value>>(line).ok();
    let all: Vec<String> = entries.lines().filter_map(parse).map(|entry| frame::text_of(&entry)).collect();
    (all.join("\n\n"), all.len() as u64)
}

fn ask(work: &mut Work<'_>, question: &str, attached: &str, lang: &str) -> Result<Report, Failure> {
    let user = match attached.is_empty() {
        true => question.to_owned(),
        false => format!("{question}\n\n{}", frame::framed(attached, lang)),
    };
    let shape = json!({
        "type": "object", "additionalProperties": false, "required": ["text"],
        "properties": { "text": { "type": "string", "maxLength": 8000 } },
    });
    let prompt = Prompt { system: metnos_tongue::text(lang, TASK), user: &user };
    let (runtime, door) = (work.runtime, &*work.door);
    let stopped = || door.cancelled() || runtime.gate.is_shut();
    let told = Minds::ask(runtime, Role::Frontier, &prompt, &shape, &stopped);
    let mut asked = Asked::default();
    asked.note(told.used, told.answer.is_err());
    asked.tell(work.line);
    let answer = told.answer?;
    let text = answer["text"].as_str().unwrap_or_default();
    let record = json!({ "text": text, "_origin": Origin::Web.as_str() });
    Report::of(Outcome { ok_count: 1, ..Outcome::default() }, ListName::Entries, &[record])
}
