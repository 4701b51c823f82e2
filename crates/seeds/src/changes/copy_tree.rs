//! A folder copied as the tree it is: folders, also empty ones, files, hidden ones among them, and links as links. What
//! cannot be copied is told, and the rest is.

use super::items::{STRIDE, done, failed, name, result};
use super::tree::{Seen, attributes, walk};
use crate::call::Call;
use metnos_executor::{BytePath, ErrorClass, Failure, Op, Origin};
use metnos_hands::{Attributes, Hands};
use std::ops::Range;
use std::path::Path;

/// Plans the copy of `src`, with everything in it, as `dst`.
pub(super) fn plan(
    call: &mut Call<'_>,
    index: u64,
    src: &Path,
    dst: &Path,
    ops: &mut Vec<Op>,
    dress: &mut Vec<(usize, Attributes)>,
) -> Result<(), Failure> {
    let mut seen = 0u64;
    walk(src, &mut |node| {
        seen = seen.saturating_add(1);
        if seen.is_multiple_of(STRIDE) {
            call.progress(seen, None, "files looked at")?;
        }
        match node {
            Seen::Node(path, meta) => {
                let below = path.strip_prefix(src).unwrap_or(&path);
                // Joining nothing would leave a slash at the end.
                let to = if below.as_os_str().is_empty() { dst.to_path_buf() } else { dst.join(below) };
                if meta.is_dir() {
                    dress.push((ops.len(), attributes(&meta)));
                    ops.push(Op::MakeDir { path: BytePath(to) });
                } else if meta.is_file() || meta.is_symlink() {
                    ops.push(Op::Copy { src: BytePath(path), dst: BytePath(to) });
                } else {
                    let why = Failure::new(
                        ErrorClass::UnsupportedFormat,
                        format!(
                            "{}: neither a file, nor a link, nor a folder; it was not copied",
                            path.display()
                        ),
                    );
                    failed(call, index, &path, &why);
                }
            }
            Seen::Mount(path) => {
                let why = Failure::new(
                    ErrorClass::PermissionDenied,
                    format!(
                        "{}: another file system, or not for Metnos to read; it was not copied",
                        path.display()
                    ),
                );
                failed(call, index, &path, &why);
            }
            Seen::Trouble(path, e) => failed(call, index, &path, &Failure::io(path.display(), &e)),
        }
        Ok(())
    })
}

/// Performs it, and tells how many files it copied: what fails is told alone, and what is below a folder that could not be made is passed over.
pub(super) fn perform(
    call: &mut Call<'_>,
    hands: &mut Hands,
    index: u64,
    src: &Path,
    dst: &Path,
    ops: Range<usize>,
    origin: Origin,
) -> Result<Option<u64>, Failure> {
    let total = hands.intent().ops.len() as u64;
    let (mut bytes, mut files) = (0u64, 0u64);
    for i in ops.clone() {
        if (i as u64).is_multiple_of(STRIDE) {
            call.progress(i as u64, Some(total), "files")?;
        }
        let outcome = match hands.intent().ops.get(i) {
            Some(Op::MakeDir { .. }) => hands.make_dir(i).map(|()| None),
            _ => hands.copy(i).map(Some),
        };
        match outcome {
            Ok(None) => {}
            Ok(Some(written)) => {
                bytes = bytes.saturating_add(written.bytes);
                files = files.saturating_add(1);
            }
            Err(failure) if i == ops.start => {
                failed(call, index, src, &failure);
                return Ok(None);
            }
            Err(failure) => {
                let what = match hands.intent().ops.get(i) {
                    Some(Op::Copy { src, .. }) => src.0.clone(),
                    _ => dst.to_path_buf(),
                };
                failed(call, index, &what, &failure);
            }
        }
    }
    let mut record = result("path", dst);
    name(&mut record, "src", src);
    record.insert("size".into(), bytes.into());
    record.insert("files".into(), files.into());
    done(call, record, origin)?;
    Ok(Some(files))
}
