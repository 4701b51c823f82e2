//! Whatever is done to the files from outside is noticed and named.

use crate::house::{House, fields, token, token_of};
use metnos_vault::{Vault, VaultError};

/// Opens and reads everything.
fn read_all(house: &House) -> Result<Vec<String>, VaultError> {
    let vault = house.open()?;
    Ok(vault.values()?.map(|v| v.expose().to_owned()).collect())
}

fn furnished() -> (House, Vault) {
    let house = House::new();
    let vault = house.vault();
    vault.set("github", token("ghp_secret")).unwrap();
    vault.set("mail", fields(&[("username", "ann"), ("password", "hunter22")])).unwrap();
    (house, vault)
}

#[test]
fn every_changed_missing_or_added_byte_is_detected_and_its_file_named() {
    let (house, _) = furnished();
    let files = house.snapshot().into_keys().map(|name| house.file(&name)).chain([house.key()]);
    let files: Vec<_> = files.collect();
    assert_eq!(files.len(), 4);
    for path in files {
        let sound = std::fs::read(&path).unwrap();
        let check = |bytes: &[u8], what: &str| {
            std::fs::write(&path, bytes).unwrap();
            let error = read_all(&house).expect_err(what);
            let text = error.to_string();
            assert!(text.contains(&path.display().to_string()), "{what}: {text} does not name the file");
        };
        for at in 0..sound.len() {
            for bit in 0..8 {
                let mut bytes = sound.clone();
                bytes[at] ^= 1 << bit;
                check(&bytes, &format!("{} byte {at} bit {bit}", path.display()));
            }
            check(&sound[..at], &format!("{} cut at {at}", path.display()));
        }
        check(&[&sound[..], b"\0"].concat(), "one more byte");
        std::fs::write(&path, &sound).unwrap();
        assert_eq!(read_all(&house).unwrap().len(), 3);
    }
}

#[test]
fn swapped_and_copied_files_are_detected() {
    let (house, vault) = furnished();
    let (github, mail) = (house.file("1.cred"), house.file("2.cred"));
    let bytes = [&github, &mail].map(|p| std::fs::read(p).unwrap());
    std::fs::write(&github, &bytes[1]).unwrap();
    std::fs::write(&mail, &bytes[0]).unwrap();
    for name in ["github", "mail"] {
        let error = vault.get(name).unwrap_err();
        assert!(matches!(&error, VaultError::Misplaced { .. }), "{error}");
        assert!(error.to_string().contains(name));
        assert!(error.hint().unwrap().contains(&format!("credentials set {name}")));
    }
    std::fs::write(&mail, &bytes[1]).unwrap();
    assert!(vault.get("mail").is_ok(), "one damaged credential costs only itself");
    assert!(matches!(vault.get("github"), Err(VaultError::Misplaced { .. })));
    std::fs::write(house.file("index"), &bytes[0]).unwrap();
    assert!(matches!(vault.get("mail"), Err(VaultError::Damaged { name: None, .. })));
}

#[test]
fn a_renamed_or_deleted_file_is_detected() {
    let (house, vault) = furnished();
    std::fs::rename(house.file("1.cred"), house.file("3.cred")).unwrap();
    assert!(matches!(vault.get("github"), Err(VaultError::Lost { .. })));
    std::fs::rename(house.file("3.cred"), house.file("2.cred")).unwrap();
    assert!(matches!(vault.get("mail"), Err(VaultError::Misplaced { .. })));
    std::fs::remove_file(house.file("index")).unwrap();
    assert!(matches!(vault.get("mail"), Err(VaultError::IndexLost { .. })));
    assert!(matches!(house.open(), Err(VaultError::IndexLost { .. })));
}

#[test]
fn a_credential_of_another_vault_with_the_same_key_is_not_accepted() {
    let (house, vault) = furnished();
    let other = House::new();
    std::fs::create_dir_all(other.key().parent().unwrap()).unwrap();
    std::fs::copy(house.key(), other.key()).unwrap();
    other.vault().set("github", token("theirs")).unwrap();
    std::fs::copy(other.file("1.cred"), house.file("1.cred")).unwrap();
    assert!(matches!(vault.get("github"), Err(VaultError::Damaged { .. })));
}

#[test]
fn a_file_of_an_interrupted_change_does_not_pass_for_the_one_that_followed_it() {
    let house = House::new();
    let open = || {
        let root = house.root.path();
        // The clock stands still, so that nothing but the content tells the two apart.
        Vault::open(&root.join("config"), &root.join("state"), |_| None, || jiff::Timestamp::UNIX_EPOCH)
    };
    open().unwrap();
    let before = house.snapshot();
    open().unwrap().set("github", token("interrupted")).unwrap();
    let interrupted = house.snapshot()["1.cred"].clone();
    house.restore(&before);
    open().unwrap().set("github", token("stored")).unwrap();
    std::fs::write(house.file("1.cred"), interrupted).unwrap();
    assert!(matches!(open().unwrap().get("github"), Err(VaultError::Damaged { name: Some(_), .. })));
}

#[test]
fn one_file_put_back_to_an_older_version_is_detected() {
    let (house, vault) = furnished();
    let old = house.snapshot();
    vault.set("github", token("renewed")).unwrap();
    let new = house.snapshot();
    // The old content under the new name.
    std::fs::write(house.file("3.cred"), &old["1.cred"]).unwrap();
    let error = house.vault().get("github").unwrap_err();
    assert!(matches!(error, VaultError::Misplaced { found: 1, expected: 3, .. }), "{error}");
    // The old index alone: the file it names is gone.
    house.restore(&new);
    std::fs::write(house.file("index"), &old["index"]).unwrap();
    assert!(matches!(house.vault().get("github"), Err(VaultError::Lost { .. })));
    assert!(house.file("3.cred").exists(), "a suspicious index makes nobody delete what is newer");
    house.restore(&new);
    assert_eq!(token_of(&house.vault(), "github").unwrap(), "renewed");
}

#[test]
fn an_index_put_back_by_more_than_a_crash_explains_is_detected() {
    let (house, vault) = furnished();
    let old = house.snapshot();
    vault.set("a", token("a")).unwrap();
    vault.set("b", token("b")).unwrap();
    std::fs::write(house.file("index"), &old["index"]).unwrap();
    let error = house.open().unwrap_err();
    assert!(matches!(error, VaultError::RolledBack { found: 2, known: 3, .. }), "{error}");
    assert!(error.hint().unwrap().contains("as a whole"));
    assert_eq!(house.snapshot().len(), 5, "nothing was swept away");
}

#[test]
fn everything_put_back_together_is_seen_by_an_open_vault_and_by_the_generation_only() {
    let (house, vault) = furnished();
    let old = house.snapshot();
    vault.set("github", token("renewed")).unwrap();
    assert_eq!(vault.generation().unwrap(), 3);
    house.restore(&old);
    assert!(matches!(vault.get("github"), Err(VaultError::RolledBack { found: 2, known: 3, .. })));
    assert!(matches!(vault.set("x", token("x")), Err(VaultError::RolledBack { .. })));
    // A new process has nothing to compare with: this is the stated limit.
    let fresh = house.vault();
    assert_eq!(token_of(&fresh, "github").unwrap(), "ghp_secret");
    assert_eq!(fresh.generation().unwrap(), 2, "who remembers 3 knows");
}

#[test]
fn a_damaged_credential_can_be_stored_again_or_removed() {
    for mend in [|v: &Vault| v.set("github", token("again")), |v: &Vault| v.remove("github")] {
        let (house, vault) = furnished();
        std::fs::write(house.file("1.cred"), b"rubbish").unwrap();
        assert!(matches!(vault.get("github"), Err(VaultError::Damaged { name: Some(_), .. })));
        assert!(vault.values().is_err(), "no redactor without this secret");
        mend(&vault).unwrap();
        assert!(vault.values().is_ok());
    }
}

#[test]
fn a_newer_format_is_refused_with_the_remedy_and_left_alone() {
    let (house, vault) = furnished();
    for name in ["index", "1.cred"] {
        let sound = house.snapshot();
        let mut bytes = sound[name].clone();
        bytes[8] = 2;
        std::fs::write(house.file(name), &bytes).unwrap();
        let error = vault.get("github").unwrap_err();
        assert!(matches!(error, VaultError::Newer { found: 2, known: 1, .. }), "{error}");
        assert!(error.hint().unwrap().contains("version of Metnos"));
        assert_eq!(std::fs::read(house.file(name)).unwrap(), bytes);
        house.restore(&sound);
    }
}

#[test]
fn links_and_pipes_in_place_of_files_are_refused() {
    let (house, vault) = furnished();
    std::fs::rename(house.file("1.cred"), house.root.path().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(house.root.path().join("elsewhere"), house.file("1.cred")).unwrap();
    assert!(vault.get("github").unwrap_err().to_string().contains("symbolic link"));
    std::fs::remove_file(house.file("1.cred")).unwrap();
    let made = rustix::fs::mknodat(
        rustix::fs::CWD,
        house.file("1.cred"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    );
    made.unwrap();
    assert!(vault.get("github").unwrap_err().to_string().contains("not a regular file"));
}
