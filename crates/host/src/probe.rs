//! Tries to break out of the cell it runs in, one attempt per layer, and reports what the kernel
//! answered. `metnos doctor` reads it; no executor can reach it.

use metnos_executor::{Failure, Origin};
use metnos_seeds::Call;
use serde_json::{Value, json};
use std::io;

/// One attempt per layer.
pub(crate) fn run(call: &mut Call<'_>) -> Result<(), Failure> {
    let path = |key: &str| call.args.get(key).and_then(Value::as_str).unwrap_or("/etc/passwd").to_owned();
    let (hidden, fenced) = (path("not_mounted"), path("fenced_off"));
    let attempts = [
        ("mount", format!("read {hidden}"), std::fs::read(&hidden).map(|_| ()), libc::ENOENT),
        ("landlock", format!("read {fenced}"), std::fs::read(&fenced).map(|_| ()), libc::EACCES),
        ("landlock", format!("write {fenced}"), std::fs::write(&fenced, "x"), libc::EACCES),
        (
            "seccomp",
            "open a socket".into(),
            std::net::UdpSocket::bind("127.0.0.1:0").map(|_| ()),
            libc::EPERM,
        ),
        ("seccomp", "start a program".into(), start(), libc::EPERM),
    ];
    for (layer, attempt, outcome, expected) in attempts {
        let errno = outcome.as_ref().err().and_then(io::Error::raw_os_error);
        let answer = outcome.err().map_or("it worked".to_owned(), |e| e.to_string());
        call.outcome.ok_count += 1;
        let row = json!({ "layer": layer, "attempt": attempt, "answer": answer, "refused": errno == Some(expected) });
        call.emit(&row, Origin::Local)?;
    }
    Ok(())
}

fn start() -> io::Result<()> {
    std::process::Command::new("/proc/self/exe").arg("--version").status().map(|_| ())
}
