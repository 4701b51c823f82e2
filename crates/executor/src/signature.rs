//! Signing a folder and verifying it: what runs is what was hashed, and what was hashed was signed.
//!
//! `manifest.sig` keeps the hashes of the parts beside the signature over them. The signature says
//! whether the hashes are ours; the hashes say which part changed.

use crate::birth::Birth;
use crate::files::{self, Stamp};
use crate::keys::{InstanceKey, PublicKey, hex, unhex};
use crate::lab::{self, Layer};
use crate::manifest::{self, MANIFEST_MAX, Manifest, coherent};
use crate::profile::{TableVersions, digest};
use crate::refusal::{Part, Refusal};
use crate::schema::Schemas;
use crate::wire::Runtime;
use std::path::Path;
use std::sync::Arc;

const SCHEMA_MAX: usize = 1 << 20;
const CODE_MAX: usize = 4 << 20;
const BIRTH_MAX: usize = 4 << 20;
const SMALL_MAX: usize = 4 << 10;

const HEAD: &str = "metnos-signature 1";
const PURPOSE: &[u8] = b"metnos executor folder v1\n";

/// An executor whose every part was checked, with the bytes that were.
#[derive(Clone, Debug)]
pub struct Verified {
    /// Its manifest.
    pub manifest: Manifest,
    /// Its schemas.
    pub schemas: Schemas,
    /// Its code; `None` when it is native.
    pub code: Option<Arc<[u8]>>,
    /// Its birth tests.
    pub birth: Arc<[u8]>,
    /// One digest over all hashes: the identity that approvals and grants are bound to.
    pub digest: String,
    /// The profile's lock.
    pub lock: String,
}

/// The parts of a folder, each read once.
struct Parts {
    manifest: Vec<u8>,
    schema: Vec<u8>,
    birth: Vec<u8>,
    code: Option<Vec<u8>>,
    lock: Option<Vec<u8>>,
    signature: Option<Vec<u8>>,
}

/// The files of a folder, relative to it. The catalog watches them all.
pub(crate) const WATCHED: [&str; 8] = [
    "",
    "manifest.toml",
    "manifest.sig",
    "schema.json",
    "profile.lock",
    "main.py",
    "tests",
    "tests/birth.toml",
];

/// Checks every part of the folder `dir` against the signature of this instance.
pub fn verify_folder(dir: &Path, public: &PublicKey, tables: &TableVersions) -> Result<Verified, Refusal> {
    verify_stamped(dir, public, tables).map(|(verified, _)| verified)
}

/// The same, with the state of every watched file as of before it was read.
pub(crate) fn verify_stamped(
    dir: &Path,
    public: &PublicKey,
    tables: &TableVersions,
) -> Result<(Verified, Vec<Option<Stamp>>), Refusal> {
    let stamps = WATCHED.iter().map(|name| Stamp::at(&dir.join(name))).collect();
    let parts = read_parts(dir)?;
    verify_parts(parts, public, tables).map(|verified| (verified, stamps))
}

/// Fills in the digests, writes `profile.lock` and `manifest.sig`, and returns the verified folder.
/// Every other byte of the manifest stays. A crash in between leaves a folder that is refused;
/// signing again finishes it.
pub fn sign_folder(dir: &Path, key: &InstanceKey, tables: &TableVersions) -> Result<Verified, Refusal> {
    let parts = read_parts(dir)?;
    let first = parse_manifest(&parts.manifest)?;
    let schemas = parse_schema(&parts.schema)?;
    coherent(&first, &schemas).map_err(|e| Refusal::new(Part::Manifest, e.to_string()))?;
    Birth::parse(&parts.birth, "tests/birth.toml")
        .map_err(|e| Refusal::new(Part::BirthTests, e.to_string()))?;
    let code = code_of(&first, &parts)?;
    let code_digest = code.map(blake3_text);

    let text = std::str::from_utf8(&parts.manifest).unwrap_or_default();
    let filled = manifest::fill_digests(
        text,
        "manifest.toml",
        &first.sandbox.hash(),
        &blake3_text(&parts.birth),
        code_digest.as_deref(),
    )
    .map_err(|e| Refusal::new(Part::Manifest, e.to_string()))?;
    let hashes = Hashes {
        manifest: blake3::hash(filled.as_bytes()),
        code: blake3::hash(code.unwrap_or(b"host")),
        schema: blake3::hash(&parts.schema),
        lock: first.sandbox.lock(tables),
    };
    let signature = hashes.render(&key.sign(&hashes.message()));
    let lock = format!("{}\n", hashes.lock);
    for (part, name, bytes) in [
        (Part::Manifest, "manifest.toml", filled.as_bytes()),
        (Part::Lock, "profile.lock", lock.as_bytes()),
        (Part::Signature, "manifest.sig", signature.as_bytes()),
    ] {
        files::write_atomic(&dir.join(name), bytes, 0o644).map_err(|e| Refusal::io(part, name, &e))?;
    }
    verify_folder(dir, &key.public(), tables)
}

fn read_parts(dir: &Path) -> Result<Parts, Refusal> {
    let folder = files::open_dir(dir).map_err(|e| Refusal::io(Part::Manifest, "the folder", &e))?;
    let read = |part: Part, name: &str, max: usize| {
        files::read_at(&folder, name, max).map(|(bytes, _)| bytes).map_err(|e| Refusal::io(part, name, &e))
    };
    let optional = |part: Part, name: &str, max: usize| match files::read_at(&folder, name, max) {
        Ok((bytes, _)) => Ok(Some(bytes)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Refusal::io(part, name, &error)),
    };
    let birth = files::open_dir_at(&folder, "tests")
        .and_then(|tests| files::read_at(tests, "birth.toml", BIRTH_MAX))
        .map_err(|e| Refusal::io(Part::BirthTests, "tests/birth.toml", &e))?;
    Ok(Parts {
        manifest: read(Part::Manifest, "manifest.toml", MANIFEST_MAX)?,
        schema: read(Part::Schema, "schema.json", SCHEMA_MAX)?,
        birth: birth.0,
        code: optional(Part::Code, "main.py", CODE_MAX)?,
        lock: optional(Part::Lock, "profile.lock", SMALL_MAX)?,
        signature: optional(Part::Signature, "manifest.sig", SMALL_MAX)?,
    })
}

fn verify_parts(parts: Parts, public: &PublicKey, tables: &TableVersions) -> Result<Verified, Refusal> {
    let signature = parts.signature.as_deref();
    let signature = signature.ok_or_else(|| Refusal::new(Part::Signature, "manifest.sig is missing"))?;
    let (stored, bytes) =
        Hashes::read(signature).ok_or_else(|| Refusal::new(Part::Signature, "manifest.sig is damaged"))?;
    if wrong(!public.verify(&stored.message(), &bytes)) {
        return Err(Refusal::new(Part::Signature, "manifest.sig was not made by this instance"));
    }
    // From here on the stored hashes are ours: a part that differs from its own is the culprit.
    let lock = parts.lock.as_deref().ok_or_else(|| Refusal::new(Part::Lock, "profile.lock is missing"))?;
    if wrong(lock != format!("{}\n", stored.lock).as_bytes()) {
        return Err(changed(Part::Lock, "profile.lock"));
    }
    if wrong(blake3::hash(&parts.manifest) != stored.manifest) {
        let mut refusal = changed(Part::Manifest, "manifest.toml");
        if let Err(error) = Manifest::from_bytes(&parts.manifest, "manifest.toml") {
            refusal.reason.push_str(&format!("; it also has an error: {error}"));
        }
        return Err(refusal);
    }
    if wrong(blake3::hash(&parts.schema) != stored.schema) {
        return Err(changed(Part::Schema, "schema.json"));
    }
    let manifest = parse_manifest(&parts.manifest)?;
    let code = code_of(&manifest, &parts)?;
    if wrong(blake3::hash(code.unwrap_or(b"host")) != stored.code) {
        return Err(changed(Part::Code, "main.py"));
    }
    if wrong(code.is_some_and(|code| blake3_text(code) != manifest.code.digest)) {
        return Err(Refusal::new(Part::Code, "main.py is not the code whose digest the manifest names"));
    }
    if wrong(blake3_text(&parts.birth) != manifest.contract.tests) {
        return Err(changed(Part::BirthTests, "tests/birth.toml"));
    }
    if wrong(manifest.hash != manifest.sandbox.hash()) {
        return Err(Refusal::new(Part::Manifest, "[sandbox] hash is not the hash of the profile"));
    }
    if wrong(manifest.sandbox.lock(tables) != stored.lock) {
        let reason = "the profile was locked with other seccomp or core tables; approve it again";
        return Err(Refusal::new(Part::Lock, reason));
    }
    let schemas = parse_schema(&parts.schema)?;
    coherent(&manifest, &schemas).map_err(|e| Refusal::new(Part::Manifest, e.to_string()))?;
    Ok(Verified {
        code: code.map(Arc::from),
        birth: Arc::from(parts.birth),
        digest: stored.digest(),
        lock: stored.lock,
        manifest,
        schemas,
    })
}

/// What a comparison found, believed unless a test build does without signatures.
fn wrong(found: bool) -> bool {
    found && !lab::without(Layer::Signature)
}

fn changed(part: Part, name: &str) -> Refusal {
    Refusal::new(part, format!("{name} was changed after it was signed"))
}

fn parse_manifest(bytes: &[u8]) -> Result<Manifest, Refusal> {
    Manifest::from_bytes(bytes, "manifest.toml").map_err(|e| Refusal::new(Part::Manifest, e.to_string()))
}

fn parse_schema(bytes: &[u8]) -> Result<Schemas, Refusal> {
    Schemas::parse(bytes).map_err(|e| Refusal::new(Part::Schema, e.to_string()))
}

/// The code the manifest speaks of: `main.py`, or none when the host holds it.
fn code_of<'p>(manifest: &Manifest, parts: &'p Parts) -> Result<Option<&'p [u8]>, Refusal> {
    match (manifest.code.runtime, parts.code.as_deref()) {
        (Runtime::Native, None) => Ok(None),
        (Runtime::Native, Some(_)) => Err(Refusal::new(
            Part::Code,
            "main.py stands beside a native executor, whose code is in the host",
        )),
        (_, None) => Err(Refusal::new(Part::Code, "main.py is missing")),
        (_, Some(code)) => Ok(Some(code)),
    }
}

fn blake3_text(bytes: &[u8]) -> String {
    format!("blake3:{}", blake3::hash(bytes).to_hex())
}

/// What the signature is over.
struct Hashes {
    manifest: blake3::Hash,
    code: blake3::Hash,
    schema: blake3::Hash,
    lock: String,
}

impl Hashes {
    fn message(&self) -> Vec<u8> {
        let mut message = PURPOSE.to_vec();
        for hash in [&self.manifest, &self.code, &self.schema] {
            message.extend_from_slice(hash.as_bytes());
        }
        message.extend_from_slice(self.lock.as_bytes());
        message
    }

    fn digest(&self) -> String {
        let hashes = [&self.manifest, &self.code, &self.schema].map(|hash| hash.as_bytes().as_slice());
        digest("metnos executor v1", &[hashes[0], hashes[1], hashes[2], self.lock.as_bytes()])
    }

    fn render(&self, signature: &[u8; 64]) -> String {
        let Self { manifest, code, schema, lock } = self;
        format!(
            "{HEAD}\nmanifest {manifest}\ncode {code}\nschema {schema}\nlock {lock}\nsignature {}\n",
            hex(signature)
        )
    }

    /// Only the exact spelling of `render` is a signature file.
    fn read(bytes: &[u8]) -> Option<(Self, [u8; 64])> {
        let text = std::str::from_utf8(bytes).ok()?;
        let mut lines = text.lines();
        let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        let _version = field("metnos-signature")?;
        let hash = |text: Option<&str>| unhex::<32>(text?).map(blake3::Hash::from_bytes);
        let hashes = Self {
            manifest: hash(field("manifest"))?,
            code: hash(field("code"))?,
            schema: hash(field("schema"))?,
            lock: field("lock")?.to_owned(),
        };
        let signature = unhex::<64>(field("signature")?)?;
        (hashes.render(&signature) == text).then_some((hashes, signature))
    }
}
