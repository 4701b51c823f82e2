//! What a process that holds secrets does once, when it starts.

/// Keeps the memory of this process out of core dumps and away from debuggers of the same user.
///
/// It belongs at the start of the daemon, before a vault is opened. It lasts until the process runs
/// another program, so children that run one are not affected; it also makes most of
/// `/proc/self` belong to root, so whatever needs to write there comes first.
pub fn protect_process() -> std::io::Result<()> {
    Ok(rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable)?)
}
