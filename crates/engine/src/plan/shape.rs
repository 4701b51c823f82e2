//! Values that follow from others: folders to make, places by group, formats by ending.

use super::compose::Build;
use crate::catalog::{Role, Tool};
use crate::parse::Frame;
use metnos_vocab::Class;

impl Build<'_> {
    /// Folders to make: their names below the place, or the place itself.
    pub(super) fn new_paths(&self, tool: &Tool, frame: &mut Frame) {
        if tool.class != Class::Changer || !frame.has(Role::Names) || tool.takes(Role::Names) {
            return;
        }
        let base = frame.text(Role::Place).unwrap_or("~").trim_end_matches('/').to_owned();
        let paths: Vec<String> =
            frame.list(Role::Names).iter().map(|name| format!("{base}/{name}")).collect();
        frame.slots.remove(&Role::Place);
        frame.set(Role::Paths, paths);
    }

    /// "into folders by year": the place they go to, with the groups as its parts.
    pub(super) fn templates(&self, frame: &mut Frame) {
        if frame.folders.is_empty() {
            return;
        }
        let base = frame
            .text(Role::DstDir)
            .or(frame.text(Role::Place))
            .or(self.shown_in(frame))
            .unwrap_or("~")
            .trim_end_matches('/')
            .to_owned();
        let parts: String = frame.folders.iter().map(|group| format!("/{{{group}}}")).collect();
        frame.set(Role::DstDir, format!("{base}{parts}"));
    }

    /// Formats that follow from the ending of a file.
    pub(super) fn endings(&self, tool: &Tool, frame: &mut Frame) {
        let senses = &self.planner.lexicons.senses;
        for (role, path, what) in [
            (Role::WriteFormat, Role::OutPath, "write_format"),
            (Role::ArchiveFormat, Role::Dst, "archive_format"),
        ] {
            let list = frame.has(Role::Content) && role == Role::WriteFormat;
            if tool.takes(role)
                && !frame.has(role)
                && !list
                && let Some(format) =
                    frame.text(path).and_then(|path| senses.ending(what, path)).map(str::to_owned)
            {
                frame.set(role, format);
            }
        }
    }
}
