//! The grammar of names, as people and the catalog use it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use metnos_vocab::{Class, ExecutorName, NameError, Object, Qualifier, Verb};
use proptest::prelude::*;

/// Every executor named in the catalog of the design.
const CATALOG: &str = "
    find_files list_dirs find_dirs get_files read_files read_files_csv read_files_xlsx read_files_ocr
    write_files move_files delete_files create_dirs delete_dirs compress_files extract_files
    find_files_hash compute_files_size compute_files_loc compare_files change_files_format
    filter_entries filter_lists sort_entries group_entries compute_entries compare_entries
    classify_entries extract_entries describe_entries render_entries filter_texts_lines compute_texts
    compare_texts compute_numbers describe_numbers get_now
    get_processes set_processes find_packages admin get_signatures set_signatures
    find_messages read_messages send_messages move_messages set_messages find_events read_events
    find_events_empty create_events set_events delete_events list_calendars find_contacts read_contacts
    create_contacts set_contacts delete_contacts
    get_urls read_urls_html read_urls_pdf find_urls find_places get_places get_location
    find_issues_github read_issues_github create_issues_github find_pulls_github read_pulls_github
    create_images_indices get_images_indices delete_images_indices find_images_indices set_persons
    get_persons delete_persons describe_images
    create_tasks list_tasks set_tasks delete_tasks read_tasks_history get_inputs get_proposals
    find_credentials set_credentials delete_credentials undo_last_turn consult_frontier scratchpad_read";

#[test]
fn every_executor_of_the_catalog_has_a_lawful_name() {
    for text in CATALOG.split_whitespace() {
        let name = ExecutorName::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
        assert_eq!(name.to_string(), text);
    }
}

#[test]
fn a_wrong_name_says_which_token_is_wrong_and_what_is_near() {
    let said = |text: &str| ExecutorName::parse(text).unwrap_err().to_string();
    assert_eq!(said("raed_files"), "\"raed\" is not a verb; nearest: \"read\"");
    assert_eq!(said("read_fils"), "\"fils\" is not an object; nearest: \"files\"");
    assert_eq!(said("read_files_cvs"), "\"cvs\" is not a qualifier; nearest: \"csv\"");
    assert_eq!(said("sort_lists"), "\"lists\" exists only in filter_lists");
    assert_eq!(said("get_nwo"), "\"nwo\" is not an object");
    assert_eq!(said("amdin"), "\"amdin\" is not a verb; nearest: \"admin\"");
    assert!(said("find_numbers_github").starts_with("\"github\" does not follow \"numbers\""));
    assert!(said("read_files_csv_a_b").starts_with("\"b\" is one token too many"));
    assert!(matches!(ExecutorName::parse("read"), Err(NameError::Object { .. })));
    assert!(matches!(ExecutorName::parse(""), Err(NameError::Length { length: 0 })));
    assert!(matches!(ExecutorName::parse(&"a".repeat(1 << 20)), Err(NameError::Length { .. })));
}

#[test]
fn nothing_is_a_batch_and_descriptors_stand_only_below_three_parts() {
    for text in [
        "read_files_batch",
        "read_files_csv_batch",
        "read_files_csv_my-batch",
        "read_files_bank-statement",
        "read_files_csv_",
        "read_files_csv_Bank",
        "read_files_csv_bank--x",
        "read_files_csv_-x",
        "read_files_csv_9x",
        "read_files_csv_abcdefghijklmnopqrstuvwxyzabcde",
        "read_files ",
        "Read_files",
        "read__files",
        "get_now_",
        "read_files\0",
        "read_files/../x",
    ] {
        assert!(ExecutorName::parse(text).is_err(), "{text}");
    }
    let name = ExecutorName::parse("read_files_csv_bank-statement-2").unwrap();
    assert_eq!(name.descriptor(), Some("bank-statement-2"));
    assert_eq!(name.qualifier().map(Qualifier::as_str), Some("csv"));
}

#[test]
fn the_class_follows_verb_and_object() {
    let class = |text: &str| ExecutorName::parse(text).unwrap().class();
    assert_eq!(class("find_files"), Class::Producer);
    assert_eq!(class("sort_entries"), Class::Processor);
    assert_eq!(class("extract_entries"), Class::Processor);
    assert_eq!(class("extract_files"), Class::Changer);
    assert_eq!(class("admin"), Class::Changer);
}

/// The grammar again, written independently: by generating every name without a descriptor.
fn all_short_names() -> &'static std::collections::BTreeSet<String> {
    static ALL: std::sync::OnceLock<std::collections::BTreeSet<String>> = std::sync::OnceLock::new();
    ALL.get_or_init(generate)
}

fn generate() -> std::collections::BTreeSet<String> {
    let mut all = std::collections::BTreeSet::new();
    for verb in Verb::all() {
        for object in Object::all() {
            if object.as_str() == "lists" && verb.as_str() != "filter" {
                continue;
            }
            all.insert(format!("{verb}_{object}"));
            for qualifier in Qualifier::all().filter(|q| q.objects().any(|o| o == object)) {
                all.insert(format!("{verb}_{object}_{qualifier}"));
            }
        }
    }
    let fixed = ["get_now", "get_location", "undo_last_turn", "consult_frontier", "scratchpad_read", "admin"];
    all.extend(fixed.map(str::to_owned));
    all
}

fn lawful(text: &str, short: &std::collections::BTreeSet<String>) -> bool {
    if short.contains(text) {
        return true;
    }
    let Some((head, descriptor)) = text.rsplit_once('_') else { return false };
    let ok = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    short.contains(head)
        && head.split('_').count() == 3
        && head != "undo_last_turn"
        && (1..=30).contains(&descriptor.len())
        && descriptor.chars().all(ok)
        && descriptor.starts_with(|c: char| c.is_ascii_lowercase())
        && !descriptor.ends_with('-')
        && !descriptor.contains("--")
        && descriptor != "batch"
        && !descriptor.ends_with("-batch")
}

fn token() -> impl Strategy<Value = String> {
    let words: Vec<String> = Verb::all()
        .map(|t| t.to_string())
        .chain(Object::all().map(|t| t.to_string()))
        .chain(Qualifier::all().map(|t| t.to_string()))
        .chain(["now", "last", "turn", "batch", "lists", "", "x-1", "my-batch"].map(str::to_owned))
        .collect();
    prop_oneof![4 => prop::sample::select(words), 1 => "[a-z0-9-]{0,32}", 1 => any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn no_string_outside_the_grammar_parses(tokens in prop::collection::vec(token(), 0..6)) {
        let text = tokens.join("_");
        prop_assert_eq!(ExecutorName::parse(&text).is_ok(), lawful(&text, all_short_names()));
    }

    #[test]
    fn a_lawful_name_survives_display_and_parse(
        head in prop::sample::select(all_short_names().iter().cloned().collect::<Vec<_>>()),
        tail in prop::option::of("[a-z][a-z0-9]{0,8}(-[a-z0-9]{1,8}){0,2}"),
    ) {
        let three = head.split('_').count() == 3 && head != "undo_last_turn";
        let text = match tail { Some(tail) if three => format!("{head}_{tail}"), _ => head };
        if let Ok(name) = ExecutorName::parse(&text) {
            prop_assert_eq!(name.as_str(), &text);
            prop_assert_eq!(&name.to_string().parse::<ExecutorName>().unwrap(), &name);
        } else {
            prop_assert!(text.ends_with("batch"), "{}", text);
        }
    }
}
