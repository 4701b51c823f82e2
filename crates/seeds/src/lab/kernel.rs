//! System calls no native cell has a use for.

use super::{Args, raw, reached};
use std::io;

const UFFD_USER_MODE_ONLY: u64 = 1;

pub(super) fn attempt(args: &Args) -> Option<io::Result<String>> {
    let zero = [0u64; 6];
    let fine = |answer: io::Result<i64>| answer.map(|n| format!("answered {n}"));
    let socket =
        |family: i32, kind: i32| fine(raw(libc::SYS_socket, [family as u64, kind as u64, 0, 0, 0, 0]));
    let nowhere = c"/nonexistent".as_ptr() as u64;
    Some(match args.attack.as_str() {
        "inet-socket" => socket(libc::AF_INET, libc::SOCK_DGRAM),
        "inet6-socket" => socket(libc::AF_INET6, libc::SOCK_STREAM),
        "unix-socket" => socket(libc::AF_UNIX, libc::SOCK_STREAM),
        "netlink-socket" => socket(libc::AF_NETLINK, libc::SOCK_RAW),
        "socket-pair" => std::os::unix::net::UnixStream::pair().map(|_| "a pair".into()),
        "abstract-socket" => abstract_socket(),
        "fork" => fork(),
        "clone3" => clone3(),
        "thread" => std::thread::Builder::new()
            .spawn(|| 7)
            .and_then(|t| t.join().map_err(|_| io::Error::other("it died")))
            .map(|n| format!("a thread answered {n}")),
        "exec" => std::process::Command::new("/proc/self/exe")
            .arg("--version")
            .output()
            .map(|o| String::from_utf8_lossy(&o.stdout).into_owned()),
        "ptrace" => fine(raw(libc::SYS_ptrace, [libc::PTRACE_TRACEME as u64, 0, 0, 0, 0, 0])),
        "process-vm-readv" => process_vm_readv(),
        "kill" => fine(raw(libc::SYS_kill, [u64::from(std::process::id()), 0, 0, 0, 0, 0])),
        "bpf" => {
            let attributes = [0u64; 16];
            let obj_get = 7;
            let answer = raw(
                libc::SYS_bpf,
                [obj_get, attributes.as_ptr() as u64, size_of_val(&attributes) as u64, 0, 0, 0],
            );
            reached(answer, &[libc::EINVAL, libc::EFAULT, libc::ENOENT])
        }
        "io-uring" => {
            let mut params = [0u64; 32];
            fine(raw(libc::SYS_io_uring_setup, [4, params.as_mut_ptr() as u64, 0, 0, 0, 0]))
        }
        "keyctl" => {
            let (get_id, session) = (0u64, -3i64 as u64);
            fine(raw(libc::SYS_keyctl, [get_id, session, 1, 0, 0, 0]))
        }
        "add-key" => {
            let (kind, name, session) = (c"user".as_ptr() as u64, c"lab".as_ptr() as u64, -3i64 as u64);
            fine(raw(libc::SYS_add_key, [kind, name, c"x".as_ptr() as u64, 1, session, 0]))
        }
        "userfaultfd" => fine(raw(libc::SYS_userfaultfd, [UFFD_USER_MODE_ONLY, 0, 0, 0, 0, 0])),
        "unshare" => fine(raw(libc::SYS_unshare, [libc::CLONE_NEWUSER as u64, 0, 0, 0, 0, 0])),
        "setns" => reached(raw(libc::SYS_setns, [u64::MAX, 0, 0, 0, 0, 0]), &[libc::EBADF]),
        "mount" => reached(raw(libc::SYS_mount, [0, 1, 1, 0, 0, 0]), &[libc::EFAULT]),
        "umount" => reached(raw(libc::SYS_umount2, [nowhere, 0, 0, 0, 0, 0]), &[libc::ENOENT]),
        "pivot-root" => {
            // Inside a namespace of its own the attacker would have the privilege.
            let own = libc::CLONE_NEWUSER | libc::CLONE_NEWNS;
            let _ = raw(libc::SYS_unshare, [own as u64, 0, 0, 0, 0, 0]);
            reached(raw(libc::SYS_pivot_root, [nowhere, nowhere, 0, 0, 0, 0]), &[libc::ENOENT])
        }
        "open-tree" => reached(raw(libc::SYS_open_tree, [u64::MAX, nowhere, 0, 0, 0, 0]), &[libc::ENOENT]),
        "chroot" => reached(raw(libc::SYS_chroot, [nowhere, 0, 0, 0, 0, 0]), &[libc::ENOENT]),
        "personality" => fine(raw(libc::SYS_personality, [0xffff_ffff, 0, 0, 0, 0, 0])),
        "prctl" => fine(raw(libc::SYS_prctl, [libc::PR_SET_DUMPABLE as u64, 1, 0, 0, 0, 0])),
        "memfd-create" => fine(raw(libc::SYS_memfd_create, [c"lab".as_ptr() as u64, 0, 0, 0, 0, 0])),
        "perf-event-open" => reached(
            raw(libc::SYS_perf_event_open, [1, 0, u64::MAX, u64::MAX, 0, 0]),
            &[libc::EFAULT, libc::EINVAL, libc::E2BIG],
        ),
        "inotify" => fine(raw(libc::SYS_inotify_init1, zero)),
        "sysv-shm" => fine(raw(libc::SYS_shmget, [0, 4096, 0o1600, 0, 0, 0])),
        "sysv-msg" => fine(raw(libc::SYS_msgget, [0, 0o1600, 0, 0, 0, 0])),
        "pidfd-open" => fine(raw(libc::SYS_pidfd_open, [u64::from(std::process::id()), 0, 0, 0, 0, 0])),
        "setuid" => fine(raw(libc::SYS_setresuid, [u64::MAX, u64::MAX, u64::MAX, 0, 0, 0])),
        "raise-limits" => {
            let more = libc::rlimit64 { rlim_cur: 1000, rlim_max: 1000 };
            let new = (&raw const more) as u64;
            fine(raw(libc::SYS_prlimit64, [0, libc::RLIMIT_NOFILE as u64, new, 0, 0, 0]))
        }
        "pipe" => {
            let mut ends = [0i32; 2];
            fine(raw(libc::SYS_pipe2, [ends.as_mut_ptr() as u64, 0, 0, 0, 0, 0]))
        }
        "seccomp-again" => fine(raw(libc::SYS_seccomp, [2, 0, (&raw const ALLOW) as u64, 0, 0, 0])),
        "tty-ioctl" => reached(
            raw(libc::SYS_ioctl, [0, libc::TIOCSTI, (&raw const ALLOW) as u64, 0, 0, 0]),
            &[libc::ENOTTY],
        ),
        _ => return None,
    })
}

/// The action whose availability is asked for: allow.
static ALLOW: u32 = 0x7fff_0000;

fn abstract_socket() -> io::Result<String> {
    use std::os::linux::net::SocketAddrExt;
    let name = std::os::unix::net::SocketAddr::from_abstract_name(b"metnos-lab")?;
    std::os::unix::net::UnixListener::bind_addr(&name).map(|_| "listens".into())
}

fn fork() -> io::Result<String> {
    let child = raw(libc::SYS_clone, [libc::SIGCHLD as u64, 0, 0, 0, 0, 0])?;
    if child == 0 {
        leave();
    }
    Ok(format!("child {child}"))
}

fn clone3() -> io::Result<String> {
    // flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls
    let args = [0u64, 0, 0, 0, libc::SIGCHLD as u64, 0, 0, 0];
    let child = raw(libc::SYS_clone3, [args.as_ptr() as u64, size_of_val(&args) as u64, 0, 0, 0, 0])?;
    if child == 0 {
        leave();
    }
    Ok(format!("child {child}"))
}

/// The child of a successful fork does nothing and says nothing.
fn leave() -> ! {
    // SAFETY: ends this process at once, without running anything of its parent's.
    unsafe { libc::_exit(0) }
}

fn process_vm_readv() -> io::Result<String> {
    let source = *b"memory of another";
    let mut target = [0u8; 17];
    let local = libc::iovec { iov_base: target.as_mut_ptr().cast(), iov_len: target.len() };
    let remote = libc::iovec { iov_base: source.as_ptr().cast_mut().cast(), iov_len: source.len() };
    let me = u64::from(std::process::id());
    raw(libc::SYS_process_vm_readv, [me, (&raw const local) as u64, 1, (&raw const remote) as u64, 1, 0])?;
    Ok(String::from_utf8_lossy(&target).into_owned())
}
