//! What a credential consists of: a small map of secret texts.

use crate::codec::{Reader, Writer};
use crate::{Name, Secret, VaultError};
use std::collections::BTreeMap;
use zeroize::Zeroizing;

/// The most fields of one credential.
pub const FIELDS_MAX: usize = 16;
/// The longest value, in bytes: a private key fits.
pub const VALUE_MAX: usize = 16 << 10;
/// The most bytes all values of one credential have together.
pub const FIELDS_BYTES_MAX: usize = 64 << 10;

/// The fields of one credential (`username`, `password`, `token`, …), at least one.
#[derive(Debug)]
pub struct Fields(BTreeMap<Name, Secret>);

impl Fields {
    /// The fields, if their names are names, each comes once, and they are within bounds.
    pub fn new<N: AsRef<str>>(pairs: impl IntoIterator<Item = (N, Secret)>) -> Result<Self, VaultError> {
        let (mut fields, mut total) = (BTreeMap::new(), 0);
        for (name, value) in pairs {
            let name = Name::parse(name.as_ref())?;
            total += value.expose().len();
            if value.expose().len() > VALUE_MAX {
                return Err(VaultError::TooBig { what: "bytes in one value", most: VALUE_MAX });
            }
            if total > FIELDS_BYTES_MAX {
                return Err(VaultError::TooBig { what: "bytes in one credential", most: FIELDS_BYTES_MAX });
            }
            if fields.len() == FIELDS_MAX {
                return Err(VaultError::TooBig { what: "fields in one credential", most: FIELDS_MAX });
            }
            if fields.contains_key(&name) {
                return Err(VaultError::Twice { name });
            }
            fields.insert(name, value);
        }
        if fields.is_empty() { Err(VaultError::NoFields) } else { Ok(Self(fields)) }
    }

    /// One of them.
    pub fn get(&self, name: &str) -> Option<&Secret> {
        self.0.get(name)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&Name, &Secret)> {
        self.0.iter()
    }

    /// Their names.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.0.keys()
    }

    /// The values alone.
    pub(crate) fn into_values(self) -> impl Iterator<Item = Secret> {
        self.0.into_values()
    }

    pub(crate) fn encode(&self) -> Zeroizing<Vec<u8>> {
        let size = self.iter().map(|(n, v)| 8 + n.as_str().len() + v.expose().len()).sum::<usize>();
        let mut out = Writer::with_capacity(4 + size);
        out.list(self.0.iter(), |out, (name, value)| {
            out.text(name.as_str());
            out.text(value.expose());
        });
        out.finish()
    }

    /// `None` when the bytes are not what `encode` makes.
    pub(crate) fn decode(bytes: &[u8]) -> Option<Self> {
        let mut from = Reader::new(bytes);
        let pairs = from.list(FIELDS_MAX, |from| {
            let name = from.text()?;
            Some((name, Secret::new(from.text()?.to_owned())))
        })?;
        from.end()?;
        Self::new(pairs).ok()
    }
}
