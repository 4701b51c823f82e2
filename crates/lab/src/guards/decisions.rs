//! What is decided before anything happens: may it be done, and who was asked.

use super::{Row, asked, delete, keep_credential, metnos, question, to_write, told, works};
use crate::hostile::Hostile;
use crate::house::{Done, House, SECRET, make_dir, write};
use serde_json::json;
use std::os::unix::fs::symlink;

/// Says how long the credential is that it was given.
const BORROWER: &str = r#"def run(args: dict, ctx) -> dict:
    got = ""
    if args["attack"] == "unheard-of":
        ctx.fail("wrong_args", "no attack is called so")
    if args["attack"] == "borrow":
        got = str(len(ctx.credential("weather")["token"]))
    return {"entries": [{"attack": args["attack"], "errno": 0, "got": got}]}
"#;

pub(super) const ROWS: &[Row] = &[
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
        two_files(house)?;
        lead_to(house, "one")?;
        let id = asked(house, without, "home/docs/link/f")?;
        lead_to(house, "two")?;
        metnos(house, without, &["approve", &id])?;
        Ok(!house.at("home/docs/two/f").exists())
    }),
    ("showing", "a yes for a small folder is used for what it became", |house, without| {
        make_dir(&house.at("home/docs/deep"))?;
        write(&house.at("home/docs/deep/f"), "f")?;
        let args = json!({ "paths": [house.text("home/docs/deep")], "recursive": true }).to_string();
        let asked = metnos(house, without, &["--json", "exec", "delete_dirs", &args])?;
        let id = question(&asked)?.ok_or("nothing was asked")?;
        write(&house.at("home/docs/deep/g"), "x".repeat(300_000))?;
        metnos(house, without, &["approve", &id])?;
        Ok(!house.at("home/docs/deep").exists())
    }),
    ("unused", "a yes that its call did not use is used by the next", |house, without| {
        two_files(house)?;
        lead_to(house, "one")?;
        let id = asked(house, without, "home/docs/link/f")?;
        lead_to(house, "two")?;
        metnos(house, without, &["approve", &id])?;
        if !house.at("home/docs/one/f").exists() || !house.at("home/docs/two/f").exists() {
            return Err("the yes was used for another file".into());
        }
        lead_to(house, "one")?;
        let args = json!({ "paths": [house.text("home/docs/link/f")] }).to_string();
        metnos(house, without, &["exec", "delete_files", &args])?;
        Ok(!house.at("home/docs/one/f").exists())
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
    ("runs-code", "an administrator's session writes what every shell runs", |house, without| {
        metnos(house, without, &["policy", "level", "full"])?;
        let args = json!({ "path": house.text("home/.bashrc"), "content": "x" }).to_string();
        metnos(house, without, &["exec", "write_files", &args])?;
        Ok(house.at("home/.bashrc").exists())
    }),
    ("channel-cap", "a channel lifts the cap that holds it", |house, without| {
        let agents = house.at("metnos/workspace/AGENTS.md");
        let cap = "## Channels\n- cli: supervised\n";
        write(&agents, cap)?;
        let args = json!({ "path": agents, "content": "# Agents\n", "mode": "overwrite" }).to_string();
        metnos(house, without, &["exec", "write_files", &args])?;
        Ok(std::fs::read_to_string(&agents).map_err(|e| e.to_string())? != cap)
    }),
    ("beyond", "a file outside the territory is read unasked", |house, without| {
        let args = json!({ "paths": [house.text("outside/secret.txt")] }).to_string();
        Ok(told(house, without, &["exec", "read_files", &args])?.to_string().contains(SECRET))
    }),
    ("lending", "a member uses a credential of the host", |house, without| {
        keep_credential(house, without, "sereno e mite")?;
        works(house, without, &["users", "add", "Bruno", "--as", "member"])?;
        let borrower = Hostile::new("get_urls_whitelist", "python");
        Hostile { code: BORROWER, credentials: &["weather"], ..borrower }.sign(house, "")?;
        let args = json!({ "attack": "borrow" }).to_string();
        let call = |who: &str| {
            let answer = told(house, without, &["exec", "--as", who, "get_urls_whitelist", &args])?;
            Ok::<_, String>(answer.pointer("/entries/0/got") == Some(&json!("13")))
        };
        if !call("host")? {
            return Err("the host cannot use what is theirs".into());
        }
        call("bruno")
    }),
];

fn two_files(house: &House) -> Done {
    for name in ["one", "two"] {
        make_dir(&house.at(&format!("home/docs/{name}")))?;
        write(&house.at(&format!("home/docs/{name}/f")), name)?;
    }
    Ok(())
}

/// Lets the link lead to another folder.
fn lead_to(house: &House, name: &str) -> Done {
    let link = house.at("home/docs/link");
    let _ = std::fs::remove_file(&link);
    symlink(name, link).map_err(|e| e.to_string())
}
