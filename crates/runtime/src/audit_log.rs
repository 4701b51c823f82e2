//! The audit chain as the commands see it.

use crate::runtime::Runtime;
use metnos_executor::home::Home;
use metnos_executor::keys::InstanceKey;
use metnos_executor::lab::{self, Layer};
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::Signer;
use metnos_memory::audit::{Anchor, Audit, Filter, Key, Kind, Line, Sealed};
use metnos_memory::db::Db;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;

/// The instance key as the audit's signer.
pub(crate) struct KeySigner(pub(crate) Arc<InstanceKey>);

impl Signer for KeySigner {
    fn sign(&self, message: &[u8]) -> [u8; 64] {
        self.0.sign(message)
    }

    fn verify(&self, message: &[u8], signature: &[u8; 64]) -> bool {
        self.0.public().verify(message, signature)
    }
}

/// The counter that remembers how far the chain came, apart from the chain and its head: with both
/// of them gone, what is left must not look like a fresh start.
const REACHED: &str = "audit";
/// It is raised in steps, so that an ordinary start writes nothing.
const REACHED_STEP: u64 = 100;

/// Compares the chain with how far it is known to have come, and remembers how far it is now.
pub(crate) fn remember(audit: &Audit, db: &Db) -> metnos_memory::Result<()> {
    let last = audit.tail(1, &Filter::default())?.last().map_or(0, |l| l.seq);
    let known = db.counter(REACHED)?;
    if last < known {
        let damage = Filter { kind: Some(Kind::Damage), ..Filter::default() };
        if audit.tail(1, &damage)?.is_empty() {
            let mut line = Line::new(Kind::Damage);
            line.detail = json!({ "what": format!("the chain had at least {known} lines, {last} are left") });
            audit.append(line)?;
        }
    } else if last > 0 && (known == 0 || last >= known + REACHED_STEP) {
        db.raise(REACHED, last)?;
    }
    Ok(())
}

/// Who ends what was open in a restored house.
pub(crate) const RESTORER: &str = "metnos/restore";

/// What `audit verify` found.
#[derive(Debug)]
pub struct AuditReport {
    /// Lines that a restore let go of, one sentence for each.
    pub restored: Vec<String>,
    /// Lines read.
    pub lines: u64,
    /// Each damage with its place; empty when the chain holds.
    pub damage: Vec<String>,
}

/// The end of the chain at a moment, signed: kept elsewhere, it shows that lines went, also when all files here were
/// put back together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The number of the last line.
    pub seq: u64,
    /// Its hash.
    pub hash: String,
    /// When it was made.
    pub at: String,
    /// The public key of the house.
    pub instance: String,
    /// By that key.
    pub signature: String,
}

impl Checkpoint {
    fn bytes(&self) -> Vec<u8> {
        format!("metnos audit checkpoint 1\n{}\n{}\n{}\n{}", self.seq, self.hash, self.at, self.instance)
            .into_bytes()
    }

    /// What a file says that this house wrote; any other one is refused.
    fn read(text: &str, key: &InstanceKey) -> Result<Self, Failure> {
        let unfit = |why: &str| Failure::wrong_args(format!("the checkpoint {why}"));
        let found: Self = serde_json::from_str(text).map_err(|_| unfit("cannot be read"))?;
        let signature = unhex(&found.signature).ok_or_else(|| unfit("has no signature"))?;
        match key.public().verify(&found.bytes(), &signature) {
            true => Ok(found),
            false => Err(unfit("was not signed by this Metnos, or was changed")),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok())).collect();
    let digits = digits.filter(|digits| digits.len().is_multiple_of(2))?;
    Some(digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

/// The restores that the chain itself tells of: how many lines were left, and when.
fn restores(home: &Home) -> Vec<(u64, jiff::Timestamp)> {
    let filter = Filter { kind: Some(Kind::Config), ..Filter::default() };
    let told = |line: &metnos_memory::audit::Sealed| {
        let detail = &line.line.detail;
        let restored = line.line.caller.as_deref() == Some(RESTORER) && detail.get("what")? == "restored";
        let (lines, at) = (detail.get("lines")?.as_u64()?, line.time.parse().ok()?);
        restored.then_some((lines, at))
    };
    let lines = Audit::lines_in(&home.audit_dir(), usize::MAX, &filter).unwrap_or_default();
    lines.iter().filter_map(told).collect()
}

/// Checks the chain without opening it for writing, so that looking repairs nothing; also against what was exported
/// before. Lines that a restore let go of, and says so, are no damage.
pub fn audit_verify(home: &Home, exported: &[String]) -> Result<AuditReport, Failure> {
    let key = InstanceKey::load(&home.keys_dir())
        .map_err(|e| Failure::wrong_args(e.to_string()).with_hint("metnos init"))?;
    let broken = |e: metnos_memory::Error| Failure::internal(e.to_string());
    let database = home.state_dir().join("metnos.sqlite");
    // Setting up writes the first line, so a house with a key has at least that one.
    let reached =
        if database.exists() { Db::open(&database).and_then(|db| db.counter(REACHED)) } else { Ok(0) };
    let anchor = Anchor { seq: reached.map_err(broken)?.max(1), hash: None };
    let mut anchors = vec![anchor];
    let mut restored = Vec::new();
    let restores = restores(home);
    for text in exported {
        let known = Checkpoint::read(text, &key)?;
        let made: Option<jiff::Timestamp> = known.at.parse().ok();
        // Made before a restore that went back behind it.
        let let_go =
            |(lines, at): &&(u64, jiff::Timestamp)| *lines < known.seq && made.is_some_and(|made| made < *at);
        match restores.iter().find(let_go) {
            Some((lines, at)) => {
                restored.push(format!("lines {} to {} went with the restore at {at}", lines + 1, known.seq));
            }
            None if lab::without(Layer::Checkpoint) => {}
            None => {
                let hash = unhex(&known.hash).and_then(|hash| hash.try_into().ok());
                anchors.push(Anchor { seq: known.seq, hash });
            }
        }
    }
    let signer = KeySigner(Arc::new(key));
    let report = Audit::verify_at(&home.audit_dir(), &home.state_dir(), &signer, &anchors).map_err(broken)?;
    let damage = report.findings.iter().map(ToString::to_string).collect();
    Ok(AuditReport { restored, lines: report.lines, damage })
}

/// The longest note.
const NOTE_MAX: usize = 4 << 10;

/// A note that was written.
#[derive(Debug)]
pub struct Noted {
    /// Its own line.
    pub seq: u64,
    /// The line it is about.
    pub about: u64,
    /// What it says, without secrets.
    pub text: String,
}

fn nothing(key: &str) -> Failure {
    Failure::new(ErrorClass::NotFound, format!("no audit line for {key}"))
        .with_hint("metnos audit tail lists the last ones")
}

impl Runtime {
    /// The last lines, oldest first.
    pub fn audit_tail(&self, n: usize, executor: Option<&str>) -> Result<Vec<Value>, Failure> {
        let filter = Filter { executor: executor.map(str::to_owned), ..Filter::default() };
        let lines = self.audit.tail(n, &filter).map_err(|e| Failure::internal(e.to_string()))?;
        lines.iter().map(|l| serde_json::to_value(l).map_err(|e| Failure::internal(e.to_string()))).collect()
    }

    /// How many lines the chain has.
    pub fn audit_lines(&self) -> Result<u64, Failure> {
        let last = self.audit.tail(1, &Filter::default()).map_err(|e| Failure::internal(e.to_string()))?;
        Ok(last.last().map_or(0, |l| l.seq))
    }

    /// Writes a checkpoint into the chain, and gives the end of the chain, signed, to be kept elsewhere.
    pub fn audit_checkpoint(&self) -> Result<Checkpoint, Failure> {
        let broken = |why: String| Failure::internal(format!("the audit: {why}"));
        self.audit.checkpoint().map_err(|e| broken(e.to_string()))?;
        let extent = Audit::extent(&self.home.audit_dir(), &self.home.state_dir());
        let head = extent.map_err(|e| broken(e.to_string()))?.head;
        let head: Value = serde_json::from_slice(&head).map_err(|e| broken(e.to_string()))?;
        let (seq, hash) = (head.get("seq").and_then(Value::as_u64), head.get("hash").and_then(Value::as_str));
        let (Some(seq), Some(hash)) = (seq, hash) else {
            return Err(broken("its head cannot be read".into()));
        };
        let mut checkpoint = Checkpoint {
            seq,
            hash: hash.to_owned(),
            at: jiff::Timestamp::now().to_string(),
            instance: self.key.public().to_hex(),
            signature: String::new(),
        };
        checkpoint.signature = hex(&self.key.sign(&checkpoint.bytes()));
        Ok(checkpoint)
    }

    /// One line by number, or all lines of a call; then what was said about them since.
    pub fn audit_show(&self, key: &str) -> Result<Vec<Value>, Failure> {
        let mut lines = self.lines_of(key)?;
        let about: Vec<u64> = lines.iter().map(|line| line.seq).collect();
        let notes = Filter { kind: Some(Kind::Note), ..Filter::default() };
        let notes = self.audit.tail(usize::MAX, &notes).map_err(|e| Failure::internal(e.to_string()))?;
        let new = |note: &Sealed| {
            !about.contains(&note.seq)
                && note.line.detail["about"].as_u64().is_some_and(|seq| about.contains(&seq))
        };
        lines.extend(notes.into_iter().filter(new));
        lines.iter().map(|l| serde_json::to_value(l).map_err(|e| Failure::internal(e.to_string()))).collect()
    }

    /// Says something about an earlier line, in a line of its own: what was written stays as it is.
    pub fn audit_note(&self, key: &str, text: &str, by: &str) -> Result<Noted, Failure> {
        let text = text.trim();
        if text.is_empty() || text.len() > NOTE_MAX {
            return Err(Failure::wrong_args(format!("a note has 1 to {NOTE_MAX} bytes")));
        }
        // Of a call, its last line tells what came of it.
        let lines = self.lines_of(key)?;
        let about = lines.iter().rfind(|line| line.line.kind != Kind::Note).or(lines.last());
        let about = about.ok_or_else(|| nothing(key))?;
        let text = self.told(text);
        let mut line = Line::new(Kind::Note);
        line.caller = Some(by.to_owned());
        line.turn = about.line.turn.clone();
        line.call_id = about.line.call_id.clone();
        line.executor = about.line.executor.clone();
        line.detail = json!({ "about": about.seq, "text": text });
        let seq = self.audit.append(line).map_err(|e| crate::call::unrecorded(&e))?;
        Ok(Noted { seq, about: about.seq, text })
    }

    fn lines_of(&self, key: &str) -> Result<Vec<Sealed>, Failure> {
        let named = key.parse().map_or_else(|_| Key::Call(key.to_owned()), Key::Seq);
        let lines = self.audit.show(&named).map_err(|e| Failure::internal(e.to_string()))?;
        if lines.is_empty() { Err(nothing(key)) } else { Ok(lines) }
    }
}
