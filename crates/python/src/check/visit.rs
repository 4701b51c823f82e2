//! Walks the tree and notes what the rule does not allow.

use super::{Places, imports};
use crate::Runtime;
use ruff_python_ast::visitor::{
    Visitor, walk_alias, walk_expr, walk_parameter, walk_pattern_keyword, walk_stmt, walk_string_literal,
};
use ruff_python_ast::{
    Alias, Expr, ExprAttribute, ExprCall, ExprName, Identifier, ModModule, Parameter, PatternKeyword, Stmt,
    StringLiteral,
};
use ruff_text_size::{Ranged, TextSize};
use std::collections::BTreeSet;

/// Names that turn text into code, or hand out the tables it lives in.
const DYNAMIC: &[&str] = &["eval", "exec", "compile", "breakpoint", "globals", "locals", "vars", "importlib"];

/// Functions that take the name of an attribute as text.
const BY_NAME: &[&str] = &["getattr", "setattr", "delattr", "hasattr"];

/// Dunder names that may be read or set.
const DUNDER_NAMES: &[&str] =
    &["__name__", "__doc__", "__all__", "__version__", "__author__", "__slots__", "__debug__", "__future__"];

/// Dunder attributes that lead nowhere: methods of one's own, and names.
const DUNDER_ATTRIBUTES: &[&str] = &[
    "__abs__",
    "__add__",
    "__bool__",
    "__call__",
    "__contains__",
    "__doc__",
    "__enter__",
    "__eq__",
    "__exit__",
    "__float__",
    "__format__",
    "__ge__",
    "__getitem__",
    "__gt__",
    "__hash__",
    "__init__",
    "__int__",
    "__iter__",
    "__le__",
    "__len__",
    "__lt__",
    "__mul__",
    "__name__",
    "__ne__",
    "__neg__",
    "__next__",
    "__post_init__",
    "__repr__",
    "__setitem__",
    "__str__",
    "__sub__",
];

/// Attributes of frames, generators, code and functions, from which everything can be reached.
const INNER: &[&str] = &[
    "ag_code",
    "ag_frame",
    "co_code",
    "co_consts",
    "cr_code",
    "cr_frame",
    "f_back",
    "f_builtins",
    "f_code",
    "f_globals",
    "f_locals",
    "func_globals",
    "gi_code",
    "gi_frame",
    "tb_frame",
    "tb_next",
    "mro",
];

/// The beginning of the names the runtime itself uses.
const RESERVED: &str = "__metnos";

pub(super) fn visit(module: &ModModule, runtime: Runtime, place: &mut Places<'_>) {
    let mut imported = Imported::default();
    imported.visit_body(&module.body);
    Rule { runtime, place, modules: imported.names, in_class: false }.visit_body(&module.body);
}

/// The names that stand for a module anywhere in the code.
#[derive(Default)]
struct Imported {
    names: BTreeSet<String>,
}

impl<'a> Visitor<'a> for Imported {
    fn visit_alias(&mut self, alias: &'a Alias) {
        let name = alias.asname.as_ref().unwrap_or(&alias.name).as_str();
        let root = name.split('.').next().unwrap_or(name);
        self.names.insert(root.to_owned());
        walk_alias(self, alias);
    }
}

struct Rule<'p, 'c> {
    runtime: Runtime,
    place: &'p mut Places<'c>,
    modules: BTreeSet<String>,
    /// True directly inside the body of a class, where dunder methods are defined.
    in_class: bool,
}

impl Rule<'_, '_> {
    fn find(&mut self, at: TextSize, rule: &'static str, message: String) {
        self.place.find(at, rule, message);
    }

    fn module(&mut self, at: TextSize, module: &str, ok: bool) {
        if !ok {
            self.find(at, "import", format!("{module} is not on the list of modules of this runtime"));
        }
    }

    /// A name in any position: read, set, deleted, defined or bound.
    fn name(&mut self, at: TextSize, name: &str) {
        if DYNAMIC.contains(&name) {
            self.find(at, "dynamic-code", format!("{name} is not allowed"));
        } else if name.starts_with(RESERVED) {
            self.find(at, "reserved", format!("names that begin with {RESERVED} belong to the runtime"));
        } else if is_dunder(name) && !DUNDER_NAMES.contains(&name) {
            self.find(at, "dunder", format!("{name} is not allowed"));
        }
    }

    fn bound(&mut self, name: &Identifier) {
        self.name(name.start(), name.as_str());
    }

    fn attribute(&mut self, at: TextSize, attr: &str) {
        if is_dunder(attr) && !DUNDER_ATTRIBUTES.contains(&attr) {
            self.find(at, "dunder", format!("the attribute {attr} is not allowed"));
        } else if INNER.contains(&attr) {
            self.find(at, "dunder", format!("the attribute {attr} leads into the interpreter"));
        }
    }

    /// `json.sys`, `sys.modules`: an attribute of something imported that leads out of the list.
    fn module_attribute(&mut self, expr: &ExprAttribute) {
        let attr = expr.attr.as_str();
        if imports::way_out(attr) && root(&expr.value).is_some_and(|name| self.modules.contains(name)) {
            self.find(expr.attr.start(), "import", format!("{attr} leads out of the list of modules"));
        }
    }

    /// `getattr(x, "name")` with the name written out; anything else hides which attribute it is.
    fn by_name(&mut self, call: &ExprCall, function: &ExprName) {
        match call.arguments.args.get(1) {
            Some(Expr::StringLiteral(text)) => {
                let name = text.value.to_str().to_owned();
                if is_dunder(&name) || INNER.contains(&name.as_str()) || imports::way_out(&name) {
                    self.find(
                        text.start(),
                        "attribute-name",
                        format!("{} of {name} is not allowed", function.id),
                    );
                }
            }
            _ => self.find(
                call.start(),
                "attribute-name",
                format!("{} needs the attribute's name written out as its second argument", function.id),
            ),
        }
    }
}

impl<'a> Visitor<'a> for Rule<'_, '_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        let in_class = std::mem::replace(&mut self.in_class, matches!(stmt, Stmt::ClassDef(_)));
        match stmt {
            Stmt::Import(import) => {
                for alias in &import.names {
                    let ok = imports::allowed(alias.name.as_str(), self.runtime);
                    self.module(alias.start(), alias.name.as_str(), ok);
                }
            }
            Stmt::ImportFrom(from) if from.level > 0 => {
                self.find(from.start(), "import", "an executor is one file: no relative import".into());
            }
            Stmt::ImportFrom(from) => {
                let module = from.module.as_ref().map_or("", Identifier::as_str);
                for alias in &from.names {
                    let name = alias.name.as_str();
                    let whole = imports::allowed(module, self.runtime);
                    let part = imports::allowed(&format!("{module}.{name}"), self.runtime);
                    self.module(alias.start(), module, whole || part);
                    if name == "*" {
                        self.find(alias.start(), "import", "import * hides what it brings in".into());
                    } else if imports::way_out(name) {
                        self.find(
                            alias.start(),
                            "import",
                            format!("{name} leads out of the list of modules"),
                        );
                    } else {
                        self.attribute(alias.start(), name);
                    }
                }
            }
            Stmt::FunctionDef(def) if !(in_class && is_dunder(def.name.as_str())) => self.bound(&def.name),
            Stmt::ClassDef(def) => self.bound(&def.name),
            Stmt::Global(global) => global.names.iter().for_each(|name| self.bound(name)),
            Stmt::Nonlocal(nonlocal) => nonlocal.names.iter().for_each(|name| self.bound(name)),
            _ => {}
        }
        walk_stmt(self, stmt);
        self.in_class = in_class;
    }

    fn visit_body(&mut self, body: &'a [Stmt]) {
        // `visit_stmt` of a member clears the mark for what is inside it and puts it back.
        for stmt in body {
            self.visit_stmt(stmt);
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) if BY_NAME.contains(&name.id.as_str()) => self.find(
                name.start(),
                "attribute-name",
                format!("{} may only be called, with the attribute's name written out", name.id),
            ),
            Expr::Name(name) => self.name(name.start(), name.id.as_str()),
            Expr::Attribute(attribute) => {
                self.attribute(attribute.attr.start(), attribute.attr.as_str());
                self.module_attribute(attribute);
            }
            Expr::Call(call) => {
                if let Expr::Name(name) = &*call.func
                    && BY_NAME.contains(&name.id.as_str())
                {
                    self.by_name(call, name);
                    self.visit_arguments(&call.arguments);
                    return;
                }
            }
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.bound(&parameter.name);
        walk_parameter(self, parameter);
    }

    fn visit_alias(&mut self, alias: &'a Alias) {
        if let Some(name) = &alias.asname {
            self.bound(name);
        }
        walk_alias(self, alias);
    }

    fn visit_pattern_keyword(&mut self, keyword: &'a PatternKeyword) {
        self.attribute(keyword.attr.start(), keyword.attr.as_str());
        walk_pattern_keyword(self, keyword);
    }

    fn visit_string_literal(&mut self, literal: &'a StringLiteral) {
        if field_reaches_dunder(&literal.value) {
            self.find(literal.start(), "dunder", "a format field reaches for a dunder attribute".into());
        }
        walk_string_literal(self, literal);
    }
}

fn is_dunder(name: &str) -> bool {
    name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

/// The name at the left end of `a.b.c`.
fn root(mut expr: &Expr) -> Option<&str> {
    loop {
        match expr {
            Expr::Attribute(attribute) => expr = &attribute.value,
            Expr::Name(name) => return Some(name.id.as_str()),
            _ => return None,
        }
    }
}

/// True for a text such as `{0.__class__}`, which `str.format` would follow.
fn field_reaches_dunder(text: &str) -> bool {
    text.split('{').skip(1).any(|field| {
        let field = field.split('}').next().unwrap_or(field);
        field.contains(".__") || field.contains("[__")
    })
}
