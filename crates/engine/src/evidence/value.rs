//! What a mention is as the value of an argument: types meet roles here, and nothing else decides.

use crate::catalog::Role;
use crate::clock::Clock;
use jiff::civil::{DateTime, Time};
use metnos_language::What;
use serde_json::{Value, json};

/// The values that `what` gives to the arguments of `role` and its twin: both ends of a range come from one mention.
pub(crate) fn values(what: &What, role: Role, clock: &Clock) -> Vec<(Role, Value)> {
    let one = |value: Value| vec![(role, value)];
    let text = |text: &str| vec![(role, Value::from(text))];
    match what {
        // Folders of messages and rooms are called by their names alone.
        What::Place(path) if matches!(role, Role::Folder | Role::DstFolder | Role::Location) => {
            path.strip_prefix("~/").map(&text).unwrap_or_default()
        }
        What::Place(path) if PLACES.contains(&role) => text(path),
        // `owner/name`
        What::Path(path) if role == Role::Repo => {
            let name = path.strip_prefix("~/").filter(|name| name.matches('/').count() == 1);
            name.map(&text).unwrap_or_default()
        }
        What::Place(path) if role == Role::NameTemplate => series(path).map_or_else(Vec::new, |it| text(&it)),
        What::Path(path) if PATHS.contains(&role) => text(path),
        What::Name(name) => match name_as(name, role) {
            Some(value) => text(&value),
            None => Vec::new(),
        },
        What::Extension(ending) => match role {
            Role::Patterns => text(&format!("*.{ending}")),
            Role::ToFormat | Role::ArchiveFormat | Role::WriteFormat => text(ending),
            _ => Vec::new(),
        },
        What::Kind(kind) if matches!(role, Role::Kind) => text(kind.name()),
        What::Size(least, most) if role == Role::SizeMin => {
            pair((Role::SizeMin, least.map(Value::from)), (Role::SizeMax, most.map(Value::from)))
        }
        What::Range(least, most) if role == Role::WhereMin => {
            pair((Role::WhereMin, least.map(number)), (Role::WhereMax, most.map(number)))
        }
        What::Window(from, to) => window(*from, *to, role, clock),
        What::Moment(at, timed) => moment(*at, *timed, role, clock),
        What::Length(minutes) if role == Role::Minutes => one(json!(minutes)),
        What::Length(minutes) if role == Role::End => one(json!({ "minutes": minutes })),
        What::DayPart(part) if role == Role::DayPart => text(part.name()),
        What::Schedule(schedule) if matches!(role, Role::Schedule | Role::Recurrence) => {
            text(&zoned(schedule, clock))
        }
        What::Number(n) if NUMBERS.contains(&role) => one(number(*n)),
        What::Number(n) if role == Role::Index && *n >= 1.0 => one(number(*n)),
        What::Ordinal(n) if matches!(role, Role::Index) => one(json!(n)),
        What::Quoted(said) | What::Text(said) if TEXTS.contains(&role) => text(said),
        What::Person(name) if PEOPLE.contains(&role) => text(name),
        What::Email(address) if ADDRESSES.contains(&role) => text(address),
        What::Url(url) if matches!(role, Role::Urls | Role::Site | Role::Body | Role::Repo) => text(url),
        What::Command(command) if matches!(role, Role::Command | Role::Signature) => text(command),
        What::Code(code) => {
            let digits = code.bytes().filter(u8::is_ascii_digit).count();
            let called = digits >= 6 && !code.contains(char::is_alphabetic);
            let is_taken = match role {
                Role::Phones => called,
                Role::Ids => !called && digits > 0,
                Role::Name | Role::Names => !called,
                _ => false,
            };
            if is_taken { text(code) } else { Vec::new() }
        }
        What::Zone(zone) if role == Role::Timezone => text(zone.name()),
        What::Expression(sum) if role == Role::Expression => text(sum),
        What::Column(column) if COLUMNS.contains(&role) => text(column),
        // Who sent something is a field by the name that its records have.
        What::Field(field) if role == Role::Field && field.name() == "sender" => text("from"),
        What::Field(field) if FIELDS.contains(&role) => text(field.name()),
        What::Group(group) if matches!(role, Role::DstDir) => text(&format!("{{{}}}", group.name())),
        What::Format(format) if FORMATS.contains(&role) => text(format.name()),
        What::Thing(thing) if matches!(role, Role::Folder | Role::DstFolder) => match thing.name() {
            "inbox" => text("INBOX"),
            "trash" => text("Trash"),
            "spam" => text("Spam"),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

const PLACES: [Role; 3] = [Role::Place, Role::DstDir, Role::Paths];
const PATHS: [Role; 9] = [
    Role::Paths,
    Role::Dst,
    Role::OutPath,
    Role::DstDir,
    Role::Attachments,
    Role::Place,
    Role::SimilarTo,
    Role::Reference,
    Role::Urls,
];
const NUMBERS: [Role; 13] = [
    Role::Limit,
    Role::AtMost,
    Role::Width,
    Role::Pids,
    Role::WhereMin,
    Role::WhereValue,
    Role::Phones,
    Role::Context,
    Role::Faces,
    Role::Times,
    Role::Quality,
    Role::Ids,
    Role::Values,
];
const TEXTS: [Role; 34] = [
    Role::Contains,
    Role::Pattern,
    Role::Text,
    Role::FirstText,
    Role::SecondText,
    Role::Query,
    Role::Queries,
    Role::Title,
    Role::Subject,
    Role::SubjectContains,
    Role::Body,
    Role::Content,
    Role::Shows,
    Role::NameTemplate,
    Role::Names,
    Role::Name,
    Role::WhereValue,
    Role::WhereContains,
    Role::Add,
    Role::Signature,
    Role::Location,
    Role::PersonName,
    Role::From,
    Role::Command,
    Role::Question,
    Role::Sheet,
    Role::Calendar,
    Role::Site,
    Role::Folder,
    Role::DstFolder,
    Role::ToUser,
    Role::Phones,
    Role::Repo,
    Role::Task,
];
const PEOPLE: [Role; 10] = [
    Role::From,
    Role::ToUser,
    Role::PersonName,
    Role::Query,
    Role::People,
    Role::Attendees,
    Role::Name,
    Role::Names,
    Role::Title,
    Role::Queries,
];
const ADDRESSES: [Role; 4] = [Role::To, Role::From, Role::Emails, Role::Attendees];
const COLUMNS: [Role; 6] =
    [Role::Field, Role::SortBy, Role::GroupBy, Role::WhereField, Role::Fields, Role::Key];
const FIELDS: [Role; 6] =
    [Role::Field, Role::SortBy, Role::GroupBy, Role::WhereField, Role::Fields, Role::Key];
const FORMATS: [Role; 4] = [Role::RenderFormat, Role::WriteFormat, Role::ToFormat, Role::ArchiveFormat];

fn pair(first: (Role, Option<Value>), second: (Role, Option<Value>)) -> Vec<(Role, Value)> {
    [first, second].into_iter().filter_map(|(role, value)| Some((role, value?))).collect()
}

/// Names in a series, from the first of them: what changes is the number at the end.
fn series(path: &str) -> Option<String> {
    let first = path.rsplit('/').next()?;
    let stem = first.strip_suffix('1')?;
    let open = stem.ends_with(|c: char| !c.is_ascii_digit() && c != '.');
    open.then(|| format!("{stem}{{counter}}.{{ext}}"))
}

/// A whole number without its point.
fn number(n: f64) -> Value {
    if n.fract() == 0.0 && n.abs() < 1e15 { json!(n as i64) } else { json!(n) }
}

/// A name that is looked for, as another argument takes it.
fn name_as(name: &str, role: Role) -> Option<String> {
    let bare = name.trim_matches('*');
    let whole = !name.contains(['*', '?']);
    Some(match role {
        Role::NameTemplate if !whole => series(bare)?,
        Role::Patterns => name.to_owned(),
        Role::OutPath | Role::Dst | Role::Attachments if whole => format!("~/{name}"),
        Role::NameTemplate if whole => name.to_owned(),
        Role::Name
        | Role::Names
        | Role::Query
        | Role::Contains
        | Role::Pattern
        | Role::Site
        | Role::Sheet
            if !bare.contains('*') =>
        {
            bare.to_owned()
        }
        _ => return None,
    })
}

fn window(from: Option<DateTime>, to: Option<DateTime>, role: Role, clock: &Clock) -> Vec<(Role, Value)> {
    let day = |at: Option<DateTime>| at.map(|at| Value::from(date(at, clock)));
    match role {
        Role::After => pair((Role::After, day(from)), (Role::Before, day(to))),
        Role::WhereAfter => pair((Role::WhereAfter, day(from)), (Role::WhereBefore, day(to))),
        Role::Window => match (from, to) {
            (Some(from), Some(to)) => {
                vec![(role, json!(format!("{}/{}", date(from, clock), date(to, clock))))]
            }
            _ => Vec::new(),
        },
        Role::Start => match (from, to) {
            (Some(from), Some(to)) if from.time() != Time::midnight() || to.time() != Time::midnight() => {
                vec![(Role::Start, json!(date(from, clock))), (Role::End, json!(date(to, clock)))]
            }
            _ => Vec::new(),
        },
        Role::Birthday => from.map(|from| vec![(role, json!(from.date().to_string()))]).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn moment(at: DateTime, timed: bool, role: Role, clock: &Clock) -> Vec<(Role, Value)> {
    match role {
        Role::Start | Role::End if timed => vec![(role, json!(date(at, clock)))],
        Role::Schedule if timed => vec![(role, json!(format!("at:{}", stamp(at, clock))))],
        Role::Birthday => vec![(role, json!(at.date().to_string()))],
        _ => Vec::new(),
    }
}

/// A day, or a moment with its offset where an hour was said.
fn date(at: DateTime, clock: &Clock) -> String {
    if at.time() == Time::midnight() { at.date().to_string() } else { stamp(at, clock) }
}

fn stamp(at: DateTime, clock: &Clock) -> String {
    clock.instant(at.date(), at.hour(), at.minute()).unwrap_or_else(|| at.to_string())
}

/// `at:` and a local moment, with its offset.
fn zoned(schedule: &str, clock: &Clock) -> String {
    let at = schedule.strip_prefix("at:").and_then(|at| at.parse::<DateTime>().ok());
    at.map_or_else(|| schedule.to_owned(), |at| format!("at:{}", stamp(at, clock)))
}

/// Whether the signs of a text make no sense but in a regular expression.
pub(super) fn is_regex(text: &str) -> bool {
    let letter = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric());
    let chars: Vec<char> = text.chars().collect();
    let either =
        (1..chars.len()).any(|at| chars[at] == '|' && letter(chars.get(at - 1)) && letter(chars.get(at + 1)));
    let classes = ["\\d", "\\w", "\\s", "\\b", ".*"];
    either || text.starts_with('^') || classes.iter().any(|class| text.contains(class))
}
