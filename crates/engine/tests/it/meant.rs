//! A construction that means another verb than it is said with has that verb; what it leaves open changes nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use metnos_engine::{Answer, Catalog, Clock, Lexicons, Planner, Request};

fn planner() -> Planner {
    Planner::new(Catalog::shipped().unwrap(), Lexicons::shipped().unwrap())
}

fn answer(planner: &Planner, lang: &str, text: &str) -> Answer {
    let clock = Clock::parse("2026-11-15T10:00:00+01:00", "Europe/Rome").unwrap();
    planner.plan(&Request { text, language: Some(lang), context: &[] }, &clock).0
}

fn tools(answer: &Answer) -> Vec<String> {
    answer.as_plan().map(|plan| plan.steps.iter().map(|step| step.tool.clone()).collect()).unwrap_or_default()
}

#[test]
fn a_construction_says_what_is_meant() {
    let planner = planner();
    for (lang, text, expected) in [
        ("en", "put the photos in ~/Trip in date order", &["find_files", "sort_entries"][..]),
        ("it", "metti in ordine di dimensione i file di Scaricati", &["find_files", "sort_entries"]),
        ("en", "do ~/x/one.md and ~/x/two.md match?", &["compare_files"]),
        ("it", "guarda se ~/a.csv e ~/b.csv coincidono", &["compare_files"]),
        ("en", "can I have ~/logo.png as a jpg?", &["change_files_format"]),
        ("it", "fammi dei png dai bmp di ~/Arte", &["find_files", "change_files_format"]),
        ("en", "save ~/Art/a.bmp as png", &["change_files_format"]),
        ("en", "give me the links in ~/notes/reading.md", &["read_files", "extract_entries"]),
        (
            "it",
            "trova le mail di Marco e dammi i link",
            &["find_messages", "read_messages", "extract_entries"],
        ),
        ("en", "which lines of ~/a.log have 'error' in them?", &["filter_texts_lines"]),
        ("it", "dove trovo 'bilancio' in ~/piano.txt?", &["filter_texts_lines"]),
        ("en", "unzip ~/a.zip and put everything in ~/src", &["extract_files"]),
        ("it", "il codice che sta in ~/utili quante righe fa?", &["compute_files_loc"]),
        ("en", "who emailed me this month, and how many times each?", &["find_messages", "group_entries"]),
        (
            "en",
            "what do I have in ~/A that I don't have in ~/B?",
            &["find_files", "find_files", "filter_lists"],
        ),
    ] {
        assert_eq!(tools(&answer(&planner, lang, text)), expected, "{text}");
    }
}

#[test]
fn what_is_left_open_changes_nothing() {
    let planner = planner();
    for (lang, text) in [
        ("en", "delete ~/a.txt and ~/b.txt if they are the same"),
        ("it", "apri l'archivio ~/a.zip e butta quello che c'è dentro in Lavoro"),
        ("it", "butta le foto di ~/Camera in Immagini"),
        ("en", "the photos in ~/Camera, delete them in Pictures"),
        ("en", "delete the files that are missing from ~/Backup"),
        ("it", "cancella i file che mancano in ~/B"),
        ("en", "delete the pdfs in Work, just give me the number"),
        ("en", "free up disk space in Downloads"),
    ] {
        assert_eq!(tools(&answer(&planner, lang, text)), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn what_is_not_in_a_format_is_all_but_that() {
    let planner = planner();
    for (lang, text) in [
        ("en", "delete every file in Work that is not in pdf format"),
        ("it", "cancella i file di Lavoro che non sono in pdf"),
    ] {
        let found = answer(&planner, lang, text);
        assert_eq!(tools(&found), ["find_files", "filter_entries", "delete_files"], "{text}");
        let negated = found.as_plan().unwrap().steps[1].args.get("negate").cloned();
        assert_eq!(negated, Some(true.into()), "{text}");
    }
}
