//! A folder and where it is: "the folder build in ~/code" is one folder, not two. Places that nothing joins are not
//! both meant.

use super::frame::Noun;
use super::names::joins;
use super::places::Mention;
use super::{Clause, Item};
use crate::catalog::Role;

impl Clause<'_> {
    /// The places, with every folder put where it is said to be. Where something is changed, what nothing joins to the
    /// places before it is left.
    pub(crate) fn nested(&mut self, mentions: Vec<Mention>) -> Vec<Mention> {
        let mut out: Vec<Mention> = Vec::new();
        let mut put = false;
        for mention in mentions {
            let within = matches!(mention.prep.as_str(), "in" | "inor" | "of" | "from") && !mention.file;
            let apart = |last: &Mention| !last.file && !self.joined_between(last.at, mention.at);
            let Some(last) = out.last_mut().filter(|last| within && apart(last)) else {
                out.push(mention);
                continue;
            };
            put = true;
            match last.name.clone().filter(|_| last.called) {
                Some(name) if last.plural && last.prep.is_empty() => {
                    self.folders_named(name);
                    *last = mention;
                }
                Some(name) => last.path = format!("{}/{name}", mention.path.trim_end_matches('/')),
                None => {
                    let lost = mention.name.clone().unwrap_or_else(|| mention.path.clone());
                    self.frame.leftover.push(lost);
                    out.push(mention);
                }
            }
        }
        if self.changes() {
            let several = put && out.len() > 1;
            let whole = |m: &&Mention| m.called && m.plural && m.prep.is_empty();
            let unplaced = out.iter().find(|m| several || out.len() == 1 && !put && whole(m));
            self.frame.leftover.extend(unplaced.map(|m| m.name.clone().unwrap_or_else(|| m.path.clone())));
        }
        out
    }

    /// "the folders node_modules in …": all that have this name.
    fn folders_named(&mut self, name: String) {
        self.frame.push(Role::Patterns, name);
        if self.frame.object.is_empty() {
            "dirs".clone_into(&mut self.frame.object);
            self.frame.nouns.push(Noun { id: "folder".to_owned() });
        }
    }

    /// Whether a comma or a conjunction stands between two places.
    fn joined_between(&self, from: usize, to: usize) -> bool {
        self.items.get(from..to).is_some_and(|items: &[Item]| items.iter().any(joins))
    }

    /// "drop the photos in X": whether they go away or into X is not said.
    pub(crate) fn flung(&self, mentions: &[Mention]) -> Option<String> {
        let verb = self.verb_at.filter(|verb| self.sense(*verb, "flings").is_some())?;
        let leads = |m: &Mention| matches!(m.prep.as_str(), "in" | "inor" | "to") && m.at > verb;
        let trash = self.items.iter().any(|item| item.is("flag", "trash"));
        (!trash && mentions.iter().any(leads)).then(|| self.items[verb].text.clone())
    }
}
