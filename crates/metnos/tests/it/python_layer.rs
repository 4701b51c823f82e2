//! Python executors change folders through a private layer: what they did is told, done by the same hands,
//! counted from the disk and taken back like anything else; what fails changes nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::support::House;
use crate::support::draft::Draft;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

/// Does to its folder what it is told to.
pub(crate) const WORKER: &str = r#"
import os
import shutil
import time

def run(args: dict, ctx) -> dict:
    what = args.get("do", "nothing")
    here = args.get("folder", "")
    to = args.get("to", "")
    at = os.path.join(here, to)
    claim = [{"path": at}]
    if what == "fail":
        raise ValueError("as asked")
    if what == "remove":
        os.remove(at)
    elif what == "overwrite":
        with open(at, "w") as f:
            f.write("other")
    elif what == "append":
        with open(at, "a") as f:
            f.write("more")
    elif what == "create":
        with open(at, "w") as f:
            f.write("fresh")
        os.utime(at, (1000000000, 1000000000))
        os.chmod(at, 0o640)
    elif what == "rename":
        os.rename(at, at + ".new")
    elif what == "replace":
        os.replace(at, os.path.join(here, "b.txt"))
    elif what == "tree":
        os.makedirs(os.path.join(here, "one/two"), mode=0o700)
        for n in range(3):
            with open(os.path.join(here, "one/two", str(n)), "w") as f:
                f.write(str(n))
        claim = claim * 3
    elif what == "rmtree":
        shutil.rmtree(at)
        claim = claim * int(args.get("after", "1"))
    elif what == "mkdir":
        os.mkdir(at)
    elif what == "again":
        shutil.rmtree(at)
        os.mkdir(at)
        with open(os.path.join(at, "c.txt"), "w") as f:
            f.write("another")
    elif what == "folder-for-file":
        os.remove(at)
        os.mkdir(at)
        with open(os.path.join(at, "in"), "w") as f:
            f.write("in")
        claim = claim * 2
    elif what == "chmod":
        os.chmod(at, 0o600)
    elif what == "chmod-folder":
        os.chmod(at, 0o711)
    elif what == "symlink":
        os.symlink("a.txt", at)
    elif what == "hardlink":
        os.link(os.path.join(here, "a.txt"), at)
    elif what == "touch-nothing":
        with open(at, "r+") as f:
            f.read()
        claim = []
    elif what == "then-fail":
        os.remove(at)
        with open(os.path.join(here, "half"), "w") as f:
            f.write("half")
        raise ValueError("after writing")
    elif what == "then-error":
        os.remove(at)
        return {"results": claim, "error": {"class": "internal", "message": "it says so itself"}}
    elif what == "wait":
        with open(at, "w") as f:
            f.write("mine")
        n = 0
        while not os.path.exists(os.path.join(here, "go" + str(n))):
            n += 1
            time.sleep(0.05)
    elif what == "left-running":
        if os.fork() == 0:
            while True:
                try:
                    os.remove(at)
                except OSError:
                    pass
        with open(os.path.join(here, "left"), "w") as f:
            f.write("left")
    elif what == "bytes":
        with open(at, "wb") as f:
            for n in range(3000):
                f.write(b"x" * 1048576)
    elif what == "bytes-hidden":
        try:
            with open(at, "wb") as f:
                for n in range(3000):
                    f.write(b"x" * 1048576)
        except OSError:
            pass
    elif what == "hole":
        with open(at, "wb") as f:
            f.truncate(3 << 30)
    elif what == "names":
        for n in range(60000):
            with open(at + str(n), "w") as f:
                pass
    elif what == "lie":
        with open(at, "w") as f:
            f.write("one")
        claim = claim * 500
    elif what == "silent":
        claim = claim * 7
    elif what == "look":
        return {"results": [], "names": sorted(os.listdir(here)), "core": os.path.exists(at)}
    elif what == "outside":
        found = []
        for way in [at, "/tmp/.layer", "/proc/self/mountinfo", "/proc/1/root" + here]:
            try:
                if os.path.isdir(way):
                    found.append([way, os.listdir(way)])
                else:
                    found.append([way, open(way).read()])
            except OSError as e:
                found.append([way, e.errno])
        return {"results": [], "found": found}
    return {"results": claim}
"#;

const LIMITS: &str = "{ wall_ms = 30000, cpu_ms = 20000, memory_mb = 128, output_kb = 1024, processes = 4, layer_mb = 32, layer_files = 2000 }";

pub(crate) fn worker(code: &str, runtime: &'static str) -> House {
    let house = House::new();
    sign(&house, code, runtime, LIMITS);
    house
}

fn sign(house: &House, code: &str, runtime: &str, limits: &str) {
    let draft = Draft {
        name: "change_files",
        runtime,
        code,
        read: r#"["arg:folder"]"#,
        write: r#"["arg:folder"]"#,
        limits,
        birth: Draft::BIRTH,
    };
    let signed = draft.sign(house);
    assert_eq!(signed.code, Some(0), "{signed:?}");
}

fn furnish(house: &House) {
    for (path, text) in [
        ("docs/a.txt", "alpha"),
        ("docs/b.txt", "beta"),
        ("docs/deep/c.txt", "gamma"),
        ("docs/deep/er/d", ""),
    ] {
        house.write(path, text);
    }
    let a = house.home().join("docs/a.txt");
    std::fs::set_permissions(&a, std::fs::Permissions::from_mode(0o644)).unwrap();
    let old = std::time::UNIX_EPOCH + std::time::Duration::new(1_000_000_000, 123_456_789);
    std::fs::File::options().append(true).open(&a).unwrap().set_modified(old).unwrap();
    std::os::unix::fs::symlink("a.txt", house.home().join("docs/link")).unwrap();
}

type Tree = BTreeMap<String, (Vec<u8>, u32, i64)>;

/// Content, rights and times of files, targets of links, rights of folders.
fn tree(dir: &Path) -> Tree {
    let mut all = Tree::new();
    let mut waiting = vec![dir.to_path_buf()];
    while let Some(at) = waiting.pop() {
        for item in std::fs::read_dir(&at).unwrap() {
            let path = item.unwrap().path();
            let meta = path.symlink_metadata().unwrap();
            let name = path.strip_prefix(dir).unwrap().to_str().unwrap().to_owned();
            let seen = match () {
                () if meta.is_symlink() => {
                    (std::fs::read_link(&path).unwrap().to_str().unwrap().as_bytes().to_vec(), 1, 0)
                }
                () if meta.is_dir() => {
                    waiting.push(path.clone());
                    (Vec::new(), meta.mode(), 0)
                }
                () => (
                    std::fs::read(&path).unwrap(),
                    meta.mode(),
                    meta.mtime() * 1_000_000_000 + meta.mtime_nsec(),
                ),
            };
            all.insert(name, seen);
        }
    }
    all
}

fn ask(house: &House, what: &str, to: &str) -> Value {
    house.exec("change_files", json!({ "folder": "~/docs", "do": what, "to": to }))
}

fn text(house: &House, path: &str) -> Option<String> {
    std::fs::read_to_string(house.home().join(path)).ok()
}

#[test]
fn whatever_it_does_to_its_folder_is_counted_from_the_disk_and_taken_back() {
    let house = worker(WORKER, "cpython");
    furnish(&house);
    let docs = house.home().join("docs");
    let before = tree(&docs);
    type Seen<'a> = &'a dyn Fn() -> bool;
    let is = |path: &str, wanted: &str| text(&house, path).as_deref() == Some(wanted);
    let gone = |path: &str| house.home().join(path).symlink_metadata().is_err();
    let mode = |path: &str| house.home().join(path).metadata().unwrap().mode() & 0o777;
    let rows: [(&str, &str, u64, Seen<'_>); 16] = [
        ("remove", "a.txt", 1, &|| gone("docs/a.txt")),
        ("overwrite", "a.txt", 1, &|| is("docs/a.txt", "other")),
        ("append", "a.txt", 1, &|| is("docs/a.txt", "alphamore")),
        ("create", "new.txt", 1, &|| is("docs/new.txt", "fresh") && mode("docs/new.txt") == 0o640),
        ("create", "deep/new.txt", 1, &|| {
            house.home().join("docs/deep/new.txt").metadata().unwrap().mtime() == 1_000_000_000
        }),
        ("rename", "a.txt", 1, &|| gone("docs/a.txt") && is("docs/a.txt.new", "alpha")),
        ("replace", "a.txt", 2, &|| gone("docs/a.txt") && is("docs/b.txt", "alpha")),
        ("tree", "", 3, &|| is("docs/one/two/2", "2") && mode("docs/one/two") == 0o700),
        ("rmtree", "deep", 2, &|| gone("docs/deep")),
        ("mkdir", "empty", 1, &|| house.home().join("docs/empty").is_dir()),
        ("again", "deep", 3, &|| is("docs/deep/c.txt", "another") && gone("docs/deep/er")),
        ("folder-for-file", "a.txt", 2, &|| is("docs/a.txt/in", "in")),
        ("chmod", "a.txt", 1, &|| mode("docs/a.txt") == 0o600 && is("docs/a.txt", "alpha")),
        ("symlink", "way", 1, &|| {
            std::fs::read_link(house.home().join("docs/way")).unwrap() == Path::new("a.txt")
        }),
        ("hardlink", "same", 1, &|| is("docs/same", "alpha")),
        ("remove", "link", 1, &|| gone("docs/link") && is("docs/a.txt", "alpha")),
    ];
    for (what, to, count, seen) in rows {
        let answer = ask(&house, what, to);
        assert_eq!(answer["ok"], true, "{what} {to}: {answer}");
        assert_eq!(answer["ok_count"], count, "{what} {to}: {answer}");
        assert!(seen(), "{what} {to}: {answer} {:?}", tree(&docs).keys());
        let undone = house.run(&["--json", "undo"]);
        assert_eq!(undone.code, Some(0), "{what} {to}: {undone:?}");
        assert_eq!(tree(&docs), before, "{what} {to}: {undone:?}");
    }
    // Nothing of it stands beside the folder either.
    assert_eq!(ask(&house, "touch-nothing", "a.txt")["ok_count"], 0);
    assert_eq!(tree(&docs), before);
    assert!(house.run(&["audit", "verify"]).code == Some(0));
}

#[test]
fn what_fails_after_writing_changes_nothing() {
    let house = worker(WORKER, "cpython");
    furnish(&house);
    let docs = house.home().join("docs");
    let before = tree(&docs);
    for what in ["then-fail", "then-error", "chmod-folder"] {
        let to = if what == "chmod-folder" { "deep" } else { "a.txt" };
        let answer = ask(&house, what, to);
        assert_eq!(answer["ok"], false, "{what}: {answer}");
        assert_eq!(answer["ok_count"], 0, "{what}: {answer}");
        assert!(answer["error"]["class"].is_string(), "{what}: {answer}");
        assert_eq!(tree(&docs), before, "{what}");
    }
    let listed = house.run(&["--json", "undo", "--list"]);
    assert!(!listed.stdout.contains("change_files"), "{listed:?}");
}

#[test]
fn the_layer_has_bounds_that_name_themselves_and_nothing_reaches_the_disk() {
    let house = worker(WORKER, "cpython");
    furnish(&house);
    let docs = house.home().join("docs");
    let before = tree(&docs);
    for (what, limit) in
        [("bytes", "layer_mb"), ("bytes-hidden", "layer_mb"), ("hole", "layer_mb"), ("names", "layer_files")]
    {
        let answer = ask(&house, what, "big");
        assert_eq!(answer["error"]["class"], "limit_exceeded", "{what}: {answer}");
        assert_eq!(answer["error"]["limit"], limit, "{what}: {answer}");
        assert_eq!(answer["ok_count"], 0, "{what}: {answer}");
        assert_eq!(tree(&docs), before, "{what}");
    }
}

#[test]
fn a_claim_that_differs_from_the_disk_is_said() {
    let house = worker(WORKER, "cpython");
    furnish(&house);
    let answer = ask(&house, "lie", "one.txt");
    assert_eq!((&answer["ok_count"], &answer["claimed"]), (&json!(1), &json!(500)), "{answer}");
    let id = answer["call_id"].as_str().unwrap();
    let line = house.run(&["--json", "audit", "show", id]);
    assert!(line.stdout.contains("\"claimed\":500"), "{line:?}");
    let answer = ask(&house, "silent", "");
    assert_eq!((&answer["ok_count"], &answer["claimed"]), (&json!(0), &json!(7)), "{answer}");
    assert!(ask(&house, "remove", "one.txt")["claimed"].is_null());
    // Said to people as well.
    let args = json!({ "folder": "~/docs", "do": "lie", "to": "two.txt" }).to_string();
    let english = house.run(&["exec", "change_files", &args]);
    assert!(english.stdout.contains("It says 500"), "{english:?}");
}

#[test]
fn what_it_left_running_is_gone_before_its_work_is_looked_at() {
    let house = worker(WORKER, "cpython");
    furnish(&house);
    let answer = ask(&house, "left-running", "never");
    assert_eq!((&answer["ok"], &answer["ok_count"]), (&json!(true), &json!(1)), "{answer}");
    assert_eq!(text(&house, "docs/left").as_deref(), Some("left"));
}

#[test]
fn a_big_folder_stays_cheap_and_its_core_paths_stay_out_of_sight() {
    let house = worker(WORKER, "cpython");
    furnish(&house);
    std::fs::create_dir_all(house.home().join("docs/many")).unwrap();
    // More than the layer could hold, in names and in bytes.
    for n in 0..20_000 {
        std::fs::write(house.home().join(format!("docs/many/{n}")), "x".repeat(2048)).unwrap();
    }
    assert_eq!(ask(&house, "remove", "many/17")["ok_count"], 1);
    assert!(house.home().join("docs/many/17").symlink_metadata().is_err());
    assert_eq!(house.run(&["--json", "undo"]).code, Some(0));
    assert_eq!(text(&house, "docs/many/17").unwrap().len(), 2048);

    // The home holds what is core: it is not there for the executor, and the rest is under the layer.
    house.write(".ssh/id_ed25519", "secret");
    let look = house.exec("change_files", json!({ "folder": "~", "do": "look", "to": ".ssh/id_ed25519" }));
    assert_eq!((&look["ok"], &look["core"]), (&json!(true), &json!(false)), "{look}");
    assert!(!look["names"].to_string().contains(".ssh"), "{look}");
    let removed = house.exec("change_files", json!({ "folder": "~", "do": "remove", "to": "docs/a.txt" }));
    assert_eq!(removed["ok_count"], 1, "{removed}");
    assert_eq!(house.run(&["--json", "undo"]).code, Some(0));
    assert_eq!(text(&house, "docs/a.txt").as_deref(), Some("alpha"));
    assert_eq!(text(&house, ".ssh/id_ed25519").as_deref(), Some("secret"));
}

/// The same for the runtime that has no files of its own: everything goes through `ctx`.
const EMBEDDED: &str = r#"
def run(args: dict, ctx) -> dict:
    what = args.get("do", "nothing")
    at = args.get("folder", "") + "/" + args.get("to", "")
    if what == "fail":
        raise ValueError("as asked")
    if what in ("write", "then-fail", "read-back"):
        ctx.write_text(at, "written")
    if what == "then-fail":
        ctx.write_text(at + ".more", "more")
        raise ValueError("after writing")
    if what == "read-back":
        return {"results": [{"path": at}], "text": ctx.read_text(at), "size": ctx.stat(at)["size"]}
    if what == "bytes":
        for n in range(3000):
            ctx.write_text(at + str(n), "x" * 1000000)
    if what == "names":
        for n in range(60000):
            ctx.write_text(at + str(n), "")
    if what == "lie":
        ctx.write_text(at, "one")
        return {"results": [], "ok_count": 500, "claimed": 1}
    return {"results": [{"path": at}] if what != "nothing" else []}
"#;

#[test]
fn what_goes_through_ctx_is_held_back_counted_bounded_and_taken_back_alike() {
    for runtime in ["python", "cpython"] {
        let house = worker(EMBEDDED, runtime);
        furnish(&house);
        let docs = house.home().join("docs");
        let before = tree(&docs);
        for (to, is_new) in [("a.txt", false), ("deep/new.txt", true)] {
            let answer = ask(&house, "write", to);
            assert_eq!(
                (&answer["ok"], &answer["ok_count"]),
                (&json!(true), &json!(1)),
                "{runtime}: {answer}"
            );
            assert_eq!(text(&house, &format!("docs/{to}")).as_deref(), Some("written"));
            assert_eq!(before.contains_key(to), !is_new);
            assert_eq!(house.run(&["--json", "undo"]).code, Some(0));
            assert_eq!(tree(&docs), before, "{runtime} {to}");
        }
        let answer = ask(&house, "read-back", "a.txt");
        assert_eq!((&answer["text"], &answer["size"]), (&json!("written"), &json!(7)), "{runtime}: {answer}");
        assert_eq!(house.run(&["--json", "undo"]).code, Some(0));
        let failed = ask(&house, "then-fail", "a.txt");
        assert_eq!((&failed["ok"], &failed["ok_count"]), (&json!(false), &json!(0)), "{runtime}: {failed}");
        for (what, limit) in [("bytes", "layer_mb"), ("names", "layer_files")] {
            let answer = ask(&house, what, "big");
            assert_eq!(answer["error"]["class"], "limit_exceeded", "{runtime} {what}: {answer}");
            assert_eq!(answer["error"]["limit"], limit, "{runtime} {what}: {answer}");
        }
        assert_eq!(tree(&docs), before, "{runtime}");
        let lied = ask(&house, "lie", "one.txt");
        assert_eq!((&lied["ok_count"], &lied["claimed"]), (&json!(1), &json!(500)), "{runtime}: {lied}");
    }
}

#[test]
fn the_card_names_the_folder_and_says_what_is_true_of_undo() {
    let house = House::supervised();
    sign(&house, WORKER, "cpython", LIMITS);
    furnish(&house);
    let asked =
        house.exec_asking("change_files", json!({ "folder": "~/docs", "do": "remove", "to": "a.txt" }));
    let card = asked.json()["error"]["message"].as_str().unwrap().to_owned();
    let docs = house.home().join("docs").display().to_string();
    assert!(card.contains(&format!("anything in {docs}")), "{card}");
    assert!(card.contains("Can be undone"), "{card}");
    let id = asked.json()["error"]["approval"].as_str().unwrap().to_owned();
    assert!(text(&house, "docs/a.txt").is_some());
    assert_eq!(house.run(&["--json", "approve", &id]).json()["ok_count"], 1);
    assert!(text(&house, "docs/a.txt").is_none());
    assert_eq!(house.run(&["--json", "undo"]).code, Some(0));
    assert_eq!(text(&house, "docs/a.txt").as_deref(), Some("alpha"));
}

/// The processes below `root`.
fn below(root: u32) -> Vec<(u32, String)> {
    let mut all = Vec::new();
    let mut waiting = vec![root];
    while let Some(pid) = waiting.pop() {
        for task in std::fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten() {
            let list = std::fs::read_to_string(task.path().join("children")).unwrap_or_default();
            waiting.extend(list.split_whitespace().filter_map(|n| n.parse::<u32>().ok()));
        }
        all.push((pid, std::fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default()));
    }
    all
}

#[test]
fn what_somebody_changed_meanwhile_is_a_conflict_and_stays() {
    let house = worker(WORKER, "cpython");
    furnish(&house);
    let args = json!({ "folder": "~/docs", "do": "wait", "to": "a.txt" }).to_string();
    let mut command = house.command();
    command.args(["--json", "exec", "change_files", &args]);
    let child =
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    while !below(child.id()).iter().any(|(_, name)| name.starts_with("python3")) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    house.write("docs/a.txt", "theirs");
    for n in 0..2000 {
        house.write(&format!("docs/go{n}"), "");
    }
    let output = child.wait_with_output().unwrap();
    let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(answer["error"]["class"], "conflict", "{answer}");
    assert_eq!(answer["ok_count"], 0, "{answer}");
    assert_eq!(text(&house, "docs/a.txt").as_deref(), Some("theirs"));
}
