//! What the kernel of this machine offers.
#![allow(unsafe_code, reason = "one system call without a safe wrapper; states why it is sound")]

/// The Landlock ABI version, if the kernel has Landlock and it is switched on.
pub fn landlock_abi() -> Option<i64> {
    const VERSION: u32 = 1;
    // SAFETY: with a null attribute and size zero this call only returns a number.
    let abi =
        unsafe { libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<u8>(), 0usize, VERSION) };
    (abi > 0).then_some(abi)
}
