#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;

const RUN: &str = "def run(args, ctx):\n    return {}\n";

/// The rules that `code`, followed by a proper `run`, breaks.
fn broken(code: &str, runtime: Runtime) -> Vec<&'static str> {
    match check(&format!("{code}\n{RUN}"), runtime) {
        Ok(()) => Vec::new(),
        Err(found) => found.into_iter().map(|f| f.rule).collect(),
    }
}

#[test]
fn ordinary_code_passes_in_both_runtimes() {
    let code = r#"
import json, re, math
from datetime import datetime, timedelta
from dataclasses import dataclass, field
from collections import Counter, defaultdict

@dataclass
class Item:
    name: str
    tags: list = field(default_factory=list)

    def __post_init__(self):
        self.name = self.name.strip()

    def __repr__(self):
        return f"<{type(self).__name__} {self.name}>"

class Plain:
    def __init__(self, x):
        self.x = x

PATTERN = re.compile(r"\d+")
if __name__ == "__main__":
    pass

def helper(x):
    return getattr(x, "name", None)
"#;
    assert_eq!(broken(code, Runtime::Python), Vec::<&str>::new());
    assert_eq!(broken(code, Runtime::Cpython), Vec::<&str>::new());
}

#[test]
fn code_from_text_is_found_wherever_it_hides() {
    for code in [
        "eval('1')",
        "e = eval",
        "exec('x = 1')",
        "compile('1', '', 'eval')",
        "x = [compile]",
        "def f(g=eval): pass",
        "f'{eval(1)}'",
        "f'{x:{eval(1)}}'",
        "lambda: exec",
        "@exec\ndef f(): pass",
        "class A(eval): pass",
        "globals()['x']",
        "vars()",
        "x: eval = 1",
    ] {
        assert_eq!(broken(code, Runtime::Cpython).first(), Some(&"dynamic-code"), "{code}");
    }
}

#[test]
fn text_that_only_mentions_a_forbidden_word_passes() {
    for code in ["x = 'eval(1)'", "# exec", "'''__import__'''", "evaluate = 1", "def my_exec(): pass"] {
        assert_eq!(broken(code, Runtime::Cpython), Vec::<&str>::new(), "{code}");
    }
}

#[test]
fn walks_over_dunder_attributes_are_found() {
    for code in [
        "().__class__",
        "().__class__.__bases__[0].__subclasses__()",
        "run.__globals__",
        "x.__init__.__globals__",
        "__builtins__",
        "__import__('os')",
        "__loader__",
        "(i for i in []).gi_frame",
        "int.mro()",
        "x.__dict__",
        "del x.__class__",
        "x.__class__ = 1",
        "'{0.__class__}'.format(1)",
        "'{a[__class__]}'.format(a=1)",
        "match x:\n    case object(__class__=c): pass",
        "def __getattr__(name): pass",
        "from json import __builtins__",
    ] {
        assert_eq!(broken(code, Runtime::Cpython).first(), Some(&"dunder"), "{code}");
    }
}

#[test]
fn attributes_by_name_must_be_written_out() {
    for code in [
        "getattr(x, '__class__')",
        "getattr(x, '__cl' + 'ass__')",
        "getattr(x, name)",
        "getattr(*a)",
        "setattr(x, '__class__', 1)",
        "g = getattr",
        "map(getattr, [1], ['a'])",
        "delattr(x, f'{y}')",
        "getattr(re, 'sys')",
    ] {
        assert_eq!(broken(code, Runtime::Cpython).first(), Some(&"attribute-name"), "{code}");
    }
}

#[test]
fn imports_outside_the_list_are_found() {
    for code in [
        "import subprocess",
        "import ctypes",
        "import json, importlib",
        "import importlib.util as u",
        "from multiprocessing import Pool",
        "import builtins",
        "import pickle",
        "import threading",
        "from . import x",
        "from json import *",
        "import numpy",
        "def f():\n    import subprocess",
        "import urllib",
        "import sys\nsys.modules['os']",
        "import sys as s\ns._getframe()",
        "from sys import modules",
        "import os\nos.sys.modules",
        "from operator import attrgetter",
        "import typing\ntyping.get_type_hints(1)",
        "import re\nre.enum.sys",
    ] {
        assert_eq!(broken(code, Runtime::Cpython).first(), Some(&"import"), "{code}");
    }
    for code in ["import os", "import sys", "import socket", "import asyncio", "import csv", "import time"] {
        assert_eq!(broken(code, Runtime::Python).first(), Some(&"import"), "{code}");
    }
    for code in ["import urllib.parse", "from urllib import parse", "import os.path", "import socket"] {
        assert_eq!(broken(code, Runtime::Cpython), Vec::<&str>::new(), "{code}");
    }
}

#[test]
fn run_must_be_there_with_two_parameters() {
    for code in [
        "",
        "x = 1",
        "def run(args): pass",
        "def run(args, ctx, more): pass",
        "def run(*args): pass",
        "async def run(args, ctx): pass",
        "class A:\n    def run(args, ctx): pass",
        "if True:\n    def run(args, ctx): pass",
        "run = lambda args, ctx: {}",
        "def run(args, ctx): return {}\ndef run(args): return {}",
    ] {
        let found = check(code, Runtime::Cpython).unwrap_err();
        assert_eq!(found[0].rule, "run", "{code}");
    }
    assert!(check(RUN, Runtime::Native).is_err());
}

#[test]
fn a_finding_says_where() {
    let code = "import json\n\ndef run(args, ctx):\n    x = 'é'; eval(x)\n    return {}\n";
    let found = check(code, Runtime::Python).unwrap_err();
    assert_eq!((found[0].line, found[0].column, found[0].rule), (4, 14, "dynamic-code"));
    let found = check("def run(args, ctx):\n    return {\n", Runtime::Python).unwrap_err();
    assert_eq!(found[0].rule, "syntax");
}

#[test]
fn names_of_the_runtime_are_reserved() {
    assert_eq!(broken("__metnos_ctx = 1", Runtime::Python), ["reserved"]);
    assert_eq!(broken("def __metnos_call(a, b, c): pass", Runtime::Python), ["reserved"]);
}

#[test]
fn what_the_embedded_interpreter_lacks_is_said_with_its_line() {
    let found = check("def gen():\n    yield 1\n\ndef run(args, ctx):\n    return {}\n", Runtime::Python)
        .unwrap_err();
    assert_eq!((found[0].line, found[0].rule), (2, "unsupported"));
}

#[test]
fn hostile_sources_are_refused_without_harm() {
    let deep = |open: &str, close: &str, n: usize| format!("x = {}1{}", open.repeat(n), close.repeat(n));
    for (code, rule) in [
        (deep("(", ")", 50_000), "depth"),
        (deep("[", "]", 50_000), "depth"),
        (deep("f(", ")", 20_000), "depth"),
        (format!("x = 1{}", "+1".repeat(100_000)), "depth"),
        (format!("x = a{}", ".b".repeat(100_000)), "depth"),
        (format!("x = a{}", "[0]".repeat(60_000)), "depth"),
        (format!("x = a{}", "()".repeat(60_000)), "depth"),
        (format!("x = {}1", "-".repeat(100_000)), "depth"),
        (format!("x = {}1", "not ".repeat(50_000)), "depth"),
        (format!("x = {}1", "lambda:".repeat(30_000)), "syntax"),
        (format!("x = {}1", "1 if 1 else ".repeat(20_000)), "depth"),
        (format!("x = 2{}", "**2".repeat(60_000)), "depth"),
        ("x = 1\n".repeat(100_000), "size"),
        ("\u{0}".to_owned(), "syntax"),
        ("'''".to_owned(), "syntax"),
        ("\\".to_owned(), "syntax"),
    ] {
        let found = check(&code, Runtime::Python).unwrap_err();
        assert_eq!(found[0].rule, rule, "{}", &code[..code.len().min(40)]);
    }
    let found = check(&format!("x = 1\ny = 2{}\nz = 3\n", "+1".repeat(1000)), Runtime::Python).unwrap_err();
    assert_eq!((found[0].line, found[0].rule), (2, "depth"));
    let nested: String = (0..300).map(|i| format!("{}if 1:\n", " ".repeat(i))).collect();
    assert!(check(&format!("{nested}{}pass\n", " ".repeat(300)), Runtime::Cpython).is_err());
}

#[test]
fn long_flat_code_is_not_deep() {
    let table = format!("X = [{}]", "(1, 'a', {'k': -2.5}),\n".repeat(5_000));
    assert_eq!(broken(&table, Runtime::Python), Vec::<&str>::new());
    let lines = "x = 1 + 2 * 3\n".repeat(10_000);
    assert_eq!(broken(&lines, Runtime::Python), Vec::<&str>::new());
}
