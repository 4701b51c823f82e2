//! The nearest valid word to a mistaken one, for messages that help.

/// The candidate with the fewest edits from `word`; `None` when nothing is reasonably close.
/// Ties go to the earlier candidate. Long words are not worth the quadratic cost.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word: Vec<char> = word.chars().take(LONGEST + 1).flat_map(char::to_lowercase).collect();
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    candidates
        .into_iter()
        .map(|candidate| (distance(&word, &candidate.chars().collect::<Vec<_>>()), candidate))
        .filter(|(edits, candidate)| *edits <= 1 + word.len().min(candidate.len()) / 3)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// How far the name of a thing is from a word, where it comes near at all: it holds the word, or few edits lead to it.
pub fn how_far(word: &str, name: &str) -> Option<usize> {
    let letters = |text: &str| -> Vec<char> { text.chars().flat_map(char::to_lowercase).collect() };
    let (word, name) = (letters(word), letters(name));
    if word.is_empty() || word.len() > LONGEST || name.len() > 4 * LONGEST {
        return None;
    }
    let stem = |name: &[char]| name.iter().rposition(|c| *c == '.').unwrap_or(name.len());
    let holds =
        |long: &[char], short: &[char]| short.len() > 2 && long.windows(short.len()).any(|w| w == short);
    let (bare, own) = (&word[..stem(&word)], &name[..stem(&name)]);
    let edits = distance(&word, &name).min(distance(bare, own) + 1);
    let few = edits <= 1 + word.len().min(name.len()) / 3;
    (few || holds(&name, bare) || holds(&word, own)).then_some(edits)
}

const LONGEST: usize = 64;

/// Edits between two words: insertions, deletions, replacements, and swaps of neighbours.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            let swapped = i > 0 && j > 0 && a[i - 1] == *y && b[j - 1] == *x;
            if swapped {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_hold_a_word_or_differ_little_come_near() {
        assert!(how_far("hw3.docx", "hw2.docx") < how_far("hw3.docx", "hw3-old.docx"));
        assert!(
            how_far("hw3.docx", "HW3.odt").is_some() && how_far("report", "Annual report 2025.pdf").is_some()
        );
        assert_eq!(how_far("hw3.docx", "holiday.jpg"), None);
        assert_eq!(how_far("", "a"), None);
    }

    #[test]
    fn the_nearest_word_is_offered_and_a_stranger_is_not() {
        let words = ["files", "dirs", "filter"];
        assert_eq!(nearest("fiels", words), Some("files"));
        assert_eq!(nearest("FILE", words), Some("files"));
        assert_eq!(nearest("", words), None);
        assert_eq!(nearest("zzzzzzzz", words), None);
        assert_eq!(nearest(&"f".repeat(100_000), words), None);
    }
}
