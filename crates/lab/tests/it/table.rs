//! The attack table keeps its promise, and the product has nothing of the test build in it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use metnos_testkit::{Fix, skipped};
use serde_json::Value;
use std::path::PathBuf;
use std::process::Command;

/// The test build; without it there is nothing to attack.
fn lab() -> Option<PathBuf> {
    let found = metnos_testkit::lab();
    if found.is_none() {
        skipped("no test build", Fix::Run("make lab"));
    }
    found
}

#[test]
fn every_attack_is_refused_by_the_layer_it_names_and_by_no_other() {
    let Some(lab) = lab() else { return };
    let ran =
        Command::new(env!("CARGO_BIN_EXE_metnos-lab")).arg("--fast").env("METNOS_LAB", lab).output().unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    let rows: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (summary, rows) = rows.split_last().unwrap_or_else(|| panic!("{:?}", ran.stderr));
    for row in rows {
        assert!(row["refused"] == true && row["control"] == true, "{row}");
    }
    assert!(rows.len() >= 20, "{} rows; {}", rows.len(), String::from_utf8_lossy(&ran.stderr));
    assert_eq!(summary["attacks"], rows.len());
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn every_guard_stops_what_happens_without_it() {
    let Some(lab) = lab() else { return };
    let ran = Command::new(env!("CARGO_BIN_EXE_metnos-lab"))
        .arg("--guards")
        .env("METNOS_LAB", lab)
        .output()
        .unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    for row in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        assert!(row["guard"].is_null() || (row["refused"] == true && row["control"] == true), "{row}");
    }
    assert!(ran.status.success(), "{text} {}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn used_up_processor_time_is_said_to_be_that() {
    let Some(lab) = lab() else { return };
    let ran = Command::new(env!("CARGO_BIN_EXE_metnos-lab"))
        .arg("burn-processor")
        .env("METNOS_LAB", lab)
        .output()
        .unwrap();
    let text = String::from_utf8(ran.stdout).unwrap();
    for row in text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()) {
        let errno = row["errno"].as_str();
        assert!(errno.is_none_or(|errno| errno.starts_with("limit_exceeded:cpu")), "{row}");
    }
    assert!(ran.status.success(), "{text}{}", String::from_utf8_lossy(&ran.stderr));
}

#[test]
fn the_product_knows_no_switch_of_the_test_build_and_no_hostile_seed() {
    let product = metnos_testkit::product();
    let host = product.with_file_name("metnos-host");
    for program in [&product, &host] {
        let bytes =
            std::fs::read(program).unwrap_or_else(|e| panic!("{}: {e}; run `make build`", program.display()));
        for trace in ["METNOS_LAB", "signatures_candidates", "signatures_graylist", "nothing was tried"] {
            let found = bytes.windows(trace.len()).any(|window| window == trace.as_bytes());
            assert!(!found, "{} contains {trace:?}", program.display());
        }
    }
}
