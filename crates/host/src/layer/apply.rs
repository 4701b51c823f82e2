//! Performs a difference with the hands of any changer, and counts what was seen to happen.

use super::difference::{self, Difference, Planned, Source};
use crate::port::WirePort;
use metnos_executor::{Failure, Intent, Op, Outcome};
use metnos_hands::{Attributes, Hands};
use metnos_seeds::Port;
use rustix::fs::OFlags;
use std::fs::File;
use std::io::{self, Seek};
use std::os::fd::OwnedFd;

/// Announces `difference`, waits until it may happen, and does it. The counts go into `outcome` also when
/// something fails on the way.
pub(super) fn perform(
    difference: Difference,
    layer: &OwnedFd,
    port: &mut WirePort,
    outcome: &mut Outcome,
) -> Result<(), Failure> {
    let Difference { planned, moved } = difference;
    let intent = Intent { ops: planned.iter().map(|planned| planned.op.clone()).collect() };
    let permit = port.intent(&intent)?;
    let mut hands = Hands::approved(intent, permit);
    let (total, mut files, mut folders) = (planned.len() as u64, 0u64, 0u64);
    let mut done = Ok(());
    for (i, planned) in planned.iter().enumerate() {
        done = one(&mut hands, i, planned, layer);
        if done.is_err() {
            break;
        }
        match planned.op {
            Op::MakeDir { .. } | Op::RemoveDir { .. } => folders += 1,
            _ => files += 1,
        }
        port.progress(i as u64 + 1, Some(total), "files");
    }
    let done = done.and_then(|()| {
        files -= moved.min(files);
        hands.finish()
    });
    // Folders are the way to files, and counted where there are none.
    outcome.ok_count = if files > 0 { files } else { folders };
    done
}

fn one(hands: &mut Hands, i: usize, planned: &Planned, layer: &OwnedFd) -> Result<(), Failure> {
    match (&planned.op, &planned.source) {
        (Op::MakeDir { .. }, Source::Folder(mode)) => hands.make_dir_as(i, Some(*mode)),
        (Op::Write { .. }, Source::File { from, mode, mtime }) => {
            let mut source = difference::open(layer, from, OFlags::empty())
                .map(File::from)
                .map_err(|e| Failure::io("the layer", &e.into()))?;
            let attributes = Attributes { mode: Some(*mode), mtime: Some(*mtime) };
            let copy = |to: &mut dyn io::Write| {
                source.rewind()?;
                io::copy(&mut source, to).map(|_| ())
            };
            hands.write_as(i, attributes, copy).map(|_| ())
        }
        (Op::Link { .. }, _) => hands.link(i),
        (Op::Delete { .. }, _) => hands.delete(i).map(|_| ()),
        (Op::RemoveDir { .. }, _) => hands.remove_dir(i),
        _ => Err(Failure::internal("a layer differs in a way it cannot")),
    }
}
