//! A world for tests: files in memory, and a record of what was asked.

use crate::{Ctx, Fetched, Kind, Named, Stat};
use metnos_executor::{ErrorClass, Failure};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Files in memory below `/w`; everything else is refused.
#[derive(Default)]
pub(crate) struct World {
    pub(crate) files: BTreeMap<PathBuf, Vec<u8>>,
    pub(crate) log: Vec<String>,
    pub(crate) done: Vec<(u64, Option<u64>)>,
    /// When set, `progress` answers that the person stopped the call.
    pub(crate) stop: bool,
}

impl World {
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(p, t)| (PathBuf::from(p), t.as_bytes().to_vec())).collect();
        Self { files, ..Self::default() }
    }

    fn file(&self, path: &Path) -> Result<&Vec<u8>, Failure> {
        if !path.starts_with("/w") {
            return Err(Failure::new(ErrorClass::PolicyViolation, format!("{} is outside", path.display())));
        }
        self.files.get(path).ok_or_else(|| Failure::new(ErrorClass::NotFound, path.display().to_string()))
    }
}

impl Ctx for World {
    fn read_text(&mut self, path: &Path) -> Result<String, Failure> {
        String::from_utf8(self.file(path)?.clone())
            .map_err(|_| Failure::new(ErrorClass::UnsupportedFormat, "not text"))
    }

    fn read_bytes(&mut self, path: &Path) -> Result<Vec<u8>, Failure> {
        self.file(path).cloned()
    }

    fn write_text(&mut self, path: &Path, text: &str) -> Result<(), Failure> {
        if self.files.contains_key(path) {
            return Err(Failure::new(ErrorClass::DstExists, path.display().to_string()));
        }
        self.files.insert(path.to_owned(), text.as_bytes().to_vec());
        Ok(())
    }

    fn list_dir(&mut self, path: &Path) -> Result<Vec<Named>, Failure> {
        let below = self.files.keys().filter(|p| p.parent() == Some(path));
        Ok(below
            .filter_map(|p| p.file_name())
            .map(|name| Named { name: name.to_owned(), kind: Kind::File })
            .collect())
    }

    fn stat(&mut self, path: &Path) -> Result<Stat, Failure> {
        let size = self.file(path)?.len() as u64;
        Ok(Stat { kind: Kind::File, size, mtime: "2026-01-02T03:04:05+00:00".into() })
    }

    fn now(&mut self) -> Result<String, Failure> {
        Ok("2026-11-15T08:00:00+01:00".into())
    }

    fn progress(&mut self, done: u64, total: Option<u64>) -> Result<(), Failure> {
        self.done.push((done, total));
        if self.stop { Err(Failure::new(ErrorClass::Cancelled, "stopped")) } else { Ok(()) }
    }

    fn fetch(&mut self, url: &str) -> Result<Fetched, Failure> {
        if url != "https://example.org/" {
            return Err(Failure::new(ErrorClass::PolicyViolation, "this host is not in the profile"));
        }
        Ok(Fetched { status: 200, content_type: "text/plain".into(), text: "page".into() })
    }

    fn log(&mut self, text: &str) {
        self.log.push(text.to_owned());
    }
}
