//! `delete_dirs`: removes directories; with `recursive`, everything in them too.
//!
//! The whole tree is listed before anything goes. A tree that cannot be listed to its end (a
//! folder that may not be read, a file system mounted inside) is refused whole: half of it gone
//! is not what anybody asked for. For the same reason the first file that cannot be removed ends
//! the work on its directory.

use super::items::{Item, done, failed, items, result, tick};
use super::tree::{Seen, walk};
use crate::call::Call;
use metnos_executor::{BytePath, ErrorClass, Failure, Intent, ListName, Op};
use metnos_hands::Hands;
use serde::Deserialize;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Args {
    #[serde(default)]
    recursive: bool,
}

/// Entry point.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    call.list = ListName::Results;
    let args: Args = call.args()?;
    let (mut planned, mut ops) = (Vec::new(), Vec::new());
    // Directories may be given together with their parents; each thing is removed once.
    let mut claimed = HashSet::new();
    for item in items(call, |_| ())? {
        match plan(call, &item.path, args.recursive, &claimed) {
            Ok(new) => {
                let start = ops.len();
                for op in new {
                    if let Op::Delete { path } | Op::RemoveDir { path } = &op {
                        claimed.insert(path.0.clone());
                    }
                    ops.push(op);
                }
                planned.push((item, start..ops.len()));
            }
            Err(failure) if failure.class == ErrorClass::Cancelled => return Err(failure),
            Err(failure) => failed(call, item.index, &item.path, &failure),
        }
    }
    if ops.is_empty() {
        return Ok(());
    }
    let total = ops.len() as u64;
    let mut hands = call.intent(Intent { ops })?;
    for (item, range) in planned {
        remove(call, &mut hands, &item, range, total)?;
    }
    hands.finish()
}

/// The operations that remove `root`, deepest first, without those already `claimed`.
fn plan(
    call: &mut Call<'_>,
    root: &Path,
    recursive: bool,
    claimed: &HashSet<PathBuf>,
) -> Result<Vec<Op>, Failure> {
    let meta = std::fs::symlink_metadata(root).map_err(|e| Failure::io(root.display(), &e))?;
    if !meta.is_dir() {
        return Err(Failure::wrong_args(format!("{}: not a directory", root.display()))
            .with_hint("delete_files removes files and links"));
    }
    if root.file_name().is_none() {
        return Err(Failure::wrong_args(format!("{}: cannot be removed", root.display())));
    }
    let mut ops = Vec::new();
    let mut looked = 0u64;
    walk(root, &mut |seen| {
        looked = looked.saturating_add(1);
        if looked.is_multiple_of(1024) {
            call.progress(looked, None, "files")?;
        }
        match seen {
            Seen::Node(path, _) if claimed.contains(&path) => Ok(()),
            Seen::Node(path, _) if !recursive && path != root => {
                Err(Failure::new(ErrorClass::Conflict, format!("{}: not empty", root.display()))
                    .with_hint("say \"and everything in it\": recursive = true removes what is in it too"))
            }
            Seen::Node(path, meta) => {
                let path = BytePath(path);
                ops.push(if meta.is_dir() { Op::RemoveDir { path } } else { Op::Delete { path } });
                Ok(())
            }
            Seen::Mount(path) => Err(Failure::new(
                ErrorClass::Conflict,
                format!("{}: another file system is mounted there; nothing was removed", path.display()),
            )),
            Seen::Trouble(path, e) => {
                let mut failure = Failure::io(path.display(), &e);
                failure.message.push_str("; nothing was removed");
                Err(failure)
            }
        }
    })?;
    ops.reverse();
    Ok(ops)
}

fn remove(
    call: &mut Call<'_>,
    hands: &mut Hands,
    item: &Item<()>,
    range: Range<usize>,
    total: u64,
) -> Result<(), Failure> {
    let (mut files, mut dirs, mut size) = (0u64, 0u64, 0u64);
    let mut trouble = None;
    for i in range {
        tick(call, i as u64, total, "files")?;
        let is_dir = matches!(hands.intent().ops.get(i), Some(Op::RemoveDir { .. }));
        let removed = if is_dir { hands.remove_dir(i).map(|()| 0) } else { hands.delete(i) };
        match removed {
            Ok(bytes) => {
                size = size.saturating_add(bytes);
                let count = if is_dir { &mut dirs } else { &mut files };
                *count = count.saturating_add(1);
            }
            // Somebody else removed it first: it is as gone as it should be.
            Err(failure) if failure.class == ErrorClass::NotFound => {}
            Err(failure) => {
                trouble = Some(failure);
                break;
            }
        }
    }
    if trouble.is_none() && std::fs::symlink_metadata(&item.path).is_ok() {
        let message = format!("{}: still there", item.path.display());
        trouble = Some(Failure::new(ErrorClass::Conflict, message));
    }
    match trouble {
        Some(mut failure) => {
            failure.message.push_str(&format!("; {files} files and {dirs} directories were removed before"));
            failed(call, item.index, &item.path, &failure);
            Ok(())
        }
        None => {
            let mut record = result("path", &item.path);
            record.insert("files".into(), files.into());
            record.insert("dirs".into(), dirs.into());
            record.insert("size".into(), size.into());
            done(call, record, item.origin)
        }
    }
}
