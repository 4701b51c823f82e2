//! The way back: each operation that happened is reversed, the last one first. What changed since is
//! a conflict, told and left alone.

use crate::given::Given;
use crate::past::Past;
use crate::plan::{No, Sight, Way, acts_on, plan};
use crate::record::{Seen, Step, Undone};
use metnos_executor::{Failure, Op};
use metnos_hands::{Fact, Touched, back};
use serde::{Deserialize, Serialize};
use std::io;
use std::path::{Path, PathBuf};

/// Something that was left as it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conflict {
    /// Where.
    pub path: String,
    /// Why.
    pub why: String,
}

/// What reversing came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Operations reversed, now or before.
    pub reversed: u64,
    /// Those that were not.
    pub conflicts: Vec<Conflict>,
    /// The numbers of those, from zero.
    pub left: Vec<u64>,
    /// What came back as another thing than the one that stood there: to be recorded before the undo is.
    pub given: Vec<Given>,
}

/// For what purpose operations are reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Only to see what would come of it.
    Try,
    /// Somebody asked for it.
    Undo,
    /// A crash cut the call. What it created is kept, for it cannot be told from what somebody else
    /// created there meanwhile.
    Recover,
}

/// Reverses what happened, the last first. `forbidden` tells why a path may not be touched any more.
pub fn reverse(
    done: &[(Step, Seen, PathBuf)],
    purpose: Purpose,
    forbidden: &dyn Fn(&Path) -> Option<String>,
) -> Result<Report, Failure> {
    reverse_left(done, None, purpose, forbidden)
}

/// Reverses what an earlier attempt left as it is, and nothing that it had reversed: that may have been done again
/// since, by somebody who meant it.
pub fn reverse_left(
    done: &[(Step, Seen, PathBuf)],
    before: Option<&Undone>,
    purpose: Purpose,
    forbidden: &dyn Fn(&Path) -> Option<String>,
) -> Result<Report, Failure> {
    let is_open = |i: usize, step: &Step| before.is_none_or(|before| before.left(i, acts_on(step)));
    let untold = |e: io::Error| Failure::io("what stands there cannot be told", &e);
    let mut report = Report::default();
    let mut touched = Touched::default();
    let mut dirs: Vec<(&Path, &Fact, Fact)> = Vec::new();
    let mut sight = Sight::new(done).map_err(untold)?;
    let past = Past::new(done);
    let mut back_again = vec![false; done.len()];
    if purpose == Purpose::Recover {
        // What the cut left half made stands in the way of taking its folder back.
        for (step, _, kept) in done.iter().filter(|(_, seen, _)| !seen.performed) {
            touches(step).for_each(|path| back::sweep(path, kept));
        }
    }
    for (i, (step, seen, kept)) in done.iter().enumerate().rev() {
        if !seen.performed || !is_open(i, step) {
            continue;
        }
        let path = acts_on(step);
        let refused = touches(step).find_map(forbidden);
        let planned = match refused {
            Some(why) => Err(No::Conflict(why)),
            None => plan(i, step, seen, kept, &sight).or_else(|why| {
                match past.is_reversed(i, step, seen, &sight) {
                    true => Ok(Way::Nothing),
                    false => Err(why),
                }
            }),
        };
        let way = match planned {
            Ok(way) => Ok(way),
            Err(No::Conflict(why)) => Err(why),
            // What is reversed so far stays, and asking again goes on here.
            Err(No::Untold(error)) => {
                touched.sync()?;
                return Err(untold(error));
            }
        };
        let way = way.map(|way| match way {
            Way::Move { .. } if past.is_round(i, step, done, &sight) => Way::Nothing,
            Way::MakeDir { path, .. } if past.is_folder_back(i, path, &sight) => Way::Nothing,
            // A repair that was cut may have kept it already, as a copy where a rename cannot go.
            Way::Remove { path } if purpose == Purpose::Recover && !is_kept(path, kept) => {
                Way::Move { from: path, to: kept }
            }
            way => way,
        });
        let outcome = match way {
            Ok(way) if purpose == Purpose::Try => {
                sight.foresee(i, &way);
                Ok(way)
            }
            Ok(way) => match perform(&way, kept, &mut touched) {
                Ok(()) => Ok(way),
                Err(failure) if is_conflict(&failure) => {
                    // What stands there may be what was there before all of it, not what this left.
                    match past.is_reversed(i, step, seen, &sight) {
                        true => Ok(Way::Nothing),
                        false => Err(failure.message),
                    }
                }
                // The disk said no, not the person: what is reversed so far stays, and asking again
                // goes on here.
                Err(failure) => {
                    touched.sync()?;
                    return Err(failure);
                }
            },
            Err(why) => Err(why),
        };
        match outcome {
            Ok(way) => {
                if purpose != Purpose::Try {
                    sight.remember(i, &way);
                }
                if let (Way::MakeDir { path, was }, Ok(Some(made))) = (&way, Fact::at(path)) {
                    dirs.push((path, was, made));
                }
                back_again[i] = true;
                report.reversed += 1;
            }
            Err(why) => {
                report.conflicts.push(Conflict { path: path.display().to_string(), why });
                report.left.push(i as u64);
            }
        }
    }
    if purpose != Purpose::Try {
        touched.sync()?;
        for (step, _, kept) in done {
            touches(step).for_each(|path| back::sweep(path, kept));
        }
        // What a repair that was cut has given back looks as if it had never been taken.
        let counts = |seen: &Seen| seen.performed || purpose == Purpose::Recover;
        let is_back = |i: usize| back_again[i] || !done[i].1.performed;
        for (_, place, was) in past.first_taken(done, counts).filter(|(i, ..)| is_back(*i)) {
            let here = Fact::at(&place).map_err(untold)?;
            report.given.extend(here.and_then(|here| Given::of(was, here)));
        }
        for (path, was, made) in dirs {
            if Fact::at(path).is_ok_and(|here| here.is_some_and(|here| here.is(&made))) {
                // The folder is back; its date alone is no reason to call that a failure.
                let _ = back::set_time(path, was);
            }
        }
    }
    Ok(report)
}

/// Whether what stands at `path` is at `kept` as well.
fn is_kept(path: &Path, kept: &Path) -> bool {
    back::is_equal(path, kept).unwrap_or(false)
}

/// Whether somebody's doing stands in the way, which asking again would not change.
fn is_conflict(failure: &Failure) -> bool {
    use metnos_executor::ErrorClass as C;
    matches!(failure.class, C::Conflict | C::DstExists | C::NotFound | C::WrongArgs | C::PermissionDenied)
}

/// Every path that reversing changes: a move takes from where it went as well as it gives back.
fn touches(step: &Step) -> impl Iterator<Item = &Path> {
    let other = match &step.op {
        Op::Move { dst, .. } => Some(dst.0.as_path()),
        _ => None,
    };
    std::iter::once(acts_on(step)).chain(other)
}

fn perform(way: &Way<'_>, kept: &Path, touched: &mut Touched) -> Result<(), Failure> {
    match way {
        Way::Nothing => Ok(()),
        Way::Move { from, to } => back::move_back(from, to, kept, touched),
        Way::Swap { kept, path } => back::swap_back(kept, path, touched),
        Way::Remove { path } => back::remove(path, touched),
        Way::RemoveDir { path } => match back::remove_dir(path, touched)? {
            true => Ok(()),
            false => Err(Failure::new(metnos_executor::ErrorClass::Conflict, "something is in it now")),
        },
        Way::MakeDir { path, was } => back::make_dir(path, was, kept, touched),
        Way::CutBack { path, was, grown } => back::cut_back(path, was, grown),
    }
}
