//! `/v1/messages`.

use crate::client::{Question, Usage, estimate};
use crate::config::Grammar;
use crate::{LlmError, Tier};
use serde_json::{Value, json};

pub(crate) const DOOR: &str = "messages";
pub(crate) const VERSION: &str = "2023-06-01";

pub(crate) fn body(tier: &Tier, question: &Question<'_>, grammar: Grammar, most: u64) -> Value {
    let mut body = json!({
        "model": tier.model,
        "max_tokens": most,
        "temperature": 0,
        "system": question.system,
        "messages": [{ "role": "user", "content": question.user }],
    });
    // A tool it must use is how this wire takes a schema.
    if let (Some(constraint), true) = (question.constraint, grammar != Grammar::None) {
        body["tools"] =
            json!([{ "name": "answer", "description": "the answer", "input_schema": constraint.schema }]);
        body["tool_choice"] = json!({ "type": "tool", "name": "answer" });
    }
    body
}

pub(crate) fn read(
    value: &Value,
    sent: &Question<'_>,
    most: u64,
    usage: &mut Usage,
) -> Result<String, LlmError> {
    let parts = value["content"].as_array();
    let parts = parts.ok_or_else(|| LlmError::Garbled("the answer holds no content".to_owned()))?;
    let used = parts.iter().find(|part| part["type"] == "tool_use").map(|part| part["input"].to_string());
    let text = used.unwrap_or_else(|| parts.iter().filter_map(|part| part["text"].as_str()).collect());
    let count = |key: &str| value["usage"][key].as_u64();
    usage.tokens_in += count("input_tokens").unwrap_or_else(|| sent.size());
    usage.tokens_out += count("output_tokens").unwrap_or_else(|| estimate(&text));
    if value["stop_reason"] == "max_tokens" {
        return Err(LlmError::Cut(most));
    }
    Ok(text)
}
