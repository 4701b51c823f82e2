//! Birth tests as data: what to set up, what to call, what must come back. Running them is the
//! caller's job, inside the real sandbox.

mod stage;

pub use stage::{Lent, Route, Sent, Server};

use crate::document::{Field, ManifestError, Problem, Source, Table};
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Map, Value};

const BIRTH_MAX: usize = 4 << 20;

/// All cases of `tests/birth.toml`, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Birth {
    /// At least one.
    pub cases: Vec<Case>,
}

/// One promise.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// The promise, in words.
    pub name: String,
    /// Made before the call, in order, in a folder of this case's own.
    pub files: Vec<Setup>,
    /// The arguments.
    pub input: Map<String, Value>,
    /// Fields that must be equal in the outcome; tables may have more.
    pub expect: Map<String, Value>,
    /// When given, the list has exactly these items, each with at least these fields.
    pub items: Option<Vec<Value>>,
    /// What must be true of the folder afterwards.
    pub after: Vec<After>,
    /// Servers that stand for hosts the manifest names.
    pub servers: Vec<Server>,
    /// Credentials of this case alone.
    pub credentials: Lent,
}

/// One thing to make.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// Relative to the case's folder; never leaves it.
    pub path: String,
    /// What to make.
    pub what: Made,
    /// Its modification time.
    pub mtime: Option<jiff::Timestamp>,
}

/// What a setup line makes.
#[derive(Clone, Debug, PartialEq)]
pub enum Made {
    /// A file with these bytes.
    File(Vec<u8>),
    /// A directory.
    Dir,
    /// A symbolic link with this target.
    Link(String),
}

/// One thing to look at afterwards.
#[derive(Clone, Debug, PartialEq)]
pub struct After {
    /// Relative to the case's folder.
    pub path: String,
    /// What must stand there; `None` means nothing may.
    pub what: Option<Made>,
}

type Read<T> = Result<T, ManifestError>;

impl Birth {
    /// How many cases an executor needs to be admitted: ordinary, empty, and one that must fail.
    pub const LEAST: usize = 3;

    /// Reads the bytes of `file`.
    pub fn parse(bytes: &[u8], file: &str) -> Read<Self> {
        let source = Source::new(bytes, file, BIRTH_MAX)?;
        let tree = source.parse()?;
        let root = Table::root(source, &tree);
        root.only(&["case"])?;
        let field = root.need("case")?;
        let cases = field.list()?.iter().map(case).collect::<Read<Vec<_>>>()?;
        if cases.is_empty() {
            return Err(field.wrong("at least one case"));
        }
        Ok(Self { cases })
    }
}

fn case(field: &Field<'_>) -> Read<Case> {
    let table = field.table()?;
    table.only(&["name", "files", "input", "expect", "items", "after", "server", "credentials"])?;
    let object = |key: &str| -> Read<Option<Map<String, Value>>> {
        let Some(field) = table.get(key) else { return Ok(None) };
        field.table()?;
        Ok(field.json()?.as_object().cloned())
    };
    let list = |key: &str| table.get(key).map_or(Ok(Vec::new()), |field| field.list());
    let expect = object("expect")?.ok_or_else(|| table.error("expect", Problem::Missing))?;
    let items = match table.get("items") {
        None => None,
        Some(field) => Some(field.list()?.iter().map(Field::json).collect::<Read<Vec<_>>>()?),
    };
    Ok(Case {
        name: table.need("name")?.text()?.to_owned(),
        files: list("files")?.iter().map(setup).collect::<Read<_>>()?,
        input: object("input")?.unwrap_or_default(),
        expect,
        items,
        after: list("after")?.iter().map(after).collect::<Read<_>>()?,
        servers: stage::servers(&table)?,
        credentials: stage::credentials(&table)?,
    })
}

fn setup(field: &Field<'_>) -> Read<Setup> {
    let table = field.table()?;
    table.only(&["path", "text", "b64", "dir", "link", "mtime"])?;
    Ok(Setup {
        path: inside(&table.need("path")?)?,
        what: made(&table)?.ok_or_else(|| field.wrong("one of text, b64, dir, link"))?,
        mtime: table.get("mtime").map(|field| field.moment()).transpose()?,
    })
}

fn after(field: &Field<'_>) -> Read<After> {
    let table = field.table()?;
    table.only(&["path", "text", "b64", "dir", "link", "absent"])?;
    let absent = table.get("absent").map_or(Ok(false), |field| field.flag())?;
    let what = made(&table)?;
    if absent == what.is_some() {
        return Err(field.wrong("one of text, b64, dir, link, absent"));
    }
    Ok(After { path: inside(&table.need("path")?)?, what })
}

fn made(table: &Table<'_>) -> Read<Option<Made>> {
    let mut all = Vec::new();
    if let Some(field) = table.get("text") {
        all.push(Made::File(field.text()?.as_bytes().to_vec()));
    }
    if let Some(field) = table.get("b64") {
        all.push(Made::File(STANDARD.decode(field.text()?).map_err(|_| field.wrong("base64"))?));
    }
    if let Some(field) = table.get("link") {
        all.push(Made::Link(field.text()?.to_owned()));
    }
    if let Some(field) = table.get("dir") {
        if !field.flag()? {
            return Err(field.wrong("true"));
        }
        all.push(Made::Dir);
    }
    if all.len() > 1 {
        let problem = Problem::Incoherent("text, b64, dir and link exclude each other".to_owned());
        return Err(table.error("path", problem));
    }
    Ok(all.pop())
}

/// A path that stays in the folder of its case.
fn inside(field: &Field<'_>) -> Read<String> {
    use std::path::{Component, Path};
    let text = field.text()?;
    let plain = Path::new(text).components().all(|c| matches!(c, Component::Normal(_)));
    if text.is_empty() || !plain || text.contains('\0') {
        return Err(field.wrong("a relative path without `..`"));
    }
    Ok(text.to_owned())
}

impl Case {
    /// The case with `${dir}` replaced by the folder it runs in, in every text of its data.
    pub fn in_dir(&self, dir: &str) -> Self {
        let map = |map: &Map<String, Value>| match placed(&Value::Object(map.clone()), dir) {
            Value::Object(map) => map,
            _ => Map::new(),
        };
        let link = |what: &Made| match what {
            Made::Link(target) => Made::Link(target.replace("${dir}", dir)),
            other => other.clone(),
        };
        Self {
            name: self.name.clone(),
            files: self.files.iter().map(|s| Setup { what: link(&s.what), ..s.clone() }).collect(),
            input: map(&self.input),
            expect: map(&self.expect),
            items: self.items.as_ref().map(|items| items.iter().map(|i| placed(i, dir)).collect()),
            after: self
                .after
                .iter()
                .map(|a| After { path: a.path.clone(), what: a.what.as_ref().map(link) })
                .collect(),
            servers: self.servers.clone(),
            credentials: self.credentials.clone(),
        }
    }
}

fn placed(value: &Value, dir: &str) -> Value {
    match value {
        Value::String(text) => Value::String(text.replace("${dir}", dir)),
        Value::Array(items) => items.iter().map(|item| placed(item, dir)).collect(),
        Value::Object(map) => map.iter().map(|(k, v)| (k.clone(), placed(v, dir))).collect(),
        other => other.clone(),
    }
}

/// Whether what came back keeps the promise of `case`; if not, the first thing that differs.
pub fn matches(case: &Case, outcome: &Value, items: &[Value]) -> Result<(), String> {
    for (key, expected) in &case.expect {
        let found = outcome.get(key).ok_or_else(|| format!("{key}: expected {expected}, found nothing"))?;
        agrees(expected, found, key)?;
    }
    let Some(expected) = &case.items else { return Ok(()) };
    if expected.len() != items.len() {
        return Err(format!("items: expected {}, found {}", expected.len(), items.len()));
    }
    let pairs = expected.iter().zip(items).enumerate();
    pairs.into_iter().try_for_each(|(i, (expected, found))| agrees(expected, found, &format!("items/{i}")))
}

/// Equal, except that a table may have more fields than were asked for.
fn agrees(expected: &Value, found: &Value, place: &str) -> Result<(), String> {
    let differs = || Err(format!("{place}: expected {expected}, found {found}"));
    match (expected, found) {
        (Value::Object(expected), Value::Object(found)) => {
            for (key, expected) in expected {
                let place = format!("{place}/{key}");
                match found.get(key) {
                    None => return Err(format!("{place}: expected {expected}, found nothing")),
                    Some(found) => agrees(expected, found, &place)?,
                }
            }
            Ok(())
        }
        (Value::Array(expected), Value::Array(found)) => {
            if expected.len() != found.len() {
                return differs();
            }
            let pairs = expected.iter().zip(found).enumerate();
            pairs.into_iter().try_for_each(|(i, (e, f))| agrees(e, f, &format!("{place}/{i}")))
        }
        (Value::Number(e), Value::Number(f)) if e.as_f64() == f.as_f64() => Ok(()),
        (expected, found) if expected == found => Ok(()),
        _ => differs(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use serde_json::json;

    const GOOD: &str = r#"
[[case]]
name = "finds what is there"
files = [
  { path = "a/x.txt", text = "hello" },
  { path = "b.bin", b64 = "AAE=" },
  { path = "empty", dir = true },
  { path = "loop", link = "${dir}/loop" },
  { path = "old.txt", text = "", mtime = 2020-01-01T00:00:00Z },
]
input = { base_path = "${dir}/a", deep = [{ x = "${dir}" }] }
expect = { ok = true, ok_count = 1, metadata = { zone = "x" } }
items = [{ name = "x.txt", size = 5 }]
after = [{ path = "a/x.txt", text = "hello" }, { path = "gone", absent = true }]
"#;

    #[test]
    fn a_case_is_read_in_full_and_placed_in_its_folder() {
        let birth = Birth::parse(GOOD.as_bytes(), "birth.toml").unwrap();
        let case = birth.cases[0].in_dir("/t/1");
        assert_eq!(case.files[0].what, Made::File(b"hello".to_vec()));
        assert_eq!(case.files[1].what, Made::File(vec![0, 1]));
        assert_eq!(case.files[3].what, Made::Link("/t/1/loop".into()));
        assert_eq!(case.files[4].mtime.unwrap().as_second(), 1_577_836_800);
        assert_eq!(case.input["base_path"], "/t/1/a");
        assert_eq!(case.input["deep"][0]["x"], "/t/1");
        assert_eq!(case.after[1], After { path: "gone".into(), what: None });
    }

    #[test]
    fn a_promise_is_kept_or_the_first_difference_is_named() {
        let case = Birth::parse(GOOD.as_bytes(), "birth.toml").unwrap().cases.remove(0);
        let outcome =
            json!({"ok": true, "ok_count": 1, "fail_count": 0, "metadata": {"zone": "x", "more": 1}});
        let items = [json!({"name": "x.txt", "size": 5, "_origin": "local"})];
        assert_eq!(matches(&case, &outcome, &items), Ok(()));
        assert_eq!(matches(&case, &outcome, &[]), Err("items: expected 1, found 0".into()));
        let wrong = [json!({"name": "y.txt", "size": 5})];
        let said = matches(&case, &outcome, &wrong).unwrap_err();
        assert_eq!(said, "items/0/name: expected \"x.txt\", found \"y.txt\"");
        let said = matches(&case, &json!({"ok": true, "metadata": {"zone": "x"}}), &items).unwrap_err();
        assert_eq!(said, "ok_count: expected 1, found nothing");
    }

    #[test]
    fn mistakes_have_a_place_and_no_path_leaves_the_folder() {
        let said = |text: &str| Birth::parse(text.as_bytes(), "birth.toml").unwrap_err().to_string();
        assert_eq!(said(""), "birth.toml:1:1: case: is required");
        assert_eq!(said("case = []"), "birth.toml:1:8: case: expected at least one case, found a list");
        assert!(said("[[case]]\nname = \"x\"\n").contains("[case[0]] expect: is required"));
        assert!(
            said("[[case]]\nnmae = \"x\"\n")
                .contains("birth.toml:2:1: [case[0]] nmae: unknown key; nearest: \"name\"")
        );
        for path in ["../x", "/etc/x", "", "a/../../x"] {
            let text = format!("[[case]]\nname=\"x\"\nexpect={{}}\nfiles=[{{path=\"{path}\",text=\"\"}}]");
            assert!(said(&text).contains("a relative path without"), "{path}");
        }
        let both = "[[case]]\nname=\"x\"\nexpect={}\nfiles=[{path=\"x\",text=\"\",dir=true}]";
        assert!(said(both).contains("exclude each other"));
        assert!(Birth::parse(&[0xff; 64], "birth.toml").is_err());
    }
}
