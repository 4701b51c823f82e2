//! What is said of things that are changed, and that no argument could say: a name nobody read, which of several, what was
//! done to them besides being changed, until when. Nothing is done then.

use super::twice::conjunction;
use super::{Clause, Item};
use crate::text::Lit;

impl Clause<'_> {
    /// A word of a clause that changes something, without which the plan would be about other things.
    pub(crate) fn unmet(&self, at: usize) -> bool {
        self.second_of_an_order(at)
            || self.changes()
                && (self.name_not_read(at)
                    || self.done_by_me(at)
                    || self.in_several(at)
                    || self.folders_besides(at)
                    || self.repeats_within(at)
                    || self.after_another(at)
                    || self.which_of_several(at)
                    || self.other_touch(at)
                    || self.deadline(at)
                    || self.another_name(at)
                    || self.feast(at)
                    || self.list_of_things(at)
                    || self.those_besides(at)
                    || self.word_as_content(at))
    }

    /// "called hello", "called time": what follows is a name, whatever else the word may mean; so is the year after one.
    fn name_not_read(&self, at: usize) -> bool {
        let item = &self.items[at];
        let year = matches!(item.lit, Lit::Number(_)) && item.taken == "date";
        if year && at > 0 && self.items[at - 1].taken == "name" {
            return true;
        }
        let Some(next) = self.items.get(at + 1) else { return false };
        let cue = self.is(at, "cue", "named") && item.sense("prep").is_none() && item.words == 1;
        let word = matches!(next.lit, Lit::Word) && !next.capital && next.sense("noun").is_none();
        let unread = matches!(next.taken, "" | "polite");
        let place = self.sense(at + 2, "prep").is_some() && self.items[at + 2].taken == "name";
        cue && word && (unread || place) && self.verb_at != Some(at)
    }

    /// "the second unread mail": which one, with a word between it and the things.
    fn which_of_several(&self, at: usize) -> bool {
        let item = &self.items[at];
        let flag = self.items.get(at + 1).is_some_and(|next| next.sense("flag").is_some());
        item.free() && item.sense("ordinal").is_some() && flag
    }

    /// "the documents that have been sent", "the files used last week": no argument tells when that was.
    fn other_touch(&self, at: usize) -> bool {
        let item = &self.items[at];
        let files = matches!(self.frame.object.as_str(), "files" | "dirs" | "images");
        let other = ["handled", "sent", "received"].iter().any(|id| item.is("touch", id));
        let same = ["modified", "taken"].iter().any(|id| item.is("touch", id));
        // "the folders I created yesterday": what is noted is when something in them changed.
        let made = self.frame.object == "dirs" && item.sense("touch").is_some() && item.taken == "date";
        let told = at > 0 && self.sense(at - 1, "wish").is_some() && item.free();
        let first = item.norm.split(' ').next().and_then(|word| self.lexicon.single(word));
        let begins = first.is_some_and(|word| word.senses.iter().any(|sense| sense.cat == "touch"));
        files && item.taken == "date" && other && !same
            || made
            || other && told
            || begins && item.free() && item.words > 1 && !item.is("cue", "sent_me")
    }

    /// "by Friday": until when it is to be done, not of when they are.
    fn deadline(&self, at: usize) -> bool {
        let day = |next: &Item| {
            matches!(next.taken, "date" | "time")
                && ["weekday", "day", "rel"].iter().any(|cat| next.sense(cat).is_some())
        };
        let plain = self.sense(at, "prep").is_none() && !self.is(at, "cue", "to");
        self.is(at, "by", "by") && plain && self.items.get(at + 1).is_some_and(day)
    }

    /// "with Lucia and Marco": the second of two who are looked for.
    fn another_name(&self, at: usize) -> bool {
        let item = &self.items[at];
        let joined = at.checked_sub(1).filter(|i| conjunction(&self.items[*i]));
        let first = joined.and_then(|i| i.checked_sub(1)).map(|i| &self.items[i]);
        let person = first.is_some_and(|first| first.taken == "event" && first.capital);
        item.free() && item.capital && matches!(item.lit, Lit::Word) && person
    }

    /// "at Christmas", "in a month": a day of an appointment that nobody computed.
    fn feast(&self, at: usize) -> bool {
        let item = &self.items[at];
        let time =
            self.lexicon.time_words.contains(&item.norm) && !matches!(item.taken, "date" | "time" | "title");
        let unit = item.free() && item.sense("unit").is_some() && self.sense(at, "noun").is_none();
        self.frame.object == "events"
            && item.sense("stop").is_none()
            && (time || unit)
            && matches!(item.lit, Lit::Word)
    }

    /// "send the list": of things that were found, not the things.
    fn list_of_things(&self, at: usize) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let sends = verb.is_some_and(|verb| verb.verb.as_deref() == Some("send"));
        sends && self.items[at].taken == "pronoun" && self.is(at, "list_word", "list")
    }

    /// "and those bigger than 1 GB": others besides, not fewer.
    fn those_besides(&self, at: usize) -> bool {
        let joined = at.checked_sub(1).is_some_and(|i| conjunction(&self.items[i]));
        joined && self.sense(at, "these").is_some() && self.sense(at + 1, "noun").is_none()
    }

    /// "that have a copy", "that have my name": a word that means something is no text to look for.
    fn word_as_content(&self, at: usize) -> bool {
        let item = &self.items[at];
        let known = ["noun", "field", "verb", "given"].iter().any(|cat| item.sense(cat).is_some());
        let bare = matches!(item.lit, Lit::Word) && !item.capital;
        let led = (0..at).rev().take_while(|i| self.items[*i].taken == "content");
        let cue = led.last().map(|i| &self.items[i]);
        let has = cue.is_some_and(|cue| cue.is("cue", "contains") && cue.is("cue", "shows"));
        item.taken == "content" && bare && known && has
    }

    /// "the mails I wrote", "the photos taken by me": who did it.
    fn done_by_me(&self, at: usize) -> bool {
        let item = &self.items[at];
        let i = at > 0 && self.items[at - 1].free() && self.sense(at - 1, "subject").is_some();
        let wrote =
            self.frame.object == "messages" && item.is("touch", "received") && item.taken == "date" && i;
        wrote || item.is("self", "me") && item.taken == "date"
    }

    /// "to the folder A in B", "the folder A in B in C": which is in which.
    fn in_several(&self, at: usize) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let moves = verb.is_some_and(|verb| !verb.goals.is_empty());
        let inside =
            |i: usize| self.items[i].taken == "place" && matches!(self.sense(i, "prep"), Some("in" | "inor"));
        let folder = self.sense(at, "folder_word").is_some() && self.items[at].taken == "place";
        let end = (at..self.len()).find(|i| self.items[*i].taken != "place").unwrap_or(self.len());
        let after = (at..end).filter(|i| inside(*i)).count();
        folder && (after > 1 || moves && after > 0 && at > 0 && inside(at - 1))
    }

    /// "the pdfs and the empty folders": no one executor changes both.
    fn folders_besides(&self, at: usize) -> bool {
        let article = at.checked_sub(1).filter(|i| self.lexicon.articles.contains(&self.items[*i].norm));
        let joined = article.and_then(|i| i.checked_sub(1)).is_some_and(|i| conjunction(&self.items[i]));
        let flag = self.items.get(at + 1).is_some_and(|next| next.taken == "flag");
        let folder = self.is(at, "noun", "folder") && self.items[at].taken == "noun";
        joined && flag && folder && self.frame.object == "files"
    }

    /// "every day next week", "every other Tuesday", "every year": an appointment that recurs otherwise than it would.
    fn repeats_within(&self, at: usize) -> bool {
        let item = &self.items[at];
        let repeats = self.items.iter().any(|item| item.taken == "schedule");
        let span = item.taken == "date" && item.sense("rel").is_some() && repeats;
        let other = item.is("every", "other") && item.taken == "schedule";
        let unread = item.free() && item.sense("every").is_some() && item.sense("stop").is_none();
        self.frame.object == "events" && (span || other || unread)
    }

    /// "after the meeting with Lucia": another thing says when, or what is not to stand there.
    fn after_another(&self, at: usize) -> bool {
        let item = &self.items[at];
        let beyond = ["beyond", "since"].iter().any(|id| item.is("bound", id));
        let noun = self.items.get(at + 1).is_some_and(|next| next.taken == "noun");
        let subject = at > 0 && self.items[at - 1].taken == "subject";
        let spared = item.taken == "except" && item.sense("neg").is_some();
        item.free() && beyond && noun && item.sense("prep").is_none() || spared && subject
    }

    /// "the second largest": the first of an order is another one.
    fn second_of_an_order(&self, at: usize) -> bool {
        let item = &self.items[at];
        let noun = self.sense(at + 1, "noun").is_some();
        let next = item.sense("ordinal").is_some_and(|nth| nth != "1");
        item.free() && next && noun && self.frame.order.as_ref().is_some_and(|order| order.limit == Some(1))
    }
}
