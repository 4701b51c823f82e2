//! `render_entries`: a list as text to read, to paste or to look at.
//!
//! The columns are the fields of the first 200 entries in the order they appear. What does not fit
//! (rows, columns, bytes) is cut and declared; the text is always whole in its own form.

use super::field::{self, Cell, FieldName, Fields, ORIGIN};
use super::lines::{Lines, reject};
use super::moment::Clock;
use super::render::{self, Chart, Form, Row};
use crate::call::Call;
use metnos_executor::{Failure, Origin};
use serde::Deserialize;
use serde_json::json;
use std::collections::HashSet;

/// How many entries name the columns.
const SAMPLE: usize = 200;
/// The longest text, counted as JSON spells it: it travels in the header of the answer.
const TEXT_MAX: usize = 3 << 20;
/// The longest the names of all columns may be together, so that rows have room.
const NAMES_MAX: usize = 128 << 10;
const ROWS: u64 = 1000;
const CHART_ROWS: u64 = 100;
const COLUMNS: u64 = 30;

#[derive(Deserialize)]
struct Args {
    #[serde(default = "table")]
    format: String,
    max_rows: Option<u64>,
    max_columns: Option<u64>,
}

fn table() -> String {
    "table".to_owned()
}

/// Answers `text`, and a list with one entry that holds it.
pub(super) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let is_chart = args.format == "chart";
    let max_rows = args.max_rows.unwrap_or(if is_chart { CHART_ROWS } else { ROWS });
    let max_columns = args.max_columns.unwrap_or(COLUMNS);
    let mut page = Page::new(&args.format, no_limit(max_rows))?;
    let mut sample: Vec<(u64, Vec<u8>)> = Vec::new();
    let mut origin: Option<Origin> = None;
    let wanted = [FieldName::new(ORIGIN)];
    let mut lines = Lines::entries(call);
    let mut total = 0u64;
    while let Some((index, line)) = lines.advance(call)? {
        // Every entry counts for the taint, also one that is cut: it bears on what is said of it.
        let own = match field::pick(line, &wanted) {
            Ok(found) => field::origin(found.first().copied().flatten()),
            Err(error) => {
                reject(call, index, error.to_string());
                continue;
            }
        };
        origin = Some(origin.map_or(own, |joined| joined.join(own)));
        total += 1;
        if page.columns.is_none() {
            sample.push((index, line.to_vec()));
            if sample.len() >= SAMPLE {
                page.begin(call, &sample, no_limit(max_columns))?;
            }
        } else {
            page.take(call, index, line);
        }
    }
    if page.columns.is_none() {
        page.begin(call, &sample, no_limit(max_columns))?;
    }
    let origin = origin.unwrap_or(Origin::Local);
    page.finish(call, &args.format, total, origin, (max_rows, max_columns))
}

fn no_limit(cap: u64) -> usize {
    if cap == 0 { usize::MAX } else { usize::try_from(cap).unwrap_or(usize::MAX) }
}

enum Writer {
    Form(Box<dyn Form>),
    Chart(Option<Chart>),
}

/// The text being written, and what was left out of it.
struct Page {
    writer: Writer,
    text: String,
    spelled: usize,
    max_rows: usize,
    rows: usize,
    columns: Option<Vec<String>>,
    hidden: HashSet<String>,
    full: bool,
}

impl Page {
    fn new(format: &str, max_rows: usize) -> Result<Self, Failure> {
        let writer = match (render::form(format), format) {
            (Some(form), _) => Writer::Form(form),
            (None, "chart") => Writer::Chart(None),
            (None, other) => {
                return Err(Failure::wrong_args(format!("format: {other:?} is not one of the forms")));
            }
        };
        Ok(Self {
            writer,
            text: String::new(),
            spelled: 0,
            max_rows,
            rows: 0,
            columns: None,
            hidden: HashSet::new(),
            full: false,
        })
    }

    /// Decides the columns from the first entries and writes those.
    fn begin(
        &mut self,
        call: &mut Call<'_>,
        sample: &[(u64, Vec<u8>)],
        max_columns: usize,
    ) -> Result<(), Failure> {
        let mut columns: Vec<String> = Vec::new();
        let mut known = HashSet::new();
        let mut named = 0usize;
        for (name, _) in sample.iter().flat_map(|(_, line)| field::all(line).unwrap_or_default()) {
            if !field::is_internal(&name) && known.insert(name.to_string()) {
                named = named.saturating_add(spelled(&name));
                if columns.len() < max_columns && named <= NAMES_MAX {
                    columns.push(name.into_owned());
                } else {
                    self.hidden.insert(name.into_owned());
                }
            }
        }
        match &mut self.writer {
            Writer::Form(form) => {
                let head = form.head(&columns);
                self.append(&head);
            }
            Writer::Chart(chart) => {
                let rows: Vec<Row<'_>> = sample
                    .iter()
                    .filter_map(|(_, line)| field::all(line).ok())
                    .map(|fields| row(&columns, fields))
                    .collect();
                *chart = Chart::new(&columns, &rows, Clock::of(&call.now));
                if chart.is_none() && !rows.is_empty() {
                    return Err(Failure::wrong_args(
                        "a chart needs a field that holds a number in every entry",
                    )
                    .with_hint("count or sum with group_entries first"));
                }
            }
        }
        self.columns = Some(columns);
        for (index, line) in sample {
            self.take(call, *index, line);
        }
        Ok(())
    }

    /// Writes one entry, unless the page is full.
    fn take(&mut self, call: &mut Call<'_>, index: u64, line: &[u8]) {
        if self.full || self.rows >= self.max_rows {
            return;
        }
        let fields = match field::all(line) {
            Ok(fields) => fields,
            Err(error) => return reject(call, index, error.to_string()),
        };
        let columns = self.columns.get_or_insert_default();
        for (name, _) in &fields {
            if !field::is_internal(name) && self.hidden.len() < 1000 && !columns.iter().any(|c| c == name) {
                self.hidden.insert(name.to_string());
            }
        }
        let row = row(columns, fields);
        match &mut self.writer {
            Writer::Chart(Some(chart)) => match chart.add(&row) {
                Ok(()) => {
                    self.spelled = self.spelled.saturating_add(600);
                    self.full = self.spelled > TEXT_MAX;
                }
                Err(why) => return reject(call, index, why),
            },
            Writer::Chart(None) => return,
            Writer::Form(form) => {
                let weight = row.cells.iter().map(|cell| spelled(&cell.text())).sum::<usize>();
                // A table pads its cells; the widest a row can get is what it is charged for.
                let charge = form.charge(weight, row.cells.len());
                if self.spelled.saturating_add(charge) > TEXT_MAX {
                    self.full = true;
                    return;
                }
                let text = form.row(&row);
                let written = spelled(&text).max(charge);
                if self.spelled.saturating_add(written) > TEXT_MAX {
                    self.full = true;
                    return;
                }
                self.text.push_str(&text);
                self.spelled += written;
            }
        }
        self.rows += 1;
        call.outcome.ok_count += 1;
    }

    fn append(&mut self, text: &str) {
        self.text.push_str(text);
        self.spelled = self.spelled.saturating_add(spelled(text));
    }

    fn finish(
        mut self,
        call: &mut Call<'_>,
        format: &str,
        total: u64,
        origin: Origin,
        caps: (u64, u64),
    ) -> Result<(), Failure> {
        let tail = match &mut self.writer {
            Writer::Form(form) => form.tail(),
            Writer::Chart(Some(chart)) => chart.svg(),
            Writer::Chart(None) => String::new(),
        };
        if let Writer::Chart(Some(chart)) = &self.writer {
            call.set("plain", chart.plain());
        }
        self.append(&tail);
        let (rows, columns) = (self.rows as u64, self.columns.map_or(0, |c| c.len() as u64));
        let columns_total = columns.saturating_add(self.hidden.len() as u64);
        if self.full {
            call.truncated("rows", rows, Some(total), "text_bytes", TEXT_MAX as u64);
        } else if self.rows >= self.max_rows && total > rows {
            call.truncated("rows", rows, Some(total), "max_rows", caps.0);
        } else if columns_total > columns && format != "json" {
            call.truncated("columns", columns, Some(columns_total), "max_columns", caps.1);
        }
        call.set("text", self.text.as_str());
        call.set(
            "metadata",
            json!({"format": format, "rows": rows, "rows_total": total, "columns": columns, "columns_total": columns_total}),
        );
        call.emit(&json!({"format": format, "text": self.text, "rows": rows, "columns": columns}), origin)
    }
}

fn row<'a>(columns: &[String], fields: Fields<'a>) -> Row<'a> {
    let cells = columns
        .iter()
        .map(|name| {
            fields
                .iter()
                .find(|(known, _)| known == name)
                .map_or(Cell::Missing, |(_, raw)| Cell::of(Some(raw)))
        })
        .collect();
    Row { cells, fields }
}

/// How long a text is once JSON spells it.
fn spelled(text: &str) -> usize {
    text.bytes()
        .map(|byte| match byte {
            b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 2,
            0..0x20 => 6,
            _ => 1,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use crate::testing::{Ran, run};
    use serde_json::{Value, json};

    fn rendered(format: &str, entries: Value) -> Ran {
        let ran = run("render_entries", json!({"format": format, "entries": entries}));
        assert!(ran.outcome.error.is_none(), "{:?}", ran.outcome);
        assert_eq!(ran.items.len(), 1);
        assert_eq!(ran.items[0]["text"], ran.outcome.fields["text"]);
        ran
    }

    fn text(format: &str, entries: Value) -> String {
        rendered(format, entries).items[0]["text"].as_str().unwrap().to_owned()
    }

    #[test]
    fn a_table_is_aligned_whatever_the_script() {
        let entries = json!([{"name": "日本", "size": 5, "_origin": "web"}, {"name": "città", "size": 1000, "path_b64": "x"}]);
        assert_eq!(text("table", entries), "name   size\n─────  ────\n日本      5\ncittà  1000\n");
    }

    #[test]
    fn a_terminal_cannot_be_commanded() {
        let shown = text("table", json!([{"a": "\u{1b}[2Jx\ny\u{202e}z\u{7}"}]));
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{7}']));
        assert_eq!(shown.lines().count(), 3);
    }

    #[test]
    fn csv_is_quoted_and_formulas_are_harmless() {
        let entries = json!([{"a": "=cmd()", "b": "x,\"y\"\nz", "c": -5}, {"a": "-5", "b": "+39 02"}]);
        assert_eq!(text("csv", entries), "a,b,c\n'=cmd(),\"x,\"\"y\"\"\nz\",-5\n-5,'+39 02,\n");
    }

    #[test]
    fn markup_does_not_come_through() {
        let entries = json!([{"<b>": "<script>alert('1')</script>", "x": "a|b ![i](http://x)"}]);
        let html = text("html", entries.clone());
        assert!(!html.contains("<script") && !html.contains("<b>") && html.ends_with("</table>\n"));
        let markdown = text("markdown", entries);
        assert!(markdown.contains("a\\|b \\!\\[i\\](http://x)") && !markdown.contains("<script"));
        assert_eq!(markdown.lines().count(), 3);
    }

    #[test]
    fn json_is_the_entries_with_every_digit() {
        let entries = json!([{"a": 1, "path_b64": "/w==", "_origin": "web"}, {"b": [1, {"c": null}]}]);
        let back: Value = serde_json::from_str(&text("json", entries)).unwrap();
        assert_eq!(back, json!([{"a": 1, "path_b64": "/w=="}, {"b": [1, {"c": null}]}]));
        assert_eq!(text("json", json!([])), "[]");
    }

    #[test]
    fn charts_are_svg_bars_or_a_line() {
        let bars = text("chart", json!([{"key": "<a>", "count": 3}, {"key": "b", "count": -1}]));
        assert!(
            bars.starts_with("<svg") && bars.matches("<rect x").count() == 2 && bars.contains("&lt;a&gt;")
        );
        let line = text("chart", json!([{"day": "2026-01-01", "v": 1}, {"day": "2026-01-03", "v": 1e308}]));
        assert!(line.contains("<polyline") && !line.contains("NaN") && !line.contains("inf"));
        let ran = run(
            "render_entries",
            json!({"format": "chart", "entries": [{"a": "x", "n": 4}, {"a": "long", "n": -1}, {"a": "y", "n": 0}]}),
        );
        let plain = format!("   x  {} 4\nlong  {} -1\n   y  0\n", "█".repeat(40), "▒".repeat(10));
        assert_eq!(ran.outcome.fields["plain"], plain);
        let ran = run("render_entries", json!({"format": "chart", "entries": [{"a": "x"}]}));
        assert!(ran.outcome.error.is_some());
    }

    #[test]
    fn what_is_cut_is_declared() {
        let entries: Vec<Value> = (0..300).map(|n| json!({"n": n, "m": 1})).collect();
        let ran = run("render_entries", json!({"format": "csv", "max_rows": 10, "entries": entries}));
        let cut = ran.outcome.truncation.unwrap();
        assert_eq!((cut.used, cut.available_total, cut.cap_field.as_str()), (10, Some(300), "max_rows"));
        let ran = run("render_entries", json!({"format": "table", "max_columns": 1, "entries": entries}));
        let cut = ran.outcome.truncation.unwrap();
        assert_eq!((cut.truncated_what.as_str(), cut.used, cut.available_total), ("columns", 1, Some(2)));
    }

    #[test]
    fn a_huge_list_is_cut_to_what_an_answer_can_carry() {
        let long = "\u{1}".repeat(10_000);
        let entries: Vec<Value> = (0..200).map(|_| json!({"a": long, "b": 1})).collect();
        for format in ["table", "csv", "markdown", "json", "html"] {
            let ran = run("render_entries", json!({"format": format, "max_rows": 0, "entries": entries}));
            let bytes = serde_json::to_vec(&ran.outcome).unwrap().len();
            assert!(bytes < metnos_executor::wire::HEADER_MAX as usize, "{format}: {bytes}");
        }
        let wide: Vec<Value> =
            (0..20_000).map(|_| json!({"a": "x", "b": "y"})).chain([json!({"a": "z".repeat(60)})]).collect();
        let ran = run("render_entries", json!({"format": "table", "max_rows": 0, "entries": wide}));
        assert!(serde_json::to_vec(&ran.outcome).unwrap().len() < metnos_executor::wire::HEADER_MAX as usize);
    }

    #[test]
    fn nothing_renders_as_nothing() {
        for format in ["table", "csv", "markdown", "html", "chart"] {
            assert!(rendered(format, json!([])).outcome.ok, "{format}");
        }
    }

    #[test]
    fn one_tainted_entry_taints_the_text_even_when_it_is_cut() {
        let entries = json!([{"a": 1, "_origin": "local"}, {"a": 2, "_origin": "mail"}]);
        let ran = run("render_entries", json!({"format": "csv", "max_rows": 1, "entries": entries}));
        assert_eq!(ran.items[0]["_origin"], "mail");
        let ran =
            run("render_entries", json!({"format": "csv", "entries": [{"a": 1, "_origin": "local"}, 3]}));
        assert_eq!((ran.outcome.partial, ran.items[0]["_origin"].as_str()), (true, Some("local")));
    }
}
