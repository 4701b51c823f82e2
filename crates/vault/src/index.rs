//! Which credentials there are, and which version of each is the current one.

use crate::codec::{Reader, Writer};
use crate::{FIELDS_MAX, Name, VaultError};
use jiff::Timestamp;
use std::collections::BTreeMap;
use zeroize::Zeroizing;

/// The most credentials one vault keeps.
pub const CREDENTIALS_MAX: usize = 256;
/// The most executors one credential is bound to.
pub const BINDINGS_MAX: usize = 32;
/// Larger than any index within the bounds.
pub(crate) const FILE_MAX: usize = 4 << 20;

/// What is known of one credential without opening it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// The generation of the index that brought it: never used again, not even after a removal.
    pub(crate) version: u64,
    pub(crate) created_at: Timestamp,
    pub(crate) updated_at: Timestamp,
    /// Plain texts, so that a name that left the vocabulary does not make the index unreadable.
    pub(crate) bindings: Vec<String>,
    pub(crate) fields: Vec<Name>,
    /// Of the whole file: two files of the same version exist when a crash came between them.
    pub(crate) digest: [u8; 32],
}

impl Record {
    /// What is authenticated with the content: everything known beforehand.
    pub(crate) fn known(&self, name: &Name) -> Zeroizing<Vec<u8>> {
        let mut out = Writer::with_capacity(256);
        self.encode(name, &mut out);
        out.finish()
    }

    fn encode(&self, name: &Name, out: &mut Writer) {
        out.text(name.as_str());
        out.u64(self.version);
        for at in [self.created_at, self.updated_at] {
            out.bytes(&at.as_millisecond().to_le_bytes());
        }
        out.list(self.bindings.iter(), |out, binding| out.text(binding));
        out.list(self.fields.iter(), |out, field| out.text(field.as_str()));
    }

    fn decode(from: &mut Reader<'_>) -> Option<(Name, Self)> {
        let name = Name::parse(from.text()?).ok()?;
        let version = from.u64()?;
        let mut at = || Timestamp::from_millisecond(i64::from_le_bytes(from.bytes()?)).ok();
        let (created_at, updated_at) = (at()?, at()?);
        let bindings = from.list(BINDINGS_MAX, |from| from.text().map(str::to_owned))?;
        let fields = from.list(FIELDS_MAX, |from| Name::parse(from.text()?).ok())?;
        let digest = from.bytes()?;
        Some((name, Self { version, created_at, updated_at, bindings, fields, digest }))
    }
}

/// All credentials at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Index {
    /// Counts the changes since the vault was made.
    pub(crate) generation: u64,
    pub(crate) records: BTreeMap<Name, Record>,
}

impl Index {
    /// The index after a change, still without that change.
    pub(crate) fn next(&self) -> Self {
        Self { generation: self.generation + 1, records: self.records.clone() }
    }

    pub(crate) fn record(&self, name: &Name) -> Result<&Record, VaultError> {
        self.records.get(name).ok_or_else(|| VaultError::Unknown { name: name.clone() })
    }

    pub(crate) fn insert(&mut self, name: Name, record: Record) -> Result<(), VaultError> {
        self.records.insert(name, record);
        match self.records.len() > CREDENTIALS_MAX {
            true => Err(VaultError::TooBig { what: "credentials", most: CREDENTIALS_MAX }),
            false => Ok(()),
        }
    }

    /// No secret is in it, so the buffer may grow. The generation stands in the header of the file.
    pub(crate) fn encode(&self) -> Zeroizing<Vec<u8>> {
        let mut out = Writer::with_capacity(1024);
        out.list(self.records.iter(), |out, (name, record)| {
            record.encode(name, out);
            out.bytes(&record.digest);
        });
        out.finish()
    }

    /// `None` when the bytes are not what `encode` makes.
    pub(crate) fn decode(generation: u64, bytes: &[u8]) -> Option<Self> {
        let mut from = Reader::new(bytes);
        let records = from.list(CREDENTIALS_MAX, Record::decode)?;
        from.end()?;
        let sound = records.iter().all(|(_, record)| record.version <= generation);
        let count = records.len();
        let records: BTreeMap<_, _> = records.into_iter().collect();
        (sound && records.len() == count).then_some(Self { generation, records })
    }
}
