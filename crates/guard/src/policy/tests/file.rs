//! The data file is checked before anything is decided by it.

use super::*;

const TABLE: &str = include_str!("../../../data/policy.toml");

fn refused(text: &str) -> String {
    Registry::parse(text).unwrap_err().to_string()
}

/// The table with the first `from` after `anchor` replaced.
fn edited(anchor: &str, from: &str, to: &str) -> String {
    let start = TABLE.find(anchor).unwrap();
    let (before, after) = TABLE.split_at(start);
    assert!(after.contains(from));
    format!("{before}{}", after.replacen(from, to, 1))
}

#[test]
fn a_row_without_a_level_is_refused_with_its_line() {
    let message = refused(&edited("\"network:http\"", "supervised = \"ask\"\n", ""));
    assert!(message.contains("missing field `supervised`") && message.contains("line 1"), "{message}");
}

#[test]
fn a_word_nobody_knows_is_refused_with_its_line() {
    for (from, to) in
        [("\"target\"", "\"sometimes\""), ("\"host\"", "\"planet\""), ("\"ask\"", "\"perhaps\"")]
    {
        let text = edited("\"network:http\"", from, to);
        let (line, message) = (text.lines().position(|line| line.contains(to)).unwrap() + 1, refused(&text));
        assert!(
            message.contains("unknown variant") && message.contains(&format!("line {line},")),
            "{message}"
        );
    }
    assert!(refused(&edited("\"fs:read\"", "\"workspace\"", "\"moon\"")).contains("unknown variant"));
    assert!(refused(&edited("\"fs:read\"", "critical", "weight = 1\ncritical")).contains("unknown field"));
    let header = TABLE.lines().position(|line| line.contains("\"mail:read\"")).unwrap();
    let message = refused(&edited("\"mail:read\"", "mail:read", "mail:steal"));
    assert_eq!(message, format!("the policy table, line {header}, mail:steal: no such capability"));
}

#[test]
fn a_second_row_for_the_same_is_refused() {
    let message = refused(&edited("\"mail:write\"", "mail:write", "mail:read"));
    assert!(message.contains("mail:read: there is another row for it"), "{message}");
    let message = refused(&edited("\"fs:read\"", "\"workspace\"", "\"territory\""));
    assert!(message.contains("fs:read in the territory: there is another"), "{message}");
}

#[test]
fn a_table_that_contradicts_itself_is_refused() {
    let cases = [
        ("\"unknown\"", "full = \"deny\"", "full = \"ask\"", "nothing may allow it"),
        ("\"fs:read\"", "place = \"workspace\"\n", "", "they need one"),
        ("\"mail:read\"", "does", "place = \"outside\"\ndoes", "a place is for"),
        ("\"mail:read\"", "supervised = \"allow\"", "supervised = \"deny\"", "narrower level"),
        ("\"code:exec\"", "full = \"ask\"", "full = \"allow\"", "what always asks"),
        ("\"code:exec\"", "to run code", " ", "does not say"),
    ];
    for (anchor, from, to, problem) in cases {
        let message = refused(&edited(anchor, from, to));
        assert!(message.contains(problem), "{message}");
    }
    let message = refused(&edited("[\"core\", \"unknown\"]", "\"core\", ", ""));
    assert!(message.contains("no row for core"), "{message}");
    assert!(refused("row = []").contains("missing field"), "the texts are part of it");
}

#[test]
fn levels_are_read_as_people_write_them() {
    for word in ["read-only", "readonly", "read_only", "ReadOnly", " READ-ONLY "] {
        assert_eq!(word.parse::<Level>().unwrap(), Level::ReadOnly, "{word}");
    }
    assert_eq!("supervised".parse::<Level>().unwrap(), Level::Supervised);
    assert_eq!("Full".parse::<Level>().unwrap(), Level::Full);
    assert!("root".parse::<Level>().is_err() && "".parse::<Level>().is_err());
    assert_eq!(serde_json::to_string(&Level::ReadOnly).unwrap(), "\"read_only\"");
    for level in Level::ALL {
        assert_eq!(level.to_string().parse::<Level>().unwrap(), level);
    }
}
