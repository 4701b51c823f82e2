//! `metnos people`: one person's data, handed out or let go of.

use super::{agree, size};
use crate::cli::People;
use crate::cmd::USER;
use crate::cmd::exec::here;
use crate::print::Printer;
use metnos_executor::Failure;
use metnos_runtime::house::erase::STAYS;
use metnos_runtime::house::person::Holdings;
use serde_json::json;
use std::process::ExitCode;

/// Exports or erases.
pub(crate) fn run(printer: Printer, command: People) -> Result<ExitCode, Failure> {
    let runtime = crate::cmd::runtime(false)?;
    match command {
        People::Export { person, file } => {
            let file = here()?.join(file);
            let held = runtime.export_person(&person, &file, USER)?;
            printer.value(&json!({ "exported": person, "file": file, "holds": held }));
            printer.say(format!("{}: {}", file.display(), words(&held)));
        }
        People::Erase { person, yes } => {
            let held = runtime.holdings(&person)?;
            printer.say(format!("{person}: {}", words(&held)));
            told_what_stays(printer);
            agree(
                &format!("let go of all of it? metnos people export {person} FILE keeps a copy"),
                yes,
                &format!("metnos people erase {person}"),
            )?;
            let held = runtime.erase_person(&person, USER)?;
            printer.value(&json!({ "erased": person, "held": held, "stays": STAYS }));
            printer.say(format!("{person} is let go of; nobody is given this id again"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn told_what_stays(printer: Printer) {
    for what in STAYS {
        printer.say(format!("  stays: {what}"));
    }
}

fn words(held: &Holdings) -> String {
    format!(
        "{} turns, {} plans, {} decisions, {} changes that can be undone, {} messages of Telegram, \
         {} of lists and files",
        held.turns,
        held.plans,
        held.decisions,
        held.changes,
        held.messages,
        size(held.bytes)
    )
}
