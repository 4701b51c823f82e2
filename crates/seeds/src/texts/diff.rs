//! What separates two lists of lines or words, as hunks.

use similar::{Algorithm, DiffTag, capture_diff_slices};
use std::collections::HashMap;
use std::ops::Range;

/// The most text one hunk shows; the counts beside it stay exact.
const SHOWN_MAX: usize = 64 << 10;

/// One difference. Ranges count from zero.
pub(crate) struct Hunk {
    /// `delete`, `insert` or `replace`.
    pub(crate) op: &'static str,
    /// What of the first list.
    pub(crate) a: Range<usize>,
    /// What of the second.
    pub(crate) b: Range<usize>,
}

/// The differences between `a` and `b`, in order. Equal parts are left out.
pub(crate) fn hunks(a: &[&str], b: &[&str]) -> Vec<Hunk> {
    // Numbers compare faster than lines, and the algorithm compares a lot.
    let mut ids = HashMap::new();
    let mut number = |list: &[&'_ str]| -> Vec<u32> { list.iter().map(|s| id(&mut ids, s)).collect() };
    let (a, b) = (number(a), number(b));
    capture_diff_slices(Algorithm::Myers, &a, &b)
        .into_iter()
        .filter_map(|op| {
            let (tag, a, b) = op.as_tag_tuple();
            let op = match tag {
                DiffTag::Equal => return None,
                DiffTag::Delete => "delete",
                DiffTag::Insert => "insert",
                DiffTag::Replace => "replace",
            };
            Some(Hunk { op, a, b })
        })
        .collect()
}

fn id(ids: &mut HashMap<String, u32>, text: &str) -> u32 {
    if let Some(id) = ids.get(text) {
        return *id;
    }
    let id = u32::try_from(ids.len()).unwrap_or(u32::MAX);
    ids.insert(text.to_string(), id);
    id
}

impl Hunk {
    /// The place of a range counted from one; an empty range stands after the line it names.
    pub(crate) fn place(range: &Range<usize>) -> u64 {
        (range.start as u64).saturating_add(u64::from(!range.is_empty()))
    }

    /// The hunk as a person reads it: `-` for what went, `+` for what came.
    pub(crate) fn lines(&self, a: &[&str], b: &[&str]) -> String {
        let mut text = String::new();
        let sides = [("-", a.get(self.a.clone())), ("+", b.get(self.b.clone()))];
        for (mark, lines) in sides {
            for line in lines.unwrap_or_default() {
                if text.len().saturating_add(line.len()) > SHOWN_MAX {
                    text.push_str("…\n");
                    break;
                }
                text.push_str(mark);
                text.push_str(line);
                text.push('\n');
            }
        }
        text.pop();
        text
    }
}
