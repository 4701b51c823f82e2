//! The few system calls that no safe wrapper offers.
#![allow(unsafe_code, reason = "raw system calls; each states why it is sound")]

use std::io;
use std::os::fd::RawFd;

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

/// Sets soft and hard limit of a resource to the same value.
pub(crate) fn limit(resource: libc::__rlimit_resource_t, value: u64) -> io::Result<()> {
    limit_with(resource, value, value)
}

/// Sets soft and hard limit of a resource.
pub(crate) fn limit_with(resource: libc::__rlimit_resource_t, soft: u64, hard: u64) -> io::Result<()> {
    let bound = libc::rlimit { rlim_cur: soft, rlim_max: hard };
    // SAFETY: passes a valid pointer to a local for the duration of the call.
    let done = unsafe { libc::setrlimit(resource, &raw const bound) };
    if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
