//! One clause into steps: a source, what narrows and orders it, and the executor that acts on it.

use super::earlier::Earlier;
use super::fill::{fill, lacking};
use super::input::narrowed;
use super::say::beyond;
use super::source::only_place;
use super::{Planner, Step};
use crate::catalog::{Role, Tool, Type};
use crate::lexicon::VerbSense;
use crate::parse::{Frame, has_ending};
use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

/// Most steps of a plan.
const STEPS: usize = 12;

/// Why nothing is done where words that choose among things could not be put to use.
pub(super) const UNCLEAR: &str = "it is not clear which of them are meant";

/// Why nothing fits, whether or not it is known what the clause is about.
pub(super) fn nothing(does: &str, object: &str) -> String {
    if object.is_empty() {
        return "it is not said what this is about".to_owned();
    }
    format!("nothing in the catalog {does} {object}")
}

/// Why a clause has no steps.
#[derive(Clone, Debug)]
pub(super) enum Stop {
    /// Something is missing.
    Ask { tool: String, missing: Vec<String> },
    /// Nothing fits.
    Gap(String),
    /// There is something to say instead.
    Say(String),
}

/// A list that pipes can go on from.
#[derive(Clone, Debug)]
pub(crate) struct List {
    /// The step it comes from; the last turn when absent.
    pub(super) step: Option<usize>,
    /// One of it.
    pub(super) index: Option<i64>,
    /// What its records are.
    pub(super) object: String,
    /// Their fields.
    pub(super) gives: BTreeMap<String, Type>,
    /// Whether they may have others too.
    pub(super) open: bool,
}

/// A plan being made.
pub(super) struct Build<'p> {
    pub(super) planner: &'p Planner,
    pub(super) steps: Vec<Step>,
    /// The last list of this request.
    pub(super) list: Option<List>,
    /// The lists of this request, as they were looked for.
    pub(super) seen: Vec<List>,
    /// What the last figure of this request was computed of, and the step that did.
    pub(super) figure: Option<(usize, List)>,
    /// The last list of the conversation.
    pub(super) turn: Option<List>,
    /// The clauses of this request that were planned.
    pub(super) earlier: Vec<Earlier>,
    /// Those of the last request of the conversation.
    pub(super) turns: Vec<Earlier>,
    /// The folder that was made last.
    pub(super) made: Option<String>,
    /// The file that the last step wrote.
    pub(super) wrote: Option<String>,
    pub(super) notes: Vec<String>,
    /// Whether the last list of the conversation was looked at.
    pub(super) leans: Cell<bool>,
}

impl<'p> Build<'p> {
    /// A plan of no steps yet, after a conversation whose last list was `turn`.
    pub(super) fn new(planner: &'p Planner, turn: Option<List>) -> Self {
        let leans = Cell::new(false);
        Self {
            planner,
            steps: Vec::new(),
            list: None,
            seen: Vec::new(),
            figure: None,
            turn,
            earlier: Vec::new(),
            turns: Vec::new(),
            made: None,
            wrote: None,
            notes: Vec::new(),
            leans,
        }
    }

    /// The last list of this request, else that of the conversation.
    pub(super) fn last(&self) -> Option<&List> {
        if self.list.is_none() {
            self.leans.set(true);
        }
        self.list.as_ref().or(self.turn.as_ref())
    }

    pub(super) fn sense(&self, frame: &Frame) -> VerbSense {
        frame
            .verb
            .as_ref()
            .and_then(|id| self.planner.lexicons.senses.verb.get(id))
            .cloned()
            .unwrap_or_default()
    }

    /// Adds the steps of a clause.
    pub(super) fn clause(&mut self, frame: &Frame) -> Result<(), Stop> {
        if frame.apart {
            return Err(Stop::Say("one_by_one".to_owned()));
        }
        let verb = self.sense(frame);
        // "extract the text from ~/x.pdf" is reading it.
        if let Some(other) =
            verb.on_text.clone().filter(|_| self.whole_text(frame) && frame.extract.is_empty())
        {
            return self.clause(&Frame { verb: Some(other), ..frame.clone() });
        }
        // "save the text of ~/x.pdf to ~/x.txt": what is in the file is read first.
        if self.whole_text(frame) && frame.has(Role::OutPath) {
            let (object, verbs) = ("files".to_owned(), vec!["read".to_owned()]);
            return self.clause(&Frame { object, verbs, ..frame.clone() });
        }
        let fixed = frame.tool.as_ref().or(verb.tool.as_ref());
        if let Some(name) = fixed {
            let Some(tool) = self.planner.catalog.get(name) else {
                return Err(Stop::Gap(format!("no {name}")));
            };
            if let Some(said) = beyond(frame, &verb, tool, &self.planner.lexicons.senses) {
                return Err(Stop::Say(said));
            }
            return self.act(tool, frame).map(|_| ());
        }
        if frame.has(Role::Expression) {
            let tool = self.planner.catalog.tools().find(|tool| tool.takes(Role::Expression));
            let Some(tool) = tool else { return Err(Stop::Gap("nothing computes".to_owned())) };
            return self.act(tool, frame).map(|_| ());
        }
        let object = self.object(frame, &verb);
        // "empty ~/tmp": the folder stays, what is in it goes.
        let object = match verb.contents && matches!(object.as_str(), "dirs" | "") && frame.has(Role::Place) {
            true => "files".to_owned(),
            false => object,
        };
        match &verb.verb {
            None => {
                let mut frame = frame.clone();
                self.of_files(&mut frame);
                if frame.verbs.is_empty() && frame.has(Role::Paths) {
                    frame.verbs.push("read".to_owned());
                }
                // "show Downloads": a place and nothing else stands for all that is in it.
                if frame.verbs.is_empty() && only_place(&frame) {
                    frame.verbs.push("list".to_owned());
                }
                let from = self.steps.len();
                let list = self.look(&frame, &object)?;
                self.remember(&frame, &object);
                self.finish_look(&frame, list)?;
                self.traced(&frame, from)
            }
            // Of two values for one argument one would be lost.
            Some(_) if !frame.clashes.is_empty() => Err(Stop::Gap(UNCLEAR.to_owned())),
            Some(_) => {
                let from = self.steps.len();
                let frame =
                    &if verb.changes() && !verb.makes { self.in_shown_place(frame) } else { frame.clone() };
                self.do_it(frame, &verb, &object)?;
                self.remember(frame, &object);
                self.traced(frame, from)
            }
        }
    }

    /// A step of this executor with the values it takes; asks for what is missing.
    fn act(&mut self, tool: &'p Tool, frame: &Frame) -> Result<usize, Stop> {
        let step = fill(tool, frame, &mut BTreeSet::new());
        if let Some(missing) = lacking(tool, &step, false) {
            return Err(Stop::Ask { tool: step.tool, missing });
        }
        self.push(step)
    }

    pub(super) fn push(&mut self, step: Step) -> Result<usize, Stop> {
        if self.steps.len() >= STEPS {
            return Err(Stop::Gap(format!("more than {STEPS} steps")));
        }
        self.notes.push(format!("step {}: {}", self.steps.len() + 1, step.tool));
        self.steps.push(step);
        Ok(self.steps.len())
    }

    /// What the clause is about, from its nouns, its values, its verb, or what went before.
    pub(super) fn object(&self, frame: &Frame, verb: &VerbSense) -> String {
        let senses = &self.planner.lexicons.senses;
        if frame.has(Role::Shows)
            || frame.has(Role::SimilarTo)
            || frame.verbs.iter().any(|v| v == "taken")
                && !frame.has(Role::Place)
                && frame.kinds == ["image"]
                && verb.query
        {
            return "images".to_owned();
        }
        if let Some(owner) = self.owner(frame) {
            return owner;
        }
        let mut object = frame.object.clone();
        let acting = frame
            .nouns
            .iter()
            .filter_map(|n| senses.noun.get(&n.id))
            .find_map(|n| n.acting.clone().filter(|_| n.object.as_deref() == Some(object.as_str())));
        if let Some(acting) = acting
            && (verb.verb.is_some() || narrowed(frame))
            && !frame.has(Role::Recursive)
        {
            object = acting;
        }
        // Rows of a table are records, whatever the word for them.
        let table = frame.list(Role::Paths).iter().any(|path| senses.ending("qualifier", path).is_some());
        let searched = frame.has(Role::Contains) || !frame.stats.is_empty();
        if table
            && (frame.column.is_some()
                || !frame.group.is_empty()
                || frame.field.is_some()
                || object == "texts" && !searched)
        {
            return "files".to_owned();
        }
        let reads = verb.query || verb.verb.as_deref() == Some("read") || frame.verb.is_none();
        if reads && (self.whole_text(frame) || object == "dirs" && self.inside_file(frame)) {
            return "files".to_owned();
        }
        if frame.has(Role::Urls) && verb.verb.as_deref() != Some("send") {
            return "urls".to_owned();
        }
        if !object.is_empty() {
            return object;
        }
        if frame.has(Role::FirstText) || frame.has(Role::Text) {
            return "texts".to_owned();
        }
        if (frame.anaphor.is_some() || frame.only) && !frame.has(Role::Paths) {
            return self.last().map(|list| list.object.clone()).unwrap_or_default();
        }
        if !frame.kinds.is_empty() || narrowed(frame) || frame.has(Role::Paths) {
            return "files".to_owned();
        }
        if let Some(object) = &verb.object {
            return object.clone();
        }
        // "the most common extension in X": what has one is in the place.
        let counted = !frame.group.is_empty() && frame.order.as_ref().is_some_and(|o| o.field == "count");
        let counted = counted || frame.stats.iter().any(|stat| stat == "count_distinct");
        let inside = if counted { "files" } else { "dirs" };
        if frame.has(Role::Place) { inside.to_owned() } else { String::new() }
    }

    /// "the text of ~/x.pdf": all that is in files that are named.
    fn whole_text(&self, frame: &Frame) -> bool {
        let text = |id: &str| self.planner.lexicons.senses.noun.get(id).is_some_and(|noun| noun.text);
        frame.object == "texts"
            && frame.has(Role::Paths)
            && frame.stats.is_empty()
            && ![Role::Contains, Role::Text, Role::FirstText].iter().any(|role| frame.has(*role))
            && !frame.nouns.is_empty()
            && frame.nouns.iter().all(|noun| text(&noun.id))
    }

    /// "what is in ~/x.csv": files that are named hold no files, unless they are archives.
    fn inside_file(&self, frame: &Frame) -> bool {
        let senses = &self.planner.lexicons.senses;
        let plain = |path: &String| has_ending(path) && senses.ending("archive_format", path).is_none();
        let paths = frame.list(Role::Paths);
        let lists = frame.verbs.iter().any(|verb| verb == "list");
        lists && !paths.is_empty() && paths.iter().all(plain) && !frame.has(Role::Place)
    }

    /// What is asked of files that are named: what is in them, or how big or old they are.
    fn of_files(&self, frame: &mut Frame) {
        if self.inside_file(frame) {
            frame.verbs = vec!["read".to_owned()];
        }
        let paths = frame.list(Role::Paths).len();
        let bare = frame.verbs.is_empty()
            && frame.kinds.is_empty()
            && matches!(frame.object.as_str(), "" | "files")
            && !frame.rows
            && (!frame.has(Role::Place) || frame.loose.len() == paths);
        let weighed = frame.stats == ["sum"] && frame.field.as_deref() == Some("size");
        let dated = frame.stats.is_empty() && frame.order.as_ref().is_some_and(|o| o.field == "mtime");
        if paths == 0 || !bare || !(weighed || dated && paths == 1) {
            return;
        }
        frame.verbs.push("get".to_owned());
        if paths == 1 {
            frame.stats.clear();
            (frame.order, frame.field) = (None, None);
        }
    }

    /// The object of the only executors that take a value which none of the named object takes.
    fn owner(&self, frame: &Frame) -> Option<String> {
        let role = [Role::LoadBy].into_iter().find(|role| frame.has(*role))?;
        // What is named and no file has nothing to do with who uses most.
        if !matches!(frame.object.as_str(), "" | "files" | "dirs") {
            return None;
        }
        let takers = || self.planner.catalog.tools().filter(|tool| tool.takes(role));
        let own = takers().any(|tool| tool.object() == frame.object);
        if own { None } else { takers().next().map(|tool| tool.object().to_owned()) }
    }

    pub(super) fn qualifiers(&self, frame: &Frame, sense: &VerbSense, object: &str) -> Vec<String> {
        let senses = &self.planner.lexicons.senses;
        let mut out = frame.qualifiers.clone();
        out.extend(sense.qualifier.clone());
        let key = if object == "urls" { Role::Urls } else { Role::Paths };
        let what = if object == "urls" { "url_qualifier" } else { "qualifier" };
        out.extend(frame.list(key).iter().filter_map(|path| senses.ending(what, path)).map(str::to_owned));
        let text = frame.nouns.iter().any(|noun| senses.noun.get(&noun.id).is_some_and(|noun| noun.text));
        if text || sense.verb.as_deref() == Some("read") && object == "files" {
            let paths = frame.list(Role::Paths);
            out.extend(paths.iter().filter_map(|p| senses.ending("text_qualifier", p)).map(str::to_owned));
        }
        if object == "images" {
            out.push("indices".to_owned());
        }
        if object == "urls" {
            out.extend(frame.kinds.clone());
            out.retain(|q| metnos_vocab::Qualifier::parse(q).is_some());
            if frame.has(Role::Urls) && out.is_empty() {
                out.extend(senses.defaults.get(object).cloned());
            }
        }
        out
    }
}
