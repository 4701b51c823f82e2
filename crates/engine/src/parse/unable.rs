//! Words that are understood, and that no executor does: mail that was sent, files nobody opened, what is to be so from
//! now on. A plan without them would do something else.

use super::Clause;
use super::clause::only_stop;
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// A word that asks for what cannot be done.
    pub(crate) fn unable(&self, at: usize) -> bool {
        let item = &self.items[at];
        let back = item.free() && item.sense("taken_out").is_some();
        let said = item.free() && matches!(item.sense("say"), Some("trash" | "undo_more"));
        back || said
            || self.only_kept(at)
            || self.flag_of_nothing(at)
            || self.wide(at)
            || self.either_place(at)
            || self.changes() && self.unable_to_change(at)
    }

    fn unable_to_change(&self, at: usize) -> bool {
        let item = &self.items[at];
        let mail = self.frame.object == "messages";
        // What is named may be so from now on; what is looked for is other things the next time.
        let named = self.frame.has(Role::Paths) || self.frame.has(Role::Ids);
        let lasts = item.sense("lasting").is_some() && !named;
        // Mail that was sent is in another folder than mail that came.
        let sent = item.is("touch", "sent") && mail && !self.frame.has(Role::From) && !self.sends();
        // Nobody notes when a file was opened, or when a folder was made.
        let opened = item.taken == "date" && item.sense("opened").is_some();
        let ordered = self.frame.order.as_ref().is_some_and(|order| order.field == "mtime");
        let born = item.taken == "date" && item.sense("born").is_some() && ordered;
        // "they are also in X", and nothing says where else.
        let both = item.free() && item.is("set", "both") && !self.frame.has(Role::Paths);
        let nested = item.taken == "there" && self.frame.list(Role::Names).len() > 1;
        lasts
            || sent
            || opened
            || born
            || both
            || nested
            || self.marked_too(at)
            || self.about_file(at)
            || self.known_contact(at)
            || self.content_left_out(at)
            || self.of_user(at)
            || self.secret_of_file(at)
            || self.sent_singly(at)
            || self.copies_between(at)
            || self.written_in_front(at)
    }

    /// "the processes of user anna": whose they are is not what they are called.
    fn of_user(&self, at: usize) -> bool {
        let user = at.checked_sub(1).is_some_and(|before| self.is(before, "describing", "user"));
        user && self.frame.object == "processes" && self.items[at].taken == "name"
    }

    /// "send them one at a time": what is sent goes in one message.
    fn sent_singly(&self, at: usize) -> bool {
        self.is(at, "describing", "singly") && self.sends() && self.items[at].free()
    }

    /// "the duplicates between A and B": copies are looked for in each folder by itself.
    fn copies_between(&self, at: usize) -> bool {
        let between = self.is(at, "bound", "between") || self.is(at, "describing", "across");
        let next = self.items.get(at + 1).is_some_and(|next| next.taken == "place");
        between && next && !self.frame.also.is_empty() && !self.frame.qualifiers.is_empty()
    }

    /// "the password of x.pdf": what opens a file is none of those that are kept.
    fn secret_of_file(&self, at: usize) -> bool {
        self.frame.object == "credentials" && self.names_file(at)
    }

    /// "write 'x' at the beginning of notes.txt": what is written stands in the file, unless its name is spoken of.
    fn written_in_front(&self, at: usize) -> bool {
        let item = &self.items[at];
        let text =
            self.frame.list(Role::Paths).iter().any(|p| self.senses.ending("write_format", p).is_some());
        let field =
            |word: &str| self.lexicon.single(word).is_some_and(|p| p.senses.iter().any(|s| s.id == "name"));
        let front = item.taken == "prefix" && item.sense("after").is_some();
        front && text && !item.norm.split(' ').any(field)
    }

    /// "except those containing 'x'": what stands in files is looked for, and leaves none out.
    fn content_left_out(&self, at: usize) -> bool {
        let cue = |i: usize| self.is(i, "cue", "contains") && !self.is(i, "cue", "name_contains");
        let left_out = |i: usize| self.items[i].taken == "except";
        let named = self.is(at + 1, "after", "name");
        let led = at.checked_sub(1).is_some_and(|before| cue(before) && left_out(before));
        // "whose name does not contain x": the cue is denied itself.
        let denied = at.checked_sub(2).is_some_and(|i| self.sense(i, "neg").is_some());
        left_out(at) && led && !denied && !named && self.frame.object != "messages"
    }

    /// "keep only the pdfs in X": what is to stay is said, and not what to do with the rest.
    fn only_kept(&self, at: usize) -> bool {
        let keeps = Some(at) == self.verb_at && self.is(at, "pron", "only");
        keeps && self.frame.has(Role::Place)
    }

    /// "empty Downloads": a word that says how things are, at the beginning, and no things.
    fn flag_of_nothing(&self, at: usize) -> bool {
        let frame = &self.frame;
        let things = !frame.nouns.is_empty() || !frame.kinds.is_empty() || frame.has(Role::Patterns);
        let first = (0..at).all(|i| only_stop(&self.items[i]) || self.items[i].taken == "polite");
        let placed = frame.has(Role::Place) && frame.verb.is_none();
        self.items[at].taken == "flag" && first && placed && !things
    }

    /// "wider than 2000 pixels": such a number is no year.
    fn wide(&self, at: usize) -> bool {
        let number = matches!(self.items[at].lit, Lit::Number(_)) && self.items[at].taken == "date";
        number && self.is(at + 1, "cue", "width")
    }

    /// "which is bigger, Downloads or Documents", "what's in Documents and Music": two places, of which one was taken for things.
    fn either_place(&self, at: usize) -> bool {
        let side = |i: &usize| !only_stop(&self.items[*i]) && !self.items[*i].is_symbol();
        let before = (0..at).rev().find(side).filter(|i| self.items[*i].capital);
        let after = (at + 1..self.len()).find(side).filter(|i| self.items[*i].capital);
        let (Some(before), Some(after)) = (before, after) else { return false };
        let known = |i: usize| self.sense(i, "place").is_some();
        let taken = |i: usize, by: &str| self.items[i].taken == by;
        let mixed =
            taken(before, "place") && taken(after, "noun") || taken(before, "noun") && taken(after, "place");
        super::twice::conjunction(&self.items[at]) && known(before) && known(after) && mixed
    }

    /// "add x to the contact Anna": she is there already, and no second one is made.
    fn known_contact(&self, at: usize) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let before = (0..at).rev().find(|i| !only_stop(&self.items[*i]) || self.is(*i, "prep", "to"));
        let led = before.is_some_and(|i| self.is(i, "prep", "to"));
        let named = self.items.get(at + 1).is_some_and(|item| item.taken == "contact" && item.capital);
        self.is(at, "noun", "contact") && led && named && verb.is_some_and(|verb| verb.makes)
    }

    /// "as important and unread": a mark that is to be set, and was taken for what the messages have.
    fn marked_too(&self, at: usize) -> bool {
        let role = |i: usize| {
            let flag = self.items[i].sense("flag").and_then(|id| self.senses.flag.get(id));
            flag.filter(|_| self.items[i].taken == "flag").map(|flag| flag.role)
        };
        let before = (0..at).rev().find(|i| !only_stop(&self.items[*i]) && !self.is(*i, "then", "and"));
        let set = before.filter(|i| matches!(role(*i), Some(Role::Add | Role::Remove)));
        role(at) == Some(Role::Unread) && set.is_some_and(|before| self.conjoined(before, at))
    }

    /// "an email about x.pdf": what a message is about does not go along with it.
    fn about_file(&self, at: usize) -> bool {
        let before = (0..at).rev().find(|i| !only_stop(&self.items[*i]) || self.sense(*i, "cue").is_some());
        let leads = |i: usize| matches!(self.sense(i, "prep"), Some("of" | "to"));
        let about = before.is_some_and(|i| {
            let said = self.is(i, "cue", "subject") || self.is(i, "cue", "query") && !leads(i);
            said && !matches!(self.items[i].taken, "message")
        });
        self.sends() && self.names_file(at) && about
    }
}
