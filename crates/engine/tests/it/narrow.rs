//! A word that narrows narrows, or nothing is done: no plan acts on more than was said.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests")]

use metnos_engine::{Answer, Catalog, Clock, Lexicons, Plan, Planner, Request};
use metnos_vocab::Class;
use serde_json::Value;

/// How many of the requests in `misread.jsonl` still change something they should not.
const MISREAD: usize = 25;

/// How many of the 528 requests in `unsafe2.jsonl` that must not be done are done or offered.
const UNSEEN: usize = 26;

fn planner() -> Planner {
    Planner::new(Catalog::shipped().unwrap(), Lexicons::shipped().unwrap())
}

fn answer(planner: &Planner, lang: &str, text: &str, context: &[&str]) -> Answer {
    let clock = Clock::parse("2026-11-15T10:00:00+01:00", "Europe/Rome").unwrap();
    let context: Vec<String> = context.iter().map(|&earlier| earlier.to_owned()).collect();
    planner.plan(&Request { text, language: Some(lang), context: &context }, &clock).0
}

/// Whether a plan leaves the world another one. What stands outside the verbs counts as if it did.
fn changes(planner: &Planner, plan: &Plan) -> bool {
    let class = |tool: &str| planner.catalog().get(tool).map(|tool| tool.class);
    plan.steps.iter().any(|step| class(&step.tool).is_none_or(|class| class == Class::Changer))
}

fn has(plan: &Plan, name: &str, value: &Value) -> bool {
    plan.steps.iter().any(|step| step.args.get(name) == Some(value))
}

fn steps(answer: &Answer) -> String {
    serde_json::to_string(&answer.as_plan().map(|plan| &plan.steps)).unwrap()
}

#[test]
fn a_dangerous_request_is_narrowed_or_not_done() {
    let planner = planner();
    let rows = include_str!("../data/dangerous.jsonl");
    let wrong: Vec<String> = rows
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter_map(|row| wrong(&planner, &row))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Requests of the same kind that nothing was learned from: how often one is done or offered as it must not be.
#[test]
fn requests_that_nobody_learned_from_are_seldom_done() {
    let planner = planner();
    let rows = include_str!("../data/unsafe2.jsonl").lines();
    let rows = rows.map(|line| serde_json::from_str::<Value>(line).unwrap());
    let wrong: Vec<String> =
        rows.filter(|row| row["narrow"].is_null()).filter_map(|row| wrong(&planner, &row)).collect();
    assert!(wrong.len() <= UNSEEN, "{}: {}", wrong.len(), wrong.join("\n"));
}

/// What is wrong with the answer to a dangerous request.
fn wrong(planner: &Planner, row: &Value) -> Option<String> {
    let query = row["query"].as_str().unwrap();
    let context: Vec<&str> =
        row["context"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let answer = answer(planner, row["lang"].as_str().unwrap(), query, &context);
    let narrow = row["narrow"].as_array().cloned().unwrap_or_default();
    let narrowed = |plan: &Plan| narrow.iter().all(|pair| has(plan, pair[0].as_str().unwrap(), &pair[1]));
    let safe = |plan: &Plan| !changes(planner, plan) || !narrow.is_empty() && narrowed(plan);
    if !row["never"].is_null() && answer.as_plan().is_some() {
        return Some(format!("{query}: never, and yet {}", steps(&answer)));
    }
    match &answer {
        // An offer only looks, or carries what narrows.
        Answer::Offer(offer) => {
            let wide = offer.offers.iter().find(|choice| !safe(&choice.plan))?;
            Some(format!("{query}: offered {:?}", wide.plan.steps))
        }
        Answer::Plan(plan) => {
            let right = safe(plan) && (narrow.is_empty() || narrowed(plan));
            (!right).then(|| format!("{query} {context:?}: {}", steps(&answer)))
        }
        // What was refused once, and may be done as it was said, may still be refused.
        _ => (!row["narrow"].is_null() && row["reviewed"] != true)
            .then(|| format!("{query} is understood: {answer:?}")),
    }
}

/// Requests that still get another plan than the one that is meant: work to do, and never more of it.
#[test]
fn what_is_still_misread_becomes_less() {
    let planner = planner();
    let rows = include_str!("../data/misread.jsonl").lines();
    let acts = rows.map(|line| serde_json::from_str::<Value>(line).unwrap()).filter(|row| {
        let context: Vec<&str> =
            row["context"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let text = row["query"].as_str().unwrap();
        let answer = answer(&planner, row["lang"].as_str().unwrap(), text, &context);
        answer.as_plan().is_some_and(|plan| changes(&planner, plan))
    });
    let acts = acts.count();
    assert!(acts <= MISREAD, "{acts} of them change something");
}

#[test]
fn the_word_that_was_not_understood_is_named() {
    let planner = planner();
    for (lang, text, word) in [
        ("en", "delete the big files in Downloads", "big"),
        ("en", "delete files in Downloads tomorrow", "tomorrow"),
        ("en", "delete files bigger than 1 GB or smaller than 1 KB", "or"),
        ("it", "elimina alcuni file in Downloads", "alcuni"),
    ] {
        match answer(&planner, lang, text, &[]) {
            Answer::Gap(gap) => assert_eq!(gap.words, [word], "{text}"),
            // What is offered says that it leaves the word out.
            Answer::Offer(offer) => {
                assert!(
                    offer.offers.iter().all(|choice| choice.plan.unused.iter().any(|w| w == word)),
                    "{text}"
                );
            }
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn looking_may_be_vague_and_gets_an_order() {
    let planner = planner();
    for (lang, text, by) in [
        ("en", "show me the big files in Downloads", "size"),
        ("en", "show me the new files in Downloads", "mtime"),
        ("it", "mostrami i file recenti in Downloads", "mtime"),
    ] {
        let answer = answer(&planner, lang, text, &[]);
        assert!(has(answer.as_plan().unwrap(), "by", &by.into()), "{text}: {}", steps(&answer));
    }
    // How big is said: nothing is vague about it.
    let sized = answer(&planner, "en", "delete the big files over 500 MB in Downloads", &[]);
    assert!(has(sized.as_plan().unwrap(), "size_min", &500_000_000.into()));
    // But nobody counts what "big" leaves open, unless who asks is told that it was left out.
    let Answer::Offer(offer) = answer(&planner, "en", "how many big files are in Downloads?", &[]) else {
        panic!()
    };
    assert!(offer.offers.iter().all(|choice| choice.plan.unused.contains(&"big".to_owned())), "{offer:?}");
}

#[test]
fn of_copies_that_were_found_one_stays_also_a_turn_later() {
    let planner = planner();
    let later = answer(&planner, "en", "delete them", &["find the duplicates in Downloads"]);
    assert!(has(later.as_plan().unwrap(), "where_field", &"copy".into()), "{}", steps(&later));
    // The one that is pointed at is meant.
    let one = answer(&planner, "en", "delete the second one", &["find the duplicates in Downloads"]);
    assert!(has(one.as_plan().unwrap(), "index", &2.into()), "{}", steps(&one));
}

#[test]
fn those_that_are_named_are_some_of_those_that_were_shown() {
    let planner = planner();
    for (lang, before, text, kind) in [
        ("en", "show me the files in Downloads", "delete those PDFs", "pdf"),
        ("en", "show me the files in Work", "move those spreadsheets to ~/X", "spreadsheet"),
        ("it", "mostrami i file di Scaricati", "cancella quei video", "video"),
    ] {
        let later = answer(&planner, lang, text, &[before]);
        let plan = later.as_plan().unwrap();
        assert!(has(plan, "from_turn", &(-1).into()), "{text}: {}", steps(&later));
        assert!(has(plan, "where_value", &kind.into()), "{text}: {}", steps(&later));
        assert_eq!(answer(&planner, lang, text, &[]).kind(), "ask", "{text}");
    }
    for text in ["delete those PDFs in Documents", "delete them in Documents"] {
        let later = answer(&planner, "en", text, &["show me the files in Downloads"]);
        assert_eq!(later.kind(), "gap", "{text}: {}", steps(&later));
    }
    let one = answer(&planner, "en", "delete the second file", &["show me the files in Downloads"]);
    assert!(has(one.as_plan().unwrap(), "index", &2.into()), "{}", steps(&one));
}

#[test]
fn a_list_that_is_put_into_a_file_moves_nothing() {
    let planner = planner();
    for (lang, text) in [
        ("en", "put the list of the PDFs in Documents into ~/pdfs.csv"),
        ("it", "metti l'elenco dei PDF di Documenti in ~/pdfs.csv"),
    ] {
        let answer = answer(&planner, lang, text, &[]);
        assert!(has(answer.as_plan().unwrap(), "path", &"~/pdfs.csv".into()), "{}", steps(&answer));
    }
}

#[test]
fn what_is_hidden_may_also_be_added() {
    let planner = planner();
    let all = answer(&planner, "en", "show all files in Documents including hidden ones", &[]);
    let plan = all.as_plan().unwrap();
    assert!(has(plan, "hidden", &true.into()) && !steps(&all).contains("patterns"), "{}", steps(&all));
}

#[test]
fn a_name_goes_on_over_its_number() {
    let planner = planner();
    for (lang, text, path) in [
        ("en", "create a folder called Taxes 2026", "~/Taxes 2026"),
        ("en", "create the folder Taxes 2026 in Documents", "~/Documents/Taxes 2026"),
        ("it", "crea una cartella chiamata Tasse 2026", "~/Tasse 2026"),
        ("it", "crea una cartella chiamata vecchi documenti", "~/vecchi documenti"),
    ] {
        let answer = answer(&planner, lang, text, &[]);
        assert!(has(answer.as_plan().unwrap(), "paths", &[path].into_iter().collect()), "{}", steps(&answer));
    }
}

#[test]
fn a_folder_with_the_name_of_a_thing_is_where_things_go() {
    let moved = answer(&planner(), "it", "sposta Documents/contract.pdf in Archivio", &[]);
    assert!(has(moved.as_plan().unwrap(), "dst_dir", &"~/Archivio".into()), "{}", steps(&moved));
}

#[test]
fn a_column_is_named_before_or_after_its_word() {
    let planner = planner();
    for (lang, text, column) in [
        ("en", "sum the amount column of Documents/expenses.csv", "amount"),
        ("en", "sum the column amount of Documents/expenses.csv", "amount"),
        ("it", "somma la colonna importo di Documents/spese.csv", "importo"),
    ] {
        let answer = answer(&planner, lang, text, &[]);
        assert!(has(answer.as_plan().unwrap(), "field", &column.into()), "{text}: {}", steps(&answer));
    }
}

#[test]
fn what_asks_for_no_step_gets_a_message() {
    let planner = planner();
    for (lang, text, what) in [
        ("en", "hello", "greet"),
        ("it", "ciao!", "greet"),
        ("en", "thank you", "thanks"),
        ("it", "grazie", "thanks"),
        ("en", "please stop everything", "halt"),
        ("it", "ferma tutto", "halt"),
        ("en", "undo the last two changes", "undo_more"),
        ("it", "annulla tutto", "undo_more"),
        ("it", "svuota il cestino", "trash"),
        ("en", "should I delete the files in Downloads?", "wonder"),
        ("it", "devo eliminare i file in Downloads?", "wonder"),
        ("en", "delete the videos in Downloads and tell me what time it is", "one_by_one"),
        ("en", "list the files in Downloads and tell me what time it is", "one_by_one"),
    ] {
        assert_eq!(answer(&planner, lang, text, &[]), Answer::Say(what.to_owned()), "{text}");
    }
    // Two questions are two answers.
    for (lang, text) in [
        ("en", "what time is it and how many files are in Downloads?"),
        ("it", "che ore sono e quanti file ci sono in Downloads?"),
    ] {
        let both = answer(&planner, lang, text, &[]);
        let tools: Vec<&str> = both.as_plan().unwrap().steps.iter().map(|step| step.tool.as_str()).collect();
        assert_eq!(tools, ["get_now", "find_files", "compute_entries"], "{text}");
    }
    // What is said beside them is done.
    assert_eq!(answer(&planner, "en", "hello, show me the pdfs in Documents", &[]).kind(), "plan");
    assert_eq!(answer(&planner, "en", "stop the process 5120", &[]).kind(), "plan");
}

#[test]
fn a_pronoun_points_to_nothing_that_was_left_unclear() {
    let planner = planner();
    let found = "find the photos in Downloads";
    for (text, between) in [
        ("delete them", "no, only the zorgly ones"),
        ("move them to ~/X", "zip them into ~/x.zip"),
        ("delete them", "copy them to ~/Backup"),
    ] {
        let later = answer(&planner, "en", text, &[found, between]);
        assert!(later.as_plan().is_none(), "{text} after {between}: {}", steps(&later));
    }
    // Looking at them does no harm, and of what was made there is one.
    let seen = answer(&planner, "en", "how many are there?", &[found, "no, only the zorgly ones"]);
    assert!(has(seen.as_plan().unwrap(), "from_turn", &(-1).into()), "{}", steps(&seen));
    let made = answer(&planner, "en", "move it to ~/X", &[found, "zip them into ~/x.zip"]);
    assert!(has(made.as_plan().unwrap(), "from_turn", &(-1).into()), "{}", steps(&made));
}

#[test]
fn two_questions_about_two_places_are_asked_one_by_one() {
    let planner = planner();
    for (lang, text) in [
        ("en", "count the pdf in Documents and the jpg in Pictures"),
        ("en", "move the pdf from Downloads to Documents and the mp3 to Music"),
        ("it", "quanti pdf ci sono in Documents e quanti in Downloads?"),
        ("it", "cancella i pdf in Downloads e i jpg in Pictures"),
    ] {
        assert_eq!(answer(&planner, lang, text, &[]), Answer::Say("one_by_one".to_owned()), "{text}");
    }
    // One question about two places is one.
    assert_eq!(answer(&planner, "en", "how many pdfs are in Documents and Downloads?", &[]).kind(), "plan");
}

#[test]
fn what_is_said_of_some_or_taken_back_changes_nothing() {
    let planner = planner();
    for (lang, text) in [
        ("en", "the photos i don't need, delete them"),
        ("en", "the photos in Pictures that are no longer needed, delete them"),
        ("en", "the videos I've already seen, delete them"),
        ("en", "delete the photos in Pictures, on second thought the videos"),
        ("en", "delete the photos my bank, 'Credem', sent me"),
        ("en", "clear the history of task 5"),
        ("en", "delete the tasks that failed"),
        ("en", "put the videos on hold"),
        ("en", "what does `rm -rf x` do?"),
        ("en", "process 12 is stuck and process 13 isn't responding, kill it"),
        ("it", "i video che ho già visto, cancellali"),
        ("it", "cancella le foto di Immagini, anzi i video"),
    ] {
        let answer = answer(&planner, lang, text, &[]);
        assert!(answer.as_plan().is_none_or(|plan| !changes(&planner, plan)), "{text}: {}", steps(&answer));
    }
}

#[test]
fn who_or_which_is_said_in_other_words_is_still_meant() {
    let planner = planner();
    for (lang, text, name, value) in [
        ("en", "put tasks 3 and 4 on hold", "ids", serde_json::json!(["3", "4"])),
        ("it", "sposta l'attività 4 a ogni martedì alle 9", "schedule", "0 9 * * 2".into()),
        ("en", "on Mondays and Thursdays at 9 show me my unread mail", "schedule", "0 9 * * 1,4".into()),
        ("it", "cancella la posta in arrivo di oggi", "folder", "INBOX".into()),
        ("en", "archive the mails from my bank, 'Credem'", "from_contains", "Credem".into()),
        ("it", "leggi i messaggi che mi ha inviato ieri Marco", "from_contains", "Marco".into()),
        ("en", "delete everything ann@example.org sent me", "from_contains", "ann@example.org".into()),
        ("it", "il processo 8812 è piantato, ammazzalo", "pids", serde_json::json!([8812])),
        ("en", "what's in Documents?", "paths", serde_json::json!(["~/Documents"])),
        ("en", "are 'pay by the 5th' and 'pay by the 15th' the same text?", "b", "pay by the 15th".into()),
        ("it", "qual è la media di 7, 8 e 9?", "values", serde_json::json!([7, 8, 9])),
        ("it", "se divido 96 per 8 cosa ottengo?", "expression", "96/8".into()),
    ] {
        let answer = answer(&planner, lang, text, &[]);
        assert!(answer.as_plan().is_some_and(|plan| has(plan, name, &value)), "{text}: {}", steps(&answer));
    }
    let marked = answer(&planner, "it", "segna come lette le mail con 'fattura' nell'oggetto", &[]);
    assert!(!steps(&marked).contains("\"add\""), "{}", steps(&marked));
}
