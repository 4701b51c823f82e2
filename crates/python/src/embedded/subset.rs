//! What of Python the embedded interpreter has, row by row: the table of `docs/python.md`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use crate::testing::World;
use crate::{Bounds, Runtime, check, embedded};
use serde_json::{Value, json};

/// Runs a body whose answer is `{"x": …}`.
fn value(body: &str) -> Result<Value, String> {
    let code = function(body);
    match embedded::run(&code, &json!({}), &mut World::default(), Bounds::default()) {
        Ok(answer) => Ok(answer["x"].clone()),
        Err(failure) => Err(failure.message),
    }
}

fn function(body: &str) -> String {
    let lines: String = body.lines().map(|line| format!("    {line}\n")).collect();
    format!("def run(args, ctx):\n{lines}")
}

#[test]
fn this_works() {
    let rows: Vec<(&str, &str, Value)> = vec![
        (
            "class",
            "class A:\n    k = 2\n    def __init__(self, n): self.n = n\n    def twice(self): return self.n * self.k\nreturn {'x': A(3).twice()}",
            json!(6),
        ),
        (
            "dunder methods",
            "class A:\n    def __init__(self, n): self.n = n\n    def __eq__(self, o): return self.n == o.n\n    def __repr__(self): return f'A{self.n}'\nreturn {'x': [A(1) == A(1), repr(A(2))]}",
            json!([true, "A2"]),
        ),
        (
            "dataclass",
            "from dataclasses import dataclass\n@dataclass\nclass P:\n    a: int\n    b: str = 'd'\nreturn {'x': [P(1) == P(1), P(2).b, repr(P(3))]}",
            json!([true, "d", "P(a=3, b='d')"]),
        ),
        (
            "frozen dataclass",
            "from dataclasses import dataclass\n@dataclass(frozen=True)\nclass P:\n    a: int\nreturn {'x': {P(1): 'k'}[P(1)]}",
            json!("k"),
        ),
        (
            "try, except, else, finally",
            "x = []\ntry:\n    x.append(1)\nexcept (KeyError, ValueError):\n    x.append(2)\nelse:\n    x.append(3)\nfinally:\n    x.append(4)\nreturn {'x': x}",
            json!([1, 3, 4]),
        ),
        (
            "raise from",
            "try:\n    try:\n        {}['a']\n    except KeyError as e:\n        raise ValueError('v') from e\nexcept ValueError as e:\n    return {'x': str(e)}",
            json!("v"),
        ),
        (
            "closures, nonlocal",
            "n = 0\ndef inc():\n    nonlocal n\n    n += 1\n    return n\ninc()\nreturn {'x': inc()}",
            json!(2),
        ),
        (
            "lambda, *args, **kwargs",
            "f = lambda *a, **k: [list(a), k]\nreturn {'x': f(1, 2, b=3)}",
            json!([[1, 2], {"b": 3}]),
        ),
        (
            "keyword-only, defaults",
            "def f(a, /, b=2, *, c): return a + b + c\nreturn {'x': f(1, c=3)}",
            json!(6),
        ),
        (
            "decorators",
            "def twice(f): return lambda n: f(f(n))\n@twice\ndef inc(n): return n + 1\nreturn {'x': inc(1)}",
            json!(3),
        ),
        (
            "comprehensions",
            "return {'x': [[i * 2 for i in range(3) if i], sorted({i % 2 for i in range(4)}), {str(i): i for i in range(2)}]}",
            json!([[2, 4], [0, 1], {"0": 0, "1": 1}]),
        ),
        ("generator expressions", "return {'x': sum(i * i for i in range(4))}", json!(14)),
        (
            "unpacking",
            "a, *b = [1, 2, 3]\nc = {**{'k': 1}, 'l': 2}\nreturn {'x': [a, b, [*b, 9], c]}",
            json!([1, [2, 3], [2, 3, 9], {"k": 1, "l": 2}]),
        ),
        (
            "walrus, ternary, chained comparison",
            "return {'x': [(y := 3) + y, 1 if y > 2 else 0, 1 < y <= 3]}",
            json!([6, 1, true]),
        ),
        (
            "f-strings",
            "n = 3.14159\nreturn {'x': [f'{n:.2f}', f'{1234567:,}', f'{\"a\":>3}', f'{n!r}']}",
            json!(["3.14", "1,234,567", "  a", "3.14159"]),
        ),
        (
            "str methods",
            "return {'x': [' a b '.split(), 'a,b'.partition(','), 'x'.join('ab'), 'Ab'.lower(), 'ab'.startswith('a'), 'a-b'.replace('-', '+')]}",
            json!([["a", "b"], ["a", ",", "b"], "axb", "ab", true, "a+b"]),
        ),
        ("str.format", "return {'x': '{} {k:>3}'.format(1, k=2)}", json!("1   2")),
        ("slices", "l = list(range(4))\nreturn {'x': [l[::-1], 'abc'[-2:]]}", json!([[3, 2, 1, 0], "bc"])),
        (
            "with",
            "class C:\n    def __enter__(self): return 5\n    def __exit__(self, *a): return True\nwith C() as c:\n    raise ValueError\nreturn {'x': c}",
            json!(5),
        ),
        (
            "while, for, else, break, continue",
            "for i in range(3):\n    if i == 5: break\nelse:\n    i = 'all'\nreturn {'x': i}",
            json!("all"),
        ),
        (
            "assert",
            "try:\n    assert 1 == 2, 'no'\nexcept AssertionError as e:\n    return {'x': 'no' in str(e)}",
            json!(true),
        ),
        (
            "sorted, min, max, zip, enumerate, map, filter, any, all",
            "return {'x': [sorted([3, 1], reverse=True), max([1, 2], key=lambda n: -n), list(zip([1], [2])), list(enumerate('a')), list(map(str, [1])), list(filter(None, [0, 1])), any([0]), all([])]}",
            json!([[3, 1], 1, [[1, 2]], [[0, "a"]], ["1"], [1], false, true]),
        ),
        ("big ints", "return {'x': str(2 ** 100)}", json!("1267650600228229401496703205376")),
        ("sets", "return {'x': sorted({1, 2} | {3} & {3})}", json!([1, 2, 3])),
        (
            "bytes",
            "return {'x': [b'ab'.hex(), 'è'.encode('utf-8').decode(), list(b'a')]}",
            json!(["6162", "è", [97]]),
        ),
        (
            "isinstance, type",
            "return {'x': [isinstance(1, (int, str)), type('').__name__]}",
            json!([true, "str"]),
        ),
        (
            "type hints",
            "def f(a: list[int], b: 'str | None' = None) -> dict: return a\nreturn {'x': f([1])}",
            json!([1]),
        ),
        (
            "json",
            "import json\nreturn {'x': [json.loads('{\"a\": [1.5, null]}'), json.dumps({'b': 'è'}, indent=None)]}",
            json!([{"a": [1.5, null]}, "{\"b\": \"\\u00e8\"}"]),
        ),
        (
            "re",
            "import re\nm = re.search(r'(?P<y>\\d{4})-(\\d\\d)', 'on 2026-11-15')\nreturn {'x': [m.group('y'), m[2], re.findall(r'\\w+', 'a b'), re.sub(r'(a)', r'<\\1>', 'ab'), re.split(r'[,;]\\s*', 'a, b;c'), bool(re.fullmatch('A', 'a', re.IGNORECASE))]}",
            json!(["2026", "11", ["a", "b"], "<a>b", ["a", "b", "c"], true]),
        ),
        (
            "re.finditer",
            "import re\nreturn {'x': [m.start() for m in re.finditer('a', 'aba')]}",
            json!([0, 2]),
        ),
        (
            "datetime",
            "from datetime import date, datetime, timedelta, timezone\nd = datetime.fromisoformat('2026-11-15T08:00:00+01:00')\nreturn {'x': [(date(2026, 3, 1) - timedelta(days=1)).isoformat(), d.isoformat(), d.strftime('%d/%m/%Y %H:%M'), datetime.strptime('15/11/2026', '%d/%m/%Y').weekday(), (date(2026, 3, 1) - date(2026, 2, 1)).days]}",
            json!(["2026-02-28", "2026-11-15T08:00:00+01:00", "15/11/2026 08:00", 6, 28]),
        ),
        (
            "collections",
            "from collections import Counter, defaultdict, deque, namedtuple\nd = defaultdict(list)\nd['a'].append(1)\nP = namedtuple('P', ['a', 'b'])\nq = deque([1, 2], maxlen=2)\nq.append(3)\nreturn {'x': [Counter('aab').most_common(1), dict(d), P(1, 2).b, list(q)]}",
            json!([[["a", 2]], {"a": [1]}, 2, [2, 3]]),
        ),
        (
            "itertools",
            "import itertools\nreturn {'x': [list(itertools.chain([1], [2])), list(itertools.islice(itertools.count(), 2)), list(itertools.accumulate([1, 2])), list(itertools.zip_longest([1], [2, 3]))]}",
            json!([[1, 2], [0, 1], [1, 3], [[1, 2], [null, 3]]]),
        ),
        (
            "functools",
            "from functools import reduce, partial\nreturn {'x': [reduce(lambda a, b: a + b, [1, 2, 3]), partial(max, 5)(3)]}",
            json!([6, 5]),
        ),
        (
            "math",
            "import math\nreturn {'x': [math.floor(2.5), math.sqrt(9), math.gcd(4, 6), math.isclose(0.1 + 0.2, 0.3)]}",
            json!([2, 3.0, 2, true]),
        ),
        (
            "base64, binascii, unicodedata",
            "import base64, binascii, unicodedata\nreturn {'x': [base64.b64encode(b'a').decode(), binascii.crc32(b'a'), unicodedata.normalize('NFD', 'è')[0]]}",
            json!(["YQ==", 3904355907u32, "e"]),
        ),
        (
            "pathlib, the names only",
            "from pathlib import Path\np = Path('/w') / 'a.tar.gz'\nreturn {'x': [p.name, p.suffix, p.stem, str(p.parent)]}",
            json!(["a.tar.gz", ".gz", "a.tar", "/w"]),
        ),
        (
            "typing",
            "from typing import Optional, Any\ndef f(a: Optional[int]) -> Any: return a\nreturn {'x': f(1)}",
            json!(1),
        ),
    ];
    let wrong: Vec<String> = rows
        .into_iter()
        .filter_map(|(name, body, expected)| match value(body) {
            Ok(got) if got == expected => None,
            got => Some(format!("{name}: {got:?}")),
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn this_is_refused_before_it_runs() {
    let rows = [
        ("yield", "def g():\n    yield 1\nreturn {'x': list(g())}"),
        ("match", "match 1:\n    case 1: return {'x': 1}"),
        ("type alias", "type A = int\nreturn {'x': 1}"),
        ("complex numbers", "return {'x': str(1j)}"),
        ("async for", "async def f():\n    async for i in []: pass\nreturn {'x': 1}"),
        ("several base classes", "class A: pass\nclass B: pass\nclass C(A, B): pass\nreturn {'x': 1}"),
        ("inheritance", "class A: pass\nclass B(A): pass\nreturn {'x': 1}"),
        ("own exceptions", "class E(Exception): pass\nreturn {'x': 1}"),
        ("property", "class A:\n    @property\n    def n(self): return 7\nreturn {'x': 1}"),
        ("classmethod", "class A:\n    @classmethod\n    def n(cls): return 7\nreturn {'x': 1}"),
        ("del", "d = {'a': 1}\ndel d['a']\nreturn {'x': d}"),
        ("metaclass", "class A(metaclass=type): pass\nreturn {'x': 1}"),
    ];
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(name, body)| match check(&function(body), Runtime::Python) {
            Err(found) if found[0].rule == "unsupported" => None,
            got => Some(format!("{name}: {got:?}")),
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn this_passes_the_check_and_fails_when_it_runs() {
    let rows = [
        ("percent format", "return {'x': '%s' % ('a',)}", "TypeError"),
        ("assignment to a slice", "l = [1, 2]\nl[0:1] = [9]\nreturn {'x': l}", "TypeError"),
        ("dataclasses.field, asdict", "from dataclasses import field\nreturn {'x': 1}", "ImportError"),
        (
            "datetime.astimezone",
            "import datetime as d\nreturn {'x': str(d.datetime(2026, 1, 1, tzinfo=d.timezone.utc).astimezone(d.timezone.utc))}",
            "AttributeError",
        ),
        ("a function in re.sub", "import re\nreturn {'x': re.sub('a', lambda m: 'b', 'a')}", "TypeError"),
        ("callable", "return {'x': callable(len)}", "NameError"),
    ];
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(name, body, kind)| match value(body) {
            Err(message) if message.starts_with(kind) => None,
            got => Some(format!("{name}: {got:?}")),
        })
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
