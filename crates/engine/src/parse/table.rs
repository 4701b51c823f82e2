//! Tables: conditions on a column, what is computed of one, and the column that orders the rows.

use super::dates::small;
use super::{Clause, Item, Order};
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// "column 'x'", "where city is Rome", "sheet 'Q3'".
    pub(crate) fn table_cues(&mut self) {
        self.column_order();
        self.column_groups();
        for at in 0..self.len() {
            if !self.free(at) && Some(at) != self.verb_at {
                continue;
            }
            if let Some((value, end)) = self.measured(at) {
                self.frame.field = Some(value);
                self.take(at + 1, end, "column");
            } else if let Some((value, from, end)) = self.sheet(at) {
                self.frame.set(Role::Sheet, value);
                self.take(from, end, "sheet");
            } else if let Some((field, value, end)) = self.held_by(at) {
                self.on_column((field, Role::WhereValue, value.into()));
                self.take(at, end, "column");
            } else if self.is(at, "cue", "column") {
                let after = self.value_after(at, true).filter(|(_, end)| *end <= at + 3);
                let named = after.filter(|(_, end)| {
                    self.sense(end - 1, "cue").is_none() && self.sense(end - 1, "prep").is_none()
                });
                let (value, from, end) = match named {
                    Some((value, end)) => (value, at, end),
                    None => match self.column_before(at) {
                        Some((value, before)) => (value, before, at + 1),
                        None => continue,
                    },
                };
                self.take(from, end, "column");
                if !self.column_condition(&value, end) {
                    self.frame.field = Some(value);
                }
            } else if self.is(at, "cue", "value") || self.compares(at) {
                let Some((field, before)) = self.column_before(at) else { continue };
                if self.column_condition(&field, at) {
                    self.take(before, at + 1, "column");
                }
            }
        }
    }

    /// Notes a condition on a column, beside those that were said before.
    fn on_column(&mut self, condition: (String, Role, serde_json::Value)) {
        self.frame.columns.extend(self.frame.column.replace(condition));
    }

    /// "the sheet 'Q3'", "the tab called 'Q3'", "the 'Q3' sheet".
    fn sheet(&self, at: usize) -> Option<(String, usize, usize)> {
        if !self.is(at, "cue", "sheet") {
            return None;
        }
        let named = at + usize::from(self.is(at + 1, "cue", "named"));
        let after = self.value_after(named, false).filter(|(_, end)| *end == named + 2);
        let before =
            at.checked_sub(1).filter(|b| self.free(*b) && matches!(self.lit(*b), Some(Lit::Quoted(_))));
        after
            .map(|(value, end)| (value, at, end))
            .or_else(|| before.map(|before| (self.items[before].text.clone(), before, at + 1)))
    }

    /// "'Milan' in the city column", "'part-time' as the contract": a value, and the column that holds it.
    fn held_by(&self, at: usize) -> Option<(String, String, usize)> {
        let Some(Lit::Quoted(value)) = self.lit(at) else { return None };
        let as_column = self.is(at + 1, "cue", "as_column");
        let inside = matches!(self.sense(at + 1, "prep"), Some("in" | "inor" | "of"));
        let led = as_column || inside;
        let next = if led { self.skip_stops(at + 2) } else { at + 1 };
        let word = |at: usize| {
            let item = self.items.get(at).filter(|item| item.free())?;
            match &item.lit {
                Lit::Quoted(text) => Some(text.clone()),
                Lit::Word if item.words == 1 && item.sense("prep").is_none() => Some(item.text.clone()),
                _ => None,
            }
        };
        let column = |at: usize| self.is(at, "cue", "column");
        let (name, end) = if column(next) {
            (word(self.skip_stops(next + 1))?, self.skip_stops(next + 1) + 1)
        } else if led && column(next + 1) {
            (word(next)?, next + 2)
        } else {
            (word(next).filter(|_| as_column)?, next + 1)
        };
        Some((name, value.clone(), end))
    }

    /// "per 'region'", "for each city", "by the column x": what the rows are grouped by, where nothing puts them in order.
    fn column_groups(&mut self) {
        if self.frame.order.is_some() || !self.frame.group.is_empty() {
            return;
        }
        for at in 0..self.len() {
            let ordered = self.items[at].sense("order").is_some();
            let Some((column, from, end)) = self.ordered_by(at).filter(|_| !ordered) else { continue };
            self.frame.group.push(column);
            self.take(from, end, "group");
            return;
        }
    }

    /// "… over 100": a comparison with a bare number, which no size and no age is.
    fn compares(&self, at: usize) -> bool {
        let counted = |i: usize| {
            self.number(i).is_some()
                && self.sense(i + 1, "size_unit").is_none()
                && self.sense(i + 1, "unit").is_none()
        };
        self.sense(at, "compare").is_some() && (counted(at + 1) || counted(self.skip_stops(at + 1)))
    }

    /// The word right before `at` when it can be a column: any word that does not only bind others.
    pub(super) fn column_before(&self, at: usize) -> Option<(String, usize)> {
        let before = at.checked_sub(1)?;
        let item = self.items.get(before).filter(|item| item.free())?;
        let binds = ["pron", "prep", "then", "subject", "by"].iter().any(|cat| item.sense(cat).is_some());
        if matches!(item.lit, Lit::Word) && item.words == 1 && !binds && item.command().is_none() {
            return Some((item.text.clone(), before));
        }
        self.value_before(at)
    }

    /// "sorted by amount", "by 'Total', highest first": the column a table is put in order by.
    fn column_order(&mut self) {
        let orders = |item: &Item| {
            let verbs = item.senses.iter().filter(|s| s.cat == "verb");
            verbs.filter_map(|s| self.senses.verb.get(s.id.as_str())).any(|verb| verb.orders)
        };
        let sense = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let turned = self.verb_at.filter(|_| sense.is_some_and(|verb| verb.orders));
        let Some(verb) = self.items.iter().position(orders).or(turned) else { return };
        let Some((column, from, end)) = (verb + 1..self.len()).find_map(|at| self.ordered_by(at)) else {
            return;
        };
        self.take(from, end, "order");
        let mut order = "asc".to_owned();
        for at in 0..self.len() {
            let said = self.sense(at, "direction").map(str::to_owned);
            let said = said.or_else(|| Some(self.senses.order.get(self.sense(at, "order")?)?.order.clone()));
            if let Some(said) = said.filter(|_| self.free(at)) {
                order = said;
                self.take(at, at + 1, "order");
            }
        }
        self.frame.order = Some(Order { field: column, order, limit: None });
    }

    /// The column named at `at` by "by x", also where that phrase means an order of files.
    fn ordered_by(&self, at: usize) -> Option<(String, usize, usize)> {
        let item = self.items.get(at).filter(|item| item.free())?;
        if let Some((led, last)) = item.text.rsplit_once(' ').filter(|_| item.words > 2)
            && item.sense("order").is_some()
            && self.lexicon.carries(&led.to_lowercase(), "by")
        {
            return Some((last.to_owned(), at, at + 1));
        }
        if item.sense("order").is_some() && item.words == 2 {
            let (first, last) = item.text.split_once(char::is_whitespace)?;
            let by = self.lexicon.single(&first.to_lowercase())?.senses.iter().any(|s| s.cat == "by");
            return by.then(|| (last.trim().to_owned(), at, at + 1));
        }
        if !item.is("by", "by") && !item.is("by", "order") {
            return None;
        }
        let column = |at: usize| {
            let item = self.items.get(at).filter(|item| item.free())?;
            match &item.lit {
                Lit::Quoted(text) => Some((text.clone(), at + 1)),
                Lit::Word if item.capital => self.name(at, false),
                Lit::Word if item.words == 1 => Some((item.text.clone(), at + 1)),
                _ => None,
            }
        };
        let next = self.skip_stops(at + 1);
        // "by the column x"
        let next = if self.is(next, "cue", "column") { self.skip_stops(next + 1) } else { next };
        let ends = ["direction", "prep", "then", "order"].iter().any(|cat| self.sense(next, cat).is_some());
        let named = column(next).filter(|_| !ends);
        // A word that elsewhere only binds is a column when nothing else is named.
        let named = named.or_else(|| if next > at + 1 { column(next - 1) } else { None });
        named.map(|(name, end)| (name, at, end))
    }

    /// "by category", of the rows of a table: a column, as it is written. A month or a year is one of the dates.
    pub(crate) fn column_group(&self, at: usize) -> Option<(String, usize)> {
        let orders = |item: &Item| {
            let verbs = item.senses.iter().filter(|s| s.cat == "verb");
            verbs.filter_map(|s| self.senses.verb.get(s.id.as_str())).any(|verb| verb.orders)
        };
        if !self.tabular() || self.items.iter().any(orders) {
            return None;
        }
        let next = self.skip_stops(at);
        let item = self.items.get(next).filter(|item| item.free())?;
        let time = matches!(item.sense("group"), Some("month" | "year" | "day"));
        // "in a file called ~/x.csv" groups nothing.
        let file = item.is("noun", "file") && self.is(next + 1, "cue", "named");
        let binds = file || ["prep", "then", "pron", "cue"].iter().any(|cat| item.sense(cat).is_some());
        match &item.lit {
            Lit::Quoted(text) => Some((text.clone(), next + 1)),
            Lit::Word if item.words == 1 && !time && !binds => Some((item.text.clone(), next + 1)),
            _ => None,
        }
    }

    /// "the highest 'Price'", "the total of Amount": what a computation is asked of, in a table.
    fn measured(&self, at: usize) -> Option<(String, usize)> {
        let stat = self.sense(at, "stat").filter(|id| *id != "count" && *id != "size").is_some();
        let counts = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let verb = Some(at) == self.verb_at && counts.is_some_and(|v| v.stat.as_deref() == Some("sum"));
        if !(stat || verb) || self.frame.field.is_some() {
            return None;
        }
        let next = self.skip_stops(at + 1);
        // "the highest value under 'Score'"
        let under = self.sense(next, "prep").is_some() && matches!(self.lit(next + 1), Some(Lit::Quoted(_)));
        let of = self.is(next, "prep", "of") || under;
        let (first, next) = if of { (next + 1, self.skip_stops(next + 1)) } else { (at + 1, next) };
        // A word that elsewhere only binds is a column when nothing else is named: "the total of amount".
        let binds = next.checked_sub(1).filter(|last| *last >= first && !self.can_be_column(next));
        let article = |at: usize| self.lexicon.articles.contains(&self.items[at].norm);
        if let Some(last) = binds.filter(|last| !article(*last) && self.sense(*last, "prep").is_none()) {
            return Some((self.items[last].text.clone(), next));
        }
        let Some(item) = self.items.get(next).filter(|i| i.free()) else { return self.plain_column(at + 1) };
        let open = item.capital || item.senses.is_empty() || self.is_field(next);
        let named = matches!(item.lit, Lit::Quoted(_)) || matches!(item.lit, Lit::Word) && open;
        if let Some(plain) = self.plain_column(at + 1).filter(|_| !named) {
            return Some(plain);
        }
        let beside = self.is(next + 1, "cue", "column") || item.sense("cue").is_some();
        self.name(next, true).filter(|_| named && !beside)
    }

    /// Whether a column can be named here: in quotes, with a capital, or by a word that means nothing else.
    fn can_be_column(&self, at: usize) -> bool {
        self.items.get(at).filter(|item| item.free()).is_some_and(|item| match item.lit {
            Lit::Quoted(_) => true,
            Lit::Word => {
                item.capital || item.senses.is_empty() || item.sense("cue").is_some() || self.is_field(at)
            }
            _ => false,
        })
    }

    /// A word for what texts hold, such as an amount or a price, before what the rows are grouped by or where they are.
    fn is_field(&self, at: usize) -> bool {
        let ends = |item: &Item| !item.free() || item.is_symbol() || item.sense("prep").is_some();
        self.sense(at, "extract_field").is_some() && self.items.get(at + 1).is_none_or(ends)
    }

    /// "sum amount by category": any word, right before what the rows are grouped by.
    fn plain_column(&self, at: usize) -> Option<(String, usize)> {
        let article =
            |i: &usize| self.items.get(*i).is_some_and(|item| self.lexicon.articles.contains(&item.norm));
        let at = at + usize::from(article(&at));
        let item = self.items.get(at).filter(|item| item.free() && item.words == 1)?;
        let word =
            matches!(item.lit, Lit::Word) && item.sense("prep").is_none() && item.sense("cue").is_none();
        let grouped = self.items.get(at + 1).is_some_and(|next| next.is("by", "by") || next.taken == "group");
        (word && grouped).then(|| (item.text.clone(), at + 1))
    }

    /// "… is Rome", "… equal to 'Torino'", "… greater than 100" at `at`.
    fn column_condition(&mut self, field: &str, at: usize) -> bool {
        let mut at = at;
        while self.items.get(at).is_some_and(|i| {
            i.free() && !i.is("cue", "value") && i.sense("compare").is_none() && i.sense("stop").is_some()
        }) {
            at += 1;
        }
        let value_at = if self.is(at, "cue", "value") { at + 1 } else { at };
        if let Some(compare) = self.sense(value_at, "compare").map(str::to_owned)
            && let Some(n) = self.number(self.skip_stops(value_at + 1)).or_else(|| self.number(value_at + 1))
        {
            let end = if self.number(value_at + 1).is_some() {
                value_at + 2
            } else {
                self.skip_stops(value_at + 1) + 1
            };
            let role = if compare == "gt" { Role::WhereMin } else { Role::WhereMax };
            let value = small::<i64>(n).map_or_else(|| serde_json::Value::from(n), serde_json::Value::from);
            self.on_column((field.to_owned(), role, value));
            self.take(at, end, "column");
            return true;
        }
        let contains = self.is(at, "cue", "contains");
        if value_at == at && !contains {
            return false;
        }
        let from = if contains { at } else { value_at - 1 };
        let Some((value, end)) = self.value_after(from, true) else { return false };
        let role = if contains { Role::WhereContains } else { Role::WhereValue };
        let value = match self.lit(end - 1) {
            Some(Lit::Number(n)) => {
                small::<i64>(*n).map_or_else(|| serde_json::Value::from(*n), serde_json::Value::from)
            }
            _ => value.into(),
        };
        self.on_column((field.to_owned(), role, value));
        self.take(at, end, "column");
        true
    }
}
