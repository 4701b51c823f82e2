//! Where records come from: the producer that takes most of what was said, or two of them and a set operation.

use super::Step;
use super::choose::{Want, choose};
use super::compose::{Build, List, Stop, nothing};
use super::fill::fill;
use super::input::{narrowed, refer};
use crate::catalog::{Role, Tool};
use crate::parse::{Frame, ending};
use metnos_vocab::Class;
use serde_json::{Map, Value};
use std::collections::BTreeSet;

impl Build<'_> {
    /// The list a clause asks to see, narrowed as it says.
    pub(super) fn look(&mut self, frame: &Frame, object: &str) -> Result<List, Stop> {
        if !frame.beside.is_empty() {
            return self.either(frame, object);
        }
        if let Some(sets) = &frame.sets {
            return self.two(frame, object, &sets.first, &sets.second, sets.op);
        }
        if let (Some(first), [second]) = (frame.text(Role::Place), &frame.also[..])
            && object == "files"
        {
            return self.two(frame, object, first, second, "union");
        }
        if frame.also.len() > 1 && object == "files" {
            return Err(Stop::Gap("more than two places at once".to_owned()));
        }
        // "what's in A and B": of two folders one would be left out.
        if !frame.also.is_empty() && matches!(object, "dirs" | "") {
            return Err(Stop::Say("one_by_one".to_owned()));
        }
        let empty = frame.object.is_empty()
            && !frame.has(Role::Place)
            && !frame.has(Role::Paths)
            && !frame.has(Role::Urls);
        // "how many mp3 do I have": whose ending is said, of all there are. Where something is changed, fewer are meant.
        let whole = frame.list(Role::Patterns).iter().any(|p| ending(p).is_some())
            && self.sense(frame).verb.is_none();
        if (frame.only
            || frame.anaphor.is_some()
            || empty && !whole && frame.nouns.is_empty() && !frame.has(Role::Text) && !frame.has(Role::Shows))
            && let Some(list) = self.referred(frame)
            && (empty
                || frame.anaphor.is_some()
                || frame.only && frame.verb.is_none() && !frame.has(Role::Place))
        {
            return self.narrow(frame, list, &mut BTreeSet::new());
        }
        let mut frame = frame.clone();
        if frame.kinds.len() == 1 {
            frame.set(Role::Kind, frame.kinds[0].clone());
        }
        if object == "images" {
            frame.kinds.clear();
            frame.slots.remove(&Role::Kind);
        }
        self.loose_names(&mut frame, object);
        let sense = self.sense(&frame);
        let mut qualifiers = self.qualifiers(&frame, &sense, object);
        let weighed = frame.stats == ["sum"]
            && frame.field.as_deref() == Some("size")
            && frame.has(Role::Place)
            && frame.kinds.is_empty()
            && !narrowed(&frame);
        let mut object = object;
        // The largest folders are those that hold most, not those with the longest listing.
        let heaviest = object == "dirs"
            && frame.order.as_ref().is_some_and(|o| o.field == "size" && o.order == "desc")
            && !narrowed(&frame);
        if heaviest || weighed && matches!(object, "dirs" | "") {
            (object, qualifiers) = ("files", vec!["size".to_owned()]);
            frame.verbs.push("compute".to_owned());
        }
        let Some(tool) = self.producer(&frame, object, &qualifiers).cloned() else {
            return self.piped(&frame, object, &qualifiers);
        };
        self.produce(&frame, &tool)
    }

    /// A file named without a place is looked for, unless it is to be read.
    fn loose_names(&self, frame: &mut Frame, object: &str) {
        let sought = frame.verbs.iter().any(|v| v == "find");
        let reads = frame.verbs.iter().any(|v| v != "read" && v != "find")
            || !frame.stats.is_empty()
            || frame.column.is_some()
            || frame.field.is_some()
            || frame.has(Role::Sheet);
        let sense = self.sense(frame);
        if frame.loose.is_empty()
            || !(sense.query || sought)
            || reads
            || object != "files"
            || frame.list(Role::Paths).len() != frame.loose.len()
            || frame.has(Role::Contains)
        {
            return;
        }
        frame.slots.remove(&Role::Paths);
        for name in frame.loose.clone() {
            frame.push(Role::Patterns, name);
        }
    }

    fn producer(&self, frame: &Frame, object: &str, qualifiers: &[String]) -> Option<&'_ Tool> {
        let mut roles: BTreeSet<Role> = frame.slots.keys().copied().collect();
        // The home is where everything is: a folder that nobody named is not missing.
        let anywhere = matches!(object, "files" | "dirs" | "images") && !roles.contains(&Role::Paths);
        if anywhere && object != "dirs" {
            roles.insert(Role::Place);
        }
        let mut narrowing: BTreeSet<Role> = roles.clone();
        narrowing.retain(|role| {
            matches!(
                role,
                Role::Kind
                    | Role::Patterns
                    | Role::SizeMin
                    | Role::SizeMax
                    | Role::After
                    | Role::Before
                    | Role::Contains
                    | Role::Paths
                    | Role::Shows
                    | Role::Empty
                    | Role::Name
                    | Role::Names
                    | Role::Query
                    | Role::Text
            )
        });
        if !frame.excluded.is_empty() {
            narrowing.insert(Role::Negate);
        }
        let want =
            Want { verb: None, object, qualifiers, verbs: &frame.verbs, roles, narrowing, piped: false };
        choose(&self.planner.catalog, &want)
    }

    /// An executor of the object that works on another list: lines of the files found.
    fn piped(&mut self, frame: &Frame, object: &str, qualifiers: &[String]) -> Result<List, Stop> {
        let roles: BTreeSet<Role> = frame.slots.keys().copied().collect();
        let want = Want {
            verb: None,
            object,
            qualifiers,
            verbs: &frame.verbs,
            roles,
            narrowing: BTreeSet::new(),
            piped: true,
        };
        let Some(tool) = choose(&self.planner.catalog, &want).cloned() else {
            return Err(Stop::Gap(nothing("gives", object)));
        };
        let mut own = frame.clone();
        own.slots.remove(&Role::Place);
        let mut used = BTreeSet::new();
        let mut step = fill(&tool, &own, &mut used);
        let mut rest = frame.clone();
        rest.slots.retain(|role, _| !used.contains(role));
        rest.nouns.clear();
        rest.stats.clear();
        rest.object.clear();
        let under = if object == "texts" { "files" } else { object };
        let source = if rest.slots.is_empty() && rest.kinds.is_empty() { self.referred(frame) } else { None };
        let list = match source {
            Some(list) => list,
            None if under == object => {
                return Err(Stop::Gap(nothing("gives", object)));
            }
            None if rest.slots.is_empty() && rest.kinds.is_empty() => {
                return Err(Stop::Ask { tool: step.tool, missing: vec!["paths".to_owned()] });
            }
            None => self.look(&rest, under)?,
        };
        refer(&mut step, &list, "from_step");
        let n = self.push(step)?;
        Ok(self.became(n, &tool))
    }

    /// A step of the producer, then what it could not take as filters.
    fn produce(&mut self, frame: &Frame, tool: &Tool) -> Result<List, Stop> {
        let tool = tool.clone();
        let mut used = BTreeSet::new();
        let mut frame = frame.clone();
        if tool.takes(Role::Place) && !frame.has(Role::Place) {
            frame.set(Role::Place, "~");
        }
        if frame.has(Role::Empty) && !tool.takes(Role::Empty) && tool.takes(Role::SizeMax) {
            frame.slots.remove(&Role::Empty);
            frame.set(Role::SizeMax, 0);
        }
        // What tells these things apart is how their names begin: looked for, or filtered where other names are given.
        let unnamed = tool.takes(Role::Patterns) && !frame.has(Role::Patterns);
        if let Some(begins) = frame.begins.take_if(|_| unnamed) {
            frame.push(Role::Patterns, format!("{begins}*"));
        }
        self.own_order(&mut frame, &tool);
        let step: Step = fill(&tool, &frame, &mut used);
        let n = self.push(step)?;
        let list = self.became(n, &tool);
        if tool.class == Class::Processor
            && frame.order.as_ref().is_some_and(|o| o.limit.is_some())
            && tool.takes(Role::Limit)
        {
            used.insert(Role::Limit);
        }
        let list = self.inside(&frame, &tool, list)?;
        self.narrow(&frame, list, &mut used)
    }

    /// "photos of a dog in Documents": where things are is told by their paths, where nothing else takes it.
    fn inside(&mut self, frame: &Frame, tool: &Tool, list: List) -> Result<List, Stop> {
        let place = frame.text(Role::Place).filter(|_| !tool.takes(Role::Place) && tool.object() == "images");
        let Some(place) = place.map(|place| place.trim_start_matches('~').trim_end_matches('/')) else {
            return Ok(list);
        };
        if place.is_empty() || !list.gives.contains_key("path") {
            return Ok(list);
        }
        let part = format!("{place}/");
        self.filter(list, "path", vec![(Role::WhereContains, part.into())], false)
    }

    /// An executor that ranks by itself: how many, and by what.
    fn own_order(&self, frame: &mut Frame, tool: &Tool) {
        if let Some(arg) = tool.arg(Role::SpaceBy) {
            let folders = frame
                .nouns
                .iter()
                .filter_map(|n| self.planner.lexicons.senses.noun.get(&n.id))
                .any(|n| n.object.as_deref() == Some("dirs"));
            let group = frame.group.first().cloned().or_else(|| folders.then(|| "dir".to_owned()));
            if let Some(group) = group.filter(|g| arg.choices.contains(g)) {
                frame.set(Role::SpaceBy, group);
            }
        }
        if tool.takes(Role::Limit)
            && let Some(limit) = frame.order.as_ref().and_then(|o| o.limit)
        {
            frame.set(Role::Limit, limit);
        }
    }

    pub(super) fn became(&mut self, step: usize, tool: &Tool) -> List {
        let list = List {
            step: Some(step),
            index: None,
            object: tool.object().to_owned(),
            gives: tool.gives.clone(),
            open: tool.open,
        };
        self.list = Some(list.clone());
        self.seen.push(list.clone());
        list
    }

    /// Two places, each looked into, and what is asked of the two lists.
    fn two(
        &mut self,
        frame: &Frame,
        object: &str,
        first: &str,
        second: &str,
        op: &str,
    ) -> Result<List, Stop> {
        let object = if matches!(object, "dirs" | "") { "files" } else { object };
        let part = |place: &str| {
            let mut one = frame.clone();
            one.sets = None;
            (one.anaphor, one.only) = (None, false);
            one.also.clear();
            one.set(Role::Place, place);
            one
        };
        self.combined(frame, object, [part(first), part(second)], op)
    }

    /// Things of some kinds, or of some names: each looked for, and then all of them.
    fn either(&mut self, frame: &Frame, object: &str) -> Result<List, Stop> {
        let mut kinds = frame.clone();
        kinds.beside.clear();
        let mut named = kinds.clone();
        named.kinds.clear();
        named.slots.remove(&Role::Kind);
        named.set(Role::Patterns, frame.beside.clone());
        self.combined(frame, object, [kinds, named], "union")
    }

    /// What is asked of two lists; the order and the limit are those of all of them.
    fn combined(&mut self, frame: &Frame, object: &str, parts: [Frame; 2], op: &str) -> Result<List, Stop> {
        let Some(tool) = self.planner.catalog.processor(Role::SetOp).cloned() else {
            return Err(Stop::Gap("nothing compares lists".to_owned()));
        };
        let mut lists = Vec::new();
        for mut part in parts {
            part.order = None;
            lists.push(self.look(&part, object)?);
        }
        let mut args = Map::new();
        for arg in &tool.args {
            let value = match arg.role {
                Some(Role::SetOp) => Value::from(op),
                Some(Role::Key) if lists[0].gives.contains_key("name") && op != "union" => {
                    Value::from("name")
                }
                _ => continue,
            };
            args.insert(arg.name.clone(), value);
        }
        let mut step = Step { tool: tool.name.as_str().to_owned(), args, dormant: tool.dormant.clone() };
        refer(&mut step, &lists[0], "from_step");
        refer(&mut step, &lists[1], "with_step");
        let n = self.push(step)?;
        let mut list = self.became(n, &tool);
        list.object = object.to_owned();
        list.gives = lists.swap_remove(0).gives;
        self.list = Some(list.clone());
        self.ordered(frame, list)
    }
}

/// Whether a clause names a place, and nothing that is in it.
pub(super) fn only_place(frame: &Frame) -> bool {
    let asked = !frame.stats.is_empty() || !frame.group.is_empty() || frame.order.is_some();
    frame.has(Role::Place)
        && frame.verb.is_some()
        && frame.object.is_empty()
        && frame.nouns.is_empty()
        && frame.also.is_empty()
        && frame.sets.is_none()
        && !asked
        && !narrowed(frame)
}
