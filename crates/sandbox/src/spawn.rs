//! Starts bubblewrap with exactly the descriptors a cell may have.
#![allow(unsafe_code, reason = "placing descriptors between fork and exec; states why it is sound")]

use crate::argv::{HOST_FD, SOCKET_FD};
use metnos_executor::lab::{self, Layer};
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Starts `bwrap argv…` with `socket` and `host` at their fixed numbers and `stderr` as its
/// standard error. Every other descriptor of this process is close-on-exec. It enters the groups
/// behind `doors` before it runs, so that nothing it starts can be outside; whether it did is for
/// the caller to see, because a cell without a group is watched all the same.
pub(crate) fn spawn(
    bwrap: &Path,
    argv: &[OsString],
    socket: BorrowedFd<'_>,
    host: BorrowedFd<'_>,
    stderr: Stdio,
    doors: [Option<RawFd>; 2],
) -> io::Result<Child> {
    let (socket, host) = (socket.as_raw_fd(), host.as_raw_fd());
    let mut command = Command::new(bwrap);
    if !lab::without(Layer::EnvClear) {
        command.env_clear();
    }
    command.args(argv).current_dir("/").stdin(Stdio::null()).stdout(Stdio::null()).stderr(stderr);
    // Ctrl-C at a terminal goes to the whole foreground group; the cell is told to stop by the
    // protocol instead, so that it can end in order.
    command.process_group(0);
    // SAFETY: between fork and exec only async-signal-safe calls are made (write, fcntl, dup2), on
    // descriptors that the parent keeps open until spawn returns.
    unsafe {
        command.pre_exec(move || {
            for door in doors.into_iter().flatten() {
                libc::write(door, c"0".as_ptr().cast(), 1);
            }
            // Both move out of the way first, so that neither target number can clobber the other.
            let socket = libc::fcntl(socket, libc::F_DUPFD_CLOEXEC, 10);
            let host = libc::fcntl(host, libc::F_DUPFD_CLOEXEC, 10);
            let placed = socket >= 0
                && host >= 0
                && libc::dup2(socket, SOCKET_FD) == SOCKET_FD
                && libc::dup2(host, HOST_FD) == HOST_FD;
            if placed { Ok(()) } else { Err(io::Error::last_os_error()) }
        });
    }
    command.spawn()
}
