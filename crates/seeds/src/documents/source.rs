//! Which files a call is about, and how a seed opens one: never blocking on a pipe, never reading
//! a device, and always with a name that survives JSON.

use crate::call::{Call, next_line, parse};
use metnos_executor::{BytePath, ErrorClass, Failure, Origin, path};
use serde::Serialize;
use serde_json::Value;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// One file the call names.
pub(crate) struct Input {
    /// Its place in the input.
    pub(crate) index: u64,
    /// The file, byte for byte.
    pub(crate) path: PathBuf,
    /// Where its name came from.
    pub(crate) origin: Origin,
}

/// The files of the call: `paths` first, then the `path` of every entry. A call that names
/// neither makes no sense; an empty list is an empty answer.
pub(crate) fn inputs(call: &mut Call<'_>) -> Result<Vec<Input>, Failure> {
    let mut found = Vec::new();
    let listed = call.args.get("paths").and_then(Value::as_array);
    let named = listed.is_some();
    for item in listed.into_iter().flatten() {
        let path: BytePath =
            serde_json::from_value(item.clone()).map_err(|e| Failure::wrong_args(format!("paths: {e}")))?;
        found.push(Input { index: found.len() as u64, path: path.0, origin: Origin::User });
    }
    let Some(mut source) = call.take_entries() else {
        return if named {
            Ok(found)
        } else {
            Err(Failure::wrong_args("`paths` or a list of files is needed"))
        };
    };
    let (mut buffer, mut index) = (Vec::new(), found.len() as u64);
    while let Some(line) = next_line(&mut source, &mut buffer)? {
        let entry = parse(line, index)?;
        match path::of_entry(&entry, "path") {
            Some(path) => found.push(Input { index, path, origin: Origin::of(&entry) }),
            None => call.outcome.fail(
                index,
                format!("entry {index}"),
                ErrorClass::WrongArgs,
                "the entry has no `path`",
            ),
        }
        index += 1;
    }
    Ok(found)
}

/// Opens a regular file and tells its size. Not blocking, because opening a named pipe would wait
/// for a writer that never comes.
pub(crate) fn open(path: &Path) -> Result<(File, u64), Failure> {
    let nonblocking = rustix::fs::OFlags::NONBLOCK.bits() as i32;
    let file =
        OpenOptions::new().read(true).custom_flags(nonblocking).open(path).map_err(|e| refused(path, &e))?;
    let meta = file.metadata().map_err(|e| Failure::io(shown(path), &e))?;
    if meta.is_dir() {
        return Err(Failure::wrong_args(format!("{} is a folder", shown(path)))
            .with_hint("list its files first with find_files"));
    }
    if !meta.is_file() {
        return Err(Failure::new(
            ErrorClass::UnsupportedFormat,
            format!("{} is not a regular file", shown(path)),
        ));
    }
    Ok((file, meta.len()))
}

/// Why a file did not open, where the kernel's word needs translation.
fn refused(path: &Path, error: &std::io::Error) -> Failure {
    use rustix::io::Errno;
    let (class, why) = match error.raw_os_error() {
        Some(n) if n == Errno::LOOP.raw_os_error() => {
            (ErrorClass::NotFound, "a symbolic link that leads nowhere")
        }
        Some(n) if n == Errno::NXIO.raw_os_error() => (ErrorClass::UnsupportedFormat, "not a regular file"),
        _ => return Failure::io(shown(path), error),
    };
    Failure::new(class, format!("{}: {why}", shown(path)))
}

/// A path as a person reads it.
pub(crate) fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The fields that name a file in an answer.
#[derive(Clone, Serialize)]
pub(crate) struct Named {
    /// For the eye, lossy when the name is not UTF-8.
    pub(crate) path: String,
    /// The exact bytes, only when `path` lost some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) path_b64: Option<String>,
}

impl Named {
    /// The name of `path`.
    pub(crate) fn of(path: &Path) -> Self {
        Self { path: shown(path), path_b64: path.to_str().is_none().then(|| path::encode(path)) }
    }
}

/// Notes that one input failed while the others go on. Stopping is not a failure of the item.
pub(crate) fn note(call: &mut Call<'_>, input: &Input, failure: Failure) -> Result<(), Failure> {
    if matches!(failure.class, ErrorClass::Cancelled | ErrorClass::LimitExceeded) {
        return Err(failure);
    }
    call.outcome.fail(input.index, shown(&input.path), failure.class, failure.message);
    Ok(())
}

/// Runs a parser of untrusted bytes. A library that panics on a hostile file has failed on that
/// file, not on the call.
pub(crate) fn guarded<T>(what: &str, parse: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(parse)).unwrap_or_else(|_| {
        Err(Failure::new(
            ErrorClass::UnsupportedFormat,
            format!("{what}: the file is damaged beyond reading"),
        ))
    })
}
