//! Proves that what Metnos stands on holds, layer by layer, by trying to break it.

use crate::checkup;
use crate::host::{bwrap, bwrap_version};
use crate::runtime::Runtime;
use metnos_executor::home::Home;
use metnos_executor::wire::{FenceWire, Limits, Request, Runtime as Language, Start};
use metnos_executor::{ErrorClass, Failure};
use metnos_sandbox::Mounts;
use metnos_sandbox::cell::Dialogue;
use metnos_sandbox::mounts::Bind;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::BufRead;
use std::sync::Arc;

/// One thing that was looked at.
#[derive(Clone, Debug, Serialize)]
pub struct Finding {
    /// What.
    pub check: String,
    /// Whether it holds.
    pub ok: bool,
    /// The attempt that was made and what the system answered.
    pub detail: String,
    /// The command that fixes it, when it does not hold.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<String>,
}

impl Finding {
    pub(crate) fn good(check: &str, detail: impl Into<String>) -> Self {
        Self { check: check.into(), ok: true, detail: detail.into(), fix: None }
    }

    pub(crate) fn bad(check: &str, detail: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { check: check.into(), ok: false, detail: detail.into(), fix: Some(fix.into()) }
    }
}

/// Looks at everything that can be looked at before and after the runtime opens.
pub fn examine(home: &Home, open: impl FnOnce() -> Result<Runtime, Failure>) -> Vec<Finding> {
    let mut findings = vec![bubblewrap(), landlock(), user_namespaces()];
    // Before anything is opened: what is unsound may keep it from being.
    findings.extend(checkup::databases(home));
    findings.extend(checkup::disk(home));
    findings.push(checkup::languages());
    match open() {
        Ok(runtime) => {
            findings.push(Finding::good("set up", home.executors_dir().display().to_string()));
            findings.extend(runtime.prove_layers());
            findings.extend(runtime.house());
            findings.extend(runtime.checkup());
        }
        Err(e) => findings.push(Finding::bad(
            "set up",
            e.to_string(),
            e.hint.unwrap_or_else(|| "metnos init".into()),
        )),
    }
    findings
}

/// A poll that was answered longer ago is no sign of life.
const POLLED: jiff::SignedDuration = jiff::SignedDuration::from_mins(5);

/// What the last answered poll says about the Telegram door.
fn polling(last: Option<jiff::Timestamp>, serving: bool, now: jiff::Timestamp) -> Finding {
    let told = last.map_or("no poll was answered yet".into(), |at| format!("last answered poll {at:.0}"));
    match last.is_some_and(|at| now.duration_since(at) <= POLLED) {
        _ if !serving => Finding::good("telegram", format!("no daemon runs; {told}")),
        true => Finding::good("telegram", told),
        false => Finding::bad("telegram", told, "metnos logs -n 20"),
    }
}

impl Runtime {
    /// The same for one that is open already.
    pub fn examine(&self) -> Vec<Finding> {
        let mut findings = vec![bubblewrap(), landlock(), user_namespaces()];
        findings.extend(checkup::databases(&self.home));
        findings.extend(checkup::disk(&self.home));
        findings.push(checkup::languages());
        findings.extend(self.prove_layers());
        findings.extend(self.house());
        findings.extend(self.checkup());
        findings
    }
}

fn bubblewrap() -> Finding {
    match bwrap_version() {
        v if v.is_empty() => Finding::bad(
            "bubblewrap",
            format!("{} does not run", bwrap().display()),
            "sudo apt-get install -y bubblewrap",
        ),
        v => Finding::good("bubblewrap", v),
    }
}

fn landlock() -> Finding {
    match metnos_sandbox::probe::landlock_abi() {
        Some(abi) if abi >= 2 => Finding::good("landlock in the kernel", format!("ABI {abi}")),
        Some(abi) => Finding::bad(
            "landlock in the kernel",
            format!("ABI {abi} is too old"),
            "use a kernel of 5.19 or later",
        ),
        None => Finding::bad(
            "landlock in the kernel",
            "the kernel does not offer it",
            "boot with lsm=landlock,… on the kernel command line, or use a kernel of 5.19 or later",
        ),
    }
}

fn user_namespaces() -> Finding {
    let read = |path: &str| std::fs::read_to_string(path).map(|t| t.trim().to_owned()).ok();
    if read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns").as_deref() == Some("1")
        && !rustix::process::geteuid().is_root()
    {
        return Finding::bad(
            "user namespaces",
            "AppArmor restricts them, which stops bubblewrap on Ubuntu 24.04 and later unless it has a profile",
            "sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0",
        );
    }
    if read("/proc/sys/kernel/unprivileged_userns_clone").as_deref() == Some("0") {
        return Finding::bad(
            "user namespaces",
            "switched off",
            "sudo sysctl -w kernel.unprivileged_userns_clone=1",
        );
    }
    Finding::good("user namespaces", "available")
}

/// The mechanism by its name in the audit, and in words.
fn limits(by: &str) -> Finding {
    let group = if by.starts_with("cgroup") { "a group of its own for each cell, " } else { "" };
    Finding::good(
        "limits",
        format!("{by}: {group}resource limits of each process, a watch on processes and memory every 50 ms"),
    )
}

impl Runtime {
    /// Starts a real cell and lets the host inside try to get out, once per layer.
    fn prove_layers(&self) -> Vec<Finding> {
        match self.attempts() {
            Ok(findings) => findings,
            Err(e) => ["mount layer", "landlock layer", "seccomp layer", "limits"]
                .map(|layer| {
                    let fix = e.hint.clone().unwrap_or_else(|| "metnos upgrade".into());
                    Finding::bad(layer, format!("could not be tried: {e}"), fix)
                })
                .to_vec(),
        }
    }

    fn attempts(&self) -> Result<Vec<Finding>, Failure> {
        self.host.check(&self.catalog).map_err(|e| crate::install::refused("metnos-host", &e))?;
        // Mounted but not fenced, so that only Landlock stands between the probe and the file.
        let dir = self.home.workspace().join(".doctor");
        let bait = dir.join("bait");
        let io = |e: std::io::Error| Failure::io(dir.display(), &e);
        std::fs::create_dir_all(&dir).map_err(io)?;
        std::fs::write(&bait, "bait").map_err(io)?;
        let dir = dir.canonicalize().map_err(io)?;
        let mounts =
            Mounts { binds: vec![Bind { path: dir.clone(), write: true }], tmp_mb: 1, ..Mounts::default() };
        let outside = self.home.keys_dir().join("instance.key");
        let request = Request {
            call_id: metnos_executor::Ulid::new().to_string(),
            executor: metnos_executor::wire::PROBE.into(),
            version: "0.0.0".into(),
            runtime: Language::Native,
            args: [
                ("fenced_off".to_owned(), json!(dir.join("bait"))),
                ("not_mounted".to_owned(), json!(outside)),
            ]
            .into_iter()
            .collect(),
            fence: FenceWire::default(),
            limits: Limits { wall_ms: 5000, ..Limits::default() },
            error_classes: Vec::new(),
            side_effects: false,
            now: jiff::Zoned::now().to_string(),
            lang: metnos_tongue::FALLBACK.into(),
            fds: Vec::new(),
        };
        let any = metnos_executor::schema::Schema::parse(&json!({ "type": "object" }))
            .map_err(|e| Failure::internal(e.to_string()))?;
        let mut cell = self.launcher()?.start(&Arc::new(mounts), [0; 32], Start::Now)?;
        let mut dialogue = Dialogue {
            intent: &mut |_| Ok((metnos_executor::Permit::default(), Vec::new())),
            progress: &mut |_| {},
            cancelled: &|| false,
            at_work: &mut || {},
        };
        let reply = cell.call(&request, &[], &any, &mut dialogue);
        let held = limits(cell.limits());
        cell.discard();
        let _ = std::fs::remove_dir_all(&dir);
        let mut reply = reply.map_err(|failure| self.in_step(failure))?;
        if let Some(failure) = reply.answer.outcome.error.take() {
            return Err(self.in_step(failure));
        }
        let mut findings = Vec::new();
        for line in reply.items.reader().map_err(io)?.split(b'\n') {
            let attempt: Value = serde_json::from_slice(&line.map_err(io)?)
                .map_err(|e| Failure::new(ErrorClass::Internal, e.to_string()))?;
            let text = |key: &str| attempt.get(key).and_then(Value::as_str).unwrap_or("?").to_owned();
            let detail = format!("{} → {}", text("attempt"), text("answer"));
            let check = format!("{} layer", text("layer"));
            findings.push(match attempt.get("refused") {
                Some(Value::Bool(true)) => Finding::good(&check, detail),
                _ => Finding::bad(&check, detail, "report this: the layer does not hold on this machine"),
            });
        }
        findings.push(held);
        Ok(findings)
    }

    /// Keys, audit, executors.
    fn house(&self) -> Vec<Finding> {
        let mut findings = Vec::new();
        match crate::audit_verify(&self.home, &[]) {
            Ok(report) if report.damage.is_empty() => {
                findings.push(Finding::good("audit chain", format!("{} lines", report.lines)));
            }
            Ok(report) => {
                findings.push(Finding::bad("audit chain", report.damage.join("; "), "metnos audit verify"))
            }
            Err(e) => findings.push(Finding::bad("audit chain", e.to_string(), "metnos audit verify")),
        }
        findings.push(match crate::halt::stopped(&self.home) {
            Some(stopped) => Finding::bad("work", stopped.to_string(), "metnos resume"),
            None => Finding::good("work", "not stopped"),
        });
        findings.push(self.channels());
        findings.push(self.records());
        findings.extend(self.telegram());
        let system = if self.config.skills.system { "on" } else { "switched off in metnos.toml" };
        findings.push(Finding::good("system executors", system));
        let listed = self.executors();
        let broken: Vec<&str> = listed.iter().filter(|l| !l.verified).map(|l| l.name.as_str()).collect();
        findings.push(if broken.is_empty() {
            Finding::good("executors", format!("{} in use, all verified", self.executor_counts().in_use))
        } else {
            Finding::bad("executors", format!("not verified: {}", broken.join(", ")), "metnos executors list")
        });
        findings
    }

    /// Whether the Telegram door is heard, if there is one.
    fn telegram(&self) -> Option<Finding> {
        self.config.telegram.enabled.then(|| match self.db.telegram_last_poll() {
            Ok(last) => polling(last, crate::house::is_serving(&self.home), jiff::Timestamp::now()),
            Err(e) => Finding::bad("telegram", e.to_string(), "metnos logs -n 20"),
        })
    }

    /// How much each channel may, as `AGENTS.md` says.
    fn channels(&self) -> Finding {
        let complaints = self.channel_caps().complaints();
        let path = self.agents_file().display().to_string();
        match complaints.is_empty() {
            true => Finding::good("channels", path),
            false => Finding::bad("channels", complaints.join("; "), format!("edit {path}")),
        }
    }

    /// What persons decided, and who they are.
    fn records(&self) -> Finding {
        match self.held() {
            Ok(held) if held.damaged.is_empty() => Finding::good("decisions", "all signed by this instance"),
            Ok(held) => Finding::bad(
                "decisions",
                format!("not signed by this instance: {}", held.damaged.join(", ")),
                "metnos policy grants, metnos policy revoke <id>",
            ),
            Err(e) => Finding::bad("decisions", e.to_string(), "metnos doctor"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_door_that_is_not_heard_is_told_while_a_daemon_runs() {
        let now = jiff::Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_hours(1);
        let before = |minutes: i64| Some(now - jiff::SignedDuration::from_mins(minutes));
        assert!(polling(before(1), true, now).ok);
        assert!(!polling(before(9), true, now).ok && !polling(None, true, now).ok);
        assert!(polling(before(9), false, now).ok && polling(None, false, now).ok);
    }
}
