//! What a run of characters is: address, path, number, clock time, name with an ending, or words.

use crate::token::{Lit, Token};

/// Pushes the tokens of `text[start..end]`.
pub(crate) fn classify(text: &str, start: usize, end: usize, tails: &[String], out: &mut Vec<Token>) {
    let run = &text[start..end];
    if let Some(at) = before_digits(run) {
        words(&run[..at], start, tails, out);
        return classify(text, start + at, end, tails, out);
    }
    if run.contains('*') && below(text, start, end, out) {
        return;
    }
    if let Some(sign) = between_amounts(run).map(|at| start + at) {
        number(text, start, sign, out);
        let text_of = || "-".to_owned();
        out.push(Token {
            text: text_of(),
            norm: text_of(),
            start: sign,
            end: sign + 1,
            lit: Lit::Symbol('-'),
        });
        number(text, sign + 1, end, out);
        return;
    }
    let mut one = |lit: Lit| {
        out.push(Token { text: run.to_owned(), norm: run.to_lowercase(), start, end, lit });
    };
    if run.contains("://") || (run.starts_with("www.") && run.len() > 6) {
        return one(Lit::Url(run.to_owned()));
    }
    if let Some((user, host)) = run.split_once('@')
        && !user.is_empty()
        && host.contains('.')
    {
        return one(Lit::Email(run.to_owned()));
    }
    if run == "~" || ["~/", "/", "./", "../"].iter().any(|p| run.starts_with(p)) && run.len() > 1 {
        return one(Lit::Path(run.to_owned()));
    }
    if run.contains('*') && run.len() > 1 {
        return one(Lit::Glob(run.to_owned()));
    }
    if let Some(ext) = run.strip_prefix('.')
        && (1..=8).contains(&ext.len())
        && ext.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'.')
    {
        return one(Lit::Ext(ext.to_ascii_lowercase()));
    }
    if run.starts_with(|c: char| c.is_ascii_digit()) && number(text, start, end, out) {
        return;
    }
    let mut one = |lit: Lit| {
        out.push(Token { text: run.to_owned(), norm: run.to_lowercase(), start, end, lit });
    };
    if run.contains('/') && run.len() > 2 && !run.ends_with('/') && run.chars().any(char::is_alphanumeric) {
        return one(Lit::Slashed(run.to_owned()));
    }
    if let Some((stem, ext)) = run.rsplit_once('.')
        && !stem.is_empty()
        && (1..=7).contains(&ext.len())
        && ext.bytes().all(|b| b.is_ascii_alphanumeric())
        && stem.chars().all(|c| c.is_alphanumeric() || "_-.+".contains(c))
        && (stem.chars().count() > 1 || ext.len() > 1)
    {
        return one(Lit::File(run.to_owned()));
    }
    words(run, start, tails, out);
}

/// `~/x/*.deb`, `src/*.rs`: a folder, and what is looked for in it.
fn below(text: &str, start: usize, end: usize, out: &mut Vec<Token>) -> bool {
    let parts = text[start..end]
        .rsplit_once('/')
        .filter(|(folder, last)| last.contains('*') && !folder.is_empty() && !folder.contains('*'));
    let Some((folder, pattern)) = parts else { return false };
    let rooted = folder == "~" || ["~/", "/", "./", "../"].iter().any(|root| folder.starts_with(root));
    let (folder, cut) = (folder.to_owned(), start + folder.len() + 1);
    let place = if rooted { Lit::Path(folder) } else { Lit::Slashed(folder) };
    for (from, to, lit) in [(start, cut, place), (cut, end, Lit::Glob(pattern.to_owned()))] {
        let text = text[from..to].to_owned();
        out.push(Token { norm: text.to_lowercase(), text, start: from, end: to, lit });
    }
    true
}

/// "500M-1.5G": where the sign is between two amounts with a unit.
fn between_amounts(run: &str) -> Option<usize> {
    let (first, second) = run.split_once('-')?;
    let amount = |text: &str| {
        let value = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let unit = text.len() - value.len();
        let digits = value.starts_with(|c: char| c.is_ascii_digit());
        (1..=3).contains(&unit) && digits && value.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    };
    (amount(first) && amount(second)).then_some(first.len())
}

/// "l'11", "dell'11/11": where the digits begin after a word that lost its end.
fn before_digits(run: &str) -> Option<usize> {
    let (at, sign) = run.char_indices().find(|(_, c)| matches!(c, '\'' | '’'))?;
    let digits = at + sign.len_utf8();
    let word = at > 0 && run[..at].chars().all(char::is_alphabetic);
    (word && run[digits..].starts_with(|c: char| c.is_ascii_digit())).then_some(digits)
}

/// Words, split at apostrophes: before a known tail, else after the apostrophe.
fn words(run: &str, start: usize, tails: &[String], out: &mut Vec<Token>) {
    let mut push = |from: usize, to: usize| {
        if from < to {
            let text = run[from..to].to_owned();
            let norm = text.to_lowercase().replace(['’', '‘'], "'");
            out.push(Token { text, norm, start: start + from, end: start + to, lit: Lit::Word });
        }
    };
    let mut from = 0;
    for (i, c) in run.char_indices() {
        if (c != '\'' && c != '’') || i < from {
            continue;
        }
        let rest = run[i..].to_lowercase().replace('’', "'");
        if tails.contains(&rest) {
            push(from, i);
            from = i;
            break;
        }
        let after = i + c.len_utf8();
        push(from, after);
        from = after;
    }
    push(from, run.len());
}

/// Digits: a number, a clock time, a date, or a number with its unit; false when it is a name.
fn number(text: &str, start: usize, end: usize, out: &mut Vec<Token>) -> bool {
    let run = &text[start..end];
    let lower = run.to_ascii_lowercase();
    let mut push = |from: usize, to: usize, lit: Lit| {
        let text = run[from..to].to_owned();
        out.push(Token { norm: text.to_lowercase(), text, start: start + from, end: start + to, lit });
    };
    if let Some(date) = date(run) {
        push(0, run.len(), date);
        return true;
    }
    let digits = run.find(|c: char| !c.is_ascii_digit()).unwrap_or(run.len());
    let tail = &lower[digits..];
    if let Some(minutes) = tail.strip_prefix([':', '.', 'h'])
        && digits <= 2
        && minutes.len() >= 2
        && minutes.as_bytes()[..2].iter().all(u8::is_ascii_digit)
        && (tail.starts_with(':') || tail.starts_with('h'))
    {
        let (h, m) = (run[..digits].parse().unwrap_or(99), minutes[..2].parse().unwrap_or(99));
        let rest = digits + 3;
        if h < 24i8 && m < 60i8 && run.is_char_boundary(rest) && run[rest..].chars().all(char::is_alphabetic)
        {
            push(0, rest, Lit::Clock(h, m));
            if rest < run.len() {
                push(rest, run.len(), Lit::Word);
            }
            return true;
        }
    }
    // The number itself: a dot or comma between digits is a decimal sign, or groups thousands when three digits follow each.
    let mut value_end = run.len();
    for (i, c) in run.char_indices() {
        if !(c.is_ascii_digit()
            || ((c == '.' || c == ',') && run[i + 1..].starts_with(|d: char| d.is_ascii_digit())))
        {
            value_end = i;
            break;
        }
    }
    let (value, rest) = run.split_at(value_end);
    let Some(number) = parse(value) else { return false };
    if rest.is_empty() {
        push(0, run.len(), Lit::Number(number));
        return true;
    }
    if rest.chars().all(|c| c.is_alphabetic() || c == '°')
        && rest.chars().count() <= 9
        && !["st", "nd", "rd", "th"].contains(&rest)
    {
        push(0, value_end, Lit::Number(number));
        push(value_end, run.len(), Lit::Word);
        return true;
    }
    false
}

fn parse(text: &str) -> Option<f64> {
    let signs = text.matches(['.', ',']).count();
    let grouped =
        signs > 0 && text.split(['.', ',']).skip(1).all(|part| part.len() == 3) && !text.starts_with('0');
    if grouped && (signs > 1 || text.len() > 4) {
        return text.replace(['.', ','], "").parse().ok();
    }
    text.replace(',', ".").parse().ok()
}

fn date(run: &str) -> Option<Lit> {
    let sep = ['-', '/', '.'].into_iter().find(|sep| run.matches(*sep).count() == 2)?;
    let parts: Vec<&str> = run.split(sep).collect();
    if !parts.iter().all(|p| !p.is_empty() && p.len() <= 4 && p.bytes().all(|b| b.is_ascii_digit())) {
        return None;
    }
    let n: Vec<i16> = parts.iter().filter_map(|p| p.parse().ok()).collect();
    let [a, b, c] = n[..] else { return None };
    let (y, m, d) = if parts[0].len() == 4 { (a, b, c) } else { (if c < 100 { 2000 + c } else { c }, b, a) };
    jiff::civil::Date::new(y, i8::try_from(m).ok()?, i8::try_from(d).ok()?).ok()?;
    Some(Lit::Date(y, i8::try_from(m).ok()?, i8::try_from(d).ok()?))
}
