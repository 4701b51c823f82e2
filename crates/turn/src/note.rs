//! What was made of the words beside what was done: words taken for others, and words of which no use was made. One
//! line, under every answer.

use crate::ending::Messages;
use metnos_engine::Plan;

impl Messages {
    /// The line, where there is something to say in it.
    pub(crate) fn note(&self, language: &str, plan: &Plan) -> Option<String> {
        let read: Vec<String> = plan
            .corrected
            .iter()
            .map(|word| {
                self.say(
                    language,
                    "read_word",
                    &[("wrote", word.wrote.as_str()), ("read", word.read.as_str())],
                )
            })
            .collect();
        let unused: Vec<String> = plan.unused.iter().map(|part| format!("`{}`", part.trim())).collect();
        let part = |key: &str, words: Vec<String>| {
            (!words.is_empty()).then(|| self.say(language, key, &[("words", &words.join(", "))]))
        };
        let parts: Vec<String> = part("read_as", read).into_iter().chain(part("not_used", unused)).collect();
        (!parts.is_empty()).then(|| parts.join(" "))
    }
}

/// Whether something of the words was not taken as it was said: a change over that always asks.
pub(crate) fn is_guessed(plan: &Plan) -> bool {
    !plan.corrected.is_empty() || !plan.unused.is_empty()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn one_line_says_what_was_read_otherwise_and_what_was_not_used() {
        let messages = Messages::shipped().unwrap();
        let corrected = serde_json::json!([{ "wrote": "downlods", "read": "downloads" }]);
        let corrected = serde_json::from_value(corrected).unwrap();
        let plan = Plan { corrected, unused: vec!["please".into()], ..Plan::default() };
        assert_eq!(
            messages.note("en", &plan).as_deref(),
            Some("Read `downlods` as `downloads`. Not used: `please`.")
        );
        assert_eq!(
            messages.note("it", &plan).as_deref(),
            Some("Letto `downlods` come `downloads`. Non usato: `please`.")
        );
        assert_eq!(messages.note("en", &Plan::default()), None);
    }
}
