#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;
use crate::keys::InstanceKey;
use crate::lifecycle::Why;
use crate::testing::Memory;
use std::ffi::OsString;
use std::os::unix::fs::MetadataExt;

const TABLES: TableVersions = TableVersions { seccomp: 1, core: 1 };
const WHY: Why<'_> = Why { reason: "a person said so", by: "user:1", at: jiff::Timestamp::UNIX_EPOCH };
const SCHEMA: &str = r#"{"definitions": {
  "Input": {"type": "object", "additionalProperties": false,
    "properties": {"entries": {"type": "array", "items": {"type": "object"}}}},
  "Output": {"type": "object"}}}"#;
const BIRTH: &str = "[[case]]\nname = \"sorts\"\ninput = { }\nexpect = { ok = true }\n";
const CODE: &str = "def run(args, ctx):\n    return {'entries': []}\n";

fn manifest(name: &str, version: &str, by: &str, runtime: &str) -> String {
    let digest = if runtime == "native" { "host" } else { "unsigned" };
    format!(
        r#"# kept as it is
[executor]
name = "{name}"
version = "{version}"
created_at = 2026-11-15T08:00:00Z
created_by = "{by}"
[description.en]
scope = "A scope."
pattern = "{name}()"
out = "entries"
[routing]
affinity = {{ en = ["x"] }}
[contract]
error_classes = ["wrong_args"]
idempotent = true
side_effects = false
tests = "unsigned"
[code]
runtime = "{runtime}"
digest = "{digest}"
[sandbox]
profile = "pure"
hash = "unsigned"
[[capability]]
name = "compute:pure"
[audit]
trace_topic = "executor.{name}"
"#
    )
}

struct World {
    dir: tempfile::TempDir,
    key: InstanceKey,
    counters: Arc<Memory>,
    catalog: Catalog,
}

fn host(digit: char) -> String {
    format!("blake3:{}", digit.to_string().repeat(64))
}

fn world() -> World {
    let dir = tempfile::tempdir().unwrap();
    let base = dir.path().to_owned();
    let home = Home::locate(|k| (k == "METNOS_HOME").then(|| OsString::from(&base))).unwrap();
    let (key, counters) = (InstanceKey::generate().unwrap(), Arc::new(Memory::default()));
    let catalog = Catalog::open(home, key.public(), TABLES, counters.clone());
    let world = World { dir, key, counters, catalog };
    world.set_host('a');
    world
}

fn name(text: &str) -> ExecutorName {
    text.parse().unwrap()
}

fn v(text: &str) -> Version {
    text.parse().unwrap()
}

impl World {
    fn set_host(&self, digit: char) {
        let record = Host { version: v("1.0.0"), blake3: host(digit), previous: None, counter: 0 };
        let dir = self.catalog.home.root_dir(Root::Seed);
        record::store(&dir, record, &self.key, &*self.counters).unwrap();
    }

    fn put(&self, root: Root, text: &str, version: &str) -> Result<Verified, CatalogError> {
        let (by, runtime) = match root {
            Root::Seed => ("seed", "native"),
            Root::Synt => ("synt:run-1", "python"),
            Root::Skills => ("skill:x@1", "cpython"),
        };
        let manifest = manifest(text, version, by, runtime);
        let mut parts = vec![
            ("manifest.toml", manifest.as_bytes()),
            ("schema.json", SCHEMA.as_bytes()),
            ("tests/birth.toml", BIRTH.as_bytes()),
        ];
        if root != Root::Seed {
            parts.push(("main.py", CODE.as_bytes()));
        }
        self.catalog.install(root, &name(text), &v(version), &parts, &self.key)
    }

    fn add(&self, root: Root, text: &str) {
        self.put(root, text, "1.0.0").unwrap();
        self.catalog.promote(&name(text), &v("1.0.0"), &self.key).unwrap();
    }

    fn resolve(&self, text: &str) -> Result<Arc<Verified>, Refusal> {
        self.catalog.resolve(&name(text), None)
    }

    /// Resolves until the outcome is served from the cache.
    fn warm(&self, text: &str) {
        while !self.catalog.cache().contains_key(&(name(text), None)) {
            self.resolve(text).unwrap();
            std::thread::yield_now();
        }
        self.resolve(text).unwrap();
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.dir.path().join("executors").join(relative)
    }
}

/// Writes other bytes of the same length in place and puts the times back.
fn sneak(path: &Path, bytes: &[u8]) {
    let before = std::fs::metadata(path).unwrap();
    let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
    std::io::Write::write_all(&mut &file, bytes).unwrap();
    let times = std::fs::FileTimes::new()
        .set_modified(before.modified().unwrap())
        .set_accessed(before.accessed().unwrap());
    file.set_times(times).unwrap();
    let after = std::fs::metadata(path).unwrap();
    assert_eq!(
        (before.mtime_nsec(), before.len(), before.ino()),
        (after.mtime_nsec(), after.len(), after.ino())
    );
}

#[test]
fn one_changed_byte_anywhere_is_refused_and_its_part_is_named() {
    let world = world();
    world.add(Root::Synt, "sort_entries");
    world.add(Root::Seed, "filter_entries");
    let synt = "synt/sort_entries/";
    for (executor, file, part) in [
        ("sort_entries", format!("{synt}1.0.0/manifest.toml"), Part::Manifest),
        ("sort_entries", format!("{synt}1.0.0/main.py"), Part::Code),
        ("sort_entries", format!("{synt}1.0.0/schema.json"), Part::Schema),
        ("sort_entries", format!("{synt}1.0.0/tests/birth.toml"), Part::BirthTests),
        ("sort_entries", format!("{synt}1.0.0/profile.lock"), Part::Lock),
        ("sort_entries", format!("{synt}1.0.0/manifest.sig"), Part::Signature),
        ("sort_entries", format!("{synt}CURRENT"), Part::Current),
        ("filter_entries", "seed/HOST".to_owned(), Part::Host),
    ] {
        let path = world.path(&file);
        let good = std::fs::read(&path).unwrap();
        for at in [0, good.len() / 2, good.len() - 1] {
            world.warm(executor);
            let mut bad = good.clone();
            bad[at] ^= 1;
            sneak(&path, &bad);
            let refusal = world.resolve(executor).unwrap_err();
            assert_eq!(refusal.part, part, "{file} byte {at}: {refusal}");
            sneak(&path, &good);
            world.resolve(executor).unwrap();
        }
        std::fs::rename(&path, path.with_extension("away")).unwrap();
        assert_eq!(world.resolve(executor).unwrap_err().part, part, "{file} missing");
        std::os::unix::fs::symlink(path.with_extension("away"), &path).unwrap();
        assert_eq!(world.resolve(executor).unwrap_err().part, part, "{file} a link");
        std::fs::rename(path.with_extension("away"), &path).unwrap();
        world.resolve(executor).unwrap();
    }
}

#[test]
fn an_old_record_put_back_is_refused() {
    let world = world();
    world.add(Root::Synt, "sort_entries");
    world.add(Root::Seed, "filter_entries");
    let current = world.path("synt/sort_entries/CURRENT");
    let old = std::fs::read(&current).unwrap();
    world.put(Root::Synt, "sort_entries", "1.1.0").unwrap();
    assert_eq!(world.resolve("sort_entries").unwrap().manifest.executor.version, v("1.0.0"));
    world.catalog.promote(&name("sort_entries"), &v("1.1.0"), &world.key).unwrap();
    assert_eq!(world.resolve("sort_entries").unwrap().manifest.executor.version, v("1.1.0"));
    std::fs::write(&current, &old).unwrap();
    let refusal = world.resolve("sort_entries").unwrap_err();
    assert_eq!(refusal.part, Part::Counter);
    assert!(refusal.reason.contains("an older signed record was put back"));
    // An explicit older version is still loaded while something cites it.
    world.catalog.resolve(&name("sort_entries"), Some(&v("1.0.0"))).unwrap();

    let host = std::fs::read(world.path("seed/HOST")).unwrap();
    world.set_host('a');
    world.resolve("filter_entries").unwrap();
    std::fs::write(world.path("seed/HOST"), &host).unwrap();
    assert_eq!(world.resolve("filter_entries").unwrap_err().part, Part::Counter);
    // Approving another host is a newer record, not an old one.
    world.set_host('b');
    world.resolve("filter_entries").unwrap();
}

#[test]
fn a_good_signature_in_the_wrong_place_is_refused() {
    let world = world();
    world.add(Root::Synt, "sort_entries");
    world.add(Root::Synt, "group_entries");
    // Another executor's CURRENT, another name, another root, another version.
    let mine = world.path("synt/sort_entries/CURRENT");
    let good = std::fs::read(&mine).unwrap();
    std::fs::copy(world.path("synt/group_entries/CURRENT"), &mine).unwrap();
    assert_eq!(world.resolve("sort_entries").unwrap_err().part, Part::Current);
    std::fs::write(&mine, good).unwrap();
    std::fs::rename(world.path("synt/sort_entries/1.0.0"), world.path("synt/sort_entries/2.0.0")).unwrap();
    let other = world.catalog.resolve(&name("sort_entries"), Some(&v("2.0.0")));
    assert_eq!(other.unwrap_err().part, Part::Name);
    std::fs::create_dir_all(world.path("synt/compare_entries")).unwrap();
    std::fs::rename(world.path("synt/sort_entries/2.0.0"), world.path("synt/compare_entries/1.0.0")).unwrap();
    let renamed = world.catalog.resolve(&name("compare_entries"), Some(&v("1.0.0")));
    assert_eq!(renamed.unwrap_err().part, Part::Name);
    std::fs::rename(world.path("synt/group_entries"), world.path("seed/group_entries")).unwrap();
    let moved = world.catalog.resolve(&name("group_entries"), Some(&v("1.0.0")));
    assert_eq!(moved.unwrap_err().part, Part::Root);
    // A folder that was never promoted is not the same as no folder at all, nor as a record that vanished.
    assert_eq!(world.resolve("compare_entries").unwrap_err().part, Part::Lifecycle);
    std::fs::remove_file(&mine).unwrap();
    assert_eq!(world.resolve("sort_entries").unwrap_err().part, Part::Current);
    assert_eq!(world.resolve("filter_lists").unwrap_err().part, Part::Absent);
    let stranger = InstanceKey::generate().unwrap();
    let foreign =
        Catalog::open(world.catalog.home.clone(), stranger.public(), TABLES, Arc::new(Memory::default()));
    assert!(foreign.list().unwrap().iter().all(|row| !row.verified));
}

#[test]
fn a_name_of_a_higher_root_is_never_taken_by_a_lower_one() {
    let world = world();
    world.add(Root::Synt, "sort_entries");
    world.add(Root::Seed, "sort_entries");
    assert_eq!(world.resolve("sort_entries").unwrap().manifest.code.runtime, Runtime::Native);
    let rows = world.catalog.list().unwrap();
    let synt = rows.iter().find(|row| row.root == Root::Synt).unwrap();
    assert!(!synt.verified && synt.reason.as_ref().unwrap().starts_with("root: "), "{synt:?}");
    let taken = world.put(Root::Skills, "sort_entries", "1.0.0").unwrap_err();
    assert!(matches!(taken, CatalogError::Refused(Refusal { part: Part::Root, .. })));

    // Also not while the owner is in quarantine or archived.
    world.catalog.quarantine(&name("sort_entries"), None, &Refusal::new(Part::Code, "a test")).unwrap();
    assert_eq!(world.resolve("sort_entries").unwrap_err().part, Part::Root);
    world.catalog.approve(&name("sort_entries"), &WHY, &world.key).unwrap();
    assert_eq!(world.resolve("sort_entries").unwrap().manifest.code.runtime, Runtime::Native);
    world.catalog.archive(&name("sort_entries"), &WHY, &world.key).unwrap();
    assert_eq!(world.resolve("sort_entries").unwrap_err().part, Part::Root);
    world.catalog.restore(&name("sort_entries"), &WHY, &world.key).unwrap();
    // The lower one is the one that goes.
    let moved =
        world.catalog.quarantine(&name("sort_entries"), None, &Refusal::new(Part::Root, "shadow")).unwrap();
    assert_eq!(moved.root, Root::Synt);
    world.resolve("sort_entries").unwrap();
}

#[test]
fn quarantine_keeps_everything_says_why_and_ends_with_an_approval() {
    let world = world();
    let sort = name("sort_entries");
    world.add(Root::Synt, "sort_entries");
    let code = world.path("synt/sort_entries/1.0.0/main.py");
    std::fs::write(&code, "def run(args, ctx):\n    return {'entries': [1]}\n").unwrap();
    let refusal = world.resolve("sort_entries").unwrap_err();
    let moved = world.catalog.quarantine(&sort, None, &refusal).unwrap();
    assert_eq!((moved.state, moved.version), (State::Quarantined, Some(v("1.0.0"))));
    assert!(world.path(".quarantine/synt/sort_entries/1.0.0/main.py").exists());
    assert!(world.path(".quarantine/synt/sort_entries/CURRENT").exists());
    // Again is the same, and a call says why.
    assert_eq!(world.catalog.quarantine(&sort, None, &refusal).unwrap().state, State::Quarantined);
    let said = world.resolve("sort_entries").unwrap_err();
    assert_eq!(said.part, Part::Lifecycle);
    assert!(said.reason.contains("main.py was changed after it was signed"), "{said}");
    let rows = world.catalog.list().unwrap();
    assert_eq!(rows.len(), 1);
    assert_eq!(
        (rows[0].state, rows[0].version, rows[0].verified),
        (State::Quarantined, Some(v("1.0.0")), false)
    );

    // What does not parse cannot be approved, and stays.
    let there = world.path(".quarantine/synt/sort_entries/1.0.0/manifest.toml");
    let text = std::fs::read_to_string(&there).unwrap();
    std::fs::write(&there, text.replace("idempotent", "idempotant")).unwrap();
    let error = world.catalog.approve(&sort, &WHY, &world.key).unwrap_err().to_string();
    assert!(error.contains("manifest.toml:15:1: [contract] idempotant: unknown key"), "{error}");
    std::fs::write(&there, text).unwrap();
    let moved = world.catalog.approve(&sort, &WHY, &world.key).unwrap();
    assert_eq!(moved.state, State::Active);
    assert!(!world.path(".quarantine/synt/sort_entries").exists());
    let verified = world.resolve("sort_entries").unwrap();
    assert!(std::str::from_utf8(verified.code.as_ref().unwrap()).unwrap().contains("[1]"));
    let dir = world.path("synt/sort_entries");
    let history =
        lifecycle::history(&dir, "synt/sort_entries", &world.key.public(), &*world.counters).unwrap();
    let states: Vec<State> = history.iter().map(|r| r.state).collect();
    assert_eq!(states, [State::Quarantined, State::Active]);
    assert!(world.catalog.approve(&sort, &WHY, &world.key).is_err());
}

#[test]
fn only_the_version_that_was_tampered_with_goes_to_quarantine() {
    let world = world();
    let sort = name("sort_entries");
    world.add(Root::Synt, "sort_entries");
    world.put(Root::Synt, "sort_entries", "2.0.0").unwrap();
    std::fs::write(world.path("synt/sort_entries/2.0.0/main.py"), "x = 1\n").unwrap();
    let refusal = world.catalog.resolve(&sort, Some(&v("2.0.0"))).unwrap_err();
    let moved = world.catalog.quarantine(&sort, None, &refusal).unwrap();
    assert_eq!(moved.version, Some(v("2.0.0")));
    assert_eq!(world.resolve("sort_entries").unwrap().manifest.executor.version, v("1.0.0"));
    assert!(world.path(".quarantine/synt/sort_entries/2.0.0/main.py").exists());
}

#[test]
fn a_tampered_history_or_a_shrunken_one_is_refused_and_can_be_approved_again() {
    let world = world();
    let sort = name("sort_entries");
    world.add(Root::Synt, "sort_entries");
    world.catalog.archive(&sort, &WHY, &world.key).unwrap();
    world.catalog.restore(&sort, &WHY, &world.key).unwrap();
    let path = world.path("synt/sort_entries/LIFECYCLE");
    let mut bytes = std::fs::read(&path).unwrap();
    world.resolve("sort_entries").unwrap();
    bytes[20] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    let refusal = world.resolve("sort_entries").unwrap_err();
    assert_eq!(refusal.part, Part::Lifecycle);
    world.catalog.quarantine(&sort, None, &refusal).unwrap();
    world.catalog.approve(&sort, &WHY, &world.key).unwrap();
    world.resolve("sort_entries").unwrap();
    std::fs::remove_file(&path).unwrap();
    assert_eq!(world.resolve("sort_entries").unwrap_err().part, Part::Counter);
}

#[test]
fn archive_and_restore_are_opposites_and_may_be_repeated() {
    let world = world();
    let sort = name("sort_entries");
    world.add(Root::Synt, "sort_entries");
    let digest = world.resolve("sort_entries").unwrap().digest.clone();
    for _ in 0..2 {
        world.catalog.archive(&sort, &WHY, &world.key).unwrap();
        assert_eq!(world.catalog.archive(&sort, &WHY, &world.key).unwrap().state, State::Archived);
        assert_eq!(world.resolve("sort_entries").unwrap_err().part, Part::Lifecycle);
        assert_eq!(world.catalog.list().unwrap()[0].state, State::Archived);
        world.catalog.restore(&sort, &WHY, &world.key).unwrap();
        world.catalog.restore(&sort, &WHY, &world.key).unwrap();
        assert_eq!(world.resolve("sort_entries").unwrap().digest, digest);
    }
    assert!(world.catalog.archive(&name("group_entries"), &WHY, &world.key).is_err());
    assert!(world.catalog.restore(&name("group_entries"), &WHY, &world.key).is_err());
}

#[test]
fn a_version_is_never_changed_in_place_and_strangers_stay_out() {
    let world = world();
    let sort = name("sort_entries");
    world.add(Root::Synt, "sort_entries");
    world.put(Root::Synt, "sort_entries", "1.0.0").unwrap();
    let text = manifest("sort_entries", "1.0.0", "synt:run-1", "python");
    let with = |code: &str, extra: &str| {
        let parts = [
            ("manifest.toml", text.as_bytes()),
            ("schema.json", SCHEMA.as_bytes()),
            ("tests/birth.toml", BIRTH.as_bytes()),
            (extra, code.as_bytes()),
        ];
        world.catalog.install(Root::Synt, &sort, &v("1.0.0"), &parts, &world.key)
    };
    assert!(matches!(with("x = 1\n", "main.py"), Err(CatalogError::Taken { .. })));
    assert!(matches!(with("x = 1\n", "../../evil"), Err(CatalogError::Stranger { .. })));
    assert!(matches!(with("x = 1\n", "manifest.sig"), Err(CatalogError::Stranger { .. })));
    assert_eq!(files::names(&world.path(".staging")).unwrap(), Vec::<String>::new());
    world.resolve("sort_entries").unwrap();
}

#[test]
fn rubbish_in_the_roots_is_listed_and_never_loaded() {
    let world = world();
    for (path, bytes) in [
        ("seed/get_now/1.0.0/manifest.toml", &b"\xff\x00"[..]),
        ("synt/evil_batch/1.0.0/manifest.toml", b"x"),
        ("skills/read_files/x", b""),
    ] {
        std::fs::create_dir_all(world.path(path).parent().unwrap()).unwrap();
        std::fs::write(world.path(path), bytes).unwrap();
    }
    let big = world.path("synt/sort_entries/1.0.0");
    std::fs::create_dir_all(big.join("tests")).unwrap();
    std::fs::write(big.join("tests/birth.toml"), BIRTH).unwrap();
    std::fs::write(big.join("manifest.toml"), vec![b'#'; 10 << 20]).unwrap();
    let rows = world.catalog.list().unwrap();
    assert_eq!(rows.len(), 3);
    assert!(rows.iter().all(|row| !row.verified && row.reason.is_some()), "{rows:?}");
    let refusal = world.catalog.resolve(&name("sort_entries"), Some(&v("1.0.0"))).unwrap_err();
    assert!(refusal.reason.contains("longer than the maximum of 262144 bytes"), "{refusal}");
}

#[test]
fn other_tables_void_the_lock() {
    let world = world();
    world.add(Root::Synt, "sort_entries");
    let tables = TableVersions { seccomp: 2, core: 1 };
    let home = world.catalog.home.clone();
    let later = Catalog::open(home, world.key.public(), tables, world.counters.clone());
    assert_eq!(later.resolve(&name("sort_entries"), None).unwrap_err().part, Part::Lock);
}

#[test]
fn a_candidate_that_is_refused_leaves_the_default_and_its_record_alone() {
    let world = world();
    world.add(Root::Synt, "sort_entries");
    let (sort, bad) = (name("sort_entries"), v("1.1.0"));
    world.put(Root::Synt, "sort_entries", "1.1.0").unwrap();
    let record = std::fs::read(world.path("synt/sort_entries/CURRENT")).unwrap();
    let refusal = Refusal::new(Part::BirthTests, "a promise was broken");
    world.catalog.quarantine(&sort, Some(&bad), &refusal).unwrap();
    let same = || std::fs::read(world.path("synt/sort_entries/CURRENT")).unwrap() == record;
    assert!(same() && world.resolve("sort_entries").unwrap().manifest.executor.version == v("1.0.0"));
    assert_eq!(world.catalog.out_of_use(&sort), None);
    // Taken back it is a candidate again.
    world.catalog.approve(&sort, &WHY, &world.key).unwrap();
    assert!(same() && world.catalog.resolve(&sort, Some(&bad)).is_ok());
    // Of two the default goes; the other one stays and can be promoted.
    world.catalog.quarantine(&sort, None, &refusal).unwrap();
    let out = world.catalog.out_of_use(&sort).unwrap();
    assert_eq!((out.state, out.spare), (State::Quarantined, Some(bad)));
    for _ in 0..2 {
        assert_eq!(world.resolve("sort_entries").unwrap_err().part, Part::Lifecycle);
    }
    world.catalog.promote(&sort, &bad, &world.key).unwrap();
    assert_eq!(world.resolve("sort_entries").unwrap().manifest.executor.version, bad);
}

#[test]
fn what_was_never_promoted_waits_for_it() {
    let world = world();
    world.put(Root::Skills, "sort_entries", "1.0.0").unwrap();
    let refusal = world.resolve("sort_entries").unwrap_err();
    assert!(refusal.part == Part::Lifecycle && refusal.reason.contains("not promoted"), "{refusal}");
    let rows = world.catalog.list().unwrap();
    assert_eq!((rows.len(), rows[0].state), (1, State::Synthesised));
    world.catalog.promote(&name("sort_entries"), &v("1.0.0"), &world.key).unwrap();
    assert!(world.resolve("sort_entries").is_ok());
}
