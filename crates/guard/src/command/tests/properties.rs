use super::*;
use proptest::prelude::*;

/// Text made of what a shell cares about.
fn shellish() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "rm", "-rf", "/", " ", "'", "\"", "\\", "$", "(", ")", "{", "}", "`", ";", "|", "&", "<", ">", "*",
        "~", "#", "\n", "=", "sh -c ", "eval ", "sudo ", "xargs ", "find ", "x", "é", "\0", "!", "[", "]",
        ",",
    ]);
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// A command of the table that is harmful, as words.
fn harmful() -> impl Strategy<Value = Vec<String>> {
    let rows: Vec<Vec<String>> = table()
        .into_iter()
        .filter(|(expected, _, words)| expected.starts_with("harm") && !words)
        .map(|(_, line, _)| Argv::parse(line).unwrap().words().to_vec())
        .collect();
    prop::sample::select(rows)
}

/// `word` written so that a shell reads the same: each character in quotes, escaped or bare.
fn disguise(word: &str, choices: &[u8]) -> String {
    let mut out = String::from(if word.is_empty() { "''" } else { "" });
    for (n, c) in word.chars().enumerate() {
        let bare = c.is_alphanumeric() || "-_/.~".contains(c);
        match choices.get(n % choices.len().max(1)).copied().unwrap_or(0) % 5 {
            0 if bare => out.push(c),
            1 if c != '\'' => out.push_str(&format!("'{c}'")),
            2 if !"\"\\$`".contains(c) => out.push_str(&format!("\"{c}\"")),
            3 => out.push_str(&format!("''\"\"{}", Argv::from_words(vec![c.into()]).unwrap().display())),
            _ if c == '\n' => out.push_str("'\n'"),
            _ => out.extend(['\\', c]),
        }
    }
    out
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".*") {
        if let Ok(argv) = Argv::parse(&text) {
            judge_command(&argv, &Lists::default());
        }
    }

    #[test]
    fn any_shell_text_is_read_or_refused(text in shellish()) {
        let lists = Lists::shipped().unwrap();
        if let Ok(argv) = Argv::parse(&text) {
            judge_command(&argv, &lists);
        }
        for wrap in [vec!["sh", "-c"], vec!["eval"], vec!["find", "/x", "-exec"], vec!["env", "-S"], vec!["sudo"]] {
            let words = wrap.into_iter().chain([text.as_str()]).map(str::to_owned).collect();
            if let Ok(argv) = Argv::from_words(words) {
                judge_command(&argv, &lists);
            }
        }
    }

    #[test]
    fn what_is_shown_reads_back_as_the_same_words(words in prop::collection::vec("[^\0]{0,12}", 1..6)) {
        prop_assume!(!words[0].is_empty());
        let argv = Argv::from_words(words).unwrap();
        prop_assert_eq!(Argv::parse(&argv.display()).unwrap(), argv);
    }

    #[test]
    fn shellish_words_read_back_too(words in prop::collection::vec(shellish(), 1..4)) {
        prop_assume!(!words[0].is_empty() && words.iter().all(|w| !w.contains('\0')));
        let argv = Argv::from_words(words).unwrap();
        prop_assert_eq!(Argv::parse(&argv.display()).unwrap(), argv);
    }

    #[test]
    fn quotes_never_make_harm_harmless(
        words in harmful(),
        choices in prop::collection::vec(any::<u8>(), 1..12),
    ) {
        let line = words.iter().map(|w| disguise(w, &choices)).collect::<Vec<_>>().join(" ");
        let argv = Argv::parse(&line).unwrap();
        prop_assert_eq!(argv.words(), words.as_slice());
        prop_assert!(shape(&argv).is_some(), "{}", line);
    }

    #[test]
    fn wrappers_never_make_harm_harmless(
        words in harmful(),
        wraps in prop::collection::vec(prop::sample::select(vec![
            "sudo", "sudo -u root", "env A=b", "nice -n 5", "nohup", "timeout 5", "busybox", "setsid",
            "ionice -c 3", "stdbuf -oL", "doas", "chroot /mnt", "strace -f", "sudo --odd",
        ]), 0..4),
        shells in 0_usize..3,
    ) {
        let mut all: Vec<String> = wraps.iter().flat_map(|w| w.split(' ')).map(str::to_owned).collect();
        all.extend(words);
        let mut argv = Argv::from_words(all).unwrap();
        for _ in 0..shells {
            argv = Argv::from_words(vec!["sh".into(), "-c".into(), argv.display()]).unwrap();
        }
        prop_assert!(shape(&argv).is_some(), "{}", argv);
    }

    #[test]
    fn a_harmful_command_is_found_anywhere_in_a_script(
        words in harmful(),
        before in prop::sample::select(vec!["true; ", "ls && ", "a || ", "if x; then ", "( ", "x | ", "x &\n", "! "]),
        after in prop::sample::select(vec!["", "; true", " && ls", " | cat", " &", " > /tmp/x"]),
    ) {
        let line = format!("{before}{}{after}", Argv::from_words(words).unwrap());
        let argv = Argv::from_words(vec!["bash".into(), "-lc".into(), line]).unwrap();
        prop_assert!(shape(&argv).is_some(), "{}", argv);
    }

    #[test]
    fn nothing_harmful_is_ever_allowed(words in harmful()) {
        let lists = Lists::shipped().unwrap().merge(Lists::parse(r#"allow = ["*:*:*"]"#).unwrap());
        let verdict = judge_command(&Argv::from_words(words).unwrap(), &lists);
        prop_assert_eq!(verdict.standing, Standing::Forbidden);
    }
}
