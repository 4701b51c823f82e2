//! What every seed that writes tables shares: the text of a cell that no spreadsheet runs, text
//! that markup cannot take for markup, and workbooks.

pub(crate) mod cell;
pub(crate) mod markup;
pub(crate) mod xlsx;
