//! Words that say which messages or events are meant, or who gets something, and that no argument holds: a plan without
//! them would be about others.

use super::Clause;
use super::clause::only_stop;
use crate::catalog::Role;
use crate::text::Lit;

/// What a word of a clause that says which events are meant was read as.
const CHOSEN: [&str; 6] = ["date", "time", "event", "flag", "part of the day", "order"];

/// Categories of words that go on with something else after a name.
const LINKING: [&str; 14] = [
    "prep", "then", "bound", "neg", "polite", "set", "but", "compare", "age", "rel", "pron", "flag", "every",
    "outside",
];

impl Clause<'_> {
    /// A word of a clause that changes something, which nothing in the plan stands for.
    pub(crate) fn unheld(&self, at: usize) -> bool {
        self.changes()
            && (self.named_by_time(at)
                || self.year_of_name(at)
                || self.rest_of_folder_name(at)
                || self.second_recipient(at)
                || self.apart_by_clause(at)
                || self.orders_none(at)
                || self.named_time(at)
                || self.lacks_and_where(at)
                || self.open_ended(at)
                || self.title_alone(at)
                || self.frame.object == "events" && self.unheld_event(at)
                || self.frame.object == "messages" && self.unheld_message(at))
    }

    fn unheld_event(&self, at: usize) -> bool {
        self.of_a_span(at) || self.one_of_title(at) || self.related(at) || self.replaced(at)
    }

    fn unheld_message(&self, at: usize) -> bool {
        self.other_subject(at)
            || self.of_attachments(at)
            || self.contained(at)
            || self.sorted_folder(at)
            || self.in_trash(at)
            || self.inbox_as_sender(at)
    }

    fn taken(&self, at: usize) -> &'static str {
        self.items.get(at).map_or("", |item| item.taken)
    }

    fn before(&self, at: usize) -> Option<usize> {
        at.checked_sub(1)
    }

    fn article(&self, at: usize) -> bool {
        self.items.get(at).is_some_and(|item| self.lexicon.articles.contains(&item.norm))
    }

    fn noun_at(&self, at: usize) -> bool {
        self.taken(at) == "noun"
    }

    /// "Grace May", "Black Friday", "the Sunday Times": a month or a day of the week within a name.
    fn named_by_time(&self, at: usize) -> bool {
        let time = |i: usize| ["month", "weekday", "day"].iter().any(|cat| self.sense(i, cat).is_some());
        let name = |i: usize| {
            self.items.get(i).is_some_and(|item| item.is_name() && matches!(item.lit, Lit::Word) && !time(i))
        };
        let dated = self.items[at].capital && self.taken(at) == "date" && time(at);
        let numbered = self.items.get(at + 1).is_some_and(|item| item.number().is_some());
        let led = self.before(at).is_some_and(|i| name(i) && self.sense(i, "place").is_none());
        dated && (led && !numbered || name(at + 1) && !self.noun_at(at + 1))
    }

    /// "Tasse 2025": a year right after a name belongs to it.
    fn year_of_name(&self, at: usize) -> bool {
        let item = &self.items[at];
        let year = matches!(item.lit, Lit::Number(_)) && item.text.len() == 4 && item.taken == "date";
        let named = |i: usize| {
            let before = &self.items[i];
            before.capital
                && matches!(before.lit, Lit::Word)
                && matches!(before.taken, "place" | "mail folder")
        };
        year && self.before(at).is_some_and(named)
    }

    /// "the folder Cose fatte": a word right after the name of a folder that is called one.
    fn rest_of_folder_name(&self, at: usize) -> bool {
        let item = &self.items[at];
        let links = LINKING.iter().any(|cat| item.sense(cat).is_some());
        let loose = item.free() && !links
            || item.participle().is_some() && item.taken != "place"
            || item.sense("touch").is_some() && item.taken == "date";
        let named = |i: usize| {
            let folder = self.before(i).is_some_and(|f| self.sense(f, "folder_word").is_some());
            self.items[i].capital && matches!(self.taken(i), "place" | "mail folder") && folder
        };
        let plain = matches!(item.lit, Lit::Word) && !item.capital && item.words == 1;
        let dated = self.items.get(at + 1).is_some_and(|next| next.taken == "date");
        loose && plain && !dated && self.before(at).is_some_and(named)
    }

    /// "a Lucia e Marco": who else gets it.
    fn second_recipient(&self, at: usize) -> bool {
        let item = &self.items[at];
        let joined = self.before(at).filter(|i| super::twice::conjunction(&self.items[*i]));
        let first = joined.and_then(|i| self.before(i)).is_some_and(|i| self.taken(i) == "recipient");
        item.free() && item.capital && first
    }

    /// "the read mails": a deed that says how things are.
    fn apart_by_clause(&self, at: usize) -> bool {
        let item = &self.items[at];
        let deed = item.sense("verb").is_some() && Some(at) != self.verb_at && item.words == 1;
        let led = self.before(at).is_some_and(|i| self.article(i));
        deed && item.free() && led && self.noun_at(at + 1)
    }

    /// "cancel no meetings".
    fn orders_none(&self, at: usize) -> bool {
        let after_verb = self.before(at).is_some_and(|i| Some(i) == self.verb_at);
        after_verb && self.items[at].free() && self.sense(at, "denied").is_some()
    }

    /// "the files named today", "delete 2024": a time that is a name.
    fn named_time(&self, at: usize) -> bool {
        let Some(before) = self.before(at).filter(|_| self.taken(at) == "date") else { return false };
        let year = matches!(self.items[at].lit, Lit::Number(_)) && Some(before) == self.verb_at;
        year || self.is(before, "cue", "named") && !self.is(before, "prep", "of")
    }

    /// "from August on", "until 2020": a span that goes on, or whose last year is one of those that are meant or is not.
    fn open_ended(&self, at: usize) -> bool {
        let dated = self.before(at).is_some_and(|i| self.taken(i) == "date");
        let on = self.items[at].free() && self.sense(at, "or_age").is_some() && dated;
        let year = matches!(self.items[at].lit, Lit::Number(_)) && self.taken(at) == "date";
        on || year && self.before(at).is_some_and(|i| self.is(i, "bound", "until"))
    }

    /// "Dr. May": a title with which a name ends, because its point was taken for the end of the sentence.
    fn title_alone(&self, at: usize) -> bool {
        let item = &self.items[at];
        let last = self.items.get(at + 1).is_none_or(super::Item::is_symbol);
        last && item.capital && self.lexicon.title_words.contains(&item.norm)
    }

    /// "with no files from Anna": of things without something, those of somebody or from somewhere.
    fn lacks_and_where(&self, at: usize) -> bool {
        let lacks = self.lexicon.lacking_words.contains(&self.items[at].norm) && self.taken(at) == "except";
        let inside = (at + 1..self.len()).take_while(|i| self.taken(*i) == "except");
        let mut inside = inside.skip(1);
        lacks && inside.any(|i| matches!(self.sense(i, "prep"), Some("from" | "in" | "inor")))
    }

    /// "the last meeting of the day".
    fn of_a_span(&self, at: usize) -> bool {
        let before = (0..at).rev().find(|i| !self.article(*i) || self.is(*i, "prep", "of"));
        let of = before.is_some_and(|i| self.is(i, "prep", "of"));
        self.items[at].free() && self.sense(at, "unit").is_some() && of
    }

    /// "the next 'x'", "the second 'x'": one of those with a title.
    fn one_of_title(&self, at: usize) -> bool {
        let one = self.sense(at, "rel").is_some() || self.sense(at, "ordinal").is_some();
        one && self.taken(at) != "date" && matches!(self.lit(at + 1), Some(Lit::Quoted(_)))
    }

    /// "the meetings that are online": what is said of events that is neither a time nor a name.
    fn related(&self, at: usize) -> bool {
        let first = self.items[at].norm.split(' ').next().unwrap_or_default();
        let opens = self.lexicon.relative_words.iter().any(|word| word == first);
        let of_event = self.before(at).is_some_and(|i| matches!(self.taken(i), "noun" | "date"));
        let says = |i: &usize| !only_stop(&self.items[*i]) && self.sense(*i, "verb").is_none();
        let next = (at + 1..self.len()).find(says);
        opens && of_event && !next.is_some_and(|i| CHOSEN.contains(&self.taken(i)))
    }

    /// "replace the event 'x' with 'y'": a title is nobody who comes.
    fn replaced(&self, at: usize) -> bool {
        let quoted = matches!(self.items[at].lit, Lit::Quoted(_)) && self.taken(at) == "event";
        let with = |i: usize| self.taken(i) == "event" && matches!(self.items[i].lit, Lit::Word);
        let title = |i: usize| matches!(self.lit(i), Some(Lit::Quoted(_)));
        let pair = self.before(at).filter(|i| with(*i)).and_then(|i| self.before(i)).is_some_and(title);
        quoted && pair && self.shifts() && !self.frame.has(Role::Location)
    }

    /// "with x or y in the subject": what else is said to stand there.
    fn other_subject(&self, at: usize) -> bool {
        let either = super::twice::conjunction(&self.items[at]) && self.taken(at) == "subject";
        let unread = self.is(at, "after", "subject") && self.items[at].free();
        either || unread
    }

    /// "the attachments bigger than 1 MB", "the attachments called x": what is said of them holds for no message.
    fn of_attachments(&self, at: usize) -> bool {
        let attached = |i: usize| {
            let ids = self.noun_ids(i);
            let whole = |id: &String| self.senses.noun.get(id).is_some_and(|noun| noun.content.is_some());
            self.noun_at(i) && ids.iter().any(whole)
        };
        let said = self.taken(at) == "size" || self.is(at, "cue", "named");
        said && self.before(at).is_some_and(attached)
    }

    /// "that contain invoice": a word that stands in them, and no sort of messages.
    fn contained(&self, at: usize) -> bool {
        let cue = |i: usize| self.is(i, "cue", "contains") && self.items[i].free();
        self.noun_at(at) && self.before(at).is_some_and(cue)
    }

    /// "the spam folder": a folder, and no sort of messages.
    fn sorted_folder(&self, at: usize) -> bool {
        let sort = |id: &String| {
            self.senses
                .noun
                .get(id)
                .is_some_and(|noun| noun.set.contains_key(&crate::catalog::Role::Dimension))
        };
        let folder = |i: usize| self.sense(i, "folder_word").is_some() || self.is(i, "noun", "folder");
        let beside = self.before(at).is_some_and(folder) || folder(at + 1);
        self.noun_at(at) && beside && self.noun_ids(at).iter().any(sort)
    }

    /// "delete the mails in the trash": where they are, unless they are thrown there.
    fn in_trash(&self, at: usize) -> bool {
        let flag = self.sense(at, "flag").and_then(|id| self.senses.flag.get(id));
        let goes = flag.is_some_and(|flag| flag.role == crate::catalog::Role::DstFolder);
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let deletes = verb.is_some_and(|verb| verb.verb.as_deref() == Some("delete"));
        let word = self.verb_at.and_then(|verb| self.items[verb].norm.split(' ').next());
        let erases = word.is_some_and(|word| self.lexicon.erasing_words.iter().any(|known| known == word));
        self.taken(at) == "flag" && goes && deletes && erases
    }

    /// "from INBOX to Work": a folder sends nothing.
    fn inbox_as_sender(&self, at: usize) -> bool {
        let inbox = self.is(at, "flag", "inbox") || self.is(at, "noun", "inbox");
        inbox && matches!(self.taken(at), "message" | "sender")
    }
}
