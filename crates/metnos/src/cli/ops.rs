//! The words of housekeeping.

use clap::Subcommand;
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub(crate) enum Ops {
    /// Make one verified archive of everything: workspace, audit, executors, records; encrypted, also keys and vault.
    Backup {
        /// Where to; a name with the date in this folder without it.
        file: Option<PathBuf>,
        /// Replace a file that is there.
        #[arg(long)]
        force: bool,
        /// Encrypt it (age) with the first line of this file. Without this or --recipient, keys and vault are left out.
        #[arg(long, value_name = "FILE", conflicts_with = "recipient")]
        passphrase_file: Option<PathBuf>,
        /// Encrypt it (age) for this public key, `age1…`; may be said several times.
        #[arg(long, value_name = "KEY")]
        recipient: Vec<String>,
    },
    /// Make a house of a backup, in a home where there is none; lists who is let in again.
    Restore {
        /// The backup.
        file: PathBuf,
        /// The first line of this file opens it.
        #[arg(long, value_name = "FILE", conflicts_with = "identity_file")]
        passphrase_file: Option<PathBuf>,
        /// A private key in this file opens it.
        #[arg(long, value_name = "FILE")]
        identity_file: Option<PathBuf>,
    },
    /// Check and show the configuration.
    Config {
        #[command(subcommand)]
        command: Config,
    },
    /// Let the system start Metnos by itself.
    Service {
        #[command(subcommand)]
        command: Service,
    },
    /// What the daemon wrote down.
    Logs {
        /// How many lines.
        #[arg(short, default_value_t = 50)]
        n: usize,
        /// Go on showing what comes.
        #[arg(long)]
        follow: bool,
    },
    /// Remove this Metnos from the machine; your own files are left alone.
    Uninstall {
        /// Keep configuration, workspace and records.
        #[arg(long)]
        keep_data: bool,
        /// Remove also what is kept for undo in your folders: nothing can be taken back afterwards.
        #[arg(long)]
        forget_undo: bool,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
    /// What is kept of one person: hand it out, or let go of it.
    People {
        #[command(subcommand)]
        command: People,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Config {
    /// Everything that is wrong with it, with lines.
    Check {
        /// Another file than the one of this instance.
        file: Option<PathBuf>,
    },
    /// Every key in force, its default and where it comes from.
    Show,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Service {
    /// Write a hardened systemd user unit, try it, and enable it.
    Install,
    /// Whether it is there and runs.
    Status,
    /// Stop it and remove the unit.
    Uninstall,
    /// Print the unit, for a package that installs metnos elsewhere.
    Unit {
        /// Where metnos will be.
        #[arg(long)]
        program: Option<PathBuf>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum People {
    /// Write everything of a person into one tar, their messages of Telegram too.
    Export {
        /// Whose.
        person: String,
        /// Where to.
        file: PathBuf,
    },
    /// Let go of everything of a person but the audit: who, when, what ran with which arguments.
    Erase {
        /// Whose.
        person: String,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
}
