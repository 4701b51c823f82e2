//! An executor in Python, written and signed as a person would.
#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "test support")]

use crate::support::{House, Ran};
use serde_json::json;
use std::path::{Path, PathBuf};

/// What a folder to sign is made of.
pub(crate) struct Draft<'a> {
    pub(crate) name: &'a str,
    pub(crate) runtime: &'a str,
    pub(crate) code: &'a str,
    pub(crate) read: &'a str,
    pub(crate) write: &'a str,
    pub(crate) limits: &'a str,
    pub(crate) birth: &'a str,
}

impl Draft<'_> {
    pub(crate) const BIRTH: &'static str = r#"
[[case]]
name = "an ordinary call"
input = {}
expect = { ok = true }
[[case]]
name = "again"
input = { do = "nothing" }
expect = { ok = true }
[[case]]
name = "what must fail"
input = { do = "fail" }
expect = { ok = false }
"#;

    /// Writes the folder and signs it.
    pub(crate) fn sign(&self, house: &House) -> Ran {
        let folder: PathBuf = house.metnos().with_file_name(format!("draft-{}-{}", self.name, self.runtime));
        self.write_to(&folder);
        let signed =
            house.run(&["--json", "executors", "sign", folder.to_str().unwrap(), "--reason", "a test"]);
        if signed.code != Some(0) {
            return signed;
        }
        house.run(&["--json", "executors", "promote", self.name, "1.0.0", "--reason", "a test"])
    }

    /// Writes the folder.
    pub(crate) fn write_to(&self, folder: &Path) {
        let by = if self.runtime == "cpython" { "skill:notes@1.0.0" } else { "synt:01" };
        let effects = self.write != "[]";
        let manifest = format!(
            r#"[executor]
name = "{name}"
version = "1.0.0"
created_at = 2026-11-15T08:00:00Z
created_by = "{by}"
[description.en]
scope = "Works on a folder."
pattern = '{name}(folder="~/x")'
not = "Anything else."
out = "entries"
[description.it]
scope = "Lavora su una cartella."
pattern = '{name}(folder="~/x")'
not = "Altro."
out = "entries"
[routing]
affinity = {{ en = ["folder"], it = ["cartella"] }}
companions = []
[contract]
error_classes = ["wrong_args", "not_found", "dst_exists", "permission_denied", "policy_violation", "conflict", "limit_exceeded", "cancelled", "internal"]
idempotent = false
side_effects = {effects}
reverse = []
tests = "unsigned"
[code]
runtime = "{runtime}"
digest = "unsigned"
[sandbox]
profile = "own"
read = {read}
write = {write}
exec = []
net = []
credentials = []
limits = {limits}
hash = "unsigned"
[[capability]]
name = "fs:read"
target = "arg:folder"
{writes}
[audit]
trace_topic = "executor.{name}"
"#,
            name = self.name,
            runtime = self.runtime,
            read = self.read,
            write = self.write,
            limits = self.limits,
            writes =
                if effects { "[[capability]]\nname = \"fs:write\"\ntarget = \"arg:folder\"" } else { "" },
        );
        let schema = json!({ "definitions": {
            "Input": { "type": "object", "additionalProperties": false, "properties": {
                "folder": { "type": "string", "format": "path" }, "after": { "type": "string" },
                "do": { "type": "string" }, "to": { "type": "string" },
                "entries": { "type": "array", "items": { "type": "object" } } } },
            "Output": { "type": "object", "properties": { "entries": { "type": "array", "items": { "type": "object" } } } },
        } });
        std::fs::create_dir_all(folder.join("tests")).unwrap();
        std::fs::write(folder.join("manifest.toml"), manifest).unwrap();
        std::fs::write(folder.join("schema.json"), schema.to_string()).unwrap();
        std::fs::write(folder.join("main.py"), self.code).unwrap();
        std::fs::write(folder.join("tests/birth.toml"), self.birth).unwrap();
    }
}
