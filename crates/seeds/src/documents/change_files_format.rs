//! `change_files_format`: files in another format, beside the old ones or in a folder. Never
//! replaces anything. Every conversion is tried before the intent, so that a broken file changes
//! nothing; what it gave is kept while it is small, else made again.

use super::convert::{self, Target, Way};
use super::source::{self, Input, note, shown};
use crate::call::Call;
use metnos_executor::{BytePath, ErrorClass, Failure, Intent, ListName, Op, Origin, WriteMode, path};
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// How much converted content is kept between the trial and the act, in all.
const KEPT_MAX: usize = 128 << 20;

#[derive(Deserialize)]
struct Args {
    to: Option<String>,
    #[serde(default)]
    width: u32,
    #[serde(default = "good")]
    quality: u8,
    dst_dir: Option<BytePath>,
}

fn good() -> u8 {
    85
}

#[derive(Serialize)]
struct Done {
    src: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    src_b64: Option<String>,
    dst: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    dst_b64: Option<String>,
    ok: bool,
    bytes: u64,
    blake3: String,
}

struct Step<'a> {
    input: &'a Input,
    dst: PathBuf,
    way: Way,
    /// The converted content, while it was small enough.
    made: Option<Vec<u8>>,
}

/// Converts each file.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    call.list = ListName::Results;
    let args: Args = call.args()?;
    let target = match &args.to {
        Some(to) => Some(
            Target::named(to)
                .ok_or_else(|| Failure::wrong_args(format!("`{to}` is not a format files are changed to")))?,
        ),
        None if args.width > 0 => None,
        None => return Err(Failure::wrong_args("neither a format nor a width is given".to_owned())),
    };
    let inputs = source::inputs(call)?;
    if let Some(dir) = &args.dst_dir
        && !dir.0.is_dir()
    {
        return Err(Failure::new(ErrorClass::NotFound, format!("{} is not a folder", shown(&dir.0))));
    }
    let steps = prepare(call, &inputs, &args, target)?;
    if steps.is_empty() {
        return Ok(());
    }
    let ops = steps
        .iter()
        .map(|step| Op::Write { dst: BytePath(step.dst.clone()), mode: WriteMode::Create })
        .collect();
    let mut hands = call.intent(Intent { ops })?;
    let total = steps.len() as u64;
    for (i, step) in steps.into_iter().enumerate() {
        // What was done so far is done: stopping leaves it in the answer.
        call.progress(i as u64, Some(total), "files")?;
        let mut cause = None;
        let written = hands.write(i, |out| match &step.made {
            Some(bytes) => out.write_all(bytes),
            None => convert::write(&step.input.path, step.way, out).map_err(|failure| {
                let error = io::Error::other(failure.message.clone());
                cause = Some(failure);
                error
            }),
        });
        match written {
            Ok(written) => {
                let utf8 = |p: &Path| p.to_str().is_none().then(|| path::encode(p));
                let done = Done {
                    src: shown(&step.input.path),
                    src_b64: utf8(&step.input.path),
                    dst: shown(&step.dst),
                    dst_b64: utf8(&step.dst),
                    ok: true,
                    bytes: written.bytes,
                    blake3: written.blake3,
                };
                call.emit(&done, Origin::Local.join(step.input.origin))?;
                call.outcome.ok_count += 1;
            }
            Err(failure) => {
                let failure = cause.unwrap_or(failure);
                call.outcome.fail(step.input.index, shown(&step.input.path), failure.class, failure.message);
            }
        }
    }
    Ok(())
}

/// Decides and tries every conversion; those that cannot be done are noted and left out.
fn prepare<'a>(
    call: &mut Call<'_>,
    inputs: &'a [Input],
    args: &Args,
    target: Option<Target>,
) -> Result<Vec<Step<'a>>, Failure> {
    let (mut steps, mut taken, mut room) = (Vec::new(), HashSet::new(), KEPT_MAX);
    for (i, input) in inputs.iter().enumerate() {
        call.progress(i as u64, Some(inputs.len() as u64), "files")?;
        match prepare_one(input, args, target, &taken, room) {
            Ok(step) => {
                taken.insert(step.dst.clone());
                room = room.saturating_sub(step.made.as_ref().map_or(0, Vec::len));
                steps.push(step);
            }
            Err(failure) => note(call, input, failure)?,
        }
    }
    Ok(steps)
}

fn prepare_one<'a>(
    input: &'a Input,
    args: &Args,
    target: Option<Target>,
    taken: &HashSet<PathBuf>,
    room: usize,
) -> Result<Step<'a>, Failure> {
    let target = match target {
        Some(target) => target,
        None => own(&input.path)?,
    };
    let dst = destination(&input.path, args, target)?;
    let way = convert::way(&input.path, target, args.width, args.quality)?;
    if taken.contains(&dst) || std::fs::symlink_metadata(&dst).is_ok() {
        return Err(Failure::new(ErrorClass::DstExists, format!("{} is already there", shown(&dst))));
    }
    let mut kept = Kept { bytes: Vec::new(), room, over: false };
    convert::write(&input.path, way, &mut kept)?;
    Ok(Step { input, dst, way, made: (!kept.over).then_some(kept.bytes) })
}

/// The format a picture has: what only changes its width keeps it.
fn own(src: &Path) -> Result<Target, Failure> {
    let ending = src.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
    let picture = Target::named(&ending).filter(|target| matches!(target, Target::Picture(_)));
    picture.ok_or_else(|| {
        Failure::new(ErrorClass::UnsupportedFormat, format!("{} is no picture with a width", shown(src)))
    })
}

/// The new name: the old one with the extension of the format. A picture that only changes its
/// width in its own folder gets the width in its name, or it could never be made there.
fn destination(src: &Path, args: &Args, target: Target) -> Result<PathBuf, Failure> {
    let no_name = || Failure::wrong_args(format!("{} has no name to keep", shown(src)));
    let dir = match &args.dst_dir {
        Some(dir) => dir.0.as_path(),
        None => src.parent().ok_or_else(no_name)?,
    };
    let stem = src.file_stem().ok_or_else(no_name)?;
    let name = |middle: &str| {
        let mut name = OsString::from(stem);
        name.push(middle);
        name.push(".");
        name.push(target.extension());
        dir.join(name)
    };
    let plain = name("");
    if plain == src && args.width > 0 {
        return Ok(name(&format!("-{}", args.width)));
    }
    Ok(plain)
}

/// Takes everything, keeps it only while there is room.
struct Kept {
    bytes: Vec<u8>,
    room: usize,
    over: bool,
}

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.over {
            if self.bytes.len().saturating_add(bytes.len()) > self.room {
                self.over = true;
                self.bytes = Vec::new();
            } else {
                self.bytes.extend_from_slice(bytes);
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
