#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod properties;

use super::*;

const COMMANDS: &str = include_str!("commands.txt");

/// Expected outcome and command line of each line, and whether it is words already.
pub(super) fn table() -> Vec<(&'static str, &'static str, bool)> {
    let mut words = false;
    let mut rows = Vec::new();
    for line in COMMANDS.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        match line.split_once(" | ") {
            Some((expected, command)) => rows.push((expected, command, words)),
            None => words = line == "words",
        }
    }
    rows
}

fn outcome(line: &str, words: bool, lists: &Lists) -> String {
    let argv = match words {
        true => Argv::from_words(line.split(' ').map(str::to_owned).collect()),
        false => Argv::parse(line),
    };
    match argv {
        Err(CommandError::NeedsShell { construct, .. }) => format!("shell {construct:?}"),
        Err(error) => format!("{error}"),
        Ok(argv) => {
            let verdict = judge_command(&argv, lists);
            match verdict.harm {
                Some(harm) => format!("harm {}", harm.shape),
                None => format!("{:?}", verdict.standing).to_lowercase(),
            }
        }
    }
}

#[test]
fn every_command_line_gets_the_verdict_it_should() {
    let lists = Lists::shipped().unwrap();
    let rows = table();
    assert!(rows.len() > 300, "only {} lines were read", rows.len());
    let wrong: Vec<String> = rows
        .iter()
        .map(|(expected, line, words)| (expected, line, outcome(line, *words, &lists)))
        .filter(|(expected, _, got)| *expected != got)
        .map(|(expected, line, got)| format!("{line}\n    expected {expected}, got {got}"))
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), rows.len(), wrong.join("\n"));
}

#[test]
fn words_are_split_as_a_shell_splits_them() {
    let table: [(&str, &[&str]); 12] = [
        ("ls", &["ls"]),
        ("  ls \t -l  ", &["ls", "-l"]),
        ("a 'b c' \"d e\" f\\ g", &["a", "b c", "d e", "f g"]),
        ("a ''", &["a", ""]),
        ("a b'c'\"d\"e", &["a", "bcde"]),
        (r#"a "\$x \" \\ \n""#, &["a", "$x \" \\ \\n"]),
        (r"a '\n'", &["a", "\\n"]),
        ("a '$x `y` * ; | >'", &["a", "$x `y` * ; | >"]),
        (r"a \; \* \$x \| \#", &["a", ";", "*", "$x", "|", "#"]),
        ("find . -exec echo {} +", &["find", ".", "-exec", "echo", "{}", "+"]),
        ("a b#c 5$ x=1", &["a", "b#c", "5$", "x=1"]),
        ("a 'two\nlines'", &["a", "two\nlines"]),
    ];
    for (line, words) in table {
        assert_eq!(Argv::parse(line).unwrap().words(), words, "{line}");
    }
}

#[test]
fn a_refusal_says_what_where_and_what_to_do() {
    let table = [
        ("ls | wc", 4, "a pipe"),
        ("ls >x", 4, "a redirection"),
        ("echo \"a $x\"", 9, "a variable"),
        ("ls;ls", 3, "a second command"),
        ("é *", 3, "a wildcard"),
        ("ls\nls", 3, "a second line"),
        ("a\\\nb", 2, "a second line"),
    ];
    for (line, at, what) in table {
        let error = Argv::parse(line).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(what) && text.contains(&format!("column {at} ")), "{line}: {text}");
        assert!(!error.hint().is_empty());
    }
    for line in ["", "   ", "''", "a 'b", "a \"b", "a \\", "a $(b", "a `b", "a ${b", "a\0b", "'\0'", "a $'b"]
    {
        let error = Argv::parse(line).unwrap_err();
        assert!(!matches!(error, CommandError::NeedsShell { .. }), "{line}: {error}");
        assert!(!error.hint().is_empty());
    }
    assert!(matches!(Argv::parse(&"a ".repeat(20_000)), Err(CommandError::TooLong { .. })));
    assert!(Argv::from_words(vec![]).is_err());
    assert!(matches!(
        Argv::from_words(vec!["ab".into(), "c\0".into()]),
        Err(CommandError::Nul { column: 5 })
    ));
}

#[test]
fn a_signature_says_what_kind_of_act_it_is() {
    let table = [
        ("apt install vlc", "apt:install:package"),
        ("sudo apt -y install vlc", "apt:install:package"),
        ("systemctl restart nginx", "systemctl:restart:unit"),
        ("systemctl", "systemctl:list-units:"),
        ("ls /tmp", "ls::path"),
        ("df", "df::"),
        ("df -h", "df::"),
        ("ip addr show dev eth0", "ip:addr.show:text"),
        ("kill 12", "kill::number"),
        ("ping -c 1 host", "ping::host"),
        ("id bob", "id::user"),
        ("lsblk /dev/sda", "lsblk::device"),
        ("cat /dev/sda", "cat::device"),
        ("cat /dev/null", "cat::path"),
        ("chmod 755 x", "chmod::path"),
        ("python3 -c 1", "python3:code:path"),
        ("iptables -F", "iptables:flush:"),
        ("tar -czf a.tgz b", "tar:create:path"),
        ("tar -ctf a.tgz", "tar:create+list:path"),
        ("systemctl --odd status x", "systemctl:unclear:unit"),
        ("frob x", "frob::text"),
        ("'*' x", "%2a::text"),
        ("'a:b' x", "a%3ab::text"),
        ("/opt/x/ls", "/opt/x/ls::"),
        ("/usr/bin/ls", "ls::"),
        ("sudo -l", "sudo::text"),
    ];
    for (line, signature) in table {
        assert_eq!(Signature::of(&Argv::parse(line).unwrap()).to_string(), signature, "{line}");
    }
}

fn standing(lists: &Lists, line: &str) -> Standing {
    judge_command(&Argv::parse(line).unwrap(), lists).standing
}

#[test]
fn a_persons_list_moves_all_but_the_forbidden() {
    let user = Lists::parse(
        r#"
        allow = ["apt:install:package", "insmod:*:*", "dd:*:*", "rm:*:*", "frob:*:*", "sudo:apt:*"]
        grey = ["ls::*"]
        deny = ["df:*:*"]
        forbidden = ["uptime:*:*"]
        "#,
    )
    .unwrap();
    let lists = Lists::shipped().unwrap().merge(user);
    let table = [
        ("apt install vlc", Standing::Allow),
        ("sudo apt install vlc", Standing::Allow),
        ("sudo frob", Standing::Grey),
        ("dd if=a of=b", Standing::Allow),
        ("ls", Standing::Grey),
        ("df", Standing::Deny),
        ("frob x", Standing::Allow),
        ("uptime", Standing::Forbidden),
        ("insmod x.ko", Standing::Forbidden),
        ("rm -rf /", Standing::Forbidden),
        ("dd if=a of=/dev/sda", Standing::Forbidden),
        ("whoami", Standing::Allow),
        ("frobnicate", Standing::Unknown),
    ];
    for (line, expected) in table {
        assert_eq!(standing(&lists, line), expected, "{line}");
    }
    let all = Lists::parse(r#"allow = ["*:*:*"]"#).unwrap();
    let twice = lists.merge(all);
    assert_eq!(standing(&twice, "df"), Standing::Allow);
    assert_eq!(standing(&twice, "uptime"), Standing::Forbidden);
    assert_eq!(standing(&twice, "insmod x.ko"), Standing::Forbidden);
}

#[test]
fn lists_laid_over_each_other_keep_every_layer() {
    let layer = |text: &str| Lists::parse(text).unwrap();
    let inner = layer(r#"forbidden = ["b:*:*"]"#).merge(layer(r#"allow = ["c:*:*"]"#));
    let lists = layer(r#"forbidden = ["a:*:*"]"#).merge(inner);
    let table = [("a", Standing::Forbidden), ("b", Standing::Forbidden), ("c", Standing::Allow)];
    for (line, expected) in table {
        assert_eq!(standing(&lists, line), expected, "{line}");
    }
}

#[test]
fn within_one_list_the_stricter_wins() {
    let lists = Lists::parse(
        r#"allow = ["*:*:*"]
        grey = ["a:*:*", "b:*:*", "c:*:*"]
        deny = ["b:*:*", "c:*:*"]
        forbidden = ["c:*:*"]"#,
    )
    .unwrap();
    let table =
        [("z", Standing::Allow), ("a", Standing::Grey), ("b", Standing::Deny), ("c", Standing::Forbidden)];
    for (line, expected) in table {
        assert_eq!(standing(&lists, line), expected, "{line}");
    }
    assert_eq!(standing(&Lists::default(), "ls"), Standing::Unknown);
}

#[test]
fn no_shipped_entry_is_hidden_by_a_stricter_one() {
    let lists = Lists::shipped().unwrap();
    let example = |pattern: &Pattern| {
        let text = pattern.to_string().replace('*', "x");
        let mut fields = text.split(':').map(str::to_owned);
        let mut next = || fields.next().unwrap();
        Signature { binary: next(), subcommand: next(), target: next() }
    };
    for (list, expected) in
        [(&lists.allow, Standing::Allow), (&lists.grey, Standing::Grey), (&lists.deny, Standing::Deny)]
    {
        for pattern in list {
            assert_eq!(lists.classify(&example(pattern)), expected, "{pattern}");
        }
    }
}

#[test]
fn a_list_that_cannot_be_read_is_an_error() {
    for text in
        [r#"allow = ["ls"]"#, r#"allow = ["::"]"#, r#"allow = ["a:b:c:d"]"#, r#"allow = ["a b::"]"#, "x = 1"]
    {
        assert!(Lists::parse(text).is_err(), "{text}");
    }
    let text = Lists::parse(r#"allow = ["a"]"#).unwrap_err().to_string();
    assert!(text.contains("binary:subcommand:target"), "{text}");
}

#[test]
fn the_verdict_is_one_sentence() {
    let lists = Lists::shipped().unwrap();
    let table = [
        ("rm -rf ~", "Refused: it would delete a whole home (~)."),
        ("mkfs.ext4 /dev/sda", "Refused: it makes a new, empty file system and loses what was on the disk."),
        (
            "bash -c 'rm -rf $X'",
            "Refused: it cannot be checked before it runs: what `rm` would work on is only known then.",
        ),
        ("insmod x", "Refused: commands like insmod::text are never run."),
        ("visudo", "Refused: visudo:: is on the list of commands not to run, which you can edit."),
        ("apt install x", "This can change things, so it needs your yes first (apt:install:package)."),
        ("df", "This is on the list of commands that may run (df::)."),
        ("frob", "This is on no list of commands, so it needs your yes first (frob::)."),
    ];
    for (line, text) in table {
        assert_eq!(judge_command(&Argv::parse(line).unwrap(), &lists).text, text, "{line}");
    }
}

#[test]
fn tangles_are_refused_and_not_followed_for_ever() {
    let many = |word: &str, n: usize| vec![word.to_owned(); n];
    let mut deep = String::from("rm -rf /");
    for _ in 0..6 {
        deep = Argv::from_words(vec!["sh".into(), "-c".into(), deep]).unwrap().display();
    }
    assert_eq!(shape(&Argv::parse(&deep).unwrap()).unwrap().shape, "recursive-delete");
    let mut tangle = many("sudo", 10);
    tangle.insert(1, "--odd".into());
    let mut odd: Vec<String> = many("unshare", 40).into_iter().flat_map(|w| [w, "-Z".into()]).collect();
    odd.push("ls".into());
    for words in [many("eval", 20), many("eval", 400), many("ssh", 2000), odd] {
        assert_eq!(shape(&Argv::from_words(words).unwrap()).map(|h| h.shape), Some("unreadable"));
    }
    assert!(shape(&Argv::from_words(tangle).unwrap()).is_none());
}
