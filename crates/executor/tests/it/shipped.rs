//! The executors in the repository: each folder parses, is coherent and can be signed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use metnos_executor::birth::Birth;
use metnos_executor::{InstanceKey, TableVersions, sign_folder, verify_folder};
use std::path::Path;

#[test]
fn every_shipped_executor_can_be_signed_and_verified() {
    let seeds = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../executors/seed");
    let (key, tables) = (InstanceKey::generate().unwrap(), TableVersions { seccomp: 1, core: 1 });
    let mut count = 0;
    for entry in std::fs::read_dir(seeds).unwrap() {
        let from = entry.unwrap().path();
        let name = from.file_name().unwrap().to_str().unwrap().to_owned();
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("tests")).unwrap();
        for part in ["manifest.toml", "schema.json", "tests/birth.toml"] {
            std::fs::copy(from.join(part), dir.path().join(part))
                .unwrap_or_else(|e| panic!("{name}/{part}: {e}"));
        }
        let signed = sign_folder(dir.path(), &key, &tables).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(signed.manifest.executor.name.as_str(), name);
        assert!(signed.manifest.description.contains_key("it"), "{name} has no Italian description");
        Birth::parse(&signed.birth, "birth.toml").unwrap();
        assert_eq!(verify_folder(dir.path(), &key.public(), &tables).unwrap().digest, signed.digest);
        count += 1;
    }
    assert!(count > 0);
}
