//! What was called lately, followed line by line as processes write it: a look costs one question about
//! the length of a file while nothing new is there.

use super::files;
use super::line::{Kind, LINE_MAX};
use super::read::Backwards;
use crate::{Error, Result};
use jiff::Timestamp;
use serde::Deserialize;
use std::borrow::Cow;
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// What a line says about use.
#[derive(Clone, Debug, PartialEq)]
pub struct Called {
    /// When.
    pub at: Timestamp,
    /// What kind of line.
    pub kind: Kind,
    /// Which call.
    pub call_id: String,
    /// For whom, over which channel.
    pub caller: String,
    /// Who was called.
    pub executor: String,
    /// What it cost, in the currency of the configuration.
    pub cost: f64,
}

#[derive(Deserialize)]
struct Brief<'l> {
    #[serde(borrow)]
    time: Cow<'l, str>,
    kind: Kind,
    #[serde(borrow, default)]
    call_id: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    caller: Option<Cow<'l, str>>,
    #[serde(borrow, default)]
    executor: Option<Cow<'l, str>>,
    #[serde(default)]
    cost: Option<f64>,
}

/// Follows the chain.
pub struct Recent {
    dir: PathBuf,
    /// The day file that is written now, and how far it was read.
    file: Option<(String, File, u64)>,
}

impl Recent {
    /// Nothing is read yet.
    pub fn new(dir: &Path) -> Self {
        Self { dir: dir.to_owned(), file: None }
    }

    /// Gives every call written since the last look, oldest first; at the first look, those from `since` on.
    pub fn look(&mut self, now: Timestamp, since: Timestamp, each: &mut dyn FnMut(Called)) -> Result<()> {
        let today = files::name_of(now);
        match &self.file {
            None => self.begin(since, each),
            Some((name, ..)) if *name < today => {
                self.follow(each)?;
                self.turn_over(each)
            }
            Some(_) => self.follow(each),
        }
    }

    fn begin(&mut self, since: Timestamp, each: &mut dyn FnMut(Called)) -> Result<()> {
        let names = files::list(&self.dir)?;
        let mut found = Vec::new();
        'files: for name in names.iter().rev() {
            let path = self.dir.join(name);
            let io = || Error::io("read", &path);
            let file = File::open(&path).map_err(io())?;
            let end = file.metadata().map_err(io())?.len();
            let mut lines = Backwards::new(file.try_clone().map_err(io())?).map_err(io())?;
            if self.file.is_none() {
                self.file = Some((name.clone(), file, end));
            }
            while let Some(line) = lines.next_line().map_err(io())? {
                let Ok(brief) = serde_json::from_slice::<Brief<'_>>(&line) else { continue };
                let Ok(at) = brief.time.parse::<Timestamp>() else { continue };
                if at < since {
                    break 'files;
                }
                found.extend(called(brief, at));
            }
        }
        found.into_iter().rev().for_each(each);
        Ok(())
    }

    /// Reads what was added to the file.
    fn follow(&mut self, each: &mut dyn FnMut(Called)) -> Result<()> {
        let Some((name, file, at)) = &mut self.file else { return Ok(()) };
        let path = self.dir.join(name.as_str());
        let io = || Error::io("read", &path);
        let length = file.metadata().map_err(io())?.len();
        while *at < length {
            let most = length.saturating_sub(*at).min(4 * LINE_MAX as u64);
            let mut block = vec![0; usize::try_from(most).unwrap_or(0)];
            file.read_exact_at(&mut block, *at).map_err(io())?;
            // A line that is still being written is for the next look.
            let Some(whole) = block.iter().rposition(|b| *b == b'\n') else { return Ok(()) };
            for line in block[..whole].split(|b| *b == b'\n') {
                let Ok(brief) = serde_json::from_slice::<Brief<'_>>(line) else { continue };
                if let Ok(time) = brief.time.parse() {
                    called(brief, time).into_iter().for_each(&mut *each);
                }
            }
            *at += whole as u64 + 1;
        }
        Ok(())
    }

    /// Goes on with the files after the one that was read.
    fn turn_over(&mut self, each: &mut dyn FnMut(Called)) -> Result<()> {
        for name in files::list(&self.dir)? {
            if self.file.as_ref().is_some_and(|(known, ..)| name <= *known) {
                continue;
            }
            let path = self.dir.join(&name);
            let file = File::open(&path).map_err(Error::io("read", &path))?;
            self.file = Some((name, file, 0));
            self.follow(each)?;
        }
        Ok(())
    }
}

fn called(brief: Brief<'_>, at: Timestamp) -> Option<Called> {
    let counts = matches!(brief.kind, Kind::Call | Kind::Open | Kind::Close);
    let (Some(call_id), Some(caller), true) = (brief.call_id, brief.caller, counts) else { return None };
    Some(Called {
        at,
        kind: brief.kind,
        call_id: call_id.into_owned(),
        caller: caller.into_owned(),
        executor: brief.executor.unwrap_or_default().into_owned(),
        cost: brief.cost.unwrap_or_default(),
    })
}
