//! Real processes in real groups. Where no group can be made there is nothing to try, and each test
//! says so.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::cell::BWRAP_TASKS;
use crate::mounts::Mounts;
use crate::{argv, spawn};
use metnos_testkit::{Fix, skipped};
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::{Child, Stdio};
use std::time::Instant;

const PATIENCE: Duration = Duration::from_secs(20);

fn group() -> Option<Group> {
    let group = Groups::find().and_then(Groups::cell);
    if group.is_none() {
        skipped("no control group can be made here", Fix::None);
    }
    group
}

/// Runs a program in `group` the way a cell is run. It waits for a line on descriptor 3, which is
/// the other end of what is returned.
fn run(program: &str, args: &[OsString], group: &mut Group) -> (Child, UnixStream) {
    let (ours, theirs) = UnixStream::pair().unwrap();
    let host = File::open("/dev/null").unwrap();
    let child =
        spawn::spawn(program.as_ref(), args, theirs.as_fd(), host.as_fd(), Stdio::null(), group.doors())
            .unwrap();
    assert!(group.admitted(child.id()), "it is in the group before it runs");
    (child, ours)
}

fn shell(script: &str, group: &mut Group) -> (Child, UnixStream) {
    let script = format!("read go <&3; {script}");
    run("/bin/sh", &["-c".into(), script.into()], group)
}

fn go(socket: &UnixStream) {
    io::Write::write_all(&mut &*socket, b"go\n").unwrap();
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + PATIENCE;
    while !holds() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(BETWEEN_TRIES);
    }
}

fn ends(mut child: Child) -> Option<i32> {
    until("it ends", || !matches!(child.try_wait(), Ok(None)));
    child.wait().unwrap().code()
}

fn gone(group: Group) {
    let dirs = group.dirs.0.clone();
    assert!(!dirs.is_empty() && dirs.iter().all(|dir| dir.is_dir()));
    drop(group);
    // What is still busy goes when the next one is made.
    until("the group goes", || {
        left(|left| left.retain(|dir| busy(dir)));
        dirs.iter().all(|dir| !dir.exists())
    });
}

#[test]
fn memory_is_bound_and_the_bound_is_reported() {
    let Some(mut group) = group() else { return };
    let (child, socket) = shell("x=0123456789abcdef; while :; do x=$x$x; done", &mut group);
    assert!(group.limit(16 << 20, 8));
    assert_eq!(group.killed(), None);
    go(&socket);
    assert_ne!(ends(child), Some(0));
    assert_eq!(group.killed(), Some(Hit::Memory));
    gone(group);
}

#[test]
fn tasks_are_bound_and_the_bound_is_reported() {
    let Some(mut group) = group() else { return };
    let (mut child, socket) = shell("for i in 1 2 3 4 5 6 7 8 9; do sleep 30 & done; wait", &mut group);
    assert!(group.limit(256 << 20, 4));
    assert_eq!(group.killed(), None);
    go(&socket);
    until("a fork is refused", || group.killed() == Some(Hit::Tasks));
    let living = fs::read_to_string(group.dirs.0.last().unwrap().join("pids.current")).unwrap();
    assert!(living.trim().parse::<u32>().unwrap() <= 4, "{living}");
    let _ = child.kill();
    let _ = child.wait();
    // Unlike a cell, a shell leaves its children alive.
    let procs = fs::read_to_string(group.dirs.0.last().unwrap().join("cgroup.procs")).unwrap();
    for pid in procs.lines().filter_map(|pid| rustix::process::Pid::from_raw(pid.parse().ok()?)) {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
    gone(group);
}

#[test]
fn what_stays_within_its_bounds_is_left_alone() {
    let Some(mut group) = group() else { return };
    // Files that are read fill the memory of a group and must not count as an overrun.
    // `/tmp` may itself be memory.
    let dir = tempfile::tempdir_in("/var/tmp").unwrap();
    let file = dir.path().join("long");
    fs::write(&file, vec![b'x'; 48 << 20]).unwrap();
    let (child, socket) = shell(&format!("cat {0} {0} >{0}.copy && rm {0}.copy", file.display()), &mut group);
    assert!(group.limit(24 << 20, 8));
    go(&socket);
    assert_eq!(ends(child), Some(0));
    assert_eq!(group.killed(), None);
    gone(group);
}

#[test]
fn bubblewrap_itself_needs_as_many_tasks_as_are_allowed_for_it() {
    let Some(mut group) = group() else { return };
    let bwrap = ["/usr/bin/bwrap", "/usr/local/bin/bwrap"].into_iter().find(|p| Path::new(p).exists());
    let Some(bwrap) = bwrap else {
        return skipped("no bubblewrap", Fix::Run("sudo apt-get install -y bubblewrap"));
    };
    let mounts = Mounts { system: true, tmp_mb: 1, ..Mounts::default() };
    let mut argv = argv::running(&mounts, "/bin/sh".as_ref());
    argv.extend(["-c", "echo up >&3; read go <&3"].map(OsString::from));
    let (child, mut socket) = run(bwrap, &argv, &mut group);
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let mut up = [0; 3];
    io::Read::read_exact(&mut socket, &mut up).unwrap();
    let tasks = fs::read_to_string(group.dirs.0.last().unwrap().join("pids.current")).unwrap();
    assert_eq!(tasks.trim(), (BWRAP_TASKS + 1).to_string());
    assert!(group.limit(64 << 20, BWRAP_TASKS + 1));
    go(&socket);
    assert_eq!(ends(child), Some(0));
    assert_eq!(group.killed(), None);
    gone(group);
}

#[test]
fn groups_of_dead_processes_are_swept_and_those_of_living_ones_are_not() {
    let Some(group) = group() else { return };
    let Some(groups) = Groups::find() else { return };
    let me = std::process::id();
    let start = started(me).unwrap();
    // The same number at another time was another process.
    let dead = groups.memory.join(format!("metnos-{me}-{}-0", start.wrapping_sub(1)));
    fs::create_dir(&dead).unwrap();
    groups.sweep();
    assert!(!dead.exists());
    assert!(group.dirs.0.iter().all(|dir| dir.is_dir()));
    gone(group);
}

#[test]
fn a_process_that_did_not_enter_is_not_admitted() {
    let Some(mut group) = group() else { return };
    assert!(!group.admitted(std::process::id()));
    gone(group);
}
