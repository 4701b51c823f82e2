//! Generated files: the same on every machine, made once and kept.

use crate::Result;
use crate::figure::complain;
use std::fs::{File, FileTimes};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: u64) -> u64 {
        // The constants of Knuth's MMIX; the high half is the good one.
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 32) % below.max(1)
    }
}

/// Makes `home/name` with `fill` unless an earlier run finished it.
fn once(home: &Path, name: &str, fill: impl FnOnce(&Path) -> Result<()>) -> Result<PathBuf> {
    let (path, half) = (home.join(name), home.join(format!("{name}.half")));
    if path.exists() {
        return Ok(path);
    }
    complain(&format!("making {} once", path.display()));
    if half.is_dir() {
        std::fs::remove_dir_all(&half)?;
    }
    fill(&half)?;
    std::fs::rename(&half, &path)?;
    Ok(path)
}

/// A moment some time before the end of 2026, in whole seconds.
fn moment(seconds: u64) -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_600_000_000 + seconds)
}

/// How many files [`many_files`] makes, and how many of them are called `needle-…`.
pub(crate) const MANY: u64 = 200_000;

/// 200,000 empty-looking files in 2,220 folders; 80 of them match `needle-*.pdf`.
pub(crate) fn many_files(home: &Path) -> Result<PathBuf> {
    const EXTENSIONS: [&str; 8] = ["txt", "pdf", "jpg", "rs", "md", "csv", "png", "log"];
    once(home, "many", |root| {
        let mut dice = Dice(1);
        for n in 0..MANY {
            let dir =
                root.join(format!("part-{:02}/year-{}/box-{}", n / 10_000, n / 1000 % 10, n / 100 % 10));
            if n % 100 == 0 {
                std::fs::create_dir_all(&dir)?;
            }
            let name = match n {
                n if n % 2500 == 7 => format!("needle-{n:06}.pdf"),
                n if n % 50 == 3 => format!(".hidden-{n:06}"),
                n => format!("paper-{n:06}.{}", EXTENSIONS[dice.roll(8) as usize]),
            };
            let file = File::create(dir.join(name))?;
            // A size without blocks: nothing here reads the content.
            file.set_len(dice.roll(5_000_000))?;
            file.set_times(FileTimes::new().set_modified(moment(dice.roll(190_000_000))))?;
        }
        Ok(())
    })
}

/// A folder with ten small files.
pub(crate) fn ten_files(home: &Path) -> Result<PathBuf> {
    once(home, "ten", |root| {
        std::fs::create_dir_all(root)?;
        (0..10).try_for_each(|n| Ok(std::fs::write(root.join(format!("note-{n}.txt")), "note")?))
    })
}

/// How many files [`duplicates`] makes.
pub(crate) const DUPLICATES: u64 = 20_000;

/// 20,000 files from one byte to four megabytes; every third repeats an earlier one, and some
/// differ from one of the same size in the last byte only.
pub(crate) fn duplicates(home: &Path) -> Result<PathBuf> {
    once(home, "duplicates", |root| {
        let mut dice = Dice(2);
        let mut made: Vec<(u64, u64)> = Vec::new();
        for n in 0..DUPLICATES {
            let dir = root.join(format!("box-{:03}", n / 100));
            if n % 100 == 0 {
                std::fs::create_dir_all(&dir)?;
            }
            let size = 1 + match dice.roll(1000) {
                0..5 => 1_000_000 + dice.roll(3_194_303),
                5..50 => dice.roll(512 << 10),
                50..300 => dice.roll(64 << 10),
                _ => dice.roll(4096),
            };
            let earlier = made.get(dice.roll(made.len() as u64) as usize).copied();
            let (seed, size, twist) = match (n % 3, earlier) {
                (2, Some((seed, size))) => (seed, size, n % 30 == 2),
                _ => (n, size, false),
            };
            let mut bytes = Vec::with_capacity(size as usize + 4);
            let mut content = Dice(seed);
            while (bytes.len() as u64) < size {
                bytes.extend_from_slice(&(content.roll(1 << 32) as u32).to_le_bytes());
            }
            bytes.truncate(size as usize);
            if twist && let Some(last) = bytes.last_mut() {
                *last = last.wrapping_add(1);
            } else {
                made.push((seed, size));
            }
            std::fs::write(dir.join(format!("file-{n:05}.bin")), bytes)?;
        }
        Ok(())
    })
}

/// How many entries [`entries`] makes.
pub(crate) const ENTRIES: u64 = 1_000_000;

/// A million entries of about 200 bytes, as a walk would answer them.
pub(crate) fn entries(home: &Path) -> Result<PathBuf> {
    const KINDS: [(&str, &str); 6] = [
        ("pdf", "document"),
        ("jpg", "image"),
        ("mp3", "audio"),
        ("csv", "data"),
        ("rs", "code"),
        ("zip", "archive"),
    ];
    once(home, "entries.jsonl", |path| {
        let mut dice = Dice(3);
        let mut out = BufWriter::with_capacity(1 << 20, File::create(path)?);
        for n in 0..ENTRIES {
            let (ext, kind) = KINDS[dice.roll(6) as usize];
            let name = format!("paper-{:07}-{:06}.{ext}", dice.roll(10_000_000), n);
            let stamp = jiff::Timestamp::from_second(1_600_000_000 + dice.roll(190_000_000) as i64)?;
            writeln!(
                out,
                r#"{{"path":"/home/someone/Documents/part-{:03}/{name}","name":"{name}","ext":"{ext}","kind":"{kind}","size":{},"mtime":"{stamp}","_origin":"local"}}"#,
                n / 1000,
                dice.roll(50_000_000),
            )?;
        }
        out.flush()?;
        Ok(())
    })
}
