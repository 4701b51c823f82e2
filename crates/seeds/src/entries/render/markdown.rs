//! A table in Markdown. Content is escaped, so that it cannot become a link, a picture or markup.

use super::{Form, Row, one_line};

/// Stateless: every row stands alone.
pub(super) struct Markdown;

impl Form for Markdown {
    fn head(&mut self, columns: &[String]) -> String {
        if columns.is_empty() {
            return String::new();
        }
        let names: Vec<String> = columns.iter().map(|name| literal(name)).collect();
        format!("| {} |\n|{}\n", names.join(" | "), " --- |".repeat(columns.len()))
    }

    fn row(&mut self, row: &Row<'_>) -> String {
        let cells: Vec<String> = row.cells.iter().map(|cell| literal(&cell.text())).collect();
        format!("| {} |\n", cells.join(" | "))
    }

    fn tail(&mut self) -> String {
        String::new()
    }
}

fn literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in one_line(text).chars() {
        match sign {
            '\\' | '`' | '*' | '[' | ']' | '|' | '~' | '!' => out.extend(['\\', sign]),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            sign => out.push(sign),
        }
    }
    out
}
