//! The attacks, by what stands in their way.

mod core;
mod kernel;
mod limits;
mod net;
mod places;
mod protocol;
mod race;
mod tampering;

use crate::attack::Attack;

/// Every attack.
pub(crate) fn all() -> Vec<Attack> {
    [
        kernel::attacks(),
        places::attacks(),
        core::attacks(),
        race::attacks(),
        limits::attacks(),
        net::attacks(),
        protocol::attacks(),
        tampering::attacks(),
    ]
    .into_iter()
    .flatten()
    .collect()
}
