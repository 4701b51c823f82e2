//! Calls that a crash cut: an `open` whose process is gone gets its `interrupted` line.

use super::line::{Exit, Kind, Line, Sealed};
use super::read::Backwards;
use super::{Seq, files};
use crate::{Error, Result};
use metnos_executor::ErrorClass;
use serde_json::json;
use std::collections::HashSet;
use std::fs::File;
use std::path::Path;

/// Reads back until `open` unclosed calls were met, and closes those of dead processes.
pub(super) fn recover(dir: &Path, open: u64, append: impl Fn(Line) -> Result<Seq>) -> Result<Vec<String>> {
    let mut ended = HashSet::new();
    let mut cut = Vec::new();
    let mut left = open;
    for name in files::list(dir)?.iter().rev() {
        if left == 0 {
            break;
        }
        let path = dir.join(name);
        let mut lines = Backwards::new(File::open(&path).map_err(Error::io("read", &path))?)
            .map_err(Error::io("read", &path))?;
        while let Some(line) = lines.next_line().map_err(Error::io("read", &path))? {
            let Ok(Sealed { seq, line, .. }) = serde_json::from_slice(&line) else { continue };
            let Some(call_id) = line.call_id.clone() else { continue };
            match line.kind {
                Kind::Close | Kind::Interrupted => {
                    ended.insert(call_id);
                }
                Kind::Open if !ended.contains(&call_id) => {
                    left = left.saturating_sub(1);
                    ended.insert(call_id.clone());
                    if !line.writer.as_deref().is_some_and(lives) {
                        cut.push((seq, line, call_id));
                    }
                }
                _ => {}
            }
            if left == 0 {
                break;
            }
        }
    }
    cut.reverse();
    let mut calls = Vec::with_capacity(cut.len());
    for (seq, opened, call_id) in cut {
        append(Line {
            kind: Kind::Interrupted,
            exit: Some(Exit::Failed(ErrorClass::Interrupted)),
            input: serde_json::Value::Null,
            verdicts: Vec::new(),
            detail: json!({"open": seq}),
            writer: None,
            ..opened
        })?;
        calls.push(call_id);
    }
    Ok(calls)
}

/// This process, so that another can tell whether it still lives: boot, id and start time.
pub(super) fn this_process() -> String {
    identity(std::process::id()).unwrap_or_else(|| "unknown".into())
}

fn lives(writer: &str) -> bool {
    let id = writer.split(':').nth(1).and_then(|id| id.parse().ok());
    id.and_then(identity).is_some_and(|now| now == writer)
}

fn identity(process: u32) -> Option<String> {
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The name, in parentheses, may hold anything; the start time is the 20th field after it.
    let (_, fields) = stat.rsplit_once(')')?;
    let started = fields.split_ascii_whitespace().nth(19)?;
    Some(format!("{}:{process}:{started}", boot.trim()))
}
