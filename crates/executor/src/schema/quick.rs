//! The short way for the lines that lists are made of: one flat object, written without spaces,
//! of plain texts, whole numbers, booleans and nulls.
//!
//! It only ever says yes. Whatever it does not know at a glance (an escape, a fraction, a value
//! inside a value, a violation) is left to the checker that knows everything and finds the words.

use super::Schema;
use super::leaf::{Num, Types};

/// Undeclared keys that are told apart by looking at each other.
const OTHERS_MAX: usize = 16;

/// True when `text` certainly satisfies `schema`.
pub(super) fn accepts(schema: &Schema, text: &[u8]) -> bool {
    let open = schema.types.has(Types::OBJECT)
        && schema.choices.is_none()
        && schema.any_of.is_empty()
        && schema.properties.len() <= 64;
    open && std::str::from_utf8(text).is_ok_and(|text| object(schema, text).is_some())
}

/// `None` as soon as anything is not plain.
fn object(schema: &Schema, text: &str) -> Option<()> {
    let bytes = text.as_bytes();
    let mut rest = bytes.strip_prefix(b"{")?;
    let at = |rest: &[u8]| bytes.len() - rest.len();
    let (mut declared, mut others, mut strangers) = (0u64, [""; OTHERS_MAX], 0);
    if rest == b"}" {
        return schema.required.is_empty().then_some(());
    }
    loop {
        rest = rest.strip_prefix(b"\"")?;
        let start = at(rest);
        rest = rest.get(plain(rest)..)?.strip_prefix(b"\"")?;
        let key = text.get(start..at(rest) - 1)?;
        rest = rest.strip_prefix(b":")?;

        let inner = match position(schema, key) {
            Some(i) => {
                let bit = 1 << i;
                let fresh = declared & bit == 0;
                declared |= bit;
                fresh.then_some(Some(&schema.properties.get(i)?.1))?
            }
            None => {
                let known = others.get(..strangers)?;
                if !schema.additional || known.iter().any(|k| k.len() == key.len() && *k == key) {
                    return None;
                }
                *others.get_mut(strangers)? = key;
                strangers += 1;
                None
            }
        };
        if inner.is_some_and(Schema::needs_whole) {
            return None;
        }

        let value = rest;
        rest = match value.first()? {
            b'"' => {
                let inside = value.get(1..)?;
                let length = plain(inside);
                let start = at(inside);
                let after = inside.get(length..)?.strip_prefix(b"\"")?;
                if let Some(inner) = inner {
                    inner.string(text.get(start..start + length)?).ok()?;
                }
                after
            }
            b'n' => {
                inner.map_or(Ok(()), Schema::null).ok()?;
                value.strip_prefix(b"null")?
            }
            b't' => {
                inner.map_or(Ok(()), |s| s.boolean(true)).ok()?;
                value.strip_prefix(b"true")?
            }
            b'f' => {
                inner.map_or(Ok(()), |s| s.boolean(false)).ok()?;
                value.strip_prefix(b"false")?
            }
            _ => {
                let (number, after) = whole(value)?;
                inner.map_or(Ok(()), |s| s.number(Num::Int(number.into()))).ok()?;
                after
            }
        };
        match rest.split_first()? {
            (b',', after) => rest = after,
            (b'}', []) => break,
            _ => return None,
        }
    }
    schema.required.iter().all(|i| declared >> i & 1 == 1).then_some(())
}

/// The place of a declared property. Lengths differ more often than not, so that a look at each
/// is cheaper than bisection.
fn position(schema: &Schema, key: &str) -> Option<usize> {
    schema.properties.iter().position(|(name, _)| name.len() == key.len() && name == key)
}

/// How many bytes come before a quote, a backslash or a control character; eight at a time.
fn plain(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    // The high bit of each byte that is zero; bytes above a zero one may be marked too, so only
    // the lowest mark counts.
    let zeros = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS;
    let (words, tail) = bytes.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let quote = zeros(word ^ (ONES * b'"' as u64));
        let escape = zeros(word ^ (ONES * b'\\' as u64));
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let marks = quote | escape | control;
        if marks != 0 {
            return i * 8 + marks.trailing_zeros() as usize / 8;
        }
    }
    let stop = tail.iter().position(|b| matches!(b, b'"' | b'\\' | 0..0x20));
    words.len() * 8 + stop.unwrap_or(tail.len())
}

/// A whole number of at most eighteen digits, and what follows it.
fn whole(bytes: &[u8]) -> Option<(i64, &[u8])> {
    let (negative, digits) = match bytes.strip_prefix(b"-") {
        Some(digits) => (true, digits),
        None => (false, bytes),
    };
    let length = digits.iter().take_while(|b| b.is_ascii_digit()).count();
    // A zero in front is not JSON, and minus zero is not a whole number.
    let odd = digits.first() == Some(&b'0') && (length > 1 || negative);
    if odd || !(1..=18).contains(&length) {
        return None;
    }
    let (digits, after) = digits.split_at(length);
    let number = digits.iter().fold(0i64, |n, b| n * 10 + i64::from(b - b'0'));
    Some((if negative { -number } else { number }, after))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::super::stream;
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn file() -> Schema {
        Schema::parse(&json!({"type": "object", "required": ["path", "size"], "properties": {
            "path": {"type": "string", "maxLength": 12}, "size": {"type": "integer", "minimum": 0},
            "mtime": {"type": ["string", "null"]}, "kind": {"type": "string", "enum": ["a", "b"]}}}))
        .unwrap()
    }

    #[test]
    fn plain_lines_go_the_short_way() {
        for line in [
            r#"{"path":"/a/é/b.txt","size":0,"mtime":null,"kind":"b","_origin":"local"}"#,
            r#"{"size":123456789012345678,"path":"","more":-5,"flag":true,"none":null}"#,
        ] {
            assert!(accepts(&file(), line.as_bytes()), "{line}");
        }
        assert!(accepts(&Schema::parse(&json!({"type": "object"})).unwrap(), b"{}"));
    }

    #[test]
    fn what_is_not_plain_or_not_right_is_left_to_the_long_way() {
        for line in [
            r#"{"path":"/a"}"#,
            r#"{"path":"/a","size":-1}"#,
            r#"{"path":"/a","size":01}"#,
            r#"{"path":"/a","size":-0}"#,
            r#"{"path":"/a","size":1.5}"#,
            r#"{"path":"/a","size":1,"size":1}"#,
            r#"{"path":"/a","size":1,"x":1,"x":2}"#,
            r#"{"path":"/a","size":1,"kind":"c"}"#,
            r#"{"path":"/thirteen chars","size":1}"#,
            r#"{"path":"\u0041","size":1}"#,
            r#"{"path":"/a","size":1,}"#,
            r#"{"path":"/a","size":1} "#,
            r#"{"path":"/a","size":1}}"#,
            r#"{"path":"/a","size":1,"x":[]}"#,
            "{\"path\":\"/\n\",\"size\":1}",
            "",
            "{",
            "[]",
        ] {
            assert!(!accepts(&file(), line.as_bytes()), "{line}");
        }
        assert!(!accepts(&file(), b"{\"path\":\"\xff\",\"size\":1}"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]

        #[test]
        fn a_run_of_plain_bytes_ends_where_a_look_at_each_says(bytes in prop::collection::vec(any::<u8>(), 0..40)) {
            let slow = bytes.iter().position(|b| matches!(b, b'"' | b'\\' | 0..0x20)).unwrap_or(bytes.len());
            prop_assert_eq!(plain(&bytes), slow);
        }

        /// Lines near to plain ones: the short way never says yes where the long way says no.
        #[test]
        fn yes_means_yes(
            pieces in prop::collection::vec(
                prop::sample::select(vec![
                    "\"path\"", "\"size\"", "\"kind\"", "\"a\"", "\"mtime\"", ":", ":", ":", ",", ",", "1", "-7",
                    "00", "1e3", "1.0", "null", "true", "fals", "\"b\"", "\"é\"", "\"\\n\"", "{", "}", "[", "]", " ",
                ]),
                0..24,
            ),
        ) {
            let line = format!("{{{}}}", pieces.concat());
            for schema in [file(), Schema::parse(&json!({"type": "object"})).unwrap(), Schema::parse(&json!({})).unwrap()] {
                if accepts(&schema, line.as_bytes()) {
                    prop_assert!(stream::check(&schema, line.as_bytes()).is_ok(), "{}", line);
                }
            }
        }

        #[test]
        fn members_in_any_order_are_judged_alike(
            members in prop::collection::vec(
                (
                    prop::sample::select(vec!["path", "size", "kind", "mtime", "x", "y"]),
                    prop::sample::select(vec!["\"a\"", "\"/x/y\"", "5", "-3", "null", "true", "1.5", "[]"]),
                ),
                0..7,
            ),
        ) {
            let members: Vec<String> = members.iter().map(|(k, v)| format!("\"{k}\":{v}")).collect();
            let line = format!("{{{}}}", members.join(","));
            if accepts(&file(), line.as_bytes()) {
                prop_assert!(stream::check(&file(), line.as_bytes()).is_ok(), "{}", line);
            }
        }
    }
}
