//! A small but real executor in Python: the folder a person would write.

use super::{House, Ran};
use std::path::{Path, PathBuf};

/// What a skill folder is made from; every field may be changed before `write`.
pub struct Skill {
    pub name: String,
    pub version: String,
    pub created_by: String,
    /// `python` or `cpython`.
    pub runtime: String,
    /// Extra lines for `[sandbox]`.
    pub sandbox: String,
    /// Words that lead to it, by language; a few where nothing is said.
    pub routing: Option<String>,
    /// The section for the planner.
    pub plan: String,
    /// Whether it changes anything.
    pub changes: bool,
    pub schema: String,
    pub birth: String,
    pub code: String,
}

/// Counts the words of a text and greets with them.
const CODE: &str = r#"# counts words
def run(args, ctx):
    text = args["text"]
    if text == "boom":
        ctx.fail("wrong_args", "this text is not counted")
    words = text.split()
    # one entry a word
    return {"value": len(words), "entries": [{"word": w, "length": len(w)} for w in words]}
# the end
"#;

const SCHEMA: &str = r#"{"definitions": {
  "Input": {"type": "object", "additionalProperties": false, "required": ["text"],
    "properties": {"text": {"type": "string", "maxLength": 4096, "description": "what to count"}}},
  "Output": {"type": "object", "properties": {"value": {"type": "integer", "minimum": 0},
    "entries": {"type": "array", "items": {"type": "object", "required": ["word", "length"],
      "properties": {"word": {"type": "string"}, "length": {"type": "integer"}}}}}}}}
"#;

const BIRTH: &str = r#"[[case]]
name = "every word is counted"
input = { text = "one two three" }
expect = { ok = true, value = 3 }
items = [{ word = "one", length = 3 }, { word = "two" }, { word = "three" }]

[[case]]
name = "no words are zero words"
input = { text = "" }
expect = { ok = true, value = 0 }
items = []

[[case]]
name = "a text that is refused says so"
input = { text = "boom" }
expect = { ok = false }
"#;

impl Skill {
    /// The word counter, under the name `compute_texts_lines`, which no seed has.
    pub fn counter(version: &str) -> Self {
        Self {
            name: "compute_texts_lines".into(),
            version: version.into(),
            created_by: "skill:words@1.0.0".into(),
            runtime: "python".into(),
            sandbox: String::new(),
            routing: None,
            plan: String::new(),
            changes: false,
            schema: SCHEMA.into(),
            birth: BIRTH.into(),
            code: CODE.into(),
        }
    }

    /// One that calls `ctx.progress` for a long time, so that a test can stop it.
    pub fn patient() -> Self {
        let code = r#"def run(args, ctx):
    if args["text"] != "wait":
        return {"value": 0, "entries": []}
    total = 0
    for i in range(1000000000):
        total = total + 1
        if i % 1000 == 0:
            ctx.progress(i)
    return {"value": total, "entries": []}
"#;
        let birth = r#"[[case]]
name = "answers at once unless told to wait"
input = { text = "now" }
expect = { ok = true, value = 0 }

[[case]]
name = "an empty text is no wait"
input = { text = "" }
expect = { ok = true }
items = []

[[case]]
name = "a call without a text is refused"
input = { }
expect = { ok = false }
"#;
        Self {
            code: code.into(),
            birth: birth.into(),
            sandbox:
                "limits = { wall_ms = 60000, cpu_ms = 60000, memory_mb = 128, output_kb = 64, processes = 1 }"
                    .into(),
            ..Self::counter("1.0.0")
        }
    }

    /// Finds the messages of a mailbox, of which it needs the name and the password.
    pub fn mailbox() -> Self {
        let case = |name| {
            format!(
                "[[case]]\nname = \"{name}\"\ninput = {{ dry = true }}\nexpect = {{ ok = true }}\nitems = []\n"
            )
        };
        Self {
            name: "find_messages".into(),
            sandbox: "credentials = [\"mail\"]".into(),
            schema: r#"{"definitions": {
                "Input": {"type": "object", "additionalProperties": false,
                  "properties": {"dry": {"type": "boolean", "description": "finds nothing"}}},
                "Output": {"type": "object", "properties": {"entries": {"type": "array", "items":
                  {"type": "object", "required": ["subject"], "properties": {"subject": {"type": "string"}}}}}}}}"#
                .into(),
            birth: ["one", "two", "three"].map(case).concat(),
            code: r#"def run(args, ctx):
    if args.get("dry"):
        return {"entries": []}
    box = ctx.credential("mail")
    return {"entries": [{"subject": "for " + box["username"] + ", " + str(len(box["password"]))}]}
"#
            .into(),
            ..Self::counter("1.0.0")
        }
    }

    /// Signs it in a house that keeps no credential: birth tests have their own.
    pub fn signed_without_credential(&self, house: &House) {
        let signed = self.sign(house);
        assert_eq!(signed.code, Some(0), "{signed:?}");
    }

    /// Makes it one that writes, with these scopes.
    pub fn changer(&mut self, scopes: &str) {
        self.changes = true;
        self.sandbox = format!("{scopes}\n{}", self.sandbox);
    }

    /// The manifest of the folder.
    pub fn manifest(&self) -> String {
        let Self { name, version, created_by, runtime, sandbox, plan, .. } = self;
        let words = self.routing.as_deref().unwrap_or(r#"en = ["count", "words"]"#);
        let changes = self.changes;
        let profile = if changes { "fs-write" } else { "pure" };
        let reverse = if changes { r#"["restore_blob", "delete_created_paths"]"# } else { "[]" };
        let capability = if changes { "fs:write" } else { "compute:pure" };
        format!(
            r#"[executor]
name = "{name}"
version = "{version}"
created_at = 2026-11-15T08:00:00Z
created_by = "{created_by}"

[description.en]
scope = "Counts the words of a text."
pattern = '{name}(text="one two")'
not = "Numbers: compute_numbers."
out = "value, entries=[{{word,length}}]"

[routing]
affinity = {{ {words} }}
companions = []

{plan}

[contract]
error_classes = ["wrong_args", "dst_exists", "permission_denied", "not_found", "unauthorized", "network", "policy_violation"]
idempotent = true
side_effects = {changes}
reverse = {reverse}
tests = "unsigned"

[code]
runtime = "{runtime}"
digest = "unsigned"

[sandbox]
profile = "{profile}"
{sandbox}
hash = "unsigned"

[[capability]]
name = "{capability}"

[audit]
trace_topic = "executor.{name}"
"#
        )
    }

    /// Writes the folder `at`.
    pub fn write(&self, at: &Path) {
        std::fs::create_dir_all(at.join("tests")).unwrap();
        for (part, text) in [
            ("manifest.toml", &self.manifest()),
            ("schema.json", &self.schema),
            ("tests/birth.toml", &self.birth),
            ("main.py", &self.code),
        ] {
            std::fs::write(at.join(part), text).unwrap();
        }
    }

    /// Writes the folder below the home directory, signs it and puts it to use.
    pub fn sign(&self, house: &House) -> Ran {
        let signed = self.install(house);
        if signed.code != Some(0) {
            return signed;
        }
        self.promote(house)
    }

    /// Writes the folder below the home directory and signs it.
    pub fn install(&self, house: &House) -> Ran {
        let folder = self.folder(house);
        self.write(&folder);
        house.run(&["executors", "sign", folder.to_str().unwrap(), "--reason", "the test asks", "--json"])
    }

    /// Puts it to use.
    pub fn promote(&self, house: &House) -> Ran {
        let words =
            ["executors", "promote", &self.name, &self.version, "--reason", "the test asks", "--json"];
        house.run(&words)
    }

    /// Where `sign` writes it.
    pub fn folder(&self, house: &House) -> PathBuf {
        house.home().join("skills").join(format!("{}-{}", self.name, self.version))
    }
}
