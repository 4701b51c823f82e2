//! The two signed records that choose what runs: `CURRENT` (the default version of an executor)
//! and `HOST` (the one host that native executors run in).
//!
//! Each carries a counter that is also kept in the database, so that an old record, though its
//! signature is good, is not a valid one. The file is written first and the database second: after
//! a crash in between the file is ahead, which is accepted and caught up with.

use crate::files::{self, Stamp};
use crate::home::Root;
use crate::keys::{InstanceKey, PublicKey, hex, unhex};
use crate::lab::{self, Layer};
use crate::manifest::Version;
use crate::refusal::{Part, Refusal};
use metnos_vocab::ExecutorName;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::path::Path;

const RECORD_MAX: usize = 8 << 10;

/// The counters of the database, as this crate sees them.
pub trait Counters: Send + Sync {
    /// The stored value.
    fn get(&self, key: &str) -> Result<Option<u64>, String>;
    /// Stores a value durably.
    fn set(&self, key: &str, value: u64) -> Result<(), String>;
}

/// The default version of one executor.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Current {
    /// The root it belongs to.
    pub root: Root,
    /// The executor.
    pub name: ExecutorName,
    /// Its default version.
    pub version: Version,
    /// Grows with every promotion.
    pub counter: u64,
}

/// The host of all native executors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// Its version.
    pub version: Version,
    /// The digest of the program, `blake3:…`.
    pub blake3: String,
    /// The digest of the one before, for rolling back.
    pub previous: Option<String>,
    /// Grows with every upgrade and roll back.
    pub counter: u64,
}

/// A record that can be signed.
pub trait Record: Serialize + DeserializeOwned + Clone {
    /// What its signature is for; no other signature has it.
    const PURPOSE: &'static str;
    /// The name of its file.
    const FILE: &'static str;
    /// What a refusal names.
    const PART: Part;
    /// The key of its counter.
    fn key(&self) -> String;
    /// Its counter.
    fn counter(&self) -> u64;
    /// The same record with another counter.
    fn with_counter(self, counter: u64) -> Self;
}

impl Current {
    /// The key of the counter of this executor's record.
    pub(crate) fn key_of(root: Root, name: &ExecutorName) -> String {
        format!("current/{root}/{name}")
    }
}

impl Record for Current {
    const PURPOSE: &'static str = "metnos record current v1";
    const FILE: &'static str = "CURRENT";
    const PART: Part = Part::Current;
    fn key(&self) -> String {
        Self::key_of(self.root, &self.name)
    }
    fn counter(&self) -> u64 {
        self.counter
    }
    fn with_counter(self, counter: u64) -> Self {
        Self { counter, ..self }
    }
}

impl Record for Host {
    const PURPOSE: &'static str = "metnos record host v1";
    const FILE: &'static str = "HOST";
    const PART: Part = Part::Host;
    fn key(&self) -> String {
        "host".to_owned()
    }
    fn counter(&self) -> u64 {
        self.counter
    }
    fn with_counter(self, counter: u64) -> Self {
        Self { counter, ..self }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Signed<R> {
    record: R,
    signature: String,
}

fn message<R: Record>(record: &R) -> Result<Vec<u8>, Refusal> {
    let body = serde_json::to_string(record).map_err(|e| Refusal::new(R::PART, e.to_string()))?;
    Ok(format!("{}\n{body}", R::PURPOSE).into_bytes())
}

fn render<R: Record>(record: &R, signature: &[u8; 64]) -> Result<String, Refusal> {
    let signed = Signed { record: record.clone(), signature: hex(signature) };
    let text = serde_json::to_string(&signed).map_err(|e| Refusal::new(R::PART, e.to_string()))?;
    Ok(text + "\n")
}

/// Reads the record in `dir`, and refuses one that is not ours or older than the newest known.
pub fn load<R: Record>(dir: &Path, public: &PublicKey, counters: &dyn Counters) -> Result<R, Refusal> {
    load_stamped(dir, public, counters).map(|(record, _)| record)
}

pub(crate) fn load_stamped<R: Record>(
    dir: &Path,
    public: &PublicKey,
    counters: &dyn Counters,
) -> Result<(R, Stamp), Refusal> {
    let (record, stamp) = read::<R>(dir, public)?;
    let key = record.key();
    let stored = counters.get(&key).map_err(|e| Refusal::new(Part::Counter, e))?;
    match stored {
        Some(stored) if record.counter() < stored && !lab::without(Layer::Counter) => Err(Refusal::new(
            Part::Counter,
            format!("{}: an older signed record was put back ({} < {stored})", R::FILE, record.counter()),
        )),
        Some(stored) if record.counter() == stored => Ok((record, stamp)),
        _ => {
            counters.set(&key, record.counter()).map_err(|e| Refusal::new(Part::Counter, e))?;
            Ok((record, stamp))
        }
    }
}

fn read<R: Record>(dir: &Path, public: &PublicKey) -> Result<(R, Stamp), Refusal> {
    let path = dir.join(R::FILE);
    let (bytes, stamp) = files::read(&path, RECORD_MAX).map_err(|e| Refusal::io(R::PART, R::FILE, &e))?;
    let damaged = |why: &str| Refusal::new(R::PART, format!("{} {why}", R::FILE));
    let signed: Signed<R> =
        serde_json::from_slice(&bytes).map_err(|e| damaged(&crate::versions::unread(&e)))?;
    let signature = unhex::<64>(&signed.signature).ok_or_else(|| damaged("has a damaged signature"))?;
    let trusting = lab::without(Layer::Signature);
    if !trusting && !public.verify(&message(&signed.record)?, &signature) {
        return Err(damaged("was changed, or was not signed by this instance"));
    }
    // One spelling only: a byte that changes nothing is still a change.
    if !trusting && render(&signed.record, &signature)?.as_bytes() != bytes {
        return Err(damaged("was changed after it was signed"));
    }
    Ok((signed.record, stamp))
}

/// Signs `record` with the next counter and makes it the one in `dir`.
pub fn store<R: Record>(
    dir: &Path,
    record: R,
    key: &InstanceKey,
    counters: &dyn Counters,
) -> Result<R, Refusal> {
    let name = record.key();
    let stored = counters.get(&name).map_err(|e| Refusal::new(Part::Counter, e))?.unwrap_or(0);
    let on_disk = read::<R>(dir, &key.public()).ok().filter(|(old, _)| old.key() == name);
    let newest = stored.max(on_disk.map_or(0, |(old, _)| old.counter()));
    let counter =
        newest.checked_add(1).ok_or_else(|| Refusal::new(Part::Counter, "the counter is exhausted"))?;
    let record = record.with_counter(counter);
    let text = render(&record, &key.sign(&message(&record)?))?;
    files::make_dirs(dir)
        .and_then(|()| files::write_atomic(&dir.join(R::FILE), text.as_bytes(), 0o644))
        .map_err(|e| Refusal::io(R::PART, R::FILE, &e))?;
    counters.set(&name, counter).map_err(|e| Refusal::new(Part::Counter, e))?;
    Ok(record)
}

/// Checks the digest of the host program against the record that names it.
pub fn check_host_binary(host: &Host, found: &blake3::Hash) -> Result<(), Refusal> {
    if host.blake3 == format!("blake3:{}", found.to_hex()) {
        return Ok(());
    }
    Err(Refusal::new(
        Part::HostBinary,
        format!("the host program is not the one of version {} that was approved", host.version),
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use crate::testing::Memory;

    fn host(n: char) -> Host {
        let blake3 = format!("blake3:{}", n.to_string().repeat(64));
        Host { version: "1.0.0".parse().unwrap(), blake3, previous: None, counter: 0 }
    }

    #[test]
    fn an_old_record_is_not_a_valid_one_and_a_crash_is_caught_up_with() {
        let dir = tempfile::tempdir().unwrap();
        let (key, counters) = (InstanceKey::generate().unwrap(), Memory::default());
        let load = |counters: &Memory| super::load::<Host>(dir.path(), &key.public(), counters);
        assert_eq!(store(dir.path(), host('a'), &key, &counters).unwrap().counter, 1);
        let old = std::fs::read(dir.path().join("HOST")).unwrap();
        assert_eq!(store(dir.path(), host('b'), &key, &counters).unwrap().counter, 2);
        assert_eq!(load(&counters).unwrap().counter, 2);
        // The crash: the file was written, the database was not.
        counters.set("host", 1).unwrap();
        assert_eq!(load(&counters).unwrap().counter, 2);
        assert_eq!(counters.get("host").unwrap(), Some(2));
        std::fs::write(dir.path().join("HOST"), old).unwrap();
        let refusal = load(&counters).unwrap_err();
        assert_eq!(refusal.part, Part::Counter);
        assert!(refusal.reason.contains("an older signed record was put back"));
        // The next one stored is above both.
        assert_eq!(store(dir.path(), host('c'), &key, &counters).unwrap().counter, 3);
    }

    #[test]
    fn every_byte_of_a_record_counts() {
        let dir = tempfile::tempdir().unwrap();
        let (key, counters) = (InstanceKey::generate().unwrap(), Memory::default());
        store(dir.path(), host('a'), &key, &counters).unwrap();
        let path = dir.path().join("HOST");
        let good = std::fs::read(&path).unwrap();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            std::fs::write(&path, &bad).unwrap();
            let refusal = load::<Host>(dir.path(), &key.public(), &counters).unwrap_err();
            assert_eq!(refusal.part, Part::Host, "byte {at}: {refusal}");
        }
        std::fs::write(&path, [good.as_slice(), b" "].concat()).unwrap();
        assert!(load::<Host>(dir.path(), &key.public(), &counters).is_err());
        std::fs::write(&path, &good).unwrap();
        assert!(load::<Host>(dir.path(), &key.public(), &counters).is_ok());
        let other = InstanceKey::generate().unwrap();
        assert!(load::<Host>(dir.path(), &other.public(), &counters).is_err());
        std::fs::remove_file(&path).unwrap();
        let refusal = load::<Host>(dir.path(), &key.public(), &counters).unwrap_err();
        assert_eq!(refusal.to_string(), "host: HOST is missing");
    }
}
