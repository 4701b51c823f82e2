//! `delete_files`: removes files and symbolic links, never what a link points to.

use super::items::{done, failed, items, result, tick};
use crate::call::Call;
use metnos_executor::{BytePath, Failure, Intent, ListName, Op};

/// Entry point.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    call.list = ListName::Results;
    let (mut planned, mut ops) = (Vec::new(), Vec::new());
    for item in items(call, |_| ())? {
        match std::fs::symlink_metadata(&item.path) {
            Ok(meta) if meta.is_dir() => {
                let failure = Failure::wrong_args(format!("{}: a directory", item.path.display()))
                    .with_hint("delete_dirs removes directories");
                failed(call, item.index, &item.path, &failure);
            }
            Ok(_) => {
                ops.push(Op::Delete { path: BytePath(item.path.clone()) });
                planned.push(item);
            }
            Err(e) => {
                let failure = Failure::io(item.path.display(), &e);
                failed(call, item.index, &item.path, &failure);
            }
        }
    }
    if ops.is_empty() {
        return Ok(());
    }
    let total = ops.len() as u64;
    let mut hands = call.intent(Intent { ops })?;
    for (i, item) in planned.iter().enumerate() {
        tick(call, i as u64, total, "files")?;
        match hands.delete(i) {
            Ok(size) => {
                let mut record = result("path", &item.path);
                record.insert("size".into(), size.into());
                done(call, record, item.origin)?;
            }
            Err(failure) => failed(call, item.index, &item.path, &failure),
        }
    }
    hands.finish()
}
