//! Messages: senders, subjects, recipients, labels and folders.

use super::places::Mention;
use super::{Clause, Item};
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// What is said about messages.
    pub(crate) fn message_cues(&mut self, sends: bool) {
        let subject = if sends { Role::Subject } else { Role::SubjectContains };
        if !sends {
            self.owned_messages();
        }
        for at in 0..self.len() {
            if !self.free(at) || Some(at) == self.verb_at && !self.is(at, "cue", "label") {
                continue;
            }
            if self.is(at, "after", "subject")
                && let Some(before) = at.checked_sub(1)
                && let Some(text) = self.in_subject(before)
            {
                self.frame.set(subject, text);
                let from = before
                    .checked_sub(1)
                    .filter(|b| self.free(*b) && self.sense(*b, "stop").is_some())
                    .unwrap_or(before);
                self.take(from, at + 1, "subject");
                continue;
            }
            if self.moves()
                && matches!(self.sense(at, "prep"), Some("to" | "inor" | "in"))
                && let Some(Lit::Quoted(text)) = self.lit(self.skip_stops(at + 1)).cloned()
            {
                // "archive the mails on 'x'": where they go is in the verb, and this is what they are about.
                if self.is(at, "cue", "query") && self.has_own_goal() {
                    self.frame.set(Role::Query, text);
                    self.take(at, self.skip_stops(at + 1) + 1, "message");
                    continue;
                }
                let end = self.skip_stops(at + 1) + 1;
                let end = end + usize::from(self.free(end) && self.sense(end, "folder_word").is_some());
                self.frame.set(Role::DstFolder, text);
                self.take(at, end, "mail folder");
                continue;
            }
            let quoted = |clause: &Self| {
                matches!(clause.lit(at + 1), Some(Lit::Quoted(_)))
                    || matches!(clause.lit(clause.skip_stops(at + 1)), Some(Lit::Quoted(_)))
            };
            let cue = |clause: &Self, id: &str| clause.is(at, "cue", id);
            let found = if sends
                && cue(self, "body")
                && quoted(self)
                && (!cue(self, "subject") || self.frame.has(Role::Subject))
            {
                Some(Role::Body)
            } else if cue(self, "subject") && quoted(self) {
                Some(subject)
            } else if !sends && (cue(self, "contains") || cue(self, "body")) && quoted(self) {
                Some(Role::Query)
            } else if (cue(self, "label")
                || cue(self, "label_with") && self.verb_at.is_some_and(|verb| self.is(verb, "cue", "label")))
                && quoted(self)
                && (self.sense(at, "cue") != Some("from"))
                && self.labels()
                && !self.placed_text(at)
            {
                Some(Role::Add)
            } else if !sends && cue(self, "from") && self.person(at).is_some() {
                Some(Role::From)
            } else {
                None
            };
            let Some(role) = found else { continue };
            let value = if role == Role::From { self.person(at) } else { self.value_after(at, false) };
            let Some((value, end)) = value else { continue };
            if role == Role::Add {
                self.frame.push(role, value);
            } else {
                // A second one is not the first, and no argument holds both.
                let known = self.frame.text(role).map(str::to_owned);
                if known.is_some_and(|known| known != value) {
                    self.frame.leftover.push(value.clone());
                }
                self.frame.keep(role, value);
            }
            self.take(at, end, "message");
        }
    }

    /// What is said to stand in the subject: a text, a name, or a word that elsewhere says more.
    fn in_subject(&self, at: usize) -> Option<String> {
        let item = self.items.get(at).filter(|item| item.free())?;
        let word = item.words == 1 && matches!(item.lit, Lit::Word) && !super::clause::only_stop(item);
        let small =
            |before: usize| self.sense(before, "stop").is_some() || self.sense(before, "cue").is_some();
        let with = at.checked_sub(1).is_some_and(|before| small(before) && self.noun_ids(before).is_empty());
        (matches!(item.lit, Lit::Quoted(_)) || word && with).then(|| item.text.clone())
    }

    /// "with 'x' in the subject": the text after `at` is said to stand somewhere, and is no label.
    fn placed_text(&self, at: usize) -> bool {
        let quoted = (at + 1..self.len()).find(|i| matches!(self.lit(*i), Some(Lit::Quoted(_))));
        let after = quoted.map(|i| self.skip_stops(i + 1));
        let plain = !self.items.get(at).is_some_and(|item| item.is("given", "label"));
        plain && after.is_some_and(|i| self.sense(i, "after").is_some())
            || quoted.is_some_and(|i| self.sense(i + 1, "after").is_some())
    }

    /// "Laura's messages", "the 'Acme' mails": whose name stands right before them.
    fn owned_messages(&mut self) {
        for at in 1..self.len() {
            let messages =
                |id: &String| self.senses.noun.get(id).and_then(|n| n.object.as_deref()) == Some("messages");
            if !self.free(at) || self.items[at].capital || !self.noun_ids(at).iter().any(messages) {
                continue;
            }
            let tail = |i: usize| self.lexicon.tails.contains(&self.items[i].norm);
            let owned = tail(at - 1);
            let end = if owned { at - 1 } else { at };
            let Some(last) = end.checked_sub(1).filter(|i| self.free(*i) && Some(*i) != self.verb_at) else {
                continue;
            };
            let named = matches!(self.items[last].lit, Lit::Quoted(_))
                || owned && self.items[last].capital && matches!(self.items[last].lit, Lit::Word);
            if named
                && self.items[last].sense("cue").is_none()
                && self.back_over_stops(last).is_none_or(|i| owned || self.sense(i, "cue").is_none())
            {
                self.frame.keep(Role::From, self.items[last].text.clone());
                self.take(last, at, "sender");
            }
        }
    }

    /// Who sent what is looked for, before the same words are read as when.
    pub(crate) fn senders(&mut self) {
        for at in 0..self.len() {
            if self.free(at) && self.is(at, "cue", "sent_me") {
                self.sent_by(at);
            }
        }
    }

    /// "that Laura sent me": the name before says who.
    fn sent_by(&mut self, at: usize) -> bool {
        let after = self.skip_stops(at + 1);
        if let Some(Lit::Quoted(text)) = self.lit(after).cloned().filter(|_| self.free(after)) {
            self.frame.keep(Role::From, text);
            self.take(at, after + 1, "sender");
            return true;
        }
        let Some(end) = self.back_over_stops(at).map(|last| last + 1) else { return self.sent_by_after(at) };
        let Some(last) = self.items.get(end - 1).filter(|item| item.free()) else {
            return self.sent_by_after(at);
        };
        let (name, from) = match &last.lit {
            Lit::Quoted(text) | Lit::Email(text) => (text.clone(), end - 1),
            // A sentence may begin with the name.
            Lit::Word if end == 1 && last.senses.is_empty() => (last.text.clone(), 0),
            Lit::Word if last.capital => {
                let named = |i: &usize| self.items[*i].free() && self.items[*i].capital;
                let from = (0..end).rev().take_while(named).last().unwrap_or(end - 1);
                let words: Vec<&str> = self.items[from..end].iter().map(|item| item.text.as_str()).collect();
                (words.join(" "), from)
            }
            _ => return self.sent_by_after(at),
        };
        self.frame.keep(Role::From, name);
        self.take(from, at + 1, "sender");
        true
    }

    /// "che mi ha mandato ieri Dario": the name after says who, when a day at most stands between.
    fn sent_by_after(&mut self, at: usize) -> bool {
        let next = at + 1 + usize::from(self.dated(at + 1));
        let item = self.items.get(next).filter(|item| item.free() && item.sense("place").is_none());
        let Some(item) = item.filter(|_| !self.dated(next)) else { return false };
        let named = matches!(item.lit, Lit::Email(_)) || item.is_name() && matches!(item.lit, Lit::Word);
        let Some((name, end)) = self.name(next, false).filter(|_| named) else { return false };
        self.frame.keep(Role::From, name);
        self.take(at, at + 1, "sender");
        self.take(next, end, "sender");
        true
    }

    /// "did Laura write to me": someone beside a word for what arrives; then mail is meant.
    pub(crate) fn correspondent(&mut self) -> bool {
        let Some(at) = (0..self.len()).find(|at| self.free(*at) && self.is(*at, "touch", "received")) else {
            return false;
        };
        let after = self.skip_stops(at + 1);
        let before = self.back_over_stops(at).unwrap_or(at);
        let start = (0..before).rev().take_while(|i| self.items[*i].capital).last().unwrap_or(before);
        let found = [after, start].into_iter().find_map(|i| {
            let item = self.items.get(i).filter(|item| item.free() && item.sense("place").is_none())?;
            let name = matches!(item.lit, Lit::Word) && item.capital && !self.dated(i)
                || matches!(item.lit, Lit::Email(_))
                || matches!(&item.lit, Lit::Quoted(text) if !super::places::has_ending(text));
            name.then(|| self.name(i, false).map(|(name, end)| (name, i, end))).flatten()
        });
        if let Some((name, from, end)) = found {
            self.frame.set(Role::From, name);
            self.take(from, end, "sender");
            return true;
        }
        let asks_who = |i: &Item| i.is("cue", "from") || i.is("which_group", "sender");
        self.items.iter().any(asks_who) && self.items[at].words > 1
    }

    /// "everything that Laura sent me": messages, though nothing calls them so.
    pub(crate) fn all_sent(&mut self) -> bool {
        let all = (0..self.len()).find(|at| self.free(*at) && self.is(*at, "noun", "contents"));
        let tells = |at: usize| self.is(at, "cue", "sent_me") || self.is(at, "touch", "received");
        let sent = (0..self.len()).find(|at| self.free(*at) && tells(*at));
        let (Some(all), Some(sent)) = (all, sent.filter(|sent| all.is_some_and(|all| all < *sent))) else {
            return false;
        };
        let other = (0..self.len()).any(|at| at != all && self.free(at) && !self.noun_ids(at).is_empty());
        let near = &self.items[all + 1..self.len().min(sent + 2)];
        let named = near.iter().any(|item| item.free() && item.capital);
        if other || !named {
            return false;
        }
        self.take(all, all + 1, "all");
        true
    }

    /// "everything that ann@example.org sent me": what an address sends are messages.
    pub(crate) fn everything_sent(&mut self) -> bool {
        let sent = self.items.iter().any(|i| i.is("cue", "sent_me") || i.is("touch", "received"));
        let address = self.items.iter().any(|item| item.free() && matches!(item.lit, Lit::Email(_)));
        let noun = |item: &Item| item.free() && item.sense("noun").is_some();
        let things: Vec<usize> = (0..self.len())
            .filter(|at| {
                Some(*at) != self.verb_at
                    && noun(&self.items[*at])
                    && !self.items[*at].is("touch", "received")
            })
            .collect();
        if !sent || !address || !things.iter().all(|at| self.is(*at, "noun", "contents")) {
            return false;
        }
        things.into_iter().for_each(|at| self.take(at, at + 1, "sender"));
        true
    }

    /// "who wrote to me": the people from whom messages came.
    pub(crate) fn who_wrote(&mut self) -> bool {
        let file =
            self.items.iter().any(|item| matches!(item.lit, Lit::Path(_) | Lit::Slashed(_) | Lit::File(_)));
        let found = (0..self.len()).find(|at| self.free(*at) && self.sense(*at, "wrote").is_some());
        let found = found.filter(|_| !file);
        let counts = self.items.iter().any(|item| item.sense("stat").is_some());
        if let Some(at) = found.filter(|_| !counts && !self.ranks_groups()) {
            self.take(at, at + 1, "sender");
        }
        found.is_some()
    }

    /// "which sender wrote the most": only messages have one.
    pub(crate) fn which_sender(&self) -> bool {
        (1..self.len()).any(|at| self.is(at, "group", "sender") && self.is(at - 1, "by", "which"))
    }

    /// "put them in the 'x' folder", of messages: what is pointed to stays what it is.
    pub(crate) fn goes_to_mail_folder(&self, hint: &str) -> bool {
        let points = self.items.iter().any(|item| item.is("pron", "them") || item.is("pron", "it"));
        let other = |at: usize| {
            let noun =
                self.sense(at, "noun").filter(|_| Some(at) != self.verb_at && !self.items[at].is_name());
            noun.is_some_and(|id| id != "folder")
        };
        let path = |item: &Item| matches!(item.lit, Lit::Path(_) | Lit::Slashed(_));
        hint == "messages"
            && points
            && self.moves()
            && !(0..self.len()).any(other)
            && !self.items.iter().any(path)
    }

    fn moves(&self) -> bool {
        self.frame
            .verb
            .as_ref()
            .and_then(|id| self.senses.verb.get(id))
            .is_some_and(|v| v.goals == [Role::DstDir])
    }

    /// Whether the verb itself says where messages go.
    fn has_own_goal(&self) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        verb.is_some_and(|verb| verb.set.contains_key(&Role::DstFolder))
    }

    fn labels(&self) -> bool {
        self.frame
            .verb
            .as_ref()
            .and_then(|id| self.senses.verb.get(id))
            .is_some_and(|v| v.verb.as_deref() == Some("set"))
    }

    /// A person after `at`: a name, a text in quotes, an address; never a day, never a place.
    fn person(&self, at: usize) -> Option<(String, usize)> {
        let next = if self.name(at + 1, false).is_some() { at + 1 } else { self.skip_stops(at + 1) };
        let item = self.items.get(next)?;
        let dated = ["month", "weekday", "day", "rel", "place"].iter().any(|cat| item.sense(cat).is_some());
        match item.lit {
            Lit::Quoted(_) | Lit::Email(_) | Lit::File(_) => self.name(next, false),
            Lit::Word if item.capital && !dated => self.name(next, false),
            // "from the bank": a word with no other meaning, where only a sender can stand.
            Lit::Word if item.is_unknown() && self.is(at, "prep", "from") => self.name(next, true),
            _ => None,
        }
    }

    /// Who gets it, and what goes along.
    pub(crate) fn recipients(&mut self) {
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            match self.items[at].lit.clone() {
                Lit::Email(address) if !self.frame.has(Role::To) => {
                    self.frame.set(Role::To, address);
                    // Whoever gives such an address says by which way.
                    if !self.frame.has(Role::Via) {
                        self.frame.set(Role::Via, "email");
                    }
                    let from =
                        at.checked_sub(1).filter(|b| self.free(*b) && self.is(*b, "cue", "to")).unwrap_or(at);
                    self.take(from, at + 1, "recipient");
                }
                Lit::Word if self.items[at].capital || self.some_recipient(at) => {
                    let after_to = at > 0 && self.is(at - 1, "cue", "to");
                    let thing = self.sense(at, "noun").is_some() || self.sense(at, "place").is_some();
                    let after_verb = !thing
                        && self.verb_at.is_some_and(|v| {
                            (v + 1..at).all(|i| super::clause::only_stop(&self.items[i]) || !self.free(i))
                        });
                    if (after_to || after_verb)
                        && !self.frame.has(Role::To)
                        && !self.frame.has(Role::ToUser)
                        && let Some((name, end)) = self.name(at, !self.items[at].capital)
                    {
                        self.frame.set(Role::ToUser, name);
                        self.take(at - usize::from(after_to), end, "recipient");
                    }
                }
                Lit::Quoted(text) if !self.frame.has(Role::Body) => {
                    self.frame.set(Role::Body, text);
                    self.take(at, at + 1, "text");
                }
                _ => {}
            }
        }
        self.own_recipient();
    }

    /// "to dad: 'x'": a word with no other meaning, where only a recipient can stand, and the text that goes there.
    fn some_recipient(&self, at: usize) -> bool {
        let verb = |before: usize| Some(before) == self.verb_at && self.items[before].words > 1;
        let to = at.checked_sub(1).is_some_and(|before| self.is(before, "cue", "to") || verb(before));
        let ends = self.items.get(at + 1).is_none_or(|next| {
            next.is_symbol()
                || matches!(next.lit, Lit::Quoted(_))
                || next.taken == "flag"
                || next.sense("flag").is_some()
        });
        let text = self.items.iter().any(|item| matches!(item.lit, Lit::Quoted(_)));
        let message = |item: &Item| item.is("noun", "mail") || item.is("noun", "telegram");
        let text = text && (self.frame.has(Role::Via) || self.items.iter().any(message));
        to && ends && text && self.items[at].is_unknown()
    }

    /// "send me …", "to me": who asks gets it, unless somebody else is named.
    fn own_recipient(&mut self) {
        if self.frame.has(Role::To) || self.frame.has(Role::ToUser) {
            return;
        }
        // A word that is also said out of politeness, or belongs to the verb, is taken already.
        let meant = |item: &&Item| item.free() || matches!(item.taken, "polite" | "verb");
        let found = self.items.iter().filter(meant).find_map(|item| item.sense("self")).map(str::to_owned);
        let Some(user) = found else { return };
        self.frame.set(Role::ToUser, user);
        for at in 0..self.len() {
            if self.free(at) && self.sense(at, "self").is_some() {
                let from = at.checked_sub(1).filter(|b| self.free(*b) && self.is(*b, "cue", "to"));
                self.take(from.unwrap_or(at), at + 1, "recipient");
            }
        }
    }

    /// Files that go along.
    pub(crate) fn attach(&mut self) {
        for path in self.frame.list(Role::Paths) {
            self.frame.push(Role::Attachments, path);
        }
        self.frame.slots.remove(&Role::Paths);
    }

    /// Places of a clause about mail are mail folders.
    pub(crate) fn assign_folders(&mut self, mentions: Vec<Mention>) {
        let verb =
            self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id)).cloned().unwrap_or_default();
        let moves = verb.goals.contains(&Role::DstDir);
        let last = mentions.len().saturating_sub(1);
        for (i, mention) in mentions.into_iter().enumerate() {
            let toward = mention.prep == "to"
                || (mention.prep == "inor" || verb.in_goal && mention.prep == "in") && i == last;
            // Attachments go to disk: a path is a path, whatever the clause is about.
            let behind = matches!(mention.prep.as_str(), "from" | "of") && mention.name.is_some();
            if mention.name.is_none() || verb.goals.contains(&Role::OutPath) && !behind {
                if mention.file {
                    self.frame.push(Role::Paths, mention.path);
                } else if self.frame.has(Role::DstDir) {
                    self.frame.leftover.push(mention.path);
                } else {
                    self.frame.set(Role::DstDir, mention.path);
                }
            } else if moves && toward {
                self.frame.set(Role::DstFolder, mention.name.unwrap_or_default());
            } else if mention.prep == "to" && !self.near_folder(mention.at) {
                // "the mail to Anna": who got it is no folder, and nothing looks for that.
                self.frame.leftover.extend(mention.name);
            } else if matches!(mention.prep.as_str(), "from" | "of")
                && !self.frame.has(Role::From)
                && self.items.get(mention.at).is_some_and(|i| i.capital && i.sense("place").is_none())
                && !self.near_folder(mention.at)
            {
                self.frame.set(Role::From, mention.name.unwrap_or_default());
            } else if self.changes()
                && self.sense(mention.at, "place").is_some()
                && !self.near_folder(mention.at)
            {
                // "the invoices in Downloads": a folder on the disk holds no mail.
                self.frame.leftover.extend(mention.name);
            } else {
                self.frame.set(Role::Folder, mention.name.unwrap_or_default());
            }
        }
    }

    fn near_folder(&self, at: usize) -> bool {
        [at.wrapping_sub(1), at + 1].into_iter().any(|i| self.sense(i, "folder_word").is_some())
    }
}
