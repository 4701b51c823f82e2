//! Whatever is typed, the answer is a plan, a question or a gap: never a panic, never a wait.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use metnos_engine::{Answer, Catalog, Clock, Lexicons, Planner, Request};
use proptest::prelude::*;
use std::sync::OnceLock;

fn planner() -> &'static Planner {
    static PLANNER: OnceLock<Planner> = OnceLock::new();
    PLANNER.get_or_init(|| Planner::new(Catalog::shipped().unwrap(), Lexicons::shipped().unwrap()))
}

fn ask(text: &str) -> Answer {
    let clock = Clock::parse("2026-11-15T10:00:00+01:00", "Europe/Rome").unwrap();
    planner().plan(&Request { text, language: None, context: &[] }, &clock).0
}

/// Words of the lexicons, in no order: nearer to requests than letters are.
fn vocabulary() -> Vec<String> {
    let mut words: Vec<String> = Lexicons::sources()
        .iter()
        .flat_map(|(_, text)| text.split('"').skip(1).step_by(2))
        .map(|word| word.split('@').next().unwrap().to_owned())
        .collect();
    words.extend(
        [
            "'x y'",
            "~/a/b.csv",
            "/tmp",
            "10",
            "2025",
            "a@b.it",
            "https://e.it",
            ",",
            "MB",
            "?",
            "*.md",
            "8:30",
            "\"",
            "'",
            "99999999999999999999",
        ]
        .map(str::to_owned),
    );
    words.sort();
    words.dedup();
    words
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_has_an_answer(text in "\\PC{0,200}") {
        ask(&text);
    }

    #[test]
    fn any_words_of_the_lexicon_have_an_answer(words in prop::collection::vec(prop::sample::select(vocabulary()), 0..25)) {
        ask(&words.join(" "));
    }
}

#[test]
fn long_and_strange_requests_are_answered() {
    let odd = [
        "a".repeat(1 << 20),
        "find the PDFs in Documents ".repeat(40_000),
        "'".repeat(10_000),
        "\"".repeat(9_999),
        vec!["zip them"; 40].join(" and then "),
        "найди все файлы".to_owned(),
        "查找所有文件".to_owned(),
        "🦀🦀🦀 in 🦀".to_owned(),
        "files bigger than 5 MB and smaller than 1 MB from 2030 before 1990".to_owned(),
        "in 999999999 minutes remind me to x".to_owned(),
        "older than 999999999 years".to_owned(),
        "every 0 minutes show the mail".to_owned(),
        "the 0 largest files".to_owned(),
        "\u{202e}find\u{0000} files\u{feff}".to_owned(),
        String::new(),
    ];
    for text in &odd {
        ask(text);
    }
    assert!(matches!(ask("найди все файлы"), Answer::Gap(_)));
    assert!(matches!(ask(""), Answer::Gap(_)));
}
