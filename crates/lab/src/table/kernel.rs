//! System calls, capabilities and namespaces.

use crate::attack::{Attack, reported};
use crate::house::House;
use serde_json::{Value, json};

/// The answer of `io_uring_setup` where no memory may be locked.
const ENOMEM: i32 = 12;

/// What only seccomp refuses to a native executor.
const NATIVE: [&str; 35] = [
    "inet-socket",
    "inet6-socket",
    "unix-socket",
    "netlink-socket",
    "socket-pair",
    "abstract-socket",
    "fork",
    "clone3",
    "thread",
    "exec",
    "ptrace",
    "process-vm-readv",
    "kill",
    "bpf",
    "keyctl",
    "add-key",
    "userfaultfd",
    "unshare",
    "setns",
    "mount",
    "umount",
    "pivot-root",
    "open-tree",
    "chroot",
    "personality",
    "prctl",
    "memfd-create",
    "perf-event-open",
    "inotify",
    "sysv-shm",
    "sysv-msg",
    "pidfd-open",
    "setuid",
    "pipe",
    "seccomp-again",
];

/// What only seccomp refuses to the system's Python, which may fork and start programs.
const CPYTHON: [&str; 8] = [
    "inet-socket",
    "unix-socket",
    "netlink-socket",
    "abstract-socket",
    "memfd-create",
    "chroot",
    "setuid",
    "pidfd-open",
];

pub(super) fn attacks() -> Vec<Attack> {
    let native = NATIVE.map(|name| Attack::new(name, "native", "seccomp", "get_signatures_candidates"));
    let cpython = CPYTHON.map(|name| Attack::new(name, "cpython", "seccomp", "read_contacts_candidates"));
    // With a net profile sockets are allowed; what they may be is up to the capabilities.
    let privileged = ["raw-socket", "packet-socket"]
        .map(|name| Attack::new(name, "cpython", "capabilities", "get_contacts_candidates"));
    // Without seccomp the call is reached, and fails later, on the memory it may not lock.
    let uring = Attack::new("io-uring", "native", "seccomp", "get_signatures_candidates")
        .won(|_, answer| reported(answer).is_some_and(|item| item["errno"] == 0 || item["errno"] == ENOMEM));
    let mut attacks: Vec<Attack> =
        native.into_iter().chain(cpython).chain(privileged).chain([uring]).collect();
    for (runtime, executor) in
        [("native", "get_signatures_candidates"), ("cpython", "read_contacts_candidates")]
    {
        attacks.push(
            Attack::new("hostname", runtime, "uts-namespace", executor)
                .won(|_, answer| named_as_this_machine(answer)),
        );
        attacks.push(
            Attack::new("host-processes", runtime, "pid-namespace", executor)
                .with(|_| json!({ "attack": "stat", "target": format!("/proc/{}", std::process::id()) })),
        );
    }
    attacks.push(
        Attack::new("connect-to-host", "cpython", "net-namespace", "get_contacts_candidates")
            .with(|house: &House| json!({ "attack": "connect", "n": house.net.unnamed.port }))
            .before(|house| {
                house.net.unnamed.take();
                Ok(())
            })
            .won(|house, _| house.net.unnamed.take() > 0),
    );
    attacks
}

fn named_as_this_machine(answer: &Value) -> bool {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    reported(answer).is_some_and(|item| item["got"] == name.trim())
}
