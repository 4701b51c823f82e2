//! The daemon's log: one line each, a file a day at most so long, the oldest let go of by age and by size.
//!
//! `<dir>/metnos.log` is the one that is written; what was before is `metnos-<date>[-n].log` beside it. Secrets must
//! be gone from a text before it comes here.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use metnos_executor::Failure;
use std::fs::{DirBuilder, File, OpenOptions};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The file that is written.
pub const CURRENT: &str = "metnos.log";
/// The longest line; what is longer is cut.
const LINE_MAX: usize = 16 << 10;
/// One file is at most this part of the budget, so that letting go of one leaves the rest.
const PARTS: u64 = 4;

/// How grave a line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// As it should be.
    Info,
    /// Worth a look.
    Warn,
    /// Something failed.
    Error,
}

impl Level {
    /// As it is written.
    pub fn word(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
        }
    }
}

/// The log of one daemon, for all of its threads.
pub struct Logbook {
    dir: PathBuf,
    keep_days: u32,
    budget: u64,
    clock: fn() -> Timestamp,
    open: Mutex<Open>,
}

struct Open {
    file: File,
    day: Date,
    length: u64,
}

impl Logbook {
    /// Opens the log in `dir`, which is made, keeping so many days and so many bytes.
    pub fn open(dir: &Path, keep_days: u32, budget: u64) -> Result<Self, Failure> {
        Self::with_clock(dir, keep_days, budget, Timestamp::now)
    }

    fn with_clock(
        dir: &Path,
        keep_days: u32,
        budget: u64,
        clock: fn() -> Timestamp,
    ) -> Result<Self, Failure> {
        let io = |e: std::io::Error| Failure::io(dir.display(), &e);
        DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(io)?;
        let (file, length, written) = current(dir).map_err(io)?;
        let day = written.unwrap_or_else(|| today(clock()));
        let book = Self {
            dir: dir.to_owned(),
            keep_days,
            budget,
            clock,
            open: Mutex::new(Open { file, day, length }),
        };
        book.let_go();
        Ok(book)
    }

    /// Appends `time level text`. A log that cannot be written stops nothing.
    pub fn line(&self, level: Level, text: &str) {
        let now = (self.clock)();
        let mut line = format!("{now:.3} {} ", level.word());
        // One line each, whatever a message holds.
        line.extend(text.chars().map(|c| if c.is_control() { ' ' } else { c }));
        if line.len() > LINE_MAX {
            let cut = (0..=LINE_MAX).rev().find(|at| line.is_char_boundary(*at)).unwrap_or(0);
            line.truncate(cut);
            line.push('…');
        }
        line.push('\n');
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let full = open.length > 0 && open.length + line.len() as u64 > (self.budget / PARTS).max(1);
        if open.day != today(now) || full {
            self.turn_over(&mut open, now);
        }
        if open.file.write_all(line.as_bytes()).is_ok() {
            open.length += line.len() as u64;
        }
    }

    /// Puts the file aside and begins another.
    fn turn_over(&self, open: &mut Open, now: Timestamp) {
        let free = (0..10_000).map(|n| match n {
            0 => self.dir.join(format!("metnos-{}.log", open.day)),
            n => self.dir.join(format!("metnos-{}-{n:04}.log", open.day)),
        });
        if let Some(aside) = free.into_iter().find(|path| !path.exists()) {
            let _ = std::fs::rename(self.dir.join(CURRENT), aside);
        }
        if let Ok((file, length, _)) = current(&self.dir) {
            *open = Open { file, day: today(now), length };
        }
        self.let_go();
    }

    /// Lets go of files that are too old, and of the oldest while there are too many bytes.
    fn let_go(&self) {
        let now = today((self.clock)());
        let mut past = past(&self.dir);
        let length = |path: &Path| path.metadata().map_or(0, |meta| meta.len());
        let mut bytes: u64 = past.iter().map(|(_, path)| length(path)).sum();
        bytes = bytes.saturating_add(length(&self.dir.join(CURRENT)));
        past.retain(|(day, path)| {
            let age = now.since(*day).map_or(0, |span| span.get_days());
            if age <= i32::try_from(self.keep_days).unwrap_or(i32::MAX) && bytes <= self.budget {
                return true;
            }
            let freed = length(path);
            if std::fs::remove_file(path).is_ok() {
                bytes = bytes.saturating_sub(freed);
            }
            false
        });
    }
}

fn today(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

/// The file that is written, its length, and the day of its first line.
fn current(dir: &Path) -> std::io::Result<(File, u64, Option<Date>)> {
    let path = dir.join(CURRENT);
    let mut file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(&path)?;
    let mut first = String::new();
    BufReader::new((&mut file).take(64)).read_line(&mut first).unwrap_or(0);
    let day = first.get(..10).and_then(|day| day.parse().ok());
    Ok((file.try_clone()?, file.metadata()?.len(), day))
}

/// What was put aside, the oldest first.
fn past(dir: &Path) -> Vec<(Date, PathBuf)> {
    let items = std::fs::read_dir(dir).into_iter().flatten().flatten();
    let mut found: Vec<(Date, PathBuf)> = items
        .filter_map(|item| {
            let name = item.file_name();
            let rest = name.to_str()?.strip_prefix("metnos-")?.strip_suffix(".log")?;
            Some((rest.get(..10)?.parse().ok()?, item.path()))
        })
        .collect();
    // `metnos-<date>.log` comes before `metnos-<date>-0001.log`.
    found.sort_by_key(|(day, path)| (*day, path.with_extension("")));
    found
}

/// The last `n` lines, the oldest first, from as many files as it takes.
pub fn last(dir: &Path, n: usize) -> Result<Vec<String>, Failure> {
    let mut files: Vec<PathBuf> = past(dir).into_iter().map(|(_, path)| path).collect();
    files.push(dir.join(CURRENT));
    let mut lines: Vec<String> = Vec::new();
    for path in files.iter().rev() {
        let bytes = match std::fs::read(path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            read => read.map_err(|e| Failure::io(path.display(), &e))?,
        };
        let text = String::from_utf8_lossy(&bytes);
        let here: Vec<String> = text.lines().map(str::to_owned).collect();
        let missing = n.saturating_sub(lines.len());
        let from = here.len().saturating_sub(missing);
        lines.splice(0..0, here.into_iter().skip(from));
        if lines.len() >= n {
            break;
        }
    }
    Ok(lines)
}

/// Reads on where a log ends, also when another file takes its place.
pub struct Follow {
    path: PathBuf,
    at: u64,
    inode: Option<u64>,
    rest: Vec<u8>,
}

impl Follow {
    /// From the end of what is there now.
    pub fn from_end(dir: &Path) -> Self {
        let path = dir.join(CURRENT);
        let meta = path.metadata().ok();
        Self {
            at: meta.as_ref().map_or(0, |meta| meta.len()),
            inode: meta.map(|meta| meta.ino()),
            path,
            rest: Vec::new(),
        }
    }

    /// Whole lines that came since.
    pub fn more(&mut self) -> Result<Vec<String>, Failure> {
        let mut file = match File::open(&self.path) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            file => file.map_err(|e| Failure::io(self.path.display(), &e))?,
        };
        let io = |e: std::io::Error| Failure::io("the log", &e);
        let meta = file.metadata().map_err(io)?;
        if self.inode != Some(meta.ino()) || meta.len() < self.at {
            (self.inode, self.at) = (Some(meta.ino()), 0);
            self.rest.clear();
        }
        file.seek(SeekFrom::Start(self.at)).map_err(io)?;
        let read = file.take(8 << 20).read_to_end(&mut self.rest).map_err(io)?;
        self.at += read as u64;
        let end = self.rest.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let whole: Vec<u8> = self.rest.drain(..end).collect();
        Ok(String::from_utf8_lossy(&whole).lines().map(str::to_owned).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::sync::atomic::{AtomicI64, Ordering};

    #[test]
    fn days_turn_over_and_the_oldest_go() {
        static NOW: AtomicI64 = AtomicI64::new(1_700_000_000);
        let clock = || Timestamp::from_second(NOW.load(Ordering::Relaxed)).unwrap();
        let dir = tempfile::tempdir().unwrap();
        let book = Logbook::with_clock(dir.path(), 2, 1 << 20, clock).unwrap();
        for day in 0..6 {
            book.line(Level::Info, &format!("day {day}\nsecond"));
            NOW.fetch_add(86_400, Ordering::Relaxed);
        }
        let lines = last(dir.path(), 100).unwrap();
        assert_eq!(lines.len(), 3, "{lines:?}");
        assert!(lines[2].ends_with("info day 5 second"), "{lines:?}");
        assert_eq!(last(dir.path(), 1).unwrap().len(), 1);
    }

    #[test]
    fn the_budget_holds_and_threads_do_not_mix_their_lines() {
        let dir = tempfile::tempdir().unwrap();
        let book = Logbook::open(dir.path(), 30, 40_000).unwrap();
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let book = &book;
                scope.spawn(move || {
                    (0..500).for_each(|n| book.line(Level::Warn, &format!("{thread} {n} {}", "x".repeat(60))))
                });
            }
        });
        let total = super::super::sizes::bytes(dir.path());
        assert!((10_000..=50_000).contains(&total), "{total}");
        let lines = last(dir.path(), 10_000).unwrap();
        assert!(lines.iter().all(|line| line.ends_with(&"x".repeat(60)) && line.contains(" warn ")));
        let modes = std::fs::metadata(dir.path().join(CURRENT)).unwrap().mode();
        assert_eq!(modes & 0o077, 0);
    }

    #[test]
    fn following_goes_on_in_the_next_file() {
        let dir = tempfile::tempdir().unwrap();
        let book = Logbook::open(dir.path(), 30, 4_000).unwrap();
        book.line(Level::Info, "before");
        let mut follow = Follow::from_end(dir.path());
        assert!(follow.more().unwrap().is_empty());
        book.line(Level::Error, "one");
        assert_eq!(follow.more().unwrap().len(), 1);
        book.line(Level::Info, &"y".repeat(2_000));
        assert_eq!(follow.more().unwrap().len(), 1, "in another file");
    }
}
