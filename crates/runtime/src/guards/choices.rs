//! The answers a person can give, in their own words.

use crate::guards::Answer;
use metnos_guard::card::{Lang, Texts};

/// Letters of what was typed that are shown again.
const UNCLEAR_SHOWN: usize = 60;

/// What is shown below a question, and what each word typed there means.
pub struct Choices {
    lang: Lang,
    can_last: bool,
}

impl Choices {
    /// Those of a language; `can_last` when a yes may hold for more than once. None without any words to ask with.
    pub fn of(language: &str, can_last: bool) -> Option<Self> {
        Some(Self { lang: Texts::load().ok()?.lang(language).clone(), can_last })
    }

    /// The line that names them all.
    pub fn line(&self) -> String {
        self.lang.say(if self.can_last { "choices_last" } else { "choices" }, &[])
    }

    /// The line for somebody who typed something else.
    pub fn unclear(&self, text: &str) -> String {
        self.lang.say("not_understood", &[("text", &crate::text::bounded(text.trim(), UNCLEAR_SHOWN))])
    }

    /// Whether a word stands for some answer, also for one that cannot be given here.
    pub fn knows(&self, text: &str) -> bool {
        self.lang.answer(text).is_some()
    }

    /// Whether a word asks for the details of the card: it decides nothing.
    pub fn wants_details(&self, text: &str) -> bool {
        self.lang.answer(text) == Some("details")
    }

    /// The answer that was typed, if it is one.
    pub fn heard(&self, text: &str) -> Option<Answer> {
        match self.lang.answer(text)? {
            "once" => Some(Answer::Once),
            "session" if self.can_last => Some(Answer::Session),
            "always" if self.can_last => Some(Answer::Always),
            "no" => Some(Answer::No),
            "never" => Some(Answer::Never),
            "later" => Some(Answer::Later),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_letter_in_brackets_is_an_answer_of_its_own() {
        for (language, count) in metnos_tongue::codes().into_iter().map(|code| (code, 6)) {
            let choices = Choices::of(language, true).unwrap();
            let line = choices.line();
            let letters = line.split('[').skip(1).filter_map(|rest| rest.split(']').next());
            let (more, letters): (Vec<&str>, Vec<&str>) =
                letters.partition(|letter| choices.wants_details(letter));
            assert_eq!((more, choices.heard("d")), (vec!["d"], None), "{line}");
            let heard: Vec<Answer> = letters.iter().map(|letter| choices.heard(letter).unwrap()).collect();
            assert_eq!(heard.len(), count, "{line}");
            for (n, answer) in heard.iter().enumerate() {
                assert!(!heard[..n].contains(answer), "{language}: {answer:?} twice");
            }
        }
    }

    #[test]
    fn what_cannot_last_cannot_be_said() {
        let choices = Choices::of("it", false).unwrap();
        assert_eq!((choices.heard("sempre"), choices.heard(" Sì ")), (None, Some(Answer::Once)));
        assert!(!choices.line().contains("sempre"));
    }
}
