//! A table for a terminal: aligned, numbers to the right, one line a row.

use super::{Cell, Form, Row, one_line, width};

/// The widest a column gets.
const COLUMN_MAX: usize = 60;

/// Rows wait until all widths are known.
#[derive(Default)]
pub(super) struct Table {
    columns: Vec<Column>,
    rows: Vec<Vec<String>>,
}

struct Column {
    name: String,
    width: usize,
    numeric: bool,
}

impl Form for Table {
    fn head(&mut self, columns: &[String]) -> String {
        self.columns = columns
            .iter()
            .map(|name| {
                let name = width::cut(&one_line(name), COLUMN_MAX);
                Column { width: width::of(&name), name, numeric: true }
            })
            .collect();
        String::new()
    }

    fn row(&mut self, row: &Row<'_>) -> String {
        let mut texts = Vec::with_capacity(self.columns.len());
        for (column, cell) in self.columns.iter_mut().zip(&row.cells) {
            // Only the start of a long text can show; the rest need not be looked at.
            let start: String = cell.text().chars().take(COLUMN_MAX * 4).collect();
            let text = width::cut(&one_line(&start), COLUMN_MAX);
            column.width = column.width.max(width::of(&text));
            column.numeric &= matches!(cell, Cell::Number(_) | Cell::Missing);
            texts.push(text);
        }
        self.rows.push(texts);
        String::new()
    }

    // Padding is decided by rows that come later: a cell is charged for the widest it may get, in
    // signs of up to four bytes only where its own text has them.
    fn charge(&self, weight: usize, cells: usize) -> usize {
        weight.min(cells.saturating_mul(COLUMN_MAX * 4)).max(cells.saturating_mul(COLUMN_MAX + 2))
    }

    fn tail(&mut self) -> String {
        if self.columns.is_empty() {
            return String::new();
        }
        let names = self.columns.iter().map(|c| c.name.clone()).collect();
        let rules = self.columns.iter().map(|c| "─".repeat(c.width)).collect();
        let mut out = String::new();
        for row in [names, rules].iter().chain(&self.rows) {
            let mut line = String::new();
            for (column, text) in self.columns.iter().zip(row) {
                if !line.is_empty() {
                    line.push_str("  ");
                }
                let padding = " ".repeat(column.width.saturating_sub(width::of(text)));
                let (before, after) =
                    if column.numeric { (padding.as_str(), "") } else { ("", padding.as_str()) };
                line.extend([before, text, after]);
            }
            out.push_str(line.trim_end());
            out.push('\n');
        }
        out
    }
}
