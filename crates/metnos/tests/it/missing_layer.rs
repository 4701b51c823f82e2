//! A machine on which a layer is missing: nothing that needs it runs, and the command that fixes it is said.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use crate::support::{House, binary};
use metnos_testkit::{Fix, skipped};
use std::process::{Command, Output};

/// There is no bubblewrap.
const MISSING: &str = "mount -t tmpfs tmpfs /usr/local/bin; mount -t tmpfs tmpfs /usr/bin";
/// There is one, and it cannot be run.
const BROKEN: &str = "mount --bind /dev/null /usr/bin/bwrap";

/// Runs `metnos ARGS…` after this was done to the machine, as this process sees it.
fn run_where(house: &House, hide: &str, args: &str) -> Option<Output> {
    let run = |then: &str| {
        Command::new("unshare")
            .args(["-Urm", "/bin/sh", "-euc", &format!("{hide}; {then}")])
            .env_clear()
            .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
            .env("HOME", house.home())
            .env("METNOS_HOME", house.metnos())
            .env("METNOS", binary())
            .current_dir(house.home())
            .output()
    };
    let possible = run(":");
    if !possible.as_ref().is_ok_and(|output| output.status.success()) {
        skipped(&format!("no mount of one's own can be made here: {possible:?}"), Fix::None);
        return None;
    }
    Some(run(&format!("exec \"$METNOS\" {args}")).unwrap())
}

#[test]
fn without_bubblewrap_nothing_with_files_runs_and_the_remedy_is_said() {
    let house = House::new();
    house.write("Documents/a.txt", "a");
    let call = "--json exec read_files '{\"paths\":[\"Documents/a.txt\"]}'";
    for (hide, remedy) in [(MISSING, "apt-get install -y bubblewrap"), (BROKEN, "metnos doctor")] {
        let Some(refused) = run_where(&house, hide, call) else { return };
        let told = String::from_utf8_lossy(&refused.stdout).into_owned();
        assert_eq!(refused.status.code(), Some(3), "{told}");
        assert!(told.contains("sandbox_unavailable") && told.contains(remedy), "{told}");
        let doctor = run_where(&house, hide, "doctor").unwrap();
        let told = String::from_utf8_lossy(&doctor.stdout).into_owned();
        assert!(!doctor.status.success() && told.contains("apt-get install -y bubblewrap"), "{told}");
    }
    // The same house with the layer there.
    let read = house.exec("read_files", serde_json::json!({ "paths": ["Documents/a.txt"] }));
    assert_eq!(read["ok"], true, "{read}");
    house.chain_holds();
}
