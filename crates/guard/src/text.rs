//! Filling the texts of the data files.

/// `template` with every `{name}` replaced by its value. Values are put in as they are: a brace in
/// one stands for nothing, so what came from outside cannot pull in another value.
pub(crate) fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut out = String::with_capacity(template.len() + 32);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        out.push_str(before);
        let known = after.split_once('}').and_then(|(name, tail)| {
            values.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value, tail))
        });
        match known {
            Some((value, tail)) => {
                out.push_str(value);
                rest = tail;
            }
            None => {
                out.push('{');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// The line, counted from one, that byte `at` of `text` stands on.
pub(crate) fn line_of(text: &str, at: usize) -> usize {
    text.bytes().take(at).filter(|b| *b == b'\n').count() + 1
}

/// `value` fit for one line of a message: what would break the line, hide text or turn its direction
/// becomes `�`, and what is longer than `max` characters loses its middle.
pub(crate) fn one_line(value: &str, max: usize) -> String {
    let hides = metnos_executor::shown::is_unseen;
    let clean: Vec<char> = value.chars().map(|c| if hides(c) { '\u{fffd}' } else { c }).collect();
    if clean.len() <= max || max < 8 {
        return clean.into_iter().take(max).collect();
    }
    // The end of a path or an address says more than its middle.
    let tail = (max - 1) / 2;
    let head = max - 1 - tail;
    let (start, end) = (clean.iter().take(head), clean.iter().skip(clean.len() - tail));
    start.chain(std::iter::once(&'…')).chain(end).collect()
}

/// The same for a value that stands between signs of ours: it has none of them.
pub(crate) fn one_part(value: &str, max: usize) -> String {
    one_line(&metnos_executor::shown::part(value), max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_cannot_pull_in_another() {
        let values = [("a", "{b}"), ("b", "secret")];
        assert_eq!(fill("{a} and {c} and {", &values), "{b} and {c} and {");
    }

    #[test]
    fn a_value_stays_on_its_line() {
        assert_eq!(one_line("a\nb\u{202e}c", 20), "a\u{fffd}b\u{fffd}c");
        assert_eq!(one_line("/home/u/very/long/name.txt", 11), "/home…e.txt");
        assert_eq!(one_line("è", 20), "è");
        assert_eq!(one_part("a · “b” → c", 20), "a ∙ \"b\" > c");
    }
}
