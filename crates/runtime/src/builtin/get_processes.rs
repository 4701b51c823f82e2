//! `get_processes`: what runs on this machine, or how the machine is, from `/proc` and `/sys`.

use super::{Builtin, Plan, Report, Wish};
use crate::runtime::Runtime;
use metnos_executor::{Failure, ListName, Origin, Outcome};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::fs;
use std::time::{Duration, Instant};

/// How long processor use is observed.
const OBSERVED: Duration = Duration::from_millis(100);

pub(super) const BUILTIN: Builtin = Builtin {
    name: "get_processes",
    schema: include_str!("get_processes.json"),
    pattern: "get_processes(by=\"memory\", top=10)",
    out: "entries=[{pid,name,cpu,memory,user}]",
    changes: false,
    needs: None,
    list: false,
    plan,
};

fn plan(_runtime: &Runtime, wish: &Wish<'_>) -> Result<Plan, Failure> {
    let (args, lang) = (wish.args.clone(), wish.lang.to_owned());
    Ok(Plan::look("system:read", move |work| run(&args, work.runtime, &lang)))
}

fn run(args: &Map<String, Value>, runtime: &Runtime, lang: &str) -> Result<Report, Failure> {
    let is_health = args.get("health") == Some(&Value::Bool(true));
    let entries = if is_health { health() } else { processes(args) };
    let mut outcome = Outcome { ok_count: entries.len() as u64, ..Outcome::default() };
    if is_health {
        outcome.fields.insert("summary".into(), summary(&entries, runtime, lang).into());
    }
    let top = args.get("top").and_then(Value::as_u64).unwrap_or(0) as usize;
    let mut entries = entries;
    if top > 0 && entries.len() > top && !is_health {
        outcome.truncation = Some(metnos_executor::Truncation {
            truncated: true,
            truncated_what: "entries".into(),
            used: top as u64,
            available_total: Some(entries.len() as u64),
            cap_field: "top".into(),
            cap_value: top as u64,
        });
        entries.truncate(top);
        outcome.ok_count = top as u64;
    }
    for entry in &mut entries {
        entry["_origin"] = Origin::Local.as_str().into();
    }
    Report::of(outcome, ListName::Entries, &entries)
}

/// How much room there is, a line for each place: the rest is in the rows.
fn summary(entries: &[Value], runtime: &Runtime, lang: &str) -> String {
    let said = entries.iter().filter_map(|entry| {
        let kind = entry.get("kind")?.as_str()?;
        let key = ["disk", "memory"].into_iter().find(|key| *key == kind)?;
        let bytes = |name: &str| Some(runtime.size(lang, entry.get(name)?.as_u64()?));
        let path = entry.get("path").and_then(Value::as_str).unwrap_or_default();
        Some(runtime.say(lang, key, &[("path", path), ("free", &bytes("free")?), ("size", &bytes("size")?)]))
    });
    said.collect::<Vec<_>>().join("\n")
}

struct Process {
    pid: u32,
    name: String,
    ticks: u64,
    memory: u64,
    uid: u32,
}

fn processes(args: &Map<String, Value>) -> Vec<Value> {
    let before: HashMap<u32, u64> = snapshot().into_iter().map(|p| (p.pid, p.ticks)).collect();
    let started = Instant::now();
    std::thread::sleep(OBSERVED);
    let seconds = started.elapsed().as_secs_f64();
    let per_second = rustix::param::clock_ticks_per_second() as f64;
    let users = users();
    let wanted = args.get("name").and_then(Value::as_str).map(str::to_lowercase);
    let mut found: Vec<(f64, Process)> = snapshot()
        .into_iter()
        .filter(|p| wanted.as_ref().is_none_or(|w| p.name.to_lowercase().contains(w)))
        .map(|p| {
            let used = p.ticks.saturating_sub(before.get(&p.pid).copied().unwrap_or(p.ticks));
            (used as f64 / per_second / seconds * 100.0, p)
        })
        .collect();
    let by_memory = args.get("by").and_then(Value::as_str) == Some("memory");
    found.sort_by(|(cpu_a, a), (cpu_b, b)| {
        let cpu = cpu_b.total_cmp(cpu_a);
        let memory = b.memory.cmp(&a.memory);
        if by_memory { memory.then(cpu) } else { cpu.then(memory) }.then(a.pid.cmp(&b.pid))
    });
    found
        .into_iter()
        .map(|(cpu, p)| {
            let user = users.get(&p.uid).cloned().unwrap_or_else(|| p.uid.to_string());
            let cpu = (cpu * 10.0).round() / 10.0;
            json!({ "pid": p.pid, "name": p.name, "cpu": cpu, "memory": p.memory, "user": user })
        })
        .collect()
}

/// Every process that can be read; one that ends meanwhile is simply not there.
fn snapshot() -> Vec<Process> {
    let Ok(dir) = fs::read_dir("/proc") else { return Vec::new() };
    dir.flatten().filter_map(|e| e.file_name().to_str()?.parse().ok()).filter_map(process).collect()
}

fn process(pid: u32) -> Option<Process> {
    use std::os::unix::fs::MetadataExt;
    let stat = String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/stat")).ok()?).into_owned();
    // The name stands between the first and the last parenthesis and may hold anything.
    let (open, close) = (stat.find('(')?, stat.rfind(')')?);
    let name = stat.get(open + 1..close)?.to_owned();
    let fields: Vec<&str> = stat.get(close + 1..)?.split_whitespace().collect();
    let number = |i: usize| fields.get(i)?.parse::<u64>().ok();
    Some(Process {
        pid,
        name,
        ticks: number(11)?.saturating_add(number(12)?),
        memory: number(21)?.saturating_mul(rustix::param::page_size() as u64),
        uid: fs::metadata(format!("/proc/{pid}")).ok()?.uid(),
    })
}

fn users() -> HashMap<u32, String> {
    let text = fs::read_to_string("/etc/passwd").unwrap_or_default();
    text.lines()
        .filter_map(|line| {
            let mut fields = line.split(':');
            let name = fields.next()?.to_owned();
            Some((fields.nth(1)?.parse().ok()?, name))
        })
        .collect()
}

fn health() -> Vec<Value> {
    let mut entries = disks();
    entries.extend(memory());
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load: Vec<f64> = load.split_whitespace().take(3).filter_map(|n| n.parse().ok()).collect();
    if let [one, five, fifteen] = load[..] {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        entries.push(json!({ "kind": "load", "one": one, "five": five, "fifteen": fifteen, "cores": cores }));
    }
    let uptime = fs::read_to_string("/proc/uptime").unwrap_or_default();
    if let Some(seconds) = uptime.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()) {
        entries.push(json!({ "kind": "uptime", "seconds": seconds as u64 }));
    }
    entries.extend(temperatures());
    entries
}

/// Real file systems, each device once.
fn disks() -> Vec<Value> {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let mut seen = std::collections::HashSet::new();
    mounts
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(' ');
            let (device, at) = (fields.next()?, fields.next()?);
            if !device.starts_with('/') || !seen.insert(device.to_owned()) {
                return None;
            }
            let at = at.replace("\\040", " ");
            let stat = rustix::fs::statvfs(at.as_str()).ok()?;
            let total = stat.f_blocks.saturating_mul(stat.f_frsize);
            let free = stat.f_bavail.saturating_mul(stat.f_frsize);
            (total > 0).then(|| json!({ "kind": "disk", "path": at, "size": total, "free": free }))
        })
        .collect()
}

fn memory() -> Option<Value> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let kib = |key: &str| -> Option<u64> {
        text.lines().find_map(|l| l.strip_prefix(key)?.trim().strip_suffix("kB")?.trim().parse().ok())
    };
    let bytes = |key: &str| kib(key).map(|n| n << 10);
    Some(json!({ "kind": "memory", "size": bytes("MemTotal:")?, "free": bytes("MemAvailable:")?,
        "swap": bytes("SwapTotal:")?, "swap_free": bytes("SwapFree:")? }))
}

fn temperatures() -> Vec<Value> {
    let Ok(zones) = fs::read_dir("/sys/class/thermal") else { return Vec::new() };
    zones
        .flatten()
        .filter_map(|zone| {
            let name = fs::read_to_string(zone.path().join("type")).ok()?;
            let milli: i64 = fs::read_to_string(zone.path().join("temp")).ok()?.trim().parse().ok()?;
            Some(json!({ "kind": "temperature", "name": name.trim(), "celsius": milli as f64 / 1000.0 }))
        })
        .collect()
}
