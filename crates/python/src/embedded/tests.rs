#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;
use crate::testing::World;
use serde_json::json;

#[test]
fn hello() {
    let mut w = World::with(&[("/w/a.txt", "hi")]);
    let got = run("def run(args, ctx):\n    return {'a': args['x'] + 1, 't': ctx.read_text('/w/a.txt')}\n", &json!({"x": 1}), &mut w, Bounds::default());
    assert_eq!(got, Ok(json!({"a": 2, "t": "hi"})));
}
