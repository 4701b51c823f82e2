//! What is said while a model is looked for, tried and bound: the same at the terminal and on the page.

use crate::words::Speech;
use metnos_gateway::{Answered, Example};
use metnos_llm::{Answers, Found};
use std::time::{Duration, Instant};

/// How many are shown.
const EXAMPLES_SHOWN: usize = 3;
/// No further one is begun after this: who waits has seen how slow the model is.
const LONG_ENOUGH: Duration = Duration::from_secs(60);

/// Whether so many examples in so much time are enough.
pub fn shown_enough(shown: usize, since: Instant) -> bool {
    shown == EXAMPLES_SHOWN || shown > 0 && since.elapsed() > LONG_ENOUGH
}

impl Speech {
    /// Requests that show what a model adds; those that are understood without one are to be passed over.
    pub fn model_examples(&self) -> [String; 6] {
        [
            self.t("model-example-1"),
            self.t("model-example-2"),
            self.t("model-example-3"),
            self.t("model-example-4"),
            self.t("model-example-5"),
            self.t("model-example-6"),
        ]
    }

    /// What was found at one address.
    pub fn found(&self, found: &Found) -> String {
        let url = found.url.as_str();
        match &found.answers {
            Answers::Models { models } if models.is_empty() => self.say("model-empty", &[("url", url)]),
            Answers::Models { models } => {
                let names: Vec<&str> = models.iter().map(|model| model.id.as_str()).collect();
                let names = names.join(", ");
                self.say("model-found", &[("url", url), ("models", &names)])
            }
            Answers::Key => self.say("model-key", &[("url", url)]),
            Answers::Slow => self.say("model-slow", &[("url", url)]),
            Answers::Other { said } => self.say("model-other", &[("url", url), ("said", said)]),
        }
    }

    /// That nothing was found, and what to do.
    pub fn found_nothing(&self, ports: &[u16]) -> String {
        let ports: Vec<String> = ports.iter().map(u16::to_string).collect();
        self.say("model-none", &[("ports", &ports.join(", "))])
    }

    /// That a model answers.
    pub fn answered(&self, model: &str, answered: &Answered) -> String {
        let seconds = format!("{:.1} s", answered.ms as f64 / 1000.0);
        match answered.context {
            Some(room) => self
                .say("model-answers", &[("model", model), ("time", &seconds), ("tokens", &room.to_string())]),
            None => self.say("model-answers-untold", &[("model", model), ("time", &seconds)]),
        }
    }

    /// A request, what is said to it now, and what would be done.
    pub fn example(&self, example: &Example) -> Vec<String> {
        let after = match (&example.unhelped, &example.after[..]) {
            (Some(why), []) => self.say("model-no-help", &[("why", why)]),
            (None, []) => self.t("model-nothing"),
            (_, after) => after.join(" / "),
        };
        vec![
            format!("“{}”", example.request),
            self.say("model-before", &[("text", &example.before)]),
            self.say("model-after", &[("text", &after)]),
        ]
    }
}
