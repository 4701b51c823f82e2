//! A shape as a grammar in llama.cpp's notation: what it cannot derive cannot be generated.

use crate::{Field, Shape};
use std::fmt::Write as _;

/// Rules that several others use.
const TEXT: &str = "text ::= \"\\\"\" char* \"\\\"\"\nchar ::= [^\"\\\\\\x7F\\x00-\\x1F] | \"\\\\\" ([\"\\\\bfnrt/] | \"u\" [0-9a-fA-F]{4})\n";
const MOMENT: &str = "moment ::= \"\\\"\" [0-9]{4} \"-\" [0-1] [0-9] \"-\" [0-3] [0-9] (\"T\" [0-2] [0-9] \":\" [0-5] [0-9] \":\" [0-5] [0-9] (\"Z\" | [+-] [0-2] [0-9] \":\" [0-5] [0-9]))? \"\\\"\"\n";
const WHOLE: &str = "whole ::= \"0\" | [1-9] [0-9]{0,14}\n";
const BOOL: &str = "bool ::= \"true\" | \"false\"\n";

/// The grammar of a shape; its first rule is `root`.
pub(crate) fn grammar(shape: &Shape) -> String {
    let mut writer = Writer::default();
    let root = writer.expression(shape);
    let mut out = format!("root ::= {root}\n{}", writer.rules);
    for (name, rule) in [("text", TEXT), ("moment", MOMENT), ("bool", BOOL)] {
        if writer.uses(name) {
            out.push_str(rule);
        }
    }
    if writer.uses("whole") {
        out.push_str(WHOLE);
    }
    out
}

#[derive(Default)]
struct Writer {
    rules: String,
    used: std::collections::BTreeSet<&'static str>,
    count: usize,
}

impl Writer {
    fn uses(&self, name: &str) -> bool {
        self.used.contains(name)
    }

    fn shared(&mut self, name: &'static str) -> String {
        self.used.insert(name);
        name.to_owned()
    }

    fn next(&mut self) -> String {
        self.count += 1;
        format!("r{}", self.count)
    }

    fn rule(&mut self, name: &str, body: &str) {
        let _ = writeln!(self.rules, "{name} ::= {body}");
    }

    /// What derives a shape: a literal, the name of a rule, or a few of them.
    fn expression(&mut self, shape: &Shape) -> String {
        match shape {
            Shape::Text(_) => self.shared("text"),
            Shape::Moment => self.shared("moment"),
            Shape::Bool => self.shared("bool"),
            Shape::Choice(words) => {
                let words: Vec<String> = words.iter().map(|word| literal(&json(word))).collect();
                group(&words)
            }
            Shape::Integer(least, most) => self.integer(*least, *most),
            Shape::Number => {
                self.used.insert("whole");
                "\"-\"? whole (\".\" [0-9]{1,6})?".to_owned()
            }
            Shape::List(of, least, most) => self.list(of, *least, *most),
            Shape::Record(fields) => self.record(fields),
            Shape::OneOf(shapes) => {
                let alternatives: Vec<String> = shapes.iter().map(|shape| self.expression(shape)).collect();
                let name = self.next();
                self.rule(&name, &alternatives.join(" | "));
                name
            }
        }
    }

    /// Short ranges are spelled out; long ones are held by the check.
    fn integer(&mut self, least: i64, most: i64) -> String {
        if most.checked_sub(least).is_some_and(|span| span < 20) {
            let all: Vec<String> = (least..=most).map(|n| literal(&n.to_string())).collect();
            return group(&all);
        }
        let whole = self.shared("whole");
        if least < 0 { format!("\"-\"? {whole}") } else { whole }
    }

    fn list(&mut self, of: &Shape, least: usize, most: usize) -> String {
        let item = self.expression(of);
        let name = self.next();
        let body = match (least, most) {
            (_, 0) => "\"[]\"".to_owned(),
            (0, 1) => format!("\"[\" ({item})? \"]\""),
            (_, 1) => format!("\"[\" {item} \"]\""),
            _ => {
                // Long lists are held by the check: counting them would make the grammar slow.
                let (few, many) = (least.saturating_sub(1), most - 1);
                let more = if many > 24 { format!("{{{few},}}") } else { format!("{{{few},{many}}}") };
                let all = format!("{item} (\",\" {item}){more}");
                if least == 0 { format!("\"[\" ({all})? \"]\"") } else { format!("\"[\" {all} \"]\"") }
            }
        };
        self.rule(&name, &body);
        name
    }

    /// The fields in their order, each optional one there or not: after a field may come any up to
    /// the next one that must be there.
    fn record(&mut self, fields: &[Field]) -> String {
        let name = self.next();
        for (n, field) in fields.iter().enumerate() {
            let value = self.expression(&field.shape);
            let key = literal(&format!("{}:", json(&field.name)));
            let rest = match following(&name, fields, n + 1) {
                None => String::new(),
                Some((next, true)) => format!(" \",\" {next}"),
                Some((next, false)) => format!(" (\",\" {next})?"),
            };
            self.rule(&format!("{name}-{n}"), &format!("{key} {value}{rest}"));
        }
        let body = match following(&name, fields, 0) {
            None => "\"{}\"".to_owned(),
            Some((next, true)) => format!("\"{{\" {next} \"}}\""),
            Some((next, false)) => format!("\"{{\" ({next})? \"}}\""),
        };
        self.rule(&name, &body);
        name
    }
}

/// Which fields may come at `from`, and whether one must.
fn following(name: &str, fields: &[Field], from: usize) -> Option<(String, bool)> {
    let must = fields.iter().skip(from).position(|field| field.required).map(|n| from + n);
    let last = must.unwrap_or(fields.len().checked_sub(1)?);
    if from > last {
        return None;
    }
    let all: Vec<String> = (from..=last).map(|n| format!("{name}-{n}")).collect();
    Some((group(&all), must.is_some()))
}

fn group(alternatives: &[String]) -> String {
    match alternatives {
        [one] => one.clone(),
        many => format!("({})", many.join(" | ")),
    }
}

/// A text as JSON writes it.
fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A text as the grammar quotes it.
fn literal(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn field(name: &str, required: bool) -> Field {
        Field { name: name.into(), shape: Shape::Bool, required }
    }

    #[test]
    fn fields_keep_their_order_and_only_optional_ones_may_be_left_out() {
        let record = Shape::Record(vec![field("a", false), field("b", true), field("c", false)]);
        let grammar = grammar(&record);
        assert!(grammar.contains("r1 ::= \"{\" (r1-0 | r1-1) \"}\""), "{grammar}");
        assert!(grammar.contains("r1-0 ::= \"\\\"a\\\":\" bool \",\" r1-1\n"), "{grammar}");
        assert!(grammar.contains("r1-1 ::= \"\\\"b\\\":\" bool (\",\" r1-2)?\n"), "{grammar}");
        assert!(grammar.contains("r1-2 ::= \"\\\"c\\\":\" bool\n"), "{grammar}");
        assert!(super::grammar(&Shape::Record(Vec::new())).contains("r1 ::= \"{}\""));
    }

    #[test]
    fn lists_and_numbers_are_bounded_and_words_are_quoted() {
        let of = |shape| grammar(&shape);
        assert!(of(Shape::List(Box::new(Shape::Bool), 1, 12)).contains("bool (\",\" bool){0,11}"));
        assert!(of(Shape::List(Box::new(Shape::Bool), 0, 1)).contains("(bool)?"));
        assert_eq!(of(Shape::Integer(1, 2)), "root ::= (\"1\" | \"2\")\n");
        assert!(of(Shape::Integer(0, 1000)).starts_with("root ::= whole\n"));
        assert_eq!(of(Shape::Choice(vec!["a\"b".into()])), "root ::= \"\\\"a\\\\\\\"b\\\"\"\n");
    }
}
