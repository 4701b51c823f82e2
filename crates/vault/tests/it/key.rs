//! The key: who may read it, where it comes from, what happens without it.

use crate::house::{House, clock, token, token_of};
use metnos_vault::{Vault, VaultError};
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn open_with(house: &House, credentials: &Path) -> Result<Vault, VaultError> {
    let (root, dir) = (house.root.path(), credentials.as_os_str().to_owned());
    let env = move |name: &str| (name == "CREDENTIALS_DIRECTORY").then(|| OsString::from(&dir));
    Vault::open(&root.join("config"), &root.join("state"), env, clock)
}

#[test]
fn everything_is_for_the_owner_only() {
    let house = House::new();
    house.vault().set("github", token("x")).unwrap();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&house.key()), mode(house.key().parent().unwrap())), (0o600, 0o700));
    assert_eq!(mode(&house.dir()), 0o700);
    for name in ["index", "lock", "1.cred"] {
        assert_eq!(mode(&house.file(name)), 0o600, "{name}");
    }
}

#[test]
fn a_key_others_can_read_is_refused_at_each_opening_with_the_remedy() {
    let house = House::new();
    house.vault();
    for mode in [0o640, 0o604, 0o620, 0o666, 0o610] {
        chmod(&house.key(), mode);
        let error = house.open().unwrap_err();
        assert!(matches!(error, VaultError::KeyOpen { mode: found, .. } if found == mode), "{error}");
        assert_eq!(error.hint().unwrap(), format!("chmod 600 {}", house.key().display()));
    }
    chmod(&house.key(), 0o600);
    house.vault();
}

#[test]
fn a_key_of_somebody_else_is_refused() {
    let house = House::new();
    house.vault();
    // Only root can give a file away; for anybody else there is nothing to try.
    if std::os::unix::fs::chown(house.key(), Some(12_345), None).is_err() {
        return;
    }
    let error = house.open().unwrap_err();
    assert!(matches!(error, VaultError::KeyForeign { .. }), "{error}");
    assert!(error.hint().unwrap().contains("chown"));
}

#[test]
fn a_lost_or_foreign_key_is_named_and_never_silently_replaced() {
    let house = House::new();
    house.vault().set("github", token("x")).unwrap();
    let key = std::fs::read(house.key()).unwrap();
    std::fs::remove_file(house.key()).unwrap();
    let error = house.open().unwrap_err();
    assert!(matches!(error, VaultError::KeyLost { .. }), "{error}");
    assert!(error.hint().unwrap().contains("restore"));
    assert!(!house.key().exists());
    let other = House::new();
    other.vault();
    std::fs::copy(other.key(), house.key()).unwrap();
    let error = house.open().unwrap_err();
    assert!(matches!(error, VaultError::KeyOther { .. }), "{error}");
    std::fs::remove_file(house.key()).unwrap();
    std::os::unix::fs::symlink(other.key(), house.key()).unwrap();
    assert!(house.open().unwrap_err().to_string().contains("symbolic link"));
    std::fs::remove_file(house.key()).unwrap();
    std::fs::write(house.key(), &key).unwrap();
    chmod(&house.key(), 0o600);
    assert_eq!(token_of(&house.vault(), "github").unwrap(), "x");
}

#[test]
fn a_credential_of_systemd_wins_and_leaves_no_key_file() {
    let house = House::new();
    let given = tempfile::tempdir().unwrap();
    let path = given.path().join("metnos-vault-key");
    std::fs::write(&path, format!("{}\n", "0123456789abcdef".repeat(4))).unwrap();
    // As systemd leaves it when it grants the service through an access list.
    chmod(&path, 0o440);
    open_with(&house, given.path()).unwrap().set("github", token("x")).unwrap();
    assert!(!house.key().exists());
    assert_eq!(token_of(&open_with(&house, given.path()).unwrap(), "github").unwrap(), "x");
    // Without it the vault stays closed, and no key is made up.
    assert!(matches!(house.open(), Err(VaultError::KeyLost { .. })));
    // It wins over a key file, and a broken one does not fall back to it.
    let other = House::new();
    other.vault();
    assert!(matches!(open_with(&other, given.path()), Err(VaultError::KeyOther { .. })));
    chmod(&path, 0o444);
    assert!(matches!(open_with(&house, given.path()), Err(VaultError::KeyOpen { .. })));
    chmod(&path, 0o600);
    std::fs::write(&path, "short").unwrap();
    assert!(matches!(open_with(&other, given.path()), Err(VaultError::KeyMalformed { .. })));
    // A folder of credentials that has none for the vault changes nothing.
    std::fs::remove_file(&path).unwrap();
    assert!(open_with(&other, given.path()).is_ok());
    assert!(open_with(&other, Path::new("relative")).is_err());
}

#[test]
fn a_key_file_can_become_a_credential_of_systemd() {
    let house = House::new();
    house.vault().set("github", token("x")).unwrap();
    let given = tempfile::tempdir().unwrap();
    std::fs::rename(house.key(), given.path().join("metnos-vault-key")).unwrap();
    assert_eq!(token_of(&open_with(&house, given.path()).unwrap(), "github").unwrap(), "x");
}
