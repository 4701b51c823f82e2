//! What the machine says about the words of a command: the file a name runs and every other name of it, and where a
//! path leads.

use super::command::{Ground, PATH, lookup};
use metnos_executor::lab::{self, Layer};
use metnos_guard::command::{Lead, Sight};
use metnos_guard::core::{Act, Look};
use std::fs::Metadata;
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// As many links as the kernel follows.
const LINKS_MAX: usize = 40;
/// The accounts of people begin here; below are those of services, whose homes are parts of the system.
const PEOPLE: u32 = 1000;
/// The account of nobody.
const NOBODY: u32 = 65534;
/// How much of two files is compared at once.
const PART: usize = 64 << 10;

/// The machine, seen from where a command would run.
pub(super) struct Seen<'g> {
    ground: &'g Ground,
    /// Absent when the core paths cannot be told apart: then everything counts as one.
    core: Option<Look<'g>>,
    homes: Vec<PathBuf>,
}

impl<'g> Seen<'g> {
    pub(super) fn from(ground: &'g Ground) -> Self {
        let mut homes = vec![ground.home.clone()];
        homes.extend(std::fs::read_to_string("/etc/passwd").unwrap_or_default().lines().filter_map(home));
        let real: Vec<PathBuf> = homes.iter().filter_map(|home| home.canonicalize().ok()).collect();
        homes.extend(real);
        Self { ground, core: ground.land.core.look().ok(), homes }
    }
}

/// The home of a person, from their line.
fn home(line: &str) -> Option<PathBuf> {
    let mut fields = line.split(':').skip(2);
    let number: u32 = fields.next()?.parse().ok()?;
    let home = PathBuf::from(fields.nth(2)?);
    let person = number == 0 || (number >= PEOPLE && number != NOBODY);
    (person && home.is_absolute() && home.parent().is_some()).then_some(home)
}

impl Sight for Seen<'_> {
    fn names(&self, program: &str) -> Vec<String> {
        if lab::without(Layer::RealProgram) {
            return Vec::new();
        }
        let Some(mut at) = lookup(program, self.ground) else { return Vec::new() };
        let mut names = Vec::new();
        for _ in 0..LINKS_MAX {
            let Ok(next) = std::fs::read_link(&at) else { break };
            at = at.parent().unwrap_or(Path::new("/")).join(next);
            names.extend(at.file_name().map(|name| name.to_string_lossy().into_owned()));
        }
        names.extend(twins(&at));
        names
    }

    fn lead(&self, path: &str, folder: &str) -> Option<Lead> {
        if lab::without(Layer::Leads) {
            return None;
        }
        let at_home = |text: &str| {
            let rest = text.strip_prefix("$HOME").or_else(|| text.strip_prefix("${HOME}"));
            rest.map_or_else(|| text.to_owned(), |rest| format!("~{rest}"))
        };
        let (path, folder) = (at_home(path), at_home(folder));
        let from = if folder.is_empty() { self.ground.cwd.clone() } else { self.ground.path(&folder)? };
        let all = path.trim_end_matches('*').trim_end_matches('/');
        // Everything in a folder is the folder.
        let folder_of = if path.ends_with("/*") && !all.is_empty() { all } else { path.as_str() };
        let folder_of = if path == "*" { "." } else { folder_of };
        let found = self.ground.path_from(folder_of, &from)?;
        let is_or_holds = |whole: &PathBuf| whole.starts_with(&found);
        Some(Lead {
            home: self.homes.iter().any(is_or_holds),
            territory: self.ground.land.territory.roots().iter().any(is_or_holds),
            core: self.core.as_ref().is_none_or(|core| core.verdict(&found, Act::RenameOrRemove).is_core()),
            path: found.display().to_string(),
        })
    }
}

/// The names under which the system has the same file: another link to it, or a copy.
fn twins(program: &Path) -> Vec<String> {
    let Ok(real) = program.canonicalize() else { return Vec::new() };
    let folders: Vec<PathBuf> =
        PATH.split(':').filter_map(|dir| Path::new(dir).canonicalize().ok()).collect();
    let Ok(own) = real.metadata() else { return Vec::new() };
    if real.parent().is_some_and(|dir| folders.iter().any(|known| known == dir)) || !own.is_file() {
        return Vec::new();
    }
    let mut names = Vec::new();
    let mut looked: Vec<&PathBuf> = Vec::new();
    for dir in &folders {
        if looked.contains(&dir) {
            continue;
        }
        looked.push(dir);
        let Ok(entries) = std::fs::read_dir(dir) else { continue };
        for entry in entries.flatten() {
            let path = entry.path();
            if path.metadata().is_ok_and(|other| same(&real, &own, &path, &other)) {
                names.push(entry.file_name().to_string_lossy().into_owned());
            }
        }
    }
    names
}

fn same(path: &Path, own: &Metadata, other_path: &Path, other: &Metadata) -> bool {
    let one = (own.dev(), own.ino()) == (other.dev(), other.ino());
    one || (other.is_file()
        && own.len() > 0
        && own.len() == other.len()
        && alike(path, other_path).unwrap_or(false))
}

fn alike(path: &Path, other: &Path) -> std::io::Result<bool> {
    let (mut one, mut two) = (std::fs::File::open(path)?, std::fs::File::open(other)?);
    let (mut a, mut b) = (vec![0; PART], vec![0; PART]);
    loop {
        let read = one.read(&mut a)?;
        if read == 0 {
            return Ok(true);
        }
        two.read_exact(b.get_mut(..read).unwrap_or_default())?;
        if a.get(..read) != b.get(..read) {
            return Ok(false);
        }
    }
}
