//! Changes on another file system are undone one after the other: what is given back there is a copy, and the
//! change before knows it all the same.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::binary;
use metnos_testkit::{Fix, skipped};
use std::process::{Command, Output};

/// Runs a script in a home that has a file system of its own in `usb`.
fn with_a_second_mount(script: &str) -> Option<Output> {
    let dir = tempfile::tempdir().unwrap();
    // At night the judge asks sooner.
    let hour = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).hour();
    let unshare = |script: &str| {
        Command::new("unshare")
            .args(["-Urm", "/bin/sh", "-euc", script])
            .env_clear()
            .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
            .env("TZ", format!("Etc/GMT{:+}", hour - 12))
            .env("DIR", dir.path())
            .env("METNOS", binary())
            .output()
    };
    let mount = r#"mkdir -p "$DIR/home/usb"; mount -t tmpfs -o size=64m tmpfs "$DIR/home/usb""#;
    let possible = unshare(&format!("{mount}; bwrap --ro-bind / / --unshare-all true"));
    if !possible.as_ref().is_ok_and(|output| output.status.success()) {
        skipped(&format!("no file system of one's own can be mounted here: {possible:?}"), Fix::None);
        return None;
    }
    let prepare = r#"
        export HOME="$DIR/home" METNOS_HOME="$DIR/metnos"; cd "$HOME"
        m() { "$METNOS" --json "$@"; }
        put() { m exec write_files "{\"path\":\"$1\",\"content\":\"$2\",\"mode\":\"overwrite\"}" >/dev/null; }
        is() { test "$(cat "$1")" = "$2" || { echo "$1 holds $(cat "$1"), not $2"; exit 1; }; }
        m init >/dev/null; m policy level full >/dev/null
    "#;
    Some(unshare(&format!("{mount}\n{prepare}\n{script}")).unwrap())
}

fn succeeds(script: &str) {
    let Some(output) = with_a_second_mount(script) else { return };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && out.ends_with("all of it\n"), "{}\n{out}\n{err}", output.status);
}

#[test]
fn each_version_of_a_file_comes_back_in_turn() {
    succeeds(
        r#"
        printf one > usb/note.txt; chmod 640 usb/note.txt; touch -d 2020-02-02T02:02:02 usb/note.txt
        before=$(stat -c '%a %y' usb/note.txt)
        for version in two three four five; do put usb/note.txt "$version"; done
        for version in four three two one; do m undo; is usb/note.txt "$version"; done
        test "$(stat -c '%a %y' usb/note.txt)" = "$before"
        m audit verify
        echo all of it"#,
    );
}

#[test]
fn a_file_that_went_across_and_back_is_still_known() {
    succeeds(
        r#"
        printf one > note.txt
        put note.txt two
        m exec move_files '{"paths":["note.txt"],"dst_dir":"usb/in"}' >/dev/null
        put usb/in/note.txt three
        m exec delete_files '{"paths":["usb/in/note.txt"]}' >/dev/null
        m undo; is usb/in/note.txt three
        m undo; is usb/in/note.txt two
        m undo; is note.txt two; test ! -e usb/in
        m undo; is note.txt one
        echo all of it"#,
    );
}

#[test]
fn a_folder_that_was_deleted_and_is_back_is_still_known() {
    succeeds(
        r#"
        m exec create_dirs '{"paths":["usb/a","b"]}' >/dev/null
        put usb/a/x one
        m exec move_files '{"paths":["usb/a"],"dst_dir":"b"}' >/dev/null
        m exec delete_dirs '{"paths":["b/a"],"recursive":true}' >/dev/null
        m undo; is b/a/x one
        m undo; is usb/a/x one; test ! -e b/a
        m undo; test ! -e usb/a/x; test -d usb/a
        m undo; test ! -e usb/a; test ! -e b
        echo all of it"#,
    );
}

#[test]
fn what_a_person_wrote_in_between_is_left_alone() {
    succeeds(
        r#"
        printf one > usb/note.txt
        put usb/note.txt two
        put usb/note.txt three
        m undo; is usb/note.txt two
        printf mine > usb/note.txt
        if m undo; then echo "it was undone"; exit 1; fi
        is usb/note.txt mine
        echo all of it"#,
    );
}
