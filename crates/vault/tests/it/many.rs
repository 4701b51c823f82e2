//! Threads, vaults and processes at once.

use crate::house::{House, open_at, token, token_of};
use metnos_vault::Vault;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const EACH: usize = 15;

fn write(vault: &Vault, who: &str) {
    for n in 0..EACH {
        vault.set(&format!("{who}-{n}"), token(&format!("{who} {n}"))).unwrap();
        vault.set("shared", token(&format!("{who} {n}"))).unwrap();
        token_of(vault, "shared").unwrap();
        vault.list().unwrap();
    }
}

fn check(house: &House, writers: &[&str]) {
    let vault = house.vault();
    for who in writers {
        for n in 0..EACH {
            assert_eq!(token_of(&vault, &format!("{who}-{n}")).unwrap(), format!("{who} {n}"));
        }
    }
    assert_eq!(vault.list().unwrap().len(), writers.len() * EACH + 1);
    assert_eq!(vault.generation().unwrap() as usize, writers.len() * EACH * 2, "no change was lost");
    assert_eq!(house.snapshot().len(), writers.len() * EACH + 2);
}

#[test]
fn threads_and_two_vaults_lose_nothing() {
    let house = House::new();
    let (one, two) = (house.vault(), house.vault());
    std::thread::scope(|scope| {
        for (vault, who) in [(&one, "a"), (&one, "b"), (&two, "c"), (&two, "d")] {
            scope.spawn(move || write(vault, who));
        }
    });
    check(&house, &["a", "b", "c", "d"]);
}

#[test]
fn a_first_opening_by_many_makes_one_key() {
    let house = House::new();
    std::thread::scope(|scope| {
        for n in 0..8 {
            let house = &house;
            scope.spawn(move || house.vault().set(&format!("c{n}"), token("x")).unwrap());
        }
    });
    assert_eq!(house.vault().values().unwrap().count(), 8);
}

#[test]
fn processes_lose_nothing() {
    let house = House::new();
    let start = |who: &str| {
        Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "many::as_another_process", "--ignored"])
            .env("VAULT_TEST_ROOT", house.root.path())
            .env("VAULT_TEST_WHO", who)
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    };
    let children = ["p", "q", "r"].map(start);
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    check(&house, &["p", "q", "r"]);
}

#[test]
#[ignore = "run by processes_lose_nothing, in a process of its own"]
fn as_another_process() {
    let root = PathBuf::from(std::env::var_os("VAULT_TEST_ROOT").expect("only run by its parent"));
    write(&open_at(&root).unwrap(), &std::env::var("VAULT_TEST_WHO").unwrap());
}
