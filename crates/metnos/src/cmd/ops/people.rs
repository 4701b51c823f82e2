//! `metnos people`: one person's data, handed out or let go of.

use super::{agree, size};
use crate::cli::People;
use crate::cmd::USER;
use crate::cmd::exec::here;
use crate::print::Printer;
use metnos_executor::Failure;
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
            agree(
                &format!(
                    "let go of all of it? the audit keeps digests only; metnos people export {person} FILE keeps a copy"
                ),
                yes,
                &format!("metnos people erase {person}"),
            )?;
            let held = runtime.erase_person(&person, USER)?;
            printer.value(&json!({ "erased": person, "held": held }));
            printer.say(format!("{person} is let go of"));
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn words(held: &Holdings) -> String {
    format!(
        "{} turns, {} plans, {} decisions, {} changes that can be undone, {} of lists and files",
        held.turns,
        held.plans,
        held.decisions,
        held.changes,
        size(held.bytes)
    )
}
