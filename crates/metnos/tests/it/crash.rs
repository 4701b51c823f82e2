//! Killed at any point: what was begun is closed as interrupted, and nothing is half there.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::session::Session;
use crate::support::skill::Skill;
use serde_json::{Value, json};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

const FILES: usize = 2000;

/// Waits for something to be so; gives up after a while or when the process is over.
fn until(child: &mut Child, mut so: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(30);
    while Instant::now() < end {
        if so() {
            return true;
        }
        if child.try_wait().unwrap().is_some() {
            return so();
        }
        std::thread::yield_now();
    }
    false
}

fn spawn(house: &House, executor: &str, args: &Value, call_id: &str) -> Child {
    let mut command = house.command();
    // At night the judge asks sooner.
    let hour = jiff::Timestamp::now().to_zoned(jiff::tz::TimeZone::UTC).hour();
    command.env("TZ", format!("Etc/GMT{:+}", hour - 12));
    command.args(["--json", "exec", executor, &args.to_string(), "--call-id", call_id]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

/// As a crash: nothing gets a chance to clean up.
fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

fn kinds(house: &House, call_id: &str) -> Vec<String> {
    let lines = house.audit_lines().into_iter().filter(|l| l["call_id"] == call_id);
    lines.map(|l| l["kind"].as_str().unwrap().to_owned()).collect()
}

fn count(dir: &Path) -> usize {
    std::fs::read_dir(dir).map_or(0, Iterator::count)
}

#[test]
fn a_move_killed_at_any_point_loses_no_file_and_is_closed() {
    let house = House::new();
    let points = ["begun", "journal", "open", "half"];
    for point in points {
        let (from, to) = (format!("from-{point}"), format!("to-{point}"));
        for n in 0..FILES {
            house.write(&format!("{from}/{n:05}.txt"), format!("content {n}"));
        }
        let (src, dst) = (house.home().join(&from), house.home().join(&to));
        let paths: Vec<String> = (0..FILES).map(|n| format!("{}/{n:05}.txt", src.display())).collect();
        let args = json!({ "paths": paths, "dst_dir": dst });
        house.write("args.json", args.to_string());
        let id = format!("crash-{point}");
        let asked = house.run(&["--json", "exec", "move_files", "@args.json", "--call-id", &id]).json();
        let mut command = house.command();
        command.args(["--json", "approve", asked["error"]["approval"].as_str().unwrap()]);
        let mut child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let journal = house.metnos().join("state/journal/open");
        let has_open = || {
            house.day_files().iter().any(|f| {
                let text = std::fs::read_to_string(f).unwrap_or_default();
                text.lines().any(|l| l.contains("\"open\"") && l.contains(&id))
            })
        };
        let reached = match point {
            "begun" => true,
            "journal" => until(&mut child, || journal.join(&id).join("1.jsonl").exists()),
            "open" => until(&mut child, has_open),
            _ => until(&mut child, || count(&dst) > FILES / 10),
        };
        assert!(reached, "{point} was never reached");
        kill(child);

        // The next start puts things right.
        assert_eq!(house.exec("get_now", json!({}))["ok"], true);
        house.chain_holds();
        let kinds = kinds(&house, &id);
        let opened = kinds.iter().filter(|k| *k == "open").count();
        let ended = kinds.iter().any(|k| k == "close" || k == "interrupted");
        assert_eq!(opened > 0, ended, "{point}: {kinds:?}");
        for n in 0..FILES {
            let name = format!("{n:05}.txt");
            let there: Vec<String> =
                [&src, &dst].iter().filter_map(|d| std::fs::read_to_string(d.join(&name)).ok()).collect();
            assert_eq!(there, [format!("content {n}")], "{point}: {name}");
        }
        let moved = count(&dst);
        assert!(
            moved == 0 || moved == FILES,
            "{point}: {moved} of {FILES} moved, neither taken back nor whole"
        );
        let strangers: Vec<_> = std::fs::read_dir(&dst)
            .into_iter()
            .flatten()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .filter(|name| !name.starts_with('.') && (name.len() != 9 || !name.ends_with(".txt")))
            .collect();
        assert!(strangers.is_empty(), "{point}: {strangers:?}");
    }
}

#[test]
fn a_call_killed_between_two_writes_is_interrupted_and_never_runs_again() {
    let house = House::new();
    let mut skill = Skill::patient();
    skill.name = "write_texts_lines".into();
    skill.code = r#"def run(args, ctx):
    if args["text"] != "wait":
        return {"results": []}
    ctx.write_text(args["dir"] + "/first.txt", "whole")
    for i in range(3000):
        ctx.write_text(args["dir"] + "/then-" + str(i) + ".txt", "whole")
    return {"results": []}
"#
    .into();
    skill.schema = r#"{"definitions": {
  "Input": {"type": "object", "additionalProperties": false, "required": ["text"],
    "properties": {"text": {"type": "string"}, "dir": {"type": "string", "format": "path"}}},
  "Output": {"type": "object", "properties": {"results": {"type": "array", "items": {"type": "object"}}}}}}
"#
    .into();
    skill.birth = skill.birth.replace("expect = { ok = true, value = 0 }", "expect = { ok = true }");
    skill.changer("write = [\"arg:dir\"]");
    let ran = skill.sign(&house);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let (first, other) = (house.write("dir/first.txt", "before"), house.write("dir/other.txt", "before"));
    let args = json!({ "text": "wait", "dir": house.home().join("dir") });
    let mut child = spawn(&house, &skill.name, &args, "between");
    let text = |path: &Path| std::fs::read_to_string(path).unwrap();
    let reached = until(&mut child, || text(&first) == "whole");
    kill(child);
    assert!(reached, "{:?}", house.audit_lines().last());

    assert_eq!(house.exec("get_now", json!({}))["ok"], true);
    assert_eq!(kinds(&house, "between"), ["open", "recovery", "interrupted"]);
    house.chain_holds();
    assert_eq!((text(&first), text(&other)), ("before".into(), "before".into()), "it is taken back");
    assert_eq!(count(first.parent().unwrap()), 2, "nothing of it is left");

    // The same id tells what happened instead of acting a second time.
    std::fs::write(&first, "mine").unwrap();
    let again = house
        .run_with(&["--json", "exec", &skill.name, "-", "--call-id", "between"], args.to_string().as_bytes());
    assert_eq!(again.code, Some(1), "{again:?}");
    assert_eq!(again.json()["error"]["class"], "interrupted", "{again:?}");
    assert_eq!(text(&first), "mine");
}

#[test]
fn an_archive_killed_while_it_is_written_has_no_final_name() {
    let house = House::new();
    let mut seed = 1u32;
    for n in 0..24 {
        let noise: Vec<u8> = std::iter::repeat_with(|| {
            seed ^= seed << 13;
            seed ^= seed >> 17;
            seed ^= seed << 5;
            seed as u8
        })
        .take(1 << 20)
        .collect();
        house.write(&format!("big/{n}.bin"), noise);
    }
    let paths: Vec<_> = (0..24).map(|n| house.home().join(format!("big/{n}.bin"))).collect();
    let archive = house.home().join("all.zip");
    let args = json!({ "paths": paths, "dst": archive });
    let mut child = spawn(&house, "compress_files", &args, "zipped");
    let journal = house.metnos().join("state/journal/open/zipped/1.jsonl");
    let reached = until(&mut child, || journal.exists());
    kill(child);
    assert!(reached, "{:?}", house.audit_lines().last());
    assert_eq!(house.exec("get_now", json!({}))["ok"], true);
    house.chain_holds();
    if archive.exists() {
        // It was already whole: then it opens, with everything in it.
        let out = json!({ "paths": [archive], "dst_dir": house.home().join("out") });
        assert_eq!(house.exec("extract_files", out)["ok"], true);
    } else {
        assert_eq!(house.exec_ran("compress_files", args).code, Some(0));
    }
}

#[test]
fn two_processes_at_once_write_one_chain() {
    let house = House::new();
    let (mut one, mut two) = (Session::start(&house), Session::start(&house));
    for n in 0..60 {
        for session in [&mut one, &mut two] {
            session.say(&json!({ "executor": "get_now", "args": { "timezone": "UTC" } }));
            session.say(&json!({ "executor": "get_now", "args": { "wrong": n } }));
        }
        for session in [&mut one, &mut two] {
            assert_eq!(session.hear()["ok"], true);
            assert_eq!(session.hear()["error"]["class"], "wrong_args");
        }
    }
    assert_eq!((one.end(), two.end()), (Some(0), Some(0)));
    house.chain_holds();
    // Birth tests call it too, on Metnos's own behalf.
    let ours = |l: &Value| l["executor"] == "get_now" && l["caller"] == "host/cli";
    assert_eq!(house.audit_lines().iter().filter(|l| ours(l)).count(), 240);
    let numbers: Vec<u64> = house.audit_lines().iter().map(|l| l["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
}
