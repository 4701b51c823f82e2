//! No secret is ever shown or stored in the clear.

use crate::house::{House, fields};
use metnos_vault::{Fields, Secret, VaultError};

const SECRET: &str = "correct-horse-battery";
const NAME: &str = "very-private-service";

fn holds(bytes: &[u8], needle: &str) -> bool {
    bytes.windows(needle.len()).any(|w| w == needle.as_bytes())
}

#[test]
fn no_stored_file_shows_a_value_or_even_a_name() {
    let house = House::new();
    let vault = house.vault();
    vault.set(NAME, fields(&[("username", "ann-with-a-long-name"), ("password", SECRET)])).unwrap();
    let files = house.snapshot();
    assert_eq!(files.len(), 2);
    for (name, bytes) in &files {
        for needle in [SECRET, NAME, "ann-with-a-long-name", "password"] {
            assert!(!holds(bytes, needle) && !holds(name.as_bytes(), needle), "{needle} is in {name}");
        }
    }
    // Nor does a size tell how long a password is, nor two files that two passwords are the same.
    vault.set("a", fields(&[("password", "x")])).unwrap();
    vault.set("b", fields(&[("password", SECRET)])).unwrap();
    vault.set("c", fields(&[("password", SECRET)])).unwrap();
    let files = house.snapshot();
    assert_eq!(files["2.cred"].len(), files["3.cred"].len());
    assert_ne!(files["3.cred"][66..], files["4.cred"][66..]);
}

#[test]
fn no_debug_display_or_error_text_shows_a_value_or_the_key() {
    let house = House::new();
    let vault = house.vault();
    vault.set(NAME, fields(&[("password", SECRET)])).unwrap();
    let key = std::fs::read_to_string(house.key()).unwrap();
    let key = key.lines().nth(1).unwrap();
    let credential = vault.get(NAME).unwrap();
    let secret = credential.fields.get("password").unwrap();
    let bundle = vault.for_call(&"find_files".parse().unwrap(), &[NAME.to_owned()]).unwrap();
    let mut texts = vec![
        format!("{secret} {secret:?} {secret:#?} {secret:>40}"),
        format!("{credential:?} {credential:#?} {bundle:?} {vault:?} {:?}", vault.list().unwrap()),
    ];
    let mut errors: Vec<VaultError> = vec![
        vault.set(SECRET.to_uppercase().as_str(), fields(&[("password", SECRET)])).unwrap_err(),
        Fields::new([(format!("{SECRET} "), Secret::new(SECRET.to_owned()))]).unwrap_err(),
        Fields::new(["f", "f"].map(|name| (name, Secret::new(SECRET.to_owned())))).unwrap_err(),
        Fields::new([("f", Secret::new(SECRET.repeat(10_000)))]).unwrap_err(),
    ];
    std::fs::write(house.file("1.cred"), SECRET).unwrap();
    errors.push(vault.get(NAME).unwrap_err());
    std::fs::write(house.key(), format!("metnos-vault-key 1\n{key}x\n")).unwrap();
    errors.push(house.open().unwrap_err());
    texts.extend(errors.iter().map(|e| format!("{e} {e:?} {:?}", e.hint())));
    for text in texts {
        let lower = text.to_lowercase();
        assert!(!lower.contains(SECRET) && !lower.contains(key), "{text}");
    }
}

#[test]
fn a_protected_process_cannot_be_dumped() {
    // For the rest of this test process; it concerns no other test.
    metnos_vault::protect_process().unwrap();
    let now = rustix::process::dumpable_behavior().unwrap();
    assert_eq!(now, rustix::process::DumpableBehavior::NotDumpable);
}
