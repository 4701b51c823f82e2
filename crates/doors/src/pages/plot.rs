//! Bars over days, as numbers a template draws: no script, no library, the colours are the stylesheet's.

use serde::Serialize;

const WIDTH: f64 = 400.0;
const HEIGHT: f64 = 110.0;
/// Room for the numbers of the scale.
const LEFT: f64 = 56.0;

/// One bar: the whole value and the part of it that is drawn strong.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Bar {
    /// What it stands for.
    pub(crate) label: String,
    pub(crate) whole: f64,
    pub(crate) part: f64,
    #[serde(skip)]
    pub(crate) x: String,
    #[serde(skip)]
    pub(crate) width: String,
    #[serde(skip)]
    pub(crate) whole_y: String,
    #[serde(skip)]
    pub(crate) whole_height: String,
    #[serde(skip)]
    pub(crate) part_y: String,
    #[serde(skip)]
    pub(crate) part_height: String,
}

/// Bars with a scale.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Plot {
    pub(crate) bars: Vec<Bar>,
    /// The value at the top.
    pub(crate) top: f64,
}

impl Plot {
    /// From label, whole and part.
    pub(crate) fn new(values: Vec<(String, f64, f64)>) -> Self {
        let top = values.iter().map(|(_, whole, _)| *whole).fold(0.0, f64::max);
        let scale = if top > 0.0 { HEIGHT / top } else { 0.0 };
        let each = (WIDTH - LEFT) / values.len().max(1) as f64;
        let bars = values.into_iter().enumerate().map(|(n, (label, whole, part))| {
            let tall = |value: f64| if value > 0.0 { (value * scale).max(1.5) } else { 0.0 };
            let (whole_tall, part_tall) = (tall(whole), tall(part.min(whole)));
            Bar {
                label,
                whole,
                part,
                x: format!("{:.1}", LEFT + each * n as f64 + each * 0.1),
                width: format!("{:.1}", each * 0.8),
                whole_y: format!("{:.1}", HEIGHT + 6.0 - whole_tall),
                whole_height: format!("{whole_tall:.1}"),
                part_y: format!("{:.1}", HEIGHT + 6.0 - part_tall),
                part_height: format!("{part_tall:.1}"),
            }
        });
        Self { bars: bars.collect(), top }
    }

    /// The first and the last label.
    pub(crate) fn ends(&self) -> (&str, &str) {
        let first = self.bars.first().map_or("", |bar| bar.label.as_str());
        (first, self.bars.last().map_or("", |bar| bar.label.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_one_and_much_stay_inside_the_frame() {
        assert_eq!(Plot::new(Vec::new()).ends(), ("", ""));
        let flat = Plot::new(vec![("a".into(), 0.0, 0.0)]);
        assert_eq!(flat.bars[0].whole_height, "0.0");
        let tall = Plot::new(vec![("a".into(), 1e9, 2e9), ("b".into(), 1.0, 0.5)]);
        assert_eq!(
            (tall.bars[0].whole_height.as_str(), tall.bars[0].part_height.as_str()),
            ("110.0", "110.0")
        );
        assert_eq!(tall.bars[1].whole_height, "1.5", "what is there can be seen");
    }
}
