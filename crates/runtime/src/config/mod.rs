//! What the person decided in `metnos.toml`. Absent means the defaults; a file that cannot be read or
//! says something nobody knows stops everything, because a switch that was meant to be off must not be on.

mod bind;
mod check;
mod doors;
mod flaws;
mod table;

pub use bind::{Binding, Bound};
pub use check::{InForce, Wrong, check, in_force};
pub use doors::{HostName, Language, Logs, Person, Serve, Telegram, Tls, WebUrl, Zone};
pub use flaws::{check_in, ready};

use metnos_executor::home::Home;
use metnos_executor::{ErrorClass, Failure};
use serde::Deserialize;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// The executors that reach the machine itself.
const SYSTEM: [&str; 6] =
    ["admin", "find_packages", "get_processes", "get_signatures", "set_processes", "set_signatures"];

/// The configuration of an instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// What is there at all.
    pub skills: Skills,
    /// How much a person may use in an hour.
    pub limits: metnos_guard::limits::Limits,
    /// How long and how much is kept for undo.
    pub undo: Undo,
    /// How long and how much of the lists of turns is kept.
    pub turns: Turns,
    /// Which models stand behind which roles; without any, no model is asked anything.
    pub tiers: metnos_llm::Tiers,
    /// How much models may be used.
    pub budget: metnos_llm::Budget,
    /// Where the daemon listens.
    pub serve: Serve,
    /// The Telegram door.
    pub telegram: Telegram,
    /// The host of this house.
    pub person: Person,
    /// How long and how much of the daemon's log is kept.
    pub logs: Logs,
}

/// What is kept of the lists that turns made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Turns {
    /// What is older is let go.
    pub keep_days: NonZeroU32,
    /// In millions of bytes: while more is kept, the oldest is let go.
    pub budget_mb: u64,
}

impl Turns {
    /// The budget in bytes.
    pub fn budget(&self) -> u64 {
        self.budget_mb.saturating_mul(1_000_000)
    }
}

impl Default for Turns {
    fn default() -> Self {
        Self { keep_days: NonZeroU32::MIN.saturating_add(29), budget_mb: 1_000 }
    }
}

/// What is kept for undo.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Undo {
    /// What is older is let go.
    pub keep_days: NonZeroU32,
    /// In millions of bytes: while more is kept, the oldest is let go.
    pub budget_mb: u64,
}

impl Undo {
    /// The budget in bytes.
    pub fn budget(&self) -> u64 {
        self.budget_mb.saturating_mul(1_000_000)
    }
}

impl Default for Undo {
    fn default() -> Self {
        Self { keep_days: NonZeroU32::MIN.saturating_add(29), budget_mb: 20_000 }
    }
}

/// Groups of executors that can be removed as a whole.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Skills {
    /// Commands, processes and packages.
    pub system: bool,
}

impl Default for Skills {
    fn default() -> Self {
        Self { system: true }
    }
}

impl Config {
    /// Where it lies.
    pub fn path(home: &Home) -> PathBuf {
        home.config_dir().join("metnos.toml")
    }

    /// Reads it.
    pub fn load(home: &Home) -> Result<Self, Failure> {
        let path = Self::path(home);
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text, &path),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(e) => Err(Failure::io(path.display(), &e)),
        }
    }

    /// The language it names, also where the rest of it is not understood: that is said in it.
    pub fn spoken(home: &Home) -> Language {
        if let Ok(config) = Self::load(home) {
            return config.person.language;
        }
        let text = std::fs::read_to_string(Self::path(home)).unwrap_or_default();
        let named = |line: &str| {
            let line: String = line.split_whitespace().collect();
            Language::known(line.strip_prefix("language=\"")?.split('"').next()?)
        };
        text.lines().find_map(named).unwrap_or_default()
    }

    fn parse(text: &str, path: &Path) -> Result<Self, Failure> {
        let wrong = check(text);
        if !wrong.is_empty() {
            return Err(refused(path, &wrong));
        }
        toml::from_str(text).map_err(|e| Failure::wrong_args(format!("{}: {}", path.display(), e.message())))
    }

    /// Whether an executor is switched off.
    pub(crate) fn is_off(&self, executor: &str) -> bool {
        !self.skills.system && SYSTEM.contains(&executor)
    }

    /// The refusal of an executor that is switched off.
    pub(crate) fn check(&self, executor: &str, home: &Home) -> Result<(), Failure> {
        if !self.is_off(executor) {
            return Ok(());
        }
        Err(Failure::new(
            ErrorClass::PolicyViolation,
            format!("{executor} is switched off here, with everything that reaches the system"),
        )
        .with_hint(format!("system = true under [skills] in {} switches it on", Self::path(home).display())))
    }
}

/// The refusal of a configuration: everything that is wrong, a line each.
fn refused(path: &Path, wrong: &[Wrong]) -> Failure {
    let told: Vec<String> = wrong.iter().map(|one| one.told(path)).collect();
    let near = wrong.iter().find_map(|one| one.near.as_ref());
    let near = near.map(|near| format!("is {near} meant? ")).unwrap_or_default();
    Failure::wrong_args(told.join("\n")).with_hint(format!(
        "{near}correct or remove what is named; nothing runs with a configuration that is not understood \
         (metnos config check looks again)"
    ))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn absent_is_on_and_what_nobody_knows_is_an_error_with_its_line() {
        let parse = |text: &str| Config::parse(text, Path::new("c"));
        assert!(parse("").unwrap().skills.system);
        assert_eq!(parse("[limits]\ncalls_per_hour = 5").unwrap().limits.calls_per_hour, 5);
        assert!(parse("[skills]\nsystem = false").unwrap().is_off("admin"));
        assert!(!parse("[skills]\nsystem = false").unwrap().is_off("find_files"));
        assert_eq!(parse("").unwrap().undo.keep_days.get(), 30);
        assert_eq!(parse("[undo]\nbudget_mb = 3").unwrap().undo.budget(), 3_000_000);
        assert_eq!(parse("[turns]\nbudget_mb = 3").unwrap().turns.budget(), 3_000_000);
        for wrong in [
            "[turns]\nkeep_days = 0",
            "[undo]\nkeep_dais = 3",
            "[undo]\nkeep_days = 0",
            "[undo]\nbudget_mb = -1",
        ] {
            assert!(parse(wrong).unwrap_err().message.contains("line"), "{wrong}");
        }
        let hint = |text: &str| parse(text).unwrap_err().hint.unwrap();
        assert!(hint("[undo]\nkeep_dais = 3").contains("keep_days"));
        assert!(hint("[skils]\nsystem = false").contains("skills"));
        for wrong in ["[skils]\nsystem = false", "[skills]\nsistem = false", "[skills]\nsystem = 0"] {
            assert!(parse(wrong).unwrap_err().message.contains("line"), "{wrong}");
        }
    }
    #[test]
    fn a_model_is_bound_in_three_lines_and_a_slip_is_named() {
        let parse = |text: &str| Config::parse(text, Path::new("c"));
        let bound = "[tiers.wise]\nkind = \"openai\"\nurl = \"http://127.0.0.1:8080\"\nmodel = \"m\"\n";
        let config = parse(bound).unwrap();
        assert_eq!(config.tiers.bound(), [metnos_llm::Role::Wise]);
        assert!(parse("").unwrap().tiers.bound().is_empty());
        assert_eq!(parse("[budget]\ntokens_per_day = 5").unwrap().budget.tokens_per_day, 5);
        for (extra, near) in [
            ("credentials = \"k\"", "credential"),
            ("timeout_second = 5", "timeout_seconds"),
            ("api_key = \"sk-123\"", ""),
        ] {
            let error = parse(&format!("{bound}{extra}")).unwrap_err();
            assert!(error.hint.unwrap().contains(near), "{extra}");
        }
        let hint = parse(&bound.replace("wise", "wize")).unwrap_err().hint.unwrap();
        assert!(hint.contains("wise"), "{hint}");
        let open = bound.replace("127.0.0.1:8080", "models.example.org");
        assert!(parse(&format!("{open}credential = \"k\"")).unwrap_err().message.contains("https"));
    }

    #[test]
    fn a_refusal_names_everything_in_plain_words() {
        let text = "[undo]\nbudget_mb = \"many\"\n[serve]\nlisten = \"8770\"\n";
        let told = Config::parse(text, Path::new("c")).unwrap_err().message;
        assert!(told.contains("c, line 2: undo.budget_mb takes a whole number from 0"), "{told}");
        assert!(told.contains("c, line 4: serve.listen") && told.contains("127.0.0.1:8770"), "{told}");
    }
}
