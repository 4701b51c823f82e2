//! The bubblewrap command line of a cell: layer one. Pure, so that it can be read and tested.

use crate::mounts::Mounts;
use metnos_executor::lab::{self, Layer};
use metnos_executor::wire::{LAYER_DIR, PRIVATE_TMP, Start};
use std::ffi::OsString;
use std::path::Path;

/// Where the launcher puts the sealed host binary; `SOCKET_FD` is the cell's only other descriptor.
pub const HOST_FD: i32 = 4;
/// The cell's end of the dialogue.
pub const SOCKET_FD: i32 = 3;

/// What the system's Python and other programs of the system need, mounted read-only where it exists.
/// The alternatives are links and nothing else.
const SYSTEM: [&str; 7] =
    ["/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc/ld.so.cache", "/etc/alternatives"];

/// What the host needs to lay a private layer over a folder, and to let go of it all for good before any of
/// the executor's code runs.
const LAYER_CAPABILITIES: [&str; 3] = ["CAP_SYS_ADMIN", "CAP_DAC_OVERRIDE", "CAP_SETPCAP"];

/// Arguments after `bwrap`, up to the program: append what to run.
pub fn namespace(mounts: &Mounts) -> Vec<OsString> {
    let mut argv: Vec<OsString> = Vec::new();
    for (layer, words) in [
        (None, &["--unshare-user", "--unshare-ipc", "--unshare-cgroup-try"][..]),
        (Some(Layer::PidNamespace), &["--unshare-pid"]),
        (Some(Layer::UtsNamespace), &["--unshare-uts", "--hostname", "cell"]),
        (Some(Layer::NetNamespace), &["--unshare-net"]),
        (None, &["--die-with-parent", "--new-session"]),
        (Some(Layer::EnvClear), &["--clearenv"]),
        (Some(Layer::Capabilities), &["--cap-drop", "ALL"]),
        (None, &["--proc", "/proc", "--dev", "/dev"]),
    ] {
        if layer.is_none_or(|layer| !lab::without(layer)) {
            argv.extend(words.iter().map(OsString::from));
        }
    }
    if mounts.calls.layer {
        let keep = LAYER_CAPABILITIES.iter().flat_map(|name| ["--cap-add", *name]);
        argv.extend(keep.map(OsString::from));
    }
    #[cfg(feature = "lab")]
    argv.extend(crate::lab::instead());
    let mut push =
        |words: &[&dyn AsRef<std::ffi::OsStr>]| argv.extend(words.iter().map(|w| w.as_ref().to_owned()));
    if !lab::without(Layer::TmpSize) && !lab::without(Layer::PrivateTmp) {
        push(&[&"--size", &(mounts.tmp_mb << 20).to_string()]);
    }
    if !lab::without(Layer::PrivateTmp) {
        push(&[&"--tmpfs", &"/tmp"]);
    }
    push(&[&"--dir", &PRIVATE_TMP, &"--setenv", &"TMPDIR", &PRIVATE_TMP]);
    if mounts.calls.layer {
        push(&[&"--dir", &LAYER_DIR]);
    }
    if mounts.system {
        for tree in SYSTEM {
            push(&[&"--ro-bind-try", &tree, &tree]);
        }
    }
    #[cfg(feature = "lab")]
    if lab::without(Layer::Mount) {
        argv.extend(crate::lab::everything(mounts.system));
        argv.extend(["--remount-ro", "/", "--chdir", PRIVATE_TMP].map(OsString::from));
        return argv;
    }
    for bind in &mounts.binds {
        let how = if bind.write { "--bind" } else { "--ro-bind" };
        push(&[&how, &bind.path, &bind.path]);
    }
    for mask in mounts.masks.iter().filter(|_| !lab::without(Layer::Masks)) {
        if mask.dir {
            push(&[&"--tmpfs", &mask.path, &"--remount-ro", &mask.path]);
        } else {
            push(&[&"--ro-bind", &"/dev/null", &mask.path]);
        }
    }
    push(&[&"--remount-ro", &"/", &"--chdir", &PRIVATE_TMP]);
    argv
}

/// The whole command line of a cell.
pub fn cell(mounts: &Mounts, start: Start) -> Vec<OsString> {
    let mut argv = namespace(mounts);
    argv.extend(["--", &format!("/proc/self/fd/{HOST_FD}"), start.word()].map(OsString::from));
    argv.extend(mounts.calls.words().map(OsString::from));
    argv
}

/// The same namespace running another program of the real disk, for comparisons and proofs.
pub fn running(mounts: &Mounts, program: &Path) -> Vec<OsString> {
    let mut argv = namespace(mounts);
    argv.push("--".into());
    argv.push(program.into());
    argv
}
