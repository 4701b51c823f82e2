//! What the tests of several crates share. Nothing of the product is linked here.

mod house;
mod skip;

pub use house::{Level, copy_tree, template};
pub use skip::{Fix, skipped};

use std::path::{Path, PathBuf};

/// The top of the repository.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The `metnos` that `make build` made, bound to its host; `METNOS_BIN` names another.
pub fn product() -> PathBuf {
    std::env::var_os("METNOS_BIN").map_or_else(|| repository().join("target/metnos/metnos"), PathBuf::from)
}

/// The test build of the attack table, if it was made.
pub fn lab() -> Option<PathBuf> {
    let made = std::env::var_os("METNOS_LAB").map(PathBuf::from);
    let path = made.unwrap_or_else(|| repository().join("target/lab/metnos"));
    path.exists().then_some(path)
}

/// Where the servers, models and clients of `make testbed` lie.
pub fn testbed() -> Option<PathBuf> {
    let env = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let cache = env("XDG_CACHE_HOME").or_else(|| Some(env("HOME")?.join(".cache")));
    env("METNOS_TESTBED").or_else(|| Some(cache?.join("metnos-testbed")))
}
