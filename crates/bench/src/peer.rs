//! What Metnos is held against.

use crate::house::Session;
use crate::{Result, memory};
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A program of the machine, if it is there.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin", "/usr/local/bin"].iter().map(|d| Path::new(d).join(name)).find(|p| p.exists())
}

/// The bubblewrap command line of a waiting cell, running `true` instead of the host.
pub(crate) struct Bubblewrap {
    argv: Vec<OsString>,
}

impl Bubblewrap {
    /// How the comparison is described.
    pub(crate) const WHAT: &str =
        "bwrap with the argv of this cell, running true (true and its libraries bound read-only on top)";

    /// Reads the command line of a cell that waits in this session, as the kernel has it.
    pub(crate) fn of(session: &Session) -> Result<Self> {
        let until = Instant::now() + Duration::from_secs(10);
        while Instant::now() < until {
            for pid in memory::children(session.pid()) {
                if let Some(argv) = command_line(pid)
                    && let Some(argv) = running_true(&argv)?
                {
                    return Ok(Self { argv });
                }
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        Err("no cell waits in the session".into())
    }

    /// Starts it, waits for its end.
    pub(crate) fn run(&self) -> Result<Duration> {
        let (bwrap, args) = self.argv.split_first().ok_or("an empty command line")?;
        let mut command = Command::new(bwrap);
        command.args(args).env_clear().current_dir("/").stdin(Stdio::null()).stdout(Stdio::null());
        crate::house::run(&mut command)
    }
}

fn command_line(pid: u32) -> Option<Vec<OsString>> {
    let text = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let words = text.strip_suffix(b"\0")?.split(|b| *b == 0);
    Some(words.map(|w| OsString::from_vec(w.to_vec())).collect())
}

/// The same words up to the program, with what `true` needs bound before the root is closed.
fn running_true(argv: &[OsString]) -> Result<Option<Vec<OsString>>> {
    let Some(end) = argv.iter().position(|w| w == "--") else { return Ok(None) };
    let closing = argv[..end].windows(2).rposition(|w| w[0] == "--remount-ro" && w[1] == "/");
    let Some(closing) = closing else { return Ok(None) };
    let truth = program("true").ok_or("no `true` on this machine")?;
    let mut words = argv[..closing].to_vec();
    for file in needs(&truth)? {
        words.extend(["--ro-bind".into(), file.clone().into(), file.into()]);
    }
    words.extend_from_slice(&argv[closing..=end]);
    words.push(truth.into());
    Ok(Some(words))
}

/// A program and the libraries the loader names for it.
fn needs(program: &Path) -> Result<Vec<PathBuf>> {
    let said = Command::new("ldd").arg(program).output()?;
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    let libraries = text.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from);
    Ok(std::iter::once(program.to_owned()).chain(libraries).collect())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn only_the_program_changes_and_its_binds_come_before_the_root_closes() {
        let words = |text: &str| text.split(' ').map(OsString::from).collect::<Vec<_>>();
        let cell =
            words("bwrap --unshare-pid --remount-ro /x --remount-ro / --chdir /tmp -- /proc/self/fd/4 cell");
        let ours = running_true(&cell).unwrap().unwrap();
        assert_eq!(ours[..4], cell[..4]);
        assert_eq!(ours[4], "--ro-bind");
        assert_eq!(ours[ours.len() - 6..ours.len() - 1], cell[4..9]);
        assert!(ours.last().unwrap().to_str().unwrap().ends_with("/true"));
        assert_eq!(running_true(&words("metnos exec")).unwrap(), None);
    }
}
