//! `read_files_xlsx`: one entry per row of a sheet of workbooks.

use super::read_files_csv::{Args, Table, Tables};
use super::source::{self, Input, Named, note};
use super::workbook::Workbook;
use crate::call::Call;
use crate::tables::cell::plain;
use metnos_executor::Failure;

/// Answers every row of the sheet asked for, of every file.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let inputs = source::inputs(call)?;
    let mut tables = Tables::new(&args);
    for input in &inputs {
        call.progress(tables.rows(), None, "rows")?;
        if let Err(failure) = file(call, &mut tables, &args, input) {
            let message = match failure.message.starts_with('/') {
                true => failure.message,
                false => format!("{}: {}", source::shown(&input.path), failure.message),
            };
            note(call, input, Failure { message, ..failure })?;
        }
    }
    tables.finish(call);
    Ok(())
}

fn file(call: &mut Call<'_>, tables: &mut Tables, args: &Args, input: &Input) -> Result<(), Failure> {
    let (mut file, size) = source::open(&input.path)?;
    let mut book = Workbook::open(&mut file, size)?;
    let sheet = book.sheet(args.sheet.as_ref())?;
    let named = Named::of(&input.path);
    let mut table = Table::new(&named, Some(&sheet), input.origin);
    book.rows(&sheet, &mut |number, cells| {
        let raw = || cells.iter().map(|cell| plain(cell).into_owned()).collect();
        tables.row(call, &mut table, number, cells, &raw)
    })
}
