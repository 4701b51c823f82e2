//! One file per command.

pub(crate) mod answer;
pub(crate) mod approvals;
pub(crate) mod ask;
mod audit;
pub(crate) mod command;
pub(crate) mod complete;
mod credentials;
mod devices;
mod doctor;
mod dry_run;
pub(crate) mod editor;
mod exec;
mod executors;
pub(crate) mod forms;
mod halt;
mod hooks;
mod init;
pub(crate) mod lang;
pub(crate) mod line;
mod man;
mod memory;
mod models;
mod ops;
mod pairing;
mod plan;
mod policy;
mod prefilter;
mod prompt;
mod serve;
mod status;
pub(crate) mod stop;
mod sugar;
mod territory;
pub(crate) mod turns;
pub(crate) mod undo;
mod upgrade;
mod users;
mod welcome;

use crate::cli::{Cli, Command, Questions};
use crate::print::Printer;
use clap::CommandFactory;
use metnos_doors::{Speech, Words};
use metnos_executor::home::Home;
use metnos_executor::{ErrorClass, Failure};
use metnos_runtime::{Options, Runtime};
use std::process::ExitCode;

/// Runs the command and returns how the process should end.
pub(crate) fn run(cli: Cli, printer: Printer) -> Result<ExitCode, Failure> {
    if let Some(url) = &cli.server {
        let remote = crate::remote::Remote::named(url, &home()?.config_dir())?;
        return crate::remote::run(printer, &remote, cli.command);
    }
    if welcome::first_run(printer, cli.command.as_ref())? == welcome::House::Missing {
        return Ok(exit_code(ErrorClass::WrongArgs));
    }
    match cli.command {
        None => prompt::run(printer),
        Some(Command::Init { if_needed, yes }) => init::run(printer, if_needed, yes),
        Some(Command::Serve { listen, prompt }) => serve::run(printer, listen, prompt),
        Some(Command::LoginLink { person }) => serve::login_link(printer, person.as_deref()),
        Some(Command::Doctor) => doctor::run(printer),
        Some(Command::Status) => status::run(printer),
        Some(Command::Ask(args)) => ask::ask(printer, &args),
        Some(Command::Plan(args)) => plan::plan(printer, &args),
        Some(Command::Replay { turn, diff }) => turns::replay(printer, &turn, diff),
        Some(Command::Turns { turn: Some(turn), .. }) => turns::one(printer, &turn),
        Some(Command::Turns { turn: None, most }) => turns::list(printer, most),
        Some(Command::Memory { command }) => memory::run(printer, command),
        Some(Command::Models { command }) => models::run(printer, command),
        Some(Command::Prefilter { catalog, queries }) => prefilter::run(&catalog, &queries),
        Some(Command::Exec(args)) => exec::run(printer, args),
        Some(Command::Executors { command }) => executors::run(printer, command),
        Some(Command::Audit { command }) => audit::run(printer, command),
        Some(Command::Territory { command }) => territory::run(printer, command),
        Some(Command::Questions(command)) => questions(printer, command),
        Some(Command::Policy { command }) => policy::run(printer, command),
        Some(Command::Credentials { command }) => credentials::run(printer, command),
        Some(Command::Users { command }) => users::run(printer, command),
        Some(Command::Pairing { command }) => pairing::run(printer, command),
        Some(Command::Devices { command }) => devices::run(printer, command),
        Some(Command::Hooks { command }) => hooks::run(printer, command),
        Some(Command::Lang { command }) => lang::run(printer, command),
        Some(Command::Why { id, step }) => policy::why(printer, &id, step),
        Some(Command::Undo(args)) => undo::run(printer, args),
        Some(Command::Stop { reason }) => halt::stop(printer, reason),
        Some(Command::Resume) => halt::resume(printer),
        Some(Command::Upgrade { roll_back, yes }) => upgrade::run(printer, roll_back, yes),
        Some(Command::Ops(command)) => ops::run(printer, command),
        Some(Command::Completions { shell }) => {
            let mut text = Vec::new();
            clap_complete::generate(shell, &mut Cli::command(), "metnos", &mut text);
            crate::print::prompt(&String::from_utf8_lossy(&text));
            Ok(ExitCode::SUCCESS)
        }
        Some(Command::Man) => man::run(),
    }
}

/// What waits for a person: shown, or answered.
fn questions(printer: Printer, command: Questions) -> Result<ExitCode, Failure> {
    match command {
        Questions::Approvals { id, all } => approvals::list(printer, all, id.as_deref()),
        Questions::Approve { id, session, always, by } => {
            approvals::approve(printer, &id, session, always, by.as_deref())
        }
        Questions::Reject { id, never, by } => approvals::reject(printer, &id, never, by.as_deref()),
        Questions::Forms { by } => forms::list(printer, by.as_deref()),
        Questions::Answer { id, words, by } => forms::answer(printer, &id, &words, by.as_deref()),
    }
}

/// How a failure of this class ends the process.
pub(crate) fn exit_code(class: ErrorClass) -> ExitCode {
    use ErrorClass as C;
    ExitCode::from(match class {
        C::WrongArgs => 2,
        C::PolicyViolation | C::Forbidden | C::SandboxUnavailable => 3,
        C::NeedsApproval => 4,
        C::Cancelled => 130,
        _ => 1,
    })
}

/// Who sits at the terminal.
pub(crate) const USER: &str = "host/cli";

/// The caller for somebody named on the command line.
pub(crate) fn caller(name: Option<&str>) -> String {
    name.map_or_else(|| USER.to_owned(), |name| format!("{name}/cli"))
}

/// The time zone of a request: the one that was named, or the host's own from the configuration.
pub(crate) fn zone<'a>(runtime: &'a Runtime, caller: &str, named: Option<&'a str>) -> Option<&'a str> {
    let own = runtime.config.person.zone.as_ref().map(|zone| zone.0.as_str());
    named.or_else(|| own.filter(|_| caller.starts_with("host/")))
}

/// The session of this terminal: what was granted for it ends with it.
pub(crate) fn session() -> String {
    let Ok(leader) = rustix::process::getsid(None) else { return "cli".into() };
    let leader = leader.as_raw_nonzero();
    // Numbers are given again: by when its first process began, and since which start of the machine, it is this one.
    let stat = std::fs::read_to_string(format!("/proc/{leader}/stat")).unwrap_or_default();
    let began =
        stat.rsplit_once(") ").and_then(|(_, rest)| rest.split(' ').nth(19)).unwrap_or("0").to_owned();
    let machine = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let machine: String = machine.chars().filter(char::is_ascii_hexdigit).take(8).collect();
    format!("cli-{leader}-{began}-{machine}")
}

/// Somebody who speaks this language.
pub(crate) fn speech(language: &str) -> Result<Speech, Failure> {
    Ok(Words::shipped()?.speak(Some(language)))
}

/// Where this person's Metnos lives.
fn home() -> Result<Home, Failure> {
    Home::locate(|key| std::env::var_os(key))
        .map_err(|e| Failure::wrong_args(e.to_string()).with_hint(e.hint()))
}

/// The runtime, opened once per process.
fn runtime(warm: bool) -> Result<Runtime, Failure> {
    Runtime::open(home()?, Options { warm, built: init::HOST_DIGEST })
}
