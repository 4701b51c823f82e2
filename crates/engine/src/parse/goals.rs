//! Which of the places in a clause things are in, and which they go to.

use super::Clause;
use super::places::Mention;
use crate::catalog::Role;
use crate::lexicon::VerbSense;

impl Clause<'_> {
    /// Divides the places of a clause about files into where things come from and where they go.
    pub(crate) fn assign_places(&mut self, mut mentions: Vec<Mention>) {
        let mut verb =
            self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id)).cloned().unwrap_or_default();
        // What is put into an archive is packed.
        let packed = self.packs(&mentions);
        if let Some(other) = verb.on_archive.clone().filter(|_| packed) {
            verb = self.senses.verb.get(&other).cloned().unwrap_or_default();
            self.frame.verb = Some(other);
        }
        // A list that is put into a file is written there; what is on it stays where it is.
        let listed = self.items.iter().any(|item| item.sense("list_word").is_some())
            && mentions.iter().any(|m| m.file && self.senses.ending("write_format", &m.path).is_some());
        if let Some(other) = verb.on_list.clone().filter(|_| listed) {
            verb = self.senses.verb.get(&other).cloned().unwrap_or_default();
            self.frame.verb = Some(other);
        }
        // What is read out of texts is not put anywhere.
        if !self.frame.extract.is_empty() {
            verb.goals.clear();
        }
        // Where nothing goes anywhere, "towards X" names no place that is known.
        if verb.goals.is_empty() {
            let (lost, kept): (Vec<Mention>, Vec<Mention>) = mentions.into_iter().partition(|m| {
                // Nothing is done to things that are led where this verb leads none.
                let unknown = m.name.as_ref().is_some_and(|n| m.path == format!("~/{n}"))
                    && self.sense(m.at, "place").is_none();
                m.prep == "to" && (unknown || self.changes() && verb.on_file.is_none())
            });
            mentions = kept;
            self.frame.leftover.extend(lost.into_iter().map(|m| m.name.unwrap_or(m.path)));
        }
        // A new name that was said leads nowhere else.
        if self.frame.has(Role::NameTemplate) && verb.goals == [Role::NameTemplate] {
            verb.goals.clear();
        }
        let lost = self.parts_of_files(&verb, &mentions);
        self.frame.leftover.extend(lost);
        let lost = self.mixed_places(&mentions);
        self.frame.leftover.extend(lost);
        let lost = self.of_somebody(&mentions);
        self.frame.leftover.extend(lost);
        // "convert the photos in X": a verb that has to lead nowhere, and one place, where they are.
        let endings = self.frame.anaphor.is_none() && self.frame.has(Role::Patterns);
        let stays = verb.wants.is_none()
            && !verb.in_goal
            && !self.frame.has(Role::Paths)
            && matches!(&mentions[..], [only] if only.prep == "inor" && !only.file)
            && !self.items.iter().any(|item| item.words == 0 && item.sense("pron").is_some())
            && (endings || !self.pointing());
        if let Some(goal) = self.goal(&verb.goals, verb.in_goal, &mentions).filter(|_| !stays) {
            let mention = mentions.remove(goal);
            self.frame.leftover.extend(self.no_folder(&verb, &mention, &mentions));
            self.frame.apart = self.two_at_once() || self.two_orders();
            if !self.frame.apart {
                self.frame.leftover.extend(self.other_goals(&mention, &mentions));
            }
            let role = verb.goals.iter().copied().find(|role| match role {
                Role::OutPath => mention.file,
                Role::DstDir => !mention.file || verb.goals.len() == 1,
                _ => true,
            });
            // "copy a.txt to b.txt": what goes to a folder does not go to a file.
            if role == Some(Role::DstDir) && mention.file && mentions.iter().any(|m| m.file) {
                self.frame.leftover.push(mention.name.clone().unwrap_or(mention.path.clone()));
            }
            if let Some(role) = role {
                let value = if role == Role::NameTemplate {
                    mention.name.clone().unwrap_or(mention.path.clone())
                } else {
                    mention.path.clone()
                };
                let below = self.below(&mention, &mentions).filter(|_| role == Role::DstDir);
                self.frame.set(role, below.unwrap_or(value));
            }
        }
        self.frame.leftover.extend(self.flung(&mentions));
        let mentions = self.nested(mentions);
        let folders: Vec<Mention> = mentions.iter().filter(|m| !m.file).cloned().collect();
        // "throw the photos of A in B": two places that nothing joins are not both where things are.
        if self.changes() {
            let apart = folders.windows(2).filter(|pair| {
                let (from, to) = (pair[0].at, pair[1].at);
                let sources = pair.iter().all(|place| place.prep != "to");
                let other = pair[0].prep != pair[1].prep && !self.joins(from, to);
                sources && (other || self.acts_between(from, to))
            });
            let lost: Vec<String> = apart.map(|pair| pair[1].path.clone()).collect();
            self.frame.leftover.extend(lost);
        }
        if let Some(folder) = folders.first() {
            self.frame.set(Role::Place, folder.path.clone());
        }
        for folder in folders.iter().skip(1) {
            self.frame.also.push(folder.path.clone());
        }
        for file in mentions.iter().filter(|m| m.file) {
            let path = match (&file.name, folders.first()) {
                (Some(name), Some(folder)) if file.loose => {
                    format!("{}/{name}", folder.path.trim_end_matches('/'))
                }
                _ => file.path.clone(),
            };
            if file.loose {
                self.frame.loose.push(file.name.clone().unwrap_or_default());
            }
            self.frame.push(Role::Paths, path);
        }
    }

    /// "to the subfolder x": a folder in the one where the things are.
    fn below(&self, goal: &Mention, others: &[Mention]) -> Option<String> {
        let word = (0..goal.at).rev().find(|i| self.sense(*i, "folder_word").is_some())?;
        let near = (word + 1..goal.at)
            .all(|i| super::clause::only_stop(&self.items[i]) || self.is(i, "cue", "named"));
        let name = goal.name.as_ref().filter(|_| near && self.is(word, "folder_word", "below"))?;
        let place = others.iter().find(|place| !place.file && place.prep != "to")?;
        Some(format!("{}/{name}", place.path.trim_end_matches('/')))
    }

    /// Whether a conjunction or a comma stands between two places.
    pub(super) fn joins(&self, from: usize, to: usize) -> bool {
        let bound = |item: &super::Item| {
            item.is_comma() || item.sense("then").is_some() || item.sense("set").is_some()
        };
        self.items[from + 1..to].iter().any(bound)
    }

    /// Whether the verb, or a word that points back, stands between two places.
    pub(super) fn acts_between(&self, from: usize, to: usize) -> bool {
        let points = |i: usize| self.items[i].taken == "pronoun";
        (from + 1..to).any(|i| Some(i) == self.verb_at || points(i))
    }

    /// Whether the things are pointed to, and no noun names them.
    pub(super) fn pointing(&self) -> bool {
        self.frame.anaphor.is_some() || self.frame.nouns.is_empty() && self.frame.kinds.is_empty()
    }

    /// "put the photos in ~/x.txt": things do not go into a file.
    pub(super) fn no_folder(&self, verb: &VerbSense, goal: &Mention, others: &[Mention]) -> Option<String> {
        let things = !self.frame.nouns.is_empty() || !self.frame.kinds.is_empty();
        let text = self.senses.ending("write_format", &goal.path).is_some();
        let named = others.iter().any(|m| m.file);
        let folder = verb.goals == [Role::DstDir];
        (things && goal.file && text && folder && !named).then(|| goal.path.clone())
    }

    /// Which mention is the goal.
    pub(crate) fn goal(&self, goals: &[Role], in_goal: bool, mentions: &[Mention]) -> Option<usize> {
        if goals.is_empty() || mentions.is_empty() {
            return None;
        }
        let last = |test: &dyn Fn(&Mention) -> bool| mentions.iter().rposition(test);
        let archive = |m: &Mention| self.senses.ending("archive_format", &m.path).is_some();
        if goals.contains(&Role::Dst) {
            return last(&|m: &Mention| m.prep != "from" && m.prep != "of" && archive(m))
                .or_else(|| last(&|m: &Mention| m.prep == "to"));
        }
        if let Some(found) = last(&|m: &Mention| m.prep == "to") {
            return Some(found);
        }
        if goals.contains(&Role::NameTemplate) {
            return (mentions.len() > 1)
                .then(|| last(&|m: &Mention| m.file && (m.prep == "inor" || m.prep == "to")))
                .flatten();
        }
        if goals.contains(&Role::OutPath)
            && let Some(found) = last(&|m: &Mention| m.file && m.prep != "of")
            && (goals.len() == 1 || mentions[found].prep != "from")
        {
            return Some(found);
        }
        // "move into Music the songs on the Desktop": what stands right after the verb is where they go.
        if mentions.len() > 1
            && let Some(found) = mentions
                .iter()
                .position(|m| matches!(m.prep.as_str(), "in" | "inor") && self.after_verb(m.at))
        {
            return Some(found);
        }
        // "in" leads to a place when the verb says so, or when the things already come from another.
        // A file said by its name alone comes from nowhere yet: "in" says where it is.
        let sourced = mentions.last().is_some_and(|m| m.prep == "in" && !m.file)
            && mentions.iter().rev().skip(1).any(|m| !m.loose);
        last(&|m: &Mention| m.prep == "inor" || (in_goal || sourced) && m.prep == "in")
    }
}
