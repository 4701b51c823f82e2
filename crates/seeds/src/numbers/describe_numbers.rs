//! `describe_numbers`: how many, from where to where, and how spread.

use super::digits::{json, round_digits};
use super::words::{Words, say};
use crate::call::{Call, next_line};
use metnos_executor::{ErrorClass, Failure, Origin};
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{Map, Value};

/// Items between two reports.
const REPORT: u64 = 4096;

#[derive(Deserialize)]
struct Args {
    field: Option<String>,
}

/// Describes `values`, or one field of the entries.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    // Taken out before the rest is read: a million values are not copied.
    let values = call.args.remove("values");
    let args: Args = call.args()?;
    let mut numbers = Numbers::default();
    let mut origin = Origin::User;
    match (values, call.take_entries()) {
        (Some(Value::Array(values)), None) => {
            for (index, value) in (0u64..).zip(values) {
                take(call, &mut numbers, index, Some(&value), "it")?;
            }
        }
        (None, Some(mut source)) => {
            let Some(field) = args.field else {
                return Err(Failure::wrong_args("entries need the `field` that holds the number"));
            };
            let mut buffer = Vec::new();
            let mut index = 0u64;
            while let Some(line) = next_line(&mut *source, &mut buffer)? {
                match serde_json::from_slice::<Value>(line) {
                    Ok(entry) => {
                        origin = origin.join(Origin::of(&entry));
                        take(call, &mut numbers, index, crate::meaning::text::field(&entry, &field), &field)?;
                    }
                    Err(e) => fail(call, index, format!("not JSON: {e}")),
                }
                index += 1;
            }
        }
        _ => return Err(Failure::wrong_args("give either `values` or a list of entries with `field`")),
    }
    call.outcome.ok_count = numbers.len();
    let words = Words::of(&call.lang)?;
    let summary = numbers.summary();
    call.set("text", sentence(&summary, &words));
    for (key, value) in &summary {
        call.set(key, value.clone());
    }
    call.emit(&summary, origin)
}

fn take(
    call: &mut Call<'_>,
    numbers: &mut Numbers,
    index: u64,
    value: Option<&Value>,
    what: &str,
) -> Result<(), Failure> {
    match value {
        Some(value) if numbers.push(value) => {}
        Some(value) => fail(call, index, format!("{what} is not a number but {}", kind(value))),
        None => fail(call, index, format!("the entry has no `{what}`")),
    }
    if index % REPORT == REPORT - 1 {
        call.progress(index + 1, None, "numbers")?;
    }
    Ok(())
}

fn fail(call: &mut Call<'_>, index: u64, message: String) {
    call.outcome.fail(index, format!("item {index}"), ErrorClass::WrongArgs, message);
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "nothing",
        Value::Bool(_) => "yes or no",
        Value::Number(_) => "too large a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The numbers seen so far: exact as long as all of them and their sum fit a decimal.
#[derive(Default)]
struct Numbers {
    exact: Vec<Decimal>,
    /// Used instead once a number did not fit.
    floats: Option<Vec<f64>>,
}

impl Numbers {
    fn len(&self) -> u64 {
        self.floats.as_ref().map_or(self.exact.len(), Vec::len) as u64
    }

    /// Takes `value` if it is a number, or text that is one.
    fn push(&mut self, value: &Value) -> bool {
        let text = match value {
            Value::Number(n) => n.to_string(),
            Value::String(s) if s.len() <= 64 => s.trim().to_owned(),
            _ => return false,
        };
        let well_formed =
            text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'-' | b'+' | b'.' | b'e' | b'E'));
        let Some(float) = text.parse::<f64>().ok().filter(|f| well_formed && f.is_finite()) else {
            return false;
        };
        if let Some(floats) = &mut self.floats {
            floats.push(float);
            return true;
        }
        let exact = Decimal::from_str_exact(&text).or_else(|_| Decimal::from_scientific(&text)).ok();
        match exact.filter(|d| !d.is_zero() || float == 0.0) {
            Some(number) => self.exact.push(number),
            None => {
                let mut floats: Vec<f64> =
                    std::mem::take(&mut self.exact).into_iter().map(float_of).collect();
                floats.push(float);
                self.floats = Some(floats);
            }
        }
        true
    }

    fn summary(mut self) -> Map<String, Value> {
        let count = self.len();
        let mut floats = match self.floats.take() {
            Some(floats) => floats,
            None => {
                self.exact.sort_unstable();
                self.exact.iter().copied().map(float_of).collect()
            }
        };
        floats.sort_unstable_by(f64::total_cmp);
        let mean = mean(&floats);
        let squares: f64 = floats.iter().map(|x| (x - mean).powi(2)).sum();
        let sd = |n: u64| if n > 0 { shown((squares / n as f64).sqrt()) } else { Value::Null };
        let sum = self.exact.iter().try_fold(Decimal::ZERO, |sum, d| sum.checked_add(*d));
        let exact_sum = sum.filter(|_| !self.exact.is_empty());
        let exact_mean = exact_sum.and_then(|sum| sum.checked_div(Decimal::from(count)));
        let quantile = |numerator: usize| match self.quantile(numerator) {
            Some(d) => decimal(d),
            None => float_quantile(&floats, numerator).map_or(Value::Null, shown),
        };
        let edge = |exact: Option<&Decimal>, float: Option<&f64>| match (exact, float) {
            (Some(d), _) => decimal(*d),
            (None, Some(f)) => shown(*f),
            (None, None) => Value::Null,
        };
        let some = |value: Value| if count == 0 { Value::Null } else { value };
        Map::from_iter([
            ("count".to_owned(), count.into()),
            ("sum".to_owned(), some(exact_sum.map_or_else(|| shown(floats.iter().sum()), decimal))),
            ("min".to_owned(), edge(self.exact.first(), floats.first())),
            ("max".to_owned(), edge(self.exact.last(), floats.last())),
            ("mean".to_owned(), some(exact_mean.map_or_else(|| shown(mean), decimal))),
            ("median".to_owned(), quantile(2)),
            ("q1".to_owned(), quantile(1)),
            ("q3".to_owned(), quantile(3)),
            ("sd".to_owned(), sd(count.saturating_sub(1))),
            ("sd_kind".to_owned(), "sample".into()),
            ("sd_population".to_owned(), sd(count)),
        ])
    }

    /// The quartile `numerator`, by linear interpolation between neighbours.
    fn quantile(&self, numerator: usize) -> Option<Decimal> {
        let position = self.exact.len().checked_sub(1)?.checked_mul(numerator)?;
        let (low, part) = (self.exact.get(position / 4)?, position % 4);
        let high = self.exact.get(position / 4 + 1).unwrap_or(low);
        let step = high.checked_sub(*low)?.checked_mul(Decimal::new(25 * part as i64, 2))?;
        low.checked_add(step)
    }
}

fn float_quantile(sorted: &[f64], numerator: usize) -> Option<f64> {
    let position = sorted.len().checked_sub(1)?.checked_mul(numerator)?;
    let low = sorted.get(position / 4)?;
    let high = sorted.get(position / 4 + 1).unwrap_or(low);
    let part = (position % 4) as f64 / 4.0;
    Some(low * (1.0 - part) + high * part)
}

/// The mean, without a sum that could overflow.
fn mean(values: &[f64]) -> f64 {
    let mut mean = 0.0;
    for (count, value) in (1u64..).zip(values) {
        mean += value / count as f64 - mean / count as f64;
    }
    mean
}

fn float_of(d: Decimal) -> f64 {
    d.to_string().parse().unwrap_or(0.0)
}

fn decimal(d: Decimal) -> Value {
    let plain = d.normalize().to_string();
    // An endless mean is rounded to what a JSON number holds.
    if d.scale() >= 20 { json(&round_digits(&plain, 15)) } else { json(&plain) }
}

fn shown(f: f64) -> Value {
    if !f.is_finite() {
        return Value::Null;
    }
    format!("{f:.14e}").parse::<f64>().map_or(Value::Null, Value::from)
}

fn sentence(summary: &Map<String, Value>, words: &Words) -> String {
    let show = |key: &str| match summary.get(key) {
        Some(Value::Number(n)) => words.number(&n.to_string()),
        Some(Value::String(s)) => words.number(s),
        _ => String::new(),
    };
    let key = match summary.get("count").and_then(Value::as_u64) {
        None | Some(0) => "none",
        Some(1) => "single",
        _ => "summary",
    };
    let names = ["count", "min", "max", "mean", "median", "sd"];
    let values = names.map(show);
    let blanks: Vec<(&str, &str)> = names.into_iter().zip(values.iter().map(String::as_str)).collect();
    say(&words.numbers, key, &blanks)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use crate::testing::run as seed;
    use serde_json::json;

    #[test]
    fn describes_values() {
        let ran = seed("describe_numbers", json!({"values": [2, 4, 4, 4, 5, 5, 7, 9]}));
        assert!(ran.outcome.ok);
        let d = &ran.items[0];
        assert_eq!(
            (&d["count"], &d["min"], &d["max"], &d["mean"]),
            (&json!(8), &json!(2), &json!(9), &json!(5))
        );
        assert_eq!((&d["median"], &d["q1"], &d["q3"]), (&json!(4.5), &json!(4), &json!(5.5)));
        assert_eq!((&d["sd_population"], &d["sd_kind"]), (&json!(2.0), &json!("sample")));
        assert_eq!(d["sd"], json!(2.1380899352994));
        assert_eq!(d["_origin"], "user");
        assert_eq!(ran.outcome.fields["mean"], 5);
        assert!(ran.outcome.fields["text"].as_str().unwrap().starts_with("8 numbers from 2 to 9: mean 5"));
    }

    #[test]
    fn decimals_stay_exact() {
        let ran = seed("describe_numbers", json!({"values": [0.1, 0.2, "0.3"]}));
        assert_eq!((&ran.items[0]["mean"], &ran.items[0]["sum"]), (&json!(0.2), &json!(0.6)));
        let ran = seed("describe_numbers", json!({"values": [1, 1, 2]}));
        assert_eq!(ran.items[0]["mean"], json!(1.33333333333333));
    }

    #[test]
    fn nothing_is_described_as_nothing() {
        let ran = seed("describe_numbers", json!({"values": []}));
        assert!(ran.outcome.ok);
        assert_eq!((&ran.items[0]["count"], &ran.items[0]["mean"]), (&json!(0), &Value::Null));
        assert_eq!((&ran.items[0]["median"], &ran.items[0]["sd"]), (&Value::Null, &Value::Null));
        assert_eq!(ran.outcome.fields["text"], "No numbers.");
        let one = seed("describe_numbers", json!({"values": [3]}));
        assert_eq!((&one.items[0]["sd"], &one.items[0]["median"]), (&Value::Null, &json!(3)));
    }

    #[test]
    fn what_is_not_a_number_fails_alone_and_taint_is_joined() {
        let ran = seed(
            "describe_numbers",
            json!({"field": "size", "entries": [
                {"size": 10, "_origin": "local"}, {"size": "20", "_origin": "mail"}, {"size": "big"},
                {"name": "x"}, {"size": null}, {"size": [1]}, {"size": "nan"}, {"size": "inf"}]}),
        );
        assert!(!ran.outcome.ok && ran.outcome.partial);
        assert_eq!((ran.outcome.ok_count, ran.outcome.fail_count), (2, 6));
        assert_eq!((&ran.items[0]["mean"], &ran.items[0]["_origin"]), (&json!(15), &json!("mail")));
        assert_eq!(ran.outcome.failed[0].index, 2);
    }

    #[test]
    fn numbers_beyond_decimals_are_floats() {
        let ran = seed("describe_numbers", json!({"values": [1e300, 1, 1e-300, -1e300]}));
        assert!(ran.outcome.ok);
        assert_eq!((&ran.items[0]["max"], &ran.items[0]["min"]), (&json!(1e300), &json!(-1e300)));
        let ran = seed("describe_numbers", json!({"values": [1.7e308, 1.7e308]}));
        assert_eq!((&ran.items[0]["mean"], &ran.items[0]["sum"]), (&json!(1.7e308), &Value::Null));
    }

    #[test]
    fn a_million_values() {
        let values: Vec<u32> = (0..1_000_000).collect();
        let ran = seed("describe_numbers", json!({ "values": values }));
        assert_eq!((&ran.items[0]["count"], &ran.items[0]["median"]), (&json!(1_000_000), &json!(499_999.5)));
        assert_eq!(ran.items[0]["sum"], json!(499_999_500_000u64));
    }

    #[test]
    fn the_input_must_be_one_list() {
        for args in [json!({}), json!({"entries": [{"a": 1}]}), json!({"values": [1], "entries": []})] {
            assert_eq!(seed("describe_numbers", args).outcome.error.unwrap().class, ErrorClass::WrongArgs);
        }
    }
}
