//! What is written down and what is shown.

use super::{Row, found, keep_credential, lossy, metnos, time_is_told, works};
use crate::house::{Done, House, make_dir, write};
use serde_json::json;

/// Has the shape of a token, and opens nothing.
const SECRET: &str = "ghp_thisOpensNothingAtAll0123456789abcd";
/// Has no shape at all: only the vault knows that it is secret.
const KEPT: &str = "ombrello viola 4471";

pub(super) const ROWS: &[Row] = &[
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
    ("vault-seal", "a value of the vault stands in a question that waits", |house, without| {
        keep_credential(house, without, KEPT)?;
        let path = house.text("home/docs/new.txt");
        let args = json!({ "path": path, "content": format!("the word is {KEPT}") }).to_string();
        let asked = metnos(house, without, &["--json", "exec", "write_files", &args])?;
        super::question(&asked)?.ok_or("nothing was asked")?;
        found(&house.at("metnos"), KEPT.as_bytes())
    }),
    ("checkpoint", "everything is put back as it was, with the audit and its head", |house, without| {
        let exported = house.text("checkpoint.json");
        let metnos_dir = house.at("metnos");
        let earlier = house.at("earlier");
        let copied = std::process::Command::new("cp").arg("-a").arg(&metnos_dir).arg(&earlier).status();
        if !copied.is_ok_and(|status| status.success()) {
            return Err("the house could not be copied".into());
        }
        for _ in 0..3 {
            time_is_told(house, without)?;
        }
        works(house, without, &["audit", "checkpoint", &exported])?;
        let verify = ["audit", "verify", "--checkpoint", &exported];
        works(house, without, &verify)?;
        std::fs::remove_dir_all(&metnos_dir).map_err(|e| e.to_string())?;
        std::fs::rename(&earlier, &metnos_dir).map_err(|e| e.to_string())?;
        works(house, without, &["audit", "verify"])?;
        Ok(metnos(house, without, &verify)?.status.success())
    }),
    ("unseen", "a card shows a name that turns the line around", |house, without| {
        shows(house, without, "a\u{202e}b\u{e0041}c")
    }),
    ("imitation", "a card shows a name that looks like a part of the card", |house, without| {
        shows(house, without, "a · cannot be undone → b")
    }),
];

/// Whether the card of a deletion in a folder with this name shows it as it is.
fn shows(house: &House, without: &str, name: &str) -> Done<bool> {
    let folder = format!("home/docs/{name}");
    make_dir(&house.at(&folder))?;
    write(&house.at(&format!("{folder}/f")), "f")?;
    let args = json!({ "paths": [house.text(&format!("{folder}/f"))] }).to_string();
    let ran = metnos(house, without, &["exec", "delete_files", &args])?;
    let card = lossy(&ran.stdout) + &lossy(&ran.stderr);
    match card.contains("metnos approve") {
        true => Ok(card.contains(name)),
        false => Err(format!("nothing was asked: {card}")),
    }
}
