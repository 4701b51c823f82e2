//! The few system calls that no safe wrapper offers.
#![allow(unsafe_code, reason = "raw system calls; each states why it is sound")]

use rustix::process::Pid;
use std::ffi::CString;
use std::io;
use std::os::fd::RawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Closes every descriptor from `first` on. Called once, before anything else holds one.
pub(crate) fn close_from(first: RawFd) -> io::Result<()> {
    // SAFETY: takes integers only; the caller owns no descriptor at or above `first`.
    let done = unsafe { libc::syscall(libc::SYS_close_range, first, u32::MAX, 0) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Takes ownership of an inherited descriptor.
pub(crate) fn adopt(fd: RawFd) -> std::os::fd::OwnedFd {
    use std::os::fd::FromRawFd;
    // SAFETY: the launcher passes exactly this descriptor and nobody else in this process uses it.
    unsafe { std::os::fd::OwnedFd::from_raw_fd(fd) }
}

/// A copy of this process in a mount and a process namespace of its own; `None` in the copy.
pub(crate) fn clone_apart() -> io::Result<Option<Pid>> {
    forked(libc::CLONE_NEWNS | libc::CLONE_NEWPID)
}

/// A copy of this process; `None` in the copy.
pub(crate) fn fork() -> io::Result<Option<Pid>> {
    forked(0)
}

fn forked(namespaces: libc::c_int) -> io::Result<Option<Pid>> {
    let flags = libc::c_long::from(namespaces | libc::SIGCHLD);
    // SAFETY: without a stack of its own the copy goes on like a fork, with all memory copied; this process
    // has one thread, so no lock is held by another.
    let made = unsafe { libc::syscall(libc::SYS_clone, flags, 0, 0, 0, 0) };
    match made {
        ..0 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        pid => Ok(i32::try_from(pid).ok().and_then(Pid::from_raw)),
    }
}

/// What happens to mounts from now on stays in this namespace.
pub(crate) fn mount_private() -> io::Result<()> {
    mounted(None, Path::new("/"), libc::MS_REC | libc::MS_PRIVATE, "")
}

/// Mounts a new file system of that kind on a folder.
pub(crate) fn mount(kind: &str, on: &Path, options: &str) -> io::Result<()> {
    mounted(Some(kind), on, libc::MS_NOSUID | libc::MS_NODEV, options)
}

fn mounted(kind: Option<&str>, on: &Path, flags: libc::c_ulong, options: &str) -> io::Result<()> {
    let kind = CString::new(kind.unwrap_or("none"))?;
    let (on, options) = (CString::new(on.as_os_str().as_bytes())?, CString::new(options)?);
    // SAFETY: every pointer is to a string that lives through the call.
    let done =
        unsafe { libc::mount(kind.as_ptr(), on.as_ptr(), kind.as_ptr(), flags, options.as_ptr().cast()) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Takes a mount out of sight; who holds something of it keeps that.
pub(crate) fn unmount(at: &Path) -> io::Result<()> {
    let at = CString::new(at.as_os_str().as_bytes())?;
    // SAFETY: the pointer is to a string that lives through the call.
    let done = unsafe { libc::umount2(at.as_ptr(), libc::MNT_DETACH) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Gives up every capability for good, also those that a program run later could get.
pub(crate) fn drop_capabilities() -> io::Result<()> {
    use rustix::thread::{CapabilitySet, CapabilitySets};
    for capability in CapabilitySet::all().iter() {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // One that this kernel does not know.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(e) => return Err(e.into()),
        }
    }
    rustix::thread::clear_ambient_capability_set()?;
    let none = CapabilitySet::empty();
    let sets = CapabilitySets { effective: none, permitted: none, inheritable: none };
    Ok(rustix::thread::set_capabilities(None, sets)?)
}

/// Sets soft and hard limit of a resource to the same value.
pub(crate) fn limit(resource: libc::__rlimit_resource_t, value: u64) -> io::Result<()> {
    limits(resource, value, value)
}

/// Sets soft and hard limit of a resource.
pub(crate) fn limits(resource: libc::__rlimit_resource_t, soft: u64, hard: u64) -> io::Result<()> {
    let bound = libc::rlimit { rlim_cur: soft, rlim_max: hard };
    // SAFETY: passes a valid pointer to a local for the duration of the call.
    let done = unsafe { libc::setrlimit(resource, &raw const bound) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
