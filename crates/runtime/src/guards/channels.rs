//! `AGENTS.md` in the workspace: how much each channel is trusted with, read at every call.
//!
//! The workspace is writable by Metnos itself, so a line there only ever lowers a level. What cannot be
//! understood counts as read-only.

use crate::guards::{Level, Principal};
use crate::runtime::Runtime;
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The file, in the workspace.
const NAME: &str = "AGENTS.md";
/// What a new workspace begins with.
pub(crate) const DEFAULT: &str = include_str!("../../data/AGENTS.md");
/// More than this is not read.
const FILE_MAX: u64 = 64 << 10;

/// The most each channel may.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Caps {
    channels: BTreeMap<String, Level>,
    /// True when the file is there and cannot be read: then it may have said anything.
    unreadable: Option<String>,
    /// Lines that say nothing that can be understood.
    odd: Vec<String>,
}

impl Caps {
    /// The most that comes in over `channel`.
    fn of(&self, channel: &str) -> Level {
        match self.unreadable {
            Some(_) => Level::ReadOnly,
            None => self.channels.get(channel).copied().unwrap_or(Level::Full),
        }
    }

    /// What a person should put right.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let file = self.unreadable.iter().map(|why| format!("{why}: every channel is read-only"));
        file.chain(self.odd.iter().map(|line| format!("{line:?} counts as read-only"))).collect()
    }

    fn read(path: &Path) -> Self {
        let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or_default();
        let text = OpenOptions::new().read(true).custom_flags(flags).open(path).and_then(|file| {
            let meta = file.metadata()?;
            if !meta.is_file() || meta.len() > FILE_MAX {
                return Err(std::io::Error::other(format!("not a file of at most {FILE_MAX} bytes")));
            }
            let mut text = Vec::new();
            file.take(FILE_MAX).read_to_end(&mut text).map(|_| text)
        });
        match text {
            Ok(text) => Self::parse(&String::from_utf8_lossy(&text)),
            Err(e) if e.kind() == ErrorKind::NotFound => Self::default(),
            Err(e) => Self { unreadable: Some(e.to_string()), ..Self::default() },
        }
    }

    /// The list below the heading `Channels`: `- channel: level`. Other lines there are prose.
    fn parse(text: &str) -> Self {
        let mut caps = Self::default();
        let mut inside = false;
        for line in text.lines().map(str::trim) {
            if line.starts_with("# ") || line.starts_with("## ") {
                inside = line.trim_start_matches('#').trim().eq_ignore_ascii_case("channels");
                continue;
            }
            let item = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
            let Some(item) = item.filter(|_| inside) else { continue };
            let word = |text: &str| text.trim().trim_matches(['`', '*', '_', ':']).to_lowercase();
            let (channel, level) =
                item.split_once(':').or_else(|| item.split_once(' ')).unwrap_or((item, ""));
            let level = word(level).parse::<Level>();
            if level.is_err() {
                caps.odd.push(item.chars().take(80).collect());
            }
            let level = level.unwrap_or(Level::ReadOnly);
            let cap = caps.channels.entry(word(channel)).or_insert(level);
            *cap = level.min(*cap);
        }
        caps
    }
}

impl Runtime {
    /// Where the file is.
    pub(crate) fn agents_file(&self) -> PathBuf {
        self.home.workspace().join(NAME)
    }

    /// What the file says now.
    pub(crate) fn channel_caps(&self) -> Caps {
        Caps::read(&self.agents_file())
    }

    /// The most that `caller` may on the channel they use; the instance itself uses none.
    pub(super) fn channel_cap(&self, caller: &str) -> Level {
        let who = Principal::parse(caller);
        if who.user == "metnos" { Level::Full } else { self.channel_caps().of(&who.channel) }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_line_caps_its_channel_and_nonsense_is_read_only() {
        let text = "# Agents\n- web: read-only\n\n## Channels\nProse: anything.\n- telegram: read-only\n* `cli`: full\n\
            - **signal**: nonsense\n- mail\n- web full\n- web: supervised\n## Other\n- cli: read-only\n";
        let caps = Caps::parse(text);
        let of = |channel: &str| caps.of(channel);
        assert_eq!((of("telegram"), of("cli"), of("unnamed")), (Level::ReadOnly, Level::Full, Level::Full));
        assert_eq!((of("signal"), of("mail")), (Level::ReadOnly, Level::ReadOnly));
        assert_eq!(of("web"), Level::Supervised, "the lower of two");
        assert_eq!(caps.complaints().len(), 2, "{:?}", caps.complaints());
    }

    #[test]
    fn what_ships_reads_without_a_complaint() {
        let caps = Caps::parse(DEFAULT);
        assert_eq!(caps.complaints(), Vec::<String>::new());
        assert_eq!((caps.of("cli"), caps.of("telegram")), (Level::Full, Level::Supervised));
    }

    #[test]
    fn a_file_that_cannot_be_read_lowers_everything_and_none_lowers_nothing() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Caps::read(&dir.path().join("none")).of("cli"), Level::Full);
        let folder = Caps::read(dir.path());
        assert_eq!((folder.of("cli"), folder.complaints().len()), (Level::ReadOnly, 1));
        let long = dir.path().join("long");
        std::fs::write(&long, vec![b'x'; 65 << 10]).unwrap();
        assert_eq!(Caps::read(&long).of("cli"), Level::ReadOnly);
    }
}
