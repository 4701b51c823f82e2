//! The words about people: who they are, which senders they are, which devices speak for them.

use clap::Subcommand;

#[derive(Debug, Subcommand)]
pub(crate) enum Users {
    /// Everybody, with their role and level.
    List,
    /// Add somebody.
    Add {
        /// How they are called.
        name: String,
        /// What they are here: member or guest.
        #[arg(long = "as", value_name = "ROLE", default_value = "guest")]
        role: String,
    },
    /// Change how somebody is called, their language, their zone or their level on a channel.
    Set {
        /// Who, as the list names them.
        id: String,
        /// The new name.
        #[arg(long)]
        name: Option<String>,
        /// The language, as `metnos lang list` names it; `none` forgets it.
        #[arg(long)]
        language: Option<String>,
        /// The time zone, for example Europe/Rome; `none` forgets it.
        #[arg(long)]
        zone: Option<String>,
        /// The level on a channel, for example telegram=read-only; may be given again.
        #[arg(long, value_name = "CHANNEL=LEVEL")]
        level: Vec<String>,
    },
    /// Let nothing of theirs in any more: senders, devices, running turns.
    Revoke {
        /// Who.
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Pairing {
    /// Who is paired, and who waits to be let in.
    List,
    /// Let in whoever was told this code.
    Approve {
        /// The channel, for example telegram.
        channel: String,
        /// The code, as they read it to you.
        code: String,
        /// What they become: member or guest.
        #[arg(long = "as", value_name = "ROLE", default_value = "guest")]
        role: String,
        /// How they are called, if not as they call themselves.
        #[arg(long)]
        name: Option<String>,
        /// Their level on this channel: read-only, supervised or full.
        #[arg(long)]
        level: Option<String>,
    },
    /// Say that a sender is somebody who is already here, for example you.
    Pair {
        /// The channel.
        channel: String,
        /// The sender, as the channel calls them.
        sender: String,
        /// Who, as `metnos users list` names them.
        person: String,
    },
    /// Make a sender a stranger again.
    Remove {
        /// The channel.
        channel: String,
        /// The sender.
        sender: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Devices {
    /// Devices and sessions, without their secrets.
    List,
    /// A token for a device; it is shown once.
    Add {
        /// What the device is called.
        label: String,
        /// For whom, when not for the host.
        #[arg(long, value_name = "ID")]
        person: Option<String>,
    },
    /// Take a token back.
    Revoke {
        /// Its id, or its first eight letters.
        id: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Hooks {
    /// The requests that other programs may fire.
    List,
    /// Store a request under a name; prints the secret its program signs with, once.
    Add {
        /// The name: part of the address /hooks/NAME.
        name: String,
        /// What shall be done, in plain words. {body} stands for the file with what the program sent.
        request: String,
        /// Whose request it is, if not yours.
        #[arg(long, value_name = "ID")]
        person: Option<String>,
    },
    /// Take one away.
    Remove {
        /// Which one.
        name: String,
    },
}
