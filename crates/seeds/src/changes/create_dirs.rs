//! `create_dirs`: makes directories, with their parents unless told not to.

use super::dirs::{self, Dirs};
use super::items::{Item, done, failed, items, result, tick};
use crate::call::Call;
use metnos_executor::{ErrorClass, Failure, Intent, ListName, Op};
use serde::Deserialize;
use std::ops::Range;

#[derive(Deserialize)]
struct Args {
    #[serde(default = "yes")]
    recursive: bool,
}

fn yes() -> bool {
    true
}

/// Entry point.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    call.list = ListName::Results;
    let args: Args = call.args()?;
    let (mut dirs, mut ops, mut planned) = (Dirs::default(), Vec::new(), Vec::new());
    for item in items(call, |_| ())? {
        match plan(&mut dirs, &item, args.recursive, &mut ops) {
            Ok(range) => planned.push((item, range)),
            Err(failure) => failed(call, item.index, &item.path, &failure),
        }
    }
    if ops.is_empty() {
        // All of them stood there before.
        if !planned.is_empty() {
            call.set("existed", planned.len() as u64);
        }
        for (item, _) in planned {
            answer(call, &item, true)?;
        }
        return Ok(());
    }
    let total = planned.len() as u64;
    let mut hands = call.intent(Intent { ops })?;
    for (n, (item, range)) in planned.into_iter().enumerate() {
        tick(call, n as u64, total, "directories")?;
        match dirs::make(&mut hands, range) {
            // A path planned as the parent of an earlier one is there only if that one succeeded.
            Ok(_) if !item.path.is_dir() => {
                let failure =
                    Failure::new(ErrorClass::Conflict, format!("{}: not made", item.path.display()));
                failed(call, item.index, &item.path, &failure);
            }
            Ok(made) => answer(call, &item, made == 0)?,
            Err(failure) => failed(call, item.index, &item.path, &failure),
        }
    }
    hands.finish()
}

fn plan(
    dirs: &mut Dirs,
    item: &Item<()>,
    recursive: bool,
    ops: &mut Vec<Op>,
) -> Result<Range<usize>, Failure> {
    let path = &item.path;
    match std::fs::metadata(path) {
        Ok(meta) if !meta.is_dir() => {
            let message = format!("{}: something that is not a directory is there", path.display());
            return Err(Failure::new(ErrorClass::DstExists, message));
        }
        _ => {}
    }
    let range = dirs.need(path, ops)?;
    if !recursive && range.len() > 1 {
        dirs.forget(range.start, ops);
        let message = format!("{}: its parent does not exist", path.display());
        return Err(
            Failure::new(ErrorClass::NotFound, message).with_hint("recursive = true makes parents too")
        );
    }
    Ok(range)
}

fn answer(call: &mut Call<'_>, item: &Item<()>, existed: bool) -> Result<(), Failure> {
    let mut record = result("path", &item.path);
    record.insert("existed".into(), existed.into());
    done(call, record, item.origin)
}
