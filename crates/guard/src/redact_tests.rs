#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
use super::*;
use proptest::prelude::*;
use serde_json::json;

fn redactor(secrets: &[&str]) -> Redactor {
    Redactor::new(secrets.iter().map(|s| s.as_bytes().to_vec()).collect()).unwrap()
}

#[test]
fn vault_values_are_replaced_everywhere() {
    let r = redactor(&["hunter2!", "hunter2!longer", "12345678", "ab", ""]);
    let value = json!({
        "a": "x hunter2! y hunter2!longer",
        "list": [{"hunter2!": 12345678, "n": 5}],
        "short": "ab", "word": "about",
    });
    let safe = r.redact(&value, &[]);
    let text = safe.to_string();
    assert!(!text.contains("hunter2") && !text.contains("12345678") && !text.contains("longer"), "{text}");
    assert!(safe["short"].as_str().unwrap().starts_with("‹secret:"));
    assert_eq!(safe["word"], "about");
    assert_eq!(safe["list"][0]["n"], 5);
    let mark = format!("‹secret:{}›", &blake3::hash(b"hunter2!").to_hex()[..8]);
    assert!(text.contains(&mark), "{text}");
}

#[test]
fn token_shapes_are_recognised() {
    let letters = "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8S9t0";
    let tokens = [
        "AKIAIOSFODNN7EXAMPLE".to_owned(),
        format!("ghp_{}", &letters[..36]),
        format!("github_pat_{letters}"),
        format!("glpat-{}", &letters[..20]),
        format!("xoxb-123456789012-{}", &letters[..20]),
        format!("sk-{letters}"),
        format!("sk-ant-api03-{letters}"),
        format!("sk-proj-{letters}"),
        format!("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.{letters}"),
        format!("123456789:{}", &letters[..35]),
        format!("AIza{}", &letters[..35]),
        format!("hf_{}", &letters[..34]),
    ];
    let r = redactor(&[]);
    for token in &tokens {
        let safe = r.redact_text(&format!("before {token} after"));
        assert!(!safe.contains(token.as_str()), "{safe}");
        assert!(safe.starts_with("before ‹secret:") && safe.ends_with("› after"), "{safe}");
    }
    for (text, secret) in [
        ("Authorization: Bearer abcdefghijklmnop.qrst", "abcdefghijklmnop"),
        ("authorization: basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNzd29yZA"),
        ("https://user:pa55word@host/x", "pa55word"),
        ("postgres://u:s3cr3t:more@db/x", "s3cr3t"),
        ("aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEYab", "wJalrXUtnFEMI"),
    ] {
        let safe = r.redact_text(text);
        assert!(!safe.contains(secret) && safe.contains("‹secret:"), "{safe}");
    }
    let block = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNz\n-----END OPENSSH PRIVATE KEY-----\nrest";
    assert!(r.redact_text(block).ends_with("rest") && !r.redact_text(block).contains("b3BlbnNz"));
    let open = "-----BEGIN RSA PRIVATE KEY-----\nb3BlbnNz";
    assert!(!r.redact_text(open).contains("b3BlbnNz"), "a block without its end");
}

#[test]
fn ordinary_text_is_left_alone() {
    let r = redactor(&[]);
    for text in [
        "/home/u/Documents/report-2026.pdf",
        "https://example.org/a?b=c",
        "blake3:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "2026-11-15T10:00:00Z",
        "basic token economics",
        "sk-ip",
        "IT60X0542811101000000123456",
    ] {
        assert_eq!(r.redact_text(text), text);
    }
}

#[test]
fn marked_fields_are_replaced_whole() {
    let r = redactor(&[]);
    let value = json!({
        "password": "x", "keep": "y", "empty": null,
        "accounts": [{"pin": 1234, "name": "a"}, {"pin": [1, 2], "name": "b"}],
        "a/b": "z",
    });
    let pointers = ["/password", "/accounts/*/pin", "/a~1b", "/empty"].map(String::from);
    let safe = r.redact(&value, &pointers);
    for at in ["/password", "/accounts/0/pin", "/accounts/1/pin", "/a~1b"] {
        assert!(safe.pointer(at).unwrap().as_str().unwrap().starts_with("‹secret:"), "{at}");
    }
    assert_eq!((&safe["keep"], &safe["accounts"][1]["name"]), (&json!("y"), &json!("b")));
    assert_eq!(safe["empty"], Value::Null);
}

#[test]
fn a_key_changes_the_digests() {
    let plain = redactor(&["topsecret"]).redact_text("topsecret");
    let keyed = redactor(&["topsecret"]).keyed([1; 32]).redact_text("topsecret");
    assert_ne!(plain, keyed);
}

#[test]
fn long_values_are_cut_and_a_line_stays_small() {
    let r = redactor(&["hunter2hunter2"]);
    let long = "é".repeat(1 << 20);
    let safe = r.redact(&json!({"t": long, "l": (0..5000).collect::<Vec<_>>()}), &[]);
    let text = safe["t"].as_str().unwrap();
    assert!(text.chars().count() < 320 && text.contains("2097152 bytes blake3:"), "{text}");
    assert_eq!(safe["l"].as_array().unwrap().len(), 21);
    assert_eq!(safe["l"][20], "… 5000 in all");
    let wide: Value =
        (0..100).map(|n| (format!("k{n}"), json!(vec!["x".repeat(500); 30]))).collect::<Map<_, _>>().into();
    let deep = (0..5).fold(json!("bottom"), |inner, _| json!([inner, wide]));
    let deep = (0..100).fold(deep, |inner, _| json!([inner]));
    assert!(r.redact(&wide, &[]).to_string().len() < 64 << 10);
    assert!(r.redact(&deep, &[]).to_string().len() < 64 << 10);
}

#[test]
fn a_secret_across_the_cut_does_not_show_its_beginning() {
    let secret = "S3CRET".repeat(40);
    let r = redactor(&[&secret]);
    for before in 0..300 {
        let text = format!("{}{}{}", "x".repeat(before), secret, "y".repeat(500));
        let safe = r.redact(&json!(text), &[]).to_string();
        assert!(!safe.contains("S3C"), "{before}: {safe}");
    }
    let many = secret.repeat(200);
    assert!(!r.redact(&json!(many), &[]).to_string().contains("S3C"));
}

#[test]
fn keys_that_look_alike_afterwards_stay_two() {
    let r = redactor(&["secret-one"]);
    let safe = r.redact(&json!({"secret-one": 1, (r.redact_text("secret-one")): 2}), &[]);
    assert_eq!(safe.as_object().unwrap().len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_shows_a_secret(before in "\\PC{0,400}", after in "\\PC{0,400}", secret in "[A-Za-z0-9]{12,30}") {
        let r = redactor(&[&secret]);
        let value = json!({"k": [format!("{before}{secret}{after}")]});
        prop_assert!(!r.redact(&value, &[]).to_string().contains(&secret));
    }
}
