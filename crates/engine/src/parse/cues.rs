//! Values introduced by words: names, contents, columns, formats. Each word of the lexicon says what its value is for.

use super::Clause;
use super::dates::small;
use crate::catalog::Role;
use crate::text::Lit;

impl Clause<'_> {
    /// The value after a cue: in quotes, with a capital, or (when `bare`) any word that is not a mere article.
    pub(crate) fn value_after(&self, at: usize, bare: bool) -> Option<(String, usize)> {
        let direct = self.name(at + 1, false);
        direct.or_else(|| {
            let next = self.skip_stops(at + 1);
            self.name(next, bare)
        })
    }

    /// The value before a cue that follows it.
    pub(crate) fn value_before(&self, at: usize) -> Option<(String, usize)> {
        let mut before = at.checked_sub(1)?;
        while before > 0 && self.free(before) && super::clause::only_stop(&self.items[before]) {
            before -= 1;
        }
        let item = self.items.get(before).filter(|i| i.free())?;
        match &item.lit {
            Lit::Quoted(text) => Some((text.clone(), before)),
            Lit::Word if item.senses.is_empty() || item.capital => Some((item.text.clone(), before)),
            _ => None,
        }
    }

    /// Names and contents of files, folders, packages and lines.
    pub(crate) fn file_cues(&mut self, object: &str) {
        let lines = object == "texts" || self.items.iter().any(|i| i.is("noun", "line"));
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            if let Some(id) = self.sense(at, "after").map(str::to_owned)
                && let Some((value, from)) = self.value_before(at)
            {
                let role = match id.as_str() {
                    "name" => Some((Role::Patterns, format!("*{value}*"))),
                    "content" => Some((Role::Contains, value)),
                    _ => None,
                };
                if let Some((role, value)) = role {
                    if role == Role::Patterns {
                        self.named.push((at, value.clone()));
                        self.frame.push(role, value);
                    } else {
                        self.frame.set(role, value);
                    }
                    self.take(from.saturating_sub(1).max(from), at + 1, "name");
                    self.take_with(from);
                    continue;
                }
            }
            let ids: Vec<String> =
                self.items[at].senses.iter().filter(|s| s.cat == "cue").map(|s| s.id.to_string()).collect();
            let before = self.frame.list(Role::Patterns);
            for id in &ids {
                if self.file_cue(at, id, lines) {
                    break;
                }
            }
            let new = self.frame.list(Role::Patterns).into_iter().find(|name| !before.contains(name));
            self.named.extend(new.map(|name| (at, name)));
        }
        self.named_twice();
        if lines && !self.frame.has(Role::Contains) {
            self.line_pattern();
        }
    }

    /// "with 'x' in the name": the preposition before the value.
    fn take_with(&mut self, from: usize) {
        if from > 0
            && self.free(from - 1)
            && (self.sense(from - 1, "stop").is_some() || self.sense(from - 1, "cue").is_some())
        {
            self.take(from - 1, from, "name");
        }
    }

    fn file_cue(&mut self, at: usize, id: &str, lines: bool) -> bool {
        let shape: Option<(&str, &str)> = match id {
            "named" => Some(("", "")),
            "name_contains" => Some(("*", "*")),
            "name_starts" => Some(("", "*")),
            "name_ends" => Some(("*", "")),
            _ => None,
        };
        if let Some((head, tail)) = shape {
            // "in the folder called x": a place, not a name to look for.
            let folder = at > 0 && self.sense(at - 1, "folder_word").is_some();
            if folder && self.back_over_stops(at - 1).is_some_and(|b| self.sense(b, "prep").is_some()) {
                return false;
            }
            // "put in order of name": a field, not a name.
            let orders =
                self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id)).is_some_and(|v| v.orders);
            if orders && self.sense(at, "order").is_some() && self.after_verb(at) {
                return false;
            }
            let said = if id == "named" { None } else { self.letter(at + 1) };
            if said.is_none() && id != "named" && self.sort_of_letter(at + 1) {
                self.frame.leftover.push(self.items[at + 2].text.clone());
                return true;
            }
            let Some((value, end)) = said.or_else(|| self.value_after(at, true)) else { return false };
            // "in a file called ~/x.csv": a path is no name to look for.
            if matches!(self.lit(end - 1), Some(Lit::Path(_))) {
                return false;
            }
            let value = value.trim_matches('*').to_owned();
            self.frame.push(Role::Patterns, format!("{head}{value}{tail}"));
            self.take(at, end, "name");
            let mut end = end;
            // "called a, b and c"
            while self
                .items
                .get(end)
                .is_some_and(|i| i.is_comma() || i.is("then", "and") || i.is("then", "or"))
                && matches!(self.lit(end + 1), Some(Lit::Quoted(_)))
                && let Some((value, next)) = self.name(end + 1, false)
            {
                // A name that contains one and the other has both, and patterns are alternatives.
                if id != "named" && !self.is(end, "then", "or") {
                    self.frame.leftover.push(value.clone());
                }
                self.frame.push(Role::Patterns, format!("{head}{value}{tail}"));
                self.take(end, next, "name");
                end = next;
            }
            return true;
        }
        if id == "contains" {
            // What photos contain is what they show.
            if self.is(at, "cue", "shows") && self.items.iter().any(|i| i.is("noun", "image")) {
                return false;
            }
            // What a file that is written contains is its text.
            let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
            if verb.is_some_and(|verb| verb.goals == [Role::OutPath]) {
                return false;
            }
            let Some((value, end)) = self.value_after(at, true) else { return false };
            if matches!(self.lit(end - 1), Some(Lit::Path(_) | Lit::Url(_) | Lit::Slashed(_))) {
                return false;
            }
            // "that have 'x' in their name": what follows says where it is; so does "that appear in x".
            let place = matches!(self.lit(end - 1), Some(Lit::Word)) && self.sense(end - 1, "prep").is_some();
            if place || self.is(end, "after", "name") {
                return false;
            }
            self.frame.set(Role::Contains, value);
            self.take(at, end, if lines { "pattern" } else { "content" });
            return true;
        }
        false
    }

    /// "the lines with ERROR": whatever stands beside the word for lines.
    fn line_pattern(&mut self) {
        let line = self.items.iter().position(|i| i.is("noun", "line"));
        for at in line.map_or(self.len(), |line| line + 1)..self.len() {
            let item = &self.items[at];
            let with = item.free()
                && (item.is("cue", "shows") || item.is("cue", "contains") || item.is("cue", "attendee"));
            if with
                && let Some((value, end)) = self.value_after(at, true)
                && !matches!(
                    self.lit(end - 1),
                    Some(Lit::Path(_) | Lit::Url(_) | Lit::Slashed(_) | Lit::File(_))
                )
            {
                self.frame.set(Role::Contains, value);
                self.take(at, end, "pattern");
                return;
            }
        }
        self.quoted_pattern();
    }

    /// "which lines have 'x' in them", "in how many lines does 'x' come up": the one text in quotes, where lines are looked for.
    fn quoted_pattern(&mut self) {
        let verb = self.frame.verb.as_ref().and_then(|id| self.senses.verb.get(id));
        let quoted = |at: &usize| self.free(*at) && matches!(self.lit(*at), Some(Lit::Quoted(_)));
        let found: Vec<usize> = (0..self.len()).filter(quoted).collect();
        let file = self.items.iter().any(|item| {
            matches!(item.lit, Lit::Path(_) | Lit::Slashed(_) | Lit::File(_)) || item.sense("place").is_some()
        });
        if let [at] = found[..]
            && verb.is_none_or(|verb| verb.query)
            && file
        {
            self.frame.set(Role::Contains, self.items[at].text.clone());
            self.take(at, at + 1, "pattern");
        }
    }

    /// "to jpg", "800 pixels wide", "with two lines of context".
    pub(crate) fn format_cues(&mut self, converts: bool) {
        // "make them become jpg": a verb, a format and nothing else.
        let said = |item: &crate::parse::Item| item.free() && !item.is_symbol() && item.words > 0;
        let rest: Vec<usize> = (0..self.len()).filter(|at| said(&self.items[*at])).collect();
        if let ([at], true) = (&rest[..], converts && !self.frame.has(Role::ToFormat))
            && let Some(format) = self.format_word(*at)
        {
            self.frame.set(Role::ToFormat, format);
            self.take(*at, at + 1, "format");
        }
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            if self.is(at, "after", "wide")
                && converts
                && let Some(n) = at.checked_sub(1).and_then(|b| self.number(b)).and_then(small::<u64>)
            {
                self.frame.set(Role::Width, n);
                let from = at - 1;
                self.take(
                    from - usize::from(
                        from > 0 && self.free(from - 1) && self.sense(from - 1, "prep").is_some(),
                    ),
                    at + 1,
                    "width",
                );
            } else if self.is(at, "after", "context")
                && let Some(n) = at.checked_sub(1).and_then(|b| self.number(b)).and_then(small::<u64>)
            {
                self.frame.set(Role::Context, n);
                self.take(at - 1, at + 1, "context");
            } else if self.is(at, "cue", "quality")
                && converts
                && let Some((i, n)) = [at + 1, at.wrapping_sub(1)]
                    .into_iter()
                    .find_map(|i| Some((i, small::<u64>(self.number(i)?)?)))
            {
                self.frame.set(Role::Quality, n);
                self.take(i.min(at), i.max(at) + 1, "quality");
            } else if converts && self.is(at, "cue", "as_format") {
                let next = self.skip_stops(at + 1);
                let format = self.format_word(next);
                if let Some(format) = format.filter(|_| self.free(next)) {
                    self.frame.set(Role::ToFormat, format);
                    self.take(at, next + 1, "format");
                }
            }
        }
    }

    /// "in two lines", "to a few words": how long a summary is to be, which it is anyway.
    pub(crate) fn lengths(&mut self) {
        for at in 0..self.len() {
            let amount = self.skip_stops(at + 1);
            let counted = self.number(amount).is_some() || self.sense(amount, "vague").is_some();
            let noun = self.sense(amount + 1, "noun").and_then(|id| self.senses.noun.get(id));
            let part = noun.is_some_and(|noun| noun.part && noun.object.as_deref() == Some("texts"));
            if self.free(at) && self.sense(at, "prep").is_some() && counted && part {
                self.take(at, amount + 2, "length");
            }
        }
    }

    /// The only text in quotes.
    fn only_quoted(&self) -> Option<(String, usize)> {
        let quoted = |at: &usize| self.free(*at) && matches!(self.lit(*at), Some(Lit::Quoted(_)));
        let mut found = (0..self.len()).filter(quoted);
        let at = found.next().filter(|_| found.next().is_none())?;
        Some((self.items[at].text.clone(), at))
    }

    /// New names: "to ideas.txt", "prefix 'x'", "trip_1, trip_2 and so on".
    pub(crate) fn rename_cues(&mut self) {
        for at in 0..self.len() {
            if !self.free(at) {
                continue;
            }
            let verb_prefix = Some(at) == self.verb_at;
            if (self.is(at, "cue", "prefix") || verb_prefix && self.is(at, "cue", "prefix"))
                && let Some((value, end)) = self.value_after(at, true)
            {
                self.frame.set(Role::NameTemplate, format!("{value}{{name}}"));
                self.take(at, end, "prefix");
                self.take_rest_of_names(end);
                return;
            }
            if self.is(at, "after", "prefix")
                && let Some((value, before)) = self.value_before(at).or_else(|| self.only_quoted())
            {
                self.frame.set(Role::NameTemplate, format!("{value}{{name}}"));
                self.take(before, before + 1, "prefix");
                self.take(at, at + 1, "prefix");
                return;
            }
            if self.is(at, "cue", "suffix")
                && let Some((value, end)) = self.value_after(at, true)
            {
                self.frame.set(Role::NameTemplate, format!("{{stem}}{value}.{{ext}}"));
                self.take(at, end, "suffix");
                return;
            }
        }
        self.counted_names();
        // "give x.pdf the new name y.pdf": what the verb itself names is the new name.
        if let Some(at) = self.verb_at.filter(|at| self.is(*at, "cue", "named") && self.free(*at))
            && let colon = usize::from(matches!(self.lit(at + 1), Some(Lit::Symbol(':'))))
            && let Some((value, end)) = self.value_after(at + colon, true)
        {
            self.frame.set(Role::NameTemplate, value);
            self.take(at, end, "new name");
        }
        // "rename ~/a.txt b.txt", "rename it b.txt": a name right after the file that gets it.
        let second = (1..self.len()).find(|at| {
            let file = matches!(self.lit(at - 1), Some(Lit::Path(_) | Lit::Slashed(_) | Lit::File(_)));
            (file || self.is(at - 1, "pron", "it"))
                && self.free(*at)
                && matches!(self.lit(*at), Some(Lit::File(_) | Lit::Quoted(_)))
        });
        if let Some(at) = second.filter(|_| !self.frame.has(Role::NameTemplate)) {
            let name = self.items[at].text.clone();
            self.frame.set(Role::NameTemplate, name);
            self.take(at, at + 1, "new name");
        }
        for at in 0..self.len() {
            let goal = self.free(at)
                && (matches!(self.sense(at, "prep"), Some("to" | "inor"))
                    || self.is(at, "cue", "as_format") && self.sense(at, "prep").is_none());
            if goal
                && matches!(self.lit(at + 1), Some(Lit::Quoted(_) | Lit::File(_)))
                && self.items[..at].iter().any(|i| {
                    matches!(i.lit, Lit::Path(_) | Lit::File(_) | Lit::Slashed(_))
                        || i.sense("noun").is_some()
                        || i.sense("pron").is_some()
                })
                && !self.frame.has(Role::NameTemplate)
            {
                let Some((value, end)) = self.name(at + 1, false) else { continue };
                self.frame.set(Role::NameTemplate, value);
                self.take(at, end, "new name");
            }
        }
    }

    fn take_rest_of_names(&mut self, from: usize) {
        for at in from..self.len() {
            if self.free(at) && self.is(at, "field", "name") {
                self.take(at, at + 1, "prefix");
            }
        }
    }

    /// Two names that count up make a template.
    fn counted_names(&mut self) {
        let counted = |clause: &Self, at: usize| -> Option<(String, u32)> {
            let item =
                clause.items.get(at).filter(|i| i.free() && matches!(i.lit, Lit::Word | Lit::Quoted(_)))?;
            let stem = item.text.trim_end_matches(|c: char| c.is_ascii_digit());
            let n = item.text[stem.len()..].parse().ok()?;
            (!stem.is_empty()).then(|| (stem.to_owned(), n))
        };
        for at in 0..self.len() {
            let Some((stem, first)) = counted(self, at) else { continue };
            let next = (at + 1..(at + 4).min(self.len())).find_map(|i| counted(self, i).map(|c| (i, c)));
            let Some((end, (other, second))) = next else { continue };
            if other != stem || second != first + 1 {
                continue;
            }
            self.frame.set(Role::NameTemplate, format!("{stem}{{counter}}.{{ext}}"));
            let mut end = end + 1;
            while counted(self, end).is_some()
                || self.is(end, "cue", "counter")
                || self.items.get(end).is_some_and(|i| i.is_comma() || i.is_symbol())
            {
                end += 1;
            }
            let from = at
                .checked_sub(1)
                .filter(|b| self.sense(*b, "prep").is_some() || self.is(*b, "cue", "as_format"))
                .unwrap_or(at);
            self.take(from, end, "new names");
            if self.is(end, "then", "and") && self.is(end + 1, "cue", "counter") {
                self.take(end, end + 2, "new names");
            }
            return;
        }
    }
}
