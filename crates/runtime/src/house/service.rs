//! The systemd user unit of this instance: its text, where it lies, whether a manager is there to run it.

use metnos_executor::home::Home;
use metnos_executor::{ErrorClass, Failure};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The unit, with holes for what is this machine's own.
const UNIT: &str = include_str!("metnos.service.txt");
/// Its name.
pub const NAME: &str = "metnos.service";
/// The line by which a unit is known as ours.
const OURS: &str = "# Written by `metnos service install`";

/// What installing came to.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Installed {
    /// Where the unit lies.
    pub unit: PathBuf,
    /// How `metnos doctor` did under the restrictions of the unit; absent when that could not be tried.
    pub doctor: Option<Doctor>,
    /// Whether it is enabled and started.
    pub enabled: bool,
    /// What is left to type.
    pub left: Vec<String>,
}

/// `metnos doctor`, in a unit with the same restrictions.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Doctor {
    /// Whether everything held.
    pub ok: bool,
    /// What it printed.
    pub said: String,
}

/// How the service stands.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Standing {
    /// Where the unit would lie.
    pub unit: PathBuf,
    /// Whether it is there.
    pub installed: bool,
    /// Whether it is the one this binary would write.
    pub current: bool,
    /// Whether a user manager can be reached.
    pub manager: bool,
    /// `active`, `inactive`, `failed`, as the manager says.
    pub state: Option<String>,
    /// Whether a daemon of this instance runs, by whoever it was started.
    pub serving: bool,
}

/// Where the unit belongs.
pub fn unit_path(home: &Home, env: impl Fn(&str) -> Option<std::ffi::OsString>) -> PathBuf {
    let config = env("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    config.unwrap_or_else(|| home.user_home().join(".config")).join("systemd/user").join(NAME)
}

/// The unit for a binary and the variables that tell where this instance lives.
pub fn unit(binary: &Path, variables: &[(String, String)], is_root: bool) -> Result<String, Failure> {
    let odd = |text: &str| text.chars().any(char::is_control);
    let exec = binary.to_str().filter(|path| !odd(path)).ok_or_else(|| {
        Failure::wrong_args(format!("{} cannot be named in a unit", binary.display()))
            .with_hint("install metnos in a folder with a plain name")
    })?;
    let mut environment = String::new();
    for (name, value) in variables {
        if odd(value) {
            return Err(Failure::wrong_args(format!("{name} cannot be named in a unit")));
        }
        environment.push_str(&format!("Environment={}\n", quoted(&format!("{name}={value}"))));
    }
    // Where bubblewrap is installed setuid, an ordinary account may depend on it; root never does.
    let setuid = std::fs::metadata("/usr/bin/bwrap")
        .is_ok_and(|meta| std::os::unix::fs::MetadataExt::mode(&meta) & 0o4000 != 0);
    let no_new = if setuid && !is_root { "no\n# (bwrap is setuid on this machine)" } else { "yes" };
    Ok(UNIT
        .replace("{exec}", &quoted(exec))
        .replace("{environment}", &environment)
        .replace("{no_new_privileges}", no_new))
}

/// A word as a unit file takes it: quotes, backslashes, percent and dollar mean themselves.
fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('%', "%%").replace('$', "$$");
    format!("\"{escaped}\"")
}

/// Writes the unit, tries `metnos doctor` under it, enables it if somebody is there to run it.
pub fn install(unit: &Path, text: &str, binary: &Path) -> Result<Installed, Failure> {
    if let Ok(there) = std::fs::read_to_string(unit)
        && !there.starts_with(OURS)
    {
        return Err(Failure::new(
            ErrorClass::DstExists,
            format!("{} is there and was not written by metnos", unit.display()),
        )
        .with_hint("move it away first"));
    }
    write(unit, text).map_err(|e| Failure::io(unit.display(), &e))?;
    let commands =
        vec!["systemctl --user daemon-reload".to_owned(), format!("systemctl --user enable --now {NAME}")];
    if !manager() {
        return Ok(Installed { unit: unit.to_owned(), doctor: None, enabled: false, left: commands });
    }
    let doctor = doctor(text, binary);
    if doctor.as_ref().is_some_and(|doctor| !doctor.ok) {
        // A house that does not hold under its own unit is not started by itself.
        return Ok(Installed { unit: unit.to_owned(), doctor, enabled: false, left: commands });
    }
    let enabled = systemctl(&["daemon-reload"]) && systemctl(&["enable", "--now", NAME]);
    let left = if enabled { Vec::new() } else { commands };
    Ok(Installed { unit: unit.to_owned(), doctor, enabled, left })
}

/// How it stands.
pub fn status(home: &Home, unit: &Path, text: &str) -> Standing {
    let there = std::fs::read_to_string(unit).ok();
    let manager = manager();
    let state = manager.then(|| systemctl_says(&["is-active", NAME])).flatten();
    Standing {
        unit: unit.to_owned(),
        installed: there.is_some(),
        current: there.as_deref() == Some(text),
        manager,
        state,
        serving: super::is_serving(home),
    }
}

/// Stops, disables and removes it; false when there is none. One that is not ours is left alone.
pub fn uninstall(unit: &Path) -> Result<bool, Failure> {
    let there = match std::fs::read_to_string(unit) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        there => there.map_err(|e| Failure::io(unit.display(), &e))?,
    };
    if !there.starts_with(OURS) {
        return Err(Failure::new(
            ErrorClass::Conflict,
            format!("{} was not written by metnos and is left alone", unit.display()),
        ));
    }
    if manager() {
        let _ = systemctl(&["disable", "--now", NAME]);
    }
    std::fs::remove_file(unit).map_err(|e| Failure::io(unit.display(), &e))?;
    if manager() {
        let _ = systemctl(&["daemon-reload"]);
    }
    Ok(true)
}

fn write(unit: &Path, text: &str) -> std::io::Result<()> {
    let dir = unit.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(dir)?;
    let temp = dir.join(format!(".{NAME}.tmp"));
    let mut file = std::fs::File::create(&temp)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&temp, unit)?;
    std::fs::File::open(dir)?.sync_all()
}

/// Whether a manager of this account's services answers.
fn manager() -> bool {
    // Also a degraded one answers; only one that cannot be reached says nothing or `offline`.
    systemctl_says(&["is-system-running"])
        .is_some_and(|said| ["running", "degraded", "starting", "maintenance"].contains(&said.as_str()))
}

fn systemctl(args: &[&str]) -> bool {
    run("systemctl", args).is_some_and(|output| output.status.success())
}

fn systemctl_says(args: &[&str]) -> Option<String> {
    let output = run("systemctl", args)?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (!said.is_empty()).then_some(said)
}

fn run(program: &str, args: &[&str]) -> Option<Output> {
    Command::new(program).arg("--user").args(args).stdin(Stdio::null()).output().ok()
}

/// The restrictions of a unit, as `systemd-run` takes them.
fn restrictions(text: &str) -> Vec<String> {
    const TAKEN: [&str; 8] = [
        "Environment=",
        "UMask=",
        "LockPersonality=",
        "RestrictRealtime=",
        "SystemCallArchitectures=",
        "RestrictSUIDSGID=",
        "NoNewPrivileges=",
        "LimitCORE=",
    ];
    let taken = text.lines().filter(|line| TAKEN.iter().any(|key| line.starts_with(key)));
    taken.map(|line| format!("--property={line}")).collect()
}

fn doctor(text: &str, binary: &Path) -> Option<Doctor> {
    let mut args: Vec<String> = ["--quiet", "--wait", "--pipe", "--collect"].map(str::to_owned).to_vec();
    args.extend(restrictions(text));
    args.extend(["--".to_owned(), binary.to_str()?.to_owned(), "doctor".to_owned()]);
    let output = run("systemd-run", &args.iter().map(String::as_str).collect::<Vec<_>>())?;
    let said =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Some(Doctor { ok: output.status.success(), said: crate::text::bounded(&said, 8192) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_unit_names_the_binary_and_the_home_and_forbids_no_namespace() {
        let variables = [("METNOS_HOME".to_owned(), "/srv/a 100% \"b\"".to_owned())];
        let text = unit(Path::new("/opt/me $x/metnos"), &variables, true).unwrap();
        assert!(text.starts_with(OURS));
        assert!(text.contains("ExecStart=\"/opt/me $$x/metnos\" serve\n"), "{text}");
        assert!(text.contains("Environment=\"METNOS_HOME=/srv/a 100%% \\\"b\\\"\"\n"), "{text}");
        assert!(text.contains("\nNoNewPrivileges=yes\n") && text.contains("\nRestart=on-failure\n"));
        let set = |key: &str| text.lines().any(|line| line.starts_with(key));
        for breaks_cells in ["RestrictNamespaces=", "PrivateUsers=", "ProtectSystem=", "SystemCallFilter="] {
            assert!(!set(breaks_cells), "{breaks_cells}");
            assert!(
                text.contains(breaks_cells.trim_end_matches('=')),
                "the unit says why {breaks_cells} is left out"
            );
        }
        assert!(!text.contains('{'), "{text}");
        assert_eq!(restrictions(&text).len(), 8);
        assert!(unit(Path::new("/a\nb"), &[], true).is_err());
    }
}
