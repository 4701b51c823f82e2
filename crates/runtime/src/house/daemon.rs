//! Whether a daemon of this instance runs: it holds a lock for as long as it lives.

use metnos_executor::Failure;
use metnos_executor::home::Home;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::ErrorKind;

/// True while a daemon runs. If that cannot be told, one does.
pub fn is_serving(home: &Home) -> bool {
    match File::open(home.state_dir().join("serve.lock")) {
        Err(e) => e.kind() != ErrorKind::NotFound,
        Ok(file) => flock(&file, FlockOperation::NonBlockingLockShared).is_err(),
    }
}

/// Refuses while a daemon runs.
pub(crate) fn none_serves(home: &Home) -> Result<(), Failure> {
    match is_serving(home) {
        false => Ok(()),
        true => {
            Err(Failure::new(metnos_executor::ErrorClass::Conflict, "the daemon of this Metnos is running")
                .with_hint("stop it first: systemctl --user stop metnos, or end `metnos serve`"))
        }
    }
}
