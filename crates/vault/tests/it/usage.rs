//! Storing, listing, handing out.

use crate::house::{House, fields, token, token_of};
use metnos_executor::{ExecutorName, wire};
use metnos_vault::VaultError;
use std::io::{Read, Write};

fn executor(name: &str) -> ExecutorName {
    name.parse().unwrap()
}

fn names(list: &[&str]) -> Vec<String> {
    list.iter().map(|n| (*n).to_owned()).collect()
}

#[test]
fn what_is_stored_comes_back_also_to_a_later_process_and_only_names_are_listed() {
    let house = House::new();
    let vault = house.vault();
    vault.set("mail", fields(&[("username", "ann"), ("password", "p\"ä\\\n\0")])).unwrap();
    vault.set("github", token("ghp_1")).unwrap();
    drop(vault);
    let vault = house.vault();
    let mail = vault.get("mail").unwrap();
    assert_eq!(mail.fields.get("password").unwrap().expose(), "p\"ä\\\n\0");
    assert_eq!(mail.fields.get("username").unwrap().expose(), "ann");
    assert_eq!(mail.fields.iter().count(), 2);
    let listed = vault.list().unwrap();
    let shown: Vec<_> = listed.iter().map(|l| (l.name.as_str(), l.fields.len(), l.updated_at)).collect();
    let github = vault.get("github").unwrap();
    assert_eq!(shown, [("github", 1, github.updated_at), ("mail", 2, mail.updated_at)]);
    let mut values: Vec<String> = vault.values().unwrap().map(|v| v.expose().to_owned()).collect();
    values.sort();
    assert_eq!(values, ["ann", "ghp_1", "p\"ä\\\n\0"]);
}

#[test]
fn a_new_value_replaces_the_old_one_and_keeps_its_birth_and_bindings() {
    let house = House::new();
    let vault = house.vault();
    vault.set("github", token("old")).unwrap();
    vault.bind("github", &[executor("find_issues_github")]).unwrap();
    let before = vault.get("github").unwrap();
    assert_eq!(before.fields.get("token").unwrap().expose(), "old");
    vault.set("github", token("new")).unwrap();
    let after = vault.get("github").unwrap();
    assert_eq!(after.fields.get("token").unwrap().expose(), "new");
    assert_eq!((after.created_at, after.bindings), (before.created_at, before.bindings));
    assert!(after.updated_at > before.updated_at);
    assert_eq!(house.snapshot().len(), 2, "only the index and the current file stay");
}

#[test]
fn what_is_removed_is_gone_and_its_version_is_never_used_again() {
    let house = House::new();
    let vault = house.vault();
    vault.set("github", token("one")).unwrap();
    let first = house.snapshot();
    vault.remove("github").unwrap();
    assert!(matches!(vault.get("github"), Err(VaultError::Unknown { .. })));
    assert!(matches!(vault.remove("github"), Err(VaultError::Unknown { .. })));
    assert_eq!(vault.list().unwrap(), []);
    vault.set("github", token("two")).unwrap();
    assert!(house.snapshot().keys().all(|name| name == "index" || !first.contains_key(name)));
    assert_eq!(vault.generation().unwrap(), 3);
}

#[test]
fn a_call_gets_exactly_what_it_names_in_a_file_nobody_can_change() {
    let house = House::new();
    let vault = house.vault();
    vault.set("mail", fields(&[("username", "ann"), ("password", "\u{1}\"x\n")])).unwrap();
    vault.set("github", token("ghp_1")).unwrap();
    vault.set("other", token("not this one")).unwrap();
    let bundle = vault.for_call(&executor("read_messages"), &names(&["mail", "github", "mail"])).unwrap();
    assert_eq!(bundle.names().map(|n| n.as_str()).collect::<Vec<_>>(), ["mail", "github"]);
    let file = bundle.to_sealed_file().unwrap();
    let mut file = wire::accept_sealed(file.into(), 1 << 20).unwrap();
    let mut text = String::new();
    file.read_to_string(&mut text).unwrap();
    assert!(!text.contains("not this one"));
    let lines: Vec<serde_json::Value> = text.lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(
        lines,
        [
            serde_json::json!({"name": "mail", "fields": {"username": "ann", "password": "\u{1}\"x\n"}}),
            serde_json::json!({"name": "github", "fields": {"token": "ghp_1"}}),
        ]
    );
    assert!(file.write_all(b"x").is_err());
    let none = vault.for_call(&executor("find_files"), &[]).unwrap().to_sealed_file().unwrap();
    assert_eq!(none.metadata().unwrap().len(), 0);
}

#[test]
fn what_is_missing_comes_as_a_form_and_an_answer_resumes_the_call() {
    let house = House::new();
    let vault = house.vault();
    vault.set("github", token("ghp_1")).unwrap();
    let who = executor("read_messages");
    let wanted = names(&["github", "mail-work", "weather"]);
    let Err(VaultError::Missing(missing)) = vault.for_call(&who, &wanted) else { panic!("not missing") };
    let asked: Vec<_> = missing.forms.iter().map(|f| (f.name.as_str(), f.fields.len())).collect();
    assert_eq!(asked, [("mail-work", 2), ("weather", 1)]);
    for form in &missing.forms {
        let answers: Vec<_> = form.fields.iter().map(|f| (f.as_str(), "answer")).collect();
        vault.set(form.name.as_str(), fields(&answers)).unwrap();
    }
    assert_eq!(vault.for_call(&who, &wanted).unwrap().names().count(), 3);
}

#[test]
fn a_bound_credential_goes_to_its_executors_and_to_no_other() {
    let house = House::new();
    let vault = house.vault();
    vault.set("github", token("ghp_1")).unwrap();
    let (mine, foreign) = (executor("find_issues_github"), executor("read_messages"));
    assert!(vault.for_call(&foreign, &names(&["github"])).is_ok(), "unbound: the manifest decides");
    vault.bind("github", std::slice::from_ref(&mine)).unwrap();
    assert!(vault.for_call(&mine, &names(&["github"])).is_ok());
    let refused = vault.for_call(&foreign, &names(&["mail", "github"])).unwrap_err();
    assert!(matches!(&refused, VaultError::NotBound { .. }), "{refused}");
    vault.bind("github", &[]).unwrap();
    assert_eq!(token_of(&vault, "github").unwrap(), "ghp_1");
    assert!(vault.for_call(&foreign, &names(&["github"])).is_ok());
    assert!(matches!(vault.bind("nobody", &[mine]), Err(VaultError::Unknown { .. })));
}
