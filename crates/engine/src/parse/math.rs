//! Arithmetic and conversions, said in words or signs.

use super::Clause;
use super::dates::small;
use crate::catalog::Role;
use crate::text::Lit;
use serde_json::Value;

impl Clause<'_> {
    /// An expression, when the clause is nothing but one.
    pub(crate) fn expression(&mut self) -> bool {
        // "the photos from 3/10": a day of things, and no division.
        let things = self.items.iter().any(|item| item.sense("noun").is_some());
        if things && (0..self.len()).any(|at| self.slashed_day(at).is_some()) {
            return false;
        }
        let found = self
            .conversion()
            .or_else(|| self.percentage())
            .or_else(|| self.reckoned())
            .or_else(|| self.arithmetic());
        let Some(expression) = found else { return false };
        self.frame.set(Role::Expression, expression);
        self.take(0, self.len(), "expression");
        true
    }

    /// "the average of 4, 8 and 15": two numbers or more, what is asked of them, and nothing else. A sum is an expression.
    pub(crate) fn listed_numbers(&mut self) -> bool {
        let numbers: Vec<usize> =
            (0..self.len()).filter(|at| matches!(self.lit(*at), Some(Lit::Number(_)))).collect();
        let (Some(first), Some(last)) = (numbers.first(), numbers.last()) else { return false };
        let between = |at: usize| {
            let item = &self.items[at];
            numbers.contains(&at) || item.is_comma() || item.is("then", "and") || item.is("bound", "and")
        };
        let sums = |item: &super::Item| item.is("stat", "sum") || item.command() == Some("sum");
        let asks = |item: &super::Item| {
            sums(item)
                || matches!(item.sense("stat"), Some("avg" | "median" | "min" | "max"))
                || item.sense("stat_group").is_some()
        };
        let light = |at: usize| {
            let item = &self.items[at];
            let verb = item.command().is_none_or(|id| self.senses.asks(id));
            let cats = ["math_ask", "polite", "stop", "numbers", "self", "which_one"];
            between(at)
                || item.is_symbol()
                || asks(item)
                || verb && cats.iter().any(|cat| item.sense(cat).is_some())
                || item.command().is_some_and(|id| self.senses.asks(id))
        };
        let whole = numbers.len() > 1 && (*first..=*last).all(between) && (0..self.len()).all(light);
        if !whole || !self.items.iter().any(asks) {
            return false;
        }
        let values: Vec<f64> = numbers.iter().filter_map(|at| self.items[*at].number()).collect();
        if self.items.iter().filter(|item| asks(item)).all(sums) {
            let terms: Vec<String> = values.iter().map(f64::to_string).collect();
            self.frame.set(Role::Expression, terms.join("+"));
        } else {
            let whole = |n: f64| small::<i64>(n).filter(|i| *i as f64 == n);
            let values: Vec<Value> =
                values.iter().map(|n| whole(*n).map_or(Value::from(*n), Value::from)).collect();
            self.frame.set(Role::Values, values);
            self.frame.verbs.push("describe".to_owned());
        }
        self.frame.verb = None;
        self.take(0, self.len(), "numbers");
        true
    }

    /// Nothing else is said: only asking words around the given places.
    fn only(&self, used: &[usize]) -> bool {
        self.items.iter().enumerate().all(|(at, item)| {
            used.contains(&at)
                || item.is_symbol()
                || ["math_ask", "polite", "stop", "measure_to", "condition"]
                    .iter()
                    .any(|cat| item.sense(cat).is_some())
                || matches!(item.command(), Some("find" | "compute" | "convert"))
        })
    }

    fn conversion(&self) -> Option<String> {
        let number = (0..self.len())
            .find(|at| self.items[*at].number().is_some() && self.sense(at + 1, "measure").is_some())?;
        let from = number + 1;
        // The unit looked for stands after "to", or before: "how many grams are 3 pounds".
        let to = (from + 1..self.len())
            .find(|at| self.sense(*at, "measure").is_some())
            .or_else(|| (0..number).find(|at| self.sense(*at, "measure").is_some()))?;
        let linked = (0..self.len()).any(|at| self.sense(at, "measure_to").is_some());
        if !linked || !self.only(&[number, from, to]) {
            return None;
        }
        Some(format!(
            "{} {} to {}",
            self.digits(number)?,
            self.sense(from, "measure")?,
            self.sense(to, "measure")?
        ))
    }

    fn digits(&self, at: usize) -> Option<String> {
        let item = &self.items[at];
        Some(item.number()?.to_string())
    }

    fn percentage(&self) -> Option<String> {
        let sign = (1..self.len())
            .find(|at| self.is(*at, "math", "%") || matches!(self.lit(*at), Some(Lit::Symbol('%'))))?;
        let of = self.skip_of(sign + 1);
        let (part, whole) = (sign - 1, of);
        if self.items.get(whole)?.number().is_none() || !self.only(&[part, sign, whole]) {
            return None;
        }
        Some(format!("{}*{}/100", self.digits(whole)?, self.digits(part)?))
    }

    fn skip_of(&self, mut at: usize) -> usize {
        while self.items.get(at).is_some_and(|i| i.sense("prep").is_some() || i.sense("stop").is_some()) {
            at += 1;
        }
        at
    }

    /// "divide 96 by 8", "take 5 from 12": the verb says what is done with the two numbers around a small word.
    fn reckoned(&self) -> Option<String> {
        let verb = (0..self.len()).find(|at| self.sense(*at, "math_verb").is_some())?;
        let numbers: Vec<usize> = (0..self.len()).filter(|at| self.digit(*at)).collect();
        let [first, second] = numbers[..] else { return None };
        let binds = |at: usize| {
            let item = &self.items[at];
            ["math", "prep", "stop", "by", "bound", "then"].iter().any(|cat| item.sense(cat).is_some())
        };
        let used: Vec<usize> = std::iter::once(verb).chain(first..=second).collect();
        let between = (first + 1..second).all(binds) && first + 1 < second;
        if verb > first || !between || !self.only(&used) {
            return None;
        }
        let (a, b) = (self.digits(first)?, self.digits(second)?);
        let from = (first + 1..second).any(|at| self.is(at, "prep", "from"));
        Some(match self.sense(verb, "math_verb")? {
            "minus" if from => format!("{b}-{a}"),
            "minus" => format!("{a}-{b}"),
            "times" => format!("{a}*{b}"),
            "plus" => format!("{a}+{b}"),
            _ => format!("{a}/{b}"),
        })
    }

    fn digit(&self, at: usize) -> bool {
        matches!(self.lit(at), Some(Lit::Number(_)))
    }

    fn arithmetic(&self) -> Option<String> {
        let mut out = String::new();
        let mut used = Vec::new();
        let (mut numbers, mut signs) = (0, 0);
        let mut open = false;
        for at in 0..self.len() {
            let item = &self.items[at];
            let sign =
                item.sense("math").filter(|_| numbers > 0 || item.is("math", "sqrt")).map(str::to_owned).or(
                    match item.lit {
                        Lit::Symbol(c @ ('+' | '-' | '*' | '/' | '^' | '(' | ')')) => Some(c.to_string()),
                        Lit::Symbol('×') => Some("*".to_owned()),
                        Lit::Symbol('÷') => Some("/".to_owned()),
                        _ => None,
                    },
                );
            if let Some(n) =
                item.number().filter(|_| matches!(item.lit, Lit::Number(_)) || item.sense("stop").is_none())
            {
                out.push_str(&n.to_string());
                numbers += 1;
                used.push(at);
                if open {
                    out.push(')');
                    open = false;
                }
            } else if let Lit::Slashed(text) = &item.lit
                && text.bytes().all(|b| b.is_ascii_digit() || b == b'/' || b == b'.')
            {
                out.push_str(text);
                (numbers, signs) = (numbers + 2, signs + 1);
                used.push(at);
            } else if let Some(sign) = sign {
                if sign == "sqrt" {
                    out.push_str("sqrt(");
                    open = true;
                } else {
                    out.push_str(&sign);
                }
                signs += 1;
                used.push(at);
            }
        }
        let enough = numbers > 0 && signs > 0 && (numbers > 1 || out.contains('^') || out.contains("sqrt"));
        (enough && self.only(&used)).then_some(out)
    }
}
