#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;
use proptest::prelude::*;
use serde_json::json;

fn schema(source: Value) -> Schema {
    Schema::parse(&source).unwrap()
}

/// Both checkers must say the same, word for word.
fn said(schema: &Schema, value: Value) -> String {
    let tree = schema.check(&value);
    let text = schema.check_slice(value.to_string().as_bytes());
    assert_eq!(tree, text, "{value}");
    tree.map_or_else(|violation| violation.to_string(), |()| "ok".to_owned())
}

#[test]
fn violations_are_said_in_clear_words_with_a_pointer() {
    let find = schema(json!({"type": "object", "additionalProperties": false, "required": ["base_path"],
    "properties": {
        "base_path": {"type": "string", "format": "path"},
        "patterns": {"type": "array", "items": {"type": "string", "minLength": 2, "maxLength": 4}, "maxItems": 3},
        "max_results": {"type": "integer", "minimum": 0, "maximum": 10},
        "kind": {"type": ["string", "null"], "enum": ["image", "video", null]},
        "either": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "integer"}}]},
        "ratio": {"type": "number"}
    }}));
    let base = |key: &str, value: Value| {
        let mut all = json!({"base_path": "/x"});
        all[key] = value;
        said(&find, all)
    };
    assert_eq!(base("patterns", json!(["ab", "cd", 3])), "patterns/2: expected string, found number");
    assert_eq!(base("patterns", json!(["a"])), "patterns/0: has 1 characters, the minimum is 2");
    assert_eq!(base("patterns", json!(["èèèè"])), "ok");
    assert_eq!(base("patterns", json!(["èèèèè"])), "patterns/0: has 5 characters, the maximum is 4");
    assert_eq!(
        base("patterns", json!(["ab", "ab", "ab", 1])),
        "patterns: has more items than the maximum of 3"
    );
    assert_eq!(base("max_results", json!(11)), "max_results: 11 is above the maximum of 10");
    assert_eq!(base("max_results", json!(-1)), "max_results: -1 is below the minimum of 0");
    assert_eq!(
        base("max_results", json!(1.5)),
        "max_results: expected integer, found a number that is not whole"
    );
    assert_eq!(base("ratio", json!(1)), "ok");
    assert_eq!(base("kind", json!(null)), "ok");
    assert_eq!(base("kind", json!("sound")), "kind: \"sound\" is not one of \"image\", \"video\", null");
    assert_eq!(base("either", json!([1, "x"])), "either/1: expected integer, found string");
    assert!(base("either", json!(true)).starts_with("either: fits none of the alternatives"));
    assert_eq!(base("patern", json!([])), "patern: is not an argument or field; nearest: \"patterns\"");
    assert_eq!(said(&find, json!({})), "base_path is required");
    assert_eq!(said(&find, json!([])), "expected object, found array");
}

#[test]
fn a_path_is_text_or_base64_and_never_holds_a_nul() {
    let path = schema(json!({"type": "string", "format": "path", "maxLength": 8}));
    assert_eq!(said(&path, json!("/tmp")), "ok");
    assert_eq!(said(&path, json!({"path_b64": "L3RtcC//"})), "ok");
    assert_eq!(said(&path, json!("/a\0b")), "a path cannot hold a NUL byte");
    assert_eq!(
        said(&path, json!({"path_b64": "AAAA"})),
        "path_b64: a path cannot be empty or hold a NUL byte"
    );
    assert_eq!(said(&path, json!({"path_b64": "?"})), "path_b64: path_b64 is not base64");
    assert_eq!(
        said(&path, json!({"path_b64": "L3RtcC9hYmNkZWZnaGk="})),
        "path_b64: has 14 bytes, the maximum is 8"
    );
    assert_eq!(said(&path, json!({"path_b64": 3})), "path_b64: expected string, found number");
    for wrong in [json!({}), json!({"path": "/x"}), json!({"path_b64": "L3g=", "x": 1})] {
        assert!(said(&path, wrong).contains("a path is a string or"));
    }
    assert!(path.is_path() && path.holds_paths());
    assert!(schema(json!({"type": "array", "items": {"type": "string", "format": "path"}})).holds_paths());
}

#[test]
fn the_stream_refuses_what_a_tree_would_hide() {
    let any = schema(json!({"type": "object", "properties": {"a": {"type": "integer"}}}));
    let said = |text: &str| any.check_slice(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(said(r#"{"a":1,"a":2}"#), "a: is given twice");
    assert_eq!(said(r#"{"b":1,"\u0062":2}"#), "b: is given twice");
    let crowd: String = (0..100).map(|i| format!("\"k{i}\":0,")).collect();
    assert_eq!(said(&format!("{{{crowd}\"k77\":1}}")), "k77: is given twice");
    assert!(said(r#"{"a":1} x"#).starts_with("not JSON: trailing"));
    assert!(said("").starts_with("not JSON: EOF"));
    assert!(said("\u{1}").starts_with("not JSON"));
    assert!(any.check_slice(b"{\"a\xff\":1}").is_err());
    assert!(any.check_slice(b"{\"x\":1e999}").is_err());
    let nested = |n: usize| format!("{{\"b\":{}{}}}", "[".repeat(n), "]".repeat(n));
    assert!(any.check_slice(nested(63).as_bytes()).is_ok());
    assert!(said(&nested(64)).ends_with("nested deeper than 64 levels"));
    assert!(said(&"[".repeat(1 << 20)).contains("expected object"));
    let deep = schema(json!({"anyOf": [{"type": "array"}]}));
    assert!(deep.check_slice("[".repeat(1 << 20).as_bytes()).is_err());
}

#[test]
fn any_keyword_outside_the_subset_is_an_error_with_its_pointer() {
    let file = |input: Value| {
        let text = json!({"definitions": {"Input": input, "Output": {"type": "object"}}}).to_string();
        Schemas::parse(text.as_bytes()).map(|_| ()).map_err(|e| e.to_string())
    };
    let closed = |properties: Value| json!({"type": "object", "additionalProperties": false, "properties": properties});
    assert_eq!(file(closed(json!({}))), Ok(()));
    for (properties, expected) in [
        (
            json!({"a": {"maxLenght": 3}}),
            "a: \"maxLenght\" is not a keyword of the subset; nearest: \"maxLength\"",
        ),
        (json!({"a": {"$ref": "x"}}), "a: \"$ref\" is not a keyword of the subset"),
        (json!({"a": {"type": "strin"}}), "a: \"strin\" is not a type; nearest: \"string\""),
        (json!({"a": {"items": 3}}), "a/items: expected object, found number"),
        (json!({"a": {"format": "date"}}), "a: the only format is \"path\""),
        (json!({"a": {"type": "integer", "default": "x"}}), "a: default: expected integer, found string"),
        (json!({"a": {"required": ["b"]}}), "a: required names \"b\", which is not among the properties"),
        (json!({"a": {"anyOf": []}}), "a/anyOf: anyOf must be a list that is not empty"),
        (json!({"a": {"minItems": -1}}), "a: minItems must be a whole number from 0"),
        (json!({"a/b": {"secret": 1}}), "a~1b: secret must be true or false"),
    ] {
        let expected = format!("schema.json: definitions/Input/properties/{expected}");
        assert_eq!(file(closed(properties)), Err(expected));
    }
    assert!(file(json!({"type": "object"})).unwrap_err().contains("\"additionalProperties\": false"));
    for garbage in [&b""[..], b"null", b"{}", b"\xff\xfe\x00", b"{\"definitions\":{}}", b"[[[["] {
        assert!(Schemas::parse(garbage).is_err());
    }
    let twice = br#"{"definitions":{"Input":{"type":"object","type":"object"},"Output":{"type":"object"}}}"#;
    assert_eq!(
        Schemas::parse(twice).unwrap_err().to_string(),
        "schema.json: definitions/Input/type: is given twice"
    );
}

#[test]
fn defaults_fill_what_is_absent_also_inside() {
    let s = schema(json!({"type": "object", "properties": {
        "a": {"type": "integer", "default": 1},
        "b": {"type": "object", "properties": {"c": {"default": "x"}}},
        "d": {"type": "array", "items": {"type": "object", "properties": {"e": {"default": null}}}}}}));
    let Value::Object(mut map) = json!({"b": {}, "d": [{}, {"e": 2}]}) else { panic!() };
    s.fill_defaults(&mut map);
    assert_eq!(Value::Object(map), json!({"b": {"c": "x"}, "d": [{"e": null}, {"e": 2}], "a": 1}));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (-5i64..15).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-4i32..40).prop_map(|n| Value::from(f64::from(n) / 4.0)),
        "[a-c]{0,6}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    let key = prop_oneof!["[a-d]", Just("path_b64".to_owned()), "[a-z\"/~]{0,3}"];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((key.clone(), inner), 0..5)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn any_schema() -> impl Strategy<Value = Value> {
    let kinds = ["null", "boolean", "integer", "number", "string", "array", "object"];
    let kind = prop::collection::vec(prop::sample::select(kinds.to_vec()), 1..4);
    let leaf = prop_oneof![
        Just(json!({})),
        kind.clone().prop_map(|k| json!({"type": k})),
        (0..3u64, 2..5u64).prop_map(|(a, b)| json!({"type": "string", "minLength": a, "maxLength": b})),
        (0..5i64, 5..9i64).prop_map(|(a, b)| json!({"minimum": a, "maximum": b})),
        Just(json!({"type": "string", "format": "path", "maxLength": 4})),
        prop::collection::vec(any_json(), 1..4).prop_map(|e| json!({"enum": e})),
    ];
    leaf.prop_recursive(3, 20, 4, move |inner| {
        prop_oneof![
            (inner.clone(), 0..2u64, 2..4u64)
                .prop_map(|(s, a, b)| json!({"type": "array", "items": s, "minItems": a, "maxItems": b})),
            (inner.clone(), inner.clone(), any::<bool>(), any::<bool>()).prop_map(|(a, b, open, need)| {
                let required = if need { vec!["a"] } else { vec![] };
                json!({"type": "object", "properties": {"a": a, "b": b}, "required": required,
                    "additionalProperties": open})
            }),
            prop::collection::vec(inner, 1..3).prop_map(|all| json!({"anyOf": all})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn both_checkers_agree(source in any_schema(), value in any_json()) {
        let schema = Schema::parse(&source).unwrap();
        prop_assert_eq!(schema.check(&value), schema.check_slice(value.to_string().as_bytes()));
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..200), source in any_json()) {
        let _ = Schemas::parse(&bytes);
        let _ = Schema::parse(&source).map(|s| s.check_slice(&bytes));
    }
}
