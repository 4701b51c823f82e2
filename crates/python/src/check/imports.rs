//! Which modules each runtime may import.

use crate::Runtime;

/// What the embedded interpreter has, without the modules that only reach for what is not there
/// (`os`, `sys`, `asyncio`).
pub const PYTHON_MODULES: &[&str] = &[
    "base64",
    "binascii",
    "collections",
    "dataclasses",
    "datetime",
    "functools",
    "itertools",
    "json",
    "math",
    "pathlib",
    "re",
    "typing",
    "unicodedata",
];

/// What code for the system's Python may import: pure computation, formats, and the modules whose reach
/// is the cell's to bound (`os`, `socket`, `urllib.request`, …). Not here: whatever runs or loads other
/// code (`subprocess`, `multiprocessing`, `ctypes`, `importlib`, `pickle`, `threading`, `builtins`, …).
pub const CPYTHON_MODULES: &[&str] = &[
    "__future__",
    "abc",
    "argparse",
    "base64",
    "binascii",
    "bisect",
    "calendar",
    "collections",
    "colorsys",
    "configparser",
    "contextlib",
    "copy",
    "csv",
    "dataclasses",
    "datetime",
    "decimal",
    "difflib",
    "email",
    "enum",
    "errno",
    "fnmatch",
    "fractions",
    "functools",
    "glob",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "locale",
    "math",
    "mimetypes",
    "numbers",
    "operator",
    "os",
    "pathlib",
    "posixpath",
    "pprint",
    "random",
    "re",
    "secrets",
    "shlex",
    "shutil",
    "socket",
    "ssl",
    "statistics",
    "string",
    "struct",
    "sys",
    "tarfile",
    "tempfile",
    "textwrap",
    "time",
    "tomllib",
    "typing",
    "unicodedata",
    "urllib.error",
    "urllib.parse",
    "urllib.request",
    "uuid",
    "warnings",
    "xml.etree.ElementTree",
    "zipfile",
    "zlib",
    "zoneinfo",
];

/// Names inside allowed modules that lead out of the list, or to code by name.
const WAYS_OUT: &[&str] = &[
    "_current_frames",
    "_getframe",
    "attrgetter",
    "builtins",
    "ctypes",
    "eval",
    "exec",
    "get_type_hints",
    "importlib",
    "linecache",
    "meta_path",
    "methodcaller",
    "modules",
    "multiprocessing",
    "path_hooks",
    "pickle",
    "setprofile",
    "settrace",
    "subprocess",
    "sys",
    "threading",
    "types",
];

/// True when `module`, or a package it belongs to, is on the list of `runtime`.
pub(super) fn allowed(module: &str, runtime: Runtime) -> bool {
    let list = match runtime {
        Runtime::Native => return false,
        Runtime::Python => PYTHON_MODULES,
        Runtime::Cpython => CPYTHON_MODULES,
    };
    list.iter()
        .any(|entry| module.strip_prefix(entry).is_some_and(|rest| rest.is_empty() || rest.starts_with('.')))
}

/// True when `name`, taken from a module, leads out of the list.
pub(super) fn way_out(name: &str) -> bool {
    WAYS_OUT.contains(&name)
}
