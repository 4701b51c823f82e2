//! What no key shows by itself: an open address without TLS, a key in clear text, a credential that nobody kept.

use super::check::{check, table_of, wrong};
use super::doors::{Serve, Telegram};
use super::table::TIERS;
use super::{Config, Wrong, refused};
use metnos_executor::Failure;
use metnos_executor::home::Home;
use metnos_llm::{Role, Tier};
use serde::de::DeserializeOwned;
use toml::de::DeTable;

/// Sections that can be read and must not be used as they are, whatever is wrong with the others.
pub(super) fn find(text: &str, document: &DeTable<'_>, found: &mut Vec<Wrong>) {
    let mut flawed = |path: &[&str], flaw: Option<String>| {
        if let Some(flaw) = flaw {
            found.push(wrong(text, at(document, path), &path.join("."), flaw, None));
        }
    };
    flawed(&["serve", "listen"], read::<Serve>(text, &["serve"]).and_then(|serve| serve.flaw()));
    flawed(&["telegram", "api"], read::<Telegram>(text, &["telegram"]).and_then(|door| door.flaw()));
    for role in Role::ALL {
        let tier = read::<Tier>(text, &[TIERS, role.word()]);
        flawed(&[TIERS, role.word(), "url"], tier.and_then(|tier| tier.flaw().map(str::to_owned)));
    }
}

/// Everything that is wrong with `text`, and the credentials it names that are not kept in this house.
pub fn check_in(home: &Home, text: &str) -> Vec<Wrong> {
    let mut found = check(text);
    let named = credentials(text);
    let whole = home.keys_dir().exists() && crate::house::restore::refuse_half(home).is_ok();
    if named.is_empty() || !whole {
        return found;
    }
    match crate::vault::open(home) {
        Err(failure) => found.push(wrong(text, None, "", failure.message, None)),
        Ok(vault) => found.extend(named.into_iter().filter_map(|named| {
            let failure = crate::vault::own_secret(&vault, &named.name).err()?;
            let hint = failure.hint.map(|hint| format!(": {hint}")).unwrap_or_default();
            Some(Wrong {
                line: named.line,
                key: named.key,
                what: format!("is not usable, {}{hint}", failure.message),
                near: None,
            })
        })),
    }
    found.sort();
    found
}

/// Refuses to begin with a configuration of which a part could not work.
pub fn ready(home: &Home) -> Result<(), Failure> {
    let path = Config::path(home);
    // What cannot be read is told by whoever reads it.
    let text = std::fs::read_to_string(&path).unwrap_or_default();
    match check_in(home, &text) {
        wrong if wrong.is_empty() => Ok(()),
        wrong => Err(refused(&path, &wrong)),
    }
}

/// A credential that is named, where, and by which key.
#[derive(Debug, PartialEq, Eq)]
struct Named {
    line: usize,
    key: String,
    name: String,
}

fn credentials(text: &str) -> Vec<Named> {
    let (document, errors) = DeTable::parse_recoverable(text);
    if !errors.is_empty() {
        return Vec::new();
    }
    let named = |path: &[&str], name: String| {
        let here = at(document.get_ref(), path).or_else(|| at(document.get_ref(), &[path[0], "enabled"]));
        let found = wrong(text, here, &path.join("."), String::new(), None);
        Named { line: found.line, key: found.key, name }
    };
    let door = read::<Telegram>(text, &["telegram"]).filter(|door| door.enabled);
    let tiers = Role::ALL.iter().filter_map(|role| {
        let name = read::<Tier>(text, &[TIERS, role.word()])?.credential?;
        Some(named(&[TIERS, role.word(), "credential"], name))
    });
    door.map(|door| named(&["telegram", "credential"], door.credential)).into_iter().chain(tiers).collect()
}

/// A section, if it is there and can be read.
fn read<T: DeserializeOwned>(text: &str, path: &[&str]) -> Option<T> {
    let whole = toml::Value::Table(text.parse().ok()?);
    path.iter().try_fold(&whole, |value, name| value.get(name))?.clone().try_into().ok()
}

/// Where the value of a key stands.
fn at(document: &DeTable<'_>, path: &[&str]) -> Option<usize> {
    let (key, sections) = path.split_last()?;
    let table = sections.iter().try_fold(document, |table, name| table_of(table, name))?;
    table.iter().find(|(known, _)| known.get_ref() == key).map(|(_, value)| value.span().start)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    #[test]
    fn a_flaw_has_its_line_beside_what_else_is_wrong() {
        let text = "[serve]\nlisten = \"0.0.0.0:8770\"\n[telegram]\napi = \"http://bot.example.org\"\n\
            [undo]\nkeep_dais = 3\n[tiers.wise]\nkind = \"openai\"\nmodel = \"m\"\n\
            url = \"http://models.example.org\"\ncredential = \"k\"\n";
        let found = check(text);
        let named: Vec<(usize, &str)> = found.iter().map(|one| (one.line, one.key.as_str())).collect();
        let all = [(2, "serve.listen"), (4, "telegram.api"), (6, "undo.keep_dais"), (10, "tiers.wise.url")];
        assert_eq!(named, all, "{found:#?}");
        assert!(found[1].what.contains("https"), "{found:?}");
    }

    #[test]
    fn a_credential_is_named_by_the_line_that_needs_it() {
        let names =
            |text: &str| credentials(text).into_iter().map(|n| (n.line, n.key, n.name)).collect::<Vec<_>>();
        assert_eq!(names("[telegram]\nenabled = false\n"), []);
        let door = (2, "telegram.credential".to_owned(), "telegram".to_owned());
        assert_eq!(names("[telegram]\nenabled = true\n"), [door]);
        let tier = "[tiers.fast]\nkind = \"openai\"\nurl = \"http://127.0.0.1:1\"\nmodel = \"m\"\n";
        assert_eq!(names(tier), []);
        let named = (5, "tiers.fast.credential".to_owned(), "models".to_owned());
        assert_eq!(names(&format!("{tier}credential = \"models\"\n")), [named]);
    }
}
