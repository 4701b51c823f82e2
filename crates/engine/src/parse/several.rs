//! More than one where an order holds one: several of a numbered list, several ways to send, several texts said of one
//! name, records beside records. Read as one of them the order would do something else; nothing is done then.

use super::Clause;
use super::clause::only_stop;
use super::twice::conjunction;
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// A word of which the order holds only another one.
    pub(crate) fn one_too_many(&self, at: usize) -> bool {
        self.second_text(at)
            || self.second_of_list(at)
            || self.changes() && (self.second_way(at) || self.numbers_between(at) || self.single_one(at))
    }

    /// "the second and the third", "every second one": more than one of a list by their numbers.
    fn second_of_list(&self, at: usize) -> bool {
        let numbered = |i: usize| self.items[i].taken == "ordinal" && self.sense(i, "ordinal").is_some();
        let every = at.checked_sub(1).is_some_and(|before| self.is(before, "every", "every"));
        numbered(at) && (every || (0..at).any(numbered))
    }

    /// "by telegram and email": a second way, which looks like a thing.
    fn second_way(&self, at: usize) -> bool {
        let way = |i: usize| {
            let flag = self.items[i].sense("flag").and_then(|id| self.senses.flag.get(id));
            self.items[i].taken == "flag" && flag.is_some_and(|flag| flag.role == Role::Via)
        };
        let before = (0..at).rev().find(|i| !self.small(*i));
        let joined = before.is_some_and(|before| way(before) && self.conjoined(before, at));
        joined && (self.names_message(at) || way(at))
    }

    /// "containing 'a' and 'b'", "'a' and 'b' in the name": a text that goes on from one said of names or contents, and was
    /// taken for something else.
    fn second_text(&self, at: usize) -> bool {
        let text = |i: usize| matches!(self.items[i].lit, Lit::Quoted(_));
        let said = |i: usize| text(i) && matches!(self.items[i].taken, "content" | "name");
        let inside = |i: usize| text(i) && self.items[i].taken == "content";
        let before = (0..at).rev().find(|i| !self.small(*i));
        let after = (at + 1..self.len()).find(|i| !self.small(*i));
        let beside = |i: usize| said(i) && self.conjoined(i.min(at), i.max(at));
        let other =
            self.items[at].taken == "text" && (before.is_some_and(beside) || after.is_some_and(beside));
        let left_out = self.items[at].taken == "except" && before.is_some_and(inside);
        text(at) && (other || left_out) || self.second_number(at)
    }

    /// "whose name contains report and 2024": a number that goes on from such a word, and was taken for a year.
    fn second_number(&self, at: usize) -> bool {
        let before = (0..at).rev().find(|i| !self.small(*i));
        let said = |i: usize| matches!(self.items[i].taken, "content" | "name") && self.conjoined(i, at);
        let number = matches!(self.items[at].lit, Lit::Number(_)) && self.items[at].taken == "date";
        number && before.is_some_and(said)
    }

    /// "processes 12 to 18": numbers that no conjunction joins are the ends of a row of them.
    fn numbers_between(&self, at: usize) -> bool {
        let numbered =
            |i: usize| matches!(self.items[i].taken, "pid" | "task") && self.items[i].number().is_some();
        let before = (0..at).rev().find(|i| numbered(*i));
        let between = |first: usize| {
            let opens = first.checked_sub(1).is_some_and(|i| self.is(i, "bound", "between"));
            opens || !self.conjoined(first, at)
        };
        numbered(at) && before.is_some_and(between)
    }

    /// "a single process of x": one of several, and nothing says which.
    fn single_one(&self, at: usize) -> bool {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let item = &self.items[at];
        let one = item.number() == Some(1.0);
        let article =
            self.lexicon.articles.iter().chain(&self.lexicon.singular_words).any(|a| *a == item.norm);
        let stressed = !article || self.is(at + 1, "pron", "only");
        let named = |i: usize| self.items[i].taken == "name" || self.is(i, "pron", "only");
        let next = (at + 1..self.len()).find(|i| !self.small(*i) && !named(*i));
        let thing = next.is_some_and(|next| self.items[next].taken == "noun");
        one && stressed && thing && verb.is_some_and(|verb| !verb.makes)
    }

    /// "the mails from Anna and those with 'x'", "the spam and the mails from Anna": records beside records, of which each
    /// has its own conditions.
    pub(crate) fn joined_records(&self) -> bool {
        let left_out = |at: usize| self.items[at].taken == "except";
        let both = |at: usize| {
            let next = (at + 1..self.len()).find(|i| !only_stop(&self.items[*i]) || self.those(*i));
            let others = next.is_some_and(|i| self.names_message(i) || self.those(i) && i + 1 < self.len());
            let together = self.items[at].words > 1 && self.begins_joined(at) && self.those(at);
            (conjunction(&self.items[at]) && others || together)
                && !(0..self.len()).any(left_out)
                && (0..at).any(|i| self.names_message(i))
        };
        self.changes() && self.frame.object == "messages" && (0..self.len()).any(both)
    }

    /// "the mails of Paolo and the events of tomorrow": two sorts of records, which no list holds together.
    pub(crate) fn two_sorts(&self) -> bool {
        let sort = |at: usize| {
            let noun = self.items[at].sense("noun").and_then(|id| self.senses.noun.get(id));
            let noun = noun.filter(|n| self.items[at].taken == "noun" && n.content.is_none() && !n.weak);
            let object = noun.and_then(|noun| noun.object.as_deref());
            object.filter(|object| matches!(*object, "messages" | "events" | "contacts"))
        };
        let both = |at: usize| {
            let next = (at + 1..self.len()).find(|i| !only_stop(&self.items[*i]));
            let other = next.and_then(sort);
            self.is(at, "then", "and")
                && other.is_some_and(|other| (0..at).filter_map(sort).any(|s| s != other))
        };
        !self.changes() && (0..self.len()).any(both)
    }

    /// A word for messages, not for a part of them.
    fn names_message(&self, at: usize) -> bool {
        let noun = self.items[at].sense("noun").and_then(|id| self.senses.noun.get(id));
        let whole = noun.is_some_and(|n| n.object.as_deref() == Some("messages") && n.content.is_none());
        whole && self.items[at].taken == "noun"
    }

    /// "those", also among words that go together.
    fn those(&self, at: usize) -> bool {
        let item = &self.items[at];
        let points = |word: &str| self.has_sense(word, "pron", "them");
        item.words > 0 && (item.is("pron", "them") || item.norm.split(' ').take(2).any(points))
    }

    /// "and those from": words that go together and begin with a conjunction.
    fn begins_joined(&self, at: usize) -> bool {
        let first = self.items[at].norm.split(' ').next();
        first.is_some_and(|word| self.has_sense(word, "then", "and") || self.has_sense(word, "then", "or"))
    }

    fn has_sense(&self, word: &str, cat: &str, id: &str) -> bool {
        let known = self.lexicon.single(word);
        known.is_some_and(|word| word.senses.iter().any(|sense| sense.cat == cat && sense.id == id))
    }

    /// A word between two others that names nothing.
    fn small(&self, at: usize) -> bool {
        let item = &self.items[at];
        let joins = conjunction(item) || item.sense("neg").is_some() || item.sense("set").is_some();
        only_stop(item) || joins && !matches!(item.lit, Lit::Quoted(_))
    }
}
