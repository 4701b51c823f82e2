//! A picture of one number per entry, drawn as SVG: a line when the labels are dates or numbers in
//! order, else bars.

use super::{Cell, Row, escaped, one_line, width};
use crate::entries::exact::Number;
use crate::entries::moment::Clock;

const WIDTH: f64 = 800.0;
const LABELS: f64 = 200.0;
const VALUES: f64 = 90.0;
const BAR: f64 = 24.0;
const LINE_HEIGHT: f64 = 400.0;
const MARGIN: f64 = 30.0;
/// The longest label, in columns of text.
const LABEL_MAX: usize = 26;
/// The longest bar in letters, and what fills less than one of them.
const COLUMNS: f64 = 40.0;
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const COLOUR: &str = "#3b6ea5";

/// Fields that hold the number of a chart when they are there, as grouping writes them.
const PREFERRED: [&str; 4] = ["value", "count", "size", "amount"];

struct Point {
    label: String,
    shown: String,
    value: f64,
    /// Where a line chart puts it, when its label is a date or a number.
    place: Option<f64>,
}

/// The numbers of a chart, collected row by row.
pub(in crate::entries) struct Chart {
    label: Option<usize>,
    value: usize,
    clock: Clock,
    points: Vec<Point>,
}

impl Chart {
    /// Chooses the column of numbers and the column of labels from the first rows; `None` when no
    /// column holds numbers.
    pub(in crate::entries) fn new(columns: &[String], first: &[Row<'_>], clock: Clock) -> Option<Self> {
        let numeric = |at: usize| {
            let cells = || first.iter().filter_map(|row| row.cells.get(at)).filter(|c| **c != Cell::Missing);
            cells().next().is_some() && cells().all(|cell| number(cell).is_some())
        };
        let numbers: Vec<usize> = (0..columns.len()).filter(|at| numeric(*at)).collect();
        let preferred = PREFERRED
            .iter()
            .find_map(|name| numbers.iter().copied().find(|at| columns.get(*at).is_some_and(|c| c == name)));
        // Without a preferred one the last: what comes first is more often a label.
        let value = preferred.or(numbers.last().copied())?;
        let label = (0..columns.len()).find(|at| *at != value && !numbers.contains(at));
        let label = label.or_else(|| (0..columns.len()).find(|at| *at != value));
        Some(Self { label, value, clock, points: Vec::new() })
    }

    /// Takes one row in, or says why it has no place in the picture.
    pub(in crate::entries) fn add(&mut self, row: &Row<'_>) -> Result<(), String> {
        let cell = row.cells.get(self.value).unwrap_or(&Cell::Missing);
        let value = number(cell).ok_or("the entry has no number to draw")?;
        let label = self.label.and_then(|at| row.cells.get(at)).unwrap_or(&Cell::Missing);
        let place = match label {
            Cell::Number(raw) => Number::parse(raw).map(Number::nearest),
            label => self.clock.read(label).map(|moment| moment as f64),
        };
        let shown = width::cut(&one_line(&cell.text()), 12);
        let start: String = label.text().chars().take(LABEL_MAX * 4).collect();
        self.points.push(Point { label: width::cut(&one_line(&start), LABEL_MAX), shown, value, place });
        Ok(())
    }

    /// The picture.
    pub(in crate::entries) fn svg(&self) -> String {
        let places: Option<Vec<f64>> = self.points.iter().map(|point| point.place).collect();
        match places {
            Some(places) if places.len() > 1 && places.windows(2).all(|pair| pair[0] < pair[1]) => {
                self.line(&places)
            }
            _ => self.bars(),
        }
    }

    /// The least and greatest value with zero among them, never equal. Halved against overflow of
    /// their distance.
    fn range(&self) -> (f64, f64) {
        let values = || self.points.iter().map(|point| point.value / 2.0);
        let (low, high) = (values().fold(0.0, f64::min), values().fold(0.0, f64::max));
        if low == high { (0.0, 1.0) } else { (low, high) }
    }

    /// The same in letters, for who sees no pictures: one bar a line.
    pub(in crate::entries) fn plain(&self) -> String {
        let (low, high) = self.range();
        let most = low.abs().max(high);
        let wide = self.points.iter().map(|point| width::of(&point.label)).max().unwrap_or(0);
        let line = |point: &Point| {
            let eighths = (point.value.abs() / 2.0 / most * COLUMNS * 8.0).round() as usize;
            let (full, rest) = (eighths / 8, EIGHTHS.get(eighths % 8).copied().unwrap_or_default());
            let bar = if point.value < 0.0 {
                "▒".repeat(full.max(1))
            } else {
                format!("{}{rest}", "█".repeat(full))
            };
            let gap = " ".repeat(wide - width::of(&point.label));
            format!("{gap}{}  {bar}{}{}\n", point.label, if bar.is_empty() { "" } else { " " }, point.shown)
        };
        self.points.iter().map(line).collect()
    }

    fn bars(&self) -> String {
        let (low, high) = self.range();
        let room = WIDTH - LABELS - VALUES;
        let at = |half: f64| LABELS + (half - low) / (high - low) * room;
        let height = BAR * self.points.len() as f64 + 10.0;
        let mut out = open(height);
        for (number, point) in self.points.iter().enumerate() {
            let y = BAR * number as f64 + 5.0;
            let (from, to) = (at(0.0), at(point.value / 2.0));
            let (left, long) = (from.min(to), (to - from).abs());
            let (text, middle) = (escaped(&point.label), y + 16.0);
            out.push_str(&format!(
                "<text x=\"{:.1}\" y=\"{middle:.1}\" text-anchor=\"end\">{text}</text>\n\
                 <rect x=\"{left:.1}\" y=\"{:.1}\" width=\"{long:.1}\" height=\"18\" fill=\"{COLOUR}\"/>\n\
                 <text x=\"{:.1}\" y=\"{middle:.1}\">{}</text>\n",
                LABELS - 8.0,
                y + 2.0,
                left + long + 6.0,
                escaped(&point.shown),
            ));
        }
        out.push_str("</svg>\n");
        out
    }

    fn line(&self, places: &[f64]) -> String {
        let (low, high) = self.range();
        let (first, last) =
            (places.first().copied().unwrap_or(0.0) / 2.0, places.last().copied().unwrap_or(1.0) / 2.0);
        // Leaves the labels of both ends inside the picture.
        let (left, right) = (100.0, WIDTH - 100.0);
        let x = |place: f64| {
            left + (place / 2.0 - first) / (last - first).max(f64::MIN_POSITIVE) * (right - left)
        };
        let y = |half: f64| LINE_HEIGHT - MARGIN - (half - low) / (high - low) * (LINE_HEIGHT - 2.0 * MARGIN);
        let mut out = open(LINE_HEIGHT);
        let zero = y(0.0);
        out.push_str(&format!(
            "<line x1=\"{left}\" y1=\"{zero:.1}\" x2=\"{right}\" y2=\"{zero:.1}\" stroke=\"#999\"/>\n"
        ));
        let dots: Vec<String> = self
            .points
            .iter()
            .zip(places)
            .map(|(point, place)| format!("{:.1},{:.1}", x(*place), y(point.value / 2.0)))
            .collect();
        out.push_str(&format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{COLOUR}\" stroke-width=\"2\"/>\n",
            dots.join(" ")
        ));
        for (point, place) in
            [self.points.first(), self.points.last()].into_iter().flatten().zip([first, last])
        {
            out.push_str(&format!(
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n",
                x(place * 2.0),
                LINE_HEIGHT - 8.0,
                escaped(&point.label)
            ));
        }
        let by_value = |a: &&Point, b: &&Point| a.value.total_cmp(&b.value);
        for point in
            [self.points.iter().min_by(by_value), self.points.iter().max_by(by_value)].into_iter().flatten()
        {
            out.push_str(&format!(
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\n",
                left - 8.0,
                y(point.value / 2.0) + 4.0,
                escaped(&point.shown)
            ));
        }
        out.push_str("</svg>\n");
        out
    }
}

fn open(height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" width=\"{WIDTH}\" \
         height=\"{height}\" font-family=\"sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    )
}

fn number(cell: &Cell<'_>) -> Option<f64> {
    match cell {
        Cell::Number(raw) => Number::parse(raw),
        Cell::Text(text) => Number::parse(text),
        _ => None,
    }
    .map(Number::nearest)
}
