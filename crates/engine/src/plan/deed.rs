//! What changes something: the executor of a verb, its values and the records it works on.

use super::Step;
use super::choose::{Want, choose};
use super::compose::{Build, List, Stop, UNCLEAR, nothing};
use super::fill::{fill, given, lacking};
use super::input::{NARROWING, narrowed, refer};
use crate::catalog::{Role, Tool};
use crate::lexicon::VerbSense;
use crate::parse::Frame;
use metnos_vocab::Class;
use serde_json::Value;
use std::collections::BTreeSet;

impl<'p> Build<'p> {
    /// A clause that does something: the executor of its verb, and the list it works on.
    pub(super) fn do_it(&mut self, frame: &Frame, verb: &VerbSense, object: &str) -> Result<(), Stop> {
        let mut frame = frame.clone();
        let mut sense = verb.clone();
        let (tool, sense) = loop {
            for (role, value) in &sense.set {
                frame.slots.entry(*role).or_insert(crate::parse::json(value));
            }
            if let Some(tool) = self.sink(&frame, &sense, object) {
                break (tool, sense);
            }
            match sense.fallback.take() {
                Some(next) => {
                    let wants = sense.wants;
                    sense = VerbSense { wants: next.wants.or(wants), ..*next };
                }
                None => return Err(Stop::Gap(nothing("does this to", object))),
            }
        };
        if self.speaks_of_parts(&frame, tool) && !frame.has(Role::OutPath) {
            return Err(Stop::Gap("what is meant is a part of them".to_owned()));
        }
        // Nothing is changed "by year" where that means nothing.
        if let Some(group) = frame.group.first().filter(|_| tool.class == Class::Changer) {
            return Err(Stop::Gap(nothing("does this by", group)));
        }
        // Neither are "most" of them, where nothing is counted.
        if tool.class == Class::Changer && frame.order.as_ref().is_some_and(|order| order.field == "count") {
            return Err(Stop::Gap("it is not said how many".to_owned()));
        }
        // Nor "the oldest" of them, where nothing says how many those are; a list may be written in an order.
        let unlimited = frame.order.as_ref().is_some_and(|order| order.limit.is_none());
        if tool.class == Class::Changer && unlimited && !tool.takes(Role::OutPath) && tool.along.is_none() {
            return Err(Stop::Gap("it is not said how many".to_owned()));
        }
        // "the folder where x.pdf is": the file that is named is not the folder.
        if tool.class == Class::Changer && tool.object() == "dirs" && !frame.loose.is_empty() {
            return Err(Stop::Gap(UNCLEAR.to_owned()));
        }
        self.templates(&mut frame);
        if frame.there
            && !frame.has(Role::DstDir)
            && let Some(made) = &self.made
        {
            frame.set(Role::DstDir, made.clone());
        }
        self.goes_to_made(&mut frame);
        if !frame.extract.is_empty() {
            frame.set(Role::Fields, frame.extract.clone());
        }
        self.endings(tool, &mut frame);
        // "zip them into x.zip and send it": what was made of them.
        if tool.along.is_some()
            && points(&frame)
            && let Some(file) = self.wrote.clone()
        {
            frame.push(Role::Attachments, file);
        }
        self.all_said(verb, tool, &frame)?;
        self.points_to_made(verb, tool, &mut frame)?;
        let thing = !verb.contents && self.is_the_thing(&frame, tool, object);
        // What is cleaned stays: what of it is to go was not said, unless all of it is.
        if thing && verb.inside && !frame.has(Role::Recursive) {
            let missing = tool.arg(Role::Paths).map(|arg| arg.name.clone()).into_iter().collect();
            return Err(Stop::Ask { tool: tool.name.as_str().to_owned(), missing });
        }
        let mut own = frame.clone();
        if tool.takes(Role::Paths)
            && !tool.takes(Role::Place)
            && !frame.has(Role::Names)
            && let Some(place) = own.slots.remove(&Role::Place).filter(|_| thing)
        {
            own.push(Role::Paths, place);
            for place in std::mem::take(&mut own.also) {
                own.push(Role::Paths, place);
            }
        }
        self.new_paths(tool, &mut own);
        let mut used = BTreeSet::new();
        let mut step = fill(tool, &own, &mut used);
        let object = tool.along.as_deref().unwrap_or(object);
        // Things are named, or they are chosen: what would be dropped of both is not done.
        if self.direct(tool, &step) && chosen(&frame, &used) {
            return Err(Stop::Gap(UNCLEAR.to_owned()));
        }
        if tool.takes(Role::List) && !self.direct(tool, &step) && self.goes_along(&frame, tool) {
            let mut list = self.input(&frame, tool, &used, object, &step)?;
            let spoken = list.clone();
            if !sense.as_is {
                let content = frame.content.as_deref().filter(|_| tool.class == Class::Changer);
                list = self.bridge(list, tool, content)?;
            }
            self.fits(&list, tool)?;
            self.how_many(&frame, &list, tool)?;
            self.whole(&frame, tool)?;
            list = self.spare_first(list, tool)?;
            // The rows of a table can be written down; they are no files that could be moved, copied or deleted.
            let rows = list.open && tool.class == Class::Changer && tool.object() == "files";
            if rows && !tool.arg(Role::OutPath).is_some_and(|arg| given(&step, &arg.name)) {
                return Err(Stop::Gap("the rows of a table are no files".to_owned()));
            }
            self.written(&frame, tool, &step, &list)?;
            refer(&mut step, &list, "from_step");
            // What goes on is about the records, not about what was read out of them.
            if frame.content.is_some() {
                self.list = Some(spoken);
            }
        }
        let piped = step.args.contains_key("from_step") || step.args.contains_key("from_turn");
        let missing = sense
            .wants
            .and_then(|role| tool.arg(role))
            .filter(|arg| !step.args.contains_key(&arg.name))
            .map(|arg| arg.name.clone());
        let lacks = lacking(tool, &step, piped);
        // What the verb itself asks for comes before what its executor would also do with.
        if let Some(missing) = missing
            .filter(|_| lacks.is_some() || sense.wants == Some(Role::NameTemplate))
            .map(|m| vec![m])
            .or(lacks)
        {
            // What was said and cannot be taken is not asked for again.
            let said = |name: &String| {
                let arg = tool.args.iter().find(|arg| arg.name == *name);
                arg.and_then(|arg| arg.role).is_some_and(|role| frame.has(role))
            };
            if missing.iter().any(said) {
                return Err(Stop::Gap(nothing("does this to", object)));
            }
            return Err(Stop::Ask { tool: step.tool, missing });
        }
        if let Some(path) =
            step.args.get("paths").and_then(Value::as_array).and_then(|p| p.first()).and_then(Value::as_str)
            && tool.object() == "dirs"
        {
            self.made = Some(path.to_owned());
        }
        if self.one_move(tool, &mut step) {
            return Ok(());
        }
        self.where_they_went(&mut step);
        let from = self.list.clone();
        let file = [Role::Dst, Role::OutPath].iter().find_map(|role| tool.arg(*role));
        self.wrote = file.and_then(|arg| step.args.get(&arg.name)?.as_str()).map(str::to_owned);
        let n = self.push(step)?;
        if tool.pipes {
            let mut list = self.became(n, tool);
            if tool.keeps
                && let Some(from) = from
            {
                list.object = from.object;
                list.gives.extend(from.gives);
                list.open |= from.open;
            }
            self.list = Some(list);
            let list = self.list.clone();
            if tool.class == Class::Producer
                && let Some(list) = list
            {
                let mut rest = frame.clone();
                rest.order = None;
                let only = Frame {
                    column: rest.column.clone(),
                    columns: rest.columns.clone(),
                    column_not: rest.column_not,
                    ..Frame::default()
                };
                let list = match only.column.is_some() {
                    true => self.narrow(&only, list, &mut BTreeSet::new())?,
                    false => list,
                };
                return self.finish_look(&rest, list);
            }
            if let Some(format) = frame.text(Role::RenderFormat) {
                let format = format.to_owned();
                self.render(&format)?;
            }
        }
        Ok(())
    }

    /// The executor of a verb for the first object that has one.
    pub(super) fn sink(&self, frame: &Frame, sense: &VerbSense, object: &str) -> Option<&'p Tool> {
        if !frame.extract.is_empty()
            && let Some(tool) = self.planner.catalog.processor(Role::Fields)
        {
            return Some(tool);
        }
        let qualifiers = self.qualifiers(frame, sense, object);
        let roles: BTreeSet<Role> = frame.slots.keys().copied().collect();
        // A folder stands for the files in it, unless the verb has another way with folders: reading one lists it.
        let otherwise = sense.fallback.as_ref().and_then(|next| next.verb.as_deref()).is_some_and(|verb| {
            self.planner.catalog.tools().any(|tool| tool.verb() == verb && tool.object() == object)
        });
        let inside = (object == "dirs" && !otherwise).then_some("files");
        let objects = [sense.object.as_deref(), Some(object), inside];
        objects.into_iter().flatten().find_map(|object| {
            let want = Want {
                verb: sense.verb.as_deref(),
                object,
                qualifiers: &qualifiers,
                verbs: &[],
                roles: roles.clone(),
                narrowing: BTreeSet::new(),
                piped: true,
            };
            choose(&self.planner.catalog, &want)
        })
    }

    /// Refuses to write down something else than what was named: what is known about a file instead of what is in it,
    /// records instead of what is computed of them, things instead of the list of them.
    fn written(&self, frame: &Frame, tool: &Tool, step: &Step, list: &List) -> Result<(), Stop> {
        let given = |role: Role| tool.arg(role).is_some_and(|arg| given(step, &arg.name));
        let from = list.step.and_then(|n| self.steps.get(n - 1));
        let verb = from.and_then(|step| self.planner.catalog.get(&step.tool)).map(Tool::verb);
        let about = given(Role::OutPath) && verb == Some("get");
        let whole = given(Role::OutPath) && !frame.stats.is_empty() && verb != Some("compute");
        let listed = frame.listing && given(Role::DstDir) && !given(Role::OutPath);
        match tool.class == Class::Changer && (about || whole || listed) {
            true => Err(Stop::Gap(UNCLEAR.to_owned())),
            false => Ok(()),
        }
    }

    /// Whether its work is already said by its own arguments.
    pub(super) fn direct(&self, tool: &Tool, step: &Step) -> bool {
        [Role::Paths, Role::Ids, Role::Pids, Role::Content, Role::Attachments]
            .iter()
            .filter_map(|role| tool.arg(*role).or_else(|| tool.inner(*role)))
            .any(|arg| given(step, &arg.name))
    }

    /// Whether a clause speaks of what may go along with a step: by its words, or by pointing back to it.
    pub(super) fn goes_along(&self, frame: &Frame, tool: &Tool) -> bool {
        let Some(along) = tool.along.as_deref() else { return true };
        frame.object == along
            || !frame.kinds.is_empty()
            || points(frame) && self.last().is_some_and(|list| list.object == along)
    }

    /// A folder that is itself the thing: named, and not as the place of other things.
    pub(super) fn is_the_thing(&self, frame: &Frame, tool: &Tool, object: &str) -> bool {
        tool.takes(Role::Paths) && self.is_a_folder(frame, object)
    }

    /// "copy Documents to Backup": a folder goes into another as the tree it is, by an executor that takes things
    /// only from a list.
    pub(super) fn is_a_tree(&self, frame: &Frame, tool: &Tool, object: &str, step: &Step) -> bool {
        let into = tool.arg(Role::DstDir).is_some_and(|arg| given(step, &arg.name));
        into && tool.class == Class::Changer
            && !tool.takes(Role::Paths)
            && !frame.every
            && frame.content.is_none()
            && self.is_a_folder(frame, object)
    }

    /// Whether a folder is named, and nothing in it.
    fn is_a_folder(&self, frame: &Frame, object: &str) -> bool {
        // "the folders in X": X is where they are.
        let senses = &self.planner.lexicons.senses;
        let nouns = frame.nouns.iter().filter_map(|noun| senses.noun.get(&noun.id));
        let within = nouns.into_iter().any(|n| n.object.as_deref() == Some("dirs") && n.acting.is_none());
        frame.folders.is_empty()
            && !within
            && frame.anaphor.is_none()
            && frame.has(Role::Place)
            && !frame.has(Role::Paths)
            && matches!(object, "dirs" | "") | (frame.object.is_empty() && frame.kinds.is_empty())
            && !narrowed(frame)
    }
}

impl Build<'_> {
    /// "delete the oldest files": an order alone does not say how many of them are meant.
    fn how_many(&self, frame: &Frame, list: &List, tool: &Tool) -> Result<(), Stop> {
        let step = list.step.and_then(|n| self.steps.get(n - 1));
        let sorts = step.and_then(|step| self.planner.catalog.get(&step.tool)?.arg(Role::SortBy));
        let limited = step.is_some_and(|step| step.args.contains_key("limit"));
        let lists = tool.takes(Role::OutPath) && frame.has(Role::OutPath);
        let open = sorts.is_some() && !limited && list.index.is_none() && !frame.has(Role::NameTemplate);
        match open && !lists && tool.class == Class::Changer {
            true => Err(Stop::Gap("it is not said how many".to_owned())),
            false => Ok(()),
        }
    }
}

/// Whether words that choose among things were used by no argument.
fn chosen(frame: &Frame, used: &BTreeSet<Role>) -> bool {
    let unread = NARROWING.iter().any(|role| frame.has(*role) && !used.contains(role));
    let kind = !frame.kinds.is_empty() && !used.contains(&Role::Kind);
    unread || kind || !frame.excluded.is_empty() || frame.order.is_some()
}

/// Whether a clause only points back.
pub(super) fn points(frame: &Frame) -> bool {
    frame.object.is_empty() && (frame.anaphor.is_some() || frame.only)
}
