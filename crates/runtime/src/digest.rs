//! Digests of what a call was asked and of what it answered.

use crate::done::Done;
use crate::guards::Principal;
use metnos_executor::Failure;
use serde_json::Value;

/// What was asked for: the executor's bytes, its arguments and its lists.
pub(crate) fn request_hash(digest: &str, input: &crate::input::Prepared) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(digest.as_bytes());
    hasher.update(Value::Object(input.args.clone()).to_string().as_bytes());
    for list in [&input.entries, &input.with].into_iter().flatten() {
        hasher.update(list.digest.as_bytes());
    }
    hasher.finalize().to_hex().to_string()
}

/// An id that somebody else used gives nothing of what they got.
pub(crate) fn whose(caller: &str, request: String) -> String {
    let user = Principal::parse(caller).user;
    if user == crate::people::HOST { request } else { format!("{user} {request}") }
}

/// What came of a call, as the audit keeps it.
pub(crate) fn output_digest(done: &mut Done) -> Result<String, Failure> {
    let mut hasher = blake3::Hasher::new();
    let header = serde_json::to_vec(&done.outcome).map_err(|e| Failure::internal(e.to_string()))?;
    hasher.update(&header);
    let mut reader = done.items.reader().map_err(|e| Failure::io("the answer", &e))?;
    std::io::copy(&mut reader, &mut hasher).map_err(|e| Failure::io("the answer", &e))?;
    Ok(format!("blake3:{}", hasher.finalize().to_hex()))
}
