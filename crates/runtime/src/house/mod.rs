//! Housekeeping: backup and restore, the service, the log, what is kept and how much, leaving.

pub mod backup;
mod daemon;
pub mod erase;
pub mod leave;
pub mod logbook;
mod pack;
pub mod person;
pub mod restore;
pub mod restored;
pub mod service;
mod sizes;

pub use daemon::is_serving;
pub use metnos_archive::{Keys, Lock};
pub use sizes::Kept;

use metnos_executor::home::Home;
use std::path::PathBuf;

/// The folders of a house, by their names in a backup.
pub(crate) const SECTIONS: [&str; 5] = ["config", "workspace", "executors", "undo", "state"];
/// The one whose links are a person's own, kept to be given back.
pub(crate) const FREE_LINKS: &str = "undo";

/// Where a folder of a house lies.
pub(crate) fn section(home: &Home, name: &str) -> Option<PathBuf> {
    match name {
        "config" => Some(home.config_dir()),
        "workspace" => Some(home.workspace()),
        "executors" => Some(home.executors_dir()),
        "undo" => Some(home.undo_dir()),
        "state" => Some(home.state_dir()),
        _ => None,
    }
}
