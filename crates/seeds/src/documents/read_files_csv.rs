//! `read_files_csv`: one entry per row of CSV files.

use super::csv_rows::CsvRows;
use super::source::{self, Input, Named, note};
use super::table::{self, Columns, Row};
use crate::call::Call;
use metnos_executor::{ErrorClass, Failure, Origin};
use serde::Deserialize;
use serde_json::Value;

/// How a table is to be read; shared by CSV files and workbooks.
#[derive(Deserialize)]
pub(crate) struct Args {
    /// Which sheet, by name or place.
    pub(crate) sheet: Option<Value>,
    /// Whether the first row names the columns; found out when absent.
    pub(crate) has_header: Option<bool>,
    /// The most rows in the answer; 0 for all.
    #[serde(default)]
    pub(crate) max_results: u64,
}

/// Rows between two looks at the person's *stop*.
const BREATH: u64 = 500;

/// Answers every row of every file.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let inputs = source::inputs(call)?;
    let mut tables = Tables::new(&args);
    for input in &inputs {
        call.progress(tables.rows, None, "rows")?;
        if let Err(failure) = file(call, &mut tables, &args, input) {
            note(call, input, failure)?;
        }
    }
    tables.finish(call);
    Ok(())
}

fn file(call: &mut Call<'_>, tables: &mut Tables, args: &Args, input: &Input) -> Result<(), Failure> {
    let first = match &args.sheet {
        None | Some(Value::Null) => true,
        Some(Value::String(s)) => matches!(s.trim(), "" | "1"),
        Some(other) => other.as_u64() == Some(1),
    };
    if !first {
        return Err(Failure::new(ErrorClass::NotFound, "a csv file has one sheet only"));
    }
    let named = Named::of(&input.path);
    let mut rows = CsvRows::open(&input.path)?;
    let mut table = Table::new(&named, None, input.origin);
    let (mut number, mut cells) = (0u64, Vec::new());
    while let Some(record) = rows.next()? {
        number = number.saturating_add(1);
        cells.clear();
        cells.extend(record.iter().map(table::cell));
        let raw = || record.iter().map(String::from).collect();
        if !tables.row(call, &mut table, number, &cells, &raw)? {
            break;
        }
    }
    Ok(())
}

/// One table while it is read.
pub(crate) struct Table<'a> {
    named: &'a Named,
    sheet: Option<&'a str>,
    origin: Origin,
    columns: Option<Columns>,
    width: usize,
}

impl<'a> Table<'a> {
    /// A table of which nothing was read.
    pub(crate) fn new(named: &'a Named, sheet: Option<&'a str>, origin: Origin) -> Self {
        Self { named, sheet, origin: Origin::Content.join(origin), columns: None, width: 0 }
    }
}

/// All tables of the call: the cap and the counts they share.
pub(crate) struct Tables {
    has_header: Option<bool>,
    max_results: u64,
    rows: u64,
    ragged: u64,
    cut: bool,
}

impl Tables {
    /// Counts from zero.
    pub(crate) fn new(args: &Args) -> Self {
        Self { has_header: args.has_header, max_results: args.max_results, rows: 0, ragged: 0, cut: false }
    }

    /// Rows answered so far.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Takes the next row of a table: its header, or an entry. False when the cap is reached.
    pub(crate) fn row(
        &mut self,
        call: &mut Call<'_>,
        table: &mut Table<'_>,
        number: u64,
        cells: &[Value],
        raw: &dyn Fn() -> Vec<String>,
    ) -> Result<bool, Failure> {
        let columns = match &mut table.columns {
            Some(columns) => columns,
            None => {
                table.width = cells.len();
                if self.has_header.unwrap_or_else(|| table::is_header(cells)) {
                    table.columns = Some(Columns::of(&raw()));
                    return Ok(true);
                }
                table.columns.insert(Columns::default())
            }
        };
        if self.max_results > 0 && self.rows >= self.max_results {
            self.cut = true;
            return Ok(false);
        }
        // A workbook leaves out empty cells at the end of a row, so there only more is ragged.
        let ragged =
            if table.sheet.is_some() { cells.len() > table.width } else { cells.len() != table.width };
        self.ragged = self.ragged.saturating_add(u64::from(ragged));
        columns.reach(cells.len());
        let row =
            Row { named: table.named, sheet: table.sheet, row: number, columns: columns.names(), cells };
        call.emit(&row, table.origin)?;
        call.outcome.ok_count += 1;
        self.rows = self.rows.saturating_add(1);
        if self.rows.is_multiple_of(BREATH) {
            call.progress(self.rows, None, "rows")?;
        }
        Ok(true)
    }

    /// Declares what was cut and what was uneven.
    pub(crate) fn finish(self, call: &mut Call<'_>) {
        call.set("ragged_rows", self.ragged);
        if self.cut {
            call.truncated("rows", self.rows, None, "max_results", self.max_results);
        }
    }
}
