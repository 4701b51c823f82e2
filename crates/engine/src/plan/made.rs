//! What a deed made of things, and what is said of them next: "zip them into x.zip and move it" is about the archive;
//! copies or files in another format leave open which of the two are meant.

use super::Step;
use super::compose::{Build, Stop, UNCLEAR};
use super::deed::points;
use crate::catalog::{Role, Tool};
use crate::lexicon::VerbSense;
use crate::parse::{Anaphor, Frame};
use metnos_vocab::Class;

impl Build<'_> {
    /// Puts what the last step made in the place of a pronoun for one thing. Where it could as well be what it was made
    /// of, nothing is done.
    pub(super) fn points_to_made(
        &self,
        verb: &VerbSense,
        tool: &Tool,
        frame: &mut Frame,
    ) -> Result<(), Stop> {
        if tool.class != Class::Changer || tool.along.is_some() || !points(frame) {
            return Ok(());
        }
        let away = verb.verb.as_deref() == Some("delete");
        // Of files and their copies the first are thrown away; "save the attachments and delete them" may mean either,
        // unless the mails were looked for by themselves.
        let files = self.last().is_some_and(|list| list.object == "files");
        let shown = self.earlier.iter().any(|earlier| earlier.looked);
        let unclear = if away { !files && !shown } else { files };
        match &self.wrote {
            // Nobody makes an archive to throw it away: of it and what is in it, neither was named.
            Some(_) if frame.one && away => Err(Stop::Gap(UNCLEAR.to_owned())),
            Some(file) if frame.one => {
                frame.anaphor = None;
                frame.push(Role::Paths, file.clone());
                Ok(())
            }
            None if unclear && self.left_copies() => Err(Stop::Gap(UNCLEAR.to_owned())),
            _ => Ok(()),
        }
    }

    /// "make the folder A in B and move them to A": the folder that was just made, not another of that name.
    pub(super) fn goes_to_made(&self, frame: &mut Frame) {
        let name = self.made.as_deref().and_then(|made| made.rsplit('/').next());
        let said = frame.text(Role::DstDir).and_then(|dst| dst.strip_prefix("~/"));
        if let Some(made) = self.made.clone().filter(|_| said.is_some() && said == name) {
            frame.reset(Role::DstDir, made);
        }
    }

    /// Refuses to send without what was pointed at, and to change things while something is asked about them.
    pub(super) fn all_said(&self, verb: &VerbSense, tool: &Tool, frame: &Frame) -> Result<(), Stop> {
        let counted = matches!(frame.anaphor, Some(Anaphor::Index(_)));
        let left_behind = tool.along.is_some() && counted && !self.goes_along(frame, tool);
        let asked = tool.class == Class::Changer && !frame.stats.is_empty() && !frame.has(Role::OutPath);
        // "send her the list of the pdfs": the list is not what is on it.
        let listed = tool.along.is_some() && frame.listing && !points(frame) && self.goes_along(frame, tool);
        if let Some(text) = tool.arg(Role::Content).filter(|_| verb.makes && writes_nothing(frame)) {
            return Err(Stop::Ask { tool: tool.name.as_str().to_owned(), missing: vec![text.name.clone()] });
        }
        match left_behind || asked || listed {
            true => Err(Stop::Gap(UNCLEAR.to_owned())),
            false => Ok(()),
        }
    }

    /// The place of the things that a clause points to, where one was said.
    pub(super) fn shown_in(&self, frame: &Frame) -> Option<&str> {
        let before = self.earlier.last().or(self.turns.last())?;
        before.frame.text(Role::Place).filter(|_| points(frame) && before.looked)
    }

    /// The one of the list that the clause before was about.
    pub(super) fn counted_out(&self) -> Option<i64> {
        match self.earlier.last()?.frame.anaphor? {
            Anaphor::Index(n) => Some(n),
            Anaphor::List => None,
        }
    }

    /// Whether the last step of this request made files beside those it was given: copies, or another format.
    fn left_copies(&self) -> bool {
        let last = self.steps.last().and_then(|step| self.planner.catalog.get(&step.tool));
        last.is_some_and(|tool| {
            tool.class == Class::Changer
                && tool.object() == "files"
                && matches!(tool.verb(), "write" | "change")
        })
    }

    /// "move them to X and send them": things that were moved are no longer where they were found.
    pub(super) fn where_they_went(&self, step: &mut Step) {
        const LIST: &str = "from_step";
        let Some(list) = step.args.get(LIST).cloned() else { return };
        let moved = |earlier: &Step| {
            let tool = self.planner.catalog.get(&earlier.tool);
            let moves = tool.is_some_and(|tool| tool.verb() == "move" && tool.object() == "files");
            moves && earlier.args.get(LIST) == Some(&list) && !earlier.args.contains_key("index")
        };
        if let Some(at) = self.steps.iter().rposition(moved) {
            step.args.insert(LIST.to_owned(), (at + 1).into());
        }
    }

    /// "rename it to x and move it to Y": the same things, which get a new name and a new place in one step. After the
    /// first of two they would no longer be where they were found.
    pub(super) fn one_move(&mut self, tool: &Tool, step: &mut Step) -> bool {
        let Some(last) = self.steps.last_mut().filter(|last| last.tool == step.tool) else { return false };
        let source = |step: &Step| {
            ["from_step", "from_turn", "index", "paths"].map(|name| step.args.get(name).cloned())
        };
        let own =
            |step: &Step, role: Role| tool.arg(role).is_some_and(|arg| step.args.contains_key(&arg.name));
        let names = own(last, Role::NameTemplate) && !own(last, Role::DstDir);
        let goes = own(last, Role::DstDir) && !own(last, Role::NameTemplate);
        let other = names && own(step, Role::DstDir) && !own(step, Role::NameTemplate)
            || goes && own(step, Role::NameTemplate) && !own(step, Role::DstDir);
        if !other || source(last) != source(step) {
            return false;
        }
        last.args.append(&mut step.args);
        true
    }
}

/// Whether a file is to be written and nothing is said that could stand in it.
fn writes_nothing(frame: &Frame) -> bool {
    let things = !frame.nouns.is_empty() || !frame.kinds.is_empty() || !frame.object.is_empty();
    let pointed = frame.anaphor.is_some() || frame.only || frame.listing;
    let text = [Role::Content, Role::Paths, Role::Urls, Role::Patterns].iter().any(|role| frame.has(*role));
    frame.has(Role::OutPath) && !things && !pointed && !text && frame.stats.is_empty()
}
