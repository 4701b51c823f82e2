//! What is too big, empty or hostile.

use crate::house::{House, fields, token, token_of};
use metnos_vault::{CREDENTIALS_MAX, FIELDS_MAX, Fields, Name, Secret, VALUE_MAX, VaultError};

fn secret(size: usize) -> Secret {
    Secret::new("x".repeat(size))
}

#[test]
fn big_and_empty_values_are_kept_and_bigger_ones_refused() {
    let house = House::new();
    let vault = house.vault();
    let big: Vec<_> = (0..4).map(|n| (format!("f{n}"), secret(VALUE_MAX))).collect();
    vault.set("big", Fields::new(big).unwrap()).unwrap();
    assert_eq!(vault.get("big").unwrap().fields.get("f3").unwrap().expose().len(), VALUE_MAX);
    vault.set("empty", fields(&[("token", ""), ("user", "ann")])).unwrap();
    assert_eq!(token_of(&vault, "empty").unwrap(), "");
    assert_eq!(vault.values().unwrap().count(), 5, "an empty text is nothing to redact");

    let too_big = |fields: Result<Fields, VaultError>| matches!(fields, Err(VaultError::TooBig { .. }));
    assert!(too_big(Fields::new([("f", secret(VALUE_MAX + 1))])));
    assert!(too_big(Fields::new((0..5).map(|n| (format!("f{n}"), secret(VALUE_MAX))))));
    assert!(too_big(Fields::new((0..=FIELDS_MAX).map(|n| (format!("f{n}"), secret(1))))));
    assert!(Fields::new((0..FIELDS_MAX).map(|n| (format!("f{n}"), secret(1)))).is_ok());
    assert!(matches!(Fields::new(std::iter::empty::<(&str, Secret)>()), Err(VaultError::NoFields)));
    assert!(matches!(Fields::new([("f", secret(1)), ("f", secret(2))]), Err(VaultError::Twice { .. })));
}

#[test]
fn a_full_vault_says_so_and_still_takes_changes() {
    let house = House::new();
    let vault = house.vault();
    for n in 0..CREDENTIALS_MAX {
        vault.set(&format!("c{n}"), token("x")).unwrap();
    }
    assert!(matches!(vault.set("one-more", token("x")), Err(VaultError::TooBig { .. })));
    vault.set("c7", token("changed")).unwrap();
    assert_eq!(token_of(&house.vault(), "c7").unwrap(), "changed");
    vault.remove("c8").unwrap();
    vault.set("one-more", token("x")).unwrap();
    assert_eq!(vault.list().unwrap().len(), CREDENTIALS_MAX);
}

#[test]
fn a_call_cannot_carry_away_the_whole_vault() {
    let house = House::new();
    let vault = house.vault();
    let names: Vec<String> = (0..20).map(|n| format!("c{n}")).collect();
    for name in &names {
        // Characters that grow six times in JSON.
        let value = "\u{1}".repeat(VALUE_MAX);
        vault.set(name, token(&value)).unwrap();
    }
    let bundle = vault.for_call(&"read_messages".parse().unwrap(), &names).unwrap();
    assert!(matches!(bundle.to_sealed_file(), Err(VaultError::TooBig { .. })));
}

#[test]
fn a_hostile_name_is_refused_everywhere_and_never_repeated() {
    let house = House::new();
    let vault = house.vault();
    vault.set("github", token("x")).unwrap();
    let before = house.snapshot();
    let long = "a".repeat(65);
    let hostile = [
        "",
        ".",
        "..",
        "../x",
        "a/b",
        "/etc/passwd",
        "A",
        "Ä",
        "a b",
        "a\0b",
        "a\n",
        "index.",
        "*",
        "$HOME",
        "%s",
        "a\u{202e}b",
        "１",
        &long,
    ];
    for name in hostile {
        let list = [name.to_owned()];
        for refused in [
            vault.set(name, token("x")).unwrap_err(),
            vault.get(name).unwrap_err(),
            vault.remove(name).unwrap_err(),
            vault.bind(name, &[]).unwrap_err(),
            vault.for_call(&"find_files".parse().unwrap(), &list).unwrap_err(),
            Fields::new([(name, secret(1))]).unwrap_err(),
        ] {
            assert!(matches!(refused, VaultError::BadName), "{name:?}: {refused}");
            assert!(refused.hint().unwrap().contains("a-z"));
        }
    }
    assert_eq!(house.snapshot(), before);
    for name in ["a", "index", "lock", "0", "-", "_", &"z".repeat(64)] {
        assert_eq!(Name::parse(name).unwrap().as_str(), name);
        vault.set(name, token(name)).unwrap();
    }
    assert_eq!(token_of(&vault, "index").unwrap(), "index");
}
