//! The command as it would run: its words, its program, its folder, and what the Laws say of them.

use super::sight::Seen;
use crate::land::Land;
use crate::runtime::Runtime;
use metnos_executor::wire::PRIVATE_TMP;
use metnos_executor::{ErrorClass, Failure};
use metnos_guard::core::{Act, Verdict};
use metnos_guard::resolve::{absolute, resolve_in};
use metnos_guard::{Argv, CommandVerdict, Lists, judge_command_seen};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Where programs are looked for; not taken from the environment.
pub(super) const PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/// What a cell shows of the system.
const VISIBLE: [&str; 5] = ["/usr", "/lib", "/lib64", "/bin", "/sbin"];

/// Where a command would run.
pub(super) struct Ground {
    pub(super) cwd: PathBuf,
    pub(super) land: Arc<Land>,
    pub(super) home: PathBuf,
    outside: bool,
}

/// A program that is there.
pub(super) struct Program {
    pub(super) path: PathBuf,
    /// Which file it is: another one under the same name is another command.
    pub(super) identity: String,
}

impl Ground {
    pub(super) fn new(runtime: &Runtime, caller: &str, base: &Path, outside: bool) -> Result<Self, Failure> {
        let land = runtime.land_of(caller)?;
        let home = land.home.clone();
        let here = resolve_in(base, Path::new("/"), &home).ok().filter(|found| found.is_dir).map(|f| f.path);
        let free = |path: &PathBuf| land.core.verdict(path, Act::Read) == Verdict::Free;
        let seen = |path: &PathBuf| outside || land.territory.contains(path);
        let elsewhere = if outside { "/" } else { PRIVATE_TMP };
        let cwd = here.filter(free).filter(seen).unwrap_or_else(|| PathBuf::from(elsewhere));
        Ok(Self { cwd, land, home, outside })
    }

    /// Everything the program finds in its environment.
    pub(super) fn environment(&self, now: &jiff::Zoned) -> Vec<(String, String)> {
        let mut env = vec![
            ("PATH".to_owned(), PATH.to_owned()),
            ("HOME".to_owned(), self.home.display().to_string()),
            ("LANG".to_owned(), "C.UTF-8".to_owned()),
            ("TERM".to_owned(), "dumb".to_owned()),
        ];
        if let Some(zone) = now.time_zone().iana_name() {
            env.push(("TZ".to_owned(), zone.to_owned()));
        }
        env
    }

    /// What a word means if it is a path.
    pub(super) fn path(&self, word: &str) -> Option<PathBuf> {
        self.path_from(word, &self.cwd)
    }

    /// The same, seen from a folder.
    pub(super) fn path_from(&self, word: &str, folder: &Path) -> Option<PathBuf> {
        let path = Path::new(word);
        let found = resolve_in(path, folder, &self.home).map(|found| found.path);
        found.or_else(|_| absolute(path, folder, &self.home)).ok()
    }
}

/// One command.
pub(super) struct Command {
    pub(super) argv: Argv,
}

impl Command {
    /// Reads a command line. `~` is the one thing a shell does that is done here too.
    pub(super) fn read(text: &str, ground: &Ground) -> Result<Self, Failure> {
        let wrong = |e: metnos_guard::CommandError| Failure::wrong_args(e.to_string()).with_hint(e.hint());
        let argv = Argv::parse(text).map_err(wrong)?;
        let home = ground.home.display().to_string();
        let expand = |word: &String| match word.strip_prefix('~') {
            Some("") => home.clone(),
            Some(rest) if rest.starts_with('/') => format!("{home}{rest}"),
            _ => word.clone(),
        };
        let argv = Argv::from_words(argv.words().iter().map(expand).collect()).map_err(wrong)?;
        Ok(Self { argv })
    }

    /// Where it stands: as it was written, as the program it would really run, and as what its words lead to.
    pub(super) fn judge(&self, lists: &Lists, ground: &Ground) -> CommandVerdict {
        judge_command_seen(&self.argv, lists, &Seen::from(ground))
    }

    /// The first Law: no word of it leads to a core path.
    pub(super) fn outside_core(&self, ground: &Ground) -> Result<(), Failure> {
        let look = ground.land.core.look().map_err(|e| {
            Failure::new(ErrorClass::Forbidden, format!("core paths could not be told apart: {e}"))
        })?;
        for word in self.argv.words() {
            let values = [
                Some(word.as_str()),
                word.split_once('=').map(|(_, value)| value),
                word.strip_prefix('-').and_then(|rest| rest.get(1..)),
                word.split_once('@').map(|(_, value)| value),
            ];
            for value in values.into_iter().flatten().filter(|value| !value.is_empty()) {
                let Some(path) = ground.path(value) else { continue };
                if let Verdict::Core { reason, .. } = look.verdict(&path, Act::Read) {
                    return Err(Failure::new(ErrorClass::Forbidden, format!("{}: {reason}", path.display()))
                        .with_hint("core paths cannot be opened by any profile, level or approval"));
                }
            }
        }
        Ok(())
    }

    /// The program it names.
    pub(super) fn program(&self, ground: &Ground) -> Result<Program, Failure> {
        let name = self.argv.program();
        let found = match name.contains('/') {
            true => ground.path(name).filter(|path| runs(path)),
            false => lookup(name, ground),
        };
        let path = found.ok_or_else(|| {
            Failure::new(ErrorClass::NotFound, format!("no program is called {name}"))
                .with_hint("find_packages tells what is installed")
        })?;
        let visible = VISIBLE.iter().any(|tree| path.starts_with(tree));
        if !ground.outside && !visible && !ground.land.territory.contains(&path) {
            return Err(Failure::new(
                ErrorClass::NotFound,
                format!("{} does not exist inside the sandbox", path.display()),
            )
            .with_hint("outside=true asks to run it outside"));
        }
        let meta = std::fs::metadata(&path).map_err(|e| Failure::io(path.display(), &e))?;
        let identity = format!(
            "{} {} {} {} {}",
            path.display(),
            meta.dev(),
            meta.ino(),
            meta.size(),
            meta.mtime_nsec().wrapping_add(meta.mtime().wrapping_mul(1_000_000_000))
        );
        Ok(Program { path, identity })
    }
}

/// The file that a name runs, links not followed.
pub(super) fn lookup(name: &str, ground: &Ground) -> Option<PathBuf> {
    match name.contains('/') {
        true => absolute(Path::new(name), &ground.cwd, &ground.home).ok().filter(|path| runs(path)),
        false => PATH.split(':').map(|dir| Path::new(dir).join(name)).find(|path| runs(path)),
    }
}

/// A file that somebody may run.
fn runs(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}
