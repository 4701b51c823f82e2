//! Which directories must be made before something can be put in them.

use metnos_executor::{BytePath, ErrorClass, Failure, Op};
use metnos_hands::Hands;
use std::collections::HashSet;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The directories that exist or will, once the operations planned so far are performed.
#[derive(Default)]
pub(super) struct Dirs {
    known: HashSet<PathBuf>,
}

impl Dirs {
    /// Plans `dir` and every missing parent of it, outermost first. The range names the new
    /// operations in `ops`.
    pub(super) fn need(&mut self, dir: &Path, ops: &mut Vec<Op>) -> Result<Range<usize>, Failure> {
        let mut missing = Vec::new();
        let mut at = dir;
        while !self.known.contains(at) {
            match std::fs::metadata(at) {
                Ok(meta) if meta.is_dir() => {
                    self.known.insert(at.to_path_buf());
                    break;
                }
                Ok(_) => return Err(not_a_directory(at)),
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
                    if std::fs::symlink_metadata(at).is_ok() {
                        return Err(not_a_directory(at));
                    }
                }
                Err(e) => return Err(Failure::io(at.display(), &e)),
            }
            missing.push(at.to_path_buf());
            at = at.parent().ok_or_else(|| {
                Failure::wrong_args(format!("{}: not a full path to a directory", dir.display()))
            })?;
        }
        let start = ops.len();
        for path in missing.into_iter().rev() {
            self.known.insert(path.clone());
            ops.push(Op::MakeDir { path: BytePath(path) });
        }
        Ok(start..ops.len())
    }

    /// Forgets the operations `from` and later, and what they would have made.
    pub(super) fn forget(&mut self, from: usize, ops: &mut Vec<Op>) {
        for op in ops.drain(from.min(ops.len())..) {
            if let Op::MakeDir { path } = op {
                self.known.remove(&path.0);
            }
        }
    }
}

fn not_a_directory(path: &Path) -> Failure {
    Failure::wrong_args(format!("{}: not a directory", path.display()))
}

/// Makes the planned directories; one that somebody else made meanwhile is as good. Returns how
/// many were made here.
pub(super) fn make(hands: &mut Hands, planned: Range<usize>) -> Result<u64, Failure> {
    let mut made = 0u64;
    for i in planned {
        match hands.make_dir(i) {
            Ok(()) => made = made.saturating_add(1),
            Err(failure) if failure.class == ErrorClass::DstExists && is_dir(hands, i) => {}
            Err(failure) => return Err(failure),
        }
    }
    Ok(made)
}

fn is_dir(hands: &Hands, i: usize) -> bool {
    matches!(hands.intent().ops.get(i), Some(Op::MakeDir { path }) if path.0.is_dir())
}
