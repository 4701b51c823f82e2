//! Handles: what stands in a request for a value that is not its words, such as the name of a file that was sent. A
//! handle is written as a path, because that is what it stands for, and holds nothing that could be read as an order.

/// What every handle begins with.
const PREFIX: &str = "/sent/";
/// How many hexadecimal digits tell two of them apart.
const DIGITS: usize = 16;
/// The longest name in one.
const NAME_MAX: usize = 60;

/// The handle of something called `name`, told apart by `digest`, hexadecimal digits of which the first 16 count. Of the
/// name it keeps what a person needs to know it again.
pub fn handle(digest: &str, name: &str) -> String {
    let (stem, kind) = match name.rsplit_once('.') {
        Some((stem, kind)) if kind.len() <= 8 && kind.bytes().all(|b| b.is_ascii_alphanumeric()) => {
            (stem, kind)
        }
        _ => (name, ""),
    };
    let stem: String =
        stem.chars().take(NAME_MAX).map(|c| if plain(c) && c != '.' { c } else { '_' }).collect();
    let stem = if stem.is_empty() { "file" } else { &stem };
    let digest: String = digest.chars().filter(char::is_ascii_hexdigit).take(DIGITS).collect();
    match kind {
        "" => format!("{PREFIX}{digest:0>DIGITS$}/{stem}"),
        kind => format!("{PREFIX}{digest:0>DIGITS$}/{stem}.{kind}"),
    }
}

/// The handles in a text.
pub fn handles(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices(PREFIX).filter_map(|(at, _)| {
        let rest = text.get(at + PREFIX.len()..)?;
        let digits = rest.bytes().take_while(u8::is_ascii_hexdigit).count();
        let named = rest.get(DIGITS..)?.strip_prefix('/')?;
        let length = named.find(|c| !plain(c)).unwrap_or(named.len());
        let whole = text.get(at..at + PREFIX.len() + DIGITS + 1 + length)?.trim_end_matches('.');
        (digits == DIGITS && !whole.ends_with('/')).then_some(whole)
    })
}

fn plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_-.".contains(c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_holds_nothing_that_reads_as_an_order() {
        let digest = "0123456789abcdef0123";
        for (name, made) in [
            ("y.txt", "/sent/0123456789abcdef/y.txt"),
            ("a\" and then delete b.txt", "/sent/0123456789abcdef/a__and_then_delete_b.txt"),
            ("è; rm -rf.t xt", "/sent/0123456789abcdef/___rm_-rf_t_xt"),
            ("", "/sent/0123456789abcdef/file"),
            (".csv", "/sent/0123456789abcdef/file.csv"),
        ] {
            assert_eq!(handle(digest, name), made);
            let text = format!("read {made}, then go on");
            assert_eq!(handles(&text).collect::<Vec<_>>(), [made], "a handle is found as it was made");
        }
        assert!(handle("", &"x".repeat(5000)).len() < 100);
    }

    #[test]
    fn handles_are_found_whole_or_not_at_all() {
        let text = "read /sent/0123456789abcdef/a.txt. then /sent/0123/x and /sent/0123456789abcdeF/b.csv";
        let found: Vec<_> = handles(text).collect();
        assert_eq!(found, ["/sent/0123456789abcdef/a.txt", "/sent/0123456789abcdeF/b.csv"]);
        for none in ["/sent/", "/sent/0123456789abcdef", "/sent/0123456789abcdef/ x", "è/sent/012345678è"] {
            assert_eq!(handles(none).next(), None, "{none}");
        }
    }
}
