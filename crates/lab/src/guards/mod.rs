//! What stands between a request and its cell: one row for each guard. The act must be stopped in
//! the whole build and must happen when that guard alone is removed, or the guard is not wired.

use crate::house::{Done, House, make_dir, write};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Output;

/// The act a guard must stop; gives whether it happened.
type Act = fn(&mut House, &str) -> Done<bool>;

/// Has the shape of a token, and opens nothing.
const SECRET: &str = "ghp_thisOpensNothingAtAll0123456789abcd";

const ROWS: [(&str, &str, Act); 12] = [
    ("policy", "a session that may only look writes a file", |house, without| {
        metnos(house, without, &["policy", "level", "read-only"])?;
        metnos(house, without, &["exec", "write_files", &to_write(house)])?;
        Ok(house.at("home/docs/new.txt").exists())
    }),
    ("approval", "a file is deleted that nobody agreed to", |house, without| {
        delete(house, without, json!({ "paths": [house.text("home/docs/open.txt")] }))
    }),
    ("vaglio", "an administrator deletes thirty files at once", |house, without| {
        metnos(house, without, &["policy", "level", "full"])?;
        let mut paths = vec![house.text("home/docs/open.txt")];
        for n in 1..30 {
            let path = house.at(&format!("home/docs/{n}.txt"));
            write(&path, "x")?;
            paths.push(path.display().to_string());
        }
        delete(house, without, json!({ "paths": paths }))
    }),
    ("taint", "a name that a document contained is deleted", |house, without| {
        metnos(house, without, &["policy", "level", "full"])?;
        let entry = json!({ "path": house.text("home/docs/open.txt"), "_origin": "content" });
        delete(house, without, json!({ "entries": [entry] }))
    }),
    ("binding", "a yes for one file is used for another", |house, without| {
        for name in ["one", "two"] {
            make_dir(&house.at(&format!("home/docs/{name}")))?;
            write(&house.at(&format!("home/docs/{name}/f")), name)?;
        }
        let lead_to = |name: &str| {
            let link = house.at("home/docs/link");
            let _ = std::fs::remove_file(&link);
            std::os::unix::fs::symlink(name, link).map_err(|e| e.to_string())
        };
        lead_to("one")?;
        let id = asked(house, without, "home/docs/link/f")?;
        lead_to("two")?;
        metnos(house, without, &["approve", &id])?;
        Ok(!house.at("home/docs/two/f").exists())
    }),
    ("expiry", "a yes that comes eleven minutes later", |house, without| {
        let id = asked(house, without, "home/docs/open.txt")?;
        let mut late = house.command(without, &["approve", &id]);
        late.env("METNOS_LAB_GUARDS", "1").env("METNOS_LAB_LATER", "660");
        late.output().map_err(|e| e.to_string())?;
        Ok(!house.at("home/docs/open.txt").exists())
    }),
    ("damage", "a change while the record of a decision is damaged", |house, without| {
        metnos(house, without, &["policy", "level", "full"])?;
        let db =
            rusqlite::Connection::open(house.at("metnos/state/metnos.sqlite")).map_err(|e| e.to_string())?;
        db.execute("INSERT INTO decisions VALUES ('rule', 'X', '{}', x'00', '2020-01-01T00:00:00Z')", [])
            .map_err(|e| e.to_string())?;
        delete(house, without, json!({ "paths": [house.text("home/docs/open.txt")] }))
    }),
    ("redaction", "a password typed in the wrong place is written down", |house, without| {
        let args = json!({ "text": format!("the key is {SECRET}"), "op": "words" }).to_string();
        metnos(house, without, &["exec", "compute_texts", &args])?;
        found(&house.at("metnos"), SECRET.as_bytes())
    }),
    ("recording", "an answer is given that no line speaks of", |house, without| {
        let audit = house.at("metnos/workspace/.audit/executors");
        let session = house.session(without)?;
        let before = session.call("get_now", &json!({}))?;
        if before["ok"] != true {
            return Err(format!("no answer while all is well: {before}"));
        }
        std::fs::rename(&audit, audit.with_file_name("away")).map_err(|e| e.to_string())?;
        write(&audit, "no folder")?;
        Ok(session.call("get_now", &json!({}))?["ok"] == true)
    }),
    ("limits", "a second call where one an hour is allowed", |house, without| {
        write(&house.at("metnos/config/metnos.toml"), "[limits]\ncalls_per_hour = 1\n")?;
        if !time_is_told(house, without)? {
            return Err("the first call is not answered".into());
        }
        time_is_told(house, without)
    }),
    ("halt", "a call after everything was stopped", |house, without| {
        metnos(house, without, &["stop"])?;
        time_is_told(house, without)
    }),
    ("commands", "a command runs of which somebody said never", |house, without| {
        let touch = json!({ "command": "touch x" }).to_string();
        let ask = || question(&metnos(house, without, &["--json", "exec", "admin", &touch])?);
        let id = ask()?.ok_or("a command on no list is not asked about")?;
        metnos(house, without, &["reject", &id, "--never"])?;
        let Some(id) = ask()? else { return Ok(false) };
        let ran: Value = serde_json::from_slice(&metnos(house, without, &["--json", "approve", &id])?.stdout)
            .map_err(|e| e.to_string())?;
        Ok(ran.pointer("/results/0/exit").is_some())
    }),
];

fn time_is_told(house: &House, without: &str) -> Done<bool> {
    Ok(metnos(house, without, &["exec", "get_now", "{}"])?.status.success())
}

/// Prints one row for each guard; true when every one is wired.
pub(crate) fn run(binary: &Path) -> Done<bool> {
    let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
    let house = House::new(dir.path(), binary)?;
    let once = |without: &str, act: Act| {
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        act(&mut house.copy(dir.path())?, without)
    };
    let mut wired = 0;
    for (guard, act, perform) in ROWS {
        let told = |why: String| format!("{guard}: {why}");
        let (whole, control) = (once("", perform).map_err(told)?, once(guard, perform).map_err(told)?);
        println!("{}", json!({ "guard": guard, "act": act, "refused": !whole, "control": control }));
        wired += usize::from(!whole && control);
    }
    println!("{}", json!({ "guards": ROWS.len(), "wired": wired }));
    Ok(wired == ROWS.len())
}

fn metnos(house: &House, without: &str, args: &[&str]) -> Done<Output> {
    house.command(without, args).env("METNOS_LAB_GUARDS", "1").output().map_err(|e| e.to_string())
}

fn delete(house: &House, without: &str, args: Value) -> Done<bool> {
    metnos(house, without, &["exec", "delete_files", &args.to_string()])?;
    Ok(!house.at("home/docs/open.txt").exists())
}

/// Asks for a file to be deleted; gives the id of the question.
fn asked(house: &House, without: &str, path: &str) -> Done<String> {
    let args = json!({ "paths": [house.text(path)] }).to_string();
    let asked = metnos(house, without, &["--json", "exec", "delete_files", &args])?;
    question(&asked)?.ok_or_else(|| "nothing was asked".to_owned())
}

/// The id of the question that was asked instead of an answer.
fn question(asked: &Output) -> Done<Option<String>> {
    let answer: Value = serde_json::from_slice(&asked.stdout).map_err(|e| e.to_string())?;
    Ok(answer["error"]["approval"].as_str().map(str::to_owned))
}

fn to_write(house: &House) -> String {
    json!({ "path": house.text("home/docs/new.txt"), "content": "x" }).to_string()
}

/// Whether any file below `dir` holds `what`.
fn found(dir: &Path, what: &[u8]) -> Done<bool> {
    for entry in std::fs::read_dir(dir).map_err(|e| e.to_string())?.flatten() {
        let path = entry.path();
        let here = match entry.file_type() {
            Ok(kind) if kind.is_dir() => found(&path, what)?,
            Ok(kind) if kind.is_file() => {
                std::fs::read(&path).is_ok_and(|bytes| bytes.windows(what.len()).any(|window| window == what))
            }
            _ => false,
        };
        if here {
            return Ok(true);
        }
    }
    Ok(false)
}
