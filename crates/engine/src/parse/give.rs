//! What a general verb gives or takes: "give X the name Y" renames, "put the label 'y' on X" labels, "take it off" takes it away.

use super::Clause;
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// A verb that gives, with the name that a file gets, renames it.
    pub(crate) fn given_names(&mut self) {
        let Some(verb) = self.verb_at.filter(|at| self.sense(*at, "gives").is_some()) else { return };
        let file = |at: usize| matches!(self.lit(at), Some(Lit::Path(_) | Lit::Slashed(_) | Lit::File(_)));
        let found = (verb + 1..self.len()).find(|at| {
            let new = matches!(self.lit(at + 1), Some(Lit::File(_) | Lit::Quoted(_)));
            self.free(*at) && self.is(*at, "given", "name") && new
        });
        let Some(at) = found.filter(|at| (verb + 1..self.len()).any(|i| i != at + 1 && file(i))) else {
            return;
        };
        let Some(rename) = self.senses.gives.get("name") else { return };
        self.frame.verb = Some(rename.clone());
        self.frame.set(Role::NameTemplate, self.items[at + 1].text.clone());
        self.take(at, at + 2, "new name");
    }

    /// A label that messages get or lose: the verb says which.
    pub(crate) fn given_labels(&mut self) {
        let Some(other) = self.frame.verb.as_ref().and_then(|id| self.senses.labels.get(id)).cloned() else {
            return;
        };
        for at in 0..self.len() {
            let quoted = [at + 1, self.skip_stops(at + 1)]
                .into_iter()
                .find(|i| matches!(self.lit(*i), Some(Lit::Quoted(_))));
            let label = self.free(at) && self.is(at, "given", "label");
            let Some(quoted) = quoted.filter(|i| label && self.free(*i)) else { continue };
            let role = if other.takes { Role::Remove } else { Role::Add };
            let text = self.items[quoted].text.clone();
            self.frame.push(role, text);
            self.frame.verb = Some(other.verb.clone());
            self.take(at, quoted + 1, "label");
            return;
        }
    }
}
