//! A folder of a language on disk: which files of it are taken, and which folders are none.

use crate::{ABOUT, FALLBACK, SHIPPED, TEXTS};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Words that are right as they stand, one a line.
pub const COMMON: &str = "common.txt";
/// The largest file of a language, in bytes.
pub const MOST: u64 = 4 << 20;

/// A folder as it was read.
#[derive(Clone, Debug)]
pub struct Folder {
    /// The code of the language: the name of the folder.
    pub code: String,
    /// Where it lies.
    pub path: PathBuf,
    /// Its files by their path inside it.
    pub files: BTreeMap<String, String>,
}

/// Why a folder is no language.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FolderError {
    /// It cannot be read.
    #[error("{path} cannot be read: {why}")]
    Io {
        /// What was read.
        path: PathBuf,
        /// What the system said.
        why: String,
    },
    /// Its name is no code.
    #[error("{path}: the name of the folder is the code of the language, two or three small letters")]
    Code {
        /// The folder.
        path: PathBuf,
    },
    /// It does not say what language it is.
    #[error("{path}: texts/language.toml is missing or broken; it says how the language is called")]
    About {
        /// The folder.
        path: PathBuf,
    },
    /// A file is larger than any text should be.
    #[error("{path} is larger than {MOST} bytes")]
    Large {
        /// The file.
        path: PathBuf,
    },
}

impl FolderError {
    /// What it is about.
    pub fn path(&self) -> &Path {
        match self {
            Self::Io { path, .. } | Self::Code { path } | Self::About { path } | Self::Large { path } => path,
        }
    }
}

/// Every folder below this one. One that is not there has none.
pub(crate) fn below(folder: &Path) -> Vec<Result<Folder, FolderError>> {
    let items = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = items.map(|item| item.path()).filter(|path| path.is_dir()).collect();
    paths.sort();
    paths.iter().map(|path| read(path)).collect()
}

/// Reads the folder of a language: the files that English has, and no others.
pub fn read(path: &Path) -> Result<Folder, FolderError> {
    let named = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    if !(2..=3).contains(&named.len()) || !named.bytes().all(|byte| byte.is_ascii_lowercase()) {
        return Err(FolderError::Code { path: path.to_owned() });
    }
    let mut files = BTreeMap::new();
    for name in names() {
        let file = path.join(name);
        if let Some(text) = text(&file)? {
            files.insert(name.to_owned(), text);
        }
    }
    Ok(Folder { code: named.to_owned(), path: path.to_owned(), files })
}

/// The files a language may have.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let english = SHIPPED.iter().filter(|(code, _)| *code == FALLBACK);
    english.flat_map(|(_, files)| files.iter().map(|(name, _)| *name)).chain([COMMON])
}

/// The files of a folder that no language has; `texts/language.toml` says how it is called.
pub(crate) fn strange(path: &Path) -> Vec<String> {
    let known: Vec<&str> = names().collect();
    let mut found = Vec::new();
    for (folder, before) in [(path.to_owned(), ""), (path.join("texts"), TEXTS)] {
        let items = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let files = items.filter(|item| item.path().is_file());
        let names = files.map(|item| format!("{before}{}", item.file_name().to_string_lossy()));
        found.extend(names.filter(|name| !known.contains(&name.as_str())));
    }
    debug_assert!(known.contains(&ABOUT));
    found.sort();
    found
}

fn text(file: &Path) -> Result<Option<String>, FolderError> {
    let wrong = |why: String| FolderError::Io { path: file.to_owned(), why };
    let opened = match std::fs::File::open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(error.to_string())),
    };
    let mut bytes = Vec::new();
    opened.take(MOST + 1).read_to_end(&mut bytes).map_err(|error| wrong(error.to_string()))?;
    if bytes.len() as u64 > MOST {
        return Err(FolderError::Large { path: file.to_owned() });
    }
    String::from_utf8(bytes).map(Some).map_err(|_| wrong("it is not UTF-8".into()))
}
