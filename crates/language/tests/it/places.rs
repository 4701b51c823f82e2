//! Folders, paths, names, texts, people and columns: in how many rows what the plan holds is found.

mod names;
mod rules;

use crate::rows::{Row, found, rows, share};
use metnos_language::{Mention, What};
use serde_json::Value;

/// Every value of an argument, one by one.
fn values(row: &Row, key: &str) -> Vec<String> {
    let of = |value: &Value| match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(all) => all.iter().filter_map(|item| item.as_str().map(str::to_owned)).collect(),
        _ => Vec::new(),
    };
    row.args.iter().filter_map(|step| step.get(key)).flat_map(of).collect()
}

fn wanted(row: &Row, keys: &[&str], taken: impl Fn(&str) -> bool) -> Option<Vec<String>> {
    let all: Vec<String> =
        keys.iter().flat_map(|key| values(row, key)).filter(|value| taken(value)).collect();
    (!all.is_empty()).then_some(all)
}

/// Whether each value is carried by a mention for which `carries` holds.
fn each(values: &[String], mentions: &[Mention], carries: impl Fn(&What, &str) -> bool) -> bool {
    values.iter().all(|value| mentions.iter().any(|mention| carries(&mention.what, value)))
}

/// The part of a folder before what is filled in for each file.
fn fixed(path: &str) -> String {
    path.split("/{").next().unwrap_or(path).to_owned()
}

fn is_place(what: &What, value: &str) -> bool {
    matches!(what, What::Place(path) if *path == fixed(value))
}

fn is_path(what: &What, value: &str) -> bool {
    matches!(what, What::Path(path) | What::Place(path) if path == value)
}

fn is_text(what: &What, value: &str) -> bool {
    let same = |text: &str| text.to_lowercase() == value.to_lowercase();
    match what {
        What::Text(text) | What::Quoted(text) | What::Person(text) | What::Email(text) => same(text),
        _ => false,
    }
}

/// Fields that every record of a kind has; all others are columns.
const FIELDS: &[&str] = &[
    "size",
    "kind",
    "name",
    "ext",
    "mtime",
    "date",
    "path",
    "from",
    "sender",
    "label",
    "copy",
    "count",
    "month",
    "year",
    "dir",
    "memory",
    "cpu",
    "user",
    "duration",
    "is_remote",
    "type",
    "domain",
    "subject",
    "day",
    "language",
    "sum",
];

#[test]
fn folders_where_something_is() {
    let share =
        share(|row| wanted(row, &["base_path"], |path| path != "~"), |all, found| each(all, found, is_place));
    assert!(share >= 0.96, "{share}");
}

#[test]
fn folders_where_something_goes() {
    let share = share(|row| wanted(row, &["dst_dir"], |_| true), |all, found| each(all, found, is_place));
    assert!(share >= 0.95, "{share}");
}

#[test]
fn paths() {
    let share = share(|row| wanted(row, &["paths"], |_| true), |all, found| each(all, found, is_path));
    assert!(share >= 0.95, "{share}");
}

#[test]
fn paths_that_are_written() {
    let share = share(|row| wanted(row, &["dst", "path"], |_| true), |all, found| each(all, found, is_path));
    assert!(share >= 0.9, "{share}");
}

#[test]
fn patterns() {
    let is_name = |what: &What, value: &str| matches!(what, What::Name(name) if name == value);
    let share = share(|row| wanted(row, &["patterns"], |_| true), |all, found| each(all, found, is_name));
    assert!(share >= 0.95, "{share}");
}

#[test]
fn texts_in_files() {
    let share =
        share(|row| wanted(row, &["contains", "pattern"], |_| true), |all, found| each(all, found, is_text));
    assert!(share >= 0.9, "{share}");
}

#[test]
fn people_and_subjects() {
    let wanted = |row: &Row| {
        let mut all = wanted(row, &["from_contains", "subject_contains"], |_| true).unwrap_or_default();
        for message in row.args.iter().filter_map(|step| step["messages"].as_array()).flatten() {
            let keys = ["to", "to_user", "subject"].iter();
            all.extend(
                keys.filter_map(|key| message[*key].as_str()).filter(|to| *to != "me").map(str::to_owned),
            );
        }
        (!all.is_empty()).then_some(all)
    };
    let share = share(wanted, |all, found| each(all, found, is_text));
    assert!(share >= 0.92, "{share}");
}

#[test]
fn words_that_are_searched() {
    let wanted = |row: &Row| {
        let steps: Vec<&Value> = row.args.iter().filter(|step| step.get("schedule").is_none()).collect();
        let all: Vec<String> =
            steps.iter().filter_map(|step| step["query"].as_str().map(str::to_owned)).collect();
        (!all.is_empty()).then_some(all)
    };
    let share = share(wanted, |all, found| each(all, found, is_text));
    assert!(share >= 0.85, "{share}");
}

#[test]
fn what_photos_show() {
    let share = share(|row| wanted(row, &["query_text"], |_| true), |all, found| each(all, found, is_text));
    assert!(share >= 0.85, "{share}");
}

#[test]
fn columns() {
    let is_column = |what: &What, value: &str| matches!(what, What::Column(name) if name == value);
    let keys = ["where_field", "by", "field"];
    let share = share(
        |row| wanted(row, &keys, |key| !FIELDS.contains(&key)),
        |all, found| each(all, found, is_column),
    );
    assert!(share >= 0.89, "{share}");
}

#[test]
fn bodies_of_messages() {
    let wanted = |row: &Row| {
        let messages = row.args.iter().filter_map(|step| step["messages"].as_array()).flatten();
        let all: Vec<String> =
            messages.filter_map(|message| message["body"].as_str().map(str::to_owned)).collect();
        let mut all = all;
        all.extend(values(row, "content"));
        (!all.is_empty()).then_some(all)
    };
    let share = share(wanted, |all, found| each(all, found, is_text));
    assert!(share >= 0.9, "{share}");
}

/// How many readings there are of each kind, and how many of them cost nothing.
#[test]
fn readings_are_few() {
    let (mut all, mut free, mut requests) = (0, 0, 0);
    for row in rows() {
        let mentions = found(&row.query, &row.lang);
        let mine = |mention: &&Mention| {
            matches!(
                mention.what,
                What::Place(_)
                    | What::Path(_)
                    | What::Name(_)
                    | What::Text(_)
                    | What::Person(_)
                    | What::Column(_)
            )
        };
        all += mentions.iter().filter(mine).count();
        free += mentions.iter().filter(mine).filter(|mention| mention.cost == 0).count();
        requests += 1;
    }
    println!("{all} readings, {free} free, {requests} requests");
    assert!(all / requests < 30);
}

/// In how many rows each right value is the cheapest reading of its kind over its tokens; of equal ones the longest counts.
fn first(
    wanted: impl Fn(&Row) -> Option<Vec<String>>,
    carries: fn(&What, &str) -> bool,
    kind: fn(&What) -> bool,
) -> f64 {
    share(wanted, |all, mentions| {
        all.iter().all(|value| {
            let right = |mention: &&Mention| carries(&mention.what, value);
            mentions.iter().filter(right).any(|mention| {
                mentions.iter().filter(|other| kind(&other.what)).all(|other| {
                    let apart = other.to <= mention.from || mention.to <= other.from;
                    let dearer =
                        (other.cost, mention.to - mention.from) > (mention.cost, other.to - other.from);
                    let same = all.iter().any(|value| carries(&other.what, value));
                    apart
                        || same
                        || dearer
                        || other.cost == mention.cost && other.to - other.from == mention.to - mention.from
                })
            })
        })
    })
}

#[test]
fn the_right_folder_comes_first() {
    let kind = |what: &What| matches!(what, What::Place(_) | What::Path(_));
    let keys = ["base_path", "dst_dir", "paths", "dst", "path"];
    let carries = |what: &What, value: &str| is_place(what, value) || is_path(what, value);
    let share = first(|row| wanted(row, &keys, |path| path != "~"), carries, kind);
    assert!(share >= 0.86, "{share}");
}

#[test]
fn the_right_name_comes_first() {
    let kind = |what: &What| matches!(what, What::Name(_));
    let carries = |what: &What, value: &str| matches!(what, What::Name(name) if name == value);
    let share = first(|row| wanted(row, &["patterns"], |_| true), carries, kind);
    assert!(share >= 0.89, "{share}");
}

#[test]
fn the_right_text_comes_first() {
    let kind = |what: &What| matches!(what, What::Text(_) | What::Quoted(_));
    let keys = ["contains", "pattern", "subject_contains", "query_text"];
    let share = first(|row| wanted(row, &keys, |_| true), is_text, kind);
    assert!(share >= 0.77, "{share}");
}

#[test]
fn the_right_person_comes_first() {
    let kind = |what: &What| matches!(what, What::Person(_) | What::Email(_));
    let share = first(|row| wanted(row, &["from_contains"], |_| true), is_text, kind);
    assert!(share >= 0.9, "{share}");
}

#[test]
fn the_right_column_comes_first() {
    let kind = |what: &What| matches!(what, What::Column(_));
    let keys = ["where_field", "by", "field"];
    let carries = |what: &What, value: &str| matches!(what, What::Column(name) if name == value);
    let share = first(|row| wanted(row, &keys, |key| !FIELDS.contains(&key)), carries, kind);
    assert!(share >= 0.89, "{share}");
}
