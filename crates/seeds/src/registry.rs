//! Name → function, for the host.

use crate::call::Call;
use metnos_executor::Failure;

/// The entry point of a seed.
pub type Seed = fn(&mut Call<'_>) -> Result<(), Failure>;

/// The seed called `name`.
pub fn find(name: &str) -> Option<Seed> {
    all().find(|(n, _)| *n == name).map(|(_, seed)| seed)
}

/// Every seed, by family.
pub fn all() -> impl Iterator<Item = (&'static str, Seed)> {
    [
        crate::files::SEEDS,
        crate::documents::SEEDS,
        crate::changes::SEEDS,
        crate::entries::SEEDS,
        crate::meaning::SEEDS,
        crate::texts::SEEDS,
        crate::numbers::SEEDS,
        crate::system::SEEDS,
        #[cfg(feature = "lab")]
        crate::lab::SEEDS,
    ]
    .into_iter()
    .flatten()
    .copied()
}
