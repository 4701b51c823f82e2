//! On a full disk things can still be deleted, recorded and undone: that is when it is needed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::binary;
use metnos_testkit::{Fix, skipped};
use std::process::{Command, Output};

/// Runs a script on a small file system of its own, which holds everything of one Metnos.
fn on_a_small_disk(script: &str) -> Option<Output> {
    let disk = tempfile::tempdir().unwrap();
    // At night the judge asks sooner.
    let hour = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).hour();
    let unshare = |script: &str| {
        Command::new("unshare")
            .args(["-Urm", "/bin/sh", "-euc", script])
            .env_clear()
            .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
            .env("TZ", format!("Etc/GMT{:+}", hour - 12))
            .env("DISK", disk.path())
            .env("METNOS", binary())
            .output()
    };
    let mount = r#"mount -t tmpfs -o size=96m tmpfs "$DISK"; cd "$DISK"; mkdir home"#;
    let possible = unshare(&format!("{mount}; bwrap --ro-bind / / --unshare-all true"));
    if !possible.as_ref().is_ok_and(|output| output.status.success()) {
        skipped(&format!("no file system of one's own can be mounted here: {possible:?}"), Fix::None);
        return None;
    }
    let prepare = r#"
        export HOME="$DISK/home" METNOS_HOME="$DISK/metnos"; cd "$HOME"
        m() { "$METNOS" --json "$@"; }
        m init >/dev/null; m policy level full >/dev/null
        echo small > small; m exec delete_files '{"paths":["small"]}' >/dev/null
        head -c 20000000 /dev/zero | tr '\0' x > big
        sum=$(cksum < big)
        fill() { cat /dev/zero > "$DISK/fill" 2>/dev/null || true; [ "$(df --output=avail "$DISK" | tail -1)" -eq 0 ]; }
    "#;
    Some(unshare(&format!("{mount}\n{prepare}\n{script}")).unwrap())
}

fn succeeds(script: &str) {
    let Some(output) = on_a_small_disk(script) else { return };
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success() && out.ends_with("all of it\n"), "{}\n{out}\n{err}", output.status);
}

#[test]
fn a_file_is_deleted_recorded_and_undone() {
    succeeds(
        r#"
        fill
        m exec delete_files '{"paths":["big"]}' --call-id full
        test ! -e big
        grep -h '"full"' "$METNOS_HOME"/workspace/.audit/executors/*.jsonl | grep -q '"close"'
        m audit verify
        rm "$DISK/fill"
        m undo full
        test "$(cksum < big)" = "$sum"
        m audit verify
        echo all of it"#,
    );
}

#[test]
fn forgetting_frees_and_what_was_held_back_is_held_back_again() {
    succeeds(
        r#"
        test "$(stat -c %s "$METNOS_HOME/state/reserve")" -eq 4194304
        fill
        m exec delete_files '{"paths":["big"]}' --call-id full
        test ! -e "$METNOS_HOME/state/reserve"
        m undo --forget full
        # The kernel gives the space back once the cell that had the file is gone.
        n=0; until [ "$(df --output=avail "$DISK" | tail -1)" -gt 17000 ]; do n=$((n + 1)); [ $n -lt 300 ]; sleep 0.1; done
        m exec create_dirs '{"paths":["room"]}'
        test "$(stat -c %s "$METNOS_HOME/state/reserve")" -eq 4194304
        m audit verify
        echo all of it"#,
    );
}

#[test]
fn a_backup_that_finds_no_room_says_so_and_leaves_nothing() {
    succeeds(
        r#"
        mkdir "$DISK/out"
        fill
        if m backup "$DISK/out/b.tar.zst"; then exit 1; fi
        test -z "$(ls -A "$DISK/out")"
        rm "$DISK/fill"
        m backup "$DISK/out/b.tar.zst" > /dev/null
        m audit verify > /dev/null
        echo all of it"#,
    );
}
