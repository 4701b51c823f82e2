//! Everything that is wrong with a configuration, with its line and the nearest right word; and every key in force.

use super::table::{Key, SECTIONS, TIER, TIER_NEEDS, TIERS};
use super::{Config, flaws};
use metnos_executor::Failure;
use metnos_llm::Role;
use serde::Serialize;
use std::path::Path;
use toml::de::{DeTable, DeValue};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Wrong {
    /// In which line, from one; 0 when it is about the whole.
    pub line: usize,
    /// Which key or section.
    pub key: String,
    /// What is wrong.
    pub what: String,
    /// The word that was probably meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub near: Option<String>,
}

impl Wrong {
    /// As a person reads it, with the file it is in.
    pub fn told(&self, path: &Path) -> String {
        let line = if self.line > 0 { format!(", line {}", self.line) } else { String::new() };
        let key = if self.key.is_empty() { String::new() } else { format!("{} ", self.key) };
        let near = self.near.as_ref().map(|near| format!("; is {near} meant?")).unwrap_or_default();
        format!("{}{line}: {key}{}{near}", path.display(), self.what)
    }
}

/// One key in force.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct InForce {
    /// `section.key`.
    pub key: String,
    /// Its value, as it would be written; empty when it is absent.
    pub value: String,
    /// Its default.
    pub default: String,
    /// `default`, or the line that says it.
    pub from: String,
}

/// Everything that is wrong with `text`, by line. Nothing found means that it is taken as it is.
pub fn check(text: &str) -> Vec<Wrong> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut found: Vec<Wrong> = errors
        .iter()
        .map(|error| wrong(text, error.span().map(|span| span.start), "", error.message().to_owned(), None))
        .collect();
    if found.is_empty() {
        walk(text, document.get_ref(), &mut found);
        flaws::find(text, document.get_ref(), &mut found);
    }
    // What the table does not know the reader does: what is green here is taken there.
    if found.is_empty()
        && let Err(error) = toml::from_str::<Config>(text)
    {
        found.push(wrong(text, error.span().map(|span| span.start), "", error.message().to_owned(), None));
    }
    found.sort();
    found
}

fn walk(text: &str, document: &DeTable<'_>, found: &mut Vec<Wrong>) {
    let sections: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).chain([TIERS]).collect();
    for (name, value) in document.iter() {
        let at = Some(name.span().start);
        let name: &str = name.get_ref();
        let keys = SECTIONS.iter().find(|(known, _)| *known == name);
        let table = value.get_ref().as_table();
        match (keys, table) {
            (Some((_, keys)), Some(table)) => section(text, name, keys, table, found),
            (None, Some(table)) if name == TIERS => tiers(text, table, found),
            (Some(_), None) => found.push(wrong(text, at, name, format!("is a section: [{name}]"), None)),
            _ => {
                let near = metnos_vocab::nearest(name, sections.iter().copied());
                // A key without its section is one of the keys we know, more often than not.
                let home = SECTIONS.iter().find(|(_, keys)| keys.iter().any(|(key, ..)| *key == name));
                let what = match home.filter(|_| table.is_none()) {
                    Some((section, _)) => format!("belongs below [{section}]"),
                    None => unknown("section", near, &sections),
                };
                found.push(wrong(text, at, name, what, near));
            }
        }
    }
}

fn section(text: &str, name: &str, keys: &[Key], table: &DeTable<'_>, found: &mut Vec<Wrong>) {
    for (key, value) in table.iter() {
        let path = format!("{name}.{}", key.get_ref());
        match keys.iter().find(|(known, ..)| *known == key.get_ref().as_ref()) {
            None => {
                let known: Vec<&str> = keys.iter().map(|(known, ..)| *known).collect();
                let near = metnos_vocab::nearest(key.get_ref(), known.iter().copied());
                let what = unknown("key", near, &known);
                found.push(wrong(text, Some(key.span().start), &path, what, near));
            }
            Some((_, takes, _)) => {
                if let Some(why) = takes.refuses(value.get_ref()) {
                    found.push(wrong(text, Some(value.span().start), &path, why, None));
                }
            }
        }
    }
}

fn tiers(text: &str, table: &DeTable<'_>, found: &mut Vec<Wrong>) {
    for (role, value) in table.iter() {
        let at = Some(role.span().start);
        let path = format!("{TIERS}.{}", role.get_ref());
        if !Role::ALL.iter().any(|known| known.word() == role.get_ref().as_ref()) {
            let known: Vec<&str> = Role::ALL.iter().map(|known| known.word()).collect();
            let near = metnos_vocab::nearest(role.get_ref(), known.iter().copied());
            found.push(wrong(text, at, &path, unknown("role", near, &known), near));
            continue;
        }
        let Some(keys) = value.get_ref().as_table() else {
            found.push(wrong(text, at, &path, format!("is a section: [{path}]"), None));
            continue;
        };
        section(text, &path, TIER, keys, found);
        for need in TIER_NEEDS.iter().filter(|need| !keys.iter().any(|(key, _)| key.get_ref() == *need)) {
            found.push(wrong(text, at, &path, format!("has no {need}"), None));
        }
    }
}

/// A word that is none of the known ones; where none of these is near, all of them are named.
fn unknown(kind: &str, near: Option<&str>, known: &[&str]) -> String {
    match near {
        Some(_) => format!("is not a {kind} that is known"),
        None => format!("is not a {kind} that is known; there are {}", known.join(", ")),
    }
}

pub(super) fn wrong(text: &str, at: Option<usize>, key: &str, what: String, near: Option<&str>) -> Wrong {
    Wrong {
        line: at.map_or(0, |at| line(text, at)),
        key: key.to_owned(),
        what,
        near: near.map(str::to_owned),
    }
}

fn line(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|byte| *byte == b'\n').count() + 1
}

/// Every key in force, in the order of the sections.
pub fn in_force(text: &str) -> Result<Vec<InForce>, Failure> {
    let document = DeTable::parse(text).map_err(|e| Failure::wrong_args(e.message().to_owned()))?;
    let document = document.get_ref();
    let mut rows = Vec::new();
    for (name, keys) in SECTIONS {
        rows_of(text, name, keys, table_of(document, name), &mut rows);
    }
    if let Some(tiers) = table_of(document, TIERS) {
        for role in Role::ALL {
            if let Some(table) = table_of(tiers, role.word()) {
                rows_of(text, &format!("{TIERS}.{}", role.word()), TIER, Some(table), &mut rows);
            }
        }
    }
    Ok(rows)
}

pub(super) fn table_of<'t, 'i>(table: &'t DeTable<'i>, name: &str) -> Option<&'t DeTable<'i>> {
    table.iter().find(|(key, _)| key.get_ref() == name).and_then(|(_, value)| value.get_ref().as_table())
}

fn rows_of(text: &str, name: &str, keys: &[Key], table: Option<&DeTable<'_>>, rows: &mut Vec<InForce>) {
    for (key, _, default) in keys {
        let default = default.unwrap_or_default().to_owned();
        let said = table.and_then(|table| table.iter().find(|(known, _)| known.get_ref() == key));
        let (value, from) = match said {
            Some((key, value)) => (written(text, value), format!("line {}", line(text, key.span().start))),
            None => (default.clone(), "default".into()),
        };
        rows.push(InForce { key: format!("{name}.{key}"), value, default, from });
    }
}

/// A value as it stands in the file.
fn written(text: &str, value: &toml::Spanned<DeValue<'_>>) -> String {
    text.get(value.span()).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn everything_wrong_is_named_at_once_with_its_line() {
        let text = "[undo]\nkeep_dais = 3\nbudget_mb = -1\n\n[skils]\nsystem = true\n\n[serve]\ntls = \"onw\"\n\
            listen = \"8770\"\n\n[tiers.wize]\nurl = 1\n\n[tiers.fast]\nkind = \"openai\"\n\n[person]\nzone = \"Europe/Roma\"\n";
        let found = check(text);
        let named: Vec<(usize, &str)> = found.iter().map(|w| (w.line, w.key.as_str())).collect();
        assert_eq!(
            named,
            [
                (2, "undo.keep_dais"),
                (3, "undo.budget_mb"),
                (5, "skils"),
                (9, "serve.tls"),
                (10, "serve.listen"),
                (12, "tiers.wize"),
                (15, "tiers.fast"),
                (15, "tiers.fast"),
                (19, "person.zone"),
            ],
            "{found:#?}"
        );
        assert_eq!(found[0].near.as_deref(), Some("keep_days"));
        assert_eq!(found[2].near.as_deref(), Some("skills"));
        assert!(found[3].what.contains("\"own\""), "{found:?}");
        assert!(found[8].what.contains("Europe/Rome"), "{found:?}");
        assert_eq!(check("[undo\nx = = 1\n").first().unwrap().line, 1);
    }

    #[test]
    fn what_is_green_here_is_taken_there_and_the_other_way_round() {
        let mut all = String::new();
        for (name, keys) in SECTIONS {
            all.push_str(&format!("[{name}]\n"));
            for (key, _, default) in *keys {
                if let Some(default) = default {
                    all.push_str(&format!("{key} = {default}\n"));
                }
            }
        }
        assert_eq!(check(&all), []);
        let parse = |text: &str| Config::parse(text, Path::new("c"));
        assert_eq!(parse(&all).unwrap(), Config::default(), "the defaults of the table are the real ones");
        let tier = "[tiers.fast]\nkind = \"openai\"\nurl = \"http://127.0.0.1:1\"\nmodel = \"m\"\n";
        let bad = [
            "[serve]\nlisten = \"0.0.0.0:8770\"\n",
            "[serve]\nlisten = \"localhost:8770\"\n",
            "[serve]\nnames = [\"a b\"]\n",
            "[serve]\npublic_url = \"ftp://x\"\n",
            "[telegram]\napi = \"https://me:x@h\"\n",
            "[telegram]\npoll_seconds = 0\n",
            "[telegram]\napi = \"http://bot.example.org\"\n",
            "[telegram]\napi = \"http://127.0.0.1.example.org\"\n",
            "[logs]\nkeep_days = \"a\"\n",
            "[person]\nlanguage = \"de\"\n",
            "keep_days = 3\n",
            "undo = 3\n",
            &format!("{tier}price_in = -1\n"),
            &format!("{tier}grammar = \"x\"\n"),
        ];
        for text in bad {
            assert!(!check(text).is_empty() && parse(text).is_err(), "{text}");
        }
        let good = [
            "[serve]\nlisten = \"0.0.0.0:8770\"\ntls = \"own\"\nnames = [\"butler.example\"]\n",
            "[serve]\nlisten = \"[::1]:8770\"\npublic_url = \"https://butler.example/\"\n",
            "[telegram]\napi = \"http://127.0.0.1:8081\"\n",
            "[telegram]\napi = \"http://[::1]:8081/bot\"\n",
            "[person]\nlanguage = \"it\"\nzone = \"Europe/Rome\"\n",
            &format!("{tier}price_in = 0.15\ngrammar = \"gbnf\"\n"),
        ];
        for text in good {
            assert_eq!(check(text), [], "{text}");
            assert!(parse(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn every_key_is_shown_with_where_it_comes_from() {
        let rows = in_force("[undo]\nkeep_days = 3\n").unwrap();
        let row = |key: &str| rows.iter().find(|row| row.key == key).unwrap().clone();
        assert_eq!((row("undo.keep_days").value, row("undo.keep_days").from), ("3".into(), "line 2".into()));
        assert_eq!(row("serve.listen").from, "default");
        assert!(!rows.iter().any(|row| row.key.starts_with("tiers")));
    }
}
