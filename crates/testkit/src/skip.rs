//! A test that cannot run here says so, by name, in a file that `make test` counts and prints.

use std::io::Write;

/// What would let a skipped test run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fix<'a> {
    /// A command that installs what is missing. With `METNOS_STRICT=1` such a skip is a failure.
    Run(&'a str),
    /// Nothing that can be installed: the machine, the kernel or the account does not give it.
    None,
}

/// Notes that the running test is skipped, and why.
///
/// # Panics
/// With `METNOS_STRICT=1` where something is missing that can be installed.
pub fn skipped(why: &str, fix: Fix<'_>) {
    let line = line(&test_name(), why, fix);
    let _ = writeln!(std::io::stderr(), "SKIPPED {line}");
    if let Some(path) = std::env::var_os("METNOS_SKIPPED") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(&path);
        let written = file.and_then(|mut file| writeln!(file, "{line}"));
        assert!(written.is_ok(), "{}: {written:?}", path.display());
    }
    let strict = std::env::var_os("METNOS_STRICT").is_some_and(|value| value == "1");
    assert!(!(strict && fails(fix)), "skipped, and METNOS_STRICT is set: {line}");
}

fn fails(fix: Fix<'_>) -> bool {
    matches!(fix, Fix::Run(_))
}

fn line(test: &str, why: &str, fix: Fix<'_>) -> String {
    match fix {
        Fix::Run(command) => format!("{test}: {why}; run `{command}`"),
        Fix::None => format!("{test}: {why}"),
    }
}

/// The name of the running test: nextest tells it, the standard harness names its thread so.
fn test_name() -> String {
    let told = std::env::var("NEXTEST_TEST_NAME").ok();
    let thread = || std::thread::current().name().filter(|name| *name != "main").map(str::to_owned);
    let program = || Some(std::env::current_exe().ok()?.file_stem()?.to_string_lossy().into_owned());
    told.or_else(thread).or_else(program).unwrap_or_else(|| "a test".into())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::process::Command;

    /// Runs one test of this program again, which skips itself, with this environment.
    fn skip_elsewhere(strict: &str, fix: &str) -> (bool, String) {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("skipped.txt");
        let ran = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "skip::tests::a_skip", "--nocapture"])
            .env("METNOS_SKIPPED", &file)
            .env("METNOS_STRICT", strict)
            .env("TESTKIT_FIX", fix)
            .env_remove("NEXTEST_TEST_NAME")
            .output()
            .unwrap();
        (ran.status.success(), std::fs::read_to_string(file).unwrap_or_default())
    }

    #[test]
    fn a_skip() {
        match std::env::var("TESTKIT_FIX").as_deref() {
            Ok("") => skipped("no such kernel", Fix::None),
            Ok(command) => skipped("no browser", Fix::Run(command)),
            Err(_) => (),
        }
    }

    #[test]
    fn what_could_be_installed_fails_where_that_is_wanted() {
        let (passed, noted) = skip_elsewhere("", "make setup");
        assert!(passed && noted.ends_with(": no browser; run `make setup`\n"), "{noted}");
        let (passed, noted) = skip_elsewhere("1", "make setup");
        assert!(!passed && noted.lines().count() == 1, "{noted}");
        let (passed, noted) = skip_elsewhere("1", "");
        assert!(passed && noted.ends_with(": no such kernel\n"), "{noted}");
    }
}
