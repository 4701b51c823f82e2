//! One form for requests that the parser cannot tell apart.

/// Marks between which a text stays as it is.
const QUOTES: [char; 9] = ['"', '\'', '`', '“', '”', '«', '»', '‘', '’'];

/// The request without what makes no difference to its plan: spaces, the capital of its first word, the marks at its end.
///
/// Capitals further on stay, because they make names (`Documents` is a folder, `documents` are files); so do spaces
/// in a request with quotes, because what is quoted is meant as it is.
pub fn normal(text: &str) -> String {
    let text = text.trim();
    let bare = text.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '?' | '!' | '.'));
    let text = if bare.is_empty() { text } else { bare };
    let quoted = text.contains(QUOTES);
    let mut out = String::with_capacity(text.len());
    match quoted {
        true => out.push_str(text),
        false => {
            for word in text.split_whitespace() {
                if !out.is_empty() {
                    out.push(' ');
                }
                out.push_str(word);
            }
        }
    }
    let first = out.find(char::is_whitespace).unwrap_or(out.len());
    let (head, rest) = out.split_at(first);
    let mut letters = head.chars();
    let sentence =
        letters.next().is_some_and(char::is_uppercase) && letters.all(|c| c.is_lowercase() || c == '\'');
    if sentence { format!("{}{rest}", head.to_lowercase()) } else { out }
}

/// The two ways to begin a request that [`normal`] does not tell apart.
pub(crate) fn beginnings(text: &str) -> [String; 2] {
    let small = normal(text);
    let mut letters = small.chars();
    let capital = letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    [small, capital]
}

#[cfg(test)]
mod tests {
    use super::normal;

    #[test]
    fn what_makes_no_difference_is_left_out_and_nothing_else() {
        for same in ["what time is it", "What time  is it?", " what\ttime is it ?! ", "what time is it..."] {
            assert_eq!(normal(same), "what time is it");
        }
        assert_eq!(normal("Find  PDFs in Documents."), "find PDFs in Documents");
        assert_eq!(normal("PDFs in Documents"), "PDFs in Documents");
        assert_ne!(normal("write 'a  b' to x.txt"), normal("write 'a b' to x.txt"));
        assert_eq!(normal("write 'a?' to 'b?'"), "write 'a?' to 'b?'");
        assert_eq!(normal("?!"), "?!");
        assert_eq!(normal(""), "");
    }
}
