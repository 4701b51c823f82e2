//! How many columns of a terminal a text takes: nothing for marks that sit on other signs, two for
//! the wide signs of East Asia and for pictures.

/// Marks, joiners and selectors.
const ZERO: [(u32, u32); 31] = [
    (0x0300, 0x036f),
    (0x0483, 0x0489),
    (0x0591, 0x05bd),
    (0x05bf, 0x05c7),
    (0x0610, 0x061a),
    (0x064b, 0x065f),
    (0x0670, 0x0670),
    (0x06d6, 0x06dc),
    (0x06df, 0x06e4),
    (0x06ea, 0x06ed),
    (0x0711, 0x0711),
    (0x0730, 0x074a),
    (0x0900, 0x0902),
    (0x093c, 0x093c),
    (0x0941, 0x0948),
    (0x094d, 0x094d),
    (0x0981, 0x0981),
    (0x09bc, 0x09bc),
    (0x0e31, 0x0e31),
    (0x0e34, 0x0e3a),
    (0x0e47, 0x0e4e),
    (0x1160, 0x11ff),
    (0x1ab0, 0x1aff),
    (0x1dc0, 0x1dff),
    (0x200b, 0x200f),
    (0x20d0, 0x20ff),
    (0x302a, 0x302d),
    (0x3099, 0x309a),
    (0xfe00, 0xfe0f),
    (0xfe20, 0xfe2f),
    (0xe0100, 0xe01ef),
];

/// Wide signs.
const WIDE: [(u32, u32); 35] = [
    (0x1100, 0x115f),
    (0x231a, 0x231b),
    (0x2329, 0x232a),
    (0x23e9, 0x23ec),
    (0x23f0, 0x23f0),
    (0x23f3, 0x23f3),
    (0x25fd, 0x25fe),
    (0x2614, 0x2615),
    (0x2648, 0x2653),
    (0x267f, 0x267f),
    (0x2693, 0x2693),
    (0x26a1, 0x26a1),
    (0x26aa, 0x26ab),
    (0x26bd, 0x26be),
    (0x26c4, 0x26c5),
    (0x26d4, 0x26d4),
    (0x26ea, 0x26ea),
    (0x26f2, 0x26f5),
    (0x2705, 0x2705),
    (0x270a, 0x270b),
    (0x2728, 0x2728),
    (0x274c, 0x274e),
    (0x2753, 0x2757),
    (0x2795, 0x2797),
    (0x2b1b, 0x2b1c),
    (0x2b50, 0x2b55),
    (0x2e80, 0x303e),
    (0x3041, 0x4dbf),
    (0x4e00, 0xa4cf),
    (0xa960, 0xa97f),
    (0xac00, 0xd7a3),
    (0xf900, 0xfaff),
    (0xfe30, 0xfe6f),
    (0xff00, 0xff60),
    (0xffe0, 0xffe6),
];

fn within(table: &[(u32, u32)], code: u32) -> bool {
    let after = table.partition_point(|(first, _)| *first <= code);
    after.checked_sub(1).and_then(|at| table.get(at)).is_some_and(|(_, last)| code <= *last)
}

/// The columns one sign takes.
fn of_char(sign: char) -> usize {
    let code = u32::from(sign);
    if code < 0x300 {
        usize::from(code >= 0x20 && !(0x7f..0xa0).contains(&code))
    } else if within(&ZERO, code) {
        0
    } else if within(&WIDE, code)
        || (0x1f000..=0x1faff).contains(&code)
        || (0x20000..=0x3fffd).contains(&code)
    {
        2
    } else {
        1
    }
}

/// The columns a text takes.
pub(super) fn of(text: &str) -> usize {
    text.chars().map(of_char).sum()
}

/// The text cut to at most `columns`, with `…` where it was cut.
pub(super) fn cut(text: &str, columns: usize) -> String {
    if of(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for sign in text.chars() {
        used += of_char(sign);
        if used > columns {
            break;
        }
        out.push(sign);
    }
    out.push('…');
    out
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
    use super::*;

    #[test]
    fn marks_take_nothing_and_wide_signs_two() {
        assert_eq!(
            [of("città"), of("citta\u{300}"), of("日本"), of("📷"), of("한글"), of("")],
            [5, 5, 4, 2, 4, 0]
        );
        assert_eq!([cut("日本語", 4), cut("abc", 3), cut("abcd", 3)], ["日…", "abc", "ab…"]);
    }

    #[test]
    fn the_tables_are_in_order() {
        for table in [&ZERO[..], &WIDE[..]] {
            assert!(table.windows(2).all(|pair| pair[0].1 < pair[1].0));
        }
    }
}
