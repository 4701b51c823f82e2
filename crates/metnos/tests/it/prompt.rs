//! The prompt, at a terminal: questions in the middle of a turn are asked, heard and can be left.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::pty::Pty;

const CTRL_C: &str = "\x03";
const CTRL_D: &str = "\x04";
const UP: &str = "\x1b[A";
const HOME: &str = "\x01";
const TAB: &str = "\t";

#[test]
fn a_follow_up_question_is_asked_and_its_answer_is_heard() {
    let house = House::new();
    house.write("Documents/a.txt", "alpha");
    let mut pty = Pty::start(&house, "");
    pty.shows("metnos> ");
    pty.keys("move Documents/a.txt\n");
    pty.shows("Where to? ");
    pty.keys("Archive\n");
    pty.shows("1 file moved.");
    pty.shows("metnos> ");
    assert!(house.home().join("Archive/a.txt").exists());
    pty.keys("quit\n");
    assert_eq!(pty.ends(), Some(0));
}

#[test]
fn ctrl_c_leaves_a_question_and_a_line_and_ctrl_d_the_prompt() {
    let house = House::new();
    house.write("Documents/a.txt", "alpha");
    let mut pty = Pty::start(&house, "");
    pty.shows("metnos> ");
    pty.keys("move Documents/a.txt\n");
    pty.shows("Where to? ");
    pty.keys(CTRL_C);
    pty.shows("Stopped.");
    pty.shows("metnos> ");
    assert!(house.home().join("Documents/a.txt").exists());
    // A line that is given up is not run, and the prompt stays.
    pty.keys("delete Documents/a.txt");
    pty.keys(CTRL_C);
    pty.shows("Ctrl-D or quit leaves.");
    pty.shows("metnos> ");
    assert!(house.home().join("Documents/a.txt").exists());
    pty.keys(CTRL_D);
    assert_eq!(pty.ends(), Some(0));
}

#[test]
fn ctrl_c_at_a_card_leaves_it_waiting() {
    let house = House::supervised();
    house.write("Documents/a.txt", "alpha");
    let mut pty = Pty::start(&house, "ask delete Documents/a.txt");
    pty.shows("undone");
    pty.shows("> ");
    pty.keys(CTRL_C);
    // At the question, or just before it: nothing is done, and the question stays.
    assert!(matches!(pty.ends(), Some(4 | 130)));
    assert!(house.home().join("Documents/a.txt").exists());
    assert_eq!(house.run(&["--json", "approvals"]).json().as_array().map(Vec::len), Some(1));
}

#[test]
fn a_prompt_that_is_piped_into_reads_every_line() {
    let house = House::new();
    house.write("Documents/a.txt", "alpha");
    let ran = house.run_with(&[], b"move Documents/a.txt\nhow many files are in Documents?\n");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("Where to?"), "nobody is there to answer: {ran:?}");
    assert!(ran.stdout.lines().any(|line| line == "1"), "{ran:?}");
}

#[test]
fn a_request_that_begins_like_a_command_is_a_request() {
    let house = House::new();
    house.write("Downloads/ticket.pdf", "ticket");
    house.write("Pictures/Natale/tree.jpg", "tree");
    let ran = house.run_with(&[], b"list the files in Downloads\nshow me the pictures in Pictures/Natale\n");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.stdout.contains("ticket.pdf") && ran.stdout.contains("tree.jpg"), "{ran:?}");
    assert!(!ran.stdout.contains("compute_numbers"), "no list of executors: {ran:?}");
    let help = house.run_with(&[], b"help me find the file ticket.pdf\n");
    assert!(!help.stdout.contains("help, quit"), "{help:?}");
    let commands = house.run_with(&[], b"list\nshow find_files\nhelp\n");
    let all = ["compute_numbers", "base_path", "help, quit"];
    assert!(all.iter().all(|word| commands.stdout.contains(word)), "{commands:?}");
}

#[test]
fn a_card_hears_plain_words_and_says_what_it_did_not_understand() {
    let house = House::supervised();
    house.write("Documents/a.txt", "alpha");
    let file = house.home().join("Documents/a.txt");
    let mut pty = Pty::start(&house, "");
    pty.shows("metnos> ");
    for (typed, told) in [
        ("cancel", "You said no; nothing was done."),
        ("no, move it to Archive instead", "You said no; nothing was done."),
    ] {
        pty.keys("delete Documents/a.txt\n");
        pty.shows("[l]ater > ");
        pty.keys("maybe tomorrow\n");
        pty.shows("is none of the answers");
        pty.shows("[l]ater > ");
        pty.keys(&format!("{typed}\n"));
        pty.shows(told);
        pty.shows("metnos> ");
        assert!(file.exists(), "{typed}");
    }
    pty.keys("delete Documents/a.txt\n");
    pty.shows("[l]ater > ");
    pty.keys("va bene\n");
    pty.shows("1 file deleted");
    pty.shows("metnos> ");
    assert!(!file.exists());
    house.write("Documents/b.txt", "beta");
    pty.keys("delete Documents/b.txt\n");
    pty.shows("[l]ater > ");
    pty.keys("never\n");
    pty.shows("delete_files in ");
    pty.shows("metnos policy revoke");
    pty.keys("quit\n");
    assert_eq!(pty.ends(), Some(0));
}

#[test]
fn a_question_is_left_with_a_no() {
    let house = House::new();
    house.write("Documents/a.txt", "alpha");
    let mut pty = Pty::start(&house, "");
    pty.shows("metnos> ");
    pty.keys("move Documents/a.txt\n");
    pty.shows("Where to? ");
    pty.keys("cancel\n");
    pty.shows("Stopped.");
    pty.shows("metnos> ");
    assert!(house.home().join("Documents/a.txt").exists() && !house.home().join("cancel").exists());
    pty.keys("quit\n");
    assert_eq!(pty.ends(), Some(0));
}

fn history(house: &House) -> String {
    let file = house.metnos().join("state/history/host");
    let kept = std::fs::read_to_string(&file).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&file).unwrap().permissions());
    assert_eq!(mode & 0o777, 0o600);
    kept
}

#[test]
fn lines_are_edited_and_earlier_ones_come_back_in_the_next_prompt() {
    let house = House::new();
    house.write("Documents/a.txt", "alpha");
    let mut pty = Pty::start(&house, "");
    pty.shows("metnos> ");
    // Typed in the wrong order, and put right.
    pty.keys("many files are in Documents?");
    pty.keys(HOME);
    pty.keys("how \n");
    pty.shows("K1\r\n");
    pty.shows("metnos> ");
    pty.keys("quit\n");
    assert_eq!(pty.ends(), Some(0));
    let mut pty = Pty::start(&house, "");
    pty.shows("metnos> ");
    pty.keys(&format!("{UP}{UP}"));
    pty.shows("how many files are in Documents?");
    pty.keys("\n");
    pty.shows("K1\r\n");
    pty.shows("metnos> ");
    pty.keys(CTRL_D);
    assert_eq!(pty.ends(), Some(0));
    assert_eq!(history(&house).matches("how many files").count(), 2, "{}", history(&house));
}

#[test]
fn a_secret_and_a_line_after_a_space_are_not_remembered() {
    let house = House::new();
    let secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    let mut pty = Pty::start(&house, "");
    for line in ["what time is it", " what time is it now", &format!("wombat {secret}")] {
        pty.shows("metnos> ");
        pty.keys(&format!("{line}\n"));
    }
    pty.shows("metnos> ");
    pty.keys("quit\n");
    assert_eq!(pty.ends(), Some(0));
    let kept = history(&house);
    assert!(kept.contains("what time is it\n") && !kept.contains("now") && !kept.contains("ghp_"), "{kept}");
}

#[test]
fn tab_completes_executors_their_arguments_folders_and_paths() {
    let house = House::new();
    house.write("Documents/a.txt", "alpha");
    house.write("Recipes/cake.txt", "cake");
    let mut pty = Pty::start(&house, "");
    pty.shows("metnos> ");
    pty.keys(&format!("find_pack{TAB}"));
    pty.shows("find_packages ");
    pty.keys(CTRL_C);
    pty.shows("metnos> ");
    pty.keys(&format!("find_files base{TAB}~/Reci{TAB}"));
    pty.shows("base_path=~/Recipes/");
    pty.keys("\n");
    pty.shows("cake.txt");
    pty.shows("metnos> ");
    pty.keys(&format!("how many files are in Reci{TAB}"));
    pty.shows("in Recipes/");
    pty.keys("\n");
    pty.shows("K1\r\n");
    pty.shows("metnos> ");
    pty.keys(&format!("show find_pac{TAB}\n"));
    pty.shows("find_packages");
    pty.shows("metnos> ");
    pty.keys("quit\n");
    assert_eq!(pty.ends(), Some(0));
}

#[test]
fn each_line_that_is_pasted_is_a_request_and_none_answers_a_card() {
    let house = House::supervised();
    house.write("Documents/a.txt", "alpha");
    let mut pty = Pty::start(&house, "");
    pty.shows("metnos> ");
    pty.keys("\x1b[200~delete Documents/a.txt\ny\nhow many files are in Documents?\x1b[201~");
    pty.keys("\n");
    pty.shows("[l]ater > ");
    assert!(house.home().join("Documents/a.txt").exists(), "the card is answered by whoever reads it");
    pty.keys("n\n");
    pty.shows("You said no; nothing was done.");
    pty.shows("metnos> how many files are in Documents?");
    pty.shows("K1\r\n");
    pty.keys("quit\n");
    assert_eq!(pty.ends(), Some(0));
    assert!(house.home().join("Documents/a.txt").exists());
}

#[test]
fn who_is_ended_at_the_prompt_gives_the_terminal_back() {
    let house = House::new();
    let looks = "stty -a | grep -o -- '-*icanon'";
    let line = format!("{looks}; sh -c 'echo $$ > pid; exec \"{{metnos}}\"'; {looks}; echo over");
    let mut pty = Pty::start_shell(&house, &line);
    pty.shows("icanon");
    pty.shows("metnos> ");
    let pid = std::fs::read_to_string(house.home().join("pid")).unwrap();
    let pid = rustix::process::Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    let after = pty.until("over");
    assert!(after.contains("icanon") && !after.contains("-icanon"), "{after}");
}
