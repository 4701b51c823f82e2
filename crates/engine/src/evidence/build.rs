//! From a shape and what fills its slots to steps: where things come from, what narrows them, what is done.

use super::assign::Filled;
use super::slot::{Layout, Slot, makes};
use crate::catalog::{Arg, Catalog, Role, Tool, Type};
use crate::plan::{Ask, Step};
use crate::shape::{COLUMN, LABEL, Part, TURN};
use jiff::{SignedDuration, Timestamp};
use metnos_vocab::Class;
use serde_json::{Map, Value, json};

/// What the conversation was about.
#[derive(Clone, Debug, Default)]
pub struct Last {
    /// The steps of the last plan.
    pub steps: Vec<Step>,
    /// What its records are.
    pub object: String,
    /// Whether they are copies of each other, of which one stays.
    pub copies: bool,
    /// Whether a request after them was left unclear.
    pub unclear: bool,
}

impl Last {
    /// What the conversation is about after these steps.
    pub(crate) fn of(steps: &[Step], catalog: &Catalog, before: Option<Self>) -> Self {
        let tools: Vec<&Tool> = steps.iter().filter_map(|step| catalog.get(&step.tool)).collect();
        let object = tools
            .iter()
            .map(|tool| tool.object())
            .find(|object| !matches!(*object, "entries" | "lists" | ""));
        let before = before.filter(|_| steps.iter().any(|step| step.args.contains_key(TURN)));
        let copies = tools.iter().any(|tool| tool.gives.contains_key("copy"))
            || before.as_ref().is_some_and(|before| before.copies);
        let object = object.map(str::to_owned).or_else(|| Some(before?.object)).unwrap_or_default();
        Self { steps: steps.to_vec(), object, copies, unclear: false }
    }

    /// The same after a request that was left unclear.
    pub(crate) fn left_unclear(self) -> Self {
        Self { unclear: true, ..self }
    }
}

/// What was made of a shape.
#[derive(Clone, Debug)]
pub struct Built {
    /// The steps.
    pub steps: Vec<Step>,
    /// What is missing.
    pub ask: Option<Ask>,
}

/// Where the records of a step come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum From {
    Nowhere,
    Turn,
    Step(usize),
}

/// What decides arguments by words: those of an executor.
pub(crate) type Flags<'a> = dyn Fn(&Tool) -> Vec<(String, Value)> + 'a;

pub(crate) struct Builder<'b> {
    pub(crate) catalog: &'b Catalog,
    pub(crate) layout: &'b Layout<'b>,
    pub(crate) filled: &'b [Filled],
    pub(crate) flags: &'b Flags<'b>,
    pub(crate) last: Option<&'b Last>,
    /// The request without what is said about its time.
    pub(crate) rest: &'b str,
    pub(crate) steps: Vec<Step>,
    pub(crate) ask: Option<Ask>,
    /// The place that an earlier step made.
    pub(crate) made: Option<Value>,
}

impl Builder<'_> {
    pub(crate) fn build(mut self) -> Built {
        let mut from = if self.layout.back { From::Turn } else { From::Nowhere };
        if from == From::Turn {
            from = self.narrowed(from, true);
        }
        let compared =
            from == From::Nowhere && self.layout.parts.iter().any(|(tool, _)| tool.takes(Role::With));
        let parts = self.layout.parts.clone();
        for (n, (tool, part)) in parts.iter().enumerate() {
            let tool: &Tool = &self.by_format(tool).clone();
            if tool.takes(Role::WhereField) {
                // Of what was labelled, those with the label that was asked for are meant.
                if let Some(label) = self.labelled() {
                    from = self.filter(from, json!({"where_field": LABEL, "where_value": label}));
                    continue;
                }
                // What narrows what was answered before is a filter already.
                if parts.len() == 1 && self.is_narrowed() {
                    continue;
                }
            }
            if compared && tool.class == Class::Producer {
                from = self.both(tool);
                continue;
            }
            let own = self.layout.sources.iter().any(|(at, _)| *at == n);
            if works_on_list(tool) && (from == From::Nowhere || own) {
                from = self.fetched(tool, n);
            }
            let direct = self.is_direct(tool);
            let mut step = self.step(tool, part);
            if direct {
                turn(&parts, n, &mut step, tool);
            }
            if tool.takes(Role::List) && !direct {
                refer(&mut step, from);
                if from == From::Turn {
                    self.indexed(&mut step);
                }
            }
            if compared && tool.takes(Role::With) {
                self.compare(tool, &mut step);
            }
            if tool.takes(Role::SortBy) && Self::is_cut(&parts[n + 1..]) {
                // Sorted for a change means the first of them, where no number is said.
                let limit = tool.arg(Role::Limit).map(|arg| arg.name.clone());
                limit.map(|name| step.args.entry(name).or_insert(json!(1)));
            }
            let piped = step.args.contains_key("from_step") || step.args.contains_key(TURN);
            let asked = part.fixed.iter().find(|(name, value)| value == "…" && !step.args.contains_key(name));
            let missing = asked.map(|(name, _)| vec![name.clone()]);
            if let Some(missing) = missing.or_else(|| crate::plan::lacking(tool, &step, piped)) {
                self.ask = self.ask.take().or(Some(Ask { missing, tool: step.tool.clone() }));
            }
            if makes(tool) {
                self.made = tool.arg(Role::Paths).and_then(|arg| step.args.get(&arg.name)?.get(0)).cloned();
            }
            self.steps.push(step);
            if tool.pipes && (tool.class != Class::Changer || !tool.takes(Role::List)) {
                from = From::Step(self.steps.len());
                let changes = parts[n + 1..].iter().any(|(later, _)| later.class == Class::Changer);
                if let Some(label) = self.labelled().filter(|_| changes) {
                    from = self.filter(from, json!({"where_field": LABEL, "where_value": label}));
                }
                if tool.class == Class::Producer {
                    from = self.narrowed(from, false);
                    if changes && tool.gives.contains_key("copy") {
                        from = self.filter(from, json!({"where_field": "copy", "where_min": 2}));
                    }
                }
            }
        }
        Built { steps: self.steps, ask: self.ask }
    }

    /// The label that was asked for, where the last step puts labels on things.
    fn labelled(&self) -> Option<Value> {
        let step = self.steps.last()?;
        let arg = self.catalog.get(&step.tool)?.arg(Role::Dimension)?;
        step.args.get(&arg.name).cloned()
    }

    /// Whether what the conversation is about is narrowed already, by all that was said.
    fn is_narrowed(&self) -> bool {
        let field = self.values_of(Role::WhereField).into_iter().next();
        match self.steps.last() {
            Some(step) => field.is_none_or(|field| step.args.get("where_field") == Some(&field)),
            None => false,
        }
    }

    /// A step of an executor with what its shape fixes, what words decide and what fills its slots.
    pub(super) fn step(&self, tool: &Tool, part: &Part) -> Step {
        let mut args = Map::new();
        for (name, value) in &part.fixed {
            if value != COLUMN && value != "…" {
                let value = serde_json::from_str(value).ok().filter(|v: &Value| !v.is_string());
                let text = part.fixed.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone());
                args.insert(name.clone(), value.unwrap_or_else(|| json!(text)));
            }
        }
        let several = self.all(Slot { role: Role::Kind, not: false }, Role::Kind).len() > 1;
        for arg in &tool.args {
            if args.contains_key(&arg.name) || several && arg.role == Some(Role::Kind) {
                continue;
            }
            if let Some(value) = self.value(arg) {
                args.insert(arg.name.clone(), value);
            }
        }
        // What goes into the place that was made is not that place.
        if let Some(made) = self.made.as_ref().filter(|_| tool.takes(Role::List))
            && let Some(into) = tool.arg(Role::DstDir)
        {
            if let Some(paths) = tool.arg(Role::Paths) {
                args.remove(&paths.name);
            }
            args.entry(into.name.clone()).or_insert_with(|| made.clone());
        }
        // What only a pattern would say is one.
        if let Some(regex) = tool.arg(Role::Regex)
            && tool
                .arg(Role::Pattern)
                .and_then(|arg| args.get(&arg.name)?.as_str())
                .is_some_and(super::value::is_regex)
        {
            args.insert(regex.name.clone(), json!(true));
        }
        // A day bounds when things were changed, or came.
        let dated = ["where_after", "where_before"].iter().any(|name| args.contains_key(*name));
        if let Some(field) = tool.arg(Role::WhereField).filter(|_| dated) {
            args.entry(field.name.clone()).or_insert_with(|| json!(self.dated()));
        }
        let column = part.fixed.iter().any(|(_, value)| value == COLUMN);
        for (name, value) in (self.flags)(tool) {
            // Which way round is part of what is asked, but for a field that only the data knows.
            if !column && tool.args.iter().any(|arg| arg.name == name && arg.role == Some(Role::Order)) {
                continue;
            }
            self.decide(tool, &mut args, &name, value);
        }
        if let Some(place) =
            tool.arg(Role::Place).filter(|_| tool.class == Class::Producer && tool.object() != "images")
        {
            args.entry(place.name.clone()).or_insert(json!("~"));
        }
        if let Some(task) = tool.arg(Role::Task).filter(|_| !tool.takes(Role::List)) {
            args.insert(task.name.clone(), json!(self.rest));
            let once = tool
                .arg(Role::Schedule)
                .and_then(|arg| args.get(&arg.name)?.as_str())
                .is_some_and(|s| s.starts_with("at:"));
            if let Some(times) = tool.arg(Role::Times).filter(|_| once) {
                args.insert(times.name.clone(), json!(1));
            }
        }
        for (file, format) in [(Role::OutPath, Role::WriteFormat), (Role::Dst, Role::ArchiveFormat)] {
            let ending = tool.arg(file).and_then(|arg| args.get(&arg.name)?.as_str()).map(str::to_owned);
            if let (Some(path), Some(format)) = (ending, tool.arg(format)) {
                let fits = |choice: &&String| path.to_lowercase().ends_with(&format!(".{choice}"));
                if let Some(choice) = format.choices.iter().find(fits) {
                    args.entry(format.name.clone()).or_insert(json!(choice));
                }
            }
        }
        Step { tool: tool.name.as_str().to_owned(), args, dormant: tool.dormant.clone() }
    }

    /// An argument that words decide; of a template only how it is made.
    fn decide(&self, tool: &Tool, args: &mut Map<String, Value>, name: &str, value: Value) {
        let arg = tool
            .args
            .iter()
            .flat_map(|arg| std::iter::once(arg).chain(&arg.inside))
            .find(|arg| arg.name == name);
        let Some(arg) = arg else { return };
        if arg.role == Some(Role::NameTemplate) {
            let Some(said) = args.get(name).and_then(Value::as_str).map(str::to_owned) else { return };
            let made = match value.as_str() {
                _ if said.contains('{') => said,
                Some("prefix") => format!("{said}{{name}}"),
                Some("suffix") => format!("{{name}}{said}"),
                Some("counter") => format!("{said}{{counter}}.{{ext}}"),
                _ => said,
            };
            args.insert(name.to_owned(), json!(made));
            return;
        }
        if !tool.args.iter().any(|own| own.name == name) {
            let records = tool.args.iter().find(|own| own.inside.iter().any(|inner| inner.name == name));
            if let Some(records) = records {
                let record = args.entry(records.name.clone()).or_insert_with(|| json!([{}]));
                let known =
                    record[0].as_object().is_some_and(|r| r.contains_key("to") || r.contains_key("to_user"));
                if !known {
                    record[0][name] = value;
                }
            }
            return;
        }
        args.entry(name.to_owned()).or_insert(value);
    }

    fn value(&self, arg: &Arg) -> Option<Value> {
        let role = arg.role?;
        if !arg.inside.is_empty() {
            let inner = arg.inside.iter().filter_map(|inner| Some((inner.name.clone(), self.value(inner)?)));
            let record: Map<String, Value> = inner.collect();
            return (!record.is_empty()).then(|| json!([record]));
        }
        let slot = Slot { role: super::slot::first_of(role), not: false };
        let values = self.all(slot, role);
        match role {
            Role::DstDir => return self.folder(&values),
            Role::End => return self.end(values.first()?),
            _ => {}
        }
        typed(arg, values)
    }

    /// A folder, or folders made by what things are: below where they lie.
    fn folder(&self, values: &[Value]) -> Option<Value> {
        let is_template = |value: &&Value| value.as_str().is_some_and(|text| text.starts_with('{'));
        let templates: Vec<&str> = values.iter().filter(is_template).filter_map(Value::as_str).collect();
        let said = values.iter().find(|value| !is_template(value)).and_then(Value::as_str);
        if templates.is_empty() {
            return said.map(Value::from);
        }
        let places = self.all(Slot { role: Role::Place, not: false }, Role::Place);
        let base = said.or_else(|| places.first()?.as_str()).unwrap_or("~");
        Some(json!(format!("{}/{}", base.trim_end_matches('/'), templates.join("/"))))
    }

    fn end(&self, value: &Value) -> Option<Value> {
        let Some(minutes) = value["minutes"].as_i64() else { return Some(value.clone()) };
        let start = self.all(Slot { role: Role::Start, not: false }, Role::Start);
        let start = start.first()?.as_str()?;
        let zone = start.get(19..).filter(|zone| zone.len() == 6)?;
        let at: Timestamp = start.parse().ok()?;
        let at = at.checked_add(SignedDuration::from_mins(minutes)).ok()?;
        let offset = zone.replace(':', "");
        let hours: i8 = offset.get(..3)?.parse().ok()?;
        let zoned = at.to_zoned(jiff::tz::Offset::constant(hours).to_time_zone());
        Some(json!(zoned.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string()))
    }

    /// Every value of a role in a slot.
    pub(super) fn all(&self, slot: Slot, role: Role) -> Vec<Value> {
        let of = self.filled.iter().filter(|filled| filled.slot == slot);
        let mut values = Vec::new();
        // A name is the same however it is written.
        let same = |a: &Value, b: &Value| match (a.as_str(), b.as_str()) {
            (Some(a), Some(b)) if role == Role::Names => a.to_lowercase() == b.to_lowercase(),
            _ => a == b,
        };
        for (_, value) in of.flat_map(|filled| &filled.values).filter(|(own, _)| *own == role) {
            if !values.iter().any(|known| same(known, value)) {
                values.push(value.clone());
            }
        }
        values
    }

    pub(super) fn has(&self, role: Role) -> bool {
        self.filled.iter().any(|filled| filled.slot == Slot { role, not: false })
    }

    pub(super) fn values_of(&self, role: Role) -> Vec<Value> {
        self.all(Slot { role, not: false }, role)
    }

    /// Whether what an executor works on is said by its own arguments.
    pub(super) fn is_direct(&self, tool: &Tool) -> bool {
        let into = self.made.is_some() && tool.takes(Role::DstDir);
        !into
            && [Role::Paths, Role::Ids, Role::Pids, Role::Text]
                .iter()
                .any(|role| tool.takes(*role) && self.has(*role))
    }

    pub(super) fn indexed(&self, step: &mut Step) {
        if let Some(index) = self.all(Slot { role: Role::Index, not: false }, Role::Index).first() {
            step.args.insert("index".to_owned(), index.clone());
        }
    }
}

fn works_on_list(tool: &Tool) -> bool {
    tool.takes(Role::List) || tool.takes(Role::Paths) && tool.class != Class::Producer
}

/// Where the same is done again, with a value for each time, each step has its own.
fn turn(parts: &[(&Tool, &Part)], n: usize, step: &mut Step, tool: &Tool) {
    let same = |(other, _): &&(&Tool, &Part)| other.name == parts[n].0.name;
    let times = parts.iter().filter(same).count();
    let nth = parts[..n].iter().filter(same).count();
    let Some(paths) = tool.arg(Role::Paths).and_then(|arg| step.args.get_mut(&arg.name)) else { return };
    if let Some(all) = paths.as_array().filter(|all| times > 1 && all.len() == times) {
        *paths = json!([all[nth]]);
    }
}

pub(super) fn refer(step: &mut Step, from: From) {
    match from {
        From::Nowhere => {}
        From::Turn => {
            step.args.insert(TURN.to_owned(), json!(-1));
        }
        From::Step(n) => {
            step.args.insert("from_step".to_owned(), json!(n));
        }
    }
}

/// Values in the type of the argument.
fn typed(arg: &Arg, mut values: Vec<Value>) -> Option<Value> {
    if values.is_empty() {
        return None;
    }
    if arg.ty == Type::List {
        // What is told apart by its number is told apart by a text.
        if arg.schema["items"]["type"] == "string" {
            values.iter_mut().filter(|value| value.is_number()).for_each(|n| *n = json!(n.to_string()));
        }
        return Some(Value::Array(values));
    }
    let value = values.swap_remove(0);
    match (arg.ty, &value) {
        (Type::Integer | Type::Number, Value::Number(_)) | (Type::Bool, Value::Bool(_)) => Some(value),
        (Type::Text, Value::String(_)) | (Type::Mixed, _) => Some(value),
        (Type::Text, Value::Number(n)) => Some(json!(n.to_string())),
        _ => None,
    }
}
