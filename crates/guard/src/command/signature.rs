//! What kind of act a command is: `binary:subcommand:target-kind`.
//!
//! Approvals and lists speak of signatures, so what cannot be read for certain must never look like a
//! harmless act: an option that is not known before a subcommand makes the subcommand `unclear`, and
//! options that ask for two acts at once make one of their own.

use super::argv::Argv;
use super::place::Spot;
use super::table::{Kind, Program, Table, table};
use super::words::{Arg, Step, is_option, step};
use super::wrapper::unwrap;
use std::collections::BTreeSet;
use std::fmt;
use std::fmt::Write as _;

/// What kind of act a command is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The program: its name, or its whole path when it is not one of the system's.
    pub binary: String,
    /// What the program is to do, when it can do several things.
    pub subcommand: String,
    /// What it does it to ([`Kind`]), empty when to nothing.
    pub target: String,
}

impl Signature {
    /// The signature of a command, seen through the programs that only run another one.
    pub fn of(argv: &Argv) -> Self {
        Reading::of(argv).signature
    }

    fn new(binary: &str, subcommand: &str, target: Option<Kind>) -> Self {
        let target = target.map_or("", Kind::as_str).to_owned();
        Self { binary: plain(binary), subcommand: plain(subcommand), target }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.binary, self.subcommand, self.target)
    }
}

/// `text` with all that could be mistaken for a wildcard or a separator written as `%xx`.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"._+/@-".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(out, "%{byte:02x}");
        }
    }
    out
}

/// A command's signature and what it was wrapped in.
pub(super) struct Reading {
    pub(super) signature: Signature,
    /// The signatures of the programs that give it more rights.
    pub(super) elevations: Vec<Signature>,
    /// It sets variables that may load code.
    pub(super) sets_variables: bool,
}

impl Reading {
    pub(super) fn of(argv: &Argv) -> Self {
        let signature = Signature::new(argv.program(), "", (!argv.args().is_empty()).then_some(Kind::Text));
        let mut reading = Self { signature, elevations: Vec::new(), sets_variables: false };
        let Ok(table) = table() else { return reading };
        let words: Vec<Arg> = argv.words().iter().map(|word| Arg::new(word)).collect();
        let mut left = words.as_slice();
        let mut wrappers: Vec<&str> = Vec::new();
        while let Some((program, args)) = left.split_first() {
            let name = program_name(&program.text, table);
            reading.signature = signature_of(name, args, table);
            let Some(wrapper) = table.wrapper(name).filter(|w| !w.strings && !w.sweep) else { break };
            let wrapped = unwrap(wrapper, args);
            reading.sets_variables |= wrapped.variables.iter().any(|name| !table.harmless_variable(name));
            let Some(inner) = wrapped.inner.filter(|inner| !inner.is_empty()) else { break };
            if wrapper.elevates {
                wrappers.push(name);
            }
            left = inner;
        }
        let inner = reading.signature.binary.clone();
        reading.elevations = wrappers.iter().map(|name| Signature::new(name, &inner, None)).collect();
        reading
    }
}

/// The name of a program of the system, however it is called; the whole path of any other.
fn program_name<'a>(program: &'a str, table: &Table) -> &'a str {
    match program.rsplit_once('/') {
        Some((folder, name)) if table.places.programs.iter().any(|known| known == folder) => name,
        _ => program,
    }
}

fn signature_of(name: &str, args: &[Arg], table: &Table) -> Signature {
    let Some(program) = table.program(name) else {
        return Signature::new(name, "", (!args.is_empty()).then_some(Kind::Text));
    };
    let (mut subcommand, operands) = subcommand(program, args);
    let actions = actions(program, args);
    if !actions.is_empty() {
        subcommand = actions.into_iter().collect::<Vec<_>>().join("+");
    } else if operands.is_empty() && subcommand.is_empty() {
        subcommand.clone_from(&program.default_action);
    }
    Signature::new(name, &subcommand, kind(program, &operands, table))
}

/// The acts that options ask for.
fn actions<'p>(program: &'p Program, args: &[Arg]) -> BTreeSet<&'p str> {
    let options = args.iter().map(|arg| arg.text.as_str()).take_while(|text| *text != "--");
    let mut found = BTreeSet::new();
    for given in options.filter(|text| text.len() > 1 && text.starts_with('-')) {
        let name = given.split('=').next().unwrap_or(given);
        if let Some(action) = program.actions.get(name) {
            found.insert(action.as_str());
            continue;
        }
        if program.words_are_options {
            continue;
        }
        let asked = program.actions.iter().filter(|(option, _)| is_option(given, option));
        found.extend(asked.map(|(_, action)| action.as_str()));
    }
    found
}

/// The words that say what to do, and the operands after them.
fn subcommand<'a>(program: &Program, args: &'a [Arg]) -> (String, Vec<&'a Arg>) {
    let is_operand = |arg: &&Arg| !arg.text.starts_with('-') || arg.text == "-";
    if program.subcommands == 0 {
        return (String::new(), args.iter().filter(is_operand).collect());
    }
    let mut words: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(arg) = args.get(at).filter(|_| words.len() < program.subcommands) {
        match step(&arg.text, &program.options) {
            Step::Operand => words.push(&arg.text),
            Step::WithNext => at += 1,
            Step::Alone => {}
            Step::End => break,
            // What it takes as its value is not known, so neither is what comes after it.
            Step::Unlisted if words.is_empty() => {
                return ("unclear".into(), args.iter().skip(at).filter(is_operand).collect());
            }
            Step::Unlisted => break,
        }
        at += 1;
    }
    let operands = args.iter().skip(at).filter(is_operand).collect();
    let named = if words.is_empty() { program.default.clone() } else { words.join(".") };
    (named, operands)
}

/// What the last operand is; a device anywhere counts before all else.
fn kind(program: &Program, operands: &[&Arg], table: &Table) -> Option<Kind> {
    let last = operands.len().checked_sub(1)?;
    let kind = program.operands.get(last).or(program.operands.last()).copied()?;
    let device = |arg: &&Arg| Spot::new(&arg.text, "").is_device(&table.places);
    if kind == Kind::Path && operands.iter().any(device) { Some(Kind::Device) } else { Some(kind) }
}
