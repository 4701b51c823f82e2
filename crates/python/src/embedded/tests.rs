#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;
use crate::testing::World;
use metnos_executor::ErrorClass;
use serde_json::json;
use std::time::Duration;

const EXAMPLE: &str = include_str!("../../tests/data/invoices.py");

fn tight() -> Bounds {
    Bounds { memory_bytes: 32 << 20, duration: Duration::from_secs(2), ..Bounds::default() }
}

/// Runs the body of `run`.
fn body(body: &str) -> Result<Value, Failure> {
    body_in(body, &mut World::with(&[("/w/a.txt", "hello"), ("/w/b.txt", "b")]))
}

fn body_in(body: &str, world: &mut World) -> Result<Value, Failure> {
    run(&function(body), &json!({"n": 3}), world, tight())
}

fn function(body: &str) -> String {
    let lines: String = body.lines().map(|line| format!("    {line}\n")).collect();
    format!("def run(args, ctx):\n{lines}")
}

fn limit_of(result: Result<Value, Failure>) -> (ErrorClass, String) {
    let failure = result.unwrap_err();
    (failure.class, failure.limit.unwrap_or_else(|| failure.message.clone()))
}

#[test]
fn an_executor_of_sixty_lines_runs() {
    let mut world = World::with(&[
        ("/w/jan.txt", "Invoice 2026-01-10 ACME 120.50 EUR\nnoise\nInvoice 2026-01-31 Beta 80 EUR\n"),
        ("/w/feb.txt", "Invoice 2026-02-05 ACME 30.25 EUR\nInvoice 2026-02-30 Broken 1 EUR\n"),
    ]);
    let args = json!({"folder": "/w", "after": "2026-01-15"});
    let got = run(EXAMPLE, &args, &mut world, Bounds::default()).unwrap();
    assert_eq!(
        got,
        json!({
            "entries": [
                {"customer": "Beta", "date": "2026-01-31", "cents": 8000, "due": "2026-03-02", "weekday": "Sat"},
                {"customer": "ACME", "date": "2026-02-05", "cents": 3025, "due": "2026-03-07", "weekday": "Thu"},
            ],
            "totals": {"ACME": 3025, "Beta": 8000},
            "failed": ["/w/feb.txt: 2026-02-30"],
            "ok_count": 2,
        })
    );
    assert_eq!(world.done.last(), Some(&(2, Some(2))));
    assert_eq!(world.log, ["2 files"]);
}

#[test]
fn every_ctx_call_reaches_the_host() {
    let mut world = World::with(&[("/w/a.txt", "hello")]);
    let got = body_in(
        r#"ctx.write_text(path="/w/new.txt", text="made")
ctx.progress(1)
ctx.progress(2, total=3)
ctx.log("note")
print("printed", 1)
read = ctx.read_text
return {
    "text": read("/w/new.txt"),
    "bytes": list(ctx.read_bytes("/w/a.txt")[:2]),
    "dir": [e["name"] for e in ctx.list_dir("/w")],
    "again": ctx.read_text(ctx.list_dir("/w")[0]),
    "stat": ctx.stat("/w/a.txt"),
    "now": ctx.now(),
    "page": ctx.fetch("https://example.org/")["text"],
    "has": [hasattr(ctx, "fetch"), hasattr(ctx, "system")],
}"#,
        &mut world,
    );
    assert_eq!(
        got.unwrap(),
        json!({
            "text": "made", "bytes": [104, 101], "dir": ["a.txt", "new.txt"], "again": "hello",
            "stat": {"kind": "file", "size": 5, "mtime": "2026-01-02T03:04:05+00:00"},
            "now": "2026-11-15T08:00:00+01:00", "page": "page", "has": [true, false],
        })
    );
    assert_eq!(world.done, [(1, None), (2, Some(3))]);
    assert_eq!(world.log, ["note", "printed 1"]);
}

#[test]
fn failures_of_the_host_can_be_caught() {
    let got = body(
        r#"seen = []
for path in ["/w/none", "/etc/passwd"]:
    try:
        ctx.read_text(path)
    except FileNotFoundError as e:
        seen.append("absent " + str(e))
    except PermissionError as e:
        seen.append("refused " + str(e))
try:
    ctx.write_text("/w/a.txt", "x")
except OSError as e:
    seen.append("os " + str(e))
try:
    ctx.read_text(5)
except TypeError as e:
    seen.append("type")
return {"seen": seen}"#,
    );
    let seen = ["absent /w/none", "refused /etc/passwd is outside", "os /w/a.txt", "type"];
    assert_eq!(got.unwrap(), json!({"seen": seen}));
}

#[test]
fn a_failure_nobody_catches_keeps_its_class_and_says_the_line() {
    let failure = body("x = 1\nreturn ctx.read_text('/etc/passwd')").unwrap_err();
    assert_eq!(failure.class, ErrorClass::PolicyViolation);
    assert_eq!(failure.message, "PermissionError: /etc/passwd is outside (line 3)");
    let failure = body("x = {}\nreturn x['k']").unwrap_err();
    assert_eq!((failure.class, failure.message.as_str()), (ErrorClass::Internal, "KeyError: k (line 3)"));
    let failure = body("raise FileNotFoundError('mine')").unwrap_err();
    assert_eq!(failure.class, ErrorClass::NotFound);
    let failure = body("ctx.fail('unsupported_format', 'not a bill')").unwrap_err();
    assert_eq!((failure.class, failure.message.as_str()), (ErrorClass::UnsupportedFormat, "not a bill"));
}

#[test]
fn a_stop_cannot_be_caught() {
    let mut world = World { stop: true, ..World::default() };
    let code = "while True:\n    try:\n        ctx.progress(1)\n    except BaseException:\n        pass\n    finally:\n        pass";
    assert_eq!(body_in(code, &mut world).unwrap_err().class, ErrorClass::Cancelled);
}

#[test]
fn the_world_is_reached_through_ctx_only() {
    for code in [
        "return {'x': open('/w/a.txt').read()}",
        "import pathlib\nreturn {'x': pathlib.Path('/w/a.txt').read_text()}",
        "import datetime\nreturn {'x': str(datetime.datetime.now())}",
        "import datetime\nreturn {'x': str(datetime.date.today())}",
    ] {
        let failure = body(code).unwrap_err();
        assert_eq!(failure.class, ErrorClass::PermissionDenied, "{code}: {failure}");
        assert!(failure.message.contains("use ctx"), "{failure}");
    }
}

#[test]
fn loops_end_with_the_limit_of_steps() {
    for code in [
        "while True: pass",
        "while True:\n    try:\n        while True: pass\n    except BaseException:\n        pass",
        "n = 0\nfor i in range(10 ** 15): n += i",
        "sum(range(10 ** 15))",
        "import itertools\nfor i in itertools.count(): pass",
        "sorted([3, 1, 2] * 10, key=lambda x: [i for i in range(10 ** 12) if i < 0])",
    ] {
        let code = function(code);
        let bounds = Bounds { duration: Duration::from_millis(200), ..tight() };
        let got = run(&code, &json!({}), &mut World::default(), bounds);
        assert_eq!(limit_of(got), (ErrorClass::LimitExceeded, "steps".into()), "{code}");
    }
}

#[test]
fn memory_bombs_end_with_the_limit_of_memory() {
    for code in [
        "x = []\nwhile True: x.append('a' * 1000)",
        "x = [0]\nwhile True: x = x + x",
        "x = [0]\nwhile True: x.extend(x)",
        "x = 'a'\nwhile True: x = x * 2",
        "x = 'a' * 10 ** 12",
        "x = b'a' * 10 ** 12",
        "x = [0] * 10 ** 12",
        "x = (0,) * 10 ** 12",
        "x = 2 ** 10 ** 10",
        "x = 1 << 10 ** 11",
        "import itertools\nany(x < 0 for x in itertools.count())",
        "x = {}\nn = 0\nwhile True:\n    x[n] = n\n    n += 1",
        "x = set()\nn = 0\nwhile True:\n    x.add(n)\n    n += 1",
        "x = list(range(10 ** 10))",
        "x = ' '.join(['a' * 1000] * 10 ** 6)",
        "x = 'a'.ljust(10 ** 12)",
        "x = 'aa'.replace('a', 'b' * 10 ** 7) * 100",
        "x = f'{1:{10 ** 12}}'",
        "x = bytes(10 ** 12)",
        "x = []\nwhile True: x = [x, x, 'a' * 1000]",
        "import json\nx = json.loads('[' + '0,' * 10 ** 7 + '0]')",
    ] {
        let (class, limit) = limit_of(body(code));
        assert_eq!((class, limit.as_str()), (ErrorClass::LimitExceeded, "memory"), "{code}");
    }
    // Either limit may come first: these are slow before they are large.
    for code in ["x = 10\nwhile True: x = x * x", "import re\nx = re.sub('a', 'b' * 10 ** 6, 'a' * 10 ** 6)"]
    {
        assert_eq!(limit_of(body(code)).0, ErrorClass::LimitExceeded, "{code}");
    }
}

#[test]
fn deep_recursion_ends_with_its_limit() {
    for code in [
        "def f(n): return f(n + 1)\nreturn f(0)",
        "f = lambda n: f(n + 1)\nreturn f(0)",
        "class A:\n    def __repr__(self): return repr(self)\nreturn {'x': repr(A())}",
        "class A:\n    def __eq__(self, o): return self == o\nreturn {'x': A() == A()}",
    ] {
        let got = body(code);
        assert_eq!(limit_of(got), (ErrorClass::LimitExceeded, "recursion".into()), "{code}");
    }
    let code = "def f(n):\n    try:\n        return f(n + 1)\n    except RecursionError:\n        return n\nreturn {'deep': f(0) > 100}";
    assert_eq!(body(code).unwrap(), json!({"deep": true}));
}

#[test]
fn answers_are_bounded() {
    let bounds = Bounds { output_bytes: 1000, ..tight() };
    let answer = |code: &str| run(&function(code), &json!({}), &mut World::default(), bounds);
    assert_eq!(limit_of(answer("return {'x': 'a' * 2000}")), (ErrorClass::LimitExceeded, "output".into()));
    assert!(answer("return {'x': 'a' * 900}").is_ok());
    // A few hundred bytes of Python that unfold into more than any memory.
    let unfold = "x = [0]\nfor i in range(60): x = [x, x]\nreturn {'x': x}";
    assert_eq!(limit_of(answer(unfold)), (ErrorClass::LimitExceeded, "output".into()));
    // Names of the executor's own do not disturb the measuring.
    let code = "def len(x): return 0\nstr = dict = isinstance = None\ndef run(args, ctx):\n    return {'x': 'a' * 2000}\n";
    let got = run(code, &json!({}), &mut World::default(), bounds);
    assert_eq!(limit_of(got), (ErrorClass::LimitExceeded, "output".into()));
    let calls = Bounds { calls: 10, ..tight() };
    let got = run(&function("while True: ctx.now()"), &json!({}), &mut World::default(), calls);
    assert_eq!(limit_of(got), (ErrorClass::LimitExceeded, "calls".into()));
}

#[test]
fn what_json_cannot_carry_is_said() {
    for (code, said) in [
        ("return {'x': [1, 2 ** 70]}", "answer.x[1] is an int that does not fit in 64 bits"),
        ("return {'x': float('nan')}", "answer.x is a float that is not finite"),
        ("return {'x': {'y': float('-inf')}}", "answer.x.y is a float that is not finite"),
        ("return {1: 2}", "the answer has a key of type int"),
        ("return {'x': {None: 2}}", "the answer has a key of type NoneType"),
        ("return {'x': {1, 2}}", "the answer holds a value of type set, which JSON cannot carry"),
        (
            "x = []\nx.append(x)\nreturn {'x': x}",
            "the answer contains itself or is nested deeper than 100 levels",
        ),
        ("return [1]", "run must return a dict, not list"),
        ("pass", "run must return a dict, not NoneType"),
    ] {
        let failure = body(code).unwrap_err();
        assert_eq!((failure.class, failure.message.as_str()), (ErrorClass::Internal, said), "{code}");
    }
    for code in [
        "x = []\nx.append(x)\nreturn {'x': x}",
        "x = {}\nx['x'] = x\nreturn x",
        "return {(1, 2): 3}",
        "return {'x': {1, 2}}",
        "return {'x': b'a'}",
        "import datetime\nreturn {'x': datetime.date(2026, 1, 1)}",
        "class A: pass\nreturn {'x': A()}",
        "return {'x': ctx}",
        "return {'x': run}",
        "x = 1\nfor i in range(150): x = [x]\nreturn {'x': x}",
        "x = []\nfor i in range(100000): x = [x]\nreturn {'x': x}",
        "import collections\nreturn {'x': collections.deque([1])}",
    ] {
        let failure = body(code).unwrap_err();
        assert_eq!(failure.class, ErrorClass::Internal, "{code}: {failure}");
    }
}

#[test]
fn arguments_arrive_as_they_were() {
    let args = json!({
        "s": "è\n\u{0}", "i": i64::MIN, "u": u64::MAX, "f": 1.5, "t": true, "n": null, "l": [1, [2]], "d": {"": {}},
    });
    let got = run("def run(args, ctx):\n    return args\n", &args, &mut World::default(), tight());
    assert_eq!(got.unwrap(), args);
    let mut deep = json!(1);
    for _ in 0..200 {
        deep = json!([deep]);
    }
    let got = run("def run(args, ctx):\n    return {}\n", &deep, &mut World::default(), tight());
    assert_eq!(got.unwrap_err().class, ErrorClass::WrongArgs);
}

#[test]
fn code_that_breaks_the_rule_does_not_run() {
    let failure = run("eval('1')\n", &json!({}), &mut World::default(), tight()).unwrap_err();
    assert_eq!(failure.class, ErrorClass::PolicyViolation);
    assert!(failure.message.contains("line 1, column 1: eval is not allowed"), "{failure}");
}

#[test]
fn names_of_ctx_methods_mean_nothing_on_their_own() {
    for code in ["return {'x': now()}", "return {'x': read_text('/w/a.txt')}", "return {'x': nothing}"] {
        let failure = body(code).unwrap_err();
        assert!(failure.message.starts_with("NameError"), "{code}: {failure}");
    }
}

#[test]
fn runs_leave_nothing_behind() {
    let code = "seen = []\ndef run(args, ctx):\n    seen.append(1)\n    return {'n': len(seen)}\n";
    for _ in 0..3 {
        assert_eq!(run(code, &json!({}), &mut World::default(), tight()).unwrap(), json!({"n": 1}));
    }
}

/// Not a test of its own: the next one runs it in a process that may die.
#[test]
#[ignore = "ends its process"]
fn allocate_behind_the_limit() {
    let _ = body("import json\nx = [0]\nfor i in range(60): x = [x, x]\nreturn {'n': len(json.dumps(x))}");
}

#[test]
fn what_escapes_the_limit_of_memory_ends_the_process() {
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "embedded::tests::allocate_behind_the_limit", "--ignored"])
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(crate::OOM_EXIT_CODE));
}
