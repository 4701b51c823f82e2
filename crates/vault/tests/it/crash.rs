//! A crash at any point leaves the old state or the new one.

use crate::house::{House, Snapshot, token, token_of};
use metnos_vault::Vault;
use std::os::unix::fs::PermissionsExt;

/// Every state the folder passes through from `before` to `after`, at each point where power may go.
fn moments(before: &Snapshot, after: &Snapshot) -> Vec<(Snapshot, bool)> {
    let fresh =
        after.iter().find(|(name, _)| !before.contains_key(*name)).map(|(n, b)| (n.clone(), b.clone()));
    let with = |base: &Snapshot, name: &str, bytes: &[u8]| {
        let mut all = base.clone();
        all.insert(name.to_owned(), bytes.to_vec());
        all
    };
    let mut all = vec![(before.clone(), false)];
    let mut base = before.clone();
    if let Some((name, bytes)) = fresh {
        for cut in [0, 1, bytes.len() / 2, bytes.len()] {
            all.push((with(before, &format!(".{name}.tmp"), &bytes[..cut]), false));
        }
        base = with(before, &name, &bytes);
        all.push((base.clone(), false));
    }
    let index = &after["index"];
    for cut in [0, 1, index.len() / 2, index.len()] {
        all.push((with(&base, ".index.tmp", &index[..cut]), false));
    }
    all.push((with(&base, "index", index), true));
    all.push((after.clone(), true));
    all
}

#[test]
fn a_change_interrupted_anywhere_is_wholly_there_or_not_at_all() {
    let changes: [fn(&Vault); 4] = [
        |v| v.set("github", token("new")).unwrap(),
        |v| v.set("fresh", token("new")).unwrap(),
        |v| v.remove("github").unwrap(),
        |v| v.bind("github", &["find_issues_github".parse().unwrap()]).unwrap(),
    ];
    for (n, change) in changes.iter().enumerate() {
        let house = House::new();
        let vault = house.vault();
        vault.set("github", token("old")).unwrap();
        vault.set("mail", token("same")).unwrap();
        let before = house.snapshot();
        let old = vault.list().unwrap();
        change(&vault);
        let new = vault.list().unwrap();
        let after = house.snapshot();
        for (state, done) in moments(&before, &after) {
            house.restore(&state);
            let vault = house.vault();
            assert_eq!(vault.list().unwrap(), if done { new.clone() } else { old.clone() }, "change {n}");
            assert_eq!(vault.values().unwrap().count(), vault.list().unwrap().len());
            assert_eq!(token_of(&vault, "mail").unwrap(), "same");
            // The next change works and leaves nothing behind.
            vault.set("later", token("later")).unwrap();
            assert_eq!(token_of(&vault, "later").unwrap(), "later");
            assert_eq!(house.snapshot().len(), vault.list().unwrap().len() + 1);
            assert!(house.vault().values().is_ok());
        }
    }
}

#[test]
fn a_first_start_interrupted_anywhere_starts_again() {
    let house = House::new();
    let keys = house.key().parent().unwrap().to_owned();
    std::fs::create_dir_all(&keys).unwrap();
    // An unfinished key that others could read is not continued but replaced.
    let unfinished = keys.join(".vault.key.tmp");
    std::fs::write(&unfinished, "metnos-vault").unwrap();
    std::fs::set_permissions(&unfinished, std::fs::Permissions::from_mode(0o666)).unwrap();
    std::fs::create_dir_all(house.dir()).unwrap();
    std::fs::write(house.file(".index.tmp"), "METN").unwrap();
    house.vault().set("github", token("x")).unwrap();
    assert!(!unfinished.exists());
    // The key was made and the index was not.
    let house = House::new();
    house.vault();
    std::fs::remove_file(house.file("index")).unwrap();
    let key = std::fs::read(house.key()).unwrap();
    house.vault().set("github", token("x")).unwrap();
    assert_eq!(std::fs::read(house.key()).unwrap(), key);
}
