//! A house that is set up once and copied: `metnos init` signs and tries every executor, which takes
//! seconds; a copy takes a few hundredths of one.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// How far a house of a test trusts its person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// As `metnos init` leaves it: changes ask.
    Supervised,
    /// After `metnos policy level full`.
    Full,
}

/// The finished `METNOS_HOME` that `scripts/template_house.sh` made for this run of the tests.
pub fn template(level: Level) -> Option<PathBuf> {
    let folder = match level {
        Level::Supervised => "supervised",
        Level::Full => "full",
    };
    let path = PathBuf::from(std::env::var_os("METNOS_TEMPLATE")?).join(folder);
    path.exists().then_some(path)
}

/// Copies a tree with its modes, times and links to `to`, which must not exist.
pub fn copy_tree(from: &Path, to: &Path) -> io::Result<()> {
    fs::create_dir(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        let kind = entry.file_type()?;
        if kind.is_dir() {
            copy_tree(&from, &to)?;
        } else if kind.is_symlink() {
            symlink(fs::read_link(&from)?, &to)?;
        } else {
            fs::copy(&from, &to)?;
            let modified = entry.metadata()?.modified()?;
            fs::File::open(&to)?.set_modified(modified)?;
        }
    }
    // Last: a folder that may not be written to would take nothing in.
    fs::set_permissions(to, fs::Permissions::from_mode(fs::metadata(from)?.permissions().mode()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_copy_has_the_same_modes_times_and_links() {
        let dir = tempfile::tempdir().unwrap();
        let (from, to) = (dir.path().join("from"), dir.path().join("to"));
        fs::create_dir_all(from.join("closed")).unwrap();
        fs::write(from.join("closed/key"), "secret").unwrap();
        fs::set_permissions(from.join("closed/key"), fs::Permissions::from_mode(0o400)).unwrap();
        fs::set_permissions(from.join("closed"), fs::Permissions::from_mode(0o500)).unwrap();
        symlink("closed/key", from.join("link")).unwrap();
        copy_tree(&from, &to).unwrap();
        let mode = |path: &str| fs::metadata(to.join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("closed"), mode("closed/key")), (0o500, 0o400));
        assert_eq!(fs::read_link(to.join("link")).unwrap(), Path::new("closed/key"));
        let time = |dir: &Path| fs::metadata(dir.join("closed/key")).unwrap().modified().unwrap();
        assert_eq!(time(&from), time(&to));
        assert_eq!(fs::read(to.join("link")).unwrap(), b"secret");
        assert!(copy_tree(&from, &to).is_err(), "nothing is copied over what is there");
        // So that the folder can be taken away again.
        for dir in [&from, &to] {
            fs::set_permissions(dir.join("closed"), fs::Permissions::from_mode(0o700)).unwrap();
        }
    }
}
