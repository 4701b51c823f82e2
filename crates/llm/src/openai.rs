//! `/v1/chat/completions`, as llama-server, Ollama, vLLM and others have it.

use crate::client::{Question, Usage, estimate};
use crate::config::Grammar;
use crate::{LlmError, Tier};
use serde_json::{Value, json};

/// The same for every question: with temperature 0, the same answer to the same question.
const SEED: u32 = 7;

pub(crate) const DOOR: &str = "chat/completions";

pub(crate) fn body(tier: &Tier, question: &Question<'_>, grammar: Grammar, most: u64) -> Value {
    let mut body = json!({
        "model": tier.model,
        "messages": [
            { "role": "system", "content": question.system },
            { "role": "user", "content": question.user },
        ],
        "temperature": 0,
        "seed": SEED,
        "max_tokens": most,
        "stream": false,
    });
    // What only llama-server knows is sent only to whom a grammar is sent; others may refuse it.
    match (question.constraint, grammar) {
        (Some(constraint), Grammar::Gbnf) => {
            body["grammar"] = constraint.gbnf.clone().into();
            body["cache_prompt"] = false.into();
        }
        (Some(constraint), Grammar::JsonSchema) => {
            body["response_format"] = json!({
                "type": "json_schema",
                "json_schema": { "name": "answer", "strict": true, "schema": constraint.schema },
            });
        }
        _ => {}
    }
    body
}

pub(crate) fn read(
    value: &Value,
    sent: &Question<'_>,
    most: u64,
    usage: &mut Usage,
) -> Result<String, LlmError> {
    let choice = &value["choices"][0];
    let text = choice["message"]["content"].as_str();
    let text = text.ok_or_else(|| LlmError::Garbled("the answer holds no message".to_owned()))?;
    let count = |key: &str| value["usage"][key].as_u64();
    usage.tokens_in += count("prompt_tokens").unwrap_or_else(|| sent.size());
    usage.tokens_out += count("completion_tokens").unwrap_or_else(|| estimate(text));
    if choice["finish_reason"] == "length" {
        return Err(LlmError::Cut(most));
    }
    Ok(text.to_owned())
}
