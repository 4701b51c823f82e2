//! How a secret may be written in a text: as it is, inside a JSON text, in a URL, in base64 at any place of what was
//! encoded with it.

use regex::{Regex, RegexBuilder};

/// Shorter ones would be found by chance.
const ENCODED_MIN: usize = 8;
/// The largest pattern that is built: all that a full vault comes to.
const PATTERN_MAX: usize = 1 << 28;

/// Every form of these secrets, the longest first: of two that begin at the same place the first one is taken.
pub(crate) fn of_all<'s>(secrets: impl Iterator<Item = &'s String>) -> Vec<String> {
    let mut forms: Vec<String> = secrets.flat_map(|secret| of(secret)).collect();
    forms.sort_by(|a, b| b.len().cmp(&a.len()).then(a.cmp(b)));
    forms.dedup();
    forms
}

/// One pattern for all of them; `None` without any.
pub(crate) fn pattern(forms: &[String]) -> Result<Option<Regex>, regex::Error> {
    let any: Vec<String> = forms.iter().map(|form| regex::escape(form)).collect();
    match any.is_empty() {
        true => Ok(None),
        false => RegexBuilder::new(&any.join("|")).size_limit(PATTERN_MAX).build().map(Some),
    }
}

/// Every form of one secret.
fn of(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned()];
    // A text inside a JSON text, and one inside that.
    let mut inner = secret.to_owned();
    for _ in 0..2 {
        let outer = serde_json::Value::String(inner.clone()).to_string();
        inner = outer.get(1..outer.len() - 1).unwrap_or_default().to_owned();
        forms.push(inner.clone());
    }
    if secret.len() >= ENCODED_MIN {
        forms.push(percent(secret));
        forms.push(percent(secret).replace("%20", "+"));
        for before in 0..3 {
            let core = base64_core(secret.as_bytes(), before);
            forms.push(core.replace('+', "-").replace('/', "_"));
            forms.push(core);
        }
    }
    forms
}

fn percent(text: &str) -> String {
    use std::fmt::Write;
    text.bytes().fold(String::with_capacity(text.len()), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

/// The digits of the base64 of a text that only `secret` decides, when `before` bytes (modulo three) precede it.
fn base64_core(secret: &[u8], before: usize) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bit = |n: usize| {
        let n = n.checked_sub(before * 8)?;
        Some(secret.get(n / 8)? >> (7 - n % 8) & 1)
    };
    let digit = |n: usize| {
        let value = (0..6).try_fold(0, |value, at| Some(value << 1 | bit(n * 6 + at)?))?;
        DIGITS.get(usize::from(value)).map(|digit| char::from(*digit))
    };
    (0..=(before + secret.len()) * 8 / 6).filter_map(digit).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn every_form_of_a_secret_is_found() {
        let forms = of_all([&"pass \"word\"/1\n2".to_owned()].into_iter());
        let known = pattern(&forms).unwrap().unwrap();
        for text in [
            "x pass \"word\"/1\n2 y",
            r#"{"a":"pass \"word\"/1\n2"}"#,
            r#"{"a":"{\"b\":\"pass \\\"word\\\"/1\\n2\"}"}"#,
            "https://x/?q=pass%20%22word%22%2F1%0A2&z",
            "https://x/?q=pass+%22word%22%2F1%0A2&z",
            // base64 of it alone, after `u:`, after `me:`, after `you:`
            "cGFzcyAid29yZCIvMQoy",
            "dTpwYXNzICJ3b3JkIi8xCjI=",
            "bWU6cGFzcyAid29yZCIvMQoy",
            "eW91OnBhc3MgIndvcmQiLzEKMg==",
        ] {
            assert!(known.is_match(text), "{text}");
        }
        assert!(!known.is_match("pass word 12"));
        assert!(pattern(&[]).unwrap().is_none());
    }
}
