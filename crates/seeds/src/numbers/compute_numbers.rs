//! `compute_numbers`: the value of an expression.

use super::digits::json;
use super::exact::{Number, NumberError};
use super::expression::{Quantity, evaluate};
use super::lexer::Lexicon;
use super::units::Units;
use super::words::Words;
use crate::call::Call;
use metnos_executor::{Failure, Origin};
use serde::Deserialize;

#[derive(Deserialize)]
struct Args {
    expression: String,
}

/// Computes `expression`.
pub fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let args: Args = call.args()?;
    let (units, words) = (Units::load()?, Words::of(&call.lang)?);
    let quantity = evaluate(&args.expression, &units, &Lexicon::load()?, &call.lang)
        .map_err(|wrong| Failure::wrong_args(format!("column {}: {}", wrong.column, wrong.message)))?;
    let answer = answer(quantity, &units, &words).map_err(|e| Failure::wrong_args(e.to_string()))?;
    let value = json(&answer.plain);
    let mut entry = serde_json::Map::new();
    entry.insert("expression".into(), args.expression.into());
    for (key, value) in [
        ("value", value),
        ("unit", answer.unit.into()),
        ("text", answer.text.into()),
        ("exact", answer.exact.into()),
    ] {
        call.set(key, value.clone());
        entry.insert(key.into(), value);
    }
    call.emit(&entry, Origin::User)?;
    call.outcome.ok_count = 1;
    Ok(())
}

struct Answer {
    plain: String,
    unit: String,
    text: String,
    exact: bool,
}

fn answer(quantity: Quantity, units: &Units, words: &Words) -> Result<Answer, NumberError> {
    let (n, unit) = if quantity.percent {
        (quantity.n.mul(Number::whole(100))?, "%".to_owned())
    } else {
        (quantity.n, units.symbol(quantity.unit))
    };
    let (plain, exact) = n.text();
    let number = plain.replace('.', &words.decimal);
    let text = match unit.as_str() {
        "" => number,
        "%" => format!("{number}%"),
        unit => format!("{number} {unit}"),
    };
    Ok(Answer { plain, unit, text, exact })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use crate::testing::run as seed;
    use metnos_executor::ErrorClass;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn value(expression: &str) -> Value {
        let ran = seed("compute_numbers", json!({ "expression": expression }));
        assert!(ran.outcome.ok, "{expression}: {:?}", ran.outcome.error);
        assert_eq!(ran.items.len(), 1);
        assert_eq!(ran.items[0]["value"], ran.outcome.fields["value"]);
        assert_eq!(ran.items[0]["_origin"], "user");
        ran.outcome.fields["value"].clone()
    }

    fn text(expression: &str) -> String {
        seed("compute_numbers", json!({ "expression": expression })).outcome.fields["text"]
            .as_str()
            .unwrap_or_else(|| panic!("{expression}"))
            .to_owned()
    }

    fn error(expression: &str) -> String {
        let ran = seed("compute_numbers", json!({ "expression": expression }));
        let error = ran.outcome.error.unwrap_or_else(|| panic!("{expression}: {:?}", ran.items));
        assert_eq!(error.class, ErrorClass::WrongArgs);
        assert!(ran.items.is_empty());
        error.message
    }

    fn italian(expression: &str) -> String {
        let (units, words) = (Units::load().unwrap(), Words::of("it").unwrap());
        match evaluate(expression, &units, &Lexicon::load().unwrap(), "it") {
            Ok(q) => answer(q, &units, &words).unwrap().text,
            Err(wrong) => format!("{}: {}", wrong.column, wrong.message),
        }
    }

    #[test]
    fn arithmetic_is_exact_and_has_its_usual_order() {
        assert_eq!(value("1 + 2 * 3"), 7);
        assert_eq!(value("0.1 + 0.2"), json!(0.3));
        assert_eq!(value("10 / 3 * 3"), 10);
        assert_eq!(value("-2^2"), -4);
        assert_eq!(value("2^3^2"), 512);
        assert_eq!(value("2^-1"), json!(0.5));
        assert_eq!(value("(1 + 2) × 3 ÷ 2 − 1"), json!(3.5));
        assert_eq!(value("--3"), 3);
        assert_eq!(value("10 % 4"), 2);
        assert_eq!(value("7 mod 4"), 3);
        assert_eq!(value("1e3 + 1.5e-1"), json!(1000.15));
        assert_eq!(value("2^100"), "1267650600228229401496703205376");
        assert_eq!(value("4^0.5"), 2);
        assert_eq!(value("3 x 4 plus 1_000"), 1012);
        assert_eq!(value("8^(1/3)"), 2);
        assert_eq!(value(".5 + .25"), json!(0.75));
    }

    #[test]
    fn a_rounded_answer_says_so() {
        let ran = seed("compute_numbers", json!({ "expression": "1/3" }));
        assert_eq!(ran.outcome.fields["exact"], false);
        assert_eq!(ran.outcome.fields["value"], json!(0.333333333333333));
        let ran = seed("compute_numbers", json!({ "expression": "1/8" }));
        assert_eq!(ran.outcome.fields["exact"], true);
    }

    #[test]
    fn functions() {
        assert_eq!(value("sqrt(16) + abs(-3)"), 7);
        assert_eq!(value("round(2.345, 2)"), json!(2.35));
        assert_eq!(value("min(3,1,2)"), 1);
        assert_eq!(value("max(1,5; 2)"), 2);
        assert_eq!(value("ceil(1.2) + floor(-1.2)"), 0);
        assert_eq!(text("max(1 km, 2000 m)"), "2000 m");
        assert!(error("min()").contains("does not take 0"));
        assert!(error("sqrt(-1)").contains("column 1"));
        assert!(error("round(1, 99)").contains("too large"));
    }

    #[test]
    fn percentages_mean_what_people_mean() {
        assert_eq!(value("20% of 350"), 70);
        assert_eq!(value("350 + 20%"), 420);
        assert_eq!(value("350 - 20%"), 280);
        assert_eq!(value("350 + 20% - 5"), 415);
        assert_eq!(text("20% + 5%"), "25%");
        assert_eq!(value("50% * 8"), 4);
        assert_eq!(text("3/8 in %"), "37.5%");
        assert_eq!(text("2 km + 10%"), "2.2 km");
        assert_eq!(value("100 + 10% + 10%"), 121);
        assert_eq!(text("10% of 50 km"), "5 km");
        assert_eq!(italian("20% di 350"), "70");
    }

    #[test]
    fn units_convert_and_combine() {
        assert_eq!(text("5 km in miles"), "3.10685596118667 mi");
        assert_eq!(text("100 F in C"), "37.7777777777778 °C");
        assert_eq!(text("-40 °F to °C"), "-40 °C");
        assert_eq!(text("20 C + 5 C"), "25 °C");
        assert_eq!(text("3 GiB / 10 MB"), "322.1225472");
        assert_eq!(text("2 h + 30 min in min"), "150 min");
        assert_eq!(text("1 h 30 min"), "1.5 h");
        assert_eq!(text("min(1 h, 30 min)"), "30 min");
        assert_eq!(text("0 K in °C"), "-273.15 °C");
        assert_eq!(text("1 GiB in MiB"), "1024 MiB");
        assert_eq!(text("5 ft 3 in in cm"), "160.02 cm");
        assert_eq!(text("12 in in cm"), "30.48 cm");
        assert_eq!(text("100 km / 2 h"), "50 km/h");
        assert_eq!(text("10 m/s in km/h"), "36 km/h");
        assert_eq!(text("2 m * 30 cm"), "0.6 m²");
        assert_eq!(text("2 m^2 in cm²"), "20000 cm²");
        assert_eq!(text("90 km/h * 20 min in km"), "30 km");
        assert_eq!(text("1 mile -> km"), "1.609344 km");
        assert_eq!(text("1 kg in lb"), "2.20462262184878 lb");
        assert_eq!(italian("2,5 chili in libbre"), "5,51155655462194 lb");
    }

    #[test]
    fn marks_between_digits() {
        assert_eq!(value("1,234.56 * 2"), json!(2469.12));
        assert_eq!(value("1.234,56 * 2"), json!(2469.12));
        assert_eq!(value("1,234 + 1"), 1235);
        assert_eq!(italian("1.234,56 + 1"), "1235,56");
        assert_eq!(italian("1,5 + 1"), "2,5");
        assert_eq!(italian("max(1,5; 2,5)"), "2,5");
        assert_eq!(italian("2 + 1.234"), "5: 1.234 may be 1234 or 1,2340: write one of these");
    }

    #[test]
    fn errors_name_their_column() {
        assert_eq!(error(""), "column 1: a number was expected here, but the expression ends");
        assert!(error("   ").starts_with("column 4:"));
        assert_eq!(error("1 + (2 * 3"), "column 5: this parenthesis is never closed");
        assert_eq!(error("1 + 2)"), "column 6: this parenthesis closes nothing");
        assert_eq!(error("1 / 0"), "column 3: division by zero");
        assert_eq!(error("5 % 0"), "column 3: division by zero");
        assert_eq!(error("0^-1"), "column 2: division by zero");
        assert_eq!(error("2 3"), "column 3: an operator was expected here");
        assert_eq!(error("1 + $"), "column 5: '$' has no meaning here");
        assert_eq!(error("3 parsecs"), "column 3: \"parsecs\" is neither a unit nor a function");
        assert!(error("3 km + 2 kg").contains("do not measure the same"));
        assert!(error("3 km in kg").contains("cannot become"));
        assert!(error("3 in kg").contains("a pure number cannot become kg"));
        assert!(error("20 C * 30 C").contains("degrees"));
        assert!(error("1..2").starts_with("column"));
    }

    #[test]
    fn absurd_expressions_end_as_errors() {
        for expression in [
            "10^10^10".to_owned(),
            "9^9^9^9".to_owned(),
            "(".repeat(10_000),
            "-".repeat(9_999),
            "2^".repeat(5_000),
            "sqrt(".repeat(2_000),
            "1e999999999999".to_owned(),
            "1e2147483647".to_owned(),
            "1e-2147483648".to_owned(),
            "9".repeat(5_000),
            "1+".repeat(50_000),
            "0.5^100000".to_owned(),
            "km^9999999999".to_owned(),
            "km^20*km^20*km^20*km^20*km^20*km^20".to_owned(),
            "99999999999999999999999999999999999 * 99999999999999999999999999999".to_owned(),
            "\0\u{202e}".to_owned(),
        ] {
            error(&expression);
        }
        assert_eq!(value(&format!("{}1", "-".repeat(9_998))), 1);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn never_panics_on_any_text(expression in "\\PC{0,60}") {
            seed("compute_numbers", json!({ "expression": expression }));
        }

        #[test]
        fn never_panics_on_near_expressions(expression in "([0-9]{1,12}|[.,^*/+%()-]| |km|in|GiB|°C|min|max\\(|sqrt\\(|of|e|;|²){0,30}") {
            let ran = seed("compute_numbers", json!({ "expression": expression }));
            prop_assert!(ran.outcome.ok || ran.outcome.error.is_some_and(|e| e.class == ErrorClass::WrongArgs));
        }
    }
}
