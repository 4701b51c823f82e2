//! The static rule for both Pythons, decided on the syntax tree.
//!
//! It keeps executors readable for the person who approves them: nothing in the code can summon other
//! code by name. It is not the wall: that is the cell.

mod depth;
mod imports;
mod visit;

use crate::Runtime;
use metnos_executor::lab::{self, Layer};
use metnos_executor::{ErrorClass, Failure};
use monty::MontyRun;
use monty_types::CompileOptions;
use ruff_python_ast::{ModModule, Stmt, StmtFunctionDef};
use ruff_python_parser::parse_module;
use ruff_source_file::LineIndex;
use ruff_text_size::{Ranged, TextSize};
use std::panic::catch_unwind;

pub use imports::{CPYTHON_MODULES, PYTHON_MODULES};

/// The longest code that is read.
pub const CODE_MAX: usize = 256 << 10;

/// The most findings that are spelled out.
const FINDINGS_MAX: usize = 50;

/// One thing the code may not contain, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// From one.
    pub line: usize,
    /// From one, in characters.
    pub column: usize,
    /// Which rule: `syntax`, `size`, `depth`, `run`, `import`, `dynamic-code`, `dunder`, `attribute-name`,
    /// `reserved` or `unsupported`.
    pub rule: &'static str,
    /// What is wrong, naming the thing.
    pub message: String,
}

/// Checks `code` against the rule of `runtime`.
pub fn check(code: &str, runtime: Runtime) -> Result<(), Vec<Finding>> {
    let whole = |rule, message: String| vec![Finding { line: 1, column: 1, rule, message }];
    if runtime == Runtime::Native {
        return Err(whole("run", "a native executor has no code of its own".into()));
    }
    if code.len() > CODE_MAX {
        return Err(whole("size", format!("{} bytes of code, more than {CODE_MAX}", code.len())));
    }
    // The tree of a hostile source must not unwind us; its depth is bounded before it is built.
    let checked = catch_unwind(|| {
        let mut place = Places::new(code);
        if let Some(at) = depth::too_deep(code) {
            place.find(at, "depth", "an expression is nested or chained too deeply".into());
            return place.found;
        }
        match parse_module(code) {
            Err(error) => place.find(error.location.start(), "syntax", error.error.to_string()),
            Ok(parsed) => {
                visit::visit(parsed.syntax(), runtime, &mut place);
                entry_point(parsed.syntax(), &mut place);
                if runtime == Runtime::Python && place.found.is_empty() {
                    supported(code, &mut place);
                }
            }
        }
        place.found
    });
    match checked {
        Ok(found) if found.is_empty() => Ok(()),
        Ok(found) => Err(found),
        Err(_) => Err(whole("syntax", "the parser broke off".into())),
    }
}

/// The same as a failure of the call.
pub(crate) fn enforce(code: &str, runtime: Runtime) -> Result<(), Failure> {
    if lab::without(Layer::StaticCheck) {
        return Ok(());
    }
    check(code, runtime).map_err(|found| {
        let first = found.first().map_or_else(String::new, |f| {
            format!("line {}, column {}: {} ({})", f.line, f.column, f.message, f.rule)
        });
        Failure::new(ErrorClass::PolicyViolation, format!("the code breaks the rule: {first}"))
    })
}

/// Where findings go, and how an offset becomes a line and a column.
struct Places<'a> {
    code: &'a str,
    index: LineIndex,
    found: Vec<Finding>,
}

impl<'a> Places<'a> {
    fn new(code: &'a str) -> Self {
        Self { code, index: LineIndex::from_source_text(code), found: Vec::new() }
    }

    fn find(&mut self, at: TextSize, rule: &'static str, message: String) {
        if self.found.len() < FINDINGS_MAX {
            let place = self.index.line_column(at, self.code);
            let (line, column) = (place.line.get(), place.column.get());
            self.found.push(Finding { line, column, rule, message });
        }
    }
}

/// `def run(args, ctx)` at the top level; the last definition is the one that counts.
fn entry_point(module: &ModModule, place: &mut Places<'_>) {
    let run = module.body.iter().rev().find_map(|stmt| match stmt {
        Stmt::FunctionDef(def) if def.name.as_str() == "run" => Some(def),
        _ => None,
    });
    match run {
        None => place.find(TextSize::new(0), "run", "there is no def run(args, ctx) at the top level".into()),
        Some(def) if !takes_two(def) => {
            place.find(
                def.start(),
                "run",
                "run must be a plain def with the two parameters args and ctx".into(),
            );
        }
        Some(_) => {}
    }
}

fn takes_two(def: &StmtFunctionDef) -> bool {
    let p = &def.parameters;
    let plain = p.vararg.is_none() && p.kwarg.is_none() && p.kwonlyargs.is_empty();
    !def.is_async && plain && p.posonlyargs.len().saturating_add(p.args.len()) == 2
}

/// What the embedded interpreter itself says about the code.
fn supported(code: &str, place: &mut Places<'_>) {
    let Err(exc) = MontyRun::new(code.to_owned(), "main.py", Vec::new(), CompileOptions::default()) else {
        return;
    };
    let at = exc.traceback().last().map(|frame| frame.start);
    place.found.push(Finding {
        line: at.map_or(1, |at| usize::try_from(at.line).unwrap_or(1)),
        column: at.map_or(1, |at| usize::try_from(at.column).unwrap_or(1)),
        rule: "unsupported",
        message: exc.message().unwrap_or("the interpreter does not accept this code").to_owned(),
    });
}

#[cfg(test)]
mod tests;
