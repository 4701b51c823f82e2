//! The check before every call, on a hundred executors: the first time and every other time.

use crate::Result;
use crate::figure::{Figure, Unit};
use crate::house::House;
use crate::sample::{Sample, timed};
use metnos_executor::catalog::Catalog;
use metnos_executor::home::{Home, Root};
use metnos_executor::keys::InstanceKey;
use metnos_executor::manifest::Version;
use metnos_executor::profile::TableVersions;
use metnos_executor::record::Counters;
use metnos_vocab::{ExecutorName, Object, Verb};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

const HUNDRED: usize = 100;
const TIMES: usize = 9;
const TABLES: TableVersions = TableVersions { seccomp: 1, core: 1 };

pub(super) fn measure(house: &House) -> Result<()> {
    let base = house.base().join("verify");
    let key = InstanceKey::generate()?;
    let counters = Arc::new(Memory::default());
    let open = || -> Result<Catalog> {
        let home = Home::locate(|name| (name == "METNOS_HOME").then(|| base.clone().into_os_string()))?;
        Ok(Catalog::open(home, key.public(), TABLES, counters.clone()))
    };
    let names = install(&open()?, &key)?;
    let mut files = Vec::new();
    collect(&base.join("executors"), &mut files)?;
    let bytes: u64 = files.iter().filter_map(|f| f.metadata().ok()).map(|m| m.len()).sum();
    // What changed a moment ago is not cached, for it could change again within one tick.
    std::thread::sleep(Duration::from_millis(200));

    let resolve = |catalog: &Catalog| -> Result<Duration> {
        timed(|| {
            names
                .iter()
                .try_for_each(|n| catalog.resolve(n, None).map(|_| ()).map_err(|r| r.to_string().into()))
        })
        .map(|(took, ())| took)
    };
    let (mut first, mut again, mut hash) = (Sample::default(), Sample::default(), Sample::default());
    for _ in 0..TIMES {
        let catalog = open()?;
        first.push(resolve(&catalog)?);
        again.push(resolve(&catalog)?);
        hash.push(timed(|| files.iter().try_for_each(|f| hash_of(f)))?.0);
    }
    let what = "reading the same files and blake3 of their bytes";
    for (name, sample) in [("verify_100_first", &first), ("verify_100_again", &again)] {
        Figure::timing(name, Unit::Us, sample)
            .with("files", files.len())
            .with("bytes", bytes)
            .against(what, &hash)
            .print();
    }
    Ok(())
}

/// A hundred small Python executors with lawful names, signed and promoted.
fn install(catalog: &Catalog, key: &InstanceKey) -> Result<Vec<ExecutorName>> {
    let harmless = ["get", "find", "list", "read", "filter", "sort", "compute", "compare"];
    let names: Vec<ExecutorName> = Verb::all()
        .filter(|verb| harmless.contains(&verb.as_str()))
        .flat_map(|verb| Object::all().map(move |object| format!("{verb}_{object}")))
        .filter_map(|name| ExecutorName::parse(&name).ok())
        .take(HUNDRED)
        .collect();
    if names.len() < HUNDRED {
        return Err(format!("the vocabulary gives {} names only", names.len()).into());
    }
    let version: Version = "1.0.0".parse().map_err(|_| "1.0.0 is not a version")?;
    for name in &names {
        let manifest = include_str!("verify/manifest.toml").replace("@name", name.as_str());
        let parts: [(&str, &[u8]); 4] = [
            ("manifest.toml", manifest.as_bytes()),
            ("schema.json", include_bytes!("verify/schema.json")),
            ("tests/birth.toml", include_bytes!("verify/birth.toml")),
            ("main.py", include_bytes!("verify/main.py")),
        ];
        catalog.install(Root::Synt, name, &version, &parts, key)?;
        catalog.promote(name, &version, key)?;
    }
    Ok(names)
}

fn hash_of(file: &Path) -> Result<()> {
    std::hint::black_box(blake3::hash(&std::fs::read(file)?));
    Ok(())
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// Counters in memory: the database has its own cost, paid once per record.
#[derive(Default)]
struct Memory(Mutex<BTreeMap<String, u64>>);

impl Counters for Memory {
    fn get(&self, key: &str) -> std::result::Result<Option<u64>, String> {
        Ok(self.0.lock().unwrap_or_else(PoisonError::into_inner).get(key).copied())
    }

    fn set(&self, key: &str, value: u64) -> std::result::Result<(), String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(key.to_owned(), value);
        Ok(())
    }
}
