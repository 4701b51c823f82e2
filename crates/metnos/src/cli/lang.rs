//! The words about languages.

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Lang {
    /// Which languages there are, where each comes from, and how much of it is said.
    List,
    /// What a language lacks against English, what English does not have, and what does not fit.
    Check {
        /// Its code, or a folder of a language; without it, all languages.
        which: Option<String>,
    },
    /// Take a folder of a language into the configuration folder, if nothing in it is broken. The name of the folder is
    /// the code of the language.
    Add {
        /// The folder.
        folder: PathBuf,
    },
}
