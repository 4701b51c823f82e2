//! Places outside the territory: asked about as the table says, given to the one call that was let through, and
//! nothing around them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::daemon::Daemon;
use crate::support::{House, Ran};
use serde_json::{Value, json};
use std::path::PathBuf;

/// A folder that nobody opened to Metnos, with two files.
struct Elsewhere(tempfile::TempDir);

impl Elsewhere {
    fn new() -> Self {
        let dir = tempfile::tempdir_in("/var/tmp").unwrap();
        std::fs::create_dir(dir.path().join("in")).unwrap();
        std::fs::write(dir.path().join("in/a.txt"), "the first").unwrap();
        std::fs::write(dir.path().join("in/b.txt"), "the second").unwrap();
        Self(dir)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }
}

fn approval(ran: &Ran) -> String {
    assert_eq!(ran.code, Some(4), "{ran:?}");
    let told = ran.json();
    let id = told["approval"].as_str().or(told["error"]["approval"].as_str());
    id.unwrap_or_else(|| panic!("{told}")).to_owned()
}

fn approved(house: &House, id: &str, how: &[&str]) -> Value {
    let done = house.run(&[&["--json", "approve", id][..], how].concat());
    assert_eq!(done.code, Some(0), "{done:?}");
    done.json()
}

#[test]
fn reading_outside_asks_and_a_yes_gives_that_place_once() {
    let (house, elsewhere) = (House::supervised(), Elsewhere::new());
    let file = elsewhere.path("in/a.txt");
    let asked = house.exec_asking("read_files", json!({ "paths": [file] }));
    let card = asked.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(card.contains(elsewhere.path("in").to_str().unwrap()), "{card}");
    let read = approved(&house, &approval(&asked), &[]);
    assert_eq!(read["entries"][0]["content"], "the first", "{read}");
    // Once is once, and the file beside it is another question.
    approval(&house.exec_asking("read_files", json!({ "paths": [file] })));
    approval(&house.exec_asking("read_files", json!({ "paths": [elsewhere.path("in/b.txt")] })));
    // In plain words, also where a daemon keeps cells ready.
    let daemon = Daemon::start(&house);
    let words = format!("how many files are in {}?", elsewhere.path("in").display());
    let asked = house.run(&["--json", "ask", &words]);
    let told = approved(&house, &approval(&asked), &[]);
    assert_eq!(told["text"], "2", "{told}");
    approval(&house.run(&["--json", "ask", &words]));
    assert!(daemon.stop());
    house.chain_holds();
}

#[test]
fn a_lasting_yes_to_reading_is_for_that_folder_and_no_other() {
    let (house, elsewhere, other) = (House::supervised(), Elsewhere::new(), Elsewhere::new());
    let asked = house.exec_asking("list_dirs", json!({ "paths": [elsewhere.path("in")] }));
    approved(&house, &approval(&asked), &["--always"]);
    let again = house.exec_asking("list_dirs", json!({ "paths": [elsewhere.path("in")] }));
    assert_eq!((again.code, &again.json()["ok_count"]), (Some(0), &json!(2)), "{again:?}");
    approval(&house.exec_asking("list_dirs", json!({ "paths": [other.path("in")] })));
    // Reading is not changing, which asks every time.
    approval(&house.exec_asking("delete_files", json!({ "paths": [elsewhere.path("in/a.txt")] })));
    assert!(elsewhere.path("in/a.txt").exists());
}

#[test]
fn changing_outside_asks_every_time_is_done_after_a_yes_and_taken_back_by_undo() {
    let (house, elsewhere) = (House::new(), Elsewhere::new());
    let (file, made) = (elsewhere.path("in/a.txt"), elsewhere.path("new/sub"));
    for _ in 0..2 {
        let asked = house.exec_asking("delete_files", json!({ "paths": [file] }));
        approved(&house, &approval(&asked), &[]);
        assert!(!file.exists(), "also at the level full it is asked about, and then done");
        let undone = house.run(&["--json", "undo"]).json();
        assert_eq!((&undone["reversed"], &undone["conflicts"]), (&json!(1), &json!([])), "{undone}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "the first");
    }
    let asked = house.exec_asking("create_dirs", json!({ "paths": [made] }));
    approved(&house, &approval(&asked), &[]);
    assert!(made.is_dir());
    house.write("mine.txt", "mine");
    let asked =
        house.exec_asking("move_files", json!({ "paths": ["mine.txt"], "dst_dir": elsewhere.path("in") }));
    approved(&house, &approval(&asked), &[]);
    assert_eq!(std::fs::read_to_string(elsewhere.path("in/mine.txt")).unwrap(), "mine");
    assert_eq!(std::fs::read_to_string(elsewhere.path("in/b.txt")).unwrap(), "the second");
    let undone = house.run(&["--json", "undo"]).json();
    assert_eq!(undone["conflicts"], json!([]), "{undone}");
    assert!(house.home().join("mine.txt").exists() && !elsewhere.path("in/mine.txt").exists());
    let left: Vec<_> =
        std::fs::read_dir(elsewhere.path("")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| name != ".metnos-undo"), "nothing of ours stays there: {left:?}");
    house.chain_holds();
}

#[test]
fn core_stays_shut_read_only_denies_and_nobody_else_is_asked() {
    let (house, elsewhere) = (House::supervised(), Elsewhere::new());
    for core in ["/etc/passwd", "/proc/1/environ"] {
        let refused = house.exec_asking("read_files", json!({ "paths": [core] }));
        assert_eq!(refused.code, Some(3), "{core}: {refused:?}");
    }
    // A link that leads into the core is the core.
    std::os::unix::fs::symlink("/etc", elsewhere.path("in/way")).unwrap();
    let refused = house.exec_asking("read_files", json!({ "paths": [elsewhere.path("in/way/passwd")] }));
    assert_eq!(refused.code, Some(3), "{refused:?}");
    let gone = house.exec_asking("read_files", json!({ "paths": [elsewhere.path("in/none.txt")] }));
    assert_eq!(
        gone.json()["error"]["class"],
        "not_found",
        "nobody is asked about what is not there: {gone:?}"
    );
    assert_eq!(house.run(&["policy", "level", "readonly"]).code, Some(0));
    for (executor, args) in [
        ("read_files", json!({ "paths": [elsewhere.path("in/a.txt")] })),
        ("delete_files", json!({ "paths": [elsewhere.path("in/a.txt")] })),
    ] {
        let refused = house.exec_asking(executor, args);
        assert_eq!(refused.code, Some(3), "{executor}: {refused:?}");
    }
    assert!(elsewhere.path("in/a.txt").exists());
    house.chain_holds();
}
