//! What a person does on the first day.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use serde_json::json;

#[test]
fn init_gives_thirty_or_more_active_and_verified_executors() {
    let house = House::new();
    let listed = house.run(&["executors", "list", "--json"]).json();
    let rows = listed.as_array().unwrap();
    assert!(rows.len() >= 30, "{} executors", rows.len());
    for row in rows {
        assert_eq!(row["state"], "active", "{row}");
        assert_eq!(row["verified"], true, "{row}");
    }
}

#[test]
fn init_again_changes_nothing() {
    let house = House::new();
    let again = house.run(&["init", "--json"]).json();
    assert_eq!(again["installed"], json!([]));
    assert_eq!(again["host_changed"], false);
}

#[test]
fn doctor_breaks_each_layer_and_fails() {
    let house = House::new();
    let report = house.run(&["doctor", "--json"]).json();
    assert_eq!(report["ok"], true, "{report}");
    for layer in ["mount layer", "landlock layer", "seccomp layer"] {
        assert!(
            report["findings"].as_array().unwrap().iter().any(|f| f["check"] == layer && f["ok"] == true),
            "{report}"
        );
    }
}

#[test]
fn before_init_every_command_says_what_to_do() {
    let house = House::bare();
    let ran = house.run(&["exec", "get_now"]);
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.contains("metnos init"), "{ran:?}");
}

#[test]
fn all_birth_tests_pass_in_the_real_sandbox() {
    let house = House::new();
    let ran = house.run(&["executors", "test"]);
    assert_eq!(ran.code, Some(0), "{}", ran.stdout);
}

#[test]
fn the_folders_of_a_translated_desktop_are_found_and_an_undo_says_what_it_took_back() {
    let house = House::new();
    house.write("Documenti/nota.txt", "x");
    house.write(".config/user-dirs.dirs", "XDG_DOCUMENTS_DIR=\"$HOME/Documenti\"\n");
    let told = house.run(&["--json", "ask", "quanti file ci sono nei Documenti?"]).json();
    assert!(told["text"].as_str().unwrap().contains('1'), "{told}");
    let order = "crea la cartella ~/Documents/Casa";
    let made = house.run(&["--json", "ask", order]).json();
    assert_eq!(made["status"], "done", "{made}");
    assert!(house.home().join("Documenti/Casa").is_dir() && !house.home().join("Documents").exists());
    let undone = house.run(&["--json", "ask", "annulla"]).json();
    assert_eq!(undone["text"], format!("Annullato: “{order}”."), "{undone}");
    assert!(!house.home().join("Documenti/Casa").exists());
}
