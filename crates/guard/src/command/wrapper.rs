//! Programs that run another program: where the other one begins.

use super::table::Wrapper;
use super::words::{Arg, Step, is_option, step};

/// What a wrapper does with its arguments.
#[derive(Debug)]
pub(super) struct Wrapped<'a> {
    /// The command it runs; empty when it runs none, absent when its options are not all known.
    pub(super) inner: Option<&'a [Arg]>,
    /// The variables it sets.
    pub(super) variables: Vec<&'a str>,
    /// The folder it starts the command in.
    pub(super) chdir: Option<&'a str>,
}

/// Reads the arguments of `wrapper` up to the command it runs.
pub(super) fn unwrap<'a>(wrapper: &Wrapper, args: &'a [Arg]) -> Wrapped<'a> {
    let mut wrapped = Wrapped { inner: None, variables: Vec::new(), chdir: None };
    let mut at = 0;
    let mut operands = wrapper.operands;
    let mut only_operands = false;
    while let Some(arg) = args.get(at) {
        let kind = if only_operands { Step::Operand } else { step(&arg.text, &wrapper.options) };
        if arg.opaque && wrapper.inner_not_begun(kind, operands) {
            return wrapped;
        }
        match kind {
            Step::Unlisted => return wrapped,
            Step::End => only_operands = true,
            Step::Alone | Step::WithNext => {
                wrapped.chdir = wrapped.chdir.or(folder(wrapper, &arg.text, args.get(at + 1)));
                at += usize::from(kind == Step::WithNext);
            }
            Step::Operand if wrapper.assignments && arg.text.contains('=') => {
                wrapped.variables.push(arg.text.split('=').next().unwrap_or_default());
            }
            Step::Operand if operands > 0 => {
                operands -= 1;
                only_operands = true;
            }
            Step::Operand => {
                wrapped.inner = args.get(at..);
                return wrapped;
            }
        }
        at += 1;
    }
    wrapped.inner = Some(&[]);
    wrapped
}

impl Wrapper {
    /// Whether an unknown word here could be an option or a name as well as the command.
    fn inner_not_begun(&self, kind: Step, operands: usize) -> bool {
        kind != Step::Operand || operands == 0
    }
}

fn folder<'a>(wrapper: &Wrapper, word: &'a str, next: Option<&'a Arg>) -> Option<&'a str> {
    let option = wrapper.chdir.iter().find(|option| is_option(word, option))?;
    match word.split_once('=') {
        Some((_, value)) if word.starts_with("--") => Some(value),
        _ if word.starts_with("--") => next.map(|n| n.text.as_str()),
        _ => {
            let value = word.split_once(option.trim_start_matches('-')).map_or("", |(_, value)| value);
            if value.is_empty() { next.map(|n| n.text.as_str()) } else { Some(value) }
        }
    }
}
