//! Every shortcut leads to the plan that planning would give: phrases, normal forms, shapes with other values.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout, reason = "tests")]

use metnos_engine::shortcut::{Literals, Shape, normal};
use metnos_engine::{Answer, Catalog, Clock, Lexicons, Planner, Request};
use serde_json::Value;
use std::collections::HashMap;
use std::sync::OnceLock;

const FILES: [&str; 6] =
    ["requests.jsonl", "more.jsonl", "third.jsonl", "fourth.jsonl", "fifth.jsonl", "sixth.jsonl"];

/// Moments that share neither day, weekday, month nor year, in zones that share no offset.
const MOMENTS: [(&str, &str); 5] = [
    ("2026-11-15T10:00:00+01:00", "Europe/Rome"),
    ("2026-11-17T23:50:00+01:00", "Europe/Rome"),
    ("2027-02-28T00:10:00Z", "UTC"),
    ("2024-07-04T12:00:00Z", "Asia/Tokyo"),
    ("2031-01-01T06:30:00Z", "America/New_York"),
];

fn planner() -> &'static Planner {
    static PLANNER: OnceLock<Planner> = OnceLock::new();
    PLANNER.get_or_init(|| Planner::new(Catalog::shipped().unwrap(), Lexicons::shipped().unwrap()))
}

fn clock(n: usize) -> Clock {
    Clock::parse(MOMENTS[n].0, MOMENTS[n].1).unwrap()
}

/// Every request of the sets, with its conversation.
fn requests() -> Vec<(String, Option<String>, Vec<String>)> {
    let mut out = Vec::new();
    for file in FILES {
        let path = format!("{}/tests/data/{file}", env!("CARGO_MANIFEST_DIR"));
        for line in std::fs::read_to_string(path).unwrap().lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let text = |value: &Value| value.as_str().map(str::to_owned);
            let context = row["context"].as_array().into_iter().flatten().filter_map(text).collect();
            out.push((text(&row["query"]).unwrap(), text(&row["lang"]), context));
        }
    }
    out
}

fn plan(text: &str, language: Option<&str>, context: &[String], moment: usize) -> Answer {
    planner().plan(&Request { text, language, context }, &clock(moment)).0
}

#[test]
fn a_phrase_of_the_table_is_what_the_planner_says_of_it_always() {
    let literals = Literals::shipped().unwrap();
    let conversations: [&[&str]; 4] = [
        &[],
        &["find all the PDFs in Documents"],
        &["mostra le mail non lette di oggi", "quante sono?"],
        &["how many files are in Downloads?", "and in Music?"],
    ];
    let phrases = literals.phrases();
    for known in ["what time is it", "undo", "che ore sono", "annulla"] {
        assert!(phrases.iter().any(|(phrase, _)| *phrase == known), "{known}");
    }
    // What the planner does not read in sentences yet is known by its phrases alone.
    let read = |language: &str| planner().lexicons().get(language).is_some();
    for (phrase, language) in phrases.into_iter().filter(|(_, language)| read(language)) {
        for given in [None, Some(language)] {
            let (short, spoken) = planner().literal(&format!("  {phrase} ?"), given).unwrap();
            for (conversation, moment) in
                conversations.iter().flat_map(|c| (0..MOMENTS.len()).map(move |m| (c, m)))
            {
                let context: Vec<String> = conversation.iter().map(|text| (*text).to_owned()).collect();
                let request = Request { text: phrase, language: given, context: &context };
                let (long, why) = planner().plan(&request, &clock(moment));
                assert_eq!(long, Answer::Plan(short.clone()), "{phrase} after {context:?}");
                assert_eq!(why.language, spoken, "{phrase}");
            }
        }
    }
}

#[test]
fn a_phrase_is_nothing_without_its_executor_or_in_another_language() {
    assert!(planner().literal("what time is it", Some("it")).is_none());
    assert!(planner().literal("what time is it in Tokyo", None).is_none());
    let less = Catalog::shipped().unwrap().without("get_now");
    assert!(Planner::new(less, Lexicons::shipped().unwrap()).literal("what time is it", None).is_none());
}

#[test]
fn requests_of_one_normal_form_have_one_plan() {
    for (text, language, context) in requests() {
        let mut capital = text.clone();
        let first: String = capital.remove(0).to_uppercase().collect();
        capital.insert_str(0, &first);
        let spaced = text.replace(' ', "  ");
        let request = Request { text: &text, language: language.as_deref(), context: &context };
        let expected = planner().plan(&request, &clock(0)).0;
        // What leans on the moment is not kept under its words.
        if !planner().holds(&request, &clock(0)) {
            continue;
        }
        for other in
            [capital, spaced, format!(" {text}"), format!("{text} ?"), format!("{text}!"), normal(&text)]
        {
            if normal(&other) != normal(&text) {
                continue;
            }
            let got = plan(&other, language.as_deref(), &context, 0);
            match (&got, &expected) {
                // What is left over is shown as it was written.
                (Answer::Gap(_), Answer::Gap(_)) => {}
                _ => assert_eq!(got, expected, "{text:?} and {other:?}"),
            }
        }
    }
}

#[test]
fn what_did_not_look_at_clock_or_conversation_does_not_depend_on_them() {
    let (mut still, mut plans) = (0, 0);
    let others = [
        "find all the PDFs in Documents",
        "show me the unread mail",
        "what's on my calendar tomorrow?",
        "undo",
    ];
    for (text, language, context) in requests() {
        let request = Request { text: &text, language: language.as_deref(), context: &context };
        let (answer, why) = planner().plan(&request, &clock(0));
        let Answer::Plan(_) = answer else { continue };
        plans += 1;
        let holds = planner().holds(&request, &clock(0));
        still += u32::from(holds);
        assert!(!holds || !why.leans.clock, "{text}");
        if !why.leans.clock {
            for moment in 1..MOMENTS.len() {
                assert_eq!(plan(&text, language.as_deref(), &context, moment), answer, "{text}");
            }
        }
        if holds || !why.leans.conversation() {
            for other in others {
                let got = plan(&text, language.as_deref(), &[other.to_owned()], 0);
                assert_eq!(got, answer, "{text} after {other}");
            }
        }
    }
    println!("{still} of {plans} plans hold at any moment in any conversation");
    assert!(still * 10 > plans * 6, "{still} of {plans}");
}

/// The request with other values of the same kinds: places, names, numbers, quoted words.
fn changed(text: &str, turn: usize) -> String {
    const SWAPS: [(&str, &str); 12] = [
        ("Documents", "Music"),
        ("Downloads", "Pictures"),
        ("Desktop", "Downloads"),
        ("Documenti", "Musica"),
        ("Scaricati", "Immagini"),
        ("Mario", "Giulia"),
        ("Anna", "Piero"),
        ("Archive", "Attic"),
        ("Archivio", "Soffitta"),
        ("yesterday", "today"),
        ("ieri", "oggi"),
        ("invoice", "receipt"),
    ];
    let words = text.split(' ').map(|word| {
        if let Some((from, to)) = SWAPS.iter().find(|(from, _)| word.starts_with(from)) {
            return word.replacen(from, to, 1);
        }
        if word.bytes().all(|b| b.is_ascii_digit()) && word.len() < 3 && !word.is_empty() {
            return (word.parse::<u64>().unwrap() + 2 + turn as u64).to_string();
        }
        if let Some(rest) = word.strip_prefix("~/") {
            return format!("~/other{turn}/{rest}");
        }
        if word.len() > 2 && (word.starts_with('\'') || word.starts_with('"')) {
            let mut word = word.to_owned();
            word.insert_str(1, ["zig", "x.y", "Über "][turn % 3]);
            return word;
        }
        word.to_owned()
    });
    words.collect::<Vec<_>>().join(" ")
}

#[test]
fn a_shape_with_other_values_is_the_plan_the_planner_gives() {
    let mut shapes: HashMap<String, (Shape, String)> = HashMap::new();
    let (mut plans, mut kept) = (0, 0);
    for (text, language, context) in requests() {
        let request = Request { text: &text, language: language.as_deref(), context: &context };
        let reading = planner().read(&request, &clock(0));
        let Answer::Plan(plan) = planner().answer(&request, &reading).0 else { continue };
        plans += 1;
        let Some(shape) = planner().shape(&reading) else { continue };
        kept += 1;
        assert_eq!(shape.fill(&planner().skeleton(&reading).unwrap()), Some(plan), "{text}");
        let (known, first) = shapes.entry(shape.key.clone()).or_insert((shape.clone(), text.clone()));
        assert_eq!(*known, shape, "{text:?} and {first:?} have one skeleton and two shapes");
    }
    let (mut met, mut tried) = (0, 0);
    for (text, language, context) in requests() {
        for turn in 0..3 {
            for moment in [0, 2, 3] {
                let text = changed(&text, turn);
                let request = Request { text: &text, language: language.as_deref(), context: &context };
                let reading = planner().read(&request, &clock(moment));
                let Some(skeleton) = planner().skeleton(&reading) else { continue };
                tried += 1;
                let Some((shape, of)) = skeleton.keys().iter().find_map(|key| shapes.get(*key)) else {
                    continue;
                };
                met += 1;
                let filled = shape.fill(&skeleton).map(Answer::Plan);
                assert_eq!(
                    filled,
                    Some(planner().answer(&request, &reading).0),
                    "{text:?} by the shape of {of:?}"
                );
            }
        }
    }
    println!(
        "{kept} of {plans} plans have a shape, {} shapes; {met} of {tried} changed requests met one",
        shapes.len()
    );
    assert!(kept * 10 > plans * 8, "{kept} of {plans}");
    assert!(met * 10 > tried * 6, "{met} of {tried}");
}

#[test]
fn another_catalog_or_other_words_make_another_digest() {
    let own = planner().digest();
    let less = Catalog::shipped().unwrap().without("sort_entries");
    assert_ne!(Planner::new(less, Lexicons::shipped().unwrap()).digest(), own);
    let awake = Catalog::shipped().unwrap().awaken(&["read_messages"]);
    assert_ne!(Planner::new(awake, Lexicons::shipped().unwrap()).digest(), own);
    let words: Vec<(&str, String)> = Lexicons::sources()
        .iter()
        .map(|(lang, text)| (*lang, text.replace("\"pdfs\"", "\"pdfz\"")))
        .collect();
    let words: Vec<(&str, &str)> = words.iter().map(|(lang, text)| (*lang, text.as_str())).collect();
    let other = Lexicons::from_sources(&words).unwrap();
    assert_ne!(Planner::new(Catalog::shipped().unwrap(), other).digest(), own);
    assert_eq!(Planner::new(Catalog::shipped().unwrap(), Lexicons::shipped().unwrap()).digest(), own);
}
