//! Workbooks, row by row. The package is weighed before the library opens it; cells are streamed,
//! because a sheet may declare a billion empty ones.

use super::package::{self, broken};
use super::source::guarded;
use super::table::COLUMNS_MAX;
use calamine::{CellErrorType, DataRef, ExcelDateTime, Reader, Xlsx};
use metnos_executor::{ErrorClass, Failure};
use serde_json::Value;
use std::fs::File;
use std::io::{BufReader, Seek, SeekFrom};

/// The most text one row may hold: a string is stored once and may be cited by every cell.
const ROW_MAX: usize = 32 << 20;

/// Takes a row's number and cells; false ends the reading.
pub(crate) type EachRow<'a> = dyn FnMut(u64, &[Value]) -> Result<bool, Failure> + 'a;

/// An open workbook.
pub(crate) struct Workbook {
    book: Xlsx<BufReader<File>>,
    sheets: Vec<String>,
}

impl Workbook {
    /// Opens the workbook in `file`.
    pub(crate) fn open(file: &mut File, size: u64) -> Result<Self, Failure> {
        guarded("the workbook", || {
            let mut package = package::open(file, size)?;
            if package.index_for_name("xl/workbook.xml").is_none() {
                return Err(broken("it is not an xlsx workbook"));
            }
            package::weigh(&mut package)?;
            drop(package);
            let mut own = file.try_clone().map_err(|e| Failure::io("the workbook", &e))?;
            own.seek(SeekFrom::Start(0)).map_err(|e| Failure::io("the workbook", &e))?;
            let book = Xlsx::new(BufReader::new(own)).map_err(broken)?;
            let sheets = book.sheet_names();
            Ok(Self { book, sheets })
        })
    }

    /// The names of its sheets, in order.
    pub(crate) fn sheets(&self) -> &[String] {
        &self.sheets
    }

    /// The sheet a person means: a name (case ignored), else its place counted from one; the
    /// first when nothing is said.
    pub(crate) fn sheet(&self, wanted: Option<&Value>) -> Result<String, Failure> {
        let (name, place) = match wanted {
            None | Some(Value::Null) => (String::new(), Some(1)),
            Some(Value::Number(n)) => (n.to_string(), n.as_u64()),
            Some(Value::String(s)) => (s.trim().to_string(), s.trim().parse().ok()),
            Some(_) => return Err(Failure::wrong_args("`sheet` is a name or a number")),
        };
        let named = self
            .sheets
            .iter()
            .find(|s| **s == name)
            .or_else(|| self.sheets.iter().find(|s| s.to_lowercase() == name.to_lowercase()));
        let placed = || self.sheets.get(usize::try_from(place?).ok()?.checked_sub(1)?);
        named.or_else(placed).cloned().ok_or_else(|| {
            let all = self.sheets.join(", ");
            Failure::new(ErrorClass::NotFound, format!("no sheet `{name}`; there are: {all}"))
        })
    }

    /// Gives every row that has a cell to `each`, with its number counted from one, until `each`
    /// answers false.
    pub(crate) fn rows(&mut self, sheet: &str, each: &mut EachRow<'_>) -> Result<(), Failure> {
        guarded("the workbook", || {
            let mut cells = match self.book.worksheet_cells_reader(sheet) {
                Ok(cells) => cells,
                // A sheet of charts has no cells; it is not an error of the file.
                Err(calamine::XlsxError::NotAWorksheet(_)) => return Ok(()),
                Err(e) => return Err(broken(e)),
            };
            let (mut row, mut number, mut weight) = (Vec::new(), None, 0usize);
            while let Some(cell) = cells.next_cell().map_err(broken)? {
                let (at, column) = cell.get_position();
                if number != Some(at) {
                    if let Some(number) = number
                        && !row.is_empty()
                        && !each(u64::from(number) + 1, &row)?
                    {
                        return Ok(());
                    }
                    (number, weight) = (Some(at), 0);
                    row.clear();
                }
                let value = value(cell.get_value());
                if value.is_null() {
                    continue;
                }
                let column = column as usize;
                if column >= COLUMNS_MAX {
                    return Err(broken("a cell beyond the last column"));
                }
                weight = weight.saturating_add(value.as_str().map_or(8, str::len));
                if weight > ROW_MAX {
                    return Err(Failure::new(ErrorClass::TooLarge, format!("row {at} holds too much text")));
                }
                if row.len() <= column {
                    row.resize(column + 1, Value::Null);
                }
                if let Some(place) = row.get_mut(column) {
                    *place = value;
                }
            }
            match number {
                Some(number) if !row.is_empty() => each(u64::from(number) + 1, &row).map(|_| ()),
                _ => Ok(()),
            }
        })
    }
}

fn value(cell: &DataRef<'_>) -> Value {
    match cell {
        DataRef::Empty => Value::Null,
        DataRef::Int(n) => (*n).into(),
        DataRef::Float(n) => number(*n),
        DataRef::String(s) => s.as_str().into(),
        DataRef::SharedString(s) => (*s).into(),
        DataRef::Bool(b) => (*b).into(),
        DataRef::DateTime(t) => moment(t).into(),
        DataRef::DateTimeIso(s) | DataRef::DurationIso(s) => s.as_str().into(),
        DataRef::Error(e) => error(e).into(),
    }
}

/// Workbooks know only floating numbers; one that is whole is shown whole.
fn number(n: f64) -> Value {
    if n.fract() == 0.0 && n.abs() < 9.0e15 { (n as i64).into() } else { n.into() }
}

fn error(e: &CellErrorType) -> &'static str {
    match e {
        CellErrorType::Div0 => "#DIV/0!",
        CellErrorType::NA => "#N/A",
        CellErrorType::Name => "#NAME?",
        CellErrorType::Null => "#NULL!",
        CellErrorType::Num => "#NUM!",
        CellErrorType::Ref => "#REF!",
        CellErrorType::Value => "#VALUE!",
        CellErrorType::GettingData => "#GETTING_DATA",
    }
}

/// A date, a time of day, both, or a duration, in ISO form.
fn moment(t: &ExcelDateTime) -> String {
    if t.is_duration() {
        let seconds = (t.as_f64() * 86_400.0).round().clamp(-9.0e15, 9.0e15) as i64;
        let (sign, s) =
            if seconds < 0 { ("-", seconds.unsigned_abs()) } else { ("", seconds.unsigned_abs()) };
        return format!("{sign}{:02}:{:02}:{:02}", s / 3600, s / 60 % 60, s % 60);
    }
    let (year, month, day, hour, minute, second, _) = t.to_ymd_hms_milli();
    let time = format!("{hour:02}:{minute:02}:{second:02}");
    if (0.0..1.0).contains(&t.as_f64()) {
        return time;
    }
    if t.as_f64().fract() == 0.0 {
        return format!("{year:04}-{month:02}-{day:02}");
    }
    format!("{year:04}-{month:02}-{day:02}T{time}")
}
