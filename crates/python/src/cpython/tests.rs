#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;
use crate::testing::World;
use std::process::{Command, Stdio};
use std::time::Duration;

const EXAMPLE: &str = include_str!("../../tests/data/invoices.py");

fn tight() -> Bounds {
    Bounds { memory_bytes: 64 << 20, duration: Duration::from_secs(2), ..Bounds::default() }
}

fn start() -> Child {
    let argv = command();
    Command::new(argv[0])
        .args(&argv[1..])
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

fn go(code: &str, args: &Value, world: &mut World, bounds: Bounds) -> Result<Value, Failure> {
    run_child(&mut start(), code, args, world, bounds)
}

fn body_in(body: &str, world: &mut World) -> Result<Value, Failure> {
    let lines: String = body.lines().map(|line| format!("    {line}\n")).collect();
    go(&format!("import os, sys, time\ndef run(args, ctx):\n{lines}"), &json!({}), world, tight())
}

fn body(body: &str) -> Result<Value, Failure> {
    body_in(body, &mut World::with(&[("/w/a.txt", "hello")]))
}

fn limit_of(result: Result<Value, Failure>) -> (ErrorClass, Option<String>) {
    let failure = result.unwrap_err();
    (failure.class, failure.limit)
}

#[test]
fn both_runtimes_answer_the_same_for_the_same_executor() {
    let files = [
        ("/w/jan.txt", "Invoice 2026-01-10 ACME 120.50 EUR\nnoise\nInvoice 2026-01-31 Beta 80 EUR\n"),
        ("/w/feb.txt", "Invoice 2026-02-05 ACME 30.25 EUR\nInvoice 2026-02-30 Broken 1 EUR\n"),
    ];
    let args = json!({"folder": "/w", "after": "2026-01-15"});
    let (mut one, mut two) = (World::with(&files), World::with(&files));
    let there = go(EXAMPLE, &args, &mut one, Bounds::default()).unwrap();
    let here = crate::embedded::run(EXAMPLE, &args, &mut two, Bounds::default()).unwrap();
    assert_eq!(there, here);
    assert_eq!((one.done, one.log), (two.done, two.log));
}

#[test]
fn every_ctx_call_reaches_the_host() {
    let mut world = World::with(&[("/w/a.txt", "hello")]);
    let got = body_in(
        r#"import pathlib
ctx.write_text(path="/w/new.txt", text="made")
ctx.progress(1)
ctx.progress(2, total=3)
ctx.log("note")
print("printed", 1)
sys.stderr.write("also\n")
return {
    "text": ctx.read_text(pathlib.Path("/w") / "new.txt"),
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
    assert_eq!(world.log, ["note", "printed 1", "also"]);
}

#[test]
fn failures_of_the_host_can_be_caught_and_keep_their_class_when_not() {
    let got = body(
        r#"seen = []
for path in ["/w/none", "/etc/passwd", b"/w/\xe9", 5]:
    try:
        ctx.read_text(path)
    except (OSError, TypeError) as e:
        seen.append(type(e).__name__)
return {"seen": seen}"#,
    );
    let seen = ["FileNotFoundError", "PermissionError", "FileNotFoundError", "TypeError"];
    assert_eq!(got.unwrap(), json!({"seen": seen}));
    let failure = body("x = 1\nreturn ctx.read_text('/etc/passwd')").unwrap_err();
    assert_eq!(failure.class, ErrorClass::PolicyViolation);
    assert_eq!(failure.message, "PermissionError: /etc/passwd is outside (line 4)");
    let failure = body("return {'x': open('/nowhere').read()}").unwrap_err();
    assert_eq!(failure.class, ErrorClass::NotFound);
    let failure = body("return {}['k']").unwrap_err();
    assert_eq!((failure.class, failure.message.as_str()), (ErrorClass::Internal, "KeyError: 'k' (line 3)"));
    let failure = body("ctx.fail('unsupported_format', 'not a bill')").unwrap_err();
    assert_eq!((failure.class, failure.message.as_str()), (ErrorClass::UnsupportedFormat, "not a bill"));
}

#[test]
fn a_stop_cannot_be_caught() {
    let mut world = World { stop: true, ..World::default() };
    let code = "while True:\n    try:\n        ctx.progress(1)\n    except BaseException:\n        pass";
    assert_eq!(body_in(code, &mut world).unwrap_err().class, ErrorClass::Cancelled);
}

#[test]
fn limits_end_it_with_their_name() {
    let over = |name: &str| (ErrorClass::LimitExceeded, Some(name.to_owned()));
    assert_eq!(limit_of(body("while True: pass")), over("cpu"));
    assert_eq!(limit_of(body("x = []\nwhile True: x.append('a' * 10 ** 6)")), over("memory"));
    assert_eq!(limit_of(body("x = 'a' * 10 ** 10")), over("memory"));
    assert_eq!(limit_of(body("f = lambda: f()\nf()")), over("recursion"));
    assert_eq!(limit_of(body("return {'x': 'a' * (5 << 20)}")), over("output"));
    assert_eq!(
        limit_of(body("x = [0]\nfor i in range(60): x = [x, x]\nreturn {'x': x}")).0,
        ErrorClass::LimitExceeded
    );
    assert_eq!(limit_of(body("ctx.log('a' * (9 << 20))")), over("output"));
    assert_eq!(limit_of(body("os.kill(os.getpid(), 9)")), over("memory"));
    assert_eq!(limit_of(body("os.kill(os.getpid(), 24)")), over("cpu"));
    let calls = Bounds { calls: 10, ..tight() };
    let code = "def run(args, ctx):\n    while True: ctx.now()\n";
    assert_eq!(limit_of(go(code, &json!({}), &mut World::default(), calls)), over("calls"));
}

#[test]
fn what_json_cannot_carry_is_said() {
    for (code, said) in [
        ("return {'x': [1, 2 ** 70]}", "answer.x[1] is an int that does not fit in 64 bits"),
        ("return {'x': float('nan')}", "answer.x is a float that is not finite"),
        ("return {1: 2}", "answer is a dict with a key that is of type int"),
        ("return {'x': {1, 2}}", "answer.x is of type set, which JSON cannot carry"),
        ("return {'x': '\\udce9'}", "answer.x is a str that is not valid Unicode"),
        ("x = []\nx.append(x)\nreturn {'x': x}", "the value is nested deeper than 100"),
        ("return [1]", "run must return a dict, not list"),
    ] {
        let failure = body(code).unwrap_err();
        assert_eq!((failure.class, failure.message.as_str()), (ErrorClass::Internal, said), "{code}");
    }
}

#[test]
fn noise_on_the_standard_streams_is_not_an_answer() {
    assert_eq!(
        body("print('{\"answer\": {}}')\nos.write(1, b'{}\\n')\nreturn {'x': 1}").unwrap(),
        json!({"x": 1})
    );
    assert_eq!(body("return {'x': sys.stdin.read()}").unwrap(), json!({"x": ""}));
    assert_eq!(body("print('a' * 10 ** 7)\nreturn {'x': 1}").unwrap(), json!({"x": 1}));
    let flood = "for i in range(100):\n    try: os.write(2, b'a' * 65536)\n    except BlockingIOError: pass\nreturn {'x': 1}";
    assert_eq!(body(flood).unwrap(), json!({"x": 1}));
}

#[test]
fn an_end_without_an_answer_is_explained() {
    let failure = body("os._exit(3)").unwrap_err();
    assert_eq!(
        (failure.class, failure.message.as_str()),
        (ErrorClass::Internal, "python ended with status 3 and no answer")
    );
    let failure = body("os.write(2, b'boom\\n')\nos.abort()").unwrap_err();
    assert_eq!(
        (failure.class, failure.message.as_str()),
        (ErrorClass::Internal, "python died of signal 6: boom")
    );
    let failure = body("os.kill(os.getpid(), 31)").unwrap_err();
    assert_eq!(failure.class, ErrorClass::PolicyViolation);
    // What the executor leaves running does not outlive its answer.
    let code = "import atexit\ndef run(args, ctx):\n    return {}\n";
    assert_eq!(
        go(code, &json!({}), &mut World::default(), tight()).unwrap_err().class,
        ErrorClass::PolicyViolation
    );
}

#[test]
fn garbage_from_the_child_is_a_defect_and_not_a_panic() {
    let code = "def run(args, ctx):\n    return {}\n";
    for bytes in [
        &b"hello\n"[..],
        b"{}\n",
        b"[]\n",
        b"{\"call\": 1}\n",
        b"{\"answer\": []}\n",
        b"{\"answer\": {}, \"said\": 1}\n",
        b"{\"call\": \"now\", \"args\": {}, \"kwargs\": []}\n",
        b"\xff\xfe\n",
        b"",
        b"{\"answer\"",
    ] {
        let io = ChildIo { from_child: bytes, to_child: std::io::sink() };
        let failure = run(io, code, &json!({}), &mut World::default(), tight()).unwrap_err();
        assert_eq!(failure.class, ErrorClass::Internal, "{}", String::from_utf8_lossy(bytes));
    }
    let endless = ChildIo { from_child: std::io::repeat(b'x'), to_child: std::io::sink() };
    let got = run(endless, code, &json!({}), &mut World::default(), tight());
    assert_eq!(limit_of(got), (ErrorClass::LimitExceeded, Some("output".into())));
}

#[test]
fn the_interpreter_is_bare() {
    let got = body(
        "return {'env': len(os.environ), 'path': [p for p in sys.path if 'packages' in p], 'flags': sys.flags.isolated}",
    );
    let got = got.unwrap();
    assert_eq!((&got["path"], &got["flags"]), (&json!([]), &json!(1)));
    let code = "if __name__ == '__main__':\n    raise SystemExit(1)\ndef run(args, ctx):\n    return args\n";
    let args = json!({"s": "è\n\u{0}", "u": u64::MAX, "f": 1.5, "n": null, "l": [[]]});
    assert_eq!(go(code, &args, &mut World::default(), tight()).unwrap(), args);
}
