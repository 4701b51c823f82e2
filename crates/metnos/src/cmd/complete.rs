//! What the Tab key completes: commands, executors, their arguments, folders and paths.

use super::command::lines;
use metnos_runtime::Runtime;
use rustyline::completion::{Completer, Pair};
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};
use std::path::{Path, PathBuf};

/// The most that is offered.
const OFFERED: usize = 200;

/// What there is to complete with.
pub(crate) struct Completion<'a> {
    /// The executors of this house; none where it is elsewhere.
    pub(crate) runtime: Option<&'a Runtime>,
}

/// The word under the cursor.
struct Word<'a> {
    /// The words before it.
    before: Vec<&'a str>,
    /// Where it begins, behind a quote that is open.
    start: usize,
    text: &'a str,
    quoted: bool,
}

impl<'a> Word<'a> {
    fn of(line: &'a str) -> Self {
        let (mut start, mut quote) = (0, None);
        for (at, c) in line.char_indices() {
            match quote {
                Some(open) if c == open => quote = None,
                None if c == '"' || c == '\'' => {
                    quote = Some(c);
                    start = at + c.len_utf8();
                }
                None if c.is_whitespace() => start = at + c.len_utf8(),
                _ => {}
            }
        }
        let before = line[..start].split(|c: char| c.is_whitespace() || c == '"' || c == '\'');
        let before = before.filter(|word| !word.is_empty()).collect();
        Self { before, start, text: &line[start..], quoted: quote.is_some() }
    }
}

impl Completion<'_> {
    /// From where on what can stand there.
    fn offers(&self, line: &str) -> (usize, Vec<String>) {
        let word = Word::of(line);
        let found = match &word.before[..] {
            [] if !is_path(word.text) => {
                // What takes more is followed by a space.
                let offered = lines().iter().flat_map(|lines| lines.offered.iter().cloned());
                let known = self.executors().into_iter().map(|name| format!("{name} "));
                begins(known.chain(offered), word.text)
            }
            ["show"] => begins(self.executors(), word.text),
            [executor, ..] if self.arguments(executor).is_some() => {
                if let Some((name, value)) = word.text.split_once('=') {
                    let from = name.len() + 1 + value.rfind(',').map_or(0, |at| at + 1);
                    return (word.start + from, self.paths(&word.text[from..], false));
                }
                let names = self.arguments(executor).unwrap_or_default().into_iter();
                begins(names.map(|name| format!("{name}=")), word.text)
            }
            _ => self.paths(word.text, word.quoted),
        };
        (word.start, found)
    }

    fn executors(&self) -> Vec<String> {
        let all = self.runtime.map(Runtime::executors).unwrap_or_default();
        all.into_iter().filter(|row| row.state == "active").map(|row| row.name).collect()
    }

    /// The names of what an executor takes.
    fn arguments(&self, executor: &str) -> Option<Vec<String>> {
        let card = self.runtime?.card(executor).ok()?;
        let properties = card.pointer("/input/properties")?.as_object()?;
        Some(properties.keys().cloned().collect())
    }

    /// Paths that begin so. A bare word is a folder of the home, or something here.
    fn paths(&self, text: &str, quoted: bool) -> Vec<String> {
        let home = self.runtime.map(|runtime| runtime.home.user_home());
        let (shown, prefix) = text.rsplit_once('/').map_or(("", text), |(dir, rest)| (dir, rest));
        let folders: Vec<PathBuf> = match (text.contains('/'), shown) {
            (false, _) => home.clone().into_iter().chain(std::env::current_dir().ok()).collect(),
            (true, "") => vec![PathBuf::from("/")],
            (true, "~") => home.clone().into_iter().collect(),
            (true, dir) => match (dir.strip_prefix("~/"), &home) {
                (Some(rest), Some(home)) => vec![home.join(rest)],
                // As it is meant from here; and from the home, as in a request.
                _ => std::env::current_dir()
                    .into_iter()
                    .chain(home.clone())
                    .map(|base| base.join(dir))
                    .collect(),
            },
        };
        let before = if text.contains('/') { format!("{shown}/") } else { String::new() };
        let mut found: Vec<String> = folders.iter().flat_map(|folder| entries(folder, prefix)).collect();
        found.sort();
        found.dedup();
        // What has a space is one word in quotes.
        let quote = |name: String| if name.contains(' ') && !quoted { format!("\"{name}") } else { name };
        found.into_iter().map(|name| quote(format!("{before}{name}"))).take(OFFERED).collect()
    }
}

/// What lies in a folder and begins so, in any case; what is hidden only when it is asked for.
fn entries(folder: &Path, prefix: &str) -> Vec<String> {
    let wanted = prefix.to_lowercase();
    let read = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let named = read.filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        let clean = !name.chars().any(char::is_control) && !name.contains(['"', '\'']);
        let shown = clean && (prefix.starts_with('.') || !name.starts_with('.'));
        let fits = shown && name.to_lowercase().starts_with(&wanted);
        fits.then(|| if entry.path().is_dir() { format!("{name}/") } else { name })
    });
    named.take(OFFERED).collect()
}

fn begins(all: impl IntoIterator<Item = String>, prefix: &str) -> Vec<String> {
    let mut found: Vec<String> = all.into_iter().filter(|one| one.starts_with(prefix)).collect();
    found.sort();
    found.truncate(OFFERED);
    found
}

fn is_path(text: &str) -> bool {
    text.starts_with(['~', '/', '.'])
}

impl Completer for Completion<'_> {
    type Candidate = Pair;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _context: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<Pair>)> {
        let (start, offers) = self.offers(line.get(..pos).unwrap_or(line));
        let pair = |text: String| Pair { display: text.clone(), replacement: text };
        Ok((start, offers.into_iter().map(pair).collect()))
    }
}

impl Hinter for Completion<'_> {
    type Hint = String;
}
impl Highlighter for Completion<'_> {}
impl Validator for Completion<'_> {}
impl Helper for Completion<'_> {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_under_the_cursor_is_found_also_in_quotes() {
        for (line, start, text, before) in [
            ("fi", 0, "fi", 0),
            ("show fi", 5, "fi", 1),
            ("move a.txt to Do", 14, "Do", 3),
            ("move \"My Do", 6, "My Do", 1),
            ("find_files base_path=~/D", 11, "base_path=~/D", 1),
            ("", 0, "", 0),
        ] {
            let word = Word::of(line);
            assert_eq!((word.start, word.text, word.before.len()), (start, text, before), "{line}");
        }
    }

    #[test]
    fn without_a_house_commands_and_paths_are_completed() {
        let completion = Completion { runtime: None };
        assert_eq!(completion.offers("qu"), (0, vec!["quit".to_owned()]));
        let (start, found) = completion.offers("read /pro");
        assert_eq!((start, found), (5, vec!["/proc/".to_owned()]));
    }
}
