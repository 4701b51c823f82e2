//! The words of the command line.

mod lang;
mod ops;
mod questions;

pub(crate) use lang::Lang;
pub(crate) use ops::{Config, Ops, People, Service};
pub(crate) use questions::Questions;

use crate::cli_models::Models;
use crate::cli_people::{Devices, Hooks, Pairing, Users};
use clap::{Args, Parser, Subcommand};
use std::path::PathBuf;

const EXIT_CODES: &str = "Exit codes: 0 done · 1 failed or partial · 2 wrong usage or not set up · \
3 refused (policy, Law, quarantine, sandbox) · \
4 waits for a yes or an answer · 130 stopped";

/// A digital butler for your own machine: small signed programs behind three kernel layers.
#[derive(Debug, Parser)]
#[command(name = "metnos", version, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    /// Answer with JSON.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Speak to the Metnos at this address, with the token of this device.
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) server: Option<String>,
    /// What to do; without it, a prompt.
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Make keys, folders and the audit chain; sign and install the seeds.
    Init {
        /// Do nothing, quietly, when it is already done.
        #[arg(long)]
        if_needed: bool,
        /// Ask nothing, also on a terminal.
        #[arg(long)]
        yes: bool,
    },
    /// Open the doors: browser, programs, Telegram; until it is told to stop.
    Serve {
        /// Listen here instead of where metnos.toml says.
        #[arg(long, value_name = "ADDRESS:PORT", value_parser = address)]
        listen: Option<std::net::SocketAddr>,
        /// Also open a prompt here; its end ends everything.
        #[arg(long)]
        prompt: bool,
    },
    /// A link that lets one browser in, once, within 10 minutes.
    LoginLink {
        /// For somebody else than you.
        #[arg(long, value_name = "ID")]
        person: Option<String>,
    },
    /// Prove each kernel layer by trying to break it, and check everything Metnos stands on.
    Doctor,
    /// What is installed, what is in quarantine, how the audit stands.
    Status,
    /// Ask for something in plain words.
    Ask(Ask),
    /// Show the plan for a request; nothing runs.
    Plan(Plan),
    /// Decide a turn again from its log, and compare.
    Replay {
        /// Which turn; `metnos turns` lists them.
        turn: String,
        /// Show what would be decided otherwise.
        #[arg(long)]
        diff: bool,
    },
    /// What was asked lately, and how it ended; or one turn, step by step, with the models that were asked.
    Turns {
        /// Which turn; without it, the latest.
        turn: Option<String>,
        /// How many.
        #[arg(short = 'n', long, default_value_t = 20)]
        most: u32,
    },
    /// What Metnos has learned: listed, and forgotten when you say so.
    Memory {
        #[command(subcommand)]
        command: Memory,
    },
    /// Models that Metnos may ask where it does not understand by itself.
    Models {
        #[command(subcommand)]
        command: Models,
    },
    /// Rank the executors of any catalog for many queries: one JSON line each.
    Prefilter {
        /// An array of {name, description, affinity[], args{}}, as JSON.
        #[arg(long, value_name = "FILE")]
        catalog: PathBuf,
        /// One {"query": …} a line; `-` for standard input.
        #[arg(long, value_name = "FILE.jsonl")]
        queries: PathBuf,
    },
    /// Run one executor directly, through every check.
    Exec(Exec),
    /// Look at executors and change their state.
    Executors {
        #[command(subcommand)]
        command: Executors,
    },
    /// Check and read the audit chain.
    Audit {
        #[command(subcommand)]
        command: Audit,
    },
    /// The folders Metnos may work in.
    Territory {
        #[command(subcommand)]
        command: Territory,
    },
    #[command(flatten)]
    Questions(Questions),
    /// What needs a question, what was granted, and how to take it back.
    Policy {
        #[command(subcommand)]
        command: Policy,
    },
    /// Credentials, encrypted on disk; their values are never shown.
    Credentials {
        #[command(subcommand)]
        command: Credentials,
    },
    /// The people of the house: host, members, guests.
    Users {
        #[command(subcommand)]
        command: Users,
    },
    /// Which sender of a channel is who, and who waits to be let in.
    Pairing {
        #[command(subcommand)]
        command: Pairing,
    },
    /// Tokens that let a device speak for somebody.
    Devices {
        #[command(subcommand)]
        command: Devices,
    },
    /// Requests that other programs may fire.
    Hooks {
        #[command(subcommand)]
        command: Hooks,
    },
    /// The languages Metnos speaks: listed, checked against English, added.
    Lang {
        #[command(subcommand)]
        command: Lang,
    },
    /// What the guards said about a turn, one of its steps, or a call.
    Why {
        /// The id of the turn or the call, as the answer or the audit shows it.
        id: String,
        /// Which step of the turn; all of them without it.
        step: Option<u32>,
    },
    /// Take back the latest change, or the one named.
    Undo(Undo),
    /// Stop everything: running calls end, nothing new begins until `metnos resume`.
    Stop {
        /// Why; shown to whoever asks.
        #[arg(long)]
        reason: Option<String>,
    },
    /// Let work go on after `metnos stop`.
    Resume,
    /// Install the seeds and the host this binary was built with.
    Upgrade {
        /// Go back to the host before the last upgrade.
        #[arg(long)]
        roll_back: bool,
        /// Do not ask.
        #[arg(long)]
        yes: bool,
    },
    #[command(flatten)]
    Ops(Ops),
    /// Print shell completions.
    Completions {
        /// Which shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page (`metnos man | man -l -`).
    Man,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Credentials {
    /// Keep one; each field is asked for, or read from standard input, one a line.
    Set {
        /// How executors call it: letters, digits, - and _.
        name: String,
        /// The fields, for example username password; without any, token.
        fields: Vec<String>,
    },
    /// Names and fields, no values.
    List,
    /// Let go of one.
    Remove {
        /// Which one.
        name: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Policy {
    /// The whole table.
    Table,
    /// What would be decided about a capability on a target, and why.
    Check {
        /// For example fs:write.
        capability: String,
        /// A path, a host or a name.
        #[arg(default_value = "")]
        target: String,
        /// For another person than the host.
        #[arg(long = "as", value_name = "NAME")]
        by: Option<String>,
    },
    /// What was granted and what is forbidden.
    Grants,
    /// Take a grant or a rule back.
    Revoke {
        /// Which one.
        id: String,
    },
    /// Show or set the level at which somebody acts: read-only, supervised or full.
    Level {
        /// The new level.
        level: Option<String>,
        /// Of whom, when not of the host.
        #[arg(long = "of", value_name = "NAME")]
        of: Option<String>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Undo {
    /// Which change, as `--list` names it; the latest of yours without it.
    pub(crate) turn: Option<String>,
    /// Show what was changed, what of it can be taken back, and what was let go of and when.
    #[arg(long, conflicts_with_all = ["dry_run", "forget", "turn"])]
    pub(crate) list: bool,
    /// Show what would come of it and touch nothing.
    #[arg(long, conflicts_with = "forget")]
    pub(crate) dry_run: bool,
    /// Let go of what is kept for the change, or for all of them: it frees space and cannot be taken back.
    #[arg(long)]
    pub(crate) forget: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Exec {
    /// `verb_object`, for example find_files.
    #[arg(required_unless_present = "stdin")]
    pub(crate) name: Option<String>,
    /// Arguments as JSON; `@file` reads them from a file, `-` from standard input.
    #[arg(default_value = "{}")]
    pub(crate) args: String,
    /// One call a line from standard input: {"executor": …, "args": {…}}; one answer a line.
    #[arg(long, conflicts_with_all = ["name", "entries", "with"])]
    pub(crate) stdin: bool,
    /// Act for another person, with that person's rights.
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// With --stdin: start a new cell for each call instead of keeping some ready.
    #[arg(long, requires = "stdin")]
    pub(crate) cold: bool,
    /// The input list as newline JSON (`-` for standard input).
    #[arg(long, value_name = "FILE")]
    pub(crate) entries: Option<PathBuf>,
    /// The second input list as newline JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) with: Option<PathBuf>,
    /// Write the answer's list to this file as newline JSON instead of printing it.
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
    /// Another version than the current one.
    #[arg(long, value_name = "X.Y.Z")]
    pub(crate) version_of: Option<String>,
    /// An id of your own: the same id gives the same outcome and runs once.
    #[arg(long, value_name = "ID")]
    pub(crate) call_id: Option<String>,
    /// The language of texts in the answer; the person's own when absent.
    #[arg(long)]
    pub(crate) lang: Option<String>,
    /// The time zone of the call; the machine's when absent.
    #[arg(long)]
    pub(crate) zone: Option<String>,
    /// Show the card it would raise and the files it would touch; do nothing.
    #[arg(long, conflicts_with_all = ["stdin", "out"])]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Executors {
    /// Every executor with its version, root, state and whether it verifies.
    List,
    /// One executor: what it does, needs and may touch.
    Show {
        /// Its name.
        name: String,
    },
    /// Check signatures of all executors, or of some.
    Verify {
        /// Names; all when none.
        names: Vec<String>,
    },
    /// Run birth tests inside the real sandbox; nothing is moved, whatever comes of it.
    Test {
        /// Names, or name@version for one that is not in use; all in use when none.
        names: Vec<String>,
    },
    /// Sign a folder and install it under synt or skills; `promote` puts it to use.
    Sign {
        /// The folder with manifest.toml, schema.json, tests/birth.toml and main.py.
        folder: PathBuf,
        /// Why it should be here; kept with the signature.
        #[arg(long)]
        reason: String,
    },
    /// Take an executor out of use; `restore` is its opposite.
    Archive {
        /// Its name.
        name: String,
        /// Why.
        #[arg(long)]
        reason: String,
    },
    /// Bring an archived executor back.
    Restore {
        /// Its name.
        name: String,
        /// Why.
        #[arg(long)]
        reason: String,
    },
    /// Take an executor out of use because something is wrong with it.
    Quarantine {
        /// Its name.
        name: String,
        /// Why.
        #[arg(long)]
        reason: String,
    },
    /// Bring an executor back from quarantine: seeds as they were built, others as they lie there.
    Approve {
        /// Its name.
        name: String,
        /// Why.
        #[arg(long)]
        reason: String,
    },
    /// Put an installed version to use, in place of the one before.
    Promote {
        /// Its name.
        name: String,
        /// Which version.
        version: String,
        /// Why.
        #[arg(long)]
        reason: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Ask {
    /// The request; `-` reads it from standard input.
    #[arg(required = true)]
    pub(crate) request: Vec<String>,
    /// Its language, if it should not be found out.
    #[arg(long)]
    pub(crate) lang: Option<String>,
    /// Pretend that it is this moment (RFC 3339).
    #[arg(long)]
    pub(crate) now: Option<String>,
    /// The person's time zone.
    #[arg(long)]
    pub(crate) zone: Option<String>,
    /// Which conversation it belongs to; this terminal's, if none is named.
    #[arg(long)]
    pub(crate) conversation: Option<String>,
    /// Ask as another person.
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) by: Option<String>,
    /// Show the whole plan, the cards it would raise and the files it would touch; change nothing.
    #[arg(long)]
    pub(crate) dry_run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Plan {
    /// The request.
    #[arg(required_unless_present = "batch")]
    pub(crate) request: Vec<String>,
    /// Many requests, one JSON object a line (`id`, `query`, `lang`, `context`); `-` for standard input.
    #[arg(long, value_name = "FILE", conflicts_with = "request")]
    pub(crate) batch: Option<PathBuf>,
    /// An earlier request of the same conversation; may be given again.
    #[arg(long, value_name = "REQUEST")]
    pub(crate) after: Vec<String>,
    /// Its language, if it should not be found out.
    #[arg(long)]
    pub(crate) lang: Option<String>,
    /// Plan for this moment (RFC 3339).
    #[arg(long)]
    pub(crate) now: Option<String>,
    /// The person's time zone.
    #[arg(long)]
    pub(crate) zone: Option<String>,
    /// Say which words meant what.
    #[arg(long)]
    pub(crate) explain: bool,
    /// Where nothing fits, ask the model bound to wise, as `metnos ask` does.
    #[arg(long)]
    pub(crate) model: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Memory {
    /// Plans that did what was asked, and what they are worth.
    Plans {
        #[command(subcommand)]
        command: Option<Plans>,
        /// Those of another person.
        #[arg(long = "as", value_name = "NAME", global = true)]
        by: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Plans {
    /// One plan: where it comes from and how it did.
    Show {
        /// Its number.
        id: i64,
    },
    /// Use it from now on for this request.
    Star {
        /// Its number.
        id: i64,
    },
    /// Do not use it for 30 days of use.
    Reject {
        /// Its number.
        id: i64,
    },
    /// Forget it; the request is planned again.
    Forget {
        /// Its number.
        #[arg(required_unless_present = "all")]
        id: Option<i64>,
        /// Forget every one.
        #[arg(long, conflicts_with = "id")]
        all: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Check the whole chain; on damage, say where.
    Verify {
        /// Also against a checkpoint that was exported before; may be said several times.
        #[arg(long, value_name = "FILE")]
        checkpoint: Vec<PathBuf>,
    },
    /// Write the end of the chain, signed, to be kept elsewhere: it shows a rollback of everything here.
    Checkpoint {
        /// Where to; printed without it.
        file: Option<PathBuf>,
    },
    /// The last lines.
    Tail {
        /// How many.
        #[arg(short, default_value_t = 20)]
        n: usize,
        /// Only this executor.
        #[arg(long)]
        executor: Option<String>,
    },
    /// One line, by number, or all lines of one call, by id.
    Show {
        /// A sequence number or a call id.
        key: String,
    },
    /// Correct or explain an earlier line, in a line of its own; the earlier one stays as it is.
    Note {
        /// A sequence number or a call id.
        key: String,
        /// What is to be said about it.
        #[arg(required = true)]
        text: Vec<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Territory {
    /// The open folders.
    List,
    /// Open a folder to Metnos. Written to the audit.
    Add {
        /// The folder.
        path: PathBuf,
    },
    /// Close a folder again.
    Remove {
        /// The folder.
        path: PathBuf,
    },
}

impl Exec {
    /// On whose behalf it runs.
    pub(crate) fn caller(&self) -> String {
        crate::cmd::caller(self.by.as_deref())
    }
}

/// Where to listen, as somebody types it.
fn address(text: &str) -> Result<std::net::SocketAddr, String> {
    text.parse().map_err(|_| "an address has its port, as in 127.0.0.1:8770".into())
}
