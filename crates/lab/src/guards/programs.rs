//! Which programs and which executors may run at all.

use super::{Row, metnos, question, told};
use crate::hostile::Hostile;
use crate::house::{Done, House};
use serde_json::{Value, json};
use std::os::unix::fs::symlink;

/// Keeps none of its promises but the first two.
const CARELESS: &str = r#"def run(args: dict, ctx) -> dict:
    return {"entries": [{"attack": args["attack"], "errno": 0, "got": "of the careless version"}]}
"#;

pub(super) const ROWS: &[Row] = &[
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
    ("real-program", "the home is to be deleted by a program under another name", |house, without| {
        let rm = std::fs::canonicalize("/bin/rm").map_err(|e| e.to_string())?;
        symlink(&rm, house.at("home/tidy")).map_err(|e| e.to_string())?;
        std::fs::copy(&rm, house.at("home/copied")).map_err(|e| e.to_string())?;
        asked_about(house, without, &["~/tidy -rf ~", "~/copied -rf ~", "env nice ~/tidy -rf ~"])
    }),
    ("leads", "the home is to be deleted under another name of it", |house, without| {
        symlink(house.at("home"), house.at("home/docs/way")).map_err(|e| e.to_string())?;
        asked_about(house, without, &["rm -rf docs/way/", "chmod -R 000 docs/way/"])
    }),
    ("sweepers", "the home is to be packed away and deleted by the way", |house, without| {
        asked_about(house, without, &["tar --remove-files -cf /tmp/x.tar ~"])
    }),
    ("birth-tests", "a version that breaks its promises takes the place of a good one", |house, without| {
        let name = "get_packages_candidates";
        Hostile { version: "1.2.0", code: CARELESS, ..Hostile::new(name, "python") }
            .put_in(house, without)?;
        let answer = told(house, without, &["exec", name, r#"{"attack":"none"}"#])?;
        match answer.pointer("/entries/0/got").and_then(Value::as_str) {
            Some("of the new version") => Ok(false),
            Some("of the careless version") => Ok(true),
            _ => Err(format!("neither version answers: {answer}")),
        }
    }),
];

/// Whether commands are asked about that must be refused as harm. A question is as far as it goes: nobody answers it.
fn asked_about(house: &House, without: &str, commands: &[&str]) -> Done<bool> {
    let mut asked = 0;
    for command in commands {
        let answer = told(house, without, &["exec", "admin", &json!({ "command": command }).to_string()])?;
        match &answer["error"] {
            error if error["approval"].is_string() => asked += 1,
            error if error["class"] == "forbidden" => {}
            _ => return Err(format!("{command}: neither asked about nor refused as harm: {answer}")),
        }
    }
    match asked {
        0 => Ok(false),
        all if all == commands.len() => Ok(true),
        some => Err(format!("{some} of {} were asked about", commands.len())),
    }
}
