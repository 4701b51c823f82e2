//! How much, and until when.

use super::daemon::Daemon;
use super::{Row, metnos, question, time_is_told, told, works};
use crate::house::{Done, House, write};
use serde_json::{Value, json};

pub(super) const ROWS: &[Row] = &[
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
    ("room", "a guest fills the disk", |house, without| {
        write(&house.at("metnos/config/metnos.toml"), "[limits]\nguest_state_mb = 1\n")?;
        works(house, without, &["users", "add", "Anna", "--as", "guest"])?;
        let mine = "metnos/workspace/people/anna";
        guest_writes(house, without, "first.txt")?;
        if !house.at(mine).join("first.txt").exists() {
            return Err("a guest with room cannot write".into());
        }
        write(&house.at(mine).join("large.bin"), vec![7u8; 1_200_000])?;
        guest_writes(house, without, "second.txt")?;
        Ok(house.at(mine).join("second.txt").exists())
    }),
    ("pace", "a second request where one a minute is allowed", |house, without| {
        write(&house.at("metnos/config/metnos.toml"), "[limits]\nturns_per_minute = 1\n")?;
        let added = told(house, without, &["devices", "add", "phone"])?;
        let token = added["token"].as_str().ok_or("a device without a token")?;
        let daemon = Daemon::start(house, without)?;
        match daemon.ask(token, "what time is it")? {
            200 => Ok(daemon.ask(token, "what time is it")? == 200),
            other => Err(format!("the first request is answered with {other}")),
        }
    }),
];

/// A file of the guest's, with the host's yes.
fn guest_writes(house: &House, without: &str, name: &str) -> Done<Value> {
    let args = json!({ "path": name, "content": "x" }).to_string();
    let ran = metnos(house, without, &["--json", "exec", "--as", "anna", "write_files", &args])?;
    let id = question(&ran)?.ok_or("a guest is not asked about")?;
    told(house, without, &["approve", &id])
}
