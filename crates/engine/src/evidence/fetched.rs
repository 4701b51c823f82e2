//! What a step works on: things that are named, or looked up, or set against each other.

use super::build::{Builder, From};
use crate::catalog::{Role, Tool, Type};
use crate::plan::{Ask, Step};
use crate::shape::Part;
use serde_json::{Value, json};

impl Builder<'_> {
    /// Of executors that do the same to other formats, the one for the files that are named.
    pub(super) fn by_format<'t>(&'t self, tool: &'t Tool) -> &'t Tool {
        let paths = self.values_of(Role::Paths);
        let named = self.values_of(Role::Patterns);
        paths.iter().chain(&named).find_map(|path| self.of_format(tool, path)).unwrap_or(tool)
    }

    fn of_format<'t>(&'t self, tool: &'t Tool, path: &Value) -> Option<&'t Tool> {
        let (_, ending) =
            path.as_str()?.rsplit_once('.').filter(|_| tool.open && !tool.qualifier().is_empty())?;
        let same = |other: &&Tool| {
            other.verb() == tool.verb() && other.object() == tool.object() && other.qualifier() == ending
        };
        Some(self.catalog.tools().find(same).unwrap_or(tool))
    }

    /// Two lists that are compared: the same things in two places, or two tables.
    pub(super) fn both(&mut self, tool: &Tool) -> From {
        let Some(arg) = tool.arg(Role::Place).or(tool.arg(Role::Paths)) else { return From::Nowhere };
        let role = arg.role.unwrap_or(Role::Place);
        let places = self.values_of(role);
        let fixed = Part { tool: tool.name.as_str().to_owned(), fixed: Vec::new() };
        for place in places.iter().take(2) {
            let tool = self.of_format(tool, place).unwrap_or(tool).clone();
            let mut step = self.step(&tool, &fixed);
            let value = if arg.ty == Type::List { json!([place]) } else { place.clone() };
            step.args.insert(arg.name.clone(), value);
            self.steps.push(step);
        }
        if places.len() < 2 {
            self.ask = Some(Ask { missing: vec![arg.name.clone()], tool: tool.name.as_str().to_owned() });
        }
        From::Step(self.steps.len())
    }

    /// Sets two lists against each other, by the field that they surely have; or the later one against the earlier.
    pub(super) fn compare(&self, tool: &Tool, step: &mut Step) {
        let (first, second) = (self.steps.len().saturating_sub(1), self.steps.len());
        let (from, with) = if tool.takes(Role::SetOp) { (first, second) } else { (second, first) };
        step.args.insert("with_step".to_owned(), json!(with));
        step.args.insert("from_step".to_owned(), json!(from));
        let table = self.steps.last().and_then(|step| self.catalog.get(&step.tool)).is_some_and(|t| t.open);
        if let Some(key) = tool.arg(Role::Key).filter(|_| tool.takes(Role::SetOp) && !table) {
            step.args.entry(key.name.clone()).or_insert(json!("name"));
        }
    }

    /// Looks up what an executor works on: things that are named by their paths, or what is found.
    pub(super) fn fetched(&mut self, tool: &Tool, at: usize) -> From {
        if self.is_direct(tool) {
            return From::Nowhere;
        }
        let later = &self.layout.parts[at..];
        let taken = later.iter().any(|(tool, _)| tool.takes(Role::Paths));
        let things = self.things();
        if !things.is_empty() && !taken {
            let get = self
                .catalog
                .tools()
                .find(|tool| tool.object() == "files" && tool.verb() == "get" && tool.takes(Role::Paths));
            let Some((get, paths)) = get.and_then(|get| Some((get, get.arg(Role::Paths)?))) else {
                return From::Nowhere;
            };
            let fixed = Part { tool: get.name.as_str().to_owned(), fixed: Vec::new() };
            let mut step = self.step(get, &fixed);
            step.args.insert(paths.name.clone(), Value::Array(things));
            self.steps.push(step);
            return From::Step(self.steps.len());
        }
        let source = self.layout.sources.iter().rev().find(|(of, _)| *of <= at);
        let Some((_, source)) = source else { return From::Nowhere };
        // What goes along with a step has to be spoken of.
        let narrows = self.filled.iter().any(|filled| source.takes(filled.slot.role));
        let optional = tool.along.is_some() || self.has(Role::Content);
        if optional && !narrows {
            return From::Nowhere;
        }
        let fixed = Part { tool: source.name.as_str().to_owned(), fixed: Vec::new() };
        let mut step = self.step(source, &fixed);
        let named = self.layout.named.is_some() && self.made.is_none() && !self.has(Role::Place);
        if let Some(place) = source.arg(Role::Place).filter(|_| named)
            && let Some(folder) = self.values_of(Role::Paths).into_iter().next()
        {
            step.args.insert(place.name.clone(), folder);
        }
        self.steps.push(step);
        let from = From::Step(self.steps.len());
        self.narrowed(from, false)
    }

    /// What is named outright: a folder with nothing that chooses among what is in it is one thing, as a file is.
    fn things(&self) -> Vec<Value> {
        if self.made.is_some() {
            return Vec::new();
        }
        let paths = self.values_of(Role::Paths);
        if self.layout.named.is_none() {
            return paths;
        }
        let is_file = |path: &Value| {
            path.as_str().and_then(|path| path.rsplit('/').next()).is_some_and(|name| name.contains('.'))
        };
        if self.chooses() {
            return if paths.iter().any(is_file) { paths } else { Vec::new() };
        }
        let named = |role: &Role| matches!(role, Role::Paths | Role::Place);
        let of = self.filled.iter().filter(|filled| !filled.slot.not).flat_map(|filled| &filled.values);
        let mut things: Vec<Value> = Vec::new();
        for (_, value) in of.filter(|(role, _)| named(role)) {
            if !things.contains(value) {
                things.push(value.clone());
            }
        }
        things
    }
}
