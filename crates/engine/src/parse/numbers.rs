//! Sizes, orders, counts, computations, groups.

use super::dates::small;
use super::{Clause, Item, Order};
use crate::catalog::Role;
use crate::lexicon::OrderSense;
use crate::text::Lit;

impl Clause<'_> {
    /// "bigger than 5 MB", "between 500 KB and 1 MB".
    pub(crate) fn sizes(&mut self) {
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            let compare: Vec<String> = self.items[at]
                .senses
                .iter()
                .filter(|s| s.cat == "compare")
                .map(|s| s.id.to_string())
                .collect();
            if compare.is_empty() {
                continue;
            }
            let from = self.skip_stops(at + 1).min(at + 3);
            let from = if self.number(at + 1).is_some() { at + 1 } else { from };
            if compare.iter().any(|c| c == "between")
                && let Some((low, high, end)) = self.size_range(from)
            {
                self.frame.set(Role::SizeMin, low);
                self.frame.set(Role::SizeMax, high);
                self.take(at, end, "size");
                continue;
            }
            let Some((bytes, end)) = self.size(from) else { continue };
            // "from 5 MB": whether up or down, or about, is not said.
            if compare.iter().all(|c| c == "between") {
                continue;
            }
            let role = if compare.iter().any(|c| c == "gt") { Role::SizeMin } else { Role::SizeMax };
            self.frame.set(role, bytes);
            // "that weigh more than": the verb before belongs to it.
            self.take(at, end, "size");
        }
    }

    fn size(&self, at: usize) -> Option<(u64, usize)> {
        // "over the gigabyte" is over one.
        let (n, next) = self.number(at).map_or((1.0, at), |n| (n, at + 1));
        // "one and a half GB", "one giga and a half".
        let before = usize::from(next > at && self.sense(next, "half").is_some());
        let unit: f64 = self.sense(next + before, "size_unit")?.parse().ok()?;
        let after = usize::from(before == 0 && self.sense(next + 1, "half").is_some());
        let half = 0.5 * (before + after) as f64;
        Some((small_u64((n + half) * unit)?, next + 1 + before + after))
    }

    fn size_range(&self, at: usize) -> Option<(u64, u64, usize)> {
        let first = self.number(at)?;
        let unit = self.sense(at + 1, "size_unit").and_then(|u| u.parse::<f64>().ok());
        let and = at + 1 + usize::from(unit.is_some());
        if !(self.is(and, "then", "and") || self.is(and, "bound", "and")) {
            return None;
        }
        let (high, end) = self.size(self.skip_stops(and + 1))?;
        let second_unit: f64 = self.sense(end - 1, "size_unit")?.parse().ok()?;
        Some((small_u64(first * unit.unwrap_or(second_unit))?, high, end))
    }

    /// "at most twenty"
    pub(crate) fn at_most(&mut self) {
        for at in 0..self.len() {
            if self.free(at)
                && self.is(at, "cue", "top")
                && let Some(n) = self.number(at + 1).and_then(small::<u64>)
                && self.sense(at + 2, "size_unit").is_none()
                && self.sense(at + 2, "unit").is_none()
            {
                self.frame.set(Role::AtMost, n);
                self.take(at, at + 2, "limit");
            } else if self.free(at) && at + 1 == self.len() && self.is(at, "cue", "top") {
                // "twenty songs at most"
                let before =
                    (0..at).rev().find(|n| self.free(*n) && self.number(*n).is_some_and(|n| n > 1.0));
                if let Some((n, count)) = before.and_then(|n| Some((n, small::<u64>(self.number(n)?)?))) {
                    self.frame.set(Role::AtMost, count);
                    self.take(n, n + 1, "limit");
                    self.take(at, at + 1, "limit");
                }
            }
        }
    }

    /// "which five processes are hogging the CPU": so many of an order that is said without a superlative.
    pub(crate) fn most_loaded(&mut self) {
        if !self.frame.has(Role::LoadBy) || self.frame.order.is_some() || self.changes() {
            return;
        }
        let count = |at: usize| self.number(at).filter(|n| *n > 1.0).and_then(small::<u64>);
        let counted = |at: &usize| self.free(*at) && self.sense(at + 1, "noun").is_some();
        let found = (0..self.len()).filter(counted).find_map(|at| Some((at, count(at)?)));
        if let Some((at, n)) = found {
            self.frame.set(Role::Limit, n);
            self.take(at, at + 1, "limit");
        }
    }

    /// "the first five rows": of an order that was said, or of the rows as they are.
    pub(crate) fn first_few(&mut self) {
        let things = |at: usize| {
            let row = ["row", "line", "file", "result"].iter().any(|id| self.is(at, "noun", id));
            row || self.items.get(at).is_none_or(Item::is_symbol)
        };
        let count = |at: usize| self.number(at + 1).and_then(small::<u64>).filter(|n| *n > 0);
        let found = (0..self.len())
            .filter(|at| self.free(*at) && self.is(*at, "first", "first") && things(at + 2))
            .find_map(|at| Some((at, count(at)?)));
        let Some((at, n)) = found else { return };
        self.take(at, at + 2, "limit");
        let rows = self.frame.table && self.frame.stats.is_empty() && self.names_a_file();
        match &mut self.frame.order {
            Some(order) if order.limit.is_none() => order.limit = Some(n),
            Some(_) => self.frame.leftover.push(n.to_string()),
            // A table has an order of its own.
            None if rows => self.frame.set(Role::AtMost, n),
            None => self.frame.first = Some(n),
        }
    }

    /// "the smallest, largest and average size": among what is computed, a superlative is computed too.
    pub(crate) fn extremes(&mut self) {
        let extreme = |clause: &Self, at: usize| match clause.sense(at, "super").filter(|_| clause.free(at)) {
            Some("biggest") => Some("max"),
            Some("smallest") => Some("min"),
            _ => None,
        };
        let listed = |clause: &Self, at: usize| {
            clause
                .items
                .get(at)
                .is_some_and(|i| i.is_comma() || i.is("then", "and") || super::clause::only_stop(i))
        };
        let computed = |clause: &Self, at: usize| {
            clause.free(at) && matches!(clause.sense(at, "stat"), Some("avg" | "median" | "min" | "max"))
        };
        if self.changes() {
            return;
        }
        for at in 0..self.len() {
            if extreme(self, at).is_none() {
                continue;
            }
            let mut end = at + 1;
            while listed(self, end) || extreme(self, end).is_some() {
                end += 1;
            }
            if !computed(self, end)
                || !self.items[at + 1..end].iter().any(|i| i.is_comma() || i.is("then", "and"))
            {
                continue;
            }
            for i in at..end {
                if let Some(id) = extreme(self, i) {
                    self.stat(id);
                    self.take(i, i + 1, "stat");
                }
            }
        }
    }

    /// "the five largest", "newest first", "in alphabetical order".
    pub(crate) fn orders(&mut self) {
        let verb_find = self.verb_at;
        for at in 0..self.len() {
            if !self.free(at) || Some(at) == verb_find {
                continue;
            }
            let listed = self.sense(at, "order").map(str::to_owned);
            let superlative = self.sense(at, "super").map(str::to_owned);
            let Some(id) = listed.clone().or_else(|| superlative.clone()) else { continue };
            if let Some(order) = self.frame.order.as_ref().filter(|_| listed.is_none()) {
                // "the top five biggest": said twice of the same things.
                let last = (0..at).rev().find(|i| self.items[*i].taken == "order").unwrap_or(at);
                let things = (last..at).any(|i| self.sense(i, "noun").is_some());
                let same = |s: &OrderSense| s.field == order.field && s.order == order.order;
                if !things && self.senses.order.get(&id).is_some_and(same) {
                    self.take(at, at + 1, "order");
                }
                continue;
            }
            // "more" before a number compares; it does not rank.
            if superlative.is_some() && self.number(at + 1).is_some() && self.sense(at + 2, "unit").is_some()
            {
                continue;
            }
            let Some(sense) = self.senses.order.get(&id) else { continue };
            let (field, order) = (sense.field.clone(), sense.order.clone());
            // "by name, from Z to A": the second says the direction of the first.
            let limit = if listed.is_some() { None } else { self.rank_limit(at) };
            self.frame.order = Some(Order { field, order, limit });
            self.take(at, at + 1, "order");
        }
    }

    /// "put in order of size": the field right after a verb that orders.
    pub(crate) fn field_order(&mut self) {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let Some(at) = self.verb_at.filter(|_| self.frame.order.is_none() && verb.is_some_and(|v| v.orders))
        else {
            return;
        };
        let small = |i: &usize| super::clause::only_stop(&self.items[*i]) || self.sense(*i, "prep").is_some();
        let next = (at + 1..self.len()).find(|i| !small(i));
        let field =
            next.filter(|i| self.free(*i)).and_then(|i| Some((i, self.sense(i, "field")?.to_owned())));
        if let Some((at, field)) = field {
            self.frame.order = Some(Order { field, order: "asc".to_owned(), limit: None });
            self.take(at, at + 1, "order");
        }
    }

    /// How many of a superlative: the number beside it, or the only free one; one when one thing is meant.
    fn rank_limit(&mut self, at: usize) -> Option<u64> {
        let counts = |clause: &Self, i: usize| -> Option<u64> {
            let n = clause.number(i).and_then(small::<u64>).filter(|n| (1..=100_000).contains(n))?;
            let unit = ["unit", "size_unit"].iter().any(|cat| clause.sense(i + 1, cat).is_some());
            let article =
                matches!(clause.items[i].lit, Lit::Word) && n == 1 && clause.items[i].sense("stop").is_some();
            let named = i > 0
                && (clause.sense(i - 1, "clock").is_some()
                    && clause.is(i - 1, "clock", "at")
                    && clause.sense(i - 1, "prep").is_none());
            (!unit && !article && !named).then_some(n)
        };
        let near = [at.wrapping_sub(1), at + 1, at.wrapping_sub(2), at.wrapping_sub(3), at + 2];
        let found = near
            .into_iter()
            .find_map(|i| (i < self.len()).then(|| counts(self, i).map(|n| (i, n))).flatten());
        let found = found.or_else(|| (0..self.len()).find_map(|i| counts(self, i).map(|n| (i, n))));
        if let Some((i, n)) = found {
            self.take(i, i + 1, "limit");
            return Some(n);
        }
        (self.frame.singular || self.asks_for_one(at)).then_some(1)
    }

    /// "which one is the oldest": right before the superlative, whatever it is chosen from.
    fn asks_for_one(&self, at: usize) -> bool {
        let before = (0..at)
            .rev()
            .find(|i| !super::clause::only_stop(&self.items[*i]) || self.is(*i, "which_one", "one"));
        before.is_some_and(|i| self.is(i, "which_one", "one"))
    }

    /// "how many", "total size", "the average of".
    pub(crate) fn stats(&mut self) {
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            let person =
                self.noun_ids(at).iter().filter_map(|id| self.senses.noun.get(id)).any(|n| n.before_name);
            if let Some(id) = self.sense(at, "stat").filter(|_| !person).map(str::to_owned) {
                if id == "size" && self.stands_for_other(&id) {
                    self.take(at, at + 1, "stat");
                } else if id == "size" {
                    self.stat("sum");
                    self.frame.field = Some("size".to_owned());
                } else if !self.different(at, &id) {
                    self.stat(&id);
                }
                self.take(at, at + 1, "stat");
            } else if self.sense(at, "stat_group").is_some() {
                for id in ["min", "max", "avg", "median"] {
                    self.stat(id);
                }
                self.take(at, at + 1, "stat");
            }
        }
        if let Some(verb) = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id)).cloned()
            && let Some(stat) = verb.stat
        {
            self.stat(&stat);
            if verb.field.is_some() {
                self.frame.field = verb.field;
            }
        }
        // "how big are they on average": the size is what the average is of.
        let other = |id: &String| matches!(id.as_str(), "avg" | "median" | "min" | "max");
        if self.frame.field.is_some() && self.frame.stats.iter().any(other) {
            self.frame.stats.retain(|id| id != "sum");
        }
        // "sizes by extension": what is measured, of each group.
        let measured = (0..self.len()).any(|at| self.free(at) && self.is(at, "field", "size"));
        if self.frame.stats.is_empty() && !self.frame.group.is_empty() && measured {
            self.stat("sum");
        }
        if !self.frame.stats.is_empty() {
            for at in 0..self.len() {
                if self.free(at)
                    && let Some(field) = self.sense(at, "field").map(str::to_owned)
                    && self.sense(at, "cue").is_none()
                {
                    if field == "size" || self.frame.field.is_none() && field != "name" {
                        self.frame.field.get_or_insert(field);
                    }
                    self.take(at, at + 1, "field");
                }
            }
        }
        // "total" beside another computation of the same field says nothing new.
        if self.frame.stats.len() > 1
            && self.frame.stats.iter().any(|s| s == "count")
            && self.frame.field.is_none()
        {
            self.frame.stats.retain(|s| s == "count");
        }
    }

    /// "how many different extensions": the values of a field are counted, each once.
    fn different(&mut self, at: usize, stat: &str) -> bool {
        let next = self.skip_stops(at + 1);
        let told = |i: usize| self.sense(i, "different").is_some();
        let group = self.sense(next, "group").filter(|_| self.free(next)).map(str::to_owned);
        let field = group.filter(|_| self.sense(next, "noun").is_none());
        let said = (0..self.len()).find(|i| told(*i));
        let Some((field, said)) = field.zip(said).filter(|_| stat == "count") else { return false };
        self.stat("count_distinct");
        self.frame.field = Some(field);
        self.take(next, next + 1, "field");
        self.take(said, said + 1, "field");
        true
    }

    /// Whether a noun of the clause already says what this computation is asked of.
    fn stands_for_other(&self, stat: &str) -> bool {
        self.items.iter().any(|item| {
            let nouns = item.senses.iter().filter(|s| s.cat == "noun");
            nouns.filter_map(|s| self.senses.noun.get(s.id.as_str())).any(|n| n.asked.contains_key(stat))
        })
    }

    fn stat(&mut self, id: &str) {
        if !self.frame.stats.iter().any(|s| s == id) {
            self.frame.stats.push(id.to_owned());
        }
    }

    /// "by extension", "per month", "in which year".
    pub(crate) fn groups(&mut self) {
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            if let Some(group) = self.asked_group(at) {
                self.frame.group.push(group);
                self.take(at, at + 1, "group");
                continue;
            }
            if let Some((group, end)) = self.ranked_group(at) {
                self.frame.group.push(group);
                self.take(end - 1, end, "group");
                continue;
            }
            let folders = self.sense(at, "into_folders").is_some() && self.tidies();
            // "a month" counts by the month; it puts nothing in order.
            // A table has columns of its own names: what stands after "by" is one, as it is written.
            let table = self.frame.table && !self.tidies();
            let by = (self.is(at, "by", "by") || self.is(at, "by", "each")) && !self.means_all(at) && !table;
            let which = self.is(at, "by", "which") && (self.ranks_groups() || self.weighs_groups(at));
            let whole = self.sense(at, "group").is_some()
                && self.items[at].words > 1
                && self.sense(at, "noun").is_none();
            if !(folders || by || which) {
                if whole && self.items.iter().any(|item| item.sense("stat").is_some()) {
                    self.frame.group.push(self.sense(at, "group").unwrap_or_default().to_owned());
                    self.take(at, at + 1, "group");
                }
                continue;
            }
            let counted = which && self.number(at + 1).is_some();
            let first = self.skip_stops(at + 1 + usize::from(counted));
            if let Some((column, end)) = self.column_group(at + 1).filter(|_| by && !folders) {
                self.frame.group.push(column);
                self.take(at, end, "group");
                continue;
            }
            let Some((groups, end)) = self.group_words(first) else { continue };
            if folders {
                self.frame.folders.extend(groups);
            } else {
                self.frame.group.extend(groups);
            }
            // "which five extensions": how many is the order's.
            if !counted {
                self.take(at, first, "group");
            }
            self.take(first, end, "group");
        }
    }

    /// "which extensions take up the most space": what is weighed is what the question is about.
    fn weighs_groups(&self, at: usize) -> bool {
        let next = at + 1 + usize::from(self.number(at + 1).is_some());
        let group = self.items.get(next).filter(|item| item.sense("noun").is_none());
        group.is_some_and(|item| item.sense("group").is_some())
            && self.items.iter().any(|item| item.is("super", "biggest"))
    }

    /// "delete every folder", "create a folder": before anything was named or counted, it groups nothing.
    fn means_all(&self, at: usize) -> bool {
        let named = |i: usize| self.sense(i, "noun").is_some() || self.sense(i, "stat").is_some();
        let counted = self.items.iter().any(|item| item.sense("stat").is_some());
        let article = self.is(at, "by", "each");
        (article || self.sense(at, "every").is_some() && !counted) && !(0..at).any(named)
    }

    /// "who … most": the group the question is about; "each month": a recurrence that repeats nothing.
    fn asked_group(&self, at: usize) -> Option<String> {
        // "who uses the most memory": that is no person.
        let load = |id: &str| self.senses.flag.get(id).is_some_and(|flag| flag.role == Role::LoadBy);
        let loads = self.items.iter().any(|item| item.sense("flag").is_some_and(load));
        let apiece = || self.items.iter().any(|item| item.sense("apiece").is_some());
        let counted = || self.items.iter().any(|item| item.is("stat", "count"));
        if !loads
            && (self.ranks_groups() || counted() && apiece())
            && let Some(group) = self.sense(at, "which_group")
        {
            return Some(group.to_owned());
        }
        let counts = self.items.iter().any(|item| item.sense("stat").is_some());
        let each = match self.sense(at, "every")? {
            "daily" => "day",
            "monthly" => "month",
            "yearly" => "year",
            _ => return None,
        };
        counts.then(|| each.to_owned())
    }

    /// "the most common extension", "the space used by type": what stands beside it is what is counted by.
    fn ranked_group(&self, at: usize) -> Option<(String, usize)> {
        let item = &self.items[at];
        let ranks = item.is("super", "most") || item.is("super", "fewest");
        let last = item.norm.rsplit(' ').next().and_then(|word| self.lexicon.single(word));
        let by = last.is_some_and(|word| word.senses.iter().any(|s| s.cat == "by" && s.id == "by"));
        let beside = item.words > 1 && (ranks || by && item.sense("stat").is_some());
        let next = self.items.get(at + 1).filter(|next| beside && next.free() && !next.capital)?;
        Some((next.sense("group").filter(|_| next.sense("noun").is_none())?.to_owned(), at + 2))
    }

    fn group_words(&self, at: usize) -> Option<(Vec<String>, usize)> {
        let mut groups = vec![self.items.get(at).filter(|i| i.free())?.sense("group")?.to_owned()];
        let mut end = at + 1;
        loop {
            let joined = self.is(end, "then", "and")
                || self.sense(end, "what_about").is_some()
                || self.items.get(end).is_some_and(|i| i.is_comma());
            let mut next = self.skip_stops(end + usize::from(joined));
            if self.sense(next, "into_folders").is_some() || self.is(next, "by", "by") {
                next += 1;
            }
            match self.items.get(next).filter(|i| joined && i.free()).and_then(|i| i.sense("group")) {
                Some(group) => groups.push(group.to_owned()),
                None => break,
            }
            end = next + 1;
        }
        Some((groups, end))
    }

    /// Whether the verb makes folders out of groups.
    fn tidies(&self) -> bool {
        let goals = self
            .frame
            .verb
            .as_ref()
            .and_then(|id| self.senses.verb.get(id))
            .map(|v| v.goals.clone())
            .unwrap_or_default();
        goals.contains(&Role::DstDir)
    }

    pub(super) fn ranks_groups(&self) -> bool {
        self.items.iter().any(|item| item.is("super", "most") || item.is("super", "fewest"))
    }
}

/// A whole number of bytes.
fn small_u64(n: f64) -> Option<u64> {
    if !(0.0..9e15).contains(&n) {
        return None;
    }
    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked above: positive and exactly representable"
    )]
    Some(n.round() as u64)
}
