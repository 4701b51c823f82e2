//! Leaving: what is of this instance goes, and nothing else.

use super::daemon::none_serves;
use super::restore::remove;
use super::{SECTIONS, section, service};
use metnos_executor::home::Home;
use metnos_executor::{ErrorClass, Failure};
use metnos_memory::Db;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long what is at work may take to end.
const PATIENCE: Duration = Duration::from_secs(5);

/// What would go and what would stay.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Leaving {
    /// What is removed, with its bytes.
    pub remove: Vec<(PathBuf, u64)>,
    /// What is kept for undo in the folders of the person, with its bytes: removed only when it is said.
    pub undo: Vec<(PathBuf, u64)>,
    /// Whether that was said.
    pub forget_undo: bool,
    /// What stays because it was asked for.
    pub keep: Vec<PathBuf>,
}

/// Looks at what leaving would do. With `keep_data` the configuration, the workspace and the records stay.
pub fn look(home: &Home, unit: &Path, keep_data: bool, forget_undo: bool) -> Result<Leaving, Failure> {
    none_serves(home)?;
    let mut leaving = Leaving { remove: Vec::new(), undo: Vec::new(), forget_undo, keep: Vec::new() };
    let sized = |path: PathBuf| {
        let bytes = super::sizes::bytes(&path);
        (path, bytes)
    };
    if unit.symlink_metadata().is_ok() {
        leaving.remove.push(sized(unit.to_owned()));
    }
    for name in SECTIONS {
        let Some(dir) = section(home, name).filter(|dir| dir.symlink_metadata().is_ok()) else { continue };
        match keep_data && name != "executors" {
            true => leaving.keep.push(dir),
            false => leaving.remove.push(sized(dir)),
        }
    }
    leaving.undo.extend(kept_in_roots(home).into_iter().map(sized));
    Ok(leaving)
}

/// The folders of what is kept for undo outside this house.
fn kept_in_roots(home: &Home) -> Vec<PathBuf> {
    let database = home.state_dir().join("metnos.sqlite");
    let mut roots = vec![home.user_home(), home.workspace()];
    // A damaged database names no root; what lies there then stays.
    if database.exists()
        && let Ok(opened) = Db::open(&database).and_then(|db| db.roots())
    {
        roots.extend(opened.into_iter().map(|root| root.path));
    }
    let mut found: Vec<PathBuf> = roots
        .into_iter()
        .map(|root| root.join(".metnos-undo"))
        .filter(|dir| dir.symlink_metadata().is_ok_and(|meta| meta.is_dir()))
        .filter(|dir| !SECTIONS.iter().filter_map(|name| section(home, name)).any(|own| dir.starts_with(own)))
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Removes what `look` named. The keys go last: until then it can be begun again.
pub fn leave(home: &Home, unit: &Path, leaving: &Leaving) -> Result<(), Failure> {
    none_serves(home)?;
    let state = home.state_dir();
    let still = match state.is_dir() {
        true => Some(crate::halt::hold_still(&state, PATIENCE)?.ok_or_else(|| {
            Failure::new(ErrorClass::Conflict, "something is at work")
                .with_hint("metnos stop ends it; then leave again")
        })?),
        false => None,
    };
    if leaving.remove.iter().any(|(path, _)| path == unit) {
        service::uninstall(unit)?;
    }
    if leaving.forget_undo {
        for (dir, _) in &leaving.undo {
            remove(dir).map_err(|e| Failure::io(dir.display(), &e))?;
        }
    }
    let mut own: Vec<&PathBuf> =
        leaving.remove.iter().map(|(path, _)| path).filter(|path| *path != unit).collect();
    own.sort_by_key(|path| **path == home.config_dir());
    for path in own {
        remove(path).map_err(|e| Failure::io(path.display(), &e))?;
    }
    drop(still);
    // The folders around them go if nothing else is in them.
    for dir in [home.config_dir(), home.state_dir(), home.workspace()] {
        if let Some(parent) = dir.parent().filter(|parent| is_ours(parent)) {
            let _ = std::fs::remove_dir(parent);
        }
    }
    Ok(())
}

/// A folder that bears our name. `remove_dir` takes only what is empty, and of that only ours.
fn is_ours(dir: &Path) -> bool {
    dir.file_name().is_some_and(|name| name.to_string_lossy().contains("metnos"))
}
