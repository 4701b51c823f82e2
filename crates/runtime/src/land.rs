//! The places a call is measured against: the host's, and for everybody else a folder of their own.
//!
//! A person other than the host has one folder below the workspace. It is their workspace, their `~`
//! and their whole territory; everything else is outside. A stranger has none.

use crate::guards::Principal;
use crate::people::Standing;
use crate::runtime::Runtime;
use metnos_executor::home::Home;
use metnos_executor::{BytePath, ErrorClass, Failure, Keep};
use metnos_guard::core::{CorePaths, CoreVars};
use metnos_guard::folders::Folders;
use metnos_guard::territory::Territory;
use metnos_memory::db::Db;
use std::collections::HashMap;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

/// The folder of the workspace in which people have theirs.
const PEOPLE: &str = "people";

/// The places every call is measured against.
pub(crate) struct Land {
    pub(crate) core: Arc<CorePaths>,
    pub(crate) territory: Territory,
    /// For each root, where what is taken away from it is kept.
    pub(crate) keeps: Vec<Keep>,
    /// What `workspace` means.
    pub(crate) workspace: PathBuf,
    /// What `~` means.
    pub(crate) home: PathBuf,
    /// What the usual folders in it are called.
    pub(crate) folders: Folders,
    /// True when relative paths may begin anywhere.
    anywhere: bool,
    /// The people's folders that the core knows.
    people: Vec<PathBuf>,
}

impl Land {
    /// What relative paths are relative to: where the caller stands, if that is theirs.
    pub(crate) fn base(&self, wanted: PathBuf) -> PathBuf {
        let theirs = || wanted.canonicalize().is_ok_and(|real| self.territory.contains(&real));
        if self.anywhere || theirs() { wanted } else { self.home.clone() }
    }

    /// Whether places outside the territory can be asked for. In the attack table nobody is there to be asked.
    pub(crate) fn lets_beyond(&self) -> bool {
        #[cfg(feature = "lab")]
        if metnos_executor::lab::var("GUARDS").is_none() {
            return false;
        }
        self.anywhere
    }

    /// Where what is taken away from outside the territory is kept: with what the workspace keeps.
    pub(crate) fn keeps_for_outside(&self) -> Option<&Path> {
        let keep = self.keeps.iter().find(|keep| self.workspace.starts_with(&keep.root.0))?;
        Some(&keep.dir.0)
    }

    /// A refusal as this person can use it: only the host can open a folder.
    pub(crate) fn told(&self, failure: Failure) -> Failure {
        match failure.class {
            ErrorClass::PolicyViolation if !self.anywhere => {
                failure.with_hint("only your own folder is open to you")
            }
            _ => failure,
        }
    }
}

/// The lands of this process, made as they are needed.
pub(crate) struct Lands {
    host: RwLock<Arc<Land>>,
    people: RwLock<HashMap<String, Arc<Land>>>,
}

impl Lands {
    /// Looks at what the host opened.
    pub(crate) fn open(home: &Home, db: &Db) -> Result<Self, Failure> {
        Ok(Self { host: RwLock::new(Arc::new(of_host(home, db)?)), people: RwLock::default() })
    }

    /// The version of the core table.
    pub(crate) fn core_version(&self) -> u32 {
        self.host().core.version()
    }

    fn host(&self) -> Arc<Land> {
        Arc::clone(&self.host.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Runtime {
    /// The host's land.
    pub(crate) fn land(&self) -> Arc<Land> {
        self.lands.host()
    }

    /// The land of whoever calls, with their folder made.
    pub(crate) fn land_of(&self, caller: &str) -> Result<Arc<Land>, Failure> {
        match self.standing(caller)? {
            Standing::House => Ok(self.land()),
            Standing::Known(person) => self.land_of_person(&person.id),
            Standing::Revoked | Standing::Damaged | Standing::Stranger => Ok(Arc::new(self.nowhere())),
        }
    }

    /// Where what somebody did is taken back: also of who is nobody any more.
    pub(crate) fn land_of_act(&self, caller: &str) -> Result<Arc<Land>, Failure> {
        match self.standing(caller)? {
            Standing::Known(_) | Standing::Revoked => self.land_of_person(&Principal::parse(caller).user),
            Standing::House | Standing::Damaged | Standing::Stranger => Ok(self.land()),
        }
    }

    /// Where somebody's folder is, made or not.
    pub(crate) fn person_dir(&self, id: &str) -> PathBuf {
        self.home.workspace().join(PEOPLE).join(id)
    }

    fn land_of_person(&self, id: &str) -> Result<Arc<Land>, Failure> {
        let known = self.lands.people.read().unwrap_or_else(PoisonError::into_inner).get(id).cloned();
        if let Some(land) = known.filter(|land| land.home.is_dir()) {
            return Ok(land);
        }
        let dir = self.person_dir(id);
        make_private(&dir)?;
        let root = dir.canonicalize().map_err(|e| Failure::io(dir.display(), &e))?;
        if !self.land().people.contains(&dir) {
            // What is kept in it is core from now on, for the host too.
            self.reload_territory()?;
        }
        let keep = Keep { root: BytePath(root.clone()), dir: BytePath(root.join(".metnos-undo")) };
        let land = Arc::new(Land {
            core: Arc::clone(&self.land().core),
            territory: Territory::new([root.clone()]),
            keeps: vec![keep],
            workspace: root.clone(),
            home: root,
            folders: Folders::default(),
            anywhere: false,
            people: Vec::new(),
        });
        let mut people = self.lands.people.write().unwrap_or_else(PoisonError::into_inner);
        people.insert(id.to_owned(), Arc::clone(&land));
        Ok(land)
    }

    /// The land of nobody: no path is in it.
    fn nowhere(&self) -> Land {
        let dir = self.home.workspace().join(PEOPLE).join(".nobody");
        Land {
            core: Arc::clone(&self.land().core),
            territory: Territory::default(),
            keeps: Vec::new(),
            workspace: dir.clone(),
            home: dir,
            folders: Folders::default(),
            anywhere: false,
            people: Vec::new(),
        }
    }

    /// The roots open to Metnos.
    pub fn roots(&self) -> Vec<PathBuf> {
        self.land().territory.roots().to_vec()
    }

    pub(crate) fn reload_territory(&self) -> Result<(), Failure> {
        let fresh = of_host(&self.home, &self.db)?;
        *self.lands.host.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(fresh);
        // They share the host's core.
        self.lands.people.write().unwrap_or_else(PoisonError::into_inner).clear();
        Ok(())
    }
}

/// A folder that nobody else on this machine can look into; a link in its place is refused.
fn make_private(dir: &Path) -> Result<(), Failure> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(dir);
    made.map_err(|e| Failure::io(dir.display(), &e))?;
    for at in [dir.parent().unwrap_or(dir), dir] {
        let meta = at.symlink_metadata().map_err(|e| Failure::io(at.display(), &e))?;
        if !meta.is_dir() {
            let why = format!("{} is not a folder", at.display());
            return Err(Failure::new(ErrorClass::PolicyViolation, why).with_hint("move it away"));
        }
    }
    Ok(())
}

/// The core of this home. What is kept for undo is core wherever a root is, and each person's folder is
/// one.
fn core_paths(home: &Home, territory: &Territory, people: &[PathBuf]) -> Result<CorePaths, Failure> {
    CorePaths::load(&CoreVars {
        metnos_undo: home.undo_dir(),
        roots: territory.roots().iter().chain(people).cloned().collect(),
        user_home: home.user_home(),
        metnos_config: home.config_dir(),
        metnos_state: home.state_dir(),
        metnos_executors: home.executors_dir(),
        metnos_audit: home.audit_dir(),
    })
    .map_err(|e| Failure::new(ErrorClass::SandboxUnavailable, format!("the core list: {e}")))
}

fn of_host(home: &Home, db: &Db) -> Result<Land, Failure> {
    let opened = db.roots().map_err(|e| Failure::internal(e.to_string()))?;
    let mut roots = vec![home.workspace(), home.user_home()];
    roots.extend(opened.into_iter().map(|root| root.path));
    let territory = Territory::new(roots);
    let people = std::fs::read_dir(home.workspace().join(PEOPLE));
    let people: Vec<PathBuf> = people.into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    let core = Arc::new(core_paths(home, &territory, &people)?);
    let keep = |root: &PathBuf| {
        let inside = home.undo_dir().starts_with(root);
        let dir = if inside { home.undo_dir() } else { root.join(".metnos-undo") };
        Keep { root: BytePath(root.clone()), dir: BytePath(dir) }
    };
    let keeps = territory.roots().iter().map(keep).collect();
    let (workspace, user_home) = (home.workspace(), home.user_home());
    let folders = Folders::of(&user_home);
    Ok(Land { core, territory, keeps, workspace, home: user_home, folders, anywhere: true, people })
}
