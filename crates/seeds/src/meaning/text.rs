//! The text of an entry, and its fields by name.

use serde_json::{Map, Value};

/// Fields that hold text for people, the telling ones first.
pub(crate) const TEXT_FIELDS: &[&str] =
    &["subject", "title", "name", "from", "body", "content", "text", "snippet", "description"];

/// The field `name` of an entry; `exif.lat` looks inside when no field has that very name.
pub(crate) fn field<'e>(entry: &'e Value, name: &str) -> Option<&'e Value> {
    entry.get(name).or_else(|| name.split('.').try_fold(entry, |value, part| value.get(part)))
}

/// The text fields an entry has, each cut to `limit` bytes in all. The flag says whether text was
/// left out.
pub(crate) fn texts(entry: &Map<String, Value>, limit: usize) -> (Vec<(&'static str, &str)>, bool) {
    let (mut left, mut cut) = (limit, false);
    let mut texts = Vec::new();
    for name in TEXT_FIELDS {
        let Some(Value::String(text)) = entry.get(*name) else { continue };
        let part = head(text, left);
        cut |= part.len() < text.len();
        left = left.saturating_sub(part.len());
        if !part.trim().is_empty() {
            texts.push((*name, part));
        }
    }
    (texts, cut)
}

/// The first `limit` bytes of `text`, never half a character.
pub(crate) fn head(text: &str, limit: usize) -> &str {
    text.get(..text.floor_char_boundary(limit)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;
    use serde_json::json;

    #[test]
    fn text_is_cut_between_characters() {
        assert_eq!(head("àè", 3), "à");
        let entry = json!({"subject": "ab", "body": "cdef", "size": 3});
        let (found, cut) = texts(entry.as_object().unwrap(), 4);
        assert_eq!((found, cut), (vec![("subject", "ab"), ("body", "cd")], true));
    }

    #[test]
    fn a_field_may_be_inside_another() {
        let entry = json!({"exif": {"lat": 45}, "a.b": 1});
        assert_eq!(field(&entry, "exif.lat"), Some(&json!(45)));
        assert_eq!(field(&entry, "a.b"), Some(&json!(1)));
        assert_eq!(field(&entry, "exif.lon"), None);
    }
}
