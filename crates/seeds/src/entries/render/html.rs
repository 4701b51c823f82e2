//! A table in HTML, every text escaped: no markup, script or address of an entry comes through.

use super::{Cell, Form, Row, escaped};

/// Stateless: every row stands alone.
pub(super) struct Html;

impl Form for Html {
    fn head(&mut self, columns: &[String]) -> String {
        let names: String = columns.iter().map(|name| format!("<th>{}</th>", escaped(name))).collect();
        format!("<table>\n<thead><tr>{names}</tr></thead>\n<tbody>\n")
    }

    fn row(&mut self, row: &Row<'_>) -> String {
        let cells: String = row
            .cells
            .iter()
            .map(|cell| match cell {
                Cell::Number(raw) => format!("<td align=\"right\">{}</td>", escaped(raw)),
                cell => format!("<td>{}</td>", escaped(&cell.text())),
            })
            .collect();
        format!("<tr>{cells}</tr>\n")
    }

    fn tail(&mut self) -> String {
        "</tbody>\n</table>\n".to_owned()
    }
}
