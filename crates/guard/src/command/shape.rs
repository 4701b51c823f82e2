//! Shapes of commands that nobody gets back from, found by reading the command.
//!
//! A command is followed through the programs that only run another one and through the text given to
//! a shell. What cannot be followed counts as harm: a guard that does not understand denies.

use super::argv::Argv;
use super::script;
use super::sight::{Sight, Unseen};
use super::table::{Table, Wrapper, named, table};
use super::words::Arg;
use super::wrapper::{Wrapped, unwrap};
use std::cell::Cell;

/// How many commands may hide in one before it is too tangled to judge.
const STEPS_MAX: u32 = 512;
/// How many shells deep a command may hide.
const DEPTH_MAX: u32 = 8;
/// How many folders a script may move through.
const FOLDERS_MAX: usize = 32;

/// A shape that nobody gets back from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Harm {
    /// Its name, for logs and lists.
    pub shape: &'static str,
    /// What it would do: the end of a sentence that begins with "it".
    pub why: String,
}

impl Harm {
    pub(super) fn new(shape: &'static str, why: impl Into<String>) -> Self {
        Self { shape, why: why.into() }
    }

    pub(super) fn unreadable(why: impl std::fmt::Display) -> Self {
        Self::new("unreadable", format!("cannot be checked before it runs: {why}"))
    }
}

/// The near-unrecoverable shape of a command, if it has one, as it reads.
pub fn shape(argv: &Argv) -> Option<Harm> {
    shape_seen(argv, &Unseen)
}

/// The same, with what the machine says about its words.
pub fn shape_seen(argv: &Argv, sight: &dyn Sight) -> Option<Harm> {
    let table = match table() {
        Ok(table) => table,
        Err(error) => return Some(Harm::unreadable(format!("the table of commands is broken ({error})"))),
    };
    let args: Vec<Arg> = argv.words().iter().map(|word| Arg::new(word)).collect();
    let steps = Cell::new(0);
    let scene = Scene {
        table,
        sight,
        steps: &steps,
        folders: vec![String::new()],
        depth: 0,
        in_script: false,
        sweep: false,
    };
    scene.command(&args)
}

/// What is known where a command would run.
#[derive(Clone)]
pub(super) struct Scene<'s> {
    pub(super) table: &'static Table,
    pub(super) sight: &'s dyn Sight,
    steps: &'s Cell<u32>,
    /// Every folder the command may start in; empty text is the one nobody named.
    pub(super) folders: Vec<String>,
    depth: u32,
    in_script: bool,
    /// The command is repeated for everything in its operands, or for names from elsewhere.
    pub(super) sweep: bool,
}

impl Scene<'_> {
    /// The harm in a command.
    pub(super) fn command(&self, args: &[Arg]) -> Option<Harm> {
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > STEPS_MAX {
            return Some(Harm::unreadable("too much is nested in it"));
        }
        let is_assignment = |arg: &&Arg| {
            arg.text.split_once('=').is_some_and(|(name, _)| {
                !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            })
        };
        let start = args.iter().take_while(is_assignment).count();
        let (program, args) = args.get(start..)?.split_first()?;
        if program.opaque {
            return Some(Harm::unreadable("which program it runs is only known then"));
        }
        let written = program.text.rsplit('/').next().unwrap_or_default();
        // Whatever it is called, it does what the file does; one that goes by its name does what that says.
        let mut other = self.sight.names(&program.text);
        other.retain(|name| name != written && !named(&self.table.links.by_name, name));
        std::iter::once(written)
            .chain(other.iter().map(String::as_str))
            .find_map(|name| self.called(name, args))
    }

    /// The harm in a command whose program is called `name`.
    fn called(&self, name: &str, args: &[Arg]) -> Option<Harm> {
        if self.table.is_shell(name) {
            return self.shell(args);
        }
        if let Some(wrapper) = self.table.wrapper(name) {
            return self.wrapper(wrapper, args);
        }
        self.program(name, args)
    }

    fn shell(&self, args: &[Arg]) -> Option<Harm> {
        let mut code = false;
        let mut at = 0;
        while let Some(arg) = args.get(at) {
            let text = arg.text.as_str();
            if text == "--" || text == "-" {
                at += 1;
                break;
            }
            if arg.opaque || text.len() < 2 || !text.starts_with(['-', '+']) {
                break;
            }
            let long = text.starts_with("--");
            // Some shells take the text in the same word as its option.
            let attached = if long { text.split_once('=').map(|(_, value)| value) } else { text.get(2..) };
            let attached = attached.filter(|value| value.contains(char::is_whitespace));
            if let Some(harm) = attached.and_then(|value| self.script(value)) {
                return Some(harm);
            }
            code |= text == "--command" || (!long && text.starts_with('-') && text.contains('c'));
            let has_value = self.table.shells.value_options.iter().any(|o| o == text)
                || (!long && text.ends_with(['o', 'O']));
            at += 1 + usize::from(has_value);
        }
        match args.get(at) {
            Some(operand) if operand.opaque => {
                Some(Harm::unreadable("what the shell would do is only known then"))
            }
            // A file's name holds no blank as a rule; the value of an option nobody listed may.
            Some(operand) if code || operand.text.contains(char::is_whitespace) => self.script(&operand.text),
            None if self.in_script => Some(Harm::unreadable("a shell would obey whatever is fed to it")),
            _ => None,
        }
    }

    fn wrapper(&self, wrapper: &Wrapper, args: &[Arg]) -> Option<Harm> {
        let mut scene = self.clone();
        scene.sweep |= wrapper.sweep;
        if wrapper.strings {
            return scene.strings(args);
        }
        let Wrapped { inner, chdir, .. } = unwrap(wrapper, args);
        if let Some(folder) = chdir {
            scene.start_in(folder);
        }
        match inner {
            Some([]) => None,
            Some(inner) if wrapper.sweep => {
                let mut swept = inner.to_vec();
                swept.push(Arg::unknown());
                scene.command(&swept)
            }
            Some(inner) => scene.command(inner),
            None => scene.anywhere(args),
        }
    }

    /// The arguments of a program that hands text to a shell: each, and each with those after it.
    fn strings(&self, args: &[Arg]) -> Option<Harm> {
        if args.iter().any(|arg| arg.opaque) {
            return Some(Harm::unreadable("what the shell would do is only known then"));
        }
        let texts: Vec<&str> = args.iter().map(|arg| arg.text.as_str()).collect();
        (0..texts.len()).find_map(|at| {
            let single = texts.get(at).and_then(|text| self.script(text));
            single.or_else(|| self.script(&texts.get(at..)?.join(" ")))
        })
    }

    /// A command somewhere among arguments that are not all understood.
    fn anywhere(&self, args: &[Arg]) -> Option<Harm> {
        (0..args.len()).find_map(|at| {
            let arg = args.get(at)?;
            let value = match arg.text.split_once('=') {
                Some((_, value)) if arg.text.starts_with("--") => value,
                _ if arg.text.starts_with('-') => arg.text.get(2..).unwrap_or_default(),
                _ => arg.text.as_str(),
            };
            let text = if value.contains(char::is_whitespace) { self.script(value) } else { None };
            text.or_else(|| self.command(args.get(at..)?))
        })
    }

    /// The harm in the text given to a shell.
    fn script(&self, text: &str) -> Option<Harm> {
        if self.depth >= DEPTH_MAX {
            return Some(Harm::unreadable("too much is nested in it"));
        }
        self.steps.set(self.steps.get() + 1);
        if self.steps.get() > STEPS_MAX {
            return Some(Harm::unreadable("too much is nested in it"));
        }
        let script = match script::read(text) {
            Ok(script) => script,
            Err(error) => return Some(Harm::unreadable(error)),
        };
        if script.multiplies {
            return Some(Harm::new("fork-bomb", "starts copies of itself until the machine stops"));
        }
        let mut scene = self.clone();
        scene.depth += 1;
        scene.in_script = true;
        for mut simple in script.commands {
            if let Some(harm) = simple.writes.iter().find_map(|target| scene.written(target)) {
                return Some(harm);
            }
            if self.sweep {
                simple.args.push(Arg::unknown());
            }
            if let Some(harm) = scene.command(&simple.args) {
                return Some(harm);
            }
            if matches!(simple.args.first().map(|a| a.text.as_str()), Some("cd" | "pushd")) {
                scene.enter(
                    simple.args.iter().skip(1).find(|arg| !arg.text.starts_with('-') || arg.text == "-"),
                );
            }
        }
        script.nested.iter().find_map(|nested| scene.script(nested))
    }

    /// Adds the folder a command moves to. It may fail to, so the ones before stay possible.
    fn enter(&mut self, folder: Option<&Arg>) {
        let Some(folder) = folder else {
            self.folders.push("~".into());
            return;
        };
        if folder.opaque || folder.text == "-" || self.folders.len() >= FOLDERS_MAX {
            // Nobody knows which folder: the worst one is assumed.
            self.folders.push("/".into());
            return;
        }
        let added = self.joined(&folder.text);
        self.folders.extend(added);
    }

    /// The folder a program goes to before it does anything else: it does nothing where it cannot.
    pub(super) fn start_in(&mut self, folder: &str) {
        self.folders = self.joined(folder);
    }

    fn joined(&self, to: &str) -> Vec<String> {
        let joined = |from: &String| match from.as_str() {
            "" => to.to_owned(),
            _ if to.starts_with(['/', '~', '$']) => to.to_owned(),
            from => format!("{from}/{to}"),
        };
        let mut all: Vec<String> = self.folders.iter().map(joined).collect();
        all.dedup();
        all
    }
}
