//! Reads an archive from its first byte to its last and believes it only then. Nothing is written.

use crate::cipher::{Keys, Source};
use crate::manifest::{Entry, FORMAT, Kind, MANIFEST, Manifest};
use crate::pack::Hashing;
use crate::{name, seal};
use metnos_executor::{BytePath, ErrorClass, Failure};
use rustix::fs::{Mode, OFlags};
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The most things in an archive.
const ENTRIES_MAX: usize = 4_000_000;
/// The longest manifest.
const MANIFEST_MAX: u64 = 1 << 30;
/// The longest target of a link.
const TARGET_MAX: usize = 4096;

/// An archive that holds what it says.
pub struct Checked {
    pub(crate) file: Source,
    pub(crate) before_seal: u64,
    /// What it says.
    pub manifest: Manifest,
}

/// What an archive may hold.
pub(crate) struct Rules<'a> {
    pub(crate) sections: &'a [&'a str],
    /// The folder whose links are a person's own and may lead anywhere: they are kept, never followed.
    pub(crate) free_links: &'a str,
}

/// Checks all of `path`: below which folders its things lie (`sections`), in which of them links may lead
/// out (`free_links`), and that its files have at most `most` bytes together. `keys` open it, if it needs any.
pub fn check(
    path: &Path,
    keys: &Keys,
    sections: &[&str],
    free_links: &str,
    most: u64,
) -> Result<Checked, Failure> {
    let io = |e: io::Error| Failure::io(path.display(), &e);
    // A pipe must not make us wait; that it is a file is looked at next.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path, flags, Mode::empty()).map_err(|e| io(e.into()))?);
    if !file.metadata().map_err(io)?.is_file() {
        return Err(Failure::wrong_args(format!("{} is not a file", path.display())));
    }
    let mut file = Source::open(file, path, keys)?;
    let sealed = match seal::sealed(&mut file) {
        // What is encrypted and cut or changed cannot be read to its end.
        Err(e) if !matches!(file, Source::Closed(_)) => return Err(io(e)),
        Err(_) => None,
        Ok(sealed) => sealed,
    };
    let Some(before_seal) = sealed else {
        return Err(Failure::new(
            ErrorClass::UnsupportedFormat,
            format!("{} is no backup of Metnos, or a byte of it is missing or changed", path.display()),
        )
        .with_hint("use another copy of it; nothing was written"));
    };
    let rules = Rules { sections, free_links };
    let refused = |why: String| {
        Failure::new(ErrorClass::UnsupportedFormat, format!("{}: {why}", path.display()))
            .with_hint("this archive was not written by metnos backup; nothing was written")
    };
    let mut seen = Vec::new();
    let mut names = Names::default();
    let mut bytes = 0_u64;
    let mut manifest = None;
    walk(&mut file, before_seal, |entry| {
        if manifest.is_some() {
            return Err("something follows the manifest".into());
        }
        if *entry.path_bytes() == *MANIFEST.as_bytes() {
            manifest = Some(read_manifest(entry)?);
            return Ok(());
        }
        if seen.len() >= ENTRIES_MAX {
            return Err(format!("it holds more than {ENTRIES_MAX} things"));
        }
        let (found, _) = look(entry, &rules, &mut io::sink(), most.saturating_sub(bytes))?;
        names.take(&found)?;
        bytes = bytes.saturating_add(found.size);
        seen.push(found);
        Ok(())
    })
    .map_err(refused)?;
    let manifest = manifest.ok_or_else(|| refused("it has no manifest".into()))?;
    if manifest.entries.len() != seen.len() {
        let (said, is) = (manifest.entries.len(), seen.len());
        return Err(refused(format!("its manifest lists {said} things, and there are {is}")));
    }
    if let Some((said, _)) = manifest.entries.iter().zip(&seen).find(|(said, is)| !agrees(said, is)) {
        return Err(refused(format!("{} is not what the manifest says", said.path.0.display())));
    }
    Ok(Checked { file, before_seal, manifest })
}

/// Calls `each` for everything in the archive, in order.
pub(crate) fn walk(
    file: &mut Source,
    before_seal: u64,
    mut each: impl FnMut(
        &mut tar::Entry<'_, zstd::Decoder<'_, BufReader<io::Take<&mut Source>>>>,
    ) -> Result<(), String>,
) -> Result<(), String> {
    let text = |e: io::Error| e.to_string();
    file.rewind().map_err(text)?;
    let source = zstd::Decoder::new(file.take(before_seal)).map_err(text)?;
    let mut archive = tar::Archive::new(source);
    for entry in archive.entries().map_err(text)? {
        each(&mut entry.map_err(text)?)?;
    }
    Ok(())
}

/// What one thing is, its content passed on to `out`; for a link, where it leads.
pub(crate) fn look<R: Read>(
    entry: &mut tar::Entry<'_, R>,
    rules: &Rules<'_>,
    out: &mut dyn Write,
    most: u64,
) -> Result<(Entry, Option<PathBuf>), String> {
    let bytes = entry.path_bytes().into_owned();
    let kind = entry.header().entry_type();
    // A folder is written with a slash at its end.
    let plain = if kind.is_dir() { bytes.strip_suffix(b"/").unwrap_or(&bytes) } else { &bytes };
    let path = PathBuf::from(OsStr::from_bytes(plain));
    if let Some(flaw) = name::flaw(&path, rules.sections) {
        return Err(format!("{}: {flaw}", path.display()));
    }
    let kind = match kind {
        tar::EntryType::Regular => Kind::File,
        tar::EntryType::Directory => Kind::Dir,
        tar::EntryType::Symlink => Kind::Link,
        _ => return Err(format!("{} is neither a file nor a folder nor a link", path.display())),
    };
    let mode = entry.header().mode().map_err(|e| e.to_string())?;
    let mut found =
        Entry { path: BytePath(path.clone()), kind, size: 0, mode, mtime: (0, 0), blake3: String::new() };
    let mut target = None;
    match kind {
        Kind::Dir => {}
        Kind::Link => {
            let to = entry.link_name_bytes().map(|bytes| bytes.into_owned()).unwrap_or_default();
            let to_path = PathBuf::from(OsStr::from_bytes(&to));
            if to.is_empty() || to.len() > TARGET_MAX {
                return Err(format!("{} leads nowhere", path.display()));
            }
            if !path.starts_with(rules.free_links) && !name::stays_inside(&path, &to_path) {
                return Err(format!("{} is a link that leads out", path.display()));
            }
            found.blake3 = blake3::hash(&to).to_hex().to_string();
            target = Some(to_path);
        }
        Kind::File => {
            found.size = entry.size();
            if found.size > most {
                return Err(format!("{}: there is no room for what it holds", path.display()));
            }
            let mut source = Hashing::new(entry);
            io::copy(&mut source, out).map_err(|e| format!("{}: {e}", path.display()))?;
            if source.read != found.size {
                return Err(format!("{} is shorter than it says", path.display()));
            }
            found.blake3 = source.digest.finalize().to_hex().to_string();
        }
    }
    Ok((found, target))
}

/// Whether the manifest says what is there. The time is the manifest's alone: a tar knows only seconds.
pub(crate) fn agrees(said: &Entry, is: &Entry) -> bool {
    said.path == is.path
        && said.kind == is.kind
        && said.size == is.size
        && said.blake3 == is.blake3
        && said.mode == is.mode
        && said.mode & !0o777 == 0
}

/// The names that were taken: each once, and each below a folder that came before it.
#[derive(Default)]
struct Names {
    all: HashSet<PathBuf>,
    dirs: HashSet<PathBuf>,
}

impl Names {
    fn take(&mut self, entry: &Entry) -> Result<(), String> {
        let path = &entry.path.0;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if parent.is_some_and(|parent| !self.dirs.contains(parent)) {
            return Err(format!("{} lies in no folder of the archive", path.display()));
        }
        if parent.is_none() && entry.kind != Kind::Dir {
            return Err(format!("{} is not a folder", path.display()));
        }
        if !self.all.insert(path.clone()) {
            return Err(format!("{} is in it twice", path.display()));
        }
        if entry.kind == Kind::Dir {
            self.dirs.insert(path.clone());
        }
        Ok(())
    }
}

fn read_manifest<R: Read>(entry: &mut tar::Entry<'_, R>) -> Result<Manifest, String> {
    if entry.size() > MANIFEST_MAX {
        return Err("its manifest is too long".into());
    }
    let mut text = Vec::new();
    entry.read_to_end(&mut text).map_err(|e| e.to_string())?;
    let manifest: Manifest =
        serde_json::from_slice(&text).map_err(|e| format!("its manifest cannot be read: {e}"))?;
    match manifest.format {
        FORMAT => Ok(manifest),
        other => Err(format!("its format is {other}; this metnos reads {FORMAT}")),
    }
}
