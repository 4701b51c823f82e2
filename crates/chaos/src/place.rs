//! Folders for the houses, on two file systems where that can be had.

use crate::Done;
use crate::options::Part;
use metnos_testkit::Fix;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder with a file system in memory of its own; gone when dropped.
pub(crate) struct Place {
    path: PathBuf,
    mounted: bool,
}

impl Place {
    /// Makes `dir/name`. Without the right to mount it is a plain folder.
    pub(crate) fn new(dir: &Path, name: &str) -> Done<Self> {
        let path = dir.join(name);
        std::fs::create_dir_all(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "mode=0755,size=1g", "metnos-chaos"]).arg(&path);
        let mounted = is_root() && mount.stderr(Stdio::null()).status().is_ok_and(|s| s.success());
        Ok(Self { path, mounted })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// True when it is a file system of its own.
    pub(crate) fn is_apart(&self) -> bool {
        self.mounted
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.mounted {
            // Lazily: a process that still dies must not keep it.
            let _ = Command::new("umount").arg("-l").arg(&self.path).status();
        }
    }
}

/// What is missing for a part, if anything is.
pub(crate) fn lacks(part: Part) -> Option<(&'static str, Fix<'static>)> {
    let has = |program: &str| {
        Command::new(program).arg("-V").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    match part {
        Part::Kills if !has("strace") => Some(("no strace", Fix::Run("sudo apt-get install -y strace"))),
        Part::Forgetful if !is_root() => {
            Some(("only root may mount a disk that the cells can see too (allow_other)", Fix::None))
        }
        Part::Forgetful if !Path::new("/dev/fuse").exists() => Some(("no /dev/fuse", Fix::None)),
        _ => None,
    }
}

/// Starts this program again where its mounts are its own, so that they end with it however it ends.
pub(crate) fn apart() {
    const MARK: &str = "METNOS_CHAOS_APART";
    if !is_root() || std::env::var_os(MARK).is_some() {
        return;
    }
    if let Ok(program) = std::env::current_exe() {
        let mut again = Command::new("unshare");
        again.args(["--mount", "--propagation", "private"]).arg(program).args(std::env::args_os().skip(1));
        // Where that cannot be had, the mounts are taken away by hand at the end.
        let _ = again.env(MARK, "1").exec();
    }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
