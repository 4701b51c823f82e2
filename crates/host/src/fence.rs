//! Layer two: Landlock, cut from the fence that came with the call.
//!
//! Every grant is opened without following links and compared with the file the daemon saw when
//! it resolved the path, so a path swapped in between is refused instead of granted.

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope,
};
use metnos_executor::lab::{self, Layer};
use metnos_executor::wire::{Calls, FenceWire, Grant, PRIVATE_TMP, Reach, Runtime};
use metnos_executor::{ErrorClass, Failure};
use rustix::fs::{Mode, OFlags, ResolveFlags};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::path::Path;

/// Where the system keeps what CPython loads.
const SYSTEM_TREES: [&str; 6] = ["/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/etc/python3.11"];
/// What runs the system's Python, and the loader of every program of the system. In a cell of Python these and the
/// programs that its profile names can be run, and no others.
const PYTHON_PROGRAMS: [&str; 4] = [
    "/usr/bin/python3",
    "/lib64/ld-linux-x86-64.so.2",
    "/lib/ld-linux-aarch64.so.1",
    "/lib/ld-linux-riscv64-lp64d.so.1",
];
/// What programs of the system need besides. The `/proc` is the cell's own; of it, what the machine as a
/// whole says of itself.
const PROGRAM_TREES: [&str; 7] = [
    "/sbin",
    "/proc/meminfo",
    "/proc/uptime",
    "/proc/loadavg",
    "/proc/stat",
    "/proc/cpuinfo",
    "/proc/version",
];

fn unavailable(error: impl std::fmt::Display) -> Failure {
    Failure::new(ErrorClass::SandboxUnavailable, format!("Landlock refused the fence: {error}"))
        .with_hint("metnos doctor shows which layer is missing and how to get it")
}

fn read_file() -> BitFlags<AccessFs> {
    AccessFs::ReadFile.into()
}

fn read_tree() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::ReadDir
}

/// Creating, removing and renaming names: the kernel knows these per directory only.
fn names() -> BitFlags<AccessFs> {
    AccessFs::MakeReg
        | AccessFs::MakeDir
        | AccessFs::MakeSym
        | AccessFs::RemoveFile
        | AccessFs::RemoveDir
        | AccessFs::Refer
        | AccessFs::ReadDir
}

fn write_file() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate
}

/// A ruleset that already knows the cell's own places, made while the cell waits for its call.
pub(crate) struct Fence {
    rules: RulesetCreated,
}

impl Fence {
    /// The fence of a kind of cell.
    pub(crate) fn prepare(calls: Calls) -> Result<Self, Failure> {
        // With a way out, its own loopback leads to the forwarder; listening stays forbidden.
        let net = if calls.net { AccessNet::BindTcp.into() } else { AccessNet::from_all(ABI::V6) };
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::HardRequirement)
            .handle_access(AccessFs::from_all(ABI::V2))
            .map_err(unavailable)?
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(AccessFs::from_all(ABI::V6))
            .map_err(unavailable)?
            .handle_access(net)
            .map_err(unavailable)?
            .scope(Scope::from_all(ABI::V6))
            .map_err(unavailable)?
            .create()
            .map_err(unavailable)?
            // bubblewrap and the filter before this have seen to it.
            .no_new_privs(false);
        // The private folder and the harmless devices are the cell's own.
        let own = PathFd::new(PRIVATE_TMP).map_err(unavailable)?;
        rules = rules.add_rule(PathBeneath::new(own, names() | write_file())).map_err(unavailable)?;
        for device in ["/dev/null", "/dev/zero", "/dev/urandom", "/dev/random"] {
            let access = AccessFs::ReadFile | AccessFs::WriteFile;
            if let Ok(fd) = PathFd::new(device) {
                rules = rules.add_rule(PathBeneath::new(fd, access)).map_err(unavailable)?;
            }
        }
        Ok(Self { rules })
    }

    /// Restricts this process to the fence of a call. Irreversible.
    /// `layer` is the root of a private layer that it may read.
    pub(crate) fn close(
        self,
        fence: &FenceWire,
        runtime: Runtime,
        layer: Option<BorrowedFd<'_>>,
    ) -> Result<(), Failure> {
        let mut rules = self.rules;
        if let Some(layer) = layer {
            rules = rules.add_rule(PathBeneath::new(layer, read_tree())).map_err(unavailable)?;
        }
        restrict(rules, fence, runtime)
    }
}

fn restrict(mut rules: RulesetCreated, fence: &FenceWire, runtime: Runtime) -> Result<(), Failure> {
    for grant in &fence.read {
        let Some((fd, is_dir)) = open(grant)? else { continue };
        let access = match grant.reach {
            Reach::Names => AccessFs::ReadDir.into(),
            _ if is_dir => read_tree(),
            _ => read_file(),
        };
        rules = rules.add_rule(PathBeneath::new(fd, access)).map_err(unavailable)?;
    }
    for grant in &fence.write {
        let Some((fd, is_dir)) = open(grant)? else { continue };
        let access = match grant.reach {
            Reach::Names => names(),
            _ if is_dir => names() | write_file(),
            _ => write_file(),
        };
        rules = rules.add_rule(PathBeneath::new(fd, access)).map_err(unavailable)?;
    }
    let programs = if fence.system { &PROGRAM_TREES[..] } else { &[] };
    if runtime == Runtime::Cpython || fence.system {
        for tree in SYSTEM_TREES.iter().chain(programs) {
            if let Ok(fd) = PathFd::new(tree) {
                let tree = if Path::new(tree).is_dir() { read_tree() } else { read_file() };
                let runs = fence.system && tree != read_file();
                let access = if runs { tree | AccessFs::Execute } else { tree };
                rules = rules.add_rule(PathBeneath::new(fd, access)).map_err(unavailable)?;
            }
        }
    }
    if runtime == Runtime::Cpython {
        for program in PYTHON_PROGRAMS.iter().filter_map(|program| PathFd::new(program).ok()) {
            let access = AccessFs::ReadFile | AccessFs::Execute;
            rules = rules.add_rule(PathBeneath::new(program, access)).map_err(unavailable)?;
        }
    }
    for program in &fence.exec {
        let fd = PathFd::new(&program.0).map_err(|e| {
            Failure::new(ErrorClass::DependencyMissing, format!("{}: {e}", program.0.display()))
        })?;
        rules = rules
            .add_rule(PathBeneath::new(fd, AccessFs::ReadFile | AccessFs::Execute))
            .map_err(unavailable)?;
    }
    if !lab::without(Layer::Landlock) {
        rules.restrict_self().map_err(unavailable)?;
    }
    Ok(())
}

/// `None` when nothing can be granted: it vanished meanwhile, or lies where this account may not
/// look. The executor meets the same wall and says so for that one path.
pub(crate) fn open(grant: &Grant) -> Result<Option<(OwnedFd, bool)>, Failure> {
    let path = &grant.path.0;
    let changed = |why: String| Failure::new(ErrorClass::Conflict, format!("{}: {why}", path.display()));
    let (mut flags, mut resolve) = (
        OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW,
        ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS,
    );
    let trusting = lab::without(Layer::FenceIdentity);
    if trusting {
        (flags, resolve) = (flags - OFlags::NOFOLLOW, ResolveFlags::empty());
    }
    let fd = match rustix::fs::openat2(rustix::fs::CWD, path, flags, Mode::empty(), resolve) {
        Ok(fd) => fd,
        Err(rustix::io::Errno::NOENT | rustix::io::Errno::ACCESS) => return Ok(None),
        Err(e) => return Err(changed(format!("it changed while the call was prepared ({e})"))),
    };
    let stat = rustix::fs::fstat(&fd).map_err(|e| changed(e.to_string()))?;
    // (0, 0) is a folder this host made a moment ago, after a durable intent.
    if !trusting && grant.id != (0, 0) && (stat.st_dev, stat.st_ino) != grant.id {
        return Err(changed("another file stands there now".into()));
    }
    let kind = rustix::fs::FileType::from_raw_mode(stat.st_mode);
    // A link may have got the number of the file it took the place of.
    if kind == rustix::fs::FileType::Symlink {
        return Err(changed("a link stands there now".into()));
    }
    Ok(Some((fd, kind == rustix::fs::FileType::Directory)))
}
