//! What `make dist` packs works on a machine without a Rust toolchain: each package is unpacked into a root of its own
//! that holds nothing else but bubblewrap and the C library, and set up and served there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use metnos_testkit::{Fix, repository, skipped};
use serde_json::Value;
use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The programs that the new root gets besides the package: the sandbox, and what the script below uses.
const PROGRAMS: [&str; 4] = ["/usr/bin/bwrap", "/bin/sh", "/bin/umount", "/bin/ls"];

/// Makes the folder its own root, shows that nothing of a toolchain is in it, sets Metnos up and serves. `bwrap` refuses
/// in a plain `chroot`; behind `pivot_root` the folder is a root like any other.
const SCRIPT: &str = r#"
    mount --bind "$ROOT" "$ROOT"
    cd "$ROOT"
    mount --rbind /proc proc; mount --rbind /dev dev; mount --rbind /sys sys
    pivot_root . old
    cd /
    umount -l /old
    for gone in cargo rustc cc make git python3; do ! command -v "$gone" >/dev/null; done
    [ ! -e /old/usr ]
    metnos="$(command -v metnos)"
    "$metnos" init --yes >/dev/null
    "$metnos" --json ask "what time is it" >/tmp/answer
    exec "$metnos" --json serve --listen 127.0.0.1:0
"#;

/// The package whose name ends so, if `make dist` was run.
fn package(ending: &str) -> Option<PathBuf> {
    let found = std::fs::read_dir(repository().join("target/dist")).ok().and_then(|entries| {
        entries.flatten().map(|entry| entry.path()).find(|path| path.to_string_lossy().ends_with(ending))
    });
    if found.is_none() {
        skipped("nothing was packed", Fix::Run("make dist"));
    }
    found
}

/// A program and the libraries it is linked with, at their places below `root`.
fn copy_program(program: &Path, root: &Path) {
    let listed = Command::new("ldd").arg(program).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    let libraries = listed.split_whitespace().filter(|word| word.starts_with('/')).map(PathBuf::from);
    for file in libraries.chain([program.to_owned()]) {
        let to = root.join(file.strip_prefix("/").unwrap());
        std::fs::create_dir_all(to.parent().unwrap()).unwrap();
        if !to.exists() {
            std::fs::copy(&file, &to).unwrap();
        }
    }
}

/// A daemon in a root of its own; ended with the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn is_refused_here() -> bool {
    let mut tried = Command::new("unshare");
    tried.args(namespaces()).args(["/bin/sh", "-c", "bwrap --ro-bind / / --unshare-all true"]);
    let output = tried.output();
    let refused = !output.as_ref().is_ok_and(|output| output.status.success());
    if refused {
        skipped(&format!("no root of one's own can be made here: {output:?}"), Fix::None);
    }
    refused
}

/// An ordinary account may mount only where it is root of a namespace of its own.
fn namespaces() -> &'static [&'static str] {
    if rustix::process::geteuid().is_root() { &["-m"] } else { &["-Urm"] }
}

/// Unpacks with `unpack FILE ROOT`, serves, and asks the daemon whether it is well.
fn works_in_a_root_of_its_own(package: &Path, prefix: &str, unpack: impl Fn(&Path, &Path) -> Command) {
    if is_refused_here() {
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    for folder in ["proc", "dev", "sys", "tmp", "old", "etc", "root", "lib64", prefix] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
    }
    let unpacked = unpack(package, &root).output().unwrap();
    assert!(unpacked.status.success(), "{unpacked:?}");
    for program in PROGRAMS {
        copy_program(Path::new(program), &root);
    }
    copy_program(&root.join(prefix).join("lib/metnos/metnos"), &root);

    let path = format!("/{prefix}/bin:/usr/bin:/bin:/usr/sbin:/sbin");
    let mut command = Command::new("unshare");
    command.args(namespaces()).args(["/bin/sh", "-euc", SCRIPT]).env_clear();
    command.env("PATH", path).env("ROOT", &root).env("HOME", "/root").env("METNOS_HOME", "/root/metnos");
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut served = Served(child);
    let mut line = String::new();
    BufReader::new(served.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let told: Value = serde_json::from_str(&line).unwrap_or_else(|e| {
        let _ = served.0.kill();
        let mut said = String::new();
        let _ = served.0.stderr.as_mut().unwrap().read_to_string(&mut said);
        panic!("{e} in {line:?}: {said}")
    });
    let address = told["url"].as_str().unwrap().split_once("://").unwrap().1;
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    write!(stream, "GET /healthz HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    let asked: Value = serde_json::from_slice(&std::fs::read(root.join("tmp/answer")).unwrap()).unwrap();
    assert_eq!(asked["status"], "done", "a turn ran in a cell there: {asked}");
    complete(&root.join(prefix), prefix);
}

/// The other files of a package, each at its place and of the programs beside it.
fn complete(tree: &Path, prefix: &str) {
    let read = |path: &str| std::fs::read(tree.join(path)).unwrap_or_else(|e| panic!("{path}: {e}"));
    let unit = String::from_utf8(read("lib/systemd/user/metnos.service")).unwrap();
    assert!(unit.contains(&format!("ExecStart=\"/{prefix}/lib/metnos/metnos\" serve\n")), "{unit}");
    for completion in [
        "share/bash-completion/completions/metnos",
        "share/zsh/vendor-completions/_metnos",
        "share/fish/vendor_completions.d/metnos.fish",
    ] {
        assert!(String::from_utf8(read(completion)).unwrap().contains("executors"), "{completion}");
    }
    assert!(read("share/man/man1/metnos.1.gz").starts_with(&[0x1f, 0x8b]));
    assert!(!read("share/doc/metnos/LICENSE").is_empty());
}

#[test]
fn the_tarball_works_without_a_toolchain() {
    let Some(tarball) = package(".tar.gz") else { return };
    works_in_a_root_of_its_own(&tarball, "usr/local", |file, root| {
        let mut tar = Command::new("tar");
        tar.arg("-C").arg(root.join("usr/local")).args(["--strip-components=1", "--no-same-owner", "-xf"]);
        tar.arg(file);
        tar
    });
}

#[test]
fn the_debian_package_works_without_a_toolchain() {
    let Some(deb) = package(".deb") else { return };
    works_in_a_root_of_its_own(&deb, "usr", |file, root| {
        let mut dpkg = Command::new("dpkg-deb");
        dpkg.arg("-x").arg(file).arg(root);
        dpkg
    });
}

#[test]
fn the_checksums_are_of_what_lies_beside_them() {
    let Some(tarball) = package(".tar.gz") else { return };
    let dist = tarball.parent().unwrap();
    let ran =
        Command::new("sha256sum").args(["--check", "--strict", "SHA256SUMS"]).current_dir(dist).output();
    let ran = ran.unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let listed: BTreeSet<String> = std::fs::read_to_string(dist.join("SHA256SUMS"))
        .unwrap()
        .lines()
        .map(|line| line.split_whitespace().last().unwrap().to_owned())
        .collect();
    let there = std::fs::read_dir(dist).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap());
    let there: BTreeSet<String> = there.filter(|name| name != "SHA256SUMS").collect();
    assert_eq!(listed, there);
}
