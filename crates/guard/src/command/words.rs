//! The words of a command sorted into options and operands.

use super::lex::Word;

/// One argument.
#[derive(Clone, Debug, Default)]
pub(super) struct Arg {
    pub(super) text: String,
    /// Part of it is only known at run time.
    pub(super) opaque: bool,
}

impl Arg {
    pub(super) fn new(text: &str) -> Self {
        Self { text: text.to_owned(), opaque: false }
    }

    /// An argument nobody knows before the command runs.
    pub(super) fn unknown() -> Self {
        Self { text: String::new(), opaque: true }
    }
}

impl From<&Word> for Arg {
    fn from(word: &Word) -> Self {
        Self { text: word.text.clone(), opaque: word.opaque }
    }
}

/// Options and operands, in any order, as GNU programs take them.
pub(super) struct Sorted<'a> {
    options: Vec<&'a str>,
    pub(super) operands: Vec<&'a Arg>,
}

impl<'a> Sorted<'a> {
    pub(super) fn new(args: &'a [Arg]) -> Self {
        let mut sorted = Self { options: Vec::new(), operands: Vec::new() };
        let mut only_operands = false;
        for arg in args {
            match arg.text.as_str() {
                "--" if !only_operands => only_operands = true,
                text if !only_operands && text.len() > 1 && text.starts_with('-') => {
                    sorted.options.push(text)
                }
                _ => sorted.operands.push(arg),
            }
        }
        sorted
    }

    /// Whether `option` (`-x` or `--long`) is among them: in a cluster, or shortened as GNU allows.
    pub(super) fn has(&self, option: &str) -> bool {
        self.options.iter().any(|given| is_option(given, option))
    }

    pub(super) fn has_any(&self, options: &[&str]) -> bool {
        options.iter().any(|option| self.has(option))
    }

    /// The options as written.
    pub(super) fn options(&self) -> &[&'a str] {
        &self.options
    }
}

/// Whether the written word `given` contains `option`.
pub(super) fn is_option(given: &str, option: &str) -> bool {
    match (given.strip_prefix("--"), option.strip_prefix("--")) {
        (Some(given), Some(option)) => {
            let name = given.split('=').next().unwrap_or(given);
            !name.is_empty() && option.starts_with(name)
        }
        (None, None) if option.len() == 2 => {
            given.starts_with('-') && option.chars().nth(1).is_some_and(|letter| given.contains(letter))
        }
        (None, None) => given == option,
        _ => false,
    }
}

/// What one word is, to a program whose options are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// An option that stands alone.
    Alone,
    /// An option whose value is the next word.
    WithNext,
    /// `--`: no options after it.
    End,
    /// No option.
    Operand,
    /// An option that is not listed.
    Unlisted,
}

/// What `word` is, where `options` are listed as the data file lists them.
pub(super) fn step(word: &str, options: &[String]) -> Step {
    let listed = |name: &str| options.iter().any(|o| o == name);
    if word == "--" {
        return Step::End;
    }
    if !word.starts_with('-') || (word == "-" && !listed("-")) {
        return Step::Operand;
    }
    if listed(word) {
        return Step::Alone;
    }
    if let Some(long) = word.strip_prefix("--") {
        return long_step(long, options);
    }
    let letters = word.strip_prefix('-').unwrap_or(word);
    if listed("-#") && letters.chars().all(|c| c.is_ascii_digit()) {
        return Step::Alone;
    }
    for (at, letter) in letters.char_indices() {
        let is_last = at + letter.len_utf8() == letters.len();
        if listed(&format!("-{letter}=")) {
            return if is_last { Step::WithNext } else { Step::Alone };
        }
        if listed(&format!("-{letter}?")) {
            return Step::Alone;
        }
        if !listed(&format!("-{letter}")) {
            return Step::Unlisted;
        }
    }
    Step::Alone
}

fn long_step(long: &str, options: &[String]) -> Step {
    let (name, has_value) = long.split_once('=').map_or((long, false), |(name, _)| (name, true));
    let read = options.iter().filter_map(|option| {
        let option = option.strip_prefix("--")?;
        let full = option.trim_end_matches(['=', '?']);
        let needs_next = option.ends_with('=') && !has_value;
        (full.starts_with(name) && !name.is_empty())
            .then_some((full == name, if needs_next { Step::WithNext } else { Step::Alone }))
    });
    let read: Vec<(bool, Step)> = read.collect();
    // A shortened name that may mean several options is only clear if they all read alike.
    match (read.iter().find(|(exact, _)| *exact), read.first()) {
        (Some((_, step)), _) => *step,
        (None, Some((_, first))) if read.iter().all(|(_, step)| step == first) => *first,
        _ => Step::Unlisted,
    }
}
