//! The credentials of one call, and what to ask for when they are not there.

use crate::{Credential, NAME_MAX, Name, VaultError};
use metnos_executor::wire;
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;
use zeroize::Zeroizing;

const FORMS: &str = include_str!("../data/forms.toml");

/// The most bytes the credentials of one call take.
pub const BUNDLE_MAX: usize = 1 << 20;

/// Exactly the credentials one call names.
#[derive(Debug)]
pub struct Bundle(pub(crate) Vec<Credential>);

impl Bundle {
    /// Which ones, in the order they were named.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.0.iter().map(|credential| &credential.name)
    }

    /// As a memory file nobody can change any more, one line of JSON for each:
    /// `{"name":"github","fields":{"token":"…"}}`. It has no name in any folder and goes with its
    /// last descriptor.
    pub fn to_sealed_file(&self) -> Result<File, VaultError> {
        let text = self.lines()?;
        let make = || {
            let mut file = wire::memory_file("credentials")?;
            file.write_all(&text)?;
            file.rewind()?;
            wire::seal(&file)?;
            Ok(file)
        };
        make().map_err(VaultError::io(Path::new("credentials in memory")))
    }

    fn lines(&self) -> Result<Zeroizing<Vec<u8>>, VaultError> {
        // A byte becomes at most six (`\u0000`), so the buffer never grows and leaves no copy.
        let fields = self.0.iter().flat_map(|credential| credential.fields.iter());
        let values: usize = fields.map(|(_, value)| 6 * value.expose().len() + 2 * NAME_MAX).sum();
        let size = values + self.0.len() * 2 * NAME_MAX;
        let mut out = Zeroizing::new(Vec::with_capacity(size));
        for credential in &self.0 {
            line(&mut out, credential).map_err(VaultError::io(Path::new("credentials in memory")))?;
        }
        match out.len() > BUNDLE_MAX {
            true => {
                Err(VaultError::TooBig { what: "bytes in the credentials of one call", most: BUNDLE_MAX })
            }
            false => Ok(out),
        }
    }
}

/// By hand, because a secret does not serialise: only here does it become JSON.
fn line(out: &mut Vec<u8>, credential: &Credential) -> io::Result<()> {
    write!(out, r#"{{"name":"{}","fields":{{"#, credential.name)?;
    for (n, (name, value)) in credential.fields.iter().enumerate() {
        write!(out, r#"{}"{name}":"#, if n == 0 { "" } else { "," })?;
        serde_json::to_writer(&mut *out, value.expose())?;
    }
    out.write_all(b"}}\n")
}

/// What a person is asked for one missing credential.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Form {
    /// The credential.
    pub name: Name,
    /// Its fields.
    pub fields: Vec<Name>,
}

impl Form {
    /// The form for `name`.
    pub fn of(name: Name) -> Result<Self, VaultError> {
        let broken = |e: &dyn fmt::Display| VaultError::Forms(e.to_string());
        let forms: BTreeMap<String, Vec<String>> = toml::from_str(FORMS).map_err(|e| broken(&e))?;
        let covers = |key: &str| match name.as_str().strip_prefix(key) {
            Some(rest) => rest.is_empty() || rest.starts_with(['-', '_']),
            None => false,
        };
        let fitting = forms.iter().filter(|(key, _)| *key != "default" && covers(key));
        let fields = fitting.max_by_key(|(key, _)| key.len()).map(|(_, fields)| fields);
        let fields = fields.or_else(|| forms.get("default")).ok_or_else(|| broken(&"there is no default"))?;
        let fields = fields.iter().map(|field| Name::parse(field)).collect::<Result<_, _>>()?;
        Ok(Self { name, fields })
    }
}

/// Credentials that a call names and the vault does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What to ask, one form for each credential.
    pub forms: Vec<Form>,
}

impl Missing {
    /// Which ones.
    pub fn names(&self) -> impl Iterator<Item = &Name> {
        self.forms.iter().map(|form| &form.name)
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.names().map(Name::as_str).collect();
        write!(f, "credentials that are not there yet: {}", names.join(", "))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn every_name_has_a_form_and_the_nearest_one_wins() {
        let fields = |name: &str| {
            let form = Form::of(Name::parse(name).unwrap()).unwrap();
            form.fields.iter().map(Name::to_string).collect::<Vec<_>>()
        };
        assert_eq!(fields("mail"), ["username", "password"]);
        assert_eq!(fields("mail-work"), ["username", "password"]);
        assert_eq!(fields("mail_2"), ["username", "password"]);
        assert_eq!(fields("mailgun"), ["token"]);
        assert_eq!(fields("default"), ["token"]);
    }
}
