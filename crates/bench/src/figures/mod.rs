//! The figures, in groups that share a house.

mod append;
mod changes;
mod cold;
mod doors;
mod duplicates;
mod find;
mod lists;
mod ranking;
mod start;
mod turns;
mod verify;
mod warm;

use crate::Result;
use crate::house::House;

/// Measures one group and prints its figures.
type Measure = fn(&House) -> Result<()>;

/// Every group by name, in the order they are measured.
pub(crate) const ALL: [(&str, Measure); 11] = [
    ("start", start::measure),
    ("append", append::measure),
    ("warm", warm::measure),
    ("cold", cold::measure),
    ("verify", verify::measure),
    ("find", find::measure),
    ("duplicates", duplicates::measure),
    ("lists", lists::measure),
    ("changes", changes::measure),
    ("turns", turns::measure),
    ("doors", doors::measure),
];
