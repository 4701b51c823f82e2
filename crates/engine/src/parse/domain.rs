//! Which object a clause is about, and the values of objects that need few words.

use super::clause::only_stop;
use super::dates::small;
use super::{Clause, Item};
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// The object of the noun that ranks highest; the first of equals.
    pub(crate) fn object_of<'b>(&self, nouns: impl Iterator<Item = &'b str>) -> String {
        let mut best: Option<(i32, String)> = None;
        for id in nouns {
            let Some(noun) = self.senses.noun.get(id) else { continue };
            let Some(object) = noun.object.clone().filter(|_| noun.beside.is_none_or(|r| self.frame.has(r)))
            else {
                continue;
            };
            if best.as_ref().is_none_or(|(rank, _)| noun.rank > *rank) {
                best = Some((noun.rank, object));
            }
        }
        best.map(|(_, object)| object).unwrap_or_default()
    }

    /// A first guess, before places and names are known.
    pub(crate) fn guess(&self) -> String {
        let nouns: Vec<String> = (0..self.len())
            .filter(|at| self.free(*at) && Some(*at) != self.verb_at && !self.items[*at].is_name())
            .flat_map(|at| self.noun_ids(at))
            .collect();
        let object = self.object_of(nouns.iter().map(String::as_str));
        if !object.is_empty() {
            return object;
        }
        if self
            .items
            .iter()
            .any(|item| matches!(&item.lit, Lit::File(text) if item.free() && self.is_host(text)))
        {
            return "urls".to_owned();
        }
        self.frame
            .verb
            .as_ref()
            .and_then(|id| self.senses.verb.get(id))
            .and_then(|v| v.object.clone())
            .unwrap_or_default()
    }

    /// Whether a file is named outright, and nothing points back: then it does not matter what was spoken of before.
    pub(crate) fn names_a_file(&self) -> bool {
        let back = ["pron", "ordinal", "list_word", "what_about"];
        self.items.iter().any(|item| matches!(item.lit, Lit::Path(_) | Lit::Slashed(_)))
            && !self.items.iter().any(|item| back.iter().any(|cat| item.sense(cat).is_some()))
    }

    /// Addresses and commands: what they are needs no words.
    pub(crate) fn literals(&mut self) {
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            match self.items[at].lit.clone() {
                Lit::Url(url) => {
                    self.frame.push(Role::Urls, url);
                    self.take(at, at + 1, "address");
                    self.describes(at);
                }
                Lit::Command(command) => {
                    self.frame.set(Role::Command, command);
                    self.take(at, at + 1, "command");
                }
                _ => {}
            }
        }
    }

    /// "the timetable is at https://x": a word that only says what is there, which its address tells from all others.
    fn describes(&mut self, address: usize) {
        let small = |at: &usize| {
            let item = &self.items[*at];
            let binds = ["stop", "prep", "subject"].iter().any(|cat| item.sense(cat).is_some());
            !(binds || item.is("noun", "status") || matches!(item.lit, Lit::Symbol(':')))
        };
        let Some(word) = (0..address).rev().find(small) else { return };
        let item = &self.items[word];
        let plain = item.free() && item.senses.is_empty() && !item.capital && matches!(item.lit, Lit::Word);
        let before = word.checked_sub(1).map(|before| &self.items[before].norm);
        let article = before.is_some_and(|before| self.lexicon.articles.contains(before));
        if plain && article && !self.changes() {
            self.take(word, address, "address");
        }
    }

    /// Values of the objects that have few of them.
    pub(crate) fn few_cues(&mut self, object: &str) {
        match object {
            "processes" => self.process_cues(),
            "packages" => self.package_cues(),
            "places" => self.places_named(),
            "credentials" => self.listed(Role::Names),
            "persons" => self.single_name(Role::PersonName),
            "issues" | "pulls" => self.repo_cues(),
            "urls" => self.web_cues(),
            _ => {}
        }
    }

    fn process_cues(&mut self) {
        for at in 0..self.len() {
            // "kill 3 processes": that is how many, not which.
            if self.free(at)
                && self.sense(at + 1, "noun").is_none()
                && let Some(Lit::Number(n)) = self.lit(at).cloned()
                && let Some(pid) = small::<u64>(n)
                && self
                    .frame
                    .verb
                    .as_ref()
                    .and_then(|id| self.senses.verb.get(id))
                    .is_some_and(|v| v.set.contains_key(&Role::Action))
            {
                self.frame.push(Role::Pids, pid);
                self.take(at, at + 1, "pid");
            }
        }
        // "process 7, which does not answer": which one it is was said already.
        for at in 0..if self.frame.has(Role::Pids) { self.len() } else { 0 } {
            if self.is(at, "wish", "stuck") {
                self.take(at, at + 1, "process");
            }
        }
        if !self.frame.has(Role::Pids) && !self.frame.has(Role::Health) && !self.frame.has(Role::LoadBy) {
            self.single_name(Role::Name);
        }
    }

    /// Tasks by their numbers, "task 7", "tasks 3 and 4"; and the time a task gets, where one is set.
    pub(crate) fn task_cues(&mut self, sets: bool) {
        let task = |id: &String| self.senses.noun.get(id).and_then(|n| n.object.as_deref()) == Some("tasks");
        let nouns: Vec<usize> = (0..self.len()).filter(|at| self.noun_ids(*at).iter().any(task)).collect();
        // What became of a task is no task: it can be looked at, and nothing else.
        let record = |id: &String| self.senses.noun.get(id).is_some_and(|n| n.verb.is_some());
        let history = nouns.iter().copied().find(|at| self.noun_ids(*at).iter().any(record));
        let looks = self.frame.verb.as_ref().is_none_or(|id| self.senses.asks(id));
        if let Some(at) = history.filter(|_| self.changes()) {
            self.frame.leftover.push(self.items[at].text.clone());
        }
        for noun in nouns {
            if looks && history.is_none() {
                break;
            }
            let mut at = noun + 1;
            while self.is(at, "cue", "pid") || matches!(self.lit(at), Some(Lit::Symbol('#'))) {
                at += 1;
            }
            while let Some(id) = self.whole_number(at) {
                self.frame.push(Role::Ids, id.to_string());
                self.take(noun + 1, at + 1, "task");
                at += 1;
                while self.items.get(at).is_some_and(|i| i.is_comma() || i.is("then", "and"))
                    && self.whole_number(at + 1).is_some()
                {
                    at += 1;
                }
            }
        }
        if !sets {
            return;
        }
        if self.paused_for_a_time() {
            return;
        }
        let timing = self.recurrence().or_else(|| self.once());
        // An hour alone does not say whether it is every day's or the next one's.
        let dated = |range: &std::ops::Range<usize>| {
            range.clone().any(|at| {
                ["day", "weekday", "month", "unit", "rel"].iter().any(|cat| self.sense(at, cat).is_some())
            })
        };
        let timing = timing.filter(|timing| timing.recurs || timing.at.iter().any(dated));
        if let Some((schedule, at)) = timing.and_then(|timing| Some((timing.schedule?, timing.at))) {
            self.frame.set(Role::Schedule, schedule);
            at.into_iter().for_each(|range| self.take(range.start, range.end, "schedule"));
        }
    }

    /// A number written in digits that counts nothing: "7", not "7 days".
    fn whole_number(&self, at: usize) -> Option<u64> {
        let counts = |cat: &&str| self.sense(at + 1, cat).is_some();
        let hour = |id: &&str| self.is(at + 1, "clock", id);
        let unit = ["unit", "size_unit"].iter().any(counts) || ["am", "pm", "oclock"].iter().any(hour);
        match self.lit(at) {
            Some(Lit::Number(n)) if self.free(at) && !unit => small::<u64>(*n),
            Some(Lit::Word) if self.free(at) => self.items[at].text.strip_prefix('#')?.parse().ok(),
            _ => None,
        }
    }

    fn package_cues(&mut self) {
        for pattern in self.frame.list(Role::Patterns) {
            self.frame.set(Role::Pattern, pattern);
        }
        self.frame.slots.remove(&Role::Patterns);
        if !self.frame.has(Role::Pattern) {
            self.listed(Role::Names);
        }
    }

    /// Places by their names, which may run on over a preposition: "Lago di Garda".
    fn places_named(&mut self) {
        let mut at = 0;
        while at < self.len() {
            let Some((name, mut end)) = self.unknown(at) else {
                at += 1;
                continue;
            };
            let quoted = matches!(self.lit(at), Some(Lit::Quoted(_)));
            if !quoted {
                while let Some(next) = self.goes_on_at(end) {
                    end = next;
                }
            }
            let name = if quoted { name } else { self.written(at, end) };
            self.frame.push(Role::Queries, name);
            self.take(at, end, "name");
            at = end;
        }
    }

    /// Where the name of a place that reaches to `end` goes on to, if it does.
    fn goes_on_at(&self, end: usize) -> Option<usize> {
        let named = self.items[end - 1].capital && self.items.get(end + 1).is_some_and(|next| next.capital);
        let leads = self.is(end, "prep", "of") || named && self.sense(end, "prep").is_some();
        let of = usize::from(leads && self.free(end));
        let (_, next) = self.unknown(self.skip_stops(end + of))?;
        (!matches!(self.lit(next - 1), Some(Lit::Quoted(_)))).then_some(next)
    }

    /// The one name that is left: quoted, with a capital, or a word nobody knows.
    fn single_name(&mut self, role: Role) {
        let thing = self.items.iter().any(|i| i.is("noun", "process") || i.is("noun", "running"));
        for at in 0..self.len() {
            // "the lights": what has an article is a thing, and this is not the name of one that runs.
            let article = at.checked_sub(1).is_some_and(|b| only_stop(&self.items[b]));
            let deed = |end: &String| self.items[at].norm.ends_with(end.as_str());
            let deed = self.lexicon.deed_endings.iter().any(deed);
            if role == Role::Name && !thing && (article || deed) && !self.items[at].capital {
                continue;
            }
            if let Some((name, end)) = self.unknown(at) {
                self.frame.set(role, name);
                self.take(at, end, "name");
                return;
            }
        }
    }

    /// All names that are left.
    fn listed(&mut self, role: Role) {
        let mut at = 0;
        while at < self.len() {
            let Some((name, end)) = self.unknown(at) else {
                at += 1;
                continue;
            };
            self.frame.push(role, name);
            self.take(at, end, "name");
            at = end;
        }
    }

    fn unknown(&self, at: usize) -> Option<(String, usize)> {
        let item = self.items.get(at).filter(|i| i.free() && Some(at) != self.verb_at)?;
        match &item.lit {
            Lit::Quoted(_) => self.name(at, false),
            Lit::File(text) => Some((text.clone(), at + 1)),
            Lit::Word if item.capital => self.name(at, false),
            Lit::Word if item.is_unknown() => Some((item.text.clone(), at + 1)),
            _ => None,
        }
    }

    fn repo_cues(&mut self) {
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            match self.items[at].lit.clone() {
                Lit::Slashed(repo) => {
                    self.frame.set(Role::Repo, repo);
                    self.take(at, at + 1, "repository");
                }
                Lit::Quoted(text) if !self.frame.has(Role::Title) => {
                    self.frame.set(Role::Title, text);
                    self.take(at, at + 1, "title");
                }
                Lit::Number(n) => {
                    if let Some(n) = small::<u64>(n) {
                        self.frame.push(Role::Numbers, n);
                        self.take(at, at + 1, "number");
                    }
                }
                Lit::Symbol('#') => self.take(at, at + 1, "number"),
                Lit::Word if metnos_vocab::Qualifier::parse(&self.items[at].norm).is_some() => {
                    self.take(at, at + 1, "service")
                }
                _ => {}
            }
        }
    }

    /// A search: what is looked for, and on which site.
    fn web_cues(&mut self) {
        if self.frame.has(Role::Urls) {
            return;
        }
        for at in 0..self.len() {
            if self.free(at)
                && let Some(Lit::File(host)) = self.lit(at).cloned()
                && self.is_host(&host)
            {
                let searched = at > 0 && self.is(at - 1, "cue", "site");
                if searched {
                    self.frame.set(Role::Site, host);
                } else {
                    self.frame.push(Role::Urls, host);
                }
                self.take(at - usize::from(searched), at + 1, "site");
            }
        }
        if !self.frame.has(Role::Urls) && !self.frame.has(Role::Query) {
            self.rest(Role::Query);
        }
    }

    /// "what the web says about cleaning a pot": what follows is looked for, word by word, whatever it means elsewhere.
    pub(crate) fn topic(&mut self) {
        let Some(web) = (0..self.len()).find(|at| self.free(*at) && self.is(*at, "noun", "web")) else {
            return;
        };
        let literal = |item: &Item| {
            matches!(item.lit, Lit::Quoted(_) | Lit::Url(_) | Lit::File(_) | Lit::Path(_) | Lit::Slashed(_))
        };
        let leads = |at: &usize| self.is(*at, "cue", "topic") || self.is(*at, "cue", "howto");
        let about = (web + 1..self.len()).find(leads);
        let Some(about) = about.filter(|_| !self.items.iter().any(literal)) else { return };
        // "how to prune a tree" is looked for as it is said.
        let mut from = about + usize::from(!self.is(about, "cue", "howto"));
        while self.items.get(from).is_some_and(|item| self.lexicon.articles.contains(&item.norm)) {
            from += 1;
        }
        let mut end = self.len();
        while end > from && (self.items[end - 1].is_symbol() || !self.free(end - 1)) {
            end -= 1;
        }
        let done = self.items[..web].iter().any(|item| {
            item.command()
                .and_then(|id| self.senses.verb.get(id))
                .is_some_and(crate::lexicon::VerbSense::changes)
        });
        let boundary = self.items[from..end].iter().any(|item| item.is_symbol() || item.is("then", "then"));
        if from < end && !boundary && !done {
            let text = self.written(from, end);
            self.frame.set(Role::Query, text);
            self.take(about, end, "query");
        }
    }

    /// These words as they were written.
    pub(crate) fn written(&self, from: usize, end: usize) -> String {
        let mut text = String::new();
        for (at, item) in self.items.iter().enumerate().take(end).skip(from) {
            if at > from && item.start > self.items[at - 1].end {
                text.push(' ');
            }
            text.push_str(&item.text);
        }
        text
    }

    /// The words that are left, from the first content word to the last, as they were written.
    pub(crate) fn rest(&mut self, role: Role) {
        let content = |clause: &Self, at: usize| {
            let item = &clause.items[at];
            item.free()
                && Some(at) != clause.verb_at
                && !item.is_symbol()
                && !only_stop(item)
                && item.sense("prep").is_none()
                && item.sense("polite").is_none()
                && !item.is("cue", "query")
        };
        if let Some(at) =
            (0..self.len()).find(|at| self.free(*at) && matches!(self.lit(*at), Some(Lit::Quoted(_))))
        {
            let text = self.items[at].text.clone();
            self.frame.set(role, text);
            self.take(at, at + 1, "query");
            return;
        }
        let Some(first) = (0..self.len()).find(|at| content(self, *at)) else { return };
        let mut last = first;
        let mut at = first;
        while at < self.len() && self.free(at) && Some(at) != self.verb_at && !self.items[at].is_symbol() {
            if content(self, at) {
                last = at;
            }
            at += 1;
        }
        // What is written onto the last word belongs to it: "Joe's".
        let onto = |at: usize| self.items.get(at + 1).is_some_and(|next| next.start == self.items[at].end);
        while onto(last) && !self.items[last + 1].is_symbol() {
            last += 1;
        }
        let text = self.written(first, last + 1);
        self.frame.set(role, text);
        self.take(first, last + 1, "query");
    }

    /// The zone of a city or country.
    pub(crate) fn zone(&mut self) {
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            let known = self.sense(at, "zone").map(str::to_owned);
            let named = known.or_else(|| self.name(at, true).and_then(|(name, _)| iana(&name)));
            if let Some(zone) = named {
                let end = self.name(at, true).map_or(at + 1, |(_, end)| end);
                self.frame.set(Role::Timezone, zone);
                self.take(at, end, "zone");
                return;
            }
        }
    }
}

/// The zone whose city this is, by the names of the zones themselves.
fn iana(city: &str) -> Option<String> {
    let wanted = city.replace(' ', "_").to_lowercase();
    if wanted.len() < 3 {
        return None;
    }
    let mut found: Vec<String> = jiff::tz::db()
        .available()
        .map(|name| name.to_string())
        .filter(|name| {
            name.contains('/') && name.rsplit('/').next().is_some_and(|last| last.to_lowercase() == wanted)
        })
        .collect();
    found.sort();
    found.into_iter().next()
}
