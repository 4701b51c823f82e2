//! From the signed profile and the arguments of one call to what that call may see and touch.
//!
//! The profile says which arguments name paths; this module resolves them, refuses what is core
//! or outside the territory, and cuts two things: the *mounts* of the cell and the *fence* that
//! the host closes around itself. A fence is always inside the profile it was cut from.

use crate::mounts::{Bind, Mask, Mounts};
use metnos_executor::lab::{self, Layer};
use metnos_executor::profile::{Profile, Scope};
use metnos_executor::wire::{Calls, FenceWire, Grant, PRIVATE_TMP, Reach, Runtime};
use metnos_executor::{BytePath, ErrorClass, Failure, Keep};
use metnos_guard::core::{Act, CorePaths, Look, Verdict};
use metnos_guard::folders::Folders;
use metnos_guard::resolve::{ResolveError, Resolved, absolute, resolve_in};
use metnos_guard::territory::Territory;
use serde_json::{Map, Value};
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ffi::OsString;
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The places every call is measured against.
pub struct Ground<'a> {
    /// Never touched by anything.
    pub core: &'a CorePaths,
    /// What the person opened to Metnos.
    pub territory: &'a Territory,
    /// Metnos's own folder for work.
    pub workspace: &'a Path,
    /// What `~` means.
    pub user_home: &'a Path,
    /// What the usual folders in it are called.
    pub folders: &'a Folders,
    /// What a relative path is relative to.
    pub base: &'a Path,
    /// Whether paths outside the territory may be named. The policy says what comes of them: this only lets the call
    /// have them, and no more than them, once it is let through.
    pub beyond: bool,
    /// Where things are kept for undo, for each root: core, but a cell that changes must reach its own
    /// folder there.
    pub keeps: &'a [Keep],
}

/// What one call may see and touch.
#[derive(Debug)]
pub struct Fence {
    /// For the cell.
    pub mounts: Mounts,
    /// For the host.
    pub wire: FenceWire,
    /// What stood at the core paths that this cell could reach: a cell built under another state is
    /// not used. All zero for a cell that sees nothing of the disk.
    pub core: [u8; 32],
}

/// How a path of a scope is used, which decides whether its last link is followed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Only read: a link is followed.
    Read,
    /// Read and changed, as the thing it is: a link stays a link.
    Operand,
    /// Only written: a place to put things, so a link to a folder is followed.
    Destination,
}

/// Cuts the fence of one call. `entry_paths(field)` gives the paths in that field of the input
/// list. Path arguments in `args` are replaced by what they resolved to.
pub fn mint(
    profile: &Profile,
    trusted: bool,
    runtime: Runtime,
    args: &mut Map<String, Value>,
    entry_paths: &dyn Fn(&str) -> Result<Vec<PathBuf>, Failure>,
    ground: &Ground<'_>,
) -> Result<Fence, Failure> {
    let beside = profile.write.contains(&Scope::Arg("dst_dir".into())) && !args.contains_key("dst_dir");
    let one_file = profile.write.contains(&Scope::Arg("path".into())) && args.contains_key("path");
    let mut cut = Cut {
        ground,
        look: OnceCell::new(),
        trusted,
        wire: FenceWire::default(),
        binds: Vec::new(),
        seen: HashSet::new(),
        folders: RefCell::default(),
        beside,
        left: false,
    };
    cut.wire.net = !profile.net.is_empty();
    cut.wire.exec = profile.exec.iter().cloned().map(BytePath).collect();
    let scopes: BTreeSet<&Scope> = profile.read.iter().chain(&profile.write).collect();
    for scope in scopes {
        let usage = match (profile.read.contains(scope), profile.write.contains(scope)) {
            (true, true) => Use::Operand,
            (false, true) => Use::Destination,
            _ => Use::Read,
        };
        match scope {
            Scope::Workspace => cut.literal(ground.workspace, usage, true)?,
            Scope::Literal(path) => cut.literal(path, usage, false)?,
            Scope::Arg(name) => cut.argument(name, usage, args)?,
            // A seed told to write one file takes its entries as records: what they name stays shut.
            Scope::Entries(_) if trusted && usage == Use::Read && one_file => {}
            Scope::Entries(field) => {
                for path in entry_paths(field)? {
                    cut.named(field, &path, usage)?;
                }
            }
        }
    }
    let mounts = cut.mounts(profile, runtime)?;
    let core = match mounts.binds.is_empty() {
        true => [0; 32],
        false => cut.look()?.identity_digest(ground.territory.roots()),
    };
    Ok(Fence { mounts, wire: cut.wire, core })
}

struct Cut<'a> {
    ground: &'a Ground<'a>,
    /// Taken at the first path: a call without paths looks at nothing.
    look: OnceCell<Look<'a>>,
    trusted: bool,
    wire: FenceWire,
    binds: Vec<Bind>,
    /// What was granted already.
    seen: HashSet<(OsString, bool, u8)>,
    /// Folders that were resolved, by how they were written.
    folders: RefCell<HashMap<PathBuf, PathBuf>>,
    /// A changer that could be told a destination and was not: it works beside its sources.
    beside: bool,
    /// Something outside the territory was named.
    left: bool,
}

impl<'a> Cut<'a> {
    /// The one look of this call.
    fn look(&self) -> Result<&Look<'a>, Failure> {
        if let Some(look) = self.look.get() {
            return Ok(look);
        }
        let look = self.ground.core.look().map_err(unknowable)?;
        Ok(self.look.get_or_init(|| look))
    }

    /// Refuses a core path, and everything when the core cannot be looked at.
    fn free(&self, path: &Path, act: Act) -> Result<(), Failure> {
        open(path, self.look()?.verdict(path, act))
    }

    /// [`Cut::free`] for what was just resolved.
    fn free_found(&self, found: &Resolved, act: Act) -> Result<(), Failure> {
        match found.id {
            Some(_) => open(&found.path, self.look()?.verdict_on(&found.path, found.id, act)),
            None => self.free(&found.path, act),
        }
    }

    /// A scope that the profile names itself: mounted exactly, minus what is core.
    fn literal(&mut self, path: &Path, usage: Use, workspace: bool) -> Result<(), Failure> {
        let write = usage != Use::Read;
        let Ok(found) = resolve_in(path, Path::new("/"), self.ground.user_home) else { return Ok(()) };
        if !found.exists {
            return Ok(());
        }
        let act = if write { Act::Write } else { Act::Read };
        self.free(&found.path, act)?;
        let open = self.look()?.expand(&found.path);
        for tree in beside_scratch(open.trees) {
            let write = self.may_write(&tree, write);
            self.grant(&tree, Reach::Tree, write)?;
            if !workspace {
                self.binds.push(Bind { path: tree, write });
            }
        }
        for names in open.names_only {
            self.names(&names, workspace && self.trusted)?;
        }
        Ok(())
    }

    /// The names in a folder on the way to a core path. Unless the folder itself is mounted, the cell
    /// has one of its own making there, with nothing in it but what was granted: it has no identity
    /// to compare, and the root of the cell is nobody's folder.
    fn names(&mut self, path: &Path, mounted: bool) -> Result<(), Failure> {
        if mounted {
            return self.grant(path, Reach::Names, false);
        }
        if path != Path::new("/") && self.is_new(path, Reach::Names, false) {
            let grant = Grant { path: BytePath(path.to_path_buf()), id: (0, 0), reach: Reach::Names };
            self.wire.read.push(grant);
        }
        Ok(())
    }

    fn argument(&mut self, name: &str, usage: Use, args: &mut Map<String, Value>) -> Result<(), Failure> {
        let Some(value) = args.get_mut(name) else { return Ok(()) };
        let items = match value {
            Value::Array(items) => items.iter_mut().collect(),
            one => vec![one],
        };
        for item in items {
            let path: BytePath = serde_json::from_value(item.clone())
                .map_err(|_| Failure::wrong_args(format!("{name}: expected a path")))?;
            let resolved = self.named(name, &path.0, usage)?;
            *item = serde_json::to_value(BytePath(resolved)).map_err(|e| Failure::internal(e.to_string()))?;
        }
        Ok(())
    }

    /// A path that a person or an entry named. Returns what it resolved to.
    fn named(&mut self, name: &str, path: &Path, usage: Use) -> Result<PathBuf, Failure> {
        let path = &*self.ground.folders.here(path);
        let (fixed, template) = match usage {
            Use::Destination => split_template(path),
            _ => (path.to_path_buf(), None),
        };
        let wrong = |e: ResolveError| {
            let hint = e.hint();
            let failure = Failure::wrong_args(format!("{}: {e}", fixed.display()));
            if let Some(hint) = hint { failure.with_hint(hint) } else { failure }
        };
        let found = match self.resolve(&fixed, usage) {
            Ok(found) => found,
            // Nothing is granted; the executor meets the same wall and reports this one path.
            Err(e) if usage != Use::Destination && is_wall(&e) => {
                return absolute(&fixed, self.ground.base, self.ground.user_home).map_err(wrong);
            }
            Err(e) => return Err(wrong(e)),
        };
        match usage {
            Use::Read => self.free_found(&found, Act::Read)?,
            // The folder itself stays where it is, and of what is core in it nothing is shown.
            Use::Operand if !self.trusted && found.is_dir => self.free_found(&found, Act::Write)?,
            Use::Operand => {
                self.free_found(&found, Act::Read)?;
                self.free_found(&found, Act::RenameOrRemove)?;
            }
            Use::Destination => self.free_found(&found, Act::Write)?,
        }
        if !self.ground.territory.contains(&found.path) && !lab::without(Layer::Territory) {
            self.outside(&found, usage)?;
        }
        match usage {
            Use::Read => self.readable(&found)?,
            Use::Operand => self.operand(&found)?,
            Use::Destination => self.destination(name, &found)?,
        }
        Ok(template.map_or(found.path.clone(), |rest| found.path.join(rest)))
    }

    /// A path outside the territory: mounted for this call alone, as much of it as its use needs.
    fn outside(&mut self, found: &Resolved, usage: Use) -> Result<(), Failure> {
        if !self.ground.beyond {
            return Err(beyond_reach(&found.path));
        }
        if !found.exists && usage == Use::Read {
            return Err(Failure::new(ErrorClass::NotFound, format!("{} is not there", found.path.display())));
        }
        self.left = true;
        if !self.trusted {
            // It sees exactly what it may touch, wherever that lies.
            return Ok(());
        }
        match usage {
            Use::Read if found.is_dir => {
                let open = self.look()?.expand(&found.path);
                let trees = beside_scratch(open.trees);
                self.binds.extend(trees.into_iter().map(|path| Bind { path, write: false }));
            }
            Use::Read => self.binds.push(Bind { path: found.path.clone(), write: false }),
            // A name is changed in its folder, so that is what has to be there; Landlock opens only what was named.
            Use::Operand | Use::Destination => {
                let folder = usage == Use::Destination && found.is_dir;
                let above = found.path.parent().unwrap_or(Path::new("/"));
                let dir = if folder { found.path.clone() } else { nearest(above) };
                // The root of the machine, or the folder in which the cell has its scratch, cannot stand in a cell.
                if dir == Path::new("/") || Some(dir.as_path()) == Path::new(PRIVATE_TMP).parent() {
                    return Err(beyond_reach(&found.path));
                }
                self.binds.push(Bind { path: dir, write: true });
            }
        }
        Ok(())
    }

    fn resolve(&self, path: &Path, usage: Use) -> Result<Resolved, ResolveError> {
        let whole = || resolve_in(path, self.ground.base, self.ground.user_home);
        let (Some(parent), Some(last)) = (path.parent(), path.file_name()) else { return whole() };
        let Some(above) = self.folder(parent) else { return whole() };
        let full = above.join(last);
        match std::fs::symlink_metadata(&full) {
            // What is changed is the link, not what it leads to.
            Ok(meta) if meta.is_symlink() && usage == Use::Operand => {
                Ok(Resolved { path: full, exists: true, id: None, is_dir: false, missing: Vec::new() })
            }
            Ok(meta) if !meta.is_symlink() => Ok(Resolved {
                path: full,
                exists: true,
                id: Some((meta.dev(), meta.ino())),
                is_dir: meta.is_dir(),
                missing: Vec::new(),
            }),
            _ => whole(),
        }
    }

    /// What an existing folder resolves to. The way to it is walked once a call: ten thousand files
    /// often lie in one.
    fn folder(&self, dir: &Path) -> Option<PathBuf> {
        if dir.as_os_str().is_empty() {
            return None;
        }
        if let Some(known) = self.folders.borrow().get(dir) {
            return Some(known.clone());
        }
        let found = resolve_in(dir, self.ground.base, self.ground.user_home).ok()?;
        if !found.is_dir {
            return None;
        }
        self.folders.borrow_mut().insert(dir.to_path_buf(), found.path.clone());
        Some(found.path)
    }

    fn readable(&mut self, found: &Resolved) -> Result<(), Failure> {
        if !found.exists {
            // The executor itself reports what it did not find; the nearest folder needs no right.
            return Ok(());
        }
        if !found.is_dir {
            self.grant_found(found, Reach::File, false)?;
            return self.exact(&found.path);
        }
        let open = self.look()?.expand(&found.path);
        for tree in beside_scratch(open.trees) {
            self.grant(&tree, Reach::Tree, false)?;
            self.exact(&tree)?;
        }
        for names in open.names_only {
            self.names(&names, self.trusted)?;
        }
        Ok(())
    }

    /// The folder an executor that is no seed may change, less what is core in it. A single file it may at
    /// most read: its layer covers folders.
    fn own_folder(&mut self, found: &Resolved, readable: bool) -> Result<(), Failure> {
        if !found.is_dir {
            return if readable { self.readable(found) } else { Ok(()) };
        }
        let open = self.look()?.expand(&found.path);
        for tree in beside_scratch(open.trees) {
            let write = self.may_write(&tree, true);
            if write || readable {
                self.grant(&tree, Reach::Tree, write)?;
                self.binds.push(Bind { path: tree, write });
            }
        }
        for names in open.names_only {
            self.names(&names, false)?;
        }
        Ok(())
    }

    /// Whether what may be changed can be: what is no seed changes folders only, through its layer.
    fn may_write(&self, tree: &Path, wanted: bool) -> bool {
        wanted && (self.trusted || tree.is_dir())
    }

    fn operand(&mut self, found: &Resolved) -> Result<(), Failure> {
        if !self.trusted {
            return if found.exists && found.id.is_some() { self.own_folder(found, true) } else { Ok(()) };
        }
        let above = || found.path.parent().unwrap_or(Path::new("/")).to_path_buf();
        let parent = if found.exists { above() } else { nearest(&found.path) };
        self.grant(&parent, if self.beside { Reach::Tree } else { Reach::Names }, true)?;
        // A link has no content of its own: the rights on its folder are all it needs.
        if found.exists && found.id.is_some() {
            let reach = if found.is_dir { Reach::Tree } else { Reach::File };
            self.grant_found(found, reach, true)?;
        }
        Ok(())
    }

    fn destination(&mut self, name: &str, found: &Resolved) -> Result<(), Failure> {
        let is_folder = name.ends_with("dir");
        let parent = || found.path.parent().unwrap_or(Path::new("/")).to_path_buf();
        if !self.trusted {
            if !found.exists {
                return Err(Failure::new(
                    ErrorClass::NotFound,
                    format!("{} does not exist; only seeds create destinations", found.path.display()),
                )
                .with_hint("create it first: metnos exec create_dirs …"));
            }
            return self.own_folder(found, false);
        }
        if found.exists && found.is_dir {
            return self.grant(&found.path, Reach::Tree, true);
        }
        if found.exists {
            return self.grant(&parent(), Reach::Tree, true);
        }
        if name == "paths" {
            return self.grant(&nearest(&found.path), Reach::Names, true);
        }
        let folder = if is_folder { found.path.clone() } else { parent() };
        self.folder_to_make(&folder)
    }

    /// A destination folder that may still have to be made, with all its missing parents.
    fn folder_to_make(&mut self, folder: &Path) -> Result<(), Failure> {
        let mut missing: Vec<PathBuf> =
            folder.ancestors().take_while(|dir| !dir.exists()).map(Path::to_path_buf).collect();
        if missing.is_empty() {
            return self.grant(folder, Reach::Tree, true);
        }
        missing.reverse();
        for dir in missing {
            self.free(&dir, Act::Write)?;
            let dir = BytePath(dir);
            if !self.wire.make_dirs.contains(&dir) {
                self.wire.make_dirs.push(dir);
            }
        }
        if self.is_new(folder, Reach::Tree, true) {
            // No identity yet: the host makes it and opens what it made.
            let grant = Grant { path: BytePath(folder.to_path_buf()), id: (0, 0), reach: Reach::Tree };
            self.wire.write.push(grant);
        }
        Ok(())
    }

    /// [`Cut::grant`] for what was just resolved: the host compares the identity with what it opens.
    fn grant_found(&mut self, found: &Resolved, reach: Reach, write: bool) -> Result<(), Failure> {
        let Some(id) = found.id else { return self.grant(&found.path, reach, write) };
        if reach == Reach::Tree && write && self.beside_hard_links(&found.path)? {
            return Ok(());
        }
        if self.is_new(&found.path, reach, write) {
            self.allow(&found.path, id, reach, write);
        }
        Ok(())
    }

    /// Grants a tree that is changed without the hard links to core files in it; false where there are none. What may
    /// be changed is mounted whole, so no mount keeps them away.
    fn beside_hard_links(&mut self, tree: &Path) -> Result<bool, Failure> {
        if !self.look()?.has_hard_links_below(tree) {
            return Ok(false);
        }
        let open = self.look()?.expand(tree);
        for part in open.trees {
            let reach = if part.is_dir() { Reach::Tree } else { Reach::File };
            self.grant_whole(&part, reach, true)?;
        }
        for names in open.names_only {
            self.grant_whole(&names, Reach::Names, true)?;
        }
        Ok(true)
    }

    fn grant(&mut self, path: &Path, reach: Reach, write: bool) -> Result<(), Failure> {
        if reach == Reach::Tree && write && self.beside_hard_links(path)? {
            return Ok(());
        }
        self.grant_whole(path, reach, write)
    }

    fn grant_whole(&mut self, path: &Path, reach: Reach, write: bool) -> Result<(), Failure> {
        if !self.is_new(path, reach, write) {
            return Ok(());
        }
        let meta = match std::fs::symlink_metadata(path) {
            Ok(meta) => meta,
            // It vanished meanwhile or may not be seen: nothing to grant, and the executor will say so.
            Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => return Ok(()),
            Err(e) => return Err(Failure::io(path.display(), &e)),
        };
        self.allow(path, (meta.dev(), meta.ino()), reach, write);
        Ok(())
    }

    fn is_new(&mut self, path: &Path, reach: Reach, write: bool) -> bool {
        self.seen.insert((path.as_os_str().to_owned(), write, reach as u8))
    }

    fn allow(&mut self, path: &Path, id: (u64, u64), reach: Reach, write: bool) {
        let grant = Grant { path: BytePath(path.to_path_buf()), id, reach };
        if write { self.wire.write.push(grant) } else { self.wire.read.push(grant) }
    }

    /// Least trust, least view: a synthesised or imported executor sees exactly what it may touch.
    fn exact(&mut self, path: &Path) -> Result<(), Failure> {
        if !self.trusted {
            let open = self.look()?.expand(path);
            self.binds.extend(open.trees.into_iter().map(|path| Bind { path, write: false }));
        }
        Ok(())
    }

    fn mounts(&mut self, profile: &Profile, runtime: Runtime) -> Result<Mounts, Failure> {
        let mut binds = std::mem::take(&mut self.binds);
        let mut masks = Vec::new();
        let roams = |scope: &Scope| !matches!(scope, Scope::Literal(_));
        let write = profile.write.iter().any(roams);
        if self.trusted && (write || profile.read.iter().any(roams)) {
            let mut roots = self.ground.territory.roots().to_vec();
            binds.extend(roots.iter().map(|root| Bind { path: root.clone(), write }));
            if self.left {
                roots = binds.iter().map(|bind| bind.path.clone()).collect();
            }
            let covered = self.look()?.existing(&roots);
            // What is kept must be reachable by a rename; which of it is Landlock's to say.
            let reachable = |path: &Path| write && self.ground.keeps.iter().any(|keep| keep.dir.0 == path);
            let masked = covered.into_iter().filter(|(path, _)| !reachable(path));
            masks.extend(masked.map(|(path, id)| Mask { path, dir: id.is_dir }));
        } else if profile.read.contains(&Scope::Workspace) || profile.write.contains(&Scope::Workspace) {
            let write = profile.write.contains(&Scope::Workspace);
            let open = self.look()?.expand(self.ground.workspace);
            let bind = |path: PathBuf| Bind { write: self.may_write(&path, write), path };
            binds.extend(open.trees.into_iter().map(bind));
        }
        if !self.trusted {
            // What lies in a folder that may be changed comes with it: a mount of its own would be a hole in
            // its layer.
            let folders: Vec<PathBuf> = binds.iter().filter(|b| b.write).map(|b| b.path.clone()).collect();
            let inside = |path: &Path| folders.iter().any(|dir| path != dir && path.starts_with(dir));
            binds.retain(|bind| !inside(&bind.path));
        }
        // A folder of the cell's own making is there only if something below it is mounted.
        self.wire.read.retain(|grant| {
            grant.reach != Reach::Names
                || grant.id != (0, 0)
                || binds.iter().any(|bind| bind.path.starts_with(&grant.path.0))
        });
        let limits = &profile.limits;
        let (exec, net) = (!profile.exec.is_empty(), !profile.net.is_empty());
        let calls = Calls::of(runtime, limits, exec, net, !self.wire.write.is_empty());
        let system = runtime == Runtime::Cpython;
        let layer_mb = if calls.layer { limits.layer_mb } else { 0 };
        Ok(Mounts { binds, masks, system, tmp_mb: limits.tmp_mb, layer_mb, calls, once: self.left }.tidy())
    }
}

fn beyond_reach(path: &Path) -> Failure {
    Failure::new(ErrorClass::PolicyViolation, format!("{} is outside the territory", path.display()))
        .with_hint(format!("metnos territory add {}", territory_hint(path).display()))
}

/// A guard that cannot look denies.
fn unknowable(error: metnos_guard::core::CoreError) -> Failure {
    Failure::new(ErrorClass::Forbidden, format!("core paths could not be told apart: {error}"))
}

/// The cell keeps its scratch below `/tmp`, so that folder cannot be mounted whole: what lies in it
/// now is, one by one.
fn beside_scratch(trees: Vec<PathBuf>) -> Vec<PathBuf> {
    let scratch = Path::new(PRIVATE_TMP);
    let split = |tree: PathBuf| match std::fs::read_dir(&tree) {
        Ok(children) if scratch.parent() == Some(&tree) => {
            children.flatten().map(|c| c.path()).filter(|p| p != scratch && !p.is_symlink()).collect()
        }
        _ => vec![tree],
    };
    trees.into_iter().flat_map(split).collect()
}

/// A path that leads nowhere for a reason its user can be told: links in a circle, something below
/// a file, a folder that may not be entered.
fn is_wall(error: &ResolveError) -> bool {
    match error {
        ResolveError::Loop { .. } | ResolveError::NotADirectory { .. } => true,
        ResolveError::Io { source, .. } => source.kind() == ErrorKind::PermissionDenied,
        _ => false,
    }
}

fn nearest(path: &Path) -> PathBuf {
    path.ancestors().find(|dir| dir.exists()).unwrap_or(Path::new("/")).to_path_buf()
}

/// Where to open the territory so that `path` is inside: its folder, or itself if it is one.
fn territory_hint(path: &Path) -> PathBuf {
    if path.is_dir() { path.to_path_buf() } else { nearest(path.parent().unwrap_or(Path::new("/"))) }
}

/// Nothing where the core leaves `path` alone, else the refusal.
fn open(path: &Path, verdict: Verdict) -> Result<(), Failure> {
    match verdict {
        Verdict::Free => Ok(()),
        Verdict::Core { reason, .. } => Err(forbidden(path, &reason)),
    }
}

fn forbidden(path: &Path, why: &str) -> Failure {
    Failure::new(ErrorClass::Forbidden, format!("{}: {why}", path.display()))
        .with_hint("core paths cannot be opened by any profile, level or approval")
}

/// Splits `Archive/{year}/x` into the part that is a real path and the part a seed fills in.
fn split_template(path: &Path) -> (PathBuf, Option<PathBuf>) {
    let is_template = |part: &std::path::Component<'_>| part.as_os_str().as_encoded_bytes().contains(&b'{');
    let parts: Vec<_> = path.components().collect();
    match parts.iter().position(is_template) {
        Some(at) if at > 0 => (parts[..at].iter().collect(), Some(parts[at..].iter().collect())),
        _ => (path.to_path_buf(), None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_template_is_cut_where_it_begins() {
        let cut = |p: &str| split_template(Path::new(p));
        assert_eq!(cut("/a/b"), ("/a/b".into(), None));
        assert_eq!(cut("/a/{year}/b"), ("/a".into(), Some("{year}/b".into())));
    }
}
