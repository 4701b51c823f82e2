//! Operations on records: filters for what a producer could not take, then group, order, compute, show.

use super::compose::{Build, List, Stop, UNCLEAR};
use super::input::refer;
use super::patterns::conditions;
use super::{Plan, Step};
use crate::catalog::Role;
use crate::parse::Frame;
use metnos_vocab::Class;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// A field, what is asked of it, and whether it must not hold.
type Condition = (String, Vec<(Role, Value)>, bool);

impl Build<'_> {
    /// Filters the list by every value that has not been used yet.
    pub(super) fn narrow(
        &mut self,
        frame: &Frame,
        mut list: List,
        used: &mut BTreeSet<Role>,
    ) -> Result<List, Stop> {
        if !frame.beside.is_empty() {
            return Err(Stop::Gap("it is not clear which of them are meant".to_owned()));
        }
        let mut found: Vec<Condition> = Vec::new();
        let mut add = |field: String, role: Role, value: Value, negate: bool| match found
            .iter_mut()
            .find(|(f, _, n)| *f == field && !*n && !negate)
        {
            Some((_, parts, _)) => parts.push((role, value)),
            None => found.push((field, vec![(role, value)], negate)),
        };
        // What is named outright is not chosen by its kind or by another name: such words mean something else.
        let exact = used.contains(&Role::Paths) || used.contains(&Role::Urls);
        let unread = frame.has(Role::Patterns) && !used.contains(&Role::Patterns);
        if exact && (unread || !frame.kinds.is_empty() && !used.contains(&Role::Kind)) {
            return Err(Stop::Gap(UNCLEAR.to_owned()));
        }
        if !frame.kinds.is_empty() && !used.contains(&Role::Kind) && self.field("kind", &list).is_none() {
            return Err(Stop::Gap("the records have no kind".to_owned()));
        }
        let kinds: Vec<Value> = frame.kinds.iter().map(|k| Value::from(k.clone())).collect();
        if kinds.len() > 1 {
            add("kind".to_owned(), Role::WhereIn, Value::Array(kinds), false);
        } else if let Some(kind) = kinds.into_iter().next().filter(|_| !used.contains(&Role::Kind)) {
            add("kind".to_owned(), Role::WhereValue, kind, false);
        }
        for (role, value) in &frame.slots {
            if used.contains(role) {
                continue;
            }
            let Some((field, op)) = condition(*role) else { continue };
            if *role == Role::Patterns {
                let Some(parts) = conditions(&frame.list(Role::Patterns)) else {
                    return Err(Stop::Gap("the records cannot be told apart by these names".to_owned()));
                };
                parts.into_iter().for_each(|(field, op, value)| add(field.to_owned(), op, value, false));
                continue;
            }
            let Some(field) = self.field(field, &list) else {
                if matches!(
                    role,
                    Role::Contains | Role::From | Role::After | Role::Before | Role::SizeMin | Role::SizeMax
                ) {
                    return Err(Stop::Gap(format!("the records have no {field}")));
                }
                continue;
            };
            add(field, op, value.clone(), false);
        }
        if let Some(begins) = &frame.begins {
            add("name".to_owned(), Role::WhereStartsWith, begins.clone().into(), false);
        }
        for (field, role, value) in &frame.columns {
            add(field.clone(), *role, value.clone(), false);
        }
        if let Some((field, role, value)) = &frame.column {
            add(field.clone(), *role, value.clone(), frame.column_not);
        }
        let mut classes: Vec<(String, bool)> =
            frame.text(Role::Dimension).map(|d| (d.to_owned(), false)).into_iter().collect();
        for (role, value) in &frame.excluded {
            let (field, op) = match role {
                Role::Kind => ("kind", Role::WhereValue),
                Role::Patterns => ("ext", Role::WhereValue),
                Role::Place => ("path", Role::WhereContains),
                Role::From => ("from", Role::WhereContains),
                Role::SubjectContains => ("subject", Role::WhereContains),
                Role::Dimension => {
                    classes.push((value.as_str().unwrap_or_default().to_owned(), true));
                    continue;
                }
                _ => ("name", Role::WhereContains),
            };
            // What the records do not have leaves none of them out.
            let Some(field) = self.field(field, &list) else {
                return Err(Stop::Gap(format!("the records have no {field}")));
            };
            add(field, op, value.clone(), true);
        }
        for (field, parts, negate) in found {
            list = self.filter(list, &field, parts, negate)?;
        }
        for (dimension, negate) in classes.into_iter().filter(|_| !used.contains(&Role::Dimension)) {
            let planner = self.planner;
            if let Some(tool) = planner.catalog.processor(Role::Dimension) {
                list = self.bridge(list, tool, None)?;
            }
            list = self.apply(list, Role::Dimension, &[(Role::Dimension, dimension.clone().into())])?;
            list = self.filter(list, "label", vec![(Role::WhereValue, dimension.into())], negate)?;
        }
        self.ordered(frame, list)
    }

    /// Sorts, unless the order is one of groups or the producer ranked already.
    pub(super) fn ordered(&mut self, frame: &Frame, list: List) -> Result<List, Stop> {
        let Some(order) = frame.order.as_ref().filter(|o| o.field != "count" && frame.group.is_empty())
        else {
            return Ok(list);
        };
        if list.step.is_some_and(|n| self.ranks(n)) {
            return Ok(list);
        }
        let Some(field) = self.field(&order.field, &list) else {
            return Err(Stop::Gap(format!("the records have no {}", order.field)));
        };
        self.sort(list, &field, &order.order, order.limit)
    }

    /// Whether the executor of this step ranks by itself.
    fn ranks(&self, step: usize) -> bool {
        let tool = self.steps.get(step - 1).and_then(|step| self.planner.catalog.get(&step.tool));
        tool.is_some_and(|tool| tool.takes(Role::Limit) && !tool.takes(Role::SortBy))
    }

    /// Whether the executor of this step groups by itself.
    fn groups_itself(&self, step: usize) -> bool {
        let tool = self.steps.get(step - 1).and_then(|step| self.planner.catalog.get(&step.tool));
        tool.is_some_and(|tool| tool.takes(Role::SpaceBy) || tool.takes(Role::GroupBy))
    }

    fn sort(&mut self, list: List, by: &str, order: &str, limit: Option<u64>) -> Result<List, Stop> {
        let mut values = vec![(Role::SortBy, by.into()), (Role::Order, order.into())];
        values.extend(limit.map(|n| (Role::Limit, n.into())));
        self.apply(list, Role::SortBy, &values)
    }

    pub(super) fn filter(
        &mut self,
        list: List,
        field: &str,
        parts: Vec<(Role, Value)>,
        negate: bool,
    ) -> Result<List, Stop> {
        let mut values = vec![(Role::WhereField, Value::from(field))];
        values.extend(parts);
        if negate {
            values.push((Role::Negate, true.into()));
        }
        self.apply(list, Role::WhereField, &values)
    }

    /// A step of the processor that has an argument of this role.
    fn apply(&mut self, list: List, role: Role, values: &[(Role, Value)]) -> Result<List, Stop> {
        let Some(tool) = self.planner.catalog.processor(role).cloned() else {
            return Err(Stop::Gap(format!("nothing in the catalog works by {role:?}")));
        };
        let mut args = Map::new();
        for (role, value) in values {
            if let Some(arg) = tool.arg(*role) {
                args.insert(arg.name.clone(), value.clone());
            }
        }
        let mut step = Step { tool: tool.name.as_str().to_owned(), args, dormant: tool.dormant.clone() };
        refer(&mut step, &list, "from_step");
        let n = self.push(step)?;
        if matches!(role, Role::Stat | Role::Values) {
            self.figure = Some((n, list.clone()));
        }
        let (mut gives, mut open) = (tool.gives.clone(), tool.open);
        if tool.keeps {
            gives.extend(list.gives);
            open |= list.open;
        }
        let next = List { step: Some(n), index: None, object: list.object, gives, open };
        self.list = Some(next.clone());
        Ok(next)
    }

    /// The field of these records that means `field`; any, when not all fields are known.
    fn field(&self, field: &str, list: &List) -> Option<String> {
        let same = self.planner.lexicons.senses.same.get(field);
        let names = same.map_or_else(|| vec![field.to_owned()], Clone::clone);
        names
            .into_iter()
            .find(|name| list.gives.contains_key(name))
            .or_else(|| (list.open || list.gives.is_empty()).then(|| field.to_owned()))
    }

    /// Group, compute and show what a clause looked for.
    pub(super) fn finish_look(&mut self, frame: &Frame, list: List) -> Result<(), Stop> {
        let computed = list
            .step
            .and_then(|n| self.steps.get(n - 1))
            .and_then(|step| self.planner.catalog.get(&step.tool))
            .is_some_and(|tool| {
                tool.class == Class::Processor
                    && !tool.keeps
                    && !tool.gives.contains_key("line")
                    && tool.object() != "entries"
            });
        let mut list = list;
        let distinct = frame
            .nouns
            .iter()
            .filter_map(|n| self.planner.lexicons.senses.noun.get(&n.id))
            .find_map(|n| n.distinct.clone());
        let field = frame.field.as_ref().map(|f| self.field(f, &list).unwrap_or_else(|| f.clone()));
        let grouped = list.step.is_none_or(|n| self.groups_itself(n));
        if computed && !frame.group.is_empty() && !grouped {
            return Err(Stop::Gap("this is not computed for each group".to_owned()));
        }
        if computed {
            // The executor did the computing itself; what it was not told by which groups it did not do.
            let step = list.step.and_then(|n| self.steps.get(n - 1));
            let told = |group: &String| step.is_some_and(|step| step.args.values().any(|arg| arg == group));
            if !frame.group.iter().all(told) {
                return Err(Stop::Gap(UNCLEAR.to_owned()));
            }
        } else if let Some(group) = frame.group.first() {
            let stat = frame.stats.first().cloned();
            let mut values = vec![(Role::GroupBy, Value::from(group.clone()))];
            let ranked = frame.order.as_ref().filter(|o| o.field == "count");
            // Who does not ask for the groups themselves asks how many are in each.
            let senses = &self.planner.lexicons.senses;
            let groups =
                frame.verb.as_ref().and_then(|id| senses.verb.get(id)).and_then(|v| v.verb.as_deref());
            let counted = (ranked.is_some() || groups != Some("group")).then(|| "count".to_owned());
            if let Some(stat) = stat.or(counted) {
                if stat != "count" {
                    let size = list.gives.contains_key("size").then(|| "size".to_owned());
                    let Some(field) = field.or(size) else {
                        return Err(Stop::Gap("it is not said what is computed".to_owned()));
                    };
                    values.push((Role::Field, field.into()));
                }
                values.push((Role::Aggregate, stat.into()));
            }
            list = self.apply(list, Role::GroupBy, &values)?;
            if let Some(order) = ranked {
                list = self.sort(list, &order.field, &order.order, Some(order.limit.unwrap_or(1)))?;
            }
        } else if frame.stats.len() > 1 && frame.stats.iter().filter(|s| *s != "count").count() > 1 {
            let values: Vec<(Role, Value)> = field.map(|f| (Role::Field, f.into())).into_iter().collect();
            list = self.apply(list, Role::Values, &values)?;
        } else if let Some(stat) = frame.stats.iter().find(|s| *s != "count").or(frame.stats.first()) {
            let different = distinct.filter(|_| stat == "count");
            let op = if different.is_some() { "count_distinct" } else { stat.as_str() };
            let field = different
                .or(field)
                .or_else(|| (op != "count" && list.gives.contains_key("size")).then(|| "size".to_owned()));
            let mut values = vec![(Role::Stat, Value::from(op))];
            values.extend(field.filter(|_| op != "count").map(|f| (Role::Field, f.into())));
            list = self.apply(list, Role::Stat, &values)?;
        }
        let _ = list;
        if let Some(format) = frame.text(Role::RenderFormat) {
            let format = format.to_owned();
            self.render(&format)?;
        }
        Ok(())
    }

    pub(super) fn render(&mut self, format: &str) -> Result<(), Stop> {
        let Some(list) = self.last().cloned() else { return Ok(()) };
        let kept = list.clone();
        self.apply(list, Role::RenderFormat, &[(Role::RenderFormat, format.into())])?;
        self.list = Some(kept);
        Ok(())
    }

    /// The plan so far.
    pub(super) fn plan(&self) -> Plan {
        Plan::of(self.steps.clone())
    }
}

/// The field a role is about, as files name it, and the comparison.
fn condition(role: Role) -> Option<(&'static str, Role)> {
    Some(match role {
        Role::SizeMin => ("size", Role::WhereMin),
        Role::SizeMax => ("size", Role::WhereMax),
        Role::After => ("mtime", Role::WhereAfter),
        Role::Before => ("mtime", Role::WhereBefore),
        Role::Patterns => ("name", Role::WhereContains),
        Role::From => ("from", Role::WhereContains),
        Role::SubjectContains => ("subject", Role::WhereContains),
        Role::Location => ("location", Role::WhereContains),
        Role::Unread => ("unread", Role::WhereValue),
        Role::Contains => ("content", Role::WhereContains),
        _ => return None,
    })
}
