//! From a shape and what fills its slots to steps: where things come from, what narrows them, what is done.

use super::assign::Filled;
use super::slot::{Layout, Slot};
use crate::catalog::{Arg, Catalog, Role, Tool, Type};
use crate::plan::{Ask, Step};
use crate::shape::{COLUMN, Part, TURN};
use jiff::{SignedDuration, Timestamp};
use metnos_vocab::Class;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// What the conversation was about.
#[derive(Clone, Debug, Default)]
pub struct Last {
    /// The steps of the last plan.
    pub steps: Vec<Step>,
    /// What its records are.
    pub object: String,
    /// Whether they are copies of each other, of which one stays.
    pub copies: bool,
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
        Self { steps: steps.to_vec(), object, copies }
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
enum From {
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
}

impl Builder<'_> {
    pub(crate) fn build(mut self) -> Built {
        let mut from = if self.layout.back { From::Turn } else { From::Nowhere };
        if from == From::Turn {
            from = self.narrowed(from, true);
        }
        let compared = self.layout.parts.iter().any(|(tool, _)| tool.takes(Role::SetOp));
        let parts = self.layout.parts.clone();
        for (n, (tool, part)) in parts.iter().enumerate() {
            let tool: &Tool = &self.by_format(tool).clone();
            // What narrows what was answered before is a filter already.
            if tool.takes(Role::WhereField)
                && !self.has(Role::WhereField)
                && !self.steps.is_empty()
                && parts.len() == 1
            {
                continue;
            }
            if compared && tool.class == Class::Producer {
                from = self.both(tool);
                continue;
            }
            if from == From::Nowhere && works_on_list(tool) {
                from = self.fetched(tool, &parts[n..]);
            }
            let direct = self.is_direct(tool);
            let mut step = self.step(tool, part);
            if tool.takes(Role::List) && !direct {
                refer(&mut step, from);
                if from == From::Turn {
                    self.indexed(&mut step);
                }
            }
            if tool.takes(Role::SetOp) {
                step.args.insert("with_step".to_owned(), json!(self.steps.len()));
                step.args.insert("from_step".to_owned(), json!(self.steps.len().saturating_sub(1)));
                if let Some(key) = tool.arg(Role::Key) {
                    step.args.entry(key.name.clone()).or_insert(json!("name"));
                }
            }
            let piped = step.args.contains_key("from_step") || step.args.contains_key(TURN);
            let asked = part.fixed.iter().find(|(name, value)| value == "…" && !step.args.contains_key(name));
            let missing = asked.map(|(name, _)| vec![name.clone()]);
            if let Some(missing) = missing.or_else(|| crate::plan::lacking(tool, &step, piped)) {
                self.ask = self.ask.take().or(Some(Ask { missing, tool: step.tool.clone() }));
            }
            self.steps.push(step);
            if tool.pipes && (tool.class != Class::Changer || !tool.takes(Role::List)) {
                from = From::Step(self.steps.len());
                let changes = parts[n + 1..].iter().any(|(later, _)| later.class == Class::Changer);
                // Of what was labelled, those with the label that was asked for are meant.
                let label = tool.arg(Role::Dimension).filter(|_| changes);
                let label = label.and_then(|arg| self.steps.last()?.args.get(&arg.name).cloned());
                if let Some(label) = label {
                    from = self.filter(from, json!({"where_field": "label", "where_value": label}));
                }
                if tool.class == Class::Producer {
                    from = self.narrowed(from, false);
                    let spares = parts[n + 1..].iter().any(|(later, _)| later.class == Class::Changer);
                    if spares && tool.gives.contains_key("copy") {
                        from = self.filter(from, json!({"where_field": "copy", "where_min": 2}));
                    }
                }
            }
        }
        Built { steps: self.steps, ask: self.ask }
    }

    /// Of executors that do the same to other formats, the one for the files that are named.
    fn by_format<'t>(&'t self, tool: &'t Tool) -> &'t Tool {
        let paths = self.all(Slot { role: Role::Paths, not: false }, Role::Paths);
        let named = self.all(Slot { role: Role::Patterns, not: false }, Role::Patterns);
        let ending =
            paths.iter().chain(&named).filter_map(Value::as_str).find_map(|path| path.rsplit_once('.'));
        let Some((_, ending)) = ending.filter(|_| tool.open && !tool.qualifier().is_empty()) else {
            return tool;
        };
        let same = |other: &&Tool| {
            other.verb() == tool.verb() && other.object() == tool.object() && other.qualifier() == ending
        };
        self.catalog.tools().find(same).unwrap_or(tool)
    }

    /// Two lists that are compared: the same things in two places.
    fn both(&mut self, tool: &Tool) -> From {
        let places = self.all(Slot { role: Role::Place, not: false }, Role::Place);
        let fixed = Part { tool: tool.name.as_str().to_owned(), fixed: Vec::new() };
        for place in places.iter().take(2) {
            let mut step = self.step(tool, &fixed);
            if let Some(arg) = tool.arg(Role::Place) {
                step.args.insert(arg.name.clone(), place.clone());
            }
            self.steps.push(step);
        }
        if places.len() < 2 {
            let missing = tool.arg(Role::Place).map(|arg| arg.name.clone()).into_iter().collect();
            self.ask = Some(Ask { missing, tool: tool.name.as_str().to_owned() });
        }
        From::Step(self.steps.len())
    }

    /// Looks up what an executor works on: files that are named by their paths, or what is found.
    fn fetched(&mut self, tool: &Tool, later: &[(&Tool, &Part)]) -> From {
        if self.is_direct(tool) {
            return From::Nowhere;
        }
        let paths = self.all(Slot { role: Role::Paths, not: false }, Role::Paths);
        let taken = later.iter().any(|(tool, _)| tool.takes(Role::Paths));
        if !paths.is_empty() && !taken {
            let get = self
                .catalog
                .tools()
                .find(|tool| tool.object() == "files" && tool.verb() == "get" && tool.takes(Role::Paths));
            let Some(get) = get else { return From::Nowhere };
            let fixed = Part { tool: get.name.as_str().to_owned(), fixed: Vec::new() };
            let step = self.step(get, &fixed);
            self.steps.push(step);
            return From::Step(self.steps.len());
        }
        let Some(source) = self.layout.source else { return From::Nowhere };
        // What goes along with a step has to be spoken of.
        let narrows = self.filled.iter().any(|filled| source.takes(filled.slot.role));
        let optional = tool.along.is_some() || self.has(Role::Content);
        if optional && !narrows {
            return From::Nowhere;
        }
        let fixed = Part { tool: source.name.as_str().to_owned(), fixed: Vec::new() };
        let step = self.step(source, &fixed);
        self.steps.push(step);
        let from = From::Step(self.steps.len());
        self.narrowed(from, false)
    }

    /// What is said to be left out, and what else tells the things apart: a filter each.
    fn narrowed(&mut self, mut from: From, back: bool) -> From {
        let kinds = self.all(Slot { role: Role::Kind, not: false }, Role::Kind);
        if kinds.len() > 1 {
            from = self.filter(from, json!({"where_field": "kind", "where_in": kinds}));
        }
        if back {
            if let [kind] = kinds.as_slice() {
                from = self.filter(from, json!({"where_field": "kind", "where_value": kind}));
            }
            for pattern in self.all(Slot { role: Role::Patterns, not: false }, Role::Patterns) {
                from = self.filter(from, named(&pattern));
            }
            let sizes = self.range(Role::SizeMin, Role::SizeMax);
            if !sizes.is_empty() {
                from = self.filter(from, bounds("size", &sizes, ["where_min", "where_max"]));
            }
            let days = self.range(Role::After, Role::Before);
            if !days.is_empty() {
                from = self.filter(from, bounds(self.dated(), &days, ["where_after", "where_before"]));
            }
            for name in self.all(Slot { role: Role::From, not: false }, Role::From) {
                from = self.filter(from, json!({"where_field": "from", "where_contains": name}));
            }
            let changes = self.layout.parts.iter().any(|(tool, _)| tool.class == Class::Changer);
            if changes && self.last.is_some_and(|last| last.copies) && from == From::Turn {
                from = self.filter(from, json!({"where_field": "copy", "where_min": 2}));
            }
        }
        let denied = |role: Role| Slot { role, not: true };
        for kind in self.all(denied(Role::Kind), Role::Kind) {
            from = self.filter(from, json!({"where_field": "kind", "where_value": kind, "negate": true}));
        }
        for pattern in self.all(denied(Role::Patterns), Role::Patterns) {
            let mut args = named(&pattern);
            args["negate"] = json!(true);
            from = self.filter(from, args);
        }
        for place in self.all(denied(Role::Place), Role::Place) {
            let name = place.as_str().unwrap_or_default().rsplit('/').next().unwrap_or_default().to_owned();
            from = self.filter(from, json!({"where_field": "path", "where_contains": name, "negate": true}));
        }
        for name in self.all(denied(Role::From), Role::From) {
            from = self.filter(from, json!({"where_field": "from", "where_contains": name, "negate": true}));
        }
        from
    }

    /// The field that tells when the things of the conversation were changed, or came.
    fn dated(&self) -> &'static str {
        if self.last.is_some_and(|last| last.object == "messages") { "date" } else { "mtime" }
    }

    fn filter(&mut self, from: From, args: Value) -> From {
        let Some(tool) = self.catalog.processor(Role::WhereField) else { return from };
        let Value::Object(args) = args else { return from };
        let mut step = Step { tool: tool.name.as_str().to_owned(), args, dormant: None };
        refer(&mut step, from);
        if from == From::Turn {
            self.indexed(&mut step);
        }
        self.steps.push(step);
        From::Step(self.steps.len())
    }

    /// A step of an executor with what its shape fixes, what words decide and what fills its slots.
    fn step(&self, tool: &Tool, part: &Part) -> Step {
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
        // A day bounds when things were changed, or came.
        let dated = ["where_after", "where_before"].iter().any(|name| args.contains_key(*name));
        if let Some(field) = tool.arg(Role::WhereField).filter(|_| dated) {
            args.entry(field.name.clone()).or_insert_with(|| json!(self.dated()));
        }
        for (name, value) in (self.flags)(tool) {
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
    fn all(&self, slot: Slot, role: Role) -> Vec<Value> {
        let of = self.filled.iter().filter(|filled| filled.slot == slot);
        let mut values = Vec::new();
        for (_, value) in of.flat_map(|filled| &filled.values).filter(|(own, _)| *own == role) {
            if !values.contains(value) {
                values.push(value.clone());
            }
        }
        values
    }

    fn range(&self, low: Role, high: Role) -> Vec<(bool, Value)> {
        let slot = Slot { role: low, not: false };
        let lows = self.all(slot, low).into_iter().map(|value| (false, value));
        lows.chain(self.all(slot, high).into_iter().map(|value| (true, value))).collect()
    }

    fn has(&self, role: Role) -> bool {
        self.filled.iter().any(|filled| filled.slot == Slot { role, not: false })
    }

    /// Whether what an executor works on is said by its own arguments.
    fn is_direct(&self, tool: &Tool) -> bool {
        [Role::Paths, Role::Ids, Role::Pids, Role::Text]
            .iter()
            .any(|role| tool.takes(*role) && self.has(*role))
    }

    fn indexed(&self, step: &mut Step) {
        if let Some(index) = self.all(Slot { role: Role::Index, not: false }, Role::Index).first() {
            step.args.insert("index".to_owned(), index.clone());
        }
    }
}

fn works_on_list(tool: &Tool) -> bool {
    tool.takes(Role::List) || tool.takes(Role::Paths) && tool.class != Class::Producer
}

fn refer(step: &mut Step, from: From) {
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

/// A condition on names, from a pattern.
fn named(pattern: &Value) -> Value {
    let pattern = pattern.as_str().unwrap_or_default();
    if let Some(ending) = pattern.strip_prefix("*.").filter(|ending| !ending.contains('*')) {
        return json!({"where_field": "ext", "where_value": ending});
    }
    let (open, bare) = (pattern.starts_with('*'), pattern.trim_matches('*'));
    match (open, pattern.ends_with('*')) {
        (false, true) => json!({"where_field": "name", "where_starts_with": bare}),
        (false, false) => json!({"where_field": "name", "where_value": bare}),
        _ => json!({"where_field": "name", "where_contains": bare}),
    }
}

fn bounds(field: &str, ends: &[(bool, Value)], names: [&str; 2]) -> Value {
    let mut args = BTreeMap::from([("where_field".to_owned(), json!(field))]);
    for (high, value) in ends {
        args.insert(names[usize::from(*high)].to_owned(), value.clone());
    }
    json!(args)
}

/// Values in the type of the argument.
fn typed(arg: &Arg, mut values: Vec<Value>) -> Option<Value> {
    if values.is_empty() {
        return None;
    }
    if arg.ty == Type::List {
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
