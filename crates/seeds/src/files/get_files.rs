//! `get_files`: what is known about files named one by one.

use super::list_dirs::type_word;
use super::photo::{self, Photo};
use super::record::{Stamp, b64, ext_of, text};
use super::{mime, walk};
use crate::call::Call;
use metnos_executor::{ErrorClass, Failure, Origin, failure::class_of};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// How much is read at once for a digest.
const PIECE: usize = 256 * 1024;
/// Bytes between two reports of progress while one file is read.
const REPORT_EVERY: u64 = 64 << 20;

#[derive(Deserialize)]
struct Args {
    #[serde(default)]
    hash: bool,
}

#[derive(Serialize)]
struct Known<'a> {
    path: Cow<'a, str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    name: Cow<'a, str>,
    #[serde(rename = "type")]
    kind: &'static str,
    size: u64,
    mtime: Stamp,
    mode: String,
    mime: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hash: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exif: Option<Photo>,
}

/// Runs the seed.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let paths = call.paths()?;
    let total = paths.len() as u64;
    for (index, (path, origin)) in (0u64..).zip(&paths) {
        if index.is_multiple_of(256) {
            call.progress(index, Some(total), "files")?;
        }
        match look(call, path, args.hash) {
            Ok(known) => {
                // What a picture says about itself was written by whoever made it.
                let from = if known.exif.is_some() { Origin::Content } else { Origin::Local };
                call.emit(&known, from.join(*origin))?;
            }
            Err(failure) if walk::ends_call(&failure) => return Err(failure),
            Err(failure) => call.outcome.fail(index, path.to_string_lossy(), failure.class, failure.message),
        }
    }
    call.outcome.ok_count = call.items();
    Ok(())
}

fn look<'a>(call: &mut Call<'_>, path: &'a Path, hash: bool) -> Result<Known<'a>, Failure> {
    let bytes = path.as_os_str().as_bytes();
    let io = |error: io::Error| Failure::new(class_of(&error), error.to_string());
    let stat = rustix::fs::statat(CWD, path, AtFlags::SYMLINK_NOFOLLOW).map_err(|e| io(e.into()))?;
    let kind = FileType::from_raw_mode(stat.st_mode);
    let name = path.file_name().map_or(bytes, OsStrExt::as_bytes);
    let mut known = Known {
        path: text(bytes),
        path_b64: b64(bytes),
        name: text(name),
        kind: type_word(kind),
        size: u64::try_from(stat.st_size).unwrap_or(0),
        mtime: Stamp(stat.st_mtime),
        mode: format!("{:04o}", stat.st_mode & 0o7777),
        mime: match kind {
            FileType::Directory => "inode/directory",
            FileType::Symlink => "inode/symlink",
            _ => "inode/special",
        },
        hash: None,
        exif: None,
    };
    if kind != FileType::RegularFile {
        return Ok(known);
    }
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
    let mut file: File =
        rustix::fs::openat(CWD, path, flags, Mode::empty()).map_err(|e| io(e.into()))?.into();
    let mut head = Vec::with_capacity(mime::LOOK);
    Read::by_ref(&mut file).take(mime::LOOK as u64).read_to_end(&mut head).map_err(io)?;
    known.mime = mime::of(&head, &text(ext_of(name)));
    if known.mime.starts_with("image/") {
        known.exif = Some(photo::of(&file));
    }
    if hash {
        known.hash = Some(digest(call, &mut file)?);
    }
    Ok(known)
}

fn digest(call: &mut Call<'_>, file: &mut File) -> Result<String, Failure> {
    let io = |error: io::Error| Failure::new(class_of(&error), error.to_string());
    file.seek(SeekFrom::Start(0)).map_err(io)?;
    let mut hasher = blake3::Hasher::new();
    let mut piece = vec![0; PIECE];
    let (mut done, mut reported) = (0u64, 0u64);
    loop {
        let n = match file.read(&mut piece) {
            Ok(0) => return Ok(hasher.finalize().to_hex().to_string()),
            Ok(n) => n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(io(e)),
        };
        hasher.update(
            piece.get(..n).ok_or_else(|| Failure::new(ErrorClass::Internal, "a read gave too much"))?,
        );
        done = done.saturating_add(n as u64);
        if done - reported >= REPORT_EVERY {
            reported = done;
            call.progress(done, None, "bytes")?;
        }
    }
}
