//! The list an executor works on: pointed to, looked for, or read first because a field is missing.

use super::Step;
use super::compose::{Build, List, Stop, UNCLEAR};
use super::earlier::Source;
use super::fill::{fill, lacking};
use crate::catalog::{Role, Tool, Type};
use crate::parse::{Anaphor, Frame, has_ending};
use metnos_vocab::Class;
use std::collections::{BTreeMap, BTreeSet};

/// The field that numbers the copies of one file.
const COPY: &str = "copy";

impl<'p> Build<'p> {
    /// The list an executor works on: the one pointed to, or a new one.
    pub(super) fn input(
        &mut self,
        frame: &Frame,
        tool: &'p Tool,
        used: &BTreeSet<Role>,
        object: &str,
        step: &Step,
    ) -> Result<List, Stop> {
        let named = !frame.object.is_empty()
            || !frame.kinds.is_empty()
            || frame.has(Role::Paths)
            || frame.has(Role::Place) && !used.contains(&Role::Place)
            || narrowed(frame)
            || frame.has(Role::Urls)
            || frame.has(Role::Query)
            || frame.has(Role::Name);
        // "The videos there, move them": a pronoun that takes up what the clause itself has named.
        let points = frame.object.is_empty() && (frame.anaphor.is_some() || frame.only) || frame.these;
        let within = frame.has(Role::Place) && !frame.there && !used.contains(&Role::Place);
        if points && within && tool.class == Class::Changer {
            return Err(Stop::Gap(UNCLEAR.to_owned()));
        }
        let mut said = frame.clone();
        said.slots.retain(|role, _| !used.contains(role));
        if points || !named {
            if let Some(list) = self.referred(frame) {
                let list = self.counted(list, tool);
                if tool.class == Class::Changer && self.one_of_shown(frame, &list) {
                    return Err(Stop::Gap(UNCLEAR.to_owned()));
                }
                if tool.class == Class::Changer && self.speaks_of_others(&said, &list.object) {
                    return Err(Stop::Gap(UNCLEAR.to_owned()));
                }
                // Of what is in a folder some are files, some are not.
                if tool.class == Class::Changer && tool.object() == "dirs" && self.is_listing() {
                    return Err(Stop::Gap(UNCLEAR.to_owned()));
                }
                return self.narrow(frame, list, &mut used.clone());
            }
            if !named || frame.these {
                let missing = lacking(tool, step, false).unwrap_or_else(|| vec!["paths".to_owned()]);
                return Err(Stop::Ask { tool: tool.name.as_str().to_owned(), missing });
            }
        }
        let mut rest = frame.clone();
        for role in used.iter().filter(|role| !matches!(role, Role::Place)) {
            rest.slots.remove(role);
        }
        rest.slots
            .retain(|role, _| !matches!(role, Role::DstDir | Role::Dst | Role::OutPath | Role::NameTemplate));
        if let Some(list) = self.meant_again(&rest, tool) {
            return if tool.bounded && !self.was_chosen(&list) {
                Err(self.asking(tool, step))
            } else {
                Ok(list)
            };
        }
        match self.among(frame, &rest, tool, object)? {
            Source::List(list) => return Ok(self.counted(list, tool)),
            Source::Search(both) => rest = *both,
        }
        if self.place_unsaid(&rest, tool, object) {
            return Err(Stop::Gap(UNCLEAR.to_owned()));
        }
        let loose = rest.slots.iter().all(|(role, _)| tool.takes(*role) || matches!(role, Role::Recursive));
        let vague = frame.singular
            && rest.kinds.len() <= 1
            && loose
            && rest.order.is_none()
            && rest.excluded.is_empty();
        // What a person would name instead of a list.
        let named = tool.arg(Role::Paths).or_else(|| tool.inner(Role::Attachments)).map(|arg| &arg.name);
        let ask = |missing: Vec<String>| Stop::Ask { tool: tool.name.as_str().to_owned(), missing };
        if let Some(name) = named.filter(|_| vague && matches!(object, "files" | "dirs")) {
            let missing = lacking(tool, step, false).filter(|_| tool.along.is_none());
            return Err(ask(missing.unwrap_or_else(|| vec![name.clone()])));
        }
        // "the photo in X": which of those that are there is not said.
        let lone = frame.lone
            && tool.class == Class::Changer
            && matches!(object, "files" | "dirs")
            && frame.anaphor.is_none()
            && !rest.has(Role::Paths)
            && rest.kinds.len() <= 1
            && rest.qualifiers.is_empty()
            && (!narrowed(&rest) || self.own_names(&rest))
            && rest.order.is_none()
            && rest.begins.is_none()
            && rest.sets.is_none()
            && rest.beside.is_empty();
        if let Some(name) = named.filter(|_| lone) {
            return Err(ask(vec![name.clone()]));
        }
        // "the mail from Anna": which of those that she sent is not said.
        const TOLD: [Role; 2] = [Role::SubjectContains, Role::Query];
        let mail = frame.lone && object == "messages" && tool.class == Class::Changer && tool.along.is_none();
        if mail && rest.order.is_none() && !TOLD.iter().any(|role| rest.has(*role)) {
            return Err(self.asking(tool, step));
        }
        // All there is, everywhere, is more than anybody means to change in one sentence.
        // An exception bounds nothing, unless it says where.
        let boundless = tool.class == Class::Changer
            && matches!(object, "files" | "dirs")
            && rest.slots.keys().all(|role| *role == Role::Recursive || tool.takes(*role))
            && rest.kinds.is_empty()
            && rest.qualifiers.is_empty()
            && !narrowed(&Frame { excluded: folders_left_out(&rest), ..rest.clone() })
            && rest.begins.is_none()
            && rest.order.as_ref().is_none_or(|order| order.limit.is_none())
            && rest.sets.is_none();
        if let Some(name) = named.filter(|_| boundless) {
            return Err(ask(vec![name.clone()]));
        }
        let missing = lacking(tool, step, false).unwrap_or_default();
        let object = if object == "entries" { "files" } else { object };
        if rest.verbs.is_empty() && rest.has(Role::Paths) {
            let rows = rest.column.is_some() || rest.field.is_some();
            rest.verbs.push(if tool.needs.is_empty() && !rows { "get" } else { "read" }.to_owned());
        }
        let mut object = object;
        if self.is_a_tree(frame, tool, object, step) {
            let place = rest.slots.remove(&Role::Place);
            for folder in place.into_iter().chain(std::mem::take(&mut rest.also).into_iter().map(Into::into))
            {
                rest.push(Role::Paths, folder);
            }
            (object, rest.verbs) = ("files", vec!["get".to_owned()]);
            rest.nouns.clear();
        }
        let list = self.look(&rest, object)?;
        // All records there are get changed only where that is said, and not even then where it cannot be undone.
        if !self.was_chosen(&list) && (tool.bounded || tool.class == Class::Changer && !frame.every) {
            return Err(ask(missing));
        }
        Ok(list)
    }

    /// "the screenshot": things that only the names of their sort tell from others, and nothing else does.
    fn own_names(&self, frame: &Frame) -> bool {
        let senses = &self.planner.lexicons.senses;
        let nouns = frame.nouns.iter().filter_map(|noun| senses.noun.get(&noun.id));
        let own: Vec<&String> = nouns.flat_map(|noun| &noun.names).collect();
        let patterns = frame.list(Role::Patterns);
        let other = NARROWING.iter().any(|role| *role != Role::Patterns && frame.has(*role));
        !patterns.is_empty()
            && patterns.iter().all(|p| own.contains(&p))
            && !other
            && frame.excluded.is_empty()
    }

    /// The question for what an executor works on.
    fn asking(&self, tool: &Tool, step: &Step) -> Stop {
        let missing = lacking(tool, step, false).unwrap_or_default();
        Stop::Ask { tool: tool.name.as_str().to_owned(), missing }
    }

    /// "find the mails from Anna, save the attachments": records of the sort that was just looked for, of which nothing
    /// else is said, are those.
    fn meant_again(&self, rest: &Frame, tool: &Tool) -> Option<List> {
        let same = |list: &&List| tool.class == Class::Changer && list.object == rest.object;
        let list = self.list.iter().chain(self.seen.iter().rev()).find(same)?;
        let step = list.step.and_then(|n| self.steps.get(n - 1));
        let looked_for = |kind: &String| step.is_some_and(|step| step.args.values().any(|arg| arg == kind));
        let nothing_else = rest.slots.is_empty()
            && !(tool.object() == "dirs" && self.is_listing())
            && !rest.singular
            && rest.kinds.iter().all(looked_for)
            && rest.qualifiers.is_empty()
            && rest.excluded.is_empty()
            && rest.order.is_none()
            && rest.begins.is_none()
            && rest.sets.is_none();
        nothing_else.then(|| self.counted(list.clone(), tool))
    }

    /// "find the videos in X and delete the photos", "unpack X and move the photos": whether those of X or all there are
    /// is not said.
    fn place_unsaid(&self, rest: &Frame, tool: &Tool, object: &str) -> bool {
        let placed = |step: &Step| {
            let known = self.planner.catalog.get(&step.tool);
            let args = known
                .filter(|step| step.verb() != "create" || !tool.takes(Role::DstDir))
                .into_iter()
                .flat_map(|tool| &tool.args);
            let mut places =
                args.filter(|arg| matches!(arg.role, Some(Role::Place | Role::Paths | Role::DstDir)));
            places.any(|arg| step.args.get(&arg.name).is_some_and(|place| place != "~"))
        };
        tool.class == Class::Changer
            && matches!(object, "files" | "dirs" | "images")
            && ![Role::Place, Role::Paths, Role::Patterns].iter().any(|role| rest.has(*role))
            && !rest.there
            && rest.sets.is_none()
            && self.steps.iter().any(placed)
    }

    /// "how many are there? delete them": what is moved is what was counted, not the figure.
    fn counted(&self, list: List, tool: &Tool) -> List {
        let moves = tool.class == Class::Changer && tool.along.is_none() && !tool.takes(Role::OutPath);
        let things = self.figure.clone().filter(|(step, _)| moves && list.step == Some(*step));
        things.map_or(list, |(_, things)| things)
    }

    /// What a pronoun points to: a list of this request, else the last of the conversation.
    pub(super) fn referred(&self, frame: &Frame) -> Option<List> {
        let mut list = self.last().cloned()?;
        match frame.anaphor {
            Some(Anaphor::Index(n)) => list.index = Some(n),
            // "rename the first … and move it": still the one, not the list it is on.
            Some(Anaphor::List) if list.step.is_none() => list.index = self.counted_out(),
            _ => {}
        }
        Some(list)
    }

    /// Refuses a list that a changer cannot work on: records of another sort, or what was only computed of them.
    pub(super) fn fits(&self, list: &List, tool: &Tool) -> Result<(), Stop> {
        let moves = tool.takes(Role::Paths) && !tool.takes(Role::OutPath);
        let computed = self.origin(list).is_some_and(|origin| origin.class == Class::Processor) && moves;
        let files = |object: &str| matches!(object, "files" | "dirs" | "images" | "entries" | "");
        let other = moves && files(tool.object()) && !files(&list.object);
        let lacks = !list.gives.is_empty()
            && !list.open
            && !tool.needs.is_empty()
            && tool.needs.iter().all(|field| !list.gives.contains_key(field));
        if tool.class == Class::Changer && (computed || lacks || other) {
            return Err(Stop::Gap("these are not things that can be changed".to_owned()));
        }
        Ok(())
    }

    /// Refuses to change a record where a part of it was named, or where a file was named that no step is about.
    pub(super) fn whole(&self, frame: &Frame, tool: &Tool) -> Result<(), Stop> {
        let part = frame.content.is_some() && tool.object() == frame.object;
        let paths = frame.list(Role::Paths);
        let said = serde_json::to_string(&self.steps).unwrap_or_default();
        let lost = !tool.takes(Role::Paths) && paths.iter().any(|path| !said.contains(path.as_str()));
        const SAID: [Role; 8] = [
            Role::Via,
            Role::Unread,
            Role::HasAttachment,
            Role::Add,
            Role::Remove,
            Role::State,
            Role::TaskState,
            Role::ProposalState,
        ];
        let steps = || self.steps.iter().filter_map(|step| self.planner.catalog.get(&step.tool));
        let taken =
            |role: Role| tool.takes(role) || tool.inner(role).is_some() || steps().any(|t| t.takes(role));
        let dropped = SAID.iter().any(|role| frame.has(*role) && !taken(*role));
        if tool.class == Class::Changer && (part || lost || dropped) {
            return Err(Stop::Gap("only a part of it was named".to_owned()));
        }
        Ok(())
    }

    /// Whether a list of this request was narrowed on its way: by a name, by a filter, by how many.
    fn was_chosen(&self, list: &List) -> bool {
        const PUTTING: [Role; 4] = [Role::LoadBy, Role::Health, Role::Order, Role::List];
        let chooses = |step: &Step| {
            let tool = self.planner.catalog.get(&step.tool);
            let args = tool.into_iter().flat_map(|tool| &tool.args);
            let mut choosing = args.filter(|arg| arg.role.is_some_and(|role| !PUTTING.contains(&role)));
            choosing.any(|arg| step.args.contains_key(&arg.name))
        };
        let step = list.step.and_then(|n| self.steps.get(n - 1));
        step.is_none_or(|step| self.fed_by(step).any(chooses))
    }

    /// The executor that a list of this request comes from in the end.
    fn origin(&self, list: &List) -> Option<&Tool> {
        let mut step = self.steps.get(list.step?.checked_sub(1)?)?;
        while let Some(before) = step.args.get("from_step").and_then(serde_json::Value::as_u64) {
            step = self.steps.get(usize::try_from(before).ok()?.checked_sub(1)?)?;
        }
        self.planner.catalog.get(&step.tool).filter(|_| !step.args.contains_key("from_turn"))
    }

    /// Of files that are copies of each other the first of every group stays: only the others are changed, unless one
    /// was pointed at.
    pub(super) fn spare_first(&mut self, list: List, tool: &Tool) -> Result<List, Stop> {
        if tool.class != Class::Changer || list.index.is_some() || !list.gives.contains_key(COPY) {
            return Ok(list);
        }
        self.filter(list, COPY, vec![(Role::WhereMin, 2.into())], false)
    }

    /// Adds the reader that gives a field the executor needs and the list lacks.
    pub(super) fn bridge(&mut self, list: List, tool: &Tool, content: Option<&str>) -> Result<List, Stop> {
        let needed = |gives: &BTreeMap<String, Type>| match content {
            Some(field) => gives.get(field) == Some(&Type::List),
            None => tool.needs.is_empty() || tool.needs.iter().any(|field| gives.contains_key(field)),
        };
        if needed(&list.gives) {
            return Ok(list);
        }
        let reader = self.planner.catalog.tools().find(|reader| {
            reader.class == Class::Producer
                && reader.takes(Role::List)
                && reader.object() == list.object
                && reader.qualifier().is_empty()
                && needed(&reader.gives)
        });
        let Some(reader) = reader else { return Ok(list) };
        let mut step = fill(reader, &Frame::default(), &mut BTreeSet::new());
        refer(&mut step, &list, "from_step");
        let n = self.push(step)?;
        let list = List { object: list.object, ..self.became(n, reader) };
        self.list = Some(list.clone());
        Ok(list)
    }
}

/// What is left out, but for single files: all there is but one file is still all there is.
fn folders_left_out(frame: &Frame) -> Vec<(Role, serde_json::Value)> {
    let folder = |(role, value): &&(Role, serde_json::Value)| {
        *role == Role::Place && !value.as_str().is_some_and(has_ending)
    };
    frame.excluded.iter().filter(folder).cloned().collect()
}

/// Points a step at a list.
pub(super) fn refer(step: &mut Step, list: &List, key: &str) {
    match list.step {
        Some(n) => step.args.insert(key.to_owned(), n.into()),
        None => step.args.insert("from_turn".to_owned(), (-1).into()),
    };
    if let Some(index) = list.index {
        step.args.insert("index".to_owned(), index.into());
    }
}

/// Values that narrow the things that are meant.
pub(super) const NARROWING: [Role; 10] = [
    Role::Patterns,
    Role::SizeMin,
    Role::SizeMax,
    Role::After,
    Role::Before,
    Role::Contains,
    Role::Empty,
    Role::Hidden,
    Role::Unread,
    Role::HasAttachment,
];

/// Whether something narrows the things that are meant.
pub(super) fn narrowed(frame: &Frame) -> bool {
    !frame.excluded.is_empty() || frame.kinds.len() > 1 || NARROWING.iter().any(|role| frame.has(*role))
}
