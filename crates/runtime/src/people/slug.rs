//! From a name to an id that can name a folder.

use super::RESERVED;

/// The longest id that is made from a name.
const MAX: usize = 24;

/// Whether `text` can be somebody's id.
pub(crate) fn is_id(text: &str) -> bool {
    let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    (1..=MAX + 8).contains(&text.len()) && text.bytes().all(plain) && !text.starts_with('-')
}

/// The ids to try for a name, the shortest first.
pub(super) fn candidates(name: &str) -> impl Iterator<Item = String> {
    let stem = stem(name);
    let first = Some(stem.clone()).filter(|id| !RESERVED.contains(&id.as_str()));
    first.into_iter().chain((2..10_000).map(move |n| format!("{stem}-{n}")))
}

fn stem(name: &str) -> String {
    let mut id = String::new();
    for letter in name.chars().flat_map(char::to_lowercase) {
        match plain(letter) {
            Some(text) => id.push_str(text),
            None if letter.is_ascii_lowercase() || letter.is_ascii_digit() => id.push(letter),
            None if !id.is_empty() && !id.ends_with('-') => id.push('-'),
            None => {}
        }
        if id.len() >= MAX {
            id.truncate(MAX);
            break;
        }
    }
    let id = id.trim_end_matches('-');
    if id.is_empty() { "person".to_owned() } else { id.to_owned() }
}

/// Letters of our neighbours, as they are written without their marks.
fn plain(letter: char) -> Option<&'static str> {
    Some(match letter {
        'à' | 'á' | 'â' | 'ã' | 'å' | 'ā' | 'ą' => "a",
        'ä' | 'æ' => "ae",
        'ç' | 'ć' | 'č' => "c",
        'è' | 'é' | 'ê' | 'ë' | 'ē' | 'ę' | 'ě' => "e",
        'ì' | 'í' | 'î' | 'ï' | 'ī' => "i",
        'ñ' | 'ń' | 'ň' => "n",
        'ò' | 'ó' | 'ô' | 'õ' | 'ø' | 'ō' => "o",
        'ö' | 'œ' => "oe",
        'š' | 'ś' => "s",
        'ß' => "ss",
        'ù' | 'ú' | 'û' | 'ū' | 'ů' => "u",
        'ü' => "ue",
        'ý' | 'ÿ' => "y",
        'ž' | 'ź' | 'ż' => "z",
        'ł' => "l",
        'ř' => "r",
        'đ' => "d",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_becomes_a_folder_that_nobody_has() {
        let first = |name: &str| candidates(name).next();
        assert_eq!(first("Anna"), Some("anna".into()));
        assert_eq!(first("  Zoë di Nicolò!"), Some("zoe-di-nicolo".into()));
        assert_eq!(first("../../etc"), Some("etc".into()));
        assert_eq!(first("山田"), Some("person".into()));
        for reserved in RESERVED {
            assert_eq!(first(reserved), Some(format!("{reserved}-2")));
        }
        assert_eq!(candidates("Anna").nth(1), Some("anna-2".into()));
        let long = first(&"x".repeat(300)).unwrap_or_default();
        assert_eq!(long.len(), MAX);
        assert!(is_id(&long) && is_id("anna-2"));
        for odd in ["", "..", "a/b", "Anna", "-a", "a b", ".x"] {
            assert!(!is_id(odd), "{odd:?}");
        }
    }
}
