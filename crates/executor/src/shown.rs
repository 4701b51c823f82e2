//! Foreign text made fit to be shown: names of files, columns, keys and values come from the world, and none of them may
//! hide, turn or move what stands beside it, nor look like a line of ours.

use crate::lab::{self, Layer};

/// What stands for a sign that is not shown.
const INSTEAD: char = '\u{fffd}';

/// Whether a sign moves the cursor, hides text, turns its direction or cannot be seen at all.
pub fn is_unseen(sign: char) -> bool {
    if lab::without(Layer::Unseen) {
        return false;
    }
    sign.is_control()
        || matches!(sign,
            // Soft hyphen, joiners and fillers that show nothing.
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            // Zero width, directions, line and paragraph separators, invisible operators.
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            // Code points that are no signs, tags and the second set of variations.
            | '\u{fdd0}'..='\u{fdef}' | '\u{fffe}' | '\u{ffff}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

/// A text of several lines.
pub fn text(text: &str) -> String {
    let sign = |sign: char| if is_unseen(sign) && sign != '\n' && sign != '\t' { INSTEAD } else { sign };
    text.chars().map(sign).collect()
}

/// A text that stays on its line.
pub fn line(text: &str) -> String {
    text.chars()
        .map(|sign| match sign {
            '\n' | '\r' | '\t' | '\u{2028}' | '\u{2029}' => ' ',
            sign if is_unseen(sign) => INSTEAD,
            sign => sign,
        })
        .collect()
}

/// A name or value that stands between signs of ours: on its line, and without what we write between parts.
pub fn part(text: &str) -> String {
    if lab::without(Layer::Imitation) {
        return line(text);
    }
    line(text)
        .chars()
        .map(|sign| match sign {
            '·' | '•' => '∙',
            '“' | '”' | '„' | '«' | '»' => '"',
            '→' | '⟶' | '➜' => '>',
            '│' | '┃' | '|' => '¦',
            '─' | '━' | '—' => '-',
            sign => sign,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_hides_turns_or_imitates() {
        let hostile = "a\u{202e}b\u{e0041}c\u{200b}d\u{1b}[2J\ne · “f” → g | h";
        assert_eq!(part(hostile), "a�b�c�d�[2J e ∙ \"f\" > g ¦ h");
        assert_eq!(text("a\n\u{2066}b\tc"), "a\n�b\tc");
        assert_eq!(line("a\r\nb"), "a  b");
        assert_eq!(part("naïve-Datei_日本 (1).txt"), "naïve-Datei_日本 (1).txt");
    }
}
